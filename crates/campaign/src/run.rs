//! Ranges of cases, counted.

use crate::check::{Failure, check};
use crate::family::{Family, all};
use crate::few::check_few;
use crate::generate::case_of;
use crate::report::Table;
use meshwright_base::arrange::Arrange;
use std::ops::Range;

/// How many failures are kept; the rest is counted.
const MOST_KEPT: usize = 100;

/// A case that came out wrong.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Failed {
    pub number: u64,
    pub failure: Failure,
}

/// What became of a range of cases.
#[derive(Clone, Debug, Default)]
pub struct Summary {
    pub cases: usize,
    /// Results that differ.
    pub mismatches: usize,
    pub panics: usize,
    /// Everything else: a verifier, a stage or the interpreter refused something.
    pub complaints: usize,
    /// The first ones, by number.
    pub failed: Vec<Failed>,
    pub table: Table,
}

/// Run the cases of a range one after another; `progress` hears of each. Ranges may be run anywhere and merged.
pub fn run(seed: u64, range: Range<u64>, mut progress: impl FnMut(u64)) -> Summary {
    run_of(seed, range, &all(), &mut progress)
}

/// The same with ops of some families only.
pub fn run_of(seed: u64, range: Range<u64>, families: &[Family], progress: &mut dyn FnMut(u64)) -> Summary {
    let mut summary = Summary::default();
    for number in range {
        let case = case_of(seed, number, families);
        let outcome = check(&case).and_then(|passed| check_few(&case).map(|()| passed));
        summary.add(number, outcome);
        progress(number);
    }
    summary
}

impl Summary {
    fn add(&mut self, number: u64, outcome: Result<crate::check::Passed, Failure>) {
        self.cases += 1;
        match outcome {
            Ok(passed) => self.table.count(&passed),
            Err(failure) => self.fail(number, failure),
        }
    }

    fn fail(&mut self, number: u64, failure: Failure) {
        match failure.stage {
            _ if failure.is_panic => self.panics += 1,
            "compare" => self.mismatches += 1,
            _ => self.complaints += 1,
        }
        self.failed.push(Failed { number, failure });
        self.failed.truncate(MOST_KEPT);
    }

    /// Join what another range gave. The order of joining does not matter.
    pub fn merge(mut self, other: Summary) -> Summary {
        self.cases += other.cases;
        self.mismatches += other.mismatches;
        self.panics += other.panics;
        self.complaints += other.complaints;
        self.failed.extend(other.failed);
        self.failed.arrange_by_key(|failed| failed.number);
        self.table.merge(&other.table);
        self
    }

    pub fn failures(&self) -> usize {
        self.mismatches + self.panics + self.complaints
    }
}
