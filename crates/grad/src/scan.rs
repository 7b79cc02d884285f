//! The derivative of a scan: a scan that runs the other way.
//!
//! ```text
//! c_n, ys = scan(c_0, xs) { (c, x): .. return c', y }
//! =>
//! c_n, ys, rs = scan(c_0, xs) { .. return c', y, r }          r: what the cotangents need of each trip
//! dc_0, dw, dxs = scan(dc_n, 0, dys, xs, rs) reverse { (dc', dw, dy, x, r): .. return dc, dw + .., dx }
//! ```
//!
//! A carried value has a cotangent if one of its results does or if the loop makes one. Values used from outside (`w`)
//! add up over the trips. Stacked are only values that change from trip to trip, and of these as few bytes as do; see
//! [`crate::residual`]. Cotangents of stacked inputs are stacked as they were before they were widened. The size of the
//! derivative does not depend on the number of trips.

use crate::activity::reached;
use crate::frontier::Again;
use crate::tape::{FrameKind, From, Residual, ReverseFrame, Tape};
use meshwright_ir::op::{Convert, Scan};
use meshwright_ir::{BlockId, Build, Editor, Function, Inst, InstId, Op, TensorType, Type, ValueId};

/// What the body's backward block takes and gives, in the order of scan.
struct Body {
    frame: ReverseFrame,
    /// Carried values with a cotangent, with the backward parameter.
    carried: Vec<(usize, ValueId)>,
    /// Stacked results with a cotangent, with the backward parameter.
    stacked: Vec<(usize, ValueId)>,
    /// Values from outside, with the backward parameter that adds up.
    captured: Vec<(ValueId, ValueId)>,
    /// Stacked inputs with a cotangent.
    inputs: Vec<usize>,
}

pub(crate) fn grad(t: &mut Tape<'_>, inst: InstId, scan: &Scan, cotangents: &[Option<ValueId>]) {
    let it = t.func.inst(inst).clone();
    let Some(region) = it.regions.first().copied() else { return };
    let source = t.source;
    let kind = FrameKind::Scan { carries: scan.carries };
    let carried = carried(t, region, scan.carries, cotangents);
    let scratch = Editor::new(&mut t.func).block();
    if !t.enter(ReverseFrame::new(region, scratch, kind)) {
        return;
    }
    let body = walk_body(t, region, scan.carries, &carried, cotangents);
    t.source = source;
    if let Some(body) = body {
        write_scan(t, inst, &it, scan, body, cotangents);
    }
}

/// Which carried values have a cotangent on some trip.
fn carried(t: &Tape<'_>, region: BlockId, carries: usize, cotangents: &[Option<ValueId>]) -> Vec<bool> {
    let block = t.func.block(region);
    let mut carried: Vec<bool> = cotangents.iter().take(carries).map(Option::is_some).collect();
    loop {
        let is_from = |at: usize| match carried.get(at) {
            Some(carried) => *carried,
            None => cotangents.get(at).is_some_and(Option::is_some),
        };
        let from = block.results.iter().enumerate().filter(|(at, _)| is_from(*at)).map(|(_, value)| *value);
        let reached = reached(&t.func, &t.activity, region, from);
        let next: Vec<bool> =
            carried.iter().zip(&block.params).map(|(has, param)| *has || reached.contains(param)).collect();
        if next == carried {
            return carried;
        }
        carried = next;
    }
}

fn walk_body(
    t: &mut Tape<'_>,
    region: BlockId,
    carries: usize,
    has: &[bool],
    cotangents: &[Option<ValueId>],
) -> Option<Body> {
    let block = t.func.block(region).clone();
    let mut carried = Vec::new();
    let mut stacked = Vec::new();
    for (at, result) in block.results.iter().enumerate() {
        let wanted = if at < carries { has[at] } else { cotangents.get(at).is_some_and(Option::is_some) };
        if wanted {
            let param = scratch_param(t, *result);
            t.pull(*result, param);
            if at < carries { carried.push((at, param)) } else { stacked.push((at, param)) }
        }
    }
    t.walk();
    let mut results: Vec<ValueId> = Vec::new();
    for (at, _) in &carried {
        let given = t.take(block.params[*at]);
        results.push(given.unwrap_or_else(|| t.zeros_like(block.params[*at])));
    }
    let slices: Vec<(usize, ValueId)> = (carries..block.params.len())
        .filter_map(|at| t.take(block.params[at]).map(|cotangent| (at, cotangent)))
        .collect();
    // What is left was defined outside.
    let mut captured = Vec::new();
    for (value, cotangent) in t.all_plain() {
        let param = scratch_param(t, value);
        results.push(t.add(param, cotangent));
        captured.push((value, param));
    }
    results.extend(slices.iter().map(|(_, cotangent)| before_widening(&t.func, *cotangent)));
    let scratch = t.block();
    Editor::new(&mut t.func).set_results(scratch, results);
    if t.shared.options.recompute_scans {
        t.recompute(Again::All)
    } else {
        t.keep_least()
    }
    let inputs = slices.into_iter().map(|(at, _)| at).collect();
    Some(Body { frame: t.leave()?, carried, stacked, captured, inputs })
}

/// A parameter of the backward block, of a value's type.
pub(crate) fn scratch_param(t: &mut Tape<'_>, like: ValueId) -> ValueId {
    let (block, ty) = (t.block(), t.func.ty(like).clone());
    Editor::new(&mut t.func).param(block, ty)
}

fn write_scan(
    t: &mut Tape<'_>,
    inst: InstId,
    it: &Inst,
    scan: &Scan,
    body: Body,
    cotangents: &[Option<ValueId>],
) {
    let mut params: Vec<ValueId> = Vec::new();
    let mut operands: Vec<ValueId> = Vec::new();
    for (at, param) in &body.carried {
        params.push(*param);
        let given = cotangents.get(*at).copied().flatten();
        operands.push(given.unwrap_or_else(|| t.zeros_like(it.operands[*at])));
    }
    for (value, param) in &body.captured {
        params.push(*param);
        operands.push(t.zeros_like(*value));
    }
    for (at, param) in &body.stacked {
        params.push(*param);
        operands.extend(cotangents.get(*at).copied().flatten());
    }
    for residual in &body.frame.residuals {
        params.push(residual.param);
        let stacked = stack(t, inst, it, scan, residual);
        operands.push(t.primal(stacked));
    }
    let region = body.frame.backward;
    Editor::new(&mut t.func).set_params(region, params);
    let carries = body.carried.len() + body.captured.len();
    let types = result_types(t, region, carries, scan.trips);
    let backward = Op::Scan(Scan { trips: scan.trips, carries, reverse: !scan.reverse });
    let results = t.push_typed(backward, operands, vec![region], types);
    let carried = body.carried.iter().map(|(at, _)| it.operands[*at]);
    let captured = body.captured.iter().map(|(value, _)| *value);
    let inputs = body.inputs.iter().map(|at| it.operands[*at]);
    for (value, cotangent) in carried.chain(captured).chain(inputs).zip(results) {
        let cotangent = t.convert(cotangent, t.dtype(value));
        t.pull(value, cotangent);
    }
}

/// The value that a wider one was made of, which has the same numbers: stacks of that are smaller.
fn before_widening(func: &Function, value: ValueId) -> ValueId {
    let narrow = func.def_inst(value).and_then(|inst| match func.inst(inst) {
        Inst { op: Op::Convert(Convert::To(_)), operands, .. } => operands.first().copied(),
        _ => None,
    });
    let dtype =
        |value: ValueId| func.ty(value).as_tensor().map(|ty| ty.dtype).filter(|dtype| dtype.is_float());
    let is_exact = |narrow: &ValueId| match (dtype(*narrow), dtype(value)) {
        (Some(narrow), Some(wide)) => narrow.bits() < wide.bits() && wide.bits() >= 32,
        _ => false,
    };
    narrow.filter(is_exact).unwrap_or(value)
}

/// The values of all trips that a residual stands for: an input, a result there is already, or one more.
fn stack(t: &mut Tape<'_>, inst: InstId, it: &Inst, scan: &Scan, residual: &Residual) -> ValueId {
    let value = match residual.from {
        From::Param(at) => return it.operands[at],
        From::Value(value) => value,
    };
    let body = it.regions[0];
    let mut results = t.func.block(body).results.clone();
    let there = results.iter().skip(scan.carries).position(|result| *result == value);
    if let Some(at) = there {
        return t.func.inst(inst).results[scan.carries + at];
    }
    results.push(value);
    let ty = stacked_type(t.func.ty(value), scan.trips);
    let mut editor = Editor::new(&mut t.func);
    editor.set_results(body, results);
    editor.add_result(inst, ty)
}

fn stacked_type(slice: &Type, trips: i64) -> Type {
    match slice {
        Type::Token => Type::Token,
        Type::Tensor(TensorType { dtype, dims }) => {
            Type::tensor(*dtype, [trips].into_iter().chain(dims.iter().copied()).collect::<Vec<_>>())
        }
    }
}

fn result_types(t: &Tape<'_>, region: BlockId, carries: usize, trips: i64) -> Vec<Type> {
    let of = |(at, value): (usize, &ValueId)| {
        if at < carries { t.func.ty(*value).clone() } else { stacked_type(t.func.ty(*value), trips) }
    };
    t.func.block(region).results.iter().enumerate().map(of).collect()
}
