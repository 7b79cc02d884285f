//! `docs/results/bytes-beside-xla.md`, which README's comparison cites, shows the numbers of `compare-xla tests/xla`.

use std::path::{Path, PathBuf};
use std::process::Command;

const PAGE: &str = "docs/results/bytes-beside-xla.md";

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The rows of table (b): a step, our bytes, XLA's bytes and their ratio.
fn rows(printed: &str) -> Vec<[&str; 4]> {
    let table = printed.lines().skip_while(|line| !line.starts_with("(b)")).skip(2);
    let cells = table.take_while(|line| !line.is_empty()).map(|line| {
        let mut cells = line.split_whitespace();
        std::array::from_fn(|_| cells.next().expect("a row has four cells"))
    });
    cells.collect()
}

#[test]
fn the_page_has_the_bytes_that_compare_xla_prints() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_meshwright"));
    let ran = command.args(["compare-xla", "tests/xla"]).current_dir(root()).output().unwrap();
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    let printed = String::from_utf8(ran.stdout).unwrap();
    let rows = rows(&printed);
    assert_eq!(rows.len(), 13, "{printed}");
    let page = std::fs::read_to_string(root().join(PAGE)).unwrap();
    for [step, ours, xla, ratio] in &rows {
        let line = format!("| `{step}` | {ours} | {xla} | {ratio} |\n");
        assert!(page.contains(&line), "{PAGE} lacks: {line}");
    }
    // README gives the range.
    let ratio = |row: &[&str; 4]| row[3].parse::<f64>().unwrap();
    let least = rows.iter().map(ratio).fold(f64::MAX, f64::min);
    let most = rows.iter().map(ratio).fold(0.0, f64::max);
    let mut sorted: Vec<f64> = rows.iter().map(ratio).collect();
    sorted.sort_by(f64::total_cmp);
    let median = sorted[sorted.len() / 2];
    let readme = std::fs::read_to_string(root().join("README.md")).unwrap();
    let cell = format!("[{least:.2} to {most:.2} of XLA's, median {median:.2}]({PAGE})");
    assert!(readme.contains(&cell), "README.md lacks: {cell}");
}
