//! Scatter with StableHLO's dimension numbers.
//!
//! One index vector names one window of the operands; windows are applied in row-major order of the indices, and one
//! that does not lie inside completely is skipped. Every step is rounded to the element type: this is no reduction with
//! a wide sum.

use crate::elementwise::binary;
use crate::fault::Fault;
use crate::gather::{Indexing, dot, pick, without};
use crate::lanes::Device;
use crate::machine::Site;
use crate::reduce::put;
use crate::region::Applier;
use crate::scalar::returns_param;
use crate::tensor::{Data, Scalar, Tensor};
use crate::view::{View, copy, each_index, each_row_pair};
use meshwright_ir::DType;
use meshwright_ir::op::{BinaryOp, Scatter};

pub(crate) fn scatter(
    op: &Scatter,
    site: &mut Site<'_, '_>,
    device: Device,
    args: Vec<Tensor>,
) -> Result<Vec<Data>, Fault> {
    let Parts { inputs, indices, updates } = parts(args)?;
    let mut meeting = meeting(site, device, &inputs)?;
    let mut windows = Windows::new(op, inputs[0].dims(), updates[0].dims())?;
    let indexing = Indexing {
        indices: &indices,
        vector_dim: op.index_vector_dim,
        map: &op.scatter_dims_to_operand_dims,
        operand_batching: &op.input_batching_dims,
        indices_batching: &op.scatter_indices_batching_dims,
    };
    let rank = windows.dims.len();
    let mut results: Vec<Data> = inputs.into_iter().map(Tensor::into_data).collect();
    each_index(&indexing.batch_dims(), |batch| {
        let start = indexing.start(batch, rank)?;
        if windows.place(&start, batch) {
            apply(&mut meeting, site, &mut results, &updates, &windows)
        } else {
            Ok(())
        }
    })?;
    Ok(results)
}

/// Operands by role: at least one input, and as many updates as inputs, each kind of one shape.
struct Parts {
    inputs: Vec<Tensor>,
    indices: Tensor,
    updates: Vec<Tensor>,
}

fn parts(mut args: Vec<Tensor>) -> Result<Parts, Fault> {
    let count = args.len() / 2;
    if count == 0 || args.len() != 2 * count + 1 {
        return Err(Fault::unsound(format!("has {} operands", args.len())));
    }
    let updates = args.split_off(count + 1);
    let indices = args.pop().ok_or_else(|| Fault::unsound("has no indices"))?;
    let alike = |list: &[Tensor]| list.windows(2).all(|pair| pair[0].dims() == pair[1].dims());
    if alike(&args) && alike(&updates) {
        Ok(Parts { inputs: args, indices, updates })
    } else {
        Err(Fault::unsound("operands differ in shape"))
    }
}

/// One window: where it lies in the operands and in the updates.
struct Windows {
    dims: Vec<i64>,
    strides: Vec<i64>,
    /// Size of the window along each operand dim.
    extent: Vec<i64>,
    batch_strides: Vec<i64>,
    target: View,
    source: View,
}

impl Windows {
    fn new(op: &Scatter, dims: &[i64], update: &[i64]) -> Result<Windows, Fault> {
        let (own, update) = (View::whole(dims), View::whole(update));
        let window_dims = without(dims.len(), &op.inserted_window_dims, &op.input_batching_dims);
        let batch_dims = without(update.dims.len(), &op.update_window_dims, &[]);
        let sizes = pick(&update.dims, &op.update_window_dims)?;
        let target_strides = pick(&own.strides, &window_dims)?;
        if sizes.len() != target_strides.len() {
            return Err(Fault::unsound("has windows of another rank"));
        }
        let mut extent = vec![1; dims.len()];
        for (d, size) in window_dims.iter().zip(&sizes) {
            extent[*d] = *size as i64;
        }
        Ok(Windows {
            dims: dims.to_vec(),
            extent,
            batch_strides: pick(&update.strides, &batch_dims)?,
            source: View {
                dims: sizes.clone(),
                strides: pick(&update.strides, &op.update_window_dims)?,
                offset: 0,
            },
            target: View { dims: sizes, strides: target_strides, offset: 0 },
            strides: own.strides,
        })
    }

    /// Move to the window that starts at `start`; false if it does not lie inside.
    fn place(&mut self, start: &[i64], batch: &[usize]) -> bool {
        let sizes = self.dims.iter().zip(&self.extent);
        let inside = start.iter().zip(sizes).all(|(at, (dim, size))| *at >= 0 && *at <= dim - size);
        if inside {
            self.target.offset = start.iter().zip(&self.strides).map(|(at, stride)| at * stride).sum();
            self.source.offset = dot(batch, &self.batch_strides);
        }
        inside
    }

    /// Offsets in operands and updates of the window's elements, in row-major order.
    fn pairs(&self) -> Vec<(usize, usize)> {
        let mut pairs = Vec::with_capacity(self.target.count());
        let ((len, to), (_, from)) = (self.target.row(), self.source.row());
        each_row_pair(&self.target, &self.source, |a, b| {
            pairs.extend((0..len as i64).map(|i| ((a + i * to) as usize, (b + i * from) as usize)));
        });
        pairs
    }
}

/// How an update element meets the element it falls on.
enum Meeting {
    Overwrite,
    Binary(BinaryOp, DType),
    Region(Applier),
}

fn meeting(site: &Site<'_, '_>, device: Device, inputs: &[Tensor]) -> Result<Meeting, Fault> {
    let (func, region) = (site.frame.func, site.region(0)?);
    if let [x] = inputs {
        if returns_param(func, region, 1) {
            return Ok(Meeting::Overwrite);
        }
        if let Some(reducer) = func.region_reducer(region) {
            return Ok(Meeting::Binary(reducer.into(), x.dtype()));
        }
    }
    Ok(Meeting::Region(Applier::new(site, 0, device)?))
}

/// Bring one window of each update into its result.
fn apply(
    meeting: &mut Meeting,
    site: &mut Site<'_, '_>,
    results: &mut [Data],
    updates: &[Tensor],
    windows: &Windows,
) -> Result<(), Fault> {
    if let (Meeting::Overwrite, [result], [update]) = (&meeting, &mut *results, updates) {
        return copy(result, &windows.target, update.data(), &windows.source);
    }
    for (result, update) in results.iter().zip(updates) {
        windows.target.check(result.len())?;
        windows.source.check(update.len())?;
    }
    let (mut args, mut out) = (Vec::new(), Vec::new());
    for (place, from) in windows.pairs() {
        args.clear();
        args.extend(results.iter().filter_map(|data| data.get(place)));
        args.extend(updates.iter().filter_map(|x| x.get(from)));
        meeting.apply(site, &args, &mut out)?;
        put(results, place, &out);
    }
    Ok(())
}

impl Meeting {
    fn apply(
        &mut self,
        site: &mut Site<'_, '_>,
        args: &[Scalar],
        out: &mut Vec<Scalar>,
    ) -> Result<(), Fault> {
        let value = match (self, args) {
            (Meeting::Region(applier), _) => return applier.apply(site, args, out),
            (Meeting::Binary(op, dtype), [a, b]) => binary(*op, *dtype)?.one(*a, *b, *dtype),
            (Meeting::Overwrite, [_, b]) => Some(*b),
            (Meeting::Binary(..) | Meeting::Overwrite, _) => None,
        };
        out.clear();
        out.push(value.ok_or_else(|| Fault::unsound("updates are of another element type"))?);
        Ok(())
    }
}
