//! Pipelines in time: what each stage does when.
//!
//! ```text
//! stage 0   F0 F1 F2 F3 .. .. .. B0 B1
//! stage 1      F0 F1 F2 F3 .. B0 B1 ..       dots: the stage waits
//! ```

use crate::palette::Color;
use crate::scene::{Anchor, Area, Face, Fill, Ink, Scene};

/// A schedule, in time.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct PipelineDrawn {
    pub heading: String,
    /// Sentences below the picture.
    pub said: Vec<String>,
    /// What each stage does, in order.
    pub stages: Vec<Vec<Task>>,
    /// Rounds that a stage takes turns with.
    pub rounds: i64,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Task {
    pub kind: TaskKind,
    pub microbatch: i64,
    pub round: i64,
    pub start: i64,
    pub takes: i64,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum TaskKind {
    Forward,
    /// The whole backward pass.
    Backward,
    /// The halves of it: gradients of inputs, gradients of weights.
    Inputs,
    Weights,
}

const KINDS: [(TaskKind, &str); 4] = [
    (TaskKind::Forward, "forward"),
    (TaskKind::Backward, "backward"),
    (TaskKind::Inputs, "gradients of inputs"),
    (TaskKind::Weights, "gradients of weights"),
];

impl TaskKind {
    /// Rounds are shades.
    fn color(self, round: i64, rounds: i64) -> Color {
        let hue = match self {
            TaskKind::Forward => 0,
            TaskKind::Backward => 2,
            TaskKind::Inputs => 4,
            TaskKind::Weights => 1,
        };
        Color::at((hue, 8), (round, rounds))
    }
}

/// Units of time and stages that are drawn; of more, the first ones and the last.
const MOST_UNITS: i64 = 160;
const FIRST_UNITS: i64 = 120;
const MOST_STAGES: usize = 16;
const FIRST_STAGES: usize = 12;
const ROW: f64 = 28.0;
const BREAK: f64 = 26.0;

/// Pipelines one below the other, on one scale.
pub fn pipelines(all: &[PipelineDrawn], title: &str) -> String {
    const WIDEST: f64 = 1080.0;
    let units = all.iter().map(|drawn| drawn.end().min(MOST_UNITS)).max().unwrap_or(1).max(1);
    let unit = (WIDEST / units as f64).clamp(8.0, 30.0);
    let mut scene = Scene::default();
    let mut y = 0.0;
    for drawn in all {
        let part = picture(drawn, unit);
        scene.place((0.0, y), &part, "");
        y += part.height() + 28.0;
    }
    let used = |kind: TaskKind| {
        all.iter().flat_map(|drawn| drawn.stages.iter().flatten()).any(|task| task.kind == kind)
    };
    let rounds = all.iter().map(|drawn| drawn.rounds).max().unwrap_or(1);
    let mut x = 0.0;
    for (kind, said) in KINDS.into_iter().filter(|(kind, _)| used(*kind)) {
        scene.rect(Area::new(x, y, 16.0, 16.0), Fill::Color(kind.color(0, 1)));
        scene.text((x + 23.0, y + 8.0), said, Face::Words, Ink::Muted, Anchor::Start);
        x += 23.0 + Face::Words.width(said) + 24.0;
    }
    let said = if rounds > 1 {
        "Numbers are microbatches; later rounds are lighter. Empty: the stage waits."
    } else {
        "Numbers are microbatches. Empty: the stage waits."
    };
    scene.text((x, y + 8.0), said, Face::Words, Ink::Muted, Anchor::Start);
    scene.finish(title)
}

impl PipelineDrawn {
    fn end(&self) -> i64 {
        self.stages.iter().flatten().map(|task| task.start + task.takes).max().unwrap_or(0)
    }

    /// The last microbatch.
    fn last(&self) -> i64 {
        self.stages.iter().flatten().map(|task| task.microbatch).max().unwrap_or(0)
    }

    /// Stages that are drawn.
    fn shown(&self) -> Vec<usize> {
        let count = self.stages.len();
        if count <= MOST_STAGES {
            return (0..count).collect();
        }
        (0..FIRST_STAGES).chain([count - 1]).collect()
    }
}

/// What all tasks of a picture have in common.
#[derive(Clone, Copy)]
struct Look {
    rounds: i64,
    /// Room that the longest number takes.
    label: f64,
}

/// Where units of time lie.
struct TimeScale {
    end: i64,
    unit: f64,
    left: f64,
}

impl TimeScale {
    fn is_broken(&self) -> bool {
        self.end > MOST_UNITS
    }

    /// The last units that are drawn begin here.
    fn resumes(&self) -> i64 {
        self.end - (MOST_UNITS - FIRST_UNITS)
    }

    /// The parts of a span of time that are drawn, each with its place.
    fn spans(&self, start: i64, end: i64) -> Vec<(f64, f64)> {
        let at = |time: i64| self.left + time as f64 * self.unit;
        if !self.is_broken() {
            return vec![(at(start), at(end))];
        }
        let behind = |time: i64| at(FIRST_UNITS) + BREAK + (time - self.resumes()) as f64 * self.unit;
        let mut found = Vec::new();
        if start < FIRST_UNITS {
            found.push((at(start), at(end.min(FIRST_UNITS))));
        }
        if end > self.resumes() {
            found.push((behind(start.max(self.resumes())), behind(end)));
        }
        found
    }
}

fn picture(drawn: &PipelineDrawn, unit: f64) -> Scene {
    let mut scene = Scene::default();
    scene.text((0.0, 9.0), &drawn.heading, Face::Heading, Ink::Plain, Anchor::Start);
    let shown = drawn.shown();
    let name = |stage: usize| format!("stage {stage}");
    let left = shown.iter().map(|stage| Face::Words.width(&name(*stage))).fold(0.0, f64::max) + 12.0;
    let axis = TimeScale { end: drawn.end(), unit, left };
    let look = Look { rounds: drawn.rounds, label: Face::Small.width(&drawn.last().to_string()) };
    let mut y = 28.0;
    for (at, stage) in shown.iter().enumerate() {
        if at > 0 && shown[at - 1] + 1 != *stage {
            let skipped = stage - shown[at - 1] - 1;
            let said = format!("{skipped} stages more");
            scene.text((left, y + 9.0), &said, Face::Small, Ink::Muted, Anchor::Start);
            y += 24.0;
        }
        scene.text((0.0, y + ROW / 2.0), &name(*stage), Face::Words, Ink::Plain, Anchor::Start);
        for (from, to) in axis.spans(0, axis.end) {
            scene.rect(Area::new(from, y, to - from, ROW), Fill::Track);
        }
        for task in &drawn.stages[*stage] {
            draw(&mut scene, &axis, task, look, y);
        }
        y += ROW + 4.0;
    }
    if axis.is_broken() {
        let middle = left + FIRST_UNITS as f64 * unit + BREAK / 2.0;
        scene.text((middle, 28.0 + (y - 32.0) / 2.0), "\u{22ef}", Face::Name, Ink::Muted, Anchor::Middle);
        let skipped = axis.resumes() - FIRST_UNITS;
        let said = format!("{skipped} units of time are left out");
        scene.text((middle, y + 6.0), &said, Face::Small, Ink::Muted, Anchor::Middle);
        y += 18.0;
    }
    for said in &drawn.said {
        y += 12.0;
        scene.text((left, y), said, Face::Words, Ink::Muted, Anchor::Start);
        y += 8.0;
    }
    scene
}

fn draw(scene: &mut Scene, axis: &TimeScale, task: &Task, look: Look, y: f64) {
    let color = task.kind.color(task.round, look.rounds);
    for (from, to) in axis.spans(task.start, task.start + task.takes) {
        let area = Area::new(from, y, to - from, ROW);
        scene.rect(area, Fill::Color(color));
        if axis.unit >= 12.0 {
            scene.rect(area, Fill::Seam);
        }
        // All of one length have a number or none has.
        if area.width >= look.label + 3.0 {
            scene.text_on(area.middle(), &task.microbatch.to_string(), color);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(stages: usize, each: i64) -> PipelineDrawn {
        let task = |at: i64, stage: usize| Task {
            kind: TaskKind::Forward,
            microbatch: at,
            round: 0,
            start: at + stage as i64,
            takes: 1,
        };
        let stages = (0..stages).map(|stage| (0..each).map(|at| task(at, stage)).collect()).collect();
        PipelineDrawn { stages, rounds: 1, ..PipelineDrawn::default() }
    }

    #[test]
    fn long_times_and_many_stages_lose_their_middle_and_say_so() {
        let short = pipelines(&[drawn(2, 4)], "t");
        assert_eq!(short.matches(TaskKind::Forward.color(0, 1).to_string().as_str()).count(), 9);
        assert!(!short.contains("left out") && !short.contains("more</text>"));
        let long = pipelines(&[drawn(40, 300)], "t");
        assert!(long.contains("27 stages more") && long.contains("179 units of time are left out"), "{long}");
        assert!(long.len() < 800_000, "{}", long.len());
    }

    #[test]
    fn what_is_half_in_the_gap_is_drawn_on_both_sides_of_it() {
        let axis = TimeScale { end: 400, unit: 1.0, left: 0.0 };
        assert_eq!(axis.spans(0, 5), [(0.0, 5.0)]);
        assert_eq!(axis.spans(200, 300), []);
        assert_eq!(axis.spans(110, 370), [(110.0, 120.0), (146.0, 156.0)]);
    }
}
