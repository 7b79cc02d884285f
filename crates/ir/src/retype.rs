//! The same module computed in a wider float type: every f32 (and narrower float) becomes f64.
//!
//! For comparing two programs without rounding in the way. What looks at bits (bitcasts of floats, reduced precision,
//! foreign calls, random normal numbers) has no wide form; such a module is left alone and the caller is told. Floats
//! that are made of bits, as random ones are, stay as they are and are widened behind that. A precision "reduced" to
//! the type's own, as JAX writes around what it computes again, becomes that of f64.

use crate::build::{Build, Builder};
use crate::edit::Editor;
use crate::literal::{Literal, float_bytes};
use crate::module::{BlockId, Function, InstId, Module, ValueId};
use crate::op::{Collective, Constant, Convert, Convolution, Dot, Foreign, Iota, Op, Random};
use crate::small_float;
use crate::types::{DType, TensorType, Type};
use crate::verify::inst_name;
use meshwright_base::diagnostic::Place;

/// An instruction that has no wide form.
#[derive(Debug)]
pub struct Narrow {
    pub why: String,
    pub place: Option<Place>,
}

/// Widen every float of a module to f64. `Err` is the first instruction that has no wide form.
pub fn widen(module: &Module) -> Result<Module, Narrow> {
    for func in module.funcs.values() {
        if let Some(inst) = func.insts_in_order().into_iter().find(|inst| looks_at_bits(func, *inst)) {
            let why = format!("{} looks at the bits of its floats", inst_name(func, inst));
            return Err(Narrow { why, place: module.place(func.inst(inst).source) });
        }
    }
    let mut module = module.clone();
    module.funcs.values_mut().for_each(widen_function);
    Ok(module)
}

fn looks_at_bits(func: &Function, inst: InstId) -> bool {
    let info = func.inst(inst);
    let floats = |values: &[ValueId]| values.iter().any(|value| has_float(func.ty(*value)));
    let touches_floats = floats(&info.operands) || floats(&info.results);
    if keeps_precision(func, inst) || is_made_of_bits(func, inst) {
        return false;
    }
    let blind = matches!(
        &info.op,
        Op::Convert(Convert::Bitcast(_) | Convert::ReducePrecision { .. })
            | Op::Random(_)
            | Op::Foreign(Foreign::CustomCall(_))
            | Op::Token(_)
    );
    blind && touches_floats
}

/// Whether an instruction makes floats of the bits of whole numbers.
fn is_made_of_bits(func: &Function, inst: InstId) -> bool {
    let info = func.inst(inst);
    matches!(&info.op, Op::Convert(Convert::Bitcast(ty)) if ty.dtype.part().is_float())
        && !info.operands.iter().any(|operand| has_float(func.ty(*operand)))
}

fn keeps_precision(func: &Function, inst: InstId) -> bool {
    let info = func.inst(inst);
    let dtype = info.operands.first().and_then(|operand| func.ty(*operand).as_tensor()).map(|ty| ty.dtype);
    matches!((&info.op, dtype), (Op::Convert(op), Some(dtype)) if op.keeps_precision_of(dtype))
}

fn has_float(ty: &Type) -> bool {
    ty.as_tensor().is_some_and(|tensor| tensor.dtype.part().is_float())
}

/// The wide type of an element type.
pub fn wide(dtype: DType) -> DType {
    match dtype {
        DType::C64 => DType::C128,
        other if other.is_float() => DType::F64,
        other => other,
    }
}

fn widen_function(func: &mut Function) {
    let values: Vec<ValueId> = func.values().keys().collect();
    let insts = func.insts_in_order();
    let blocks: Vec<BlockId> = func.blocks_in_order();
    let of_bits: Vec<InstId> = insts.iter().copied().filter(|inst| is_made_of_bits(func, *inst)).collect();
    let mut editor = Editor::new(func);
    for value in values {
        let is_of_bits = matches!(editor.func().def_inst(value), Some(inst) if of_bits.contains(&inst));
        if let (Type::Tensor(ty), false) = (editor.func().ty(value), is_of_bits) {
            let ty = Type::Tensor(wide_type(ty));
            editor.set_type(value, ty);
        }
    }
    for inst in &of_bits {
        widen_behind(&mut editor, *inst);
    }
    for inst in insts.into_iter().filter(|inst| !of_bits.contains(inst)) {
        let op = wide_op(&editor.func().inst(inst).op);
        editor.set_op(inst, op);
    }
    for block in blocks {
        let results = editor.func().block(block).results.clone();
        editor.set_results(block, results);
    }
}

/// Have the users of an instruction's result read it widened.
fn widen_behind(editor: &mut Editor<'_>, inst: InstId) {
    let info = editor.func().inst(inst);
    let [result] = info.results[..] else { return };
    let Some(ty) = editor.func().ty(result).as_tensor().map(wide_type) else { return };
    let wide = Builder::after(editor.func_mut(), inst).push(Op::Convert(Convert::To(ty.dtype)), [result]);
    let Some(made) = editor.func().def_inst(wide) else { return };
    editor.map_uses(|value| if value == result { wide } else { value });
    editor.set_operands(made, vec![result]);
}

fn wide_type(ty: &TensorType) -> TensorType {
    ty.with_dtype(wide(ty.dtype))
}

fn wide_op(op: &Op) -> Op {
    match op.clone() {
        Op::Constant(constant) => Op::Constant(Constant(wide_literal(&constant.0))),
        Op::Iota(iota) => Op::Iota(Iota { dim: iota.dim, ty: wide_type(&iota.ty) }),
        Op::Convert(Convert::To(dtype)) => Op::Convert(Convert::To(wide(dtype))),
        Op::Convert(Convert::ReducePrecision { .. }) => {
            Op::Convert(Convert::ReducePrecision { exponent_bits: 11, mantissa_bits: 52 })
        }
        Op::Dot(dot) => Op::Dot(Dot { result: wide(dot.result), algorithm: None, ..dot }),
        Op::Convolution(op) => Op::Convolution(Convolution { result: wide(op.result), ..op }),
        Op::Collective(op) => Op::Collective(Collective { wide: None, ..op }),
        Op::Random(Random::BitGenerator { algorithm, bits }) => {
            Op::Random(Random::BitGenerator { algorithm, bits })
        }
        other => other,
    }
}

/// The literal with its elements widened exactly.
pub fn wide_literal(literal: &Literal) -> Literal {
    let ty = literal.ty();
    let to = wide_type(ty);
    if *ty == to {
        return literal.clone();
    }
    let part = ty.dtype.part();
    let element = |bytes: &[u8]| -> Vec<u8> {
        bytes
            .chunks(part.bytes())
            .flat_map(|part_bytes| float_bytes(DType::F64, float_of(part, part_bytes)))
            .collect()
    };
    let widened = match literal.as_splat() {
        Some(bytes) => Literal::splat(to.clone(), &element(bytes)),
        None => {
            let bytes = (0..ty.elements() as usize).flat_map(|at| element(literal.element(at))).collect();
            Literal::dense(to.clone(), bytes)
        }
    };
    widened.unwrap_or_else(|| Literal::zeros(to))
}

/// Value of one real float element.
pub fn float_of(dtype: DType, bytes: &[u8]) -> f64 {
    match (dtype, bytes) {
        (DType::F64, [a, b, c, d, e, f, g, h]) => f64::from_le_bytes([*a, *b, *c, *d, *e, *f, *g, *h]),
        (DType::F32, [a, b, c, d]) => f64::from(f32::from_le_bytes([*a, *b, *c, *d])),
        (DType::F16, [a, b]) => half::f16::from_le_bytes([*a, *b]).to_f64(),
        (DType::BF16, [a, b]) => half::bf16::from_le_bytes([*a, *b]).to_f64(),
        (_, [code]) => small_float::decode(dtype, *code),
        _ => f64::NAN,
    }
}
