//! Lines of standard input as ids, by a tokenizer file: for holding ours beside others.
//!
//! ```text
//! cargo run -p meshwright-train --example tokenize -- some.model < lines.txt
//! ```

#![allow(clippy::print_stdout, reason = "an example prints")]

use meshwright_train::data::tokenizer::Tokenizer;
use std::io::BufRead;

fn main() -> Result<(), String> {
    let path = std::env::args().nth(1).ok_or("give a tokenizer file")?;
    let bytes = std::fs::read(&path).map_err(|error| error.to_string())?;
    let tokenizer = Tokenizer::read(&bytes).map_err(|found| found.to_string())?;
    for line in std::io::stdin().lock().lines() {
        let ids = tokenizer.encode(&line.map_err(|error| error.to_string())?);
        println!("{}", ids.iter().map(u32::to_string).collect::<Vec<_>>().join(" "));
    }
    Ok(())
}
