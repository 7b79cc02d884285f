//! One program for all devices: its text, and what it sends and holds.

use crate::executable::{Executable, Loading};
use crate::failure::{alone, raised};
use crate::settings::Given;
use crate::signature::signature;
use crate::writing::Writing;
use meshwright_cli::commands::partition::stats_of;
use meshwright_cli::failure::Failure;
use meshwright_compile::{Compiled, Options};
use meshwright_spmd::embed::{Border, embed};
use meshwright_spmd::plan::whole::WholeOperand;
use meshwright_text::Format;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde_json::Value;
use std::sync::Arc;

/// A program on local shapes, with how its arrays are cut.
#[pyclass(frozen, module = "meshwright._native")]
pub struct Partitioned {
    compiled: Arc<Compiled>,
    format: Format,
    stats: Value,
    notes: Value,
}

/// How a partitioned program is written.
#[derive(Clone, Copy)]
enum Style {
    /// Local shapes.
    Local,
    /// A global signature, and everything inside a manual region.
    Embedded,
}

#[pymethods]
impl Partitioned {
    /// What a device sends, holds and computes.
    fn stats(&self) -> String {
        self.stats.to_string()
    }

    /// What the user should know of it.
    fn notes(&self) -> String {
        self.notes.to_string()
    }

    fn signature(&self) -> String {
        let program = &self.compiled.program;
        signature(program.module(), Some((&program.params, &program.results))).to_string()
    }

    #[getter]
    fn devices(&self) -> usize {
        meshwright_interp::global::device_count(&self.compiled.program)
    }

    /// The program on devices of this process.
    fn executable(&self, py: Python<'_>, given: &Bound<'_, PyDict>) -> PyResult<Executable> {
        let loading = Loading::of(&Given(given)).map_err(|failure| raised(py, &failure))?;
        alone(py, || Executable::new(&self.compiled.program, self.devices(), &loading))
    }

    /// The program as text.
    fn to_text(&self, py: Python<'_>, given: &Bound<'_, PyDict>) -> PyResult<String> {
        let given = Given(given);
        let asked = Writing::of(&given).and_then(|writing| {
            let style = given.word("style", &[("local", Style::Local), ("embedded", Style::Embedded)])?;
            Ok((writing, style.unwrap_or(Style::Local)))
        });
        let (writing, style) = asked.map_err(|failure| raised(py, &failure))?;
        alone(py, || {
            let program = &self.compiled.program;
            match style {
                Style::Local => Ok(writing.write(program.module(), self.format)),
                Style::Embedded => {
                    let module = embed(program, Border::Exact).map_err(Failure::input)?;
                    Ok(writing.write(&module, self.format))
                }
            }
        })
    }
}

impl Partitioned {
    pub fn new(
        compiled: Compiled,
        whole: &[WholeOperand],
        options: &Options,
        format: Format,
        notes: Value,
    ) -> Partitioned {
        let stats = stats_of(&compiled, whole, &options.partition.machine);
        Partitioned { compiled: Arc::new(compiled), format, stats, notes }
    }
}
