//! Collectives between simulated devices, for real.
//!
//! A sum is taken in ascending position in its group, in the type that adds up, and rounded once. A collective runs
//! only if every member of a group has come to it.

use crate::convert::by_value;
use crate::fault::{BAD_DEVICES, DIVERGED, Fault};
use crate::lanes::{Device, Lanes};
use crate::machine::Site;
use crate::movement;
use crate::reduce::{fold, plain_dtype, put};
use crate::region::Applier;
use crate::tensor::{Data, Scalar, Tensor};
use crate::view::View;
use meshwright_base::{Id, IdMap};
use meshwright_ir::Dim;
use meshwright_ir::groups::{device_groups, device_pairs};
use meshwright_ir::op::collective::{Collective, CollectiveKind};

pub(crate) fn eval(op: &Collective, site: &mut Site<'_, '_>, args: Vec<Lanes>) -> Result<Vec<Lanes>, Fault> {
    if let CollectiveKind::Permute { pairs } = &op.kind {
        return permute(op, pairs, site, args);
    }
    let groups = device_groups(site.machine.module, op, site.machine.numbering)?;
    let count = site.frame.func.inst(site.inst).results.len();
    let mut results = vec![site.no_lanes(); count];
    let mut done: IdMap<Device, bool> = IdMap::filled(site.machine.devices, false);
    for group in groups {
        let group: Vec<Device> = group.into_iter().map(Device::from_index).collect();
        if !all_here(&group, site.active)? {
            continue;
        }
        join(op, site, &group, &args, &mut results)?;
        group.iter().for_each(|device| done[*device] = true);
    }
    match site.active.iter().find(|device| !done[**device]) {
        Some(device) => Err(Fault::new(BAD_DEVICES, format!("device {device} is in none of the groups"))
            .help("every device that runs a collective must be in one of its groups")),
        None => Ok(results),
    }
}

/// Whether a group takes part: all of its members or none may have come here.
fn all_here(group: &[Device], active: &[Device]) -> Result<bool, Fault> {
    let (here, away): (Vec<Device>, Vec<Device>) = group.iter().partition(|device| active.contains(device));
    match (here.is_empty(), away.is_empty()) {
        (true, _) => Ok(false),
        (false, true) => Ok(true),
        (false, false) => Err(diverged(&here, &away)),
    }
}

fn diverged(here: &[Device], away: &[Device]) -> Fault {
    let message = format!("{} here, {} went another way", waits(here), list(away));
    Fault::new(DIVERGED, message)
        .help("make the loop or branch condition around it the same on all devices of the group")
}

fn waits(devices: &[Device]) -> String {
    format!("{} {}", list(devices), if devices.len() == 1 { "waits" } else { "wait" })
}

fn list(devices: &[Device]) -> String {
    let shown: Vec<String> = devices.iter().take(16).map(Device::to_string).collect();
    let more = if devices.len() > 16 { format!(" and {} more", devices.len() - 16) } else { String::new() };
    format!("{} {}{more}", if devices.len() == 1 { "device" } else { "devices" }, shown.join(","))
}

/// One operand of each member, in order of position.
fn members(lanes: &Lanes, group: &[Device]) -> Result<Vec<Tensor>, Fault> {
    group.iter().map(|device| lanes.tensor(*device).cloned()).collect()
}

/// Run the collective for one group.
fn join(
    op: &Collective,
    site: &mut Site<'_, '_>,
    group: &[Device],
    args: &[Lanes],
    results: &mut [Lanes],
) -> Result<(), Fault> {
    match &op.kind {
        CollectiveKind::AllReduce => all_reduce(op, site, group, args, results),
        CollectiveKind::ReduceScatter { dim } => {
            reduce_scatter(op, Dim::new(*dim), site, group, args, results)
        }
        CollectiveKind::AllGather { dim } => all_gather(Dim::new(*dim), site, group, args, results),
        CollectiveKind::AllToAll { split_dim, concat_dim, split_count: _ } => {
            all_to_all(Dim::new(*split_dim), Dim::new(*concat_dim), site, group, args, results)
        }
        CollectiveKind::AllToAllTuple => exchange(site, group, args, results),
        CollectiveKind::Broadcast => broadcast(group, args, results),
        // Has pairs instead of groups.
        CollectiveKind::Permute { .. } => Ok(()),
    }
}

fn all_reduce(
    op: &Collective,
    site: &mut Site<'_, '_>,
    group: &[Device],
    args: &[Lanes],
    results: &mut [Lanes],
) -> Result<(), Fault> {
    for (i, sum) in reduce(op, site, group, args)?.into_iter().enumerate() {
        let sum = site.tensor(i, sum.into_data())?;
        group.iter().for_each(|device| give(results, i, *device, sum.clone()));
    }
    Ok(())
}

fn reduce_scatter(
    op: &Collective,
    dim: Dim,
    site: &mut Site<'_, '_>,
    group: &[Device],
    args: &[Lanes],
    results: &mut [Lanes],
) -> Result<(), Fault> {
    for (i, sum) in reduce(op, site, group, args)?.into_iter().enumerate() {
        for (position, device) in group.iter().enumerate() {
            let piece = piece(&sum, dim, position, group.len())?;
            give(results, i, *device, site.tensor(i, piece.into_data())?);
        }
    }
    Ok(())
}

fn all_gather(
    dim: Dim,
    site: &Site<'_, '_>,
    group: &[Device],
    args: &[Lanes],
    results: &mut [Lanes],
) -> Result<(), Fault> {
    for (i, lanes) in args.iter().enumerate() {
        let whole = site.tensor(i, movement::join(&members(lanes, group)?, dim)?)?;
        group.iter().for_each(|device| give(results, i, *device, whole.clone()));
    }
    Ok(())
}

fn all_to_all(
    split_dim: Dim,
    concat_dim: Dim,
    site: &Site<'_, '_>,
    group: &[Device],
    args: &[Lanes],
    results: &mut [Lanes],
) -> Result<(), Fault> {
    for (i, lanes) in args.iter().enumerate() {
        let parts = members(lanes, group)?;
        for (position, device) in group.iter().enumerate() {
            let mine = parts.iter().map(|part| piece(part, split_dim, position, group.len()));
            let mine = mine.collect::<Result<Vec<_>, _>>()?;
            give(results, i, *device, site.tensor(i, movement::join(&mine, concat_dim)?)?);
        }
    }
    Ok(())
}

fn broadcast(group: &[Device], args: &[Lanes], results: &mut [Lanes]) -> Result<(), Fault> {
    for (i, lanes) in args.iter().enumerate() {
        let first = group.first().ok_or_else(|| Fault::unsound("has an empty group"))?;
        let first = lanes.tensor(*first)?;
        group.iter().for_each(|device| give(results, i, *device, first.clone()));
    }
    Ok(())
}

fn give(results: &mut [Lanes], index: usize, device: Device, tensor: Tensor) {
    if let Some(lanes) = results.get_mut(index) {
        lanes.put_tensor(device, tensor);
    }
}

/// Piece `index` of `count` equal ones along a dim.
fn piece(x: &Tensor, dim: Dim, index: usize, count: usize) -> Result<Tensor, Fault> {
    let size =
        x.dims().get(dim.index()).copied().ok_or_else(|| Fault::unsound(format!("has no dim {dim}")))?;
    if size % count as i64 != 0 {
        let message = format!("dim {dim} of {} does not divide among {count} devices", x.ty());
        return Err(Fault::new(BAD_DEVICES, message));
    }
    let share = size / count as i64;
    movement::window(x, dim, share * index as i64, share)
}

/// Result `i` of a device is the operand that member `i` has for it.
fn exchange(
    site: &Site<'_, '_>,
    group: &[Device],
    args: &[Lanes],
    results: &mut [Lanes],
) -> Result<(), Fault> {
    if args.len() != group.len() {
        let message = format!("has {} operands for a group of {}", args.len(), group.len());
        return Err(Fault::new(BAD_DEVICES, message));
    }
    for (position, device) in group.iter().enumerate() {
        for (i, sent) in members(&args[position], group)?.into_iter().enumerate() {
            give(results, i, *device, site.tensor(i, sent.into_data())?);
        }
    }
    Ok(())
}

/// Combine each operand over the group.
fn reduce(
    op: &Collective,
    site: &mut Site<'_, '_>,
    group: &[Device],
    args: &[Lanes],
) -> Result<Vec<Tensor>, Fault> {
    let reducer = site.frame.func.region_reducer(site.region(0)?);
    let mut parts = Vec::new();
    for lanes in args {
        parts.push(members(lanes, group)?);
    }
    let plain =
        reducer.filter(|reducer| parts.iter().flatten().all(|part| plain_dtype(*reducer, part.dtype())));
    let Some(reducer) = plain else { return reduce_by_region(site, group, &parts) };
    let mut sums = Vec::new();
    for parts in &parts {
        let (first, others) = parts.split_first().ok_or_else(|| Fault::unsound("has an empty group"))?;
        let wide = op.wide.filter(|wide| wide.class() == first.dtype().class());
        let wide = wide.unwrap_or(first.dtype().accumulator());
        let view = View::whole(first.dims());
        let mut sum = by_value(first.data(), wide);
        for part in others {
            fold(reducer, wide, &mut sum, &view, part.data(), &view)?;
        }
        let sum = Tensor::new(first.ty().clone(), by_value(&sum, first.dtype()));
        sums.push(sum.ok_or_else(|| Fault::unsound("members differ in shape"))?);
    }
    Ok(sums)
}

/// With any computation, element by element, in order of position.
fn reduce_by_region(
    site: &mut Site<'_, '_>,
    group: &[Device],
    parts: &[Vec<Tensor>],
) -> Result<Vec<Tensor>, Fault> {
    let mut applier = Applier::new(site, 0, group[0])?;
    let (mut args, mut out): (Vec<Scalar>, Vec<Scalar>) = (Vec::new(), Vec::new());
    let mut sums = Vec::new();
    for parts in parts {
        let first = &parts[0];
        let mut sum = vec![first.data().clone()];
        for part in &parts[1..] {
            for i in 0..first.len() {
                args.clear();
                args.extend(sum[0].get(i));
                args.extend(part.get(i));
                applier.apply(site, &args, &mut out)?;
                put(&mut sum, i, &out);
            }
        }
        let data = sum.pop().unwrap_or(Data::Pred(Vec::new()));
        let sum = Tensor::new(first.ty().clone(), data);
        sums.push(sum.ok_or_else(|| Fault::unsound("members differ in shape"))?);
    }
    Ok(sums)
}

fn permute(
    op: &Collective,
    pairs: &[(u32, u32)],
    site: &Site<'_, '_>,
    args: Vec<Lanes>,
) -> Result<Vec<Lanes>, Fault> {
    let pairs = device_pairs(pairs, op.channel, site.machine.numbering)?;
    let device = Device::from_index;
    let pairs: Vec<_> = pairs.into_iter().map(|(source, target)| (device(source), device(target))).collect();
    let mut results = vec![site.no_lanes(); args.len()];
    for (i, lanes) in args.iter().enumerate() {
        for device in site.active {
            let own = lanes.tensor(*device)?;
            let zeros = Data::zeros(own.dtype().class(), own.len());
            give(&mut results, i, *device, site.tensor(i, zeros)?);
        }
        for (source, target) in &pairs {
            if all_here(&[*source, *target], site.active)? {
                give(&mut results, i, *target, lanes.tensor(*source)?.clone());
            }
        }
    }
    Ok(results)
}
