//! From a path to a module that the verifier has passed.

use crate::failure::Failure;
use crate::located::located;
use crate::{input, preset, read};
use meshwright_base::diagnostic::Place;
use meshwright_base::{Caller, Code, Diagnostic, SourceText};
use meshwright_ir::op::{Collective, CollectiveKind, Groups, ShardingOp};
use meshwright_ir::verify::inst_name;
use meshwright_ir::{Function, InstId, Module, Op};
use meshwright_shard::Mesh;
use std::path::Path;

/// A verified module and the text it came from, to show diagnostics in.
pub struct Loaded {
    pub module: Module,
    pub text: SourceText,
}

/// Read, parse and verify; `-` is standard input, `preset:NAME` a model at a paper's size.
pub fn load(path: &Path) -> Result<Loaded, Failure> {
    if let Some(name) = preset::name(path) {
        return preset::step(name).map(|(module, text)| Loaded { module, text });
    }
    let text = text(path)?;
    match read::read(&text) {
        Ok(module) => Ok(Loaded { module, text }),
        Err(diagnostics) => Err(Failure::in_text(text, diagnostics)),
    }
}

/// The same with a place for every instruction, in the text where the module tells none: for who runs a module, and
/// does not print it.
pub fn load_located(path: &Path) -> Result<Loaded, Failure> {
    if preset::name(path).is_some() {
        return load(path);
    }
    in_memory(&text(path)?)
}

/// The same of a text in memory.
pub fn in_memory(text: &SourceText) -> Result<Loaded, Failure> {
    match read::read_with_spans(text) {
        Ok((module, spans)) => Ok(Loaded { module: located(module, &spans, text), text: text.clone() }),
        Err(diagnostics) => Err(Failure::in_text(text.clone(), diagnostics)),
    }
}

/// The text of a module, for who shows its lines; that of a preset as it would be written.
pub fn text(path: &Path) -> Result<SourceText, Failure> {
    if let Some(name) = preset::name(path) {
        let (module, text) = preset::step(name)?;
        return Ok(SourceText::new(text.name, meshwright_text::stablehlo::print(&module)));
    }
    input::read(path).map_err(|mut failure| {
        if path.to_str().is_some_and(preset::is_known) && !path.exists() {
            let help = format!("a model that comes with the program is `preset:{}`", path.display());
            failure.diagnostics.iter_mut().for_each(|told| told.help = Some(help.clone()));
        }
        failure
    })
}

/// How many devices the module speaks of: what it states, else what its meshes and groups need.
pub fn stated_devices(module: &Module) -> i64 {
    let stated = match (module.num_partitions, module.num_replicas) {
        (None, None) => None,
        (partitions, replicas) => {
            Some(partitions.unwrap_or(1).max(1).saturating_mul(replicas.unwrap_or(1).max(1)))
        }
    };
    stated.unwrap_or_else(|| {
        let meshes = module.meshes.values().map(Mesh::device_count);
        let groups = ops(module).filter_map(|op| match op {
            Op::Collective(collective) => Some(listed_devices(collective)),
            _ => None,
        });
        meshes.chain(groups).fold(1, i64::max)
    })
}

/// Whether the module is the program of one of several devices, on local shapes.
pub fn is_partitioned(module: &Module) -> bool {
    communicates(module).is_some()
}

/// The first instruction by which a module shows that it is the program of one of several devices: it communicates, and
/// not only inside manual regions of a program on global shapes.
pub fn communicates(module: &Module) -> Option<(&Function, InstId)> {
    let is_manual = |op: &Op| {
        let Op::Sharding(op) = op else { return false };
        matches!(op, ShardingOp::Manual(_) | ShardingOp::FullToShard { .. } | ShardingOp::ShardToFull { .. })
    };
    let communicates = |op: &Op| matches!(op, Op::Collective(_) | Op::PartitionId | Op::ReplicaId);
    let found = insts(module).find(|(func, inst)| communicates(&func.inst(*inst).op));
    found.filter(|_| !ops(module).any(is_manual))
}

/// A module is the program of one of several devices already.
pub const PARTITIONED: Code = Code(615);

/// By what a module shows that it was partitioned before: a sentence, and its place.
pub fn partitioned_already(module: &Module) -> Option<(String, Option<Place>)> {
    let devices = stated_devices(module) / module.num_replicas.unwrap_or(1).max(1);
    let (func, inst) = communicates(module).filter(|_| devices > 1)?;
    let about = inst_name(func, inst);
    let message = format!(
        "the module is partitioned already, for {devices} devices: {about} communicates outside manual parts"
    );
    Some((message, module.place(func.inst(inst).source)))
}

/// What is said of a module that was partitioned before: taken for one of global values, it is split once more.
pub fn partitioned_twice(module: &Module, text: &SourceText) -> Option<Diagnostic> {
    partitioned_already(module)?;
    let (read, spans) = read::read_with_spans(text).ok()?;
    let (message, place) = partitioned_already(&located(read, &spans, text))?;
    let help = match Caller::here() {
        Caller::CommandLine => {
            "partition the module that it was made from; `meshwright run` runs this one as it is"
        }
        Caller::Python => "partition the module that it was made from",
    };
    Some(Diagnostic::note_only(PARTITIONED, message).at_place(place).help(help))
}

fn insts(module: &Module) -> impl Iterator<Item = (&Function, InstId)> {
    module.funcs.values().flat_map(|func| func.insts_in_order().into_iter().map(move |inst| (func, inst)))
}

fn ops(module: &Module) -> impl Iterator<Item = &Op> {
    insts(module).map(|(func, inst)| &func.inst(inst).op)
}

/// One more than the highest device that a collective names.
fn listed_devices(collective: &Collective) -> i64 {
    let highest =
        |devices: &mut dyn Iterator<Item = u32>| devices.max().map_or(0, |device| i64::from(device) + 1);
    if let CollectiveKind::Permute { pairs } = &collective.kind {
        return highest(&mut pairs.iter().flat_map(|(from, to)| [*from, *to]));
    }
    match &collective.groups {
        Groups::List(groups) => highest(&mut groups.iter().flatten().copied()),
        Groups::Iota { groups, size, .. } => groups.saturating_mul(*size),
        Groups::All | Groups::Axes { .. } => 0,
    }
}
