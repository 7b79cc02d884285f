//! Gather with StableHLO's dimension numbers, and what scatter shares with it.
//!
//! One index vector names one window of the operand. A gather clamps the window into the operand.

use crate::fault::Fault;
use crate::tensor::{Data, Tensor, element_count};
use crate::view::{View, copy, each_index, row_major, sizes};
use meshwright_ir::TensorType;
use meshwright_ir::op::Gather;

/// How index vectors name places in an operand.
pub(crate) struct Indexing<'a> {
    pub indices: &'a Tensor,
    pub vector_dim: usize,
    /// Operand dim of each component of an index vector.
    pub map: &'a [usize],
    /// Operand dims whose position is that of a dim of the indices.
    pub operand_batching: &'a [usize],
    pub indices_batching: &'a [usize],
}

impl Indexing<'_> {
    /// Dims of the indices without the vector's.
    pub fn batch_dims(&self) -> Vec<usize> {
        let dims = sizes(self.indices.dims());
        (0..dims.len()).filter(|d| *d != self.vector_dim).map(|d| dims[d]).collect()
    }

    /// Start of the window that the index vector at `batch` names, per operand dim, unclamped.
    pub fn start(&self, batch: &[usize], rank: usize) -> Result<Vec<i64>, Fault> {
        let bad = || Fault::unsound("has dimension numbers out of range");
        let strides = row_major(&sizes(self.indices.dims()));
        let others = (0..strides.len()).filter(|d| *d != self.vector_dim);
        let base: i64 = others.zip(batch).map(|(d, at)| strides[d] * *at as i64).sum();
        let step = strides.get(self.vector_dim).copied().unwrap_or(0);
        let mut start = vec![0; rank];
        for (i, dim) in self.map.iter().enumerate() {
            let at = base + step * i as i64;
            let index = self.indices.get(at as usize).and_then(|s| s.to_i64()).ok_or_else(bad)?;
            *start.get_mut(*dim).ok_or_else(bad)? = index;
        }
        for (dim, from) in self.operand_batching.iter().zip(self.indices_batching) {
            let position = if *from > self.vector_dim { from - 1 } else { *from };
            *start.get_mut(*dim).ok_or_else(bad)? = *batch.get(position).ok_or_else(bad)? as i64;
        }
        Ok(start)
    }
}

/// Dims not in either list.
pub(crate) fn without(rank: usize, a: &[usize], b: &[usize]) -> Vec<usize> {
    (0..rank).filter(|d| !a.contains(d) && !b.contains(d)).collect()
}

pub(crate) fn pick<T: Copy>(list: &[T], dims: &[usize]) -> Result<Vec<T>, Fault> {
    let one = |d: &usize| list.get(*d).copied().ok_or_else(|| Fault::unsound(format!("has no dim {d}")));
    dims.iter().map(one).collect()
}

/// Offset of an index.
pub(crate) fn dot(index: &[usize], strides: &[i64]) -> i64 {
    index.iter().zip(strides).map(|(i, stride)| *i as i64 * stride).sum()
}

pub(crate) fn gather(op: &Gather, x: &Tensor, indices: &Tensor, out: &TensorType) -> Result<Data, Fault> {
    let own = View::whole(x.dims());
    let rank = own.dims.len();
    if op.slice_sizes.len() != rank {
        return Err(Fault::unsound(format!("has {} slice sizes for {}", op.slice_sizes.len(), x.ty())));
    }
    let window_dims = without(rank, &op.collapsed_slice_dims, &op.operand_batching_dims);
    let out_strides = row_major(&sizes(&out.dims));
    let window = pick(&sizes(&op.slice_sizes), &window_dims)?;
    let mut source = View { dims: window.clone(), strides: pick(&own.strides, &window_dims)?, offset: 0 };
    let mut target = View { dims: window, strides: pick(&out_strides, &op.offset_dims)?, offset: 0 };
    let batch_strides = pick(&out_strides, &without(out.rank(), &op.offset_dims, &[]))?;
    let indexing = Indexing {
        indices,
        vector_dim: op.index_vector_dim,
        map: &op.start_index_map,
        operand_batching: &op.operand_batching_dims,
        indices_batching: &op.start_indices_batching_dims,
    };
    let mut data = Data::zeros(out.dtype.class(), element_count(&out.dims).unwrap_or(0));
    if data.is_empty() {
        return Ok(data);
    }
    each_index(&indexing.batch_dims(), |batch| {
        let start = indexing.start(batch, rank)?;
        source.offset = 0;
        for (d, start) in start.into_iter().enumerate() {
            let last = x.dims()[d].saturating_sub(op.slice_sizes[d]).max(0);
            source.offset += own.strides[d] * start.clamp(0, last);
        }
        target.offset = dot(batch, &batch_strides);
        copy(&mut data, &target, x.data(), &source)
    })?;
    Ok(data)
}
