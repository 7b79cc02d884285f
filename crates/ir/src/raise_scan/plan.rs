//! What to make of one loop: the analysis, which changes nothing.

use super::access::{Accessor, Accessors, called_row, is_row_of, read_at, rows, write_at};
use super::count::{Counted, constant_of, counted};
use super::index::{Index, Linear};
use super::live::Live;
use super::uses::{Use, Uses};
use crate::module::{Block, BlockId, Def, Function, InstId, Module, ValueId};
use crate::op::{Control, Movement, Op};
use meshwright_base::arrange::set;
use std::collections::{BTreeMap, BTreeSet};

/// How a loop becomes a scan. Numbers are positions in the loop's state.
pub struct ScanPlan {
    pub inst: InstId,
    pub trips: i64,
    pub reverse: bool,
    /// Carried on, in order.
    pub carries: Vec<usize>,
    /// Do not change; their results are their initial values.
    pub invariants: Vec<usize>,
    pub inputs: Vec<Input>,
    /// Written row by row: the position, the write, what it stores.
    pub outputs: Vec<(usize, InstId, Stored)>,
    /// Instructions of the body that stay, in order.
    pub insts: Vec<InstId>,
}

/// A value outside the loop that is read row by row.
pub struct Input {
    pub stack: ValueId,
    /// Values inside that are a slice of it.
    pub slices: Vec<ValueId>,
    /// Reads whose result, a row with its leading dim, is needed as such.
    pub rows: Vec<InstId>,
}

/// What a write stores.
#[derive(Clone, Copy)]
pub enum Stored {
    /// A slice.
    Slice(ValueId),
    /// A row, from which the leading dim has to be dropped.
    Row(ValueId),
}

/// Plans for all counted loops of a function.
pub fn plans(module: &Module, func: &Function, accessors: &Accessors) -> Vec<ScanPlan> {
    each_loop(func, |inst, uses| Loop::new(module, func, accessors, uses, inst)?.plan())
}

/// Of each loop of a function that counts: the positions in its state of what it reads row by row, one a trip.
pub fn rows_read(module: &Module, func: &Function, accessors: &Accessors) -> Vec<(InstId, BTreeSet<usize>)> {
    let read =
        |inst: InstId, uses: &Uses| Some((inst, Loop::new(module, func, accessors, uses, inst)?.rows_read()));
    each_loop(func, read)
}

/// What is made of each loop, with the uses of all values.
fn each_loop<T>(func: &Function, make: impl Fn(InstId, &Uses) -> Option<T>) -> Vec<T> {
    let order = func.insts_in_order();
    let loops: Vec<InstId> =
        order.into_iter().filter(|inst| matches!(func.inst(*inst).op, Op::Control(Control::While))).collect();
    if loops.is_empty() {
        return Vec::new();
    }
    let uses = Uses::of_function(func);
    loops.into_iter().filter_map(|inst| make(inst, &uses)).collect()
}

/// A counted loop under analysis.
struct Loop<'a> {
    module: &'a Module,
    func: &'a Function,
    accessors: &'a Accessors,
    uses: &'a Uses,
    inst: InstId,
    state: &'a [ValueId],
    body_id: BlockId,
    body: &'a Block,
    counted: Counted,
}

/// A read or a write of one row, in which direction.
#[derive(Clone, Copy)]
struct Access {
    inst: InstId,
    stack: ValueId,
    reverse: bool,
}

impl<'a> Loop<'a> {
    fn new(
        module: &'a Module,
        func: &'a Function,
        accessors: &'a Accessors,
        uses: &'a Uses,
        inst: InstId,
    ) -> Option<Self> {
        let it = func.inst(inst);
        let body_id = *it.regions.get(1)?;
        let counted = counted(module, func, it)?;
        let (state, body) = (&it.operands[..], func.block(body_id));
        Some(Loop { module, func, accessors, uses, inst, state, body_id, body, counted })
    }

    fn plan(&self) -> Option<ScanPlan> {
        let (mut reads, mut writes) = self.accesses();
        let mut all = reads.iter().chain(writes.values()).map(|access| access.reverse).peekable();
        let reverse = all.peek().is_some() && all.all(|reverse| reverse);
        reads.retain(|read| read.reverse == reverse);
        writes.retain(|_, write| write.reverse == reverse);
        self.keep_proven(&reads, &mut writes);
        let reads: Vec<(ValueId, Access)> =
            reads.into_iter().filter_map(|read| Some((self.source(&read, &writes)?, read))).collect();
        let live = self.live(&reads, &writes);
        let states = || 0..self.state.len();
        Some(ScanPlan {
            inst: self.inst,
            trips: self.counted.trips,
            reverse,
            carries: states().filter(|at| live.carries.contains(at)).collect(),
            invariants: states().filter(|at| self.is_invariant(*at)).collect(),
            inputs: self.inputs(&reads),
            outputs: writes.iter().map(|(at, write)| (*at, write.inst, self.stored(write))).collect(),
            insts: self.body.insts.iter().copied().filter(|inst| live.insts.contains(inst)).collect(),
        })
    }

    fn rows_read(&self) -> BTreeSet<usize> {
        set(self.accesses().0.iter().filter_map(|read| self.position(read.stack)))
    }

    fn is_invariant(&self, at: usize) -> bool {
        self.body.params[at] == self.body.results[at]
    }

    /// Position in the state of a parameter of the body.
    fn position(&self, value: ValueId) -> Option<usize> {
        match self.func.value(value).def {
            Def::Param { block, index } if block == self.body_id => Some(index),
            _ => None,
        }
    }

    /// Row accesses at a row that is the trip, from either end; writes by position of the written state.
    fn accesses(&self) -> (Vec<Access>, BTreeMap<usize, Access>) {
        let range = Linear::counter(self.counted.start, self.counted.step, self.counted.trips);
        let counter = self.body.params[self.counted.at];
        let known = |value: ValueId| {
            if value == counter { Some(range) } else { self.constant_state(value).map(Linear::constant) }
        };
        let index = Index { module: self.module, func: self.func, counter: range, known: &known };
        let mut reads = Vec::new();
        for inst in &self.body.insts {
            reads.extend(self.read(&index, *inst));
        }
        let write_of = |at: usize| {
            let inst = self.func.def_inst(self.body.results[at])?;
            let is_here = self.func.block_of(inst) == self.body_id;
            let write = self.write(&index, inst).filter(|_| is_here)?;
            (write.stack == self.body.params[at]).then_some((at, write))
        };
        (reads, (0..self.state.len()).filter_map(write_of).collect())
    }

    /// A parameter of the body that is one constant on every trip.
    fn constant_state(&self, param: ValueId) -> Option<i64> {
        let at = self.position(param).filter(|at| self.is_invariant(*at))?;
        constant_of(self.module, self.func, self.state[at], &|_| None)
    }

    fn read(&self, index: &Index<'_>, inst: InstId) -> Option<Access> {
        let it = self.func.inst(inst);
        let (stack, row) = match &it.op {
            Op::Call(call) => {
                let Accessor::Read { stack, row } = (*self.accessors.get(call.callee)?)? else { return None };
                (*it.operands.get(stack)?, called_row(index, call.callee, row, &it.operands)?)
            }
            _ => read_at(self.func, inst).and_then(|read| Some((read.stack, index.of(read.row)?)))?,
        };
        self.access(inst, stack, row)
    }

    fn write(&self, index: &Index<'_>, inst: InstId) -> Option<Access> {
        let it = self.func.inst(inst);
        let (stack, row) = match &it.op {
            Op::Call(call) => {
                let Accessor::Write { stack, row, .. } = (*self.accessors.get(call.callee)?)? else {
                    return None;
                };
                (*it.operands.get(stack)?, called_row(index, call.callee, row, &it.operands)?)
            }
            _ => write_at(self.func, inst).and_then(|write| Some((write.stack, index.of(write.row)?)))?,
        };
        self.access(inst, stack, row)
    }

    fn access(&self, inst: InstId, stack: ValueId, row: Linear) -> Option<Access> {
        let Counted { start, step, trips, .. } = self.counted;
        if rows(self.func, stack) != Some(trips) {
            return None;
        }
        // On trip `t` the counter is `start + step t`, so the row is `first + slope t`.
        let (slope, first) = (row.scale * i128::from(step), row.scale * i128::from(start) + row.offset);
        match (slope, first) {
            (1, 0) => Some(Access { inst, stack, reverse: false }),
            (-1, first) if first == i128::from(trips) - 1 => Some(Access { inst, stack, reverse: true }),
            _ => None,
        }
    }

    /// Keep writes whose stack is used for nothing else but reads of the same rows, and whose result for nothing else.
    fn keep_proven(&self, reads: &[Access], writes: &mut BTreeMap<usize, Access>) {
        let reads: BTreeSet<(InstId, ValueId)> = set(reads.iter().map(|read| (read.inst, read.stack)));
        writes.retain(|at, write| {
            let stack_ok = self.uses.of(write.stack).iter().all(|used| match used {
                Use::Operand(inst, _) => {
                    let known = *inst == write.inst || reads.contains(&(*inst, write.stack));
                    known && self.once(*inst, write.stack)
                }
                Use::Result(..) => false,
            });
            stack_ok && self.uses.of(self.body.results[*at]) == [Use::Result(self.body_id, *at)]
        });
    }

    /// Whether a value is an operand only once.
    fn once(&self, inst: InstId, value: ValueId) -> bool {
        self.func.inst(inst).operands.iter().filter(|operand| **operand == value).count() == 1
    }

    /// The value outside the loop whose rows a read takes.
    fn source(&self, read: &Access, writes: &BTreeMap<usize, Access>) -> Option<ValueId> {
        match self.position(read.stack) {
            Some(at) => (self.is_invariant(at) || writes.contains_key(&at)).then(|| self.state[at]),
            None => (!self.is_inside(self.func.def_block(read.stack))).then_some(read.stack),
        }
    }

    /// Whether a block is the body or inside it.
    fn is_inside(&self, mut block: BlockId) -> bool {
        loop {
            if block == self.body_id {
                return true;
            }
            match self.func.block(block).parent {
                Some(inst) => block = self.func.block_of(inst),
                None => return false,
            }
        }
    }

    /// What of the body is still needed when reads and writes of rows are gone.
    fn live(&self, reads: &[(ValueId, Access)], writes: &BTreeMap<usize, Access>) -> Live<'a> {
        let mut live = Live::new(self.func);
        live.gone.extend(writes.values().map(|write| write.inst));
        for (_, read) in reads {
            let slices = self.slices(read);
            live.gone.extend(slices.iter().filter_map(|slice| self.func.def_inst(*slice)));
            if !self.is_row_needed(read) {
                live.gone.insert(read.inst);
            }
        }
        for (at, result) in self.body.results.iter().enumerate() {
            if !self.is_invariant(at) && at != self.counted.at && !writes.contains_key(&at) {
                live.carries.insert(at);
                live.need(*result);
            }
        }
        for write in writes.values() {
            let (Stored::Slice(value) | Stored::Row(value)) = self.stored(write);
            live.need(value);
        }
        // A row that is needed is made of the slice, not of the stack and the counter.
        live.remade.extend(reads.iter().map(|(_, read)| read.inst));
        live.walk(&self.body.insts);
        self.counter_if_needed(&mut live);
        let invariants = (0..self.state.len()).filter(|at| self.is_invariant(*at));
        let needed: Vec<usize> =
            invariants.filter(|at| live.values.contains(&self.body.params[*at])).collect();
        live.carries.extend(needed);
        live
    }

    fn counter_if_needed(&self, live: &mut Live<'a>) {
        let at = self.counted.at;
        let outside = !self.uses.of(self.func.inst(self.inst).results[at]).is_empty();
        if outside || live.values.contains(&self.body.params[at]) {
            live.carries.insert(at);
            live.need(self.body.results[at]);
            live.walk(&self.body.insts);
        }
    }

    /// What a write stores.
    fn stored(&self, write: &Access) -> Stored {
        let it = self.func.inst(write.inst);
        let called = match &it.op {
            Op::Call(call) => self.accessors.get(call.callee).copied().flatten(),
            _ => None,
        };
        match (called, write_at(self.func, write.inst)) {
            (Some(Accessor::Write { slice, .. }), _) => Stored::Slice(it.operands[slice]),
            (_, Some(write)) => write.slice.map_or(Stored::Row(write.update), Stored::Slice),
            (_, None) => Stored::Row(write.stack),
        }
    }

    /// Values that are the slice a read takes: the result of a call, or reshapes of a row in the body.
    fn slices(&self, read: &Access) -> Vec<ValueId> {
        let result = self.func.inst(read.inst).results[0];
        if matches!(self.func.inst(read.inst).op, Op::Call(_)) {
            return vec![result];
        }
        let slice_of = |used: &Use| match used {
            Use::Operand(inst, _) if self.func.block_of(*inst) == self.body_id => {
                slice_by(self.func, *inst, result)
            }
            Use::Operand(..) | Use::Result(..) => None,
        };
        self.uses.of(result).iter().filter_map(slice_of).collect()
    }

    /// Whether a row is used with its leading dim.
    fn is_row_needed(&self, read: &Access) -> bool {
        let result = self.func.inst(read.inst).results[0];
        let is_call = matches!(self.func.inst(read.inst).op, Op::Call(_));
        !is_call && self.uses.of(result).len() != self.slices(read).len()
    }

    /// Reads by what they read, in order of first read.
    fn inputs(&self, reads: &[(ValueId, Access)]) -> Vec<Input> {
        let mut inputs: Vec<Input> = Vec::new();
        let mut places = BTreeMap::new();
        for (stack, read) in reads {
            let place = *places.entry(*stack).or_insert(inputs.len());
            if place == inputs.len() {
                inputs.push(Input { stack: *stack, slices: Vec::new(), rows: Vec::new() });
            }
            inputs[place].slices.extend(self.slices(read));
            inputs[place].rows.extend(self.is_row_needed(read).then_some(read.inst));
        }
        inputs
    }
}

/// The result of a reshape that drops the leading dim of a row.
fn slice_by(func: &Function, inst: InstId, row: ValueId) -> Option<ValueId> {
    let it = func.inst(inst);
    let result = *it.results.first()?;
    let is_reshape = matches!(it.op, Op::Movement(Movement::Reshape(_)));
    (is_reshape && is_row_of(func, row, result)).then_some(result)
}
