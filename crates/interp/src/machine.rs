//! The machine: runs blocks on all active devices in lockstep.
//!
//! Every value has one *lane* per device. An instruction is evaluated for all devices that are active; control flow
//! narrows the active set for a while, so devices that went different ways never wait for each other unseen.

use crate::eval;
use crate::fault::{Fault, TOO_DEEP, TOO_MANY_BYTES, TOO_MANY_STEPS};
use crate::feed::Feed;
use crate::lanes::{Device, Lanes, Value, take_tensors};
use crate::liveness::Liveness;
use crate::meter::{Charge, Meter};
use crate::tensor::{Data, Tensor, element_count};
use meshwright_base::{Caller, IdMap, cancel};
use meshwright_ir::op::Numbering;
use meshwright_ir::{BlockId, FuncId, Function, InstId, Module, Type, ValueId};
use std::rc::Rc;

/// Limits on what a program may use; hostile programs end in a diagnostic.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Options {
    /// Instructions run, each counted once for all devices.
    pub max_steps: u64,
    /// Bytes that all values alive at one time may take, over all devices. An instruction whose results would exceed
    /// it is refused before it runs. An op may need as much again while it runs.
    pub max_bytes: u64,
    /// How deep regions and calls may nest.
    pub max_depth: usize,
    /// How often `rng` ran before: the next one draws the numbers behind those.
    pub draws: u64,
}

impl Default for Options {
    fn default() -> Self {
        Options { max_steps: 100_000_000, max_bytes: 16 << 30, max_depth: 200, draws: 0 }
    }
}

/// How a program that takes too much memory can be run all the same.
fn less() -> &'static str {
    match Caller::here() {
        Caller::CommandLine => {
            "run a smaller model, or allow more: `--memory-limit BYTES`, `max_bytes` in a program"
        }
        Caller::Python => "run a smaller model, or run it on the engine: `backend=\"cpu\"`",
    }
}

/// How devices see arrays.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum World {
    /// The program is local already: one device, or a partitioned program.
    Local,
    /// Values are global and kept on device 0; manual regions are run on pieces on all devices.
    GlobalOnOne,
    /// Values are global or pieces, and every device has its own.
    GlobalOnAll,
}

pub(crate) struct Machine<'m> {
    pub module: &'m Module,
    pub options: Options,
    /// Queues of what enters and leaves the program.
    pub feed: Option<&'m dyn Feed>,
    pub devices: usize,
    pub numbering: Numbering,
    pub world: World,
    steps: u64,
    depth: usize,
    streams: u64,
    meter: Meter,
    held: Vec<Charge>,
    liveness: IdMap<FuncId, Option<Rc<Liveness>>>,
}

/// One activation of a function.
pub(crate) struct CallFrame<'m> {
    pub func: &'m Function,
    liveness: Rc<Liveness>,
    slots: IdMap<ValueId, Lanes>,
}

/// An instruction being evaluated.
pub(crate) struct Site<'a, 'm> {
    pub machine: &'a mut Machine<'m>,
    pub frame: &'a mut CallFrame<'m>,
    pub inst: InstId,
    pub active: &'a [Device],
}

impl<'m> Machine<'m> {
    pub fn new(module: &'m Module, devices: usize, world: World, options: Options) -> Self {
        let liveness = IdMap::filled(module.funcs.len(), None);
        let numbering = match world {
            World::Local => Numbering::of(module, devices),
            World::GlobalOnOne | World::GlobalOnAll => Numbering::of_global(module, devices),
        };
        Machine {
            module,
            options,
            feed: None,
            devices,
            numbering,
            world,
            steps: 0,
            depth: 0,
            streams: options.draws,
            meter: Meter::default(),
            held: Vec::new(),
            liveness,
        }
    }

    /// Call a function on the active devices.
    pub fn call(&mut self, callee: FuncId, args: Vec<Lanes>, active: &[Device]) -> Result<Vec<Lanes>, Fault> {
        let Some(func) = self.module.funcs.get(callee) else {
            return Err(Fault::unsound("calls a function that does not exist"));
        };
        let liveness = self.liveness[callee].get_or_insert_with(|| Rc::new(Liveness::of(func))).clone();
        let slots = IdMap::filled(func.value_count(), Lanes::default());
        let mut frame = CallFrame { func, liveness, slots };
        self.block(&mut frame, func.root(), args, active)
    }

    /// Run a block on the active devices; what it returns.
    pub fn block(
        &mut self,
        frame: &mut CallFrame<'m>,
        block: BlockId,
        args: Vec<Lanes>,
        active: &[Device],
    ) -> Result<Vec<Lanes>, Fault> {
        if self.depth >= self.options.max_depth {
            return Err(Fault::new(
                TOO_DEEP,
                format!("regions and calls nest more than {} deep", self.depth),
            )
            .help("raise `max_depth` if the program is meant to nest that deeply"));
        }
        let func = frame.func;
        let params = &func.block(block).params;
        if params.len() != args.len() {
            return Err(Fault::unsound(format!(
                "gives {} values to {} parameters",
                args.len(),
                params.len()
            )));
        }
        for (param, lanes) in params.iter().zip(args) {
            frame.put(*param, lanes, active);
        }
        self.depth += 1;
        for inst in &func.block(block).insts {
            cancel::look();
            self.step(frame, *inst, active)?;
        }
        self.depth -= 1;
        frame.finish(block, active)
    }

    /// Count what the caller gives; it is given back at the end of the run.
    pub fn hold(&mut self, inputs: &[Tensor]) {
        let bytes = |tensor: &Tensor| storage(&Type::Tensor(tensor.ty().clone()));
        let (charge, _) = self.meter.charge(inputs.iter().map(bytes).sum());
        self.held.push(charge);
    }

    /// A number for each run of `rng`, so that no two give the same numbers.
    pub fn next_stream(&mut self) -> u64 {
        self.streams += 1;
        self.streams
    }

    fn step(&mut self, frame: &mut CallFrame<'m>, inst: InstId, active: &[Device]) -> Result<(), Fault> {
        let (module, func) = (self.module, frame.func);
        let told = |fault: Fault| Fault::Told(fault.at(module, func, inst));
        self.count_step(frame, inst, active).map_err(told)?;
        let known = func.inst(inst);
        let args = frame.operands(inst, active).map_err(told)?;
        let site = Site { machine: self, frame, inst, active };
        let results = eval::eval(site, args).map_err(told)?;
        if results.len() != known.results.len() {
            return Err(told(Fault::unsound(format!(
                "made {} results where {} are declared",
                results.len(),
                known.results.len()
            ))));
        }
        for (value, lanes) in known.results.iter().zip(results) {
            frame.put(*value, lanes, active);
        }
        frame.drop_last_uses(inst, active);
        Ok(())
    }

    /// Limits: steps, and what the results take beside all that lives.
    fn count_step(&mut self, frame: &CallFrame<'m>, inst: InstId, active: &[Device]) -> Result<(), Fault> {
        self.steps += 1;
        if self.steps > self.options.max_steps {
            let message =
                format!("the program has run {} instructions and is not done", self.options.max_steps);
            return Err(
                Fault::new(TOO_MANY_STEPS, message).help("if it is not an endless loop, raise `max_steps`")
            );
        }
        let results = &frame.func.inst(inst).results;
        let one: u64 =
            results.iter().fold(0, |sum, value| sum.saturating_add(storage(frame.func.ty(*value))));
        let all = one.saturating_mul(active.len() as u64);
        let live = self.meter.live();
        if live.saturating_add(all) > self.options.max_bytes {
            let message = format!(
                "its results take {all} bytes on {} devices beside {live} bytes of values that are still used, \
                 the limit is {}",
                active.len(),
                self.options.max_bytes
            );
            return Err(Fault::new(TOO_MANY_BYTES, message).help(less()));
        }
        Ok(())
    }
}

/// Bytes a value takes in the interpreter, which holds all numbers wide.
pub fn storage(ty: &Type) -> u64 {
    let Some(tensor) = ty.as_tensor() else { return 0 };
    let count = element_count(&tensor.dims).map_or(u64::MAX, |count| count as u64);
    count.saturating_mul(Data::width(tensor.dtype.class()) as u64)
}

impl<'m> CallFrame<'m> {
    /// Set a value on the active devices, leaving it alone on the others.
    fn put(&mut self, value: ValueId, mut lanes: Lanes, active: &[Device]) {
        self.slots[value].adopt(&mut lanes, active);
    }

    /// A value on one device.
    pub fn get(&self, value: ValueId, device: Device) -> Option<&Value> {
        self.slots.get(value)?.get(device)
    }

    /// Operands on the active devices. What the instruction alone still needs is moved out of the frame, so that it
    /// may be changed in place.
    fn operands(&mut self, inst: InstId, active: &[Device]) -> Result<Vec<Lanes>, Fault> {
        let known = self.func.inst(inst);
        let liveness = self.liveness.clone();
        let last = if known.regions.is_empty() { liveness.last_uses(inst) } else { &[] };
        let mut all = Vec::with_capacity(known.operands.len());
        for (i, operand) in known.operands.iter().enumerate() {
            let is_last = last.contains(operand) && !known.operands[i + 1..].contains(operand);
            all.push(self.lanes(*operand, active, is_last)?);
        }
        Ok(all)
    }

    fn lanes(&mut self, value: ValueId, active: &[Device], take: bool) -> Result<Lanes, Fault> {
        let slot = &mut self.slots[value];
        let mut lanes = slot.room();
        for device in active {
            let found = if take { slot.take(*device) } else { slot.get(*device).cloned() };
            if found.is_none() {
                return Err(Fault::unsound(format!("uses {value:?} before it is defined")));
            }
            lanes.put(*device, found);
        }
        Ok(lanes)
    }

    fn clear(&mut self, value: ValueId, active: &[Device]) {
        active.iter().for_each(|device| _ = self.slots[value].take(*device));
    }

    fn drop_last_uses(&mut self, inst: InstId, active: &[Device]) {
        let liveness = self.liveness.clone();
        for value in liveness.last_uses(inst) {
            self.clear(*value, active);
        }
    }

    /// What a block returns; its own values are given back.
    fn finish(&mut self, block: BlockId, active: &[Device]) -> Result<Vec<Lanes>, Fault> {
        let known = self.func.block(block);
        let mut results = Vec::with_capacity(known.results.len());
        for result in &known.results {
            results.push(self.lanes(*result, active, false)?);
        }
        for value in known.results.iter().chain(&known.params) {
            if self.func.def_block(*value) == block {
                self.clear(*value, active);
            }
        }
        Ok(results)
    }
}

impl<'m> Site<'_, 'm> {
    /// Declared types of the results.
    pub fn result_type(&self, index: usize) -> Result<&'m Type, Fault> {
        let func = self.frame.func;
        let value = func.inst(self.inst).results.get(index);
        value.map(|value| func.ty(*value)).ok_or_else(|| Fault::unsound(format!("has no result {index}")))
    }

    pub fn region(&self, index: usize) -> Result<BlockId, Fault> {
        let regions = &self.frame.func.inst(self.inst).regions;
        regions.get(index).copied().ok_or_else(|| Fault::unsound(format!("has no region {index}")))
    }

    /// Run one of the instruction's regions on some devices.
    pub fn run_region(
        &mut self,
        index: usize,
        args: Vec<Lanes>,
        active: &[Device],
    ) -> Result<Vec<Lanes>, Fault> {
        let region = self.region(index)?;
        self.machine.block(self.frame, region, args, active)
    }

    /// No value on any device.
    pub fn no_lanes(&self) -> Lanes {
        Lanes::empty(self.machine.devices)
    }

    /// Evaluate device by device with a function from operands to the elements of the results.
    pub fn each(
        &mut self,
        mut args: Vec<Lanes>,
        mut f: impl FnMut(&mut Self, Device, Vec<Tensor>) -> Result<Vec<Data>, Fault>,
    ) -> Result<Vec<Lanes>, Fault> {
        let count = self.frame.func.inst(self.inst).results.len();
        let mut results = vec![self.no_lanes(); count];
        for device in self.active {
            let tensors = take_tensors(&mut args, *device)?;
            let made = f(self, *device, tensors)?;
            for (i, data) in made.into_iter().enumerate() {
                let tensor = self.tensor(i, data)?;
                if let Some(lanes) = results.get_mut(i) {
                    lanes.put_tensor(*device, tensor);
                }
            }
        }
        Ok(results)
    }

    /// Elements as the tensor a result is declared to be.
    pub fn tensor(&self, index: usize, data: Data) -> Result<Tensor, Fault> {
        let ty = self.result_type(index)?.as_tensor();
        let ty = ty.ok_or_else(|| Fault::unsound("makes a tensor where a token is declared"))?;
        let len = data.len();
        let (charge, live) = self.machine.meter.charge(len as u64 * Data::width(data.class()) as u64);
        if live > self.machine.options.max_bytes {
            let message = format!(
                "all values take {live} bytes with it, the limit is {}",
                self.machine.options.max_bytes
            );
            return Err(Fault::new(TOO_MANY_BYTES, message).help(less()));
        }
        Tensor::charged(ty.clone(), data, charge)
            .ok_or_else(|| Fault::unsound(format!("made {len} elements where {ty} is declared")))
    }
}
