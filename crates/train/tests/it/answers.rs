//! Scores of answers are those of T5's `qa_utils` and of `rouge_score`: `peers/answers.py` wrote a thousand pairs with
//! what they make of them.

use meshwright_train::score::Answer;

const PAIRS: &str = include_str!("../fixtures/answers.tsv");

#[test]
fn exact_match_f1_and_rouge_are_those_of_their_packages() {
    let mut sums = [0.0; 5];
    for line in PAIRS.lines() {
        let cells: Vec<&str> = line.split('\t').collect();
        let [written, expected, scores @ ..] = &cells[..] else { panic!("{line}") };
        let ours = Answer::of(written, expected).named();
        assert_eq!(scores.len(), ours.len());
        for (at, ((name, ours), theirs)) in ours.into_iter().zip(scores).enumerate() {
            let theirs: f64 = theirs.parse().unwrap();
            assert!((ours - theirs).abs() < 1e-6, "{name} of {written:?} for {expected:?}: {ours}, {theirs}");
            sums[at] += theirs;
        }
    }
    assert_eq!(PAIRS.lines().count(), 1000);
    // All of them tell pairs apart.
    assert!(sums.iter().all(|sum| (50.0..950.0).contains(sum)), "{sums:?}");
}
