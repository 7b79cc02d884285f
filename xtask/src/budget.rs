//! The build budget: how much code each crate generates, and how much there is to link and to fetch.
//!
//! Build time depends on the machine; these numbers do not. `xtask/build-budget.txt` holds them, and
//! `cargo xtask build-budget` fails when one exceeds its line by more than 5 %. To accept a growth, run it with
//! `--write` and commit the file: the growth is then visible in review.
//!
//! ```text
//! code meshwright-ir 1234567      bytes of the allocated sections of its object files, development profile
//! binaries tests 61               executables that `cargo test --workspace` links
//! packages locked 205             packages of Cargo.lock that come from a registry
//! ```

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

const FILE: &str = "xtask/build-budget.txt";
/// Growth that passes, in percent: compilers and dependencies move code by a few percent.
const TOLERANCE: u64 = 5;

/// What a number counts, and of which crate: `code meshwright-ir`.
type Budget = BTreeMap<String, u64>;

pub fn build_budget(root: &Path, args: &[String]) -> bool {
    let (write, features): (Vec<&String>, Vec<&String>) = args.iter().partition(|arg| *arg == "--write");
    let Some(measured) = measure(root, &features) else { return false };
    let path = root.join(FILE);
    if !write.is_empty() {
        let text: String = measured.iter().map(|(name, size)| format!("{name} {size}\n")).collect();
        return match fs::write(&path, text) {
            Ok(()) => true,
            Err(error) => {
                eprintln!("# cannot write {FILE}: {error}");
                false
            }
        };
    }
    let budget = parse(&fs::read_to_string(&path).unwrap_or_default());
    let complaints = compare(&budget, &measured);
    for complaint in &complaints {
        eprintln!("# {FILE}: {complaint}");
    }
    if complaints.is_empty() {
        let total: u64 = measured.iter().filter(|(name, _)| name.starts_with("code ")).map(|(_, n)| n).sum();
        eprintln!(
            "# build budget: {} crates, {total} bytes of code, within {TOLERANCE} %",
            measured.len() - 2
        );
    } else {
        eprintln!("# help: shrink the code, or accept the growth: cargo xtask build-budget --write");
    }
    complaints.is_empty()
}

/// Lines that are over the budget, or missing on either side.
fn compare(budget: &Budget, measured: &Budget) -> Vec<String> {
    let mut complaints = Vec::new();
    for (name, &size) in measured {
        match budget.get(name) {
            None => complaints.push(format!("`{name}` has no line; it measures {size}")),
            Some(&limit) if size * 100 > limit * (100 + TOLERANCE) => {
                let percent = (size * 1000 / limit.max(1)) as f64 / 10.0 - 100.0;
                complaints.push(format!("`{name}` grew from {limit} to {size} (+{percent:.1} %)"));
            }
            Some(_) => {}
        }
    }
    let stale = budget.keys().filter(|name| !measured.contains_key(*name));
    complaints.extend(stale.map(|name| format!("`{name}` has a line, but nothing was measured for it")));
    complaints
}

fn parse(text: &str) -> Budget {
    let line = |line: &str| {
        let (name, size) = line.rsplit_once(' ')?;
        Some((name.to_string(), size.parse().ok()?))
    };
    text.lines().filter_map(line).collect()
}

/// Builds all tests, without incremental compilation and debug information, and measures the artifacts.
fn measure(root: &Path, features: &[&String]) -> Option<Budget> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo)
        .args(["test", "--workspace", "--no-run", "--quiet", "--message-format=json"])
        .args(features)
        .env("CARGO_INCREMENTAL", "0")
        .env("CARGO_PROFILE_DEV_DEBUG", "none")
        .current_dir(root)
        .stderr(Stdio::inherit())
        .output()
        .ok()?;
    if !output.status.success() {
        eprintln!("# cargo test --workspace --no-run failed");
        return None;
    }
    let mut budget = Budget::new();
    let mut binaries = 0;
    for message in String::from_utf8_lossy(&output.stdout).lines() {
        if !message.contains(r#""reason":"compiler-artifact""#) {
            continue;
        }
        if is_test(message) {
            binaries += u64::from(!message.contains(r#""executable":null"#));
        } else if let (Some(name), Some(path)) = (crate_name(message), rlib(message)) {
            budget.insert(format!("code {name}"), code_size(&fs::read(path).ok()?));
        }
    }
    budget.insert("binaries tests".to_string(), binaries);
    let lock = fs::read_to_string(root.join("Cargo.lock")).ok()?;
    let packages = lock.lines().filter(|line| line.starts_with("source = ")).count();
    budget.insert("packages locked".to_string(), packages as u64);
    Some(budget)
}

/// Whether an artifact was compiled as a test.
fn is_test(message: &str) -> bool {
    let Some((_, profile)) = message.split_once(r#""profile":{"#) else { return false };
    profile.split_once('}').is_some_and(|(profile, _)| profile.contains(r#""test":true"#))
}

/// The name of a workspace crate from its package id, `path+file:///../crates/ir#meshwright-ir@0.1.0`.
fn crate_name(message: &str) -> Option<&str> {
    let (_, id) = message.split_once(r#""package_id":"path+file://"#)?;
    let (id, _) = id.split_once('"')?;
    let (_, name) = id.rsplit_once('#')?;
    name.split_once('@').map(|(name, _)| name).filter(|name| name.starts_with("meshwright"))
}

/// The path of the static library among an artifact's files.
fn rlib(message: &str) -> Option<&str> {
    let (_, files) = message.split_once(r#""filenames":["#)?;
    let (files, _) = files.split_once(']')?;
    files.split(',').map(|file| file.trim_matches('"')).find(|file| file.ends_with(".rlib"))
}

/// Bytes of allocated sections in the 64-bit little-endian ELF objects of an `ar` archive; for objects of another
/// format, their whole length.
fn code_size(archive: &[u8]) -> u64 {
    const HEADER: usize = 60;
    let (mut at, mut total) = (8, 0);
    while let Some(header) = archive.get(at..at + HEADER) {
        let text =
            |range: std::ops::Range<usize>| std::str::from_utf8(&header[range]).unwrap_or_default().trim();
        let Ok(length) = text(48..58).parse::<usize>() else { break };
        let Some(member) = archive.get(at + HEADER..at + HEADER + length) else { break };
        // The metadata is an object too, without allocated sections.
        total += allocated(member).unwrap_or(0);
        at += HEADER + length + length % 2;
    }
    total
}

/// Bytes of the allocated sections of an ELF object.
fn allocated(object: &[u8]) -> Option<u64> {
    const ALLOCATED: u64 = 2;
    let number = |at: usize, bytes: usize| {
        let slice = object.get(at..at + bytes)?;
        Some(slice.iter().rev().fold(0u64, |all, byte| all << 8 | u64::from(*byte)))
    };
    object.starts_with(b"\x7fELF\x02\x01").then_some(())?;
    let (table, size, mut count) = (number(0x28, 8)? as usize, number(0x3a, 2)? as usize, number(0x3c, 2)?);
    if count == 0 {
        // Objects with many sections keep their count in the first one.
        count = number(table + 0x20, 8)?;
    }
    let mut total = 0;
    for section in 0..count as usize {
        let at = table + section * size;
        if number(at + 8, 8)? & ALLOCATED != 0 {
            total += number(at + 0x20, 8)?;
        }
    }
    Some(total)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn budget(rows: &[(&str, u64)]) -> Budget {
        rows.iter().map(|(name, size)| ((*name).to_string(), *size)).collect()
    }

    #[test]
    fn planted_growth_of_ten_percent_fails() {
        let kept = budget(&[("code meshwright-ir", 1000), ("binaries tests", 61)]);
        let grown = budget(&[("code meshwright-ir", 1100), ("binaries tests", 61)]);
        assert_eq!(compare(&kept, &kept), [""; 0]);
        assert_eq!(compare(&kept, &grown), ["`code meshwright-ir` grew from 1000 to 1100 (+10.0 %)"]);
        assert_eq!(compare(&grown, &kept), [""; 0]);
        assert_eq!(compare(&kept, &budget(&[("code meshwright-ir", 1050), ("binaries tests", 61)])), [""; 0]);
    }

    #[test]
    fn crates_without_a_line_and_lines_without_a_crate_fail() {
        let complaints = compare(&budget(&[("code a", 1)]), &budget(&[("code b", 2)]));
        assert_eq!(complaints.len(), 2, "{complaints:?}");
    }

    #[test]
    fn budgets_are_read_as_they_are_written() {
        let kept = budget(&[("code meshwright-ir", 1000), ("packages locked", 205)]);
        let text: String = kept.iter().map(|(name, size)| format!("{name} {size}\n")).collect();
        assert_eq!(parse(&text), kept);
    }

    #[test]
    fn artifacts_are_recognized() {
        let library = r#"{"reason":"compiler-artifact","package_id":"path+file:///w/crates/ir#meshwright-ir@0.1.0","profile":{"opt_level":"1","test":false},"filenames":["/t/libmeshwright_ir-1.rlib","/t/libmeshwright_ir-1.rmeta"],"executable":null}"#;
        assert_eq!(crate_name(library), Some("meshwright-ir"));
        assert_eq!(rlib(library), Some("/t/libmeshwright_ir-1.rlib"));
        assert!(!is_test(library) && is_test(&library.replace(r#""test":false"#, r#""test":true"#)));
    }

    #[test]
    fn only_allocated_sections_of_objects_count() {
        let mut object = vec![0u8; 0x40 + 2 * 0x40];
        object[..6].copy_from_slice(b"\x7fELF\x02\x01");
        object[0x28] = 0x40;
        object[0x3a] = 0x40;
        object[0x3c] = 2;
        for (section, flags, size) in [(0, 2, 7), (1, 0, 100)] {
            let at = 0x40 + section * 0x40;
            object[at + 8] = flags;
            object[at + 0x20] = size;
        }
        let mut archive = b"!<arch>\n".to_vec();
        archive.extend(format!("{:<48}{:<10}`\n", "a.o/", object.len()).bytes());
        archive.extend(&object);
        assert_eq!(code_size(&archive), 7);
    }
}
