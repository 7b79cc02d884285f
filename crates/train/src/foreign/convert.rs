//! A folder as a run of no steps, and a run as a folder. Neither way is anything overwritten.
//!
//! ```text
//! DIR  =>  RUN/config.toml, RUN/tokenizer.model, RUN/config.json, RUN/checkpoints/step-00000000
//! RUN  =>  DIR/config.json, DIR/model.safetensors, DIR/the tokenizer
//! ```
//!
//! The folder's `config.json` stays beside the run: what a configuration here does not say is in it when it goes back,
//! and a folder that went through has the same bytes. Weights are whole in memory, once.

use super::folder::{CONFIG, TOKENIZERS, WEIGHTS as FILE};
use super::settings;
use super::{ARCHITECTURE, FOLDER, Foreign, Library, Weight, retyped, shape_there, t5x, transposed, weights};
use crate::checkpoint::{
    Checkpoint, DISK, Element, Origin, Owner, Piece, Region, Role, RunId, Snapshot, State, Store, Tensor,
};
use crate::config::Config;
use crate::data::content::{Content, Contents};
use crate::data::tokenizer::Tokenizer;
use crate::disk::{RealDisk, write_synced};
use crate::run::{Error, RunDir, Saved, find, group_size};
use crate::staging::StagedDir;
use meshwright_base::Diagnostic;
use meshwright_ir::DType;
use meshwright_runtime::files::read_regular;
use serde_json::{Map, Value, json};
use std::path::{Path, PathBuf};

/// What was written.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Converted {
    /// Their `model_type`.
    pub kind: String,
    pub tensors: usize,
    pub elements: u64,
    /// The tokenizer that went along, if any did.
    pub tokenizer: Option<PathBuf>,
    pub notes: Vec<String>,
}

/// Sentinels that T5's vocabularies have above the pieces of their tokenizer.
const SENTINELS: usize = 100;

/// A folder as a run that has made no step. `dir` must be free.
pub fn from_folder(library: Library, folder: &Path, dir: &RunDir) -> Result<Converted, Error> {
    dir.check_free().map_err(|found| found.help("name a directory that is not there, or is empty"))?;
    let foreign = Foreign::open(library, folder)?;
    let mut config = foreign.config.clone();
    let kind = foreign.kind().to_string();
    let notes = foreign.notes().to_vec();
    let mut converted = Converted { kind, notes, ..Converted::default() };
    let tokenizer = match foreign.tokenizer(&mut config)? {
        Some((path, bytes)) => {
            converted.tokenizer = Some(path);
            Some(bytes)
        }
        None => {
            converted.notes.push(format!(
                "there is no tokenizer in `{}`: name one with `--set data.tokenizer=FILE` where texts are needed",
                folder.display()
            ));
            None
        }
    };
    let mut snapshot = Snapshot::default();
    for weight in &foreign.weights {
        let bytes = foreign.whole(weight)?;
        converted.elements += bytes.len() as u64 / 4;
        snapshot.tensors.push(Tensor {
            name: format!("params.{}", weight.name),
            role: Role::Weight,
            element: Element::F32,
            shape: weight.shape.clone(),
            pieces: vec![Piece { region: Region::whole(&weight.shape), bytes }],
        });
    }
    converted.tensors = snapshot.tensors.len();
    let tokens = tokenizer.as_ref().map(|bytes| Content::of("tokenizer.model", bytes));
    let contents = Contents { tokenizer: tokens, files: Vec::new() };
    snapshot.state =
        State { contents, config: config.write(), random: vec![config.train.seed], ..State::default() };
    let staged = StagedDir::beside(&dir.root)?;
    let hidden = RunDir::new(staged.path());
    let checkpoints = hidden.within(&config.checkpoint.dir).unwrap_or_else(|| hidden.root.clone());
    let run = RunId::derive(&staged.target(), &config.write());
    if let Some(bytes) = &tokenizer {
        // Whoever trains by this file has it as a file of his own; the run finds its tokenizer wherever it lies.
        let written = hidden.write_tokenizer(bytes)?;
        let name = written.file_name().unwrap_or_default();
        config.data.tokenizer = dir.root.join(name).display().to_string();
    }
    hidden.write_config(&config)?;
    hidden.write_id(run)?;
    if library == Library::HuggingFace {
        hidden.write(CONFIG, &foreign.folder.config.0)?;
    }
    let owner = Owner { run, origin: Origin::Nothing };
    Store::open(&checkpoints, 1, owner)?.write(&snapshot)?;
    staged.publish().map_err(|error| unwritable(&dir.root, &error))?;
    Ok(converted)
}

impl Foreign {
    /// What its tokenizer holds, if there is one.
    pub fn tokenizer_content(&self) -> Result<Option<Content>, Diagnostic> {
        let found = self.tokenizer(&mut self.config.clone())?;
        Ok(found.map(|(path, bytes)| Content::of(&path.display().to_string(), &bytes)))
    }

    /// The folder's tokenizer and its bytes, if there is one; the configuration learns how many sentinels there are.
    pub(super) fn tokenizer(&self, config: &mut Config) -> Result<Option<(PathBuf, Vec<u8>)>, Diagnostic> {
        config.data.sentinels = 0;
        let Some(path) = self.folder.tokenizer() else {
            self.check_usual_end()?;
            return Ok(None);
        };
        let bytes = read_regular(&path).map_err(|error| {
            Diagnostic::error(FOLDER, format!("cannot read `{}`: {error}", path.display()))
                .help("see that it is there, and may be read")
        })?;
        let read = Tokenizer::read(&bytes).map_err(|found| Diagnostic {
            message: format!("`{}` is no tokenizer: {}", path.display(), found.message),
            ..found
        })?;
        self.check_end(&path, &read)?;
        let (pieces, rows) = (read.size(), config.model.vocabulary);
        let Some(free) = rows.checked_sub(pieces) else {
            let message = format!("the tokenizer `{}` has {pieces} pieces, the model {rows}", path.display());
            let help = "put the tokenizer there that the model was trained with, or none";
            return Err(Diagnostic::error(ARCHITECTURE, message).help(help));
        };
        config.data.sentinels = if free >= SENTINELS { SENTINELS } else { 0 };
        Ok(Some((path, bytes)))
    }

    /// Texts end with the tokenizer's own end, so `config.json` may name no other.
    fn check_end(&self, path: &Path, tokenizer: &Tokenizer) -> Result<(), Diagnostic> {
        let (said, own) = (&self.folder.config.1["eos_token_id"], tokenizer.end().map(u64::from));
        let is_own = |said: &Value| said.as_u64() == own;
        let agrees = said.as_array().map_or_else(|| is_own(said), |all| all.iter().all(is_own));
        if said.is_null() || own.is_none() || agrees {
            return Ok(());
        }
        let message = format!(
            "no model here has what `config.json` says: `eos_token_id` is {said}, and texts end with {} of `{}`",
            own.unwrap_or_default(),
            path.display()
        );
        let help = "put the tokenizer there that the model was trained with, or correct `eos_token_id`";
        Err(Diagnostic::error(ARCHITECTURE, message).help(help))
    }

    /// Without a tokenizer a model ends its texts as its family does.
    fn check_usual_end(&self) -> Result<(), Diagnostic> {
        let (said, usual) = (&self.folder.config.1["eos_token_id"], self.architecture.usual_end());
        let is_usual = |said: &Value| said.as_u64() == Some(usual);
        if said.is_null() || said.as_array().map_or_else(|| is_usual(said), |all| all.iter().all(is_usual)) {
            return Ok(());
        }
        let message = format!(
            "no model here has what `config.json` says: `eos_token_id` is {said}, there is no tokenizer that has it, and \
             this family ends texts with {usual}"
        );
        let help =
            "put the model's `tokenizer.json` or `spiece.model` into the folder, or correct `eos_token_id`";
        Err(Diagnostic::error(ARCHITECTURE, message).help(help))
    }

    /// A configuration of its model that reads texts with its tokenizer, if there is one.
    pub fn with_tokenizer(&self) -> Result<Config, Diagnostic> {
        let mut config = self.config.clone();
        if let Some((path, _)) = self.tokenizer(&mut config)? {
            config.data.tokenizer = path.display().to_string();
        }
        Ok(config)
    }
}

/// A run's weights as a folder. `into` must not be there.
pub fn to_folder(run: &Path, library: Library, into: &Path) -> Result<Converted, Error> {
    if into.exists() {
        let message = format!("`{}` is there already, and would be overwritten", into.display());
        return Err(Diagnostic::error(FOLDER, message).help("name a folder that is not there").into());
    }
    let saved = find(run)?;
    let Some(path) = &saved.checkpoint else {
        let message = format!("the run in `{}` has no checkpoint yet", run.display());
        return Err(Diagnostic::error(FOLDER, message).help("let it train until it has one").into());
    };
    let mut checkpoint = Checkpoint::open(path)?;
    let config = alone(&saved.config, &checkpoint);
    let tokenizer = tokenizer_of(&saved, &checkpoint)?;
    let end = tokenizer.as_ref().and_then(|(_, bytes)| Tokenizer::read(bytes).ok()?.end());
    let before = settings_before(&saved.dir)?;
    let (architecture, settings) = match library {
        Library::HuggingFace => settings::write(&config, before.as_deref(), end)?,
        Library::T5x => settings::t5x_written(&config)?,
    };
    let weights = weights(architecture, &config)?;
    let mut converted = Converted { tensors: 0, ..Converted::default() };
    converted.kind = settings.kind;
    let tensors = theirs(&weights, settings.dtype, &mut checkpoint)?;
    converted.tensors = tensors.len();
    converted.elements = tensors.iter().map(|(_, shape, _)| shape.iter().product::<usize>() as u64).sum();
    let step = checkpoint.state().step;
    let mut files = match library {
        Library::HuggingFace => {
            vec![(CONFIG.to_string(), settings.bytes), (FILE.to_string(), file(settings.dtype, tensors))]
        }
        Library::T5x => vec![(t5x::FILE.to_string(), t5x::file(settings.dtype, step, &tensors))],
    };
    if let Some((name, bytes)) = tokenizer {
        converted.tokenizer = Some(into.join(&name));
        files.push((name, bytes));
    }
    let staged = StagedDir::beside(into)?;
    let written = files
        .iter()
        .try_for_each(|(name, bytes)| write_synced(&RealDisk, &staged.path().join(name), &[bytes]))
        .and_then(|()| staged.publish());
    written.map_err(|error| unwritable(into, &error))?;
    Ok(converted)
}

fn unwritable(path: &Path, error: &std::io::Error) -> Diagnostic {
    Diagnostic::error(DISK, format!("cannot write `{}`: {error}", path.display()))
        .help("make room, or name another folder; nothing is there now")
}

/// The `config.json` that a run has from the folder it came from.
fn settings_before(dir: &RunDir) -> Result<Option<Vec<u8>>, Diagnostic> {
    let path = dir.root.join(CONFIG);
    match read_regular(&path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(Diagnostic::error(FOLDER, format!("cannot read `{}`: {error}", path.display()))
            .help("see that it may be read: the folder is written with its settings")),
    }
}

/// The model as it is on one device, with as many rows in its table as the checkpoint has.
fn alone(config: &Config, checkpoint: &Checkpoint) -> Config {
    let mut config = config.clone();
    config.model.group_size = group_size(&config);
    config.mesh.axes = Default::default();
    let table = checkpoint.tensors().find(|(name, ..)| *name == "params.embed.table");
    if let Some((.., [rows, _])) = table {
        config.model.vocabulary = *rows;
    }
    config
}

type Their = (String, Vec<usize>, Vec<u8>);

/// Tensors under their names, in the order of these.
fn theirs(weights: &[Weight], dtype: DType, checkpoint: &mut Checkpoint) -> Result<Vec<Their>, Error> {
    let mut all = Vec::new();
    for weight in weights {
        let name = format!("params.{}", weight.name);
        let stored = checkpoint.tensors().find(|(known, ..)| *known == name);
        let from = stored.map_or(DType::F32, |(_, _, element, _)| element.dtype());
        let bytes = retyped(checkpoint.read(&name, &Region::whole(&weight.shape))?, from, dtype);
        let shape = shape_there(weight);
        let each = shape.iter().product::<usize>() * dtype.bytes();
        for (name, bytes) in weight.theirs.iter().zip(bytes.chunks(each.max(1))) {
            let bytes = match shape[..] {
                [rows, columns] if weight.layout.transposes() => {
                    transposed(bytes, columns, rows, dtype.bytes())
                }
                _ => bytes.to_vec(),
            };
            all.push((name.clone(), shape.clone(), bytes));
        }
    }
    all.sort_by(|(a, ..), (b, ..)| a.cmp(b));
    Ok(all)
}

/// A file of safetensors as `transformers` writes it, to the byte.
fn file(dtype: DType, tensors: Vec<Their>) -> Vec<u8> {
    let word = Element::of(dtype).map_or("F32", Element::word);
    let mut table = Map::new();
    table.insert("__metadata__".into(), json!({"format": "pt"}));
    let mut begin = 0;
    for (name, shape, bytes) in &tensors {
        let end = begin + bytes.len();
        table.insert(name.clone(), json!({"dtype": word, "shape": shape, "data_offsets": [begin, end]}));
        begin = end;
    }
    let mut text = Value::Object(table).to_string();
    text.extend(std::iter::repeat_n(' ', text.len().next_multiple_of(8) - text.len()));
    let mut out = (text.len() as u64).to_le_bytes().to_vec();
    out.extend(text.into_bytes());
    tensors.into_iter().for_each(|(.., bytes)| out.extend(bytes));
    out
}

/// The tokenizer that the run learnt, or was given, under the name that its form has there.
fn tokenizer_of(saved: &Saved, checkpoint: &Checkpoint) -> Result<Option<(String, Vec<u8>)>, Diagnostic> {
    let given =
        || Some(PathBuf::from(&saved.config.data.tokenizer)).filter(|path| !path.as_os_str().is_empty());
    let Some(path) = saved.dir.tokenizer().or_else(given) else { return Ok(None) };
    let bytes = read_regular(&path).map_err(|error| {
        Diagnostic::error(FOLDER, format!("cannot read the run's tokenizer `{}`: {error}", path.display()))
            .help("restore it, or type from the folder that the run was trained in")
    })?;
    let tokenizer = Some(Content::of(&path.display().to_string(), &bytes));
    Contents { tokenizer, files: Vec::new() }.tokenizer_since(&checkpoint.state().contents)?;
    let [json, pieces, ..] = TOKENIZERS;
    let is_json = bytes.iter().find(|byte| !byte.is_ascii_whitespace()) == Some(&b'{');
    Ok(Some((if is_json { json } else { pieces }.to_string(), bytes)))
}
