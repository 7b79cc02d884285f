//! Functions of one `f32` written so that loops over them become vector code: no calls, no branches.
//!
//! Errors are a few units in the last place. Fused multiply-adds are written out, so every CPU gives the same bits (one
//! without such an instruction gives them slowly).

pub mod circle;

use std::f32::consts::{FRAC_2_SQRT_PI, SQRT_2};

/// 1.5 * 2^18: adding it rounds to the nearest 32nd, ties to even, and leaves the number of 32nds in the low bits. A
/// cast to an integer would saturate, which no vector instruction does.
pub const ROUND_32ND: f32 = 393_216.0;

/// The logarithm of the smallest normal number.
pub const LEAST: f32 = -87.336_54;
/// The logarithm of a number above the largest one.
pub const MOST: f32 = 89.0;

/// The logarithm of 2 in two parts.
pub const LN2_HIGH: f32 = 0.693_359_4;
pub const LN2_LOW: f32 = -2.121_944_4e-4;

/// Powers of 2 whose exponents are 32nds.
#[rustfmt::skip]
pub static POWERS: [f32; 32] = [
    1.0, 1.021_897_2, 1.044_273_7, 1.067_140_5, 1.090_507_7, 1.114_386_8, 1.138_788_6, 1.163_724_9,
    1.189_207_1, 1.215_247_4, 1.241_857_8, 1.269_051, 1.296_839_6, 1.325_236_7, 1.354_255_6, 1.383_91,
    SQRT_2, 1.445_180_8, 1.476_826_2, 1.509_164_5, 1.542_210_8, 1.575_980_9, 1.610_490_3, 1.645_755_5,
    1.681_792_9, 1.718_619_3, 1.756_252_2, 1.794_709_1, 1.834_008_1, 1.874_167_7, 1.915_206_6, 1.957_144_1,
];

/// e^r - 1 is `r * (first + r * second)` where r is at most half a 32nd of the logarithm of 2.
pub const EXP: [f32; 2] = [1.000_014_7, 0.499_999_97];

/// e^x. Below about -87.3 it is zero: a result below the normal numbers takes the CPU many times as long, and masked
/// scores (-1e9, say) are many. Above 88.7 it is infinite. The relative error is below 1.8e-7.
#[inline(always)]
pub fn exp(x: f32) -> f32 {
    let clamped = x.clamp(LEAST, MOST);
    let shifted = clamped.mul_add(std::f32::consts::LOG2_E, ROUND_32ND);
    let n = shifted - ROUND_32ND;
    let r = n.mul_add(-LN2_LOW, n.mul_add(-LN2_HIGH, clamped));
    let power = POWERS[(shifted.to_bits() & 31) as usize];
    let [linear, square] = EXP;
    let y = power.mul_add(square.mul_add(r, linear) * r, power);
    // Two factors, as 2^n alone may not be a normal number.
    let n = (shifted.to_bits() as i32).wrapping_sub(ROUND_32ND.to_bits() as i32) >> 5;
    let half = n >> 1;
    let scale = |n: i32| f32::from_bits((n.wrapping_add(127) as u32) << 23);
    let out = y * scale(half) * scale(n - half);
    let out = if x < LEAST { 0.0 } else { out };
    if x.is_nan() { x } else { out }
}

/// What [`POWERS`] are too small.
#[rustfmt::skip]
pub static POWERS_REST: [f32; 32] = [
    0.0, -4.811_56e-8, 4.833_47e-8, -5.933_752e-8, -1.307_754e-8, -5.435_54e-8, 5.386_222_3e-8, -4.051_441_5e-8,
    3.797_635_3e-8, -3.267_395e-8, 4.496_838e-8, 1.419_333_3e-9, -4.018_999_5e-8, -3.496_373_3e-8, -1.012_334_9e-8, -5.875_577_4e-8,
    2.420_323_5e-8, 3.324_2e-8, -4.500_899e-8, -2.495_937_3e-8, 8.070_905e-9, -5.661_025_4e-8, 9.836_217e-9, -5.124_972e-8,
    -2.475_532_7e-8, -4.849_617_6e-8, -9.235_77e-9, -1.141_504_5e-8, -1.123_927_8e-8, -4.663_005_6e-8, 9.845_328e-9, -1.702_180_4e-8,
];

/// e^r - 1 is `r + r^2 * (first * r + second)` where r is at most half a 32nd of the logarithm of 2.
pub const EXP_MINUS_ONE: [f32; 2] = [0.166_667_37, 0.500_002_9];
/// From here down, e^x - 1 is -1.
pub const MINUS_ONE: f32 = -18.0;

/// The last power of 2 that is a number.
pub const LAST_POWER: f32 = 127.0;

/// e^x - 1. The relative error is below 1.8e-7.
#[inline(always)]
pub fn exp_minus_one(x: f32) -> f32 {
    let clamped = if x > MOST { MOST } else { x };
    let clamped = if clamped < MINUS_ONE { MINUS_ONE } else { clamped };
    let shifted = clamped.mul_add(std::f32::consts::LOG2_E, ROUND_32ND);
    let n = shifted - ROUND_32ND;
    let r = n.mul_add(-LN2_LOW, n.mul_add(-LN2_HIGH, clamped));
    let at = (shifted.to_bits() & 31) as usize;
    let [cube, square] = EXP_MINUS_ONE;
    let p = r.mul_add(cube.mul_add(r, square) * r, r);
    let p = POWERS[at].mul_add(p, POWERS_REST[at]);
    let n = (shifted.to_bits() as i32).wrapping_sub(ROUND_32ND.to_bits() as i32) >> 5;
    // The largest results are between two powers, of which the second is no number.
    let most = n.min(LAST_POWER as i32);
    let power = |n: i32| f32::from_bits((n.wrapping_add(127) as u32) << 23);
    let sum = p * power(most) + (POWERS[at] * power(most) - 1.0);
    (sum * power(n.wrapping_sub(most))).copysign(x)
}

/// The cube root of v in [1, 8) is `ROOTS * (1 + r)^(1/3)` where `r = v * INVERSE_CUBES - 1`, on each of eight segments
/// to an octave, by the lower bits of the exponent and the upper ones of the fraction.
#[rustfmt::skip]
pub static INVERSE_CUBES: [f32; 32] = [
    0.472_222_2, 0.422_222_23, 0.381_818_18, 0.348_484_84, 0.320_512_83, 0.296_703_3, 0.276_190_5, 0.258_333_33,
    0.236_111_1, 0.211_111_11, 0.190_909_09, 0.174_242_42, 0.160_256_42, 0.148_351_65, 0.138_095_24, 0.129_166_66,
    0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0,
    0.944_444_4, 0.844_444_45, 0.763_636_35, 0.696_969_7, 0.641_025_66, 0.593_406_6, 0.552_381, 0.516_666_65,
];
#[rustfmt::skip]
pub static ROOTS: [f32; 32] = [
    1.284_156_2, 1.332_967_8, 1.378_418_7, 1.421_037, 1.461_228_7, 1.499_313_8, 1.535_549_3, 1.570_145_4,
    1.617_935_4, 1.679_434_1, 1.736_698_6, 1.790_394_3, 1.841_032_7, 1.889_017, 1.934_670_9, 1.978_259_2,
    0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0,
    1.019_235_5, 1.057_977_2, 1.094_051_6, 1.127_877_7, 1.159_778, 1.190_006_1, 1.218_766_3, 1.246_225_2,
];

/// (1 + r)^(1/3) is `1 + r * (..)`: coefficients of the last part, highest power first.
pub const ROOT: [f32; 4] = [-0.041_269_287, 0.061_859_697, -0.111_110_985, 0.333_333_22];

/// A third, and what is added so that all multiples of three come out above their whole number.
pub const THIRD: [f32; 2] = [0.333_333_34, 0.001];

/// The cube root. The relative error is below 1.8e-7.
#[inline(always)]
pub fn cube_root(x: f32) -> f32 {
    // Scale subnormal numbers up first.
    let tiny = x.abs() < f32::MIN_POSITIVE;
    let bits = if tiny { x * 8_388_608.0 } else { x }.to_bits();
    let e = ((bits >> 23) & 0xff) as i32 - 127 - if tiny { 23 } else { 0 };
    let [third, above] = THIRD;
    let q = (e as f32).mul_add(third, above).floor();
    let power = |e: f32| f32::from_bits(((e as i32).wrapping_add(127) as u32) << 23);
    let v = f32::from_bits(bits & 0x007f_ffff | 127 << 23) * power(q.mul_add(-3.0, e as f32));
    let at = ((v.to_bits() >> 20) & 31) as usize;
    let r = v.mul_add(INVERSE_CUBES[at], -1.0);
    let [a, b, c, d] = ROOT;
    let p = a.mul_add(r, b).mul_add(r, c).mul_add(r, d) * r;
    let found = (ROOTS[at].mul_add(p, ROOTS[at]) * power(q)).copysign(x);
    if x == x + x || x.is_nan() { x } else { found }
}

/// log(m) is `OFFSETS + log(1 + r)` where `r = m * INVERSES - 1`, on each of 32 segments of [3/4, 3/2) by the upper
/// bits of the fraction. Around 1, the inverse is 1.
#[rustfmt::skip]
pub static INVERSES: [f32; 32] = [
    1.0, 0.955_223_86, 0.927_536_25, 0.901_408_43, 0.876_712_3, 0.853_333_35, 0.831_168_83, 0.810_126_6,
    0.790_123_46, 0.771_084_3, 0.752_941_2, 0.735_632_2, 0.719_101_13, 0.703_296_7, 0.688_172_04, 0.673_684_24,
    1.319_587_6, 1.292_929_3, 1.267_326_7, 1.242_718_5, 1.219_047_7, 1.196_261_6, 1.174_311_9, 1.153_153_2,
    1.132_743_4, 1.113_043_4, 1.094_017_1, 1.075_630_3, 1.057_851_2, 1.040_650_4, 1.024, 1.0,
];
#[rustfmt::skip]
pub static OFFSETS: [f32; 32] = [
    0.0, 0.045_809_56, 0.075_223_4, 0.103_796_81, 0.131_576_36, 0.158_605_01, 0.184_922_34, 0.210_564_75,
    0.235_566_06, 0.259_957_55, 0.283_768_15, 0.307_025_05, 0.329_753_28, 0.351_976_4, 0.373_716_4, 0.394_993_75,
    -0.277_319_25, -0.256_910_4, -0.236_909_73, -0.217_301_28, -0.198_069_94, -0.179_201_4, -0.160_682_34, -0.142_500_09,
    -0.124_642_44, -0.107_098_09, -0.089_856_38, -0.072_906_82, -0.056_239_676, -0.039_845_873, -0.023_716_575, 0.0,
];

/// log(1 + r) is `r + r^2 * (..)`: coefficients of the last part, highest power first.
pub const LOG: [f32; 3] = [-0.243_980_29, 0.333_366_25, -0.500_001_2];

/// Natural logarithm. The relative error is below 1.8e-7.
#[inline(always)]
pub fn log(x: f32) -> f32 {
    log_of_sum(x, None)
}

/// The logarithm of 1 + x. The relative error is below 1.8e-7.
#[inline(always)]
pub fn log_plus_one(x: f32) -> f32 {
    let sum = 1.0 + x;
    // What the sum leaves out, exactly.
    let own = sum - 1.0;
    let rest = (1.0 - (sum - own)) + (x - own);
    log_of_sum(sum, Some(if sum == f32::INFINITY { 0.0 } else { rest })).copysign(x)
}

/// The logarithm of a number and a much smaller one.
#[inline(always)]
fn log_of_sum(x: f32, rest: Option<f32>) -> f32 {
    // Scale subnormal numbers up first.
    let tiny = x < f32::MIN_POSITIVE;
    let bits = if tiny { x * 8_388_608.0 } else { x }.to_bits();
    // Fractions from 1/2 on are halves of the next power.
    let upper = (bits >> 22) & 1;
    let e = ((bits >> 23) & 0xff) as i32 - 127 + upper as i32 - if tiny { 23 } else { 0 };
    let m = f32::from_bits((bits & 0x007f_ffff) | (127 - upper) << 23);
    let at = ((bits >> 18) & 31) as usize;
    let mut r = m.mul_add(INVERSES[at], -1.0);
    if let Some(rest) = rest {
        let power = |e: i32| f32::from_bits((e.wrapping_add(127) as u32) << 23);
        let half = -e >> 1;
        r = (rest * power(half) * power(-e - half)).mul_add(INVERSES[at], r);
    }
    let [a, b, c] = LOG;
    let p = (r * r).mul_add(a.mul_add(r, b).mul_add(r, c), r);
    let out = (e as f32).mul_add(std::f32::consts::LN_2, OFFSETS[at]) + p;
    let out = if x == 0.0 { f32::NEG_INFINITY } else { out };
    let out = if x == f32::INFINITY { x } else { out };
    if x < 0.0 || x.is_nan() { f32::NAN } else { out }
}

/// An odd function that comes to 1, as a polynomial in `a - base` on each of at most 32 segments of `a = |x|`: from 0
/// to 1/8, then four to an octave, the last one up to where it is 1. Here are the bases, then the coefficients from
/// power 0 on.
pub type Odd = [[f32; 32]; 7];

/// The upper bits of a number below the second segment.
pub const ODD_FIRST: u32 = 495;

#[rustfmt::skip]
pub static TANH: Odd = [
    [
        0.0, 0.125, 0.156_25, 0.1875, 0.218_75, 0.25, 0.3125, 0.375,
        0.4375, 0.5, 0.625, 0.75, 0.875, 1.0, 1.25, 1.5,
        1.75, 2.0, 2.5, 3.0, 3.5, 4.0, 5.0, 6.0,
        7.0, 8.0, 8.0, 8.0, 8.0, 8.0, 8.0, 8.0,
    ],
    [
        0.0, 0.124_353, 0.154_990_73, 0.185_333_2, 0.215_326_34, 0.244_918_66, 0.302_709_73, 0.358_357_4,
        0.411_570_04, 0.462_117_17, 0.554_599_7, 0.635_148_94, 0.703_905_6, 0.761_594_2, 0.848_283_65, 0.905_148_27,
        0.941_375_55, 0.964_027_6, 0.986_614_3, 0.995_054_8, 0.998_177_9, 0.999_329_3, 0.999_909_2, 0.999_987_7,
        0.999_998_33, 0.999_999_76, 0.999_999_76, 0.999_999_76, 0.999_999_76, 0.999_999_76, 0.999_999_76, 0.999_999_76,
    ],
    [
        1.0, 0.984_540_8, 0.975_974_14, 0.965_639_65, 0.953_635_63, 0.940_017_4, 0.908_367_5, 0.871_578_9,
        0.830_620_8, 0.786_444_4, 0.692_427_3, 0.596_589_8, 0.504_525_54, 0.419_970_6, 0.280_413_4, 0.180_703_91,
        0.113_809_11, 0.070_650_13, 0.026_592_853, 0.009_863_141, 0.003_641_967, 0.001_339_135_5, 1.806_348_9e-4, 2.408_309_2e-5,
        3.615_310_3e-6, 1.097_088_1e-6, 1.097_088_1e-6, 1.097_088_1e-6, 1.097_088_1e-6, 1.097_088_1e-6, 1.097_088_1e-6, 1.097_088_1e-6,
    ],
    [
        4.443_498e-7, -0.123_615_7, -0.150_286_15, -0.175_860_8, -0.205_619_77, -0.230_558_62, -0.275_061_9, -0.312_194_35,
        -0.343_246_5, -0.363_212_17, -0.384_541_24, -0.379_179_95, -0.355_690_3, -0.319_741_93, -0.237_832_34, -0.163_482_06,
        -0.107_044_85, -0.068_092_614, -0.026_239_522, -0.009_768_157, -0.003_650_359_8, -0.001_321_252_2, -1.733_628_7e-4, -2.055_147_5e-5,
        -5.621_691e-6, -5.509_128_6e-6, -5.509_128_6e-6, -5.509_128_6e-6, -5.509_128_6e-6, -5.509_128_6e-6, -5.509_128_6e-6, -5.509_128_6e-6,
    ],
    [
        -0.333_359_48, -0.204_792_74, -0.391_081_3, -0.570_355_53, -0.248_586_01, -0.241_856_2, -0.215_458_75, -0.185_075_94,
        -0.073_257_804, -0.099_230_21, -0.005_947_941_4, 0.047_665_406, 0.094_399_51, 0.102_587_83, 0.108_002_91, 0.086_922_75,
        0.061_866_093, 0.041_967_2, 0.016_987_467, 0.006_181_678, 0.002_494_630_9, 8.197_301_6e-4, 9.529_674_6e-5, 4.750_142_6e-6,
        8.585_671e-6, 1.416_278e-5, 1.416_278e-5, 1.416_278e-5, 1.416_278e-5, 1.416_278e-5, 1.416_278e-5, 1.416_278e-5,
    ],
    [
        5.136_836_6e-4, -3.929_860_8, 3.395_063_2, 10.506_034, -0.796_597_84, -0.139_573_07, 0.082_900_144, 0.287_920_56,
        -0.987_917_2, 0.212_117_79, 0.028_731_7, 0.045_796_35, -0.055_194_12, 0.030_670_794, -0.012_317_881, -0.021_343_945,
        -0.018_791_424, -0.017_368_44, -0.007_747_788, -0.002_388_623_8, -0.001_340_278_7, -3.137_120_8e-4, -2.443_927e-5, 5.998_651e-6,
        -8.258_805e-6, -1.565_375_2e-5, -1.565_375_2e-5, -1.565_375_2e-5, -1.565_375_2e-5, -1.565_375_2e-5, -1.565_375_2e-5, -1.565_375_2e-5,
    ],
    [
        0.129_841_07, 51.981_426, -42.467_148, -133.872_54, 11.979_005, 1.870_399_7, 0.523_215_8, -0.760_179_64,
        7.437_716, -0.189_757_21, 0.292_453_97, 0.109_948_75, 0.316_706_3, -0.043_090_44, -0.013_988_56, -0.006_028_502,
        -0.003_293_258_1, 0.003_981_931, 0.002_071_528_2, 3.243_794e-4, 4.790_436_7e-4, 5.594_595_5e-5, 3.424_784_2e-7, -3.674_517_3e-6,
        3.129_136_3e-6, 6.113_125e-6, 6.113_125e-6, 6.113_125e-6, 6.113_125e-6, 6.113_125e-6, 6.113_125e-6, 6.113_125e-6,
    ],
];

/// From here on, tanh is 1.
pub const TANH_MOST: f32 = 9.02;

#[rustfmt::skip]
pub static ERF: Odd = [
    [
        0.0, 0.125, 0.156_25, 0.187_5, 0.218_75, 0.25, 0.312_5, 0.375,
        0.437_5, 0.5, 0.625, 0.75, 0.875, 1.0, 1.25, 1.5,
        1.75, 2.0, 2.5, 3.0, 3.5, 3.5, 3.5, 3.5,
        3.5, 3.5, 3.5, 3.5, 3.5, 3.5, 3.5, 3.5,
    ],
    [
        0.0, 0.140_316_2, 0.174_884_89, 0.209_117_68, 0.242_951_7, 0.276_326_4, 0.341_468_63, 0.404_116_9,
        0.463_898_12, 0.520_499_9, 0.623_240_9, 0.711_155_65, 0.784_075_1, 0.842_700_8, 0.922_900_14, 0.966_105_16,
        0.986_671_7, 0.995_322_3, 0.999_593_1, 0.999_977_9, 0.999_999_3, 0.999_999_3, 0.999_999_3, 0.999_999_3,
        0.999_999_3, 0.999_999_3, 0.999_999_3, 0.999_999_3, 0.999_999_3, 0.999_999_3, 0.999_999_3, 0.999_999_3,
    ],
    [
        FRAC_2_SQRT_PI, 1.110_885_3, 1.101_164_5, 1.089_398_9, 1.075_655_9, 1.060_014_1, 1.023_395_4, 0.980_352_8,
        0.931_812_17, 0.878_782_5, 0.763_499_5, 0.642_931_04, 0.524_745_05, 0.415_108, 0.236_521_87, 0.118_930_79,
        0.052_775_145, 0.020_664_025, 0.002_176_39, 1.389_335_1e-4, 5.385_636e-6, 5.385_636e-6, 5.385_636e-6, 5.385_636e-6,
        5.385_636e-6, 5.385_636e-6, 5.385_636e-6, 5.385_636e-6, 5.385_636e-6, 5.385_636e-6, 5.385_636e-6, 5.385_636e-6,
    ],
    [
        2.240_212_8e-7, -0.138_860_64, -0.172_056_93, -0.204_262_26, -0.235_299_72, -0.265_003_26, -0.319_810_78, -0.367_632,
        -0.407_667_52, -0.439_386_79, -0.477_183_8, -0.482_196_4, -0.459_151_6, -0.415_130_1, -0.295_686_42, -0.178_419_23,
        -0.092_363_596, -0.041_267_29, -0.005_400_026, -4.098_539e-4, -1.849_821_6e-5, -1.849_821_6e-5, -1.849_821_6e-5, -1.849_821_6e-5,
        -1.849_821_6e-5, -1.849_821_6e-5, -1.849_821_6e-5, -1.849_821_6e-5, -1.849_821_6e-5, -1.849_821_6e-5, -1.849_821_6e-5, -1.849_821_6e-5,
    ],
    [
        -0.376_139_52, -0.358_724_65, -0.349_133_76, -0.337_601_93, -0.324_239_46, -0.309_188_66, -0.274_524_6, -0.234_897_45,
        -0.191_722_35, -0.146_620_77, -0.055_791_6, 0.026_721_375, 0.092_910_7, 0.138_741_21, 0.168_136_37, 0.139_168_14,
        0.090_290_94, 0.047_683_034, 0.007_943_815, 7.164_162e-4, 3.797_704_3e-5, 3.797_704_3e-5, 3.797_704_3e-5, 3.797_704_3e-5,
        3.797_704_3e-5, 3.797_704_3e-5, 3.797_704_3e-5, 3.797_704_3e-5, 3.797_704_3e-5, 3.797_704_3e-5, 3.797_704_3e-5, 3.797_704_3e-5,
    ],
    [
        2.577_879_3e-4, 0.068_786_39, 0.084_723_93, 0.099_848_15, 0.114_021_07, 0.127_535_9, 0.150_118_81, 0.167_244_34,
        0.178_489_79, 0.185_55, 0.178_359_4, 0.151_776_54, 0.112_636_305, 0.066_501_87, -0.010_807_634, -0.047_920_916,
        -0.049_230_475, -0.032_561_94, -0.006_958_758_5, -7.309_946e-4, -4.570_819_5e-5, -4.570_819_5e-5, -4.570_819_5e-5, -4.570_819_5e-5,
        -4.570_819_5e-5, -4.570_819_5e-5, -4.570_819_5e-5, -4.570_819_5e-5, -4.570_819_5e-5, -4.570_819_5e-5, -4.570_819_5e-5, -4.570_819_5e-5,
    ],
    [
        0.111_088_38, 0.101_945_44, 0.096_746_095, 0.090_663_88, 0.083_779_015, 0.072_184_33, 0.054_787_09, 0.036_037_43,
        0.016_850_801, -0.010_656_605_5, -0.041_490_603, -0.061_606_742, -0.069_472_82, -0.061_067_134, -0.030_680_595, -0.002_336_636_7,
        0.011_307_744, 0.010_570_713, 0.002_835_795_5, 3.353_362_8e-4, 2.472_758e-5, 2.472_758e-5, 2.472_758e-5, 2.472_758e-5,
        2.472_758e-5, 2.472_758e-5, 2.472_758e-5, 2.472_758e-5, 2.472_758e-5, 2.472_758e-5, 2.472_758e-5, 2.472_758e-5,
    ],
];

/// From here on, erf is 1.
pub const ERF_MOST: f32 = 3.93;

#[inline(always)]
fn odd(x: f32, table: &Odd, most: f32) -> f32 {
    let a = if x.abs() > most { most } else { x.abs() };
    let at = ((a.to_bits() >> 21).saturating_sub(ODD_FIRST) & 31) as usize;
    let d = a - table[0][at];
    let p = table[6][at].mul_add(d, table[5][at]).mul_add(d, table[4][at]);
    let p = p.mul_add(d, table[3][at]).mul_add(d, table[2][at]).mul_add(d, table[1][at]);
    p.copysign(x)
}

/// The relative error is below 1.8e-7.
#[inline(always)]
pub fn tanh(x: f32) -> f32 {
    odd(x, &TANH, TANH_MOST)
}

/// The relative error is below 1.8e-7.
#[inline(always)]
pub fn erf(x: f32) -> f32 {
    odd(x, &ERF, ERF_MOST)
}

#[inline(always)]
pub fn logistic(x: f32) -> f32 {
    1.0 / (1.0 + exp(-x))
}

/// IEEE 754 maximum: NaN wins, and 0 is above -0.
// Equal numbers differ in their sign at most. Without a branch, so that loops become vectors.
#[inline(always)]
pub fn max(a: f32, b: f32) -> f32 {
    let (one, other) = (if a > b { a } else { b }, if b > a { b } else { a });
    let none = if a.is_nan() | b.is_nan() { u32::MAX } else { 0 };
    f32::from_bits((one.to_bits() & other.to_bits()) | none)
}

/// IEEE 754 minimum: NaN wins, also over the bits of a number.
#[inline(always)]
pub fn min(a: f32, b: f32) -> f32 {
    let (one, other) = (if a < b { a } else { b }, if b < a { b } else { a });
    f32::from_bits(one.to_bits() | other.to_bits())
}

/// Nearest bf16, ties to even, as an `f32`.
#[inline(always)]
pub fn to_bf16(x: f32) -> f32 {
    let bits = x.to_bits();
    let rounded = bits.wrapping_add(0x7fff + ((bits >> 16) & 1)) & 0xffff_0000;
    if x.is_nan() { f32::from_bits((bits & 0xffff_0000) | 0x0040_0000) } else { f32::from_bits(rounded) }
}

#[inline(always)]
pub fn max64(a: f64, b: f64) -> f64 {
    let (one, other) = (if a > b { a } else { b }, if b > a { b } else { a });
    let none = if a.is_nan() | b.is_nan() { u64::MAX } else { 0 };
    f64::from_bits((one.to_bits() & other.to_bits()) | none)
}

#[inline(always)]
pub fn min64(a: f64, b: f64) -> f64 {
    let (one, other) = (if a < b { a } else { b }, if b < a { b } else { a });
    f64::from_bits(one.to_bits() | other.to_bits())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(f: fn(f32) -> f32, exact: fn(f64) -> f64, x: f32) -> f64 {
        let exact = exact(f64::from(x));
        (f64::from(f(x)) - exact).abs() / exact.abs().max(1e-30)
    }

    fn worst(f: fn(f32) -> f32, exact: fn(f64) -> f64, low: f32, high: f32) -> f64 {
        let points = (0..200_000).map(|i| low + (high - low) * i as f32 / 200_000.0);
        points.map(|x| error(f, exact, x)).fold(0.0, f64::max)
    }

    /// Numbers of every exponent and both signs: 2^32 bit patterns in steps of about 2^12.
    fn all_over() -> impl Iterator<Item = f32> {
        (0..u32::MAX).step_by(4099).map(f32::from_bits)
    }

    #[test]
    fn functions_are_within_a_few_units_in_the_last_place() {
        assert!(worst(exp, f64::exp, -87.0, 88.0) < 1.8e-7);
        assert!(worst(exp, f64::exp, -1.0, 1.0) < 1.8e-7);
        assert!(worst(tanh, f64::tanh, 0.001, 10.0) < 1.8e-7);
        assert!(worst(tanh, f64::tanh, -1.0, -1e-6) < 1.8e-7);
        assert!((0..100).all(|i| tanh(8.0 + i as f32 / 50.0) <= 1.0));
    }

    #[test]
    fn exponentials_of_all_numbers_are_near_zero_or_infinite() {
        for x in all_over().filter(|x| !x.is_nan()) {
            let found = exp(x);
            let fine = match x {
                _ if x < LEAST => found == 0.0,
                _ if x > 88.722_84 => found == f32::INFINITY,
                _ => found.is_normal() && error(exp, f64::exp, x) < 1.8e-7,
            };
            assert!(fine, "e^{x:e} is {:e}, not {found:e}", f64::from(x).exp());
        }
    }

    #[test]
    fn odd_functions_of_all_numbers_are_near_and_at_most_one() {
        for x in all_over().filter(|x| x.abs() > 1e-30) {
            assert!(error(tanh, f64::tanh, x) < 1.8e-7 && tanh(x).abs() <= 1.0, "tanh of {x:e}");
            assert!(error(erf, libm::erf, x) < 1.8e-7 && erf(x).abs() <= 1.0, "erf of {x:e}");
        }
    }

    #[test]
    fn logarithms_of_one_and_any_number_are_near() {
        for x in all_over().filter(|x| x.is_nan() || x.abs() >= 1e-30) {
            let (found, wanted) = (log_plus_one(x), libm::log1p(f64::from(x)));
            let fine = match x {
                _ if x < -1.0 || x.is_nan() => found.is_nan(),
                f32::INFINITY => found == x,
                _ => error(log_plus_one, libm::log1p, x) < 1.8e-7,
            };
            assert!(fine, "log of 1 + {x:e} is {wanted:e}, not {found:e}");
        }
        assert_eq!(log_plus_one(-1.0), f32::NEG_INFINITY);
        assert_eq!([0.0, -0.0].map(|x| log_plus_one(x).to_bits()), [0.0f32, -0.0].map(f32::to_bits));
    }

    #[test]
    fn logarithms_of_all_numbers_are_near() {
        for x in all_over().chain((0..4000).map(|i| 0.9 + i as f32 * 5e-5)) {
            let (found, wanted) = (log(x), f64::from(x).ln());
            let fine = match x {
                _ if x < 0.0 || x.is_nan() => found.is_nan(),
                _ if x == 0.0 || x == f32::INFINITY => f64::from(found) == wanted,
                _ => error(log, f64::ln, x) < 1.8e-7,
            };
            assert!(fine, "log of {x:e} is {wanted:e}, not {found:e}");
        }
    }

    #[test]
    fn exponentials_less_one_and_cube_roots_of_all_numbers_are_near() {
        for x in all_over().filter(|x| x.abs() >= 1e-30 && x.is_finite()) {
            let (found, wanted) = (exp_minus_one(x), libm::expm1(f64::from(x)));
            let infinite = x > 88.722_84 && found == f32::INFINITY;
            assert!(
                infinite || error(exp_minus_one, libm::expm1, x) < 1.8e-7,
                "{x:e}: {wanted:e}, not {found:e}"
            );
        }
        for x in all_over().filter(|x| x.is_finite() && *x != 0.0) {
            assert!(error(cube_root, libm::cbrt, x) < 1.8e-7, "cube root of {x:e} is not {:e}", cube_root(x));
        }
        for f in [exp_minus_one, cube_root] {
            assert!(f(f32::NAN).is_nan() && f(-0.0) == 0.0 && f(-0.0).is_sign_negative());
            assert_eq!(f(f32::INFINITY), f32::INFINITY);
        }
        assert_eq!(
            (exp_minus_one(f32::NEG_INFINITY), cube_root(f32::NEG_INFINITY)),
            (-1.0, f32::NEG_INFINITY)
        );
    }

    #[test]
    fn special_values_are_kept() {
        assert_eq!((exp(f32::NEG_INFINITY), exp(f32::INFINITY), exp(0.0)), (0.0, f32::INFINITY, 1.0));
        assert_eq!((log(0.0), log(1.0), log(f32::INFINITY)), (f32::NEG_INFINITY, 0.0, f32::INFINITY));
        assert!(log(-1.0).is_nan() && exp(f32::NAN).is_nan() && max(1.0, f32::NAN).is_nan());
        assert!(max(0.0, -0.0).is_sign_positive() && min(0.0, -0.0).is_sign_negative());
        assert_eq!((tanh(-30.0), tanh(f32::INFINITY)), (-1.0, 1.0));
        assert!(tanh(f32::NAN).is_nan() && tanh(-0.0).is_sign_negative() && tanh(-0.0) == 0.0);
        assert!(exp(LEAST).is_normal() && exp(LEAST - 1e-4) == 0.0);
    }
}
