//! One instruction as an op's reader sees it: operands, declared results, and attributes read by kind.
//!
//! Attributes that no reader asked for are reported as unknown.

use super::lex::{Cursor, Piece, Read, fault};
use super::outline::{RawAttr, RawInst};
use super::shape::HloShape;
use crate::codes;
use meshwright_base::Diagnostic;
use meshwright_ir::op::{Numbering, Precision, WindowDim};
use meshwright_ir::{DType, Function, TensorType, Type, ValueId};

/// An instruction being read.
pub(super) struct InstText<'b, 't> {
    pub raw: &'b RawInst<'t>,
    pub func: &'b Function,
    /// All leaves of all operands.
    pub operands: &'b [ValueId],
    /// What the text declares, or the part of it that is this instruction's result.
    pub shape: Option<&'b HloShape<'t>>,
    /// Replicas and partitions of the program.
    pub numbering: Numbering,
    /// Which parts of a tuple's sharding are the results', if it speaks of others too.
    pub sharded: Option<Sharded>,
    attrs: &'b [RawAttr<'t>],
    /// One bit for each attribute; those beyond the last bit count as unknown.
    used: u64,
}

/// What the parts of a tuple's sharding are about: an outfeed says of what it takes as well how it is split.
#[derive(Clone)]
pub(super) struct Sharded {
    /// How many parts there are.
    pub parts: usize,
    /// The result leaves' parts, in order.
    pub own: Vec<usize>,
}

impl<'b, 't> InstText<'b, 't> {
    pub fn new(
        raw: &'b RawInst<'t>,
        attrs: &'b [RawAttr<'t>],
        func: &'b Function,
        operands: &'b [ValueId],
    ) -> Self {
        let (shape, numbering) = (raw.shape.as_ref(), Numbering::said(None, None));
        InstText { raw, func, operands, shape, numbering, sharded: None, attrs, used: 0 }
    }

    pub fn fault(&self, message: impl Into<String>) -> Box<Diagnostic> {
        fault(codes::BAD_ATTRIBUTE, self.raw.opcode.span(), message)
    }

    /// The value of an attribute, if it stands there.
    pub fn get(&mut self, key: &str) -> Option<Piece<'t>> {
        let at = self.attrs.iter().position(|attr| attr.key.str == key)?;
        self.used |= bit(at);
        Some(self.attrs[at].value)
    }

    /// Attributes that the op has not taken for itself; `keeps` tells which of them are taken now.
    pub fn rest(&mut self, mut keeps: impl FnMut(RawAttr<'t>) -> Read<bool>) -> Read<()> {
        for (at, attr) in self.attrs.iter().enumerate() {
            if self.used & bit(at) == 0 && keeps(*attr)? {
                self.used |= bit(at);
            }
        }
        Ok(())
    }

    /// A frontend attribute, which stays one unless it is taken back from what is kept.
    pub fn frontend(&self, name: &str) -> Read<Option<String>> {
        let Some(attr) = self.attrs.iter().find(|attr| attr.key.str == "frontend_attributes") else {
            return Ok(None);
        };
        Ok(super::common::dictionary(attr.value)?.get_str(name).map(str::to_string))
    }

    pub fn need(&mut self, key: &str) -> Read<Piece<'t>> {
        self.get(key)
            .ok_or_else(|| self.fault(format!("`{}` needs the attribute `{key}`", self.raw.opcode.str)))
    }

    /// Attributes nobody asked for yet.
    pub fn unused(&self) -> impl Iterator<Item = RawAttr<'t>> {
        self.attrs.iter().enumerate().filter(|(at, _)| self.used & bit(*at) == 0).map(|(_, attr)| *attr)
    }

    pub fn int(&mut self, key: &str) -> Read<Option<i64>> {
        self.get(key).map(int).transpose()
    }

    pub fn need_int(&mut self, key: &str) -> Read<i64> {
        int(self.need(key)?)
    }

    pub fn need_index(&mut self, key: &str) -> Read<usize> {
        let piece = self.need(key)?;
        index(int(piece)?, piece)
    }

    /// `true` or `false`; absent is `false`.
    pub fn flag(&mut self, key: &str) -> Read<bool> {
        match self.get(key) {
            None => Ok(false),
            Some(piece) => match piece.str {
                "true" | "1" => Ok(true),
                "false" | "0" => Ok(false),
                _ => Err(bad(piece, "`true` or `false`")),
            },
        }
    }

    /// `{1,2}`; absent is empty.
    pub fn ints(&mut self, key: &str) -> Read<Vec<i64>> {
        self.get(key).map_or(Ok(Vec::new()), int_list)
    }

    /// `{1,2}` of dims; absent is empty.
    pub fn dims(&mut self, key: &str) -> Read<Vec<usize>> {
        let Some(piece) = self.get(key) else { return Ok(Vec::new()) };
        int_list(piece)?.into_iter().map(|dim| index(dim, piece)).collect()
    }

    /// The only dim of `dimensions={d}`.
    pub fn only_dim(&mut self) -> Read<usize> {
        let dims = self.dims("dimensions")?;
        match dims[..] {
            [dim] => Ok(dim),
            _ => Err(self.fault(format!(
                "`{}` needs one dimension, found {}",
                self.raw.opcode.str,
                dims.len()
            ))),
        }
    }

    /// A word of a list of words.
    pub fn word<T: Copy>(&mut self, key: &str, words: &[(T, &str)]) -> Read<Option<T>> {
        let Some(piece) = self.get(key) else { return Ok(None) };
        match words.iter().find(|(_, word)| *word == piece.str) {
            Some((value, _)) => Ok(Some(*value)),
            None => {
                let known: Vec<_> = words.iter().map(|(_, word)| *word).collect();
                Err(bad(piece, &format!("one of {}", known.join(", "))))
            }
        }
    }

    /// A quoted string, escapes undone.
    pub fn string(&mut self, key: &str) -> Read<Option<String>> {
        self.get(key).map(|piece| piece.quoted().map(super::lex::unescape)).transpose()
    }

    /// Type of the declared result leaf.
    pub fn result(&self, leaf: usize) -> Read<&'b TensorType> {
        let shape = self.shape.ok_or_else(|| no_shape(self.raw))?;
        let found = shape.leaves.get(leaf);
        found.and_then(|leaf| leaf.ty.as_tensor()).ok_or_else(|| {
            let message = format!("`{}` needs a tensor as result {leaf}", self.raw.opcode.str);
            fault(codes::WRONG_TYPE, self.raw.name.span(), message)
        })
    }

    pub fn result_dtype(&self) -> Read<DType> {
        Ok(self.result(0)?.dtype)
    }

    /// The element type of a sum of products: the operands' own, if the text does not say.
    pub fn sum_dtype(&self) -> Read<DType> {
        if self.shape.is_some() { self.result_dtype() } else { Ok(self.operand(0)?.dtype) }
    }

    /// Types of all declared result leaves.
    pub fn result_types(&self) -> Vec<Type> {
        let leaves = self.shape.iter().flat_map(|shape| &shape.leaves);
        leaves.map(|leaf| leaf.ty.clone()).collect()
    }

    pub fn operand(&self, index: usize) -> Read<&'b TensorType> {
        let found = self.operands.get(index).and_then(|value| self.func.ty(*value).as_tensor());
        found.ok_or_else(|| {
            let message = format!("`{}` needs a tensor as operand {index}", self.raw.opcode.str);
            fault(codes::WRONG_TYPE, self.raw.opcode.span(), message)
        })
    }

    /// `operand_precision={default,highest}`; all default is empty.
    pub fn precision(&mut self) -> Read<Vec<Precision>> {
        let Some(piece) = self.get("operand_precision") else { return Ok(Vec::new()) };
        let inner = piece.inside('{', '}').ok_or_else(|| bad(piece, "`{..}`"))?;
        inner.str.split(',').map(|word| precision(word.trim(), piece)).collect()
    }

    /// `window={size=3x3 pad=0_1x0_1 ..}`; absent is no dims.
    pub fn window(&mut self) -> Read<Vec<WindowDim>> {
        self.get("window").map_or(Ok(Vec::new()), window)
    }
}

/// An instruction that leaves its result's shape out, though nothing else tells it.
pub(super) fn no_shape(raw: &RawInst<'_>) -> Box<Diagnostic> {
    let message = format!("`{}` needs a result shape", raw.opcode.str);
    let help = format!("write the shape before the opcode, as `f32[8,4] {}(..)`", raw.opcode.str);
    Box::new(fault(codes::WRONG_TYPE, raw.opcode.span(), message).help(help))
}

fn bit(at: usize) -> u64 {
    if at < 64 { 1 << at } else { 0 }
}

pub(super) const PRECISIONS: [(Precision, &str); 3] =
    [(Precision::Default, "default"), (Precision::High, "high"), (Precision::Highest, "highest")];

fn precision(word: &str, piece: Piece<'_>) -> Read<Precision> {
    let found = PRECISIONS.iter().find(|(_, name)| name.eq_ignore_ascii_case(word));
    found.map(|(precision, _)| *precision).ok_or_else(|| bad(piece, "default, high or highest"))
}

/// A diagnostic that an attribute's value is of the wrong kind.
pub(super) fn bad(piece: Piece<'_>, expected: &str) -> Box<Diagnostic> {
    let message = format!("expected {expected}, found `{:.40}`", piece.str);
    fault(codes::BAD_ATTRIBUTE, piece.span(), message)
}

pub(super) fn int(piece: Piece<'_>) -> Read<i64> {
    piece.str.parse().map_err(|_| bad(piece, "an integer"))
}

pub(super) fn index(value: i64, piece: Piece<'_>) -> Read<usize> {
    usize::try_from(value).map_err(|_| bad(piece, "a number that is not negative"))
}

/// `{1,2,3}`, with blanks allowed.
pub(super) fn int_list(piece: Piece<'_>) -> Read<Vec<i64>> {
    let inner = piece.inside('{', '}').or(piece.inside('[', ']')).ok_or_else(|| bad(piece, "`{..}`"))?;
    let mut cursor = inner.cursor();
    let mut list = Vec::new();
    while !cursor.is_done() {
        list.push(cursor.int()?);
        if !cursor.eat(b',') && !cursor.is_done() {
            return Err(cursor.expected("`,`"));
        }
    }
    Ok(list)
}

/// `{{0,1},{2,3}}`.
pub(super) fn int_lists(piece: Piece<'_>) -> Read<Vec<Vec<i64>>> {
    let inner = piece.inside('{', '}').ok_or_else(|| bad(piece, "`{{..},..}`"))?;
    let mut cursor = inner.cursor();
    let mut lists = Vec::new();
    while !cursor.is_done() {
        if cursor.peek() != Some(b'{') {
            return Err(cursor.expected("`{`"));
        }
        lists.push(int_list(cursor.brackets()?)?);
        cursor.eat(b',');
    }
    Ok(lists)
}

/// A window's fields, each a list separated by `x`.
fn window(piece: Piece<'_>) -> Read<Vec<WindowDim>> {
    let inner = piece.inside('{', '}').ok_or_else(|| bad(piece, "`{size=.. ..}`"))?;
    let mut window: Vec<WindowDim> = Vec::new();
    let mut cursor = inner.cursor();
    while !cursor.is_done() {
        let key = cursor.expect_name("a window field")?;
        cursor.expect(b'=')?;
        let value = cursor.until(b" \t\r\n");
        let parts: Vec<&str> = value.str.split('x').collect();
        if window.is_empty() {
            window = vec![WindowDim::TRIVIAL; parts.len()];
        }
        if window.len() != parts.len() {
            return Err(bad(value, &format!("{} numbers", window.len())));
        }
        for (dim, part) in window.iter_mut().zip(parts) {
            window_field(dim, key, part).ok_or_else(|| bad(value, "a window field's numbers"))?;
        }
    }
    Ok(window)
}

fn window_field(dim: &mut WindowDim, key: Piece<'_>, part: &str) -> Option<()> {
    match key.str {
        "size" => dim.size = part.parse().ok()?,
        "stride" => dim.stride = part.parse().ok()?,
        "lhs_dilate" => dim.base_dilation = part.parse().ok()?,
        "rhs_dilate" => dim.window_dilation = part.parse().ok()?,
        "rhs_reversal" => dim.reversal = part == "1",
        "pad" => {
            let (low, high) = part.split_once('_')?;
            (dim.pad_low, dim.pad_high) = (low.parse().ok()?, high.parse().ok()?);
        }
        _ => return None,
    }
    Some(())
}

/// A cursor's list of `each`, separated by commas, to its end.
pub(super) fn list_of<'t, T>(
    piece: Piece<'t>,
    mut each: impl FnMut(&mut Cursor<'t>) -> Read<T>,
) -> Read<Vec<T>> {
    let inner = piece.inside('{', '}').ok_or_else(|| bad(piece, "`{..}`"))?;
    let mut cursor = inner.cursor();
    let mut list = Vec::new();
    while !cursor.is_done() {
        list.push(each(&mut cursor)?);
        if !cursor.eat(b',') && !cursor.is_done() {
            return Err(cursor.expected("`,`"));
        }
    }
    Ok(list)
}
