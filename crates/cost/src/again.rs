//! What a program computes again, to keep less of it, and what is of a derivative: known by the names that frameworks
//! give them.

use meshwright_ir::Source;

/// Whether an instruction of this place in the user's program computes again what was computed before.
pub fn is_again(source: &Source) -> bool {
    const AGAIN: &str = "rematted_computation";
    let name = source.op_name.as_deref().unwrap_or("");
    let Some(at) = name.find(AGAIN) else { return false };
    // Not inside of `transpose(..)`: that is the derivative of it.
    let open = |text: &str, bracket: char| text.matches(bracket).count();
    open(&name[..at], '(') == open(&name[..at], ')')
}

/// Whether an instruction is of a derivative, as frameworks name them.
pub fn is_backward(source: &Source) -> bool {
    source.op_name.as_deref().is_some_and(|name| name.contains("transpose("))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_computed_again_has_the_frameworks_name_outside_of_a_transpose() {
        let named = |name: &str| is_again(&Source { op_name: Some(name.into()), ..Source::default() });
        assert!(named("rematted_computation"));
        assert!(named("jit(f)/transpose(jvp())/checkpoint/rematted_computation/dot_general"));
        assert!(!named("transpose(rematted_computation/block_0)"));
        assert!(!named("jit(f)/dot_general"));
    }
}
