//! Pages of `docs/reference` that are made of the program: what its commands, fields, passes, presets and forms of
//! annotations say of themselves. `MESHWRIGHT_BLESS=1` writes them; a text that is not good enough is mended where it
//! stands in the source.

use clap::{Arg, Command, Parser};
use meshwright_base::SourceText;
use meshwright_cli::args::Args;
use meshwright_cli::report::Report;
use meshwright_ir::Annotation;
use meshwright_text::annotations::{ANNOTATIONS, AnnotationForm};
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
        "docs/reference/{name} is stale: MESHWRIGHT_BLESS=1 cargo test -p meshwright-cli --test it reference::"
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
                    `check`, `compile`, `complete`, `explain`, `partition` and `plan`.\n"
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

/// Forms of texts, each with what a device holds of its value, found by completing its module; and the front end's
/// methods, with their documentation's examples, which doc tests run.
#[test]
fn annotations() {
    let mut page = "# Annotations\n\nWhat is read as an annotation, and what it says. All forms become one: a list of mesh axes for each dim, open or closed, with a \
                    priority. In the tables the annotated value is `f32[8,16]`, on 8 devices; the last column is what one device holds of it \
                    behind completion. Every row's module is completed by a test.\n"
        .to_string();
    for forms in ANNOTATIONS {
        let _ = write!(
            page,
            "\n## {}\n\n{}\n\n| written | says | a device holds |\n|---|---|---|\n",
            forms.title, forms.about
        );
        for form in forms.forms {
            let _ = writeln!(
                page,
                "| `{}` | {} | `{}` |",
                cell(form.written).replace("&lt;", "<"),
                cell(form.says),
                held(form)
            );
        }
        let example = forms.forms.first().unwrap();
        let kind = if forms.title == "HLO" { "text" } else { "mlir" };
        let _ = write!(page, "\nThe module of the first row:\n\n```{kind}\n{}```\n", example.module());
    }
    page += "\n## Rust\n\nMethods of the front end's tensors, and what traces with annotations by name. [The guide](../guide/02-annotations.md) tells when to use which.\n";
    for (file, name) in METHODS {
        let (says, example) = documented(file, name);
        let _ = write!(page, "\n**`{name}`**: {says}\n\n```rust\n{example}```\n");
    }
    page += "\n## What is not annotated\n\nParameters and results without one may be split by completion as the module says, or as `--propagate-to-parameters` and \
             `--propagate-to-outputs` do. [Completion](../completion.md) tells how annotations spread, and which goes first.\n";
    holds("annotations.md", &page);
}

/// What annotates in Rust, with the file where it is documented.
const METHODS: [(&str, &str); 9] = [
    ("annotate.rs", "mesh_split"),
    ("annotate.rs", "replicate"),
    ("annotate.rs", "split"),
    ("annotate.rs", "shard"),
    ("annotate.rs", "logical"),
    ("trace.rs", "trace_with"),
    ("boundary.rs", "auto_to_manual"),
    ("boundary.rs", "manual_to_auto"),
    ("manual.rs", "manual"),
];

/// `f32[2,16]`.
fn held(form: &AnnotationForm) -> String {
    let text = SourceText::new(form.written, form.module());
    let module = meshwright_text::parse(&text).unwrap_or_else(|found| panic!("{}: {found:?}", form.written));
    let options = meshwright_compile::Options::default();
    let completed = meshwright_compile::complete(module, &options, &mut meshwright_compile::Unobserved);
    let (completed, _) = completed.unwrap_or_else(|found| panic!("{}: {found:?}", form.written));
    let module = completed.module();
    let found = meshwright_explain::names::find(module, form.value()).unwrap();
    let func = &module.funcs[found[0].func];
    let sharding = func.value(found[0].value).sharding.as_ref().and_then(Annotation::as_mesh).unwrap();
    let tensor = func.ty(found[0].value).as_tensor().unwrap();
    let partial = if sharding.partial.is_empty() { "" } else { ", a part of the sum" };
    format!("{}{partial}", tensor.with_dims(sharding.shard_shape(&tensor.dims)))
}

/// The first paragraph of a function's documentation, and its example as a reader sees it.
fn documented(file: &str, name: &str) -> (String, String) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tensor/src").join(file);
    let source = std::fs::read_to_string(&path).unwrap();
    let lines: Vec<&str> = source.lines().map(str::trim).collect();
    let is_here =
        |line: &&str| ["(", "<"].iter().any(|behind| line.starts_with(&format!("pub fn {name}{behind}")));
    let at = lines.iter().position(is_here).unwrap_or_else(|| panic!("{file} has no `{name}`"));
    let above = lines[..at].iter().rev().take_while(|line| line.starts_with("///") || line.starts_with("#["));
    let mut doc: Vec<&str> = above.filter_map(|line| line.strip_prefix("///")).collect();
    doc.reverse();
    let text = doc.iter().map(|line| line.strip_prefix(' ').unwrap_or(line)).collect::<Vec<_>>().join("\n");
    let says = text.split("\n\n").next().unwrap().replace('\n', " ");
    let says = without_links(&says);
    let block = text.split("```").nth(1).unwrap_or_else(|| panic!("`{name}` has no example"));
    let block = block.replace("meshwright_tensor::", "meshwright::");
    let shown = block.lines().skip(1).filter(|line| *line != "#" && !line.starts_with("# "));
    (says, shown.fold(String::new(), |all, line| all + line + "\n"))
}

/// Links to items lead nowhere on a page: what they say stays.
fn without_links(text: &str) -> String {
    let mut pieces = text.split("[`");
    let mut out = pieces.next().unwrap_or_default().to_string();
    for piece in pieces {
        let (name, behind) = piece.split_once("`]").unwrap();
        let target = behind.strip_prefix('(').and_then(|target| target.split_once(')'));
        let _ = write!(out, "`{name}`{}", target.map_or(behind, |(_, behind)| behind));
    }
    out
}

#[test]
fn command_line() {
    let mut root = meshwright_cli::help::command();
    root.build();
    let mut page = "# The command line\n\nEvery command with its options, as `--help` prints them. Every command also accepts the global options in the \
                    first table.\n".to_string();
    let _ = write!(
        page,
        "\n{}",
        options(root.get_arguments().filter(|arg| arg.is_global_set() && arg.get_id() != "help"))
    );
    page += &after(&root);
    for command in root.get_subcommands().filter(|command| command.get_name() != "help") {
        section(&mut page, "meshwright", command);
    }
    holds("cli.md", &page);
}

fn section(page: &mut String, before: &str, command: &Command) {
    let name = format!("{before} {}", command.get_name());
    let about = command.get_about().map(ToString::to_string).unwrap_or_default();
    assert!(!about.is_empty(), "`{name}` has no description");
    let _ = write!(page, "\n## {name}\n\n{about}.\n");
    let below: Vec<&Command> = command.get_subcommands().filter(|inner| inner.get_name() != "help").collect();
    if below.is_empty() {
        let usage = command.clone().render_usage().to_string();
        let usage = usage.trim_start_matches("Usage: ").trim_start_matches("meshwright ");
        let usage = format!("meshwright {}", usage.split_whitespace().collect::<Vec<_>>().join(" "));
        let _ = write!(page, "\n```text\n{usage}\n```\n");
        let own: Vec<&Arg> =
            command.get_arguments().filter(|arg| !arg.is_global_set() && !arg.is_hide_set()).collect();
        let own = by_heading(own.into_iter().filter(|arg| arg.get_id() != "help").collect());
        if !own.is_empty() {
            let _ = write!(page, "\n{}", options(own.into_iter()));
        }
        page.push_str(&after(command));
    }
    below.into_iter().for_each(|inner| section(page, &name, inner));
}

/// Returns arguments in the order of `--help`: positionals, then options by heading.
fn by_heading(arguments: Vec<&Arg>) -> Vec<&Arg> {
    let headings: Vec<Option<&str>> = arguments.iter().map(|arg| arg.get_help_heading()).collect();
    let mut sorted = arguments;
    let place = |arg: &&Arg| headings.iter().position(|heading| *heading == arg.get_help_heading());
    sorted.sort_by_key(|arg| (!arg.is_positional(), place(arg)));
    sorted
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
            format!("; one of `{}`", possible.join("`, `"))
        };
        let default: Vec<String> =
            arg.get_default_values().iter().map(|value| value.to_string_lossy().into_owned()).collect();
        let default = if default.is_empty() || !takes {
            String::new()
        } else {
            format!(" [default: {}]", default.join(" "))
        };
        let alias = arg.get_visible_aliases().into_iter().flatten();
        let alias: String = alias.map(|alias| format!(" Alias: `--{alias}`.")).collect();
        let _ = writeln!(
            table,
            "| `{}` | {} |",
            cell(&name).replace("&lt;", "<"),
            cell(&format!("{help}{possible}{default}{alias}"))
        );
    }
    table
}

/// Returns the examples and notes after the options. Paragraphs with indented lines become code blocks.
fn after(command: &Command) -> String {
    let text = command.get_after_long_help().map(ToString::to_string).unwrap_or_default();
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
