//! Types: element types, tensor types, tokens. Shapes are static.

use std::fmt;

/// Element type of a tensor.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum DType {
    Pred,
    S2,
    S4,
    S8,
    S16,
    S32,
    S64,
    U2,
    U4,
    U8,
    U16,
    U32,
    U64,
    F4E2M1FN,
    F8E3M4,
    F8E4M3,
    F8E4M3FN,
    F8E4M3FNUZ,
    F8E4M3B11FNUZ,
    F8E5M2,
    F8E5M2FNUZ,
    F8E8M0FNU,
    F16,
    BF16,
    F32,
    F64,
    C64,
    C128,
}

/// What arithmetic an element type has.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Class {
    Pred,
    Signed,
    Unsigned,
    Float,
    Complex,
}

/// One row per element type: (type, HLO name, MLIR name, class, bits).
const TABLE: [(DType, &str, &str, Class, u32); 28] = [
    (DType::Pred, "pred", "i1", Class::Pred, 8),
    (DType::S2, "s2", "i2", Class::Signed, 2),
    (DType::S4, "s4", "i4", Class::Signed, 4),
    (DType::S8, "s8", "i8", Class::Signed, 8),
    (DType::S16, "s16", "i16", Class::Signed, 16),
    (DType::S32, "s32", "i32", Class::Signed, 32),
    (DType::S64, "s64", "i64", Class::Signed, 64),
    (DType::U2, "u2", "ui2", Class::Unsigned, 2),
    (DType::U4, "u4", "ui4", Class::Unsigned, 4),
    (DType::U8, "u8", "ui8", Class::Unsigned, 8),
    (DType::U16, "u16", "ui16", Class::Unsigned, 16),
    (DType::U32, "u32", "ui32", Class::Unsigned, 32),
    (DType::U64, "u64", "ui64", Class::Unsigned, 64),
    (DType::F4E2M1FN, "f4e2m1fn", "f4E2M1FN", Class::Float, 4),
    (DType::F8E3M4, "f8e3m4", "f8E3M4", Class::Float, 8),
    (DType::F8E4M3, "f8e4m3", "f8E4M3", Class::Float, 8),
    (DType::F8E4M3FN, "f8e4m3fn", "f8E4M3FN", Class::Float, 8),
    (DType::F8E4M3FNUZ, "f8e4m3fnuz", "f8E4M3FNUZ", Class::Float, 8),
    (DType::F8E4M3B11FNUZ, "f8e4m3b11fnuz", "f8E4M3B11FNUZ", Class::Float, 8),
    (DType::F8E5M2, "f8e5m2", "f8E5M2", Class::Float, 8),
    (DType::F8E5M2FNUZ, "f8e5m2fnuz", "f8E5M2FNUZ", Class::Float, 8),
    (DType::F8E8M0FNU, "f8e8m0fnu", "f8E8M0FNU", Class::Float, 8),
    (DType::F16, "f16", "f16", Class::Float, 16),
    (DType::BF16, "bf16", "bf16", Class::Float, 16),
    (DType::F32, "f32", "f32", Class::Float, 32),
    (DType::F64, "f64", "f64", Class::Float, 64),
    (DType::C64, "c64", "complex<f32>", Class::Complex, 64),
    (DType::C128, "c128", "complex<f64>", Class::Complex, 128),
];

impl DType {
    pub fn all() -> impl Iterator<Item = DType> {
        TABLE.iter().map(|row| row.0)
    }

    fn row(self) -> &'static (DType, &'static str, &'static str, Class, u32) {
        &TABLE[self as usize]
    }

    pub fn hlo_name(self) -> &'static str {
        self.row().1
    }

    pub fn mlir_name(self) -> &'static str {
        self.row().2
    }

    pub fn class(self) -> Class {
        self.row().3
    }

    /// Bits of one element as XLA counts them (a `pred` takes a byte).
    pub fn bits(self) -> u32 {
        self.row().4
    }

    /// Bytes of one element in a [`Literal`](crate::Literal): sub-byte types take one byte each.
    pub fn bytes(self) -> usize {
        self.bits().div_ceil(8) as usize
    }

    pub fn from_hlo(name: &str) -> Option<DType> {
        TABLE.iter().find(|row| row.1 == name).map(|row| row.0)
    }

    /// From an MLIR element type; `si32` is also read as signed.
    pub fn from_mlir(name: &str) -> Option<DType> {
        let name = name.strip_prefix('s').filter(|rest| rest.starts_with('i')).unwrap_or(name);
        TABLE.iter().find(|row| row.2 == name).map(|row| row.0)
    }

    pub fn is_float(self) -> bool {
        self.class() == Class::Float
    }

    pub fn is_complex(self) -> bool {
        self.class() == Class::Complex
    }

    pub fn is_integer(self) -> bool {
        matches!(self.class(), Class::Signed | Class::Unsigned)
    }

    /// The type of the real and imaginary parts; a real type is its own part.
    pub fn part(self) -> DType {
        match self {
            DType::C64 => DType::F32,
            DType::C128 => DType::F64,
            other => other,
        }
    }

    /// Bits of exponent and mantissa of the floats with 16 bits and more; the smaller kinds differ in more than these.
    pub fn precision(self) -> Option<(u32, u32)> {
        match self {
            DType::F16 => Some((5, 10)),
            DType::BF16 => Some((8, 7)),
            DType::F32 => Some((8, 23)),
            DType::F64 => Some((11, 52)),
            _ => None,
        }
    }

    /// In which type a contraction, reduction or cumulative op over `self` adds up.
    pub fn accumulator(self) -> DType {
        if self.is_float() && self.bits() < 32 { DType::F32 } else { self }
    }
}

impl fmt::Display for DType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.hlo_name())
    }
}

/// Type of a tensor: element type and size of each dim.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct TensorType {
    pub dtype: DType,
    pub dims: Vec<i64>,
}

impl TensorType {
    pub fn new(dtype: DType, dims: impl Into<Vec<i64>>) -> Self {
        TensorType { dtype, dims: dims.into() }
    }

    pub fn scalar(dtype: DType) -> Self {
        TensorType { dtype, dims: Vec::new() }
    }

    pub fn rank(&self) -> usize {
        self.dims.len()
    }

    /// Number of elements; saturates, as sizes may come from a hostile file.
    pub fn elements(&self) -> i64 {
        self.dims.iter().fold(1i64, |n, dim| n.saturating_mul(*dim))
    }

    /// Bytes as XLA counts them (packed sub-byte types); saturates.
    #[inline]
    pub fn byte_size(&self) -> i64 {
        self.elements().saturating_mul(i64::from(self.dtype.bits())).saturating_add(7) / 8
    }

    /// The same dims with another element type.
    pub fn with_dtype(&self, dtype: DType) -> Self {
        TensorType { dtype, dims: self.dims.clone() }
    }

    /// The same element type with other dims.
    pub fn with_dims(&self, dims: impl Into<Vec<i64>>) -> Self {
        TensorType { dtype: self.dtype, dims: dims.into() }
    }
}

impl fmt::Display for TensorType {
    /// As HLO writes it: `f32[2,3]`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.dtype.hlo_name())?;
        f.write_str("[")?;
        for (i, dim) in self.dims.iter().enumerate() {
            if i > 0 {
                f.write_str(",")?;
            }
            write!(f, "{dim}")?;
        }
        f.write_str("]")
    }
}

/// Type of a value.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Type {
    Tensor(TensorType),
    /// Orders side effects; carries no data.
    Token,
}

impl Type {
    pub fn tensor(dtype: DType, dims: impl Into<Vec<i64>>) -> Self {
        Type::Tensor(TensorType::new(dtype, dims))
    }

    #[inline]
    pub fn as_tensor(&self) -> Option<&TensorType> {
        match self {
            Type::Tensor(tensor) => Some(tensor),
            Type::Token => None,
        }
    }

    /// What the value is to whoever runs the program: a tensor itself, for a token, which has an order and no data, an
    /// array of no elements.
    pub fn as_array(&self) -> TensorType {
        self.as_tensor().cloned().unwrap_or_else(|| TensorType::new(DType::Pred, [0]))
    }

    /// Dims; none for a token.
    #[inline]
    pub fn dims(&self) -> &[i64] {
        self.as_tensor().map_or(&[], |tensor| &tensor.dims)
    }

    #[inline]
    pub fn rank(&self) -> usize {
        self.dims().len()
    }

    #[inline]
    pub fn byte_size(&self) -> i64 {
        self.as_tensor().map_or(0, TensorType::byte_size)
    }
}

impl From<TensorType> for Type {
    fn from(tensor: TensorType) -> Self {
        Type::Tensor(tensor)
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Type::Tensor(tensor) => tensor.fmt(f),
            Type::Token => f.write_str("token[]"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_in_the_order_of_the_enum_and_names_round_trip() {
        for (i, dtype) in DType::all().enumerate() {
            assert_eq!(dtype as usize, i);
            assert_eq!(DType::from_hlo(dtype.hlo_name()), Some(dtype));
            assert_eq!(DType::from_mlir(dtype.mlir_name()), Some(dtype));
        }
        assert_eq!(DType::from_mlir("si32"), Some(DType::S32));
    }
}
