//! Pipelines over devices: the same losses and gradients as two plain loops, one permute for each trip and direction.

use meshwright::Cut;
use meshwright::prelude::*;

#[allow(dead_code)]
#[path = "../../../examples/pipeline.rs"]
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

/// One feed-forward layer.
fn layer(x: Tensor, (up, down): (Tensor, Tensor)) -> (Tensor, ()) {
    (x + x.rms_normalize(-1, 1e-6).matmul(up).gelu().matmul(down), ())
}

#[derive(Clone, Copy)]
struct Case {
    stages: i64,
    rounds: i64,
    microbatches: i64,
}

impl Case {
    fn how(self) -> Pipeline {
        match self.rounds {
            1 => Pipeline::gpipe(self.stages),
            rounds => Pipeline::circular(self.stages, rounds),
        }
    }
}

/// Loss and gradients of all; with a mesh as a pipeline over its axes `stage`, `data` and `model`, where it has them.
fn step(case: Case, mesh: Option<&Mesh>, how: Pipeline) -> Program {
    let Case { stages, rounds, microbatches } = case;
    let program = trace("step", |t| {
        t.set_float(f64);
        let leading = if rounds == 1 { vec![stages] } else { vec![stages, rounds] };
        let of = |rest: [i64; 2]| [&leading[..], &rest].concat();
        let x = t.input("x", f64, [microbatches, 4, 8]);
        let (up, down) = (t.param("up", of([8, 16])), t.param("down", of([16, 8])));
        let ((loss, ()), slopes) = value_and_grad((x, up, down), |(x, up, down)| {
            let y = match mesh {
                None => {
                    let flat = |w: Tensor| match rounds {
                        1 => w,
                        _ => w.swap_dims(0, 1).reshape([stages * rounds, w.dim(2), w.dim(3)]),
                    };
                    let layers = (flat(up), flat(down));
                    vmap(x, |x| scan(x, layers, layer)).0
                }
                Some(mesh) => {
                    let cut = |name: &str| mesh.size(name).map_or(Cut::Whole, |_| Cut::from(name));
                    let x = x.mesh_split(mesh, [Cut::Whole, cut("data"), Cut::Whole]);
                    let split = |w: Tensor, last: [Cut; 2]| {
                        let mut cuts = vec![Cut::Whole; leading.len()];
                        cuts[0] = cut("stage");
                        w.mesh_split(mesh, [&cuts[..], &last].concat())
                    };
                    let up = split(up, [Cut::Whole, cut("model")]);
                    let down = split(down, [cut("model"), Cut::Whole]);
                    pipeline(x, (up, down), how, layer).0
                }
            };
            ((y * (iota(f64, y.dims(), 0) + 1.0)).sum(..), ())
        });
        (loss, slopes)
    });
    program.unwrap_or_else(|errors| panic!("{errors}"))
}

/// What a device holds at most, as it is told.
fn peak(way: example::Way, microbatches: i64) -> f64 {
    let mesh = Mesh::new([("stage", 4), ("data", 2)]).unwrap();
    let told = example::step(way, microbatches, Some(&mesh)).unwrap().partition().unwrap().explain();
    told.trim().rsplit(' ').next().and_then(|word| word.parse().ok()).unwrap_or_else(|| panic!("{told}"))
}

/// At a fixed batch more microbatches are smaller ones, and no weights are kept with them.
#[test]
fn what_is_kept_by_recomputing_pipelines_does_not_grow_with_microbatches() {
    for way in [example::Way::Recomputed, example::Way::Circular] {
        let (few, many) = (peak(way, 4), peak(way, 32));
        assert!(many <= few, "{way:?}: {few} and {many}");
    }
}

#[test]
fn meshes_of_stages_data_and_model_compute_what_one_device_does() {
    let meshes: [&[(&str, i64)]; 3] =
        [&[("stage", 8)], &[("stage", 4), ("data", 2)], &[("stage", 2), ("data", 2), ("model", 2)]];
    for axes in meshes {
        let mesh = Mesh::new(axes.iter().copied()).unwrap();
        for (rounds, microbatches) in [(1, 3), (1, 8), (2, 8)] {
            let case = Case { stages: axes[0].1, rounds, microbatches };
            let expected = run(&step(case, None, case.how()), 1);
            for how in [case.how(), case.how().recompute()] {
                let program = step(case, Some(&mesh), how);
                let told = program.partition().unwrap().explain();
                let trips = (microbatches * rounds + case.stages - 1) * 2;
                let permutes: Vec<&str> =
                    told.lines().filter(|line| line.contains("collective_permute")).collect();
                assert_eq!(permutes.len(), 1, "{told}");
                assert!(permutes[0].ends_with(&format!("{trips} times")), "{told}");
                // Nothing is put together in the loop; over two stages, what leaves it is, for as many bytes as a sum.
                let gathers = |line: &&str| line.contains("all_gather") && line.ends_with("times");
                assert_eq!(told.lines().find(gathers), None, "{told}");
                assert!(case.stages == 2 || !told.contains("all_gather"), "{told}");
                close(&run(&program, 8), &expected);
            }
        }
    }
}
