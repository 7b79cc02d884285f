//! Change of element type: by value, by bits, by precision.

use crate::bits::{bits_of_float, float_of_bits};
use crate::complex::Complex;
use crate::elementwise::round_all;
use crate::fault::Fault;
use crate::round::{float_to_int, float_to_uint, round, round_binary, round_integer, wrap_int, wrap_uint};
use crate::tensor::{Data, Scalar, Tensor};
use meshwright_ir::op::Convert;
use meshwright_ir::{Class, DType, TensorType};

pub(crate) fn eval(op: &Convert, x: &Tensor, out: &TensorType) -> Result<Data, Fault> {
    match op {
        Convert::To(_) => Ok(by_value(x.data(), out.dtype)),
        Convert::Bitcast(_) => by_bits(x, out),
        Convert::ReducePrecision { exponent_bits, mantissa_bits } => {
            reduce_precision(x, *exponent_bits, *mantissa_bits)
        }
    }
}

/// Convert one element by value.
pub(crate) fn scalar_by_value(x: Scalar, to: DType) -> Scalar {
    let bits = to.bits();
    match (x, to.class()) {
        (Scalar::Complex(z), Class::Complex) => {
            Scalar::Complex(Complex { re: round(to.part(), z.re), im: round(to.part(), z.im) })
        }
        (Scalar::Complex(z), Class::Pred) => Scalar::Pred(z != Complex::ZERO),
        (Scalar::Complex(z), _) => scalar_by_value(Scalar::Float(z.re), to),
        (Scalar::Float(x), _) => Scalar::from_f64(to, x),
        (x, Class::Complex) => Scalar::Complex(Complex::real(integer_as_float(x, to.part()))),
        (x, Class::Float) => Scalar::Float(integer_as_float(x, to)),
        (x, Class::Pred) => Scalar::Pred(whole(x) != 0),
        (x, Class::Signed) => Scalar::Int(wrap_int(bits, whole(x) as i64)),
        (x, Class::Unsigned) => Scalar::Uint(wrap_uint(bits, whole(x) as u64)),
    }
}

fn whole(x: Scalar) -> i128 {
    match x {
        Scalar::Pred(x) => i128::from(x),
        Scalar::Int(x) => i128::from(x),
        Scalar::Uint(x) => i128::from(x),
        Scalar::Float(x) => x as i128,
        Scalar::Complex(z) => z.re as i128,
    }
}

fn integer_as_float(x: Scalar, to: DType) -> f64 {
    round_integer(to, whole(x))
}

/// Convert all elements by value.
pub(crate) fn by_value(x: &Data, to: DType) -> Data {
    let bits = to.bits();
    match (x, to.class()) {
        (Data::Float(x), Class::Float) => Data::Float(round_all(to, x.iter().copied())),
        (Data::Float(x), Class::Signed) => Data::Int(x.iter().map(|x| float_to_int(bits, *x)).collect()),
        (Data::Float(x), Class::Unsigned) => Data::Uint(x.iter().map(|x| float_to_uint(bits, *x)).collect()),
        (Data::Pred(x), Class::Float) => Data::Float(x.iter().map(|x| f64::from(u8::from(*x))).collect()),
        (Data::Int(x), Class::Signed) => Data::Int(x.iter().map(|x| wrap_int(bits, *x)).collect()),
        _ => element_by_element(x, to),
    }
}

fn element_by_element(x: &Data, to: DType) -> Data {
    let mut out = Data::zeros(to.class(), x.len());
    for i in 0..x.len() {
        if let Some(value) = x.get(i) {
            out.set(i, scalar_by_value(value, to));
        }
    }
    out
}

/// The bits of one element, low bits first.
fn bits_of(dtype: DType, x: Scalar) -> u128 {
    let part = dtype.part();
    match x {
        Scalar::Pred(x) => u128::from(x),
        Scalar::Int(x) => u128::from(wrap_uint(dtype.bits(), x as u64)),
        Scalar::Uint(x) => u128::from(x),
        Scalar::Float(x) => u128::from(bits_of_float(dtype, x)),
        Scalar::Complex(z) => {
            let (re, im) = (bits_of_float(part, z.re), bits_of_float(part, z.im));
            u128::from(re) | u128::from(im) << part.bits()
        }
    }
}

/// The element with these bits.
fn of_bits(dtype: DType, bits: u128) -> Scalar {
    let width = dtype.bits();
    match dtype.class() {
        Class::Pred => Scalar::Pred(bits & 1 == 1),
        Class::Signed => Scalar::Int(wrap_int(width, bits as u64 as i64)),
        Class::Unsigned => Scalar::Uint(wrap_uint(width, bits as u64)),
        Class::Float => Scalar::Float(float_of_bits(dtype, wrap_uint(width, bits as u64))),
        Class::Complex => {
            let part = dtype.part();
            let half = |bits: u128| float_of_bits(part, wrap_uint(part.bits(), bits as u64));
            Scalar::Complex(Complex { re: half(bits), im: half(bits >> part.bits()) })
        }
    }
}

/// The element whose bits are the low bits of a word.
pub(crate) fn scalar_of_bits(dtype: DType, word: u64) -> Scalar {
    of_bits(dtype, u128::from(word))
}

/// One element by bits, for types of one width.
pub(crate) fn scalar_by_bits(x: Scalar, from: DType, to: DType) -> Scalar {
    of_bits(to, bits_of(from, x))
}

/// Elements of one width map one to one; a wider one is a run of narrower ones along a minor dim, low bits first.
fn by_bits(x: &Tensor, out: &TensorType) -> Result<Data, Fault> {
    let (from, to) = (x.dtype(), out.dtype);
    let count = crate::tensor::element_count(&out.dims).unwrap_or(0);
    let (wide, narrow) = (from.bits().max(to.bits()), from.bits().min(to.bits()));
    let ratio = (wide / narrow.max(1)).max(1) as usize;
    let expected = if from.bits() > to.bits() { count / ratio } else { count.saturating_mul(ratio) };
    if expected != x.len() {
        return Err(Fault::unsound(format!("{} does not have the bits of {out}", x.ty())));
    }
    let mut data = Data::zeros(to.class(), count);
    for i in 0..count {
        let value = if from.bits() > to.bits() {
            of_bits(to, element_bits(x, i / ratio) >> ((i % ratio) as u32 * narrow))
        } else {
            of_bits(to, joined_bits(x, i * ratio, ratio, narrow))
        };
        data.set(i, value);
    }
    Ok(data)
}

fn element_bits(x: &Tensor, index: usize) -> u128 {
    x.get(index).map_or(0, |value| bits_of(x.dtype(), value))
}

fn joined_bits(x: &Tensor, start: usize, count: usize, width: u32) -> u128 {
    (0..count).fold(0, |bits, i| bits | element_bits(x, start + i) << (i as u32 * width))
}

/// Round to a float with fewer bits, kept in its type. The exponent range is that of an IEEE format, without
/// subnormals: what is below the smallest normal number becomes zero.
fn reduce_precision(x: &Tensor, exponent: u32, mantissa: u32) -> Result<Data, Fault> {
    let part = x.dtype().part();
    let f = |x: f64| reduce_float(part, exponent, mantissa, x);
    match x.data() {
        Data::Float(v) => Ok(Data::Float(v.iter().map(|x| f(*x)).collect())),
        Data::Complex(v) => {
            Ok(Data::Complex(v.iter().map(|z| Complex { re: f(z.re), im: f(z.im) }).collect()))
        }
        Data::Pred(_) | Data::Int(_) | Data::Uint(_) => {
            Err(Fault::unsound(format!("reduce_precision is not defined on {}", x.dtype())))
        }
    }
}

fn reduce_float(part: DType, exponent: u32, mantissa: u32, x: f64) -> f64 {
    let keeps = Convert::ReducePrecision { exponent_bits: exponent, mantissa_bits: mantissa };
    if !x.is_finite() || x == 0.0 || keeps.keeps_precision_of(part) {
        return x;
    }
    let bias = (1i32 << (exponent.clamp(1, 11) - 1)) - 1;
    let kept = mantissa.min(52) as i32;
    let rounded = round_binary(x, kept, -1022, bias);
    let own = round(part, rounded);
    if own.abs() < 2f64.powi(1 - bias) { 0f64.copysign(x) } else { own }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_split_and_join_low_first() {
        let x = Tensor::from_ints(DType::U32, &[2], &[0x0102_0304, 0x0506_0708]).unwrap();
        let out = TensorType::new(DType::U8, [2, 4]);
        let split = Tensor::new(out.clone(), by_bits(&x, &out).unwrap()).unwrap();
        assert_eq!(split.to_ints().unwrap(), [4, 3, 2, 1, 8, 7, 6, 5]);
        let back = by_bits(&split, x.ty()).unwrap();
        assert_eq!(&back, x.data());
    }

    #[test]
    fn float_bits() {
        let one = scalar_by_bits(Scalar::Float(1.0), DType::F32, DType::S32);
        assert_eq!(one, Scalar::Int(0x3f80_0000));
        assert_eq!(scalar_by_bits(Scalar::Int(-1), DType::S16, DType::U16), Scalar::Uint(0xffff));
        assert_eq!(scalar_by_bits(one, DType::S32, DType::F32), Scalar::Float(1.0));
    }

    #[test]
    fn reduced_precision_rounds_and_overflows() {
        let reduce = |x| reduce_float(DType::F32, 5, 10, x);
        assert_eq!(reduce(1.0 + 2f64.powi(-11)), 1.0);
        assert_eq!(reduce(70000.0), f64::INFINITY);
        assert_eq!(reduce(2f64.powi(-15)), 0.0);
        let below_normal = 2f64.powi(-140);
        assert_eq!(reduce_float(DType::F32, 8, 23, below_normal), below_normal, "its own precision");
    }
}
