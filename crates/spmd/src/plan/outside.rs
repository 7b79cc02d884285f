//! Collectives of the input that would exchange pieces of a global value.
//!
//! Outside of manual regions it is the planner's to choose what a device holds, so what devices would exchange is no fact
//! of the program. Inside, devices may exchange along the axes that the region is manual over; and a value that is not
//! split is the same on all. Replicas (collectives without a channel) are separate programs, and none of this.

use crate::axes::any_overlap;
use crate::reshard::sharding_of;
use meshwright_ground::{Code, Diagnostic};
use meshwright_ir::op::{Collective, CollectiveKind, Groups};
use meshwright_ir::{Function, InstId, Module, Op, ValueId};
use meshwright_shard::sdy_text::print_axes;
use meshwright_shard::{AxisRef, Mesh, MeshId, groups};

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
    // Without a channel it is replicas that exchange.
    let is_across = op.channel.id.is_some() || op.channel.use_global_device_ids;
    let split = info.operands.iter().find_map(|value| split(module, func, *value)).filter(|_| is_across)?;
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
    let same = |a: u32, b: u32| pieces.place_of(a) == pieces.place_of(b);
    if let CollectiveKind::Permute { pairs } = &op.kind {
        return pairs.iter().all(|(from, to)| same(*from, *to));
    }
    match &op.groups {
        Groups::All => false,
        Groups::List(lists) => {
            lists.iter().flat_map(|list| list.windows(2)).all(|pair| same(pair[0], pair[1]))
        }
        Groups::Iota { groups, size, reshape, transpose } => {
            let count = groups.saturating_mul(*size);
            let next = |at: i64| (device(at, reshape, transpose), device(at + 1, reshape, transpose));
            let is_last = |at: &i64| (at + 1) % size.max(&1) == 0;
            count <= split.mesh.device_count()
                && (0..count).filter(|at| !is_last(at)).map(next).all(|(a, b)| same(a, b))
        }
        Groups::Axes { mesh, axes } if *mesh == split.id => !any_overlap(axes, &split.axes),
        // Their axes are others: who meets has to be asked device by device.
        Groups::Axes { mesh, axes } => module.meshes.get(*mesh).is_some_and(|mesh| {
            groups(mesh, axes).iter().all(|group| {
                let mut members = group.into_iter();
                let first = members.next();
                members.all(|member| first.is_some_and(|first| same(first, member)))
            })
        }),
    }
}

/// The device at a position of `iota(reshape)` transposed.
fn device(mut position: i64, reshape: &[i64], transpose: &[usize]) -> u32 {
    let mut device = 0;
    for dim in transpose.iter().rev() {
        let size = reshape.get(*dim).copied().unwrap_or(1).max(1);
        let stride: i64 = reshape.iter().skip(dim + 1).product();
        device += position % size * stride;
        position /= size;
    }
    u32::try_from(device).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::device;

    #[test]
    fn positions_of_a_transposed_iota_are_devices() {
        let row = |reshape: &[i64], transpose: &[usize]| -> Vec<u32> {
            (0..6).map(|at| device(at, reshape, transpose)).collect()
        };
        assert_eq!(row(&[6], &[0]), [0, 1, 2, 3, 4, 5]);
        assert_eq!(row(&[2, 3], &[1, 0]), [0, 3, 1, 4, 2, 5]);
    }
}
