//! An op before partitioning, on whole tensors, and after it, on one device with the collectives around it.
//!
//! ```text
//! one program, whole tensors        x [data, _]  .  w [_, model]  ->  dot_general  ->  y [data, _]
//! what each of 8 devices runs       x f32[16,32] ----------------> +-------------+      all-reduce over model
//!                                   w f32[64,32] --all-gather----> | dot_general | ----------------------------> y
//! ```

use crate::scene::{Anchor, Area, Face, Fill, Ink, Scene, shortened};
use crate::tensor::{TensorDrawn, block, mesh};

/// An op, what it takes and what it gives.
#[derive(Clone, Debug, Default)]
pub struct OpDrawn<'a> {
    /// `dot_general`.
    pub op: String,
    pub devices: i64,
    pub operands: Vec<Edge<'a>>,
    pub results: Vec<Edge<'a>>,
    /// What its pieces send each other within it.
    pub inside: Vec<Sent>,
    /// What else is to be said of it.
    pub said: Vec<String>,
}

/// An operand or a result: whole, as a device has it, and changed on its way.
#[derive(Clone, Debug)]
pub struct Edge<'a> {
    pub whole: TensorDrawn<'a>,
    /// `f32[16,32]`, as it is made.
    pub made: String,
    /// How it is split as it is made: `[data, _] sum over model`.
    pub made_split: String,
    /// Each use that needs it otherwise.
    pub changes: Vec<Change>,
}

/// A change of sharding.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Change {
    pub sent: Vec<Sent>,
    /// What is said where nothing is sent for it alone.
    pub instead: String,
    pub ty: String,
    pub split: String,
}

/// A collective.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Sent {
    /// `all-reduce over model`.
    pub what: String,
    /// `2.05 kB`, by a device in a run.
    pub bytes: String,
}

const GAP: f64 = 14.0;

/// Both pictures of it.
pub fn op(drawn: &OpDrawn<'_>) -> String {
    let mut scene = Scene::default();
    let heading = "One program, on whole tensors";
    scene.text((0.0, 9.0), heading, Face::Heading, Ink::Plain, Anchor::Start);
    let before = before(drawn);
    scene.place((0.0, 34.0), &before, "");
    let y = 34.0 + before.height() + 40.0;
    let heading = match drawn.devices {
        1 => "What the device runs".to_string(),
        all => format!("What each of {all} devices runs"),
    };
    scene.text((0.0, y), &heading, Face::Heading, Ink::Plain, Anchor::Start);
    let after = after(drawn);
    scene.place((0.0, y + 24.0), &after, "");
    let mut foot = y + 24.0 + after.height() + 8.0;
    for said in &drawn.said {
        foot += 20.0;
        scene.text((0.0, foot), said, Face::Words, Ink::Muted, Anchor::Start);
    }
    let names: Vec<&str> = drawn.results.iter().map(|edge| edge.whole.name.as_str()).collect();
    scene.finish(&format!("{} that makes {}, before and after partitioning", drawn.op, names.join(", ")))
}

fn before(drawn: &OpDrawn<'_>) -> Scene {
    let mut scene = Scene::default();
    let mut x = 0.0;
    let known = drawn.operands.iter().chain(&drawn.results).find(|edge| !edge.whole.mesh.axes.is_empty());
    if let Some(edge) = known {
        let legend = mesh(edge.whole.mesh);
        scene.place((0.0, 0.0), &legend, "");
        x = legend.width() + 40.0;
    }
    const MIDDLE: f64 = 104.0;
    for edge in &drawn.operands {
        let part = block(&edge.whole);
        scene.place((x, 0.0), &part, "");
        x += part.width() + 30.0;
    }
    let name = shortened(&drawn.op, 30);
    let width = Face::Name.width(&name) + 24.0;
    if !drawn.operands.is_empty() {
        scene.arrow((x - 18.0, MIDDLE), (x + 8.0, MIDDLE), Ink::Plain);
        x += 12.0;
    }
    scene.panel(Area::new(x, MIDDLE - 19.0, width, 38.0), &name, Face::Name, Ink::Plain);
    x += width;
    scene.arrow((x + 4.0, MIDDLE), (x + 30.0, MIDDLE), Ink::Plain);
    x += 46.0;
    for edge in &drawn.results {
        let part = block(&edge.whole);
        scene.place((x, 0.0), &part, "");
        x += part.width() + 30.0;
    }
    scene
}

fn after(drawn: &OpDrawn<'_>) -> Scene {
    let mut scene = Scene::default();
    let inputs: Vec<Scene> = drawn.operands.iter().map(operand).collect();
    let outputs: Vec<Scene> = drawn.results.iter().map(result).collect();
    let column = |parts: &[Scene]| {
        let high: f64 = parts.iter().map(Scene::height).sum();
        let wide = parts.iter().map(Scene::width).fold(0.0, f64::max);
        (wide, high + GAP * parts.len().saturating_sub(1) as f64)
    };
    let ((wide, high), (_, right)) = (column(&inputs), column(&outputs));
    let core = core(drawn);
    let height = high.max(right).max(core.height() + 20.0);
    let mut y = (height - high) / 2.0;
    let left = if inputs.is_empty() { 0.0 } else { wide + 34.0 };
    for part in &inputs {
        // Where there is no change the way to the op is longer.
        scene.place((0.0, y), part, "");
        let middle = y + part.height() / 2.0;
        scene.arrow((part.width() + 4.0, middle), (left - 3.0, middle), Ink::Plain);
        y += part.height() + GAP;
    }
    let width = core.width() + 28.0;
    scene.rect(Area::new(left, 0.0, width, height), Fill::Panel);
    scene.place((left + 14.0, (height - core.height()) / 2.0), &core, "");
    let mut y = (height - right) / 2.0;
    for part in &outputs {
        let middle = y + part.height() / 2.0;
        scene.arrow((left + width + 3.0, middle), (left + width + 31.0, middle), Ink::Plain);
        scene.place((left + width + 35.0, y), part, "");
        y += part.height() + GAP;
    }
    scene
}

/// The op, and what is sent within it.
fn core(drawn: &OpDrawn<'_>) -> Scene {
    let mut scene = Scene::default();
    scene.text((0.0, 8.0), &shortened(&drawn.op, 30), Face::Name, Ink::Plain, Anchor::Start);
    let mut y = 8.0;
    for sent in &drawn.inside {
        for line in [sent.what.clone(), format!("{} sent", sent.bytes)] {
            y += 18.0;
            scene.text((0.0, y), &line, Face::Small, Ink::Accent, Anchor::Start);
        }
    }
    scene
}

/// What a device has, and how it is changed for the op.
fn operand(edge: &Edge<'_>) -> Scene {
    way(edge, edge.changes.first())
}

/// What the op leaves, and each form that somebody needs of it.
fn result(edge: &Edge<'_>) -> Scene {
    let Some((first, rest)) = edge.changes.split_first() else { return way(edge, None) };
    let mut scene = way(edge, Some(first));
    let indent = card(edge).width() + 6.0;
    for change in rest {
        let y = scene.height() + GAP;
        let part = changed(change);
        scene.place((indent, y), &part, "");
    }
    scene
}

fn way(edge: &Edge<'_>, change: Option<&Change>) -> Scene {
    let mut scene = card(edge);
    if let Some(change) = change {
        let part = changed(change);
        let (x, high) = (scene.width() + 6.0, scene.height());
        scene.place((x, (high - part.height()).max(0.0) / 2.0), &part, "");
    }
    scene
}

fn card(edge: &Edge<'_>) -> Scene {
    boxed(&[
        (&shortened(&edge.whole.name, 30), Face::Name),
        (&edge.made, Face::Code),
        (&edge.made_split, Face::Code),
    ])
}

/// The collectives over an arrow, and what is there behind them.
fn changed(change: &Change) -> Scene {
    let mut lines: Vec<String> =
        change.sent.iter().flat_map(|sent| [sent.what.clone(), format!("{} sent", sent.bytes)]).collect();
    let ink = if lines.is_empty() { Ink::Muted } else { Ink::Accent };
    if lines.is_empty() {
        lines = vec![change.instead.clone()];
    }
    let long = lines.iter().map(|line| Face::Small.width(line)).fold(0.0, f64::max) + 22.0;
    let after = boxed(&[(&change.ty, Face::Code), (&change.split, Face::Code)]);
    let above = lines.len().div_ceil(2) as f64 * 16.0;
    let below = (lines.len() / 2) as f64 * 16.0;
    let high = after.height().max(2.0 * above.max(below) + 12.0);
    let middle = high / 2.0;
    let mut scene = Scene::default();
    scene.arrow((0.0, middle), (long, middle), ink);
    let first = middle - above;
    for (at, line) in lines.iter().enumerate() {
        let on_top = at < lines.len().div_ceil(2);
        let y = if on_top {
            first + 6.0 + at as f64 * 16.0
        } else {
            middle + 12.0 + (at - lines.len().div_ceil(2)) as f64 * 16.0
        };
        scene.text((long / 2.0 - 3.0, y), line, Face::Small, ink, Anchor::Middle);
    }
    scene.place((long + 4.0, middle - after.height() / 2.0), &after, "");
    scene.reach(0.0, high);
    scene
}

/// Lines in a box.
fn boxed(lines: &[(&str, Face)]) -> Scene {
    const LINE: f64 = 18.0;
    let lines: Vec<_> = lines.iter().filter(|(line, _)| !line.is_empty()).collect();
    let wide = lines.iter().map(|(line, face)| face.width(line)).fold(0.0, f64::max) + 20.0;
    let mut scene = Scene::default();
    scene.rect(Area::new(0.0, 0.0, wide, lines.len() as f64 * LINE + 12.0), Fill::Panel);
    for (at, (line, face)) in lines.iter().enumerate() {
        let ink = if *face == Face::Name { Ink::Plain } else { Ink::Muted };
        scene.text((10.0, 15.0 + at as f64 * LINE), line, *face, ink, Anchor::Start);
    }
    scene
}

#[cfg(test)]
mod tests {
    use super::*;
    use meshwright_shard::{Mesh, Meshes, Sharding};

    #[test]
    fn an_op_has_both_sides_and_what_is_sent_between() {
        let mesh = Mesh::new("m", [("x", 2)], None).unwrap();
        let id = Meshes::new().push(mesh.clone());
        let [split, whole] =
            [Sharding::tiled(id, [vec![mesh.whole_axes()[0]]]), Sharding::tiled(id, [vec![]])];
        let tensor = |name: &str, sharding| TensorDrawn {
            name: name.into(),
            ty: "f32[8]".into(),
            dims: &[8],
            sharding,
            mesh: &mesh,
            short: "[x]".into(),
            is_annotated: true,
        };
        let edge = |name: &str, sharding, changes| Edge {
            whole: tensor(name, sharding),
            made: "f32[4]".into(),
            made_split: "[x]".into(),
            changes,
        };
        let sent = Sent { what: "all-gather over x".into(), bytes: "16 bytes".into() };
        let change =
            Change { sent: vec![sent], ty: "f32[8]".into(), split: "[_]".into(), ..Change::default() };
        let cut = Change { instead: "nothing is sent".into(), ..change.clone() };
        let drawn = OpDrawn {
            op: "sort".into(),
            devices: 2,
            operands: vec![edge("%a", &split, vec![change.clone()])],
            results: vec![edge("%b", &whole, vec![change, Change { sent: Vec::new(), ..cut }])],
            ..OpDrawn::default()
        };
        let svg = op(&drawn);
        assert_eq!(svg.matches("all-gather over x").count(), 2);
        assert!(svg.contains("nothing is sent") && svg.contains("What each of 2 devices runs"));
    }
}
