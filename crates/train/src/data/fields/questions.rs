//! Pictures of two bodies in noise, a bright one and a dark one, with a question about them. SYNTHETIC.
//!
//! ```text
//! "what is the bright body"      its kind
//! "is there a ring"              no or yes
//! ```
//!
//! Neither the picture nor the question tells the answer: the same picture has several, and so has the same question.
//! Questions are put in different words. Only two spatial dims.

use super::Examples;
use super::generated::{Numbered, Plane, labelled, within};
use super::pictures::is_bright;
use crate::config::{PICTURES, WORDS};
use crate::data::arrays::{Arrays, Values};
use crate::data::corpus::Part;
use meshwright_base::Diagnostic;
use meshwright_base::random::Random;

/// Ways to ask of which kind a body is, `X` being `bright` or `dark`.
const KIND: [&str; 3] = ["what is the X body", "of which kind is the X one", "which kind is the X body"];

/// Ways to ask whether a kind of body is there, `X` being the kind.
const THERE: [&str; 3] = ["is there a X", "can you see a X", "is one body a X"];

/// Pictures of one size, with questions of so many words at most.
pub struct Questions {
    numbered: Numbered,
    plane: Plane,
    /// Words of a question, with what is left empty.
    length: usize,
}

struct Body {
    kind: usize,
    middle: [f64; 2],
    half: f64,
}

impl Questions {
    pub fn new(seed: u64, count: u64, plane: Plane, length: usize) -> Questions {
        Questions { numbered: Numbered::new("questions", count, seed, 0x7175_6573_7469), plane, length }
    }

    /// Two bodies side by side, along one of the dims: the bright one and the dark one, in any order.
    fn bodies(&self, random: &mut Random) -> [Body; 2] {
        let (dim, turn) = (random.index(2), random.index(2));
        let size = self.plane.size.map(|size| size as f64);
        let mut body = |at: usize| {
            let kind = random.index(PICTURES.len());
            // Each has half of the picture.
            let room: [f64; 2] =
                std::array::from_fn(|other| size[other] / if other == dim { 2.0 } else { 1.0 });
            let least = room[0].min(room[1]);
            let half = least * within(random, 0.33, 0.46);
            let mut middle = room.map(|room| within(random, half, room - half));
            middle[dim] += room[dim] * ((at + turn) % 2) as f64;
            Body { kind, middle, half }
        };
        [body(0), body(1)]
    }
}

/// A question in words, and the class of its answer.
fn question(random: &mut Random, [bright, dark]: &[Body; 2]) -> (String, usize) {
    let way = random.index(KIND.len());
    match random.below(3) {
        0 => (KIND[way].replace('X', "bright"), bright.kind),
        1 => (KIND[way].replace('X', "dark"), dark.kind),
        _ => {
            // As often there as not.
            let is_there = random.below(2) == 1;
            let there = [bright.kind, dark.kind];
            let fits = |kind: &usize| there.contains(kind) == is_there;
            let kinds: Vec<usize> = (0..PICTURES.len()).filter(fits).collect();
            let kind = kinds[random.index(kinds.len())];
            (THERE[way].replace('X', PICTURES[kind]), PICTURES.len() + usize::from(is_there))
        }
    }
}

/// The numbers of words, in as many places as there are.
fn tokens(text: &str, length: usize) -> Vec<i32> {
    let number = |word: &str| WORDS.iter().position(|known| *known == word).unwrap_or(0) as i32;
    let mut all: Vec<i32> = text.split(' ').map(number).collect();
    all.resize(length, 0);
    all
}

impl Examples for Questions {
    fn parts(&self) -> &[Part] {
        &self.numbered.parts
    }

    fn example(&mut self, part: usize, at: u64) -> Result<Arrays, Diagnostic> {
        let mut random = self.numbered.random(part, at)?;
        let bodies = self.bodies(&mut random);
        let (text, answer) = question(&mut random, &bodies);
        let image = self.plane.drawn(&mut random, |place, _| {
            let covers = |body: &Body| {
                let from = [0, 1].map(|dim| (place[dim] - body.middle[dim]) / body.half.max(1e-9));
                f64::from(u8::from(is_bright(body.kind, from)))
            };
            covers(&bodies[0]) - covers(&bodies[1])
        });
        let mut arrays = labelled(image, vec![i32::try_from(answer).unwrap_or(0)]);
        arrays.list.insert(1, ("tokens".to_string(), Values::Whole(tokens(&text, self.length))));
        Ok(arrays)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::LONGEST_QUESTION;
    use std::collections::{BTreeMap, BTreeSet};

    #[test]
    fn every_question_is_of_known_words_and_has_room() {
        let said = |text: &str, x: &str| tokens(&text.replace('X', x), LONGEST_QUESTION);
        let all = KIND.iter().flat_map(|text| ["bright", "dark"].map(|x| said(text, x)));
        let all = all.chain(THERE.iter().flat_map(|text| PICTURES.map(|x| said(text, x))));
        for tokens in all {
            assert_eq!(tokens.len(), LONGEST_QUESTION);
            let words: Vec<&i32> = tokens.iter().take_while(|token| **token > 0).collect();
            assert!(words.len() > 3 && tokens[words.len()..].iter().all(|token| *token == 0), "{tokens:?}");
        }
    }

    #[test]
    fn neither_the_picture_nor_the_question_tells_the_answer() {
        let mut questions =
            Questions::new(3, 4000, Plane { size: [24, 24], channels: 1, noise: 0.0 }, LONGEST_QUESTION);
        let (mut counts, mut answers) = ([0usize; 8], BTreeMap::<Vec<i32>, BTreeSet<i32>>::new());
        for at in 0..1500 {
            let one = questions.example(0, at).unwrap();
            assert_eq!(one, questions.example(0, at).unwrap());
            let (Some(Values::Real(image)), Some(Values::Whole(tokens)), Some(Values::Whole(labels))) =
                (one.get("image"), one.get("tokens"), one.get("labels"))
            else {
                panic!("a picture, a question and an answer");
            };
            assert_eq!((image.len(), tokens.len(), labels.len()), (24 * 24, LONGEST_QUESTION, 1));
            let (bright, dark) = (image.contains(&1.0), image.contains(&-1.0));
            assert!(bright && dark, "both bodies are seen");
            counts[labels[0] as usize] += 1;
            answers.entry(tokens.clone()).or_default().insert(labels[0]);
        }
        assert!(counts.iter().all(|count| *count > 100), "{counts:?}");
        assert!(answers.values().all(|answers| answers.len() > 1), "{answers:?}");
        assert!(questions.example(0, 4000).is_err() && questions.example(1, 0).is_err());
    }
}
