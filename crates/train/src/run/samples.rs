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

/// What a model is asked, as it reads it and as people do.
struct Question {
    tokens: Vec<u32>,
    shown: String,
    expected: String,
    /// Tokens of what is expected.
    length: usize,
}

/// Greedy continuations, or answers, of held-out texts.
pub fn samples(
    task: Task,
    plan: &Plan,
    source: &mut Source,
    states: &States,
    host: &Host<'_>,
) -> Result<Vec<Sample>, Error> {
    let documents = source.held_out(SAMPLES)?;
    let numbered = documents.iter().enumerate();
    let questions: Vec<Question> =
        numbered.filter_map(|(at, document)| question(task, source, document, at as u64)).collect();
    let prompts: Vec<Vec<u32>> = questions.iter().map(|question| question.tokens.clone()).collect();
    let longest = questions.iter().map(|question| question.length).max().unwrap_or(0);
    let mut generator = Generator::new(plan, prompts.len(), host)?;
    let written = generator.run(states, &prompts, (source.end(), longest + 4), Choice::Greedy, host)?;
    let all = questions.into_iter().zip(written);
    let sample = |(question, tokens): (Question, Vec<u32>)| Sample {
        prompt: question.shown,
        expected: question.expected,
        written: source.shown(&tokens),
    };
    Ok(all.map(sample).collect())
}

/// What is cut out of a text, the translation of a phrase, or how a text goes on. `None` of a text of one token that is to
/// lose some.
fn question(task: Task, source: &Source, document: &Document, number: u64) -> Option<Question> {
    if task == Task::Spans {
        let (tokens, expected) = source.spans(document, number)?;
        let shown = source.shown(&tokens);
        return Some(Question { tokens, shown, length: expected.len(), expected: source.shown(&expected) });
    }
    let (shown, expected) = parted(document, task);
    let encoded = |text: &str| source.tokenizer().encode(text);
    Some(Question { tokens: encoded(&shown), length: encoded(&expected).len(), shown, expected })
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
