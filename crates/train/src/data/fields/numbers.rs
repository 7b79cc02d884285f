//! Numbers of arrays from files, as models take them: brightness and frames as real numbers, classes and counts as
//! whole ones. What is none is told with its array, example and place.

use super::EXAMPLE;
use crate::npz::Array;
use meshwright_base::Diagnostic;
use meshwright_ir::DType;
use meshwright_ir::retype::float_of;

/// Real numbers: whole numbers of 8 bits as shares of their largest, others as they are. Each is finite.
pub(super) fn reals(path: &str, name: &str, array: &Array) -> Result<Vec<f32>, Diagnostic> {
    let dtype = array.ty.dtype;
    if dtype.is_complex() {
        let message =
            format!("`{path}`: array `{name}` is {dtype}, and each of its numbers should be a real one");
        let help = format!("write `abs({name})`, or the two parts of each number as numbers of their own");
        return Err(Diagnostic::error(EXAMPLE, message).help(help));
    }
    let numbers = shares(array);
    match numbers.iter().position(|number| !number.is_finite()) {
        Some(at) => Err(no_number(path, name, array, at)),
        None => Ok(numbers),
    }
}

fn shares(array: &Array) -> Vec<f32> {
    match array.ty.dtype {
        DType::U8 => array.bytes.iter().map(|byte| f32::from(*byte) / 255.0).collect(),
        dtype if dtype.is_integer() || dtype == DType::Pred => {
            exact(array).map(|number| number as f32).collect()
        }
        dtype => array.bytes.chunks_exact(dtype.bytes()).map(|one| float_of(dtype, one) as f32).collect(),
    }
}

fn no_number(path: &str, name: &str, array: &Array, at: usize) -> Diagnostic {
    let dtype = array.ty.dtype;
    let one = array.bytes.chunks_exact(dtype.bytes().max(1)).nth(at);
    let found = one.map_or(f64::NAN, |one| float_of(dtype, one));
    let why = if found.is_finite() { ", more than a number of 32 bits can be" } else { "" };
    let place = place(array, at);
    let message = format!("`{path}`: array `{name}` has {found} in {place}{why}");
    let help = "one of them makes every weight no number: write another in its place, as by `numpy.nan_to_num`, or leave \
                the example out";
    Diagnostic::error(EXAMPLE, message).help(help)
}

/// Whole numbers of 32 bits; true and false are 1 and 0.
pub(super) fn wholes(path: &str, name: &str, array: &Array) -> Result<Vec<i32>, Diagnostic> {
    let dtype = array.ty.dtype;
    if !dtype.is_integer() && dtype != DType::Pred {
        let message = format!(
            "`{path}`: array `{name}` is {dtype}, and its numbers are whole ones: classes, words or counts"
        );
        let help = format!("write it as such, by `{name}.astype('int32')`");
        return Err(Diagnostic::error(EXAMPLE, message).help(help));
    }
    let one = |(at, number): (usize, i128)| i32::try_from(number).map_err(|_| (at, number));
    exact(array).enumerate().map(one).collect::<Result<_, _>>().map_err(|(at, number)| {
        let message = format!(
            "`{path}`: array `{name}` has {number} in {}, and numbers of 32 bits are read",
            place(array, at)
        );
        Diagnostic::error(EXAMPLE, message).help("write the numbers of classes or words, from 0 on")
    })
}

/// Whole numbers as they are written.
fn exact(array: &Array) -> impl Iterator<Item = i128> {
    let dtype = array.ty.dtype;
    let signed = matches!(dtype, DType::S8 | DType::S16 | DType::S32 | DType::S64);
    let one = move |bytes: &[u8]| {
        let fill = if signed && bytes.last().is_some_and(|byte| byte & 0x80 != 0) { 0xFF } else { 0 };
        let mut wide = [fill; 16];
        wide.iter_mut().zip(bytes).for_each(|(to, from)| *to = *from);
        i128::from_le_bytes(wide)
    };
    array.bytes.chunks_exact(dtype.bytes().max(1)).map(one)
}

/// `example 3 at [4, 5]`, of an element of an array whose first dim is the example.
fn place(array: &Array, at: usize) -> String {
    let sizes: Vec<usize> =
        array.ty.dims.iter().skip(1).map(|size| usize::try_from(*size).unwrap_or(1).max(1)).collect();
    place_of(at, &sizes)
}

/// The same of an element of examples of these sizes.
pub(super) fn place_of(at: usize, sizes: &[usize]) -> String {
    let example = at / sizes.iter().product::<usize>().max(1);
    if sizes.is_empty() {
        return format!("example {example}");
    }
    let mut rest = at;
    let mut places: Vec<usize> = Vec::new();
    for size in sizes.iter().rev() {
        places.push(rest % size.max(&1));
        rest /= size.max(&1);
    }
    places.reverse();
    format!("example {example} at {places:?}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use meshwright_ir::TensorType;

    fn array(dtype: DType, dims: &[i64], bytes: Vec<u8>) -> Array {
        Array { ty: TensorType::new(dtype, dims), bytes }
    }

    fn floats(all: &[f32]) -> Vec<u8> {
        all.iter().flat_map(|one| one.to_le_bytes()).collect()
    }

    #[test]
    fn what_is_no_number_is_told_with_its_example_and_place() {
        let said = |array: &Array| reals("a.npz", "images", array).unwrap_err().message;
        let mut all = [0.5; 12];
        all[9] = f32::NAN;
        assert_eq!(
            said(&array(DType::F32, &[2, 3, 2], floats(&all))),
            "`a.npz`: array `images` has NaN in example 1 at [1, 1]"
        );
        all[9] = f32::NEG_INFINITY;
        assert!(
            said(&array(DType::F32, &[2, 3, 2], floats(&all))).contains("has -inf in example 1 at [1, 1]")
        );
        let large = array(DType::F64, &[1], 1e300_f64.to_le_bytes().to_vec());
        assert!(
            said(&large).ends_with(" in example 0, more than a number of 32 bits can be"),
            "{}",
            said(&large)
        );
        let complex = array(DType::C64, &[1, 1], vec![0; 8]);
        assert!(said(&complex).contains("and each of its numbers should be a real one"));
    }

    #[test]
    fn whole_numbers_are_read_of_any_width_and_told_as_they_are() {
        let read = |array: &Array| wholes("a.npz", "labels", array);
        assert_eq!(read(&array(DType::Pred, &[3], vec![1, 0, 1])).unwrap(), [1, 0, 1]);
        assert_eq!(read(&array(DType::S8, &[2], vec![0xFF, 3])).unwrap(), [-1, 3]);
        let large = array(DType::U64, &[1], u64::MAX.to_le_bytes().to_vec());
        assert!(read(&large).unwrap_err().message.contains("has 18446744073709551615 in example 0"));
        let floats = read(&array(DType::F32, &[1], floats(&[1.0]))).unwrap_err();
        assert!(floats.help.is_some_and(|help| help.contains("`labels.astype('int32')`")));
    }
}
