//! Rust text with comments and string contents blanked out, so that rules see code only.
//!
//! Not a lexer: it knows comments, strings, raw strings and character literals, which is what hides words.

/// The lines of `text` that are code outside of the unit tests at the end of the file, each with its number from 1.
pub fn code_lines(text: &str) -> Vec<(usize, String)> {
    let code = blank(text);
    let lines: Vec<&str> = code.lines().collect();
    let tests = lines
        .windows(2)
        .position(|two| two[0] == "#[cfg(test)]" && two[1].starts_with("mod ") && !two[1].ends_with(';'));
    let kept = lines[..tests.unwrap_or(lines.len())].iter();
    kept.enumerate().map(|(at, line)| (at + 1, line.to_string())).collect()
}

/// Full paths that `use` declarations of `code` import, with the line each declaration starts on: `use std::{fs,
/// io::Read};` gives `std::fs` and `std::io::Read`. `self` names the path before it.
pub fn imports(code: &[(usize, String)]) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    let mut open: Option<(usize, String)> = None;
    for (number, line) in code {
        let line = line.trim();
        let start = line.strip_prefix("pub ").unwrap_or(line);
        if let Some((_, text)) = &mut open {
            text.push_str(line);
        } else if let Some(tree) = start.strip_prefix("use ") {
            open = Some((*number, tree.to_string()));
        }
        if line.ends_with(';')
            && let Some((at, text)) = open.take()
        {
            let mut paths = Vec::new();
            expand("", text.trim_end_matches(';'), &mut paths);
            found.extend(paths.into_iter().map(|path| (at, path)));
        }
    }
    found
}

/// Expand one use tree below `prefix`.
fn expand(prefix: &str, tree: &str, paths: &mut Vec<String>) {
    let tree = tree.trim();
    let Some(brace) = tree.find('{') else {
        let path = tree.split(" as ").next().unwrap_or(tree).trim();
        if !path.is_empty() {
            let path = if path == "self" {
                prefix.trim_end_matches("::").to_string()
            } else {
                format!("{prefix}{path}")
            };
            paths.push(path);
        }
        return;
    };
    let prefix = format!("{prefix}{}", tree[..brace].trim());
    let inner = tree[brace + 1..].strip_suffix('}').unwrap_or(&tree[brace + 1..]);
    for part in split_outside_braces(inner) {
        expand(&prefix, part, paths);
    }
}

/// Parts between commas that are not inside braces.
fn split_outside_braces(text: &str) -> Vec<&str> {
    let (mut parts, mut depth, mut start) = (Vec::new(), 0usize, 0);
    for (at, c) in text.char_indices() {
        match c {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                parts.push(&text[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&text[start..]);
    parts
}

/// `text` with everything in comments and literals replaced by spaces. Lines stay where they were.
pub fn blank(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let hidden = hidden_length(rest, out.chars().next_back());
        if hidden == 0 {
            out.push(first);
            rest = &rest[first.len_utf8()..];
        } else {
            out.extend(rest[..hidden].chars().map(|c| if c == '\n' { '\n' } else { ' ' }));
            rest = &rest[hidden..];
        }
    }
    out
}

/// How many bytes at the start of `rest` are a comment or a literal; 0 when it starts with code. `before` is the
/// character in front: the `r` of `for"` would start no raw string.
fn hidden_length(rest: &str, before: Option<char>) -> usize {
    let inside_word = before.is_some_and(|c| c.is_alphanumeric() || c == '_');
    if rest.starts_with("//") {
        return rest.find('\n').unwrap_or(rest.len());
    }
    if rest.starts_with("/*") {
        return block_comment(rest);
    }
    if let Some(inner) = rest.strip_prefix('"') {
        return 1 + quoted(inner, '"');
    }
    if rest.starts_with('\'') {
        return character(rest);
    }
    if !inside_word && let Some(length) = raw_string(rest) {
        return length;
    }
    0
}

/// Length of a block comment, which may nest.
fn block_comment(rest: &str) -> usize {
    let (mut depth, mut at) = (0usize, 0);
    while at < rest.len() {
        let here = &rest.as_bytes()[at..];
        if here.starts_with(b"/*") {
            (depth, at) = (depth + 1, at + 2);
        } else if here.starts_with(b"*/") {
            (depth, at) = (depth - 1, at + 2);
            if depth == 0 {
                return at;
            }
        } else {
            at += 1;
        }
    }
    rest.len()
}

/// Length up to and with the closing `quote`; a backslash hides the next character.
fn quoted(rest: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, c) in rest.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            c if c == quote => return at + c.len_utf8(),
            _ => {}
        }
    }
    rest.len()
}

/// Length of a character literal; 0 for a lifetime.
fn character(rest: &str) -> usize {
    let mut chars = rest.char_indices().skip(1);
    let (Some((_, first)), Some((after, second))) = (chars.next(), chars.next()) else { return 0 };
    match (first, second) {
        ('\\', _) => 1 + quoted(&rest[1..], '\''),
        (_, '\'') => after + 1,
        _ => 0,
    }
}

/// Length of `r"..."`, `r#"..."#`, or one of these with `b` in front.
fn raw_string(rest: &str) -> Option<usize> {
    let body = rest.strip_prefix('b').unwrap_or(rest).strip_prefix('r')?;
    let hashes = body.len() - body.trim_start_matches('#').len();
    let inner = body[hashes..].strip_prefix('"')?;
    let end = format!("\"{}", "#".repeat(hashes));
    let length = inner.find(&end).map_or(inner.len(), |at| at + end.len());
    Some(rest.len() - inner.len() + length)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_literals_are_blanked_and_lines_stay() {
        assert_eq!(blank("a /* b /* c */ d */ e"), format!("a {} e", " ".repeat(17)));
        assert_eq!(blank("a // b\nc"), "a     \nc");
        assert_eq!(blank(r#"f("x\"y") + g"#), "f(      ) + g");
        assert_eq!(
            blank("r#\"a\"b\"# + br\"c\" + for_r"),
            format!("{} + {} + for_r", " ".repeat(8), " ".repeat(5))
        );
        assert_eq!(blank(r"x: &'a str = '\'' + '/'"), "x: &'a str =      +    ");
        assert_eq!(blank("\"a\nb\"c"), "  \n  c");
    }

    #[test]
    fn unit_tests_at_the_end_are_no_code() {
        let text = "#[cfg(test)]\nfn a() {}\n#[cfg(test)]\nmod tests {\n fn b() {}\n}\n";
        assert_eq!(code_lines(text), [(1, "#[cfg(test)]".to_string()), (2, "fn a() {}".to_string())]);
    }

    #[test]
    fn use_trees_are_expanded() {
        let lines =
            code_lines("use std::{\n    fs,\n    io::{self, Read as R},\n};\npub use a::b;\nlet x = 1;\n");
        let paths: Vec<String> =
            imports(&lines).into_iter().map(|(line, path)| format!("{line} {path}")).collect();
        assert_eq!(paths, ["1 std::fs", "1 std::io", "1 std::io::Read", "5 a::b"]);
    }
}
