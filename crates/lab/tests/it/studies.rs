//! Studies: variants that need others have them run first, what looks at another's runs finds them, and all claims
//! become a page.

use crate::support::{good, place, refused};

#[test]
fn a_student_has_its_teacher_run_first_and_others_look_at_the_same_runs() {
    let place = place("studies");
    let short = ["--seeds", "1", "--steps", "2", "--threads", "1"];
    let said =
        good(&place, &[&["reproduce", "switch-table-6", "--only", "+ mixed loss"][..], &short].concat());
    let runs = place.join("reproduce/switch-table-6");
    assert!(
        runs.join("switch-seed-1/result.json").is_file()
            && runs.join("+-mixed-loss-seed-1/result.json").is_file()
    );
    assert!(!runs.join("dense-seed-1").exists());
    assert!(said.contains("| + mixed loss | 1 | -") && said.contains("-1.580 (29 %)"), "{said}");
    // Nothing is run again.
    let began = std::fs::metadata(runs.join("switch-seed-1/result.json")).unwrap().modified().unwrap();
    good(&place, &[&["reproduce", "switch-table-6", "--only", "switch"][..], &short].concat());
    let after = std::fs::metadata(runs.join("switch-seed-1/result.json")).unwrap().modified().unwrap();
    assert_eq!(began, after);
    // Nor are runs of other steps shown as if they were these.
    let (code, said) = refused(&place, &["reproduce", "switch-table-6", "--seeds", "1", "--steps", "3"]);
    assert!(
        code == 1 && said.contains("its `train` has `steps = 2`, and `steps = 3` is asked for"),
        "{said}"
    );

    good(&place, &[&["reproduce", "switch-figure-12", "--only", "dense"][..], &short].concat());
    let said = good(&place, &["reproduce", "switch-figure-1", "--report", "--steps", "2"]);
    assert!(said.contains("| dense | 1 | -"), "{said}");
    assert!(place.join("reproduce/switch-figure-1/figure.svg").is_file());
    let page = good(&place, &["reproduce", "--outcomes"]);
    assert!(page.contains("`meshwright reproduce switch-table-6`, 2 runs kept."), "{page}");
    assert!(page.contains("1 runs kept, those of `switch-figure-12`"), "{page}");
    let (code, said) = refused(&place, &["reproduce", "switch-table-6", "--only", "mixed"]);
    assert!(code == 2 && said.contains("its variants are `dense`, `switch`, `distilled`"), "{said}");
}

#[test]
fn variants_are_timed_by_turns_and_a_run_of_another_study_is_taken_over() {
    let place = place("turns");
    let short = ["--seeds", "1", "--steps", "60", "--threads", "1"];
    let said = good(&place, &[&["reproduce", "switch-table-10", "--only", "ffn"][..], &short].concat());
    assert!(said.contains("measured by turns"), "{said}");
    let runs = place.join("reproduce/switch-table-10");
    let read = |path: std::path::PathBuf| -> serde_json::Value {
        serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
    };
    let turns = read(runs.join("turns.json"));
    assert!(turns["variants"]["ffn"][0]["cpu_share"].as_f64() > Some(0.0), "{turns}");
    assert!(turns["machine"].as_str().is_some_and(|name| name.ends_with("cores")), "{turns}");
    assert!(turns["commit"].is_string(), "{turns}");
    let rate = turns["variants"]["ffn"][0]["rate"].as_f64().unwrap();
    let row = &read(runs.join("numbers.json"))[0];
    let (seconds, tokens) = (row["seconds"].as_f64().unwrap(), row["tokens"].as_f64().unwrap());
    assert!((60.0 * tokens / rate - seconds).abs() < 1e-9 && row["by_turns"] == true, "{row}");
    assert!(!runs.join("turn").exists());

    good(&place, &[&["reproduce", "switch-table-11", "--only", "input jitter"][..], &short].concat());
    let taken = place.join("reproduce/switch-table-11/input-jitter-seed-1");
    let [own, taken_over] = [runs.join("ffn-seed-1"), taken.clone()].map(|run| read(run.join("result.json")));
    assert_eq!((&taken_over["variant"], &taken_over["nll"]), (&"input jitter".into(), &own["nll"]));
    // Its clock too: it was not run again.
    assert_eq!(taken_over["seconds"], own["seconds"]);
    assert!(taken.join("checkpoints").is_dir());
}

#[test]
fn a_study_writes_a_folder_for_each_run() {
    let place = place("dumped-study");
    let args = ["reproduce", "switch-figure-12", "--only", "dense", "--seeds", "1", "--steps", "1"];
    good(&place, &[&args[..], &["--dump-dir", "out", "--dump-after", "plan"]].concat());
    assert!(place.join("out/dense-seed-1/train_step/06-plan.mlir").is_file());
}
