//! Shardings that Shardy's text cannot say, written as XLA's.
//!
//! In Shardy's text a region says over which axes its values are local. Where custom calls say it instead, each value
//! says so itself, which only the tile form of a sharding can:
//!
//! ```text
//! %1 = stablehlo.custom_call @SPMDFullToShardShape(%0) {mhlo.sharding = "{manual}"}
//! ```
//! The tile form has neither open dims nor priorities nor the mesh's name: they are lost.

use meshwright_ir::op::ShardingOp;
use meshwright_ir::{Annotation, BlockId, Editor, Function, Module, Op, ValueId};
use meshwright_shard::{Meshes, Sharding};

/// The module with such shardings in the tile form; `None` if it has none.
pub fn with_tiles(module: &Module) -> Option<Module> {
    if !module.funcs.values().any(has_edges) {
        return None;
    }
    let mut module = module.clone();
    let Module { funcs, meshes, .. } = &mut module;
    funcs.values_mut().for_each(|func| function(func, meshes));
    Some(module)
}

fn has_edges(func: &Function) -> bool {
    let is_edge =
        |op: &Op| matches!(op, Op::Sharding(ShardingOp::FullToShard { .. } | ShardingOp::ShardToFull { .. }));
    func.insts_in_order().iter().any(|inst| is_edge(&func.inst(*inst).op))
}

fn function(func: &mut Function, meshes: &Meshes) {
    let mut outside = Vec::new();
    collect(func, func.root(), &mut outside);
    for value in outside {
        let tiles = func.value(value).sharding.as_ref().and_then(|annotation| tiles(annotation, meshes));
        if tiles.is_some() {
            Editor::new(func).set_sharding(value, tiles);
        }
    }
    for info in Editor::new(func).result_info_mut() {
        let tiles = info.sharding.as_ref().and_then(|annotation| tiles(annotation, meshes));
        info.sharding = tiles.or(info.sharding.take());
    }
}

/// All values but those in regions that say it, and those whose annotation is part of their op. Blocks nest as deep as
/// a verified module's may.
fn collect(func: &Function, block: BlockId, values: &mut Vec<ValueId>) {
    let block = func.block(block);
    values.extend(&block.params);
    for inst in block.insts.iter().map(|inst| func.inst(*inst)) {
        match inst.op {
            Op::Sharding(ShardingOp::Reshard(_)) => continue,
            _ => values.extend(&inst.results),
        }
        if !matches!(inst.op, Op::Sharding(ShardingOp::Manual(_))) {
            inst.regions.iter().for_each(|region| collect(func, *region, values));
        }
    }
}

fn tiles(annotation: &Annotation, meshes: &Meshes) -> Option<Annotation> {
    let sharding: &Sharding = annotation.as_mesh().filter(|sharding| !sharding.manual.is_empty())?;
    let mesh = meshes.get(sharding.mesh)?;
    Some(Annotation::from(meshwright_shard::export(sharding, mesh)))
}
