//! Batched products. In a dot, cases of both sides pair up; those of one side are one more free dim of it. In a
//! convolution they join the batch (of the input), the output features (of the kernel), or the groups (of both).

use super::Batch;
use meshwright_ir::op::{Convolution, Dot, Op};
use meshwright_ir::{Build, InstId, ValueId};

pub(crate) fn dot(b: &mut Batch<'_>, inst: InstId, op: &Dot) -> Vec<ValueId> {
    let [lhs, rhs] = b.from.inst(inst).operands[..] else { return Vec::new() };
    let (left, right) = (b.is_batched(lhs), b.is_batched(rhs));
    let shift = |pairs: &[(usize, usize)]| -> Vec<(usize, usize)> {
        pairs.iter().map(|(l, r)| (l + usize::from(left), r + usize::from(right))).collect()
    };
    let (mut batch, contract) = (shift(&op.batch), shift(&op.contract));
    if left && right {
        batch.insert(0, (0, 0));
    }
    let free = op.lhs_free(b.from.dims(lhs).len()).count();
    // Where the cases stand in the result.
    let at = match (left, right) {
        (true, true) => 0,
        (true, false) => op.batch.len(),
        (false, _) => op.batch.len() + free,
    };
    let operands = vec![b.value(lhs), b.value(rhs)];
    let result = b.out.push(Op::Dot(Dot { batch, contract, ..op.clone() }), operands);
    vec![to_front(b, result, at)]
}

fn to_front(b: &mut Batch<'_>, x: ValueId, at: usize) -> ValueId {
    let rank = b.out.func.dims(x).len();
    let permutation = [at].into_iter().chain((0..rank).filter(|dim| *dim != at)).collect();
    b.out.transpose(x, permutation)
}

pub(crate) fn convolution(b: &mut Batch<'_>, inst: InstId, op: &Convolution) -> Vec<ValueId> {
    let [input, kernel] = b.from.inst(inst).operands[..] else { return Vec::new() };
    let (own, theirs) = (b.is_batched(input), b.is_batched(kernel));
    let dims = &op.dims;
    let (mut op, mut x, mut w) = (op.clone(), b.value(input), b.value(kernel));
    // The dim of the result that the cases come out of.
    let out = match (own, theirs) {
        (true, false) => {
            x = merge(b, x, dims.input_batch, op.batch_group_count);
            dims.output_batch
        }
        (false, _) => {
            let groups = op.feature_group_count.max(op.batch_group_count);
            w = merge(b, w, dims.kernel_output_feature, groups);
            let result = b.out.push(Op::Convolution(op.clone()), vec![x, w]);
            return vec![split(b, result, dims.output_feature, groups)];
        }
        (true, true) => {
            let by_batch = op.batch_group_count > 1;
            x = merge(b, x, if by_batch { dims.input_batch } else { dims.input_feature }, 1);
            w = merge(b, w, dims.kernel_output_feature, 1);
            if by_batch {
                op.batch_group_count = op.batch_group_count.saturating_mul(b.size)
            } else {
                op.feature_group_count = op.feature_group_count.saturating_mul(b.size)
            }
            dims.output_feature
        }
    };
    let result = b.out.push(Op::Convolution(op), vec![x, w]);
    vec![split(b, result, out, 1)]
}

/// Put the leading dim of `x` into dim `dim` of the rest, behind the `groups` that are its major part.
fn merge(b: &mut Batch<'_>, x: ValueId, dim: usize, groups: i64) -> ValueId {
    let sizes = b.out.func.dims(x).to_vec();
    let (cases, rest) = (sizes[0], &sizes[1..]);
    let mut parted = vec![cases];
    parted.extend(&rest[..dim]);
    parted.extend([groups, rest[dim] / groups.max(1)]);
    parted.extend(&rest[dim + 1..]);
    let x = b.out.reshape(x, &parted);
    // [cases, before.., groups, part, after..] -> [before.., groups, cases, part, after..]
    let permutation = (1..dim + 2).chain([0]).chain(dim + 2..parted.len()).collect();
    let x = b.out.transpose(x, permutation);
    let mut merged = rest.to_vec();
    merged[dim] = merged[dim].saturating_mul(cases);
    b.out.reshape(x, &merged)
}

/// The inverse of [`merge`].
fn split(b: &mut Batch<'_>, x: ValueId, dim: usize, groups: i64) -> ValueId {
    let sizes = b.out.func.dims(x).to_vec();
    let cases = b.size;
    let part = sizes[dim] / groups.saturating_mul(cases).max(1);
    let mut parted = sizes[..dim].to_vec();
    parted.extend([groups, cases, part]);
    parted.extend(&sizes[dim + 1..]);
    let x = b.out.reshape(x, &parted);
    let permutation = [dim + 1].into_iter().chain((0..parted.len()).filter(|at| *at != dim + 1)).collect();
    let x = b.out.transpose(x, permutation);
    let mut whole = sizes;
    whole[dim] = groups * part;
    whole.insert(0, cases);
    b.out.reshape(x, &whole)
}
