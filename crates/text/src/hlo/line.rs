//! One instruction being printed: an op's printer fills in opcode, operands and attributes, the rest is the same for
//! all.

use super::computation::{Computation, Param};
use super::shape::Form;
use meshwright_ir::{Attr, BlockId, Inst, InstId, Type, ValueId};
use std::fmt::{Display, Write};
use std::sync::Arc;

/// What an op's printer fills in.
pub(super) struct Line<'l, 'p, 'm> {
    pub comp: &'l mut Computation<'p, 'm>,
    pub id: InstId,
    pub inst: &'m Inst,
    pub opcode: &'static str,
    /// Between the parentheses; `None`: the instruction's operands by name.
    pub args: Option<String>,
    /// How the results nest; `None`: one plain, several as a flat tuple.
    pub form: Option<Form>,
    /// `, key=value` for each attribute.
    pub attrs: String,
    /// Layouts of the results, `;` between them, if the op says them.
    pub layouts: Option<String>,
    /// Frontend attributes that stand for something the op says.
    pub frontend: Vec<(Arc<str>, Attr)>,
    /// Results the instruction gives besides its own, for values from outside that it passes through.
    pub more: Vec<More>,
}

/// A further result that nobody uses.
pub(super) struct More {
    pub ty: Type,
    /// The value it is equal to.
    pub like: Option<ValueId>,
}

impl<'l, 'p, 'm> Line<'l, 'p, 'm> {
    pub fn new(comp: &'l mut Computation<'p, 'm>, id: InstId) -> Self {
        let inst = comp.func.inst(id);
        Line {
            comp,
            id,
            inst,
            opcode: "",
            args: None,
            form: None,
            attrs: String::new(),
            layouts: None,
            frontend: Vec::new(),
            more: Vec::new(),
        }
    }

    pub fn op(&mut self, opcode: &'static str) -> &mut Self {
        self.opcode = opcode;
        self
    }

    /// Nothing more: ends a chain in an arm.
    pub fn end(&mut self) {}

    pub fn attr(&mut self, key: &str, value: impl Display) -> &mut Self {
        let _ = write!(self.attrs, ", {key}={value}");
        self
    }

    /// `key=true`, if it is.
    pub fn flag(&mut self, key: &str, value: bool) -> &mut Self {
        if value { self.attr(key, "true") } else { self }
    }

    /// `key={1,2}`.
    pub fn list<T: Display>(&mut self, key: &str, items: &[T]) -> &mut Self {
        self.attr(key, braces(items))
    }

    /// `key={1,2}`, unless empty.
    pub fn list_if_any<T: Display>(&mut self, key: &str, items: &[T]) -> &mut Self {
        if items.is_empty() { self } else { self.list(key, items) }
    }

    /// `key=%computation` of a region that takes its own parameters.
    pub fn region(&mut self, key: &str, index: usize) -> &mut Self {
        if let Some(region) = self.inst.regions.get(index) {
            let params: Vec<_> =
                self.comp.func.block(*region).params.iter().map(|param| Param::Own(*param)).collect();
            let name = self.comp.scalar_region(*region, &params, &[]);
            self.attr(key, format_args!("%{name}"));
        }
        self
    }

    pub fn regions(&self) -> &'m [BlockId] {
        &self.inst.regions
    }

    pub fn operand(&self, index: usize) -> Option<ValueId> {
        self.inst.operands.get(index).copied()
    }

    /// An attribute kept under a name of its own.
    pub fn kept(&self, name: &str) -> Option<&'m str> {
        match self.inst.attrs.get(name)? {
            Attr::Str(text) | Attr::Raw(text) => Some(text),
            Attr::Unit | Attr::Dict(_) => None,
        }
    }
}

/// `{1,2}`.
pub(super) fn braces<T: Display>(items: &[T]) -> String {
    let mut out = String::from("{");
    for (i, item) in items.iter().enumerate() {
        let _ = write!(out, "{}{item}", if i > 0 { "," } else { "" });
    }
    out.push('}');
    out
}
