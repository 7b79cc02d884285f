//! The CTC loss held against the sum over all ways to spell labels, and spellings against loops.

use crate::support;

use meshwright_nn::losses::{Transcripts, ctc};
use meshwright_nn::transcribe::{Spelt, edits, spelt};
use meshwright_tensor::DType;
use meshwright_tensor::prelude::*;
use support::{Random, close, run};

/// Repeated classes are one, and blanks are nothing.
fn collapsed(path: &[usize], blank: usize) -> Vec<usize> {
    let is_new = |at: usize| at == 0 || path[at] != path[at - 1];
    (0..path.len()).filter(|at| is_new(*at) && path[*at] != blank).map(|at| path[at]).collect()
}

/// All paths of so many times over so many classes.
fn paths(times: usize, classes: usize) -> Vec<Vec<usize>> {
    let digits = |n: usize| (0..times).map(|at| n / classes.pow(at as u32) % classes).collect();
    (0..classes.pow(times as u32)).map(digits).collect()
}

/// -log of the summed chances of all paths that spell the labels; infinite if there are none.
fn by_paths(logits: &[f64], classes: usize, labels: &[usize], times: usize, blank: usize) -> f64 {
    let chance = |time: usize, class: usize| {
        let row = &logits[time * classes..(time + 1) * classes];
        row[class].exp() / row.iter().map(|x| x.exp()).sum::<f64>()
    };
    let of_path = |path: Vec<usize>| path.iter().enumerate().map(|(t, c)| chance(t, *c)).product::<f64>();
    let spelling = paths(times, classes).into_iter().filter(|path| collapsed(path, blank) == labels);
    -spelling.map(of_path).sum::<f64>().ln()
}

const BATCH: usize = 24;
const TIME: usize = 5;
const CLASSES: usize = 4;
const MOST: usize = 3;

/// Random logits and labels; labels differ from the blank.
struct Drawn {
    logits: Vec<f64>,
    labels: Vec<f64>,
    counts: Vec<f64>,
    times: Vec<f64>,
}

fn drawn(seed: u64, blank: usize) -> Drawn {
    let mut random = Random(seed);
    Drawn {
        logits: (0..BATCH * TIME * CLASSES).map(|_| random.unit() * 6.0 - 3.0).collect(),
        labels: (0..BATCH * MOST)
            .map(|_| ((blank + 1 + random.below(CLASSES - 1)) % CLASSES) as f64)
            .collect(),
        counts: (0..BATCH).map(|_| random.below(MOST + 1) as f64).collect(),
        times: (0..BATCH).map(|_| 1.0 + random.below(TIME) as f64).collect(),
    }
}

fn losses(given: &Drawn, blank: usize, dtype: DType) -> Vec<f64> {
    let program = trace("ctc", |t| {
        let whole = |name: &str, dims: &[usize]| {
            t.input(name, i32, dims.iter().map(|d| *d as i64).collect::<Vec<_>>())
        };
        let logits = t.input("logits", dtype, [BATCH as i64, TIME as i64, CLASSES as i64]);
        let (labels, label_lengths) = (whole("labels", &[BATCH, MOST]), whole("counts", &[BATCH]));
        ctc(logits, Transcripts { labels, label_lengths, times: whole("times", &[BATCH]) }, blank as i64)
    });
    let program = program.expect("a CTC loss traces");
    let inputs: [(&str, &[f64]); 4] = [
        ("logits", &given.logits),
        ("labels", &given.labels),
        ("counts", &given.counts),
        ("times", &given.times),
    ];
    run(&program, &inputs).remove(0)
}

#[test]
fn a_ctc_loss_sums_over_all_ways_to_spell_labels() {
    for (seed, blank) in [(1, 0), (2, 3)] {
        let given = drawn(seed, blank);
        let wide = losses(&given, blank, f64);
        let narrow = losses(&given, blank, f32);
        let mut impossible = 0;
        for row in 0..BATCH {
            let labels: Vec<usize> = given.labels[row * MOST..][..given.counts[row] as usize]
                .iter()
                .map(|x| *x as usize)
                .collect();
            let logits = &given.logits[row * TIME * CLASSES..];
            let expected = by_paths(logits, CLASSES, &labels, given.times[row] as usize, blank);
            if expected.is_infinite() {
                impossible += 1;
                assert!(wide[row] > 1e29 && narrow[row] > 1e29, "row {row}: {} {}", wide[row], narrow[row]);
            } else {
                close(&[wide[row]], &[expected], 1e-12);
                close(&[narrow[row]], &[expected], 1e-5);
            }
        }
        assert!((1..BATCH / 2).contains(&impossible), "{impossible} of {BATCH}");
    }
}

/// The usual table, whole.
fn distance(a: &[usize], b: &[usize]) -> usize {
    let mut table = vec![vec![0; b.len() + 1]; a.len() + 1];
    for i in 0..=a.len() {
        for j in 0..=b.len() {
            table[i][j] = match (i, j) {
                (0, _) => j,
                (_, 0) => i,
                _ => {
                    let replaced = table[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
                    replaced.min(table[i - 1][j] + 1).min(table[i][j - 1] + 1)
                }
            };
        }
    }
    table[a.len()][b.len()]
}

#[test]
fn spellings_and_edits_are_those_of_loops() {
    const LONG: usize = 9;
    let mut random = Random(7);
    let program = trace("spelt", |t| {
        let (batch, long) = (BATCH as i64, LONG as i64);
        let logits = t.input("logits", f64, [batch, long, CLASSES as i64]);
        let found = spelt(logits, t.input("times", i32, [batch]), 0);
        let labels = t.input("labels", i32, [batch, MOST as i64]);
        let wanted = Spelt { labels, lengths: t.input("counts", i32, [batch]) };
        (found, edits(found, wanted), edits(wanted, found))
    });
    let program = program.expect("spellings trace");
    let given = drawn(3, 0);
    let logits: Vec<f64> = (0..BATCH * LONG * CLASSES).map(|_| random.unit()).collect();
    let times: Vec<f64> = (0..BATCH).map(|_| random.below(LONG + 1) as f64).collect();
    let inputs: [(&str, &[f64]); 4] =
        [("logits", &logits), ("times", &times), ("labels", &given.labels), ("counts", &given.counts)];
    let found = run(&program, &inputs);
    for row in 0..BATCH {
        let best = |time: usize| {
            let row = &logits[(row * LONG + time) * CLASSES..][..CLASSES];
            (0..CLASSES).reduce(|a, b| if row[b] > row[a] { b } else { a }).expect("classes")
        };
        let path: Vec<usize> = (0..times[row] as usize).map(best).collect();
        let expected = collapsed(&path, 0);
        let labels: Vec<usize> =
            found[0][row * LONG..][..expected.len()].iter().map(|x| *x as usize).collect();
        assert_eq!((labels, found[1][row] as usize), (expected.clone(), expected.len()), "row {row}");
        assert!(found[0][row * LONG + expected.len()..(row + 1) * LONG].iter().all(|x| *x == 0.0));
        let wanted: Vec<usize> =
            given.labels[row * MOST..][..given.counts[row] as usize].iter().map(|x| *x as usize).collect();
        let apart = distance(&expected, &wanted) as f64;
        assert_eq!((found[2][row], found[3][row]), (apart, apart), "row {row}");
    }
}
