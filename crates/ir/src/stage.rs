//! The stages of a module as types. A stage can only be made by its checking constructor.
//!
//! ```text
//! Module --complete--> ShardedModule --plan, pad, reshard--> PlannedModule --localize--> SpmdModule
//! ```
//!
//! * **Sharded**: every tensor value has a valid sharding over a mesh of the module. Shapes are global.
//! * **Planned**: besides, the shardings of each instruction agree with its rule: one list of axes per factor, the same
//!   in every operand and result; axes of reduction factors make the results partial. Every change of sharding is a
//!   `Reshard` of its own. Shapes are global and every split dim divides evenly (`Value::valid` tells what is real),
//!   but around ops whose pieces are exchanged.
//! * **Spmd**: shapes are local, collectives are explicit, nothing refers to a sharding. How the program's parameters
//!   and results are cut from global arrays stands beside it.
//!
//! The verifiers of the stages take one walk each.

use crate::module::{Annotation, Function, InstId, Module, ValueId};
use crate::op::{Op, ShardingOp};
use crate::types::TensorType;
use meshwright_base::{Code, Diagnostic};
use meshwright_shard::Sharding;

/// Every tensor value has a sharding.
#[derive(Clone, Debug)]
pub struct ShardedModule(Module);

/// Every instruction's shardings agree with its rule.
#[derive(Clone, Debug)]
pub struct PlannedModule(Module);

/// One program for all devices, on local shapes.
#[derive(Clone, Debug)]
pub struct SpmdModule {
    module: Module,
    /// How each parameter is cut from a global array.
    pub params: Vec<Placement>,
    /// How each result is put together.
    pub results: Vec<Placement>,
}

/// A global array over a mesh of the module. For a token it is an array of no elements on every device.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Placement {
    pub global: TensorType,
    pub sharding: Sharding,
}

impl ShardedModule {
    /// Check that every tensor value carries a sharding of its own rank over a mesh of the module.
    pub fn new(module: Module) -> Result<Self, Vec<Diagnostic>> {
        let mut errors = Vec::new();
        for func in module.funcs.values() {
            each_live(func, |value| errors.extend(check_sharded(&module, func, value)));
        }
        if errors.is_empty() { Ok(ShardedModule(module)) } else { Err(errors) }
    }

    pub fn module(&self) -> &Module {
        &self.0
    }

    /// For passes within the stage; re-make the stage to have it checked again.
    pub fn module_mut(&mut self) -> &mut Module {
        &mut self.0
    }

    pub fn into_module(self) -> Module {
        self.0
    }
}

impl PlannedModule {
    /// Check the plan; `agrees` says of one instruction what is wrong with its shardings, if anything.
    ///
    /// The check lives with the planner's knowledge of rules (`spmd`), which hands it in: this crate only guarantees
    /// that it is asked for every instruction.
    pub fn new(
        module: Module,
        agrees: impl Fn(&Module, &Function, InstId) -> Option<Diagnostic>,
    ) -> Result<Self, Vec<Diagnostic>> {
        let module = ShardedModule::new(module)?.into_module();
        let errors: Vec<_> = module
            .funcs
            .values()
            .flat_map(|func| func.insts_in_order().into_iter().map(move |inst| (func, inst)))
            .filter_map(|(func, inst)| agrees(&module, func, inst))
            .collect();
        if errors.is_empty() { Ok(PlannedModule(module)) } else { Err(errors) }
    }

    pub fn module(&self) -> &Module {
        &self.0
    }

    /// For passes within the stage; re-make the stage to have it checked again.
    pub fn module_mut(&mut self) -> &mut Module {
        &mut self.0
    }

    pub fn into_module(self) -> Module {
        self.0
    }
}

impl SpmdModule {
    /// Check that no sharding op is left and that the placements fit the signature.
    pub fn new(
        module: Module,
        params: Vec<Placement>,
        results: Vec<Placement>,
    ) -> Result<Self, Vec<Diagnostic>> {
        let mut errors = Vec::new();
        for func in module.funcs.values() {
            for inst in func.insts_in_order() {
                if let Op::Sharding(op) = &func.inst(inst).op {
                    errors.push(left_over(&module, func, inst, op));
                }
            }
        }
        let main = module.main();
        let local = |values: &[ValueId], placements: &[Placement], what: &str| {
            let fits = values.len() == placements.len()
                && values.iter().zip(placements).all(|(value, placement)| {
                    main.ty(*value).as_array().dims == placement.sharding.shard_shape(&placement.global.dims)
                });
            (!fits).then(|| bug(format!("{what} of the partitioned program do not fit their placements")))
        };
        errors.extend(local(main.param_values(), &params, "parameters"));
        errors.extend(local(main.result_values(), &results, "results"));
        if errors.is_empty() { Ok(SpmdModule { module, params, results }) } else { Err(errors) }
    }

    pub fn module(&self) -> &Module {
        &self.module
    }

    /// For passes within the stage.
    pub fn module_mut(&mut self) -> &mut Module {
        &mut self.module
    }

    pub fn into_module(self) -> Module {
        self.module
    }
}

/// Parameters and results of blocks and instructions that are linked into the function.
fn each_live(func: &Function, mut note: impl FnMut(ValueId)) {
    for block in func.blocks_in_order() {
        func.block(block).params.iter().for_each(|value| note(*value));
    }
    for inst in func.insts_in_order() {
        func.inst(inst).results.iter().for_each(|value| note(*value));
    }
}

fn check_sharded(module: &Module, func: &Function, value: ValueId) -> Option<Diagnostic> {
    let info = func.value(value);
    let tensor = info.ty.as_tensor()?;
    let name = info.name.as_deref().unwrap_or("");
    match &info.sharding {
        Some(Annotation::Mesh(sharding)) if module.meshes.get(sharding.mesh).is_none() => {
            Some(bug(format!("`%{name}` is sharded over a mesh that the module does not have")))
        }
        Some(Annotation::Mesh(sharding)) if sharding.rank() != tensor.rank() => Some(bug(format!(
            "`%{name}` has rank {} but its sharding has rank {}",
            tensor.rank(),
            sharding.rank()
        ))),
        Some(Annotation::Mesh(_)) => None,
        _ => Some(bug(format!("`%{name}` ({tensor}, {value:?} of @{}) has no sharding", func.name))),
    }
}

fn left_over(module: &Module, func: &Function, inst: InstId, op: &ShardingOp) -> Diagnostic {
    bug(format!("a sharding op is left in @{} after partitioning: {op:?}", func.name))
        .at_place(module.place(func.inst(inst).source))
}

fn bug(message: String) -> Diagnostic {
    Diagnostic::error(Code(290), message).note("this is a defect of a pass, not of the input")
}
