//! Gather and scatter, dynamic slice and update, sort and top-k.

use crate::build::{Gen, Val, Want, joined};
use meshwright_base::arrange::Arrange;
use meshwright_ir::op::{
    BinaryOp, Concatenate, Direction, Dynamic, Gather, Iota, Movement, Scatter, Sort, TopK,
};
use meshwright_ir::{BlockId, Build, DType, Op, TensorType};
use meshwright_shard::Sharding;

/// Indices of a given shape in some integer type.
fn indices(g: &mut Gen, dims: &[i64]) -> Val {
    let dtype = g.choices.pick(&[DType::S32, DType::S32, DType::S64, DType::U8]);
    g.of_type(dtype, dims)
}

/// Rows of a table by number: `table[.., index, ..]`.
pub fn embedding(g: &mut Gen) -> Option<()> {
    let x = g.operand(Want::Any, 1, 3);
    let looked_up = looked_up(g, &x)?;
    let sizes: Vec<i64> = looked_up.iter().map(|dim| x.ty.dims[*dim]).collect();
    let batch = batch_dims(g, &sizes);
    let (indices, index_vector_dim) = index_vectors(g, &batch, &sizes);
    let mut slice_sizes = x.ty.dims.clone();
    looked_up.iter().for_each(|dim| slice_sizes[*dim] = 1);
    for (dim, size) in slice_sizes.iter_mut().enumerate() {
        // Now and then only a part of the other dims is taken.
        if !looked_up.contains(&dim) && *size > 1 && g.choices.chance(10) {
            *size -= 1;
        }
    }
    // And now and then several rows from an index on.
    let mut collapsed_slice_dims = looked_up.clone();
    if g.choices.chance(25) {
        let first = collapsed_slice_dims.remove(0);
        slice_sizes[first] = x.ty.dims[first] - g.choices.index(x.ty.dims[first] as usize) as i64;
    }
    collapsed_slice_dims.arrange();
    let window = x.ty.rank() - collapsed_slice_dims.len();
    let op = Gather {
        offset_dims: window_places(g, batch.len(), window),
        collapsed_slice_dims,
        operand_batching_dims: Vec::new(),
        start_indices_batching_dims: Vec::new(),
        start_index_map: looked_up,
        index_vector_dim,
        slice_sizes,
        indices_are_sorted: false,
    };
    g.emit(Op::Gather(op), &[&x, &indices], x.info.bound).map(|_| ())
}

/// One or two dims that are not empty, in any order.
fn looked_up(g: &mut Gen, x: &Val) -> Option<Vec<usize>> {
    let full: Vec<usize> = (0..x.ty.rank()).filter(|dim| x.ty.dims[*dim] > 0).collect();
    let mut dims = g.choices.shuffled(full);
    dims.truncate(if g.choices.chance(40) { 2 } else { 1 });
    (!dims.is_empty()).then_some(dims)
}

/// Where dims of these sizes are looked up: now and then once in each row of the first.
fn batch_dims(g: &mut Gen, sizes: &[i64]) -> Vec<i64> {
    let mut dims = g.dims(0, 2);
    if sizes.len() > 1 && g.choices.chance(50) {
        let at = g.choices.index(dims.len() + 1);
        dims.insert(at, sizes[0]);
    }
    dims
}

/// Index vectors for dims of these sizes at each place of a batch, and the dim they lie along.
fn index_vectors(g: &mut Gen, batch: &[i64], sizes: &[i64]) -> (Val, usize) {
    if sizes.len() == 1 && g.choices.chance(40) {
        return (indices(g, batch), batch.len());
    }
    let place = if g.choices.chance(20) { g.choices.index(batch.len() + 1) } else { batch.len() };
    let mut dims = batch.to_vec();
    dims.insert(place, sizes.len() as i64);
    let counted = counted_component(batch, sizes).filter(|_| g.choices.chance(75));
    let made = counted.and_then(|counted| counted_vectors(g, &dims, place, counted));
    (made.unwrap_or_else(|| indices(g, &dims)), place)
}

/// A component, of several, that can count a dim of the batch.
fn counted_component(batch: &[i64], sizes: &[i64]) -> Option<(usize, usize)> {
    let counts =
        |component: usize| Some((component, batch.iter().position(|size| *size == sizes[component])?));
    (0..sizes.len()).filter(|_| sizes.len() > 1).find_map(counts)
}

/// Index vectors of which a component counts a dim of the batch: each row looks itself up.
fn counted_vectors(
    g: &mut Gen,
    dims: &[i64],
    place: usize,
    (component, along): (usize, usize),
) -> Option<Val> {
    let mut one = dims.to_vec();
    one[place] = 1;
    let dim = along + usize::from(along >= place);
    let count = g.emit(Op::Iota(Iota { dim, ty: TensorType::new(DType::S32, one.clone()) }), &[], 64.0)?;
    let mut parts: Vec<Val> = (1..dims[place]).map(|_| g.of_type(DType::S32, &one)).collect();
    parts.insert(component, count);
    let bound = joined(&parts.iter().collect::<Vec<_>>()).bound;
    let op = Op::Movement(Movement::Concatenate(Concatenate { dim: place }));
    g.emit(op, &parts.iter().collect::<Vec<_>>(), bound)
}

/// Where the window dims stand among the slices' dims: mostly last.
fn window_places(g: &mut Gen, batch: usize, window: usize) -> Vec<usize> {
    if !g.choices.chance(25) {
        return (batch..batch + window).collect();
    }
    let mut places = g.choices.shuffled((0..batch + window).collect::<Vec<_>>());
    places.truncate(window);
    places.arrange();
    places
}

/// `x[b, index[b, m]]`: a batching dim and a looked-up one.
pub fn take_along_axis(g: &mut Gen) -> Option<()> {
    let x = g.operand_if(Want::Any, 2, 2, |value| !value.ty.dims.contains(&0));
    let lookup = g.choices.index(2);
    let batch = 1 - lookup;
    if x.ty.dims[lookup] == 0 || x.ty.dims[batch] == 0 {
        return None;
    }
    let count = g.size();
    let indices = indices(g, &[x.ty.dims[batch], count, 1]);
    let op = Gather {
        offset_dims: Vec::new(),
        collapsed_slice_dims: vec![lookup],
        operand_batching_dims: vec![batch],
        start_indices_batching_dims: vec![0],
        start_index_map: vec![lookup],
        index_vector_dim: 2,
        slice_sizes: vec![1, 1],
        indices_are_sorted: false,
    };
    g.emit(Op::Gather(op), &[&x, &indices], x.info.bound).map(|_| ())
}

/// Updates into rows by number: the gradient of an embedding, and its kin.
pub fn scatter(g: &mut Gen) -> Option<()> {
    let x = g.operand(Want::Number, 1, 3);
    let looked_up = looked_up(g, &x)?;
    let sizes: Vec<i64> = looked_up.iter().map(|dim| x.ty.dims[*dim]).collect();
    let batch = batch_dims(g, &sizes);
    let (indices, index_vector_dim) = index_vectors(g, &batch, &sizes);
    let spanning: Vec<usize> = looked_up.iter().copied().filter(|_| g.choices.chance(20)).collect();
    let is_window = |dim: &usize| !looked_up.contains(dim) || spanning.contains(dim);
    let window: Vec<usize> = (0..x.ty.rank()).filter(is_window).collect();
    let places = window_places(g, batch.len(), window.len());
    let mut sizes = Vec::new();
    for dim in &window {
        let size = x.ty.dims[*dim];
        let is_part = spanning.contains(dim) && size > 0;
        sizes.push(if is_part { 1 + g.choices.index(size as usize) as i64 } else { size });
    }
    let (mut from_batch, mut from_window) = (batch.iter(), sizes.iter());
    let in_order = (0..batch.len() + window.len())
        .map(|dim| if places.contains(&dim) { from_window.next() } else { from_batch.next() });
    let shape: Vec<i64> = in_order.flatten().copied().collect();
    let updates = g.of_type(x.ty.dtype, &shape);
    let (region, bound) = combiner(g, &x, &updates, batch.iter().product());
    let mut inserted_window_dims = looked_up.clone();
    inserted_window_dims.retain(|dim| !spanning.contains(dim));
    inserted_window_dims.arrange();
    let op = Scatter {
        update_window_dims: places,
        inserted_window_dims,
        input_batching_dims: Vec::new(),
        scatter_indices_batching_dims: Vec::new(),
        scatter_dims_to_operand_dims: looked_up,
        index_vector_dim,
        indices_are_sorted: false,
        unique_indices: false,
    };
    g.emit_all(Op::Scatter(op), &[&x, &indices, &updates], vec![region], &[bound]).map(|_| ())
}

/// What an update does to an element, and how large that can get.
fn combiner(g: &mut Gen, x: &Val, updates: &Val, count: i64) -> (BlockId, f64) {
    let dtype = x.ty.dtype;
    let larger = joined(&[x, updates]).bound;
    match g.choices.below(5) {
        3 => (g.reducer(BinaryOp::Maximum, dtype), larger),
        4 => {
            let region = g.scalar_region(&[dtype, dtype], |_, params| vec![params[1]]);
            (region, larger)
        }
        _ => (g.reducer(BinaryOp::Add, dtype), x.info.bound + count as f64 * updates.info.bound),
    }
}

pub fn dynamic_slice(g: &mut Gen) -> Option<()> {
    let x = g.operand(Want::Any, 1, 3);
    let sizes = part_sizes(g, &x.ty.dims);
    let starts = starts(g, x.ty.rank());
    let operands: Vec<&Val> = std::iter::once(&x).chain(&starts).collect();
    g.emit(Op::Dynamic(Dynamic::Slice { sizes }), &operands, x.info.bound).map(|_| ())
}

pub fn dynamic_update_slice(g: &mut Gen) -> Option<()> {
    let x = g.operand(Want::Any, 1, 3);
    let sizes = part_sizes(g, &x.ty.dims);
    let update = g.of_type(x.ty.dtype, &sizes);
    let starts = starts(g, x.ty.rank());
    let operands: Vec<&Val> = [&x, &update].into_iter().chain(&starts).collect();
    let bound = x.info.bound.max(update.info.bound);
    g.emit(Op::Dynamic(Dynamic::UpdateSlice), &operands, bound).map(|_| ())
}

/// Sizes of a part: some dims whole.
fn part_sizes(g: &mut Gen, dims: &[i64]) -> Vec<i64> {
    let mut sizes = Vec::new();
    for size in dims {
        let whole = g.choices.chance(50) || *size == 0;
        sizes.push(if whole { *size } else { size - g.choices.index(*size as usize) as i64 });
    }
    sizes
}

fn starts(g: &mut Gen, rank: usize) -> Vec<Val> {
    let dtype = g.choices.pick(&[DType::S32, DType::S64]);
    (0..rank).map(|_| g.scalar(dtype)).collect()
}

/// One operand, or two sorted together.
pub fn sort(g: &mut Gen) -> Option<()> {
    let x = if g.choices.chance(30) {
        one_long_dim(g)
    } else {
        g.operand_if(Want::Number, 1, 3, |value| value.info.exact)
    };
    let dim = g.choices.index(x.ty.rank());
    let direction = g.choices.pick(&[Direction::Lt, Direction::Gt]);
    let mut operands = vec![x.clone()];
    if g.choices.chance(25) {
        let ty = x.ty.with_dtype(DType::S32);
        operands.push(g.emit(Op::Iota(Iota { dim, ty }), &[], 64.0)?);
    } else if g.choices.chance(30) {
        let dtype = g.dtype(Want::Any);
        operands.push(g.of_type(dtype, &x.ty.dims));
    }
    let params: Vec<DType> = operands.iter().flat_map(|value| [value.ty.dtype; 2]).collect();
    let region = g.scalar_region(&params, |b, params| vec![b.compare(direction, params[0], params[1])]);
    let bounds: Vec<f64> = operands.iter().map(|value| value.info.bound).collect();
    let operands: Vec<&Val> = operands.iter().collect();
    g.emit_all(Op::Sort(Sort { dim, stable: true }), &operands, vec![region], &bounds).map(|_| ())
}

/// Often a few of many, where the searched dim alone is split: what pieces offer is less than the pieces.
pub fn top_k(g: &mut Gen) -> Option<()> {
    let few = g.choices.chance(50);
    let x = if few { one_long_dim(g) } else { g.operand_if(Want::Number, 1, 3, |value| value.info.exact) };
    let size = x.ty.dims.last().copied()?;
    let k = if few {
        (1 + g.choices.index(3) as i64).min(size)
    } else {
        size - g.choices.index(size as usize + 1) as i64
    };
    let op = Op::TopK(TopK { k, largest: true });
    g.emit_all(op, &[&x], Vec::new(), &[x.info.bound, 64.0]).map(|_| ())
}

/// A new value of one dim, split if the first shardings that come to mind split it.
fn one_long_dim(g: &mut Gen) -> Val {
    const ATTEMPTS: usize = 4;
    let dtype = g.dtype(Want::Number);
    let size = 8 + g.choices.index(57) as i64;
    let x = g.fresh(TensorType::new(dtype, [size]));
    let is_split = |sharding: &Sharding| sharding.dims.iter().any(|dim| !dim.axes.is_empty());
    let splits = (0..ATTEMPTS).map(|_| g.random_sharding(1)).find(is_split);
    if let Some(sharding) = splits {
        g.annotate(x.id, sharding);
    }
    x
}
