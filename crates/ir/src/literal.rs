//! Constant data: shared bytes, splats kept small.
//!
//! Elements are little endian, `DType::bytes` each, row major; a complex element is its real then its imaginary part;
//! sub-byte types take a byte each (sign extended for signed ones); `pred` is 0 or 1.

use crate::types::{Class, DType, TensorType};
use meshwright_shard::Reducer;
use std::sync::Arc;

/// A constant of a tensor type.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Literal {
    ty: TensorType,
    data: Data,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum Data {
    /// One element repeated everywhere.
    Splat([u8; 16]),
    Dense(Arc<[u8]>),
}

impl Literal {
    /// Every element equal. `element` holds one element (`DType::bytes` bytes). `None` if the length is wrong.
    pub fn splat(ty: TensorType, element: &[u8]) -> Option<Self> {
        if element.len() != ty.dtype.bytes() {
            return None;
        }
        let mut bytes = [0; 16];
        bytes[..element.len()].copy_from_slice(element);
        Some(Literal { ty, data: Data::Splat(bytes) })
    }

    /// All elements in row-major order; kept as a splat if they are all equal. `None` if the length does not fit.
    pub fn dense(ty: TensorType, bytes: Vec<u8>) -> Option<Self> {
        let width = ty.dtype.bytes();
        let expected = usize::try_from(ty.elements()).ok()?.checked_mul(width)?;
        if bytes.len() != expected {
            return None;
        }
        if let Some(first) = bytes.get(..width)
            && bytes.chunks_exact(width).all(|element| element == first)
        {
            return Literal::splat(ty, &bytes[..width]);
        }
        Some(Literal { ty, data: Data::Dense(bytes.into()) })
    }

    /// A splat of an integer, converted to the element type (floats are rounded, `pred` is "not zero").
    pub fn splat_int(ty: TensorType, value: i64) -> Self {
        let bytes = int_bytes(ty.dtype, value);
        let mut element = [0; 16];
        element[..bytes.len()].copy_from_slice(&bytes);
        Literal { ty, data: Data::Splat(element) }
    }

    /// A splat of a number; integers take what is before its point.
    pub fn splat_number(ty: TensorType, number: f64) -> Self {
        if ty.dtype.part().is_float() {
            let element = float_bytes(ty.dtype, number);
            Literal::splat(ty.clone(), &element).unwrap_or_else(|| Literal::zeros(ty))
        } else {
            Literal::splat_int(ty, number as i64)
        }
    }

    /// A vector of integers.
    pub fn vector(dtype: DType, elements: &[i64]) -> Self {
        let ty = TensorType::new(dtype, [elements.len() as i64]);
        let bytes = elements.iter().flat_map(|element| int_bytes(dtype, *element)).collect();
        Literal::dense(ty.clone(), bytes).unwrap_or_else(|| Literal::zeros(ty))
    }

    /// A splat of what leaves every element as it is: `identity (op) x = x`.
    pub fn identity(reducer: Reducer, ty: TensorType) -> Self {
        match reducer {
            Reducer::Sum | Reducer::Or | Reducer::Xor => Literal::splat_int(ty, 0),
            Reducer::Product => Literal::splat_int(ty, 1),
            Reducer::And if ty.dtype == DType::Pred => Literal::splat_int(ty, 1),
            Reducer::And => Literal::splat_int(ty, -1),
            Reducer::Min => Literal::largest(ty),
            Reducer::Max => Literal::smallest(ty),
        }
    }

    /// A splat of the largest value of an element type: infinity where there is one.
    pub fn largest(ty: TensorType) -> Self {
        let bits = ty.dtype.bits();
        match ty.dtype.class() {
            Class::Pred => Literal::splat_int(ty, 1),
            Class::Unsigned => Literal::splat_int(ty, if bits == 64 { -1 } else { (1 << bits) - 1 }),
            Class::Signed => Literal::splat_int(ty, i64::MAX >> (64 - bits)),
            Class::Float | Class::Complex => Literal::splat_number(ty, f64::INFINITY),
        }
    }

    /// A splat of the smallest value of an element type: negative infinity where there is one.
    pub fn smallest(ty: TensorType) -> Self {
        let bits = ty.dtype.bits();
        match ty.dtype.class() {
            Class::Pred | Class::Unsigned => Literal::splat_int(ty, 0),
            Class::Signed => Literal::splat_int(ty, i64::MIN >> (64 - bits)),
            Class::Float | Class::Complex => Literal::splat_number(ty, f64::NEG_INFINITY),
        }
    }

    pub fn zeros(ty: TensorType) -> Self {
        Literal::splat_int(ty, 0)
    }

    pub fn ty(&self) -> &TensorType {
        &self.ty
    }

    /// The repeated element, if this is a splat.
    pub fn as_splat(&self) -> Option<&[u8]> {
        match &self.data {
            Data::Splat(element) => Some(&element[..self.ty.dtype.bytes()]),
            Data::Dense(_) => None,
        }
    }

    pub fn is_splat(&self) -> bool {
        matches!(self.data, Data::Splat(_))
    }

    /// Bytes of element `index` in row-major order. The index must be in range.
    pub fn element(&self, index: usize) -> &[u8] {
        let width = self.ty.dtype.bytes();
        match &self.data {
            Data::Splat(element) => &element[..width],
            Data::Dense(bytes) => &bytes[index * width..(index + 1) * width],
        }
    }

    /// All bytes; a splat is expanded, so ask only where the whole is needed.
    pub fn to_bytes(&self) -> Arc<[u8]> {
        match &self.data {
            Data::Dense(bytes) => bytes.clone(),
            Data::Splat(_) => {
                let element = self.element(0);
                element.repeat(self.ty.elements().max(0) as usize).into()
            }
        }
    }

    /// The same elements under another shape with as many elements. `None` if the counts differ.
    pub fn reshaped(&self, dims: impl Into<Vec<i64>>) -> Option<Self> {
        let ty = self.ty.with_dims(dims);
        let fits = self.is_splat() || ty.elements() == self.ty.elements();
        fits.then(|| Literal { ty, data: self.data.clone() })
    }

    /// Whether every element is zero (of either sign).
    pub fn is_zero(&self) -> bool {
        let Some(element) = self.as_splat() else { return false };
        let zero = int_bytes(self.ty.dtype, 0);
        let part = self.ty.dtype.part().bytes();
        element == zero.as_slice()
            || (self.ty.dtype.part().is_float()
                && element.chunks(part).all(|part| {
                    let (sign, rest) = part.split_last().unwrap_or((&0, &[]));
                    sign & 0x7f == 0 && rest.iter().all(|byte| *byte == 0)
                })
                && has_signed_zero(self.ty.dtype))
    }

    /// The element as an integer, for integer and `pred` splats.
    pub fn as_int(&self) -> Option<i64> {
        let element = self.as_splat()?;
        int_of(self.ty.dtype, element)
    }

    /// All elements as integers, for integer and `pred` literals.
    pub fn to_ints(&self) -> Option<Vec<i64>> {
        (0..self.ty.elements() as usize).map(|i| int_of(self.ty.dtype, self.element(i))).collect()
    }
}

/// The f8 kinds without a negative zero use its pattern for NaN.
fn has_signed_zero(dtype: DType) -> bool {
    !matches!(
        dtype,
        DType::F8E4M3FNUZ | DType::F8E4M3B11FNUZ | DType::F8E5M2FNUZ | DType::F8E8M0FNU | DType::F4E2M1FN
    )
}

fn int_of(dtype: DType, element: &[u8]) -> Option<i64> {
    let signed = match dtype {
        DType::Pred | DType::U2 | DType::U4 | DType::U8 | DType::U16 | DType::U32 | DType::U64 => false,
        DType::S2 | DType::S4 | DType::S8 | DType::S16 | DType::S32 | DType::S64 => true,
        _ => return None,
    };
    let fill = if signed && element.last().is_some_and(|byte| byte & 0x80 != 0) { 0xff } else { 0 };
    let mut bytes = [fill; 8];
    bytes[..element.len()].copy_from_slice(element);
    Some(i64::from_le_bytes(bytes))
}

fn int_bytes(dtype: DType, value: i64) -> Vec<u8> {
    match dtype {
        DType::Pred => vec![u8::from(value != 0)],
        _ if dtype.part().is_float() => float_bytes(dtype, value as f64),
        _ => value.to_le_bytes()[..dtype.bytes()].to_vec(),
    }
}

/// One element of a float or complex type, rounded to nearest even.
pub fn float_bytes(dtype: DType, value: f64) -> Vec<u8> {
    match dtype {
        DType::F16 => half::f16::from_f64(value).to_le_bytes().to_vec(),
        DType::BF16 => half::bf16::from_f64(value).to_le_bytes().to_vec(),
        DType::F32 => (value as f32).to_le_bytes().to_vec(),
        DType::F64 => value.to_le_bytes().to_vec(),
        DType::C64 => [(value as f32).to_le_bytes(), [0; 4]].concat(),
        DType::C128 => [value.to_le_bytes(), [0; 8]].concat(),
        _ => vec![crate::small_float::encode(dtype, value)],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_elements_become_a_splat_and_wrong_lengths_are_refused() {
        let ty = TensorType::new(DType::S16, [2, 2]);
        let literal = Literal::dense(ty.clone(), [7u8, 0].repeat(4)).unwrap();
        assert_eq!(literal.as_int(), Some(7));
        assert!(Literal::dense(ty.clone(), vec![0; 7]).is_none());
        assert!(Literal::splat(ty, &[0; 4]).is_none());
    }

    #[test]
    fn negative_zero_counts_as_zero() {
        let ty = TensorType::scalar(DType::F32);
        assert!(Literal::splat(ty.clone(), &(-0.0f32).to_le_bytes()).unwrap().is_zero());
        assert!(!Literal::splat(ty, &1.0f32.to_le_bytes()).unwrap().is_zero());
    }
}
