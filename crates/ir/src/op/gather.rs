//! Gather and scatter with StableHLO's dimension numbers, batching dims included.

/// `(operand, start_indices)`.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Gather {
    pub offset_dims: Vec<usize>,
    pub collapsed_slice_dims: Vec<usize>,
    pub operand_batching_dims: Vec<usize>,
    pub start_indices_batching_dims: Vec<usize>,
    pub start_index_map: Vec<usize>,
    pub index_vector_dim: usize,
    pub slice_sizes: Vec<i64>,
    pub indices_are_sorted: bool,
}

/// `(inputs.., scatter_indices, updates..)`, as many updates as inputs.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Scatter {
    pub update_window_dims: Vec<usize>,
    pub inserted_window_dims: Vec<usize>,
    pub input_batching_dims: Vec<usize>,
    pub scatter_indices_batching_dims: Vec<usize>,
    pub scatter_dims_to_operand_dims: Vec<usize>,
    pub index_vector_dim: usize,
    pub indices_are_sorted: bool,
    pub unique_indices: bool,
}
