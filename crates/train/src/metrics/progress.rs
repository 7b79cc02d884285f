//! Text for a terminal: a bar, a sparkline, how long it will take. Pure: width and times are given.

const BARS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// The values as columns between their least and greatest, the last `width` after averaging neighbours if there are
/// more. Values that are not finite are gaps.
pub fn sparkline(values: &[f64], width: usize) -> String {
    let each = values.len().div_ceil(width.max(1)).max(1);
    let mean = |group: &[f64]| group.iter().sum::<f64>() / group.len() as f64;
    let means: Vec<f64> = values.chunks(each).map(mean).collect();
    let finite = || means.iter().copied().filter(|value| value.is_finite());
    let (low, high) = (finite().fold(f64::MAX, f64::min), finite().fold(f64::MIN, f64::max));
    let column = |value: &f64| match value.is_finite() {
        false => ' ',
        true if high <= low => BARS[0],
        true => BARS[(((value - low) / (high - low) * 7.0).round() as usize).min(7)],
    };
    means.iter().map(column).collect()
}

/// `120/1000 [████░░░░] 12%, 3m 20s left`, with what else is to be said after it. No time is told before the first
/// step.
pub fn progress(step: u64, steps: u64, seconds: f64, width: usize, rest: &str) -> String {
    let done = if steps == 0 { 1.0 } else { (step as f64 / steps as f64).min(1.0) };
    let full = (done * width as f64) as usize;
    let bar: String = (0..width).map(|at| if at < full { '█' } else { '░' }).collect();
    let left = match step {
        0 => String::new(),
        _ => format!(", {} left", duration(seconds * steps.saturating_sub(step) as f64 / step as f64)),
    };
    let space = if rest.is_empty() { "" } else { "  " };
    format!("{step}/{steps} [{bar}] {:.0}%{left}{space}{rest}", done * 100.0)
}

/// `2h 5m`, `3m 20s`, `12s`, `0.8s`.
pub fn duration(seconds: f64) -> String {
    if !seconds.is_finite() || seconds < 0.0 {
        return "?".into();
    }
    let whole = seconds.round() as u64;
    match whole {
        0..10 => format!("{seconds:.1}s"),
        10..60 => format!("{whole}s"),
        60..3600 => format!("{}m {}s", whole / 60, whole % 60),
        _ => format!("{}h {}m", whole / 3600, whole / 60 % 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sparklines_scale_average_and_leave_gaps() {
        assert_eq!(sparkline(&[0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0], 8), "▁▂▃▄▅▆▇█");
        assert_eq!(sparkline(&[1.0, 1.0, 3.0, 3.0], 2), "▁█");
        assert_eq!(sparkline(&[1.0, f64::NAN, 1.0], 9), "▁ ▁");
        assert_eq!(sparkline(&[], 9), "");
        assert_eq!(sparkline(&[1.0, 2.0], 0).chars().count(), 1);
    }

    #[test]
    fn progress_tells_share_and_time_left() {
        assert_eq!(
            progress(250, 1000, 50.0, 8, "loss 2.1"),
            "250/1000 [██░░░░░░] 25%, 2m 30s left  loss 2.1"
        );
        assert_eq!(progress(0, 10, 0.0, 4, ""), "0/10 [░░░░] 0%");
        assert_eq!(progress(0, 0, 0.0, 2, ""), "0/0 [██] 100%");
        assert_eq!(["0.8s", "12s", "2h 5m", "?"], [0.8, 12.0, 7500.0, f64::NAN].map(duration)[..]);
    }
}
