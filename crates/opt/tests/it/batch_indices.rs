//! Which components of indices go in batches.

use meshwright_base::SourceText;
use meshwright_ir::{Module, Op, verify};
use meshwright_opt::batch_indices;

fn parse(text: &str) -> Module {
    meshwright_text::parse(&SourceText::new("test.mlir", text)).expect("the module is read")
}

/// A gather of `table` by a counted and a given component, which stand in `order`; how it is written then.
fn gather(table: &str, counted: &str, order: &str) -> String {
    let mut module = parse(&format!(
        "func.func public @main(%x: tensor<{table}xf32>, %at: tensor<8x6x1xi32>) -> tensor<8x6xf32> {{
           {counted}
           %i = stablehlo.concatenate {order}, dim = 2 : (tensor<8x6x1xi32>, tensor<8x6x1xi32>) -> tensor<8x6x2xi32>
           %0 = \"stablehlo.gather\"(%x, %i) <{{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0, 1], \
              start_index_map = [0, 1], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1>}}> : \
              (tensor<{table}xf32>, tensor<8x6x2xi32>) -> tensor<8x6xf32>
           return %0 : tensor<8x6xf32>
         }}"
    ));
    let changed = batch_indices(&mut module);
    verify(&module).expect("the module is still right");
    let main = module.main();
    let gathers = main.insts_in_order().into_iter().filter_map(|inst| match &main.inst(inst).op {
        Op::Gather(op) => Some(format!(
            "{changed}: {:?} with {:?}, by {:?}",
            op.operand_batching_dims, op.start_indices_batching_dims, op.start_index_map
        )),
        _ => None,
    });
    gathers.collect()
}

const ROWS: &str = "%r = stablehlo.iota dim = 0 : tensor<8x6x1xi32>";
const COLUMNS: &str = "%r = stablehlo.iota dim = 1 : tensor<8x6x1xi32>";

#[test]
fn a_component_that_counts_its_dim_is_a_batch_wherever_it_stands() {
    assert_eq!(gather("8x9", ROWS, "%r, %at"), "true: [0] with [0], by [1]");
    assert_eq!(gather("9x8", ROWS, "%at, %r"), "true: [1] with [0], by [0]");
    assert_eq!(gather("6x9", COLUMNS, "%r, %at"), "true: [0] with [1], by [1]");
}

#[test]
fn a_component_that_counts_only_some_rows_stays() {
    assert_eq!(gather("9x9", ROWS, "%r, %at"), "false: [] with [], by [0, 1]");
    assert_eq!(gather("8x9", COLUMNS, "%r, %at"), "false: [] with [], by [0, 1]");
}

#[test]
fn the_last_component_stays() {
    let both = "%r = stablehlo.iota dim = 0 : tensor<8x6x1xi32>
                %c = stablehlo.iota dim = 1 : tensor<8x6x1xi32>";
    assert_eq!(gather("8x6", both, "%r, %c"), "true: [0] with [0], by [1]");
}

#[test]
fn a_component_that_counts_the_dim_of_the_components_stays() {
    let one = "%r = stablehlo.iota dim = 2 : tensor<8x6x1xi32>";
    assert_eq!(gather("1x9", one, "%r, %at"), "false: [] with [], by [0, 1]");
}

#[test]
fn a_constant_that_lists_the_places_counts_as_well() {
    let listed = |list: &str| {
        format!(
            "%c = stablehlo.constant dense<[{list}]> : tensor<8xi32>
             %n = stablehlo.constant dense<false> : tensor<8xi1>
             %o = stablehlo.add %c, %c : tensor<8xi32>
             %p = stablehlo.select %n, %o, %c : tensor<8xi1>, tensor<8xi32>
             %r = stablehlo.broadcast_in_dim %p, dims = [0] : (tensor<8xi32>) -> tensor<8x6x1xi32>"
        )
    };
    assert_eq!(gather("8x9", &listed("0, 1, 2, 3, 4, 5, 6, 7"), "%r, %at"), "true: [0] with [0], by [1]");
    assert_eq!(gather("8x9", &listed("0, 1, 2, 3, 4, 5, 7, 6"), "%r, %at"), "false: [] with [], by [0, 1]");
}
