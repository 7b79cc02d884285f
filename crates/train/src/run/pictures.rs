//! Slices of held-out images with their classes, as they are and as a model sees them: pictures for a report.

use super::error::Error;
use super::held::Held;
use super::host::Host;
use super::load::Loaded;
use super::plan::TrainingPlan;
use super::programs;
use super::state::States;
use crate::config::Config;
use crate::data::arrays::{Arrays, Values};
use crate::data::feed::Feed;
use crate::data::mixture::Side;
use std::fmt::Write;

/// How many examples are shown.
const PICTURES: usize = 3;

/// Width of a picture's three planes together, about.
const WIDTH: usize = 480;

/// Most places along a side of a plane: of larger ones every second or third is drawn.
const MOST: usize = 128;

/// Colours of classes, the first of which is not drawn.
const COLORS: [&str; 6] = ["none", "#d97706", "#2563eb", "#059669", "#be185d", "#7c3aed"];

/// A drawing of what a model makes of an example.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Picture {
    /// The file beside the report.
    pub file: String,
    pub title: String,
    pub svg: String,
}

/// A plane of numbers from 0 (black) to 1 (white), and classes.
struct Plane {
    height: usize,
    width: usize,
    grey: Vec<f32>,
    asked: Vec<usize>,
    found: Vec<usize>,
}

/// The first held-out examples. Every process must ask; none for models that say no classes.
pub fn pictures(
    config: &Config,
    plan: &TrainingPlan,
    feed: &mut Feed,
    states: &States,
    host: &Host<'_>,
) -> Result<Vec<Picture>, Error> {
    let Some(program) = programs::classes(plan) else { return Ok(Vec::new()) };
    let mut program = Loaded::new(program?, host)?;
    // All rows, so that whoever draws has them.
    let (batch, _) = feed.batch(Side::HeldOut, None, &(0..config.data.batch))?;
    let mut args = Vec::new();
    for (at, input) in program.program.inputs().iter().enumerate() {
        args.push(if states.held.contains_key(&*input.name) {
            states.lend(&input.name, &program.input_place(at)?, host)?
        } else {
            program.feed(at, batch.get(&input.name), host)?
        });
    }
    let array = program.launch(args)?.into_iter().next().ok_or_else(programs::no_result)?;
    let found = Held { place: program.result_place(0)?, array }.numbers()?;
    let classes = config.classes();
    let planes = (0..config.data.batch.min(PICTURES)).filter_map(|row| plane(config, &batch, &found, row));
    let picture = |(at, plane): (usize, Plane)| Picture {
        file: format!("slice-{}.svg", at + 1),
        title: format!(
            "held-out example {}: the middle plane, its classes, and what the model finds",
            at + 1
        ),
        svg: drawn(&plane, &classes),
    };
    Ok(planes.enumerate().map(picture).collect())
}

/// The middle plane of an example, thinned if it is large.
fn plane(config: &Config, batch: &Arrays, found: &[f64], row: usize) -> Option<Plane> {
    let sizes = &config.image.size.0;
    let [.., height, width] = sizes[..] else { return None };
    let (places, channels) = (sizes.iter().product::<usize>(), config.image.channels);
    // Of a volume the middle one of its first dim; an image has one plane.
    let planes: usize = sizes[..sizes.len() - 2].iter().product();
    let begin = row * places + planes / 2 * height * width;
    let (Some(Values::Real(image)), Some(Values::Whole(labels))) = (batch.get("image"), batch.get("labels"))
    else {
        return None;
    };
    let step = height.max(width).div_ceil(MOST).max(1);
    let kept: Vec<usize> = (0..height)
        .step_by(step)
        .flat_map(|y| (0..width).step_by(step).map(move |x| begin + y * width + x))
        .collect();
    let values: Vec<f32> = kept.iter().filter_map(|at| image.get(at * channels).copied()).collect();
    let (low, high) = values.iter().fold((f32::MAX, f32::MIN), |(low, high), x| (low.min(*x), high.max(*x)));
    Some(Plane {
        height: height.div_ceil(step),
        width: width.div_ceil(step),
        grey: values.iter().map(|x| (x - low) / (high - low).max(1e-9)).collect(),
        asked: kept.iter().filter_map(|at| usize::try_from(*labels.get(*at)?).ok()).collect(),
        found: kept.iter().filter_map(|at| found.get(*at).map(|class| *class as usize)).collect(),
    })
}

/// Three planes side by side, with the names of the classes below.
fn drawn(plane: &Plane, classes: &[String]) -> String {
    let unit = (WIDTH / 3 / plane.width.max(1)).max(1);
    let (across, down) = (plane.width * unit, plane.height * unit);
    let gap = 12;
    let (width, height) = (3 * across + 2 * gap, down + 40);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\" \
         font-family=\"sans-serif\" font-size=\"11\">\n<rect width=\"{width}\" height=\"{height}\" fill=\"#ffffff\"/>\n"
    );
    let grey = |at: usize| {
        let level = (plane.grey.get(at).copied().unwrap_or(0.0) * 15.0).round() as u32;
        Some(format!("#{0:x}{0:x}{0:x}", level.min(15)))
    };
    let color = |class: Option<&usize>| {
        let class = class.copied().filter(|class| *class > 0)?;
        Some(COLORS[1 + (class - 1) % (COLORS.len() - 1)].to_string())
    };
    runs(&mut svg, plane, 0, unit, &grey);
    for (number, labels) in [(1, &plane.asked), (2, &plane.found)] {
        let left = number * (across + gap);
        let _ = writeln!(
            svg,
            "<rect x=\"{left}\" y=\"0\" width=\"{across}\" height=\"{down}\" fill=\"#f3f4f6\"/>"
        );
        runs(&mut svg, plane, left, unit, &|at| color(labels.get(at)));
    }
    for (number, title) in ["image", "labels", "found"].iter().enumerate() {
        let (x, y) = (number * (across + gap), down + 14);
        let _ = writeln!(svg, "<text x=\"{x}\" y=\"{y}\" fill=\"#111827\">{title}</text>");
    }
    let mut x = 0;
    for (class, name) in classes.iter().enumerate().skip(1).take(COLORS.len() - 1) {
        let (y, fill) = (down + 24, COLORS[1 + (class - 1) % (COLORS.len() - 1)]);
        let _ = writeln!(
            svg,
            "<rect x=\"{x}\" y=\"{y}\" width=\"10\" height=\"10\" fill=\"{fill}\"/><text x=\"{}\" y=\"{}\" fill=\"#111827\">{name}</text>",
            x + 14,
            y + 9
        );
        x += 24 + 7 * name.chars().count();
    }
    svg + "</svg>\n"
}

/// A plane row by row, neighbours of one colour as one.
fn runs(svg: &mut String, plane: &Plane, left: usize, unit: usize, color: &dyn Fn(usize) -> Option<String>) {
    for y in 0..plane.height {
        let row: Vec<Option<String>> = (0..plane.width).map(|x| color(y * plane.width + x)).collect();
        let mut x = 0;
        for run in row.chunk_by(|a, b| a == b) {
            if let Some(Some(fill)) = run.first() {
                let (at, y, wide) = (left + x * unit, y * unit, run.len() * unit);
                let _ = writeln!(
                    svg,
                    "<rect x=\"{at}\" y=\"{y}\" width=\"{wide}\" height=\"{unit}\" fill=\"{fill}\"/>"
                );
            }
            x += run.len();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_middle_plane_is_drawn_three_times_with_the_names_of_its_classes() {
        let mut config = Config::default();
        ["data.image.size=3x2x4", "data.image.classes=3", "data.corpus=volumes"]
            .iter()
            .for_each(|set| config.set(set).unwrap());
        let labels: Vec<i32> =
            (0..24).map(|at| i32::from((8..12).contains(&at)) + 2 * i32::from(at == 14)).collect();
        let image = labels.iter().map(|label| *label as f32).collect();
        let list = vec![
            ("image".to_string(), Values::Real(image)),
            ("labels".to_string(), Values::Whole(labels.clone())),
        ];
        let found: Vec<f64> = labels.iter().map(|label| f64::from(*label % 2)).collect();
        let plane = plane(&config, &Arrays { list }, &found, 0).unwrap();
        assert_eq!((plane.height, plane.width), (2, 4));
        assert_eq!(plane.asked, [1, 1, 1, 1, 0, 0, 2, 0]);
        assert_eq!(plane.found, [1, 1, 1, 1, 0, 0, 0, 0]);
        let svg = drawn(&plane, &config.classes());
        assert!(svg.contains("solid") && svg.contains("hollow") && !svg.contains("outside"));
        // The class that is not found is drawn once in the plane of labels, and as its sign.
        assert_eq!((svg.matches(COLORS[1]).count(), svg.matches(COLORS[2]).count()), (3, 2));
        assert!(svg.starts_with("<svg") && svg.ends_with("</svg>\n"));
    }
}
