//! Two builds of the binary beside each other: `cargo xtask bench --against REV [ROUNDS]`.
//!
//! Builds the commit and the working tree, each in a folder of its own below `target/bench`, and runs [`ROWS`] by
//! turns: in each round old and new once, who goes first changes from round to round. What is compared is processor
//! time (wall time where the system does not tell it), for other work on the machine counts less in it. Printed are the
//! median of the rounds' ratios, new by old, and what is left of them without the least and the greatest. A row is
//! slower when all that is left lies above [`NOISE`]; then the chore fails. In place of a commit a binary may be named.
//!
//! For people, not for CI: a machine that others use at the same time shows faults that are none.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

/// A name, and what the binary is asked, from the repository's root. Half a second or more of processor time each.
/// `OUT` stands for a folder that is not there yet.
const ROWS: &[(&str, &[&str])] = &[
    (
        "compile a step of JAX's",
        &["bench", "compile", "tests/golden/yardstick/stablehlo.mlir", "--repeat", "60"],
    ),
    (
        "compile a step of XLA's",
        &["bench", "compile", "tests/xla/dense_2d_attempt1/before_propagation.hlo", "--repeat", "90"],
    ),
    ("step on the engine", &["bench", "step", "tests/golden/yardstick/stablehlo.mlir", "--repeat", "300"]),
    ("verify a step of JAX's", &["verify", "tests/golden/yardstick/stablehlo.mlir"]),
    ("train", &["train", "switch-translate-tiny", "--steps", "3", "--out", "OUT"]),
];

/// A ratio up to this says nothing.
const NOISE: f64 = 1.02;

const ROUNDS: usize = 9;
/// Below it, nothing is left without the least and the greatest.
const FEWEST: usize = 5;

pub fn bench(root: &Path, args: &[String]) -> bool {
    let words: Vec<&str> = args.iter().map(String::as_str).collect();
    let (rev, rounds) = match words[..] {
        ["--against", rev] => (rev, Some(ROUNDS)),
        ["--against", rev, rounds] => (rev, rounds.parse().ok().filter(|rounds| *rounds >= FEWEST)),
        _ => ("", None),
    };
    let Some(rounds) = rounds else {
        eprintln!(
            "usage: cargo xtask bench --against REV [ROUNDS]\n\nREV is a commit or a binary; at least {FEWEST} rounds, {ROUNDS} if not said"
        );
        return false;
    };
    compared(root, rev, rounds).inspect_err(|error| eprintln!("bench: {error}")).unwrap_or(false)
}

fn compared(root: &Path, rev: &str, rounds: usize) -> io::Result<bool> {
    let folder = root.join("target/bench");
    fs::create_dir_all(&folder)?;
    let old = if Path::new(rev).is_file() { fs::canonicalize(rev)? } else { built_at(root, &folder, rev)? };
    let new = built(root, &folder.join("new"))?;
    println!(
        "{:26} {:>8} {:>8} {:>7}  without the extremes of {rounds} rounds",
        "", "old, s", "new, s", "new/old"
    );
    let mut good = true;
    for (name, words) in ROWS {
        let pairs = pairs(root, &folder, [&old, &new], words, rounds)?;
        let verdict = Verdict::of(&pairs);
        good &= !verdict.is_slower();
        println!("{name:26} {verdict}");
    }
    Ok(good)
}

/// The binary of a commit, from a checkout of its own that goes afterwards.
fn built_at(root: &Path, folder: &Path, rev: &str) -> io::Result<PathBuf> {
    let source = folder.join("source");
    let git = |args: &[&str]| ran(Command::new("git").args(args).arg(&source).current_dir(root));
    if source.exists() {
        git(&["worktree", "remove", "--force"])?;
    }
    ran(Command::new("git")
        .args(["worktree", "add", "--detach", "--quiet"])
        .arg(&source)
        .arg(rev)
        .current_dir(root))?;
    let binary = built(&source, &folder.join("old"));
    git(&["worktree", "remove", "--force"])?;
    binary
}

fn built(source: &Path, target: &Path) -> io::Result<PathBuf> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let words = ["build", "--release", "--quiet", "-p", "meshwright-cli", "--target-dir"];
    ran(Command::new(cargo).args(words).arg(target).current_dir(source))?;
    Ok(target.join("release/meshwright"))
}

/// Seconds of the old and the new binary, for each round.
fn pairs(
    root: &Path,
    folder: &Path,
    binaries: [&Path; 2],
    words: &[&str],
    rounds: usize,
) -> io::Result<Vec<[f64; 2]>> {
    let mut pairs = Vec::new();
    // A first round warms caches and is not counted.
    for round in 0..=rounds {
        let mut pair = [0.0; 2];
        for turn in 0..2 {
            let side = (round + turn) % 2;
            pair[side] = seconds(root, folder, binaries[side], words)?;
        }
        pairs.push(pair);
    }
    Ok(pairs.split_off(1))
}

/// What one run takes.
fn seconds(root: &Path, folder: &Path, binary: &Path, words: &[&str]) -> io::Result<f64> {
    let out = folder.join("out");
    if out.exists() {
        fs::remove_dir_all(&out)?;
    }
    let mut command = Command::new(binary);
    for word in words {
        if *word == "OUT" {
            command.arg(&out)
        } else {
            command.arg(word)
        };
    }
    let (before, start) = (of_children(), Instant::now());
    ran(command.current_dir(root).stdout(Stdio::null()).stderr(Stdio::null()))?;
    let wall = start.elapsed().as_secs_f64();
    Ok(before.zip(of_children()).map_or(wall, |(before, after)| after - before))
}

/// Processor time of all processes this one has waited for, in seconds. Linux counts it in hundredths.
fn of_children() -> Option<f64> {
    ticks(&fs::read_to_string("/proc/self/stat").ok()?).map(|ticks| ticks / 100.0)
}

/// User and system time of children: fields 16 and 17. The second is a name in brackets and may hold anything.
fn ticks(stat: &str) -> Option<f64> {
    let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
    Some(fields.get(13)?.parse::<f64>().ok()? + fields.get(14)?.parse::<f64>().ok()?)
}

/// What the rounds of a row say.
#[derive(Debug, PartialEq)]
struct Verdict {
    /// Medians.
    seconds: [f64; 2],
    ratio: f64,
    /// Ratios without the least and the greatest.
    least: f64,
    greatest: f64,
}

impl Verdict {
    fn of(pairs: &[[f64; 2]]) -> Verdict {
        let sorted = |of: &dyn Fn(&[f64; 2]) -> f64| {
            let mut list: Vec<f64> = pairs.iter().map(of).collect();
            list.sort_by(f64::total_cmp);
            list
        };
        let ratios = sorted(&|[old, new]| new / old.max(0.01));
        let middle = |list: &[f64]| list[list.len() / 2];
        Verdict {
            seconds: [middle(&sorted(&|pair| pair[0])), middle(&sorted(&|pair| pair[1]))],
            ratio: middle(&ratios),
            least: ratios[1],
            greatest: ratios[ratios.len() - 2],
        }
    }

    fn is_slower(&self) -> bool {
        self.least > NOISE
    }

    fn is_faster(&self) -> bool {
        self.greatest < 1.0 / NOISE
    }
}

impl std::fmt::Display for Verdict {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let [old, new] = self.seconds;
        let mark = if self.is_slower() {
            "  SLOWER"
        } else if self.is_faster() {
            "  faster"
        } else {
            ""
        };
        write!(f, "{old:8.2} {new:8.2} {:7.3}  [{:.3}, {:.3}]{mark}", self.ratio, self.least, self.greatest)
    }
}

fn ran(command: &mut Command) -> io::Result<()> {
    let status = command.status()?;
    if status.success() { Ok(()) } else { Err(io::Error::other(format!("{command:?} ended with {status}"))) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rounds of one second before, and so much now.
    fn rounds(now: &[f64]) -> Verdict {
        Verdict::of(&now.iter().map(|now| [1.0, *now]).collect::<Vec<_>>())
    }

    #[test]
    fn a_row_is_slower_only_beyond_its_noise() {
        let slower = rounds(&[1.10, 1.04, 0.90, 1.05, 1.30]);
        assert!(
            slower.is_slower() && slower.to_string().ends_with("1.050  [1.040, 1.100]  SLOWER"),
            "{slower}"
        );
        assert!(!rounds(&[1.10, 1.01, 0.90, 1.05, 1.30]).is_slower());
        assert!(!rounds(&[1.01; 5]).is_slower() && !rounds(&[1.01; 5]).is_faster());
        assert!(rounds(&[0.9, 0.95, 1.2, 0.8, 0.9]).is_faster());
    }

    #[test]
    fn processor_time_is_read_behind_any_name() {
        let stat = "12 (a ) b) S 1 1 1 0 -1 4194560 100 200 0 0 7 3 150 25 20 0 1 0 5";
        assert_eq!(ticks(stat), Some(175.0));
        assert_eq!(ticks("12 (a"), None);
    }

    #[test]
    fn rows_ask_for_files_that_are_there() {
        let files = ROWS.iter().flat_map(|(_, words)| *words).filter(|word| word.contains('/'));
        for file in files {
            assert!(crate::root().join(file).is_file(), "{file}");
        }
    }
}
