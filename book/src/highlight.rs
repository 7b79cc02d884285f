//! Code in colors: comments, texts, numbers, words of the language, and what is typed at a prompt.
//!
//! One rule per kind of thing, not a grammar: what is in doubt stays plain.

/// What is known of a language.
struct Language {
    names: &'static [&'static str],
    comment: &'static str,
    words: &'static [&'static str],
}

const LANGUAGES: &[Language] = &[
    Language {
        names: &["rust"],
        comment: "//",
        words: &[
            "as", "const", "else", "enum", "false", "fn", "for", "if", "impl", "in", "let", "loop", "match",
            "mod", "move", "mut", "pub", "ref", "return", "self", "static", "struct", "trait", "true",
            "type", "use", "where", "while",
        ],
    },
    Language {
        names: &["mlir"],
        comment: "//",
        words: &[
            "attributes",
            "call",
            "cond",
            "dense",
            "do",
            "module",
            "private",
            "public",
            "return",
            "tensor",
        ],
    },
    Language { names: &["toml"], comment: "#", words: &["true", "false"] },
    Language {
        names: &["python"],
        comment: "#",
        words: &["as", "def", "for", "from", "import", "in", "return", "with"],
    },
    Language { names: &["sh", "console"], comment: "#", words: &[] },
];

/// The HTML of a block of code.
pub fn code(kind: &str, text: &str) -> String {
    match kind {
        "diff" => by_line(text, |line| match line.chars().next() {
            Some('+') => Some("add"),
            Some('-') => Some("del"),
            _ => None,
        }),
        "console" => by_line(text, |line| line.starts_with("$ ").then_some("typed")),
        _ => match LANGUAGES.iter().find(|language| language.names.contains(&kind)) {
            Some(language) => text.lines().map(|line| words(language, line) + "\n").collect(),
            None => escape(text),
        },
    }
}

fn by_line(text: &str, class: impl Fn(&str) -> Option<&'static str>) -> String {
    let shown = |line: &str| match class(line) {
        Some(class) => format!("<span class=\"{class}\">{}</span>\n", escape(line)),
        None => escape(line) + "\n",
    };
    text.lines().map(shown).collect()
}

fn words(language: &Language, line: &str) -> String {
    let mut out = String::new();
    let mut rest = line;
    while let Some(first) = rest.chars().next() {
        let before = line[..line.len() - rest.len()].chars().next_back();
        let begins = before.is_none_or(|c| !is_word(c));
        let (length, class) = if rest.starts_with(language.comment) && before.is_none_or(char::is_whitespace)
        {
            (rest.len(), "com")
        } else if first == '"' {
            (text_length(rest), "str")
        } else if begins && first.is_ascii_digit() {
            (rest.find(|c: char| !is_word(c) && c != '.').unwrap_or(rest.len()), "num")
        } else if is_word(first) {
            let length = rest.find(|c: char| !is_word(c)).unwrap_or(rest.len());
            let is_key = begins && language.words.contains(&&rest[..length]);
            (length, if is_key { "key" } else { "" })
        } else {
            (first.len_utf8(), "")
        };
        let shown = escape(&rest[..length]);
        out += &if class.is_empty() { shown } else { format!("<span class=\"{class}\">{shown}</span>") };
        rest = &rest[length..];
    }
    out
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// How far a text in quotes goes, quotes included.
fn text_length(text: &str) -> usize {
    let mut is_escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        if c == '"' && !is_escaped {
            return at + 1;
        }
        is_escaped = c == '\\' && !is_escaped;
    }
    text.len()
}

/// Text as HTML has it.
pub fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn things_of_a_language_have_their_colors_and_others_none() {
        assert_eq!(
            code("rust", "let x = f(\"a//b\", 4.5) < y2; // done"),
            "<span class=\"key\">let</span> x = f(<span class=\"str\">&quot;a//b&quot;</span>, <span class=\"num\">4.5\
             </span>) &lt; y2; <span class=\"com\">// done</span>\n"
        );
        assert_eq!(
            code("mlir", "%w: tensor<8xf32>"),
            "%w: <span class=\"key\">tensor</span>&lt;8xf32&gt;\n"
                .replace("&lt;8xf32", "&lt;<span class=\"num\">8xf32</span>")
        );
        assert_eq!(code("console", "$ a\nb"), "<span class=\"typed\">$ a</span>\nb\n");
        assert_eq!(
            code("diff", "-a\n+b\n"),
            "<span class=\"del\">-a</span>\n<span class=\"add\">+b</span>\n"
        );
        assert_eq!(code("text", "let <"), "let &lt;");
        assert_eq!(code("rust", "\"open"), "<span class=\"str\">&quot;open</span>\n");
    }
}
