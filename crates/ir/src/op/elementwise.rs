//! Ops that work element by element: unary, binary, compare, select, clamp.

/// One operand, one result of the same shape.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum UnaryOp {
    Abs,
    Acos,
    Acosh,
    Asin,
    Asinh,
    Atan,
    Atanh,
    BesselI1e,
    Cbrt,
    Ceil,
    Conj,
    /// The identity, as HLO's `copy`.
    Copy,
    Cosh,
    Cosine,
    CountLeadingZeros,
    Digamma,
    Erf,
    Erfc,
    ErfInv,
    Exponential,
    ExponentialMinusOne,
    Floor,
    Imag,
    IsFinite,
    IsInf,
    IsNegInf,
    IsPosInf,
    Lgamma,
    Log,
    LogPlusOne,
    Logistic,
    Negate,
    Not,
    PopulationCount,
    Real,
    RoundNearestAfz,
    RoundNearestEven,
    Rsqrt,
    Sign,
    Sine,
    Sinh,
    Sqrt,
    Square,
    Tan,
    Tanh,
}

/// Two operands and a result of one shape.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum BinaryOp {
    Add,
    And,
    Atan2,
    Complex,
    Divide,
    Maximum,
    Minimum,
    Multiply,
    NextAfter,
    Or,
    Polygamma,
    Power,
    Remainder,
    ShiftLeft,
    ShiftRightArithmetic,
    ShiftRightLogical,
    Subtract,
    Xor,
    Zeta,
}

/// Which comparison.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Direction {
    Eq,
    Ne,
    Ge,
    Gt,
    Le,
    Lt,
}

/// In which order values are compared.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum CompareKind {
    Float,
    TotalOrder,
    Signed,
    Unsigned,
}

/// Compare two tensors into `pred`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Compare {
    pub direction: Direction,
    /// As the text said it; `None` means what the element type implies.
    pub kind: Option<CompareKind>,
}
