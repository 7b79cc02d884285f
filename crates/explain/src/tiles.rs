//! A tensor drawn as tiles, with the devices that hold each.
//!
//! ```text
//! f32[8,4] split [x, y] over x=2, y=2
//!            0:2   2:4
//!   0:4    |  0  |  1  |
//!   4:8    |  2  |  3  |
//! ```

use meshwright_shard::{Mesh, Sharding, index_along};
use std::collections::BTreeMap;
use std::fmt::Write;

/// Tiles along one dim that are drawn, and devices of one tile that are listed.
const MOST_TILES: i64 = 16;
const MOST_DEVICES: usize = 8;

/// The first two dims that are split, or the first two there are: rows and columns. Of a tile all devices that hold it.
pub fn tiles(dims: &[i64], sharding: &Sharding, mesh: &Mesh) -> String {
    let counts = sharding.tiles();
    let mut shown: Vec<usize> = (0..dims.len()).filter(|dim| counts[*dim] > 1).take(2).collect();
    shown.extend((0..dims.len()).filter(|dim| counts[*dim] <= 1).take(2_usize.saturating_sub(shown.len())));
    shown.sort_unstable();
    let count = |at: usize| shown.get(at).map_or(1, |dim| counts[*dim]);
    let (rows, columns) = (count(0), count(1));
    if rows > MOST_TILES || columns > MOST_TILES || mesh.device_count() > 4096 {
        return format!("  {rows} by {columns} tiles on {} devices\n", mesh.device_count());
    }
    let mut held: BTreeMap<(i64, i64), Vec<String>> = BTreeMap::new();
    for position in 0..mesh.device_count() {
        let along =
            |at: usize| shown.get(at).map_or(0, |dim| index_along(mesh, &sharding.dims[*dim].axes, position));
        let device = mesh.device_at(position).map_or(position.to_string(), |device| device.to_string());
        held.entry((along(0), along(1))).or_default().push(device);
    }
    let cell = |row: i64, column: i64| {
        let devices = held.get(&(row, column)).map_or(&[][..], Vec::as_slice);
        match devices.len() {
            count if count > MOST_DEVICES => format!("{} .. {}", devices[0], devices[count - 1]),
            _ => devices.join(" "),
        }
    };
    let range = |at: usize, tile: i64| {
        let Some(dim) = shown.get(at) else { return "all".into() };
        let (size, tiles) = (dims[*dim], counts[*dim]);
        let each = (size + tiles - 1) / tiles;
        format!("{}:{}", (tile * each).min(size), ((tile + 1) * each).min(size))
    };
    let heads: Vec<String> = (0..columns).map(|column| range(1, column)).collect();
    let cells = (0..rows).flat_map(|row| (0..columns).map(move |column| (row, column)));
    let widest = cells.map(|(row, column)| cell(row, column).len()).chain(heads.iter().map(String::len));
    let width = widest.max().unwrap_or(1);
    let left = (0..rows).map(|row| range(0, row).len()).max().unwrap_or(1);
    let mut out = String::new();
    if shown.len() > 1 {
        let heads: Vec<String> = heads.iter().map(|head| format!("{head:^width$}")).collect();
        let _ = writeln!(out, "  {:left$}   {}", "", heads.join("   ").trim_end());
    }
    for row in 0..rows {
        let line: Vec<String> = (0..columns).map(|column| format!("{:^width$}", cell(row, column))).collect();
        let _ = writeln!(out, "  {:>left$} | {} |", range(0, row), line.join(" | "));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use meshwright_base::Id;
    use meshwright_shard::MeshId;

    #[test]
    fn every_device_stands_in_its_tile() {
        let mesh = Mesh::new("m", [("x", 2), ("y", 2)], None).unwrap();
        let [x, y] = [0, 1].map(|at| mesh.whole_axes()[at]);
        let of = |dims: Vec<Vec<meshwright_shard::AxisRef>>| Sharding::tiled(MeshId::from_index(0), dims);
        let both = tiles(&[8, 4], &of(vec![vec![x], vec![y]]), &mesh);
        assert_eq!(both, "        0:2   2:4\n  0:4 |  0  |  1  |\n  4:8 |  2  |  3  |\n");
        let one = tiles(&[8, 4], &of(vec![vec![], vec![x]]), &mesh);
        assert_eq!(one, "        0:2   2:4\n  0:8 | 0 1 | 2 3 |\n");
        assert_eq!(tiles(&[5], &of(vec![vec![x]]), &mesh), "  0:3 | 0 1 |\n  3:5 | 2 3 |\n");
    }
}
