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

const INDEX: &str = "%i = stablehlo.constant dense<1> : tensor<i32>
           %f = stablehlo.slice %y [0:1, 0:1] : (tensor<4x6xf32>) -> tensor<1x1xf32>
           %o = stablehlo.reshape %f : (tensor<1x1xf32>) -> tensor<f32>
           %j = stablehlo.convert %o : (tensor<f32>) -> tensor<i32>
           %s = stablehlo.dynamic_slice %x, %j, %j, sizes = [8, 3]
               : (tensor<8x4xf32>, tensor<i32>, tensor<i32>) -> tensor<8x3xf32>\n";

#[test]
fn starts_that_are_computed_are_bound() {
    let again = "%r = stablehlo.dynamic_slice %s, %i, %j, sizes = [4, 2]
               : (tensor<8x3xf32>, tensor<i32>, tensor<i32>) -> tensor<4x2xf32>";
    assert_eq!(
        ops(&format!("{INDEX}{again}"), "tensor<4x2xf32>"),
        "constant slice reshape convert constant constant clamp constant constant clamp dynamic_slice constant constant \
         clamp dynamic_slice"
    );
}

#[test]
fn starts_of_a_device_are_as_they_are() {
    let own = "%i = stablehlo.constant dense<0> : tensor<i32>
           %p = stablehlo.partition_id : tensor<ui32>
           %j = stablehlo.convert %p : (tensor<ui32>) -> tensor<i32>
           %r = stablehlo.dynamic_slice %x, %i, %j, sizes = [8, 3]
               : (tensor<8x4xf32>, tensor<i32>, tensor<i32>) -> tensor<8x3xf32>";
    assert_eq!(ops(own, "tensor<8x3xf32>"), "constant partition_id convert dynamic_slice");
}

/// Updates added to three columns of `%x`, at as many indices as `%at` has.
fn added(at: &str, indices: &str, updates: &str) -> String {
    format!(
        "{INDEX}{at}
           %u = stablehlo.constant dense<1.0> : {updates}
           %r = \"stablehlo.scatter\"(%s, %at, %u) <{{scatter_dimension_numbers = #stablehlo.scatter<
               update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0],
               index_vector_dim = 1>}}> ({{
           ^bb0(%a: tensor<f32>, %b: tensor<f32>):
             %c = stablehlo.add %a, %b : tensor<f32>
             stablehlo.return %c : tensor<f32>
           }}) : (tensor<8x3xf32>, {indices}, {updates}) -> tensor<8x3xf32>"
    )
}

#[test]
fn one_index_stays_apart_from_the_slice_it_adds_to() {
    let at = "%at = stablehlo.reshape %j : (tensor<i32>) -> tensor<1x1xi32>";
    let program = added(at, "tensor<1x1xi32>", "tensor<1x3xf32>");
    assert_eq!(
        ops(&program, "tensor<8x3xf32>"),
        "constant slice reshape convert constant constant clamp constant constant clamp dynamic_slice reshape constant \
         optimization_barrier scatter add"
    );
}

#[test]
fn several_indices_are_no_slice() {
    let at = "%at = stablehlo.broadcast_in_dim %j, dims = [] : (tensor<i32>) -> tensor<2x1xi32>";
    let program = added(at, "tensor<2x1xi32>", "tensor<2x3xf32>");
    assert_eq!(
        ops(&program, "tensor<8x3xf32>"),
        "constant slice reshape convert constant constant clamp constant constant clamp dynamic_slice broadcast_in_dim \
         constant scatter add"
    );
}

#[test]
fn one_index_stays_apart_from_a_parameter() {
    let at = "%at = stablehlo.reshape %j : (tensor<i32>) -> tensor<1x1xi32>";
    let program = added(at, "tensor<1x1xi32>", "tensor<1x3xf32>").replace("(%s, %at", "(%x, %at");
    let program = program.replace("8x3xf32>, tensor<1x1xi32>", "8x4xf32>, tensor<1x1xi32>");
    let program = program
        .replace("tensor<1x3xf32>", "tensor<1x4xf32>")
        .replace(") -> tensor<8x3xf32>", ") -> tensor<8x4xf32>");
    let program = program.replace(
        "tensor<i32>, tensor<i32>) -> tensor<8x4xf32>",
        "tensor<i32>, tensor<i32>) -> tensor<8x3xf32>",
    );
    assert!(ops(&program, "tensor<8x4xf32>").ends_with("optimization_barrier scatter add"));
}
