//! What the search box looks through: every section of every page, as a script that sets one variable.
//!
//! A page opened from disk may not read other files, but may load scripts.

use crate::page::{Page, as_html};

/// `const SECTIONS = [[page's title, section's title, link, text], ..]`.
pub fn index<'a>(pages: impl Iterator<Item = &'a Page>) -> String {
    let rows = pages.flat_map(|page| {
        let link = as_html(page.path.trim_start_matches("docs/"));
        page.headings.iter().zip(&page.sections).map(move |(heading, text)| {
            let words: Vec<&str> = text.split_whitespace().collect();
            let link = format!("{link}#{}", heading.id);
            let row = [&*page.title, &*heading.text, &*link, &*words.join(" ")].map(quoted);
            format!("[{}]", row.join(","))
        })
    });
    format!("const SECTIONS=[\n{}\n];\n", rows.collect::<Vec<_>>().join(",\n"))
}

/// A text as JavaScript has it.
fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            '<' => out.push_str("\\u003c"),
            c if c.is_control() || matches!(c, '\u{2028}' | '\u{2029}') => out.push(' '),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sections_are_rows_and_nothing_ends_a_text_early() {
        let page = Page::read("docs/b/a.md", "# A\n\nsay \"`</script>`\" \\ twice\n\n## B\n\nmore\n");
        assert_eq!(
            index([page].iter()),
            "const SECTIONS=[\n[\"A\",\"A\",\"b/a.html#a\",\"say \\\"\\u003c/script>\\\" \\\\ twice\"],\n\
             [\"A\",\"B\",\"b/a.html#b\",\"more\"]\n];\n"
        );
    }
}
