//! Arguments that the developer commands refuse.

use std::process::Command;

fn refused(args: &[&str]) -> (i32, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_meshwright-lab")).args(args).output().unwrap();
    (output.status.code().unwrap_or(-1), String::from_utf8(output.stderr).unwrap())
}

#[test]
fn a_table_that_nobody_has_and_options_that_a_computed_one_has_no_use_for_are_refused() {
    let (code, said) = refused(&["reproduce", "gspmd-table-11"]);
    assert!(code == 1 && said.contains("gspmd-table-1"), "{code} {said}");
    let (code, said) = refused(&["reproduce", "switch-table-9", "--seeds", "2"]);
    assert!(code == 2 && said.contains("computed, not trained") && said.contains("--seeds"), "{code} {said}");
    let (code, said) = refused(&["reproduce"]);
    assert_eq!(code, 2, "{said}");
}
