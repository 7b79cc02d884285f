//! One annotation more, as a user writes it: `%x=[a, _]`, `p['w1']=[_, a*b]`.

use crate::names::{Question, find};
use crate::written::short_sharding;
use meshwright_base::{Ask, Code, Diagnostic};
use meshwright_ir::{Annotation, Editor, FuncId, Module, ValueId};
use meshwright_shard::{AxisRef, Mesh, MeshId, Sharding, axis};

const NOT_WRITTEN: Code = Code(623);
const NO_AXIS: Code = Code(624);
const NO_FIT: Code = Code(625);
const FORBIDDEN: Code = Code(626);

/// Values that are to be split alike.
#[derive(Clone, PartialEq, Debug)]
pub struct Wish {
    pub values: Vec<(FuncId, ValueId)>,
    /// As the text has them.
    pub names: Vec<String>,
    pub sharding: Sharding,
}

impl Wish {
    /// Read one. What cannot be is refused: an axis that no mesh has, another number of dims, an axis twice, and what
    /// an annotation of the value forbids, unless the wish is to stand `instead` of it.
    pub fn read(module: &Module, text: &str, instead: bool) -> Result<Wish, Diagnostic> {
        let wrong = || {
            Diagnostic::error(NOT_WRITTEN, format!("`{text}` is no annotation")).help(
                "write a value and what each of its dims is split over, as `%x=[a, _]` or `p['w1']=[_, a*b]`",
            )
        };
        let (asked, dims) = text.rsplit_once('=').ok_or_else(wrong)?;
        let dims = dims.trim().strip_prefix('[').and_then(|dims| dims.strip_suffix(']')).ok_or_else(wrong)?;
        let questions = find(module, asked.trim())?;
        let (mesh, _) = mesh_of(module)?;
        let axes = axes(module, mesh, &plain(dims))?;
        let sharding = Sharding::tiled(mesh, axes);
        let wish = Wish {
            values: questions.iter().map(|question| (question.func, question.value)).collect(),
            names: questions.iter().map(|question| question.name.clone()).collect(),
            sharding,
        };
        for question in &questions {
            wish.check(module, question, (asked.trim(), instead))?;
        }
        Ok(wish)
    }

    fn check(
        &self,
        module: &Module,
        question: &Question,
        (asked, instead): (&str, bool),
    ) -> Result<(), Diagnostic> {
        let func = &module.funcs[question.func];
        let dims = func.dims(question.value);
        if dims.len() != self.sharding.rank() {
            let (ty, count) = (func.ty(question.value), self.sharding.rank());
            let message = format!("`{asked}` is {ty}, so {count} entries do not say how its dims are split");
            return Err(Diagnostic::error(NO_FIT, message)
                .help(format!("write {} entries, `_` for a dim that stays whole", dims.len())));
        }
        let Some(forbids) = forbidden(module, question, &self.sharding).filter(|_| !instead) else {
            return Ok(());
        };
        let wanted = short_sharding(&self.sharding, &module.meshes);
        let message = format!("`{asked}` is annotated {forbids}, which forbids {wanted}");
        Err(Diagnostic::error(FORBIDDEN, message).help(format!(
            "`{}` prices it in place of that annotation; to leave the value to completion, take the annotation away \
             (in JAX `None` in `in_shardings`, or `P.UNCONSTRAINED` for a dim)",
            Ask::Flag("instead")
        )))
    }

    /// The module with it.
    pub fn apply(&self, module: &mut Module) {
        for (func, value) in &self.values {
            let annotation = Annotation::from(self.sharding.clone());
            Editor::new(&mut module.funcs[*func]).set_sharding(*value, Some(annotation));
        }
    }
}

/// The mesh that annotations are over: the first with axes.
pub fn mesh_of(module: &Module) -> Result<(MeshId, &Mesh), Diagnostic> {
    let found = module.meshes.iter().find(|(_, mesh)| !mesh.axes.is_empty());
    found.ok_or_else(|| {
        Diagnostic::error(NO_AXIS, "the module has no mesh, so there is no axis to split over")
            .help("annotate a value over a mesh first")
    })
}

/// As JAX writes them, `None, ('a', 'b')`, in our own form.
fn plain(dims: &str) -> String {
    let (mut out, mut depth) = (String::new(), 0);
    for letter in dims.chars() {
        match letter {
            '(' => depth += 1,
            ')' => depth -= 1,
            '\'' | '"' => {}
            ',' if depth > 0 => out.push('*'),
            _ => out.push(letter),
        }
    }
    let dims = out.split(',').map(|dim| match dim.trim().trim_matches('*') {
        "None" => "_".to_string(),
        dim => dim.to_string(),
    });
    dims.collect::<Vec<_>>().join(", ")
}

/// `a, _, b*c`.
fn axes(module: &Module, mesh: MeshId, text: &str) -> Result<Vec<Vec<AxisRef>>, Diagnostic> {
    let known = &module.meshes[mesh];
    let mut all: Vec<AxisRef> = Vec::new();
    let mut dims = Vec::new();
    for dim in text.split(',').map(str::trim).filter(|_| !text.trim().is_empty()) {
        let mut of_dim = Vec::new();
        for name in dim.split('*').map(str::trim).filter(|name| *name != "_") {
            let Some(id) = known.axis(name) else {
                let names: Vec<String> = known.axes.values().map(|axis| format!("`{}`", axis.name)).collect();
                return Err(Diagnostic::error(NO_AXIS, format!("no axis is called `{name}`")).help(format!(
                    "mesh `{}` has {}; `_` is a dim that stays whole",
                    known.name,
                    names.join(", ")
                )));
            };
            let axis = known.whole(id);
            if all.contains(&axis) {
                return Err(Diagnostic::error(NO_FIT, format!("axis `{name}` stands twice in `[{text}]`"))
                    .help("an axis splits one dim of a value; name it once"));
            }
            all.push(axis);
            of_dim.push(axis);
        }
        dims.push(of_dim);
    }
    Ok(dims)
}

/// What the value's annotation says, if a sharding is not among those that it leaves open.
fn forbidden(module: &Module, question: &Question, wanted: &Sharding) -> Option<String> {
    let annotation = module.funcs[question.func].value(question.value).sharding.as_ref()?;
    let Some(has) = annotation.as_mesh() else { return Some("in HLO's form".into()) };
    if has.dims.len() != wanted.dims.len() || has.mesh != wanted.mesh {
        return Some(short_sharding(has, &module.meshes));
    }
    let fits = has.dims.iter().zip(&wanted.dims).all(|(has, wanted)| {
        if has.open { axis::is_prefix(&has.axes, &wanted.axes) } else { has.axes == wanted.axes }
    });
    let keeps_off = axis::overlap(&has.replicated, &wanted.used_axes());
    (!fits || keeps_off).then(|| short_sharding(has, &module.meshes))
}

/// Whether nobody says how a value is split, or somebody says it and leaves all open.
pub fn is_open(module: &Module, func: FuncId, value: ValueId) -> bool {
    match module.funcs[func].value(value).sharding.as_ref() {
        None => true,
        Some(annotation) => annotation.as_mesh().is_some_and(|has| {
            has.dims.iter().all(|dim| dim.open && dim.axes.is_empty()) && has.replicated.is_empty()
        }),
    }
}
