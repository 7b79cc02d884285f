//! What planning writes otherwise before it begins: the same numbers, in ops that leave it a choice.
//!
//! ```text
//! check_input          collectives of the input that would exchange pieces of a global value are refused
//! transforms           a Fourier transform along a split dim becomes transforms along dims that need not be
//! padded_sums          a sum of paddings that fill each other up is put together
//! pad_slices           a slice that is padded at once becomes one padding
//! slice_to_dynamic     a single element of a split dim is taken at a computed place
//! ```

mod check_input;
mod pad_slices;
mod padded_sums;
mod slice_to_dynamic;
mod transforms;

use meshwright_base::Diagnostic;
use meshwright_ir::{Module, ShardedModule};

/// A module as planning takes it. Transforms of at least `long` bytes are done in pieces also where that sends more.
pub fn prepared(module: ShardedModule, long: f64) -> Result<Module, Vec<Diagnostic>> {
    let mut module = module.into_module();
    check_input::check(&module)?;
    for func in module.funcs.values_mut() {
        transforms::split(func, long);
        padded_sums::join(func);
        pad_slices::join(func);
        slice_to_dynamic::rewrite(func);
    }
    Ok(module)
}
