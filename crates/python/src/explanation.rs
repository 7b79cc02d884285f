//! What a partitioned program does and why, kept to be asked again.

use crate::failure::{alone, in_json};
use crate::writing::Writing;
use meshwright_base::SourceText;
use meshwright_cli::commands::complete::without_scalar_shardings;
use meshwright_cli::commands::explain::Told;
use meshwright_cli::commands::explain_why::answers;
use meshwright_cli::load::Loaded;
use meshwright_cli::located;
use meshwright_compile::{Options, Unobserved};
use pyo3::prelude::*;
use std::sync::{Arc, Mutex, PoisonError};

#[pyclass(frozen, module = "meshwright._native")]
pub struct Explanation {
    told: Mutex<Told>,
    text: Arc<SourceText>,
    options: Options,
}

#[pymethods]
impl Explanation {
    /// For people.
    fn text(&self) -> String {
        self.told.lock().unwrap_or_else(PoisonError::into_inner).report.text.clone()
    }

    /// For programs.
    fn json(&self) -> String {
        in_json(&self.told.lock().unwrap_or_else(PoisonError::into_inner).report)
    }

    /// For browsers.
    fn html(&self, py: Python<'_>) -> PyResult<String> {
        alone(py, || Ok(self.told.lock().unwrap_or_else(PoisonError::into_inner).page()))
    }

    /// The module with a sharding on every value, as the program was made from it: its name and its text.
    fn completed(&self, py: Python<'_>) -> PyResult<(String, String)> {
        alone(py, || {
            let completed = located::complete(&self.text, &self.options, &mut Unobserved)?;
            let module = without_scalar_shardings(completed.sharded.into_module());
            let writing = Writing { locations: true, ..Writing::default() };
            Ok((self.text.name.to_string(), writing.write(&module, meshwright_text::recognize(&self.text))))
        })
    }

    /// Where the splits of some values come from: for people, and for programs.
    fn why(&self, py: Python<'_>, values: Vec<String>, full: bool) -> PyResult<(String, String)> {
        alone(py, || {
            let completed = located::complete(&self.text, &self.options, &mut Unobserved)?;
            let report = answers(&self.text, &completed, &values, full)?;
            Ok((report.text.clone(), in_json(&report)))
        })
    }

    /// What another sharding would cost, and what stood against it.
    fn why_not(&self, py: Python<'_>, asked: &str, instead: bool) -> PyResult<(String, String)> {
        alone(py, || {
            let told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
            let report = told.why_not(asked, instead)?;
            Ok((report.text.clone(), in_json(&report)))
        })
    }
}

impl Explanation {
    pub fn of(loaded: Loaded, options: Options) -> Result<Explanation, meshwright_cli::failure::Failure> {
        let text = Arc::new(loaded.text.clone());
        Ok(Explanation { told: Mutex::new(Told::of(loaded, options.clone())?), text, options })
    }
}
