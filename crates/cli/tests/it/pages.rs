//! What pages of `docs` show as typed and answered is what the binary answers.

use std::path::{Path, PathBuf};
use std::process::Command;

/// What the commands of a page are about.
#[derive(Clone, Copy)]
enum Files {
    /// A module, which is the page's first block.
    Module(&'static str),
    /// What lies in a folder of the examples.
    Folder(&'static str),
}

/// A page, the files that its commands read, and how many commands it answers.
const PAGES: [(&str, Files, usize); 3] = [
    ("read-a-completion", Files::Module("layer.mlir"), 3),
    ("read-a-partition", Files::Module("ffn.mlir"), 1),
    ("remove-a-collective", Files::Folder("examples/data/jax_step"), 3),
];

/// What stands in a page's blocks of code.
fn blocks(page: &str) -> Vec<&str> {
    page.split("```").skip(1).step_by(2).map(|block| block.trim_start_matches('\n')).collect()
}

/// A folder of its own, with the files in it.
fn folder(name: &str, files: Files, page: &[&str]) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("page-{name}"));
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    match files {
        Files::Module(file) => std::fs::write(folder.join(file), page[0]).unwrap(),
        Files::Folder(from) => {
            for entry in root().join(from).read_dir().unwrap().map(Result::unwrap) {
                std::fs::copy(entry.path(), folder.join(entry.file_name())).unwrap();
            }
        }
    }
    folder
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// As a shell splits a line; what stands in quotes, of either kind, is of one piece.
fn words(typed: &str) -> Vec<String> {
    let (mut words, mut quote) = (vec![String::new()], None);
    for letter in typed.chars() {
        match (letter, quote) {
            ('\'' | '"', None) => quote = Some(letter),
            (_, Some(open)) if open == letter => quote = None,
            (' ', None) => words.push(String::new()),
            _ => words.last_mut().unwrap().push(letter),
        }
    }
    words
}

/// What a command says, typed as it stands.
fn answered(folder: &Path, typed: &str) -> String {
    let words = words(typed);
    let words = words.iter().skip(1);
    let output =
        Command::new(env!("CARGO_BIN_EXE_meshwright")).args(words).current_dir(folder).output().unwrap();
    assert!(output.status.success(), "{typed}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8([output.stdout, output.stderr].concat()).unwrap()
}

#[test]
fn pages_show_what_is_answered() {
    for (name, files, count) in PAGES {
        let page = std::fs::read_to_string(root().join(format!("docs/howto/{name}.md"))).unwrap();
        let blocks = blocks(&page);
        let folder = folder(name, files, &blocks);
        let commands: Vec<(&str, &str)> = blocks
            .iter()
            .filter_map(|block| block.strip_prefix("$ ")?.split_once('\n'))
            .filter(|(typed, _)| typed.starts_with("meshwright"))
            .collect();
        assert_eq!(commands.len(), count, "{name}");
        for (typed, shown) in commands {
            assert_eq!(answered(&folder, typed), shown, "{name}: {typed}");
        }
    }
}
