//! A product that is only copied is made transposed, if the copy then reads along memory.
//!
//! ```text
//! p = v^T * s^T;  o = copy p, transposed        =>        p = s * v;  o = copy p
//! ```
//!
//! The bits are the same, rows of `s` are rows of the product, and runs of elements are copied.

use super::members::product;
use crate::lower::{BufInfo, Kind};
use meshwright_base::IdMap;
use meshwright_base::arrange::map;
use meshwright_kernels::copy::Copy;
use meshwright_kernels::dot::DotStep;
use meshwright_kernels::step::{BufId, Step};
use meshwright_kernels::tiled::{self, TiledStep};
use meshwright_steps::{StepId, Steps, Uses};
use std::collections::BTreeMap;

/// Turn what is better transposed.
pub fn transpose_products(steps: &mut Steps<Step>, uses: &Uses) {
    let order = steps.order();
    let makers = order.iter().filter_map(|id| Some((product(steps.work(*id))?.to.buf, *id)));
    let makers: BTreeMap<BufId, StepId> = map(makers);
    for id in order {
        let Step::Copy(copy) = steps.work(id) else { continue };
        let alone = uses.readers(copy.from) == 1 && steps.bufs[copy.from].kind == Kind::Arena;
        let (true, Some(&maker)) = (alone, makers.get(&copy.from)) else { continue };
        let dot = product(steps.work(maker));
        let Some(read) = dot.and_then(|dot| transposed_copy(copy, dot)) else { continue };
        let Some(transposed) = transposed(&steps.arena[maker].work, &mut steps.bufs) else { continue };
        *steps.work_mut(maker) = transposed;
        *steps.work_mut(id) = Step::Copy(read);
    }
}

/// The copy that reads the product transposed; `None` if that is no better, or cannot be.
fn transposed_copy(copy: &Copy, dot: &DotStep) -> Option<Copy> {
    let mut copy = by_products(copy, dot);
    copy.source = transposed_strides(&copy, dot)?;
    Some(copy)
}

/// A dim that goes over rows of one product after another is one over products and one over rows.
fn by_products(copy: &Copy, dot: &DotStep) -> Copy {
    let mut split = Copy { dims: Vec::new(), source: Vec::new(), target: Vec::new(), ..copy.clone() };
    for ((size, source), target) in copy.dims.iter().zip(&copy.source).zip(&copy.target) {
        let many = *source == dot.n as isize && *size > dot.m && size.is_multiple_of(dot.m);
        let inner = if many { dot.m } else { *size };
        if many {
            split.dims.push(size / inner);
            split.source.push(source * inner as isize);
            split.target.push(target * inner as isize);
        }
        split.dims.push(inner);
        split.source.push(*source);
        split.target.push(*target);
    }
    split
}

/// The strides by which a copy reads the product transposed.
fn transposed_strides(copy: &Copy, dot: &DotStep) -> Option<Vec<isize>> {
    let (m, n) = (dot.m as isize, dot.n as isize);
    let plain = copy.source_places.is_empty() && copy.source_offset == 0;
    if !plain || m < 2 || n < 2 || copy.target.last() != Some(&1) || copy.source.last() != Some(&n) {
        return None;
    }
    let (mut rows, mut columns) = (0, 0);
    let one = |(size, stride): (&usize, &isize)| {
        let steps = *size as isize - 1;
        if *stride <= 0 {
            return None;
        }
        if stride % (m * n) == 0 {
            return Some(*stride);
        }
        if stride % n == 0 {
            rows += stride / n * steps;
            return (rows < m).then_some(stride / n);
        }
        columns += stride * steps;
        (columns < n).then_some(stride * m)
    };
    copy.dims.iter().zip(&copy.source).map(one).collect()
}

/// The step with rows and columns exchanged; one on tiles has other operands packed.
fn transposed(step: &Step, bufs: &mut IdMap<BufId, BufInfo>) -> Option<Step> {
    let TiledStep { dot, right, left } = match step {
        Step::Dot(dot) => return Some(Step::Dot(dot.transposed())),
        Step::Tiled(tiled) => tiled,
        _ => return None,
    };
    let dot = dot.transposed();
    let bytes = tiled::packed_bytes(&dot.batch, dot.n, dot.k)?;
    let left_bytes = tiled::packed_bytes(&dot.batch, dot.m, dot.k)?;
    let BufInfo { kind, name, .. } = bufs[*right].clone();
    bufs[*right].bytes = bytes;
    let left = match (tiled::lies_in_rows(&dot), left) {
        (true, _) => None,
        (false, Some(left)) => {
            bufs[*left].bytes = left_bytes;
            Some(*left)
        }
        (false, None) => Some(bufs.push(BufInfo { bytes: left_bytes, kind, name })),
    };
    Some(Step::Tiled(TiledStep { dot, right: *right, left }))
}
