//! A partitioned program on global arrays: cut the inputs, run all devices, put the results together.
//!
//! Padding is filled with garbage on purpose (NaN, odd numbers): a program that lets it count gives a wrong result.
//! Devices that should hold the same piece are held against each other bit for bit.

use crate::reduce::int_step;
use crate::{Feed, Options, Scalar, Tensor, check_devices, run_devices_fed};
use meshwright_base::{Code, Diagnostic, Id};
use meshwright_ir::literal::float_bytes;
use meshwright_ir::{Class, DType, Literal, Module, Placement, SpmdModule, TensorType};
use meshwright_shard::placement::index_along;
use meshwright_shard::{DeviceId, Mesh, Reducer};
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

const NOT_PLACED: Code = Code(640);
const NOT_REPLICATED: Code = Code(641);
const INCOMPLETE: Code = Code(642);

/// Run a partitioned program on global arrays; where devices have different views of them, those of the first.
pub fn run_spmd(program: &SpmdModule, inputs: &[Tensor]) -> Result<Vec<Tensor>, Diagnostic> {
    let devices = device_count(program);
    check_devices(devices, inputs.len())?;
    let inputs = vec![inputs.to_vec(); devices];
    let mut results = run_spmd_views(program, &inputs, None)?;
    Ok(if results.is_empty() { Vec::new() } else { results.swap_remove(0) })
}

/// Run a partitioned program on global arrays as each device sees them: they are other ones in every replica, and those
/// that are local over manual axes are other ones at each place along these. Inputs and results of each device.
pub fn run_spmd_views(
    program: &SpmdModule,
    inputs: &[Vec<Tensor>],
    feed: Option<&dyn Feed>,
) -> Result<Vec<Vec<Tensor>>, Diagnostic> {
    let devices = device_count(program);
    if inputs.len() != devices {
        let message = format!("arrays for {} devices are given to {devices}", inputs.len());
        return Err(Diagnostic::error(NOT_PLACED, message).help("give one list of arrays per device"));
    }
    let mut local = vec![Vec::with_capacity(program.params.len()); devices];
    if let Some(inputs) = inputs.iter().find(|inputs| inputs.len() != program.params.len()) {
        let message = format!("{} arrays are given to {} parameters", inputs.len(), program.params.len());
        return Err(Diagnostic::error(NOT_PLACED, message).help("give one array per parameter"));
    }
    for (at, placement) in program.params.iter().enumerate() {
        let mesh = mesh_of(program.module(), placement)?;
        let mut bytes: BTreeMap<usize, Vec<u8>> = BTreeMap::new();
        for ((device, view), local) in views(program, placement).into_iter().enumerate().zip(&mut local) {
            let input = &inputs[device][at];
            let bytes = bytes.entry(view).or_insert_with(|| input.to_bytes());
            local.push(cut(input, bytes, placement, mesh, in_replica(program, device))?);
        }
    }
    let results = run_devices_fed(program.module(), devices, &local, Options::default(), feed)?;
    let mut seen = vec![Vec::with_capacity(program.results.len()); devices];
    for (at, placement) in program.results.iter().enumerate() {
        let mesh = mesh_of(program.module(), placement)?;
        let views = views(program, placement);
        let mut whole: BTreeMap<usize, Tensor> = BTreeMap::new();
        for (device, seen) in seen.iter_mut().enumerate() {
            let view = views[device];
            if let Entry::Vacant(free) = whole.entry(view) {
                let members = (0..devices).filter(|other| views[*other] == view);
                let pieces: Option<Vec<(DeviceId, &Tensor)>> = members
                    .map(|other| Some((in_replica(program, other), results.get(other)?.get(at)?)))
                    .collect();
                let pieces = pieces.ok_or_else(|| wrong(format!("result {at} is missing on some device")))?;
                let made = assemble(&pieces, placement, mesh);
                free.insert(made.map_err(|found| found.note(format!("in result {at}")))?);
            }
            seen.extend(whole.get(&view).cloned());
        }
    }
    Ok(seen)
}

/// For each device a number for what it sees of an array: the same where it sees the same.
pub fn views(program: &SpmdModule, placement: &Placement) -> Vec<usize> {
    let devices = device_count(program);
    let partitions = devices / replica_count(program);
    let mesh = program.module().meshes.get(placement.sharding.mesh);
    let place = |device: usize| {
        let mesh = mesh?;
        let position = mesh.position_of(in_replica(program, device))?;
        usize::try_from(index_along(mesh, &placement.sharding.manual, position)).ok()
    };
    (0..devices).map(|device| device / partitions * partitions + place(device).unwrap_or(0)).collect()
}

/// The number of a device among those of its replica.
fn in_replica(program: &SpmdModule, device: usize) -> DeviceId {
    let partitions = device_count(program) / replica_count(program);
    DeviceId::from_index(device % partitions)
}

/// How many replicas a partitioned program has.
pub fn replica_count(program: &SpmdModule) -> usize {
    let replicas = program.module().num_replicas.unwrap_or(1);
    usize::try_from(replicas).unwrap_or(1).max(1)
}

/// How many devices a partitioned program is for.
pub fn device_count(program: &SpmdModule) -> usize {
    let module = program.module();
    let largest = module.meshes.values().map(Mesh::device_count).max().unwrap_or(1);
    let partitions = module.num_partitions.unwrap_or(1);
    let partitions = usize::try_from(largest.max(partitions)).unwrap_or(1).max(1);
    partitions.saturating_mul(replica_count(program))
}

fn mesh_of<'a>(module: &'a Module, placement: &Placement) -> Result<&'a Mesh, Diagnostic> {
    let mesh = module.meshes.get(placement.sharding.mesh);
    mesh.ok_or_else(|| wrong("an array lies on a mesh that does not exist".to_string()))
}

fn wrong(message: String) -> Diagnostic {
    Diagnostic::error(NOT_PLACED, message).note("this is a defect of the partitioner, not of the input")
}

/// What a device holds of a global array. Of an array that is partial the first device along the partial axes holds
/// the value, the others what changes nothing.
fn cut(
    global: &Tensor,
    bytes: &[u8],
    placement: &Placement,
    mesh: &Mesh,
    device: DeviceId,
) -> Result<Tensor, Diagnostic> {
    let (shape, sharding) = (&placement.global.dims, &placement.sharding);
    if global.ty() != &placement.global {
        return Err(wrong(format!("an array is {}, the program takes {}", global.ty(), placement.global)));
    }
    let local = placement.global.with_dims(sharding.shard_shape(shape));
    let position = mesh.position_of(device);
    let is_part = position.is_some_and(|position| index_along(mesh, &sharding.partial, position) > 0);
    if is_part {
        return filled(local, &identity(sharding.reducer, global.dtype()));
    }
    let offset = sharding.shard_offset(mesh, shape, device).unwrap_or_else(|| vec![0; shape.len()]);
    let width = global.dtype().bytes();
    let mut out = garbage(global.dtype()).repeat(elements(&local.dims));
    for (from, to, count) in runs(shape, &offset, &local.dims) {
        out[to * width..(to + count) * width].copy_from_slice(&bytes[from * width..(from + count) * width]);
    }
    Tensor::from_bytes(local, &out).ok_or_else(|| wrong("a piece does not fit its type".to_string()))
}

fn filled(ty: TensorType, element: &[u8]) -> Result<Tensor, Diagnostic> {
    let bytes = element.repeat(elements(&ty.dims));
    Tensor::from_bytes(ty, &bytes).ok_or_else(|| wrong("a piece does not fit its type".to_string()))
}

fn elements(dims: &[i64]) -> usize {
    dims.iter().product::<i64>().max(0) as usize
}

/// One element nobody should ever see: NaN, "true", a large odd number.
fn garbage(dtype: DType) -> Vec<u8> {
    match dtype.class() {
        Class::Pred => vec![1],
        Class::Float | Class::Complex => {
            let part = float_bytes(dtype.part(), f64::NAN);
            part.repeat(dtype.bytes() / part.len().max(1))
        }
        Class::Signed | Class::Unsigned if dtype.bits() < 8 => vec![1],
        Class::Signed | Class::Unsigned => vec![0x6b; dtype.bytes()],
    }
}

/// What changes nothing when reduced in.
fn identity(reducer: Reducer, dtype: DType) -> Vec<u8> {
    Literal::identity(reducer, TensorType::scalar(dtype)).element(0).to_vec()
}

/// Rows that a piece at `offset` shares with the whole: (first element in the whole, in the piece, how many).
fn runs(whole: &[i64], offset: &[i64], piece: &[i64]) -> Vec<(usize, usize, usize)> {
    let valid: Vec<i64> = whole
        .iter()
        .zip(offset)
        .zip(piece)
        .map(|((size, from), local)| (size - from).clamp(0, *local))
        .collect();
    let Some((last, rows)) = valid.split_last() else { return vec![(0, 0, 1)] };
    let place = |dims: &[i64], index: &[i64]| index.iter().zip(dims).fold(0, |at, (i, size)| at * size + i);
    let count: i64 = rows.iter().product();
    let run = |row: i64| {
        let mut index = unravel(row, rows);
        index.push(0);
        let to = place(piece, &index);
        index.iter_mut().zip(offset).for_each(|(index, from)| *index += from);
        (place(whole, &index) as usize, to as usize, *last as usize)
    };
    if *last == 0 { Vec::new() } else { (0..count).map(run).collect() }
}

fn unravel(mut number: i64, dims: &[i64]) -> Vec<i64> {
    let mut index = vec![0; dims.len()];
    for (at, size) in index.iter_mut().zip(dims).rev() {
        (*at, number) = (number % size.max(&1), number / size.max(&1));
    }
    index
}

/// The global array from what every device holds.
fn assemble(
    pieces: &[(DeviceId, &Tensor)],
    placement: &Placement,
    mesh: &Mesh,
) -> Result<Tensor, Diagnostic> {
    let (shape, sharding) = (&placement.global.dims, &placement.sharding);
    let dtype = placement.global.dtype;
    let mut held: BTreeMap<(Vec<i64>, i64), (DeviceId, &Tensor)> = BTreeMap::new();
    for (device, piece) in pieces.iter().copied() {
        let Some(position) = mesh.position_of(device) else { continue };
        let tile = sharding.tile_at(mesh, position);
        let part = index_along(mesh, &sharding.partial, position);
        let (first, other) = *held.entry((tile, part)).or_insert((device, piece));
        check_same(placement, mesh, (first, other), (device, piece))?;
    }
    let local = sharding.shard_shape(shape);
    let width = dtype.bytes();
    let mut out = vec![0; elements(shape) * width];
    let mut written = 0;
    let mut tiles: BTreeMap<&[i64], Tensor> = BTreeMap::new();
    for ((tile, _), (_, piece)) in &held {
        let sum = match tiles.get(tile.as_slice()) {
            None => (*piece).clone(),
            Some(before) => combined(sharding.reducer, before, piece)?,
        };
        tiles.insert(tile, sum);
    }
    for (tile, piece) in &tiles {
        let offset: Vec<i64> = tile.iter().zip(&local).map(|(tile, size)| tile * size).collect();
        let bytes = piece.to_bytes();
        for (to, from, count) in runs(shape, &offset, &local) {
            out[to * width..(to + count) * width]
                .copy_from_slice(&bytes[from * width..(from + count) * width]);
            written += count;
        }
    }
    if written != elements(shape) {
        let message = format!("the devices hold {written} of {} elements", elements(shape));
        return Err(Diagnostic::error(INCOMPLETE, message));
    }
    Tensor::from_bytes(placement.global.clone(), &out)
        .ok_or_else(|| wrong("the whole does not fit its type".to_string()))
}

/// Two devices with one tile must hold the same bits where it is not padding.
fn check_same(
    placement: &Placement,
    mesh: &Mesh,
    (first, a): (DeviceId, &Tensor),
    (second, b): (DeviceId, &Tensor),
) -> Result<(), Diagnostic> {
    let shape = &placement.global.dims;
    let offset = placement.sharding.shard_offset(mesh, shape, first).unwrap_or_default();
    for (_, at, count) in runs(shape, &offset, a.dims()) {
        let differs = (at..at + count).find(|at| !same_bits(a.get(*at), b.get(*at)));
        if let Some(at) = differs {
            let shown =
                |held: &Tensor| held.get(at).map_or("nothing".to_string(), |number| number.to_string());
            let message = format!(
                "devices {first} and {second} should hold the same piece of {}, but have {} and {} at its element {at}",
                placement.global,
                shown(a),
                shown(b)
            );
            let note = "the partitioned program is wrong, or a manual part gives each device another value";
            return Err(Diagnostic::error(NOT_REPLICATED, message).note(note));
        }
    }
    Ok(())
}

fn same_bits(a: Option<Scalar>, b: Option<Scalar>) -> bool {
    match (a, b) {
        (Some(Scalar::Float(a)), Some(Scalar::Float(b))) => {
            a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan())
        }
        (a, b) => a == b,
    }
}

fn combined(reducer: Reducer, a: &Tensor, b: &Tensor) -> Result<Tensor, Diagnostic> {
    let ints = |x: &Tensor| x.to_ints();
    let result = match (ints(a), ints(b)) {
        (Some(x), Some(y)) => {
            let step = int_step(reducer);
            let of = |(a, b): (&i64, &i64)| step(*a, *b);
            Tensor::from_ints(a.dtype(), a.dims(), &x.iter().zip(&y).map(of).collect::<Vec<_>>())
        }
        _ => {
            let (x, y) = (a.to_f64s(), b.to_f64s());
            let of = |(a, b): (&f64, &f64)| combine_floats(reducer, *a, *b);
            Tensor::from_f64s(a.dtype(), a.dims(), &x.iter().zip(&y).map(of).collect::<Vec<_>>())
        }
    };
    result.ok_or_else(|| wrong("parts of a partial result differ in type".to_string()))
}

fn combine_floats(reducer: Reducer, a: f64, b: f64) -> f64 {
    match reducer {
        Reducer::Sum => a + b,
        Reducer::Product => a * b,
        Reducer::Min => a.min(b),
        Reducer::Max => a.max(b),
        Reducer::And | Reducer::Or | Reducer::Xor => f64::NAN,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use meshwright_shard::{AxisRef, MeshId, Sharding};

    fn listed(pieces: [&Tensor; 4]) -> [(DeviceId, &Tensor); 4] {
        [0, 1, 2, 3].map(|at| (DeviceId::from_index(at), pieces[at]))
    }

    fn over_four(dims: &[i64], order: Option<Vec<u32>>) -> (Mesh, Placement) {
        let mesh = Mesh::new("m", [("x", 2), ("y", 2)], order).unwrap();
        let id: MeshId = meshwright_base::Id::from_index(0);
        let axes: Vec<AxisRef> = mesh.whole_axes();
        let sharding = Sharding::tiled(id, [vec![axes[0]], vec![axes[1]]]);
        (mesh, Placement { global: TensorType::new(DType::S32, dims), sharding })
    }

    fn cut_one(global: &Tensor, placement: &Placement, mesh: &Mesh) -> Vec<Tensor> {
        let bytes = global.to_bytes();
        (0..4).map(|device| cut(global, &bytes, placement, mesh, DeviceId::new(device)).unwrap()).collect()
    }

    #[test]
    fn pieces_come_together_again_whatever_the_order_of_devices() {
        for order in [None, Some(vec![3, 1, 0, 2])] {
            let (mesh, placement) = over_four(&[3, 5], order);
            let global = Tensor::from_ints(DType::S32, &[3, 5], &(0..15).collect::<Vec<_>>()).unwrap();
            let pieces = cut_one(&global, &placement, &mesh);
            assert_eq!(pieces[0].dims(), [2, 3]);
            let pieces: Vec<(DeviceId, &Tensor)> = (0..).map(DeviceId::new).zip(&pieces).collect();
            assert_eq!(assemble(&pieces, &placement, &mesh).unwrap(), global);
        }
    }

    #[test]
    fn padding_is_garbage() {
        let (mesh, placement) = over_four(&[3, 5], None);
        let global = Tensor::from_ints(DType::S32, &[3, 5], &[0; 15]).unwrap();
        let last = cut_one(&global, &placement, &mesh).pop().unwrap();
        assert_eq!(last.to_ints().unwrap(), [0, 0, 0x6b6b6b6b, 0x6b6b6b6b, 0x6b6b6b6b, 0x6b6b6b6b]);
        assert!(
            Tensor::from_bytes(TensorType::scalar(DType::BF16), &garbage(DType::BF16)).unwrap().to_f64s()[0]
                .is_nan()
        );
    }

    #[test]
    fn replicas_must_agree_and_parts_are_reduced() {
        let (mesh, mut placement) = over_four(&[4, 4], None);
        let axes = mesh.whole_axes();
        placement.sharding.dims[1].axes.clear();
        let whole = |n: i64| Tensor::from_ints(DType::S32, &[2, 4], &[n; 8]).unwrap();
        let (one, two) = (whole(1), whole(2));
        let found = assemble(&listed([&one, &two, &one, &one]), &placement, &mesh).unwrap_err();
        assert!(found.message.starts_with("devices 0 and 1 should hold the same piece"), "{}", found.message);
        placement.sharding.partial = vec![axes[1]];
        let sums = assemble(&listed([&one, &two, &one, &one]), &placement, &mesh).unwrap();
        assert_eq!(sums.to_ints().unwrap()[6..10], [3, 3, 2, 2]);
        let global = Tensor::from_ints(DType::S32, &[4, 4], &(0..16).collect::<Vec<_>>()).unwrap();
        let pieces = cut_one(&global, &placement, &mesh);
        let pieces: Vec<(DeviceId, &Tensor)> = (0..).map(DeviceId::new).zip(&pieces).collect();
        assert_eq!(assemble(&pieces, &placement, &mesh).unwrap(), global);
    }
}
