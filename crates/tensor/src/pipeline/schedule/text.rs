//! Schedules as text: a line for each stage, in order.
//!
//! ```text
//! # forward, backward, both halves of a backward pass; rounds behind a dot
//! F0 F1 B0 I1 W1 F0.1
//! ```

use super::{Phase, Schedule, Spot, Work};
use crate::codes;
use meshwright_base::diagnostic::Place;
use meshwright_base::{Diagnostic, Span};
use std::fmt;

/// Microbatches and rounds are numbered below this.
const MOST: i64 = 1 << 20;

impl fmt::Display for Work {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.phase.letter(), self.microbatch)?;
        if self.round > 0 { write!(f, ".{}", self.round) } else { Ok(()) }
    }
}

impl fmt::Display for Schedule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.orders.iter().try_for_each(|order| {
            let words: Vec<String> = order.iter().map(Work::to_string).collect();
            writeln!(f, "{}", words.join(" "))
        })
    }
}

impl Schedule {
    /// Read what is printed. `F3` is the forward pass of microbatch 3, `B3` its backward pass, `I3` and `W3` the halves
    /// of that; `F3.1` is in round 1. What stands behind a `#` is a comment.
    ///
    /// ```
    /// use meshwright_tensor::schedule::*;
    /// let text = "F0 F1 B0 B1\nF0 B0 F1 B1 # the last stage turns at once\n";
    /// let schedule = Schedule::parse(text).expect("it is one");
    /// assert_eq!((schedule.stages(), schedule.microbatches()), (2, 2));
    /// ```
    pub fn parse(text: &str) -> Result<Schedule, Diagnostic> {
        let mut orders: Vec<Vec<Work>> = Vec::new();
        let mut spans: Vec<Vec<Span>> = Vec::new();
        let mut start = 0;
        for line in text.split('\n') {
            let said = line.split('#').next().unwrap_or("");
            let words = words(said, start);
            if !words.is_empty() {
                let order = words.iter().map(|(word, span)| read(word).ok_or_else(|| unknown(word, *span)));
                orders.push(order.collect::<Result<_, _>>()?);
                spans.push(words.into_iter().map(|(_, span)| span).collect());
            }
            start += line.len() + 1;
        }
        let place = |spot: Spot| spans.get(spot.stage)?.get(spot.at).copied().map(Place::Span);
        Schedule::of(orders).map_err(|fault| fault.told(place))
    }
}

/// The words of a line, with where they stand.
fn words(line: &str, start: usize) -> Vec<(&str, Span)> {
    let within = |word: &str| word.as_ptr() as usize - line.as_ptr() as usize + start;
    line.split_whitespace().map(|word| (word, Span::new(within(word), within(word) + word.len()))).collect()
}

fn read(word: &str) -> Option<Work> {
    let letter = word.chars().next()?;
    let phase = Phase::ALL.into_iter().find(|phase| phase.letter() == letter)?;
    let (microbatch, round) = word[1..].split_once('.').unwrap_or((&word[1..], "0"));
    let number = |text: &str| {
        let is_plain = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        text.parse().ok().filter(|number| is_plain && (0..MOST).contains(number))
    };
    Some(Work { phase, microbatch: number(microbatch)?, round: number(round)? })
}

fn unknown(word: &str, span: Span) -> Diagnostic {
    Diagnostic::error(codes::CONTROL, format!("`{word}` is nothing that a stage does")).at(span).help(
        "`F3` is the forward pass of microbatch 3, `B3` its backward pass, `I3` and `W3` the halves of that (gradients of \
         inputs, of weights); `F3.1` is in round 1",
    )
}
