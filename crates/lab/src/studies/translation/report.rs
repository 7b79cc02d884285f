//! What the study found, in Markdown and as JSON.

use super::judge::{Judged, Table};
use super::{CORPUS_COMMAND, M4, OfLanguage, Translated};
use crate::studies::verdict::{Expected, LEAST_PAIRS, Relation, interval, verdict};
use meshwright_base::arrange::Arrange;
use meshwright_train::score::{Bleu, Chrf};
use serde_json::{Value, json};

/// The report of the runs that are there.
pub fn report(table: &Table, rows: &[Translated]) -> String {
    let mut text = format!(
        "# {}\n\n{}. Below: what came of it here, at the size of preset `{}`, on the sentences of\n\n```sh\n{CORPUS_COMMAND}\n```\n\n\
         ![delta BLEU by language](figure.svg)\n\n![BLEU over cost](cost.svg)\n\n",
        M4.name, M4.about, M4.preset
    );
    text += &languages(table);
    text += &costs(table);
    text += &tokens(table);
    text += &thirds(table);
    text += &format!("\n## What may be said\n\n{}", claims(table));
    text += &each_run(table, rows);
    text + &format!("\nBLEU: `{}`; chrF2: `{}`; greedy translations.\n", Bleu::SIGNATURE, Chrf::SIGNATURE)
}

/// The mean of BLEU over all languages.
pub fn average(table: &Table, one: &Judged) -> f64 {
    let names = table.names();
    one.number(|run| run.mean(&names, |one| one.bleu))
}

/// Hours that cores worked on one run; no number if nobody knows.
pub fn cpu_hours(one: &Judged) -> f64 {
    let known = |run: &Translated| if run.run.cpu_seconds > 0.0 { run.run.cpu_seconds } else { f64::NAN };
    one.number(known) / 3600.0
}

/// The mean of the models of one language each.
fn baseline(table: &Table) -> f64 {
    let all: Vec<f64> = table.names().into_iter().map(|name| table.baseline(name)).collect();
    all.iter().sum::<f64>() / all.len().max(1) as f64
}

fn languages(table: &Table) -> String {
    let (names, pairs): (Vec<&str>, Vec<String>) =
        table.languages.iter().map(|(name, pairs)| (name.as_str(), pairs.to_string())).unzip();
    let row = |name: &str, of: &dyn Fn(&str) -> f64, mean: f64, above: f64| {
        let each: Vec<String> = names.iter().map(|name| shown(of(name), 1)).collect();
        format!("| {name} | {} | {} | {} |\n", each.join(" | "), shown(mean, 2), shown(above, 2))
    };
    let alone = baseline(table);
    let mut text = format!(
        "## BLEU by language (figure 6, the table beside it)\n\nDelta is against models of one language each. Pairs for \
         training below the names.\n\n| | {} | mean | delta |\n|---{}|---|---|\n| pairs | {} | | |\n",
        names.join(" | "),
        "|---".repeat(names.len()),
        pairs.join(" | ")
    );
    for one in &table.models {
        let mean = average(table, one);
        text += &row(one.variant.name, &|name| one.bleu(name), mean, mean - alone);
    }
    text + &row("one language each", &|name| table.baseline(name), alone, 0.0)
}

/// Table 3.
fn costs(table: &Table) -> String {
    let mut text = "\n## Cost (table 3, figure 1)\n\nSteps per second and wall time are of training alone, on a machine that others \
                    used too; core-hours are what processors worked, evaluations and compiling included.\n\n\
                    | | experts | layers | parameters | steps/s | tokens per batch | core-hours | minutes | BLEU | chrF2 | held-out NLL |\n\
                    |---|---|---|---|---|---|---|---|---|---|---|\n"
        .to_string();
    let names = table.names();
    for one in table.models.iter().chain(&table.baselines) {
        let number = |of: &dyn Fn(&Translated) -> f64| one.number(of);
        let tested = |of: fn(&OfLanguage) -> f64| match super::language_of(one.variant.name) {
            Some(own) => number(&|run| run.mean(&[own], of)),
            None => number(&|run| run.mean(&names, of)),
        };
        text += &format!(
            "| {} | {} | {} | {:.2}M | {} | {:.0} | {} | {:.1} | {} | {} | {:.3} |\n",
            one.variant.name,
            one.variant.at.map_or("dense".to_string(), |at| at.to_string()),
            one.layers(),
            number(&|run| run.run.parameters as f64) / 1e6,
            shown(number(&steps_per_second), 2),
            number(&|run| run.run.tokens as f64),
            shown(cpu_hours(one), 3),
            number(&|run| run.run.seconds) / 60.0,
            shown(tested(|one| one.bleu), 2),
            shown(tested(|one| one.chrf), 2),
            number(&|run| run.run.nll)
        );
    }
    text
}

fn steps_per_second(run: &Translated) -> f64 {
    run.run.curve.last().map_or(f64::NAN, |last| last.step as f64 / last.seconds.max(1e-9))
}

/// Levels of NLL that some models reach: three from the worst end to the best.
fn levels(table: &Table) -> Vec<f64> {
    let ends: Vec<f64> = table.models.iter().map(|one| one.number(|run| run.run.nll)).collect();
    let (low, high) =
        ends.iter().fold((f64::MAX, f64::MIN), |(low, high), end| (low.min(*end), high.max(*end)));
    let up = |level: f64| (level * 20.0).ceil() / 20.0;
    let mut levels = vec![up(high), up((low + high) / 2.0), up(low)];
    levels.dedup();
    levels.retain(|level| level.is_finite() && !ends.is_empty());
    levels
}

/// Table 2.
fn tokens(table: &Table) -> String {
    let levels = levels(table);
    let heads: Vec<String> = levels.iter().map(|level| format!("{level:.2}")).collect();
    let mut text = format!(
        "\n## Tokens to a cross-entropy (table 2)\n\nMillions of places for tokens of both sides until held-out cross-entropy, \
         without the balancing loss and label smoothing, is at a level; read between evaluations. A dash: not reached.\n\n\
         | | {} |\n|---{}|\n",
        heads.join(" | "),
        "|---".repeat(levels.len())
    );
    for one in &table.models {
        let tokens = one.number(|run| run.run.tokens as f64);
        let to = |level: &f64| {
            one.steps_to(*level).map_or("-".to_string(), |steps| format!("{:.2}", steps * tokens / 1e6))
        };
        text += &format!(
            "| {} | {} |\n",
            one.variant.name,
            levels.iter().map(to).collect::<Vec<_>>().join(" | ")
        );
    }
    text
}

fn thirds(table: &Table) -> String {
    let thirds = table.thirds();
    let heads: Vec<String> = thirds.iter().map(|names| names.join(", ")).collect();
    let mut text = format!(
        "\n## Gains by resource\n\nMean BLEU above models of one language each, of the third of the languages with the most \
         pairs, the middle one, and that with the fewest.\n\n| | {} |\n|---|---|---|---|\n",
        heads.join(" | ")
    );
    for one in &table.models {
        let gain = |names: &Vec<&str>| {
            let all: Vec<f64> = names.iter().map(|name| one.bleu(name) - table.baseline(name)).collect();
            shown(all.iter().sum::<f64>() / all.len().max(1) as f64, 2)
        };
        text += &format!(
            "| {} | {} |\n",
            one.variant.name,
            thirds.iter().map(gain).collect::<Vec<_>>().join(" | ")
        );
    }
    text
}

/// A question of the paper, its answer there, and two variants with a number that answer it here.
struct Question<'a> {
    asked: String,
    a: Option<&'a Judged>,
    b: Option<&'a Judged>,
    of: Of,
}

/// What is compared.
#[derive(Clone, Copy)]
enum Of {
    All,
    /// How much more languages with many pairs have than those with few.
    HighOverLow,
    Low,
}

impl Of {
    fn number(self, table: &Table, run: &Translated) -> f64 {
        let [high, _, low] = table.thirds();
        let mean = |names: &[&str]| run.mean(names, |one| one.bleu);
        match self {
            Of::All => mean(&table.names()),
            Of::HighOverLow => mean(&high) - mean(&low),
            Of::Low => mean(&low),
        }
    }
}

fn questions(table: &Table) -> Vec<Question<'_>> {
    let model = |experts, layers| table.model(experts, layers);
    let mut all = Vec::new();
    let mut ask = |asked: String, a, b, of| all.push(Question { asked, a, b, of });
    for layers in [4, 12] {
        for (few, many) in [(1, 4), (4, 16), (1, 16)] {
            let asked = format!("{many} experts for {few}, {layers} layers");
            ask(asked, model(few, layers), model(many, layers), Of::All);
        }
    }
    for experts in [1, 4, 16] {
        ask(format!("12 layers for 4, {experts} experts"), model(experts, 4), model(experts, 12), Of::All);
    }
    for layers in [4, 12] {
        let asked = format!("16 experts for 1, {layers} layers, many pairs above few");
        ask(asked, model(1, layers), model(16, layers), Of::HighOverLow);
    }
    let dense = table.models.iter().find(|one| one.variant.at.is_none());
    ask("deep and dense for 4 experts of 4 layers, few pairs".into(), model(4, 4), dense, Of::Low);
    all
}

fn claims(table: &Table) -> String {
    let mut text = format!(
        "Runs of one seed are compared in pairs; an order is claimed of {LEAST_PAIRS} pairs or more, and of fewer it is not \
         resolved.\n\n"
    );
    for Question { asked, a, b, of } in questions(table) {
        let (Some(a), Some(b)) = (a, b) else { continue };
        let found = table.differences(a, b, |run| of.number(table, run));
        if !found.is_empty() {
            text += &format!("- {asked}: {} BLEU", judged(&found, BLEU, 2));
            text += &match of {
                Of::All => {
                    let nats = table.differences(a, b, |run| -run.run.nll);
                    format!("; {} nats held out\n", judged(&nats, NATS, 3))
                }
                Of::HighOverLow | Of::Low => "\n".to_string(),
            };
        }
    }
    text
}

/// Differences below these are none.
const BLEU: f64 = 0.5;
const NATS: f64 = 0.02;

/// A gain over pairs, with its interval and its verdict.
fn judged(samples: &[f64], margin: f64, digits: usize) -> String {
    let expected = Expected { relation: Relation::More, size: None, margin };
    let found = interval(samples);
    let bounds = match samples.len() {
        1 => "one pair".to_string(),
        many => format!("from {:+.digits$} to {:+.digits$}, {many} pairs", found.low, found.high),
    };
    format!("{:+.digits$} ({bounds}: {})", found.mean, verdict(samples, &expected).word())
}

fn each_run(table: &Table, rows: &[Translated]) -> String {
    let names = table.names();
    let mut text =
        "\n## Runs\n\n| | seed | mean BLEU | mean chrF2 | held-out NLL | accuracy | seconds | commit |\n|---|---|---|---|---|---|---|---|\n"
            .to_string();
    for row in rows {
        let own = super::language_of(&row.run.variant).map(|own| vec![own]);
        let of = own.as_deref().unwrap_or(&names);
        text += &format!(
            "| {} | {} | {} | {} | {:.4} | {:.1}% | {:.0} | {} |\n",
            row.run.variant,
            row.run.seed,
            shown(row.mean(of, |one| one.bleu), 2),
            shown(row.mean(of, |one| one.chrf), 2),
            row.run.nll,
            row.run.accuracy * 100.0,
            row.run.seconds,
            row.run.commit
        );
    }
    let mut commits: Vec<&str> = rows.iter().map(|row| row.run.commit.as_str()).collect();
    commits.arrange();
    commits.dedup();
    let lines: u64 =
        rows.first().map_or(0, |row| row.languages.iter().map(|one| one.lines).max().unwrap_or(0));
    text + &format!(
        "\n{} of {} runs, commit {}; {lines} test sentences in a language.\n",
        rows.len(),
        M4.rows().len(),
        commits.join(", ")
    )
}

fn shown(number: f64, digits: usize) -> String {
    if number.is_finite() { format!("{number:.digits$}") } else { "-".into() }
}

/// All numbers: each run with its languages, and its curve.
pub fn json(rows: &[Translated]) -> Value {
    let one = |row: &Translated| {
        let mut value = row.run.to_json();
        value["languages"] = row.languages.iter().map(OfLanguage::to_json).collect();
        value
    };
    json!({ "study": M4.name, "corpus": CORPUS_COMMAND, "runs": rows.iter().map(one).collect::<Vec<_>>() })
}

#[cfg(test)]
mod tests {
    use super::super::judge::tests::row;
    use super::super::{LANGUAGES, judge};
    use super::*;

    fn rows() -> Vec<Translated> {
        let alone = LANGUAGES.iter().map(|name| row(&format!("{name} alone"), 1, -2.0));
        let seeds = (1..=3).map(|seed| row("1e-4l", seed, 0.1 * seed as f64));
        seeds
            .chain(alone)
            .chain([row("16e-4l", 1, 5.0), row("4e-12l", 1, 0.2), row("4e-4l", 1, 0.2)])
            .collect()
    }

    #[test]
    fn a_report_has_the_papers_tables_and_claims_what_is_beyond_the_noise() {
        let rows = rows();
        let text = report(&judge(&M4, &rows), &rows);
        for expected in [
            "| | de | fr | pl | es | ja | it | nl | sv | mean | delta |",
            "| 16e-4l | 25.0 | 24.0 | 23.0 | 22.0 | 21.0 | 20.0 | 19.0 | 18.0 | 21.50 | 7.00 |",
            "| one language each | 18.0 | 17.0 |",
            "| 16e-4l | 16 | 4 | 1.00M | 2.00 | 8192 | 0.050 | 1.7 | 21.50 | 40.00 | 2.500 |",
            "| de alone | dense | 4 | 1.00M |",
            "| 16e-4l | 7.00 | 7.00 | 7.00 |",
            "- 16 experts for 1, 4 layers: +4.90 (one pair: not resolved) BLEU",
            "- 12 layers for 4, 4 experts: +0.00 (one pair: not resolved) BLEU",
            "14 of 19 runs, commit abc; 100 test sentences in a language.",
        ] {
            assert!(text.contains(expected), "{expected}\n{text}");
        }
        assert!(!text.contains("NaN") && !text.contains("inf"), "{text}");
        assert!(text.contains("| 16e-4l | 1.23 | 1.43 | 1.64 |"), "{text}");
    }

    #[test]
    fn runs_that_were_not_tested_are_shown_without_scores() {
        let mut rows = vec![row("1e-4l", 1, 0.0)];
        rows[0].languages.clear();
        let text = report(&judge(&M4, &rows), &rows);
        assert!(text.contains("| 1e-4l | 1 | - | - | 3.0000 |"), "{text}");
        assert!(text.contains("| 8192 | 0.050 | 1.7 | - | - | 3.000 |"), "{text}");
        assert!(report(&judge(&M4, &[]), &[]).contains("0 of 19 runs"));
    }

    #[test]
    fn numbers_are_read_as_they_were_written() {
        let row = row("4e-4l", 1, 0.25);
        let value = json(std::slice::from_ref(&row));
        let languages = value["runs"][0]["languages"].as_array().unwrap();
        let read: Vec<OfLanguage> = languages.iter().map(|one| OfLanguage::of_json(one).unwrap()).collect();
        assert_eq!(read, row.languages);
        assert_eq!(crate::studies::RunResult::of_json(&value["runs"][0]), Some(row.run));
    }
}
