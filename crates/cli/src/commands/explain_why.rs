//! `explain --why`: for each dim of a value where its split comes from, in one line; with `--full` the way every axis
//! took, from the value back to the annotation, with the lines of the text. For dims that are not split: what their
//! neighbours have and why it did not pass, and what could split them.

use crate::args::ExplainArgs;
use crate::commands::complete::options_for;
use crate::failure::Failure;
use crate::load;
use crate::located::{Completed, Lines, complete};
use crate::report::Report;
use crate::stages::Stages;
use meshwright_base::diagnostic::Place;
use meshwright_base::units::count;
use meshwright_base::{Ask, Caller, SourceText};
use meshwright_complete::{Blocked, Decision, OriginStep};
use meshwright_explain::names::{self, Question};
use meshwright_explain::short_axes;
use meshwright_ir::{Annotation, Dim, FuncId, InstId, Module, Op, ValueId};
use meshwright_shard::sdy_text::{print_axes, print_sharding};
use meshwright_shard::{AxisRef, Sharding};
use serde_json::{Value, json};
use std::fmt::Write;

/// Neighbours that are told of without `--full`.
const MOST_BLOCKED: usize = 2;

/// Values of one name or line that are told of.
const MOST_VALUES: usize = 4;

pub fn why(args: &ExplainArgs) -> Result<Report, Failure> {
    let text = load::text(&args.input.file)?;
    let mut stages = Stages::new(&args.input.dump)?;
    let options = options_for(&args.input, args.target.as_ref(), &text)?;
    let completed = complete(&text, &options, &mut stages)?;
    let dumped = stages.finish()?;
    Ok(answers(&text, &completed, &args.why, args.full)?.noted(dumped))
}

/// What is known of each value that is asked for, of a text that was completed.
pub fn answers(
    text: &SourceText,
    completed: &Completed,
    why: &[String],
    full: bool,
) -> Result<Report, Failure> {
    let cx = Cx { lines: Lines::of(text), text, completed, full };
    let mut report = Report::default();
    let mut answers = Vec::new();
    for asked in why {
        let questions = names::find(cx.module(), asked).map_err(Failure::input)?;
        for question in questions.iter().take(MOST_VALUES) {
            let gap = if report.text.is_empty() { "" } else { "\n" };
            let _ = writeln!(report.text, "{gap}{}", cx.headline(question));
            for dim in cx.dims(question) {
                let answer = cx.answer(question, dim);
                cx.tell(&mut report.text, question, &answer);
                answers.push(cx.answer_json(question, &answer));
            }
            if cx.dims(question).is_empty() {
                report.text += "\na scalar has no dimension to shard\n";
            }
        }
        if let Some(more) = questions.len().checked_sub(MOST_VALUES + 1) {
            let _ =
                writeln!(report.text, "\n{} match `{asked}`: ask by `%name`", count(more + 1, "more value"));
        }
    }
    Ok(report.with("answers", answers))
}

struct Cx<'a> {
    text: &'a SourceText,
    lines: Lines,
    completed: &'a Completed,
    full: bool,
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

    fn tell(&self, out: &mut String, question: &Question, answer: &Answer) {
        let Answer { dim, size, axes, .. } = answer;
        let _ = match axes.as_str() {
            "" => writeln!(out, "\ndimension {dim} (size {size}) is not sharded"),
            axes => writeln!(out, "\ndimension {dim} (size {size}) is sharded over {axes}"),
        };
        for way in &answer.ways {
            let _ = writeln!(out, "  {}", self.decisive(way));
        }
        if let Some(decision) = &answer.by_cost {
            let _ = writeln!(out, "  {decision}");
        }
        for step in answer.ways.iter().flatten().filter(|_| self.full) {
            self.tell_step(out, step);
        }
        let shown = if self.full { usize::MAX } else { MOST_BLOCKED };
        for blocked in answer.blocked.iter().take(shown) {
            let _ = writeln!(out, "  blocked: {blocked}");
            self.tell_line(out, blocked.inst, blocked.place.as_ref());
        }
        if answer.blocked.len() > shown {
            let _ = writeln!(
                out,
                "  and {}: `{}` lists all",
                count(answer.blocked.len() - shown, "more blocked neighbor"),
                Ask::Flag("full")
            );
        }
        if answer.ways.is_empty() && answer.blocked.is_empty() {
            let _ = writeln!(out, "  no neighboring value is sharded along this dimension");
        }
        if answer.axes.is_empty() {
            let _ = writeln!(out, "  {}", self.could_split(question, *dim));
        }
    }

    /// `` `x` propagates from the annotation on `%batch` at model.mlir:3, through dot_general and tanh``.
    fn decisive(&self, way: &[OriginStep]) -> String {
        let Some(origin) = way.last() else { return String::new() };
        let axis = &origin.axis_name;
        if way.len() == 1 {
            return format!("`{axis}` is annotated here{}", self.at(origin));
        }
        let through = through(self.module(), way);
        format!(
            "`{axis}` propagates from the annotation on {}{}{through}",
            self.user_name(origin),
            self.at(origin)
        )
    }

    /// `` `p['w1']` ``, as the user's program calls it where that is known.
    fn user_name(&self, step: &OriginStep) -> String {
        let main = self.module().main();
        let index = main.param_values().iter().position(|param| Some(*param) == step.value);
        let called = index.filter(|_| step.func == self.module().entry);
        match called.and_then(|index| meshwright_explain::called(main, index)) {
            Some(name) => format!("`{name}`"),
            None if step.name.starts_with('%') => format!("`{}`", step.name),
            None => step.name.clone(),
        }
    }

    /// Where an annotation stands: in the user's program, else in the text.
    fn at(&self, origin: &OriginStep) -> String {
        if let Some(Place::Source { file, line, .. }) = &origin.place {
            return format!(" at {file}:{line}");
        }
        let inst = origin
            .value
            .and_then(|value| Some((origin.func, self.module().funcs[origin.func].def_inst(value)?)));
        let line = match inst {
            Some(inst) => self.line_of(inst),
            None => self.declared(&origin.name),
        };
        line.map_or(String::new(), |line| format!(" at {}:{line}", self.text.name))
    }

    /// What an annotation could say of a dim that is whole.
    fn could_split(&self, question: &Question, dim: usize) -> String {
        let module = self.module();
        let dims = module.funcs[question.func].dims(question.value);
        let Some(sharding) = self.sharding((question.func, question.value)) else {
            return "a scalar is never sharded".into();
        };
        let mesh = &module.meshes[sharding.mesh];
        let size = dims.get(dim).copied().unwrap_or(1);
        let free = sharding.unused_axes(mesh);
        let fits: Vec<&AxisRef> = free.iter().filter(|axis| size % axis.size == 0 && axis.size > 1).collect();
        let Some(first) = fits.first() else {
            return format!("no unused mesh axis divides its size {size}");
        };
        let names: Vec<String> =
            fits.iter().map(|axis| format!("`{}`", short_axes(&[**axis], mesh))).collect();
        let entry = |at: usize| {
            let axes = sharding.dims.get(at).map_or(&[][..], |dim| &dim.axes);
            if at == dim { short_axes(&[**first], mesh) } else { short_axes(axes, mesh) }
        };
        let wanted: Vec<String> = (0..dims.len()).map(entry).collect();
        // Parameters may be annotated, and what is a constraint is.
        let func = &module.funcs[question.func];
        let is_said = match func.def_inst(question.value) {
            Some(inst) => matches!(func.inst(inst).op, Op::Sharding(_)),
            None => question.func == module.entry,
        };
        format!(
            "{} could shard it: `{}` estimates the cost",
            names.join(" or "),
            why_not(&format!("{}=[{}]", question.name, wanted.join(", ")), is_said)
        )
    }

    fn tell_step(&self, out: &mut String, step: &OriginStep) {
        let (name, axis) = (&step.name, &step.axis_name);
        let dim = dim_of(step);
        let _ = match step.op {
            Some(op) => writeln!(out, "  {dim} gets `{axis}` through `{op}`"),
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
            let _ = writeln!(out, "      from {file}:{line}");
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
            "decisive": answer.ways.iter().map(|way| self.decisive(way)).collect::<Vec<_>>(),
            "size": answer.size, "split_over": answer.axes, "by_cost": answer.by_cost, "ways": ways, "not_taken": blocked,
        })
    }
}

/// `%e.1`; `dimension 1 of result 0 of @main`, which is no value one can ask about.
fn dim_of(step: &OriginStep) -> String {
    match step.value {
        Some(_) => format!("{}.{}", step.name, step.dim),
        None => format!("dimension {} of {}", step.dim, step.name),
    }
}

/// `, through embed and 3 layers of block_#`; ops where no layer has a name.
fn through(module: &Module, way: &[OriginStep]) -> String {
    const MOST: usize = 3;
    let steps = way.iter().rev().filter_map(|step| step.through);
    let sources = steps.filter_map(|(func, inst)| {
        let source = module.funcs.get(func)?.inst(inst).source;
        module.sources.get(source)
    });
    let mut layers: Vec<(String, Vec<String>)> = Vec::new();
    let scopes = meshwright_explain::Scopes::of(module);
    for source in sources {
        let (name, number) = scopes.scope(source);
        match layers.iter_mut().find(|(known, _)| *known == name) {
            Some((_, numbers)) if !numbers.contains(&number) => numbers.push(number),
            Some(_) => {}
            None => layers.push((name, vec![number])),
        }
    }
    layers.retain(|(name, _)| !scopes.is_outer(name));
    let mut names: Vec<String> = layers
        .into_iter()
        .map(|(name, numbers)| match numbers.len() {
            1 => name,
            count => format!("{count} layers of {name}"),
        })
        .collect();
    if names.is_empty() {
        names = way.iter().rev().filter_map(|step| step.op.map(str::to_string)).collect();
        names.dedup();
    }
    let count = names.len();
    if count > MOST {
        names.truncate(MOST - 1);
        names.push(format!("{} more", count - MOST + 1));
    }
    match names.split_last() {
        None => String::new(),
        Some((last, [])) => format!(", through {last}"),
        Some((last, others)) => format!(", through {} and {last}", others.join(", ")),
    }
}

/// What to ask about another sharding, `instead` of an annotation.
fn why_not(wanted: &str, instead: bool) -> String {
    let quote = if wanted.contains('\'') { '"' } else { '\'' };
    match (Caller::here(), instead) {
        (Caller::CommandLine, false) => format!("--why-not {quote}{wanted}{quote}"),
        (Caller::CommandLine, true) => format!("--why-not {quote}{wanted}{quote} --instead"),
        (Caller::Python, false) => format!("why_not({quote}{wanted}{quote})"),
        (Caller::Python, true) => format!("why_not({quote}{wanted}{quote}, instead=True)"),
    }
}
