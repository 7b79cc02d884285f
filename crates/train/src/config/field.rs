//! What a field of the configuration can hold, and the one macro that declares sections.
//!
//! A section is written once, with its documentation and defaults; the struct, its `Default`, reading by name, writing
//! and the reference table all come from there, so none of them can lag behind.

use super::bound::Bound;
use toml::de::DeValue;

/// A type a field can have.
pub trait Value: Sized {
    /// Completes "expected ..".
    fn expected() -> String;
    /// `None` if the text holds something else.
    fn read(value: &DeValue<'_>) -> Option<Self>;
    /// As it stands in TOML.
    fn write(&self) -> String;
}

/// What the reference says of one field.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FieldInfo {
    pub name: &'static str,
    pub expected: String,
    pub default: String,
    pub doc: String,
    pub bound: Bound,
}

/// A table of the configuration.
pub trait Section: Default {
    fn fields() -> Vec<FieldInfo>;
    /// Sets one field. The outer `None` says there is no such field, the error what it should hold.
    fn set(&mut self, field: &str, value: &DeValue<'_>) -> Option<Result<(), String>>;
    /// Every field with its value, in the order of declaration.
    fn values(&self) -> Vec<(&'static str, String)>;
}

/// Declares a section: `name: type = default => bound`, each with a doc comment.
macro_rules! section {
    ($(#[$about:meta])* $name:ident { $($(#[doc = $doc:literal])* $field:ident: $type:ty = $default:expr => $bound:ident,)* }) => {
        $(#[$about])*
        #[derive(Clone, PartialEq, Debug)]
        pub struct $name { $($(#[doc = $doc])* pub $field: $type,)* }

        impl Default for $name {
            fn default() -> Self {
                $name { $($field: $default.into(),)* }
            }
        }

        impl $crate::config::field::Section for $name {
            fn fields() -> Vec<$crate::config::field::FieldInfo> {
                let default = $name::default();
                vec![$($crate::config::field::FieldInfo {
                    name: stringify!($field),
                    expected: <$type as $crate::config::field::Value>::expected(),
                    default: $crate::config::field::Value::write(&default.$field),
                    doc: [$($doc),*].map(str::trim).join(" "),
                    bound: $crate::config::bound::Bound::$bound,
                },)*]
            }

            fn set(&mut self, field: &str, value: &toml::de::DeValue<'_>) -> Option<Result<(), String>> {
                match field {
                    $(stringify!($field) => Some(
                        <$type as $crate::config::field::Value>::read(value)
                            .map(|value| self.$field = value)
                            .ok_or_else(<$type as $crate::config::field::Value>::expected)
                    ),)*
                    _ => None,
                }
            }

            fn values(&self) -> Vec<(&'static str, String)> {
                vec![$((stringify!($field), $crate::config::field::Value::write(&self.$field)),)*]
            }
        }
    };
}

/// Declares an enum whose variants are written as words.
macro_rules! choice {
    ($(#[$about:meta])* $name:ident { $($(#[$doc:meta])* $variant:ident = $word:literal,)* }) => {
        $(#[$about])*
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub enum $name { $($(#[$doc])* $variant,)* }

        impl $name {
            pub const WORDS: &'static [&'static str] = &[$($word),*];

            pub fn word(self) -> &'static str {
                match self { $($name::$variant => $word,)* }
            }
        }

        impl $crate::config::field::Value for $name {
            fn expected() -> String {
                format!("one of {}", Self::WORDS.iter().map(|word| format!("\"{word}\"")).collect::<Vec<_>>().join(", "))
            }

            fn read(value: &toml::de::DeValue<'_>) -> Option<Self> {
                match value.as_str()? { $($word => Some($name::$variant),)* _ => None }
            }

            fn write(&self) -> String {
                format!("\"{}\"", self.word())
            }
        }
    };
}

pub(crate) use {choice, section};

/// An integer as TOML writes it: separators and other radices included.
fn integer(value: &DeValue<'_>) -> Option<u64> {
    let found = value.as_integer()?;
    u64::from_str_radix(found.as_str(), found.radix()).ok()
}

impl Value for u64 {
    fn expected() -> String {
        "a whole number, zero or more".into()
    }

    fn read(value: &DeValue<'_>) -> Option<Self> {
        integer(value)
    }

    fn write(&self) -> String {
        self.to_string()
    }
}

impl Value for usize {
    fn expected() -> String {
        u64::expected()
    }

    fn read(value: &DeValue<'_>) -> Option<Self> {
        integer(value)?.try_into().ok()
    }

    fn write(&self) -> String {
        self.to_string()
    }
}

impl Value for f64 {
    fn expected() -> String {
        "a finite number".into()
    }

    fn read(value: &DeValue<'_>) -> Option<Self> {
        let number = match value {
            DeValue::Float(found) => found.as_str().parse::<f64>().ok(),
            _ => value.as_integer().and_then(|found| found.as_str().parse::<f64>().ok()),
        };
        number.filter(|number| number.is_finite())
    }

    fn write(&self) -> String {
        format!("{self:?}")
    }
}

impl Value for bool {
    fn expected() -> String {
        "true or false".into()
    }

    fn read(value: &DeValue<'_>) -> Option<Self> {
        value.as_bool()
    }

    fn write(&self) -> String {
        self.to_string()
    }
}

impl Value for String {
    fn expected() -> String {
        "a text in quotes".into()
    }

    fn read(value: &DeValue<'_>) -> Option<Self> {
        value.as_str().map(str::to_string)
    }

    fn write(&self) -> String {
        quoted(self)
    }
}

impl Value for Vec<String> {
    fn expected() -> String {
        "a list of texts, such as [\"a\", \"b\"]".into()
    }

    fn read(value: &DeValue<'_>) -> Option<Self> {
        let items = value.as_array()?;
        items.iter().map(|item| item.get_ref().as_str().map(str::to_string)).collect()
    }

    fn write(&self) -> String {
        format!("[{}]", self.iter().map(|item| quoted(item)).collect::<Vec<_>>().join(", "))
    }
}

/// Axes with sizes, major first: `"data=2,expert=4"`. The order is the order of devices.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Axes(pub Vec<(String, usize)>);

impl Axes {
    pub fn devices(&self) -> usize {
        self.0.iter().fold(1, |all, (_, size)| all.saturating_mul(*size))
    }

    pub fn size(&self, axis: &str) -> Option<usize> {
        self.0.iter().find(|(name, _)| name == axis).map(|(_, size)| *size)
    }

    /// `None` unless the text is a list of distinct `name=size` with sizes of one or more, or empty.
    pub fn parse(text: &str) -> Option<Self> {
        let parts = text.split(',').map(str::trim).filter(|part| !part.is_empty());
        let axes: Vec<(String, usize)> = parts.map(axis).collect::<Option<_>>()?;
        let distinct =
            axes.iter().enumerate().all(|(at, (name, _))| axes[..at].iter().all(|seen| seen.0 != *name));
        distinct.then_some(Axes(axes))
    }
}

fn axis(part: &str) -> Option<(String, usize)> {
    let (name, size) = part.split_once('=')?;
    let (name, size) = (name.trim(), size.trim().parse().ok().filter(|size| *size > 0)?);
    let is_name = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    is_name.then(|| (name.to_string(), size))
}

impl Value for Axes {
    fn expected() -> String {
        "distinct axes with sizes of 1 or more, such as \"data=2,expert=4\"".into()
    }

    fn read(value: &DeValue<'_>) -> Option<Self> {
        Axes::parse(value.as_str()?)
    }

    fn write(&self) -> String {
        quoted(&self.0.iter().map(|(name, size)| format!("{name}={size}")).collect::<Vec<_>>().join(","))
    }
}

/// Sizes of an image or a volume: `"24x24x24"`.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Sizes(pub Vec<usize>);

impl std::fmt::Display for Sizes {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0.iter().map(ToString::to_string).collect::<Vec<_>>().join("x"))
    }
}

impl Value for Sizes {
    fn expected() -> String {
        "sizes of 1 or more with an x between them, such as \"24x24x24\"".into()
    }

    fn read(value: &DeValue<'_>) -> Option<Self> {
        let one = |size: &str| size.trim().parse().ok().filter(|size| *size > 0);
        let text = value.as_str()?;
        if text.is_empty() {
            return Some(Sizes::default());
        }
        text.split('x').map(one).collect::<Option<_>>().map(Sizes)
    }

    fn write(&self) -> String {
        quoted(&self.to_string())
    }
}

/// A TOML basic string.
pub fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            c if c.is_control() => out.push_str(&format!("\\u{:04X}", u32::from(c))),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}
