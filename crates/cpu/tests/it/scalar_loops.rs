//! Loops of single numbers run in registers, and give what the interpreter gives, bit by bit: random ones with carries
//! of all kinds that change places, choices and branches, and tests that end them early.

use crate::support;

use meshwright_base::SourceText;
use meshwright_base::random::Random;
use meshwright_cpu::Cpu;
use meshwright_interp::{Tensor, run};
use meshwright_ir::{DType, Module};
use meshwright_runtime::devices::place_all;
use meshwright_runtime::{Devices, HostArray, InProcess, LoadOptions};
use std::fmt::Write;
use std::sync::Arc;
use support::one_device;

/// The text of a loop while it is written: values by their types, of which those of `outer` are seen in branches too.
struct Writer {
    draw: Random,
    text: String,
    values: Vec<(String, &'static str)>,
    next: usize,
}

const NUMBERS: [&str; 3] = ["f32", "i32", "ui32"];

impl Writer {
    fn op(&mut self, ty: &'static str, text: &str) -> String {
        self.next += 1;
        let name = format!("%v{}", self.next);
        writeln!(self.text, "  {name} = stablehlo.{text}").unwrap();
        self.values.push((name.clone(), ty));
        name
    }

    fn constant(&mut self, ty: &'static str) -> String {
        let of = match ty {
            "f32" => ["0.5", "-1.25", "3.0", "0.875"],
            "i32" => ["1", "-3", "7", "100"],
            _ => ["1", "3", "2654435769", "19"],
        };
        let number = self.draw.of(&of);
        self.op(ty, &format!("constant dense<{number}> : tensor<{ty}>"))
    }

    fn one(&mut self, ty: &'static str) -> String {
        let all: Vec<String> =
            self.values.iter().filter(|(_, own)| *own == ty).map(|(name, _)| name.clone()).collect();
        if all.is_empty() || self.draw.index(8) == 0 {
            return self.constant(ty);
        }
        all[self.draw.index(all.len())].clone()
    }

    fn pred(&mut self) -> String {
        let ty = NUMBERS[self.draw.index(3)];
        let (a, b) = (self.one(ty), self.one(ty));
        let how = self.draw.of(&["LT", "GE", "EQ", "NE", "GT", "LE"]);
        self.next += 1;
        let name = format!("%v{}", self.next);
        let types = format!("(tensor<{ty}>, tensor<{ty}>) -> tensor<i1>");
        writeln!(self.text, "  {name} = stablehlo.compare {how}, {a}, {b} : {types}").unwrap();
        name
    }

    fn number(&mut self) -> String {
        let ty = NUMBERS[self.draw.index(3)];
        let (a, b) = (self.one(ty), self.one(ty));
        let ops: &[&str] = match ty {
            "f32" => &["add", "subtract", "multiply", "maximum", "minimum", "divide"],
            _ => &["add", "subtract", "multiply", "maximum", "minimum", "xor", "and"],
        };
        match self.draw.index(8) {
            0 => {
                let p = self.pred();
                self.op(ty, &format!("select {p}, {a}, {b} : tensor<i1>, tensor<{ty}>"))
            }
            1 => {
                let from = NUMBERS[1 + self.draw.index(2)];
                let x = self.one(from);
                self.op("f32", &format!("convert {x} : (tensor<{from}>) -> tensor<f32>"))
            }
            _ => {
                let op = self.draw.of(ops);
                self.op(ty, &format!("{op} {a}, {b} : tensor<{ty}>"))
            }
        }
    }

    /// A choice between two bodies, of one number.
    fn branch(&mut self) {
        let (p, ty) = (self.pred(), NUMBERS[self.draw.index(3)]);
        let mut arms = Vec::new();
        for _ in 0..2 {
            let (before, count) = (std::mem::take(&mut self.text), self.values.len());
            (0..self.draw.index(3)).for_each(|_| drop(self.number()));
            let result = self.one(ty);
            writeln!(self.text, "    stablehlo.return {result} : tensor<{ty}>").unwrap();
            self.values.truncate(count);
            arms.push(std::mem::replace(&mut self.text, before));
        }
        let [then, otherwise] = &arms[..] else { return };
        let text = format!(
            "\"stablehlo.if\"({p}) ({{\n{then}  }}, {{\n{otherwise}  }}) : (tensor<i1>) -> tensor<{ty}>"
        );
        self.next += 1;
        let name = format!("%v{}", self.next);
        writeln!(self.text, "  {name} = {text}").unwrap();
        self.values.push((name, ty));
    }
}

/// A loop over so many numbers beside its counter, and their types.
fn program(seed: u64) -> (String, Vec<&'static str>) {
    let mut draw = Random::new(seed, 0);
    let types: Vec<&'static str> = (0..1 + draw.index(5)).map(|_| NUMBERS[draw.index(3)]).collect();
    let trips = draw.index(12);
    let names = |letter: &str| (0..types.len()).map(|i| format!("%{letter}{i}")).collect::<Vec<_>>();
    let (params, carries) = (names("p"), names("c"));
    let list = |names: &[String]| {
        let one = |(name, ty): (&String, &&str)| format!("{name}: tensor<{ty}>");
        names.iter().zip(&types).map(one).collect::<Vec<_>>().join(", ")
    };
    let all_types = types.iter().map(|ty| format!("tensor<{ty}>")).collect::<Vec<_>>().join(", ");
    let started: String = carries.iter().zip(&params).map(|(c, p)| format!(", {c} = {p}")).collect();
    let mut writer = Writer { draw, text: String::new(), values: Vec::new(), next: 0 };
    let seen = |writer: &mut Writer| {
        writer.values = carries.iter().cloned().zip(types.iter().copied()).collect();
        writer.values.push(("%i".to_string(), "i32"));
    };
    seen(&mut writer);
    let ends_early = writer.draw.index(2) == 0;
    let early = if ends_early { Some(writer.pred()) } else { None };
    let mut head = std::mem::take(&mut writer.text);
    writeln!(head, "  %t = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>").unwrap();
    let test = match early {
        Some(early) => {
            writeln!(head, "  %e = stablehlo.or %t, {early} : tensor<i1>").unwrap();
            writeln!(
                head,
                "  %m = stablehlo.compare LT, %i, %most : (tensor<i32>, tensor<i32>) -> tensor<i1>"
            )
            .unwrap();
            writeln!(head, "  %g = stablehlo.and %e, %m : tensor<i1>").unwrap();
            "%g"
        }
        None => "%t",
    };
    seen(&mut writer);
    for _ in 0..1 + writer.draw.index(9) {
        if writer.draw.index(6) == 0 {
            writer.branch();
        } else {
            writer.number();
        }
    }
    let next: Vec<String> = types.iter().map(|ty| writer.one(ty)).collect();
    let body = writer.text;
    let text = format!(
        "func.func @main({}) -> (tensor<i32>, {all_types}) {{
  %z = stablehlo.constant dense<0> : tensor<i32>
  %n = stablehlo.constant dense<{trips}> : tensor<i32>
  %most = stablehlo.constant dense<40> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %r:{} = stablehlo.while(%i = %z{started}) : tensor<i32>, {all_types}
  cond {{
{head}  stablehlo.return {test} : tensor<i1>
  }} do {{
{body}  %k = stablehlo.add %i, %one : tensor<i32>
  stablehlo.return %k, {} : tensor<i32>, {all_types}
  }}
  return {} : tensor<i32>, {all_types}
}}",
        list(&params),
        types.len() + 1,
        next.join(", "),
        (0..=types.len()).map(|i| format!("%r#{i}")).collect::<Vec<_>>().join(", "),
    );
    (text, types)
}

fn inputs(draw: &mut Random, types: &[&str]) -> Vec<Tensor> {
    let one = |ty: &&str| match *ty {
        "f32" => Tensor::from_f64s(DType::F32, &[], &[draw.index(1000) as f64 / 64.0 - 8.0]),
        "i32" => Tensor::from_ints(DType::S32, &[], &[draw.index(1000) as i64 - 500]),
        _ => Tensor::from_ints(DType::U32, &[], &[draw.index(1 << 30) as i64]),
    };
    types.iter().map(one).collect::<Option<_>>().unwrap()
}

fn parsed(text: &str) -> Module {
    meshwright_text::parse(&SourceText::new("loop.mlir", text))
        .unwrap_or_else(|found| panic!("{found:?}\n{text}"))
}

/// Results, and how many loops ran in registers.
fn launch(module: Module, inputs: &[Tensor]) -> (Vec<HostArray>, usize) {
    let program = one_device(module).unwrap();
    let set = InProcess::new(1, Some(1), Arc::new(Cpu::default()));
    let mut loaded = set.load(&program, &LoadOptions::default()).unwrap();
    let in_registers = loaded.steps().iter().filter(|step| step.kind == "scalar_loop").count();
    let arrays: Vec<HostArray> =
        inputs.iter().map(|x| HostArray { ty: x.ty().clone(), bytes: x.to_bytes() }).collect();
    let args = place_all(&program, &arrays, &set.local()).unwrap();
    let results = loaded.launch(args, None).unwrap();
    (results.iter().map(|result| result.shard(0).unwrap()).collect(), in_registers)
}

#[test]
fn random_loops_of_numbers_give_the_interpreters_bits() {
    let cases = std::env::var("CASES").ok().and_then(|text| text.parse().ok()).unwrap_or(150);
    let mut in_registers = 0;
    for seed in 0..cases {
        let (text, types) = program(seed);
        let inputs = inputs(&mut Random::new(seed ^ 77, 0), &types);
        let expected = run(&parsed(&text), &inputs).unwrap();
        let (own, loops) = launch(parsed(&text), &inputs);
        in_registers += loops;
        for (at, (own, expected)) in own.iter().zip(&expected).enumerate() {
            let own = Tensor::from_bytes(own.ty.clone(), &own.bytes).unwrap();
            assert!(
                own.same(expected) || own.max_difference(expected) == 0.0,
                "seed {seed}, result {at}\n{text}"
            );
        }
    }
    if meshwright_cpu::Isa::used().target().is_some() {
        assert!(in_registers * 10 > cases as usize * 8, "{in_registers} of {cases} loops ran in registers");
    }
}

#[test]
fn doubles_and_their_counter_run_in_registers_too() {
    let text = "func.func @main(%x: tensor<f64>) -> tensor<f64> {
      %z = stablehlo.constant dense<0> : tensor<i64>
      %n = stablehlo.constant dense<1000> : tensor<i64>
      %one = stablehlo.constant dense<1> : tensor<i64>
      %h = stablehlo.constant dense<0.5> : tensor<f64>
      %r:2 = stablehlo.while(%i = %z, %y = %x) : tensor<i64>, tensor<f64>
      cond {
        %p = stablehlo.compare LT, %i, %n : (tensor<i64>, tensor<i64>) -> tensor<i1>
        stablehlo.return %p : tensor<i1>
      } do {
        %q = stablehlo.divide %x, %y : tensor<f64>
        %s = stablehlo.add %y, %q : tensor<f64>
        %t = stablehlo.multiply %s, %h : tensor<f64>
        %k = stablehlo.add %i, %one : tensor<i64>
        stablehlo.return %k, %t : tensor<i64>, tensor<f64>
      }
      return %r#1 : tensor<f64>
    }";
    let x = Tensor::from_f64s(DType::F64, &[], &[2.0]).unwrap();
    let expected = run(&parsed(text), std::slice::from_ref(&x)).unwrap();
    let (own, loops) = launch(parsed(text), &[x]);
    assert_eq!(own[0].bytes, expected[0].to_bytes());
    assert_eq!(loops, usize::from(meshwright_cpu::Isa::used().target().is_some()));
}
