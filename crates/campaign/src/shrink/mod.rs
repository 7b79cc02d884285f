//! From a failing case to a small one that fails the same way.
//!
//! First its choices are left out, zeroed and lowered: the program they make gets simpler, dims and meshes included.
//! Then the program itself is cut down: results, ops and annotations go one by one. Every step is checked again and
//! kept only if the failure is of the same class and the program smaller. The number of checks is bounded.

mod copy;
mod module;

use crate::check::{Failure, check};
use crate::generate::{Case, replay};
use meshwright_ir::Module;

/// Make a failing case smaller with at most so many checks.
pub fn shrink(case: &Case, failure: &Failure, most_checks: usize) -> (Case, Failure) {
    shrink_by(case, failure, most_checks, &|case| check(case).map(|_| ()))
}

/// The same for another way of checking.
pub fn shrink_by(
    case: &Case,
    failure: &Failure,
    most_checks: usize,
    check: &dyn Fn(&Case) -> Result<(), Failure>,
) -> (Case, Failure) {
    let (case, failure) = (case.clone(), failure.clone());
    // The second part is the surer one: it must not starve.
    let reserve = most_checks / 2;
    let mut search = Search { case, failure, checks_left: most_checks - reserve, check };
    while shrink_tape(&mut search) && search.checks_left > 0 {}
    search.checks_left += reserve;
    module::shrink_module(&mut search);
    (search.case, search.failure)
}

/// The smallest so far.
pub(crate) struct Search<'a> {
    pub case: Case,
    failure: Failure,
    checks_left: usize,
    check: &'a dyn Fn(&Case) -> Result<(), Failure>,
}

impl Search<'_> {
    /// Keep a candidate if it fails the same way and is smaller.
    pub fn offer(&mut self, candidate: Case) -> bool {
        if self.checks_left == 0 || size(&candidate) >= size(&self.case) {
            return false;
        }
        self.checks_left -= 1;
        match (self.check)(&candidate) {
            Err(failure) if failure.class() == self.failure.class() => {
                (self.case, self.failure) = (candidate, failure);
                true
            }
            _ => false,
        }
    }
}

/// What shrinking lessens: ops, devices, elements, annotations, then choices.
fn size(case: &Case) -> (usize, i64, i64, usize, usize, u64) {
    let module = &case.module;
    let ops = module.funcs.values().map(|func| func.insts_in_order().len()).sum();
    let devices =
        module.meshes.values().map(|mesh| mesh.device_count() + i64::from(mesh.order.is_some())).sum();
    let tape = case.tape.iter().map(|choice| u64::from(*choice)).sum();
    (ops, devices, elements(module), annotations(module), case.tape.len(), tape)
}

fn elements(module: &Module) -> i64 {
    let values = module.funcs.values().flat_map(|func| {
        let insts = func.insts_in_order().into_iter().flat_map(|inst| func.inst(inst).results.clone());
        insts
            .chain(func.param_values().to_vec())
            .map(|value| func.dims(value).iter().map(|size| size + 1).product::<i64>())
    });
    values.sum()
}

/// How much is said of shardings, and how many parameters and results there are.
fn annotations(module: &Module) -> usize {
    let weigh = |text: String| text.matches("AxisRef").count() * 4 + text.matches("true").count() + 1;
    let funcs = module.funcs.values().map(|func| {
        let values = func.values().values().filter_map(|value| value.sharding.as_ref());
        let results = func.results.iter().filter_map(|result| result.sharding.as_ref());
        let said: usize = values.chain(results).map(|sharding| weigh(format!("{sharding:?}"))).sum();
        said + func.param_values().len() + func.results.len()
    });
    funcs.sum()
}

/// Leave out, zero and lower choices; whether anything got smaller.
fn shrink_tape(search: &mut Search<'_>) -> bool {
    let mut any = false;
    for width in [64, 16, 8, 4, 2, 1] {
        any |= each_place(search, |tape, at| {
            tape.drain(at..(at + width).min(tape.len()));
        });
        any |= each_place(search, |tape, at| {
            let end = (at + width).min(tape.len());
            tape[at..end].fill(0);
        });
    }
    any |= each_place(search, |tape, at| tape[at] /= 2);
    any | each_place(search, |tape, at| tape[at] = tape[at].saturating_sub(1))
}

fn each_place(search: &mut Search<'_>, change: impl Fn(&mut Vec<u32>, usize)) -> bool {
    let mut any = false;
    let mut at = search.case.tape.len();
    while at > 0 {
        at -= 1;
        if at >= search.case.tape.len() {
            continue;
        }
        let mut tape = search.case.tape.clone();
        change(&mut tape, at);
        if tape != search.case.tape {
            any |= search.offer(replay(&tape, &search.case.families));
        }
    }
    any
}
