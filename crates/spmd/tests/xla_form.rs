//! What a partitioned program becomes for XLA.

use meshwright_base::SourceText;
use meshwright_ir::verify;
use meshwright_spmd::xla_form::xla_form;

/// The ops of a function of `%x: 8x4` and `%y: 4x6`, `f32`, on two devices.
fn ops(lines: &str, result: &str) -> String {
    let text = format!(
        "module attributes {{mhlo.num_partitions = 2 : i32}} {{
         func.func @main(%x: tensor<8x4xf32>, %y: tensor<4x6xf32>) -> {result} {{
           {lines}
           return %r : {result}
         }} }}"
    );
    let mut module =
        meshwright_text::parse(&SourceText::new("test.mlir", text)).expect("the text is a module");
    xla_form(&mut module);
    verify(&module).expect("the module holds");
    let main = module.main();
    let ops = main.insts_in_order().into_iter().map(|inst| main.inst(inst).op.mnemonic());
    ops.collect::<Vec<_>>().join(" ")
}

fn exchange(of: &str, ty: &str, to: &str) -> String {
    format!(
        "%r = \"stablehlo.all_to_all\"({of}) {{split_dimension = 0 : i64, concat_dimension = 1 : i64,
           split_count = 2 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>,
           channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>}} : ({ty}) -> {to}"
    )
}

#[test]
fn a_product_stays_apart_from_its_exchange() {
    let product = "%d = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0]
           : (tensor<8x4xf32>, tensor<4x6xf32>) -> tensor<8x6xf32>\n";
    let exchanged = exchange("%d", "tensor<8x6xf32>", "tensor<4x12xf32>");
    assert_eq!(
        ops(&format!("{product}{exchanged}"), "tensor<4x12xf32>"),
        "dot_general optimization_barrier all_to_all"
    );
}

#[test]
fn what_is_no_product_is_exchanged_as_it_is() {
    let sine = "%s = stablehlo.sine %x : tensor<8x4xf32>\n";
    let exchanged = exchange("%s", "tensor<8x4xf32>", "tensor<4x8xf32>");
    assert_eq!(ops(&format!("{sine}{exchanged}"), "tensor<4x8xf32>"), "sine all_to_all");
}
