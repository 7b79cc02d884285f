//! `data collect` on folders made here.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output};

fn folder(name: &str) -> PathBuf {
    let path = std::env::temp_dir().join(format!("meshwright-data-{}-{name}", std::process::id()));
    let _ = fs::remove_dir_all(&path);
    fs::create_dir_all(&path).expect("temporary folders can be made");
    path
}

fn collect(args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_meshwright"));
    command.args(["data", "collect"]).args(args).output().expect("the binary runs")
}

#[test]
fn paragraphs_are_kept_once_with_where_they_came_from() {
    let (from, out) = (folder("from"), folder("out"));
    let kept = "A paragraph of a notice that stands in two files,\nand is kept once.\n";
    fs::write(from.join("README.md"), format!("# Title\n\n{kept}")).unwrap();
    fs::write(from.join("page.html"), "<p>One more sentence that is long enough to be kept &amp; read.</p>")
        .unwrap();
    fs::write(from.join("z.txt"), kept).unwrap();
    fs::write(from.join("bytes.txt"), [0xff, 0xfe, 0x00]).unwrap();
    let (from, out) = (from.display().to_string(), out.display().to_string());
    let first = collect(&["--from", &from, "--out", &out]);
    assert!(first.status.success(), "{}", String::from_utf8_lossy(&first.stderr));
    let text = fs::read_to_string(format!("{out}/documents.txt")).unwrap();
    assert_eq!(
        text,
        "A paragraph of a notice that stands in two files, and is kept once.\nOne more sentence that is long enough to \
         be kept & read.\n"
    );
    let listed: serde_json::Value =
        serde_json::from_str(&fs::read_to_string(format!("{out}/sources.json")).unwrap()).unwrap();
    let sources = listed["sources"].as_array().unwrap();
    assert_eq!(sources.len(), 2);
    assert!(sources[0]["path"].as_str().unwrap().ends_with("README.md"), "{listed}");
    assert_eq!(listed["documents"], 2);
    // The same folders give the same bytes.
    let again = folder("again").display().to_string();
    collect(&["--from", &from, "--out", &again]);
    assert_eq!(fs::read_to_string(format!("{again}/documents.txt")).unwrap(), text);
    // What is there is somebody's.
    let over = collect(&["--from", &from, "--out", &out]);
    assert!(String::from_utf8_lossy(&over.stderr).contains("documents.txt` already"), "{over:?}");
}

#[test]
fn the_command_that_is_told_trains_on_what_was_collected() {
    let from = folder("told");
    // Figures are no prose.
    let name =
        |at: usize| [at / 26, at % 26].map(|at| char::from(b'a' + at as u8)).iter().collect::<String>();
    let paragraph =
        |at: usize| format!("The house of {} stands beside the one that has no name.\n\n", name(at));
    fs::write(from.join("README.md"), (0..400).map(paragraph).collect::<String>()).unwrap();
    let out = from.join("collected");
    let ended = collect(&["--from", &from.display().to_string(), "--out", &out.display().to_string()]);
    let said = String::from_utf8_lossy(&ended.stdout).into_owned();
    let told =
        said.lines().find_map(|line| line.strip_prefix("train on it: meshwright ")).expect("a command");
    let words: Vec<String> = told
        .split(' ')
        .map(|word| word.trim_matches('\'').to_string())
        .chain(["--steps".into(), "2".into()])
        .collect();
    let mut command = Command::new(env!("CARGO_BIN_EXE_meshwright"));
    let ended = command.args(&words).current_dir(&from).output().expect("the binary runs");
    assert!(ended.status.success(), "{told}: {}", String::from_utf8_lossy(&ended.stderr));
}

#[test]
fn a_folder_without_documentation_is_said_and_nothing_is_written() {
    let (from, out) = (folder("nothing"), folder("none"));
    fs::write(from.join("a.bin"), "no").unwrap();
    let ended = collect(&["--from", &from.display().to_string(), "--out", &out.display().to_string()]);
    let said = String::from_utf8_lossy(&ended.stderr).into_owned();
    assert_eq!(ended.status.code(), Some(3), "{said}");
    assert!(said.contains("no documentation was found") && said.contains("--from"), "{said}");
    assert_eq!(fs::read_dir(out).unwrap().count(), 0);
}
