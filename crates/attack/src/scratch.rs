//! A folder for the parts of one bundle, emptied before the next.

use crate::bundle::NamedBytes;
use std::fs;
use std::path::{Path, PathBuf};

/// A folder of this thread.
pub struct Scratch(PathBuf);

impl Scratch {
    pub fn new(kind: &str) -> Scratch {
        let thread = format!("{:?}", std::thread::current().id());
        let digits: String = thread.chars().filter(char::is_ascii_digit).collect();
        let name = format!("meshwright-attack-{}-{digits}-{kind}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).expect("the temporary directory takes folders");
        Scratch(folder)
    }

    pub fn path(&self) -> &Path {
        &self.0
    }

    /// Writes parts with names that stay within the folder. A name that the file system refuses is left out.
    pub fn fill(&self, parts: &[NamedBytes]) {
        for (name, bytes) in parts {
            let is_plain = |part: &str| !matches!(part, "" | "." | "..") && !part.contains(['\\', '\0']);
            if !name.split('/').all(is_plain) || name.len() > 200 {
                continue;
            }
            let path = self.0.join(name);
            let made = path.parent().map_or(Ok(()), fs::create_dir_all);
            let _ = made.and_then(|()| fs::write(&path, bytes));
        }
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}
