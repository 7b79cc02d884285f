//! Units that fit: one for a whole column, by the largest number in it.

/// A unit, and how much one of it is.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Unit {
    pub name: &'static str,
    size: f64,
}

impl Unit {
    /// Of bytes, in steps of 1,000: as pages, reports and the papers have them. What programs read is in bytes.
    pub fn of_bytes(largest: f64) -> Unit {
        fitting(largest, [("GB", 1e9), ("MB", 1e6), ("kB", 1e3), ("bytes", 1.0)])
    }

    pub fn of_seconds(largest: f64) -> Unit {
        fitting(largest, [("s", 1.0), ("ms", 1e-3), ("us", 1e-6), ("ns", 1e-9)])
    }

    /// So much, in this unit; a sum of nothing is no less than nothing.
    pub fn of(self, value: f64) -> f64 {
        value / self.size + 0.0
    }

    /// With three digits behind the point, or none where there are only whole numbers.
    pub fn text(self, value: f64) -> String {
        let digits = if self.name == "bytes" { 0 } else { 3 };
        format!("{:.digits$}", self.of(value))
    }
}

/// A number of bytes with its unit, in three figures: `1.50 MB`.
pub fn bytes(count: i64) -> String {
    meshwright_base::units::bytes(count as f64)
}

/// A time with its unit, in three figures: `2.50 ms`.
pub fn seconds(time: f64) -> String {
    // A sum of nothing is no less than nothing.
    meshwright_base::units::seconds(time + 0.0)
}

/// The largest unit of which there is one; the smallest, if there is none.
fn fitting(largest: f64, units: [(&'static str, f64); 4]) -> Unit {
    let [.., last] = units;
    let (name, size) = units.into_iter().find(|(_, size)| largest >= 0.9995 * size).unwrap_or(last);
    Unit { name, size }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_number_decides() {
        assert_eq!(
            [2_000_000_000, 1_500_000, 2048, 12].map(bytes),
            ["2.00 GB", "1.50 MB", "2.05 kB", "12 bytes"]
        );
        assert_eq!([2.0, 0.0025, 4e-7].map(seconds), ["2.00 s", "2.50 ms", "400 ns"]);
        assert_eq!(Unit::of_seconds(0.002).text(0.000_001), "0.001");
        assert_eq!(Unit::of_seconds(0.0).name, "ns");
        assert_eq!(Unit::of_seconds(1.0).text(-0.0), "0.000");
    }
}
