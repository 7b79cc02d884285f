//! The names values are printed by.
//!
//! A value keeps the name it has unless a reader would refuse it where it stands: the names of values defined before
//! it, in its block or around it, are taken. An instruction's results come after its regions, so that both may use one
//! name. All others are made: unnamed values get numbers above those in use, in MLIR's order (all of a block before
//! those of its regions, regions beside each other from the same number on), and a name that is taken gets a suffix
//! that no value of the function has. So a text that was read is written with the names it had.

use meshwright_base::IdMap;
use meshwright_base::arrange::set;
use meshwright_ir::op::Control;
use meshwright_ir::{BlockId, Function, Inst, InstId, Op, ValueId};
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::fmt::Write;
use std::sync::Arc;

/// How a value is written, without `%`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Name {
    None,
    Plain(Arc<str>),
    Number(u32),
    /// A parameter: `arg` and a number.
    Arg(u32),
    /// Result of an instruction whose name stands for all its results.
    Part(Arc<str>, u32),
    PartOfNumber(u32, u32),
}

impl Name {
    pub fn write(&self, out: &mut String) {
        let _ = match self {
            Name::None => write!(out, "%none"),
            Name::Plain(name) => write!(out, "%{name}"),
            Name::Number(number) => write!(out, "%{number}"),
            Name::Arg(number) => write!(out, "%arg{number}"),
            Name::Part(name, part) => write!(out, "%{name}#{part}"),
            Name::PartOfNumber(number, part) => write!(out, "%{number}#{part}"),
        };
    }

    /// The name as a reader keeps it; of a part, that of its whole.
    fn plain(&self) -> Option<Arc<str>> {
        match self {
            Name::None => None,
            Name::Plain(name) | Name::Part(name, _) => Some(name.clone()),
            Name::Number(number) | Name::PartOfNumber(number, _) => Some(number.to_string().into()),
            Name::Arg(number) => Some(format!("arg{number}").into()),
        }
    }

    /// One of the values this name stands for together.
    fn part(&self, part: u32) -> Name {
        match self {
            Name::Plain(name) => Name::Part(name.clone(), part),
            Name::Number(number) => Name::PartOfNumber(*number, part),
            other => other.clone(),
        }
    }

    /// Whether it stands for the part after another's, of the same whole.
    pub fn follows(&self, before: &Name) -> bool {
        match (before, self) {
            (Name::Part(whole, a), Name::Part(other, b)) => whole == other && a + 1 == *b,
            (Name::PartOfNumber(whole, a), Name::PartOfNumber(other, b)) => whole == other && a + 1 == *b,
            _ => false,
        }
    }

    /// The name of the whole a part belongs to.
    pub fn whole(&self) -> Name {
        match self {
            Name::Part(name, _) => Name::Plain(name.clone()),
            Name::PartOfNumber(number, _) => Name::Number(*number),
            other => other.clone(),
        }
    }
}

/// Names of all values of a function.
pub struct Names {
    values: IdMap<ValueId, Name>,
    /// Names of constants that are written for operands the IR keeps as attributes.
    shapes: BTreeMap<InstId, Name>,
}

impl Names {
    pub fn of(func: &Function) -> Names {
        let mut given =
            Given { func, names: IdMap::filled(func.value_count(), Name::None), visible: Visible::default() };
        given.run();
        let mut maker = Maker {
            func,
            // lookup only: see the field.
            given: given.names.values().filter_map(Name::plain).collect(),
            names: given.names,
            visible: Visible::default(),
            number: first_free(func, |name| name.parse().ok()),
            arg: first_free(func, arg_number),
        };
        maker.run();
        let shapes = shape_names(func, &maker.names);
        Names { values: maker.names, shapes }
    }

    pub fn value(&self, value: ValueId) -> &Name {
        self.values.get(value).unwrap_or(&Name::None)
    }

    pub fn shape(&self, inst: InstId) -> &Name {
        self.shapes.get(&inst).unwrap_or(&Name::None)
    }
}

/// `c`, `c_0`, ..: names that no value has, so that they are the same when the text is read and written again.
fn shape_names(func: &Function, values: &IdMap<ValueId, Name>) -> BTreeMap<InstId, Name> {
    let shaped = |inst: &InstId| super::describe::rng_shape(&func.inst(*inst).op).is_some();
    let insts: Vec<InstId> = func.insts_in_order().into_iter().filter(shaped).collect();
    if insts.is_empty() {
        return BTreeMap::new();
    }
    let taken: BTreeSet<Arc<str>> = set(values.values().filter_map(Name::plain));
    let suffixed = (0u32..).map(|suffix| Arc::from(format!("c_{suffix}")));
    let free = std::iter::once(Arc::from("c")).chain(suffixed).filter(|name| !taken.contains(name));
    insts.into_iter().zip(free.map(Name::Plain)).collect()
}

/// One more than the highest number that a name of the function has.
fn first_free(func: &Function, number: impl Fn(&str) -> Option<u32>) -> u32 {
    let values = func.values().values().filter_map(|value| value.name.as_deref());
    let insts = func.insts_in_order().into_iter().filter_map(|inst| func.inst(inst).name.as_deref());
    values.chain(insts).filter_map(number).max().map_or(0, |highest| highest.saturating_add(1))
}

/// The number of a name like `arg7`.
fn arg_number(name: &str) -> Option<u32> {
    name.strip_prefix("arg")?.parse().ok()
}

/// Names a reader knows at a place, in the order they came.
#[derive(Default)]
struct Visible {
    // lookup only: the order is in `log`.
    taken: HashSet<Arc<str>>,
    log: Vec<Arc<str>>,
}

impl Visible {
    /// Whether the name was free; it is taken now.
    fn take(&mut self, name: &Arc<str>) -> bool {
        let free = self.taken.insert(name.clone());
        if free {
            self.log.push(name.clone());
        }
        free
    }

    fn forget(&mut self, from: usize) {
        for name in self.log.drain(from.min(self.log.len())..) {
            self.taken.remove(&name);
        }
    }
}

/// Gives values the names they have, where they are free.
struct Given<'f> {
    func: &'f Function,
    names: IdMap<ValueId, Name>,
    visible: Visible,
}

/// What to do next; a list instead of recursion, as modules may nest deeply.
enum Visit {
    Params(BlockId),
    Inst(InstId),
    Results(InstId),
    /// Forget the names given since.
    Leave(usize),
}

impl Given<'_> {
    fn run(&mut self) {
        let mut visits = self.block(self.func.root());
        visits.reverse();
        while let Some(visit) = visits.pop() {
            match visit {
                Visit::Params(block) => self.params(block),
                Visit::Inst(inst) => visits.extend(self.inst(inst).into_iter().rev()),
                Visit::Results(inst) => self.results(inst),
                Visit::Leave(from) => self.visible.forget(from),
            }
        }
    }

    fn block(&self, block: BlockId) -> Vec<Visit> {
        let insts = self.func.block(block).insts.iter();
        std::iter::once(Visit::Params(block)).chain(insts.map(|inst| Visit::Inst(*inst))).collect()
    }

    /// Regions, each by itself, then results.
    fn inst(&self, inst: InstId) -> Vec<Visit> {
        let mut visits = Vec::new();
        for region in &self.func.inst(inst).regions {
            visits.extend(self.block(*region));
            visits.push(Visit::Leave(self.visible.log.len()));
        }
        visits.push(Visit::Results(inst));
        visits
    }

    /// The regions of a loop share the names of its state: those of its condition.
    fn params(&mut self, block: BlockId) {
        let named = state_names(self.func, block);
        for (param, named) in self.func.block(block).params.iter().zip(named) {
            let was_free = *param == named || self.names[named] != Name::None;
            if let (Some(name), true) = (self.func.value(named).name.clone(), was_free) {
                self.give(*param, name);
            }
        }
    }

    fn results(&mut self, inst: InstId) {
        let inst = self.func.inst(inst);
        for run in runs(self.func, inst) {
            match (run, &inst.name) {
                ([value], _) => {
                    if let Some(name) = self.func.value(*value).name.clone() {
                        self.give(*value, name);
                    }
                }
                (run, Some(whole)) if usable(whole) && self.visible.take(whole) => {
                    for (part, value) in run.iter().enumerate() {
                        self.names[*value] = Name::Part(whole.clone(), part as u32);
                    }
                }
                _ => {}
            }
        }
    }

    fn give(&mut self, value: ValueId, name: Arc<str>) {
        if usable(&name) && self.visible.take(&name) {
            self.names[value] = Name::Plain(name);
        }
    }
}

/// Whose names the parameters of a block have: their own, or those of the loop's condition.
fn state_names(func: &Function, block: BlockId) -> Vec<ValueId> {
    let own = &func.block(block).params;
    let owner = func.block(block).parent.map(|inst| func.inst(inst));
    let twins = match owner.map(|inst| (&inst.op, &inst.regions[..])) {
        Some((Op::Control(Control::While), [cond, body])) if *body == block => &func.block(*cond).params,
        _ => own,
    };
    if twins.len() == own.len() { twins.clone() } else { own.clone() }
}

/// Results by what names them: each that has a name by itself, neighbours without one together.
fn runs<'f>(func: &'f Function, inst: &'f Inst) -> impl Iterator<Item = &'f [ValueId]> {
    let named = |value: &ValueId| func.value(*value).name.is_some();
    inst.results.chunk_by(move |a, b| !named(a) && !named(b))
}

/// Makes the names that are missing.
struct Maker<'f> {
    func: &'f Function,
    // lookup only: all names that were given, wherever they are visible.
    given: HashSet<Arc<str>>,
    names: IdMap<ValueId, Name>,
    /// Names that were made.
    visible: Visible,
    number: u32,
    arg: u32,
}

enum Task {
    Enter(BlockId),
    Regions(InstId),
    /// Forget the names made since.
    Leave {
        log: usize,
        number: u32,
        arg: u32,
    },
}

impl Maker<'_> {
    fn run(&mut self) {
        let mut steps = vec![Task::Enter(self.func.root())];
        while let Some(step) = steps.pop() {
            match step {
                Task::Leave { log, number, arg } => {
                    self.visible.forget(log);
                    (self.number, self.arg) = (number, arg);
                }
                Task::Enter(block) => {
                    self.block(block);
                    let owners = self.func.block(block).insts.iter().rev();
                    let owners = owners.filter(|inst| !self.func.inst(**inst).regions.is_empty());
                    steps.extend(owners.map(|inst| Task::Regions(*inst)));
                }
                Task::Regions(inst) => self.regions(inst, &mut steps),
            }
        }
    }

    fn mark(&self) -> Task {
        Task::Leave { log: self.visible.log.len(), number: self.number, arg: self.arg }
    }

    /// Each region in a scope of its own; those of a loop share the names of its state.
    fn regions(&mut self, inst: InstId, steps: &mut Vec<Task>) {
        let inst = self.func.inst(inst);
        steps.push(self.mark());
        if let (Op::Control(Control::While), [cond, body]) = (&inst.op, &inst.regions[..]) {
            self.loop_state(*cond, *body);
        }
        for region in inst.regions.iter().rev() {
            steps.push(self.mark());
            steps.push(Task::Enter(*region));
        }
    }

    /// A name that was given to one of the two only is not free in the other.
    fn loop_state(&mut self, cond: BlockId, body: BlockId) {
        let (cond, body) = (self.func.block(cond), self.func.block(body));
        for (param, twin) in cond.params.iter().zip(&body.params) {
            if self.names[*param] == Name::None || self.names[*twin] == Name::None {
                let wanted = self.func.value(*param).name.clone().unwrap_or_else(|| "iterArg".into());
                let name = Name::Plain(self.unique(&wanted));
                self.names[*param] = name.clone();
                self.names[*twin] = name;
            }
        }
    }

    fn block(&mut self, block: BlockId) {
        let block = self.func.block(block);
        for param in &block.params {
            if self.names[*param] == Name::None {
                self.names[*param] = self.param(*param);
            }
        }
        for inst in &block.insts {
            self.inst(self.func.inst(*inst));
        }
    }

    fn param(&mut self, value: ValueId) -> Name {
        let name = self.func.value(value).name.clone();
        if let Some(name) = name.filter(|name| usable(name) && !is_number(name) && arg_number(name).is_none())
        {
            return Name::Plain(self.unique(&name));
        }
        loop {
            let number = self.arg;
            self.arg = self.arg.wrapping_add(1);
            if self.take(&format!("arg{number}").into()) {
                return Name::Arg(number);
            }
        }
    }

    fn inst(&mut self, inst: &Inst) {
        for run in runs(self.func, inst) {
            match run {
                [value] if self.names[*value] == Name::None => {
                    self.names[*value] = self.result(self.func.value(*value).name.clone());
                }
                [first, _, ..] if self.names[*first] == Name::None => {
                    let whole = self.result(inst.name.clone());
                    for (part, value) in run.iter().enumerate() {
                        self.names[*value] = whole.part(part as u32);
                    }
                }
                _ => {}
            }
        }
    }

    fn result(&mut self, name: Option<Arc<str>>) -> Name {
        match name.filter(|name| usable(name) && !is_number(name)) {
            Some(name) => Name::Plain(self.unique(&name)),
            None => self.fresh_number(),
        }
    }

    fn fresh_number(&mut self) -> Name {
        loop {
            let number = self.number;
            self.number = self.number.wrapping_add(1);
            if self.take(&number.to_string().into()) {
                return Name::Number(number);
            }
        }
    }

    /// Whether the name is nobody's here; it is taken now.
    fn take(&mut self, name: &Arc<str>) -> bool {
        !self.given.contains(name) && self.visible.take(name)
    }

    /// The name itself, or with the first suffix that makes it free.
    fn unique(&mut self, name: &str) -> Arc<str> {
        let plain: Arc<str> = name.into();
        if usable(name) && !is_number(name) && self.take(&plain) {
            return plain;
        }
        let stem = if usable(name) && !is_number(name) { name.to_string() } else { sanitized(name) };
        let mut suffix = 0u32;
        loop {
            let candidate: Arc<str> = format!("{stem}_{suffix}").into();
            if self.take(&candidate) {
                return candidate;
            }
            suffix += 1;
        }
    }
}

fn is_number(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_digit())
}

/// Whether MLIR reads it as one name after `%`.
fn usable(name: &str) -> bool {
    let letter = |c: char| c.is_ascii_alphabetic() || matches!(c, '_' | '$' | '.' | '-');
    is_number(name) || (name.starts_with(letter) && name.chars().all(|c| letter(c) || c.is_ascii_digit()))
}

fn sanitized(name: &str) -> String {
    let ok = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '$' | '.' | '-');
    let rest: String = name.chars().map(|c| if ok(c) { c } else { '_' }).collect();
    format!("_{rest}")
}
