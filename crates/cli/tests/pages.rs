//! What pages of `docs` show as typed and answered is what the binary answers.

use std::path::{Path, PathBuf};
use std::process::Command;

/// A page, its module's name there, and how many commands it answers.
const PAGES: [(&str, &str, usize); 2] =
    [("read-a-completion", "layer.mlir", 3), ("read-a-partition", "ffn.mlir", 1)];

/// What stands in a page's blocks of code.
fn blocks(page: &str) -> Vec<&str> {
    page.split("```").skip(1).step_by(2).map(|block| block.trim_start_matches('\n')).collect()
}

/// A folder of its own, with the module in it.
fn folder(name: &str, file: &str, module: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("page-{name}"));
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join(file), module).unwrap();
    folder
}

/// What a command says, typed as it stands.
fn answered(folder: &Path, typed: &str) -> String {
    let words = typed.split(' ').skip(1).map(|word| word.trim_matches('\''));
    let output =
        Command::new(env!("CARGO_BIN_EXE_meshwright")).args(words).current_dir(folder).output().unwrap();
    assert!(output.status.success(), "{typed}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8([output.stdout, output.stderr].concat()).unwrap()
}

#[test]
fn pages_show_what_is_answered() {
    for (name, file, count) in PAGES {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../docs/howto/{name}.md"));
        let page = std::fs::read_to_string(path).unwrap();
        let blocks = blocks(&page);
        let folder = folder(name, file, blocks[0]);
        let commands: Vec<(&str, &str)> =
            blocks.iter().filter_map(|block| block.strip_prefix("$ ")?.split_once('\n')).collect();
        assert_eq!(commands.len(), count, "{name}");
        for (typed, shown) in commands {
            assert_eq!(answered(&folder, typed), shown, "{name}: {typed}");
        }
    }
}
