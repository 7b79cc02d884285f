//! The passes by name, and the lists that run them.
//!
//! A pass has one name wherever it is seen: its file, its function, timings, dumps and filetests. What it rewrites
//! stands at the top of its file; here stands what it does in a line.

use crate::{Changed, Rematerialized};
use meshwright_base::cancel;
use meshwright_ir::Module;

/// A rewrite of one stage's module.
#[derive(Clone, Copy, Debug)]
pub struct Pass {
    pub name: &'static str,
    /// What it does, in a line.
    pub does: &'static str,
    pub work: Work,
}

/// What a pass needs besides the module.
#[derive(Clone, Copy, Debug)]
pub enum Work {
    Plain(fn(&mut Module) -> Changed),
    /// The most bytes that the program peak may have.
    Within(fn(&mut Module, i64) -> Rematerialized),
}

const fn plain(name: &'static str, does: &'static str, run: fn(&mut Module) -> Changed) -> Pass {
    Pass { name, does, work: Work::Plain(run) }
}

const PRUNE: Pass = plain("prune", "takes away functions that nobody calls", crate::prune);
const FOLD: Pass = plain("fold", "puts what an instruction is known to be in its place", crate::fold);
const BATCH_INDICES: Pass = plain(
    "batch_indices",
    "makes gathers and scatters whose indices count a dim of their own ones in batches",
    crate::batch_indices,
);
const INLINE: Pass = plain("inline", "puts a function that is called once where it is called", crate::inline);
const DCE: Pass = plain("dce", "takes away what nobody uses", crate::dce);
const MASK_MOTION: Pass = plain(
    "mask_motion",
    "drops a mask under elementwise ops that the same mask covers again",
    crate::mask_motion,
);
const PAD_MOTION: Pass = plain(
    "pad_motion",
    "pads behind what computes, not in front; makes padding a piece of what is put together",
    crate::pad_motion,
);
const SLICE_MOTION: Pass =
    plain("slice_motion", "cuts in front of what computes, not behind", crate::slice_motion);
const SLICE_GATHERS: Pass =
    plain("slice_gathers", "makes a gather of one index a slice that begins there", crate::slice_gathers);
const SIMPLIFY: Pass = plain(
    "simplify",
    "says movement, choices, conversions and bounds in fewer and smaller instructions",
    crate::simplify,
);
const CSE: Pass = plain("cse", "computes equal things once", crate::cse);
const BOUND_MOTION: Pass = plain(
    "bound_motion",
    "compares what was bounded instead of what is to be (a rectifier's gradient), so that the latter can go",
    crate::bound_motion,
);
const SUM_PIECES: Pass = plain(
    "sum_pieces",
    "adds a piece where it belongs, not a whole that is zero elsewhere",
    crate::sum_pieces,
);
const HOIST: Pass = plain(
    "hoist",
    "takes out of loops what they only hand on, and collectives that give the same every time",
    crate::hoist,
);
const TRANSPOSE_MOTION: Pass = plain(
    "transpose_motion",
    "turns products round whose sum over devices would be transposed",
    crate::transpose_motion,
);
const PERMUTE_MOTION: Pass =
    plain("permute_motion", "sends once what permutes would send twice", crate::permute_motion);
const REDUCE_SCATTER: Pass = plain(
    "reduce_scatter",
    "makes an all-reduce of which each device keeps its piece a reduce-scatter",
    crate::reduce_scatter,
);
const COMBINE_COLLECTIVES: Pass = plain(
    "combine_collectives",
    "makes one of several all-reduces over the same devices, and brings small ones together for it",
    crate::combine_collectives,
);
const SCHEDULE: Pass =
    plain("schedule", "puts instructions in an order in which less is alive at a time", crate::schedule);
/// Runs behind the lists, where there is a limit.
pub const REMATERIALIZE: Pass = Pass {
    name: "rematerialize",
    does: "computes values again rather than keep them; only with a memory limit",
    work: Work::Within(crate::rematerialize),
};

/// Every pass, in the order in which they first run.
pub const PASSES: &[Pass] = &[
    PRUNE,
    FOLD,
    BATCH_INDICES,
    INLINE,
    DCE,
    MASK_MOTION,
    PAD_MOTION,
    SLICE_MOTION,
    SLICE_GATHERS,
    SIMPLIFY,
    CSE,
    BOUND_MOTION,
    SUM_PIECES,
    HOIST,
    TRANSPOSE_MOTION,
    PERMUTE_MOTION,
    REDUCE_SCATTER,
    COMBINE_COLLECTIVES,
    SCHEDULE,
    REMATERIALIZE,
];

/// A pass in a list.
#[derive(Clone, Copy, Debug)]
pub enum ListedPass {
    Always(Pass),
    /// Only where the step before it changed something.
    Then(Pass),
}

impl ListedPass {
    pub const fn pass(&self) -> &Pass {
        let (ListedPass::Always(pass) | ListedPass::Then(pass)) = self;
        pass
    }
}

/// What runs before completion: functions nobody calls would be completed for nothing, branches that are never
/// chosen would have a say in how the rest is split, and batches say more than indices. What nobody uses is left: it
/// may say something of what is used (a sharding group).
pub const PREPARATION: &[ListedPass] =
    &[ListedPass::Always(PRUNE), ListedPass::Always(FOLD), ListedPass::Always(BATCH_INDICES)];

/// What runs between completion and planning. Plans are made function by function, and sums stay partial within one
/// only; what nobody uses has a sharding, but no say in what a plan costs.
pub const BEFORE_PLAN: &[ListedPass] = &[ListedPass::Always(INLINE), ListedPass::Always(DCE)];

/// The cleanup after partitioning.
///
/// Functions with one caller go into it, so that all else sees one program. What nobody uses goes first, so that no
/// time goes into it; then what moves masks, pads and slices, and what makes slices of gathers, of which `simplify`
/// makes less, so that one `cse` finds also what that made equal, and `bound_motion` the bounds that are then one.
/// Sums of pieces come behind what makes wholes alike, before loops are looked at. Collectives leave loops before
/// they are merged with others, permutes are joined before they are counted, and `combine_collectives` comes last of
/// those that look at collectives, since it fixes where they stand. What is left is put in the order in which least
/// is alive.
pub const CLEANUP: &[ListedPass] = &[
    ListedPass::Always(INLINE),
    ListedPass::Always(DCE),
    ListedPass::Always(MASK_MOTION),
    ListedPass::Always(PAD_MOTION),
    ListedPass::Always(SLICE_MOTION),
    ListedPass::Always(SLICE_GATHERS),
    ListedPass::Always(SIMPLIFY),
    ListedPass::Always(CSE),
    ListedPass::Always(BOUND_MOTION),
    ListedPass::Always(SUM_PIECES),
    ListedPass::Always(HOIST),
    ListedPass::Then(CSE),
    ListedPass::Always(TRANSPOSE_MOTION),
    ListedPass::Always(PERMUTE_MOTION),
    ListedPass::Always(REDUCE_SCATTER),
    ListedPass::Always(COMBINE_COLLECTIVES),
    ListedPass::Always(DCE),
    ListedPass::Always(SCHEDULE),
];

/// Run a list; `seen` looks at the module behind each pass that ran, and may end it. Passes that need a limit are no
/// part of a list.
pub fn run_passes<E>(
    list: &[ListedPass],
    module: &mut Module,
    mut seen: impl FnMut(&Pass, Changed, &Module) -> Result<(), E>,
) -> Result<(), E> {
    let mut changed = false;
    for step in list {
        let pass = step.pass();
        if matches!(step, ListedPass::Then(_)) && !changed {
            continue;
        }
        let Work::Plain(run) = pass.work else { continue };
        cancel::look();
        changed = run(module);
        seen(pass, changed, module)?;
    }
    Ok(())
}

/// Run a list, with nobody looking.
pub fn run_unseen(list: &[ListedPass], module: &mut Module) {
    let nothing = |_: &Pass, _, _: &Module| Ok::<(), std::convert::Infallible>(());
    let Ok(()) = run_passes(list, module, nothing);
}

/// Run [`CLEANUP`].
pub fn cleanup(module: &mut Module) {
    run_unseen(CLEANUP, module);
}
