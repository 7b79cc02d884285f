//! The page of all claims, with what came of them: made from results that are kept, one file a study.

use super::report::claims;
use super::verdict::{LEAST_AGAINST, LEAST_PAIRS, Verdict};
use super::{Outcome, RunResult, outcomes, studies};
use serde_json::Value;

/// Markdown. `kept` gives what a study's runs left, by the name under which they are kept.
pub fn page(kept: impl Fn(&str) -> Option<Value>) -> String {
    let (mut text, mut counts) = (String::new(), [0; Verdict::ALL.len()]);
    for study in studies().filter(|study| !study.claims.is_empty()) {
        let rows = kept(study.runs).map(rows_of).unwrap_or_default();
        let found = outcomes(study, &rows);
        for one in &found {
            counts[one.verdict as usize] += 1;
        }
        text += &format!(
            "\n## {}\n\n{}. `meshwright reproduce {}`, {} runs kept{}.\n\n{}",
            study.name,
            study.about,
            study.name,
            rows.len(),
            if study.runs == study.name { String::new() } else { format!(", those of `{}`", study.runs) },
            claims(&found)
        );
    }
    let [held, direction, not_held, open] = counts;
    format!(
        "# Claims of the Switch Transformer, judged\n\n\
         Written by `meshwright reproduce --outcomes` from the runs in `docs/results/switch`; a test fails if this page is out of \
         date. Each study fits on two cores.\n\n\
         {held} claims held, {direction} direction only, {not_held} not held, {open} not resolved.\n\n\
         Runs of one seed are compared in pairs. Each number is the mean of all pairs with its two-sided 95 % confidence \
         interval. An effect counts from 0.02 nats or points, 5 % of time, or a tenth of a teacher's gain on: its margin. The \
         verdicts are:\n\n\
         - **held**: there are at least {LEAST_PAIRS} pairs and the whole interval is above zero. The mean is within twice or half \
         the paper's effect, if it prints one. A claim of \"within X\" is held if two one-sided tests at 95 % place the mean \
         within the margin.\n\
         - **direction only**: as held, but the effect is off by more than a factor of two.\n\
         - **not held**: there are at least {LEAST_AGAINST} pairs, and a one-sided test at 95 % places the effect below the \
         margin.\n\
         - **not resolved**: neither test decides, or there are too few pairs. Also: a timing was refused (wall time above 1.2 \
         times processor time), a control is missing, or no run was evaluated at its own capacity factor. Run the study again \
         to judge such a claim.\n\n\
         Scores of fine-tuning were kept when `passage`, one of nine tasks, was judged by F1. It is judged by exact match \
         since, as in the paper: an answer with a word too many had part of a score then, and has none now.\n\n\
         {text}"
    )
}

/// Every claim of all studies, judged by the runs that are kept.
pub fn judged(kept: impl Fn(&str) -> Option<Value>) -> Vec<(&'static str, Outcome)> {
    let of = |study: &'static super::Study| {
        let rows = kept(study.runs).map(rows_of).unwrap_or_default();
        outcomes(study, &rows).into_iter().map(|one| (study.name, one)).collect::<Vec<_>>()
    };
    studies().flat_map(of).collect()
}

fn rows_of(value: Value) -> Vec<RunResult> {
    value.as_array().map(|rows| rows.iter().filter_map(RunResult::of_json).collect()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_counts_what_holds() {
        let row = |variant: &str, seed: u64, nll: f64| {
            RunResult { variant: variant.into(), seed, nll, ..RunResult::default() }.to_json()
        };
        let rows: Vec<Value> = (1..=5)
            .flat_map(|seed| {
                [row("argmax", seed, 1.0), row("sample", seed, 1.1), row("input jitter", seed, 1.0)]
            })
            .collect();
        let text = page(|name| (name == "switch-table-11").then(|| Value::Array(rows.clone())));
        assert!(text.contains("\n3 claims held, 0 direction only, 0 not held, "), "{text}");
        assert!(
            text.contains("| -1.471 against -1.570 | +0.1000, from +0.1000 to +0.1000, 5 pairs | held |"),
            "{text}"
        );
    }
}
