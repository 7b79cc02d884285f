//! Reductions over rows leave a number for each column: rows are taken in by their order, on any number of workers.
//! Reductions of other dims and types are drawn.

use crate::support;

use meshwright_base::SourceText;
use meshwright_base::random::Random;
use meshwright_interp::{Style, Tensor, random_inputs, run_global};
use meshwright_ir::Module;
use support::{launch, same_enough};

const REDUCE: &str = r#"
func.func public @main(%x: tensor<PxROWSxCxf32>) -> tensor<Cxf32> {
  %first = stablehlo.constant dense<FIRST> : tensor<f32>
  %r = stablehlo.reduce(%x init: %first) applies stablehlo.OP across dimensions = [0, 1] : (tensor<PxROWSxCxf32>, tensor<f32>) -> tensor<Cxf32>
  return %r : tensor<Cxf32>
}
"#;

fn module(op: &str, first: &str, (parts, rows, columns): (usize, usize, usize)) -> Module {
    let sizes = [("PxROWSxC", format!("{parts}x{rows}x{columns}")), ("<C", format!("<{columns}"))];
    let text = sizes.iter().fold(REDUCE.to_string(), |text, (name, size)| text.replace(name, size));
    let text = text.replace("FIRST", first).replace("OP", op);
    meshwright_text::parse(&SourceText::new("columns".to_string(), text)).map_err(|_| "the module").unwrap()
}

#[test]
fn columns_take_in_rows_by_their_order_on_any_number_of_workers() {
    for size in [(2, 1100, 256), (1, 3000, 127), (3, 5, 129), (1, 700, 1), (2, 1, 4000), (1, 1, 128)] {
        for (op, first) in
            [("add", "0.5"), ("multiply", "1.5"), ("maximum", "0xFF800000"), ("minimum", "7.0")]
        {
            let module = module(op, first, size);
            let inputs = random_inputs(&module, 3, Style::Natural).unwrap();
            let [one, two] = [1, 2].map(|workers| launch(module.clone(), &inputs, workers));
            assert_eq!(one.bytes, two.bytes, "{op} {size:?}");
            let expected = run_global(&module, &inputs).unwrap();
            assert_eq!(same_enough(&one, &expected[0], false), None, "{op} {size:?}");
            // A single column is a row.
            if op == "add" && size.2 > 1 {
                assert_eq!(
                    Tensor::from_bytes(one.ty.clone(), &one.bytes).unwrap().to_f64s(),
                    sums(&inputs[0], size.2)
                );
            }
        }
    }
}

/// Row after row, from 0.5 on.
fn sums(x: &Tensor, columns: usize) -> Vec<f64> {
    let add = |mut sums: Vec<f32>, row: &[f64]| {
        sums.iter_mut().zip(row).for_each(|(sum, x)| *sum += *x as f32);
        sums
    };
    x.to_f64s().chunks(columns).fold(vec![0.5; columns], add).into_iter().map(f64::from).collect()
}

/// A reduction of some dims of an array of any type, which may be seen transposed; what it begins with may be computed.
fn drawn(draw: &mut Random) -> Module {
    let sizes = [1, 2, 3, 8, 31, 64, 129, 512, 1024];
    let mut dims: Vec<usize> = (0..2 + draw.index(3)).map(|_| draw.of(&sizes)).collect();
    while dims.iter().product::<usize>() > 1 << 18 {
        let at = draw.index(dims.len());
        dims[at] = dims[at].div_ceil(7);
    }
    if draw.index(20) == 0 {
        dims[0] = 0;
    }
    let rank = dims.len();
    let over: Vec<usize> = (0..rank).filter(|_| draw.index(2) == 0).collect();
    let over = if over.is_empty() { vec![draw.index(rank)] } else { over };
    let ty = draw.of(&["f32", "bf16", "f16", "f64", "i32", "i64", "ui32", "i8", "ui8", "i16"]);
    let op = draw.of(&["add", "maximum", "minimum", "maximum", "minimum", "multiply"]);
    let (transposed, wide) = (draw.index(3) == 0, ty == "bf16" && draw.index(2) == 0);
    let shape = |dims: &[usize], ty: &str| {
        let sizes: String = dims.iter().map(|size| format!("{size}x")).collect();
        format!("tensor<{sizes}{ty}>")
    };
    let seen: Vec<usize> = if transposed { dims.iter().rev().copied().collect() } else { dims.clone() };
    let kept: Vec<usize> = (0..rank).filter(|d| !over.contains(d)).map(|d| seen[d]).collect();
    let made = if wide { "f32" } else { ty };
    let mut text = format!(
        "func.func @main(%x: {}, %i: tensor<{made}>) -> {} {{\n",
        shape(&dims, ty),
        shape(&kept, made)
    );
    let mut x = "%x";
    if transposed {
        let order: Vec<usize> = (0..rank).rev().collect();
        let types = format!("({}) -> {}", shape(&dims, ty), shape(&seen, ty));
        text += &format!("  %t = stablehlo.transpose {x}, dims = {order:?} : {types}\n");
        x = "%t";
    }
    if wide {
        let types = format!("({}) -> {}", shape(&seen, ty), shape(&seen, made));
        text += &format!("  %w = stablehlo.convert {x} : {types}\n");
        x = "%w";
    }
    let (full, one, result) = (shape(&seen, made), format!("tensor<{made}>"), shape(&kept, made));
    text += &format!(
        "  %r = stablehlo.reduce({x} init: %i) applies stablehlo.{op} across dimensions = {over:?} : ({full}, {one}) -> {result}\n"
    );
    text += &format!("  return %r : {result}\n}}");
    let module = meshwright_text::parse(&SourceText::new("drawn.mlir".to_string(), text.clone()));
    module.map_err(|errors| format!("{text}\n{}", errors[0])).unwrap()
}

#[test]
fn reductions_of_any_dims_and_type_are_those_of_the_interpreter() {
    for seed in 0..300 {
        let module = drawn(&mut Random::new(seed * 7919 + 5, 0));
        let inputs = random_inputs(&module, seed, Style::SmallInts).unwrap();
        let expected = run_global(&module, &inputs).unwrap();
        let [one, two] = [1, 2].map(|workers| launch(module.clone(), &inputs, workers));
        assert_eq!(one.bytes, two.bytes, "seed {seed}");
        assert_eq!(same_enough(&one, &expected[0], false), None, "seed {seed}: {:?}", expected[0].ty());
    }
}
