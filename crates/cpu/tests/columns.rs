//! Reductions over rows leave a number for each column: rows are taken in by their order, on any number of workers.

mod support;

use meshwright_base::SourceText;
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
