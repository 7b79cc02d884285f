//! Broadcast, reshape, transpose, slice, pad, concatenate, reverse.

use crate::build::{Gen, Val, Want, joined};
use meshwright_base::arrange::Arrange;
use meshwright_ir::Op;
use meshwright_ir::op::{Broadcast, Concatenate, Movement, Pad, Reshape, Reverse, Slice, Transpose};

fn moved(g: &mut Gen, op: Movement, operands: &[&Val]) -> Option<()> {
    let bound = joined(operands).bound;
    g.emit(Op::Movement(op), operands, bound).map(|_| ())
}

/// New dims anywhere, size-1 dims stretched, dims in any order.
pub fn broadcast(g: &mut Gen) -> Option<()> {
    let x = g.operand(Want::Any, 0, 3);
    let rank = x.ty.rank() + g.choices.index(3);
    let places = g.choices.shuffled((0..rank).collect());
    let mut dims: Vec<usize> = places[..x.ty.rank()].to_vec();
    if !g.choices.chance(20) {
        dims.arrange();
    }
    let mut shape: Vec<i64> = (0..rank).map(|_| g.size()).collect();
    for (from, to) in dims.iter().enumerate() {
        let stretches = x.ty.dims[from] == 1 && g.choices.chance(50);
        if !stretches {
            shape[*to] = x.ty.dims[from];
        }
    }
    moved(g, Movement::Broadcast(Broadcast { dims, shape }), &[&x])
}

/// Merge neighbours, split a dim, add or drop dims of size 1, or factor the elements anew.
pub fn reshape(g: &mut Gen) -> Option<()> {
    let x = g.operand(Want::Any, 0, 4);
    let mut shape = x.ty.dims.clone();
    for _ in 0..1 + g.choices.below(2) {
        change(g, &mut shape);
    }
    if shape.len() > 5 {
        return None;
    }
    moved(g, Movement::Reshape(Reshape { shape }), &[&x])
}

fn change(g: &mut Gen, shape: &mut Vec<i64>) {
    let at = g.choices.index(shape.len());
    match g.choices.below(5) {
        0 if shape.len() >= 2 => {
            let at = at.min(shape.len() - 2);
            let minor = shape.remove(at + 1);
            shape[at] *= minor;
        }
        1 | 2 if !shape.is_empty() => split(g, shape, at),
        3 => shape.insert(at, 1),
        4 if shape.get(at) == Some(&1) => {
            shape.remove(at);
        }
        _ => {
            let all: i64 = shape.iter().product();
            *shape = vec![all];
            split(g, shape, 0);
        }
    }
}

fn split(g: &mut Gen, shape: &mut Vec<i64>, at: usize) {
    let size = shape[at];
    let divisors: Vec<i64> = (2..size).filter(|n| size % n == 0).collect();
    if divisors.is_empty() {
        return;
    }
    let major = g.choices.pick(&divisors);
    shape[at] = major;
    shape.insert(at + 1, size / major);
}

pub fn transpose(g: &mut Gen) -> Option<()> {
    let x = g.operand(Want::Any, 2, 4);
    let permutation = g.choices.shuffled((0..x.ty.rank()).collect());
    moved(g, Movement::Transpose(Transpose { permutation }), &[&x])
}

pub fn slice(g: &mut Gen) -> Option<()> {
    let x = g.operand(Want::Any, 1, 3);
    let mut slice = Slice { start: Vec::new(), limit: Vec::new(), stride: Vec::new() };
    for size in &x.ty.dims {
        let whole = g.choices.chance(40) || *size == 0;
        let (start, limit, stride) = if whole { (0, *size, 1) } else { part(g, *size) };
        slice.start.push(start);
        slice.limit.push(limit);
        slice.stride.push(stride);
    }
    moved(g, Movement::Slice(slice), &[&x])
}

/// Start, limit and stride within a dim.
fn part(g: &mut Gen, size: i64) -> (i64, i64, i64) {
    let start = g.choices.index(size as usize) as i64;
    let limit = size - g.choices.index((size - start) as usize) as i64;
    let stride = if g.choices.chance(25) { 2 + i64::from(g.choices.below(2)) } else { 1 };
    (start, limit, stride)
}

pub fn pad(g: &mut Gen) -> Option<()> {
    let x = g.operand(Want::Any, 1, 3);
    let value = g.scalar(x.ty.dtype);
    let mut pad = Pad { low: Vec::new(), high: Vec::new(), interior: Vec::new() };
    for size in &x.ty.dims {
        let (mut low, mut high, mut interior) = (0, 0, 0);
        if g.choices.chance(60) {
            low = i64::from(g.choices.below(5)) - 1;
            high = i64::from(g.choices.below(5)) - 1;
            interior = if g.choices.chance(20) { 1 } else { 0 };
        }
        let gaps = (size - 1).max(0) * interior;
        if size + gaps + low + high < 0 {
            (low, high) = (0, 0);
        }
        pad.low.push(low);
        pad.high.push(high);
        pad.interior.push(interior);
    }
    moved(g, Movement::Pad(pad), &[&x, &value])
}

pub fn concatenate(g: &mut Gen) -> Option<()> {
    let x = g.operand(Want::Any, 1, 3);
    let dim = g.choices.index(x.ty.rank());
    let mut operands = vec![x.clone()];
    for _ in 0..1 + g.choices.below(2) {
        let mut dims = x.ty.dims.clone();
        if g.choices.chance(60) {
            dims[dim] = g.size();
        }
        let more = g.of_type(x.ty.dtype, &dims);
        operands.push(more);
    }
    let operands = g.choices.shuffled(operands);
    let operands: Vec<&Val> = operands.iter().collect();
    moved(g, Movement::Concatenate(Concatenate { dim }), &operands)
}

pub fn reverse(g: &mut Gen) -> Option<()> {
    let x = g.operand(Want::Any, 1, 3);
    let dims = g.choices.some_of(x.ty.rank(), 60);
    moved(g, Movement::Reverse(Reverse { dims }), &[&x])
}

/// A dim turned round by some places, or shifted with something new coming in.
pub fn rotate(g: &mut Gen) -> Option<()> {
    let x = g.operand(Want::Any, 1, 3);
    let dim = g.choices.index(x.ty.rank());
    let size = x.ty.dims[dim];
    if size < 2 {
        return None;
    }
    let by = 1 + g.choices.index(size as usize - 1) as i64;
    let part = |g: &mut Gen, from: i64, to: i64| {
        let mut op =
            Slice { start: vec![0; x.ty.rank()], limit: x.ty.dims.clone(), stride: vec![1; x.ty.rank()] };
        (op.start[dim], op.limit[dim]) = (from, to);
        g.emit(Op::Movement(Movement::Slice(op)), &[&x], x.info.bound)
    };
    let tail = part(g, by, size)?;
    let head = if g.choices.chance(70) {
        part(g, 0, by)?
    } else {
        let mut dims = x.ty.dims.clone();
        dims[dim] = by;
        g.of_type(x.ty.dtype, &dims)
    };
    let operands = if g.choices.chance(80) { [&tail, &head] } else { [&head, &tail] };
    moved(g, Movement::Concatenate(Concatenate { dim }), &operands)
}
