//! From tensors that the compiler splits to one device's pieces and back, as annotations (GSPMD 3.4): the flat form of
//! [`manual`](crate::manual()), for code that is not one closure.
//!
//! ```text
//! x.auto_to_manual(mesh, ["x"], cuts)   =>   annotate `x` by the cuts; full_to_shard: its piece, local over `x`
//! y.manual_to_auto(mesh, ["x"], cuts)   =>   annotate `y` as local over `x`; shard_to_full: the whole, so cut
//! ```
//!
//! That a tensor is local follows it through ops, loops and branches, so a partner that is missing is told when the
//! trace ends, and pieces of different axes are told where they meet. What is made of whole tensors alone stays whole.

use crate::codes;
use crate::manual::axis_list;
use crate::mesh::{Cut, Cuts, Mesh, sharding};
use crate::state::{self, EntryId, Line, State};
use crate::tensor::{Tensor, entries, poison, report};
use meshwright_base::Diagnostic;
use meshwright_ir::op::ShardingOp;
use meshwright_ir::{Annotation, Editor, Op};
use meshwright_shard::axis::{canonical_set, difference, intersection, overlap, product};
use meshwright_shard::{AxisRef, Sharding};
use std::panic::Location;
use std::sync::Arc;

/// Over which axes of which mesh a tensor is local, and the line that made it so.
#[derive(Clone, Debug)]
pub(crate) struct Local {
    pub mesh: Mesh,
    pub axes: Vec<AxisRef>,
    pub line: Line,
}

impl Local {
    /// Local over these axes as well as over those around them.
    pub(crate) fn within(outer: Option<&Local>, mesh: &Mesh, axes: &[AxisRef], line: Line) -> Local {
        let around = outer.filter(|outer| outer.mesh == *mesh).map_or(&[][..], |outer| &outer.axes);
        Local { mesh: mesh.clone(), axes: canonical_set(&[around, axes].concat()), line }
    }

    /// `` `x`, `y` ``
    pub(crate) fn words(&self) -> String {
        axis_words(&self.mesh, &self.axes)
    }

    fn is_like(&self, other: &Local) -> bool {
        self.mesh == other.mesh && self.axes == other.axes
    }
}

fn axis_words(mesh: &Mesh, axes: &[AxisRef]) -> String {
    let name = |axis: &AxisRef| mesh.axes.axes.get(axis.axis).map_or("?", |axis| &axis.name).to_string();
    axes.iter().map(|axis| format!("`{}`", name(axis))).collect::<Vec<_>>().join(", ")
}

/// Where whole and pieces meet: how the whole is cut, what the pieces say, and how many there are along each dim.
struct Edge {
    whole: Sharding,
    piece: Sharding,
    tiles: Vec<i64>,
    outer: Vec<AxisRef>,
    all: Local,
}

impl Tensor {
    /// From here on this is one device's piece over the mesh axes `axes` (GSPMD's `auto_to_manual`): cut as `dims` say,
    /// the same on devices that differ along axes not named there. Over other axes of the mesh it is still partitioned
    /// automatically. [`manual_to_auto`](Tensor::manual_to_auto) ends it.
    ///
    /// ```
    /// use meshwright_tensor::prelude::*;
    /// let mesh = Mesh::new([("x", 4), ("y", 2)])?;
    /// let program = trace("f", |t| {
    ///     let piece = t.input("x", f32, [8, 16]).auto_to_manual(&mesh, &["x"], ["x", "y"]); // f32[2,16]
    ///     let norm = piece.square().sum(0).all_reduce(&mesh, &["x"]);
    ///     (piece / norm).manual_to_auto(&mesh, &["x"], ["x", "y"])
    /// })?;
    /// # Ok::<(), Errors>(())
    /// ```
    #[track_caller]
    pub fn auto_to_manual(self, mesh: &Mesh, axes: &[&str], dims: impl Cuts) -> Tensor {
        let line = Location::caller();
        let Some(edge) = entering(self, mesh, axes, &dims.into_cuts(), line) else {
            return poison(self.ty(), line);
        };
        let sizes = self.dims().into_iter().zip(&edge.tiles).map(|(size, tiles)| size / tiles).collect();
        let whole = annotated(ShardingOp::Constraint { unspecified: Vec::new() }, self, edge.whole, line);
        let cut = ShardingOp::FullToShard { unspecified: Vec::new(), shape: sizes };
        named_like(annotated(cut, whole, edge.piece, line), self, Some(edge.all))
    }

    /// Put the pieces that devices hold along the mesh axes `axes` together, one after another as `dims` say: the end
    /// of an [`auto_to_manual`](Tensor::auto_to_manual). Pieces along an axis that `dims` do not name must be the same.
    ///
    /// ```
    /// use meshwright_tensor::prelude::*;
    /// let mesh = Mesh::new([("x", 4)])?;
    /// let program = trace("sums", |t| {
    ///     let piece = t.input("x", f32, [8, 16]).auto_to_manual(&mesh, &["x"], ("x", ()));
    ///     piece.sum_keep(0).manual_to_auto(&mesh, &["x"], ("x", ())) // f32[4,16]: a row per device
    /// })?;
    /// assert_eq!(program.results()[0].ty.dims, [4, 16]);
    /// # Ok::<(), Errors>(())
    /// ```
    #[track_caller]
    pub fn manual_to_auto(self, mesh: &Mesh, axes: &[&str], dims: impl Cuts) -> Tensor {
        let line = Location::caller();
        let Some(edge) = leaving(self, mesh, axes, &dims.into_cuts(), line) else {
            return poison(self.ty(), line);
        };
        let sizes = self.dims().into_iter().zip(&edge.tiles).map(|(size, tiles)| size.saturating_mul(*tiles));
        let back = ShardingOp::ShardToFull { unspecified: Vec::new(), shape: sizes.collect() };
        let piece = annotated(ShardingOp::Constraint { unspecified: Vec::new() }, self, edge.piece, line);
        let outer = Local { axes: edge.outer, ..edge.all };
        let outer = Some(outer).filter(|outer| !outer.axes.is_empty());
        named_like(annotated(back, piece, edge.whole, line), self, outer)
    }

    /// Over which axes this tensor is local.
    pub(crate) fn local(self) -> Option<Arc<Local>> {
        state::of(self.trace, |state| state.entries.get(self.entry as usize)?.local.clone()).flatten()
    }

    /// Say over which axes this tensor is local.
    pub(crate) fn set_local(self, local: Option<Arc<Local>>) {
        state::with(|state| {
            if state.id == self.trace
                && let Some(entry) = state.entries.get_mut(self.entry as usize)
            {
                entry.local = local;
            }
        });
    }
}

/// Results of a loop, branch or call are local where what the closure returned is.
pub(crate) fn as_inside(results: &[Tensor], inside: &[Tensor]) {
    results.iter().zip(inside).for_each(|(result, leaf)| result.set_local(leaf.local()));
}

fn entering(x: Tensor, mesh: &Mesh, axes: &[&str], cuts: &[Cut], line: Line) -> Option<Edge> {
    let around = x.local();
    let outer = around.as_ref().map_or(&[][..], |outer| &outer.axes);
    let edge = edge(x, mesh, axes, cuts, outer, line)?;
    let uneven = x.dims().into_iter().zip(&edge.tiles).position(|(size, tiles)| size % tiles != 0);
    if let Some(dim) = uneven {
        let message =
            format!("dim {dim} of {} does not divide into {} manual pieces", x.words(), edge.tiles[dim]);
        return refuse(x, line, message, "pad it, or cut it over other axes");
    }
    Some(edge)
}

fn leaving(x: Tensor, mesh: &Mesh, axes: &[&str], cuts: &[Cut], line: Line) -> Option<Edge> {
    if x.is_poisoned() {
        return None;
    }
    let Some(local) = x.local() else {
        let message =
            format!("manual_to_auto of {}, which is whole: no auto_to_manual leads to it", x.words());
        return refuse(x, line, message, "cut it into pieces with `auto_to_manual`, or leave it as it is");
    };
    let asked = axis_list(mesh, axes, line);
    let missing = difference(&asked, &local.axes);
    if local.mesh != *mesh || !missing.is_empty() {
        let message =
            format!("manual_to_auto over {}, but the tensor is {}", axis_words(mesh, &asked), x.words());
        return refuse(x, line, message, "name the axes and the mesh of its `auto_to_manual`");
    }
    edge(x, mesh, axes, cuts, &difference(&local.axes, &asked), line)
}

/// The two sides of a boundary over `axes`, inside of code that is local over `outer` already.
fn edge(x: Tensor, mesh: &Mesh, axes: &[&str], cuts: &[Cut], outer: &[AxisRef], line: Line) -> Option<Edge> {
    let axes = Some(axis_list(mesh, axes, line)).filter(|found| found.len() == axes.len())?;
    if axes.is_empty() {
        return refuse(x, line, "no mesh axes are named".to_string(), "name those that become manual");
    }
    let id = state::with(|state| state.mesh(mesh, line))?;
    let whole = match sharding(mesh, id, &x.dims(), cuts) {
        Ok(whole) => Sharding { manual: outer.to_vec(), ..whole },
        Err(diagnostic) => {
            x.report(line, diagnostic.note(format!("the tensor is {}", x.words())));
            return None;
        }
    };
    let used: Vec<AxisRef> = whole.dims.iter().flat_map(|dim| dim.axes.iter().copied()).collect();
    if overlap(outer, &axes) || overlap(outer, &used) {
        let message = format!("{} is cut over {} already", x.words(), axis_words(mesh, outer));
        return refuse(x, line, message, "use the other axes of the mesh");
    }
    let mut piece = Sharding { manual: canonical_set(&[outer, &axes].concat()), ..whole.clone() };
    piece.dims.iter_mut().for_each(|dim| dim.axes = difference(&dim.axes, &axes));
    let tiles = whole.dims.iter().map(|dim| product(&intersection(&dim.axes, &axes)).max(1)).collect();
    let all = Local { mesh: mesh.clone(), axes: piece.manual.clone(), line };
    Some(Edge { whole, piece, tiles, outer: outer.to_vec(), all })
}

fn refuse(x: Tensor, line: Line, message: String, help: &str) -> Option<Edge> {
    x.report(line, Diagnostic::error(codes::MANUAL, message).help(help));
    None
}

/// Add a sharding op with its annotation.
pub(crate) fn annotated(op: ShardingOp, x: Tensor, sharding: Sharding, line: Line) -> Tensor {
    let entry = entries(&[x], line)[0];
    let made = state::with(|state| {
        let (inst, results) = state.push(Op::Sharding(op), &[entry], Vec::new(), line).ok()?;
        let (func, ..) = state.frame();
        let value = state.module.funcs[func].inst(inst).results[0];
        Editor::new(&mut state.module.funcs[func]).set_sharding(value, Some(Annotation::from(sharding)));
        Some(Tensor::new(state.id, results[0]))
    });
    made.flatten().unwrap_or(x)
}

fn named_like(made: Tensor, like: Tensor, local: Option<Local>) -> Tensor {
    made.set_names(like.names());
    made.set_local(local.map(Arc::new));
    made
}

impl State {
    /// Over which axes the result of an op is local: those of its operands, which must agree.
    pub(crate) fn local_of(&mut self, operands: &[EntryId], line: Line) -> Option<Arc<Local>> {
        let all = operands.iter().filter_map(|at| self.entries.get(*at as usize)?.local.clone());
        let mut all = all.collect::<Vec<_>>().into_iter();
        let first = all.next()?;
        if let Some(other) = all.find(|other| !other.is_like(&first)) {
            let message = format!("a piece over {} meets a piece over {}", first.words(), other.words());
            let diagnostic = Diagnostic::error(codes::MANUAL, message)
                .label(Some(state::place(first.line)), format!("local over {} from here on", first.words()))
                .label(Some(state::place(other.line)), format!("local over {} from here on", other.words()))
                .help("make both local over the same axes of one mesh");
            self.report(line, diagnostic);
        }
        Some(first)
    }
}

/// A program has no pieces: report what is still one.
pub(crate) fn all_whole(leaves: &[Tensor], names: &[String]) {
    for (leaf, name) in leaves.iter().zip(names) {
        let Some(local) = leaf.local().filter(|_| !leaf.is_poisoned()) else { continue };
        let message = format!("result `{name}` is {}: its auto_to_manual has no partner", leaf.words());
        let help = "put the pieces together with `manual_to_auto` before they are returned";
        report(local.line, Diagnostic::error(codes::MANUAL, message).help(help));
    }
}
