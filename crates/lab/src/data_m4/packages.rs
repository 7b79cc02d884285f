//! Where packages lie: a folder of `.deb` files, which `apt-get download` fills.

use meshwright_base::arrange::Arrange;
use meshwright_base::{Code, Diagnostic};
use meshwright_cli::failure::{Failure, Fault};
use meshwright_cli::input::unreadable;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

const FOLDER: Code = Code(1166);

/// Files of packages, by name.
pub struct Packages(BTreeMap<String, PathBuf>);

impl Packages {
    /// Those that lie in a folder; of several of one name the last in the order of their names.
    pub fn within(folder: &Path) -> Result<Packages, Failure> {
        let entries =
            std::fs::read_dir(folder).map_err(|error| unreadable(&folder.display().to_string(), &error))?;
        let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
        paths.arrange();
        let mut found = BTreeMap::new();
        for path in paths.into_iter().filter(|path| path.extension().is_some_and(|end| end == "deb")) {
            let file = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
            let name = file.split('_').next().unwrap_or("").trim_end_matches(".deb").to_string();
            found.insert(name, path);
        }
        Ok(Packages(found))
    }

    /// The same after those that are wanted and not there were downloaded. One that could not be is noted.
    pub fn downloaded(
        folder: &Path,
        wanted: &[String],
        notes: &mut Vec<String>,
    ) -> Result<Packages, Failure> {
        std::fs::create_dir_all(folder).map_err(|error| {
            let message = format!("cannot make the folder `{}`: {error}", folder.display());
            Failure::new(
                Fault::Environment,
                Diagnostic::error(FOLDER, message).help("name another with `--out`"),
            )
        })?;
        let there = Packages::within(folder)?;
        for name in wanted.iter().filter(|name| there.path(name).is_none()) {
            if let Err(why) = download(folder, name) {
                notes.push(format!("package `{name}` was not downloaded: {why}"));
            }
        }
        Packages::within(folder)
    }

    pub fn path(&self, name: &str) -> Option<&Path> {
        self.0.get(name).map(PathBuf::as_path)
    }
}

/// One package; apt writes it whole or not at all.
fn download(folder: &Path, name: &str) -> Result<(), String> {
    let mut command = Command::new("apt-get");
    let ended = command.args(["-q", "download", name]).current_dir(folder).env("LC_ALL", "C").output();
    let ended = ended.map_err(|error| format!("`apt-get` does not start: {error}"))?;
    if ended.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&ended.stderr).into_owned();
    let errors = said.lines().rev().find(|line| line.starts_with("E:"));
    Err(errors.map_or_else(|| format!("`apt-get download` ended with {}", ended.status), str::to_string))
}
