//! Templates of pages: HTML files with slots, `{{name}}`, that values replace.

/// A value for a slot.
pub enum Slot<'a> {
    /// Escaped, so that it reads as it is.
    Text(&'a str),
    /// HTML as it is.
    Markup(&'a str),
}

/// Replaces each slot of `template`. Slots inside values stay as they are.
pub fn fill(template: &str, slots: &[(&str, Slot<'_>)]) -> String {
    let mut filled = String::with_capacity(template.len());
    let mut rest = template;
    while let Some((before, name, after)) = next_slot(rest) {
        filled.push_str(before);
        let slot = slots.iter().find(|(known, _)| *known == name).map(|(_, slot)| slot);
        debug_assert!(slot.is_some(), "no value for `{name}`");
        match slot {
            Some(Slot::Text(text)) => filled.push_str(&escape(text)),
            Some(Slot::Markup(markup)) => filled.push_str(markup),
            None => {}
        }
        rest = after;
    }
    filled.push_str(rest);
    filled
}

/// Returns the text before the first slot, the slot's name, and the text after it.
fn next_slot(text: &str) -> Option<(&str, &str, &str)> {
    let (before, rest) = text.split_once("{{")?;
    let (name, after) = rest.split_once("}}")?;
    Some((before, name, after))
}

/// Escapes `text` for an element's content or a quoted attribute.
pub fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            _ => escaped.push(c),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_escaped_and_markup_is_not() {
        let slots = [("a", Slot::Text("<b> & \"c\"")), ("d", Slot::Markup("<i>{{a}}</i>"))];
        let filled = fill("<p title=\"{{a}}\">{{d}}</p>}}", &slots);
        assert_eq!(filled, "<p title=\"&lt;b&gt; &amp; &quot;c&quot;\"><i>{{a}}</i></p>}}");
    }
}
