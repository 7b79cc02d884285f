//! Pages that are one file each: no network, no other file. A page is a frame in Markdown's place (`maud` escapes what
//! is put into it), one style sheet, data as JSON, and a script that draws the data.

mod explain;
mod run;

pub use explain::{Sources, explain_page};
pub use run::run_page;

use maud::{DOCTYPE, Markup, PreEscaped, html};
use serde_json::Value;

const STYLE: &str = include_str!("page.css");
const COMMON: &str = include_str!("page.js");

/// As many colours as the style sheet has for axes.
const COLOURS: usize = 8;

/// What all pages have.
struct PageParts<'a> {
    title: &'a str,
    /// Axes of the mesh with their sizes.
    axes: &'a [(String, usize)],
    /// Places on the page, with their names.
    places: &'a [(&'a str, &'a str)],
    /// What else stands in the head: a search, say.
    tools: Markup,
    body: Markup,
    data: &'a Value,
    script: &'a str,
}

fn written(frame: &PageParts<'_>) -> String {
    let chip = |(at, (name, size)): (usize, &(String, usize))| {
        let colour = format!("--c:var(--a{})", at % COLOURS);
        html! { span.axis style=(colour) { (name) "=" (size) } " " }
    };
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                title { (frame.title) }
                link rel="icon" href="data:,";
                style { (PreEscaped(STYLE)) }
            }
            body {
                header {
                    h1 title=(frame.title) { (frame.title) }
                    span { @for axis in frame.axes.iter().enumerate() { (chip(axis)) } }
                    nav { @for (place, name) in frame.places { a href={ "#" (place) } { (name) } } }
                    span.grow {}
                    (frame.tools)
                }
                (frame.body)
                script { "window.REPORT = " (PreEscaped(in_script(frame.data))) ";" }
                script { (PreEscaped(COMMON)) }
                script { (PreEscaped(frame.script)) }
            }
        }
    }
    .into_string()
}

/// JSON that nothing in it can end the script around it.
fn in_script(data: &Value) -> String {
    data.to_string().replace('<', "\\u003c")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn names_cannot_leave_their_places() {
        let data = json!({ "name": "</script><b>" });
        let axes = [("<x>".to_string(), 2)];
        let page = written(&PageParts {
            title: "a<b>&c",
            axes: &axes,
            places: &[],
            tools: html! {},
            body: html! {},
            data: &data,
            script: "",
        });
        assert!(page.contains("<title>a&lt;b&gt;&amp;c</title>"), "{page}");
        assert!(page.contains("&lt;x&gt;=2"), "{page}");
        assert!(page.contains(r#"{"name":"\u003c/script>\u003cb>"}"#), "{page}");
    }
}
