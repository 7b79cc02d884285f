//! Equality up to ids, and counting.

use crate::table::ty;
use meshwright_ir::op::*;
use meshwright_ir::*;

/// `main(x: f32[4])` calls `double`, which computes `x + x`; `spare` values shift all ids.
fn module(spare: usize, name: &str) -> Module {
    let mut module = Module::new("test");
    let double = module.funcs.push(Function::new("double", false));
    for func in [double, module.entry] {
        let mut editor = Editor::new(&mut module.funcs[func]);
        let other = editor.block();
        for _ in 0..spare {
            editor.param(other, Type::Token);
        }
        let root = editor.func().root();
        let x = editor.param(root, ty("f32[4]"));
        let (op, operands) = if func == double {
            (Op::Binary(BinaryOp::Add), vec![x, x])
        } else {
            (Op::Call(Call { callee: double }), vec![x])
        };
        let types = vec![ty("f32[4]")];
        let inst = editor.push_typed(At::End(root), op, operands, vec![], types, SourceId::unknown());
        let result = editor.func().inst(inst).results[0];
        editor.set_name(result, Some(name.into()));
        editor.set_results(root, vec![result]);
    }
    module
}

#[test]
fn ids_do_not_matter_but_names_do() {
    assert_eq!(same(&module(0, "y"), &module(3, "y")), Ok(()));
    let message = same(&module(0, "y"), &module(0, "z")).unwrap_err();
    assert_eq!(message, "in `@main`: `%y` = call: names of `%y` differ: Some(\"y\") and Some(\"z\")");
}

#[test]
fn the_order_of_functions_does_not_matter() {
    let a = module(0, "y");
    let mut b = Module::new("test");
    let funcs: Vec<_> = a.funcs.values().rev().cloned().collect();
    b.funcs = funcs.into_iter().collect();
    b.entry = b.func_named("main").unwrap();
    let double = b.func_named("double").unwrap();
    let entry = b.entry;
    let mut editor = Editor::new(&mut b.funcs[entry]);
    let inst = editor.func().insts_in_order()[0];
    assert!(same(&a, &b).is_err(), "the call still names itself");
    editor = Editor::new(&mut b.funcs[entry]);
    editor.set_op(inst, Op::Call(Call { callee: double }));
    assert_eq!(same(&a, &b), Ok(()));
}

#[test]
fn operands_and_locations_are_told_apart() {
    let (a, mut b) = (module(0, "y"), module(0, "y"));
    let source = b.sources.push(Source { op_name: Some("add".into()), ..Source::default() });
    let double = b.func_named("double").unwrap();
    let mut editor = Editor::new(&mut b.funcs[double]);
    let inst = editor.func().insts_in_order()[0];
    editor.set_source(inst, source);
    assert_eq!(same(&a, &b), Ok(()));
    assert!(same_with_sources(&a, &b).unwrap_err().contains("locations differ"));
    let mut editor = Editor::new(&mut b.funcs[double]);
    let result = editor.func().inst(inst).results[0];
    editor.set_operand(inst, 1, result);
    let message = same(&a, &b).unwrap_err();
    assert_eq!(message, "in `@double`: `%y` = add: operand 1 differs: `%0` and `%y`");
}

#[test]
fn a_summary_counts_ops_of_all_functions() {
    let summary = summary(&module(0, "y"));
    assert_eq!((summary.total(), summary.of("add"), summary.of("call")), (2, 1, 1));
    assert_eq!(summary.to_string(), "     1 add\n     1 call\n");
}
