//! Reading an einsum's spec: `"bd,df->bf"`, with spaces, `...`, and an output that may be left out.
//!
//! Every error points into the spec.

use meshwright_base::Span;
use meshwright_base::arrange::Arrange;

/// The letters of each operand and of the output. `...` has been replaced by letters of its own.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Spec {
    pub inputs: Vec<Vec<Letter>>,
    pub output: Vec<Letter>,
}

/// A letter and where it stands.
#[derive(Clone, Copy, Debug)]
pub(super) struct Letter {
    pub name: char,
    pub span: Span,
}

impl PartialEq for Letter {
    fn eq(&self, other: &Letter) -> bool {
        self.name == other.name
    }
}
impl Eq for Letter {}

/// What is wrong, where, and what to do.
pub(super) struct Bad {
    pub message: String,
    pub span: Span,
    pub help: String,
}

fn bad(message: impl Into<String>, span: Span, help: impl Into<String>) -> Bad {
    Bad { message: message.into(), span, help: help.into() }
}

/// Stands for `...` until the ranks are known.
const DOTS: char = '.';

/// The letters that `...` becomes, from the last dim back: characters that nobody can write.
fn dots_letter(from_end: usize) -> char {
    char::from_u32(0xe000 + from_end as u32).unwrap_or('\u{e000}')
}

/// Read a spec for operands of these ranks.
pub(super) fn read(text: &str, ranks: &[usize]) -> Result<Spec, Bad> {
    let (left, right) = match text.find("->") {
        Some(at) => (&text[..at], Some((&text[at + 2..], at + 2))),
        None => (text, None),
    };
    let mut inputs = Vec::new();
    let mut start = 0;
    for term in left.split(',') {
        inputs.push((letters(term, start)?, Span::new(start, start + term.len())));
        start += term.len() + 1;
    }
    if inputs.len() != ranks.len() {
        let message = format!("the spec has {} terms, but {} tensors are given", inputs.len(), ranks.len());
        return Err(bad(
            message,
            Span::new(0, left.len().max(1)),
            "write one term per tensor, separated by `,`",
        ));
    }
    let mut out = Spec { inputs: Vec::new(), output: Vec::new() };
    for (at, ((term, span), rank)) in inputs.into_iter().zip(ranks).enumerate() {
        out.inputs.push(fit(term, *rank, at, span)?);
    }
    out.output = match right {
        Some((term, start)) => output(letters(term, start)?, &out.inputs)?,
        None => implied(&out.inputs),
    };
    Ok(out)
}

fn letters(term: &str, start: usize) -> Result<Vec<Letter>, Bad> {
    let mut out: Vec<Letter> = Vec::new();
    let mut dots = 0;
    for (at, name) in term.char_indices() {
        let span = Span::new(start + at, start + at + name.len_utf8());
        match name {
            ' ' => {}
            '.' => {
                dots += 1;
                if dots % 3 == 0 {
                    out.push(Letter {
                        name: DOTS,
                        span: Span { start: span.start.saturating_sub(2), ..span },
                    });
                }
            }
            _ if name.is_alphabetic() => out.push(Letter { name, span }),
            _ => {
                return Err(bad(
                    format!("`{name}` is not a letter"),
                    span,
                    "name each dim by one letter, as in `bd,df->bf`",
                ));
            }
        }
    }
    if dots % 3 != 0 || dots > 3 {
        let span = Span::new(start, start + term.len());
        return Err(bad(
            "dims without letters are written as three dots, once per term",
            span,
            "write `...`",
        ));
    }
    Ok(out)
}

/// Letters for each dim of an operand.
fn fit(term: Vec<Letter>, rank: usize, at: usize, span: Span) -> Result<Vec<Letter>, Bad> {
    let named = term.iter().filter(|letter| letter.name != DOTS).count();
    let has_dots = named < term.len();
    if named > rank || (named < rank && !has_dots) {
        let message = format!("the term names {named} dims, but tensor {at} has {rank}");
        return Err(bad(message, span, "write one letter per dim, or `...` for the dims that are not named"));
    }
    let expand = |letter: Letter| match letter.name {
        DOTS => (0..rank - named).rev().map(|n| Letter { name: dots_letter(n), ..letter }).collect(),
        _ => vec![letter],
    };
    Ok(term.into_iter().flat_map(expand).collect())
}

fn output(term: Vec<Letter>, inputs: &[Vec<Letter>]) -> Result<Vec<Letter>, Bad> {
    let all = dots_of(inputs);
    let mut out: Vec<Letter> = Vec::new();
    for letter in term {
        if letter.name == DOTS {
            out.extend(all.iter().map(|name| Letter { name: *name, ..letter }));
            continue;
        }
        if !inputs.iter().flatten().any(|known| known.name == letter.name) {
            let message = format!("`{}` stands in the output, but in no tensor", letter.name);
            return Err(bad(message, letter.span, "the output can only have dims of the tensors"));
        }
        if out.contains(&letter) {
            let message = format!("`{}` stands in the output twice", letter.name);
            return Err(bad(message, letter.span, "name each dim of the output once"));
        }
        out.push(letter);
    }
    Ok(out)
}

/// The letters of all `...`, as the longest of them.
fn dots_of(inputs: &[Vec<Letter>]) -> Vec<char> {
    let is_dots = |letter: &&Letter| ('\u{e000}'..'\u{f000}').contains(&letter.name);
    let count = inputs.iter().map(|term| term.iter().filter(is_dots).count()).max().unwrap_or(0);
    (0..count).rev().map(dots_letter).collect()
}

/// Without `->`: the dims of `...`, then the letters that stand once, by alphabet.
fn implied(inputs: &[Vec<Letter>]) -> Vec<Letter> {
    let dots = dots_of(inputs);
    let span = Span::new(0, 0);
    let count = |name: char| inputs.iter().flatten().filter(|letter| letter.name == name).count();
    let mut once: Vec<Letter> = inputs.iter().flatten().copied().collect();
    once.retain(|letter| count(letter.name) == 1 && !dots.contains(&letter.name));
    once.arrange_by_key(|letter| letter.name);
    dots.into_iter().map(|name| Letter { name, span }).chain(once).collect()
}
