//! Control flow, calls, manual regions, groups, barriers.

use super::build::{Build, Done};
use meshwright_ir::op::{BarrierDirection, Control, ManualComputation, Scan, ShardingOp, UnaryOp};
use meshwright_ir::{Annotation, Literal, Op, ShardedModule, TensorType, ValueId};
use meshwright_ir::{DType, op::Constant};

fn bool_constant(b: &mut Build) -> ValueId {
    let literal = Literal::splat_int(TensorType::scalar(DType::Pred), 1);
    b.op("true", Op::Constant(Constant(literal)), &[])
}

fn copy(b: &mut Build, name: &str, of: ValueId) -> ValueId {
    b.op(name, Op::Unary(UnaryOp::Copy), &[of])
}

#[test]
fn a_while_loop_carries_one_sharding() {
    let mut b = Build::new(&[("x", 2), ("y", 2)]);
    let a = b.param("a", &[8, 8], None);
    let w = b.param("w", &[8, 8], Some("x,y"));
    let condition = b.region(&[("c", &[8, 8])], |b, _| vec![bool_constant(b)]);
    let body = b.region(&[("p", &[8, 8])], |b, p| vec![b.add("next", p[0], w)]);
    let result = b.op_with("loop", Op::Control(Control::While), &[a], &[condition, body])[0];
    let out = copy(&mut b, "out", result);
    b.results(&[out]);
    let done = b.complete();
    for name in ["a", "c", "p", "next", "loop", "out"] {
        assert_eq!(done.show(name), "x,y", "{name}");
    }
}

#[test]
fn a_carry_is_split_alike_even_where_its_initial_value_is_closed() {
    let mut b = Build::new(&[("x", 2), ("y", 2)]);
    let a = b.param("a", &[8, 8], Some("-,-"));
    let w = b.param("w", &[8, 8], Some("x,-"));
    let condition = b.region(&[("c", &[8, 8])], |b, _| vec![bool_constant(b)]);
    let body = b.region(&[("p", &[8, 8])], |b, p| vec![b.add("next", p[0], w)]);
    let result = b.op_with("loop", Op::Control(Control::While), &[a], &[condition, body])[0];
    b.results(&[result]);
    let done = b.complete();
    assert_eq!(
        (done.show("a"), done.show("p"), done.show("loop")),
        ("-,-".into(), "x,-".into(), "x,-".into())
    );
}

/// A scan over four layers of weights.
fn layers(weights: &str) -> Done {
    let mut b = Build::new(&[("x", 2), ("y", 2)]);
    let a = b.param("a", &[8, 8], Some("x,-"));
    let w = b.param("w", &[4, 8, 8], Some(weights));
    let body = b.region(&[("p", &[8, 8]), ("wi", &[8, 8])], |b, p| {
        let next = b.matmul("next", p[0], p[1]);
        let kept = copy(b, "kept", next);
        vec![next, kept]
    });
    let scan = Scan { trips: 4, carries: 1, reverse: false };
    let results = b.op_with("scan", Op::Scan(scan), &[a, w], &[body]);
    b.results(&results);
    b.complete()
}

#[test]
fn a_scan_gives_its_body_the_inner_dims_and_keeps_the_stacked_one() {
    let done = layers("-,-,y");
    let shown = ["p", "wi", "next", "scan", "kept", "scan#1"].map(|name| done.show(name));
    assert_eq!(shown, ["x,y", "-,y", "x,y", "x,y", "x,y", "-,x,y"]);
    let done = layers("y,-,-");
    assert_eq!(
        (done.show("wi"), done.show("scan#1")),
        ("-,-".into(), "-,x,-".into()),
        "only the user splits layers"
    );
}

#[test]
fn branches_share_the_result_s_sharding() {
    let mut b = Build::new(&[("x", 2), ("y", 2)]);
    let a = b.param("a", &[8, 8], Some("x,-"));
    let c = b.param("c", &[8, 8], None);
    let pred = bool_constant(&mut b);
    let yes = b.region(&[], |b, _| vec![copy(b, "yes", a)]);
    let no = b.region(&[], |b, _| vec![copy(b, "no", c)]);
    let result = b.op_with("if", Op::Control(Control::If), &[pred], &[yes, no])[0];
    b.results(&[result]);
    let done = b.complete();
    assert_eq!(
        (done.show("if"), done.show("no"), done.show("c")),
        ("x,-".into(), "x,-".into(), "x,-".into())
    );
}

#[test]
fn inside_a_manual_region_only_free_axes_flow() {
    let mut b = Build::new(&[("x", 2), ("y", 2)]);
    let a = b.param("a", &[8, 8], Some("x,y"));
    let mesh = b.mesh;
    let inside = b.sharding("x,?");
    let body = b.region(&[("p", &[4, 8])], |b, p| vec![copy(b, "q", p[0])]);
    let axes = vec![b.module.meshes[mesh].whole(meshwright_base::Id::from_index(0))];
    let manual =
        ManualComputation { mesh, axes, in_shardings: vec![inside.clone()], out_shardings: vec![inside] };
    let result = b.op_with("m", Op::Sharding(ShardingOp::Manual(manual)), &[a], &[body])[0];
    b.results(&[result]);
    let done = b.complete();
    let shown = ["p", "q", "m"].map(|name| done.show(name));
    assert_eq!(shown, ["-,y", "-,y", "x,y"]);
    let manual = |name: &str| sharding_of(&done.sharded, done.value(name)).manual.len();
    assert_eq!((manual("p"), manual("q"), manual("m")), (1, 1, 0));
}

fn sharding_of(sharded: &ShardedModule, value: ValueId) -> meshwright_shard::Sharding {
    let annotation = sharded.module().main().value(value).sharding.clone();
    annotation.as_ref().and_then(Annotation::as_mesh).expect("a sharding").clone()
}

#[test]
fn members_of_a_group_are_split_alike() {
    let mut b = Build::new(&[("x", 2), ("y", 2)]);
    let a = b.param("a", &[8, 8], Some("x,-"));
    let c = b.param("c", &[8, 8], None);
    let d = copy(&mut b, "d", a);
    let e = copy(&mut b, "e", c);
    b.op_with("", Op::Sharding(ShardingOp::Group { id: 7 }), &[d], &[]);
    b.op_with("", Op::Sharding(ShardingOp::Group { id: 7 }), &[e], &[]);
    b.results(&[d, e]);
    let done = b.complete();
    assert_eq!((done.show("d"), done.show("e"), done.show("c")), ("x,-".into(), "x,-".into(), "x,-".into()));
}

#[test]
fn a_barrier_stops_a_direction() {
    for (allowed, before, after) in [
        (BarrierDirection::None, "-,-", "-,-"),
        (BarrierDirection::Forward, "-,-", "x,-"),
        (BarrierDirection::Backward, "-,y", "-,-"),
    ] {
        let mut b = Build::new(&[("x", 2), ("y", 2)]);
        let a = b.param("a", &[8, 8], None);
        let fed = b.param("fed", &[8, 8], if before == "-,y" { None } else { Some("x,-") });
        let sum = if before == "-,y" { a } else { fed };
        let stop = b.op("stop", Op::Sharding(ShardingOp::Barrier { allowed }), &[sum]);
        let w = b.param("w", &[8, 8], if before == "-,y" { Some("-,y") } else { None });
        let out = b.add("out", stop, w);
        b.results(&[out]);
        let done = b.complete();
        assert_eq!(done.show("a"), before, "{allowed:?}");
        assert_eq!(done.show("out"), if before == "-,y" { "-,y" } else { after }, "{allowed:?}");
    }
}
