//! Bags of words judged two ways at once: is it liked (a coin), and how much (a number with outliers). The table of
//! rows is split over the devices; a running average of the weights is kept beside them.
//!
//!     cargo run --release --example bags

#![allow(clippy::print_stdout)]

use meshwright::nn::layers::bag::{EmbeddingBag, Pool};
use meshwright::nn::layers::dense::Dense;
use meshwright::nn::losses::{binary_cross_entropy, huber};
use meshwright::nn::optim::Optimizer;
use meshwright::nn::optim::lion::Lion;
use meshwright::nn::optim::rule::Rule;
use meshwright::prelude::*;

const BAGS: i64 = 32;
const MOST: i64 = 6;
const WORDS: i64 = 64;
const MODEL: i64 = 8;

#[derive(Clone, Copy, Tree)]
struct Judge {
    words: EmbeddingBag,
    liked: Dense,
    score: Dense,
}

impl Judge {
    fn new(key: Key) -> Judge {
        let [words, liked, score] = key.split();
        Judge {
            words: EmbeddingBag::new(words, WORDS, MODEL),
            liked: Dense::new(liked, MODEL, 1),
            score: Dense::new(score, MODEL, 1),
        }
    }
}

pub fn main() -> Result<(), Error> {
    for (number, loss) in train(60)?.into_iter().enumerate().step_by(10) {
        println!("step {number}: loss {loss:.4}");
    }
    Ok(())
}

/// The losses on the way.
pub fn train(steps: usize) -> Result<Vec<f64>, Error> {
    let mesh = Mesh::new([("rows", 4)])?;
    // Signs of averaged gradients, decay for the matrices alone, and the average of the last hundred weights or so.
    let decay = Rule::Decay(0.01);
    let optimizer =
        Optimizer::new(Lion::default(), 0.01).then(decay).only(|leaf| leaf.dims.len() > 1).ema(0.99);
    let net = || Judge::new(Key::seed(1));
    let first = trace("first", |_| optimizer.first("net", net()))?;
    let step = trace("step", |t| {
        let words = t.input("words", i32, [BAGS, MOST]);
        let (likes, scores) = (t.input("likes", f32, [BAGS, 1]), t.input("scores", f32, [BAGS, 1]));
        optimizer.train(t, "net", net(), |net| {
            let words_of = EmbeddingBag { table: net.words.table.mesh_split(&mesh, [0, -1]) };
            // Word 0 fills bags up.
            let bags = words_of.apply(words, Some(words.gt(0)), Pool::Mean);
            let liked = binary_cross_entropy(net.liked.apply(bags), likes).mean(..);
            liked + huber(net.score.apply(bags), scores, 1.0).mean(..)
        })
    })?;
    let mut loaded = step.partition()?.load(4)?;
    loaded.set_all(&first.partition()?.load(1)?.run(&[])?)?;
    let word = |bag: i64, at: i64| if at > bag % MOST { 0 } else { 1 + (bag * 11 + at * 17) % (WORDS - 1) };
    let taste = |word: i64| if word == 0 { 0.0 } else { (word % 7 - 3) as f32 };
    let score = |bag: i64| (0..MOST).map(|at| taste(word(bag, at))).sum::<f32>();
    let words: Vec<i32> = (0..BAGS * MOST).map(|i| word(i / MOST, i % MOST) as i32).collect();
    let scores: Vec<f32> = (0..BAGS).map(|bag| score(bag) / MOST as f32).collect();
    let likes: Vec<f32> = scores.iter().map(|score| if *score > 0.0 { 1.0 } else { 0.0 }).collect();
    let words = Array::new([BAGS, MOST], &words)?;
    let (likes, scores) = (Array::new([BAGS, 1], &likes)?, Array::new([BAGS, 1], &scores)?);
    let fed = [("words", &words), ("likes", &likes), ("scores", &scores)];
    (0..steps).map(|_| loaded.run(&fed)?.number("loss")).collect()
}
