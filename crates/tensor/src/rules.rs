//! One table outside the model that maps the names of its dims to mesh axes.
//!
//! ```text
//! batch -> x      expert -> y      model -> (whole)      a name that is not in the table: left to completion
//! ```

use crate::mesh::{Cut, Mesh};
use std::sync::Arc;

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
    pub(crate) table: Vec<(Arc<str>, Cut)>,
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
    pub fn of<'n>(mesh: &Mesh, pairs: impl IntoIterator<Item = (&'n str, &'n str)>) -> Rules {
        pairs.into_iter().fold(Rules::new(mesh), |rules, (name, axis)| rules.with(name, axis))
    }

    /// The same table with one more row; a later row for a name replaces an earlier one.
    ///
    /// ```
    /// use meshwright_tensor::prelude::*;
    /// let mesh = Mesh::new([("x", 4), ("y", 2)])?;
    /// let rules = Rules::new(&mesh).with("batch", ["x", "y"]).with("model", ()); // `model` stays whole
    /// # Ok::<(), Errors>(())
    /// ```
    pub fn with(mut self, name: &str, cut: impl Into<Cut>) -> Rules {
        self.table.retain(|(known, _)| &**known != name);
        self.table.push((name.into(), cut.into()));
        self
    }

    /// How a dim of this name is cut.
    pub(crate) fn cut(&self, name: &str) -> Cut {
        let found = self.table.iter().find(|(known, _)| &**known == name);
        found.map_or(Cut::Open, |(_, cut)| cut.clone())
    }
}
