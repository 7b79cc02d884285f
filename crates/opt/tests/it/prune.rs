//! Which functions stay.

use meshwright_base::SourceText;
use meshwright_ir::{Module, verify};
use meshwright_opt::prune;

fn parse(text: &str) -> Module {
    meshwright_text::parse(&SourceText::new("test.mlir", text)).expect("the module is read")
}

fn names(module: &Module) -> Vec<String> {
    module.funcs.values().map(|func| func.name.to_string()).collect()
}

const BODY: &str = "%0 = stablehlo.negate %x : tensor<2xf32>
    return %0 : tensor<2xf32>
  }";

#[test]
fn what_the_entry_leads_to_stays_and_is_still_found() {
    let text = format!(
        "func.func private @unused(%x: tensor<2xf32>) -> tensor<2xf32> {{
           %1 = call @leaf(%x) : (tensor<2xf32>) -> tensor<2xf32>
           return %1 : tensor<2xf32>
         }}
         func.func private @leaf(%x: tensor<2xf32>) -> tensor<2xf32> {{ {BODY}
         func.func private @inner(%x: tensor<2xf32>) -> tensor<2xf32> {{
           %1 = call @leaf(%x) : (tensor<2xf32>) -> tensor<2xf32>
           return %1 : tensor<2xf32>
         }}
         func.func public @main(%x: tensor<2xf32>) -> tensor<2xf32> {{
           %1 = call @inner(%x) : (tensor<2xf32>) -> tensor<2xf32>
           return %1 : tensor<2xf32>
         }}"
    );
    let mut module = parse(&text);
    assert!(prune(&mut module));
    assert_eq!(names(&module), ["leaf", "inner", "main"]);
    assert_eq!(&*module.main().name, "main");
    verify(&module).expect("the module holds");
    assert!(!prune(&mut module));
}

#[test]
fn public_functions_stay() {
    let text = format!(
        "func.func public @main(%x: tensor<2xf32>) -> tensor<2xf32> {{ {BODY}
         func.func public @other(%x: tensor<2xf32>) -> tensor<2xf32> {{ {BODY}"
    );
    let mut module = parse(&text);
    assert!(!prune(&mut module));
}
