//! Which einsums become loops ([`looped`](crate::localize::looped)).
//!
//! ```text
//! %b1 = all_gather %b             %c = dot %a, %b             partial
//! %c = dot %a, %b1                %d = reduce_scatter %c
//! ```
//!
//! A candidate is a product beside a collective over one dim, in one block, whose result nobody else uses; or all
//! products that take one gathered value, if they can stand in one place. One is taken where a machine that computes
//! while it sends would be faster, or because memory is short: the largest first, as many as are asked for. Sums over
//! gathered pieces are done in another order on every device, so where the result has to be the same on several
//! devices, and rounds, there is no loop.

use crate::localize::looped::{Side, paired, sources};
use crate::reshard::sharding_of;
use meshwright_base::arrange::Arrange;
use meshwright_base::{Id, IdMap};
use meshwright_cost::compute::{Work, work};
use meshwright_cost::{Form, Looped, Machine};
use meshwright_ir::op::{Dot, ReshardOp, ShardingOp};
use meshwright_ir::{FuncId, Function, InstId, Module, Op, TensorType, Type, ValueId};
use meshwright_shard::{AxisRef, Dim, MeshId, Reducer, Sharding};

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

/// An einsum that can be a loop, or several that take the same gathered value.
#[derive(Clone, PartialEq, Debug)]
pub struct EinsumLoop {
    /// In program order, each with what travels.
    pub dots: Vec<(InstId, Side)>,
    /// The all-gather or reduce-scatter that goes.
    pub collective: InstId,
    /// The instruction in whose place the loop stands.
    pub at: InstId,
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
                let forced = largest.contains(&(id, found.at)).then(Form::default);
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
        .flat_map(|(id, list)| list.iter().map(move |found| (-found.saved, id, found.at)))
        .collect();
    sizes.arrange();
    sizes.into_iter().take(count).map(|(_, func, at)| (func, at)).collect()
}

fn candidates(module: &Module) -> IdMap<FuncId, Vec<EinsumLoop>> {
    module.funcs.values().map(of_function).collect()
}

/// Einsums that share a gathered value together; of the others one candidate each, the one that saves most.
fn of_function(func: &Function) -> Vec<EinsumLoop> {
    let users = Users::new(func);
    let mut found: Vec<EinsumLoop> = Vec::new();
    let order = func.insts_in_order();
    let mut loops = IdMap::filled(func.inst_count(), false);
    for inst in &order {
        let Some(shared) = together(func, &users, *inst) else { continue };
        if shared.dots.iter().all(|(dot, _)| !loops[*dot]) {
            shared.dots.iter().for_each(|(dot, _)| loops[*dot] = true);
            found.push(shared);
        }
    }
    for inst in order.into_iter().filter(|inst| !loops[*inst]) {
        let Op::Dot(dot) = &func.inst(inst).op else { continue };
        let scatter = scatter(func, &users, inst, dot);
        let alone = |operand: usize| {
            let value = func.inst(inst).operands.get(operand)?;
            gather(func, inst, dot, operand).filter(|_| users.only(*value) == Some(inst))
        };
        let all = [alone(0), alone(1), scatter];
        found.extend(all.into_iter().flatten().max_by_key(|found| found.saved));
    }
    found
}

/// The loop of several einsums that take what one instruction gathers, if nobody else does.
fn together(func: &Function, users: &Users, collective: InstId) -> Option<EinsumLoop> {
    let Op::Sharding(ShardingOp::Reshard(ReshardOp::AllGather { .. })) = &func.inst(collective).op else {
        return None;
    };
    let value = *func.inst(collective).results.first()?;
    let dots = users.of(value);
    if dots.len() < 2 || users.returned[value] {
        return None;
    }
    let one = |inst: &InstId| {
        let Op::Dot(dot) = &func.inst(*inst).op else { return None };
        let operand = func.inst(*inst).operands.iter().position(|operand| *operand == value)?;
        gather(func, *inst, dot, operand)
    };
    let all: Option<Vec<EinsumLoop>> = dots.iter().map(one).collect();
    let all = all?.into_iter().reduce(EinsumLoop::and)?;
    Some(EinsumLoop { at: common_place(func, users, dots, value)?, ..all })
}

/// Where several instructions can all stand: in the place of the first, if everything they take but `but` is there, or
/// of the last, if nothing before takes their results.
fn common_place(func: &Function, users: &Users, insts: &[InstId], but: ValueId) -> Option<InstId> {
    let (first, last) = (*insts.first()?, *insts.last()?);
    let block = func.block_of(first);
    let place = &users.place;
    let within = |mut inst: InstId| loop {
        if func.block_of(inst) == block {
            return Some(place[inst]);
        }
        inst = func.block(func.block_of(inst)).parent?;
    };
    let is_there = |value: &ValueId| {
        let made = func.def_inst(*value).filter(|inst| func.block_of(*inst) == block);
        *value == but || made.is_none_or(|made| place[made] < place[first])
    };
    let is_late = |value: &ValueId| users.of(*value).iter().all(|user| within(*user) > Some(place[last]));
    if insts.iter().all(|inst| func.inst(*inst).operands.iter().all(is_there)) {
        return Some(first);
    }
    insts.iter().all(|inst| func.inst(*inst).results.iter().all(is_late)).then_some(last)
}

/// Who uses each value.
struct Users {
    /// Once for each time that an instruction takes a value: by value, in program order.
    list: Vec<InstId>,
    /// Where the users of each value end in the list; they begin where those of the value before end.
    end: IdMap<ValueId, usize>,
    /// Whether a block returns it.
    returned: IdMap<ValueId, bool>,
    /// Where each instruction stands in its block.
    place: IdMap<InstId, usize>,
}

impl Users {
    fn new(func: &Function) -> Self {
        let insts = func.insts_in_order();
        let mut end: IdMap<ValueId, usize> = IdMap::filled(func.value_count(), 0);
        let mut total = 0;
        for value in insts.iter().flat_map(|inst| &func.inst(*inst).operands) {
            end[*value] += 1;
            total += 1;
        }
        // Each begins where the one before ends, and moves on with every user that is put in.
        let mut next = 0;
        for count in end.values_mut() {
            (next, *count) = (next + *count, next);
        }
        let mut list = insts.first().map_or(Vec::new(), |first| vec![*first; total]);
        for inst in &insts {
            for value in &func.inst(*inst).operands {
                list[end[*value]] = *inst;
                end[*value] += 1;
            }
        }
        let mut returned = IdMap::filled(func.value_count(), false);
        let mut place = IdMap::filled(func.inst_count(), 0);
        for block in func.blocks_in_order() {
            let block = func.block(block);
            block.results.iter().for_each(|value| returned[*value] = true);
            block.insts.iter().enumerate().for_each(|(at, inst)| place[*inst] = at);
        }
        Users { list, end, returned, place }
    }

    fn of(&self, value: ValueId) -> &[InstId] {
        let before = value.index().checked_sub(1).map(ValueId::from_index);
        &self.list[before.map_or(0, |before| self.end[before])..self.end[value]]
    }

    /// The only user, if there is one.
    fn only(&self, value: ValueId) -> Option<InstId> {
        match self.of(value) {
            [user] if !self.returned[value] => Some(*user),
            _ => None,
        }
    }
}

fn gather(func: &Function, inst: InstId, dot: &Dot, operand: usize) -> Option<EinsumLoop> {
    let value = *func.inst(inst).operands.get(operand)?;
    let collective = func.def_inst(value)?;
    let Op::Sharding(ShardingOp::Reshard(ReshardOp::AllGather { axes })) = &func.inst(collective).op else {
        return None;
    };
    let (dim, axes) = only(axes)?;
    let takes = |value: &&ValueId| **value == func.inst(inst).operands[operand];
    let is_ours = func.inst(inst).operands.iter().filter(takes).count() == 1
        && func.block_of(collective) == func.block_of(inst);
    let sums = dot.contract.iter().any(|pair| [pair.0, pair.1][operand] == dim.index());
    if !is_ours || (sums && !may_reorder(func, inst, axes)) {
        return None;
    }
    let pieces = crate::axes::tiles(axes);
    let (result, others) = (result_type(func, inst)?, operand_types(func, inst)?);
    let mut piece = others.clone();
    piece[operand].dims[dim] /= pieces;
    let mut cut = 0;
    if let Some(other) = paired(dot, operand, dim) {
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

fn scatter(func: &Function, users: &Users, inst: InstId, dot: &Dot) -> Option<EinsumLoop> {
    let value = *func.inst(inst).results.first()?;
    let collective = users.only(value)?;
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
    for (operand, from) in sources(dot, ranks, dim) {
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
        let at = match side {
            Side::Gather { .. } => dot,
            Side::Scatter { .. } => collective,
        };
        let (dots, axes) = (vec![(dot, side)], axes.to_vec());
        EinsumLoop { dots, collective, at, mesh, axes, form: Form::default(), saved, cost }
    }

    /// The loop of another einsum that takes the same pieces as well.
    fn and(mut self, other: EinsumLoop) -> EinsumLoop {
        let join = |a: Work, b: Work| Work { flops: a.flops + b.flops, bytes: a.bytes + b.bytes, ..a };
        self.dots.extend(other.dots);
        self.cost.whole = join(self.cost.whole, other.cost.whole);
        self.cost.piece = join(self.cost.piece, other.cost.piece);
        self
    }
}

/// The one dim that a collective is about, if it is one.
fn only(axes: &[Vec<AxisRef>]) -> Option<(Dim, &[AxisRef])> {
    let mut dims = Dim::all(axes.len()).zip(axes).filter(|(_, axes)| !axes.is_empty());
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
