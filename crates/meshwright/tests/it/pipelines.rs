//! Pipelines over devices: the same losses and gradients as two plain loops, one permute for each trip and direction.

use meshwright::Cut;
use meshwright::prelude::*;

#[allow(dead_code)]
#[path = "../../../../examples/pipeline.rs"]
mod example;

#[test]
fn the_example_has_the_loss_of_one_device_and_tells_its_table() {
    let mesh = Mesh::new([("stage", 4), ("data", 2)]).unwrap();
    for way in [example::Way::Recomputed, example::Way::Circular] {
        let loss = |mesh: Option<&Mesh>, devices| {
            example::run(&example::step(way, 8, mesh).unwrap(), devices).unwrap().0
        };
        let (one, eight) = (loss(None, 1), loss(Some(&mesh), 8));
        assert!((one - eight).abs() < 1e-5 * one, "{one} {eight}");
    }
    example::table(&[4]).unwrap();
}

fn numbers(dims: &[i64]) -> Array {
    let number = |i: i64| ((i * 37 % 101) as f64 / 101.0 - 0.5) * 0.8;
    Array::new(dims, &(0..dims.iter().product()).map(number).collect::<Vec<_>>()).unwrap()
}

fn run(program: &Program, devices: usize) -> Vec<Vec<f64>> {
    let arrays: Vec<(String, Array)> =
        program.inputs().iter().map(|input| (input.name.to_string(), numbers(&input.ty.dims))).collect();
    let inputs: Vec<(&str, &Array)> = arrays.iter().map(|(name, array)| (&**name, array)).collect();
    let results = program.partition().unwrap().load(devices).unwrap().run(&inputs).unwrap();
    let one = |result: &meshwright::ResultInfo| results.get(&result.name).unwrap().to_vec::<f64>().unwrap();
    program.results().iter().map(one).collect()
}

fn close(found: &[Vec<f64>], expected: &[Vec<f64>]) {
    assert_eq!(found.len(), expected.len());
    for (found, expected) in found.iter().zip(expected) {
        assert_eq!(found.len(), expected.len());
        for (a, b) in found.iter().zip(expected) {
            assert!((a - b).abs() <= 1e-10 * b.abs().max(1.0), "{a} beside {b}");
        }
    }
}

/// What a layer has beside its two products.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Kind {
    Plain,
    /// Dropout by the microbatch's key.
    Dropout,
    /// Experts of which each row takes one, with their loss.
    Experts,
}

/// The trunk as two plain loops, as a pipeline on one device, over a mesh, or over a mesh by hand.
#[derive(Clone, Copy)]
enum Trunk<'a> {
    Loops,
    Alone,
    Over(&'a Mesh),
    ByHand(&'a Mesh),
}

#[derive(Clone, Copy, Debug)]
struct Case {
    stages: i64,
    rounds: i64,
    /// Of a stage, in each round.
    layers: i64,
    microbatches: i64,
    recomputes: bool,
    kind: Kind,
}

impl Case {
    fn how(self) -> Pipeline {
        let how = match self.rounds {
            1 => Pipeline::gpipe(self.stages),
            rounds => Pipeline::circular(self.stages, rounds),
        };
        if self.recomputes { how.recompute() } else { how }
    }

    fn leading(self) -> Vec<i64> {
        let rounds: &[i64] = if self.rounds == 1 { &[] } else { &[self.rounds] };
        [&[self.stages], rounds, &[self.layers]].concat()
    }
}

type Weights = (Tensor, Tensor, Tensor);

const EXPERTS: i64 = 2;

/// A feed-forward layer on a microbatch and its key; gives its part of a further loss.
fn layer(kind: Kind, (x, key): (Tensor, Key), (up, down, gate): Weights) -> ((Tensor, Key), Tensor) {
    let h = x.rms_normalize(-1, 1e-6);
    let scores = h.matmul(gate);
    let (y, loss) = match kind {
        Kind::Experts => {
            let chances = scores.softmax(-1);
            let best = chances.argmax(-1).one_hot(EXPERTS, f64);
            let of_each = einsum("erh,ehm->erm", [einsum("rm,emh->erh", [h, up]).gelu(), down]);
            let loss = (chances.mean(0) * best.mean(0)).sum(..) * EXPERTS;
            (einsum("re,erm->rm", [chances * best, of_each]), loss)
        }
        _ => (h.matmul(up).gelu().matmul(down) + scores.sum_keep(-1), scalar(f64, 0)),
    };
    let [here, next] = key.split();
    let y = match kind {
        Kind::Dropout => here.bernoulli(0.8, y.dims()).select(y / 0.8, 0.0),
        _ => y,
    };
    ((x + y, next), loss)
}

/// The losses that layers give are weighted by microbatch and layer, so that none can stand for another.
fn loss(y: Tensor, of_layers: Tensor) -> Tensor {
    let weights = iota(f64, of_layers.dims(), 0) + iota(f64, of_layers.dims(), 1) * 0.3;
    (y * (iota(f64, y.dims(), 0) + 1.0)).sum(..) + (of_layers * weights).sum(..)
}

/// Cut along the mesh's axes `stage`, `data` and `model`, where it has them.
fn cut(mesh: &Mesh, name: &str) -> Cut {
    mesh.size(name).map_or(Cut::Whole, |_| Cut::from(name))
}

fn split(mesh: &Mesh, kind: Kind, w: Tensor, model: usize) -> Tensor {
    let mut cuts = vec![Cut::Whole; w.dims().len()];
    cuts[0] = cut(mesh, "stage");
    let at = if kind == Kind::Experts { cuts.len() - 3 } else { cuts.len() - model };
    cuts[at] = cut(mesh, "model");
    w.mesh_split(mesh, cuts)
}

fn trunk(case: Case, trunk: Trunk<'_>, x: Tensor, weights: Weights) -> (Tensor, Tensor) {
    let Case { stages, rounds, layers, microbatches, kind, .. } = case;
    let keys = vmap(range(u64, microbatches), |n| Key::seed(7).fold_in(n));
    let layer = |x: (Tensor, Key), w: Weights| layer(kind, x, w);
    let stage = |x: (Tensor, Key), w: Weights| scan(x, w, layer);
    let over = |mesh: &Mesh| {
        let x = x.mesh_split(mesh, [Cut::Whole, cut(mesh, "data"), Cut::Whole]);
        let (up, down, gate) = weights;
        (x, (split(mesh, kind, up, 1), split(mesh, kind, down, 2), gate))
    };
    let ((y, _), of_layers) = match trunk {
        Trunk::Loops => {
            let in_order = |w: Tensor| {
                let of_one = &w.dims()[case.leading().len()..];
                let runs = if rounds == 1 { w } else { w.swap_dims(0, 1) };
                runs.reshape([&[stages * rounds * layers], of_one].concat())
            };
            let (up, down, gate) = weights;
            let all = (in_order(up), in_order(down), in_order(gate));
            vmap((x, keys), |x| scan(x, all, layer))
        }
        Trunk::Alone => pipeline((x, keys), weights, case.how(), stage),
        Trunk::Over(mesh) => {
            let (x, weights) = over(mesh);
            pipeline((x, keys), weights, case.how(), stage)
        }
        Trunk::ByHand(mesh) => {
            let (x, weights) = over(mesh);
            manual_pipeline((x, keys), weights, case.how(), mesh, "stage", stage)
        }
    };
    (y, of_layers.reshape([microbatches, stages * rounds * layers]))
}

/// Loss and gradients of all.
fn step(case: Case, over: Trunk<'_>) -> Program {
    let program = trace("step", |t| {
        t.set_float(f64);
        let experts: &[i64] = if case.kind == Kind::Experts { &[EXPERTS] } else { &[] };
        let of = |rest: &[i64]| [&case.leading()[..], rest].concat();
        let x = t.input("x", f64, [case.microbatches, 4, 8]);
        let up = t.param("up", of(&[experts, &[8, 16]].concat()));
        let down = t.param("down", of(&[experts, &[16, 8]].concat()));
        let gate = t.param("gate", of(&[8, EXPERTS]));
        let ((loss, ()), slopes) = value_and_grad((x, up, down, gate), |(x, up, down, gate)| {
            let (y, of_layers) = trunk(case, over, x, (up, down, gate));
            (loss(y, of_layers), ())
        });
        (loss, slopes)
    });
    program.unwrap_or_else(|errors| panic!("{case:?}: {errors}"))
}

/// Eight devices in as many stages, each with what is left for `data` and `model`.
fn mesh(stages: i64) -> Mesh {
    match stages {
        8 => Mesh::new([("stage", 8)]).unwrap(),
        4 => Mesh::new([("stage", 4), ("data", 2)]).unwrap(),
        _ => Mesh::new([("stage", 2), ("data", 2), ("model", 2)]).unwrap(),
    }
}

/// Every case there is; each of a run's microbatches, stages, schedules and kinds with each other one.
fn cases() -> Vec<Case> {
    let mut all = Vec::new();
    for (stages, microbatches) in [2, 4, 8].into_iter().flat_map(|s| [1, 3, 8, 32].map(|m| (s, m))) {
        for (rounds, layers) in [(1, 1), (1, 2), (2, 1), (2, 2)] {
            for kind in [Kind::Plain, Kind::Dropout, Kind::Experts] {
                for recomputes in [false, true] {
                    all.push(Case { stages, rounds, layers, microbatches, recomputes, kind });
                }
            }
        }
    }
    all
}

/// Every so many-th of the cases, or all with `MESHWRIGHT_ALL_PIPELINES`; those of all stages, kinds and schedules.
fn some(every: usize) -> Vec<Case> {
    let every = if std::env::var_os("MESHWRIGHT_ALL_PIPELINES").is_some() { 1 } else { every };
    cases().into_iter().skip(every / 2).step_by(every).collect()
}

/// At a fixed batch more microbatches are smaller ones; at a fixed size of theirs, all that one more takes is its own
/// input, kept for each trip, and its way in and out. Without recomputation its activations are kept.
#[test]
fn recomputing_pipelines_keep_what_enters_a_stage_and_no_more() {
    let mesh = Mesh::new([("stage", 4), ("data", 2)]).unwrap();
    let of = |way, size, microbatches| {
        let program = example::step_of(size, way, microbatches, Some(&mesh)).unwrap();
        let (_, bound) = example::bound(size, way, microbatches).unwrap();
        (example::held(&program).unwrap(), bound)
    };
    let with_rows = |rows| example::Size { rows, ..example::SMALL };
    for way in [example::Way::Recomputed, example::Way::Circular] {
        for (size, microbatches) in
            [(example::SMALL, 4), (example::SMALL, 32), (with_rows(128), 4), (with_rows(1024), 32)]
        {
            let (held, bound) = of(way, size, microbatches);
            assert!(held * 100 <= bound * 103, "{way:?}, {microbatches}: {held} of {bound}");
        }
    }
    let kept = |microbatches| of(example::Way::Kept, with_rows(32 * microbatches), microbatches).0;
    let microbatch = 4 * 16 * 64;
    assert!(kept(32) - kept(4) >= 10 * 28 * microbatch, "{} {}", kept(32), kept(4));
}

/// A sample that meets every kind, schedule, number of stages and of microbatches.
#[test]
fn a_sample_of_the_cases_has_all_there_is() {
    let all = some(31);
    let count = |of: fn(&Case) -> i64| all.iter().map(of).collect::<std::collections::BTreeSet<_>>().len();
    let kinds = count(|case| case.kind as i64);
    assert_eq!((count(|case| case.stages), count(|case| case.microbatches), kinds), (3, 4, 3));
    assert_eq!((count(|case| case.rounds * 2 + case.layers), count(|case| case.recomputes.into())), (4, 2));
}

#[test]
fn meshes_of_stages_data_and_model_compute_what_one_device_does() {
    for case in some(31) {
        let mesh = mesh(case.stages);
        let expected = run(&step(case, Trunk::Loops), 1);
        close(&run(&step(case, Trunk::Alone), 1), &expected);
        let program = step(case, Trunk::Over(&mesh));
        let told = program.partition().unwrap().explain();
        close(&run(&program, 8), &expected);
        if case.kind == Kind::Plain {
            only_permutes_in_the_loop(case, &told);
        }
    }
}

/// One permute there and one back each trip, of a microbatch's shard; keys travel for themselves.
fn only_permutes_in_the_loop(case: Case, told: &str) {
    let groups = if case.rounds == 1 {
        case.microbatches
    } else {
        (case.microbatches + case.stages - 1) / case.stages * case.stages
    };
    let trips = (groups * case.rounds + case.stages - 1) * 2;
    let permutes: Vec<&str> =
        told.lines().filter(|line| line.contains("collective_permute") && !line.contains("u64")).collect();
    assert_eq!(permutes.len(), 1, "{case:?}: {told}");
    assert!(permutes[0].ends_with(&format!("{trips} times")), "{case:?}: {told}");
    let times = |line: &str| line.strip_suffix(" times")?.rsplit(' ').next()?.parse::<i64>().ok();
    let in_loops = |line: &&str| times(line).is_some_and(|times| times >= trips / 2);
    let gathers = |line: &&str| line.contains("all_gather");
    assert_eq!(told.lines().filter(in_loops).find(gathers), None, "{case:?}: {told}");
    // Without an axis that splits a layer's products nothing is summed up in the loop: no weight's gradient.
    let sums = |line: &&str| line.contains("all_reduce") || line.contains("reduce_scatter");
    if case.stages > 2 {
        assert_eq!(told.lines().filter(in_loops).find(sums), None, "{case:?}: {told}");
    }
}

/// GSPMD 3.4: the same with the stages' axis in the hands of the program.
#[test]
fn a_pipeline_by_hand_computes_what_one_device_does() {
    for case in some(37) {
        let program = step(case, Trunk::ByHand(&mesh(case.stages)));
        close(&run(&program, 8), &run(&step(case, Trunk::Loops), 1));
        if case.kind == Kind::Plain {
            only_permutes_in_the_loop(case, &program.partition().unwrap().explain());
        }
    }
}

/// Two stages on each place of the axis.
#[test]
fn a_place_by_hand_may_have_several_stages() {
    let mesh = Mesh::new([("stage", 2), ("data", 4)]).unwrap();
    for rounds in [1, 2] {
        let case =
            Case { stages: 4, rounds, layers: 1, microbatches: 5, recomputes: true, kind: Kind::Dropout };
        close(&run(&step(case, Trunk::ByHand(&mesh)), 8), &run(&step(case, Trunk::Loops), 1));
    }
}

#[test]
fn stages_that_do_not_lie_on_an_axis_are_told_at_the_users_line() {
    let mesh = Mesh::new([("stage", 4)]).unwrap();
    let told = |axis: &str| {
        let traced = trace("f", |t| {
            let (x, w) = (t.input("x", f32, [3, 2, 4]), t.input("w", f32, [6, 4, 4]));
            manual_pipeline(x, w, Pipeline::gpipe(6), &mesh, axis, |x, w| (x.matmul(w), ()))
        });
        traced.err().map(|errors| errors.to_string()).unwrap_or_default()
    };
    for (told, wanted) in [
        (told("stage"), "a pipeline of 6 stages does not lie on the 4 places of mesh axis `stage`"),
        (told("stages"), "mesh axis `stages` does not exist"),
    ] {
        assert!(told.contains(wanted) && told.contains("tests/it/pipelines.rs:"), "{wanted}: {told}");
        assert_eq!(told.matches("error").count(), 1, "{told}");
    }
}
