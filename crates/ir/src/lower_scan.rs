//! Write every `scan` as a `while`, as foreign formats know it.
//!
//! ```text
//! %c, %ys = scan(%c0, %xs) trips=5 { (%c, %x): .. return %c1, %y }
//! =>
//! %0:4 = while(%xs, 0, %c0, zeros) cond { %i < 5 } do { (%xs, %i, %c, %ys):
//!     %x = reshape(dynamic_slice(%xs, %i, 0..))
//!     ..
//!     return %xs, %i + 1, %c1, dynamic_update_slice(%ys, reshape(%y), %i, 0..)
//! }
//! ```
//!
//! The module must have passed the verifier.
//!
//! With `reverse` slices are taken at `trips - 1 - %i`. The counter is s32, or s64 where the trip count asks for it.
//! The inverse is [`raise_scan`](crate::raise_scan()).

use crate::build::{Build, Builder};
use crate::edit::{At, Editor};
use crate::infer::InferCx;
use crate::module::{Annotation, BlockId, FuncId, Function, InstId, Module, SourceId, ValueId};
use crate::op::{Compare, CompareKind, Control, Direction, Movement, Op, Reshape, Scan};
use crate::types::{DType, TensorType, Type};
use meshwright_base::IdMap;
use std::sync::Arc;

/// Whether there was a scan.
pub fn lower_scan(module: &mut Module) -> bool {
    let ids: Vec<FuncId> = module.funcs.keys().collect();
    let lowered: Vec<bool> = ids.into_iter().map(|id| lower_in(&mut module.funcs[id])).collect();
    lowered.contains(&true)
}

fn lower_in(func: &mut Function) -> bool {
    let scan_of = |inst: &InstId| match &func.inst(*inst).op {
        Op::Scan(scan) => Some((*inst, scan.clone())),
        _ => None,
    };
    let scans: Vec<(InstId, Scan)> = func.insts_in_order().iter().filter_map(scan_of).collect();
    let mut replaced: Vec<(ValueId, ValueId)> = Vec::new();
    let mut editor = Editor::new(func);
    for (inst, scan) in &scans {
        Lowering::new(&mut editor, *inst, scan).run(&mut replaced);
    }
    map_values(func, &replaced);
    !scans.is_empty()
}

/// Replace values all over a function; a replacement may be replaced itself.
pub(crate) fn map_values(func: &mut Function, replaced: &[(ValueId, ValueId)]) {
    if replaced.is_empty() {
        return;
    }
    let mut map: IdMap<ValueId, Option<ValueId>> = IdMap::filled(func.value_count(), None);
    for (old, new) in replaced {
        map[*old] = Some(*new);
    }
    Editor::new(func).map_uses(|mut value| {
        while let Some(next) = map[value].filter(|next| *next != value) {
            value = next;
        }
        value
    });
}

/// The scalar type that counts `trips`.
fn counter_type(trips: i64) -> TensorType {
    let fits = i32::try_from(trips).is_ok();
    TensorType::scalar(if fits { DType::S32 } else { DType::S64 })
}

struct Lowering<'e, 'f> {
    editor: &'e mut Editor<'f>,
    inst: InstId,
    scan: &'e Scan,
    source: SourceId,
    counter: TensorType,
    /// Operands and region of the scan.
    operands: Vec<ValueId>,
    body: BlockId,
}

impl<'e, 'f> Lowering<'e, 'f> {
    fn new(editor: &'e mut Editor<'f>, inst: InstId, scan: &'e Scan) -> Self {
        let it = editor.func().inst(inst);
        let (source, operands, body) = (it.source, it.operands.clone(), it.regions[0]);
        Lowering { editor, inst, scan, source, counter: counter_type(scan.trips), operands, body }
    }

    fn run(mut self, replaced: &mut Vec<(ValueId, ValueId)>) {
        let carries = self.scan.carries;
        let old = self.editor.func().inst(self.inst).results.clone();
        let inputs = self.operands.split_off(carries);
        let start = self.constant(At::Before(self.inst), 0);
        let stacks: Vec<ValueId> = old[carries..].iter().map(|result| self.zeros(*result)).collect();
        let state: Vec<ValueId> =
            inputs.iter().chain([&start]).chain(&self.operands).chain(&stacks).copied().collect();
        let types: Vec<Type> = state.iter().map(|value| self.editor.func().ty(*value).clone()).collect();
        let cond = self.condition(&types, inputs.len());
        let body = self.new_body(&types, inputs.len(), replaced);
        let results =
            self.editor.replace(self.inst, Op::Control(Control::While), state, vec![cond, body], types);
        for (old, new) in old.into_iter().zip(&results[inputs.len() + 1..]) {
            copy_looks(self.editor, old, *new);
            replaced.push((old, *new));
        }
    }

    fn writing(&mut self, at: At) -> Builder<'_> {
        Builder::with(self.editor.reborrow(), at, self.source, InferCx::nothing())
    }

    fn constant(&mut self, at: At, value: i64) -> ValueId {
        let counter = self.counter.clone();
        self.writing(at).splat_int(&counter, value)
    }

    /// Room for a stacked output.
    fn zeros(&mut self, result: ValueId) -> ValueId {
        let sharding = self.editor.func().value(result).sharding.clone();
        let room = self.writing(At::Before(self.inst)).zeros_like(result);
        self.editor.set_sharding(room, sharding);
        room
    }

    fn condition(&mut self, types: &[Type], counter: usize) -> BlockId {
        let cond = self.editor.block();
        let params: Vec<ValueId> = types.iter().map(|ty| self.editor.param(cond, ty.clone())).collect();
        let limit = self.constant(At::End(cond), self.scan.trips);
        let compare = Op::Compare(Compare { direction: Direction::Lt, kind: Some(CompareKind::Signed) });
        let goes_on = self.writing(At::End(cond)).push(compare, [params[counter], limit]);
        self.editor.set_results(cond, vec![goes_on]);
        cond
    }

    /// The scan's own instructions between taking slices and storing them.
    fn new_body(&mut self, types: &[Type], inputs: usize, replaced: &mut Vec<(ValueId, ValueId)>) -> BlockId {
        let old = self.editor.func().block(self.body).clone();
        let body = self.editor.block();
        self.editor.set_block_name(body, old.name.clone());
        let params: Vec<ValueId> = types.iter().map(|ty| self.editor.param(body, ty.clone())).collect();
        let (stacked, rest) = params.split_at(inputs);
        let (counter, rest) = (rest[0], &rest[1..]);
        let (carried, stacks) = rest.split_at(self.scan.carries);
        let (old_carried, old_slices) = old.params.split_at(self.scan.carries);
        for (old, new) in old_carried.iter().zip(carried) {
            copy_looks(self.editor, *old, *new);
            replaced.push((*old, *new));
        }
        let index = self.index(body, counter);
        for (old, stack) in old_slices.iter().zip(stacked) {
            let slice = self.read(body, *stack, index, *old);
            copy_looks(self.editor, *old, slice);
            replaced.push((*old, slice));
        }
        let before = self.editor.func().block(body).insts.clone();
        self.editor.set_order(body, before.into_iter().chain(old.insts).collect());
        let (new_carried, slices) = old.results.split_at(self.scan.carries);
        let stored: Vec<ValueId> =
            slices.iter().zip(stacks).map(|(slice, stack)| self.write(body, *stack, *slice, index)).collect();
        let one = self.constant(At::End(body), 1);
        let next = self.writing(At::End(body)).add(counter, one);
        let results = stacked.iter().chain([&next]).chain(new_carried).chain(&stored).copied().collect();
        self.editor.set_results(body, results);
        body
    }

    /// Which slice this trip takes.
    fn index(&mut self, body: BlockId, counter: ValueId) -> ValueId {
        if !self.scan.reverse {
            return counter;
        }
        let last = self.constant(At::End(body), self.scan.trips.saturating_sub(1));
        self.writing(At::End(body)).sub(last, counter)
    }

    /// `index` along dim 0, 0 along the others.
    fn starts(&mut self, body: BlockId, rank: usize, index: ValueId) -> Vec<ValueId> {
        let mut starts = vec![index];
        if rank > 1 {
            let zero = self.constant(At::End(body), 0);
            starts.resize(rank, zero);
        }
        starts
    }

    fn read(&mut self, body: BlockId, stack: ValueId, index: ValueId, slice: ValueId) -> ValueId {
        let ty = self.editor.func().ty(slice).clone();
        let Type::Tensor(slice) = &ty else { return stack };
        let row = row_type(slice);
        let starts = self.starts(body, row.rank(), index);
        let mut b = self.writing(At::End(body));
        let taken = b.dynamic_slice(stack, &starts, &row.dims);
        b.reshape(taken, &slice.dims)
    }

    fn write(&mut self, body: BlockId, stack: ValueId, slice: ValueId, index: ValueId) -> ValueId {
        let ty = self.editor.func().ty(slice).clone();
        let Type::Tensor(slice_ty) = &ty else { return stack };
        let row = row_type(slice_ty);
        let starts = self.starts(body, row.rank(), index);
        let mut b = self.writing(At::End(body));
        let row = b.reshape(slice, &row.dims);
        b.dynamic_update_slice(stack, row, &starts)
    }
}

/// A slice as it lies in the stack: with a leading dim of 1.
pub(crate) fn row_type(slice: &TensorType) -> TensorType {
    slice.with_dims([1].into_iter().chain(slice.dims.iter().copied()).collect::<Vec<_>>())
}

pub(crate) fn reshape(dims: &[i64]) -> Op {
    Op::Movement(Movement::Reshape(Reshape { shape: dims.to_vec() }))
}

/// Name, sharding and valid part of a value that stands for another of the same type.
pub(crate) fn copy_looks(editor: &mut Editor<'_>, from: ValueId, to: ValueId) {
    let value = editor.func().value(from);
    let (name, sharding, valid): (Option<Arc<str>>, Option<Annotation>, _) =
        (value.name.clone(), value.sharding.clone(), value.valid.clone());
    editor.set_name(to, name);
    editor.set_sharding(to, sharding);
    editor.set_valid(to, valid);
}
