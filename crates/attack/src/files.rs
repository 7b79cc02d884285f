//! Archives of numpy and files of safetensors.

use crate::{bundle, formats, judge_reason};
use meshwright_runtime::safetensors::{entries, header, header_length};
use meshwright_train::npz::{Archive, Array, write};
use std::io::Cursor;

/// The largest array that is read.
const LARGEST: u64 = 1 << 20;

/// An array that reads is as large as its type says; written again, it reads as the same.
pub fn npz(bytes: &[u8]) -> bool {
    let assembled = bundle::split(bytes).map(|parts| formats::npz(&parts));
    let mut archive = match Archive::new(Cursor::new(assembled.as_deref().unwrap_or(bytes))) {
        Ok(archive) => archive,
        Err(reason) => return judge_reason(&reason),
    };
    assert_eq!(archive.names().count(), archive.len());
    let mut arrays = Vec::new();
    for entry in 0..archive.len() {
        let ty = archive.ty(entry);
        match archive.read(entry, LARGEST) {
            Ok(array) => {
                assert_eq!(ty.as_ref(), Ok(&array.ty), "the type without the elements is another");
                let size = array.ty.dims.iter().product::<i64>() * array.ty.dtype.bytes() as i64;
                assert_eq!(i64::try_from(array.bytes.len()), Ok(size), "{}", array.ty);
                arrays.push(array);
            }
            Err(reason) => {
                judge_reason(&reason);
            }
        }
    }
    assert_eq!(again(&arrays), arrays, "written and read again they differ");
    !arrays.is_empty()
}

fn again(arrays: &[Array]) -> Vec<Array> {
    let mut file = Cursor::new(Vec::new());
    write(&mut file, arrays).expect("memory takes all");
    let mut archive = Archive::new(file).expect("it was just written");
    let mut find = |index| {
        let entry = archive.find(index, &[]).expect("it was just written");
        archive.read(entry, LARGEST).unwrap_or_else(|reason| panic!("array {index} is refused: {reason}"))
    };
    (0..arrays.len()).map(&mut find).collect()
}

/// Entries that read fill the data without gaps or overlaps; a header of them reads as the same entries.
pub fn safetensors(bytes: &[u8]) -> bool {
    let assembled = bundle::split(bytes).and_then(|parts| Some(formats::safetensors(&parts.first()?.1)));
    let file = assembled.as_deref().unwrap_or(bytes);
    let Some((first, rest)) = file.split_first_chunk() else { return false };
    let length = match header_length(*first, file.len() as u64) {
        Ok(length) => usize::try_from(length).expect("it is within the file"),
        Err(reason) => return judge_reason(&reason),
    };
    let data = (rest.len() - length) as u64;
    let found = match entries(&rest[..length], data) {
        Ok(found) => found,
        Err(reason) => return judge_reason(&reason),
    };
    let bytes: u64 = found.values().map(|entry| entry.bytes).sum();
    assert_eq!(bytes, data, "entries do not fill the data");
    let mut order: Vec<_> = found.iter().collect();
    order.sort_by_key(|(_, entry)| (entry.begin, entry.bytes));
    let rows: Vec<_> = order
        .iter()
        .map(|(name, entry)| (name.as_str(), entry.element, &entry.shape[..], entry.bytes as usize))
        .collect();
    let written = header(&rows);
    let again = entries(&written[8..], data).unwrap_or_else(|reason| panic!("refused again: {reason}"));
    assert_eq!(again, found);
    true
}
