//! Tests of patterns: published ones, foreign ones, and the matcher beside a plain backtracker.

use super::*;

fn cut(pattern: &str, text: &str) -> String {
    let parts = Pattern::read(pattern).unwrap().cut(text);
    parts.into_iter().map(|part| text[part].to_string()).collect::<Vec<_>>().join("|")
}

const GPT2: &str = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+";
const LLAMA3: &str = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+";

#[test]
fn the_published_patterns_cut_as_they_are_known_to() {
    assert_eq!(cut(GPT2, "I've   2024 cats!!\n"), "I|'ve|  | 2024| cats|!!|\n");
    assert_eq!(cut(LLAMA3, "I'VE 2024 cats!!\n\n x  \n"), "I|'VE| |202|4| cats|!!\n\n| x|  \n");
    assert_eq!(cut(LLAMA3, "it'\u{17F} a\u{301}e"), "it|'\u{17F}| a|\u{301}e");
    assert_eq!(cut(r"\p{Lu}?\p{Ll}+", "camelCase, x"), "camel|Case|, |x");
    assert_eq!(cut(r"[0-9]{2}(?:ab|a)?b", "12abb12b12"), "12abb|12b|12");
    assert_eq!(cut(r"a*+a|b", "aaab"), "aaa|b");
}

/// The counts of the `tokenizers` package 0.23.3 of PyPI, which has Unicode 16. Another version would split text in
/// newer letters differently.
#[test]
fn letters_marks_and_numbers_are_those_of_unicode_16() {
    let count = |name: &str| {
        let item = Item::Category(name.to_string());
        ('\0'..=char::MAX).filter(|c| item.has(*c)).count()
    };
    assert_eq!(["L", "M", "N"].map(count), [141_028, 2_501, 1_911]);
}

#[test]
fn what_is_foreign_or_broken_is_told() {
    for (pattern, said) in [
        ("(?<=a)b", "a group of another kind"),
        ("a*?", "as little as it can"),
        (r"\p{Han}", r"`\p{Han}`"),
        ("(ab)*", "without end"),
        ("^a", "`^`"),
        (r"\w", r"`\w`"),
        ("[a&&b]", "a set inside of a set"),
        ("(a", "a `)` is missing"),
        ("a)", "a `)` too many"),
        ("[z-a]", "goes down"),
        ("a{3,1}", "no number of times"),
        ("[a", "it ends early"),
        ("[]", "a set of nothing"),
        (r"\pL", "no `{NAME}`"),
    ] {
        let found = Pattern::read(pattern).unwrap_err();
        assert!(found.message.contains(said), "{pattern}: {}", found.message);
    }
    assert!(Pattern::read(&"(".repeat(1000)).unwrap_err().message.contains("so deep"));
}

#[test]
fn a_long_run_takes_no_stack() {
    let text = " ".repeat(1 << 20) + "x";
    assert_eq!(Pattern::read(GPT2).unwrap().cut(&text).len(), 2);
}

#[test]
fn a_repeated_group_may_be_empty() {
    assert_eq!(cut("(a?){2}b", "xbab"), "x|b|ab");
    assert_eq!(cut("(?:|a){0,2}b", "aab"), "aab");
}

#[test]
fn patterns_that_are_too_large_are_refused_with_a_short_message() {
    let nested = (0..12).fold("a?".to_string(), |inner, _| format!("({inner}){{0,16}}"));
    for pattern in ["a?".repeat(6_000_000), nested, "a{1000000}".into(), "a?".repeat(4000)] {
        let message = Pattern::read(&pattern).unwrap_err().message;
        assert!(message.contains("more than") && message.len() < 300, "{message}");
    }
}

/// Steps of cutting a text, for each byte of it.
fn steps_per_byte(pattern: &str, text: &str) -> usize {
    Pattern::read(pattern).unwrap().cut_counting(text).1 / text.len()
}

#[test]
fn published_patterns_take_few_steps() {
    let text = "It's 2024, and the \u{e9}t\u{e9} of 'n' things!\n\n   ".repeat(1000);
    for pattern in [GPT2, LLAMA3] {
        assert!(steps_per_byte(pattern, &text) < 25, "{pattern}: {}", steps_per_byte(pattern, &text));
    }
}

#[test]
fn steps_are_linear_in_the_text_for_every_pattern() {
    let (a, spaces) = ("a".repeat(60_000), " ".repeat(60_000));
    for (pattern, text) in [
        ("[a-z ]*".repeat(10) + "#", &a),
        ("(?:(?:a{1,4}){1,4}){1,4}#".into(), &a),
        ("(?:a|a|a?){16}#".into(), &a),
        (".*[^a]|a".into(), &a),
        ("a(?=.*a)".into(), &a),
        ("a(?=.*#)".into(), &a),
        ("a(?!.*#)".into(), &a),
        ("a(?=(?:a*+|b)a*+)".into(), &a),
        ("a*+#".into(), &a),
        ("a(?!(?=.*a).*#)".into(), &a),
        (r"\s+(?!\S)#".into(), &spaces),
        (GPT2.into(), &spaces),
    ] {
        let steps = steps_per_byte(&pattern, text);
        assert!(steps < 2000, "{pattern}: {steps} steps per byte");
    }
}

/// Whether the node fits here, in the first way by which the rest fits too: plain, and without a bound on its time.
fn fits(node: &Node, text: &str, at: usize, then: &mut dyn FnMut(usize) -> bool) -> bool {
    match node {
        Node::One(set) => text[at..].chars().next().is_some_and(|c| set.has(c) && then(at + c.len_utf8())),
        Node::Row(nodes) => match nodes.split_first() {
            None => then(at),
            Some((first, rest)) => {
                fits(first, text, at, &mut |at| fits(&Node::Row(rest.to_vec()), text, at, then))
            }
        },
        Node::Any(nodes) => nodes.iter().any(|node| fits(node, text, at, then)),
        Node::Look { fits: expected, node } => fits(node, text, at, &mut |_| true) == *expected && then(at),
        Node::Repeat(repeat, node) if repeat.keeps => {
            let mut end = None;
            let plain = Node::Repeat(Repeat { keeps: false, ..*repeat }, node.clone());
            fits(&plain, text, at, &mut |at| end.replace(at).is_none());
            end.is_some_and(then)
        }
        Node::Repeat(repeat, node) => {
            let most = repeat.most.min(text.len() + 1).saturating_sub(1);
            let fewer = Repeat { least: repeat.least.saturating_sub(1), most, keeps: false };
            let more = Node::Repeat(fewer, node.clone());
            repeat.most > 0 && fits(node, text, at, &mut |at| fits(&more, text, at, then))
                || repeat.least == 0 && then(at)
        }
    }
}

/// Numbers of a xorshift generator.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % bound
    }

    fn pattern(&mut self, depth: u64) -> String {
        let count = 1 + self.below(3);
        (0..count).map(|_| self.part(depth)).collect()
    }

    fn part(&mut self, depth: u64) -> String {
        let one = ["a", "b", "[ab]", "[^a]", "."][self.below(5) as usize].to_string();
        if depth == 0 || self.below(3) == 0 {
            return one
                + ["", "?", "*", "+", "*+", "++", "?+", "{2}", "{1,3}", "{1,2}+"][self.below(10) as usize];
        }
        let (first, second) = (self.pattern(depth - 1), self.pattern(depth - 1));
        match self.below(4) {
            0 => format!("(?:{first}|{second})"),
            1 => format!("(?={first})"),
            2 => format!("(?!{first}|{second})"),
            _ => format!("({first}|{second}){}", ["?", "{0,3}", "{2}"][self.below(3) as usize]),
        }
    }
}

#[test]
fn the_matcher_agrees_with_a_plain_backtracker() {
    let mut random = Random(0x9E37_79B9_7F4A_7C15);
    let mut matches = 0;
    for _ in 0..3000 {
        let pattern = random.pattern(2);
        let node = Reader { text: &pattern, at: 0, folds_case: false }.any(0).unwrap();
        let program = Program::of(&node).unwrap();
        let text: String =
            (0..random.below(9)).map(|_| ["a", "b", "\u{e9}"][random.below(3) as usize]).collect();
        let starts: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
        let (mut plain, mut noting) = (Matcher::new(&program, &text), Matcher::noting(&program, &text));
        for start in starts {
            let mut expected = None;
            fits(&node, &text, start, &mut |end| expected.replace(end).is_none());
            matches += usize::from(expected.is_some());
            assert_eq!(plain.end(start), expected, "{pattern} at {start} of {text:?}");
            assert_eq!(noting.end(start), expected, "{pattern} at {start} of {text:?}, noting failures");
        }
    }
    assert!(matches > 3000, "{matches}");
}
