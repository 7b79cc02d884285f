//! What a model hears in sequences it has not learnt from, beside the labels that are right.

use super::examples::{Found, SAMPLES};
use super::samples::Sample;
use crate::data::arrays::{Arrays, Values};

/// The first sequences of a batch.
pub(super) fn transcripts(batch: &Arrays, rows: usize, found: &Found) -> Vec<Sample> {
    let (labels, lengths) = (found.get("labels"), found.get("lengths"));
    let most = labels.len() / rows.max(1);
    let heard = |row: usize| -> Option<Vec<i32>> {
        let count = *lengths.get(row)? as usize;
        Some(labels.get(row * most..)?.iter().take(count).map(|label| *label as i32).collect())
    };
    (0..rows.min(SAMPLES)).filter_map(|row| Some(sample(batch, row, rows, &heard(row)?))).collect()
}

fn sample(batch: &Arrays, row: usize, rows: usize, heard: &[i32]) -> Sample {
    let whole = |name: &str| match batch.get(name) {
        Some(Values::Whole(all)) => all.get(row * (all.len() / rows.max(1))..).unwrap_or_default(),
        _ => &[],
    };
    let first = |name: &str| whole(name).first().copied().unwrap_or(0);
    let count = usize::try_from(first("label_lengths")).unwrap_or(0);
    let asked: Vec<i32> = whole("labels").iter().take(count).copied().collect();
    Sample {
        prompt: format!("{} frames", first("frame_lengths")),
        expected: spelt(&asked),
        written: spelt(heard),
        marked: spelt(&asked),
        tokens: asked.len(),
        right: asked.len().saturating_sub(edits(heard, &asked)),
    }
}

fn spelt(labels: &[i32]) -> String {
    labels.iter().map(i32::to_string).collect::<Vec<_>>().join(" ")
}

/// Labels to put in, to leave out or to replace.
fn edits(found: &[i32], wanted: &[i32]) -> usize {
    let mut row: Vec<usize> = (0..=wanted.len()).collect();
    for (at, label) in found.iter().enumerate() {
        let mut before = std::mem::replace(&mut row[0], at + 1);
        for (place, other) in wanted.iter().enumerate() {
            let replaced = before + usize::from(label != other);
            before = row[place + 1];
            row[place + 1] = replaced.min(before + 1).min(row[place] + 1);
        }
    }
    row[wanted.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_heard_stands_beside_what_is_right() {
        let whole = |name: &str, all: &[i32]| (name.to_string(), Values::Whole(all.to_vec()));
        let batch = Arrays {
            list: vec![
                whole("frame_lengths", &[40, 23]),
                whole("labels", &[7, 7, 2, 3, 0, 0]),
                whole("label_lengths", &[3, 1]),
            ],
        };
        let first = sample(&batch, 0, 2, &[7, 2]);
        assert_eq!(
            (first.prompt.as_str(), first.expected.as_str(), first.written.as_str()),
            ("40 frames", "7 7 2", "7 2")
        );
        assert_eq!((first.tokens, first.right, first.is_right()), (3, 2, false));
        let second = sample(&batch, 1, 2, &[3]);
        assert_eq!((second.prompt.as_str(), second.right, second.is_right()), ("23 frames", 1, true));
    }

    #[test]
    fn edits_are_counted() {
        assert_eq!(edits(&[], &[1, 2]), 2);
        assert_eq!(edits(&[1, 2, 3], &[1, 3]), 1);
        assert_eq!(edits(&[4, 2, 3], &[1, 3]), 2);
        assert_eq!(edits(&[1, 3], &[1, 3]), 0);
    }
}
