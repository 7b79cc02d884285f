//! The first look at a module's text: which computations there are, and the parts of each instruction.
//!
//! Nothing is interpreted but shapes. All parts are pieces of the text. A line that does not read is reported and left
//! out, and reading goes on at the next line.

use super::lex::{CUT_OFF, Cursor, Piece, Read, fault};
use super::names::clean;
use super::shape::HloShape;
use crate::codes;
use meshwright_base::Diagnostic;
use meshwright_base::arrange::Arrange;
use std::ops::Range;

/// How many diagnostics are collected before reading stops.
pub(super) const MAX_DIAGNOSTICS: usize = 50;

/// `key=value` after an instruction or in the header.
#[derive(Clone, Copy, Debug)]
pub(super) struct RawAttr<'t> {
    pub key: Piece<'t>,
    pub value: Piece<'t>,
}

/// `[ROOT] name = shape opcode(args), attrs`.
#[derive(Debug)]
pub(super) struct RawInst<'t> {
    pub name: Piece<'t>,
    pub shape: Option<HloShape<'t>>,
    pub opcode: Piece<'t>,
    /// Between the parentheses.
    pub args: Piece<'t>,
    attrs: Range<usize>,
}

impl<'t> RawInst<'t> {
    fn broken(name: Piece<'t>) -> Self {
        let nothing = Piece { str: "", at: name.at };
        RawInst { name, shape: None, opcode: nothing, args: nothing, attrs: 0..0 }
    }
}

#[derive(Debug)]
pub(super) struct RawComputation<'t> {
    pub name: Piece<'t>,
    pub insts: Range<usize>,
    /// Index of the root in [`Outline::insts`].
    pub root: usize,
    /// `(number, index)` of the parameters, by number.
    pub params: Vec<(usize, usize)>,
}

/// A module's text taken apart.
#[derive(Default, Debug)]
pub(super) struct Outline<'t> {
    pub name: Option<Piece<'t>>,
    pub header: Vec<RawAttr<'t>>,
    /// The sections between header and computations: title and body.
    pub tables: Vec<(Piece<'t>, Piece<'t>)>,
    pub computations: Vec<RawComputation<'t>>,
    pub entry: Option<usize>,
    pub insts: Vec<RawInst<'t>>,
    attrs: Vec<RawAttr<'t>>,
    pub diagnostics: Vec<Diagnostic>,
}

const TABLES: [&str; 4] = ["FileNames", "FunctionNames", "FileLocations", "StackFrames"];

impl<'t> Outline<'t> {
    pub fn read(text: &'t str) -> Outline<'t> {
        let mut outline = Outline::default();
        let mut cursor = Cursor::new(text);
        if let Err(error) = outline.header(&mut cursor) {
            outline.diagnostics.push(*error);
            cursor.next_line();
        }
        outline.tables(&mut cursor);
        while !cursor.is_done() && outline.diagnostics.len() < MAX_DIAGNOSTICS {
            if let Err(error) = outline.computation(&mut cursor) {
                outline.diagnostics.push(*error);
                skip_to_computation(&mut cursor);
            }
        }
        if outline.computations.is_empty() && outline.diagnostics.is_empty() {
            outline.diagnostics.push(*cursor.expected("a computation"));
        }
        outline
    }

    pub fn attrs(&self, inst: &RawInst<'t>) -> &[RawAttr<'t>] {
        self.attrs.get(inst.attrs.clone()).unwrap_or(&[])
    }

    fn header(&mut self, cursor: &mut Cursor<'t>) -> Read<()> {
        let mut ahead = *cursor;
        if ahead.name().str != "HloModule" {
            return Err(Box::new(
                cursor.expected("`HloModule`").help("an HLO text begins with `HloModule name`"),
            ));
        }
        *cursor = ahead;
        self.name = Some(own_name(cursor, "the module's name")?);
        while cursor.eat(b',') {
            self.header.push(attribute(cursor)?);
        }
        Ok(())
    }

    fn tables(&mut self, cursor: &mut Cursor<'t>) {
        loop {
            let mut ahead = *cursor;
            let title = ahead.name();
            if !TABLES.contains(&title.str) {
                return;
            }
            let body = table_body(&mut ahead);
            self.tables.push((title, body));
            *cursor = ahead;
        }
    }

    fn computation(&mut self, cursor: &mut Cursor<'t>) -> Read<()> {
        let mut name = own_name(cursor, "a computation")?;
        let is_entry = name.str == "ENTRY" && cursor.peek() != Some(b'{');
        if is_entry {
            name = own_name(cursor, "the entry computation's name")?;
        }
        // The signature repeats what parameters and root say.
        if cursor.peek() == Some(b'(') {
            cursor.brackets()?;
            if cursor.eat_str("->") {
                HloShape::read(cursor)?;
            }
        }
        while cursor.eat(b',') {
            attribute(cursor)?;
        }
        cursor.expect(b'{')?;
        self.body(name, is_entry, cursor)?;
        // `, execution_thread="main"` may follow; threads mean nothing here.
        while cursor.eat(b',') {
            attribute(cursor)?;
        }
        Ok(())
    }

    fn body(&mut self, name: Piece<'t>, is_entry: bool, cursor: &mut Cursor<'t>) -> Read<()> {
        let first = self.insts.len();
        let (mut root, mut params) = (None, Vec::new());
        while !cursor.eat(b'}') {
            if cursor.is_done() {
                let message = format!("the text ends inside computation `{}`", name.str);
                return Err(Box::new(fault(codes::SYNTAX, cursor.here(), message).help(CUT_OFF)));
            }
            if self.diagnostics.len() >= MAX_DIAGNOSTICS {
                return Ok(());
            }
            match self.instruction(cursor, &mut params) {
                Ok(true) => root = Some(self.insts.len() - 1),
                Ok(false) => {}
                Err(error) => {
                    self.diagnostics.push(*error);
                    cursor.next_line();
                    // The text ends in this line: that is said.
                    if cursor.is_done() {
                        return Ok(());
                    }
                }
            }
        }
        let insts = first..self.insts.len();
        let Some(root) = root.or(insts.clone().last()) else {
            return Err(name.fault(format!("computation `{}` has no instructions", name.str)));
        };
        params.arrange();
        if is_entry {
            self.entry = Some(self.computations.len());
        }
        self.computations.push(RawComputation { name, insts, root, params });
        Ok(())
    }

    /// Reads one instruction; tells whether it is the root.
    fn instruction(&mut self, cursor: &mut Cursor<'t>, params: &mut Vec<(usize, usize)>) -> Read<bool> {
        let mut name = own_name(cursor, "an instruction")?;
        let is_root = name.str == "ROOT" && cursor.peek() != Some(b'=');
        if is_root {
            name = own_name(cursor, "an instruction")?;
        }
        let index = self.insts.len();
        let inst = self.definition(name, cursor).and_then(|inst| {
            if inst.opcode.str == "parameter" {
                params.push((parameter_number(inst.args)?, index));
            }
            Ok(inst)
        });
        // A broken one stays as a name, so that its uses are not reported too.
        let (inst, result) = match inst {
            Ok(inst) => (inst, Ok(is_root)),
            Err(error) => (RawInst::broken(name), Err(error)),
        };
        self.insts.push(inst);
        result
    }

    /// What follows an instruction's name.
    fn definition(&mut self, name: Piece<'t>, cursor: &mut Cursor<'t>) -> Read<RawInst<'t>> {
        cursor.expect(b'=')?;
        let mut ahead = *cursor;
        let has_shape =
            cursor.peek() == Some(b'(') || !ahead.name().str.is_empty() && ahead.peek() == Some(b'[');
        let shape = if has_shape { Some(HloShape::read(cursor)?) } else { None };
        let opcode = cursor.expect_name("an opcode")?;
        if cursor.peek() != Some(b'(') {
            return Err(cursor.expected("`(`"));
        }
        let args = cursor.brackets()?;
        let args = args.inside('(', ')').unwrap_or(args).trim();
        let attrs = self.attributes(cursor)?;
        Ok(RawInst { name, shape, opcode, args, attrs })
    }

    fn attributes(&mut self, cursor: &mut Cursor<'t>) -> Read<Range<usize>> {
        let first = self.attrs.len();
        while cursor.eat(b',') {
            let attr = attribute(cursor)?;
            self.attrs.push(attr);
        }
        Ok(first..self.attrs.len())
    }
}

/// The name of what is defined here: one that is printed as it is.
fn own_name<'t>(cursor: &mut Cursor<'t>, what: &str) -> Read<Piece<'t>> {
    let name = cursor.expect_name(what)?;
    if *clean(name.str) == *name.str {
        return Ok(name);
    }
    let message = format!("`{:.60}` is no name: names begin with a letter or `_`", name.str);
    Err(Box::new(
        name.fault(message).help(format!("call it `{:.60}`, and everywhere it is used", clean(name.str))),
    ))
}

fn attribute<'t>(cursor: &mut Cursor<'t>) -> Read<RawAttr<'t>> {
    let key = cursor.expect_name("an attribute")?;
    cursor.expect(b'=')?;
    let value = cursor.value()?;
    if value.str.is_empty() {
        return Err(cursor.expected(&format!("a value for `{}`", key.str)));
    }
    Ok(RawAttr { key, value })
}

fn parameter_number(args: Piece<'_>) -> Read<usize> {
    args.str.parse().map_err(|_| args.fault(format!("`{:.30}` is no parameter number", args.str)))
}

/// The numbered lines after a title.
fn table_body<'t>(cursor: &mut Cursor<'t>) -> Piece<'t> {
    let all = cursor.rest();
    while cursor.peek().is_some_and(|byte| byte.is_ascii_digit()) {
        cursor.next_line();
    }
    let len = cursor.rest().at - all.at;
    Piece { str: all.str.get(..len).unwrap_or(""), at: all.at }
}

/// After a broken computation: the next line that starts one, that is, one that is not indented.
fn skip_to_computation(cursor: &mut Cursor<'_>) {
    loop {
        cursor.next_line();
        let first = cursor.rest().str.bytes().next();
        match first {
            None => return,
            Some(byte) if byte == b'%' || byte.is_ascii_alphabetic() => return,
            Some(_) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "HloModule m, num_partitions=2, x={a, b}\n\nFileNames\n1 \"a.py\"\n2 \"b.py\"\n\n\
        add (a: f32[], b: f32[]) -> f32[] {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n  \
        ROOT %c = f32[] add(a, b)\n}\n\nENTRY %main {\n  p = f32[2]{0} parameter(0), sharding={replicated},\n    \
        metadata={op_name=\"x, y\"}\n  tuple = tuple(p)\n}\n";

    #[test]
    fn a_module_is_taken_apart() {
        let outline = Outline::read(TEXT);
        assert_eq!(outline.diagnostics, []);
        assert_eq!(outline.header.len(), 2);
        assert_eq!(outline.tables[0].1.str.trim().lines().count(), 2);
        assert_eq!(outline.computations.len(), 2);
        assert_eq!(outline.entry, Some(1));
        let main = &outline.computations[1];
        assert_eq!(outline.insts[main.root].name.str, "tuple", "without ROOT the last one is the root");
        assert_eq!(outline.insts[main.root].shape, None);
        assert_eq!(outline.attrs(&outline.insts[main.insts.start]).len(), 2);
    }

    #[test]
    fn broken_lines_are_reported_one_by_one() {
        let text = TEXT.replace("f32[] parameter(1)", "f32[] parameter(x)").replace("f32[2]{0}", "f99[2]{0}");
        let messages: Vec<_> = Outline::read(&text).diagnostics.into_iter().map(|d| d.message).collect();
        assert_eq!(messages.len(), 3, "{messages:?}");
        assert_eq!(messages[0], "`x` is no parameter number");
    }

    #[test]
    fn a_truncated_text_says_where_it_ends() {
        let outline = Outline::read(&TEXT[..TEXT.len() - 3]);
        assert_eq!(outline.diagnostics[0].message, "the text ends inside computation `main`");
    }
}
