//! Random layers and models of images and sound on random meshes, each held against one device: odd sizes, strides and
//! dilations, one channel, one example, dims smaller than what they are split over, annotations where they fall.
//!
//! Case by number, the same on every machine. `MESHWRIGHT_VARIETY=200..2000` looks at those instead of the first ones.

use crate::support;

use meshwright_base::Code;
use meshwright_campaign::global::run_spmd;
use meshwright_compile::Unobserved;
use meshwright_interp::Tensor as Array;
use meshwright_ir::op::{CollectiveKind, UnaryOp};
use meshwright_ir::{Editor, InstId, Module, Op};
use meshwright_nn::layers::bag::Pool;
use meshwright_nn::layers::conv::Conv;
use meshwright_nn::layers::norm::GroupNorm;
use meshwright_nn::layers::pool::Pooling;
use meshwright_nn::layers::resize::{Between, resize};
use meshwright_nn::models::conformer::{Conformer, ConvNorm};
use meshwright_nn::models::family::{Sizes, looking_both_ways};
use meshwright_nn::models::images::dilated::Dilated;
use meshwright_nn::models::images::residual::{Residual, Stage};
use meshwright_nn::models::images::vit::Vit;
use meshwright_nn::models::step::{Model, Training, train_step};
use meshwright_nn::models::transformer::Transformer;
use meshwright_nn::models::unet::{Down, Normal, UNet};
use meshwright_nn::params::{Params, Specs};
use meshwright_tensor::prelude::*;
use meshwright_tensor::{InputInfo, Padding, Window};
use std::ops::Range;
use support::tiny::training;
use support::{Random, array, numbers};

/// Cases of a plain run.
const CASES: Range<u64> = 0..200;

/// How far results may be apart: norms over few places magnify how sums are rounded.
const NEAR: f64 = 1e-8;

/// What is traced, for one device or by a table.
type Traced<'a> = dyn Fn(&Rules) -> Result<Program, Errors> + 'a;

/// What became of a case.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Outcome {
    Equal,
    /// The same, and different with a fault planted in it.
    Noticed,
    /// The same, also with one.
    Unnoticed,
    /// It is none: refused before anything is computed, with how to mend it.
    Refused,
}

/// Draws sizes and choices.
struct Draw {
    random: Random,
    /// Whether programs are also run with a fault in them.
    at_fault: bool,
}

impl Draw {
    fn between(&mut self, low: i64, high: i64) -> i64 {
        low + self.random.below((high - low + 1) as usize) as i64
    }

    fn one<T: Clone>(&mut self, of: &[T]) -> T {
        of[self.random.below(of.len())].clone()
    }

    fn chance(&mut self, one_in: usize) -> bool {
        self.random.below(one_in) == 0
    }

    fn sizes(&mut self, rank: usize, low: i64, high: i64) -> Vec<i64> {
        (0..rank).map(|_| self.between(low, high)).collect()
    }

    /// A mesh of at most eight devices, with what lies on each axis: names of dims of what is computed and of weights.
    /// No tensor has two of an axis.
    fn table(
        &mut self,
        computed: &[&'static str],
        weights: &[&'static str],
    ) -> (Mesh, Vec<(&'static str, String)>) {
        let (mut axes, mut devices) = (Vec::new(), 1);
        for name in ["a", "b", "c"] {
            let size = self.one(&[1, 2, 2, 3, 4, 5, 8]);
            if devices * size <= 8 {
                axes.push((name, size));
                devices *= size;
            }
        }
        let (mut computed, mut weights) = (computed.to_vec(), weights.to_vec());
        let mut rows = Vec::new();
        for (axis, _) in &axes {
            for names in [&mut computed, &mut weights] {
                if !names.is_empty() && !self.chance(4) {
                    rows.push((names.remove(self.random.below(names.len())), axis.to_string()));
                }
            }
        }
        (Mesh::new(axes).expect("a mesh"), rows)
    }
}

/// What spatial dims are called.
const SPACE: [&str; 3] = ["space", "space_2", "space_3"];

/// What dims of weights are called.
fn names(specs: &Specs) -> Vec<&'static str> {
    let mut names: Vec<&str> =
        specs.list.iter().flat_map(|spec| spec.dims.iter().map(|(name, _)| *name)).collect();
    names.sort_unstable();
    names.dedup();
    // An axis splits one dim of a tensor.
    let is_twice = |name: &&str| {
        specs.list.iter().any(|spec| spec.dims.iter().filter(|(dim, _)| dim == name).count() > 1)
    };
    names.retain(|name| !is_twice(name));
    names
}

/// One device's results beside those of all.
fn compare(
    case: u64,
    at_fault: bool,
    what: &str,
    traced: &Traced<'_>,
    (mesh, rows): &(Mesh, Vec<(&'static str, String)>),
) -> Outcome {
    let shown = format!("case {case}: {what}, {rows:?} over {mesh:?}");
    let one = Mesh::new([("one", 1)]).expect("a mesh");
    let whole = match traced(&Rules::new(&one)) {
        Ok(whole) => whole,
        Err(errors) => {
            let found = errors.diagnostics();
            assert!(!found.is_empty() && found.iter().all(|one| one.help.is_some()), "{shown}: {found:?}");
            return Outcome::Refused;
        }
    };
    let rules = Rules::of(mesh, rows.iter().map(|(name, axis)| (*name, axis.as_str())));
    let split = match traced(&rules) {
        Ok(split) => split,
        // A tensor in the middle has two dims of one axis.
        Err(errors) if errors.diagnostics().iter().all(|found| found.code == Code(805)) => {
            return Outcome::Refused;
        }
        Err(errors) => panic!("{shown}: {errors}"),
    };
    let given = inputs(case, &whole);
    let expected =
        meshwright_interp::run(whole.module(), &given).unwrap_or_else(|found| panic!("{shown}: {found:?}"));
    let options = meshwright_compile::Options::default();
    let compiled = meshwright_compile::partition(split.module().clone(), &options, &mut Unobserved)
        .unwrap_or_else(|found| panic!("{shown}: {}", Errors::from(found)));
    let found = run_spmd(&compiled.program, &given).unwrap_or_else(|error| panic!("{shown}: {error:?}"));
    if let Some(why) = apart(&found, &expected, &whole) {
        panic!("{shown}: {why}");
    }
    let mut spoilt = compiled.program;
    if !at_fault || !keep_what_is_sent(spoilt.module_mut()) {
        return Outcome::Equal;
    }
    match run_spmd(&spoilt, &given) {
        Ok(found) if apart(&found, &expected, &whole).is_none() => Outcome::Unnoticed,
        _ => Outcome::Noticed,
    }
}

/// Where results are not what they should be.
fn apart(found: &[Array], expected: &[Array], program: &Program) -> Option<String> {
    assert_eq!(found.len(), expected.len());
    for ((found, expected), result) in found.iter().zip(expected).zip(program.results()) {
        let pairs = numbers(found).into_iter().zip(numbers(expected));
        for (at, (a, b)) in pairs.enumerate() {
            let same = (a.is_nan() && b.is_nan()) || a == b || (a - b).abs() <= NEAR * (1.0 + b.abs());
            if !same {
                return Some(format!("`{}` at {at} is {a} and not {b}", result.name));
            }
        }
    }
    None
}

/// A fault: what should be a neighbour's is a device's own. Whether there is anything to spoil.
fn keep_what_is_sent(module: &mut Module) -> bool {
    let mut any = false;
    for func in module.funcs.values_mut() {
        let is_sent = |inst: &InstId| {
            let info = func.inst(*inst);
            let Op::Collective(op) = &info.op else { return false };
            info.operands.len() == 1 && matches!(op.kind, CollectiveKind::Permute { .. })
        };
        let sent: Vec<InstId> = func.insts_in_order().into_iter().filter(is_sent).collect();
        any |= !sent.is_empty();
        for inst in sent {
            Editor::new(func).set_op(inst, Op::Unary(UnaryOp::Copy));
        }
    }
    any
}

/// Numbers for the inputs of a program, by their names.
fn inputs(case: u64, program: &Program) -> Vec<Array> {
    let mut random = Random(case ^ 0x5eed);
    let one = |input: &InputInfo| {
        let count = input.ty.elements() as usize;
        let mut draw = |of: &mut dyn FnMut(&mut Random) -> f64| {
            (0..count).map(|_| of(&mut random)).collect::<Vec<f64>>()
        };
        let length = program.input("frames").map_or(0, |at| program.inputs()[at].ty.dims[1] as usize);
        let drawn = match &*input.name {
            "labels" if length > 0 => draw(&mut |random| 1.0 + random.below(3) as f64),
            "labels" => draw(&mut |random| random.below(2) as f64),
            "frame_lengths" => draw(&mut |random| (length - random.below(length / 4)) as f64),
            "label_lengths" => draw(&mut |random| random.below(3) as f64),
            name if name.contains("variance") => draw(&mut |random| random.unit() + 0.5),
            _ if !input.ty.dtype.is_float() => draw(&mut |_| 0.0),
            // Images are narrower than what computes.
            _ => draw(&mut |random| (random.unit() * 2.0 - 0.9) as f32 as f64),
        };
        array(program, &input.name, &drawn)
    };
    program.inputs().iter().map(one).collect()
}

/// A layer's results, and the gradients of its weights and its image.
fn layer(
    draw: &mut Draw,
    case: u64,
    what: &str,
    specs: &Specs,
    dims: &[i64],
    apply: &dyn Fn(&Params, Tensor) -> Tensor,
) -> Outcome {
    let space = &SPACE[..dims.len() - 2];
    let named: Vec<(&str, i64)> =
        [&["batch"][..], space, &["features"]].concat().into_iter().zip(dims.iter().copied()).collect();
    let traced = |rules: &Rules| {
        trace_with("layer", rules, |t| {
            let x = t.input("x", f64, &named);
            let p = specs.params(t, "p", f64);
            value_and_grad((x, p), |(x, p)| {
                let y = apply(&p, x);
                // Every element pulls in a way of its own.
                let count = iota(f64, [y.elements()], 0).reshape(y.dims());
                ((y * (count * 0.7).sin()).sum(..), y)
            })
        })
    };
    let mesh = draw.table(&[&["batch"][..], space, &["features"]].concat(), &names(specs));
    compare(case, draw.at_fault, &format!("{what} of {dims:?}"), &traced, &mesh)
}

fn of_a_window(draw: &mut Draw, case: u64) -> Outcome {
    let rank = draw.one(&[1, 1, 2, 2, 2, 3]);
    let most = [16, 11, 6][rank - 1];
    let mut window = Window::new(rank);
    for dim in 0..rank {
        window.strides[dim] = draw.one(&[1, 1, 1, 2, 3, 4]);
        window.dilation[dim] = draw.one(&[1, 1, 1, 2, 3]);
    }
    let edges = (0..rank).map(|_| (draw.between(0, 2), draw.between(0, 2))).collect();
    window.padding =
        draw.one(&[Padding::Same, Padding::Same, Padding::Valid, Padding::Causal, Padding::Edges(edges)]);
    let (batch, image, sizes) = (draw.between(1, 3), draw.sizes(rank, 1, most), draw.sizes(rank, 1, 4));
    if draw.chance(4) {
        let pool = draw.one(&[Pool::Max, Pool::Mean, Pool::Sum]);
        let pooling = Pooling::new(pool, sizes).strided(window.strides[0]).padded(window.padding);
        let dims = [vec![batch], image, vec![draw.between(1, 3)]].concat();
        return layer(draw, case, &format!("{pooling:?}"), &Specs::default(), &dims, &|_, x| {
            pooling.apply(x)
        });
    }
    let (inputs, outputs) = (draw.between(1, 3), draw.between(1, 4));
    let conv = match draw.between(0, 5) {
        0 => Conv { window: Window { groups: inputs, ..window }, ..Conv::depthwise("c", sizes, inputs) },
        1 => {
            let groups = draw.between(1, 3);
            Conv {
                window: Window { groups, ..window },
                ..Conv::new("c", sizes, groups * inputs, groups * outputs)
            }
        }
        2 => Conv::transposed("c", sizes, draw.between(1, 3), inputs, outputs),
        _ => Conv { window, ..Conv::new("c", sizes, inputs, outputs) },
    };
    let dims = [vec![batch], image, vec![conv.inputs]].concat();
    let mut specs = Specs::default();
    conv.declare(&mut specs);
    layer(draw, case, &format!("{conv:?}"), &specs, &dims, &|p, x| conv.apply(p, x))
}

fn of_all_places(draw: &mut Draw, case: u64) -> Outcome {
    let rank = draw.one(&[1, 2, 2, 3]);
    let image = draw.sizes(rank, 1, [14, 9, 5][rank - 1]);
    let (batch, groups, each) = (draw.between(1, 3), draw.between(1, 3), draw.between(1, 2));
    let dims = [vec![batch], image, vec![groups * each]].concat();
    if draw.chance(2) {
        let norm = GroupNorm::new("g", groups * each, groups);
        let mut specs = Specs::default();
        norm.declare(&mut specs);
        return layer(draw, case, &format!("{norm:?}"), &specs, &dims, &|p, x| norm.apply(p, x));
    }
    let (to, between) = (draw.sizes(rank, 1, 15), draw.one(&[Between::Nearest, Between::Linear]));
    layer(draw, case, &format!("resize to {to:?}"), &Specs::default(), &dims, &|_, x| resize(x, &to, between))
}

fn transformer() -> Transformer {
    let sizes = Sizes {
        model: 4,
        hidden: 5,
        heads: 2,
        kv: 3,
        gated: false,
        experts: 0,
        every: 1,
        groups: 1,
        room: 100,
    };
    Transformer { compute: f64, ..looking_both_ways(&sizes) }
}

/// A step of training: all that it says, and all states behind it.
fn model<M: Model + std::fmt::Debug>(
    draw: &mut Draw,
    case: u64,
    model: &M,
    sizes: [i64; 2],
    space: &[&'static str],
) -> Outcome {
    let [batch, length] = sizes;
    let training = Training { batch, length, dtype: f64, ..training() };
    let traced = |rules: &Rules| train_step(model, &training, rules);
    let mesh = draw.table(&[&["batch"], space].concat(), &names(&model.specs()));
    compare(case, draw.at_fault, &format!("{model:?}, {batch} examples"), &traced, &mesh)
}

fn of_images(draw: &mut Draw, case: u64) -> Outcome {
    let rank = draw.one(&[2, 2, 3]);
    let image = draw.sizes(rank, 1, [9, 5][rank - 2]);
    let (channels, classes, batch) = (draw.between(1, 2), draw.between(2, 3), draw.between(1, 3));
    let space = &SPACE[..rank];
    match draw.between(0, 3) {
        0 => {
            let features = (0..draw.between(1, 2)).map(|_| [draw.between(1, 3), draw.between(1, 3)]);
            let levels = features.collect();
            let (down, normal) =
                (draw.one(&[Down::Stride, Down::Pool]), draw.one(&[Normal::Instance, Normal::Batch]));
            let (narrows_up, overlap) = (draw.chance(2), draw.one(&[0.0, 1.0]));
            let net = UNet {
                sizes: image,
                channels,
                classes,
                levels,
                down,
                narrows_up,
                normal,
                overlap,
                compute: f64,
            };
            model(draw, case, &net, [batch, 0], space)
        }
        1 => {
            let stages =
                (0..draw.between(1, 2)).map(|_| Stage { blocks: 1, width: draw.between(1, 3) }).collect();
            let (stem, is_large, bottleneck) = (draw.between(1, 3), draw.chance(4), draw.chance(3));
            let net = Residual { image, channels, stem, is_large, stages, bottleneck, classes, compute: f64 };
            model(draw, case, &net, [batch, 0], space)
        }
        2 => {
            let told = image.iter().map(|size| draw.between(1, *size)).collect();
            let dilations = (0..draw.between(1, 2)).map(|_| draw.between(1, 4)).collect();
            let features = draw.between(1, 3);
            let net =
                Dilated { image, channels, features, dilations, stacks: 1, told, classes, compute: f64 };
            model(draw, case, &net, [batch, 0], space)
        }
        _ => {
            let patch = draw.sizes(rank, 1, 3);
            let image = patch.iter().map(|size| size * draw.between(1, 3)).collect();
            let net =
                Vit { image, channels, patch, net: transformer(), blocks: 1, classes, factors: [0.0; 2] };
            model(draw, case, &net, [batch, 0], space)
        }
    }
}

fn of_sound(draw: &mut Draw, case: u64) -> Outcome {
    let frames = draw.between(9, 24);
    let norm = draw.one(&[ConvNorm::Layer, ConvNorm::Batch, ConvNorm::Group(2)]);
    let net = Conformer {
        features: draw.between(1, 6),
        channels: draw.between(1, 3),
        model: 4,
        hidden: draw.between(1, 6),
        heads: draw.between(1, 3),
        kv: 2,
        window: draw.between(1, 6),
        norm,
        blocks: 1,
        labels: 3,
        most: 2,
        dropout: 0.0,
        compute: f64,
        stacked: draw.chance(2),
        recompute: draw.chance(3),
        pipeline: None,
    };
    let batch = draw.between(1, 3);
    model(draw, case, &net, [batch, frames], &["length"])
}

fn run(case: u64, at_fault: bool) -> Outcome {
    let mut draw = Draw { random: Random(case.wrapping_mul(0x2545_f491_4f6c_dd1d)), at_fault };
    match draw.between(0, 9) {
        0..=4 => of_a_window(&mut draw, case),
        5 | 6 => of_all_places(&mut draw, case),
        7 | 8 => of_images(&mut draw, case),
        _ => of_sound(&mut draw, case),
    }
}

/// `from..to` of the environment.
fn cases() -> Range<u64> {
    let Ok(text) = std::env::var("MESHWRIGHT_VARIETY") else { return CASES };
    let parsed = text.split_once("..").and_then(|(from, to)| Some(from.parse().ok()?..to.parse().ok()?));
    parsed.unwrap_or_else(|| panic!("MESHWRIGHT_VARIETY={text}: write it as 200..2000"))
}

#[test]
fn what_sees_and_hears_computes_on_any_mesh_what_one_device_does() {
    let found: Vec<Outcome> = cases().map(|case| run(case, false)).collect();
    let refused = found.iter().filter(|one| **one == Outcome::Refused).count();
    assert!(10 * refused < 3 * found.len(), "{refused} of {} are refused", found.len());
}

#[test]
fn what_is_not_sent_is_noticed() {
    let found: Vec<Outcome> = (0..80).map(|case| run(case, true)).collect();
    let count = |of: Outcome| found.iter().filter(|one| **one == of).count();
    let (noticed, unnoticed) = (count(Outcome::Noticed), count(Outcome::Unnoticed));
    assert!(noticed > 10 && unnoticed * 10 <= noticed, "{noticed} faults are noticed, {unnoticed} are not");
}
