//! `explain`: what a partitioned program does and why, what another sharding would cost, and what changed between two.

use crate::args::ExplainArgs;
use crate::commands::complete::{options_for, options_on};
use crate::commands::{explain_html, explain_why};
use crate::failure::{Failure, Fault};
use crate::input;
use crate::load::{self, Loaded, load_located};
use crate::located::complete;
use crate::pointed::pointed;
use crate::preset;
use crate::report::{Report, diagnostic_json};
use crate::stages::Stages;
use meshwright_base::arrange::Arrange;
use meshwright_base::units::count;
use meshwright_base::{Ask, Code, Diagnostic, SourceText, render};
use meshwright_compile::Options;
use meshwright_cost::{Machine, Usefulness, traffic, usefulness};
use meshwright_explain::model::{Given, Site};
use meshwright_explain::{
    Explained, Wish, diff, model_explorer, names, overview, short_sharding, suggest, tiles, why_not,
    why_not_text,
};
use meshwright_ir::{Annotation, Module};
use meshwright_opt::passes::{BEFORE_PLAN, run_unseen};
use meshwright_spmd::plan::whole::WholeOperand;
use serde_json::{Value, json};
use std::fmt::Write;
use std::path::Path;

/// Annotations whose reach is told; programs get all.
const MOST_GIVEN: usize = 12;

/// What has all of a report.
const ALL: Ask<'_> = Ask::Either { line: "`--json`", python: "`data`" };

/// What has all notes.
const ALL_NOTES: Ask<'_> = Ask::Either { line: "`meshwright complete`", python: "`completed.notes`" };

/// Places where annotations disagree that are told.
const MOST_CONFLICTS: usize = 3;

/// Explains a module; `json` adds the whole explanation for programs.
pub fn explain(args: &ExplainArgs, json: bool) -> Result<Report, Failure> {
    if !args.why.is_empty() {
        return explain_why::why(args);
    }
    if let Some(before) = &args.diff {
        return compared(args, before);
    }
    if let Some(asked) = &args.tiles {
        return drawn(args, asked);
    }
    let Loaded { module, text } = load_located(&args.input.file)?;
    let options = options_on(&args.input, args.target.as_ref(), &module)?;
    let wish = match &args.why_not {
        Some(asked) => Some(Wish::read(&module, asked, args.instead).map_err(Failure::input)?),
        None => None,
    };
    let mut stages = Stages::new(&args.input.dump)?;
    let failed = |found: Vec<Diagnostic>| Failure::in_text(text.clone(), pointed(found, &text));
    let mut explained = meshwright_explain::explain(module, &options, &mut stages).map_err(failed)?;
    let dumped = stages.finish()?;
    if let Some(wish) = wish {
        let answer = why_not(&explained, &wish, &options).map_err(failed)?;
        let report = Report::new(why_not_text(&answer)).noted(dumped);
        return Ok(report.with("why_not", serde_json::to_value(&answer).unwrap_or_default()));
    }
    if let Some(path) = &args.model_explorer {
        let graph = model_explorer(&explained.explanation);
        input::write_file(path, format!("{graph:#}\n").as_bytes())?;
        let nodes = explained.explanation.graph.nodes.len();
        let report =
            Report::new(format!("{} in {1}: `model-explorer {1}`\n", count(nodes, "node"), path.display()));
        return Ok(report.noted(dumped).with("nodes", nodes));
    }
    advise(&mut explained, &options);
    if let Some(out) = &args.html {
        return Ok(explain_html::page(&explained.explanation, &text, out)?.noted(dumped));
    }
    let work = work_of(&args.input.file, &explained.completed)?;
    let mut report = told(&text, &explained, &work).noted(dumped);
    if json {
        report = report.with("explanation", explanation_json(&explained));
    }
    let out = report.text + &question(&explained, &text) + &put_together(&stages.whole, &text);
    Ok(Report { text: out, ..report })
}

/// An explanation of a module in memory, and what it is of.
pub struct Told {
    /// As text and as JSON.
    pub report: Report,
    explained: Explained,
    options: Options,
    text: SourceText,
}

impl Told {
    /// Partition a module and explain the program.
    pub fn of(loaded: Loaded, options: Options) -> Result<Told, Failure> {
        let Loaded { module, text } = loaded;
        let mut stages = Stages::default();
        let failed = |found: Vec<Diagnostic>| Failure::in_text(text.clone(), pointed(found, &text));
        let mut explained = meshwright_explain::explain(module, &options, &mut stages).map_err(failed)?;
        advise(&mut explained, &options);
        let report = told(&text, &explained, &work_in(explained.completed.clone()))
            .with("explanation", explanation_json(&explained));
        let out = report.text + &put_together(&stages.whole, &text);
        Ok(Told { report: Report { text: out, ..report }, explained, options, text })
    }

    /// All of it as a page for a browser.
    pub fn page(&self) -> String {
        explain_html::page_of(&self.explained.explanation, &self.text)
    }

    /// What another sharding would cost, and what stood against it.
    pub fn why_not(&self, asked: &str, instead: bool) -> Result<Report, Failure> {
        let wish = Wish::read(&self.explained.input.module, asked, instead).map_err(Failure::input)?;
        let failed = |found: Vec<Diagnostic>| Failure::in_text(self.text.clone(), pointed(found, &self.text));
        let answer = why_not(&self.explained, &wish, &self.options).map_err(failed)?;
        let report = Report::new(why_not_text(&answer));
        Ok(report.with("why_not", serde_json::to_value(&answer).unwrap_or_default()))
    }
}

/// Annotations that would save bytes, tried.
fn advise(explained: &mut Explained, options: &Options) {
    let advice = suggest(explained, options, &expression);
    (explained.explanation.suggestions, explained.explanation.tried) = (advice.suggestions, advice.tried);
}

fn put_together(whole: &[WholeOperand], text: &SourceText) -> String {
    largest(whole).map(|operand| render(&operand.note(), Some(text))).collect()
}

/// What to type to go on.
fn question(explained: &Explained, text: &SourceText) -> String {
    let Some(given) = explained.explanation.annotations.first() else { return String::new() };
    let name = if given.tensor.contains(' ') { &given.value } else { &given.tensor };
    let asked = format!("{name}.{}", given.dim);
    let quoted = if asked.contains('\'') { format!("\"{asked}\"") } else { format!("'{asked}'") };
    format!("\ntrace a sharding back to its annotation: meshwright explain {} --why {quoted}\n", text.name)
}

/// Operands that are put together because their op cannot work on pieces, the largest first.
fn largest(whole: &[WholeOperand]) -> impl Iterator<Item = &WholeOperand> {
    const MOST: usize = 3;
    let mut sorted: Vec<&WholeOperand> = whole.iter().collect();
    sorted.arrange_by_key(|operand| std::cmp::Reverse(operand.bytes));
    sorted.into_iter().take(MOST)
}

/// What stands between the columns of a line of the user's program, if it is here to be read.
fn expression(site: &Site) -> Option<String> {
    let text = explain_html::read(Path::new(&*site.file))?;
    let line = text.lines().nth(usize::try_from(site.line).ok()?.checked_sub(1)?)?;
    let (start, end) = (usize::try_from(site.column).ok()?, usize::try_from(site.end_column).ok()?);
    let found = line.get(start..end)?.trim();
    (!found.is_empty()).then(|| found.to_string())
}

/// The two programs have nothing in common.
const UNRELATED: Code = Code(627);

fn compared(args: &ExplainArgs, before: &Path) -> Result<Report, Failure> {
    let mut stages = Stages::new(&args.input.dump)?;
    let mut of = |path: &Path| {
        let Loaded { module, text } = load_located(path)?;
        let options = options_on(&args.input, args.target.as_ref(), &module)?;
        let failed = |found: Vec<Diagnostic>| Failure::in_text(text.clone(), pointed(found, &text));
        meshwright_explain::explain(module, &options, &mut stages).map_err(failed)
    };
    let (old, new) = (of(before)?, of(&args.input.file)?);
    let dumped = stages.finish()?;
    let options = options_on(&args.input, args.target.as_ref(), &new.input.module)?;
    let difference = diff(&old, &new, &options);
    if !difference.related {
        let (a, b) = (before.display(), args.input.file.display());
        let message = format!("`{a}` and `{b}` share no value name, so there is nothing to compare");
        let help = "pass two lowerings of one program: parameters match by name, ops by the framework's name";
        return Err(Failure::new(Fault::Usage, Diagnostic::error(UNRELATED, message).help(help)));
    }
    let growth = difference.growth();
    let is_over = growth > args.threshold;
    let mut text = difference.markdown();
    if is_over {
        let _ = writeln!(text, "\nlargest growth {growth:.1}%, over the threshold of {}%", args.threshold);
    }
    let json = serde_json::to_value(&difference).unwrap_or_default();
    let report = Report::new(text).noted(dumped).with("difference", json).with("growth_percent", growth);
    Ok(Report { exit: u8::from(is_over), ..report })
}

/// Of each value that is meant: how it is cut.
fn drawn(args: &ExplainArgs, asked: &str) -> Result<Report, Failure> {
    let text = load::text(&args.input.file)?;
    let mut stages = Stages::new(&args.input.dump)?;
    let completed = complete(&text, &options_for(&args.input, args.target.as_ref(), &text)?, &mut stages)?;
    let dumped = stages.finish()?;
    let module = completed.sharded.module();
    let mut out = String::new();
    for question in names::find(module, asked).map_err(Failure::input)? {
        let func = &module.funcs[question.func];
        let sharding = func.value(question.value).sharding.as_ref().and_then(Annotation::as_mesh);
        let Some(sharding) = sharding else { continue };
        let mesh = &module.meshes[sharding.mesh];
        let short = short_sharding(sharding, &module.meshes);
        let _ = writeln!(
            out,
            "{}: {} sharded {short}; devices of each tile",
            question.name,
            func.ty(question.value)
        );
        out += &tiles(func.dims(question.value), sharding, mesh);
    }
    Ok(Report::new(out).noted(dumped))
}

fn told(text: &SourceText, explained: &Explained, work: &Usefulness) -> Report {
    let (of, report) = (&explained.explanation, &explained.compiled.completion);
    let mut out = overview(of, &text.name, report);
    if of.annotations.is_empty() && of.program.devices > 1 {
        out += "\nno annotation shards a tensor, so every device computes the whole program; annotate an argument with `sdy.sharding` \
                (in JAX `jax.device_put(x, NamedSharding(mesh, P(\"data\")))` or `in_shardings`)\n";
    }
    reach(&mut out, &of.annotations);
    if !work.loops.is_empty() {
        let _ = write!(
            out,
            "\nflops of contractions, on all devices\n{}",
            crate::usefulness::text(work, crate::usefulness::Of::Whole)
        );
    }
    for conflict in report.conflicts.iter().take(MOST_CONFLICTS) {
        let _ = write!(out, "\n{}", render(conflict, Some(text)));
    }
    if report.conflicts.len() > MOST_CONFLICTS {
        let more = report.conflicts.len() - MOST_CONFLICTS;
        let _ = writeln!(out, "\nand {}: {ALL_NOTES} lists all", count(more, "more note"));
    }
    let conflicts: Vec<Value> =
        report.conflicts.iter().map(|conflict| diagnostic_json(conflict, Some(text))).collect();
    let reach: Vec<Value> = of
        .annotations
        .iter()
        .map(|given| {
            json!({ "value": given.value, "dim": given.dim, "axis": given.axis, "dims_reached": given.reached })
        })
        .collect();
    Report::new(out)
        .with("given", report.given)
        .with("inferred", report.inferred)
        .with("replicated", report.replicated)
        .with("reach", reach)
        .with("conflicts", conflicts)
        .with("work", crate::usefulness::to_json(work))
}

/// Thousands of members, so it is built only on request.
fn explanation_json(explained: &Explained) -> Value {
    serde_json::to_value(&explained.explanation).unwrap_or_default()
}

/// What was annotated and how far it got: parameters that differ by a number as one.
fn reach(out: &mut String, annotations: &[Given]) {
    let mut lines: Vec<(String, usize, usize)> = Vec::new();
    for given in annotations {
        let tensor = &given.tensor;
        let named = tensor.starts_with('%') || tensor.contains(' ');
        let value = if named { tensor.clone() } else { meshwright_explain::folded_name(tensor) };
        let on = if tensor.contains(' ') {
            format!("`{}` on dimension {} of {value}", given.axis, given.dim)
        } else {
            format!("`{}` on {value}.{}", given.axis, given.dim)
        };
        match lines.iter_mut().find(|(known, ..)| *known == on) {
            Some((_, count, reached)) => {
                *count += 1;
                *reached += given.reached;
            }
            None => lines.push((on, 1, given.reached)),
        }
    }
    if lines.is_empty() {
        return;
    }
    out.push_str("\nannotated axes, and the tensor dimensions that each one shards\n");
    for (on, number, reached) in lines.iter().take(MOST_GIVEN) {
        let times = if *number > 1 { format!(" x {number}") } else { String::new() };
        let _ = writeln!(out, "  {reached:6}  {on}{times}");
    }
    if lines.len() > MOST_GIVEN {
        let rest = || lines.iter().skip(MOST_GIVEN);
        let (number, reached): (usize, usize) =
            (rest().map(|(_, number, _)| number).sum(), rest().map(|(.., reached)| reached).sum());
        let _ = writeln!(out, "  {reached:6}  of {} ({ALL} lists all)", count(number, "more annotation"));
    }
}

/// What of a module's work is of use, with calls put where they are called. The text of a preset does not say what is
/// computed again; its module does.
fn work_of(file: &Path, module: &Module) -> Result<Usefulness, Failure> {
    Ok(work_in(match preset::name(file) {
        Some(name) => preset::step(name)?.0,
        None => module.clone(),
    }))
}

fn work_in(mut module: Module) -> Usefulness {
    run_unseen(BEFORE_PLAN, &mut module);
    let machine = Machine::default();
    usefulness(&module, &machine, &traffic(&module, &machine))
}
