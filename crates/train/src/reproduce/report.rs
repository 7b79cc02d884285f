//! What a study found, in Markdown: the table, the time to quality, and what may be claimed.

use super::{Judged, RunResult, Spread, Study, judge};
use meshwright_base::arrange::Arrange;

/// The report of the rows that are there.
pub fn report(study: &Study, rows: &[RunResult]) -> String {
    let judged = judge(study, rows);
    let mut text = format!(
        "# {}\n\n{}. Below: what came of it here, at the size of preset `{}`.\n\n![held-out NLL over steps](figure.svg)\n\n",
        study.name, study.about, study.preset
    );
    text += "Means over seeds; NLL in nats per token of held-out text, after the same number of steps.\n\n\
             | | runs | held-out NLL | sd | seconds |\n|---|---|---|---|---|\n";
    for one in &judged {
        let (nll, seconds) = (one.nll, one.seconds.mean);
        text += &format!(
            "| {} | {} | {:.4} | {:.4} | {seconds:.0} |\n",
            one.name, nll.runs, nll.mean, nll.deviation
        );
    }
    text += &to_quality(study, &judged);
    text += &format!("\n## What may be said\n\n{}", claims(&judged));
    text += &each_run(rows);
    let mut commits: Vec<&str> = rows.iter().map(|row| row.commit.as_str()).collect();
    commits.arrange();
    commits.dedup();
    let all = study.rows().len();
    text += &format!(
        "\nPreset `{}`, {} of {all} runs, commit {}.\n",
        study.preset,
        rows.len(),
        commits.join(", ")
    );
    text
}

/// How soon the final quality of what is compared with is reached: the paper's measure of what experts bring.
fn to_quality(study: &Study, judged: &[Judged]) -> String {
    let Some(base) = judged.iter().find(|one| one.at.is_none()) else { return String::new() };
    let mut text = format!(
        "\n## Time to the quality of {} (NLL {:.4})\n\nRead between evaluations; seconds of training, evaluations not \
         counted. The speed-ups are against all steps and seconds of {}.\n\n\
         | {} | runs that reach it | steps | speed-up in steps | seconds | speed-up in seconds |\n\
         |---|---|---|---|---|---|\n",
        base.name, base.nll.mean, base.name, study.axis
    );
    for one in judged {
        let Spread { runs, mean: seconds, .. } = one.seconds_to_quality;
        let steps = one.steps_to_quality.mean;
        text += &match runs {
            0 => format!("| {} | 0 of {} | | | | |\n", one.name, one.nll.runs),
            _ => format!(
                "| {} | {runs} of {} | {steps:.0} | {:.2} | {seconds:.1} | {:.2} |\n",
                one.name,
                one.nll.runs,
                base.steps.mean / steps.max(1e-9),
                base.seconds.mean / seconds.max(1e-9)
            ),
        };
    }
    text
}

/// Every run by itself, for whoever doubts a mean.
fn each_run(rows: &[RunResult]) -> String {
    let mut text =
        "\n## Runs\n\n| | seed | held-out NLL | accuracy | seconds | commit |\n|---|---|---|---|---|---|\n"
            .to_string();
    for row in rows {
        text += &format!(
            "| {} | {} | {:.4} | {:.1}% | {:.0} | {} |\n",
            row.variant,
            row.seed,
            row.nll,
            row.accuracy * 100.0,
            row.seconds,
            row.commit
        );
    }
    text
}

/// Every pair of neighbours, and the first against the last.
fn claims(judged: &[Judged]) -> String {
    let mut pairs: Vec<(&Judged, &Judged)> = judged.windows(2).map(|pair| (&pair[0], &pair[1])).collect();
    if let (Some(first), Some(last), true) = (judged.first(), judged.last(), judged.len() > 2) {
        pairs.push((first, last));
    }
    pairs.into_iter().map(|(a, b)| format!("- {}\n", claim(a, b))).collect()
}

fn claim(a: &Judged, b: &Judged) -> String {
    let difference = (a.nll.mean - b.nll.mean).abs();
    let error = a.nll.error().hypot(b.nll.error());
    let (low, high, is_clear) = match (b.nll.is_below(&a.nll), a.nll.is_below(&b.nll)) {
        (true, _) => (b, a, true),
        (_, true) => (a, b, true),
        _ => (a, b, false),
    };
    match is_clear {
        true => {
            format!("{} is better than {}: {difference:.4}, standard error {error:.4}", low.name, high.name)
        }
        false if a.nll.runs.min(b.nll.runs) < 2 => {
            format!("{} and {} have too few runs to be told apart: {difference:.4}", low.name, high.name)
        }
        false => format!(
            "{} and {} cannot be told apart: {difference:.4}, standard error {error:.4}",
            low.name, high.name
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reproduce::{Point, study};

    #[test]
    fn a_report_claims_what_is_clear_and_says_what_is_not() {
        let row = |variant: &str, seed: u64, nll: f64| RunResult {
            variant: variant.into(),
            seed,
            nll,
            accuracy: 0.4,
            seconds: 60.0,
            cpu_seconds: 1.0,
            parameters: 1,
            tokens: 1,
            commit: "abc".into(),
            curve: vec![Point { step: 0, seconds: 0.0, nll: 6.0 }, Point { step: 100, seconds: 60.0, nll }],
        };
        let rows: Vec<RunResult> = [("dense", 3.0), ("1 expert", 3.01), ("8 experts", 2.0)]
            .into_iter()
            .flat_map(|(name, nll)| (1..=3).map(move |seed| row(name, seed, nll + 0.02 * seed as f64)))
            .collect();
        let text = report(study("switch-figure-12").unwrap(), &rows);
        assert!(text.contains("| dense | 3 | 3.0400 | 0.0200 | 60 |"), "{text}");
        assert!(text.contains("dense and 1 expert cannot be told apart"), "{text}");
        assert!(text.contains("8 experts is better than dense"), "{text}");
        assert!(text.contains("9 of 18 runs, commit abc"), "{text}");
        assert!(text.contains("![held-out NLL over steps](figure.svg)"), "{text}");
        // 6.0 to 2.04 in a hundred steps and sixty seconds: 3.04 is reached after three quarters.
        assert!(text.contains("| 8 experts | 3 of 3 | 75 | 1.33 | 44.8 | 1.34 |"), "{text}");
        assert!(text.contains("| 8 experts | 3 | 2.0600 | 40.0% | 60 | abc |"), "{text}");
    }
}
