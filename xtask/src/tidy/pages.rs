//! Links between pages lead somewhere, and every page that tells how something is done can be found from another.
//!
//! Looked at are links to files and headings of this repository, outside of code. A page of [`LISTED`] that no other
//! page links by its name is one that nobody reads. Rust files that a page names in backticks are there, by that name
//! or the end of a path; capitals (`FAMILY.rs`) stand for a name, and decisions and changes are told as they were.

use super::Finding;
use super::tree::File;
use std::collections::BTreeSet;

/// Folders whose pages are read because another page sends one there.
const LISTED: &[&str] = &["docs/howto/", "docs/guide/"];

/// Pages of what was: files they name may have gone since.
const PAST: &[&str] = &["docs/adr/", "CHANGELOG.md"];

/// Links that lead nowhere, pages that no link leads to, and names of files that are not there.
pub fn pages(files: &[File]) -> Vec<Finding> {
    let pages: Vec<&File> = files.iter().filter(|file| file.path.ends_with(".md")).collect();
    let mut found = Vec::new();
    let mut reached = BTreeSet::new();
    for page in &pages {
        found.extend(gone(page, files));
        for link in links(page) {
            found.extend(dead(page, &link, files));
            if link.path != page.path {
                reached.insert(link.path);
            }
        }
    }
    let listed = pages.iter().filter(|page| LISTED.iter().any(|folder| page.path.starts_with(folder)));
    let lost = listed.filter(|page| !reached.contains(&page.path));
    found.extend(lost.map(|page| Finding::new(page, 1, "no other page links this one: nobody finds it")));
    found
}

/// A link to a file of the repository.
struct Link {
    line: usize,
    /// From the root of the repository; empty for the root itself.
    path: String,
    heading: Option<String>,
}

fn links(page: &File) -> Vec<Link> {
    let targets = prose(&page.text).into_iter().flat_map(|(line, text)| {
        let starts = text.match_indices("](").map(|(at, start)| at + start.len());
        let targets = starts.filter_map(|at| Some(text[at..].split_once(')')?.0));
        targets.map(|target| (line, target)).collect::<Vec<_>>()
    });
    let ours = targets.filter(|(_, target)| !target.contains(':') && !target.contains(' '));
    ours.map(|(line, target)| {
        let (path, heading) = target.split_once('#').unwrap_or((target, ""));
        let path = if path.is_empty() { page.path.clone() } else { beside(&page.path, path) };
        Link { line, path, heading: (!heading.is_empty()).then(|| heading.to_string()) }
    })
    .collect()
}

/// The lines of a page that are not within a block of code, numbered from 1.
fn prose(text: &str) -> Vec<(usize, &str)> {
    let mut is_code = false;
    let outside = |(_, line): &(usize, &str)| {
        let is_fence = line.trim_start().starts_with("```");
        is_code ^= is_fence;
        !is_code && !is_fence
    };
    text.lines().enumerate().filter(outside).map(|(at, line)| (at + 1, line)).collect()
}

/// A path that a page names, from the root.
fn beside(page: &str, path: &str) -> String {
    let mut steps: Vec<&str> = page.split('/').collect();
    steps.pop();
    for step in path.split('/') {
        match step {
            "" | "." => {}
            ".." => {
                steps.pop();
            }
            name => steps.push(name),
        }
    }
    steps.join("/")
}

fn dead(page: &File, link: &Link, files: &[File]) -> Option<Finding> {
    let folder = format!("{}/", link.path);
    let is_folder = link.path.is_empty() || files.iter().any(|file| file.path.starts_with(&folder));
    let target = files.iter().find(|file| file.path == link.path);
    let message = match (target, &link.heading) {
        (None, _) if is_folder || is_picture(&link.path) => return None,
        (None, _) => format!("there is no {}: the link leads nowhere", link.path),
        (Some(target), Some(heading)) if !headings(&target.text).contains(heading) => {
            format!("{} has no heading `#{heading}`", link.path)
        }
        (Some(_), _) => return None,
    };
    Some(Finding::new(page, link.line, message))
}

/// Rust files that a page names and nobody has.
fn gone(page: &File, files: &[File]) -> Vec<Finding> {
    if PAST.iter().any(|past| page.path.starts_with(past)) {
        return Vec::new();
    }
    let is_there =
        |name: &str| files.iter().any(|file| file.path == name || file.path.ends_with(&format!("/{name}")));
    let names = prose(&page.text).into_iter().flat_map(|(line, text)| {
        text.split('`').skip(1).step_by(2).filter(|name| is_rust_file(name)).map(move |name| (line, name))
    });
    let message = |name| format!("there is no file `{name}`");
    let gone = names.filter(|(_, name)| !is_there(name));
    gone.map(|(line, name)| Finding::new(page, line, message(name))).collect()
}

fn is_rust_file(name: &str) -> bool {
    name.ends_with(".rs")
        && name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || "/._-".contains(c))
}

/// Pictures are no text, and not among the files that rules see.
fn is_picture(path: &str) -> bool {
    path.ends_with(".png")
}

/// The headings of a page as links name them: small letters, no punctuation, `-` for a space.
fn headings(text: &str) -> BTreeSet<String> {
    let lines = prose(text).into_iter().filter(|(_, line)| line.starts_with('#'));
    let name = |line: &str| -> String {
        let words = line.trim_start_matches('#').trim().to_lowercase();
        let kept = words.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
        kept.map(|c| if c == ' ' { '-' } else { c }).collect()
    };
    lines.map(|(_, line)| name(line)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(page: &str) -> Vec<String> {
        let file = |path: &str, text: &str| File { path: path.into(), text: text.into() };
        let other = "# A\n[b](b.md)\n## The passes: what `dce` does\n```\n# no heading\n```\n";
        let files =
            [file("docs/howto/a.md", other), file("docs/howto/b.md", page), file("src/x.rs", "//! X.\n")];
        let found = pages(&files);
        found.into_iter().map(|found| format!("{}:{}: {}", found.path, found.line, found.message)).collect()
    }

    const LINKED: &str = "[a](a.md)\n";

    #[test]
    fn links_lead_to_files_folders_and_headings() {
        let good =
            "[a](a.md#the-passes-what-dce-does) [x](../../src/x.rs), [src](../../src), [here](#b)\n# B\n";
        let outside = "[w](https://example.org/a.md)\n```\n[n](nowhere.md)\n```\n";
        assert_eq!(check(&format!("{good}{outside}")), [""; 0]);
        let nowhere = check(&format!("{LINKED}[n](nowhere.md) [o](../x.rs)"));
        let message = |path: &str| format!("docs/howto/b.md:2: there is no {path}: the link leads nowhere");
        assert_eq!(nowhere, [message("docs/howto/nowhere.md"), message("docs/x.rs")]);
        for heading in ["gone", "no-heading"] {
            let found = check(&format!("{LINKED}[a](a.md#{heading})"));
            assert_eq!(found, [format!("docs/howto/b.md:2: docs/howto/a.md has no heading `#{heading}`")]);
        }
    }

    #[test]
    fn rust_files_that_a_page_names_are_there() {
        assert_eq!(
            check(&format!("{LINKED}`x.rs`, `src/x.rs`, `crates/FAMILY.rs`, `*.rs`, `y.rs z`\n")),
            [""; 0]
        );
        assert_eq!(
            check(&format!("{LINKED}`x.rs` or `tests/x.rs`\n")),
            ["docs/howto/b.md:2: there is no file `tests/x.rs`"]
        );
    }

    #[test]
    fn a_page_that_no_other_links_is_found() {
        let lost = "docs/howto/a.md:1: no other page links this one: nobody finds it";
        assert_eq!(check("# B\n[b](b.md)\n"), [lost]);
        assert_eq!(check(LINKED), [""; 0]);
    }
}
