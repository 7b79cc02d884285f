//! Arrays of a whole program and the pieces of them that devices hold.
//!
//! An array for a parameter or result of a program on N devices may be one of three things, told apart by its type: the
//! local value, the same on every device; all local values stacked along a new leading dim; or the global value, of
//! which each device holds a tile.

use crate::compare::{Bound, Tolerance, difference_beyond};
use meshwright_interp::Tensor;
use meshwright_ir::{Annotation, Module, TensorType};
use meshwright_shard::{DeviceId, Sharding, import_all};

/// Which tile of a global array each device holds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Tiling {
    /// Tiles along each dim.
    pub grid: Vec<i64>,
    /// Per device, the number of its tile along each dim.
    pub tiles: Vec<Vec<i64>>,
}

impl Tiling {
    /// What an annotation of a value of this rank says of `devices` devices, if it says where each of them is.
    pub fn of(module: &Module, annotation: &Annotation, rank: usize, devices: usize) -> Option<Tiling> {
        let mut meshes = module.meshes.clone();
        let sharding = match annotation {
            Annotation::Mesh(sharding) => Sharding::clone(sharding),
            Annotation::Hlo(sharding) => {
                import_all(&[(sharding, rank)], devices as i64, &mut meshes).ok()?.pop()?
            }
        };
        let mesh = meshes.get(sharding.mesh)?;
        let tiles = (0..devices as u32)
            .map(|device| sharding.tile_index(mesh, DeviceId::new(device)))
            .collect::<Option<_>>()?;
        Some(Tiling { grid: sharding.tiles(), tiles })
    }
}

/// The value of a parameter on each device. `None` if the array's type is none of the three.
pub fn spread(
    array: &Tensor,
    local: &TensorType,
    cut: Option<&Tiling>,
    devices: usize,
) -> Option<Vec<Tensor>> {
    if array.dtype() != local.dtype {
        return None;
    }
    if array.dims() == local.dims {
        return Some(vec![array.clone(); devices]);
    }
    if is_stack(array.dims(), &local.dims, devices) {
        return (0..devices).map(|device| layer(array, device)).collect();
    }
    let cut =
        cut.filter(|cut| cut.tiles.len() == devices && shard_shape(array.dims(), &cut.grid) == local.dims)?;
    cut.tiles.iter().map(|tile| window(array, &corner(tile, &local.dims), &local.dims)).collect()
}

/// Why the values `ours` of all devices are not the result `expected`; `None` if they are.
///
/// Where several devices hold the same tile, the first has the say: others may hold something else where a program
/// claims a replication that it does not bring about. Where nothing says which device holds which tile, each tile must
/// be found on some device.
pub fn judge(ours: &[&Tensor], expected: &Tensor, cut: Option<&Tiling>, given: Tolerance) -> Option<String> {
    let local = ours.first()?.ty();
    let bound = Bound::of(given, expected);
    if local.dims == expected.dims() {
        return difference_beyond(bound, ours[0], expected);
    }
    if is_stack(expected.dims(), &local.dims, ours.len()) {
        let layer = |device: usize| {
            Some((device, difference_beyond(bound, ours[device], &layer(expected, device)?)?))
        };
        let (device, message) = (0..ours.len()).find_map(layer)?;
        return Some(format!("on device {device}: {message}"));
    }
    let Some(grid) = grid(expected.dims(), &local.dims).filter(|grid| count(grid) <= ours.len()) else {
        return Some(format!("type {local} on each of {} devices instead of {}", ours.len(), expected.ty()));
    };
    (0..count(&grid)).find_map(|number| {
        let tile = coordinates(number, &grid);
        let differs = |device: usize| tile_difference(bound, ours[device], expected, &tile);
        let message = match cut.filter(|cut| cut.grid == grid && cut.tiles.len() == ours.len()) {
            Some(cut) => cut.tiles.iter().position(|held| *held == tile).and_then(differs),
            None if (0..ours.len()).any(|device| differs(device).is_none()) => None,
            None => differs(number * (ours.len() / count(&grid))),
        };
        message.map(|message| format!("tile {tile:?} of {grid:?}: {message}"))
    })
}

/// How `ours` differs from a tile of `expected`, padding aside.
fn tile_difference(bound: Bound, ours: &Tensor, expected: &Tensor, tile: &[i64]) -> Option<String> {
    let corner = corner(tile, ours.dims());
    let rest = corner.iter().zip(expected.dims()).map(|(from, end)| (end - from).max(0));
    let valid: Vec<i64> = rest.zip(ours.dims()).map(|(rest, size)| rest.min(*size)).collect();
    let origin = vec![0; valid.len()];
    difference_beyond(bound, &window(ours, &origin, &valid)?, &window(expected, &corner, &valid)?)
}

fn is_stack(dims: &[i64], local: &[i64], devices: usize) -> bool {
    dims.split_first().is_some_and(|(first, rest)| *first == devices as i64 && rest == local)
}

fn shard_shape(global: &[i64], grid: &[i64]) -> Vec<i64> {
    global.iter().zip(grid).map(|(size, tiles)| (size + tiles - 1) / tiles).collect()
}

/// Tiles along each dim, if the global shape can be cut into such local ones.
fn grid(global: &[i64], local: &[i64]) -> Option<Vec<i64>> {
    if global.len() != local.len() {
        return None;
    }
    let grid: Option<Vec<i64>> = global
        .iter()
        .zip(local)
        .map(|(size, part)| match (size, part) {
            (0, 0) => Some(1),
            (0, _) | (_, 0) => None,
            _ => Some((size + part - 1) / part),
        })
        .collect();
    grid.filter(|grid| shard_shape(global, grid) == local)
}

fn count(grid: &[i64]) -> usize {
    grid.iter().product::<i64>().max(1) as usize
}

/// Place of a tile in the grid by its number in row-major order.
fn coordinates(mut number: usize, grid: &[i64]) -> Vec<i64> {
    let mut place = vec![0; grid.len()];
    for (at, tiles) in place.iter_mut().zip(grid).rev() {
        let tiles = (*tiles).max(1) as usize;
        (*at, number) = ((number % tiles) as i64, number / tiles);
    }
    place
}

/// Where a tile starts.
fn corner(tile: &[i64], local: &[i64]) -> Vec<i64> {
    tile.iter().zip(local).map(|(at, size)| at * size).collect()
}

/// Entry `at` along the first dim.
fn layer(stack: &Tensor, at: usize) -> Option<Tensor> {
    let (_, rest) = stack.dims().split_first()?;
    let mut from = vec![0; stack.dims().len()];
    from[0] = at as i64;
    window(stack, &from, &[&[1], rest].concat())?.reshaped(rest)
}

/// The part of a tensor that starts at `from`, zero where it reaches beyond.
fn window(tensor: &Tensor, from: &[i64], size: &[i64]) -> Option<Tensor> {
    let (bytes, width) = (tensor.to_bytes(), tensor.dtype().bytes());
    let total = count_elements(size)?;
    let mut out = vec![0; total.checked_mul(width)?];
    for at in 0..total {
        let place = coordinates(at, size);
        let source = place.iter().zip(from).map(|(at, from)| at + from);
        if let Some(source) = position(source, tensor.dims()) {
            out[at * width..(at + 1) * width].copy_from_slice(&bytes[source * width..(source + 1) * width]);
        }
    }
    Tensor::from_bytes(tensor.ty().with_dims(size), &out)
}

fn count_elements(dims: &[i64]) -> Option<usize> {
    dims.iter().try_fold(1usize, |n, dim| n.checked_mul(usize::try_from(*dim).ok()?))
}

/// Row-major position of an index, unless it lies outside.
fn position(index: impl Iterator<Item = i64>, dims: &[i64]) -> Option<usize> {
    let mut at = 0;
    for (i, dim) in index.zip(dims) {
        if i >= *dim {
            return None;
        }
        at = at * dim + i;
    }
    Some(at as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judge(ours: &[&Tensor], expected: &Tensor, cut: Option<&Tiling>) -> Option<String> {
        super::judge(ours, expected, cut, Tolerance::ByType)
    }
    use meshwright_ir::DType;

    fn ints(dims: &[i64], values: &[i64]) -> Tensor {
        Tensor::from_ints(DType::S32, dims, values).unwrap()
    }

    fn ty(dims: &[i64]) -> TensorType {
        TensorType::new(DType::S32, dims)
    }

    /// A 3x2 array cut in two along dim 0: the second tile has one row of padding.
    fn uneven() -> (Tensor, Tiling) {
        let cut = Tiling { grid: vec![2, 1], tiles: vec![vec![1, 0], vec![0, 0]] };
        (ints(&[3, 2], &[1, 2, 3, 4, 5, 6]), cut)
    }

    #[test]
    fn an_array_is_local_stacked_or_global() {
        let local = ints(&[2], &[1, 2]);
        assert_eq!(spread(&local, &ty(&[2]), None, 2), Some(vec![local.clone(), local.clone()]));
        let stack = ints(&[2, 2], &[1, 2, 3, 4]);
        assert_eq!(spread(&stack, &ty(&[2]), None, 2), Some(vec![local, ints(&[2], &[3, 4])]));
        let (global, cut) = uneven();
        let pieces = vec![ints(&[2, 2], &[5, 6, 0, 0]), ints(&[2, 2], &[1, 2, 3, 4])];
        assert_eq!(spread(&global, &ty(&[2, 2]), Some(&cut), 2), Some(pieces));
        assert_eq!(spread(&global, &ty(&[2, 2]), None, 2), None);
        assert_eq!(spread(&global, &TensorType::new(DType::F32, [3, 2]), None, 1), None);
    }

    #[test]
    fn an_empty_array_has_no_tile_with_elements() {
        let (local, empty) = (ints(&[2, 3], &[0; 6]), ints(&[0, 3], &[]));
        assert_eq!(spread(&empty, &ty(&[2, 3]), None, 2), None);
        let said = judge(&[&local, &local], &empty, None).unwrap();
        assert!(said.contains("on each of 2 devices instead of"), "{said}");
        assert_eq!(judge(&[&empty], &empty, None), None);
    }

    #[test]
    fn tiles_are_compared_where_they_are_and_padding_does_not_count() {
        let (global, cut) = uneven();
        let (low, high) = (ints(&[2, 2], &[1, 2, 3, 4]), ints(&[2, 2], &[5, 6, 99, 99]));
        assert_eq!(judge(&[&high, &low], &global, Some(&cut)), None);
        assert_eq!(judge(&[&high, &low], &global, None), None);
        let swapped = judge(&[&low, &high], &global, Some(&cut)).unwrap();
        assert!(swapped.starts_with("tile [0, 0] of [2, 1]: 5 instead of 1 at [0, 0]"), "{swapped}");
        let missing = judge(&[&low, &low], &global, None).unwrap();
        assert!(missing.starts_with("tile [1, 0] of [2, 1]: 1 instead of 5 at [0, 0]"), "{missing}");
    }

    #[test]
    fn the_first_device_of_a_tile_has_the_say() {
        let (one, two) = (ints(&[1], &[1]), ints(&[1], &[2]));
        assert_eq!(judge(&[&one, &two], &one, None), None);
        assert!(judge(&[&two, &one], &one, None).unwrap().starts_with("2 instead of 1"));
    }

    #[test]
    fn stacked_results_are_compared_device_by_device() {
        let (one, two) = (ints(&[1], &[1]), ints(&[1], &[2]));
        assert_eq!(judge(&[&one, &two], &ints(&[2, 1], &[1, 2]), None), None);
        assert!(
            judge(&[&one, &one], &ints(&[2, 1], &[1, 2]), None)
                .unwrap()
                .starts_with("on device 1: 1 instead of 2")
        );
        assert!(judge(&[&one], &ints(&[2, 2], &[1, 2, 3, 4]), None).unwrap().contains("type s32[1]"));
    }
}
