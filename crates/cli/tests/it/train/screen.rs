//! The guide's page on the first command shows the lines that a run prints, in the same order; numbers and texts may
//! differ. A line of `...` on the page stands for lines left out.

use crate::train::support::{meshwright, place};

const PAGE: &str = include_str!("../../../../../docs/guide/first-command.md");

/// A line without what differs from run to run: numbers, paths, names, and what a model wrote.
fn shape(line: &str) -> String {
    if line.starts_with("  ") && line.contains(" -> ") {
        return "a sample".to_string();
    }
    if line.starts_with("  ")
        && line.contains("  NLL ")
        && line.contains("% of ")
        && line.ends_with(" tokens")
    {
        return "a part of the corpus".to_string();
    }
    let said = line.split('\'').next().unwrap_or_default();
    let is_word = |word: &&str| word.chars().all(|c| c.is_ascii_lowercase() || ":-;,".contains(c));
    said.split_whitespace().filter(is_word).collect::<Vec<_>>().join(" ")
}

/// The shapes in the order in which they first appear.
fn shapes<'a>(lines: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    for line in lines.map(shape) {
        if !all.contains(&line) {
            all.push(line);
        }
    }
    all
}

#[test]
fn the_guides_screen_has_the_lines_of_a_run() {
    let place = place("screen");
    let run = meshwright(&place, &["train", "small.toml", "--steps", "2"]);
    let said = [run.stderr, run.stdout].map(|text| String::from_utf8(text).unwrap());
    let page = PAGE.split("```text\n").nth(1).and_then(|rest| rest.split("```").next()).unwrap();
    // What is said only by a preset, of a loss that leaps, and when a checkpoint has been written beside the steps.
    let seldom = ["expect: ", "checkpoint runs/"];
    let is_common =
        |line: &&str| !seldom.iter().any(|begin| line.starts_with(begin)) && !line.contains(": the loss is ");
    let said = said.iter().flat_map(|text| text.lines());
    let shown = page.lines().filter(|line| line.trim() != "...");
    assert_eq!(shapes(said.filter(is_common)), shapes(shown.filter(is_common)));
}
