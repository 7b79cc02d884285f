//! The partitioned program inside a program of global arrays, for compilers that take only those.
//!
//! ```text
//! func main(%a: f32[10]) {                     global shapes
//!   %p = pad %a                                to what divides evenly, where it does not
//!   %r = manual_computation(%p) { call @local(..) }
//!   return slice %r
//! }
//! ```
//!
//! Every mesh axis is manual inside, so the compiler has nothing left to partition. Collectives are in the form XLA
//! takes there, and large values end as early as they do here (`keep_order`).

use meshwright_base::arrange::Arrange;
use meshwright_base::{Code, Diagnostic};
use meshwright_ir::op::{Call, ManualComputation, Movement, Pad, ShardingOp, Slice};
use meshwright_ir::{
    Annotation, At, Build, Builder, Function, Module, Op, Placement, SourceId, SpmdModule, Type, ValueId,
};
use meshwright_shard::{AxisRef, MeshId, Sharding};

/// Which arrays the outer program takes and gives.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Border {
    /// Of the sizes that the module was written with.
    Exact,
    /// Of as many elements as divide evenly: on each device, the shard is what the program inside takes.
    Even,
}

/// Wrap a partitioned program. Fails if its arrays lie on several meshes: one manual region has one mesh.
pub fn embed(spmd: &SpmdModule, border: Border) -> Result<Module, Diagnostic> {
    let mut module = spmd.module().clone();
    crate::xla_form::xla_form(&mut module);
    crate::keep_order::keep_order(&mut module);
    let mesh = one_mesh(spmd)?;
    let placed = |placements: &[Placement]| match border {
        Border::Exact => placements.to_vec(),
        Border::Even => placements.iter().map(even).collect(),
    };
    let (params, results) = (placed(&spmd.params), placed(&spmd.results));
    let local = module.entry;
    let inner = &mut module.funcs[local];
    let infos = (inner.params.clone(), inner.results.clone());
    inner.name = "local".into();
    inner.is_public = false;
    for param in &mut inner.params {
        param.donation = None;
        param.attrs = Default::default();
    }
    for result in &mut inner.results {
        result.attrs = Default::default();
    }
    let types =
        |values: &[ValueId], func: &Function| values.iter().map(|v| func.ty(*v).clone()).collect::<Vec<_>>();
    let inner = &module.funcs[local];
    let names: Vec<_> = inner.param_values().iter().map(|value| inner.value(*value).name.clone()).collect();
    let (local_params, local_results) =
        (types(inner.param_values(), inner), types(inner.result_values(), inner));
    let axes: Vec<AxisRef> = module.meshes[mesh]
        .axes
        .iter()
        .map(|(axis, info)| AxisRef { axis, pre: 1, size: info.size })
        .collect();

    let mut main = Function::new("main", true);
    let root = main.root();
    let mut b = Builder::new(&mut main, At::End(root), SourceId::unknown());
    let mut operands = Vec::new();
    for (placement, name) in params.iter().zip(names) {
        let param = b.editor.param(root, Type::Tensor(placement.global.clone()));
        b.editor.set_name(param, name);
        b.editor.set_sharding(param, boundary(placement));
        operands.push(padded(&mut b, param, placement));
    }
    let call = Op::Call(Call { callee: local });
    let region =
        b.region(local_params, |b, inside| b.push_typed(call, inside.to_vec(), Vec::new(), local_results));
    let shardings =
        |placements: &[Placement]| placements.iter().map(|p| p.sharding.clone()).collect::<Vec<Sharding>>();
    let manual = ManualComputation {
        mesh,
        axes,
        in_shardings: shardings(&params),
        out_shardings: shardings(&results),
    };
    let whole = results.iter().map(|placement| Type::Tensor(even(placement).global));
    let op = Op::Sharding(ShardingOp::Manual(manual));
    let values = b.push_typed(op, operands, vec![region], whole.collect());
    let values = values.into_iter().zip(&results);
    let values = values.map(|(value, placement)| cropped(&mut b, value, placement)).collect();
    b.editor.set_results(root, values);
    for (info, old) in b.editor.param_info_mut().iter_mut().zip(infos.0) {
        *info = old;
    }
    for ((info, old), placement) in b.editor.result_info_mut().iter_mut().zip(infos.1).zip(&results) {
        info.attrs = old.attrs;
        info.sharding = boundary(placement);
    }
    module.entry = module.funcs.push(main);
    Ok(module)
}

/// Whether a module is what [`embed`] makes, in either form that it is written in: the program of each device, and
/// around it nothing but boundaries, padding and cropping. What a device does, and holds, was decided by whoever wrote
/// it.
///
/// ```text
/// manual region over all axes           or       full_to_shard, call of the program, shard_to_full
/// ```
pub fn is_embedded(module: &Module) -> bool {
    let main = module.main();
    let insts = &main.block(main.root()).insts;
    let mut is_manual = false;
    let all = insts.iter().all(|inst| {
        let info = main.inst(*inst);
        match &info.op {
            Op::Sharding(ShardingOp::Manual(manual)) => {
                is_manual = true;
                is_over_all(manual, module)
            }
            Op::Sharding(ShardingOp::FullToShard { .. }) => {
                is_manual = true;
                true
            }
            Op::Call(_) => info.operands.iter().all(|value| is_local(main, *value)),
            Op::Constant(_)
            | Op::Movement(Movement::Pad(_) | Movement::Slice(_))
            | Op::Sharding(ShardingOp::Constraint { .. } | ShardingOp::ShardToFull { .. }) => true,
            _ => false,
        }
    });
    all && is_manual
}

fn is_over_all(manual: &ManualComputation, module: &Module) -> bool {
    let axes = manual.axes.iter().map(|axis| axis.size).product::<i64>();
    module.meshes.get(manual.mesh).is_some_and(|mesh| mesh.device_count() == axes)
}

fn is_local(func: &Function, value: ValueId) -> bool {
    let made_by = func.def_inst(value).map(|inst| &func.inst(inst).op);
    matches!(made_by, Some(Op::Sharding(ShardingOp::FullToShard { .. })))
}

fn one_mesh(spmd: &SpmdModule) -> Result<MeshId, Diagnostic> {
    let mut meshes: Vec<MeshId> = spmd.params.iter().chain(&spmd.results).map(|p| p.sharding.mesh).collect();
    meshes.arrange();
    meshes.dedup();
    match meshes[..] {
        [mesh] => Ok(mesh),
        _ => Err(Diagnostic::error(
            Code(520),
            format!("the program's arrays lie on {} meshes, and the embedded style holds one", meshes.len()),
        )
        .help("write it in the plain style")),
    }
}

/// The sharding at the outer signature, where it divides evenly: uneven ones are not accepted there.
fn boundary(placement: &Placement) -> Option<Annotation> {
    let even = extents(placement) == placement.global.dims;
    even.then(|| Annotation::from(placement.sharding.clone()))
}

/// The same array with as many elements as divide evenly.
fn even(placement: &Placement) -> Placement {
    Placement { global: placement.global.with_dims(extents(placement)), ..placement.clone() }
}

/// Global dims that divide evenly.
fn extents(placement: &Placement) -> Vec<i64> {
    let local = placement.sharding.shard_shape(&placement.global.dims);
    local.iter().zip(placement.sharding.tiles()).map(|(size, tiles)| size * tiles).collect()
}

/// A parameter with as many elements as divide evenly.
fn padded(b: &mut Builder<'_>, value: ValueId, placement: &Placement) -> ValueId {
    let sizes = &placement.global.dims;
    let high: Vec<i64> = extents(placement).iter().zip(sizes).map(|(extent, size)| extent - size).collect();
    b.pad(value, Pad { low: vec![0; high.len()], interior: vec![0; high.len()], high })
}

/// A result without what was added.
fn cropped(b: &mut Builder<'_>, value: ValueId, placement: &Placement) -> ValueId {
    b.slice(value, Slice::whole(&placement.global.dims))
}
