//! What of a member's operand another rank needs: bytes that no device there reads are not sent.

use crate::transport::ByteRuns;
use meshwright_base::Id;
use meshwright_ir::TensorType;
use meshwright_ir::op::collective::CollectiveKind;
use meshwright_runtime::Site;
use meshwright_runtime::array::byte_len;

/// The parts of operand `k` of the member at `from` that the members at `needed` (ascending) read, all in one group.
pub fn needed(site: &Site, group: usize, k: usize, from: usize, needed: &[usize]) -> Vec<ByteRuns> {
    let (members, ty) = (&site.groups[group], &site.operands[k]);
    let whole_if = |wanted: bool| if wanted { vec![whole(ty)] } else { Vec::new() };
    match &site.kind {
        CollectiveKind::AllReduce | CollectiveKind::AllGather { .. } => whole_if(true),
        CollectiveKind::Broadcast => whole_if(from == 0),
        CollectiveKind::AllToAllTuple => whole_if(needed.contains(&k)),
        CollectiveKind::Permute { pairs } => {
            let number = |at: usize| members[at].index() as u32;
            let sends = |to: &usize| pairs.contains(&(number(from), number(*to)));
            whole_if(needed.iter().any(sends))
        }
        CollectiveKind::ReduceScatter { dim } | CollectiveKind::AllToAll { split_dim: dim, .. } => {
            merged(needed.iter().map(|position| piece(ty, *dim, *position, members.len())))
        }
    }
}

fn whole(ty: &TensorType) -> ByteRuns {
    ByteRuns::dense(0, byte_len(ty).unwrap_or(0))
}

/// Piece `index` of `count` equal ones along a dim.
fn piece(ty: &TensorType, dim: usize, index: usize, count: usize) -> ByteRuns {
    let elements = |dims: &[i64]| dims.iter().map(|dim| *dim as usize).product::<usize>();
    let row = elements(&ty.dims[dim..]) * ty.dtype.bytes();
    ByteRuns { start: row / count * index, runs: elements(&ty.dims[..dim]), bytes: row / count, step: row }
}

/// Neighbours travel as one.
fn merged(pieces: impl Iterator<Item = ByteRuns>) -> Vec<ByteRuns> {
    let mut all: Vec<ByteRuns> = Vec::new();
    for piece in pieces {
        match all.last_mut() {
            Some(last) if last.start + last.bytes == piece.start => last.bytes += piece.bytes,
            _ => all.push(piece),
        }
    }
    all
}

/// Of `count` elements, those that the rank at `index` of `ranks` adds up: about equal ranges in ascending order.
pub fn range(count: usize, index: usize, ranks: usize) -> std::ops::Range<usize> {
    let bound = |index: usize| (count as u128 * index as u128 / ranks as u128) as usize;
    bound(index)..bound(index + 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use meshwright_ir::DType;

    fn site(kind: CollectiveKind) -> Site {
        let ty = TensorType::new(DType::F32, vec![2, 8]);
        Site {
            name: String::new(),
            kind,
            groups: vec![(0..4).map(Id::from_index).collect()],
            operands: vec![ty.clone()],
            results: vec![ty],
            reducer: None,
            wide: None,
        }
    }

    #[test]
    fn neighbouring_pieces_travel_as_one_and_others_apart() {
        let site = site(CollectiveKind::ReduceScatter { dim: 1 });
        assert_eq!(needed(&site, 0, 0, 0, &[2, 3]), [ByteRuns { start: 16, runs: 2, bytes: 16, step: 32 }]);
        let [a, b] = needed(&site, 0, 0, 0, &[0, 2])[..] else { panic!("two parts") };
        assert_eq!((a.start, a.bytes, b.start, b.bytes), (0, 8, 16, 8));
    }

    #[test]
    fn only_what_a_permute_sends_there_travels() {
        let site = site(CollectiveKind::Permute { pairs: vec![(0, 1), (1, 2)] });
        assert_eq!(needed(&site, 0, 0, 1, &[2, 3]), [ByteRuns::dense(0, 64)]);
        assert_eq!(needed(&site, 0, 0, 0, &[2, 3]), []);
    }

    #[test]
    fn ranges_cover_all_elements_also_where_there_are_fewer_than_ranks() {
        for count in [0, 1, 3, 10] {
            let ranges: Vec<usize> = (0..4).flat_map(|index| range(count, index, 4)).collect();
            assert_eq!(ranges, (0..count).collect::<Vec<_>>());
        }
    }
}
