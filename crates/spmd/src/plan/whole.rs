//! Operands that a plan puts together because their op cannot work on pieces: what a user would want to know of.
//!
//! ```text
//! %b = reshard %a : {"x"} -> {}          %a is gathered over dim 0, for
//! %c = sort %b, dim 0                    `sort`, which needs dim 0 whole
//! ```
//!
//! A gather that the planner prefers (a weight fetched on demand) is none of these: there the op would take pieces.

use crate::plan::candidates::can_split;
use crate::reshard::sharding_of;
use meshwright_ground::diagnostic::Place;
use meshwright_ground::{Code, Diagnostic, IdMap};
use meshwright_ir::op::ShardingOp;
use meshwright_ir::{Function, InstId, Module, Op, ValueId, rule_of};

/// One operand put together over some dims.
#[derive(Clone, PartialEq, Debug)]
pub struct WholeOperand {
    /// Its name, without `%`.
    pub value: String,
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
    /// The op's rule needs the dims whole, and the operand has no other: fetching the other pieces sends less than
    /// merging them in rounds.
    OnlyDim { pieces: i64, rounds: i64 },
    /// Nothing is known of a foreign function.
    Unknown,
}

/// All of a planned module, in program order.
pub fn whole_operands(module: &Module) -> Vec<WholeOperand> {
    let mut found = Vec::new();
    for func in module.funcs.values() {
        let mut reshards: IdMap<ValueId, Option<ValueId>> = IdMap::filled(func.value_count(), None);
        for inst in func.insts_in_order() {
            let info = func.inst(inst);
            if let (Op::Sharding(ShardingOp::Reshard(_)), [from], [to]) =
                (&info.op, &info.operands[..], &info.results[..])
            {
                reshards[*to] = Some(*from);
                continue;
            }
            for (at, operand) in info.operands.iter().enumerate() {
                found.extend(reshards[*operand].and_then(|from| whole_operand(module, func, inst, at, from)));
            }
        }
    }
    found
}

fn whole_operand(
    module: &Module,
    func: &Function,
    inst: InstId,
    at: usize,
    from: ValueId,
) -> Option<WholeOperand> {
    let info = func.inst(inst);
    if matches!(info.op, Op::Control(_) | Op::Scan(_) | Op::Sharding(_) | Op::Call(_)) {
        return None;
    }
    let given = info.operands[at];
    let (before, after) = (sharding_of(func, from)?, sharding_of(func, given)?);
    let rule = rule_of(func, inst);
    let needs_whole =
        |dim: usize| rule.operands[at][dim].iter().any(|factor| !can_split(&info.op, &rule, *factor));
    let pairs = before.dims.iter().zip(&after.dims).enumerate();
    let dims: Vec<usize> = pairs
        .filter(|(dim, (before, after))| before.tiles() > after.tiles() && needs_whole(*dim))
        .map(|(dim, _)| dim)
        .collect();
    if dims.is_empty() {
        return None;
    }
    let ty = func.ty(from).as_tensor()?;
    let pieces = dims.iter().map(|dim| before.dims[*dim].tiles()).product();
    let reason = match info.op {
        Op::Foreign(_) => Reason::Unknown,
        Op::Sort(_) if ty.rank() == 1 => {
            let bytes = info.operands.iter().filter_map(|value| func.ty(*value).as_tensor());
            only_dim(pieces, bytes.map(|ty| ty.dtype.bytes() as i64).sum())
        }
        _ => Reason::Rule,
    };
    Some(WholeOperand {
        value: func.value(from).name.as_deref().unwrap_or("unnamed").to_string(),
        op: info.op.mnemonic().to_string(),
        place: module.place(info.source),
        dims,
        bytes: ty.with_dims(after.shard_shape(&ty.dims)).byte_size(),
        reason,
    })
}

/// Why a sort of one dim fetches its pieces: merging them takes as many rounds as a sorting network has, in each of which a
/// device sends its piece and the places its elements had.
fn only_dim(pieces: i64, element_bytes: i64) -> Reason {
    const PLACE: i64 = 4;
    let depth = i64::from(pieces.max(1).unsigned_abs().next_power_of_two().ilog2());
    let rounds = depth * (depth + 1) / 2;
    let merging = rounds * (element_bytes + PLACE);
    if merging > (pieces - 1) * element_bytes { Reason::OnlyDim { pieces, rounds } } else { Reason::Rule }
}

impl WholeOperand {
    /// What a user is told.
    pub fn note(&self) -> Diagnostic {
        let WholeOperand { value, op, dims, bytes, .. } = self;
        let message = format!(
            "`%{value}` is put together over {} for `{op}`: {bytes} bytes on every device",
            list(dims)
        );
        let help = match self.reason {
            Reason::Rule => {
                format!("`{op}` needs {} whole: annotate `%{value}` so that other dims are split", list(dims))
            }
            Reason::OnlyDim { pieces, rounds } => format!(
                "there is no other dim to split: fetching {} pieces sends less than merging {pieces} in {rounds} rounds; annotate `%{value}` as replicated if it is small",
                pieces - 1
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
