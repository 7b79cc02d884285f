//! The known word a user most likely meant: one measure of nearness for all that is misspelt, names of ops and values
//! in texts and names in configurations alike.

/// Words longer than this are not compared: the cost is the product of the lengths.
const LONGEST: usize = 64;

/// `did you mean ..` for the candidate with the fewest edits, if it is near enough. Earlier candidates win ties.
pub fn suggest<'a>(word: &str, candidates: impl Iterator<Item = &'a str>) -> Option<String> {
    let best = candidates.map(|known| (distance(word, known), known)).min_by_key(|(edits, _)| *edits)?;
    is_slip(best.0, word.len()).then(|| format!("did you mean `{}`?", best.1))
}

/// Whether so many edits of a word of this length are a slip.
pub fn is_slip(edits: usize, length: usize) -> bool {
    edits <= 2.max(length / 3)
}

/// Number of single-character edits between two words; words too long to compare are far apart.
pub fn distance(a: &str, b: &str) -> usize {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    if a.len() > LONGEST || b.len() > LONGEST {
        return usize::MAX;
    }
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, from) in a.iter().enumerate() {
        let mut diagonal = i;
        let mut left = i + 1;
        for (cell, to) in row.iter_mut().skip(1).zip(b) {
            let swap = diagonal + usize::from(from != to);
            diagonal = *cell;
            left = swap.min(diagonal + 1).min(left + 1);
            *cell = left;
        }
        row[0] = i + 1;
    }
    row.last().copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_word_is_suggested_and_far_ones_are_not() {
        let known = ["stablehlo.add", "stablehlo.and", "stablehlo.subtract"];
        let suggest = |word| suggest(word, known.into_iter());
        assert_eq!(suggest("stablehlo.subtrat").as_deref(), Some("did you mean `stablehlo.subtract`?"));
        assert_eq!(suggest("qqqqqqqqqqqqqqqqq"), None);
        assert_eq!(suggest("stablehlo.ad").as_deref(), Some("did you mean `stablehlo.add`?"));
        assert_eq!(super::suggest("x", std::iter::empty()), None);
        assert_eq!(distance("kitten", "sitting"), 3);
        assert_eq!(distance("", "abc"), 3);
    }
}
