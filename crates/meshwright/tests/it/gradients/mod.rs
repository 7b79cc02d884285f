//! The gradient of every op, in every class of its attributes, against central differences in f64; the same under
//! `vmap` and differentiated twice.
//!
//! A row is a name, inputs and a traced function ([`rows`]). [`kinds`] names every op of the IR and what is expected of
//! its derivative; an op that has one and stands in no row fails `every_op_and_class_has_a_row`.

mod check;
mod kinds;
mod rows;

use check::In::F;
use check::{Row, check, forward, row};
use kinds::{CLASSES, Expect, KINDS, Seen};
use meshwright::prelude::*;

fn all_hold(rows: Vec<Row>) {
    let wrong: Vec<String> = rows.iter().filter_map(|row| check(row).err()).collect();
    assert!(wrong.is_empty(), "{} of {} rows are wrong:\n{}", wrong.len(), rows.len(), wrong.join("\n"));
}

#[test]
fn elementwise() {
    all_hold(rows::elementwise::rows());
}

#[test]
fn movement() {
    all_hold(rows::shape::movement());
}

#[test]
fn lookup() {
    all_hold(rows::shape::lookup());
}

#[test]
fn order() {
    all_hold(rows::shape::order());
}

#[test]
fn products() {
    all_hold(rows::math::products());
}

#[test]
fn reductions() {
    all_hold(rows::math::reductions());
}

#[test]
fn convolutions() {
    all_hold(rows::math::convolutions());
}

#[test]
fn windows() {
    all_hold(rows::math::windows());
}

#[test]
fn matrices() {
    all_hold(rows::math::matrices());
}

#[test]
fn spectra() {
    all_hold(rows::math::spectra());
}

#[test]
fn control() {
    all_hold(rows::control::rows());
}

#[test]
fn layers() {
    all_hold(rows::layers::layers());
}

#[test]
fn convolutional_layers() {
    all_hold(rows::layers::convolutions());
}

#[test]
fn layers_of_images() {
    all_hold(rows::layers::images());
}

#[test]
fn losses() {
    all_hold(rows::layers::losses());
}

#[test]
fn foreign_elementwise() {
    all_hold(rows::foreign::elementwise());
}

#[test]
fn foreign_lookups() {
    all_hold(rows::foreign::lookups());
}

#[test]
fn foreign_sums() {
    all_hold(rows::foreign::sums());
}

#[test]
fn foreign_structure() {
    all_hold(rows::foreign::structure());
}

/// Names of what a table expects and nobody has shown.
fn missing<'a>(
    expected: impl Iterator<Item = &'a str>,
    seen: &std::collections::BTreeSet<&str>,
) -> Vec<&'a str> {
    expected.filter(|name| !seen.contains(name)).collect()
}

fn of(expect: Expect) -> impl Iterator<Item = &'static str> {
    KINDS.iter().filter(move |kind| kind.1 == expect).map(|kind| kind.0)
}

#[test]
fn every_op_and_class_has_a_row() {
    let mut seen = Seen::default();
    rows::all().iter().for_each(|row| seen.add(forward(row).unwrap().module()));
    let none: [&str; 0] = [];
    assert_eq!(missing(of(Expect::Slope), &seen.kinds), none, "ops with a derivative, without a row");
    assert_eq!(missing(CLASSES.iter().copied(), &seen.classes), none, "classes without a row");
    let mut refused = Seen::default();
    rows::foreign::refused().iter().for_each(|row| refused.add(forward(row).unwrap().module()));
    assert_eq!(missing(of(Expect::Refused), &refused.kinds), none, "ops without a derivative, without a row");
}

#[test]
fn ops_without_a_derivative_are_named_with_the_way_through_them() {
    for row in rows::foreign::refused() {
        let program = forward(&row).unwrap();
        let wrt: Vec<&str> = program.inputs().iter().map(|input| input.name.as_ref()).collect();
        let found = program.value_and_grad(&wrt).unwrap_err().to_string();
        let named = format!("{} has no derivative, but the loss depends on it", row.name);
        for part in
            [&*named, "it depends on parameter 0", "sine", "the loss depends on it through tanh", "= help: "]
        {
            assert!(found.contains(part), "{}: no `{part}` in\n{found}", row.name);
        }
    }
}

#[test]
fn a_wrong_derivative_is_found() {
    let almost =
        |x: &[Tensor]| vec![custom_vjp(x[0], |x| x.sin(), |x| (x.sin(), x), |x, dy| dy * x.cos() * 1.00001)];
    let wrong = check(&row("almost", &[F(&[3], -1.0, 1.0)], almost)).unwrap_err();
    assert!(wrong.starts_with("almost, gradient: numeric"), "{wrong}");
}

/// The gradient of a program of one input.
fn gradient(x: f64, function: impl FnOnce(Tensor) -> Tensor) -> f64 {
    let program = trace("f", |t| function(t.input("x", f64, ()))).unwrap().value_and_grad(&["x"]).unwrap();
    let mut loaded = program.partition().unwrap().load(1).unwrap();
    loaded.run(&[("x", &Array::filled((), x))]).unwrap().number("grad.x").unwrap()
}

#[test]
fn what_differs_from_the_functions_own_derivative_is_as_said() {
    assert_eq!(gradient(3.0, |x| x * x.stop_gradient()), 3.0);
    assert_eq!(gradient(3.0, |x| custom_vjp(x, |x| x * x, |x| (x * x, ()), |(), dy| dy * 10.0)), 10.0);
    assert_eq!(gradient(0.0, |x| x.relu()), 0.0);
    assert_eq!(gradient(1.0, |x| x.maximum(1.0)), 0.5);
    // Through a narrower type and back: rounded, not lost.
    let narrow = gradient(0.7, |x| x.cast(f32).sin().cast(f64));
    assert!((narrow - 0.7f64.cos()).abs() < 1e-7, "{narrow}");
}
