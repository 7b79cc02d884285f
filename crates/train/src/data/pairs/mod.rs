//! Corpora of sentence pairs: a sentence and its English translation, cleaned, split and written.
//!
//! ```text
//! messages, help pages --LanguagePairs::add--> clean --> Sizes::split --> train, dev, test
//! ```
//!
//! Equal pairs give equal corpora. The readers of packages and catalogues are in `crates/lab`.

mod clean;
mod corpus;
pub mod markup;
mod split;

pub use clean::{Pair, Reason};
pub use corpus::{GUIDE_FOLDER, LanguagePairs, MANIFEST, Origin, write};
pub use split::{Sizes, Split};

use std::collections::BTreeMap;

/// The text of paragraphs, by page and id.
pub type Paragraphs = BTreeMap<(String, String), String>;
