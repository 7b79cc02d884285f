//! Let a step run earlier, with what must run before it.
//!
//! ```text
//! a;  loop { .. };  b = copy c;  b[i] = d        b[i] = d before the loop:        a;  b = copy c;  b[i] = d;  loop { .. }
//! ```
//!
//! Nothing moves over a step that touches the same memory, if either writes it; buffers that are one have one memory.
//! Nothing leaves its body. One walk over the items between.

use crate::alias::Touch;
use crate::body::{Body, Effects, Item, StepId, Steps, steps_in, tests_in};
use crate::region::{BufId, Mode};

impl<W: Effects> Steps<W> {
    /// Move a step of a body up, before the item that another step is in, with those between that must come before it;
    /// whether it could be. `moves` says which steps may be moved.
    pub fn move_up(&mut self, step: StepId, before: StepId, moves: &dyn Fn(&Self, StepId) -> bool) -> bool {
        let mut body = std::mem::take(&mut self.body);
        let moved = self.moved_up(&mut body, step, before, moves);
        self.body = body;
        moved
    }

    fn moved_up(
        &self,
        body: &mut Body,
        step: StepId,
        before: StepId,
        moves: &dyn Fn(&Self, StepId) -> bool,
    ) -> bool {
        let Some(end) = body.iter().position(|item| *item == Item::Step(step)) else {
            let mut inner = body.iter_mut().flat_map(Item::bodies_mut);
            return inner.any(|body| self.moved_up(body, step, before, moves));
        };
        let Some(first) =
            body[..end].iter().position(|item| steps_in(std::slice::from_ref(item)).contains(&before))
        else {
            return false;
        };
        let (mut moved, mut stays) = (Vec::new(), Vec::new());
        for item in body[first..=end].iter().rev() {
            let steps = steps_in(std::slice::from_ref(item));
            let bound = || {
                moved.iter().any(|one| self.touch_alike(&steps, tests_in(std::slice::from_ref(item)), *one))
            };
            match item {
                Item::Step(one) if *one == step || bound() => {
                    if !moves(self, *one) {
                        return false;
                    }
                    moved.push(*one);
                }
                other if !matches!(other, Item::Step(_)) && bound() => return false,
                other => stays.push(other.clone()),
            }
        }
        if moved.contains(&before) {
            return false;
        }
        let moved = moved.into_iter().rev().map(Item::Step);
        let order: Body = moved.chain(stays.into_iter().rev()).collect();
        body.splice(first..=end, order);
        true
    }

    /// Whether some of these steps and tests touch the memory that a step touches, and either writes it.
    fn touch_alike(&self, steps: &[StepId], tests: Vec<BufId>, one: StepId) -> bool {
        let own = self.touches(one);
        let tests = tests.into_iter().map(|buf| (Mode::Read, buf));
        let mut touches = steps.iter().flat_map(|step| self.touches(*step)).chain(tests);
        touches.any(|(mode, buf)| {
            let storage = self.storage_of(buf);
            let meets = |own: &Touch| self.storage_of(own.1) == storage;
            own.iter().any(|own| meets(own) && (mode == Mode::Write || own.0 == Mode::Write))
        })
    }
}
