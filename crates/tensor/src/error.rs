//! All errors of a trace together, shown as the compiler of the language shows its own.
//!
//! `Debug` shows the same as `Display`, so that `fn main() -> Result<(), Errors>` prints them readably.

use crate::state;
use meshwright_base::diagnostic::render;
use meshwright_base::{Diagnostic, SourceText};
use std::fmt;
use std::panic::Location;

/// One error, with the text its spans point into (an einsum's spec).
#[derive(Clone)]
pub(crate) struct Reported {
    pub diagnostic: Diagnostic,
    pub text: Option<SourceText>,
}

/// What is wrong with a traced function, everything that was found, in the order of the trace.
///
/// This is what tracing gives. What comes behind it, partitioning and running, gives the facade's `meshwright::Error`,
/// which holds these or why a run failed: `?` turns the one into the other.
///
/// ```
/// use meshwright_tensor::prelude::*;
/// let errors = trace("f", |t| {
///     let x = t.input("x", f32, [2, 3]);
///     x + t.input("y", f32, [4])
/// })
/// .unwrap_err();
/// assert!(errors.to_string().contains("f32[2,3] and f32[4]"));
/// ```
#[derive(Clone, Default)]
pub struct Errors {
    pub(crate) list: Vec<Reported>,
}

impl Errors {
    /// The diagnostics without the texts.
    ///
    /// ```
    /// use meshwright_tensor::prelude::*;
    /// let errors = trace("f", |t| t.input("x", f32, [2]).sum(3)).unwrap_err();
    /// assert!(errors.diagnostics()[0].message.contains("dim 3 does not exist"));
    /// ```
    pub fn diagnostics(&self) -> Vec<Diagnostic> {
        self.list.iter().map(|one| one.diagnostic.clone()).collect()
    }

    /// Errors whose spans point into a text.
    ///
    /// ```
    /// use meshwright_tensor::prelude::*;
    /// let text = meshwright_base::SourceText::new("f.mlir", "func");
    /// assert_eq!(Errors::in_text(Vec::new(), &text).count(), 0);
    /// ```
    pub fn in_text(diagnostics: Vec<Diagnostic>, text: &SourceText) -> Errors {
        let one = |diagnostic| Reported { diagnostic, text: Some(text.clone()) };
        Errors { list: diagnostics.into_iter().map(one).collect() }
    }

    /// The same; what has no place of its own is at this line.
    ///
    /// ```
    /// use meshwright_tensor::prelude::*;
    /// #[track_caller]
    /// fn two_by_two() -> Result<Mesh, Errors> {
    ///     let line = std::panic::Location::caller();
    ///     Mesh::new([("x", 2), ("y", 2)]).map_err(|errors| errors.at(line))
    /// }
    /// assert_eq!(two_by_two()?.devices(), 4);
    /// # Ok::<(), Errors>(())
    /// ```
    pub fn at(mut self, line: &'static Location<'static>) -> Errors {
        for one in &mut self.list {
            one.diagnostic.place.get_or_insert_with(|| state::place(line));
        }
        self
    }

    /// How many there are; never 0 in an `Err`.
    ///
    /// ```
    /// use meshwright_tensor::prelude::*;
    /// let errors = trace("f", |t| t.input("x", f32, [2]).sum(3)).unwrap_err();
    /// assert_eq!(errors.count(), 1);
    /// ```
    pub fn count(&self) -> usize {
        self.list.len()
    }
}

impl From<Vec<Diagnostic>> for Errors {
    fn from(diagnostics: Vec<Diagnostic>) -> Self {
        let list = diagnostics.into_iter().map(|diagnostic| Reported { diagnostic, text: None }).collect();
        Errors { list }
    }
}

impl From<Diagnostic> for Errors {
    fn from(diagnostic: Diagnostic) -> Self {
        vec![diagnostic].into()
    }
}

impl fmt::Display for Errors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, one) in self.list.iter().enumerate() {
            let gap = if index > 0 { "\n" } else { "" };
            write!(f, "{gap}{}", render(&one.diagnostic, one.text.as_ref()))?;
        }
        Ok(())
    }
}

impl fmt::Debug for Errors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\n{self}")
    }
}

impl std::error::Error for Errors {}
