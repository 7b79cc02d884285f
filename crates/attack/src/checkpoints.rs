//! Checkpoints: folders of Hugging Face and T5X, and our own.

use crate::bundle::{self, NamedBytes};
use crate::scratch::Scratch;
use crate::{formats, judge_refusal, judge_refusals};
use meshwright_base::SourceText;
use meshwright_train::Config;
use meshwright_train::checkpoint::{Checkpoint, Element, Region, Weights};
use meshwright_train::foreign::{Foreign, Library};
use std::path::Path;

/// The largest tensor that is read.
const LARGEST: usize = 1 << 18;

fn parts_of(bytes: &[u8], file: &str) -> Vec<NamedBytes> {
    bundle::split(bytes).unwrap_or_else(|| vec![(file.to_string(), bytes.to_vec())])
}

/// A folder of Hugging Face: `.safetensors` are assembled, all other parts are files.
pub fn hugging_face(bytes: &[u8]) -> bool {
    let assemble = |(name, content): NamedBytes| {
        let is_weights = name.ends_with(".safetensors");
        (name, if is_weights { formats::safetensors(&content) } else { content })
    };
    let parts: Vec<NamedBytes> = parts_of(bytes, "config.json").into_iter().map(assemble).collect();
    open_foreign(Library::HuggingFace, &parts)
}

/// A folder of T5X: a part `checkpoint` of JSON is packed, `gz/NAME` is the chunk `NAME` to be gzipped.
pub fn t5x(bytes: &[u8]) -> bool {
    let assemble = |(name, content): NamedBytes| match name.strip_prefix("gz/") {
        Some(name) => (name.to_string(), formats::gzip(&content)),
        None if name == "checkpoint" => (name, formats::message_pack(&content).unwrap_or(content)),
        None => (name, content),
    };
    let parts: Vec<NamedBytes> = parts_of(bytes, "checkpoint").into_iter().map(assemble).collect();
    open_foreign(Library::T5x, &parts)
}

/// Checks a foreign folder: if it opens, its configuration can be written, and each weight fills its shape.
fn open_foreign(library: Library, parts: &[NamedBytes]) -> bool {
    let scratch = Scratch::new("foreign");
    scratch.fill(parts);
    let mut foreign = match Foreign::open(library, scratch.path()) {
        Ok(foreign) => foreign,
        Err(found) => return judge_refusals(&found, None),
    };
    assert!(!foreign.described().is_empty());
    let written = foreign.config().write();
    let again = Config::read(&SourceText::new("written", &*written));
    assert_eq!(again.map(|config| config.write()), Ok(written), "its configuration does not read back");
    if let Err(refusal) = foreign.with_tokenizer() {
        judge_refusal(&refusal, None);
    }
    for (name, element, shape) in foreign.weights() {
        assert_eq!(foreign.tensor(&name), Some((element, &shape[..])), "{name}");
        read_whole(&mut foreign, &name, element, &shape);
    }
    true
}

/// A tensor that reads has all bytes of its shape.
fn read_whole(from: &mut dyn Weights, name: &str, element: Element, shape: &[usize]) {
    let whole = Region::whole(shape);
    let Some(volume) = whole.volume().filter(|volume| *volume <= LARGEST) else { return };
    match from.read(name, &whole) {
        Ok(bytes) => assert_eq!(bytes.len(), volume * element.bytes(), "{name}"),
        Err(refusal) => {
            judge_refusal(&refusal, None);
        }
    }
}

/// Checks one of our checkpoints: if it verifies, reading a tensor in halves equals reading it whole.
pub fn own(bytes: &[u8]) -> bool {
    let scratch = Scratch::new("own");
    scratch.fill(&formats::checkpoint(&parts_of(bytes, formats::INDEX)));
    match open_own(scratch.path()) {
        Ok(()) => true,
        Err(refusal) => judge_refusal(&refusal, None),
    }
}

fn open_own(path: &Path) -> Result<(), meshwright_base::Diagnostic> {
    let mut checkpoint = Checkpoint::open(path)?;
    let rows =
        checkpoint.tensors().map(|(name, _, element, shape)| (name.to_string(), element, shape.to_vec()));
    let rows: Vec<(String, Element, Vec<usize>)> = rows.collect();
    let is_sound = checkpoint.verify();
    for (name, element, shape) in rows {
        let whole = Region::whole(&shape);
        let Some(volume) = whole.volume().filter(|volume| *volume <= LARGEST) else { continue };
        let bytes = match checkpoint.read(&name, &whole) {
            Ok(bytes) => bytes,
            Err(refusal) => {
                judge_refusal(&refusal, None);
                continue;
            }
        };
        assert_eq!(bytes.len(), volume * element.bytes(), "{name}");
        if let Some((first, rest)) = shape.split_first().filter(|(first, _)| **first > 1) {
            let half = Region { start: vec![0; shape.len()], shape: [&[first / 2], rest].concat() };
            let part = checkpoint.read(&name, &half)?;
            assert_eq!(part, bytes[..part.len()], "half of `{name}` differs from the whole");
        }
    }
    is_sound
}
