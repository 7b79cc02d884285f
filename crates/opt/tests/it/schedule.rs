//! What is put in another order, and what that gives.

use meshwright_base::{SourceText, render};
use meshwright_campaign::check::inputs;
use meshwright_campaign::generate::case;
use meshwright_cost::program_peak;
use meshwright_interp::run_global;
use meshwright_ir::{Module, verify};
use meshwright_opt::schedule;
use meshwright_opt::schedule::schedule_from;

fn parse(text: &str) -> Module {
    let source = SourceText::new("test", text);
    meshwright_text::parse(&source).unwrap_or_else(|errors| {
        panic!("{}", errors.iter().map(|error| render(error, Some(&source))).collect::<String>())
    })
}

const M: &str = "tensor<512x1024xf32>";
const BYTES: i64 = 512 * 1024 * 4;

/// The ops of `%x`, `%y: M` and `%s: f32`, in the order they are put, and the peak in values of `M` besides these two.
fn ordered(lines: &str, result: &str) -> (String, i64) {
    let text = format!("func.func @main(%x: {M}, %y: {M}, %s: tensor<f32>) -> {result} {{\n{lines}\n}}");
    let before = parse(&text);
    let mut after = before.clone();
    schedule(&mut after);
    verify(&after).expect("the module holds");
    assert!(program_peak(&after) <= program_peak(&before));
    let main = after.main();
    let ops = main.insts_in_order().into_iter().filter(|inst| main.block_of(*inst) == main.root());
    let ops: Vec<_> = ops.map(|inst| main.inst(inst).op.mnemonic()).collect();
    (ops.join(" "), program_peak(&after) / BYTES - 2)
}

#[test]
fn what_adds_bytes_waits_for_its_first_use() {
    let lines = format!(
        "%a = stablehlo.sine %x : {M}
         %b = stablehlo.cosine %y : {M}
         %c = stablehlo.exponential %b : {M}
         %d = stablehlo.tanh %c : {M}
         %r = stablehlo.add %a, %d : {M}
         return %r : {M}"
    );
    assert_eq!(ordered(&lines, M), ("cosine exponential tanh sine add".into(), 3));
}

/// `%t` would keep `%a` until its own use; it waits as long as `%c` keeps it.
#[test]
fn what_only_others_keep_alive_is_waited_for() {
    let lines = format!(
        "%a = stablehlo.sine %x : {M}
         %t = stablehlo.tanh %a : {M}
         %b = stablehlo.cosine %y : {M}
         %e = stablehlo.exponential %b : {M}
         %c = stablehlo.subtract %e, %a : {M}
         %d = stablehlo.exponential %c : {M}
         %r = stablehlo.add %d, %t : {M}
         return %r : {M}"
    );
    assert_eq!(ordered(&lines, M), ("cosine exponential sine tanh subtract exponential add".into(), 4));
}

/// `%t` and `%u` make only `%v`, and `%a` is kept anyway: all three wait, and at the peak one value less is alive.
#[test]
fn what_makes_only_what_waits_waits_with_it() {
    let lines = format!(
        "%a = stablehlo.sine %x : {M}
         %t = stablehlo.tanh %a : {M}
         %u = stablehlo.negate %t : {M}
         %v = stablehlo.multiply %a, %u : {M}
         %b = stablehlo.cosine %y : {M}
         %c = stablehlo.exponential %b : {M}
         %e = stablehlo.add %b, %c : {M}
         %d = stablehlo.subtract %e, %a : {M}
         %r = stablehlo.add %d, %v : {M}
         return %r : {M}"
    );
    let order = "cosine exponential add sine tanh negate multiply subtract add";
    assert_eq!(ordered(&lines, M), (order.into(), 4));
}

#[test]
fn what_frees_bytes_goes_first() {
    let half = "tensor<512x512xf32>";
    let lines = format!(
        "%a = stablehlo.sine %x : {M}
         %b = stablehlo.cosine %y : {M}
         %c = stablehlo.exponential %b : {M}
         %d = stablehlo.multiply %c, %c : {M}
         %e = stablehlo.slice %a [0:512, 0:512] : ({M}) -> {half}
         %f = stablehlo.slice %a [0:512, 512:1024] : ({M}) -> {half}
         %g = stablehlo.multiply %e, %f : {half}
         return %g, %d : {half}, {M}"
    );
    let (order, peak) = ordered(&lines, &format!("({half}, {M})"));
    assert_eq!(order, "cosine exponential multiply sine slice slice multiply");
    assert_eq!(peak, 3);
}

#[test]
fn what_a_loop_made_is_used_up_one_by_one() {
    let (sum, over) = ("stablehlo.reduce", "applies stablehlo.add across dimensions = [0, 1]");
    let lines = format!(
        "%z = stablehlo.constant dense<0> : tensor<i32>
         %l:3 = stablehlo.while(%i = %z, %a = %x, %b = %y) : tensor<i32>, {M}, {M}
         cond {{
           %n = stablehlo.constant dense<3> : tensor<i32>
           %p = stablehlo.compare LT, %i, %n, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
           stablehlo.return %p : tensor<i1>
         }} do {{
           %o = stablehlo.constant dense<1> : tensor<i32>
           %j = stablehlo.add %i, %o : tensor<i32>
           stablehlo.return %j, %b, %a : tensor<i32>, {M}, {M}
         }}
         %o = stablehlo.constant dense<0.0> : tensor<f32>
         %aa = stablehlo.multiply %l#1, %l#1 : {M}
         %s1 = {sum}(%aa init: %o) {over} : ({M}, tensor<f32>) -> tensor<f32>
         %bb = stablehlo.multiply %l#2, %l#2 : {M}
         %s2 = {sum}(%bb init: %o) {over} : ({M}, tensor<f32>) -> tensor<f32>
         %c = stablehlo.add %aa, %x : {M}
         %c1 = {sum}(%c init: %o) {over} : ({M}, tensor<f32>) -> tensor<f32>
         %cw = stablehlo.broadcast_in_dim %c1, dims = [] : (tensor<f32>) -> {M}
         %d = stablehlo.multiply %l#1, %cw : {M}
         %d1 = {sum}(%d init: %o) {over} : ({M}, tensor<f32>) -> tensor<f32>
         %e = stablehlo.add %bb, %x : {M}
         %e1 = {sum}(%e init: %o) {over} : ({M}, tensor<f32>) -> tensor<f32>
         %ew = stablehlo.broadcast_in_dim %e1, dims = [] : (tensor<f32>) -> {M}
         %f = stablehlo.multiply %l#2, %ew : {M}
         %f1 = {sum}(%f init: %o) {over} : ({M}, tensor<f32>) -> tensor<f32>
         %all = stablehlo.add %s1, %s2 : tensor<f32>
         return %d1, %f1, %all : tensor<f32>, tensor<f32>, tensor<f32>"
    );
    let (order, peak) = ordered(&lines, "(tensor<f32>, tensor<f32>, tensor<f32>)");
    let one = "multiply reduce add reduce broadcast_in_dim multiply reduce";
    assert_eq!(order, format!("constant while constant {one} {one} add"));
    // What the loop made, a square, and what is added to it.
    assert_eq!(peak, 4);
}

#[test]
fn views_take_no_room_and_do_not_hold_up_what_they_show() {
    let lines = format!(
        "%a = stablehlo.sine %x : {M}
         %v = stablehlo.reshape %a : ({M}) -> tensor<524288xf32>
         %w = stablehlo.broadcast_in_dim %s, dims = [] : (tensor<f32>) -> {M}
         %b = stablehlo.cosine %y : {M}
         %c = stablehlo.add %b, %w : {M}
         %d = stablehlo.reshape %c : ({M}) -> tensor<524288xf32>
         %r = stablehlo.add %v, %d : tensor<524288xf32>
         return %r : tensor<524288xf32>"
    );
    let (order, peak) = ordered(&lines, "tensor<524288xf32>");
    assert_eq!(order, "broadcast_in_dim cosine add sine reshape reshape add");
    assert_eq!(peak, 3);
}

#[test]
fn small_programs_stay_as_they_are() {
    let text = "func.func @main(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
        %a = stablehlo.sine %x : tensor<4xf32>
        %b = stablehlo.cosine %y : tensor<4xf32>
        %c = stablehlo.exponential %b : tensor<4xf32>
        %r = stablehlo.add %a, %c : tensor<4xf32>
        return %r : tensor<4xf32>
      }";
    assert!(!schedule(&mut parse(text)));
}

/// Weights that are whole while a gradient is computed and cut when it is applied, as weight-update sharding leaves
/// them: both gathers were alive at once only because biases come first.
#[test]
fn a_gathered_gradient_is_used_up_before_the_next_is_gathered() {
    let whole = "tensor<2048x1024xf32>";
    let gathered = |name: &str, of: &str| {
        format!(
            "%{name} = stablehlo.concatenate {of}, {of}, {of}, {of}, dim = 0 : ({M}, {M}, {M}, {M}) -> {whole}
             %b{name} = stablehlo.reduce(%{name} init: %s) applies stablehlo.add across dimensions = [0]
               : ({whole}, tensor<f32>) -> tensor<1024xf32>\n"
        )
    };
    let product = |name: &str, of: &str| {
        format!(
            "%w{name} = stablehlo.dot_general {of}, %{name}, contracting_dims = [1] x [1]
               : ({M}, {whole}) -> tensor<512x2048xf32>
             %c{name} = stablehlo.slice %w{name} [0:128, 0:1024] : (tensor<512x2048xf32>) -> tensor<128x1024xf32>\n"
        )
    };
    let lines = gathered("g", "%x") + &gathered("h", "%y") + &product("g", "%x") + &product("h", "%y");
    let small = "tensor<1024xf32>, tensor<128x1024xf32>";
    let lines = lines + &format!("return %bg, %cg, %bh, %ch : {small}, {small}");
    let (order, _) = ordered(&lines, &format!("({small}, {small})"));
    assert_eq!(order, "concatenate reduce dot_general slice concatenate reduce dot_general slice");
}

#[test]
fn random_programs_keep_every_bit_and_never_need_more() {
    let mut moved = 0;
    for number in 0..300 {
        let case = case(12, number);
        let mut after = case.module.clone();
        moved += usize::from(schedule_from(&mut after, 1));
        verify(&after).expect("the module holds");
        assert!(program_peak(&after) <= program_peak(&case.module), "case {number}");
        let Ok(inputs) = inputs(&case) else { continue };
        let (Ok(a), Ok(b)) = (run_global(&case.module, &inputs), run_global(&after, &inputs)) else {
            continue;
        };
        assert!(a.iter().zip(&b).all(|(a, b)| a.same(b)), "case {number}");
    }
    assert!(moved > 0, "the programs give this nothing to do");
}
