//! Spectra, factors, triangular systems and the rarer functions: what they compute, and what they refuse.

use meshwright::prelude::*;
use meshwright::{Tensor, Triangle};

/// Results of a function of one input, as floats.
fn run(dims: &[i64], numbers: &[f64], function: impl FnOnce(Tensor) -> Vec<Tensor>) -> Vec<Vec<f64>> {
    let program = trace("f", |t| function(t.input("x", f64, dims))).unwrap();
    let names: Vec<String> = program.results().iter().map(|result| result.name.to_string()).collect();
    let input = Array::new(dims, numbers).unwrap();
    let results = program.partition().unwrap().load(1).unwrap().run(&[("x", &input)]).unwrap();
    names.iter().map(|name| results.get(name).unwrap().to_vec::<f64>().unwrap()).collect()
}

fn close(found: &[f64], expected: &[f64]) {
    let pairs = || found.iter().zip(expected);
    assert!(
        found.len() == expected.len() && pairs().all(|(a, b)| (a - b).abs() < 1e-12),
        "{found:?} beside {expected:?}"
    );
}

const X: [f64; 9] = [2.0, 0.5, -0.3, 0.5, 3.0, 0.7, -0.3, 0.7, 1.5];

#[test]
fn a_cholesky_factor_times_its_transpose_is_the_matrix() {
    let found = run(&[3, 3], &X, |x| {
        let l = x.cholesky();
        vec![l.matmul(l.t()), l]
    });
    close(&found[0], &X);
    assert_eq!((found[1][1], found[1][2], found[1][5]), (0.0, 0.0, 0.0));
}

#[test]
fn a_triangular_system_is_solved_from_either_side() {
    let (lower, upper) = (Triangle::lower(), Triangle::upper());
    let found = run(&[3, 3], &X, |x| {
        let b = x + 1.0;
        let transposed = Triangle { transpose: true, ..lower };
        let right = Triangle { left: false, ..upper };
        let ones = Triangle { unit_diagonal: true, ..lower };
        vec![
            x.tril().matmul(x.triangular_solve(b, lower)),
            x.triu().matmul(x.triangular_solve(b, upper)),
            x.tril().t().matmul(x.triangular_solve(b, transposed)),
            x.triangular_solve(b, right).matmul(x.triu()),
            (x.tril() - x.tril() * eye(f64, 3) + eye(f64, 3)).matmul(x.triangular_solve(b, ones)),
        ]
    });
    let expected: Vec<f64> = X.iter().map(|x| x + 1.0).collect();
    found.iter().for_each(|found| close(found, &expected));
}

#[test]
fn spectra_come_back() {
    let found = run(&[3, 3], &X, |x| {
        let z = x.complex(x * x);
        vec![
            z.fft(1).ifft(1).real(),
            z.fft(2).ifft(2).imag(),
            x.rfft(1).irfft(1, 3),
            x.rfft(2).irfft(2, 3),
            x.rfft(1).real(),
        ]
    });
    close(&found[0], &X);
    close(&found[1], &X.map(|x| x * x));
    close(&found[2], &X);
    close(&found[3], &X);
    // The first number of a spectrum is the sum.
    close(&[found[4][0], found[4][2], found[4][4]], &[2.2, 4.2, 1.9]);
}

#[test]
fn rare_functions_have_their_known_values() {
    let values = [0.25, 0.5, 0.75];
    let found = run(&[3], &values, |x| {
        vec![
            x.asin().sin(),
            x.acos().cos(),
            x.atan().tan(),
            x.sinh().asinh(),
            (x + 1.0).acosh().cosh() - 1.0,
            x.tanh().atanh(),
            1.0 - (x.erf() + x.erfc()) + x,
            (x + 1.0).lgamma().exp() / x.lgamma().exp(),
            1 / ((x + 1.0).digamma() - x.digamma()),
            x.complex(x).conj().imag() * -1.0,
        ]
    });
    found.iter().for_each(|found| close(found, &values));
}

#[test]
fn rows_are_multiplied_and_made_smaller() {
    let found = run(&[3], &[1.0, 2.0, 3.0], |x| {
        let at = constant(i32, [4], &[0.0, 2.0, 2.0, 7.0]);
        let by = constant(f64, [4], &[5.0, 0.5, 0.25, 9.0]);
        vec![x.scatter_mul(at, by), x.scatter_min(at, by)]
    });
    close(&found[0], &[5.0, 2.0, 0.375]);
    close(&found[1], &[1.0, 2.0, 0.25]);
}

/// What a trace reports, and that it says what to do.
fn refused(function: impl FnOnce(Trace) -> Tensor, part: &str, help: &str) {
    let errors = trace("f", function).unwrap_err();
    let found = errors.to_string();
    assert_eq!(errors.count(), 1, "{found}");
    for part in [part, "matrices.rs:", &format!("= help: {help}")] {
        assert!(found.contains(part), "no `{part}` in\n{found}");
    }
}

#[test]
fn what_does_not_fit_is_told_at_its_line() {
    let complex = |t: Trace| t.input("x", c64, [4, 5]);
    refused(|t| t.input("x", f32, [8]).fft(1), "fft of f32[8]: it is for complex numbers", "use `.rfft(1)`");
    refused(|t| complex(t).rfft(1), "rfft of c64[4,5]: it is for real numbers", "use `.fft(1)`");
    refused(|t| complex(t).fft(0), "it cannot go over 0 of 2 dims", "1 to 3");
    refused(|t| complex(t).ifft(3), "it cannot go over 3 of 2 dims", "1 to 3");
    refused(
        |t| complex(t).irfft(1, 12),
        "12 real numbers come from 7, but the last dim has 5",
        "ask for 8 or 9",
    );
    refused(
        |t| t.input("x", f32, [2, 3]).cholesky(),
        "cholesky of f32[2,3]",
        "give it as many rows as columns",
    );
    refused(
        |t| t.input("x", f32, [4]).tril(),
        "tril of f32[4]: a matrix has two dims",
        "give it one more dim",
    );
    let (a, b) = (|t: Trace| t.input("a", f32, [3, 3]), |t: Trace| t.input("b", f32, [2, 3]));
    let solve = "triangular_solve of f32[3,3] and f32[2,3]: the matrices do not fit";
    refused(
        |t| a(t).triangular_solve(b(t), Triangle::lower()),
        solve,
        "the first is a square matrix, the second has as many rows",
    );
}
