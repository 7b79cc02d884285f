//! Images told apart by convolutions whose rows are split: neighbours exchange rows at the seams, batch norm sums over
//! all devices. Afterwards the running averages judge images one at a time.
//!
//!     cargo run --release --example images

#![allow(clippy::print_stdout)]

use meshwright::nn::init::Scheme;
use meshwright::nn::layers::bag::Pool;
use meshwright::nn::layers::batch_norm::{BatchNorm, Statistics};
use meshwright::nn::layers::conv::Conv;
use meshwright::nn::layers::pool::{Pooling, global};
use meshwright::nn::optim::Optimizer;
use meshwright::nn::params::{Params, Specs};
use meshwright::prelude::*;

const BATCH: i64 = 12;
const SIZE: i64 = 14;
const KINDS: i64 = 3;

/// Two convolutions with batch norms, the second on a quarter of the places, and a convolution of one place to classes.
struct Net {
    convs: [Conv; 2],
    norms: [BatchNorm; 2],
    classes: Conv,
}

impl Net {
    fn new() -> Net {
        let conv = |at: i64, from, to| Conv::new(format!("conv_{at}"), [3, 3], from, to).without_bias();
        let classes = Conv::new("classes", [1, 1], 12, KINDS);
        Net {
            convs: [conv(0, 1, 8), conv(1, 8, 12)],
            norms: [BatchNorm::new("norm_0", 8), BatchNorm::new("norm_1", 12)],
            classes: Conv { init: Scheme::GlorotUniform, ..classes },
        }
    }

    /// Weights, and running averages.
    fn specs(&self) -> (Specs, Specs) {
        let mut specs = Specs::default();
        self.convs.iter().chain([&self.classes]).for_each(|conv| conv.declare(&mut specs));
        self.norms.iter().for_each(|norm| norm.declare(&mut specs));
        specs.parted()
    }

    fn logits(&self, p: &Params, x: Tensor, statistics: &mut Statistics) -> Tensor {
        let x = self.norms[0].apply(p, self.convs[0].apply(p, x), statistics).relu();
        let x = Pooling::new(Pool::Max, [2, 2]).apply(x);
        let x = self.norms[1].apply(p, self.convs[1].apply(p, x), statistics).relu();
        global(Pool::Mean, self.classes.apply(p, x))
    }
}

#[derive(Tree)]
struct Found {
    loss: Tensor,
    /// New running averages, called as the states they replace.
    net: Params,
}

/// Bars across, bars down, and squares, at places that differ.
fn image(number: i64) -> (i32, Vec<f32>) {
    let (kind, at) = (number % KINDS, 2 + number * 5 % 8);
    let is_on = |row: i64, column: i64| match kind {
        0 => row == at || row == at + 2,
        1 => column == at || column == at + 2,
        _ => (at..at + 4).contains(&row) && (at..at + 4).contains(&column),
    };
    let pixel = |i: i64| if is_on(i / SIZE, i % SIZE) { 1.0 } else { 0.0 };
    (kind as i32, (0..SIZE * SIZE).map(pixel).collect())
}

pub fn main() -> Result<(), Error> {
    let (losses, right) = train(60)?;
    for (number, loss) in losses.into_iter().enumerate().step_by(10) {
        println!("step {number}: loss {loss:.4}");
    }
    println!("{right} of 24 images are told right, one at a time");
    Ok(())
}

/// The losses on the way, and how many of 24 images are told right in the end, one at a time.
pub fn train(steps: usize) -> Result<(Vec<f64>, usize), Error> {
    // 14 rows over 4 devices: 4, 4, 4 and 2.
    let mesh = Mesh::new([("rows", 4)])?;
    let rules = Rules::of(&mesh, [("height", "rows")]);
    let (net, optimizer) = (Net::new(), Optimizer::adam(0.01));
    let (weights, averages) = net.specs();
    let drawn = || weights.draw(Key::seed(1), f32);
    let first = trace("first", |_| {
        let averages = averages.draw(Key::seed(1), f32).list;
        let named = averages.into_iter().map(|(name, x)| (format!("net.{name}"), x));
        optimizer.first("net", drawn()).into_iter().chain(named).collect::<Vec<_>>()
    })?;
    let both = |a: &Params, b: &Params| Params { list: [&a.list[..], &b.list[..]].concat() };
    let step = trace_with("step", &rules, |t| {
        let x = t.input("x", f32, [("batch", BATCH), ("height", SIZE), ("width", SIZE), ("features", 1)]);
        let kinds = t.input("kinds", i32, [BATCH]);
        let running = averages.states(t, "net", f32);
        optimizer.train(t, "net", drawn(), |p| {
            let mut statistics = Statistics::of_batch();
            let logits = net.logits(&both(&p, &running), x, &mut statistics);
            Found { loss: logits.cross_entropy(kinds).mean(..), net: statistics.new }
        })
    })?;
    let judge = trace_with("judge", &rules, |t| {
        let x = t.input("x", f32, [("batch", 1), ("height", SIZE), ("width", SIZE), ("features", 1)]);
        let p = both(&weights.params(t, "net", f32), &averages.params(t, "net", f32));
        net.logits(&p, x, &mut Statistics::running()).argmax(-1).cast(f32).sum(..)
    })?;
    let mut loaded = step.partition()?.load(4)?;
    loaded.set_all(&first.partition()?.load(1)?.run(&[])?)?;
    let mut losses = Vec::new();
    for turn in 0..steps as i64 {
        let (kinds, pixels): (Vec<i32>, Vec<Vec<f32>>) = (0..BATCH).map(|i| image(turn % 4 * 7 + i)).unzip();
        let x = Array::new([BATCH, SIZE, SIZE, 1], &pixels.concat())?;
        let found = loaded.run(&[("x", &x), ("kinds", &Array::new([BATCH], &kinds)?)])?;
        losses.push(found.number("loss")?);
    }
    let mut judge = judge.partition()?.load(4)?;
    for spec in weights.list.iter().chain(&averages.list) {
        let name = format!("net.{}", spec.name);
        judge.set(&name, &loaded.get(&name)?)?;
    }
    let mut right = 0;
    for number in 0..24 {
        let (kind, pixels) = image(number);
        let found = judge.run(&[("x", &Array::new([1, SIZE, SIZE, 1], &pixels)?)])?.number("result")?;
        right += usize::from(found == f64::from(kind));
    }
    Ok((losses, right))
}
