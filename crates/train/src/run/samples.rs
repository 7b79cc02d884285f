//! What a model makes of the beginnings of texts it has not learnt from: how it goes on by itself, and which tokens of
//! the text it knows after the true ones before them. The second is what held-out accuracy counts; the first goes
//! astray at its first wrong token.

use super::decoding::{Decoder, Decoding, Room, Search};
use super::error::Error;
use super::generate::{Foreteller, continued};
use super::host::Host;
use super::plan::TextPlan;
use super::state::States;
use crate::config::Task;
use crate::data::corpus::Document;
use crate::data::source::Source;
use meshwright_nn::models::decode::greedy::NextToken;

/// How many are shown.
const SAMPLES: usize = 8;

/// A beginning, how it went on in the corpus, and how the model went on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Sample {
    pub prompt: String,
    pub expected: String,
    pub written: String,
    /// What is expected, with what is not foretold after the true beginning in brackets: `four [horses]`.
    pub marked: String,
    /// Tokens of what is expected, and how many of them are foretold.
    pub tokens: usize,
    pub right: usize,
}

impl Sample {
    /// Whether all was written as expected.
    pub fn is_right(&self) -> bool {
        self.written.trim() == self.expected.trim()
    }
}

/// All samples in a line.
pub fn summary(task: Task, samples: &[Sample]) -> String {
    let sum = |of: fn(&Sample) -> usize| samples.iter().map(of).sum::<usize>();
    let (right, tokens) = (sum(|sample| sample.right), sum(|sample| sample.tokens));
    let whole = samples.iter().filter(|sample| sample.is_right()).count();
    let (all, places) = (samples.len(), task.places());
    match task {
        Task::Spans | Task::Translate | Task::Next => format!(
            "{whole} of {all} match the reference; {right} of {tokens} tokens correct under teacher forcing"
        ),
        Task::Classify | Task::Segment => format!("{right} of {tokens} {places} correct"),
        Task::Speech => {
            format!("{whole} of {all} match the reference; {right} of {tokens} {places} correct")
        }
    }
}

/// What a model is asked, as it reads it and as people do.
struct Question {
    tokens: Vec<u32>,
    shown: String,
    expected: String,
    /// The tokens of what is expected.
    asked: Vec<u32>,
}

/// Greedy continuations, or answers, of held-out texts.
pub fn samples(
    task: Task,
    plan: &TextPlan,
    source: &mut Source,
    states: &States,
    host: &Host<'_>,
) -> Result<Vec<Sample>, Error> {
    let documents = source.held_out(SAMPLES)?;
    let numbered = documents.iter().enumerate();
    let questions: Vec<Question> =
        numbered.filter_map(|(at, document)| question(task, source, document, at as u64)).collect();
    let prompts: Vec<Vec<u32>> = questions.iter().map(|question| question.tokens.clone()).collect();
    let longest = questions.iter().map(|question| question.asked.len()).max().unwrap_or(0);
    let search = Search::One(NextToken::Likeliest);
    let decoding = Decoding::of(plan, prompts.len(), source.frame(), Room::Unlimited, search);
    let mut decoder = Decoder::new(plan, decoding, host)?;
    let written = continued(&mut decoder, states, &prompts, longest + 4, host)?;
    let asked: Vec<Vec<u32>> = questions.iter().map(|question| question.asked.clone()).collect();
    let foretold = Foreteller::new(plan, decoding, host)?.foretold(states, &prompts, &asked, host)?;
    let all = questions.into_iter().zip(written).zip(foretold);
    let sample = |((question, tokens), foretold): ((Question, Vec<u32>), Vec<bool>)| Sample {
        marked: marked(source, &question.asked, &foretold),
        tokens: foretold.len(),
        right: foretold.iter().filter(|right| **right).count(),
        prompt: question.shown,
        expected: question.expected,
        written: source.shown(&tokens),
    };
    Ok(all.map(sample).collect())
}

/// A text with brackets around what is not foretold. What a token adds is what the text has more with it; of a letter
/// that is made of several tokens the last adds it.
fn marked(source: &Source, tokens: &[u32], foretold: &[bool]) -> String {
    let mut shown = String::new();
    let mut added: Vec<(bool, String)> = Vec::new();
    for (at, right) in foretold.iter().enumerate() {
        let next = source.shown(tokens.get(..=at).unwrap_or(tokens));
        let Some(more) = next.strip_prefix(shown.as_str()) else { continue };
        if more.ends_with(char::REPLACEMENT_CHARACTER) && at + 1 < foretold.len() {
            continue;
        }
        added.push((*right, more.to_string()));
        shown = next;
    }
    let part = |part: &[(bool, String)]| {
        let text: String = part.iter().map(|(_, more)| more.as_str()).collect();
        let word = text.trim_start();
        match part.first() {
            Some((false, _)) if !word.is_empty() => format!("{}[{word}]", &text[..text.len() - word.len()]),
            _ => text,
        }
    };
    let judged: String = added.chunk_by(|a, b| a.0 == b.0).map(part).collect();
    let whole = source.shown(tokens);
    match whole.strip_prefix(shown.as_str()).map(str::trim) {
        Some("") | None => judged,
        Some(rest) => format!("{judged} ({rest}: beyond its window)").trim_start().to_string(),
    }
}

/// What is cut out of a text, the translation of a phrase, or how a text goes on. `None` of a text of one token that is
/// to lose some.
fn question(task: Task, source: &Source, document: &Document, number: u64) -> Option<Question> {
    if task == Task::Spans {
        let (tokens, expected) = source.spans(document, number)?;
        let shown = source.shown(&tokens);
        let text = source.shown(&expected);
        return Some(Question { tokens, shown, expected: text, asked: expected });
    }
    let (shown, expected) = parted(document, task);
    let (tokens, asked) = (source.tokenizer().encode(&shown), source.target_tokenizer().encode(&expected));
    Some(Question { tokens, asked, shown, expected })
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;

    #[test]
    fn what_is_not_foretold_stands_in_brackets() {
        let mut config = Config::default();
        for set in ["data.documents=2000", "data.vocabulary=600", "data.sentinels=0"] {
            config.set(set).unwrap();
        }
        let source = Source::open(&config, |path| std::fs::read(path)).unwrap();
        let text = "four horses and 12 dogs at 5 o'clock, not zebrafinches \u{1F993}";
        let tokens = source.tokenizer().encode(text);
        let shown = source.shown(&tokens);
        let said = |foretold: &dyn Fn(usize) -> bool| {
            marked(&source, &tokens, &(0..tokens.len()).map(foretold).collect::<Vec<_>>())
        };
        assert_eq!(said(&|_| true), shown);
        assert_eq!(said(&|_| false), format!("[{shown}]"));
        for each in 2..5 {
            let some = said(&|at| at % each == 0);
            assert!(some.contains('[') && !some.contains("[ ") && !some.contains("[]"), "{some}");
            assert_eq!(some.replace(['[', ']'], ""), shown);
        }
        let begun = marked(&source, &tokens, &[true]);
        let first = source.shown(&tokens[..1]);
        assert!(begun.starts_with(&first) && begun.ends_with(": beyond its window)"), "{begun}");
        assert_eq!(marked(&source, &[], &[]), "");
    }

    #[test]
    fn samples_are_summed_up() {
        let sample = |written: &str, right| Sample {
            prompt: "a".into(),
            expected: "b c".into(),
            written: written.into(),
            marked: String::new(),
            tokens: 3,
            right,
        };
        let said = |task| summary(task, &[sample(" b c", 3), sample("b", 1)]);
        assert_eq!(
            said(Task::Next),
            "1 of 2 match the reference; 4 of 6 tokens correct under teacher forcing"
        );
        assert_eq!(said(Task::Speech), "1 of 2 match the reference; 4 of 6 labels correct");
        assert_eq!(said(Task::Classify), "4 of 6 images correct");
    }
}
