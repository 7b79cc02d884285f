//! Figures that are made of an evaluation's sums, each beside what is had without looking.

use super::net::Net;
use std::collections::BTreeMap;

/// What an evaluation found of one thing.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Figure {
    /// `dice`, or `dice/hollow` of one class.
    pub name: String,
    pub value: f64,
    /// The same of whoever says one and the same of every place: the best of what can be said so.
    pub trivial: f64,
}

/// Of a model whose classes have these names, by sums over all batches.
pub fn figures(net: &Net, classes: &[String], sums: &BTreeMap<String, Vec<f64>>) -> Vec<Figure> {
    match net {
        Net::Text(_) => Vec::new(),
        Net::Segment(_) => overlaps(classes, sums),
        // Of images as wholes, the share that is told right; the best that one class always has beside it.
        Net::Classify(_) => overlaps(classes, sums).into_iter().filter(|one| one.name == "right").collect(),
        Net::Speech(_) => errors(sums),
    }
}

/// Dice of each class but the first, twice what is said and asked by both, over what is said and what is asked; and
/// their mean, which comes first. And the share of places that are right.
fn overlaps(classes: &[String], sums: &BTreeMap<String, Vec<f64>>) -> Vec<Figure> {
    let sum = |name: &str| sums.get(name).map_or(&[] as &[f64], Vec::as_slice);
    let (asked, said, both) = (sum("class_asked"), sum("class_said"), sum("class_both"));
    let all: f64 = asked.iter().sum();
    let share = |part: f64, whole: f64| if whole > 0.0 { part / whole } else { 0.0 };
    let of = |class: usize| {
        let (asked, said, both) = (asked[class], said[class], both[class]);
        Figure {
            name: format!("dice/{}", classes.get(class).map_or("", String::as_str)),
            value: share(2.0 * both, asked + said),
            trivial: share(2.0 * asked, asked + all),
        }
    };
    let count = asked.len().min(said.len()).min(both.len());
    let each: Vec<Figure> = (1..count).map(of).collect();
    let mean = |of: fn(&Figure) -> f64| share(each.iter().map(of).sum(), each.len() as f64);
    let first =
        Figure { name: "dice".into(), value: mean(|one| one.value), trivial: mean(|one| one.trivial) };
    let right = Figure {
        name: "right".into(),
        value: share(both.iter().sum(), all),
        trivial: share(asked.iter().copied().fold(0.0, f64::max), all),
    };
    [vec![first], each, vec![right]].concat()
}

/// The label error rate: labels to put in, to leave out or to replace, by all that are asked for. Who says nothing has
/// all of them to put in; who says the most frequent label once for each sequence is a little better.
fn errors(sums: &BTreeMap<String, Vec<f64>>) -> Vec<Figure> {
    let sum = |name: &str| sums.get(name).map_or(0.0, |all| all.iter().sum::<f64>());
    let share = |part: f64, whole: f64| if whole > 0.0 { part / whole } else { 0.0 };
    let of_labels = sums.get("label_asked").map_or(&[] as &[f64], Vec::as_slice);
    let asked: f64 = of_labels.iter().sum();
    // Of whoever says one and the same label always, the best: right once where a sequence has it.
    let most = sums.get("label_in").map_or(&[] as &[f64], Vec::as_slice).iter().copied().fold(0.0, f64::max);
    let empty = sum("sequences_empty");
    vec![Figure {
        name: "label error rate".into(),
        value: share(sum("errors"), asked),
        trivial: share((asked - most + empty).min(asked), asked),
    }]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn overlaps_are_quotients_of_sums_beside_what_one_class_everywhere_has() {
        let names = ["outside", "solid", "hollow"].map(String::from);
        let sums = [
            ("class_asked", [60.0, 30.0, 10.0]),
            ("class_said", [70.0, 20.0, 10.0]),
            ("class_both", [58.0, 18.0, 5.0]),
        ];
        let sums: BTreeMap<String, Vec<f64>> =
            sums.into_iter().map(|(name, values)| (name.to_string(), values.to_vec())).collect();
        let found = overlaps(&names, &sums);
        let named = |name: &str| found.iter().find(|one| one.name == name).unwrap();
        assert_eq!(named("dice/solid").value, 36.0 / 50.0);
        assert_eq!(named("dice/hollow").value, 10.0 / 20.0);
        assert_eq!(named("dice").value, (36.0 / 50.0 + 0.5) / 2.0);
        // Who says "solid" everywhere is right in 30 of 100 places.
        assert_eq!(named("dice/solid").trivial, 60.0 / 130.0);
        assert_eq!((named("right").value, named("right").trivial), (0.81, 0.6));
        assert_eq!(overlaps(&names, &BTreeMap::new())[0].value, 0.0);
    }
}
