//! What a reader sees of text with markup: elements go, entities become their characters, white space becomes one
//! blank.

/// Text without elements. What belongs to another system's screen (`class="MAC"`) goes with what is in it.
pub fn plain(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once('<') {
        shown.push_str(before);
        let is_element = behind.starts_with(|c: char| c.is_ascii_alphabetic() || matches!(c, '/' | '!'));
        rest = match behind.split_once('>') {
            Some((tag, behind)) if is_element && is_other_system(tag) => behind_span(behind),
            Some((tag, behind)) if is_element => {
                if parts(tag) {
                    shown.push(' ');
                }
                behind
            }
            _ => {
                shown.push('<');
                behind
            }
        };
    }
    shown.push_str(rest);
    let blanked = unescaped(&shown);
    blanked
        .split(|c: char| c.is_whitespace() || c.is_control())
        .filter(|word| !word.is_empty())
        .collect::<Vec<_>>()
        .join(" ")
}

fn is_other_system(tag: &str) -> bool {
    tag.starts_with("span") && tag.contains("class=\"MAC\"")
}

/// Whether words on both sides of an element are apart.
fn parts(tag: &str) -> bool {
    ["br", "p", "/p", "div", "/div", "li", "/li", "td", "/td"]
        .contains(&tag.split([' ', '/']).find(|part| !part.is_empty()).unwrap_or(""))
}

/// What follows the end of a span that begins before `text`; spans within it end too.
fn behind_span(text: &str) -> &str {
    let (mut rest, mut depth) = (text, 1);
    while let Some((_, behind)) = rest.split_once('<') {
        rest = behind;
        if behind.starts_with("span") {
            depth += 1;
        } else if behind.starts_with("/span") {
            depth -= 1;
        }
        if depth == 0 {
            return behind.split_once('>').map_or("", |(_, behind)| behind);
        }
    }
    ""
}

/// Most characters between `&` and `;`.
const LONGEST: usize = 8;

fn unescaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once('&') {
        out.push_str(before);
        let entity = behind.split_once(';').filter(|(name, _)| name.len() <= LONGEST);
        match entity.and_then(|(name, behind)| Some((character(name)?, behind))) {
            Some((character, behind)) => {
                out.push(character);
                rest = behind;
            }
            None => {
                out.push('&');
                rest = behind;
            }
        }
    }
    out.push_str(rest);
    out
}

fn character(name: &str) -> Option<char> {
    const NAMED: [(&str, char); 10] = [
        ("amp", '&'),
        ("lt", '<'),
        ("gt", '>'),
        ("quot", '"'),
        ("apos", '\''),
        ("nbsp", ' '),
        ("hellip", '…'),
        ("ndash", '–'),
        ("mdash", '—'),
        ("copy", '©'),
    ];
    if let Some((_, known)) = NAMED.iter().find(|(known, _)| *known == name) {
        return Some(*known);
    }
    let number = name.strip_prefix('#')?;
    let number = match number.strip_prefix(['x', 'X']) {
        Some(hex) => u32::from_str_radix(hex, 16).ok()?,
        None => number.parse().ok()?,
    };
    char::from_u32(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_shown_stays() {
        let cases = [
            ("Click <span class=\"emph\">OK</span>.", "Click OK."),
            ("one<br>two<br/>three</p>four", "one two three four"),
            ("a &lt;b&gt; &amp;amp; &#228;&#xe4;&nbsp;c &no; & &", "a <b> &amp; ää c &no; & &"),
            ("1 < 2 and 3 > 2", "1 < 2 and 3 > 2"),
            (
                "Choose <span class=\"switchinline\"><span hidden=\"true\" class=\"MAC\">a <span>b</span></span><span>Tools</span></span>.",
                "Choose Tools.",
            ),
            ("\u{1}a\n\t b ", "a b"),
            ("<span class=\"MAC\">never ended", ""),
            ("ends in <", "ends in <"),
        ];
        for (text, shown) in cases {
            assert_eq!(plain(text), shown, "{text}");
        }
    }
}
