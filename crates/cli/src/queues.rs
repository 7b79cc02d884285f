//! Queues made up from a seed: what a program takes in while it runs is the same in its partitioned form, and what both
//! give out is kept to be compared.

use meshwright_interp::{Feed, Style, Tensor, random_array};
use meshwright_ir::TensorType;
use std::cell::RefCell;
use std::collections::BTreeMap;

/// Endless queues, the same for every device.
pub struct MadeUp {
    seed: u64,
    /// How many arrays each device has taken.
    taken: RefCell<BTreeMap<usize, u64>>,
    left: RefCell<BTreeMap<usize, Vec<Tensor>>>,
}

impl MadeUp {
    pub fn new(seed: u64) -> MadeUp {
        MadeUp { seed, taken: RefCell::default(), left: RefCell::default() }
    }

    /// What each device gave out.
    pub fn left(self) -> BTreeMap<usize, Vec<Tensor>> {
        self.left.into_inner()
    }
}

impl Feed for MadeUp {
    fn take(&self, device: usize, ty: &TensorType) -> Option<Tensor> {
        /// Numbers of queued arrays stand beside those of parameters.
        const QUEUED: u64 = 1 << 48;
        let mut taken = self.taken.borrow_mut();
        let count = taken.entry(device).or_default();
        *count += 1;
        random_array(ty, (self.seed ^ QUEUED).wrapping_add(*count << 20), Style::Natural).ok()
    }

    fn give(&self, device: usize, array: Tensor) {
        self.left.borrow_mut().entry(device).or_default().push(array);
    }
}
