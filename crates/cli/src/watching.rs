//! A training run as people see it: a bar that moves on a terminal, plain lines elsewhere. All of it goes to stderr.

use crate::html::run_page;
use crate::serve::Shelf;
use meshwright_base::units::{bytes, count, grouped};
use meshwright_base::visible::escape_controls;
use meshwright_cost::{Machine, Traffic, traffic};
use meshwright_runtime::interrupt::{self, Listening};
use meshwright_train::Config;
use meshwright_train::metrics::{Metrics, progress, sparkline};
use meshwright_train::run::{Facts, Seen, Sent, Setup, Watch, view};
use std::io::{self, IsTerminal, Write};
use std::time::Instant;

const BAR: usize = 16;
const CURVE: usize = 16;

/// Tells what happens.
pub struct Shown {
    is_terminal: bool,
    is_quiet: bool,
    begun: Instant,
    first_step: u64,
    steps: u64,
    losses: Vec<f64>,
    has_bar: bool,
    /// Signals wish for an end from the first step on; before there is nothing to save.
    listening: Option<Listening>,
    /// What was known before the first step.
    pub setup: Setup,
    /// For who looks while it lasts.
    pub live: Option<Live>,
}

/// A run under way as a page on a shelf.
#[derive(Debug)]
pub struct Live {
    shelf: Shelf,
    dir: String,
    config: Config,
    history: Vec<Metrics>,
}

impl Live {
    /// `history` is what was logged before the run was resumed.
    pub fn new(shelf: Shelf, dir: String, config: Config, history: Vec<Metrics>) -> Live {
        Live { shelf, dir, config, history }
    }

    fn show(&self, setup: &Setup) {
        let Live { dir, config, history, .. } = self;
        let data = view(&Seen { dir, config, setup, history, outcome: None });
        self.shelf.put(&run_page(&data, &config.mesh.axes.0), &data.to_string());
    }
}

impl Shown {
    pub fn new(is_quiet: bool) -> Shown {
        let is_terminal = io::stderr().is_terminal();
        Shown {
            is_terminal,
            is_quiet,
            begun: Instant::now(),
            first_step: 1,
            steps: 0,
            losses: Vec::new(),
            has_bar: false,
            listening: None,
            setup: Setup::default(),
            live: None,
        }
    }

    pub fn is_quiet(&self) -> bool {
        self.is_quiet
    }

    fn write(&mut self, text: &str) {
        if !self.is_quiet {
            // Nobody listens: the run goes on.
            let _ = io::stderr().write_all(text.as_bytes());
        }
    }

    /// A line of its own, above the bar.
    fn line(&mut self, text: &str) {
        let gap = if self.has_bar { "\r\x1b[K" } else { "" };
        self.has_bar = false;
        self.write(&format!("{gap}{}\n", escape_controls(text)));
    }

    fn bar(&mut self, step: u64, loss: f64) {
        let curve = sparkline(&self.losses, CURVE);
        let (done, all) = (step + 1 - self.first_step, self.steps + 1 - self.first_step);
        let seconds = self.begun.elapsed().as_secs_f64();
        let bar = progress(done, all, seconds, BAR, &format!("loss {loss:.4} {curve}"));
        self.write(&format!("\r\x1b[K{bar}"));
        self.has_bar = true;
    }
}

impl Drop for Shown {
    fn drop(&mut self) {
        if self.has_bar {
            self.write("\n");
        }
    }
}

impl Watch for Shown {
    fn begin(&mut self, facts: &Facts<'_>) -> f64 {
        let plan = facts.plan;
        let traffic = traffic(facts.module, &Machine::default());
        let flops = traffic.flops * plan.devices() as f64;
        self.setup = Setup {
            parameters: plan.parameters(),
            vocabularies: facts.vocabularies,
            tokens: plan.places(),
            table: plan.table.name,
            device_bytes: facts.device_bytes,
            flops,
            layout: facts.layout.to_vec(),
            sent: sent(&traffic),
            expert_layers: plan.model.expert_layers(),
        };
        self.line(&format!(
            "{} parameters{}; {} steps of {} {}, {:.2} GFLOP per step",
            grouped(plan.parameters()),
            match facts.vocabularies.source {
                0 => String::new(),
                _ => format!(", vocabulary {}", facts.vocabularies),
            },
            grouped(i64::try_from(facts.steps).unwrap_or(i64::MAX)),
            grouped(plan.places()),
            plan.model.places(),
            flops / 1e9,
        ));
        let devices = count(plan.devices(), "device");
        self.line(&format!("{devices}, peak memory {} per device", bytes(facts.device_bytes as f64)));
        if facts.first_step > 1 {
            self.line(&format!("resuming after step {}", facts.first_step - 1));
        }
        if let Some(live) = &mut self.live {
            live.history.retain(|one| one.step < facts.first_step);
            live.show(&self.setup);
        }
        self.listening = Some(interrupt::listen_gently());
        (self.begun, self.first_step, self.steps) = (Instant::now(), facts.first_step, facts.steps);
        flops
    }

    fn step(&mut self, metrics: &Metrics, is_logged: bool) {
        let loss = metrics.get("loss").unwrap_or(f64::NAN);
        self.losses.push(loss);
        let is_evaluated = metrics.get("eval_nll").is_some();
        if is_evaluated || is_logged && !self.is_terminal {
            let line = line_of(metrics, self.steps);
            self.line(&line);
        }
        if self.is_terminal {
            self.bar(metrics.step, loss);
        }
        if let Some(live) = self.live.as_mut().filter(|_| is_logged) {
            live.history.push(metrics.clone());
            live.show(&self.setup);
        }
    }

    fn note(&mut self, text: &str) {
        self.line(text);
    }

    fn stop_asked(&self) -> Option<u8> {
        interrupt::wished()
    }
}

/// What a step sends, by kind and axes.
fn sent(traffic: &Traffic) -> Vec<Sent> {
    let rows = traffic.by_group.iter().map(|((pattern, members), total)| Sent {
        collective: pattern.to_string(),
        over: match &members.axes {
            Some(axes) => axes.replace(['{', '}', '"'], ""),
            None => format!("{} devices", members.size),
        },
        count: total.count,
        bytes: total.sent,
    });
    rows.collect()
}

/// `step 120/600  loss 2.1034  norm 0.583  26587 tokens/s  dropped 0.2%`, and what an evaluation found in a line of its
/// own. What else is known of a step is in the files. Both lines fit in 80 columns.
fn line_of(metrics: &Metrics, steps: u64) -> String {
    let shown = |one: &(&str, fn(f64) -> String)| metrics.get(one.0).map(one.1).unwrap_or_default();
    let values = |shows: &Shows| shows.iter().map(shown).collect::<String>();
    let (step, found) = (values(STEP), values(HELD_OUT));
    let held_out = if found.is_empty() { String::new() } else { format!("\n  held out{found}") };
    format!("step {}/{steps}{step}{held_out}", metrics.step)
}

/// A metric's name, and how it is shown.
type Shows = [(&'static str, fn(f64) -> String)];

const STEP: &Shows = &[
    ("loss", |value| format!("  loss {value:.4}")),
    ("gradient_norm", |value| format!("  norm {value:.3}")),
    ("tokens_per_s", |value| format!("  {value:.0} tokens/s")),
    ("places_per_s", |value| format!("  {value:.3e} places/s")),
    ("images_per_s", |value| format!("  {value:.0} images/s")),
    ("labels_per_s", |value| format!("  {value:.0} labels/s")),
    ("drop_rate", |value| format!("  dropped {:.1}%", value * 100.0)),
];

const HELD_OUT: &Shows = &[
    ("eval_nll", |value| format!("  NLL {value:.4}")),
    ("eval_accuracy", |value| format!("  accuracy {:.1}%", value * 100.0)),
    ("eval_right", |value| format!("  {:.1}% correct", value * 100.0)),
    ("eval_dice", |value| format!("  Dice {value:.4}")),
    ("eval_load_entropy", |value| format!("  load entropy {value:.3}")),
    ("eval_drop_rate", |value| format!("  dropped {:.1}%", value * 100.0)),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_and_its_evaluation_fit_in_80_columns() {
        let values = [
            ("loss", 12345.6789),
            ("nll", 2.0),
            ("gradient_norm", 1234.5678),
            ("learning_rate", 0.1),
            ("tokens_per_s", 1_234_567.8),
            ("drop_rate", 0.999),
            ("eval_nll", 12.34567),
            ("eval_accuracy", 1.0),
            ("eval_load_entropy", 0.94567),
            ("eval_drop_rate", 0.5),
        ];
        let values = values.map(|(name, value)| (name.to_string(), value)).to_vec();
        let metrics = Metrics { step: 100_000, values, ..Metrics::default() };
        let said = line_of(&metrics, 100_000);
        assert_eq!(
            said,
            "step 100000/100000  loss 12345.6789  norm 1234.568  1234568 tokens/s  dropped 99.9%\n  \
             held out  NLL 12.3457  accuracy 100.0%  load entropy 0.946  dropped 50.0%"
        );
        let bar =
            progress(9999, 10_000, 7199.0 * 9999.0, BAR, &format!("loss 12.3456 {}", "█".repeat(CURVE)));
        assert!(bar.chars().count() <= 80, "{bar}");
        let dense = Metrics { values: metrics.values[..2].to_vec(), ..metrics };
        assert_eq!(line_of(&dense, 100_000), "step 100000/100000  loss 12345.6789");
    }
}
