//! What the users of a value need it as: each sharding once, in the order in which it is first used.
//!
//! A value with few users is looked at user by user. One with many, as a mask that all layers share, would be looked at
//! in full by each of them; of such a value it is kept which users have which need. Asking then takes as many steps as
//! it has different needs, and a need that changes the logarithm of its users.

use crate::plan::Use;
use crate::plan::table::ShardingId;
use meshwright_base::arrange::{self, Arrange};
use meshwright_base::{Id, IdMap, InlineVec};
use meshwright_ir::{BlockId, Function, InstId, ValueId};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// Different needs of the users of a value.
pub(super) type Distinct = InlineVec<ShardingId, 4>;

/// What a value's users need beside what it has.
pub(super) enum Others {
    Nothing,
    One(ShardingId),
    Several,
}

/// One need of a value while some instructions are chosen.
#[derive(Clone, Copy)]
pub(super) enum Needed {
    By(ShardingId),
    /// One of those instructions uses it: which, and as which operand.
    ByOwn(usize, usize),
}

/// Most users of a value that are looked at one by one.
const FEW: usize = 8;

/// Where a use stands among all: instructions in order, then blocks; and which operand or result it is.
type UsePlace = (usize, usize);

/// Users by the sharding they need.
type Users = BTreeMap<ShardingId, BTreeSet<UsePlace>>;

pub(super) struct Needs<'a> {
    func: &'a Function,
    /// A need for each use, those of a value side by side.
    of_use: Vec<Option<ShardingId>>,
    /// The users of values that have many.
    users: BTreeMap<ValueId, Users>,
    /// Who uses a value, in order: values one after another.
    uses: Vec<Use>,
    /// Where the uses of each value begin, and the end of the last.
    first: Vec<u32>,
    /// Which use is each operand of an instruction, and each value that a block returns.
    use_of: Vec<u32>,
    /// Where those of an instruction or block begin.
    operands: IdMap<InstId, Option<u32>>,
    returns: IdMap<BlockId, Option<u32>>,
    insts: IdMap<InstId, usize>,
    blocks: IdMap<BlockId, usize>,
}

impl<'a> Needs<'a> {
    /// No needs yet. Those of all instructions and blocks are set before anything is asked.
    pub(super) fn new(func: &'a Function) -> Self {
        Needs {
            func,
            of_use: Vec::new(),
            users: BTreeMap::new(),
            uses: Vec::new(),
            first: Vec::new(),
            use_of: Vec::new(),
            operands: IdMap::filled(func.inst_count(), None),
            returns: IdMap::filled(func.block_count(), None),
            insts: IdMap::filled(func.inst_count(), 0),
            blocks: IdMap::filled(func.block_count(), 0),
        }
    }

    pub(super) fn start_operands(
        &mut self,
        inst: InstId,
        needs: impl IntoIterator<Item = Option<ShardingId>>,
    ) {
        self.operands[inst] = Some(self.of_use.len() as u32);
        self.start(self.func.inst(inst).operands.len(), needs);
    }

    pub(super) fn start_returns(
        &mut self,
        block: BlockId,
        needs: impl IntoIterator<Item = Option<ShardingId>>,
    ) {
        let start = self.of_use.len();
        self.start(self.func.block(block).results.len(), needs);
        self.returns[block] = Some(start as u32);
    }

    /// Needs in the order in which they are set, until all are and [`Needs::read_uses`] puts them in place.
    fn start(&mut self, count: usize, needs: impl IntoIterator<Item = Option<ShardingId>>) {
        let end = self.of_use.len() + count;
        self.of_use.extend(needs);
        self.of_use.resize(end, None);
    }

    /// Note who uses what, now that everybody's needs are set: instructions in this order, then what blocks return.
    pub(super) fn read_uses(&mut self, order: &[InstId]) {
        for (place, inst) in order.iter().enumerate() {
            self.insts[*inst] = place;
        }
        let blocks = self.func.blocks_in_order();
        for (place, block) in blocks.iter().enumerate() {
            self.blocks[*block] = order.len() + place;
        }
        let mut first = vec![0; self.func.value_count() + 1];
        self.each_use(order, &blocks, |value, _, _| first[value.index() + 1] += 1);
        for at in 1..first.len() {
            first[at] += first[at - 1];
        }
        let started = std::mem::take(&mut self.of_use);
        let mut next: Vec<u32> = first.clone();
        let count = first.last().map_or(0, |end| *end as usize);
        let (mut uses, mut needs) = (vec![Use::Result(self.func.root(), 0); count], vec![None; count]);
        let mut use_of = vec![0; started.len()];
        self.each_use(order, &blocks, |value, of, start| {
            let at = next[value.index()];
            next[value.index()] += 1;
            (uses[at as usize], needs[at as usize], use_of[start]) = (of, started[start], at);
        });
        (self.first, self.uses, self.use_of, self.of_use) = (first, uses, use_of, needs);
        let many = self.func.values().keys().filter(|value| self.range(*value).len() > FEW);
        self.users = arrange::map(many.map(|value| (value, self.by_need(self.uses_of(value)))));
    }

    /// Every use of a value by these, and where its need was started.
    fn each_use(&self, order: &[InstId], blocks: &[BlockId], mut note: impl FnMut(ValueId, Use, usize)) {
        for inst in order {
            let Some(start) = self.operands[*inst] else { continue };
            for (at, operand) in self.func.inst(*inst).operands.iter().enumerate() {
                note(*operand, Use::Operand(*inst, at), start as usize + at);
            }
        }
        for block in blocks {
            let Some(start) = self.returns[*block] else { continue };
            for (at, result) in self.func.block(*block).results.iter().enumerate() {
                note(*result, Use::Result(*block, at), start as usize + at);
            }
        }
    }

    fn by_need(&self, uses: &[Use]) -> Users {
        let mut users = Users::new();
        for of in uses {
            if let Some(need) = self.of(*of) {
                users.entry(need).or_default().insert(self.place(*of));
            }
        }
        users
    }

    fn place(&self, of: Use) -> UsePlace {
        match of {
            Use::Operand(inst, at) => (self.insts[inst], at),
            Use::Result(block, at) => (self.blocks[block], at),
        }
    }

    #[inline]
    fn range(&self, value: ValueId) -> Range<usize> {
        let at = value.index();
        self.first[at] as usize..self.first[at + 1] as usize
    }

    /// All uses of a value, in order.
    pub(super) fn uses_of(&self, value: ValueId) -> &[Use] {
        &self.uses[self.range(value)]
    }

    /// What they need.
    #[inline]
    fn needs_of(&self, value: ValueId) -> &[Option<ShardingId>] {
        &self.of_use[self.range(value)]
    }

    /// Its number among all uses.
    fn number(&self, of: Use) -> Option<usize> {
        let (start, at) = match of {
            Use::Operand(inst, at) => (self.operands[inst]?, at),
            Use::Result(block, at) => (self.returns[block]?, at),
        };
        self.use_of.get(start as usize + at).map(|number| *number as usize)
    }

    pub(super) fn of(&self, of: Use) -> Option<ShardingId> {
        self.of_use[self.number(of)?]
    }

    /// Have a use of a value need something else; whether it did not need that already.
    pub(super) fn set(&mut self, value: ValueId, of: Use, need: Option<ShardingId>) -> bool {
        let Some(number) = self.number(of) else { return false };
        let old = std::mem::replace(&mut self.of_use[number], need);
        if old == need {
            return false;
        }
        if self.range(value).len() > FEW {
            let place = self.place(of);
            let Some(users) = self.users.get_mut(&value) else { return true };
            if let Some(old) = old.and_then(|old| users.get_mut(&old)) {
                old.remove(&place);
            }
            if let Some(need) = need {
                users.entry(need).or_default().insert(place);
            }
        }
        true
    }

    fn users_of_many(&self, value: ValueId) -> Option<&Users> {
        if self.range(value).len() > FEW { self.users.get(&value) } else { None }
    }

    /// The different needs of a value's users.
    pub(super) fn all(&self, value: ValueId) -> Distinct {
        match self.users_of_many(value) {
            None => distinct(self.needs_of(value).iter().copied().flatten()),
            Some(users) => {
                in_order(users.iter().filter_map(|(need, places)| Some((*places.first()?, *need))).collect())
            }
        }
    }

    /// The same if one of the users needed its operands as `operands` says.
    pub(super) fn all_with(&self, value: ValueId, user: InstId, operands: &[ShardingId]) -> Distinct {
        let Some(users) = self.users_of_many(value) else {
            return distinct(self.needs_with(value, user, operands));
        };
        let place = self.insts[user];
        let first = |(need, places): (&ShardingId, &BTreeSet<UsePlace>)| {
            Some((*places.iter().find(|(of, _)| *of != place)?, *need))
        };
        let own = self.func.inst(user).operands.iter().zip(operands).enumerate();
        let own = own.filter(|(_, (operand, _))| **operand == value);
        let own = own.map(|(at, (_, need))| ((place, at), *need));
        in_order(users.iter().filter_map(first).chain(own).collect())
    }

    /// What the users need that is not `have`, as in most cases little or nothing is: of all, or as if one of them
    /// needed its operands otherwise.
    pub(super) fn others(
        &self,
        value: ValueId,
        have: ShardingId,
        instead: Option<(InstId, &[ShardingId])>,
    ) -> Others {
        if let Some(users) = self.users_of_many(value) {
            return self.others_of_many(users, value, have, instead);
        }
        match instead {
            None => others(self.needs_of(value).iter().copied().flatten(), have),
            Some((user, operands)) => others(self.needs_with(value, user, operands), have),
        }
    }

    /// What the uses of a value need if one of the users needed its operands as `operands` says.
    fn needs_with(
        &self,
        value: ValueId,
        user: InstId,
        operands: &[ShardingId],
    ) -> impl Iterator<Item = ShardingId> {
        self.uses_of(value).iter().zip(self.needs_of(value)).filter_map(move |(of, need)| match of {
            Use::Operand(inst, at) if *inst == user => Some(operands[*at]),
            _ => *need,
        })
    }

    fn others_of_many(
        &self,
        users: &Users,
        value: ValueId,
        have: ShardingId,
        instead: Option<(InstId, &[ShardingId])>,
    ) -> Others {
        let Some((user, operands)) = instead else {
            let needs = users.iter().filter(|(_, places)| !places.is_empty());
            return others(needs.map(|(need, _)| *need), have);
        };
        let place = self.insts[user];
        let stays = |places: &BTreeSet<UsePlace>| places.iter().any(|(of, _)| *of != place);
        let needs = users.iter().filter(|(_, places)| stays(places)).map(|(need, _)| *need);
        let own = self.func.inst(user).operands.iter().zip(operands);
        let own = own.filter(|(operand, _)| **operand == value).map(|(_, need)| *need);
        others(needs.chain(own), have)
    }

    /// Every need of a value's users in order, if they are few also more than once.
    pub(super) fn each(&self, value: ValueId, mut note: impl FnMut(ShardingId)) {
        match self.users_of_many(value) {
            None => self.needs_of(value).iter().copied().flatten().for_each(note),
            Some(_) => self.all(value).iter().for_each(|need| note(*need)),
        }
    }

    /// Every need of a value's users in order; of some instructions, where they use it. If the users are many, each
    /// other need once, where it is first.
    pub(super) fn each_beside(&self, value: ValueId, own: &[InstId], mut note: impl FnMut(Needed)) {
        let Some(users) = self.users_of_many(value) else {
            for (of, need) in self.uses_of(value).iter().zip(self.needs_of(value)) {
                let which = match of {
                    Use::Operand(inst, at) => {
                        own.iter().position(|own| own == inst).map(|which| (which, *at))
                    }
                    Use::Result(..) => None,
                };
                match which {
                    Some((which, at)) => note(Needed::ByOwn(which, at)),
                    None => need.iter().for_each(|need| note(Needed::By(*need))),
                }
            }
            return;
        };
        let others = |(need, places): (&ShardingId, &BTreeSet<UsePlace>)| {
            let first = places.iter().find(|(of, _)| own.iter().all(|own| self.insts[*own] != *of))?;
            Some((*first, Needed::By(*need)))
        };
        let mut all: InlineVec<(UsePlace, Needed), 6> = users.iter().filter_map(others).collect();
        for (which, inst) in own.iter().enumerate() {
            let operands = self.func.inst(*inst).operands.iter().enumerate();
            let uses = operands.filter(|(_, operand)| **operand == value);
            all.extend(uses.map(|(at, _)| ((self.insts[*inst], at), Needed::ByOwn(which, at))));
        }
        all.arrange_by_key(|(place, _)| *place);
        all.iter().for_each(|(_, needed)| note(*needed));
    }
}

fn others(needs: impl Iterator<Item = ShardingId>, have: ShardingId) -> Others {
    let mut one = None;
    for need in needs.filter(|need| *need != have) {
        if one.is_some_and(|one| one != need) {
            return Others::Several;
        }
        one = Some(need);
    }
    one.map_or(Others::Nothing, Others::One)
}

fn distinct(needs: impl Iterator<Item = ShardingId>) -> Distinct {
    let mut distinct = Distinct::new();
    for need in needs {
        if !distinct.contains(&need) {
            distinct.push(need);
        }
    }
    distinct
}

fn in_order(mut needs: Vec<(UsePlace, ShardingId)>) -> Distinct {
    needs.arrange();
    distinct(needs.into_iter().map(|(_, need)| need))
}

#[cfg(test)]
mod tests {
    use super::*;
    use meshwright_base::Id;
    use meshwright_ir::op::BinaryOp;
    use meshwright_ir::{At, DType, Editor, Op, SourceId, TensorType, Type};

    const USERS: usize = 3 * FEW;

    /// A value and the additions that use it, as both operands.
    fn shared() -> (Function, ValueId, Vec<InstId>) {
        let mut func = Function::new("main", true);
        let ty = Type::Tensor(TensorType::new(DType::F32, vec![4]));
        let root = func.root();
        let mut editor = Editor::new(&mut func);
        let value = editor.param(root, ty.clone());
        let add = || Op::Binary(BinaryOp::Add);
        let users: Vec<InstId> = (0..USERS)
            .map(|_| {
                let (at, operands) = (At::End(root), vec![value, value]);
                editor.push_typed(at, add(), operands, Vec::new(), vec![ty.clone()], SourceId::unknown())
            })
            .collect();
        (func, value, users)
    }

    /// What looking at every user one after the other gives.
    fn one_by_one(needs: &Needs<'_>, value: ValueId) -> Distinct {
        distinct(needs.uses_of(value).iter().filter_map(|of| needs.of(*of)))
    }

    #[test]
    fn needs_of_many_users_are_those_of_each_in_order() {
        let (func, value, users) = shared();
        let id = |at: usize| ShardingId::from_index(at);
        let mut needs = Needs::new(&func);
        users.iter().for_each(|user| needs.start_operands(*user, vec![Some(id(9)), None]));
        needs.read_uses(&users);
        let mut random = 1usize;
        for _ in 0..500 {
            random = random.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            let (user, at, need) =
                (users[(random >> 33) % USERS], (random >> 20) % 2, id((random >> 40) % 5));
            let other = [id((random >> 45) % 5), id((random >> 50) % 5)];
            let asked = needs.all_with(value, user, &other);
            let others = needs.others(value, id(0), Some((user, &other)));
            let before = [0, 1].map(|at| needs.of(Use::Operand(user, at)));
            for (at, need) in other.into_iter().enumerate() {
                needs.set(value, Use::Operand(user, at), Some(need));
            }
            assert_eq!(asked, one_by_one(&needs, value));
            let beside: Vec<_> = asked.iter().filter(|need| **need != id(0)).copied().collect();
            for others in [others, needs.others(value, id(0), None)] {
                match others {
                    Others::Nothing => assert!(beside.is_empty()),
                    Others::One(need) => assert_eq!(beside, [need]),
                    Others::Several => assert!(beside.len() > 1),
                }
            }
            for (at, need) in before.into_iter().enumerate() {
                needs.set(value, Use::Operand(user, at), need);
            }
            needs.set(value, Use::Operand(user, at), Some(need));
            assert_eq!(needs.all(value), one_by_one(&needs, value));
        }
        for user in users {
            needs.set(value, Use::Operand(user, 0), Some(id(9)));
            needs.set(value, Use::Operand(user, 1), None);
        }
        assert_eq!(needs.all(value)[..], [id(9)]);
    }
}
