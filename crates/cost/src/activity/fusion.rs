//! Which ops of a block are one loop: what is between them takes no memory and no time to move.
//!
//! ```text
//! %a = exp %x    %b = broadcast %m    %c = mul %a, %b    %s = reduce %c      one loop: reads %x and %m, writes %s
//! %p = dot %u, %v    %q = add %p, %bias    %r = max %q, 0                    one product: writes %r
//! ```
//!
//! As XLA does it, roughly: an op joins what uses it if that is one loop; a product takes in what is done to its result
//! and to its operands; broadcasts, reshapes and positions are no work anywhere. Each loop has one product at most, and
//! is named by its last op.

use meshwright_base::{Id, IdMap};
use meshwright_ir::op::Movement;
use meshwright_ir::{BlockId, Def, Function, InstId, Op, ValueId};

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

/// Who uses the results of an op: one loop, or others too.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Users {
    Nobody,
    One(u32),
    Several,
}

impl Users {
    fn and(self, other: Users) -> Users {
        match (self, other) {
            (Users::Nobody, users) | (users, Users::Nobody) => users,
            (Users::One(a), Users::One(b)) if a == b => self,
            _ => Users::Several,
        }
    }
}

/// The loops of a block, by places of instructions in it.
pub(super) struct Fused {
    /// The place of the last op of the loop an op is part of; `None` if it is no work.
    last: Vec<Option<u32>>,
    /// What uses each place, seen through what is no work.
    users: Vec<Users>,
}

impl Fused {
    pub(super) fn of(func: &Function, block: BlockId, places: &IdMap<InstId, u32>, fuses: bool) -> Fused {
        let insts = &func.block(block).insts;
        let mut fused = Fused { last: vec![None; insts.len()], users: vec![Users::Nobody; insts.len()] };
        let mut takes_product = vec![true; insts.len()];
        let note = |fused: &mut Fused, value: ValueId, users: Users| {
            if let Some(at) = place_of(func, block, places, value) {
                fused.users[at] = fused.users[at].and(users);
            }
        };
        for value in &func.block(block).results {
            note(&mut fused, *value, Users::Several);
        }
        for (at, inst) in insts.iter().enumerate().rev() {
            let info = func.inst(*inst);
            let users = fused.users[at];
            let class = class(&info.op);
            fused.last[at] = match class {
                Class::Free => None,
                Class::Fusible | Class::Product if fuses => {
                    Some(fused.joins(func, insts, users, class, &takes_product).unwrap_or(at as u32))
                }
                Class::Fusible | Class::Product | Class::Last | Class::Alone => Some(at as u32),
            };
            if let (Class::Product, Some(last)) = (class, fused.last[at]) {
                takes_product[last as usize] = false;
            }
            let by = fused.last[at].map_or(users, Users::One);
            for value in &info.operands {
                note(&mut fused, *value, by);
            }
            if !info.regions.is_empty() {
                let mut inside = Vec::new();
                crate::pipeline::used_inside(func, &info.regions, &mut inside);
                inside.into_iter().for_each(|value| note(&mut fused, value, Users::Several));
            }
        }
        fused
    }

    /// The loop that an op becomes part of.
    fn joins(
        &self,
        func: &Function,
        insts: &[InstId],
        users: Users,
        of: Class,
        takes_product: &[bool],
    ) -> Option<u32> {
        let Users::One(last) = users else { return None };
        let has_room = of != Class::Product || takes_product[last as usize];
        match class(&func.inst(insts[last as usize]).op) {
            Class::Fusible | Class::Last | Class::Product => has_room.then_some(last),
            Class::Free | Class::Alone => None,
        }
    }

    pub(super) fn last(&self, place: usize) -> Option<u32> {
        self.last[place]
    }

    /// Whether the results of an op are used by others than its own loop.
    pub(super) fn is_kept(&self, place: usize) -> bool {
        match (self.users[place], self.last[place]) {
            (Users::Nobody, _) => false,
            (Users::One(user), Some(last)) => user != last || last as usize == place,
            (Users::One(_) | Users::Several, _) => true,
        }
    }
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
        for (at, inst) in func.block(block).insts.iter().enumerate() {
            places[*inst] = at as u32;
        }
    }
    places
}
