//! Pairs of a sentence and its English, out of packages that translators of free software fill.
//!
//! ```text
//! .deb --Package::read--> help pages --help::paragraphs--+
//!                    '--> .mo --mo::messages-------------+--> LanguagePairs::add --> Sizes::split --> train, dev, test
//!                    '--> installation guide --guide::Guide--> LanguagePairs::add_guide --> guide, to test only
//! ```
//!
//! Pure but for the writing: who calls reads packages and catalogues. The same bytes give the same corpus.

mod clean;
mod corpus;
mod deb;
mod guide;
mod help;
mod markup;
mod mo;
mod split;
mod tar;

pub use clean::{Pair, Reason};
pub use corpus::{GUIDE_FOLDER, LanguagePairs, MANIFEST, Origin, write};
pub use deb::Package;
pub use guide::{GUIDE, Guide, is_guide_page};
pub use help::{Paragraphs, is_page, paragraphs};
pub use mo::{Message, messages};
pub use split::{Sizes, Split};
pub use tar::ArchivedFile;

use meshwright_base::Code;
use sha2::Digest;

/// An archive or a catalogue that cannot be read.
pub const BROKEN: Code = Code(1162);

/// As `sha256sum` prints it.
pub fn sha256(bytes: &[u8]) -> String {
    sha2::Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}
