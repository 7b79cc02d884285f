//! What the compiler of TPUs writes beside each instruction: how many cycles it takes. Its costs count the body of a
//! loop once; here a body counts as often as it runs.
//!
//! ```text
//! while (i < 12), i from 0: body of 500 cycles        once 500, all trips 6,000
//! ```
//!
//! A loop's trips are read off its condition, a comparison of an element of what the loop carries with a constant. That
//! element counts up by one, as in loops of ours and of JAX. Collectives have no cycles there.

use crate::compiled::OptimizedProgram;
use crate::hlo::{Hlo, HloComputation, HloInstruction};

/// Cycles of a device's computing in a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Cycles {
    /// The body of each loop counted once.
    pub once: u64,
    /// As often as it runs.
    pub all: u64,
    pub loops: usize,
    /// Loops whose trips cannot be read: they count once in both.
    pub unread: usize,
}

impl Cycles {
    /// Seconds of the trips that are not in the compiler's own seconds of one.
    pub fn more_trips(&self, clock: f64) -> f64 {
        (self.all - self.once) as f64 / clock
    }
}

/// Cycles in a second, by the name of a machine (`tpu-v3:8x8`). Of v2 to v4 as their makers published them (Jouppi and
/// others, TPU v4, 2023, Table 4); of v5 what its peak takes in arrays of 128 x 128. Of others it is not known here.
pub fn clock(machine: &str) -> Option<f64> {
    const MEGAHERTZ: [(&str, f64); 6] = [
        ("tpu-v2", 700.0),
        ("tpu-v3", 940.0),
        ("tpu-v4", 1050.0),
        ("tpu-v4-core", 1050.0),
        ("tpu-v5e", 1500.0),
        ("tpu-v5p", 1750.0),
    ];
    let kind = machine.split(':').next()?;
    let found = MEGAHERTZ.iter().find(|(name, _)| *name == kind);
    found.map(|(_, megahertz)| megahertz * 1e6)
}

/// `None` where the compiler wrote no cycles, or the form is not known.
pub fn cycles(program: &OptimizedProgram) -> Option<Cycles> {
    let hlo = Hlo::of(program)?;
    let mut found = Cycles::default();
    add(&hlo, hlo.entry, 1, MOST_DEEP, &mut found);
    Some(found).filter(|found| found.once > 0)
}

/// Loops within loops: a module that goes on further is broken.
const MOST_DEEP: usize = 64;

fn add(hlo: &Hlo<'_>, computation: u64, trips: u64, deep: usize, found: &mut Cycles) {
    let (Some(computation), 1..) = (hlo.computation(computation), deep) else { return };
    for instruction in &computation.instructions {
        let cycles = estimated(instruction.config);
        found.once = found.once.saturating_add(cycles);
        found.all = found.all.saturating_add(cycles.saturating_mul(trips));
        match (instruction.opcode, &instruction.called[..]) {
            ("while", [body, condition]) => {
                let own = own_trips(hlo, computation, instruction, *condition);
                found.loops += 1;
                found.unread += usize::from(own.is_none());
                add(hlo, *body, trips.saturating_mul(own.unwrap_or(1)), deep - 1, found);
            }
            ("call" | "conditional" | "async-start", called) => {
                called.iter().for_each(|called| add(hlo, *called, trips, deep - 1, found));
            }
            _ => {}
        }
    }
}

/// The number behind `"estimated_cycles":"`.
fn estimated(config: &[u8]) -> u64 {
    const NAME: &str = "\"estimated_cycles\":\"";
    let text = std::str::from_utf8(config).unwrap_or("");
    let Some(at) = text.find(NAME) else { return 0 };
    let number = &text[at + NAME.len()..];
    number.split('"').next().and_then(|number| number.parse().ok()).unwrap_or(0)
}

/// How often a loop's body runs each time.
fn own_trips(
    hlo: &Hlo<'_>,
    outer: &HloComputation<'_>,
    of: &HloInstruction<'_>,
    condition: u64,
) -> Option<u64> {
    let condition = hlo.computation(condition)?;
    let compared = condition.instruction(condition.root)?;
    let [counter, bound] = compared.operands[..] else { return None };
    let bound = value(condition, bound)?;
    if (compared.opcode, compared.direction) != ("compare", "LT") {
        return None;
    }
    let counter = condition.instruction(counter)?;
    let carried = outer.instruction(*of.operands.first()?)?;
    let first = usize::try_from(counter.tuple_index).ok().and_then(|at| carried.operands.get(at));
    // Where it begins may be handed in; then it is where loops begin.
    let start = first.and_then(|first| value(outer, *first)).unwrap_or(0);
    u64::try_from(bound.checked_sub(start)?).ok()
}

/// The number that a constant is, also behind copies.
fn value(within: &HloComputation<'_>, mut id: u64) -> Option<i64> {
    for _ in 0..MOST_DEEP {
        let instruction = within.instruction(id)?;
        match (instruction.opcode, &instruction.operands[..]) {
            ("constant", _) => return instruction.number,
            ("copy" | "bitcast", [of]) => id = *of,
            _ => return None,
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hlo::tests::{constant, element, less, of, program, with_config, written};

    fn fusion(id: i64, cycles: u64) -> crate::wire::Message {
        let config = format!(r#"{{"window_config":{{"estimated_cycles":"{cycles}","x":1}}}}"#);
        with_config(written(id, "fusion", &[], &[]), &config)
    }

    /// `while (i < bound)` over a body, from `start`.
    fn looped(start: u8, compared: fn(i64, &[u8]) -> crate::wire::Message) -> OptimizedProgram {
        let condition = of(20, 23, vec![constant(21, 12), element(22, 9, 0), compared(23, &[22, 21])]);
        let body = of(10, 11, vec![fusion(11, 500)]);
        let main =
            vec![constant(2, start), written(3, "tuple", &[2], &[]), written(4, "while", &[3], &[10, 20])];
        let main = of(1, 5, main.into_iter().chain([fusion(5, 40)]).collect());
        program(1, vec![body, condition, main])
    }

    #[test]
    fn a_body_counts_as_often_as_it_runs() {
        let found = cycles(&looped(0, less)).unwrap();
        assert_eq!(found, Cycles { once: 540, all: 6040, loops: 1, unread: 0 });
        assert_eq!(cycles(&looped(2, less)).unwrap().all, 5040, "it begins at 2");
    }

    #[test]
    fn a_loop_that_cannot_be_read_counts_once() {
        let found = cycles(&looped(0, |id, operands| written(id, "and", operands, &[]))).unwrap();
        assert_eq!(found, Cycles { once: 540, all: 540, loops: 1, unread: 1 });
    }

    #[test]
    fn the_clock_is_that_of_the_kind() {
        assert_eq!(clock("tpu-v3:8x8"), Some(0.94e9));
        assert_eq!((clock("tpu-v9:2x2"), clock("")), (None, None));
        let cycles = Cycles { once: 540, all: 6040, loops: 1, unread: 0 };
        assert_eq!(cycles.more_trips(1e3), 5.5);
    }

    #[test]
    fn a_program_without_cycles_has_none() {
        assert_eq!(cycles(&program(1, vec![of(1, 2, vec![written(2, "add", &[], &[])])])), None);
    }
}
