//! Configurations, stored programs, HTTP requests, images.

use crate::{bundle, formats, judge_reason, judge_refusals};
use meshwright_base::SourceText;
use meshwright_cli::serve::accepts;
use meshwright_cli::stored::PlannedAs;
use meshwright_pjrt::Stored;
use meshwright_train::Config;
use meshwright_train::data::fields::{Meaning, read_pixels};

/// A configuration that reads is written as one that reads as the same, and can be checked.
pub fn config(bytes: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(bytes) else { return false };
    let source = SourceText::new("fuzz.toml", text);
    let config = match Config::read(&source) {
        Ok(config) => config,
        Err(found) => return judge_refusals(&found, Some(&source)),
    };
    let written = config.write();
    let again = Config::read_whole(&SourceText::new("written", &*written));
    assert_eq!(again.map(|config| config.write()), Ok(written), "it does not read back");
    let found = config.check();
    found.is_empty() || !judge_refusals(&found, Some(&source))
}

/// A stored program that reads is written as the same bytes.
pub fn stored_program(bytes: &[u8]) -> bool {
    let assembled = bundle::split(bytes).map(|parts| formats::stored_program(&parts));
    let file = assembled.as_deref().unwrap_or(bytes);
    match Stored::read(file) {
        Ok(stored) => {
            assert_eq!(stored.to_bytes(), file);
            if let Some(planned) = PlannedAs::read(&stored.plan) {
                assert_eq!(PlannedAs::read(&planned.written()), Some(planned));
            }
            true
        }
        Err(misfit) => judge_reason(&misfit.to_string()),
    }
}

/// A request is answered only if its head names this machine as its one host.
pub fn http(bytes: &[u8]) -> bool {
    const PORT: u16 = 8080;
    if !accepts(bytes, PORT) {
        return false;
    }
    let end = bytes.windows(4).position(|end| end == b"\r\n\r\n").expect("a head that is answered ends");
    let head = std::str::from_utf8(&bytes[..end]).expect("a head that is answered is text");
    let hosts: Vec<String> = head
        .split("\r\n")
        .skip(1)
        .filter_map(|line| line.split_once(':'))
        .filter(|(name, _)| name.eq_ignore_ascii_case("host"))
        .map(|(_, value)| value.trim_matches([' ', '\t']).to_ascii_lowercase())
        .collect();
    assert!(
        matches!(&hosts[..], [host] if host == "127.0.0.1:8080" || host == "localhost:8080"),
        "{hosts:?}"
    );
    assert!(head.starts_with("GET /") || head.starts_with("HEAD /"), "{head}");
    assert!(!head.contains('\0'));
    true
}

/// An image has as many numbers as its size says, none beyond its white.
pub fn images(bytes: &[u8]) -> bool {
    let mut is_taken = false;
    let assembled = bundle::split(bytes).map(|parts| formats::png(&parts));
    for meaning in [Meaning::Brightness, Meaning::Classes] {
        match read_pixels(assembled.as_deref().unwrap_or(bytes), meaning) {
            Ok(image) => {
                assert_eq!(image.values.len(), image.height * image.width * image.channels);
                assert!(image.values.iter().all(|value| *value <= image.most), "beyond {}", image.most);
                is_taken = true;
            }
            Err(reason) => is_taken |= judge_reason(&reason),
        }
    }
    is_taken
}
