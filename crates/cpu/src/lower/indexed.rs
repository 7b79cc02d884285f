//! Ops by index: gather, scatter, sort, top-k, random bits.

use super::{Frame, Lower, Val};
use crate::kernel::gather::{GatherStep, Meeting, ScatterStep, Windows};
use crate::kernel::rng::RandomStep;
use crate::kernel::sort::{SortStep, TopKStep};
use crate::step::Step;
use crate::view::{row_major, sizes};
use meshwright_ir::op::{Gather, Random, Scatter, Sort, TopK};
use meshwright_ir::{DType, Inst};
use meshwright_runtime::RunError;
use meshwright_shard::Reducer;

/// What gather and scatter say of their dims, under one set of names.
struct Dims<'a> {
    window: &'a [usize],
    dropped: &'a [usize],
    batching: &'a [usize],
    index_batching: &'a [usize],
    map: &'a [usize],
    vector_dim: usize,
}

impl Dims<'_> {
    /// `operand`, `indices` and `slices` are dense; `window_sizes` per operand dim.
    fn windows(
        &self,
        dtype: DType,
        operand: &[usize],
        indices: &[usize],
        slices: &[usize],
        taken: &[usize],
    ) -> Windows {
        let own = row_major(operand);
        let index = row_major(indices);
        let slice = row_major(slices);
        let window_dims: Vec<usize> =
            (0..operand.len()).filter(|d| !self.dropped.contains(d) && !self.batching.contains(d)).collect();
        let batch_dims: Vec<usize> = (0..indices.len()).filter(|d| *d != self.vector_dim).collect();
        let slice_batch: Vec<usize> = (0..slices.len()).filter(|d| !self.window.contains(d)).collect();
        let place = |d: usize| d - usize::from(d > self.vector_dim);
        Windows {
            dtype,
            batch: batch_dims.iter().map(|d| indices[*d]).collect(),
            batch_strides: batch_dims.iter().map(|d| index[*d]).collect(),
            vector_stride: index.get(self.vector_dim).copied().unwrap_or(0),
            components: self.map.iter().map(|d| (own[*d], operand[*d] as i64 - taken[*d] as i64)).collect(),
            batching: self
                .batching
                .iter()
                .zip(self.index_batching)
                .map(|(o, i)| (own[*o], place(*i)))
                .collect(),
            window: self.window.iter().map(|d| slices[*d]).collect(),
            window_strides: window_dims.iter().map(|d| own[*d]).collect(),
            slice_strides: self.window.iter().map(|d| slice[*d]).collect(),
            slice_batch: slice_batch.iter().map(|d| slice[*d]).collect(),
        }
    }
}

impl<'m> Lower<'m> {
    pub fn gather(
        &mut self,
        op: &Gather,
        frame: &Frame<'m>,
        inst: &Inst,
        x: &[Val],
    ) -> Result<Val, RunError> {
        let [operand, indices] = x else { return Err(self.unsound("gather takes two operands")) };
        let (dtype, dims) = self.result(frame, inst, 0)?;
        let names = Dims {
            window: &op.offset_dims,
            dropped: &op.collapsed_slice_dims,
            batching: &op.operand_batching_dims,
            index_batching: &op.start_indices_batching_dims,
            map: &op.start_index_map,
            vector_dim: op.index_vector_dim,
        };
        let taken = sizes(&op.slice_sizes);
        let windows = names.windows(indices.dtype, &operand.dims, &indices.dims, &dims, &taken);
        let (from, places) = (self.dense(operand)?, self.dense(indices)?);
        let (to, val) = self.fresh(dtype, &dims)?;
        let width = dtype.bytes();
        self.push(Step::Gather(GatherStep { operand: from, indices: places, to, width, windows }));
        Ok(val)
    }

    pub fn scatter(
        &mut self,
        op: &Scatter,
        frame: &Frame<'m>,
        inst: &Inst,
        x: &[Val],
    ) -> Result<Vec<Val>, RunError> {
        let count = x.len() / 2;
        let (Some(operand), Some(indices), Some(update)) = (x.first(), x.get(count), x.get(count + 1)) else {
            return Err(self.unsound("scatter takes operands, indices and updates"));
        };
        let names = Dims {
            window: &op.update_window_dims,
            dropped: &op.inserted_window_dims,
            batching: &op.input_batching_dims,
            index_batching: &op.scatter_indices_batching_dims,
            map: &op.scatter_dims_to_operand_dims,
            vector_dim: op.index_vector_dim,
        };
        let window_dims: Vec<usize> = (0..operand.dims.len())
            .filter(|d| !names.dropped.contains(d) && !names.batching.contains(d))
            .collect();
        let mut taken = vec![1; operand.dims.len()];
        for (own, slice) in window_dims.iter().zip(names.window) {
            taken[*own] = update.dims[*slice];
        }
        let windows = names.windows(indices.dtype, &operand.dims, &indices.dims, &update.dims, &taken);
        let meeting = self.meeting(frame, inst, operand.dtype, count)?;
        let places = self.dense(indices)?;
        let updates = x[count + 1..].iter().map(|val| self.dense(val)).collect::<Result<Vec<_>, _>>()?;
        let (mut targets, mut vals) = (Vec::new(), Vec::new());
        for val in &x[..count] {
            let (buf, val) = self.copied(val)?;
            targets.push(buf);
            vals.push(val);
        }
        let dtypes = vals.iter().map(|val| val.dtype).collect();
        self.push(Step::Scatter(ScatterStep { targets, dtypes, indices: places, updates, windows, meeting }));
        Ok(vals)
    }

    fn meeting(
        &mut self,
        frame: &Frame<'m>,
        inst: &Inst,
        dtype: DType,
        count: usize,
    ) -> Result<Meeting, RunError> {
        let region = *inst.regions.first().ok_or_else(|| self.unsound("scatter has no region"))?;
        let block = frame.func.block(region);
        if block.results == block.params[count.min(block.params.len())..] {
            return Ok(Meeting::Overwrite);
        }
        if count == 1 && dtype == DType::F32 && frame.func.region_reducer(region) == Some(Reducer::Sum) {
            return Ok(Meeting::AddF32);
        }
        let program = self.region(frame, region)?;
        Ok(Meeting::Program { regs: program.regs, ops: program.ops, new: program.results })
    }

    pub fn sort(
        &mut self,
        op: &Sort,
        frame: &Frame<'m>,
        inst: &Inst,
        x: &[Val],
    ) -> Result<Vec<Val>, RunError> {
        let region = *inst.regions.first().ok_or_else(|| self.unsound("sort has no comparator"))?;
        let program = self.region(frame, region)?;
        let answer = *program.results.first().ok_or_else(|| self.unsound("the comparator gives nothing"))?;
        let dims = x.first().map_or(Vec::new(), |val| val.dims.clone());
        let inputs = x.iter().map(|val| self.dense(val)).collect::<Result<Vec<_>, _>>()?;
        let (mut outputs, mut vals) = (Vec::new(), Vec::new());
        for val in x {
            let (buf, val) = self.fresh(val.dtype, &val.dims)?;
            outputs.push(buf);
            vals.push(val);
        }
        self.push(Step::Sort(SortStep {
            inputs,
            outputs,
            dtypes: x.iter().map(|val| val.dtype).collect(),
            outer: dims[..op.dim].iter().product(),
            size: dims[op.dim],
            inner: dims[op.dim + 1..].iter().product(),
            regs: program.regs,
            ops: program.ops,
            answer,
        }));
        Ok(vals)
    }

    pub fn top_k(
        &mut self,
        op: &TopK,
        frame: &Frame<'m>,
        inst: &Inst,
        x: &[Val],
    ) -> Result<Vec<Val>, RunError> {
        let [x] = x else { return Err(self.unsound("top_k takes one operand")) };
        if x.dtype.is_complex() {
            return Err(self.refuse("top_k of complex numbers"));
        }
        let (dtype, dims) = self.result(frame, inst, 0)?;
        let (place_type, _) = self.result(frame, inst, 1)?;
        let input = self.dense(x)?;
        let (values, first) = self.fresh(dtype, &dims)?;
        let (places, second) = self.fresh(place_type, &dims)?;
        let (size, rows) = x.dims.split_last().map_or((1, 1), |(size, rows)| (*size, rows.iter().product()));
        let k = usize::try_from(op.k).unwrap_or(0);
        let largest = op.largest;
        self.push(Step::TopK(TopKStep { input, values, places, dtype, rows, size, k, largest }));
        Ok(vec![first, second])
    }

    pub fn random(&mut self, op: &Random, x: &[Val]) -> Result<Vec<Val>, RunError> {
        let Random::BitGenerator { algorithm, bits } = op else {
            return Err(self.refuse("rng"));
        };
        let [state] = x else { return Err(self.unsound("takes a state")) };
        if state.dtype != DType::U64 || !(2..=3).contains(&state.count()) || !bits.dtype.is_integer() {
            return Err(self.refuse("random bits from this state or of this type"));
        }
        let (words, from) = (state.count(), self.dense(state)?);
        let (new_state, first) = self.fresh(DType::U64, &state.dims.clone())?;
        let dims = sizes(&bits.dims);
        let (to, second) = self.fresh(bits.dtype, &dims)?;
        self.push(Step::Random(RandomStep {
            algorithm: *algorithm,
            state: from,
            new_state,
            bits: to,
            words,
            dtype: bits.dtype,
            dims,
        }));
        Ok(vec![first, second])
    }
}
