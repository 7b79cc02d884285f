//! Holds a batched function against the function itself, case by case.

use crate::check::{print, run_or_print};
use meshwright_base::render;
use meshwright_grad::batch;
use meshwright_interp::{Data, Style, Tensor, random_inputs};
use meshwright_ir::{Module, TensorType, verify};

const CASES: usize = 3;

/// All parameters batched, then each alone.
pub fn check_batched(module: &Module) {
    let count = module.main().param_values().len();
    check_mask(module, &vec![true; count]);
    for at in 0..count {
        let mask: Vec<bool> = (0..count).map(|other| other == at).collect();
        check_mask(module, &mask);
    }
}

pub fn batched(module: &Module, mask: &[bool]) -> Module {
    let mut made = module.clone();
    let entry = made.entry;
    made.entry = batch(&mut made, entry, CASES as i64, mask).unwrap_or_else(|found| {
        panic!("{mask:?}: {}\n{}", found.iter().map(|d| render(d, None)).collect::<String>(), print(module))
    });
    if let Err(found) = verify(&made) {
        panic!("{mask:?}: {}\n{}", found.iter().map(|d| render(d, None)).collect::<String>(), print(&made));
    }
    made
}

pub fn check_mask(module: &Module, mask: &[bool]) {
    let made = batched(module, mask);
    let inputs = random_inputs(&made, 77, Style::Natural).unwrap();
    let together = run_or_print(&made, &inputs);
    for case in 0..CASES {
        let own: Vec<Tensor> = inputs
            .iter()
            .zip(mask)
            .map(|(input, all)| if *all { pick(input, case) } else { input.clone() })
            .collect();
        let alone = run_or_print(module, &own);
        for (at, (together, alone)) in together.iter().zip(&alone).enumerate() {
            let found = pick(together, case);
            assert!(
                close(&found, alone),
                "{mask:?} case {case} result {at}\n{found:?}\n{alone:?}\n{}",
                print(&made)
            );
        }
    }
}

fn pick(x: &Tensor, case: usize) -> Tensor {
    let dims = x.dims()[1..].to_vec();
    let count = dims.iter().product::<i64>() as usize;
    let range = case * count..(case + 1) * count;
    let data = match x.data() {
        Data::Pred(v) => Data::Pred(v[range].to_vec()),
        Data::Int(v) => Data::Int(v[range].to_vec()),
        Data::Uint(v) => Data::Uint(v[range].to_vec()),
        Data::Float(v) => Data::Float(v[range].to_vec()),
        Data::Complex(v) => Data::Complex(v[range].to_vec()),
    };
    Tensor::new(TensorType::new(x.dtype(), dims), data).unwrap()
}

pub fn close(a: &Tensor, b: &Tensor) -> bool {
    let near = |a: f64, b: f64| {
        a == b || a.is_nan() && b.is_nan() || (a - b).abs() <= 1e-9 * (1.0 + a.abs().max(b.abs()))
    };
    match (a.data(), b.data()) {
        (Data::Float(a), Data::Float(b)) => a.iter().zip(b).all(|(a, b)| near(*a, *b)),
        (Data::Complex(a), Data::Complex(b)) => {
            a.iter().zip(b).all(|(a, b)| near(a.re, b.re) && near(a.im, b.im))
        }
        _ => a.same(b),
    }
}
