//! Calls of library functions that are ops: what JAX writes of two ops when it lowers for CPU, read as these ops.
//!
//! ```text
//! %x = custom_call @lapack_strsm_ffi(%a, %b)       %x = triangular_solve %a, %b
//! %f, %i = custom_call @lapack_spotrf_ffi(%a)      %l = cholesky %a
//!                                                  %f = select (which triangle), %l, %a
//!                                                  %i = whether the last element of %l is NaN
//! ```
//! A factorization that fails leaves NaN behind, from where it fails to the last element. LAPACK says also where; we
//! say 1. A call whose types do not fit stays a call.

use crate::Spans;
use meshwright_base::Id;
use meshwright_ir::op::lapack::Routine;
use meshwright_ir::op::movement::Slice;
use meshwright_ir::op::{CustomCall, Direction, Foreign, Linalg, Movement, TransposeKind};
use meshwright_ir::{
    Attr, Build, Builder, DType, Dim, Editor, Function, InstId, Module, Op, Operands, TensorType, Type,
    ValueId,
};
use std::collections::BTreeMap;

/// Read all such calls of a module.
pub(crate) fn library_calls(module: &mut Module, spans: &mut Spans) {
    for (id, func) in module.funcs.iter_mut() {
        let found = calls(func);
        if found.is_empty() {
            continue;
        }
        let mut renamed = BTreeMap::new();
        for (inst, op) in found {
            let made = func.inst_count();
            match op {
                Linalg::TriangularSolve { .. } => solve(func, inst, op),
                Linalg::Cholesky { lower } => renamed.extend(cholesky(func, inst, lower)),
            }
            let span = spans[id].get(inst).copied().unwrap_or_default();
            for _ in made..func.inst_count() {
                spans[id].push(span);
            }
        }
        Editor::new(func).map_uses(|value| renamed.get(&value).copied().unwrap_or(value));
    }
}

fn calls(func: &Function) -> Vec<(InstId, Linalg)> {
    let of = |inst| match &func.inst(inst).op {
        Op::Foreign(Foreign::CustomCall(call)) => Some((inst, op_of(func, inst, call)?)),
        _ => None,
    };
    func.insts_in_order().into_iter().filter_map(of).collect()
}

/// The op a call stands for, if operands and results fit it.
fn op_of(func: &Function, inst: InstId, call: &CustomCall) -> Option<Linalg> {
    let op = match call.routine()? {
        Routine::Cholesky => Linalg::Cholesky { lower: is_lower(call)? },
        Routine::TriangularSolve => Linalg::TriangularSolve {
            left_side: call.config_letter("side")? == 'L',
            lower: is_lower(call)?,
            unit_diagonal: call.config_letter("diag")? == 'U',
            transpose_a: transposition(call.config_letter("trans_x")?)?,
        },
        _ => return None,
    };
    let info = func.inst(inst);
    let inferred = inferred(func, &op, &info.operands)?;
    let [first] = &inferred[..] else { return None };
    match (&op, &call.results[..]) {
        (Linalg::TriangularSolve { .. }, [result]) => (result == first).then_some(op),
        (Linalg::Cholesky { .. }, [factor, failed]) => {
            let (batch, _) = matrices(first.as_tensor()?)?;
            (factor == first && *failed == Type::tensor(DType::S32, batch)).then_some(op)
        }
        _ => None,
    }
}

fn inferred(func: &Function, op: &Linalg, operands: &[ValueId]) -> Option<Vec<Type>> {
    let types: Vec<&Type> = operands.iter().map(|value| func.ty(*value)).collect();
    op.infer(Operands { types: &types, regions: &[] }).ok()
}

fn is_lower(call: &CustomCall) -> Option<bool> {
    Some(call.config_letter("uplo")? == 'L')
}

fn transposition(letter: char) -> Option<TransposeKind> {
    match letter {
        'N' => Some(TransposeKind::NoTranspose),
        'T' => Some(TransposeKind::Transpose),
        'C' => Some(TransposeKind::Adjoint),
        _ => None,
    }
}

/// Batch dims and rows of square matrices.
fn matrices(ty: &TensorType) -> Option<(&[i64], i64)> {
    match &ty.dims[..] {
        [batch @ .., rows, _] => Some((batch, *rows)),
        _ => None,
    }
}

fn solve(func: &mut Function, inst: InstId, op: Linalg) {
    let mut editor = Editor::new(func);
    editor.set_op(inst, Op::Linalg(op));
    forget(&mut editor, inst);
}

/// Attributes that say something of the call, not of its values.
fn forget(editor: &mut Editor<'_>, inst: InstId) {
    let attrs = editor.attrs_mut(inst);
    for name in ["sdy.sharding_rule", "hlo.form"] {
        attrs.remove(name);
    }
    let Some(Attr::Dict(mut fields)) = attrs.remove("mhlo.frontend_attributes") else { return };
    fields.0.retain(|(name, _)| !matches!(&**name, "num_batch_dims" | "xla.sdy.sharding_rule"));
    if !fields.is_empty() {
        attrs.set("mhlo.frontend_attributes", Attr::Dict(fields));
    }
}

/// Names of their own for values: one that printing makes up would be read as another one.
fn name(editor: &mut Editor<'_>, values: impl Iterator<Item = ValueId>) {
    values.for_each(|value| editor.set_name(value, Some(format!("step.{}", value.index()).into())));
}

/// Write a factorization out; what its results are called now.
fn cholesky(func: &mut Function, inst: InstId, lower: bool) -> Vec<(ValueId, ValueId)> {
    let info = func.inst(inst).clone();
    let Some(a) = info.operands.first().copied() else { return Vec::new() };
    let first = func.value_count();
    let mut b = Builder::before(func, inst);
    let factor = b.push(Op::Linalg(Linalg::Cholesky { lower }), [a]);
    let failed = failed(&mut b, factor);
    let inside = triangle(&mut b, lower, factor);
    let (ty, mut editor) = (b.func().ty(factor).clone(), b.editor);
    let mut made = editor.replace(inst, Op::Select, vec![inside, factor, a], Vec::new(), vec![ty]);
    let added = first..editor.func().value_count();
    name(&mut editor, added.map(ValueId::from_index));
    made.push(failed);
    forget(&mut editor, inst);
    editor.set_inst_name(inst, None);
    for (index, (old, new)) in info.results.iter().zip(&made).enumerate() {
        let old = editor.func().value(*old).clone();
        let of_both = info.name.clone().filter(|_| index == 0);
        editor.set_sharding(*new, old.sharding);
        if let Some(name) = old.name.or(of_both) {
            editor.set_name(*new, Some(name));
        }
    }
    info.results.into_iter().zip(made).collect()
}

/// 1 for each matrix whose last element is NaN; 0 for one without elements.
fn failed(b: &mut Builder<'_>, factor: ValueId) -> ValueId {
    let ty = b.tensor(factor);
    let (batch, size) = matrices(&ty).unwrap_or_default();
    if size == 0 {
        return b.splat_int(&TensorType::new(DType::S32, batch), 0);
    }
    let start = [vec![0; batch.len()], vec![size - 1; 2]].concat();
    let slice = Slice { start, limit: ty.dims.clone(), stride: vec![1; ty.rank()] };
    let last = b.push(Op::Movement(Movement::Slice(slice)), [factor]);
    let last = b.reshape(last, batch);
    let is_nan = b.compare(Direction::Ne, last, last);
    b.convert(is_nan, DType::S32)
}

/// Where the factor stands; LAPACK leaves the other triangle alone.
fn triangle(b: &mut Builder<'_>, lower: bool, factor: ValueId) -> ValueId {
    let dims = b.func().dims(factor).to_vec();
    let row = b.iota(DType::S32, &dims, Dim::new(dims.len() - 2));
    let column = b.iota(DType::S32, &dims, Dim::new(dims.len() - 1));
    b.compare(if lower { Direction::Ge } else { Direction::Le }, row, column)
}
