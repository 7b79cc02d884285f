//! One broken module per rule of the verifier, and what it says about it.

use crate::table::ty;
use meshwright_base::Id;
use meshwright_ir::op::*;
use meshwright_ir::*;
use meshwright_shard::{DimSharding, Mesh, MeshId, Sharding};

/// `main(x: f32[4]) -> f32[4]`, computing `y = x + x`.
fn doubling() -> Module {
    let mut module = Module::new("test");
    let mut editor = Editor::new(&mut module.funcs[FuncId::from_index(0)]);
    let root = editor.func().root();
    let x = editor.param(root, ty("f32[4]"));
    editor.set_name(x, Some("x".into()));
    let y = push(&mut editor, At::End(root), Op::Binary(BinaryOp::Add), &[x, x], "f32[4]");
    editor.set_name(y, Some("y".into()));
    editor.set_results(root, vec![y]);
    module
}

fn push(editor: &mut Editor<'_>, at: At, op: Op, operands: &[ValueId], result: &str) -> ValueId {
    let inst = editor.push_typed(at, op, operands.to_vec(), vec![], vec![ty(result)], SourceId::unknown());
    editor.func().inst(inst).results[0]
}

fn main_func(module: &mut Module) -> Editor<'_> {
    let entry = module.entry;
    Editor::new(&mut module.funcs[entry])
}

fn x() -> ValueId {
    ValueId::from_index(0)
}

fn y() -> ValueId {
    ValueId::from_index(1)
}

#[track_caller]
fn check(module: &Module, expected: &[&str]) {
    let found: Vec<String> =
        verify(module).err().into_iter().flatten().map(|error| error.to_string()).collect();
    assert_eq!(found, expected);
}

#[test]
fn a_sound_module_passes() {
    check(&doubling(), &[]);
}

#[test]
fn rule_1_names_differ() {
    let mut module = doubling();
    module.funcs.push(Function::new("main", false));
    check(&module, &["error[E0201]: two functions are called `@main`"]);
    module.entry = FuncId::from_index(7);
    check(
        &module,
        &["error[E0201]: the module has no entry function", "error[E0201]: two functions are called `@main`"],
    );
}

#[test]
fn rule_2_types_can_be_held() {
    let mut module = doubling();
    let mut editor = main_func(&mut module);
    let root = editor.func().root();
    editor.param(root, Type::tensor(DType::F32, [-1]));
    editor.param(root, Type::tensor(DType::F32, [1 << 40, 1 << 40]));
    check(
        &module,
        &[
            "error[E0202]: `%2`: dim 0 has a negative size, -1",
            "error[E0202]: `%3`: f32[1099511627776,1099511627776] has more bytes than can be counted",
        ],
    );
}

#[test]
fn rule_3_values_are_defined_before_use() {
    let mut module = doubling();
    let mut editor = main_func(&mut module);
    let inst = editor.func().def_inst(y()).unwrap();
    editor.set_operand(inst, 1, y());
    check(&module, &["error[E0203]: `%y` = add: operand 1 is `%y`, which is not defined there"]);
}

#[test]
fn rule_3_values_of_a_region_end_with_it() {
    let mut module = doubling();
    let mut editor = main_func(&mut module);
    let root = editor.func().root();
    let pred = push(
        &mut editor,
        At::End(root),
        Op::Constant(Constant(Literal::zeros(TensorType::scalar(DType::Pred)))),
        &[],
        "pred[]",
    );
    let branches = [editor.block(), editor.block()];
    let inner = push(&mut editor, At::End(branches[0]), Op::Unary(UnaryOp::Negate), &[x()], "f32[4]");
    editor.set_results(branches[0], vec![inner]);
    editor.set_results(branches[1], vec![inner]);
    let op = Op::Control(Control::If);
    let choice = editor.push_typed(
        At::End(root),
        op,
        vec![pred],
        branches.to_vec(),
        vec![ty("f32[4]")],
        SourceId::unknown(),
    );
    let result = editor.func().inst(choice).results[0];
    editor.set_name(result, Some("z".into()));
    check(&module, &["error[E0203]: `%z` = if: result 0 of a block is `%3`, which is not defined there"]);
    main_func(&mut module).set_results(branches[1], vec![x()]);
    check(&module, &[]);
}

#[test]
fn rule_4_an_instruction_stands_once() {
    let mut module = doubling();
    let mut editor = main_func(&mut module);
    let root = editor.func().root();
    let inst = editor.func().def_inst(y()).unwrap();
    editor.set_order(root, vec![inst, inst]);
    check(&module, &["error[E0204]: `%y` = add: the instruction stands twice"]);
}

#[test]
fn rule_5_types_are_those_inferred() {
    let mut module = doubling();
    let mut editor = main_func(&mut module);
    let inst = editor.func().def_inst(y()).unwrap();
    editor.set_type(y(), ty("f32[5]"));
    editor.set_results(BlockId::from_index(0), vec![y()]);
    check(&module, &["error[E0205]: `%y` = add: `%y` is declared f32[5], but is f32[4]"]);
    main_func(&mut module).set_operands(inst, vec![x()]);
    check(&module, &["error[E0205]: `%y` = add: number of operands: expected 2, found 1"]);
}

#[test]
fn rule_6_records_fit_the_signature() {
    let mut module = doubling();
    let mut editor = main_func(&mut module);
    editor.param_info_mut().clear();
    editor.result_info_mut()[0].ty = ty("f32[3]");
    check(
        &module,
        &[
            "error[E0206]: `@main` has 1 parameters, but 0 records of them",
            "error[E0206]: result 0 of `@main` is f32[4], but is declared f32[3]",
        ],
    );
}

#[test]
fn rule_7_no_recursion() {
    let mut module = doubling();
    let other = module.funcs.push(Function::new("other", false));
    for (func, callee) in [(module.entry, other), (other, module.entry)] {
        let mut editor = Editor::new(&mut module.funcs[func]);
        let root = editor.func().root();
        let value = if func == other { editor.param(root, ty("f32[4]")) } else { x() };
        let result = push(&mut editor, At::End(root), Op::Call(Call { callee }), &[value], "f32[4]");
        editor.set_results(root, vec![result]);
    }
    check(&module, &["error[E0207]: `%1` = call: `@main` calls `@other` calls `@main` is a recursion"]);
    let mut editor = Editor::new(&mut module.funcs[other]);
    let inst = editor.func().def_inst(ValueId::from_index(1)).unwrap();
    editor.set_op(inst, Op::Call(Call { callee: FuncId::from_index(9) }));
    check(
        &module,
        &[
            "error[E0205]: `%1` = call: the called function does not exist",
            "error[E0207]: `%1` = call: the called function does not exist",
        ],
    );
}

#[test]
fn rule_8_donations_fit() {
    let mut module = doubling();
    let mut editor = main_func(&mut module);
    let root = editor.func().root();
    editor.param(root, ty("f32[5]"));
    editor.param(root, ty("f32[1]"));
    let donation = |result| Some(Donation::Alias { result, must: true });
    editor.param_info_mut()[0].donation = donation(0);
    editor.param_info_mut()[1].donation = donation(0);
    editor.param_info_mut()[2].donation = donation(3);
    check(
        &module,
        &[
            "error[E0208]: parameter 1 is donated to result 0, but f32[5] has 20 bytes and f32[4] has 16",
            "error[E0208]: parameters 0 and 1 are both donated to result 0",
            "error[E0208]: parameter 2 is donated to result 3, but there are 1 results",
        ],
    );
}

#[test]
fn rule_9_shardings_fit() {
    let mut module = doubling();
    let mesh = module.meshes.push(Mesh::new("m", [("x", 2), ("y", 2)], None).unwrap());
    let axis = module.meshes[mesh].whole_axes()[0];
    let mut editor = main_func(&mut module);
    editor.set_sharding(x(), Some(Annotation::from(Sharding::replicated(mesh, 2))));
    let mut twice = Sharding::replicated(mesh, 1);
    twice.dims[0] = DimSharding::closed(vec![axis, axis]);
    editor.set_sharding(y(), Some(Annotation::from(twice)));
    editor.result_info_mut()[0].sharding =
        Some(Annotation::from(Sharding::replicated(MeshId::from_index(3), 1)));
    check(
        &module,
        &[
            "error[E0209]: `%x`: a sharding of 2 dims on a value of 1 dims",
            "error[E0209]: `%y`: axis `x` is used twice by dim 0",
            "error[E0209]: result 0: the mesh of its sharding does not exist",
        ],
    );
}

/// A manual computation over `x` of a mesh `x=2, y=2`, that takes and gives pieces of these types.
fn manual(operand: &str, local: &str, result: &str) -> Module {
    let mut module = Module::new("test");
    let mesh = module.meshes.push(Mesh::new("m", [("x", 2), ("y", 2)], None).unwrap());
    let axis = module.meshes[mesh].whole_axes()[0];
    let split = |rank| Sharding::tiled(mesh, (0..rank).map(|dim| if dim == 0 { vec![axis] } else { vec![] }));
    let mut editor = main_func(&mut module);
    let root = editor.func().root();
    let x = editor.param(root, ty(operand));
    let body = editor.block();
    let piece = editor.param(body, ty(local));
    editor.set_results(body, vec![piece]);
    let op = Op::Sharding(ShardingOp::Manual(ManualComputation {
        mesh,
        axes: vec![axis],
        in_shardings: vec![split(ty(operand).rank())],
        out_shardings: vec![split(ty(operand).rank())],
    }));
    editor.push_typed(At::End(root), op, vec![x], vec![body], vec![ty(result)], SourceId::unknown());
    module
}

#[test]
fn rule_5_manual_computations_see_pieces() {
    check(&manual("f32[4,3]", "f32[2,3]", "f32[4,3]"), &[]);
    check(
        &manual("f32[4,3]", "f32[4,3]", "f32[4,3]"),
        &["error[E0205]: `%2` = manual_computation: parameters of the body: number 0 is f32[4,3], \
           but in the list of local operands it is f32[2,3]"],
    );
    check(
        &manual("f32[5,3]", "f32[2,3]", "f32[4,3]"),
        &[
            "error[E0205]: `%2` = manual_computation: dim 0 of f32[5,3] is not divisible by its 2 manual tiles",
        ],
    );
    check(
        &manual("f32[4,3]", "f32[2,3]", "f32[2,3]"),
        &["error[E0205]: `%2` = manual_computation: `%2` is declared f32[2,3], but is f32[4,3]"],
    );
}

#[test]
fn rule_10_groups_fit_the_devices() {
    let groups = |groups: Groups, group_size| {
        Op::Collective(Collective {
            kind: CollectiveKind::AllGather { dim: 0 },
            groups,
            group_size,
            channel: Default::default(),
            wide: None,
        })
    };
    let iota = |reshape: &[i64]| Groups::Iota {
        groups: 2,
        size: 2,
        reshape: reshape.to_vec(),
        transpose: vec![1, 0],
    };
    let permute = Op::Collective(Collective {
        kind: CollectiveKind::Permute { pairs: vec![(0, 1), (0, 2)] },
        groups: Groups::All,
        group_size: 1,
        channel: Default::default(),
        wide: None,
    });
    let cases = [
        (groups(Groups::List(vec![vec![0, 1], vec![2, 3]]), 2), "f32[8]", None),
        (
            groups(Groups::List(vec![vec![0, 1], vec![2, 4]]), 2),
            "f32[8]",
            Some("device 4 is no device of the program"),
        ),
        (groups(Groups::List(vec![vec![0, 1], vec![2, 1]]), 2), "f32[8]", Some("device 1 is named twice")),
        (
            groups(Groups::List(vec![vec![0, 1], vec![2]]), 2),
            "f32[8]",
            Some("a group has 1 devices, but the instruction says 2"),
        ),
        (groups(iota(&[2, 2]), 2), "f32[8]", None),
        (groups(iota(&[3, 2]), 2), "f32[8]", Some("2 groups of 2 devices are not the devices of [3, 2]")),
        (permute, "f32[4]", Some("source 0 is named twice")),
    ];
    for (op, result, wrong) in cases {
        let mut module = doubling();
        module.num_partitions = Some(4);
        let name = op.mnemonic();
        let mut editor = main_func(&mut module);
        let root = editor.func().root();
        push(&mut editor, At::End(root), op, &[y()], result);
        let expected: Vec<String> =
            wrong.iter().map(|message| format!("error[E0210]: `%2` = {name}: {message}")).collect();
        check(&module, &expected.iter().map(String::as_str).collect::<Vec<_>>());
    }
}

#[test]
fn rule_11_the_valid_part_lies_inside() {
    let mut module = doubling();
    main_func(&mut module).set_valid(x(), Some([5].into()));
    check(&module, &["error[E0211]: `%x`: [5] of [4] cannot be its valid part"]);
}

#[test]
fn places_come_from_the_text_or_from_the_program() {
    let mut module = doubling();
    let frame =
        Frame { file: "model.py".into(), function: None, line: 7, column: 3, end_line: 7, end_column: 9 };
    let source = module.sources.push(Source { frames: vec![frame], ..Source::default() });
    let mut editor = main_func(&mut module);
    let inst = editor.func().def_inst(y()).unwrap();
    editor.set_source(inst, source);
    editor.set_operands(inst, vec![]);
    let errors = verify(&module).unwrap_err();
    assert_eq!(meshwright_base::render(&errors[0], None).lines().nth(1), Some("  --> model.py:7:3"));
    let errors = verify_with(&module, &|_, _| Some(meshwright_base::Span::new(5, 6))).unwrap_err();
    assert_eq!(meshwright_base::render(&errors[0], None).lines().nth(1), Some("  --> byte 5"));
}

#[test]
fn deep_nesting_and_many_errors_are_bounded() {
    let mut module = Module::new("deep");
    let mut editor = main_func(&mut module);
    let mut block = editor.func().root();
    let pred = editor.param(block, ty("pred[]"));
    for _ in 0..20_000 {
        let (inner, other) = (editor.block(), editor.block());
        let op = Op::Control(Control::If);
        editor.push_typed(At::End(block), op, vec![pred], vec![inner, other], vec![], SourceId::unknown());
        block = inner;
    }
    check(&module, &[]);
    let mut editor = main_func(&mut module);
    for _ in 0..100 {
        push(&mut editor, At::End(block), Op::Unary(UnaryOp::Tanh), &[pred], "f32[]");
    }
    assert_eq!(verify(&module).unwrap_err().len(), meshwright_ir::verify::MOST_ERRORS);
}
