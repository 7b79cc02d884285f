//! Attributes the IR keeps but gives no meaning to: frontend attributes, layouts, result names.

use std::sync::Arc;

/// A value of such an attribute.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Attr {
    Unit,
    Str(Arc<str>),
    Dict(Attrs),
    /// MLIR or HLO text, verbatim.
    Raw(Arc<str>),
}

/// Named attributes in the order of the text.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Attrs(pub Vec<(Arc<str>, Attr)>);

impl Attrs {
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn get(&self, name: &str) -> Option<&Attr> {
        self.0.iter().find(|(key, _)| &**key == name).map(|(_, value)| value)
    }

    pub fn get_str(&self, name: &str) -> Option<&str> {
        match self.get(name)? {
            Attr::Str(text) => Some(text),
            _ => None,
        }
    }

    /// Set or replace.
    pub fn set(&mut self, name: &str, value: Attr) {
        match self.0.iter_mut().find(|(key, _)| &**key == name) {
            Some(entry) => entry.1 = value,
            None => self.0.push((name.into(), value)),
        }
    }

    pub fn remove(&mut self, name: &str) -> Option<Attr> {
        let at = self.0.iter().position(|(key, _)| &**key == name)?;
        Some(self.0.remove(at).1)
    }
}
