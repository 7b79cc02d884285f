//! The state of a reader and the small steps all grammar is made of.
//!
//! A step that fails has already reported why and returns [`Failed`], which carries nothing: whoever catches it decides
//! where to go on (see `block`). One token is looked at ahead; everything else is positions in the text.

use super::lexer::{Kind, Token, lex};
use super::loc::Locations;
use super::scope::Scope;
use super::symbols::Symbols;
use crate::{Spans, codes};
use meshwright_base::{Code, Diagnostic, IdMap, Span};
use meshwright_ir::{Function, InstId, Module};
use std::collections::BTreeMap;

/// A step did not succeed; the diagnostic is with the parser.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Failed;

pub type Parsed<T> = Result<T, Failed>;

/// Regions, types, attributes and brackets may nest this deep.
const DEPTH_LIMIT: usize = 100;
/// After as many diagnostics reading stops.
const ERROR_LIMIT: usize = 50;

pub struct Parser<'a> {
    pub text: &'a str,
    tok: Token,
    last_end: usize,
    depth: usize,
    /// Whether it was said that the text ends too early.
    ended: bool,
    pub diagnostics: Vec<Diagnostic>,
    pub module: Module,
    /// The function being read.
    pub func: Function,
    pub spans: Spans,
    pub func_spans: IdMap<InstId, Span>,
    pub scope: Scope<'a>,
    pub symbols: Symbols<'a>,
    pub locations: Locations<'a>,
    /// Where the value of each attribute alias starts.
    pub aliases: BTreeMap<&'a str, usize>,
    /// Bytes that aliases stood for so far.
    pub expanded: usize,
}

impl<'a> Parser<'a> {
    pub fn new(text: &'a str) -> Self {
        let mut module = Module::new("");
        module.funcs = IdMap::new();
        Parser {
            text,
            tok: lex(text, 0),
            last_end: 0,
            depth: 0,
            ended: false,
            diagnostics: Vec::new(),
            module,
            func: Function::new("", true),
            spans: IdMap::new(),
            func_spans: IdMap::new(),
            scope: Scope::default(),
            symbols: Symbols::default(),
            locations: Locations::default(),
            aliases: BTreeMap::new(),
            expanded: 0,
        }
    }

    pub fn peek(&self) -> Token {
        self.tok
    }

    /// End of the last token that was taken.
    pub fn last_end(&self) -> usize {
        self.last_end
    }

    /// Text of a token; it lies in the source by construction.
    pub fn str(&self, token: Token) -> &'a str {
        self.slice(token.start, token.end)
    }

    pub fn slice(&self, start: usize, end: usize) -> &'a str {
        self.text.get(start..end).unwrap_or("")
    }

    pub fn word(&self) -> &'a str {
        if self.tok.kind == Kind::Word { self.str(self.tok) } else { "" }
    }

    pub fn bump(&mut self) -> Token {
        let token = self.tok;
        self.last_end = token.end;
        self.tok = lex(self.text, token.end);
        token
    }

    /// Go on reading at byte `at`.
    pub fn jump(&mut self, at: usize) {
        self.last_end = at;
        self.tok = lex(self.text, at);
    }

    /// Read something elsewhere in the text, then come back.
    pub fn elsewhere<T>(&mut self, at: usize, read: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        let back = (self.tok, self.last_end);
        self.jump(at);
        let result = self.nested(read);
        (self.tok, self.last_end) = back;
        result
    }

    pub fn at_mark(&self, mark: u8) -> bool {
        self.tok.is(mark)
    }

    pub fn eat(&mut self, mark: u8) -> bool {
        let found = self.at_mark(mark);
        if found {
            self.bump();
        }
        found
    }

    pub fn eat_word(&mut self, word: &str) -> bool {
        let found = self.word() == word;
        if found {
            self.bump();
        }
        found
    }

    pub fn expect(&mut self, mark: u8) -> Parsed<()> {
        if self.eat(mark) { Ok(()) } else { Err(self.expected(&format!("`{}`", mark as char))) }
    }

    pub fn expect_word(&mut self, word: &str) -> Parsed<()> {
        if self.eat_word(word) { Ok(()) } else { Err(self.expected(&format!("`{word}`"))) }
    }

    pub fn expect_kind(&mut self, kind: Kind, what: &str) -> Parsed<Token> {
        if self.tok.kind == kind { Ok(self.bump()) } else { Err(self.expected(what)) }
    }

    pub fn expect_arrow(&mut self) -> Parsed<()> {
        self.expect_kind(Kind::Arrow, "`->`").map(|_| ())
    }

    /// `open item, item, .. close`.
    pub fn list(&mut self, open: u8, close: u8, item: impl FnMut(&mut Self) -> Parsed<()>) -> Parsed<()> {
        self.expect(open)?;
        if self.eat(close) {
            return Ok(());
        }
        self.items(item)?;
        self.expect(close)
    }

    /// `item, item, ..`, at least one.
    pub fn items(&mut self, mut item: impl FnMut(&mut Self) -> Parsed<()>) -> Parsed<()> {
        loop {
            item(self)?;
            if !self.eat(b',') {
                return Ok(());
            }
        }
    }

    /// One level deeper, if there is one left.
    pub fn nested<T>(&mut self, read: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth >= DEPTH_LIMIT {
            let message = format!("nested more than {DEPTH_LIMIT} levels deep");
            return Err(self.fail(codes::TOO_DEEP, self.tok.span(), message));
        }
        self.depth += 1;
        let result = read(self);
        self.depth -= 1;
        result
    }

    /// Report that the text ends where it may not; what follows from that is not reported too.
    pub fn cut_off(&mut self, message: String, at: Span) -> Failed {
        if std::mem::replace(&mut self.ended, true) {
            return Failed;
        }
        self.fail_help(
            codes::SYNTAX,
            at,
            message,
            "the text looks cut off: check that it was written completely",
        )
    }

    /// Report that something else was expected here.
    pub fn expected(&mut self, what: &str) -> Failed {
        let found = match self.tok.kind {
            Kind::End => {
                return self.cut_off(format!("expected {what}, found the end of the text"), self.tok.span());
            }
            Kind::Bad if self.str(self.tok).starts_with('"') => "a string that does not end".to_string(),
            Kind::Bad => format!("{:?}, which is no token", clip(self.str(self.tok))),
            _ => format!("`{}`", clip(self.str(self.tok))),
        };
        let diagnostic = Diagnostic::error(codes::SYNTAX, format!("expected {what}, found {found}"))
            .at(self.tok.span())
            .help(format!("write {what} here"));
        self.report(diagnostic)
    }

    pub fn fail(&mut self, code: Code, span: Span, message: impl Into<String>) -> Failed {
        self.report(Diagnostic::error(code, message).at(span))
    }

    pub fn fail_help(
        &mut self,
        code: Code,
        span: Span,
        message: impl Into<String>,
        help: impl Into<String>,
    ) -> Failed {
        self.report(Diagnostic::error(code, message).at(span).help(help))
    }

    pub fn report(&mut self, diagnostic: Diagnostic) -> Failed {
        if self.diagnostics.len() < ERROR_LIMIT {
            self.diagnostics.push(diagnostic);
        }
        Failed
    }

    /// Whether so much is wrong that reading on helps nobody.
    pub fn is_hopeless(&self) -> bool {
        self.diagnostics.len() >= ERROR_LIMIT
    }
}

/// The start of a text that may be long.
pub fn clip(text: &str) -> String {
    let mut chars = text.chars();
    let start: String = chars.by_ref().take(40).collect();
    if chars.next().is_some() { format!("{start}..") } else { start }
}
