//! What the ops compute, by the interpreter, against numbers worked out by hand.

use meshwright_interp::{Tensor as Array, run_global};
use meshwright_tensor::prelude::*;

fn array(dims: &[i64], values: &[f64]) -> Array {
    Array::from_f64s(f64, dims, values).expect("the numbers fit the dims")
}

fn ints(dims: &[i64], values: &[i64]) -> Array {
    Array::from_ints(i32, dims, values).expect("the numbers fit the dims")
}

/// Run a function of f64 inputs and give its first result as numbers.
fn eval<R: Tree>(inputs: &[Array], f: impl FnOnce(Trace, &[Tensor]) -> R) -> Vec<f64> {
    all(inputs, f).swap_remove(0)
}

fn all<R: Tree>(inputs: &[Array], f: impl FnOnce(Trace, &[Tensor]) -> R) -> Vec<Vec<f64>> {
    let program = trace("f", |t| {
        t.set_float(f64);
        let mut tensors = Vec::new();
        for (at, input) in inputs.iter().enumerate() {
            tensors.push(t.input(&format!("x{at}"), input.dtype(), input.dims()));
        }
        f(t, &tensors)
    });
    let program = program.unwrap_or_else(|errors| panic!("{errors}"));
    let results = run_global(program.module(), inputs).unwrap_or_else(|error| panic!("{error}"));
    results.iter().map(Array::to_f64s).collect()
}

fn close(found: &[f64], expected: &[f64]) {
    assert_eq!(found.len(), expected.len(), "{found:?} beside {expected:?}");
    for (a, b) in found.iter().zip(expected) {
        assert!((a - b).abs() <= 1e-12 * b.abs().max(1.0), "{found:?} beside {expected:?}");
    }
}

fn counting(dims: &[i64]) -> Array {
    let n: i64 = dims.iter().product();
    array(dims, &(0..n).map(|i| i as f64).collect::<Vec<_>>())
}

#[test]
fn operators_broadcast_and_take_numbers_on_both_sides() {
    let (x, y) = (array(&[2, 2], &[1.0, 2.0, 3.0, 4.0]), array(&[2], &[10.0, 20.0]));
    close(&eval(&[x.clone(), y.clone()], |_, x| x[0] + x[1]), &[11.0, 22.0, 13.0, 24.0]);
    close(&eval(&[x.clone(), y], |_, x| x[0].unsqueeze(2) * x[1]), &[10., 20., 20., 40., 30., 60., 40., 80.]);
    close(&eval(std::slice::from_ref(&x), |_, x| 2.0 * x[0] - 1), &[1.0, 3.0, 5.0, 7.0]);
    close(&eval(std::slice::from_ref(&x), |_, x| 12 / &x[0] + -x[0]), &[11.0, 4.0, 1.0, -1.0]);
}

#[test]
fn reductions_take_numbers_names_and_all() {
    let x = [counting(&[2, 3])];
    close(&eval(&x, |_, x| x[0].sum(-1)), &[3.0, 12.0]);
    close(&eval(&x, |_, x| x[0].name_dims(["rows", "columns"]).sum("rows")), &[3.0, 5.0, 7.0]);
    close(&eval(&x, |_, x| x[0].mean(..)), &[2.5]);
    close(&eval(&x, |_, x| x[0].max_keep(1) - x[0]), &[2.0, 1.0, 0.0, 2.0, 1.0, 0.0]);
    close(&eval(&x, |_, x| x[0].prod(0)), &[0.0, 4.0, 10.0]);
    close(&eval(&x, |_, x| x[0].min(..)), &[0.0]);
    close(&eval(&x, |_, x| x[0].gt(4.0).any(1)), &[0.0, 1.0]);
    close(&eval(&x, |_, x| x[0].gt(2.5).all(1)), &[0.0, 1.0]);
}

#[test]
fn argmax_takes_the_first_of_equals_and_a_nan_before_all() {
    let x = [array(&[3, 4], &[1., 5., 5., 2., -1., -1., -3., -2., 0., f64::NAN, 9., f64::NAN])];
    close(&eval(&x, |_, x| x[0].argmax(-1)), &[1.0, 0.0, 1.0]);
    close(&eval(&x, |_, x| x[0].argmin(-1)), &[0.0, 2.0, 1.0]);
}

/// Every letter runs over its size: the definition.
fn naive(spec: &str, inputs: &[Array]) -> Vec<f64> {
    let (left, output) = spec.split_once("->").expect("the tests write their outputs");
    let terms: Vec<Vec<char>> = left.split(',').map(|term| term.chars().collect()).collect();
    let output: Vec<char> = output.chars().collect();
    let mut letters: Vec<(char, i64)> = Vec::new();
    for (term, input) in terms.iter().zip(inputs) {
        for (letter, size) in term.iter().zip(input.dims()) {
            if !letters.iter().any(|(known, _)| known == letter) {
                letters.push((*letter, *size));
            }
        }
    }
    let size = |letter: &char| letters.iter().find(|(known, _)| known == letter).map_or(1, |(_, size)| *size);
    let mut sums = vec![0.0; output.iter().map(size).product::<i64>() as usize];
    let total: i64 = letters.iter().map(|(_, size)| size).product();
    for index in 0..total {
        let mut rest = index;
        let mut at = Vec::new();
        for (letter, size) in &letters {
            at.push((*letter, rest % size));
            rest /= size;
        }
        let place = |term: &[char]| {
            let of = |letter: &char| at.iter().find(|(known, _)| known == letter).map_or(0, |(_, at)| *at);
            term.iter().fold(0, |place, letter| place * size(letter) + of(letter)) as usize
        };
        let product: f64 =
            terms.iter().zip(inputs).map(|(term, input)| input.to_f64s()[place(term)]).product();
        sums[place(&output)] += product;
    }
    sums
}

#[test]
fn einsum_is_its_definition() {
    let size = |letter: char| i64::from(letter as u32 % 3 + 2);
    let specs = [
        "bd,df->bf",
        "bd,df->fb",
        "ebd,edf->ebf",
        "ij->ji",
        "ij->",
        "ii->i",
        "iij->j",
        "ab,ab->ab",
        "a,b->ab",
        "ab,b->a",
        "ab,cd->",
        "ab,bc,cd->ad",
        "abc,bd,dce->ae",
        "gsm,me->gse",
        "gsec,gsm->egcm",
        "gsec,gecm->gsm",
        "bqhd,bkhd->bhqk",
        "ab,bc->ac",
        "abc->cb",
        "ab,ac,ad->bcd",
        "aab,b->a",
        "a,a,a->a",
        "ab,bc,ca->",
    ];
    for spec in specs {
        let left = spec.split_once("->").expect("an arrow").0;
        let inputs: Vec<Array> = left
            .split(',')
            .enumerate()
            .map(|(at, term)| {
                let dims: Vec<i64> = term.chars().map(size).collect();
                let count: i64 = dims.iter().product();
                array(
                    &dims,
                    &(0..count).map(|i| ((i * 7 + at as i64 * 3) % 11 - 5) as f64).collect::<Vec<_>>(),
                )
            })
            .collect();
        close(&eval(&inputs, |_, x| einsum(spec, x)), &naive(spec, &inputs));
    }
}

#[test]
fn einsum_knows_dots_and_implied_outputs() {
    let (x, w) = (counting(&[2, 3, 4]), counting(&[4, 2]));
    let whole = eval(&[x.clone(), w.clone()], |_, x| x[0].matmul(x[1]));
    close(&eval(&[x.clone(), w.clone()], |_, x| einsum("...d, d f -> ...f", x)), &whole);
    close(&eval(&[x, w], |_, x| einsum("abd,df", x)), &whole);
}

#[test]
fn matmul_broadcasts_batches_and_knows_vectors() {
    let (a, b) = (counting(&[2, 2, 3]), counting(&[3, 2]));
    close(&eval(&[a.clone(), b], |_, x| x[0].matmul(x[1])), &[10., 13., 28., 40., 46., 67., 64., 94.]);
    let (v, m) = (array(&[2], &[1.0, 2.0]), counting(&[2, 2, 2]));
    close(&eval(&[v.clone(), m.clone()], |_, x| x[0].matmul(x[1])), &[4.0, 7.0, 16.0, 19.0]);
    close(&eval(&[m, v.clone()], |_, x| x[0].matmul(x[1])), &[2.0, 8.0, 14.0, 20.0]);
    close(&eval(&[v.clone(), v], |_, x| x[0].matmul(x[1])), &[5.0]);
}

#[test]
fn slices_joins_and_rolls_are_numpys() {
    let x = [counting(&[3, 4])];
    close(&eval(&x, |_, x| x[0].slice((1.., ..2))), &[4.0, 5.0, 8.0, 9.0]);
    close(&eval(&x, |_, x| x[0].slice((-1, 1..=2))), &[9.0, 10.0]);
    close(&eval(&x, |_, x| x[0].slice_dim(-1, -2..).slice(0)), &[2.0, 3.0]);
    close(&eval(&x, |_, x| x[0].step_by(3, 1).flatten()), &[0., 3., 4., 7., 8., 11.]);
    close(&eval(&x, |_, x| x[0].roll(1, 1).slice(0)), &[3.0, 0.0, 1.0, 2.0]);
    close(&eval(&x, |_, x| x[0].roll(-1, 0).slice((.., 0))), &[4.0, 8.0, 0.0]);
    close(&eval(&x, |_, x| x[0].flip([0, 1]).slice(0)), &[11., 10., 9., 8.]);
    close(&eval(&x, |_, x| x[0].slice((0, 0..2)).pad([(1, 2)], 9.0)), &[9., 0., 1., 9., 9.]);
    close(
        &eval(&x, |_, x| stack([x[0].slice(0), x[0].slice(1)], -1).flatten()),
        &[0., 4., 1., 5., 2., 6., 3., 7.],
    );
    close(&eval(&x, |_, x| concat(x[0].chunks(2, 1), 0).slice(3..)), &[2., 3., 6., 7., 10., 11.]);
    close(&eval(&x, |_, x| x[0].transpose([1, 0]).reshape([2, -1]).slice(1)), &[2., 6., 10., 3., 7., 11.]);
    close(&eval(&x, |_, x| x[0].move_dim(0, 1).slice(0)), &[0., 4., 8.]);
}

#[test]
fn rows_are_looked_up_and_scattered() {
    let (x, at) = (counting(&[4, 2]), ints(&[2, 2], &[3, 0, 1, 9]));
    close(&eval(&[x.clone(), at], |_, x| x[0].take(x[1], 0)), &[6., 7., 0., 1., 2., 3., 6., 7.]);
    let along = ints(&[4, 1], &[1, 0, 1, 0]);
    close(&eval(&[x.clone(), along], |_, x| x[0].take_along(x[1], 1)), &[1., 2., 5., 6.]);
    let middle = counting(&[2, 3, 2]);
    let pick = ints(&[2], &[2, 0]);
    close(&eval(&[middle, pick], |_, x| x[0].take(x[1], 1)), &[4., 5., 0., 1., 10., 11., 6., 7.]);
    let places = ints(&[2, 2], &[3, 1, 0, 0]);
    close(&eval(&[x.clone(), places], |_, x| x[0].gather_nd(x[1])), &[7.0, 0.0]);
    let (rows, updates) = (ints(&[3], &[1, 1, 7]), counting(&[3, 2]));
    let inputs = [x, rows, updates];
    close(&eval(&inputs, |_, x| x[0].scatter_add(x[1], x[2])), &[0., 1., 4., 7., 4., 5., 6., 7.]);
    close(&eval(&inputs, |_, x| x[0].scatter_max(x[1], x[2]).slice(1)), &[2.0, 3.0]);
    close(&eval(&inputs[1..2], |_, x| x[0].one_hot(3, f64)), &[0., 1., 0., 0., 1., 0., 0., 0., 0.]);
}

#[test]
fn order_along_a_dim() {
    let x = [array(&[2, 3], &[3., 1., 2., 5., 6., 4.])];
    close(&eval(&x, |_, x| x[0].sort(-1)), &[1., 2., 3., 4., 5., 6.]);
    close(&eval(&x, |_, x| x[0].argsort(1)), &[1., 2., 0., 2., 0., 1.]);
    let top = all(&x, |_, x| x[0].top_k(2));
    close(&top[0], &[3., 2., 6., 5.]);
    close(&top[1], &[0., 2., 1., 0.]);
    close(&eval(&x, |_, x| x[0].cumsum(1)), &[3., 4., 6., 5., 11., 15.]);
    close(&eval(&x, |_, x| x[0].cumprod(0)), &[3., 1., 2., 15., 6., 8.]);
    close(&eval(&x, |_, x| x[0].cummax(1)), &[3., 3., 3., 5., 6., 6.]);
}

#[test]
fn softmax_and_kin_do_not_overflow() {
    let x = [array(&[2], &[1000.0, 1000.0 + 3f64.ln()])];
    close(&eval(&x, |_, x| x[0].softmax(0)), &[0.25, 0.75]);
    close(&eval(&x, |_, x| x[0].log_softmax(0)), &[0.25f64.ln(), 0.75f64.ln()]);
    close(&eval(&x, |_, x| x[0].logsumexp(0)), &[1000.0 + 4f64.ln()]);
    let y = [array(&[2, 2], &[1.0, 3.0, -2.0, 2.0])];
    close(&eval(&y, |_, x| x[0].standardize(-1, 0.0)), &[-1.0, 1.0, -1.0, 1.0]);
    close(&eval(&y, |_, x| x[0].rms_normalize(-1, 0.0).square().sum(1)), &[2.0, 2.0]);
    let labels = [array(&[1, 2], &[0.0, 3f64.ln()]), ints(&[1], &[1])];
    close(&eval(&labels, |_, x| x[0].cross_entropy(x[1])), &[-(0.75f64.ln())]);
}

#[test]
fn scans_carry_and_stack_in_both_directions() {
    let x = [array(&[3], &[1.0, 2.0, 3.0])];
    let forward = all(&x, |_, x| scan(scalar(f64, 10.0), x[0], |c, x| (c + x, c * x)));
    close(&forward[0], &[16.0]);
    close(&forward[1], &[10.0, 22.0, 39.0]);
    close(&eval(&x, |_, x| scan_reverse(scalar(f64, 0.0), x[0], |c, x| (c + x, c)).1), &[5.0, 3.0, 0.0]);
    close(&eval(&x, |_, x| repeat(3, x[0], |turn, c| c * 2 + turn.cast(f64))), &[12.0, 20.0, 28.0]);
    close(&eval(&x, |_, x| while_loop(x[0].sum(..), |c| c.lt(40.0), |c| c * 2)), &[48.0]);
    close(&eval(&x, |_, x| cond(x[0].sum(..).gt(9.0), || x[0], || -x[0])), &[-1.0, -2.0, -3.0]);
    let which = [x[0].clone(), ints(&[], &[2])];
    close(&eval(&which, |_, x| switch(x[1], 3, |branch| x[0] * branch as f64)), &[2.0, 4.0, 6.0]);
}

#[test]
fn gradients_inside_a_trace_follow_the_structure_of_the_arguments() {
    let x = [array(&[3], &[1.0, 2.0, 3.0])];
    close(&eval(&x, |_, x| grad(x[0], |x| (x * x * x).sum(..))), &[3.0, 12.0, 27.0]);
    close(&eval(&x, |_, x| grad(x[0], |x| grad(x, |x| x.powi(3).sum(..)).sum(..))), &[6.0, 12.0, 18.0]);
    close(&eval(&x, |_, x| grad(x[0], |y| checkpoint(|| (y * x[0]).square()).sum(..))), &[2.0, 16.0, 54.0]);
    let half = |x: Tensor| custom_vjp(x, |x| x, |x| (x, ()), |(), d| d * 0.5);
    close(&eval(&x, |_, x| grad(x[0], |x| half(x).square().sum(..))), &[1.0, 2.0, 3.0]);
    close(&eval(&x, |_, x| grad(x[0], |x| (x * x.stop_gradient()).sum(..))), &[1.0, 2.0, 3.0]);
    let (loss, grads) = (0, 1);
    let both = all(&x, |_, x| value_and_grad((x[0],), |(x,)| x.softmax(0).log().sum(..)));
    assert_eq!((both[loss].len(), both[grads].len()), (1, 3));
}

#[test]
fn vmap_is_a_loop_over_cases() {
    let (x, w) = (counting(&[3, 2, 2]), counting(&[2, 2]));
    let cases = eval(&[x.clone(), w.clone()], |_, x| vmap(x[0], |one| one.matmul(x[1]).relu().sum(0)));
    close(&cases, &eval(&[x, w], |_, x| x[0].matmul(x[1]).relu().sum(1)));
}

#[test]
fn random_numbers_are_in_their_range_and_differ_by_key() {
    let none: [Array; 0] = [];
    let u = eval(&none, |_, _| Key::seed(7).uniform(f64, [1000]));
    assert!(u.iter().all(|x| (0.0..1.0).contains(x)));
    assert!((u.iter().sum::<f64>() / 1000.0 - 0.5).abs() < 0.05);
    let n = eval(&none, |_, _| Key::seed(7).normal(f64, [4000]));
    let (mean, square) = (n.iter().sum::<f64>() / 4000.0, n.iter().map(|x| x * x).sum::<f64>() / 4000.0);
    assert!(mean.abs() < 0.08 && (square - 1.0).abs() < 0.1, "{mean} {square}");
    let t = eval(&none, |_, _| Key::seed(7).truncated_normal(f32, [500], 2.0));
    assert!(t.iter().all(|x| x.abs() <= 2.0));
    let b = eval(&none, |_, _| Key::seed(3).uniform(bf16, [2000]));
    assert!(b.iter().all(|x| (0.0..1.0).contains(x)));
    let keys = all(&none, |_, _| {
        let [a, b] = Key::seed(7).split();
        (a.bits(u32, [4]), b.bits(u32, [4]), Key::seed(7).fold_in(1).bits(u32, [4]))
    });
    assert!(keys[0] != keys[1] && keys[1] != keys[2]);
    let p = eval(&none, |_, _| Key::seed(1).bernoulli(0.25, [2000]).cast(f64));
    assert!((p.iter().sum::<f64>() / 2000.0 - 0.25).abs() < 0.04);
    let i = eval(&none, |_, _| Key::seed(1).integers(10, [200]));
    assert!(i.iter().all(|x| (0.0..10.0).contains(x)));
}

#[test]
fn windows_slide_with_strides_padding_and_groups() {
    use meshwright_tensor::{Padding, Window};
    let (x, k) = (counting(&[1, 4, 1]), array(&[2, 1, 1], &[1.0, 10.0]));
    let conv = |window: &Window| eval(&[x.clone(), k.clone()], |_, x| x[0].conv(x[1], window));
    close(&conv(&Window::new(1)), &[10.0, 21.0, 32.0]);
    close(&conv(&Window::same(1)), &[10.0, 21.0, 32.0, 3.0]);
    close(&conv(&Window { strides: vec![2], ..Window::new(1) }), &[10.0, 32.0]);
    close(&conv(&Window { dilation: vec![2], ..Window::new(1) }), &[20.0, 31.0]);
    close(
        &conv(&Window { padding: Padding::Edges(vec![(1, 0)]), ..Window::new(1) }),
        &[0.0, 10.0, 21.0, 32.0],
    );
    let grouped = Window { groups: 2, ..Window::new(0) };
    let (features, weights) = (counting(&[1, 2]), array(&[1, 2], &[3.0, 5.0]));
    close(&eval(&[features, weights], |_, x| x[0].conv(x[1], &grouped)), &[0.0, 5.0]);
    let by_two = Window { strides: vec![2], ..Window::new(1) };
    close(&eval(std::slice::from_ref(&x), |_, x| x[0].max_pool(&[2], &by_two)), &[1.0, 3.0]);
    close(&eval(&[x], |_, x| x[0].mean_pool(&[2], &by_two)), &[0.5, 2.5]);
}

#[test]
fn a_deep_model_is_traced_once_and_its_gradient_does_not_grow_with_depth() {
    let size = |layers: i64| {
        let program = trace("deep", |t| {
            let (x, w) = (t.input("x", f32, [2, 8]), t.param("w", [layers, 8, 8]));
            scan(x, w, |x, w| (checkpoint(|| x + x.matmul(w).gelu().rms_normalize(-1, 1e-6)), ())).0.mean(..)
        });
        let step = program.unwrap().value_and_grad(&["w"]).unwrap();
        let module = step.module();
        module.funcs.values().map(|func| func.insts_in_order().len()).sum::<usize>()
    };
    assert_eq!(size(2), size(64));
}

#[test]
fn instructions_carry_the_users_line_and_scope() {
    let program = trace("f", |t| scope("layer", || t.input("x", f32, [2]).relu())).unwrap();
    let main = program.module().main();
    let inst = *main.insts_in_order().last().unwrap();
    let source = &program.module().sources[main.inst(inst).source];
    assert_eq!(source.op_name.as_deref(), Some("layer/maximum"));
    assert!(source.frames[0].file.ends_with("ops.rs"));
}
