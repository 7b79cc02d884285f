//! `campaign`: random programs, partitioned and run beside the original; and deliberate faults, to see them found.

use meshwright_base::{Code, Diagnostic};
use meshwright_campaign::family::{self, Family};
use meshwright_campaign::{Hunt, Summary, case_of, faults, filetest, hunt, run_of, shrink};
use meshwright_cli::args::CampaignArgs;
use meshwright_cli::failure::Failure;
use meshwright_cli::report::Report;
use serde_json::{Value, json};
use std::fmt::Write;
use std::sync::atomic::{AtomicU64, Ordering};

/// Cases failed.
const FAILED: Code = Code(643);
/// Faults that were put in on purpose were not seen.
const UNNOTICED: Code = Code(644);

/// Failing cases that are shrunk and shown.
const SHOWN: usize = 3;

/// Failing cases that are named, each in one line.
const NAMED: usize = 100;

/// Attempts to make a failing case smaller.
const MOST_CHECKS: usize = 2000;

pub fn campaign(args: &CampaignArgs) -> Result<Report, Failure> {
    if args.faults { hunts(args) } else { cases(args) }
}

fn cases(args: &CampaignArgs) -> Result<Report, Failure> {
    let families = families(args)?;
    let summary = in_parallel(args, &families);
    let exceeded = if args.families.is_empty() { summary.table.exceeded() } else { Vec::new() };
    let mut text = summary.table.to_text();
    let _ = writeln!(
        text,
        "{} cases, seed {}: {} mismatches, {} panics, {} complaints",
        summary.cases, args.seed, summary.mismatches, summary.panics, summary.complaints
    );
    for (op, share, budget) in &exceeded {
        let _ = writeln!(
            text,
            "{op} fell back to a whole operand in {share:.1}% of its cases, above its {budget}%"
        );
    }
    if summary.failures() > 0 || !exceeded.is_empty() {
        return Err(failed(args, &families, &summary, text));
    }
    let table: Value = serde_json::from_str(&summary.table.to_json()).unwrap_or_default();
    Ok(Report::new(text).with("cases", summary.cases).with("failures", 0).with("table", table))
}

fn families(args: &CampaignArgs) -> Result<Vec<Family>, Failure> {
    if args.families.is_empty() {
        return Ok(family::all());
    }
    let names: Vec<&str> = args.families.iter().map(String::as_str).collect();
    family::named(&names).ok_or_else(|| {
        let known: Vec<&str> = family::all().iter().map(|(name, _)| *name).collect();
        let message = format!("not all of `{}` are families of ops", names.join(","));
        Failure::input(Diagnostic::error(Code(622), message).help(format!("there are {}", known.join(", "))))
    })
}

/// Cases are independent: each thread takes a range, and the order of joining does not matter.
fn in_parallel(args: &CampaignArgs, families: &[Family]) -> Summary {
    let threads =
        std::thread::available_parallelism().map_or(1, |count| count.get() as u64).min(args.cases.max(1));
    let done = AtomicU64::new(0);
    let progress = |_| {
        let done = done.fetch_add(1, Ordering::Relaxed) + 1;
        if done.is_multiple_of(1000) {
            let _ = std::io::Write::write_all(
                &mut std::io::stderr(),
                format!("{done} of {}\n", args.cases).as_bytes(),
            );
        }
    };
    let end = |thread: u64| args.first + args.cases * thread / threads;
    let range = |thread: u64| end(thread)..end(thread + 1);
    let progress = &progress;
    std::thread::scope(|scope| {
        let start = |thread: u64| {
            let range = range(thread);
            scope.spawn(move || run_of(args.seed, range, families, &mut |number| progress(number)))
        };
        let work: Vec<_> = (0..threads).map(start).collect();
        work.into_iter().filter_map(|work| work.join().ok()).fold(Summary::default(), Summary::merge)
    })
}

fn failed(args: &CampaignArgs, families: &[Family], summary: &Summary, text: String) -> Failure {
    let message = format!("{} of {} cases failed", summary.failures(), summary.cases);
    let mut diagnostic = Diagnostic::error(FAILED, message).note(text.trim_end());
    for failed in summary.failed.iter().take(NAMED) {
        let first = failed
            .failure
            .message
            .lines()
            .filter(|line| line.contains("error") && !line.contains("E0590"))
            .chain(failed.failure.message.lines())
            .next()
            .unwrap_or_default();
        diagnostic = diagnostic.note(format!("case {}: {}: {first}", failed.number, failed.failure.stage));
    }
    for failed in summary.failed.iter().take(SHOWN) {
        let (small, failure) =
            shrink(&case_of(args.seed, failed.number, families), &failed.failure, MOST_CHECKS);
        let test = filetest(&small, &failure);
        diagnostic = diagnostic.note(format!(
            "case {}, made smaller: {}: {}\n{test}",
            failed.number, failure.stage, failure.message
        ));
    }
    Failure::input(diagnostic)
}

fn hunts(args: &CampaignArgs) -> Result<Report, Failure> {
    let found: Vec<(&str, Hunt)> =
        faults().iter().map(|fault| (fault.name, hunt(fault, args.cases as usize, args.seed))).collect();
    let mut text = String::new();
    for (name, hunt) in &found {
        let _ = match hunt.found_after {
            Some(cases) => writeln!(text, "  {name:36} found after {cases} cases"),
            None => writeln!(text, "  {name:36} not found in {} cases ({} places)", args.cases, hunt.places),
        };
    }
    let missed = found.iter().filter(|(_, hunt)| hunt.found_after.is_none()).count();
    let _ = writeln!(text, "{} of {} faults found", found.len() - missed, found.len());
    if missed > 0 {
        let diagnostic = Diagnostic::error(UNNOTICED, format!("{missed} deliberate faults went unnoticed"));
        return Err(Failure::input(diagnostic.note(text.trim_end())));
    }
    let rows: Vec<Value> =
        found.iter().map(|(name, hunt)| json!({ "fault": name, "found_after": hunt.found_after })).collect();
    Ok(Report::new(text).with("faults", rows))
}
