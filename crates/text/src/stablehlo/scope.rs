//! Which names mean which values at a place in the text.
//!
//! Names of a region vanish at its end; a name that is visible cannot be given again. A name whose definition could not
//! be read is *poisoned*: its uses fail silently, so that one mistake gives one diagnostic.

use meshwright_base::Span;
use meshwright_ir::ValueId;
use std::collections::HashMap;

/// What a name stands for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Entry {
    Value(ValueId),
    /// Several results under one name.
    Group(Vec<ValueId>),
    /// Leaves of a tuple, in order, with the type they form.
    Tuple {
        leaves: Vec<ValueId>,
        shape: super::types::TypeTree,
    },
    Poison,
}

/// Visible names, with the order they came in so that scopes can be undone.
#[derive(Default)]
pub struct Scope<'a> {
    // lookup only: never iterated, so its order cannot show.
    entries: HashMap<&'a str, (Entry, Span)>,
    defined: Vec<&'a str>,
}

/// A point to return to.
#[derive(Clone, Copy)]
pub struct Mark(usize);

impl<'a> Scope<'a> {
    /// Give a name. The place of the earlier definition comes back if there is one (which then stays).
    pub fn define(&mut self, name: &'a str, entry: Entry, at: Span) -> Result<(), Span> {
        match self.entries.get(name) {
            Some((Entry::Poison, _)) | None => {}
            Some((_, earlier)) => return Err(*earlier),
        }
        self.entries.insert(name, (entry, at));
        self.defined.push(name);
        Ok(())
    }

    pub fn get(&self, name: &str) -> Option<&Entry> {
        self.entries.get(name).map(|(entry, _)| entry)
    }

    pub fn mark(&self) -> Mark {
        Mark(self.defined.len())
    }

    /// Forget what was defined since.
    pub fn undo(&mut self, mark: Mark) {
        for name in self.defined.drain(mark.0.min(self.defined.len())..) {
            self.entries.remove(name);
        }
    }

    /// Visible names, latest first.
    pub fn names(&self) -> impl Iterator<Item = &'a str> {
        self.defined.iter().rev().copied()
    }
}
