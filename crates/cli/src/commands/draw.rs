//! `draw`: pictures as SVG, of tensors on their mesh, of an op before and after partitioning, of a halo exchange, of a
//! pipeline in time.

use crate::args::AnnotatedArgs;
use crate::commands::complete::options;
use crate::commands::schedule;
use crate::draw_args::{DrawCommand, DrawOpArgs, DrawPipelineArgs, DrawTensorArgs, DrawnTo};
use crate::failure::Failure;
use crate::load;
use crate::located;
use crate::pointed::pointed;
use crate::read;
use crate::report::Report;
use crate::stages::Stages;
use crate::written;
use meshwright_base::Diagnostic;
use meshwright_compile::{Observer, Options};
use meshwright_draw::{PipelineDrawn, Task, TaskKind, pipelines};
use meshwright_explain::pictures::{self, Picture};
use meshwright_ir::Module;
use meshwright_tensor::schedule::{Phase, Schedule, Timeline, Work};

pub fn draw(command: &DrawCommand) -> Result<Report, Failure> {
    match command {
        DrawCommand::Tensor(args) => tensor(args),
        DrawCommand::Op(args) => of_op(args, pictures::op),
        DrawCommand::Halo(args) => of_op(args, pictures::halos),
        DrawCommand::Pipeline(args) => pipeline(args),
    }
}

fn tensor(args: &DrawTensorArgs) -> Result<Report, Failure> {
    let text = load::text(&args.input.file)?;
    let given = read::read(&text).map_err(|found| Failure::in_text(text.clone(), found))?;
    let mut stages = Stages::new(&args.input.dump)?;
    let completed = located::complete(&text, &options(&args.input), &mut stages)?;
    let dumped = stages.finish()?;
    let picture =
        pictures::tensors(&given, completed.sharded.module(), &args.values).map_err(Failure::input)?;
    drawn(picture, dumped, &args.out)
}

/// What draws an op: of a module, the value that is asked for, options, and who looks at the stages.
type OfOp = fn(Module, &str, &Options, &mut dyn Observer) -> Result<Picture, Vec<Diagnostic>>;

fn of_op(args: &DrawOpArgs, picture: OfOp) -> Result<Report, Failure> {
    let AnnotatedArgs { file, dump, .. } = &args.input;
    // Also of a preset, whose values have names only as it is written.
    let text = load::text(file)?;
    let read = read::read_with_spans(&text).map_err(|found| Failure::in_text(text.clone(), found))?;
    let module = located::located(read.0, &read.1, &text);
    let mut stages = Stages::new(dump)?;
    let failed = |found: Vec<Diagnostic>| Failure::in_text(text.clone(), pointed(found, &text));
    let picture = picture(module, &args.value, &options(&args.input), &mut stages).map_err(failed)?;
    let dumped = stages.finish()?;
    drawn(picture, dumped, &args.out)
}

fn drawn(picture: Picture, dumped: String, out: &DrawnTo) -> Result<Report, Failure> {
    let notes: String = picture.notes.iter().map(|note| format!("note: {note}\n")).collect();
    written::module(Report::default().noted(dumped + &notes), picture.svg, out.output.as_deref())
}

fn pipeline(args: &DrawPipelineArgs) -> Result<Report, Failure> {
    let all = schedule::schedules(&args.of)?;
    let pictured = |(name, schedule): &(String, Schedule)| {
        in_time(name, schedule, &schedule.run(schedule::durations(&args.of)))
    };
    let pictures: Vec<PipelineDrawn> = all.iter().map(pictured).collect();
    let names: Vec<&str> = all.iter().map(|(name, _)| name.as_str()).collect();
    let svg = pipelines(&pictures, &format!("Pipelines in time: {}", names.join(", ")));
    written::module(Report::default(), svg, args.out.output.as_deref())
}

fn in_time(name: &str, schedule: &Schedule, timeline: &Timeline) -> PipelineDrawn {
    let task = |(work, start, takes): &(Work, i64, i64)| Task {
        kind: match work.phase {
            Phase::Forward => TaskKind::Forward,
            Phase::Backward => TaskKind::Backward,
            Phase::Inputs => TaskKind::Inputs,
            Phase::Weights => TaskKind::Weights,
        },
        microbatch: work.microbatch,
        round: work.round,
        start: *start,
        takes: *takes,
    };
    let stage = |stage: usize| timeline.works(stage).iter().map(task).collect();
    PipelineDrawn {
        heading: name.to_string(),
        said: vec![schedule::in_short(schedule, timeline)],
        stages: (0..schedule.stages()).map(stage).collect(),
        rounds: schedule.rounds(),
    }
}
