//! The patterns by which published tokenizers cut text into words: a small part of regular expressions, with Unicode's
//! categories.
//!
//! ```text
//! a|b  (..)  (?:..)  (?i:..)  (?!..)  (?=..)      alternatives, groups, and a look at what comes next
//! x?  x*  x+  x{2,4}  x*+                         repeats, as long as they go; with `+` they give nothing back
//! [^\r\n\p{L}]  \p{Lu}  \P{N}  \s  \S  \d  \r  .  one character
//! ```
//!
//! What else there is in patterns is refused by name. The first alternative that fits wins, as in the engines that such
//! patterns were written for. Only single characters are repeated without end. [`matcher`] says why no pattern takes
//! more than linear time.

mod matcher;

use super::json_parts::outside;
use super::refuse;
use matcher::{MOST_SLOTS, Matcher, Program};
use meshwright_base::Diagnostic;
use std::borrow::Cow;
use std::ops::Range;
use unicode_properties::{GeneralCategory, UnicodeGeneralCategory};

/// Groups inside groups.
const DEEPEST: usize = 32;

/// Most times that a group is repeated.
const MOST_GROUPS: usize = 16;

/// The longest pattern, in bytes, and the largest once its repeats are written out.
const LONGEST: usize = 10_000;
const MOST_PARTS: usize = 4096;

/// Characters of a pattern that a message shows.
const SHOWN: usize = 80;

/// A compiled pattern.
#[derive(Clone, PartialEq, Debug)]
pub struct Pattern(Program);

#[derive(Clone, PartialEq, Debug)]
enum Node {
    One(Set),
    /// All of them, one after the other.
    Row(Vec<Node>),
    /// The first that lets the rest fit.
    Any(Vec<Node>),
    Repeat(Repeat, Box<Node>),
    /// What comes next fits, or does not; it is not taken.
    Look {
        fits: bool,
        node: Box<Node>,
    },
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Repeat {
    least: usize,
    most: usize,
    /// What it took it keeps, though the rest may not fit for that.
    keeps: bool,
}

/// Some characters.
#[derive(Clone, PartialEq, Debug, Default)]
struct Set {
    items: Vec<Item>,
    is_negated: bool,
    folds_case: bool,
}

#[derive(Clone, PartialEq, Debug)]
enum Item {
    Between(char, char),
    /// Categories whose names begin so: `L` is `Lu`, `Ll`, `Lt`, `Lm` and `Lo`.
    Category(String),
    Space,
    Digit,
    Not(Box<Item>),
}

impl Set {
    fn has(&self, c: char) -> bool {
        let is_in = |c: char| self.items.iter().any(|item| item.has(c));
        let found = is_in(c) || self.folds_case && (is_in(folded(c)) || is_in(upper(c)));
        found != self.is_negated
    }
}

impl Item {
    fn has(&self, c: char) -> bool {
        match self {
            Item::Between(low, high) => (*low..=*high).contains(&c),
            Item::Category(name) => abbreviation(c.general_category()).starts_with(name.as_str()),
            Item::Space => c.is_whitespace(),
            Item::Digit => c.general_category() == GeneralCategory::DecimalNumber,
            Item::Not(item) => !item.has(c),
        }
    }
}

/// Small, also of the two letters whose small form is another letter's.
fn folded(c: char) -> char {
    if c == '\u{17F}' { 's' } else { c.to_lowercase().next().unwrap_or(c) }
}

fn upper(c: char) -> char {
    c.to_uppercase().next().unwrap_or(c)
}

fn abbreviation(category: GeneralCategory) -> &'static str {
    use GeneralCategory::*;
    match category {
        UppercaseLetter => "Lu",
        LowercaseLetter => "Ll",
        TitlecaseLetter => "Lt",
        ModifierLetter => "Lm",
        OtherLetter => "Lo",
        NonspacingMark => "Mn",
        SpacingMark => "Mc",
        EnclosingMark => "Me",
        DecimalNumber => "Nd",
        LetterNumber => "Nl",
        OtherNumber => "No",
        ConnectorPunctuation => "Pc",
        DashPunctuation => "Pd",
        OpenPunctuation => "Ps",
        ClosePunctuation => "Pe",
        InitialPunctuation => "Pi",
        FinalPunctuation => "Pf",
        OtherPunctuation => "Po",
        MathSymbol => "Sm",
        CurrencySymbol => "Sc",
        ModifierSymbol => "Sk",
        OtherSymbol => "So",
        SpaceSeparator => "Zs",
        LineSeparator => "Zl",
        ParagraphSeparator => "Zp",
        Control => "Cc",
        Format => "Cf",
        Surrogate => "Cs",
        PrivateUse => "Co",
        Unassigned => "Cn",
    }
}

const CATEGORIES: &str =
    "L Lu Ll Lt Lm Lo M Mn Mc Me N Nd Nl No P Pc Pd Ps Pe Pi Pf Po S Sm Sc Sk So Z Zs Zl Zp C Cc Cf Co Cn";

impl Pattern {
    pub fn read(text: &str) -> Result<Pattern, Diagnostic> {
        let mut reader = Reader { text, at: 0, folds_case: false };
        if text.len() > LONGEST {
            return Err(reader.foreign(&format!("more than {LONGEST} bytes ({})", text.len())));
        }
        let node = reader.any(0)?;
        if !reader.rest().is_empty() {
            return Err(reader.broken("a `)` too many"));
        }
        let too_large =
            format!("more than {MOST_PARTS} parts or {MOST_SLOTS} choices, with repeats written out,");
        let program = Program::of(&node);
        program.map(Pattern).ok_or_else(|| reader.foreign(&too_large))
    }

    /// Cuts a text in two kinds of parts, in order: what fits, and what lies between.
    pub fn cut(&self, text: &str) -> Vec<Range<usize>> {
        self.cut_counting(text).0
    }

    /// Cuts a text, and returns the steps of the matcher too.
    fn cut_counting(&self, text: &str) -> (Vec<Range<usize>>, usize) {
        let mut matcher = Matcher::new(&self.0, text);
        let mut parts: Vec<Range<usize>> = Vec::new();
        let (mut begin, mut at) = (0, 0);
        while let Some(c) = text.get(at..).and_then(|rest| rest.chars().next()) {
            match matcher.end(at).filter(|end| *end > at) {
                Some(end) => {
                    parts.extend((begin < at).then_some(begin..at));
                    parts.push(at..end);
                    (begin, at) = (end, end);
                }
                None => at += c.len_utf8(),
            }
        }
        parts.extend((begin < text.len()).then_some(begin..text.len()));
        (parts, matcher.steps)
    }
}

/// Reads a pattern from left to right.
struct Reader<'a> {
    text: &'a str,
    at: usize,
    /// Inside of `(?i:`.
    folds_case: bool,
}

impl<'a> Reader<'a> {
    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or("")
    }

    fn take(&mut self, word: &str) -> bool {
        let is_there = self.rest().starts_with(word);
        self.at += if is_there { word.len() } else { 0 };
        is_there
    }

    fn one(&mut self) -> Result<char, Diagnostic> {
        let c = self.rest().chars().next().ok_or_else(|| self.broken("it ends early"))?;
        self.at += c.len_utf8();
        Ok(c)
    }

    /// The pattern, cut short if it is long.
    fn excerpt(&self) -> Cow<'a, str> {
        match self.text.char_indices().nth(SHOWN) {
            Some((end, _)) => format!("{}..", &self.text[..end]).into(),
            None => self.text.into(),
        }
    }

    fn broken(&self, what: &str) -> Diagnostic {
        let message = format!(
            "the pattern `{}` of this `tokenizer.json` is broken at byte {}: {what}",
            self.excerpt(),
            self.at
        );
        refuse(message, "fetch the file again, or give a `.model`")
    }

    fn foreign(&self, what: &str) -> Diagnostic {
        outside(&format!("{what} in the pattern `{}`", self.excerpt()))
    }

    fn any(&mut self, depth: usize) -> Result<Node, Diagnostic> {
        if depth > DEEPEST {
            return Err(self.foreign("groups so deep"));
        }
        let mut all = vec![self.row(depth)?];
        while self.take("|") {
            all.push(self.row(depth)?);
        }
        Ok(if all.len() == 1 { all.remove(0) } else { Node::Any(all) })
    }

    fn row(&mut self, depth: usize) -> Result<Node, Diagnostic> {
        let mut all = Vec::new();
        while !self.rest().is_empty() && !self.rest().starts_with(['|', ')']) {
            let node = self.single(depth)?;
            all.push(self.repeated(node)?);
        }
        Ok(Node::Row(all))
    }

    fn single(&mut self, depth: usize) -> Result<Node, Diagnostic> {
        match self.one()? {
            '(' => self.group(depth),
            '[' => self.set().map(Node::One),
            '.' => Ok(self.set_of(Item::Not(Box::new(Item::Between('\n', '\n'))))),
            '\\' => self.escaped().map(|item| self.set_of(item)),
            c @ ('^' | '$' | '*' | '+' | '?' | '{') => Err(self.foreign(&format!("`{c}`"))),
            c => Ok(self.set_of(Item::Between(c, c))),
        }
    }

    fn set_of(&self, item: Item) -> Node {
        Node::One(Set { items: vec![item], is_negated: false, folds_case: self.folds_case })
    }

    fn group(&mut self, depth: usize) -> Result<Node, Diagnostic> {
        let before = self.folds_case;
        let look = match () {
            () if self.take("?!") => Some(false),
            () if self.take("?=") => Some(true),
            () if self.take("?:") => None,
            () if self.take("?i:") => {
                self.folds_case = true;
                None
            }
            () if self.rest().starts_with('?') => return Err(self.foreign("a group of another kind")),
            () => None,
        };
        let node = self.any(depth + 1)?;
        self.folds_case = before;
        if !self.take(")") {
            return Err(self.broken("a `)` is missing"));
        }
        Ok(look.map_or(node.clone(), |fits| Node::Look { fits, node: Box::new(node) }))
    }

    fn repeated(&mut self, node: Node) -> Result<Node, Diagnostic> {
        let (least, most) = match () {
            () if self.take("?") => (0, 1),
            () if self.take("*") => (0, usize::MAX),
            () if self.take("+") => (1, usize::MAX),
            () if self.take("{") => self.times()?,
            () => return Ok(node),
        };
        if self.rest().starts_with('?') {
            return Err(self.foreign("a repeat that takes as little as it can"));
        }
        if most > MOST_GROUPS && !matches!(node, Node::One(_)) {
            return Err(self.foreign("a group that is repeated without end"));
        }
        let keeps = self.take("+");
        if keeps && !matches!(node, Node::One(_)) {
            return Err(self.foreign("a group that gives nothing back"));
        }
        Ok(Node::Repeat(Repeat { least, most, keeps }, Box::new(node)))
    }

    /// `2}`, `2,}` or `2,4}`.
    fn times(&mut self) -> Result<(usize, usize), Diagnostic> {
        let end = self.rest().find('}').ok_or_else(|| self.broken("a `}` is missing"))?;
        let text = self.rest().get(..end).unwrap_or("");
        let (least, most) = text.split_once(',').unwrap_or((text, text));
        let most = if most.is_empty() { Some(usize::MAX) } else { most.parse().ok() };
        let found = least.parse().ok().zip(most).filter(|(least, most)| least <= most);
        self.at += end + 1;
        found.ok_or_else(|| self.broken("no number of times"))
    }

    fn set(&mut self) -> Result<Set, Diagnostic> {
        let mut set = Set { items: Vec::new(), is_negated: self.take("^"), folds_case: self.folds_case };
        while !self.take("]") {
            if self.rest().starts_with("&&") || self.rest().starts_with("[") {
                return Err(self.foreign("a set inside of a set"));
            }
            let item = match self.one()? {
                '\\' => self.escaped()?,
                c => Item::Between(c, c),
            };
            let goes_on = self.rest().starts_with('-') && !self.rest().starts_with("-]");
            set.items.push(match item {
                Item::Between(low, _) if goes_on => self.up_from(low)?,
                item => item,
            });
        }
        if set.items.is_empty() { Err(self.broken("a set of nothing")) } else { Ok(set) }
    }

    /// The rest of `a-z`.
    fn up_from(&mut self, low: char) -> Result<Item, Diagnostic> {
        self.take("-");
        let high = match self.one()? {
            '\\' => self.escaped()?,
            c => Item::Between(c, c),
        };
        match high {
            Item::Between(high, _) if low <= high => Ok(Item::Between(low, high)),
            _ => Err(self.broken("a range that goes down")),
        }
    }

    /// What stands behind `\`.
    fn escaped(&mut self) -> Result<Item, Diagnostic> {
        let letter = |c: char| Ok(Item::Between(c, c));
        match self.one()? {
            'r' => letter('\r'),
            'n' => letter('\n'),
            't' => letter('\t'),
            's' => Ok(Item::Space),
            'S' => Ok(Item::Not(Box::new(Item::Space))),
            'd' => Ok(Item::Digit),
            'D' => Ok(Item::Not(Box::new(Item::Digit))),
            'p' => self.category(),
            'P' => Ok(Item::Not(Box::new(self.category()?))),
            c if c.is_ascii_punctuation() => letter(c),
            c => Err(self.foreign(&format!("`\\{c}`"))),
        }
    }

    fn category(&mut self) -> Result<Item, Diagnostic> {
        let end = self.rest().find('}').filter(|_| self.rest().starts_with('{'));
        let name = end.and_then(|end| self.rest().get(1..end)).ok_or_else(|| self.broken("no `{NAME}`"))?;
        if !CATEGORIES.split(' ').any(|known| known == name) {
            return Err(self.foreign(&format!("`\\p{{{name}}}`")));
        }
        self.at += name.len() + 2;
        Ok(Item::Category(name.to_string()))
    }
}

#[cfg(test)]
mod tests;
