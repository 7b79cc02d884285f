//! Collectives, control flow, foreign ops, shardings.

use super::{F32_SUM, check};
use crate::table::Case;
use meshwright_ir::Op;
use meshwright_ir::op::*;

#[test]
fn collectives_pass_the_dims_they_leave_alone() {
    let collective = |kind| {
        Op::Collective(Collective {
            kind,
            groups: Groups::All,
            group_size: 4,
            channel: Default::default(),
            wide: None,
        })
    };
    let exchange = |split_count| CollectiveKind::AllToAll { split_dim: 0, concat_dim: 1, split_count };
    check(&[
        (
            Case::new(collective(CollectiveKind::AllReduce), "f32[4,8] f32[3]").regions(F32_SUM),
            "f32[4,8] f32[3] | ([i, j], [k])->([i, j], [k]) {i=4, j=8, k=3}",
        ),
        (
            Case::new(collective(CollectiveKind::AllReduce), "f32[4,8]"),
            "error: number of regions: expected 1, found 0",
        ),
        (
            Case::new(collective(CollectiveKind::AllGather { dim: 0 }), "f32[4,8]"),
            "f32[16,8] | ([j, i])->([k, i]) {i=8, j=4, k=16} need_replication={j, k}",
        ),
        (
            Case::new(collective(CollectiveKind::ReduceScatter { dim: 1 }), "f32[4,8]").regions(F32_SUM),
            "f32[4,2] | ([i, j])->([i, k]) {i=4, j=8, k=2} need_replication={j, k}",
        ),
        (
            Case::new(collective(CollectiveKind::ReduceScatter { dim: 1 }), "f32[4,7]").regions(F32_SUM),
            "error: dim 1 of f32[4,7] has 7 elements, not divisible by 4",
        ),
        (
            Case::new(collective(exchange(4)), "f32[4,8]"),
            "f32[1,32] | ([i, j])->([1, k]) {i=4, j=8, k=32} need_replication={i, j, k}",
        ),
        (
            Case::new(collective(exchange(2)), "f32[4,8]"),
            "error: all_to_all splits into 2 pieces, but a group has 4 devices",
        ),
        (
            Case::new(collective(CollectiveKind::Permute { pairs: vec![(0, 1)] }), "f32[4,8]"),
            "f32[4,8] | ([i, j])->([i, j]) {i=4, j=8}",
        ),
        (
            Case::new(collective(CollectiveKind::AllToAllTuple), "f32[4] f32[4]"),
            "error: all_to_all has 2 operands, but 4 devices in a group",
        ),
    ]);
}

#[test]
fn control_flow_has_no_factors_and_its_regions_must_fit() {
    let loops = &["(s32[], f32[4])->(pred[])", "(s32[], f32[4])->(s32[], f32[4])"];
    let wrong = &["(s32[], f32[4])->(pred[])", "(s32[], f32[4])->(s32[], f32[5])"];
    let scan = |trips| Op::Scan(Scan { trips, carries: 1, reverse: false });
    let body = &["(f32[4], f32[2])->(f32[4], s32[])"];
    check(&[
        (
            Case::new(Op::Control(Control::While), "s32[] f32[4]").regions(loops),
            "s32[] f32[4] | ([], [1])->([], [1]) {}",
        ),
        (
            Case::new(Op::Control(Control::While), "s32[] f32[4]").regions(wrong),
            "error: results of the body: number 1 is f32[5], but in the initial state it is f32[4]",
        ),
        (
            Case::new(Op::Control(Control::If), "pred[]").regions(&["()->(f32[4])", "()->(f32[4])"]),
            "f32[4] | ([])->([1]) {}",
        ),
        (
            Case::new(Op::Control(Control::Case), "s32[]").regions(&["()->(f32[4])", "()->(f32[5])"]),
            "error: results of branch 1: number 0 is f32[5], but in branch 0 it is f32[4]",
        ),
        (Case::new(scan(7), "f32[4] f32[7,2]").regions(body), "f32[4] s32[7] | ([1], [1, 1])->([1], [1]) {}"),
        (
            Case::new(scan(6), "f32[4] f32[7,2]").regions(body),
            "error: operand 1 is f32[7,2], but dim 0 of a stacked input must have the trip count, 6",
        ),
        (
            Case::new(Op::OptimizationBarrier, "f32[4] token f32[2]"),
            "f32[4] token[] f32[2] | ([i], [], [j])->([i], [], [j]) {i=4, j=2} any jointly [0, 2]",
        ),
        (Case::new(Op::Token(TokenOp::AfterAll), "token token"), "token[] | ([], [])->([]) {}"),
        (Case::new(Op::PartitionId, ""), "u32[] | ()->([]) {}"),
    ]);
}

#[test]
fn unknown_custom_calls_stay_whole_and_known_ones_pass() {
    let call = |target: &str, results: &[&str]| {
        Op::Foreign(Foreign::CustomCall(CustomCall {
            target: target.to_string(),
            results: results.iter().map(|text| crate::table::ty(text)).collect(),
            has_side_effect: false,
            backend_config: None,
            api_version: None,
            attrs: Default::default(),
            callees: Vec::new(),
        }))
    };
    check(&[
        (
            Case::new(call("mystery", &["f32[4]"]), "f32[4,1]"),
            "f32[4] | ([i, 1])->([j]) {i=4, j=4} need_replication={i, j}",
        ),
        (
            Case::new(call("MoveToHost", &["f32[4,8]"]), "f32[4,8]"),
            "f32[4,8] | ([i, j])->([i, j]) {i=4, j=8}",
        ),
        (
            Case::new(call("TopK", &["f32[4,2]", "s32[4,2]"]), "f32[4,8]"),
            "f32[4,2] s32[4,2] | ([i, j])->([i, k], [i, k]) {i=4, j=8, k=2} permutation={j} need_replication={k} never_split={j}",
        ),
        (
            Case::new(call("TopK", &["f32[4,2]"]), "f32[5,8]"),
            "f32[4,2] | ([i, j])->([k, l]) {i=5, j=8, k=4, l=2} need_replication={i, j, k, l}",
        ),
    ]);
}

#[test]
fn identities_about_shardings_pass_everything() {
    let boundary = Op::Sharding(ShardingOp::FullToShard { unspecified: vec![], shape: vec![2, 8] });
    check(&[
        (
            Case::new(Op::Sharding(ShardingOp::Constraint { unspecified: vec![] }), "f32[4,8]"),
            "f32[4,8] | ([i, j])->([i, j]) {i=4, j=8}",
        ),
        (
            Case::new(Op::Sharding(ShardingOp::Reshard(ReshardOp::Any)), "f32[4,8]"),
            "f32[4,8] | ([i, j])->([i, j]) {i=4, j=8}",
        ),
        (Case::new(Op::Sharding(ShardingOp::Group { id: 0 }), "f32[4,8]"), " | ([i, j])->() {i=4, j=8}"),
        (Case::new(boundary, "f32[4,8]"), "f32[2,8] | ([1, i])->([1, i]) {i=8}"),
    ]);
}
