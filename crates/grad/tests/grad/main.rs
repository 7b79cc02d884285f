//! Derivatives against central differences, in f64 on the interpreter.

mod batched;
mod check;
mod control;
mod elementwise;
mod gather;
mod linear;
mod manual;
mod movement;
