//! The three ways to run a module.

use crate::fault::{BAD_DEVICES, BAD_INPUTS, Fault, NOT_RUN};
use crate::feed::Feed;
use crate::lanes::{Device, Lanes, Value};
use crate::machine::{Machine, Options, World};
use crate::tensor::{Data, Tensor};
use meshwright_base::{Diagnostic, budget};
use meshwright_ir::op::{Op, ShardingOp};
use meshwright_ir::{Function, InstId, Module, Type};

/// Run the entry function on one device. Sharding annotations mean nothing; a collective joins the one device.
pub fn run(module: &Module, inputs: &[Tensor]) -> Result<Vec<Tensor>, Diagnostic> {
    run_with(module, inputs, Options::default())
}

/// [`run`] with limits.
pub fn run_with(module: &Module, inputs: &[Tensor], options: Options) -> Result<Vec<Tensor>, Diagnostic> {
    let mut results = start(module, 1, (World::Local, &[Device::FIRST]), &[inputs.to_vec()], options, None)?;
    Ok(results.pop().unwrap_or_default())
}

/// Run one program on `devices` simulated devices: inputs and results per device, local shapes.
pub fn run_devices(
    module: &Module,
    devices: usize,
    inputs: &[Vec<Tensor>],
) -> Result<Vec<Vec<Tensor>>, Diagnostic> {
    run_devices_with(module, devices, inputs, Options::default())
}

/// [`run_devices`] with limits.
pub fn run_devices_with(
    module: &Module,
    devices: usize,
    inputs: &[Vec<Tensor>],
    options: Options,
) -> Result<Vec<Vec<Tensor>>, Diagnostic> {
    run_devices_fed(module, devices, inputs, options, None)
}

/// [`run_devices_with`], with queues for what enters and leaves the program.
pub fn run_devices_fed(
    module: &Module,
    devices: usize,
    inputs: &[Vec<Tensor>],
    options: Options,
    feed: Option<&dyn Feed>,
) -> Result<Vec<Vec<Tensor>>, Diagnostic> {
    if devices == 0 || inputs.len() != devices {
        let message = format!("inputs for {} devices are given to {devices} devices", inputs.len());
        return Err(Diagnostic::error(BAD_INPUTS, message).help("give one list of inputs per device"));
    }
    let active: Vec<Device> = Device::all(devices).collect();
    start(module, devices, (World::Local, &active), inputs, options, feed)
}

/// Run a module on global arrays. Manual regions are run on all devices of their mesh.
pub fn run_global(module: &Module, inputs: &[Tensor]) -> Result<Vec<Tensor>, Diagnostic> {
    run_global_with(module, inputs, Options::default())
}

/// [`run_global`] with limits.
pub fn run_global_with(
    module: &Module,
    inputs: &[Tensor],
    options: Options,
) -> Result<Vec<Tensor>, Diagnostic> {
    run_global_fed(module, inputs, options, None)
}

/// [`run_global_with`], with queues for what enters and leaves the program: that of device 0 outside of manual regions.
pub fn run_global_fed(
    module: &Module,
    inputs: &[Tensor],
    options: Options,
    feed: Option<&dyn Feed>,
) -> Result<Vec<Tensor>, Diagnostic> {
    let devices = global_devices(module)?;
    let mut results = if needs_all_lanes(module) {
        on_all(module, &vec![inputs.to_vec(); devices], options, feed)?
    } else {
        start(module, devices, (World::GlobalOnOne, &[Device::FIRST]), &[inputs.to_vec()], options, feed)?
    };
    Ok(if results.is_empty() { Vec::new() } else { results.swap_remove(0) })
}

/// Run a module on global arrays, as each device sees them: they are other ones in every replica, and local values of
/// manual parts are other ones on every device. Inputs and results of each device.
pub fn run_views(
    module: &Module,
    inputs: &[Vec<Tensor>],
    feed: Option<&dyn Feed>,
) -> Result<Vec<Vec<Tensor>>, Diagnostic> {
    let least = global_devices(module)?;
    if inputs.len() < least {
        let message = format!("inputs for {} devices are given to {least}", inputs.len());
        return Err(Diagnostic::error(BAD_INPUTS, message).help("give one list of inputs per device"));
    }
    on_all(module, inputs, Options::default(), feed)
}

fn on_all(
    module: &Module,
    inputs: &[Vec<Tensor>],
    options: Options,
    feed: Option<&dyn Feed>,
) -> Result<Vec<Vec<Tensor>>, Diagnostic> {
    let active: Vec<Device> = Device::all(inputs.len()).collect();
    start(module, inputs.len(), (World::GlobalOnAll, &active), inputs, options, feed)
}

fn replicas(module: &Module) -> usize {
    module.num_replicas.and_then(|n| usize::try_from(n).ok()).unwrap_or(1).max(1)
}

/// Devices of the largest mesh, or as many partitions as the module says, in every replica.
fn global_devices(module: &Module) -> Result<usize, Diagnostic> {
    /// The interpreter holds a lane per device; more are not meant to be simulated.
    const MOST: usize = 1 << 16;
    let of_mesh = |mesh: &meshwright_shard::Mesh| {
        mesh.axes.values().fold(1usize, |n, axis| n.saturating_mul(usize::try_from(axis.size).unwrap_or(0)))
    };
    let meshes = module.meshes.values().map(of_mesh).max().unwrap_or(0);
    let partitions = module.num_partitions.and_then(|n| usize::try_from(n).ok()).unwrap_or(0);
    let devices = meshes.max(partitions).max(1).saturating_mul(replicas(module));
    if devices > MOST {
        let message = format!("manual regions need {devices} devices, at most {MOST} are simulated");
        return Err(Diagnostic::error(BAD_DEVICES, message).help("use a smaller mesh"));
    }
    Ok(devices)
}

/// Whether devices may hold different values outside of manual regions: between FullToShard and ShardToFull; and where
/// devices, or replicas, ask each other or for their number.
fn needs_all_lanes(module: &Module) -> bool {
    let several = replicas(module) > 1;
    let differs = |func: &Function, inst: InstId| {
        let op = &func.inst(inst).op;
        let is_edge =
            matches!(op, Op::Sharding(ShardingOp::FullToShard { .. } | ShardingOp::ShardToFull { .. }));
        let is_number = matches!(op, Op::ReplicaId | Op::PartitionId);
        let meets = matches!(op, Op::Collective(_));
        is_edge || (meets && !is_in_manual(func, inst)) || ((meets || is_number) && several)
    };
    module.funcs.values().any(|func| func.insts_in_order().into_iter().any(|inst| differs(func, inst)))
}

/// Whether an instruction stands in a manual region of its function.
fn is_in_manual(func: &Function, mut inst: InstId) -> bool {
    while let Some(parent) = func.block(func.block_of(inst)).parent {
        if matches!(func.inst(parent).op, Op::Sharding(ShardingOp::Manual(_))) {
            return true;
        }
        inst = parent;
    }
    false
}

/// What a value takes on a device beside its elements, about: who makes the inputs, the machine and who takes the
/// results each have a place for it, and a simulated device has lists of its own. Measured at a million devices.
const PLACES: u64 = 512;

/// Whether so many values on so many simulated devices fit the host.
pub fn check_devices(devices: usize, values: usize) -> Result<(), Diagnostic> {
    let bytes = (devices as u64).saturating_mul(values as u64 + 1).saturating_mul(PLACES);
    budget::check(bytes, || format!("{values} values on {devices} simulated devices"))
}

/// Check inputs, run, and collect results, one list per active device.
fn start(
    module: &Module,
    devices: usize,
    (world, active): (World, &[Device]),
    inputs: &[Vec<Tensor>],
    options: Options,
    feed: Option<&dyn Feed>,
) -> Result<Vec<Vec<Tensor>>, Diagnostic> {
    let joined = meshwright_ir::join_transfers(module);
    let module = joined.as_ref().unwrap_or(module);
    check_devices(devices, module.main().params.len())?;
    let args = input_lanes(module, devices, active, inputs)?;
    let mut machine = Machine::new(module, devices, world, options);
    machine.feed = feed;
    // Global arrays are the same ones on all devices.
    let different = if world == World::Local { inputs.len() } else { 1 };
    inputs.iter().take(different).for_each(|inputs| machine.hold(inputs));
    let results = machine.call(module.entry, args, active).map_err(Fault::plain)?;
    active.iter().map(|device| outputs(&results, *device)).collect()
}

fn input_lanes(
    module: &Module,
    devices: usize,
    active: &[Device],
    inputs: &[Vec<Tensor>],
) -> Result<Vec<Lanes>, Diagnostic> {
    let func = module.main();
    let params = func.param_values();
    for (device, inputs) in active.iter().zip(inputs) {
        if inputs.len() != params.len() {
            let message = format!("{} inputs are given to {} parameters", inputs.len(), params.len());
            return Err(Diagnostic::error(BAD_INPUTS, message).note(format!("on device {device}")));
        }
        for (i, (param, input)) in params.iter().zip(inputs).enumerate() {
            check_input(i, func.ty(*param), input, *device)?;
        }
    }
    let lane = |i: usize| {
        let mut lanes = Lanes::empty(devices);
        for (device, inputs) in active.iter().zip(inputs) {
            let value = match func.ty(params[i]) {
                Type::Tensor(_) => Value::Tensor(inputs[i].clone()),
                Type::Token => Value::Token,
            };
            lanes.put(*device, Some(value));
        }
        lanes
    };
    Ok((0..params.len()).map(lane).collect())
}

fn check_input(index: usize, expected: &Type, input: &Tensor, device: Device) -> Result<(), Diagnostic> {
    let expected = expected.as_array();
    if expected == *input.ty() {
        return Ok(());
    }
    let message = format!("input {index} is {}, the program takes {expected}", input.ty());
    Err(Diagnostic::error(BAD_INPUTS, message)
        .note(format!("on device {device}"))
        .help("give inputs in the order and with the types of the entry function's parameters"))
}

fn outputs(results: &[Lanes], device: Device) -> Result<Vec<Tensor>, Diagnostic> {
    let one = |(i, lanes): (usize, &Lanes)| match lanes.get(device) {
        Some(Value::Tensor(tensor)) => Ok(tensor.clone()),
        Some(Value::Token) => Tensor::new(Type::Token.as_array(), Data::Pred(Vec::new()))
            .ok_or_else(|| Diagnostic::error(NOT_RUN, format!("result {i} of the program is no array"))),
        _ => Err(Diagnostic::error(NOT_RUN, format!("result {i} of the program is not on device {device}"))),
    };
    results.iter().enumerate().map(one).collect()
}
