//! Products of `bf16`: every layout, size and result type against the interpreter, exact on small whole numbers; the
//! same bits on one and two workers. On a CPU with tiles this is the kernel for them, elsewhere the wide one.

use crate::support;

use meshwright_base::SourceText;
use meshwright_interp::{Style, random_inputs, run_global};
use meshwright_ir::Module;
use support::launch;

/// A product of `[b, m, k]` and `[b, k, n]`; dims of an operand are exchanged where `transposed` says so.
fn product(b: usize, (m, k, n): (usize, usize, usize), transposed: (bool, bool), result: &str) -> Module {
    let shape = |transposed: bool, x: usize, y: usize| if transposed { (y, x) } else { (x, y) };
    let ((l0, l1), (r0, r1)) = (shape(transposed.0, m, k), shape(transposed.1, k, n));
    let (lc, rc) = (if transposed.0 { 1 } else { 2 }, if transposed.1 { 2 } else { 1 });
    let text = format!(
        "func.func @main(%a: tensor<{b}x{l0}x{l1}xbf16>, %b: tensor<{b}x{r0}x{r1}xbf16>) -> tensor<{b}x{m}x{n}x{result}> {{
  %d = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [{lc}] x [{rc}] : (tensor<{b}x{l0}x{l1}xbf16>, tensor<{b}x{r0}x{r1}xbf16>) -> tensor<{b}x{m}x{n}x{result}>
  return %d : tensor<{b}x{m}x{n}x{result}>
}}"
    );
    meshwright_text::parse(&SourceText::new("m.mlir", text)).unwrap()
}

fn check(b: usize, size: (usize, usize, usize), transposed: (bool, bool), result: &str) {
    let module = product(b, size, transposed, result);
    let inputs = random_inputs(&module, 7, Style::SmallInts).unwrap();
    let expected = run_global(&module, &inputs).unwrap();
    let ours = launch(product(b, size, transposed, result), &inputs, 2);
    let why = support::same_enough(&ours, &expected[0], true);
    assert_eq!(why, None, "{b} of {size:?} {transposed:?} {result}");
}

#[test]
fn products_of_any_size_and_layout_are_exact_on_small_whole_numbers() {
    for transposed in [(false, false), (true, false), (false, true), (true, true)] {
        for result in ["bf16", "f32"] {
            check(1, (64, 64, 96), transposed, result);
            check(2, (33, 47, 70), transposed, result);
            check(3, (16, 16, 16), transposed, result);
            check(1, (40, 2100, 35), transposed, result);
        }
    }
    check(1, (600, 64, 520), (false, false), "bf16");
    // Several chunks of k, rows that lie a power of two apart, and blocks that are not whole in any direction.
    check(1, (290, 1024, 290), (false, false), "f32");
    check(1, (570, 1090, 45), (false, true), "bf16");
    check(1, (45, 1090, 1070), (true, false), "bf16");
    check(2, (64, 320, 1100), (false, false), "f32");
    check(5, (8, 64, 4), (false, false), "bf16");
    // Rows that are copied beside products, two and four lines at a time: until the last rows, or until `k` ends.
    check(1, (330, 1024, 530), (false, false), "bf16");
    check(1, (330, 1090, 300), (false, true), "f32");
    check(2, (97, 2048, 260), (false, false), "bf16");
}

#[test]
fn products_of_real_numbers_keep_their_bits_on_two_workers() {
    for (size, transposed) in [((1280, 1056, 96), (false, true)), ((96, 1056, 1100), (true, false))] {
        let module = product(1, size, transposed, "bf16");
        let inputs = random_inputs(&module, 3, Style::Natural).unwrap();
        let [one, two] = [1, 2].map(|workers| launch(product(1, size, transposed, "bf16"), &inputs, workers));
        assert_eq!(one.bytes, two.bytes, "{size:?}");
    }
}
