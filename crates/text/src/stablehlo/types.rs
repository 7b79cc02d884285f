//! Types in MLIR's spelling: `tensor<2x3xf32>`, `!stablehlo.token`, tuples of these.
//!
//! Tuples are read so that they can be flattened. Dynamic, unranked, quantized and encoded tensors are understood well
//! enough to be refused by name.

use super::lexer::Kind;
use super::parser::{Parsed, Parser, clip};
use crate::codes;
use meshwright_base::Span;
use meshwright_ir::{DType, TensorType, Type};
use std::fmt::Write;

/// A type, or a tuple of such.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum TypeTree {
    Leaf(Type),
    Tuple(Vec<TypeTree>),
}

impl TypeTree {
    /// Number of leaves.
    pub fn count(&self) -> usize {
        match self {
            TypeTree::Leaf(_) => 1,
            TypeTree::Tuple(parts) => parts.iter().map(TypeTree::count).sum(),
        }
    }

    /// Element `index` of a tuple, and how many leaves stand before it.
    pub fn part(&self, index: i64) -> Option<(usize, &TypeTree)> {
        let TypeTree::Tuple(parts) = self else { return None };
        let index = usize::try_from(index).ok()?;
        let before = parts.iter().take(index).map(TypeTree::count).sum();
        Some((before, parts.get(index)?))
    }

    pub fn push_leaves(self, out: &mut Vec<Type>) {
        match self {
            TypeTree::Leaf(ty) => out.push(ty),
            TypeTree::Tuple(parts) => parts.into_iter().for_each(|part| part.push_leaves(out)),
        }
    }
}

/// All leaves of several types.
pub fn leaves(shapes: Vec<TypeTree>) -> Vec<Type> {
    let mut types = Vec::with_capacity(shapes.len());
    shapes.into_iter().for_each(|shape| shape.push_leaves(&mut types));
    types
}

impl<'a> Parser<'a> {
    /// A tensor or token type.
    pub fn ty(&mut self) -> Parsed<Type> {
        let start = self.peek().start;
        match self.shape()? {
            TypeTree::Leaf(ty) => Ok(ty),
            TypeTree::Tuple(_) => {
                let span = Span::new(start, self.last_end());
                Err(self.fail(codes::WRONG_TYPE, span, "expected a tensor or token type, found a tuple"))
            }
        }
    }

    pub fn tensor_ty(&mut self) -> Parsed<TensorType> {
        let start = self.peek().start;
        match self.ty()? {
            Type::Tensor(ty) => Ok(ty),
            Type::Token => {
                let span = Span::new(start, self.last_end());
                Err(self.fail(codes::WRONG_TYPE, span, "expected a tensor type, found a token"))
            }
        }
    }

    pub fn shape(&mut self) -> Parsed<TypeTree> {
        let token = self.peek();
        match self.str(token) {
            "tensor" => self.tensor().map(|ty| TypeTree::Leaf(Type::Tensor(ty))),
            "!stablehlo.token" | "!mhlo.token" => {
                self.bump();
                Ok(TypeTree::Leaf(Type::Token))
            }
            "tuple" => self.nested(Self::tuple),
            other if other.starts_with("!quant") => Err(self.unsupported_type("quantized types")),
            _ if token.kind == Kind::Bang => {
                let message = format!("unknown type `{}`", clip(self.str(token)));
                Err(self.fail_help(codes::WRONG_TYPE, token.span(), message, "tensors and tokens are known"))
            }
            _ => Err(self.expected("a type")),
        }
    }

    fn tuple(&mut self) -> Parsed<TypeTree> {
        self.bump();
        let mut parts = Vec::new();
        self.list(b'<', b'>', |p| {
            parts.push(p.shape()?);
            Ok(())
        })?;
        Ok(TypeTree::Tuple(parts))
    }

    fn unsupported_type(&mut self, what: &str) -> super::parser::Failed {
        let span = self.peek().span();
        let message = format!("{what} are not supported");
        self.fail_help(
            codes::UNSUPPORTED,
            span,
            message,
            "lower the program with static shapes and plain element types",
        )
    }

    /// `tensor<..>`: dims are not tokens (`2x3xf32`), so this reads bytes.
    fn tensor(&mut self) -> Parsed<TensorType> {
        let start = self.peek().start;
        self.bump();
        let open = self.peek();
        if !open.is(b'<') {
            return Err(self.expected("`<`"));
        }
        let mut rest = self.text.get(open.end..).unwrap_or("").trim_start();
        let mut dims = Vec::new();
        while let Some((dim, after)) = leading_dim(rest) {
            dims.push(dim);
            rest = after;
        }
        let at = self.text.len() - rest.len();
        let element = &rest[..element_len(rest)];
        let Some(dtype) = DType::from_mlir(element) else {
            self.jump(at);
            return Err(self.bad_element());
        };
        self.jump(at + element.len());
        if self.at_mark(b',') {
            return Err(self.unsupported_type("tensor encodings (bounded or sparse dims)"));
        }
        self.expect(b'>')?;
        let ty = TensorType { dtype, dims };
        match crate::too_large(&ty) {
            Some(message) => {
                let at = Span::new(start, self.last_end());
                Err(self.fail_help(codes::WRONG_TYPE, at, message, crate::TOO_LARGE_HELP))
            }
            None => Ok(ty),
        }
    }

    fn bad_element(&mut self) -> super::parser::Failed {
        let token = self.peek();
        let text = self.str(token);
        if text == "?" || text == "*" {
            return self.unsupported_type("dynamic and unranked shapes");
        }
        if text.starts_with("!quant") {
            return self.unsupported_type("quantized types");
        }
        if token.kind == Kind::Int {
            let help = format!("write dims as in `tensor<8x16xf32>`, none above {}", i64::MAX);
            let message = "a dim is out of range or not followed by `x`";
            return self.fail_help(codes::WRONG_TYPE, token.span(), message, help);
        }
        let names: Vec<&str> = DType::all().map(DType::mlir_name).collect();
        let near = meshwright_base::nearest::suggest(text, names.iter().copied());
        let help = near.unwrap_or_else(|| format!("known are {}", names.join(", ")));
        let message = format!("unknown element type `{}`", clip(text));
        self.fail_help(codes::WRONG_TYPE, token.span(), message, help)
    }

    /// `(T, U)`.
    pub fn shape_list(&mut self) -> Parsed<Vec<TypeTree>> {
        let mut shapes = Vec::new();
        self.list(b'(', b')', |p| {
            shapes.push(p.shape()?);
            Ok(())
        })?;
        Ok(shapes)
    }

    /// Result types: one bare type or a list in parentheses.
    pub fn result_shapes(&mut self) -> Parsed<Vec<TypeTree>> {
        if self.at_mark(b'(') { self.shape_list() } else { Ok(vec![self.shape()?]) }
    }
}

/// `12x` at the start of `text`: the number and what follows.
fn leading_dim(text: &str) -> Option<(i64, &str)> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let after = text.get(digits..)?.strip_prefix('x')?;
    Some((text.get(..digits)?.parse().ok()?, after))
}

/// Length of an element type: a word, or `complex<word>`.
fn element_len(text: &str) -> usize {
    let word = |text: &str| text.bytes().take_while(u8::is_ascii_alphanumeric).count();
    let len = word(text);
    if &text[..len] != "complex" || text.as_bytes().get(len) != Some(&b'<') {
        return len;
    }
    let inner = word(&text[len + 1..]);
    let closed = text.as_bytes().get(len + 1 + inner) == Some(&b'>');
    if closed { len + inner + 2 } else { len }
}

/// Write a type as MLIR does.
pub fn write_type(out: &mut String, ty: &Type) {
    match ty {
        Type::Tensor(ty) => write_tensor_type(out, ty),
        Type::Token => out.push_str("!stablehlo.token"),
    }
}

pub fn write_tensor_type(out: &mut String, ty: &TensorType) {
    out.push_str("tensor<");
    for dim in &ty.dims {
        put!(out, "{dim}x");
    }
    out.push_str(ty.dtype.mlir_name());
    out.push('>');
}

/// `T, U`.
pub fn write_types<'t>(out: &mut String, types: impl Iterator<Item = &'t Type>) {
    for (i, ty) in types.enumerate() {
        if i > 0 {
            out.push_str(", ");
        }
        write_type(out, ty);
    }
}
