//! The help of every command: grouped, short enough for one screen, and consistent between commands.

use clap::{Arg, Command};
use meshwright_cli::args::Args;
use meshwright_cli::help::GROUPS;
use std::collections::BTreeMap;

/// The screen that `-h` must fit.
const COLUMNS: usize = 80;
const ROWS: usize = 40;

/// Options with a different meaning in some commands, and the reason.
const EXCEPTIONS: &[(&str, &str)] = &[
    ("from", "a language for models, a directory of sources for `data`"),
    ("megabytes", "a limit of collected text, or the array size of a benchmark"),
    ("top", "the slowest ops of a measurement, or the largest live values of a plan"),
];

fn root() -> Command {
    let mut root = meshwright_cli::help::command();
    root.build();
    root
}

/// Calls `visit` with the path of each command and the command, except the built-in `help`.
fn for_each_command(path: &str, command: &Command, visit: &mut impl FnMut(&str, &Command)) {
    visit(path, command);
    for inner in command.get_subcommands().filter(|inner| inner.get_name() != "help") {
        for_each_command(&format!("{path} {}", inner.get_name()), inner, visit);
    }
}

/// Returns an option's name, or a positional's value name.
fn name(arg: &Arg) -> String {
    let value = || arg.get_value_names().into_iter().flatten().map(ToString::to_string).collect::<Vec<_>>();
    arg.get_long().map_or_else(|| value().join(" "), str::to_string)
}

/// Returns the help without the default, which may differ between commands.
fn without_default(text: String) -> String {
    let Some((before, rest)) = text.split_once(" [default: ") else { return text };
    let after = rest.split_once(']').map_or("", |(_, after)| after);
    format!("{before}{after}")
}

#[test]
fn every_command_is_in_exactly_one_group() {
    let root = root();
    let visible = root.get_subcommands().filter(|command| !command.is_hide_set());
    let mut commands: Vec<&str> = visible.map(Command::get_name).filter(|name| *name != "help").collect();
    let mut grouped: Vec<&str> = GROUPS.iter().flat_map(|(_, names)| names.iter().copied()).collect();
    commands.sort_unstable();
    grouped.sort_unstable();
    assert_eq!(commands, grouped, "each command belongs in one row of `help::GROUPS`");
}

#[test]
fn short_help_lists_every_group_and_command() {
    let text = root().render_help().to_string();
    for (title, names) in GROUPS {
        assert!(text.contains(&format!("\n{title}:\n")), "{title}: {text}");
        for name in *names {
            assert!(text.contains(&format!("\n  {name} ")), "{name}: {text}");
        }
    }
}

#[test]
fn short_help_fits_one_screen() {
    let mut too_large = Vec::new();
    for_each_command("meshwright", &root(), &mut |path, command| {
        let text = command.clone().term_width(COLUMNS).render_help().to_string();
        let rows = text.trim_end().lines().count();
        let columns = text.lines().map(|line| line.chars().count()).max().unwrap_or_default();
        if rows > ROWS || columns > COLUMNS {
            too_large.push(format!("{path}: {columns} x {rows}\n{text}"));
        }
    });
    assert!(too_large.is_empty(), "over {COLUMNS} x {ROWS}:\n{}", too_large.join("\n"));
}

#[test]
fn an_option_has_one_text_and_one_value_name_in_every_command() {
    let mut first: BTreeMap<String, (String, [String; 3])> = BTreeMap::new();
    let mut differences = Vec::new();
    for_each_command("meshwright", &root(), &mut |path, command| {
        for arg in command.get_arguments().filter(|arg| !arg.is_hide_set()) {
            let name = name(arg);
            if EXCEPTIONS.iter().any(|(known, _)| *known == name) {
                continue;
            }
            let help = arg.get_help().map(ToString::to_string).unwrap_or_default();
            let long = arg.get_long_help().map(ToString::to_string).unwrap_or_default();
            let values: Vec<&str> =
                arg.get_value_names().unwrap_or_default().iter().map(|name| &**name).collect();
            let texts = [without_default(help), without_default(long), values.join(" ")];
            let (other, known) =
                first.entry(name.clone()).or_insert_with(|| (path.to_string(), texts.clone()));
            if *known != texts {
                differences.push(format!("--{name}\n  {path}: {texts:?}\n  {other}: {known:?}"));
            }
        }
    });
    assert!(differences.is_empty(), "{}", differences.join("\n"));
}

#[test]
fn exceptions_are_needed() {
    for (name, reason) in EXCEPTIONS {
        let mut texts = Vec::new();
        for_each_command("meshwright", &root(), &mut |_, command| {
            let found = command.get_arguments().find(|arg| arg.get_long() == Some(name));
            texts.extend(found.and_then(Arg::get_help).map(ToString::to_string));
        });
        texts.dedup();
        assert!(texts.len() > 1, "--{name} ({reason}) has one text: remove the exception");
    }
}

#[test]
fn options_have_a_heading_and_a_capital_and_no_full_stop() {
    for_each_command("meshwright", &root(), &mut |path, command| {
        for arg in command.get_arguments().filter(|arg| !arg.is_hide_set()) {
            let (name, help) = (name(arg), arg.get_help().map(ToString::to_string).unwrap_or_default());
            assert!(
                arg.is_positional() || arg.get_help_heading().is_some(),
                "{path} --{name} has no heading"
            );
            let is_capital = help.starts_with(|first: char| !first.is_lowercase());
            assert!(arg.is_positional() || is_capital, "{path} --{name}: {help}");
            assert!(!help.is_empty() && !help.ends_with('.'), "{path} --{name}: {help}");
        }
    });
}

#[test]
fn every_command_with_arguments_has_examples() {
    for_each_command("meshwright", &root(), &mut |path, command| {
        let is_leaf = command.get_subcommands().next().is_none();
        if is_leaf && command.get_arguments().any(|arg| !arg.is_global_set()) {
            let after = command.get_after_long_help().map(ToString::to_string).unwrap_or_default();
            assert!(after.starts_with("Examples:\n  meshwright"), "{path}: {after}");
        }
    });
}

/// Options keep the names that scripts use.
#[test]
fn old_names_of_options_still_parse() {
    use clap::Parser;
    for words in [
        "complete a.mlir --stats",
        "verify a.mlir --engine cpu",
        "generate run --prompt a --tokens 2",
        "translate run a.txt --max-length 8",
        "reproduce gshard-m4 --again --lines 500",
        "plan a.mlir --target tpu-v4 --sweep --batches 8,16",
    ] {
        let words = ["meshwright"].into_iter().chain(words.split(' '));
        assert!(Args::try_parse_from(words.clone()).is_ok(), "{words:?}");
    }
}
