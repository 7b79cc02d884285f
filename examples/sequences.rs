//! Sequences read by an LSTM and a GRU: which classes are spelt where, learnt from the spelling alone (CTC).
//!
//!     cargo run --release --example sequences

#![allow(clippy::print_stdout)]

use meshwright::nn::init::Init;
use meshwright::nn::layers::dense::Dense;
use meshwright::nn::layers::recurrent::{Gru, Lstm};
use meshwright::nn::losses::{Transcripts, ctc};
use meshwright::nn::optim::Optimizer;
use meshwright::nn::optim::schedule::Schedule;
use meshwright::prelude::*;

/// Times of a sequence, labels that it spells, and classes with the blank, which is class 0.
const TIME: i64 = 12;
const LABELS: i64 = 3;
const CLASSES: i64 = 4;
const BATCH: i64 = 16;

#[derive(Clone, Copy, Tree)]
struct Reader {
    first: Lstm,
    second: Gru,
    out: Dense,
}

impl Reader {
    fn new(key: Key) -> Reader {
        let [first, second, out] = key.split();
        let init = Init::xavier(24, CLASSES);
        Reader {
            first: Lstm::new(first, CLASSES, 24),
            second: Gru::new(second, 24, 24),
            out: Dense::with(out, init, 24, CLASSES),
        }
    }

    fn apply(&self, x: Tensor) -> Tensor {
        let (x, _) = self.first.apply(x, None);
        let (x, _) = self.second.apply(x, None);
        self.out.apply(x)
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
    let mesh = Mesh::new([("data", 4)])?;
    let rate = Schedule::Linear { rate: 0.01, warmup: 5.0, end: 200.0 }.until(100.0, 1e-3);
    let optimizer = Optimizer::rms_prop(rate).clip(1.0);
    let net = || Reader::new(Key::seed(1));
    let first = trace("first", |_| optimizer.first("net", net()))?;
    let step = trace("step", |t| {
        let x = t.input("x", f32, [BATCH, TIME, CLASSES]).mesh_split(&mesh, [0, -1, -1]);
        let labels = t.input("labels", i32, [BATCH, LABELS]).mesh_split(&mesh, [0, -1]);
        let all = |count: i64| full(i32, [BATCH], count);
        let to = Transcripts { labels, label_lengths: all(LABELS), times: all(TIME) };
        optimizer.train(t, "net", net(), |net| ctc(net.apply(x), to, 0).mean(..))
    })?;
    let mut loaded = step.partition()?.load(4)?;
    loaded.set_all(&first.partition()?.load(1)?.run(&[])?)?;
    // Each label fills a third of the time.
    let label = |row: i64, at: i64| 1 + (row * 5 + at * 7 + row * at) % (CLASSES - 1);
    let each = TIME / LABELS;
    let is_on = |i: i64| {
        let (row, time, class) = (i / (TIME * CLASSES), i / CLASSES % TIME, i % CLASSES);
        if label(row, time / each) == class { 1.0 } else { 0.0f32 }
    };
    let numbers: Vec<f32> = (0..BATCH * TIME * CLASSES).map(is_on).collect();
    let labels: Vec<i32> = (0..BATCH * LABELS).map(|i| label(i / LABELS, i % LABELS) as i32).collect();
    let (x, labels) = (Array::new([BATCH, TIME, CLASSES], &numbers)?, Array::new([BATCH, LABELS], &labels)?);
    (0..steps).map(|_| loaded.run(&[("x", &x), ("labels", &labels)])?.number("loss")).collect()
}
