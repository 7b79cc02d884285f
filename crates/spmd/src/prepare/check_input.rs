//! Collectives of the input that would exchange pieces of a global value.
//!
//! Outside of manual regions it is the planner's to choose what a device holds, so what devices would exchange is no
//! fact of the program. Inside, devices may exchange along the axes that the region is manual over; and a value that is
//! not split is the same on all. The same device of other replicas holds the same piece of another value.

use crate::axes::any_overlap;
use crate::reshard::sharding_of;
use meshwright_base::{Code, Diagnostic};
use meshwright_ir::op::{Collective, CollectiveKind, Groups, Mode, Numbering};
use meshwright_ir::{Function, InstId, Module, Op, ValueId};
use meshwright_shard::sdy_text::print_axes;
use meshwright_shard::{AxisRef, DeviceId, Mesh, MeshId, groups};

/// Refuse collectives that exchange what the program does not know.
pub fn check(module: &Module) -> Result<(), Vec<Diagnostic>> {
    let of =
        |func| Function::insts_in_order(func).into_iter().filter_map(move |inst| wrong(module, func, inst));
    let errors: Vec<Diagnostic> = module.funcs.values().flat_map(of).collect();
    if errors.is_empty() { Ok(()) } else { Err(errors) }
}

fn wrong(module: &Module, func: &Function, inst: InstId) -> Option<Diagnostic> {
    let info = func.inst(inst);
    let Op::Collective(op) = &info.op else { return None };
    let split = info.operands.iter().find_map(|value| split(module, func, *value))?;
    if stays_beside(module, op, &split) {
        return None;
    }
    let name = |value: ValueId| match &func.value(value).name {
        Some(name) => format!("`%{name}`"),
        None => "a value without a name".to_string(),
    };
    let axes = print_axes(&split.axes, split.mesh);
    let message = format!(
        "{} {} would exchange pieces of {}, which is split over {axes}",
        info.results.first().map(|value| name(*value)).unwrap_or_default(),
        info.op.mnemonic(),
        name(split.value),
    );
    let help = "put it into a manual computation over these axes, or leave it out: what devices have to exchange follows \
                from the shardings";
    let made = func.def_inst(split.value).and_then(|inst| module.place(func.inst(inst).source));
    let error = Diagnostic::error(Code(550), message).at_place(module.place(info.source)).help(help);
    Some(error.label(made, format!("{} is made here", name(split.value))))
}

/// A value that devices hold pieces of.
struct Split<'m> {
    value: ValueId,
    id: MeshId,
    mesh: &'m Mesh,
    axes: Vec<AxisRef>,
}

fn split<'m>(module: &'m Module, func: &Function, value: ValueId) -> Option<Split<'m>> {
    let sharding = sharding_of(func, value)?;
    let axes: Vec<AxisRef> = sharding.dims.iter().flat_map(|dim| dim.axes.clone()).collect();
    let id = sharding.mesh;
    (!axes.is_empty()).then_some(Split { value, id, mesh: module.meshes.get(id)?, axes })
}

/// Whether all who take part together hold the same piece.
fn stays_beside(module: &Module, op: &Collective, split: &Split<'_>) -> bool {
    let pieces = groups(split.mesh, &split.axes);
    let same = |a: DeviceId, b: DeviceId| pieces.place_of(a) == pieces.place_of(b);
    match &op.groups {
        Groups::Axes { mesh, axes } if *mesh == split.id => !any_overlap(axes, &split.axes),
        // Their axes are others: who meets has to be asked device by device.
        Groups::Axes { mesh, axes } => module.meshes.get(*mesh).is_some_and(|mesh| {
            groups(mesh, axes).iter().all(|group| {
                let mut members = group.into_iter();
                let first = members.next();
                members.all(|member| first.is_some_and(|first| same(first, member)))
            })
        }),
        Groups::All | Groups::List(_) | Groups::Iota { .. } => {
            let meeting = meeting(module, op, split.mesh.device_count());
            meeting.is_some_and(|lists| {
                lists.iter().all(|list| list.windows(2).all(|pair| same(pair[0], pair[1])))
            })
        }
    }
}

/// Which devices of a mesh meet by their numbers, or send to each other, in any replica.
fn meeting(module: &Module, op: &Collective, devices: i64) -> Option<Vec<Vec<DeviceId>>> {
    let replicas = usize::try_from(module.num_replicas.unwrap_or(1)).ok()?.max(1);
    let partitions = usize::try_from(devices).ok().filter(|count| *count > 0)?;
    let all = partitions.checked_mul(replicas)?;
    let lists = match &op.kind {
        CollectiveKind::Permute { pairs } if pairs.is_empty() => return Some(Vec::new()),
        CollectiveKind::Permute { pairs } => pairs.iter().map(|pair| vec![pair.0, pair.1]).collect(),
        _ => op.groups.lists(all)?,
    };
    let lists = Numbering::of_global(module, all).devices(Mode::of(&op.kind, op.channel), &lists);
    let partition = |device: usize| u32::try_from(device % partitions).ok().map(DeviceId::new);
    lists.iter().map(|list| list.iter().map(|device| partition(*device)).collect()).collect()
}
