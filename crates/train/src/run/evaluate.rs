//! How good a model is on text, images or sound it has not learnt from.

use super::answers::{self, Answered, Answerer};
use super::error::Error;
use super::figures::{Figure, figures};
use super::held::Held;
use super::host::Host;
use super::load::Loaded;
use super::net::Net;
use super::plan::TrainingPlan;
use super::programs;
use super::restore;
use super::state::States;
use super::step::{Experts, Loads, loads};
use crate::checkpoint::Weights;
use crate::config::{Config, Task};
use crate::data::feed::Feed;
use crate::data::fields::HeldOut;
use crate::metrics::Metrics;
use meshwright_runtime::RunError;
use std::collections::BTreeMap;

/// Means over the tokens of some held-out batches.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Evaluation {
    /// Nats per token.
    pub nll: f64,
    /// Share of tokens that the model finds most likely.
    pub accuracy: f64,
    /// What else is judged of models that are not of text.
    pub figures: Vec<Figure>,
    pub experts: Option<Experts>,
    /// Of each layer of experts.
    pub loads: Vec<Loads>,
    /// Tokens asked for.
    pub tokens: u64,
    /// Examples that they are of, each judged once; `None` where there is no end to those that are held out.
    pub examples: Option<u64>,
    /// The same of each part of the corpus that any of the tokens is of, in the corpus's order: of each language, topic
    /// or file. Empty for a corpus of one part, or of more than can be told apart.
    pub parts: Vec<OfPart>,
    /// What the answers to each part's questions came to, if any were asked.
    pub answers: Vec<Answered>,
}

/// Means over the tokens of one part.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct OfPart {
    pub name: String,
    pub nll: f64,
    pub accuracy: f64,
    pub tokens: u64,
}

/// The most parts that are evaluated each for itself.
const MOST_PARTS: usize = 256;

impl Evaluation {
    /// As named numbers of a step.
    pub fn add_to(&self, metrics: &mut Metrics) {
        metrics.values.push(("eval_nll".into(), self.nll));
        // It is among the figures where there are some.
        if self.figures.is_empty() {
            metrics.values.push(("eval_accuracy".into(), self.accuracy));
        }
        metrics.values.extend(self.figures.iter().map(|one| (format!("eval_{}", one.name), one.value)));
        if let Some(experts) = self.experts {
            metrics.values.push(("eval_load_entropy".into(), experts.entropy));
            metrics.values.push(("eval_drop_rate".into(), experts.drop_rate));
        }
        for part in &self.parts {
            metrics.values.push((format!("eval_nll/{}", part.name), part.nll));
            metrics.values.push((format!("eval_accuracy/{}", part.name), part.accuracy));
        }
        answers::add_to(&self.answers, metrics);
    }
}

/// The program and its batches: the same ones every time.
pub struct Evaluator {
    program: Loaded,
    held_out: HeldOut,
    /// Names of the parts that are told apart.
    parts: Vec<String>,
    answerer: Option<Answerer>,
    /// What its sums say.
    net: Net,
    classes: Vec<String>,
}

/// How much is evaluated.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Amount {
    pub batches: u64,
    /// Questions of each part that are answered; 0 asks none.
    pub questions: u64,
}

impl Amount {
    /// As in training. Only a model that writes targets is asked.
    pub fn of(config: &Config) -> Amount {
        let answers = config.data.task == Task::Translate;
        let questions = if answers { config.train.questions } else { 0 };
        Amount { batches: config.train.eval_batches, questions }
    }
}

/// Sums of one batch, by part and as the model has them.
#[derive(Default)]
struct Sums {
    nats: Vec<f64>,
    right: Vec<f64>,
    asked: Vec<f64>,
    /// Those of the model, by name.
    more: BTreeMap<String, Vec<f64>>,
}

impl Evaluator {
    pub fn new(
        plan: &TrainingPlan,
        feed: &mut Feed,
        amount: Amount,
        host: &Host<'_>,
    ) -> Result<Evaluator, Error> {
        let each = usize::try_from(amount.questions).unwrap_or(usize::MAX);
        let text = plan.text().zip(feed.text_mut()).filter(|_| each > 0);
        let answerer = text.map(|(plan, source)| Answerer::new(&plan, source, each, host)).transpose()?;
        let mut parts = feed.parts();
        if !(2..=MOST_PARTS).contains(&parts.len()) {
            parts.clear();
        }
        let program = Loaded::new(programs::evaluate(plan, parts.len())?, host)?;
        let held_out = feed.held_out(amount.batches, &program.rows(host)?)?;
        let (net, classes) = (plan.model.clone(), plan.classes.clone());
        Ok(Evaluator { program, held_out, parts, answerer, net, classes })
    }

    pub fn run(&mut self, states: &States, feed: &Feed, host: &Host<'_>) -> Result<Evaluation, Error> {
        let (mut sum, mut by_part) = (Evaluation::default(), Sums::default());
        for at in 0..self.held_out.batches.len() {
            let (one, of_parts) = self.run_one(at, states, host)?;
            by_part.add(&of_parts);
            sum.nll += one.nll * one.tokens as f64;
            sum.accuracy += one.accuracy * one.tokens as f64;
            sum.tokens += one.tokens;
            sum.loads.resize(one.loads.len(), Loads::default());
            sum.loads.iter_mut().zip(&one.loads).for_each(|(sum, more)| sum.add(more));
        }
        let tokens = sum.tokens.max(1) as f64;
        (sum.nll, sum.accuracy) = (sum.nll / tokens, sum.accuracy / tokens);
        sum.examples = self.held_out.examples;
        sum.experts = Experts::of(&sum.loads);
        sum.parts = by_part.named(&self.parts);
        sum.figures = figures(&self.net, &self.classes, &by_part.more);
        if let Some((answerer, source)) = self.answerer.as_mut().zip(feed.text()) {
            sum.answers = answerer.run(states, source, host)?;
        }
        Ok(sum)
    }

    fn run_one(
        &mut self,
        batch: usize,
        states: &States,
        host: &Host<'_>,
    ) -> Result<(Evaluation, Sums), Error> {
        let batch = &self.held_out.batches[batch];
        let mut args = Vec::new();
        for (at, input) in self.program.program.inputs().iter().enumerate() {
            args.push(if states.held.contains_key(&*input.name) {
                states.lend(&input.name, &self.program.input_place(at)?, host)?
            } else {
                self.program.feed(at, batch.get(&input.name), host)?
            });
        }
        let results = self.program.launch(args)?;
        let names: Vec<String> =
            self.program.program.results().iter().map(|result| result.name.to_string()).collect();
        let mut held = Vec::new();
        for (at, array) in results.into_iter().enumerate() {
            array.shards()?;
            held.push(Held { place: self.program.result_place(at)?, array });
        }
        let number = |name: &str| {
            let at = names.iter().position(|known| known == name);
            at.and_then(|at| held.get(at)).and_then(Held::number).unwrap_or(f64::NAN)
        };
        let numbers = |name: &str| match names.iter().position(|known| known == name) {
            Some(at) => held.get(at).map_or_else(|| Ok(Vec::new()), Held::numbers),
            None => Ok(Vec::new()),
        };
        let of_parts = Sums {
            nats: numbers("part_nats")?,
            right: numbers("part_right")?,
            asked: numbers("part_asked")?,
            more: names
                .iter()
                .filter_map(|name| Some((name.strip_prefix("sum.")?.to_string(), numbers(name))))
                .map(|(name, sums)| Ok((name, sums?)))
                .collect::<Result<_, RunError>>()?,
        };
        let loads = loads(&names, &held, host)?;
        let (nll, accuracy, tokens) = (number("nll"), number("accuracy"), number("asked").max(0.0) as u64);
        let experts = Experts::of(&loads);
        Ok((Evaluation { nll, accuracy, experts, loads, tokens, ..Evaluation::default() }, of_parts))
    }
}

impl Sums {
    fn add(&mut self, other: &Sums) {
        let add = |into: &mut Vec<f64>, more: &[f64]| {
            into.resize(into.len().max(more.len()), 0.0);
            into.iter_mut().zip(more).for_each(|(sum, more)| *sum += more);
        };
        add(&mut self.nats, &other.nats);
        add(&mut self.right, &other.right);
        add(&mut self.asked, &other.asked);
        for (name, sums) in &other.more {
            add(self.more.entry(name.clone()).or_default(), sums);
        }
    }

    /// Means of the parts that any token is of.
    fn named(&self, names: &[String]) -> Vec<OfPart> {
        let sums = self.nats.iter().zip(&self.right).zip(&self.asked);
        let one = |(name, ((nats, right), asked)): (&String, ((&f64, &f64), &f64))| OfPart {
            name: name.clone(),
            nll: nats / asked,
            accuracy: right / asked,
            tokens: asked.max(0.0) as u64,
        };
        names.iter().zip(sums).map(one).filter(|part| part.tokens > 0).collect()
    }
}

/// Weights on held-out text.
pub fn evaluate(
    plan: &TrainingPlan,
    feed: &mut Feed,
    weights: &mut dyn Weights,
    amount: Amount,
    host: &Host<'_>,
) -> Result<Evaluation, Error> {
    let mut evaluator = Evaluator::new(plan, feed, amount, host)?;
    let states = restore::parameters(&evaluator.program, weights, host)?;
    evaluator.run(&states, feed, host)
}
