//! Optimistic changes, planted on purpose: a printed value moved, a timing doubled, a control removed, three of each.
//! Each would make a result look better than it is, and all nine are rejected.

use crate::papers::kept;
use meshwright_lab::papers::printed::{self, Value};
use meshwright_lab::studies::checks::errors;
use meshwright_lab::studies::{Claim, RunResult, Stated, Study, Verdict, outcomes, study};

const LEDGER: &str = include_str!("../../../../docs/results/data/printed.csv");

/// Whether a document of Switch prints a number, whatever its unit.
fn is_printed(number: &str) -> bool {
    let digits = |printed: &str| printed.trim_end_matches(|last: char| last.is_ascii_alphabetic()) == number;
    let lines = printed::lines(LEDGER);
    lines.iter().any(|[document, .., printed]| document.starts_with("Switch") && digits(printed))
}

fn check(study: &Study) -> Vec<String> {
    errors(study, is_printed)
}

#[test]
fn the_studies_themselves_have_no_errors() {
    for study in meshwright_lab::studies::studies().filter(|study| study.name != "gshard-m4") {
        assert_eq!(check(study), Vec::<String>::new());
    }
}

#[test]
fn a_printed_value_that_moved_is_rejected() {
    // A step that the paper has 5.71 s for, moved to where ours is.
    let moved = |row: &str, quantity: &str, to: &str| {
        let mut values = printed::values();
        let at = values.iter().position(|one| one.row == row && one.quantity == quantity).unwrap();
        values[at] = Value { printed: to.into(), ..values[at].clone() };
        printed::differences(LEDGER, &values)
    };
    let found = moved("gspmd-16b-8x32", "seconds", "4.97");
    assert_eq!(found, ["gspmd-16b-8x32 seconds: GSPMD Table 3 prints 5.71, and not 4.97"]);
    // The count that ours is.
    let found = moved("switch-large", "parameters", "27B");
    assert_eq!(found, ["switch-large parameters: Switch Table 9 prints 26B, and not 27B"]);
    // A speed-up of seven that became the one that is seen here, in its size and in the words beside it.
    let figure = study("switch-figure-1").unwrap();
    let claims: Vec<Stated> =
        figure.claims.iter().map(|stated| stated.size.map_or(*stated, |_| stated.times(1.4))).collect();
    let found = check(&Study { claims: claims.leak(), ..*figure });
    assert!(found.len() == 1 && found[0].contains("no 1.4 times in"), "{found:?}");
    let table = study("switch-table-11").unwrap();
    let moved = Stated { paper: "-1.468 against -1.481", ..table.claims[2] }.by(0.013);
    let found = check(&Study { claims: vec![moved].leak(), ..*table });
    assert!(found.len() == 1 && found[0].contains("no document prints -1.481"), "{found:?}");
}

/// Five seeds of the runs that are kept: those that are missing are the first again, in other order of their chance.
fn five_seeds(name: &str, variants: [&str; 2]) -> Vec<RunResult> {
    let rows = kept(name).unwrap();
    let rows: Vec<RunResult> = rows.as_array().unwrap().iter().filter_map(RunResult::of_json).collect();
    let mut made = Vec::new();
    for variant in variants {
        let own: Vec<&RunResult> = rows.iter().filter(|row| row.variant == variant).collect();
        made.extend((0..5).map(|at| RunResult { seed: at as u64 + 1, ..own[at % own.len()].clone() }));
    }
    made
}

/// Doubles the seconds of a variant, as a busy machine does; with its processor's seconds if nothing is to be noticed.
fn doubled(rows: &[RunResult], variant: &str, is_noticed: bool) -> Vec<RunResult> {
    let double = |row: &RunResult| {
        let mut row = row.clone();
        if row.variant == variant {
            row.seconds *= 2.0;
            row.curve.iter_mut().for_each(|point| point.seconds *= 2.0);
            row.cpu_seconds *= if is_noticed { 1.0 } else { 2.0 };
        }
        row
    };
    rows.iter().map(double).collect()
}

#[test]
fn a_timing_that_was_doubled_is_rejected() {
    for (name, claim) in [
        ("switch-table-2", Claim::Faster("selective", "f32")),
        ("switch-figure-12", Claim::SoonerInSeconds("2 experts", "dense")),
        ("switch-figure-12", Claim::SoonerInSeconds("4 experts", "2 experts")),
    ] {
        let [ours, other] = claim.variants()[..] else { panic!("{claim:?}") };
        let rows = five_seeds(name, [ours, other]);
        let stated = Stated { claim, paper: "", size: None };
        let study = Study { claims: vec![stated].leak(), ..*study(name).unwrap() };
        let judge = |rows: &[RunResult]| outcomes(&study, rows).remove(0);
        assert_ne!(judge(&rows).verdict, Verdict::Held, "{name}");
        // It would do.
        assert_eq!(judge(&doubled(&rows, other, false)).verdict, Verdict::Held, "{name}");
        let found = judge(&doubled(&rows, other, true));
        assert!(
            found.verdict == Verdict::NotResolved && found.here.contains("5 timings refused"),
            "{name}: {}",
            found.here
        );
    }
}

#[test]
fn a_control_that_was_removed_is_rejected() {
    let table = study("switch-table-6").unwrap();
    let gain = *table.claims.iter().find(|one| one.paper == "29 %").unwrap();
    let keeps = |control| {
        let Claim::KeepsGain { student, alone, teacher, .. } = gain.claim else { panic!("{gain:?}") };
        Study {
            claims: vec![Stated { claim: Claim::KeepsGain { student, alone, teacher, control }, ..gain }]
                .leak(),
            ..*table
        }
    };
    let rows = kept("switch-table-6").unwrap();
    let rows: Vec<RunResult> = rows.as_array().unwrap().iter().filter_map(RunResult::of_json).collect();
    let more = (4..=5).flat_map(|seed| {
        let first = rows.iter().filter(move |row| row.seed == seed - 3);
        first.map(move |row| RunResult { seed, ..row.clone() })
    });
    let five: Vec<RunResult> = rows.iter().cloned().chain(more).collect();
    // Over the dense model, which begins with other weights, the student would keep 195 %.
    let over_dense = keeps(Some("dense"));
    assert_eq!(outcomes(&over_dense, &five)[0].verdict, Verdict::DirectionOnly);
    let found = check(&over_dense);
    assert!(found.len() == 1 && found[0].contains("`dense` is not a control of `+ mixed loss`"), "{found:?}");
    // Without one.
    let without = outcomes(&keeps(None), &five).remove(0);
    assert!(
        without.verdict == Verdict::NotResolved && without.here.starts_with("no control"),
        "{}",
        without.here
    );
    // The control exists, but its runs are missing.
    let left: Vec<RunResult> = five.iter().filter(|row| row.variant != "weights alone").cloned().collect();
    let without = outcomes(&keeps(Some("weights alone")), &left).remove(0);
    assert!(
        without.verdict == Verdict::NotResolved && without.here.contains("no runs of"),
        "{}",
        without.here
    );
    // And with it, it is seen that nothing is kept.
    let with = outcomes(&keeps(Some("weights alone")), &five).remove(0);
    assert!(!matches!(with.verdict, Verdict::Held | Verdict::DirectionOnly), "{}", with.here);
}
