//! Pages that are one file each: no network, no other file. A page is a template, one style sheet, data as JSON, and a
//! script that draws the data.

mod explain;
mod run;
mod template;

pub use explain::{Sources, explain_page};
pub use run::run_page;

use serde_json::Value;
use template::{Slot, escape, fill};

const PAGE: &str = include_str!("page.html");
const STYLE: &str = include_str!("page.css");
const COMMON: &str = include_str!("page.js");

/// As many colours as the style sheet has for axes.
const COLOURS: usize = 8;

/// Assembles a page from its body, its data and the script that draws the data.
fn assemble_page(title: &str, body: &str, data: &Value, script: &str) -> String {
    fill(
        PAGE,
        &[
            ("title", Slot::Text(title)),
            ("style", Slot::Markup(STYLE)),
            ("body", Slot::Markup(body)),
            ("data", Slot::Markup(&embed_json(data))),
            ("common", Slot::Markup(COMMON)),
            ("script", Slot::Markup(script)),
        ],
    )
}

/// Renders the axes of a mesh with their sizes and colours.
fn render_axes(axes: &[(String, usize)]) -> String {
    let chip = |(at, (name, size)): (usize, &(String, usize))| {
        let (colour, name) = (at % COLOURS, escape(name));
        format!("<span class=\"axis\" style=\"--c:var(--a{colour})\">{name}={size}</span> ")
    };
    axes.iter().enumerate().map(chip).collect()
}

/// Prints JSON that cannot end the script around it.
fn embed_json(data: &Value) -> String {
    data.to_string().replace('<', "\\u003c")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn names_cannot_leave_their_places() {
        let data = json!({ "name": "</script><b>" });
        let axes = render_axes(&[("<x>".to_string(), 2)]);
        let page = assemble_page("a<b>&c", &axes, &data, "");
        assert!(page.contains("<title>a&lt;b&gt;&amp;c</title>"), "{page}");
        assert!(page.contains("&lt;x&gt;=2"), "{page}");
        assert!(page.contains(r#"{"name":"\u003c/script>\u003cb>"}"#), "{page}");
    }
}
