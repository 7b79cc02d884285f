//! Inputs for tests: deterministic, by seed, parameter number and element index.

use crate::complex::Complex;
use crate::fault::{BAD_INPUTS, TOO_MANY_BYTES};
use crate::machine::Options;
use crate::random::{normal, whole};
use crate::tensor::{Data, Scalar, Tensor, element_count};
use meshwright_base::Diagnostic;
use meshwright_ir::op::{Dynamic, Op};
use meshwright_ir::{Class, DType, Function, Module, TensorType};

/// Integers lie below this where nothing is indexed.
const WITHOUT_INDICES: i64 = 16;

/// What the numbers look like.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Style {
    /// Floats are normally distributed.
    Natural,
    /// Floats are whole numbers from -3 to 3: sums and products of them stay exact.
    SmallInts,
}

/// One tensor per parameter of the entry function. Integers lie below the smallest dim that anything in the module
/// indexes, so that they may serve as indices.
pub fn random_inputs(module: &Module, seed: u64, style: Style) -> Result<Vec<Tensor>, Diagnostic> {
    (0..module.main().param_values().len()).map(|at| random_input(module, at, seed, style)).collect()
}

/// The one of a parameter by its number.
pub fn random_input(module: &Module, at: usize, seed: u64, style: Style) -> Result<Tensor, Diagnostic> {
    let func = module.main();
    let ty = func.ty(func.param_values()[at]).as_array();
    let limit = if ty.dtype.part().is_float() { WITHOUT_INDICES } else { index_limit(module) };
    let stream = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(at as u64);
    random_tensor(&ty, stream, style, limit)
}

/// One tensor of a type, from a seed.
pub fn random_array(ty: &TensorType, seed: u64, style: Style) -> Result<Tensor, Diagnostic> {
    random_tensor(ty, seed.wrapping_mul(0x9e37_79b9_7f4a_7c15), style, WITHOUT_INDICES)
}

fn random_tensor(ty: &TensorType, stream: u64, style: Style, limit: i64) -> Result<Tensor, Diagnostic> {
    let width = Data::width(ty.dtype.class()) as u64;
    let count =
        element_count(&ty.dims).filter(|n| (*n as u64).saturating_mul(width) <= Options::default().max_bytes);
    let Some(count) = count else {
        return Err(Diagnostic::error(
            TOO_MANY_BYTES,
            format!("a parameter of type {ty} is too large to fill"),
        ));
    };
    let mut data = Data::zeros(ty.dtype.class(), count);
    for i in 0..count {
        data.set(i, element(ty.dtype, stream, i as u64, style, limit));
    }
    Tensor::new(ty.clone(), data)
        .ok_or_else(|| Diagnostic::error(BAD_INPUTS, format!("{ty} cannot be filled")))
}

fn element(dtype: DType, stream: u64, i: u64, style: Style, limit: i64) -> Scalar {
    match dtype.class() {
        Class::Pred => Scalar::Pred(whole(stream, i, 0, 2) == 1),
        Class::Signed => Scalar::Int(whole(stream, i, 0, limit.min(1 << (dtype.bits() - 1).min(30)))),
        Class::Unsigned => Scalar::Uint(whole(stream, i, 0, limit.min(1 << dtype.bits().min(30))) as u64),
        Class::Float => Scalar::from_f64(dtype, number(dtype, stream, i, style)),
        Class::Complex => {
            let part = |i| crate::round::round(dtype.part(), number(dtype.part(), stream, i, style));
            Scalar::Complex(Complex { re: part(2 * i), im: part(2 * i + 1) })
        }
    }
}

fn number(dtype: DType, stream: u64, i: u64, style: Style) -> f64 {
    match style {
        // Powers of two only, no zero and no sign.
        _ if dtype == DType::F8E8M0FNU => whole(stream, i, 1, 3) as f64,
        Style::Natural => normal(stream, i),
        Style::SmallInts => whole(stream, i, -3, 4) as f64,
    }
}

/// The smallest dim (above 1) that an index may run over: of gathers, scatters, dynamic slices and integer iotas.
fn index_limit(module: &Module) -> i64 {
    let dims = module.funcs.values().flat_map(|func| {
        let insts = func.insts_in_order();
        insts.into_iter().flat_map(move |inst| indexed_dims(func, inst))
    });
    dims.filter(|dim| *dim > 1).min().unwrap_or(WITHOUT_INDICES)
}

fn indexed_dims(func: &Function, inst: meshwright_ir::InstId) -> Vec<i64> {
    let inst = func.inst(inst);
    let operand = inst.operands.first().map_or(&[][..], |value| func.dims(*value));
    let pick = |dims: &[usize]| dims.iter().filter_map(|d| operand.get(*d).copied()).collect();
    match &inst.op {
        Op::Gather(op) => pick(&op.start_index_map),
        Op::Scatter(op) => pick(&op.scatter_dims_to_operand_dims),
        Op::Dynamic(Dynamic::Slice { .. } | Dynamic::UpdateSlice) => operand.to_vec(),
        Op::Iota(op) if op.ty.dtype.is_integer() => op.ty.dims.get(op.dim).copied().into_iter().collect(),
        _ => Vec::new(),
    }
}
