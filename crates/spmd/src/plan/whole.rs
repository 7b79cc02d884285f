//! Operands that a plan puts together because their op cannot work on pieces: what a user would want to know of.
//!
//! ```text
//! %b = reshard %a : {"x"} -> {}          %a is gathered over dim 0, for
//! %c = sort %b, dim 0                    `sort`, which needs dim 0 whole
//! ```
//!
//! A gather that the planner prefers (a weight fetched on demand) is none of these: there the op would take pieces.

use crate::exchange::layout::Cut;
use crate::exchange::merge::Merging;
use crate::exchange::ties::ties;
use crate::reshard::sharding_of;
use meshwright_base::diagnostic::Place;
use meshwright_base::{Code, Diagnostic, IdMap};
use meshwright_ir::op::{ShardingOp, Structure};
use meshwright_ir::{Def, FactorId, FuncId, Function, InstId, Localize, Module, ValueId, rule_of};
use meshwright_shard::Sharding;

/// One operand put together over some dims.
#[derive(Clone, PartialEq, Debug)]
pub struct WholeOperand {
    /// Its name, without `%`: what a function is given has that of its caller's value.
    pub value: String,
    /// The function it is in, unless that is the entry.
    pub function: Option<String>,
    /// The op that needs it.
    pub op: String,
    pub place: Option<Place>,
    /// Dims that were split and are not any more.
    pub dims: Vec<usize>,
    /// Size on every device.
    pub bytes: i64,
    pub reason: Reason,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reason {
    /// The op's rule needs the dims whole.
    Rule,
    /// Sorted pieces could be merged in rounds, but that would send more: bytes that a device sends for each element of
    /// the other dims.
    Merging { fetched: i64, merged: i64 },
    /// Nothing is known of a foreign function.
    Unknown,
}

/// All of a planned module, in program order.
pub fn whole_operands(module: &Module) -> Vec<WholeOperand> {
    let mut found = Vec::new();
    let callers = callers(module);
    for (id, func) in module.funcs.iter() {
        for inst in func.insts_in_order() {
            if resharded(func, func.inst(inst).results.first().copied()).is_some() {
                continue;
            }
            for (at, operand) in func.inst(inst).operands.iter().enumerate() {
                let from = resharded(func, Some(*operand));
                let whole = from.and_then(|from| Some((whole_operand(module, func, inst, at, from)?, from)));
                found.extend(whole.map(|(whole, from)| whole.named(module, &callers, id, from)));
            }
        }
    }
    found
}

/// What a value is a reshard of.
fn resharded(func: &Function, value: Option<ValueId>) -> Option<ValueId> {
    let info = func.inst(func.def_inst(value?)?);
    let is_reshard = matches!(info.op.structure(), Some(Structure::Sharding(ShardingOp::Reshard(_))));
    is_reshard.then(|| info.operands.first().copied())?
}

/// Who calls each function, and where: after completion one call each.
type Callers = IdMap<FuncId, Option<(FuncId, InstId)>>;

fn callers(module: &Module) -> Callers {
    let mut callers = IdMap::filled(module.funcs.len(), None);
    for (id, func) in module.funcs.iter() {
        for inst in func.insts_in_order() {
            if let Some(Structure::Call(call)) = func.inst(inst).op.structure() {
                callers[call.callee] = Some((id, inst));
            }
        }
    }
    callers
}

/// Where a value comes from: what a function is given, its caller has.
fn given_by_callers(
    module: &Module,
    callers: &Callers,
    (mut id, mut value): (FuncId, ValueId),
) -> (FuncId, ValueId) {
    while let Def::Param { block, index } = module.funcs[id].value(value).def
        && block == module.funcs[id].root()
        && let Some((caller, inst)) = callers[id]
        && let Some(given) = module.funcs[caller].inst(inst).operands.get(index)
    {
        (id, value) = (caller, *given);
        while let Some(from) = resharded(&module.funcs[id], Some(value)) {
            value = from;
        }
    }
    (id, value)
}

fn whole_operand(
    module: &Module,
    func: &Function,
    inst: InstId,
    at: usize,
    from: ValueId,
) -> Option<WholeOperand> {
    let info = func.inst(inst);
    if !matches!(info.op.structure(), None | Some(Structure::Token(_))) {
        return None;
    }
    let given = info.operands[at];
    let (before, after) = (sharding_of(func, from)?, sharding_of(func, given)?);
    let rule = rule_of(func, inst);
    let is_merged = |factor: &FactorId| rule.factors[*factor].localize == Localize::Merge;
    let stays = |factor: &FactorId| !rule.can_split(*factor) || is_merged(factor);
    let needs_whole = |dim: usize| rule.operands[at][dim].iter().any(stays);
    let pairs = before.dims.iter().zip(&after.dims).enumerate();
    let dims: Vec<usize> = pairs
        .filter(|(dim, (before, after))| before.tiles() > after.tiles() && needs_whole(*dim))
        .map(|(dim, _)| dim)
        .collect();
    let tiles = |sharding: &Sharding| sharding.tiles().iter().product::<i64>();
    // Where other dims take the split, nobody has more than before.
    if dims.is_empty() || tiles(&after) >= tiles(&before) {
        return None;
    }
    let ty = func.ty(from).as_tensor()?;
    let line = rule.operands[at].iter().position(|factors| factors.iter().any(is_merged));
    let reason = match line {
        Some(dim) => merging(func, inst, Cut::of(ty.dims[dim], before.dims[dim].tiles()))?,
        None if info.op.facts().is_foreign => Reason::Unknown,
        None => Reason::Rule,
    };
    Some(WholeOperand {
        value: String::new(),
        function: None,
        op: info.op.mnemonic().to_string(),
        place: module.place(info.source),
        dims,
        bytes: ty.with_dims(after.shard_shape(&ty.dims)).byte_size(),
        reason,
    })
}

/// Why a sort fetches pieces that it could merge; `None` if that would send less, and others need the whole anyway.
fn merging(func: &Function, inst: InstId, line: Cut) -> Option<Reason> {
    let types = func.inst(inst).operands.iter().filter_map(|value| func.ty(*value).as_tensor());
    let bits: i64 = types.map(|ty| i64::from(ty.dtype.bits())).sum();
    let bytes = |bits: i64| bits.saturating_mul(line.piece()) / 8;
    let fetched = bytes(bits.saturating_mul(line.tiles.get() - 1));
    let merged = bytes(Merging::new(line, ties(func, inst)?, bits).bits(bits));
    (fetched <= merged).then_some(Reason::Merging { fetched, merged })
}

impl WholeOperand {
    /// With the name of the value it comes from.
    fn named(self, module: &Module, callers: &Callers, id: FuncId, from: ValueId) -> Self {
        let (id, from) = given_by_callers(module, callers, (id, from));
        let func = &module.funcs[id];
        let value = func.value(from).name.as_deref().unwrap_or("unnamed").to_string();
        WholeOperand { value, function: (id != module.entry).then(|| func.name.to_string()), ..self }
    }

    /// What a user is told.
    pub fn note(&self) -> Diagnostic {
        let WholeOperand { value, op, dims, bytes, .. } = self;
        let function = self.function.as_ref().map(|name| format!(" of `@{name}`")).unwrap_or_default();
        let message = format!(
            "`%{value}`{function} is put together over {} for `{op}`: {bytes} bytes on every device",
            list(dims)
        );
        let help = match self.reason {
            Reason::Rule => {
                format!("`{op}` needs {} whole: annotate `%{value}` so that other dims are split", list(dims))
            }
            Reason::Merging { fetched, merged } => format!(
                "a device sends {fetched} bytes of a line to put it together, and {merged} to merge sorted pieces: annotate `%{value}` so that another dim is split, or as replicated if it is small"
            ),
            Reason::Unknown => format!(
                "nothing is known of what is called: call it in a manual region, on pieces, or annotate `%{value}` as replicated"
            ),
        };
        Diagnostic::note_only(Code(530), message).at_place(self.place.clone()).help(help)
    }
}

fn list(dims: &[usize]) -> String {
    let numbers: Vec<String> = dims.iter().map(usize::to_string).collect();
    format!("{} {}", if dims.len() == 1 { "dim" } else { "dims" }, numbers.join(", "))
}
