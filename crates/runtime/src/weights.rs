//! Whole arrays by name in files: one safetensors file, or a directory of several with an index, as Hugging Face lays
//! it out.
//!
//! ```text
//! FILE.safetensors
//! DIR/model-00001-of-00002.safetensors  DIR/model-00002-of-00002.safetensors  DIR/model.safetensors.index.json
//! ```
//!
//! Writing goes beside the target and ends with a rename: if it fails, what was there stays. Shards hold whole tensors.

use crate::array::HostArray;
use crate::files::{open_sized, read_regular};
use crate::safetensors::{Element, Entry, entries, header, header_length};
use meshwright_ir::TensorType;
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// Arrays under names.
pub type Named = BTreeMap<String, HostArray>;

const INDEX: &str = "model.safetensors.index.json";

/// Write one file. One that is replaced keeps its mode.
pub fn write_file(path: &Path, arrays: &[(&str, &HostArray)]) -> Result<(), String> {
    let beside = beside(path);
    let permissions = fs::metadata(path).ok().map(|found| found.permissions());
    let mut options = File::options();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    if permissions.is_some() {
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    }
    let written = options.open(&beside).map_err(|error| cannot("write", &beside, &error));
    let written = written.and_then(|file| {
        put(&beside, arrays)?;
        // A file system without modes keeps its own.
        let _ = permissions.map(|permissions| file.set_permissions(permissions));
        rename(&beside, path)
    });
    written.inspect_err(|_| drop(fs::remove_file(&beside)))
}

/// Write a directory of files of at most so many bytes of tensors each; a larger tensor has a file of its own.
pub fn write_shards(path: &Path, arrays: &[(&str, &HostArray)], most: u64) -> Result<(), String> {
    if path.exists() && !path.join(INDEX).exists() {
        return Err(format!("`{}` exists and holds no weights: it would be replaced", path.display()));
    }
    let beside = beside(path);
    let written = fill(&beside, arrays, most).and_then(|()| replace(&beside, path));
    written.inspect_err(|_| drop(fs::remove_dir_all(&beside)))
}

fn fill(path: &Path, arrays: &[(&str, &HostArray)], most: u64) -> Result<(), String> {
    fs::create_dir_all(path).map_err(|error| cannot("make", path, &error))?;
    let shards = shards(arrays, most);
    let mut map = Map::new();
    for (at, shard) in shards.iter().enumerate() {
        let name = format!("model-{:05}-of-{:05}.safetensors", at + 1, shards.len());
        put(&path.join(&name), shard)?;
        map.extend(shard.iter().map(|(tensor, _)| ((*tensor).to_string(), json!(name))));
    }
    let bytes: usize = arrays.iter().map(|(_, array)| array.bytes.len()).sum();
    let index = json!({"metadata": {"total_size": bytes}, "weight_map": map}).to_string();
    let path = path.join(INDEX);
    sync(&path, |file| file.write_all(index.as_bytes()))
}

fn shards<'a>(arrays: &[(&'a str, &'a HostArray)], most: u64) -> Vec<Vec<(&'a str, &'a HostArray)>> {
    let mut shards = vec![Vec::new()];
    let mut filled = 0u64;
    for (name, array) in arrays {
        let bytes = array.bytes.len() as u64;
        if filled > 0 && filled.saturating_add(bytes) > most {
            shards.push(Vec::new());
            filled = 0;
        }
        filled += bytes;
        if let Some(last) = shards.last_mut() {
            last.push((*name, *array));
        }
    }
    shards
}

fn put(path: &Path, arrays: &[(&str, &HostArray)]) -> Result<(), String> {
    let shapes: Vec<Vec<usize>> = arrays.iter().map(|(_, array)| sizes(&array.ty)).collect();
    let mut rows = Vec::new();
    for ((name, array), shape) in arrays.iter().zip(&shapes) {
        let element = Element::of(array.ty.dtype);
        let element =
            element.ok_or_else(|| format!("`{name}` is {}: safetensors has no such type", array.ty))?;
        rows.push((*name, element, &shape[..], array.bytes.len()));
    }
    sync(path, |file| {
        file.write_all(&header(&rows))?;
        arrays.iter().try_for_each(|(_, array)| file.write_all(&array.bytes))
    })
}

fn sizes(ty: &TensorType) -> Vec<usize> {
    ty.dims.iter().map(|size| usize::try_from(*size).unwrap_or(0)).collect()
}

/// A file that is on the disk when this returns.
fn sync(path: &Path, write: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>) -> Result<(), String> {
    let written = File::create(path).and_then(|file| {
        let mut file = BufWriter::new(file);
        write(&mut file)?;
        file.into_inner().map_err(io::IntoInnerError::into_error)?.sync_all()
    });
    written.map_err(|error| cannot("write", path, &error))
}

fn rename(from: &Path, to: &Path) -> Result<(), String> {
    fs::rename(from, to).map_err(|error| cannot("write", to, &error))
}

/// A directory in the place of another.
fn replace(new: &Path, path: &Path) -> Result<(), String> {
    if !path.exists() {
        return rename(new, path);
    }
    let old = with(path, ".old");
    rename(path, &old)?;
    rename(new, path).inspect_err(|_| drop(fs::rename(&old, path)))?;
    fs::remove_dir_all(&old).map_err(|error| cannot("remove", &old, &error))
}

fn beside(path: &Path) -> PathBuf {
    with(path, &format!(".{}.part", std::process::id()))
}

fn with(path: &Path, end: &str) -> PathBuf {
    let mut name = path.file_name().map_or_else(OsString::new, OsString::from);
    name.push(end);
    path.with_file_name(name)
}

fn cannot(what: &str, path: &Path, error: &io::Error) -> String {
    format!("cannot {what} `{}`: {error}", path.display())
}

/// Read a file, or all files of a directory.
pub fn read(path: &Path) -> Result<Named, String> {
    if path.is_dir() {
        files(path)?.iter().try_fold(Named::new(), |mut all, file| {
            all.extend(read_file(&path.join(file))?);
            Ok(all)
        })
    } else {
        read_file(path)
    }
}

/// The files that an index names: plain names, so that nothing outside of the directory is read.
fn files(path: &Path) -> Result<BTreeSet<String>, String> {
    let index = path.join(INDEX);
    let text = read_regular(&index).map_err(|error| cannot("read", &index, &error))?;
    let damaged = || format!("`{}` is no index of weights", index.display());
    let index: Value = serde_json::from_slice(&text).map_err(|_| damaged())?;
    let map = index["weight_map"].as_object().ok_or_else(damaged)?;
    let file = |name: &Value| name.as_str().filter(|name| !name.contains(['/', '\\'])).map(str::to_string);
    map.values().map(|name| file(name).ok_or_else(damaged)).collect()
}

fn read_file(path: &Path) -> Result<Named, String> {
    let opened = open_sized(path).map_err(|error| cannot("read", path, &error))?;
    read_open(path, opened)
}

/// The tensors of an open file of this length.
fn read_open(path: &Path, (mut file, bytes): (File, u64)) -> Result<Named, String> {
    let (found, data) =
        table(&mut file, bytes).map_err(|what| format!("`{}` is damaged: {what}", path.display()))?;
    let one = |(name, entry): (String, Entry)| {
        let array = array(&mut file, &entry, data).map_err(|error| cannot("read", path, &error))?;
        Ok((name, array))
    };
    found.into_iter().map(one).collect()
}

/// The tensors of a file, and where their bytes begin.
fn table(file: &mut File, bytes: u64) -> Result<(BTreeMap<String, Entry>, u64), String> {
    let words = |error: io::Error| error.to_string();
    let mut first = [0; 8];
    file.read_exact(&mut first).map_err(words)?;
    let length = header_length(first, bytes)?;
    let mut header = vec![0; length as usize];
    file.read_exact(&mut header).map_err(words)?;
    let data = 8 + u64::from(length);
    Ok((entries(&header, bytes - data)?, data))
}

fn array(file: &mut File, entry: &Entry, data: u64) -> io::Result<HostArray> {
    file.seek(SeekFrom::Start(data + entry.begin))?;
    let mut bytes = vec![0; usize::try_from(entry.bytes).unwrap_or(0)];
    file.read_exact(&mut bytes)?;
    let dims: Result<Vec<i64>, _> = entry.shape.iter().map(|size| i64::try_from(*size)).collect();
    let ty = dims.ok().map(|dims| TensorType::new(entry.element.dtype(), dims));
    let array = ty.and_then(|ty| HostArray::new(ty, bytes));
    array.ok_or_else(|| io::Error::other(format!("no array has the sizes {:?}", entry.shape)))
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use meshwright_ir::DType;
    use std::os::unix::fs::PermissionsExt;

    fn array(dtype: DType) -> HostArray {
        HostArray::zeros(TensorType::new(dtype, [2]))
    }

    fn place(name: &str) -> PathBuf {
        let path = std::env::temp_dir().join(format!("meshwright-weights-{}-{name}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).unwrap();
        path
    }

    #[test]
    fn a_replaced_file_keeps_its_mode() {
        let path = place("mode").join("w.safetensors");
        let array = array(DType::F32);
        let write = || write_file(&path, &[("w", &array)]).unwrap();
        write();
        for wanted in [0o600, 0o400, 0o644] {
            fs::set_permissions(&path, fs::Permissions::from_mode(wanted)).unwrap();
            write();
            assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, wanted, "{wanted:o}");
        }
    }

    #[test]
    fn weights_that_cannot_be_written_are_told_and_nothing_is_left() {
        let root = place("unwritable");
        let floats = array(DType::F32);
        let rows = [("w", &floats)];
        let nowhere = root.join("nowhere/w");
        assert!(write_file(&nowhere, &rows).unwrap_err().starts_with("cannot write `"));
        let small = array(DType::S4);
        let said = write_file(&root.join("w"), &[("w", &small)]).unwrap_err();
        assert_eq!(said, "`w` is s4[2]: safetensors has no such type");
        // A folder where a file is to be, and a file where a folder is.
        let said = write_file(&root, &rows).unwrap_err();
        assert_eq!(said, format!("cannot write `{}`: Is a directory (os error 21)", root.display()));
        let file = root.join("file");
        fs::write(&file, "").unwrap();
        assert!(write_shards(&file.join("w"), &rows, 9).unwrap_err().starts_with("cannot make `"));
        assert!(
            write_shards(&file, &rows, 9).unwrap_err().ends_with("holds no weights: it would be replaced")
        );
        let shards = root.join("shards");
        let part = beside(&shards).join("model-00001-of-00001.safetensors");
        fs::create_dir_all(&part).unwrap();
        let said = write_shards(&shards, &rows, 9).unwrap_err();
        assert_eq!(said, format!("cannot write `{}`: Is a directory (os error 21)", part.display()));
        assert_eq!(fs::read_dir(&root).unwrap().count(), 1, "nothing but the file is left");
    }

    #[test]
    fn weights_that_are_damaged_are_told() {
        let root = place("damaged");
        let said = |path: &Path| read(path).unwrap_err();
        let index = root.join(INDEX);
        assert_eq!(
            said(&root),
            format!("cannot read `{}`: No such file or directory (os error 2)", index.display())
        );
        for text in ["[", "{}", r#"{"weight_map": {"w": 1}}"#, r#"{"weight_map": {"w": "../w"}}"#] {
            fs::write(&index, text).unwrap();
            assert_eq!(said(&root), format!("`{}` is no index of weights", index.display()));
        }
        fs::write(&index, r#"{"weight_map": {"w": "w"}}"#).unwrap();
        let file = root.join("w");
        assert_eq!(
            said(&root),
            format!("cannot read `{}`: No such file or directory (os error 2)", file.display())
        );
        write_file(&file, &[("w", &array(DType::F32))]).unwrap();
        assert_eq!(read(&root).unwrap()["w"], array(DType::F32));
        let whole = fs::read(&file).unwrap();
        fs::write(&file, &whole[..whole.len() - 1]).unwrap();
        assert!(said(&file).ends_with("is damaged: its tensors do not fill its 7 bytes"), "{}", said(&file));
        // Cut after it was opened.
        let opened = (File::open(&file).unwrap(), whole.len() as u64);
        let cut = read_open(&file, opened).unwrap_err();
        assert_eq!(cut, format!("cannot read `{}`: failed to fill whole buffer", file.display()));
        let sizes = [0, usize::MAX];
        fs::write(&file, header(&[("w", Element::U8, &sizes, 0)])).unwrap();
        assert!(said(&file).ends_with("no array has the sizes [0, 18446744073709551615]"), "{}", said(&file));
    }
}
