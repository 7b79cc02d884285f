//! What a model makes of the beginnings of texts it has not learnt from.

use super::error::Error;
use super::generate::{Choice, Generator};
use super::load::Host;
use super::plan::Plan;
use super::state::States;
use crate::config::Task;
use crate::data::corpus::Document;
use crate::data::source::Source;

/// How many are shown.
const SAMPLES: usize = 4;

/// A beginning, how it went on in the corpus, and how the model went on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Sample {
    pub prompt: String,
    pub expected: String,
    pub written: String,
}

/// Greedy continuations, or answers, of held-out texts. What was cut out of a text has no beginning to show.
pub fn samples(
    task: Task,

    plan: &Plan,
    source: &mut Source,
    states: &States,
    host: &Host<'_>,
) -> Result<Vec<Sample>, Error> {
    if task == Task::Spans {
        return Ok(Vec::new());
    }
    let documents = source.held_out(SAMPLES)?;
    let parts: Vec<(String, String)> = documents.iter().map(|document| parted(document, task)).collect();
    let tokenizer = source.tokenizer();
    let prompts: Vec<Vec<u32>> = parts.iter().map(|(prompt, _)| tokenizer.encode(prompt)).collect();
    let longest = parts.iter().map(|(_, expected)| tokenizer.encode(expected).len()).max().unwrap_or(0);
    let mut generator = Generator::new(plan, prompts.len(), host)?;
    let written = generator.run(states, &prompts, (source.end(), longest + 4), Choice::Greedy, host)?;
    let written = written.iter().map(|tokens| source.tokenizer().decode(tokens));
    let all = parts.into_iter().zip(written);
    Ok(all.map(|((prompt, expected), written)| Sample { prompt, expected, written }).collect())
}

/// What is to be translated, or the first half of a text; and the rest.
fn parted(document: &Document, task: Task) -> (String, String) {
    if task == Task::Translate {
        return (document.source.clone(), document.target.clone());
    }
    if !document.source.is_empty() {
        return (format!("{} =", document.source), document.target.clone());
    }
    let words: Vec<&str> = document.target.split(' ').take(16).collect();
    let (first, rest) = words.split_at(words.len() / 2);
    (first.join(" "), rest.join(" "))
}
