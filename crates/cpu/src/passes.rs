//! The passes of the engine, from lowered steps to a plan: one list, in order.
//!
//! Each rewrites the same [`Lowered`] program. Its text behind each can be seen (`--dump-after NAME`, filetests
//! `cpu-steps NAME`), and what must hold of it is verified behind each in debug builds and tests, and where that is
//! asked for (`--verify-each`); at the end the checker goes over the finished plan by itself.

mod compile_loops;
mod donate;
mod drop_unread;
mod elide_conv_copy;
mod in_place;
mod join_bands;
mod lives;
mod place_buffers;
mod place_carries;
mod share_tiles;
mod spans;
mod sum_columns;
#[cfg(test)]
mod tests;

use crate::lower::Lowered;
use donate::donate;
use drop_unread::drop_unread;
use elide_conv_copy::elide_conv_copy;
use in_place::in_place;
use join_bands::join_bands;
use meshwright_base::cancel;
use meshwright_kernels::step::Step;
use meshwright_runtime::{RunError, RunErrorKind};
use meshwright_steps::{Effects, Makers, check, lives, verify};
use place_buffers::place_buffers;
use place_carries::place_carries;
use share_tiles::share_tiles;
use sum_columns::sum_columns;

pub use drop_unread::keep_needed;
pub use place_buffers::Placed;

/// A pass over steps.
pub struct StepPass {
    pub name: &'static str,
    /// What it does, in a line.
    pub does: &'static str,
    run: fn(&mut Lowered),
}

/// All of them, in the order in which they run.
pub const PASSES: [StepPass; 9] = [
    StepPass { name: "drop_unread", does: "takes away steps and stores that nobody reads", run: drop_unread },
    StepPass { name: "join_bands", does: "joins neighbours that go by the same rows", run: join_bands },
    StepPass {
        name: "sum_columns",
        does: "sums up columns of a loop's value while it is in the cache",
        run: sum_columns,
    },
    StepPass {
        name: "elide_conv_copy",
        does: "lets convolutions write where the loop that reads them stores its own result",
        run: elide_conv_copy,
    },
    StepPass { name: "share_tiles", does: "lets values of a loop share tiles", run: share_tiles },
    StepPass {
        name: "place_carries",
        does: "makes what a loop hands on where its carry lies",
        run: place_carries,
    },
    StepPass { name: "in_place", does: "makes values where what they are made of dies", run: in_place },
    StepPass { name: "donate", does: "puts results into parameters that were given away", run: donate },
    StepPass { name: "place_buffers", does: "gives each buffer its place", run: place_buffers },
];

/// Run all passes, choose how loops run, and hand over what is left to do; `see` is shown the program behind each pass.
/// Verified behind each if that is asked for, and in debug builds.
pub fn run_all(
    lowered: &mut Lowered,
    verify_each: bool,
    see: &mut dyn FnMut(&'static str, &Lowered),
) -> Result<(), RunError> {
    let verifies = cfg!(debug_assertions) || verify_each;
    for pass in &PASSES {
        cancel::look();
        let before = verifies.then(|| Makers::of(&lowered.steps));
        (pass.run)(lowered);
        if let Some(before) = before {
            verified(pass.name, lowered, &before)?;
        }
        see(pass.name, lowered);
    }
    if verifies {
        sound("the engine's plan is wrong", &faults(lowered))?;
    }
    compile_loops::compile_loops(lowered);
    // What only says how values go on, or begin, does not run.
    lowered.steps.retain(&|_, step| step.renames().is_none() && !matches!(step, Step::Touch { .. }));
    Ok(())
}

/// Hold what a pass left against what must be so, and what steps read against what they read before it.
fn verified(pass: &str, lowered: &Lowered, before: &Makers) -> Result<(), RunError> {
    sound(&format!("the engine's steps are wrong behind `{pass}`"), &faults_behind_a_pass(lowered, before))
}

fn faults_behind_a_pass(lowered: &Lowered, before: &Makers) -> Vec<String> {
    let mut faults = verify(&lowered.steps, &lowered.donated);
    faults.extend(before.changed(&lowered.steps));
    faults
}

/// Our defect, not the input's, if there is a fault.
fn sound(what: &str, faults: &[String]) -> Result<(), RunError> {
    if faults.is_empty() {
        return Ok(());
    }
    Err(RunError::new(RunErrorKind::Unsound, format!("{what}: {}", faults.join("; "))))
}

/// What the checker finds wrong with a plan, and with the lives that it declares.
fn faults(lowered: &Lowered) -> Vec<String> {
    let Some(plan) = lowered.placed.plan(&lowered.donated) else { return Vec::new() };
    let line = lowered.steps.line();
    let found = check(&lowered.steps, &line, &plan).into_iter().chain(lives(&lowered.steps, &line, &plan));
    found.map(|fault| fault.to_string()).collect()
}
