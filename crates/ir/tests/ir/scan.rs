//! Scans lowered to loops and raised again.

use crate::table::ty;
use meshwright_ir::op::*;
use meshwright_ir::*;

fn push(editor: &mut Editor<'_>, at: At, op: Op, operands: &[ValueId], result: &str) -> ValueId {
    let types = vec![ty(result)];
    let inst = editor.push_typed(at, op, operands.to_vec(), vec![], types, SourceId::unknown());
    editor.func().inst(inst).results[0]
}

/// `main(c, xs)`: a scan whose body is made by `body` from its parameters.
fn scan(reverse: bool, body: impl Fn(&mut Editor<'_>, BlockId, &[ValueId]) -> Vec<ValueId>) -> Module {
    let mut module = Module::new("test");
    let entry = module.entry;
    let mut editor = Editor::new(&mut module.funcs[entry]);
    let root = editor.func().root();
    let (c, xs) = (editor.param(root, ty("f32[3]")), editor.param(root, ty("f32[5,3]")));
    let block = editor.block();
    let params = [editor.param(block, ty("f32[3]")), editor.param(block, ty("f32[3]"))];
    let results = body(&mut editor, block, &params);
    let stacked: Vec<Type> = results[1..].iter().map(|_| ty("f32[5,3]")).collect();
    editor.set_results(block, results);
    let op = Op::Scan(Scan { trips: 5, carries: 1, reverse });
    let types = [vec![ty("f32[3]")], stacked].concat();
    let inst = editor.push_typed(At::End(root), op, vec![c, xs], vec![block], types, SourceId::unknown());
    let results = editor.func().inst(inst).results.clone();
    editor.set_results(root, results);
    module
}

/// `(c + x, c)`.
fn running_sum(reverse: bool) -> Module {
    scan(reverse, |editor, block, params| {
        let sum = push(editor, At::End(block), Op::Binary(BinaryOp::Add), params, "f32[3]");
        vec![sum, params[0]]
    })
}

fn ops(module: &Module) -> Vec<&'static str> {
    let main = module.main();
    main.insts_in_order().into_iter().map(|inst| main.inst(inst).op.mnemonic()).collect()
}

#[test]
fn a_scan_lowered_and_raised_is_the_same_scan() {
    for reverse in [false, true] {
        let module = running_sum(reverse);
        assert_eq!(verify(&module), Ok(()));
        let mut lowered = module.clone();
        assert!(lower_scan(&mut lowered));
        assert_eq!(verify(&lowered), Ok(()));
        assert!(!ops(&lowered).contains(&"scan") && ops(&lowered).contains(&"dynamic_update_slice"));
        let mut raised = lowered.clone();
        assert!(raise_scan(&mut raised));
        assert_eq!(verify(&raised), Ok(()));
        assert_eq!(ops(&raised), ["constant", "constant", "scan", "add"], "two constants are left to dce");
        let main = raised.main();
        let inst = main.insts_in_order()[2];
        assert_eq!(main.inst(inst).op, Op::Scan(Scan { trips: 5, carries: 1, reverse }));
        assert_eq!(main.inst(inst).operands, main.param_values());
    }
}

/// The body of the only loop of a module, to be tampered with.
fn lowered_body(module: &mut Module) -> (Editor<'_>, InstId, BlockId) {
    lower_scan(module);
    let entry = module.entry;
    let editor = Editor::new(&mut module.funcs[entry]);
    let inst = editor
        .func()
        .insts_in_order()
        .into_iter()
        .find(|inst| matches!(editor.func().inst(*inst).op, Op::Control(Control::While)));
    let inst = inst.unwrap();
    let body = editor.func().inst(inst).regions[1];
    (editor, inst, body)
}

fn constant(editor: &mut Editor<'_>, at: At, value: i64) -> ValueId {
    let literal = Literal::splat_int(TensorType::scalar(DType::S32), value);
    push(editor, at, Op::Constant(Constant(literal)), &[], "s32[]")
}

#[test]
fn a_step_of_two_is_raised_without_rows() {
    let mut module = running_sum(false);
    let (mut editor, _, body) = lowered_body(&mut module);
    let results = editor.func().block(body).results.clone();
    let add = editor.func().def_inst(results[1]).unwrap();
    let two = constant(&mut editor, At::Before(add), 2);
    editor.set_operand(add, 1, two);
    assert!(raise_scan(&mut module));
    assert_eq!(verify(&module), Ok(()));
    let main = module.main();
    let scans: Vec<Op> = main.insts_in_order().into_iter().map(|inst| main.inst(inst).op.clone()).collect();
    let scan =
        scans.into_iter().find_map(|op| if let Op::Scan(scan) = op { Some(scan) } else { None }).unwrap();
    // The rows are every other one, so all that the loop changes is carried.
    assert_eq!((scan.trips, scan.reverse), (3, false));
    assert_eq!(summary(&module).of("dynamic_slice"), 1);
}

#[test]
fn a_step_of_zero_or_away_from_the_limit_is_not_raised() {
    for number in [0, -1] {
        let mut module = running_sum(false);
        let (mut editor, _, body) = lowered_body(&mut module);
        let results = editor.func().block(body).results.clone();
        let add = editor.func().def_inst(results[1]).unwrap();
        let step = constant(&mut editor, At::Before(add), number);
        editor.set_operand(add, 1, step);
        assert!(!raise_scan(&mut module));
    }
}

#[test]
fn a_stack_used_otherwise_stays_carried_and_the_counter_with_it() {
    let mut module = running_sum(false);
    let (mut editor, _, body) = lowered_body(&mut module);
    let block = editor.func().block(body).clone();
    // Read the rows of the output while it is written, always the first.
    let zero = constant(&mut editor, At::End(body), 0);
    let sizes = vec![1, 3];
    let first = push(
        &mut editor,
        At::End(body),
        Op::Dynamic(Dynamic::Slice { sizes }),
        &[block.params[3], zero, zero],
        "f32[1,3]",
    );
    let first = push(
        &mut editor,
        At::End(body),
        Op::Movement(Movement::Reshape(Reshape { shape: vec![3] })),
        &[first],
        "f32[3]",
    );
    let sum =
        push(&mut editor, At::End(body), Op::Binary(BinaryOp::Add), &[first, block.results[2]], "f32[3]");
    let mut results = block.results.clone();
    results[2] = sum;
    editor.set_results(body, results);
    assert_eq!(verify(&module), Ok(()));
    assert!(raise_scan(&mut module));
    assert_eq!(verify(&module), Ok(()));
    let main = module.main();
    let scan = main.insts_in_order().into_iter().find(|inst| matches!(main.inst(*inst).op, Op::Scan(_)));
    let Op::Scan(scan) = &main.inst(scan.unwrap()).op else { unreachable!() };
    assert_eq!(scan.carries, 3, "counter, sum, output");
    assert_eq!(ops(&module).iter().filter(|op| **op == "dynamic_update_slice").count(), 1);
}

#[test]
fn rows_read_before_they_are_written_are_rows_of_the_initial_value() {
    let mut module = running_sum(false);
    let (mut editor, inst, body) = lowered_body(&mut module);
    let block = editor.func().block(body).clone();
    // The slice of the input is taken from the output's stack instead.
    let read = editor
        .func()
        .block(body)
        .insts
        .iter()
        .copied()
        .find(|inst| matches!(editor.func().inst(*inst).op, Op::Dynamic(Dynamic::Slice { .. })));
    editor.set_operand(read.unwrap(), 0, block.params[3]);
    let room = editor.func().inst(inst).operands[3];
    assert!(raise_scan(&mut module));
    assert_eq!(verify(&module), Ok(()));
    let main = module.main();
    let scan = main.inst(inst);
    assert!(matches!(scan.op, Op::Scan(Scan { carries: 1, .. })));
    assert_eq!(scan.operands[1], room);
}

#[test]
fn nested_scans_are_lowered_and_raised_together() {
    let module = scan(false, |editor, block, params| {
        // An inner scan over the three elements of the slice.
        let start = push(
            editor,
            At::End(block),
            Op::Constant(Constant(Literal::zeros(TensorType::scalar(DType::F32)))),
            &[],
            "f32[]",
        );
        let inner = editor.block();
        let (c, x) = (editor.param(inner, ty("f32[]")), editor.param(inner, ty("f32[]")));
        let sum = push(editor, At::End(inner), Op::Binary(BinaryOp::Add), &[c, x], "f32[]");
        editor.set_results(inner, vec![sum, sum]);
        let op = Op::Scan(Scan { trips: 3, carries: 1, reverse: true });
        let operands = vec![start, params[1]];
        let types = vec![ty("f32[]"), ty("f32[3]")];
        let inst = editor.push_typed(At::End(block), op, operands, vec![inner], types, SourceId::unknown());
        let sums = editor.func().inst(inst).results[1];
        let next = push(editor, At::End(block), Op::Binary(BinaryOp::Add), &[params[0], sums], "f32[3]");
        vec![next, sums]
    });
    assert_eq!(verify(&module), Ok(()));
    let mut module = module;
    assert!(lower_scan(&mut module));
    assert_eq!(verify(&module), Ok(()));
    assert_eq!(summary(&module).of("while"), 2);
    assert!(raise_scan(&mut module));
    assert_eq!(verify(&module), Ok(()));
    assert_eq!(summary(&module).of("scan"), 2);
    assert_eq!(summary(&module).of("dynamic_slice"), 0);
}

/// `dynamic_index_in_dim` and `dynamic_update_index_in_dim` as JAX writes them, negative indices mended.
fn accessors(module: &mut Module) -> (FuncId, FuncId) {
    let read = module.funcs.push(Function::new("read", false));
    let mut editor = Editor::new(&mut module.funcs[read]);
    let root = editor.func().root();
    let (stack, row) = (editor.param(root, ty("f32[5,3]")), editor.param(root, ty("s32[]")));
    let (zero, five) = (constant(&mut editor, At::End(root), 0), constant(&mut editor, At::End(root), 5));
    let compare = Op::Compare(Compare { direction: Direction::Lt, kind: None });
    let negative = push(&mut editor, At::End(root), compare, &[row, zero], "pred[]");
    let mended = push(&mut editor, At::End(root), Op::Binary(BinaryOp::Add), &[row, five], "s32[]");
    let row = push(&mut editor, At::End(root), Op::Select, &[negative, mended, row], "s32[]");
    let slice = Op::Dynamic(Dynamic::Slice { sizes: vec![1, 3] });
    let taken = push(&mut editor, At::End(root), slice, &[stack, row, zero], "f32[1,3]");
    let reshape = Op::Movement(Movement::Reshape(Reshape { shape: vec![3] }));
    let taken = push(&mut editor, At::End(root), reshape, &[taken], "f32[3]");
    editor.set_results(root, vec![taken]);
    let write = module.funcs.push(Function::new("write", false));
    let mut editor = Editor::new(&mut module.funcs[write]);
    let root = editor.func().root();
    let params = ["f32[5,3]", "f32[3]", "s32[]"].map(|text| editor.param(root, ty(text)));
    let broadcast = Op::Movement(Movement::Broadcast(Broadcast { dims: vec![1], shape: vec![1, 3] }));
    let update = push(&mut editor, At::End(root), broadcast, &[params[1]], "f32[1,3]");
    let zero = constant(&mut editor, At::End(root), 0);
    let store = Op::Dynamic(Dynamic::UpdateSlice);
    let stored = push(&mut editor, At::End(root), store, &[params[0], update, params[2], zero], "f32[5,3]");
    editor.set_results(root, vec![stored]);
    (read, write)
}

#[test]
fn reads_and_writes_in_functions_of_their_own_are_seen_through() {
    for reverse in [false, true] {
        let mut module = running_sum(reverse);
        let (read, write) = accessors(&mut module);
        let (mut editor, _, body) = lowered_body(&mut module);
        for inst in editor.func().block(body).insts.clone() {
            let operands = editor.func().inst(inst).operands.clone();
            match editor.func().inst(inst).op {
                Op::Dynamic(Dynamic::Slice { .. }) => {
                    let at = At::After(inst);
                    let call = Op::Call(Call { callee: read });
                    let slice = push(&mut editor, at, call, &[operands[0], operands[1]], "f32[3]");
                    let row = editor.func().inst(inst).results[0];
                    let reshape = editor
                        .func()
                        .insts_in_order()
                        .into_iter()
                        .find(|other| editor.func().inst(*other).operands == [row]);
                    let old = editor.func().inst(reshape.unwrap()).results[0];
                    editor.map_uses(|value| if value == old { slice } else { value });
                }
                Op::Dynamic(Dynamic::UpdateSlice) => {
                    let row = editor.func().inst(editor.func().def_inst(operands[1]).unwrap()).operands[0];
                    let at = At::After(inst);
                    let call = Op::Call(Call { callee: write });
                    let stored = push(&mut editor, at, call, &[operands[0], row, operands[2]], "f32[5,3]");
                    let old = editor.func().inst(inst).results[0];
                    editor.map_uses(|value| if value == old { stored } else { value });
                    editor.unlink(inst);
                }
                _ => {}
            }
        }
        assert_eq!(verify(&module), Ok(()));
        assert!(raise_scan(&mut module));
        assert_eq!(verify(&module), Ok(()));
        let main = module.main();
        let scan = main.insts_in_order().into_iter().find(|inst| matches!(main.inst(*inst).op, Op::Scan(_)));
        let scan = main.inst(scan.unwrap());
        assert_eq!(scan.op, Op::Scan(Scan { trips: 5, carries: 1, reverse }));
        assert_eq!(scan.operands, main.param_values());
        assert_eq!(summary(&module).of("call"), 0);
    }
}

#[test]
fn a_counter_that_would_wrap_or_never_ends_is_not_raised() {
    let mut module = running_sum(false);
    let (mut editor, inst, _) = lowered_body(&mut module);
    let cond = editor.func().inst(inst).regions[0];
    let result = editor.func().block(cond).results[0];
    let compare = editor.func().def_inst(result).unwrap();
    let most = constant(&mut editor, At::Before(compare), i64::from(i32::MAX));
    editor.set_operand(compare, 1, most);
    editor.set_op(compare, Op::Compare(Compare { direction: Direction::Le, kind: None }));
    assert_eq!(verify(&module), Ok(()));
    assert!(!raise_scan(&mut module));
}
