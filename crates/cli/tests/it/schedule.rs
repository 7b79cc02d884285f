//! `meshwright schedule`: the picture, the comparison, and what is refused.

use std::io::Write;
use std::process::{Command, Output, Stdio};

fn schedule(args: &[&str], input: &str) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_meshwright"))
        .arg("schedule")
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    // Arguments that are refused are refused before anything is read: the pipe may be closed by then.
    let _ = child.stdin.take().expect("there is a pipe").write_all(input.as_bytes());
    child.wait_with_output().expect("it ends")
}

fn done(args: &[&str], input: &str) -> String {
    let output = schedule(args, input);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn refused(args: &[&str], input: &str) -> String {
    let output = schedule(args, input);
    assert_eq!(output.status.code(), Some(1));
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn a_schedule_is_drawn_in_time() {
    let picture = done(&["1f1b", "--stages", "2", "--microbatches", "3"], "");
    let expected = "\
stage 0  F0 F1 .  .  B0 -  F2 B1 -  .  B2 -
stage 1  .  F0 B0 -  F1 B1 -  F2 B2 -  .  .

3 microbatches: 12 units of time, of which stages wait 25.0 %
passes that are kept at one time: 2, 1
no one program for all stages runs in this order: those of gpipe and circular do
";
    assert_eq!(picture, expected);
}

#[test]
fn what_is_written_is_read_and_drawn_alike() {
    for name in ["gpipe", "circular", "1f1b", "interleaved", "zero-bubble"] {
        let sizes = ["--stages", "4", "--microbatches", "8"];
        let orders = done(&[&[name, "--orders"][..], &sizes].concat(), "");
        assert_eq!(done(&["-"], &orders), done(&[&[name][..], &sizes].concat(), ""));
    }
}

#[test]
fn the_known_ones_stand_side_by_side() {
    let table = done(&["--stages", "4", "--microbatches", "9"], "");
    assert!(table.contains("gpipe            36   25.0%  yes          9, 9, 9, 9\n"), "{table}");
    assert!(table.contains("interleaved  9 microbatches do not fall into groups of 4\n"), "{table}");
    let json: serde_json::Value = serde_json::from_str(&done(&["--json"], "")).expect("it is JSON");
    assert_eq!(json["schedules"]["zero-bubble"]["kept"], serde_json::json!([4, 4, 4, 4]));
}

#[test]
fn what_is_no_schedule_is_refused_with_a_way_out() {
    let said = refused(&["-"], "F0 B0 F1 B1\nF1 F0 B0 B1\n");
    assert!(said.contains("wait for each other") && said.contains(":2:1"), "{said}");
    let missing = schedule(&["1fb"], "");
    assert_eq!(missing.status.code(), Some(3));
    assert!(String::from_utf8_lossy(&missing.stderr).contains("the known ones are gpipe, circular, 1f1b"));
    assert!(refused(&["-", "--stages", "3"], "F0 B0").contains("drop `--stages`"));
    assert!(refused(&["gpipe", "--stages", "0"], "").contains("a schedule of 0 stages"));
    assert!(refused(&["gpipe", "--stages", "1000000"], "").contains("too many to lay out"));
    assert_eq!(schedule(&["gpipe", "--durations", "1,0,1"], "").status.code(), Some(2));
}
