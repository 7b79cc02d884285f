//! Shardings over some of the devices, as shardings over all of them.
//!
//! One program runs on all devices. Those that a sharding leaves out have the value too: each is put beside one of
//! those it lists, and they hold the same tile.

use crate::codes;
use crate::hlo::{HloSharding, HloShardingKind, Subgroup, TileDevices};
use crate::import::tiling::listed;
use crate::mesh::MAX_LISTED_DEVICES;
use meshwright_base::Diagnostic;
use meshwright_base::arrange::map;
use meshwright_base::arrange::set;
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

/// Whether a sharding over so many devices can be one over all of them: each has as many others beside it.
pub(super) fn check_count(count: i64, devices: i64) -> Result<(), Diagnostic> {
    let is_some = count > 0 && count < devices && devices % count == 0 && devices <= MAX_LISTED_DEVICES;
    if count == devices || is_some {
        return Ok(());
    }
    if count > devices || devices > MAX_LISTED_DEVICES {
        let message = format!("a sharding over {count} devices in a module for {devices}");
        return Err(Diagnostic::error(codes::HLO_IMPORT, message).help(
            "use the devices of the module; add a tile dim that replicates over those that hold copies",
        ));
    }
    let message = format!("a sharding over {count} of the {devices} devices of the module");
    Err(Diagnostic::error(codes::HLO_IMPORT, message)
        .note("one program runs on all devices: each one without a tile of its own holds a copy of another's")
        .help("use a number of tiles that divides the number of devices"))
}

/// The sharding with a tile dim more, that replicates over the devices it leaves out. It must have been checked.
pub(super) fn over_all(sharding: &HloSharding, devices: i64) -> Cow<'_, HloSharding> {
    let HloShardingKind::Tiled { tiles, devices: assigned, subgroups, .. } = &sharding.kind else {
        return Cow::Borrowed(sharding);
    };
    let count: i64 = tiles.iter().product();
    if count == devices {
        return Cow::Borrowed(sharding);
    }
    let Some(listed) = listed(assigned) else { return Cow::Borrowed(sharding) };
    let copies = (devices / count.max(1)) as usize;
    let known: BTreeSet<u32> = set(listed.iter().copied());
    let others: Vec<u32> = (0..devices as u32).filter(|device| !known.contains(device)).collect();
    // In order of the devices, whatever tiles they hold: shardings over the same devices then share a mesh.
    let beside: BTreeMap<u32, &[u32]> = map(known.into_iter().zip(others.chunks((copies - 1).max(1))));
    let with = |device: u32| {
        let copies = beside.get(&device).copied().unwrap_or_default();
        std::iter::once(device).chain(copies.iter().copied())
    };
    let list: Vec<u32> = listed.into_iter().flat_map(with).collect();
    let mut whole = sharding.clone();
    if let HloShardingKind::Tiled { tiles, devices: assigned, subgroups: types, .. } = &mut whole.kind {
        tiles.push(copies as i64);
        *assigned = TileDevices::List(list);
        *types = subgroups.iter().copied().chain([Subgroup::Replicated]).collect();
    }
    Cow::Owned(whole)
}
