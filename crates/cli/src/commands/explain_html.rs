//! `explain --html`: the page, with those lines of the user's program that its ops come from, where they can be read.

use crate::failure::Failure;
use crate::html::{Sources, explain_page};
use crate::input;
use crate::report::Report;
use meshwright_base::SourceText;
use meshwright_explain::Explanation;
use meshwright_explain::model::Site;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Files larger than this are not read for their lines.
const LARGEST: u64 = 1 << 22;

/// Files of more lines give those around what is pointed at, so many on each side.
const WHOLE: usize = 3000;
const AROUND: u32 = 3;

/// A line is cut behind so many characters.
const WIDEST: usize = 240;

pub fn page(explanation: &Explanation, text: &SourceText, out: &Path) -> Result<Report, Failure> {
    let page = explain_page(explanation, &sources(explanation, text));
    input::write_file(out, page.as_bytes())?;
    let (ops, collectives) = (explanation.graph.nodes.len(), explanation.collectives.len());
    let told =
        format!("{ops} ops and {collectives} kinds of collectives: open {} in a browser\n", out.display());
    Ok(Report::new(told).with("ops", ops).with("collectives", collectives).with("bytes", page.len()))
}

fn sources(explanation: &Explanation, text: &SourceText) -> Sources {
    let mut lines: BTreeMap<&str, BTreeSet<u32>> = BTreeMap::new();
    for site in sites(explanation) {
        lines.entry(&site.file).or_default().insert(site.line);
    }
    let mut sources = Sources::new();
    for (file, lines) in lines {
        if file == text.name {
            sources.insert(file.into(), shown(&text.text, &lines));
        } else if let Some(read) = read(Path::new(file)) {
            sources.insert(file.into(), shown(&read, &lines));
        }
    }
    sources
}

/// Places of all that a page points from.
fn sites(explanation: &Explanation) -> impl Iterator<Item = &Site> {
    let nodes = explanation.graph.nodes.iter().map(|node| &node.label);
    let sent =
        explanation.collectives.iter().flat_map(|one| [&one.value].into_iter().chain(&one.reason.consumers));
    let alive = explanation.memory.alive.iter().map(|one| &one.label);
    let origins = explanation.collectives.iter().flat_map(|one| &one.reason.origins);
    let of_labels = nodes.chain(sent).chain(alive).filter_map(|label| label.site.as_ref());
    of_labels.chain(origins.filter_map(|origin| origin.site.as_ref()))
}

/// A file of the user's program, if it is here to be read.
pub fn read(path: &Path) -> Option<String> {
    let is_small = std::fs::metadata(path).is_ok_and(|of| of.is_file() && of.len() < LARGEST);
    is_small.then(|| std::fs::read_to_string(path).ok()).flatten()
}

/// All lines of a short text, of a long one those around the ones that are asked for.
fn shown(text: &str, asked: &BTreeSet<u32>) -> Vec<(u32, String)> {
    let is_short = text.lines().count() <= WHOLE;
    let is_near =
        |line: u32| asked.range(line.saturating_sub(AROUND)..=line.saturating_add(AROUND)).next().is_some();
    let numbered = (1..).zip(text.lines()).filter(|(line, _)| is_short || is_near(*line));
    numbered.map(|(line, text)| (line, cut(text))).collect()
}

fn cut(line: &str) -> String {
    match line.char_indices().nth(WIDEST) {
        Some((at, _)) => format!("{} ..", &line[..at]),
        None => line.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_text_gives_lines_around_what_is_pointed_at() {
        let text = "x\n".repeat(WHOLE + 1);
        let lines = shown(&text, &BTreeSet::from([1, 50]));
        let numbers: Vec<u32> = lines.iter().map(|(line, _)| *line).collect();
        assert_eq!(numbers, [1, 2, 3, 4, 47, 48, 49, 50, 51, 52, 53]);
        assert_eq!(shown("a\nb\n", &BTreeSet::from([2])).len(), 2);
        assert_eq!(cut(&"ä".repeat(WIDEST + 1)).chars().count(), WIDEST + 3);
    }
}
