//! Functions named before they are read, and meshes by name.
//!
//! While reading, a callee is the number of its *mention*; when all functions are known the mentions are replaced.

use super::tree::Text;
use meshwright_base::{Id, Span};
use meshwright_ir::{FuncId, InstId, ValueId};
use meshwright_shard::MeshId;
use std::collections::BTreeMap;

/// Mentioned function names, and the instructions that mention them.
#[derive(Default)]
pub struct Symbols<'a> {
    mentions: BTreeMap<Text<'a>, usize>,
    /// Name and first place of each mention.
    pub names: Vec<(Text<'a>, Span)>,
    /// Instructions that hold mentions instead of functions.
    pub users: Vec<(FuncId, InstId)>,
    /// Functions by name, with the place of the name.
    pub defined: BTreeMap<Text<'a>, (FuncId, Span)>,
    pub meshes: BTreeMap<Text<'a>, MeshId>,
    /// Meshes whose declaration was refused: what uses them is not told again.
    pub broken_meshes: Vec<Text<'a>>,
    /// Shapes that `rng` took from constants; those are dropped where nothing else uses them.
    pub rng_shapes: Vec<ValueId>,
}

impl<'a> Symbols<'a> {
    /// The stand-in for a function that may not have been read yet.
    pub fn mention(&mut self, name: Text<'a>, at: Span) -> FuncId {
        let names = &mut self.names;
        let number = *self.mentions.entry(name).or_insert_with_key(|name| {
            names.push((name.clone(), at));
            names.len() - 1
        });
        FuncId::from_index(number)
    }
}
