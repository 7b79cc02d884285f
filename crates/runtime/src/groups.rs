//! Which devices a collective joins: every form of groups as lists of device numbers.

use crate::{RunError, RunErrorKind};
use meshwright_ir::Module;
use meshwright_ir::op::collective::{Channel, CollectiveKind, Groups};
use meshwright_ir::op::{Mode, Numbering};

/// The groups as lists of devices, members in order of their position.
pub fn resolve(
    kind: &CollectiveKind,
    groups: &Groups,
    channel: Channel,
    module: &Module,
    devices: usize,
) -> Result<Vec<Vec<usize>>, RunError> {
    let numbering = Numbering::of(module, devices);
    let Groups::Axes { mesh, axes } = groups else {
        let lists = groups.lists(devices).ok_or_else(|| bad("the groups' iota", devices))?;
        return Ok(numbering.devices(Mode::of(kind, channel), &lists));
    };
    let mesh = module.meshes.get(*mesh).ok_or_else(|| bad("a mesh that is missing", devices))?;
    if mesh.device_count() != numbering.partitions as i64 {
        return Err(bad(&format!("mesh `{}` of {}", mesh.name, mesh.device_count()), devices));
    }
    // Every replica has a mesh of its own.
    let groups = meshwright_shard::groups(mesh, axes);
    let of_replica = |replica: usize| {
        let device = move |device: u32| replica * numbering.partitions + device as usize;
        groups.iter().map(move |group| group.into_iter().map(device).collect())
    };
    Ok((0..numbering.replicas).flat_map(of_replica).collect())
}

/// Pairs of a permute as device numbers.
pub fn resolve_pairs(
    pairs: &[(u32, u32)],
    channel: Channel,
    numbering: Numbering,
) -> Result<Vec<(usize, usize)>, RunError> {
    if pairs.is_empty() {
        return Ok(Vec::new());
    }
    let mode = Mode::of(&CollectiveKind::Permute { pairs: Vec::new() }, channel);
    let lists: Vec<Vec<u32>> = pairs.iter().map(|(source, target)| vec![*source, *target]).collect();
    let lists = numbering.devices(mode, &lists);
    Ok(lists.into_iter().filter_map(|pair| Some((*pair.first()?, *pair.get(1)?))).collect())
}

fn bad(what: &str, devices: usize) -> RunError {
    RunError::new(RunErrorKind::BadDevices, format!("{what} does not number {devices} devices"))
        .help("run the program on as many devices as it was made for")
}
