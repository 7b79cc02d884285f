//! Long checks, which CI has no time for, one after another: `cargo xtask soak [SEED]`.
//!
//! A step that fails does not keep the others from running. Every step has the command that runs it alone.

use crate::steps::{Step, run_all_timed};
use crate::{check, fuzz, hammer, mutants, sanitize, shuttle};
use std::path::Path;

/// A step: its name, minutes on two cores, and its function with its arguments.
type Row = (&'static str, u32, fn(&Path, &[String]) -> bool, &'static [&'static str]);

/// `SEED` stands for the seed. CONTRIBUTING lists these rows, which a test compares.
const ROWS: &[Row] = &[
    ("campaign", 10, check::campaign, &["--seed", "SEED", "--cases", "20000"]),
    ("mutants", 10, mutants::mutants, &["SEED", "20000"]),
    ("hammer", 15, hammer::hammer, &["900", "300"]),
    ("shuttle", 5, shuttle::shuttle, &[]),
    ("sanitize", 30, sanitize::sanitize, &[]),
    ("fuzz", 340, fuzz::fuzz, &["all", "1200"]),
];

pub fn soak(root: &Path, args: &[String]) -> bool {
    let seed = args.first().map_or("1", String::as_str);
    if seed.parse::<u32>().is_err() {
        eprintln!("# usage: cargo xtask soak [SEED], a whole number");
        return false;
    }
    eprintln!("# about {} minutes on two cores", ROWS.iter().map(|(_, minutes, ..)| minutes).sum::<u32>());
    let runs: Vec<Box<dyn Fn() -> bool + '_>> = ROWS.iter().map(|row| run_row(root, row, seed)).collect();
    let steps: Vec<Step<'_>> = ROWS.iter().zip(&runs).map(|((name, ..), run)| (*name, &**run)).collect();
    run_all_timed("soak", &steps)
}

fn run_row<'a>(root: &'a Path, (_, _, chore, args): &'a Row, seed: &str) -> Box<dyn Fn() -> bool + 'a> {
    let args: Vec<String> = args.iter().map(|arg| arg.replace("SEED", seed)).collect();
    Box::new(move || chore(root, &args))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_step_is_on_the_page_with_its_command_and_minutes() {
        let page = include_str!("../../CONTRIBUTING.md");
        for (name, minutes, _, args) in ROWS {
            let words: Vec<&str> = ["cargo", "xtask", name].iter().chain(*args).copied().collect();
            let row = format!("| `{}` | {minutes} min |", words.join(" "));
            assert!(page.contains(&row), "CONTRIBUTING.md lacks {row}");
        }
    }
}
