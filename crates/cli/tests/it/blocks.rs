//! Blocks of code on every page are what they seem: commands are some that `meshwright` takes, modules parse, what is
//! marked `json` is JSON, `toml` is a configuration that `train` reads or a piece of a manifest that cargo reads, and
//! `python` compiles, where there is a Python. Blocks of `rust` are held by `cargo xtask tidy` (`guide.rs`), answers by
//! `pages.rs` and `diagnostics.rs`, pictures by `pictures.rs`.

#![allow(clippy::print_stderr, reason = "who runs the tests is told what was skipped")]

use clap::{CommandFactory, Parser};
use meshwright_base::SourceText;
use meshwright_cli::args::Args;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Pages below a folder.
fn pages(folder: &Path) -> Vec<PathBuf> {
    let entries = folder.read_dir().unwrap().map(|entry| entry.unwrap().path());
    let found = entries.flat_map(|path| if path.is_dir() { pages(&path) } else { vec![path] });
    found.filter(|path| path.extension().is_some_and(|end| end == "md")).collect()
}

/// What is wrong with a page's blocks.
fn faults(page: &str, text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut block: Option<(usize, &str, String)> = None;
    for (at, line) in text.lines().enumerate() {
        match (line.trim_start().strip_prefix("```"), &mut block) {
            (Some(info), None) => {
                block = Some((at + 1, info.split_whitespace().next().unwrap_or_default(), String::new()));
            }
            (Some(_), Some((from, kind, lines))) => {
                found.extend(wrong(kind, lines).into_iter().map(|what| format!("{page}:{from}: {what}")));
                block = None;
            }
            (None, Some((_, _, lines))) => *lines += &format!("{line}\n"),
            (None, None) => {}
        }
    }
    found
}

fn wrong(kind: &str, text: &str) -> Vec<String> {
    match kind {
        "sh" | "bash" => commands(text).into_iter().filter_map(|words| refused(&words)).collect(),
        "console" => {
            let typed: String = text
                .lines()
                .filter_map(|line| line.strip_prefix("$ "))
                .fold(String::new(), |all, line| all + line + "\n");
            commands(&typed).into_iter().filter_map(|words| refused(&words)).collect()
        }
        "mlir" => {
            let read = meshwright_text::parse(&SourceText::new("block", text));
            read.err().into_iter().flatten().map(|found| format!("no module: {found}")).collect()
        }
        "toml" if text.trim_start().starts_with("[profile") => manifest(text).into_iter().collect(),
        "toml" => configuration(text).into_iter().collect(),
        "python" => python(text).into_iter().collect(),
        "json" => {
            serde_json::from_str::<serde_json::Value>(text).err().iter().map(ToString::to_string).collect()
        }
        _ => Vec::new(),
    }
}

/// A folder that no other block has.
fn folder() -> PathBuf {
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("block-{number}"));
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(folder.join("src")).unwrap();
    folder
}

/// Why `train` does not take a configuration, if so.
fn configuration(text: &str) -> Option<String> {
    let path = folder().join("config.toml");
    std::fs::write(&path, text).unwrap();
    let args =
        Args::try_parse_from(["meshwright", "train", path.to_str().unwrap(), "--print-config"]).unwrap();
    let read = meshwright_cli::commands::run(&args.command, false);
    read.err().map(|failure| format!("no configuration: {}", failure.to_text()))
}

/// Why cargo does not take a piece of a manifest, if so; keys that it does not know among that.
fn manifest(text: &str) -> Option<String> {
    let folder = folder();
    let package = "[package]\nname = \"a\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n[workspace]\n\n";
    std::fs::write(folder.join("Cargo.toml"), format!("{package}{text}")).unwrap();
    std::fs::write(folder.join("src/lib.rs"), "").unwrap();
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["check", "--offline"]).env("CARGO_TARGET_DIR", folder.join("target")).current_dir(&folder);
    let output = cargo.output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    let is_wrong = !output.status.success() || said.contains("unused manifest key");
    is_wrong.then(|| format!("no manifest: {said}"))
}

/// Why Python does not compile a block, if there is a Python.
fn python(text: &str) -> Option<String> {
    let path = folder().join("block.py");
    std::fs::write(&path, text).unwrap();
    match Command::new("python3").args(["-m", "py_compile"]).arg(&path).output() {
        Ok(output) if output.status.success() => None,
        Ok(output) => Some(format!("no Python: {}", String::from_utf8_lossy(&output.stderr))),
        Err(_) => {
            // Seen with `--nocapture`, and in what CI keeps.
            eprintln!("skipped: there is no python3 to compile a block with");
            None
        }
    }
}

/// Runs of `meshwright` in lines of a shell, word by word.
fn commands(text: &str) -> Vec<Vec<String>> {
    let joined = text.replace("\\\n", " ");
    let all = joined.lines().flat_map(simple);
    all.filter_map(|words| {
        let at = words.iter().position(|word| word == "meshwright")?;
        // Behind `cargo run -p meshwright-cli --` or `mpirun -n 2`, not as what is compiled.
        let is_run = words[..at].iter().all(|word| word != "cargo" && word != "alias" && word != "git");
        is_run.then(|| words[at..].to_vec())
    })
    .collect()
}

/// The simple commands of a line: cut at pipes and lists, without redirections and comments.
fn simple(line: &str) -> Vec<Vec<String>> {
    let mut found = vec![Vec::new()];
    let (mut word, mut quote, mut is_word) = (String::new(), None, false);
    let mut chars = line.chars().peekable();
    let end = |found: &mut Vec<Vec<String>>, word: &mut String, is_word: &mut bool| {
        if std::mem::take(is_word) {
            found.last_mut().unwrap().push(word.clone());
        }
        word.clear();
    };
    let mut after_redirection = false;
    while let Some(c) = chars.next() {
        match (quote, c) {
            (Some(open), c) if c == open => quote = None,
            (Some(_), c) => word.push(c),
            (None, '\'' | '"') => (quote, is_word) = (Some(c), true),
            (None, '#') if !is_word => break,
            (None, '|' | ';' | '&' | '(' | ')' | '{' | '}') if c != '{' && c != '}' || !is_word => {
                end(&mut found, &mut word, &mut is_word);
                found.push(Vec::new());
                after_redirection = false;
            }
            (None, '<' | '>') => {
                if word.chars().all(|c| c.is_ascii_digit()) {
                    is_word = false;
                }
                end(&mut found, &mut word, &mut is_word);
                after_redirection = true;
                while chars.peek().is_some_and(|c| matches!(c, '>' | '&' | ' ')) {
                    chars.next();
                }
            }
            (None, c) if c.is_whitespace() => {
                if std::mem::take(&mut after_redirection) && is_word {
                    is_word = false;
                }
                end(&mut found, &mut word, &mut is_word);
            }
            (None, c) => {
                word.push(c);
                is_word = true;
            }
        }
    }
    if after_redirection {
        is_word = false;
    }
    end(&mut found, &mut word, &mut is_word);
    found
}

/// Why clap does not take a command, if so. `NAME` and `..` stand for what a reader puts there.
fn refused(words: &[String]) -> Option<String> {
    if words.iter().any(|word| word == "..") {
        return None;
    }
    if let [_, only] = words {
        // `meshwright --help` and the like end the process well.
        if only.starts_with("--") {
            return None;
        }
    }
    let error = Args::try_parse_from(words).err()?;
    let is_help =
        matches!(error.kind(), clap::error::ErrorKind::DisplayHelp | clap::error::ErrorKind::DisplayVersion);
    let first = error.to_string();
    // `--target this` is right, and reads a file that `meshwright bench machine` writes.
    if first.contains("no measurement of this machine") {
        return None;
    }
    (!is_help).then(|| format!("`{}`: {}", words.join(" "), first.lines().next().unwrap_or_default()))
}

#[test]
fn blocks_of_every_page_are_what_they_seem() {
    Args::command().debug_assert();
    let root = root();
    let mut all = pages(&root.join("docs"));
    all.extend(
        ["README.md", "CONTRIBUTING.md", "peers/README.md", "examples/README.md"].map(|page| root.join(page)),
    );
    let found: Vec<String> = all
        .iter()
        // Its modules are there to be refused.
        .filter(|path| !path.ends_with("reference/diagnostics.md"))
        .flat_map(|path| {
            faults(
                &path.strip_prefix(&root).unwrap().display().to_string(),
                &std::fs::read_to_string(path).unwrap(),
            )
        })
        .collect();
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn planted_faults_are_found() {
    let said = |block: &str| faults("a.md", &format!("# A\n\n```{block}\n```\n"));
    assert_eq!(said("sh\nmeshwright check step.mlir | head -n 3 > out.txt   # what is in it?"), [""; 0]);
    assert_eq!(said("sh\nmpirun -n 2 meshwright train switch-tiny --backend mpi && echo done"), [""; 0]);
    assert_eq!(said("sh\nmeshwright explain a.mlir --why '%e.1' 2> notes.txt"), [""; 0]);
    assert_eq!(said("sh\nmeshwright train a \\\n  --steps 3"), [""; 0]);
    assert_eq!(said("sh\ncargo install meshwright --locked"), [""; 0]);
    for wrong in [
        "meshwright chek a.mlir",
        "meshwright check",
        "cat a | meshwright check - --stats",
        "meshwright train a --step 3",
    ] {
        let found = said(&format!("sh\n{wrong}"));
        assert!(found.len() == 1 && found[0].starts_with("a.md:3: `meshwright "), "{wrong}: {found:?}");
    }
    assert_eq!(said("console\n$ meshwright chek a\nmeshwright answers\n").len(), 1);
    assert_eq!(
        said("mlir\nfunc.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {\n  return %b : tensor<2xf32>\n}")
            .len(),
        1
    );
    assert_eq!(said("json\n{\"a\": }").len(), 1);
    assert_eq!(said("toml\n[model]\nlayers = 2"), [""; 0]);
    for (wrong, about) in [("[model]\nlayer = 2", "layer"), ("[model\nlayers = 2", "TOML")] {
        let found = said(&format!("toml\n{wrong}"));
        assert!(found.len() == 1 && found[0].contains(about), "{wrong}: {found:?}");
    }
    assert_eq!(said("toml\n[profile.dev]\nopt-level = 1"), [""; 0]);
    assert_eq!(said("toml\n[profile.dev]\nopt-levels = 1").len(), 1);
    assert_eq!(said("python\nx = [1, 2]"), [""; 0]);
    if Command::new("python3").arg("--version").output().is_ok() {
        assert_eq!(said("python\nf(x=..)").len(), 1);
    }
}
