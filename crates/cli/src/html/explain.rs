//! The page of `explain --html`: the program by layers that unfold, what is sent and why, memory, the timeline, and the
//! lines of the user's program.
//!
//! The data is an [`Explanation`] again, but small: texts stand once in a list, and ops as columns of numbers.

use super::template::{Slot, escape, fill};
use super::{assemble_page, render_axes};
use meshwright_base::units::{bytes, count, percent, seconds};
use meshwright_explain::BACKWARD;
use meshwright_explain::model::{
    Collective, Explanation, Label, Node, Origin, Site, Suggestion, Timeline, Totals,
};
use serde_json::{Value, json};
use std::collections::BTreeMap;

const BODY: &str = include_str!("explain.html");
const SCRIPT: &str = include_str!("explain.js");

/// Most steps of a curve, and most pieces of a lane: more cannot be seen.
const STEPS: usize = 1500;
const PIECES: f64 = 3000.0;

/// Lines of files by the names that sites have: numbers and texts.
pub type Sources = BTreeMap<String, Vec<(u32, String)>>;

pub fn explain_page(explanation: &Explanation, sources: &Sources) -> String {
    let program = &explanation.program;
    let axes: Vec<(String, usize)> = Axes::of(explanation).0;
    let body = fill(
        BODY,
        &[
            ("title", Slot::Text(&program.name)),
            ("axes", Slot::Markup(&render_axes(&axes))),
            ("stats", Slot::Markup(&render_stats(explanation))),
            ("machine", Slot::Text(&program.machine)),
        ],
    );
    assemble_page(&program.name, &body, &data(explanation, sources), SCRIPT)
}

fn render_stats(explanation: &Explanation) -> String {
    let stat = |[value, label]: [String; 2]| {
        format!("<div class=\"stat\"><b>{}</b><span>{}</span></div>", escape(&value), escape(&label))
    };
    stats(explanation).into_iter().map(stat).collect()
}

/// Figures with their labels.
fn stats(explanation: &Explanation) -> Vec<[String; 2]> {
    let (totals, time) = (&explanation.totals, &explanation.timeline);
    let parts = format!(
        "estimated step: {} compute, {} exposed communication",
        seconds(time.computing),
        seconds(time.exposed)
    );
    vec![
        [seconds(time.seconds), parts],
        [
            bytes(totals.sent),
            format!("sent per device in {}", count(totals.collectives as usize, "collective")),
        ],
        [bytes(totals.peak as f64), "peak memory per device".into()],
        [
            explanation.program.instructions.to_string(),
            format!("ops in the program, on {} devices", explanation.program.devices),
        ],
    ]
}

/// Axes of all meshes, by name: their places are their colours.
struct Axes(Vec<(String, usize)>);

impl Axes {
    fn of(explanation: &Explanation) -> Axes {
        let mut all: Vec<(String, usize)> = Vec::new();
        for axis in explanation.program.meshes.iter().flat_map(|mesh| &mesh.axes) {
            if all.iter().all(|(name, _)| *name != axis.name) {
                all.push((axis.name.clone(), usize::try_from(axis.size).unwrap_or(1)));
            }
        }
        Axes(all)
    }

    /// `x*y:(2)4` as places of axes, texts and sizes.
    fn pieces(&self, text: &str) -> Vec<(usize, String, usize)> {
        let piece = |piece: &str| {
            let (name, part) = piece.split_once(':').map_or((piece, None), |(name, part)| (name, Some(part)));
            let at = self.0.iter().position(|(known, _)| known == name)?;
            let size = part.and_then(|part| part.rsplit(')').next()?.parse().ok());
            Some((at, piece.to_string(), size.unwrap_or(self.0[at].1)))
        };
        text.split('*').filter_map(piece).collect()
    }

    /// `[x, _]` as the pieces of each dim.
    fn dims(&self, sharding: &str) -> Value {
        let inside = sharding.trim_start_matches('[').split(']').next().unwrap_or_default();
        inside.split(", ").map(|dim| json!(self.pieces(dim))).collect()
    }

    /// The axes that a collective goes over.
    fn over(&self, text: &str) -> Vec<usize> {
        self.pieces(text).into_iter().map(|(at, _, _)| at).collect()
    }
}

/// Texts, each once.
#[derive(Default)]
struct Texts {
    all: Vec<String>,
    known: BTreeMap<String, usize>,
}

impl Texts {
    fn put(&mut self, text: &str) -> usize {
        if let Some(at) = self.known.get(text) {
            return *at;
        }
        self.all.push(text.into());
        self.known.insert(text.into(), self.all.len() - 1);
        self.all.len() - 1
    }
}

/// A layer as it is shown: under those around it, and for each of those that are folded in it.
struct Group {
    name: usize,
    parent: i64,
    times: usize,
    seconds: f64,
}

struct Writer<'a> {
    explanation: &'a Explanation,
    axes: Axes,
    texts: Texts,
    files: Texts,
    groups: Vec<Group>,
    known_groups: BTreeMap<(i64, String), usize>,
    shardings: Texts,
    /// The first group of each layer.
    of_layer: Vec<Option<usize>>,
}

fn data(explanation: &Explanation, sources: &Sources) -> Value {
    let mut writer = Writer {
        explanation,
        axes: Axes::of(explanation),
        texts: Texts::default(),
        files: Texts::default(),
        groups: Vec::new(),
        known_groups: BTreeMap::new(),
        shardings: Texts::default(),
        of_layer: vec![None; explanation.layers.len()],
    };
    let insts = writer.insts();
    let colls: Vec<Value> = explanation.collectives.iter().map(|one| writer.collective(one)).collect();
    let (memory, timeline) = (writer.memory(), writer.timeline(&explanation.timeline));
    let hints: Vec<Value> = explanation.suggestions.iter().map(hint).collect();
    let groups: Vec<Value> = writer
        .groups
        .iter()
        .map(|group| json!({ "name": group.name, "parent": group.parent, "times": group.times, "seconds": group.seconds }))
        .collect();
    let shardings: Vec<Value> = writer.shardings.all.iter().map(|text| writer.axes.dims(text)).collect();
    let files: Vec<Value> = writer
        .files
        .all
        .iter()
        .map(|name| json!({ "name": name, "lines": sources.get(name).map_or(&[] as &[_], Vec::as_slice) }))
        .collect();
    json!({
        "axes": writer.axes.0, "devices": explanation.program.devices, "strings": writer.texts.all, "files": files,
        "shardings": shardings, "groups": groups, "insts": insts, "colls": colls, "hints": hints, "memory": memory,
        "timeline": timeline,
    })
}

impl Writer<'_> {
    fn site(&mut self, site: Option<&Site>) -> (i64, u32) {
        site.map_or((-1, 0), |site| (self.files.put(&site.file) as i64, site.line))
    }

    /// What a user calls it, where that is known.
    fn name(&mut self, label: &Label) -> usize {
        match &label.called {
            Some(called) => self.texts.put(called),
            None => self.texts.put(&label.name),
        }
    }

    /// Ops as columns.
    fn insts(&mut self) -> Value {
        let nodes = &self.explanation.graph.nodes;
        let mut columns: [Vec<i64>; 8] = Default::default();
        let mut colls = Vec::new();
        for (at, node) in nodes.iter().enumerate() {
            let (file, line) = self.site(node.label.site.as_ref());
            let sharding = node.label.sharding.as_ref().map_or(-1, |text| self.shardings.put(text) as i64);
            let of_text = [
                self.name(&node.label),
                self.texts.put(&node.label.op),
                self.texts.put(&node.label.ty),
                self.texts.put(node.label.op_name.as_deref().unwrap_or_default()),
            ];
            let [name, op, ty, path] = of_text.map(|place| place as i64);
            let group = self.group_of(node) as i64;
            let row = [name, op, ty, path, sharding, group, file, i64::from(line)];
            columns.iter_mut().zip(row).for_each(|(column, value)| column.push(value));
            if !node.collectives.is_empty() {
                colls.push([&[at][..], &node.collectives].concat());
            }
        }
        let [name, op, ty, path, sharding, group, file, line] = columns;
        let uses: Vec<&[usize]> = nodes.iter().map(|node| node.inputs.as_slice()).collect();
        json!({
            "name": name, "op": op, "type": ty, "path": path, "sharding": sharding, "group": group, "file": file,
            "line": line, "uses": uses, "colls": colls,
        })
    }

    fn group(&mut self, parent: i64, name: &str, times: usize) -> usize {
        if let Some(at) = self.known_groups.get(&(parent, name.to_string())) {
            return *at;
        }
        let text = self.texts.put(name);
        self.groups.push(Group { name: text, parent, times, seconds: 0.0 });
        self.known_groups.insert((parent, name.to_string()), self.groups.len() - 1);
        self.groups.len() - 1
    }

    /// The innermost group of a node: its layer's path, with the number of the one it is in where layers are folded.
    fn group_of(&mut self, node: &Node) -> usize {
        let layer = &self.explanation.layers[node.layer];
        let (mut parent, mut at, mut is_new) = (-1, 0, false);
        // Those of one name are told apart by their number where they have one, and else are together.
        let is_numbered = layer.name.contains('#');
        for name in layer.name.split('/').filter(|name| !name.is_empty()) {
            let times = if name.contains('#') { layer.instances } else { 1 };
            let before = self.groups.len();
            at = self.group(parent, name, times);
            if let Some(one) = instance(name, node.label.op_name.as_deref().unwrap_or_default()) {
                at = self.group(at as i64, &one, 1);
            }
            is_new = self.groups.len() > before;
            parent = at as i64;
        }
        if parent < 0 {
            let before = self.groups.len();
            at = self.group(-1, "elsewhere", 1);
            is_new = self.groups.len() > before;
        }
        if is_new || !is_numbered && self.of_layer[node.layer].is_none() {
            let together = if is_numbered { layer.instances.max(1) } else { 1 };
            let group = &mut self.groups[at];
            group.seconds = (layer.compute_seconds + layer.collective_seconds) / together as f64;
            if !is_numbered {
                group.times = layer.instances;
            }
        }
        self.of_layer[node.layer].get_or_insert(at);
        at
    }

    fn collective(&mut self, one: &Collective) -> Value {
        let site = one.value.site.as_ref().or_else(|| one.reason.consumers.first()?.site.as_ref());
        let (file, line) = self.site(site);
        let origins: Vec<Value> = one.reason.origins.iter().map(|origin| self.origin(origin)).collect();
        json!({
            "inst": one.node.map_or(-1, |node| node as i64), "kind": one.kind, "axes": self.axes.over(&one.axes),
            "group": one.group_size, "bytes": one.bytes, "runs": one.runs, "total": one.sent,
            "each": one.sent / one.instructions.max(1) as f64, "time": one.seconds, "why": one.reason.text,
            "from": one.reason.from, "to": one.reason.to, "origins": origins, "file": file, "line": line,
        })
    }

    fn origin(&mut self, origin: &Origin) -> Value {
        let (file, line) = self.site(origin.site.as_ref());
        let how = if origin.of_producer { "shards the value" } else { "shards its use" };
        json!([format!("{} on dimension {} of {}, {how}", origin.axis, origin.dim, origin.value), file, line])
    }

    fn memory(&mut self) -> Value {
        let memory = &self.explanation.memory;
        let each = memory.curve.len().div_ceil(STEPS).max(1);
        let largest =
            |(at, some): (usize, &[i64])| [(at * each) as i64, some.iter().copied().max().unwrap_or(0)];
        let points: Vec<[i64; 2]> = memory.curve.chunks(each).enumerate().map(largest).collect();
        let points = if points.is_empty() { vec![[0, memory.peak]] } else { points };
        let nodes: BTreeMap<&str, usize> = self
            .explanation
            .graph
            .nodes
            .iter()
            .enumerate()
            .map(|(at, node)| (node.label.name.as_str(), at))
            .collect();
        let mut values = Vec::new();
        for alive in &memory.alive {
            let (file, line) = self.site(alive.label.site.as_ref());
            let node = nodes.get(alive.label.name.as_str()).map_or(-1, |node| *node as i64);
            let (made, last) =
                (alive.made.map_or(-1, |at| at as i64), alive.last_use.map_or(-1, |at| at as i64));
            let name = self.name(&alive.label);
            values.push(json!([
                name,
                alive.bytes,
                made,
                last,
                node,
                file,
                line,
                self.texts.put(&alive.local)
            ]));
        }
        json!({ "steps": memory.curve.len(), "points": points, "values": values, "peak": memory.peak, "peak_at": memory.at.unwrap_or(0) })
    }

    /// Lanes, with pieces that lie closer than can be seen as one.
    fn timeline(&mut self, timeline: &Timeline) -> Value {
        let mut lanes: Vec<(&str, Vec<Piece>)> = Vec::new();
        for event in &timeline.events {
            let at = lanes.iter().position(|(name, _)| *name == event.lane).unwrap_or_else(|| {
                lanes.push((event.lane, Vec::new()));
                lanes.len() - 1
            });
            let pieces = &mut lanes[at].1;
            let group = self.of_layer.get(event.layer).copied().flatten().map_or(-1, |group| group as i64);
            let end = event.start + event.seconds;
            match pieces.last_mut() {
                Some(last) if end - last.0 < timeline.seconds / PIECES => last.1 = end - last.0,
                _ => pieces.push((event.start, event.seconds, self.texts.put(&event.name), group)),
            }
        }
        let lanes: Vec<Value> = lanes
            .into_iter()
            .map(|(name, spans)| json!({ "name": name, "axis": lane_colour(name), "spans": spans }))
            .collect();
        json!({ "end": timeline.seconds, "lanes": lanes })
    }
}

/// Of a lane: from when on, how long, the text of its name, and the group that it is in.
type Piece = (f64, f64, usize, i64);

/// Links have the colour of the first axis; what computes is grey.
fn lane_colour(name: &str) -> i64 {
    if name == "links" { 0 } else { -1 }
}

/// Which of the folded ones an op is of: `block_3` for `block_#`.
fn instance(folded: &str, op_name: &str) -> Option<String> {
    let (before, after) = folded.split_once('#')?;
    let is_one = |part: &&str| {
        let number = part.strip_prefix(before).and_then(|rest| rest.strip_suffix(after));
        number.is_some_and(|number| !number.is_empty() && number.bytes().all(|digit| digit.is_ascii_digit()))
    };
    op_name.split(['/', '(', ')']).find(is_one).map(str::to_string)
}

fn hint(one: &Suggestion) -> Value {
    let Totals { sent, .. } = one.before;
    let less = sent - one.after.sent;
    let name = |value: &Label| match value.called.as_deref().unwrap_or(&value.name) {
        "" => value.op.clone(),
        name => name.to_string(),
    };
    let mut names: Vec<String> = one.values.iter().take(3).map(name).collect();
    names.dedup();
    let more = if one.values.len() > names.len() {
        format!(" and {} more", one.values.len() - names.len())
    } else {
        String::new()
    };
    let instead = one.instead_of.as_ref().map_or(String::new(), |was| format!(" instead of {was}"));
    let site = one.values.first().and_then(|value| value.site.as_ref());
    let at = site.map_or(String::new(), |site| format!(" at {}:{}", site.file, site.line));
    let backward = one.backward.then_some(BACKWARD);
    let code: Vec<&str> = backward.into_iter().chain(one.jax.as_deref()).chain([one.rust.as_str()]).collect();
    json!({
        "saves": format!("saves {} per device ({})", bytes(less), percent(less / sent.max(1.0))),
        "text": format!("shard {}{more}{at} as {}{instead}; peak memory {}, now {}", names.join(", "), one.sharding, bytes(one.after.peak as f64), bytes(one.before.peak as f64)),
        "code": code.join("\n"),
    })
}
