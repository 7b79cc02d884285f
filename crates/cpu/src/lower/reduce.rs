//! Reductions over dims and windows, and `map`.
//!
//! A window is a view in which neighbouring places overlap; padding and dilation are written out first. So
//! `reduce_window` is a reduction over the window's dims, in row-major order.

use super::elementwise::has_binary;
use super::region::RegionProgram;
use super::{Frame, Lower, Val, Where};
use meshwright_base::arrange::Arrange;
use meshwright_ir::op::{BinaryOp, Reduce, ReduceWindow};
use meshwright_ir::{Class, DType, Inst};
use meshwright_jit::held_bits;
use meshwright_kernels::cumulate::{self, By, CumulateStep};
use meshwright_kernels::reduce::{Init, Order, ReduceInput, ReduceStep};
use meshwright_kernels::step::{BufId, Step};
use meshwright_kernels::tile::{Held, Reg, TileOp};
use meshwright_kernels::view::{View, collapse_together};
use meshwright_runtime::RunError;
use meshwright_shard::Reducer;

/// So many rows that are so long are reduced in a loop, also if they lie in memory: loops over the same rows run
/// together.
const ROWS: usize = 16;
const LONG: usize = 32;

/// An operand of a reduction: kept dims, then reduced dims.
struct Operand {
    buf: BufId,
    dtype: DType,
    kept: View,
    reduced: View,
}

impl<'m> Lower<'m> {
    pub fn reduce(
        &mut self,
        op: &Reduce,
        frame: &Frame<'m>,
        inst: &Inst,
        x: &[Val],
    ) -> Result<Vec<Val>, RunError> {
        if let Some(vals) = self.arg(op, frame, inst, x)? {
            return Ok(vals);
        }
        let (inputs, inits) = x.split_at(x.len() / 2);
        if let ([input], [init]) = (inputs, inits) {
            if let Some(val) = self.nothing_to_reduce(op, frame, inst, input, init)? {
                return Ok(vec![val]);
            }
            if let Some(val) = self.reduced_in_its_loop(op, frame, inst, input, init)? {
                return Ok(vec![val]);
            }
        }
        let reducer = inst.regions.first().and_then(|region| frame.func.region_reducer(*region));
        let rank = inputs.first().map_or(0, |input| input.dims.len());
        let kept: Vec<usize> = (0..rank).filter(|d| !op.dims.contains(d)).collect();
        if let (Some(Reducer::Sum), [input]) = (reducer, inputs)
            && kept.last() == Some(&(rank - 1))
        {
            self.is_summed(input);
        }
        let mut operands = Vec::new();
        for (i, input) in inputs.iter().enumerate() {
            // The computation is made in the result's type.
            let (dtype, _) = self.result(frame, inst, i)?;
            let input = self.convert_to(dtype, input)?;
            // Folds of one operand widen what they read themselves.
            let narrow = if inputs.len() == 1 { self.before_widening(&input) } else { None };
            let input = narrow.filter(|_| reducer.is_some()).unwrap_or(input);
            let (buf, view) = self.view(&input)?;
            operands.push(Operand {
                buf,
                dtype: input.dtype,
                kept: view.transpose(&kept),
                reduced: view.transpose(&op.dims),
            });
        }
        self.reduction(frame, inst, operands, inits)
    }

    /// Over dims of size 1 a reduction is one op on each element, which may join a loop.
    fn nothing_to_reduce(
        &mut self,
        op: &Reduce,
        frame: &Frame<'m>,
        inst: &Inst,
        input: &Val,
        init: &Val,
    ) -> Result<Option<Val>, RunError> {
        let (dtype, dims) = self.result(frame, inst, 0)?;
        let reducer = inst.regions.first().and_then(|region| frame.func.region_reducer(*region));
        let single = op.dims.iter().all(|dim| input.dims.get(*dim) == Some(&1));
        let alike = input.dtype == dtype && !dtype.is_complex();
        let (true, true, Some(reducer), Where::Splat(_)) = (single, alike, reducer, &init.at) else {
            return Ok(None);
        };
        let op = BinaryOp::from(reducer);
        if !has_binary(op, dtype) {
            return Ok(None);
        }
        let first = Val { dims: dims.clone(), ..init.clone() };
        let input = self.reshape(input, &dims)?;
        self.binary_of(op, dtype, &first, &input).map(Some)
    }

    /// Rows of an elementwise value are reduced in the loop that makes it: in `f32`, and rounded once.
    fn reduced_in_its_loop(
        &mut self,
        op: &Reduce,
        frame: &Frame<'m>,
        inst: &Inst,
        input: &Val,
        init: &Val,
    ) -> Result<Option<Val>, RunError> {
        let (dtype, dims) = self.result(frame, inst, 0)?;
        let kept = input.dims.len() - op.dims.len();
        let mut reduced = op.dims.clone();
        reduced.arrange();
        let rows = reduced.iter().copied().eq(kept..input.dims.len());
        let reducer = inst.regions.first().and_then(|region| frame.func.region_reducer(*region));
        let (true, Some(reducer), Where::Splat(first)) = (rows, reducer, &init.at) else { return Ok(None) };
        let Some(first) = narrow_float(dtype, first) else { return Ok(None) };
        let row = input.dims[kept..].iter().product();
        let many = input.count() >= ROWS * row && row >= LONG;
        let lies = matches!(input.at, Where::Buf { .. }) && many;
        let there = lies || matches!(input.at, Where::Tile { .. });
        if !there || input.dtype != dtype || input.count() == 0 {
            return Ok(None);
        }
        let wide = match (dtype, lies) {
            (DType::F32, true) => self.tile_copy(input)?,
            _ => self.convert_to(DType::F32, input)?,
        };
        let (to, val) = self.fresh(DType::F32, &dims)?;
        if !self.sink(&wide, reducer, first, row, to) {
            return Ok(None);
        }
        self.convert_to(dtype, &val).map(Some)
    }

    pub fn reduce_window(
        &mut self,
        op: &ReduceWindow,
        frame: &Frame<'m>,
        inst: &Inst,
        x: &[Val],
    ) -> Result<Vec<Val>, RunError> {
        let (inputs, inits) = x.split_at(x.len() / 2);
        if let Some(folds) = self.running(op, frame, inst, x)? {
            return Ok(vec![folds]);
        }
        if let Some(folded) = self.folded_windows(op, frame, inst, x)? {
            return Ok(vec![folded]);
        }
        let (_, out) = self.result(frame, inst, 0)?;
        let mut operands = Vec::new();
        let reducer = inst.regions.first().and_then(|region| frame.func.region_reducer(*region));
        for (i, (input, init)) in inputs.iter().zip(inits).enumerate() {
            let (dtype, _) = self.result(frame, inst, i)?;
            let input = self.convert_to(dtype, input)?;
            let (mut buf, mut view) = self.view(&input)?;
            let plain = op.window.iter().all(|w| w.pad_low == 0 && w.pad_high == 0 && w.base_dilation == 1);
            if !plain && !is_identity(reducer, init) {
                // What lies outside takes no part; here it would, once for each place.
                return Err(self.refuse("a padded window that starts from another value than the identity"));
            }
            if !plain {
                let low: Vec<i64> = op.window.iter().map(|w| w.pad_low).collect();
                let interior: Vec<i64> = op.window.iter().map(|w| w.base_dilation - 1).collect();
                let size = |d: usize| {
                    let w = &op.window[d];
                    let n = input.dims[d] as i64;
                    let spread = if n == 0 { 0 } else { (n - 1) * w.base_dilation + 1 };
                    (spread + w.pad_low + w.pad_high).max(0) as usize
                };
                let dims: Vec<usize> = (0..op.window.len()).map(size).collect();
                let padded = self.pad_view((buf, view), input.dtype, (&low, &interior), &dims, init)?;
                (buf, view) = self.view(&padded)?;
            }
            let stride = |d: usize| view.strides[d] * op.window[d].stride as isize;
            let within = |d: usize| view.strides[d] * op.window[d].window_dilation as isize;
            let window: Vec<usize> = op.window.iter().map(|w| w.size as usize).collect();
            let kept = View {
                dims: out.clone(),
                strides: (0..out.len()).map(stride).collect(),
                offset: view.offset,
            };
            let reduced = View { strides: (0..window.len()).map(within).collect(), dims: window, offset: 0 };
            operands.push(Operand { buf, dtype: input.dtype, kept, reduced });
        }
        self.reduction(frame, inst, operands, inits)
    }

    /// A fold over a window that reaches back to the beginning, or on to the end, goes on from the one beside it.
    fn running(
        &mut self,
        op: &ReduceWindow,
        frame: &Frame<'m>,
        inst: &Inst,
        x: &[Val],
    ) -> Result<Option<Val>, RunError> {
        let [input, init] = x else { return Ok(None) };
        let (dtype, dims) = self.result(frame, inst, 0)?;
        let Some(along) = (0..dims.len()).find(|d| op.window[*d].size != 1) else { return Ok(None) };
        let size = |d: usize| if d == along { input.dims[d] as i64 } else { 1 };
        let reaches = |forth: bool| {
            op.window.iter().enumerate().all(|(d, w)| {
                let (low, high) = if forth { (w.pad_high, w.pad_low) } else { (w.pad_low, w.pad_high) };
                let steps = w.stride == 1 && w.base_dilation == 1 && w.window_dilation == 1;
                steps && w.size == size(d) && low == size(d) - 1 && high == 0
            })
        };
        let (back, forth) = (reaches(false), reaches(true));
        // Where every number is looked at, the kernel that is looked at stays.
        if !self.fuse || !(back || forth) || input.dtype != dtype || !View::is_walkable(&dims) {
            return Ok(None);
        }
        let Some(by) = self.carried(frame, inst, dtype, init)? else { return Ok(None) };
        let from = self.dense(input)?;
        let (to, val) = self.fresh(dtype, &dims)?;
        let (outer, inner) = (dims[..along].iter().product(), dims[along + 1..].iter().product());
        let (n, reverse) = (dims[along], !back);
        self.push(Step::Cumulate(CumulateStep { from, to, dtype, outer, n, inner, reverse, by }));
        Ok(Some(val))
    }

    /// How a fold is carried on.
    fn carried(
        &mut self,
        frame: &Frame<'m>,
        inst: &Inst,
        dtype: DType,
        init: &Val,
    ) -> Result<Option<By>, RunError> {
        let Some(region) = inst.regions.first() else { return Ok(None) };
        let reducer = frame.func.region_reducer(*region);
        if let Some(reducer) = reducer.filter(|_| cumulate::can(dtype) && is_identity(reducer, init)) {
            return Ok(Some(By::Fold(reducer)));
        }
        let Where::Splat(init) = init.at else { return Ok(None) };
        let program = match reducer.and_then(|reducer| plain_program(reducer, dtype)) {
            Some(program) => program,
            None => self.region(frame, *region)?,
        };
        let [new] = program.results[..] else { return Ok(None) };
        Ok(Some(By::Program { regs: program.regs, ops: program.ops, new, init }))
    }

    fn reduction(
        &mut self,
        frame: &Frame<'m>,
        inst: &Inst,
        operands: Vec<Operand>,
        inits: &[Val],
    ) -> Result<Vec<Val>, RunError> {
        let region = *inst.regions.first().ok_or_else(|| self.unsound("a reduction has no region"))?;
        let first = operands.first().ok_or_else(|| self.unsound("a reduction has no operand"))?;
        let join = |pick: fn(&Operand) -> &View| {
            let strides: Vec<&[isize]> = operands.iter().map(|x| &pick(x).strides[..]).collect();
            collapse_together(&pick(first).dims, &strides)
        };
        let (kept, kept_strides) = join(|x| &x.kept);
        let (reduced, reduced_strides) = join(|x| &x.reduced);
        let plain = frame.func.region_reducer(region).filter(|_| operands.len() == 1);
        let dtype = first.dtype;
        let by_rows = plain.filter(|_| {
            let side_by_side = |s: &[Vec<isize>]| s[0].last().is_none_or(|stride| *stride == 1);
            !dtype.is_complex()
                && side_by_side(&reduced_strides)
                && !reduced.is_empty()
                && reduced.last().is_some_and(|n| *n >= 8 || kept.is_empty())
        });
        let order = match (by_rows, plain) {
            (Some(reducer), _) => Order::Rows(reducer),
            (None, Some(reducer)) => Order::Strips(reducer),
            (None, None) => Order::Columns,
        };
        let program = match plain.and_then(|reducer| plain_program(reducer, dtype)) {
            Some(program) => program,
            None => self.region(frame, region)?,
        };
        let mut inits_of = Vec::new();
        for init in inits {
            inits_of.push(match &init.at {
                Where::Splat(element) => Init::Splat(*element),
                _ => Init::Buf(self.dense(init)?),
            });
        }
        let (mut outputs, mut vals, mut dtypes) = (Vec::new(), Vec::new(), Vec::new());
        for i in 0..inst.results.len() {
            let (dtype, dims) = self.result(frame, inst, i)?;
            let (buf, val) = self.fresh(dtype, &dims)?;
            outputs.push(buf);
            vals.push(val);
            dtypes.push(dtype);
        }
        let accumulators_fit =
            dtypes.iter().zip(&operands).all(|(out, x)| Held::of(*out) == Held::of(x.dtype));
        if !accumulators_fit {
            return Err(self.refuse("a reduction into another kind of type"));
        }
        let parts = kept_strides.into_iter().zip(reduced_strides).zip(operands);
        let inputs = parts.map(|((kept, reduced), x)| ReduceInput {
            buf: x.buf,
            dtype: x.dtype,
            offset: x.kept.offset,
            kept,
            reduced,
        });
        self.push(Step::Reduce(ReduceStep {
            kept,
            reduced,
            inputs: inputs.collect(),
            inits: inits_of,
            outputs,
            dtypes,
            regs: program.regs,
            ops: program.ops,
            new: program.results,
            order,
        }));
        Ok(vals)
    }

    pub fn map(&mut self, frame: &Frame<'m>, inst: &Inst, x: &[Val]) -> Result<Vec<Val>, RunError> {
        let region = *inst.regions.first().ok_or_else(|| self.unsound("map has no region"))?;
        let program = self.region(frame, region)?;
        let (_, dims) = self.result(frame, inst, 0)?;
        let mut vals: Vec<Val> = x.to_vec();
        for op in &program.ops {
            let sources = op.sources();
            let args: Vec<&Val> = sources.iter().map(|reg| &vals[*reg as usize]).collect();
            let dtype = program.regs[op.target() as usize];
            let made = match op {
                TileOp::Splat { element, .. } => {
                    Val { dtype, dims: dims.clone(), at: Where::Splat(*element) }
                }
                _ => self.elementwise(dtype, &dims, &args, &|to, regs| rename(op, &sources, to, regs))?,
            };
            // Targets of ops are numbered in order.
            vals.push(made);
        }
        program.results.iter().map(|reg| Ok(vals[*reg as usize].clone())).collect()
    }
}

/// Whether starting from a value, once or often, changes nothing.
pub(super) fn is_identity(reducer: Option<Reducer>, init: &Val) -> bool {
    let (Some(reducer), Where::Splat(element)) = (reducer, &init.at) else { return false };
    let ty = meshwright_ir::TensorType::new(init.dtype, []);
    let Some(bytes) = element.get(..init.dtype.bytes()) else { return false };
    let Some(value) = meshwright_interp::Tensor::from_bytes(ty, bytes) else { return false };
    let (x, dtype) = (value.to_f64s().first().copied().unwrap_or(f64::NAN), init.dtype);
    match reducer {
        Reducer::Sum => x == 0.0,
        Reducer::Product => x == 1.0,
        Reducer::Max if dtype.is_float() => x == f64::NEG_INFINITY,
        Reducer::Min if dtype.is_float() => x == f64::INFINITY,
        Reducer::Or | Reducer::Xor => bytes.iter().all(|byte| *byte == 0),
        Reducer::Max | Reducer::Min | Reducer::And => bytes == extreme(reducer, dtype, bytes.len()),
    }
}

/// The least (for a maximum) or greatest number of a type of whole numbers, as bytes.
fn extreme(reducer: Reducer, dtype: DType, width: usize) -> Vec<u8> {
    let all = |byte: u8, last: u8| (0..width).map(|i| if i + 1 == width { last } else { byte }).collect();
    match (reducer, dtype.class()) {
        (_, Class::Pred) => vec![u8::from(reducer != Reducer::Max)],
        (Reducer::And, _) => all(0xff, 0xff),
        (Reducer::Max, Class::Signed) => all(0, 0x80),
        (Reducer::Max, _) => all(0, 0),
        (_, Class::Signed) => all(0xff, 0x7f),
        _ => all(0xff, 0xff),
    }
}

/// An element of a float type of at most 32 bits that loops hold as `f32`.
fn narrow_float(dtype: DType, element: &[u8; 16]) -> Option<f32> {
    let float = matches!(dtype, DType::F32 | DType::BF16 | DType::F16);
    let bits = held_bits(dtype, element).filter(|_| float)?;
    Some(f32::from_bits(bits as u32))
}

/// An op on other tiles: source `sources[i]` becomes `regs[i]`.
fn rename(op: &TileOp, sources: &[Reg], to: Reg, regs: &[Reg]) -> TileOp {
    let target = op.target();
    op.renamed(&|reg| match sources.iter().position(|source| *source == reg) {
        Some(i) => regs[i],
        None if reg == target => to,
        None => reg,
    })
}

/// Accumulators and elements in the accumulator's type: rounded once, at the end.
fn plain_program(reducer: Reducer, dtype: DType) -> Option<RegionProgram> {
    let op = BinaryOp::from(reducer);
    if dtype.is_complex() && !matches!(reducer, Reducer::Sum | Reducer::Product) {
        return None;
    }
    let ty = dtype.accumulator();
    let ops = vec![TileOp::Binary { op, ty, to: 0, a: 0, b: 1 }];
    Some(RegionProgram { regs: vec![dtype, dtype], ops, results: vec![0] })
}
