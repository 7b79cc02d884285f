//! Gather and scatter with StableHLO's dimension numbers, batching dims included.
//!
//! How dims relate, for both (an update of `scatter` stands where the result of `gather` stands):
//!
//! ```text
//! operand dim            its place in the slices      factor
//! batching               a batch dim, also of indices pass
//! taken whole            a window dim                 pass
//! looked up, one element none, or a window dim of 1   gather: reduce (rows elsewhere give zero); scatter: pass; by hand
//! taken in part          a window dim                 gather: as looked up, whole on the slices; scatter: whole on both
//! ```
//!
//! The other batch dims pass between indices and slices; in `scatter` they are absent from the result, so they reduce.

use super::reduce::expect_reducer;
use crate::expect::{ensure, expect_dims, expect_per_dim, expect_sorted_dims};
use crate::infer::{InferError, Inferred, Operands};
use crate::rule::{ALL_REDUCERS, FactorKind, Linear, OperandIdx, ResultIdx, Rule, RuleCx};
use crate::types::{DType, TensorType};
use meshwright_shard::Reducer;

/// `(operand, start_indices)`.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Gather {
    pub offset_dims: Vec<usize>,
    pub collapsed_slice_dims: Vec<usize>,
    pub operand_batching_dims: Vec<usize>,
    pub start_indices_batching_dims: Vec<usize>,
    pub start_index_map: Vec<usize>,
    pub index_vector_dim: usize,
    pub slice_sizes: Vec<i64>,
    pub indices_are_sorted: bool,
}

/// `(inputs.., scatter_indices, updates..)`, as many updates as inputs.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Scatter {
    pub update_window_dims: Vec<usize>,
    pub inserted_window_dims: Vec<usize>,
    pub input_batching_dims: Vec<usize>,
    pub scatter_indices_batching_dims: Vec<usize>,
    pub scatter_dims_to_operand_dims: Vec<usize>,
    pub index_vector_dim: usize,
    pub indices_are_sorted: bool,
    pub unique_indices: bool,
}

/// The dimension numbers that gather and scatter share, under one set of names.
struct Dims<'a> {
    /// Dims of the slices (gather's result, scatter's updates) that lie inside a window.
    window: &'a [usize],
    /// Operand dims without a window dim.
    dropped: &'a [usize],
    /// Operand dims paired with `index_batching`.
    batching: &'a [usize],
    index_batching: &'a [usize],
    /// Operand dim of each index component.
    index_map: &'a [usize],
    index_vector_dim: usize,
}

impl Gather {
    fn dims(&self) -> Dims<'_> {
        Dims {
            window: &self.offset_dims,
            dropped: &self.collapsed_slice_dims,
            batching: &self.operand_batching_dims,
            index_batching: &self.start_indices_batching_dims,
            index_map: &self.start_index_map,
            index_vector_dim: self.index_vector_dim,
        }
    }
}

impl Scatter {
    fn dims(&self) -> Dims<'_> {
        Dims {
            window: &self.update_window_dims,
            dropped: &self.inserted_window_dims,
            batching: &self.input_batching_dims,
            index_batching: &self.scatter_indices_batching_dims,
            index_map: &self.scatter_dims_to_operand_dims,
            index_vector_dim: self.index_vector_dim,
        }
    }
}

impl Dims<'_> {
    /// Everything that can be said without sizes of the slices. `rank` is the operand's.
    fn check(
        &self,
        operand: &TensorType,
        indices: &TensorType,
        slices_rank: usize,
    ) -> Result<(), InferError> {
        let rank = operand.rank();
        let parts = [self.window.len(), self.dropped.len(), self.batching.len()];
        ensure!(
            parts.iter().sum::<usize>() == rank,
            "{} window, {} dropped and {} batching dims do not make up the rank {rank} of {operand}",
            parts[0],
            parts[1],
            parts[2]
        );
        expect_sorted_dims("window dims", self.window, slices_rank)?;
        expect_sorted_dims("dropped dims", self.dropped, rank)?;
        expect_sorted_dims("batching dims", self.batching, rank)?;
        expect_dims("dropped and batching dims", self.dropped.iter().chain(self.batching).copied(), rank)?;
        expect_dims(
            "index map and batching dims",
            self.index_map.iter().chain(self.batching).copied(),
            rank,
        )?;
        self.check_indices(indices)?;
        self.check_batching(operand, indices)
    }

    fn check_indices(&self, indices: &TensorType) -> Result<(), InferError> {
        let (dim, rank) = (self.index_vector_dim, indices.rank());
        ensure!(indices.dtype.is_integer(), "the indices are {indices}, but must be integers");
        ensure!(dim <= rank, "index_vector_dim is {dim}, but the indices are {indices}");
        let components = indices.dims.get(dim).copied().unwrap_or(1);
        ensure!(
            usize::try_from(components) == Ok(self.index_map.len()),
            "an index has {components} components (dim {dim} of {indices}), but the index map names {} dims",
            self.index_map.len()
        );
        Ok(())
    }

    fn check_batching(&self, operand: &TensorType, indices: &TensorType) -> Result<(), InferError> {
        let (own, theirs) = (self.batching, self.index_batching);
        expect_dims("batching dims of the indices", theirs.iter().copied(), indices.rank())?;
        ensure!(
            !theirs.contains(&self.index_vector_dim),
            "dim {} holds the index vector",
            self.index_vector_dim
        );
        ensure!(
            own.len() == theirs.len(),
            "the operand has {} batching dims, the indices have {}",
            own.len(),
            theirs.len()
        );
        for (&o, &i) in own.iter().zip(theirs) {
            let (left, right) = (operand.dims[o], indices.dims[i]);
            ensure!(
                left == right,
                "dim {o} of the operand has {left} elements, dim {i} of the indices has {right}"
            );
        }
        Ok(())
    }

    /// Operand dim of each window dim, in order.
    fn window_operand_dims(&self, rank: usize) -> impl Iterator<Item = usize> {
        (0..rank).filter(|dim| !self.dropped.contains(dim) && !self.batching.contains(dim))
    }

    /// Dims of the indices without the index vector, in order.
    fn index_batch_dims(&self, rank: usize) -> impl Iterator<Item = usize> {
        (0..rank).filter(|dim| *dim != self.index_vector_dim)
    }

    /// Dims of the slices outside the window, in order; they pair with `index_batch_dims`.
    fn slice_batch_dims(&self, rank: usize) -> impl Iterator<Item = usize> {
        (0..rank).filter(|dim| !self.window.contains(dim))
    }
}

impl Gather {
    pub fn infer(&self, operands: Operands<'_>) -> Inferred {
        let [operand, indices] = operands.tensors()?;
        let dims = self.dims();
        let batch_rank = indices.rank() - usize::from(self.index_vector_dim < indices.rank());
        dims.check(operand, indices, batch_rank + self.offset_dims.len())?;
        self.check_slice_sizes(operand)?;
        let mut batch = dims.index_batch_dims(indices.rank()).map(|dim| indices.dims[dim]);
        let mut window = dims.window_operand_dims(operand.rank()).map(|dim| self.slice_sizes[dim]);
        let mut sizes = Vec::with_capacity(batch_rank + self.offset_dims.len());
        for dim in 0..batch_rank + self.offset_dims.len() {
            let from_window = self.offset_dims.contains(&dim);
            sizes.extend(if from_window { window.next() } else { batch.next() });
        }
        Ok(vec![operand.with_dims(sizes).into()])
    }

    fn check_slice_sizes(&self, operand: &TensorType) -> Result<(), InferError> {
        expect_per_dim("slice_sizes", self.slice_sizes.len(), operand.rank())?;
        for (dim, (&slice, size)) in self.slice_sizes.iter().zip(&operand.dims).enumerate() {
            ensure!((0..=*size).contains(&slice), "a slice of {slice} does not fit dim {dim} of {operand}");
            let dropped =
                self.collapsed_slice_dims.contains(&dim) || self.operand_batching_dims.contains(&dim);
            ensure!(
                !dropped || slice <= 1,
                "dim {dim} is dropped from the slice, so its size must be 1, not {slice}"
            );
        }
        Ok(())
    }

    pub fn rule(&self, cx: RuleCx<'_>) -> Rule {
        let dims = self.dims();
        let mut rule = Rule::empty(cx);
        let [operand_rank, index_rank] = [cx.operands[0].rank(), cx.operands[1].rank()];
        let batch = dims.index_batch_dims(index_rank).zip(dims.slice_batch_dims(cx.results[0].rank()));
        for (index, slice) in batch {
            let factor = rule.factor(cx.size(OperandIdx(1).dim(index)), FactorKind::Pass);
            rule.place(factor, [OperandIdx(1).dim(index), ResultIdx(0).dim(slice)]);
            if let Some(at) = dims.index_batching.iter().position(|dim| *dim == index) {
                rule.place(factor, [OperandIdx(0).dim(dims.batching[at])]);
            }
        }
        for (dim, slice) in dims.window_operand_dims(operand_rank).zip(dims.window) {
            if self.slice_sizes[dim] == cx.size(OperandIdx(0).dim(dim)) {
                rule.pass(cx.size(OperandIdx(0).dim(dim)), OperandIdx(0).dim(dim), ResultIdx(0).dim(*slice));
            }
        }
        let reducer = match cx.operands[0].as_tensor().map(|ty| ty.dtype) {
            Some(DType::Pred) => Reducer::Or,
            _ => Reducer::Sum,
        };
        for &dim in dims.index_map {
            let size = cx.size(OperandIdx(0).dim(dim));
            if rule.operands[0][dim].is_empty() && (1..size).contains(&self.slice_sizes[dim]) {
                let factor = rule.factor_by_family(size, FactorKind::Reduce(reducer));
                rule.place(factor, [OperandIdx(0).dim(dim)]);
            }
        }
        rule.fill_whole(cx);
        rule.with_linear(Linear::singly(ALL_REDUCERS, [0]))
    }

    pub fn mnemonic(&self) -> &'static str {
        "gather"
    }
}

impl Scatter {
    pub fn infer(&self, operands: Operands<'_>) -> Inferred {
        let [region] = operands.expect_regions()?;
        let (inputs, indices, updates) = self.split(operands)?;
        let (dims, input, update) = (self.dims(), inputs[0], updates[0]);
        dims.check(input, indices, update.rank())?;
        self.check_updates(input, indices, update)?;
        for (index, other) in updates.iter().enumerate() {
            ensure!(other.dims == update.dims, "update {index} is {other}, but update 0 is {update}");
        }
        let dtypes = expect_reducer("the update computation", region, &inputs, &[])?;
        for (index, (dtype, update)) in dtypes.iter().zip(&updates).enumerate() {
            ensure!(
                update.dtype == *dtype,
                "update {index} is {update}, but the computation returns {dtype}"
            );
        }
        Ok(dtypes.into_iter().map(|dtype| input.with_dtype(dtype).into()).collect())
    }

    fn split<'a>(
        &self,
        operands: Operands<'a>,
    ) -> Result<(Vec<&'a TensorType>, &'a TensorType, Vec<&'a TensorType>), InferError> {
        let count = operands.types.len();
        ensure!(
            count >= 3 && count % 2 == 1,
            "expected inputs, indices and as many updates, found {count} operands"
        );
        let mut inputs = operands.all_tensors()?;
        let updates = inputs.split_off(count / 2 + 1);
        inputs.truncate(count / 2);
        Ok((inputs, operands.tensor(count / 2)?, updates))
    }

    fn check_updates(
        &self,
        input: &TensorType,
        indices: &TensorType,
        update: &TensorType,
    ) -> Result<(), InferError> {
        let dims = self.dims();
        let batch_rank = indices.rank() - usize::from(self.index_vector_dim < indices.rank());
        let rank = batch_rank + self.update_window_dims.len();
        ensure!(
            update.rank() == rank,
            "the update is {update}, but the dimension numbers ask for rank {rank}"
        );
        for (index, slice) in dims.index_batch_dims(indices.rank()).zip(dims.slice_batch_dims(rank)) {
            let (wanted, found) = (indices.dims[index], update.dims[slice]);
            ensure!(
                wanted == found,
                "dim {index} of the indices has {wanted} elements, dim {slice} of the update has {found}"
            );
        }
        for (dim, &slice) in dims.window_operand_dims(input.rank()).zip(dims.window) {
            let (size, found) = (input.dims[dim], update.dims[slice]);
            ensure!(
                found <= size,
                "dim {slice} of the update has {found} elements, dim {dim} of the input only {size}"
            );
        }
        Ok(())
    }

    pub fn rule(&self, cx: RuleCx<'_>) -> Rule {
        let mut walk =
            ScatterRule { cx, dims: self.dims(), count: cx.operands.len() / 2, rule: Rule::empty(cx) };
        walk.batch_dims();
        walk.window_dims();
        walk.looked_up_dims();
        let mut rule = walk.rule;
        rule.fill_whole(cx);
        match cx.reducer {
            Some(reducer) if cx.operands.len() == 3 => {
                rule.with_linear(Linear::jointly([reducer], [0, 2])).starting_from(0)
            }
            _ => rule,
        }
    }

    pub fn mnemonic(&self) -> &'static str {
        "scatter"
    }
}

/// The rule of a scatter under construction; `count` inputs, then the indices, then `count` updates.
struct ScatterRule<'a> {
    cx: RuleCx<'a>,
    dims: Dims<'a>,
    count: usize,
    rule: Rule,
}

impl ScatterRule<'_> {
    /// Without a known reducer the order of updates matters: they must stay together.
    fn batch_dims(&mut self) {
        let (indices, update) = (self.count, self.count + 1);
        let slices = self.dims.slice_batch_dims(self.cx.operands[update].rank());
        let pairs: Vec<_> =
            self.dims.index_batch_dims(self.cx.operands[indices].rank()).zip(slices).collect();
        for (index, slice) in pairs {
            let size = self.cx.size(OperandIdx(indices).dim(index));
            let batching = self.dims.index_batching.iter().position(|dim| *dim == index);
            let factor = match (batching, self.cx.reducer) {
                (Some(_), _) => self.rule.factor(size, FactorKind::Pass),
                (None, Some(reducer)) => self.rule.factor_by_family(size, FactorKind::Reduce(reducer)),
                (None, None) => self.rule.factor(size, FactorKind::Whole),
            };
            self.rule.place(factor, [OperandIdx(indices).dim(index)]);
            self.on_updates(slice, factor);
            if let Some(at) = batching {
                self.on_inputs(self.dims.batching[at], factor);
            }
        }
    }

    fn window_dims(&mut self) {
        let update = self.count + 1;
        let rank = self.cx.operands[0].rank();
        let pairs: Vec<_> =
            self.dims.window_operand_dims(rank).zip(self.dims.window.iter().copied()).collect();
        for (dim, slice) in pairs {
            let size = self.cx.size(OperandIdx(0).dim(dim));
            if size == self.cx.size(OperandIdx(update).dim(slice)) {
                let factor = self.rule.factor(size, FactorKind::Pass);
                self.on_inputs(dim, factor);
                self.on_updates(slice, factor);
            }
        }
    }

    /// Each piece of the input takes the updates whose index falls into it.
    fn looked_up_dims(&mut self) {
        for at in 0..self.dims.index_map.len() {
            let dim = self.dims.index_map[at];
            let size = self.cx.size(OperandIdx(0).dim(dim));
            if self.rule.operands[0][dim].is_empty() && size != 1 {
                let factor = self.rule.factor_by_family(size, FactorKind::Pass);
                self.on_inputs(dim, factor);
            }
        }
    }

    fn on_updates(&mut self, dim: usize, factor: crate::rule::FactorId) {
        let updates = self.count + 1..2 * self.count + 1;
        self.rule.place(factor, updates.map(|at| OperandIdx(at).dim(dim)));
    }

    fn on_inputs(&mut self, dim: usize, factor: crate::rule::FactorId) {
        for index in 0..self.count {
            self.rule.place(factor, [OperandIdx(index).dim(dim), ResultIdx(index).dim(dim)]);
        }
    }
}
