//! HLO shardings as their text says them: data, not yet tied to a mesh.

/// A tile assignment: which device holds which tile.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum TileDevices {
    /// `<=[4,2]T(1,0)`: iota over the product, reshaped, transposed, flattened.
    Iota { reshape: Vec<i64>, transpose: Vec<usize> },
    /// `0,2,1,3`: device of each tile in row-major order of the tile dims.
    List(Vec<u32>),
}

/// Type of a trailing tile dim that splits no dim of the tensor.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Subgroup {
    Replicated,
    Manual,
    Unreduced,
}

/// `shard_as N` / `shard_like N`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ShardGroup {
    As(i64),
    Like(i64),
}

/// What an HLO sharding is, but for its group.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum HloShardingKind {
    Replicated,
    Manual,
    Unknown,
    Unreduced,
    Maximal {
        device: i64,
    },
    Tiled {
        /// Tile counts: one per dim, then one per subgroup.
        tiles: Vec<i64>,
        devices: TileDevices,
        /// Types of the trailing tile dims.
        subgroups: Vec<Subgroup>,
        /// Whether the text said `last_tile_dim_replicate` instead of `last_tile_dims={..}`.
        last_tile_dim_replicate: bool,
    },
    Tuple(Vec<HloSharding>),
    /// The 2026 named form: `{mesh['a'=8,'b'=8], [{'a'}, {?}]}`, kept as a mesh and a sharding over it.
    Named(Box<(crate::mesh::Mesh, crate::sharding::Sharding)>),
}

/// One HLO sharding.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct HloSharding {
    pub kind: HloShardingKind,
    pub group: Option<ShardGroup>,
    /// `metadata={..}` entries, verbatim.
    pub metadata: Vec<String>,
}
