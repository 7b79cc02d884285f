//! What golden tests leave out, and why. Each line is checked: what is refused must be refused, with these words.

use std::path::Path;

/// Which step must refuse a text, and what it says.
#[derive(Clone, Copy)]
pub enum Refused {
    Read(&'static str),
    Run(&'static str),
}

/// The start of a text's name, and how it is refused.
const REFUSED: &[(&str, Refused)] = &[
    // JAX's own library calls for CPU: not part of the op set, so the interpreter does not know them.
    ("approx_top_k/module.mlir", Refused::Run("`ApproxTopK`")),
    ("decompositions_lapack/", Refused::Run("`lapack_")),
    ("linear_algebra_lapack/", Refused::Run("`lapack_")),
];

pub fn refused(name: &str) -> Option<Refused> {
    REFUSED.iter().find(|(start, _)| name.starts_with(start)).map(|(_, refused)| *refused)
}

/// XLA's code for CPU takes subnormal numbers for zeros, which the op set does not ask for. Cases that show it.
const FLUSHED: &[&str] = &["special_unary"];

pub fn flushes_subnormals(path: &Path) -> bool {
    let case = path.parent().and_then(Path::file_name);
    case.is_some_and(|case| FLUSHED.iter().any(|flushed| case == *flushed))
}
