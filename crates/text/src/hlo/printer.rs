//! A module being printed: its computations in an order where each stands before its users, then the header.

use super::common::FRONTEND;
use super::computation::{Computation, Printed, kept};
use super::header;
use super::lex::{Cursor, quote};
use super::metadata::Tables;
use super::names::{Names, used_values};
use super::shape::Form;
use meshwright_base::hash::LookupMap;
use meshwright_base::{Id, IdMap};
use meshwright_ir::{Annotation, Attr, Attrs, FuncId, Function, Module, ResultInfo, SourceId, ValueId};
use meshwright_shard::{HloSharding, HloShardingKind};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::rc::Rc;

pub(super) struct Printer<'m> {
    pub module: &'m Module,
    tables: Tables<'m>,
    names: Names,
    /// What each function is called.
    funcs: IdMap<FuncId, Rc<str>>,
    by_name: BTreeMap<Rc<str>, FuncId>,
    /// Per function, per value: whether anything uses it.
    used: IdMap<FuncId, Vec<bool>>,
    state: IdMap<FuncId, bool>,
    current: FuncId,
    /// Printed regions by the name they asked for: text and given name.
    regions: BTreeMap<String, Vec<(String, Rc<str>)>>,
    /// Whether all devices compute on local values here: XLA wants every instruction to say so.
    pub is_manual: bool,
    /// Texts of the shardings printed so far: most values share one with others.
    shardings: RefCell<LookupMap<Annotation, Rc<str>>>,
    out: String,
}

/// Print a module.
pub(super) fn print(module: &Module) -> String {
    let mut names = Names::default();
    let funcs: IdMap<FuncId, Rc<str>> = module.funcs.values().map(|func| names.unique(&func.name)).collect();
    let by_name = funcs.iter().map(|(id, name)| (name.clone(), id)).collect();
    let mut printer = Printer {
        module,
        tables: Tables::default(),
        names,
        funcs,
        by_name,
        used: module.funcs.values().map(used_values).collect(),
        state: IdMap::filled(module.funcs.len(), false),
        current: module.entry,
        regions: BTreeMap::new(),
        is_manual: false,
        shardings: RefCell::default(),
        out: String::new(),
    };
    // In the order of first use, as they are read; those that nobody uses stand last.
    printer.function(module.entry);
    for func in module.funcs.keys() {
        printer.function(func);
    }
    let head = header::print(module);
    let tables = printer.tables.print();
    format!("{head}\n{tables}\n{}", printer.out)
}

impl<'m> Printer<'m> {
    pub fn is_used(&self, func: &Function, value: ValueId) -> bool {
        func.value(value).name.is_some()
            || self.used[self.current].get(value.index()).copied().unwrap_or(true)
    }

    /// The name of a function, printed by now.
    pub fn callee(&mut self, func: FuncId) -> Rc<str> {
        self.function(func);
        self.funcs[func].clone()
    }

    fn function(&mut self, id: FuncId) {
        if std::mem::replace(&mut self.state[id], true) {
            return;
        }
        let before = std::mem::replace(&mut self.current, id);
        let module = self.module;
        let func = &module.funcs[id];
        let mut computation = Computation::new(self, func, func.root());
        let form = kept(&func.attrs, "hlo.results").and_then(Form::read);
        let form = form.filter(|form| form.leaves() == func.results.len());
        computation.separate_root(&func.results, form.as_ref());
        parameters(&mut computation, func);
        computation.instructions(func.root());
        let printed = computation.finish(func.root(), form, &func.results);
        self.current = before;
        let entry = if id == module.entry { "ENTRY " } else { "" };
        let name = self.funcs[id].clone();
        let _ = writeln!(self.out, "{entry}%{name} {}", printed.text);
        if id != module.entry {
            self.regions.entry(name.to_string()).or_default().push((printed.text, name));
        }
    }

    /// Put a region's text into the module, once for equal ones of one name; the name it got.
    pub fn place(&mut self, wanted: Option<&str>, printed: Printed) -> Rc<str> {
        let wanted = wanted.unwrap_or("region").to_string();
        // A computation may be called here and a region there.
        if let Some(func) = self.by_name.get(&*wanted).copied() {
            self.function(func);
        }
        let known = self.regions.entry(wanted.clone()).or_default();
        if let Some((_, name)) = known.iter().find(|(text, _)| *text == printed.text) {
            return name.clone();
        }
        let name = self.names.unique(&wanted);
        let _ = writeln!(self.out, "%{name} {}", printed.text);
        known.push((printed.text, name.clone()));
        name
    }

    /// The fields of a metadata attribute.
    pub fn metadata(&mut self, source: SourceId) -> &str {
        self.tables.metadata(self.module, source)
    }

    /// `, sharding={..}` of one value, or of several as a tuple if all of them have one; otherwise nothing.
    pub fn sharding_attr(
        &self,
        func: &Function,
        values: impl IntoIterator<Item = Option<ValueId>>,
    ) -> String {
        let manual = Annotation::from(HloSharding::new(HloShardingKind::Manual));
        let default = self.is_manual.then_some(&manual);
        let of =
            |value: Option<ValueId>| value.and_then(|value| func.value(value).sharding.as_ref()).or(default);
        self.sharding_of(&values.into_iter().map(of).collect::<Vec<_>>())
    }

    fn sharding_of(&self, shardings: &[Option<&Annotation>]) -> String {
        let texts: Option<Vec<Rc<str>>> =
            shardings.iter().map(|annotation| Some(self.sharding_text((*annotation)?))).collect();
        match texts.as_deref() {
            None | Some([]) => String::new(),
            Some([one]) => [", sharding=", one].concat(),
            Some(many) => {
                let mut list = String::new();
                for (i, text) in many.iter().enumerate() {
                    super::shape::write_separator(&mut list, i);
                    list.push_str(text);
                }
                format!(", sharding={{{list}}}")
            }
        }
    }

    pub fn sharding_text(&self, annotation: &Annotation) -> Rc<str> {
        if let Some(text) = self.shardings.borrow().get(annotation) {
            return text.clone();
        }
        let text: Rc<str> = super::op::sharding::text_of(self.module, annotation).into();
        self.shardings.borrow_mut().insert(annotation.clone(), text.clone());
        text
    }

    /// The sharding the results of a function ask for.
    pub fn result_sharding(&self, infos: &[ResultInfo]) -> String {
        self.sharding_of(&infos.iter().map(|info| info.sharding.as_ref()).collect::<Vec<_>>())
    }
}

fn parameters(computation: &mut Computation<'_, '_>, func: &Function) {
    let values = func.param_values();
    let forms = header::param_forms(func);
    let mut first = 0;
    for form in forms {
        let part = values.get(first..first + form.leaves()).unwrap_or(&[]);
        let attrs = parameter_attrs(func, first);
        let infos = func.params.get(first..first + part.len()).unwrap_or(&[]);
        let layouts: Vec<_> =
            infos.iter().map(|info| kept(&info.attrs, "hlo.layout").unwrap_or("")).collect();
        computation.parameter_with(&form, part, &layouts.join(";"), &attrs);
        first += part.len();
    }
}

/// What is kept of a parameter, by that of its first leaf.
fn parameter_attrs(func: &Function, first: usize) -> String {
    let Some(info) = func.params.get(first) else { return String::new() };
    let mut out = kept_attrs(&info.attrs);
    let mut fields =
        kept(&info.attrs, "hlo.op_name").map_or(String::new(), |name| format!("op_name={}", quote(name)));
    if let Some(extra) = kept(&info.attrs, "hlo.metadata") {
        fields += if fields.is_empty() { "" } else { " " };
        fields += extra;
    }
    if !fields.is_empty() {
        let _ = write!(out, ", metadata={{{fields}}}");
    }
    out
}

/// Names under `hlo.` that are not attributes of an instruction.
const NOT_ATTRIBUTES: [&str; 4] = ["hlo.layout", "hlo.form", "hlo.metadata", "hlo.op_name"];

/// Frontend attributes and kept text, as attributes of an instruction.
pub(super) fn kept_attrs(attrs: &Attrs) -> String {
    let mut out = String::new();
    for (name, value) in &attrs.0 {
        match (name.strip_prefix("hlo."), value) {
            (Some(key), Attr::Str(text)) if !NOT_ATTRIBUTES.contains(&&**name) => {
                let _ = write!(out, ", {key}={text}");
            }
            (None, Attr::Dict(attrs)) if **name == *FRONTEND => {
                let _ = write!(out, ", frontend_attributes={}", dictionary(attrs));
            }
            _ => {}
        }
    }
    out
}

/// `{key="text",other={..}}`.
pub(super) fn dictionary(attrs: &Attrs) -> String {
    let item = |(key, value): &(std::sync::Arc<str>, Attr)| match value {
        Attr::Str(text) => format!("{key}={}", quote(text)),
        Attr::Raw(text) if stands_alone(text) => format!("{key}={text}"),
        Attr::Raw(text) => format!("{key}={}", quote(text)),
        Attr::Dict(attrs) => format!("{key}={}", dictionary(attrs)),
        Attr::Unit => format!("{key}=\"\""),
    };
    format!("{{{}}}", attrs.0.iter().map(item).collect::<Vec<_>>().join(","))
}

/// Whether a text is read as one value.
fn stands_alone(text: &str) -> bool {
    let mut cursor = Cursor::new(text);
    cursor.value().is_ok_and(|value| value.str == text) && !text.starts_with('"')
}

/// `{key = "text", other = 1 : i64}`.
pub(super) fn mlir_dictionary(attrs: &Attrs) -> String {
    let item = |(key, value): &(std::sync::Arc<str>, Attr)| match value {
        Attr::Str(text) => format!("{key} = {}", quote(text)),
        Attr::Raw(text) => format!("{key} = {text}"),
        Attr::Dict(attrs) => format!("{key} = {}", mlir_dictionary(attrs)),
        Attr::Unit => key.to_string(),
    };
    format!("{{{}}}", attrs.0.iter().map(item).collect::<Vec<_>>().join(", "))
}
