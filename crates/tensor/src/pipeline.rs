//! Pipelines: layers on one device after another, with several microbatches under way.
//!
//! The stages are a dim. A buffer holds what each of them works on; at each trip it moves on by one place, a microbatch
//! comes in at the first, and all stages work at once (`vmap`). Split the stages' dim of the weights over devices, and
//! the move becomes one permute (GSPMD 3.3).
//!
//! ```text
//! buffer = roll(buffer, 1);  buffer[0] = microbatch[trip];  buffer = vmap(stage)(buffer, weights)
//! ```

mod manual;
pub(crate) mod schedule;
mod slots;

use crate::codes;
use crate::control::{checkpoint, keeps, leading, scan};
use crate::differentiate::vmap;
use crate::mesh::Mesh;
use crate::ops::create::{range, scalar};
use crate::ops::join::concat;
use crate::state::Line;
use crate::tensor::{Tensor, poison, report};
use crate::tree::Tree;
use manual::{Lies, Places};
use meshwright_base::Diagnostic;
use meshwright_ir::DType;
use slots::Slots;
use std::panic::Location;

/// How the layers of a pipeline lie on its stages, and what is kept for the backward pass.
///
/// ```
/// use meshwright_tensor::prelude::*;
/// let how = Pipeline::circular(4, 2).recompute(); // layers 0 and 4 on the first stage
/// assert_eq!(how.layers(), 8);
/// assert_eq!(Pipeline::gpipe(4).bubble(4), 3.0 / 7.0);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Pipeline {
    stages: i64,
    rounds: i64,
    /// The weights have a dim for the rounds, be it of one.
    is_circular: bool,
    recomputes: bool,
}

impl Pipeline {
    /// One layer (or run of layers) on each stage.
    ///
    /// ```
    /// # use meshwright_tensor::prelude::*;
    /// assert_eq!(Pipeline::gpipe(4).layers(), 4);
    /// ```
    pub fn gpipe(stages: i64) -> Pipeline {
        Pipeline { stages, rounds: 1, is_circular: false, recomputes: false }
    }

    /// Layer `l` on stage `l % stages`: each microbatch goes round so many times. Bubbles are as many trips as in
    /// [`gpipe`](Pipeline::gpipe), but trips are shorter.
    ///
    /// ```
    /// # use meshwright_tensor::prelude::*;
    /// assert_eq!(Pipeline::circular(4, 3).layers(), 12);
    /// ```
    pub fn circular(stages: i64, rounds: i64) -> Pipeline {
        Pipeline { stages, rounds, is_circular: true, recomputes: false }
    }

    /// Keep only what enters each stage, and compute the rest again in the backward pass.
    ///
    /// ```
    /// # use meshwright_tensor::prelude::*;
    /// let how = Pipeline::gpipe(4).recompute();
    /// ```
    pub fn recompute(self) -> Pipeline {
        Pipeline { recomputes: true, ..self }
    }

    /// How many layers there are.
    ///
    /// ```
    /// # use meshwright_tensor::prelude::*;
    /// assert_eq!(Pipeline::circular(2, 2).layers(), 4);
    /// ```
    pub fn layers(&self) -> i64 {
        self.stages * self.rounds
    }

    /// The share of all work that is done before the first microbatch has come to a stage, and after the last.
    ///
    /// ```
    /// # use meshwright_tensor::prelude::*;
    /// assert_eq!(Pipeline::gpipe(8).bubble(1), 7.0 / 8.0);
    /// ```
    pub fn bubble(&self, microbatches: i64) -> f64 {
        self.slots(microbatches).bubble()
    }

    fn slots(&self, microbatches: i64) -> Slots {
        Slots { stages: self.stages, rounds: self.rounds, microbatches: microbatches.max(1) }
    }
}

/// [`scan`] over layers for many microbatches at once: `stage(x, layer) -> (x, y)` is applied to each
/// microbatch, the leading dim of `xs`, with each layer in trip. Gives the microbatches behind the last layer, and the
/// `y`s as `[microbatch, layer, ..]`. Nothing of what stages compute while they wait is seen in either.
///
/// The weights begin with a dim for the stages; in a circular pipeline a dim for the rounds follows. On one device this
/// is a slow way to write two loops; split the stages' dim over devices, and each has its own layers.
///
/// ```
/// use meshwright_tensor::prelude::*;
/// let mesh = Mesh::new([("stage", 4), ("data", 2)])?;
/// let program = trace("pipeline", |t| {
///     let x = t.input("x", f32, [16, 8, 32]).mesh_split(&mesh, [-1, 1, -1]); // 16 microbatches of 8 rows
///     let w = t.param("w", [4, 32, 32]).mesh_split(&mesh, [0, -1, -1]);
///     let (x, norms) = pipeline(x, w, Pipeline::gpipe(4), |x, w| {
///         let x = x.matmul(w).relu();
///         (x, x.square().mean(..))
///     });
///     (x, norms) // f32[16,8,32], f32[16,4]
/// })?;
/// # Ok::<(), Errors>(())
/// ```
#[track_caller]
pub fn pipeline<X: Tree, W: Tree, Y: Tree>(
    xs: X,
    weights: W,
    how: Pipeline,
    stage: impl FnOnce(X, W) -> (X, Y),
) -> (X, Y) {
    laid(xs, weights, how, Lies::Anywhere, stage, Location::caller())
}

/// [`pipeline`] with a stage, or as many on each, on the places of a mesh axis by hand (GSPMD 3.4): over this axis all
/// is manual, and what moves on is sent by a permute that stands in the program; over other axes of the mesh stages are
/// still partitioned automatically. Results are those of [`pipeline`].
///
/// ```
/// use meshwright_tensor::prelude::*;
/// let mesh = Mesh::new([("stage", 4), ("data", 2)])?;
/// let program = trace("pipeline", |t| {
///     let x = t.input("x", f32, [16, 8, 32]).mesh_split(&mesh, [-1, 1, -1]);
///     let w = t.param("w", [4, 32, 32]);
///     let layer = |x: Tensor, w| (x.matmul(w).relu(), ());
///     let (x, ()) = manual_pipeline(x, w, Pipeline::gpipe(4), &mesh, "stage", layer);
///     x
/// })?;
/// # Ok::<(), Errors>(())
/// ```
#[track_caller]
pub fn manual_pipeline<X: Tree, W: Tree, Y: Tree>(
    xs: X,
    weights: W,
    how: Pipeline,
    mesh: &Mesh,
    axis: &str,
    stage: impl FnOnce(X, W) -> (X, Y),
) -> (X, Y) {
    let line = Location::caller();
    match Places::along(mesh, axis, how.stages, line) {
        Some(places) => laid(xs, weights, how, Lies::On(places), stage, line),
        None => stand_in(&xs, &weights, how, stage, line),
    }
}

fn laid<X: Tree, W: Tree, Y: Tree>(
    xs: X,
    weights: W,
    how: Pipeline,
    lies: Lies<'_>,
    stage: impl FnOnce(X, W) -> (X, Y),
    line: Line,
) -> (X, Y) {
    let Some(slots) = fitting(&xs, &weights, how, line) else {
        return stand_in(&xs, &weights, how, stage, line);
    };
    let Slots { stages, rounds, .. } = slots;
    let is_one_round = how.is_circular && rounds == 1;
    let weights = weights.map(&mut |w| lies.enter(if is_one_round { w.squeeze(1) } else { w }, 0));
    let stage_numbers = lies.enter(range(DType::S32, stages), 0);
    // Until the first microbatch has come to a stage, that stage works on a copy of it: on numbers that are as good as
    // any, so that nothing that is dropped is NaN. The loop carries what stages begin with: that is what the backward
    // pass needs, and would have to move again otherwise.
    let first = xs.map(&mut |x| lies.enter(widened(x.slice_dim(0, 0), 0, stages), 0));
    let entering = entering_next(&xs, slots).map(&mut |x| lies.enter(x, 1));
    let trips = (entering, range(DType::S32, slots.trips()));
    let (_, (outs, ys)) = scan(first, trips, |buffer, (entering, trip)| {
        let ahead = (trip - stage_numbers + rounds * slots.group()) % (rounds * slots.group());
        let round = if rounds == 1 { stage_numbers } else { ahead / slots.group() };
        let (out, y) = vmap((buffer, weights.map(&mut |w| w), round), |(x, layer, round)| {
            let given = x.leaves();
            // The round's weights are sliced inside: else a checkpoint would keep those of every trip.
            let apply = || {
                let layer = if rounds == 1 { layer } else { layer.map(&mut |w| of_round(w, round)) };
                stage(x.map(&mut |x| x), layer)
            };
            let (out, y) = if how.recomputes { checkpoint(apply) } else { apply() };
            let types: Vec<_> = out.leaves().iter().map(|leaf| leaf.ty()).collect();
            let fits = keeps("a stage of the pipeline", &given, &types, &x.paths(), line);
            (if fits { out } else { x }, y)
        });
        let enters = ((trip + 1) % (rounds * slots.group())).lt(slots.group());
        let next = out.zip_map(&entering, |out, entering| {
            let is_first = lies.is_first(out, stage_numbers);
            let takes = if rounds == 1 { is_first } else { is_first & enters };
            takes.select(entering, lies.moved_on(out))
        });
        (next, (out, y))
    });
    let outs = outs.map(&mut |x| leaving(lies.leave(x, 1), slots));
    let ys = ys.map(&mut |y| by_layer(lies.leave(y, 1), slots));
    (outs, ys)
}

/// A tensor once more along a new dim.
fn widened(x: Tensor, at: i64, times: i64) -> Tensor {
    let mut dims = x.dims();
    dims.insert(at as usize, times);
    x.unsqueeze(at).broadcast_to(dims)
}

/// The weights of a round.
fn of_round(w: Tensor, round: Tensor) -> Tensor {
    let mut sizes = w.dims();
    let starts: Vec<Tensor> =
        (0..sizes.len()).map(|dim| if dim == 0 { round } else { scalar(DType::S32, 0) }).collect();
    sizes[0] = 1;
    w.dynamic_slice(starts, sizes).squeeze(0)
}

/// What stands before the first stage behind each trip, as wide as the buffer: outside of the loop, so that in the
/// backward pass it is summed over the stages once. Where nothing enters it does not matter what.
fn entering_next<X: Tree>(xs: &X, slots: Slots) -> X {
    xs.map(&mut |x| {
        let full = slots.groups() * slots.group();
        let whole = repeated_last(x, full - slots.microbatches);
        let round = grouped(whole, &[slots.groups(), slots.group()]);
        let rounds = if slots.rounds == 1 { round } else { widened(round, 1, slots.rounds) };
        let flat = [&[slots.entering()], &x.dims()[1..]].concat();
        widened(repeated_last(rounds.reshape(flat), slots.stages).slice_dim(0, 1..), 1, slots.stages)
    })
}

/// With the last slice so many times more.
fn repeated_last(x: Tensor, times: i64) -> Tensor {
    if times == 0 {
        return x;
    }
    let mut dims = x.dims();
    let last = x.slice_dim(0, dims[0] - 1..dims[0]);
    dims[0] = times;
    concat([x, last.broadcast_to(dims)], 0)
}

/// The leading dim as several.
fn grouped(x: Tensor, groups: &[i64]) -> Tensor {
    let rest = x.dims().split_off(1);
    x.reshape([groups, &rest].concat())
}

/// From what all stages made at all trips to what came out of the last one in the last round.
fn leaving(x: Tensor, slots: Slots) -> Tensor {
    let Slots { stages, rounds, microbatches } = slots;
    let last = x.slice_dim(1, stages - 1);
    let behind = last.slice_dim(0, (rounds - 1) * slots.group() + stages - 1..);
    let rows = repeated_last(behind, (rounds - 1) * slots.group());
    let by_group = grouped(rows, &[slots.groups(), rounds * slots.group()]).slice_dim(1, ..slots.group());
    let rest = x.dims().split_off(2);
    by_group.reshape([&[slots.groups() * slots.group()], &rest[..]].concat()).slice_dim(0, ..microbatches)
}

/// From what all stages made at all trips to `[microbatch, layer, ..]`. Each stage begins a trip after the one before.
fn by_layer(y: Tensor, slots: Slots) -> Tensor {
    let Slots { stages, rounds, microbatches } = slots;
    let rest = y.dims().split_off(2);
    let own = vmap((y.swap_dims(0, 1), range(DType::S32, stages)), |(trips, stage)| {
        let mut sizes = trips.dims();
        let zero = || scalar(DType::S32, 0);
        let starts: Vec<Tensor> = (0..sizes.len()).map(|dim| if dim == 0 { stage } else { zero() }).collect();
        sizes[0] = slots.entering();
        let own = trips.dynamic_slice(starts, sizes);
        // [group, round, place in the group] to [microbatch, round].
        let own = grouped(own, &[slots.groups(), rounds, slots.group()]).swap_dims(1, 2);
        let rows = [&[slots.groups() * slots.group(), rounds], &rest[..]].concat();
        own.reshape(rows).slice_dim(0, ..microbatches)
    });
    // [stage, microbatch, round, ..]
    own.move_dim(0, 2).reshape([&[microbatches, slots.stages * rounds], &rest[..]].concat())
}

/// The sizes, if all is as it has to be; reports what is not.
fn fitting<X: Tree, W: Tree>(xs: &X, weights: &W, how: Pipeline, line: Line) -> Option<Slots> {
    let refused = |message: String, help: &str| {
        report(line, Diagnostic::error(codes::CONTROL, message).help(help));
        None
    };
    if how.stages < 1 || how.rounds < 1 {
        let message = format!("a pipeline of {} stages and {} rounds", how.stages, how.rounds);
        return refused(message, "there is at least one of each");
    }
    let microbatches = leading("pipeline", &xs.leaves(), line)?;
    if microbatches == 0 {
        return refused(
            "a pipeline of no microbatches".to_string(),
            "give each microbatch a place in the leading dim of what goes in: `x.reshape([8, rows / 8, ..])`",
        );
    }
    let wanted = if how.is_circular { vec![how.stages, how.rounds] } else { vec![how.stages] };
    let paths = weights.paths();
    for (at, leaf) in weights.leaves().iter().enumerate() {
        if !leaf.dims().starts_with(&wanted) {
            let path = paths.get(at).filter(|path| !path.is_empty());
            let path = path.map_or("they".to_string(), |path| format!("`{path}`"));
            let verb = if path == "they" { "are" } else { "is" };
            let sizes: Vec<String> = wanted.iter().map(i64::to_string).collect();
            let rounds = if how.is_circular { format!(" and {} rounds", how.rounds) } else { String::new() };
            let message = format!(
                "a pipeline of {} stages{rounds} has weights of [{}, ..], but {path} {verb} {}",
                how.stages,
                sizes.join(", "),
                leaf.words(),
            );
            let help = if how.is_circular {
                "their first dim is the stages, the second the rounds: layer `l` is at `[l % stages, l / stages]`; of \
                 layers in order that is `w.reshape([rounds, stages, ..]).swap_dims(0, 1)`"
            } else {
                "their first dim is the stages; a stage of several layers has them in the dim behind it"
            };
            leaf.report(line, Diagnostic::error(codes::CONTROL, message).help(help));
            return None;
        }
    }
    Some(how.slots(microbatches))
}

/// Results of the types they would have, behind an error.
fn stand_in<X: Tree, W: Tree, Y: Tree>(
    xs: &X,
    weights: &W,
    how: Pipeline,
    stage: impl FnOnce(X, W) -> (X, Y),
    line: Line,
) -> (X, Y) {
    let without = |tensor: Tensor, dims: usize| {
        let ty = tensor.ty();
        let rest = ty.dims.get(dims.min(ty.dims.len())..).unwrap_or(&[]).to_vec();
        poison(ty.with_dims(rest), line)
    };
    let leading = if how.is_circular { 2 } else { 1 };
    let one = xs.map(&mut |x| without(x, 1));
    let (_, y) = stage(one, weights.map(&mut |w| without(w, leading)));
    let microbatches = xs.leaves().first().and_then(|x| x.dims().first().copied()).unwrap_or(1);
    let stacked = |y: Tensor| {
        let dims = [&[microbatches, how.layers()], &y.dims()[..]].concat();
        poison(y.ty().with_dims(dims), line)
    };
    (xs.map(&mut |x| poison(x.ty(), line)), y.map(&mut |y| stacked(y)))
}
