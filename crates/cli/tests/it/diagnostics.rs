//! Every diagnostic has an example that is run: what was typed, what was answered, and the way out.
//!
//! A file of `tests/diagnostics` is one code's entry in `docs/reference/diagnostics.md`, which is these files one after
//! the other. `cargo xtask entries` asks for one file per code; those without an example are in `none.md` there. Of a
//! file's blocks of code
//!
//! ```text
//! mlir step.mlir    (any language, and a name)   is written to that file
//! console           `$ ` and a command           is run in the file's folder, and answers what stands below
//! diff                                           mends these files: the first command is run again
//! rust                                           is run by `crates/meshwright/tests/it/diagnostics`
//! ```
//!
//! The first `console` shows the code. After a `diff`, and in any other `console`, it is gone: the way out is one. With
//! `MESHWRIGHT_BLESS=1` answers, and the page, are written anew; read the change like code.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The binary of the crate that includes this file. That of `crates/lab` runs the entries of its commands, and that of
/// `crates/cli` all others.
const BINARY: &str =
    match (option_env!("CARGO_BIN_EXE_meshwright"), option_env!("CARGO_BIN_EXE_meshwright-lab")) {
        (Some(binary), _) | (None, Some(binary)) => binary,
        (None, None) => panic!("this file belongs to the tests of a binary"),
    };
const IS_LAB: bool = option_env!("CARGO_BIN_EXE_meshwright").is_none();
const PAGE: &str = "docs/reference/diagnostics.md";

/// What stands over the entries, and over each hundred of them.
const HEAD: &str = "# Diagnostics

Whatever Meshwright refuses or remarks has a code: `E` an error, `W` a warning, `N` a note. This page has each of them with an input
that provokes it, what is answered, and the way out. `meshwright` answers the same with `--json`, for programs.

Every example on this page is run by a test, and so is its way out.
";

const PARTS: [(u16, &str); 14] = [
    (0, "This machine"),
    (100, "Reading a module"),
    (200, "A module's rules"),
    (300, "Meshes and shardings"),
    (400, "Completion"),
    (500, "Partitioning"),
    (600, "Running and comparing"),
    (700, "The command line"),
    (800, "Programs in Rust"),
    (900, "Gradients"),
    (1100, "Training"),
    (1180, "Planning"),
    (1200, "Checkpoints"),
    (1300, "Logs"),
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn is_blessing() -> bool {
    std::env::var_os("MESHWRIGHT_BLESS").is_some_and(|value| value != "0")
}

/// A directory in which `meshwright` is the binary of this crate.
fn binaries() -> &'static Path {
    static FOLDER: LazyLock<PathBuf> = LazyLock::new(|| {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("diagnostics-binaries");
        std::fs::create_dir_all(&folder).unwrap();
        let _ = std::fs::remove_file(folder.join("meshwright"));
        std::os::unix::fs::symlink(BINARY, folder.join("meshwright")).unwrap();
        folder
    });
    &FOLDER
}

/// Whether an entry uses a command that only `meshwright-lab` runs.
fn needs_lab(text: &str) -> bool {
    ["meshwright campaign", "meshwright reproduce", "meshwright data m4"]
        .iter()
        .any(|command| text.contains(command))
}

/// The entries in order of their codes: name as `E0105`, and text.
fn entries() -> Vec<(String, PathBuf, String)> {
    let files = root().join("tests/diagnostics").read_dir().unwrap().map(|entry| entry.unwrap().path());
    let name = |path: &Path| path.file_stem().unwrap().to_str().unwrap().to_string();
    let mut entries: Vec<_> = files
        .filter(|path| name(path).starts_with(['E', 'W', 'N']))
        .map(|path| (name(&path), path.clone(), std::fs::read_to_string(&path).unwrap()))
        .collect();
    entries.sort_by_key(|(name, ..)| number(name));
    entries
}

fn number(name: &str) -> u16 {
    name[1..].parse().unwrap_or_else(|_| panic!("`{name}` is no code"))
}

/// A block of code: the words behind its fence, its lines, and where they begin and end in the text.
struct Block<'a> {
    kind: &'a str,
    file: Option<&'a str>,
    lines: &'a str,
    from: usize,
}

fn blocks(text: &str) -> Vec<Block<'_>> {
    const FENCE: &str = "```";
    let mut found = Vec::new();
    let mut rest = 0;
    while let Some(at) = text[rest..].find(FENCE) {
        let fence = rest + at + FENCE.len();
        let Some(end_of_line) = text[fence..].find('\n') else { break };
        let from = fence + end_of_line + 1;
        let Some(length) = text[from..].find(FENCE) else { break };
        let mut words = text[fence..from].split_whitespace();
        let (kind, file) = (words.next().unwrap_or_default(), words.next());
        found.push(Block { kind, file, lines: &text[from..from + length], from });
        rest = from + length + FENCE.len();
    }
    found
}

/// What a command answers, as it is typed.
fn answer(folder: &Path, typed: &str) -> String {
    let path = std::env::var("PATH").unwrap_or_default();
    let output = Command::new("sh")
        .args(["-c", &format!("{{ {typed}\n}} 2>&1")])
        .current_dir(folder)
        .env("PATH", format!("{}:{path}", binaries().display()))
        .env_remove("MESHWRIGHT_DUMP")
        .env_remove("MESHWRIGHT_CPU")
        .output()
        .unwrap();
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// The commands of a block with what they answer now.
fn run(folder: &Path, block: &str) -> String {
    block.lines().filter(|line| line.starts_with("$ ")).fold(String::new(), |mut out, line| {
        let _ = write!(out, "{line}\n{}", answer(folder, &line[2..]));
        out
    })
}

/// Replace each run of `-` lines by the `+` lines behind it, in the one file that has them.
fn mend(folder: &Path, files: &[&str], diff: &str) -> Result<(), String> {
    let lines: Vec<&str> = diff.lines().collect();
    for change in lines.chunk_by(|before, after| !(before.starts_with('+') && after.starts_with('-'))) {
        let side = |sign: char| -> String {
            change.iter().filter_map(|line| line.strip_prefix(sign)).map(|line| format!("{line}\n")).collect()
        };
        let (old, new) = (side('-'), side('+'));
        let text = |file: &str| std::fs::read_to_string(folder.join(file)).unwrap_or_default();
        let has = |file: &&&str| !old.is_empty() && text(file).matches(&old).count() == 1;
        let Some(file) = files.iter().find(has) else {
            return Err(format!("no file has these lines, once:\n{old}"));
        };
        std::fs::write(folder.join(file), text(file).replace(&old, &new)).unwrap();
    }
    Ok(())
}

/// The entry with the answers of today, run in a folder of this name; or what is wrong with it.
fn checked(name: &str, text: &str, place: &str) -> Result<String, String> {
    if !text.starts_with(&format!("# {name}: ")) {
        return Err(format!("it begins with `# {name}: ` and what the code means in general"));
    }
    let blocks = blocks(text);
    if blocks.iter().any(|block| block.kind == "rust") {
        return Ok(text.to_string());
    }
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("diagnostics").join(place);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    std::os::unix::fs::symlink(root().join("tests").canonicalize().unwrap(), folder.join("tests")).unwrap();
    let code = format!("[{name}]");
    let (mut files, mut first, mut new) = (Vec::new(), None, text.to_string());
    let mut grown = 0;
    for block in &blocks {
        match (block.kind, block.file) {
            ("console", _) => {
                let answered = run(&folder, block.lines);
                if answered.contains(&code) != first.is_none() {
                    let what = if first.is_none() { "does not show" } else { "still shows" };
                    return Err(format!("this {what} {code}:\n{answered}"));
                }
                first = first.or(block.lines.lines().rfind(|line| line.starts_with("$ ")));
                let from = block.from.strict_add_signed(grown);
                new.replace_range(from..from + block.lines.len(), &answered);
                grown += answered.len() as isize - block.lines.len() as isize;
            }
            ("diff", _) => {
                mend(&folder, &files, block.lines)?;
                let typed = first.ok_or("a diff stands behind the command that it mends")?;
                let answered = answer(&folder, &typed[2..]);
                if answered.contains(&code) || answered.contains("panicked") {
                    return Err(format!("mended, `{typed}` still answers\n{answered}"));
                }
            }
            (_, Some(file)) => {
                std::fs::write(folder.join(file), block.lines).unwrap();
                files.push(file);
            }
            _ => {}
        }
    }
    let shown = new.rfind("```\n").map_or("", |at| &new[at + 4..]);
    match first {
        None => Err("no `console` block shows the code".to_string()),
        Some(_) if blocks.len() == 1 + files.len() && shown.trim().is_empty() => {
            Err("it does not tell the way out".to_string())
        }
        Some(_) => Ok(new),
    }
}

#[test]
fn every_example_answers_what_it_shows_and_its_way_out_is_one() {
    let mut entries = entries();
    entries.retain(|(_, _, text)| needs_lab(text) == IS_LAB);
    let next = AtomicUsize::new(0);
    let work = || {
        let mut wrong = Vec::new();
        while let Some((name, path, text)) = entries.get(next.fetch_add(1, Ordering::Relaxed)) {
            match checked(name, text, name) {
                Ok(new) if new == *text => {}
                Ok(new) if is_blessing() => std::fs::write(path, new).unwrap(),
                Ok(new) => wrong.push(format!("{name} answers another thing now:\n{new}")),
                Err(why) => wrong.push(format!("{name}: {why}")),
            }
        }
        wrong
    };
    let threads = std::thread::available_parallelism().map_or(1, |count| count.get());
    let wrong: Vec<String> = std::thread::scope(|scope| {
        let all: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        all.into_iter().flat_map(|one| one.join().unwrap()).collect()
    });
    let how = "if this is right: MESHWRIGHT_BLESS=1 cargo test -p meshwright-cli --test it diagnostics::";
    assert!(wrong.is_empty(), "{}\n{} wrong; {how}", wrong.join("\n"), wrong.len());
    the_page_is_the_entries();
}

fn page() -> String {
    let mut page = HEAD.to_string();
    let entries = entries();
    for (at, (from, part)) in PARTS.iter().enumerate() {
        let to = PARTS.get(at + 1).map_or(u16::MAX, |(next, _)| *next);
        let of_part = entries.iter().filter(|(name, ..)| (*from..to).contains(&number(name)));
        let texts: String = of_part.map(|(_, _, text)| format!("\n##{text}")).collect();
        if !texts.is_empty() {
            let _ = write!(page, "\n## {part}\n{texts}");
        }
    }
    let none = std::fs::read_to_string(root().join("tests/diagnostics/none.md")).unwrap();
    let _ = write!(page, "\n#{none}");
    page
}

/// Behind the entries: while they are blessed, they change.
fn the_page_is_the_entries() {
    let path = root().join(PAGE);
    let page = page();
    if is_blessing() {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, &page).unwrap();
    }
    let found = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        found == page,
        "{PAGE} is stale: MESHWRIGHT_BLESS=1 cargo test -p meshwright-cli --test it diagnostics::"
    );
}

#[test]
fn an_entry_whose_way_out_is_none_is_refused() {
    let entry = |mended: &str| {
        format!(
            "# E0107: twice\n\n```mlir a.mlir\nfunc.func public @main(%a: tensor<2xf32>) -> tensor<2xf32> {{\n  \
             %b = stablehlo.negate %a : tensor<2xf32>\n  %b = stablehlo.negate %a : tensor<2xf32>\n  \
             return %b : tensor<2xf32>\n}}\n```\n```console\n$ meshwright check a.mlir\n```\n{mended}"
        )
    };
    let said = |entry: &str, name: &str| checked(name, entry, "tried").err().unwrap_or_default();
    assert!(said(&entry(""), "E0107").contains("way out"));
    assert!(said(&entry("x").replace("E0107", "E0108"), "E0108").contains("does not show [E0108]"));
    assert!(said(&entry("x"), "E0108").contains("it begins with `# E0108: `"));
    assert!(said(&entry("```diff\n-  nothing\n```\n"), "E0107").contains("no file has these lines"));
    let line = "  %b = stablehlo.negate %a : tensor<2xf32>\n";
    let same = entry(&format!("```diff\n-{line}-{line}+{line}+{line}```\n"));
    assert!(said(&same, "E0107").contains("still answers"));
    assert_eq!(said(&same.replacen("+  %b", "+  %c", 1), "E0107"), "");
}
