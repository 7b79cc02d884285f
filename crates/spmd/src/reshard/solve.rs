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

use super::path::{Path, ReshardStep, Subject};
use super::question::Question;
use super::search::{Chain, Ends};
use super::setting::Room;
use super::way::Ways;
use crate::atoms::AtomSize;
use meshwright_base::LookupMap;
use meshwright_cost::{CollectiveCost, Machine, Pattern};
use meshwright_ir::op::ReshardOp;
use meshwright_shard::axis::canonical_set;
use meshwright_shard::{Mesh, Reducer, Sharding};

/// From so many steps on it is worth asking whether parts of axes get there sooner, and how far it is asked.
const MANY: usize = 3;
const FEW_LAYOUTS: usize = 2_000;

/// Beyond so many layouts what is asked next is better.
const ALWAYS: Ends = Ends { seconds: f64::INFINITY, layouts: 20_000 };

/// Answers found already. Equal layers ask the same questions, and so do values that differ in names of axes only, or
/// in dims that stay whole.
#[derive(Default)]
pub struct Answers(LookupMap<Question, Option<Answer>>);

/// A chain, and the atoms it is of.
struct Answer {
    size: AtomSize,
    chain: Chain,
}

/// The cheapest path between two shardings over one mesh. `None` if there is none (reducers or manual axes differ).
pub fn solve(
    subject: Subject<'_>,
    [from, to]: [&Sharding; 2],
    mesh: &Mesh,
    machine: &Machine,
    answers: &mut Answers,
) -> Option<Path> {
    let same_manual = canonical_set(&from.manual) == canonical_set(&to.manual);
    if !same_manual || from.mesh != to.mesh || from.rank() != to.rank() {
        return None;
    }
    let ways = |size| Ways::new(subject, [from, to], mesh, size, machine);
    let found = ways(AtomSize::AsUsed).and_then(|used| {
        let fine = || ways(AtomSize::Prime).filter(|fine| fine.question != used.question);
        if !answers.0.contains_key(&used.question) {
            answers.0.insert(used.question.clone(), answer(&used, &fine));
        }
        let Answer { size, chain } = answers.0[&used.question].as_ref()?;
        match size {
            AtomSize::AsUsed => Some(used.path(chain)),
            AtomSize::Prime => Some(fine()?.path(chain)),
        }
    });
    found.or_else(|| through_replicated(subject, from, to, machine))
}

/// Search among the atoms as they are used, and where that is not good enough among finer ones, if there are.
fn answer<'a>(used: &Ways<'a>, fine: &dyn Fn() -> Option<Ways<'a>>) -> Option<Answer> {
    let as_used = |chain| Answer { size: AtomSize::AsUsed, chain };
    let finer = |ends| {
        let chain = fine()?.cheapest(Room::OfEnds, ends)?;
        Some(Answer { size: AtomSize::Prime, chain })
    };
    let Some(coarse) = used.cheapest(Room::OfEnds, ALWAYS) else {
        return finer(ALWAYS).or_else(|| used.cheapest(Room::Any, ALWAYS).map(as_used));
    };
    let path = used.path(&coarse);
    let fewer = Ends { seconds: path.seconds, layouts: FEW_LAYOUTS };
    let is_long = path.steps.len() >= MANY;
    Some(is_long.then(|| finer(fewer)).flatten().unwrap_or_else(|| as_used(coarse)))
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

#[cfg(test)]
mod tests {
    use super::*;
    use meshwright_base::Id;
    use meshwright_cost::network::{Network, Tier, TierKind};
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
        solve(subject, [&from, &to], &mesh, &Machine::default(), &mut Answers::default()).expect("a path")
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
        let path = solve(subject, [&from, &to], &mesh, &Machine::default(), &mut Answers::default())
            .expect("a path");
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
    fn what_lies_on_slow_links_is_gathered_while_it_is_small() {
        let tiers = vec![Tier::new(TierKind::Hosts, 4), Tier::new(TierKind::Switch, 4)];
        let slow = Machine { network: Network::new(tiers), ..Machine::default() }
            .with(meshwright_cost::Coefficient::Outer, 1e9);
        // Both axes have one size: only where they lie tells them apart.
        let first = |axes: &[(&str, i64)], machine: &Machine| {
            let mesh = mesh(axes);
            let (from, to) = (sharding(&mesh, "x|y"), sharding(&mesh, "-|-"));
            let subject = Subject { dims: &[64, 64], element_bits: 32 };
            let path = solve(subject, [&from, &to], &mesh, machine, &mut Answers::default()).expect("a path");
            match &path.steps[0].op {
                ReshardOp::AllGather { axes } => axes.iter().map(Vec::len).collect::<Vec<_>>(),
                other => panic!("{other:?}"),
            }
        };
        assert_eq!(first(&[("x", 4), ("y", 4)], &slow), [1, 0]);
        assert_eq!(first(&[("y", 4), ("x", 4)], &slow), [0, 1]);
    }

    #[test]
    fn a_partial_value_is_scattered_before_it_is_gathered_elsewhere() {
        let path = solved(&XY, &[64, 64], "-|-!x", "x|y");
        assert_eq!(names(&path), ["slice", "reduce-scatter"]);
        let unused = AxisRef { axis: AxisId::from_index(0), pre: 1, size: 4 };
        assert_eq!(path.steps[1].to.dims[0].axes, [unused]);
    }
}
