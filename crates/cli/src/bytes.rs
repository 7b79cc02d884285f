//! Sizes and times as arguments. Numbers of bytes: `12000000`, `512k`, `16M`, `1.5G`. The letters are powers of 1024,
//! as in `16GiB`; in `16GB` they are powers of 1000.

/// Read a number of bytes; for `clap`.
pub fn bytes(text: &str) -> Result<i64, String> {
    let wrong = || format!("`{text}` is no number of bytes: write it as 4096, 512k, 16M or 1.5G");
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

/// The same where no number is below zero anyway.
pub fn size(text: &str) -> Result<u64, String> {
    bytes(text).map(i64::unsigned_abs)
}

/// Bytes from which on einsums may be loops: none are `never`; for `clap`.
pub fn loops_from(text: &str) -> Result<f64, String> {
    if text == "never" {
        return Ok(f64::INFINITY);
    }
    bytes(text).map(|bytes| bytes as f64).map_err(|wrong| format!("{wrong}, or `never`"))
}

/// Read a time in seconds, over 0; for `clap`.
pub fn seconds(text: &str) -> Result<f64, String> {
    let seconds = text.parse().ok().filter(|seconds: &f64| *seconds > 0.0);
    seconds.ok_or_else(|| format!("`{text}` is no time: write a number of seconds over 0, as 30 or 0.5"))
}

/// Read a share in percent, 0 or more; for `clap`.
pub fn percent(text: &str) -> Result<f64, String> {
    let share = text.trim_end_matches('%').trim().parse().ok().filter(|share: &f64| *share >= 0.0);
    share.ok_or_else(|| format!("`{text}` is no share: write a number of percent, as 5 or 0.5"))
}

#[cfg(test)]
mod tests {
    use super::{bytes, loops_from, seconds};

    #[test]
    fn loops_begin_at_a_size_or_never() {
        assert_eq!(loops_from("1M"), Ok(1_048_576.0));
        assert_eq!(loops_from("never"), Ok(f64::INFINITY));
        assert!(loops_from("often").is_err_and(|wrong| wrong.ends_with("or `never`")));
    }

    #[test]
    fn a_time_is_over_zero() {
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
    fn with_a_b_they_are_what_is_printed_on_devices() {
        let read = ["16GB", "16GiB", "1.5MB", "4kB", "4096B"].map(bytes);
        assert_eq!(read, [16_000_000_000, 16 << 30, 1_500_000, 4_000, 4_096].map(Ok));
    }

    #[test]
    fn what_is_no_number_of_bytes_is_refused() {
        for text in
            ["", "k", "-1", "0", "1.5", "nanG", "1e400G", "9999999999G", "12 M", "é", "B", "iB", "GB", "16BB"]
        {
            assert!(bytes(text).is_err(), "{text}");
        }
    }
}
