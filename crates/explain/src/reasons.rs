//! Why there is a collective: the change of sharding it does, who needs it, and the annotations both sides come from.

use crate::graph::Drawn;
use crate::model::{Label, Origin, Reason, ReasonKind};
use crate::trace::{Input, Key, is_reshard, sharding_text, site_of};
use crate::written::{short_axes, short_sharding};
use meshwright_base::IdMap;
use meshwright_base::diagnostic::Place;
use meshwright_base::units::count;
use meshwright_complete::Report;
use meshwright_cost::Pattern;
use meshwright_ir::{Annotation, Def, Dim, FuncId, InstId, Module, SourceId, ValueId};
use meshwright_shard::sharding::Reducer;
use meshwright_shard::{AxisRef, Sharding, axis};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The completed and the planned program, to be asked for reasons.
pub struct Reasons<'a> {
    input: &'a Input,
    planned: &'a Module,
    completed: &'a Module,
    report: &'a Report,
    /// What becomes of each value that changes its sharding.
    changes: BTreeMap<Key, Vec<Change>>,
    /// Instructions of the completed module by their place.
    at: BTreeMap<SourceId, (FuncId, InstId)>,
    /// The same of the planned module, reshards left out.
    planned_at: BTreeMap<SourceId, InstId>,
    nodes: IdMap<ValueId, Option<usize>>,
}

/// A reshard of the plan.
#[derive(Clone)]
struct Change {
    value: ValueId,
    from: Arc<Sharding>,
    to: Arc<Sharding>,
    users: Vec<InstId>,
    /// Its result, for the graph.
    result: ValueId,
}

impl Change {
    /// Axes that are summed over no longer.
    fn finished(&self) -> Vec<AxisRef> {
        axis::difference(&self.from.partial, &self.to.partial)
    }

    /// Axes that leave a dim.
    fn lost(&self) -> Vec<AxisRef> {
        let dims = self.from.dims.iter().zip(&self.to.dims);
        dims.flat_map(|(from, to)| axis::difference(&from.axes, &to.axes)).collect()
    }

    fn gained(&self) -> Vec<AxisRef> {
        let dims = self.from.dims.iter().zip(&self.to.dims);
        dims.flat_map(|(from, to)| axis::difference(&to.axes, &from.axes)).collect()
    }

    /// Whether a collective that is part of it does the reduction, or a part of that.
    fn is_reduced_by(&self, asked: &Asked<'_>) -> bool {
        let finished = self.finished();
        let is_reduction = matches!(asked.pattern, Pattern::AllReduce | Pattern::ReduceScatter);
        let moves = !self.lost().is_empty() || !self.gained().is_empty();
        !finished.is_empty() && (is_reduction || axis::overlap(&finished, asked.axes) || !moves)
    }

    /// Whether a collective of this kind may be part of it.
    fn fits(&self, pattern: Pattern, axes: &[AxisRef]) -> bool {
        let (finished, mut moved) = (self.finished(), self.lost());
        let sums = !finished.is_empty() && (axes.is_empty() || axis::overlap(&finished, axes));
        moved.extend(self.gained());
        let moves = !moved.is_empty() && (axes.is_empty() || axis::overlap(&moved, axes));
        match pattern {
            Pattern::AllReduce | Pattern::ReduceScatter => sums,
            Pattern::AllGather => moves || sums,
            Pattern::AllToAll | Pattern::Permute | Pattern::Broadcast => moves,
        }
    }
}

/// A collective of the finished program.
pub struct Asked<'a> {
    pub pattern: Pattern,
    pub axes: &'a [AxisRef],
    /// The place of the collective, and what its operand is.
    pub source: SourceId,
    pub key: Option<Key>,
}

/// What was found of it.
pub struct Found {
    pub value: Label,
    pub node: Option<usize>,
    /// The place of who needs it.
    pub needed_at: Option<SourceId>,
    pub reason: Reason,
}

impl<'a> Reasons<'a> {
    pub fn of(
        input: &'a Input,
        (completed, report): (&'a Module, &'a Report),
        planned: &'a Module,
        drawn: &Drawn,
    ) -> Reasons<'a> {
        let mut at = BTreeMap::new();
        for (id, func) in completed.funcs.iter() {
            for inst in func.insts_in_order() {
                at.entry(func.inst(inst).source).or_insert((id, inst));
            }
        }
        let changes = changes(input, planned);
        let main = planned.main();
        let mut planned_at = BTreeMap::new();
        for inst in main.insts_in_order().into_iter().filter(|inst| !is_reshard(&main.inst(*inst).op)) {
            planned_at.entry(main.inst(inst).source).or_insert(inst);
        }
        Reasons { input, planned, completed, report, changes, at, planned_at, nodes: drawn.node_of.clone() }
    }

    pub fn find(&self, asked: &Asked<'_>) -> Found {
        match self.first_fitting(asked) {
            Some((key, change)) => self.of_change(key, change, asked),
            None => self.exchange(asked),
        }
    }

    /// What the reshard makes that a collective is part of, in the plan.
    pub fn change(&self, asked: &Asked<'_>) -> Option<ValueId> {
        self.first_fitting(asked).map(|(_, change)| change.result)
    }

    fn first_fitting(&self, asked: &Asked<'_>) -> Option<(Key, &Change)> {
        let own = Key::Made(asked.source, 0);
        let mut known = asked.key.into_iter().chain([own]).flat_map(|key| self.of_key(key));
        known.find(|(_, change)| change.fits(asked.pattern, asked.axes))
    }

    /// Changes of a value, of all results of an instruction.
    fn of_key(&self, key: Key) -> Vec<(Key, &Change)> {
        let range = match key {
            Key::Made(source, _) => self.changes.range(Key::Made(source, 0)..=Key::Made(source, usize::MAX)),
            Key::Param(_) => self.changes.range(key..=key),
        };
        range.flat_map(|(key, changes)| changes.iter().map(|change| (*key, change))).collect()
    }

    fn of_change(&self, key: Key, change: &Change, asked: &Asked<'_>) -> Found {
        let meshes = &self.planned.meshes;
        let (from, to) = (short_sharding(&change.from, meshes), short_sharding(&change.to, meshes));
        let value = self.input.label(key, Some(from.clone()));
        let consumers = self.consumers(change);
        let finished = change.finished();
        let (mut origins, kind) = (Vec::new(), kind_of(change));
        for axis in &finished {
            origins.extend(self.summed_from(change.value, *axis));
        }
        for (dim, axes) in change.from.dims.iter().enumerate() {
            for axis in axis::difference(&axes.axes, &change.to.dims[dim].axes) {
                origins.extend(self.origin(Some(key), dim, axis, true));
            }
        }
        let mut wanted = change.gained();
        wanted.extend(change.lost());
        for axis in wanted {
            origins.extend(self.wanted_from(change, axis));
        }
        dedup(&mut origins);
        let partial = change.is_reduced_by(asked).then(|| self.partial(&value, change));
        let sink = self.sink(change);
        let text = sentence(&Told {
            change,
            value: &value,
            consumers: &consumers,
            origins: &origins,
            meshes,
            partial,
            sink,
        });
        let reason = Reason { kind, text, from: Some(from), to: Some(to), consumers, origins };
        let func = self.planned.main();
        let needed_at = change.users.first().map(|user| func.inst(*user).source);
        Found { value, node: self.nodes.get(change.result).copied().flatten(), needed_at, reason }
    }

    /// Returns how the op that makes a value leaves it partial, up to the axes: `reduce reduces a dimension sharded
    /// over`.
    fn partial(&self, value: &Label, change: &Change) -> String {
        let func = self.planned.main();
        let (kind, finished) = (partial_kind(change.from.reducer), change.finished());
        let Some(inst) = func.def_inst(change.value) else {
            return format!("{} is a {kind} over", short_name(value));
        };
        let info = func.inst(inst);
        let shardings = info
            .operands
            .iter()
            .filter_map(|operand| func.value(*operand).sharding.as_ref().and_then(Annotation::as_mesh));
        let (mut summed, mut split) = (Vec::new(), Vec::new());
        for sharding in shardings {
            summed.extend(sharding.partial.iter().copied());
            split.extend(sharding.dims.iter().flat_map(|dim| dim.axes.iter().copied()));
        }
        let is_split = axis::difference(&finished, &split).is_empty();
        match info.op.mnemonic() {
            _ if info.regions.is_empty() && axis::overlap(&summed, &finished) => {
                format!("{} passes on a {kind} over", value.op)
            }
            "dot_general" | "convolution" if is_split => {
                format!("{} contracts a dimension sharded over", value.op)
            }
            "reduce" if is_split => format!("{} reduces a dimension sharded over", value.op),
            _ => format!("{} leaves a {kind} over", value.op),
        }
    }

    /// Returns the place that takes a value which no op uses, up to the sharding: `the program returns it as`.
    fn sink(&self, change: &Change) -> String {
        let func = self.planned.main();
        if func.result_values().contains(&change.result) {
            return "the program returns it as".into();
        }
        let yields = |inst: &InstId| {
            let mut regions = func.inst(*inst).regions.iter();
            regions.any(|region| func.block(*region).results.contains(&change.result))
        };
        match func.insts_in_order().into_iter().find(yields) {
            Some(inst) => format!("the body of the {} yields it as", func.inst(inst).op.mnemonic()),
            None => "it is needed as".into(),
        }
    }

    /// Each that uses it, those of one line once.
    fn consumers(&self, change: &Change) -> Vec<Label> {
        let func = self.planned.main();
        let mut found: Vec<Label> = Vec::new();
        for user in &change.users {
            let label = self.input.label_of_inst(func, *user, &self.planned.meshes);
            if !found.iter().any(|known| known.op == label.op && known.site == label.site) {
                found.push(label);
            }
        }
        found
    }

    /// What an axis that is summed over splits among the operands of what made the value.
    fn summed_from(&self, value: ValueId, axis: AxisRef) -> Option<Origin> {
        let func = self.planned.main();
        let inst = func.def_inst(value)?;
        func.inst(inst).operands.iter().find_map(|operand| self.origin_in(*operand, axis, true))
    }

    /// What has an axis where the value is used: operands and results of its users.
    fn wanted_from(&self, change: &Change, axis: AxisRef) -> Option<Origin> {
        let func = self.planned.main();
        let users = change.users.iter().map(|user| func.inst(*user));
        let values = users.flat_map(|user| user.operands.iter().chain(&user.results));
        let others = values.filter(|value| **value != change.result);
        others.into_iter().find_map(|value| self.origin_in(*value, axis, false))
    }

    fn origin_in(&self, value: ValueId, axis: AxisRef, of_producer: bool) -> Option<Origin> {
        let func = self.planned.main();
        let sharding = func.value(value).sharding.as_ref().and_then(Annotation::as_mesh)?;
        let dim = sharding.dims.iter().position(|dim| axis::overlap(&dim.axes, &[axis]))?;
        let key = self.input.key(func, value).or_else(|| {
            let inst = func.def_inst(value).filter(|inst| is_reshard(&func.inst(*inst).op))?;
            self.input.key_through(func, *func.inst(inst).operands.first()?)
        });
        self.origin(key, dim, axis, of_producer)
    }

    /// The annotation that an axis of a dim goes back to, as completion knows it.
    pub fn origin(&self, key: Option<Key>, dim: usize, axis: AxisRef, of_producer: bool) -> Option<Origin> {
        let (func, value) = self.completed_value(key?)?;
        let steps = self.report.why(self.completed, func, value, Dim::new(dim));
        let origin =
            steps.into_iter().filter(|step| step.is_origin()).find(|step| step.axis.overlaps(axis))?;
        Some(self.told(&origin, of_producer))
    }

    /// An annotated dim for a reader.
    pub fn told(&self, origin: &meshwright_complete::OriginStep, of_producer: bool) -> Origin {
        let main = self.completed.main();
        let param = origin.value.filter(|_| origin.func == self.completed.entry).and_then(|value| {
            let index = main.param_values().iter().position(|param| *param == value)?;
            crate::trace::called(self.input.module.main(), index)
        });
        let inst = origin.value.and_then(|value| self.completed.funcs[origin.func].def_inst(value));
        let site = inst
            .and_then(|inst| self.input.source(self.completed.funcs[origin.func].inst(inst).source))
            .and_then(site_of);
        let of_place = || match &origin.place {
            Some(Place::Source { file, line, column }) => Some(crate::model::Site {
                file: file.as_str().into(),
                line: *line,
                function: None,
                column: *column,
                end_column: 0,
            }),
            Some(Place::Span(_)) | None => None,
        };
        let value = param.unwrap_or_else(|| origin.name.clone());
        Origin {
            axis: origin.axis_name.clone(),
            tensor: inst
                .and_then(|inst| self.constrained(origin.func, inst))
                .unwrap_or_else(|| value.clone()),
            value,
            dim: origin.dim,
            site: site.or_else(of_place),
            of_producer,
            of: origin.value.and_then(|value| self.given_value(origin.func, value)),
        }
    }

    /// The name of the tensor that a sharding constraint annotates.
    fn constrained(&self, func: FuncId, inst: InstId) -> Option<String> {
        let (id, body) = (func, &self.completed.funcs[func]);
        let info = body.inst(inst);
        let operand = info.operands.first().filter(|_| info.op.mnemonic() == CONSTRAINT)?;
        let index = body.param_values().iter().position(|param| param == operand);
        let called = index
            .filter(|_| id == self.completed.entry)
            .and_then(|index| crate::trace::called(self.input.module.main(), index));
        called.or_else(|| Some(crate::trace::name_of(body, *operand)).filter(|name| !name.is_empty()))
    }

    /// A value of the completed module in the module as it was given.
    fn given_value(&self, func: FuncId, value: ValueId) -> Option<(FuncId, ValueId)> {
        let given = &self.input.module;
        match self.completed.funcs[func].value(value).def {
            Def::Param { index, .. } if func == self.completed.entry => {
                Some((given.entry, *given.main().param_values().get(index)?))
            }
            Def::Param { .. } => None,
            Def::Result { inst, index } => {
                let (func, inst) = self.input.inst(self.completed.funcs[func].inst(inst).source)?;
                Some((func, *given.funcs[func].inst(inst).results.get(index)?))
            }
        }
    }

    fn completed_value(&self, key: Key) -> Option<(FuncId, ValueId)> {
        match key {
            Key::Param(index) => {
                Some((self.completed.entry, *self.completed.main().param_values().get(index)?))
            }
            Key::Made(source, index) => {
                let (func, inst) = *self.at.get(&source)?;
                let value = *self.completed.funcs[func].inst(inst).results.get(index)?;
                Some((func, value))
            }
        }
    }

    /// No reshard of the plan: the op has its pieces look at each other.
    fn exchange(&self, asked: &Asked<'_>) -> Found {
        let known = self.input.inst(asked.source).is_some();
        let key = if known { Some(Key::Made(asked.source, 0)) } else { asked.key };
        let Some(key) = key else {
            return Found { value: Label::default(), node: None, needed_at: None, reason: Reason::default() };
        };
        let planned = self.planned_value(key);
        let sharding =
            planned.and_then(|value| sharding_text(self.planned.main(), value, &self.planned.meshes));
        let value = self.input.label(key, sharding.clone());
        let split = sharding.as_ref().map_or(String::new(), |sharding| format!(" sharded {sharding}"));
        let text = match value.op.as_str() {
            "" | "parameter" => {
                format!("an op on {}{split} needs elements of other devices", short_name(&value))
            }
            op => format!("{op}{split} needs elements of other devices"),
        };
        let reason = Reason { kind: ReasonKind::Exchange, text, from: sharding, ..Reason::default() };
        Found { value, node: planned.and_then(|value| self.nodes[value]), needed_at: None, reason }
    }

    fn planned_value(&self, key: Key) -> Option<ValueId> {
        let func = self.planned.main();
        match key {
            Key::Param(index) => func.param_values().get(index).copied(),
            Key::Made(source, index) => {
                let inst = self.planned_at.get(&source)?;
                func.inst(*inst).results.get(index).copied()
            }
        }
    }
}

/// A value that each device has a part of, by how the parts combine.
fn partial_kind(reducer: Reducer) -> &'static str {
    match reducer {
        Reducer::Sum => "partial sum",
        Reducer::Product => "partial product",
        Reducer::Min => "partial minimum",
        Reducer::Max => "partial maximum",
        Reducer::And | Reducer::Or | Reducer::Xor => "partial result",
    }
}

fn kind_of(change: &Change) -> ReasonKind {
    if change.finished().is_empty() { ReasonKind::Reshard } else { ReasonKind::PartialSum }
}

/// One annotation once for each side.
fn dedup(origins: &mut Vec<Origin>) {
    let mut kept: Vec<Origin> = Vec::new();
    for origin in origins.drain(..) {
        let same = |known: &Origin| {
            (&known.axis, &known.value, known.of_producer)
                == (&origin.axis, &origin.value, origin.of_producer)
        };
        if !kept.iter().any(same) {
            kept.push(origin);
        }
    }
    *origins = kept;
}

/// All reshards of the plan, by what they change.
fn changes(input: &Input, planned: &Module) -> BTreeMap<Key, Vec<Change>> {
    let func = planned.main();
    let mut users: IdMap<ValueId, Vec<InstId>> = IdMap::filled(func.value_count(), Vec::new());
    let insts = func.insts_in_order();
    for inst in &insts {
        for operand in &func.inst(*inst).operands {
            users[*operand].push(*inst);
        }
    }
    let shared = |value: ValueId| func.value(value).sharding.as_ref()?.as_shared().cloned();
    let mut found: BTreeMap<Key, Vec<Change>> = BTreeMap::new();
    for inst in insts.iter().filter(|inst| is_reshard(&func.inst(**inst).op)) {
        let info = func.inst(*inst);
        let ([operand], [result]) = (&info.operands[..], &info.results[..]) else { continue };
        let (Some(from), Some(to)) = (shared(*operand), shared(*result)) else { continue };
        let mut value = *operand;
        // One reshard behind another is of the same value.
        while let Some(before) = func.def_inst(value).filter(|inst| is_reshard(&func.inst(*inst).op)) {
            value = func.inst(before).operands[0];
        }
        let Some(key) = input.key(func, value).or_else(|| input.key_through(func, value)) else { continue };
        let users = users[*result].clone();
        found.entry(key).or_default().push(Change { value, from, to, users, result: *result });
    }
    found
}

/// Operands of a sentence about a reshard.
struct Told<'a> {
    change: &'a Change,
    /// The label of the value that changes its sharding.
    value: &'a Label,
    consumers: &'a [Label],
    origins: &'a [Origin],
    meshes: &'a meshwright_shard::Meshes,
    /// The way the op leaves a partial result: `dot_general contracts a dimension sharded over`. `None` for a
    /// collective that does not reduce.
    partial: Option<String>,
    /// The place that takes the value where no op does.
    sink: String,
}

/// Returns the cause of a reshard in one sentence:
///
/// ```text
/// dot_general contracts a dimension sharded over `y` (annotation on p['w']); the program returns it as [x, _]
/// batch is sharded [x, _] (annotation on batch); add (model.py:12) needs [_, x] (annotation on w)
/// dot_general is sharded [_, x] after the reduction over `y`; transpose (model.py:12) needs [x, _]
/// ```
fn sentence(told: &Told<'_>) -> String {
    let (change, meshes) = (told.change, told.meshes);
    let Some(mesh) = meshes.get(change.from.mesh) else { return String::new() };
    let finished = change.finished();
    let (made, names) = match &told.partial {
        Some(partial) => {
            (format!("{partial} `{}`", short_axes(&finished, mesh)), axis_names(&finished, mesh))
        }
        None => {
            let whole = Sharding { partial: Vec::new(), ..(*change.from).clone() };
            let after = if finished.is_empty() {
                String::new()
            } else {
                format!(" after the reduction over `{}`", short_axes(&finished, mesh))
            };
            let made =
                format!("{} is sharded {}{after}", short_name(told.value), short_sharding(&whole, meshes));
            (made, axis_names(&whole.dims.iter().flat_map(|dim| dim.axes.clone()).collect::<Vec<_>>(), mesh))
        }
    };
    let of_made: Vec<&Origin> = told.origins.iter().filter(|origin| origin.of_producer).collect();
    let made = made + &provenance(&of_made, &names);
    let to = short_sharding(&change.to, meshes);
    let needed = match told.consumers {
        [] => format!("{} {to}", told.sink),
        [one] if one.op == CONSTRAINT => format!("the {} requires {to}", op_at(one)),
        [one] => format!("{} needs {to}", op_at(one)),
        [one, rest @ ..] => {
            format!("{} and {} need {to}", op_at(one), count(rest.len(), "other op"))
        }
    };
    let names = axis_names(&change.to.dims.iter().flat_map(|dim| dim.axes.clone()).collect::<Vec<_>>(), mesh);
    let of_needed = || told.origins.iter().filter(|origin| !origin.of_producer);
    // An axis that the needed sharding does not have is one that the op uses elsewhere.
    let (there, elsewhere): (Vec<&Origin>, Vec<&Origin>) =
        of_needed().partition(|origin| names.contains(&origin.axis));
    let axes: Vec<String> = elsewhere.iter().map(|origin| format!("`{}`", origin.axis)).collect();
    let elsewhere_names: Vec<String> = elsewhere.iter().map(|origin| origin.axis.clone()).collect();
    let elsewhere = match elsewhere.as_slice() {
        [] => String::new(),
        origins => {
            let verb = if axes.len() > 1 { "shard" } else { "shards" };
            let provenance = provenance(origins, &elsewhere_names);
            format!(", because {} {verb} another operand or result{provenance}", axes.join(", "))
        }
    };
    format!("{made}; {needed}{}{elsewhere}", provenance(&there, &names))
}

fn axis_names(axes: &[AxisRef], mesh: &meshwright_shard::Mesh) -> Vec<String> {
    axes.iter().map(|axis| short_axes(&[*axis], mesh)).collect()
}

const CONSTRAINT: &str = "sharding_constraint";

/// `%h`, `p['w1']`.
fn short_name(label: &Label) -> &str {
    match label.called.as_deref().unwrap_or(&label.name) {
        "" => "the tensor",
        name => name,
    }
}

/// `tanh (model.py:12)`.
fn op_at(label: &Label) -> String {
    let op = if label.op == CONSTRAINT { "sharding constraint" } else { &label.op };
    match &label.site {
        Some(site) => format!("{op} ({}:{})", base_name(&site.file), site.line),
        None => op.to_string(),
    }
}

/// The file without its folders.
pub fn base_name(file: &str) -> &str {
    file.rsplit('/').next().unwrap_or(file)
}

/// ` (`x`: annotation on batch; `y`, `z`: annotation on w)`; ` (annotation on batch)` where one annotation gives all
/// axes that the sentence has `named`.
fn provenance(origins: &[&Origin], named: &[String]) -> String {
    let mut found: Vec<(String, Vec<&str>)> = Vec::new();
    for origin in origins {
        let (annotation, axis) = (annotation(origin), origin.axis.as_str());
        match found.iter_mut().find(|(known, _)| *known == annotation) {
            Some((_, axes)) if axes.contains(&axis) => {}
            Some((_, axes)) => axes.push(axis),
            None => found.push((annotation, vec![axis])),
        }
    }
    let one = |(annotation, axes): &(String, Vec<&str>)| {
        let axes: Vec<String> = axes.iter().map(|axis| format!("`{axis}`")).collect();
        format!("{}: {annotation}", axes.join(", "))
    };
    match found.as_slice() {
        [] => String::new(),
        [(annotation, axes)] if named.iter().all(|name| axes.contains(&name.as_str())) => {
            format!(" ({annotation})")
        }
        several => format!(" ({})", several.iter().map(one).collect::<Vec<_>>().join("; ")),
    }
}

/// `annotation on p['w']`; `annotation on %4, model.py:12` where the user's program has no name for the tensor.
fn annotation(origin: &Origin) -> String {
    match &origin.site {
        Some(site) if origin.tensor.starts_with('%') => {
            format!("annotation on {}, {}:{}", origin.tensor, base_name(&site.file), site.line)
        }
        _ => format!("annotation on {}", origin.tensor),
    }
}
