//! The names values are printed by.
//!
//! A value keeps the name it has. Unnamed ones get numbers above those in use, in MLIR's order: all of a block before
//! those of its regions, regions beside each other from the same number on. A name that is taken where the value is
//! visible gets a suffix, or another number.

use meshwright_ground::IdMap;
use meshwright_ir::op::Control;
use meshwright_ir::{BlockId, Function, InstId, Op, ValueId};
use std::collections::{BTreeMap, HashSet};
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
        let mut namer = Namer {
            func,
            names: Names { values: IdMap::filled(func.value_count(), Name::None), shapes: BTreeMap::new() },
            // lookup only: see the field.
            taken: HashSet::new(),
            log: Vec::new(),
            number: first_free(func, |name| name.parse().ok()),
            arg: first_free(func, arg_number),
        };
        namer.run();
        namer.names
    }

    pub fn value(&self, value: ValueId) -> &Name {
        self.values.get(value).unwrap_or(&Name::None)
    }

    pub fn shape(&self, inst: InstId) -> &Name {
        self.shapes.get(&inst).unwrap_or(&Name::None)
    }
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

struct Namer<'f> {
    func: &'f Function,
    names: Names,
    // lookup only: which names are visible; the order they came in is in `log`.
    taken: HashSet<Arc<str>>,
    log: Vec<Arc<str>>,
    number: u32,
    arg: u32,
}

/// What to do next; a list instead of recursion, as modules may nest deeply.
enum Step {
    Enter(BlockId),
    Regions(InstId),
    /// Forget the names given since.
    Leave {
        log: usize,
        number: u32,
        arg: u32,
    },
}

impl<'f> Namer<'f> {
    fn run(&mut self) {
        let mut steps = vec![Step::Enter(self.func.root())];
        while let Some(step) = steps.pop() {
            match step {
                Step::Leave { log, number, arg } => self.leave(log, number, arg),
                Step::Enter(block) => {
                    self.block(block);
                    let owners = self.func.block(block).insts.iter().rev();
                    steps.extend(
                        owners
                            .filter(|inst| !self.func.inst(**inst).regions.is_empty())
                            .map(|inst| Step::Regions(*inst)),
                    );
                }
                Step::Regions(inst) => self.regions(inst, &mut steps),
            }
        }
    }

    fn mark(&self) -> Step {
        Step::Leave { log: self.log.len(), number: self.number, arg: self.arg }
    }

    fn leave(&mut self, log: usize, number: u32, arg: u32) {
        for name in self.log.drain(log.min(self.log.len())..) {
            self.taken.remove(&name);
        }
        (self.number, self.arg) = (number, arg);
    }

    /// Each region in a scope of its own; those of a loop share the names of its state.
    fn regions(&mut self, inst: InstId, steps: &mut Vec<Step>) {
        let inst = self.func.inst(inst);
        steps.push(self.mark());
        if let (Op::Control(Control::While), [cond, body]) = (&inst.op, &inst.regions[..]) {
            self.loop_state(*cond, *body);
        }
        let mark = |namer: &Self| Step::Leave { log: namer.log.len(), number: namer.number, arg: namer.arg };
        for region in inst.regions.iter().rev() {
            steps.push(mark(self));
            steps.push(Step::Enter(*region));
        }
    }

    fn loop_state(&mut self, cond: BlockId, body: BlockId) {
        let (cond, body) = (self.func.block(cond), self.func.block(body));
        for (param, twin) in cond.params.iter().zip(&body.params) {
            let wanted = self.func.value(*param).name.clone().unwrap_or_else(|| "iterArg".into());
            let name = Name::Plain(self.unique(&wanted));
            self.names.values[*param] = name.clone();
            self.names.values[*twin] = name;
        }
    }

    fn block(&mut self, block: BlockId) {
        let block = self.func.block(block);
        for param in &block.params {
            if *self.names.value(*param) == Name::None {
                self.names.values[*param] = self.param(*param);
            }
        }
        for inst in &block.insts {
            self.inst(*inst);
        }
    }

    fn param(&mut self, value: ValueId) -> Name {
        if let Some(name) = self.func.value(value).name.clone().filter(|name| usable(name)) {
            if arg_number(&name).is_none() {
                return Name::Plain(self.unique(&name));
            }
            if self.take(&name) {
                return Name::Plain(name);
            }
        }
        loop {
            let number = self.arg;
            self.arg = self.arg.wrapping_add(1);
            if self.take(&format!("arg{number}").into()) {
                return Name::Arg(number);
            }
        }
    }

    fn inst(&mut self, id: InstId) {
        let inst = self.func.inst(id);
        if super::describe::rng_shape(&inst.op).is_some() {
            let name = Name::Plain(self.unique("c"));
            self.names.shapes.insert(id, name);
        }
        match &inst.results[..] {
            [] => {}
            [only] => self.names.values[*only] = self.result(self.func.value(*only).name.clone()),
            many => self.results(inst.name.clone(), many),
        }
    }

    fn results(&mut self, whole: Option<Arc<str>>, results: &[ValueId]) {
        if results.iter().all(|value| self.func.value(*value).name.is_some()) {
            for value in results {
                self.names.values[*value] = self.result(self.func.value(*value).name.clone());
            }
            return;
        }
        let whole = self.result(whole);
        for (part, value) in results.iter().enumerate() {
            self.names.values[*value] = match &whole {
                Name::Plain(name) => Name::Part(name.clone(), part as u32),
                Name::Number(number) => Name::PartOfNumber(*number, part as u32),
                other => other.clone(),
            };
        }
    }

    fn result(&mut self, name: Option<Arc<str>>) -> Name {
        match name.filter(|name| usable(name)) {
            Some(name) if !is_number(&name) => Name::Plain(self.unique(&name)),
            Some(name) if self.take(&name) => Name::Plain(name),
            _ => self.fresh_number(),
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

    /// Whether the name was free; it is taken now.
    fn take(&mut self, name: &Arc<str>) -> bool {
        let free = self.taken.insert(name.clone());
        if free {
            self.log.push(name.clone());
        }
        free
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
