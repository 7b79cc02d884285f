//! `cargo xtask book`: the pages of `docs` as one site in `target/book`, which needs no server and no network.
//!
//! `docs/SUMMARY.md` is the list of pages, in mdBook's form, so `mdbook build docs` makes a book of them as well. This
//! one takes a second to build and checks on its way that every page is on the list and every link leads somewhere.
//!
//! ```text
//! summary    the list: parts, pages, their order
//! page       one page: Markdown to HTML, headings, links
//! highlight  code in colors
//! search     what the search box looks through
//! site       navigation around a page; all files of the site
//! ```

#![forbid(unsafe_code)]

mod highlight;
mod page;
mod search;
mod site;
mod summary;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

fn main() -> ExitCode {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the workspace is around this crate");
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from);
    let out = std::env::args_os().nth(1).map_or_else(|| target.join("book"), PathBuf::from);
    match build(root, &out) {
        Ok(pages) => {
            eprintln!("book: {pages} pages, {}", out.join("index.html").display());
            ExitCode::SUCCESS
        }
        Err(faults) => {
            faults.iter().for_each(|fault| eprintln!("error: {fault}"));
            eprintln!("book: {} errors", faults.len());
            ExitCode::FAILURE
        }
    }
}

/// Write the site; how many pages it has, or everything that is wrong with them.
fn build(root: &Path, out: &Path) -> Result<usize, Vec<String>> {
    let site = site::Site::read(root)?;
    let files = site.files()?;
    let written = (|| {
        if out.exists() {
            std::fs::remove_dir_all(out)?;
        }
        for (path, bytes) in &files {
            let path = out.join(path);
            std::fs::create_dir_all(path.parent().unwrap_or(out))?;
            std::fs::write(path, bytes)?;
        }
        Ok(())
    })();
    written.map_err(|error: std::io::Error| vec![format!("cannot write {}: {error}", out.display())])?;
    Ok(site.pages())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The site of these pages, or what is wrong with it.
    fn made(name: &str, pages: &[(&str, &str)]) -> Result<String, Vec<String>> {
        let root = std::env::temp_dir().join(format!("meshwright-book-{}-{name}", std::process::id()));
        let _ = std::fs::remove_dir_all(&root);
        for (path, text) in pages {
            let path = root.join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        let made = build(&root, &root.join("out"));
        let first = std::fs::read_to_string(root.join("out/a.html")).unwrap_or_default();
        let _ = std::fs::remove_dir_all(&root);
        made.map(|_| first)
    }

    const SUMMARY: (&str, &str) = (
        "docs/SUMMARY.md",
        "# Summary\n\n[Start](README.md)\n\n# Tutorial\n\n- [A](a.md)\n  - [B](b/c.md)\n",
    );
    const START: (&str, &str) = ("docs/README.md", "# Start\n");
    const INNER: (&str, &str) = ("docs/b/c.md", "# C\n\n[up](../a.md#two-words)\n");

    #[test]
    fn links_become_links_of_the_site_and_of_the_repository() {
        let text =
            "# A\n\n[c](b/c.md#c) [s](../src/x.rs) [w](https://example.org) ![p](p.svg)\n\n## Two words\n";
        let files = [SUMMARY, START, INNER, ("docs/a.md", text), ("src/x.rs", ""), ("docs/p.svg", "<svg/>")];
        let page = made("links", &files).unwrap();
        for part in [
            "href=\"b/c.html#c\"",
            "/blob/main/src/x.rs\"",
            "href=\"https://example.org\"",
            "src=\"p.svg\"",
            "id=\"two-words\"",
        ] {
            assert!(page.contains(part), "no {part} in\n{page}");
        }
    }

    #[test]
    fn planted_faults_are_found() {
        let with = |name: &str, text: &str| {
            let text = format!("# A\n\n## Two words\n\n{text}\n");
            made(name, &[SUMMARY, START, INNER, ("docs/a.md", &text)]).unwrap_err().join("\n")
        };
        assert_eq!(with("dead", "[x](x.md)"), "docs/a.md: `x.md` leads nowhere: there is no docs/x.md");
        assert_eq!(with("anchor", "[x](b/c.md#d)"), "docs/a.md: docs/b/c.md has no heading `#d`");
        assert_eq!(with("own", "[x](#three)"), "docs/a.md: docs/a.md has no heading `#three`");
        assert_eq!(
            with("source", "[x](../src/x.rs)"),
            "docs/a.md: `../src/x.rs` leads nowhere: there is no src/x.rs"
        );
        assert_eq!(
            with("picture", "![x](x.svg)"),
            "docs/a.md: `x.svg` leads nowhere: there is no docs/x.svg"
        );
        let lost = [SUMMARY, START, INNER, ("docs/a.md", "# A\n\n## Two words\n"), ("docs/lost.md", "# L\n")];
        assert_eq!(
            made("lost", &lost).unwrap_err(),
            ["docs/lost.md: no line of docs/SUMMARY.md has this page"]
        );
        let missing = [SUMMARY, START, ("docs/a.md", "# A\n\n## Two words\n")];
        assert_eq!(made("missing", &missing).unwrap_err(), ["docs/SUMMARY.md: there is no docs/b/c.md"]);
        let twice = ("docs/SUMMARY.md", "[S](README.md)\n# T\n- [A](a.md)\n- [A](a.md)\n- [B](b/c.md)\n");
        let files = [twice, START, INNER, ("docs/a.md", "# A\n\n## Two words\n")];
        assert_eq!(made("twice", &files).unwrap_err(), ["docs/SUMMARY.md: a.md stands there twice"]);
        let broken = ("docs/SUMMARY.md", "[S](README.md)\n# T\n- [A](a.md)\n- [B](b/c.md)\n- no link\n");
        let files = [broken, START, INNER, ("docs/a.md", "# A\n\n## Two words\n")];
        assert_eq!(
            made("broken", &files).unwrap_err(),
            ["docs/SUMMARY.md:5: neither a part nor a page: `- no link`"]
        );
    }
}
