//! `chlo.scan`, a loop over the slices of a dim: what JAX has for its cumulative ops on GPUs.
//!
//! ```text
//! %y, %last = chlo.scan(%x) inits (%c) dimension=1 attributes {is_associative = true} { (%x, %c): %s = add %x, %c; return %s, %s }
//! =>
//! %y = add(reduce_window(%x, 0) { add } size=[1, n] pad=[0, n - 1]_low, broadcast %c)     JAX's form for other platforms
//! ```
//!
//! What does more than to combine, or may not be regrouped, becomes the IR's own scan, between transposes that make the
//! dim the first. There is no way back: both are written as what they became.

use crate::codes;
use crate::stablehlo::op::Draft;
use crate::stablehlo::parser::{Parsed, Parser};
use meshwright_ir::infer::infer_types;
use meshwright_ir::op::{Movement, ReduceWindow, Scan, WindowDim};
use meshwright_ir::{
    At, BlockId, Build, Builder, Def, Editor, InferCx, InferError, Literal, Op, SourceId, ValueId,
};
use meshwright_shard::{Dim, Reducer};

/// What the attributes say.
struct Said {
    dim: usize,
    trips: i64,
    /// How many of the operands are scanned; the others are initial values of what is carried.
    inputs: usize,
    reverse: bool,
    body: BlockId,
}

/// The results: a stacked value for each that the body returns, then what is carried at the end.
pub fn scan<'a>(p: &mut Parser<'a>, draft: &mut Draft<'a>, source: SourceId) -> Parsed<Vec<ValueId>> {
    let said = said(p, draft)?;
    let associative = p.flag(draft, "is_associative")?;
    for prop in &draft.props {
        if prop.name.contains("sharding") {
            let message = format!("{} cannot have a sharding of its own", draft.name);
            let help = "give it to its results, by `sdy.sharding_constraint`";
            return Err(p.fail_help(codes::UNSUPPORTED, prop.at, message, help));
        }
    }
    let reducer = combining(p, draft, &said).filter(|_| associative && said.trips > 0);
    let mut b = Builder::new(&mut p.func, At::End(draft.block), source);
    let values = match reducer {
        Some(reducer) => Ok(as_window(&mut b, draft, &said, reducer)),
        None => as_loop(&mut b, draft, &said),
    };
    p.span_since(draft.at);
    let values = match values {
        Ok(values) => values,
        Err(error) => {
            return Err(p.fail(codes::WRONG_TYPE, draft.at, format!("{}: {}", draft.name, error.message)));
        }
    };
    for (index, (value, ty)) in values.iter().zip(&draft.types).enumerate() {
        let found = p.func.ty(*value);
        if found != ty {
            let message = format!("result {index} of {} is {found}, not {ty}", draft.name);
            return Err(p.fail_help(codes::WRONG_TYPE, draft.at, message, format!("write {found}")));
        }
    }
    Ok(values)
}

fn said<'a>(p: &mut Parser<'a>, draft: &mut Draft<'a>) -> Parsed<Said> {
    p.region_count(draft, 1)?;
    let dim = p.dim(draft, "dimension")?;
    let reverse = p.flag(draft, "is_reverse")?;
    let size = p.opt_int(draft, "scan_dim_size")?;
    let segments = p.ints(draft, "operandSegmentSizes")?;
    draft.take("resultSegmentSizes");
    let count = draft.operands.len();
    let inputs = match segments[..] {
        [inputs, inits] if inputs >= 0 && inits >= 0 && inputs.checked_add(inits) == Some(count as i64) => {
            inputs as usize
        }
        _ => {
            let message =
                format!("`operandSegmentSizes` must be two numbers that add up to {count}, the operands");
            return Err(p.fail(codes::BAD_ATTRIBUTE, draft.at, message));
        }
    };
    let mut trips = size;
    for (index, input) in draft.operands[..inputs].iter().enumerate() {
        let dims = p.func.dims(*input);
        let Some(size) = dims.get(dim).copied() else {
            let message =
                format!("operand {index} of {} has {} dims, and no dim {dim}", draft.name, dims.len());
            return Err(p.fail(codes::WRONG_TYPE, draft.at, message));
        };
        if let Some(trips) = trips.replace(size).filter(|trips| *trips != size) {
            let message =
                format!("dim {dim} of operand {index} of {} has size {size}, not {trips}", draft.name);
            return Err(p.fail(codes::WRONG_TYPE, draft.at, message));
        }
    }
    let Some(trips) = trips else { return Err(p.missing(draft, "scan_dim_size")) };
    Ok(Said { dim, trips, inputs, reverse, body: draft.regions[0] })
}

/// The reducer of a body that combines a slice with what is carried, keeps it and returns it.
fn combining(p: &Parser<'_>, draft: &Draft<'_>, said: &Said) -> Option<Reducer> {
    let body = p.func.block(said.body);
    let ([a, b], [inst], [kept, carried], [x, init]) =
        (&body.params[..], &body.insts[..], &body.results[..], &draft.operands[..])
    else {
        return None;
    };
    let inst = p.func.inst(*inst);
    let both = inst.operands == [*a, *b] || inst.operands == [*b, *a];
    let slice = without(p.func.dims(*x), said.dim);
    let fits =
        p.func.ty(*a) == p.func.ty(*init) && p.func.dims(*init) == slice && p.func.ty(*b) == p.func.ty(*a);
    let dtype = |value: ValueId| p.func.ty(value).as_tensor().map(|ty| ty.dtype);
    match inst.op {
        Op::Binary(op)
            if said.inputs == 1
                && both
                && fits
                && dtype(*x) == dtype(*init)
                && inst.results == [*kept]
                && kept == carried =>
        {
            op.reducer()
        }
        _ => None,
    }
}

fn without(dims: &[i64], dim: usize) -> Vec<i64> {
    dims.iter().enumerate().filter(|(at, _)| *at != dim).map(|(_, size)| *size).collect()
}

fn as_window(b: &mut Builder<'_>, draft: &Draft<'_>, said: &Said, reducer: Reducer) -> Vec<ValueId> {
    let (x, init) = (draft.operands[0], draft.operands[1]);
    let shape = b.func().dims(x).to_vec();
    let mut window = vec![WindowDim::TRIVIAL; shape.len()];
    let along = &mut window[said.dim];
    along.size = said.trips;
    let outside = if said.reverse { &mut along.pad_high } else { &mut along.pad_low };
    *outside = said.trips - 1;
    let mut all = b.reduce_by(Op::ReduceWindow(ReduceWindow { window }), x, reducer);
    if !is_identity(b, init, reducer) {
        let first = b.spread(init, &[said.dim], &shape);
        all = b.binary(reducer.into(), all, first);
    }
    let end = if said.reverse { 0 } else { said.trips - 1 };
    let last = b.slice_dim(all, Dim::new(said.dim), end..end + 1);
    let last = b.reshape(last, &without(&shape, said.dim));
    vec![all, last]
}

/// Whether a value is that of the reducer which changes nothing, everywhere.
fn is_identity(b: &Builder<'_>, value: ValueId, reducer: Reducer) -> bool {
    let func = b.func();
    let mut value = value;
    loop {
        let Def::Result { inst, .. } = func.value(value).def else { return false };
        let inst = func.inst(inst);
        match (&inst.op, &inst.operands[..]) {
            (Op::Movement(Movement::Broadcast(_)), [inner]) => value = *inner,
            (Op::Constant(constant), _) => {
                return constant.0 == Literal::identity(reducer, constant.0.ty().clone());
            }
            _ => return false,
        }
    }
}

fn as_loop(b: &mut Builder<'_>, draft: &Draft<'_>, said: &Said) -> Result<Vec<ValueId>, InferError> {
    let (inputs, inits) = draft.operands.split_at(said.inputs);
    let carries = inits.len();
    let (mut params, mut results) =
        (b.func().block(said.body).params.clone(), b.func().block(said.body).results.clone());
    if params.len() != draft.operands.len() || results.len() != draft.types.len() || results.len() < carries {
        let message = format!(
            "its body takes {} values and returns {}, but it has {} operands and {} results",
            params.len(),
            results.len(),
            draft.operands.len(),
            draft.types.len()
        );
        return Err(InferError::new(message));
    }
    // What is carried comes first in the IR.
    params.rotate_left(said.inputs);
    let kept = results.len() - carries;
    results.rotate_left(kept);
    Editor::new(b.editor.func_mut()).set_params(said.body, params);
    Editor::new(b.editor.func_mut()).set_results(said.body, results);
    let mut operands = inits.to_vec();
    for input in inputs {
        let rank = b.func().dims(*input).len();
        let first = std::iter::once(said.dim).chain((0..rank).filter(|dim| *dim != said.dim));
        operands.push(b.transpose(*input, first.collect()));
    }
    let op = Op::Scan(Scan { trips: said.trips, carries, reverse: said.reverse });
    let types = infer_types(b.func(), &op, &operands, &[said.body], &InferCx::nothing())?;
    let mut values = b.push_typed(op, operands, vec![said.body], types);
    values.rotate_left(carries);
    for stacked in &mut values[..kept] {
        let rank = b.func().dims(*stacked).len();
        if said.dim >= rank {
            return Err(InferError::new(format!("a result of {rank} dims has no dim {}", said.dim)));
        }
        let back = (1..=said.dim).chain([0]).chain(said.dim + 1..rank);
        *stacked = b.transpose(*stacked, back.collect());
    }
    Ok(values)
}
