//! Ops that work element by element: unary, binary, compare, select, clamp.
//!
//! Every dim passes through. `select`'s `pred` and `clamp`'s bounds may be scalars and then have no factors.

use crate::expect::{ensure, expect_same_dims, expect_same_types};
use crate::infer::{InferError, Inferred, Operands};
use crate::rule::{ALL_REDUCERS, Linear, Rule, RuleCx};
use crate::types::{Class, DType, TensorType};
use meshwright_shard::Reducer;

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

/// Name for messages, and the classes of element types the op is defined on.
type OpClasses = (&'static str, &'static [Class]);

const ANY: &[Class] = &[Class::Pred, Class::Signed, Class::Unsigned, Class::Float, Class::Complex];
const NUMERIC: &[Class] = &[Class::Signed, Class::Unsigned, Class::Float, Class::Complex];
const FLOAT_OR_COMPLEX: &[Class] = &[Class::Float, Class::Complex];
const FLOAT: &[Class] = &[Class::Float];
const INTEGER: &[Class] = &[Class::Signed, Class::Unsigned];
const BITS: &[Class] = &[Class::Pred, Class::Signed, Class::Unsigned];

fn expect_class(tensor: &TensorType, (name, classes): OpClasses) -> Result<(), InferError> {
    let found = tensor.dtype.class();
    ensure!(classes.contains(&found), "{name} is not defined on {}", tensor.dtype; "it takes {classes:?}");
    Ok(())
}

impl UnaryOp {
    pub fn infer(self, operands: Operands<'_>) -> Inferred {
        let [operand] = operands.tensors()?;
        expect_class(operand, self.row())?;
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

    fn row(self) -> OpClasses {
        match self {
            UnaryOp::Abs => ("abs", NUMERIC),
            UnaryOp::Acos => ("acos", FLOAT_OR_COMPLEX),
            UnaryOp::Acosh => ("acosh", FLOAT_OR_COMPLEX),
            UnaryOp::Asin => ("asin", FLOAT_OR_COMPLEX),
            UnaryOp::Asinh => ("asinh", FLOAT_OR_COMPLEX),
            UnaryOp::Atan => ("atan", FLOAT_OR_COMPLEX),
            UnaryOp::Atanh => ("atanh", FLOAT_OR_COMPLEX),
            UnaryOp::BesselI1e => ("bessel_i1e", FLOAT),
            UnaryOp::Cbrt => ("cbrt", FLOAT_OR_COMPLEX),
            UnaryOp::Ceil => ("ceil", FLOAT),
            UnaryOp::Conj => ("conj", FLOAT_OR_COMPLEX),
            UnaryOp::Copy => ("copy", ANY),
            UnaryOp::Cosh => ("cosh", FLOAT_OR_COMPLEX),
            UnaryOp::Cosine => ("cosine", FLOAT_OR_COMPLEX),
            UnaryOp::CountLeadingZeros => ("count_leading_zeros", INTEGER),
            UnaryOp::Digamma => ("digamma", FLOAT),
            UnaryOp::Erf => ("erf", FLOAT),
            UnaryOp::Erfc => ("erfc", FLOAT),
            UnaryOp::ErfInv => ("erf_inv", FLOAT),
            UnaryOp::Exponential => ("exponential", FLOAT_OR_COMPLEX),
            UnaryOp::ExponentialMinusOne => ("exponential_minus_one", FLOAT_OR_COMPLEX),
            UnaryOp::Floor => ("floor", FLOAT),
            UnaryOp::Imag => ("imag", FLOAT_OR_COMPLEX),
            UnaryOp::IsFinite => ("is_finite", FLOAT),
            UnaryOp::IsInf => ("is_inf", FLOAT),
            UnaryOp::IsNegInf => ("is_neg_inf", FLOAT),
            UnaryOp::IsPosInf => ("is_pos_inf", FLOAT),
            UnaryOp::Lgamma => ("lgamma", FLOAT),
            UnaryOp::Log => ("log", FLOAT_OR_COMPLEX),
            UnaryOp::LogPlusOne => ("log_plus_one", FLOAT_OR_COMPLEX),
            UnaryOp::Logistic => ("logistic", FLOAT_OR_COMPLEX),
            UnaryOp::Negate => ("negate", NUMERIC),
            UnaryOp::Not => ("not", BITS),
            UnaryOp::PopulationCount => ("popcnt", INTEGER),
            UnaryOp::Real => ("real", FLOAT_OR_COMPLEX),
            UnaryOp::RoundNearestAfz => ("round_nearest_afz", FLOAT),
            UnaryOp::RoundNearestEven => ("round_nearest_even", FLOAT),
            UnaryOp::Rsqrt => ("rsqrt", FLOAT_OR_COMPLEX),
            UnaryOp::Sign => ("sign", NUMERIC),
            UnaryOp::Sine => ("sine", FLOAT_OR_COMPLEX),
            UnaryOp::Sinh => ("sinh", FLOAT_OR_COMPLEX),
            UnaryOp::Sqrt => ("sqrt", FLOAT_OR_COMPLEX),
            UnaryOp::Square => ("square", NUMERIC),
            UnaryOp::Tan => ("tan", FLOAT_OR_COMPLEX),
            UnaryOp::Tanh => ("tanh", FLOAT_OR_COMPLEX),
        }
    }

    pub fn effort(self) -> Effort {
        use UnaryOp as U;
        match self {
            U::Abs | U::Ceil | U::Conj | U::Copy | U::CountLeadingZeros | U::Floor | U::Imag => Effort::Step,
            U::IsFinite | U::IsInf | U::IsNegInf | U::IsPosInf | U::Negate | U::Not => Effort::Step,
            U::PopulationCount | U::Real | U::RoundNearestAfz | U::RoundNearestEven => Effort::Step,
            U::Sign | U::Square => Effort::Step,
            U::Rsqrt | U::Sqrt => Effort::Division,
            U::Acos | U::Acosh | U::Asin | U::Asinh | U::Atan | U::Atanh => Effort::Function,
            U::BesselI1e | U::Cbrt | U::Cosh | U::Cosine | U::Digamma => Effort::Function,
            U::Erf | U::Erfc | U::ErfInv | U::Exponential | U::ExponentialMinusOne => Effort::Function,
            U::Lgamma | U::Log | U::LogPlusOne | U::Logistic => Effort::Function,
            U::Sine | U::Sinh | U::Tan | U::Tanh => Effort::Function,
        }
    }

    /// Whether zero (or false) goes to zero.
    pub fn keeps_zero(self) -> bool {
        use UnaryOp as U;
        match self {
            U::Abs | U::Asin | U::Asinh | U::Atan | U::Atanh | U::BesselI1e | U::Cbrt | U::Ceil => true,
            U::Conj | U::Copy | U::Erf | U::ErfInv | U::ExponentialMinusOne | U::Floor | U::Imag => true,
            U::IsInf | U::IsNegInf | U::IsPosInf | U::LogPlusOne | U::Negate | U::PopulationCount => true,
            U::Real | U::RoundNearestAfz | U::RoundNearestEven | U::Sign | U::Sine | U::Sinh => true,
            U::Sqrt | U::Square | U::Tan | U::Tanh => true,
            U::Acos | U::Acosh | U::Cosh | U::Cosine | U::CountLeadingZeros | U::Digamma => false,
            U::Erfc | U::Exponential | U::IsFinite | U::Lgamma | U::Log | U::Logistic => false,
            U::Not | U::Rsqrt => false,
        }
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
        expect_class(lhs, self.row())?;
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

    fn row(self) -> OpClasses {
        match self {
            BinaryOp::Add => ("add", ANY),
            BinaryOp::And => ("and", BITS),
            BinaryOp::Atan2 => ("atan2", FLOAT_OR_COMPLEX),
            BinaryOp::Complex => ("complex", FLOAT),
            BinaryOp::Divide => ("divide", NUMERIC),
            BinaryOp::Maximum => ("maximum", ANY),
            BinaryOp::Minimum => ("minimum", ANY),
            BinaryOp::Multiply => ("multiply", ANY),
            BinaryOp::NextAfter => ("next_after", FLOAT),
            BinaryOp::Or => ("or", BITS),
            BinaryOp::Polygamma => ("polygamma", FLOAT),
            BinaryOp::Power => ("power", NUMERIC),
            BinaryOp::Remainder => ("remainder", NUMERIC),
            BinaryOp::ShiftLeft => ("shift_left", INTEGER),
            BinaryOp::ShiftRightArithmetic => ("shift_right_arithmetic", INTEGER),
            BinaryOp::ShiftRightLogical => ("shift_right_logical", INTEGER),
            BinaryOp::Subtract => ("subtract", NUMERIC),
            BinaryOp::Xor => ("xor", BITS),
            BinaryOp::Zeta => ("zeta", FLOAT),
        }
    }

    pub fn effort(self) -> Effort {
        use BinaryOp as B;
        match self {
            B::Add | B::And | B::Complex | B::Maximum | B::Minimum | B::Multiply => Effort::Step,
            B::NextAfter | B::Or | B::ShiftLeft | B::ShiftRightArithmetic => Effort::Step,
            B::ShiftRightLogical | B::Subtract | B::Xor => Effort::Step,
            B::Divide | B::Remainder => Effort::Division,
            B::Atan2 | B::Polygamma | B::Power | B::Zeta => Effort::Function,
        }
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
