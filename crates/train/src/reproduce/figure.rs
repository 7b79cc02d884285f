//! A study as a drawing: held-out NLL over steps, one line per variant, the mean of its seeds with a band of one standard
//! deviation. Pure text (SVG).

use super::{Row, Spread, Study};

const WIDTH: f64 = 760.0;
const HEIGHT: f64 = 460.0;
const LEFT: f64 = 64.0;
const RIGHT: f64 = 150.0;
const TOP: f64 = 40.0;
const BOTTOM: f64 = 48.0;

/// Told apart by most eyes, and in print.
const COLOURS: [&str; 8] =
    ["#555555", "#0072b2", "#56b4e9", "#009e73", "#e69f00", "#d55e00", "#cc79a7", "#8c6bb1"];

/// A variant's mean at a step.
type Mean = (f64, Spread);

/// What is drawn between: least and greatest step and NLL.
struct Frame {
    steps: (f64, f64),
    nll: (f64, f64),
}

impl Frame {
    fn x(&self, step: f64) -> f64 {
        LEFT + (step - self.steps.0) / (self.steps.1 - self.steps.0).max(1e-9) * (WIDTH - LEFT - RIGHT)
    }

    fn y(&self, nll: f64) -> f64 {
        HEIGHT - BOTTOM - (nll - self.nll.0) / (self.nll.1 - self.nll.0).max(1e-9) * (HEIGHT - TOP - BOTTOM)
    }
}

/// The figure of the rows that are there.
pub fn figure(study: &Study, rows: &[Row]) -> String {
    let lines: Vec<(&str, Vec<Mean>)> =
        study.variants.iter().map(|variant| (variant.name, means(variant.name, rows))).collect();
    let lines: Vec<_> = lines.into_iter().filter(|(_, line)| !line.is_empty()).collect();
    let all = || lines.iter().flat_map(|(_, line)| line);
    let ends = |values: Vec<f64>| {
        (values.iter().copied().fold(f64::MAX, f64::min), values.iter().copied().fold(f64::MIN, f64::max))
    };
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" font-family=\"sans-serif\" \
         font-size=\"12\">\n<rect width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"white\"/>\n\
         <text x=\"{LEFT}\" y=\"22\" font-size=\"14\">{}</text>\n",
        study.name
    );
    if lines.is_empty() {
        return svg + "</svg>\n";
    }
    let frame = Frame {
        steps: ends(all().map(|(step, _)| *step).collect()),
        nll: ends(all().map(|(_, spread)| spread.mean).collect()),
    };
    svg += &axes(&frame);
    for (at, (name, line)) in lines.iter().enumerate() {
        let colour = COLOURS[at % COLOURS.len()];
        svg += &band(&frame, line, colour);
        svg += &path(&frame, line, colour);
        let (x, y) = (WIDTH - RIGHT + 12.0, TOP + 16.0 + 18.0 * at as f64);
        svg += &format!("<text x=\"{x}\" y=\"{y}\" fill=\"{colour}\">{name}</text>\n");
    }
    svg + "</svg>\n"
}

/// Means over the runs of a variant, at every step that all of them have.
fn means(variant: &str, rows: &[Row]) -> Vec<Mean> {
    let rows: Vec<&Row> = rows.iter().filter(|row| row.variant == variant).collect();
    let Some(first) = rows.first() else { return Vec::new() };
    let at = |step: u64| {
        let values: Option<Vec<f64>> = rows
            .iter()
            .map(|row| row.curve.iter().find(|point| point.step == step).map(|point| point.nll))
            .collect();
        Some((step as f64, Spread::of(&values?)))
    };
    first.curve.iter().filter_map(|point| at(point.step)).collect()
}

fn path(frame: &Frame, line: &[Mean], colour: &str) -> String {
    let points: Vec<String> = line
        .iter()
        .map(|(step, spread)| format!("{:.1},{:.1}", frame.x(*step), frame.y(spread.mean)))
        .collect();
    format!(
        "<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\"/>\n",
        points.join(" ")
    )
}

fn band(frame: &Frame, line: &[Mean], colour: &str) -> String {
    let edge = |(step, spread): &Mean, side: f64| {
        let nll = (spread.mean + side * spread.deviation).clamp(frame.nll.0, frame.nll.1);
        format!("{:.1},{:.1}", frame.x(*step), frame.y(nll))
    };
    let upper = line.iter().map(|mean| edge(mean, 1.0));
    let lower = line.iter().rev().map(|mean| edge(mean, -1.0));
    let points: Vec<String> = upper.chain(lower).collect();
    format!("<polygon points=\"{}\" fill=\"{colour}\" fill-opacity=\"0.15\"/>\n", points.join(" "))
}

/// Five marks along each side.
fn axes(frame: &Frame) -> String {
    let (right, floor) = (WIDTH - RIGHT, HEIGHT - BOTTOM);
    let mut svg = format!(
        "<path d=\"M{LEFT} {TOP}V{floor}H{right}\" fill=\"none\" stroke=\"black\"/>\n\
         <text x=\"{}\" y=\"{}\" text-anchor=\"middle\">steps</text>\n\
         <text x=\"16\" y=\"{}\" transform=\"rotate(-90 16 {})\" text-anchor=\"middle\">held-out NLL, nats per \
         token</text>\n",
        (LEFT + right) / 2.0,
        HEIGHT - 10.0,
        (TOP + floor) / 2.0,
        (TOP + floor) / 2.0
    );
    for mark in 0..5 {
        let share = f64::from(mark) / 4.0;
        let step = frame.steps.0 + share * (frame.steps.1 - frame.steps.0);
        let nll = frame.nll.0 + share * (frame.nll.1 - frame.nll.0);
        svg += &format!(
            "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{step:.0}</text>\n\
             <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{nll:.2}</text>\n",
            frame.x(step),
            floor + 16.0,
            LEFT - 6.0,
            frame.y(nll) + 4.0
        );
    }
    svg
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reproduce::{Point, STUDIES};

    #[test]
    fn a_figure_has_a_line_and_a_band_for_each_variant_with_runs() {
        let curve = |by: f64| {
            (0..3).map(|at| Point { step: at * 50, seconds: 1.0, nll: 5.0 - by * at as f64 }).collect()
        };
        let row = |variant: &str, seed, by| Row {
            variant: variant.into(),
            seed,
            nll: 3.0,
            accuracy: 0.0,
            seconds: 1.0,
            commit: String::new(),
            curve: curve(by),
        };
        let svg =
            figure(&STUDIES[0], &[row("dense", 1, 0.5), row("dense", 2, 0.6), row("8 experts", 1, 1.0)]);
        assert_eq!((svg.matches("<polyline").count(), svg.matches("<polygon").count()), (2, 2));
        assert!(svg.contains(">8 experts</text>") && !svg.contains(">4 experts</text>"));
        assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
        assert!(figure(&STUDIES[0], &[]).ends_with("</svg>\n"));
    }
}
