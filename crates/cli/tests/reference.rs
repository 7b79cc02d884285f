//! Pages of `docs/reference` that are made of the program: what its commands, fields, passes and presets say of
//! themselves. `MESHWRIGHT_BLESS=1` writes them; a text that is not good enough is mended where it stands in the
//! source.

use clap::{Arg, Command, CommandFactory, Parser};
use meshwright_cli::args::Args;
use meshwright_cli::report::Report;
use serde_json::Value;
use std::fmt::Write as _;
use std::path::Path;

/// Compare with the page, or write it.
fn holds(name: &str, page: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference").join(name);
    if std::env::var_os("MESHWRIGHT_BLESS").is_some_and(|value| value != "0") {
        std::fs::write(&path, page).unwrap();
    }
    let found = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        found == page,
        "docs/reference/{name} is stale: MESHWRIGHT_BLESS=1 cargo test -p meshwright-cli --test reference"
    );
}

/// What a command finds, run within this process.
fn run(typed: &[&str]) -> Report {
    let args = Args::try_parse_from([&["meshwright"], typed].concat()).unwrap();
    meshwright_cli::commands::run(&args.command, false).unwrap()
}

fn rows(report: &Report, key: &str) -> Vec<Value> {
    report.json[key].as_array().unwrap().clone()
}

fn text(row: &Value, key: &str) -> String {
    cell(row[key].as_str().unwrap())
}

/// Text within a table.
fn cell(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    line.replace('|', "\\|").replace('<', "&lt;")
}

#[test]
fn passes() {
    let mut page = "# Stages and passes\n\nWhat a compilation does, in this order: `meshwright passes`. `--dump-dir DIR` of every command that \
                    compiles writes the module behind each, and `--dump-after NAME` behind one.\n\n| name | what it does |\n|---|---|\n"
        .to_string();
    for row in rows(&run(&["passes"]), "passes") {
        let _ = writeln!(page, "| `{}` | {} |", text(&row, "name"), text(&row, "does"));
    }
    page += "\nPasses over the CPU engine's steps are in [Add a pass over the engine's steps](../howto/add-an-engine-pass.md).\n";
    holds("passes.md", &page);
}

#[test]
fn presets() {
    let mut page = "# Presets\n\nModels that come with the program: `meshwright presets`. Those that train here are configurations of \
                    `meshwright train`, at a size for one machine. The others are at a paper's size: `preset:NAME` stands for a module in \
                    `check`, `complete`, `explain`, `partition` and `plan`.\n"
        .to_string();
    let all = rows(&run(&["presets"]), "presets");
    for (title, trains) in [("That train here", true), ("At the papers' sizes", false)] {
        let _ =
            write!(page, "\n## {title}\n\n| name | parameters | devices | what it is |\n|---|---|---|---|\n");
        for row in all.iter().filter(|row| row["trains_here"].as_bool() == Some(trains)) {
            let (parameters, devices) = (&row["parameters"], &row["devices"]);
            let _ = writeln!(
                page,
                "| `{}` | {parameters} | {devices} | {} |",
                text(row, "name"),
                text(row, "about")
            );
        }
    }
    holds("presets.md", &page);
}

/// Every field with its default, from what `--print-config` writes of an empty configuration.
#[test]
fn configuration() {
    let empty = Path::new(env!("CARGO_TARGET_TMPDIR")).join("empty.toml");
    std::fs::write(&empty, "").unwrap();
    let printed = run(&["train", empty.to_str().unwrap(), "--print-config"]).text;
    let mut page = "# Configuration of training\n\nEvery field of a configuration that `meshwright train FILE.toml` reads, with its default. What a \
                    file leaves out has the default; `--set SECTION.FIELD=VALUE` sets one from the command line; `meshwright train NAME \
                    --print-config` writes a preset or a file whole. [Training](../guide/06-training.md) tells how they go together.\n"
        .to_string();
    let mut about = String::new();
    let mut fields = 0;
    for line in printed.lines() {
        if let Some(section) = line.strip_prefix('[') {
            let _ = write!(page, "\n## `[{section}`\n\n| field | default | meaning |\n|---|---|---|\n");
        } else if let Some(comment) = line.strip_prefix("# ") {
            about += &format!("{comment} ");
        } else if let Some((field, default)) = line.split_once(" = ") {
            assert!(!about.is_empty(), "`{field}` has no meaning: it is said in the doc comment of its type");
            let _ =
                writeln!(page, "| `{field}` | `{}` | {} |", cell(default), cell(&std::mem::take(&mut about)));
            fields += 1;
        }
    }
    assert!(fields > 50, "{printed}");
    holds("configuration.md", &page);
}

#[test]
fn command_line() {
    let mut root = Args::command();
    root.build();
    let mut page = "# The command line\n\nWhat `--help` says, of all commands. Every command also takes the options of the first table.\n".to_string();
    let _ = write!(page, "\n{}", options(root.get_arguments().filter(|arg| arg.is_global_set())));
    page += &after(&root);
    for command in root.get_subcommands().filter(|command| command.get_name() != "help") {
        section(&mut page, "meshwright", command);
    }
    holds("cli.md", &page);
}

fn section(page: &mut String, before: &str, command: &Command) {
    let name = format!("{before} {}", command.get_name());
    let about = command.get_about().map(ToString::to_string).unwrap_or_default();
    assert!(!about.is_empty(), "`{name}` does not say what it does");
    let _ = write!(page, "\n## {name}\n\n{about}.\n");
    let below: Vec<&Command> = command.get_subcommands().filter(|inner| inner.get_name() != "help").collect();
    if below.is_empty() {
        let usage = command.clone().render_usage().to_string();
        let usage = usage.trim_start_matches("Usage: ").trim_start_matches("meshwright ");
        let usage = format!("meshwright {}", usage.split_whitespace().collect::<Vec<_>>().join(" "));
        let _ = write!(page, "\n```text\n{usage}\n```\n");
        let own: Vec<&Arg> =
            command.get_arguments().filter(|arg| !arg.is_global_set() && !arg.is_hide_set()).collect();
        let own: Vec<&Arg> = own.into_iter().filter(|arg| arg.get_id() != "help").collect();
        if !own.is_empty() {
            let _ = write!(page, "\n{}", options(own.into_iter()));
        }
        page.push_str(&after(command));
    }
    below.into_iter().for_each(|inner| section(page, &name, inner));
}

fn options<'a>(arguments: impl Iterator<Item = &'a Arg>) -> String {
    let mut table = "| argument | meaning |\n|---|---|\n".to_string();
    for arg in arguments {
        let value = arg
            .get_value_names()
            .into_iter()
            .flatten()
            .map(|name| name.to_string())
            .collect::<Vec<_>>()
            .join(" ");
        let takes = arg.get_action().takes_values();
        let name = match (arg.get_short(), arg.get_long()) {
            (Some(short), Some(long)) if takes => format!("-{short}, --{long} {value}"),
            (Some(short), Some(long)) => format!("-{short}, --{long}"),
            (None, Some(long)) if takes => format!("--{long} {value}"),
            (None, Some(long)) => format!("--{long}"),
            _ => value,
        };
        let help = arg.get_long_help().or(arg.get_help()).map(ToString::to_string).unwrap_or_default();
        assert!(!help.is_empty(), "`{name}` has no help");
        let possible = arg.get_possible_values();
        let possible: Vec<&str> = possible.iter().map(|value| value.get_name()).collect();
        let possible = if possible.is_empty() || !takes || arg.is_hide_possible_values_set() {
            String::new()
        } else {
            format!(" One of `{}`.", possible.join("`, `"))
        };
        let default: Vec<String> =
            arg.get_default_values().iter().map(|value| value.to_string_lossy().into_owned()).collect();
        let default = if default.is_empty() || !takes {
            String::new()
        } else {
            format!(" [default: {}]", default.join(" "))
        };
        let _ = writeln!(
            table,
            "| `{}` | {} |",
            cell(&name).replace("&lt;", "<"),
            cell(&format!("{help}{possible}{default}"))
        );
    }
    table
}

/// Examples, and what else stands behind the options: paragraphs with lines that are indented are shown as they stand.
fn after(command: &Command) -> String {
    let text = command.get_after_help().map(ToString::to_string).unwrap_or_default();
    let paragraphs = text.split("\n\n").map(str::trim_end).filter(|paragraph| !paragraph.is_empty());
    let shown = paragraphs.map(|paragraph| {
        if paragraph.lines().any(|line| line.starts_with(' ')) {
            format!("\n```text\n{paragraph}\n```\n")
        } else {
            format!("\n{}\n", paragraph.replace('<', "&lt;"))
        }
    });
    shown.collect()
}
