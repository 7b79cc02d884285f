//! Contractions to batched strided matrix products.
//!
//! Free, contracted and batch dims of each operand are joined where one stride walks them; an operand whose dims cannot
//! be joined is copied once into (batch, free, contracted) order, unless a copy made for another use will do. Narrow
//! floats are widened to `f32` and the result is rounded once; `bf16` stays narrow where the CPU multiplies it on
//! tiles.

use super::{Frame, Lower, Val, Where};
use meshwright_base::arrange::Arrange;
use meshwright_ir::op::Dot;
use meshwright_ir::{DType, Inst, Op};
use meshwright_kernels::dot::{DotStep, Matrix};
use meshwright_kernels::step::{BufId, Step};
use meshwright_kernels::tiled::{self, TiledStep};
use meshwright_kernels::view::View;
use meshwright_runtime::RunError;

/// An operand with its dims sorted into batch, free and contracted.
struct Sorted {
    buf: BufId,
    batch: View,
    /// Stride of the joined free dims, and of the joined contracted dims.
    free: isize,
    contracted: isize,
}

impl<'m> Lower<'m> {
    pub fn dot(&mut self, op: &Dot, frame: &Frame<'m>, inst: &Inst, x: &[Val]) -> Result<Val, RunError> {
        let [lhs, rhs] = x else { return Err(self.unsound("dot takes two operands")) };
        if let Some(sparse) = self.sparse_product(op, frame, inst, x)? {
            return Ok(sparse);
        }
        let (dtype, dims) = self.result(frame, inst, 0)?;
        let mut left: (Vec<usize>, Vec<usize>) =
            (op.batch.iter().map(|p| p.0).collect(), op.contract.iter().map(|p| p.0).collect());
        let mut right: (Vec<usize>, Vec<usize>) =
            (op.batch.iter().map(|p| p.1).collect(), op.contract.iter().map(|p| p.1).collect());
        let size = |val: &Val, dims: &[usize]| dims.iter().map(|d| val.dims[*d]).product::<usize>();
        let batch: Vec<usize> = left.0.iter().map(|d| lhs.dims[*d]).collect();
        let k = size(lhs, &left.1);
        let (free_l, free_r) = (free(lhs, &left), free(rhs, &right));
        let (m, n) = (size(lhs, &free_l), size(rhs, &free_r));
        let narrow = lhs.dtype == DType::BF16 && rhs.dtype == DType::BF16;
        let narrow = narrow && matches!(dtype, DType::BF16 | DType::F32) && tiled::pays(m, n, k);
        let (made, operands) = if narrow {
            (dtype, DType::BF16)
        } else {
            [self.product_type(dtype, lhs.dtype, rhs.dtype)?; 2].into()
        };
        let (lhs, rhs) = (self.convert_to(operands, lhs)?, self.convert_to(operands, rhs)?);
        let (lhs, rhs) = (self.in_memory(&lhs)?, self.in_memory(&rhs)?);
        in_walking_order(&lhs.1, &rhs.1, &mut left.1, &mut right.1);
        let (lhs, rhs) = (lhs.0, rhs.0);
        let a = self.sorted(&lhs, &left.0, &free_l, &left.1)?;
        let b = self.sorted(&rhs, &right.0, &free_r, &right.1)?;
        let (to, val) = self.fresh(made, &dims)?;
        let to = Matrix::dense(to, &batch, (m, n));
        let lhs = Matrix {
            buf: a.buf,
            offset: a.batch.offset,
            batch: a.batch.strides,
            row: a.free,
            column: a.contracted,
        };
        let rhs = Matrix {
            buf: b.buf,
            offset: b.batch.offset,
            batch: b.batch.strides,
            row: b.contracted,
            column: b.free,
        };
        let rows = (left.0.len(), free_l.len());
        let (result, placed) = (to.buf, false);
        let dot = DotStep { placed, dtype: made, operands, batch, m, n, k, lhs, rhs, to };
        let step = self.product(dot)?;
        let at = self.push(step);
        if made == dtype {
            self.products.insert(result, (at, rows));
        }
        self.convert_to(dtype, &val)
    }

    /// The step of a product; one on tiles needs room for packed operands.
    fn product(&mut self, dot: DotStep) -> Result<Step, RunError> {
        if dot.operands != DType::BF16 {
            return Ok(Step::Dot(dot));
        }
        let right = self.room(tiled::packed_bytes(&dot.batch, dot.n, dot.k))?;
        let left = if tiled::lies_in_rows(&dot) {
            None
        } else {
            Some(self.room(tiled::packed_bytes(&dot.batch, dot.m, dot.k))?)
        };
        Ok(Step::Tiled(TiledStep { dot, right, left }))
    }

    fn room(&mut self, bytes: Option<usize>) -> Result<BufId, RunError> {
        self.buf(DType::U8, &[bytes.unwrap_or(usize::MAX)])
    }

    /// A product that is used only to be transposed is made transposed: where that is all the transpose does, or where
    /// what uses it reads along its rows.
    ///
    /// ```text
    /// transpose(dot(%a, %b))        =>        dot(%b, %a)
    /// ```
    pub fn transposed_product(
        &mut self,
        x: &Val,
        permutation: &[usize],
        frame: &Frame<'m>,
        inst: &Inst,
    ) -> Option<Val> {
        let Where::Buf { buf, view } = &x.at else { return None };
        let (at, (batch, rows)) = *self.products.get(buf)?;
        let exchanged: Vec<usize> =
            (0..batch).chain(batch + rows..x.dims.len()).chain(batch..batch + rows).collect();
        let innermost = rows > 0 && permutation.last() == exchanged.last();
        let wanted = permutation == exchanged || (innermost && reads_last_dim(frame, inst));
        if !view.is_dense() || view.dims != x.dims || !wanted {
            return None;
        }
        let Some(Step::Dot(dot) | Step::Tiled(TiledStep { dot, .. })) =
            self.steps.get(at).map(|step| &step.work)
        else {
            return None;
        };
        let transposed = dot.transposed();
        self.steps[at].work = self.product(transposed).ok()?;
        self.products.remove(buf);
        let made: Vec<usize> = exchanged.iter().map(|d| x.dims[*d]).collect();
        let place = |d: &usize| exchanged.iter().position(|made| made == d);
        let order: Option<Vec<usize>> = permutation.iter().map(place).collect();
        let view = View::dense(&made).transpose(&order?);
        let dims = view.dims.clone();
        Some(Val { dtype: x.dtype, dims, at: Where::Buf { buf: *buf, view } })
    }

    /// The type products are made and added in.
    fn product_type(&self, result: DType, lhs: DType, rhs: DType) -> Result<DType, RunError> {
        use meshwright_ir::Class;
        let widest = [result, lhs, rhs].into_iter().max_by_key(|ty| ty.bits()).unwrap_or(result);
        Ok(match (result.class(), widest.bits()) {
            (Class::Pred, _) => return Err(self.refuse("dot of pred")),
            (Class::Float, _) if [result, lhs, rhs].contains(&DType::F64) => DType::F64,
            (Class::Float, _) => DType::F32,
            (Class::Complex, 64) => DType::C64,
            (Class::Complex, _) => DType::C128,
            (Class::Signed, 64) => DType::S64,
            (Class::Signed, _) => DType::S32,
            (Class::Unsigned, 64) => DType::U64,
            (Class::Unsigned, _) => DType::U32,
        })
    }

    /// The value as one that lies in memory, and its view.
    fn in_memory(&mut self, val: &Val) -> Result<(Val, View), RunError> {
        let (buf, view) = self.view(val)?;
        let at = Where::Buf { buf, view: view.clone() };
        Ok((Val { dtype: val.dtype, dims: val.dims.clone(), at }, view))
    }

    fn sorted(
        &mut self,
        val: &Val,
        batch: &[usize],
        free: &[usize],
        contracted: &[usize],
    ) -> Result<Sorted, RunError> {
        let (buf, view) = self.view(val)?;
        let copies = self.copied_before(buf, &view, val.dtype);
        let seen: Vec<(BufId, View)> = std::iter::once((buf, view.clone())).chain(copies).collect();
        for (buf, view) in seen {
            if let (Some(free), Some(contracted)) = (joined(&view, free), joined(&view, contracted)) {
                return Ok(Sorted { buf, batch: view.transpose(batch), free, contracted });
            }
        }
        let order: Vec<usize> = batch.iter().chain(free).chain(contracted).copied().collect();
        let moved = view.transpose(&order);
        let dims = moved.dims.clone();
        let moved = Val { dtype: val.dtype, dims: dims.clone(), at: Where::Buf { buf, view: moved } };
        let buf = self.dense(&moved)?;
        let view = View::dense(&dims);
        let depth: usize = dims[batch.len() + free.len()..].iter().product();
        let all: Vec<usize> = (0..batch.len()).collect();
        Ok(Sorted { buf, batch: view.transpose(&all), free: depth as isize, contracted: 1 })
    }
}

/// Contracted dims in another order, if only then one stride walks them: the sum is the same but for its order.
fn in_walking_order(lhs: &View, rhs: &View, left: &mut Vec<usize>, right: &mut Vec<usize>) {
    let walks = |left: &[usize], right: &[usize]| {
        usize::from(joined(lhs, left).is_some()) + usize::from(joined(rhs, right).is_some())
    };
    let mut order: Vec<usize> = (0..left.len()).collect();
    order.arrange_by_key(|pair| std::cmp::Reverse(lhs.strides[left[*pair]].abs()));
    let ordered = |dims: &[usize]| -> Vec<usize> { order.iter().map(|pair| dims[*pair]).collect() };
    let (new_left, new_right) = (ordered(left), ordered(right));
    if walks(&new_left, &new_right) > walks(left, right) {
        (*left, *right) = (new_left, new_right);
    }
}

/// Whether the next use of a result reads it along its last dim: all do but products that pair that dim.
fn reads_last_dim(frame: &Frame<'_>, inst: &Inst) -> bool {
    let Some(value) = inst.results.first() else { return false };
    let last = frame.func.ty(*value).rank().saturating_sub(1);
    let user = frame.sparsity.users(*value).first().map(|user| frame.func.inst(*user));
    let Some((user, Op::Dot(op))) = user.map(|user| (user, &user.op)) else { return true };
    let side = |pair: &(usize, usize)| if user.operands.first() == Some(value) { pair.0 } else { pair.1 };
    !op.batch.iter().chain(&op.contract).any(|pair| side(pair) == last)
}

fn free(val: &Val, (batch, contracted): &(Vec<usize>, Vec<usize>)) -> Vec<usize> {
    (0..val.dims.len()).filter(|d| !batch.contains(d) && !contracted.contains(d)).collect()
}

/// The stride that walks these dims in order, if there is one.
pub(super) fn joined(view: &View, dims: &[usize]) -> Option<isize> {
    let view = view.transpose(dims).collapsed();
    match view.dims.len() {
        0 => Some(1),
        1 => Some(view.strides[0]),
        _ => None,
    }
}
