//! A module that is ready for completion: annotations read, functions copied per call, steps made, nothing spread yet.
//!
//! One draft may be completed in several orders of its annotations, and the completions compared by whoever knows what
//! a program costs. With no order given, all annotations of one user priority spread together, as the papers have it.

use crate::addition::{Addition, additions};
use crate::alike::quick_hash;
use crate::decision::{Choice, Decision};
use crate::landmarks::{self, Landmark};
use crate::order::{Claim, Claims, Order};
use crate::ports::Ports;
use crate::propagate::Propagator;
use crate::provenance::{Provenance, Trace};
use crate::setup;
use crate::state::{DimId, State};
use crate::steps::{FlowStep, Steps};
use crate::{Options, Report, close, conflicts, donated, flatten, import, manual, remake, scalar_regions};
use crate::{strategy, ties};
use meshwright_base::Diagnostic;
use meshwright_ir::{Def, Module, Op, ShardedModule};
use meshwright_shard::MeshId;

/// A module before its annotations spread.
pub struct Draft {
    module: Module,
    landmarks: Vec<Landmark>,
    mesh: MeshId,
    notes: Vec<Diagnostic>,
    copied_functions: usize,
    state: State,
    ports: Ports,
    steps: Steps,
    claims: Claims,
}

/// How annotations have spread.
pub struct Spread {
    state: State,
    provenance: Provenance,
    sweeps: usize,
    added: Vec<Addition>,
}

impl Spread {
    /// A number that tells it from others of the same draft.
    pub fn mark(&self) -> u64 {
        let axes = self.state.dims.values().map(|dim| self.state.lists.get(dim.axes));
        axes.fold(0, |mark, axes| quick_hash(&(mark, axes)))
    }
}

impl Draft {
    /// Read a module's annotations. The module must have passed the verifier.
    pub fn new(mut module: Module, options: &Options) -> Result<Draft, Vec<Diagnostic>> {
        meshwright_ir::check_unfolded(&module).map_err(|found| vec![found])?;
        module.funcs.values_mut().for_each(scalar_regions::forget_annotations);
        let mut landmarks = landmarks::landmarks(&module);
        let import::Imported { mesh, groups, notes } = import::import(&mut module, &landmarks, options)?;
        let copied_functions = flatten::copy_per_call(&mut module, &landmarks);
        if copied_functions > 0 {
            landmarks = landmarks::landmarks(&module);
        }
        let ties = ties::ties(&module, &landmarks, &groups);
        for func in module.funcs.values_mut() {
            remake::copy_per_user(func);
        }
        let (mut state, ports) = setup::slots(&module, &landmarks, &ties);
        let errors = manual::mark(&module, &landmarks, &mut state, &ports);
        if !errors.is_empty() {
            return Err(errors);
        }
        let steps = setup::steps(&module, &mut state, &ports);
        let claims = Claims::of(&state, &steps);
        Ok(Draft { module, landmarks, mesh, notes, copied_functions, state, ports, steps, claims })
    }

    /// Whether a contraction works on pieces: with nothing spread every device would compute the whole of it.
    pub fn splits_contractions(&self, spread: &Spread) -> bool {
        let is_split = |step: &FlowStep| {
            let contracts =
                |inst| matches!(self.module.funcs[step.func].inst(inst).op, Op::Dot(_) | Op::Convolution(_));
            let mut tensors = self.steps.tensors_of(step).iter();
            step.inst.is_some_and(contracts) && tensors.any(|tensor| !spread.state.is_bare(tensor.slot))
        };
        self.steps.steps.values().any(is_split)
    }

    /// Whether something is annotated beside the entry's parameters and results.
    pub fn annotates_inside(&self) -> bool {
        let mut values = self.module.funcs.values().flat_map(|func| func.values().values());
        values.any(|info| info.sharding.is_some() && matches!(info.def, Def::Result { .. }))
    }

    /// How many instructions the module has.
    pub fn instructions(&self) -> usize {
        self.module.funcs.values().map(|func| func.insts_in_order().len()).sum()
    }

    /// Claims that meet others where nobody has said what holds, most bytes first.
    pub fn contested(&self) -> &[Claim] {
        self.claims.contested()
    }

    /// For each contested claim the share of what nobody annotated where it did not get all its axes, by elements.
    pub fn lost(&self, spread: &Spread) -> Vec<f64> {
        self.claims.lost(&self.state, &spread.state)
    }

    /// Splits that nobody asks for of what is summed up over devices, most bytes first.
    pub fn additions(&self, spread: &Spread) -> Vec<Addition> {
        additions(&self.module, &spread.state, &self.steps)
    }

    /// Spread the annotations in an order of claims, and behind them what is added.
    pub fn spread(&self, order: &Order) -> Spread {
        let mut state = self.state.clone();
        self.claims.rank(&mut state, order);
        let mut provenance = Provenance::new(&state);
        let run = |state: &mut State, provenance: &mut Provenance| {
            strategy::run(&mut Propagator::new(state, &self.steps, provenance))
        };
        let mut sweeps = run(&mut state, &mut provenance);
        if !order.added.is_empty() {
            self.close_entry(&mut state);
        }
        for addition in &order.added {
            addition.make(&mut state, &mut provenance);
            sweeps += run(&mut state, &mut provenance);
        }
        Spread { state, provenance, sweeps, added: order.added.clone() }
    }

    /// What the caller sees is split as annotations say: additions are a matter of the inside.
    fn close_entry(&self, state: &mut State) {
        let entry = self.module.entry;
        let func = &self.module.funcs[entry];
        let params = func.block(func.root()).params.iter().map(|value| state.slot(entry, *value));
        let slots = params.chain(self.ports.results[entry].iter().copied());
        let dims: Vec<DimId> = slots.flat_map(|slot| state.dim_ids(slot)).collect();
        dims.into_iter().for_each(|dim| state.dims[dim].open = false);
    }

    /// The module with every value split as annotations have spread.
    pub fn complete(&self, spread: &Spread) -> Result<ShardedModule, Vec<Diagnostic>> {
        let mut module = self.module.clone();
        close(&mut module, &self.landmarks, (&spread.state, &self.ports), self.mesh)?;
        for func in module.funcs.values_mut() {
            remake::merge_copies(func);
        }
        ShardedModule::new(module)
    }

    /// The same, with how it came about; `choices` are those that led to the order.
    pub fn finish(
        self,
        spread: Spread,
        choices: &[Choice],
    ) -> Result<(ShardedModule, Report), Vec<Diagnostic>> {
        let Draft { mut module, landmarks, mesh, notes, copied_functions, ports, steps, claims, .. } = self;
        let Spread { state, provenance, sweeps, added } = spread;
        let (given, inferred, replicated) = count(&module, &state);
        close(&mut module, &landmarks, (&state, &ports), mesh)?;
        let trace = Trace::new(&module, (state, &ports), steps, provenance);
        let decisions: Vec<Decision> =
            choices.iter().filter_map(|choice| claims.decision(&module, &trace, (*choice, &added))).collect();
        let mut conflicts = notes;
        conflicts.extend(decisions.iter().map(Decision::note));
        conflicts.extend(conflicts::conflicts(&module, &trace));
        for func in module.funcs.values_mut() {
            remake::merge_copies(func);
        }
        let report =
            Report { given, inferred, replicated, sweeps, copied_functions, conflicts, decisions, trace };
        Ok((ShardedModule::new(module)?, report))
    }
}

fn close(
    module: &mut Module,
    landmarks: &[Landmark],
    slots: (&State, &Ports),
    mesh: MeshId,
) -> Result<(), Vec<Diagnostic>> {
    close::close(module, landmarks, slots, mesh);
    let errors = donated::drop_impossible(module);
    if errors.is_empty() { Ok(()) } else { Err(errors) }
}

/// How many tensors are annotated, got axes, got none.
fn count(module: &Module, state: &State) -> (usize, usize, usize) {
    let (mut given, mut inferred, mut replicated) = (0, 0, 0);
    for (id, func) in module.funcs.iter() {
        for value in func.values().keys().filter(|value| !func.dims(*value).is_empty()) {
            let slot = state.slot(id, value);
            match (func.value(value).sharding.is_some(), state.is_bare(slot)) {
                (true, _) => given += 1,
                (false, false) => inferred += 1,
                (false, true) => replicated += 1,
            }
        }
    }
    (given, inferred, replicated)
}
