//! Axes as text, which HLO's named form and Shardy write alike but for the quotes: `{"x":(1)2, "y", ?}p1`.

use crate::cursor::Cursor;
use crate::mesh::{Axis, AxisRef, Mesh};
use crate::sharding::{DimSharding, Reducer};
use crate::{codes, verify};
use meshwright_base::Diagnostic;
use meshwright_base::visible::is_misleading;
use std::fmt::{self, Write};

/// How names are written.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Quote {
    /// `'x'`, as HLO.
    Single,
    /// `"x"` with MLIR's escapes, as Shardy.
    Double,
}

/// A name in single or double quotes, or bare. Inside a string attribute the double quote arrives as `\22`.
pub(crate) fn name(cursor: &mut Cursor) -> Result<String, Diagnostic> {
    if cursor.eat("'") {
        return Ok(cursor.until_quote("'")?.to_string());
    }
    if cursor.eat("\\22") {
        return Ok(cursor.until_quote("\\22")?.to_string());
    }
    if cursor.eat("\"") {
        return double_quoted(cursor);
    }
    let word = cursor.word();
    if word.is_empty() { Err(cursor.expected("a name")) } else { Ok(word.to_string()) }
}

/// What follows the `@` of a symbol: a string, or letters, digits, `_`, `$`, `.` and `-`.
pub(crate) fn symbol(cursor: &mut Cursor) -> Result<String, Diagnostic> {
    if cursor.rest().starts_with(['"', '\\']) {
        return name(cursor);
    }
    let length = cursor.rest().find(|c| !plain_in_symbol(c)).unwrap_or(cursor.rest().len());
    if length == 0 { Err(cursor.expected("a name")) } else { Ok(cursor.take(length).to_string()) }
}

fn plain_in_symbol(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '$' | '.' | '-')
}

/// A name as it stands after `@`.
pub(crate) fn write_symbol(out: &mut impl Write, name: &str) -> fmt::Result {
    let plain =
        name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') && name.chars().all(plain_in_symbol);
    if plain { out.write_str(name) } else { write_name(out, name, Quote::Double) }
}

/// The rest of a string with MLIR's escapes, from after its opening quote.
fn double_quoted(cursor: &mut Cursor) -> Result<String, Diagnostic> {
    let mut bytes = Vec::new();
    loop {
        let part = cursor.until_quote("\"")?;
        let (decoded, open) = unescape(part);
        bytes.extend(decoded);
        if !open {
            break;
        }
        bytes.push(b'"');
    }
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Bytes an escaped text stands for, and whether it ends in a lone `\`.
fn unescape(text: &str) -> (Vec<u8>, bool) {
    let mut out = Vec::new();
    let mut bytes = text.bytes().peekable();
    while let Some(byte) = bytes.next() {
        if byte != b'\\' {
            out.push(byte);
            continue;
        }
        let hex = |byte: u8| (byte as char).to_digit(16).map(|digit| digit as u8);
        match bytes.next() {
            None => return (out, true),
            Some(b'n') => out.push(b'\n'),
            Some(b't') => out.push(b'\t'),
            Some(high) => match (hex(high), bytes.peek().copied().and_then(hex)) {
                (Some(high), Some(low)) => {
                    bytes.next();
                    out.push(high * 16 + low);
                }
                _ => out.push(high),
            },
        }
    }
    (out, false)
}

/// `'a'=8,'b'=4]`: the axes of a mesh, up to and with the bracket.
pub(crate) fn mesh_axes(cursor: &mut Cursor) -> Result<Vec<(String, i64)>, Diagnostic> {
    cursor.list_until("]", |cursor| {
        let name = name(cursor)?;
        cursor.expect("=")?;
        Ok((name, cursor.integer()?))
    })
}

/// `"x"` or `"x":(1)2`.
fn axis(cursor: &mut Cursor, mesh: &Mesh) -> Result<AxisRef, Diagnostic> {
    cursor.peek();
    let start = cursor.at();
    let name = name(cursor)?;
    let Some(axis) = mesh.axis(&name) else {
        let message = format!("mesh `{}` has no axis `{name}`", mesh.name);
        let span = cursor.span(start, cursor.at());
        return Err(Diagnostic::error(codes::UNKNOWN_AXIS, message).at(span).help(verify::axes_help(mesh)));
    };
    if !cursor.eat(":") {
        return Ok(mesh.whole(axis));
    }
    cursor.expect("(")?;
    let pre = cursor.integer()?;
    cursor.expect(")")?;
    let piece = AxisRef { axis, pre, size: cursor.integer()? };
    match verify::check_piece(mesh, piece) {
        None => Ok(piece),
        Some(wrong) => Err(wrong.at(cursor.span(start, cursor.at()))),
    }
}

/// `{"x", "y":(1)2}`.
pub(crate) fn axes(cursor: &mut Cursor, mesh: &Mesh) -> Result<Vec<AxisRef>, Diagnostic> {
    cursor.expect("{")?;
    cursor.list_until("}", |cursor| axis(cursor, mesh))
}

/// `{"x", ?}p1`.
pub(crate) fn dim(cursor: &mut Cursor, mesh: &Mesh) -> Result<DimSharding, Diagnostic> {
    cursor.expect("{")?;
    let mut dim = DimSharding::default();
    while !cursor.eat("}") {
        if dim.open {
            return Err(cursor.expected("`}` after `?`"));
        }
        if !dim.axes.is_empty() && !cursor.eat(",") {
            return Err(cursor.expected("`,` or `}`"));
        }
        if cursor.eat("?") {
            dim.open = true;
        } else {
            dim.axes.push(axis(cursor, mesh)?);
        }
    }
    dim.priority = priority(cursor)?;
    Ok(dim)
}

fn priority(cursor: &mut Cursor) -> Result<Option<u32>, Diagnostic> {
    let digits =
        cursor.rest().strip_prefix('p').filter(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    if digits.is_none() {
        return Ok(None);
    }
    let start = cursor.at();
    cursor.eat("p");
    let number = cursor.integer()?;
    let priority = u32::try_from(number);
    priority.map(Some).map_err(|_| cursor.error_at(start, format!("priority {number} is too large")))
}

/// `max{"w"}`, with the reducer left out for a sum; a reducer alone speaks of all axes.
pub(crate) fn partial(cursor: &mut Cursor, mesh: &Mesh) -> Result<(Reducer, Vec<AxisRef>), Diagnostic> {
    cursor.peek();
    let start = cursor.at();
    let word = cursor.word();
    if word.is_empty() {
        return Ok((Reducer::Sum, axes(cursor, mesh)?));
    }
    let reducer = reducer(word).ok_or_else(|| {
        cursor
            .error_at(start, format!("`{word}` is no reducer"))
            .help("write `sum`, `max`, `min`, `product`, `and`, `or` or `xor`, or nothing for a sum")
    })?;
    let listed = cursor.peek() == Some(b'{');
    Ok((reducer, if listed { axes(cursor, mesh)? } else { mesh.whole_axes() }))
}

const REDUCERS: [(Reducer, &str); 7] = [
    (Reducer::Sum, "sum"),
    (Reducer::Product, "product"),
    (Reducer::Min, "min"),
    (Reducer::Max, "max"),
    (Reducer::And, "and"),
    (Reducer::Or, "or"),
    (Reducer::Xor, "xor"),
];

fn reducer(word: &str) -> Option<Reducer> {
    REDUCERS.iter().find(|(_, name)| *name == word).map(|(reducer, _)| *reducer)
}

/// The reducer as it stands before partial axes: nothing for a sum.
pub(crate) fn reducer_prefix(reducer: Reducer) -> &'static str {
    let named = REDUCERS.iter().find(|(known, _)| *known == reducer);
    named.filter(|(reducer, _)| *reducer != Reducer::Sum).map_or("", |(_, name)| name)
}

/// `'a'=8`.
pub(crate) fn write_mesh_axis(out: &mut impl Write, axis: &Axis, quote: Quote) -> fmt::Result {
    write_name(out, &axis.name, quote)?;
    write!(out, "={}", axis.size)
}

fn write_name(out: &mut impl Write, name: &str, quote: Quote) -> fmt::Result {
    if quote == Quote::Single {
        return write!(out, "'{name}'");
    }
    out.write_char('"')?;
    for c in name.chars() {
        match c {
            '\\' => out.write_str("\\\\")?,
            '"' => out.write_str("\\22")?,
            c if c.is_control() || is_misleading(c) => {
                c.encode_utf8(&mut [0; 4]).bytes().try_for_each(|byte| write!(out, "\\{byte:02X}"))?;
            }
            c => out.write_char(c)?,
        }
    }
    out.write_char('"')
}

fn write_axis(out: &mut impl Write, mesh: &Mesh, axis: AxisRef, quote: Quote) -> fmt::Result {
    write_name(out, &mesh.axes[axis.axis].name, quote)?;
    if axis == mesh.whole(axis.axis) { Ok(()) } else { write!(out, ":({}){}", axis.pre, axis.size) }
}

fn write_axis_items(out: &mut impl Write, mesh: &Mesh, axes: &[AxisRef], quote: Quote) -> fmt::Result {
    for (index, axis) in axes.iter().enumerate() {
        out.write_str(if index == 0 { "" } else { ", " })?;
        write_axis(out, mesh, *axis, quote)?;
    }
    Ok(())
}

/// `{"x", "y":(1)2}`.
pub(crate) fn write_axes(out: &mut impl Write, mesh: &Mesh, axes: &[AxisRef], quote: Quote) -> fmt::Result {
    out.write_char('{')?;
    write_axis_items(out, mesh, axes, quote)?;
    out.write_char('}')
}

/// `[{"x", ?}, {}p1]`.
pub(crate) fn write_dims(
    out: &mut impl Write,
    mesh: &Mesh,
    dims: &[DimSharding],
    quote: Quote,
) -> fmt::Result {
    out.write_char('[')?;
    for (index, dim) in dims.iter().enumerate() {
        out.write_str(if index == 0 { "{" } else { ", {" })?;
        write_axis_items(out, mesh, &dim.axes, quote)?;
        out.write_str(match (dim.open, dim.axes.is_empty()) {
            (false, _) => "}",
            (true, true) => "?}",
            (true, false) => ", ?}",
        })?;
        if let Some(priority) = dim.priority {
            write!(out, "p{priority}")?;
        }
    }
    out.write_char(']')
}
