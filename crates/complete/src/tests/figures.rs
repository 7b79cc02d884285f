//! The figures and tables of the GSPMD paper.

use super::build::{self, Build};
use crate::propagate::{Direction, Mode, Propagator, Sweep};
use crate::provenance::Provenance;
use crate::setup;
use meshwright_ir::Dim;

#[test]
fn figure_3_a_dot_merges_what_both_operands_say() {
    let mut b = Build::new(&[("x", 2), ("y", 2)]);
    let ab = b.param("ab", &[8, 8], Some("y,-"));
    let bc = b.param("bc", &[8, 8], Some("-,x"));
    let ac = b.matmul("ac", ab, bc);
    b.results(&[ac]);
    assert_eq!(b.complete().show("ac"), "y,x");
}

#[test]
fn section_3_2_a_projection_layer_is_completed_from_input_and_weight() {
    let mut b = Build::new(&[("x", 4), ("y", 2)]);
    let bd = b.param("bd", &[16, 8], Some("x,-"));
    let df = b.param("df", &[8, 32], Some("-,y"));
    let bf = b.matmul("bf", bd, df);
    let zero = b.zeros("zero", &[16, 32]);
    let relu = b.add("relu", bf, zero);
    b.results(&[relu]);
    let done = b.complete();
    assert_eq!(
        (done.show("bf"), done.show("relu"), done.show("zero")),
        ("x,y".into(), "x,y".into(), "x,y".into())
    );
}

#[test]
fn section_3_2_experts_complete_activations_from_weights() {
    let mut b = Build::new(&[("x", 4), ("y", 2)]);
    let ebd = b.param("ebd", &[4, 16, 8], None);
    let edf = b.param("edf", &[4, 8, 32], Some("x,-,y"));
    let ebf = b.dot("ebf", ebd, edf, &[(0, 0)], &[(2, 1)]);
    b.results(&[ebf]);
    let done = b.complete();
    assert_eq!((done.show("ebd"), done.show("ebf")), ("x,-,-".into(), "x,-,y".into()));
}

/// `B D` from two dots whose operands allow either `x` on B or `x` on D, with bias and max between.
fn figure_4() -> Build {
    let mut b = Build::new(&[("x", 2), ("y", 2)]);
    let bf = b.param("bf", &[8, 8], Some("x,y"));
    let fd = b.param("fd", &[8, 16], Some("y,x"));
    let bias = b.param("bias", &[16], None);
    let dot = b.matmul("dot", bf, fd);
    let wide = b.broadcast("wide", bias, &[1], &[8, 16]);
    let add = b.add("add", dot, wide);
    let zero = b.zeros("zero", &[8, 16]);
    let max = b.add("max", add, zero);
    let bd = b.param("bd", &[8, 16], Some("x,y"));
    let sum = b.add("sum", max, bd);
    b.results(&[sum]);
    b
}

#[test]
fn figure_4_elementwise_ops_decide_before_dots() {
    let done = figure_4().complete();
    for name in ["dot", "wide", "add", "max", "zero", "sum"] {
        assert_eq!(done.show(name), "x,y", "{name}");
    }
    assert_eq!(done.show("bias"), "y", "broadcast backward");
}

/// The order of the program instead of priorities: the dot decides for the larger operand's `x` on D.
#[test]
fn figure_4_fails_without_priorities() {
    let module = figure_4().module;
    let (mut state, ports) = setup::slots(&module, &[], &Vec::new());
    let steps = setup::steps(&module, &mut state, &ports);
    let mut provenance = Provenance::new(&state);
    let mut propagator = Propagator::new(&mut state, &steps, &mut provenance);
    for step in steps.steps.keys() {
        propagator.visit(step, Sweep { direction: Direction::Forward, mode: Mode::Aggressive, priority: 0 });
    }
    let find = |name: &str| {
        module.main().values().iter().find(|(_, v)| v.name.as_deref() == Some(name)).map(|v| v.0)
    };
    let show = |name: &str| {
        let slot = state.slot(module.entry, find(name).expect("a value"));
        build::show(&module, &state.closed(slot, meshwright_base::Id::from_index(0)))
    };
    assert_eq!(
        (show("add"), show("bd")),
        ("-,x".into(), "x,y".into()),
        "a mismatch around the last addition"
    );
}

#[test]
fn a_broadcast_learns_backward_before_it_teaches_forward() {
    let mut b = Build::new(&[("x", 2), ("y", 2)]);
    let bias = b.param("bias", &[8], Some("x?"));
    let wide = b.broadcast("wide", bias, &[1], &[8, 8]);
    let other = b.param("other", &[8, 8], Some("x,y"));
    let sum = b.add("sum", wide, other);
    b.results(&[sum]);
    let done = b.complete();
    assert_eq!((done.show("wide"), done.show("bias")), ("x,y".into(), "x".into()));
    assert_eq!(done.report.conflicts.len(), 1, "{:#?}", done.report.conflicts);
}

#[test]
fn reshape_moves_axes_between_factors_and_back() {
    let mut b = Build::new(&[("x", 8), ("y", 2)]);
    let a = b.param("a", &[24, 3], Some("x,-"));
    let split = b.reshape("split", a, &[4, 6, 3]);
    let merged = b.reshape("merged", split, &[4, 18]);
    b.results(&[merged]);
    let done = b.complete();
    assert_eq!((done.show("split"), done.show("merged")), ("x:(1)4,x:(4)2,-".into(), "x:(1)4,x:(4)2".into()));
}

#[test]
fn an_annotation_is_never_changed_and_open_dims_are_refined() {
    let mut b = Build::new(&[("x", 2), ("y", 2)]);
    let a = b.param("a", &[8, 8], Some("x,y"));
    let closed = b.param("closed", &[8, 8], Some("-,-"));
    let open = b.param("open", &[8, 8], Some("x?,?"));
    let first = b.add("first", a, closed);
    let second = b.add("second", first, open);
    b.results(&[second]);
    let done = b.complete();
    assert_eq!(
        (done.show("closed"), done.show("open"), done.show("first")),
        ("-,-".into(), "x,y".into(), "x,y".into())
    );
}

#[test]
fn constants_are_copied_per_user_and_merged_again() {
    let mut b = Build::new(&[("x", 2), ("y", 2)]);
    let zero = b.zeros("zero", &[8, 8]);
    let p = b.param("p", &[8, 8], Some("x,-"));
    let q = b.param("q", &[8, 8], Some("-,y"));
    let first = b.add("first", p, zero);
    let second = b.add("second", q, zero);
    let third = b.add("third", p, zero);
    b.results(&[first, second, third]);
    let done = b.complete();
    assert_eq!(
        (done.show("first"), done.show("second"), done.show("third")),
        ("x,-".into(), "-,y".into(), "x,-".into())
    );
    assert_eq!(done.sharded.module().main().insts_in_order().len(), 5, "two constants are left of three");
}

#[test]
fn user_priorities_go_first() {
    let mut b = Build::new(&[("x", 2), ("y", 2)]);
    let a = b.param("a", &[8, 8], Some("xp1,-"));
    let w = b.param("w", &[8, 8], Some("-,x"));
    let c = b.matmul("c", a, w);
    b.results(&[c]);
    assert_eq!(b.complete().show("c"), "-,x", "p0 on `w` before p1 on `a`");
}

#[test]
fn why_leads_back_to_the_annotation() {
    let mut b = Build::new(&[("x", 2), ("y", 2)]);
    let a = b.param("a", &[8, 4], Some("x,-"));
    let t = b.transpose("t", a, &[1, 0]);
    let w = b.param("w", &[3, 4], None);
    let c = b.dot("c", w, t, &[], &[(1, 0)]);
    b.results(&[c]);
    let done = b.complete();
    assert_eq!(done.show("c"), "-,x");
    let module = done.sharded.module();
    let why = done.report.why(module, module.entry, done.value("c"), Dim::new(1));
    let names: Vec<_> = why.iter().map(|step| format!("{}.{}", step.name, step.dim)).collect();
    assert_eq!(names, ["%c.1", "%t.1", "%a.0"]);
    assert!(why[2].is_origin());
}

#[test]
fn completing_twice_changes_nothing() {
    let done = figure_4().complete();
    let before = format!("{:?}", done.sharded.module().main().values());
    let (again, report) =
        crate::complete(done.sharded.into_module(), &crate::Options::default()).expect("complete");
    assert_eq!(format!("{:?}", again.module().main().values()), before);
    assert_eq!(report.inferred, 0);
}
