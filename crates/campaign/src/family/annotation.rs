//! What a user may say of shardings inside a program: constraints, shardings on ops, barriers, groups.

use crate::build::{Gen, Val, Want};
use meshwright_ir::op::{BarrierDirection, ShardingOp};
use meshwright_ir::{At, Editor, Op, SourceId};

/// Now and then say something of a value.
pub fn some(g: &mut Gen, percent: u32) {
    if !g.choices.chance(percent) {
        return;
    }
    let x = g.operand(Want::Any, 0, 4);
    match g.choices.below(20) {
        0..10 => constraint(g, &x),
        10..16 => on_the_op(g, &x),
        16..18 => barrier(g, &x),
        _ => group(g, &x),
    }
}

/// Users after it see the value split so; dims left open may still be refined.
fn constraint(g: &mut Gen, x: &Val) {
    let sharding = g.random_sharding(x.ty.rank());
    let unspecified = if g.choices.chance(15) { g.choices.some_of(x.ty.rank(), 50) } else { Vec::new() };
    same(g, x, ShardingOp::Constraint { unspecified }, Some(sharding));
}

/// An op that is the identity, with a sharding on its result.
fn same(g: &mut Gen, x: &Val, op: ShardingOp, sharding: Option<meshwright_shard::Sharding>) {
    let made = g.emit(Op::Sharding(op), &[x], x.info.bound);
    if let (Some(made), Some(sharding)) = (made, sharding) {
        g.annotate(made.id, sharding);
    }
}

/// The value's own op says it. Ops with edges of their own say theirs otherwise.
fn on_the_op(g: &mut Gen, x: &Val) {
    let sharding = g.random_sharding(x.ty.rank());
    let says = |op: &Op| !matches!(op, Op::Sharding(_) | Op::Control(_) | Op::Scan(_) | Op::Call(_));
    if g.func.def_inst(x.id).is_some_and(|inst| says(&g.func.inst(inst).op)) {
        g.annotate(x.id, sharding);
    }
}

fn barrier(g: &mut Gen, x: &Val) {
    let all = [BarrierDirection::None, BarrierDirection::Forward, BarrierDirection::Backward];
    let allowed = g.choices.pick(&all);
    same(g, x, ShardingOp::Barrier { allowed }, None);
}

/// Two values of one type share a sharding; neither is annotated otherwise.
fn group(g: &mut Gen, x: &Val) {
    let y = g.of_type(x.ty.dtype, &x.ty.dims);
    if let Some(id) = g.new_group(x.id, y.id) {
        for value in [x.id, y.id] {
            let (op, at) = (Op::Sharding(ShardingOp::Group { id }), At::End(g.block()));
            let mut editor = Editor::new(&mut g.func);
            editor.push_typed(at, op, vec![value], Vec::new(), Vec::new(), SourceId::unknown());
        }
    }
}
