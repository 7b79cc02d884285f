//! Readers of the packages that a translation corpus is made of.
//!
//! ```text
//! .deb --Package::read--> help pages --help::paragraphs--+
//!                    '--> .mo --mo::messages-------------+--> LanguagePairs::add
//!                    '--> installation guide --guide::Guide--> LanguagePairs::add_guide, for the test split only
//! ```
//!
//! They read bytes and do no I/O.

mod deb;
mod guide;
mod help;
mod mo;
mod tar;

pub use deb::Package;
pub use guide::{GUIDE, Guide, is_guide_page};
pub use help::{is_page, paragraphs};
pub use mo::{Message, messages};
pub use tar::ArchivedFile;

use meshwright_base::Code;
use sha2::Digest;

/// Code of diagnostics about an archive or catalogue that cannot be read.
pub const BROKEN: Code = Code(1162);

/// Returns the digest as `sha256sum` prints it.
pub fn sha256(bytes: &[u8]) -> String {
    sha2::Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}
