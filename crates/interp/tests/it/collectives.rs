//! Collectives between simulated devices, and manual regions of global programs.

use crate::support;

use meshwright_base::Id;
use meshwright_interp::{BAD_DEVICES, GLOBAL_ONLY, Tensor, run, run_devices, run_global};
use meshwright_ir::op::collective::{Channel, Collective, CollectiveKind, Groups};
use meshwright_ir::op::sharding::{ManualComputation, ShardingOp};
use meshwright_ir::op::{BinaryOp, Op};
use meshwright_ir::{Annotation, DType, Module, Type, ValueId};
use meshwright_shard::{
    Axis, AxisRef, DimSharding, HloSharding, HloShardingKind, Mesh, MeshId, Sharding, TileDevices,
};
use support::*;

fn collective(kind: CollectiveKind, groups: Groups, group_size: i64) -> Op {
    let channel = Channel { id: Some(1), kind: 1, use_global_device_ids: true };
    Op::Collective(Collective { kind, groups, group_size, channel, wide: None })
}

fn pairs() -> Groups {
    Groups::List(vec![vec![0, 2], vec![3, 1]])
}

/// Run a collective on four devices; device d holds `d * 10 + 0, d * 10 + 1, ..`.
fn on_four(op: Op, region: bool, dims: &[i64]) -> Vec<Vec<i64>> {
    let module = module(&[s32(dims)], |b, p| {
        let regions = if region { vec![b.reducer(BinaryOp::Add, DType::S32)] } else { Vec::new() };
        vec![b.with(op, p, &regions)]
    });
    let count: i64 = dims.iter().product();
    let inputs: Vec<Vec<Tensor>> =
        (0..4).map(|d| vec![ints(dims, &(0..count).map(|i| d * 10 + i).collect::<Vec<_>>())]).collect();
    let results = run_devices(&module, 4, &inputs).unwrap();
    results.iter().map(|own| own[0].to_ints().unwrap()).collect()
}

#[test]
fn all_reduce_adds_within_groups() {
    let made = on_four(collective(CollectiveKind::AllReduce, pairs(), 2), true, &[2]);
    assert_eq!(made, [[20, 22], [40, 42], [20, 22], [40, 42]]);
}

#[test]
fn all_gather_follows_the_order_of_positions() {
    let made = on_four(collective(CollectiveKind::AllGather { dim: 0 }, pairs(), 2), false, &[1]);
    assert_eq!(made, [[0, 20], [30, 10], [0, 20], [30, 10]]);
}

#[test]
fn reduce_scatter_gives_each_position_its_piece() {
    let made = on_four(collective(CollectiveKind::ReduceScatter { dim: 0 }, pairs(), 2), true, &[2]);
    assert_eq!(made, [[20], [42], [22], [40]]);
}

#[test]
fn all_to_all_exchanges_pieces() {
    let kind = CollectiveKind::AllToAll { split_dim: 0, concat_dim: 1, split_count: 2 };
    let made = on_four(collective(kind, pairs(), 2), false, &[2, 1]);
    assert_eq!(made, [[0, 20], [31, 11], [1, 21], [30, 10]]);
}

#[test]
fn a_tuple_all_to_all_sends_operand_i_to_member_i() {
    let module = module(&[s32(&[]), s32(&[])], |b, p| {
        let types = [Type::Tensor(s32(&[])), Type::Tensor(s32(&[]))];
        b.typed(collective(CollectiveKind::AllToAllTuple, Groups::All, 2), p, &[], &types)
    });
    let inputs = [vec![ints(&[], &[1]), ints(&[], &[2])], vec![ints(&[], &[3]), ints(&[], &[4])]];
    let results = run_devices(&module, 2, &inputs).unwrap();
    let flat: Vec<i64> = results.iter().flatten().map(|x| x.to_ints().unwrap()[0]).collect();
    assert_eq!(flat, [1, 3, 2, 4]);
}

#[test]
fn permute_leaves_zeros_where_nobody_sends() {
    let kind = CollectiveKind::Permute { pairs: vec![(0, 1), (1, 2), (3, 0)] };
    assert_eq!(on_four(collective(kind, Groups::All, 1), false, &[1]), [[30], [0], [10], [0]]);
}

#[test]
fn broadcast_takes_the_first_of_each_group() {
    let made = on_four(collective(CollectiveKind::Broadcast, pairs(), 2), false, &[1]);
    assert_eq!(made, [[0], [30], [0], [30]]);
}

#[test]
fn iota_groups_and_devices_outside_of_groups() {
    let groups = Groups::Iota { groups: 2, size: 2, reshape: vec![2, 2], transpose: vec![1, 0] };
    let made = on_four(collective(CollectiveKind::AllReduce, groups, 2), true, &[1]);
    assert_eq!(made, [[20], [40], [20], [40]]);
    let module = module(&[s32(&[])], |b, p| {
        let region = b.reducer(BinaryOp::Add, DType::S32);
        let groups = Groups::List(vec![vec![0, 1]]);
        vec![b.with(collective(CollectiveKind::AllReduce, groups, 2), p, &[region])]
    });
    let inputs: Vec<Vec<Tensor>> = (0..3).map(|d| vec![ints(&[], &[d])]).collect();
    let error = run_devices(&module, 3, &inputs).unwrap_err();
    assert_eq!(error.code, BAD_DEVICES);
    assert!(error.message.ends_with("device 2 is in none of the groups"), "{error}");
    assert_eq!(run_devices(&module, 1, &inputs[..1]).unwrap_err().code, BAD_DEVICES);
}

#[test]
fn device_numbers_of_replicas_and_partitions() {
    let mut module = module(&[], |b, _| {
        let u32 = [Type::Tensor(ty(DType::U32, &[]))];
        let mut ids = b.typed(Op::ReplicaId, &[], &[], &u32);
        ids.extend(b.typed(Op::PartitionId, &[], &[], &u32));
        ids
    });
    module.num_replicas = Some(2);
    module.num_partitions = Some(3);
    let results = run_devices(&module, 6, &vec![Vec::new(); 6]).unwrap();
    let numbers: Vec<Vec<i64>> =
        results.iter().map(|own| own.iter().flat_map(|x| x.to_ints().unwrap()).collect()).collect();
    assert_eq!(numbers, [[0, 0], [0, 1], [0, 2], [1, 0], [1, 1], [1, 2]]);
}

fn mesh_of(module: &mut Module, axes: &[(&str, i64)]) -> MeshId {
    let axes = axes.iter().map(|(name, size)| Axis { name: (*name).into(), size: *size }).collect();
    module.meshes.push(Mesh { name: "mesh".into(), axes, order: None })
}

fn axis(index: usize, size: i64) -> AxisRef {
    AxisRef { axis: Id::from_index(index), pre: 1, size }
}

/// A sharding by lists of axes per dim.
fn split(mesh: MeshId, dims: &[&[AxisRef]]) -> Sharding {
    let dims = dims.iter().map(|axes| DimSharding::closed(axes.to_vec())).collect();
    Sharding { dims, ..Sharding::replicated(mesh, 0) }
}

#[test]
fn a_manual_region_works_on_pieces_and_keeps_free_axes_whole() {
    let mut module = Module::new("test");
    let mesh = mesh_of(&mut module, &[("x", 2), ("y", 2)]);
    let (x, y) = (axis(0, 2), axis(1, 2));
    // Manual over x alone; dim 0 is also split over y, which stays global inside.
    let manual = ManualComputation {
        mesh,
        axes: vec![x],
        in_shardings: vec![split(mesh, &[&[x, y]])],
        out_shardings: vec![split(mesh, &[&[]]), split(mesh, &[&[x]])],
    };
    fill(&mut module, &[s32(&[4])], |b, p| {
        let body = b.region(&[s32(&[2])], |b, s| {
            let region = b.reducer(BinaryOp::Add, DType::S32);
            let groups = Groups::Axes { mesh, axes: vec![x] };
            let sum = b.with(collective(CollectiveKind::AllReduce, groups, 2), &[s[0]], &[region]);
            vec![sum, b.binary(BinaryOp::Add, s[0], sum)]
        });
        let types = [Type::Tensor(s32(&[2])), Type::Tensor(s32(&[4]))];
        b.typed(Op::Sharding(ShardingOp::Manual(manual)), p, &[body], &types)
    });
    let inputs = [ints(&[4], &[1, 2, 30, 40])];
    let results = run_global(&module, &inputs).unwrap();
    assert_eq!(results[0].to_ints().unwrap(), [31, 42]);
    assert_eq!(results[1].to_ints().unwrap(), [32, 44, 61, 82]);
    assert_eq!(run(&module, &inputs).unwrap_err().code, GLOBAL_ONLY);
}

fn tiled(tiles: &[i64], devices: &[u32]) -> Annotation {
    let kind = HloShardingKind::Tiled {
        tiles: tiles.to_vec(),
        devices: TileDevices::List(devices.to_vec()),
        subgroups: Vec::new(),
        last_tile_dim_replicate: false,
    };
    Annotation::from(HloSharding { kind, group: None, metadata: Vec::new() })
}

#[test]
fn shard_shapes_between_markers_are_pieces_in_tile_order() {
    let mut module = Module::new("test");
    module.num_partitions = Some(2);
    fill(&mut module, &[s32(&[3])], |b, p| {
        let unspecified = Vec::new;
        let local = [Type::Tensor(s32(&[2]))];
        let constrained = b.op(Op::Sharding(ShardingOp::Constraint { unspecified: unspecified() }), p);
        b.editor.set_sharding(constrained, Some(tiled(&[2], &[1, 0])));
        let cut = ShardingOp::FullToShard { unspecified: unspecified(), shape: vec![2] };
        let piece = b.typed(Op::Sharding(cut), &[constrained], &[], &local)[0];
        let number = b.typed(Op::PartitionId, &[], &[], &[Type::Tensor(ty(DType::U32, &[]))])[0];
        let number = b.op(Op::Convert(meshwright_ir::op::Convert::To(DType::S32)), &[number]);
        let hundred = b.int(100);
        let shift = b.binary(BinaryOp::Multiply, number, hundred);
        let shift = broadcast(b, shift, &[2]);
        let moved = b.binary(BinaryOp::Add, piece, shift);
        let join = ShardingOp::ShardToFull { unspecified: unspecified(), shape: vec![3] };
        let whole = b.typed(Op::Sharding(join), &[moved], &[], &[Type::Tensor(s32(&[3]))])[0];
        b.editor.set_sharding(whole, Some(tiled(&[2], &[1, 0])));
        vec![whole]
    });
    // The first two elements lie on device 1, the third (and padding) on device 0.
    let results = run_global(&module, &[ints(&[3], &[1, 2, 3])]).unwrap();
    assert_eq!(results[0].to_ints().unwrap(), [101, 102, 3]);
}

fn broadcast(b: &mut Body, x: ValueId, shape: &[i64]) -> ValueId {
    use meshwright_ir::op::{Broadcast, Movement};
    b.op(Op::Movement(Movement::Broadcast(Broadcast { dims: Vec::new(), shape: shape.to_vec() })), &[x])
}
