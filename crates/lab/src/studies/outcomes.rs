//! The page of all claims, with what came of them: made from results that are kept, one file a study.

use super::report::claims;
use super::{Held, RunResult, outcomes, studies};
use serde_json::Value;

/// Markdown. `kept` gives what a study's runs left, by the name under which they are kept.
pub fn page(kept: impl Fn(&str) -> Option<Value>) -> String {
    let (mut text, mut counts) = (String::new(), [0; 3]);
    for study in studies().filter(|study| !study.claims.is_empty()) {
        let rows: Vec<RunResult> = kept(study.runs)
            .and_then(|value| {
                value.as_array().map(|rows| rows.iter().filter_map(RunResult::of_json).collect())
            })
            .unwrap_or_default();
        let found = outcomes(study, &rows);
        for one in &found {
            let at = [Held::Yes, Held::No, Held::Open].iter().position(|held| *held == one.held);
            counts[at.unwrap_or(2)] += 1;
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
    let [yes, no, open] = counts;
    format!(
        "# What the Switch Transformer claims, and what holds here\n\n\
         Written by `meshwright reproduce --outcomes` from the runs that are kept; a test fails where this page is another one. \
         An order is said to hold only beyond two standard errors of the difference, at a size for two cores; what is not \
         held did not appear at this size, and what is open has too few runs.\n\n\
         {yes} claims held, {no} not held, {open} open.\n{text}"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_counts_what_holds() {
        let row = |variant: &str, seed: u64, nll: f64| {
            RunResult { variant: variant.into(), seed, nll, ..RunResult::default() }.to_json()
        };
        let rows: Vec<Value> =
            (1..=2).flat_map(|seed| [row("argmax", seed, 1.0), row("sample", seed, 2.0)]).collect();
        let text = page(|name| (name == "switch-table-11").then(|| Value::Array(rows.clone())));
        assert!(text.contains("\n1 claims held, 0 not held, "), "{text}");
        assert!(text.contains(
            "| -1.471 against -1.570 | -1.0000 and -2.0000: +1.0000, standard error 0.0000 | held |"
        ));
    }
}
