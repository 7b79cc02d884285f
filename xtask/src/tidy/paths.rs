//! No paths of somebody's machine: they are wrong everywhere else.

use super::Finding;
use super::tree::File;

/// First folders of paths that only exist where something was written. Kept apart from their slashes, or this file
/// would find itself.
const FOLDERS: &[&str] = &["work", "root", "home", "farm", "Users"];

/// Lines that hold an absolute path into one of [`FOLDERS`].
pub fn paths(file: &File) -> Vec<Finding> {
    let lines = file.text.lines().enumerate();
    lines
        .filter_map(|(at, line)| {
            let folder = machine_folder(line)?;
            Some(Finding::new(file, at + 1, format!("a path of somebody's machine: /{folder}/")))
        })
        .collect()
}

/// The folder of the first machine path in `line`. A path that goes on from a name or a dot is relative and fine, and
/// one that names nothing in its folder is no path (this is how checks spell what they look for).
fn machine_folder(line: &str) -> Option<&'static str> {
    let goes_on = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '}' | '*' | '~');
    FOLDERS.iter().copied().find(|folder| {
        let needle = format!("/{folder}/");
        let names = |rest: &str| rest.starts_with(|c: char| c.is_alphanumeric() || c == '.' || c == '_');
        line.match_indices(&needle)
            .any(|(at, _)| !line[..at].ends_with(goes_on) && names(&line[at + needle.len()..]))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str) -> Vec<usize> {
        paths(&File { path: "a.md".into(), text: text.into() }).into_iter().map(|found| found.line).collect()
    }

    #[test]
    fn absolute_paths_into_a_machine_are_found() {
        let slash = "/";
        assert_eq!(check(&format!("see\n`{slash}work/main`")), [2]);
        assert_eq!(check(&format!("loc(\"{slash}home/me/a.py\")")), [1]);
    }

    #[test]
    fn relative_paths_and_addresses_are_fine() {
        assert_eq!(check("docs/work/a, ../root/b, https://example.org/home/x, '/home/'"), []);
    }
}
