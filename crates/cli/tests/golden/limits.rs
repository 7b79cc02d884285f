//! What golden tests leave out, and why. Each line is checked: what is refused must be refused, with these words.

use std::path::Path;

/// The start of a text's name, and what running it says.
const REFUSED: &[(&str, &str)] = &[];

pub fn refused(name: &str) -> Option<&'static str> {
    REFUSED.iter().find(|(start, _)| name.starts_with(start)).map(|(_, why)| *why)
}

/// XLA's code for CPU takes subnormal numbers for zeros, which the op set does not ask for. Cases that show it.
const FLUSHED: &[&str] = &["special_unary"];

pub fn flushes_subnormals(path: &Path) -> bool {
    let case = path.parent().and_then(Path::file_name);
    case.is_some_and(|case| FLUSHED.iter().any(|flushed| case == *flushed))
}
