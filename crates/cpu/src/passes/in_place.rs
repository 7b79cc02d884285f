//! What is made of a value that dies there is made in its place.
//!
//! ```text
//! %b = copy %a;  %b[i] = ..           =>        %b is %a;  %b[i] = ..
//! %c = loop of %a (read no more)      =>        %c = loop of %a, in the bytes of %a
//! ```
//!
//! Copies may be left out always, loops may write over what they read element by element; whether both may be one is
//! asked of [`Spans`]. Parameters that were given away go first into results. One walk over the steps.

use super::spans::Spans;
use crate::lower::{Kind, Lowered};
use meshwright_base::arrange::Arrange;
use meshwright_kernels::fused::{Fused, Source};
use meshwright_kernels::step::{BufId, Step};

/// Copies of dying values need not be made; elementwise results take the place of a dying operand.
pub fn in_place(lowered: &mut Lowered) {
    let mut spans = Spans::of(lowered);
    for at in 0..spans.lives.line.points.len() {
        let Some(id) = spans.lives.id(at) else { continue };
        let pairs = match lowered.steps.work(id) {
            Step::Copy(copy) if copy.whole => vec![(copy.from, copy.to)],
            step => {
                let loops = step.loops();
                (1..=loops.len()).flat_map(|count| pairs(lowered, &loops[..count])).collect()
            }
        };
        for (from, to) in pairs {
            if let Some(pair) = spans.may_unite(lowered, from, to) {
                spans.unite(lowered, pair);
            }
        }
    }
}

/// Pairs of an operand and a result of the last of these loops that walk the same way; donated parameters first. The
/// loops before it are done with the rows it is at: what only they read may go as well.
fn pairs(lowered: &Lowered, loops: &[&Fused]) -> Vec<(BufId, BufId)> {
    let Some((fused, before)) = loops.split_last() else { return Vec::new() };
    let alike = before.iter().filter(|other| other.count == fused.count);
    let mut pairs = Vec::new();
    for input in fused.inputs.iter().chain(alike.flat_map(|other| &other.inputs)) {
        let Source::View { buf, .. } = &input.source else { continue };
        for output in fused.outputs.iter().filter(|output| output.runs.is_none()) {
            if input.is_whole(fused.count) && output.dtype.bytes() == input.dtype.bytes() {
                pairs.push((*buf, output.buf));
            }
        }
    }
    let root = |buf: BufId| lowered.steps.shared.root(buf);
    let is_param = |buf: BufId| matches!(lowered.kind(root(buf)), Kind::Input(_));
    let is_result = |buf: BufId| matches!(lowered.kind(root(buf)), Kind::Result(_));
    pairs.arrange_by_key(|(from, to)| match (is_param(*from), is_result(*to)) {
        (true, true) => 0,
        (false, false) => 1,
        _ => 2,
    });
    pairs
}
