//! Parsers of sizes and times in arguments. A size is `12000000`, `512k`, `16M` or `1.5G`. The letters are powers of
//! 1024, as in `16GiB`; in `16GB` they are powers of 1000.

/// Parses a size in bytes.
pub fn bytes(text: &str) -> Result<i64, String> {
    let wrong = || "expected a size in bytes over 0, for example 4096, 512MB, 16GB or 1.5GiB".to_string();
    let (short, base) = match (text.strip_suffix("iB"), text.strip_suffix('B')) {
        (Some(short), _) => (short, 1 << 10),
        (None, Some(short)) => (short, 1000),
        (None, None) => (text, 1i64 << 10),
    };
    let (number, unit) = match short.char_indices().last() {
        Some((at, 'k' | 'K')) => (&short[..at], base),
        Some((at, 'm' | 'M')) => (&short[..at], base.pow(2)),
        Some((at, 'g' | 'G')) => (&short[..at], base.pow(3)),
        Some((at, 't' | 'T')) => (&short[..at], base.pow(4)),
        _ => (short, 1),
    };
    if let Ok(count) = number.parse::<i64>() {
        return count.checked_mul(unit).filter(|bytes| *bytes > 0).ok_or_else(wrong);
    }
    let count: f64 = number.parse().map_err(|_| wrong())?;
    let product = count * unit as f64;
    let is_usable = unit > 1 && product.is_finite() && product >= 1.0 && product < i64::MAX as f64;
    if is_usable { Ok(product as i64) } else { Err(wrong()) }
}

/// Parses a size in bytes as an unsigned number.
pub fn size(text: &str) -> Result<u64, String> {
    bytes(text).map(i64::unsigned_abs)
}

/// Parses the smallest transfer of a windowed einsum; `never` is infinite.
pub fn loops_from(text: &str) -> Result<f64, String> {
    if text == "never" {
        return Ok(f64::INFINITY);
    }
    bytes(text).map(|bytes| bytes as f64).map_err(|wrong| format!("{wrong}, or `never`"))
}

/// Parses a time in seconds, over 0.
pub fn seconds(text: &str) -> Result<f64, String> {
    let seconds = text.parse().ok().filter(|seconds: &f64| *seconds > 0.0);
    seconds.ok_or_else(|| "expected a number of seconds over 0, for example 30 or 0.5".to_string())
}

/// Parses a percentage, 0 or more.
pub fn percent(text: &str) -> Result<f64, String> {
    let share = text.trim_end_matches('%').trim().parse().ok().filter(|share: &f64| *share >= 0.0);
    share.ok_or_else(|| "expected a percentage of 0 or more, for example 5 or 0.5".to_string())
}

#[cfg(test)]
mod tests {
    use super::{bytes, loops_from, seconds};

    #[test]
    fn loops_from_takes_a_size_or_never() {
        assert_eq!(loops_from("1M"), Ok(1_048_576.0));
        assert_eq!(loops_from("never"), Ok(f64::INFINITY));
        assert!(loops_from("often").is_err_and(|wrong| wrong.ends_with("or `never`")));
    }

    #[test]
    fn times_are_over_zero() {
        assert_eq!(["30", "0.5", "inf"].map(seconds), [Ok(30.0), Ok(0.5), Ok(f64::INFINITY)]);
        for text in ["nan", "NaN", "0", "-0", "-1", "-inf", "", "5s"] {
            assert!(seconds(text).is_err(), "{text}");
        }
    }

    #[test]
    fn letters_are_powers_of_1024() {
        let read = ["4096", "512k", "16M", "1.5G", "2T"].map(bytes);
        assert_eq!(read, [4096, 512 << 10, 16 << 20, 3 << 29, 2 << 40].map(Ok));
    }

    #[test]
    fn letters_before_b_are_powers_of_1000() {
        let read = ["16GB", "16GiB", "1.5MB", "4kB", "4096B"].map(bytes);
        assert_eq!(read, [16_000_000_000, 16 << 30, 1_500_000, 4_000, 4_096].map(Ok));
    }

    #[test]
    fn malformed_sizes_are_errors() {
        for text in
            ["", "k", "-1", "0", "1.5", "nanG", "1e400G", "9999999999G", "12 M", "é", "B", "iB", "GB", "16BB"]
        {
            assert!(bytes(text).is_err(), "{text}");
        }
    }
}
