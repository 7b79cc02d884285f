//! The passes of the engine, from lowered steps to a plan: one list, in order.
//!
//! Each rewrites the same [`Lowered`] program; the text of it after each can be seen (`--dump-after`), and what must
//! hold of it is checked after each in debug builds and tests.

mod carry;
mod compile_loops;
mod donate;
mod early;
mod in_place;
mod lives;
mod place;
mod prune;
#[cfg(test)]
mod tests;
mod tiles;

use crate::lower::Lowered;
use meshwright_steps::{Effects, Places, check, verify};

pub use place::Placed;
pub use prune::keep_needed;

/// A pass over steps.
pub struct StepPass {
    pub name: &'static str,
    /// What it does, in one line.
    pub about: &'static str,
    pub run: fn(&mut Lowered),
}

/// All of them, in the order in which they run.
pub const PASSES: [StepPass; 9] = [
    StepPass { name: "prune", about: "drop steps and stores that nobody reads", run: prune::prune },
    StepPass {
        name: "bands",
        about: "join neighbours that go by the same rows",
        run: crate::bands::join_bands,
    },
    StepPass {
        name: "early",
        about: "let convolutions write where the loop that reads them stores",
        run: early::write_early,
    },
    StepPass { name: "tiles", about: "let values of a loop share tiles", run: tiles::allocate_tiles },
    StepPass { name: "carry", about: "make what a loop hands on where its carry lies", run: carry::carry },
    StepPass {
        name: "in_place",
        about: "make values where what they are made of dies",
        run: in_place::in_place,
    },
    StepPass {
        name: "donate",
        about: "put results into parameters that were given away",
        run: donate::donate,
    },
    StepPass { name: "compile_loops", about: "choose how loops run", run: compile_loops::compile_loops },
    StepPass { name: "place", about: "give each buffer its place", run: place::place },
];

/// Run all passes.
pub fn run_all(lowered: &mut Lowered) {
    for pass in &PASSES {
        (pass.run)(lowered);
        verified(pass.name, lowered);
    }
    if cfg!(debug_assertions) {
        let faults = faults(lowered);
        assert!(faults.is_empty(), "the plan is wrong: {}", faults.join("; "));
    }
    lowered.steps.retain(&|_, step| step.renames().is_none());
}

/// Hold what a pass left against what must be so, in debug builds.
fn verified(pass: &str, lowered: &Lowered) {
    if cfg!(debug_assertions) {
        let faults = verify(&lowered.steps, &lowered.donated);
        assert!(faults.is_empty(), "the steps are wrong after `{pass}`: {}", faults.join("; "));
    }
}

/// What the checker finds wrong with a plan.
pub fn faults(lowered: &Lowered) -> Vec<String> {
    let places = Places {
        of: lowered.placed.places.clone(),
        arena: lowered.placed.memory.arena,
        donated: lowered.donated.clone(),
    };
    check(&lowered.steps, &lowered.steps.line(), &places).iter().map(ToString::to_string).collect()
}
