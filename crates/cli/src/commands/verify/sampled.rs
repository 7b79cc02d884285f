//! What the interpreter says of elements that are drawn of every instruction's results.
//!
//! ```text
//! %c = dot %a, %b      on the engine: all of %c      on the interpreter: %c[3, 5], of row 3 of %a and column 5 of %b
//! ```
//!
//! The module runs on one device of the engine, an instruction at a time. Of each result a few elements are drawn, the
//! first and the last ones always among them, as kernels treat what is left over at the edges by itself. Operands are
//! cut along what the op passes through ([`excerpt`]), and the interpreter computes the op, made smaller by as much,
//! from what the engine has of them. So what is judged is judged by all that the interpreter knows, in a small part of
//! the time that all elements would take, and rounding does not add up from one instruction to the next. Loops,
//! branches, random numbers, and what cannot be cut to a size that is soon computed, are left out, and counted.

mod excerpt;
#[cfg(test)]
mod tests;

use super::judge::{Apart, scale_of};
use crate::args::EngineArgs;
use crate::engine::{as_it_is, failed, launched};
use crate::failure::Failure;
use excerpt::{At, Excerpt, excerpt_of};
use meshwright_base::{Ask, Code, Diagnostic, IdMap};
use meshwright_interp::run;
use meshwright_ir::copy::{ValueMap, copy_inst, mapped};
use meshwright_ir::verify::inst_name;
use meshwright_ir::{Editor, Function, InstId, Module, Op, SpmdModule, Type, ValueId};
use meshwright_runtime::{DeviceArray, Devices, HostArray};
use std::collections::{BTreeMap, BTreeSet};

/// Times an instruction is asked at least: at the first and at the last of its places.
const FEWEST: i64 = 2;
/// Times an instruction is asked at most.
const DRAWS: i64 = 8;
/// Steps of the interpreter that all instructions share beyond that.
const ALL_STEPS: i64 = 1 << 29;
/// Calls within calls at most.
const DEEPEST: usize = 64;

/// How much was judged.
#[derive(Default)]
pub struct Sampled {
    pub elements: usize,
    pub instructions: usize,
    /// How many instructions were not, and why.
    pub left_out: BTreeMap<&'static str, usize>,
    /// The largest difference, relative to the largest element of its result.
    pub worst: f64,
}

impl Sampled {
    /// In words, a line.
    pub fn told(&self) -> String {
        let left_out: usize = self.left_out.values().sum();
        let why: Vec<String> = self.left_out.iter().map(|(why, count)| format!("{count} {why}")).collect();
        let why = if why.is_empty() { String::new() } else { format!(" ({})", why.join(", ")) };
        format!(
            "note: the interpreter judged {} drawn elements of {} instructions, largest difference {:.3e}; {left_out} \
             instructions were left out{why}\n",
            self.elements, self.instructions, self.worst
        )
    }
}

/// Why a module is not sampled at all, if so.
pub fn not_sampled(module: &Module) -> Option<&'static str> {
    let ops = module.funcs.values().flat_map(|func| {
        func.insts_in_order().into_iter().map(|inst| &func.inst(inst).op).collect::<Vec<_>>()
    });
    let mut why = ops.filter_map(|op| match op {
        Op::Token(_) => Some("it has queues, whose arrays come once"),
        Op::Collective(_) => Some("it has collectives of its own"),
        op if op.facts().is_drawn => Some("it draws numbers, which are others each time"),
        _ => None,
    });
    why.next()
}

/// Runs instructions one by one.
pub struct Sampler<'a> {
    pub module: &'a Module,
    pub devices: &'a dyn Devices,
    pub engine: &'a EngineArgs,
    /// The largest difference that is allowed.
    pub limit: f64,
    pub found: Sampled,
    pub draw: u64,
}

/// What values are, as far as somebody still reads them.
type Values = IdMap<ValueId, Option<DeviceArray>>;

/// One instruction in a module of its own, what it read, and what the engine made of it.
struct Ran<'a> {
    inst: InstId,
    func: &'a Function,
    module: Module,
    arrays: Vec<DeviceArray>,
    results: Vec<DeviceArray>,
}

impl Sampler<'_> {
    /// Results of the module; an error names the instruction of which an element is wrong.
    pub fn run(&mut self, inputs: &[HostArray]) -> Result<Vec<HostArray>, Failure> {
        let placed = inputs.iter().map(|array| DeviceArray::repeated(array, 1));
        let placed = placed.collect::<Result<_, _>>().map_err(|error| failed(&error))?;
        let results = self.call(self.module.main(), placed, 0)?;
        let host = results.iter().map(|array| array.shard(0));
        host.collect::<Option<_>>().ok_or_else(|| Failure::bug("a result is on no device"))
    }

    fn call(
        &mut self,
        func: &Function,
        args: Vec<DeviceArray>,
        depth: usize,
    ) -> Result<Vec<DeviceArray>, Failure> {
        if depth > DEEPEST {
            return Err(Failure::input(super::alone::refused("its calls nest too deep")));
        }
        let mut values: Values = IdMap::filled(func.value_count(), None);
        func.param_values().iter().zip(args).for_each(|(param, arg)| values[*param] = Some(arg));
        let order = func.block(func.root()).insts.clone();
        let last = last_uses(func, &order);
        for (at, inst) in order.iter().enumerate() {
            let args = reads(func, *inst).into_iter().map(|value| held(&values, value));
            let args = args.collect::<Result<Vec<_>, _>>()?;
            let results = match &func.inst(*inst).op {
                Op::Call(call) => {
                    let callee = self.module.funcs.get(call.callee);
                    let callee = callee.ok_or_else(|| Failure::bug("a call of no function"))?;
                    self.call(callee, args, depth + 1)?
                }
                _ => self.inst(func, *inst, args)?,
            };
            let made = func.inst(*inst).results.iter().zip(results);
            made.for_each(|(value, result)| values[*value] = Some(result));
            for value in reads(func, *inst) {
                if last[value] == at {
                    values[value] = None;
                }
            }
        }
        func.result_values().iter().map(|value| held(&values, *value)).collect()
    }

    /// Run one instruction, and ask the interpreter for a few elements.
    fn inst(
        &mut self,
        func: &Function,
        inst: InstId,
        arrays: Vec<DeviceArray>,
    ) -> Result<Vec<DeviceArray>, Failure> {
        let module = self.alone(func, inst);
        let program: SpmdModule = as_it_is(module.clone(), 1).map_err(|found| Failure::found(found, None))?;
        let results = launched(&program, self.devices, self.engine, arrays.clone(), None)?;
        let ran = Ran { inst, func, module, arrays, results };
        match left_out(&func.inst(inst).op) {
            Some(why) => *self.found.left_out.entry(why).or_default() += 1,
            None => self.judge(&ran)?,
        }
        Ok(ran.results)
    }

    /// A module with the one instruction. What it reads twice are two parameters, which may be cut along others.
    fn alone(&self, func: &Function, inst: InstId) -> Module {
        let mut made = Function::new("alone", true);
        let (root, mut map, mut params) = (made.root(), ValueMap::default(), Vec::new());
        for value in reads(func, inst) {
            let param = Editor::new(&mut made).param(root, func.ty(value).clone());
            map.insert(value, param);
            params.push(param);
        }
        copy_inst(Some(func), &mut made, inst, root, &mut map);
        params.truncate(func.inst(inst).operands.len());
        let copy = made.block(root).insts.clone();
        let results = func.inst(inst).results.iter().map(|value| mapped(&map, *value)).collect();
        let mut editor = Editor::new(&mut made);
        copy.into_iter().for_each(|copy| editor.set_operands(copy, params.clone()));
        editor.set_results(root, results);
        let mut module = if calls(func, inst) {
            self.module.clone()
        } else {
            Module { sources: self.module.sources.clone(), ..Module::new("alone") }
        };
        module.entry = module.funcs.push(made);
        module
    }

    fn judge(&mut self, ran: &Ran<'_>) -> Result<(), Failure> {
        let Some(excerpt) = excerpt_of(&ran.module) else {
            *self.found.left_out.entry("of too much for an element").or_default() += 1;
            return Ok(());
        };
        let scales: Vec<f64> = ran.results.iter().map(scale_of).collect();
        for draw in 0..self.draws(&excerpt) {
            let at = self.place(&excerpt, draw);
            self.ask(ran, &excerpt, &at, &scales)?;
        }
        self.found.instructions += 1;
        Ok(())
    }

    fn draws(&self, excerpt: &Excerpt) -> i64 {
        let all: usize = self.module.funcs.values().map(|func| func.insts_in_order().len()).sum();
        let share = ALL_STEPS / i64::try_from(all).unwrap_or(i64::MAX).max(1);
        if excerpt.is_whole() { 1 } else { (share / excerpt.steps()).clamp(FEWEST, DRAWS) }
    }

    /// The first of all places, the last of all, then any, half of them at an edge.
    fn place(&mut self, excerpt: &Excerpt, draw: i64) -> At {
        let places = excerpt.places().values();
        let of_factor = |count: &i64| match draw {
            0 => 0,
            1 => count - 1,
            _ => match self.below(4) {
                0 => 0,
                1 => count - 1,
                _ => self.below(*count),
            },
        };
        places.map(of_factor).collect()
    }

    /// Compare what both have at a place.
    fn ask(&mut self, ran: &Ran<'_>, excerpt: &Excerpt, at: &At, scales: &[f64]) -> Result<(), Failure> {
        let beyond = |what: &str| Failure::bug(&format!("{what} is cut beyond its end"));
        let operands = excerpt.operands(&ran.arrays, at).ok_or_else(|| beyond("an operand"))?;
        let own = excerpt.results(&ran.results, at).ok_or_else(|| beyond("a result"))?;
        let expected = run(&excerpt.module_at(at), &operands).map_err(Failure::input)?;
        for (index, ((expected, own), scale)) in expected.iter().zip(&own).zip(scales).enumerate() {
            let mut apart = Apart::default();
            apart.take(expected, own);
            let difference = apart.relative_to(*scale);
            self.found.elements += expected.len();
            self.found.worst = self.found.worst.max(difference);
            if difference > self.limit {
                let message = format!(
                    "{}: the engine's result differs from the interpreter's by {difference:.3e} of its largest element",
                    inst_name(ran.func, ran.inst)
                );
                let told = Diagnostic::error(Code(616), message)
                    .at_place(self.module.place(ran.func.inst(ran.inst).source))
                    .note(format!("result {index} at {}", excerpt.told(index, at)))
                    .help(format!(
                        "the engine is wrong there: please report it; `{}` does without it",
                        Ask::Text("backend", "interp")
                    ));
                return Err(Failure::input(told));
            }
        }
        Ok(())
    }

    fn below(&mut self, most: i64) -> i64 {
        self.draw = self.draw.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.draw >> 33) as i64 % most.max(1)
    }
}

/// Why an instruction is not judged, if so.
fn left_out(op: &Op) -> Option<&'static str> {
    match op {
        Op::Control(_) | Op::Scan(_) => Some("loops and branches"),
        Op::Constant(_) => Some("constants"),
        Op::Random(_) => Some("generators of random bits"),
        Op::Foreign(_) => Some("custom calls"),
        _ => None,
    }
}

/// Whether an instruction or one in its regions names a function.
fn calls(func: &Function, inst: InstId) -> bool {
    let info = func.inst(inst);
    let within = info.regions.iter().flat_map(|region| &func.block(*region).insts);
    !info.op.callees().is_empty() || within.into_iter().any(|inst| calls(func, *inst))
}

fn held(values: &Values, value: ValueId) -> Result<DeviceArray, Failure> {
    values[value]
        .clone()
        .ok_or_else(|| Failure::bug("a value is read that is no array, or not there any more"))
}

/// What an instruction reads from outside of itself: its operands in order, then each that only its regions name.
fn reads(func: &Function, inst: InstId) -> Vec<ValueId> {
    let operands = &func.inst(inst).operands;
    let only_inside = func.captures(inst).into_iter().filter(|value| !operands.contains(value));
    operands.iter().copied().chain(only_inside).collect()
}

/// The place in the order at which each value is read for the last time; what is returned is kept.
fn last_uses(func: &Function, order: &[InstId]) -> IdMap<ValueId, usize> {
    let mut last = IdMap::filled(func.value_count(), usize::MAX);
    for (at, inst) in order.iter().enumerate() {
        reads(func, *inst).into_iter().for_each(|value| last[value] = at);
    }
    func.result_values().iter().for_each(|value| last[*value] = usize::MAX);
    last
}

/// Bytes of values that are alive together, at most: those of all functions, as if each called the next one.
pub fn peak_bytes(module: &Module) -> u64 {
    module.funcs.values().map(peak_of).fold(0, u64::saturating_add)
}

fn peak_of(func: &Function) -> u64 {
    let bytes = |value: ValueId| match func.ty(value) {
        Type::Tensor(ty) => ty.elements().max(0) as u64 * ty.dtype.bytes() as u64,
        Type::Token => 0,
    };
    let order = func.block(func.root()).insts.clone();
    let last = last_uses(func, &order);
    let mut live: u64 = func.param_values().iter().map(|value| bytes(*value)).sum();
    let mut most = live;
    for (at, inst) in order.iter().enumerate() {
        live += func.inst(*inst).results.iter().map(|value| bytes(*value)).sum::<u64>();
        most = most.max(live);
        let read: BTreeSet<ValueId> =
            reads(func, *inst).into_iter().filter(|value| last[*value] == at).collect();
        live = live.saturating_sub(read.into_iter().map(bytes).sum());
    }
    most
}
