//! What a search keeps to: the question, what steps cost, and how large values may be on the way.

use super::opened::Opened;
use super::question::Question;
use meshwright_cost::Machine;

/// How large values on the way may be.
#[derive(Clone, Copy)]
pub enum Room {
    /// As large as the larger of both ends.
    OfEnds,
    Any,
}

pub struct Setting<'a> {
    pub question: &'a Question,
    pub machine: &'a Machine,
    pub start: Opened,
    pub goal: Opened,
    /// Largest local bytes allowed on the way.
    limit: i64,
    /// Whether dims divide evenly on the way, as they do at both ends.
    is_exact: bool,
}

impl<'a> Setting<'a> {
    pub fn new(question: &'a Question, machine: &'a Machine, room: Room) -> Self {
        let (start, goal) = (Opened::new(question, &question.start), Opened::new(question, &question.goal));
        let limit = match room {
            Room::OfEnds => start.bytes.max(goal.bytes),
            Room::Any => i64::MAX,
        };
        let divides = |layout: &Opened| question.divides(layout.tiles.iter().copied());
        let is_exact = divides(&start) && divides(&goal);
        Setting { question, machine, start, goal, limit, is_exact }
    }

    /// Whether a value may be split into so many tiles on the way.
    pub fn is_allowed(&self, tiles: impl Iterator<Item = i64> + Clone) -> bool {
        self.question.bytes(tiles.clone()) <= self.limit && (!self.is_exact || self.question.divides(tiles))
    }
}
