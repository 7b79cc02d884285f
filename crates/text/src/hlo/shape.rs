//! Shapes, and the flattening of tuples.
//!
//! HLO's values may be tuples of tuples; ours are single tensors. A shape is read as its *form* (how parentheses nest)
//! beside the list of its leaves in order. An HLO value is then a form and a run of values, one per leaf: an element of
//! a tuple is a part of that run.

use super::lex::{Cursor, Read, fault};
use crate::codes;
use meshwright_base::Span;
use meshwright_base::arrange::Arrange;
use meshwright_ir::{DType, TensorType, Type};
use std::fmt::Write;
use std::rc::Rc;

/// How deep tuples may nest.
const MAX_DEPTH: usize = 64;

/// How the parentheses of a shape nest.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Form {
    Leaf,
    Tuple(Rc<TupleForm>),
}

#[derive(PartialEq, Eq, Debug)]
pub(super) struct TupleForm {
    /// Elements, each with the number of leaves before it.
    items: Vec<(Form, usize)>,
    leaves: usize,
    depth: usize,
}

impl Form {
    pub fn tuple(forms: impl IntoIterator<Item = Form>) -> Form {
        let (mut leaves, mut depth) = (0usize, 0);
        let mut place = |form: Form| {
            let before = leaves;
            leaves = leaves.saturating_add(form.leaves());
            depth = depth.max(form.depth());
            (form, before)
        };
        let items = forms.into_iter().map(&mut place).collect();
        Form::Tuple(Rc::new(TupleForm { items, leaves, depth: depth + 1 }))
    }

    fn depth(&self) -> usize {
        match self {
            Form::Leaf => 0,
            Form::Tuple(tuple) => tuple.depth,
        }
    }

    /// Whether tuples nest deeper than is read: walks over a form recurse.
    pub fn is_too_deep(&self) -> bool {
        self.depth() > MAX_DEPTH
    }

    /// A leaf for one, a flat tuple for any other number.
    pub fn of_count(count: usize) -> Form {
        if count == 1 { Form::Leaf } else { Form::tuple(vec![Form::Leaf; count]) }
    }

    pub fn leaves(&self) -> usize {
        match self {
            Form::Leaf => 1,
            Form::Tuple(tuple) => tuple.leaves,
        }
    }

    /// Element `index` of a tuple, and how many leaves stand before it.
    pub fn item(&self, index: usize) -> Option<(&Form, usize)> {
        match self {
            Form::Leaf => None,
            Form::Tuple(tuple) => tuple.items.get(index).map(|(form, before)| (form, *before)),
        }
    }

    /// Elements of a tuple; none for a leaf.
    pub fn items(&self) -> impl Iterator<Item = (&Form, usize)> {
        let items = match self {
            Form::Leaf => &[][..],
            Form::Tuple(tuple) => &tuple.items,
        };
        items.iter().map(|(form, before)| (form, *before))
    }

    /// The leaf an index path like `{1,0}` leads to; `None` if it leads elsewhere.
    pub fn leaf_at(&self, path: &[i64]) -> Option<usize> {
        let mut form = self;
        let mut leaf = 0;
        for index in path {
            let (item, before) = form.item(usize::try_from(*index).ok()?)?;
            (form, leaf) = (item, leaf + before);
        }
        matches!(form, Form::Leaf).then_some(leaf)
    }

    /// The index path of a leaf.
    pub fn path_to(&self, leaf: usize) -> Vec<usize> {
        let mut path = Vec::new();
        let (mut form, mut leaf) = (self, leaf);
        while let Form::Tuple(tuple) = form {
            let at = tuple.items.iter().rposition(|(item, before)| *before <= leaf && item.leaves() > 0);
            let Some(at) = at else { break };
            path.push(at);
            leaf -= tuple.items[at].1;
            form = &tuple.items[at].0;
        }
        path
    }

    /// The nesting alone, as `(.(..))`.
    pub fn write(&self, out: &mut String) {
        match self {
            Form::Leaf => out.push('.'),
            Form::Tuple(tuple) => {
                out.push('(');
                tuple.items.iter().for_each(|(form, _)| form.write(out));
                out.push(')');
            }
        }
    }

    /// What [`Form::write`] wrote.
    pub fn read(text: &str) -> Option<Form> {
        let mut stack: Vec<Vec<Form>> = vec![Vec::new()];
        for c in text.chars() {
            match c {
                '(' if stack.len() <= MAX_DEPTH => stack.push(Vec::new()),
                ')' => {
                    let items = stack.pop()?;
                    stack.last_mut()?.push(Form::tuple(items));
                }
                '.' => stack.last_mut()?.push(Form::Leaf),
                _ => return None,
            }
        }
        let [form] = <[Form; 1]>::try_from(stack.pop()?).ok()?;
        stack.is_empty().then_some(form)
    }
}

/// One tensor or token of a shape.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Leaf<'t> {
    pub ty: Type,
    /// The layout as written, if it is not the row-major one.
    pub layout: Option<&'t str>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct HloShape<'t> {
    pub form: Form,
    pub leaves: Vec<Leaf<'t>>,
}

impl<'t> HloShape<'t> {
    pub fn read(cursor: &mut Cursor<'t>) -> Read<HloShape<'t>> {
        let mut leaves = Vec::with_capacity(1);
        let form = read_form(cursor, &mut leaves, 0)?;
        Ok(HloShape { form, leaves })
    }

    /// Describes the shape for messages, without layouts.
    pub fn describe(&self) -> String {
        describe_shape(&self.form, self.leaves.iter().map(|leaf| &leaf.ty))
    }

    /// The layouts of all leaves, if any is unusual: `{0,1}`, or `{0,1};;{1,0:T(8)}` for several leaves.
    pub fn layouts(&self) -> Option<String> {
        self.leaves.iter().any(|leaf| leaf.layout.is_some()).then(|| {
            let text: Vec<_> = self.leaves.iter().map(|leaf| leaf.layout.unwrap_or("")).collect();
            text.join(";")
        })
    }
}

/// The message for tuples that nest too deep.
pub(super) fn depth_message() -> String {
    format!("tuples nest deeper than {MAX_DEPTH} levels")
}

fn read_form<'t>(cursor: &mut Cursor<'t>, leaves: &mut Vec<Leaf<'t>>, depth: usize) -> Read<Form> {
    if cursor.peek() != Some(b'(') {
        leaves.push(read_leaf(cursor)?);
        return Ok(Form::Leaf);
    }
    if depth == MAX_DEPTH {
        return Err(fault(codes::TOO_DEEP, cursor.here(), depth_message()));
    }
    cursor.expect(b'(')?;
    let mut items = Vec::new();
    while cursor.peek() != Some(b')') {
        items.push(read_form(cursor, leaves, depth + 1)?);
        if !cursor.eat(b',') {
            break;
        }
    }
    cursor.expect(b')')?;
    Ok(Form::tuple(items))
}

fn read_leaf<'t>(cursor: &mut Cursor<'t>) -> Read<Leaf<'t>> {
    let name = cursor.expect_name("a shape")?;
    cursor.expect(b'[')?;
    let dims = read_dims(cursor)?;
    if name.str == "token" {
        read_layout(cursor, 0)?;
        return Ok(Leaf { ty: Type::Token, layout: None });
    }
    let Some(dtype) = DType::from_hlo(name.str) else {
        let message = format!("element type `{}` is not supported", name.str);
        let types: Vec<_> = DType::all().map(DType::hlo_name).collect();
        let help = format!("supported are {}", types.join(", "));
        return Err(Box::new(fault(codes::UNSUPPORTED, name.span(), message).help(help)));
    };
    let ty = TensorType { dtype, dims };
    if let Some(message) = crate::too_large(&ty) {
        let at = Span::new(name.span().start as usize, cursor.here().start as usize);
        return Err(Box::new(fault(codes::WRONG_TYPE, at, message).help(crate::TOO_LARGE_HELP)));
    }
    let layout = read_layout(cursor, ty.rank())?;
    Ok(Leaf { ty: Type::Tensor(ty), layout })
}

fn read_dims(cursor: &mut Cursor<'_>) -> Read<Vec<i64>> {
    let mut dims = Vec::new();
    while cursor.peek() != Some(b']') {
        if matches!(cursor.peek(), Some(b'<' | b'?')) {
            let message = format!("dim {} has a dynamic size; shapes must be static here", dims.len());
            let help = "lower the module with fixed sizes, or pad it to its bound first";
            return Err(Box::new(fault(codes::UNSUPPORTED, cursor.here(), message).help(help)));
        }
        let here = cursor.here();
        let size = cursor.int()?;
        if size < 0 {
            let message = format!("dim {} has the negative size {size}", dims.len());
            return Err(fault(codes::WRONG_TYPE, here, message));
        }
        dims.push(size);
        if !cursor.eat(b',') {
            break;
        }
    }
    cursor.expect(b']')?;
    Ok(dims)
}

/// A layout, unless it is the row-major one.
fn read_layout<'t>(cursor: &mut Cursor<'t>, rank: usize) -> Read<Option<&'t str>> {
    if cursor.rest().str.as_bytes().first() != Some(&b'{') {
        return Ok(None);
    }
    let text = cursor.brackets()?;
    let inner = text.inside('{', '}').map_or("", |inner| inner.str);
    // After a colon come tiles and memory spaces.
    let (order, rest) = inner.split_once(':').unwrap_or((inner, ""));
    let is_row_major = has_dims(order, (0..rank).rev());
    if inner.is_empty() || is_row_major && rest.is_empty() {
        return Ok(None);
    }
    let mut dims: Vec<&str> = order.split(',').map(str::trim).filter(|dim| !dim.is_empty()).collect();
    dims.arrange_by_key(|dim| dim.parse().unwrap_or(usize::MAX));
    if !has_dims(&dims.join(","), 0..rank) {
        let message = format!("layout `{:.40}` is not an order of {rank} dims", text.str);
        return Err(fault(codes::SYNTAX, text.span(), message));
    }
    Ok(Some(text.str))
}

/// Whether a list of dims, separated by commas, is just this.
fn has_dims(list: &str, dims: impl Iterator<Item = usize>) -> bool {
    let listed = list.split(',').map(str::trim).filter(|dim| !dim.is_empty());
    listed.map(|dim| dim.parse().ok()).eq(dims.map(Some))
}

/// A type as HLO prints it, with its layout: the given one, or the row-major one.
pub(super) fn write_type(out: &mut String, ty: &Type, layout: Option<&str>) {
    let _ = write!(out, "{ty}");
    match layout {
        Some(layout) if !layout.is_empty() => out.push_str(layout),
        _ => write_default_layout(out, ty.rank()),
    }
}

fn write_default_layout(out: &mut String, rank: usize) {
    if rank == 0 {
        return;
    }
    out.push('{');
    for dim in (0..rank).rev() {
        match u8::try_from(dim) {
            Ok(digit @ 0..=9) => out.push(char::from(b'0' + digit)),
            _ => drop(write!(out, "{dim}")),
        }
        if dim > 0 {
            out.push(',');
        }
    }
    out.push('}');
}

/// Write a form with each leaf by `leaf`; an index comment before every fifth element, as XLA does.
pub(super) fn write_form(
    out: &mut String,
    form: &Form,
    first: usize,
    leaf: &mut dyn FnMut(&mut String, usize),
) {
    if matches!(form, Form::Leaf) {
        return leaf(out, first);
    }
    out.push('(');
    for (i, (item, before)) in form.items().enumerate() {
        write_separator(out, i);
        write_form(out, item, first + before, leaf);
    }
    out.push(')');
}

/// How many characters of a shape a message shows.
const MAX_SHOWN: usize = 120;

/// Describes a shape for messages, without layouts.
pub(super) fn describe_shape<'x>(form: &Form, types: impl IntoIterator<Item = &'x Type>) -> String {
    let types: Vec<&Type> = types.into_iter().collect();
    let mut out = String::new();
    write_form(&mut out, form, 0, &mut |out, leaf| {
        if let Some(ty) = types.get(leaf) {
            let _ = write!(out, "{ty}");
        }
    });
    match out.char_indices().nth(MAX_SHOWN) {
        Some((end, _)) => format!("{}..", &out[..end]),
        None => out,
    }
}

/// `, ` before every element but the first, with an index comment at each fifth.
pub(super) fn write_separator(out: &mut String, index: usize) {
    match index {
        0 => {}
        _ if index.is_multiple_of(5) => {
            let _ = write!(out, ", /*index={index}*/");
        }
        _ => out.push_str(", "),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shape(text: &str) -> HloShape<'_> {
        HloShape::read(&mut Cursor::new(text)).unwrap()
    }

    #[test]
    fn tuples_flatten_to_their_leaves_and_paths_find_them() {
        let shape = shape("(f32[2,3]{1,0}, (s32[], /*index=1*/token[]), ())");
        assert_eq!(shape.leaves.len(), 3);
        assert_eq!(shape.form.leaf_at(&[1, 1]), Some(2));
        assert_eq!(shape.form.leaf_at(&[1]), None);
        assert_eq!(shape.form.path_to(2), [1, 1]);
        let mut text = String::new();
        shape.form.write(&mut text);
        assert_eq!(text, "(.(..)())");
        assert_eq!(Form::read(&text), Some(shape.form));
    }

    #[test]
    fn only_unusual_layouts_are_kept() {
        assert_eq!(shape("f32[2,3]{1,0}").layouts(), None);
        assert_eq!(shape("f32[]{}").layouts(), None);
        assert_eq!(shape("f32[2,3]{0,1}").layouts().as_deref(), Some("{0,1}"));
        assert_eq!(shape("(f32[2], f32[8]{0:T(256)})").layouts().as_deref(), Some(";{0:T(256)}"));
    }

    #[test]
    fn dynamic_and_unknown_types_are_refused_by_name() {
        let error = |text| HloShape::read(&mut Cursor::new(text)).unwrap_err().message;
        assert_eq!(error("f32[2,<=3]"), "dim 1 has a dynamic size; shapes must be static here");
        assert_eq!(error("f7[2]"), "element type `f7` is not supported");
        assert_eq!(error("f32[2,3]{0,0}"), "layout `{0,0}` is not an order of 2 dims");
        assert_eq!(shape("f32[]{:S(1)}").layouts().as_deref(), Some("{:S(1)}"));
        let deep = "(".repeat(100_000);
        assert_eq!(error(deep.as_str()), "tuples nest deeper than 64 levels");
    }
}
