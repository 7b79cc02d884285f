//! One case through the texts: what is printed must read back as a program that computes the same.
//!
//! ```text
//! the case in StableHLO                  read, printed again (the same text), run
//! the partitioned program in StableHLO   read, printed again, run on the devices
//! the partitioned program in HLO         read, printed again, run on the devices
//! ```

use crate::check::{Failure, compare, inputs, partitioned};
use crate::generate::Case;
use crate::global::run_spmd;
use crate::panics::caught;
use meshwright_base::{Diagnostic, Id, SourceText};
use meshwright_interp::run_global;
use meshwright_ir::{Module, Placement, SpmdModule};
use meshwright_shard::MeshId;
use meshwright_text::Format;

/// Put a case through the texts.
pub fn check_texts(case: &Case) -> Result<(), Failure> {
    let mut stage = "print";
    caught(|| stages(case, &mut stage))
        .unwrap_or_else(|message| Err(Failure { stage, message, is_panic: true }))
}

fn stages(case: &Case, stage: &mut &'static str) -> Result<(), Failure> {
    let inputs = inputs(case).map_err(|found| Failure::of("reference")(vec![found]))?;
    let expected =
        run_global(&case.module, &inputs).map_err(|found| Failure::of("reference")(vec![found]))?;
    *stage = "case in stablehlo";
    let read = back(&case.module, Format::Stablehlo, stage)?;
    let results = run_global(&read, &inputs).map_err(one(stage))?;
    compare(case, &expected, &results).map_err(at(stage))?;
    let program = partitioned(case)?;
    for (format, name) in [(Format::Stablehlo, "program in stablehlo"), (Format::Hlo, "program in hlo")] {
        *stage = name;
        let read = back(program.module(), format, stage)?;
        let read = placed(read, &program).map_err(Failure::of(stage))?;
        let results = run_spmd(&read, &inputs).map_err(one(stage))?;
        compare(case, &expected, &results).map_err(at(stage))?;
    }
    Ok(())
}

/// What was read, with the placements of what was written. A text need not keep the meshes these lie on.
fn placed(mut read: Module, written: &SpmdModule) -> Result<SpmdModule, Vec<Diagnostic>> {
    let known = read.meshes.len();
    for mesh in written.module().meshes.values() {
        read.meshes.push(mesh.clone());
    }
    let moved = |placement: &Placement| {
        let mut placement = placement.clone();
        placement.sharding.mesh = MeshId::from_index(known + placement.sharding.mesh.index());
        placement
    };
    let params = written.params.iter().map(moved).collect();
    SpmdModule::new(read, params, written.results.iter().map(moved).collect())
}

fn one(stage: &'static str) -> impl Fn(Diagnostic) -> Failure {
    move |found| Failure::of(stage)(vec![found])
}

fn at(stage: &'static str) -> impl Fn(Failure) -> Failure {
    move |failure| Failure { stage, ..failure }
}

/// A module as its text says it; printed again it is the same text.
fn back(module: &Module, format: Format, stage: &'static str) -> Result<Module, Failure> {
    let text = meshwright_text::print(module, format);
    let read = meshwright_text::parse(&SourceText::new("case", text.clone())).map_err(Failure::of(stage))?;
    meshwright_ir::verify::verify(&read).map_err(Failure::of(stage))?;
    let again = meshwright_text::print(&read, format);
    let differs = text.lines().zip(again.lines()).find(|(a, b)| a != b);
    match differs {
        Some((first, second)) => {
            let message = format!("printed again it differs\n  {}\n  {}", first.trim(), second.trim());
            Err(Failure { stage, message, is_panic: false })
        }
        None => Ok(read),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::case;

    #[test]
    fn texts_of_cases_and_of_their_programs_keep_what_they_say() {
        let failed: Vec<String> = (0..60)
            .filter_map(|number| Some((number, check_texts(&case(1, number)).err()?)))
            .map(|(number, failure)| format!("case {number}, {}: {}", failure.stage, failure.message))
            .collect();
        assert_eq!(failed, Vec::<String>::new());
    }
}
