//! Give every split dim an extent that divides evenly, and keep garbage from what counts.
//!
//! ```text
//! %a : f32[10] over 4                              %a : f32[12], 10 of it real
//! %s = reduce sum %a                      =>       %m = iota < 10 ? %a : 0
//!                                                  %s = reduce sum %m
//! ```
//!
//! Works on global shapes, so the padded program still is a program and can be run by itself. Extents are decided per
//! class of connected dims ([`classes`]); where an op wants the size itself, or a boundary its own convention, a resize
//! (slice or pad along the dim, split as it is) stands between. `Value::valid` says what is real. After this pass every
//! split dim divides evenly, but at ops that exchange their pieces: these see exact sizes, ceil(size / tiles) to a
//! shard. Even programs pass through untouched.

pub mod classes;
pub mod mask;

use crate::blocks::program_blocks;
use crate::plan::agree::agree;
use crate::plan::kinds::Kinds;
use crate::reshard::sharding_of;
use crate::resize::{Sizes, resized};
use classes::{Asked, Classes, Extent, asked, round_up};
use meshwright_base::{Diagnostic, IdMap};
use meshwright_ir::op::{Movement, Pad, Slice};
use meshwright_ir::{
    Annotation, At, BlockId, Build, Builder, Def, Editor, Function, InstId, Module, Op, PlannedModule,
    SourceId, Type, ValueId,
};
use meshwright_shard::{DimSharding, Sharding};

/// Pad a planned module.
pub fn pad(planned: &mut PlannedModule) {
    for func in planned.module_mut().funcs.values_mut() {
        pad_function(func);
    }
}

fn pad_function(func: &mut Function) {
    if divides_evenly(func) {
        return;
    }
    let blocks = program_blocks(func);
    let insts: Vec<InstId> = blocks.iter().flat_map(|block| func.block(*block).insts.clone()).collect();
    let rules = Kinds::rules(func, &insts);
    let classes = Classes::new(func, &insts, &rules);
    if !classes.any_padding(func) {
        return;
    }
    let sizes: IdMap<ValueId, Vec<i64>> =
        func.values().values().map(|value| value.ty.dims().to_vec()).collect();
    let asked: Vec<(InstId, Asked)> = insts.iter().map(|inst| (*inst, asked(func, *inst, &rules))).collect();
    let mut pass = PadPass { classes, sizes, copies: IdMap::filled(func.value_count(), None) };
    let masks = mask::needed(func, &insts, &rules);
    pass.produce(func, &blocks, &asked);
    pass.consume(func, &blocks, &asked);
    for mask in masks {
        mask.apply(func, &pass.sizes);
    }
}

/// Whether the plan still holds, with what this pass and those behind it have added. Resizes need no rule: their shards
/// may have one element, or none, and are exchanged whatever they have.
pub fn check(module: &Module) -> Result<(), Vec<Diagnostic>> {
    let insts = |func| Function::insts_in_order(func).into_iter().map(move |inst| (func, inst));
    let all = module.funcs.values().flat_map(insts).filter(|(func, inst)| !is_resize(func, *inst));
    let wrong: Vec<Diagnostic> = all.filter_map(|(func, inst)| agree(module, func, inst)).collect();
    if wrong.is_empty() { Ok(()) } else { Err(wrong) }
}

fn is_resize(func: &Function, inst: InstId) -> bool {
    let info = func.inst(inst);
    let ([value, ..], [result]) = (&info.operands[..], &info.results[..]) else { return false };
    matches!(info.op, Op::Movement(Movement::Slice(_) | Movement::Pad(_)))
        && sharding_of(func, *value) == sharding_of(func, *result)
}

/// Every tile count divides the size it stands for. Then so does what those of one class have in common, and no class
/// needs more than its size: there is no need to know the classes.
fn divides_evenly(func: &Function) -> bool {
    func.values().values().all(|value| {
        let Some(sharding) = value.sharding.as_ref().and_then(Annotation::as_mesh) else { return true };
        let even = |(size, dim): (&i64, &DimSharding)| size % dim.tiles().max(1) == 0;
        value.ty.dims().iter().zip(&sharding.dims).all(even)
    })
}

struct PadPass {
    classes: Classes,
    /// Real sizes of the values there were.
    sizes: IdMap<ValueId, Vec<i64>>,
    /// The value with the class's extents, where it is not the value itself.
    copies: IdMap<ValueId, Option<ValueId>>,
}

impl PadPass {
    fn extents(&self, func: &Function, value: ValueId, asked: &[Extent]) -> Vec<i64> {
        let class = self.classes.extents(func, value);
        let tiles = sharding_of(func, value).map(|sharding| sharding.tiles()).unwrap_or_default();
        let sizes = &self.sizes[value];
        (0..sizes.len())
            .map(|dim| match asked.get(dim) {
                Some(Extent::Exact) => sizes[dim],
                Some(Extent::Natural) => round_up(sizes[dim], tiles.get(dim).copied().unwrap_or(1)),
                _ => class[dim],
            })
            .collect()
    }

    /// Set the type every value is made with; where that is not its class's, make a copy that is.
    fn produce(&mut self, func: &mut Function, blocks: &[BlockId], asked: &[(InstId, Asked)]) {
        for block in blocks {
            let natural =
                func.block(*block).parent.is_none_or(|owner| classes::is_manual(&func.inst(owner).op));
            let extent = if natural { Extent::Natural } else { Extent::Class };
            for param in func.block(*block).params.clone() {
                let asked = vec![extent; func.ty(param).rank()];
                self.make(func, param, &asked);
            }
        }
        for (inst, asked) in asked {
            let results = func.inst(*inst).results.clone();
            for (value, asked) in results.into_iter().zip(&asked.results) {
                self.make(func, value, asked);
            }
        }
    }

    fn make(&mut self, func: &mut Function, value: ValueId, asked: &[Extent]) {
        let Type::Tensor(ty) = func.ty(value).clone() else { return };
        let (made, class) = (self.extents(func, value, asked), self.classes.extents(func, value));
        let size = self.sizes[value].clone();
        let mut editor = Editor::new(func);
        editor.set_type(value, Type::Tensor(ty.with_dims(made.clone())));
        editor.set_valid(value, (made != size).then(|| size.clone().into()));
        if made != class {
            let at = match editor.func().value(value).def {
                Def::Result { inst, .. } => At::After(inst),
                Def::Param { block, .. } => editor
                    .func()
                    .block(block)
                    .insts
                    .first()
                    .map_or(At::End(block), |first| At::Before(*first)),
            };
            self.copies[value] = Some(resize(func, at, value, &class, &size));
        }
    }

    /// Hand every use the extent it asks for, and adapt the ops.
    fn consume(&self, func: &mut Function, blocks: &[BlockId], asked: &[(InstId, Asked)]) {
        for (inst, asked) in asked {
            let operands = func.inst(*inst).operands.clone();
            for (at, (value, asked)) in operands.iter().zip(&asked.operands).enumerate() {
                let have = self.copies[*value].unwrap_or(*value);
                let wanted = self.extents(func, *value, asked);
                let given = self.fitted(func, At::Before(*inst), have, &wanted, &self.sizes[*value]);
                Editor::new(func).set_operand(*inst, at, given);
            }
            let info = func.inst(*inst);
            let before: Vec<&[i64]> = operands.iter().map(|value| &self.sizes[*value][..]).collect();
            let after: Vec<&[i64]> = info.operands.iter().map(|value| func.dims(*value)).collect();
            let results: Vec<&Type> = info.results.iter().map(|value| func.ty(*value)).collect();
            let op = resized(info.op.clone(), &Sizes { before: &before, after: &after, results: &results });
            Editor::new(func).set_op(*inst, op);
        }
        for block in blocks {
            let natural =
                func.block(*block).parent.is_none_or(|owner| classes::is_manual(&func.inst(owner).op));
            let extent = if natural { Extent::Natural } else { Extent::Class };
            let results = func.block(*block).results.clone();
            let fit = |value: &ValueId| {
                let wanted = self.extents(func, *value, &vec![extent; func.ty(*value).rank()]);
                let have = self.copies[*value].unwrap_or(*value);
                self.fitted(func, At::End(*block), have, &wanted, &self.sizes[*value])
            };
            let fitted = results.iter().map(fit).collect();
            Editor::new(func).set_results(*block, fitted);
        }
    }

    fn fitted(&self, func: &mut Function, at: At, value: ValueId, wanted: &[i64], size: &[i64]) -> ValueId {
        if func.ty(value).as_tensor().is_none() || func.dims(value) == wanted {
            return value;
        }
        resize(func, at, value, wanted, size)
    }
}

/// A copy of a value with other extents, sharded alike: where shards change their size, their edges move between
/// neighbours.
fn resize(func: &mut Function, at: At, value: ValueId, extents: &[i64], size: &[i64]) -> ValueId {
    let Some(sharding) = sharding_of(func, value) else { return value };
    let Type::Tensor(ty) = func.ty(value).clone() else { return value };
    let source = func.def_inst(value).map_or(SourceId::unknown(), |inst| func.inst(inst).source);
    let mut b = Builder::new(func, at, source);
    let valid = |extents: &[i64]| (extents != size).then(|| size.to_vec().into_boxed_slice());
    let mut now = value;
    let cropped: Vec<i64> = ty.dims.iter().zip(extents).map(|(have, want)| *have.min(want)).collect();
    if cropped != ty.dims {
        now = b.split_as(&sharding).slice(now, Slice::whole(&cropped));
        b.editor.set_valid(now, valid(&cropped));
    }
    if cropped != extents {
        let high: Vec<i64> = cropped.iter().zip(extents).map(|(have, want)| want - have).collect();
        let pad = Pad { low: vec![0; high.len()], interior: vec![0; high.len()], high };
        let scalar = Sharding { dims: Vec::new(), partial: Vec::new(), ..Sharding::clone(&sharding) };
        let zero = b.split_as(&scalar).zeros(&ty.with_dims(Vec::new()));
        now = b.split_as(&sharding).pad_with(now, zero, pad);
        b.editor.set_valid(now, valid(extents));
    }
    now
}
