//! Parameters that are stored in pieces and that a loop reads again in every trip.
//!
//! ```text
//! %w : [{}, {"data"}]                             %w : [{}, {"data"}]
//! while .. {                                      %w1 = sharding_constraint %w, [{}, {}]
//!   .. dot %x, %w ..                     =>       while .. {
//! }                                                 .. dot %x, %w1 ..
//!                                                 }
//! ```
//!
//! How a parameter is stored need not be how it is used. Where each trip of a loop uses all of it, it may be put
//! together before the loop, once: that is for whoever knows costs to decide, axis by axis. A loop over layers that
//! takes a slice of its own in each trip reads the parameter once, and stays as it is: to put all of it together would
//! send as much and hold every layer. What is annotated between the parameter and the loop is the user's word on its
//! use. A sum of the same shape that a loop carries is taken for the gradient: it is whole as well, and split behind
//! the loop.

use crate::{Options, import, landmarks};
use meshwright_base::{Diagnostic, IdMap};
use meshwright_ir::op::{BinaryOp, Control, Movement, ShardingOp};
use meshwright_ir::raise_scan::trip_count;
use meshwright_ir::{BlockId, Build, Builder, Def, Editor, Function, InstId, Module, Op, ValueId};
use meshwright_shard::{AxisRef, Sharding};

/// A loop reads a parameter again if it reads so often as much as there is of it.
const AGAIN: f64 = 2.0;

/// More axes than these are not told.
const MOST_AXES: usize = 3;

/// A module with parameters that loops read again. All is in its main function.
pub struct Stored {
    module: Module,
    read: Vec<Read>,
    /// Results of loops that are sums of the shape of something read, and how that is stored.
    sums: Vec<(InstId, ValueId, Sharding)>,
}

/// A value that a loop reads again, and how it is stored.
struct Read {
    of: InstId,
    value: ValueId,
    stored: Sharding,
}

impl Stored {
    /// What there is in a module whose functions are written into the main one.
    pub fn of(mut module: Module, options: &Options) -> Result<Stored, Vec<Diagnostic>> {
        let landmarks = landmarks::landmarks(&module);
        import::import(&mut module, &landmarks, options)?;
        let func = module.main();
        let loops =
            func.block(func.root()).insts.iter().copied().filter(|inst| body_of(func, *inst).is_some());
        let read: Vec<Read> = loops.clone().flat_map(|inst| Reads::of_loop(&module, func, inst)).collect();
        let like = |sum: ValueId| read.iter().find(|read| func.dims(read.value) == func.dims(sum));
        let sums = loops.flat_map(|inst| sums_of(func, inst).into_iter().map(move |sum| (inst, sum)));
        let sums = sums.filter_map(|(inst, sum)| Some((inst, sum, like(sum)?.stored.clone()))).collect();
        Ok(Stored { module, read, sums })
    }

    /// The axes over which something is stored that a loop reads again, in the order in which they are met.
    pub fn axes(&self) -> Vec<AxisRef> {
        let mut found: Vec<AxisRef> = Vec::new();
        for axis in self.read.iter().flat_map(|read| read.stored.dims.iter().flat_map(|dim| &dim.axes)) {
            if !found.contains(axis) {
                found.push(*axis);
            }
        }
        found.truncate(MOST_AXES);
        found
    }

    /// How an axis is called.
    pub fn axis_name(&self, axis: AxisRef) -> String {
        let mesh = self.read.first().and_then(|read| self.module.meshes.get(read.stored.mesh));
        mesh.and_then(|mesh| mesh.axes.get(axis.axis)).map_or(String::new(), |axis| axis.name.to_string())
    }

    /// How many values are put together before loops along an axis.
    pub fn values(&self, axis: AxisRef) -> usize {
        self.read.iter().filter(|read| read.stored.dims.iter().any(|dim| dim.axes.contains(&axis))).count()
    }

    /// The module with these values whole along an axis from before the loops on.
    pub fn whole_along(&self, axis: AxisRef) -> Module {
        let mut module = self.module.clone();
        let entry = module.entry;
        let func = &mut module.funcs[entry];
        let constraint = Op::Sharding(ShardingOp::Constraint { unspecified: Vec::new() });
        for read in &self.read {
            let Some(whole) = without(&read.stored, axis) else { continue };
            let made = Builder::before(func, read.of).split_as(&whole).push(constraint.clone(), [read.value]);
            replace_in(func, read.of, read.value, made);
        }
        for (inst, sum, stored) in &self.sums {
            let Some(whole) = without(stored, axis) else { continue };
            let made = Builder::after(func, *inst).split_as(&whole).push(constraint.clone(), [*sum]);
            let by = func.def_inst(made);
            let mut editor = Editor::new(func);
            editor.map_uses(|value| if value == *sum { made } else { value });
            by.into_iter().for_each(|by| editor.set_operands(by, vec![*sum]));
        }
        module
    }
}

/// A sharding without an axis, if it has it.
fn without(stored: &Sharding, axis: AxisRef) -> Option<Sharding> {
    let mut whole = stored.clone();
    whole.dims.iter_mut().for_each(|dim| dim.axes.retain(|other| *other != axis));
    (whole != *stored).then_some(whole)
}

/// Results of a loop to which each trip adds something.
fn sums_of(func: &Function, inst: InstId) -> Vec<ValueId> {
    let Some((body, carries)) = body_of(func, inst) else { return Vec::new() };
    let (block, results) = (func.block(body), &func.inst(inst).results);
    let is_sum = |at: &usize| {
        let (Some(param), Some(made)) = (block.params.get(*at), block.results.get(*at)) else { return false };
        let by = func.def_inst(*made).map(|by| func.inst(by));
        by.is_some_and(|by| matches!(by.op, Op::Binary(BinaryOp::Add)) && by.operands.contains(param))
    };
    (0..carries.min(results.len())).filter(is_sum).map(|at| results[at]).collect()
}

/// The body of a loop and how many values it carries.
fn body_of(func: &Function, inst: InstId) -> Option<(BlockId, usize)> {
    let info = func.inst(inst);
    match (&info.op, &info.regions[..]) {
        (Op::Control(Control::While), [_, body]) => Some((*body, info.operands.len())),
        (Op::Scan(scan), [body]) => Some((*body, scan.carries)),
        _ => None,
    }
}

/// Have an instruction and what is inside use another value.
fn replace_in(func: &mut Function, inst: InstId, old: ValueId, new: ValueId) {
    let swap = |values: &[ValueId]| -> Option<Vec<ValueId>> {
        values
            .contains(&old)
            .then(|| values.iter().map(|value| if *value == old { new } else { *value }).collect())
    };
    if let Some(operands) = swap(&func.inst(inst).operands) {
        Editor::new(func).set_operands(inst, operands);
    }
    for block in func.inst(inst).regions.clone() {
        if let Some(results) = swap(&func.block(block).results) {
            Editor::new(func).set_results(block, results);
        }
        func.block(block).insts.clone().into_iter().for_each(|inner| replace_in(func, inner, old, new));
    }
}

/// How often what a loop is given from outside is read in it, as a whole.
struct Reads<'a> {
    module: &'a Module,
    func: &'a Function,
    /// What a value inside is: one from outside, maybe by another name or type.
    outer: IdMap<ValueId, Option<ValueId>>,
    read: Vec<(ValueId, f64)>,
}

impl<'a> Reads<'a> {
    fn of_loop(module: &'a Module, func: &'a Function, inst: InstId) -> Vec<Read> {
        let mut outer = IdMap::filled(func.value_count(), None);
        let here = |value: &ValueId| func.def_block(*value) == func.root();
        func.values().keys().filter(here).for_each(|value| outer[value] = Some(value));
        let mut reads = Reads { module, func, outer, read: Vec::new() };
        reads.inside(inst, 1.0);
        let again = reads.read.iter().filter(|(_, times)| *times >= AGAIN);
        let stored = again
            .filter_map(|(value, _)| Some(Read { of: inst, value: *value, stored: stored(func, *value)? }));
        stored.collect()
    }

    /// What a loop that comes so often does with what it is given.
    fn inside(&mut self, inst: InstId, times: f64) {
        let Some((body, carries)) = body_of(self.func, inst) else { return };
        const UNKNOWN: i64 = 2;
        let trips = match &self.func.inst(inst).op {
            Op::Scan(scan) => scan.trips,
            _ => trip_count(self.module, self.func, inst).unwrap_or(UNKNOWN),
        };
        let (block, operands) = (self.func.block(body), &self.func.inst(inst).operands);
        for at in 0..carries.min(block.params.len()) {
            if block.results.get(at) == Some(&block.params[at]) {
                self.outer[block.params[at]] = operands.get(at).and_then(|operand| self.outer[*operand]);
            }
        }
        for inner in &block.insts {
            self.uses(*inner, times * trips as f64);
        }
    }

    fn uses(&mut self, inst: InstId, times: f64) {
        let info = self.func.inst(inst);
        let bytes = |value: ValueId| self.func.ty(value).byte_size() as f64;
        let carries = body_of(self.func, inst).map_or(0, |(_, carries)| carries);
        for (at, operand) in info.operands.iter().enumerate().skip(carries) {
            let Some(outer) = self.outer[*operand] else { continue };
            match (&info.op, info.results.get(at)) {
                (Op::OptimizationBarrier, Some(result)) => self.outer[*result] = Some(outer),
                (
                    Op::Movement(Movement::Reshape(_) | Movement::Transpose(_)) | Op::Convert(_),
                    Some(result),
                ) => {
                    self.outer[*result] = Some(outer);
                }
                (_, Some(result)) if is_piece(&info.op) && at == 0 => {
                    self.note(outer, times * bytes(*result) / bytes(*operand).max(1.0));
                }
                _ => self.note(outer, times),
            }
        }
        if body_of(self.func, inst).is_some() {
            self.inside(inst, times);
        } else {
            for block in &info.regions {
                self.func.block(*block).insts.iter().for_each(|inner| self.uses(*inner, times));
            }
        }
    }

    fn note(&mut self, value: ValueId, times: f64) {
        match self.read.iter_mut().find(|(known, _)| *known == value) {
            Some((_, most)) => *most = most.max(times),
            None => self.read.push((value, times)),
        }
    }
}

fn is_piece(op: &Op) -> bool {
    matches!(op, Op::Movement(Movement::Slice(_)) | Op::Dynamic(_) | Op::Gather(_))
}

/// How a value is stored: by the annotation of the parameter that it is, in another type maybe, or the first annotation
/// on that.
fn stored(func: &Function, value: ValueId) -> Option<Sharding> {
    let annotated =
        |value: ValueId| func.value(value).sharding.as_ref().and_then(|sharding| sharding.as_mesh());
    let mut at = value;
    loop {
        let inst = match func.value(at).def {
            Def::Param { .. } => return annotated(at).cloned(),
            Def::Result { inst, .. } => func.inst(inst),
        };
        let operand = *inst.operands.first()?;
        match &inst.op {
            Op::Convert(_) => at = operand,
            Op::Sharding(ShardingOp::Constraint { .. }) => {
                let is_param = matches!(func.value(operand).def, Def::Param { .. });
                return annotated(at).filter(|_| is_param).cloned();
            }
            _ => return None,
        }
    }
}
