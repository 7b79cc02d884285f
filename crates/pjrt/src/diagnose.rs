//! Errors of plugins as diagnostics, and as those of an engine: what was tried, what came back, what to do.

use crate::abi::{self, ErrorCode};
use crate::error::{PluginError, Trouble};
use crate::processes::START_AGAIN;
use crate::stored::Misfit;
use meshwright_base::{Code, Diagnostic};
use meshwright_runtime::{RunError, RunErrorKind};

/// A library that the system does not load.
pub const UNLOADED: Code = Code(730);
/// A library that is no plugin.
pub const FOREIGN: Code = Code(731);
/// A plugin of another version.
pub const VERSION: Code = Code(732);
/// Devices that the plugin does not know by this name.
pub const TOPOLOGY: Code = Code(733);
/// No devices behind a plugin.
pub const DEVICE: Code = Code(734);
/// A program that its compiler refuses.
pub const REFUSED: Code = Code(735);
/// A program that does not fit the device's memory.
pub const TOO_LARGE: Code = Code(736);

/// What was tried when a call came back with an error.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Tried<'a> {
    /// To load the plugin, or to ask it something.
    Asking,
    /// To name a machine.
    Topology(&'a str),
    /// To open its devices.
    Devices,
    /// To compile a program.
    Compiling,
}

const GET: &str = "`pip download --no-deps libtpu` or `jax-cuda13-pjrt` gets one: unpack the wheel, and name the library in it; \
                   `meshwright doctor` lists those that are here";

impl PluginError {
    /// For people.
    pub fn diagnostic(&self, tried: Tried<'_>) -> Diagnostic {
        let told = self.to_string();
        match (&self.trouble, tried) {
            (Trouble::Unloaded(_), _) => Diagnostic::error(UNLOADED, told).help(GET),
            (Trouble::Foreign(_), _) => Diagnostic::error(FOREIGN, told).help(GET),
            (Trouble::Version { .. }, _) => {
                Diagnostic::error(VERSION, told).help("get a plugin of today, or a Meshwright of its time")
            }
            (Trouble::Lacks { .. }, _) => Diagnostic::error(VERSION, told)
                .note(format!("version {}.{} is known here", abi::MAJOR, abi::MINOR))
                .help("get a newer plugin"),
            (Trouble::Wants { .. }, _) => Diagnostic::error(VERSION, told)
                .note(format!("version {}.{} is known here", abi::MAJOR, abi::MINOR))
                .help("get a plugin of that version or before, or a newer Meshwright"),
            (Trouble::Refused { code: ErrorCode::INVALID_ARGUMENT, message, .. }, Tried::Devices) => {
                Diagnostic::error(DEVICE, format!("`{}` does not open its devices so", self.plugin))
                    .note(format!("it says: {}", short(message)))
                    .help(
                        "give `--plugin-option NAME=VALUE` a name it knows and a value of its kind: `3`, `0.5`, `true`, \
                         `0,1` (`0,` is a list of one) or a text",
                    )
            }
            (Trouble::Refused { message, .. }, Tried::Topology(name)) => {
                Diagnostic::error(TOPOLOGY, format!("`{}` does not know a machine `{name}`", self.plugin))
                    .note(format!("it says: {}", short(message)))
                    .help("write chips as the machine's own torus has them, such as tpu-v3:8x8 or tpu-v4:2x2x1")
            }
            (Trouble::Refused { message, .. }, Tried::Devices) => {
                Diagnostic::error(DEVICE, format!("there is no device for `{}`", self.plugin))
                    .note(format!("it says: {}", short(message)))
                    .help(
                        "run it where the device is, with its driver; `--target` compiles without one where the plugin \
                         can; `meshwright doctor` says what is here",
                    )
            }
            (Trouble::Refused { code: ErrorCode::RESOURCE_EXHAUSTED, message, .. }, Tried::Compiling) => {
                Diagnostic::error(TOO_LARGE, "the program does not fit the device's memory")
                    .note(format!("`{}` says: {}", self.plugin, short(message)))
                    .help("`--memory-limit` takes loops and recomputation; or a mesh of more devices, or a smaller batch")
            }
            (Trouble::Refused { message, .. }, Tried::Compiling)
                if message.contains("libdevice") || message.contains("No PTX compilation provider") =>
            {
                let why = message.split(". ").next().unwrap_or("");
                Diagnostic::error(REFUSED, format!("`{}` lacks the tools that make code for GPUs", self.plugin))
                    .note(format!("it says: {}", short(why)))
                    .help(
                        "`pip install nvidia-cuda-nvcc nvidia-nvvm` beside it: `ptxas` and `libdevice` are found there, or \
                         else where `XLA_FLAGS=--xla_gpu_cuda_data_dir=FOLDER` says",
                    )
            }
            (Trouble::Refused { message, .. }, Tried::Compiling) => {
                Diagnostic::error(REFUSED, format!("`{}` does not compile the program", self.plugin))
                    .note(format!("it says: {}", short(message)))
                    .help("`meshwright partition --style embedded --groups lists` writes what it was given")
            }
            (Trouble::Refused { .. } | Trouble::Answer { .. }, _) => {
                Diagnostic::error(REFUSED, told).help("try another version of the plugin")
            }
            (Trouble::Interrupted | Trouble::Lost(_), _) => {
                Diagnostic::error(REFUSED, told).help("start it again, all processes of it")
            }
        }
    }
}

impl Misfit {
    /// Why a stored program is not loaded, and what to do.
    pub fn error(&self) -> RunError {
        let message = format!("the stored program is not loaded: {self}");
        let help = match self {
            Misfit::Foreign => "name a file that `meshwright compile --save` wrote",
            Misfit::Program { .. } => {
                "name the file that it was compiled from, or store this one: `meshwright compile FILE --save`; each \
                 version of Meshwright has programs of its own"
            }
            Misfit::Damaged | Misfit::Platform { .. } | Misfit::Version { .. } | Misfit::Devices => {
                "store it anew, by `meshwright compile --save` with the same file and plugin"
            }
        };
        RunError::new(RunErrorKind::BadInput, message).help(help)
    }
}

/// An error of a plugin as one of an engine.
pub fn failed(error: &PluginError) -> RunError {
    match &error.trouble {
        Trouble::Interrupted => return RunError::new(RunErrorKind::Interrupted, error.to_string()),
        Trouble::Lost(_) => {
            return RunError::new(RunErrorKind::Transport, error.to_string()).help(START_AGAIN);
        }
        _ => {}
    }
    let kind = match &error.trouble {
        Trouble::Refused { code: ErrorCode::RESOURCE_EXHAUSTED, .. } => RunErrorKind::TooMuchMemory,
        _ => RunErrorKind::Plugin,
    };
    let in_a_run = "its device may have failed: `meshwright doctor` opens it anew; `--backend cpu` runs the program here";
    let help = match &error.trouble {
        Trouble::Refused { function, code, .. }
            if *code != ErrorCode::RESOURCE_EXHAUSTED && *function != "PJRT_Client_Compile" =>
        {
            in_a_run.to_string()
        }
        _ => error.diagnostic(Tried::Compiling).help.unwrap_or_default(),
    };
    RunError::new(kind, error.to_string()).help(help)
}

/// The beginning of a message: some go on for pages.
fn short(message: &str) -> String {
    const MOST: usize = 2000;
    let text = message.trim();
    match text.char_indices().nth(MOST) {
        Some((at, _)) => format!("{} ..", &text[..at]),
        None => text.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(code: ErrorCode, tried: Tried<'_>) -> Diagnostic {
        let trouble = Trouble::Refused { function: "PJRT_Compile", code, message: "no room".into() };
        PluginError { plugin: "x.so".into(), trouble }.diagnostic(tried)
    }

    #[test]
    fn what_was_tried_decides_what_is_told() {
        let code = |code, tried| refused(code, tried).code;
        assert_eq!(code(ErrorCode::RESOURCE_EXHAUSTED, Tried::Compiling), TOO_LARGE);
        assert_eq!(code(ErrorCode::INVALID_ARGUMENT, Tried::Compiling), REFUSED);
        assert_eq!(code(ErrorCode::NOT_FOUND, Tried::Topology("v9:1")), TOPOLOGY);
        assert_eq!(code(ErrorCode::NOT_FOUND, Tried::Devices), DEVICE);
        assert!(refused(ErrorCode::INVALID_ARGUMENT, Tried::Devices).message.contains("does not open"));
        assert!(refused(ErrorCode::UNKNOWN, Tried::Devices).notes[0].contains("no room"));
    }
}
