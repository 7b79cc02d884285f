//! Debian packages and catalogues of gettext.

use crate::{bundle, formats, judge_refusal};
use meshwright_lab::corpus::{Package, messages};

/// Checks a package: the bytes of its files are bounded by its unpacked archives.
pub fn deb(bytes: &[u8]) -> bool {
    let assembled = bundle::split(bytes).map(|parts| formats::deb(&parts));
    match Package::read("x.deb", assembled.as_deref().unwrap_or(bytes), |_| true) {
        Ok(package) => {
            assert_eq!(package.sha256.len(), 64);
            assert!(package.files.iter().all(|file| !file.path.starts_with("./")));
            true
        }
        Err(refusal) => judge_refusal(&refusal, None),
    }
}

/// Translations are texts: the reader never makes more of them than the catalogue holds, eight times over.
pub fn catalogue(bytes: &[u8]) -> bool {
    let assembled = bundle::split(bytes).map(|parts| formats::catalogue(&parts));
    let file = assembled.as_deref().unwrap_or(bytes);
    match messages("x.mo", file) {
        Ok(found) => {
            let length: usize = found.iter().map(|(from, to)| from.len() + to.len()).sum();
            // Latin-1 doubles, and a plural repeats.
            assert!(length <= 4 * 8 * file.len().max(1), "{length} bytes of texts from {}", file.len());
            assert!(found.iter().all(|(_, to)| !to.is_empty()));
            true
        }
        Err(refusal) => judge_refusal(&refusal, None),
    }
}
