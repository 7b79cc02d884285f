//! Locations: `loc(#loc5)`, `loc("jit(f)/add"(callsite("g"("a.py":3:1 to :9) at ..)))`.
//!
//! While ops are read a location is only skipped and numbered by its text; at the end each distinct one is read once,
//! with the aliases the text defines. The outermost name is the op's name, a name around a place is its function.

use super::lexer::Kind;
use super::parser::{Parsed, Parser, clip};
use super::tree::write_string;
use crate::codes;
use meshwright_base::Id;
use meshwright_base::Span;
use meshwright_base::arrange::Arrange;
use meshwright_ir::{Editor, Frame, FuncId, Source, SourceId};
use std::collections::{BTreeMap, HashMap};
use std::fmt::Write;
use std::sync::Arc;

/// Longer call stacks are cut: what is deeper is of no use, and aliases could make it grow without bound.
const FRAME_LIMIT: usize = 200;

/// Locations met so far.
#[derive(Default)]
pub struct Locations<'a> {
    // lookup only: the ids are handed out in the order of the text.
    ids: HashMap<&'a str, SourceId>,
    /// Where the text of each id starts.
    pending: Vec<(SourceId, usize)>,
    /// Where the value of each alias starts.
    aliases: BTreeMap<&'a str, usize>,
    /// Parameters whose location may be a name: function, number, location.
    params: Vec<(FuncId, usize, SourceId)>,
    resolved: BTreeMap<&'a str, Stack>,
}

/// A location that is being put together: names without a place yet (outermost first), and frames (innermost first).
#[derive(Clone, Default)]
struct Stack {
    names: Vec<Arc<str>>,
    frames: Vec<Frame>,
}

impl<'a> Locations<'a> {
    pub fn define(&mut self, name: &'a str, at: usize) {
        self.aliases.insert(name, at);
    }
}

impl<'a> Parser<'a> {
    /// `loc(..)` if there is one.
    pub fn opt_loc(&mut self) -> Parsed<SourceId> {
        if self.word() != "loc" {
            return Ok(SourceId::unknown());
        }
        self.bump();
        let open = self.peek();
        self.expect(b'(')?;
        self.skip_parens(open.span())?;
        let text = self.slice(open.end, self.last_end() - 1).trim();
        if text == "unknown" {
            return Ok(SourceId::unknown());
        }
        if let Some(id) = self.locations.ids.get(text) {
            return Ok(*id);
        }
        let id = self.module.sources.push(Source::default());
        self.locations.ids.insert(text, id);
        self.locations.pending.push((id, open.end));
        Ok(id)
    }

    /// A parameter of the function that is being read has this location.
    pub fn note_param(&mut self, index: usize, source: SourceId) {
        if source != SourceId::unknown() {
            let func = FuncId::from_index(self.module.funcs.len());
            self.locations.params.push((func, index, source));
        }
    }

    /// To behind the parenthesis that closes the one just taken.
    fn skip_parens(&mut self, open: Span) -> Parsed<()> {
        let mut level = 1usize;
        while level > 0 {
            match self.peek().kind {
                Kind::Mark(b'(') => level += 1,
                Kind::Mark(b')') => level -= 1,
                Kind::End => return Err(self.fail(codes::SYNTAX, open, "this location is never closed")),
                Kind::Bad => return Err(self.expected("a location")),
                _ => {}
            }
            self.bump();
        }
        Ok(())
    }

    /// Read all locations that were met. To be called when every alias is known.
    pub fn finish_locations(&mut self) {
        // Writers define what an alias names before it: so read, long stacks of calls take no deep recursion.
        let mut aliases: Vec<(&str, usize)> = self.locations.aliases.clone().into_iter().collect();
        aliases.arrange_by_key(|(_, at)| *at);
        for (name, at) in aliases {
            let _ = self.alias(name, at);
        }
        for (id, at) in std::mem::take(&mut self.locations.pending) {
            let Ok(stack) = self.elsewhere(at, Self::stack) else { continue };
            self.module.sources[id] = stack.into_source();
        }
        for (func, index, source) in std::mem::take(&mut self.locations.params) {
            let name = self.module.sources[source].op_name.clone();
            if self.module.funcs.get(func).is_none() {
                continue;
            }
            let mut editor = Editor::new(&mut self.module.funcs[func]);
            if let Some(info) = editor.param_info_mut().get_mut(index) {
                info.name = name;
            }
        }
    }

    fn alias(&mut self, name: &'a str, at: usize) -> Parsed<Stack> {
        if let Some(done) = self.locations.resolved.get(name) {
            return Ok(done.clone());
        }
        // An alias that names itself finds this instead of going round.
        self.locations.resolved.insert(name, Stack::default());
        let stack = self.elsewhere(at, |p| {
            p.expect_word("loc")?;
            p.expect(b'(')?;
            p.stack()
        })?;
        self.locations.resolved.insert(name, stack.clone());
        Ok(stack)
    }

    fn stack(&mut self) -> Parsed<Stack> {
        self.nested(|p| match p.peek().kind {
            Kind::Hash => p.stack_of_alias(),
            Kind::Str => p.stack_of_string(),
            _ => p.stack_of_word(),
        })
    }

    fn stack_of_alias(&mut self) -> Parsed<Stack> {
        let token = self.bump();
        let name = self.str(token);
        match self.locations.aliases.get(name).copied() {
            Some(at) => self.alias(name, at),
            None => {
                let message = format!("location `{}` is not defined", clip(name));
                let help = format!("define it at the end of the text: `{name} = loc(\"name\")`");
                Err(self.fail_help(codes::UNDEFINED, token.span(), message, help))
            }
        }
    }

    fn stack_of_word(&mut self) -> Parsed<Stack> {
        match self.word() {
            "unknown" => {
                self.bump();
                Ok(Stack::default())
            }
            "callsite" => {
                self.bump();
                self.expect(b'(')?;
                let callee = self.stack()?;
                self.expect_word("at")?;
                let caller = self.stack()?;
                self.expect(b')')?;
                Ok(callee.called_at(caller))
            }
            "fused" => self.fused(),
            _ => Err(self.expected("a location")),
        }
    }

    /// Of several origins the first that says anything stands for all.
    fn fused(&mut self) -> Parsed<Stack> {
        self.bump();
        if self.at_mark(b'<') {
            self.skip_angles()?;
        }
        let mut best = Stack::default();
        self.list(b'[', b']', |p| {
            let stack = p.stack()?;
            if best.frames.is_empty() && best.names.is_empty() {
                best = stack;
            }
            Ok(())
        })?;
        Ok(best)
    }

    /// `"name"`, `"name"(loc)`, `"file":line:column to line:column`.
    fn stack_of_string(&mut self) -> Parsed<Stack> {
        let text: Arc<str> = self.string()?.into();
        if self.at_mark(b':') {
            let frame = self.frame(text)?;
            return Ok(Stack { names: Vec::new(), frames: vec![frame] });
        }
        let mut stack = Stack::default();
        if self.eat(b'(') {
            stack = self.stack()?;
            self.expect(b')')?;
        }
        stack.names.insert(0, text);
        Ok(stack)
    }

    fn frame(&mut self, file: Arc<str>) -> Parsed<Frame> {
        let line = self.colon_number()?.unwrap_or(0);
        let column = self.colon_number()?.unwrap_or(0);
        let (mut end_line, mut end_column) = (line, column);
        if self.eat_word("to") {
            if self.peek().kind == Kind::Int {
                end_line = self.small_number()?;
            }
            end_column = self.colon_number()?.unwrap_or(column);
        }
        Ok(Frame { file, function: None, line, column, end_line, end_column })
    }

    fn colon_number(&mut self) -> Parsed<Option<u32>> {
        if self.eat(b':') { self.small_number().map(Some) } else { Ok(None) }
    }

    fn small_number(&mut self) -> Parsed<u32> {
        let token = self.expect_kind(Kind::Int, "a number")?;
        match self.str(token).parse() {
            Ok(number) => Ok(number),
            Err(_) => Err(self.fail(codes::SYNTAX, token.span(), "a line or column is out of range")),
        }
    }

    /// `#name = ..`: remember where the value is, then pass over it.
    pub fn alias_definition(&mut self) -> Parsed<()> {
        let token = self.bump();
        let name = self.str(token);
        self.expect(b'=')?;
        let at = self.peek().start;
        if self.word() != "loc" {
            self.aliases.insert(name, at);
            return self.tree().map(drop);
        }
        self.locations.define(name, at);
        self.bump();
        let open = self.peek();
        self.expect(b'(')?;
        self.skip_parens(open.span())
    }
}

impl Stack {
    /// The innermost name without a place belongs to the innermost place.
    fn name_innermost(&mut self) {
        if let Some(frame) = self.frames.first_mut()
            && frame.function.is_none()
        {
            frame.function = self.names.pop();
        }
    }

    fn called_at(mut self, mut caller: Stack) -> Stack {
        self.name_innermost();
        caller.name_innermost();
        let room = FRAME_LIMIT.saturating_sub(self.frames.len());
        self.frames.extend(caller.frames.into_iter().take(room));
        self
    }

    fn into_source(mut self) -> Source {
        if self.names.len() > 1 {
            self.name_innermost();
        }
        let op_name = self.names.into_iter().next().filter(|name| !name.is_empty());
        Source { op_name, op_type: None, frames: self.frames }
    }
}

/// Write what stands inside `loc(..)` for a source.
pub fn write_source(out: &mut String, source: &Source) {
    let named = source.op_name.is_some() || matches!(&source.frames[..], [only] if only.function.is_some());
    match (named, source.frames.is_empty()) {
        (false, true) => out.push_str("unknown"),
        (false, false) => write_frames(out, &source.frames),
        (true, bare) => {
            write_string(out, source.op_name.as_deref().unwrap_or(""));
            if !bare {
                out.push('(');
                write_frames(out, &source.frames);
                out.push(')');
            }
        }
    }
}

fn write_frames(out: &mut String, frames: &[Frame]) {
    let Some((last, callers)) = frames.split_last() else { return };
    for frame in callers {
        out.push_str("callsite(");
        write_frame(out, frame);
        out.push_str(" at ");
    }
    write_frame(out, last);
    callers.iter().for_each(|_| out.push(')'));
}

fn write_frame(out: &mut String, frame: &Frame) {
    if let Some(function) = &frame.function {
        write_string(out, function);
        out.push('(');
    }
    write_string(out, &frame.file);
    put!(out, ":{}:{}", frame.line, frame.column);
    if frame.end_line != frame.line {
        put!(out, " to {}:{}", frame.end_line, frame.end_column);
    } else if frame.end_column != frame.column {
        put!(out, " to :{}", frame.end_column);
    }
    if frame.function.is_some() {
        out.push(')');
    }
}
