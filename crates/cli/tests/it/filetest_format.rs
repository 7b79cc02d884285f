//! The format of filetests, tested without a module.

#[path = "../filetests/case.rs"]
mod case;
#[path = "../filetests/diff.rs"]
mod diff;
#[path = "../filetests/errors.rs"]
mod errors;

use case::{Case, Test, render};
use errors::Expected;
use meshwright_base::{Code, Diagnostic, Severity, Span};

const FILE: &str =
    "// test parse\n// test run devices=4 seeds=3\n// A word about it.\nmodule {\n}\n//| a\n//|\n//| b\n";

#[test]
fn a_file_is_commands_then_module_then_expected_lines() {
    let case = Case::parse("x.mlir", FILE).unwrap();
    let commands: Vec<&str> = case.tests.iter().map(|test| &*test.command).collect();
    assert_eq!(commands, ["parse", "run"]);
    assert_eq!(case.tests[1].number("devices"), Ok(Some(4)));
    assert_eq!(case.tests[1].number("threads"), Ok(None));
    assert_eq!(case.expected, "//| a\n//|\n//| b\n");
    assert_eq!(case.text.line(4), "module {");
    assert_eq!(format!("{}{}", case.text.text, case.expected), FILE, "nothing is lost when it is blessed");
}

#[test]
fn mistakes_in_a_file_are_told() {
    assert!(Case::parse("x", "module {}\n").err().unwrap().contains("no line `// test COMMAND`"));
    assert!(Case::parse("x", "// test parse\n//| a\nmodule {}\n").err().unwrap().contains("module {}"));
    let case = Case::parse("x", "// test run seeds=many\n").unwrap();
    assert!(case.tests[0].number("seeds").unwrap_err().contains("not a number"));
}

#[test]
fn output_is_rendered_with_heads_when_there_are_several_commands() {
    let test = Test { command: "print".into(), args: vec!["hlo".into()] };
    assert_eq!(render(&[(&test, "a\n\nb\n".into())], false), "//| a\n//|\n//| b\n");
    assert_eq!(render(&[(&test, "a\n".into())], true), "//| --- print hlo\n//| a\n");
}

#[test]
fn diagnostics_are_expected_on_their_line_above_it_or_anywhere() {
    let expected = errors::expected("a //~ ERROR one\nb\n//~^ WARNING two\n//~? NOTE three\n").unwrap();
    let one = |line, severity, text: &str| Expected { line, severity, text: text.into() };
    assert_eq!(
        expected,
        [
            one(Some(1), Severity::Error, "one"),
            one(Some(2), Severity::Warning, "two"),
            one(None, Severity::Note, "three"),
        ]
    );
    assert!(errors::expected("//~ BAD\n").unwrap_err().contains("not `BAD`"));
}

#[test]
fn every_diagnostic_must_be_expected_and_every_expected_one_must_come() {
    let case = Case::parse("x", "// test parse\nbad //~ ERROR E0101\n").unwrap();
    let at = |place: usize| Diagnostic::error(Code(101), "no").at(Span::new(place, place + 1));
    assert_eq!(errors::check(&case, &[at(14)]), Ok(()));
    let message = errors::check(&case, &[at(0)]).unwrap_err();
    assert!(message.contains("not expected:\nerror[E0101]"), "{message}");
    assert!(message.contains("expected on line 2, but did not come: Error E0101"), "{message}");
}

#[test]
fn a_difference_is_shown_with_the_lines_around_it() {
    assert_eq!(
        diff::diff("a\nb\nc\nd\ne\nf\n", "a\nb\nc\nd\nX\nY\nf\n"),
        "  b\n  c\n  d\n- e\n+ X\n+ Y\n  f\n"
    );
    assert_eq!(diff::diff("", "a\n"), "+ a\n");
}
