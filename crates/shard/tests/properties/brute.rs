//! The judge: what a sharding means, device by device, from the definitions alone.

use meshwright_shard::{AxisRef, DeviceId, Mesh, Sharding};

/// The digit an axis, or a piece of one, has at a device.
fn digit(mesh: &Mesh, axis: AxisRef, device: u32) -> i64 {
    let position = mesh.position_of(DeviceId::new(device)).expect("the device is in the mesh");
    let coordinate =
        mesh.coordinates(position)[mesh.axes.keys().position(|id| id == axis.axis).expect("axis")];
    let post = mesh.whole(axis.axis).size / (axis.pre * axis.size);
    coordinate / post % axis.size
}

/// The number several axes make at a device, major first.
pub fn number(mesh: &Mesh, axes: &[AxisRef], device: u32) -> i64 {
    axes.iter().fold(0, |number, axis| number * axis.size + digit(mesh, *axis, device))
}

pub fn devices(mesh: &Mesh) -> std::ops::Range<u32> {
    0..mesh.device_count() as u32
}

/// The tile of every dim, for every device.
pub fn tiles(sharding: &Sharding, mesh: &Mesh) -> Vec<Vec<i64>> {
    let tile = |device| sharding.dims.iter().map(|dim| number(mesh, &dim.axes, device)).collect();
    devices(mesh).map(tile).collect()
}

/// For every device, the devices that differ from it only along `axes`.
pub fn peers(mesh: &Mesh, axes: &[AxisRef]) -> Vec<Vec<u32>> {
    let rest = |device: u32| -> Vec<i64> {
        let coordinates =
            mesh.coordinates(mesh.position_of(DeviceId::new(device)).expect("the device is in the mesh"));
        let without = |(axis, at): (AxisRef, i64)| {
            axes.iter().filter(|used| used.axis == axis.axis).fold(at, |at, used| {
                let post = axis.size / (used.pre * used.size);
                at - digit(mesh, *used, device) * post
            })
        };
        mesh.whole_axes().into_iter().zip(coordinates).map(without).collect()
    };
    devices(mesh).map(|device| devices(mesh).filter(|other| rest(*other) == rest(device)).collect()).collect()
}

/// Whether every device holds the same under both, and is partial and manual with the same peers.
pub fn same(a: &Sharding, mesh_a: &Mesh, b: &Sharding, mesh_b: &Mesh) -> bool {
    mesh_a.device_count() == mesh_b.device_count()
        && a.tiles() == b.tiles()
        && tiles(a, mesh_a) == tiles(b, mesh_b)
        && peers(mesh_a, &a.partial) == peers(mesh_b, &b.partial)
        && peers(mesh_a, &a.manual) == peers(mesh_b, &b.manual)
}

/// Whether a sharding exists that refines both by the paper's definition: on every dim the finer tiling nests in the
/// coarser, and the finer tilings together give every tile to equally many devices.
pub fn compatible(a: &Sharding, b: &Sharding, mesh: &Mesh) -> bool {
    compatible_across(a, mesh, b, mesh)
}

/// The same for shardings over two meshes of the same devices.
pub fn compatible_across(a: &Sharding, mesh: &Mesh, b: &Sharding, mesh_b: &Mesh) -> bool {
    let (tiles_a, tiles_b) = (tiles(a, mesh), tiles(b, mesh_b));
    let mut finer = vec![Vec::new(); tiles_a.len()];
    let mut count = 1;
    for dim in 0..a.rank() {
        let (size_a, size_b) = (a.dims[dim].tiles(), b.dims[dim].tiles());
        let (fine, coarse, size, ratio) = if size_a >= size_b {
            (&tiles_a, &tiles_b, size_a, size_a / size_b)
        } else {
            (&tiles_b, &tiles_a, size_b, size_b / size_a)
        };
        if size_a.max(size_b) % size_a.min(size_b) != 0 {
            return false;
        }
        if fine.iter().zip(coarse).any(|(fine, coarse)| fine[dim] / ratio != coarse[dim]) {
            return false;
        }
        count *= size;
        finer.iter_mut().zip(fine).for_each(|(finer, fine)| finer.push(fine[dim]));
    }
    let holders = |tile: &Vec<i64>| finer.iter().filter(|other| *other == tile).count() as i64;
    mesh.device_count() % count == 0 && finer.iter().all(|tile| holders(tile) == mesh.device_count() / count)
}

/// Row-major numbers of the elements of an evenly split value that each device holds.
pub fn elements(sharding: &Sharding, mesh: &Mesh, shape: &[i64]) -> Vec<Vec<i64>> {
    let shard = sharding.shard_shape(shape);
    let inside = |index: &[i64], tile: &[i64]| {
        index.iter().zip(&shard).zip(tile).all(|((at, size), tile)| at / size == *tile)
    };
    let indices: Vec<Vec<i64>> = (0..shape.iter().product()).map(|element| unravel(element, shape)).collect();
    let held = |tile: &Vec<i64>| {
        (0..indices.len() as i64).filter(|at| inside(&indices[*at as usize], tile)).collect()
    };
    tiles(sharding, mesh).iter().map(held).collect()
}

fn unravel(mut element: i64, shape: &[i64]) -> Vec<i64> {
    let mut index: Vec<i64> = Vec::new();
    for size in shape.iter().rev() {
        index.push(element % size);
        element /= size;
    }
    index.reverse();
    index
}
