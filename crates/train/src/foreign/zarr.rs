//! An array of Zarr (version 2): `.zarray` says shape, chunks and type; each chunk is a file, gzipped or plain.
//!
//! ```text
//! [48, 16] in chunks of [20, 12]   =>   0.0 0.1 1.0 1.1 2.0 2.1, those at an end filled up
//! ```
//!
//! A chunk that is not there holds the `fill_value`. Where that is not stated TensorStore writes all chunks, and a
//! missing one is an accident: the folder was not copied to its end, and zeros in place of weights would train.

use super::{FOLDER, damaged, unreadable};
use meshwright_base::{Diagnostic, budget};
use meshwright_ir::literal::float_bytes;
use meshwright_runtime::files::read_regular;
use meshwright_runtime::safetensors::{Element, Entry, sizes};
use serde_json::Value;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// An array in chunks.
#[derive(Clone, Debug)]
pub(super) struct Chunks {
    path: PathBuf,
    shape: Vec<usize>,
    chunk: Vec<usize>,
    width: usize,
    is_packed: bool,
    /// The bytes of an element that was not written.
    fill: Vec<u8>,
    /// Places of the chunks that are there, in order.
    present: Vec<Vec<usize>>,
    /// How many chunks are not, in words, if any.
    pub missing: Option<String>,
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
    let names = names_in(path).map_err(|error| unreadable(path, &error))?;
    let file = path.join(".zarray");
    let bytes = read_regular(&file).map_err(|error| unreadable(&file, &error))?;
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
    let separator = &found["dimension_separator"];
    let others = [
        ("order", found["order"] != "C"),
        ("filters", !found["filters"].is_null()),
        ("dimension_separator", !separator.is_null() && separator != "."),
    ];
    if let Some((what, _)) = others.into_iter().find(|(_, is_other)| *is_other) {
        return Err(wrong(what));
    }
    let width = element.bytes();
    let bytes_of = |sizes: &[usize]| sizes.iter().try_fold(width, |all, size| all.checked_mul(*size));
    let bytes = bytes_of(&shape).ok_or_else(|| wrong("shape"))? as u64;
    bytes_of(&chunk).ok_or_else(|| wrong("chunks"))?;
    let entry = Entry { element, shape: shape.clone(), begin: 0, bytes };
    let fill = match &found["fill_value"] {
        Value::Null => None,
        value => Some(value.as_f64().ok_or_else(|| wrong("fill_value"))?),
    };
    let bytes = float_bytes(element.dtype(), fill.unwrap_or(0.0));
    let mut chunks = Chunks {
        path: path.into(),
        shape,
        chunk,
        width,
        is_packed,
        fill: bytes,
        present: Vec::new(),
        missing: None,
    };
    chunks.present = chunks.places(&names);
    let all: usize = chunks.counts().iter().product();
    match (all.saturating_sub(chunks.present.len()), fill) {
        (0, _) => {}
        (missing, Some(fill)) => {
            let which = format!("{missing} of its {all} chunks, which hold its `fill_value`: {fill}");
            chunks.missing = Some(which);
        }
        (missing, None) => return Err(incomplete(path, missing, all)),
    }
    Ok((entry, chunks))
}

/// Names in the folder of an array. None is passed over: without its name a chunk that is there would not be read.
fn names_in(path: &Path) -> io::Result<Vec<String>> {
    path.read_dir()?.map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned())).collect()
}

fn incomplete(path: &Path, missing: usize, all: usize) -> Diagnostic {
    let message = format!("`{}` is not whole: {missing} of its {all} chunks are not there", path.display());
    Diagnostic::error(FOLDER, message).help(
        "copy the folder anew, whole; if they are to be zeros, say so in its `.zarray`: `\"fill_value\": 0.0`",
    )
}

impl Chunks {
    /// The whole array.
    pub fn read(&self) -> Result<Vec<u8>, Diagnostic> {
        let mut out = self.filled().map_err(|error| unreadable(&self.path, &error))?;
        for at in &self.present {
            self.read_one(at, &mut out)?;
        }
        Ok(out)
    }

    /// An array without a chunk. Its size is the claim of a file: it must not end the process.
    fn filled(&self) -> io::Result<Vec<u8>> {
        let bytes = self.shape.iter().product::<usize>() * self.width;
        budget::check(bytes as u64, || "the array".into())
            .map_err(|found| io::Error::other(found.message))?;
        let mut out = Vec::new();
        out.try_reserve_exact(bytes)?;
        out.resize(bytes, 0);
        if self.fill.iter().any(|byte| *byte != 0) {
            out.chunks_exact_mut(self.width).for_each(|one| one.copy_from_slice(&self.fill));
        }
        Ok(out)
    }

    /// How many chunks there are along each dim.
    fn counts(&self) -> Vec<usize> {
        self.shape.iter().zip(&self.chunk).map(|(size, chunk)| size.div_ceil(*chunk)).collect()
    }

    /// Places of the chunks that have these names, in order. A shape may claim more chunks than could ever be looked
    /// for.
    fn places(&self, names: &[String]) -> Vec<Vec<usize>> {
        let counts = self.counts();
        let mut found = Vec::new();
        for name in names {
            let at: Option<Vec<usize>> = match name.as_str() {
                "0" if counts.is_empty() => Some(Vec::new()),
                name => name.split('.').map(|part| part.parse().ok()).collect(),
            };
            // `01` does not name a chunk.
            let is_chunk = |at: &Vec<usize>| {
                let is_within = at.iter().zip(&counts).all(|(at, count)| at < count);
                at.len() == counts.len() && is_within && self.file(at) == self.path.join(name)
            };
            found.extend(at.filter(is_chunk));
        }
        found.sort_unstable();
        found
    }

    fn file(&self, at: &[usize]) -> PathBuf {
        let name = at.iter().map(ToString::to_string).collect::<Vec<_>>().join(".");
        self.path.join(if name.is_empty() { "0" } else { &name })
    }

    fn read_one(&self, at: &[usize], out: &mut [u8]) -> Result<(), Diagnostic> {
        let path = self.file(at);
        let packed = read_regular(&path).map_err(|error| unreadable(&path, &error))?;
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

#[cfg(test)]
mod tests {
    use super::*;

    fn place(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("meshwright-zarr-{}-{name}", std::process::id()));
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder).unwrap();
        folder
    }

    const WHOLE: &str = r#"{"chunks": [2], "compressor": {"id": "gzip"}, "dtype": "<f4", "fill_value": null,
        "filters": null, "order": "C", "shape": [3], "zarr_format": 2}"#;

    #[test]
    fn every_fault_of_a_zarray_is_named() {
        let folder = place("faults");
        let file = folder.join(".zarray");
        let said = || open(&folder).unwrap_err();
        assert!(said().message.starts_with(&format!("cannot read `{}`: ", file.display())));
        let none = folder.join("none");
        let found = open(&none).unwrap_err().message;
        assert!(found.starts_with(&format!("cannot read `{}`: ", none.display())), "{found}");
        std::fs::write(folder.join("0"), "").unwrap();
        for (from, to, words) in [
            ("{", "[", "is damaged: expected"),
            ("[3]", "[-3]", "`shape` is [-3]"),
            ("[3]", "[9223372036854775807]", "`shape` is [9223372036854775807]"),
            ("[2]", "[0]", "`chunks` is [0]"),
            ("[2]", "[2,2]", "`chunks` is [2,2]"),
            ("[2]", "[9223372036854775807]", "`chunks` is [9223372036854775807]"),
            ("<f4", ">f4", "`dtype` is \">f4\""),
            ("gzip", "blosc", "`compressor` is {\"id\":\"blosc\"}"),
            ("\"C\"", "\"F\"", "`order` is \"F\""),
            ("\"filters\": null", "\"filters\": []", "`filters` is []"),
            ("\"order\"", "\"dimension_separator\": \"/\", \"order\"", "`dimension_separator` is \"/\""),
            ("\"fill_value\": null", "\"fill_value\": \"NaN\"", "`fill_value` is \"NaN\""),
            ("{", "{", "` is not whole: 1 of its 2 chunks are not there"),
        ] {
            std::fs::write(&file, WHOLE.replacen(from, to, 1)).unwrap();
            let found = said();
            assert_eq!(found.code, FOLDER);
            assert!(found.message.contains(words), "no `{words}` in {}", found.message);
        }
    }

    /// A chunk that goes after it was counted does not become zeros.
    #[test]
    fn every_fault_of_a_chunk_is_named() {
        let folder = place("chunks");
        std::fs::write(folder.join(".zarray"), WHOLE).unwrap();
        ["0", "1"].iter().for_each(|name| std::fs::write(folder.join(name), "no gzip").unwrap());
        let (_, chunks) = open(&folder).unwrap();
        let found = chunks.read().unwrap_err().message;
        assert!(found.contains("0` is damaged: "), "{found}");
        std::fs::remove_file(folder.join("0")).unwrap();
        let found = chunks.read().unwrap_err().message;
        assert!(found.starts_with(&format!("cannot read `{}`", folder.join("0").display())), "{found}");
        std::fs::write(folder.join(".zarray"), WHOLE.replace("{\"id\": \"gzip\"}", "null")).unwrap();
        std::fs::write(folder.join("0"), [0; 4]).unwrap();
        let found = open(&folder).unwrap().1.read().unwrap_err().message;
        assert!(found.contains("0` is damaged: a chunk of 4 bytes and not of 8"), "{found}");
    }

    #[test]
    fn an_array_that_no_memory_holds_is_refused() {
        let folder = place("large");
        let about = WHOLE
            .replace("[3]", "[2305843009213693952]")
            .replace("\"fill_value\": null", "\"fill_value\": 0");
        std::fs::write(folder.join(".zarray"), about).unwrap();
        let found = open(&folder).unwrap().1.read().unwrap_err().message;
        assert!(found.starts_with(&format!("cannot read `{}`: ", folder.display())), "{found}");
    }

    /// A reader that looks for each chunk by its name takes minutes for a few bytes of input.
    #[test]
    fn chunks_that_are_not_there_take_no_time() {
        let folder = place("none");
        let about = r#"{"chunks": [1], "compressor": null, "dtype": "<f4", "fill_value": 0.5, "filters": null,
            "order": "C", "shape": [4194304], "zarr_format": 2}"#;
        std::fs::write(folder.join(".zarray"), about).unwrap();
        std::fs::write(folder.join("3"), 1f32.to_le_bytes()).unwrap();
        std::fs::write(folder.join("04"), 2f32.to_le_bytes()).unwrap();
        let (_, chunks) = open(&folder).unwrap();
        assert_eq!(chunks.present, [[3]]);
        let bytes = chunks.read().unwrap();
        let numbers: Vec<f32> =
            bytes[..24].chunks(4).map(|bytes| f32::from_le_bytes(bytes.try_into().unwrap())).collect();
        assert_eq!(numbers, [0.5, 0.5, 0.5, 1.0, 0.5, 0.5]);
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
