//! Looking for a case that shows a fault: one that comes out wrong with it and right without it.

use crate::check::check_with;
use crate::faults::Fault;
use crate::generate::case;

/// What hunting a fault gave.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Hunt {
    /// Cases run until one came out wrong with the fault and right without it.
    pub found_after: Option<usize>,
    /// How many of them had a place for the fault.
    pub places: usize,
}

/// Look for a case that shows a fault, from case 0 on.
pub fn hunt(fault: &Fault, most_cases: usize, seed: u64) -> Hunt {
    let mut places = 0;
    for number in 0..most_cases {
        let case = case(seed, number as u64);
        let noticed = match check_with(&case, Some((fault, number))) {
            Ok(passed) => {
                places += usize::from(passed.was_at_fault);
                false
            }
            Err(_) => check_with(&case, None).is_ok(),
        };
        if noticed {
            return Hunt { found_after: Some(number + 1), places: places + 1 };
        }
    }
    Hunt { found_after: None, places }
}
