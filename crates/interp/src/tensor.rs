//! Tensors as the interpreter holds them: a type and elements in the widest form of their class.
//!
//! Elements are row major and always rounded to their element type: a `bf16` is an `f64` that is a `bf16`. Cloning is
//! cheap (elements are shared). A tensor's elements always agree with its type in class and count.

use crate::bits::{bits_of_float, float_of_bits};
use crate::complex::Complex;
use crate::meter::Charge;
use crate::round::{float_to_int, float_to_uint, round, wrap_int, wrap_uint};
use meshwright_ir::{Class, DType, Literal, TensorType};
use std::fmt;
use std::sync::Arc;

/// Elements by class.
#[derive(Clone, PartialEq, Debug)]
pub enum Data {
    Pred(Vec<bool>),
    Int(Vec<i64>),
    Uint(Vec<u64>),
    Float(Vec<f64>),
    Complex(Vec<Complex>),
}

/// One element.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Scalar {
    Pred(bool),
    Int(i64),
    Uint(u64),
    Float(f64),
    Complex(Complex),
}

impl fmt::Display for Scalar {
    /// As numbers are written.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Scalar::Pred(x) => write!(f, "{x}"),
            Scalar::Int(x) => write!(f, "{x}"),
            Scalar::Uint(x) => write!(f, "{x}"),
            Scalar::Float(x) => write!(f, "{x:?}"),
            Scalar::Complex(z) => write!(f, "({:?}, {:?})", z.re, z.im),
        }
    }
}

/// A tensor. `==` compares floats as numbers (NaN differs from itself); see [`Tensor::same`].
#[derive(Clone, PartialEq, Debug)]
pub struct Tensor {
    ty: TensorType,
    shared: Arc<Shared>,
}

/// Elements, and the charge that is given back with them.
#[derive(Debug)]
struct Shared {
    data: Data,
    charge: Option<Charge>,
}

impl PartialEq for Shared {
    fn eq(&self, other: &Self) -> bool {
        self.data == other.data
    }
}

/// Run the same code on the elements of any class.
macro_rules! each_class {
    ($data:expr, $v:ident => $body:expr) => {
        match $data {
            $crate::tensor::Data::Pred($v) => $crate::tensor::Data::Pred($body),
            $crate::tensor::Data::Int($v) => $crate::tensor::Data::Int($body),
            $crate::tensor::Data::Uint($v) => $crate::tensor::Data::Uint($body),
            $crate::tensor::Data::Float($v) => $crate::tensor::Data::Float($body),
            $crate::tensor::Data::Complex($v) => $crate::tensor::Data::Complex($body),
        }
    };
}

/// Run the same code on two element vectors of one class, `None` if the classes differ.
macro_rules! each_pair {
    ($a:expr, $b:expr, $x:ident, $y:ident => $body:expr) => {
        match ($a, $b) {
            ($crate::tensor::Data::Pred($x), $crate::tensor::Data::Pred($y)) => Some($body),
            ($crate::tensor::Data::Int($x), $crate::tensor::Data::Int($y)) => Some($body),
            ($crate::tensor::Data::Uint($x), $crate::tensor::Data::Uint($y)) => Some($body),
            ($crate::tensor::Data::Float($x), $crate::tensor::Data::Float($y)) => Some($body),
            ($crate::tensor::Data::Complex($x), $crate::tensor::Data::Complex($y)) => Some($body),
            _ => None,
        }
    };
}

pub(crate) use {each_class, each_pair};

impl Data {
    pub fn len(&self) -> usize {
        match self {
            Data::Pred(v) => v.len(),
            Data::Int(v) => v.len(),
            Data::Uint(v) => v.len(),
            Data::Float(v) => v.len(),
            Data::Complex(v) => v.len(),
        }
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub fn class(&self) -> Class {
        match self {
            Data::Pred(_) => Class::Pred,
            Data::Int(_) => Class::Signed,
            Data::Uint(_) => Class::Unsigned,
            Data::Float(_) => Class::Float,
            Data::Complex(_) => Class::Complex,
        }
    }

    pub fn get(&self, index: usize) -> Option<Scalar> {
        Some(match self {
            Data::Pred(v) => Scalar::Pred(*v.get(index)?),
            Data::Int(v) => Scalar::Int(*v.get(index)?),
            Data::Uint(v) => Scalar::Uint(*v.get(index)?),
            Data::Float(v) => Scalar::Float(*v.get(index)?),
            Data::Complex(v) => Scalar::Complex(*v.get(index)?),
        })
    }

    /// Replace one element; a wrong class or index changes nothing.
    pub(crate) fn set(&mut self, index: usize, value: Scalar) {
        fn put<T>(v: &mut [T], index: usize, x: T) {
            if let Some(place) = v.get_mut(index) {
                *place = x;
            }
        }
        match (self, value) {
            (Data::Pred(v), Scalar::Pred(x)) => put(v, index, x),
            (Data::Int(v), Scalar::Int(x)) => put(v, index, x),
            (Data::Uint(v), Scalar::Uint(x)) => put(v, index, x),
            (Data::Float(v), Scalar::Float(x)) => put(v, index, x),
            (Data::Complex(v), Scalar::Complex(x)) => put(v, index, x),
            _ => {}
        }
    }

    /// `len` zeros of a class.
    pub fn zeros(class: Class, len: usize) -> Data {
        match class {
            Class::Pred => Data::Pred(vec![false; len]),
            Class::Signed => Data::Int(vec![0; len]),
            Class::Unsigned => Data::Uint(vec![0; len]),
            Class::Float => Data::Float(vec![0.0; len]),
            Class::Complex => Data::Complex(vec![Complex::ZERO; len]),
        }
    }

    /// `len` times the same element.
    pub fn splat(value: Scalar, len: usize) -> Data {
        match value {
            Scalar::Pred(x) => Data::Pred(vec![x; len]),
            Scalar::Int(x) => Data::Int(vec![x; len]),
            Scalar::Uint(x) => Data::Uint(vec![x; len]),
            Scalar::Float(x) => Data::Float(vec![x; len]),
            Scalar::Complex(x) => Data::Complex(vec![x; len]),
        }
    }

    /// Bytes of memory one element of a class takes here.
    pub(crate) fn width(class: Class) -> usize {
        match class {
            Class::Pred => 1,
            Class::Signed | Class::Unsigned | Class::Float => 8,
            Class::Complex => 16,
        }
    }
}

impl Scalar {
    pub fn zero(dtype: DType) -> Scalar {
        match dtype.class() {
            Class::Pred => Scalar::Pred(false),
            Class::Signed => Scalar::Int(0),
            Class::Unsigned => Scalar::Uint(0),
            Class::Float => Scalar::Float(0.0),
            Class::Complex => Scalar::Complex(Complex::ZERO),
        }
    }

    /// The number as an `f64` (the real part of a complex one).
    pub fn to_f64(self) -> f64 {
        match self {
            Scalar::Pred(x) => f64::from(u8::from(x)),
            Scalar::Int(x) => x as f64,
            Scalar::Uint(x) => x as f64,
            Scalar::Float(x) => x,
            Scalar::Complex(x) => x.re,
        }
    }

    /// An integer or `pred`, values beyond `i64` at its end.
    pub fn to_i64(self) -> Option<i64> {
        match self {
            Scalar::Pred(x) => Some(i64::from(x)),
            Scalar::Int(x) => Some(x),
            Scalar::Uint(x) => Some(i64::try_from(x).unwrap_or(i64::MAX)),
            Scalar::Float(_) | Scalar::Complex(_) => None,
        }
    }

    /// The nearest value of an element type to a number (integers clamp, `pred` is "not zero").
    pub fn from_f64(dtype: DType, x: f64) -> Scalar {
        match dtype.class() {
            Class::Pred => Scalar::Pred(x != 0.0),
            Class::Signed => Scalar::Int(float_to_int(dtype.bits(), x)),
            Class::Unsigned => Scalar::Uint(float_to_uint(dtype.bits(), x)),
            Class::Float => Scalar::Float(round(dtype, x)),
            Class::Complex => Scalar::Complex(Complex::real(round(dtype.part(), x))),
        }
    }
}

impl Tensor {
    /// `None` if class or count of the elements do not fit the type, or a dim is negative. Elements must already be
    /// rounded to the element type.
    pub fn new(ty: TensorType, data: Data) -> Option<Tensor> {
        let fits = data.class() == ty.dtype.class() && element_count(&ty.dims) == Some(data.len());
        fits.then(|| Tensor { ty, shared: Arc::new(Shared { data, charge: None }) })
    }

    /// [`Tensor::new`] with memory that is counted.
    pub(crate) fn charged(ty: TensorType, data: Data, charge: Charge) -> Option<Tensor> {
        let mut tensor = Tensor::new(ty, data)?;
        Arc::get_mut(&mut tensor.shared)?.charge = Some(charge);
        Some(tensor)
    }

    pub fn scalar(dtype: DType, value: Scalar) -> Option<Tensor> {
        Tensor::new(TensorType::scalar(dtype), Data::splat(value, 1))
    }

    pub fn ty(&self) -> &TensorType {
        &self.ty
    }

    pub fn dtype(&self) -> DType {
        self.ty.dtype
    }

    pub fn dims(&self) -> &[i64] {
        &self.ty.dims
    }

    pub fn len(&self) -> usize {
        self.data().len()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub fn data(&self) -> &Data {
        &self.shared.data
    }

    /// The elements, copied only if they are shared.
    pub(crate) fn into_data(self) -> Data {
        Arc::try_unwrap(self.shared).map_or_else(|shared| shared.data.clone(), |shared| shared.data)
    }

    pub fn get(&self, index: usize) -> Option<Scalar> {
        self.data().get(index)
    }

    /// The same elements under other dims. `None` if the counts differ.
    pub fn reshaped(&self, dims: &[i64]) -> Option<Tensor> {
        let fits = element_count(dims) == Some(self.len());
        fits.then(|| Tensor { ty: self.ty.with_dims(dims), shared: self.shared.clone() })
    }

    /// Numbers brought to an element type. `None` if their count does not fit.
    pub fn from_f64s(dtype: DType, dims: &[i64], values: &[f64]) -> Option<Tensor> {
        let mut data = Data::zeros(dtype.class(), values.len());
        for (i, x) in values.iter().enumerate() {
            data.set(i, Scalar::from_f64(dtype, *x));
        }
        Tensor::new(TensorType::new(dtype, dims), data)
    }

    /// Integers, wrapped to the element type (rounded for floats). `None` if their count does not fit.
    pub fn from_ints(dtype: DType, dims: &[i64], values: &[i64]) -> Option<Tensor> {
        let bits = dtype.bits();
        let data = match dtype.class() {
            Class::Signed => Data::Int(values.iter().map(|x| wrap_int(bits, *x)).collect()),
            Class::Unsigned => Data::Uint(values.iter().map(|x| wrap_uint(bits, *x as u64)).collect()),
            Class::Pred | Class::Float | Class::Complex => {
                let floats: Vec<f64> = values.iter().map(|x| *x as f64).collect();
                return Tensor::from_f64s(dtype, dims, &floats);
            }
        };
        Tensor::new(TensorType::new(dtype, dims), data)
    }

    /// All elements as `f64` (the real part of complex ones).
    pub fn to_f64s(&self) -> Vec<f64> {
        (0..self.len()).filter_map(|i| self.get(i)).map(Scalar::to_f64).collect()
    }

    /// All elements as integers, for integer and `pred` tensors.
    pub fn to_ints(&self) -> Option<Vec<i64>> {
        (0..self.len()).map(|i| self.get(i)?.to_i64()).collect()
    }

    /// From little-endian bytes as a [`Literal`] has them. `None` if the length does not fit.
    pub fn from_bytes(ty: TensorType, bytes: &[u8]) -> Option<Tensor> {
        let count = element_count(&ty.dims)?;
        if bytes.len() != count.checked_mul(ty.dtype.bytes())? {
            return None;
        }
        let data = decode_all(ty.dtype, bytes);
        Tensor::new(ty, data)
    }

    /// Little-endian bytes as a [`Literal`] has them.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(self.len() * self.dtype().bytes());
        for i in 0..self.len() {
            encode(self.dtype(), self.get(i).unwrap_or(Scalar::Pred(false)), &mut bytes);
        }
        bytes
    }

    /// `None` if the literal has more elements than memory could hold.
    pub fn from_literal(literal: &Literal) -> Option<Tensor> {
        let ty = literal.ty();
        let Some(element) = literal.as_splat() else {
            return Tensor::from_bytes(ty.clone(), &literal.to_bytes());
        };
        let value = decode_all(ty.dtype, element).get(0)?;
        Tensor::new(ty.clone(), Data::splat(value, element_count(&ty.dims)?))
    }

    pub fn to_literal(&self) -> Literal {
        Literal::dense(self.ty.clone(), self.to_bytes()).unwrap_or_else(|| Literal::zeros(self.ty.clone()))
    }

    /// Equal type and equal elements, NaN equal to NaN and -0 to 0.
    pub fn same(&self, other: &Tensor) -> bool {
        self.ty == other.ty && self.first_difference(other, 0.0).is_none()
    }

    /// Where elements first differ by more than `relative` times (1 + the larger magnitude); equal infinities and two
    /// NaNs do not differ. `Some(0)` if types or counts do.
    pub fn first_difference(&self, other: &Tensor, relative: f64) -> Option<usize> {
        if self.ty != other.ty {
            return Some(0);
        }
        let differs = |i: usize| match (self.get(i), other.get(i)) {
            (Some(a), Some(b)) => !within(a, b, relative),
            _ => true,
        };
        (0..self.len()).find(|i| differs(*i))
    }

    /// The largest |a - b| / (1 + max(|a|, |b|)); infinite where only one is NaN or infinite or types differ.
    pub fn max_difference(&self, other: &Tensor) -> f64 {
        if self.ty != other.ty {
            return f64::INFINITY;
        }
        let pairs = (0..self.len()).filter_map(|i| Some((self.get(i)?, other.get(i)?)));
        pairs.map(|(a, b)| difference(a, b)).fold(0.0, f64::max)
    }
}

fn within(a: Scalar, b: Scalar, relative: f64) -> bool {
    difference(a, b) <= relative
}

fn difference(a: Scalar, b: Scalar) -> f64 {
    match (a, b) {
        (Scalar::Float(a), Scalar::Float(b)) => float_difference(a, b),
        (Scalar::Complex(a), Scalar::Complex(b)) => {
            float_difference(a.re, b.re).max(float_difference(a.im, b.im))
        }
        (a, b) if a == b => 0.0,
        (a, b) => float_difference(a.to_f64(), b.to_f64()).max(f64::MIN_POSITIVE),
    }
}

fn float_difference(a: f64, b: f64) -> f64 {
    if a == b || (a.is_nan() && b.is_nan()) {
        return 0.0;
    }
    let relative = (a - b).abs() / (1.0 + a.abs().max(b.abs()));
    if relative.is_nan() { f64::INFINITY } else { relative }
}

/// Number of elements, if it can be counted in memory.
pub(crate) fn element_count(dims: &[i64]) -> Option<usize> {
    if dims.contains(&0) {
        return dims.iter().all(|dim| *dim >= 0).then_some(0);
    }
    dims.iter().try_fold(1usize, |n, dim| n.checked_mul(usize::try_from(*dim).ok()?))
}

fn decode_all(dtype: DType, bytes: &[u8]) -> Data {
    let elements = bytes.chunks_exact(dtype.bytes());
    let bits = dtype.bits();
    match dtype.class() {
        Class::Pred => Data::Pred(elements.map(|e| e[0] != 0).collect()),
        Class::Signed => Data::Int(elements.map(|e| wrap_int(bits, word(e) as i64)).collect()),
        Class::Unsigned => Data::Uint(elements.map(|e| wrap_uint(bits, word(e))).collect()),
        Class::Float => Data::Float(elements.map(|e| decode_float(dtype, e)).collect()),
        Class::Complex => Data::Complex(elements.map(|e| decode_complex(dtype.part(), e)).collect()),
    }
}

/// Up to eight little-endian bytes.
fn word(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte))
}

fn decode_complex(part: DType, bytes: &[u8]) -> Complex {
    let (re, im) = bytes.split_at(part.bytes());
    Complex { re: decode_float(part, re), im: decode_float(part, im) }
}

fn decode_float(dtype: DType, bytes: &[u8]) -> f64 {
    float_of_bits(dtype, word(bytes))
}

fn encode(dtype: DType, value: Scalar, bytes: &mut Vec<u8>) {
    let part = dtype.part();
    let mut float = |x: f64| bytes.extend_from_slice(&bits_of_float(part, x).to_le_bytes()[..part.bytes()]);
    match value {
        Scalar::Float(x) => float(x),
        Scalar::Complex(x) => [x.re, x.im].map(float).into_iter().collect(),
        Scalar::Pred(x) => bytes.push(u8::from(x)),
        Scalar::Int(x) => bytes.extend_from_slice(&x.to_le_bytes()[..dtype.bytes()]),
        Scalar::Uint(x) => bytes.extend_from_slice(&x.to_le_bytes()[..dtype.bytes()]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_round_trip_for_every_type() {
        for dtype in DType::all() {
            let values = [0.0, 1.0, 2.0, -1.0, 0.5, -2.0];
            let tensor = Tensor::from_f64s(dtype, &[2, 3], &values).unwrap();
            let again = Tensor::from_bytes(tensor.ty().clone(), &tensor.to_bytes()).unwrap();
            assert!(tensor.same(&again), "{dtype}");
            assert!(Tensor::from_literal(&tensor.to_literal()).unwrap().same(&tensor), "{dtype}");
        }
    }

    #[test]
    fn wrong_counts_are_refused() {
        assert!(Tensor::from_f64s(DType::F32, &[2], &[1.0]).is_none());
        assert!(Tensor::new(TensorType::new(DType::F32, [1]), Data::Int(vec![1])).is_none());
        assert!(Tensor::from_bytes(TensorType::new(DType::F32, [i64::MAX, i64::MAX]), &[]).is_none());
    }
}
