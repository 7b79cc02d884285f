//! Marks on instructions that the front end writes and differentiation reads: attributes, so every other reader may
//! ignore them and still compute the same values.
//!
//! | on | mark | what it says |
//! |---|---|---|
//! | `call` | [`CHECKPOINT`] | keep only the operands for the backward pass and compute the callee again there |
//! | `call` | [`FORWARD`], [`BACKWARD`] | differentiate by these two functions instead of by the callee |
//! | unary `copy` | [`STOP_GRADIENT`] | the result is a constant to differentiation |
//!
//! With `call @f(a..) -> r..` the function named by `FORWARD` maps `a..` to `r.., s..` for any residuals `s..`, and the
//! one named by `BACKWARD` maps `s.., dr..` to `da..`: one cotangent per operand, of the operand's type. The cotangent
//! of an operand that has no gradient (an integer) is ignored.

/// On a call: `Attr::Unit`.
pub const CHECKPOINT: &str = "meshwright.checkpoint";

/// On a call: the name of a function, `Attr::Str`.
pub const FORWARD: &str = "meshwright.forward";

/// On a call: the name of a function, `Attr::Str`.
pub const BACKWARD: &str = "meshwright.backward";

/// On a copy: `Attr::Unit`.
pub const STOP_GRADIENT: &str = "meshwright.stop_gradient";
