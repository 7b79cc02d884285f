//! Collectives in memory: every kind on small arrays, sums in ascending position.

use meshwright_base::Id;
use meshwright_ir::op::CollectiveKind;
use meshwright_ir::{DType, TensorType};
use meshwright_runtime::Site;
use meshwright_runtime::collective::join_group;
use meshwright_runtime::pool::Alone;
use meshwright_shard::Reducer;

/// Join four members whose operands are given; what each of them gets.
fn join(kind: CollectiveKind, dims: [&[i64]; 2], operands: &[Vec<f32>]) -> Vec<Vec<f32>> {
    let [from, to] = dims.map(|dims| TensorType::new(DType::F32, dims));
    let site = Site {
        name: "site".to_string(),
        kind,
        groups: vec![(0..operands.len()).map(Id::from_index).collect()],
        operands: vec![from],
        results: vec![to.clone()],
        reducer: Some(Reducer::Sum),
        wide: None,
    };
    let mut results = vec![vec![-1f32; to.elements() as usize]; operands.len()];
    let sources: Vec<[*const u8; 1]> = operands.iter().map(|x| [x.as_ptr().cast()]).collect();
    let targets: Vec<[*mut u8; 1]> = results.iter_mut().map(|x| [x.as_mut_ptr().cast()]).collect();
    let sources: Vec<&[*const u8]> = sources.iter().map(|x| &x[..]).collect();
    let targets: Vec<Option<&[*mut u8]>> = targets.iter().map(|x| Some(&x[..])).collect();
    join_group(&site, 0, &sources, &targets, &Alone).unwrap();
    results
}

#[test]
fn a_sum_starts_from_position_0_and_adds_ascending() {
    let parts = [vec![1e8], vec![1.0], vec![-1e8], vec![1.0]];
    let expected = ((1e8f32 + 1.0) + -1e8) + 1.0;
    assert_eq!(join(CollectiveKind::AllReduce, [&[1], &[1]], &parts), vec![vec![expected]; 4]);
}

#[test]
fn pieces_go_where_they_belong() {
    let parts = [vec![0., 1., 2., 3.], vec![10., 11., 12., 13.]];
    let gathered = join(CollectiveKind::AllGather { dim: 1 }, [&[2, 2], &[2, 4]], &parts);
    assert_eq!(gathered[1], [0., 1., 10., 11., 2., 3., 12., 13.]);
    let scattered = join(CollectiveKind::ReduceScatter { dim: 1 }, [&[2, 2], &[2, 1]], &parts);
    assert_eq!(scattered, [[10., 14.], [12., 16.]]);
    let kind = CollectiveKind::AllToAll { split_dim: 1, concat_dim: 0, split_count: 2 };
    let exchanged = join(kind, [&[2, 2], &[4, 1]], &parts);
    assert_eq!(exchanged, [[0., 2., 10., 12.], [1., 3., 11., 13.]]);
    let moved = join(CollectiveKind::Permute { pairs: vec![(0, 1)] }, [&[4], &[4]], &parts);
    assert_eq!(moved, [vec![0.; 4], parts[0].clone()]);
    let sent = join(CollectiveKind::Broadcast, [&[4], &[4]], &parts);
    assert_eq!(sent[1], parts[0]);
}
