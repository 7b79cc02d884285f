//! HLO shardings as text: `{devices=[4,1,2]<=[8] last_tile_dim_replicate}` and every other form XLA and JAX write.
//!
//! ```text
//! {replicated}  {manual}  {unknown}  {unreduced}  {maximal device=3}
//! {devices=[2,2]0,2,1,3}                                   tile list (V1)
//! {devices=[2,1,2]<=[2,2]T(1,0) last_tile_dims={manual}}   iota (V2)
//! {mesh['a'=8,'b'=8], [{'a'}, {?}], unreduced={'b'}}       named (V3), see `named.rs`
//! {{replicated}, /*index=1*/{manual}}  {}                  one per leaf of a tuple
//! ```
//! Each may end in `shard_as 1` or `shard_like 1` and in `metadata={..}`. What is printed reads back to the same value,
//! in the form XLA prints: canonical blanks, `T(..)` left out when it changes nothing.

mod named;
mod print;

use crate::codes;
use crate::cursor::Cursor;
use crate::hlo::{HloSharding, HloShardingKind, ShardGroup, Subgroup, TileDevices};
use meshwright_base::Diagnostic;

/// Read a text that is one sharding and nothing else. Spans count from `base`.
pub fn parse_hlo_sharding(text: &str, base: u32) -> Result<HloSharding, Diagnostic> {
    let mut cursor = Cursor::new(text, base, codes::HLO_TEXT);
    let sharding = top_level(&mut cursor)?;
    cursor.finish()?;
    Ok(sharding)
}

/// Read the sharding a text begins with, and tell how many bytes it took.
pub fn parse_hlo_sharding_prefix(text: &str, base: u32) -> Result<(HloSharding, usize), Diagnostic> {
    let mut cursor = Cursor::new(text, base, codes::HLO_TEXT);
    let sharding = top_level(&mut cursor)?;
    Ok((sharding, cursor.at()))
}

/// A sharding, or a tuple of shardings. HLO flattens tuples to their leaves, so one level is all there is.
fn top_level(cursor: &mut Cursor) -> Result<HloSharding, Diagnostic> {
    cursor.expect("{")?;
    match cursor.peek() {
        Some(b'{' | b'}') => {
            let leaves = cursor.list_until("}", leaf)?;
            Ok(HloSharding { kind: HloShardingKind::Tuple(leaves), group: None, metadata: Vec::new() })
        }
        _ => body(cursor),
    }
}

fn leaf(cursor: &mut Cursor) -> Result<HloSharding, Diagnostic> {
    cursor.expect("{")?;
    if let Some(b'{' | b'}') = cursor.peek() {
        return Err(cursor
            .expected("a sharding")
            .help("list the leaves of nested tuples one after the other"));
    }
    body(cursor)
}

/// What stands after the opening brace, up to and with the closing one.
fn body(cursor: &mut Cursor) -> Result<HloSharding, Diagnostic> {
    let mut fields = Fields { start: cursor.at(), ..Fields::default() };
    while !cursor.eat("}") {
        cursor.peek();
        let start = cursor.at();
        let word = cursor.word();
        if word.is_empty() {
            return Err(cursor.expected("a sharding"));
        }
        if named::begins(word) {
            let named = named::parse(cursor, word)?;
            fields.set_kind(cursor, start, word, named)?;
        } else {
            fields.read(cursor, start, word)?;
        }
        cursor.eat(",");
    }
    fields.finish(cursor)
}

/// What a text said so far. XLA takes the parts in any order.
#[derive(Default)]
struct Fields {
    start: usize,
    kind: Option<HloShardingKind>,
    tiles: Option<(Vec<i64>, TileDevices)>,
    subgroups: Option<Vec<Subgroup>>,
    last_tile_dim_replicate: bool,
    maximal: bool,
    device: Option<i64>,
    group: Option<ShardGroup>,
    metadata: Vec<String>,
}

impl Fields {
    fn read(&mut self, cursor: &mut Cursor, start: usize, word: &str) -> Result<(), Diagnostic> {
        match word {
            "replicated" => self.set_kind(cursor, start, word, HloShardingKind::Replicated)?,
            "manual" => self.set_kind(cursor, start, word, HloShardingKind::Manual)?,
            "unknown" => self.set_kind(cursor, start, word, HloShardingKind::Unknown)?,
            "unreduced" => self.set_kind(cursor, start, word, HloShardingKind::Unreduced)?,
            "maximal" => self.maximal = true,
            "device" => {
                cursor.expect("=")?;
                self.device = Some(cursor.integer()?);
            }
            "devices" => {
                cursor.expect("=")?;
                self.tiles = Some(tile_assignment(cursor)?);
            }
            "last_tile_dim_replicate" => {
                self.last_tile_dim_replicate = true;
                self.subgroups = Some(vec![Subgroup::Replicated]);
            }
            "last_tile_dims" => {
                cursor.expect("=")?;
                cursor.expect("{")?;
                self.subgroups = Some(cursor.list_until("}", subgroup)?);
            }
            "shard_as" => self.group = Some(ShardGroup::As(cursor.integer()?)),
            "shard_like" => self.group = Some(ShardGroup::Like(cursor.integer()?)),
            "metadata" => self.metadata = metadata(cursor)?,
            _ => {
                return Err(cursor.error_at(start, format!("`{word}` is no part of a sharding")).help(
                    "a sharding begins with `replicated`, `manual`, `unknown`, `unreduced`, `maximal device=`, \
                     `devices=` or `mesh[`",
                ));
            }
        }
        Ok(())
    }

    fn set_kind(
        &mut self,
        cursor: &Cursor,
        start: usize,
        word: &str,
        kind: HloShardingKind,
    ) -> Result<(), Diagnostic> {
        if self.kind.is_some() {
            return Err(
                cursor.error_at(start, format!("`{word}` contradicts what came before in this sharding"))
            );
        }
        self.kind = Some(kind);
        Ok(())
    }

    fn finish(self, cursor: &Cursor) -> Result<HloSharding, Diagnostic> {
        let wrong = |message: &str| Err(cursor.error_at(self.start, message));
        let kind = match (self.kind, self.tiles, self.maximal, self.device) {
            (Some(kind), None, false, None) if self.subgroups.is_none() => kind,
            (None, None, true, Some(device)) if self.subgroups.is_none() => {
                HloShardingKind::Maximal { device }
            }
            (None, Some((tiles, devices)), false, None) => HloShardingKind::Tiled {
                tiles,
                devices,
                subgroups: self.subgroups.unwrap_or_default(),
                last_tile_dim_replicate: self.last_tile_dim_replicate,
            },
            (_, _, true, None) => return wrong("a maximal sharding needs its `device=`"),
            (None, None, false, None) => return wrong("this says nothing of how the value is split"),
            _ => return wrong("the parts of this sharding contradict each other"),
        };
        let sharding = HloSharding { kind, group: self.group, metadata: self.metadata };
        match sharding.verify() {
            Ok(()) => Ok(sharding),
            Err(wrong) => Err(wrong.at(cursor.span(self.start, cursor.at()))),
        }
    }
}

/// `[2,2]0,2,1,3` or `[2,2]<=[2,2]T(1,0)`.
fn tile_assignment(cursor: &mut Cursor) -> Result<(Vec<i64>, TileDevices), Diagnostic> {
    cursor.expect("[")?;
    let tiles = cursor.integers_until("]")?;
    if cursor.eat("<=") {
        return Ok((tiles, iota(cursor)?));
    }
    let mut devices = vec![device(cursor)?];
    while cursor.eat(",") {
        devices.push(device(cursor)?);
    }
    Ok((tiles, TileDevices::List(devices)))
}

fn device(cursor: &mut Cursor) -> Result<u32, Diagnostic> {
    cursor.peek();
    let start = cursor.at();
    let number = cursor.integer()?;
    u32::try_from(number).map_err(|_| {
        cursor.error_at(start, format!("{number} is no device")).help("devices are counted from 0")
    })
}

/// `[4,2]T(1,0)`; without `T` the order is that of the dims.
fn iota(cursor: &mut Cursor) -> Result<TileDevices, Diagnostic> {
    cursor.expect("[")?;
    let reshape = cursor.integers_until("]")?;
    if !cursor.eat("T") {
        let transpose = (0..reshape.len()).collect();
        return Ok(TileDevices::Iota { reshape, transpose });
    }
    cursor.expect("(")?;
    let start = cursor.at();
    let transpose = cursor.integers_until(")")?;
    let transpose: Option<Vec<usize>> = transpose.iter().map(|dim| usize::try_from(*dim).ok()).collect();
    let Some(transpose) = transpose else {
        return Err(cursor.error_at(start, "a transpose has no negative dims"));
    };
    Ok(TileDevices::Iota { reshape, transpose })
}

fn subgroup(cursor: &mut Cursor) -> Result<Subgroup, Diagnostic> {
    cursor.peek();
    let start = cursor.at();
    match cursor.word() {
        "replicated" => Ok(Subgroup::Replicated),
        "manual" => Ok(Subgroup::Manual),
        "unreduced" => Ok(Subgroup::Unreduced),
        word => Err(cursor
            .error_at(start, format!("`{word}` is no type of a tile dim"))
            .help("write `replicated`, `manual` or `unreduced`")),
    }
}

/// `={op_name="a"}` or `={{op_name="a"}, {op_name="b"}}`, each entry verbatim.
fn metadata(cursor: &mut Cursor) -> Result<Vec<String>, Diagnostic> {
    cursor.expect("=")?;
    cursor.expect("{")?;
    if cursor.peek() != Some(b'{') {
        let entry = cursor.until_closing_brace()?.trim_end().to_string();
        cursor.expect("}")?;
        return Ok(vec![entry]);
    }
    cursor.list_until("}", |cursor| {
        cursor.expect("{")?;
        let entry = cursor.until_closing_brace()?.trim().to_string();
        cursor.expect("}")?;
        Ok(entry)
    })
}

#[cfg(test)]
mod tests;
