//! Modules from elsewhere, called in a trace: annotated inside and outside, differentiated, batched, refused.

use meshwright::prelude::*;

/// A layer with shardings of its own.
const STABLEHLO: &str = r#"
sdy.mesh @mesh = <["repeated"=4, "model"=2]>
func.func public @main(%x: tensor<8x4xf64>, %w: tensor<4x6xf64> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"model"}]>})
    -> (tensor<8x6xf64>, tensor<f64>) {
  %h = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<8x4xf64>, tensor<4x6xf64>) -> tensor<8x6xf64>
  %y = func.call @curve(%h) : (tensor<8x6xf64>) -> tensor<8x6xf64>
  %zero = stablehlo.constant dense<0.0> : tensor<f64>
  %sum = stablehlo.reduce(%y init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x6xf64>, tensor<f64>) -> tensor<f64>
  return %y, %sum : tensor<8x6xf64>, tensor<f64>
}
func.func private @curve(%x: tensor<8x6xf64>) -> tensor<8x6xf64> {
  %y = stablehlo.sine %x : tensor<8x6xf64>
  return %y : tensor<8x6xf64>
}
"#;

const HLO: &str = "HloModule cubes

ENTRY main {
  x = f64[8,6] parameter(0)
  y = f64[8,6] multiply(x, x)
  z = f64[8,6] multiply(y, x)
  ROOT r = (f64[8,6], f64[8,6]) tuple(y, z)
}
";

fn numbers(dims: &[i64]) -> Array {
    let number = |i: i64| (i * 37 % 101) as f64 / 101.0 - 0.5;
    Array::new(dims, &(0..dims.iter().product()).map(number).collect::<Vec<_>>()).unwrap()
}

/// Results on 8 devices, inputs filled with numbers.
fn run(program: &Program) -> Vec<Vec<f64>> {
    let arrays: Vec<Array> = program.inputs().iter().map(|input| numbers(&input.ty.dims)).collect();
    let inputs: Vec<(&str, &Array)> = program.inputs().iter().map(|i| &*i.name).zip(&arrays).collect();
    let results = program.partition().unwrap().load(8).unwrap().run(&inputs).unwrap();
    let one = |result: &meshwright::ResultInfo| results.get(&result.name).unwrap().to_vec::<f64>().unwrap();
    program.results().iter().map(one).collect()
}

fn close(found: &[Vec<f64>], expected: &[Vec<f64>]) {
    assert_eq!(found.len(), expected.len());
    for (a, b) in found.iter().flatten().zip(expected.iter().flatten()) {
        assert!((a - b).abs() < 1e-12, "{a} beside {b}");
    }
}

/// What the two modules compute, written with the front end.
fn by_hand(x: Tensor, w: Tensor) -> Tensor {
    let y = x.matmul(w).sin();
    (y.powi(3) - y.square()).sum(..) * y.sum(..)
}

#[test]
fn modules_of_both_forms_are_called_annotated_and_differentiated() {
    let (layer, cubes) = (parse("layer.mlir", STABLEHLO).unwrap(), parse("cubes.hlo", HLO).unwrap());
    let mesh = Mesh::new([("data", 4), ("model", 2)]).unwrap();
    let shapes = |t: Trace| (t.input("x", f64, [8, 4]), t.input("w", f64, [4, 6]));
    let program = trace("f", |t| {
        let (x, w) = shapes(t);
        value_and_grad((x.mesh_split(&mesh, [0, -1]), w), |(x, w)| {
            let (y, sum): (Tensor, Tensor) = layer.call((x, w));
            let [squares, cubes]: [Tensor; 2] = cubes.call(y.mesh_split(&mesh, [0, 1]));
            (cubes - squares).sum(..) * sum
        })
    });
    let alone = trace("f", |t| value_and_grad(shapes(t), |(x, w)| by_hand(x, w)));
    let program = program.unwrap();
    let explained = program.partition().unwrap().explain();
    assert!(explained.contains("in  x: f64[8,4] as f64[2,4] [data, _]"), "{explained}");
    assert!(
        explained.contains("in  w: f64[4,6] as f64[4,3] [_, model]"),
        "said inside of the module: {explained}"
    );
    close(&run(&program), &run(&alone.unwrap()));
}

#[test]
fn modules_are_called_in_loops_and_for_many_cases() {
    let cubes = parse("cubes.hlo", HLO).unwrap();
    let program = trace("f", |t| {
        let x = t.input("x", f64, [3, 8, 6]);
        let wide = vmap(x, |x| cubes.call::<(Tensor, Tensor)>(x).1);
        let looped = scan((), x, |(), x| ((), checkpoint(|| cubes.call::<Vec<Tensor>>(x)[1]))).1;
        [
            ("wide", wide),
            ("looped", looped),
            ("slopes", grad(x, |x| vmap(x, |x| cubes.call::<[Tensor; 2]>(x)[1]).sum(..))),
        ]
    });
    let found = run(&program.unwrap());
    let x = numbers(&[3, 8, 6]).to_vec::<f64>().unwrap();
    let of = |f: fn(f64) -> f64| x.iter().map(|x| f(*x)).collect::<Vec<_>>();
    close(&found, &[of(|x| x * x * x), of(|x| x * x * x), of(|x| 3.0 * x * x)]);
}

#[test]
fn a_module_without_a_derivative_is_told_at_the_users_line() {
    let text = "func.func @main(%x: tensor<2xf64>) -> tensor<2xf64> {
      %y = stablehlo.custom_call @unheard_of(%x) : (tensor<2xf64>) -> tensor<2xf64>
      return %y : tensor<2xf64>
    }";
    let module = parse("m.mlir", text).unwrap();
    let errors = trace("f", |t| grad(t.input("x", f64, [2]), |x| module.call::<Tensor>(x).sum(..)));
    let text = errors.unwrap_err().to_string();
    assert!(text.contains("has no derivative") && text.contains("foreign_modules.rs:"), "{text}");
}

#[test]
fn a_module_for_other_devices_is_told_at_the_users_line() {
    let layer = parse("layer.mlir", STABLEHLO).unwrap();
    let mesh = Mesh::new([("x", 4)]).unwrap();
    let errors = trace("f", |t| {
        let (x, w) = (t.input("x", f64, [8, 4]).mesh_split(&mesh, [0, -1]), t.input("w", f64, [4, 6]));
        layer.call::<(Tensor, Tensor)>((x, w))
    });
    let text = errors.unwrap_err().to_string();
    assert!(
        text.contains("a mesh of 8 devices is used beside one of 4") && text.contains("foreign_modules.rs:"),
        "{text}"
    );
}
