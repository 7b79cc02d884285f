//! What a call may be told, from the keyword arguments of Python to the options of the stages.

use crate::failure::bad_argument;
use meshwright_base::nearest::suggest;
use meshwright_cli::args::{AnnotatedArgs, DumpArgs, Free, Least};
use meshwright_cli::failure::Failure;
use meshwright_cli::{bytes, target};
use meshwright_cost::Target;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::path::PathBuf;

/// The keyword arguments that say how a module is completed and partitioned. Python gives all of them; those that the
/// user left out are `None`.
pub struct Settings {
    pub annotated: AnnotatedArgs,
    pub memory_limit: Option<i64>,
    pub target: Option<Target>,
    /// For devices that share this machine's cores, and take turns.
    pub in_process: bool,
}

/// What `target` is called for the cores of this machine.
const CPU: &str = "cpu";

/// Keyword arguments by name.
pub struct Given<'a, 'py>(pub &'a Bound<'py, PyDict>);

impl<'py> Given<'_, 'py> {
    /// What was given under a name, unless it is `None`.
    pub fn get(&self, name: &str) -> Option<Bound<'py, PyAny>> {
        let found = self.0.get_item(name).ok().flatten();
        found.filter(|value| !value.is_none())
    }

    /// One of some words.
    pub fn word<T: Copy>(&self, name: &str, words: &[(&str, T)]) -> Result<Option<T>, Failure> {
        let Some(value) = self.get(name) else { return Ok(None) };
        let text = shown(&value);
        match words.iter().find(|(word, _)| *word == text) {
            Some((_, meant)) => Ok(Some(*meant)),
            None => {
                let known = || words.iter().map(|(word, _)| *word);
                let near = suggest(&text, known()).map_or(String::new(), |near| format!("{near} "));
                let all = known().map(|word| format!("{word:?}")).collect::<Vec<_>>().join(" or ");
                Err(bad_argument(
                    format!("`{name}={}` is not known", quoted(&value)),
                    format!("{near}write {all}"),
                ))
            }
        }
    }

    /// A whole number over 0.
    pub fn count(&self, name: &str) -> Result<Option<u32>, Failure> {
        let Some(value) = self.get(name) else { return Ok(None) };
        let number = value.extract::<u32>().ok().filter(|number| *number > 0);
        number.map(Some).ok_or_else(|| {
            bad_argument(
                format!("`{name}={}` is no number of {name}", quoted(&value)),
                format!("give a whole number over 0, as `{name}=8`"),
            )
        })
    }

    /// A whole number from 0 on; 0 if none is given.
    pub fn number(&self, name: &str) -> Result<u64, Failure> {
        let Some(value) = self.get(name) else { return Ok(0) };
        let wrong = |_| {
            let message = format!("`{name}={}` is no whole number from 0 on", quoted(&value));
            bad_argument(message, format!("give one, as `{name}=7`"))
        };
        value.extract().map_err(wrong)
    }

    /// Sizes of axes by their names, as `x=4,y=2`.
    pub fn mesh(&self, name: &str) -> Result<Option<String>, Failure> {
        let Some(value) = self.get(name) else { return Ok(None) };
        let pairs: Option<Vec<(String, u32)>> = value.cast::<PyDict>().ok().and_then(|axes| {
            axes.iter().map(|(axis, size)| Some((axis.extract().ok()?, size.extract().ok()?))).collect()
        });
        match pairs.filter(|pairs| !pairs.is_empty()) {
            Some(pairs) => {
                let one = |(axis, size): &(String, u32)| format!("{axis}={size}");
                Ok(Some(pairs.iter().map(one).collect::<Vec<_>>().join(",")))
            }
            None => {
                let message = format!("`{name}={}` gives no sizes of axes", quoted(&value));
                Err(bad_argument(message, format!("give a dict, as `{name}={{\"data\": 4, \"model\": 2}}`")))
            }
        }
    }

    /// Bytes, as a number or as a text like `16GB`.
    pub fn bytes(&self, name: &str) -> Result<Option<i64>, Failure> {
        let Some(value) = self.get(name) else { return Ok(None) };
        let number = match value.extract::<i64>() {
            Ok(number) if number > 0 => Ok(number),
            Ok(number) => bytes::bytes(&number.to_string()),
            Err(_) => bytes::bytes(&shown(&value)),
        };
        number.map(Some).map_err(|_| {
            let help = "give a number over 0, or a text as \"512k\", \"16M\" or \"1.5G\"";
            bad_argument(format!("`{name}={}` is no number of bytes", quoted(&value)), help)
        })
    }

    pub fn flag(&self, name: &str) -> Result<bool, Failure> {
        let Some(value) = self.get(name) else { return Ok(false) };
        let wrong = |_| {
            bad_argument(
                format!("`{name}={}` is neither `True` nor `False`", quoted(&value)),
                "give one of them",
            )
        };
        value.extract().map_err(wrong)
    }

    pub fn target(&self) -> Result<Option<Target>, Failure> {
        let Some(value) = self.get("target").filter(|value| shown(value) != CPU) else { return Ok(None) };
        let help = "name a machine, as \"tpu-v4:4x4x4\" or \"h100:8x4\", \"cpu\" for the cores of this one, or a file that `meshwright bench machine` in a terminal wrote";
        let wrong = |told: String| bad_argument(format!("`target={}`: {told}", quoted(&value)), help);
        target::target(&shown(&value)).map(Some).map_err(wrong)
    }

    /// Which unannotated values of the signature may be split.
    fn free(&self, name: &str) -> Result<Option<Free>, Failure> {
        let Some(value) = self.get(name) else { return Ok(None) };
        let whole = match shown(&value).as_str() {
            "all" => Some(Free::All),
            "none" => Some(Free::None),
            _ => value.extract().ok().map(Free::Only),
        };
        whole.map(Some).ok_or_else(|| {
            let help = "write \"all\", \"none\", or a list of numbers from 0, as [0, 2]";
            bad_argument(format!("`{name}={}` does not say which", quoted(&value)), help)
        })
    }

    fn loops_from(&self) -> Result<Option<f64>, Failure> {
        const NAME: &str = "loops_from";
        match self.get(NAME) {
            Some(value) if shown(&value) == "never" => Ok(Some(f64::INFINITY)),
            _ => Ok(self.bytes(NAME)?.map(|bytes| bytes as f64)),
        }
    }

    pub fn least(&self) -> Result<Least, Failure> {
        let known = [("bytes", Least::Bytes), ("seconds", Least::Seconds)];
        Ok(self.word("least", &known)?.unwrap_or(Least::Bytes))
    }

    pub fn settings(&self) -> Result<Settings, Failure> {
        let annotated = AnnotatedArgs {
            file: PathBuf::new(),
            devices: self.count("devices")?,
            propagate_to_parameters: self.free("propagate_to_parameters")?,
            propagate_to_outputs: self.free("propagate_to_outputs")?,
            no_cost_completion: self.flag("priorities_alone")?,
            least: self.least()?,
            loops_from: self.loops_from()?,
            dump: DumpArgs::default(),
        };
        let in_process = self.get("target").is_some_and(|value| shown(&value) == CPU);
        let (memory_limit, target) = (self.bytes("memory_limit")?, self.target()?);
        Ok(Settings { annotated, memory_limit, target, in_process })
    }
}

/// A value as its own `str` has it.
fn shown(value: &Bound<'_, PyAny>) -> String {
    value.str().map_or_else(|_| String::new(), |text| text.to_string())
}

/// A value as it would be typed, cut where it is long.
pub fn quoted(value: &Bound<'_, PyAny>) -> String {
    const MOST: usize = 60;
    let text = value.repr().map_or_else(|_| "?".into(), |text| text.to_string());
    match text.char_indices().nth(MOST) {
        Some((at, _)) => format!("{}...", &text[..at]),
        None => text,
    }
}
