//! What goes wrong while running, and how it is told.
//!
//! Family files return a [`Fault`] that knows only the matter; the machine adds op, value and place.

use crate::name::{op_name, value_name};
use meshwright_base::{Code, Diagnostic};
use meshwright_ir::groups::Misfit;
use meshwright_ir::{Function, InstId, Module};

/// Inputs do not fit the program.
pub const BAD_INPUTS: Code = Code(601);
/// The interpreter does not run this op.
pub const NOT_RUN: Code = Code(602);
/// More instructions than allowed.
pub const TOO_MANY_STEPS: Code = Code(603);
/// More memory than allowed.
pub const TOO_MANY_BYTES: Code = Code(604);
/// Regions and calls are nested too deeply.
pub const TOO_DEEP: Code = Code(605);
/// Devices do not meet at a collective.
pub const DIVERGED: Code = Code(606);
/// Groups or meshes do not fit the number of devices.
pub const BAD_DEVICES: Code = Code(607);
/// The module breaks a rule the verifier checks.
pub const UNSOUND: Code = Code(608);

/// Global arrays in a run of local ones.
pub const GLOBAL_ONLY: Code = Code(609);

/// Why an instruction could not be run.
#[derive(Clone, Debug)]
pub(crate) enum Fault {
    /// The instruction at hand.
    Here { code: Code, message: String, help: Option<String> },
    /// An instruction inside a region or a callee, already described.
    Told(Box<Diagnostic>),
}

impl From<Misfit> for Fault {
    fn from(misfit: Misfit) -> Fault {
        Fault::new(BAD_DEVICES, misfit.0).help(meshwright_ir::groups::HELP)
    }
}

impl Fault {
    pub fn new(code: Code, message: impl Into<String>) -> Fault {
        Fault::Here { code, message: message.into(), help: None }
    }

    /// Something the verifier would have refused.
    pub fn unsound(message: impl Into<String>) -> Fault {
        Fault::new(UNSOUND, message).help("run the verifier on the module first: it says what is wrong where")
    }

    pub fn help(self, text: impl Into<String>) -> Fault {
        match self {
            Fault::Here { code, message, .. } => Fault::Here { code, message, help: Some(text.into()) },
            told => told,
        }
    }

    /// Add op, value and place.
    pub fn at(self, module: &Module, func: &Function, inst: InstId) -> Box<Diagnostic> {
        let (code, message, help) = match self {
            Fault::Here { code, message, help } => (code, message, help),
            Fault::Told(diagnostic) => return diagnostic,
        };
        let known = func.inst(inst);
        let value = || known.results.first().map(|value| format!(" {}", value_name(func, *value)));
        // Several results have one name in the text.
        let value = known.name.as_ref().map(|name| format!(" `%{name}`")).or_else(value);
        let text = format!("`{}`{}: {message}", op_name(&known.op), value.unwrap_or_default());
        let diagnostic = Diagnostic::error(code, text).at_place(module.place(known.source));
        Box::new(match help {
            Some(help) => diagnostic.help(help),
            None => diagnostic,
        })
    }

    /// Without an instruction to point at.
    pub fn plain(self) -> Diagnostic {
        match self {
            Fault::Told(diagnostic) => *diagnostic,
            Fault::Here { code, message, help: Some(help) } => Diagnostic::error(code, message).help(help),
            Fault::Here { code, message, help: None } => Diagnostic::error(code, message),
        }
    }
}
