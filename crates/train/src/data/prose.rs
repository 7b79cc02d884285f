//! Documents out of documentation: paragraphs that read like prose, one to a line, as `data.files` takes them. Pure
//! text.
//!
//! What is left out: code, tables, lists of names, and headings; scripts and styles of HTML. It is a filter for
//! training text, not a converter: of a paragraph that is kept, only white space and markup go.

/// How a text is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Form {
    /// Plain text, Markdown or reStructuredText.
    Plain,
    Html,
}

impl Form {
    /// By the name of a file; `None` for what is no documentation.
    pub fn of_name(name: &str) -> Option<Form> {
        let lower = name.to_ascii_lowercase();
        if lower.starts_with("changelog") {
            return None;
        }
        match lower.rsplit_once('.') {
            Some((_, "html" | "htm")) => Some(Form::Html),
            Some((_, "txt" | "md" | "rst" | "text" | "debian")) => Some(Form::Plain),
            Some(_) => None,
            None => ["readme", "copyright", "news", "faq", "todo", "notes", "intro", "overview"]
                .iter()
                .any(|known| lower.starts_with(known))
                .then_some(Form::Plain),
        }
    }
}

/// Words of a document at least.
const LEAST: usize = 8;
/// Bytes of a document at most: a longer paragraph is no prose.
const LONGEST: usize = 8 << 10;

/// The documents of a text, in order.
pub fn documents(text: &str, form: Form) -> Vec<String> {
    match form {
        Form::Plain => paragraphs(text),
        Form::Html => paragraphs(&without_markup(text)),
    }
}

/// Blank lines part paragraphs; so do the bars and bullets that begin other things than prose.
fn paragraphs(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut words: Vec<&str> = Vec::new();
    let mut is_code = false;
    for line in text.lines() {
        let line = line.trim();
        let is_fence = line.starts_with("```") || line.starts_with("~~~");
        is_code ^= is_fence;
        if line.is_empty() || is_fence || is_code {
            found.extend(prose(&std::mem::take(&mut words)));
            continue;
        }
        let (begins, rest) = match line.strip_prefix(['*', '-', '#', '>', '.']) {
            Some(rest) if rest.starts_with(' ') => (true, rest),
            _ => (false, line),
        };
        if begins {
            found.extend(prose(&std::mem::take(&mut words)));
        }
        words.extend(rest.split_whitespace());
    }
    found.extend(prose(&words));
    found
}

/// Words as a document, if they read like a sentence: enough of them, made of letters, ended as sentences are.
fn prose(words: &[&str]) -> Option<String> {
    let is_word = |word: &&&str| word.chars().any(char::is_alphabetic) && word.len() <= 30;
    let ends = words.last()?.trim_end_matches(['"', '\'', ')', ']', '*', '_', '`']);
    let is_sentence = ends.ends_with(['.', '!', '?', ':', ';', '。']);
    if words.len() < LEAST || !is_sentence || words.iter().filter(is_word).count() * 10 < words.len() * 8 {
        return None;
    }
    let line = words.join(" ");
    let letters = line.chars().filter(|one| one.is_alphabetic() || matches!(one, ' ' | ',' | '.')).count();
    (line.len() <= LONGEST && letters * 20 >= line.chars().count() * 17).then_some(line)
}

/// The text of an HTML page: a blank line wherever an element that is no part of a sentence begins or ends.
fn without_markup(page: &str) -> String {
    let mut text = String::with_capacity(page.len() / 2);
    let mut rest = page;
    while let Some((before, tag)) = rest.split_once('<') {
        unescape(before, &mut text);
        let (tag, after) = tag.split_once('>').unwrap_or((tag, ""));
        let name = tag.trim_start_matches('/').split(|one: char| !one.is_ascii_alphanumeric()).next();
        let name = name.unwrap_or("").to_ascii_lowercase();
        rest = after;
        match name.as_str() {
            "script" | "style" | "pre" | "nav" | "table" | "summary" if !tag.starts_with('/') => {
                rest = behind(after, &name);
                text.push_str("\n\n");
            }
            "a" | "b" | "i" | "em" | "strong" | "code" | "tt" | "span" | "sup" | "sub" | "u" | "var"
            | "kbd" | "wbr" | "abbr" | "q" | "cite" | "dfn" | "small" => {}
            _ => text.push_str("\n\n"),
        }
    }
    unescape(rest, &mut text);
    text
}

/// What follows the end of an element.
fn behind<'a>(text: &'a str, name: &str) -> &'a str {
    let mut rest = text;
    while let Some((_, tag)) = rest.split_once("</") {
        let is_it = tag.get(..name.len()).is_some_and(|found| found.eq_ignore_ascii_case(name));
        if is_it {
            return tag.split_once('>').map_or("", |(_, after)| after);
        }
        rest = tag;
    }
    ""
}

/// Add text with its character references as characters; what is no reference stays.
fn unescape(text: &str, to: &mut String) {
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('&') {
        to.push_str(before);
        let reference = after.split_once(';').filter(|(name, _)| name.len() <= 10);
        let known = reference.and_then(|(name, behind)| Some((character(name)?, behind)));
        rest = match known {
            Some((one, behind)) => {
                to.push(one);
                behind
            }
            None => {
                to.push('&');
                after
            }
        };
    }
    to.push_str(rest);
}

fn character(name: &str) -> Option<char> {
    let number = name.strip_prefix('#').map(|number| match number.strip_prefix(['x', 'X']) {
        Some(digits) => u32::from_str_radix(digits, 16),
        None => number.parse(),
    });
    match (name, number) {
        (_, Some(number)) => char::from_u32(number.ok()?).filter(|one| !one.is_control()),
        ("amp", _) => Some('&'),
        ("lt", _) => Some('<'),
        ("gt", _) => Some('>'),
        ("quot", _) => Some('"'),
        ("nbsp", _) => Some(' '),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wrapped_paragraphs_become_lines_and_code_and_headings_go() {
        let text = "Title of it\n===========\n\nThis is a paragraph that was wrapped\nover two lines of a file.\n\n```\nlet \
                    this be code that is long enough for eight words.\n```\n* A point of a list that is as long as a \
                    sentence must be.\n";
        assert_eq!(
            documents(text, Form::Plain),
            [
                "This is a paragraph that was wrapped over two lines of a file.",
                "A point of a list that is as long as a sentence must be."
            ]
        );
    }

    #[test]
    fn numbers_paths_and_fragments_are_no_prose() {
        for text in [
            "0x1 0x2 0x3 0x4 0x5 0x6 0x7 0x8 0x9.",
            "too few words.",
            "a list of words without any end at all",
        ] {
            assert!(documents(text, Form::Plain).is_empty(), "{text}");
        }
    }

    #[test]
    fn pages_lose_their_markup_and_scripts() {
        let page = "<html><script>var a = 'a sentence of a script that nobody should ever read.';</script><p>Rust&#39;s \
                    <code>Vec</code> grows &amp; shrinks as elements come and go.</p><pre>let x = 1;</pre></html>";
        assert_eq!(documents(page, Form::Html), ["Rust's Vec grows & shrinks as elements come and go."]);
        assert!(
            documents("<p>a page that <script>never ends and has no end tag at all.", Form::Html).is_empty()
        );
        assert!(
            documents("an & that &is; no reference, &#1114112; and one more at the end &", Form::Html)
                .is_empty()
        );
    }

    #[test]
    fn what_is_read_is_told_by_the_name() {
        assert_eq!(Form::of_name("README"), Some(Form::Plain));
        assert_eq!(Form::of_name("index.HTML"), Some(Form::Html));
        assert_eq!(Form::of_name("changelog.txt"), None);
        assert_eq!(Form::of_name("logo.png"), None);
    }
}
