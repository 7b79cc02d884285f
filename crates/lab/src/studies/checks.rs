//! Checks that a study's claims can be judged: sizes that are the paper's numbers, controls, seeds.

use super::verdict::LEAST_PAIRS;
use super::{Claim, Measure, Size, Stated, Study};

/// Everything that is wrong with the claims of a study; `ledger` says whether a document prints a number there.
pub fn errors(study: &Study, ledger: impl Fn(&str) -> bool) -> Vec<String> {
    let mut all = Vec::new();
    for stated in study.claims {
        all.extend(size_error(study.measure, stated).map(|error| format!("{}: {error}", study.name)));
        all.extend(control_error(study, stated.claim).map(|error| format!("{}: {error}", study.name)));
        for name in stated.claim.variants() {
            let seeds = study.variant(name).map_or(0, |variant| variant.seeds);
            if seeds < LEAST_PAIRS as u64 {
                all.push(format!(
                    "{}: {name} has {seeds} seeds, and {LEAST_PAIRS} claim an order",
                    study.name
                ));
            }
        }
    }
    let texts = study.claims.iter().map(|stated| stated.paper);
    for text in texts.chain(study.variants.iter().map(|variant| variant.paper)) {
        for number in decimals(text).filter(|number| !ledger(number)) {
            all.push(format!("{}: no document prints {number} there: `{text}`", study.name));
        }
    }
    all
}

/// Numbers with a decimal point in a text, with their signs.
fn decimals(text: &str) -> impl Iterator<Item = &str> {
    let is_part = |character: char| character.is_ascii_digit() || character == '.' || character == '-';
    let words = text.split(move |character| !is_part(character));
    words
        .map(|word| word.trim_end_matches('.'))
        .filter(|word| word.contains('.') && word.parse::<f64>().is_ok())
}

/// Two numbers of a text that stand against each other.
fn pair(text: &str) -> Option<(f64, f64)> {
    let (first, second) = text.split_once(" against ")?;
    let last = first.rsplit(' ').next()?;
    let next = second.split([' ', ',', ':']).next()?;
    Some((last.parse().ok()?, next.parse().ok()?))
}

/// A size that is not that of the text beside it.
fn size_error(measure: Measure, stated: &Stated) -> Option<String> {
    let unit = if measure == Measure::Answers { 100.0 } else { 1.0 };
    let wrong = |size: f64, wanted: f64| {
        let is_off = (size - wanted).abs() > 1e-6;
        is_off.then(|| format!("the size {size} is not the {wanted} of `{}`", stated.paper))
    };
    let single = || {
        let words = stated.paper.split([' ', '(', ')']);
        words
            .filter_map(|word| if word == "seventh" { Some(7.0) } else { word.parse::<f64>().ok() })
            .collect::<Vec<_>>()
    };
    match (stated.size?, pair(stated.paper)) {
        (Size::By(by), Some((a, b))) => wrong(by, (a - b).abs() / unit),
        (Size::Times(times), Some((a, b))) => wrong(times, a / b),
        (Size::By(by), None) => {
            let percent = stated.paper.strip_suffix(" %").and_then(|text| text.parse::<f64>().ok());
            percent.map_or_else(
                || Some(format!("no size of {by} in `{}`", stated.paper)),
                |percent| wrong(by, percent / 100.0),
            )
        }
        (Size::Times(times), None) => {
            let is_there = single().iter().any(|number| (number - times).abs() < 1e-6);
            (!is_there).then(|| format!("no {times} times in `{}`", stated.paper))
        }
    }
}

/// A student that is compared with a control of other first weights. Without a control it is not judged, which its
/// verdict says.
fn control_error(study: &Study, claim: Claim) -> Option<String> {
    let Claim::KeepsGain { student, control, .. } = claim else { return None };
    let from = |name: &str| study.variant(name).and_then(|variant| variant.from);
    let control = control?;
    let is_taught = study.variant(control).is_some_and(|variant| variant.teacher.is_some());
    let is_same = from(control) == from(student) && !is_taught;
    (!is_same).then(|| {
        format!("`{control}` is not a control of `{student}`: it begins with other weights, or is taught")
    })
}
