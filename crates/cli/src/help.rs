//! The layout of `meshwright -h`: commands in groups, and the headings that options share.
//!
//! clap lists subcommands in one flat section. The template here lists them by [`GROUPS`] instead, with the `about`
//! line that each command already has. `tests/it/help.rs` checks that every command is in exactly one group.

use crate::args::{Args, Command};
use clap::builder::{StyledStr, Styles};
use clap::{CommandFactory, FromArgMatches, Subcommand};
use std::ffi::OsString;
use std::fmt::Write as _;

/// Headings of options, in the order in which most commands show them.
pub const INPUT: &str = "Input";
pub const OUTPUT: &str = "Output";
pub const QUESTIONS: &str = "Questions";
pub const PARTITIONING: &str = "Partitioning";
pub const TARGET: &str = "Target machine";
pub const SUBJECT: &str = "Presets and configurations";
pub const TRAINING: &str = "Training run";
pub const CHECKPOINTS: &str = "Checkpoints";
pub const STUDY: &str = "Study";
pub const MODEL: &str = "Model";
pub const DECODING: &str = "Decoding";
pub const MEASUREMENT: &str = "Measurement";
pub const EXECUTION: &str = "Execution";
pub const PLUGIN: &str = "PJRT plugin";
pub const PROCESSES: &str = "Processes";
pub const RESTARTS: &str = "Restarts";
pub const COMPARISON: &str = "Comparison";
pub const DEBUGGING: &str = "Debugging";
pub const GLOBAL: &str = "Global options";

/// A module as the argument of a command.
pub const MODULE: &str = "StableHLO or HLO module, `preset:NAME`, or `-` for stdin";

/// A target machine, for commands that partition or plan.
pub const TARGET_HELP: &str = "Select the target machine, for example tpu-v4:4x4x4 or h100:8x4";
pub const TARGET_LONG_HELP: &str = "\
Select the target machine, for example tpu-v4:4x4x4 or h100:8x4.

A TPU shape counts chips. A GPU shape counts GPUs per host, then hosts. `this` is the machine that `meshwright bench machine` \
measured, and a path names a file that it wrote. Without a shape, the target has as many devices as the mesh.";

/// The groups of commands, in the order of `meshwright -h`.
pub const GROUPS: &[(&str, &[&str])] = &[
    ("Inspect", &["check", "print", "explain", "draw", "presets", "doctor"]),
    ("Partition", &["complete", "partition", "verify"]),
    ("Plan", &["plan", "compile", "schedule"]),
    ("Run and train", &["run", "train", "eval", "generate", "translate", "score"]),
    ("Data and checkpoints", &["data", "export", "convert"]),
    ("Developer", &["bench", "campaign", "compare-xla", "passes", "reproduce"]),
];

/// Parses the arguments of this process, or ends it with a usage error or help.
pub fn parse_args() -> Args {
    let words: Vec<OsString> = std::env::args_os().collect();
    // The template describes every command once more, so only help pays for it.
    let asks_for_help =
        words.len() < 2 || words.iter().any(|word| word == "-h" || word == "--help" || word == "help");
    let mut parser = if asks_for_help { command() } else { Args::command() };
    let parsed = parser.try_get_matches_from_mut(words).and_then(|matches| Args::from_arg_matches(&matches));
    parsed.unwrap_or_else(|error| error.format(&mut parser).exit())
}

/// Returns the command line with the help of `meshwright` itself in groups.
pub fn command() -> clap::Command {
    Args::command().help_template(template())
}

fn template() -> StyledStr {
    let root = Command::augment_subcommands(clap::Command::new("meshwright"));
    let styles = Styles::styled();
    let (header, literal) = (styles.get_header(), styles.get_literal());
    let mut text = "{about-with-newline}\n{usage-heading} {usage}\n\n".to_string();
    for (title, names) in GROUPS {
        let _ = writeln!(text, "{header}{title}:{header:#}");
        for command in names.iter().filter_map(|name| root.find_subcommand(name)) {
            let about = command.get_about().map(ToString::to_string).unwrap_or_default();
            let _ = writeln!(text, "  {literal}{:<13}{literal:#}{about}", command.get_name());
        }
    }
    let _ = write!(text, "{header}{GLOBAL}:{header:#}\n{{options}}{{after-help}}");
    text.into()
}
