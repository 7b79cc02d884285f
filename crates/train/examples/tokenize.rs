//! Texts of standard input as ids, by a tokenizer file: for holding ours beside others. A line is a text as JSON writes
//! it.
//!
//! ```text
//! $ echo '"two words\n"' | cargo run -p meshwright-train --example tokenize -- some.model
//! 17 204 9
//! ```

#![allow(clippy::print_stdout, reason = "an example prints")]

use meshwright_train::data::tokenizer::Tokenizer;
use std::io::BufRead;

fn main() -> Result<(), String> {
    let path = std::env::args().nth(1).ok_or("give a tokenizer file")?;
    let bytes = std::fs::read(&path).map_err(|error| error.to_string())?;
    let tokenizer = Tokenizer::read(&bytes).map_err(|found| found.to_string())?;
    for line in std::io::stdin().lock().lines() {
        let line = line.map_err(|error| error.to_string())?;
        let text: String = serde_json::from_str(&line).map_err(|error| format!("`{line}`: {error}"))?;
        let ids = tokenizer.encode(&text);
        println!("{}", ids.iter().map(u32::to_string).collect::<Vec<_>>().join(" "));
    }
    Ok(())
}
