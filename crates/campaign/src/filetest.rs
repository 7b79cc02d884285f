//! A failing case as a filetest: the program in StableHLO, what to run on it, and what went wrong.

use crate::check::{Failure, loops, share_of_peak};
use crate::generate::{Case, Costs, Inputs};
use meshwright_spmd::Loops;
use meshwright_text::stablehlo::print;

/// The text of a filetest that shows the failure.
pub fn filetest(case: &Case, failure: &Failure) -> String {
    let devices = case.module.meshes.values().map(|mesh| mesh.device_count()).max().unwrap_or(1);
    let seeds = match case.inputs {
        Inputs::Small(seed) => format!("seeds={}", seed + 1),
        Inputs::Wild(_) => "seeds=3".to_string(),
    };
    let mut out = format!("// test run devices={devices} {seeds}\n");
    if let Inputs::Wild(seed) = case.inputs {
        out += &format!(
            "// Seen with the campaign's own inputs (seed {seed}), where indices miss their dims.\n"
        );
    }
    if case.machine != Costs::Usual {
        out += &format!("// Seen only with the campaign's machine {:?}\n", case.machine);
    }
    if let Loops::All(form) = loops(case.inputs) {
        out += &format!("// Every einsum that can be a loop is one: {form:?}\n");
    }
    if let Some(share) = share_of_peak(case.inputs) {
        out += &format!("// Planned as if nothing fitted, and made to fit in {share} tenths of its peak\n");
    }
    let what = if failure.is_panic { " panics" } else { "" };
    out += &format!("// At stage `{}`{what}:\n", failure.stage);
    for line in failure.message.lines().take(8) {
        out += &format!("//   {line}\n");
    }
    out + &print(&case.module)
}
