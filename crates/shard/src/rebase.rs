//! The same split over another mesh of the same devices.
//!
//! Axes of two meshes have common sub-axes where both read the same digits of the device number:
//!
//! ```text
//! [{"x"}, {"y"}] on <["x"=4, "y"=2]>   =   [{"all":(1)4}, {"all":(4)2}] on <["all"=8]>
//! ```
//! also when one mesh lists its devices in a transposed order. Sizes with no common refinement (2x3 and 3x2) have none.

use crate::axis;
use crate::codes;
use crate::digits::{self, Relation};
use crate::merge::merge;
use crate::mesh::{AxisRef, Mesh};
use crate::sharding::{DimSharding, Sharding};
use meshwright_base::Diagnostic;

/// `sharding` over the mesh `to`, such that every device keeps its slice. `None` if axes of `to` cannot say it.
///
/// The mesh id of the result is still that of `sharding`; set it to that of `to`.
pub fn rebase(sharding: &Sharding, from: &Mesh, to: &Mesh) -> Option<Sharding> {
    let relation = digits::relate(from, to)?;
    let list = |axes: &[AxisRef]| rebase_by(&relation, axes, from, to);
    let set = |axes: &[AxisRef]| list(axes).map(|axes| axis::canonical_set(&axes));
    let dims: Option<_> = sharding
        .dims
        .iter()
        .map(|dim| Some(DimSharding { axes: list(&dim.axes)?, open: dim.open, priority: dim.priority }))
        .collect();
    Some(Sharding {
        mesh: sharding.mesh,
        dims: dims?,
        replicated: set(&sharding.replicated)?,
        partial: set(&sharding.partial)?,
        reducer: sharding.reducer,
        manual: set(&sharding.manual)?,
    })
}

/// The axes of `to` that number devices as `axes` of `from` do, in the same order.
pub fn rebase_axes(axes: &[AxisRef], from: &Mesh, to: &Mesh) -> Option<Vec<AxisRef>> {
    rebase_by(&digits::relate(from, to)?, axes, from, to)
}

fn rebase_by(relation: &Relation, axes: &[AxisRef], from: &Mesh, to: &Mesh) -> Option<Vec<AxisRef>> {
    digits::to_axes(to, &relation.map_all(&digits::of_axes(from, axes))?)
}

/// A mesh over which every sharding of any of `meshes` can be written with whole axes. `None` if they hold different
/// devices, or their axes or orders have no common refinement.
///
/// It is one of `meshes` if that will do. Axes keep their names from the first mesh that has them whole; pieces are
/// called `x_0`, `x_1`, .. after the axis of the first mesh they are cut from.
pub fn common_mesh(meshes: &[&Mesh]) -> Option<Mesh> {
    let all: Vec<(&Mesh, Vec<AxisRef>)> = meshes.iter().map(|mesh| (*mesh, mesh.whole_axes())).collect();
    common_mesh_of(&all)
}

/// The same where only these axes, or pieces of axes, of each mesh have to be written. Sizes that have no common
/// refinement (2x3 and 3x2) do not matter as long as no sharding needs both.
pub fn common_mesh_of(uses: &[(&Mesh, Vec<AxisRef>)]) -> Option<Mesh> {
    let meshes: Vec<&Mesh> = uses.iter().map(|(mesh, _)| *mesh).collect();
    let base = meshes.iter().find(|mesh| mesh.order.is_none()).or(meshes.first())?;
    let mut cuts = vec![1, base.device_count()];
    for (mesh, axes) in uses {
        let relation = digits::relate(mesh, base)?;
        for axis in axes.iter().filter(|axis| axis.size > 1) {
            let parts = relation.map(digits::of_axis(mesh, *axis))?;
            cuts.extend(parts.iter().flat_map(|part| [part.stride, part.end()]));
        }
    }
    let cuts = digits::chain(cuts)?;
    let has_all = |mesh: &&&Mesh| {
        let own = cuts_of(mesh);
        mesh.order == base.order && cuts.iter().all(|cut| own.contains(cut))
    };
    if let Some(mesh) = meshes.iter().find(has_all) {
        return Some((*mesh).clone());
    }
    let order = base.order.as_ref().map(|order| order.to_vec());
    Mesh::new("common", named_axes(base, &meshes, &cuts), order).ok()
}

/// The sharding that refines both, over a mesh that can write both. `None` if there is none by common sub-axes.
///
/// The mesh id of the result is that of `a`; set it to that of the mesh.
pub fn merge_across(a: &Sharding, mesh_a: &Mesh, b: &Sharding, mesh_b: &Mesh) -> Option<(Sharding, Mesh)> {
    let home = common_mesh_of(&[(mesh_a, a.all_axes().collect()), (mesh_b, b.all_axes().collect())])?;
    let there = rebase(a, mesh_a, &home)?;
    let other = Sharding { mesh: there.mesh, ..rebase(b, mesh_b, &home)? };
    Some((merge(&there, &other)?, home))
}

fn cuts_of(mesh: &Mesh) -> Vec<i64> {
    let digits = digits::of_axes(mesh, &mesh.whole_axes());
    digits::chain(digits.iter().flat_map(|digit| [digit.stride, digit.end()]).chain([1])).unwrap_or_default()
}

/// One axis between every two cuts of the positions of `base`, major first.
fn named_axes(base: &Mesh, meshes: &[&Mesh], cuts: &[i64]) -> Vec<(String, i64)> {
    let mut axes: Vec<(String, i64)> = Vec::new();
    for pair in cuts.windows(2).rev() {
        let digit = digits::Digit { stride: pair[0], size: pair[1] / pair[0] };
        let whole = meshes.iter().find_map(|mesh| whole_axis(base, mesh, digit));
        let name = whole.unwrap_or_else(|| piece_name(base, digit, &axes));
        axes.push((free_name(name, &axes), digit.size));
    }
    axes
}

/// The name of the axis of `mesh` that reads this digit of the positions of `base`.
fn whole_axis(base: &Mesh, mesh: &Mesh, digit: digits::Digit) -> Option<String> {
    let [axis] = digits::to_axes(mesh, &digits::relate(base, mesh)?.map(digit)?)?[..] else { return None };
    (axis == mesh.whole(axis.axis)).then(|| mesh.axes[axis.axis].name.to_string())
}

fn piece_name(base: &Mesh, digit: digits::Digit, taken: &[(String, i64)]) -> String {
    let axis = digits::to_axes(base, &[digit]).and_then(|axes| axes.first().copied());
    let stem = axis.map_or("axis".to_string(), |axis| base.axes[axis.axis].name.to_string());
    let number = taken.iter().filter(|(name, _)| name.starts_with(&format!("{stem}_"))).count();
    format!("{stem}_{number}")
}

fn free_name(mut name: String, taken: &[(String, i64)]) -> String {
    while taken.iter().any(|(known, _)| *known == name) {
        name.push('_');
    }
    name
}

/// Why there is no common mesh, for a message.
pub fn no_common_mesh(a: &Mesh, b: &Mesh) -> Diagnostic {
    let sizes = |mesh: &Mesh| {
        let sizes: Vec<_> = mesh.axes.values().map(|axis| axis.size.to_string()).collect();
        format!("`{}` ({})", mesh.name, sizes.join("x"))
    };
    let message = format!("meshes {} and {} have no common sub-axes", sizes(a), sizes(b));
    Diagnostic::error(codes::NO_COMMON_MESH, message)
        .help("use one mesh for values that meet in one op, or meshes whose sizes divide each other")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::Meshes;
    use crate::sdy_text::{MeshScope, parse_mesh, parse_sharding, print_mesh, print_sharding};

    fn rebased(from: &str, sharding: &str, to: &str) -> Option<String> {
        let mut meshes = Meshes::new();
        let from = meshes.push(parse_mesh(from, 0, "from").unwrap());
        let to = meshes.push(parse_mesh(to, 0, "to").unwrap());
        let mut scope = MeshScope { meshes: &mut meshes, by_name: &|_| Some(from) };
        let sharding = parse_sharding(&format!("<@from, {sharding}>"), 0, &mut scope).unwrap();
        let there = rebase(&sharding, &meshes[from], &meshes[to])?;
        Some(print_sharding(&Sharding { mesh: to, ..there }, &meshes))
    }

    const SQUARE: &str = "<[\"x\"=4, \"y\"=2]>";
    const FLAT: &str = "<[\"all\"=8]>";

    #[test]
    fn axes_become_pieces_and_pieces_axes() {
        assert_eq!(
            rebased(SQUARE, "[{\"y\", ?}, {\"x\"}p2]", FLAT).unwrap(),
            "<@to, [{\"all\":(4)2, ?}, {\"all\":(1)4}p2]>"
        );
        assert_eq!(
            rebased(FLAT, "[{\"all\":(2)4}], unreduced=max{\"all\":(1)2}", SQUARE).unwrap(),
            "<@to, [{\"x\":(2)2, \"y\"}], unreduced=max{\"x\":(1)2}>"
        );
    }

    #[test]
    fn a_transposed_order_is_seen_through() {
        let turned = "<[\"b\"=2, \"a\"=4], device_ids=[0, 2, 4, 6, 1, 3, 5, 7]>";
        assert_eq!(rebased(SQUARE, "[{\"x\"}, {\"y\"}]", turned).unwrap(), "<@to, [{\"a\"}, {\"b\"}]>");
        assert_eq!(rebased(turned, "[{\"b\", \"a\"}]", SQUARE).unwrap(), "<@to, [{\"y\", \"x\"}]>");
    }

    #[test]
    fn meshes_without_common_sub_axes_have_no_common_form() {
        let (wide, tall) = ("<[\"x\"=2, \"y\"=3]>", "<[\"x\"=3, \"y\"=2]>");
        assert_eq!(rebased(wide, "[{\"x\"}]", tall), None);
        assert_eq!(rebased(wide, "[{\"x\", \"y\"}]", tall).unwrap(), "<@to, [{\"x\", \"y\"}]>");
        assert_eq!(rebased(wide, "[{}]", FLAT), None);
        assert_eq!(
            rebased("<[\"x\"=2, \"y\"=2], device_ids=[0, 1, 3, 2]>", "[{\"x\"}]", "<[\"x\"=4]>"),
            None
        );
    }

    fn common(texts: &[&str]) -> Option<String> {
        let meshes: Vec<_> = texts.iter().map(|text| parse_mesh(text, 0, "m").unwrap()).collect();
        common_mesh(&meshes.iter().collect::<Vec<_>>()).map(|mesh| print_mesh(&mesh))
    }

    #[test]
    fn the_common_mesh_cuts_wherever_one_of_them_does() {
        assert_eq!(common(&[FLAT, SQUARE]).unwrap(), SQUARE);
        assert_eq!(
            common(&["<[\"a\"=4, \"b\"=4]>", "<[\"c\"=2, \"d\"=8]>"]).unwrap(),
            "<[\"c\"=2, \"a_0\"=2, \"b\"=4]>"
        );
        assert_eq!(common(&["<[\"a\"=8]>", "<[\"a\"=2, \"b\"=4]>"]).unwrap(), "<[\"a\"=2, \"b\"=4]>");
        let turned = "<[\"b\"=2, \"a\"=4], device_ids=[0, 2, 4, 6, 1, 3, 5, 7]>";
        assert_eq!(common(&[turned, FLAT]).unwrap(), "<[\"a\"=4, \"b\"=2]>");
        assert_eq!(common(&["<[\"x\"=2, \"y\"=3]>", "<[\"x\"=3, \"y\"=2]>"]), None);
        assert_eq!(common(&[]), None);
    }
}
