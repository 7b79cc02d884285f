//! What a run came to, in Markdown, for whoever wants to know how it went without reading its files: numbers, curve,
//! samples, loads of experts, speed, how it lay on the devices, and what to try next.
//!
//! Pure text from what was seen; the file of the curve is written beside it under [`CURVE`].

use super::answers::peaks;
use super::evaluate::OfPart;
use super::examples::Picture;
use super::figures::Figure;
use super::layout::Laid;
use super::samples::{Sample, summary};
use super::step::Loads;
use super::trainer::{Ending, Outcome};
use crate::config::{Config, Task};
use crate::data::source::Vocabularies;
use crate::metrics::{Chart, Dot, Line, Metrics, duration, load_entropy};
use meshwright_base::arrange::Arrange;
use meshwright_base::visible::{escape_controls, is_misleading};

/// The drawing that the report shows.
pub const CURVE: &str = "curve.svg";

/// Most points of a drawn line.
const POINTS: usize = 200;

/// What a kind of collective sends over some axes, in a step.
#[derive(Clone, PartialEq, Debug)]
pub struct Sent {
    pub collective: String,
    pub over: String,
    pub count: f64,
    /// Of one device.
    pub bytes: f64,
}

/// What is known of a run before its first step.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Setup {
    pub parameters: i64,
    pub vocabularies: Vocabularies,
    /// Tokens of a step.
    pub tokens: i64,
    pub table: &'static str,
    /// Bytes that a device takes while it runs.
    pub device_bytes: usize,
    /// Floating point operations of a step on all devices.
    pub flops: f64,
    pub layout: Vec<Laid>,
    pub sent: Vec<Sent>,
    /// Names of the layers of experts.
    pub expert_layers: Vec<String>,
}

/// A run, and where it lies.
#[derive(Clone, Copy, Debug)]
pub struct Told<'a> {
    /// The run's directory as commands name it.
    pub dir: &'a str,
    pub config: &'a Config,
    pub setup: &'a Setup,
    pub outcome: &'a Outcome,
    /// All lines of metrics, also of what was done before the run was resumed.
    pub history: &'a [Metrics],
}

/// Loss and held-out NLL over steps.
pub fn curve(told: &Told<'_>) -> String {
    let line = |name: &str, field: &str| {
        let dots = points(told.history, field, POINTS).into_iter();
        Line { name: name.into(), dots: dots.map(|(x, y)| Dot { x, y, spread: 0.0 }).collect() }
    };
    Chart {
        title: told.dir.into(),
        x: "steps".into(),
        y: format!("NLL, nats per {}", told.config.data.task.places().trim_end_matches('s')),
        lines: vec![line("training", "nll"), line("held out", "eval_nll")],
        names: Vec::new(),
        is_steep: true,
    }
    .svg()
}

/// A field over steps in at most so many points: the means of neighbours, where there are more.
pub(super) fn points(history: &[Metrics], field: &str, most: usize) -> Vec<(f64, f64)> {
    let dots = history.iter().filter_map(|one| Some((one.step as f64, one.get(field)?)));
    let dots: Vec<(f64, f64)> = dots.filter(|(_, value)| value.is_finite()).collect();
    let mean = |of: fn(&(f64, f64)) -> f64, some: &[(f64, f64)]| {
        some.iter().map(of).sum::<f64>() / some.len() as f64
    };
    let each = dots.len().div_ceil(most).max(1);
    dots.chunks(each).map(|some| (mean(|dot| dot.0, some), mean(|dot| dot.1, some))).collect()
}

/// The report.
pub fn report(told: &Told<'_>) -> String {
    let sections =
        [head, numbers, figures, pictures, parts, answers, samples, experts, speed, devices, model, next];
    sections
        .iter()
        .map(|section| section(told))
        .filter(|text| !text.is_empty())
        .collect::<Vec<_>>()
        .join("\n")
}

fn head(told: &Told<'_>) -> String {
    let outcome = told.outcome;
    let how = match &outcome.ending {
        Ending::Done => format!("All {} steps are done", told.config.train.steps),
        Ending::Asked(_) => {
            format!("Stopped after step {} of {} on request", outcome.step, told.config.train.steps)
        }
        Ending::BadNumber { what, value } => {
            format!("Stopped: the {what} of step {} is {value}", outcome.step)
        }
    };
    let (devices, took) = (told.config.mesh.axes.devices(), duration(outcome.seconds));
    let plural = if devices == 1 { "" } else { "s" };
    format!(
        "# {}\n\n{how}; {} of them here, in {took}, on {devices} device{plural}. Run `{}`.\n",
        told.dir,
        outcome.losses.len(),
        outcome.run
    )
}

fn numbers(told: &Told<'_>) -> String {
    let mut text = format!("## What came of it\n\n![loss over steps]({CURVE})\n\n| | |\n|---|---|\n");
    let of_first = told.history.first().and_then(|one| one.get("loss"));
    if let (Some(first), Some(last)) = (of_first, told.outcome.losses.last()) {
        text += &format!("| loss, first and last step | {first:.4}, {last:.4} |\n");
    }
    if let Some(found) = &told.outcome.evaluation {
        let (perplexity, places) = (found.nll.exp(), told.config.data.task.places());
        let one = places.trim_end_matches('s');
        text += &format!("| held-out NLL | {:.4} nats per {one} (perplexity {perplexity:.2}) |\n", found.nll);
        text +=
            &format!("| held-out accuracy | {:.1}% of {} {places} |\n", found.accuracy * 100.0, found.tokens);
        if let Some(examples) = found.examples {
            text += &format!("| held-out examples, each judged once | {examples} |\n");
        }
        if let Some(experts) = found.experts {
            let (entropy, drops) = (experts.entropy, experts.drop_rate * 100.0);
            text += &format!(
                "| experts, held out | load entropy {entropy:.3} (1 is even), {drops:.2}% dropped |\n"
            );
        }
    }
    if let Some(path) = &told.outcome.checkpoint {
        text += &format!("| checkpoint | `{}` |\n", path.display());
    }
    text
}

/// What is judged beside likelihood, each beside what is had without looking.
fn figures(told: &Told<'_>) -> String {
    let figures: &[Figure] = told.outcome.evaluation.as_ref().map_or(&[], |found| &found.figures);
    if figures.is_empty() {
        return String::new();
    }
    let row = |one: &Figure| format!("| {} | {:.4} | {:.4} |\n", cell(&one.name), one.value, one.trivial);
    if told.config.data.task == Task::Speech {
        let head = "## How well labels are heard\n\nLabels to put in, to leave out or to replace, by all that are asked for, of \
                    held-out sequences; beside the least that saying one label, always the same, comes to.\n\n\
                    | | model | one label always |\n|---|---|---|\n";
        return head.to_string() + &figures.iter().map(row).collect::<String>();
    }
    if told.config.data.task == Task::Classify {
        let head = "## How well images are told apart\n\nThe share of held-out images whose class is found, beside that of saying one class \
                    always.\n\n| | model | one class always |\n|---|---|---|\n";
        return head.to_string() + &figures.iter().map(row).collect::<String>();
    }
    let head = "## How well places are told apart\n\nOf held-out examples, beside the most that saying one class of every place comes \
                to. Dice is twice the places that are both said and asked to be of a class, over those that are said and those \
                that are asked.\n\n| | model | one class everywhere |\n|---|---|---|\n";
    head.to_string() + &figures.iter().map(row).collect::<String>()
}

fn pictures(told: &Told<'_>) -> String {
    let all = &told.outcome.pictures;
    let one = |one: &Picture| format!("![{}]({})\n\n", cell(&one.title).replace(['[', ']'], ""), one.file);
    let head = if all.is_empty() { "" } else { "## What it sees\n\n" };
    (head.to_string() + &all.iter().map(one).collect::<String>()).trim_end().to_string()
        + if all.is_empty() { "" } else { "\n" }
}

fn parts(told: &Told<'_>) -> String {
    let parts: &[OfPart] = told.outcome.evaluation.as_ref().map_or(&[], |found| &found.parts);
    if parts.is_empty() {
        return String::new();
    }
    let head = "## By part of the corpus\n\nHeld-out tokens of each language, topic or file.\n\n\
                | part | NLL, nats per token | accuracy | tokens |\n|---|---|---|---|\n";
    let row = |part: &OfPart| {
        let (name, percent) = (cell(&part.name), part.accuracy * 100.0);
        format!("| {name} | {:.4} | {percent:.1}% | {} |\n", part.nll, part.tokens)
    };
    head.to_string() + &parts.iter().map(row).collect::<String>()
}

fn answers(told: &Told<'_>) -> String {
    let all = told.outcome.evaluation.as_ref().map_or(&[][..], |found| &found.answers);
    if all.is_empty() {
        return String::new();
    }
    let peaks = peaks(told.history);
    let mut text =
        "## Answers\n\nWhat it writes by itself to held-out questions; the peak is over all evaluations.\n\n\
                    | task | metric | peak | at step | last | questions |\n|---|---|---|---|---|---|\n"
            .to_string();
    for one in all {
        let peak = peaks.iter().find(|peak| peak.part == one.part);
        let (peak, step) = peak.map_or((one.score(), told.outcome.step), |peak| (peak.score, peak.step));
        let [peak, last] = [peak, one.score()].map(|score| format!("{:.1}", score * 100.0));
        let (part, metric, questions) = (cell(&one.part), one.metric_name(), one.questions);
        text += &format!("| {part} | {metric} | {peak} | {step} | {last} | {questions} |\n");
    }
    text
}

/// A text as a cell of a table: no tag, link, code or further cell of Markdown, and in one line.
fn cell(text: &str) -> String {
    let mut out = String::new();
    for c in text.trim().chars() {
        match c {
            '&' => out += "&amp;",
            '<' => out += "&lt;",
            '\\' | '|' | '`' => out.extend(['\\', c]),
            // A link's or picture's text ends before its address.
            '(' if out.ends_with(']') => out += "\\(",
            '\n' | '\t' => out.push(' '),
            c if is_misleading(c) => out += &escape_controls(c.encode_utf8(&mut [0; 4])),
            c => out.push(c),
        }
    }
    out
}

fn samples(told: &Told<'_>) -> String {
    let samples = &told.outcome.samples;
    if samples.is_empty() {
        return String::new();
    }
    let task = told.config.data.task;
    if !task.of_text() {
        return examples(task, samples);
    }
    let mut text = format!(
        "## What it writes\n\nOf texts it has not learnt from, the likeliest token each time: {}. What stands in brackets is wrong even \
         after the true text before it, the rest is right there, which is what accuracy counts; by itself a model goes on \
         from its own mistakes.\n\n\
         | given | written | in the corpus | tokens right |\n|---|---|---|---|\n",
        summary(task, samples)
    );
    for sample in samples {
        let [given, written, marked] = [&sample.prompt, &sample.written, &sample.marked].map(|one| cell(one));
        text += &format!("| {given} | {written} | {marked} | {} of {} |\n", sample.right, sample.tokens);
    }
    text
}

/// What is said of examples that are no text.
fn examples(task: Task, samples: &[Sample]) -> String {
    let (head, says) = match task {
        Task::Speech => ("What it hears", "heard"),
        _ => ("What it says of examples", "found"),
    };
    let mut text = format!(
        "## {head}\n\nOf examples it has not learnt from: {}.\n\n| given | {says} | right |\n|---|---|---|\n",
        summary(task, samples)
    );
    for sample in samples {
        let [given, found, right] = [&sample.prompt, &sample.written, &sample.expected].map(|one| cell(one));
        text += &format!("| {given} | {found} | {right} |\n");
    }
    text
}

fn experts(told: &Told<'_>) -> String {
    let loads: &[Loads] = told.outcome.evaluation.as_ref().map_or(&[], |found| &found.loads);
    if loads.is_empty() {
        return String::new();
    }
    let even = 100.0 / loads.first().map_or(1, |layer| layer.routed.len()).max(1) as f64;
    let mut text = format!(
        "## Experts\n\nEach expert's share of a layer's held-out tokens in percent; {even:.1} is even.\n\n\
         | layer | shares | entropy | dropped |\n|---|---|---|---|\n"
    );
    for (at, layer) in loads.iter().enumerate() {
        let all = layer.routed.iter().sum::<f64>().max(1.0);
        let shares: Vec<String> =
            layer.routed.iter().map(|load| format!("{:.1}", load / all * 100.0)).collect();
        let name = told.setup.expert_layers.get(at).map_or("", String::as_str);
        let (entropy, drops) = (load_entropy(&layer.routed), layer.drop_rate() * 100.0);
        text += &format!("| `{name}` | {} | {entropy:.3} | {drops:.2}% |\n", shares.join(" "));
    }
    text
}

fn speed(told: &Told<'_>) -> String {
    // The first steps also pay for what is done once.
    let settled = || told.history.iter().skip(told.history.len() / 10);
    let median = |field: &str| {
        let mut all: Vec<f64> =
            settled().filter_map(|one| one.get(field)).filter(|value| value.is_finite()).collect();
        all.arrange_by(f64::total_cmp);
        all.get(all.len() / 2).copied()
    };
    let places = told.config.data.task.places();
    let Some(tokens) = median(&format!("{places}_per_s")) else { return String::new() };
    let step = told.setup.tokens as f64 / tokens.max(1e-9);
    let mut text = format!(
        "## Speed\n\nMedians over steps.\n\n| | |\n|---|---|\n| a step | {:.1} ms, {} {places} |\n| {places} | {tokens:.0} per second |\n",
        step * 1e3,
        told.setup.tokens
    );
    if let Some(rate) = median("gflop_per_s") {
        text += &format!("| arithmetic | {rate:.1} GFLOP/s, {:.2} GFLOP a step |\n", told.setup.flops / 1e9);
    }
    text
}

fn devices(told: &Told<'_>) -> String {
    let (setup, axes) = (told.setup, &told.config.mesh.axes);
    let mesh: Vec<String> = axes.0.iter().map(|(name, size)| format!("{name}={size}")).collect();
    let mesh = if mesh.is_empty() { "one device".to_string() } else { format!("mesh `{}`", mesh.join(",")) };
    let mut text = format!(
        "## On the devices\n\n{mesh}, strategy `{}`; peak memory {:.1} MB per device.\n\n",
        setup.table,
        setup.device_bytes as f64 / 1e6
    );
    text += &laid_out(&setup.layout);
    if setup.sent.is_empty() {
        return text + "\nNothing is sent between devices.\n";
    }
    text += "\n| a step sends | over | times | bytes of a device |\n|---|---|---|---|\n";
    for row in &setup.sent {
        text += &format!("| {} | {} | {:.0} | {:.0} |\n", row.collective, row.over, row.count, row.bytes);
    }
    text
}

/// What is split; the rest in a line.
fn laid_out(rows: &[Laid]) -> String {
    let (whole, split): (Vec<&Laid>, Vec<&Laid>) = rows.iter().partition(|row| row.split.is_empty());
    let count = |rows: &[&Laid]| rows.iter().map(|row| row.count).sum::<usize>();
    if split.is_empty() {
        return format!("All {} parameters are whole on every device.\n", count(&whole));
    }
    let mut text = "| parameters | dims | on a device | split |\n|---|---|---|---|\n".to_string();
    for row in &split {
        let times = if row.count > 1 { format!(" (of {} layers)", row.count) } else { String::new() };
        text += &format!("| `{}`{times} | {} | {} | {} |\n", row.name, row.dims, row.local, row.split);
    }
    text + &format!("\nThe other {} parameters are whole on every device.\n", count(&whole))
}

fn model(told: &Told<'_>) -> String {
    let changed = changed(told.config);
    let setup = told.setup;
    let vocabulary = match setup.vocabularies.source {
        0 => String::new(),
        _ => format!(", a vocabulary of {}", setup.vocabularies),
    };
    format!(
        "## Model\n\n{} parameters{vocabulary}. Fields that are not as by default (all are in `config.toml`):\n\n\
         ```toml\n{changed}```\n",
        setup.parameters
    )
}

/// Fields that differ from the defaults, under their sections.
fn changed(config: &Config) -> String {
    let (ours, defaults) = (config.write(), Config::default().write());
    let (mut text, mut section) = (String::new(), None);
    for (line, default) in ours.lines().zip(defaults.lines()) {
        if line.starts_with('[') {
            section = Some(line);
        } else if line != default && !line.starts_with('#') {
            section.take().into_iter().for_each(|section| text += &format!("{section}\n"));
            text += &format!("{line}\n");
        }
    }
    text
}

fn next(told: &Told<'_>) -> String {
    let (dir, config) = (told.dir, told.config);
    let mut all = Vec::new();
    let steps = config.train.steps;
    if matches!(told.outcome.ending, Ending::Asked(_)) {
        all.push(format!("go on where it stopped: `meshwright train --resume {dir}`"));
    } else if still_falls(told.history) {
        all.push(format!(
            "the loss still falls: train longer, `meshwright train --resume {dir} --steps {}`",
            steps.saturating_mul(2)
        ));
    }
    if let Some(experts) = told.outcome.evaluation.as_ref().and_then(|found| found.experts) {
        if experts.drop_rate > 0.05 {
            all.push(format!(
                "{:.0}% of choices found no place with their expert: raise `model.capacity_factor` (and \
                 `model.eval_capacity_factor`), or take `model.routing=dropless`",
                experts.drop_rate * 100.0
            ));
        }
        if experts.entropy < 0.8 {
            all.push("loads are uneven: raise `model.aux_loss`, or lower the learning rate".to_string());
        }
        all.push(
            "the same without experts, to see what they bring: `--set model.experts=0 --mesh data=8`"
                .to_string(),
        );
    }
    if !config.data.task.of_text() {
        all.push(format!("look at it: `meshwright eval {dir}`"));
        let (mesh, size) = match config.data.task {
            Task::Speech => (
                "its blocks on stages: `--mesh stage=2,data=4 --set mesh.strategy=pipelined+data --set \
                 model.pipeline.stages=2`; the losses stay, what is sent changes",
                "another size: `--set model.d_model=128 --set data.speech.labels=20`",
            ),
            Task::Classify => (
                "images split in space: `--mesh data=2,spatial=4`; the losses stay, what is sent changes",
                "other sizes: `--set data.image.size=32x32 --set data.image.noise=1`",
            ),
            _ => (
                "images split in space: `--mesh data=2,spatial=4`; the losses stay, what is sent changes",
                "another size: `--set model.unet.features=16 --set data.image.size=32x32x32`",
            ),
        };
        all.extend([mesh.to_string(), size.to_string()]);
        let lines: String = all.into_iter().map(|line| format!("- {line}\n")).collect();
        return format!("## What to try next\n\n{lines}");
    }
    all.push(format!("look at it: `meshwright eval {dir}`, `meshwright generate {dir} --prompt TEXT`"));
    all.push("the same on another mesh: `--mesh data=8`; the losses stay, what is sent changes".to_string());
    all.push("another size: `--set model.d_model=128 --set model.d_ff=512`".to_string());
    let lines: String = all.into_iter().map(|line| format!("- {line}\n")).collect();
    format!("## What to try next\n\n{lines}")
}

/// Whether the last fifth of the steps is better than the fifth before by more than a hundredth.
fn still_falls(history: &[Metrics]) -> bool {
    let losses: Vec<f64> = history.iter().filter_map(|one| one.get("loss")).collect();
    let fifth = losses.len() / 5;
    let mean = |some: &[f64]| some.iter().sum::<f64>() / some.len().max(1) as f64;
    let (early, late) = losses.split_at(losses.len() - fifth);
    fifth > 0 && mean(late) < 0.99 * mean(&early[early.len() - fifth..])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checkpoint::RunId;
    use crate::data::corpus::Metric;
    use crate::run::{Answered, Evaluation, Experts, Sample};
    use crate::score::Answer;

    fn told(ending: Ending, loads: Vec<Loads>) -> (String, String) {
        let line = |step: u64| {
            let (loss, nll) = (9.0 / step as f64, 8.0 / step as f64);
            let values = [
                ("loss", loss),
                ("nll", nll),
                ("tokens_per_s", 100.0),
                ("eval_nll", nll),
                ("eval_score/pick", nll / 9.0),
            ];
            let values = values.map(|(name, value)| (name.to_string(), value)).to_vec();
            Metrics { step, values, ..Metrics::default() }
        };
        let history: Vec<Metrics> = (1..=10).map(line).collect();
        let experts = Experts::of(&loads);
        let part = |name: &str, nll| OfPart { name: name.into(), nll, accuracy: 0.25, tokens: 20 };
        let parts = vec![part("de", 0.75), part("fr", 0.25)];
        let answer = Answer { exact: 0.75, ..Answer::default() };
        let pick = Answered { part: "pick".into(), questions: 8, metric: Metric::Accuracy, answer };
        let answers = vec![pick];
        let evaluation = Evaluation {
            nll: 0.5,
            accuracy: 0.25,
            experts,
            loads,
            tokens: 40,
            parts,
            answers,
            ..Evaluation::default()
        };
        let sample = Sample {
            prompt: "a | b".into(),
            expected: "c e".into(),
            written: " d".into(),
            marked: "[c] e".into(),
            tokens: 2,
            right: 1,
        };
        let outcome = Outcome {
            run: RunId::parse("1f0c63d2a5b79e48").unwrap(),
            ending,
            step: 10,
            seconds: 61.0,
            checkpoint: None,
            evaluation: Some(evaluation),
            samples: vec![sample],
            pictures: Vec::new(),
            losses: vec![1.0, 0.9],
        };
        let setup = Setup { tokens: 50, expert_layers: vec!["block_1".into()], ..Setup::default() };
        let config = Config::default();
        let told =
            Told { dir: "runs/a", config: &config, setup: &setup, outcome: &outcome, history: &history };
        (report(&told), curve(&told))
    }

    #[test]
    fn a_report_says_what_came_of_a_run_and_what_to_try() {
        let loads = vec![Loads { routed: vec![60.0, 30.0], dropped: vec![10.0, 0.0] }];
        let (text, curve) = told(Ending::Done, loads);
        for words in [
            "All 1000 steps are done; 2 of them here, in 1m 1s, on 1 device. Run `1f0c63d2a5b79e48`.",
            "| held-out accuracy | 25.0% of 40 tokens |",
            "| de | 0.7500 | 25.0% | 20 |",
            "| fr | 0.2500 | 25.0% | 20 |",
            "| pick | accuracy | 88.9 | 1 | 75.0 | 8 |",
            "0 of 1 match the reference; 1 of 2 tokens correct",
            "| a \\| b | d | [c] e | 1 of 2 |",
            "| `block_1` | 66.7 33.3 | 0.918 | 10.00% |",
            "| a step | 500.0 ms, 50 tokens |",
            "Nothing is sent between devices.",
            "the loss still falls: train longer, `meshwright train --resume runs/a --steps 2000`",
            "10% of choices found no place with their expert",
        ] {
            assert!(text.contains(words), "{words}\n{text}");
        }
        assert_eq!(curve.matches("<polyline").count(), 2, "training, and what is held out");
    }

    #[test]
    fn a_cell_holds_no_markup_and_no_control() {
        for (text, expected) in [
            ("<script>a|b</script>", "&lt;script>a\\|b&lt;/script>"),
            ("a\\|b &lt;", "a\\\\\\|b &amp;lt;"),
            ("![x](http://y) `c`", "![x]\\(http://y) \\`c\\`"),
            (" a\nb\x1b[2J\u{202e} ", "a b\\u{1b}[2J\\u{202e}"),
        ] {
            assert_eq!(cell(text), expected);
        }
    }

    #[test]
    fn a_run_that_was_stopped_is_to_be_gone_on_with_and_a_dense_one_has_no_experts() {
        let (text, _) = told(Ending::Asked(2), Vec::new());
        assert!(text.contains("go on where it stopped: `meshwright train --resume runs/a`"), "{text}");
        assert!(!text.contains("## Experts") && !text.contains("train longer"), "{text}");
    }
}
