//! Whole numbers of all sizes that are made by counting: random chains of ops, near the largest number of 32 bits and
//! beyond it, give the interpreter's bits; with fewer instructions too (`MESHWRIGHT_CPU`).

use crate::support;

use meshwright_base::SourceText;
use meshwright_base::random::Random;
use meshwright_interp::run_global;
use meshwright_ir::Module;
use std::fmt::Write as _;
use support::launch;

const NUMBERS: [u64; 11] =
    [0, 1, 3, 255, 1024, 65_535, 65_536, 1 << 20, 1 << 31, u32::MAX as u64, (1 << 33) + 5];
const SHIFTS: [u64; 8] = [0, 1, 9, 16, 31, 32, 33, 63];

/// A chain of ops: its text, and names of the values of its type.
struct Chain {
    text: String,
    shape: String,
    ty: &'static str,
    values: usize,
}

impl Chain {
    fn value(&mut self, line: impl FnOnce(&Chain) -> String) -> usize {
        let line = line(self);
        writeln!(self.text, "  %v{} = {line}", self.values).unwrap();
        self.values += 1;
        self.values - 1
    }

    fn full(&self) -> String {
        format!("tensor<{}x{}>", self.shape, self.ty)
    }

    /// A number, or what its type holds of it.
    fn constant(&mut self, x: u64) -> usize {
        let bits: u32 = self.ty.trim_start_matches(['u', 'i']).parse().unwrap();
        let x = x & (u64::MAX >> (64 - bits + u32::from(self.ty.starts_with('i'))));
        self.value(|chain| format!("stablehlo.constant dense<{x}> : {}", chain.full()))
    }

    fn op(&mut self, draw: &mut Random) {
        let any = |draw: &mut Random, chain: &Chain| draw.index(chain.values);
        let (a, b) = (any(draw, self), any(draw, self));
        match draw.index(6) {
            0 => {
                let by = draw.of(&SHIFTS);
                let by = self.constant(by);
                let op = draw.of(&[
                    "shift_right_logical",
                    "shift_right_logical",
                    "shift_right_arithmetic",
                    "shift_left",
                ]);
                self.value(|chain| format!("stablehlo.{op} %v{a}, %v{by} : {}", chain.full()));
            }
            1 => {
                let x = draw.of(&NUMBERS);
                let x = self.constant(x);
                let op = draw.of(&["multiply", "add", "and", "minimum"]);
                self.value(|chain| format!("stablehlo.{op} %v{a}, %v{x} : {}", chain.full()));
            }
            2 => {
                let (x, y) = (any(draw, self), any(draw, self));
                let (direction, at) = (draw.of(&["LT", "GE", "EQ"]), self.values);
                let pred = format!("tensor<{}xi1>", self.shape);
                let full = self.full();
                writeln!(
                    self.text,
                    "  %p{at} = stablehlo.compare {direction}, %v{a}, %v{b} : ({full}, {full}) -> {pred}"
                )
                .unwrap();
                self.value(|_| format!("stablehlo.select %p{at}, %v{x}, %v{y} : {pred}, {full}"));
            }
            _ => {
                let op = draw.of(&["add", "multiply", "maximum", "minimum", "and", "or", "xor", "subtract"]);
                self.value(|chain| format!("stablehlo.{op} %v{a}, %v{b} : {}", chain.full()));
            }
        }
    }

    /// To another type, in which the chain goes on.
    fn convert(&mut self, ty: &'static str) {
        let (from, last) = (self.full(), self.values - 1);
        self.ty = ty;
        let to = self.full();
        self.text.push_str(&format!("  %c{last} = stablehlo.convert %v{last} : ({from}) -> {to}\n"));
        // What was made before has another type.
        self.text.push_str(&format!("  %v{} = stablehlo.add %c{last}, %c{last} : {to}\n", self.values));
        self.values += 1;
    }
}

fn module(draw: &mut Random) -> (Module, String) {
    let long = draw.of(&["ui64", "i64", "ui64", "ui32", "i32", "ui16", "i16", "ui8", "i8"]);
    let (shape, rank) =
        draw.of(&[("7x300", 2), ("70001", 1), ("3x1x129", 3), ("1", 1), ("0x5", 2), ("65x64", 2)]);
    let mut chain = Chain { text: String::new(), shape: shape.to_string(), ty: long, values: 0 };
    for dim in [0, rank - 1] {
        chain.value(|chain| format!("stablehlo.iota dim = {dim} : {}", chain.full()));
    }
    for _ in 0..1 + draw.index(8) {
        chain.op(draw);
    }
    let into = draw.of(&["ui32", "i32", "f32", "ui8", "i8", "ui16", "i16", "bf16", "ui64"]);
    chain.convert(into);
    let (result, last, text) = (chain.full(), chain.values - 1, chain.text);
    let text = format!("func.func @main() -> {result} {{\n{text}  return %v{last} : {result}\n}}");
    let module = meshwright_text::parse(&SourceText::new("counts.mlir".to_string(), text.clone()));
    (module.map_err(|errors| format!("{text}\n{}", errors[0])).unwrap(), text)
}

#[test]
fn chains_of_whole_numbers_give_the_bits_of_the_interpreter() {
    for seed in 0..400 {
        let (module, text) = module(&mut Random::new(seed * 7919 + 3, 0));
        let expected = run_global(&module, &[]).unwrap();
        let found = launch(module, &[], 1);
        assert!(found.bytes == expected[0].to_bytes(), "seed {seed}: {text}");
    }
}
