//! What was decided by cost: which annotations spread before all others, and what that saves.

use crate::codes;
use crate::provenance::{OriginStep, quoted};
use crate::state::DimId;
use meshwright_base::units::{bytes, count};
use meshwright_base::{Ask, Diagnostic};
use std::collections::BTreeSet;
use std::fmt;

/// What may be chosen, one thing at a time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Chosen {
    /// The claim of this number spreads before the others: as in [`Order`](crate::Order).
    Claim(usize),
    /// The other claims do not spread at all.
    Alone,
    /// The addition of this number is made.
    Addition(usize),
}

/// What was chosen because the program is better for it: what whoever compared them says.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Choice {
    pub chosen: Chosen,
    /// Bytes each device sends without it and with it.
    pub before: f64,
    pub after: f64,
}

/// The same, for a reader.
#[derive(Clone, Debug)]
pub struct Decision {
    /// One of the annotations that come first, if some do.
    pub of: Option<OriginStep>,
    /// How many more dims are annotated alike.
    pub more: usize,
    pub choice: Choice,
    /// All of them.
    pub(crate) dims: BTreeSet<DimId>,
}

impl fmt::Display for Decision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let more = match self.more {
            0 => String::new(),
            more => format!(" and {} annotated alike", count(more, "more dimension")),
        };
        match &self.of {
            Some(OriginStep { axis_name, dim, name, .. }) if self.is_added() => {
                let name = quoted(name);
                write!(f, "`{axis_name}` also shards dimension {dim} of {name}{more}, reduced over it")?;
            }
            Some(OriginStep { axis_name, dim, name, .. }) => {
                write!(f, "`{axis_name}` propagates from dimension {dim} of {}{more}", quoted(name))?;
            }
            None => write!(f, "other annotations shard their own tensors and do not propagate")?,
        }
        let Choice { before, after, .. } = self.choice;
        if before > after {
            write!(f, ", chosen by cost: {} sent per step instead of {}", bytes(after), bytes(before))
        } else {
            write!(f, ", chosen by cost: the same bytes in less time")
        }
    }
}

impl Decision {
    fn is_added(&self) -> bool {
        matches!(self.choice.chosen, Chosen::Addition(_))
    }

    pub(crate) fn note(&self) -> Diagnostic {
        let note = Diagnostic::note_only(codes::BY_COST, self.to_string())
            .at_place(self.of.as_ref().and_then(|of| of.place.clone()));
        let why = if self.is_added() {
            "a sum over devices is sent whole where each of them needs all of it"
        } else {
            "several annotations want the same axes on values that carry none"
        };
        let alone = Ask::Either { line: "--no-cost-completion", python: "priorities_alone=True" };
        note.note(why)
            .help(format!("annotate such a value to decide it yourself; `{alone}` goes by priorities alone"))
    }
}
