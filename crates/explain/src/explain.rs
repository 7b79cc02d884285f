//! The report of one program.

use crate::collectives::collectives;
use crate::graph::graph;
use crate::layers::Layers;
use crate::memory::memory;
use crate::model::{AxisInfo, Explanation, Given, MeshInfo, Origin, Program, Totals};
use crate::reasons::Reasons;
use crate::timeline::Simulated;
use crate::trace::{Input, Watch};
use crate::walk::each_run;
use meshwright_base::Diagnostic;
use meshwright_compile::{Compiled, DEFECT, Observer, Options};
use meshwright_cost::compute::work;
use meshwright_cost::peak::held_peak;
use meshwright_cost::{Machine, program_peak, step_seconds, traffic};
use meshwright_ir::{Module, Op, Type};

/// A program with its report.
pub struct Explained {
    pub explanation: Explanation,
    pub compiled: Compiled,
    /// The completed module that the completion's report is of.
    pub completed: Module,
    /// The module as it was given.
    pub input: Input,
}

/// Partition a module, and tell all of it. `beside` sees what every stage makes.
pub fn explain(
    module: Module,
    options: &Options,
    beside: &mut dyn Observer,
) -> Result<Explained, Vec<Diagnostic>> {
    let input = Input::of(module);
    let mut watch = Watch { beside, completed: None, planned: None };
    let compiled = meshwright_compile::partition(input.module.clone(), options, &mut watch)?;
    let (Some(completed), Some(planned)) = (watch.completed, watch.planned) else {
        return Err(vec![Diagnostic::error(DEFECT, "a stage of the compilation was not seen")]);
    };
    let machine = &options.partition.machine;
    let program = compiled.program.module();
    let mut layers = Layers::of(&input);
    let mut drawn = graph(&planned, &input, &layers);
    let reasons = Reasons::of(&input, (&completed, &compiled.completion), &planned, &drawn);
    let simulated = Simulated::of(program, machine);
    let found = collectives(program, (&input, &reasons), &simulated, &mut layers, &mut drawn.graph);
    working(program, &mut layers);
    simulated.computing(&mut layers);
    let reach = compiled.completion.reach(&completed);
    let annotations = reach.iter().map(|(origin, reached)| {
        let Origin { axis, value, dim, site, tensor, .. } = reasons.told(origin, true);
        Given { axis, value, dim, site, reached: *reached, tensor }
    });
    let annotations = annotations.collect();
    let memory = memory(program, &input, &layers);
    let timeline = simulated.timeline(&input, &layers);
    let graph = drawn.graph;
    let nodes = graph.nodes.iter().map(|node| node.layer);
    let alive = memory.alive.iter().map(|value| value.layer);
    let events = timeline.events.iter().map(|event| event.layer);
    let layers = layers.finish(nodes.chain(alive).chain(events));
    let explanation = Explanation {
        program: program_info(&input.module, &completed, machine),
        totals: counted(program, machine, simulated.seconds()),
        collectives: found,
        memory,
        timeline,
        graph,
        annotations,
        suggestions: Vec::new(),
        tried: 0,
        layers,
    };
    Ok(Explained { explanation, compiled, completed, input })
}

/// What a partitioned program costs.
pub fn totals(program: &Module, machine: &Machine) -> Totals {
    counted(program, machine, step_seconds(program, machine))
}

fn counted(program: &Module, machine: &Machine, seconds: f64) -> Totals {
    let counted = traffic(program, machine);
    Totals {
        sent: counted.sent,
        collectives: counted.collectives,
        seconds,
        peak: program_peak(program),
        planned_peak: (machine.name != "plain").then(|| held_peak(program, machine.habits())),
        flops: counted.flops,
    }
}

fn program_info(input: &Module, completed: &Module, machine: &Machine) -> Program {
    let mesh = |mesh: &meshwright_shard::Mesh| MeshInfo {
        name: mesh.name.to_string(),
        axes: mesh
            .axes
            .values()
            .map(|axis| AxisInfo { name: axis.name.to_string(), size: axis.size })
            .collect(),
    };
    let devices = completed.meshes.values().map(meshwright_shard::Mesh::device_count).max();
    Program {
        name: input.name.to_string(),
        devices: devices.unwrap_or(1),
        meshes: completed.meshes.values().filter(|mesh| !mesh.axes.is_empty()).map(mesh).collect(),
        instructions: input.funcs.values().map(|func| func.insts_in_order().len()).sum(),
        machine: machine.name.to_string(),
    }
}

/// Work of the layers.
fn working(program: &Module, layers: &mut Layers) {
    each_run(program, &mut |func, inst, times| {
        let info = func.inst(inst);
        let at = layers.at(info.source);
        layers.list[at].instructions += 1;
        if matches!(info.op, Op::Collective(_) | Op::Call(_) | Op::Control(_) | Op::Scan(_) | Op::Sharding(_))
        {
            return;
        }
        let operands: Vec<&Type> = info.operands.iter().map(|value| func.ty(*value)).collect();
        let results: Vec<&Type> = info.results.iter().map(|value| func.ty(*value)).collect();
        layers.list[at].flops += times * work(&info.op, &operands, &results).flops;
    });
}
