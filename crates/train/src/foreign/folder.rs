//! A folder as Hugging Face's libraries write it: `config.json`, and weights in one file of safetensors or in several
//! that an index names. Headers are read when it is opened and held against the sizes of files; tensors when they are
//! asked for.

use super::zarr::Chunks;
use super::{FOLDER, asked, damaged, is_named, unreadable};
use meshwright_base::Diagnostic;
use meshwright_runtime::files::{open_regular, open_sized, read_regular};
use meshwright_runtime::safetensors::{self, Entry};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::rc::Rc;

pub(super) const CONFIG: &str = "config.json";
pub(super) const WEIGHTS: &str = "model.safetensors";
const INDEX: &str = "model.safetensors.index.json";
const GENERATION: &str = "generation_config.json";

/// Weights as Python's pickles, whole and in parts.
const PICKLED: [&str; 2] = ["pytorch_model.bin", "pytorch_model.bin.index.json"];

/// Forms of tokenizers that are read here, the best first.
pub(super) const TOKENIZERS: [&str; 4] =
    ["tokenizer.json", "spiece.model", "tokenizer.model", "sentencepiece.model"];

/// An open folder.
#[derive(Debug)]
pub(super) struct Folder {
    pub path: PathBuf,
    /// The bytes of `config.json`, and what they say.
    pub config: (Vec<u8>, Value),
    /// What is not as one would expect, and no fault.
    pub notes: Vec<String>,
    pub tensors: BTreeMap<String, Stored>,
}

/// A tensor.
#[derive(Debug)]
pub(super) struct Stored {
    pub entry: Entry,
    pub bytes: Kept,
}

impl Stored {
    /// What is told of a tensor whose chunks are not all there.
    pub fn filled(&self, name: &str) -> Option<String> {
        let Kept::Chunks(chunks) = &self.bytes else { return None };
        let missing = chunks.missing.clone()?;
        Some(format!("`{name}` lacks {missing}"))
    }
}

/// Where a tensor's bytes are.
#[derive(Debug)]
pub(super) enum Kept {
    /// In a file, whose tensors begin there.
    File(Rc<PathBuf>, u64),
    Here(Vec<u8>),
    Chunks(Chunks),
}

impl Folder {
    pub fn of(path: &Path, config: (Vec<u8>, Value), tensors: BTreeMap<String, Stored>) -> Folder {
        Folder { path: path.into(), config, notes: Vec::new(), tensors }
    }

    pub fn open(path: &Path) -> Result<Folder, Diagnostic> {
        let file = path.join(CONFIG);
        let bytes = read_regular(&file).map_err(|error| unreadable(&file, &error))?;
        let config = json(&file, &bytes)?;
        let mut folder = Folder::of(path, (bytes, config), BTreeMap::new());
        folder.notes = of_generation(path, &folder.config.1);
        let index = path.join(INDEX);
        if !is_named(&index) {
            pickled(path)?;
            folder.add(WEIGHTS)?;
            return Ok(folder);
        }
        let bytes = read_regular(&index).map_err(|error| unreadable(&index, &error))?;
        let map = named(&index, &json(&index, &bytes)?)?;
        let files: BTreeSet<&String> = map.values().collect();
        files.into_iter().try_for_each(|name| folder.add(name))?;
        match map.keys().find(|name| !folder.tensors.contains_key(*name)) {
            None => Ok(folder),
            Some(name) => Err(damaged(&index, format!("it has `{name}` in `{}`, which lacks it", map[name]))),
        }
    }

    fn add(&mut self, name: &str) -> Result<(), Diagnostic> {
        let path = self.path.join(name);
        let opened = open_sized(&path).map_err(|error| unreadable(&path, &error))?;
        let (entries, data) = header(opened).map_err(|what| damaged(&path, what))?;
        let path = Rc::new(path);
        let stored = |entry: Entry| Stored { entry, bytes: Kept::File(path.clone(), data) };
        self.tensors.extend(entries.into_iter().map(|(name, entry)| (name, stored(entry))));
        Ok(())
    }

    pub fn names(&self) -> impl Iterator<Item = &String> {
        self.tensors.keys()
    }

    pub fn entry(&self, name: &str) -> Option<&Entry> {
        self.tensors.get(name).map(|found| &found.entry)
    }

    /// The bytes of a tensor.
    pub fn read(&self, name: &str) -> Result<Vec<u8>, Diagnostic> {
        let Some(Stored { entry, bytes }) = self.tensors.get(name) else {
            return Err(damaged(&self.path, format!("no file of it has `{name}`")));
        };
        match bytes {
            Kept::Here(bytes) => Ok(bytes.clone()),
            Kept::Chunks(chunks) => chunks.read(),
            Kept::File(path, data) => {
                let read = || {
                    let mut file = open_regular(path)?;
                    file.seek(SeekFrom::Start(data + entry.begin))?;
                    let mut bytes = vec![0; usize::try_from(entry.bytes).unwrap_or(usize::MAX)];
                    file.read_exact(&mut bytes)?;
                    Ok(bytes)
                };
                read().map_err(|error| unreadable(path, &error))
            }
        }
    }

    /// The tokenizer that lies beside the weights, in a form that is read here.
    pub fn tokenizer(&self) -> Option<PathBuf> {
        super::tokenizer_in(&self.path)
    }
}

/// What a `generation_config.json` asks for, in lines.
fn of_generation(folder: &Path, config: &Value) -> Vec<String> {
    let file = folder.join(GENERATION);
    let Ok(bytes) = read_regular(&file) else { return Vec::new() };
    match json(&file, &bytes) {
        Ok(asked) => asked::of_generation(&asked, config),
        Err(found) => vec![format!("{}: it is not followed", found.message)],
    }
}

/// Weights in a form that is a program rather than data.
fn pickled(folder: &Path) -> Result<(), Diagnostic> {
    let there = PICKLED.iter().find(|name| folder.join(name).is_file());
    let Some(name) = there.filter(|_| !folder.join(WEIGHTS).is_file()) else { return Ok(()) };
    let message = format!("`{}` has weights in `{name}` alone, which is not read", folder.display());
    let help = format!(
        "save them as safetensors in Python: `transformers.AutoModel.from_pretrained('{0}')` of the model's class, then \
         `.save_pretrained('{0}', safe_serialization=True)`",
        folder.display()
    );
    Err(Diagnostic::error(FOLDER, message).help(help))
}

/// Files by tensor, of an index. They lie in the folder: nothing outside of it is read.
fn named(path: &Path, index: &Value) -> Result<BTreeMap<String, String>, Diagnostic> {
    let wrong = || damaged(path, "its `weight_map` does not give a file of this folder for each tensor");
    let map = index["weight_map"].as_object().ok_or_else(wrong)?;
    let plain = |file: &Value| file.as_str().filter(|file| !file.contains(['/', '\\'])).map(str::to_string);
    map.iter().map(|(name, file)| Ok((name.clone(), plain(file).ok_or_else(wrong)?))).collect()
}

/// The tensors of a file of this length, and where their bytes begin.
fn header((mut file, bytes): (File, u64)) -> Result<(BTreeMap<String, Entry>, u64), String> {
    let words = |error: std::io::Error| error.to_string();
    let mut first = [0; 8];
    file.read_exact(&mut first).map_err(words)?;
    let length = safetensors::header_length(first, bytes)?;
    let mut header = vec![0; length as usize];
    file.read_exact(&mut header).map_err(words)?;
    let data = 8 + u64::from(length);
    Ok((safetensors::entries(&header, bytes - data)?, data))
}

fn json(path: &Path, bytes: &[u8]) -> Result<Value, Diagnostic> {
    let found: Result<Value, _> = serde_json::from_slice(bytes);
    found.map_err(|error| damaged(path, format!("it is no JSON: {error}")))
}
