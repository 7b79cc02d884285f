//! Where batches come from, of whatever kind: each is a function of the configuration and a position.

use super::arrays::Arrays;
use super::batch::Batch;
use super::content::Contents;
use super::fields::{FieldSource, HeldOut};
use super::mixture::{Position, Side};
use super::source::{Source, Vocabularies};
use meshwright_base::Diagnostic;
use std::ops::Range;

/// Where batches come from.
pub enum Feed {
    Text(Box<Source>),
    /// Images, volumes and the like, with their labels.
    Fields(FieldSource),
}

impl Feed {
    /// What the files of the run hold.
    pub fn contents(&self) -> &Contents {
        match self {
            Feed::Text(source) => source.contents(),
            Feed::Fields(source) => source.contents(),
        }
    }

    /// Ids that a model must know; none where nothing is text.
    pub fn vocabularies(&self) -> Vocabularies {
        match self {
            Feed::Text(source) => source.vocabularies(),
            Feed::Fields(_) => Vocabularies::default(),
        }
    }

    /// What the files call the classes of images, if they do.
    pub fn class_names(&self) -> &[String] {
        match self {
            Feed::Text(_) => &[],
            Feed::Fields(source) => source.class_names(),
        }
    }

    /// Parts that each place of a batch is of, by array `parts`; none where places are not told apart.
    pub fn parts(&self) -> Vec<String> {
        match self {
            Feed::Text(source) => source.parts(),
            Feed::Fields(_) => Vec::new(),
        }
    }

    /// The text alone, if it is that.
    pub fn into_text(self) -> Option<Source> {
        match self {
            Feed::Text(source) => Some(*source),
            Feed::Fields(_) => None,
        }
    }

    /// The text, if it is that.
    pub fn text(&self) -> Option<&Source> {
        match self {
            Feed::Text(source) => Some(source),
            Feed::Fields(_) => None,
        }
    }

    /// The same, to draw from.
    pub fn text_mut(&mut self) -> Option<&mut Source> {
        match self {
            Feed::Text(source) => Some(source),
            Feed::Fields(_) => None,
        }
    }

    /// So many batches of what is held out, or fewer where there is an end to it: see [`FieldSource::held_out`].
    pub fn held_out(&mut self, count: u64, rows: &Range<usize>) -> Result<HeldOut, Diagnostic> {
        match self {
            Feed::Text(source) => {
                let has_end = source.has_end();
                let mut batches = source.batches(Side::HeldOut, None);
                if has_end {
                    let all = batches.once(count)?;
                    let examples = all.iter().map(Batch::samples).sum();
                    let batches = all.iter().map(Batch::arrays).collect();
                    return Ok(HeldOut { batches, examples: Some(examples) });
                }
                let all = (0..count).map(|_| Ok(batches.next_batch()?.arrays()));
                Ok(HeldOut { batches: all.collect::<Result<_, Diagnostic>>()?, examples: None })
            }
            Feed::Fields(source) => source.held_out(count, rows),
        }
    }

    /// The batch at a position, or the first one, and the position behind it. A process needs the rows that its devices
    /// hold: others may be zeros.
    pub fn batch(
        &mut self,
        side: Side,
        position: Option<Position>,
        rows: &Range<usize>,
    ) -> Result<(Arrays, Position), Diagnostic> {
        match self {
            Feed::Text(source) => {
                let mut batches = source.batches(side, position);
                Ok((batches.next_batch()?.arrays(), batches.position))
            }
            Feed::Fields(source) => source.batch(side, position, rows),
        }
    }
}
