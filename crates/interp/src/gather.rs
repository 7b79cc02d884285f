//! Gather and scatter with StableHLO's dimension numbers.
//!
//! One index vector names one window of the operand. A gather clamps the window into the operand; a scatter skips a
//! window that does not lie inside completely. Scattered windows are applied in row-major order of the indices.

use crate::elementwise::binary;
use crate::fault::Fault;
use crate::machine::Site;
use crate::reduce::put;
use crate::region::Applier;
use crate::scalar::returns_param;
use crate::tensor::{Data, Tensor, element_count};
use crate::view::{View, copy, each_index, each_row_pair, row_major, sizes};
use crate::window::binary_of;
use meshwright_ir::op::{BinaryOp, Gather, Scatter};
use meshwright_ir::{DType, TensorType};

/// How index vectors name places in an operand.
struct Indexing<'a> {
    indices: &'a Tensor,
    vector_dim: usize,
    /// Operand dim of each component of an index vector.
    map: &'a [usize],
    /// Operand dims whose position is that of a dim of the indices.
    operand_batching: &'a [usize],
    indices_batching: &'a [usize],
}

impl Indexing<'_> {
    /// Dims of the indices without the vector's.
    fn batch_dims(&self) -> Vec<usize> {
        let dims = sizes(self.indices.dims());
        (0..dims.len()).filter(|d| *d != self.vector_dim).map(|d| dims[d]).collect()
    }

    /// Start of the window that the index vector at `batch` names, per operand dim, unclamped.
    fn start(&self, batch: &[usize], rank: usize) -> Result<Vec<i64>, Fault> {
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
fn without(rank: usize, a: &[usize], b: &[usize]) -> Vec<usize> {
    (0..rank).filter(|d| !a.contains(d) && !b.contains(d)).collect()
}

fn pick<T: Copy>(list: &[T], dims: &[usize]) -> Result<Vec<T>, Fault> {
    let one = |d: &usize| list.get(*d).copied().ok_or_else(|| Fault::unsound(format!("has no dim {d}")));
    dims.iter().map(one).collect()
}

fn dot(index: &[usize], strides: &[i64]) -> i64 {
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

/// How an update element meets the element it falls on.
enum Meeting {
    Overwrite,
    Binary(BinaryOp, DType),
    Region(Applier),
}

pub(crate) fn scatter(
    op: &Scatter,
    site: &mut Site<'_, '_>,
    device: usize,
    mut args: Vec<Tensor>,
) -> Result<Vec<Data>, Fault> {
    let count = args.len() / 2;
    if args.len() != 2 * count + 1 {
        return Err(Fault::unsound(format!("has {} operands", args.len())));
    }
    let updates = args.split_off(count + 1);
    let indices = args.pop().ok_or_else(|| Fault::unsound("has no indices"))?;
    let (Some(first), Some(update)) = (args.first(), updates.first()) else {
        return Err(Fault::unsound("has no operand"));
    };
    let (dims, own) = (first.dims().to_vec(), View::whole(first.dims()));
    let update_view = View::whole(update.dims());
    if args.iter().any(|x| x.dims() != dims) || updates.iter().any(|x| x.dims() != update.dims()) {
        return Err(Fault::unsound("operands differ in shape"));
    }
    let mut meeting = meeting(site, device, &args)?;
    let window_dims = without(dims.len(), &op.inserted_window_dims, &op.input_batching_dims);
    let window = pick(&update_view.dims, &op.update_window_dims)?;
    let mut target = View { dims: window.clone(), strides: pick(&own.strides, &window_dims)?, offset: 0 };
    let update_strides = pick(&update_view.strides, &op.update_window_dims)?;
    let mut source = View { dims: window, strides: update_strides, offset: 0 };
    let scatter_dims = without(update_view.dims.len(), &op.update_window_dims, &[]);
    let scatter_strides = pick(&update_view.strides, &scatter_dims)?;
    let indexing = Indexing {
        indices: &indices,
        vector_dim: op.index_vector_dim,
        map: &op.scatter_dims_to_operand_dims,
        operand_batching: &op.input_batching_dims,
        indices_batching: &op.scatter_indices_batching_dims,
    };
    let mut extent = vec![1; dims.len()];
    for (d, size) in window_dims.iter().zip(&target.dims) {
        extent[*d] = *size as i64;
    }
    let mut results: Vec<Data> = args.into_iter().map(Tensor::into_data).collect();
    each_index(&indexing.batch_dims(), |batch| {
        let start = indexing.start(batch, dims.len())?;
        let inside = (0..dims.len()).all(|d| start[d] >= 0 && start[d] <= dims[d] - extent[d]);
        if !inside {
            return Ok(());
        }
        target.offset = start.iter().zip(&own.strides).map(|(at, stride)| at * stride).sum();
        source.offset = dot(batch, &scatter_strides);
        apply(&mut meeting, site, &mut results, &target, &updates, &source)
    })?;
    Ok(results)
}

fn meeting(site: &Site<'_, '_>, device: usize, inputs: &[Tensor]) -> Result<Meeting, Fault> {
    let (func, region) = (site.frame.func, site.region(0)?);
    if let [x] = inputs {
        if returns_param(func, region, 1) {
            return Ok(Meeting::Overwrite);
        }
        if let Some(reducer) = func.region_reducer(region) {
            return Ok(Meeting::Binary(binary_of(reducer), x.dtype()));
        }
    }
    Ok(Meeting::Region(Applier::new(site, 0, device)?))
}

/// Bring one window of each update into its result.
fn apply(
    meeting: &mut Meeting,
    site: &mut Site<'_, '_>,
    results: &mut [Data],
    target: &View,
    updates: &[Tensor],
    source: &View,
) -> Result<(), Fault> {
    if let (Meeting::Overwrite, [result], [update]) = (&meeting, &mut *results, updates) {
        return copy(result, target, update.data(), source);
    }
    if target.dims != source.dims {
        return Err(Fault::unsound("has windows of another rank"));
    }
    for (result, update) in results.iter().zip(updates) {
        target.check(result.len())?;
        source.check(update.len())?;
    }
    let mut pairs = Vec::with_capacity(target.count());
    let ((len, to), (_, from)) = (target.row(), source.row());
    each_row_pair(target, source, |a, b| {
        pairs.extend((0..len as i64).map(|i| ((a + i * to) as usize, (b + i * from) as usize)));
    });
    let (mut args, mut out) = (Vec::new(), Vec::new());
    for (place, from) in pairs {
        args.clear();
        args.extend(results.iter().filter_map(|data| data.get(place)));
        args.extend(updates.iter().filter_map(|x| x.get(from)));
        match meeting {
            Meeting::Region(applier) => applier.apply(site, &args, &mut out)?,
            Meeting::Binary(op, dtype) => combine(*op, *dtype, &args, &mut out)?,
            Meeting::Overwrite => {
                out.clear();
                out.extend(args.get(1));
            }
        }
        put(results, place, &out);
    }
    Ok(())
}

fn combine(
    op: BinaryOp,
    dtype: DType,
    args: &[crate::tensor::Scalar],
    out: &mut Vec<crate::tensor::Scalar>,
) -> Result<(), Fault> {
    let [a, b] = args else { return Err(Fault::unsound("combines other than two values")) };
    let value = binary(op, dtype)?.one(*a, *b, dtype);
    out.clear();
    out.push(value.ok_or_else(|| Fault::unsound("updates are of another element type"))?);
    Ok(())
}
