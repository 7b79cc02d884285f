//! Runs that are the same in several studies are made once: training is deterministic, so a run of the same
//! configuration, seed included, that another study keeps is taken over.

use super::{RESULT, result};
use crate::studies::{RunResult, Variant};
use meshwright_base::SourceText;
use meshwright_train::Config;
use meshwright_train::run::RunDir;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

const CONFIG: &str = "config.toml";

/// Take over a run of this configuration from another study in the folder of all; whose it was.
pub fn take(all: &Path, config: &Config, variant: &Variant, dir: &RunDir) -> Option<PathBuf> {
    let text = config.write();
    let is_same = |run: &PathBuf| {
        fs::read_to_string(run.join(CONFIG)).is_ok_and(|other| whole(&other) == Some(text.clone()))
    };
    let studies = folders(all);
    let run = studies.iter().flat_map(|study| folders(study)).filter(|run| *run != dir.root).find(is_same)?;
    let found = result(&RunDir::new(run.clone()))?;
    let row = RunResult { variant: variant.name.into(), ..found };
    // Configuration and result come last: what was cut off is no run that was begun, and is made as any other.
    copy(&run, &dir.root).ok()?;
    dir.write(CONFIG, text.as_bytes()).ok()?;
    dir.write(RESULT, format!("{:#}\n", row.to_json()).as_bytes()).ok()?;
    Some(run)
}

/// A configuration with every field there is: what was written before there was one has its default.
fn whole(text: &str) -> Option<String> {
    Some(Config::read_whole(&SourceText::new(CONFIG, text)).ok()?.write())
}

/// Folders within, by name.
fn folders(path: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(path).into_iter().flatten().flatten();
    let mut folders: Vec<PathBuf> = entries.map(|entry| entry.path()).filter(|path| path.is_dir()).collect();
    folders.sort();
    folders
}

/// All files but those that say that a run was begun, and that it is done.
fn copy(from: &Path, to: &Path) -> io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let path = entry?.path();
        let Some(name) = path.file_name().filter(|name| *name != RESULT && *name != CONFIG) else { continue };
        if path.is_dir() {
            copy(&path, &to.join(name))?;
        } else {
            fs::copy(&path, to.join(name))?;
        }
    }
    Ok(())
}
