//! Which ops of a block are one loop: what is between them takes no memory and no time to move.
//!
//! ```text
//! %a = exp %x    %b = broadcast %m    %c = mul %a, %b    %s = reduce %c      one loop: reads %x and %m, writes %s
//! %p = dot %u, %v    %q = add %p, %bias    %r = max %q, 0                    one product: writes %r
//! ```
//!
//! As XLA does it, roughly: an op joins what uses it if that is one loop; a product takes in what is done to its result
//! and to its operands; broadcasts, reshapes and positions are no work anywhere. An op of a step or two that several
//! loops use is done in each of them, so that its result is nowhere; one that takes longer is done in the first, which
//! writes it for the others. Each loop has one product at most, and is named by its last op.
//!
//! [`Inlined`] is the same of a whole function, for who asks where values lie.

use crate::machine::Habits;
use crate::view::storage;
use meshwright_base::{Id, IdMap};
use meshwright_ir::op::{CollectiveKind, Convert, Effort, Movement, Precision};
use meshwright_ir::{BlockId, DType, Def, Function, InstId, Op, ValueId};

/// What an op may be part of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Class {
    /// No work: whoever reads it reads what it was made of.
    Free,
    /// Part of any loop.
    Fusible,
    /// The end of a loop.
    Last,
    Product,
    Alone,
}

fn class(op: &Op) -> Class {
    match op {
        Op::Constant(_) | Op::Iota(_) | Op::PartitionId | Op::ReplicaId | Op::OptimizationBarrier => {
            Class::Free
        }
        Op::Movement(Movement::Broadcast(_) | Movement::Reshape(_)) => Class::Free,
        Op::Unary(_) | Op::Binary(_) | Op::Compare(_) | Op::Select | Op::Clamp | Op::Convert(_) => {
            Class::Fusible
        }
        Op::Movement(_) | Op::Map(_) => Class::Fusible,
        Op::Dynamic(_) if super::weigh::writes_into(op) => Class::Last,
        Op::Dynamic(_) => Class::Fusible,
        Op::Reduce(_) => Class::Last,
        Op::Dot(_) | Op::Convolution(_) => Class::Product,
        Op::Gather(_) | Op::Scatter(_) | Op::ReduceWindow(_) | Op::SelectAndScatter(_) => Class::Alone,
        Op::Sort(_) | Op::TopK(_) | Op::Random(_) | Op::Fft(_) | Op::Linalg(_) | Op::BatchNorm(_) => {
            Class::Alone
        }
        Op::Control(_) | Op::Scan(_) | Op::Call(_) | Op::Collective(_) | Op::Foreign(_) => Class::Alone,
        Op::Token(_) | Op::Sharding(_) => Class::Alone,
    }
}

/// In so many loops an op is done again at most.
const MOST_LOOPS: usize = 6;

/// Whether doing an op again takes less than reading what it made.
fn is_cheap(op: &Op) -> bool {
    let is_function = matches!(op, Op::Unary(of) if of.effort() == Effort::Function)
        || matches!(op, Op::Binary(of) if of.effort() == Effort::Function);
    let is_light =
        matches!(op, Op::Unary(_) | Op::Binary(_) | Op::Compare(_) | Op::Select | Op::Clamp | Op::Convert(_));
    let is_moved = matches!(op, Op::Movement(Movement::Slice(_) | Movement::Transpose(_)));
    is_moved || is_light && !is_function
}

/// Whether an op makes fewer bytes than it is given: who reads those instead holds more.
fn shrinks(func: &Function, inst: InstId) -> bool {
    let info = func.inst(inst);
    let bytes = |values: &[ValueId]| values.iter().map(|value| func.ty(*value).byte_size()).max();
    matches!(info.op, Op::Convert(_) | Op::Movement(_)) && bytes(&info.results) < bytes(&info.operands)
}

/// Who uses the results of an op.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
struct Users {
    /// Loops, by the places of their last ops, the first of them first.
    loops: Vec<u32>,
    /// Whether others do: they need it in memory.
    others: bool,
}

impl Users {
    fn loops(loops: &[u32]) -> Users {
        Users { loops: loops.to_vec(), others: false }
    }

    fn others() -> Users {
        Users { loops: Vec::new(), others: true }
    }

    fn add(&mut self, more: &Users) {
        self.others |= more.others;
        for at in &more.loops {
            if let Err(place) = self.loops.binary_search(at) {
                self.loops.insert(place, *at);
            }
        }
    }
}

/// The loops of a block, by places of instructions in it.
pub(super) struct Fused {
    /// The places of the last ops of the loops an op is part of; none if it is no work.
    last: Vec<Vec<u32>>,
    /// What uses each place, seen through what is no work.
    users: Vec<Users>,
}

impl Fused {
    pub(super) fn of(func: &Function, block: BlockId, places: &IdMap<InstId, u32>, fuses: bool) -> Fused {
        let insts = &func.block(block).insts;
        let mut fused =
            Fused { last: vec![Vec::new(); insts.len()], users: vec![Users::default(); insts.len()] };
        let mut takes_product = vec![true; insts.len()];
        let note = |fused: &mut Fused, value: ValueId, users: &Users| {
            if let Some(at) = place_of(func, block, places, value) {
                fused.users[at].add(users);
            }
        };
        for value in &func.block(block).results {
            note(&mut fused, *value, &Users::others());
        }
        for (at, inst) in insts.iter().enumerate().rev() {
            let info = func.inst(*inst);
            let class = class(&info.op);
            fused.last[at] = match class {
                Class::Free => Vec::new(),
                Class::Fusible | Class::Product if fuses => {
                    fused.joins(func, insts, at, &takes_product).unwrap_or(vec![at as u32])
                }
                Class::Fusible | Class::Product | Class::Last | Class::Alone => vec![at as u32],
            };
            if let (Class::Product, [last]) = (class, &*fused.last[at]) {
                takes_product[*last as usize] = false;
            }
            let by = match class {
                Class::Free => fused.users[at].clone(),
                Class::Alone => Users::others(),
                Class::Fusible | Class::Last | Class::Product => Users::loops(&fused.last[at]),
            };
            for value in &info.operands {
                note(&mut fused, *value, &by);
            }
            if !info.regions.is_empty() {
                let mut inside = Vec::new();
                crate::pipeline::used_inside(func, &info.regions, &mut inside);
                inside.into_iter().for_each(|value| note(&mut fused, value, &Users::others()));
            }
        }
        fused
    }

    /// The loops that an op becomes part of; `None` if it is one of its own.
    fn joins(
        &self,
        func: &Function,
        insts: &[InstId],
        at: usize,
        takes_product: &[bool],
    ) -> Option<Vec<u32>> {
        let class_at = |at: u32| class(&func.inst(insts[at as usize]).op);
        let inst = insts[at];
        let op = &func.inst(inst).op;
        let is_product = class(op) == Class::Product;
        let Users { loops, others: false } = &self.users[at] else { return None };
        let first = *loops.first()?;
        let takes = |last: &u32| match class_at(*last) {
            Class::Fusible | Class::Last => !is_product || takes_product[*last as usize],
            Class::Product => !is_product,
            Class::Free | Class::Alone => false,
        };
        if loops.iter().all(takes) {
            let again = is_cheap(op) && !shrinks(func, inst) && loops.len() <= MOST_LOOPS;
            if loops.len() == 1 || again {
                return Some(loops.clone());
            }
        }
        // The first that comes writes it for the others.
        let is_loop = matches!(class_at(first), Class::Fusible | Class::Last);
        (!is_product && is_loop).then(|| vec![first])
    }

    pub(super) fn last(&self, place: usize) -> &[u32] {
        &self.last[place]
    }

    /// Whether the results of an op are used by others than its own loops.
    pub(super) fn is_kept(&self, place: usize) -> bool {
        let Users { loops, others } = &self.users[place];
        *others || loops.iter().any(|by| !self.last[place].contains(by))
    }
}

/// Which values may be kept in 16 bits: those of `f32` that nothing reads but products, which round what they are
/// given, conversions to such a type, and what moves elements to where only these read them. So the TPU compiler does:
/// what is gathered or exchanged for a product is rounded before it is sent.
pub struct Rounded {
    is_exact: IdMap<ValueId, bool>,
}

impl Rounded {
    /// What a compiler of these habits rounds.
    pub fn by(func: &Function, habits: Habits) -> Rounded {
        if habits.rounds { Rounded::of(func) } else { Rounded::nothing(func) }
    }

    fn of(func: &Function) -> Rounded {
        let mut is_exact = IdMap::filled(func.value_count(), false);
        for block in blocks(func) {
            let block = func.block(block);
            let kept = block.params.iter().chain(&block.results);
            kept.for_each(|value| is_exact[storage(func, *value)] = true);
        }
        // From the last on: who uses a value was looked at before who made it.
        for info in func.insts_in_order().into_iter().rev().map(|inst| func.inst(inst)) {
            let is_loose = rounds(&info.op)
                || is_view(&info.op)
                || (moves(&info.op) && info.results.iter().all(|value| !is_exact[storage(func, *value)]));
            if !is_loose {
                info.operands.iter().for_each(|value| is_exact[storage(func, *value)] = true);
            }
        }
        Rounded { is_exact }
    }

    /// None of them.
    fn nothing(func: &Function) -> Rounded {
        Rounded { is_exact: IdMap::filled(func.value_count(), true) }
    }

    pub fn bytes(&self, func: &Function, value: ValueId) -> i64 {
        let ty = func.ty(value);
        let is_wide = ty.as_tensor().is_some_and(|tensor| tensor.dtype == DType::F32);
        if is_wide && !self.is_exact[storage(func, value)] { ty.byte_size() / 2 } else { ty.byte_size() }
    }
}

fn is_view(op: &Op) -> bool {
    matches!(op, Op::Movement(Movement::Broadcast(_) | Movement::Reshape(_)) | Op::OptimizationBarrier)
}

/// Whether an op looks at no more than the first 16 bits of what it is given.
fn rounds(op: &Op) -> bool {
    if let Op::Dot(dot) = op {
        return dot.precision.iter().all(|precision| *precision == Precision::Default);
    }
    matches!(op, Op::Convert(Convert::To(DType::BF16)))
}

/// Whether an op only puts elements elsewhere.
fn moves(op: &Op) -> bool {
    match op {
        Op::Movement(_) | Op::Dynamic(_) | Op::Gather(_) => true,
        Op::Collective(of) => match of.kind {
            CollectiveKind::AllReduce | CollectiveKind::ReduceScatter { .. } => false,
            CollectiveKind::AllGather { .. }
            | CollectiveKind::AllToAll { .. }
            | CollectiveKind::AllToAllTuple
            | CollectiveKind::Permute { .. }
            | CollectiveKind::Broadcast => true,
        },
        _ => false,
    }
}

/// What is done in other places than its own, in a whole function.
pub struct Inlined {
    /// Of an op that is the last of a loop: the others of it.
    pub members: IdMap<InstId, Vec<InstId>>,
    /// Whether an op is one of those others.
    pub is_elsewhere: IdMap<InstId, bool>,
    /// Whether what an op makes is nowhere, because its loops alone read it.
    pub is_nowhere: IdMap<InstId, bool>,
    pub rounded: Rounded,
}

impl Inlined {
    pub fn of(func: &Function, habits: Habits) -> Inlined {
        let (count, places) = (func.inst_count(), places(func));
        let mut inlined = Inlined {
            members: IdMap::filled(count, Vec::new()),
            is_elsewhere: IdMap::filled(count, false),
            is_nowhere: IdMap::filled(count, false),
            rounded: Rounded::by(func, habits),
        };
        for block in blocks(func) {
            let fused = Fused::of(func, block, &places, habits.fuses);
            let insts = &func.block(block).insts;
            for (at, inst) in insts.iter().enumerate() {
                let loops = fused.last(at);
                for last in loops.iter().filter(|last| **last as usize != at) {
                    inlined.members[insts[*last as usize]].push(*inst);
                    inlined.is_elsewhere[*inst] = true;
                }
                inlined.is_nowhere[*inst] = inlined.is_elsewhere[*inst] && !fused.is_kept(at);
            }
        }
        inlined
    }
}

/// All blocks that are run.
fn blocks(func: &Function) -> Vec<BlockId> {
    let insts = func.insts_in_order();
    let regions = insts.iter().flat_map(|inst| func.inst(*inst).regions.iter().copied());
    std::iter::once(func.root()).chain(regions).collect()
}

/// Where in a block a value is made.
pub(super) fn place_of(
    func: &Function,
    block: BlockId,
    places: &IdMap<InstId, u32>,
    value: ValueId,
) -> Option<usize> {
    let Def::Result { inst, .. } = func.value(value).def else { return None };
    (func.block_of(inst) == block).then(|| places[inst] as usize)
}

/// What a value is made of, seen through what is no work; `None` if it is made of nothing, as positions are.
pub(super) fn origin(func: &Function, value: ValueId) -> Option<ValueId> {
    let mut at = value;
    loop {
        let Def::Result { inst, index } = func.value(at).def else { return Some(at) };
        let info = func.inst(inst);
        at = match &info.op {
            Op::Movement(Movement::Broadcast(_) | Movement::Reshape(_)) => *info.operands.first()?,
            Op::OptimizationBarrier => *info.operands.get(index)?,
            Op::Iota(_) | Op::PartitionId | Op::ReplicaId => return None,
            Op::Constant(constant) if constant.0.as_splat().is_some() => return None,
            _ => return Some(at),
        };
    }
}

/// Places of all instructions of a function in their blocks.
pub(super) fn places(func: &Function) -> IdMap<InstId, u32> {
    let mut places = IdMap::filled(func.inst_count(), 0);
    for block in (0..func.block_count()).map(BlockId::from_index) {
        // A block that was dropped may still list what is elsewhere now.
        for (at, inst) in
            func.block(block).insts.iter().enumerate().filter(|(_, inst)| func.block_of(**inst) == block)
        {
            places[*inst] = at as u32;
        }
    }
    places
}
