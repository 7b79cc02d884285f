//! Every fact is held against all elements of the value, on random programs of the ops that masks are made of.

use super::{Dims, Fact, Sparsity};
use meshwright_base::{Id, SourceText};
use meshwright_interp::{Style, Tensor, random_inputs, run_global};
use meshwright_ir::{DType, Module, ValueId};

fn parse(text: String) -> Module {
    meshwright_text::parse(&SourceText::new("m.mlir", text.clone()))
        .unwrap_or_else(|all| panic!("{}\n{text}", all[0]))
}

/// Whether each element is not zero; `None` if one is not finite.
fn nonzero(x: &Tensor) -> Option<Vec<bool>> {
    let bytes = x.to_bytes();
    let width = x.ty().dtype.bytes();
    let one = |element: &[u8]| match x.ty().dtype {
        DType::F32 => {
            let x = f32::from_le_bytes(element.try_into().ok()?);
            x.is_finite().then_some(x != 0.0)
        }
        _ => Some(element.iter().any(|byte| *byte != 0)),
    };
    bytes.chunks(width).map(one).collect()
}

/// The most elements that are not zero along `dims`, wherever the others stand.
fn most_along(hits: &[bool], shape: &[i64], dims: Dims) -> u64 {
    let others: Vec<usize> = (0..shape.len()).filter(|d| !dims.has(*d)).collect();
    let mut counts = std::collections::BTreeMap::new();
    for (at, _) in hits.iter().enumerate().filter(|(_, hit)| **hit) {
        let mut rest = at;
        let mut index = vec![0; shape.len()];
        for d in (0..shape.len()).rev() {
            index[d] = rest % shape[d] as usize;
            rest /= shape[d] as usize;
        }
        let place: Vec<usize> = others.iter().map(|d| index[*d]).collect();
        *counts.entry(place).or_insert(0) += 1;
    }
    counts.values().copied().max().unwrap_or(0)
}

/// Check all that is said of the results of a module; how many facts there were.
fn check(module: &Module, seed: u64) -> usize {
    let inputs = random_inputs(module, seed, Style::SmallInts).unwrap();
    let results = run_global(module, &inputs).unwrap();
    let func = module.main();
    let sparsity = Sparsity::of(func);
    let mut facts = 0;
    for (value, result) in func.result_values().iter().zip(&results) {
        let Some(hits) = nonzero(result) else { continue };
        for Fact { dims, most } in &sparsity.known(*value).facts {
            let seen = most_along(&hits, func.dims(*value), *dims);
            assert!(seen <= *most, "{value:?} has {seen} along {dims:?}, not {most}");
            facts += 1;
        }
    }
    facts
}

/// Random programs over values of some of four dims.
struct Programs {
    state: u64,
    lines: Vec<String>,
    values: Vec<(String, Vec<usize>, &'static str)>,
}

/// Group, token, expert, place.
const SIZES: [usize; 4] = [2, 4, 5, 3];

impl Programs {
    fn draw(&mut self, n: usize) -> usize {
        self.state = self.state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.state >> 33) as usize % n.max(1)
    }

    fn ty(&self, dims: &[usize], dtype: &str) -> String {
        let sizes: String = dims.iter().map(|d| format!("{}x", SIZES[*d])).collect();
        format!("tensor<{sizes}{dtype}>")
    }

    fn push(&mut self, dims: &[usize], dtype: &'static str, op: &str, types: &str) {
        let name = format!("%v{}", self.values.len());
        let to = self.ty(dims, dtype);
        let types = types.replace("TO", &to);
        self.lines.push(format!("  {name} = stablehlo.{op} : {types}"));
        self.values.push((name, dims.to_vec(), dtype));
    }

    fn any(&mut self) -> (String, Vec<usize>, &'static str) {
        let at = self.draw(self.values.len());
        // Later values are made of more.
        let at = at.max(self.draw(self.values.len()));
        self.values[at].clone()
    }

    /// Another value of the same type.
    fn like(&mut self, dims: &[usize], dtype: &str) -> String {
        let same: Vec<String> =
            self.values.iter().filter(|v| v.1 == dims && v.2 == dtype).map(|v| v.0.clone()).collect();
        let at = self.draw(same.len());
        same[at].clone()
    }

    fn step(&mut self) {
        let (x, dims, dtype) = self.any();
        let ty = self.ty(&dims, dtype);
        match self.draw(12) {
            0 if !dims.is_empty() => {
                let along = self.draw(dims.len());
                self.push(&dims, "i32", &format!("iota dim = {along}"), "TO");
            }
            1 | 2 => {
                // Seen along one more dim.
                let missing: Vec<usize> = (0..4).filter(|d| !dims.contains(d)).collect();
                if missing.is_empty() {
                    return;
                }
                let new = missing[self.draw(missing.len())];
                let at = self.draw(dims.len() + 1);
                let mut to = dims.clone();
                to.insert(at, new);
                let places: Vec<String> = (0..to.len()).filter(|d| *d != at).map(|d| d.to_string()).collect();
                self.push(
                    &to,
                    dtype,
                    &format!("broadcast_in_dim {x}, dims = [{}]", places.join(", ")),
                    &format!("({ty}) -> TO"),
                );
            }
            3 | 4 if dtype == "i32" => {
                let y = self.like(&dims, dtype);
                let how = ["EQ", "EQ", "EQ", "GT", "NE"][self.draw(5)];
                self.push(&dims, "i1", &format!("compare {how}, {x}, {y}"), &format!("({ty}, {ty}) -> TO"));
            }
            5 if dtype != "f32" => {
                let to = ["i32", "f32"][self.draw(2)];
                self.push(&dims, to, &format!("convert {x}"), &format!("({ty}) -> TO"));
            }
            6 | 7 if dtype != "i1" => {
                let y = self.like(&dims, dtype);
                let op = ["multiply", "multiply", "multiply", "add", "subtract", "maximum", "divide"]
                    [self.draw(7)];
                let op = if op == "divide" && dtype == "i32" { "multiply" } else { op };
                self.push(&dims, dtype, &format!("{op} {x}, {y}"), "TO");
            }
            8 if dims.len() > 1 => {
                let at = self.draw(dims.len() - 1);
                let mut to = dims.clone();
                to.swap(at, at + 1);
                let mut permutation: Vec<usize> = (0..dims.len()).collect();
                permutation.swap(at, at + 1);
                self.push(
                    &to,
                    dtype,
                    &format!("transpose {x}, dims = {permutation:?}"),
                    &format!("({ty}) -> TO"),
                );
            }
            9 if dtype == "i1" => {
                let options: Vec<String> =
                    self.values.iter().filter(|v| v.1 == dims && v.2 == "f32").map(|v| v.0.clone()).collect();
                if options.is_empty() {
                    return;
                }
                let a = options[self.draw(options.len())].clone();
                let b = options[self.draw(options.len())].clone();
                let other = self.ty(&dims, "f32");
                self.push(&dims, "f32", &format!("select {x}, {a}, {b}"), &format!("{ty}, {other}"));
            }
            10 if dtype == "f32" && !dims.is_empty() => {
                let at = self.draw(dims.len());
                let mut to = dims.clone();
                to.remove(at);
                self.push(
                    &to,
                    dtype,
                    &format!("reduce({x} init: %zero) applies stablehlo.add across dimensions = [{at}]"),
                    &format!("({ty}, tensor<f32>) -> TO"),
                );
            }
            11 if dtype == "f32" => self.product(&x, &dims),
            _ => {}
        }
    }

    /// A product with another value: shared dims are batch dims or summed over.
    fn product(&mut self, x: &str, dims: &[usize]) {
        let others: Vec<_> = self.values.iter().filter(|v| v.2 == "f32").cloned().collect();
        let (y, other, _) = others[self.draw(others.len())].clone();
        let shared: Vec<usize> = dims.iter().copied().filter(|d| other.contains(d)).collect();
        let (mut batch, mut contract) = (Vec::new(), Vec::new());
        for d in shared {
            if self.draw(2) == 0 { batch.push(d) } else { contract.push(d) }
        }
        let places = |of: &[usize], dims: &[usize]| -> Vec<usize> {
            of.iter().filter_map(|d| dims.iter().position(|own| own == d)).collect()
        };
        let free = |dims: &[usize]| -> Vec<usize> {
            dims.iter().copied().filter(|d| !batch.contains(d) && !contract.contains(d)).collect()
        };
        let to: Vec<usize> = batch.iter().copied().chain(free(dims)).chain(free(&other)).collect();
        let op = format!(
            "dot_general {x}, {y}, batching_dims = {:?} x {:?}, contracting_dims = {:?} x {:?}",
            places(&batch, dims),
            places(&batch, &other),
            places(&contract, dims),
            places(&contract, &other)
        );
        let types = format!("({}, {}) -> TO", self.ty(dims, "f32"), self.ty(&other, "f32"));
        self.push(&to, "f32", &op, &types);
    }

    fn program(seed: u64) -> String {
        let mut new = Programs { state: seed, lines: Vec::new(), values: Vec::new() };
        let params = [(vec![0, 1], "i32"), (vec![0, 1, 2], "f32"), (vec![1], "i32"), (vec![0, 1], "f32")];
        for (dims, dtype) in params {
            let name = format!("%v{}", new.values.len());
            new.values.push((name, dims, dtype));
        }
        let heads: Vec<String> =
            new.values.iter().map(|v| format!("{}: {}", v.0, new.ty(&v.1, v.2))).collect();
        new.lines.push("  %zero = stablehlo.constant dense<0.0> : tensor<f32>".to_string());
        // One-hot experts and places to begin with.
        new.push(&[0, 1, 2], "i32", "iota dim = 2", "TO");
        new.push(&[0, 1, 2], "i32", "broadcast_in_dim %v0, dims = [0, 1]", "(tensor<2x4xi32>) -> TO");
        new.push(&[0, 1, 2], "i1", "compare EQ, %v4, %v5", "(tensor<2x4x5xi32>, tensor<2x4x5xi32>) -> TO");
        new.push(&[0, 1, 2], "f32", "convert %v6", "(tensor<2x4x5xi1>) -> TO");
        new.push(&[0, 1, 3], "i32", "iota dim = 2", "TO");
        new.push(&[0, 1, 3], "i32", "broadcast_in_dim %v2, dims = [1]", "(tensor<4xi32>) -> TO");
        new.push(&[0, 1, 3], "i1", "compare EQ, %v9, %v8", "(tensor<2x4x3xi32>, tensor<2x4x3xi32>) -> TO");
        new.push(&[0, 1, 3], "f32", "convert %v10", "(tensor<2x4x3xi1>) -> TO");
        for _ in 0..60 {
            new.step();
        }
        let made = &new.values[4..];
        let names: Vec<String> = made.iter().map(|v| v.0.clone()).collect();
        let types: Vec<String> = made.iter().map(|v| new.ty(&v.1, v.2)).collect();
        let types = types.join(", ");
        format!(
            "func.func @main({}) -> ({types}) {{\n{}\n  return {} : {types}\n}}",
            heads.join(", "),
            new.lines.join("\n"),
            names.join(", ")
        )
    }
}

#[test]
fn facts_hold_on_random_programs() {
    let mut facts = 0;
    for seed in 0..300 {
        let module = parse(Programs::program(seed));
        facts += check(&module, seed);
    }
    assert!(facts > 1000, "only {facts} facts were checked");
}

/// What is said of the last result.
fn last(text: &str) -> (Vec<Fact>, f64) {
    let mut module = parse(text.to_string());
    meshwright_ir::raise_scan(&mut module);
    let func = module.main();
    let value: ValueId = *func.result_values().last().unwrap();
    let known = Sparsity::of(func).known(value).clone();
    assert!(value.index() < func.value_count());
    (known.facts.clone(), known.density(func.dims(value)))
}

#[test]
fn a_mask_over_experts_and_their_places_has_one_place_for_a_token() {
    let (facts, density) = last(
        "func.func @main(%who: tensor<4xi32>, %place: tensor<4xi32>, %gate: tensor<4xf32>) -> tensor<4x8x3xf32> {
  %expert = stablehlo.iota dim = 1 : tensor<4x8xi32>
  %w = stablehlo.broadcast_in_dim %who, dims = [0] : (tensor<4xi32>) -> tensor<4x8xi32>
  %e = stablehlo.compare EQ, %w, %expert : (tensor<4x8xi32>, tensor<4x8xi32>) -> tensor<4x8xi1>
  %ef = stablehlo.convert %e : (tensor<4x8xi1>) -> tensor<4x8xf32>
  %g = stablehlo.broadcast_in_dim %gate, dims = [0] : (tensor<4xf32>) -> tensor<4x8xf32>
  %eg = stablehlo.multiply %ef, %g : tensor<4x8xf32>
  %slot = stablehlo.iota dim = 1 : tensor<4x3xi32>
  %p = stablehlo.broadcast_in_dim %place, dims = [0] : (tensor<4xi32>) -> tensor<4x3xi32>
  %c = stablehlo.compare EQ, %p, %slot : (tensor<4x3xi32>, tensor<4x3xi32>) -> tensor<4x3xi1>
  %cf = stablehlo.convert %c : (tensor<4x3xi1>) -> tensor<4x3xf32>
  %mask = stablehlo.dot_general %eg, %cf, batching_dims = [0] x [0], contracting_dims = [] x [] : (tensor<4x8xf32>, tensor<4x3xf32>) -> tensor<4x8x3xf32>
  return %mask : tensor<4x8x3xf32>
}",
    );
    assert!(facts.contains(&Fact { dims: Dims::of([1, 2]), most: 1 }), "{facts:?}");
    assert!((density - 1.0 / 24.0).abs() < 1e-9);
}

#[test]
fn a_comparison_of_two_counts_along_one_dim_says_nothing() {
    let (facts, _) = last(
        "func.func @main() -> tensor<8x8xi1> {
  %a = stablehlo.iota dim = 1 : tensor<8x8xi32>
  %b = stablehlo.iota dim = 1 : tensor<8x8xi32>
  %c = stablehlo.compare EQ, %a, %b : (tensor<8x8xi32>, tensor<8x8xi32>) -> tensor<8x8xi1>
  return %c : tensor<8x8xi1>
}",
    );
    assert_eq!(facts, []);
}

#[test]
fn masks_that_a_loop_stacks_are_as_sparse_where_another_reads_them() {
    let (facts, _) = last(
        "func.func @main(%who: tensor<2x4xi32>) -> tensor<2x4x8xi1> {
  %expert = stablehlo.iota dim = 1 : tensor<4x8xi32>
  %c0 = stablehlo.constant dense<0> : tensor<i32>
  %c1 = stablehlo.constant dense<1> : tensor<i32>
  %c2 = stablehlo.constant dense<2> : tensor<i32>
  %f = stablehlo.constant dense<false> : tensor<2x4x8xi1>
  %r:2 = stablehlo.while(%i = %c0, %out = %f) : tensor<i32>, tensor<2x4x8xi1>
    cond {
      %go = stablehlo.compare LT, %i, %c2 : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %go : tensor<i1>
    } do {
      %s = stablehlo.dynamic_slice %who, %i, %c0, sizes = [1, 4] : (tensor<2x4xi32>, tensor<i32>, tensor<i32>) -> tensor<1x4xi32>
      %w = stablehlo.reshape %s : (tensor<1x4xi32>) -> tensor<4xi32>
      %b = stablehlo.broadcast_in_dim %w, dims = [0] : (tensor<4xi32>) -> tensor<4x8xi32>
      %e = stablehlo.compare EQ, %b, %expert : (tensor<4x8xi32>, tensor<4x8xi32>) -> tensor<4x8xi1>
      %u = stablehlo.reshape %e : (tensor<4x8xi1>) -> tensor<1x4x8xi1>
      %o = stablehlo.dynamic_update_slice %out, %u, %i, %c0, %c0 : (tensor<2x4x8xi1>, tensor<1x4x8xi1>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<2x4x8xi1>
      %n = stablehlo.add %i, %c1 : tensor<i32>
      stablehlo.return %n, %o : tensor<i32>, tensor<2x4x8xi1>
    }
  return %r#1 : tensor<2x4x8xi1>
}",
    );
    assert!(facts.contains(&Fact { dims: Dims::of([2]), most: 1 }), "{facts:?}");
}
