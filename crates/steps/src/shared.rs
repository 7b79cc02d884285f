//! Buffers that are one: unions that passes make, and everybody follows.

use crate::region::BufId;
use meshwright_base::{Id, IdMap};

/// Which buffers are one: each leads to the one whose place is that of all.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Shared(IdMap<BufId, BufId>);

impl Shared {
    pub fn root(&self, mut buf: BufId) -> BufId {
        while let Some(next) = self.0.get(buf).filter(|next| **next != buf) {
            buf = *next;
        }
        buf
    }

    /// Let a root be where another one is.
    pub fn put(&mut self, root: BufId, into: BufId) {
        while self.0.len() <= root.index() {
            self.0.push(BufId::from_index(self.0.len()));
        }
        self.0[root] = into;
    }
}
