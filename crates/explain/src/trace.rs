//! From any instruction of any stage back to the one of the user's text that it came from.
//!
//! Every pass hands on where an instruction came from, and nobody compares these places. So each instruction of the
//! input is given a place of its own, with the same content: what carries it later was made for that instruction. What
//! stands for a parameter has none and is followed through what it was made of.

use crate::model::{Label, Site};
use crate::written::short_sharding;
use meshwright_base::Id;
use meshwright_compile::Observer;
use meshwright_ir::{
    Annotation, Attr, Def, Editor, FuncId, Function, InstId, Module, Op, Source, SourceId, ValueId,
};
use meshwright_shard::Meshes;

/// What a value of a later stage is of the input.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Key {
    /// A result of an instruction, by its own place.
    Made(SourceId, usize),
    /// A parameter of the entry.
    Param(usize),
}

/// The input, whose instructions have places of their own.
pub struct Input {
    pub module: Module,
    /// From the first place of our own on, the instruction of each.
    insts: Vec<(FuncId, InstId)>,
    first: usize,
}

impl Input {
    pub fn of(mut module: Module) -> Input {
        let first = module.sources.len();
        let mut insts = Vec::new();
        for id in module.funcs.keys() {
            for inst in module.funcs[id].insts_in_order() {
                let source = module.sources.get(module.funcs[id].inst(inst).source).cloned();
                let own = module.sources.push(source.unwrap_or_default());
                Editor::new(&mut module.funcs[id]).set_source(inst, own);
                insts.push((id, inst));
            }
        }
        Input { module, insts, first }
    }

    /// The instruction of the input that has this place.
    pub fn inst(&self, source: SourceId) -> Option<(FuncId, InstId)> {
        self.insts.get(source.index().checked_sub(self.first)?).copied()
    }

    pub fn source(&self, source: SourceId) -> Option<&Source> {
        self.module.sources.get(source)
    }

    /// What a value of a later stage is.
    pub fn key(&self, func: &Function, value: ValueId) -> Option<Key> {
        match func.value(value).def {
            Def::Param { block, index } if block == func.root() => Some(Key::Param(index)),
            Def::Param { .. } => None,
            Def::Result { inst, index } => {
                let source = func.inst(inst).source;
                self.inst(source).map(|_| Key::Made(source, index))
            }
        }
    }

    /// The same, through what only moves or reduces a value on its way.
    pub fn key_through(&self, func: &Function, value: ValueId) -> Option<Key> {
        const FARTHEST: usize = 64;
        let mut value = value;
        for _ in 0..FARTHEST {
            if let Some(key) = self.key(func, value) {
                return Some(key);
            }
            value = match func.value(value).def {
                Def::Result { inst, .. } => func.inst(inst).operands.first().copied()?,
                // What a loop's body is given is, from the first trip on, what the loop is given.
                Def::Param { block, index } => {
                    let parent = func.block(block).parent?;
                    func.inst(parent).operands.get(index).copied()?
                }
            };
        }
        None
    }

    /// How a user knows a value of a later stage. `sharding`: as it is then.
    pub fn label(&self, key: Key, sharding: Option<String>) -> Label {
        match key {
            Key::Param(index) => self.param(index, sharding),
            Key::Made(source, index) => match self.inst(source) {
                Some((func, inst)) => self.made(func, inst, index, sharding),
                None => Label { sharding, ..Label::default() },
            },
        }
    }

    fn param(&self, index: usize, sharding: Option<String>) -> Label {
        let main = self.module.main();
        let Some(value) = main.param_values().get(index) else { return Label::default() };
        Label {
            name: name_of(main, *value),
            called: called(main, index),
            op: "parameter".into(),
            op_name: None,
            site: None,
            ty: main.ty(*value).to_string(),
            sharding,
            of: Some((self.module.entry, *value)),
        }
    }

    fn made(&self, func: FuncId, inst: InstId, index: usize, sharding: Option<String>) -> Label {
        let body = &self.module.funcs[func];
        let info = body.inst(inst);
        let value = info.results.get(index).or(info.results.first());
        let source = self.module.sources.get(info.source);
        Label {
            name: value.map_or_else(String::new, |value| name_of(body, *value)),
            called: None,
            op: info.op.mnemonic().into(),
            op_name: source.and_then(|source| source.op_name.clone()),
            site: source.and_then(site_of),
            ty: value.map_or_else(String::new, |value| body.ty(*value).to_string()),
            sharding,
            of: value.map(|value| (func, *value)),
        }
    }

    /// How a user knows an instruction of a later stage; by itself if it is none of the input's.
    pub fn label_of_inst(&self, func: &Function, inst: InstId, meshes: &Meshes) -> Label {
        let info = func.inst(inst);
        let first = info.results.first();
        let sharding = first.and_then(|value| sharding_text(func, *value, meshes));
        match self.inst(info.source) {
            // What planning puts behind an instruction has its place and is another op.
            Some(_) if !is_reshard(&info.op) => self.label(Key::Made(info.source, 0), sharding),
            _ => Label {
                name: first.map_or_else(String::new, |value| name_of(func, *value)),
                op: info.op.mnemonic().into(),
                site: self.source(info.source).and_then(site_of),
                op_name: self.source(info.source).and_then(|source| source.op_name.clone()),
                ty: first.map_or_else(String::new, |value| func.ty(*value).to_string()),
                called: None,
                sharding,
                of: None,
            },
        }
    }
}

/// What the user's program calls a parameter.
pub fn called(func: &Function, index: usize) -> Option<String> {
    let info = func.params.get(index)?;
    let of_hlo = || match info.attrs.get("hlo.op_name") {
        Some(Attr::Str(name)) => Some(name.to_string()),
        _ => None,
    };
    info.name.as_deref().map(str::to_string).or_else(of_hlo)
}

pub fn is_reshard(op: &Op) -> bool {
    matches!(op, Op::Sharding(meshwright_ir::op::ShardingOp::Reshard(_)))
}

/// As the text calls a value; results of one instruction by number.
pub fn name_of(func: &Function, value: ValueId) -> String {
    let info = func.value(value);
    match (&info.name, info.def) {
        (Some(name), _) => format!("%{name}"),
        (None, Def::Result { inst, index }) => match &func.inst(inst).name {
            Some(name) => format!("%{name}#{index}"),
            None => String::new(),
        },
        (None, Def::Param { .. }) => String::new(),
    }
}

/// The innermost line.
pub fn site_of(source: &Source) -> Option<Site> {
    let frame = source.frames.first()?;
    let one_line = frame.end_line == frame.line && frame.end_column > frame.column;
    Some(Site {
        file: frame.file.clone(),
        line: frame.line,
        function: frame.function.clone(),
        column: if one_line { frame.column } else { 0 },
        end_column: if one_line { frame.end_column } else { 0 },
    })
}

pub fn sharding_text(func: &Function, value: ValueId, meshes: &Meshes) -> Option<String> {
    let sharding = func.value(value).sharding.as_ref().and_then(Annotation::as_mesh)?;
    Some(short_sharding(sharding, meshes))
}

/// Keeps the stages that are looked at, beside whoever looks anyway.
pub struct Watch<'a> {
    pub beside: &'a mut dyn Observer,
    pub completed: Option<Module>,
    pub planned: Option<Module>,
}

impl Observer for Watch<'_> {
    fn stage(&mut self, name: &'static str, module: &Module) {
        match name {
            "complete" => self.completed = Some(module.clone()),
            "plan" => self.planned = Some(module.clone()),
            _ => {}
        }
        self.beside.stage(name, module);
    }
}
