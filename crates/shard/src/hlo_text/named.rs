//! The named form (V3), which carries its mesh: `{mesh['a'=8,'b'=8], device_ids=([8,8]T(1,0)), [{'a'}, {'b':(2)4,
//! ?}]}`.
//!
//! ```text
//! {mesh['a'=8], replicated}   {mesh['a'=8], manual}   {mesh['a'=8], unreduced}      all axes, any rank
//! {mesh['a'=8,'b'=2], [{'a'}], replicated={..}, unreduced=max{'b'}, manual={..}}    some axes
//! {maximal_mesh[device_id=5]}   {single_device[device_id=5]}                        one device
//! ```
//! It is kept as a mesh and a sharding over it. The mesh is named after the word it began with, which is what tells the
//! two one-device forms apart; the sharding's mesh id means nothing.

use crate::axis_text;
use crate::cursor::Cursor;
use crate::digits;
use crate::hlo::{HloShardingKind, TileDevices};
use crate::mesh::{DeviceId, MAX_LISTED_DEVICES, Mesh, MeshId};
use crate::sharding::Sharding;
use meshwright_base::{Diagnostic, Id};

const ONE_DEVICE: [&str; 2] = ["maximal_mesh", "single_device"];

/// Whether a sharding that begins with this word is of the named form.
pub(super) fn begins(word: &str) -> bool {
    word == "mesh" || ONE_DEVICE.contains(&word)
}

/// What follows the first word, up to (not with) metadata or the closing brace.
pub(super) fn parse(cursor: &mut Cursor, word: &str) -> Result<HloShardingKind, Diagnostic> {
    let mesh = if word == "mesh" { mesh(cursor)? } else { one_device(cursor, word)? };
    let mut sharding = Sharding::replicated(MeshId::from_index(0), 0);
    while !ends(cursor) {
        part(cursor, &mesh, &mut sharding)?;
    }
    Ok(HloShardingKind::Named(Box::new((mesh, sharding))))
}

/// Whether the parts that need the mesh are over. Steps over the comma before each of them.
fn ends(cursor: &mut Cursor) -> bool {
    let rest = cursor.rest().trim_start();
    let rest = rest.strip_prefix(',').unwrap_or(rest).trim_start();
    let over = ["}", "metadata", "shard_as", "shard_like"].iter().any(|end| rest.starts_with(end));
    over || rest.is_empty() || !cursor.eat(",")
}

fn part(cursor: &mut Cursor, mesh: &Mesh, sharding: &mut Sharding) -> Result<(), Diagnostic> {
    if cursor.eat("[") {
        sharding.dims = cursor.list_until("]", |cursor| axis_text::dim(cursor, mesh))?;
        return Ok(());
    }
    cursor.peek();
    let start = cursor.at();
    let word = cursor.word();
    let listed = cursor.eat("=");
    match (word, listed) {
        ("replicated", true) => sharding.replicated = axis_text::axes(cursor, mesh)?,
        ("manual", true) => sharding.manual = axis_text::axes(cursor, mesh)?,
        ("unreduced", true) => (sharding.reducer, sharding.partial) = axis_text::partial(cursor, mesh)?,
        ("replicated", false) => {}
        ("manual", false) => sharding.manual = mesh.whole_axes(),
        ("unreduced", false) => sharding.partial = mesh.whole_axes(),
        _ => {
            return Err(cursor.error_at(start, format!("`{word}` is no part of a named sharding")).help(
                "after the mesh come `[{..}, ..]`, `replicated`, `unreduced`, `manual` or `metadata`",
            ));
        }
    }
    Ok(())
}

/// `['a'=8,'b'=8], device_ids=(..)`, from after `mesh`.
fn mesh(cursor: &mut Cursor) -> Result<Mesh, Diagnostic> {
    let start = cursor.at();
    cursor.expect("[")?;
    let axes = axis_text::mesh_axes(cursor)?;
    let rest = cursor.rest().trim_start();
    let ordered = rest.strip_prefix(',').is_some_and(|rest| rest.trim_start().starts_with("device_ids"));
    let order = if ordered { Some(device_ids(cursor)?) } else { None };
    Mesh::new("mesh", axes, order).map_err(|wrong| wrong.at(cursor.span(start, cursor.at())))
}

/// `, device_ids=(0,2,1,3)` or `, device_ids=([2,2]T(1,0))`.
fn device_ids(cursor: &mut Cursor) -> Result<Vec<u32>, Diagnostic> {
    cursor.expect(",")?;
    cursor.word();
    cursor.expect("=")?;
    cursor.expect("(")?;
    if cursor.peek() != Some(b'[') {
        return cursor.list_until(")", super::device);
    }
    let start = cursor.at();
    let iota = super::iota(cursor)?;
    cursor.expect(")")?;
    let (reshape, transpose) = match iota {
        TileDevices::Iota { reshape, transpose } => (reshape, transpose),
        TileDevices::List(list) => return Ok(list),
    };
    let wrong = |diagnostic: Diagnostic| diagnostic.at(cursor.span(start, cursor.at()));
    let count = crate::hlo::check_iota(&reshape, &transpose).map_err(wrong)?;
    if count > MAX_LISTED_DEVICES {
        let message = format!("a device order of {count} devices is too long to keep");
        return Err(cursor.error_at(start, message).help(format!(
            "name the axes of the mesh in the order of the devices, or use at most {MAX_LISTED_DEVICES} devices"
        )));
    }
    let (_, order) = digits::iota(&reshape, &transpose);
    Ok((0..count).map(|position| digits::compose(&order, position) as u32).collect())
}

/// `[device_id=5]`.
fn one_device(cursor: &mut Cursor, word: &str) -> Result<Mesh, Diagnostic> {
    cursor.expect("[")?;
    if !cursor.eat_word("device_id") {
        return Err(cursor.expected("`device_id`"));
    }
    cursor.expect("=")?;
    let device = super::device(cursor)?;
    cursor.expect("]")?;
    Ok(Mesh { name: word.into(), ..Mesh::maximal(DeviceId::new(device)) })
}
