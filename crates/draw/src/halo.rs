//! A halo exchange: for each device the elements it has and those it needs, on one scale.
//!
//! ```text
//!              0   1   2   3   4   5   6   7
//! device 0   [ 0   0   0   0 | 1 ]              needed, in the colors of who has it
//!             ===============  ^                what the device has
//!                          |   |                arrows: what is sent
//! device 1               [ 0 | 1   1   1   1 ]
//! ```

use crate::palette::Color;
use crate::scene::{Anchor, Area, Face, Fill, Ink, Scene, shortened};

/// What devices need of one dim, or of dims that are one line of elements.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Exchanged {
    pub heading: String,
    /// Sentences below the picture.
    pub said: Vec<String>,
    /// Elements that are wanted at all: from this one on, up to that.
    pub from: i64,
    pub until: i64,
    /// All that there are.
    pub size: i64,
    /// Elements of a shard.
    pub piece: i64,
    /// Elements that each device needs.
    pub width: i64,
    /// Whether the dim is split; else every device has all of it.
    pub is_split: bool,
    /// The tiles that are drawn, from the first on, and how many there are beside them.
    pub tiles: Vec<TileNeeds>,
    pub left_out: i64,
    /// (source, target) among the drawn tiles.
    pub pairs: Vec<(i64, i64)>,
}

/// One tile of the dim.
#[derive(Clone, PartialEq, Debug)]
pub struct TileNeeds {
    /// Devices that have it.
    pub devices: Vec<i64>,
    pub color: Color,
    /// The first element that they need.
    pub start: i64,
}

/// Tiles that are drawn.
pub const MOST_TILES: i64 = 8;

/// Exchanges one below the other.
pub fn halo(all: &[Exchanged], title: &str) -> String {
    let mut scene = Scene::default();
    let mut y = 0.0;
    for exchanged in all {
        let part = picture(exchanged);
        scene.place((0.0, y), &part, "");
        y += part.height() + 36.0;
    }
    scene.finish(title)
}

const BAR: f64 = 24.0;
const ROW: f64 = 60.0;
const TOP: f64 = 62.0;
/// Elements at least so wide have their numbers on them; of narrower ones runs have their lengths.
const NUMBERED: f64 = 24.0;

/// How elements lie on the picture.
struct Scale {
    left: f64,
    first: i64,
    last: i64,
    unit: f64,
}

impl Scale {
    fn of(exchanged: &Exchanged, left: f64) -> Scale {
        const WIDEST: f64 = 800.0;
        let starts = || exchanged.tiles.iter().map(|tile| tile.start);
        let drawn = exchanged.tiles.len() as i64;
        let shards = if exchanged.is_split { drawn * exchanged.piece } else { exchanged.size };
        let first = starts().min().unwrap_or(0).min(0);
        let last = starts().map(|start| start + exchanged.width).max().unwrap_or(0).max(shards);
        let unit = (WIDEST / (last - first).max(1) as f64).min(34.0);
        Scale { left, first, last, unit }
    }

    fn x(&self, element: i64) -> f64 {
        self.left + (element - self.first) as f64 * self.unit
    }

    fn area(&self, (from, to): (i64, i64), y: f64, height: f64) -> Area {
        Area::new(self.x(from), y, (to - from) as f64 * self.unit, height)
    }
}

/// A run of needed elements: who has them, and where they lie at its owner.
struct Run {
    range: (i64, i64),
    owner: Option<i64>,
}

impl Exchanged {
    /// The elements that a tile needs, by who has them.
    fn runs(&self, tile: usize) -> Vec<Run> {
        let start = self.tiles[tile].start;
        let end = start + self.width;
        let mut runs = Vec::new();
        let mut at = start;
        while at < end {
            let (owner, to) = if at < self.from {
                (None, self.from)
            } else if at >= self.until {
                (None, end)
            } else if !self.is_split || self.piece == 0 {
                (Some(tile as i64), self.until)
            } else {
                let shard = at / self.piece;
                (Some(shard), ((shard + 1) * self.piece).min(self.until))
            };
            let to = to.min(end).max(at + 1);
            runs.push(Run { range: (at, to), owner });
            at = to;
        }
        runs
    }

    /// What a tile has.
    fn own(&self, tile: i64) -> (i64, i64) {
        if !self.is_split {
            return (0, self.size);
        }
        let from = (tile * self.piece).min(self.size);
        (from, (from + self.piece).min(self.size))
    }

    fn color(&self, tile: i64) -> Color {
        let known = usize::try_from(tile).ok().and_then(|tile| self.tiles.get(tile));
        known.map_or(Color::neutral(), |tile| tile.color)
    }
}

fn picture(exchanged: &Exchanged) -> Scene {
    let mut scene = Scene::default();
    scene.text((0.0, 9.0), &exchanged.heading, Face::Heading, Ink::Plain, Anchor::Start);
    let names: Vec<String> = exchanged.tiles.iter().map(name).collect();
    let left = names.iter().map(|name| Face::Words.width(name)).fold(0.0, f64::max) + 16.0;
    let scale = Scale::of(exchanged, left);
    ruler(&mut scene, &scale, exchanged);
    for (at, name) in names.iter().enumerate() {
        let y = TOP + at as f64 * ROW;
        scene.text((0.0, y + BAR / 2.0), name, Face::Words, Ink::Plain, Anchor::Start);
        row(&mut scene, &scale, exchanged, (at, y));
    }
    arrows(&mut scene, &scale, exchanged);
    let mut y = TOP + names.len() as f64 * ROW - 6.0;
    for said in legend(exchanged, &scale).iter().chain(&exchanged.said) {
        y += 20.0;
        scene.text((0.0, y), said, Face::Words, Ink::Muted, Anchor::Start);
    }
    scene
}

/// `device 3`, `devices 0, 4 ..`.
fn name(tile: &TileNeeds) -> String {
    const MOST: usize = 3;
    match &tile.devices[..] {
        [one] => format!("device {one}"),
        all => {
            let shown: Vec<String> = all.iter().take(MOST).map(i64::to_string).collect();
            let more = if all.len() > MOST { " .." } else { "" };
            format!("devices {}{more}", shown.join(", "))
        }
    }
}

/// Numbers of elements.
fn ruler(scene: &mut Scene, scale: &Scale, exchanged: &Exchanged) {
    let every = (Face::Small.width(&scale.last.to_string()) + 12.0) / scale.unit.max(1e-15);
    let steps = [1, 2, 4, 5, 8, 10, 16, 20, 25, 32, 50, 64, 100];
    let mut times = 1;
    let step = loop {
        let fitting = steps.iter().map(|step| step * times).find(|step| *step as f64 >= every);
        if let Some(step) = fitting {
            break step;
        }
        times *= 100;
    };
    let mut element = 0;
    while element < exchanged.size.min(scale.last) {
        let at = (scale.x(element) + scale.unit / 2.0, TOP - 16.0);
        scene.text(at, &element.to_string(), Face::Small, Ink::Muted, Anchor::Middle);
        element += step;
    }
}

fn row(scene: &mut Scene, scale: &Scale, exchanged: &Exchanged, (at, y): (usize, f64)) {
    for run in exchanged.runs(at) {
        let area = scale.area(run.range, y, BAR);
        let Some(owner) = run.owner else {
            scene.rect(area, Fill::Track);
            scene.rect(area, Fill::Hatch);
            continue;
        };
        let color = exchanged.color(owner);
        scene.rect(area, Fill::Color(color));
        if scale.unit < NUMBERED {
            scene.rect(area, Fill::Seam);
            let count = (run.range.1 - run.range.0).to_string();
            if area.width > Face::Small.width(&count) + 4.0 {
                scene.text_on(area.middle(), &count, color);
            }
            continue;
        }
        for element in run.range.0..run.range.1 {
            let area = scale.area((element, element + 1), y, BAR);
            scene.rect(area, Fill::Seam);
            scene.text_on(area.middle(), &element.to_string(), color);
        }
    }
    let own = exchanged.own(at as i64);
    if own.0 < own.1 {
        scene.rect(scale.area(own, y + BAR + 3.0, 5.0), Fill::Color(exchanged.color(at as i64)));
    }
}

/// From what a device has to where another needs it.
fn arrows(scene: &mut Scene, scale: &Scale, exchanged: &Exchanged) {
    for (source, target) in &exchanged.pairs {
        let Ok(at) = usize::try_from(*target) else { continue };
        if at >= exchanged.tiles.len() || source == target {
            continue;
        }
        let of = |tile: i64| TOP + tile as f64 * ROW;
        for run in exchanged.runs(at).into_iter().filter(|run| run.owner == Some(*source)) {
            let (start, end) = if source < target {
                (of(*source) + BAR + 9.0, of(*target) - 1.0)
            } else {
                (of(*source) - 2.0, of(*target) + BAR + 1.0)
            };
            let x = (scale.x(run.range.0) + scale.x(run.range.1)) / 2.0;
            scene.arrow((x, start), (x, end), Ink::Accent);
        }
    }
}

/// What colors and lines mean.
fn legend(exchanged: &Exchanged, scale: &Scale) -> Vec<String> {
    let numbers = if scale.unit < NUMBERED { ", with how many elements that are" } else { "" };
    let mut said = vec![format!(
        "Bars: what a device needs, in the color of who has it{numbers}. The thin line below: what it has itself."
    )];
    let tiles = 0..exchanged.tiles.len();
    if tiles.flat_map(|tile| exchanged.runs(tile)).any(|run| run.owner.is_none()) {
        said.push("Hatched: not there, or not looked at.".into());
    }
    if exchanged.left_out > 0 {
        said.push(format!("{} more tiles are not drawn.", exchanged.left_out));
    }
    said
}

/// A name that may be long, within a heading.
pub fn in_heading(name: &str) -> String {
    shortened(name, 60)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tiles(starts: &[i64]) -> Vec<TileNeeds> {
        let tile = |(at, start): (usize, &i64)| TileNeeds {
            devices: vec![at as i64],
            color: Color::at((at as i64, 4), (0, 1)),
            start: *start,
        };
        starts.iter().enumerate().map(tile).collect()
    }

    /// A window of 3 over 8 elements on 2 devices.
    fn window() -> Exchanged {
        Exchanged {
            heading: "window".into(),
            until: 8,
            size: 8,
            piece: 4,
            width: 6,
            is_split: true,
            tiles: tiles(&[-1, 3]),
            pairs: vec![(0, 1), (1, 0)],
            ..Exchanged::default()
        }
    }

    fn runs(exchanged: &Exchanged, tile: usize) -> Vec<(i64, i64, Option<i64>)> {
        exchanged.runs(tile).iter().map(|run| (run.range.0, run.range.1, run.owner)).collect()
    }

    #[test]
    fn needed_elements_are_those_of_their_owners_and_what_nobody_has() {
        let window = window();
        assert_eq!(runs(&window, 0), [(-1, 0, None), (0, 4, Some(0)), (4, 5, Some(1))]);
        assert_eq!(runs(&window, 1), [(3, 4, Some(0)), (4, 8, Some(1)), (8, 9, None)]);
        let whole = Exchanged { is_split: false, ..window };
        assert_eq!(runs(&whole, 1), [(3, 8, Some(1)), (8, 9, None)]);
        let none = Exchanged { size: 0, piece: 0, tiles: tiles(&[0]), width: 2, ..Exchanged::default() };
        assert_eq!(runs(&none, 0), [(0, 2, None)]);
    }

    #[test]
    fn what_is_sent_is_an_arrow_and_what_is_not_there_is_hatched() {
        let svg = halo(&[window()], "w");
        assert_eq!(svg.matches("<polygon").count(), 2);
        assert_eq!(svg.matches("class=\"hatch\"").count(), 2);
        assert!(svg.contains("Hatched: not there, or not looked at."));
    }
}
