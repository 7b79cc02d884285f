//! Programs made of choices, partitioned, on the engine and on the interpreter.

#![no_main]

meshwright_fuzz::attack!("engine");
