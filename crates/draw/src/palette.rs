//! Colors of devices by their places on the mesh: along its first axis the hue, along all others the shade.

use meshwright_shard::Mesh;
use std::fmt;

/// A color, that can be read on light and dark ground.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Color([u8; 3]);

/// Neighbours are easy to tell apart, also for who sees no red or no green: they differ in lightness too.
const HUES: [[u8; 3]; 8] = [
    [47, 95, 196],
    [32, 130, 107],
    [179, 79, 20],
    [124, 58, 166],
    [186, 48, 88],
    [20, 116, 152],
    [122, 106, 16],
    [92, 82, 120],
];

impl Color {
    /// Of a position of a mesh.
    pub fn of(mesh: &Mesh, position: i64) -> Color {
        let first = mesh.axes.values().next().map_or(1, |axis| axis.size.max(1));
        let behind = (mesh.device_count() / first).max(1);
        Color::at((position / behind, first), (position % behind, behind))
    }

    /// The `index`th of `count` hues, in one of so many shades. Hues begin anew behind the last, in a lighter shade
    /// where shades say nothing else: neighbours differ, however many there are.
    pub fn at((index, count): (i64, i64), (shade, shades): (i64, i64)) -> Color {
        const LIGHTEST: i64 = 52;
        let all = HUES.len() as i64;
        let (shade, shades) =
            if shades <= 1 { (index / all, (count - 1).max(0) / all + 1) } else { (shade, shades) };
        let part = if shades <= 1 { 0 } else { (shade * LIGHTEST / (shades - 1)).clamp(0, LIGHTEST) };
        Color(mixed(HUES[index.rem_euclid(all) as usize], [255, 255, 255], part))
    }

    /// What stands for several devices.
    pub fn neutral() -> Color {
        Color([107, 116, 132])
    }

    /// Whether dark letters are read better on it than white ones.
    pub fn is_light(self) -> bool {
        luminance(self.0) > 0.179
    }
}

/// Relative luminance, as WCAG 2 has it.
fn luminance(parts: [u8; 3]) -> f64 {
    let linear = |part: u8| {
        let part = f64::from(part) / 255.0;
        if part <= 0.04045 { part / 12.92 } else { ((part + 0.055) / 1.055).powf(2.4) }
    };
    let [red, green, blue] = parts.map(linear);
    0.2126 * red + 0.7152 * green + 0.0722 * blue
}

/// `part` of a hundred of the second.
fn mixed(from: [u8; 3], to: [u8; 3], part: i64) -> [u8; 3] {
    let mix = |at: usize| (i64::from(from[at]) * (100 - part) + i64::from(to[at]) * part + 50) / 100;
    [0, 1, 2].map(|at| u8::try_from(mix(at).clamp(0, 255)).unwrap_or(255))
}

impl fmt::Display for Color {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [red, green, blue] = self.0;
        write!(f, "#{red:02x}{green:02x}{blue:02x}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_can_be_read_on_every_device_of_every_mesh() {
        for sizes in [vec![1], vec![8], vec![4, 2], vec![8, 8], vec![64], vec![4, 4, 4], vec![16, 16]] {
            let named: Vec<(String, i64)> =
                sizes.iter().enumerate().map(|(at, size)| (format!("a{at}"), *size)).collect();
            let mesh = Mesh::new("m", named.iter().map(|(name, size)| (name.as_str(), *size)), None).unwrap();
            for position in 0..mesh.device_count() {
                let color = Color::of(&mesh, position);
                let ground = luminance(color.0);
                let contrast = if color.is_light() { (ground + 0.05) / 0.05 } else { 1.05 / (ground + 0.05) };
                assert!(contrast >= 4.5, "{sizes:?} {position}: {color} {contrast}");
            }
        }
        assert!(!Color::neutral().is_light());
    }

    #[test]
    fn devices_of_a_small_mesh_have_colors_of_their_own() {
        let mesh = Mesh::new("m", [("x", 8), ("y", 4)], None).unwrap();
        let mut all: Vec<String> = (0..32).map(|position| Color::of(&mesh, position).to_string()).collect();
        all.sort();
        all.dedup();
        assert_eq!(all.len(), 32);
        let row = Mesh::new("m", [("x", 2048)], None).unwrap();
        let neighbours = (0..2047).map(|at| [Color::of(&row, at), Color::of(&row, at + 1)]);
        assert!(neighbours.into_iter().all(|[one, next]| one != next));
    }
}
