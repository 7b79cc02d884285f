//! Checkpoints of other libraries: a folder of Hugging Face's as weights of a model here, and a run's weights as such a
//! folder.
//!
//! ```text
//! DIR/config.json, model.safetensors   <=>   RUN/config.toml, checkpoints/step-00000000
//! ```
//!
//! A folder is held against its model before a number of it is read: every weight must be there, in its shape, and
//! nothing else may be. What weights are called there is in [`names`], what a `config.json` means in [`settings`].

mod asked;
mod convert;
mod folder;
mod names;
mod pack;
mod settings;
mod t5x;
#[cfg(test)]
mod tests;
mod zarr;

pub use convert::{Converted, from_folder, to_folder};

use crate::Config;
use crate::checkpoint::{Element, Region, Wanted, Weights, finite, plan_init};
use crate::data::source::Vocabularies;
use crate::run::TrainingPlan;
use folder::Folder;
use meshwright_base::{Code, Diagnostic};
use meshwright_ir::DType;
use meshwright_ir::literal::float_bytes;
use meshwright_ir::retype::float_of;
use meshwright_nn::models::step::Model;
use names::TheirForm;
use settings::{Architecture, Meant};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// A folder that cannot be read.
const FOLDER: Code = Code(1210);
/// A model that is none of ours.
const ARCHITECTURE: Code = Code(1211);
/// Weights that are not those of the model.
const WEIGHTS: Code = Code(1212);

/// Whose checkpoint it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Library {
    HuggingFace,
    T5x,
}

impl Library {
    /// Of `hf:DIR` or `t5x:DIR`, with the path behind it; nothing of what is a path of this program's own.
    pub fn of(text: &str) -> Option<(Library, &Path)> {
        let after = |prefix, library| text.strip_prefix(prefix).map(|path| (library, Path::new(path)));
        after("hf:", Library::HuggingFace).or_else(|| after("t5x:", Library::T5x))
    }
}

/// The tokenizer of a folder, in a form that is read here.
pub fn tokenizer_in(folder: &Path) -> Option<PathBuf> {
    folder::TOKENIZERS.iter().map(|name| folder.join(name)).find(|path| is_named(path))
}

/// Whether a folder has an entry of this name, readable or not: a link that leads nowhere is reported, not skipped.
fn is_named(path: &Path) -> bool {
    path.symlink_metadata().is_ok()
}

/// Most names of one kind that a diagnostic lists.
const MOST_NAMES: usize = 20;

/// An open folder whose weights are those of a model here.
#[derive(Debug)]
pub struct Foreign {
    folder: Folder,
    architecture: Architecture,
    config: Config,
    weights: Vec<Weight>,
    /// The weight that was read last, whole: devices ask for it box by box.
    last: (String, Vec<u8>),
}

/// A weight of ours, and what it is there.
#[derive(Clone, Debug)]
struct Weight {
    /// Without `params.`.
    name: String,
    shape: Vec<usize>,
    theirs: Vec<String>,
    layout: TheirForm,
}

impl Foreign {
    /// Opens a folder, and holds its tensors against its model.
    pub fn open(library: Library, path: &Path) -> Result<Foreign, Vec<Diagnostic>> {
        let folder = match library {
            Library::HuggingFace => Folder::open(path),
            Library::T5x => t5x::open(path),
        };
        let mut folder = folder.map_err(|found| vec![found])?;
        let Meant { architecture, config, notes } = settings::read(library, &folder.config.1)?;
        folder.notes.extend(notes);
        countable(&folder, &config)?;
        checked(&folder, &config)?;
        let weights = weights(architecture, &config)?;
        held_against(&folder, &weights)?;
        Ok(Foreign { folder, architecture, config, weights, last: Default::default() })
    }

    /// A configuration of its model. It says nothing of data.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// Its `model_type`.
    pub fn kind(&self) -> &str {
        self.folder.config.1["model_type"].as_str().unwrap_or_default()
    }

    /// What it is and holds, in a line; with what is not as one would expect, and no fault.
    pub fn described(&self) -> String {
        let numbers: usize = self.weights.iter().map(|weight| weight.shape.iter().product::<usize>()).sum();
        let notes = self.folder.notes.iter().map(|note| format!(", {note}")).collect::<String>();
        format!("{}: {} tensors, {numbers} numbers{notes}", self.kind(), self.folder.names().count())
    }

    /// What is not as one would expect, and no fault.
    pub fn notes(&self) -> &[String] {
        &self.folder.notes
    }

    /// What keeps the model of a plan from beginning with all of these weights: another architecture, other sizes, a
    /// window longer than positions were learnt for.
    pub fn fits(&self, plan: &TrainingPlan, config: &Config) -> Result<(), Diagnostic> {
        let refuse = |what: String| {
            let help = "train the configuration that `meshwright convert` writes beside the weights, or change \
                        `[model]` to what it says; nothing was computed";
            let message = format!("the model is not that of `{}`: {what}", self.folder.path.display());
            Err(Diagnostic::error(WEIGHTS, message).help(help))
        };
        let own = plan.model.specs().list.into_iter().map(|spec| Wanted {
            name: format!("params.{}", spec.name),
            element: Element::F32,
            shape: spec.sizes().iter().map(|size| usize::try_from(*size).unwrap_or(0)).collect(),
        });
        let report = plan_init(&own.collect::<Vec<_>>(), self);
        let kinds = [
            ("not there", report.missing),
            ("of another shape", report.different),
            ("without use here", report.unused),
        ];
        let lists = kinds.iter().filter(|(_, names)| !names.is_empty());
        let lists: Vec<String> = lists.map(|(what, names)| listed(what, names)).collect();
        if !lists.is_empty() {
            return refuse(lists.join("; "));
        }
        let (most, data) = (self.config.model.positions, &config.data);
        let length = if config.model.decoder_only { 0 } else { data.input_length }.max(data.target_length);
        if most > 0 && length > most {
            return refuse(format!(
                "it has learnt {most} positions, and texts of {length} tokens are asked for"
            ));
        }
        let own = settings::choices(config);
        let other = settings::choices(&self.config);
        let differ = |(own, other): (&(&str, String), &(&str, String))| {
            (own.1 != other.1).then(|| format!("`{}` is {} and should be {}", own.0, own.1, other.1))
        };
        let differing: Vec<String> = own.iter().zip(&other).filter_map(differ).collect();
        if differing.is_empty() { Ok(()) } else { refuse(differing.join(", ")) }
    }

    fn find(&self, name: &str) -> Option<&Weight> {
        self.weights.iter().find(|weight| name.strip_prefix("params.") == Some(&*weight.name))
    }

    fn whole(&self, weight: &Weight) -> Result<Vec<u8>, Diagnostic> {
        let mut out = Vec::new();
        for name in &weight.theirs {
            let Some(entry) = self.folder.entry(name) else { continue };
            let bytes = widened(self.folder.read(name)?, entry.element.dtype());
            finite(name, &self.folder.path.display().to_string(), Element::F32, &bytes)?;
            let is_turned = weight.layout.transposes();
            out.extend(match entry.shape[..] {
                [rows, columns] if is_turned => transposed(&bytes, rows, columns, 4),
                _ => bytes,
            });
        }
        Ok(out)
    }
}

impl Weights for Foreign {
    fn weights(&self) -> Vec<(String, Element, Vec<usize>)> {
        let one = |weight: &Weight| (format!("params.{}", weight.name), Element::F32, weight.shape.clone());
        self.weights.iter().map(one).collect()
    }

    fn tensor(&self, name: &str) -> Option<(Element, &[usize])> {
        self.find(name).map(|weight| (Element::F32, &weight.shape[..]))
    }

    /// In `f32`, whatever it is in the folder.
    fn read(&mut self, name: &str, region: &Region) -> Result<Vec<u8>, Diagnostic> {
        let Some(weight) = self.find(name).cloned() else {
            let message = format!("`{}` has no weight `{name}`", self.folder.path.display());
            return Err(Diagnostic::error(WEIGHTS, message).help("use the model of its `config.json`"));
        };
        if self.last.0 != name {
            self.last = (name.to_string(), self.whole(&weight)?);
        }
        let whole = &self.last.1;
        let mut out = vec![0; region.volume().unwrap_or(0) * 4];
        for run in Region::whole(&weight.shape).runs_into(region, 4) {
            let from = usize::try_from(run.from).unwrap_or(usize::MAX);
            out[run.to..run.to + run.bytes].copy_from_slice(&whole[from..from + run.bytes]);
        }
        Ok(out)
    }
}

/// Layers and experts have tensors of their own, or a place in one: with more of them than a folder could hold, whoever
/// wrote its sizes was mistaken, and naming all of their weights would take for ever.
fn countable(folder: &Folder, config: &Config) -> Result<(), Vec<Diagnostic>> {
    let tensors = folder.names().count();
    let most = folder.names().filter_map(|name| folder.entry(name)?.shape.first()).max().copied();
    let model = &config.model;
    let counts = [
        ("layers", model.layers, tensors),
        ("layers of the decoder", model.decoder_layers, tensors),
        ("experts", model.experts, tensors.max(most.unwrap_or(0))),
    ];
    let Some((what, count, _)) = counts.into_iter().find(|(_, count, most)| count > most) else {
        return Ok(());
    };
    let message = format!(
        "the weights in `{}` are not those of its model: it has {count} {what}, and there are {tensors} tensors",
        folder.path.display()
    );
    let help = "correct its `config.json`; nothing was computed and nothing written";
    Err(vec![Diagnostic::error(WEIGHTS, message).help(help)])
}

/// What is wrong with a model's own fields, whose names there are told; the rest of its configuration is nobody's yet.
fn checked(folder: &Folder, config: &Config) -> Result<(), Vec<Diagnostic>> {
    let errors = config.check().into_iter().filter(Diagnostic::is_error);
    let said = with_their_names(folder, errors.collect());
    let theirs: Vec<Diagnostic> = said.into_iter().filter(|found| found.message.contains(THEIRS)).collect();
    if theirs.is_empty() { Ok(()) } else { Err(theirs) }
}

/// What stands before another library's name of a field.
const THEIRS: &str = ", as the checkpoint says it in ";

/// Messages about fields of ours, with what the other library calls them.
fn with_their_names(folder: &Folder, mut found: Vec<Diagnostic>) -> Vec<Diagnostic> {
    for one in &mut found {
        let fields = one.message.split('`').skip(1).step_by(2);
        let names = fields.flat_map(settings::their_names).filter(|name| !folder.config.1[**name].is_null());
        if let Some(name) = names.copied().next() {
            one.message += &format!("{THEIRS}`{name}`: {}", folder.config.1[name]);
        }
    }
    found
}

/// The weights of a configuration's model, with their names there. One without a name is of a model that the other
/// library does not have.
fn weights(architecture: Architecture, config: &Config) -> Result<Vec<Weight>, Vec<Diagnostic>> {
    let size = config.model.vocabulary;
    let plan = TrainingPlan::of(config, Vocabularies { source: size, target: size })?;
    let one = |spec: meshwright_nn::params::Spec| {
        let shape: Vec<usize> = spec.sizes().iter().map(|size| usize::try_from(*size).unwrap_or(0)).collect();
        match names::theirs(architecture, &spec.name, config.model.experts) {
            Some((theirs, layout)) => Ok(Weight { name: spec.name, shape, theirs, layout }),
            None => {
                let message = format!("the other library's model has no weight for `{}`", spec.name);
                Err(vec![Diagnostic::error(ARCHITECTURE, message).help("it cannot be converted")])
            }
        }
    };
    plan.model.specs().list.into_iter().map(one).collect()
}

/// The shape of each of a weight's tensors there: a list of one or two sizes.
fn shape_there(weight: &Weight) -> Vec<usize> {
    let own = match weight.layout {
        TheirForm::Experts => &weight.shape[1..],
        TheirForm::Same | TheirForm::Joined | TheirForm::Matrix | TheirForm::Transposed => &weight.shape[..],
    };
    if weight.layout == TheirForm::Same || own.len() < 2 {
        return own.to_vec();
    }
    if weight.layout == TheirForm::Joined {
        return vec![own.iter().product()];
    }
    // Queries, keys and values have heads and kv as outputs, what comes behind attention has them as inputs.
    let is_out = weight.name.ends_with(".out");
    let at = if is_out { own.len() - 1 } else { 1 };
    let (inputs, outputs) = own.split_at(at);
    let (inputs, outputs) = (inputs.iter().product(), outputs.iter().product());
    if weight.layout == TheirForm::Matrix { vec![inputs, outputs] } else { vec![outputs, inputs] }
}

/// Everything that is missing, of another shape, or unknown, in one diagnostic.
fn held_against(folder: &Folder, weights: &[Weight]) -> Result<(), Vec<Diagnostic>> {
    let (mut missing, mut different) = (Vec::new(), Vec::new());
    for weight in weights {
        let wanted = shape_there(weight);
        for name in &weight.theirs {
            match folder.entry(name) {
                None => missing.push(format!("{name} {wanted:?}")),
                Some(entry) if !is_float(entry.element) || entry.shape != wanted => different.push(format!(
                    "{name} is {} {:?}, and should be of floats {wanted:?}",
                    entry.element.word(),
                    entry.shape
                )),
                Some(_) => {}
            }
        }
    }
    let wanted: BTreeSet<&str> =
        weights.iter().flat_map(|weight| &weight.theirs).map(String::as_str).collect();
    let is_wanted = |name: &str| wanted.contains(name);
    let mut unknown = Vec::new();
    for name in folder.names().filter(|name| !is_wanted(name)) {
        let is_copy = |of: &str| {
            let same =
                |a: Result<Vec<u8>, _>, b: Result<Vec<u8>, _>| matches!((a, b), (Ok(a), Ok(b)) if a == b);
            is_wanted(of) && same(folder.read(name), folder.read(of))
        };
        if !names::repeats(name).any(is_copy) {
            unknown.push(name.clone());
        }
    }
    let kinds = [("missing", missing), ("of another shape or type", different), ("unknown", unknown)];
    let lists: Vec<String> = kinds
        .iter()
        .filter(|(_, names)| !names.is_empty())
        .map(|(what, names)| listed(what, names))
        .collect();
    if lists.is_empty() {
        return Ok(());
    }
    let message = format!(
        "the weights in `{}` are not those of its model: {}",
        folder.path.display(),
        lists.join("; ")
    );
    Err(vec![Diagnostic::error(WEIGHTS, message).help(
        "fetch the folder anew, whole, or correct its `config.json`; nothing was computed and nothing written",
    )])
}

fn listed(what: &str, names: &[String]) -> String {
    let shown = names.iter().take(MOST_NAMES).cloned().collect::<Vec<_>>().join(", ");
    let more = names.len().saturating_sub(MOST_NAMES);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("{} {what} ({shown}{more})", names.len())
}

fn is_float(element: Element) -> bool {
    matches!(element, Element::F16 | Element::Bf16 | Element::F32 | Element::F64)
}

/// As `f32`: exactly, but for what was `f64`.
fn widened(bytes: Vec<u8>, from: DType) -> Vec<u8> {
    retyped(bytes, from, DType::F32)
}

fn retyped(bytes: Vec<u8>, from: DType, to: DType) -> Vec<u8> {
    if from == to {
        return bytes;
    }
    bytes.chunks_exact(from.bytes()).flat_map(|one| float_bytes(to, float_of(from, one))).collect()
}

/// A matrix with its dims changed.
fn transposed(bytes: &[u8], rows: usize, columns: usize, width: usize) -> Vec<u8> {
    let mut out = Vec::with_capacity(bytes.len());
    for column in 0..columns {
        for row in 0..rows {
            let at = (row * columns + column) * width;
            out.extend_from_slice(&bytes[at..at + width]);
        }
    }
    out
}

fn damaged(path: &Path, what: impl std::fmt::Display) -> Diagnostic {
    Diagnostic::error(FOLDER, format!("`{}` is damaged: {what}", path.display()))
        .help("fetch the folder anew, whole; nothing was written")
}

fn unreadable(path: &Path, error: &std::io::Error) -> Diagnostic {
    Diagnostic::error(FOLDER, format!("cannot read `{}`: {error}", path.display()))
        .help("name a folder with `config.json` and `model.safetensors`, or with several such files and their index")
}
