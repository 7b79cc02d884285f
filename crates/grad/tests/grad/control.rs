//! Scans, branches, calls, barriers, annotations, marks.

use crate::check::{Check, check, check_module, check_with, derivative, parse, print, refused};
use meshwright_grad::{Options, value_and_grad};
use meshwright_interp::{Style, random_inputs, run};
use meshwright_ir::{Attr, Editor, Module, Op, mark};

/// A loop of five trips as a `while`: carries, inputs, outputs, and a value from outside.
fn looped(reverse: bool) -> String {
    let (index, first) = if reverse {
        (
            "%j = stablehlo.subtract %last, %i : tensor<i32>",
            "%last = stablehlo.constant dense<4> : tensor<i32>",
        )
    } else {
        ("%j = stablehlo.add %i, %zero : tensor<i32>", "")
    };
    format!(
        "func.func @main(%c0: tensor<3xf64>, %xs: tensor<5x3xf64>, %w: tensor<3x3xf64>) -> (tensor<3xf64>, tensor<5x3xf64>) {{
           %zero = stablehlo.constant dense<0> : tensor<i32>
           {first}
           %fzero = stablehlo.constant dense<0.0> : tensor<f64>
           %room = stablehlo.broadcast_in_dim %fzero, dims = [] : (tensor<f64>) -> tensor<5x3xf64>
           %r:4 = stablehlo.while(%xa = %xs, %i = %zero, %c = %c0, %ys = %room)
               : tensor<5x3xf64>, tensor<i32>, tensor<3xf64>, tensor<5x3xf64>
           cond {{
             %n = stablehlo.constant dense<5> : tensor<i32>
             %p = stablehlo.compare LT, %i, %n, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
             stablehlo.return %p : tensor<i1>
           }} do {{
             {index}
             %row = stablehlo.dynamic_slice %xa, %j, %zero, sizes = [1, 3] : (tensor<5x3xf64>, tensor<i32>, tensor<i32>) -> tensor<1x3xf64>
             %x = stablehlo.reshape %row : (tensor<1x3xf64>) -> tensor<3xf64>
             %wt = stablehlo.transpose %w, dims = [1, 0] : (tensor<3x3xf64>) -> tensor<3x3xf64>
             %we = stablehlo.tanh %wt : tensor<3x3xf64>
             %h = stablehlo.dot_general %we, %c, contracting_dims = [1] x [0] : (tensor<3x3xf64>, tensor<3xf64>) -> tensor<3xf64>
             %s = stablehlo.add %h, %x : tensor<3xf64>
             %t = stablehlo.tanh %s : tensor<3xf64>
             %y = stablehlo.multiply %t, %x : tensor<3xf64>
             %yr = stablehlo.reshape %y : (tensor<3xf64>) -> tensor<1x3xf64>
             %ys1 = stablehlo.dynamic_update_slice %ys, %yr, %j, %zero : (tensor<5x3xf64>, tensor<1x3xf64>, tensor<i32>, tensor<i32>) -> tensor<5x3xf64>
             %one = stablehlo.constant dense<1> : tensor<i32>
             %i1 = stablehlo.add %i, %one : tensor<i32>
             stablehlo.return %xa, %i1, %t, %ys1 : tensor<5x3xf64>, tensor<i32>, tensor<3xf64>, tensor<5x3xf64>
           }}
           return %r#2, %r#3 : tensor<3xf64>, tensor<5x3xf64>
         }}"
    )
}

fn scans(module: &Module) -> Vec<(usize, usize)> {
    let main = module.main();
    let insts = main.insts_in_order().into_iter().map(|inst| main.inst(inst));
    insts
        .filter(|inst| matches!(inst.op, Op::Scan(_)))
        .map(|inst| (inst.operands.len(), inst.results.len()))
        .collect()
}

#[test]
fn scans_forward_and_reverse() {
    check(&looped(false));
    check(&looped(true));
}

#[test]
fn a_scan_that_recomputes_keeps_only_its_carried_value() {
    let options = Options { recompute_scans: true };
    let how = Check { options: options.clone(), ..Check::default() };
    check_with(&looped(false), how);
    // Carried value and output, and the carried value of each trip.
    let module = derivative(&parse(&looped(false)), &options).unwrap();
    assert_eq!(scans(&module)[0].1, 3, "{}", print(&module));
}

#[test]
fn what_does_not_change_in_a_scan_is_not_stacked() {
    // tanh(transpose(w)) is computed once before the backward loop; kept per trip are tanh(..) and the carried value.
    let module = derivative(&parse(&looped(false)), &Options::default()).unwrap();
    assert_eq!(scans(&module)[0].1, 4, "{}", print(&module));
}

#[test]
fn the_derivative_of_a_scan_does_not_grow_with_its_trips() {
    let long = looped(false).replace("dense<5>", "dense<500>").replace("5x3", "500x3");
    let size =
        |text: &str| derivative(&parse(text), &Options::default()).unwrap().main().insts_in_order().len();
    assert_eq!(size(&looped(false)), size(&long));
}

#[test]
fn if_with_values_from_outside_and_kept_ones() {
    let text = |on: &str| {
        format!(
            "func.func @main(%a: tensor<4xf64>, %b: tensor<4xf64>) -> (tensor<4xf64>, tensor<f64>) {{
               %p = stablehlo.constant dense<{on}> : tensor<i1>
               %e = stablehlo.exponential %a : tensor<4xf64>
               %r:2 = \"stablehlo.if\"(%p) ({{
                 %x = stablehlo.sine %e : tensor<4xf64>
                 %y = stablehlo.tanh %x : tensor<4xf64>
                 %z = stablehlo.multiply %y, %b : tensor<4xf64>
                 %one = stablehlo.constant dense<1.0> : tensor<f64>
                 stablehlo.return %z, %one : tensor<4xf64>, tensor<f64>
               }}, {{
                 %x = stablehlo.cosine %e : tensor<4xf64>
                 %zero = stablehlo.constant dense<0.0> : tensor<f64>
                 %s = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<4xf64>, tensor<f64>) -> tensor<f64>
                 %q = stablehlo.multiply %s, %s : tensor<f64>
                 stablehlo.return %a, %q : tensor<4xf64>, tensor<f64>
               }}) : (tensor<i1>) -> (tensor<4xf64>, tensor<f64>)
               return %r#0, %r#1 : tensor<4xf64>, tensor<f64>
             }}"
        )
    };
    check(&text("true"));
    check(&text("false"));
}

#[test]
fn case_inside_a_scan() {
    let text = looped(false).replace(
        "%t = stablehlo.tanh %s : tensor<3xf64>",
        "%t = \"stablehlo.case\"(%i) ({
           %u = stablehlo.tanh %s : tensor<3xf64>
           stablehlo.return %u : tensor<3xf64>
         }, {
           %u = stablehlo.sine %s : tensor<3xf64>
           %v = stablehlo.multiply %u, %x : tensor<3xf64>
           stablehlo.return %v : tensor<3xf64>
         }, {
           stablehlo.return %x : tensor<3xf64>
         }) : (tensor<i32>) -> tensor<3xf64>",
    );
    check(&text);
    check_with(&text, Check { options: Options { recompute_scans: true }, ..Check::default() });
}

#[test]
fn a_scan_inside_a_scan() {
    let inner = "
      %k:2 = stablehlo.while(%m = %zero, %u = %s) : tensor<i32>, tensor<3xf64>
      cond {
        %n = stablehlo.constant dense<3> : tensor<i32>
        %p = stablehlo.compare LT, %m, %n, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %p : tensor<i1>
      } do {
        %u1 = stablehlo.sine %u : tensor<3xf64>
        %u2 = stablehlo.multiply %u1, %x : tensor<3xf64>
        %u3 = stablehlo.add %u2, %c : tensor<3xf64>
        %one = stablehlo.constant dense<1> : tensor<i32>
        %m1 = stablehlo.add %m, %one : tensor<i32>
        stablehlo.return %m1, %u3 : tensor<i32>, tensor<3xf64>
      }
      %t = stablehlo.tanh %k#1 : tensor<3xf64>";
    let text = looped(false).replace("%t = stablehlo.tanh %s : tensor<3xf64>", inner);
    check(&text);
    check_with(&text, Check { options: Options { recompute_scans: true }, ..Check::default() });
}

const CALLS: &str = "
  func.func private @f(%a: tensor<3xf64>, %n: tensor<i32>, %b: tensor<3xf64>) -> (tensor<3xf64>, tensor<3xf64>) {
    %x = stablehlo.sine %a : tensor<3xf64>
    %y = stablehlo.multiply %x, %b : tensor<3xf64>
    %z = call @g(%y) : (tensor<3xf64>) -> tensor<3xf64>
    return %z, %x : tensor<3xf64>, tensor<3xf64>
  }
  func.func private @g(%a: tensor<3xf64>) -> tensor<3xf64> {
    %x = stablehlo.tanh %a : tensor<3xf64>
    %y = stablehlo.multiply %x, %a : tensor<3xf64>
    return %y : tensor<3xf64>
  }
  func.func @main(%a: tensor<3xf64>, %n: tensor<i32>, %b: tensor<3xf64>) -> (tensor<3xf64>, tensor<3xf64>) {
    %r:2 = call @f(%a, %n, %b) : (tensor<3xf64>, tensor<i32>, tensor<3xf64>) -> (tensor<3xf64>, tensor<3xf64>)
    %s:2 = call @f(%r#0, %n, %b) : (tensor<3xf64>, tensor<i32>, tensor<3xf64>) -> (tensor<3xf64>, tensor<3xf64>)
    %t = call @g(%s#0) : (tensor<3xf64>) -> tensor<3xf64>
    return %t, %s#1 : tensor<3xf64>, tensor<3xf64>
  }";

#[test]
fn calls_of_functions_that_call() {
    check(CALLS);
}

/// Mark every call of a function.
fn marked(text: &str, callee: &str, marks: &[(&str, Attr)]) -> Module {
    let mut module = parse(text);
    let callee = module.func_named(callee).unwrap();
    for func in module.funcs.values_mut() {
        for inst in func.insts_in_order() {
            if matches!(&func.inst(inst).op, Op::Call(call) if call.callee == callee) {
                let mut editor = Editor::new(func);
                marks.iter().for_each(|(name, value)| editor.attrs_mut(inst).set(name, value.clone()));
            }
        }
    }
    module
}

#[test]
fn checkpointed_calls_keep_only_their_operands() {
    let module = marked(CALLS, "f", &[(mark::CHECKPOINT, Attr::Unit)]);
    let inputs = random_inputs(&module, 3, Style::Natural).unwrap();
    check_module(&module, &inputs, &Check::default());
    let first = derivative(&module, &Options::default()).unwrap();
    let text = print(&first);
    assert!(text.contains("optimization_barrier"), "{text}");
    // The marked calls stay calls of the function as it was.
    assert_eq!(
        first
            .main()
            .insts_in_order()
            .iter()
            .filter(|inst| {
                let inst = first.main().inst(**inst);
                matches!(&inst.op, Op::Call(call) if call.callee == module.func_named("f").unwrap())
                    && inst.results.len() == 2
            })
            .count(),
        2,
        "{text}"
    );
}

#[test]
fn a_checkpointed_body_of_a_scan() {
    let text = "
      func.func private @body(%c: tensor<3xf64>, %w: tensor<3xf64>) -> tensor<3xf64> {
        %a = stablehlo.sine %c : tensor<3xf64>
        %b = stablehlo.multiply %a, %w : tensor<3xf64>
        %d = stablehlo.tanh %b : tensor<3xf64>
        return %d : tensor<3xf64>
      }
      func.func @main(%c0: tensor<3xf64>, %w: tensor<3xf64>) -> tensor<3xf64> {
        %zero = stablehlo.constant dense<0> : tensor<i32>
        %r:2 = stablehlo.while(%i = %zero, %c = %c0) : tensor<i32>, tensor<3xf64>
        cond {
          %n = stablehlo.constant dense<4> : tensor<i32>
          %p = stablehlo.compare LT, %i, %n, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
          stablehlo.return %p : tensor<i1>
        } do {
          %d = func.call @body(%c, %w) : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
          %one = stablehlo.constant dense<1> : tensor<i32>
          %i1 = stablehlo.add %i, %one : tensor<i32>
          stablehlo.return %i1, %d : tensor<i32>, tensor<3xf64>
        }
        return %r#1 : tensor<3xf64>
      }";
    let module = marked(text, "body", &[(mark::CHECKPOINT, Attr::Unit)]);
    let inputs = random_inputs(&module, 3, Style::Natural).unwrap();
    check_module(&module, &inputs, &Check::default());
    let first = derivative(&module, &Options::default()).unwrap();
    assert_eq!(scans(&first)[0].1, 2, "kept: the carried value of each trip\n{}", print(&first));
}

#[test]
fn a_function_with_a_derivative_of_its_own() {
    // The derivative of f is said to be 10 times what it is.
    let text = "
      func.func private @f(%a: tensor<3xf64>) -> tensor<3xf64> {
        %x = stablehlo.round_nearest_even %a : tensor<3xf64>
        return %x : tensor<3xf64>
      }
      func.func private @fwd(%a: tensor<3xf64>) -> (tensor<3xf64>, tensor<3xf64>) {
        %x = stablehlo.round_nearest_even %a : tensor<3xf64>
        return %x, %a : tensor<3xf64>, tensor<3xf64>
      }
      func.func private @bwd(%a: tensor<3xf64>, %c: tensor<3xf64>) -> tensor<3xf64> {
        %x = stablehlo.multiply %a, %c : tensor<3xf64>
        return %x : tensor<3xf64>
      }
      func.func @main(%a: tensor<3xf64>) -> tensor<f64> {
        %x = call @f(%a) : (tensor<3xf64>) -> tensor<3xf64>
        %zero = stablehlo.constant dense<0.0> : tensor<f64>
        %s = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<3xf64>, tensor<f64>) -> tensor<f64>
        return %s : tensor<f64>
      }";
    let marks = [(mark::FORWARD, Attr::Str("fwd".into())), (mark::BACKWARD, Attr::Str("bwd".into()))];
    let mut module = marked(text, "f", &marks);
    let entry = module.entry;
    module.entry = value_and_grad(&mut module, entry, &[0], &Options::default()).unwrap();
    let inputs = random_inputs(&module, 3, Style::Natural).unwrap();
    let results = run(&module, &inputs).unwrap();
    assert!(results[1].same(&inputs[0]), "{}", print(&module));
    let wrong = [(mark::FORWARD, Attr::Str("fwd".into())), (mark::BACKWARD, Attr::Str("nowhere".into()))];
    let mut module = marked(text, "f", &wrong);
    let found = value_and_grad(&mut module, entry, &[0], &Options::default()).unwrap_err();
    assert!(found[0].message.contains("@nowhere"), "{found:?}");
}

#[test]
fn stopped_gradients_are_constants() {
    let text = "
      func.func @main(%a: tensor<f64>) -> tensor<f64> {
        %b = stablehlo.sine %a : tensor<f64>
        %m = stablehlo.multiply %a, %b : tensor<f64>
        return %m : tensor<f64>
      }";
    let mut module = parse(text);
    let entry = module.entry;
    let func = &mut module.funcs[entry];
    let (sine, multiply) = (func.insts_in_order()[0], func.insts_in_order()[1]);
    let b = func.inst(sine).results[0];
    let ty = func.ty(b).clone();
    let source = func.inst(sine).source;
    let mut editor = Editor::new(func);
    let copy = editor.push_typed(
        meshwright_ir::At::After(sine),
        Op::Unary(meshwright_ir::op::UnaryOp::Copy),
        vec![b],
        vec![],
        vec![ty],
        source,
    );
    editor.attrs_mut(copy).set(mark::STOP_GRADIENT, Attr::Unit);
    let stopped = editor.func().inst(copy).results[0];
    editor.set_operand(multiply, 1, stopped);
    module.entry = value_and_grad(&mut module, entry, &[0], &Options::default()).unwrap();
    let inputs = random_inputs(&module, 3, Style::Natural).unwrap();
    let results = run(&module, &inputs).unwrap();
    let number = |tensor: &meshwright_interp::Tensor| match tensor.data() {
        meshwright_interp::Data::Float(v) => v[0],
        _ => panic!(),
    };
    assert_eq!(number(&results[1]), number(&inputs[0]).sin());
}

#[test]
fn barriers_and_annotations_have_themselves_as_derivatives() {
    let text = "
      sdy.mesh @m = <[\"x\"=2]>
      func.func @main(%a: tensor<4xf64>, %b: tensor<4xf64>) -> tensor<4xf64> {
        %c:2 = stablehlo.optimization_barrier %a, %b : tensor<4xf64>, tensor<4xf64>
        %d = stablehlo.multiply %c#0, %c#1 : tensor<4xf64>
        %e = sdy.sharding_constraint %d <@m, [{\"x\"}]> : tensor<4xf64>
        return %e : tensor<4xf64>
      }";
    check(text);
    let text = print(&derivative(&parse(text), &Options::default()).unwrap());
    let derived = text.split("main_vjp").nth(1).unwrap();
    assert_eq!(derived.matches("sdy.sharding_constraint").count(), 2, "{text}");
    assert_eq!(derived.matches("optimization_barrier").count(), 2, "{text}");
}

#[test]
fn an_op_without_derivative_is_named_with_its_path() {
    let found = refused(
        "func.func @main(%a: tensor<4xf64>) -> tensor<4xf64> {
           %b = stablehlo.sine %a : tensor<4xf64>
           %c = stablehlo.custom_call @mystery(%b) : (tensor<4xf64>) -> tensor<4xf64>
           %d = stablehlo.tanh %c : tensor<4xf64>
           return %d : tensor<4xf64>
         }",
    );
    for part in
        ["custom_call has no derivative", "parameter 0 through sine", "depends on it through tanh", "help: "]
    {
        assert!(found.contains(part), "{part} in\n{found}");
    }
}

#[test]
fn a_loop_without_known_count_has_no_derivative() {
    let found = refused(
        "func.func @main(%a: tensor<f64>) -> tensor<f64> {
           %r = stablehlo.while(%x = %a) : tensor<f64>
           cond {
             %n = stablehlo.constant dense<5.0> : tensor<f64>
             %p = stablehlo.compare LT, %x, %n, FLOAT : (tensor<f64>, tensor<f64>) -> tensor<i1>
             stablehlo.return %p : tensor<i1>
           } do {
             %y = stablehlo.add %x, %x : tensor<f64>
             stablehlo.return %y : tensor<f64>
           }
           return %r : tensor<f64>
         }",
    );
    assert!(found.contains("while has no derivative"), "{found}");
}

#[test]
fn wrong_questions_are_refused() {
    let text =
        "func.func @main(%a: tensor<4xf64>, %n: tensor<i32>) -> tensor<4xf64> { return %a : tensor<4xf64> }";
    let ask = |wrt: &[usize]| {
        let mut module = parse(text);
        let entry = module.entry;
        value_and_grad(&mut module, entry, wrt, &Options::default()).unwrap_err()
    };
    let found = ask(&[1, 7]);
    let text: Vec<String> = found.iter().map(|d| d.message.clone()).collect();
    assert!(text[0].contains("parameter 1 `n` of @main is s32[]"), "{text:?}");
    assert!(text[1].contains("no parameter 7"), "{text:?}");
    assert!(text[2].contains("the loss must be a scalar float, but result 0 of @main is f64[4]"), "{text:?}");
}

#[test]
fn named_computations_and_fusions() {
    check(
        "sdy.mesh @m = <[\"x\"=2]>
         func.func @main(%a: tensor<4xf64>, %b: tensor<4xf64>) -> tensor<4xf64> {
           %r = sdy.named_computation<\"part\">(%a, %b) in_shardings=[<@m, [{\"x\"}]>, <@m, [{}]>] out_shardings=[<@m, [{\"x\"}]>]
               (%x: tensor<4xf64>, %y: tensor<4xf64>) {
             %s = stablehlo.sine %x : tensor<4xf64>
             %t = stablehlo.tanh %s : tensor<4xf64>
             %p = stablehlo.multiply %t, %y : tensor<4xf64>
             sdy.return %p : tensor<4xf64>
           } : (tensor<4xf64>, tensor<4xf64>) -> tensor<4xf64>
           %q = stablehlo.multiply %r, %a : tensor<4xf64>
           return %q : tensor<4xf64>
         }",
    );
    let text = "HloModule m
      part {
        x = f64[4] parameter(0)
        y = f64[4] parameter(1)
        s = f64[4] sine(x)
        t = f64[4] tanh(s)
        ROOT p = f64[4] multiply(t, y)
      }
      ENTRY main {
        a = f64[4] parameter(0)
        b = f64[4] parameter(1)
        f = f64[4] fusion(a, b), kind=kLoop, calls=part
        ROOT q = f64[4] multiply(f, a)
      }";
    let source = meshwright_base::SourceText::new("test.hlo", text);
    let module = meshwright_text::hlo::parse(&source).unwrap();
    let inputs = random_inputs(&module, 3, Style::Natural).unwrap();
    check_module(&module, &inputs, &Check::default());
}

#[test]
fn reductions_by_any_computation() {
    // (a, b) -> (1 + a) (1 + b) - 1.
    let region = "%m = stablehlo.multiply %p, %q : tensor<f64>
                  %n = stablehlo.add %m, %p : tensor<f64>
                  %o = stablehlo.add %n, %q : tensor<f64>
                  stablehlo.return %o : tensor<f64>";
    check(&format!(
        "func.func @main(%a: tensor<3x4x2xf64>, %i: tensor<f64>) -> tensor<4xf64> {{
           %s = stablehlo.sine %a : tensor<3x4x2xf64>
           %r = stablehlo.reduce(%s init: %i) across dimensions = [0, 2] : (tensor<3x4x2xf64>, tensor<f64>) -> tensor<4xf64>
             reducer(%p: tensor<f64>, %q: tensor<f64>) {{ {region} }}
           return %r : tensor<4xf64>
         }}"
    ));
    check(&format!(
        "func.func @main(%a: tensor<5x4xf64>) -> tensor<3x5xf64> {{
           %i = stablehlo.constant dense<0.0> : tensor<f64>
           %s = stablehlo.sine %a : tensor<5x4xf64>
           %r = \"stablehlo.reduce_window\"(%s, %i) <{{window_dimensions = array<i64: 2, 3>, window_strides = array<i64: 2, 1>,
               window_dilations = array<i64: 2, 1>, base_dilations = array<i64: 1, 2>, padding = dense<[[1, 1], [0, 0]]> : tensor<2x2xi64>}}> ({{
           ^bb0(%p: tensor<f64>, %q: tensor<f64>): {region}
           }}) : (tensor<5x4xf64>, tensor<f64>) -> tensor<3x5xf64>
           return %r : tensor<3x5xf64>
         }}"
    ));
    check(
        "func.func @main(%a: tensor<5x4xf64>, %b: tensor<5x4xf64>) -> tensor<5x4xf64> {
           %r = \"stablehlo.map\"(%a, %b) <{dimensions = array<i64: 0, 1>}> ({
           ^bb0(%p: tensor<f64>, %q: tensor<f64>):
             %m = stablehlo.sine %p : tensor<f64>
             %n = stablehlo.multiply %m, %q : tensor<f64>
             stablehlo.return %n : tensor<f64>
           }) : (tensor<5x4xf64>, tensor<5x4xf64>) -> tensor<5x4xf64>
           return %r : tensor<5x4xf64>
         }",
    );
}

#[test]
fn mixed_types_come_back_in_their_own() {
    let module = parse(
        "func.func @main(%a: tensor<3x4xbf16>, %b: tensor<4x5xbf16>) -> tensor<f32> {
           %d = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<3x4xbf16>, tensor<4x5xbf16>) -> tensor<3x5xf32>
           %e = stablehlo.convert %d : (tensor<3x5xf32>) -> tensor<3x5xbf16>
           %f = stablehlo.tanh %e : tensor<3x5xbf16>
           %g = stablehlo.convert %f : (tensor<3x5xbf16>) -> tensor<3x5xf32>
           %z = stablehlo.constant dense<0.0> : tensor<f32>
           %s = stablehlo.reduce(%g init: %z) applies stablehlo.add across dimensions = [0, 1] : (tensor<3x5xf32>, tensor<f32>) -> tensor<f32>
           return %s : tensor<f32>
         }",
    );
    let made = derivative(&module, &Options::default()).unwrap();
    let types: Vec<String> = made.main().results.iter().map(|result| result.ty.to_string()).collect();
    assert_eq!(types, ["f32[]", "bf16[3,4]", "bf16[4,5]"]);
}

#[test]
fn locations_are_the_forward_ops_with_a_mark() {
    let mut module = parse(
        "func.func @main(%a: tensor<f64>) -> tensor<f64> {
           %b = stablehlo.sine %a : tensor<f64> loc(\"jit(f)/sin\"(\"f.py\":3:4))
           return %b : tensor<f64>
         }",
    );
    let entry = module.entry;
    let made = value_and_grad(&mut module, entry, &[0], &Options::default()).unwrap();
    let func = &module.funcs[made];
    let last = *func.insts_in_order().last().unwrap();
    let source = &module.sources[func.inst(last).source];
    assert_eq!(source.op_name.as_deref(), Some("transpose(jit(f))/sin"));
    assert_eq!(source.frames[0].line, 3);
}

#[test]
fn a_loop_without_known_count_has_no_derivative_by_what_it_uses_from_outside() {
    let found = refused(
        "func.func @main(%a: tensor<f64>) -> tensor<f64> {
           %one = stablehlo.constant dense<1.0> : tensor<f64>
           %r = stablehlo.while(%x = %one) : tensor<f64>
           cond {
             %n = stablehlo.constant dense<5.0> : tensor<f64>
             %p = stablehlo.compare LT, %x, %n, FLOAT : (tensor<f64>, tensor<f64>) -> tensor<i1>
             stablehlo.return %p : tensor<i1>
           } do {
             %s = stablehlo.abs %a : tensor<f64>
             %t = stablehlo.add %s, %one : tensor<f64>
             %y = stablehlo.add %x, %t : tensor<f64>
             stablehlo.return %y : tensor<f64>
           }
           return %r : tensor<f64>
         }",
    );
    assert!(found.contains("while has no derivative"), "{found}");
}

#[test]
fn nesting_is_followed_to_a_depth_and_refused_beyond() {
    let nested = |depth: usize| {
        let mut text = String::from("func.func @main(%p: tensor<i1>, %x0: tensor<f64>) -> tensor<f64> {\n");
        for at in 0..depth {
            text += &format!(
                "%y{at} = \"stablehlo.if\"(%p) ({{\n%x{} = stablehlo.sine %x{at} : tensor<f64>\n",
                at + 1
            );
        }
        for at in (0..depth).rev() {
            let inner = if at + 1 == depth { format!("%x{}", at + 1) } else { format!("%y{}", at + 1) };
            text += &format!(
                "stablehlo.return {inner} : tensor<f64>\n}}, {{\nstablehlo.return %x{at} : tensor<f64>\n}}) : (tensor<i1>) -> tensor<f64>\n"
            );
        }
        text + "return %y0 : tensor<f64>\n}"
    };
    check_with(&nested(20), Check { seeds: 1, ..Check::default() });
    assert!(derivative(&parse(&nested(50)), &Options::default()).is_ok());
    let found = derivative(&parse(&nested(70)), &Options::default()).unwrap_err();
    assert!(found[0].message.contains("nest more than 64 deep"), "{found:?}");
}

/// A loop over rows of `%xs`, from `start` by `step`, as long as the counter stands so to `limit`.
fn counting(start: i64, step: i64, direction: &str, limit: i64) -> String {
    format!(
        "func.func @main(%xs: tensor<6x3xf64>, %c0: tensor<3xf64>) -> tensor<3xf64> {{
           %start = stablehlo.constant dense<{start}> : tensor<i32>
           %zero = stablehlo.constant dense<0> : tensor<i32>
           %step = stablehlo.constant dense<{step}> : tensor<i32>
           %limit = stablehlo.constant dense<{limit}> : tensor<i32>
           %r:2 = stablehlo.while(%i = %start, %c = %c0) : tensor<i32>, tensor<3xf64>
           cond {{
             %more = stablehlo.compare {direction}, %i, %limit : (tensor<i32>, tensor<i32>) -> tensor<i1>
             stablehlo.return %more : tensor<i1>
           }} do {{
             %row = stablehlo.dynamic_slice %xs, %i, %zero, sizes = [1, 3] : (tensor<6x3xf64>, tensor<i32>, tensor<i32>) -> tensor<1x3xf64>
             %x = stablehlo.reshape %row : (tensor<1x3xf64>) -> tensor<3xf64>
             %sum = stablehlo.add %c, %x : tensor<3xf64>
             %next = stablehlo.sine %sum : tensor<3xf64>
             %n = stablehlo.add %i, %step : tensor<i32>
             stablehlo.return %n, %next : tensor<i32>, tensor<3xf64>
           }}
           return %r#1 : tensor<3xf64>
         }}"
    )
}

#[test]
fn loops_count_by_any_step_in_either_direction() {
    for (start, step, direction, limit) in [
        (0, 2, "LT", 5),
        (1, 3, "LE", 4),
        (5, -1, "GE", 0),
        (5, -1, "GT", 2),
        (4, -2, "GE", 1),
        (2, 1, "LT", 4),
    ] {
        check(&counting(start, step, direction, limit));
    }
}
