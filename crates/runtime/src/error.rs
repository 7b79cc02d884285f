//! What can go wrong while a program is loaded or run: typed, with device, rank, op, collective and position.

use crate::DeviceId;
use meshwright_base::diagnostic::Place;
use meshwright_base::{Diagnostic, Id, budget};
use meshwright_ir::groups::Misfit;
use std::fmt;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RunErrorKind {
    /// Inputs do not fit the program.
    BadInput,
    /// The program is made for other devices.
    BadDevices,
    /// The engine has no kernel for something.
    NotCompiled,
    /// The plan needs more memory than allowed.
    TooMuchMemory,
    /// No device can go on.
    Deadlock,
    /// A kernel panicked: our defect.
    Panicked,
    /// A peer did not come in time.
    TimedOut,
    /// Ranks run different programs.
    DifferentPrograms,
    /// The transport failed.
    Transport,
    /// A plugin, or a device behind it, failed.
    Plugin,
    /// A step made a NaN or an infinity, and the caller asked to be told.
    BadNumber,
    /// The user asked the program to stop.
    Interrupted,
    /// Something the verifier should have refused.
    Unsound,
}

/// An error of the environment or the engine.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RunError {
    pub kind: RunErrorKind,
    pub message: String,
    pub device: Option<DeviceId>,
    pub rank: Option<usize>,
    pub op: Option<String>,
    /// Where the op stands in what the program was made from.
    pub place: Option<Place>,
    pub collective: Option<String>,
    /// Step of the program.
    pub position: Option<usize>,
    pub notes: Vec<String>,
    pub help: Option<String>,
}

impl From<Misfit> for RunError {
    fn from(misfit: Misfit) -> RunError {
        RunError::new(RunErrorKind::BadDevices, misfit.0).help(meshwright_ir::groups::HELP)
    }
}

impl RunError {
    pub fn new(kind: RunErrorKind, message: impl Into<String>) -> RunError {
        RunError {
            kind,
            message: message.into(),
            device: None,
            rank: None,
            op: None,
            place: None,
            collective: None,
            position: None,
            notes: Vec::new(),
            help: None,
        }
    }

    /// What a check of the host's budget found.
    pub fn too_large(found: Diagnostic) -> RunError {
        let error = RunError::new(RunErrorKind::TooMuchMemory, found.message);
        RunError { notes: found.notes, help: found.help, ..error }
    }

    pub fn on(mut self, device: DeviceId) -> RunError {
        self.device.get_or_insert(device);
        self
    }

    pub fn rank(mut self, rank: usize) -> RunError {
        self.rank.get_or_insert(rank);
        self
    }

    pub fn at(mut self, position: usize, op: impl Into<String>) -> RunError {
        self.position.get_or_insert(position);
        self.op.get_or_insert(op.into());
        self
    }

    pub fn at_place(mut self, place: Option<Place>) -> RunError {
        self.place = self.place.or(place);
        self
    }

    pub fn collective(mut self, name: impl Into<String>) -> RunError {
        self.collective.get_or_insert(name.into());
        self
    }

    pub fn note(mut self, note: impl Into<String>) -> RunError {
        self.notes.push(note.into());
        self
    }

    pub fn help(mut self, help: impl Into<String>) -> RunError {
        self.help = Some(help.into());
        self
    }
}

impl From<budget::Excess> for RunError {
    fn from(excess: budget::Excess) -> RunError {
        RunError::new(RunErrorKind::TooMuchMemory, excess.to_string()).help(budget::help())
    }
}

impl fmt::Display for RunError {
    /// One line: the message, then where, then what to do.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        if let Some(device) = self.device {
            write!(f, "; on device {}", device.index())?;
        }
        if let Some(rank) = self.rank {
            write!(f, "; on rank {rank}")?;
        }
        if let Some(position) = self.position {
            write!(f, "; at step {position}")?;
        }
        if let Some(op) = &self.op {
            write!(f, "; in {op}")?;
        }
        if let Some(collective) = &self.collective {
            write!(f, "; collective {collective}")?;
        }
        self.notes.iter().try_for_each(|note| write!(f, "; {note}"))?;
        match &self.help {
            Some(help) => write!(f, "; {help}"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for RunError {}
