//! Checks that the families' `infer` share: counts, ranks, dims, scalars. Each failure says the numbers.

use crate::infer::{InferError, Operands, RegionTypes};
use crate::types::{DType, TensorType, Type};

/// Leave `infer` with a message (and a help after `;`) unless the condition holds.
macro_rules! ensure {
    ($ok:expr, $message:literal $(, $arg:expr)* $(,)?) => {
        if !$ok {
            return Err($crate::infer::InferError::new(format!($message $(, $arg)*)));
        }
    };
    ($ok:expr, $message:literal $(, $arg:expr)*; $help:literal $(, $help_arg:expr)*) => {
        if !$ok {
            let error = $crate::infer::InferError::new(format!($message $(, $arg)*));
            return Err(error.help(format!($help $(, $help_arg)*)));
        }
    };
}
pub(crate) use ensure;

/// Stands in an array until the real type is put there.
static NOTHING: TensorType = TensorType { dtype: DType::Pred, dims: Vec::new() };

type Checked<T = ()> = Result<T, InferError>;

impl<'a> Operands<'a> {
    /// Exactly `N` tensor operands.
    pub fn tensors<const N: usize>(&self) -> Checked<[&'a TensorType; N]> {
        self.expect_count(N)?;
        let mut all = [&NOTHING; N];
        for (index, slot) in all.iter_mut().enumerate() {
            *slot = self.tensor(index)?;
        }
        Ok(all)
    }

    /// No negative sizes: the arithmetic of inference relies on it.
    pub fn expect_countable(&self) -> Checked {
        for (index, ty) in self.types.iter().enumerate() {
            ensure!(ty.dims().iter().all(|size| *size >= 0), "operand {index}, {ty}, has a negative size");
        }
        Ok(())
    }

    /// All operands, which must be tensors.
    pub fn all_tensors(&self) -> Checked<Vec<&'a TensorType>> {
        (0..self.types.len()).map(|index| self.tensor(index)).collect()
    }

    /// One operand, which must be a tensor.
    pub fn tensor(&self, index: usize) -> Checked<&'a TensorType> {
        let Some(ty) = self.types.get(index) else {
            return Err(InferError::new(format!(
                "operand {index} is missing, there are {}",
                self.types.len()
            )));
        };
        ty.as_tensor()
            .ok_or_else(|| InferError::new(format!("operand {index} must be a tensor, not a token")))
    }

    pub fn expect_count(&self, count: usize) -> Checked {
        ensure!(
            self.types.len() == count,
            "number of operands: expected {count}, found {}",
            self.types.len()
        );
        Ok(())
    }

    /// Exactly `N` regions.
    pub fn expect_regions<const N: usize>(&self) -> Checked<&'a [RegionTypes<'a>; N]> {
        let regions = self.regions;
        let wrong = |_| InferError::new(format!("number of regions: expected {N}, found {}", regions.len()));
        regions.try_into().map_err(wrong)
    }

    /// First half and second half of the operands, as variadic ops pair them: `(inputs.., inits..)`.
    pub fn halves(&self) -> Checked<(Vec<&'a TensorType>, Vec<&'a TensorType>)> {
        let count = self.types.len();
        ensure!(
            count > 0 && count.is_multiple_of(2),
            "expected as many inputs as initial values, found {count} operands"
        );
        let mut first = self.all_tensors()?;
        let second = first.split_off(count / 2);
        Ok((first, second))
    }
}

/// A list of exactly `count` scalars; their element types.
pub fn expect_scalars(what: &str, types: &[&Type], count: usize) -> Checked<Vec<DType>> {
    ensure!(types.len() == count, "number of {what}: expected {count}, found {}", types.len());
    let scalar = |(i, ty): (usize, &&Type)| match ty {
        Type::Tensor(tensor) if tensor.dims.is_empty() => Ok(tensor.dtype),
        other => Err(InferError::new(format!("{what}: number {i} must be a scalar, not {other}"))),
    };
    types.iter().enumerate().map(scalar).collect()
}

/// A region's only result must be a `pred` scalar.
pub fn expect_pred_result(what: &str, results: &[&Type]) -> Checked {
    let is_pred = |ty: &Type| matches!(ty, Type::Tensor(t) if t.dtype == DType::Pred && t.dims.is_empty());
    let found = results.iter().map(|ty| ty.to_string()).collect::<Vec<_>>().join(", ");
    ensure!(results.len() == 1 && is_pred(results[0]), "{what} must return one pred[], not ({found})");
    Ok(())
}

/// Tensors that must have the same dims as the first.
pub fn expect_same_dims(tensors: &[&TensorType]) -> Checked {
    let Some(first) = tensors.first() else { return Ok(()) };
    for (i, other) in tensors.iter().enumerate() {
        ensure!(
            other.dims == first.dims,
            "operand {i} is {other}, but operand 0 is {first}: the dims must agree"
        );
    }
    Ok(())
}

/// Tensors that must have the same type as the first.
pub fn expect_same_types(tensors: &[&TensorType]) -> Checked {
    let Some(first) = tensors.first() else { return Ok(()) };
    for (i, other) in tensors.iter().enumerate() {
        ensure!(other == first, "operand {i} is {other}, but operand 0 is {first}: the types must agree");
    }
    Ok(())
}

/// Two lists of types that must be equal: `what` has `found`, `because` says what they must fit.
pub fn expect_types(what: &str, found: &[&Type], because: &str, wanted: &[&Type]) -> Checked {
    let (has, needs) = (found.len(), wanted.len());
    ensure!(has == needs, "{what}: {has} types, but {because} has {needs}");
    for (i, (found, wanted)) in found.iter().zip(wanted).enumerate() {
        ensure!(found == wanted, "{what}: number {i} is {found}, but in {because} it is {wanted}");
    }
    Ok(())
}

/// Dims that must be in range and distinct.
pub fn expect_dims(what: &str, dims: impl IntoIterator<Item = usize>, rank: usize) -> Checked {
    let mut seen = vec![false; rank];
    for dim in dims {
        ensure!(dim < rank, "{what}: dim {dim} is out of range, the rank is {rank}");
        ensure!(!std::mem::replace(&mut seen[dim], true), "{what}: dim {dim} is named twice");
    }
    Ok(())
}

/// Dims that must be ascending, distinct and in range.
pub fn expect_sorted_dims(what: &str, dims: &[usize], rank: usize) -> Checked {
    expect_dims(what, dims.iter().copied(), rank)?;
    ensure!(dims.is_sorted(), "{what}: dims {dims:?} must be ascending");
    Ok(())
}

/// One entry per dim of a tensor.
pub fn expect_per_dim(what: &str, entries: usize, rank: usize) -> Checked {
    ensure!(entries == rank, "{what} has {entries} entries, but the rank is {rank}");
    Ok(())
}

/// A size that came out of arithmetic on attributes: it must be at least 0 and fit.
pub fn expect_size(what: &str, size: i128) -> Checked<i64> {
    ensure!(size >= 0, "{what} would have a negative size, {size}");
    i64::try_from(size).map_err(|_| InferError::new(format!("{what} would have {size} elements, too many")))
}

/// Sizes an attribute states: each must be at least 0.
pub fn expect_sizes(what: &str, sizes: &[i64]) -> Checked {
    for (dim, size) in sizes.iter().enumerate() {
        ensure!(*size >= 0, "{what}: dim {dim} has a negative size, {size}");
    }
    Ok(())
}

/// A result of a computation on scalars may be wider than its inputs, never of another class.
pub fn expect_promotes(what: &str, from: DType, to: DType) -> Checked {
    let fits = from == to || (from.class() == to.class() && from.bits() <= to.bits());
    ensure!(fits, "{what}: {from} does not widen to {to}");
    Ok(())
}
