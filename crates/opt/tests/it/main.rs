//! The integration tests of `meshwright-opt`: one binary, one module per subject.

mod batch_indices;
mod inline;
mod motion;
mod permute_motion;
mod prune;
mod reduce_scatter;
mod remat;
mod schedule;
mod simplify;
mod slice_gathers;
mod sum_pieces;
mod support;
