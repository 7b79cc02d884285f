//! Contractions: multiply two tensors and sum over paired dims.
//!
//! Both operands are brought to `[batch, free, contract]` and `[batch, contract, free]` in the type that adds up, then
//! three loops over blocks that stay in the cache. Each result element adds its products in ascending order of the
//! contracted index; `f32` and narrower add in `f32`, `f64` in `f64`, integers modulo their width.

use crate::complex::Complex;
use crate::convert::by_value;
use crate::elementwise::round_complex;
use crate::fault::Fault;
use crate::tensor::{Data, Tensor};
use crate::view::{View, read};
use meshwright_ir::op::Dot;
use meshwright_ir::{Class, DType};

/// Extents of the three loops and the batch around them.
#[derive(Clone, Copy)]
struct Extents {
    batch: usize,
    rows: usize,
    inner: usize,
    columns: usize,
}

pub(crate) fn eval(op: &Dot, lhs: &Tensor, rhs: &Tensor, out: DType) -> Result<Data, Fault> {
    let pick = |pairs: &[(usize, usize)], right: bool| -> Vec<usize> {
        pairs.iter().map(|(l, r)| if right { *r } else { *l }).collect()
    };
    let (lhs_batch, rhs_batch) = (pick(&op.batch, false), pick(&op.batch, true));
    let (lhs_sum, rhs_sum) = (pick(&op.contract, false), pick(&op.contract, true));
    let lhs_free = rest(lhs.dims().len(), &lhs_batch, &lhs_sum);
    let rhs_free = rest(rhs.dims().len(), &rhs_batch, &rhs_sum);
    let (a, [batch, rows, inner]) = arrange(lhs, [&lhs_batch, &lhs_free, &lhs_sum])?;
    let (b, [rhs_batch, rhs_inner, columns]) = arrange(rhs, [&rhs_batch, &rhs_sum, &rhs_free])?;
    if batch != rhs_batch || inner != rhs_inner {
        return Err(Fault::unsound(format!("paired dims of {} and {} differ", lhs.ty(), rhs.ty())));
    }
    let wide = sum_type(lhs.dtype(), rhs.dtype(), out);
    let products =
        multiply(&by_value(&a, wide), &by_value(&b, wide), wide, Extents { batch, rows, inner, columns });
    Ok(by_value(&products?, out))
}

fn rest(rank: usize, batch: &[usize], sum: &[usize]) -> Vec<usize> {
    (0..rank).filter(|d| !batch.contains(d) && !sum.contains(d)).collect()
}

/// The elements with dims in the order of three groups, and the extent of each group.
fn arrange(x: &Tensor, groups: [&[usize]; 3]) -> Result<(Data, [usize; 3]), Fault> {
    let own = View::whole(x.dims());
    let mut view = View { dims: Vec::new(), strides: Vec::new(), offset: 0 };
    for dim in groups.into_iter().flatten() {
        let size = own.dims.get(*dim).ok_or_else(|| Fault::unsound(format!("has no dim {dim}")))?;
        view.dims.push(*size);
        view.strides.push(own.strides[*dim]);
    }
    let extent = |group: &[usize]| group.iter().map(|dim| own.dims[*dim]).product();
    Ok((read(x.data(), &view)?, groups.map(extent)))
}

/// The type in which products are added: wide enough for operands and result.
pub(crate) fn sum_type(lhs: DType, rhs: DType, out: DType) -> DType {
    match out.class() {
        Class::Float => {
            let double = [lhs, rhs, out].contains(&DType::F64);
            if double { DType::F64 } else { DType::F32 }
        }
        Class::Complex => {
            let double = [lhs, rhs, out].iter().any(|t| t.part() == DType::F64);
            if double { DType::C128 } else { DType::C64 }
        }
        Class::Pred | Class::Signed | Class::Unsigned => out,
    }
}

fn multiply(a: &Data, b: &Data, wide: DType, extents: Extents) -> Result<Data, Fault> {
    Ok(match (a, b) {
        (Data::Float(a), Data::Float(b)) if wide == DType::F32 => {
            let single = |v: &[f64]| v.iter().map(|x| *x as f32).collect::<Vec<f32>>();
            let sums = loops(&single(a), &single(b), extents, 0.0f32, |sum, x, y| sum + x * y);
            Data::Float(sums.into_iter().map(f64::from).collect())
        }
        (Data::Float(a), Data::Float(b)) => Data::Float(loops(a, b, extents, 0.0, |sum, x, y| sum + x * y)),
        (Data::Int(a), Data::Int(b)) => {
            Data::Int(loops(a, b, extents, 0, |sum, x, y| sum.wrapping_add(x.wrapping_mul(y))))
        }
        (Data::Uint(a), Data::Uint(b)) => {
            Data::Uint(loops(a, b, extents, 0, |sum, x, y| sum.wrapping_add(x.wrapping_mul(y))))
        }
        (Data::Pred(a), Data::Pred(b)) => Data::Pred(loops(a, b, extents, false, |sum, x, y| sum | (x & y))),
        (Data::Complex(a), Data::Complex(b)) => {
            let step = |sum, x, y| round_complex(wide, sum + round_complex(wide, x * y));
            Data::Complex(loops(a, b, extents, Complex::ZERO, step))
        }
        _ => return Err(Fault::unsound("multiplies different element types")),
    })
}

/// Lines and columns of a block of the second operand: all rows meet it while it is in the cache.
const BLOCK: (usize, usize) = (64, 512);

/// Sums block by block, in ascending order of the contracted index; the innermost loop runs along the result. So every
/// element adds in order.
fn loops<T: Copy>(a: &[T], b: &[T], extents: Extents, zero: T, step: impl Fn(T, T, T) -> T) -> Vec<T> {
    let Extents { batch, rows, inner, columns } = extents;
    let mut sums = vec![zero; batch * rows * columns];
    if rows == 0 || columns == 0 || inner == 0 {
        return sums;
    }
    for (at, sums) in sums.chunks_exact_mut(rows * columns).enumerate() {
        let a = &a[at * rows * inner..][..rows * inner];
        let b = &b[at * inner * columns..][..inner * columns];
        for first in (0..columns).step_by(BLOCK.1) {
            let block = first..columns.min(first + BLOCK.1);
            for (lines, b) in b.chunks(BLOCK.0 * columns).enumerate() {
                for (a, sums) in a.chunks_exact(inner).zip(sums.chunks_exact_mut(columns)) {
                    for (x, b) in a[lines * BLOCK.0..].iter().zip(b.chunks_exact(columns)) {
                        for (sum, y) in sums[block.clone()].iter_mut().zip(&b[block.clone()]) {
                            *sum = step(*sum, *x, *y);
                        }
                    }
                }
            }
        }
    }
    sums
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dot(batch: &[(usize, usize)], contract: &[(usize, usize)], result: DType) -> Dot {
        Dot {
            batch: batch.to_vec(),
            contract: contract.to_vec(),
            result,
            precision: Vec::new(),
            algorithm: None,
        }
    }

    #[test]
    fn a_product_with_batch_and_contraction_of_a_leading_dim() {
        let a = Tensor::from_ints(DType::S32, &[2, 1, 2], &[1, 2, 3, 4]).unwrap();
        let b = Tensor::from_ints(DType::S32, &[2, 2, 2], &[1, 2, 3, 4, 5, 6, 7, 8]).unwrap();
        // b's dims are (contract, batch, free).
        let op = dot(&[(0, 1)], &[(2, 0)], DType::S32);
        let out = eval(&op, &a, &b, DType::S32).unwrap();
        assert_eq!(out, Data::Int(vec![11, 14, 3 * 3 + 4 * 7, 3 * 4 + 4 * 8]));
    }

    #[test]
    fn narrow_floats_add_in_f32_and_round_once() {
        let ones = Tensor::from_f64s(DType::BF16, &[1000], &[1.0; 1000]).unwrap();
        let op = dot(&[], &[(0, 0)], DType::BF16);
        assert_eq!(eval(&op, &ones, &ones, DType::BF16).unwrap(), Data::Float(vec![1000.0]));
    }

    #[test]
    fn an_empty_contraction_gives_zeros() {
        let a = Tensor::from_f64s(DType::F32, &[2, 0], &[]).unwrap();
        let b = Tensor::from_f64s(DType::F32, &[0, 2], &[]).unwrap();
        let op = dot(&[], &[(1, 0)], DType::F32);
        assert_eq!(eval(&op, &a, &b, DType::F32).unwrap(), Data::Float(vec![0.0; 4]));
    }
}
