//! Time of an einsum together with the collective of one of its operands, or of its result: one behind the other, or a
//! piece at a time in a loop that computes while the next piece travels.
//!
//! ```text
//! in turn     gather ----------------> einsum ---------------->
//! looped      piece --> piece --> piece -->
//!             einsum ---> einsum ---> einsum ---> einsum --->
//! ```
//!
//! Both send the same bytes. A piece goes to one neighbour, so over one of the two ways out of a device on a ring, and
//! half of its link rate; a loop in both directions uses all of it. Pieces of a product are not free: what every piece
//! reads again is in the work that the caller states for one.

use crate::compute::Work;
use crate::machine::{Coefficient, Machine};

/// Neighbours of a device on a ring, which share its link rate.
const WAYS: f64 = 2.0;

/// A loop is worth its code if it takes less than this share of the time in turn.
const PAYS: f64 = 0.9;

/// An einsum whose operand or result travels in pieces.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Looped {
    /// The whole product, as one op.
    pub whole: Work,
    /// The product of one piece, with what it takes to cut and to collect it.
    pub piece: Work,
    /// Bytes of what travels at a time.
    pub bytes: f64,
    /// Devices of a group, and pieces.
    pub pieces: i64,
}

/// How a loop runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Form {
    /// Half of the pieces come from either neighbour.
    pub both_ways: bool,
    /// Two steps to a trip: what travels needs no copy between trips.
    pub unrolled: bool,
}

impl Form {
    /// The simplest first.
    pub const ALL: [Form; 4] = [
        Form { both_ways: false, unrolled: false },
        Form { both_ways: false, unrolled: true },
        Form { both_ways: true, unrolled: false },
        Form { both_ways: true, unrolled: true },
    ];

    /// Steps to a trip.
    pub fn steps(self) -> i64 {
        if self.unrolled { 2 } else { 1 }
    }
}

impl Looped {
    /// Seconds of the collective and then the einsum.
    pub fn in_turn(&self, machine: &Machine) -> f64 {
        let sent = self.bytes * (self.pieces - 1) as f64;
        machine[Coefficient::Start] + sent / link(machine) + self.whole.seconds(machine)
    }

    /// Seconds of the loop.
    pub fn in_loop(&self, form: Form, machine: &Machine) -> f64 {
        let others = self.pieces - 1;
        let at_once = if form.both_ways { 2 } else { 1 };
        let (steps, rest) = (others / at_once, others % at_once);
        let product = self.piece.seconds(machine);
        let wire = machine[Coefficient::Start] + self.bytes * WAYS / link(machine);
        let copies = if form.unrolled { 0.0 } else { 2.0 * self.bytes / machine[Coefficient::Memory] };
        let trip = machine[Coefficient::Launch] / form.steps() as f64;
        let step = (at_once as f64 * (product + copies)).max(wire) + trip;
        steps as f64 * step + rest as f64 * product.max(wire) + product
    }

    /// The fastest form; ties go to the simpler one.
    pub fn fastest(&self, machine: &Machine) -> Form {
        let faster = |best: Form, form: Form| {
            let is_faster = self.in_loop(form, machine) < self.in_loop(best, machine);
            if is_faster { form } else { best }
        };
        Form::ALL.into_iter().fold(Form::default(), faster)
    }

    /// The form to run it in, if a loop pays on a machine that computes while it sends.
    pub fn choose(&self, machine: &Machine) -> Option<Form> {
        let form = self.fastest(machine);
        let pays = self.in_loop(form, machine) < PAYS * self.in_turn(machine);
        let is_large = self.bytes * self.pieces as f64 >= machine.loops_from;
        (machine.overlaps() && self.pieces > 1 && is_large && pays).then_some(form)
    }
}

/// Bytes per second that a device of a ring sends: both ways together.
fn link(machine: &Machine) -> f64 {
    let rate = machine[Coefficient::Link] * machine[Coefficient::LinkShare];
    if machine.network.is_plain() { rate } else { WAYS * rate }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::Overlap;

    fn product(flops: f64, bytes: f64, pieces: i64) -> Looped {
        let work = |share: f64| Work { flops: flops / share, bytes: 0.0, is_contraction: true };
        Looped { whole: work(1.0), piece: work(pieces as f64), bytes, pieces }
    }

    #[test]
    fn a_loop_pays_where_products_take_as_long_as_what_is_sent() {
        // 8 pieces of 64 MB take 0.64 ms each to send, and as long to use.
        let even = product(8.0 * 6.4e10, 6.4e7, 8);
        let form = even.choose(&Machine::default());
        assert_eq!(form, Some(Form { both_ways: true, unrolled: true }));
    }

    #[test]
    fn small_products_are_not_looped() {
        assert_eq!(product(8.0 * 6.4e9, 6.4e6, 8).choose(&Machine::default()), None);
    }

    #[test]
    fn nothing_is_looped_where_nobody_computes_while_sending() {
        let machine = Machine { overlap: Overlap::Nothing, ..Machine::default() };
        assert_eq!(product(8.0 * 6.4e10, 6.4e7, 8).choose(&machine), None);
    }
}
