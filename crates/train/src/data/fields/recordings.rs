//! Sequences of frames with their labels from `.npz` archives.
//!
//! ```text
//! frames [n, frames, features], frame_lengths [n], labels [n, most], label_lengths [n]
//! ```
//!
//! Everything is read and held against the configuration before the first step: a label that does not exist, a sequence
//! that is longer than its array, and labels that do not fit into their frames are told with their numbers.

use super::files::{LARGEST, other_type, read};
use super::numbers::{reals, wholes};
use super::spectrograms::Sizes;
use super::{EXAMPLE, Examples, no_such_example};
use crate::data::arrays::{Arrays, Values};
use crate::data::content::Content;
use crate::data::corpus::Part;
use crate::npz::{Archive, Array};
use meshwright_base::Diagnostic;
use std::io::Cursor;
use std::path::Path;

/// The sequences of some archives, a part each.
pub struct Recordings {
    parts: Vec<Part>,
    sets: Vec<Set>,
    contents: Vec<Content>,
    sizes: Sizes,
}

/// The sequences of one archive.
#[derive(Debug)]
struct Set {
    frames: Vec<f32>,
    frame_lengths: Vec<i32>,
    labels: Vec<i32>,
    label_lengths: Vec<i32>,
}

const NAMES: [&str; 4] = ["frames", "frame_lengths", "labels", "label_lengths"];

impl Recordings {
    pub fn open(paths: &[String], sizes: Sizes) -> Result<Recordings, Diagnostic> {
        let mut all = Recordings { parts: Vec::new(), sets: Vec::new(), contents: Vec::new(), sizes };
        for path in paths {
            let bytes = read(Path::new(path))?;
            let set = Set::of(path, &bytes, &sizes)?;
            all.contents.push(Content::of(path, &bytes));
            all.parts.push(Part { name: path.clone(), documents: set.frame_lengths.len() as u64 });
            all.sets.push(set);
        }
        all.has_labels()?;
        Ok(all)
    }
}

impl Recordings {
    /// Whether anything is said at all: a model that says nothing would be right everywhere.
    fn has_labels(&self) -> Result<(), Diagnostic> {
        let mut counts = self.sets.iter().flat_map(|set| &set.label_lengths).peekable();
        if counts.peek().is_none() || counts.any(|count| *count > 0) {
            return Ok(());
        }
        let names: Vec<String> = self.parts.iter().map(|part| format!("`{}`", part.name)).collect();
        let all: u64 = self.parts.iter().map(|part| part.documents).sum();
        let message = format!(
            "none of the {all} sequences of {} has a label: all `label_lengths` are 0",
            names.join(", ")
        );
        let help = "write how many of its labels count for each sequence: without any there is nothing to learn and nothing to \
                    judge by";
        Err(Diagnostic::error(EXAMPLE, message).help(help))
    }
}

impl Set {
    fn of(path: &str, bytes: &[u8], sizes: &Sizes) -> Result<Set, Diagnostic> {
        let broken = |why: String| {
            let help = "write it as `np.savez(path, frames=.., frame_lengths=.., labels=.., label_lengths=..)`; a part of \
                        a file is not enough";
            Diagnostic::error(EXAMPLE, format!("`{path}`: {why}")).help(help)
        };
        let mut archive = Archive::new(Cursor::new(bytes)).map_err(broken)?;
        let mut arrays = Vec::new();
        for (index, name) in NAMES.into_iter().enumerate() {
            let held = archive.names().collect::<Vec<_>>().join("`, `");
            let entry = archive.find(index, &[name]);
            let entry = entry.ok_or_else(|| broken(format!("it has no array `{name}`, but `{held}`")))?;
            archive.ty(entry).map_err(|why| other_type(path, name, &why))?;
            let array = archive.read(entry, LARGEST);
            arrays.push(array.map_err(|why| broken(format!("array `{name}`: {why}")))?);
        }
        check_dims(path, &arrays, sizes)?;
        let whole = |at: usize| wholes(path, NAMES[at], &arrays[at]);
        let [frame_lengths, labels, label_lengths] = [whole(1)?, whole(2)?, whole(3)?];
        let set = Set { frames: reals(path, NAMES[0], &arrays[0])?, frame_lengths, labels, label_lengths };
        (0..set.frame_lengths.len()).try_for_each(|at| set.check(path, at, sizes))?;
        Ok(set)
    }

    /// Whether a sequence is one that the model can say.
    fn check(&self, path: &str, at: usize, sizes: &Sizes) -> Result<(), Diagnostic> {
        let refused = |message: String, help: String| {
            Err(Diagnostic::error(EXAMPLE, format!("`{path}`: sequence {at} {message}")).help(help))
        };
        let (length, count) = (self.frame_lengths[at], self.label_lengths[at]);
        let within = |number: i32, most: usize| usize::try_from(number).ok().filter(|number| *number <= most);
        let Some(length) = within(length, sizes.frames).filter(|length| *length > 0) else {
            let message = format!("has {length} frames, and the array room for {}", sizes.frames);
            return refused(message, format!("a length is 1 to {}", sizes.frames));
        };
        let Some(count) = within(count, sizes.most) else {
            let message = format!("has {count} labels, and the array room for {}", sizes.most);
            return refused(message, format!("a number of labels is 0 to {}", sizes.most));
        };
        let labels = &self.labels[at * sizes.most..][..count];
        if let Some(label) =
            labels.iter().find(|label| within(**label, sizes.labels).is_none_or(|label| label == 0))
        {
            let message = format!("has label {label}, and labels are 1 to {}", sizes.labels);
            let help = if *label > 0 {
                "set `data.speech.labels` to as many as there are"
            } else {
                "number labels from 1 on: 0 is the blank, which no transcript has, and `label_lengths` says where one ends"
            };
            return refused(message, help.to_string());
        }
        // Two of a kind have a blank between them.
        let repeats = labels.windows(2).filter(|pair| pair[0] == pair[1]).count();
        let times = length.div_ceil(2).div_ceil(2);
        if count + repeats > times {
            let again =
                if repeats > 0 { format!(", {repeats} of them said again at once") } else { String::new() };
            let message = format!(
                "has {count} labels{again} in {length} frames: that takes {} times, and the model has {times}, one of four \
                 frames",
                count + repeats
            );
            return refused(message, "leave it out, or give frames that are shorter in time".to_string());
        }
        Ok(())
    }
}

/// Whether arrays have the sizes of the configuration, and as many sequences.
fn check_dims(path: &str, arrays: &[Array], sizes: &Sizes) -> Result<(), Diagnostic> {
    let n = arrays[0].ty.dims.first().copied().unwrap_or(0);
    let [frames, features, most] = [sizes.frames, sizes.features, sizes.most].map(|size| size as i64);
    let wanted = [vec![n, frames, features], vec![n], vec![n, most], vec![n]];
    for ((array, wanted), name) in arrays.iter().zip(wanted).zip(NAMES) {
        if array.ty.dims != wanted {
            let message =
                format!("`{path}`: array `{name}` is {:?}, and should be {wanted:?}", array.ty.dims);
            let help =
                "set `data.speech.frames`, `.features` and `.most_labels` to the sizes of the file's arrays";
            return Err(Diagnostic::error(EXAMPLE, message).help(help));
        }
    }
    Ok(())
}

impl Examples for Recordings {
    fn parts(&self) -> &[Part] {
        &self.parts
    }

    fn example(&mut self, part: usize, at: u64) -> Result<Arrays, Diagnostic> {
        let Sizes { frames, features, most, .. } = self.sizes;
        let index = usize::try_from(at).unwrap_or(usize::MAX);
        let set = self.sets.get(part).filter(|set| index < set.frame_lengths.len());
        let set = set.ok_or_else(|| no_such_example(part, at))?;
        let whole = |name: &str, all: &[i32]| (name.to_string(), Values::Whole(all.to_vec()));
        let list = vec![
            (
                "frames".to_string(),
                Values::Real(set.frames[index * frames * features..][..frames * features].to_vec()),
            ),
            whole("frame_lengths", &set.frame_lengths[index..=index]),
            whole("labels", &set.labels[index * most..][..most]),
            whole("label_lengths", &set.label_lengths[index..=index]),
        ];
        Ok(Arrays { list })
    }

    fn contents(&self) -> &[Content] {
        &self.contents
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIZES: Sizes = Sizes { frames: 16, features: 2, labels: 5, most: 3 };

    fn set() -> Set {
        Set {
            frames: vec![0.0; 2 * 16 * 2],
            frame_lengths: vec![16, 9],
            labels: vec![1, 2, 5, 3, 0, 0],
            label_lengths: vec![3, 1],
        }
    }

    fn said(set: &Set) -> String {
        (0..2)
            .find_map(|at| set.check("a.npz", at, &SIZES).err())
            .map_or(String::new(), |found| found.message)
    }

    #[test]
    fn sequences_that_cannot_be_said_are_told_with_their_numbers() {
        assert_eq!(said(&set()), "");
        let frames = |length| Set { frame_lengths: vec![16, length], ..set() };
        assert_eq!(said(&frames(17)), "`a.npz`: sequence 1 has 17 frames, and the array room for 16");
        assert_eq!(said(&frames(0)), "`a.npz`: sequence 1 has 0 frames, and the array room for 16");
        let counts = |count| Set { label_lengths: vec![count, 1], ..set() };
        assert_eq!(said(&counts(4)), "`a.npz`: sequence 0 has 4 labels, and the array room for 3");
        assert_eq!(said(&counts(-1)), "`a.npz`: sequence 0 has -1 labels, and the array room for 3");
        let labels = |labels: [i32; 3]| Set { labels: [&labels[..], &[3, 0, 0]].concat(), ..set() };
        assert_eq!(said(&labels([1, 6, 2])), "`a.npz`: sequence 0 has label 6, and labels are 1 to 5");
        assert_eq!(said(&labels([1, 0, 2])), "`a.npz`: sequence 0 has label 0, and labels are 1 to 5");
        assert_eq!(
            said(&labels([4, 4, 4])),
            "`a.npz`: sequence 0 has 3 labels, 2 of them said again at once in 16 frames: that takes 5 times, and the model \
             has 4, one of four frames"
        );
    }
}
