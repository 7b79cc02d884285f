//! Attributes as small trees: what stands between text and the families' own fields.
//!
//! Pretty and generic forms fill the same named trees, so an attribute's meaning is stated once, in its family. A
//! dialect's attribute (`#stablehlo.gather<..>`) is kept as a place in the text and read by whoever knows it.

use super::dense::write_dense;
use super::lexer::{Kind, Token, lex};
use super::parser::{Failed, Parsed, Parser, clip};
use super::types::write_tensor_type;
use crate::{codes, float};
use meshwright_base::Span;
use meshwright_ir::{DType, Literal, TensorType};
use std::borrow::Cow;
use std::fmt::Write;
use std::sync::Arc;

/// Text of the source, or made for writing.
pub type Text<'a> = Cow<'a, str>;

#[derive(Clone, Debug)]
pub enum Tree<'a> {
    Unit,
    Bool(bool),
    /// A number and its type: `3 : i64`. An empty type is not written.
    Int(i64, Text<'a>),
    /// Bytes of one element.
    Float(Vec<u8>, DType),
    Str(Text<'a>),
    /// `@f`, without the sign.
    Symbol(Text<'a>),
    Array(Vec<Tree<'a>>),
    Dict(Vec<Prop<'a>>),
    /// `array<i64: 1, 2>`.
    Ints(Vec<i64>),
    /// `array<i1: true, false>`.
    Bools(Vec<bool>),
    Dense(Literal),
    /// `#stablehlo<precision DEFAULT>`: kind and case.
    Enum(Text<'a>, Text<'a>),
    /// `#stablehlo.gather<..>`: the name, and where its body starts.
    Dialect {
        name: &'a str,
        body: usize,
    },
    Tensor(TensorType),
    /// Anything else, verbatim.
    Raw(Text<'a>),
}

/// A named attribute.
#[derive(Clone, Debug)]
pub struct Prop<'a> {
    pub name: Text<'a>,
    pub tree: Tree<'a>,
    /// Of the value.
    pub at: Span,
}

impl<'a> Prop<'a> {
    /// For writing, where places do not matter.
    pub fn made(name: &'static str, tree: Tree<'a>) -> Self {
        Prop { name: Cow::Borrowed(name), tree, at: Span::default() }
    }
}

impl<'a> Parser<'a> {
    /// `{a = 1, b}`.
    pub fn dict(&mut self) -> Parsed<Vec<Prop<'a>>> {
        let mut props = Vec::new();
        self.list(b'{', b'}', |p| {
            props.push(p.prop()?);
            Ok(())
        })?;
        Ok(props)
    }

    /// `name = value`, or a bare `name`.
    pub fn prop(&mut self) -> Parsed<Prop<'a>> {
        let token = self.peek();
        let name = match token.kind {
            Kind::Word => Cow::Borrowed(self.str(token)),
            Kind::Str => self.unquote(token.start, token.end),
            _ => return Err(self.expected("an attribute name")),
        };
        self.bump();
        if !self.eat(b'=') {
            return Ok(Prop { name, tree: Tree::Unit, at: token.span() });
        }
        let start = self.peek().start;
        let tree = self.tree()?;
        Ok(Prop { name, tree, at: Span::new(start, self.last_end()) })
    }

    /// Any attribute.
    pub fn tree(&mut self) -> Parsed<Tree<'a>> {
        self.nested(Self::tree_here)
    }

    fn tree_here(&mut self) -> Parsed<Tree<'a>> {
        let token = self.peek();
        match token.kind {
            Kind::Str => {
                self.bump();
                Ok(Tree::Str(self.unquote(token.start, token.end)))
            }
            Kind::Int | Kind::Float | Kind::Mark(b'-') => self.number_tree(),
            Kind::Symbol => self.symbol_tree(),
            Kind::Mark(b'[') => self.array_tree(),
            Kind::Mark(b'{') => Ok(Tree::Dict(self.dict()?)),
            Kind::Hash => self.hash_tree(),
            Kind::Word => self.word_tree(),
            Kind::Bang | Kind::Mark(b'(') => self.raw_type(),
            _ => Err(self.expected("an attribute value")),
        }
    }

    fn array_tree(&mut self) -> Parsed<Tree<'a>> {
        let mut items = Vec::new();
        self.list(b'[', b']', |p| {
            items.push(p.tree()?);
            Ok(())
        })?;
        Ok(Tree::Array(items))
    }

    fn symbol_tree(&mut self) -> Parsed<Tree<'a>> {
        let token = self.bump();
        if self.at_mark(b':') && self.slice(token.end, token.end + 2) == "::" {
            let message = "nested symbols are not supported";
            let help = "name a function of this module, as `@f`";
            return Err(self.fail_help(codes::UNSUPPORTED, token.span(), message, help));
        }
        Ok(Tree::Symbol(self.symbol_name(token.start, token.end)))
    }

    /// Name of a symbol token, without sign and quotes.
    pub fn symbol_name(&self, start: usize, end: usize) -> Text<'a> {
        match self.slice(start + 1, end) {
            quoted if quoted.starts_with('"') => self.unquote(start + 1, end),
            plain => Cow::Borrowed(plain),
        }
    }

    /// Contents of a string token.
    pub fn unquote(&self, start: usize, end: usize) -> Text<'a> {
        let inner = self.slice(start + 1, end.saturating_sub(1).max(start + 1));
        if inner.contains('\\') { Cow::Owned(unescape(inner)) } else { Cow::Borrowed(inner) }
    }

    /// A string token.
    pub fn string(&mut self) -> Parsed<Text<'a>> {
        let token = self.expect_kind(Kind::Str, "a string")?;
        Ok(self.unquote(token.start, token.end))
    }

    fn number_tree(&mut self) -> Parsed<Tree<'a>> {
        let start = self.peek().start;
        let negative = self.eat(b'-');
        let token = self.peek();
        if !matches!(token.kind, Kind::Int | Kind::Float) {
            return Err(self.expected("a number"));
        }
        self.bump();
        let digits = self.str(token);
        let ty = if self.eat(b':') { self.number_type()? } else { "" };
        let text = self.slice(start, token.end);
        let dtype = DType::from_mlir(if ty.is_empty() { "f64" } else { ty });
        let is_float = token.kind == Kind::Float || (!ty.is_empty() && dtype.is_some_and(DType::is_float));
        let bad = |p: &mut Self| {
            let message = if ty.is_empty() {
                format!("`{}` does not fit 64 bits", clip(text))
            } else {
                format!("`{}` is not a number of type `{ty}`", clip(text))
            };
            p.fail(codes::BAD_LITERAL, Span::new(start, token.end), message)
        };
        if is_float {
            let dtype = dtype.filter(|dtype| dtype.is_float()).ok_or_else(|| bad(self))?;
            let mut bytes = Vec::new();
            let read = super::dense::push_scalar(text, dtype, &mut bytes);
            return if read { Ok(Tree::Float(bytes, dtype)) } else { Err(bad(self)) };
        }
        let value = match digits.strip_prefix("0x") {
            Some(hex) => u64::from_str_radix(hex, 16).ok().map(|bits| bits as i64),
            None => self.slice(token.start, token.end).parse::<i64>().ok(),
        };
        match value {
            Some(value) => {
                Ok(Tree::Int(if negative { value.wrapping_neg() } else { value }, Cow::Borrowed(ty)))
            }
            None if digits.parse::<u64>().is_ok() => {
                Ok(Tree::Raw(Cow::Borrowed(self.slice(start, self.last_end()))))
            }
            None => Err(bad(self)),
        }
    }

    fn number_type(&mut self) -> Parsed<&'a str> {
        let token = self.expect_kind(Kind::Word, "a type")?;
        Ok(self.str(token))
    }

    fn word_tree(&mut self) -> Parsed<Tree<'a>> {
        let token = self.peek();
        match self.str(token) {
            "true" | "false" => {
                self.bump();
                Ok(Tree::Bool(self.str(token) == "true"))
            }
            "unit" => {
                self.bump();
                Ok(Tree::Unit)
            }
            "dense" => self.dense_tree(),
            "array" => self.array_of(),
            "tensor" => Ok(Tree::Tensor(self.tensor_ty()?)),
            word if word.starts_with("dense_resource") => {
                let message =
                    "resource literals are not supported: their data is outside of the module's text";
                let help = "print the module with large constants inline";
                Err(self.fail_help(codes::UNSUPPORTED, token.span(), message, help))
            }
            _ => self.raw_word(),
        }
    }

    /// `dense<..>` of a tensor; of `vector` or `index` elements it is kept verbatim.
    fn dense_tree(&mut self) -> Parsed<Tree<'a>> {
        let start = self.peek().start;
        let rest = self.text.get(start..).unwrap_or("");
        let element =
            rest.find('>').and_then(|close| rest.get(close + 1..)).map(str::trim_start).unwrap_or("");
        let head = element.get(..element.find('>').unwrap_or(0)).unwrap_or("");
        if !head.ends_with("index") {
            return Ok(Tree::Dense(self.dense()?));
        }
        let end = self.text.len() - element.len() + head.len() + 1;
        self.jump(end);
        Ok(Tree::Raw(Cow::Borrowed(self.slice(start, end))))
    }

    /// `array<i64: 1, 2>`, `array<i1: true>`.
    fn array_of(&mut self) -> Parsed<Tree<'a>> {
        let start = self.bump().start;
        self.expect(b'<')?;
        let element = self.expect_kind(Kind::Word, "an element type")?;
        let element = self.str(element);
        if !matches!(element, "i64" | "i1") {
            return self.raw_until_close(start);
        }
        let mut items = Vec::new();
        if self.eat(b':') {
            self.items(|p| {
                items.push(p.tree()?);
                Ok(())
            })?;
        }
        self.expect(b'>')?;
        let at = Span::new(start, self.last_end());
        if element == "i1" {
            let bools = items.iter().map(Tree::as_bool).collect::<Option<_>>();
            return bools.map(Tree::Bools).ok_or_else(|| self.bad_items(at));
        }
        let ints = items.iter().map(Tree::as_int).collect::<Option<_>>();
        ints.map(Tree::Ints).ok_or_else(|| self.bad_items(at))
    }

    fn bad_items(&mut self, at: Span) -> Failed {
        self.fail(codes::BAD_ATTRIBUTE, at, "the items are not of the array's element type")
    }

    /// `#stablehlo<kind CASE>`, `#dialect.name<..>`, `#dialect.name`, `#alias`.
    fn hash_tree(&mut self) -> Parsed<Tree<'a>> {
        let token = self.bump();
        let name = self.str(token);
        if let Some(at) = self.aliases.get(name).copied() {
            return self.alias_tree(at, token);
        }
        let name = name.strip_prefix('#').unwrap_or(name);
        let open = self.peek();
        if !open.is(b'<') || open.start != token.end {
            if name.contains('.') {
                return Ok(Tree::Raw(Cow::Borrowed(self.str(token))));
            }
            let message = format!("attribute alias `#{}` is not defined above", clip(name));
            let help = format!("define it above the module: `#{name} = ..`");
            return Err(self.fail_help(codes::UNDEFINED, token.span(), message, help));
        }
        self.skip_angles()?;
        let kind = lex(self.text, open.end);
        let case = lex(self.text, kind.end);
        if kind.kind == Kind::Word && case.kind == Kind::Word && case.end + 1 == self.last_end() {
            return Ok(Tree::Enum(Cow::Borrowed(self.str(kind)), Cow::Borrowed(self.str(case))));
        }
        Ok(Tree::Dialect { name, body: open.end })
    }

    /// What an alias stands for.
    fn alias_tree(&mut self, at: usize, token: Token) -> Parsed<Tree<'a>> {
        self.check_expansion(token)?;
        self.elsewhere(at, |p| {
            let tree = p.tree()?;
            p.expanded += p.last_end() - at;
            Ok(tree)
        })
    }

    /// Aliases of aliases could make a short text endless.
    fn check_expansion(&mut self, token: Token) -> Parsed<()> {
        let limit = self.text.len().saturating_mul(EXPANSION).saturating_add(1 << 16);
        if self.expanded <= limit {
            return Ok(());
        }
        let message = format!("aliases of attributes stand for more than {limit} bytes");
        Err(self.fail_help(codes::TOO_DEEP, token.span(), message, "write what this one stands for here"))
    }

    /// The text of an attribute, with what its aliases stand for in their place.
    pub fn verbatim(&mut self, start: usize, end: usize) -> Parsed<Arc<str>> {
        let mut out = String::new();
        let mut copied = start;
        let mut token = lex(self.text, start);
        while token.start < end && token.kind != Kind::End {
            if let Some(at) = self.alias_at(token) {
                self.check_expansion(token)?;
                out.push_str(self.slice(copied, token.start));
                let text = self.elsewhere(at, |p| {
                    p.tree()?;
                    p.verbatim(at, p.last_end())
                })?;
                self.expanded += text.len();
                out.push_str(&text);
                copied = token.end;
            }
            token = lex(self.text, token.end);
        }
        out.push_str(self.slice(copied, end));
        Ok(out.into())
    }

    fn alias_at(&self, token: Token) -> Option<usize> {
        if token.kind == Kind::Hash { self.aliases.get(self.str(token)).copied() } else { None }
    }

    /// From `<` to behind its `>`.
    pub fn skip_angles(&mut self) -> Parsed<()> {
        let open = self.peek();
        let mut level = 0usize;
        loop {
            match self.peek().kind {
                Kind::Mark(b'<') => level += 1,
                Kind::Mark(b'>') => level -= 1,
                Kind::End | Kind::Bad => {
                    let message = "this `<` is never closed";
                    return Err(self.fail_help(codes::SYNTAX, open.span(), message, "add the missing `>`"));
                }
                _ => {}
            }
            self.bump();
            if level == 0 {
                return Ok(());
            }
        }
    }

    fn raw_until_close(&mut self, start: usize) -> Parsed<Tree<'a>> {
        while !self.at_mark(b'>') {
            if matches!(self.peek().kind, Kind::End | Kind::Bad) {
                return Err(self.expected("`>`"));
            }
            self.bump();
        }
        self.bump();
        Ok(Tree::Raw(Cow::Borrowed(self.slice(start, self.last_end()))))
    }

    /// A word that starts something kept verbatim: `i32`, `affine_map<..>`, `tf32`.
    fn raw_word(&mut self) -> Parsed<Tree<'a>> {
        let token = self.bump();
        if self.at_mark(b'<') && self.peek().start == token.end {
            self.skip_angles()?;
        }
        Ok(Tree::Raw(Cow::Borrowed(self.slice(token.start, self.last_end()))))
    }

    /// `!dialect.type<..>` or a function type.
    fn raw_type(&mut self) -> Parsed<Tree<'a>> {
        let start = self.peek().start;
        if self.peek().kind == Kind::Bang {
            self.bump();
            if self.at_mark(b'<') {
                self.skip_angles()?;
            }
        } else {
            self.shape_list()?;
            self.expect_arrow()?;
            self.result_shapes()?;
        }
        Ok(Tree::Raw(Cow::Borrowed(self.slice(start, self.last_end()))))
    }

    /// A number that may be negative.
    pub fn number(&mut self) -> Parsed<i64> {
        let start = self.peek().start;
        let negative = self.eat(b'-');
        let token = self.expect_kind(Kind::Int, "a number")?;
        match self.str(token).parse::<i64>() {
            Ok(value) => Ok(if negative { -value } else { value }),
            Err(_) => {
                let help = format!("numbers are between -{} and {0}", i64::MAX);
                let span = Span::new(start, token.end);
                Err(self.fail_help(codes::BAD_LITERAL, span, "this number is out of range", help))
            }
        }
    }

    /// `[1, 2]`.
    pub fn int_list(&mut self) -> Parsed<Vec<i64>> {
        let mut values = Vec::new();
        self.list(b'[', b']', |p| {
            values.push(p.number()?);
            Ok(())
        })?;
        Ok(values)
    }

    /// `a = 1, b = [2]` up to `>`: the body of a dialect's attribute.
    pub fn fields(&mut self, body: usize) -> Parsed<Vec<Prop<'a>>> {
        self.elsewhere(body, |p| {
            let mut props = Vec::new();
            if !p.at_mark(b'>') {
                p.items(|p| {
                    props.push(p.prop()?);
                    Ok(())
                })?;
            }
            if p.at_mark(b'>') { Ok(props) } else { Err(p.expected("`,` or `>`")) }
        })
    }
}

impl Tree<'_> {
    pub fn as_int(&self) -> Option<i64> {
        match self {
            Tree::Int(value, _) => Some(*value),
            Tree::Bool(value) => Some(i64::from(*value)),
            _ => None,
        }
    }

    pub fn as_bool(&self) -> Option<bool> {
        match self {
            Tree::Unit => Some(true),
            Tree::Bool(value) => Some(*value),
            Tree::Int(value, _) => Some(*value != 0),
            _ => None,
        }
    }

    /// A list of numbers, in whichever way it is written; lists of lists row by row.
    pub fn as_ints(&self) -> Option<Vec<i64>> {
        match self {
            Tree::Ints(values) => Some(values.clone()),
            Tree::Array(items) => items.iter().map(Tree::as_int).collect(),
            Tree::Dense(literal) if literal.ty().elements() <= INTS_LIMIT => literal.to_ints(),
            // Arrays of other widths than 64 are kept as they are written.
            Tree::Raw(text) => {
                let items = text.strip_prefix("array<i32:")?.strip_suffix('>')?;
                items.split(',').map(|item| item.trim().parse().ok()).collect()
            }
            _ => None,
        }
    }

    pub fn as_str(&self) -> Option<&str> {
        match self {
            Tree::Str(text) => Some(text),
            _ => None,
        }
    }

    /// Write as MLIR does.
    pub fn write(&self, out: &mut String) {
        match self {
            Tree::Unit => out.push_str("unit"),
            Tree::Bool(value) => put!(out, "{value}"),
            Tree::Int(value, ty) if ty.is_empty() => put!(out, "{value}"),
            Tree::Int(value, ty) => put!(out, "{value} : {ty}"),
            Tree::Float(bytes, dtype) => {
                float::write_mlir(out, *dtype, bytes);
                put!(out, " : {}", dtype.mlir_name());
            }
            Tree::Str(text) => write_string(out, text),
            Tree::Symbol(name) => write_symbol(out, name),
            Tree::Array(items) => {
                out.push('[');
                separated(out, items, |out, item| item.write(out));
                out.push(']');
            }
            Tree::Dict(props) => write_dict(out, props),
            Tree::Ints(values) => write_array(out, "i64", values),
            Tree::Bools(values) => write_array(out, "i1", values),
            Tree::Dense(literal) => write_dense(out, literal),
            Tree::Enum(kind, case) => put!(out, "#stablehlo<{kind} {case}>"),
            Tree::Dialect { name, .. } => put!(out, "#{name}"),
            Tree::Tensor(ty) => write_tensor_type(out, ty),
            Tree::Raw(text) => out.push_str(text),
        }
    }
}

/// Aliases may stand for so many times the length of the text.
const EXPANSION: usize = 64;

/// Splats of more elements than this are no list of numbers anyone writes; expanding them would cost memory.
const INTS_LIMIT: i64 = 1 << 24;

pub fn separated<T>(out: &mut String, items: &[T], mut write: impl FnMut(&mut String, &T)) {
    for (i, item) in items.iter().enumerate() {
        if i > 0 {
            out.push_str(", ");
        }
        write(out, item);
    }
}

fn write_array<T: std::fmt::Display>(out: &mut String, element: &str, values: &[T]) {
    put!(out, "array<{element}");
    for (i, value) in values.iter().enumerate() {
        put!(out, "{} {value}", if i == 0 { ":" } else { "," });
    }
    out.push('>');
}

/// `{a = 1, b}`, in the order given.
pub fn write_dict(out: &mut String, props: &[Prop<'_>]) {
    out.push('{');
    separated(out, props, |out, prop| {
        write_name(out, &prop.name);
        if !matches!(prop.tree, Tree::Unit) {
            out.push_str(" = ");
            prop.tree.write(out);
        }
    });
    out.push('}');
}

/// An attribute's name, in quotes unless it is a plain word.
fn write_name(out: &mut String, name: &str) {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '$' | '.');
    let starts_well = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    if starts_well && name.chars().all(plain) { out.push_str(name) } else { write_string(out, name) }
}

pub fn write_symbol(out: &mut String, name: &str) {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '$' | '.' | '-');
    let starts_well = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    out.push('@');
    if starts_well && name.chars().all(plain) { out.push_str(name) } else { write_string(out, name) }
}

/// A string in quotes: printable ASCII and whole UTF-8 characters as they are, the rest as `\XX`.
pub fn write_string(out: &mut String, text: &str) {
    out.push('"');
    for byte in text.bytes() {
        match byte {
            b'\\' => out.push_str("\\\\"),
            b'"' => out.push_str("\\22"),
            b' '..=b'~' => out.push(byte as char),
            _ => put!(out, "\\{byte:02X}"),
        }
    }
    out.push('"');
}

/// Resolve `\n`, `\t`, `\\`, `\"` and `\XX`. Bytes that form no UTF-8 become the replacement character.
fn unescape(text: &str) -> String {
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, after @ ..] = rest {
        if *first != b'\\' {
            out.push(*first);
            rest = after;
            continue;
        }
        let (byte, len) = match after {
            [b'n', ..] => (b'\n', 1),
            [b't', ..] => (b'\t', 1),
            [high, low, ..] if high.is_ascii_hexdigit() && low.is_ascii_hexdigit() => {
                let digit = |byte: u8| (byte as char).to_digit(16).unwrap_or(0) as u8;
                (digit(*high) << 4 | digit(*low), 2)
            }
            [other, ..] => (*other, 1),
            [] => (b'\\', 0),
        };
        out.push(byte);
        rest = after.get(len..).unwrap_or(&[]);
    }
    String::from_utf8_lossy(&out).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_round_trip_through_escapes() {
        let mut out = String::new();
        write_string(&mut out, "a\"b\\c\nd\u{e9}");
        assert_eq!(out, r#""a\22b\\c\0Ad\C3\A9""#);
        assert_eq!(unescape(&out[1..out.len() - 1]), "a\"b\\c\nd\u{e9}");
        assert_eq!(unescape("x\\n\\t\\22\\\\"), "x\n\t\"\\");
    }

    #[test]
    fn names_that_are_no_words_are_quoted() {
        let mut out = String::new();
        write_symbol(&mut out, "a b");
        write_name(&mut out, "x-y");
        write_symbol(&mut out, "f.1-2");
        assert_eq!(out, "@\"a b\"\"x-y\"@f.1-2");
    }
}
