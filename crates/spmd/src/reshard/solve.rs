//! The cheapest way from one sharding to another: a shortest path over layouts.
//!
//! A layout is a list of atoms per dim and a set of partial atoms. Its neighbours are one collective (or free slice)
//! away:
//!
//! ```text
//! slice        append a free atom to a dim              no communication
//! gather       drop the last atoms of a dim
//! all-to-all   move the last atoms of a dim to the end of another
//! permute      exchange two atoms of one size, or two neighbours within a dim
//! all-reduce, reduce-scatter                            for partial atoms
//! to-partial   a value that is replicated over an atom joins a partial sum     no communication
//! ```
//!
//! A local value on the way is never larger than the larger of the two ends. If atoms as coarse as the question allow
//! no such path, or one of `MANY` steps, they are cut into primes, where one always exists when shards divide evenly.
//!
//! ```text
//! {x=4},{y=2} -> {y},{x}       {y, x:2},{x:1}     permute       then      {y},{x}     all-to-all of x:2
//! ```

use crate::atoms::{Atom, AtomSize, Atoms};
use meshwright_base::arrange::Arrange;
use meshwright_cost::{Coefficient, CollectiveCost, Machine, Pattern};
use meshwright_ir::op::ReshardOp;
use meshwright_ir::op::sharding::AxisMove;
use meshwright_shard::axis::canonical_set;
use meshwright_shard::{DimSharding, Mesh, Reducer, Sharding};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

/// One step and the sharding after it.
#[derive(Clone, PartialEq, Debug)]
pub struct ReshardStep {
    pub op: ReshardOp,
    pub to: Sharding,
}

/// A way from one sharding to another.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Path {
    pub steps: Vec<ReshardStep>,
    pub seconds: f64,
    /// Bytes every device sends.
    pub sent: f64,
}

/// The value that is resharded.
#[derive(Clone, Copy, Debug)]
pub struct Subject<'a> {
    pub dims: &'a [i64],
    pub element_bits: i64,
}

impl Subject<'_> {
    /// Bytes of one device's piece.
    pub fn local_bytes(&self, sharding: &Sharding) -> i64 {
        self.bytes_by_tiles(sharding.dims.iter().map(DimSharding::tiles))
    }

    fn bytes_by_tiles(&self, tiles: impl Iterator<Item = i64>) -> i64 {
        let elements: i64 =
            self.dims.iter().zip(tiles).map(|(size, tiles)| (size + tiles - 1) / tiles).product();
        (elements * self.element_bits + 7) / 8
    }
}

/// From so many steps on it is worth asking whether parts of axes get there sooner, and how far it is asked.
const MANY: usize = 3;
const FEW_LAYOUTS: usize = 2_000;

/// How large values on the way may be.
#[derive(Clone, Copy)]
enum Room {
    /// As large as the larger of both ends.
    OfEnds,
    Any,
}

/// When a search gives up.
#[derive(Clone, Copy)]
struct Ends {
    /// Ways that take as long are not followed.
    seconds: f64,
    /// So many layouts have been reached.
    layouts: usize,
}

impl Ends {
    /// Beyond so many layouts the caller's fallback is better.
    const ALWAYS: Ends = Ends { seconds: f64::INFINITY, layouts: 20_000 };
}

/// The cheapest path between two shardings over one mesh. `None` if there is none (reducers or manual axes differ).
pub fn solve(
    subject: Subject<'_>,
    from: &Sharding,
    to: &Sharding,
    mesh: &Mesh,
    machine: &Machine,
) -> Option<Path> {
    let same_manual = canonical_set(&from.manual) == canonical_set(&to.manual);
    if !same_manual || from.mesh != to.mesh || from.rank() != to.rank() {
        return None;
    }
    let search = |size, room, ends| {
        let atoms = Atoms::of(&[from, to], mesh, size)?;
        Search::new(subject, atoms, from, to, machine, room)?.run(ends)
    };
    let coarse = search(AtomSize::AsUsed, Room::OfEnds, Ends::ALWAYS).map(|coarse| {
        let fewer = Ends { seconds: coarse.seconds, layouts: FEW_LAYOUTS };
        let is_long = coarse.steps.len() >= MANY;
        is_long.then(|| search(AtomSize::Prime, Room::OfEnds, fewer)).flatten().unwrap_or(coarse)
    });
    coarse
        .or_else(|| search(AtomSize::Prime, Room::OfEnds, Ends::ALWAYS))
        .or_else(|| search(AtomSize::AsUsed, Room::Any, Ends::ALWAYS))
        .or_else(|| through_replicated(subject, from, to, machine))
}

/// The way that always exists, for questions too large to search: put everything together, then cut it anew.
fn through_replicated(
    subject: Subject<'_>,
    from: &Sharding,
    to: &Sharding,
    machine: &Machine,
) -> Option<Path> {
    if from.partial.iter().any(|axis| to.partial.contains(axis)) {
        return None;
    }
    let mut whole = from.clone();
    whole.dims.iter_mut().for_each(|dim| dim.axes.clear());
    let mut reduced = from.clone();
    (reduced.partial, reduced.reducer) = (Vec::new(), Reducer::Sum);
    (whole.partial, whole.reducer) = (Vec::new(), Reducer::Sum);
    let mut cut = whole.clone();
    cut.dims = to.dims.clone();
    let axes = |sharding: &Sharding| sharding.dims.iter().map(|dim| dim.axes.clone()).collect::<Vec<_>>();
    let steps = [
        (
            ReshardOp::AllReduce { axes: from.partial.clone(), reducer: from.reducer },
            reduced,
            !from.partial.is_empty(),
        ),
        (ReshardOp::AllGather { axes: axes(from) }, whole.clone(), !from.is_replicated()),
        (ReshardOp::AllSlice { axes: axes(to) }, cut, !to.is_replicated()),
        (
            ReshardOp::ToPartial { axes: to.partial.clone(), reducer: to.reducer },
            to.clone(),
            !to.partial.is_empty(),
        ),
    ];
    let bytes = subject.local_bytes(&whole);
    let cost = CollectiveCost::of(Pattern::AllReduce, 2, 2 * bytes, bytes, machine);
    let steps = steps.into_iter().filter(|step| step.2).map(|(op, to, _)| ReshardStep { op, to }).collect();
    Some(Path { steps, seconds: cost.seconds, sent: cost.sent })
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct AtomLayout {
    dims: Vec<Vec<Atom>>,
    /// Sorted.
    partial: Vec<Atom>,
}

#[derive(Clone, Debug)]
enum Move {
    Slice { dim: usize, atom: Atom },
    Gather { dim: usize, count: usize },
    AllToAll { from: usize, to: usize, count: usize },
    Permute,
    AllReduce { atoms: Vec<Atom> },
    ReduceScatter { dim: usize, atoms: Vec<Atom> },
    ToPartial { atoms: Vec<Atom> },
}

struct Search<'a> {
    subject: Subject<'a>,
    atoms: Atoms,
    machine: &'a Machine,
    source: &'a Sharding,
    target: &'a Sharding,
    start: AtomLayout,
    goal: AtomLayout,
    /// Largest local bytes allowed on the way.
    limit: i64,
}

/// What the search knows of a layout it has reached.
struct Reached {
    seconds: f64,
    sent: f64,
    came: Option<(AtomLayout, Move)>,
    done: bool,
}

impl<'a> Search<'a> {
    fn new(
        subject: Subject<'a>,
        atoms: Atoms,
        from: &'a Sharding,
        to: &'a Sharding,
        machine: &'a Machine,
        room: Room,
    ) -> Option<Self> {
        let layout = |sharding: &Sharding| {
            let mut partial = atoms.read(&sharding.partial);
            partial.arrange();
            AtomLayout { dims: sharding.dims.iter().map(|dim| atoms.read(&dim.axes)).collect(), partial }
        };
        let (start, goal) = (layout(from), layout(to));
        let stays_partial = goal.partial.iter().any(|atom| start.partial.contains(atom));
        if stays_partial && from.reducer != to.reducer {
            return None;
        }
        let limit = match room {
            Room::OfEnds => subject.local_bytes(from).max(subject.local_bytes(to)),
            Room::Any => i64::MAX,
        };
        Some(Search { subject, atoms, machine, source: from, target: to, start, goal, limit })
    }

    /// Dijkstra; ties by order of discovery.
    fn run(&self, ends: Ends) -> Option<Path> {
        let mut reached: BTreeMap<AtomLayout, Reached> = BTreeMap::new();
        let mut queue = BinaryHeap::new();
        let mut sequence = 0u64;
        let exact = self.divides(&self.start) && self.divides(&self.goal);
        reached.insert(self.start.clone(), Reached { seconds: 0.0, sent: 0.0, came: None, done: false });
        queue.push(Reverse((0u64, sequence, self.start.clone())));
        while let Some(Reverse((_, _, layout))) = queue.pop() {
            let Some(here) = reached.get_mut(&layout) else { continue };
            if std::mem::replace(&mut here.done, true) {
                continue;
            }
            if layout == self.goal {
                return Some(self.path(&reached, layout));
            }
            if reached.len() > ends.layouts {
                return None;
            }
            let (seconds, sent) = (reached[&layout].seconds, reached[&layout].sent);
            for (step, next) in self.moves(&layout) {
                if self.local_bytes(&next) > self.limit || (exact && !self.divides(&next)) {
                    continue;
                }
                let cost = self.cost(&step, &layout, &next);
                let total = seconds + cost.seconds;
                if total >= ends.seconds {
                    continue;
                }
                if reached.get(&next).is_none_or(|old| !old.done && total < old.seconds) {
                    sequence += 1;
                    queue.push(Reverse((total.to_bits(), sequence, next.clone())));
                    let came = Some((layout.clone(), step));
                    reached
                        .insert(next, Reached { seconds: total, sent: sent + cost.sent, came, done: false });
                }
            }
        }
        None
    }

    /// Whether every dim divides evenly into its tiles.
    fn divides(&self, layout: &AtomLayout) -> bool {
        self.subject.dims.iter().zip(&layout.dims).all(|(size, dim)| size % self.atoms.sizes(dim) == 0)
    }

    fn local_bytes(&self, layout: &AtomLayout) -> i64 {
        self.subject.bytes_by_tiles(layout.dims.iter().map(|dim| self.atoms.sizes(dim)))
    }

    fn is_free(&self, layout: &AtomLayout, atom: Atom) -> bool {
        !layout.partial.contains(&atom) && !layout.dims.iter().any(|dim| dim.contains(&atom))
    }

    fn moves(&self, layout: &AtomLayout) -> Vec<(Move, AtomLayout)> {
        let mut moves = Vec::new();
        self.slices(layout, &mut moves);
        self.reductions(layout, &mut moves);
        self.all_to_alls(layout, &mut moves);
        self.permutes(layout, &mut moves);
        self.gathers(layout, &mut moves);
        moves
    }

    fn slices(&self, layout: &AtomLayout, moves: &mut Vec<(Move, AtomLayout)>) {
        for (dim, wanted) in self.goal.dims.iter().enumerate() {
            for atom in wanted.iter().filter(|atom| self.is_free(layout, **atom)) {
                let mut next = layout.clone();
                next.dims[dim].push(*atom);
                moves.push((Move::Slice { dim, atom: *atom }, next));
            }
        }
    }

    fn gathers(&self, layout: &AtomLayout, moves: &mut Vec<(Move, AtomLayout)>) {
        for dim in 0..layout.dims.len() {
            for count in 1..=layout.dims[dim].len() {
                let mut next = layout.clone();
                next.dims[dim].truncate(layout.dims[dim].len() - count);
                moves.push((Move::Gather { dim, count }, next));
            }
        }
    }

    /// Atoms move only to a dim that wants every one of them.
    fn all_to_alls(&self, layout: &AtomLayout, moves: &mut Vec<(Move, AtomLayout)>) {
        for (from, to) in pairs(layout.dims.len()) {
            let have = &layout.dims[from];
            for count in 1..=have.len() {
                let moved = &have[have.len() - count..];
                if !moved.iter().all(|atom| self.goal.dims[to].contains(atom)) {
                    break;
                }
                let mut next = layout.clone();
                next.dims[from].truncate(have.len() - count);
                next.dims[to].extend_from_slice(moved);
                moves.push((Move::AllToAll { from, to, count }, next));
            }
        }
    }

    fn permutes(&self, layout: &AtomLayout, moves: &mut Vec<(Move, AtomLayout)>) {
        if same_tiles(&self.atoms, layout, &self.goal) && layout.partial == self.goal.partial {
            moves.push((Move::Permute, self.goal.clone()));
        }
        for dim in 0..layout.dims.len() {
            for at in 0..layout.dims[dim].len() {
                self.exchanges(layout, dim, at, moves);
            }
        }
    }

    /// Exchange the atom at a place with its next neighbour, or with any atom of its size elsewhere or unused.
    fn exchanges(&self, layout: &AtomLayout, dim: usize, at: usize, moves: &mut Vec<(Move, AtomLayout)>) {
        let here = layout.dims[dim][at];
        if at + 1 < layout.dims[dim].len() {
            let mut next = layout.clone();
            next.dims[dim].swap(at, at + 1);
            moves.push((Move::Permute, next));
        }
        for other in (0..self.atoms.count()).map(|other| other as Atom) {
            let fits = other != here && self.atoms.size(other) == self.atoms.size(here);
            if !fits || layout.partial.contains(&other) {
                continue;
            }
            let mut next = layout.clone();
            for atom in next.dims.iter_mut().flatten() {
                *atom = if *atom == here {
                    other
                } else if *atom == other {
                    here
                } else {
                    *atom
                };
            }
            moves.push((Move::Permute, next));
        }
    }

    fn reductions(&self, layout: &AtomLayout, moves: &mut Vec<(Move, AtomLayout)>) {
        let to_finish: Vec<Atom> =
            layout.partial.iter().copied().filter(|atom| !self.goal.partial.contains(atom)).collect();
        for set in subsets(&to_finish) {
            let mut next = layout.clone();
            next.partial.retain(|atom| !set.contains(atom));
            moves.push((Move::AllReduce { atoms: set }, next));
        }
        for (dim, wanted) in self.goal.dims.iter().enumerate() {
            let scatter: Vec<Atom> = wanted.iter().copied().filter(|atom| to_finish.contains(atom)).collect();
            for count in 1..=scatter.len() {
                let atoms = scatter[..count].to_vec();
                let mut next = layout.clone();
                next.partial.retain(|atom| !atoms.contains(atom));
                next.dims[dim].extend_from_slice(&atoms);
                moves.push((Move::ReduceScatter { dim, atoms }, next));
            }
        }
        let to_join: Vec<Atom> =
            self.goal.partial.iter().copied().filter(|atom| self.is_free(layout, *atom)).collect();
        // Neutral elements of another reducer must not be reduced with what is still to finish.
        let mixes = !to_finish.is_empty() && self.source.reducer != self.target.reducer;
        if !to_join.is_empty() && !mixes {
            let mut next = layout.clone();
            next.partial.extend_from_slice(&to_join);
            next.partial.arrange();
            moves.push((Move::ToPartial { atoms: to_join }, next));
        }
    }

    fn cost(&self, step: &Move, before: &AtomLayout, after: &AtomLayout) -> CollectiveCost {
        let (input, output) = (self.local_bytes(before), self.local_bytes(after));
        let of = |pattern, atoms: &[Atom]| {
            CollectiveCost::of(pattern, self.atoms.sizes(atoms), input, output, self.machine)
        };
        match step {
            Move::Slice { .. } | Move::ToPartial { .. } => {
                CollectiveCost { sent: 0.0, seconds: self.machine[Coefficient::Launch] }
            }
            Move::Gather { dim, count } => of(Pattern::AllGather, tail(&before.dims[*dim], *count)),
            Move::AllToAll { from, count, .. } => of(Pattern::AllToAll, tail(&before.dims[*from], *count)),
            Move::Permute => of(Pattern::Permute, &[]),
            Move::AllReduce { atoms } => of(Pattern::AllReduce, atoms),
            Move::ReduceScatter { atoms, .. } => of(Pattern::ReduceScatter, atoms),
        }
    }

    fn path(&self, reached: &BTreeMap<AtomLayout, Reached>, goal: AtomLayout) -> Path {
        let end = &reached[&goal];
        let mut path = Path { steps: Vec::new(), seconds: end.seconds, sent: end.sent };
        let mut at = goal;
        while let Some((before, step)) = &reached[&at].came {
            path.steps.push(self.step(step, before, &at));
            at = before.clone();
        }
        path.steps.reverse();
        self.join(&mut path);
        path
    }

    /// Slices and permutes that follow each other are one step.
    fn join(&self, path: &mut Path) {
        let mut joined: Vec<ReshardStep> = Vec::new();
        for step in path.steps.drain(..) {
            match (joined.last_mut(), &step.op) {
                (Some(last), ReshardOp::Permute) if last.op == ReshardOp::Permute => {
                    last.to = step.to;
                    let bytes = self.subject.local_bytes(&last.to);
                    let twice = CollectiveCost::of(Pattern::Permute, 1, bytes, bytes, self.machine);
                    path.seconds -= twice.seconds;
                    path.sent -= twice.sent;
                }
                (
                    Some(ReshardStep { op: ReshardOp::AllSlice { axes }, to }),
                    ReshardOp::AllSlice { axes: more },
                ) => {
                    for (axes, more) in axes.iter_mut().zip(more) {
                        axes.extend_from_slice(more);
                    }
                    *to = step.to;
                }
                _ => joined.push(step),
            }
        }
        path.steps = joined;
    }

    fn sharding(&self, layout: &AtomLayout) -> Sharding {
        let mut sharding = self.source.clone();
        sharding.dims = layout.dims.iter().map(|dim| DimSharding::closed(self.atoms.write(dim))).collect();
        sharding.partial = self.atoms.write(&layout.partial);
        sharding.reducer = match (layout.partial.is_empty(), layout.partial == self.goal.partial) {
            (true, _) => Reducer::Sum,
            (false, true) => self.target.reducer,
            (false, false) => self.source.reducer,
        };
        sharding.replicated = Vec::new();
        sharding
    }

    fn step(&self, step: &Move, before: &AtomLayout, after: &AtomLayout) -> ReshardStep {
        let on_dim = |dim: usize, atoms: &[Atom]| {
            let mut axes = vec![Vec::new(); before.dims.len()];
            axes[dim] = self.atoms.write(atoms);
            axes
        };
        let reducer = self.source.reducer;
        let op = match step {
            Move::Slice { dim, atom } => ReshardOp::AllSlice { axes: on_dim(*dim, &[*atom]) },
            Move::Gather { dim, count } => {
                ReshardOp::AllGather { axes: on_dim(*dim, tail(&before.dims[*dim], *count)) }
            }
            Move::AllToAll { from, to, count } => {
                let axes = self.atoms.write(tail(&before.dims[*from], *count));
                ReshardOp::AllToAll { moves: vec![AxisMove { axes, from: *from, to: *to }] }
            }
            Move::Permute => ReshardOp::Permute,
            Move::AllReduce { atoms } => ReshardOp::AllReduce { axes: self.atoms.write(atoms), reducer },
            Move::ReduceScatter { dim, atoms } => {
                ReshardOp::ReduceScatter { axes: on_dim(*dim, atoms), reducer }
            }
            Move::ToPartial { atoms } => {
                ReshardOp::ToPartial { axes: self.atoms.write(atoms), reducer: self.target.reducer }
            }
        };
        ReshardStep { op, to: self.sharding(after) }
    }
}

fn tail(atoms: &[Atom], count: usize) -> &[Atom] {
    &atoms[atoms.len() - count..]
}

fn pairs(count: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..count).flat_map(move |a| (0..count).filter(move |b| *b != a).map(move |b| (a, b)))
}

/// Non-empty subsets; beyond a few atoms only the whole set and the single ones.
fn subsets(atoms: &[Atom]) -> Vec<Vec<Atom>> {
    const FEW: usize = 4;
    if atoms.len() > FEW {
        let singles = atoms.iter().map(|atom| vec![*atom]);
        return std::iter::once(atoms.to_vec()).chain(singles).collect();
    }
    let pick =
        |bits: usize| (0..atoms.len()).filter(move |at| bits >> at & 1 == 1).map(|at| atoms[at]).collect();
    (1..1usize << atoms.len()).rev().map(pick).collect()
}

/// Whether each dim has as many tiles in both layouts, made of the same multiset of atom sizes.
fn same_tiles(atoms: &Atoms, a: &AtomLayout, b: &AtomLayout) -> bool {
    a != b && a.dims.iter().zip(&b.dims).all(|(a, b)| atoms.sizes(a) == atoms.sizes(b))
}

#[cfg(test)]
mod tests {
    use super::*;
    use meshwright_base::Id;
    use meshwright_shard::{Axis, AxisId, AxisRef, MeshId};

    fn mesh(axes: &[(&str, i64)]) -> Mesh {
        let axes = axes.iter().map(|(name, size)| Axis { name: (*name).into(), size: *size });
        Mesh { name: "m".into(), axes: axes.collect(), order: None }
    }

    /// `"x,y|-"`: dim 0 over x then y, dim 1 over nothing; after `!` the partial axes.
    fn sharding(mesh: &Mesh, text: &str) -> Sharding {
        let (dims, partial) = text.split_once('!').unwrap_or((text, ""));
        let axis = |name: &str| {
            let found = mesh.axes.iter().find(|(_, axis)| &*axis.name == name);
            let (id, info) = found.expect("an axis of the test's mesh");
            AxisRef { axis: id, pre: 1, size: info.size }
        };
        let list =
            |text: &str| text.split(',').filter(|n| !n.is_empty() && *n != "-").map(axis).collect::<Vec<_>>();
        let mut sharding = Sharding::replicated(MeshId::from_index(0), dims.split('|').count());
        for (dim, text) in sharding.dims.iter_mut().zip(dims.split('|')) {
            dim.axes = list(text);
        }
        sharding.partial = list(partial);
        sharding
    }

    fn names(path: &Path) -> Vec<&'static str> {
        let name = |step: &ReshardStep| match step.op {
            ReshardOp::Any => "any",
            ReshardOp::AllGather { .. } => "gather",
            ReshardOp::AllSlice { .. } => "slice",
            ReshardOp::AllToAll { .. } => "all-to-all",
            ReshardOp::Permute => "permute",
            ReshardOp::AllReduce { .. } => "all-reduce",
            ReshardOp::ReduceScatter { .. } => "reduce-scatter",
            ReshardOp::ToPartial { .. } => "to-partial",
        };
        path.steps.iter().map(name).collect()
    }

    fn solved(axes: &[(&str, i64)], dims: &[i64], from: &str, to: &str) -> Path {
        let mesh = mesh(axes);
        let (from, to) = (sharding(&mesh, from), sharding(&mesh, to));
        let subject = Subject { dims, element_bits: 32 };
        solve(subject, &from, &to, &mesh, &Machine::default()).expect("a path")
    }

    const XY: [(&str, i64); 2] = [("x", 4), ("y", 2)];

    #[test]
    fn each_plain_change_is_one_step() {
        let steps = |from, to| names(&solved(&XY, &[64, 64], from, to));
        assert_eq!(steps("x|-", "-|x"), ["all-to-all"]);
        assert_eq!(steps("-|-", "x|y"), ["slice"]);
        assert_eq!(steps("x,y|-", "x|-"), ["gather"]);
        assert_eq!(steps("-|-!x", "-|-"), ["all-reduce"]);
        assert_eq!(steps("-|-!x", "x|-"), ["reduce-scatter"]);
        assert_eq!(steps("x,y|-", "y,x|-"), ["permute"]);
        assert_eq!(steps("-|-", "-|-!y"), ["to-partial"]);
        assert_eq!(steps("x,y|-", "-|x,y"), ["all-to-all"]);
        assert_eq!(steps("x|-", "x|-"), [""; 0]);
    }

    #[test]
    fn no_local_value_on_the_way_is_larger_than_both_ends() {
        // The reshard of jax issue 21562, which XLA does by full rematerialization.
        let dims = [64, 64, 64];
        let path = solved(&XY, &dims, "y|-|x", "-|x,y|-");
        assert!(!path.steps.is_empty());
        for step in &path.steps {
            let local: i64 = step.to.shard_shape(&dims).iter().product();
            assert!(local <= 64 * 64 * 64 / 8, "{:?}", names(&path));
        }
    }

    #[test]
    fn a_sum_is_finished_before_it_joins_a_product() {
        let mesh = mesh(&XY);
        let (from, mut to) = (sharding(&mesh, "-!x"), sharding(&mesh, "-!y"));
        to.reducer = Reducer::Product;
        let subject = Subject { dims: &[64], element_bits: 32 };
        let path = solve(subject, &from, &to, &mesh, &Machine::default()).expect("a path");
        assert_eq!(names(&path), ["all-reduce", "to-partial"]);
    }

    #[test]
    fn axes_of_other_sizes_are_exchanged_by_their_prime_parts() {
        let path = solved(&XY, &[64, 64], "x|-", "y|-");
        for step in &path.steps {
            assert!(step.to.shard_shape(&[64, 64])[0] <= 32, "{:?}", names(&path));
        }
    }

    #[test]
    fn a_partial_value_is_scattered_before_it_is_gathered_elsewhere() {
        let path = solved(&XY, &[64, 64], "-|-!x", "x|y");
        assert_eq!(names(&path), ["slice", "reduce-scatter"]);
        let unused = AxisRef { axis: AxisId::from_index(0), pre: 1, size: 4 };
        assert_eq!(path.steps[1].to.dims[0].axes, [unused]);
    }
}
