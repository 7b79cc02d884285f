//! Numbers with a unit, three figures.

/// `4.2 MB`.
pub fn bytes(count: f64) -> String {
    let units = [(1e12, "TB"), (1e9, "GB"), (1e6, "MB"), (1e3, "kB")];
    match units.into_iter().find(|(unit, _)| count.abs() >= *unit * 0.9995) {
        Some((unit, name)) => format!("{} {name}", three(count / unit)),
        None => format!("{count:.0} bytes"),
    }
}

/// `149 kB (149,004 bytes)`: where two numbers may differ by less than three figures show.
pub fn exact_bytes(count: i64) -> String {
    let rounded = bytes(count as f64);
    if rounded.ends_with(" bytes") { rounded } else { format!("{rounded} ({} bytes)", grouped(count)) }
}

/// `1,234,567`.
pub fn grouped(number: i64) -> String {
    let digits = number.unsigned_abs().to_string();
    let mut out = String::from(if number < 0 { "-" } else { "" });
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// `1.2 ms`.
pub fn seconds(time: f64) -> String {
    let units = [(1.0, "s"), (1e-3, "ms"), (1e-6, "us")];
    match units.into_iter().find(|(unit, _)| time.abs() >= *unit * 0.9995) {
        Some((unit, name)) => format!("{} {name}", three(time / unit)),
        None => format!("{:.0} ns", time * 1e9),
    }
}

/// `66%`.
pub fn percent(share: f64) -> String {
    let percent = share * 100.0;
    if percent > 0.0 && percent < 1.0 { "<1%".into() } else { format!("{percent:.0}%") }
}

/// `1 collective`, `1,200 collectives`: a count and its noun, whose plural ends in `s`.
pub fn count(number: usize, noun: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{} {noun}{plural}", grouped(i64::try_from(number).unwrap_or(i64::MAX)))
}

fn three(number: f64) -> String {
    match number.abs() {
        size if size >= 99.95 => format!("{number:.0}"),
        size if size >= 9.995 => format!("{number:.1}"),
        _ => format!("{number:.2}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_three_figures() {
        assert_eq!(
            [0.0, 999.0, 1000.0, 4_250_000.0, 99.96e6].map(bytes),
            ["0 bytes", "999 bytes", "1.00 kB", "4.25 MB", "100 MB"]
        );
        assert_eq!([2.0, 0.0123, 4.5e-6, 3e-9].map(seconds), ["2.00 s", "12.3 ms", "4.50 us", "3 ns"]);
        assert_eq!([0.0, 0.001, 0.664].map(percent), ["0%", "<1%", "66%"]);
    }

    #[test]
    fn nouns_agree_with_their_counts() {
        let counts = [0, 1, 1200].map(|number| count(number, "collective"));
        assert_eq!(counts, ["0 collectives", "1 collective", "1,200 collectives"]);
    }

    #[test]
    fn long_numbers_are_grouped_by_three() {
        assert_eq!([0, -999, 1000, -1_234_567].map(grouped), ["0", "-999", "1,000", "-1,234,567"]);
        assert_eq!([12, 149_004].map(exact_bytes), ["12 bytes", "149 kB (149,004 bytes)"]);
    }
}
