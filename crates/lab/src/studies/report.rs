//! What a study found, in Markdown: the table, the time to quality, parts and tasks, what of the claims holds, each
//! run.

use super::claim::{Outcome, outcomes, speed_ups};
use super::judge::{base, over_seeds};
use super::{Judged, Measure, RunResult, Spread, Study, judge};
use meshwright_base::arrange::Arrange;

/// The report of the rows that are there.
pub fn report(study: &Study, rows: &[RunResult]) -> String {
    let judged = judge(study, rows);
    let mut text = format!(
        "# {}\n\n{}. Below: what came of it here, at the size of preset `{}`.\n\n![{} over steps](figure.svg)\n\n",
        study.name,
        study.about,
        study.preset,
        study.measure.name()
    );
    text += &means(study, &judged);
    if rows.iter().any(|row| row.by_turns) {
        text +=
            "\nSeconds are steps times what a step takes, and that was measured by turns after all runs.\n";
    }
    text += &to_quality(study, &judged);
    text += &by_part(study, rows);
    text += &by_task(study, rows);
    text += &format!("\n## What may be said\n\n{}", claims(&outcomes(study, rows)));
    text += &each_run(rows);
    let mut commits: Vec<&str> = rows.iter().map(|row| row.commit.as_str()).collect();
    commits.arrange();
    commits.dedup();
    let (all, done) = (study.rows().len(), rows.len());
    let mut machines: Vec<&str> = rows.iter().filter_map(|row| row.machine.as_deref()).collect();
    machines.arrange();
    machines.dedup();
    let timed =
        if machines.is_empty() { String::new() } else { format!(", timed on {}", machines.join(", ")) };
    let commits = commits.join(", ");
    text += &format!("\nPreset `{}`, {done} of {all} runs, commit {commits}{timed}.\n", study.preset);
    text
}

/// A row for each variant, with the paper's numbers.
fn means(study: &Study, judged: &[Judged]) -> String {
    let what = match study.measure {
        Measure::Answers => "Score: the mean over tasks of the best of all evaluations",
        Measure::HeldOut | Measure::Translations => {
            "Quality: negative NLL in nats per token of held-out text (negative log perplexity), after the same number of steps"
        }
    };
    let has_paper = judged.iter().any(|one| !one.paper.is_empty());
    let paper = if has_paper { format!(" The paper's: {}.", study.paper) } else { String::new() };
    let mut text = format!("Means over seeds. {what}.{paper}\n\n");
    text += "| | runs | quality | sd | seconds | tokens/s | dropped | dropped in training | parameters | paper |\n|---|---|---|---|---|---|---|---|---|---|\n";
    for one in judged {
        let runs = match one.diverged {
            0 => one.runs.to_string(),
            many => format!("{}, {many} diverged", one.runs),
        };
        let quality = match one.quality.runs {
            0 => " | ".to_string(),
            _ => format!("{:.4} | {:.4}", one.quality.mean, one.quality.deviation),
        };
        let percent = |spread: &Spread| match spread.runs {
            0 => String::new(),
            _ => format!("{:.2} %", spread.mean * 100.0),
        };
        let (dropped, training) = (percent(&one.dropped), percent(&one.dropped_in_training));
        text += &format!(
            "| {} | {runs} | {quality} | {:.0} | {:.0} | {dropped} | {training} | {} | {} |\n",
            one.name, one.seconds.mean, one.rate.mean, one.parameters, one.paper
        );
    }
    text
}

/// How soon the final quality of what is compared with is reached: the paper's measure of what experts bring.
fn to_quality(study: &Study, judged: &[Judged]) -> String {
    let base = base(study).and_then(|name| judged.iter().find(|one| one.name == name));
    let Some(base) = base.filter(|base| base.nll.runs > 0) else { return String::new() };
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
            0 => format!("| {} | 0 of {} | | | | |\n", one.name, one.runs),
            _ => format!(
                "| {} | {runs} of {} | {steps:.0} | {:.2} | {seconds:.1} | {:.2} |\n",
                one.name,
                one.runs,
                base.steps.mean / steps.max(1e-9),
                base.seconds.mean / seconds.max(1e-9)
            ),
        };
    }
    text
}

/// Parts of the corpus, where the study is about them.
fn by_part(study: &Study, rows: &[RunResult]) -> String {
    let parts = speed_ups(study, rows);
    if parts.is_empty() {
        return String::new();
    }
    let head = "\n## By part of the corpus\n\n| | NLL gained | times sooner in steps |\n|---|---|---|\n";
    let row = |(name, gain, up): &(String, f64, f64)| format!("| {name} | {gain:.4} | {up:.2} |\n");
    head.to_string() + &parts.iter().map(row).collect::<String>()
}

/// The peaks of every task, where there are any.
fn by_task(study: &Study, rows: &[RunResult]) -> String {
    let asked = |row: &&RunResult| row.parts.iter().any(|part| part.peak.is_some());
    let Some(first) = rows.iter().find(asked) else { return String::new() };
    let tasks: Vec<&str> = first.parts.iter().map(|part| part.name.as_str()).collect();
    let variants = study.variants.iter().map(|variant| variant.name);
    let variants: Vec<&str> =
        variants.filter(|name| rows.iter().filter(asked).any(|row| row.variant == *name)).collect();
    let mut text =
        format!("\n## By task\n\nPeaks over evaluations, in percent.\n\n| | {} |\n", tasks.join(" | "));
    text += &format!("|---|{}\n", "---|".repeat(tasks.len()));
    for name in variants {
        let cell = |task: &&str| {
            let peak = |row: &RunResult| row.parts.iter().find(|part| part.name == **task)?.peak;
            let spread = over_seeds(rows, name, peak);
            format!("{:.1}", spread.mean * 100.0)
        };
        text += &format!("| {name} | {} |\n", tasks.iter().map(cell).collect::<Vec<_>>().join(" | "));
    }
    text
}

/// What the paper claims, and whether it holds.
pub(super) fn claims(outcomes: &[Outcome]) -> String {
    let head = "| claim | paper | here | |\n|---|---|---|---|\n";
    let row = |one: &Outcome| {
        format!("| {} | {} | {} | {} |\n", one.claim, one.paper, one.here, one.verdict.word())
    };
    head.to_string() + &outcomes.iter().map(row).collect::<String>()
}

/// Every run by itself, for whoever doubts a mean.
fn each_run(rows: &[RunResult]) -> String {
    let mut text =
        "\n## Runs\n\n| | seed | steps | held-out NLL | accuracy | seconds | commit |\n|---|---|---|---|---|---|---|\n"
            .to_string();
    for row in rows {
        let nll = match row.diverged {
            Some(step) => format!("diverged in step {step}"),
            None => format!("{:.4}", row.nll),
        };
        text += &format!(
            "| {} | {} | {} | {nll} | {:.1}% | {:.0} | {} |\n",
            row.variant,
            row.seed,
            row.curve.last().map_or(0, |point| point.step),
            row.accuracy * 100.0,
            row.seconds,
            row.commit
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::studies::{PartResult, Point, study};

    #[test]
    fn a_report_claims_what_is_clear_and_says_what_is_not() {
        let row = |variant: &str, seed: u64, nll: f64| RunResult {
            variant: variant.into(),
            seed,
            nll,
            accuracy: 0.4,
            seconds: 60.0,
            tokens: 6,
            commit: "abc".into(),
            curve: vec![
                Point { nll: 6.0, ..Point::default() },
                Point { step: 100, seconds: 60.0, nll, score: None },
            ],
            ..RunResult::default()
        };
        let mut rows: Vec<RunResult> = [("dense", 3.0), ("2 experts", 3.01), ("8 experts", 2.0)]
            .into_iter()
            .flat_map(|(name, nll)| (1..=3).map(move |seed| row(name, seed, nll + 0.02 * seed as f64)))
            .collect();
        let text = report(study("switch-figure-12").unwrap(), &rows);
        for words in [
            "| dense | 3 | -3.0400 | 0.0200 | 60 | 10 |  |  | 0 |  |",
            "| 2 experts ends better than dense (held-out NLL) | 2 experts improve on T5-Base | -0.0100, from -0.0100 to -0.0100, 3 pairs | not held |",
            "| 8 experts ends better than dense (held-out NLL) | 8 experts do, by more | +1.0000, from +1.0000 to +1.0000, 3 pairs; 5 needed | not resolved |",
            "| 4 experts ends better than dense (held-out NLL) | 4 experts do | no runs | not resolved |",
            "9 of 30 runs, commit abc",
            "![held-out NLL over steps](figure.svg)",
            // 6.0 to 2.04 in a hundred steps and sixty seconds: 3.04 is reached after three quarters.
            "| 8 experts | 3 of 3 | 75 | 1.33 | 44.8 | 1.34 |",
            "| 8 experts | 3 | 100 | 2.0600 | 40.0% | 60 | abc |",
        ] {
            assert!(text.contains(words), "{words}\n{text}");
        }
        rows[4].diverged = Some(40);
        let text = report(study("switch-figure-12").unwrap(), &rows);
        assert!(text.contains("| 2 experts | 3, 1 diverged | "), "{text}");
        assert!(text.contains("| 2 experts | 2 | 100 | diverged in step 40 |"), "{text}");
    }

    #[test]
    fn a_report_of_tasks_has_their_peaks() {
        let part = |name: &str, peak| PartResult { name: name.into(), curve: Vec::new(), peak: Some(peak) };
        let row = RunResult {
            variant: "dense".into(),
            seed: 1,
            score: Some(0.5),
            parts: vec![part("pick", 0.75), part("summary", 0.25)],
            ..RunResult::default()
        };
        let text = report(study("switch-table-5").unwrap(), &[row]);
        assert!(text.contains("| | pick | summary |\n|---|---|---|\n| dense | 75.0 | 25.0 |"), "{text}");
    }
}
