//! What is told of operands that are put together.

use meshwright_base::SourceText;
use meshwright_compile::{Options, StopAfter, Unobserved, plan};
use meshwright_spmd::plan::whole::whole_operands;

/// The notes on a module.
fn notes(text: &str) -> Vec<String> {
    let module = meshwright_text::parse(&SourceText::new("test.mlir", text)).expect("the module is read");
    let (planned, _) =
        plan(module, &Options::default(), StopAfter::Plan, &mut Unobserved).expect("the module is planned");
    whole_operands(planned.module()).iter().map(|operand| operand.note().message).collect()
}

const CALLED: &str = r#"
  func.func private @solve(%arg0: tensor<8x8xf32>) -> tensor<8x8xf32> {
    %c = stablehlo.custom_call @mystery(%arg0) : (tensor<8x8xf32>) -> tensor<8x8xf32>
    return %c : tensor<8x8xf32>
  }"#;

#[test]
fn what_a_function_is_given_has_the_name_its_caller_gave_it() {
    let text = format!(
        r#"module {{
  sdy.mesh @m = <["x"=4]>
  func.func public @main(%weights: tensor<8x8xf32> {{sdy.sharding = #sdy.sharding<@m, [{{"x"}}, {{}}]>}}) -> tensor<8x8xf32> {{
    %0 = call @inner(%weights) : (tensor<8x8xf32>) -> tensor<8x8xf32>
    return %0 : tensor<8x8xf32>
  }}
  func.func private @inner(%arg0: tensor<8x8xf32>) -> tensor<8x8xf32> {{
    %0 = call @solve(%arg0) : (tensor<8x8xf32>) -> tensor<8x8xf32>
    return %0 : tensor<8x8xf32>
  }}
  {CALLED}
}}"#
    );
    assert_eq!(
        notes(&text),
        ["`%weights` is put together over dim 0 for `custom_call`: 256 bytes on every device"]
    );
}
