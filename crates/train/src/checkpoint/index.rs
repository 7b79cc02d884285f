//! The index of a checkpoint: JSON with a checksum over itself.
//!
//! ```text
//! {"checksum": "1a2b3c4d", "index": { .. }}
//! ```

use super::boxes::volume;
use super::{Element, FOREIGN, Region, Role, RunId, State, broken, unreadable};
use crate::checksum::checksum;
use crate::data::content::{Content, Contents};
use crate::data::mixture::Position;
use meshwright_base::Diagnostic;
use meshwright_runtime::files::read_regular;
use meshwright_runtime::safetensors::sizes;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::path::Path;

/// The file that says what a checkpoint has.
pub const INDEX: &str = "index.json";

const FORMAT: &str = "meshwright-checkpoint";
const VERSION: u64 = 1;

const HEAD: &str = "{\"checksum\": \"";
const MIDDLE: &str = "\", \"index\": ";
const TAIL: &str = "}\n";

/// Most pieces of one tensor: as many as devices.
const MOST_PIECES: usize = 1 << 13;

/// What the index says.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Index {
    pub state: State,
    pub tensors: BTreeMap<String, Stored>,
    /// Bytes and checksum of each file.
    pub files: BTreeMap<String, (u64, u32)>,
}

/// A tensor and where its pieces lie.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Stored {
    pub role: Role,
    pub element: Element,
    pub shape: Vec<usize>,
    pub pieces: Vec<StoredPiece>,
}

/// A box of a tensor: its file and its name there.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StoredPiece {
    pub region: Region,
    pub file: String,
    pub entry: String,
    /// Of its bytes. Checkpoints of before have none, and are checked by files.
    pub sum: Option<u32>,
}

impl Index {
    pub fn write(&self) -> String {
        let inner = format!("{:#}", self.to_json());
        format!("{HEAD}{:08x}{MIDDLE}{inner}{TAIL}", checksum(inner.as_bytes()))
    }

    /// Reads and checks all that can be checked without the files. `Err(None)`: this is no index of ours.
    pub fn read(text: &str) -> Result<Index, Option<String>> {
        let index = Index::read_share(text)?;
        index.check().map_err(Some)?;
        Ok(index)
    }

    /// Reads what one process wrote of an index: its tensors need not be whole.
    pub fn read_share(text: &str) -> Result<Index, Option<String>> {
        let rest = text.strip_prefix(HEAD).ok_or(None)?;
        let (sum, rest) = rest.split_at_checked(8).ok_or_else(|| Some("it ends early".to_string()))?;
        let inner = rest.strip_prefix(MIDDLE).and_then(|rest| rest.strip_suffix(TAIL));
        let inner = inner.ok_or_else(|| Some("it ends early".to_string()))?;
        let found = format!("{:08x}", checksum(inner.as_bytes()));
        if found != sum {
            return Err(Some(format!("its checksum is {found} and should be {sum}")));
        }
        let value: Value = serde_json::from_str(inner).map_err(|error| Some(error.to_string()))?;
        if value["format"] != FORMAT {
            return Err(None);
        }
        if value["version"] != VERSION {
            return Err(Some(format!(
                "it is of version {}, and this program reads {VERSION}",
                value["version"]
            )));
        }
        from_json(&value).ok_or_else(|| Some("a field is missing or wrong".to_string()))
    }

    /// With what another process wrote of the same checkpoint.
    pub fn join(&mut self, other: Index) -> Result<(), String> {
        if other.state != self.state {
            return Err("its shares are of different states".into());
        }
        for (name, tensor) in other.tensors {
            match self.tensors.entry(name) {
                Entry::Vacant(free) => drop(free.insert(tensor)),
                Entry::Occupied(mut known) if known.get().is_like(&tensor) => {
                    known.get_mut().pieces.extend(tensor.pieces);
                }
                Entry::Occupied(known) => {
                    return Err(format!("its shares differ about tensor `{}`", known.key()));
                }
            }
        }
        self.files.extend(other.files);
        Ok(())
    }

    fn to_json(&self) -> Value {
        let state = &self.state;
        let files: Map<String, Value> = self
            .files
            .iter()
            .map(|(name, (bytes, sum))| {
                (name.clone(), json!({"bytes": bytes, "checksum": format!("{sum:08x}")}))
            })
            .collect();
        let tensors: Map<String, Value> =
            self.tensors.iter().map(|(name, tensor)| (name.clone(), tensor.to_json())).collect();
        json!({
            "format": FORMAT, "version": VERSION,
            "run": state.run.map(|run| run.to_string()), "step": state.step,
            "data": {"drawn": state.data.drawn, "passed": state.data.passed, "offset": state.data.offset},
            "contents": contents_to_json(&state.contents),
            "random": state.random, "config": state.config, "files": files, "tensors": tensors,
        })
    }

    /// Every tensor is covered exactly once, by files that are named.
    pub fn check(&self) -> Result<(), String> {
        for (name, tensor) in &self.tensors {
            tensor.check().map_err(|what| format!("tensor `{name}`: {what}"))?;
            let stray = tensor.pieces.iter().find(|piece| !self.files.contains_key(&piece.file));
            if let Some(piece) = stray {
                return Err(format!("tensor `{name}`: its file `{}` is not listed", piece.file));
            }
        }
        let strange = self.files.keys().find(|name| name.contains(['/', '\\']) || name.starts_with('.'));
        strange.map_or(Ok(()), |name| Err(format!("the file name `{name}`")))
    }
}

impl Stored {
    fn to_json(&self) -> Value {
        let pieces: Vec<Value> = self
            .pieces
            .iter()
            .map(|piece| {
                json!({"file": piece.file, "entry": piece.entry, "start": piece.region.start,
                       "shape": piece.region.shape, "checksum": piece.sum.map(|sum| format!("{sum:08x}"))})
            })
            .collect();
        let role = if self.role == Role::Weight { "weight" } else { "optimizer" };
        json!({"role": role, "element": self.element.word(), "shape": self.shape, "pieces": pieces})
    }

    fn is_like(&self, other: &Stored) -> bool {
        (self.role, self.element, &self.shape) == (other.role, other.element, &other.shape)
    }

    fn check(&self) -> Result<(), String> {
        covers(&self.shape, &self.pieces.iter().map(|piece| &piece.region).collect::<Vec<_>>())
    }
}

/// Whether regions cover a shape, each element once.
pub fn covers(shape: &[usize], regions: &[&Region]) -> Result<(), String> {
    if regions.len() > MOST_PIECES {
        return Err(format!("{} pieces, and at most {MOST_PIECES} are allowed", regions.len()));
    }
    let whole = volume(shape).ok_or("its shape is too large")?;
    if let Some(region) = regions.iter().find(|region| !region.fits(shape)) {
        return Err(format!("a piece at {:?} of {:?} lies outside of {shape:?}", region.start, region.shape));
    }
    let covered: usize = regions.iter().filter_map(|region| region.volume()).fold(0, usize::saturating_add);
    let meet = |at: usize| regions[..at].iter().any(|other| regions[at].meet(other).is_some());
    if covered == whole && !(0..regions.len()).any(meet) {
        Ok(())
    } else {
        Err(format!("{} pieces with {covered} elements do not tile its {whole}", regions.len()))
    }
}

fn from_json(value: &Value) -> Option<Index> {
    let data = &value["data"];
    let numbers = |value: &Value| value.as_array()?.iter().map(Value::as_u64).collect::<Option<Vec<u64>>>();
    let state = State {
        run: run(&value["run"])?,
        step: value["step"].as_u64()?,
        data: Position {
            drawn: data["drawn"].as_u64()?,
            passed: numbers(&data["passed"])?,
            offset: data["offset"].as_u64()?,
        },
        contents: contents(&value["contents"])?,
        random: numbers(&value["random"])?,
        config: value["config"].as_str()?.to_string(),
    };
    let file = |(name, value): (&String, &Value)| {
        let sum = u32::from_str_radix(value["checksum"].as_str()?, 16).ok()?;
        Some((name.clone(), (value["bytes"].as_u64()?, sum)))
    };
    let files = value["files"].as_object()?.iter().map(file).collect::<Option<_>>()?;
    let tensor = |(name, value): (&String, &Value)| Some((name.clone(), stored(value)?));
    let tensors = value["tensors"].as_object()?.iter().map(tensor).collect::<Option<_>>()?;
    Some(Index { state, tensors, files })
}

/// Nothing, where a checkpoint is older than run ids.
fn run(value: &Value) -> Option<Option<RunId>> {
    match value {
        Value::Null => Some(None),
        named => RunId::parse(named.as_str()?).map(Some),
    }
}

fn contents_to_json(contents: &Contents) -> Value {
    let one =
        |one: &Content| json!({"name": one.name, "bytes": one.bytes, "checksum": format!("{:08x}", one.sum)});
    let files: Vec<Value> = contents.files.iter().map(one).collect();
    json!({"tokenizer": contents.tokenizer.as_ref().map(one), "files": files})
}

/// Nothing, where a checkpoint of before does not say.
fn contents(value: &Value) -> Option<Contents> {
    if value.is_null() {
        return Some(Contents::default());
    }
    let one = |value: &Value| {
        let sum = u32::from_str_radix(value["checksum"].as_str()?, 16).ok()?;
        Some(Content { name: value["name"].as_str()?.into(), bytes: value["bytes"].as_u64()?, sum })
    };
    let tokenizer = match &value["tokenizer"] {
        Value::Null => None,
        said => Some(one(said)?),
    };
    let files = value["files"].as_array()?.iter().map(one).collect::<Option<_>>()?;
    Some(Contents { tokenizer, files })
}

fn stored(value: &Value) -> Option<Stored> {
    let role = match value["role"].as_str()? {
        "weight" => Role::Weight,
        "optimizer" => Role::Optimizer,
        _ => return None,
    };
    let piece = |value: &Value| {
        let region = Region { start: sizes(&value["start"])?, shape: sizes(&value["shape"])? };
        Some(StoredPiece {
            region,
            file: value["file"].as_str()?.into(),
            entry: value["entry"].as_str()?.into(),
            sum: match &value["checksum"] {
                Value::Null => None,
                sum => Some(u32::from_str_radix(sum.as_str()?, 16).ok()?),
            },
        })
    };
    let pieces = value["pieces"].as_array()?.iter().map(piece).collect::<Option<_>>()?;
    Some(Stored {
        role,
        element: Element::parse(value["element"].as_str()?)?,
        shape: sizes(&value["shape"])?,
        pieces,
    })
}

/// The text of the index of a checkpoint directory.
pub fn read_index(path: &Path) -> Result<Index, Diagnostic> {
    read_file(&path.join(INDEX), Index::read)
}

pub fn read_file(file: &Path, parse: fn(&str) -> Result<Index, Option<String>>) -> Result<Index, Diagnostic> {
    let bytes = read_regular(file).map_err(|error| unreadable(file, &error))?;
    let text = String::from_utf8(bytes).map_err(|_| broken(file, "it is not UTF-8"))?;
    parse(&text).map_err(|what| match what {
        Some(what) => broken(file, what),
        None => {
            Diagnostic::error(FOREIGN, format!("`{}` is no index of a Meshwright checkpoint", file.display()))
                .help("give a directory `step-..` that this program wrote")
        }
    })
}
