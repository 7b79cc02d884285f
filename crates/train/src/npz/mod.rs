//! Numpy's archives of arrays: `.npz`, a zip of `.npy` files.
//!
//! Entry `0` (or `arr_0`) is the first array. Numpy has no bf16, f8 or int4: such an array is stored as its raw bits
//! and its key carries the type, as `1:bf16`; without it, bits stored as of no type (as Python packages do) are what
//! the reader wants them to be. Arrays are read one at a time, never beyond the size their header states, and to the
//! end of their entry, where the checksum is held against what was read.

mod archive;
mod header;

pub use archive::{Archive, FileArchive, write};
pub use header::Header;

use meshwright_ir::TensorType;

/// A tensor as a file holds it: row major, little endian, sub-byte types in a byte each (as in a
/// [`Literal`](meshwright_ir::Literal)).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Array {
    pub ty: TensorType,
    pub bytes: Vec<u8>,
}
