//! Ops by index: gather, scatter, sort, top-k, random bits.

use super::comparator::keys;
use super::{Frame, Lower, Val, Where};
use meshwright_ir::op::{Direction, Gather, Random, Scatter, Sort, TopK};
use meshwright_ir::{DType, Inst};
use meshwright_kernels::fold::folds;
use meshwright_kernels::gather::{GatherStep, Windows};
use meshwright_kernels::rng::RandomStep;
use meshwright_kernels::scatter::{Meeting, ScatterStep};
use meshwright_kernels::sort::{SortStep, TopKStep};
use meshwright_kernels::step::{BufId, Step};
use meshwright_kernels::tile::TileOp;
use meshwright_kernels::view::{row_major, sizes};
use meshwright_runtime::RunError;
use meshwright_shard::Reducer;

/// A gather that takes one element of so many has its operand computed at these places only.
const FEW: usize = 64;

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
    /// `indices` and `slices` are dense; `taken` is the size of a window per operand dim.
    fn windows(
        &self,
        dtype: DType,
        (operand, own): (&[usize], &[isize]),
        indices: &[usize],
        slices: &[usize],
        taken: &[usize],
    ) -> Windows {
        let index = row_major(indices);
        let slice = row_major(slices);
        let window_dims: Vec<usize> =
            (0..operand.len()).filter(|d| !self.dropped.contains(d) && !self.batching.contains(d)).collect();
        let batch_dims: Vec<usize> = (0..indices.len()).filter(|d| *d != self.vector_dim).collect();
        let slice_batch: Vec<usize> = (0..slices.len()).filter(|d| !self.window.contains(d)).collect();
        let place = |d: usize| d - usize::from(d > self.vector_dim);
        // A batching dim of the operand is walked with the dim of the indices that gives its position.
        let mut along = vec![0; batch_dims.len()];
        for (own_dim, index_dim) in self.batching.iter().zip(self.index_batching) {
            along[place(*index_dim)] += own[*own_dim];
        }
        let windows = Windows {
            dtype,
            vector_stride: index.get(self.vector_dim).copied().unwrap_or(0),
            components: self.map.iter().map(|d| (own[*d], operand[*d] as i64 - taken[*d] as i64)).collect(),
            batch: batch_dims.iter().map(|d| indices[*d]).collect(),
            batch_strides: [
                batch_dims.iter().map(|d| index[*d]).collect(),
                slice_batch.iter().map(|d| slice[*d]).collect(),
                along,
            ],
            window: self.window.iter().map(|d| slices[*d]).collect(),
            window_strides: [
                window_dims.iter().map(|d| own[*d]).collect(),
                self.window.iter().map(|d| slice[*d]).collect(),
            ],
        };
        windows.joined()
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
        let (_, dims) = self.result(frame, inst, 0)?;
        let names = Dims {
            window: &op.offset_dims,
            dropped: &op.collapsed_slice_dims,
            batching: &op.operand_batching_dims,
            index_batching: &op.start_indices_batching_dims,
            map: &op.start_index_map,
            vector_dim: op.index_vector_dim,
        };
        let taken = sizes(&op.slice_sizes);
        let places = self.dense(indices)?;
        let few = dims.iter().product::<usize>() * FEW <= operand.count();
        if let (true, Some(picked)) = (
            few,
            self.picked(operand, &dims, &mut |lower, part| {
                lower.gathered(&names, part, (indices, places), (&dims, &taken))
            })?,
        ) {
            return Ok(picked);
        }
        self.gathered(&names, operand, (indices, places), (&dims, &taken))
    }

    /// The gather itself, from wherever the operand lies.
    fn gathered(
        &mut self,
        names: &Dims<'_>,
        operand: &Val,
        (indices, places): (&Val, BufId),
        (dims, taken): (&[usize], &[usize]),
    ) -> Result<Val, RunError> {
        let (from, view) = self.view(operand)?;
        let lies = (&operand.dims[..], &view.strides[..]);
        let windows = names.windows(indices.dtype, lies, &indices.dims, dims, taken);
        if !windows.is_walkable() {
            return Err(self.refuse("a gather of so many dims"));
        }
        let (to, val) = self.fresh(operand.dtype, dims)?;
        let (width, offset) = (operand.dtype.bytes(), view.offset);
        self.push(Step::Gather(GatherStep { operand: from, offset, indices: places, to, width, windows }));
        Ok(val)
    }

    /// One update for each row of one repeated element is a choice, which joins the loops that use it.
    ///
    /// ```text
    /// scatter(splat z, %i, %u)        =>        select(iota == %i, %u, z)
    /// ```
    fn scatter_as_choice(
        &mut self,
        op: &Scatter,
        meeting: &Meeting,
        [operand, indices, update]: [&Val; 3],
    ) -> Result<Option<Val>, RunError> {
        let Where::Splat(element) = operand.at else { return Ok(None) };
        let Some(last) = operand.dims.len().checked_sub(1) else { return Ok(None) };
        let rows: Vec<usize> = (0..last).collect();
        let by_row = op.inserted_window_dims == [last]
            && op.scatter_dims_to_operand_dims == [last]
            && op.update_window_dims.is_empty()
            && op.input_batching_dims == rows
            && op.scatter_indices_batching_dims == rows
            && op.index_vector_dim >= last;
        let one_each = indices.count() == operand.dims[..last].iter().product::<usize>()
            && update.count() == indices.count();
        let plain = match meeting {
            Meeting::Overwrite => true,
            Meeting::Fold(Reducer::Sum) => operand.dtype == DType::F32 && element == [0; 16],
            Meeting::Fold(_) | Meeting::Program { .. } => false,
        };
        if !(by_row && one_each && plain && indices.dtype == DType::S32) {
            return Ok(None);
        }
        let mut seen = |val: &Val| -> Result<Option<Val>, RunError> {
            let (buf, view) = self.view(val)?;
            let view = view.reshape(&operand.dims[..last]).map(|view| view.broadcast(&rows, &operand.dims));
            let made =
                |view| Val { dtype: val.dtype, dims: operand.dims.clone(), at: Where::Buf { buf, view } };
            Ok(view.map(made))
        };
        let (Some(indices), Some(update)) = (seen(indices)?, seen(update)?) else { return Ok(None) };
        let place = Val { dtype: DType::S32, dims: operand.dims.clone(), at: Where::Iota { dim: last } };
        let direction = Direction::Eq;
        let here = self.elementwise(DType::Pred, &operand.dims, &[&place, &indices], &|to, x| {
            TileOp::Compare { direction, total: false, ty: DType::S32, to, a: x[0], b: x[1] }
        })?;
        self.select(&[here, update, operand.clone()]).map(Some)
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
        let meeting = self.meeting(frame, inst, operand.dtype, count)?;
        if let (1, Some(choice)) = (count, self.scatter_as_choice(op, &meeting, [operand, indices, update])?)
        {
            return Ok(vec![choice]);
        }
        let own = row_major(&operand.dims);
        let windows =
            names.windows(indices.dtype, (&operand.dims, &own), &indices.dims, &update.dims, &taken);
        if !windows.is_walkable() {
            return Err(self.refuse("a scatter of so many dims"));
        }
        let apart = names.map.iter().all(|d| taken[*d] == 1);
        let places = self.dense(indices)?;
        let updates = x[count + 1..].iter().map(|val| self.dense(val)).collect::<Result<Vec<_>, _>>()?;
        let (mut targets, mut vals) = (Vec::new(), Vec::new());
        for val in &x[..count] {
            let (buf, val) = self.copied(val)?;
            targets.push(buf);
            vals.push(val);
        }
        let dtypes = vals.iter().map(|val| val.dtype).collect();
        let step = ScatterStep { targets, dtypes, indices: places, updates, windows, apart, meeting };
        self.push(Step::Scatter(step));
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
        let reducer = frame.func.region_reducer(region).filter(|_| count == 1 && folds(dtype));
        if let Some(reducer) = reducer {
            return Ok(Meeting::Fold(reducer));
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
        if u32::try_from(dims[op.dim]).is_err() {
            return Err(self.refuse("a sort of so many elements"));
        }
        let inputs = x.iter().map(|val| self.dense(val)).collect::<Result<Vec<_>, _>>()?;
        let (mut outputs, mut vals) = (Vec::new(), Vec::new());
        for val in x {
            let (buf, val) = self.fresh(val.dtype, &val.dims)?;
            outputs.push(buf);
            vals.push(val);
        }
        let keys = keys(&program, x.len());
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
            keys,
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
        if i32::try_from(size).is_err() || place_type != DType::S32 {
            return Err(self.refuse("top_k of so many elements, or with places of this type"));
        }
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
