//! The lines in which two texts differ.

use std::fmt::Write;

/// Lines of `expected` with `-`, of `actual` with `+`; a few equal lines around them, the rest left out.
pub fn diff(expected: &str, actual: &str) -> String {
    const AROUND: usize = 3;
    let (old, new): (Vec<&str>, Vec<&str>) = (expected.lines().collect(), actual.lines().collect());
    let equal = |pairs: &mut dyn Iterator<Item = (&&str, &&str)>| pairs.take_while(|(a, b)| a == b).count();
    let before = equal(&mut old.iter().zip(&new));
    let rest = old.len().min(new.len()) - before;
    let after = equal(&mut old.iter().rev().zip(new.iter().rev()).take(rest));
    let mut out = String::new();
    let mut write = |sign: char, lines: &[&str]| {
        for line in lines {
            let _ = writeln!(out, "{sign} {line}");
        }
    };
    write(' ', &old[before.saturating_sub(AROUND)..before]);
    write('-', &old[before..old.len() - after]);
    write('+', &new[before..new.len() - after]);
    write(' ', &old[old.len() - after..][..after.min(AROUND)]);
    out
}
