//! Reads the archives of fixtures: uncompressed `.npz` with little-endian arrays in C order.

use meshwright_interp::{Complex, Data, Tensor};
use meshwright_ir::{DType, TensorType};
use std::path::Path;

/// All arrays of an archive, in its order.
pub fn read(path: &Path) -> Vec<Tensor> {
    let bytes = std::fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let mut arrays = Vec::new();
    let mut at = 0;
    // Local headers follow each other; the directory behind them has another signature.
    while bytes[at..].starts_with(b"PK\x03\x04") {
        let number = |from: usize, count: usize| {
            bytes[at + from..at + from + count].iter().rev().fold(0usize, |n, byte| n << 8 | *byte as usize)
        };
        let (size, name, extra) = (number(18, 4), number(26, 2), number(28, 2));
        let start = at + 30 + name + extra;
        arrays.push(array(&bytes[start..start + size]));
        at = start + size;
    }
    arrays
}

fn array(bytes: &[u8]) -> Tensor {
    assert!(bytes.starts_with(b"\x93NUMPY\x01"));
    let length = u16::from_le_bytes([bytes[8], bytes[9]]) as usize;
    let header = std::str::from_utf8(&bytes[10..10 + length]).unwrap();
    let after = |key: &str| header.split(key).nth(1).unwrap().trim_start_matches([' ', ':', '\'', '(']);
    let dims: Vec<i64> = after("'shape'")
        .split(')')
        .next()
        .unwrap()
        .split(',')
        .filter_map(|n| n.trim().parse().ok())
        .collect();
    let kind = after("'descr'").split('\'').next().unwrap();
    let data = &bytes[10 + length..];
    let f64s = || data.chunks(8).map(|b| f64::from_le_bytes(b.try_into().unwrap()));
    let f32s = || data.chunks(4).map(|b| f64::from(f32::from_le_bytes(b.try_into().unwrap())));
    let (dtype, data) = match kind {
        "<f8" => (DType::F64, Data::Float(f64s().collect())),
        "<f4" => (DType::F32, Data::Float(f32s().collect())),
        "<i4" => (
            DType::S32,
            Data::Int(data.chunks(4).map(|b| i32::from_le_bytes(b.try_into().unwrap()).into()).collect()),
        ),
        "<c16" => {
            let parts: Vec<f64> = f64s().collect();
            (DType::C128, Data::Complex(parts.chunks(2).map(|z| Complex { re: z[0], im: z[1] }).collect()))
        }
        other => panic!("arrays of {other} are not read"),
    };
    Tensor::new(TensorType::new(dtype, dims), data).unwrap()
}
