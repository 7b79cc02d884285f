//! The known schedules beside their formulas, and what is refused.

use super::*;
use crate::codes;
use meshwright_base::SourceText;
use meshwright_base::diagnostic::{Place, render};

/// All the known ones of small sizes, with their names.
fn known() -> Vec<(String, Schedule)> {
    let mut known = Vec::new();
    let mut add = |name: String, schedule: Result<Schedule, Fault>| match schedule {
        Ok(schedule) => known.push((name, schedule)),
        Err(fault) => panic!("{name}: {fault}"),
    };
    for stages in 1..=5 {
        for microbatches in 1..=9 {
            let of = |name: &str| format!("{name} {stages} {microbatches}");
            add(of("gpipe"), Schedule::gpipe(stages, microbatches));
            add(of("1f1b"), Schedule::one_forward_one_backward(stages, microbatches));
            add(of("zero bubble"), Schedule::zero_bubble(stages, microbatches));
            for rounds in 2..=3 {
                add(of("circular"), Schedule::circular(stages, rounds, microbatches));
                let whole = microbatches * stages;
                add(of("interleaved"), Schedule::interleaved(stages, rounds, whole));
            }
        }
    }
    known
}

#[test]
fn the_known_schedules_are_sound_end_and_read_back() {
    for (name, schedule) in known() {
        let timeline = schedule.run(Durations::default());
        assert!((0.0..1.0).contains(&timeline.bubble()), "{name}");
        assert_eq!(Schedule::parse(&schedule.to_string()), Ok(schedule.clone()), "{name}");
        for stage in 0..schedule.stages() {
            let most = schedule.microbatches() * schedule.rounds();
            assert!((1..=most).contains(&timeline.live(stage)), "{name}");
        }
    }
}

/// Nothing begins before what it needs has ended, whatever passes take: told from the picture of the whole alone.
#[test]
fn work_begins_behind_what_it_needs() {
    for (name, schedule) in known() {
        for durations in [Durations::default(), Durations { forward: 3, inputs: 2, weights: 4 }] {
            let begun = timeline::begun(&schedule, durations).unwrap_or_else(|_| panic!("{name}"));
            let takes = |phase| match phase {
                Phase::Forward => durations.forward,
                Phase::Inputs => durations.inputs,
                Phase::Weights => durations.weights,
                Phase::Backward => durations.inputs + durations.weights,
            };
            let last = schedule.stages() as i64 * schedule.rounds() - 1;
            let mut ends = BTreeMap::new();
            for (stage, begun) in begun.iter().enumerate() {
                let mut free = 0;
                for (work, start) in schedule.order(stage).iter().zip(begun) {
                    assert!(*start >= free, "{name}");
                    free = start + takes(work.phase);
                    ends.insert((schedule.layer(stage, *work), work.microbatch, work.phase), (*start, free));
                }
            }
            let ended = |layer, microbatch, phases: [Phase; 2]| {
                let found = phases.iter().find_map(|phase| ends.get(&(layer, microbatch, *phase)));
                found.unwrap_or_else(|| panic!("{name}")).1
            };
            for ((layer, microbatch, phase), (start, _)) in &ends {
                let behind = match phase {
                    Phase::Forward if *layer == 0 => 0,
                    Phase::Forward => ended(layer - 1, *microbatch, [Phase::Forward; 2]),
                    Phase::Weights => ended(*layer, *microbatch, [Phase::Inputs; 2]),
                    Phase::Backward | Phase::Inputs if *layer == last => {
                        ended(*layer, *microbatch, [Phase::Forward; 2])
                    }
                    Phase::Backward | Phase::Inputs => {
                        ended(layer + 1, *microbatch, [Phase::Backward, Phase::Inputs])
                    }
                };
                assert!(*start >= behind, "{name}: {phase:?} of {microbatch} in layer {layer}");
            }
        }
    }
}

#[test]
fn bubbles_and_what_is_kept_are_those_of_the_formulas() {
    let close = |a: f64, b: f64| assert!((a - b).abs() < 1e-12, "{a} beside {b}");
    for stages in 1..=6 {
        for microbatches in stages..=12 {
            let (s, m) = (stages as f64, microbatches as f64);
            let run = |schedule: Result<Schedule, Fault>| {
                schedule.map(|schedule| schedule.run(Durations::default()))
            };
            let [gpipe, eager, halves] = [
                Schedule::gpipe(stages, microbatches),
                Schedule::one_forward_one_backward(stages, microbatches),
                Schedule::zero_bubble(stages, microbatches),
            ]
            .map(|schedule| run(schedule).unwrap_or_else(|fault| panic!("{fault}")));
            close(gpipe.bubble(), (s - 1.0) / (m + s - 1.0));
            close(eager.bubble(), gpipe.bubble());
            // A third of the wait is left: forward and back to the inputs, while weights' gradients fill the rest.
            close(halves.bubble(), (s - 1.0) / (3.0 * m + s - 1.0));
            for stage in 0..stages {
                assert_eq!(gpipe.live(stage as usize), microbatches);
                assert_eq!(eager.live(stage as usize), stages - stage);
                assert!(halves.live(stage as usize) <= stages);
            }
            for rounds in 2..=3 {
                let schedule = Schedule::interleaved(stages, rounds, stages * microbatches);
                let interleaved = run(schedule).unwrap_or_else(|fault| panic!("{fault}"));
                close(interleaved.bubble(), (s - 1.0) / (rounds as f64 * s * m + s - 1.0));
            }
        }
    }
}

#[test]
fn a_lockstep_order_is_a_pipeline_and_no_other() {
    for (name, schedule) in known() {
        let stages = schedule.stages() as i64;
        let expected = match (name.split(' ').next(), schedule.rounds()) {
            (Some("gpipe"), _) => Some(Pipeline::gpipe(stages)),
            (Some("circular"), rounds) => Some(Pipeline::circular(stages, rounds)),
            _ => schedule.pipeline().filter(|_| schedule.stages() == 1 || schedule.microbatches() == 1),
        };
        assert_eq!(schedule.pipeline(), expected, "{name}");
    }
}

/// What is said of a text that is no schedule.
fn said(text: &str) -> String {
    match Schedule::parse(text) {
        Ok(schedule) => panic!("{schedule}"),
        Err(found) => {
            assert_eq!(found.code, codes::CONTROL);
            assert!(found.help.is_some(), "{text}");
            render(&found, Some(&SourceText::new("mine", text)))
        }
    }
}

#[test]
fn what_is_no_schedule_is_refused_at_its_place() {
    let holds = |text: &str, words: &[&str]| {
        let said = said(text);
        words.iter().for_each(|word| assert!(said.contains(word), "{word:?} in {said}"));
    };
    holds("", &["no stages"]);
    holds("# nothing\n\n", &["no stages"]);
    holds("F0 X1", &["mine:1:4", "`X1` is nothing that a stage does"]);
    for word in ["F", "F-1", "F+1", "F1.", "F.1", "F99999999999999999999", "Fé", "é"] {
        holds(&format!("F0 B0 {word}"), &["mine:1:7", "is nothing that a stage does"]);
    }
    holds("F0 B0\nF0 B0 F0", &["mine:2:7", "stage 1 does `F0` twice"]);
    holds("F0 B0 W0", &["stage 0 does `W0` beside a backward pass that includes it"]);
    holds("F0 F1 B0 B1\nF0 B0 B1", &["stage 1 has no forward pass of microbatch 1", "write `F1`"]);
    holds("F0 I0", &["stage 0 has no backward pass to its weights of microbatch 0"]);
    holds("F0 F0.1 B0.1", &["stage 0 has no backward pass of microbatch 0"]);
    holds("F0 B0\nF0 B0 F1000000 B1000000", &["stage 0 has no forward pass of microbatch 1"]);
    holds("B0 F0", &["mine:1:1", "stage 0 waits with `B0` for its own `F0`, which comes later"]);
    holds("W0 I0 F0", &["stage 0 waits with `W0` for its own `I0`, which comes later"]);
    holds(
        "F0 B0 F1 B1\nF1 F0 B0 B1",
        &["stages of a schedule wait for each other", "stage 0 waits with `B0` for stage 1's `B0`"],
    );
}

/// Any order that was drawn is refused or ends, and every sound one stays sound when it is written and read.
#[test]
fn drawn_orders_are_refused_or_end() {
    let mut seed = 0x2545_f491_4f6c_dd1d_u64;
    let mut draw = |below: usize| {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        (seed % below as u64) as usize
    };
    let (mut sound, mut refused) = (0, 0);
    for (_, schedule) in known() {
        for _ in 0..20 {
            let mut orders = schedule.orders.clone();
            let stage = draw(orders.len());
            let order = &mut orders[stage];
            let (a, b) = (draw(order.len()), draw(order.len()));
            match draw(4) {
                0 => order.swap(a, b),
                1 => {
                    order.remove(a);
                }
                2 => order.insert(b, order[a]),
                _ => order[a].microbatch += 1,
            }
            match Schedule::of(orders) {
                Ok(other) => {
                    assert!(other.run(Durations::default()).end() > 0);
                    sound += 1;
                }
                Err(fault) => {
                    let told =
                        fault.told(|spot| Some(Place::Span(meshwright_base::Span::new(spot.at, spot.at))));
                    assert!(!told.message.is_empty() && told.help.is_some());
                    if let Fault::Deadlock { waits } = &fault {
                        let next = waits.iter().cycle().skip(1);
                        let is_circle =
                            waits.iter().zip(next).all(|(one, next)| one.for_at.stage == next.at.stage);
                        assert!(!waits.is_empty() && is_circle, "{fault:?}");
                    }
                    refused += 1;
                }
            }
        }
    }
    assert!(sound > 300 && refused > 3000, "{sound} {refused}");
}
