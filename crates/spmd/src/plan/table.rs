//! Interned shardings and remembered reshard costs.
//!
//! A plan compares the same few shardings thousands of times; here each is a number, and the cost from one to another
//! for one shape is solved once.

use crate::Goal;
use crate::axes::planned;
use crate::plan::price::Price;
use crate::reshard::Paths;
use crate::reshard::path::{Path, Subject};
use crate::reshard::solve::Answers;
use meshwright_base::{IdMap, LookupMap, define_id};
use meshwright_cost::Machine;
use meshwright_ir::Type;
use meshwright_shard::{Meshes, Sharding};
use std::sync::Arc;

define_id!(
    /// An interned sharding.
    pub ShardingId, "sharding"
);

define_id!(
    /// An interned shape with its element width.
    pub ShapeId, "shape"
);

/// What a table knows, from one plan of a module to the next: numbers of shardings and shapes, what reshards cost.
#[derive(Default)]
pub struct Entries {
    shardings: IdMap<ShardingId, Arc<Sharding>>,
    shapes: IdMap<ShapeId, (Vec<i64>, i64)>,
    sharding_ids: LookupMap<Arc<Sharding>, ShardingId>,
    /// What shardings as completion left them are in plans, by where they lie: they are kept, so no other comes to lie
    /// there.
    planned_ids: LookupMap<*const Sharding, (Arc<Sharding>, ShardingId)>,
    /// By the element's bits, then by the dims.
    shape_ids: LookupMap<i64, LookupMap<Vec<i64>, ShapeId>>,
    costs: LookupMap<(ShapeId, ShardingId, ShardingId), Price>,
    answers: Answers,
}

pub struct Table<'a> {
    pub meshes: &'a Meshes,
    pub machine: &'a Machine,
    pub goal: Goal,
    pub entries: &'a mut Entries,
}

impl Table<'_> {
    pub fn intern(&mut self, sharding: Sharding) -> ShardingId {
        match self.entries.sharding_ids.get(&sharding) {
            Some(id) => *id,
            None => self.add(Arc::new(sharding)),
        }
    }

    fn add(&mut self, sharding: Arc<Sharding>) -> ShardingId {
        let id = self.entries.shardings.push(sharding.clone());
        self.entries.sharding_ids.insert(sharding, id);
        id
    }

    /// A sharding as plans compare it.
    pub fn planned(&mut self, sharding: &Arc<Sharding>) -> ShardingId {
        if let Some((_, id)) = self.entries.planned_ids.get(&Arc::as_ptr(sharding)) {
            return *id;
        }
        let planned = planned(sharding);
        let id = match self.entries.sharding_ids.get(&planned) {
            Some(id) => *id,
            None if planned == **sharding => self.add(sharding.clone()),
            None => self.add(Arc::new(planned)),
        };
        self.entries.planned_ids.insert(Arc::as_ptr(sharding), (sharding.clone(), id));
        id
    }

    pub fn sharding(&self, id: ShardingId) -> &Arc<Sharding> {
        &self.entries.shardings[id]
    }

    pub fn shape(&mut self, ty: &Type) -> ShapeId {
        let bits = ty.as_tensor().map_or(0, |tensor| i64::from(tensor.dtype.bits()));
        let ids = self.entries.shape_ids.entry(bits).or_default();
        if let Some(id) = ids.get(ty.dims()) {
            return *id;
        }
        let id = self.entries.shapes.push((ty.dims().to_vec(), bits));
        ids.insert(ty.dims().to_vec(), id);
        id
    }

    /// What it takes to bring a value of a shape from one sharding to another; infinite if there is no way.
    pub fn reshard(&mut self, shape: ShapeId, from: ShardingId, to: ShardingId) -> Price {
        if from == to {
            return Price::default();
        }
        if let Some(price) = self.entries.costs.get(&(shape, from, to)) {
            return *price;
        }
        let Entries { shapes, shardings, answers, .. } = &mut *self.entries;
        let (dims, element_bits) = &shapes[shape];
        let subject = Subject { dims, element_bits: *element_bits };
        let mut paths = Paths { meshes: self.meshes, machine: self.machine, answers };
        let priced = |path: Path| Price { sent: path.sent, seconds: path.seconds };
        let price = paths.find(subject, &shardings[from], &shardings[to]).map_or(Price::ENDLESS, priced);
        self.entries.costs.insert((shape, from, to), price);
        price
    }

    /// Cheapest tree that reaches every needed sharding from the one a value has; each edge is one reshard. Returns the
    /// total and, in the order they must be made, (from, to).
    pub fn tree(
        &mut self,
        shape: ShapeId,
        have: ShardingId,
        needs: &[ShardingId],
    ) -> (Price, Vec<(ShardingId, ShardingId)>) {
        let mut left: Vec<ShardingId> = needs.iter().copied().filter(|need| *need != have).collect();
        let (mut total, mut edges) = (Price::default(), Vec::new());
        if left.is_empty() {
            return (total, edges);
        }
        let mut reached = vec![have];
        while !left.is_empty() {
            let mut best = (Price::ENDLESS, 0, have);
            for (at, need) in left.iter().enumerate() {
                for from in &reached {
                    let price = self.reshard(shape, *from, *need);
                    if price.beats(best.0, self.goal) {
                        best = (price, at, *from);
                    }
                }
            }
            let need = left.remove(best.1);
            total.add(1.0, best.0);
            edges.push((best.2, need));
            reached.push(need);
        }
        (total, edges)
    }
}
