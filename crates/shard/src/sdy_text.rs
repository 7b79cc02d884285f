//! Shardy's attribute bodies as text, read and printed.
//!
//! ```text
//! mesh       <["x"=4, "y"=2], device_ids=[0, 2, 1, 3, 4, 6, 5, 7]>
//! sharding   <@mesh, [{"x":(1)2}, {"y", ?}p1], replicated={"z"}, unreduced=max{"w"}>
//!            <mesh<["a"=2]>, [{"a"}]>                 with its mesh inline
//! per value  <[<@mesh, [..]>, <@mesh, [..]>]>         or without the outer angle brackets
//! axes       {"x", "y":(2)2}     axis lists [{}, {"x"}]
//! ```
//! A leading `#sdy.sharding`, `#sdy.sharding_per_value` or `#sdy.mesh` is stepped over. Over which axes a value is
//! manual is not part of Shardy's text; the region around it says that.
//!
//! An inline mesh becomes the known mesh that has the same axes and devices, or a new one with an empty name; a mesh
//! with an empty name is printed inline.

use crate::axis_text::{self, Quote};
use crate::codes;
use crate::cursor::Cursor;
use crate::mesh::{AxisRef, Mesh, MeshId, Meshes};
use crate::sharding::Sharding;
use meshwright_base::Diagnostic;
use std::fmt::Write;

/// The meshes a text may speak of: by name, or inline (then added to the table).
pub struct MeshScope<'a> {
    pub meshes: &'a mut Meshes,
    pub by_name: &'a dyn Fn(&str) -> Option<MeshId>,
}

/// Reads one body after another from a text.
pub struct SdyReader<'a> {
    cursor: Cursor<'a>,
}

impl<'a> SdyReader<'a> {
    /// Spans of diagnostics count from `base`.
    pub fn new(text: &'a str, base: u32) -> Self {
        SdyReader { cursor: Cursor::new(text, base, codes::SDY_TEXT) }
    }

    /// Bytes read so far.
    pub fn consumed(&self) -> usize {
        self.cursor.at()
    }

    /// Steps over `token` if it comes next.
    pub fn eat(&mut self, token: &str) -> bool {
        self.cursor.eat(token)
    }

    pub fn expect(&mut self, token: &str) -> Result<(), Diagnostic> {
        self.cursor.expect(token)
    }

    pub fn integer(&mut self) -> Result<i64, Diagnostic> {
        self.cursor.integer()
    }

    /// A diagnostic about the text that was read from byte `start` on.
    pub fn error_since(&self, start: usize, message: impl Into<String>) -> Diagnostic {
        self.cursor.error_at(start, message)
    }

    /// An error unless the text is over.
    pub fn finish(&mut self) -> Result<(), Diagnostic> {
        self.cursor.finish()
    }

    /// `<["x"=4], device_ids=[..]>`.
    pub fn mesh(&mut self, name: &str) -> Result<Mesh, Diagnostic> {
        self.cursor.eat("#sdy.mesh");
        self.cursor.expect("<")?;
        let start = self.cursor.at();
        self.cursor.expect("[")?;
        let axes = axis_text::mesh_axes(&mut self.cursor)?;
        let order = if self.cursor.eat(",") { Some(self.device_ids()?) } else { None };
        self.cursor.expect(">")?;
        let cursor = &self.cursor;
        Mesh::new(name, axes, order).map_err(|wrong| wrong.at(cursor.span(start, cursor.at())))
    }

    fn device_ids(&mut self) -> Result<Vec<u32>, Diagnostic> {
        if !self.cursor.eat_word("device_ids") {
            return Err(self.cursor.expected("`device_ids`"));
        }
        self.cursor.expect("=")?;
        self.cursor.expect("[")?;
        self.cursor.list_until("]", |cursor| {
            cursor.peek();
            let start = cursor.at();
            let number = cursor.integer()?;
            u32::try_from(number).map_err(|_| {
                cursor.error_at(start, format!("{number} is no device")).help("devices are counted from 0")
            })
        })
    }

    /// `<@mesh, [..], ..>`.
    pub fn sharding(&mut self, scope: &mut MeshScope) -> Result<Sharding, Diagnostic> {
        self.cursor.eat("#sdy.sharding");
        self.cursor.expect("<")?;
        let id = self.mesh_or_symbol(scope)?;
        let mesh = &scope.meshes[id];
        self.cursor.expect(",")?;
        self.cursor.expect("[")?;
        let dims = self.cursor.list_until("]", |cursor| axis_text::dim(cursor, mesh))?;
        let mut sharding = Sharding { dims, ..Sharding::replicated(id, 0) };
        while !self.cursor.eat(">") {
            self.extra_axes(mesh, &mut sharding)?;
        }
        Ok(sharding)
    }

    /// `, replicated={..}` or `, unreduced={..}`.
    fn extra_axes(&mut self, mesh: &Mesh, sharding: &mut Sharding) -> Result<(), Diagnostic> {
        let cursor = &mut self.cursor;
        if !cursor.eat(",") {
            return Err(cursor.expected("`,` or `>`"));
        }
        if cursor.eat_word("replicated") {
            cursor.expect("=")?;
            sharding.replicated = axis_text::axes(cursor, mesh)?;
        } else if cursor.eat_word("unreduced") {
            cursor.expect("=")?;
            (sharding.reducer, sharding.partial) = axis_text::partial(cursor, mesh)?;
        } else {
            return Err(cursor.expected("`replicated` or `unreduced`"));
        }
        Ok(())
    }

    /// `@mesh` or `mesh<..>`.
    fn mesh_or_symbol(&mut self, scope: &mut MeshScope) -> Result<MeshId, Diagnostic> {
        if self.cursor.eat_word("mesh") {
            return Ok(inline(scope.meshes, self.mesh("")?));
        }
        self.cursor.peek();
        let start = self.cursor.at();
        if !self.cursor.eat("@") {
            return Err(self.cursor.expected("`@` and the name of a mesh, or `mesh<..>`"));
        }
        let name = axis_text::symbol(&mut self.cursor)?;
        let known = (scope.by_name)(&name).filter(|id| scope.meshes.get(*id).is_some());
        known.ok_or_else(|| {
            let span = self.cursor.span(start, self.cursor.at());
            Diagnostic::error(codes::UNKNOWN_MESH, format!("no mesh is called `{name}`"))
                .at(span)
                .help(format!("declare it: `sdy.mesh @{name} = <[\"x\"=2]>`"))
        })
    }

    /// `<[<..>, <..>]>` or `[<..>, <..>]`.
    pub fn shardings(&mut self, scope: &mut MeshScope) -> Result<Vec<Sharding>, Diagnostic> {
        self.cursor.eat("#sdy.sharding_per_value");
        let wrapped = self.cursor.eat("<");
        self.cursor.expect("[")?;
        let mut shardings = Vec::new();
        while !self.cursor.eat("]") {
            if !shardings.is_empty() {
                self.cursor.expect(",")?;
            }
            shardings.push(self.sharding(scope)?);
        }
        if wrapped {
            self.cursor.expect(">")?;
        }
        Ok(shardings)
    }

    /// `{"x", "y":(2)2}`.
    pub fn axes(&mut self, mesh: &Mesh) -> Result<Vec<AxisRef>, Diagnostic> {
        axis_text::axes(&mut self.cursor, mesh)
    }

    /// `[{}, {"x"}]`.
    pub fn axis_lists(&mut self, mesh: &Mesh) -> Result<Vec<Vec<AxisRef>>, Diagnostic> {
        self.cursor.expect("[")?;
        self.cursor.list_until("]", |cursor| axis_text::axes(cursor, mesh))
    }
}

/// The known mesh with the same axes and devices, else a new one without a name.
fn inline(meshes: &mut Meshes, mesh: Mesh) -> MeshId {
    let known = meshes.iter().find(|(_, known)| known.same_but_name(&mesh)).map(|(id, _)| id);
    known.unwrap_or_else(|| meshes.push(mesh))
}

/// Read all of `text` with `read`.
fn whole<'a, T>(
    text: &'a str,
    base: u32,
    read: impl FnOnce(&mut SdyReader<'a>) -> Result<T, Diagnostic>,
) -> Result<T, Diagnostic> {
    let mut reader = SdyReader::new(text, base);
    let value = read(&mut reader)?;
    reader.finish()?;
    Ok(value)
}

/// Read a text that is one mesh, which gets `name`.
pub fn parse_mesh(text: &str, base: u32, name: &str) -> Result<Mesh, Diagnostic> {
    whole(text, base, |reader| reader.mesh(name))
}

/// Read a text that is one sharding.
pub fn parse_sharding(text: &str, base: u32, scope: &mut MeshScope) -> Result<Sharding, Diagnostic> {
    whole(text, base, |reader| reader.sharding(scope))
}

/// Read a text that is a list of shardings.
pub fn parse_shardings(text: &str, base: u32, scope: &mut MeshScope) -> Result<Vec<Sharding>, Diagnostic> {
    whole(text, base, |reader| reader.shardings(scope))
}

/// Read a text that is one list of axes.
pub fn parse_axes(text: &str, base: u32, mesh: &Mesh) -> Result<Vec<AxisRef>, Diagnostic> {
    whole(text, base, |reader| reader.axes(mesh))
}

/// Read a text that is a list of lists of axes.
pub fn parse_axis_lists(text: &str, base: u32, mesh: &Mesh) -> Result<Vec<Vec<AxisRef>>, Diagnostic> {
    whole(text, base, |reader| reader.axis_lists(mesh))
}

/// `<["x"=4, "y"=2], device_ids=[..]>`.
pub fn print_mesh(mesh: &Mesh) -> String {
    let mut out = String::from("<[");
    for (index, axis) in mesh.axes.values().enumerate() {
        out.push_str(if index == 0 { "" } else { ", " });
        let _ = axis_text::write_mesh_axis(&mut out, axis, Quote::Double);
    }
    out.push(']');
    if let Some(order) = &mesh.order {
        let devices: Vec<_> = order.iter().map(u32::to_string).collect();
        let _ = write!(out, ", device_ids=[{}]", devices.join(", "));
    }
    out.push('>');
    out
}

/// `<@mesh, [{"x"}, {?}], unreduced={"y"}>`. Manual axes are not written.
pub fn print_sharding(sharding: &Sharding, meshes: &Meshes) -> String {
    let mesh = &meshes[sharding.mesh];
    let mut out = String::from("<");
    if mesh.name.is_empty() {
        out.push_str("mesh");
        out.push_str(&print_mesh(mesh));
    } else {
        out.push('@');
        let _ = axis_text::write_symbol(&mut out, &mesh.name);
    }
    out.push_str(", ");
    let _ = axis_text::write_dims(&mut out, mesh, &sharding.dims, Quote::Double);
    if !sharding.replicated.is_empty() {
        let _ = write!(out, ", replicated={}", print_axes(&sharding.replicated, mesh));
    }
    if !sharding.partial.is_empty() {
        let reducer = axis_text::reducer_prefix(sharding.reducer);
        let _ = write!(out, ", unreduced={reducer}{}", print_axes(&sharding.partial, mesh));
    }
    out.push('>');
    out
}

/// `[<@mesh, [..]>, <@mesh, [..]>]`.
pub fn print_shardings(shardings: &[Sharding], meshes: &Meshes) -> String {
    let each: Vec<_> = shardings.iter().map(|sharding| print_sharding(sharding, meshes)).collect();
    format!("[{}]", each.join(", "))
}

/// `{"x", "y":(2)2}`.
pub fn print_axes(axes: &[AxisRef], mesh: &Mesh) -> String {
    let mut out = String::new();
    let _ = axis_text::write_axes(&mut out, mesh, axes, Quote::Double);
    out
}

/// `[{}, {"x"}]`.
pub fn print_axis_lists(lists: &[Vec<AxisRef>], mesh: &Mesh) -> String {
    let each: Vec<_> = lists.iter().map(|axes| print_axes(axes, mesh)).collect();
    format!("[{}]", each.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh;

    fn meshes() -> Meshes {
        let mut meshes = Meshes::new();
        let axes = [("x", 4), ("y", 2), ("z", 2), ("w", 6)];
        meshes.push(Mesh::new("mesh", axes, None).unwrap());
        meshes.push(Mesh::new("odd name", [("a\"\\\n", 2)], Some(vec![1, 0])).unwrap());
        meshes.push(Mesh::maximal(crate::DeviceId::new(3)));
        meshes
    }

    fn read<T>(
        text: &str,
        meshes: &mut Meshes,
        parse: impl FnOnce(&str, u32, &mut MeshScope) -> Result<T, Diagnostic>,
    ) -> Result<T, Diagnostic> {
        let names = meshes.clone();
        parse(text, 50, &mut MeshScope { meshes, by_name: &|name| mesh::find(&names, name) })
    }

    #[test]
    fn every_form_prints_as_it_was_read() {
        for text in [
            "<@mesh, []>",
            "<@mesh, [{}, {?}, {\"x\"}, {\"y\", ?}]>",
            "<@mesh, [{\"x\":(1)2}, {\"y\", ?}p1], replicated={\"z\"}, unreduced=max{\"w\"}>",
            "<@mesh, [{\"x\":(2)2, \"w\":(1)3}p0, {\"w\":(3)2, ?}], unreduced={\"z\", \"y\"}>",
            "<@mesh, [], unreduced=min{\"x\"}>",
            "<@\"odd name\", [{\"a\\22\\\\\\0A\"}]>",
            "<@maximal_mesh_3, []>",
            "<mesh<[\"a\"=2]>, [{\"a\"}]>",
            "<mesh<[\"a\"=2, \"b\"=2], device_ids=[0, 1, 3, 2]>, [{\"b\"}, {}]>",
            "<mesh<[]>, [{?}]>",
        ] {
            let mut meshes = meshes();
            let sharding =
                read(text, &mut meshes, parse_sharding).unwrap_or_else(|wrong| panic!("{text}: {wrong}"));
            assert_eq!(print_sharding(&sharding, &meshes), text);
        }
    }

    #[test]
    fn lists_meshes_and_axes_round_trip() {
        let mut meshes = meshes();
        let list = "[<@mesh, [{\"x\"}]>, <@maximal_mesh_3, []>]";
        for text in [list.to_string(), format!("<{list}>"), format!("#sdy.sharding_per_value<{list}>")] {
            let shardings = read(&text, &mut meshes, parse_shardings).unwrap();
            assert_eq!(print_shardings(&shardings, &meshes), list);
        }
        for text in ["<[\"x\"=4, \"y\"=2]>", "<[\"x\"=2], device_ids=[1, 0]>", "<[], device_ids=[0]>", "<[]>"]
        {
            assert_eq!(print_mesh(&parse_mesh(text, 0, "m").unwrap()), text);
        }
        let mesh = meshes.values().next().unwrap();
        for text in ["[{}, {\"x\", \"w\":(2)3}]", "[]"] {
            assert_eq!(print_axis_lists(&parse_axis_lists(text, 0, mesh).unwrap(), mesh), text);
        }
        assert_eq!(print_axes(&parse_axes("{ \"y\" , \"x\" }", 0, mesh).unwrap(), mesh), "{\"y\", \"x\"}");
    }

    #[test]
    fn an_inline_mesh_that_is_known_becomes_the_known_one() {
        let mut meshes = meshes();
        let text = "<mesh<[\"x\"=4, \"y\"=2, \"z\"=2, \"w\"=6]>, [{\"x\"}]>";
        let sharding = read(text, &mut meshes, parse_sharding).unwrap();
        assert_eq!(print_sharding(&sharding, &meshes), "<@mesh, [{\"x\"}]>");
        assert_eq!(meshes.len(), 3);
    }

    #[test]
    fn the_text_may_be_the_inside_of_a_string() {
        let sharding = read("#sdy.sharding<@mesh, [{\\22x\\22}]>", &mut meshes(), parse_sharding).unwrap();
        assert_eq!(print_sharding(&sharding, &meshes()), "<@mesh, [{\"x\"}]>");
    }

    #[test]
    fn what_cannot_be_read_is_shown_where_it_stands() {
        let cases = [
            ("<@mash, []>", "no mesh is called `mash`", 51, 56),
            ("<@mesh, [{\"v\"}]>", "mesh `mesh` has no axis `v`", 60, 63),
            ("<@mesh, [{\"x\":(2)4}]>", "`x`:(2)4 is no piece of axis `x` of size 4", 60, 68),
            ("<@mesh, [{\"x\" \"y\"}]>", "expected `,` or `}`, found `\"`", 64, 65),
            ("<@mesh, [{?, \"y\"}]>", "expected `}` after `?`, found `,`", 61, 62),
            ("<@mesh, [], reduced={}>", "expected `replicated` or `unreduced`, found `reduced`", 62, 69),
            ("<@mesh, []", "expected `,` or `>`, found the end", 60, 60),
            ("<@mesh, []> x", "expected the end, found `x`", 62, 63),
            ("<@mesh, [], unreduced=avg{\"x\"}>", "`avg` is no reducer", 72, 75),
        ];
        for (text, message, start, end) in cases {
            let wrong = read(text, &mut meshes(), parse_sharding).expect_err(text);
            assert_eq!(wrong.message, message);
            let span = meshwright_base::Span { start, end };
            assert_eq!(wrong.place, Some(meshwright_base::diagnostic::Place::Span(span)), "{wrong}");
        }
    }
}
