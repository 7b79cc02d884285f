//! `explain`: why values are sharded as they are.
//!
//! Without a question: what was annotated and how far each annotation reached. With `--why`: for each dim of a value
//! the way every axis took, from the value back to the annotation, with the lines of the text; and for dims that are
//! not split, what their neighbours have and why it did not pass.

use crate::args::ExplainArgs;
use crate::commands::complete::options;
use crate::commands::explain_names::{Question, find};
use crate::failure::Failure;
use crate::load;
use crate::located::{Completed, Lines, complete};
use crate::preset;
use crate::report::{Report, diagnostic_json};
use crate::stages::Stages;
use meshwright_base::diagnostic::Place;
use meshwright_base::{SourceText, render};
use meshwright_complete::{Blocked, Decision, OriginStep};
use meshwright_cost::{Machine, Usefulness, traffic, usefulness};
use meshwright_ir::{Annotation, Dim, FuncId, InstId, Module, ValueId};
use meshwright_opt::passes::{BEFORE_PLAN, run_unseen};
use meshwright_shard::Sharding;
use meshwright_shard::sdy_text::{print_axes, print_sharding};
use serde_json::{Value, json};
use std::fmt::Write;
use std::path::Path;

pub fn explain(args: &ExplainArgs) -> Result<Report, Failure> {
    let text = load::text(&args.input.file)?;
    let mut stages = Stages::new(&args.input.dump)?;
    let completed = complete(&text, &options(&args.input), &mut stages)?;
    let dumped = stages.finish()?;
    let cx = Cx { lines: Lines::of(&text), text: &text, completed: &completed };
    if args.why.is_empty() {
        let work = work_of(&args.input.file, cx.module())?;
        return Ok(cx.overview(&work).noted(dumped));
    }
    let mut report = Report { notes: dumped, ..Report::default() };
    let mut answers = Vec::new();
    for asked in &args.why {
        let question = find(cx.module(), asked).map_err(Failure::input)?;
        for (at, dim) in cx.dims(&question).into_iter().enumerate() {
            let answer = cx.answer(&question, dim);
            if at == 0 {
                let gap = if report.text.is_empty() { "" } else { "\n" };
                let _ = writeln!(report.text, "{gap}{}", cx.headline(&question));
            }
            cx.tell(&mut report.text, &answer);
            answers.push(cx.answer_json(&question, &answer));
        }
        if cx.dims(&question).is_empty() {
            let _ = writeln!(report.text, "{}\n\na scalar has no dim to split", cx.headline(&question));
        }
    }
    Ok(report.with("answers", answers))
}

struct Cx<'a> {
    text: &'a SourceText,
    lines: Lines,
    completed: &'a Completed,
}

/// What is known of one dim.
struct Answer {
    dim: usize,
    size: i64,
    axes: String,
    /// One way per axis, from the dim back to its annotation.
    ways: Vec<Vec<OriginStep>>,
    blocked: Vec<Blocked>,
    /// What was decided by cost, if that is why.
    by_cost: Option<String>,
}

impl Cx<'_> {
    fn module(&self) -> &Module {
        self.completed.sharded.module()
    }

    fn sharding(&self, (func, value): (FuncId, ValueId)) -> Option<&Sharding> {
        self.module().funcs[func].value(value).sharding.as_ref().and_then(Annotation::as_mesh)
    }

    /// The dims asked about: one, or all.
    fn dims(&self, question: &Question) -> Vec<usize> {
        let rank = self.module().funcs[question.func].dims(question.value).len();
        question.dim.map_or_else(|| (0..rank).collect(), |dim| vec![dim])
    }

    /// `%e: f32[4,8], <@mesh, [{}, {"x"}]>`.
    fn headline(&self, question: &Question) -> String {
        let ty = self.module().funcs[question.func].ty(question.value);
        let sharding = self.sharding((question.func, question.value));
        let sharding = sharding.map_or_else(String::new, |sharding| {
            format!(", {}", print_sharding(sharding, &self.module().meshes))
        });
        format!("{}: {ty}{sharding}", question.name)
    }

    fn answer(&self, question: &Question, dim: usize) -> Answer {
        let (module, report) = (self.module(), &self.completed.report);
        let steps = report.why(module, question.func, question.value, Dim::new(dim));
        let mut ways: Vec<Vec<OriginStep>> = Vec::new();
        for step in steps {
            match ways.last_mut().filter(|way| way.last().is_some_and(|last| !last.is_origin())) {
                Some(way) => way.push(step),
                None => ways.push(vec![step]),
            }
        }
        let axes = self.sharding((question.func, question.value)).and_then(|sharding| {
            let axes = &sharding.dims.get(dim)?.axes;
            (!axes.is_empty()).then(|| print_axes(axes, &module.meshes[sharding.mesh]))
        });
        Answer {
            dim,
            size: module.funcs[question.func].dims(question.value).get(dim).copied().unwrap_or(0),
            axes: axes.unwrap_or_default(),
            ways,
            by_cost: report.decision(question.func, question.value, Dim::new(dim)).map(Decision::to_string),
            blocked: report.why_not(module, question.func, question.value, Dim::new(dim)),
        }
    }

    fn tell(&self, out: &mut String, answer: &Answer) {
        let Answer { dim, size, axes, .. } = answer;
        let _ = match axes.as_str() {
            "" => writeln!(out, "\ndim {dim}, {size} elements, is not split"),
            axes => writeln!(out, "\ndim {dim}, {size} elements, is split over {axes}"),
        };
        if let Some(decision) = &answer.by_cost {
            let _ = writeln!(out, "  {decision}");
        }
        for way in &answer.ways {
            for step in way {
                self.tell_step(out, step);
            }
        }
        for blocked in &answer.blocked {
            let _ = writeln!(out, "  not further: {blocked}");
            self.tell_line(out, blocked.inst, blocked.place.as_ref());
        }
        if answer.ways.is_empty() && answer.blocked.is_empty() {
            let _ = writeln!(out, "  no value beside it is split there");
        }
    }

    fn tell_step(&self, out: &mut String, step: &OriginStep) {
        let (name, axis) = (&step.name, &step.axis_name);
        let dim = dim_of(step);
        let _ = match step.op {
            Some(op) => writeln!(out, "  {dim} got `{axis}` through `{op}`"),
            None => writeln!(out, "  {dim} is annotated with `{axis}`"),
        };
        let defined = || {
            step.value.and_then(|value| Some((step.func, self.module().funcs[step.func].def_inst(value)?)))
        };
        match step.through.or_else(defined) {
            Some(inst) => self.tell_line(out, Some(inst), step.place.as_ref()),
            None if step.value.is_none() => self.tell_function(out, step.func),
            None => self.tell_parameter(out, name),
        }
    }

    /// The instruction's line of the text, and its place in the user's program.
    fn tell_line(&self, out: &mut String, inst: Option<(FuncId, InstId)>, place: Option<&Place>) {
        if let Some(line) = inst.and_then(|inst| self.line_of(inst)) {
            let _ = writeln!(out, "      {}:{line}: {}", self.text.name, self.shown(line, None));
        }
        if let Some(Place::Source { file, line, .. }) = place {
            let _ = writeln!(out, "      made by {file}:{line}");
        }
    }

    /// A parameter has no instruction: the first line that declares its name is shown.
    fn tell_parameter(&self, out: &mut String, name: &str) {
        if let Some(line) = self.declared(name) {
            let _ = writeln!(out, "      {}:{line}: {}", self.text.name, self.shown(line, Some(name)));
        }
    }

    /// What a function states of its results stands where it is declared.
    fn tell_function(&self, out: &mut String, func: FuncId) {
        let name = &self.module().funcs[func].name;
        let (stablehlo, hlo) = (format!("@{name}("), format!("ENTRY %{name}"));
        let declares = |line: &str| {
            (line.contains("func.func") && line.contains(&stablehlo))
                || line.starts_with(&hlo)
                || line.starts_with(&format!("ENTRY {name}"))
        };
        if let Some(line) = self.text.text.lines().position(declares).map(|at| at + 1) {
            let _ = writeln!(out, "      {}:{line}: {}", self.text.name, self.shown(line, None));
        }
    }

    fn declared(&self, name: &str) -> Option<usize> {
        let bare = name.trim_start_matches('%');
        let stablehlo = format!("%{bare}:");
        let declares = |line: &str| {
            let hlo = line.trim_start().trim_start_matches('%').strip_prefix(bare);
            line.contains(&stablehlo)
                || hlo.is_some_and(|rest| rest.starts_with(" = ") && rest.contains(" parameter("))
        };
        self.text.text.lines().position(declares).map(|at| at + 1)
    }

    fn line_of(&self, (func, inst): (FuncId, InstId)) -> Option<usize> {
        let span = self.completed.spans.get(func)?.get(inst)?;
        Some(self.lines.place(span.start).0 as usize)
    }

    /// A line without what would not fit, from `at` on if that is far into it.
    fn shown(&self, line: usize, at: Option<&str>) -> String {
        const WIDTH: usize = 110;
        let text = self.text.line(line).trim();
        let found = at.and_then(|name| text.find(&format!("{name}:"))).filter(|found| *found > WIDTH / 2);
        let (before, text) = found.map_or(("", text), |found| ("..", &text[found..]));
        let cut: String = text.chars().take(WIDTH).collect();
        let after = if cut.len() < text.len() { ".." } else { "" };
        format!("{before}{cut}{after}")
    }

    fn answer_json(&self, question: &Question, answer: &Answer) -> Value {
        let line = |inst: Option<(FuncId, InstId)>| inst.and_then(|inst| self.line_of(inst));
        let source = |place: &Option<Place>| match place {
            Some(Place::Source { file, line, column }) => {
                json!({ "file": file, "line": line, "column": column })
            }
            Some(Place::Span(_)) | None => Value::Null,
        };
        let step = |step: &OriginStep| {
            let at = line(step.through).or_else(|| self.declared(&step.name).filter(|_| step.op.is_none()));
            json!({
                "value": step.name, "dim": step.dim, "axis": step.axis_name, "through": step.op,
                "line": at, "source": source(&step.place),
            })
        };
        let ways: Vec<Value> = answer
            .ways
            .iter()
            .map(|way| json!({ "axis": way.first().map(|step| step.axis_name.clone()), "path": way.iter().map(step).collect::<Vec<_>>() }))
            .collect();
        let blocked: Vec<Value> = answer
            .blocked
            .iter()
            .map(|blocked| {
                json!({
                    "value": blocked.name, "dim": blocked.dim, "axis": blocked.axis_name, "through": blocked.op,
                    "line": line(blocked.inst), "source": source(&blocked.place), "why_not": blocked.to_string(),
                })
            })
            .collect();
        json!({
            "value": question.name, "function": &*self.module().funcs[question.func].name, "dim": answer.dim,
            "size": answer.size, "split_over": answer.axes, "by_cost": answer.by_cost, "ways": ways, "not_taken": blocked,
        })
    }

    /// What was annotated and how far it reached.
    fn overview(&self, work: &Usefulness) -> Report {
        let (module, report) = (self.module(), &self.completed.report);
        let mut out = format!(
            "{}: {} tensors are annotated, {} got axes from others, {} are replicated\n",
            self.text.name, report.given, report.inferred, report.replicated
        );
        let reach = report.reach(module);
        if !reach.is_empty() {
            out.push_str("\nannotated axes, and on how many dims of values each ended up:\n");
        }
        for (origin, count) in &reach {
            let _ = writeln!(out, "  {count:6}  `{}` on {}", origin.axis_name, dim_of(origin));
        }
        if !work.loops.is_empty() {
            let _ = write!(
                out,
                "\nflops of contractions, on all devices:\n{}",
                crate::usefulness::text(work, crate::usefulness::Of::Whole)
            );
        }
        for conflict in &report.conflicts {
            let _ = write!(out, "\n{}", render(conflict, Some(self.text)));
        }
        if let Some((origin, _)) = reach.first() {
            let (file, name) = (&self.text.name, &origin.name);
            let _ = writeln!(
                out,
                "\nask about one value:  meshwright explain {file} --why '{name}.{}'",
                origin.dim
            );
        }
        let reach: Vec<Value> = reach
            .iter()
            .map(|(origin, count)| {
                json!({ "value": origin.name, "dim": origin.dim, "axis": origin.axis_name, "dims_reached": count })
            })
            .collect();
        let conflicts: Vec<Value> =
            report.conflicts.iter().map(|conflict| diagnostic_json(conflict, Some(self.text))).collect();
        Report::new(out)
            .with("given", report.given)
            .with("inferred", report.inferred)
            .with("replicated", report.replicated)
            .with("reach", reach)
            .with("conflicts", conflicts)
            .with("work", crate::usefulness::to_json(work))
    }
}

/// What of a module's work is of use, with calls put where they are called. The text of a preset does not say what is
/// computed again; its module does.
fn work_of(file: &Path, module: &Module) -> Result<Usefulness, Failure> {
    let mut module = match preset::name(file) {
        Some(name) => preset::step(name)?.0,
        None => module.clone(),
    };
    run_unseen(BEFORE_PLAN, &mut module);
    let machine = Machine::default();
    Ok(usefulness(&module, &machine, &traffic(&module, &machine)))
}

/// `%e.1`; `dim 1 of result 0 of @main`, which is no value one can ask about.
fn dim_of(step: &OriginStep) -> String {
    match step.value {
        Some(_) => format!("{}.{}", step.name, step.dim),
        None => format!("dim {} of {}", step.dim, step.name),
    }
}
