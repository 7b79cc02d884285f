//! Paragraphs of LibreOffice's help, by page and id: the same page in another language has the same ids.
//!
//! ```text
//! <p id="par_id3153751" class="paragraph">Wählen Sie <b>Extras</b>.</p>  =>  ("text/x.html", "par_id3153751"): Wählen Sie Extras.
//! ```

use super::tar::ArchivedFile;
use meshwright_train::data::pairs::Paragraphs;
use meshwright_train::data::pairs::markup::plain;

/// What a paragraph's id begins with.
const IDS: [&str; 2] = ["par_", "hd_"];

/// Whether a file of a package is a page of text.
pub fn is_page(path: &str) -> bool {
    page(path).is_some()
}

/// The path of a page without its language: `usr/share/libreoffice/help/de/text/x.html` is `text/x.html`.
fn page(path: &str) -> Option<&str> {
    let (_, within) = path.split_once("libreoffice/help/")?;
    let (_, page) = within.split_once('/')?;
    (page.starts_with("text/") && page.ends_with(".html")).then_some(page)
}

/// All paragraphs of these pages as they are shown; of an id that stands twice on a page the first. Pages that are no
/// UTF-8 are passed over.
pub fn paragraphs(files: &[ArchivedFile]) -> Paragraphs {
    let mut found = Paragraphs::new();
    for file in files {
        let (Some(page), Ok(text)) = (page(&file.path), std::str::from_utf8(&file.bytes)) else { continue };
        for (id, shown) in of_page(text) {
            found.entry((page.to_string(), id)).or_insert(shown);
        }
    }
    found
}

fn of_page(text: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some((_, behind)) = rest.split_once('<') {
        rest = behind;
        let name = ["p", "h1", "h2", "h3", "h4", "h5", "h6"]
            .into_iter()
            .find(|name| behind.strip_prefix(name).is_some_and(|attributes| attributes.starts_with(' ')));
        let (Some(name), Some((tag, content))) = (name, behind.split_once('>')) else { continue };
        let Some(id) = id(tag) else { continue };
        let Some((content, behind)) = content.split_once(&format!("</{name}>")) else { continue };
        found.push((id.to_string(), plain(content)));
        rest = behind;
    }
    found
}

fn id(tag: &str) -> Option<&str> {
    let (_, behind) = tag.split_once(" id=\"")?;
    let (id, _) = behind.split_once('"')?;
    IDS.iter().any(|begins| id.starts_with(begins)).then_some(id)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paragraphs_are_found_by_page_and_id() {
        let file = |path: &str, text: &str| ArchivedFile { path: path.into(), bytes: text.into() };
        let files = [
            file(
                "usr/share/libreoffice/help/de/text/a.html",
                "<body><h1 id=\"hd_id1\" dir=\"auto\"><a name=\"x\"></a>Titel</h1>\n<p id=\"par_id2\" class=\"c\">Eins\n <b>zwei</b>.</p>\
                 <p id=\"lang_id9\">DE</p><p class=\"d\">ohne</p><p id=\"par_id2\">nochmals</p><pre id=\"par_id3\">x</pre><p id=\"par_id4\">offen",
            ),
            file("usr/share/libreoffice/help/de/bookmarks.html", "<p id=\"par_id5\">nicht</p>"),
        ];
        let found = paragraphs(&files);
        let expected = [("hd_id1", "Titel"), ("par_id2", "Eins zwei.")];
        let expected = expected.map(|(id, text)| (("text/a.html".into(), id.into()), text.into()));
        assert_eq!(found, Paragraphs::from(expected));
        assert!(is_page(&files[0].path) && !is_page(&files[1].path) && !is_page("usr/share/doc/x.html"));
    }
}
