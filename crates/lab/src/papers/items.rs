//! Every item of the documents by row: tables, figures and algorithms, the rows of tables, the printed counts, and the
//! claims, each with its file, state and number. The page of headline results is made of the same numbers.

use super::catalogue::{self, Evidence};
use crate::studies::{Outcome, Verdict};
use meshwright_cli::grid::{Cell, Grid};
use meshwright_nn::models::presets;
use serde_json::{Value, json};

/// One item.
#[derive(Clone, PartialEq, Debug)]
pub struct Item {
    pub item: String,
    pub evidence: Evidence,
    /// Where it is made.
    pub file: String,
    pub state: String,
    /// Ours beside the paper's.
    pub number: String,
}

const ROWS: &str = "crates/lab/src/papers/rows.rs";
const COUNTS: &str = "crates/nn/src/models/presets.rs";
const CLAIMS: &str = "crates/lab/src/studies/switch.rs";
const LIST: &str = "crates/lab/src/papers/catalogue.rs";
const PEERS: &str = "peers/tpu_plan.py";

/// A number of a computed table beside the document's. A report has them as `items`, which this page lists too.
pub struct Beside {
    pub item: String,
    pub evidence: Evidence,
    pub state: String,
    pub number: String,
}

impl Beside {
    pub fn new(
        item: impl Into<String>,
        evidence: Evidence,
        state: &str,
        number: impl Into<String>,
    ) -> Beside {
        Beside { item: item.into(), evidence, state: state.into(), number: number.into() }
    }
}

/// The `items` of the report that a file makes.
pub fn beside(file: &str, rows: Vec<Beside>) -> Value {
    let one = |row: Beside| {
        json!({
            "item": row.item,
            "evidence": row.evidence.name(),
            "file": file,
            "state": row.state,
            "number": row.number,
        })
    };
    rows.into_iter().map(one).collect()
}

fn read_beside(row: &Value) -> Option<Item> {
    let text = |name: &str| row[name].as_str().map(str::to_string);
    let evidence = Evidence::of_name(row["evidence"].as_str()?)?;
    Some(Item {
        item: text("item")?,
        evidence,
        file: text("file")?,
        state: text("state")?,
        number: text("number")?,
    })
}

/// All items. `steps` are the rows of `reproduce step-times`, `tables` the `items` of other reports, `claims` the
/// outcomes of studies.
pub fn items(steps: &Value, tables: &[Value], claims: &[(&'static str, Outcome)]) -> Vec<Item> {
    let listed = catalogue::entries().map(|entry| Item {
        item: format!("{} {} {}: {}", entry.document, entry.kind.name(), entry.number, entry.about),
        evidence: entry.evidence,
        file: LIST.into(),
        state: if matches!(entry.evidence, Evidence::Missing(_)) { "missing" } else { "has a command" }
            .into(),
        number: "-".into(),
    });
    let rows = steps.as_array().map_or(&[][..], Vec::as_slice).iter().map(row);
    let counts = presets::all().into_iter().filter_map(|preset| {
        let printed = preset.printed?;
        let ours = preset.model().elements();
        let state =
            if printed.is_met_by(ours) { "rounds to the printed digits" } else { "differs, with a reason" };
        Some(Item {
            item: format!("{}: parameters of {}", printed.place, preset.name),
            evidence: Evidence::Counted,
            file: COUNTS.into(),
            state: state.into(),
            number: format!("{ours} for {}", printed.digits),
        })
    });
    let claims = claims.iter().map(|(study, outcome)| Item {
        item: format!("{study}: {}", outcome.claim),
        evidence: Evidence::Toy,
        file: CLAIMS.into(),
        state: outcome.verdict.word().into(),
        number: format!("{} for {}", outcome.here, outcome.paper),
    });
    let beside = [
        Item {
            item: "steps of programs on this machine, predicted and run (`reproduce in-process`)".into(),
            evidence: Evidence::MeasuredHere,
            file: "crates/lab/src/papers/in_process.rs".into(),
            state: "shown".into(),
            number: "median errors of 6.3 to 14.1 % (plan-accuracy.md)".into(),
        },
        Item {
            item: "peaks of eight partitioned programs".into(),
            evidence: Evidence::CompiledByTpu,
            file: PEERS.into(),
            state: "shown".into(),
            number: "ours -5.1 to +8.0 % off the compiler's (plan-accuracy.md)".into(),
        },
    ];
    let tables = tables.iter().flat_map(|rows| rows.as_array().map_or(&[][..], Vec::as_slice));
    let tables = tables.filter_map(read_beside);
    listed.chain(rows).chain(tables).chain(counts).chain(claims).chain(beside).collect()
}

fn row(row: &Value) -> Item {
    let text = |name: &str| row[name].as_str().unwrap_or("").to_string();
    let number = |name: &str| row[name].as_f64();
    let (ours, paper) = (number("ours s").unwrap_or(f64::NAN), number("paper s").unwrap_or(f64::NAN));
    let interval = text("interval");
    let bounds = interval.split_once(" to ");
    let bounds = bounds.and_then(|(low, high)| Some((low.parse().ok()?, high.parse().ok()?)));
    let is_inside = bounds.is_some_and(|(low, high): (f64, f64)| (low..=high).contains(&paper));
    let peak = match (number("ours GB"), number("paper GB")) {
        (Some(ours), Some(paper)) => format!(", {ours:.1} GB for {paper:.1}"),
        _ => String::new(),
    };
    Item {
        item: format!("{}: {}", text("table"), text("row")),
        evidence: Evidence::Simulated,
        file: ROWS.into(),
        state: format!("{}, {} its interval", text("for"), if is_inside { "within" } else { "outside" }),
        number: format!("{ours:.2} s for {paper:.2}{peak}"),
    }
}

/// The page of all items.
pub fn page(items: &[Item]) -> String {
    let mut grid = Grid::new(["item", "number is", "file", "state", "ours, and the paper's"]);
    for one in items {
        grid.row([
            Cell::text(one.item.clone()),
            Cell::text(one.evidence.name()),
            Cell::text(format!("`{}`", one.file)),
            Cell::text(one.state.clone()),
            Cell::text(one.number.clone()),
        ]);
    }
    let count = |name: &str| items.iter().filter(|one| one.evidence.name() == name).count();
    let counts = Evidence::NAMES.map(|name| format!("{} {name}", count(name)));
    format!(
        "# All items by row\n\n\
         Find any table, figure, row, count or claim of the four documents here, with the number it has in this repository. \
         `cargo test -p meshwright-lab --test it papers::` compares this page with the programs.\n\n\
         {} items: {}.\n\n{}",
        items.len(),
        counts.join(", "),
        grid.to_text()
    )
}

/// Whether a headline result is shown.
enum Standing {
    Shown,
    Simulated,
    Not,
}

impl Standing {
    fn word(&self) -> &'static str {
        match self {
            Standing::Shown => "shown",
            Standing::Simulated => "simulated",
            Standing::Not => "not shown",
        }
    }
}

/// Headline results that claims of studies decide: shown if all of them are held.
const TRAINED: [(&str, &[&str]); 9] = [
    (
        "Switch: experts at equal flops are better, the more the better",
        &["switch-figure-12", "switch-figure-1"],
    ),
    ("Switch: 7 times as fast as T5-Base, 2.5 times as T5-Large", &["switch-figure-5", "switch-figure-6"]),
    ("Switch: one expert per token beats two", &["switch-table-1"]),
    ("Switch: bf16 with a router in f32 is stable and fast", &["switch-table-2"]),
    ("Switch: smaller first weights are better and steadier", &["switch-table-3"]),
    ("Switch: sparse models are better after fine-tuning", &["switch-table-4", "switch-table-5"]),
    ("Switch: a dense student keeps 30 % of its teacher's gain", &["switch-table-6", "switch-table-7"]),
    ("Switch: better in all of 101 languages", &["switch-figure-7", "switch-figure-8"]),
    ("GShard: more experts translate 100 languages better", &["gshard-m4"]),
];

/// One screen: the headline results of the papers, and which of them are shown.
pub fn headline(items: &[Item], claims: &[(&'static str, Outcome)]) -> String {
    let mut grid = Grid::new(["result", "here", "by"]);
    let mut push = |result: &str, standing: &Standing, by: String| {
        grid.row([Cell::text(result), Cell::text(standing.word()), Cell::text(by)]);
    };
    push(
        "GSPMD: annotations of a few tensors partition the whole program, one program for all devices",
        &Standing::Shown,
        "programs of the figures, rewritten and run on every device by the interpreter".into(),
    );
    push(
        "GShard: Algorithms 1 and 2, constant compute per device at any number of them",
        &Standing::Shown,
        "routing compared line by line; operators counted on 4 to 256 devices".into(),
    );
    let rounded = items.iter().filter(|one| one.file == COUNTS).count();
    let met = items.iter().filter(|one| one.state.starts_with("rounds")).count();
    push(
        "all: models of 0.2B to 1.6T parameters",
        &Standing::Shown,
        format!("{met} of {rounded} printed counts are met to their last digit; none is trained at its size"),
    );
    for (result, prefixes) in [
        (
            "GSPMD: 50 to 62 % of peak on up to 2,048 cores, dense and sparse",
            &["gspmd-table-2", "gspmd-table-3", "gspmd-table-6", "gspmd-table-7"][..],
        ),
        ("GSPMD: pipelines beside shardings of two dims", &["gspmd-table-4", "gspmd-table-5"]),
        ("GSPMD: images split in space scale 15.7 times on 16", &["gspmd-table-8"]),
        ("GShard: 600B trains in 4 days on 2,048 cores", &["gshard-table-3"]),
    ] {
        let own = |one: &&Item| prefixes.iter().any(|prefix| one.item.starts_with(&format!("{prefix}: ")));
        let all: Vec<&Item> = items.iter().filter(own).collect();
        let inside = all.iter().filter(|one| one.state.contains("within")).count();
        let fitted = all.iter().filter(|one| one.state.starts_with("fitted")).count();
        let note =
            if fitted > 0 { format!("; constants were fitted to {fitted} of them") } else { String::new() };
        let by = format!("{inside} of {} rows within intervals of a factor of about two{note}", all.len());
        push(result, &Standing::Simulated, by);
    }
    for (result, studies) in TRAINED {
        let own: Vec<&Outcome> =
            claims.iter().filter(|(study, _)| studies.contains(study)).map(|(_, one)| one).collect();
        let counts =
            Verdict::ALL.map(|verdict| (verdict, own.iter().filter(|one| one.verdict == verdict).count()));
        let is_held = !own.is_empty() && own.iter().all(|one| one.verdict == Verdict::Held);
        let words = counts.iter().filter(|(_, count)| *count > 0);
        let words: Vec<String> =
            words.map(|(verdict, count)| format!("{count} {}", verdict.word())).collect();
        let by = if words.is_empty() {
            "a toy with no kept data: pictures only".to_string()
        } else {
            format!("a toy: {}", words.join(", "))
        };
        push(result, if is_held { &Standing::Shown } else { &Standing::Not }, by);
    }
    format!(
        "# Headline results\n\n\
         See in one screen which results of the papers this repository shows, simulates, or does not show. A test makes the \
         page from [all items](items.md) and [the claims](switch.md).\n\n{}",
        grid.to_text()
    )
}
