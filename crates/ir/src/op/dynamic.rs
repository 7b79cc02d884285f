//! Slices at computed places. Start indices are scalars and clamp so that the slice lies inside.

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Dynamic {
    /// `(operand, start..)`.
    Slice { sizes: Vec<i64> },
    /// `(operand, update, start..)`.
    UpdateSlice,
}
