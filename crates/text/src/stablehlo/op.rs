//! One op: its operands, attributes, regions and types, gathered in a [`Draft`] and handed to its family.
//!
//! Generic form is the same for all ops; pretty form goes by the op's row in the table. Both fill the draft by the
//! attribute names of the generic form.

use super::annotate;
use super::block::{Line, ResultName, bare};
use super::forms::plain_reducer;
use super::lexer::{Kind, Token, lex};
use super::module::mentions_functions;
use super::parser::{Failed, Parsed, Parser, clip};
use super::scope::Entry;
use super::table::{self, Built, OpRow};
use super::tree::Prop;
use super::types::{TypeTree, leaves};
use crate::codes;
use meshwright_base::{Diagnostic, Id, Span, nearest};
use meshwright_ir::op::Control;
use meshwright_ir::{At, BlockId, Editor, FuncId, Function, InstId, Op, SourceId, Type, ValueId};
use std::collections::BTreeMap;
use std::sync::Arc;

/// What was read of an op so far.
pub struct Draft<'a> {
    pub name: &'static str,
    /// Where the instruction goes; families may put others before it. Ops outside of functions have the root of the
    /// function before, and put nothing there.
    pub block: BlockId,
    /// Of the op's name.
    pub at: Span,
    pub operands: Vec<ValueId>,
    /// Where each operand is named.
    pub uses: Vec<Span>,
    pub props: Vec<Prop<'a>>,
    pub regions: Vec<BlockId>,
    /// Result types.
    pub types: Vec<Type>,
    /// The result type where it is a tuple; `types` has its leaves.
    pub shape: Option<TypeTree>,
    /// Type of the only operand of an op on tuples.
    pub operand_shape: Option<TypeTree>,
}

impl<'a> Draft<'a> {
    pub fn new(name: &'static str, block: BlockId, at: Span) -> Self {
        Draft {
            name,
            block,
            at,
            operands: Vec::new(),
            uses: Vec::new(),
            props: Vec::new(),
            regions: Vec::new(),
            types: Vec::new(),
            shape: None,
            operand_shape: None,
        }
    }
}

/// The names a return may have, pretty or generic.
fn is_return(name: &str) -> bool {
    matches!(name, "return" | "func.return" | "stablehlo.return" | "sdy.return" | "mhlo.return")
}

impl<'a> Parser<'a> {
    /// An op whose result names have been read. `start` is the first token of the line.
    pub fn op(&mut self, block: BlockId, names: &[ResultName<'a>], start: Token) -> Parsed<Line> {
        let token = self.peek();
        let (name, generic) = match token.kind {
            Kind::Word => (self.str(token), false),
            Kind::Str => (self.slice(token.start + 1, token.end - 1), true),
            _ => return Err(self.expected("an op")),
        };
        if is_return(name) {
            self.bump();
            self.return_line(block, generic)?;
            return Ok(Line::Return);
        }
        let row = if name == "call" { Some(&table::CALL) } else { table::find(name) };
        let Some(row) = row else {
            return Err(self.unknown_op(name, token.span()));
        };
        self.bump();
        let mut draft = Draft::new(row.name, block, token.span());
        if generic {
            self.generic(&mut draft)?;
        } else {
            row.form.read(self, &mut draft)?;
        }
        let source = self.opt_loc()?;
        self.place(block, names, row, draft, start, source)?;
        Ok(Line::Op)
    }

    fn unknown_op(&mut self, name: &str, at: Span) -> Failed {
        if at.end as usize >= self.text.trim_end().len() {
            return self.cut_off(format!("the text ends at the op `{}`", clip(name)), at);
        }
        let mut diagnostic =
            Diagnostic::error(codes::UNKNOWN_OP, format!("unknown op `{}`", clip(name))).at(at);
        if let Some(why) = table::unsupported(name) {
            diagnostic = Diagnostic::error(codes::UNSUPPORTED, format!("op `{name}` is not supported"))
                .at(at)
                .help(why);
        } else {
            let foreign = || {
                "correct its name; for an op of others write `stablehlo.custom_call @name(..)`".to_string()
            };
            diagnostic = diagnostic.help(nearest::suggest(name, table::names()).unwrap_or_else(foreign));
        }
        self.report(diagnostic)
    }

    /// Make the instruction of a complete draft.
    fn place(
        &mut self,
        block: BlockId,
        names: &[ResultName<'a>],
        row: &OpRow,
        mut draft: Draft<'a>,
        start: Token,
        source: SourceId,
    ) -> Parsed<()> {
        let op = match row.build.run(self, &mut draft, source)? {
            Built::Op(op) => op,
            Built::Values(values) => return self.name_values(names, &values, draft.at),
            Built::Nothing => return self.place_tuple(names, draft),
        };
        let Draft { operands, props, regions, types, at, shape, .. } = draft;
        let mentions = mentions_functions(&op);
        let span = Span::new(start.start, self.last_end());
        let inst = self.push(At::End(block), op, operands, regions, types, source, span);
        self.settle_names(inst);
        if source != SourceId::unknown() && matches!(self.func.inst(inst).op, Op::Reduce(_)) {
            self.settle_source(inst);
        }
        if mentions {
            let func = FuncId::from_index(self.module.funcs.len());
            self.symbols.users.push((func, inst));
        }
        annotate::take_props(self, inst, props)?;
        match (names, shape) {
            ([name], Some(shape)) if name.count == 1 => {
                let leaves = self.func.inst(inst).results.clone();
                Editor::new(&mut self.func).set_inst_name(inst, Some(bare(name.name).into()));
                self.define(name.name, Entry::Tuple { leaves, shape }, name.at)
            }
            _ => self.name_results(names, inst, at),
        }
    }

    /// Names the pretty form does not show are dropped or made alike, so that every form reads as the same module:
    /// those inside of a reduction that only applies an op, and those of a loop's body, which are its condition's.
    fn settle_names(&mut self, inst: InstId) {
        let inst = self.func.inst(inst);
        let names: Vec<(ValueId, Option<Arc<str>>)> = match (&inst.op, &inst.regions[..]) {
            (Op::Reduce(_), [region]) if plain_reducer(&self.func, inst).is_some() => {
                let block = self.func.block(*region);
                block.params.iter().chain(&block.results).map(|value| (*value, None)).collect()
            }
            (Op::Control(Control::While), [cond, body]) => self.state_names(*cond, *body),
            _ => return,
        };
        let mut editor = Editor::new(&mut self.func);
        for (value, name) in names {
            editor.set_name(value, name);
        }
    }

    /// For each pair of parameters with different names: the first of both that no value in the regions has, or else
    /// one with a suffix.
    fn state_names(&self, cond: BlockId, body: BlockId) -> Vec<(ValueId, Option<Arc<str>>)> {
        let name = |value: ValueId| self.func.value(value).name.clone();
        let pairs = self.func.block(cond).params.iter().zip(&self.func.block(body).params);
        let differing: Vec<_> = pairs.filter(|(param, twin)| name(**param) != name(**twin)).collect();
        if differing.is_empty() {
            return Vec::new();
        }
        let mut counts: BTreeMap<Arc<str>, usize> = BTreeMap::new();
        names_in(&self.func, vec![cond, body]).for_each(|name| *counts.entry(name).or_default() += 1);
        let mut out = Vec::new();
        for (param, twin) in differing {
            let (Some(first), Some(second)) = (name(*param), name(*twin)) else { continue };
            let is_own = |name: &Arc<str>| counts.get(name) == Some(&1);
            let is_free =
                |name: &Arc<str>| !counts.contains_key(name) && self.scope.get(&format!("%{name}")).is_none();
            let suffixed = (0u32..).map(|suffix| Arc::from(format!("{first}_{suffix}"))).find(is_free);
            let chosen = [&first, &second].into_iter().find(|name| is_own(name)).cloned().or(suffixed);
            chosen.iter().for_each(|name| *counts.entry(name.clone()).or_default() += 1);
            out.extend([(*param, chosen.clone()), (*twin, chosen)]);
        }
        out
    }

    /// An op that is applied without being written out comes from where its reduction does.
    fn settle_source(&mut self, inst: InstId) {
        if plain_reducer(&self.func, self.func.inst(inst)).is_none() {
            return;
        }
        let (source, regions) = (self.func.inst(inst).source, self.func.inst(inst).regions.clone());
        for region in regions {
            for inner in self.func.block(region).insts.clone() {
                if self.func.inst(inner).source == SourceId::unknown() {
                    Editor::new(&mut self.func).set_source(inner, source);
                }
            }
        }
    }

    /// Add an instruction and remember its place.
    #[allow(clippy::too_many_arguments, reason = "the fields of an instruction")]
    pub fn push(
        &mut self,
        at: At,
        op: Op,
        operands: Vec<ValueId>,
        regions: Vec<BlockId>,
        types: Vec<Type>,
        source: SourceId,
        span: Span,
    ) -> InstId {
        self.func_spans.push(span);
        Editor::new(&mut self.func).push_typed(at, op, operands, regions, types, source)
    }

    /// All instructions without a place were written for the op at `span`.
    pub fn span_since(&mut self, span: Span) {
        while self.func_spans.len() < self.func.inst_count() {
            self.func_spans.push(span);
        }
    }

    /// `(%a, %b) <{..}> ({..}, {..}) {..} : (T, U) -> V`.
    pub fn generic(&mut self, draft: &mut Draft<'a>) -> Parsed<()> {
        self.operands_in_parens(draft)?;
        if self.at_mark(b'<') {
            self.bump();
            draft.props = self.dict()?;
            self.expect(b'>')?;
        }
        if self.at_mark(b'(') {
            self.list(b'(', b')', |p| {
                draft.regions.push(p.region(Vec::new())?);
                Ok(())
            })?;
        }
        self.opt_dict(draft)?;
        self.functional_type(draft)
    }

    /// `{..}` if there is one.
    pub fn opt_dict(&mut self, draft: &mut Draft<'a>) -> Parsed<()> {
        if self.at_mark(b'{') {
            draft.props.extend(self.dict()?);
        }
        Ok(())
    }

    /// `: (T, U) -> V`.
    pub fn functional_type(&mut self, draft: &mut Draft<'a>) -> Parsed<()> {
        self.expect(b':')?;
        let start = self.peek().start;
        let operands = self.shape_list()?;
        if let [TypeTree::Tuple(_)] = &operands[..] {
            draft.operand_shape = operands.first().cloned();
        }
        self.check_operands(draft, &leaves(operands), Span::new(start, self.last_end()))?;
        self.expect_arrow()?;
        self.result_types(draft)
    }

    /// Result types, bare or in parentheses.
    pub fn result_types(&mut self, draft: &mut Draft<'a>) -> Parsed<()> {
        let shapes = self.result_shapes()?;
        if let [shape @ TypeTree::Tuple(_)] = &shapes[..] {
            draft.shape = Some(shape.clone());
        }
        draft.types = leaves(shapes);
        Ok(())
    }

    pub fn operands_in_parens(&mut self, draft: &mut Draft<'a>) -> Parsed<()> {
        self.list(b'(', b')', |p| p.operand(draft))
    }

    /// `%a, %b`, possibly none; a comma before something else is left.
    pub fn operands(&mut self, draft: &mut Draft<'a>) -> Parsed<()> {
        if self.peek().kind != Kind::Value {
            return Ok(());
        }
        loop {
            self.operand(draft)?;
            if !self.at_mark(b',') || lex(self.text, self.peek().end).kind != Kind::Value {
                return Ok(());
            }
            self.bump();
        }
    }

    /// One operand; a tuple gives all its leaves.
    pub fn operand(&mut self, draft: &mut Draft<'a>) -> Parsed<()> {
        let start = self.peek().start;
        let values = self.value_use()?;
        let at = Span::new(start, self.last_end());
        draft.uses.extend(values.iter().map(|_| at));
        draft.operands.extend(values);
        Ok(())
    }

    /// `%a` or `%a#1`.
    pub fn value_use(&mut self) -> Parsed<Vec<ValueId>> {
        let token = self.expect_kind(Kind::Value, "a value")?;
        let name = self.str(token);
        let index = self.result_index(token)?;
        let entry = self.scope.get(name);
        match (entry, index) {
            (Some(Entry::Value(value)), None | Some(0)) => Ok(vec![*value]),
            (Some(Entry::Tuple { leaves, .. }), None | Some(0)) => Ok(leaves.clone()),
            (Some(Entry::Poison), _) => Err(Failed),
            (Some(Entry::Group(values)), Some(index)) if index < values.len() => Ok(vec![values[index]]),
            (Some(Entry::Group(values)), _) => {
                let message =
                    format!("`{name}` stands for {} results; one of them is `{name}#0`", values.len());
                Err(self.fail(codes::UNDEFINED, token.span(), message))
            }
            (Some(_), Some(index)) => {
                let message = format!("`{name}` is one value and has no result {index}");
                Err(self.fail(codes::UNDEFINED, token.span(), message))
            }
            (None, _) => Err(self.undefined(name, token.span())),
        }
    }

    fn result_index(&mut self, name: Token) -> Parsed<Option<usize>> {
        let token = self.peek();
        if token.kind != Kind::Hash || token.start != name.end {
            return Ok(None);
        }
        self.bump();
        match self.slice(token.start + 1, token.end).parse() {
            Ok(index) => Ok(Some(index)),
            Err(_) => Err(self.fail(codes::SYNTAX, token.span(), "expected a result number after `#`")),
        }
    }

    fn undefined(&mut self, name: &'a str, at: Span) -> Failed {
        let message = format!("`{}` is used here but not defined before", clip(name));
        let help = if later_definition(self.text.get(at.end as usize..).unwrap_or(""), name) {
            "it is defined below: move the definition before its first use".to_string()
        } else {
            nearest::suggest(bare(name), self.scope.names().take(200).map(bare))
                .unwrap_or_else(|| "define it above, or use the name of a value that is".to_string())
        };
        self.fail_help(codes::UNDEFINED, at, message, help)
    }

    /// The types the text gives for the operands must be those of the values.
    pub fn check_operands(&mut self, draft: &Draft<'a>, types: &[Type], at: Span) -> Parsed<()> {
        if types.len() != draft.operands.len() {
            let message =
                format!("{} has {} operands, but {} types", draft.name, draft.operands.len(), types.len());
            return Err(self.fail(codes::WRONG_TYPE, at, message));
        }
        for ((value, ty), use_at) in draft.operands.iter().zip(types).zip(&draft.uses) {
            self.check_operand(*value, ty, *use_at)?;
        }
        Ok(())
    }

    pub fn check_operand(&mut self, value: ValueId, ty: &Type, at: Span) -> Parsed<()> {
        let actual = self.func.ty(value);
        if actual == ty {
            return Ok(());
        }
        let message = format!("this value has type {actual}, but is used as {ty}");
        let help = format!("write {} here", mlir_type(actual));
        Err(self.fail_help(codes::WRONG_TYPE, at, message, help))
    }

    /// `return %a, %b : T, U`.
    fn return_line(&mut self, block: BlockId, generic: bool) -> Parsed<()> {
        let mut draft = Draft::new("return", block, self.peek().span());
        if generic {
            self.generic(&mut draft)?;
        } else {
            self.operands(&mut draft)?;
            self.opt_dict(&mut draft)?;
            let mut types = Vec::new();
            let start = self.peek().start;
            if self.eat(b':') {
                self.items(|p| {
                    p.shape()?.push_leaves(&mut types);
                    Ok(())
                })?;
            }
            self.check_operands(&draft, &types, Span::new(start, self.last_end()))?;
        }
        self.opt_loc()?;
        Editor::new(&mut self.func).set_results(block, draft.operands);
        Ok(())
    }
}

/// Whether `%name` is given a value further down in its function.
fn later_definition(rest: &str, name: &str) -> bool {
    let function = rest.find("func.func").and_then(|end| rest.get(..end)).unwrap_or(rest);
    let starts = |line: &str| {
        let after = line.trim_start().strip_prefix(name);
        after.is_some_and(|after| after.starts_with([' ', ':', ',', '=']))
    };
    function.lines().any(starts)
}

fn mlir_type(ty: &Type) -> String {
    let mut out = String::from("`");
    super::types::write_type(&mut out, ty);
    out + "`"
}

/// Names of all values in some regions.
fn names_in(func: &Function, mut regions: Vec<BlockId>) -> impl Iterator<Item = Arc<str>> {
    let mut names = Vec::new();
    while let Some(block) = regions.pop() {
        let block = func.block(block);
        let insts = || block.insts.iter().map(|inst| func.inst(*inst));
        let values = block.params.iter().chain(insts().flat_map(|inst| &inst.results));
        names.extend(values.filter_map(|value| func.value(*value).name.clone()));
        names.extend(insts().filter_map(|inst| inst.name.clone()));
        regions.extend(insts().flat_map(|inst| &inst.regions).copied());
    }
    names.into_iter()
}
