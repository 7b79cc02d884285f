//! Tensors as text: `f32[2,2] [[1.0, 2.0], [3.0, 4.0]]`.

use meshwright_interp::{Scalar, Tensor};
use meshwright_ir::DType;
use std::fmt::Write;

/// Type and elements; after `limit` elements the rest is counted only.
pub fn tensor(tensor: &Tensor, limit: usize) -> String {
    let mut out = format!("{} ", tensor.ty());
    let mut shown = 0;
    nested(&mut out, tensor, tensor.dims(), &mut shown, limit);
    if shown < tensor.len() {
        let _ = write!(out, " and {} more", tensor.len() - shown);
    }
    out
}

/// Write the elements from `shown` on that lie under `dims`.
fn nested(out: &mut String, tensor: &Tensor, dims: &[i64], shown: &mut usize, limit: usize) {
    let Some((first, rest)) = dims.split_first() else {
        out.push_str(&element(tensor, *shown));
        *shown += 1;
        return;
    };
    out.push('[');
    for at in 0..*first {
        if at > 0 {
            out.push_str(", ");
        }
        if *shown >= limit {
            out.push_str("..");
            break;
        }
        nested(out, tensor, rest, shown, limit);
    }
    out.push(']');
}

/// One element by its position in row-major order, in the fewest digits that say which value of its type it is.
pub fn element(tensor: &Tensor, at: usize) -> String {
    let dtype = tensor.dtype();
    match tensor.get(at) {
        None => "?".into(),
        Some(Scalar::Pred(x)) => x.to_string(),
        Some(Scalar::Int(x)) => x.to_string(),
        Some(Scalar::Uint(x)) => x.to_string(),
        Some(Scalar::Float(x)) => float(dtype, x),
        Some(Scalar::Complex(z)) => format!("({}, {})", float(dtype.part(), z.re), float(dtype.part(), z.im)),
    }
}

fn float(dtype: DType, x: f64) -> String {
    match dtype {
        DType::F64 => format!("{x:?}"),
        _ => format!("{:?}", x as f32),
    }
}

/// Results of a program, one line each: what all devices agree on once, anything else device by device.
pub fn results(devices: &[Vec<Tensor>], limit: usize) -> String {
    let mut out = String::new();
    let Some(first) = devices.first() else { return out };
    for (index, result) in first.iter().enumerate() {
        if devices.iter().all(|device| device.get(index).is_some_and(|other| other.same(result))) {
            let _ = writeln!(out, "{index}: {}", tensor(result, limit));
            continue;
        }
        for (number, device) in devices.iter().enumerate() {
            let shown = device.get(index).map_or("none".into(), |result| tensor(result, limit));
            let _ = writeln!(out, "{index} on device {number}: {shown}");
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_nest_by_dims_and_the_rest_is_counted() {
        let ints = Tensor::from_ints(DType::S32, &[2, 3], &[1, 2, 3, 4, 5, 6]).unwrap();
        assert_eq!(tensor(&ints, 99), "s32[2,3] [[1, 2, 3], [4, 5, 6]]");
        assert_eq!(tensor(&ints, 4), "s32[2,3] [[1, 2, 3], [4, ..]] and 2 more");
        assert_eq!(tensor(&ints, 3), "s32[2,3] [[1, 2, 3], ..] and 3 more");
        assert_eq!(tensor(&Tensor::from_f64s(DType::BF16, &[], &[0.1]).unwrap(), 9), "bf16[] 0.100097656");
        assert_eq!(tensor(&Tensor::from_f64s(DType::F64, &[1], &[0.1]).unwrap(), 9), "f64[1] [0.1]");
        assert_eq!(tensor(&Tensor::from_ints(DType::S8, &[0, 2], &[]).unwrap(), 9), "s8[0,2] []");
    }

    #[test]
    fn what_devices_agree_on_is_said_once() {
        let one = |x| Tensor::from_ints(DType::U8, &[], &[x]).unwrap();
        let text = results(&[vec![one(1), one(2)], vec![one(1), one(3)]], 9);
        assert_eq!(text, "0: u8[] 1\n1 on device 0: u8[] 2\n1 on device 1: u8[] 3\n");
    }
}
