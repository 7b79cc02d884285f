//! What annotations lead to, as the papers say it, and that they change no number.

use meshwright::prelude::*;

fn mesh() -> Mesh {
    Mesh::new([("x", 4), ("y", 2)]).unwrap()
}

#[test]
fn batch_by_one_axis_and_features_by_the_other_complete_to_both() {
    let mesh = mesh();
    let program = trace("ffn", |t| {
        let bd = t.input("bd", f32, [8, 16]).mesh_split(&mesh, [0, -1]);
        let df = t.param("df", [16, 32]).mesh_split(&mesh, [-1, 1]);
        einsum("bd,df->bf", [bd, df])
    });
    let explained = program.unwrap().partition().unwrap().explain();
    assert!(explained.contains("in  bd: f32[8,16] as f32[2,16] [x, _]"), "{explained}");
    assert!(explained.contains("in  df: f32[16,32] as f32[16,16] [_, y]"), "{explained}");
    assert!(explained.contains("out result: f32[8,32] as f32[2,16] [x, y]"), "{explained}");
    assert!(!explained.contains("all_"), "nothing is sent: {explained}");
}

#[test]
fn weights_split_over_both_axes_are_gathered_on_demand_and_their_gradient_is_scattered() {
    let mesh = mesh();
    let program = trace("ffn", |t| {
        let bd = t.input("bd", f32, [256, 64]).mesh_split(&mesh, [0, -1]);
        let df = t.param("df", [64, 128]).mesh_split(&mesh, [0, 1]);
        einsum("bd,df->bf", [bd, df]).tanh().square().sum(..)
    });
    let step = program.unwrap().value_and_grad(&["df"]).unwrap();
    let explained = step.partition().unwrap().explain();
    assert!(explained.contains("in  df: f32[64,128] as f32[16,64] [x, y]"), "{explained}");
    assert!(explained.contains("out grad.df: f32[64,128] as f32[16,64] [x, y]"), "{explained}");
    assert!(explained.contains("all_gather -> f32[64,64]"), "{explained}");
    assert!(explained.contains("reduce_scatter -> f32[16,64]"), "{explained}");
}

#[test]
fn experts_need_only_their_weights_annotated() {
    let mesh = mesh();
    let program = trace("moe", |t| {
        let ebd = t.input("ebd", f32, [4, 8, 16]);
        let edf = t.param("edf", [4, 16, 32]).mesh_split(&mesh, [0, -1, 1]);
        einsum("ebd,edf->ebf", [ebd, edf])
    });
    let explained = program.unwrap().partition().unwrap().explain();
    assert!(explained.contains("in  ebd: f32[4,8,16] as f32[1,8,16] [x, _, _]"), "{explained}");
    assert!(explained.contains("out result: f32[4,8,32] as f32[1,8,16] [x, _, y]"), "{explained}");
}

#[test]
fn a_vmapped_annotated_layer_whose_stage_dim_is_annotated_outside_completes_to_both() {
    let mesh = mesh();
    let program = trace("stages", |t| {
        let x = t.input("x", f32, [4, 8, 16]).mesh_split(&mesh, (0, OPEN, OPEN));
        let w = t.param("w", [4, 16, 32]);
        vmap((x, w), |(x, w)| x.matmul(w).mesh_split(&mesh, [-1, 1]))
    });
    let explained = program.unwrap().partition().unwrap().explain();
    assert!(explained.contains("out result: f32[4,8,32] as f32[1,8,16] [x, _, y]"), "{explained}");
}

#[test]
fn collectives_of_loops_count_as_often_as_they_are_done() {
    let mesh = Mesh::new([("x", 2)]).unwrap();
    let program = trace("layers", |t| {
        let x = t.input("x", f32, [8, 16]);
        let w = t.param("w", [12, 16, 16]).mesh_split(&mesh, [-1, 0, -1]);
        scan(x, w, |x, w| (x.matmul(w).tanh(), ())).0
    });
    let explained = program.unwrap().partition().unwrap().explain();
    let collectives: Vec<&str> =
        explained.lines().filter(|line| line.contains("->") && line.starts_with("  ")).collect();
    assert!(collectives.iter().any(|line| line.ends_with(", 12 times")), "{explained}");
}

#[test]
fn gshards_forms_place_parts_on_devices() {
    let program = trace("gshard", |t| {
        t.set_devices(8);
        let inputs = t.input("inputs", f32, [16, 8]).split(0, 4);
        let wg = t.param("wg", [8, 2]).replicate();
        inputs.matmul(wg)
    });
    let explained = program.unwrap().partition().unwrap().explain();
    assert!(explained.contains("in  inputs: f32[16,8] as f32[4,8]"), "{explained}");
    let sharded = trace("s", |t| t.input("x", f32, [4, 4]).shard([[0, 2], [1, 3]])).unwrap();
    assert!(sharded.partition().unwrap().explain().contains("as f32[2,2]"));
    assert!(sharded.to_stablehlo().contains("device_ids=[0, 2, 1, 3]"), "{}", sharded.to_stablehlo());
}

/// A layer of experts over a batch: every dim has a name, nothing is said of devices.
fn loss(t: Trace) -> Tensor {
    t.set_float(f64);
    let x = t.input("x", f64, [("batch", 16), ("model", 8)]);
    let gate = t.param("gate", [("model", 8), ("experts", 4)]);
    let up = t.param("up", [("experts", 4), ("model_in", 8), ("hidden", 16)]);
    let down = t.param("down", [("experts", 4), ("hidden", 16), ("model_in", 8)]);
    let gates = x.matmul(gate).softmax(-1);
    let h = einsum("bm,emh->ebh", [x, up]).logical(["experts", "batch", "hidden"]).gelu();
    let out = einsum("be,ebh,ehm->bm", [gates, h, down]).logical(["batch", "model"]);
    (out - x).square().mean(..)
}

#[test]
fn four_annotation_sets_give_one_loss_and_one_gradient() {
    let sets = |mesh: &Mesh| {
        [
            Rules::new(mesh),
            Rules::new(mesh).with("batch", ["x", "y"]),
            Rules::new(mesh).with("batch", "x").with("model", "y").with("model_in", "x").with("hidden", "y"),
            Rules::new(mesh).with("experts", "x").with("hidden", "y"),
        ]
    };
    let number = |i: i64| ((i * 37 % 101) as f64 / 101.0 - 0.5) * 0.8;
    let array = |dims: [i64; 3]| {
        let n: i64 = dims.iter().product();
        let dims: Vec<i64> = dims.into_iter().filter(|size| *size > 1).collect();
        Array::new(dims, &(0..n).map(number).collect::<Vec<_>>()).unwrap()
    };
    let (x, gate) = (array([1, 16, 8]), array([1, 8, 4]));
    let (up, down) = (array([4, 8, 16]), array([4, 16, 8]));
    let inputs = [("x", &x), ("gate", &gate), ("up", &up), ("down", &down)];
    let names = ["result", "grad.gate", "grad.up", "grad.down"];
    let run = |rules: Option<&Rules>, devices: usize| -> Vec<Vec<f64>> {
        let program = match rules {
            Some(rules) => trace_with("moe", rules, loss).unwrap(),
            None => trace("moe", loss).unwrap(),
        };
        let step = program.value_and_grad(&["gate", "up", "down"]).unwrap();
        let results = step.partition().unwrap().load(devices).unwrap().run(&inputs).unwrap();
        names.iter().map(|name| results.get(name).unwrap().to_vec::<f64>().unwrap()).collect()
    };
    let alone = run(None, 1);
    for (axes, devices) in [([("x", 1), ("y", 1)], 1), ([("x", 2), ("y", 4)], 8), ([("x", 4), ("y", 2)], 8)] {
        for (set, rules) in sets(&Mesh::new(axes).unwrap()).iter().enumerate() {
            for (found, expected) in run(Some(rules), devices).iter().zip(&alone) {
                let pairs = || found.iter().zip(expected);
                let apart = pairs().map(|(a, b)| (a - b) * (a - b)).sum::<f64>().sqrt();
                let length = pairs().map(|(_, b)| b * b).sum::<f64>().sqrt();
                assert!(apart <= 1e-10 * length, "set {set} on {devices}: {apart:e} of {length:e}");
            }
        }
    }
}
