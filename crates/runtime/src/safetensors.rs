//! The safetensors form: a u64 with the length of a JSON header, the header, then the bytes of tensors without gaps.

use meshwright_base::arrange::Arrange;
use meshwright_ir::DType;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

macro_rules! elements {
    ($($name:ident = $word:literal, $bytes:literal, $dtype:ident;)*) => {
        /// Element types that files hold, by their safetensors names.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
        pub enum Element { $($name,)* }

        impl Element {
            pub fn word(self) -> &'static str {
                match self { $(Element::$name => $word,)* }
            }

            pub fn bytes(self) -> usize {
                match self { $(Element::$name => $bytes,)* }
            }

            pub fn parse(word: &str) -> Option<Self> {
                match word { $($word => Some(Element::$name),)* _ => None }
            }

            pub fn dtype(self) -> DType {
                match self { $(Element::$name => DType::$dtype,)* }
            }

            pub fn of(dtype: DType) -> Option<Self> {
                [$(Element::$name,)*].into_iter().find(|element| element.dtype() == dtype)
            }
        }
    };
}

elements! {
    Bool = "BOOL", 1, Pred;
    U8 = "U8", 1, U8;
    I8 = "I8", 1, S8;
    F8E4M3 = "F8_E4M3", 1, F8E4M3FN;
    F8E5M2 = "F8_E5M2", 1, F8E5M2;
    U16 = "U16", 2, U16;
    I16 = "I16", 2, S16;
    F16 = "F16", 2, F16;
    Bf16 = "BF16", 2, BF16;
    U32 = "U32", 4, U32;
    I32 = "I32", 4, S32;
    F32 = "F32", 4, F32;
    U64 = "U64", 8, U64;
    I64 = "I64", 8, S64;
    F64 = "F64", 8, F64;
}

/// Longest header read, as elsewhere.
const LONGEST: u64 = 100_000_000;

/// A tensor in a file: its bytes begin `begin` after the header.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Entry {
    pub element: Element,
    pub shape: Vec<usize>,
    pub begin: u64,
    pub bytes: u64,
}

/// The header of a file, with the length before it. Tensors lie in the order given.
pub fn header(tensors: &[(&str, Element, &[usize], usize)]) -> Vec<u8> {
    let mut begin = 0;
    let mut table = Map::new();
    for (name, element, shape, bytes) in tensors {
        let offsets = [begin, begin + bytes];
        table.insert(
            (*name).to_string(),
            json!({"dtype": element.word(), "shape": shape, "data_offsets": offsets}),
        );
        begin += bytes;
    }
    let mut text = Value::Object(table).to_string();
    // Data begins at a multiple of eight, so that it may be mapped.
    text.extend(std::iter::repeat_n(' ', text.len().next_multiple_of(8) - text.len()));
    [&(text.len() as u64).to_le_bytes()[..], text.as_bytes()].concat()
}

/// The length of the header, if it may lie in a file of `bytes`.
pub fn header_length(first: [u8; 8], bytes: u64) -> Result<u64, String> {
    let length = u64::from_le_bytes(first);
    if length <= LONGEST && length.checked_add(8).is_some_and(|end| end <= bytes) {
        Ok(length)
    } else {
        Err(format!("a header of {length} bytes in a file of {bytes}"))
    }
}

/// Tensors by name. `data` is how many bytes follow the header; entries fill them without gaps or overlaps.
pub fn entries(header: &[u8], data: u64) -> Result<BTreeMap<String, Entry>, String> {
    let table: Value =
        serde_json::from_slice(header).map_err(|error| format!("its header is no JSON: {error}"))?;
    let table = table.as_object().ok_or("its header is no table")?;
    let tensors = table.iter().filter(|(name, _)| *name != "__metadata__");
    let found: BTreeMap<String, Entry> = tensors
        .map(|(name, value)| {
            Ok((name.clone(), entry(value).ok_or_else(|| format!("the entry of `{name}`"))?))
        })
        .collect::<Result<_, String>>()?;
    let mut order: Vec<(u64, u64)> = found.values().map(|entry| (entry.begin, entry.bytes)).collect();
    order.arrange();
    let end =
        order.iter().try_fold(0, |end, (begin, bytes)| (*begin == end).then(|| end.checked_add(*bytes))?);
    if end == Some(data) { Ok(found) } else { Err(format!("its tensors do not fill its {data} bytes")) }
}

fn entry(value: &Value) -> Option<Entry> {
    let element = Element::parse(value["dtype"].as_str()?)?;
    let shape = sizes(&value["shape"])?;
    let [begin, end] = sizes(&value["data_offsets"])?.try_into().ok()?;
    let bytes = end.checked_sub(begin)?;
    let expected = shape.iter().try_fold(element.bytes(), |bytes, size| bytes.checked_mul(*size))?;
    (bytes == expected).then_some(Entry { element, shape, begin: begin as u64, bytes: bytes as u64 })
}

/// A list of sizes.
pub fn sizes(value: &Value) -> Option<Vec<usize>> {
    value.as_array()?.iter().map(|size| size.as_u64()?.try_into().ok()).collect()
}
