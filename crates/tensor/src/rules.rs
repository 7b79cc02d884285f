//! One table outside the model that maps the names of its dims to mesh axes.
//!
//! ```text
//! batch -> x      expert -> y      model -> (whole)      a name that is not in the table: left to completion
//! ```
//!
//! A row for `stage/batch` speaks of `batch` inside of [`scope("stage", ..)`](crate::scope) alone, before a row for
//! `batch` does: an axis can split one dim in a part of a model, and another elsewhere.

use crate::mesh::{Cut, Mesh};
use crate::state::Line;
use std::panic::Location;
use std::sync::Arc;

/// How dims of a name are cut, and the line that says so.
#[derive(Clone, Debug)]
pub(crate) struct NamedCut {
    pub name: Arc<str>,
    pub cut: Cut,
    pub line: Line,
}

impl NamedCut {
    /// The name of the dim, without the scope in which the row speaks of it.
    pub fn dim(&self) -> &str {
        self.name.rsplit('/').next().unwrap_or(&self.name)
    }
}

/// The table: names of dims, and how each is cut over a mesh.
///
/// ```
/// use meshwright_tensor::prelude::*;
/// let mesh = Mesh::new([("data", 4), ("model", 2)])?;
/// let rules = Rules::new(&mesh).with("batch", "data").with("hidden", "model").with("seq", ());
/// let program = trace_with("f", &rules, |t| {
///     t.input("x", f32, [("batch", 8), ("hidden", 16)]).logical(["batch", "hidden"])
/// })?;
/// # Ok::<(), Errors>(())
/// ```
#[derive(Clone, Debug)]
pub struct Rules {
    pub(crate) mesh: Mesh,
    pub(crate) table: Vec<NamedCut>,
}

impl Rules {
    /// An empty table: nothing is annotated.
    ///
    /// ```
    /// use meshwright_tensor::prelude::*;
    /// let mesh = Mesh::new([("x", 4)])?;
    /// let rules = Rules::new(&mesh); // says nothing, but how many devices there are
    /// # Ok::<(), Errors>(())
    /// ```
    pub fn new(mesh: &Mesh) -> Rules {
        Rules { mesh: mesh.clone(), table: Vec::new() }
    }

    /// A table from pairs of a dim's name and a mesh axis.
    ///
    /// ```
    /// use meshwright_tensor::prelude::*;
    /// let mesh = Mesh::new([("data", 4), ("model", 2)])?;
    /// let rules = Rules::of(&mesh, [("batch", "data"), ("expert", "model")]);
    /// # Ok::<(), Errors>(())
    /// ```
    #[track_caller]
    pub fn of<'n>(mesh: &Mesh, pairs: impl IntoIterator<Item = (&'n str, &'n str)>) -> Rules {
        let line = Location::caller();
        pairs.into_iter().fold(Rules::new(mesh), |rules, (name, axis)| rules.row(name, axis.into(), line))
    }

    /// The same table with one more row; a later row for a name replaces an earlier one.
    ///
    /// ```
    /// use meshwright_tensor::prelude::*;
    /// let mesh = Mesh::new([("x", 4), ("y", 2)])?;
    /// let rules = Rules::new(&mesh).with("batch", ["x", "y"]).with("model", ()); // `model` stays whole
    /// # Ok::<(), Errors>(())
    /// ```
    #[track_caller]
    pub fn with(self, name: &str, cut: impl Into<Cut>) -> Rules {
        self.row(name, cut.into(), Location::caller())
    }

    fn row(mut self, name: &str, cut: Cut, line: Line) -> Rules {
        self.table.retain(|row| &*row.name != name);
        self.table.push(NamedCut { name: name.into(), cut, line });
        self
    }

    /// How a dim of this name is cut in scopes, of which the last is the innermost.
    pub(crate) fn cut(&self, name: &str, scopes: &[Arc<str>]) -> Cut {
        let row = |name: &str| self.table.iter().find(|row| &*row.name == name);
        let found = scopes.iter().rev().find_map(|scope| row(&format!("{scope}/{name}")));
        found.or_else(|| row(name)).map_or(Cut::Open, |row| row.cut.clone())
    }
}
