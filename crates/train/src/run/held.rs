//! Arrays that stay on the devices, by name, and where they lie.

use super::error::Error;
use super::host::Host;
use meshwright_base::{Diagnostic, Id};
use meshwright_ir::{DType, Module, Placement};
use meshwright_runtime::{Buffer, DeviceArray, DeviceId, HostArray, RunError, RunErrorKind, assemble, cut};
use meshwright_shard::{Mesh, Meshes};
use std::collections::BTreeMap;
use std::sync::Arc;

use crate::checkpoint::{MEMORY, Piece, Region};

/// How an array lies on a mesh. Two places of different programs are equal if every device holds the same.
#[derive(Clone, PartialEq, Debug)]
pub struct ArrayPlace {
    mesh: Mesh,
    pub placement: Placement,
}

/// An array and its place.
#[derive(Clone, Debug)]
pub struct Held {
    pub place: ArrayPlace,
    pub array: DeviceArray,
}

impl ArrayPlace {
    /// As a program says.
    pub fn of(module: &Module, placement: &Placement) -> Result<ArrayPlace, RunError> {
        let mesh = module.meshes.get(placement.sharding.mesh).cloned();
        let mesh = mesh.ok_or_else(|| RunError::new(RunErrorKind::Unsound, "a placement without a mesh"))?;
        let mut placement = placement.clone();
        // Alone among its meshes, whatever number it had.
        placement.sharding = placement.sharding.closed().canonical();
        placement.sharding.mesh = Id::from_index(0);
        Ok(ArrayPlace { mesh, placement })
    }

    fn meshes(&self) -> Meshes {
        let mut meshes = Meshes::new();
        meshes.push(self.mesh.clone());
        meshes
    }

    /// The same whole array in every process, put where it belongs.
    pub fn put(&self, whole: &HostArray, host: &Host<'_>) -> Result<DeviceArray, RunError> {
        let meshes = self.meshes();
        self.fill(host, |device| Ok(cut(&meshes, &self.placement, whole, device)?.bytes))
    }

    /// An array whose shard on each device is made by `shard`.
    pub fn fill<E: From<RunError>>(
        &self,
        host: &Host<'_>,
        mut shard: impl FnMut(DeviceId) -> Result<Vec<u8>, E>,
    ) -> Result<DeviceArray, E> {
        let ty = self.placement.global.with_dims(self.shard_dims());
        let devices = host.devices.local();
        let shards = devices.iter().map(|device| {
            let bytes = shard(*device)?;
            Ok(Arc::new(Buffer::from_bytes(&bytes)?))
        });
        Ok(DeviceArray::new(ty, shards.collect::<Result<_, E>>()?))
    }

    pub fn shard_dims(&self) -> Vec<i64> {
        self.placement.sharding.shard_shape(&self.placement.global.dims)
    }

    /// The box of the whole that a device holds, without what pads it. `None` if there is nothing in it.
    pub fn region(&self, device: DeviceId) -> Option<Region> {
        let whole = &self.placement.global.dims;
        let start = self.placement.sharding.shard_offset(&self.mesh, whole, device);
        let start = start.unwrap_or_else(|| vec![0; whole.len()]);
        let size = |((start, size), whole): ((&i64, i64), &i64)| {
            usize::try_from((whole - start).min(size)).ok().filter(|size| *size > 0)
        };
        let shape = start.iter().zip(self.shard_dims()).zip(whole).map(size).collect::<Option<_>>()?;
        Some(Region { start: start.iter().map(|at| usize::try_from(*at).unwrap_or(0)).collect(), shape })
    }

    /// Sizes of the whole.
    pub fn shape(&self) -> Vec<usize> {
        self.placement.global.dims.iter().map(|size| usize::try_from(*size).unwrap_or(0)).collect()
    }
}

impl Held {
    /// The whole array, in the process that gathers.
    pub fn whole(&self, host: &Host<'_>) -> Result<Option<HostArray>, RunError> {
        let Some(shards) = self.shards(host)? else { return Ok(None) };
        let shards: Vec<&[u8]> = shards.iter().map(Vec::as_slice).collect();
        assemble(&self.place.meshes(), &self.place.placement, &shards).map(Some)
    }

    /// An array that is whole on every device, in every process: nothing is sent.
    pub fn everywhere(&self) -> Result<HostArray, RunError> {
        let shard = self.array.shards()?.first().filter(|_| self.place.placement.sharding.is_replicated());
        let shard =
            shard.ok_or_else(|| RunError::new(RunErrorKind::Unsound, "an array is in pieces here"))?;
        assemble(&self.place.meshes(), &self.place.placement, &[shard.bytes()])
    }

    /// The bytes on every device, in the process that gathers. What is whole on each is not sent.
    fn shards(&self, host: &Host<'_>) -> Result<Option<Vec<Vec<u8>>>, RunError> {
        let here = || -> Result<Vec<Vec<u8>>, RunError> {
            Ok(self.array.shards()?.iter().map(|shard| shard.bytes().to_vec()).collect())
        };
        if self.place.placement.sharding.is_replicated() {
            host.is_first.then(|| Ok(here()?.into_iter().take(1).collect())).transpose()
        } else {
            (host.gather)(here()?)
        }
    }

    /// The boxes that this process writes. Each box of the whole is written by one of the devices that hold it: the one
    /// that has the least to write so far, by `loads` of all devices. All processes find the same.
    pub fn share(&self, host: &Host<'_>, loads: &mut [u64]) -> Result<Vec<Piece>, Error> {
        let local = host.devices.local();
        let mut pieces = Vec::new();
        for (region, holders) in self.place.holders(loads.len()) {
            let Some(writer) =
                holders.into_iter().min_by_key(|device| (loads.get(*device).copied(), *device))
            else {
                continue;
            };
            let bytes = region.volume().unwrap_or(0) * self.place.width();
            loads.get_mut(writer).into_iter().for_each(|load| *load = load.saturating_add(bytes as u64));
            let mine = local.iter().position(|device| device.index() == writer);
            if let Some(at) = mine
                && let Some(shard) = self.array.shards()?.get(at)
            {
                let bytes = copy_of(shard.bytes())?;
                let bytes = without_padding(bytes, &self.place.shard_dims(), &region, self.place.width());
                pieces.push(Piece { region, bytes });
            }
        }
        Ok(pieces)
    }

    /// A number that every device has; of an array that was looked at.
    pub fn number(&self) -> Option<f64> {
        number(self.place.placement.global.dtype, self.array.shards().ok()?.first()?.bytes())
    }

    /// The numbers of an array that every device has whole.
    pub fn numbers(&self) -> Result<Vec<f64>, RunError> {
        let HostArray { ty, bytes } = self.everywhere()?;
        Ok(bytes.chunks(self.place.width().max(1)).filter_map(|one| number(ty.dtype, one)).collect())
    }
}

/// The first number of some bytes.
fn number(dtype: DType, bytes: &[u8]) -> Option<f64> {
    match dtype {
        DType::F64 => Some(f64::from_le_bytes(bytes.get(..8)?.try_into().ok()?)),
        DType::F32 => Some(f64::from(f32::from_le_bytes(bytes.get(..4)?.try_into().ok()?))),
        DType::S32 => Some(f64::from(i32::from_le_bytes(bytes.get(..4)?.try_into().ok()?))),
        _ => None,
    }
}

impl ArrayPlace {
    /// Every box of the whole, and the devices that hold it.
    fn holders(&self, devices: usize) -> BTreeMap<Region, Vec<usize>> {
        if self.placement.sharding.is_replicated() {
            return BTreeMap::from([(Region::whole(&self.shape()), (0..devices).collect())]);
        }
        let mut found: BTreeMap<Region, Vec<usize>> = BTreeMap::new();
        for device in 0..devices {
            if let Some(region) = self.region(DeviceId::from_index(device)) {
                found.entry(region).or_default().push(device);
            }
        }
        found
    }

    fn width(&self) -> usize {
        self.placement.global.dtype.bytes()
    }
}

/// A copy, if there is memory for it.
fn copy_of(bytes: &[u8]) -> Result<Vec<u8>, Diagnostic> {
    let mut copy = Vec::new();
    copy.try_reserve_exact(bytes.len()).map_err(|_| {
        let message = format!("there is no memory for the {} bytes of a part of a checkpoint", bytes.len());
        Diagnostic::error(MEMORY, message)
            .help("make memory free, and go on from the newest checkpoint with `--resume`")
    })?;
    copy.extend_from_slice(bytes);
    Ok(copy)
}

/// The rows of a shard that are no padding: all of it, if none is.
fn without_padding(bytes: Vec<u8>, dims: &[i64], region: &Region, width: usize) -> Vec<u8> {
    let dims: Vec<usize> = dims.iter().map(|size| usize::try_from(*size).unwrap_or(0)).collect();
    if dims == region.shape {
        return bytes;
    }
    let from = Region::whole(&dims);
    let inner = Region { start: vec![0; dims.len()], shape: region.shape.clone() };
    copied(&bytes, &from, &inner, width)
}

/// The box `inner` of a box with these bytes; what lies outside of it is zero.
pub fn copied(bytes: &[u8], from: &Region, inner: &Region, width: usize) -> Vec<u8> {
    let mut out = vec![0; inner.volume().unwrap_or(0) * width];
    for run in from.runs_into(inner, width) {
        let at = usize::try_from(run.from).unwrap_or(usize::MAX);
        let source = bytes.get(at..at.saturating_add(run.bytes));
        if let (Some(into), Some(source)) = (out.get_mut(run.to..run.to + run.bytes), source) {
            into.copy_from_slice(source);
        }
    }
    out
}
