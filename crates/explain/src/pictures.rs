//! From a module and a value to the facts of a picture: a tensor on its mesh, an op before and after partitioning, a
//! halo exchange. What is drawn is what completion, the plan and the finished program say; `draw` knows how.

use crate::collectives::{asked, operands, traveling};
use crate::graph::graph;
use crate::layers::Layers;
use crate::names::{Question, find};
use crate::reasons::Reasons;
use crate::trace::{Input, Key, Watch, is_reshard};
use crate::walk::each_run;
use crate::wish::{is_open, mesh_of};
use crate::written::{short_axes, short_sharding};
use meshwright_base::units;
use meshwright_base::{Code, Diagnostic};
use meshwright_compile::{DEFECT, Observer, Options};
use meshwright_draw::halo::{self, TileNeeds};
use meshwright_draw::op::Change;
use meshwright_draw::palette::Color;
use meshwright_draw::{Edge, Exchanged, OpDrawn, Sent, TensorDrawn};
use meshwright_ir::op::ShardingOp;
use meshwright_ir::{Annotation, FuncId, Function, InstId, Module, Op, SourceId, SpmdModule, Type, ValueId};
use meshwright_shard::{AxisRef, Mesh, MeshId, Sharding, axis};
use meshwright_spmd::exchange::interval::{Exchange, Round, Takers, keeps};
use meshwright_spmd::exchange::layout::Cut;
use meshwright_spmd::exchange::{self, Fetch};
use std::collections::BTreeMap;

const NO_EXCHANGE: Code = Code(628);
const NO_OP: Code = Code(629);

/// Values of one name that are drawn.
const MOST_VALUES: usize = 8;

/// Operands, and results, of an op that are drawn.
const MOST_EDGES: usize = 6;

/// A picture as SVG, and what is to be known beside it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Picture {
    pub svg: String,
    pub notes: Vec<String>,
}

/// Values on their mesh, as a completed module has them; `given` is the module before that.
pub fn tensors(given: &Module, completed: &Module, asked: &[String]) -> Result<Picture, Diagnostic> {
    on_a_mesh(given, completed)?;
    let (mut drawn, mut notes) = (Vec::new(), Vec::new());
    for asked in asked {
        let questions = find(completed, asked)?;
        if let Some(more) = questions.len().checked_sub(MOST_VALUES + 1) {
            notes.push(format!("{} more values are called `{asked}`: ask for one by `%name`", more + 1));
        }
        drawn.extend(questions.iter().take(MOST_VALUES).filter_map(|question| {
            let func = &completed.funcs[question.func];
            let is_annotated = find(given, &format!("@{}:{}", func.name, question.name))
                .is_ok_and(|of| of.iter().any(|of| is_annotated(given, of.func, of.value)));
            let name = question.name.clone();
            tensor(completed, func, question.value, (name, is_annotated))
        }));
    }
    Ok(Picture { svg: meshwright_draw::tensors(&drawn), notes })
}

/// A module that names no mesh is completed over one device, and there is nothing to see.
fn on_a_mesh(given: &Module, completed: &Module) -> Result<(), Diagnostic> {
    match devices(completed) {
        1 => mesh_of(given).map(|_| ()),
        _ => mesh_of(completed).map(|_| ()),
    }
}

fn devices(completed: &Module) -> i64 {
    completed.meshes.values().map(Mesh::device_count).max().unwrap_or(1)
}

/// Whether the user said how a value is split: at the value, or by an op that takes it and says so.
fn is_annotated(given: &Module, func: FuncId, value: ValueId) -> bool {
    let body = &given.funcs[func];
    let says = |inst: InstId| {
        let info = body.inst(inst);
        let is_constraint = matches!(info.op, Op::Sharding(ShardingOp::Constraint { .. }));
        is_constraint
            && info.operands.contains(&value)
            && info.results.iter().any(|result| !is_open(given, func, *result))
    };
    !is_open(given, func, value) || body.insts_in_order().into_iter().any(says)
}

fn tensor<'m>(
    module: &'m Module,
    func: &'m Function,
    value: ValueId,
    (name, is_annotated): (String, bool),
) -> Option<TensorDrawn<'m>> {
    let sharding = func.value(value).sharding.as_ref().and_then(Annotation::as_mesh)?;
    Some(TensorDrawn {
        name,
        ty: func.ty(value).to_string(),
        dims: func.dims(value),
        sharding,
        mesh: &module.meshes[sharding.mesh],
        short: short_sharding(sharding, &module.meshes),
        is_annotated,
    })
}

/// The op that makes a value: on whole tensors, and on one device with the collectives around it.
pub fn op(
    module: Module,
    asked: &str,
    options: &Options,
    beside: &mut dyn Observer,
) -> Result<Picture, Vec<Diagnostic>> {
    let (stages, at) = Stages::of(module, asked, options, beside)?;
    let traffic = stages.traffic();
    let planned = stages.planned.main();
    let info = planned.inst(at);
    let (taken, given) = (info.operands.iter().take(MOST_EDGES), info.results.iter().take(MOST_EDGES));
    let operands = taken.filter_map(|value| stages.operand(*value, &traffic));
    let results = given.filter_map(|value| stages.result(*value, &traffic));
    let mnemonic = info.op.mnemonic().to_string();
    let mut said = vec![stages.local_op(&mnemonic)];
    for (all, what) in [(&info.operands[..], "operands"), (&info.results[..], "results")] {
        if all.len() > MOST_EDGES {
            said.push(format!("{} {what} more are not drawn.", all.len() - MOST_EDGES));
        }
    }
    let drawn = OpDrawn {
        said,
        op: mnemonic,
        devices: devices(&stages.completed),
        operands: operands.collect(),
        results: results.collect(),
        inside: traffic.within.clone(),
    };
    Ok(Picture { svg: meshwright_draw::op(&drawn), notes: stages.notes })
}

/// What the pieces of the op that makes a value need of each other.
pub fn halos(
    module: Module,
    asked: &str,
    options: &Options,
    beside: &mut dyn Observer,
) -> Result<Picture, Vec<Diagnostic>> {
    let (stages, at) = Stages::of(module, asked, options, beside)?;
    let fetches = fetches(stages.planned.main(), at);
    if fetches.is_empty() {
        return Err(vec![stages.no_exchange(at)]);
    }
    let each = fetches.iter().enumerate();
    let drawn = each.filter_map(|(number, fetch)| stages.exchanged(at, fetch, &fetches[..number]));
    let (mut drawn, bytes): (Vec<Exchanged>, Vec<f64>) = drawn.unzip();
    let (planned, sent) = (bytes.iter().sum::<f64>(), stages.traffic().within_bytes);
    if let Some(last) = drawn.last_mut().filter(|_| (planned - sent).abs() >= 1.0) {
        last.said.push(format!(
            "So it is planned, {} in all. The finished program sends {} for it: what ops beside it move too is sent once, \
             and what nobody reads is not sent.",
            units::bytes(planned),
            units::bytes(sent)
        ));
    }
    let title = format!("What devices need of each other for {}", stages.question.name);
    Ok(Picture { svg: meshwright_draw::halo(&drawn, &title), notes: stages.notes })
}

/// A module through all stages, and the value that is asked for.
struct Stages {
    input: Input,
    question: Question,
    /// Its instruction's own place.
    source: SourceId,
    completed: Module,
    report: meshwright_complete::Report,
    planned: Module,
    program: SpmdModule,
    notes: Vec<String>,
}

/// What is sent for each change of sharding of the plan, by what the change makes, and within the op.
#[derive(Default)]
struct Traffic {
    changes: BTreeMap<ValueId, Vec<Sent>>,
    within: Vec<Sent>,
    /// Bytes of all of it.
    within_bytes: f64,
}

impl Stages {
    /// With the instruction in the plan that makes the value.
    fn of(
        module: Module,
        asked: &str,
        options: &Options,
        beside: &mut dyn Observer,
    ) -> Result<(Stages, InstId), Vec<Diagnostic>> {
        let input = Input::of(module);
        let questions = find(&input.module, asked).map_err(|found| vec![found])?;
        let question = questions[0].clone();
        let mut notes = Vec::new();
        if questions.len() > 1 {
            let (all, name) = (questions.len(), &question.name);
            notes.push(format!("{all} values are called `{asked}`: this is `{name}`"));
        }
        let func = &input.module.funcs[question.func];
        let Some(inst) = func.def_inst(question.value) else {
            let message = format!("`{}` is a parameter: no op makes it", question.name);
            let help = "`meshwright draw tensor` draws it; name the result of an op here";
            return Err(vec![Diagnostic::error(NO_OP, message).help(help)]);
        };
        let source = func.inst(inst).source;
        let mut watch = Watch { beside, completed: None, planned: None };
        let compiled = meshwright_compile::partition(input.module.clone(), options, &mut watch)?;
        let (Some(completed), Some(planned)) = (watch.completed, watch.planned) else {
            return Err(vec![Diagnostic::error(DEFECT, "a stage of the compilation was not seen")]);
        };
        on_a_mesh(&input.module, &completed).map_err(|found| vec![found])?;
        let (report, program) = (compiled.completion, compiled.program);
        let stages = Stages { input, question, source, completed, report, planned, program, notes };
        let at = stages.planned_inst()?;
        Ok((stages, at))
    }

    fn planned_inst(&self) -> Result<InstId, Vec<Diagnostic>> {
        let func = self.planned.main();
        let own = |inst: &InstId| func.inst(*inst).source == self.source && !is_reshard(&func.inst(*inst).op);
        func.insts_in_order().into_iter().find(own).ok_or_else(|| {
            let name = &self.question.name;
            let message = format!("nothing is left of the op that makes `{name}`: it was simplified away");
            let help = "name a value that the results need; `meshwright partition FILE --stop-after plan` prints what is left";
            vec![Diagnostic::error(NO_OP, message).help(help)]
        })
    }

    /// The collectives of the finished program that have to do with the op.
    fn traffic(&self) -> Traffic {
        let layers = Layers::of(&self.input);
        let graph = graph(&self.planned, &self.input, &layers);
        let of_completed = (&self.completed, &self.report);
        let reasons = Reasons::of(&self.input, of_completed, &self.planned, &graph);
        let program = self.program.module();
        // In the order in which they first run.
        let mut all: Vec<(Option<ValueId>, String, f64, f64)> = Vec::new();
        each_run(program, &mut |func, inst, times| {
            for sent in operands(func, inst) {
                let asked = asked(func, &sent, &self.input);
                let change = reasons.change(&asked);
                let is_within = change.is_none()
                    && (asked.source == self.source || asked.key == Some(Key::Made(self.source, 0)));
                if change.is_none() && !is_within {
                    continue;
                }
                let (what, bytes) = traveling(program, func, &sent);
                match all.iter_mut().find(|(of, known, ..)| (*of, known) == (change, &what)) {
                    Some((.., runs, sum)) => {
                        *runs += times;
                        *sum += times * bytes;
                    }
                    None => all.push((change, what, times, times * bytes)),
                }
            }
        });
        let mut traffic = Traffic::default();
        for (change, what, runs, bytes) in all {
            let what = if runs > 1.0 { format!("{what}, {runs:.0} times") } else { what };
            let sent = Sent { what, bytes: units::bytes(bytes) };
            match change {
                Some(made) => traffic.changes.entry(made).or_default().push(sent),
                None => {
                    traffic.within.push(sent);
                    traffic.within_bytes += bytes;
                }
            }
        }
        traffic
    }

    /// An operand of the plan: how it is made, and how the op has it.
    fn operand(&self, value: ValueId, traffic: &Traffic) -> Option<Edge<'_>> {
        let func = self.planned.main();
        let mut made = value;
        let mut sent = Vec::new();
        while let Some(inst) = func.def_inst(made).filter(|inst| is_reshard(&func.inst(*inst).op)) {
            sent.splice(0..0, traffic.changes.get(&made).cloned().unwrap_or_default());
            made = *func.inst(inst).operands.first()?;
        }
        let changes = if made == value { Vec::new() } else { vec![self.change(made, value, sent)?] };
        self.edge(made, changes)
    }

    /// A result of the plan, and how others need it.
    fn result(&self, value: ValueId, traffic: &Traffic) -> Option<Edge<'_>> {
        let func = self.planned.main();
        let takes = |inst: &InstId| {
            is_reshard(&func.inst(*inst).op) && func.inst(*inst).operands.first() == Some(&value)
        };
        let others = func.insts_in_order().into_iter().filter(takes);
        let changes = others.filter_map(|inst| {
            let needed = *func.inst(inst).results.first()?;
            self.change(value, needed, traffic.changes.get(&needed).cloned().unwrap_or_default())
        });
        self.edge(value, changes.collect())
    }

    fn planned_sharding(&self, value: ValueId) -> Option<&Sharding> {
        self.planned.main().value(value).sharding.as_ref().and_then(Annotation::as_mesh)
    }

    fn local(&self, value: ValueId) -> String {
        let ty = self.planned.main().ty(value);
        match (ty.as_tensor(), self.planned_sharding(value)) {
            (Some(tensor), Some(sharding)) => {
                tensor.with_dims(sharding.shard_shape(&tensor.dims)).to_string()
            }
            _ => ty.to_string(),
        }
    }

    fn change(&self, made: ValueId, needed: ValueId, sent: Vec<Sent>) -> Option<Change> {
        let (from, to) = (self.planned_sharding(made)?, self.planned_sharding(needed)?);
        let dims = from.dims.iter().zip(&to.dims);
        let mut lost = dims.flat_map(|(from, to)| axis::difference(&from.axes, &to.axes));
        let is_cut = lost.next().is_none() && axis::difference(&from.partial, &to.partial).is_empty();
        let instead = if is_cut { "nothing is sent" } else { "with what is sent for others" };
        let split = short_sharding(to, &self.planned.meshes);
        Some(Change { sent, instead: instead.into(), ty: self.local(needed), split })
    }

    fn edge(&self, value: ValueId, changes: Vec<Change>) -> Option<Edge<'_>> {
        let func = self.planned.main();
        let key = self.input.key(func, value).or_else(|| self.input.key_through(func, value));
        let label = key.map(|key| self.input.label(key, None));
        let own = func.def_inst(value).map_or("", |inst| func.inst(inst).op.mnemonic());
        let named = |label: &crate::model::Label| label.called.clone().unwrap_or(label.name.clone());
        let name = label.as_ref().map(named).filter(|name| !name.is_empty());
        let of = label.and_then(|label| label.of);
        let is_annotated = of.is_some_and(|(func, value)| is_annotated(&self.input.module, func, value));
        let named = (name.unwrap_or_else(|| own.to_string()), is_annotated);
        // As completion has it; what the plan puts in between is only there.
        let completed = key.and_then(|key| self.completed_value(key));
        let completed =
            completed.and_then(|(func, value)| tensor(&self.completed, func, value, named.clone()));
        let completed = completed.filter(|tensor| tensor.dims == func.dims(value));
        let whole = completed.or_else(|| tensor(&self.planned, func, value, named))?;
        let split = short_sharding(self.planned_sharding(value)?, &self.planned.meshes);
        Some(Edge { whole, made: self.local(value), made_split: split, changes })
    }

    fn completed_value(&self, key: Key) -> Option<(&Function, ValueId)> {
        match key {
            Key::Param(index) => {
                let main = self.completed.main();
                Some((main, *main.param_values().get(index)?))
            }
            Key::Made(source, index) => self.completed.funcs.values().find_map(|func| {
                let own = |inst: &InstId| func.inst(*inst).source == source;
                let inst = func.insts_in_order().into_iter().find(own)?;
                Some((func, *func.inst(inst).results.get(index)?))
            }),
        }
    }

    /// The op as the finished program has it.
    fn local_op(&self, mnemonic: &str) -> String {
        let mut found: Option<(String, f64)> = None;
        each_run(self.program.module(), &mut |func, inst, times| {
            let info = func.inst(inst);
            if info.source != self.source || info.op.mnemonic() != mnemonic {
                return;
            }
            let types = |values: &[ValueId]| {
                values.iter().map(|value| func.ty(*value).to_string()).collect::<Vec<_>>().join(", ")
            };
            let said = format!("{mnemonic} of {} makes {}", types(&info.operands), types(&info.results));
            let known = found.get_or_insert((said, 0.0));
            known.1 += times;
        });
        match found {
            Some((said, runs)) if runs > 1.0 => {
                format!("In the finished program: {said}; it runs {runs:.0} times.")
            }
            Some((said, _)) => format!("In the finished program: {said}."),
            None => format!("The finished program has no {mnemonic} for it: what it does was simplified."),
        }
    }

    fn no_exchange(&self, at: InstId) -> Diagnostic {
        const MOST: usize = 5;
        let func = self.planned.main();
        let mnemonic = func.inst(at).op.mnemonic();
        let message = format!(
            "the pieces of `{}` need nothing of each other: devices run `{mnemonic}` on what they have",
            self.question.name
        );
        let has = |inst: &InstId| !fetches(func, *inst).is_empty();
        let named = |inst: InstId| {
            let label = self.input.label_of_inst(func, inst, &self.planned.meshes);
            (!label.name.is_empty()).then(|| format!("`{}` ({})", label.name, label.op))
        };
        let names: Vec<String> =
            func.insts_in_order().into_iter().filter(has).filter_map(named).take(MOST).collect();
        let help = match names.as_slice() {
            [] => "no op of this module exchanges pieces; `meshwright draw op` draws what is sent around one"
                .to_string(),
            names => format!("those that exchange pieces: {}", names.join(", ")),
        };
        Diagnostic::error(NO_EXCHANGE, message).help(help)
    }

    /// One exchange of the op, as the plan has it, and the bytes that a device sends; `before` are there by then.
    fn exchanged(&self, at: InstId, fetch: &Fetch, before: &[Fetch]) -> Option<(Exchanged, f64)> {
        let func = self.planned.main();
        let info = func.inst(at);
        let operand = *info.operands.get(fetch.operand)?;
        let (mesh, axes) = self.along(&info.operands, &info.results, fetch)?;
        let mesh = &self.planned.meshes[mesh];
        let (source, need) = (fetch.source, fetch.need);
        let size: i64 = func.dims(operand)[fetch.dims.clone()].iter().product();
        let shown = source.tiles.get().min(halo::MOST_TILES);
        let tile = |tile: i64| {
            let positions = meshwright_draw::tensor::holders(mesh, &[&axes], &[tile], 4);
            let color = Color::of(mesh, positions.first().copied().unwrap_or(0));
            let device = |position: &i64| meshwright_draw::tensor::device(mesh, *position);
            TileNeeds { devices: positions.iter().map(device).collect(), color, start: need.start(tile) }
        };
        let dims: Vec<String> = fetch.dims.clone().map(|dim| dim.to_string()).collect();
        let along = if dims.len() == 1 { "dim" } else { "dims" };
        let heading = format!(
            "{} = {}: {along} {} of {} {}, {} elements over {}",
            halo::in_heading(&self.question.name),
            info.op.mnemonic(),
            dims.join(", "),
            halo::in_heading(&self.edge(self.behind_reshards(operand), Vec::new())?.whole.name),
            func.ty(operand),
            size,
            short_axes(&axes, mesh)
        );
        let plan = Exchange::plan(source, need);
        let rounds: Vec<&Round> = plan.pieces.iter().flat_map(|piece| rounds(&piece.takers)).collect();
        let all_pairs = rounds.iter().flat_map(|round| round.pairs.iter().copied());
        let line = self.line_bits(operand, fetch, before);
        let bytes = |round: &Round| (round.to - round.from) as f64 * line / 8.0;
        let all_bytes: f64 = rounds.iter().map(|round| bytes(round)).sum();
        let each = rounds.iter().enumerate().map(|(at, round)| {
            said(at + 1, round, &units::bytes(bytes(round)), &|number| tile(number).devices[0])
        });
        let mut said: Vec<String> = each.collect();
        if rounds.is_empty() {
            said.push("Nothing is sent: each device cuts what it needs out of what it has.".into());
        } else if mesh.device_count() > source.tiles.get() {
            said.push("Devices of the mesh's other axes do the same among themselves.".into());
        }
        let drawn = Exchanged {
            heading,
            said,
            from: source.from,
            until: source.size,
            size,
            piece: source.piece,
            width: need.width,
            is_split: source.is_split,
            tiles: (0..shown).map(tile).collect(),
            left_out: source.tiles.get() - shown,
            pairs: all_pairs.filter(|(from, to)| *from < shown && *to < shown).collect(),
        };
        Some((drawn, all_bytes))
    }

    fn behind_reshards(&self, mut value: ValueId) -> ValueId {
        let func = self.planned.main();
        while let Some(inst) = func.def_inst(value).filter(|inst| is_reshard(&func.inst(*inst).op)) {
            let Some(before) = func.inst(inst).operands.first() else { break };
            value = *before;
        }
        value
    }

    /// The axes that split what is exchanged; where the operand is whole, those of a dim with as many tiles.
    fn along(
        &self,
        operands: &[ValueId],
        results: &[ValueId],
        fetch: &Fetch,
    ) -> Option<(MeshId, Vec<AxisRef>)> {
        let own = self.planned_sharding(*operands.get(fetch.operand)?)?;
        if fetch.source.is_split {
            let dim = own.dims[fetch.dims.clone()].iter().find(|dim| dim.tiles() > 1)?;
            return Some((own.mesh, dim.axes.clone()));
        }
        let others = results.iter().chain(operands).filter_map(|value| self.planned_sharding(*value));
        let mut found = others.flat_map(|sharding| sharding.dims.iter().map(move |dim| (sharding.mesh, dim)));
        let (mesh, dim) = found.find(|(_, dim)| dim.tiles() == fetch.source.tiles.get())?;
        Some((mesh, dim.axes.clone()))
    }

    /// Bits of what lies at one place of the exchanged dims on a device: its piece, with the halos that it has already.
    fn line_bits(&self, operand: ValueId, fetch: &Fetch, before: &[Fetch]) -> f64 {
        let (cuts, bits) = (self.cuts(operand), bits(self.planned.main().ty(operand)));
        let has = |dim: usize, cut: &Cut| {
            let known = before.iter().filter(|other| other.operand == fetch.operand);
            let mut wide = known.filter(|other| other.dims == (dim..dim + 1)).map(|other| other.need.width);
            wide.next_back().unwrap_or(cut.piece())
        };
        let others = cuts.iter().enumerate().filter(|(dim, _)| !fetch.dims.contains(dim));
        others.map(|(dim, cut)| has(dim, cut) as f64).product::<f64>() * bits
    }

    fn cuts(&self, value: ValueId) -> Vec<Cut> {
        cuts(self.planned.main(), value)
    }
}

/// `Permute 1: device 0 to 1, 1 to 2; 1 element of the dim, 24 bytes each`.
fn said(number: usize, round: &Round, bytes: &str, device: &dyn Fn(i64) -> i64) -> String {
    const MOST: usize = 7;
    let pair = |(from, to): &(i64, i64)| format!("{} to {}", device(*from), device(*to));
    let shown: Vec<String> = round.pairs.iter().take(MOST).map(pair).collect();
    let more = if round.pairs.len() > MOST { " .." } else { "" };
    let count = round.to - round.from;
    let elements = if count == 1 { "element" } else { "elements" };
    format!(
        "Permute {number}: device {}{more}; {count} {elements} of the dim, {bytes} each",
        shown.join(", ")
    )
}

fn rounds(takers: &Takers) -> &[Round] {
    match takers {
        Takers::Own => &[],
        Takers::Others { rounds, .. } => rounds,
    }
}

fn cuts(func: &Function, value: ValueId) -> Vec<Cut> {
    Cut::all(func.dims(value), func.value(value).sharding.as_ref().and_then(Annotation::as_mesh))
}

fn bits(ty: &Type) -> f64 {
    ty.as_tensor().map_or(0.0, |tensor| f64::from(tensor.dtype.bits()))
}

/// What an instruction of the plan has its pieces fetch; not what every device has already.
fn fetches(func: &Function, inst: InstId) -> Vec<Fetch> {
    let info = func.inst(inst);
    let Some(result) = info.results.first() else { return Vec::new() };
    let operands: Vec<Vec<Cut>> = info.operands.iter().map(|value| cuts(func, *value)).collect();
    let bits: Vec<f64> = info.operands.iter().map(|value| bits(func.ty(*value))).collect();
    let found = exchange::inside(&info.op, None, &operands, &cuts(func, *result), &bits).fetches;
    found
        .into_iter()
        .filter(|fetch| fetch.source.tiles.is_split() && !keeps(fetch.source, fetch.need))
        .collect()
}
