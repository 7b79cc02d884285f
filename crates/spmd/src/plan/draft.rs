//! What is decided so far: a strategy for each instruction, and what follows for values and their users.

use crate::plan::edges::{Edges, edges};
use crate::plan::known::Known;
use crate::plan::needs::{self, Needs};
use crate::plan::strategy::StrategyId;
use crate::plan::table::{ShardingId, Table};
use meshwright_base::IdMap;
use meshwright_ir::{InstId, ValueId};
use meshwright_shard::Sharding;
use std::sync::Arc;

pub(super) struct Draft<'a> {
    pub(super) chosen: IdMap<InstId, Option<StrategyId>>,
    /// Sharding each value is made with.
    pub(super) have: IdMap<ValueId, Option<ShardingId>>,
    /// And those that its users need.
    pub(super) needs: Needs<'a>,
}

/// A draft as it was.
pub(super) struct Saved {
    chosen: IdMap<InstId, Option<StrategyId>>,
    have: IdMap<ValueId, Option<ShardingId>>,
    needs: needs::Saved,
}

impl<'a> Draft<'a> {
    /// Instructions that have no choice, and for the others the completed shardings as a start.
    pub(super) fn start(known: &Known<'a>, table: &mut Table<'_>) -> Self {
        let mut draft = Draft {
            chosen: IdMap::filled(known.func.inst_count(), None),
            have: known.wish.clone(),
            needs: Needs::new(known.func),
        };
        draft.needs.start_returns(known.func.root(), entry_needs(known, table));
        for inst in &known.order {
            match edges(known.module, known.func, *inst) {
                Some(edges) => draft.fix(known, *inst, edges, table),
                None => {
                    let operands = &known.func.inst(*inst).operands;
                    draft.needs.start_operands(*inst, operands.iter().map(|value| known.wish[*value]));
                }
            }
        }
        draft.needs.read_uses(&known.order);
        draft
    }

    /// To go back to.
    pub(super) fn save(&self) -> Saved {
        Saved { chosen: self.chosen.clone(), have: self.have.clone(), needs: self.needs.save() }
    }

    pub(super) fn restore(&mut self, saved: Saved) {
        (self.chosen, self.have) = (saved.chosen, saved.have);
        self.needs.restore(saved.needs);
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
