//! What the guide and the README show runs: their Rust is cut from the examples, which tests run, and every example
//! stands in the guide.
//!
//! A block marked `rust` is a run of lines of one example, leading spaces aside. A line that is just `// ...` stands
//! for any number of lines.

use super::Finding;
use super::tree::File;

const GUIDE: &str = "docs/guide/";
const EXAMPLES: &str = "examples/";
/// Where the tests are that run examples.
const TESTS: &str = "crates/meshwright/tests/";

/// Blocks that no example has, and examples that are not shown or not run.
pub fn guide(files: &[File]) -> Vec<Finding> {
    let examples: Vec<&File> =
        files.iter().filter(|file| file.path.starts_with(EXAMPLES) && file.is_rust()).collect();
    let chapters: Vec<&File> =
        files.iter().filter(|file| file.path.starts_with(GUIDE) && file.path.ends_with(".md")).collect();
    let tests: Vec<&File> = files.iter().filter(|file| file.path.starts_with(TESTS)).collect();
    let readme = files.iter().filter(|file| file.path == "README.md");
    let mut found: Vec<Finding> =
        chapters.iter().copied().chain(readme).flat_map(|chapter| foreign(chapter, &examples)).collect();
    for example in &examples {
        if !chapters.iter().any(|chapter| chapter.text.contains(&example.path)) {
            found.push(Finding::new(example, 1, format!("no chapter of {GUIDE} names this example")));
        }
        if !tests.iter().any(|test| test.text.contains(&example.path)) {
            found.push(Finding::new(example, 1, format!("no test of {TESTS} runs this example")));
        }
    }
    found
}

/// Blocks of a chapter that stand in no example.
fn foreign(chapter: &File, examples: &[&File]) -> Vec<Finding> {
    let stands = |block: &Block<'_>| examples.iter().any(|example| has(&example.text, &block.lines));
    let message = "no example has these lines: cut them from one, `// ...` for what is left out";
    let blocks = blocks(&chapter.text).into_iter().filter(|block| !stands(block));
    blocks.map(|block| Finding::new(chapter, block.line, message)).collect()
}

struct Block<'a> {
    /// Where its fence is, counted from 1.
    line: usize,
    lines: Vec<&'a str>,
}

/// The blocks marked `rust`, trimmed, without empty lines.
fn blocks(text: &str) -> Vec<Block<'_>> {
    let mut blocks: Vec<Block<'_>> = Vec::new();
    let mut fence = None;
    for (at, line) in text.lines().map(str::trim).enumerate() {
        match (fence, line.strip_prefix("```")) {
            (None, Some(word)) => {
                fence = Some(word);
                if word == "rust" {
                    blocks.push(Block { line: at + 1, lines: Vec::new() });
                }
            }
            (Some(_), Some(_)) => fence = None,
            (Some("rust"), None) if !line.is_empty() => {
                if let Some(block) = blocks.last_mut() {
                    block.lines.push(line);
                }
            }
            (_, None) => {}
        }
    }
    blocks
}

/// Whether a text has the runs of lines between `// ...`, one after the other.
fn has(text: &str, wanted: &[&str]) -> bool {
    let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let mut rest = &lines[..];
    wanted.split(|line| *line == "// ...").filter(|run| !run.is_empty()).all(|run| {
        let found = rest.windows(run.len()).position(|window| window == run);
        rest = found.map_or(&[][..], |at| &rest[at + run.len()..]);
        found.is_some()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(chapter: &str, example: &str, runner: &str) -> Vec<(String, usize)> {
        let file = |path: &str, text: &str| File { path: path.into(), text: text.into() };
        let files = [
            file("docs/guide/01.md", chapter),
            file("examples/a.rs", example),
            file(&format!("{TESTS}a.rs"), runner),
        ];
        guide(&files).into_iter().map(|found| (found.path, found.line)).collect()
    }

    #[test]
    fn blocks_are_cut_from_examples() {
        let example = "fn main() {\n    one();\n\n    two();\n    three();\n}\n";
        let says = |block: &str| {
            let chapter = format!("examples/a.rs\n```rust\n{block}\n```\n```text\nanything\n```\n");
            check(&chapter, example, "examples/a.rs")
        };
        assert_eq!(says("one();\ntwo();"), []);
        assert_eq!(says("one();\n// ...\nthree();"), []);
        assert_eq!(says("two();\n// ...\none();"), [("docs/guide/01.md".to_string(), 2)]);
        assert_eq!(says("four();"), [("docs/guide/01.md".to_string(), 2)]);
    }

    #[test]
    fn examples_are_shown_and_run() {
        assert_eq!(check("nothing", "fn main() {}", "examples/a.rs"), [("examples/a.rs".to_string(), 1)]);
        assert_eq!(check("examples/a.rs", "fn main() {}", ""), [("examples/a.rs".to_string(), 1)]);
    }
}
