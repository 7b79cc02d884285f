//! One TOML says what a run is. Every field has a default, so an empty file is a run.
//!
//! ```text
//! [model]
//! experts = 16
//! [mesh]
//! axes = "data=2,expert=4"
//! ```
//!
//! Fields are declared in `sections`; nothing here names one. Reading collects all mistakes: what is no TOML, what is
//! no field, what has the wrong type. [`Config::check`] then says what contradicts what. Where a field was written is
//! remembered, so that a contradiction points at it and a field that would have no effect is refused only if written.

/// The sections, each with its name: the only list of them.
macro_rules! each_section {
    ($config:expr, $visit:ident) => {
        $visit!(
            $config,
            model "model",
            unet "model.unet",
            residual "model.residual",
            vit "model.vit",
            dilated "model.dilated",
            conformer "model.conformer",
            pipeline "model.pipeline",
            mesh "mesh",
            data "data",
            image "data.image",
            question "data.question",
            speech "data.speech",
            optimizer "optimizer",
            distill "distill",
            train "train",
            checkpoint "checkpoint",
            metrics "metrics"
        )
    };
}
pub(crate) use each_section;

pub mod bound;
mod check;
mod elastic;
pub(crate) mod field;
mod images;
pub(crate) mod resume;
mod sections;
mod speech;
mod strategy;

pub use bound::Bound;
pub use field::{Axes, FieldInfo, Sizes};
pub use images::{Kind, LONGEST_QUESTION, PICTURES, WORDS};
pub use sections::*;
pub use speech::LEAST_FRAMES;

use field::Section;
use meshwright_base::arrange::Arrange;
use meshwright_base::diagnostic::Place;
use meshwright_base::{Code, Diagnostic, SourceText, Span, nearest};
use std::collections::BTreeMap;
use toml::de::{DeTable, DeValue};

pub(crate) const NOT_TOML: Code = Code(1101);
pub(crate) const UNKNOWN: Code = Code(1102);
pub(crate) const WRONG_TYPE: Code = Code(1103);
pub(crate) const CONTRADICTION: Code = Code(1104);
pub(crate) const COST: Code = Code(1105);

/// A run, as configured.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Config {
    pub model: ModelSection,
    pub unet: UnetSection,
    pub residual: ResidualSection,
    pub vit: VitSection,
    pub dilated: DilatedSection,
    pub conformer: ConformerSection,
    pub pipeline: PipelineSection,
    pub mesh: MeshSection,
    pub data: DataSection,
    pub image: ImageSection,
    pub question: QuestionSection,
    pub speech: SpeechSection,
    pub optimizer: OptimizerSection,
    pub distill: DistillSection,
    pub train: TrainSection,
    pub checkpoint: CheckpointSection,
    pub metrics: MetricsSection,
    written: BTreeMap<String, Place>,
}

impl Corpus {
    /// Whether it is in files of the user's.
    pub fn reads_files(self) -> bool {
        matches!(self, Corpus::Files | Corpus::Pairs | Corpus::Arrays)
    }
}

impl DataSection {
    /// Whether sources of corpus "pairs" begin with their language as text, as `<de>`.
    pub fn marks_languages(&self) -> bool {
        self.language_token && self.source_language.is_empty()
    }
}

impl Config {
    /// Reads a file's text. All mistakes are reported, in the order of the text.
    pub fn read(source: &SourceText) -> Result<Config, Vec<Diagnostic>> {
        let mut config = Config::default();
        match config.add(source, Place::Span) {
            found if found.is_empty() => Ok(config),
            mut found => {
                found.arrange_by_key(|diagnostic| match diagnostic.place {
                    Some(Place::Span(span)) => span.start,
                    _ => 0,
                });
                Err(found)
            }
        }
    }

    /// Reads what [`write`](Config::write) wrote: no field counts as written by the user, since all are there.
    pub fn read_whole(source: &SourceText) -> Result<Config, Vec<Diagnostic>> {
        Config::read(source).map(|config| Config { written: BTreeMap::new(), ..config })
    }

    /// Sets one field as `--set model.experts=16` asks. A value that is no TOML is taken as a text.
    pub fn set(&mut self, assignment: &str) -> Result<(), Vec<Diagnostic>> {
        let shown = format!("--set {assignment}");
        let Some((path, value)) = assignment.split_once('=') else {
            let message = format!("`{assignment}` sets nothing");
            return Err(vec![Diagnostic::error(NOT_TOML, message).help("write it as model.experts=16")]);
        };
        let is_value = DeValue::parse(value.trim()).is_ok();
        let value = if is_value { value.trim().to_string() } else { field::quoted(value.trim()) };
        let text = SourceText::new(shown.clone(), format!("{} = {value}", path.trim()));
        let place = |_| Place::Source { file: shown.clone(), line: 1, column: 7 };
        let found = self.add(&text, place);
        if found.is_empty() { Ok(()) } else { Err(found) }
    }

    /// Whether a field was written by the user, and where.
    pub fn written(&self, path: &str) -> Option<&Place> {
        self.written.get(path)
    }

    /// Whether targets have a vocabulary of their own.
    pub fn has_two_vocabularies(&self) -> bool {
        self.data.target_vocabulary > 0 || !self.data.target_tokenizer.is_empty()
    }

    /// Whether the decoder has a table of embeddings of its own.
    pub fn has_two_embeddings(&self) -> bool {
        match self.model.embeddings {
            Embeddings::Auto => self.model.family == Family::Gshard,
            Embeddings::Shared => false,
            Embeddings::Separate => true,
        }
    }

    /// Whether nearly all fields were written: a configuration that this program wrote out, in which a field says
    /// nothing of what its user believes.
    pub(crate) fn is_written_out(&self) -> bool {
        let all: usize = Config::reference().iter().map(|(_, fields)| fields.len()).sum();
        4 * self.written.len() >= 3 * all
    }

    /// The whole configuration, every field written out. Reading it gives the same configuration.
    pub fn write(&self) -> String {
        let mut out = String::new();
        macro_rules! visit {
            ($config:expr, $($name:ident $path:literal),*) => { $(write_section(&mut out, $path, &$config.$name);)* };
        }
        each_section!(self, visit);
        out
    }

    /// The same with what each field means and may be, in comments.
    pub fn explained(&self) -> String {
        let mut out = String::new();
        macro_rules! visit {
            ($config:expr, $($name:ident $path:literal),*) => { $(explain_section(&mut out, $path, &$config.$name);)* };
        }
        each_section!(self, visit);
        out
    }

    /// Every field of every section, for help texts and the reference.
    pub fn reference() -> Vec<(&'static str, Vec<FieldInfo>)> {
        macro_rules! visit {
            ($config:expr, $($name:ident $path:literal),*) => { vec![$(($path, fields_of(&$config.$name)),)*] };
        }
        each_section!(Config::default(), visit)
    }

    /// Adds what a text sets, and returns what is wrong with it.
    fn add(&mut self, source: &SourceText, place: impl Fn(Span) -> Place) -> Vec<Diagnostic> {
        let table = match DeTable::parse(&source.text) {
            Ok(table) => table.into_inner(),
            Err(error) => return vec![not_toml(&error, &place)],
        };
        let mut found = Vec::new();
        for (name, value) in &table {
            let at = place(span(&name.span()));
            match value.get_ref().as_table() {
                Some(fields) => self.add_section(name.get_ref(), at, fields, &place, &mut found),
                None => found.push(stray(name.get_ref(), at)),
            }
        }
        found
    }

    fn add_section(
        &mut self,
        section: &str,
        at: Place,
        fields: &DeTable<'_>,
        place: &impl Fn(Span) -> Place,
        found: &mut Vec<Diagnostic>,
    ) {
        for (name, value) in fields {
            let name_at = place(span(&name.span()));
            let within = format!("{section}.{}", name.get_ref());
            if let Some(fields) = value.get_ref().as_table().filter(|_| section_names().contains(&&*within)) {
                self.add_section(&within, name_at, fields, place, found);
                continue;
            }
            match self.set_field(section, name.get_ref(), value.get_ref()) {
                Some(Some(Ok(()))) => {
                    self.written.insert(within, name_at);
                }
                Some(Some(Err(expected))) => {
                    let value_at = place(span(&value.span()));
                    found.push(wrong_type(section, name.get_ref(), &expected, value.get_ref(), value_at));
                }
                Some(None) => found.push(unknown_field(section, name.get_ref(), name_at)),
                None => return found.push(unknown_section(section, at)),
            }
        }
    }

    /// `None`: no such section. `Some(None)`: no such field in it.
    fn set_field(
        &mut self,
        section: &str,
        field: &str,
        value: &DeValue<'_>,
    ) -> Option<Option<Result<(), String>>> {
        macro_rules! visit {
            ($config:expr, $($name:ident $path:literal),*) => {
                match section { $($path => Some($config.$name.set(field, value)),)* _ => None }
            };
        }
        each_section!(self, visit)
    }
}

fn fields_of<S: Section>(_: &S) -> Vec<FieldInfo> {
    S::fields()
}

fn write_section(out: &mut String, name: &str, section: &impl Section) {
    out.push_str(&format!("[{name}]\n"));
    section.values().iter().for_each(|(field, value)| out.push_str(&format!("{field} = {value}\n")));
}

fn explain_section<S: Section>(out: &mut String, name: &str, section: &S) {
    let gap = if out.is_empty() { "" } else { "\n" };
    out.push_str(&format!("{gap}[{name}]\n"));
    for (info, (field, value)) in S::fields().iter().zip(section.values()) {
        let is_told = info.expected.starts_with("one of");
        let expected = if is_told { format!(" ({})", info.expected) } else { String::new() };
        out.push_str(&format!("# {}{expected}\n{field} = {value}\n", info.doc));
    }
}

fn span(range: &std::ops::Range<usize>) -> Span {
    Span::new(range.start, range.end)
}

fn not_toml(error: &toml::de::Error, place: &impl Fn(Span) -> Place) -> Diagnostic {
    let at = error.span().map(|range| place(span(&range)));
    let message = error.message().lines().next().unwrap_or("broken").to_lowercase();
    Diagnostic::error(NOT_TOML, format!("this is not TOML: {message}"))
        .at_place(at)
        .help("a section is `[model]`, a field below it `experts = 16`, a text stands in quotes")
}

fn stray(name: &str, at: Place) -> Diagnostic {
    let homes = homes_of(name);
    let help = match homes.first() {
        Some(home) => format!("put it under `[{home}]`"),
        None => format!("the sections are {}", section_names().join(", ")),
    };
    Diagnostic::error(UNKNOWN, format!("`{name}` stands outside of every section"))
        .at_place(Some(at))
        .help(help)
}

fn unknown_section(section: &str, at: Place) -> Diagnostic {
    let help = nearest::suggest(section, section_names().into_iter())
        .unwrap_or_else(|| format!("the sections are {}", section_names().join(", ")));
    Diagnostic::error(UNKNOWN, format!("there is no section `[{section}]`")).at_place(Some(at)).help(help)
}

fn unknown_field(section: &str, field: &str, at: Place) -> Diagnostic {
    let within = format!("{section}.");
    let sections = section_names().into_iter().filter_map(|name| name.strip_prefix(&within));
    let fields = Config::reference().into_iter().filter(|(name, _)| *name == section);
    let fields = fields.flat_map(|(_, fields)| fields.into_iter().map(|info| info.name));
    let names: Vec<&str> = fields.chain(sections).collect();
    let elsewhere = homes_of(field).first().map(|home| format!("`{field}` is a field of `[{home}]`"));
    let help = elsewhere
        .or_else(|| nearest::suggest(field, names.iter().copied()))
        .unwrap_or_else(|| format!("`[{section}]` has {}", names.join(", ")));
    Diagnostic::error(UNKNOWN, format!("`[{section}]` has no field `{field}`")).at_place(Some(at)).help(help)
}

fn wrong_type(section: &str, field: &str, expected: &str, found: &DeValue<'_>, at: Place) -> Diagnostic {
    let shown = match found {
        DeValue::String(text) => format!("{:?}", text.chars().take(60).collect::<String>()),
        DeValue::Integer(number) => number.to_string(),
        DeValue::Float(number) => number.as_str().to_string(),
        other => format!("a value of kind {}", other.type_str()),
    };
    let mut diagnostic =
        Diagnostic::error(WRONG_TYPE, format!("`{section}.{field}` cannot be {shown}")).at_place(Some(at));
    diagnostic.help = Some(format!("write {expected}"));
    diagnostic
}

fn section_names() -> Vec<&'static str> {
    Config::reference().into_iter().map(|(name, _)| name).collect()
}

/// The sections that have a field of this name.
fn homes_of(field: &str) -> Vec<&'static str> {
    let has = |fields: &[FieldInfo]| fields.iter().any(|info| info.name == field);
    Config::reference().into_iter().filter(|(_, fields)| has(fields)).map(|(name, _)| name).collect()
}

#[cfg(test)]
mod tests;
