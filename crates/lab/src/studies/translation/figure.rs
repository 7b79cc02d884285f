//! Figures 6 and 1: what each model gains in each language, and what it costs to be so good.

use super::Table;
use super::judge::Judged;
use super::report::{average, cpu_hours};
use meshwright_train::metrics::{Chart, Dot, Line};

/// BLEU above that of models of one language, from languages with many pairs to those with few.
pub fn by_language(table: &Table) -> String {
    let line = |one: &Judged| {
        let gain = |name: &str| one.bleu(name) - table.baseline(name);
        let dots = table.names().into_iter().enumerate();
        Line {
            name: one.variant.name.into(),
            dots: dots.map(|(at, name)| dot(at as f64, gain(name))).collect(),
        }
    };
    Chart {
        title: "BLEU above a model of one language".into(),
        x: "languages, from many pairs to few".into(),
        y: "delta BLEU".into(),
        lines: table.models.iter().map(line).collect(),
        names: table.languages.iter().map(|(name, pairs)| format!("{name} {pairs}")).collect(),
        is_steep: false,
    }
    .svg()
}

/// Mean BLEU over the time of processors, a line for each depth.
pub fn by_cost(table: &Table) -> String {
    let mut depths: Vec<u32> = table.models.iter().map(Judged::layers).collect();
    depths.dedup();
    let at = |one: &Judged| dot(cpu_hours(one), average(table, one));
    let line = |layers: &u32| {
        let same: Vec<&Judged> = table.models.iter().filter(|one| one.layers() == *layers).collect();
        let is_dense = same.iter().all(|one| one.variant.at.is_none());
        let name = format!("{layers} layers{}", if is_dense { ", dense" } else { "" });
        Line { name, dots: same.into_iter().map(at).collect() }
    };
    Chart {
        title: "Quality over cost: points of a line have 1, 4, 16 experts".into(),
        x: "hours of a core".into(),
        y: "mean BLEU".into(),
        lines: depths.iter().map(line).collect(),
        names: Vec::new(),
        is_steep: false,
    }
    .svg()
}

fn dot(x: f64, y: f64) -> Dot {
    Dot { x, y, spread: 0.0 }
}

#[cfg(test)]
mod tests {
    use super::super::judge::tests::row;
    use super::super::{M4, judge};
    use super::*;

    #[test]
    fn a_figure_has_a_line_for_each_model_and_a_mark_for_each_language() {
        let rows = [
            row("1e-4l", 1, 0.0),
            row("16e-12l", 1, 2.0),
            row("de alone", 1, -1.0),
            row("sv alone", 1, -2.0),
        ];
        let table = judge(&M4, &rows);
        let svg = by_language(&table);
        assert_eq!(svg.matches("<polyline").count(), 2, "{svg}");
        assert!(
            svg.contains(">de 8000</text>") && svg.contains(">sv 1000</text>") && !svg.contains("NaN"),
            "{svg}"
        );
        let svg = by_cost(&table);
        assert!(svg.contains(">4 layers</text>") && svg.contains(">12 layers</text>"), "{svg}");
        assert_eq!(svg.matches("<circle").count(), 2, "{svg}");
    }
}
