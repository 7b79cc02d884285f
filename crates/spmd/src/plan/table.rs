//! Interned shardings and remembered reshard costs.
//!
//! A plan compares the same few shardings thousands of times; here each is a number, and the cost from one to another
//! for one shape is solved once.

use crate::reshard::{self, solve::Subject};
use meshwright_cost::Machine;
use meshwright_ground::{IdMap, LookupMap, define_id};
use meshwright_ir::Type;
use meshwright_shard::{Meshes, Sharding};

define_id!(
    /// An interned sharding.
    pub ShardingId, "sharding"
);

define_id!(
    /// An interned shape with its element width.
    pub ShapeId, "shape"
);

pub struct Table<'a> {
    pub meshes: &'a Meshes,
    pub machine: &'a Machine,
    shardings: IdMap<ShardingId, Sharding>,
    shapes: IdMap<ShapeId, (Vec<i64>, i64)>,
    sharding_ids: LookupMap<Sharding, ShardingId>,
    shape_ids: LookupMap<(Vec<i64>, i64), ShapeId>,
    costs: LookupMap<(ShapeId, ShardingId, ShardingId), f64>,
}

impl<'a> Table<'a> {
    pub fn new(meshes: &'a Meshes, machine: &'a Machine) -> Self {
        Table {
            meshes,
            machine,
            shardings: IdMap::new(),
            shapes: IdMap::new(),
            sharding_ids: LookupMap::default(),
            shape_ids: LookupMap::default(),
            costs: LookupMap::default(),
        }
    }

    pub fn intern(&mut self, sharding: Sharding) -> ShardingId {
        if let Some(id) = self.sharding_ids.get(&sharding) {
            return *id;
        }
        let id = self.shardings.push(sharding.clone());
        self.sharding_ids.insert(sharding, id);
        id
    }

    pub fn sharding(&self, id: ShardingId) -> &Sharding {
        &self.shardings[id]
    }

    pub fn shape(&mut self, ty: &Type) -> ShapeId {
        let bits = ty.as_tensor().map_or(0, |tensor| i64::from(tensor.dtype.bits()));
        let key = (ty.dims().to_vec(), bits);
        if let Some(id) = self.shape_ids.get(&key) {
            return *id;
        }
        let id = self.shapes.push(key.clone());
        self.shape_ids.insert(key, id);
        id
    }

    /// Seconds to bring a value of a shape from one sharding to another; infinite if there is no way.
    pub fn reshard(&mut self, shape: ShapeId, from: ShardingId, to: ShardingId) -> f64 {
        if from == to {
            return 0.0;
        }
        if let Some(seconds) = self.costs.get(&(shape, from, to)) {
            return *seconds;
        }
        let (dims, element_bits) = &self.shapes[shape];
        let subject = Subject { dims, element_bits: *element_bits };
        let (a, b) = (&self.shardings[from], &self.shardings[to]);
        let seconds = reshard::path(subject, a, b, self.meshes, self.machine)
            .map_or(f64::INFINITY, |path| path.seconds);
        self.costs.insert((shape, from, to), seconds);
        seconds
    }

    /// Cheapest tree that reaches every needed sharding from the one a value has; each edge is one reshard. Returns the
    /// total and, in the order they must be made, (from, to).
    pub fn tree(
        &mut self,
        shape: ShapeId,
        have: ShardingId,
        needs: &[ShardingId],
    ) -> (f64, Vec<(ShardingId, ShardingId)>) {
        let mut reached = vec![have];
        let mut left: Vec<ShardingId> = needs.iter().copied().filter(|need| *need != have).collect();
        let (mut total, mut edges) = (0.0, Vec::new());
        while !left.is_empty() {
            let mut best = (f64::INFINITY, 0, have);
            for (at, need) in left.iter().enumerate() {
                for from in &reached {
                    let seconds = self.reshard(shape, *from, *need);
                    if seconds < best.0 {
                        best = (seconds, at, *from);
                    }
                }
            }
            let need = left.remove(best.1);
            total += best.0;
            edges.push((best.2, need));
            reached.push(need);
        }
        (total, edges)
    }
}
