//! Answers to held-out questions, part by part: what a model writes by itself, scored against what is expected.
//!
//! Asked at each evaluation, always the same questions, so that a task can be reported at its peak, as T5 and Switch
//! do.

use super::decoding::{Decoder, Decoding, Room, Search};
use super::error::Error;
use super::generate::continued;
use super::host::Host;
use super::plan::TextPlan;
use super::state::States;
use crate::data::corpus::{Metric, metric_of};
use crate::data::source::Source;
use crate::metrics::Metrics;
use crate::score::Answer;
use meshwright_base::{Code, Diagnostic};
use meshwright_nn::models::decode::greedy::NextToken;

const NO_QUESTIONS: Code = Code(1185);

/// Questions that are answered at a time, at most.
const ROWS: usize = 64;

/// What the answers to a part's questions came to.
#[derive(Clone, PartialEq, Debug)]
pub struct Answered {
    pub part: String,
    pub questions: usize,
    pub metric: Metric,
    /// Means over the questions.
    pub answer: Answer,
}

/// A question, as the model reads it.
struct Question {
    tokens: Vec<u32>,
    expected: String,
    part: usize,
}

/// The decoding program and its questions.
pub struct Answerer {
    decoder: Decoder,
    parts: Vec<String>,
    questions: Vec<Question>,
    most: usize,
}

impl Answered {
    /// By what the task is judged.
    pub fn score(&self) -> f64 {
        match self.metric {
            Metric::Accuracy | Metric::ExactMatch => self.answer.exact,
            Metric::Rouge2 => self.answer.rouge2,
        }
    }

    pub fn metric_name(&self) -> &'static str {
        match self.metric {
            Metric::Accuracy => "accuracy",
            Metric::ExactMatch => "exact match",
            Metric::Rouge2 => "ROUGE-2",
        }
    }
}

/// The mean of the tasks' scores; none of no tasks.
pub fn score(answered: &[Answered]) -> Option<f64> {
    let sum: f64 = answered.iter().map(Answered::score).sum();
    (!answered.is_empty()).then(|| sum / answered.len() as f64)
}

/// As named numbers of a step: the mean score, and of each part its score and all metrics.
pub fn add_to(answered: &[Answered], metrics: &mut Metrics) {
    metrics.values.extend(score(answered).map(|mean| (SCORE.to_string(), mean)));
    for one in answered {
        metrics.values.push((format!("{SCORE}/{}", one.part), one.score()));
        for (name, value) in one.answer.named() {
            metrics.values.push((format!("eval_{name}/{}", one.part), value));
        }
    }
}

const SCORE: &str = "eval_score";

/// A task at its best evaluation.
#[derive(Clone, PartialEq, Debug)]
pub struct Peak {
    pub part: String,
    pub score: f64,
    pub step: u64,
    /// At the last evaluation.
    pub last: f64,
}

/// Every task at the best of the evaluations of a run, in the order of the corpus.
pub fn peaks(history: &[Metrics]) -> Vec<Peak> {
    let mut peaks: Vec<Peak> = Vec::new();
    for line in history {
        for (name, score) in &line.values {
            let Some(part) = name.strip_prefix(SCORE).and_then(|name| name.strip_prefix('/')) else {
                continue;
            };
            match peaks.iter_mut().find(|peak| peak.part == part) {
                None => peaks.push(Peak { part: part.into(), score: *score, step: line.step, last: *score }),
                Some(peak) => {
                    peak.last = *score;
                    if *score > peak.score {
                        (peak.score, peak.step) = (*score, line.step);
                    }
                }
            }
        }
    }
    peaks
}

impl Answerer {
    /// `each` questions of each part that is learnt, at most. A part without any is refused: nothing could be said of
    /// it.
    pub fn new(
        plan: &TextPlan,
        source: &mut Source,
        each: usize,
        host: &Host<'_>,
    ) -> Result<Answerer, Error> {
        let (mut parts, mut questions, mut longest) = (Vec::new(), Vec::new(), 0);
        for (name, documents) in source.held_out_by_part(each)? {
            if documents.is_empty() {
                return Err(no_questions(&name, source).into());
            }
            for document in documents {
                let expected = document.target.clone();
                longest = longest.max(source.target_tokenizer().encode(&expected).len());
                let tokens = source.tokenizer().encode(&document.source);
                questions.push(Question { tokens, expected, part: parts.len() });
            }
            parts.push(name);
        }
        let search = Search::One(NextToken::Likeliest);
        let rows = questions.len().min(ROWS);
        let mut decoding = Decoding::of(plan, rows, source.frame(), Room::Unlimited, search);
        // An answer that goes on beyond the longest expected one is wrong already.
        decoding.places = decoding.places.min(longest + 4 + usize::from(decoding.frame.answer.is_some()));
        let decoder = Decoder::new(plan, decoding, host)?;
        Ok(Answerer { decoder, parts, questions, most: longest + 4 })
    }

    pub fn run(&mut self, states: &States, source: &Source, host: &Host<'_>) -> Result<Vec<Answered>, Error> {
        let prompts: Vec<Vec<u32>> = self.questions.iter().map(|question| question.tokens.clone()).collect();
        let written = continued(&mut self.decoder, states, &prompts, self.most, host)?;
        let written: Vec<String> = written.iter().map(|tokens| source.shown(tokens)).collect();
        let one = |(at, part): (usize, &String)| {
            let own = self.questions.iter().zip(&written).filter(|(question, _)| question.part == at);
            let pairs = own.map(|(question, written)| (written.as_str(), question.expected.as_str()));
            let pairs: Vec<(&str, &str)> = pairs.collect();
            let (questions, metric) = (pairs.len(), metric_of(part));
            Answered { part: part.clone(), questions, metric, answer: Answer::mean(pairs) }
        };
        Ok(self.parts.iter().enumerate().map(one).collect())
    }
}

fn no_questions(part: &str, source: &Source) -> Diagnostic {
    let one_in = source.held_out_one_in();
    let message =
        format!("`{part}` has nothing held out: one document in {one_in} would be, and none of its is");
    let help = "give it more documents, lower `data.held_out_one_in`, leave it out, or ask no questions with \
                `train.questions = 0`";
    Diagnostic::error(NO_QUESTIONS, message).help(help)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_task_is_reported_at_the_best_of_its_evaluations() {
        let line = |step, scores: [f64; 2]| {
            let one = |(part, score): (&str, f64)| Answered {
                part: part.into(),
                questions: 4,
                metric: metric_of(part),
                answer: Answer { exact: score, rouge2: score / 2.0, ..Answer::default() },
            };
            let all: Vec<Answered> = ["pick", "summary"].into_iter().zip(scores).map(one).collect();
            let mut metrics = Metrics { step, ..Metrics::default() };
            add_to(&all, &mut metrics);
            metrics
        };
        let history = [line(10, [0.25, 0.5]), line(20, [0.75, 0.25]), line(30, [0.5, 0.5])];
        let of = |peak: &Peak| (peak.score, peak.step, peak.last);
        assert_eq!(peaks(&history).iter().map(of).collect::<Vec<_>>(), [(0.75, 20, 0.5), (0.25, 10, 0.25)]);
        assert_eq!(history[1].get("eval_score"), Some(0.4375));
        assert_eq!(history[1].get("eval_rouge2/pick"), Some(0.375));
    }
}
