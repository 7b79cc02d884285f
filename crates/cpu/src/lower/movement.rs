//! Movement: views where strides can say it, copies where not. Slices and updates at computed places.

use super::layout::view_for_products;
use super::{Frame, Lower, Val, Where};
use meshwright_ir::op::{Dynamic, Movement, Pad};
use meshwright_ir::{Inst, InstId, Op, ValueId};
use meshwright_kernels::copy::{Fill, Place, PlaceFrom};
use meshwright_kernels::step::{BufId, Step};
use meshwright_kernels::view::{View, row_major, sizes};
use meshwright_runtime::RunError;

/// Uses that are looked at.
const MAX_USES: usize = 16;

/// Nothing else sees the product's buffer.
fn is_product_used_once(frame: &Frame<'_>, value: ValueId) -> bool {
    let def = frame.func.def_inst(value).map(|inst| &frame.func.inst(inst).op);
    frame.uses[value] == 1 && matches!(def, Some(Op::Dot(_)))
}

/// Whether a slice of so many elements is read where it lies. What it is a slice of lives as long then: that is there
/// anyhow, or not much larger, and not to be written in place.
fn stays(frame: &Frame<'_>, inst: &Inst, all: usize) -> bool {
    let (Some(operand), Some(result)) = (inst.operands.first(), inst.results.first()) else { return false };
    let count: usize = sizes(frame.func.dims(*result)).iter().product();
    let writes = |user: &InstId| {
        let user = frame.func.inst(*user);
        let target = user.operands.first() == Some(operand);
        target && matches!(user.op, Op::Dynamic(Dynamic::UpdateSlice) | Op::Scatter(_))
    };
    let users = frame.sparsity.users(*operand);
    2 * count >= all
        || (frame.func.def_inst(*operand).is_none() && users.len() <= MAX_USES && !users.iter().any(writes))
}

impl<'m> Lower<'m> {
    pub fn movement(
        &mut self,
        op: &Movement,
        frame: &Frame<'m>,
        inst: &Inst,
        x: &[Val],
    ) -> Result<Val, RunError> {
        let (_, dims) = self.result(frame, inst, 0)?;
        let first = x.first().ok_or_else(|| self.unsound("a movement op takes an operand"))?;
        match op {
            Movement::Concatenate(op) => {
                let whole = inst.results.first().and_then(|value| self.wholes.get(value)).cloned();
                match whole {
                    Some((buf, view)) => self.concatenate(op.dim, view, x, Some(buf)),
                    None => self.concatenate(op.dim, view_for_products(frame, inst, &dims), x, None),
                }
            }
            Movement::Pad(op) => self.pad(op, &dims, x),
            Movement::Reshape(_) => self.reshape(first, &dims),
            Movement::Transpose(op)
                if inst.operands.iter().all(|value| is_product_used_once(frame, *value)) =>
            {
                match self.transposed_product(first, &op.permutation, frame, inst) {
                    Some(transposed) => Ok(transposed),
                    None => self.moved(&Movement::Transpose(op.clone()), first, dims),
                }
            }
            Movement::Broadcast(_) | Movement::Transpose(_) | Movement::Slice(_) | Movement::Reverse(_) => {
                self.moved(op, first, dims)
            }
        }
    }

    /// Ops that only change the view.
    fn moved(&mut self, op: &Movement, x: &Val, dims: Vec<usize>) -> Result<Val, RunError> {
        if let Where::Splat(element) = x.at {
            return Ok(Val { dtype: x.dtype, dims, at: Where::Splat(element) });
        }
        if let (Where::Iota { dim }, Movement::Broadcast(op)) = (&x.at, op)
            && let Some(to) = op.dims.get(*dim)
            && x.dims[*dim] == dims[*to]
        {
            return Ok(Val { dtype: x.dtype, dims, at: Where::Iota { dim: *to } });
        }
        if x.dims == dims
            && matches!(op, Movement::Broadcast(op) if op.dims.iter().copied().eq(0..dims.len()))
        {
            return Ok(x.clone());
        }
        let (buf, view) = self.view(x)?;
        let view = match op {
            Movement::Broadcast(op) => view.broadcast(&op.dims, &dims),
            Movement::Transpose(op) => view.transpose(&op.permutation),
            Movement::Slice(op) => view.slice(&sizes(&op.start), &dims, &sizes(&op.stride)),
            Movement::Reverse(op) => view.reverse(&op.dims),
            Movement::Reshape(_) | Movement::Pad(_) | Movement::Concatenate(_) => {
                return Err(self.unsound("not a view"));
            }
        };
        Ok(Val { dtype: x.dtype, dims, at: Where::Buf { buf, view } })
    }

    pub fn reshape(&mut self, x: &Val, dims: &[usize]) -> Result<Val, RunError> {
        let val = |at: Where| Val { dtype: x.dtype, dims: dims.to_vec(), at };
        match &x.at {
            Where::Splat(_) | Where::Tile { .. } => return Ok(val(x.at.clone())),
            Where::Buf { buf, view } => {
                if let Some(view) = view.reshape(dims) {
                    return Ok(val(Where::Buf { buf: *buf, view }));
                }
            }
            Where::Iota { .. } | Where::Token => {}
        }
        let buf = self.dense(x)?;
        Ok(val(Where::Buf { buf, view: View::dense(dims) }))
    }

    /// `there`: some parts may lie in this buffer already.
    fn concatenate(
        &mut self,
        dim: usize,
        view: View,
        x: &[Val],
        there: Option<BufId>,
    ) -> Result<Val, RunError> {
        let mut at = 0;
        let place = |part: &Val| {
            let mut start = vec![0; view.dims.len()];
            start[dim] = at;
            at += part.dims[dim];
            (part.clone(), start)
        };
        let parts: Vec<_> = x.iter().map(place).collect();
        self.put_together(view, &parts, true, there)
    }

    /// Boxes that do not overlap, each at its place in a new array that lies like `view`; `whole`: they are all of it,
    /// or else there are zeros around them.
    fn put_together(
        &mut self,
        view: View,
        parts: &[(Val, Vec<usize>)],
        whole: bool,
        there: Option<BufId>,
    ) -> Result<Val, RunError> {
        let Some((first, _)) = parts.first() else { return Err(self.unsound("nothing to put together")) };
        let (dtype, dims) = (first.dtype, view.dims.clone());
        let sources = parts.iter().map(|(part, _)| self.view(part)).collect::<Result<Vec<_>, _>>()?;
        let zero = Val { dtype, dims: Vec::new(), at: Where::Splat([0; 16]) };
        let to = match there {
            Some(buf) => buf,
            None if whole => self.buf(dtype, &dims)?,
            None => self.filled(&zero, dtype, &dims)?.0,
        };
        let ones = vec![1; dims.len()];
        for ((part, start), (buf, source)) in parts.iter().zip(sources) {
            let target = view.slice(start, &part.dims, &ones);
            if buf == to && source.collapsed() == target.collapsed() {
                continue;
            }
            self.copy((buf, &source), (to, &target), dtype, Vec::new(), Vec::new(), false);
            if let Some(Step::Copy(copy)) = self.steps.values_mut().last().map(|step| &mut step.work) {
                copy.piece = true;
            }
        }
        Ok(Val { dtype, dims, at: Where::Buf { buf: to, view } })
    }

    fn pad(&mut self, op: &Pad, dims: &[usize], x: &[Val]) -> Result<Val, RunError> {
        let [x, value] = x else { return Err(self.unsound("pad takes two operands")) };
        let (buf, view) = self.view(x)?;
        let padded = self.pad_view((buf, view), x.dtype, (&op.low, &op.interior), dims, value)?;
        let zero = matches!(value.at, Where::Splat(element) if element == [0; 16]);
        let apart = op.interior.iter().all(|n| *n == 0);
        let low: Option<Vec<usize>> = op.low.iter().map(|n| usize::try_from(*n).ok()).collect();
        let inside = |low: &Vec<usize>| (0..dims.len()).all(|d| low[d] + x.dims[d] <= dims[d]);
        if let (true, true, Some(low), Where::Buf { buf, .. }) = (zero, apart, low.filter(inside), &padded.at)
        {
            self.pads.insert(*buf, vec![(x.clone(), low)]);
        }
        Ok(padded)
    }

    /// The sum of arrays that are zero but for boxes which do not overlap: the boxes side by side. (A negative zero in
    /// a box stays one.) Zeros are written only where the boxes leave some.
    ///
    /// ```text
    /// add(pad(%a), pad(%b))        =>        fill 0; copy %a; copy %b
    /// ```
    pub fn joined_pads(
        &mut self,
        a: &Val,
        b: &Val,
        frame: &Frame<'m>,
        inst: &Inst,
    ) -> Result<Option<Val>, RunError> {
        let parts = |cx: &Self, x: &Val| match &x.at {
            Where::Buf { buf, view } if view.is_dense() && view.dims == x.dims => cx.pads.get(buf).cloned(),
            _ => None,
        };
        let (Some(mut parts), Some(others)) = (parts(self, a), parts(self, b)) else { return Ok(None) };
        let meets = |(x, low): &(Val, Vec<usize>), (y, other): &(Val, Vec<usize>)| {
            (0..low.len()).all(|d| low[d] < other[d] + y.dims[d] && other[d] < low[d] + x.dims[d])
        };
        let fits = |part: &(Val, Vec<usize>)| part.1.len() == a.dims.len();
        if !parts.iter().chain(&others).all(fits)
            || parts.iter().any(|part| others.iter().any(|other| meets(part, other)))
        {
            return Ok(None);
        }
        parts.extend(others);
        let whole = parts.iter().map(|(part, _)| part.count()).sum::<usize>() == a.count();
        let joined = self.put_together(view_for_products(frame, inst, &a.dims), &parts, whole, None)?;
        if let Where::Buf { buf, .. } = joined.at {
            self.pads.insert(buf, parts);
        }
        Ok(Some(joined))
    }

    /// Put a view into a larger array filled with `value`; negative `low` (and what lies beyond the end) is cropped.
    pub fn pad_view(
        &mut self,
        (buf, view): (BufId, View),
        dtype: meshwright_ir::DType,
        (low, interior): (&[i64], &[i64]),
        dims: &[usize],
        value: &Val,
    ) -> Result<Val, RunError> {
        let (to, val) = self.filled(value, dtype, dims)?;
        let strides = row_major(dims);
        let (mut from, mut target) =
            (view.clone(), View { dims: Vec::new(), strides: Vec::new(), offset: 0 });
        for d in 0..dims.len() {
            let step = interior[d] + 1;
            // Elements `first..last` of the operand land inside.
            let first = if low[d] < 0 { (-low[d] + step - 1) / step } else { 0 };
            let room = dims[d] as i64 - low[d];
            let last = if room <= 0 { 0 } else { (room + step - 1) / step };
            let last = last.min(view.dims[d] as i64);
            let kept = (last - first).max(0);
            from.dims[d] = kept as usize;
            from.offset += first.min(last.max(0)) as isize * view.strides[d];
            target.dims.push(kept as usize);
            target.strides.push(strides[d] * step as isize);
            target.offset += (low[d] + first * step) as isize * strides[d];
        }
        if from.count() > 0 {
            self.copy((buf, &from), (to, &target), dtype, Vec::new(), Vec::new(), false);
        }
        Ok(val)
    }

    /// A new array of one element's value.
    fn filled(
        &mut self,
        value: &Val,
        dtype: meshwright_ir::DType,
        dims: &[usize],
    ) -> Result<(BufId, Val), RunError> {
        if let Where::Splat(element) = value.at {
            let (to, val) = self.fresh(dtype, dims)?;
            self.push(Step::Fill(Fill { to, element, width: dtype.bytes(), count: val.count() }));
            return Ok((to, val));
        }
        let (buf, view) = self.view(value)?;
        let (to, val) = self.fresh(dtype, dims)?;
        let scalar = View { dims: Vec::new(), strides: Vec::new(), offset: view.offset };
        let all = View::dense(dims);
        self.copy((buf, &scalar.broadcast(&[], dims)), (to, &all), dtype, Vec::new(), Vec::new(), false);
        Ok((to, val))
    }

    pub fn dynamic(
        &mut self,
        op: &Dynamic,
        frame: &Frame<'m>,
        inst: &Inst,
        x: &[Val],
    ) -> Result<Val, RunError> {
        match op {
            Dynamic::Slice { sizes: shape } => {
                let (x, starts) = x.split_first().ok_or_else(|| self.unsound("takes an operand"))?;
                let (buf, view) = self.view(x)?;
                let shape = sizes(shape);
                let places = self.places(starts, &x.dims, &shape, &view.strides)?;
                let source = View { dims: shape.clone(), ..view };
                if places.is_empty() || stays(frame, inst, x.count()) {
                    let (buf, view) = if places.is_empty() {
                        (buf, source)
                    } else {
                        self.part((buf, &source), x.dtype, places)?
                    };
                    return Ok(Val { dtype: x.dtype, dims: shape, at: Where::Buf { buf, view } });
                }
                let (to, val) = self.fresh(x.dtype, &shape)?;
                self.copy((buf, &source), (to, &View::dense(&shape)), x.dtype, places, Vec::new(), false);
                Ok(val)
            }
            Dynamic::UpdateSlice => {
                let [x, update, starts @ ..] = x else { return Err(self.unsound("takes an update")) };
                let (update_buf, update_view) = self.view(update)?;
                let places = self.places(starts, &x.dims, &update.dims, &row_major(&x.dims))?;
                let (to, val) = self.copied(x)?;
                let target = View { dims: update.dims.clone(), ..View::dense(&x.dims) };
                self.copy((update_buf, &update_view), (to, &target), x.dtype, Vec::new(), places, false);
                Ok(val)
            }
        }
    }

    /// A copy of a value that may be written to (in place if nobody else needs the value: `finish` finds out).
    pub fn copied(&mut self, x: &Val) -> Result<(BufId, Val), RunError> {
        let (buf, view) = self.view(x)?;
        let (to, val) = self.fresh(x.dtype, &x.dims)?;
        self.copy((buf, &view), (to, &View::dense(&x.dims)), x.dtype, Vec::new(), Vec::new(), true);
        Ok((to, val))
    }

    fn places(
        &mut self,
        starts: &[Val],
        dims: &[usize],
        window: &[usize],
        strides: &[isize],
    ) -> Result<Vec<Place>, RunError> {
        if starts.len() != dims.len() {
            return Err(self.unsound("a dynamic op takes one start per dim"));
        }
        let mut places = Vec::new();
        for (d, start) in starts.iter().enumerate() {
            let max = dims[d].saturating_sub(window[d]) as i64;
            if max == 0 {
                continue;
            }
            let from = PlaceFrom::Scalar { buf: self.dense(start)?, dtype: start.dtype };
            places.push(Place { from, stride: strides[d], max });
        }
        Ok(places)
    }
}
