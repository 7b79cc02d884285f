//! A gather that looks up one place, as a slice that begins there.
//!
//! ```text
//! %g = gather %x : [4, 64, 8], %i : [1, 1],        %n = reshape %i : []
//!      index map [0], slices [1, 64, 8]       =>   %s = dynamic_slice %x, %n, 0, 0, sizes [1, 64, 8]
//!                                                  %g = reshape %s
//! ```
//!
//! As each stage of a circular pipeline takes the weights of one round out of those of all: one index, once the stages
//! are split. A slice can be part of whatever reads it; a gather is a loop of its own. Both clamp what lies outside, so
//! every bit stays. Scatters do not: they drop what lies outside, and stay. One walk, and a slice of the indices for
//! each gather, of which `simplify` and `cse` leave what is needed.

use crate::Changed;
use meshwright_ir::op::{Dynamic, Gather, Movement, Reshape, Slice};
use meshwright_ir::{Build, Builder, Editor, Function, InstId, Module, Op, TensorType, ValueId};

pub fn slice_gathers(module: &mut Module) -> Changed {
    let mut changed = false;
    for func in module.funcs.values_mut() {
        for inst in func.insts_in_order() {
            if let Some(gather) = of_one_index(func, inst) {
                rewrite(func, inst, &gather);
                changed = true;
            }
        }
    }
    changed
}

/// A gather whose indices are one.
fn of_one_index(func: &Function, inst: InstId) -> Option<Gather> {
    let Op::Gather(gather) = &func.inst(inst).op else { return None };
    let [from, indices] = func.inst(inst).operands[..] else { return None };
    let along = |(dim, _): &(usize, &i64)| *dim != gather.index_vector_dim;
    let count: i64 = func.dims(indices).iter().enumerate().filter(along).map(|(_, size)| *size).product();
    // Nothing can be cut out of nothing.
    (count == 1 && !func.dims(from).contains(&0)).then(|| gather.clone())
}

fn rewrite(func: &mut Function, inst: InstId, gather: &Gather) {
    let [from, indices] = func.inst(inst).operands[..] else { return };
    let shape = func.dims(func.inst(inst).results[0]).to_vec();
    let mut build = Builder::before(func, inst);
    let number = TensorType::new(build.dtype(indices), Vec::<i64>::new());
    let starts: Vec<ValueId> = (0..gather.slice_sizes.len())
        .map(|dim| match gather.start_index_map.iter().position(|of| *of == dim) {
            Some(at) => component(&mut build, indices, gather.index_vector_dim, at as i64),
            None => build.zeros(&number),
        })
        .collect();
    let cut = Op::Dynamic(Dynamic::Slice { sizes: gather.slice_sizes.clone() });
    let operands: Vec<ValueId> = [from].into_iter().chain(starts).collect();
    // The gather's own result goes on, with what is said of it.
    let (op, operands) = if shape == gather.slice_sizes {
        (cut, operands)
    } else {
        let part = build.push(cut, operands);
        (Op::Movement(Movement::Reshape(Reshape { shape })), vec![part])
    };
    let mut editor = Editor::new(func);
    editor.set_op(inst, op);
    editor.set_operands(inst, operands);
}

/// One number of the only index.
fn component(build: &mut Builder<'_>, indices: ValueId, vector_dim: usize, at: i64) -> ValueId {
    let mut slice = Slice::whole(build.func().dims(indices));
    if let (Some(start), Some(limit)) = (slice.start.get_mut(vector_dim), slice.limit.get_mut(vector_dim)) {
        (*start, *limit) = (at, at + 1);
    }
    let one = build.slice(indices, slice);
    build.reshape(one, &[])
}
