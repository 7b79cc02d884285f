//! Ops that work element by element: unary, binary, compare, select, clamp.
//!
//! Every dim passes through. `select`'s `pred` and `clamp`'s bounds may be scalars and then have no factors.

use crate::expect::{ensure, expect_same_dims, expect_same_types};
use crate::infer::{InferError, Inferred, Operands};
use crate::rule::{ALL_REDUCERS, Linear, Rule, RuleCx};
use crate::types::{Class, DType, TensorType};
use meshwright_shard::Reducer;

/// An enum of ops as a table: each variant has a row with all that is said of it here.
macro_rules! ops {
    ($(#[$about:meta])* pub enum $Ops:ident: $Row:ty {
        $($(#[$note:meta])* $op:ident = ($name:literal, $classes:ident, $effort:ident $(, $more:expr)?),)*
    }) => {
        $(#[$about])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub enum $Ops {
            $($(#[$note])* $op,)*
        }

        impl $Ops {
            /// All of them, for tests that ask something of each.
            pub const ALL: &[$Ops] = &[$($Ops::$op,)*];

            fn row(self) -> $Row {
                match self {
                    $($Ops::$op => ($name, $classes, Effort::$effort $(, $more)?),)*
                }
            }
        }
    };
}

ops! {
    /// One operand, one result of the same shape: name, classes of element types, effort, where zero goes.
    pub enum UnaryOp: (&'static str, &'static [Class], Effort, Zero) {
        Abs = ("abs", NUMERIC, Step, Zero::Kept),
        Acos = ("acos", FLOAT_OR_COMPLEX, Function, Zero::Lost),
        Acosh = ("acosh", FLOAT_OR_COMPLEX, Function, Zero::Lost),
        Asin = ("asin", FLOAT_OR_COMPLEX, Function, Zero::Kept),
        Asinh = ("asinh", FLOAT_OR_COMPLEX, Function, Zero::Kept),
        Atan = ("atan", FLOAT_OR_COMPLEX, Function, Zero::Kept),
        Atanh = ("atanh", FLOAT_OR_COMPLEX, Function, Zero::Kept),
        BesselI1e = ("bessel_i1e", FLOAT, Function, Zero::Kept),
        Cbrt = ("cbrt", FLOAT_OR_COMPLEX, Function, Zero::Kept),
        Ceil = ("ceil", FLOAT, Step, Zero::Kept),
        Conj = ("conj", FLOAT_OR_COMPLEX, Step, Zero::Kept),
        /// The identity, as HLO's `copy`.
        Copy = ("copy", ANY, Step, Zero::Kept),
        Cosh = ("cosh", FLOAT_OR_COMPLEX, Function, Zero::Lost),
        Cosine = ("cosine", FLOAT_OR_COMPLEX, Function, Zero::Lost),
        CountLeadingZeros = ("count_leading_zeros", INTEGER, Step, Zero::Lost),
        Digamma = ("digamma", FLOAT, Function, Zero::Lost),
        Erf = ("erf", FLOAT, Function, Zero::Kept),
        Erfc = ("erfc", FLOAT, Function, Zero::Lost),
        ErfInv = ("erf_inv", FLOAT, Function, Zero::Kept),
        Exponential = ("exponential", FLOAT_OR_COMPLEX, Function, Zero::Lost),
        ExponentialMinusOne = ("exponential_minus_one", FLOAT_OR_COMPLEX, Function, Zero::Kept),
        Floor = ("floor", FLOAT, Step, Zero::Kept),
        Imag = ("imag", FLOAT_OR_COMPLEX, Step, Zero::Kept),
        IsFinite = ("is_finite", FLOAT, Step, Zero::Lost),
        IsInf = ("is_inf", FLOAT, Step, Zero::Kept),
        IsNegInf = ("is_neg_inf", FLOAT, Step, Zero::Kept),
        IsPosInf = ("is_pos_inf", FLOAT, Step, Zero::Kept),
        Lgamma = ("lgamma", FLOAT, Function, Zero::Lost),
        Log = ("log", FLOAT_OR_COMPLEX, Function, Zero::Lost),
        LogPlusOne = ("log_plus_one", FLOAT_OR_COMPLEX, Function, Zero::Kept),
        Logistic = ("logistic", FLOAT_OR_COMPLEX, Function, Zero::Lost),
        Negate = ("negate", NUMERIC, Step, Zero::Kept),
        Not = ("not", BITS, Step, Zero::Lost),
        PopulationCount = ("popcnt", INTEGER, Step, Zero::Kept),
        Real = ("real", FLOAT_OR_COMPLEX, Step, Zero::Kept),
        RoundNearestAfz = ("round_nearest_afz", FLOAT, Step, Zero::Kept),
        RoundNearestEven = ("round_nearest_even", FLOAT, Step, Zero::Kept),
        Rsqrt = ("rsqrt", FLOAT_OR_COMPLEX, Division, Zero::Lost),
        Sign = ("sign", NUMERIC, Step, Zero::Kept),
        Sine = ("sine", FLOAT_OR_COMPLEX, Function, Zero::Kept),
        Sinh = ("sinh", FLOAT_OR_COMPLEX, Function, Zero::Kept),
        Sqrt = ("sqrt", FLOAT_OR_COMPLEX, Division, Zero::Kept),
        Square = ("square", NUMERIC, Step, Zero::Kept),
        Tan = ("tan", FLOAT_OR_COMPLEX, Function, Zero::Kept),
        Tanh = ("tanh", FLOAT_OR_COMPLEX, Function, Zero::Kept),
    }
}

ops! {
    /// Two operands and a result of one shape: name, classes of element types, effort.
    pub enum BinaryOp: (&'static str, &'static [Class], Effort) {
        Add = ("add", ANY, Step),
        And = ("and", BITS, Step),
        Atan2 = ("atan2", FLOAT_OR_COMPLEX, Function),
        Complex = ("complex", FLOAT, Step),
        Divide = ("divide", NUMERIC, Division),
        Maximum = ("maximum", ORDERED, Step),
        Minimum = ("minimum", ORDERED, Step),
        Multiply = ("multiply", ANY, Step),
        NextAfter = ("next_after", FLOAT, Step),
        Or = ("or", BITS, Step),
        Polygamma = ("polygamma", FLOAT, Function),
        Power = ("power", NUMERIC, Function),
        Remainder = ("remainder", NUMERIC, Division),
        ShiftLeft = ("shift_left", INTEGER, Step),
        ShiftRightArithmetic = ("shift_right_arithmetic", INTEGER, Step),
        ShiftRightLogical = ("shift_right_logical", INTEGER, Step),
        Subtract = ("subtract", NUMERIC, Step),
        Xor = ("xor", BITS, Step),
        Zeta = ("zeta", FLOAT, Function),
    }
}

impl From<Reducer> for BinaryOp {
    fn from(reducer: Reducer) -> BinaryOp {
        match reducer {
            Reducer::Sum => BinaryOp::Add,
            Reducer::Product => BinaryOp::Multiply,
            Reducer::Min => BinaryOp::Minimum,
            Reducer::Max => BinaryOp::Maximum,
            Reducer::And => BinaryOp::And,
            Reducer::Or => BinaryOp::Or,
            Reducer::Xor => BinaryOp::Xor,
        }
    }
}

/// How much work one element is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Effort {
    /// A sum, a choice, a change of bits.
    Step,
    /// A quotient or a root.
    Division,
    /// A series or a table, like that of an exponential.
    Function,
}

/// Where a unary op takes zero (or false).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Zero {
    /// To zero.
    Kept,
    /// Elsewhere, or nowhere.
    Lost,
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

const ANY: &[Class] = &[Class::Pred, Class::Signed, Class::Unsigned, Class::Float, Class::Complex];
const ORDERED: &[Class] = &[Class::Pred, Class::Signed, Class::Unsigned, Class::Float];
const NUMERIC: &[Class] = &[Class::Signed, Class::Unsigned, Class::Float, Class::Complex];
const FLOAT_OR_COMPLEX: &[Class] = &[Class::Float, Class::Complex];
const FLOAT: &[Class] = &[Class::Float];
const INTEGER: &[Class] = &[Class::Signed, Class::Unsigned];
const BITS: &[Class] = &[Class::Pred, Class::Signed, Class::Unsigned];

fn expect_class(tensor: &TensorType, name: &str, classes: &[Class]) -> Result<(), InferError> {
    let found = tensor.dtype.class();
    ensure!(classes.contains(&found), "{name} is not defined on {}", tensor.dtype; "it takes {classes:?}");
    Ok(())
}

impl UnaryOp {
    pub fn infer(self, operands: Operands<'_>) -> Inferred {
        let [operand] = operands.tensors()?;
        expect_class(operand, self.mnemonic(), self.classes())?;
        Ok(vec![operand.with_dtype(self.result_dtype(operand.dtype)).into()])
    }

    fn result_dtype(self, operand: DType) -> DType {
        match self {
            UnaryOp::Abs | UnaryOp::Real | UnaryOp::Imag => operand.part(),
            UnaryOp::IsFinite | UnaryOp::IsInf | UnaryOp::IsNegInf | UnaryOp::IsPosInf => DType::Pred,
            _ => operand,
        }
    }

    pub fn rule(self, cx: RuleCx<'_>) -> Rule {
        let linear = match self {
            UnaryOp::Copy => Linear::jointly(ALL_REDUCERS, [0]),
            UnaryOp::Negate | UnaryOp::Real | UnaryOp::Imag | UnaryOp::Conj => {
                Linear::jointly([Reducer::Sum], [0])
            }
            _ => Linear::default(),
        };
        Rule::elementwise(cx).with_linear(linear)
    }

    pub fn mnemonic(self) -> &'static str {
        self.row().0
    }

    /// The classes of element types it is defined on.
    pub fn classes(self) -> &'static [Class] {
        self.row().1
    }

    pub fn effort(self) -> Effort {
        self.row().2
    }

    /// Whether zero (or false) goes to zero.
    pub fn keeps_zero(self) -> bool {
        self.row().3 == Zero::Kept
    }
}

impl BinaryOp {
    /// The reducer that combines two values so.
    pub fn reducer(self) -> Option<Reducer> {
        ALL_REDUCERS.into_iter().find(|reducer| BinaryOp::from(*reducer) == self)
    }

    pub fn infer(self, operands: Operands<'_>) -> Inferred {
        let [lhs, rhs] = operands.tensors()?;
        expect_same_types(&[lhs, rhs])?;
        expect_class(lhs, self.mnemonic(), self.classes())?;
        match self {
            BinaryOp::Complex => complex_of(lhs),
            _ => Ok(vec![lhs.clone().into()]),
        }
    }

    /// Lattice ops commute with their own reduction; a product is linear in either factor, a quotient of floats in the
    /// dividend.
    pub fn rule(self, cx: RuleCx<'_>) -> Rule {
        let rounds = cx.results[0].as_tensor().is_some_and(|ty| ty.dtype.is_float() || ty.dtype.is_complex());
        let lattice = |reducer| Linear { reducers: vec![reducer], jointly: vec![0, 1], singly: vec![0, 1] };
        let linear = match self {
            BinaryOp::Add | BinaryOp::Subtract | BinaryOp::Complex => Linear::jointly([Reducer::Sum], [0, 1]),
            BinaryOp::Multiply => Linear::singly([Reducer::Sum], [0, 1]),
            BinaryOp::Divide if rounds => Linear::singly([Reducer::Sum], [0]),
            BinaryOp::Maximum => lattice(Reducer::Max),
            BinaryOp::Minimum => lattice(Reducer::Min),
            BinaryOp::And => lattice(Reducer::And),
            BinaryOp::Or => lattice(Reducer::Or),
            BinaryOp::Xor => Linear::jointly([Reducer::Xor], [0, 1]),
            _ => Linear::default(),
        };
        Rule::elementwise(cx).with_linear(linear)
    }

    pub fn mnemonic(self) -> &'static str {
        self.row().0
    }

    /// The classes of element types it is defined on.
    pub fn classes(self) -> &'static [Class] {
        self.row().1
    }

    pub fn effort(self) -> Effort {
        self.row().2
    }
}

fn complex_of(part: &TensorType) -> Inferred {
    match part.dtype {
        DType::F32 => Ok(vec![part.with_dtype(DType::C64).into()]),
        DType::F64 => Ok(vec![part.with_dtype(DType::C128).into()]),
        other => Err(InferError::new(format!("complex takes f32 or f64 parts, not {other}"))),
    }
}

impl Compare {
    pub fn infer(&self, operands: Operands<'_>) -> Inferred {
        let [lhs, rhs] = operands.tensors()?;
        expect_same_types(&[lhs, rhs])?;
        self.expect_kind(lhs.dtype)?;
        Ok(vec![lhs.with_dtype(DType::Pred).into()])
    }

    fn expect_kind(&self, dtype: DType) -> Result<(), InferError> {
        let implied = CompareKind::implied(dtype);
        let kind = self.kind.unwrap_or(implied);
        let fits = kind == implied || (kind == CompareKind::TotalOrder && dtype.is_float());
        ensure!(fits, "comparison kind {kind:?} does not fit {dtype}"; "use {implied:?} or leave the kind out");
        let ordered = matches!(self.direction, Direction::Eq | Direction::Ne) || !dtype.is_complex();
        ensure!(ordered, "{dtype} has no order to compare by with {:?}", self.direction; "only Eq and Ne are defined");
        Ok(())
    }

    pub fn rule(&self, cx: RuleCx<'_>) -> Rule {
        Rule::elementwise(cx)
    }

    pub fn mnemonic(&self) -> &'static str {
        "compare"
    }
}

impl CompareKind {
    /// How values of a type are compared when nothing is said.
    pub fn implied(dtype: DType) -> CompareKind {
        match dtype.class() {
            Class::Float | Class::Complex => CompareKind::Float,
            Class::Signed => CompareKind::Signed,
            Class::Unsigned | Class::Pred => CompareKind::Unsigned,
        }
    }
}

pub fn infer_select(operands: Operands<'_>) -> Inferred {
    let [pred, on_true, on_false] = operands.tensors()?;
    ensure!(pred.dtype == DType::Pred, "operand 0 must be of type pred, not {}", pred.dtype);
    ensure!(on_true == on_false, "operand 1 is {on_true}, but operand 2 is {on_false}: the types must agree");
    if !pred.dims.is_empty() {
        expect_same_dims(&[pred, on_true])?;
    }
    Ok(vec![on_true.clone().into()])
}

/// Choosing commutes with any reduction of both branches.
pub fn rule_select(cx: RuleCx<'_>) -> Rule {
    Rule::elementwise(cx).with_linear(Linear::jointly(ALL_REDUCERS, [1, 2]))
}

pub fn infer_clamp(operands: Operands<'_>) -> Inferred {
    let [min, operand, max] = operands.tensors()?;
    expect_class(operand, "clamp", ORDERED)?;
    for (index, bound) in [(0, min), (2, max)] {
        ensure!(
            bound.dtype == operand.dtype && (bound.dims.is_empty() || bound.dims == operand.dims),
            "operand {index} is {bound}, but operand 1 is {operand}: a bound is a scalar or of the same type"
        );
    }
    Ok(vec![operand.clone().into()])
}

pub fn rule_clamp(cx: RuleCx<'_>) -> Rule {
    Rule::elementwise(cx)
}
