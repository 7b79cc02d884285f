//! The arrays of golden cases.

use libtest_mimic::Failed;
use meshwright_cli::npz::Archive;
use meshwright_cli::place::{Tiling, spread};
use meshwright_interp::{Data, Tensor};
use meshwright_ir::{Annotation, Module, TensorType};
use std::io::{Read, Seek};
use std::path::Path;

/// The arrays of an archive, in the order of their numbers.
pub fn read(path: &Path) -> Result<Vec<Tensor>, Failed> {
    let mut archive = Archive::open(path).map_err(|error| error.to_string())??;
    (0..archive.len()).map(|index| Ok(array(&mut archive, index)?)).collect()
}

fn array<R: Read + Seek>(archive: &mut Archive<R>, index: usize) -> Result<Tensor, String> {
    let entry = archive.find(index, &[]).ok_or_else(|| format!("no array {index}"))?;
    let array = archive.read(entry, 1 << 30)?;
    Tensor::from_bytes(array.ty.clone(), &array.bytes)
        .ok_or_else(|| format!("array {index} does not fit {}", array.ty))
}

/// The parameters of each device.
pub fn spread_all(module: &Module, arrays: &[Tensor], devices: usize) -> Result<Vec<Vec<Tensor>>, Failed> {
    let main = module.main();
    if arrays.len() != main.param_values().len() {
        return Err(format!("{} parameters, but {} arrays", main.param_values().len(), arrays.len()).into());
    }
    let mut all = vec![Vec::new(); devices];
    for (value, array) in main.param_values().iter().zip(arrays) {
        let local = main.ty(*value).as_tensor().ok_or("a parameter is a token")?;
        let cut = cut(module, main.value(*value).sharding.as_ref(), local, devices);
        let pieces = spread(array, local, cut.as_ref(), devices);
        let pieces = pieces.ok_or_else(|| format!("a parameter is {local}, its array {}", array.ty()))?;
        all.iter_mut().zip(pieces).for_each(|(device, piece)| device.push(piece));
    }
    Ok(all)
}

/// Which tile each device holds, if the annotation says so.
pub fn cut(
    module: &Module,
    annotation: Option<&Annotation>,
    ty: &TensorType,
    devices: usize,
) -> Option<Tiling> {
    annotation.and_then(|annotation| Tiling::of(module, annotation, ty.rank(), devices))
}

/// Make zeros of the numbers below f32's normal range.
pub fn flush_subnormals(tensor: &mut Tensor) {
    let Data::Float(floats) = tensor.data() else { return };
    let flushed =
        floats.iter().map(|x| if x.abs() < f64::from(f32::MIN_POSITIVE) { 0f64.copysign(*x) } else { *x });
    let flushed = Tensor::new(tensor.ty().clone(), Data::Float(flushed.collect()));
    *tensor = flushed.unwrap_or_else(|| tensor.clone());
}
