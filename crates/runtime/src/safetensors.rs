//! The safetensors form: a u64 with the length of a JSON header, the header, then the bytes of tensors without gaps.

use meshwright_base::arrange::Arrange;
use meshwright_ir::DType;
use serde::de::{Deserialize, Deserializer, Error, IgnoredAny, MapAccess, Visitor};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::fmt;

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
const LONGEST: u32 = 100_000_000;

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
pub fn header_length(first: [u8; 8], bytes: u64) -> Result<u32, String> {
    let claimed = u64::from_le_bytes(first);
    let length = u32::try_from(claimed).ok().filter(|length| *length <= LONGEST);
    let length = length.filter(|length| 8 + u64::from(*length) <= bytes);
    length.ok_or_else(|| format!("a header of {claimed} bytes in a file of {bytes}"))
}

/// Tensors by name. `data` is how many bytes follow the header; entries fill them without gaps or overlaps.
pub fn entries(header: &[u8], data: u64) -> Result<BTreeMap<String, Entry>, String> {
    let Table(found) =
        serde_json::from_slice(header).map_err(|error| format!("its header cannot be read: {error}"))?;
    let mut order: Vec<(u64, u64)> = found.values().map(|entry| (entry.begin, entry.bytes)).collect();
    order.arrange();
    let end =
        order.iter().try_fold(0, |end, (begin, bytes)| (*begin == end).then(|| end.checked_add(*bytes))?);
    if end == Some(data) { Ok(found) } else { Err(format!("its tensors do not fill its {data} bytes")) }
}

/// A header's entries. Each is made as it is read: a tree of a million values would take seconds and a gigabyte.
struct Table(BTreeMap<String, Entry>);

impl<'de> Deserialize<'de> for Table {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Table, D::Error> {
        deserializer.deserialize_map(TableVisitor).map(Table)
    }
}

struct TableVisitor;

impl<'de> Visitor<'de> for TableVisitor {
    type Value = BTreeMap<String, Entry>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a table of tensors")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut found = BTreeMap::new();
        while let Some(name) = map.next_key::<String>()? {
            if name == "__metadata__" {
                map.next_value::<IgnoredAny>()?;
                continue;
            }
            let of_entry = |why: &dyn fmt::Display| A::Error::custom(format!("the entry of `{name}`: {why}"));
            let fields = map.next_value::<Fields>().map_err(|error| of_entry(&error))?;
            let entry = fields.entry().ok_or_else(|| of_entry(&"its type, shape and bytes do not agree"))?;
            if found.insert(name.clone(), entry).is_some() {
                return Err(of_entry(&"it is there twice"));
            }
        }
        Ok(found)
    }
}

/// The fields of an entry.
#[derive(Default)]
struct Fields {
    element: Option<Element>,
    shape: Option<Vec<usize>>,
    offsets: Option<[usize; 2]>,
}

impl Fields {
    fn entry(self) -> Option<Entry> {
        let (element, shape, [begin, end]) = (self.element?, self.shape?, self.offsets?);
        let bytes = end.checked_sub(begin)?;
        let expected = shape.iter().try_fold(element.bytes(), |bytes, size| bytes.checked_mul(*size))?;
        (bytes == expected).then_some(Entry { element, shape, begin: begin as u64, bytes: bytes as u64 })
    }
}

impl<'de> Deserialize<'de> for Fields {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Fields, D::Error> {
        deserializer.deserialize_map(FieldsVisitor)
    }
}

struct FieldsVisitor;

impl<'de> Visitor<'de> for FieldsVisitor {
    type Value = Fields;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("`dtype`, `shape` and `data_offsets`")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Fields, A::Error> {
        let mut fields = Fields::default();
        while let Some(name) = map.next_key::<String>()? {
            match &*name {
                "dtype" => {
                    let word: String = map.next_value()?;
                    let element = Element::parse(&word);
                    fields.element = Some(
                        element.ok_or_else(|| A::Error::custom(format!("no element type is `{word}`")))?,
                    );
                }
                "shape" => fields.shape = Some(map.next_value()?),
                "data_offsets" => fields.offsets = Some(map.next_value()?),
                _ => drop(map.next_value::<IgnoredAny>()?),
            }
        }
        Ok(fields)
    }
}

/// A list of sizes.
pub fn sizes(value: &Value) -> Option<Vec<usize>> {
    value.as_array()?.iter().map(|size| size.as_u64()?.try_into().ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(entry: &str, data: u64) -> Result<BTreeMap<String, Entry>, String> {
        entries(format!("{{\"__metadata__\":{{\"x\":\"y\"}},\"w\":{entry}}}").as_bytes(), data)
    }

    #[test]
    fn entries_are_read_and_refused_by_name() {
        let good = r#"{"dtype":"F32","shape":[2],"data_offsets":[0,8],"more":[{}]}"#;
        let entry = Entry { element: Element::F32, shape: vec![2], begin: 0, bytes: 8 };
        assert_eq!(read(good, 8), Ok(BTreeMap::from([("w".to_string(), entry)])));
        for (entry, said) in [
            (
                r#"{"dtype":"F33","shape":[2],"data_offsets":[0,8]}"#,
                "the entry of `w`: no element type is `F33`",
            ),
            (r#"{"dtype":"F32","shape":[3],"data_offsets":[0,8]}"#, "the entry of `w`: its type, shape"),
            (r#"{"dtype":"F32","shape":[-2],"data_offsets":[0,8]}"#, "the entry of `w`: invalid value"),
            (r#"{"dtype":"F32","data_offsets":[0,8]}"#, "the entry of `w`: its type, shape"),
            (r#"{"dtype":"F32","shape":[2],"data_offsets":[0]}"#, "the entry of `w`: invalid length"),
            (&format!("{good},\"w\":{good}"), "the entry of `w`: it is there twice"),
            (&format!("{good}}}"), "its header cannot be read"),
            ("[]", "the entry of `w`: invalid type"),
        ] {
            let error = read(entry, 8).unwrap_err();
            assert!(error.contains(said), "{entry}: {error}");
        }
        assert!(read(good, 9).unwrap_err().contains("do not fill its 9 bytes"));
        assert!(entries(b"[]", 0).unwrap_err().contains("a table of tensors"));
    }
}
