//! Where instructions came from: the header's stack frame tables and each instruction's `metadata={..}`.
//!
//! ```text
//! FileNames        1 "a.py"
//! FunctionNames    1 "step"
//! FileLocations    1 {file_name_id=1 function_name_id=1 line=8 end_line=8 column=4 end_column=9}
//! StackFrames      2 {file_location_id=1 parent_frame_id=1}
//! ```
//! XLA writes a parent as its number plus one, so that 1 (and 0) mean "no parent".

use super::lex::{Cursor, Piece, Read, quote, unescape};
use meshwright_base::{Id, IdMap};
use meshwright_ir::{Frame, Module, Source, SourceId};
use std::collections::{BTreeMap, HashMap};
use std::fmt::Write;
use std::sync::Arc;

/// Callers kept of one place.
const MAX_FRAMES: usize = 128;
/// Frames kept of a whole module; beyond, only innermost ones. Bounds the memory a hostile table can ask for.
const MAX_ALL_FRAMES: usize = 2_000_000;

/// Reads metadata into sources, each text once.
#[derive(Default)]
pub(super) struct Sources<'t> {
    files: BTreeMap<i64, Arc<str>>,
    functions: BTreeMap<i64, Arc<str>>,
    locations: BTreeMap<i64, Frame>,
    /// (location, parent).
    frames: BTreeMap<i64, (i64, i64)>,
    // lookup only: keyed by text, never walked
    seen: HashMap<&'t str, (SourceId, Option<Arc<str>>)>,
    kept_frames: usize,
    pub all: IdMap<SourceId, Source>,
}

/// `key=value` pairs separated by blanks.
fn pairs<'t>(piece: Piece<'t>, mut each: impl FnMut(Piece<'t>, Piece<'t>)) -> Read<()> {
    let inner = piece.inside('{', '}').ok_or_else(|| piece.fault("expected `{key=value ..}`"))?;
    let mut cursor = inner.cursor();
    while !cursor.is_done() {
        let key = cursor.expect_name("a field")?;
        cursor.expect(b'=')?;
        each(key, field_value(&mut cursor)?);
        cursor.eat(b',');
    }
    Ok(())
}

fn field_value<'t>(cursor: &mut Cursor<'t>) -> Read<Piece<'t>> {
    match cursor.peek() {
        Some(b'{' | b'[' | b'(') => cursor.brackets(),
        Some(b'"') => Ok(cursor.string()),
        _ => Ok(cursor.until(b" \t\r\n,}")),
    }
}

fn number(piece: Piece<'_>) -> i64 {
    piece.str.parse().unwrap_or(0)
}

fn small(piece: Piece<'_>) -> u32 {
    piece.str.parse().unwrap_or(0)
}

fn text(piece: Piece<'_>) -> Arc<str> {
    unescape(piece.quoted().unwrap_or(piece.str)).into()
}

impl<'t> Sources<'t> {
    pub fn new() -> Self {
        let mut sources = Sources::default();
        sources.all.push(Source::default());
        sources
    }

    /// Take in one table of the header.
    pub fn table(&mut self, title: &str, body: Piece<'t>) -> Read<()> {
        let mut cursor = body.cursor();
        while !cursor.is_done() {
            let id = cursor.int()?;
            let value = field_value(&mut cursor)?;
            match title {
                "FileNames" => drop(self.files.insert(id, text(value))),
                "FunctionNames" => drop(self.functions.insert(id, text(value))),
                "FileLocations" => self.location(id, value)?,
                _ => self.frame(id, value)?,
            }
        }
        Ok(())
    }

    fn location(&mut self, id: i64, value: Piece<'t>) -> Read<()> {
        let mut frame = empty_frame();
        pairs(value, |key, value| match key.str {
            "file_name_id" => frame.file = self.files.get(&number(value)).cloned().unwrap_or_default(),
            "function_name_id" => frame.function = self.functions.get(&number(value)).cloned(),
            "line" => frame.line = small(value),
            "end_line" => frame.end_line = small(value),
            "column" => frame.column = small(value),
            "end_column" => frame.end_column = small(value),
            _ => {}
        })?;
        self.locations.insert(id, frame);
        Ok(())
    }

    fn frame(&mut self, id: i64, value: Piece<'t>) -> Read<()> {
        let (mut location, mut parent) = (0, 0);
        pairs(value, |key, value| match key.str {
            "file_location_id" => location = number(value),
            "parent_frame_id" => parent = number(value).saturating_sub(1),
            _ => {}
        })?;
        self.frames.insert(id, (location, parent));
        Ok(())
    }

    /// The source of a `metadata={..}`, and the fields that are kept as text.
    pub fn of_metadata(&mut self, metadata: Piece<'t>) -> Read<(SourceId, Option<Arc<str>>)> {
        if let Some(found) = self.seen.get(metadata.str) {
            return Ok(found.clone());
        }
        let (mut source, mut frame, mut stack) = (Source::default(), empty_frame(), 0);
        let (mut extra, mut has_place) = (String::new(), false);
        pairs(metadata, |key, value| {
            has_place |= key.str.starts_with("source_");
            match key.str {
                "op_name" => source.op_name = Some(text(value)),
                "op_type" => source.op_type = Some(text(value)),
                "source_file" => frame.file = text(value),
                "source_line" => frame.line = small(value),
                "source_end_line" => frame.end_line = small(value),
                "source_column" => frame.column = small(value),
                "source_end_column" => frame.end_column = small(value),
                "stack_frame_id" => stack = number(value),
                _ => drop(write!(extra, "{}{}={}", blank_between(&extra), key.str, value.str)),
            }
        })?;
        source.frames = self.stack(stack);
        if source.frames.is_empty() && has_place {
            source.frames.push(frame);
        }
        let extra = (!extra.is_empty()).then(|| extra.into());
        let found = (self.intern(source), extra);
        self.seen.insert(metadata.str, found.clone());
        Ok(found)
    }

    fn intern(&mut self, source: Source) -> SourceId {
        if source == Source::default() {
            return SourceId::unknown();
        }
        self.all.push(source)
    }

    /// The frames of a stack, innermost first.
    fn stack(&mut self, innermost: i64) -> Vec<Frame> {
        let limit = if self.kept_frames < MAX_ALL_FRAMES { MAX_FRAMES } else { 1 };
        let mut frames = Vec::new();
        let mut id = innermost;
        // Parents may lead in a circle, through frames without a location too.
        for _ in 0..limit {
            let Some((location, parent)) = self.frames.get(&id) else { break };
            frames.extend(self.locations.get(location).cloned());
            id = if *parent == id { 0 } else { *parent };
        }
        self.kept_frames += frames.len();
        frames
    }
}

fn blank_between(before: &str) -> &'static str {
    if before.is_empty() { "" } else { " " }
}

fn empty_frame() -> Frame {
    Frame { file: "".into(), function: None, line: 0, column: 0, end_line: 0, end_column: 0 }
}

/// The tables of a module that is being printed, filled as its metadata are.
#[derive(Default)]
pub(super) struct Tables<'m> {
    files: Table<&'m str>,
    functions: Table<&'m str>,
    locations: Table<Location<'m>>,
    /// (location, parent).
    frames: Table<(usize, usize)>,
    /// Per source: its `metadata` fields, and its frame. `None`: not asked for yet.
    metadata: Vec<Option<String>>,
}

/// File, function, then first and last (line, column).
type Location<'m> = (&'m str, Option<&'m str>, (u32, u32), (u32, u32));

/// Numbers things from 1 in the order they come.
struct Table<T> {
    ids: BTreeMap<T, usize>,
    items: Vec<T>,
}

impl<T> Default for Table<T> {
    fn default() -> Self {
        Table { ids: BTreeMap::new(), items: Vec::new() }
    }
}

impl<T: Ord + Clone> Table<T> {
    fn id(&mut self, item: T) -> usize {
        if let Some(id) = self.ids.get(&item) {
            return *id;
        }
        self.items.push(item.clone());
        self.ids.insert(item, self.items.len());
        self.items.len()
    }
}

impl<'m> Tables<'m> {
    /// The fields of a source's metadata without braces; empty if there are none.
    pub fn metadata(&mut self, module: &'m Module, source: SourceId) -> &str {
        let at = source.index();
        if self.metadata.len() <= at {
            self.metadata.resize(at + 1, None);
        }
        if self.metadata[at].is_none() {
            let text = module.sources.get(source).map_or(String::new(), |source| self.fields(source));
            self.metadata[at] = Some(text);
        }
        self.metadata[at].as_deref().unwrap_or("")
    }

    fn fields(&mut self, source: &'m Source) -> String {
        let mut out = String::new();
        let mut field = |text: String| {
            out.push_str(blank_between(&out));
            out.push_str(&text);
        };
        if let Some(op_type) = &source.op_type {
            field(format!("op_type={}", quote(op_type)));
        }
        if let Some(op_name) = &source.op_name {
            field(format!("op_name={}", quote(op_name)));
        }
        match &source.frames[..] {
            [] => {}
            [frame] if frame.function.is_none() => {
                field(format!("source_file={}", quote(&frame.file)));
                field(format!("source_line={} source_end_line={}", frame.line, frame.end_line));
                field(format!("source_column={} source_end_column={}", frame.column, frame.end_column));
            }
            frames => field(format!("stack_frame_id={}", self.stack(frames))),
        }
        out
    }

    fn stack(&mut self, frames: &'m [Frame]) -> usize {
        frames.iter().rev().fold(0, |parent, frame| {
            self.files.id(&frame.file);
            if let Some(function) = &frame.function {
                self.functions.id(function);
            }
            let ends = ((frame.line, frame.column), (frame.end_line, frame.end_column));
            let location = self.locations.id((&frame.file, frame.function.as_deref(), ends.0, ends.1));
            self.frames.id((location, parent))
        })
    }

    /// The four sections, each followed by an empty line; nothing if no stack was asked for.
    pub fn print(&mut self) -> String {
        let mut out = String::new();
        if self.frames.items.is_empty() {
            return out;
        }
        for (title, names) in [("FileNames", &self.files.items), ("FunctionNames", &self.functions.items)] {
            let _ = writeln!(out, "\n{title}");
            for (i, name) in names.iter().enumerate() {
                let _ = writeln!(out, "{} {}", i + 1, quote(name));
            }
        }
        let _ = writeln!(out, "\nFileLocations");
        for (i, frame) in self.locations.items.clone().into_iter().enumerate() {
            let _ = writeln!(out, "{} {}", i + 1, self.location(frame));
        }
        let _ = writeln!(out, "\nStackFrames");
        for (i, (location, parent)) in self.frames.items.iter().enumerate() {
            let _ = writeln!(out, "{} {{file_location_id={location} parent_frame_id={}}}", i + 1, parent + 1);
        }
        out.push('\n');
        out
    }

    fn location(&mut self, (file, function, start, end): Location<'m>) -> String {
        let function = match function {
            Some(function) => format!(" function_name_id={}", self.functions.id(function)),
            None => String::new(),
        };
        let lines = format!("line={} end_line={}", start.0, end.0);
        let columns = format!("column={} end_column={}", start.1, end.1);
        format!("{{file_name_id={}{function} {lines} {columns}}}", self.files.id(file))
    }
}
