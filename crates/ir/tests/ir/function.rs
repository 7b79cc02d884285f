//! What a function says of its values: where they are defined, and which of them regions use from outside.

use crate::table::ty;
use meshwright_ir::op::*;
use meshwright_ir::*;

#[test]
fn regions_capture_what_they_use_and_do_not_define_however_deep() {
    let mut func = Function::new("main", true);
    let (root, unknown) = (func.root(), SourceId::unknown());
    let mut editor = Editor::new(&mut func);
    let [choice, x, y] = ["pred[]", "f32[4]", "f32[4]"].map(|of| editor.param(root, ty(of)));
    let [outer, inner, other] = [(); 3].map(|()| editor.block());
    let mut push = |block, op, operands, regions| {
        editor.push_typed(At::End(block), op, operands, regions, vec![ty("f32[4]")], unknown)
    };
    let add = |operands: [ValueId; 2]| (Op::Binary(BinaryOp::Add), operands.to_vec());
    let (op, operands) = add([y, y]);
    let made = push(outer, op, operands, Vec::new());
    let nested = push(outer, Op::Control(Control::If), vec![choice], vec![inner]);
    let branch = push(root, Op::Control(Control::If), vec![choice], vec![outer, other]);
    let made = editor.func().inst(made).results[0];
    let (op, operands) = add([made, x]);
    let sum = editor.push_typed(At::End(inner), op, operands, Vec::new(), vec![ty("f32[4]")], unknown);
    let sum = editor.func().inst(sum).results[0];
    editor.set_results(inner, vec![sum]);
    editor.set_results(other, vec![x]);

    assert_eq!((func.def_block(x), func.def_block(made), func.def_block(sum)), (root, outer, inner));
    assert_eq!(func.captures(branch), [choice, x, y]);
    assert_eq!(func.captures(nested), [x, made]);
    assert_eq!(func.captures(func.def_inst(made).unwrap()), []);
}
