//! Faults put in on purpose, each as a pass might make it: the plan is refused before anything runs.

mod programs;

use super::lives::Lives;
use super::place_buffers::placed;
use super::{PASSES, faults, faults_behind_a_pass};
use crate::lower::{Kind, Lowered, lower};
use meshwright_base::SourceText;
use meshwright_kernels::step::{BufId, Effects, Step};
use meshwright_steps::{Item, Life, Makers, PlacedAt, StepId};
use programs::{ALL, ARMS, CHAIN, HALVES, OLD_AND_NEW, PART, READ_LATER, UPDATED};

/// A fault that a pass might make, and the words it is refused with.
struct Planted {
    fault: &'static str,
    text: &'static str,
    /// The pass that makes it.
    pass: &'static str,
    plant: fn(&mut Lowered),
    refused: &'static str,
}

const WRITTEN_OVER: &str = "or was written over";
const OTHER_ORDER: &str = "which it reads in another order";
const OTHER_MAKERS: &str = "and read it as made by";

const PLANTED: &[Planted] = &[
    Planted {
        fault: "a value is made in the place of one that is still read",
        text: READ_LATER,
        pass: "in_place",
        plant: |all| unite(all, made(all, "fused", 0), made(all, "dot", 0)),
        refused: WRITTEN_OVER,
    },
    Planted {
        fault: "a product is made in the place of its operand",
        text: READ_LATER,
        pass: "in_place",
        plant: |all| unite(all, made(all, "fused", 0), made(all, "dot", 1)),
        refused: OTHER_ORDER,
    },
    Planted {
        fault: "a value is made over what a part of is still read",
        text: PART,
        pass: "in_place",
        plant: |all| unite(all, made(all, "fused", 0), made(all, "dot", 0)),
        refused: WRITTEN_OVER,
    },
    Planted {
        fault: "a value of a body is made where a carry lies that is still read",
        text: OLD_AND_NEW,
        pass: "place_carries",
        plant: |all| unite(all, made(all, "dot", 2), carry(all)),
        refused: WRITTEN_OVER,
    },
    Planted {
        fault: "a product of a carry is made where the carry lies",
        text: OLD_AND_NEW,
        pass: "place_carries",
        plant: |all| unite(all, made(all, "dot", 1), carry(all)),
        refused: OTHER_ORDER,
    },
    Planted {
        fault: "what a body makes is not copied into the carry, and lies elsewhere",
        text: OLD_AND_NEW,
        pass: "in_place",
        plant: leave_out_copies,
        refused: "which lies elsewhere",
    },
    Planted {
        fault: "the copy into a carry is dropped",
        text: OLD_AND_NEW,
        pass: "drop_unread",
        plant: |all| take_out(all, copy_into_carry(all)),
        refused: OTHER_MAKERS,
    },
    Planted {
        fault: "the copy into a carry moves over a step that reads the old value",
        text: OLD_AND_NEW,
        pass: "join_bands",
        plant: |all| move_before(all, copy_into_carry(all), step(all, "dot", 4)),
        refused: OTHER_MAKERS,
    },
    Planted {
        fault: "a step that is read is dropped",
        text: READ_LATER,
        pass: "drop_unread",
        plant: |all| take_out(all, step(all, "dot", 0)),
        refused: "which was not written on every way",
    },
    Planted {
        fault: "a step of one arm of a branch is dropped",
        text: ARMS,
        pass: "drop_unread",
        plant: |all| take_out(all, step(all, "fused", 0)),
        refused: "which was not written on every way",
    },
    Planted {
        fault: "a store of a loop is dropped",
        text: READ_LATER,
        pass: "drop_unread",
        plant: |all| {
            let step = step(all, "fused", 0);
            all.steps.work_mut(step).loops_mut().into_iter().for_each(|fused| fused.outputs.clear());
        },
        refused: "which was not written on every way",
    },
    Planted {
        fault: "a half of an array is dropped",
        text: HALVES,
        pass: "drop_unread",
        plant: |all| take_out(all, step(all, "fused", 1)),
        refused: OTHER_MAKERS,
    },
    Planted {
        fault: "a half of an array is stored in the slot of the other",
        text: HALVES,
        pass: "drop_unread",
        plant: |all| move_half(all, -64),
        refused: "is written by two steps",
    },
    Planted {
        fault: "a half of an array is stored beyond its end",
        text: HALVES,
        pass: "drop_unread",
        plant: |all| move_half(all, 64),
        refused: "touches bytes",
    },
    Planted {
        fault: "an update is dropped",
        text: UPDATED,
        pass: "drop_unread",
        plant: |all| take_out(all, step(all, "copy", 1)),
        refused: OTHER_MAKERS,
    },
    Planted {
        fault: "an update moves over the step that reads it",
        text: UPDATED,
        pass: "join_bands",
        plant: |all| move_before(all, step(all, "dot", 1), step(all, "copy", 1)),
        refused: OTHER_MAKERS,
    },
    Planted {
        fault: "an array is copied over its update",
        text: UPDATED,
        pass: "join_bands",
        plant: |all| move_before(all, step(all, "copy", 1), step(all, "copy", 0)),
        refused: OTHER_MAKERS,
    },
    Planted {
        fault: "a loop joins one before the update of what it reads",
        text: UPDATED,
        pass: "join_bands",
        plant: |all| {
            let (first, second) = (step(all, "fused", 0), step(all, "fused", 1));
            move_before(all, first, step(all, "copy", 1));
            join(all, first, second);
        },
        refused: OTHER_MAKERS,
    },
    Planted {
        fault: "a step is in the body twice",
        text: READ_LATER,
        pass: "join_bands",
        plant: |all| {
            let first = step(all, "dot", 0);
            all.steps.body.push(Item::Step(first));
        },
        refused: "is in the body twice",
    },
    Planted {
        fault: "buffers of different sizes are one",
        text: OLD_AND_NEW,
        pass: "place_carries",
        plant: |all| unite(all, made(all, "fused", 0), carry(all)),
        refused: "bytes lies in",
    },
    Planted {
        fault: "a result lies in a parameter that was given away and is still read",
        text: CHAIN,
        pass: "donate",
        plant: |all| unite(all, made(all, "dot", 1), input(all, 1)),
        refused: OTHER_ORDER,
    },
    Planted {
        fault: "a value is made in a parameter that was not given away",
        text: CHAIN,
        pass: "donate",
        plant: |all| unite(all, made(all, "dot", 1), input(all, 0)),
        refused: "a parameter that was not given away",
    },
    Planted {
        fault: "buffers that are alive together have the same place",
        text: READ_LATER,
        pass: "place_buffers",
        plant: |all| {
            let (a, b) = (made(all, "dot", 0), made(all, "fused", 0));
            all.placed.places[b] = all.placed.places[a];
        },
        refused: WRITTEN_OVER,
    },
    Planted {
        fault: "buffers that are alive together overlap in the arena",
        text: CHAIN,
        pass: "place_buffers",
        plant: |all| {
            let (a, b) = (made(all, "dot", 0), made(all, "dot", 1));
            if let PlacedAt::Arena(at) = all.placed.places[a] {
                all.placed.places[b] = PlacedAt::Arena(at + 192);
            }
        },
        refused: OTHER_ORDER,
    },
    Planted {
        fault: "the arena is too small",
        text: CHAIN,
        pass: "place_buffers",
        plant: |all| all.placed.memory.arena -= 64,
        refused: "of an arena of",
    },
    Planted {
        fault: "a life ends one step too early",
        text: CHAIN,
        pass: "place_buffers",
        plant: |all| place_with(all, made(all, "dot", 0), |last| last - 1),
        refused: OTHER_ORDER,
    },
    Planted {
        fault: "a declared life ends one step too early, and its place is right",
        text: CHAIN,
        pass: "place_buffers",
        plant: |all| declare(all, made(all, "dot", 0), |life| Life { last: life.last - 1, ..life }),
        refused: "whose declared life is from",
    },
    Planted {
        fault: "a declared life begins behind the step that makes the value",
        text: CHAIN,
        pass: "place_buffers",
        plant: |all| declare(all, made(all, "dot", 0), |life| Life { first: life.first + 1, ..life }),
        refused: "whose declared life is from",
    },
    Planted {
        fault: "a declared life goes on where another buffer has the bytes",
        text: READ_LATER,
        pass: "place_buffers",
        plant: |all| {
            let (a, b) = (made(all, "dot", 0), made(all, "fused", 0));
            all.placed.places[b] = all.placed.places[a];
        },
        refused: "are both alive here and share bytes",
    },
    Planted {
        fault: "what comes into a loop from before lives until it is read first",
        text: OLD_AND_NEW,
        pass: "place_buffers",
        plant: |all| {
            let line = all.steps.line();
            let reader = step(all, "dot", 2);
            let at = line.points.iter().position(|point| point.step() == Some(&reader)).unwrap();
            place_with(all, made(all, "dot", 0), |_| at);
        },
        refused: WRITTEN_OVER,
    },
];

/// What is found wrong with a module's steps; `plant` is called behind the pass of this name, and what is found behind
/// that comes first.
fn planned(text: &str, behind: &str, plant: &dyn Fn(&mut Lowered)) -> Vec<String> {
    let parsed = meshwright_text::parse(&SourceText::new("planted".to_string(), text.to_string()));
    let module = parsed.map_err(|all| all.first().map_or(String::new(), ToString::to_string)).unwrap();
    let mut lowered = lower(&module, 1, true).unwrap();
    for pass in &PASSES {
        let before = Makers::of(&lowered.steps);
        (pass.run)(&mut lowered);
        if pass.name == behind {
            plant(&mut lowered);
        }
        let found = faults_behind_a_pass(&lowered, &before);
        if !found.is_empty() {
            return found;
        }
    }
    faults(&lowered)
}

/// A step of a family, by its place among them.
fn step(lowered: &Lowered, kind: &str, at: usize) -> StepId {
    let mut order = lowered.steps.order().into_iter();
    order.by_ref().filter(|step| lowered.steps.work(*step).kind() == kind).nth(at).unwrap()
}

fn made(lowered: &Lowered, kind: &str, at: usize) -> BufId {
    lowered.steps.work(step(lowered, kind, at)).writes()[0]
}

fn input(lowered: &Lowered, param: usize) -> BufId {
    lowered.steps.bufs.keys().find(|buf| lowered.kind(*buf) == Kind::Input(param)).unwrap()
}

/// The carry of [`OLD_AND_NEW`] that is multiplied by itself, and the copy into it.
fn carry(lowered: &Lowered) -> BufId {
    lowered.steps.work(step(lowered, "dot", 1)).reads()[0]
}

fn copy_into_carry(lowered: &Lowered) -> StepId {
    let copies = lowered.steps.order().into_iter().rev();
    let into =
        |step: &StepId| matches!(lowered.steps.work(*step), Step::Copy(copy) if copy.to == carry(lowered));
    copies.into_iter().find(into).unwrap()
}

fn unite(lowered: &mut Lowered, one: BufId, into: BufId) {
    let (one, into) = (lowered.steps.shared.root(one), lowered.steps.shared.root(into));
    lowered.steps.shared.put(one, into);
}

fn take_out(lowered: &mut Lowered, out: StepId) {
    lowered.steps.retain(&|step, _| step != out);
}

/// A step runs before another one of its run.
fn move_before(lowered: &mut Lowered, moved: StepId, other: StepId) {
    lowered.steps.each_run(&mut |_, run| {
        run.retain(|step| *step != moved);
        if let Some(at) = run.iter().position(|step| *step == other) {
            run.insert(at, moved);
        }
    });
}

/// The first of two loops does what the second did.
fn join(lowered: &mut Lowered, first: StepId, second: StepId) {
    let Step::Fused(joined) = lowered.steps.work(second).clone() else { panic!("a loop") };
    let Step::Fused(fused) = lowered.steps.work_mut(first) else { panic!("a loop") };
    fused.inputs.extend(joined.inputs);
    fused.outputs.extend(joined.outputs);
    take_out(lowered, second);
    lowered.steps.hand_over(second, first);
}

/// No copy is made: its result is the operand under another name.
fn leave_out_copies(lowered: &mut Lowered) {
    for step in lowered.steps.order() {
        if let Step::Copy(copy) = lowered.steps.work(step) {
            let (from, to) = (copy.from, copy.to);
            *lowered.steps.work_mut(step) = Step::Rename { from, to };
        }
    }
}

/// Store the second half of [`HALVES`] elsewhere.
fn move_half(lowered: &mut Lowered, rows: isize) {
    let half = step(lowered, "fused", 1);
    let Step::Fused(fused) = lowered.steps.work_mut(half) else { panic!("a loop") };
    fused.outputs.iter_mut().filter_map(|output| output.runs.as_mut()).for_each(|runs| runs.offset += rows);
}

/// Place all buffers anew, as if this one lived until another step.
fn place_with(lowered: &mut Lowered, buf: BufId, last: impl Fn(usize) -> usize) {
    let mut lives = Lives::of(lowered);
    let root = lowered.steps.shared.root(buf);
    lives.last[root] = last(lives.last[root]);
    lowered.placed = placed(lowered, &lives);
}

/// Declare another life of a buffer, and leave everything where it is.
fn declare(lowered: &mut Lowered, buf: BufId, other: impl Fn(Life) -> Life) {
    let root = lowered.steps.shared.root(buf);
    let life = &mut lowered.placed.lives[root];
    *life = life.map(other);
}

#[test]
fn what_is_planned_is_right_without_a_planted_fault() {
    for text in ALL {
        assert_eq!(planned(text, "drop_unread", &|_| {}), Vec::<String>::new());
    }
}

#[test]
fn each_planted_fault_is_refused_before_anything_runs() {
    let mut missed = Vec::new();
    for Planted { fault, text, pass, plant, refused } in PLANTED {
        let found = planned(text, pass, plant);
        if !found.iter().any(|found| found.contains(refused)) {
            missed.push(format!("{fault}: {found:?}"));
        }
    }
    assert!(missed.is_empty(), "{missed:#?}");
}
