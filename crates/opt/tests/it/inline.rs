//! Which calls go, and that the program means the same after it.

use meshwright_base::{SourceText, render};
use meshwright_interp::{Style, random_inputs, run_global};
use meshwright_ir::{Module, Op, verify};
use meshwright_opt::inline;

fn parse(text: &str) -> Module {
    let source = SourceText::new("test.mlir", text);
    meshwright_text::parse(&source).unwrap_or_else(|errors| {
        panic!("{}", errors.iter().map(|error| render(error, Some(&source))).collect::<String>())
    })
}

/// Calls left of a program; its results must be what they were.
fn left(text: &str) -> usize {
    let before = parse(text);
    let mut after = before.clone();
    let changed = inline(&mut after);
    verify(&after)
        .unwrap_or_else(|errors| panic!("{errors:?}\n{}", meshwright_text::stablehlo::print(&after)));
    assert!(!inline(&mut after), "a second walk finds nothing");
    let inputs = random_inputs(&before, 1, Style::Natural).expect("inputs are made");
    let run = |module| run_global(module, &inputs).expect("it runs");
    assert!(run(&before).iter().zip(&run(&after)).all(|(a, b)| a.same(b)), "the results differ");
    let calls = |module: &Module| {
        let insts = module.funcs.values().map(|func| {
            let ops = func.insts_in_order().into_iter().map(|inst| &func.inst(inst).op);
            ops.filter(|op| matches!(op, Op::Call(_))).count()
        });
        insts.sum::<usize>()
    };
    assert_eq!(changed, calls(&before) > calls(&after));
    calls(&after)
}

const T: &str = "tensor<3xf32>";

fn func(name: &str, body: &str) -> String {
    format!("func.func private @{name}(%a: {T}, %b: {T}) -> ({T}, {T}) {{\n{body}\n}}\n")
}

fn main(body: &str) -> String {
    format!("func.func public @main(%x: {T}, %y: {T}) -> {T} {{\n{body}\n}}\n")
}

fn call(results: &str, name: &str, a: &str, b: &str) -> String {
    format!("{results}:2 = func.call @{name}({a}, {b}) : ({T}, {T}) -> ({T}, {T})\n")
}

#[test]
fn functions_go_where_they_are_called_also_within_each_other() {
    let sine = func("sine", &format!("%0 = stablehlo.sine %a : {T}\nreturn %0, %b : {T}, {T}"));
    let twice = func("swap", &(call("%0", "sine", "%b", "%a") + &format!("return %0#1, %0#0 : {T}, {T}")));
    let body =
        call("%0", "swap", "%x", "%y") + &format!("%1 = stablehlo.add %0#0, %0#1 : {T}\nreturn %1 : {T}");
    assert_eq!(left(&(sine + &twice + &main(&body))), 0);
}

#[test]
fn what_is_called_twice_stays() {
    let sine = func("sine", &format!("%0 = stablehlo.sine %a : {T}\nreturn %0, %b : {T}, {T}"));
    let body = call("%0", "sine", "%x", "%y")
        + &call("%1", "sine", "%0#1", "%0#0")
        + &format!("%2 = stablehlo.add %1#0, %1#1 : {T}\nreturn %2 : {T}");
    assert_eq!(left(&(sine + &main(&body))), 2);
}

#[test]
fn one_call_takes_what_another_returned_as_it_came() {
    let swap = func("swap", &format!("return %b, %a : {T}, {T}"));
    let sine = func("sine", &format!("%0 = stablehlo.sine %a : {T}\nreturn %0, %b : {T}, {T}"));
    let body = call("%0", "swap", "%x", "%y")
        + &call("%1", "sine", "%0#0", "%0#1")
        + &format!("%2 = stablehlo.subtract %1#0, %1#1 : {T}\nreturn %2 : {T}");
    assert_eq!(left(&(swap + &sine + &main(&body))), 0);
}

#[test]
fn loops_move_with_what_they_use_from_outside() {
    let looped = "%n = stablehlo.constant dense<3> : tensor<i32>
        %i0 = stablehlo.constant dense<0> : tensor<i32>
        %w:2 = stablehlo.while(%i = %i0, %s = %a) : tensor<i32>, tensor<3xf32>
          cond { %c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
                 stablehlo.return %c : tensor<i1> }
          do { %one = stablehlo.constant dense<1> : tensor<i32>
               %j = stablehlo.add %i, %one : tensor<i32>
               %t = stablehlo.add %s, %b : tensor<3xf32>
               stablehlo.return %j, %t : tensor<i32>, tensor<3xf32> }
        return %w#1, %b : tensor<3xf32>, tensor<3xf32>";
    let body = call("%0", "loop", "%x", "%y")
        + &format!("%1 = stablehlo.multiply %0#0, %0#1 : {T}\nreturn %1 : {T}");
    assert_eq!(left(&(func("loop", looped) + &main(&body))), 0);
}
