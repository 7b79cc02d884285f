//! Archives of arrays as this program writes them: beside their target and then renamed, so a reader never sees half of
//! one. What they are is in `train`.

use crate::output;
use std::io;
use std::path::Path;

pub use meshwright_train::npz::{Archive, Array, FileArchive};

/// Write arrays as `0`, `1`, ... to `path`, whole or not at all. The same arrays give the same bytes.
pub fn write(path: &Path, arrays: &[Array]) -> io::Result<()> {
    output::replace(path, |sink| meshwright_train::npz::write(sink, arrays))
}
