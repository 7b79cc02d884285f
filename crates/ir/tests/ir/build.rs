//! What a builder writes, where, and what it leaves out.

use crate::table::ty;
use meshwright_base::Id;
use meshwright_ir::op::*;
use meshwright_ir::*;
use meshwright_shard::{MeshId, Reducer, Sharding};

/// `main(x: f32[4,6])`, returning what `write` makes of it.
fn module(write: impl FnOnce(&mut Builder<'_>, ValueId) -> ValueId) -> Module {
    let mut module = Module::new("test");
    let entry = module.entry;
    let root = module.funcs[entry].root();
    let x = Editor::new(&mut module.funcs[entry]).param(root, ty("f32[4,6]"));
    let mut b = Builder::new(&mut module.funcs[entry], At::End(root), SourceId::unknown());
    let result = write(&mut b, x);
    b.editor.set_results(root, vec![result]);
    module
}

/// The ops that are written, in order.
fn ops(module: &Module) -> Vec<&'static str> {
    let func = module.main();
    func.insts_in_order().into_iter().map(|inst| func.inst(inst).op.mnemonic()).collect()
}

/// What is written, and of which type the result is; the verifier, which infers again, takes it.
#[track_caller]
fn check(write: impl FnOnce(&mut Builder<'_>, ValueId) -> ValueId, result: &str, written: &[&str]) {
    let module = module(write);
    assert_eq!(verify(&module), Ok(()));
    let func = module.main();
    assert_eq!(func.ty(func.result_values()[0]).to_string(), result);
    assert_eq!(ops(&module), written);
}

#[test]
fn every_word_has_the_type_that_its_op_infers() {
    check(|b, x| b.unary(UnaryOp::Exponential, x), "f32[4,6]", &["exponential"]);
    check(|b, x| b.scale(x, 0.5), "f32[4,6]", &["constant", "multiply"]);
    check(|b, x| b.add(x, x), "f32[4,6]", &["add"]);
    check(|b, x| b.compare(Direction::Lt, x, x), "pred[4,6]", &["compare"]);
    check(|b, x| b.convert(x, DType::S32), "s32[4,6]", &["convert"]);
    check(|b, x| b.reshape(x, &[24]), "f32[24]", &["reshape"]);
    check(|b, x| b.transpose(x, vec![1, 0]), "f32[6,4]", &["transpose"]);
    check(|b, x| b.broadcast(x, vec![0, 2], &[4, 3, 6]), "f32[4,3,6]", &["broadcast_in_dim"]);
    check(|b, x| b.slice_dim(x, Dim::new(1), 2..5), "f32[4,3]", &["slice"]);
    let wider = Pad { high: vec![1, 0], ..Pad::nothing(2) };
    check(|b, x| b.pad(x, wider), "f32[5,6]", &["constant", "pad"]);
    check(|b, x| b.reverse(x, vec![1]), "f32[4,6]", &["reverse"]);
    check(|b, x| b.concatenate(vec![x, x], Dim::new(0)), "f32[8,6]", &["concatenate"]);
    check(|b, _| b.iota(DType::S32, &[3, 2], Dim::new(1)), "s32[3,2]", &["iota"]);
    check(|b, x| b.sum(x, &[0]), "f32[6]", &["constant", "reduce", "add"]);
    check(|b, x| b.reduce(Reducer::Max, x, vec![0, 1]), "f32[]", &["constant", "reduce", "maximum"]);
}

#[test]
fn scalars_stack_to_a_vector_that_starts_a_slice() {
    let write = |b: &mut Builder<'_>, x: ValueId| {
        let scalar = TensorType::scalar(DType::S32);
        let starts = [b.splat_int(&scalar, 1), b.splat_int(&scalar, 2)];
        let part = b.dynamic_slice(x, &starts, &[2, 3]);
        b.dynamic_update_slice(x, part, &starts)
    };
    check(write, "f32[4,6]", &["constant", "constant", "dynamic_slice", "dynamic_update_slice"]);
    let stacked = |b: &mut Builder<'_>, _| {
        let one = b.splat_int(&TensorType::scalar(DType::S32), 1);
        b.stack(&[one, one])
    };
    check(stacked, "s32[2]", &["constant", "reshape", "reshape", "concatenate"]);
    check(|b, _| b.stack(&[]), "s32[0]", &["constant"]);
}

#[test]
fn what_changes_nothing_is_not_written() {
    check(|b, x| b.reshape(x, &[4, 6]), "f32[4,6]", &[]);
    check(|b, x| b.transpose(x, vec![0, 1]), "f32[4,6]", &[]);
    check(|b, x| b.broadcast(x, vec![0, 1], &[4, 6]), "f32[4,6]", &[]);
    check(|b, x| b.slice_dim(x, Dim::new(1), 0..6), "f32[4,6]", &[]);
    check(|b, x| b.pad(x, Pad::nothing(2)), "f32[4,6]", &[]);
    check(|b, x| b.reverse(x, Vec::new()), "f32[4,6]", &[]);
    check(|b, x| b.concatenate(vec![x], Dim::new(0)), "f32[4,6]", &[]);
    check(|b, x| b.convert(x, DType::F32), "f32[4,6]", &[]);
    check(|b, x| b.reduce(Reducer::Max, x, Vec::new()), "f32[4,6]", &[]);
}

#[test]
fn a_sum_over_a_dim_of_one_element_only_drops_it() {
    let write = |b: &mut Builder<'_>, x: ValueId| {
        let row = b.reshape(x, &[1, 24]);
        b.sum(row, &[0])
    };
    check(write, "f32[24]", &["reshape", "reshape"]);
}

#[test]
fn instructions_stay_in_order_wherever_they_go() {
    let two = |b: &mut Builder<'_>, x: ValueId| {
        let y = b.unary(UnaryOp::Sine, x);
        b.unary(UnaryOp::Cosine, y);
    };
    let mut module = module(|b, x| {
        let x = b.unary(UnaryOp::Exponential, x);
        b.neg(x)
    });
    let entry = module.entry;
    let func = &mut module.funcs[entry];
    let (x, insts) = (func.param_values()[0], func.insts_in_order());
    two(&mut Builder::before(func, insts[0]), x);
    two(&mut Builder::after(func, insts[0]), x);
    two(&mut Builder::after(func, insts[1]), x);
    let wanted = ["sine", "cosine", "exponential", "sine", "cosine", "negate", "sine", "cosine"];
    assert_eq!(ops(&module), wanted);
}

#[test]
fn what_is_written_carries_the_location_and_the_looks_asked_for() {
    let mut module = module(|b, x| b.neg(x));
    let entry = module.entry;
    let (source, mesh) = (SourceId::from_index(3), MeshId::from_index(0));
    let func = &mut module.funcs[entry];
    let (x, inst) = (func.param_values()[0], func.insts_in_order()[0]);
    Editor::new(func).set_source(inst, source);
    Editor::new(func).set_valid(x, Some([4, 5].into()));
    let mut b = Builder::after(func, inst);
    let plain = b.neg(x);
    let split = b.split_as(&Sharding::replicated(mesh, 2)).neg(x);
    let alike = b.looking_like(x).neg(x);
    let func = &module.funcs[entry];
    assert_eq!(func.inst(func.def_inst(plain).unwrap()).source, source);
    assert_eq!(func.value(plain).sharding, None);
    assert_eq!(func.value(split).sharding, Some(Annotation::from(Sharding::replicated(mesh, 2))));
    assert_eq!((&func.value(alike).sharding, &func.value(alike).valid), (&None, &func.value(x).valid));
}

/// Counts the ops that do not fit.
struct Counting<'a> {
    builder: Builder<'a>,
    misfits: Vec<String>,
}

impl Build for Counting<'_> {
    fn func(&self) -> &Function {
        self.builder.func()
    }

    fn builder(&mut self) -> Builder<'_> {
        self.builder.builder()
    }

    fn misfit(&mut self, op: &Op, error: InferError) {
        self.misfits.push(format!("{}: {}", op.mnemonic(), error.message));
    }
}

#[test]
fn an_op_that_does_not_fit_is_told_and_refused_by_the_verifier() {
    let mut module = module(|_, x| x);
    let entry = module.entry;
    let func = &mut module.funcs[entry];
    let (root, x) = (func.root(), func.param_values()[0]);
    let builder = Builder::new(func, At::End(root), SourceId::unknown());
    let mut counting = Counting { builder, misfits: Vec::new() };
    let odd = counting.transpose(x, vec![0, 2]);
    assert_eq!(counting.dtype(odd), DType::F32);
    assert_eq!(counting.misfits, ["transpose: the permutation: dim 2 is out of range, the rank is 2"]);
    assert!(verify(&module).is_err());
}

#[test]
fn a_region_has_the_parameters_and_results_that_it_is_written_with() {
    let comparing = |b: &mut Builder<'_>, x: ValueId| {
        let region = b.comparator(Direction::Lt, DType::F32);
        b.push_in(Op::Sort(Sort { dim: 1, stable: true }), vec![x], vec![region])
    };
    check(comparing, "f32[4,6]", &["sort", "compare"]);
    let looped = |b: &mut Builder<'_>, x: ValueId| {
        let body = b.region([ty("f32[4,6]")], |b, params| vec![b.neg(params[0])]);
        b.push_in(Op::Scan(Scan { trips: 3, carries: 1, reverse: false }), vec![x], vec![body])
    };
    check(looped, "f32[4,6]", &["scan", "negate"]);
}

#[test]
fn literals_of_integers_hold_what_they_are_given() {
    assert_eq!(Literal::vector(DType::S8, &[3, -1]).to_ints(), Some(vec![3, -1]));
    assert_eq!(Literal::splat_number(TensorType::scalar(DType::U16), 7.9).as_int(), Some(7));
    let ends = |dtype| {
        let end = |make: fn(TensorType) -> Literal| make(TensorType::scalar(dtype)).as_int();
        (end(Literal::smallest), end(Literal::largest))
    };
    assert_eq!(ends(DType::S4), (Some(-8), Some(7)));
    assert_eq!(ends(DType::U8), (Some(0), Some(255)));
    assert_eq!(ends(DType::S64), (Some(i64::MIN), Some(i64::MAX)));
    assert_eq!(ends(DType::Pred), (Some(0), Some(1)));
}
