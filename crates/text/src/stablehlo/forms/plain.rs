//! The common form: operands, then `key = value` pairs, then an attribute dictionary, then types.
//!
//! ```text
//! stablehlo.pad %0, %1, low = [0], high = [1], interior = [0] : (tensor<2xf32>, tensor<f32>) -> tensor<3xf32>
//! ```

use crate::stablehlo::lexer::Kind;
use crate::stablehlo::op::Draft;
use crate::stablehlo::parser::{Parsed, Parser};
use crate::stablehlo::tree::Tree;
use crate::stablehlo::writer::{Item, Writer};
use meshwright_base::Span;
use meshwright_ir::Type;

#[derive(Clone, Copy)]
pub struct Plain {
    pub keys: &'static [Key],
    pub types: Types,
}

/// A word of the pretty form and the attribute it stands for.
#[derive(Clone, Copy)]
pub struct Key {
    pub word: &'static str,
    pub prop: &'static str,
    pub kind: KeyKind,
}

#[derive(Clone, Copy)]
pub enum KeyKind {
    Ints,
    Int,
    Bool,
    /// A bare word, the case of the named kind.
    Case(&'static str),
}

/// How the types are written.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Types {
    /// `: T` if operands and result are alike, else `: (T, U) -> V`.
    Same,
    /// `: (T, U) -> V`.
    Functional,
    /// `: T`, that of the result.
    Result,
    /// `: T, U -> V`.
    Bare,
    /// `: T, U`, those of the operands and of the results; the dictionary stands before the operands.
    List,
    /// `: P, T` for a select between values of type T.
    Select,
}

impl Plain {
    pub fn read<'a>(self, p: &mut Parser<'a>, draft: &mut Draft<'a>) -> Parsed<()> {
        if self.types == Types::List {
            p.opt_dict(draft)?;
        }
        p.operands(draft)?;
        for (i, key) in self.keys.iter().enumerate() {
            if i > 0 || !draft.operands.is_empty() {
                p.expect(b',')?;
            }
            if key.follows_starts() {
                p.eat(b',');
            }
            key.read(p, draft)?;
        }
        p.opt_dict(draft)?;
        self.types.read(p, draft)
    }

    pub fn write(self, w: &mut Writer<'_>, item: &Item<'_>) {
        w.name(item);
        if self.types == Types::List {
            w.attr_dict_but(item, &[]);
            w.space_operands(item);
            return self.types.write(w, item);
        }
        w.space_operands(item);
        for (i, key) in self.keys.iter().enumerate() {
            let first = i == 0 && item.operands.is_empty();
            w.out.push_str(if first { " " } else { ", " });
            if key.follows_starts() && item.operands.len() == 1 {
                w.out.push_str(", ");
            }
            key.write(w, item);
        }
        let words: Vec<&str> = self.keys.iter().map(|key| key.prop).collect();
        w.attr_dict_but(item, &words);
        self.types.write(w, item);
    }
}

impl Key {
    /// The sizes of a slice follow a list of starts, which has its commas also where a scalar has none:
    /// `dynamic_slice %0, , sizes = []`.
    fn follows_starts(self) -> bool {
        self.prop == "slice_sizes"
    }

    fn read<'a>(self, p: &mut Parser<'a>, draft: &mut Draft<'a>) -> Parsed<()> {
        p.expect_word(self.word)?;
        p.expect(b'=')?;
        let start = p.peek().start;
        let tree = match self.kind {
            KeyKind::Ints => Tree::Ints(p.int_list()?),
            KeyKind::Int => Tree::Int(p.number()?, "i64".into()),
            KeyKind::Bool => p.tree()?,
            KeyKind::Case(kind) => {
                let word = p.expect_kind(Kind::Word, "a word")?;
                Tree::Enum(kind.into(), p.str(word).into())
            }
        };
        draft.put(self.prop, tree, Span::new(start, p.last_end()));
        Ok(())
    }

    fn write(self, w: &mut Writer<'_>, item: &Item<'_>) {
        w.out.push_str(self.word);
        w.out.push_str(" = ");
        match item.prop(self.prop) {
            Some(Tree::Ints(values)) => w.int_list(values),
            Some(Tree::Int(value, _)) => w.out.push_str(&value.to_string()),
            Some(Tree::Enum(_, case)) => w.out.push_str(case),
            Some(other) => other.write(&mut w.out),
            None => {}
        }
    }
}

impl Types {
    fn read<'a>(self, p: &mut Parser<'a>, draft: &mut Draft<'a>) -> Parsed<()> {
        match self {
            Types::Functional => p.functional_type(draft),
            Types::Same => read_same(p, draft),
            Types::Select => read_select(p, draft),
            Types::Result => {
                p.expect(b':')?;
                p.result_types(draft)
            }
            Types::Bare => {
                read_list(p, draft)?;
                p.expect_arrow()?;
                p.result_types(draft)
            }
            Types::List => {
                draft.types = read_list(p, draft)?;
                Ok(())
            }
        }
    }

    fn write(self, w: &mut Writer<'_>, item: &Item<'_>) {
        match self {
            Types::Functional => w.functional_type(item),
            Types::Same if alike(w, item) => w.result_type(item),
            Types::Same => w.functional_type(item),
            Types::Result => w.result_type(item),
            Types::List => w.result_types(item),
            Types::Select => write_select(w, item),
            Types::Bare => {
                w.out.push_str(" : ");
                w.operand_types(item);
                w.arrow(item);
            }
        }
    }
}

/// Whether all operands and results have one type.
fn alike(w: &Writer<'_>, item: &Item<'_>) -> bool {
    let Some(ty) = item.results.first().map(|value| w.func.ty(*value)) else { return false };
    item.operands.iter().chain(item.results).all(|value| w.func.ty(*value) == ty)
}

/// `: T` or, where they differ, `: (T, U) -> V`.
fn read_same<'a>(p: &mut Parser<'a>, draft: &mut Draft<'a>) -> Parsed<()> {
    if !p.at_mark(b':') {
        return Err(p.expected("`:`"));
    }
    let back = p.peek().start;
    p.bump();
    if p.at_mark(b'(') {
        p.jump(back);
        return p.functional_type(draft);
    }
    let start = p.peek().start;
    let ty = p.ty()?;
    let types: Vec<Type> = draft.operands.iter().map(|_| ty.clone()).collect();
    p.check_operands(draft, &types, Span::new(start, p.last_end()))?;
    draft.types = vec![ty];
    Ok(())
}

fn read_list<'a>(p: &mut Parser<'a>, draft: &mut Draft<'a>) -> Parsed<Vec<Type>> {
    p.expect(b':')?;
    let start = p.peek().start;
    let mut types = Vec::new();
    p.items(|p| {
        p.shape()?.push_leaves(&mut types);
        Ok(())
    })?;
    p.check_operands(draft, &types, Span::new(start, p.last_end()))?;
    Ok(types)
}

fn read_select<'a>(p: &mut Parser<'a>, draft: &mut Draft<'a>) -> Parsed<()> {
    if !p.at_mark(b':') {
        return Err(p.expected("`:`"));
    }
    let back = p.peek().start;
    p.bump();
    if p.at_mark(b'(') {
        p.jump(back);
        return p.functional_type(draft);
    }
    let start = p.peek().start;
    let pred = p.ty()?;
    p.expect(b',')?;
    let ty = p.ty()?;
    p.check_operands(draft, &[pred, ty.clone(), ty.clone()], Span::new(start, p.last_end()))?;
    draft.types = vec![ty];
    Ok(())
}

fn write_select(w: &mut Writer<'_>, item: &Item<'_>) {
    let ([pred, a, b], [result]) = (item.operands, item.results) else { return w.functional_type(item) };
    let ty = w.func.ty(*result);
    if w.func.ty(*a) != ty || w.func.ty(*b) != ty {
        return w.functional_type(item);
    }
    w.out.push_str(" : ");
    w.ty(*pred);
    w.out.push_str(", ");
    w.ty(*result);
}
