//! Tensors on their mesh: tiles, each with the devices that hold it.
//!
//! ```text
//!   mesh 2 x 2      x  f32[8,4]
//!   y ->              0:2   2:4
//!   [0][1]       0:4 |  0  |  1  |
//!   [2][3]       4:8 |  2  |  3  |
//!   x down         [x, y]
//! ```
//!
//! Two dims are drawn: the first two that are split, else the first two. What is left out is said: other dims, tiles of
//! a long row, devices of a tile that many hold.

use crate::palette::Color;
use crate::scene::{Anchor, Area, Face, Fill, Ink, Scene, shortened};
use meshwright_shard::{AxisRef, Mesh, Sharding, axis};

/// A tensor as it is drawn.
#[derive(Clone, Debug)]
pub struct TensorDrawn<'a> {
    pub name: String,
    /// `f32[8,4]`.
    pub ty: String,
    pub dims: &'a [i64],
    pub sharding: &'a Sharding,
    pub mesh: &'a Mesh,
    /// `[x, _]`, as the reader knows shardings.
    pub short: String,
    /// Whether the user said so; else it followed.
    pub is_annotated: bool,
}

/// Tiles along a dim that are all drawn; of more, the first ones and the last.
const MOST_TILES: i64 = 8;
const FIRST_TILES: i64 = 5;
/// Devices of one tile that are all drawn.
const MOST_DEVICES: i64 = 4;
/// Letters of a name that are shown.
const LONGEST_NAME: usize = 40;
/// Where the next tensor goes below.
const WIDEST: f64 = 1000.0;
const GAP: f64 = 22.0;

/// Tensors side by side, with their mesh in front.
pub fn tensors(all: &[TensorDrawn<'_>]) -> String {
    let mut parts: Vec<Scene> = Vec::new();
    let mut legend: Option<&Mesh> = None;
    for tensor in all {
        if legend.is_none_or(|known| !known.same_but_name(tensor.mesh)) && !tensor.mesh.axes.is_empty() {
            parts.push(mesh(tensor.mesh));
            legend = Some(tensor.mesh);
        }
        parts.push(block(tensor));
    }
    let mut scene = lines(&parts);
    let below = scene.height() + 26.0;
    if all.iter().any(|tensor| tensor.is_annotated) && all.iter().any(|tensor| !tensor.is_annotated) {
        let said = "Framed: annotated. The others are completed.";
        scene.text((0.0, below), said, Face::Words, Ink::Muted, Anchor::Start);
    }
    let names: Vec<String> =
        all.iter().map(|tensor| format!("{} split {}", tensor.name, tensor.short)).collect();
    scene.finish(&names.join(", "))
}

/// Parts side by side, in as few lines as they take, which are about as long as each other.
fn lines(parts: &[Scene]) -> Scene {
    const BETWEEN: f64 = 28.0;
    let total: f64 = parts.iter().map(|part| part.width() + BETWEEN).sum();
    let rows = (total / WIDEST).ceil().max(1.0);
    let most = if rows > 1.0 { (total / rows * 1.12).min(WIDEST) } else { total };
    let mut scene = Scene::default();
    let (mut x, mut y, mut line): (f64, f64, f64) = (0.0, 0.0, 0.0);
    for part in parts {
        if x > 0.0 && x + part.width() > most {
            (x, y, line) = (0.0, y + line + 34.0, 0.0);
        }
        scene.place((x, y), part, "");
        x += part.width() + BETWEEN;
        line = line.max(part.height());
    }
    scene
}

/// Devices in the order of the mesh: its first axis down, all others to the right.
pub fn mesh(mesh: &Mesh) -> Scene {
    const CELL: f64 = 34.0;
    let mut scene = Scene::default();
    let sizes: Vec<String> = mesh.axes.values().map(|axis| axis.size.to_string()).collect();
    let title = format!("mesh {}", sizes.join(" x "));
    let names: Vec<String> = mesh.axes.values().map(|axis| shortened(&axis.name, 14)).collect();
    let (down, across) = names
        .split_first()
        .map_or((String::new(), Vec::new()), |(first, rest)| (first.clone(), rest.to_vec()));
    scene.text((0.0, 9.0), &title, Face::Heading, Ink::Plain, Anchor::Start);
    let head = if across.is_empty() { String::new() } else { format!("{} \u{2192}", across.join(", ")) };
    scene.text((0.0, 30.0), &head, Face::Small, Ink::Muted, Anchor::Start);
    let rows = mesh.axes.values().next().map_or(1, |axis| axis.size);
    let columns = (mesh.device_count() / rows.max(1)).max(1);
    let (down_places, right_places) = (Places::of(rows, CELL - 2.0), Places::of(columns, CELL));
    let top = 42.0;
    for (row, y) in &down_places.shown {
        for (column, x) in &right_places.shown {
            let position = row * columns + column;
            let area = Area::new(*x, top + y, CELL, CELL - 2.0);
            scene.rect(area, Fill::Color(Color::of(mesh, position)));
            scene.rect(area, Fill::Seam);
            scene.text_on(area.middle(), &device(mesh, position).to_string(), Color::of(mesh, position));
        }
    }
    down_places.dots(&mut scene, (CELL / 2.0, top), true);
    right_places.dots(&mut scene, (0.0, top + (CELL - 2.0) / 2.0), false);
    let below = format!("\u{2193} {down}");
    let foot = top + down_places.length + 14.0;
    scene.text((0.0, foot), &below, Face::Small, Ink::Muted, Anchor::Start);
    scene
}

/// Indices that are drawn with their places, and how long the row is.
struct Places {
    shown: Vec<(i64, f64)>,
    /// The middle of the gap, and how many stand in it.
    gap: Option<(f64, i64)>,
    length: f64,
}

impl Places {
    fn of(count: i64, each: f64) -> Places {
        let place = |index: i64| index as f64 * each;
        if count <= MOST_TILES {
            let shown = (0..count).map(|index| (index, place(index))).collect();
            return Places { shown, gap: None, length: place(count) };
        }
        let end = place(FIRST_TILES);
        let mut shown: Vec<(i64, f64)> = (0..FIRST_TILES).map(|index| (index, place(index))).collect();
        shown.push((count - 1, end + GAP));
        let gap = Some((end + GAP / 2.0, count - FIRST_TILES - 1));
        Places { shown, gap, length: end + GAP + each }
    }

    /// What stands for those that are left out.
    fn dots(&self, scene: &mut Scene, (x, y): (f64, f64), down: bool) {
        let Some((middle, _)) = self.gap else { return };
        let (at, dots) = if down { ((x, y + middle), "\u{22ee}") } else { ((x + middle, y), "\u{22ef}") };
        scene.text(at, dots, Face::Name, Ink::Muted, Anchor::Middle);
    }
}

/// The number of the device at a position.
pub fn device(mesh: &Mesh, position: i64) -> i64 {
    mesh.device_at(position).map_or(position, |device| i64::from(device.number()))
}

/// One tensor.
pub fn block(tensor: &TensorDrawn<'_>) -> Scene {
    let mut scene = Scene::default();
    let name = shortened(&tensor.name, LONGEST_NAME);
    scene.text((0.0, 9.0), &name, Face::Name, Ink::Plain, Anchor::Start);
    scene.text((0.0, 29.0), &tensor.ty, Face::Code, Ink::Muted, Anchor::Start);
    let grid = Grid::of(tensor);
    let drawn = grid.draw(tensor);
    scene.place((0.0, 42.0), &drawn, "");
    let mut y = 42.0 + drawn.height() + 16.0;
    scene.text((grid.left, y), &tensor.short, Face::Code, Ink::Plain, Anchor::Start);
    for said in notes(tensor, &grid) {
        y += 18.0;
        scene.text((grid.left, y), &said, Face::Small, Ink::Muted, Anchor::Start);
    }
    scene
}

/// One of the two dims that are drawn.
#[derive(Clone, Copy)]
struct DimDrawn {
    dim: usize,
    size: i64,
    tiles: i64,
    piece: i64,
}

impl DimDrawn {
    /// What a tile holds of it, without padding.
    fn range(self, tile: i64) -> (i64, i64) {
        let from = (tile * self.piece).min(self.size);
        (from, (from + self.piece).min(self.size))
    }

    fn label(self, tile: i64) -> String {
        let (from, to) = self.range(tile);
        format!("{from}:{to}")
    }

    /// The share of a tile that is padding.
    fn padding(self, tile: i64) -> f64 {
        let (from, to) = self.range(tile);
        if self.piece == 0 { 0.0 } else { (self.piece - (to - from)) as f64 / self.piece as f64 }
    }
}

/// How a tensor is laid out.
struct Grid {
    rows: Option<DimDrawn>,
    columns: Option<DimDrawn>,
    /// Dims that are not drawn.
    others: Vec<usize>,
    /// Devices of each tile.
    holders: i64,
    down: Places,
    right: Places,
    cell: (f64, f64),
    /// Room for the rows' ranges.
    left: f64,
}

impl Grid {
    fn of(tensor: &TensorDrawn<'_>) -> Grid {
        let counts = tensor.sharding.tiles();
        let pieces = tensor.sharding.shard_shape(tensor.dims);
        let split = |dim: &usize| counts[*dim] > 1;
        let all: Vec<usize> = (0..tensor.dims.len()).collect();
        let mut chosen: Vec<usize> = all.iter().copied().filter(split).take(2).collect();
        let rest = all.iter().copied().filter(|dim| !split(dim));
        chosen.extend(rest.take(2_usize.saturating_sub(chosen.len())));
        chosen.sort_unstable();
        let drawn =
            |dim: usize| DimDrawn { dim, size: tensor.dims[dim], tiles: counts[dim], piece: pieces[dim] };
        let (rows, columns) = match chosen[..] {
            [row, column] => (Some(drawn(row)), Some(drawn(column))),
            [column] => (None, Some(drawn(column))),
            _ => (None, None),
        };
        let others = all.into_iter().filter(|dim| !chosen.contains(dim)).collect();
        let holders = (tensor.mesh.device_count() / counts.iter().product::<i64>().max(1)).max(1);
        let tiles = |dim: Option<DimDrawn>| dim.map_or(1, |dim| dim.tiles);
        let cell = cell(tensor, (rows, columns), holders);
        let label = |dim: DimDrawn, tile: i64| Face::Small.width(&dim.label(tile));
        let left = rows.map_or(0.0, |dim| label(dim, dim.tiles - 1).max(label(dim, 0)) + 8.0);
        let (down, right) = (Places::of(tiles(rows), cell.1), Places::of(tiles(columns), cell.0));
        Grid { rows, columns, others, holders, down, right, cell, left }
    }

    fn draw(&self, tensor: &TensorDrawn<'_>) -> Scene {
        let mut scene = Scene::default();
        let top = if self.columns.is_some() { 18.0 } else { 3.0 };
        for (row, y) in &self.down.shown {
            for (column, x) in &self.right.shown {
                let part = self.tile(tensor, (*row, *column));
                scene.place((self.left + x, top + y), &part, &format!("data-tile=\"{row},{column}\""));
            }
            if let Some(dim) = self.rows {
                let at = (self.left - 7.0, top + y + self.cell.1 / 2.0);
                scene.text(at, &dim.label(*row), Face::Small, Ink::Muted, Anchor::End);
            }
        }
        for ((column, x), dim) in self.right.shown.iter().zip(std::iter::repeat(self.columns)) {
            if let Some(dim) = dim {
                let at = (self.left + x + self.cell.0 / 2.0, 7.0);
                scene.text(at, &dim.label(*column), Face::Small, Ink::Muted, Anchor::Middle);
            }
        }
        let (wide, high) = (self.right.length, self.down.length);
        self.down.dots(&mut scene, (self.left + wide / 2.0, top), true);
        self.right.dots(&mut scene, (self.left, top + high / 2.0), false);
        if tensor.is_annotated {
            scene.rect(Area::new(self.left - 3.0, top - 3.0, wide + 6.0, high + 6.0), Fill::Frame);
        }
        scene.reach(self.left + wide + 4.0, top + high + 4.0);
        scene
    }

    /// A tile with a stripe for each device that holds it.
    fn tile(&self, tensor: &TensorDrawn<'_>, (row, column): (i64, i64)) -> Scene {
        let (width, height) = self.cell;
        let mut scene = Scene::default();
        let mut tile = vec![0; tensor.dims.len()];
        for (dim, at) in [(self.rows, row), (self.columns, column)] {
            if let Some(dim) = dim {
                tile[dim.dim] = at;
            }
        }
        let named = if self.holders > MOST_DEVICES { MOST_DEVICES - 1 } else { self.holders };
        let stripes = self.holders.min(MOST_DEVICES);
        let wide = width / stripes as f64;
        let dims: Vec<&[AxisRef]> = tensor.sharding.dims.iter().map(|dim| &dim.axes[..]).collect();
        let positions = holders(tensor.mesh, &dims, &tile, named);
        for (at, position) in positions.iter().enumerate() {
            let area = Area::new(at as f64 * wide, 0.0, wide, height);
            scene.device(area, Color::of(tensor.mesh, *position), device(tensor.mesh, *position));
        }
        if self.holders > named {
            let area = Area::new(named as f64 * wide, 0.0, wide, height);
            scene.rect(area, Fill::Color(Color::neutral()));
        }
        let below = self.rows.map_or(0.0, |dim| dim.padding(row)) * height;
        let right = self.columns.map_or(0.0, |dim| dim.padding(column)) * width;
        if below > 0.0 {
            scene.rect(Area::new(0.0, height - below, width, below), Fill::Hatch);
        }
        if right > 0.0 {
            scene.rect(Area::new(width - right, 0.0, right, height - below), Fill::Hatch);
        }
        scene.rect(Area::new(0.0, 0.0, width, height), Fill::Seam);
        const LINE: f64 = 14.0;
        // In the middle of what is real of a stripe; where there is too little of that, on the hatch.
        for at in 0..stripes {
            let (from, to) = (at as f64 * wide, (at + 1) as f64 * wide);
            let is_padding = from >= width - right || below >= height;
            let end = if is_padding { to } else { to.min(width - right) };
            let high = if is_padding { height } else { height - below };
            let (label, color) = match positions.get(at as usize) {
                Some(position) => {
                    (device(tensor.mesh, *position).to_string(), Color::of(tensor.mesh, *position))
                }
                None => (format!("+{}", self.holders - named), Color::neutral()),
            };
            let place = ((from + end) / 2.0, high / 2.0);
            if is_padding || end - from < Face::Small.width(&label) || high < LINE {
                scene.text(((from + to) / 2.0, high / 2.0), &label, Face::Small, Ink::Plain, Anchor::Middle);
            } else {
                scene.text_on(place, &label, color);
            }
        }
        scene
    }
}

/// Width and height of a tile: in the shape of the tensor as far as what stands on it has room.
fn cell(
    tensor: &TensorDrawn<'_>,
    (rows, columns): (Option<DimDrawn>, Option<DimDrawn>),
    holders: i64,
) -> (f64, f64) {
    const SIDE: f64 = 98.0;
    let shown = |dim: DimDrawn| dim.tiles.min(FIRST_TILES + 2) as f64;
    let (wide, high) = match (rows, columns) {
        (Some(row), Some(column)) => {
            let ratio = (column.size.max(1) as f64 / row.size.max(1) as f64).sqrt().clamp(0.6, 1.7);
            (SIDE * ratio, SIDE / ratio)
        }
        (None, Some(_)) => (SIDE * 1.5, 40.0),
        _ => (80.0, 40.0),
    };
    let last = device(tensor.mesh, tensor.mesh.device_count() - 1).to_string();
    let stripes = holders.min(MOST_DEVICES) as f64;
    let more = if holders > MOST_DEVICES { format!("+{holders}") } else { String::new() };
    let stripe = Face::Small.width(&last).max(Face::Small.width(&more)) + 7.0;
    let label = columns.map_or(0.0, |dim| Face::Small.width(&dim.label(dim.tiles - 1)) + 6.0);
    let width = (wide / columns.map_or(1.0, shown)).max(stripes * stripe).max(label);
    (width.ceil(), (high / rows.map_or(1.0, shown)).max(26.0).ceil())
}

/// The first positions of a mesh that hold a tile of dims that are split over these axes, at most so many.
pub fn holders(mesh: &Mesh, dims: &[&[AxisRef]], tile: &[i64], most: i64) -> Vec<i64> {
    let stride = |of: &AxisRef| {
        let size = mesh.axes.get(of.axis).map_or(1, |axis| axis.size);
        mesh.stride(of.axis) * (size / (of.pre * of.size).max(1))
    };
    let at = |axes: &[AxisRef], mut index: i64| {
        let mut position = 0;
        for axis in axes.iter().rev() {
            position += index % axis.size * stride(axis);
            index /= axis.size;
        }
        position
    };
    let first: i64 = dims.iter().zip(tile).map(|(axes, index)| at(axes, *index)).sum();
    let split: Vec<AxisRef> = dims.concat();
    let free = axis::difference(&mesh.whole_axes(), &split);
    let count = axis::product(&free).min(most);
    (0..count).map(|copy| first + at(&free, copy)).collect()
}

/// What the tiles do not say.
fn notes(tensor: &TensorDrawn<'_>, grid: &Grid) -> Vec<String> {
    let mut said = Vec::new();
    let all = tensor.mesh.device_count();
    if tensor.mesh.is_maximal() {
        said.push(format!("whole on device {}", device(tensor.mesh, 0)));
    } else if tensor.sharding.is_replicated() && all > 1 {
        said.push(format!("whole on each of {all} devices"));
    } else if grid.holders > 1 {
        said.push(format!("each tile on {} devices", grid.holders));
    }
    let counts = tensor.sharding.tiles();
    for dim in &grid.others {
        let (size, tiles) = (tensor.dims[*dim], counts[*dim]);
        said.push(match tiles {
            1 => format!("dim {dim} of {size}, whole, is not drawn"),
            _ => format!("dim {dim} of {size} is not drawn: this is the first of its {tiles} tiles"),
        });
    }
    for dim in [grid.rows, grid.columns].into_iter().flatten() {
        let padded = dim.piece.saturating_mul(dim.tiles) - dim.size;
        if padded > 0 {
            said.push(format!(
                "dim {}: tiles of {}, with {padded} of padding at the end",
                dim.dim, dim.piece
            ));
        }
        let places = if Some(dim.dim) == grid.columns.map(|dim| dim.dim) { &grid.right } else { &grid.down };
        if let Some((_, left_out)) = places.gap {
            said.push(format!("dim {}: {left_out} tiles of {} are left out", dim.dim, dim.tiles));
        }
    }
    if tensor.dims.contains(&0) {
        said.push("it has no elements".into());
    }
    if !tensor.sharding.partial.is_empty() {
        said.push("each device has a part of the sum".into());
    }
    if !tensor.sharding.manual.is_empty() {
        said.push("manual: each device's own".into());
    }
    said
}

#[cfg(test)]
mod tests {
    use super::*;
    use meshwright_shard::{MeshId, Meshes, index_along};
    use std::collections::BTreeMap;

    fn id(mesh: &Mesh) -> MeshId {
        Meshes::new().push(mesh.clone())
    }

    /// Tiles of a picture with their devices.
    fn read(svg: &str) -> BTreeMap<(i64, i64), Vec<i64>> {
        let mut found: BTreeMap<(i64, i64), Vec<i64>> = BTreeMap::new();
        for part in svg.split("data-tile=\"").skip(1) {
            let (tile, rest) = part.split_once('"').unwrap();
            let (row, column) = tile.split_once(',').unwrap();
            let devices = found.entry((row.parse().unwrap(), column.parse().unwrap())).or_default();
            let own = rest.split("</g>").next().unwrap();
            let numbers = own.split("data-device=\"").skip(1);
            devices.extend(numbers.map(|text| text.split('"').next().unwrap().parse::<i64>().unwrap()));
        }
        found
    }

    /// Numbers of a linear congruence: the same on every machine.
    struct Draws(u64);

    impl Draws {
        fn below(&mut self, count: usize) -> usize {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            ((self.0 >> 33) % count as u64) as usize
        }
    }

    /// A mesh, a sharding over some pieces of its axes, and a shape: sizes that do not divide, 1 and 0 among them.
    fn drawn(draws: &mut Draws) -> (Mesh, Sharding, Vec<i64>) {
        let rank = 1 + draws.below(3);
        let sizes: Vec<i64> = (0..rank).map(|_| [1, 2, 3, 4, 6, 16][draws.below(6)]).collect();
        let names: Vec<String> = (0..rank).map(|at| format!("a{at}")).collect();
        let count: i64 = sizes.iter().product();
        let reversed = draws.below(3) == 0;
        let order = reversed.then(|| (0..u32::try_from(count).unwrap()).rev().collect());
        let axes = names.iter().map(String::as_str).zip(sizes.iter().copied());
        let mesh = Mesh::new("m", axes, order).unwrap();
        let dims: Vec<i64> =
            (0..draws.below(5)).map(|_| [0, 1, 2, 5, 7, 8, 12, 64][draws.below(8)]).collect();
        let mut pieces: Vec<Vec<AxisRef>> = vec![Vec::new(); dims.len()];
        for axis in mesh.whole_axes() {
            let halves = if axis.size % 2 == 0 && draws.below(3) == 0 { axis.split(2) } else { None };
            let each = halves.map_or(vec![axis], |(major, minor)| vec![minor, major]);
            for piece in each {
                if !dims.is_empty() && draws.below(4) > 0 {
                    pieces[draws.below(dims.len())].push(piece);
                }
            }
        }
        let sharding = Sharding::tiled(id(&mesh), pieces);
        (mesh, sharding, dims)
    }

    #[test]
    fn each_drawn_device_stands_in_exactly_the_tiles_that_its_sharding_says() {
        let mut draws = Draws(7);
        let (mut with_padding, mut elided) = (0, 0);
        for case in 0..600 {
            let (mesh, sharding, dims) = drawn(&mut draws);
            let tensor = TensorDrawn {
                name: "t".into(),
                ty: String::new(),
                dims: &dims,
                sharding: &sharding,
                mesh: &mesh,
                short: String::new(),
                is_annotated: case % 2 == 0,
            };
            let svg = tensors(std::slice::from_ref(&tensor));
            assert_eq!(svg, tensors(std::slice::from_ref(&tensor)));
            let grid = Grid::of(&tensor);
            let place = |dim: Option<DimDrawn>, position: i64| {
                dim.map_or(0, |dim| index_along(&mesh, &sharding.dims[dim.dim].axes, position))
            };
            let mut wanted: BTreeMap<(i64, i64), Vec<i64>> = BTreeMap::new();
            for position in 0..mesh.device_count() {
                let is_drawn = grid
                    .others
                    .iter()
                    .all(|dim| index_along(&mesh, &sharding.dims[*dim].axes, position) == 0);
                if is_drawn {
                    let at = (place(grid.rows, position), place(grid.columns, position));
                    wanted.entry(at).or_default().push(device(&mesh, position));
                }
            }
            let found = read(&svg);
            let counts = [grid.rows, grid.columns].map(|dim| dim.map_or(1, |dim| dim.tiles));
            let is_whole = counts.iter().all(|count| *count <= MOST_TILES);
            assert_eq!(is_whole, found.len() as i64 == counts[0] * counts[1], "{case}");
            elided += i64::from(!is_whole);
            with_padding += i64::from(svg.contains("class=\"hatch\""));
            for (tile, devices) in &found {
                let wanted = &wanted[tile];
                let named =
                    if wanted.len() as i64 > MOST_DEVICES { MOST_DEVICES as usize - 1 } else { wanted.len() };
                assert_eq!(devices[..], wanted[..named], "case {case}, tile {tile:?} of {sharding:?}");
            }
        }
        assert!(with_padding > 50 && elided > 50, "{with_padding} {elided}");
    }

    #[test]
    fn what_is_not_drawn_is_said() {
        let mesh = Mesh::new("m", [("x", 2), ("y", 2), ("z", 32)], None).unwrap();
        let [x, y, z] = [0, 1, 2].map(|at| mesh.whole_axes()[at]);
        let sharding = Sharding::tiled(id(&mesh), [vec![x], vec![z], vec![y], vec![]]);
        let tensor = TensorDrawn {
            name: "<t>".into(),
            ty: "f32[3,64,4,9]".into(),
            dims: &[3, 64, 4, 9],
            sharding: &sharding,
            mesh: &mesh,
            short: "[x, z, y, _]".into(),
            is_annotated: false,
        };
        let svg = tensors(&[tensor]);
        for said in [
            "dim 2 of 4 is not drawn: this is the first of its 2 tiles",
            "dim 3 of 9, whole, is not drawn",
            "dim 0: tiles of 2, with 1 of padding at the end",
            "dim 1: 26 tiles of 32 are left out",
            "&lt;t&gt;",
            "mesh 2 x 2 x 32",
        ] {
            assert!(svg.contains(said), "{said}: {svg}");
        }
    }
}
