//! Random bits: Threefry 2x32 and Philox 4x32-10 exactly as XLA's `rng_bit_generator` gives them, and `rng`.
//!
//! Both are counters run through a cipher. State word 0 is the key, word 1 the counter. Philox has a counter of 128
//! bits: its high half is word 2 if there is one, else word 0 (the key again). The new state has moved on by the
//! counters used. The default algorithm is Philox, as on XLA's CPU.

use crate::convert::scalar_of_bits;
use crate::fault::Fault;
use crate::tensor::{Data, Scalar, Tensor, element_count};
use crate::view::sizes;
use meshwright_ir::op::random::{Distribution, RngAlgorithm};
use meshwright_ir::{Class, DType, TensorType};

/// The low and high half of a word.
fn halves(word: u64) -> [u32; 2] {
    [word as u32, (word >> 32) as u32]
}

/// Threefry 2x32 with 20 rounds.
pub(crate) fn threefry(key: [u32; 2], counter: [u32; 2]) -> [u32; 2] {
    const ROTATIONS: [[u32; 4]; 2] = [[13, 15, 26, 6], [17, 29, 16, 24]];
    let keys = [key[0], key[1], key[0] ^ key[1] ^ 0x1bd1_1bda];
    let [mut a, mut b] = [counter[0].wrapping_add(keys[0]), counter[1].wrapping_add(keys[1])];
    for group in 0..5 {
        for rotation in ROTATIONS[group % 2] {
            a = a.wrapping_add(b);
            b = b.rotate_left(rotation) ^ a;
        }
        a = a.wrapping_add(keys[(group + 1) % 3]);
        b = b.wrapping_add(keys[(group + 2) % 3]).wrapping_add(group as u32 + 1);
    }
    [a, b]
}

/// Philox 4x32 with 10 rounds.
pub(crate) fn philox(mut key: [u32; 2], counter: u128) -> [u32; 4] {
    const MULTIPLIERS: [u64; 2] = [0xd251_1f53, 0xcd9e_8d57];
    const STEPS: [u32; 2] = [0x9e37_79b9, 0xbb67_ae85];
    let word = |i: u32| (counter >> (32 * i)) as u32;
    let mut x = [word(0), word(1), word(2), word(3)];
    for _ in 0..10 {
        let [low_0, high_0] = halves(MULTIPLIERS[0] * u64::from(x[0]));
        let [low_1, high_1] = halves(MULTIPLIERS[1] * u64::from(x[2]));
        x = [high_1 ^ x[1] ^ key[0], low_1, high_0 ^ x[3] ^ key[1], low_0];
        key = [key[0].wrapping_add(STEPS[0]), key[1].wrapping_add(STEPS[1])];
    }
    x
}

/// New state and random bits.
pub(crate) fn bit_generator(
    algorithm: RngAlgorithm,
    state: &Tensor,
    bits: &TensorType,
) -> Result<Vec<Data>, Fault> {
    let Data::Uint(words) = state.data() else { return Err(Fault::unsound("needs a state of u64")) };
    if words.len() < 2 || words.len() > 3 || state.dtype() != DType::U64 {
        return Err(Fault::unsound(format!("needs a state of u64[2] or u64[3], not {}", state.ty())));
    }
    let mut words = words.clone();
    let made = match algorithm {
        RngAlgorithm::ThreeFry => threefry_words(&mut words, bits),
        RngAlgorithm::Philox | RngAlgorithm::Default => philox_words(&mut words, bits),
    };
    let mut data = Data::zeros(bits.dtype.class(), made.len());
    for (i, word) in made.into_iter().enumerate() {
        data.set(i, scalar_of_bits(bits.dtype, word));
    }
    Ok(vec![Data::Uint(words), data])
}

/// One word per element. Elements of 64 bits take a whole block each. Narrower ones take half a block each: the dim
/// that is split is the first even one, else the first largest; its elements 2i and 2i + 1 are the halves of one block.
fn threefry_words(state: &mut [u64], bits: &TensorType) -> Vec<u64> {
    let (key, start) = (halves(state[0]), state[1]);
    let block = |i: u64| threefry(key, halves(start.wrapping_add(i)));
    let count = element_count(&bits.dims).unwrap_or(0);
    if bits.dtype.bits() == 64 {
        state[1] = start.wrapping_add(count as u64);
        let whole = |i: u64| block(i).map(u64::from);
        return (0..count as u64).map(|i| whole(i)[0] | whole(i)[1] << 32).collect();
    }
    let dims = sizes(&bits.dims);
    let Some(split) = split_dim(&dims) else {
        state[1] = start.wrapping_add(1);
        return vec![u64::from(block(0)[0])];
    };
    let minor: usize = dims[split + 1..].iter().product();
    let half = dims[split].div_ceil(2);
    let major: usize = dims[..split].iter().product();
    state[1] = start.wrapping_add((major * half * minor) as u64);
    let word = |at: usize| {
        let (row, column) = (at / minor.max(1), at % minor.max(1));
        let (outer, along) = (row / dims[split], row % dims[split]);
        let index = (outer * half + along / 2) * minor + column;
        u64::from(block(index as u64)[along % 2])
    };
    (0..count).map(word).collect()
}

/// The dim whose elements come in pairs; `None` for a scalar.
fn split_dim(dims: &[usize]) -> Option<usize> {
    let even = dims.iter().position(|dim| dim % 2 == 0);
    even.or_else(|| {
        let largest = dims.iter().max()?;
        dims.iter().position(|dim| dim == largest)
    })
}

/// One word per element, four of 32 bits or two of 64 bits to a block.
fn philox_words(state: &mut [u64], bits: &TensorType) -> Vec<u64> {
    let key = halves(state[0]);
    let high = state.get(2).copied().unwrap_or(state[0]);
    let start = u128::from(high) << 64 | u128::from(state[1]);
    let count = element_count(&bits.dims).unwrap_or(0);
    let wide = bits.dtype.bits() == 64;
    let per_block = if wide { 2 } else { 4 };
    let blocks = count.div_ceil(per_block);
    let mut words = Vec::with_capacity(blocks * per_block);
    for i in 0..blocks {
        let x = philox(key, start.wrapping_add(i as u128)).map(u64::from);
        if wide { words.extend([x[0] | x[1] << 32, x[2] | x[3] << 32]) } else { words.extend(x) }
    }
    words.truncate(count);
    let next = start.wrapping_add(blocks as u128);
    state[1] = next as u64;
    if let Some(high) = state.get_mut(2) {
        *high = (next >> 64) as u64;
    }
    words
}

/// A number in [0, 1) with 53 random bits, by a stream and an index.
fn unit(stream: u64, index: u64) -> f64 {
    let [a, b] = threefry(halves(stream), halves(index)).map(u64::from);
    ((a | b << 32) >> 11) as f64 / (1u64 << 53) as f64
}

/// A normally distributed number, by a stream and an index (Box and Muller).
pub(crate) fn normal(stream: u64, index: u64) -> f64 {
    let (u, v) = (1.0 - unit(stream, 2 * index), unit(stream, 2 * index + 1));
    (-2.0 * libm::log(u)).sqrt() * libm::cos(2.0 * std::f64::consts::PI * v)
}

/// A whole number from `low` to below `high` (or `low` if there is none), by a stream and an index.
pub(crate) fn whole(stream: u64, index: u64, low: i64, high: i64) -> i64 {
    let span = (i128::from(high) - i128::from(low)).max(1) as f64;
    (i128::from(low) + (unit(stream, index) * span) as i128) as i64
}

/// `rng`: the numbers depend on nothing but `stream` and their place.
pub(crate) fn rng(
    distribution: Distribution,
    a: &Tensor,
    b: &Tensor,
    out: &TensorType,
    stream: u64,
) -> Result<Data, Fault> {
    let bounds = a.get(0).zip(b.get(0)).ok_or_else(|| Fault::unsound("needs two scalars"))?;
    let count = element_count(&out.dims).unwrap_or(0);
    let mut data = Data::zeros(out.dtype.class(), count);
    for i in 0..count {
        data.set(i, draw(distribution, bounds, out.dtype, stream, i as u64)?);
    }
    Ok(data)
}

fn draw(
    distribution: Distribution,
    (a, b): (Scalar, Scalar),
    dtype: DType,
    stream: u64,
    i: u64,
) -> Result<Scalar, Fault> {
    let (x, y) = (a.to_f64(), b.to_f64());
    match (distribution, dtype.class()) {
        (Distribution::Uniform, Class::Float) => {
            let value = Scalar::from_f64(dtype, x + (y - x) * unit(stream, i));
            // Rounding may reach the upper bound, which is excluded.
            Ok(if value == b { a } else { value })
        }
        (Distribution::Normal, Class::Float) => Ok(Scalar::from_f64(dtype, x + y * normal(stream, i))),
        (Distribution::Uniform, Class::Pred) => Ok(Scalar::Pred(unit(stream, i) < 0.5)),
        (Distribution::Uniform, Class::Signed | Class::Unsigned) => {
            let (low, high) = (a.to_i64().unwrap_or(0), b.to_i64().unwrap_or(0));
            let value = whole(stream, i, low, high);
            Ok(if dtype.class() == Class::Signed { Scalar::Int(value) } else { Scalar::Uint(value as u64) })
        }
        _ => Err(Fault::unsound(format!("has no {distribution:?} distribution of {dtype}"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The states and bits below were printed by `jax.lax.rng_bit_generator` of JAX 0.10.2 on CPU.
    const STATE: [i64; 2] = [0x0123_4567_89ab_cdef, 0xfedc_ba98_ffff_ffffu64 as i64];

    fn generate(algorithm: RngAlgorithm, state: &[i64], dtype: DType, dims: &[i64]) -> (Vec<u64>, Vec<u64>) {
        let state = Tensor::from_ints(DType::U64, &[state.len() as i64], state).unwrap();
        let made = bit_generator(algorithm, &state, &TensorType::new(dtype, dims)).unwrap();
        let [Data::Uint(state), Data::Uint(bits)] = &made[..] else { panic!("not bits") };
        (state.clone(), bits.clone())
    }

    #[test]
    fn threefry_pairs_halves_along_the_first_even_dim() {
        let made = |dtype, dims: &[i64]| generate(RngAlgorithm::ThreeFry, &STATE, dtype, dims);
        let (state, bits) = made(DType::U32, &[5]);
        assert_eq!(state, [0x0123_4567_89ab_cdef, 0xfedc_ba99_0000_0002]);
        assert_eq!(bits, [0x51f5_f2bb, 0x418b_de14, 0xafc0_104b, 0xb5d5_12bd, 0x075e_e24e]);
        let (_, bits) = made(DType::U32, &[2, 3]);
        assert_eq!(bits, [0x51f5_f2bb, 0xafc0_104b, 0x075e_e24e, 0x418b_de14, 0xb5d5_12bd, 0x1925_7f4f]);
        let (state, bits) = made(DType::U8, &[3, 4]);
        assert_eq!(state[1], 0xfedc_ba99_0000_0005);
        assert_eq!(bits, [0xbb, 0x14, 0x4b, 0xbd, 0x4e, 0x4f, 0x6b, 0x10, 0xa4, 0x85, 0x01, 0xc6]);
        let (state, bits) = made(DType::U16, &[3, 3]);
        assert_eq!(state[1], 0xfedc_ba99_0000_0005);
        assert_eq!(bits, [0xf2bb, 0x104b, 0xe24e, 0xde14, 0x12bd, 0x7f4f, 0xf96b, 0x71a4, 0x0701]);
        let (state, bits) = made(DType::U64, &[2]);
        assert_eq!(state[1], 0xfedc_ba99_0000_0001);
        assert_eq!(bits, [0x418b_de14_51f5_f2bb, 0xb5d5_12bd_afc0_104b]);
        assert_eq!(made(DType::U32, &[]), made(DType::U32, &[1]));
        assert_eq!(made(DType::U32, &[0]).0[1], STATE[1] as u64);
    }

    #[test]
    fn threefry_without_an_even_dim_splits_the_largest() {
        assert_eq!(split_dim(&[3, 5]), Some(1));
        assert_eq!(split_dim(&[5, 3]), Some(0));
        assert_eq!(split_dim(&[3, 5, 7]), Some(2));
        assert_eq!(split_dim(&[6, 3, 4]), Some(0));
        assert_eq!(split_dim(&[3, 3]), Some(0));
        assert_eq!(split_dim(&[]), None);
    }

    #[test]
    fn philox_counts_in_128_bits() {
        let made = |state: &[i64], dtype, dims: &[i64]| generate(RngAlgorithm::Philox, state, dtype, dims);
        let (state, bits) = made(&STATE, DType::U32, &[5]);
        assert_eq!(state, [0x0123_4567_89ab_cdef, 0xfedc_ba99_0000_0001]);
        assert_eq!(bits, [0x5412_6695, 0x3ff8_87cb, 0x4c74_174c, 0x8405_c823, 0x7418_a2a2]);
        let (state, bits) = made(&STATE, DType::U64, &[3]);
        assert_eq!(state[1], 0xfedc_ba99_0000_0001);
        assert_eq!(bits, [0x3ff8_87cb_5412_6695, 0x8405_c823_4c74_174c, 0x77b1_b8ec_7418_a2a2]);
        assert_eq!(made(&STATE, DType::U16, &[5]).1, [0x6695, 0x87cb, 0x174c, 0xc823, 0xa2a2]);
        assert_eq!(made(&STATE, DType::U8, &[2]).1, [0x95, 0xcb]);
        // The carry leaves the low half.
        let (state, bits) = made(&[STATE[0], -1], DType::U32, &[9]);
        assert_eq!(state, [0x0123_4567_89ab_cdef, 2]);
        assert_eq!(bits[..5], [0x41eb_59f3, 0x3073_85e0, 0x5b8b_3389, 0xa262_f67c, 0x7006_d264]);
        assert_eq!(bits[8], 0x34da_5d11);
        let (state, bits) = made(&[STATE[0], -1, 7], DType::U32, &[9]);
        assert_eq!(state, [0x0123_4567_89ab_cdef, 2, 8]);
        assert_eq!(bits[..4], [0xd8f2_cea1, 0xeffe_4af4, 0xc8f4_6167, 0xb27e_7792]);
    }

    #[test]
    fn normal_numbers_have_mean_zero_and_deviation_one() {
        let numbers: Vec<f64> = (0..10_000).map(|i| normal(7, i)).collect();
        let mean = numbers.iter().sum::<f64>() / 1e4;
        let variance = numbers.iter().map(|x| x * x).sum::<f64>() / 1e4;
        assert!(mean.abs() < 0.05 && (variance - 1.0).abs() < 0.05, "{mean} {variance}");
    }
}
