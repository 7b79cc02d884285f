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

    good(&place, &[&["reproduce", "switch-figure-12", "--only", "dense"][..], &short].concat());
    let said = good(&place, &["reproduce", "switch-figure-1", "--report"]);
    assert!(said.contains("| dense | 1 | -"), "{said}");
    assert!(place.join("reproduce/switch-figure-1/figure.svg").is_file());
    let page = good(&place, &["reproduce", "--outcomes"]);
    assert!(page.contains("`meshwright reproduce switch-table-6`, 2 runs kept."), "{page}");
    assert!(page.contains("1 runs kept, those of `switch-figure-12`"), "{page}");
    let (code, said) = refused(&place, &["reproduce", "switch-table-6", "--only", "mixed"]);
    assert!(code == 2 && said.contains("its variants are dense, switch, distilled"), "{said}");
}
