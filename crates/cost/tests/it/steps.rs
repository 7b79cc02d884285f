//! Steps of small programs, simulated on machines whose numbers can be added up by hand.

use meshwright_base::SourceText;
use meshwright_cost::machine::Habits;
use meshwright_cost::machine::Overlap;
use meshwright_cost::peak::held_peak;
use meshwright_cost::simulate::Event;
use meshwright_cost::{Activities, Coefficient, Detail, Machine, StepTime, Wired, simulate};
use meshwright_ir::Module;

fn module(text: &str) -> Module {
    meshwright_text::parse(&SourceText::new("step.mlir", text)).unwrap_or_else(|found| panic!("{found:?}"))
}

/// 1 flop, 1 byte and 1 byte sent take a second each; all else is free.
fn machine(overlap: Overlap) -> Machine {
    let machine = [
        (Coefficient::Products, 1.0),
        (Coefficient::Memory, 1.0),
        (Coefficient::Elements, f64::INFINITY),
        (Coefficient::Link, 1.0),
        (Coefficient::Launch, 0.0),
        (Coefficient::Start, 0.0),
    ];
    let machine =
        machine.into_iter().fold(Machine::default(), |machine, (of, value)| machine.with(of, value));
    Machine { overlap, ..machine }
}

fn step(text: &str, machine: &Machine) -> StepTime {
    let module = module(text);
    let wired = Wired::of(&module, &machine.network).expect("it lies there");
    simulate(&Activities::of(&module, machine.habits()), &wired, machine, Detail::Events)
}

const HEAD: &str = "sdy.mesh @m = <[\"x\"=4]>\n";
const CHANNEL: &str =
    "channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids";

fn gather(result: &str, of: &str) -> String {
    format!(
        "  {result} = \"stablehlo.all_gather\"({of}) {{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1, 2, 3]]> : \
         tensor<1x4xi64>, {CHANNEL}}} : (tensor<4xf32>) -> tensor<16xf32>\n"
    )
}

#[test]
fn what_follows_each_other_element_by_element_is_one_loop() {
    let text = "func.func public @main(%a: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<8xf32> {\n\
                  %c = stablehlo.add %a, %b : tensor<8xf32>\n\
                  %d = stablehlo.exponential %c : tensor<8xf32>\n\
                  %e = stablehlo.multiply %d, %c : tensor<8xf32>\n  return %e : tensor<8xf32>\n}\n";
    // Two reads and a write of 32 bytes.
    assert_eq!(step(text, &machine(Overlap::All)).seconds, 96.0);
    // One by one: three, two and three.
    assert_eq!(step(text, &Machine { fuses: false, ..machine(Overlap::All) }).seconds, 256.0);
}

/// `of %a` [8] summed up and its largest found.
fn sum_and_most(op: &str) -> String {
    let over = "across dimensions = [0] : (tensor<8xf32>, tensor<f32>) -> tensor<f32>";
    format!(
        "func.func public @main(%a: tensor<8xf32>) -> (tensor<f32>, tensor<f32>) {{\n\
           %z = stablehlo.constant dense<0.0> : tensor<f32>\n\
           %c = stablehlo.{op} %a : tensor<8xf32>\n\
           %s = stablehlo.reduce(%c init: %z) applies stablehlo.add {over}\n\
           %m = stablehlo.reduce(%c init: %z) applies stablehlo.maximum {over}\n  \
           return %s, %m : tensor<f32>, tensor<f32>\n}}\n"
    )
}

#[test]
fn what_takes_a_step_is_done_in_every_loop_that_uses_it_and_a_function_once() {
    let seconds = |op: &str| step(&sum_and_most(op), &machine(Overlap::All)).seconds;
    // Each loop reads the operand and writes one element.
    assert_eq!(seconds("negate"), 72.0);
    // The first also writes all elements, which the second reads.
    assert_eq!(seconds("exponential"), 104.0);
}

#[test]
fn what_one_loop_makes_and_reads_is_nowhere_at_the_peak() {
    let text = "func.func public @main(%a: tensor<8xf32>) -> tensor<8xf32> {\n\
                  %c = stablehlo.negate %a : tensor<8xf32>\n\
                  %d = stablehlo.exponential %c : tensor<8xf32>\n\
                  %e = stablehlo.tanh %d : tensor<8xf32>\n  return %e : tensor<8xf32>\n}\n";
    let held = |habits| held_peak(&module(text), habits);
    assert_eq!(held(Habits::PLAIN), 96);
    assert_eq!(held(Habits { fuses: true, rounds: false }), 64);
}

#[test]
fn a_loop_writes_over_what_it_reads_last() {
    let text = |more: &str| {
        let ty = "tensor<4x4xf32>";
        let types = if more.is_empty() { ty.to_string() } else { format!("{ty}, {ty}") };
        format!(
            "func.func public @main(%a: {ty}) -> ({types}) {{\n  %b = stablehlo.cholesky %a, lower = true : {ty}\n  \
             %c = stablehlo.negate %b : {ty}\n  return %c{more} : {types}\n}}\n"
        )
    };
    let held = |more: &str, fuses| held_peak(&module(&text(more)), Habits { fuses, rounds: false });
    // What is given, what is made of it, and what is made of that.
    assert_eq!(held("", false), 3 * 64);
    assert_eq!(held("", true), 2 * 64);
    assert_eq!(held(", %b", true), 3 * 64);
    assert_eq!(held(", %a", true), 2 * 64);
}

/// A loop that puts 16 bytes a trip into 64 that it carries, and gives these on as `given`.
fn stacked(given: &str) -> String {
    let (all, one, row) = ("tensor<4x4xf32>", "tensor<s32>", "tensor<1x4xf32>");
    format!(
        "func.func public @main(%a: {row}) -> {all} {{\n\
           %n = stablehlo.constant dense<0> : {one}\n  %c = stablehlo.constant dense<4> : {one}\n\
           %i = stablehlo.constant dense<1> : {one}\n  %z = stablehlo.constant dense<0.0> : {all}\n\
           %r:2 = stablehlo.while(%at = %n, %all = %z) : {one}, {all}\n    cond {{\n\
             %l = stablehlo.compare LT, %at, %c : ({one}, {one}) -> tensor<i1>\n    stablehlo.return %l : tensor<i1>\n\
           }} do {{\n\
             %u = stablehlo.dynamic_update_slice %all, %a, %at, %n : ({all}, {row}, {one}, {one}) -> {all}\n\
             %next = stablehlo.add %at, %i : {one}\n\
             %o = stablehlo.cholesky {given}, lower = true : {all}\n\
             stablehlo.return %next, %u : {one}, {all}\n  }}\n  return %r#1 : {all}\n}}\n"
    )
    .replace("tensor<s32>", "tensor<i32>")
}

#[test]
fn what_a_loop_carries_lies_in_one_place() {
    let held = |given: &str, fuses| held_peak(&module(&stacked(given)), Habits { fuses, rounds: false });
    // Behind the change what was carried is read no more, or once more.
    let (after, before) = (held("%u", true), held("%all", true));
    assert_eq!(before - after, 64);
    assert!(held("%u", false) >= after + 64);
}

#[test]
fn what_only_products_read_is_held_in_the_bits_they_look_at() {
    let dot = "contracting_dims = [1] x [0] : (tensor<8x4xf32>, tensor<4x2xf32>) -> tensor<8x2xf32>";
    let text = format!(
        "func.func public @main(%a: tensor<8x4xf32>, %b: tensor<4x2xf32>) -> (tensor<8x2xf32>, tensor<8x2xf32>) {{\n\
           %c = stablehlo.exponential %a : tensor<8x4xf32>\n\
           %p = stablehlo.dot_general %c, %b, {dot}\n\
           %q = stablehlo.dot_general %c, %b, {dot}\n  return %p, %q : tensor<8x2xf32>, tensor<8x2xf32>\n}}\n"
    );
    let held = |rounds| held_peak(&module(&text), Habits { fuses: true, rounds });
    // Both operands, both results, and the exponentials.
    assert_eq!(held(false), 128 + 32 + 64 + 64 + 128);
    assert_eq!(held(true), 128 + 32 + 64 + 64 + 64);
}

#[test]
fn what_is_gathered_for_a_product_is_sent_in_the_bits_it_looks_at() {
    let text = |more: &str| {
        format!(
            "{HEAD}func.func public @main(%a: tensor<4xf32>, %b: tensor<16x16xf32>) -> tensor<16xf32> {{\n{}  \
             %r = stablehlo.reverse %g, dims = [0] : tensor<16xf32>\n  \
             %p = stablehlo.dot_general %r, %b, contracting_dims = [0] x [0] : (tensor<16xf32>, tensor<16x16xf32>) -> tensor<16xf32>\n{more}}}\n",
            gather("%g", "%a")
        )
    };
    let sent = |more: &str, tile: i64| {
        let step = step(&text(more), &Machine { tile, ..machine(Overlap::All) });
        let of = step.communication.into_values().next().expect("a gather");
        (of.sent, of.seconds)
    };
    let alone = "  return %p : tensor<16xf32>\n";
    let also = "  %s = stablehlo.add %p, %r : tensor<16xf32>\n  return %s : tensor<16xf32>\n";
    // Three quarters of 64 bytes; a machine whose products round has half of them on its links.
    assert_eq!(
        [sent(alone, 1), sent(alone, 128), sent(also, 128)],
        [(48.0, 48.0), (48.0, 24.0), (48.0, 48.0)]
    );
}

#[test]
fn a_product_takes_in_what_is_done_to_its_result() {
    let text = "func.func public @main(%a: tensor<8x4xf32>, %b: tensor<4x2xf32>) -> tensor<8x2xf32> {\n\
                  %c = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<8x4xf32>, tensor<4x2xf32>) -> tensor<8x2xf32>\n\
                  %d = stablehlo.tanh %c : tensor<8x2xf32>\n  return %d : tensor<8x2xf32>\n}\n";
    let step = step(text, &machine(Overlap::All));
    // 128 flops; bytes are 128 + 32 + 64.
    assert_eq!((step.seconds, step.flops), (224.0, 128.0));
    assert_eq!(step.events.len(), 1);
}

#[test]
fn a_collective_is_hidden_behind_what_does_not_need_it() {
    let text = format!(
        "{HEAD}func.func public @main(%a: tensor<4xf32>, %b: tensor<16xf32>) -> tensor<16xf32> {{\n{}\
           %c = stablehlo.sine %b : tensor<16xf32>\n\
           %d = stablehlo.add %g, %b : tensor<16xf32>\n\
           %e = stablehlo.multiply %d, %c : tensor<16xf32>\n  return %e : tensor<16xf32>\n}}\n",
        gather("%g", "%a")
    );
    let exposed = |overlap| {
        let step = step(&text, &machine(overlap));
        (step.seconds, step.exposed(), step.hidden())
    };
    // 48 bytes sent; then all loops are one: 3 x 64 bytes.
    assert_eq!(exposed(Overlap::Nothing), (240.0, 48.0, 0.0));
    assert_eq!(exposed(Overlap::All), (240.0, 48.0, 0.0));
    let apart = text.replace("return %e : tensor<16xf32>", "return %e, %c : tensor<16xf32>, tensor<16xf32>");
    let apart = apart.replace("-> tensor<16xf32> {", "-> (tensor<16xf32>, tensor<16xf32>) {");
    let step = step(&apart, &machine(Overlap::All));
    // %c is kept, so it is a loop of its own, of 128 bytes: the collective is done by then.
    assert_eq!((step.seconds, step.exposed(), step.hidden()), (128.0 + 256.0, 0.0, 48.0));
}

#[test]
fn a_loop_takes_its_trips_and_what_travels_between_them_is_hidden() {
    let text = "sdy.mesh @m = <[\"x\"=4]>\n\
      func.func public @main(%a: tensor<16xf32>, %n: tensor<i32>) -> tensor<16xf32> {\n\
        %z = stablehlo.constant dense<0> : tensor<i32>\n\
        %r:2 = stablehlo.while(%i = %z, %p = %a) : tensor<i32>, tensor<16xf32>\n\
        cond {\n\
          %t = stablehlo.constant dense<5> : tensor<i32>\n\
          %c = stablehlo.compare LT, %i, %t : (tensor<i32>, tensor<i32>) -> tensor<i1>\n\
          stablehlo.return %c : tensor<i1>\n\
        } do {\n\
          %one = stablehlo.constant dense<1> : tensor<i32>\n\
          %j = stablehlo.add %i, %one : tensor<i32>\n\
          %q = stablehlo.negate %p : tensor<16xf32>\n\
          stablehlo.return %j, %q : tensor<i32>, tensor<16xf32>\n\
        }\n\
        return %r#1 : tensor<16xf32>\n\
      }\n";
    let step = step(text, &machine(Overlap::All));
    // A trip: 128 bytes of %q, 8 of the counter.
    assert_eq!(step.seconds, 5.0 * 136.0);
    let whole = step.events.iter().find(|event: &&Event| event.trips == 5).expect("an event for the loop");
    assert_eq!(whole.seconds, step.seconds);
}

#[test]
fn a_loop_without_a_known_count_is_told_and_counted_once() {
    let text = "func.func public @main(%a: tensor<16xf32>, %n: tensor<i32>) -> tensor<16xf32> {\n\
        %z = stablehlo.constant dense<0> : tensor<i32>\n\
        %r:2 = stablehlo.while(%i = %z, %p = %a) : tensor<i32>, tensor<16xf32>\n\
        cond {\n\
          %c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>\n\
          stablehlo.return %c : tensor<i1>\n\
        } do {\n\
          %one = stablehlo.constant dense<1> : tensor<i32>\n\
          %j = stablehlo.add %i, %one : tensor<i32>\n\
          %q = stablehlo.negate %p : tensor<16xf32>\n\
          stablehlo.return %j, %q : tensor<i32>, tensor<16xf32>\n\
        }\n\
        %x = stablehlo.custom_call @mystery(%r#1) : (tensor<16xf32>) -> tensor<16xf32>\n\
        return %x : tensor<16xf32>\n\
      }\n";
    let module = module(text);
    let told: Vec<String> = Activities::of(&module, Habits { fuses: true, rounds: false })
        .unknown
        .into_iter()
        .map(|of| of.what)
        .collect();
    assert_eq!(told.len(), 2, "{told:?}");
    assert!(told[0].contains("while") && told[1].contains("mystery"), "{told:?}");
}

#[test]
fn the_time_of_a_step_does_not_hang_on_how_its_text_numbers_devices() {
    let text = |groups: &str| {
        format!(
            "func.func public @main(%a: tensor<4xf32>) -> tensor<16xf32> {{\n  \
             %g = \"stablehlo.all_gather\"(%a) {{all_gather_dim = 0 : i64, replica_groups = dense<{groups}> : \
             tensor<2x4xi64>, {CHANNEL}}} : (tensor<4xf32>) -> tensor<16xf32>\n  return %g : tensor<16xf32>\n}}\n"
        )
    };
    let target =
        meshwright_cost::Target::parse("tpu-v3:2x2").and_then(|target| target.machine(8)).expect("a target");
    let near = step(&text("[[0, 1, 2, 3], [4, 5, 6, 7]]"), &target).seconds;
    let far = step(&text("[[0, 2, 4, 6], [1, 3, 5, 7]]"), &target).seconds;
    // Two of a row are on one chip; every second device is not, and shares its links with the others.
    assert!(near < far, "{near} {far}");
}

#[test]
fn two_products_are_two_activities_whatever_is_between_them() {
    let text = "func.func public @main(%a: tensor<8x4xf32>, %b: tensor<4x2xf32>, %c: tensor<2x8xf32>) -> tensor<8x8xf32> {\n\
                  %d = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<8x4xf32>, tensor<4x2xf32>) -> tensor<8x2xf32>\n\
                  %e = stablehlo.tanh %d : tensor<8x2xf32>\n\
                  %f = stablehlo.dot_general %e, %c, contracting_dims = [1] x [0] : (tensor<8x2xf32>, tensor<2x8xf32>) -> tensor<8x8xf32>\n  \
                  return %f : tensor<8x8xf32>\n}\n";
    let step = step(text, &machine(Overlap::All));
    assert_eq!((step.flops, step.events.len()), (128.0 + 256.0, 2));
}
