//! `did you mean ..`: the known name with the fewest edits to a mistyped one.

/// A sentence for help, if a name is near enough to be meant. Earlier names win ties.
pub fn suggest<'a>(typed: &str, known: impl Iterator<Item = &'a str>) -> Option<String> {
    let typed: Vec<char> = typed.chars().take(64).collect();
    let best = known.map(|name| (distance(&typed, name), name)).min_by_key(|(distance, _)| *distance)?;
    (best.0 <= 1 + typed.len() / 4).then(|| format!("did you mean `{}`?", best.1))
}

/// Insertions, deletions and replacements from one to the other, a row at a time.
fn distance(typed: &[char], name: &str) -> usize {
    let first: Vec<usize> = (0..=typed.len()).collect();
    let last = name.chars().fold(first, |row, letter| next_row(&row, typed, letter));
    last.last().copied().unwrap_or(0)
}

fn next_row(row: &[usize], typed: &[char], letter: char) -> Vec<usize> {
    let mut next = vec![row[0] + 1];
    for (at, c) in typed.iter().enumerate() {
        let replaced = row[at] + usize::from(*c != letter);
        next.push(replaced.min(row[at + 1] + 1).min(next[at] + 1));
    }
    next
}

#[cfg(test)]
mod tests {
    use super::suggest;

    #[test]
    fn near_names_are_suggested_and_far_ones_not() {
        let known = || ["experts", "expert_every", "heads"].into_iter();
        assert_eq!(suggest("expert", known()).as_deref(), Some("did you mean `experts`?"));
        assert_eq!(suggest("haeds", known()).as_deref(), Some("did you mean `heads`?"));
        assert_eq!(suggest("colour", known()), None);
        assert_eq!(suggest("x", std::iter::empty()), None);
    }
}
