//! A case: a random program of 1 to 6 ops with random shardings, from the choices of its number.

use crate::build::{Gen, Val, Want};
use crate::choices::Choices;
use crate::family::{Family, all, annotation, one_op};
use meshwright_cost::{Coefficient, Machine};
use meshwright_ir::{Annotation, Editor, Module, ValueId};

/// One case of a campaign.
#[derive(Clone, Debug)]
pub struct Case {
    pub module: Module,
    /// Whether results must agree bit for bit; otherwise to a relative 1e-9.
    pub exact: bool,
    pub inputs: Inputs,
    /// What planning takes a machine to be: other costs, other plans.
    pub machine: Costs,
    /// The choices it was made from, and the families they chose among.
    pub tape: Vec<u32>,
    pub families: Vec<Family>,
    /// What families tried to build and inference refused: mistakes in here.
    pub refused: Vec<String>,
}

/// The parameters' values, by seed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Inputs {
    /// As filetests make them up: indices stay within the dims.
    Small(u64),
    /// Of this crate: indices miss as well.
    Wild(u64),
}

/// Machines that make the planner choose differently; programs this small would all be replicated on a real one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Costs {
    /// The default machine: starting a collective costs most.
    Usual,
    /// Starting is free, links are slow: the fewest bytes win.
    Bytes,
    /// Everything but the ops themselves is nearly free: as split as possible.
    Work,
}

impl Costs {
    pub fn machine(self) -> Machine {
        let free = Machine::default().with(Coefficient::Start, 1e-12).with(Coefficient::Launch, 1e-12);
        match self {
            Costs::Usual => Machine::default(),
            Costs::Bytes => free.with(Coefficient::Link, 1e6),
            Costs::Work => free
                .with(Coefficient::Link, 1e12)
                .with(Coefficient::Memory, 1e3)
                .with(Coefficient::Products, 1e3),
        }
    }
}

/// Case `number` of the campaign under `seed`.
pub fn case(seed: u64, number: u64) -> Case {
    case_of(seed, number, &all())
}

/// The same with ops of some families only; there must be one at least.
pub fn case_of(seed: u64, number: u64, families: &[Family]) -> Case {
    from_choices(Choices::of_case(seed, number), families)
}

/// The case made by these choices, which may be any numbers.
pub fn replay(tape: &[u32], families: &[Family]) -> Case {
    from_choices(Choices::replayed(tape.to_vec()), families)
}

/// The case made of any bytes: what a fuzzer changes.
pub fn of_bytes(bytes: &[u8]) -> Case {
    from_choices(Choices::of_bytes(bytes), &all())
}

fn from_choices(mut choices: Choices, families: &[Family]) -> Case {
    let inputs = if choices.chance(50) {
        Inputs::Wild(u64::from(choices.below(1 << 16)))
    } else {
        Inputs::Small(u64::from(choices.below(3)))
    };
    let machine = choices.pick(&[Costs::Usual, Costs::Bytes, Costs::Work]);
    let mut g = Gen::new(choices);
    for _ in 0..1 + g.choices.index(6) {
        one_op(&mut g, families);
        annotation::some(&mut g, 30);
    }
    let results = results(&mut g);
    let root = g.func.root();
    g.returns(root, &results);
    annotate_edges(&mut g, &results);
    Case { families: families.to_vec(), ..finish(g, inputs, machine) }
}

fn finish(g: Gen, inputs: Inputs, machine: Costs) -> Case {
    let exact = !g.approximate;
    let mut module = g.module;
    let entry = module.entry;
    module.funcs[entry] = g.func;
    module.num_partitions = Some(module.meshes[g.mesh].device_count());
    Case {
        module,
        exact,
        inputs,
        machine,
        tape: g.choices.made().to_vec(),
        families: Vec::new(),
        refused: g.refused,
    }
}

/// What the program returns: values nobody uses, and now and then others.
fn results(g: &mut Gen) -> Vec<Val> {
    const MOST: usize = 5;
    let used = used(g);
    let made: Vec<Val> =
        g.visible().iter().filter(|value| g.func.def_inst(value.id).is_some()).cloned().collect();
    let mut results: Vec<Val> = made.iter().filter(|value| !used.contains(&value.id)).cloned().collect();
    results.dedup_by_key(|value| value.id);
    results.reverse();
    results.truncate(MOST);
    let more = g.choices.index(made.len());
    if let Some(value) = made.get(more).filter(|_| results.is_empty() || g.choices.chance(20)) {
        results.push(value.clone());
    }
    if results.is_empty() || g.choices.chance(3) {
        results.push(g.operand(Want::Any, 0, 3));
    }
    results
}

fn used(g: &Gen) -> Vec<ValueId> {
    let insts = g.func.insts_in_order();
    insts.into_iter().flat_map(|inst| g.func.inst(inst).operands.clone()).collect()
}

/// Random shardings on most parameters and half of the results.
fn annotate_edges(g: &mut Gen, results: &[Val]) {
    for param in g.func.param_values().to_vec() {
        if g.choices.chance(75) {
            let sharding = g.random_sharding(g.func.ty(param).rank());
            g.annotate(param, sharding);
        }
    }
    for (at, value) in results.iter().enumerate() {
        if g.choices.chance(50) {
            let sharding = g.random_sharding(value.ty.rank());
            if let Some(info) = Editor::new(&mut g.func).result_info_mut().get_mut(at) {
                info.sharding = Some(Annotation::from(sharding));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    #[test]
    fn a_number_always_gives_the_same_program_and_its_tape_gives_it_again() {
        for number in 0..50 {
            let (first, second) = (case(7, number), case(7, number));
            assert_eq!(format!("{:?}", first.module), format!("{:?}", second.module));
            assert_eq!(
                format!("{:?}", replay(&first.tape, &first.families).module),
                format!("{:?}", first.module)
            );
        }
        assert_ne!(case(7, 1).tape, case(8, 1).tape);
    }

    #[test]
    fn programs_pass_the_verifier_and_no_family_builds_what_is_refused() {
        for number in 0..600 {
            let case = case(11, number);
            assert_eq!(case.refused, Vec::<String>::new(), "case {number}");
            assert_eq!(meshwright_ir::verify(&case.module).err(), None, "case {number}");
        }
    }

    #[test]
    fn every_family_gets_its_share() {
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for number in 0..600 {
            let case = case(13, number);
            let main = case.module.main();
            for inst in main.insts_in_order() {
                *counts.entry(main.inst(inst).op.mnemonic()).or_default() += 1;
            }
        }
        let ops = [
            "dot_general",
            "reduce",
            "gather",
            "scatter",
            "sort",
            "top_k",
            "while",
            "if",
            "scan",
            "call",
            "case",
            "manual_computation",
            "dynamic_slice",
            "dynamic_update_slice",
            "all_reduce",
            "reduce_window",
            "concatenate",
            "pad",
            "slice",
            "reverse",
            "reshape",
            "sharding_constraint",
        ];
        for op in ops {
            assert!(counts.get(op).is_some_and(|count| *count >= 5), "{op}: {:?}", counts.get(op));
        }
    }

    #[test]
    fn the_simplest_choices_make_a_small_program() {
        let case = replay(&[], &all());
        assert!(case.module.main().insts_in_order().len() <= 2);
        assert_eq!(meshwright_ir::verify(&case.module), Ok(()));
    }
}
