//! Element types as the interface numbers them.

use crate::fault::Fault;
use meshwright_ir::{DType, TensorType};
use meshwright_pjrt::abi::BufferType;

/// Types whose elements fill whole bytes.
const TYPES: [(BufferType, DType); 23] = [
    (BufferType::PRED, DType::Pred),
    (BufferType::S8, DType::S8),
    (BufferType::S16, DType::S16),
    (BufferType::S32, DType::S32),
    (BufferType::S64, DType::S64),
    (BufferType::U8, DType::U8),
    (BufferType::U16, DType::U16),
    (BufferType::U32, DType::U32),
    (BufferType::U64, DType::U64),
    (BufferType::F16, DType::F16),
    (BufferType::BF16, DType::BF16),
    (BufferType::F32, DType::F32),
    (BufferType::F64, DType::F64),
    (BufferType::C64, DType::C64),
    (BufferType::C128, DType::C128),
    (BufferType::F8E5M2, DType::F8E5M2),
    (BufferType::F8E4M3FN, DType::F8E4M3FN),
    (BufferType::F8E4M3B11FNUZ, DType::F8E4M3B11FNUZ),
    (BufferType::F8E5M2FNUZ, DType::F8E5M2FNUZ),
    (BufferType::F8E4M3FNUZ, DType::F8E4M3FNUZ),
    (BufferType::F8E4M3, DType::F8E4M3),
    (BufferType::F8E3M4, DType::F8E3M4),
    (BufferType::F8E8M0FNU, DType::F8E8M0FNU),
];

/// The type of an array that arrives.
pub fn tensor_type(kind: BufferType, dims: &[i64]) -> Result<TensorType, Fault> {
    let found = TYPES.iter().find(|(number, _)| *number == kind);
    let (_, dtype) = found.ok_or_else(|| Fault::lacking(format!("arrays of element type {}", kind.0)))?;
    let ty = TensorType::new(*dtype, dims);
    let mut sizes = dims.iter().map(|size| usize::try_from(*size).ok());
    let bytes = sizes.try_fold(dtype.bytes(), |bytes, size| bytes.checked_mul(size?));
    match bytes.filter(|bytes| *bytes <= isize::MAX as usize) {
        Some(_) => Ok(ty),
        None => Err(Fault::bad(format!("no array has dims {dims:?}"))),
    }
}

/// The number of an element type; 0 is none.
pub fn number(dtype: DType) -> BufferType {
    TYPES.iter().find(|(_, of)| *of == dtype).map_or(BufferType::INVALID, |(number, _)| *number)
}
