//! A long file is rarely one idea.

use super::Finding;
use super::tree::File;

/// Rust files longer than this are listed.
const LONG: usize = 900;

/// Rust files longer than this fail.
const TOO_LONG: usize = 1500;

/// Worth a look, not yet wrong.
pub fn long(file: &File) -> Vec<Finding> {
    beyond(file, LONG)
}

/// Too long.
pub fn too_long(file: &File) -> Vec<Finding> {
    beyond(file, TOO_LONG)
}

fn beyond(file: &File, limit: usize) -> Vec<Finding> {
    let lines = file.text.lines().count();
    if !file.is_rust() || lines <= limit {
        return Vec::new();
    }
    vec![Finding::new(file, limit + 1, format!("{lines} lines, more than {limit}: is this one idea?"))]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_inclusive_and_only_for_rust() {
        let file = |path: &str, lines: usize| File { path: path.into(), text: "x\n".repeat(lines) };
        assert_eq!(long(&file("a.rs", 900)).len(), 0);
        assert_eq!(long(&file("a.rs", 901)).len(), 1);
        assert_eq!(too_long(&file("a.rs", 1500)).len(), 0);
        assert_eq!(too_long(&file("a.rs", 1501)).len(), 1);
        assert_eq!(too_long(&file("a.mlir", 9999)).len(), 0);
    }
}
