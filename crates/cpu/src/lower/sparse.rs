//! Products with masks: by the rows the mask names, where few of its elements are not zero.
//!
//! ```text
//! dispatch, combine      sum over k of mask * rows           only the rows whose factor is not 0 (kernel/sparse.rs)
//! gradient of a mask     multiply(sum over k of a * b, mask)  only where the mask is not 0 (kernel/sampled.rs)
//! ```
//!
//! That a mask is sparse is known beforehand (`sparse.rs`); it decides what pays, the kernels are right for any mask.
//! When every number is looked at (`bench step --check-nans`), products stay dense: `0 * inf` is then seen.

use super::{Frame, Lower, Val, Where};
use meshwright_base::arrange::Arrange;
use meshwright_ir::op::{BinaryOp, Convert, Dot, Movement, Reduce, UnaryOp};
use meshwright_ir::{DType, Inst, Op, ValueId};
use meshwright_kernels::sampled::{MAX_MASKS, Mask, Rows, SampledStep, can_mask};
use meshwright_kernels::sparse::{SparseOperand, SparseStep, can};
use meshwright_kernels::step::{BufId, Step};
use meshwright_kernels::view::{View, collapse_together, sizes};
use meshwright_runtime::RunError;
use meshwright_shard::Reducer;

/// Picoseconds: to read an element of a mask, to use one that is not zero for an element of its row, and to multiply
/// and add densely in `f32` and in `bf16`.
const READ: f64 = 200.0;
const PICK: f64 = 60.0;
const DENSE: f64 = 10.0;
const DENSE_NARROW: f64 = 1.0;

/// How many uses away a mask is looked for.
const MAX_WAY: usize = 8;

/// A product's operands by what their dims are.
struct Sides {
    /// Which operand is the mask.
    mask: usize,
    /// Dims of the mask and of the rows, paired.
    batch: Vec<(usize, usize)>,
    contracted: Vec<(usize, usize)>,
    /// Of the mask; of the rows.
    free: Vec<usize>,
    along: Vec<usize>,
    /// Dims of the result that are the mask's and the rows' own.
    free_to: Vec<usize>,
    along_to: Vec<usize>,
}

impl Sides {
    fn of(op: &Dot, mask: usize, ranks: [usize; 2]) -> Sides {
        let side = |pair: &(usize, usize)| if mask == 0 { *pair } else { (pair.1, pair.0) };
        let batch: Vec<_> = op.batch.iter().map(side).collect();
        let contracted: Vec<_> = op.contract.iter().map(side).collect();
        let used = |own: bool, d: usize| {
            let pairs = batch.iter().chain(&contracted);
            pairs.into_iter().any(|pair| d == if own { pair.0 } else { pair.1 })
        };
        let free: Vec<usize> = (0..ranks[mask]).filter(|d| !used(true, *d)).collect();
        let along: Vec<usize> = (0..ranks[1 - mask]).filter(|d| !used(false, *d)).collect();
        let first = batch.len();
        let (left, right) = if mask == 0 { (free.len(), along.len()) } else { (along.len(), free.len()) };
        let (left, right) = (first..first + left, first + left..first + left + right);
        let (free_to, along_to) = if mask == 0 { (left, right) } else { (right, left) };
        Sides {
            mask,
            batch,
            contracted,
            free,
            along,
            free_to: free_to.collect(),
            along_to: along_to.collect(),
        }
    }
}

impl<'m> Lower<'m> {
    /// The product as one that skips zeros, if that pays.
    pub fn sparse_product(
        &mut self,
        op: &Dot,
        frame: &Frame<'m>,
        inst: &Inst,
        x: &[Val],
    ) -> Result<Option<Val>, RunError> {
        let [lhs, rhs] = x else { return Ok(None) };
        if !self.fuse {
            return Ok(None);
        }
        let (dtype, dims) = self.result(frame, inst, 0)?;
        let picked = (0..2).find(|mask| {
            let sides = Sides::of(op, *mask, [lhs.dims.len(), rhs.dims.len()]);
            skipping_pays(frame, inst, &sides, x, dtype)
        });
        if let Some(mask) = picked {
            let sides = Sides::of(op, mask, [lhs.dims.len(), rhs.dims.len()]);
            return self.skipping(&sides, frame, inst, x, (dtype, dims));
        }
        self.sampled(op, frame, inst, x, (dtype, dims))
    }

    fn skipping(
        &mut self,
        sides: &Sides,
        frame: &Frame<'m>,
        inst: &Inst,
        x: &[Val],
        (dtype, dims): (DType, Vec<usize>),
    ) -> Result<Option<Val>, RunError> {
        let (mask, rows) = (&x[sides.mask], &x[1 - sides.mask]);
        let (mask_buf, mask_view) = self.view(mask)?;
        let (rows_buf, rows_view) = self.in_rows(rows, &sides.along)?;
        let depth: Vec<usize> = sides.contracted.iter().map(|pair| pair.0).collect();
        if !reach(&rows_view, &sides.contracted) || !can([mask.dtype, rows.dtype, dtype], count(mask, &depth))
        {
            return Ok(None);
        }
        let (to, to_view) = self.laid_out(sides, frame, inst, dtype, &dims)?;
        let batch: Vec<usize> = sides.batch.iter().map(|pair| mask.dims[pair.0]).collect();
        let in_mask: Vec<isize> = sides.batch.iter().map(|pair| mask_view.strides[pair.0]).collect();
        let in_rows: Vec<isize> = sides.batch.iter().map(|pair| rows_view.strides[pair.1]).collect();
        let (batch, of_batch) =
            collapse_together(&batch, &[&in_mask, &in_rows, &to_view.strides[..batch.len()]]);
        let free = sides.free.iter().zip(&sides.free_to);
        let free = free.map(|(d, to)| (mask.dims[*d], mask_view.strides[*d], to_view.strides[*to]));
        let (free, of_free) = in_order(free.collect());
        let depth = sides.contracted.iter();
        let depth =
            depth.map(|pair| (mask.dims[pair.0], mask_view.strides[pair.0], rows_view.strides[pair.1]));
        let (contracted, of_depth) = in_order(depth.collect());
        let [mask_batch, rows_batch, to_batch] = <[Vec<isize>; 3]>::try_from(of_batch).unwrap_or_default();
        let [mask_free, to_free] = <[Vec<isize>; 2]>::try_from(of_free).unwrap_or_default();
        let [mask_depth, rows_depth] = <[Vec<isize>; 2]>::try_from(of_depth).unwrap_or_default();
        let part = |(buf, dtype, offset), batch, free, contracted| SparseOperand {
            buf,
            dtype,
            offset,
            batch,
            free,
            contracted,
        };
        self.push(Step::Sparse(SparseStep {
            batch,
            free,
            contracted,
            n: count(rows, &sides.along),
            mask: part((mask_buf, mask.dtype, mask_view.offset), mask_batch, mask_free, mask_depth),
            rows: part((rows_buf, rows.dtype, rows_view.offset), rows_batch, Vec::new(), rows_depth),
            to: part((to, dtype, 0), to_batch, to_free, Vec::new()),
        }));
        Ok(Some(Val { dtype, dims, at: Where::Buf { buf: to, view: to_view } }))
    }

    /// The value with the elements of these dims side by side: as it lies, or copied.
    fn in_rows(&mut self, val: &Val, along: &[usize]) -> Result<(BufId, View), RunError> {
        let (buf, view) = self.view(val)?;
        if super::dot::joined(&view, along) == Some(1) {
            return Ok((buf, view));
        }
        let others = (0..val.dims.len()).filter(|d| !along.contains(d));
        let order: Vec<usize> = others.chain(along.iter().copied()).collect();
        let moved = view.transpose(&order);
        let dims = moved.dims.clone();
        let moved = Val { dtype: val.dtype, dims: dims.clone(), at: Where::Buf { buf, view: moved } };
        let buf = self.dense(&moved)?;
        Ok((buf, View::dense(&dims).transpose(&back(&order))))
    }

    /// A buffer for the result, the rows' own dims innermost; the others in the order of the transpose that alone uses
    /// it.
    fn laid_out(
        &mut self,
        sides: &Sides,
        frame: &Frame<'m>,
        inst: &Inst,
        dtype: DType,
        dims: &[usize],
    ) -> Result<(BufId, View), RunError> {
        let user = inst.results.first().and_then(|value| only_user(frame, *value));
        let wanted: Vec<usize> = match user.map(|user| &user.op) {
            Some(Op::Movement(Movement::Transpose(op))) => op.permutation.clone(),
            _ => (0..dims.len()).collect(),
        };
        let others = wanted.into_iter().filter(|d| !sides.along_to.contains(d));
        let order: Vec<usize> = others.chain(sides.along_to.iter().copied()).collect();
        let sizes: Vec<usize> = order.iter().map(|d| dims[*d]).collect();
        let buf = self.buf(dtype, &sizes)?;
        Ok((buf, View::dense(&sizes).transpose(&back(&order))))
    }

    /// The product where masks that it is multiplied with are not zero, if all its uses do that and it pays.
    fn sampled(
        &mut self,
        op: &Dot,
        frame: &Frame<'m>,
        inst: &Inst,
        x: &[Val],
        (dtype, dims): (DType, Vec<usize>),
    ) -> Result<Option<Val>, RunError> {
        let ([lhs, rhs], Some(value)) = (x, inst.results.first()) else { return Ok(None) };
        let known = |dtype: DType| matches!(dtype, DType::F32 | DType::BF16);
        if lhs.dtype != rhs.dtype || !known(lhs.dtype) || !known(dtype) || dims.is_empty() {
            return Ok(None);
        }
        let Some(wanted) = wanted(frame, *value, 0) else { return Ok(None) };
        let share: f64 = wanted.iter().map(|masks| masks.share()).sum();
        let depth: Vec<usize> = op.contract.iter().map(|pair| pair.0).collect();
        let depth = count(lhs, &depth) as f64;
        let dense = if lhs.dtype == DType::BF16 { DENSE_NARROW } else { DENSE };
        // A row of the shorter kind costs as much as one of 64.
        let taken = READ * wanted.len() as f64 + share * PICK * depth.max(64.0);
        if taken >= dense * depth {
            return Ok(None);
        }
        let Some(masks) = self.masks(frame, wanted, &dims)? else { return Ok(None) };
        let pairs = |side: fn(&(usize, usize)) -> usize, pairs: &[(usize, usize)]| -> Vec<usize> {
            pairs.iter().map(side).collect()
        };
        let (left, right) = (Sides::of(op, 0, [lhs.dims.len(), rhs.dims.len()]), &op.contract);
        let (a, b) = (pairs(|p| p.0, right), pairs(|p| p.1, right));
        let (lhs_buf, lhs_view) = self.in_rows(lhs, &a)?;
        let (rhs_buf, rhs_view) = self.in_rows(rhs, &b)?;
        let mut in_lhs = vec![0; dims.len()];
        let mut in_rhs = vec![0; dims.len()];
        for (to, (l, r)) in left.batch.iter().enumerate() {
            (in_lhs[to], in_rhs[to]) = (lhs_view.strides[*l], rhs_view.strides[*r]);
        }
        left.free.iter().zip(&left.free_to).for_each(|(d, to)| in_lhs[*to] = lhs_view.strides[*d]);
        left.along.iter().zip(&left.along_to).for_each(|(d, to)| in_rhs[*to] = rhs_view.strides[*d]);
        let (to, val) = self.fresh(dtype, &dims)?;
        self.push(Step::Sampled(SampledStep {
            dims,
            depth: depth as usize,
            dtype: lhs.dtype,
            result: dtype,
            lhs: Rows { buf: lhs_buf, offset: lhs_view.offset, strides: in_lhs },
            rhs: Rows { buf: rhs_buf, offset: rhs_view.offset, strides: in_rhs },
            masks,
            to,
        }));
        Ok(Some(val))
    }

    /// Masks as views of the product's dims; `None` if there are none that can be seen so.
    fn masks(
        &mut self,
        frame: &Frame<'m>,
        wanted: Vec<Wanted>,
        dims: &[usize],
    ) -> Result<Option<Vec<Vec<Mask>>>, RunError> {
        let mut found = Vec::new();
        for set in wanted {
            let mut masks = Vec::new();
            for told in set.0 {
                let val = self.get(frame, told.value)?;
                if matches!(val.at, Where::Token) || !can_mask(val.dtype) {
                    continue;
                }
                let (buf, view) = self.view(&val)?;
                let seen = told.way.iter().try_fold(view, |view, step| step.seen(view));
                let Some(view) = seen.filter(|view| view.dims == dims) else { continue };
                masks.push(Mask { buf, dtype: val.dtype, offset: view.offset, strides: view.strides });
            }
            if masks.is_empty() {
                return Ok(None);
            }
            found.push(masks);
        }
        let all: usize = found.iter().map(Vec::len).sum();
        Ok((all <= MAX_MASKS).then_some(found))
    }
}

/// The inverse of an order.
fn back(order: &[usize]) -> Vec<usize> {
    let mut places = vec![0; order.len()];
    order.iter().enumerate().for_each(|(at, d)| places[*d] = at);
    places
}

fn count(val: &Val, dims: &[usize]) -> usize {
    dims.iter().map(|d| val.dims[*d]).product()
}

/// Whether rows lie within reach of 32 bits.
fn reach(rows: &View, contracted: &[(usize, usize)]) -> bool {
    let far = |pair: &(usize, usize)| (rows.dims[pair.1] as i64).saturating_mul(rows.strides[pair.1] as i64);
    contracted.iter().map(|pair| far(pair).saturating_abs()).fold(0, i64::saturating_add)
        < i64::from(i32::MAX)
}

/// Dims by the mask's strides, far apart first: so it is read as it lies. Sizes, and strides of both.
fn in_order(mut dims: Vec<(usize, isize, isize)>) -> (Vec<usize>, Vec<Vec<isize>>) {
    dims.arrange_by_key(|(_, stride, _)| std::cmp::Reverse(stride.abs()));
    let sizes: Vec<usize> = dims.iter().map(|dim| dim.0).collect();
    let own: Vec<isize> = dims.iter().map(|dim| dim.1).collect();
    let other: Vec<isize> = dims.iter().map(|dim| dim.2).collect();
    collapse_together(&sizes, &[&own, &other])
}

/// Whether skipping zeros of one operand takes less time than multiplying all.
fn skipping_pays(frame: &Frame<'_>, inst: &Inst, sides: &Sides, x: &[Val], dtype: DType) -> bool {
    let (Some(value), Some(mask), Some(rows)) =
        (inst.operands.get(sides.mask), x.get(sides.mask), x.get(1 - sides.mask))
    else {
        return false;
    };
    let known = frame.sparsity.known(*value);
    let dims: Vec<usize> = sides.contracted.iter().map(|pair| pair.0).collect();
    if known.facts.is_empty() || !can([mask.dtype, rows.dtype, dtype], count(mask, &dims)) {
        return false;
    }
    let density = known.density(frame.func.dims(*value));
    let n = count(rows, &sides.along) as f64;
    let narrow = mask.dtype == DType::BF16 && rows.dtype == DType::BF16;
    let dense = if narrow { DENSE_NARROW } else { DENSE };
    READ + density * PICK * n.max(16.0) < dense * n
}

/// The instruction that alone uses a value, once.
fn only_user<'f>(frame: &'f Frame<'_>, value: ValueId) -> Option<&'f Inst> {
    match (frame.uses[value], frame.sparsity.users(value)) {
        (1, [user]) => Some(frame.func.inst(*user)),
        _ => None,
    }
}

/// A mask, and how it is seen over the product's dims.
#[derive(Clone)]
struct Told {
    value: ValueId,
    share: f64,
    way: Vec<Way>,
}

#[derive(Clone)]
enum Way {
    Spread(Vec<usize>, Vec<usize>),
    Shaped(Vec<usize>),
    Turned(Vec<usize>),
}

impl Way {
    fn seen(&self, view: View) -> Option<View> {
        match self {
            Way::Spread(dims, shape) => Some(view.broadcast(dims, shape)),
            Way::Shaped(shape) => view.reshape(shape),
            Way::Turned(permutation) => Some(view.transpose(permutation)),
        }
    }
}

/// A value matters only where none of these is zero.
#[derive(Clone)]
struct Wanted(Vec<Told>);

impl Wanted {
    /// Of all elements, how many matter at most.
    fn share(&self) -> f64 {
        self.0.iter().map(|told| told.share).fold(1.0, f64::min)
    }

    fn by(mut self, way: &Way) -> Wanted {
        self.0.iter_mut().for_each(|told| told.way.push(way.clone()));
        self
    }
}

/// Where a value matters, from all its uses: where one of these says so. `None`: everywhere.
fn wanted(frame: &Frame<'_>, value: ValueId, way: usize) -> Option<Vec<Wanted>> {
    let users = frame.sparsity.users(value);
    if way > MAX_WAY || users.is_empty() || users.len() != frame.uses[value] as usize {
        return None;
    }
    let mut all = Vec::new();
    for user in users {
        all.extend(wanted_by(frame, value, frame.func.inst(*user), way + 1)?);
        // As soon as it is known: there may be many more users, with users of their own.
        if all.len() > MAX_MASKS {
            return None;
        }
    }
    Some(all)
}

/// Where a value matters to one use.
fn wanted_by(frame: &Frame<'_>, value: ValueId, user: &Inst, way: usize) -> Option<Vec<Wanted>> {
    let result = *user.results.first()?;
    let further = || wanted(frame, result, way);
    let moved = |way: Way| further().map(|all| all.into_iter().map(|set| set.by(&way)).collect());
    let shape = sizes(frame.func.dims(value));
    match &user.op {
        Op::Binary(BinaryOp::Multiply) => {
            let other = user.operands.iter().find(|other| **other != value)?;
            masked(frame, *other, further())
        }
        Op::Select => {
            let [pred, on_true, on_false] = user.operands[..] else { return None };
            let zero = frame.sparsity.known(on_false).facts.iter().any(|fact| fact.most == 0);
            let same = frame.func.dims(pred) == frame.func.dims(value);
            (on_true == value && pred != value && zero && same).then_some(())?;
            masked(frame, pred, further())
        }
        Op::Unary(UnaryOp::Negate | UnaryOp::Copy) => further(),
        Op::Convert(Convert::To(to)) if to.is_float() => further(),
        Op::Reduce(op) => moved(spread(frame, op, user, &shape)?),
        Op::Movement(Movement::Reshape(_)) => moved(Way::Shaped(shape)),
        Op::Movement(Movement::Transpose(op)) => moved(Way::Turned(back(&op.permutation))),
        _ => None,
    }
}

/// What a mask adds to where a product with it matters.
fn masked(frame: &Frame<'_>, mask: ValueId, further: Option<Vec<Wanted>>) -> Option<Vec<Wanted>> {
    let told = told(frame, mask);
    match (further, told) {
        (None, None) => None,
        (None, Some(told)) => Some(vec![Wanted(vec![told])]),
        (Some(sets), None) => Some(sets),
        (Some(sets), Some(told)) => {
            let with = |mut set: Wanted| {
                set.0.push(told.clone());
                set
            };
            Some(sets.into_iter().map(with).collect())
        }
    }
}

/// A sum wants of its operand what is wanted of its result, all along what it adds up.
fn spread(frame: &Frame<'_>, op: &Reduce, user: &Inst, shape: &[usize]) -> Option<Way> {
    let [_, init] = user.operands[..] else { return None };
    let region = user.regions.first()?;
    let zero = frame.sparsity.known(init).facts.iter().any(|fact| fact.most == 0);
    (zero && frame.func.region_reducer(*region) == Some(Reducer::Sum)).then_some(())?;
    let kept = (0..shape.len()).filter(|d| !op.dims.contains(d)).collect();
    Some(Way::Spread(kept, shape.to_vec()))
}

/// A sparse value as a mask: itself if it is there already, else what it is made of.
fn told(frame: &Frame<'_>, mask: ValueId) -> Option<Told> {
    let known = frame.sparsity.known(mask);
    let share = known.density(frame.func.dims(mask));
    if share > 0.5 {
        return None;
    }
    let (mut value, mut way) = (mask, Vec::new());
    for _ in 0..MAX_WAY {
        if frame.values[value].is_some() {
            way.reverse();
            return Some(Told { value, share, way });
        }
        let inst = frame.func.inst(frame.func.def_inst(value)?);
        match &inst.op {
            Op::Movement(Movement::Broadcast(op)) => way.push(Way::Spread(op.dims.clone(), sizes(&op.shape))),
            Op::Movement(Movement::Reshape(op)) => way.push(Way::Shaped(sizes(&op.shape))),
            Op::Movement(Movement::Transpose(op)) => way.push(Way::Turned(op.permutation.clone())),
            // What is zero stays so.
            Op::Convert(Convert::To(_)) => {}
            _ => return None,
        }
        value = *inst.operands.first()?;
    }
    None
}
