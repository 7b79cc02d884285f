//! An array of Zarr (version 2): `.zarray` says shape, chunks and type; each chunk is a file, gzipped or plain.
//!
//! ```text
//! [48, 16] in chunks of [20, 12]   =>   0.0 0.1 1.0 1.1 2.0 2.1, those at an end filled up
//! ```

use super::{damaged, unreadable};
use meshwright_base::Diagnostic;
use meshwright_runtime::safetensors::{Element, Entry, sizes};
use serde_json::Value;
use std::io::Read;
use std::path::{Path, PathBuf};

/// An array in chunks.
#[derive(Clone, Debug)]
pub(super) struct Chunks {
    path: PathBuf,
    shape: Vec<usize>,
    chunk: Vec<usize>,
    width: usize,
    is_packed: bool,
}

/// Types by numpy's names, and by Zarr's.
pub(super) fn element(word: &str) -> Option<Element> {
    match word {
        "float32" | "<f4" => Some(Element::F32),
        "bfloat16" => Some(Element::Bf16),
        "float16" | "<f2" => Some(Element::F16),
        "float64" | "<f8" => Some(Element::F64),
        _ => None,
    }
}

/// What `.zarray` in a folder says.
pub(super) fn open(path: &Path) -> Result<(Entry, Chunks), Diagnostic> {
    let file = path.join(".zarray");
    let bytes = std::fs::read(&file).map_err(|error| unreadable(&file, &error))?;
    let found: Value = serde_json::from_slice(&bytes).map_err(|error| damaged(&file, error))?;
    let wrong = |what: &str| damaged(&file, format!("`{what}` is {}", found[what]));
    let shape = sizes(&found["shape"]).ok_or_else(|| wrong("shape"))?;
    let chunk = sizes(&found["chunks"]).filter(|chunk| chunk.len() == shape.len() && !chunk.contains(&0));
    let chunk = chunk.ok_or_else(|| wrong("chunks"))?;
    let element = found["dtype"].as_str().and_then(element).ok_or_else(|| wrong("dtype"))?;
    let is_packed = match &found["compressor"] {
        Value::Null => false,
        compressor if compressor["id"] == "gzip" => true,
        _ => return Err(wrong("compressor")),
    };
    if found["order"] != "C" || !found["filters"].is_null() {
        return Err(wrong(if found["order"] == "C" { "filters" } else { "order" }));
    }
    let elements = shape.iter().try_fold(1usize, |all, size| all.checked_mul(*size));
    let elements = elements.ok_or_else(|| wrong("shape"))?;
    let width = element.bytes();
    let entry = Entry { element, shape: shape.clone(), begin: 0, bytes: (elements * width) as u64 };
    let chunks = Chunks { path: path.into(), shape, chunk, width, is_packed };
    Ok((entry, chunks))
}

impl Chunks {
    /// The whole array. A chunk that is not there holds zeros.
    pub fn read(&self) -> Result<Vec<u8>, Diagnostic> {
        let mut out = vec![0; self.shape.iter().product::<usize>() * self.width];
        let counts: Vec<usize> =
            self.shape.iter().zip(&self.chunk).map(|(size, chunk)| size.div_ceil(*chunk)).collect();
        for number in 0..counts.iter().product() {
            self.read_one(&digits(number, &counts), &mut out)?;
        }
        Ok(out)
    }

    fn read_one(&self, at: &[usize], out: &mut [u8]) -> Result<(), Diagnostic> {
        let name = at.iter().map(ToString::to_string).collect::<Vec<_>>().join(".");
        let path = self.path.join(if name.is_empty() { "0" } else { &name });
        let packed = match std::fs::read(&path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(()),
            Err(error) => return Err(unreadable(&path, &error)),
        };
        let expected = self.chunk.iter().product::<usize>() * self.width;
        let bytes = if self.is_packed {
            let mut bytes = Vec::new();
            // No more than a chunk, whatever the file claims.
            let most = expected as u64 + 1;
            let read = flate2::read::MultiGzDecoder::new(&packed[..]).take(most).read_to_end(&mut bytes);
            read.map_err(|error| damaged(&path, error))?;
            bytes
        } else {
            packed
        };
        if bytes.len() != expected {
            return Err(damaged(&path, format!("a chunk of {} bytes and not of {expected}", bytes.len())));
        }
        // Rows of the last dim lie together; chunks at an end hold more than is in the array.
        let rank = self.shape.len();
        let last = rank.saturating_sub(1);
        let row = self.chunk.get(last).copied().unwrap_or(1);
        let begin = at.get(last).map_or(0, |at| at * row);
        let kept = self.shape.get(last).map_or(1, |size| (size - begin).min(row)) * self.width;
        for (number, from) in bytes.chunks(row * self.width).enumerate() {
            let within = digits(number, &self.chunk[..last]);
            let places: Vec<usize> =
                within.iter().enumerate().map(|(dim, place)| at[dim] * self.chunk[dim] + place).collect();
            if places.iter().zip(&self.shape).any(|(place, size)| place >= size) {
                continue;
            }
            let line = places.iter().zip(&self.shape).fold(0, |all, (place, size)| all * size + place);
            let to = (line * self.shape.get(last).copied().unwrap_or(1) + begin) * self.width;
            out[to..to + kept].copy_from_slice(&from[..kept]);
        }
        Ok(())
    }
}

/// A number in digits of these bases, the last the fastest.
fn digits(mut number: usize, bases: &[usize]) -> Vec<usize> {
    let mut out = vec![0; bases.len()];
    for (digit, base) in out.iter_mut().zip(bases).rev() {
        (*digit, number) = (number % base.max(&1), number / base.max(&1));
    }
    out
}
