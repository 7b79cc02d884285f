//! A long file is rarely one idea.

use super::Finding;
use super::tree::File;

/// Most lines of a Rust file.
const MOST: usize = 900;

/// A file that is too long.
pub fn lengths(file: &File) -> Vec<Finding> {
    let lines = file.text.lines().count();
    if !file.is_rust() || lines <= MOST {
        return Vec::new();
    }
    vec![Finding::new(file, MOST + 1, format!("{lines} lines, more than {MOST}: is this one idea?"))]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_limit_is_inclusive_and_only_for_rust() {
        let file = |path: &str, lines: usize| File { path: path.into(), text: "x\n".repeat(lines) };
        assert_eq!(lengths(&file("a.rs", MOST)).len(), 0);
        assert_eq!(lengths(&file("a.rs", MOST + 1)).len(), 1);
        assert_eq!(lengths(&file("a.mlir", 9999)).len(), 0);
    }
}
