//! Derivatives against central differences, in f64 on the interpreter.

mod batch;
mod batched;
mod campaign;
mod check;
mod control;
mod elementwise;
mod frontier;
mod gather;
mod golden;
mod linear;
mod manual;
mod movement;
mod npz;
mod sweep;
mod work;
