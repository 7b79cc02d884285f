//! Random meshes and shardings from a seed, small enough to check device by device.

use meshwright_base::Id;
use meshwright_shard::{AxisRef, DimSharding, Mesh, MeshId, Reducer, Sharding};

/// A small generator (xorshift64*): the same seed gives the same case everywhere.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    /// A number below `bound`.
    pub fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) as usize % bound.max(1)
    }

    pub fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    pub fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len())]
    }

    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for end in (1..items.len()).rev() {
            items.swap(end, self.below(end + 1));
        }
    }
}

/// Sizes whose product is `count`, in random order, with an occasional 1.
pub fn factors(random: &mut Random, count: i64) -> Vec<i64> {
    let mut sizes = Vec::new();
    let mut left = count;
    while left > 1 {
        let divisors: Vec<i64> = (2..=left).filter(|size| left % size == 0).collect();
        let size = *random.pick(&divisors);
        sizes.push(size);
        left /= size;
    }
    if random.one_in(5) || sizes.is_empty() {
        sizes.push(1);
    }
    random.shuffle(&mut sizes);
    sizes
}

pub fn device_count(random: &mut Random) -> i64 {
    *random.pick(&[1, 2, 4, 6, 8, 12, 16, 24, 36, 64])
}

/// A mesh of `count` devices; one in four lists them transposed, one in four in any order.
pub fn mesh(random: &mut Random, count: i64) -> Mesh {
    let axes =
        factors(random, count).into_iter().enumerate().map(|(index, size)| (format!("a{index}"), size));
    let order = match random.below(4) {
        0 => Some(transposed(random, count)),
        1 => {
            let mut order: Vec<u32> = (0..count as u32).collect();
            random.shuffle(&mut order);
            Some(order)
        }
        _ => None,
    };
    Mesh::new("mesh", axes.collect::<Vec<_>>(), order).expect("a random mesh is sound")
}

/// Devices by position in the order of a row-major array whose dims are permuted.
fn transposed(random: &mut Random, count: i64) -> Vec<u32> {
    let sizes = factors(random, count);
    let mut permutation: Vec<usize> = (0..sizes.len()).collect();
    random.shuffle(&mut permutation);
    let mut order = vec![0];
    for dim in permutation {
        let stride: i64 = sizes[dim + 1..].iter().product();
        order = order
            .iter()
            .flat_map(|base| (0..sizes[dim]).map(move |at| base + (at * stride) as u32))
            .collect();
    }
    order
}

/// All axes of the mesh, randomly cut, in random order.
fn pieces(random: &mut Random, mesh: &Mesh) -> Vec<AxisRef> {
    let mut pieces = Vec::new();
    for axis in mesh.whole_axes() {
        let mut pre = 1;
        let cut = if random.one_in(2) { factors(random, axis.size) } else { vec![axis.size] };
        for size in cut {
            pieces.push(AxisRef { axis: axis.axis, pre, size });
            pre *= size;
        }
    }
    random.shuffle(&mut pieces);
    pieces
}

/// A sharding of a value of this rank that only tiles.
pub fn tiling(random: &mut Random, mesh: &Mesh, rank: usize) -> Sharding {
    let mut sharding = Sharding::replicated(MeshId::from_index(0), rank);
    for piece in pieces(random, mesh) {
        if let Some(dim) = sharding.dims.get_mut(random.below(rank + 1)) {
            dim.axes.push(piece);
        }
    }
    sharding
}

/// A sharding of a value of this rank that uses everything a sharding has.
pub fn sharding(random: &mut Random, mesh: &Mesh, rank: usize) -> Sharding {
    let mut sharding = Sharding::replicated(MeshId::from_index(0), rank);
    for piece in pieces(random, mesh) {
        match random.below(rank + 4) {
            0 => sharding.partial.push(piece),
            1 => sharding.manual.push(piece),
            2 => {}
            3 => sharding.replicated.push(piece),
            dim => sharding.dims[dim - 4].axes.push(piece),
        }
    }
    sharding.dims.iter_mut().for_each(|dim| decorate(random, dim));
    sharding.partial.sort_unstable();
    sharding.manual.sort_unstable();
    if !sharding.partial.is_empty() {
        sharding.reducer = *random.pick(&[Reducer::Sum, Reducer::Max, Reducer::Min, Reducer::Product]);
    }
    sharding
}

fn decorate(random: &mut Random, dim: &mut DimSharding) {
    dim.open = random.one_in(3);
    dim.priority = random.one_in(4).then(|| random.below(3) as u32);
}
