//! A training run as people see it: a bar that moves on a terminal, plain lines elsewhere. All of it goes to stderr.

use meshwright_cost::{Machine, Traffic, traffic};
use meshwright_runtime::interrupt;
use meshwright_train::metrics::{Metrics, duration, progress, sparkline};
use meshwright_train::run::{Facts, Sent, Setup, Watch};
use std::io::{self, IsTerminal, Write};
use std::time::Instant;

const BAR: usize = 20;
const CURVE: usize = 24;

/// Tells what happens.
pub struct Shown {
    is_terminal: bool,
    is_quiet: bool,
    begun: Instant,
    first_step: u64,
    steps: u64,
    losses: Vec<f64>,
    has_bar: bool,
    /// What was known before the first step.
    pub setup: Setup,
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
            setup: Setup::default(),
        }
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
        self.write(&format!("{gap}{text}\n"));
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
            vocabulary: facts.vocabulary,
            tokens: plan.tokens(),
            table: plan.table.name,
            device_bytes: facts.device_bytes,
            flops,
            layout: facts.layout.to_vec(),
            sent: sent(&traffic),
            expert_layers: plan.model.expert_layers(),
        };
        self.line(&format!(
            "{} parameters, a vocabulary of {}, {} tokens a step; {} devices, each with at most {:.1} MB; {:.2} GFLOP a step",
            plan.parameters(),
            facts.vocabulary,
            plan.tokens(),
            plan.devices(),
            facts.device_bytes as f64 / 1e6,
            flops / 1e9,
        ));
        if facts.first_step > 1 {
            self.line(&format!("going on after step {}", facts.first_step - 1));
        }
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
    }

    fn note(&mut self, text: &str) {
        self.line(text);
    }

    fn is_stop_asked(&self) -> bool {
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

/// `step 120/600  loss 2.1034  nll 2.0934  ...`
fn line_of(metrics: &Metrics, steps: u64) -> String {
    let one = |(name, value): &(String, f64)| match name.as_str() {
        "tokens_per_s" => format!("  {value:.0} tokens/s"),
        "gflop_per_s" => format!("  {value:.1} GFLOP/s"),
        "gradient_norm" => format!("  norm {value:.3}"),
        "share_of_attainable" => format!("  {:.0}% of attainable", value * 100.0),
        "drop_rate" | "eval_drop_rate" => format!("  {} {:.1}%", name.replace("_rate", "ped"), value * 100.0),
        _ => format!("  {name} {value:.4}"),
    };
    let values: String = metrics.values.iter().map(one).collect();
    format!("step {}/{steps}{values}", metrics.step)
}

/// Seconds in words.
pub fn took(seconds: f64) -> String {
    duration(seconds)
}
