//! Writing a function's ops, and the pieces all forms are made of.

use super::annotate::{KEPT, annotation_props, sorted, tree_of};
use super::describe::{describe, rng_shape};
use super::families::sharding::holds_annotation;
use super::names::Names;
use super::table;
use super::tree::{Prop, Tree, separated, write_dict};
use super::types::{write_type, write_types};
use super::{PrintOptions, families};
use meshwright_base::Id;
use meshwright_ir::op::{Control, ShardingOp};
use meshwright_ir::{BlockId, Function, InstId, Module, Op, SourceId, ValueId};
use std::fmt::Write;

pub struct Writer<'m> {
    pub out: String,
    pub module: &'m Module,
    pub func: &'m Function,
    options: PrintOptions,
    names: Names,
    indent: usize,
    /// Regions around the op that is written.
    depth: usize,
    /// Number of each source that was named, in order of its first use; shared by all functions.
    locations: Vec<SourceId>,
}

/// An instruction as it is written.
pub struct Item<'m> {
    pub name: &'static str,
    /// The op's own attributes.
    props: Vec<Prop<'m>>,
    /// Attributes any op may have.
    attrs: Vec<Prop<'m>>,
    pub id: InstId,
    pub operands: &'m [ValueId],
    pub results: &'m [ValueId],
    pub regions: &'m [BlockId],
}

impl Item<'_> {
    pub fn prop(&self, name: &str) -> Option<&Tree<'_>> {
        self.props.iter().find(|prop| prop.name == name).map(|prop| &prop.tree)
    }

    pub fn ints(&self, name: &str) -> &[i64] {
        match self.prop(name) {
            Some(Tree::Ints(values)) => values,
            _ => &[],
        }
    }

    pub fn int(&self, name: &str) -> i64 {
        self.prop(name).and_then(Tree::as_int).unwrap_or(0)
    }

    pub fn case(&self, name: &str) -> &str {
        match self.prop(name) {
            Some(Tree::Enum(_, case)) => case,
            _ => "",
        }
    }

    /// What goes into the dictionary of the pretty form: all but what the form says itself.
    pub fn dict_but(&self, said: &[&str]) -> Vec<Prop<'_>> {
        let own = self.props.iter().filter(|prop| !said.contains(&&*prop.name));
        sorted(own.chain(&self.attrs).cloned().collect())
    }
}

impl<'m> Writer<'m> {
    pub fn new(
        module: &'m Module,
        func: &'m Function,
        options: PrintOptions,
        locations: Vec<SourceId>,
    ) -> Self {
        let names = Names::of(func);
        Writer { out: String::new(), module, func, options, names, indent: 1, depth: 0, locations }
    }

    /// The text, and the sources it names so far.
    pub fn finish(self) -> (String, Vec<SourceId>) {
        (self.out, self.locations)
    }

    /// The body of the function: `{ .. }`.
    pub fn function_body(&mut self) {
        self.region(self.func.root(), self.options.generic);
    }

    fn item(&self, id: InstId) -> Item<'m> {
        let inst = self.func.inst(id);
        let (name, mut props) = describe(self.module, self.func, inst);
        let mut attrs = tree_of(&inst.attrs);
        if !holds_annotation(name) {
            let annotations: Vec<_> = inst
                .results
                .iter()
                .map(|value| (self.func.value(*value).sharding.as_ref(), self.func.dims(*value).len()))
                .collect();
            attrs.extend(annotation_props(self.module, &annotations));
        }
        // Only what the op declares may stand between `<{` and `}>`; names with a dialect's prefix are not declared.
        let is_own = |prop: &Prop<'_>| !prop.name.contains('.');
        let (own, prefixed): (Vec<_>, Vec<_>) = props.into_iter().partition(is_own);
        let (kept, mut other): (Vec<_>, Vec<_>) =
            attrs.into_iter().partition(|prop| KEPT.contains(&&*prop.name));
        props = own;
        props.extend(kept);
        other.extend(prefixed);
        Item {
            name,
            props: sorted(props),
            attrs: sorted(other),
            id,
            operands: &inst.operands,
            results: &inst.results,
            regions: &inst.regions,
        }
    }

    pub fn op(&self, item: &Item<'_>) -> &'m Op {
        &self.func.inst(item.id).op
    }

    /// Whether `call` and `return` need no prefix here.
    pub fn at_function_level(&self) -> bool {
        self.depth == 1
    }

    pub fn new_line(&mut self) {
        self.out.push('\n');
        self.out.extend(std::iter::repeat_n("  ", self.indent));
    }

    fn inst(&mut self, id: InstId) {
        let item = self.item(id);
        if let Some(shape) = rng_shape(self.op(&item)) {
            self.shape_constant(id, shape);
        }
        self.new_line();
        self.result_names(&item);
        match table::find(item.name) {
            Some(row) if !self.options.generic => row.form.write(self, &item),
            _ => self.generic(&item),
        }
        self.location(self.func.inst(id).source);
    }

    /// The operand of `rng` that the IR keeps as an attribute.
    fn shape_constant(&mut self, id: InstId, shape: &[i64]) {
        self.new_line();
        self.names.shape(id).write(&mut self.out);
        let value = families::random::shape_literal(shape);
        self.out.push_str(if self.options.generic {
            " = \"stablehlo.constant\"() <{value = "
        } else {
            " = stablehlo.constant "
        });
        super::dense::write_dense(&mut self.out, &value);
        if self.options.generic {
            self.out.push_str("}> : () -> ");
            super::types::write_tensor_type(&mut self.out, value.ty());
        }
    }

    /// `%a = `, `%a, %b = ` or `%a:2 = `.
    fn result_names(&mut self, item: &Item<'_>) {
        if item.results.is_empty() {
            return;
        }
        let names = &self.names;
        let parts = |a: &ValueId, b: &ValueId| names.value(*b).follows(names.value(*a));
        let groups: Vec<&[ValueId]> = item.results.chunk_by(parts).collect();
        separated(&mut self.out, &groups, |out, group| {
            if let Some(first) = group.first() {
                names.value(*first).whole().write(out);
            }
            if group.len() > 1 {
                put!(out, ":{}", group.len());
            }
        });
        self.out.push_str(" = ");
    }

    fn location(&mut self, source: SourceId) {
        if !self.options.locations || source == SourceId::unknown() {
            return;
        }
        let known = self.locations.get(source.index()).copied();
        let number = known
            .filter(|number| *number != SourceId::unknown())
            .unwrap_or_else(|| self.new_location(source));
        put!(self.out, " loc(#loc{})", number.index());
    }

    /// Number a source that is named for the first time. Slot 0 counts how many are numbered.
    fn new_location(&mut self, source: SourceId) -> SourceId {
        let count = self.locations.iter().filter(|number| **number != SourceId::unknown()).count();
        let number = SourceId::from_index(count + 1);
        if let Some(slot) = self.locations.get_mut(source.index()) {
            *slot = number;
        }
        number
    }

    pub fn same_source(&self, item: &Item<'_>, region: BlockId) -> bool {
        let source = self.func.inst(item.id).source;
        let inner = self.func.block(region).insts.first().map(|inst| self.func.inst(*inst).source);
        !self.options.locations || inner.is_none_or(|inner| inner == source)
    }

    pub fn name(&mut self, item: &Item<'_>) {
        self.out.push_str(item.name);
    }

    pub fn value(&mut self, value: ValueId) {
        self.names.value(value).write(&mut self.out);
    }

    fn values(&mut self, values: &[ValueId]) {
        let names = &self.names;
        separated(&mut self.out, values, |out, value| names.value(*value).write(out));
    }

    /// Operands, with those that only the text has.
    pub fn operands(&mut self, item: &Item<'_>) {
        self.values(item.operands);
        if rng_shape(self.op(item)).is_some() {
            self.out.push_str(", ");
            self.names.shape(item.id).write(&mut self.out);
        }
    }

    /// ` %a, %b` if there are operands.
    pub fn space_operands(&mut self, item: &Item<'_>) {
        if !item.operands.is_empty() {
            self.out.push(' ');
            self.operands(item);
        }
    }

    pub fn ty(&mut self, value: ValueId) {
        write_type(&mut self.out, self.func.ty(value));
    }

    /// `%a: T`.
    pub fn param(&mut self, value: ValueId) {
        self.value(value);
        self.out.push_str(": ");
        self.ty(value);
    }

    fn types(&mut self, values: &[ValueId]) {
        let func = self.func;
        write_types(&mut self.out, values.iter().map(|value| func.ty(*value)));
    }

    pub fn operand_types(&mut self, item: &Item<'_>) {
        self.types(item.operands);
        if let Some(shape) = rng_shape(self.op(item)) {
            put!(self.out, ", tensor<{}xi64>", shape.len());
        }
    }

    /// ` : T`.
    pub fn result_type(&mut self, item: &Item<'_>) {
        self.result_types(item);
    }

    /// ` : T, U`.
    pub fn result_types(&mut self, item: &Item<'_>) {
        self.out.push_str(" : ");
        self.types(item.results);
    }

    /// ` : (T, U) -> V`.
    pub fn functional_type(&mut self, item: &Item<'_>) {
        self.out.push_str(" : (");
        self.operand_types(item);
        self.out.push(')');
        self.arrow(item);
    }

    /// ` -> V` or ` -> (V, W)`.
    pub fn arrow(&mut self, item: &Item<'_>) {
        self.out.push_str(" -> ");
        let single = item.results.len() == 1;
        self.out.push_str(if single { "" } else { "(" });
        self.types(item.results);
        self.out.push_str(if single { "" } else { ")" });
    }

    pub fn int_list(&mut self, values: &[i64]) {
        self.out.push('[');
        separated(&mut self.out, values, |out, value| put!(out, "{value}"));
        self.out.push(']');
    }

    pub fn dim_list(&mut self, dims: impl Iterator<Item = usize>) {
        families::write_dims(&mut self.out, &dims.collect::<Vec<_>>());
    }

    pub fn dict(&mut self, props: &[Prop<'_>]) {
        write_dict(&mut self.out, props);
    }

    /// ` {..}` with all attributes but those the form says itself; nothing if there are none.
    pub fn attr_dict_but(&mut self, item: &Item<'_>, said: &[&str]) {
        let dict = item.dict_but(said);
        if !dict.is_empty() {
            self.out.push(' ');
            self.dict(&dict);
        }
    }

    /// `"name"(%a) <{..}> ({..}) {..} : (T) -> U`.
    pub fn generic(&mut self, item: &Item<'_>) {
        put!(self.out, "\"{}\"(", item.name);
        self.operands(item);
        self.out.push(')');
        if !item.props.is_empty() {
            self.out.push_str(" <");
            self.dict(&item.props);
            self.out.push('>');
        }
        if !item.regions.is_empty() {
            self.out.push_str(" (");
            for (i, region) in item.regions.iter().enumerate() {
                self.out.push_str(if i > 0 { ", " } else { "" });
                self.region(*region, true);
            }
            self.out.push(')');
        }
        if !item.attrs.is_empty() {
            self.out.push(' ');
            self.dict(&item.attrs);
        }
        self.functional_type(item);
    }

    /// `{ .. }` over several lines, with the parameters in front if asked for.
    pub fn region(&mut self, region: BlockId, header: bool) {
        let block = self.func.block(region);
        self.out.push('{');
        if header && !block.params.is_empty() {
            self.new_line();
            self.out.push_str("^bb0(");
            for (i, param) in block.params.iter().enumerate() {
                self.out.push_str(if i > 0 { ", " } else { "" });
                self.param(*param);
            }
            self.out.push_str("):");
        }
        self.indent += 1;
        self.depth += 1;
        for inst in &block.insts {
            self.inst(*inst);
        }
        self.new_line();
        self.return_line(region);
        self.indent -= 1;
        self.depth -= 1;
        self.new_line();
        self.out.push('}');
    }

    fn return_line(&mut self, region: BlockId) {
        let block = self.func.block(region);
        let word = self.return_word(region);
        if self.options.generic {
            put!(self.out, "\"{word}\"(");
            self.values(&block.results);
            self.out.push_str(") : (");
            self.types(&block.results);
            return self.out.push_str(") -> ()");
        }
        self.out.push_str(if word == "func.return" { "return" } else { word });
        if !block.results.is_empty() {
            self.out.push(' ');
            self.values(&block.results);
            self.out.push_str(" : ");
            self.types(&block.results);
        }
    }

    /// How the block returns, by the op it belongs to.
    fn return_word(&self, region: BlockId) -> &'static str {
        match self.func.block(region).parent.map(|inst| &self.func.inst(inst).op) {
            None => "func.return",
            Some(Op::Control(Control::Fusion { .. })) => "mhlo.return",
            Some(Op::Sharding(ShardingOp::Manual(_) | ShardingOp::Named { .. })) => "sdy.return",
            Some(_) => "stablehlo.return",
        }
    }
}
