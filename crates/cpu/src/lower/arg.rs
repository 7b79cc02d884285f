//! Reductions of values and their places that only ask for the place: `argmax` and `argmin`.
//!
//! What a computation of comparisons and choices gives depends on the order of its operands alone. So it is tried on
//! one pair of each order, and known if it always picks as `kernel/arg.rs` does.

use super::region::RegionProgram;
use super::{Frame, Lower, Val, Where};
use meshwright_ir::op::{BinaryOp, Reduce, UnaryOp};
use meshwright_ir::{DType, Inst};
use meshwright_kernels::arg::ArgStep;
use meshwright_kernels::step::Step;
use meshwright_kernels::tile::{TileOp, Tiles, run};
use meshwright_kernels::view::{View, collapse_together};
use meshwright_runtime::RunError;
use meshwright_shard::Reducer;

impl<'m> Lower<'m> {
    /// Values of a reduction are nobody's; the places are what is asked for.
    pub fn arg(
        &mut self,
        op: &Reduce,
        frame: &Frame<'m>,
        inst: &Inst,
        x: &[Val],
    ) -> Result<Option<Vec<Val>>, RunError> {
        let ([values, places, first, start], [dim], [unused, _], [region]) =
            (x, &op.dims[..], &inst.results[..], &inst.regions[..])
        else {
            return Ok(None);
        };
        let asked = frame.uses[*unused] == 0 && values.count() > 0 && self.fuse;
        let counted = matches!(places.at, Where::Iota { dim: along } if along == *dim);
        let from_zero = matches!(start.at, Where::Splat(element) if element == [0; 16]);
        let (dtype, dims) = self.result(frame, inst, 1)?;
        let whole = matches!(dtype, DType::S32 | DType::U32 | DType::S64 | DType::U64);
        if !(asked && counted && from_zero && whole) || values.dims[*dim] > i32::MAX as usize {
            return Ok(None);
        }
        let Ok(program) = self.region(frame, *region) else { return Ok(None) };
        let Some(largest) = picks(&program, values.dtype, dtype) else { return Ok(None) };
        let reducer = if largest { Reducer::Max } else { Reducer::Min };
        if !super::reduce::is_identity(Some(reducer), first) {
            return Ok(None);
        }
        let values = self.before_widening(values).unwrap_or_else(|| values.clone());
        let (from, view) = self.view(&values)?;
        let others: Vec<usize> = (0..values.dims.len()).filter(|d| d != dim).collect();
        let kept = view.transpose(&others);
        let (sizes, mut strides) = collapse_together(&kept.dims, &[&kept.strides]);
        if !View::is_walkable(&sizes) {
            return Ok(None);
        }
        let (to, val) = self.fresh(dtype, &dims)?;
        let (_, unused) = self.fresh(values.dtype, &dims)?;
        self.push(Step::Arg(ArgStep {
            from,
            dtype: values.dtype,
            offset: kept.offset,
            kept: sizes,
            strides: strides.pop().unwrap_or_default(),
            n: values.dims[*dim],
            stride: view.strides[*dim],
            to,
            width: dtype.bytes(),
            largest,
        }));
        Ok(Some(vec![unused, val]))
    }
}

/// Whether a computation of `(value, place)` and a later one picks the larger value's (true) or the smaller one's
/// place.
fn picks(program: &RegionProgram, dtype: DType, places: DType) -> Option<bool> {
    let by_order = |op: &TileOp| match op {
        TileOp::Compare { .. } | TileOp::Select { .. } => true,
        TileOp::Binary { op, .. } => {
            matches!(op, BinaryOp::And | BinaryOp::Or | BinaryOp::Xor | BinaryOp::Maximum | BinaryOp::Minimum)
        }
        TileOp::Unary { op, .. } => matches!(op, UnaryOp::Not | UnaryOp::Copy),
        TileOp::Convert { .. } | TileOp::Bitcast { .. } | TileOp::Precision { .. } | TileOp::Splat { .. } => {
            false
        }
    };
    let bits = program.ops.iter().any(|op| {
        let narrow = |ty: &DType| *ty != DType::Pred;
        match op {
            TileOp::Binary { op: BinaryOp::And | BinaryOp::Or | BinaryOp::Xor, ty, .. } => narrow(ty),
            TileOp::Unary { op: UnaryOp::Not, ty, .. } => narrow(ty),
            _ => false,
        }
    });
    if !program.ops.iter().all(by_order) || bits || dtype.is_complex() || dtype == DType::Pred {
        return None;
    }
    let [_, place] = program.results[..] else { return None };
    let mut pairs = vec![(1.0, 2.0), (2.0, 1.0), (1.0, 1.0)];
    if dtype.is_float() {
        let nan = f64::NAN;
        pairs.extend([(nan, 1.0), (1.0, nan), (nan, nan), (0.0, -0.0), (-0.0, 0.0)]);
    }
    let tiles = Tiles::new(&program.regs);
    for (i, (a, b)) in pairs.iter().enumerate() {
        // Both of what came before, then both of the next element.
        tiles.put(0, dtype, i, *a);
        tiles.put(1, places, i, 3.0);
        tiles.put(2, dtype, i, *b);
        tiles.put(3, places, i, 5.0);
    }
    run(&program.ops, &tiles, pairs.len());
    let second = |i: usize| tiles.bits(place, places, i) == 5;
    let expected = |largest: bool| {
        pairs.iter().enumerate().all(|(i, (a, b))| {
            let better = if largest { b > a } else { b < a };
            second(i) == (!a.is_nan() && (b.is_nan() || better))
        })
    };
    [true, false].into_iter().find(|largest| expected(*largest))
}
