//! Random gathers of one index give the bits of the slices that they become, whatever the index.

use meshwright_base::SourceText;
use meshwright_base::random::Random;
use meshwright_interp::{Tensor, run_global};
use meshwright_ir::{DType, Module, Op, verify};
use meshwright_opt::slice_gathers;

/// A gather by one index, the shape of what it takes from and that of the index.
fn program(random: &mut Random) -> (String, DType, [Vec<i64>; 2]) {
    let rank = 1 + random.index(4);
    let (mut dims, mut sizes, mut batching, mut dropped, mut mapped) =
        (Vec::new(), Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for dim in 0..rank {
        let kind = random.index(4);
        let size = if kind == 0 { 1 } else { random.between(1, 6) as i64 };
        let taken = if kind < 2 { 1 } else { random.between(1, size as u64) as i64 };
        dims.push(size);
        sizes.push(taken);
        match kind {
            0 => batching.push(dim),
            1 => dropped.push(dim),
            _ => {}
        }
        if kind != 0 && random.index(3) > 0 {
            mapped.push(dim);
        }
    }
    // Batch dims of the index, one for each that is paired and some more, with its numbers at any place among them.
    let batches = batching.len() + random.index(2);
    let at = random.index(batches + 1);
    let mut index = vec![1; batches];
    index.insert(at, mapped.len() as i64);
    let paired: Vec<usize> = (0..=batches).filter(|dim| *dim != at).take(batching.len()).collect();
    let windows: Vec<usize> =
        (0..rank).filter(|dim| !batching.contains(dim) && !dropped.contains(dim)).collect();
    let result_rank = batches + windows.len();
    // Windows stand anywhere among the batches.
    let mut places: Vec<usize> = (0..result_rank).collect();
    while places.len() > windows.len() {
        places.remove(random.index(places.len()));
    }
    let mut shape = vec![1; result_rank];
    places.iter().zip(&windows).for_each(|(place, dim)| shape[*place] = sizes[*dim]);
    let (dtype, name) =
        [(DType::S32, "i32"), (DType::S8, "i8"), (DType::U8, "ui8"), (DType::S64, "i64")][random.index(4)];
    let typed = |dims: &[i64], of: &str| {
        let sizes: String = dims.iter().map(|size| format!("{size}x")).collect();
        format!("tensor<{sizes}{of}>")
    };
    let (from, by, to) = (typed(&dims, "f32"), typed(&index, name), typed(&shape, "f32"));
    let slices: Vec<String> = sizes.iter().map(ToString::to_string).collect();
    let text = format!(
        "module {{ func.func public @main(%x: {from}, %i: {by}) -> {to} {{
           %g = \"stablehlo.gather\"(%x, %i) <{{dimension_numbers = #stablehlo.gather<offset_dims = {places:?},
             collapsed_slice_dims = {dropped:?}, operand_batching_dims = {batching:?}, start_indices_batching_dims = {paired:?},
             start_index_map = {mapped:?}, index_vector_dim = {at}>, indices_are_sorted = false,
             slice_sizes = array<i64: {}>}}> : ({from}, {by}) -> {to}
           return %g : {to}
         }} }}",
        slices.join(", ")
    );
    (text, dtype, [dims, index])
}

#[test]
fn one_index_gives_the_bits_of_a_slice() {
    for case in 0..500 {
        let mut random = Random::new(31, case);
        let (text, dtype, [dims, index]) = program(&mut random);
        let parsed = meshwright_text::parse(&SourceText::new("test.mlir", &*text));
        let before = parsed.unwrap_or_else(|found| panic!("{found:?}\n{text}"));
        let mut after = before.clone();
        assert!(slice_gathers(&mut after), "case {case}: {text}");
        verify(&after).unwrap_or_else(|found| panic!("case {case}: {found:?}\n{text}"));
        let main = after.main();
        let is_left = |inst| matches!(main.inst(inst).op, Op::Gather(_));
        assert!(!main.insts_in_order().into_iter().any(is_left));
        for _ in 0..3 {
            let mut numbers = |count: i64, least: i64, most: u64| -> Vec<f64> {
                (0..count).map(|_| (random.between(0, most) as i64 + least) as f64).collect()
            };
            let from = numbers(dims.iter().product(), -9, 99);
            let least = if dtype == DType::U8 { 0 } else { -3 };
            let by = numbers(index.iter().product(), least, 12);
            let given = [Tensor::from_f64s(DType::F32, &dims, &from), Tensor::from_f64s(dtype, &index, &by)];
            let given = given.map(|tensor| tensor.expect("as many values as elements"));
            let run = |module: &Module| run_global(module, &given).expect("it runs")[0].to_bytes();
            assert_eq!(run(&before), run(&after), "case {case}: {text}");
        }
    }
}
