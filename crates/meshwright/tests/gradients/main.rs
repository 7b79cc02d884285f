//! The gradient of every op, in every class of its attributes, against central differences in f64; the same under `vmap`
//! and differentiated twice.
//!
//! A row is a name, inputs and a traced function ([`rows`]). [`kinds`] names every op of the IR and what is expected of
//! its derivative; an op that has one and stands in no row fails `every_op_and_class_has_a_row`.

mod check;
#[allow(unused)]
mod kinds;
mod rows;

use check::{Row, check};

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
