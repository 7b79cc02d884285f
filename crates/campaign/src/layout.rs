//! Random meshes and shardings.
//!
//! Meshes have 1 to 3 axes and 1 to 16 devices, one in four in a shuffled order. A sharding puts some axes, or pieces
//! of axes, on some dims, whatever the sizes: uneven splits and dims smaller than their tile count are wanted.

use crate::choices::Choices;
use meshwright_shard::axis::canonical;
use meshwright_shard::{AxisRef, DimSharding, Mesh, MeshId, Sharding};

/// Sizes of the axes, simplest first.
const MESHES: &[&[i64]] = &[
    &[2],
    &[2, 2],
    &[4],
    &[3],
    &[2, 3],
    &[4, 2],
    &[2, 4],
    &[6],
    &[8],
    &[5],
    &[7],
    &[3, 2],
    &[2, 2, 2],
    &[1, 2],
    &[2, 1, 3],
    &[3, 4],
    &[4, 4],
    &[2, 8],
    &[2, 2, 4],
    &[3, 2, 2],
    &[12],
    &[16],
    &[1],
];

const NAMES: [&str; 3] = ["x", "y", "z"];

/// A mesh of up to 16 devices.
pub fn mesh(choices: &mut Choices) -> Mesh {
    let sizes = choices.pick(MESHES);
    with_axes(choices, "mesh", sizes)
}

/// In a few cases a second mesh over as many devices.
pub fn other_mesh(choices: &mut Choices, devices: i64) -> Option<Mesh> {
    let fits: Vec<&[i64]> =
        MESHES.iter().copied().filter(|sizes| sizes.iter().product::<i64>() == devices).collect();
    let sizes = choices.pick(&fits);
    let wanted = choices.chance(8);
    let mesh = with_axes(choices, "other", sizes);
    wanted.then_some(mesh)
}

fn with_axes(choices: &mut Choices, name: &str, sizes: &[i64]) -> Mesh {
    let devices: i64 = sizes.iter().product();
    let order = choices.chance(25).then(|| choices.shuffled((0..devices as u32).collect()));
    let axes = NAMES.iter().copied().zip(sizes.iter().copied());
    let plain = |order| Mesh::new(name, axes.clone(), order);
    match plain(order) {
        Ok(mesh) => mesh,
        Err(_) => Mesh { name: name.into(), axes: Default::default(), order: None },
    }
}

/// A sharding of a value of this rank over axes that are not `taken`.
pub fn sharding(choices: &mut Choices, id: MeshId, mesh: &Mesh, rank: usize, taken: &[AxisRef]) -> Sharding {
    let mut sharding = Sharding::replicated(id, rank);
    let free: Vec<AxisRef> = mesh.whole_axes().into_iter().filter(|axis| !taken.contains(axis)).collect();
    let pieces: Vec<AxisRef> = free.into_iter().flat_map(|axis| pieces(choices, axis)).collect();
    for piece in choices.shuffled(pieces) {
        if rank > 0 && choices.chance(60) {
            let dim = choices.index(rank);
            sharding.dims[dim].axes.push(piece);
        } else if choices.chance(5) {
            sharding.replicated.push(piece);
        }
    }
    for dim in &mut sharding.dims {
        dim.axes = canonical(&dim.axes);
    }
    sharding.replicated = meshwright_shard::axis::canonical_set(&sharding.replicated);
    if choices.chance(30) {
        open(choices, &mut sharding.dims);
    }
    sharding
}

/// The axis, or now and then two pieces of it that go their own ways.
fn pieces(choices: &mut Choices, axis: AxisRef) -> Vec<AxisRef> {
    let divisors: Vec<i64> = (2..axis.size).filter(|n| axis.size % n == 0).collect();
    if divisors.is_empty() || !choices.chance(20) {
        return vec![axis];
    }
    let major = choices.pick(&divisors);
    axis.split(major).map_or(vec![axis], |(major, minor)| vec![major, minor])
}

/// Let completion refine some dims, some of them earlier than others.
fn open(choices: &mut Choices, dims: &mut [DimSharding]) {
    for dim in dims {
        dim.open = choices.chance(60);
        if (dim.open || !dim.axes.is_empty()) && choices.chance(10) {
            dim.priority = Some(choices.below(3));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use meshwright_base::Id;

    #[test]
    fn meshes_are_small_and_shardings_well_formed() {
        let (mut ordered, mut split) = (0, 0);
        for case in 0..500 {
            let mut choices = Choices::of_case(1, case);
            let mesh = mesh(&mut choices);
            assert!((1..=16).contains(&mesh.device_count()) && !mesh.axes.is_empty());
            ordered += usize::from(mesh.order.is_some());
            let sharding = sharding(&mut choices, MeshId::from_index(0), &mesh, 3, &[]);
            assert_eq!(sharding.verify(&mesh, &[1, 1, 1]), []);
            split += usize::from(sharding.dims.iter().flat_map(|dim| &dim.axes).any(|axis| axis.pre > 1));
        }
        assert!(ordered > 50 && split > 10, "{ordered} {split}");
    }
}
