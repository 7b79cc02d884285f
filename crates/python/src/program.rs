//! A module that was read and verified.

use crate::array::Bytes;
use crate::executable::{Executable, Loading};
use crate::explanation::Explanation;
use crate::failure::{alone, bad_argument, in_json, raised};
use crate::judge::interpreted;
use crate::partitioned::Partitioned;
use crate::settings::{Given, Settings};
use crate::signature::signature;
use crate::writing::Writing;
use meshwright_base::{Diagnostic, SourceText};
use meshwright_cli::args::{AnnotatedArgs, Compute, DumpArgs, Judge, VerifyArgs};
use meshwright_cli::commands::complete::{options_on, without_scalar_shardings};
use meshwright_cli::commands::plan::plan_loaded;
use meshwright_cli::commands::verify::verify_loaded;
use meshwright_cli::failure::Failure;
use meshwright_cli::load::{Loaded, PARTITIONED, partitioned_already, partitioned_twice, stated_devices};
use meshwright_cli::located::{self, Completed, told_in_place};
use meshwright_cli::plan_args::{PlanArgs, PluginArgs, SubjectArgs};
use meshwright_cli::read::read;
use meshwright_cli::report::diagnostic_json;
use meshwright_cli::stages::Stages;
use meshwright_cli::{engine, input, load};
use meshwright_compile::{Options, Unobserved};
use meshwright_ir::Module;
use meshwright_text::Format;
use pyo3::buffer::PyBuffer;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde_json::{Value, json};
use std::path::PathBuf;
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
        let writing = Writing::of(&Given(given)).map_err(|failure| raised(py, &failure))?;
        alone(py, || Ok(writing.write(&self.module, self.format())))
    }

    /// A sharding on every value: the program, and the counts with what was in conflict.
    fn complete(&self, py: Python<'_>, given: &Bound<'_, PyDict>) -> PyResult<(Program, String)> {
        let settings = self.settings(py, given)?;
        alone(py, || {
            let options = options_on(&settings.annotated, settings.target.as_ref(), &self.module)?;
            let completed = located::complete(&self.text, &options, &mut Unobserved)?;
            Ok(Program::completed(&self.text, completed))
        })
    }

    /// Completed and partitioned for so many devices of this process, and loaded on them.
    fn executable(&self, py: Python<'_>, given: &Bound<'_, PyDict>) -> PyResult<Executable> {
        let given = Given(given);
        let asked = Loading::of(&given).and_then(|loading| Ok((loading, given.count("devices")?)));
        let (loading, devices) = asked.map_err(|failure| raised(py, &failure))?;
        alone(py, || {
            not_partitioned(&self.module)?;
            let loaded = self.loaded();
            let made = engine::prepare(&loaded, devices, &DumpArgs::default(), false)?;
            Executable::new(&made.program, made.devices, &loading)
        })
    }

    /// Run on the interpreter: one flat buffer of bytes for each parameter.
    fn interpret(&self, py: Python<'_>, arguments: Vec<PyBuffer<u8>>) -> PyResult<Vec<Bytes>> {
        let arguments = arguments.iter().map(|one| one.to_vec(py)).collect::<PyResult<Vec<_>>>()?;
        alone(py, || {
            not_partitioned(&self.module)?;
            interpreted(&self.module, &arguments)
                .map_err(|failure| Failure { text: Some((*self.text).clone()), ..failure })
        })
    }

    /// What its partition does and why.
    fn explain(&self, py: Python<'_>, given: &Bound<'_, PyDict>) -> PyResult<Explanation> {
        let settings = self.settings(py, given)?;
        alone(py, || {
            let options = self.options(&settings)?;
            Explanation::of(self.located()?, options)
        })
    }

    /// Whether the partitioned program computes what this one does: for people, and for programs.
    fn verify(&self, py: Python<'_>, given: &Bound<'_, PyDict>) -> PyResult<(String, String, String)> {
        let settings = self.settings(py, given)?;
        let asked = verifying(&Given(given), settings.annotated).map_err(|failure| raised(py, &failure))?;
        alone(py, || {
            let report = verify_loaded(&asked, self.located()?)?;
            Ok((report.text.clone(), report.notes.clone(), in_json(&report)))
        })
    }

    /// What a step takes on a machine: for people, and for programs.
    fn plan(&self, py: Python<'_>, given: &Bound<'_, PyDict>) -> PyResult<(String, String)> {
        let asked = planning(&Given(given)).map_err(|failure| raised(py, &failure))?;
        alone(py, || {
            let report = plan_loaded(&asked, self.located()?)?;
            Ok((report.text.clone(), in_json(&report)))
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
        Given(given).settings().map_err(|failure| raised(py, &failure))
    }

    fn loaded(&self) -> Loaded {
        Loaded { module: (*self.module).clone(), text: (*self.text).clone() }
    }

    /// With a place for every instruction.
    fn located(&self) -> Result<Loaded, Failure> {
        load::in_memory(&self.text)
    }

    fn options(&self, settings: &Settings) -> Result<Options, Failure> {
        let Settings { annotated, target, .. } = settings;
        let memory_limit = settings.memory_limit.or(target.as_ref().map(|target| target.device().capacity));
        let options = options_on(annotated, target.as_ref(), &self.module)?;
        let spares_memory = options.spares_memory && settings.memory_limit.is_none();
        let mut options = Options { memory_limit, spares_memory, ..options };
        if settings.in_process {
            let goal = options.partition.goal;
            options.partition = meshwright_spmd::Options { goal, ..meshwright_spmd::Options::in_process() };
            options.spares_memory = false;
        }
        Ok(options)
    }

    pub fn format(&self) -> Format {
        meshwright_text::recognize(&self.text)
    }

    /// A completed module as a program, and what is told of it.
    fn completed(text: &SourceText, completed: Completed) -> (Program, String) {
        let Completed { sharded, report, .. } = completed;
        let module = without_scalar_shardings(sharded.into_module());
        let told = json!({
            "given": report.given,
            "inferred": report.inferred,
            "replicated": report.replicated,
            "sweeps": report.sweeps,
            "notes": told(&report.conflicts, text),
        });
        let writing = Writing { locations: true, ..Writing::default() };
        let text = SourceText::new(&*text.name, writing.write(&module, meshwright_text::recognize(text)));
        (Program { module: Arc::new(module), text: Arc::new(text) }, told.to_string())
    }

    fn partitioned(&self, settings: &Settings) -> Result<Partitioned, Failure> {
        let options = self.options(settings)?;
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
        let twice = partitioned_twice(&self.module, &self.text);
        let whole = stages.whole.iter().map(|operand| operand.note());
        let conflicts = compiled.completion.conflicts.iter().cloned();
        told(&twice.into_iter().chain(conflicts).chain(whole).collect::<Vec<_>>(), &self.text)
    }
}

fn told(found: &[Diagnostic], text: &SourceText) -> Value {
    found.iter().map(|found| diagnostic_json(found, Some(text))).collect()
}

/// A program of one device's pieces has no global arrays.
fn not_partitioned(module: &Module) -> Result<(), Failure> {
    let Some((message, place)) = partitioned_already(module) else { return Ok(()) };
    let help = "run the module that it was made from";
    Err(Failure::input(Diagnostic::error(PARTITIONED, message).at_place(place).help(help)))
}

fn verifying(given: &Given<'_, '_>, input: AnnotatedArgs) -> Result<VerifyArgs, Failure> {
    let types = [("auto", Compute::Auto), ("f64", Compute::F64), ("asis", Compute::Asis)];
    Ok(VerifyArgs {
        input,
        seeds: given.count("seeds")?.map_or(1, u64::from),
        seed: given.number("seed")?,
        inputs: None,
        scaled: given.flag("scaled")?,
        dtype: given.word("dtype", &types)?.unwrap_or(Compute::Auto),
        backend: given
            .word("backend", &[("interp", Judge::Interp), ("cpu", Judge::Cpu)])?
            .unwrap_or(Judge::Interp),
        plugin: PluginArgs::default(),
    })
}

fn planning(given: &Given<'_, '_>) -> Result<PlanArgs, Failure> {
    let target = given.target()?.ok_or_else(|| {
        let help = "name a machine: `program.plan(target=\"tpu-v4:4x4x4\")`";
        bad_argument("a plan is for a machine, and none is named", help)
    })?;
    let subject = SubjectArgs {
        what: PathBuf::new(),
        mesh: given.mesh("mesh")?,
        batch: None,
        microbatches: None,
        recompute: None,
        set: Vec::new(),
    };
    Ok(PlanArgs {
        subject,
        target,
        memory_limit: given.bytes("memory_limit")?,
        least: given.least()?,
        sweep: given.flag("sweep")?,
        batches: Vec::new(),
        timeline: None,
        top: given.count("top")?.map_or(8, |top| top as usize),
    })
}
