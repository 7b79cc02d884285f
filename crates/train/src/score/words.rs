//! Words and signs of a line, as `mteval-v13a` of NIST cuts them and sacreBLEU calls `13a`.

use super::is_blank;

/// Markup that stands for a sign, in the order in which it is read.
const MARKUP: [(&str, &str); 4] = [("&quot;", "\""), ("&amp;", "&"), ("&lt;", "<"), ("&gt;", ">")];

/// The words of a line. Signs are words of their own; `.` and `,` are not within a number, `-` is behind a digit.
pub fn words(line: &str) -> Vec<String> {
    let mut line = line.trim_end_matches(is_blank).replace("<skipped>", "");
    for (markup, sign) in MARKUP {
        line = line.replace(markup, sign);
    }
    let mut apart = vec![' '];
    for c in line.chars() {
        if is_sign(c) {
            apart.extend([' ', c, ' ']);
        } else {
            apart.push(c);
        }
    }
    apart.push(' ');
    let is_digit = |c: char| c.is_ascii_digit();
    let is_point = |c: char| matches!(c, '.' | ',');
    let apart = part(&apart, |a, b| !is_digit(a) && is_point(b), |a, b| [a, ' ', b, ' ']);
    let apart = part(&apart, |a, b| is_point(a) && !is_digit(b), |a, b| [' ', a, ' ', b]);
    let apart = part(&apart, |a, b| is_digit(a) && b == '-', |a, b| [a, ' ', b, ' ']);
    apart.split(|c| is_blank(*c)).filter(|word| !word.is_empty()).map(|word| word.iter().collect()).collect()
}

/// Signs of ASCII that are always words of their own: all but `'`, `,`, `-` and `.`.
fn is_sign(c: char) -> bool {
    c.is_ascii_punctuation() && !matches!(c, '\'' | ',' | '-' | '.')
}

/// Rewrite pairs of neighbours from the left; a character belongs to one pair at most.
fn part(
    text: &[char],
    is_pair: impl Fn(char, char) -> bool,
    parted: fn(char, char) -> [char; 4],
) -> Vec<char> {
    let (mut out, mut rest) = (Vec::with_capacity(text.len() * 2), text);
    while let [first, behind @ ..] = rest {
        match behind {
            [second, behind @ ..] if is_pair(*first, *second) => {
                out.extend(parted(*first, *second));
                rest = behind;
            }
            _ => {
                out.push(*first);
                rest = behind;
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signs_are_words_but_not_within_numbers() {
        let cases = [
            ("Hello, world!", "Hello , world !"),
            ("1,234.5 and .5, 6.", "1,234.5 and . 5 , 6 ."),
            ("well-known 10-year don't", "well-known 10 - year don't"),
            ("a.,b ...", "a . , b . . ."),
            ("&lt;b&gt; &amp;quot; &quot;x&quot;", "< b > & quot ; \" x \""),
            ("x_y [a] {b} c~d\\e", "x _ y [ a ] { b } c ~ d \\ e"),
            ("a<skipped>b", "ab"),
            (" \u{a0}\u{1f} ", ""),
        ];
        for (line, expected) in cases {
            assert_eq!(words(line).join(" "), expected, "{line}");
        }
    }
}
