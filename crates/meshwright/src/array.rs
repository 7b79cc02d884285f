//! Arrays in memory: what goes into a program and comes out.

use crate::error::{Error, arrays};
use meshwright_ir::literal::float_bytes;
use meshwright_ir::retype::float_of;
use meshwright_ir::{Class, DType, Literal, TensorType};
use meshwright_runtime::HostArray;
use meshwright_tensor::Shape;
use std::panic::Location;

/// Numbers with a shape, in row-major order.
///
/// ```
/// use meshwright::prelude::*;
/// let x = Array::new([2, 2], &[1.0f32, 2.0, 3.0, 4.0])?;
/// assert_eq!(x.to_vec::<f32>()?[3], 4.0);
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Array {
    pub(crate) host: HostArray,
}

/// A Rust number that an [`Array`] can hold.
///
/// ```
/// use meshwright::prelude::*;
/// let x = Array::new([2], &[1i64, 2])?; // i64 is an `Element`
/// assert_eq!(x.ty().dtype, i64);
/// # Ok::<(), Error>(())
/// ```
pub trait Element: Copy {
    /// The element type.
    const DTYPE: DType;
    /// Bytes, little endian.
    fn bytes(self) -> Vec<u8>;
    /// From as many bytes as it has.
    fn of(bytes: &[u8]) -> Self;
}

macro_rules! elements {
    ($($number:ident = $dtype:ident),*) => {
        $(
            impl Element for $number {
                const DTYPE: DType = DType::$dtype;
                fn bytes(self) -> Vec<u8> {
                    self.to_le_bytes().to_vec()
                }
                fn of(bytes: &[u8]) -> Self {
                    bytes.try_into().map_or($number::default(), $number::from_le_bytes)
                }
            }
        )*
    };
}
elements!(
    f32 = F32,
    f64 = F64,
    i8 = S8,
    i16 = S16,
    i32 = S32,
    i64 = S64,
    u8 = U8,
    u16 = U16,
    u32 = U32,
    u64 = U64
);

impl Array {
    /// An array of these numbers.
    ///
    /// ```
    /// use meshwright::prelude::*;
    /// let x = Array::new([2, 2], &[1.0f32, 2.0, 3.0, 4.0])?;
    /// assert!(Array::new([2, 2], &[1.0f32]).is_err());
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn new<T: Element>(shape: impl Shape, values: &[T]) -> Result<Array, Error> {
        let line = Location::caller();
        Array::of_values(shape, values).map_err(|error| error.at(line))
    }

    fn of_values<T: Element>(shape: impl Shape, values: &[T]) -> Result<Array, Error> {
        let ty = TensorType::new(T::DTYPE, shape.into_shape().0);
        let bytes: Vec<u8> = values.iter().flat_map(|value| value.bytes()).collect();
        HostArray::new(ty.clone(), bytes).map(|host| Array { host }).ok_or_else(|| {
            let message = format!("{} numbers are given to {ty}, which has {}", values.len(), ty.elements());
            arrays(message, "give one number per element, the last dim running fastest")
        })
    }

    /// One number everywhere.
    ///
    /// ```
    /// use meshwright::prelude::*;
    /// let ones = Array::filled([2, 3], 1.0f32);
    /// ```
    pub fn filled<T: Element>(shape: impl Shape, value: T) -> Array {
        let ty = TensorType::new(T::DTYPE, shape.into_shape().0);
        let literal =
            Literal::splat(ty.clone(), &value.bytes()).unwrap_or_else(|| Literal::zeros(ty.clone()));
        Array { host: HostArray { ty, bytes: literal.to_bytes().to_vec() } }
    }

    /// Zeros of any element type.
    ///
    /// ```
    /// use meshwright::prelude::*;
    /// let x = Array::zeros(bf16, [2, 3]);
    /// assert_eq!(x.bytes().len(), 12);
    /// ```
    pub fn zeros(dtype: DType, shape: impl Shape) -> Array {
        Array { host: HostArray::zeros(TensorType::new(dtype, shape.into_shape().0)) }
    }

    /// From bytes as they lie in memory: little endian, row major.
    ///
    /// ```
    /// use meshwright::prelude::*;
    /// let x = Array::from_bytes(u8, [3], vec![1, 2, 3])?;
    /// assert_eq!(x.to_vec::<u8>()?, [1, 2, 3]);
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn from_bytes(dtype: DType, shape: impl Shape, bytes: Vec<u8>) -> Result<Array, Error> {
        let line = Location::caller();
        Array::of_bytes(dtype, shape, bytes).map_err(|error| error.at(line))
    }

    fn of_bytes(dtype: DType, shape: impl Shape, bytes: Vec<u8>) -> Result<Array, Error> {
        let ty = TensorType::new(dtype, shape.into_shape().0);
        let (count, what) = (bytes.len(), ty.to_string());
        let host = HostArray::new(ty, bytes);
        host.map(|host| Array { host })
            .ok_or_else(|| arrays(format!("{count} bytes do not make {what}"), "give every element's bytes"))
    }

    /// Shape and element type.
    ///
    /// ```
    /// use meshwright::prelude::*;
    /// assert_eq!(Array::zeros(f32, [2, 3]).ty().to_string(), "f32[2,3]");
    /// ```
    pub fn ty(&self) -> &TensorType {
        &self.host.ty
    }

    /// The bytes.
    ///
    /// ```
    /// use meshwright::prelude::*;
    /// assert_eq!(Array::filled([2], 1u8).bytes(), [1, 1]);
    /// ```
    pub fn bytes(&self) -> &[u8] {
        &self.host.bytes
    }

    /// The numbers, which must be of this type.
    ///
    /// ```
    /// use meshwright::prelude::*;
    /// let x = Array::filled([2], 0.5f32);
    /// assert_eq!(x.to_vec::<f32>()?, [0.5, 0.5]);
    /// assert!(x.to_vec::<f64>().is_err());
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn to_vec<T: Element>(&self) -> Result<Vec<T>, Error> {
        let line = Location::caller();
        self.values().map_err(|error| error.at(line))
    }

    /// The numbers in any element type, rounded to `f64`: floats of all widths, integers, truth values as 0 and 1; of
    /// complex numbers the real and the imaginary parts in turn.
    ///
    /// ```
    /// use meshwright::prelude::*;
    /// assert_eq!(Array::rounded(bf16, [2], &[1.0, 0.1])?.numbers(), [1.0, 0.10009765625]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn numbers(&self) -> Vec<f64> {
        let dtype = self.host.ty.dtype;
        let width = dtype.bytes().max(1);
        self.host.bytes.chunks_exact(width).flat_map(|bytes| numbers_of(dtype, bytes)).collect()
    }

    /// An array of any real element type from numbers, each rounded to the nearest that the type has.
    ///
    /// ```
    /// use meshwright::prelude::*;
    /// let half = Array::rounded(f16, [2], &[0.5, 1e-9])?;
    /// assert_eq!((half.bytes().len(), half.numbers()), (4, vec![0.5, 0.0]));
    /// let quarter = Array::rounded(f8e4m3fn, [2], &[0.3, 1000.0])?;
    /// assert_eq!(quarter.numbers()[0], 0.3125);
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn rounded(dtype: DType, shape: impl Shape, values: &[f64]) -> Result<Array, Error> {
        let line = Location::caller();
        Array::of_numbers(TensorType::new(dtype, shape.into_shape().0), values)
            .map_err(|error| error.at(line))
    }

    fn of_numbers(ty: TensorType, values: &[f64]) -> Result<Array, Error> {
        if !ty.dtype.is_float() {
            let message = format!("numbers are rounded to floats, not to {}", ty.dtype);
            return Err(arrays(message, "make integers with `Array::new`"));
        }
        if ty.elements() != values.len() as i64 {
            let message = format!("{} numbers are given to {ty}, which has {}", values.len(), ty.elements());
            return Err(arrays(message, "give one number per element, the last dim running fastest"));
        }
        let bytes = values.iter().flat_map(|value| float_bytes(ty.dtype, *value)).collect();
        let what = ty.to_string();
        let host = HostArray::new(ty, bytes).map(|host| Array { host });
        host.ok_or_else(|| arrays(format!("{what} is too large"), "make it smaller"))
    }

    pub(crate) fn values<T: Element>(&self) -> Result<Vec<T>, Error> {
        if self.host.ty.dtype != T::DTYPE {
            let message = format!("the array is {}, not of {}", self.host.ty, T::DTYPE);
            return Err(arrays(message, format!("ask for {}", self.host.ty.dtype)));
        }
        Ok(self.host.bytes.chunks_exact(T::DTYPE.bytes()).map(T::of).collect())
    }
}

/// The numbers of one element: two of a complex one.
fn numbers_of(dtype: DType, bytes: &[u8]) -> Vec<f64> {
    match dtype.class() {
        Class::Float => vec![float_of(dtype, bytes)],
        Class::Complex => {
            bytes.chunks_exact(dtype.part().bytes()).map(|part| float_of(dtype.part(), part)).collect()
        }
        Class::Pred | Class::Signed | Class::Unsigned => vec![integer(dtype, bytes)],
    }
}

fn integer(dtype: DType, bytes: &[u8]) -> f64 {
    let is_negative = dtype.class() == Class::Signed && bytes.last().is_some_and(|last| *last >= 0x80);
    let mut wide = [if is_negative { 0xff } else { 0 }; 16];
    wide.iter_mut().zip(bytes).for_each(|(to, from)| *to = *from);
    i128::from_le_bytes(wide) as f64
}
