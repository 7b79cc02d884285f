//! What is made again and what that gives; programs keep every bit.

use meshwright_base::{SourceText, render};
use meshwright_campaign::check::inputs;
use meshwright_campaign::generate::case;
use meshwright_cost::program_peak;
use meshwright_interp::{Style, random_inputs, run_global};
use meshwright_ir::{Module, Op, raise_scan, verify};
use meshwright_opt::{Judged, Rematerialized, cse, dce, rematerialize, rematerialize_judged};

fn parse(text: &str) -> Module {
    let source = SourceText::new("test", text);
    meshwright_text::parse(&source).unwrap_or_else(|errors| {
        panic!("{}", errors.iter().map(|error| render(error, Some(&source))).collect::<String>())
    })
}

const T: &str = "tensor<100xf32>";
const BYTES: i64 = 400;

/// Layers `x = sine(x + x)` forward, and backward through all of them, as a step that is differentiated looks.
fn step(layers: usize) -> Module {
    let mut lines = String::new();
    for i in 0..layers {
        lines +=
            &format!("%d{i} = stablehlo.add %x{i}, %x{i} : {T}\n%x{} = stablehlo.sine %d{i} : {T}\n", i + 1);
    }
    lines += &format!("%g{layers} = stablehlo.exponential %x{layers} : {T}\n");
    for i in (0..layers).rev() {
        lines += &format!(
            "%c{i} = stablehlo.cosine %d{i} : {T}\n%m{i} = stablehlo.multiply %g{}, %c{i} : {T}\n",
            i + 1
        );
        lines += &format!("%g{i} = stablehlo.add %m{i}, %x{i} : {T}\n");
    }
    parse(&format!("func.func @main(%x0: {T}) -> {T} {{\n{lines}return %g0 : {T}\n}}"))
}

/// The pass at work; what it says is what is so, and nothing is computed differently.
fn remade(module: &Module, limit: i64) -> (Module, Rematerialized) {
    let mut after = module.clone();
    let report = rematerialize(&mut after, limit);
    assert_eq!((report.before, report.after), (program_peak(module), program_peak(&after)));
    assert!(report.after <= report.before);
    verify(&after)
        .unwrap_or_else(|errors| panic!("{errors:?}\n{}", meshwright_text::stablehlo::print(&after)));
    (after, report)
}

#[track_caller]
fn same_bits(a: &Module, b: &Module) {
    let inputs = random_inputs(a, 7, Style::Natural).expect("inputs are made");
    let (a, b) = (run_global(a, &inputs).expect("it runs"), run_global(b, &inputs).expect("it runs"));
    assert!(a.iter().zip(&b).all(|(a, b)| a.same(b)), "the results differ");
}

/// The program behind so many that were judged, of which the judge liked these.
fn judged(module: &Module, most: usize, likes: &dyn Fn(usize) -> bool) -> (Module, Rematerialized, Vec<i64>) {
    let (mut after, mut peaks) = (module.clone(), Vec::new());
    let report = rematerialize_judged(&mut after, &mut |seen| {
        peaks.push(program_peak(seen));
        match peaks.len() {
            seen if seen > most => Judged::Last,
            seen if likes(seen) => Judged::Better,
            _ => Judged::NoBetter,
        }
    });
    (after, report, peaks)
}

#[test]
fn of_the_programs_on_the_way_the_last_that_was_liked_is_kept() {
    let module = step(12);
    let (after, report, peaks) = judged(&module, 6, &|at| at == 2 || at == 4);
    assert_eq!(peaks.len(), 7, "the search ends where the judge says so: {peaks:?}");
    assert!(peaks.is_sorted_by(|a, b| a > b), "each is lower than all before: {peaks:?}");
    assert_eq!((report.after, program_peak(&after)), (peaks[3], peaks[3]), "{report:?}");
    assert!(report.values > 0 && report.before == program_peak(&module), "{report:?}");
    verify(&after).expect("it verifies");
    same_bits(&module, &after);
}

#[test]
fn a_program_is_as_it_was_if_no_other_is_liked() {
    let module = step(6);
    let (after, report, peaks) = judged(&module, usize::MAX, &|_| false);
    assert!(!peaks.is_empty());
    assert_eq!((report.values, report.after), (0, report.before));
    assert_eq!(meshwright_text::stablehlo::print(&after), meshwright_text::stablehlo::print(&module));
}

#[test]
fn a_step_fits_less_and_computes_the_same() {
    let module = step(12);
    let plain = program_peak(&module);
    let limit = plain * 6 / 10;
    let (after, report) = remade(&module, limit);
    assert!(report.after <= limit, "{report:?}");
    assert!(report.values > 0 && report.share() > 0.0 && report.share() < 1.0, "{report:?}");
    same_bits(&module, &after);
    let mut cleaned = after.clone();
    cse(&mut cleaned);
    dce(&mut cleaned);
    assert_eq!(program_peak(&cleaned), report.after, "what is made again is not merged with what was there");
}

#[test]
fn a_limit_that_holds_changes_nothing() {
    let module = step(3);
    let (after, report) = remade(&module, program_peak(&module));
    assert_eq!((report.values, report.share()), (0, 0.0));
    assert_eq!(meshwright_text::stablehlo::print(&after), meshwright_text::stablehlo::print(&module));
}

#[test]
fn a_limit_out_of_reach_is_come_near() {
    let (after, report) = remade(&step(12), 0);
    assert!(report.after > 0 && report.after < report.before, "{report:?}");
    let (same, within) = remade(&step(12), report.after);
    assert_eq!(
        (within.after, within.values),
        (report.after, report.values),
        "nothing is made again for nothing"
    );
    assert_eq!(meshwright_text::stablehlo::print(&after), meshwright_text::stablehlo::print(&same));
    same_bits(&step(12), &after);
}

#[test]
fn the_same_program_becomes_the_same_text() {
    let text = || meshwright_text::stablehlo::print(&remade(&step(9), 5 * BYTES).0);
    assert_eq!(text(), text());
}

#[test]
fn cheap_values_are_made_again_before_dear_ones() {
    // Both are kept over the peak; the sum costs a flop an element, the product hundreds.
    let m = "tensor<64x64xf32>";
    let module = parse(&format!(
        "func.func @main(%a: {m}) -> {m} {{
           %dear = stablehlo.dot_general %a, %a, contracting_dims = [1] x [0] : ({m}, {m}) -> {m}
           %cheap = stablehlo.add %a, %a : {m}
           %0 = stablehlo.add %dear, %cheap : {m}
           %1 = stablehlo.sine %0 : {m}
           %2 = stablehlo.cosine %1 : {m}
           %3 = stablehlo.multiply %1, %2 : {m}
           %4 = stablehlo.add %3, %dear : {m}
           %5 = stablehlo.add %4, %cheap : {m}
           return %5 : {m}
         }}"
    ));
    let (after, report) = remade(&module, program_peak(&module) - 1);
    let main = after.main();
    let ops = main.insts_in_order().into_iter().map(|inst| &main.inst(inst).op);
    assert_eq!(ops.filter(|op| matches!(op, Op::Dot(_))).count(), 1);
    assert_eq!(report.values, 1);
    same_bits(&module, &after);
}

#[test]
fn random_programs_keep_every_bit() {
    let mut remade_values = 0;
    for number in 0..150 {
        let case = case(11, number);
        let (after, report) = remade(&case.module, 0);
        remade_values += report.values;
        let Ok(inputs) = inputs(&case) else { continue };
        let (Ok(a), Ok(b)) = (run_global(&case.module, &inputs), run_global(&after, &inputs)) else {
            continue;
        };
        assert!(a.iter().zip(&b).all(|(a, b)| a.same(b)), "case {number}");
    }
    assert!(remade_values > 0, "the programs give this nothing to do");
}

/// One training step of the yardstick, two layers of 16.
#[test]
fn the_yardsticks_step_keeps_every_bit() {
    let module = parse(include_str!("../../../../tests/golden_steps/yardstick/small_step.mlir"));
    // Weights and their moments alone are six tenths of it.
    let limit = program_peak(&module) * 93 / 100;
    let (after, report) = remade(&module, limit);
    assert!(report.after <= limit && report.share() < 0.1, "{report:?}");
    same_bits(&module, &after);
}

/// What is made again is used inside a loop: there behind a barrier that holds a value of the loop too, and in another
/// shape.
#[test]
fn views_inside_of_a_loop_stay_there() {
    let (row, i) = ("tensor<1x100xf32>", "tensor<i32>");
    let module = parse(&format!(
        "func.func @main(%x: {T}, %n: {i}) -> ({T}, {T}) {{
           %zero = stablehlo.constant dense<0> : {i}
           %nought = stablehlo.constant dense<0.0> : tensor<f32>
           %a = stablehlo.sine %x : {T}
           %b = stablehlo.cosine %a : {T}
           %wide = stablehlo.broadcast_in_dim %b, dims = [1] : ({T}) -> tensor<20x100xf32>
           %grown = stablehlo.exponential %wide : tensor<20x100xf32>
           %e = stablehlo.reduce(%grown init: %nought) applies stablehlo.add across dimensions = [0] : (tensor<20x100xf32>, tensor<f32>) -> {T}
           %f:2 = stablehlo.while(%i = %zero, %s = %e) : {i}, {T}
             cond {{ %p = stablehlo.compare LT, %i, %n : ({i}, {i}) -> tensor<i1>
               stablehlo.return %p : tensor<i1> }}
             do {{ %one = stablehlo.constant dense<1> : {i}
               %j = stablehlo.add %i, %one : {i}
               %h:2 = stablehlo.optimization_barrier %s, %a : {T}, {T}
               %r = stablehlo.reshape %a : ({T}) -> {row}
               %t = stablehlo.reshape %r : ({row}) -> {T}
               %u = stablehlo.add %h#0, %h#1 : {T}
               %v = stablehlo.multiply %u, %t : {T}
               stablehlo.return %j, %v : {i}, {T} }}
           return %f#1, %e : {T}, {T}
         }}"
    ));
    let (after, report) = remade(&module, 0);
    assert!(report.values > 0, "{report:?}");
    let barriers = |module: &Module| {
        let insts = module.main().insts_in_order();
        let barriers =
            insts.iter().filter(|inst| matches!(module.main().inst(**inst).op, Op::OptimizationBarrier));
        barriers.map(|inst| module.main().inst(*inst).operands.len()).collect::<Vec<_>>()
    };
    assert_eq!((barriers(&module), barriers(&after)), (vec![2], vec![1, 2]));
    same_bits(&module, &after);
}

/// Training steps as XLA was given them and as it partitioned them.
#[test]
fn steps_of_models_verify_and_fit_less() {
    for text in [
        include_str!("../../../../tests/xla/moe/before_propagation.hlo"),
        include_str!("../../../../tests/xla/dense_1d/after_partitioning.hlo"),
    ] {
        let module = parse(text);
        let limit = program_peak(&module) * 9 / 10;
        let (_, report) = remade(&module, limit);
        assert!(report.after <= limit && report.share() < 0.01, "{report:?}");
    }
}

/// Layers `x = sine(x * w)` in a loop that stacks `x` and `x * w`, and a loop backward over both: as a model of layers
/// in a loop is differentiated.
fn looped() -> Module {
    let (row, stack) = ("tensor<1x100xf32>", "tensor<6x100xf32>");
    let slice = |name: &str, of: &str, at: &str| {
        format!(
            "%{name}r = stablehlo.dynamic_slice {of}, {at}, %o, sizes = [1, 100] : ({stack}, tensor<i32>, tensor<i32>) -> {row}
             %{name} = stablehlo.reshape %{name}r : ({row}) -> {T}\n"
        )
    };
    let update = |name: &str, of: &str, with: &str, at: &str| {
        format!(
            "%{name}r = stablehlo.reshape {with} : ({T}) -> {row}
             %{name} = stablehlo.dynamic_update_slice {of}, %{name}r, {at}, %o : ({stack}, {row}, tensor<i32>, tensor<i32>) -> {stack}\n"
        )
    };
    let head = "cond { %c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
            stablehlo.return %c : tensor<i1> }
          do { %one = stablehlo.constant dense<1> : tensor<i32>
            %j = stablehlo.add %i, %one : tensor<i32>\n";
    let first = format!(
        "%f:4 = stablehlo.while(%i = %o, %x = %x0, %s = %z, %t = %z) : tensor<i32>, {T}, {stack}, {stack}
           {head} {} %d = stablehlo.multiply %x, %w : {T}
           %h = stablehlo.sine %d : {T}
           {} {} stablehlo.return %j, %h, %s1, %t1 : tensor<i32>, {T}, {stack}, {stack} }}\n",
        slice("w", "%ws", "%i"),
        update("s1", "%s", "%x", "%i"),
        update("t1", "%t", "%d", "%i"),
    );
    let later = format!(
        "%b:3 = stablehlo.while(%i = %o, %g = %g0, %s = %z) : tensor<i32>, {T}, {stack}
           {head} %five = stablehlo.constant dense<5> : tensor<i32>
           %k = stablehlo.subtract %five, %i : tensor<i32>
           {} {} {} %c = stablehlo.cosine %d : {T}
           %m = stablehlo.multiply %g, %c : {T}
           %gx = stablehlo.multiply %m, %w : {T}
           %gw = stablehlo.multiply %m, %x : {T}
           {} stablehlo.return %j, %gx, %s1 : tensor<i32>, {T}, {stack} }}\n",
        slice("w", "%ws", "%k"),
        slice("x", "%f#2", "%k"),
        slice("d", "%f#3", "%k"),
        update("s1", "%s", "%gw", "%k"),
    );
    let mut module = parse(&format!(
        "func.func @main(%x0: {T}, %ws: {stack}) -> ({T}, {stack}) {{
           %n = stablehlo.constant dense<6> : tensor<i32>
           %o = stablehlo.constant dense<0> : tensor<i32>
           %e = stablehlo.constant dense<0.0> : tensor<f32>
           %z = stablehlo.broadcast_in_dim %e, dims = [] : (tensor<f32>) -> {stack}
           {first} %g0 = stablehlo.exponential %f#1 : {T}
           {later} return %b#1, %b#2 : {T}, {stack}
         }}"
    ));
    raise_scan(&mut module);
    dce(&mut module);
    module
}

#[test]
fn what_a_loop_stacks_for_another_is_made_again_there() {
    let module = looped();
    let scans = |module: &Module| -> Vec<(usize, usize)> {
        let main = module.main();
        let insts = main.insts_in_order().into_iter().map(|inst| main.inst(inst));
        let scans = insts.filter(|info| matches!(info.op, Op::Scan(_)));
        scans.map(|info| (info.operands.len(), info.results.len())).collect()
    };
    // Carried and weights, in; carried, inputs and products, out. Then carried, the three of them, and gradients.
    assert_eq!(scans(&module), [(2, 3), (4, 2)]);
    let (after, report) = remade(&module, program_peak(&module) - 4 * BYTES);
    assert_eq!(scans(&after), [(2, 2), (3, 2)]);
    assert_eq!((report.values, report.again), (1, 600.0), "{report:?}");
    same_bits(&module, &after);
}
