//! What the engine's tests share: golden archives, modules as one-device programs, comparison.
#![allow(dead_code)]

use meshwright_base::SourceText;
use meshwright_cpu::Cpu;
use meshwright_interp::Tensor;
use meshwright_ir::{DType, Module, Placement, SpmdModule, TensorType, ValueId};
use meshwright_runtime::devices::place_all;
use meshwright_runtime::{Devices, HostArray, InProcess, LoadOptions};
use meshwright_shard::{Mesh, Sharding};
use std::path::{Path, PathBuf};
use std::sync::Arc;

pub fn golden() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/golden")
}

/// Arrays `0`, `1`, .. of an uncompressed npz archive with the types the module gives them.
pub fn archive(path: &Path, types: &[TensorType]) -> Option<Vec<HostArray>> {
    let bytes = std::fs::read(path).ok()?;
    let members = members(&bytes)?;
    let one = |(i, ty): (usize, &TensorType)| {
        let wanted = |name: &str| name == format!("{i}.npy") || name.starts_with(&format!("{i}:"));
        let (_, data) = members.iter().find(|(name, _)| wanted(name))?;
        HostArray::new(ty.clone(), npy(data)?.to_vec())
    };
    types.iter().enumerate().map(one).collect()
}

/// Entries of a zip file, by its central directory.
fn members(bytes: &[u8]) -> Option<Vec<(String, &[u8])>> {
    let u16_at = |at: usize| Some(u16::from_le_bytes(bytes.get(at..at + 2)?.try_into().ok()?) as usize);
    let u32_at = |at: usize| Some(u32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?) as usize);
    let end = bytes.windows(4).rposition(|w| w == b"PK\x05\x06")?;
    let (count, mut at) = (u16_at(end + 10)?, u32_at(end + 16)?);
    let mut out = Vec::new();
    for _ in 0..count {
        let (size, name, extra, comment) =
            (u32_at(at + 24)?, u16_at(at + 28)?, u16_at(at + 30)?, u16_at(at + 32)?);
        let local = u32_at(at + 42)?;
        let text = String::from_utf8(bytes.get(at + 46..at + 46 + name)?.to_vec()).ok()?;
        let start = local + 30 + u16_at(local + 26)? + u16_at(local + 28)?;
        out.push((text, bytes.get(start..start + size)?));
        at += 46 + name + extra + comment;
    }
    Some(out)
}

/// The data of an npy file in C order.
fn npy(bytes: &[u8]) -> Option<&[u8]> {
    let wide = bytes.get(6)? >= &2;
    let (start, len) = if wide {
        (12, u32::from_le_bytes(bytes.get(8..12)?.try_into().ok()?) as usize)
    } else {
        (10, u16::from_le_bytes(bytes.get(8..10)?.try_into().ok()?) as usize)
    };
    let header = std::str::from_utf8(bytes.get(start..start + len)?).ok()?;
    if header.contains("'fortran_order': True") {
        return None;
    }
    bytes.get(start + len..)
}

/// The first result of a module on one device.
pub fn launch(module: Module, inputs: &[Tensor], workers: usize) -> HostArray {
    let program = one_device(module).unwrap();
    let set = InProcess::new(1, Some(workers), Arc::new(Cpu::default()));
    let mut loaded = set.load(&program, &LoadOptions::default()).unwrap();
    let arrays: Vec<HostArray> =
        inputs.iter().map(|x| HostArray { ty: x.ty().clone(), bytes: x.to_bytes() }).collect();
    let args = place_all(&program, &arrays, &set.local()).unwrap();
    loaded.launch(args, None).unwrap()[0].shard(0).unwrap()
}

pub fn parse(path: &Path) -> Result<Module, String> {
    let text = std::fs::read_to_string(path).map_err(|error| error.to_string())?;
    let source = SourceText::new(path.display().to_string(), text);
    let shown = |all: Vec<meshwright_base::Diagnostic>| all.first().map_or(String::new(), |d| d.to_string());
    meshwright_text::parse(&source).map_err(shown)
}

pub fn types(module: &Module, values: &[ValueId]) -> Vec<TensorType> {
    values.iter().filter_map(|value| module.main().ty(*value).as_tensor().cloned()).collect()
}

/// The module as the program of one device.
pub fn one_device(mut module: Module) -> Result<SpmdModule, String> {
    let mesh = Mesh::new("one", [("d", 1)], None).map_err(|d| d.to_string())?;
    let mesh = module.meshes.push(mesh);
    let place = |ty: TensorType| Placement { sharding: Sharding::replicated(mesh, ty.rank()), global: ty };
    let params = types(&module, module.main().param_values()).into_iter().map(place).collect();
    let results = types(&module, module.main().result_values()).into_iter().map(place).collect();
    SpmdModule::new(module, params, results)
        .map_err(|all| all.first().map_or(String::new(), |d| d.to_string()))
}

/// The largest |a - b| / (1 + max(|a|, |b|)), and whether both are NaN in the same places.
pub fn difference(a: &HostArray, b: &HostArray) -> f64 {
    use meshwright_interp::Tensor;
    let tensor = |x: &HostArray| Tensor::from_bytes(x.ty.clone(), &x.bytes);
    match (tensor(a), tensor(b)) {
        (Some(a), Some(b)) => a.max_difference(&b),
        _ => f64::INFINITY,
    }
}

/// What floats of a type may differ by: a few units in the last place of values about 1, with room for sums.
pub fn tolerance(dtype: DType) -> f64 {
    match dtype.part() {
        DType::F64 => 1e-12,
        DType::F32 => 2e-5,
        DType::F16 => 4e-3,
        DType::BF16 => 2e-2,
        part if part.is_float() => 0.3,
        _ => 0.0,
    }
}

/// How many devices a partitioned program is for.
pub fn device_count(program: &SpmdModule) -> usize {
    let module = program.module();
    let largest = module.meshes.values().map(Mesh::device_count).max().unwrap_or(1);
    usize::try_from(largest.max(module.num_partitions.unwrap_or(1))).unwrap_or(1).max(1)
}

/// Why an array is not what was expected; `None` if it is. Exact: whole numbers, whose sums do not depend on order.
pub fn same_enough(ours: &HostArray, expected: &meshwright_interp::Tensor, exact: bool) -> Option<String> {
    let host = HostArray { ty: expected.ty().clone(), bytes: expected.to_bytes() };
    if ours.ty != host.ty {
        return Some(format!("{} instead of {}", ours.ty, host.ty));
    }
    let worst = difference(ours, &host);
    // Whole models add up in other orders than the interpreter.
    let allowed = if exact { 1e-9 } else { 10.0 * tolerance(host.ty.dtype) };
    (worst > allowed || worst.is_nan()).then(|| format!("differs by {worst:.3e}"))
}
