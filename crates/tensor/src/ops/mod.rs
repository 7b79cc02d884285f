//! The array ops, a file per family. Each is a method of [`Tensor`](crate::Tensor), a free function where no tensor
//! comes first, or both.

pub(crate) mod contract;
pub(crate) mod create;
pub(crate) mod einsum;
mod einsum_spec;
pub(crate) mod elementwise;
pub(crate) mod join;
pub(crate) mod linalg;
pub(crate) mod lookup;
pub(crate) mod normalize;
pub(crate) mod operators;
pub(crate) mod order;
pub(crate) mod random;
pub(crate) mod reduce;
pub(crate) mod shape;
pub(crate) mod slice;
pub(crate) mod window;
