//! `compare-xla`: our completion and partitions beside XLA's, on the texts XLA dumps.
//!
//! Each folder holds one program as XLA had it before propagation, after it, and after partitioning. Completion is held
//! beside XLA's by priorities alone, and by cost where that is another one. Tables of traffic: (a) XLA's completed
//! shardings given to our partitioner, (b) ours from the annotations alone, (c) the same by priorities alone. Both
//! sides are sent through the same cleanup and counted by the same code.

use crate::args::CompareXlaArgs;
use crate::commands::partition::by_kind;
use crate::failure::Failure;
use crate::input;
use crate::load::{Loaded, load};
use crate::report::Report;
use meshwright_base::arrange::Arrange;
use meshwright_compile::{Options, Unobserved};
use meshwright_complete::{Agreement, Decision, Difference};
use meshwright_cost::{Machine, program_peak, traffic};
use meshwright_ir::{Module, ShardedModule};
use serde_json::{Map, Value, json};
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// What is counted of one program.
struct Counted {
    bytes: f64,
    collectives: f64,
    by_kind: Map<String, Value>,
    flops: f64,
    peak: f64,
}

/// One row: a program, both sides.
struct Compared {
    name: String,
    /// By priorities alone.
    agreement: Agreement,
    by_cost: Option<ByCost>,
    xla: Counted,
    given: Counted,
    end_to_end: Counted,
    by_priorities: Counted,
}

/// A completion that cost decided.
struct ByCost {
    decisions: Vec<String>,
    agreement: Agreement,
    /// What is split otherwise than by priorities alone, which stand in the place of XLA's.
    changed: Vec<Difference>,
}

pub fn compare_xla(args: &CompareXlaArgs) -> Result<Report, Failure> {
    let mut rows = Vec::new();
    for folder in folders(&args.folders)? {
        rows.push(row(&folder)?);
    }
    let mut text = String::from(
        "completion by priorities alone: non-scalar values that XLA or we shard, equal by device-to-slice map, by value and by \
         bytes\n",
    );
    agreements(&mut text, &rows, |row| &row.agreement);
    list_differences(&mut text, &rows);
    if rows.iter().any(|row| row.by_cost.is_some()) {
        text.push_str("\ncompletion by cost, where it is another one\n");
        agreements(&mut text, &rows, |row| {
            row.by_cost.as_ref().map_or(&row.agreement, |found| &found.agreement)
        });
        list_decisions(&mut text, &rows);
    }
    table(&mut text, "(a) XLA's completed shardings, our partitioner", &rows, |row| &row.given);
    table(&mut text, "(b) end to end", &rows, |row| &row.end_to_end);
    table(&mut text, "(c) end to end, by priorities alone", &rows, |row| &row.by_priorities);
    let json: Vec<Value> = rows.iter().map(row_json).collect();
    Ok(Report::new(text).with("rows", json))
}

/// The folders themselves, or those inside a folder of folders, sorted.
fn folders(paths: &[PathBuf]) -> Result<Vec<PathBuf>, Failure> {
    let mut found = Vec::new();
    for path in paths {
        if path.join("before_propagation.hlo").exists() {
            found.push(path.clone());
            continue;
        }
        let name = path.display().to_string();
        let entries = std::fs::read_dir(path).map_err(|error| input::unreadable(&name, &error))?;
        let inner = entries.filter_map(|entry| entry.ok().map(|entry| entry.path()));
        found.extend(inner.filter(|path| path.join("before_propagation.hlo").exists()));
    }
    found.arrange();
    Ok(found)
}

fn row(folder: &Path) -> Result<Compared, Failure> {
    let read = |name: &str| load(&folder.join(name));
    let options = Options::default();
    let Loaded { module: before, text } = read("before_propagation.hlo")?;
    let Loaded { module: after, text: after_text } = read("after_propagation.hlo")?;
    let Loaded { module: mut theirs, .. } = read("after_partitioning.hlo")?;
    let failed = |text: &meshwright_base::SourceText| {
        let text = text.clone();
        move |found| Failure::in_text(text.clone(), found)
    };
    let alone = Options { priorities_alone: true, ..Options::default() };
    let complete = |options: &Options| {
        meshwright_compile::complete(before.clone(), options, &mut Unobserved).map_err(failed(&text))
    };
    let (ours, _) = complete(&alone)?;
    let by_cost = complete(&options).map(|(found, report)| by_cost(&ours, found, &report, &after))?;
    let agreement = meshwright_complete::agreement(&ours, after.clone());
    let partition = |module: Module, text, options: &Options| {
        meshwright_compile::partition(module, options, &mut Unobserved)
            .map(|compiled| compiled.program.into_module())
            .map_err(failed(text))
    };
    meshwright_opt::cleanup(&mut theirs);
    let name = folder.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    Ok(Compared {
        name,
        agreement,
        by_cost,
        xla: count(&theirs),
        given: count(&partition(after, &after_text, &alone)?),
        end_to_end: count(&partition(before.clone(), &text, &options)?),
        by_priorities: count(&partition(before, &text, &alone)?),
    })
}

fn by_cost(
    alone: &ShardedModule,
    found: ShardedModule,
    report: &meshwright_complete::Report,
    xla: &Module,
) -> Option<ByCost> {
    let decisions: Vec<String> = report.decisions.iter().map(Decision::to_string).collect();
    let agreement = (!decisions.is_empty()).then(|| meshwright_complete::agreement(&found, xla.clone()))?;
    let changed = meshwright_complete::agreement(&found, alone.module().clone()).differences;
    Some(ByCost { decisions, agreement, changed })
}

fn count(module: &Module) -> Counted {
    let traffic = traffic(module, &Machine::default());
    Counted {
        bytes: traffic.sent,
        collectives: traffic.collectives,
        by_kind: by_kind(&traffic),
        flops: traffic.contraction_flops,
        peak: program_peak(module) as f64,
    }
}

fn agreements(text: &mut String, rows: &[Compared], of: fn(&Compared) -> &Agreement) {
    for row in rows {
        agreement_line(text, &row.name, of(row));
    }
    let all = rows.iter().fold(Agreement::default(), |sum, row| add(sum, of(row)));
    agreement_line(text, "all", &all);
}

fn agreement_line(text: &mut String, name: &str, found: &Agreement) {
    let (equal, total) = (found.equal, found.total);
    let bytes = match found.total_bytes {
        0 => 100.0,
        total => 100.0 * found.equal_bytes as f64 / total as f64,
    };
    let _ = writeln!(
        text,
        "  {name:28} {equal:5} of {total:5}  {:6.2}%  {bytes:6.2}% of bytes",
        share(equal, total)
    );
}

fn add(sum: Agreement, more: &Agreement) -> Agreement {
    Agreement {
        equal: sum.equal + more.equal,
        total: sum.total + more.total,
        equal_bytes: sum.equal_bytes.saturating_add(more.equal_bytes),
        total_bytes: sum.total_bytes.saturating_add(more.total_bytes),
        differences: Vec::new(),
    }
}

/// Every value the two sides split differently.
fn list_differences(text: &mut String, rows: &[Compared]) {
    for row in rows.iter().filter(|row| !row.agreement.differences.is_empty()) {
        let _ = writeln!(text, "\n{}: split differently, axes per dim", row.name);
        for Difference { name, shape, ours, theirs } in &row.agreement.differences {
            let _ = writeln!(text, "  %{name} {shape:?}: ours {ours}, XLA {theirs}");
        }
    }
}

/// What cost decided, and every value that is split otherwise for it.
fn list_decisions(text: &mut String, rows: &[Compared]) {
    for (row, found) in rows.iter().filter_map(|row| Some((row, row.by_cost.as_ref()?))) {
        let _ = writeln!(text, "\n{}: decided by cost", row.name);
        for decision in &found.decisions {
            let _ = writeln!(text, "  {decision}");
        }
        for Difference { name, shape, ours, theirs } in &found.changed {
            let _ = writeln!(text, "  %{name} {shape:?}: by cost {ours}, by priorities {theirs}");
        }
    }
}

fn share(part: usize, whole: usize) -> f64 {
    if whole == 0 { 100.0 } else { 100.0 * part as f64 / whole as f64 }
}

fn table(text: &mut String, title: &str, rows: &[Compared], ours: fn(&Compared) -> &Counted) {
    let _ = writeln!(text, "\n{title}: ours / XLA's, per device");
    let _ = writeln!(
        text,
        "  {:28} {:>27} {:>15} {:>17} {:>13}",
        "", "bytes sent", "collectives", "flops", "peak"
    );
    for row in rows {
        let (ours, xla) = (ours(row), &row.xla);
        let _ = writeln!(
            text,
            "  {:28} {:>11.0} {:>9.0} {:5.3} {:>4} {:>4} {:5.3} {:>10.3e} {:6.4} {:>13.3}",
            row.name,
            ours.bytes,
            xla.bytes,
            ratio(ours.bytes, xla.bytes),
            ours.collectives,
            xla.collectives,
            ratio(ours.collectives, xla.collectives),
            ours.flops,
            ratio(ours.flops, xla.flops),
            ratio(ours.peak, xla.peak),
        );
    }
}

fn ratio(ours: f64, theirs: f64) -> f64 {
    if ours == theirs { 1.0 } else { ours / theirs }
}

fn row_json(row: &Compared) -> Value {
    let counted = |counted: &Counted| {
        json!({
            "bytes": counted.bytes, "collectives": counted.collectives, "by_kind": counted.by_kind,
            "flops": counted.flops, "peak": counted.peak,
        })
    };
    let agreement = &row.agreement;
    let differences: Vec<Value> = agreement
        .differences
        .iter()
        .map(|one| json!({ "value": one.name, "shape": one.shape, "ours": one.ours, "xla": one.theirs }))
        .collect();
    json!({
        "name": row.name,
        "completion": {
            "equal": agreement.equal, "total": agreement.total,
            "equal_bytes": agreement.equal_bytes, "total_bytes": agreement.total_bytes, "differences": differences,
        },
        "by_cost": row.by_cost.as_ref().map(|found| &found.decisions),
        "xla": counted(&row.xla),
        "given": counted(&row.given),
        "end_to_end": counted(&row.end_to_end),
        "by_priorities": counted(&row.by_priorities),
    })
}
