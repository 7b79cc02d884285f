//! What any instruction may carry besides its op: source, sharding, layouts, frontend attributes, and text that is kept
//! without being understood.
//!
//! Kept text lives in the instruction's attributes under names that begin with `hlo.`; only these are printed back, so
//! attributes of other text forms never reach HLO.
//!
//! ```text
//! hlo.layout      "{0,1}"                  unusual layouts of the results, `;` between leaves
//! hlo.form        "(.)"                    how result tuples nest, where it is not the obvious way
//! hlo.metadata    "deduplicated_name=.."   metadata fields with no place in a Source
//! hlo.<attribute> verbatim                 original_value, result_accuracy, backend_config, ..
//! ```
//! Control predecessors are dropped: the order of instructions says as much.

use super::inst::{InstText, Sharded, bad};
use super::lex::{Cursor, Piece, Read, fault};
use super::metadata::Sources;
use super::outline::RawAttr;
use super::shape::{HloShape, Leaf};
use crate::codes;
use crate::stablehlo::is_attribute;
use meshwright_ir::{Annotation, Attr, Attrs, SourceId};
use meshwright_shard::{HloSharding, HloShardingKind, parse_hlo_sharding};
use std::sync::Arc;

/// Attributes that are kept as text on any instruction.
const KEPT: [&str; 10] = [
    "backend_config",
    "original_value",
    "origin",
    "statistics",
    "result_accuracy",
    "parameter_replication",
    "outer_dimension_partitions",
    "async_execution_thread",
    "metadata_extra",
    "raw_backend_config_string",
];

/// Name of frontend attributes, shared with the StableHLO form.
pub(super) const FRONTEND: &str = "mhlo.frontend_attributes";

pub(super) struct Common {
    pub source: SourceId,
    /// One for all leaves, or one per leaf.
    shardings: Vec<HloSharding>,
    /// Frontend attributes and kept text.
    pub attrs: Attrs,
    /// Whether unusual layouts of the results are to be kept here.
    pub result_layouts: bool,
}

impl Common {
    pub fn read<'t>(text: &mut InstText<'_, 't>, sources: &mut Sources<'t>) -> Read<Common> {
        let mut common = Common {
            source: SourceId::unknown(),
            shardings: Vec::new(),
            attrs: Attrs::default(),
            result_layouts: true,
        };
        let leaves = text.shape.map(|shape| shape.leaves.len());
        let sharded = text.sharded.clone();
        text.rest(|attr| common.take(attr, (leaves, sharded.as_ref()), sources))?;
        Ok(common)
    }

    /// Take in an attribute, if it is one that any instruction may carry.
    fn take<'t>(
        &mut self,
        attr: RawAttr<'t>,
        (leaves, sharded): (Option<usize>, Option<&Sharded>),
        sources: &mut Sources<'t>,
    ) -> Read<bool> {
        match attr.key.str {
            "metadata" => self.metadata(attr.value, sources)?,
            "sharding" => self.shardings = per_leaf(attr.value, leaves, sharded)?,
            "frontend_attributes" => self.frontend(attr.value)?,
            "control-predecessors" => {}
            key if KEPT.contains(&key) => {
                self.attrs.set(&format!("hlo.{key}"), Attr::Str(attr.value.str.into()));
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn metadata<'t>(&mut self, piece: Piece<'t>, sources: &mut Sources<'t>) -> Read<()> {
        let (source, extra) = sources.of_metadata(piece)?;
        self.source = source;
        if let Some(extra) = extra {
            self.attrs.set("hlo.metadata", Attr::Str(extra));
        }
        Ok(())
    }

    fn frontend(&mut self, piece: Piece<'_>) -> Read<()> {
        let mut fields = dictionary(piece)?;
        fields.remove(super::op::collective::WIDE);
        if !fields.is_empty() {
            self.attrs.set(FRONTEND, Attr::Dict(fields));
        }
        Ok(())
    }

    /// Report attributes that neither the op nor this has read.
    pub fn unknown(&self, text: &InstText<'_, '_>) -> Read<()> {
        let Some(attr) = text.unused().next() else { return Ok(()) };
        let message = format!("`{}` has no attribute `{}`", text.raw.opcode.str, attr.key.str);
        Err(Box::new(
            fault(codes::UNKNOWN_ATTRIBUTE, attr.key.span(), message).help("remove it, or correct its name"),
        ))
    }

    /// Forget frontend attributes that the op has taken for itself.
    pub fn forget_frontend(&mut self, fields: [&str; 2]) {
        let Some(Attr::Dict(mut inner)) = self.attrs.remove(FRONTEND) else { return };
        inner.0.retain(|(key, _)| !fields.contains(&&**key));
        if !inner.is_empty() {
            self.attrs.set(FRONTEND, Attr::Dict(inner));
        }
    }

    /// The sharding of a result leaf.
    pub fn annotation(&self, leaf: usize) -> Option<Annotation> {
        let sharding = match &self.shardings[..] {
            [one] => Some(one),
            // Beside shardings that are known, `unknown` says nothing.
            many => many.get(leaf).filter(|sharding| sharding.kind != HloShardingKind::Unknown),
        };
        sharding.cloned().map(Annotation::from)
    }

    /// The instruction's attributes: the op's own, then what is kept here.
    pub fn inst_attrs(&self, mut attrs: Attrs, shape: &HloShape<'_>) -> Attrs {
        attrs.0.extend(self.attrs.0.iter().cloned());
        if let (Some(layouts), true) = (shape.layouts(), self.result_layouts) {
            attrs.set("hlo.layout", Attr::Str(layouts.into()));
        }
        attrs
    }

    /// What is kept of a function's parameter.
    pub fn param_attrs(&self, leaf: &Leaf<'_>, sources: &Sources<'_>) -> Attrs {
        let mut attrs = self.attrs.clone();
        if let Some(op_name) = &sources.all[self.source].op_name {
            attrs.set("hlo.op_name", Attr::Str(op_name.clone()));
        }
        if let Some(layout) = leaf.layout {
            attrs.set("hlo.layout", Attr::Str(layout.into()));
        }
        attrs
    }
}

/// A sharding per result leaf, or one for all.
fn per_leaf(piece: Piece<'_>, leaves: Option<usize>, sharded: Option<&Sharded>) -> Read<Vec<HloSharding>> {
    let mut list = match parts(piece)? {
        Parts::One(sharding) => return Ok(vec![sharding]),
        Parts::Tuple(list) => list,
    };
    if let Some(sharded) = sharded.filter(|sharded| sharded.parts == list.len()) {
        list = sharded.own.iter().filter_map(|part| list.get(*part).cloned()).collect();
    }
    let leaves = leaves.unwrap_or(list.len());
    // An empty tuple's sharding has one entry.
    if list.len() == leaves || leaves == 0 {
        return Ok(list);
    }
    let message = format!("a sharding of {} parts on a value of {leaves}", list.len());
    Err(fault(codes::BAD_SHARDING, piece.span(), message))
}

/// A sharding as written.
pub(super) enum Parts {
    One(HloSharding),
    Tuple(Vec<HloSharding>),
}

pub(super) fn parts(piece: Piece<'_>) -> Read<Parts> {
    let sharding = parse_hlo_sharding(piece.str, piece.span().start).map_err(Box::new)?;
    Ok(match sharding.kind {
        HloShardingKind::Tuple(list) => Parts::Tuple(list),
        _ => Parts::One(sharding),
    })
}

/// `{key="text",other={..}}`. What is neither a string nor an attribute of MLIR is taken as the text of a string.
pub(super) fn dictionary(piece: Piece<'_>) -> Read<Attrs> {
    let inner = piece.inside('{', '}').ok_or_else(|| bad(piece, "`{key=\"value\",..}`"))?;
    let mut cursor = inner.cursor();
    let mut attrs = Attrs::default();
    while !cursor.is_done() {
        let key = key(&mut cursor)?;
        cursor.expect(b'=')?;
        let value = cursor.value()?;
        if value.str.is_empty() {
            return Err(value.fault(format!("`{key}` has no value")));
        }
        attrs.0.push((key, field(value)));
        if !cursor.eat(b',') && !cursor.is_done() {
            return Err(cursor.expected("`,`"));
        }
    }
    Ok(attrs)
}

fn field(value: Piece<'_>) -> Attr {
    match whole_string(value) {
        Some(text) => Attr::Str(super::lex::unescape(text).into()),
        None if is_attribute(value.str) => Attr::Raw(value.str.into()),
        None => Attr::Str(value.str.into()),
    }
}

/// The text of one quoted string with nothing behind it.
fn whole_string(value: Piece<'_>) -> Option<&str> {
    let mut cursor = value.cursor();
    let string = (cursor.peek() == Some(b'"')).then(|| cursor.string())?;
    if cursor.is_done() { string.quoted().ok() } else { None }
}

fn key(cursor: &mut Cursor<'_>) -> Read<Arc<str>> {
    if cursor.peek() == Some(b'"') {
        return Ok(super::lex::unescape(cursor.string().quoted()?).into());
    }
    Ok(cursor.expect_name("a key")?.str.into())
}
