//! What a campaign saw, per op: how often, how it was split, how often it had to fall back to whole operands.
//!
//! An op's row counts instructions of the planned program that stand for instructions of the case. *Non-batch* means a
//! split along a dim that not every operand and result has, or that is reduced or handled by hand; for ops all of whose
//! dims are alike any split counts. *Whole* means that an operand was split and is gathered to full size just before,
//! though what is made of it is no larger, or goes on in other pieces. What is needed whole anyway is fetched where it
//! is smallest: that is no fall-back.

use crate::check::Passed;
use meshwright_base::Id;
use meshwright_base::arrange::Arrange;
use meshwright_ir::op::{ReshardOp, ShardingOp};
use meshwright_ir::rule::DimFactors;
use meshwright_ir::{Annotation, FactorKind, Function, Inst, InstId, Localize, Op, Rule, ValueId, rule_of};
use meshwright_shard::Sharding;
use std::collections::BTreeMap;
use std::fmt::Write;

/// Fewer cases than this say nothing.
const FEW: usize = 200;

/// Counts of one op.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct OpCounts {
    pub cases: usize,
    pub non_batch: usize,
    pub uneven: usize,
    pub manual: usize,
    pub partial: usize,
    pub whole: usize,
}

/// Rows by op.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Table {
    pub rows: BTreeMap<&'static str, OpCounts>,
}

impl Table {
    /// Count a case that came out right.
    pub fn count(&mut self, passed: &Passed) {
        for (at, func) in passed.planned.funcs.values().enumerate() {
            let given = passed.given.get(at).copied().unwrap_or(0);
            for inst in func.insts_in_order().into_iter().filter(|inst| inst.index() < given) {
                if is_counted(func, inst) {
                    self.rows.entry(func.inst(inst).op.mnemonic()).or_default().add(func, inst);
                }
            }
        }
    }

    /// Add another table's counts.
    pub fn merge(&mut self, other: &Table) {
        for (op, row) in &other.rows {
            let sum = self.rows.entry(op).or_default();
            sum.cases += row.cases;
            sum.non_batch += row.non_batch;
            sum.uneven += row.uneven;
            sum.manual += row.manual;
            sum.partial += row.partial;
            sum.whole += row.whole;
        }
    }

    /// Ops that fall back more often than they may, by more than two standard deviations of such a share in so many
    /// cases: (op, share in percent, budget).
    pub fn exceeded(&self) -> Vec<(&'static str, f64, f64)> {
        let rows = self.rows.iter().filter(|(_, row)| row.cases >= FEW);
        let most =
            |budget: f64, cases: usize| budget + 2.0 * (budget * (100.0 - budget) / cases as f64).sqrt();
        let shares = rows.map(|(op, row)| (*op, row, 100.0 * row.share(row.whole), crate::budget::of(op)));
        let above = shares.filter(|(_, row, share, budget)| *share > most(*budget, row.cases));
        above.map(|(op, _, share, budget)| (op, share, budget)).collect()
    }

    /// For people.
    pub fn to_text(&self) -> String {
        let mut out = String::from(
            "op                           cases non-batch  uneven  manual partial   whole  budget\n",
        );
        for (op, row) in &self.rows {
            let percent = |count: usize| format!("{:.1}%", 100.0 * row.share(count));
            let _ = writeln!(
                out,
                "{op:26} {:7} {:>9} {:>7} {:>7} {:>7} {:>7} {:>7}",
                row.cases,
                percent(row.non_batch),
                percent(row.uneven),
                percent(row.manual),
                percent(row.partial),
                percent(row.whole),
                format!("{:.0}%", crate::budget::of(op)),
            );
        }
        out
    }

    /// For programs: one object per op.
    pub fn to_json(&self) -> String {
        let row = |(op, row): (&&str, &OpCounts)| {
            format!(
                "{{\"op\":\"{op}\",\"cases\":{},\"non_batch\":{},\"uneven\":{},\"manual\":{},\"partial\":{},\"whole\":{},\"budget_percent\":{}}}",
                row.cases,
                row.non_batch,
                row.uneven,
                row.manual,
                row.partial,
                row.whole,
                crate::budget::of(op)
            )
        };
        format!("[{}]", self.rows.iter().map(row).collect::<Vec<_>>().join(","))
    }
}

impl OpCounts {
    /// A count as a part of all.
    pub fn share(&self, count: usize) -> f64 {
        count as f64 / self.cases.max(1) as f64
    }

    fn add(&mut self, func: &Function, inst: InstId) {
        let body = func.inst(inst);
        let values: Vec<ValueId> = body.operands.iter().chain(&body.results).copied().collect();
        let shardings: Vec<&Sharding> = values.iter().filter_map(|value| sharding(func, *value)).collect();
        self.cases += 1;
        self.non_batch += usize::from(splits_non_batch(func, inst));
        self.uneven += usize::from(values.iter().any(|value| is_uneven(func, *value)));
        self.manual += usize::from(shardings.iter().any(|sharding| !sharding.manual.is_empty()));
        self.partial += usize::from(shardings.iter().any(|sharding| !sharding.partial.is_empty()));
        self.whole += usize::from(falls_back(func, inst));
    }
}

fn sharding(func: &Function, value: ValueId) -> Option<&Sharding> {
    func.value(value).sharding.as_ref().and_then(Annotation::as_mesh)
}

/// Ops of the program itself: not those of scalar regions, nor annotations, nor reshards.
fn is_counted(func: &Function, inst: InstId) -> bool {
    let body = func.inst(inst);
    let is_annotation = matches!(&body.op, Op::Sharding(op) if !matches!(op, ShardingOp::Manual(_)));
    meshwright_spmd::blocks::is_program(func, func.block_of(inst)) && !is_annotation
}

fn splits_non_batch(func: &Function, inst: InstId) -> bool {
    let body = func.inst(inst);
    let rule = rule_of(func, inst);
    let batch = |values: &[ValueId], tensors: &[Vec<DimFactors>]| {
        values.iter().zip(tensors).any(|(value, dims)| {
            let Some(sharding) = sharding(func, *value) else { return false };
            let is_split = |dim: usize| sharding.dims.get(dim).is_some_and(|dim| dim.tiles() > 1);
            dims.iter().enumerate().any(|(dim, factors)| {
                is_split(dim) && (is_alike(&rule) || factors.iter().any(|factor| !is_batch(&rule, *factor)))
            })
        })
    };
    let splits = |values: &[ValueId]| {
        values
            .iter()
            .filter_map(|value| sharding(func, *value))
            .any(|sharding| sharding.tiles().iter().any(|n| *n > 1))
    };
    if rule.factors.is_empty() {
        splits(&body.operands) || splits(&body.results)
    } else {
        batch(&body.operands, &rule.operands) || batch(&body.results, &rule.results)
    }
}

/// Whether every dim is of the kind that could be a batch.
fn is_alike(rule: &Rule) -> bool {
    rule.factors.iter().all(|(factor, _)| is_batch(rule, factor))
}

/// A factor that passes through every tensor there is.
fn is_batch(rule: &Rule, factor: meshwright_ir::FactorId) -> bool {
    let info = &rule.factors[factor];
    let everywhere = rule
        .tensors()
        .filter(|dims| !dims.is_empty())
        .all(|dims| dims.iter().flatten().any(|f| *f == factor));
    info.kind == FactorKind::Pass && info.localize == Localize::Plain && everywhere
}

/// Whether a split dim has padding.
fn is_uneven(func: &Function, value: ValueId) -> bool {
    let info = func.value(value);
    let (Some(valid), Some(sharding)) = (&info.valid, sharding(func, value)) else { return false };
    let dims = valid.iter().zip(info.ty.dims()).zip(&sharding.dims);
    dims.into_iter().any(|((valid, padded), dim)| valid != padded && dim.tiles() > 1)
}

/// Whether operands are put together for an instruction, and not because its results are used as they come out: these
/// would have to be put together instead, or moved, and are more.
///
/// ```text
/// %a1 = reshard %a : {"x"} -> {}         8 elements are fetched
/// %b = broadcast %a1 : [8] -> [8, 6]     or 48 behind it
/// ```
fn falls_back(func: &Function, inst: InstId) -> bool {
    let body = func.inst(inst);
    let mut gathered: Vec<ValueId> =
        body.operands.iter().copied().filter(|value| was_gathered(func, *value)).collect();
    gathered.arrange();
    gathered.dedup();
    let elements = |value: &ValueId| {
        let dims = func.dims(*value);
        let local = sharding(func, *value).map(|sharding| sharding.shard_shape(dims));
        local.as_deref().unwrap_or(dims).iter().product::<i64>()
    };
    let sum = |values: &[ValueId]| values.iter().map(elements).sum::<i64>();
    !gathered.is_empty() && (sum(&gathered) >= sum(&body.results) || is_resharded(func, &body.results))
}

/// Whether any of an instruction's results goes on in other pieces.
fn is_resharded(func: &Function, results: &[ValueId]) -> bool {
    let reads = |inst: InstId| {
        let is_reshard = matches!(func.inst(inst).op, Op::Sharding(ShardingOp::Reshard(_)));
        is_reshard && func.inst(inst).operands.iter().any(|value| results.contains(value))
    };
    func.insts_in_order().into_iter().any(reads)
}

/// Whether an operand comes out of a gather that leaves it in one piece.
fn was_gathered(func: &Function, operand: ValueId) -> bool {
    let Some(sharding) = sharding(func, operand) else { return false };
    let mut value = operand;
    let mut gathers = false;
    while let Some(step) = reshard(func, value) {
        gathers |= matches!(step.op, Op::Sharding(ShardingOp::Reshard(ReshardOp::AllGather { .. })));
        value = step.operands[0];
    }
    gathers && sharding.tiles().iter().all(|tiles| *tiles == 1)
}

fn reshard(func: &Function, value: ValueId) -> Option<&Inst> {
    let inst = func.inst(func.def_inst(value)?);
    matches!(inst.op, Op::Sharding(ShardingOp::Reshard(_))).then_some(inst)
}
