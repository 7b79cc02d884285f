//! `explain --html`: the page, with those lines of the user's program that its ops come from, where they can be read.

use crate::failure::Failure;
use crate::html::{Sources, explain_page};
use crate::input;
use crate::report::Report;
use meshwright_base::SourceText;
use meshwright_base::units::count;
use meshwright_explain::Explanation;
use meshwright_explain::model::Site;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Files larger than this are not read for their lines.
const LARGEST: u64 = 1 << 22;

/// Files of more lines give those around what is pointed at, so many on each side; where that is more lines too, those
/// around what is sent and what is alive at the peak.
const WHOLE: usize = 3000;
const AROUND: u32 = 3;

/// A line is cut behind so many characters.
const WIDEST: usize = 240;

pub fn page(explanation: &Explanation, text: &SourceText, out: &Path) -> Result<Report, Failure> {
    let page = page_of(explanation, text);
    input::write_file(out, page.as_bytes())?;
    let (ops, collectives) = (explanation.graph.nodes.len(), explanation.collectives.len());
    let told = format!(
        "{} and {} of collectives: open {} in a browser\n",
        count(ops, "op"),
        count(collectives, "kind"),
        out.display()
    );
    Ok(Report::new(told).with("ops", ops).with("collectives", collectives).with("bytes", page.len()))
}

/// The page as text.
pub fn page_of(explanation: &Explanation, text: &SourceText) -> String {
    explain_page(explanation, &sources(explanation, text))
}

fn sources(explanation: &Explanation, text: &SourceText) -> Sources {
    let nodes = explanation.graph.nodes.iter().filter_map(|node| node.label.site.as_ref());
    let (all, told) = (lines_of(nodes.chain(told(explanation))), lines_of(told(explanation)));
    let none = BTreeSet::new();
    let lines = |file: &str, text: &str| shown(text, &all[file], told.get(file).unwrap_or(&none));
    let mut sources = Sources::new();
    for file in all.keys() {
        if *file == text.name {
            sources.insert((*file).into(), lines(file, &text.text));
        } else if let Some(read) = read(Path::new(file)) {
            sources.insert((*file).into(), lines(file, &read));
        }
    }
    sources
}

fn lines_of<'a>(sites: impl Iterator<Item = &'a Site>) -> BTreeMap<&'a str, BTreeSet<u32>> {
    let mut lines: BTreeMap<&str, BTreeSet<u32>> = BTreeMap::new();
    for site in sites {
        lines.entry(&site.file).or_default().insert(site.line);
    }
    lines
}

/// Places of what the page tells of by itself.
fn told(explanation: &Explanation) -> impl Iterator<Item = &Site> {
    let sent =
        explanation.collectives.iter().flat_map(|one| [&one.value].into_iter().chain(&one.reason.consumers));
    let alive = explanation.memory.alive.iter().map(|one| &one.label);
    let origins = explanation.collectives.iter().flat_map(|one| &one.reason.origins);
    let of_labels = sent.chain(alive).filter_map(|label| label.site.as_ref());
    of_labels.chain(origins.filter_map(|origin| origin.site.as_ref()))
}

/// A file of the user's program, if it is here to be read.
pub fn read(path: &Path) -> Option<String> {
    let is_small = std::fs::metadata(path).is_ok_and(|of| of.is_file() && of.len() < LARGEST);
    is_small.then(|| std::fs::read_to_string(path).ok()).flatten()
}

/// All lines of a short text, of a long one those around what all ops or, where these are many, what is told of.
fn shown(text: &str, all: &BTreeSet<u32>, told: &BTreeSet<u32>) -> Vec<(u32, String)> {
    let is_near = |asked: &BTreeSet<u32>, line: u32| {
        asked.range(line.saturating_sub(AROUND)..=line.saturating_add(AROUND)).next().is_some()
    };
    let near = |asked| (1..).zip(text.lines()).filter(move |(line, _)| is_near(asked, *line));
    let numbered: Vec<(u32, &str)> = if text.lines().count() <= WHOLE {
        (1..).zip(text.lines()).collect()
    } else if near(all).count() <= WHOLE {
        near(all).collect()
    } else {
        near(told).collect()
    };
    numbered.into_iter().map(|(line, text)| (line, cut(text))).collect()
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
        let numbers = |all: BTreeSet<u32>, told: BTreeSet<u32>| -> Vec<u32> {
            shown(&text, &all, &told).iter().map(|(line, _)| *line).collect()
        };
        let around = [1, 2, 3, 4, 47, 48, 49, 50, 51, 52, 53];
        assert_eq!(numbers(BTreeSet::from([1, 50]), BTreeSet::from([1])), around);
        assert_eq!(numbers((1..=WHOLE as u32).collect(), BTreeSet::from([1, 50])), around);
        assert_eq!(shown("a\nb\n", &BTreeSet::from([2]), &BTreeSet::new()).len(), 2);
        assert_eq!(cut(&"ä".repeat(WIDEST + 1)).chars().count(), WIDEST + 3);
    }
}
