//! Whether two modules say the same: equal up to ids and up to the order of functions.
//!
//! Everything a text can carry is compared: names, attributes, types, shardings, donation; locations only if asked.
//! The mesh tables must be equal, so that mesh ids mean the same. Not a notion of equivalence: another order of
//! instructions is another module.

use crate::module::{BlockId, FuncId, Function, Inst, InstId, Module, ParamInfo, ValueId};
use crate::op::{Op, Reference};
use crate::verify::{inst_name, value_name};
use meshwright_base::IdMap;
use meshwright_base::arrange::map;
use std::collections::BTreeMap;
use std::fmt::Debug;

type Same = Result<(), String>;

/// `Ok` if both say the same, locations aside; otherwise the first difference in words.
pub fn same(a: &Module, b: &Module) -> Same {
    compare(a, b, false)
}

/// As [`same`], and every instruction comes from the same place.
pub fn same_with_sources(a: &Module, b: &Module) -> Same {
    compare(a, b, true)
}

fn compare(a: &Module, b: &Module, sources: bool) -> Same {
    equal("module names", &a.name, &b.name)?;
    equal("numbers of partitions", &a.num_partitions, &b.num_partitions)?;
    equal("numbers of replicas", &a.num_replicas, &b.num_replicas)?;
    equal("module attributes", &a.attrs, &b.attrs)?;
    equal("meshes", &a.meshes, &b.meshes)?;
    let pairs = pair_functions(a, b)?;
    equal("entries", &pairs.get(a.entry).copied(), &Some(b.entry))?;
    for (first, second) in pairs.iter() {
        let names = |message| format!("in `@{}`: {message}", a.funcs[first].name);
        Pair { a, b, f: &a.funcs[first], g: &b.funcs[*second], funcs: &pairs, sources }
            .functions()
            .map_err(names)?;
    }
    Ok(())
}

/// For each function of the first the one of that name in the second.
fn pair_functions(a: &Module, b: &Module) -> Result<IdMap<FuncId, FuncId>, String> {
    let by_name: BTreeMap<&str, FuncId> = map(b.funcs.iter().map(|(id, func)| (&*func.name, id)));
    equal("numbers of functions", &a.funcs.len(), &b.funcs.len())?;
    let find = |func: &Function| {
        by_name.get(&*func.name).copied().ok_or_else(|| format!("`@{}` is in the first only", func.name))
    };
    a.funcs.values().map(find).collect()
}

fn equal<T: PartialEq + Debug>(what: &str, a: &T, b: &T) -> Same {
    if a == b {
        return Ok(());
    }
    Err(format!("{what} differ: {} and {}", short(a), short(b)))
}

/// Enough of a value to see what it is.
fn short(value: &impl Debug) -> String {
    const MOST: usize = 300;
    let text = format!("{value:?}");
    match text.char_indices().nth(MOST) {
        Some((at, _)) => format!("{}..", &text[..at]),
        None => text,
    }
}

/// Two functions of the same name.
struct Pair<'a> {
    a: &'a Module,
    b: &'a Module,
    f: &'a Function,
    g: &'a Function,
    funcs: &'a IdMap<FuncId, FuncId>,
    sources: bool,
}

impl Pair<'_> {
    fn functions(&self) -> Same {
        let (f, g) = (self.f, self.g);
        equal("visibilities", &f.is_public, &g.is_public)?;
        equal("function attributes", &f.attrs, &g.attrs)?;
        // What a parameter is called is a location of sorts.
        let records = |params: &[ParamInfo]| -> Vec<ParamInfo> {
            params.iter().map(|info| ParamInfo { name: None, ..info.clone() }).collect()
        };
        equal("records of parameters", &records(&f.params), &records(&g.params))?;
        equal("records of results", &f.results, &g.results)?;
        let (blocks, others) = (f.blocks_in_order(), g.blocks_in_order());
        let mut values = IdMap::filled(f.value_count(), None);
        for (block, other) in blocks.iter().zip(&others) {
            self.definitions(*block, *other, &mut values)?;
        }
        blocks.iter().zip(&others).try_for_each(|(block, other)| self.uses(*block, *other, &values))
    }

    /// Parameters and instructions of two blocks, one by one; notes which values stand for each other.
    fn definitions(
        &self,
        block: BlockId,
        other: BlockId,
        values: &mut IdMap<ValueId, Option<ValueId>>,
    ) -> Same {
        let (p, q) = (self.f.block(block), self.g.block(other));
        equal("names of blocks", &p.name, &q.name)?;
        self.values("parameters of a block", &p.params, &q.params, values)?;
        for (inst, twin) in p.insts.iter().zip(&q.insts) {
            let about = |message| format!("{}: {message}", inst_name(self.f, *inst));
            self.insts(*inst, *twin, values).map_err(about)?;
        }
        equal("numbers of instructions of a block", &p.insts.len(), &q.insts.len())
    }

    fn values(
        &self,
        what: &str,
        values: &[ValueId],
        others: &[ValueId],
        twins: &mut IdMap<ValueId, Option<ValueId>>,
    ) -> Same {
        equal(&format!("numbers of {what}"), &values.len(), &others.len())?;
        for (value, other) in values.iter().zip(others) {
            let (v, w) = (self.f.value(*value), self.g.value(*other));
            let about = |what: &str| format!("{what} of `{}`", value_name(self.f, *value));
            equal(&about("names"), &v.name, &w.name)?;
            equal(&about("types"), &v.ty, &w.ty)?;
            equal(&about("shardings"), &v.sharding, &w.sharding)?;
            equal(&about("valid parts"), &v.valid, &w.valid)?;
            twins[*value] = Some(*other);
        }
        Ok(())
    }

    fn insts(&self, inst: InstId, twin: InstId, twins: &mut IdMap<ValueId, Option<ValueId>>) -> Same {
        let (i, j) = (self.f.inst(inst), self.g.inst(twin));
        equal("ops", &self.translated(&i.op), &j.op)?;
        equal("attributes", &i.attrs, &j.attrs)?;
        equal("names", &i.name, &j.name)?;
        equal("numbers of operands", &i.operands.len(), &j.operands.len())?;
        equal("numbers of regions", &i.regions.len(), &j.regions.len())?;
        if self.sources {
            equal("locations", &self.a.sources.get(i.source), &self.b.sources.get(j.source))?;
        }
        self.values("results", &i.results, &j.results, twins)
    }

    /// The op as the second module would say it: with its own functions.
    fn translated(&self, op: &Op) -> Op {
        let map = |func: FuncId| self.funcs.get(func).copied().unwrap_or(func);
        let translated = op.with_references(|reference| {
            if let Reference::Func(func) = reference {
                *func = map(*func);
            }
        });
        translated.unwrap_or_else(|| op.clone())
    }

    /// Operands and returned values are each other's twins.
    fn uses(&self, block: BlockId, other: BlockId, twins: &IdMap<ValueId, Option<ValueId>>) -> Same {
        let (p, q) = (self.f.block(block), self.g.block(other));
        for (inst, twin) in p.insts.iter().zip(&q.insts) {
            let (i, j): (&Inst, &Inst) = (self.f.inst(*inst), self.g.inst(*twin));
            let about = |message| format!("{}: {message}", inst_name(self.f, *inst));
            self.twins("operand", &i.operands, &j.operands, twins).map_err(about)?;
        }
        equal("numbers of results of a block", &p.results.len(), &q.results.len())?;
        self.twins("result of a block", &p.results, &q.results, twins)
    }

    fn twins(
        &self,
        what: &str,
        values: &[ValueId],
        others: &[ValueId],
        twins: &IdMap<ValueId, Option<ValueId>>,
    ) -> Same {
        for (index, (value, other)) in values.iter().zip(others).enumerate() {
            if twins.get(*value).copied().flatten() != Some(*other) {
                let (v, w) = (value_name(self.f, *value), value_name(self.g, *other));
                return Err(format!("{what} {index} differs: `{v}` and `{w}`"));
            }
        }
        Ok(())
    }
}
