//! Regions, blocks and lines of ops, and going on after a mistake.
//!
//! A line that cannot be read is passed over as a whole: to the next token at its own brace level that begins a line.
//! The names it would have defined are poisoned, so that lines using them are passed over without a word.

use super::lexer::{Kind, Token, lex};
use super::parser::{Failed, Parsed, Parser};
use super::scope::Entry;
use crate::codes;
use meshwright_base::{Diagnostic, Span, cancel};
use meshwright_ir::{BlockId, Editor, InstId, Type, ValueId};

/// `%name` or `%name:count` on the left of `=`.
#[derive(Clone, Copy)]
pub struct ResultName<'a> {
    pub name: &'a str,
    pub count: usize,
    pub at: Span,
}

/// What a line was.
#[derive(PartialEq, Eq)]
pub enum Line {
    Op,
    /// `return`: the block ends.
    Return,
}

/// A value that a parenthesis or `^bb0(..)` introduces.
pub struct Param<'a> {
    pub name: &'a str,
    pub at: Span,
    pub ty: Type,
}

/// How many results one name may stand for.
const GROUP_LIMIT: usize = 1 << 20;

impl<'a> Parser<'a> {
    /// `{ .. }` into a new block that takes `params`, unless the text gives its own by `^bb0(..)`.
    pub fn region(&mut self, params: Vec<Param<'a>>) -> Parsed<BlockId> {
        let block = Editor::new(&mut self.func).block();
        self.region_into(block, params)?;
        Ok(block)
    }

    pub fn region_into(&mut self, block: BlockId, params: Vec<Param<'a>>) -> Parsed<()> {
        self.nested(|p| {
            let mark = p.scope.mark();
            let result = p.region_body(block, params);
            p.scope.undo(mark);
            result
        })
    }

    fn region_body(&mut self, block: BlockId, params: Vec<Param<'a>>) -> Parsed<()> {
        let open = self.peek().span();
        self.expect(b'{')?;
        for param in params {
            self.define_param(block, param)?;
        }
        if self.peek().kind == Kind::Block {
            self.block_header(block)?;
        }
        let mut returned = false;
        while !self.at_mark(b'}') {
            if self.peek().kind == Kind::End {
                return Err(self.cut_off("the text ends inside of this region".to_string(), open));
            }
            self.refuse_more_blocks(returned)?;
            let start = self.peek();
            match self.line(block) {
                Ok(line) => returned = line == Line::Return,
                Err(Failed) => self.pass_over(start),
            }
            if self.is_hopeless() {
                return Err(Failed);
            }
        }
        self.bump();
        Ok(())
    }

    fn refuse_more_blocks(&mut self, returned: bool) -> Parsed<()> {
        let token = self.peek();
        if token.kind == Kind::Block {
            let message = "a region of several blocks is not supported";
            let help = "write control flow with `stablehlo.while`, `stablehlo.if` and `stablehlo.case`";
            return Err(self.fail_help(codes::UNSUPPORTED, token.span(), message, help));
        }
        if returned {
            let message = "nothing may follow the return of a block";
            let help = "write this before the return, or take one of two returns away";
            return Err(self.fail_help(codes::SYNTAX, token.span(), message, help));
        }
        Ok(())
    }

    /// `^bb0(%a: T, ..):`
    fn block_header(&mut self, block: BlockId) -> Parsed<()> {
        self.bump();
        if self.at_mark(b'(') {
            for param in self.params()? {
                self.define_param(block, param)?;
            }
        }
        self.expect(b':')
    }

    /// `(%a: T loc(..), ..)`.
    pub fn params(&mut self) -> Parsed<Vec<Param<'a>>> {
        let mut params = Vec::new();
        self.list(b'(', b')', |p| {
            let token = p.expect_kind(Kind::Value, "a value name")?;
            p.expect(b':')?;
            let ty = p.ty()?;
            p.opt_loc()?;
            params.push(Param { name: p.str(token), at: token.span(), ty });
            Ok(())
        })?;
        Ok(params)
    }

    pub fn define_param(&mut self, block: BlockId, param: Param<'a>) -> Parsed<ValueId> {
        let mut editor = Editor::new(&mut self.func);
        let value = editor.param(block, param.ty);
        editor.set_name(value, Some(bare(param.name).into()));
        self.define(param.name, Entry::Value(value), param.at)?;
        Ok(value)
    }

    pub fn define(&mut self, name: &'a str, entry: Entry, at: Span) -> Parsed<()> {
        let Err(earlier) = self.scope.define(name, entry, at) else { return Ok(()) };
        let diagnostic = Diagnostic::error(codes::DEFINED_TWICE, format!("`{name}` is defined twice"))
            .at(at)
            .label(Some(meshwright_base::diagnostic::Place::Span(earlier)), "first here")
            .help("rename one of them");
        Err(self.report(diagnostic))
    }

    /// One op with its result names, or a return.
    fn line(&mut self, block: BlockId) -> Parsed<Line> {
        cancel::look();
        let start = self.peek();
        let names = self.result_names()?;
        let result = self.op(block, &names, start);
        if result.is_err() {
            for name in &names {
                // A name that is already visible keeps its meaning.
                let _ = self.scope.define(name.name, Entry::Poison, name.at);
            }
        }
        result
    }

    fn result_names(&mut self) -> Parsed<Vec<ResultName<'a>>> {
        let mut names = Vec::new();
        if self.peek().kind != Kind::Value {
            return Ok(names);
        }
        self.items(|p| {
            let token = p.expect_kind(Kind::Value, "a value name")?;
            let count = if p.eat(b':') { p.group_count()? } else { 1 };
            names.push(ResultName { name: p.str(token), count, at: token.span() });
            Ok(())
        })?;
        self.expect(b'=')?;
        Ok(names)
    }

    fn group_count(&mut self) -> Parsed<usize> {
        let token = self.expect_kind(Kind::Int, "the number of results")?;
        match self.str(token).parse() {
            Ok(count) if (1..=GROUP_LIMIT).contains(&count) => Ok(count),
            _ => {
                let message =
                    format!("a name stands for 1 to {GROUP_LIMIT} results, not `{}`", self.str(token));
                Err(self.fail(codes::SYNTAX, token.span(), message))
            }
        }
    }

    /// Bind the names on the left to the results of an instruction.
    pub fn name_results(&mut self, names: &[ResultName<'a>], inst: InstId, at: Span) -> Parsed<()> {
        // Where no result has a name of its own, one name stands for all of them.
        if let (Some(group), true) = (names.first(), names.iter().all(|name| name.count > 1)) {
            Editor::new(&mut self.func).set_inst_name(inst, Some(bare(group.name).into()));
        }
        let results = self.func.inst(inst).results.clone();
        self.name_values(names, &results, at)
    }

    /// Bind the names on the left to the values that an op gives.
    pub fn name_values(&mut self, names: &[ResultName<'a>], results: &[ValueId], at: Span) -> Parsed<()> {
        let named: usize = names.iter().map(|name| name.count).sum();
        if named != results.len() && !names.is_empty() {
            let message = format!("{} results are named, but the op has {}", named, results.len());
            return Err(self.fail(codes::WRONG_TYPE, at, message));
        }
        let mut rest = results;
        for name in names {
            let values = rest.split_off(..name.count).unwrap_or_default();
            let entry = match values {
                [value] if name.count == 1 => {
                    Editor::new(&mut self.func).set_name(*value, Some(bare(name.name).into()));
                    Entry::Value(*value)
                }
                _ => Entry::Group(values.to_vec()),
            };
            self.define(name.name, entry, name.at)?;
        }
        Ok(())
    }

    /// Skip the line that began at `start` and failed somewhere in it.
    fn pass_over(&mut self, start: Token) {
        let failed_at = self.peek().start.max(start.end);
        let mut level = 0i64;
        let mut token = start;
        loop {
            match token.kind {
                Kind::End => break,
                Kind::Mark(b'{') => level += 1,
                Kind::Mark(b'}') if level <= 0 => break,
                Kind::Mark(b'}') => level -= 1,
                _ => {}
            }
            let next = lex(self.text, token.end);
            let gap = self.slice(token.end, next.start);
            let begins_line = gap.contains('\n') && starts_line(self.slice(next.start, next.end), next.kind);
            token = next;
            if level <= 0 && begins_line && token.start >= failed_at {
                break;
            }
        }
        self.jump(token.start);
    }
}

/// Whether a token can begin an op; words that continue one onto its next line cannot.
fn starts_line(text: &str, kind: Kind) -> bool {
    match kind {
        Kind::Value | Kind::Str => true,
        Kind::Word => !matches!(text, "cond" | "do" | "reducer" | "else" | "attributes" | "loc"),
        _ => false,
    }
}

/// A value's name without `%`.
pub fn bare(name: &str) -> &str {
    name.strip_prefix('%').unwrap_or(name)
}
