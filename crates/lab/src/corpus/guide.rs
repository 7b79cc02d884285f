//! Paragraphs of Debian's installation guide: long sentences of another kind than help and menus, for testing alone.
//!
//! Pages have no ids that languages share. But all languages are made of one document: a page that has the same blocks
//! in the same order as its English has the same paragraphs; others are passed over.
//!
//! ```text
//! de/ch02s01.html  h2 p p dt p     en/ch02s01.html  h2 p p dt p     =>  5 pairs
//! de/ch03.html     p p             en/ch03.html     p dt p          =>  none
//! ```

use super::tar::ArchivedFile;
use meshwright_train::data::pairs::markup::plain;
use std::collections::BTreeMap;

/// The package that has all languages.
pub const GUIDE: &str = "installation-guide-amd64";

/// Elements that hold a paragraph or a heading.
const BLOCKS: [&str; 6] = ["p", "dt", "h1", "h2", "h3", "h4"];

/// Blocks of a page: the element, and what it shows.
type Page = Vec<(&'static str, String)>;

/// Pages by language and name.
pub struct Guide(BTreeMap<(String, String), Page>);

/// Whether a file of the package is a page of text.
pub fn is_guide_page(path: &str) -> bool {
    place(path).is_some()
}

/// `usr/share/doc/installation-guide-amd64/de/ch01.html` is page `ch01.html` in `de`.
fn place(path: &str) -> Option<(&str, &str)> {
    let (_, within) = path.split_once("installation-guide-amd64/")?;
    let (language, page) = within.split_once('/')?;
    (page.ends_with(".html") && !page.contains('/')).then_some((language, page))
}

impl Guide {
    /// Pages that are no UTF-8 are passed over.
    pub fn of(files: &[ArchivedFile]) -> Guide {
        let page = |file: &ArchivedFile| {
            let (language, page) = place(&file.path)?;
            let text = std::str::from_utf8(&file.bytes).ok()?;
            Some(((language.to_string(), page.to_string()), blocks(text)))
        };
        Guide(files.iter().filter_map(page).collect())
    }

    /// Paragraphs of a language, named as folders of catalogues are, with their English.
    pub fn pairs(&self, language: &str) -> Vec<(String, String)> {
        let mut found = Vec::new();
        let pages = self.0.iter().filter(|((of, _), _)| of == language);
        for ((_, name), ours) in pages {
            let Some(english) = self.0.get(&("en".to_string(), name.clone())) else { continue };
            let is_alike = ours.len() == english.len() && ours.iter().zip(english).all(|(a, b)| a.0 == b.0);
            if is_alike {
                found.extend(ours.iter().zip(english).map(|(a, b)| (a.1.clone(), b.1.clone())));
            }
        }
        found
    }
}

/// Blocks in the order in which they begin; what stands in one is part of it.
fn blocks(text: &str) -> Page {
    let mut found = Page::new();
    let mut rest = text;
    while let Some((_, behind)) = rest.split_once('<') {
        rest = behind;
        let is_begun = |name: &&str| {
            behind.strip_prefix(*name).is_some_and(|attributes| attributes.starts_with(['>', ' ']))
        };
        let Some(name) = BLOCKS.into_iter().find(is_begun) else { continue };
        let Some((_, content)) = behind.split_once('>') else { continue };
        let Some((content, behind)) = content.split_once(&format!("</{name}>")) else { continue };
        found.push((name, plain(content)));
        rest = behind;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(language: &str, page: &str, text: &str) -> ArchivedFile {
        let path = format!("usr/share/doc/installation-guide-amd64/{language}/{page}");
        ArchivedFile { path, bytes: text.as_bytes().to_vec() }
    }

    #[test]
    fn pages_of_the_same_blocks_give_pairs_and_others_none() {
        let files = [
            file(
                "en",
                "a.html",
                "<h2 class=\"x\">2.1. One</h2><p>\nTwo <b>bold</b>\nwords</p><pre>no</pre><dt>Three</dt>",
            ),
            file("de", "a.html", "<h2>2.1. Eins</h2><p>Zwei <i>fette</i> Worte</p><dt>Drei</dt>"),
            file("en", "b.html", "<p>Four</p><p>Five</p>"),
            file("de", "b.html", "<p>Vier und Fünf</p>"),
            file("de", "c.html", "<p>Nur deutsch</p>"),
            ArchivedFile { bytes: vec![0xff], ..file("de", "d.html", "") },
        ];
        let pair = |a: &str, b: &str| (a.to_string(), b.to_string());
        let guide = Guide::of(&files);
        assert_eq!(
            guide.pairs("de"),
            [
                pair("2.1. Eins", "2.1. One"),
                pair("Zwei fette Worte", "Two bold words"),
                pair("Drei", "Three")
            ]
        );
        assert!(guide.pairs("fr").is_empty());
        assert!(is_guide_page("./usr/share/doc/installation-guide-amd64/de/a.html"));
        assert!(!is_guide_page("./usr/share/doc/installation-guide-amd64/de/images/x.html"));
        assert!(!is_guide_page("./usr/share/doc/installation-guide-amd64/copyright"));
    }
}
