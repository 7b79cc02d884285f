//! What a trace gives: a module, and the names of what goes in and comes out.

use crate::codes;
use crate::error::Errors;
use crate::slips::unused;
use crate::state::{InputInfo, Role, State};
use meshwright_base::Diagnostic;
use meshwright_grad::Options;
use meshwright_ir::{Attr, DType, Donation, FuncId, Module, TensorType, ValueId};
use std::fmt;
use std::panic::Location;
use std::sync::Arc;

/// A traced program on global shapes, ready to be differentiated, partitioned, printed and run.
///
/// ```
/// use meshwright_tensor::prelude::*;
/// let program = trace("loss", |t| (t.input("x", f32, [4]) * t.param("w", [4])).sum(..))?;
/// let step = program.value_and_grad(&["w"])?;
/// assert_eq!(step.results()[1].name.as_ref(), "grad.w");
/// # Ok::<(), Errors>(())
/// ```
#[derive(Clone, Debug)]
pub struct Program {
    pub(crate) module: Arc<Module>,
    inputs: Vec<InputInfo>,
    results: Vec<ResultInfo>,
    notes: Vec<Diagnostic>,
}

/// A result of the program.
///
/// ```
/// use meshwright_tensor::prelude::*;
/// let program = trace("f", |t| (t.input("x", f32, [4]), t.param("w", [2])))?;
/// assert_eq!((&*program.results()[1].name, program.results()[1].ty.to_string()), ("1", "f32[2]".to_string()));
/// # Ok::<(), Errors>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ResultInfo {
    /// The name: the place in the structure that the function returned, `result` if it returned one tensor.
    pub name: Arc<str>,
    /// Shape and element type.
    pub ty: TensorType,
}

/// Names of results from their places.
pub(crate) fn result_names(paths: &[String]) -> Vec<String> {
    let name = |path: &String| if path.is_empty() { "result".to_string() } else { path.clone() };
    paths.iter().map(name).collect()
}

impl Program {
    pub(crate) fn of(state: State) -> Result<Program, Errors> {
        let notes = [unused(&state), state.notes].concat();
        let (module, inputs) = (Arc::new(state.module), state.inputs);
        let mut program = Program { module, inputs, results: Vec::new(), notes };
        program.results = program.named_results();
        program.give_states();
        meshwright_ir::verify(&program.module)?;
        Ok(program)
    }

    /// A program from a module of any origin: its inputs are called as its parameters, or `arg0`, `arg1`, ...
    ///
    /// ```
    /// use meshwright_tensor::prelude::*;
    /// let program = trace("f", |t| (t.input("x", f32, [4]), t.param("w", [2])))?;
    /// let again = Program::from_module(program.into_module())?;
    /// assert_eq!(again.inputs()[1].name.as_ref(), "w");
    /// # Ok::<(), Errors>(())
    /// ```
    pub fn from_module(module: Module) -> Result<Program, Errors> {
        meshwright_ir::verify(&module)?;
        let main = module.main();
        let input = |(at, value): (usize, &ValueId)| InputInfo {
            name: main.value(*value).name.clone().unwrap_or_else(|| format!("arg{at}").into()),
            role: Role::Input,
            ty: main.ty(*value).as_tensor().cloned().unwrap_or_else(|| TensorType::scalar(DType::Pred)),
            dims: vec![None; main.ty(*value).rank()],
        };
        let inputs = main.param_values().iter().enumerate().map(input).collect();
        let mut program =
            Program { module: Arc::new(module), inputs, results: Vec::new(), notes: Vec::new() };
        program.results = program.named_results();
        Ok(program)
    }

    fn named_results(&self) -> Vec<ResultInfo> {
        let main = self.module.main();
        let one = |(at, info): (usize, &meshwright_ir::ResultInfo)| ResultInfo {
            name: info.attrs.get_str("jax.result_info").map_or_else(|| at.to_string().into(), Arc::from),
            ty: info.ty.as_tensor().cloned().unwrap_or_else(|| TensorType::scalar(DType::Pred)),
        };
        main.results.iter().enumerate().map(one).collect()
    }

    /// The buffer of a state is the result's of its name.
    fn give_states(&mut self) {
        let entry = self.module.entry;
        let results = self.results.clone();
        let mut editor = meshwright_ir::Editor::new(&mut Arc::make_mut(&mut self.module).funcs[entry]);
        for (input, info) in self.inputs.iter().zip(editor.param_info_mut()) {
            let same = |result: &ResultInfo| result.name == input.name && result.ty == input.ty;
            if let Some(result) = results.iter().position(same).filter(|_| input.role == Role::State) {
                info.donation = Some(Donation::Alias { result, must: false });
            }
        }
    }

    /// The module.
    ///
    /// ```
    /// use meshwright_tensor::prelude::*;
    /// let program = trace("f", |t| (t.input("x", f32, [4]), t.param("w", [2])))?;
    /// assert_eq!(program.module().main().param_values().len(), 2);
    /// # Ok::<(), Errors>(())
    /// ```
    pub fn module(&self) -> &Module {
        &self.module
    }

    /// The module, to be changed or given on.
    ///
    /// ```
    /// use meshwright_tensor::prelude::*;
    /// let program = trace("f", |t| (t.input("x", f32, [4]), t.param("w", [2])))?;
    /// assert_eq!(program.into_module().funcs.len(), 1);
    /// # Ok::<(), Errors>(())
    /// ```
    pub fn into_module(self) -> Module {
        Arc::unwrap_or_clone(self.module)
    }

    /// Inputs, parameters and states, in the order of the program's parameters.
    ///
    /// ```
    /// use meshwright_tensor::prelude::*;
    /// let program = trace("f", |t| (t.input("x", f32, [4]), t.param("w", [2])))?;
    /// assert_eq!(program.inputs()[0].ty.to_string(), "f32[4]");
    /// # Ok::<(), Errors>(())
    /// ```
    pub fn inputs(&self) -> &[InputInfo] {
        &self.inputs
    }

    /// Results, in order.
    ///
    /// ```
    /// use meshwright_tensor::prelude::*;
    /// let program = trace("f", |t| (t.input("x", f32, [4]), t.param("w", [2])))?;
    /// assert_eq!(program.results().len(), 2);
    /// # Ok::<(), Errors>(())
    /// ```
    pub fn results(&self) -> &[ResultInfo] {
        &self.results
    }

    /// What is odd about the program though it is not wrong: inputs that nothing uses, rules that no dim follows,
    /// losses that do not use a weight; each at its line.
    ///
    /// ```
    /// use meshwright_tensor::prelude::*;
    /// let program = trace("f", |t| {
    ///     t.param("forgotten", [4]);
    ///     t.input("x", f32, [4])
    /// })?;
    /// assert_eq!(program.notes()[0].message, "parameter `forgotten` is used nowhere");
    /// # Ok::<(), Errors>(())
    /// ```
    pub fn notes(&self) -> &[Diagnostic] {
        &self.notes
    }

    /// Position of an input.
    ///
    /// ```
    /// use meshwright_tensor::prelude::*;
    /// let program = trace("f", |t| (t.input("x", f32, [4]), t.param("w", [2])))?;
    /// assert_eq!((program.input("w"), program.input("v")), (Some(1), None));
    /// # Ok::<(), Errors>(())
    /// ```
    pub fn input(&self, name: &str) -> Option<usize> {
        self.inputs.iter().position(|input| &*input.name == name)
    }

    /// The program that also returns the gradients of its first result with respect to these inputs, called
    /// `grad.NAME`.
    ///
    /// ```
    /// use meshwright_tensor::prelude::*;
    /// let loss = trace("loss", |t| (t.input("x", f32, [4]) * t.param("w", [4])).sum(..))?;
    /// let step = loss.value_and_grad(&["w"])?;
    /// assert_eq!(step.to_string(), "loss(x: f32[4], w: f32[4]) -> (result: f32[], grad.w: f32[4])");
    /// # Ok::<(), Errors>(())
    /// ```
    #[track_caller]
    pub fn value_and_grad(&self, wrt: &[&str]) -> Result<Program, Errors> {
        let line = Location::caller();
        self.differentiated(wrt).map_err(|errors| errors.at(line))
    }

    fn differentiated(&self, wrt: &[&str]) -> Result<Program, Errors> {
        let mut at = Vec::new();
        for name in wrt {
            let input = self.input(name).ok_or_else(|| self.no_input(name))?;
            at.push(self.may_vary(input, &at)?);
        }
        let mut out = self.clone();
        let entry = out.module.entry;
        let func =
            meshwright_grad::value_and_grad(Arc::make_mut(&mut out.module), entry, &at, &Options::default())?;
        out.enter(func);
        for (name, input) in wrt.iter().zip(at) {
            out.results
                .push(ResultInfo { name: format!("grad.{name}").into(), ty: self.inputs[input].ty.clone() });
        }
        out.name_results();
        meshwright_ir::verify(&out.module)?;
        Ok(out)
    }

    /// The input, if there can be a gradient with respect to it that was not asked for yet.
    fn may_vary(&self, input: usize, others: &[usize]) -> Result<usize, Errors> {
        let info = &self.inputs[input];
        let refused =
            |message: String, help: &str| Err(Diagnostic::error(codes::GRADIENT, message).help(help).into());
        if others.contains(&input) {
            return refused(
                format!("the gradient of `{}` is asked for twice", info.name),
                "name each input once",
            );
        }
        if !(info.ty.dtype.is_float() || info.ty.dtype.is_complex()) {
            let words = crate::tensor::words(&info.ty, &info.dims);
            let message = format!("`{}` is {words}: an integer has no gradient", info.name);
            return refused(message, "leave it out, or make it an input of a float type");
        }
        Ok(input)
    }

    fn no_input(&self, name: &str) -> Errors {
        let known: Vec<String> = self.inputs.iter().map(|input| format!("`{}`", input.name)).collect();
        let message = format!("the program has no input `{name}` to differentiate with respect to");
        let help = format!("its inputs are {}", known.join(", "));
        Diagnostic::error(codes::NAME, message).help(help).into()
    }

    /// Make another function the program's.
    fn enter(&mut self, func: FuncId) {
        let module = Arc::make_mut(&mut self.module);
        let old = module.entry;
        let (name, old_name) = (module.funcs[old].name.clone(), module.funcs[func].name.clone());
        let donations: Vec<_> = module.funcs[old].params.clone();
        module.funcs[old].name = old_name;
        module.funcs[old].is_public = false;
        module.funcs[func].name = name;
        module.funcs[func].is_public = true;
        module.entry = func;
        let mut editor = meshwright_ir::Editor::new(&mut module.funcs[func]);
        editor.param_info_mut().clone_from(&donations);
        let values: Vec<ValueId> = editor.func().param_values().to_vec();
        for (value, input) in values.into_iter().zip(&self.inputs) {
            editor.set_name(value, Some(input.name.clone()));
        }
    }

    fn name_results(&mut self) {
        let entry = self.module.entry;
        let mut editor = meshwright_ir::Editor::new(&mut Arc::make_mut(&mut self.module).funcs[entry]);
        for (info, result) in editor.result_info_mut().iter_mut().zip(&self.results) {
            info.attrs.set("jax.result_info", Attr::Str(result.name.clone()));
        }
    }
}

impl fmt::Display for Program {
    /// Its signature: `f(x: f32[batch=8,4]) -> (result: f32[8])`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let input =
            |input: &InputInfo| format!("{}: {}", input.name, crate::tensor::words(&input.ty, &input.dims));
        let inputs: Vec<String> = self.inputs.iter().map(input).collect();
        let results: Vec<String> =
            self.results.iter().map(|result| format!("{}: {}", result.name, result.ty)).collect();
        write!(f, "{}({}) -> ({})", self.module.name, inputs.join(", "), results.join(", "))
    }
}
