//! Printing HLO shardings as XLA does.

use crate::axis_text::{self, Quote};
use crate::digits;
use crate::hlo::{HloSharding, HloShardingKind, ShardGroup, Subgroup, TileDevices};
use crate::mesh::{AxisRef, DeviceId, Mesh};
use crate::sharding::{Reducer, Sharding};
use std::fmt::{self, Display, Formatter};

impl Display for HloSharding {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str("{")?;
        let separator = match &self.kind {
            HloShardingKind::Named(_) => ", ",
            _ => " ",
        };
        print_kind(f, &self.kind)?;
        match self.group {
            None => {}
            Some(ShardGroup::As(group)) => write!(f, " shard_as {group}")?,
            Some(ShardGroup::Like(group)) => write!(f, " shard_like {group}")?,
        }
        print_metadata(f, &self.metadata, separator)?;
        f.write_str("}")
    }
}

/// The named form writes a list even for one entry.
fn print_metadata(f: &mut Formatter<'_>, entries: &[String], separator: &str) -> fmt::Result {
    match entries {
        [] => Ok(()),
        [entry] if separator == " " => write!(f, " metadata={{{entry}}}"),
        entries => write!(f, "{separator}metadata={{{{{}}}}}", entries.join("}, {")),
    }
}

fn print_kind(f: &mut Formatter<'_>, kind: &HloShardingKind) -> fmt::Result {
    match kind {
        HloShardingKind::Replicated => f.write_str("replicated"),
        HloShardingKind::Manual => f.write_str("manual"),
        HloShardingKind::Unknown => f.write_str("unknown"),
        HloShardingKind::Unreduced => f.write_str("unreduced"),
        HloShardingKind::Maximal { device } => write!(f, "maximal device={device}"),
        HloShardingKind::Tiled { tiles, devices, subgroups, last_tile_dim_replicate } => {
            let sign = if matches!(devices, TileDevices::Iota { .. }) { "<=" } else { "" };
            write!(f, "devices=[{}]{sign}{devices}", Commas(tiles))?;
            print_subgroups(f, subgroups, *last_tile_dim_replicate)
        }
        HloShardingKind::Tuple(leaves) => print_tuple(f, leaves),
        HloShardingKind::Named(named) => print_named(f, &named.0, &named.1),
    }
}

fn print_subgroups(f: &mut Formatter<'_>, subgroups: &[Subgroup], replicate: bool) -> fmt::Result {
    if replicate {
        return f.write_str(" last_tile_dim_replicate");
    }
    if subgroups.is_empty() {
        return Ok(());
    }
    let word = |subgroup: &Subgroup| match subgroup {
        Subgroup::Replicated => "replicated",
        Subgroup::Manual => "manual",
        Subgroup::Unreduced => "unreduced",
    };
    let words: Vec<_> = subgroups.iter().map(word).collect();
    write!(f, " last_tile_dims={{{}}}", words.join(", "))
}

/// Every fifth leaf is numbered, as XLA does in long tuples.
fn print_tuple(f: &mut Formatter<'_>, leaves: &[HloSharding]) -> fmt::Result {
    for (index, leaf) in leaves.iter().enumerate() {
        match index {
            0 => {}
            index if index % 5 == 0 => write!(f, ", /*index={index}*/")?,
            _ => f.write_str(", ")?,
        }
        write!(f, "{leaf}")?;
    }
    Ok(())
}

fn print_named(f: &mut Formatter<'_>, mesh: &Mesh, sharding: &Sharding) -> fmt::Result {
    if mesh.is_maximal() {
        return write!(f, "{}[device_id={}]", mesh.name, mesh.device_at(0).map_or(0, DeviceId::number));
    }
    f.write_str("mesh[")?;
    for (index, axis) in mesh.axes.values().enumerate() {
        f.write_str(if index == 0 { "" } else { "," })?;
        axis_text::write_mesh_axis(f, axis, Quote::Single)?;
    }
    f.write_str("]")?;
    print_device_ids(f, mesh)?;
    match everything(mesh, sharding) {
        Some(word) => write!(f, ", {word}"),
        None => print_parts(f, mesh, sharding),
    }
}

/// The one word that says all of a sharding without dims.
fn everything(mesh: &Mesh, sharding: &Sharding) -> Option<&'static str> {
    let Sharding { dims, replicated, partial, manual, .. } = sharding;
    if !dims.is_empty() || !replicated.is_empty() {
        return None;
    }
    let all = |axes: &[AxisRef]| !axes.is_empty() && axes == mesh.whole_axes();
    match (partial.is_empty(), manual.is_empty()) {
        (true, true) => Some("replicated"),
        (true, false) if all(manual) => Some("manual"),
        (false, true) if all(partial) && sharding.reducer == Reducer::Sum => Some("unreduced"),
        _ => None,
    }
}

fn print_parts(f: &mut Formatter<'_>, mesh: &Mesh, sharding: &Sharding) -> fmt::Result {
    f.write_str(", ")?;
    axis_text::write_dims(f, mesh, &sharding.dims, Quote::Single)?;
    let partial = format!(", unreduced={}", axis_text::reducer_prefix(sharding.reducer));
    let lists = [
        (", replicated=", &sharding.replicated),
        (partial.as_str(), &sharding.partial),
        (", manual=", &sharding.manual),
    ];
    for (word, axes) in lists.into_iter().filter(|(_, axes)| !axes.is_empty()) {
        f.write_str(word)?;
        axis_text::write_axes(f, mesh, axes, Quote::Single)?;
    }
    Ok(())
}

fn print_device_ids(f: &mut Formatter<'_>, mesh: &Mesh) -> fmt::Result {
    let Some(order) = &mesh.order else { return Ok(()) };
    let device = |position: i64| order.get(position as usize).map_or(-1, |device| i64::from(*device));
    match digits::recognize(order.len() as i64, device) {
        Some(relation) => write!(f, ", device_ids=({})", digits::to_iota(&relation.values_in_order())),
        None => write!(f, ", device_ids=({})", Commas(order)),
    }
}

/// `[4,2]T(1,0)` or `0,2,1,3`.
impl Display for TileDevices {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            TileDevices::Iota { reshape, transpose } => {
                write!(f, "[{}]", Commas(reshape))?;
                let moves = transpose.iter().enumerate().any(|(at, dim)| at != *dim);
                if moves { write!(f, "T({})", Commas(transpose)) } else { Ok(()) }
            }
            TileDevices::List(devices) => write!(f, "{}", Commas(devices)),
        }
    }
}

/// Items with commas between them.
struct Commas<'a, T>(&'a [T]);

impl<T: Display> Display for Commas<'_, T> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for (index, item) in self.0.iter().enumerate() {
            f.write_str(if index == 0 { "" } else { "," })?;
            write!(f, "{item}")?;
        }
        Ok(())
    }
}
