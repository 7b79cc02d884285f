//! What is decided so far: a strategy for each instruction, and what follows for values and their users.

use crate::plan::Use;
use crate::plan::edges::{Edges, edges};
use crate::plan::known::Known;
use crate::plan::needs::Needs;
use crate::plan::strategy::StrategyId;
use crate::plan::table::{ShardingId, Table};
use meshwright_base::IdMap;
use meshwright_base::arrange::Arrange;
use meshwright_ir::{InstId, ValueId};
use meshwright_shard::Sharding;
use std::sync::Arc;

pub(super) struct Draft<'a> {
    pub(super) chosen: IdMap<InstId, Option<StrategyId>>,
    /// Sharding each value is made with.
    pub(super) have: IdMap<ValueId, Option<ShardingId>>,
    /// And those that its users need.
    pub(super) needs: Needs<'a>,
    /// Since when changes are noted, if they are.
    changes: Option<Changes>,
}

/// What a draft was where it has been changed, in the order in which it was.
#[derive(Default)]
pub(super) struct Changes {
    chosen: Vec<(InstId, Option<StrategyId>)>,
    have: Vec<(ValueId, Option<ShardingId>)>,
    needs: Vec<(ValueId, Use, Option<ShardingId>)>,
}

impl Changes {
    /// The instructions that are chosen otherwise, each once.
    pub(super) fn insts(&self) -> Vec<InstId> {
        let mut insts: Vec<InstId> = self.chosen.iter().map(|(inst, _)| *inst).collect();
        insts.arrange();
        insts.dedup();
        insts
    }

    /// The values that are or have to become something else, each once.
    pub(super) fn values(&self) -> Vec<ValueId> {
        let needed = self.needs.iter().map(|(value, _, _)| *value);
        let mut values: Vec<ValueId> = self.have.iter().map(|(value, _)| *value).chain(needed).collect();
        values.arrange();
        values.dedup();
        values
    }
}

impl<'a> Draft<'a> {
    /// Instructions that have no choice, and for the others the completed shardings as a start.
    pub(super) fn start(known: &Known<'a>, table: &mut Table<'_>) -> Self {
        let mut draft = Draft {
            chosen: IdMap::filled(known.func.inst_count(), None),
            have: known.wish.clone(),
            needs: Needs::new(known.func),
            changes: None,
        };
        draft.needs.start_returns(known.func.root(), entry_needs(known, table));
        for inst in &known.order {
            match edges(known.module, known.func, *inst) {
                Some(edges) => draft.fix(known, *inst, edges, table),
                None => {
                    let operands = known.operands(*inst);
                    draft.needs.start_operands(*inst, operands.iter().map(|value| known.wish[*value]));
                }
            }
        }
        draft.needs.read_uses(&known.order);
        draft
    }

    /// Choose a strategy for an instruction.
    pub(super) fn choose(&mut self, inst: InstId, strategy: Option<StrategyId>) {
        let old = std::mem::replace(&mut self.chosen[inst], strategy);
        if let Some(changes) = &mut self.changes {
            changes.chosen.push((inst, old));
        }
    }

    /// Have a value made with this sharding; the one it had.
    pub(super) fn make(&mut self, value: ValueId, sharding: Option<ShardingId>) -> Option<ShardingId> {
        let old = std::mem::replace(&mut self.have[value], sharding);
        if let Some(changes) = &mut self.changes {
            changes.have.push((value, old));
        }
        old
    }

    /// Have a use of a value need this sharding; whether it did not already.
    pub(super) fn need(&mut self, value: ValueId, of: Use, need: Option<ShardingId>) -> bool {
        let old = self.needs.of(of);
        let changed = self.needs.set(value, of, need);
        if let Some(changes) = self.changes.as_mut().filter(|_| changed) {
            changes.needs.push((value, of, old));
        }
        changed
    }

    /// Note from now on what is changed.
    pub(super) fn note_changes(&mut self) {
        self.changes = Some(Changes::default());
    }

    /// What was changed since then. No more is noted.
    pub(super) fn take_changes(&mut self) -> Changes {
        self.changes.take().unwrap_or_default()
    }

    /// Take changes back; what it takes to make them again.
    pub(super) fn take_back(&mut self, changes: &Changes) -> Changes {
        self.note_changes();
        changes.chosen.iter().rev().for_each(|(inst, old)| self.choose(*inst, *old));
        changes.have.iter().rev().for_each(|(value, old)| _ = self.make(*value, *old));
        changes.needs.iter().rev().for_each(|(value, of, old)| _ = self.need(*value, *of, *old));
        self.take_changes()
    }

    fn fix(&mut self, known: &Known<'_>, inst: InstId, edges: Edges, table: &mut Table<'_>) {
        let info = known.func.inst(inst);
        self.needs.start_operands(inst, all_planned(edges.operands, table));
        let results = all_planned(edges.results, table);
        for (value, sharding) in info.results.iter().zip(results) {
            self.have[*value] = sharding.or(self.have[*value]);
        }
        for (region, needs) in info.regions.iter().zip(edges.regions).filter(|(_, needs)| !needs.is_empty()) {
            self.needs.start_returns(*region, all_planned(needs, table));
        }
        for (region, params) in info.regions.iter().zip(edges.params) {
            let params = all_planned(params, table);
            for (param, sharding) in known.func.block(*region).params.iter().zip(params) {
                self.have[*param] = sharding.or(self.have[*param]);
            }
        }
    }
}

fn all_planned(shardings: Vec<Option<Arc<Sharding>>>, table: &mut Table<'_>) -> Vec<Option<ShardingId>> {
    shardings.iter().map(|sharding| sharding.as_ref().map(|sharding| table.planned(sharding))).collect()
}

fn entry_needs(known: &Known<'_>, table: &mut Table<'_>) -> Vec<Option<ShardingId>> {
    let values = known.func.result_values();
    let asked =
        |at: usize| known.func.results.get(at).and_then(|info| info.sharding.as_ref()?.as_shared().cloned());
    let asked = all_planned((0..values.len()).map(asked).collect(), table);
    values.iter().zip(asked).map(|(value, asked)| asked.or(known.wish[*value])).collect()
}
