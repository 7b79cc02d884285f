//! Replica groups: `{{0,1},{2,3}}`, `[2,4]<=[4,2]T(1,0)`, `mesh['x'=4,'y'=2] {'x'}`, with or without a device order.

use super::inst::{InstText, bad, int_list, int_lists};
use super::lex::{Piece, Read, fault};
use super::line::braces;
use crate::codes;
use meshwright_base::Id;
use meshwright_base::arrange::Arrange;
use meshwright_ir::Module;
use meshwright_ir::op::Groups;
use meshwright_shard::{
    AxisRef, DimSharding, HloSharding, HloShardingKind, Mesh, MeshId, Sharding, parse_hlo_sharding,
};

/// Groups as the text has them; a mesh is not yet one of the module's.
pub(super) enum RawGroups {
    Plain(Groups),
    Axes(Mesh, Vec<AxisRef>),
}

pub(super) fn read(text: &mut InstText<'_, '_>) -> Read<RawGroups> {
    let Some(piece) = text.get("replica_groups") else { return Ok(RawGroups::Plain(Groups::All)) };
    if piece.str.starts_with("mesh") {
        return read_axes(piece, text.get("device_ids"));
    }
    if piece.str.starts_with('[') {
        return read_iota(piece).map(RawGroups::Plain);
    }
    let lists = int_lists(piece)?.iter().map(|list| devices(list, piece)).collect::<Read<Vec<_>>>()?;
    Ok(RawGroups::Plain(if lists.is_empty() { Groups::All } else { Groups::List(lists) }))
}

/// Device numbers; -1 only fills up.
fn devices(list: &[i64], piece: Piece<'_>) -> Read<Vec<u32>> {
    let real = list.iter().filter(|device| **device != -1);
    real.map(|device| u32::try_from(*device).map_err(|_| bad(piece, "device numbers"))).collect()
}

/// `[2,4]<=[4,2]T(1,0)`.
fn read_iota(piece: Piece<'_>) -> Read<Groups> {
    let wrong = || bad(piece, "groups like `[2,4]<=[4,2]T(1,0)`");
    let mut cursor = piece.cursor();
    let shape = int_list(cursor.brackets()?)?;
    if !cursor.eat_str("<=") {
        return Err(wrong());
    }
    let reshape = int_list(cursor.brackets()?)?;
    let mut transpose: Vec<usize> = (0..reshape.len()).collect();
    if cursor.eat(b'T') {
        let order = cursor.brackets()?.inside('(', ')').ok_or_else(wrong)?;
        let order = order.str.split(',').map(|dim| dim.trim().parse().map_err(|_| wrong()));
        transpose = order.collect::<Read<_>>()?;
    }
    let product = |dims: &[i64]| dims.iter().try_fold(1i64, |all, dim| all.checked_mul(*dim));
    let mut sorted = transpose.clone();
    sorted.arrange();
    let fits = product(&shape) == product(&reshape) && sorted.into_iter().eq(0..reshape.len());
    match shape[..] {
        [groups, size] if fits && groups > 0 && size > 0 => {
            Ok(Groups::Iota { groups, size, reshape, transpose })
        }
        _ => Err(wrong()),
    }
}

/// `mesh['x'=4,'y'=2] {'x'}`, or `mesh[..]` and `device_ids=(..) {'x'}`: read by way of a sharding in that form.
fn read_axes(piece: Piece<'_>, order: Option<Piece<'_>>) -> Read<RawGroups> {
    let (mesh, axes) = match order {
        None => piece.str.split_once(']').map(|(mesh, axes)| (format!("{mesh}]"), axes)),
        Some(order) => order.str.find('{').map(|at| {
            let (order, axes) = order.str.split_at(at);
            (format!("{}, device_ids={}", piece.str, order.trim_end()), axes)
        }),
    }
    .ok_or_else(|| bad(piece, "a mesh and axes"))?;
    let text = format!("{{{mesh}, [{}]}}", axes.trim());
    // The text was put together, so that its own spans mean nothing.
    let (mesh, sharding) = match parse_hlo_sharding(&text, 0) {
        Ok(HloSharding { kind: HloShardingKind::Named(named), .. }) => *named,
        other => {
            let reason = other.err().map_or("they name no mesh".to_string(), |error| error.message);
            let message = format!("replica groups do not read: {reason}");
            return Err(fault(codes::BAD_ATTRIBUTE, piece.span(), message));
        }
    };
    let axes = sharding.dims.into_iter().next().map(|dim| dim.axes).unwrap_or_default();
    Ok(RawGroups::Axes(mesh, axes))
}

/// `, replica_groups=..`.
pub(super) fn print(module: &Module, groups: &Groups) -> String {
    match groups {
        Groups::All => "{}".to_string(),
        Groups::List(lists) => {
            let lists: Vec<_> = lists.iter().map(|list| braces(list)).collect();
            format!("{{{}}}", lists.join(","))
        }
        Groups::Iota { groups, size, reshape, transpose } => {
            let order = if transpose.iter().copied().eq(0..transpose.len()) {
                String::new()
            } else {
                format!("T({})", list(transpose))
            };
            format!("[{groups},{size}]<=[{}]{order}", list(reshape))
        }
        Groups::Axes { mesh, axes } => print_axes(module, *mesh, axes),
    }
}

fn list<T: std::fmt::Display>(items: &[T]) -> String {
    items.iter().map(T::to_string).collect::<Vec<_>>().join(",")
}

/// A sharding in the named form, its brackets taken off.
fn print_axes(module: &Module, mesh: MeshId, axes: &[AxisRef]) -> String {
    let Some(mesh) = module.meshes.get(mesh) else { return "{}".to_string() };
    let mut sharding = Sharding::replicated(MeshId::from_index(0), 0);
    sharding.dims.push(DimSharding::closed(axes.to_vec()));
    let mesh = Mesh { name: "mesh".into(), ..mesh.clone() };
    let text = HloSharding::new(HloShardingKind::Named(Box::new((mesh, sharding)))).to_string();
    let parts = text
        .strip_prefix('{')
        .and_then(|text| text.strip_suffix("]}"))
        .and_then(|text| text.rsplit_once(", ["));
    parts.map_or(text.clone(), |(mesh, axes)| format!("{mesh} {}", axes.replace(", ", ",")))
}
