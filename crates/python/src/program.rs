//! A module that was read and verified.

use crate::failure::alone;
use crate::partitioned::Partitioned;
use crate::settings::{Given, Settings};
use crate::signature::signature;
use crate::writing::Writing;
use meshwright_base::{Diagnostic, SourceText};
use meshwright_cli::commands::complete::{options_on, without_scalar_shardings};
use meshwright_cli::failure::Failure;
use meshwright_cli::load::stated_devices;
use meshwright_cli::located::{self, Completed, told_in_place};
use meshwright_cli::read::read;
use meshwright_cli::report::diagnostic_json;
use meshwright_cli::stages::Stages;
use meshwright_cli::{input, load};
use meshwright_compile::{Options, Unobserved};
use meshwright_ir::Module;
use meshwright_text::Format;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde_json::{Value, json};
use std::sync::Arc;

/// Sound, and with the text that it was read from, to point into.
#[pyclass(frozen, module = "meshwright._native")]
pub struct Program {
    module: Arc<Module>,
    text: Arc<SourceText>,
}

#[pymethods]
impl Program {
    #[new]
    fn new(py: Python<'_>, name: &str, text: &[u8]) -> PyResult<Program> {
        alone(py, || {
            let text = input::given(name, text)?;
            match read(&text) {
                Ok(module) => Ok(Program { module: Arc::new(module), text: Arc::new(text) }),
                Err(found) => Err(Failure::in_text(text, found)),
            }
        })
    }

    /// Where the text came from.
    #[getter]
    fn name(&self) -> &str {
        &self.text.name
    }

    /// How many devices the module speaks of.
    #[getter]
    fn devices(&self) -> i64 {
        stated_devices(&self.module)
    }

    fn signature(&self) -> String {
        signature(&self.module, None).to_string()
    }

    /// The module as text; see [`Writing`].
    fn to_text(&self, py: Python<'_>, given: &Bound<'_, PyDict>) -> PyResult<String> {
        let writing = Writing::of(&Given(given)).map_err(|failure| crate::failure::raised(py, &failure))?;
        alone(py, || Ok(writing.write(&self.module, self.format())))
    }

    /// A sharding on every value: the program, and the counts with what was in conflict.
    fn complete(&self, py: Python<'_>, given: &Bound<'_, PyDict>) -> PyResult<(Program, String)> {
        let settings = self.settings(py, given)?;
        alone(py, || {
            let options = options_on(&settings.annotated, settings.target.as_ref(), &self.module)?;
            let completed = located::complete(&self.text, &options, &mut Unobserved)?;
            Ok(self.completed(completed))
        })
    }

    /// One program for all devices.
    fn partition(&self, py: Python<'_>, given: &Bound<'_, PyDict>) -> PyResult<Partitioned> {
        let settings = self.settings(py, given)?;
        alone(py, || self.partitioned(&settings))
    }
}

impl Program {
    fn settings(&self, py: Python<'_>, given: &Bound<'_, PyDict>) -> PyResult<Settings> {
        Given(given).settings().map_err(|failure| crate::failure::raised(py, &failure))
    }

    pub fn format(&self) -> Format {
        meshwright_text::recognize(&self.text)
    }

    fn completed(&self, completed: Completed) -> (Program, String) {
        let Completed { sharded, report, .. } = completed;
        let module = without_scalar_shardings(sharded.into_module());
        let told = json!({
            "given": report.given,
            "inferred": report.inferred,
            "replicated": report.replicated,
            "sweeps": report.sweeps,
            "notes": self.told(&report.conflicts),
        });
        let writing = Writing { locations: true, ..Writing::default() };
        let text = SourceText::new(&*self.text.name, writing.write(&module, self.format()));
        (Program { module: Arc::new(module), text: Arc::new(text) }, told.to_string())
    }

    fn partitioned(&self, settings: &Settings) -> Result<Partitioned, Failure> {
        let memory_limit =
            settings.memory_limit.or(settings.target.as_ref().map(|target| target.device().capacity));
        let options = options_on(&settings.annotated, settings.target.as_ref(), &self.module)?;
        let mut options = Options { memory_limit, ..options };
        if settings.in_process {
            options.partition = meshwright_spmd::Options {
                goal: options.partition.goal,
                ..meshwright_spmd::Options::in_process()
            };
        }
        let again = |module| meshwright_compile::partition(module, &options, &mut Unobserved).map(drop);
        let mut stages = Stages::default();
        let compiled = meshwright_compile::partition((*self.module).clone(), &options, &mut stages).map_err(
            |found| Failure::in_text((*self.text).clone(), told_in_place(found, &self.text, again)),
        )?;
        let notes = self.notes(&compiled, &stages);
        Ok(Partitioned::new(compiled, &stages.whole, &options, self.format(), notes))
    }

    /// What the user should be told of a partition.
    fn notes(&self, compiled: &meshwright_compile::Compiled, stages: &Stages) -> Value {
        let twice = load::partitioned_twice(&self.module, &self.text);
        let whole = stages.whole.iter().map(|operand| operand.note());
        let conflicts = compiled.completion.conflicts.iter().cloned();
        self.told(&twice.into_iter().chain(conflicts).chain(whole).collect::<Vec<_>>())
    }

    fn told(&self, found: &[Diagnostic]) -> Value {
        found.iter().map(|found| diagnostic_json(found, Some(&self.text))).collect()
    }
}
