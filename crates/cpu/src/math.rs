//! Functions of one `f32` written so that loops over them become vector code: no calls, no branches.
//!
//! Errors are a few units in the last place. Fused multiply-adds are written out, so every CPU gives the same bits (one
//! without such an instruction gives them slowly).

/// 1.5 * 2^23: adding it rounds to the nearest whole number, ties to even, and leaves that in the low bits. A cast to an
/// integer would saturate, which no vector instruction does.
pub const ROUND: f32 = 12_582_912.0;

/// The logarithm of the smallest normal number.
pub const LEAST: f32 = -87.336_54;

/// The logarithm of 2 in two parts.
pub const LN2_HIGH: f32 = 0.693_359_4;
pub const LN2_LOW: f32 = -2.121_944_4e-4;

/// e^r is `1 + r + r^2 * (..)`: coefficients of the last part, highest power first.
pub const EXP: [f32; 5] = [1.381_446_5e-3, 8.368_781e-3, 4.166_839_3e-2, 1.666_652e-1, 0.499_999_94];

/// e^x. Below about -87.3 it is zero: a result below the normal numbers takes the CPU many times as long, and masked
/// scores (-1e9, say) are many. Above 88.7 it is infinite. The relative error is below 1.3e-7.
#[inline(always)]
pub fn exp(x: f32) -> f32 {
    let clamped = x.clamp(LEAST, 89.0);
    let shifted = clamped.mul_add(std::f32::consts::LOG2_E, ROUND);
    let n = shifted - ROUND;
    let r = n.mul_add(-LN2_LOW, n.mul_add(-LN2_HIGH, clamped));
    let [a, b, c, d, e] = EXP;
    let p = a.mul_add(r, b).mul_add(r, c).mul_add(r, d).mul_add(r, e);
    let y = p.mul_add(r, 1.0).mul_add(r, 1.0);
    // Two factors, as 2^n alone may not be a normal number.
    let n = (shifted.to_bits() as i32).wrapping_sub(ROUND.to_bits() as i32);
    let half = n >> 1;
    let scale = |n: i32| f32::from_bits((n.wrapping_add(127) as u32) << 23);
    let out = y * scale(half) * scale(n - half);
    let out = if x < LEAST { 0.0 } else { out };
    if x.is_nan() { x } else { out }
}

/// Natural logarithm.
#[inline(always)]
pub fn log(x: f32) -> f32 {
    // Scale subnormal numbers up first.
    let tiny = x < f32::MIN_POSITIVE;
    let scaled = if tiny { x * 8_388_608.0 } else { x };
    let bits = scaled.to_bits();
    let mut e = ((bits >> 23) & 0xff) as i32 - 126;
    let mut m = f32::from_bits((bits & 0x007f_ffff) | 0x3f00_0000);
    let low = m < std::f32::consts::FRAC_1_SQRT_2;
    e -= i32::from(low);
    m = if low { m + m - 1.0 } else { m - 1.0 };
    e -= if tiny { 23 } else { 0 };
    let z = m * m;
    let mut p = 7.037_683_6e-2f32;
    p = p.mul_add(m, -1.151_461e-1);
    p = p.mul_add(m, 1.167_699_9e-1);
    p = p.mul_add(m, -1.242_014_1e-1);
    p = p.mul_add(m, 1.424_932_3e-1);
    p = p.mul_add(m, -1.666_805_8e-1);
    p = p.mul_add(m, 2.000_071_5e-1);
    p = p.mul_add(m, -2.499_999_4e-1);
    p = p.mul_add(m, 3.333_333e-1);
    let e = e as f32;
    let y = p * m * z - 2.121_944_4e-4 * e - 0.5 * z;
    let out = m + y + 0.693_359_4 * e;
    let out = if x == 0.0 { f32::NEG_INFINITY } else { out };
    let out = if x == f32::INFINITY { x } else { out };
    if x < 0.0 || x.is_nan() { f32::NAN } else { out }
}

/// tanh is a polynomial in `a - base` on each of 26 segments of `a = |x|`: from 0 to 1/8, four to an octave up to 8, and
/// from there to where it is 1. Here are the bases, then the coefficients from power 0 on.
#[rustfmt::skip]
pub static TANH: [[f32; 32]; 7] = [
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

/// The upper bits of a number below the second segment.
pub const TANH_FIRST: u32 = 495;
/// From here on, tanh is 1.
pub const TANH_MOST: f32 = 9.02;

/// The relative error is below 1.8e-7.
#[inline(always)]
pub fn tanh(x: f32) -> f32 {
    let a = if x.abs() > TANH_MOST { TANH_MOST } else { x.abs() };
    let at = ((a.to_bits() >> 21).saturating_sub(TANH_FIRST) & 31) as usize;
    let d = a - TANH[0][at];
    let p = TANH[6][at].mul_add(d, TANH[5][at]).mul_add(d, TANH[4][at]);
    let p = p.mul_add(d, TANH[3][at]).mul_add(d, TANH[2][at]).mul_add(d, TANH[1][at]);
    p.copysign(x)
}

#[inline(always)]
pub fn logistic(x: f32) -> f32 {
    1.0 / (1.0 + exp(-x))
}

/// IEEE 754 maximum: NaN wins, and 0 is above -0.
#[inline(always)]
pub fn max(a: f32, b: f32) -> f32 {
    let larger = if a > b || (a == b && b.is_sign_negative()) { a } else { b };
    if a.is_nan() { a } else { larger }
}

#[inline(always)]
pub fn min(a: f32, b: f32) -> f32 {
    let smaller = if a < b || (a == b && a.is_sign_negative()) { a } else { b };
    if a.is_nan() { a } else { smaller }
}

/// Nearest bf16, ties to even, as an `f32`.
#[inline(always)]
pub fn to_bf16(x: f32) -> f32 {
    let bits = x.to_bits();
    let rounded = bits.wrapping_add(0x7fff + ((bits >> 16) & 1)) & 0xffff_0000;
    if x.is_nan() { f32::from_bits((bits & 0xffff_0000) | 0x0040_0000) } else { f32::from_bits(rounded) }
}

pub fn max64(a: f64, b: f64) -> f64 {
    if a.is_nan() || a > b || (a == b && b.is_sign_negative()) { a } else { b }
}

pub fn min64(a: f64, b: f64) -> f64 {
    if a.is_nan() || a < b || (a == b && a.is_sign_negative()) { a } else { b }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn worst(f: fn(f32) -> f32, exact: fn(f64) -> f64, low: f32, high: f32) -> f64 {
        let points = (0..200_000).map(|i| low + (high - low) * i as f32 / 200_000.0);
        let error = |x: f32| {
            let exact = exact(f64::from(x));
            (f64::from(f(x)) - exact).abs() / exact.abs().max(1e-30)
        };
        points.map(error).fold(0.0, f64::max)
    }

    #[test]
    fn functions_are_within_a_few_units_in_the_last_place() {
        assert!(worst(exp, f64::exp, -87.0, 88.0) < 1.3e-7);
        assert!(worst(log, f64::ln, 2.0, 1e9) < 3e-7);
        assert!(worst(log, f64::ln, 1e-30, 0.7) < 3e-7);
        assert!(worst(tanh, f64::tanh, 0.001, 10.0) < 1.8e-7);
        assert!(worst(tanh, f64::tanh, -1.0, -1e-6) < 1.8e-7);
        assert!((0..100).all(|i| tanh(8.0 + i as f32 / 50.0) <= 1.0));
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
