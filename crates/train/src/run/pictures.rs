//! Pictures of held-out images for a report: slices with the class of each place, as it is and as a model sees it, and
//! images with the class of the whole.

use super::examples::{Found, Picture, SAMPLES, Shown};
use super::plan::TrainingPlan;
use super::run_dir::TAKEN;
use super::samples::Sample;
use crate::data::arrays::{Arrays, Values};
use meshwright_base::Diagnostic;
use meshwright_nn::models::images::{IMAGE, LABELS};
use meshwright_nn::models::step::Model;
use std::fmt::Write;
use std::fs;
use std::path::Path;

/// How many slices are drawn, and how many images that have one class.
const SLICES: usize = 3;
const IMAGES: usize = 12;

/// Width of a slice's three planes together, and of an image, about.
const WIDTH: usize = 480;
const IMAGE_WIDTH: usize = 110;

/// Most places along a side of a plane, and of an image: of larger ones every second or third is drawn.
const MOST: usize = 128;
const IMAGE_MOST: usize = 56;

/// Images beside each other.
const COLUMNS: usize = 4;

/// The drawing of images beside each other.
const TILES: &str = "examples.svg";

/// Colours of classes, the first of which is not drawn.
const COLORS: [&str; 6] = ["none", "#d97706", "#2563eb", "#059669", "#be185d", "#7c3aed"];

/// How the first line of a drawing ends. Files that begin otherwise are somebody else's.
const MARK: &str = "font-family=\"sans-serif\" font-size=\"11\">";

/// Of what is right, and of what is not.
const RIGHT: &str = "#047857";
const WRONG: &str = "#b91c1c";

/// How examples lie in the arrays of a batch.
#[derive(Clone, PartialEq, Eq, Debug)]
struct BatchLayout {
    /// Spatial sizes of an image.
    sizes: Vec<usize>,
    channels: usize,
    /// Those of its labels, in the middle: fewer of models that tell less than they see; none of one label an image.
    told: Vec<usize>,
    rows: usize,
}

/// A plane of colours.
struct Plane {
    height: usize,
    width: usize,
    colors: Vec<String>,
}

/// Classes of a plane's places; what is beyond those that are told has class 0.
struct Classes {
    asked: Vec<usize>,
    found: Vec<usize>,
}

impl BatchLayout {
    fn of(plan: &TrainingPlan) -> Option<BatchLayout> {
        let fields = plan.model.fields(&plan.training);
        let dims = |name: &str| -> Option<Vec<usize>> {
            let field = fields.iter().find(|field| field.name == name)?;
            field.dims.iter().map(|(_, size)| usize::try_from(*size).ok()).collect()
        };
        let (image, labels) = (dims(IMAGE)?, dims(LABELS)?);
        let ([rows, sizes @ .., channels], [_, told @ ..]) = (&image[..], &labels[..]) else { return None };
        Some(BatchLayout { sizes: sizes.to_vec(), channels: *channels, told: told.to_vec(), rows: *rows })
    }

    /// Places of an image.
    fn places(&self) -> usize {
        self.sizes.iter().product()
    }

    /// Of the middle plane, thinned to so many along a side: height, width, and the places from the image's first on.
    fn thinned(&self, most: usize) -> Option<(usize, usize, Vec<usize>)> {
        let [.., height, width] = self.sizes[..] else { return None };
        // Of a volume the middle one of its first dim; an image has one plane.
        let planes: usize = self.sizes[..self.sizes.len() - 2].iter().product();
        let begin = planes / 2 * height * width;
        let step = height.max(width).div_ceil(most).max(1);
        let rows = (0..height).step_by(step);
        let places =
            rows.flat_map(|y| (0..width).step_by(step).map(move |x| begin + y * width + x)).collect();
        Some((height.div_ceil(step), width.div_ceil(step), places))
    }

    /// The middle plane of an example.
    fn plane(&self, batch: &Arrays, row: usize, most: usize) -> Option<Plane> {
        let (height, width, places) = self.thinned(most)?;
        let Some(Values::Real(image)) = batch.get(IMAGE) else { return None };
        let first = row * self.places();
        let numbers = |place: &usize| {
            let at = (first + place) * self.channels;
            image.get(at..at + self.channels).unwrap_or_default()
        };
        // Red, green and blue; of other numbers the last.
        let drawn =
            if self.channels == 3 && self.told.is_empty() { 0 } else { self.channels.saturating_sub(1) };
        let all = || places.iter().flat_map(|place| numbers(place).iter().skip(drawn).copied());
        let (low, high) = all().fold((f32::MAX, f32::MIN), |(low, high), x| (low.min(x), high.max(x)));
        let color = |place: &usize| {
            let levels = numbers(place).iter().skip(drawn).map(|x| {
                let level = (x - low) / (high - low).max(1e-9);
                format!("{:x}", (level * 15.0).round().clamp(0.0, 15.0) as u32)
            });
            let levels: Vec<String> = levels.collect();
            match &levels[..] {
                [level] => format!("#{level}{level}{level}"),
                levels => format!("#{}", levels.concat()),
            }
        };
        Some(Plane { height, width, colors: places.iter().map(color).collect() })
    }

    /// Where a place of an image is among those that are told, if it is.
    fn told_at(&self, place: usize) -> Option<usize> {
        let (mut rest, mut at, mut stride) = (place, 0, 1);
        for (size, told) in self.sizes.iter().zip(&self.told).rev() {
            let along = (rest % size).checked_sub((size - told) / 2).filter(|along| along < told)?;
            (at, stride, rest) = (at + along * stride, stride * told, rest / size);
        }
        Some(at)
    }

    /// Classes of the places that [`BatchLayout::plane`] draws.
    fn classes(&self, labels: &[i32], found: &[f64], row: usize, most: usize) -> Option<Classes> {
        let (.., places) = self.thinned(most)?;
        let first = row * self.told.iter().product::<usize>();
        let at = |place: &usize| self.told_at(*place).map(|at| first + at);
        let asked = |place: &usize| labels.get(at(place)?).and_then(|label| usize::try_from(*label).ok());
        let found = |place: &usize| found.get(at(place)?).map(|class| *class as usize);
        Some(Classes {
            asked: places.iter().map(|place| asked(place).unwrap_or(0)).collect(),
            found: places.iter().map(|place| found(place).unwrap_or(0)).collect(),
        })
    }
}

/// The labels of a batch.
fn labels(batch: &Arrays) -> &[i32] {
    match batch.get(LABELS) {
        Some(Values::Whole(labels)) => labels,
        _ => &[],
    }
}

/// Slices of the first of so many examples of a batch, each with what a model finds, and how many places of each class
/// those are.
pub(super) fn segmented(plan: &TrainingPlan, batch: &Arrays, examples: usize, found: &Found) -> Shown {
    let Some(mut frame) = BatchLayout::of(plan) else { return Shown::default() };
    frame.rows = frame.rows.min(examples);
    let (labels, found) = (labels(batch), found.get("found"));
    let slice = |row: usize| {
        let plane = frame.plane(batch, row, MOST)?;
        let classes = frame.classes(labels, found, row, MOST)?;
        Some(Picture {
            file: slice_name(row + 1),
            title: format!(
                "held-out example {}: {}, its classes, and what the model finds",
                row + 1,
                if frame.sizes.len() > 2 { "the middle plane" } else { "the image" }
            ),
            svg: slice(&plane, &classes, &plan.classes),
        })
    };
    let each = frame.told.iter().product::<usize>().max(1);
    let found: Vec<i32> = found.iter().map(|class| *class as i32).collect();
    let rows = labels.chunks(each).zip(found.chunks(each)).take(frame.rows.min(SAMPLES)).enumerate();
    let sample = |(row, (asked, found)): (usize, (&[i32], &[i32]))| Sample {
        prompt: format!("held-out example {}", row + 1),
        expected: counts(asked, &plan.classes),
        written: counts(found, &plan.classes),
        marked: counts(asked, &plan.classes),
        tokens: asked.len(),
        right: asked.iter().zip(found).filter(|(asked, found)| asked == found).count(),
    };
    Shown {
        samples: rows.map(sample).collect(),
        pictures: (0..frame.rows.min(SLICES)).filter_map(slice).collect(),
    }
}

/// How many places are of each class but the first.
fn counts(labels: &[i32], classes: &[String]) -> String {
    let count = |class: usize| labels.iter().filter(|label| **label == class as i32).count();
    let one = |(class, name): (usize, &String)| format!("{name} {}", count(class));
    classes.iter().enumerate().skip(1).map(one).collect::<Vec<_>>().join(", ")
}

/// The first of so many images of a batch with their classes, and what a model says of each.
pub(super) fn classified(plan: &TrainingPlan, batch: &Arrays, examples: usize, found: &Found) -> Shown {
    let Some(mut frame) = BatchLayout::of(plan) else { return Shown::default() };
    frame.rows = frame.rows.min(examples);
    let (asked, said, chances) = (labels(batch), found.get("found"), found.get("chance"));
    let name = |class: usize| plan.classes.get(class).map_or_else(|| class.to_string(), String::clone);
    let one = |row: usize| -> Option<Told> {
        let [asked, said] = [usize::try_from(*asked.get(row)?).ok()?, *said.get(row)? as usize];
        let question = question(plan, batch, row);
        Some(Told { question, asked: name(asked), said: name(said), chance: *chances.get(row)? })
    };
    let all: Vec<Told> = (0..frame.rows.min(IMAGES)).filter_map(one).collect();
    let sample = |(row, told): (usize, &Told)| Sample {
        prompt: match &told.question {
            Some(asked) => format!("held-out image {}: {asked}?", row + 1),
            None => format!("held-out image {}", row + 1),
        },
        expected: told.asked.clone(),
        written: told.said.clone(),
        marked: told.asked.clone(),
        tokens: 1,
        right: usize::from(told.is_right()),
    };
    let planes: Option<Vec<Plane>> = (0..all.len()).map(|row| frame.plane(batch, row, IMAGE_MOST)).collect();
    let picture = |planes: Vec<Plane>| Picture {
        file: TILES.into(),
        title: "held-out images, and what the model says of each".into(),
        svg: tiles(&planes, &all),
    };
    Shown {
        samples: all.iter().take(SAMPLES).enumerate().map(sample).collect(),
        pictures: planes.filter(|planes| !planes.is_empty()).map(picture).into_iter().collect(),
    }
}

/// What is asked of an image, if it is: words, or their numbers where they are not known.
fn question(plan: &TrainingPlan, batch: &Arrays, row: usize) -> Option<String> {
    let Some(Values::Whole(tokens)) = batch.get("tokens") else { return None };
    let rows = usize::try_from(plan.training.batch).ok()?.max(1);
    let mine = tokens.chunks(tokens.len() / rows).nth(row)?;
    let word = |token: &i32| {
        let known = usize::try_from(*token).ok().and_then(|token| plan.words.get(token));
        known.map_or_else(|| token.to_string(), |word| (*word).to_string())
    };
    let words = mine.iter().filter(|token| **token != 0).map(word);
    Some(words.collect::<Vec<_>>().join(" "))
}

/// What is said of an image, beside what is right.
struct Told {
    /// What is asked, if that is not the same of all.
    question: Option<String>,
    asked: String,
    said: String,
    chance: f64,
}

impl Told {
    fn is_right(&self) -> bool {
        self.asked == self.said
    }
}

/// Refuses to write where something lies that is no drawing of ours, under a name that one may get.
pub fn check_pictures(dir: &Path) -> Result<(), Diagnostic> {
    if fs::metadata(dir).is_ok_and(|found| !found.is_dir()) {
        let message = format!("`{}` is a file, and pictures need a directory", dir.display());
        return Err(Diagnostic::error(TAKEN, message).help("name another directory with `--pictures`"));
    }
    let names = (1..=SLICES).map(slice_name).chain([TILES.to_string()]);
    let other = names.map(|name| dir.join(name)).find(|path| path.exists() && !is_ours(path));
    other.map_or(Ok(()), |path| {
        let message =
            format!("`{}` is there already, and is no picture of held-out examples", path.display());
        let help = "move it away, or name another directory with `--pictures`";
        Err(Diagnostic::error(TAKEN, message).help(help))
    })
}

/// Whether a file begins as drawings do.
fn is_ours(path: &Path) -> bool {
    fs::read(path).is_ok_and(|bytes| {
        let line = bytes.split(|byte| *byte == b'\n').next().unwrap_or_default();
        line.starts_with(b"<svg ") && line.ends_with(MARK.as_bytes())
    })
}

fn slice_name(number: usize) -> String {
    format!("slice-{number}.svg")
}

/// The beginning of a drawing.
fn begun(width: usize, height: usize) -> String {
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\" \
         {MARK}\n<rect width=\"{width}\" height=\"{height}\" fill=\"#ffffff\"/>\n"
    )
}

/// A text without what means something in a drawing.
fn plain(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;")
}

/// Images in rows, with what is said below each.
fn tiles(planes: &[Plane], all: &[Told]) -> String {
    let unit = planes.first().map_or(1, |plane| (IMAGE_WIDTH / plane.width.max(1)).max(1));
    let (across, down) = planes.first().map_or((0, 0), |plane| (plane.width * unit, plane.height * unit));
    let has_questions = all.iter().any(|told| told.question.is_some());
    let (gap, text, columns) = if has_questions { (70, 48, COLUMNS - 1) } else { (14, 34, COLUMNS) };
    let rows = planes.len().div_ceil(columns);
    let mut svg = begun(columns * (across.max(IMAGE_WIDTH) + gap), rows * (down + text));
    for (at, (plane, told)) in planes.iter().zip(all).enumerate() {
        let (left, top) = (at % columns * (across.max(IMAGE_WIDTH) + gap), at / columns * (down + text));
        runs(&mut svg, plane, [left, top], unit, &|at| plane.colors.get(at).cloned());
        let (fill, second) = if told.is_right() {
            (RIGHT, "right".to_string())
        } else {
            (WRONG, format!("it is {}", plain(&told.asked)))
        };
        let mut line = top + down + 13;
        if let Some(question) = &told.question {
            let question = plain(question);
            let _ = writeln!(svg, "<text x=\"{left}\" y=\"{line}\" fill=\"#111827\">{question}?</text>");
            line += 13;
        }
        let _ = writeln!(
            svg,
            "<text x=\"{left}\" y=\"{}\" fill=\"{fill}\">{} {:.0}%</text><text x=\"{left}\" y=\"{}\" \
             fill=\"{fill}\">{second}</text>",
            line,
            plain(&told.said),
            told.chance * 100.0,
            line + 13
        );
    }
    svg + "</svg>\n"
}

/// Three planes side by side, with the names of the classes below.
fn slice(plane: &Plane, found: &Classes, classes: &[String]) -> String {
    let unit = (WIDTH / 3 / plane.width.max(1)).max(1);
    let (across, down) = (plane.width * unit, plane.height * unit);
    let gap = 12;
    let (width, height) = (3 * across + 2 * gap, down + 40);
    let mut svg = begun(width, height);
    let color = |class: Option<&usize>| {
        let class = class.copied().filter(|class| *class > 0)?;
        Some(COLORS[1 + (class - 1) % (COLORS.len() - 1)].to_string())
    };
    runs(&mut svg, plane, [0, 0], unit, &|at| plane.colors.get(at).cloned());
    for (number, labels) in [(1, &found.asked), (2, &found.found)] {
        let left = number * (across + gap);
        let _ = writeln!(
            svg,
            "<rect x=\"{left}\" y=\"0\" width=\"{across}\" height=\"{down}\" fill=\"#f3f4f6\"/>"
        );
        runs(&mut svg, plane, [left, 0], unit, &|at| color(labels.get(at)));
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
            "<rect x=\"{x}\" y=\"{y}\" width=\"10\" height=\"10\" fill=\"{fill}\"/><text x=\"{}\" y=\"{}\" fill=\"#111827\">{}</text>",
            x + 14,
            y + 9,
            plain(name)
        );
        x += 24 + 7 * name.chars().count();
    }
    svg + "</svg>\n"
}

/// A plane row by row, neighbours of one colour as one.
fn runs(
    svg: &mut String,
    plane: &Plane,
    [left, top]: [usize; 2],
    unit: usize,
    color: &dyn Fn(usize) -> Option<String>,
) {
    for y in 0..plane.height {
        let row: Vec<Option<String>> = (0..plane.width).map(|x| color(y * plane.width + x)).collect();
        let mut x = 0;
        for run in row.chunk_by(|a, b| a == b) {
            if let Some(Some(fill)) = run.first() {
                let (at, y, wide) = (left + x * unit, top + y * unit, run.len() * unit);
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

    fn batch(image: Vec<f32>, labels: Vec<i32>) -> Arrays {
        let list =
            vec![(IMAGE.to_string(), Values::Real(image)), (LABELS.to_string(), Values::Whole(labels))];
        Arrays { list }
    }

    #[test]
    fn what_somebody_else_drew_is_not_written_over() {
        let dir = std::env::temp_dir().join(format!("meshwright-drawn-{}", std::process::id()));
        fs::create_dir_all(&dir).unwrap();
        fs::write(dir.join("slice-1.svg"), begun(4, 4)).unwrap();
        fs::write(dir.join("other.svg"), "<svg>").unwrap();
        assert_eq!(check_pictures(&dir), Ok(()));
        fs::write(dir.join("slice-2.svg"), "<svg width=\"9\">").unwrap();
        let found = check_pictures(&dir).unwrap_err();
        assert!(found.message.contains("slice-2.svg` is there already"), "{}", found.message);
        let found = check_pictures(&dir.join("other.svg")).unwrap_err();
        assert!(found.message.ends_with("other.svg` is a file, and pictures need a directory"));
        fs::remove_dir_all(&dir).unwrap();
    }

    #[test]
    fn the_middle_plane_is_drawn_three_times_with_the_names_of_its_classes() {
        let frame = BatchLayout { sizes: vec![3, 2, 4], channels: 1, told: vec![3, 2, 4], rows: 1 };
        let labels: Vec<i32> =
            (0..24).map(|at| i32::from((8..12).contains(&at)) + 2 * i32::from(at == 14)).collect();
        let batch = batch(labels.iter().map(|label| *label as f32).collect(), labels.clone());
        let found: Vec<f64> = labels.iter().map(|label| f64::from(*label % 2)).collect();
        let plane = frame.plane(&batch, 0, MOST).unwrap();
        assert_eq!((plane.height, plane.width), (2, 4));
        let classes = frame.classes(&labels, &found, 0, MOST).unwrap();
        assert_eq!(classes.asked, [1, 1, 1, 1, 0, 0, 2, 0]);
        assert_eq!(classes.found, [1, 1, 1, 1, 0, 0, 0, 0]);
        let names = ["outside", "solid", "hollow"].map(String::from);
        let svg = slice(&plane, &classes, &names);
        assert!(svg.contains("solid") && svg.contains("hollow") && !svg.contains("outside"));
        // The class that is not found is drawn once in the plane of labels, and as its sign.
        assert_eq!((svg.matches(COLORS[1]).count(), svg.matches(COLORS[2]).count()), (3, 2));
        assert!(svg.starts_with("<svg") && svg.ends_with("</svg>\n"));
        assert_eq!(counts(&labels, &names), "solid 4, hollow 1");
    }

    #[test]
    fn what_is_told_of_the_middle_alone_is_drawn_there() {
        let frame = BatchLayout { sizes: vec![4, 5], channels: 2, told: vec![2, 2], rows: 2 };
        let labels = [0, 0, 0, 0, 1, 2, 3, 4];
        let found = labels.map(f64::from);
        let classes = frame.classes(&labels, &found, 1, MOST).unwrap();
        let rows: Vec<&[usize]> = classes.asked.chunks(5).collect();
        assert_eq!(rows, [[0; 5], [0, 1, 2, 0, 0], [0, 3, 4, 0, 0], [0; 5]]);
        assert_eq!(classes.asked, classes.found);
        // The last of two numbers is drawn, from the least (black) to the most (white).
        let image: Vec<f32> = (0..80).map(|at| if at % 2 == 1 { at as f32 } else { -1e6 }).collect();
        let plane = frame.plane(&batch(image, Vec::new()), 1, MOST).unwrap();
        assert_eq!((plane.colors[0].as_str(), plane.colors[19].as_str()), ("#000", "#fff"));
    }

    #[test]
    fn images_stand_beside_what_is_said_of_them_and_what_is_wrong_is_told() {
        let frame = BatchLayout { sizes: vec![1, 2], channels: 3, told: Vec::new(), rows: 2 };
        let image = vec![0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0];
        let planes: Vec<Plane> = (0..2)
            .map(|row| frame.plane(&batch(image.clone(), vec![0, 1]), row, IMAGE_MOST).unwrap())
            .collect();
        assert_eq!(planes[0].colors, ["#00f", "#f00"]);
        let told = |asked: &str, said: &str| Told {
            question: (said == "disc").then(|| "what is there".into()),
            asked: asked.into(),
            said: said.into(),
            chance: 0.75,
        };
        let svg = tiles(&planes, &[told("ring", "ring"), told("a<b", "disc")]);
        assert!(
            svg.contains("ring 75%") && svg.contains("disc 75%") && svg.contains("it is a&lt;b"),
            "{svg}"
        );
        assert!(svg.contains("what is there?"), "{svg}");
        assert_eq!((svg.matches(RIGHT).count(), svg.matches(WRONG).count()), (2, 2));
    }
}
