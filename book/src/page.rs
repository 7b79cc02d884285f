//! One page: its Markdown as HTML, with what others need to know of it: headings, links, and text to search.

use crate::highlight::{code, escape};
use pulldown_cmark::{CodeBlockKind, CowStr, Event, Options, Parser, Tag, TagEnd, html};
use std::collections::BTreeMap;

/// Where links to files that are no pages lead.
const REPOSITORY: &str = env!("CARGO_PKG_REPOSITORY");

/// A page of the site.
pub struct Page {
    /// From the repository's root: `docs/guide/data.md`.
    pub path: String,
    pub title: String,
    pub html: String,
    pub headings: Vec<Heading>,
    pub links: Vec<Target>,
    /// What stands below each heading, in order; the first is that of the page.
    pub sections: Vec<String>,
}

/// A heading, by which links find it.
pub struct Heading {
    pub level: u8,
    pub id: String,
    pub text: String,
}

/// What a link leads to, from the repository's root.
pub struct Target {
    /// As it is written.
    pub written: String,
    pub path: String,
    pub heading: Option<String>,
    pub is_picture: bool,
}

impl Page {
    pub fn read(path: &str, text: &str) -> Page {
        let mut page = Page {
            path: path.to_string(),
            title: String::new(),
            html: String::new(),
            headings: Vec::new(),
            links: Vec::new(),
            sections: Vec::new(),
        };
        let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH;
        let events = page.events(Parser::new_ext(text, options));
        html::push_html(&mut page.html, events.into_iter());
        page.title = page.headings.first().map_or_else(|| path.to_string(), |heading| heading.text.clone());
        page
    }

    fn events<'a>(&mut self, parser: Parser<'a>) -> Vec<Event<'a>> {
        let mut out = Vec::new();
        let mut seen = BTreeMap::new();
        let mut heading: Option<(u8, usize)> = None;
        let mut block: Option<(String, String)> = None;
        for event in parser {
            match event {
                Event::Start(Tag::Heading { level, .. }) => {
                    heading = Some((level as u8, out.len()));
                    self.sections.push(String::new());
                }
                Event::End(TagEnd::Heading(_)) => {
                    let Some((level, from)) = heading.take() else { continue };
                    let inner = out.split_off(from);
                    let text = plain(&inner);
                    let id = unique(&anchor(&text), &mut seen);
                    out.push(raw(format!("<h{level} id=\"{id}\">")));
                    out.extend(inner);
                    out.push(raw(format!(
                        "<a class=\"anchor\" href=\"#{id}\" aria-label=\"link to this\">#</a></h{level}>\n"
                    )));
                    self.headings.push(Heading { level, id, text });
                }
                Event::Start(Tag::CodeBlock(kind)) => {
                    let info = match kind {
                        CodeBlockKind::Fenced(info) => info.to_string(),
                        CodeBlockKind::Indented => String::new(),
                    };
                    block = Some((info, String::new()));
                }
                Event::End(TagEnd::CodeBlock) => {
                    if let Some((info, text)) = block.take() {
                        self.add_text(&text);
                        out.push(raw(figure(&info, &text)));
                    }
                }
                Event::Text(text) if block.is_some() => {
                    if let Some((_, lines)) = &mut block {
                        lines.push_str(&text);
                    }
                }
                Event::Start(Tag::Link { link_type, dest_url, title, id }) => {
                    let dest_url = self.target(&dest_url, false);
                    out.push(Event::Start(Tag::Link { link_type, dest_url, title, id }));
                }
                Event::Start(Tag::Image { link_type, dest_url, title, id }) => {
                    let dest_url = self.target(&dest_url, true);
                    out.push(Event::Start(Tag::Image { link_type, dest_url, title, id }));
                }
                Event::Start(Tag::Table(columns)) => {
                    out.push(raw("<div class=\"wide\">".to_string()));
                    out.push(Event::Start(Tag::Table(columns)));
                }
                Event::End(TagEnd::Table) => {
                    out.push(Event::End(TagEnd::Table));
                    out.push(raw("</div>\n".to_string()));
                }
                event => {
                    if let (Event::Text(text) | Event::Code(text), None) = (&event, heading) {
                        self.add_text(text);
                    } else if is_gap(&event) {
                        self.add_text(" ");
                    }
                    out.push(event);
                }
            }
        }
        out
    }

    fn add_text(&mut self, text: &str) {
        if let Some(section) = self.sections.last_mut() {
            section.push_str(text);
        }
    }

    /// Keep where a link leads, and say it as the site has it.
    fn target<'a>(&mut self, written: &str, is_picture: bool) -> CowStr<'a> {
        if written.contains(':') {
            return written.to_string().into();
        }
        let (path, heading) = match written.split_once('#') {
            Some((path, heading)) => (path, Some(heading.to_string())),
            None => (written, None),
        };
        let whole = if path.is_empty() { self.path.clone() } else { beside(&self.path, path) };
        let is_page = whole.starts_with("docs/") && whole.ends_with(".md");
        let shown = match &heading {
            _ if is_picture => written.to_string(),
            Some(heading) if path.is_empty() => format!("#{heading}"),
            Some(heading) if is_page => format!("{}#{heading}", as_html(path)),
            None if is_page => as_html(path),
            _ => {
                let kind = if whole.rsplit('/').next().is_some_and(|name| name.contains('.')) {
                    "blob"
                } else {
                    "tree"
                };
                let heading = heading.as_ref().map_or_else(String::new, |heading| format!("#{heading}"));
                format!("{REPOSITORY}/{kind}/main/{whole}{heading}")
            }
        };
        self.links.push(Target { written: written.to_string(), path: whole, heading, is_picture });
        shown.into()
    }
}

/// Where a page of Markdown lies on the site.
pub fn as_html(path: &str) -> String {
    let bare = path.strip_suffix(".md").unwrap_or(path);
    match bare.strip_suffix("README") {
        Some(folder) if folder.is_empty() || folder.ends_with('/') => format!("{folder}index.html"),
        _ => format!("{bare}.html"),
    }
}

/// What parts words: an end of a line, a paragraph, an item or a cell.
fn is_gap(event: &Event<'_>) -> bool {
    match event {
        Event::SoftBreak | Event::HardBreak => true,
        Event::End(end) => matches!(end, TagEnd::Paragraph | TagEnd::Item | TagEnd::TableCell),
        _ => false,
    }
}

fn raw<'a>(html: String) -> Event<'a> {
    Event::Html(html.into())
}

/// A block of code, with the file's name over it if it has one.
fn figure(info: &str, text: &str) -> String {
    let mut words = info.split_whitespace();
    let kind = words.next().unwrap_or_default();
    let name =
        words.next().map_or_else(String::new, |name| format!("<figcaption>{}</figcaption>", escape(name)));
    let code = code(kind, text);
    format!("<figure class=\"code\">{name}<pre><code>{code}</code></pre></figure>\n")
}

fn plain(events: &[Event<'_>]) -> String {
    let text = |event: &Event<'_>| match event {
        Event::Text(text) | Event::Code(text) => text.to_string(),
        Event::SoftBreak => " ".to_string(),
        _ => String::new(),
    };
    events.iter().map(text).collect()
}

/// A heading's name in links: small letters, no punctuation, `-` for a space.
fn anchor(text: &str) -> String {
    let kept = text.to_lowercase();
    let kept = kept.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.map(|c| if c == ' ' { '-' } else { c }).collect()
}

/// The second heading of a name gets `-1`, the third `-2`.
fn unique(name: &str, seen: &mut BTreeMap<String, usize>) -> String {
    let count = seen.entry(name.to_string()).or_default();
    *count += 1;
    if *count == 1 { name.to_string() } else { format!("{name}-{}", *count - 1) }
}

/// A path that a page names, from the root.
fn beside(page: &str, path: &str) -> String {
    let mut steps: Vec<&str> = page.split('/').collect();
    steps.pop();
    for step in path.split('/') {
        match step {
            "" | "." => {}
            ".." => _ = steps.pop(),
            name => steps.push(name),
        }
    }
    steps.join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_have_anchors_and_text_of_their_own() {
        let page = Page::read(
            "docs/a.md",
            "# The `x`: what?\n\nOne *two*.\n\n## B\n\n```rust a.rs\nlet x;\n```\n\n## B\n",
        );
        let ids: Vec<&str> = page.headings.iter().map(|heading| &*heading.id).collect();
        assert_eq!(ids, ["the-x-what", "b", "b-1"]);
        assert_eq!(page.title, "The x: what?");
        assert_eq!(page.sections[0].trim(), "One two.");
        assert!(page.sections[1].contains("let x;"));
        assert!(page.html.contains("<figcaption>a.rs</figcaption>"), "{}", page.html);
    }

    #[test]
    fn a_readme_is_the_index_of_its_folder() {
        assert_eq!(as_html("README.md"), "index.html");
        assert_eq!(as_html("../adr/README.md"), "../adr/index.html");
        assert_eq!(as_html("guide/data.md"), "guide/data.html");
    }
}
