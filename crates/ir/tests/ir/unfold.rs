//! How large modules are with their calls written out.

use meshwright_ground::SourceText;
use meshwright_ir::unfolded;

fn size(calls: &str) -> u64 {
    let text = format!(
        "func.func public @main(%a: tensor<f32>) -> tensor<f32> {{\n{calls}  return %a : tensor<f32>\n}}\n\
         func.func private @f(%a: tensor<f32>) -> tensor<f32> {{\n  %0 = func.call @g(%a) : (tensor<f32>) -> tensor<f32>\n  \
         %1 = func.call @g(%0) : (tensor<f32>) -> tensor<f32>\n  return %1 : tensor<f32>\n}}\n\
         func.func private @g(%a: tensor<f32>) -> tensor<f32> {{\n  %0 = stablehlo.sine %a : tensor<f32>\n  \
         return %0 : tensor<f32>\n}}\n"
    );
    unfolded(&meshwright_text::parse(&SourceText::new("m.mlir", text)).unwrap())
}

#[test]
fn a_function_counts_once_per_call_and_not_at_all_without() {
    let call =
        |at: usize, name: &str| format!("  %{at} = func.call @{name}(%a) : (tensor<f32>) -> tensor<f32>\n");
    assert_eq!(size(""), 0);
    assert_eq!(size(&call(0, "g")), 2);
    assert_eq!(size(&call(0, "f")), 1 + 2 + 2);
    assert_eq!(size(&(call(0, "g") + &call(1, "f") + &call(2, "f"))), 2 + 5 + 5);
}
