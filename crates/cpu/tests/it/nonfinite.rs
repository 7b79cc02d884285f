//! Infinities and NaNs among the inputs: what engine and interpreter promise of them (`docs/guide/07-jax.md`).

use crate::support;

use meshwright_base::SourceText;
use meshwright_cpu::Cpu;
use meshwright_interp::{Complex, Scalar, Style, Tensor, random_inputs, run_global};
use meshwright_ir::{DType, Function, InstId, Module, Op, TensorType};
use meshwright_runtime::devices::place_all;
use meshwright_runtime::{Devices, HostArray, InProcess, LoadOptions};
use std::path::PathBuf;
use std::sync::Arc;
use support::{launch, tolerance};

fn module(text: String) -> Module {
    meshwright_text::parse(&SourceText::new("m.mlir", text)).unwrap()
}

/// One transform of `lines` lines of `n`: what it takes, and the module.
fn transform(kind: &str, wide: bool, lines: usize, n: usize) -> (TensorType, Module) {
    let (complex, real) = if wide { (DType::C128, DType::F64) } else { (DType::C64, DType::F32) };
    let half = n / 2 + 1;
    let ((from, before), (to, after)) = match kind {
        "RFFT" => ((real, n), (complex, half)),
        "IRFFT" => ((complex, half), (real, n)),
        _ => ((complex, n), (complex, n)),
    };
    let [from, to] = [
        TensorType::new(from, [lines as i64, before as i64]),
        TensorType::new(to, [lines as i64, after as i64]),
    ];
    let shown = |ty: &TensorType| {
        let part = if ty.dtype.part() == DType::F64 { "f64" } else { "f32" };
        let dims = format!("{}x{}", ty.dims[0], ty.dims[1]);
        if ty.dtype.is_complex() {
            format!("tensor<{dims}xcomplex<{part}>>")
        } else {
            format!("tensor<{dims}x{part}>")
        }
    };
    let (a, b) = (shown(&from), shown(&to));
    let text = format!(
        "func.func @main(%x: {a}) -> {b} {{
  %y = stablehlo.fft %x, type = {kind}, length = [{n}] : ({a}) -> {b}
  return %y : {b}
}}"
    );
    (from, module(text))
}

/// An array whose numbers are these.
fn array(ty: &TensorType, at: impl Fn(usize) -> f64) -> Tensor {
    let parts = ty.elements() as usize * if ty.dtype.is_complex() { 2 } else { 1 };
    let bytes = match ty.dtype.part() {
        DType::F32 => (0..parts).flat_map(|i| (at(i) as f32).to_le_bytes()).collect::<Vec<_>>(),
        _ => (0..parts).flat_map(|i| at(i).to_le_bytes()).collect(),
    };
    Tensor::from_bytes(ty.clone(), &bytes).unwrap()
}

fn wave(i: usize) -> f64 {
    ((i * 37 + 11) % 19) as f64 / 4.0 - 2.0
}

/// Real numbers of an array, parts of complex ones one after another.
fn parts(host: &HostArray) -> Vec<f64> {
    let width = host.ty.dtype.part().bytes();
    let one = |x: &[u8]| match *x {
        [a, b, c, d] => f64::from(f32::from_le_bytes([a, b, c, d])),
        [a, b, c, d, e, f, g, h] => f64::from_le_bytes([a, b, c, d, e, f, g, h]),
        _ => panic!("a part of {} bytes", x.len()),
    };
    host.bytes.chunks(width).map(one).collect()
}

const KINDS: [&str; 4] = ["FFT", "IFFT", "RFFT", "IRFFT"];

#[test]
fn a_line_of_a_transform_that_is_not_finite_is_nan_throughout_and_no_other_line_is() {
    for (at, n) in [1, 2, 3, 4, 5, 6, 8, 12, 16, 31, 37, 64].into_iter().enumerate() {
        for kind in KINDS {
            let (wide, lines) = (at % 2 == 0, 21);
            let (ty, module) = transform(kind, wide, lines, n);
            let row = ty.elements() as usize / lines * if ty.dtype.is_complex() { 2 } else { 1 };
            // Real parts only: the imaginary parts of the ends of half a spectrum do not count.
            let broken = |line: usize| [3, 17, 19].contains(&line);
            let even = if ty.dtype.is_complex() { !1 } else { !0 };
            let value = |i: usize| match (broken(i / row), i % row == (row * 2 / 3) & even) {
                (true, true) => [f64::NAN, f64::INFINITY, f64::NEG_INFINITY][i / row % 3],
                _ => wave(i),
            };
            let [whole, hurt] = [array(&ty, wave), array(&ty, value)];
            let ours = launch(module.clone(), std::slice::from_ref(&hurt), 2);
            let undisturbed = launch(module.clone(), &[whole], 2);
            let judge = run_global(&module, &[hurt]).unwrap();
            assert_eq!(support::same_enough(&ours, &judge[0], false), None, "{kind} of {n}");
            let row = parts(&ours).len() / lines;
            for (i, (ours, before)) in parts(&ours).iter().zip(parts(&undisturbed)).enumerate() {
                let same = if broken(i / row) {
                    ours.is_nan()
                } else {
                    // Two lines are transformed as one: the last digits may differ.
                    (ours - before).abs() < 10.0 * tolerance(ty.dtype)
                };
                assert!(same, "{kind} of {n}: {ours} for {before} in line {}", i / row);
            }
        }
    }
}

#[test]
fn what_half_a_spectrum_does_not_use_may_be_anything() {
    for n in [1, 2, 6, 8, 64] {
        let (ty, module) = transform("IRFFT", false, 2, n);
        let row = ty.elements() as usize;
        let ends = |i: usize| i % row == 1 || n % 2 == 0 && i % row == row - 1;
        let [plain, odd] = [false, true].map(|odd| {
            array(&ty, |i| match (ends(i), odd) {
                (true, true) => f64::NAN,
                (true, false) => 0.0,
                (false, _) => wave(i),
            })
        });
        let judge = run_global(&module, std::slice::from_ref(&plain)).unwrap();
        assert_eq!(
            run_global(&module, std::slice::from_ref(&odd)).unwrap()[0].to_bytes(),
            judge[0].to_bytes()
        );
        assert_eq!(support::same_enough(&launch(module, &[odd], 1), &judge[0], false), None, "{n}");
    }
}

#[test]
fn a_small_line_of_a_transform_keeps_its_digits_beside_a_large_one() {
    let (lines, n) = (32, 24);
    for kind in ["RFFT", "IRFFT"] {
        let (ty, module) = transform(kind, false, lines, n);
        let row = ty.elements() as usize / lines * if ty.dtype.is_complex() { 2 } else { 1 };
        let size = |line: usize| if line % 32 < 16 { 1e20 } else { 1e-15 };
        let x = array(&ty, |i| wave(i) * size(i / row));
        let ours = parts(&launch(module.clone(), std::slice::from_ref(&x), 1));
        let judge = run_global(&module, &[x]).unwrap().remove(0);
        let judge = parts(&HostArray { ty: judge.ty().clone(), bytes: judge.to_bytes() });
        let row = judge.len() / lines;
        for (i, (ours, judge)) in ours.iter().zip(judge).enumerate() {
            let off = (ours - judge).abs() / size(i / row);
            assert!(off < 10.0 * tolerance(DType::F32), "{kind}: {ours} for {judge} in line {}", i / row);
        }
    }
}

/// Infinities and NaNs strewn into an array of floats.
fn strewn(tensor: &Tensor, seed: usize) -> Tensor {
    let ty = tensor.ty();
    let part = ty.dtype.part();
    if !part.is_float() {
        return tensor.clone();
    }
    let mut bytes = tensor.to_bytes();
    for (i, part_bytes) in bytes.chunks_mut(part.bytes()).enumerate() {
        let word = (i + 7 * seed).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40;
        if word.is_multiple_of(5) {
            let value = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY][word / 5 % 3];
            let literal = Tensor::from_f64s(part, &[], &[value]).unwrap();
            part_bytes.copy_from_slice(&literal.to_bytes());
        }
    }
    Tensor::from_bytes(ty.clone(), &bytes).unwrap()
}

/// What is promised of an element.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    Finite,
    NaN,
    Infinite(bool),
}

impl Kind {
    fn of(x: f64) -> Kind {
        match x {
            _ if x.is_nan() => Kind::NaN,
            _ if x.is_infinite() => Kind::Infinite(x > 0.0),
            _ => Kind::Finite,
        }
    }

    fn of_complex(z: Complex) -> Kind {
        if z.is_finite() { Kind::Finite } else { Kind::NaN }
    }
}

fn kinds(tensor: &Tensor) -> Vec<Kind> {
    let kind = |at: usize| match tensor.get(at)? {
        Scalar::Float(x) => Some(Kind::of(x)),
        Scalar::Complex(z) => Some(Kind::of_complex(z)),
        Scalar::Pred(_) | Scalar::Int(_) | Scalar::Uint(_) => None,
    };
    (0..tensor.len()).filter_map(kind).collect()
}

/// What a module's ops let be apart.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Allowed {
    Nothing,
    /// Which of what is not finite is a NaN.
    Which,
    /// And more may be not finite than there must.
    More,
}

fn allowed(module: &Module) -> Allowed {
    let of = |func: &Function, inst: InstId| match &func.inst(inst).op {
        Op::Convolution(_) => Allowed::More,
        Op::Linalg(_) => Allowed::Which,
        _ if func
            .inst(inst)
            .results
            .iter()
            .any(|value| func.ty(*value).as_tensor().is_some_and(|ty| ty.dtype.is_complex())) =>
        {
            Allowed::More
        }
        _ => Allowed::Nothing,
    };
    let all = |func: &Function| func.insts_in_order().into_iter().map(|inst| of(func, inst)).max();
    module.funcs.values().filter_map(all).max().unwrap_or(Allowed::Nothing)
}

/// Small modules that run on one device, and inputs with infinities and NaNs among them.
fn modules() -> Vec<(PathBuf, Module, Vec<Tensor>)> {
    let (mut files, mut folders) =
        (Vec::new(), vec![support::golden(), support::golden().join("../filetests/complete/ops")]);
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap().flatten() {
            let (path, size) = (entry.path(), entry.metadata().unwrap().len());
            match path.extension().is_some_and(|kind| kind == "mlir") {
                true if size <= LONGEST => files.push(path),
                _ if path.is_dir() => folders.push(path),
                _ => {}
            }
        }
    }
    files.sort();
    files.into_iter().filter_map(runnable).collect()
}

const LONGEST: u64 = 6_000;
const MOST_ELEMENTS: usize = 1_500;

fn runnable(path: PathBuf) -> Option<(PathBuf, Module, Vec<Tensor>)> {
    let module = support::parse(&path).ok()?;
    meshwright_ir::verify(&module).ok()?;
    let main = module.main();
    let is_local = |inst: &InstId| !matches!(main.inst(*inst).op, Op::Collective(_));
    let elements =
        support::types(&module, main.param_values()).iter().map(|ty| ty.elements() as usize).sum::<usize>();
    if elements > MOST_ELEMENTS || !main.insts_in_order().iter().all(is_local) {
        return None;
    }
    let inputs = random_inputs(&module, 1, Style::Natural).ok()?;
    let inputs = inputs.iter().enumerate().map(|(i, x)| strewn(x, i)).collect();
    Some((path, module, inputs))
}

/// Results of the engine on one device; `None` where it refuses.
fn launched(module: &Module, inputs: &[Tensor]) -> Option<Vec<Tensor>> {
    let program = support::one_device(module.clone()).ok()?;
    let set = InProcess::new(1, Some(1), Arc::new(Cpu::default()));
    let mut loaded = set.load(&program, &LoadOptions::default()).ok()?;
    let arrays: Vec<HostArray> =
        inputs.iter().map(|x| HostArray { ty: x.ty().clone(), bytes: x.to_bytes() }).collect();
    let args = place_all(&program, &arrays, &set.local()).ok()?;
    let results = loaded.launch(args, None).ok()?;
    let whole = |result: &meshwright_runtime::DeviceArray| {
        let host = result.shard(0)?;
        Tensor::from_bytes(host.ty, &host.bytes)
    };
    results.iter().map(whole).collect()
}

#[test]
fn nothing_that_is_not_finite_is_lost_and_nothing_else_becomes_so() {
    let mut compared = 0;
    for (path, module, inputs) in modules() {
        let (Ok(expected), Some(ours)) = (run_global(&module, &inputs), launched(&module, &inputs)) else {
            continue;
        };
        let allowed = allowed(&module);
        for (at, (ours, expected)) in ours.iter().zip(&expected).enumerate() {
            let pairs = kinds(ours).into_iter().zip(kinds(expected));
            let wrong = pairs.enumerate().find(|(_, (ours, wanted))| match (ours, wanted) {
                _ if ours == wanted => false,
                (Kind::Finite, _) => true,
                (_, Kind::Finite) => allowed < Allowed::More,
                _ => allowed < Allowed::Which,
            });
            assert_eq!(wrong, None, "result {at} of {}", path.display());
            compared += 1;
        }
    }
    assert!(compared > 100, "{compared} results");
}

/// JAX's binomial numbers are drawn until a sum passes a bound: each term is divided by `log1p(-0.0)`.
#[test]
fn zeros_keep_the_signs_that_the_interpreter_gives_them() {
    let of_one = [
        "abs",
        "cbrt",
        "ceil",
        "cosine",
        "exponential",
        "exponential_minus_one",
        "floor",
        "log",
        "log_plus_one",
        "logistic",
        "negate",
        "round_nearest_afz",
        "round_nearest_even",
        "rsqrt",
        "sign",
        "sine",
        "sqrt",
        "tan",
        "tanh",
    ];
    let of_two =
        ["add", "atan2", "divide", "maximum", "minimum", "multiply", "power", "remainder", "subtract"];
    let zeros = [-0.0, 0.0];
    let pairs = zeros.map(|x| zeros.map(|y| (x, y))).concat();
    for (dtype, name) in
        [(DType::F32, "f32"), (DType::F64, "f64"), (DType::BF16, "bf16"), (DType::F16, "f16")]
    {
        let ty = format!("tensor<4x{name}>");
        let [x, y] = [|pair: &(f64, f64)| pair.0, |pair: &(f64, f64)| pair.1]
            .map(|part| Tensor::from_f64s(dtype, &[4], &pairs.iter().map(part).collect::<Vec<_>>()).unwrap());
        for (op, operands) in of_one.map(|op| (op, "%x")).into_iter().chain(of_two.map(|op| (op, "%x, %y"))) {
            let text = format!(
                "func.func @main(%x: {ty}, %y: {ty}) -> {ty} {{
  %z = stablehlo.{op} {operands} : {ty}
  return %z : {ty}
}}"
            );
            let inputs = [x.clone(), y.clone()];
            let judge = run_global(&module(text.clone()), &inputs).unwrap();
            let ours = launch(module(text), &inputs, 1);
            let ours = Tensor::from_bytes(ours.ty.clone(), &ours.bytes).unwrap().to_f64s();
            for (ours, judge) in ours.iter().zip(judge[0].to_f64s()) {
                let same =
                    ours.is_nan() && judge.is_nan() || ours.is_sign_negative() == judge.is_sign_negative();
                assert!(same, "{op} of {name}: {ours:?} for {judge:?}");
            }
        }
    }
}
