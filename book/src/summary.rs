//! The list of pages, as mdBook reads it.
//!
//! ```text
//! # Summary                 its own heading
//! [Start](README.md)        a page before all parts
//! # Tutorial                a part
//! - [Quickstart](a.md)      a page of it; pages below another are indented
//! ```

/// A line of the list.
#[derive(Debug, PartialEq, Eq)]
pub enum Entry {
    Part(String),
    Page(Link),
}

/// A page on the list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    pub title: String,
    /// From `docs`.
    pub path: String,
    /// How many pages it is below.
    pub depth: usize,
}

/// The lines; or those that are neither parts nor pages.
pub fn parse(text: &str) -> Result<Vec<Entry>, Vec<String>> {
    let mut entries = Vec::new();
    let mut faults = Vec::new();
    for (at, line) in text.lines().enumerate() {
        let bare = line.trim();
        if bare.is_empty() || bare == "# Summary" || bare == "---" {
            continue;
        }
        match (bare.strip_prefix("# "), link(line)) {
            (Some(part), _) => entries.push(Entry::Part(part.to_string())),
            (None, Some(link)) => entries.push(Entry::Page(link)),
            (None, None) => {
                faults.push(format!("docs/SUMMARY.md:{}: neither a part nor a page: `{bare}`", at + 1));
            }
        }
    }
    if faults.is_empty() { Ok(entries) } else { Err(faults) }
}

fn link(line: &str) -> Option<Link> {
    let bare = line.trim_start();
    let depth = (line.len() - bare.len()) / 2;
    let (title, rest) = bare.trim_start_matches("- ").strip_prefix('[')?.split_once("](")?;
    let path = rest.trim_end().strip_suffix(')')?;
    Some(Link { title: title.to_string(), path: path.to_string(), depth })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_and_pages_are_told_apart() {
        let page = |title: &str, path: &str, depth| {
            Entry::Page(Link { title: title.into(), path: path.into(), depth })
        };
        let text = "# Summary\n\n[S](README.md)\n\n# T\n\n- [`A` b](a.md)\n  - [B](b/c.md)\n";
        let expected = [
            page("S", "README.md", 0),
            Entry::Part("T".into()),
            page("`A` b", "a.md", 0),
            page("B", "b/c.md", 1),
        ];
        assert_eq!(parse(text).unwrap(), expected);
    }
}
