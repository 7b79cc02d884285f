//! Pictures of the README and of `docs` are what the commands beside them draw. `MESHWRIGHT_BLESS=1` draws them anew:
//! look at them before they are committed.
//!
//! A command is a line of a block, `meshwright draw .. -o docs/pictures/NAME.svg`, as it is typed in the repository's
//! root. A module that is not there is the first one of the page.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

const PICTURES: &str = "docs/pictures/";

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// The README and all pages below `docs`, with their texts.
fn pages() -> Vec<(PathBuf, String)> {
    fn below(folder: &Path) -> Vec<PathBuf> {
        let entries = folder.read_dir().unwrap().map(|entry| entry.unwrap().path());
        entries.flat_map(|path| if path.is_dir() { below(&path) } else { vec![path] }).collect()
    }
    let mut paths = below(&root().join("docs"));
    paths.retain(|path| path.extension().is_some_and(|end| end == "md"));
    paths.push(root().join("README.md"));
    paths.sort();
    paths.into_iter().map(|path| (path.clone(), std::fs::read_to_string(path).unwrap())).collect()
}

/// Commands that draw a picture of `docs/pictures`, with its name.
fn commands(text: &str) -> Vec<(Vec<&str>, &str)> {
    let blocks = text.split("```").skip(1).step_by(2);
    let lines = blocks.flat_map(str::lines).filter(|line| line.starts_with("meshwright draw "));
    let words = lines.map(|line| line.split_whitespace().skip(1).collect::<Vec<_>>());
    words
        .filter_map(|words| {
            let name = words.last()?.strip_prefix(PICTURES)?;
            Some((words, name))
        })
        .collect()
}

/// The first module of a page.
fn module(text: &str) -> Option<&str> {
    let blocks = text.split("```").skip(1).step_by(2);
    let module =
        blocks.filter_map(|block| block.split_once('\n')).find(|(_, body)| body.contains("func.func"));
    module.map(|(_, body)| body)
}

/// What a command draws.
fn drawn(page: &Path, text: &str, words: &[&str], out: &Path) -> String {
    let mut words: Vec<String> = words.iter().map(ToString::to_string).collect();
    *words.last_mut().unwrap() = out.display().to_string();
    let file = words[2].clone();
    if file.ends_with(".mlir") && !root().join(&file).exists() {
        let module = module(text).unwrap_or_else(|| panic!("{}: no module for `{file}`", page.display()));
        let path = out.with_file_name(&file);
        std::fs::write(&path, module).unwrap();
        words[2] = path.display().to_string();
    }
    let mut command = Command::new(env!("CARGO_BIN_EXE_meshwright"));
    command.args(&words).current_dir(root()).env_remove("MESHWRIGHT_DUMP");
    let output = command.output().unwrap();
    assert!(output.status.success(), "{words:?}: {}", String::from_utf8_lossy(&output.stderr));
    std::fs::read_to_string(out).unwrap()
}

#[test]
fn every_picture_is_what_the_command_beside_it_draws() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("pictures");
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    let is_blessing = std::env::var_os("MESHWRIGHT_BLESS").is_some_and(|value| value != "0");
    let mut made: BTreeMap<String, PathBuf> = BTreeMap::new();
    let mut stale = Vec::new();
    for (page, text) in pages() {
        for (words, name) in commands(&text) {
            let other = made.insert(name.to_string(), page.clone());
            assert!(other.is_none(), "{name} is drawn twice: {other:?} and {}", page.display());
            let shown = format!("pictures/{name})");
            assert!(text.contains(&shown), "{} draws {name} and does not show it", page.display());
            let svg = drawn(&page, &text, &words, &folder.join(name));
            let place = root().join(PICTURES).join(name);
            if is_blessing {
                std::fs::write(&place, &svg).unwrap();
            }
            if std::fs::read_to_string(&place).unwrap_or_default() != svg {
                stale.push(name.to_string());
            }
        }
    }
    assert!(
        stale.is_empty(),
        "stale: {}; MESHWRIGHT_BLESS=1 cargo test -p meshwright-cli --test it pictures::",
        stale.join(", ")
    );
    let there = root().join(PICTURES).read_dir().unwrap().map(|entry| entry.unwrap().file_name());
    let there = there.map(|name| name.into_string().unwrap()).filter(|name| name.ends_with(".svg"));
    let by_hand: Vec<String> = there.filter(|name| !made.contains_key(name)).collect();
    assert!(by_hand.is_empty(), "no command of a page draws {}", by_hand.join(", "));
    assert!(made.len() >= 10, "{made:?}");
}
