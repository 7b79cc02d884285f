//! Named values: attributes that a plugin tells, options that it takes.

use crate::abi::{self, Arguments};
use std::fmt;

#[derive(Clone, PartialEq, Debug)]
pub enum NamedValue {
    Text(String),
    Int(i64),
    Ints(Vec<i64>),
    Float(f32),
    Flag(bool),
}

impl NamedValue {
    /// As a number, if it is one.
    pub fn number(&self) -> Option<f64> {
        match self {
            NamedValue::Int(value) => Some(*value as f64),
            NamedValue::Float(value) => Some(f64::from(*value)),
            NamedValue::Text(_) | NamedValue::Ints(_) | NamedValue::Flag(_) => None,
        }
    }

    /// As the interface has it; it points into the name and the value.
    pub(crate) fn lent(name: &str, value: &NamedValue) -> abi::NamedValue {
        let (kind, read, value_size) = match value {
            NamedValue::Text(text) => {
                (abi::NamedKind::STRING, abi::Named { string: text.as_ptr().cast() }, text.len())
            }
            NamedValue::Int(int64) => (abi::NamedKind::INT64, abi::Named { int64: *int64 }, 1),
            NamedValue::Ints(list) => {
                (abi::NamedKind::INT64_LIST, abi::Named { list: list.as_ptr() }, list.len())
            }
            NamedValue::Float(float) => (abi::NamedKind::FLOAT, abi::Named { float: *float }, 1),
            NamedValue::Flag(flag) => (abi::NamedKind::BOOL, abi::Named { flag: u8::from(*flag) }, 1),
        };
        abi::NamedValue {
            name: name.as_ptr().cast(),
            name_size: name.len(),
            kind,
            value: read,
            value_size,
            ..abi::NamedValue::EMPTY
        }
    }

    /// All options of a call, each pointing into these.
    pub(crate) fn all_lent(options: &[(String, NamedValue)]) -> Vec<abi::NamedValue> {
        options.iter().map(|(name, value)| NamedValue::lent(name, value)).collect()
    }

    /// Read `NAME=VALUE`: a whole number, one with a point, `true` or `false`, whole numbers with commas (`0,` is a
    /// list of one), else a text. Plugins want each option in the kind that they know it by.
    pub fn parse(text: &str) -> Option<(String, NamedValue)> {
        let (name, value) = text.split_once('=').filter(|(name, _)| !name.is_empty())?;
        let list = value.strip_suffix(',').unwrap_or(value);
        let ints = list.split(',').map(|part| part.trim().parse().ok()).collect::<Option<Vec<i64>>>();
        let float = value.parse().ok().filter(|float: &f32| value.contains('.') && float.is_finite());
        let read = match (value.parse(), ints, float) {
            (Ok(int), _, _) => NamedValue::Int(int),
            (Err(_), Some(ints), _) => NamedValue::Ints(ints),
            (Err(_), None, Some(float)) => NamedValue::Float(float),
            (Err(_), None, None) if value == "true" || value == "false" => NamedValue::Flag(value == "true"),
            (Err(_), None, None) => NamedValue::Text(value.into()),
        };
        Some((name.into(), read))
    }
}

impl fmt::Display for NamedValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NamedValue::Text(text) => f.write_str(text),
            NamedValue::Int(value) => write!(f, "{value}"),
            NamedValue::Ints(values) => {
                f.write_str(&values.iter().map(i64::to_string).collect::<Vec<_>>().join(","))
            }
            NamedValue::Float(value) => write!(f, "{value}"),
            NamedValue::Flag(value) => write!(f, "{value}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_read_as_what_they_look_like() {
        let read = |text: &str| NamedValue::parse(text).map(|(_, value)| value);
        assert_eq!(read("n=3"), Some(NamedValue::Int(3)));
        assert_eq!(read("bounds=2,2,1"), Some(NamedValue::Ints(vec![2, 2, 1])));
        assert_eq!(read("visible_devices=0,"), Some(NamedValue::Ints(vec![0])));
        assert_eq!(read("memory_fraction=0.5"), Some(NamedValue::Float(0.5)));
        assert_eq!(read("version=1.2.3"), Some(NamedValue::Text("1.2.3".into())));
        assert_eq!(read("fast=true"), Some(NamedValue::Flag(true)));
        assert_eq!(read("kind=v4=x"), Some(NamedValue::Text("v4=x".into())));
        assert_eq!((read("kind"), read("=3")), (None, None));
    }

    #[test]
    fn what_is_lent_reads_back() {
        let options = [
            ("a".to_string(), NamedValue::Text("x".into())),
            ("b".to_string(), NamedValue::Ints(vec![1, -2])),
            ("c".to_string(), NamedValue::Float(0.5)),
            ("d".to_string(), NamedValue::Flag(true)),
            ("e".to_string(), NamedValue::Int(-7)),
        ];
        let lent = NamedValue::all_lent(&options);
        // SAFETY: they point into `options`, which is alive.
        let read = unsafe { crate::call::named_values(lent.as_ptr(), lent.len()) };
        assert_eq!(read, options);
    }
}
