//! Queues made up from a seed: what a program takes in while it runs is the same in its partitioned form, and what both
//! give out is kept to be compared.

use crate::engine::to_host;
use meshwright_interp::{Feed, Style, Tensor, random_array};
use meshwright_ir::TensorType;
use meshwright_runtime::feed;
use std::cell::RefCell;
use std::collections::BTreeMap;

/// The array with this number in every queue of a seed.
fn queued(seed: u64, number: u64, ty: &TensorType) -> Option<Tensor> {
    /// Numbers of queued arrays stand beside those of parameters.
    const QUEUED: u64 = 1 << 48;
    random_array(ty, (seed ^ QUEUED).wrapping_add((number + 1) << 20), Style::Natural).ok()
}

/// The same queues for the devices of an engine.
pub fn on_engine(seed: u64) -> feed::Feed {
    feed::Feed::endless(move |_, number, ty| queued(seed, number, ty).as_ref().map(to_host))
}

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
        let mut taken = self.taken.borrow_mut();
        let number = taken.entry(device).or_default();
        *number += 1;
        queued(self.seed, *number - 1, ty)
    }

    fn give(&self, device: usize, array: Tensor) {
        self.left.borrow_mut().entry(device).or_default().push(array);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use meshwright_base::Id;
    use meshwright_ir::DType;
    use meshwright_runtime::DeviceId;

    #[test]
    fn the_queues_of_an_engine_are_those_of_the_interpreter_on_every_device() {
        let ty = TensorType::new(DType::F32, [4]);
        let (judge, engine) = (MadeUp::new(7), on_engine(7));
        let mut seen = Vec::new();
        for _ in 0..3 {
            let array = judge.take(0, &ty).map(|array| to_host(&array)).expect("a queue has no end");
            for device in [0, 1].map(DeviceId::from_index) {
                assert_eq!(engine.take(device, &ty).as_ref().map(|taken| &taken.bytes), Ok(&array.bytes));
            }
            seen.push(array.bytes);
        }
        assert!(seen[0] != seen[1] && seen[1] != seen[2], "each has numbers of its own");
    }
}
