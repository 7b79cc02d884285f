//! Steps between members of a band move out of its way: before it if a member needs them, else behind it. What stands
//! between loops moves before them if it can, so that what it reads may be written over; and only where their values
//! leave all caches: to keep what the later one makes longer must be worth it.

use super::members::{Growing, Membership, Rule, Shape, part_of};
use meshwright_base::IdMap;
use meshwright_base::arrange::Arrange;
use meshwright_kernels::step::{Effects, Step};
use meshwright_steps::{StepId, Steps, Touch};
use std::collections::BTreeSet;

/// Steps of a band at most.
const MOST: usize = 24;
/// Steps between them at most.
const BETWEEN: usize = 24;

/// Steps that come together, by their places in the list.
pub struct Gathered {
    pub members: Vec<(usize, Membership)>,
    /// What moves before the band.
    before: Vec<usize>,
    /// What moves behind it.
    behind: Vec<usize>,
}

/// Steps with no loop or branch between them.
pub struct Run<'a> {
    pub steps: &'a Steps<Step>,
    pub ids: &'a [StepId],
    /// What each step of the program touches: they are compared in pairs, again and again.
    pub touches: &'a IdMap<StepId, Vec<Touch>>,
}

impl<'a> Run<'a> {
    pub fn at(&self, at: usize) -> &'a Step {
        self.steps.work(self.ids[at])
    }

    /// The steps from `first` on that may be a band; `wanted`: only these.
    pub fn gather(
        &self,
        shape: Shape,
        first: usize,
        rule: Rule,
        wanted: Option<&BTreeSet<usize>>,
    ) -> Gathered {
        let mut growing = Growing::new(shape, rule);
        let mut found = Gathered { members: Vec::new(), before: Vec::new(), behind: Vec::new() };
        let between = if shape.is_near() { 0 } else { BETWEEN };
        for at in first..self.ids.len() {
            let step = self.at(at);
            if found.members.len() == MOST || step.has_effect() || matches!(step, Step::Plain(_)) {
                break;
            }
            let part = growing.part(step).filter(|_| wanted.is_none_or(|wanted| wanted.contains(&at)));
            if let Some(part) = part
                && self.clear(&mut found, at)
            {
                growing.add(step, part);
                found.members.push((at, part));
                continue;
            }
            if shape.row.is_some() && self.is_free(&found, at) {
                found.before.push(at);
            } else {
                found.behind.push(at);
            }
            if found.behind.len() + found.before.len() > between {
                break;
            }
        }
        let last = found.members.last().map_or(first, |(at, _)| *at);
        found.before.retain(|at| *at < last);
        found
    }

    /// Whether a step has nothing to do with the members and what moves behind them.
    fn is_free(&self, found: &Gathered, at: usize) -> bool {
        let members = found.members.iter().map(|(member, _)| member);
        !members.chain(&found.behind).any(|other| self.meet(*other, at))
    }

    /// Move what a step needs of those behind the band before it; `false` if that cannot be.
    fn clear(&self, found: &mut Gathered, at: usize) -> bool {
        let mut needed = vec![at];
        for other in found.behind.iter().rev() {
            if needed.iter().any(|later| self.meet(*other, *later)) {
                needed.push(*other);
            }
        }
        let moved = &needed[1..];
        let stuck = |moved: &usize| {
            found.members.iter().any(|(member, _)| member < moved && self.meet(*member, *moved))
        };
        if moved.iter().any(stuck) {
            return false;
        }
        found.before.extend(moved);
        found.before.arrange();
        found.behind.retain(|other| !needed.contains(other));
        true
    }

    /// Whether two steps must stay in order. Products that make parts of one value need not.
    fn meet(&self, one: usize, other: usize) -> bool {
        let parts = part_of(self.at(one)).filter(|part| part_of(self.at(other)) == Some(*part));
        let touches = |at: usize| &self.touches[self.ids[at]];
        self.steps.in_order_but(touches(one), touches(other), parts)
    }
}

impl Gathered {
    /// The new order of all these steps: what moves before, the members, what moves behind.
    pub fn order(&self) -> (&[usize], Vec<usize>, Vec<usize>) {
        let members: Vec<usize> = self.members.iter().map(|(at, _)| *at).collect();
        let last = members.last().copied().unwrap_or(0);
        let behind = self.behind.iter().copied().filter(|at| *at < last).collect();
        (&self.before, members, behind)
    }
}
