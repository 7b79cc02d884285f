//! All pages together: they are on the list, their links lead somewhere, and each stands in the navigation.

use crate::highlight::escape;
use crate::page::{Page, as_html};
use crate::search;
use crate::summary::{Entry, Link, parse};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

const SUMMARY: &str = "docs/SUMMARY.md";
const STYLE: &str = include_str!("../assets/style.css");
const SCRIPT: &str = include_str!("../assets/book.js");
const ICON: &str = include_str!("../assets/icon.svg");

pub struct Site {
    root: PathBuf,
    entries: Vec<Entry>,
    /// By path from the root.
    pages: BTreeMap<String, Page>,
}

/// A file of the site: where it lies, and what is in it.
pub type File = (PathBuf, Vec<u8>);

impl Site {
    /// The pages that the list names; or everything that is wrong with them.
    pub fn read(root: &Path) -> Result<Site, Vec<String>> {
        let text = std::fs::read_to_string(root.join(SUMMARY))
            .map_err(|error| vec![format!("{SUMMARY}: {error}")])?;
        let entries = parse(&text)?;
        let mut faults = Vec::new();
        let mut pages = BTreeMap::new();
        for link in links(&entries) {
            let path = format!("docs/{}", link.path);
            match std::fs::read_to_string(root.join(&path)) {
                Ok(text) => {
                    if pages.insert(path.clone(), Page::read(&path, &text)).is_some() {
                        faults.push(format!("{SUMMARY}: {} stands there twice", link.path));
                    }
                }
                Err(_) => faults.push(format!("{SUMMARY}: there is no {path}")),
            }
        }
        let listed: BTreeSet<String> = links(&entries).map(|link| format!("docs/{}", link.path)).collect();
        let lost = written(&root.join("docs")).into_iter().map(|path| format!("docs/{path}"));
        let lost = lost.filter(|path| path != SUMMARY && !listed.contains(path));
        faults.extend(lost.map(|path| format!("{path}: no line of {SUMMARY} has this page")));
        if !faults.is_empty() {
            return Err(faults);
        }
        let site = Site { root: root.to_path_buf(), entries, pages };
        let faults = site.dead_links();
        if faults.is_empty() { Ok(site) } else { Err(faults) }
    }

    pub fn pages(&self) -> usize {
        self.pages.len()
    }

    fn dead_links(&self) -> Vec<String> {
        let mut faults = Vec::new();
        for page in self.pages.values() {
            for link in &page.links {
                let target = self.pages.get(&link.path);
                let is_there = target.is_some() || self.root.join(&link.path).exists();
                let has = |heading: &String| {
                    target.is_none_or(|page| page.headings.iter().any(|known| known.id == *heading))
                };
                if !is_there {
                    faults.push(format!(
                        "{}: `{}` leads nowhere: there is no {}",
                        page.path, link.written, link.path
                    ));
                } else if let Some(heading) = link.heading.as_ref().filter(|heading| !has(heading)) {
                    faults.push(format!("{}: {} has no heading `#{heading}`", page.path, link.path));
                }
            }
        }
        faults
    }

    /// Pages, pictures, style and scripts.
    pub fn files(&self) -> Result<Vec<File>, Vec<String>> {
        let mut files: Vec<File> = [("style.css", STYLE), ("book.js", SCRIPT), ("icon.svg", ICON)]
            .map(|(path, text)| (path.into(), text.into()))
            .into();
        let order: Vec<&Link> = links(&self.entries).collect();
        for (at, link) in order.iter().enumerate() {
            let page = &self.pages[&format!("docs/{}", link.path)];
            let before = at.checked_sub(1).map(|before| order[before]);
            let html = self.around(page, link, before, order.get(at + 1).copied());
            files.push((as_html(&link.path).into(), html.into()));
        }
        let in_order = order.iter().map(|link| &self.pages[&format!("docs/{}", link.path)]);
        files.push(("search.js".into(), search::index(in_order).into()));
        let pictures = self.pages.values().flat_map(|page| &page.links).filter(|link| link.is_picture);
        for path in pictures.map(|link| &link.path).collect::<BTreeSet<_>>() {
            let Some(inside) = path.strip_prefix("docs/") else {
                return Err(vec![format!("{path}: a picture that pages show lies in docs")]);
            };
            let bytes =
                std::fs::read(self.root.join(path)).map_err(|error| vec![format!("{path}: {error}")])?;
            files.push((inside.into(), bytes));
        }
        Ok(files)
    }

    /// A whole file: navigation, the page, what is before and after it.
    fn around(&self, page: &Page, link: &Link, before: Option<&Link>, after: Option<&Link>) -> String {
        let up = "../".repeat(link.path.matches('/').count());
        let step = |link: Option<&Link>, class: &str, word: &str| {
            link.map_or_else(String::new, |link| {
                let href = as_html(&link.path);
                let title = inline(&link.title);
                format!("<a class=\"{class}\" rel=\"{class}\" href=\"{up}{href}\"><small>{word}</small>{title}</a>")
            })
        };
        let title = if link.path == "README.md" {
            "Meshwright".into()
        } else {
            format!("{} - Meshwright", escape(&page.title))
        };
        format!(
            include_str!("../assets/page.html"),
            title = title,
            up = up,
            navigation = self.navigation(link, &up),
            contents = contents(page),
            body = page.html,
            previous = step(before, "prev", "Previous"),
            next = step(after, "next", "Next"),
        )
    }

    fn navigation(&self, here: &Link, up: &str) -> String {
        let mut out = String::new();
        for entry in &self.entries {
            let _ = match entry {
                Entry::Part(part) => writeln!(out, "<h2>{}</h2>", inline(part)),
                Entry::Page(link) => {
                    let current = if link == here { " aria-current=\"page\"" } else { "" };
                    let (href, title) = (as_html(&link.path), inline(&link.title));
                    writeln!(out, "<a class=\"d{}\" href=\"{up}{href}\"{current}>{title}</a>", link.depth)
                }
            };
        }
        out
    }
}

fn links(entries: &[Entry]) -> impl Iterator<Item = &Link> {
    entries.iter().filter_map(|entry| match entry {
        Entry::Page(link) => Some(link),
        Entry::Part(_) => None,
    })
}

/// Pages of Markdown below a folder, by path from it, in order.
fn written(folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    for entry in folder.read_dir().into_iter().flatten().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        if entry.path().is_dir() {
            found.extend(written(&entry.path()).into_iter().map(|inner| format!("{name}/{inner}")));
        } else if name.ends_with(".md") {
            found.push(name);
        }
    }
    found.sort();
    found
}

/// A title, with what stands in backticks as code.
fn inline(title: &str) -> String {
    let parts = title.split('`').enumerate();
    parts
        .map(|(at, part)| if at % 2 == 1 { format!("<code>{}</code>", escape(part)) } else { escape(part) })
        .collect()
}

/// The headings of a long page, beside it.
fn contents(page: &Page) -> String {
    const MOST: usize = 40;
    let deepest = if page.headings.len() > MOST { 2 } else { 3 };
    let shown: Vec<_> =
        page.headings.iter().filter(|heading| (2..=deepest).contains(&heading.level)).collect();
    if shown.len() < 2 {
        return String::new();
    }
    let row = |heading: &&crate::page::Heading| {
        format!("<a class=\"l{}\" href=\"#{}\">{}</a>\n", heading.level, heading.id, escape(&heading.text))
    };
    format!("<strong>On this page</strong>\n{}", shown.iter().map(row).collect::<String>())
}
