//! Global arrays on the host, cut into shards and put together again.
//!
//! Public convention: a shard has ceil(size / tiles) elements along a dim, padding is at the end and zero.

use crate::{Buffer, RunError, RunErrorKind};
use meshwright_base::Id;
use meshwright_ir::{Placement, TensorType};
use meshwright_shard::{DeviceId, Mesh, Meshes};
use std::collections::BTreeSet;
use std::sync::Arc;

/// An array in host memory: elements as in a `Literal`, row major.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct HostArray {
    pub ty: TensorType,
    pub bytes: Vec<u8>,
}

impl HostArray {
    /// `None` if the length does not fit the type.
    pub fn new(ty: TensorType, bytes: Vec<u8>) -> Option<HostArray> {
        (byte_len(&ty) == Some(bytes.len())).then_some(HostArray { ty, bytes })
    }

    pub fn zeros(ty: TensorType) -> HostArray {
        let bytes = vec![0; byte_len(&ty).unwrap_or(0)];
        HostArray { ty, bytes }
    }
}

/// Bytes an engine takes for a tensor: sub-byte types take a byte each.
pub fn byte_len(ty: &TensorType) -> Option<usize> {
    let count = ty.dims.iter().try_fold(1usize, |n, dim| n.checked_mul(usize::try_from(*dim).ok()?))?;
    count.checked_mul(ty.dtype.bytes())
}

fn mesh<'m>(meshes: &'m Meshes, placement: &Placement) -> Result<&'m Mesh, RunError> {
    meshes.get(placement.sharding.mesh).ok_or_else(|| {
        RunError::new(RunErrorKind::Unsound, "a placement names a mesh the module does not have")
    })
}

/// Where a device's shard begins, and its shape. A device outside the mesh holds the first shard.
fn shard_box(mesh: &Mesh, placement: &Placement, device: DeviceId) -> (Vec<i64>, Vec<i64>) {
    let dims = &placement.global.dims;
    let start = placement.sharding.shard_offset(mesh, dims, device);
    (start.unwrap_or_else(|| vec![0; dims.len()]), placement.sharding.shard_shape(dims))
}

/// The shard of one device.
pub fn cut(
    meshes: &Meshes,
    placement: &Placement,
    array: &HostArray,
    device: DeviceId,
) -> Result<HostArray, RunError> {
    if array.ty != placement.global {
        let message = format!("the input is {}, the program takes {}", array.ty, placement.global);
        return Err(RunError::new(RunErrorKind::BadInput, message));
    }
    let (start, dims) = shard_box(mesh(meshes, placement)?, placement, device);
    let mut shard = HostArray::zeros(array.ty.with_dims(dims.clone()));
    copy_shard(&array.ty, &array.bytes, &start, &dims, &mut shard.bytes);
    Ok(shard)
}

/// The shards of some devices, from the bytes of a global array: one copy of each element for each device that has it,
/// or one buffer for all devices that have the same piece, if they `share` it.
pub fn cut_all(
    meshes: &Meshes,
    placement: &Placement,
    bytes: &[u8],
    devices: &[DeviceId],
    share: bool,
) -> Result<(TensorType, Vec<Arc<Buffer>>), RunError> {
    let (mesh, global) = (mesh(meshes, placement)?, &placement.global);
    if byte_len(global) != Some(bytes.len()) {
        let message = format!("the input has {} bytes, the program takes {global}", bytes.len());
        return Err(RunError::new(RunErrorKind::BadInput, message));
    }
    let local = global.with_dims(placement.sharding.shard_shape(&global.dims));
    let mut made: Vec<(Vec<i64>, Arc<Buffer>)> = Vec::with_capacity(devices.len());
    for device in devices {
        let (start, dims) = shard_box(mesh, placement, *device);
        let known = made.iter().find(|(other, _)| share && *other == start).map(|(_, shard)| shard.clone());
        let shard = match known {
            Some(shard) => shard,
            None => Arc::new(cut_one(global, bytes, &start, &dims)?),
        };
        made.push((start, shard));
    }
    Ok((local, made.into_iter().map(|(_, shard)| shard).collect()))
}

/// The box of a global array, with zeros where it goes beyond.
fn cut_one(ty: &TensorType, bytes: &[u8], start: &[i64], dims: &[i64]) -> Result<Buffer, RunError> {
    let length = byte_len(&ty.with_dims(dims.to_vec())).unwrap_or(0);
    let is_full = start.iter().zip(dims).zip(&ty.dims).all(|((at, own), all)| at + own <= *all);
    let mut shard = if is_full { Buffer::unset(length)? } else { Buffer::zeroed(length)? };
    copy_shard(ty, bytes, start, dims, shard.bytes_mut());
    Ok(shard)
}

/// Elements of a global array that lie in the box of a shard.
fn copy_shard(ty: &TensorType, bytes: &[u8], start: &[i64], dims: &[i64], shard: &mut [u8]) {
    let width = ty.dtype.bytes();
    each_row(&ty.dims, start, dims, |global, local, count| {
        let (from, to, bytes_of_row) = (global * width, local * width, count * width);
        shard[to..to + bytes_of_row].copy_from_slice(&bytes[from..from + bytes_of_row]);
    });
}

/// A global array from the shards of all devices, which must be listed by device number. Where several devices hold the
/// same piece, the first has the say: a program may claim a replication that it does not bring about.
pub fn assemble(meshes: &Meshes, placement: &Placement, shards: &[&[u8]]) -> Result<HostArray, RunError> {
    let mut whole = HostArray::zeros(placement.global.clone());
    put_all(meshes, placement, shards, &mut whole.bytes)?;
    Ok(whole)
}

/// The same in a buffer of a device's.
pub fn gathered(meshes: &Meshes, placement: &Placement, shards: &[&[u8]]) -> Result<Buffer, RunError> {
    let mut whole = Buffer::zeroed(byte_len(&placement.global).unwrap_or(0))?;
    put_all(meshes, placement, shards, whole.bytes_mut())?;
    Ok(whole)
}

fn put_all(
    meshes: &Meshes,
    placement: &Placement,
    shards: &[&[u8]],
    whole: &mut [u8],
) -> Result<(), RunError> {
    let mesh = mesh(meshes, placement)?;
    let mut seen: BTreeSet<Vec<i64>> = BTreeSet::new();
    for (device, shard) in shards.iter().enumerate() {
        let (start, dims) = shard_box(mesh, placement, DeviceId::from_index(device));
        let ty = placement.global.with_dims(dims.clone());
        if byte_len(&ty) != Some(shard.len()) {
            let message = format!("a shard has {} bytes, {ty} was expected", shard.len());
            return Err(RunError::new(RunErrorKind::BadInput, message));
        }
        if seen.insert(start.clone()) {
            put(&placement.global, whole, &start, &dims, shard);
        }
    }
    Ok(())
}

fn put(ty: &TensorType, whole: &mut [u8], start: &[i64], dims: &[i64], shard: &[u8]) {
    let width = ty.dtype.bytes();
    each_row(&ty.dims, start, dims, |global, local, count| {
        let (to, from, bytes) = (global * width, local * width, count * width);
        whole[to..to + bytes].copy_from_slice(&shard[from..from + bytes]);
    });
}

/// Runs of elements that a box at `start` shares with the whole: (place in the whole, place in the box, count).
fn each_row(whole: &[i64], start: &[i64], dims: &[i64], mut row: impl FnMut(usize, usize, usize)) {
    let real: Vec<i64> = (0..dims.len()).map(|d| (whole[d] - start[d]).clamp(0, dims[d])).collect();
    if real.contains(&0) {
        return;
    }
    let Some((count, outer)) = real.split_last() else { return row(0, 0, 1) };
    let rows: i64 = outer.iter().product();
    for index in 0..rows {
        let (mut rest, mut global, mut local, mut global_step, mut local_step) = (index, 0, 0, 1, 1);
        let last = dims.len() - 1;
        global += start[last];
        global_step *= whole[last];
        local_step *= dims[last];
        for d in (0..last).rev() {
            let at = rest % real[d];
            rest /= real[d];
            global += (start[d] + at) * global_step;
            local += at * local_step;
            global_step *= whole[d];
            local_step *= dims[d];
        }
        row(global as usize, local as usize, *count as usize);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use meshwright_base::Id;
    use meshwright_ir::DType;
    use meshwright_shard::{AxisId, MeshId, Sharding};

    #[test]
    fn an_uneven_array_is_cut_padded_at_the_end_and_put_together_again() {
        let mesh = Mesh::new("m", [("x", 2), ("y", 4)], None).unwrap();
        let axis = |i| mesh.whole(AxisId::from_index(i));
        let sharding = Sharding::tiled(MeshId::from_index(0), [vec![axis(0)], vec![axis(1)]]);
        let mut meshes = Meshes::new();
        meshes.push(mesh.clone());
        let ty = TensorType::new(DType::U8, [3, 6]);
        let placement = Placement { global: ty.clone(), sharding };
        let array = HostArray::new(ty, (0..18).collect()).unwrap();
        let shards: Vec<_> =
            (0..8).map(|d| cut(&meshes, &placement, &array, DeviceId::new(d)).unwrap()).collect();
        assert_eq!(shards[0].bytes, [0, 1, 6, 7]);
        assert_eq!(shards[6].bytes, [16, 17, 0, 0]);
        assert_eq!(shards[7].bytes, [0; 4]);
        let pieces: Vec<&[u8]> = shards.iter().map(|shard| &shard.bytes[..]).collect();
        assert_eq!(assemble(&meshes, &placement, &pieces).unwrap(), array);
        let devices: Vec<DeviceId> = (0..8).map(DeviceId::new).collect();
        let (ty, at_once) = cut_all(&meshes, &placement, &array.bytes, &devices, false).unwrap();
        assert_eq!(ty.dims, [2, 2]);
        assert!(at_once.iter().zip(&shards).all(|(one, other)| one.bytes() == other.bytes));
        assert_eq!(gathered(&meshes, &placement, &pieces).unwrap().bytes(), array.bytes);
        assert!(cut_all(&meshes, &placement, &array.bytes[1..], &devices, true).is_err());
    }

    #[test]
    fn devices_with_the_same_piece_share_it_and_the_first_has_the_say() {
        let mesh = Mesh::new("m", [("x", 2), ("y", 2)], None).unwrap();
        let sharding = Sharding::tiled(MeshId::from_index(0), [vec![mesh.whole(AxisId::from_index(1))]]);
        let mut meshes = Meshes::new();
        meshes.push(mesh);
        let placement = Placement { global: TensorType::new(DType::U8, [4]), sharding };
        let devices: Vec<DeviceId> = (0..4).map(DeviceId::new).collect();
        let (_, shards) = cut_all(&meshes, &placement, &[1, 2, 3, 4], &devices, true).unwrap();
        assert!(Arc::ptr_eq(&shards[0], &shards[2]) && Arc::ptr_eq(&shards[1], &shards[3]));
        let pieces: [&[u8]; 4] = [&[1, 2], &[3, 4], &[5, 6], &[7, 8]];
        assert_eq!(assemble(&meshes, &placement, &pieces).unwrap().bytes, [1, 2, 3, 4]);
    }
}
