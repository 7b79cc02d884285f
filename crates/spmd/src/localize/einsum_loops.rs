//! Which einsums become loops ([`looped`](crate::localize::looped)).
//!
//! ```text
//! %b1 = all_gather %b             %c = dot %a, %b             partial
//! %c = dot %a, %b1                %d = reduce_scatter %c
//! ```
//!
//! A candidate is a product beside a collective over one dim, in one block, whose result nobody else uses. One is taken
//! where a machine that computes while it sends would be faster, or because memory is short: the largest first, as many
//! as are asked for. Sums over gathered pieces are done in another order on every device, so where the result has to be
//! the same on several devices, and rounds, there is no loop.

use crate::localize::looped::Side;
use crate::reshard::sharding_of;
use meshwright_cost::compute::{Work, work};
use meshwright_cost::{Form, Looped, Machine};
use meshwright_ground::IdMap;
use meshwright_ir::op::{Dot, ReshardOp, ShardingOp};
use meshwright_ir::{FuncId, Function, InstId, Module, Op, TensorType, Type, ValueId};
use meshwright_shard::{AxisRef, MeshId, Reducer, Sharding};

/// How einsums are chosen to be loops.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Loops {
    /// Where the machine is faster so.
    #[default]
    ByCost,
    /// And besides the so many largest, to save memory.
    Largest(usize),
    /// All that can be, in one form.
    All(Form),
    Never,
}

/// An einsum that can be a loop.
#[derive(Clone, PartialEq, Debug)]
pub struct EinsumLoop {
    pub dot: InstId,
    /// The all-gather or reduce-scatter that goes.
    pub collective: InstId,
    pub side: Side,
    pub mesh: MeshId,
    pub axes: Vec<AxisRef>,
    pub form: Form,
    /// Bytes of what is not held any more.
    pub saved: i64,
    cost: Looped,
}

/// The loops of each function.
pub fn chosen(module: &Module, machine: &Machine, loops: Loops) -> IdMap<FuncId, Vec<EinsumLoop>> {
    let all = || candidates(module);
    let form = |found: &EinsumLoop| found.cost.choose(machine);
    match loops {
        Loops::Never => module.funcs.values().map(|_| Vec::new()).collect(),
        Loops::All(form) => each(all(), |_, found| Some(EinsumLoop { form, ..found })),
        Loops::ByCost => each(all(), |_, found| Some(EinsumLoop { form: form(&found)?, ..found })),
        Loops::Largest(count) => {
            let all = all();
            let largest = largest(&all, count);
            each(all, |id, found| {
                let forced = largest.contains(&(id, found.dot)).then(Form::default);
                Some(EinsumLoop { form: form(&found).or(forced)?, ..found })
            })
        }
    }
}

/// How many einsums of a planned module can be loops.
pub fn count(module: &Module) -> usize {
    candidates(module).values().map(Vec::len).sum()
}

fn each(
    found: IdMap<FuncId, Vec<EinsumLoop>>,
    keep: impl Fn(FuncId, EinsumLoop) -> Option<EinsumLoop>,
) -> IdMap<FuncId, Vec<EinsumLoop>> {
    found
        .iter()
        .map(|(id, list)| list.iter().cloned().filter_map(|found| keep(id, found)).collect())
        .collect()
}

fn largest(all: &IdMap<FuncId, Vec<EinsumLoop>>, count: usize) -> Vec<(FuncId, InstId)> {
    let mut sizes: Vec<(i64, FuncId, InstId)> = all
        .iter()
        .flat_map(|(id, list)| list.iter().map(move |found| (-found.saved, id, found.dot)))
        .collect();
    sizes.sort_unstable();
    sizes.into_iter().take(count).map(|(_, func, dot)| (func, dot)).collect()
}

fn candidates(module: &Module) -> IdMap<FuncId, Vec<EinsumLoop>> {
    module.funcs.values().map(of_function).collect()
}

/// One candidate per einsum, the one that saves most.
fn of_function(func: &Function) -> Vec<EinsumLoop> {
    let users = users(func);
    let mut found: Vec<EinsumLoop> = Vec::new();
    for inst in func.insts_in_order() {
        let Op::Dot(dot) = &func.inst(inst).op else { continue };
        let scatter = scatter(func, &users, inst, dot);
        let all = [gather(func, &users, inst, dot, 0), gather(func, &users, inst, dot, 1), scatter];
        found.extend(all.into_iter().flatten().max_by_key(|found| found.saved));
    }
    found
}

/// The only user of each value, if there is one.
fn users(func: &Function) -> IdMap<ValueId, Users> {
    let mut users = IdMap::filled(func.value_count(), Users::None);
    for inst in func.insts_in_order() {
        for value in &func.inst(inst).operands {
            users[*value] = if users[*value] == Users::None { Users::One(inst) } else { Users::Many };
        }
    }
    for block in func.blocks_in_order() {
        for value in &func.block(block).results {
            users[*value] = Users::Many;
        }
    }
    users
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Users {
    None,
    One(InstId),
    Many,
}

fn gather(
    func: &Function,
    users: &IdMap<ValueId, Users>,
    inst: InstId,
    dot: &Dot,
    operand: usize,
) -> Option<EinsumLoop> {
    let value = *func.inst(inst).operands.get(operand)?;
    let collective = func.def_inst(value)?;
    let Op::Sharding(ShardingOp::Reshard(ReshardOp::AllGather { axes })) = &func.inst(collective).op else {
        return None;
    };
    let (dim, axes) = only(axes)?;
    let is_ours = users[value] == Users::One(inst) && func.block_of(collective) == func.block_of(inst);
    let sums = dot.contract.iter().any(|pair| [pair.0, pair.1][operand] == dim);
    if !is_ours || (sums && !may_reorder(func, inst, axes)) {
        return None;
    }
    let pieces = crate::axes::tiles(axes);
    let (result, others) = (result_type(func, inst)?, operand_types(func, inst)?);
    let mut piece = others.clone();
    piece[operand].dims[dim] /= pieces;
    let other = dot.batch.iter().chain(&dot.contract).map(|pair| [pair.0, pair.1]);
    let other = other.into_iter().find(|pair| pair[operand] == dim).map(|pair| pair[1 - operand]);
    let mut cut = 0;
    if let Some(other) = other {
        piece[1 - operand].dims[other] /= pieces;
        cut = piece[1 - operand].byte_size();
    }
    let bytes = piece[operand].byte_size();
    let made = if sums { result.clone() } else { part(&result, pieces) };
    let moved = cut.saturating_add(made.byte_size());
    let cost = Looped {
        whole: product(dot, &others, &result),
        piece: with_copies(product(dot, &piece, &made), moved),
        bytes: bytes as f64,
        pieces,
    };
    let side = Side::Gather { operand, dim };
    Some(EinsumLoop::new(inst, collective, side, sharding_of(func, value)?.mesh, axes, cost))
}

fn scatter(func: &Function, users: &IdMap<ValueId, Users>, inst: InstId, dot: &Dot) -> Option<EinsumLoop> {
    let value = *func.inst(inst).results.first()?;
    let Users::One(collective) = users[value] else { return None };
    let Op::Sharding(ShardingOp::Reshard(ReshardOp::ReduceScatter { axes, reducer: Reducer::Sum })) =
        &func.inst(collective).op
    else {
        return None;
    };
    let (dim, axes) = only(axes)?;
    if func.block_of(collective) != func.block_of(inst) {
        return None;
    }
    let pieces = crate::axes::tiles(axes);
    let (result, operands) = (result_type(func, inst)?, operand_types(func, inst)?);
    let mut piece = operands.clone();
    let ranks = [operands[0].rank(), operands[1].rank()];
    let mut cut = 0;
    for (operand, from) in crate::localize::looped::sources(dot, ranks, dim) {
        piece[operand].dims[from] /= pieces;
        cut = i64::saturating_add(cut, piece[operand].byte_size());
    }
    let mut made = result.clone();
    made.dims[dim] /= pieces;
    let moved = cut.saturating_add(made.byte_size());
    let cost = Looped {
        whole: product(dot, &operands, &result),
        piece: with_copies(product(dot, &piece, &made), moved),
        bytes: made.byte_size() as f64,
        pieces,
    };
    let side = Side::Scatter { dim };
    Some(EinsumLoop::new(inst, collective, side, sharding_of(func, value)?.mesh, axes, cost))
}

impl EinsumLoop {
    fn new(
        dot: InstId,
        collective: InstId,
        side: Side,
        mesh: MeshId,
        axes: &[AxisRef],
        cost: Looped,
    ) -> Self {
        let saved = (cost.bytes as i64).saturating_mul(cost.pieces - 1);
        EinsumLoop { dot, collective, side, mesh, axes: axes.to_vec(), form: Form::default(), saved, cost }
    }
}

/// The one dim that a collective is about, if it is one.
fn only(axes: &[Vec<AxisRef>]) -> Option<(usize, &[AxisRef])> {
    let mut dims = axes.iter().enumerate().filter(|(_, axes)| !axes.is_empty());
    let (dim, axes) = dims.next()?;
    (dims.next().is_none() && crate::axes::tiles(axes) > 1).then_some((dim, axes))
}

/// Whether devices along the axes hold different parts of the result, or sums of it do not round.
fn may_reorder(func: &Function, inst: InstId, axes: &[AxisRef]) -> bool {
    let Some(result) = func.inst(inst).results.first() else { return false };
    let is_exact = func.ty(*result).as_tensor().is_some_and(|ty| ty.dtype.is_integer());
    let splits =
        |sharding: &Sharding, axis: &AxisRef| sharding.dims.iter().any(|dim| dim.axes.contains(axis));
    is_exact || sharding_of(func, *result).is_some_and(|to| axes.iter().all(|axis| splits(&to, axis)))
}

fn local(func: &Function, value: ValueId) -> Option<TensorType> {
    let ty = func.ty(value).as_tensor()?;
    Some(ty.with_dims(sharding_of(func, value)?.shard_shape(&ty.dims)))
}

fn result_type(func: &Function, inst: InstId) -> Option<TensorType> {
    local(func, *func.inst(inst).results.first()?)
}

fn operand_types(func: &Function, inst: InstId) -> Option<[TensorType; 2]> {
    let [lhs, rhs] = func.inst(inst).operands[..] else { return None };
    Some([local(func, lhs)?, local(func, rhs)?])
}

/// A type with one of so many parts of the bytes; which dim is cut does not matter to its size.
fn part(ty: &TensorType, pieces: i64) -> TensorType {
    ty.with_dims([ty.elements() / pieces])
}

/// What is cut out for a piece, or joined to the result, is read and written once more.
fn with_copies(work: Work, moved: i64) -> Work {
    Work { bytes: work.bytes + 2.0 * moved as f64, ..work }
}

fn product(dot: &Dot, operands: &[TensorType; 2], result: &TensorType) -> Work {
    let operands = operands.clone().map(Type::Tensor);
    work(&Op::Dot(dot.clone()), &[&operands[0], &operands[1]], &[&Type::Tensor(result.clone())])
}
