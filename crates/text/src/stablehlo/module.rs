//! Reading a module: meshes, functions, aliases, and tying up what was named before it was read.

use super::annotate::{self, attr_of, value_info};
use super::block::Param;
use super::lexer::{Kind, lex};
use super::op::Draft;
use super::parser::{Failed, Parsed, Parser, clip};
use super::scope::{Entry, Scope};
use super::tree::{Prop, Text, Tree};
use super::types::leaves;
use crate::codes;
use meshwright_base::diagnostic::Place;
use meshwright_base::{Diagnostic, Id, IdMap, Span, nearest};
use meshwright_ir::op::Foreign;
use meshwright_ir::{
    Annotation, Attrs, Editor, FuncId, Function, InstId, Module, Op, ParamInfo, ResultInfo, Type, ValueId,
};
use std::collections::BTreeSet;

/// What stands before a function's body.
struct Header {
    results: Vec<ResultInfo>,
    params: Vec<ParamInfo>,
    /// Shardings of the parameters.
    shardings: Vec<Option<Annotation>>,
}

impl<'a> Parser<'a> {
    /// The whole text.
    pub fn text(&mut self) {
        if self.top_level().is_ok() && self.diagnostics.is_empty() {
            self.finish_locations();
            self.finish_symbols();
            self.finish_entry();
        }
    }

    fn top_level(&mut self) -> Parsed<()> {
        while self.peek().kind != Kind::End {
            match (self.peek().kind, self.word()) {
                (Kind::Hash, _) => self.alias_definition()?,
                (Kind::Word, "module" | "builtin.module") => self.module_op()?,
                (Kind::Str, _) if self.str(self.peek()) == "\"builtin.module\"" => self.generic_module()?,
                (Kind::Mark(b'{'), _) => return self.resources(),
                (Kind::Bang, _) => {
                    let span = self.peek().span();
                    let help = "write the type itself where the alias is used";
                    return Err(self.fail_help(
                        codes::UNSUPPORTED,
                        span,
                        "type aliases are not supported",
                        help,
                    ));
                }
                _ => self.symbol_op_or_skip()?,
            }
        }
        Ok(())
    }

    /// `{-# .. #-}`: data of resources; what uses it has been refused where it stands.
    fn resources(&mut self) -> Parsed<()> {
        let token = self.peek();
        if self.slice(token.start, token.start + 3) != "{-#" {
            return Err(self.expected("a module or a function"));
        }
        self.jump(self.text.len());
        Ok(())
    }

    /// `module @name attributes {..} { .. }`.
    fn module_op(&mut self) -> Parsed<()> {
        self.bump();
        if self.peek().kind == Kind::Symbol {
            let token = self.bump();
            self.module.name = (*self.symbol_name(token.start, token.end)).into();
        }
        if self.eat_word("attributes") {
            let props = self.dict()?;
            self.module_attrs(props)?;
        }
        self.module_body()?;
        self.opt_loc().map(drop)
    }

    fn module_body(&mut self) -> Parsed<()> {
        let open = self.peek().span();
        self.expect(b'{')?;
        while !self.eat(b'}') {
            if self.peek().kind == Kind::End {
                return Err(self.cut_off("the text ends inside of this module".to_string(), open));
            }
            self.symbol_op_or_skip()?;
        }
        Ok(())
    }

    /// Attributes of the generic form stand behind the body, but are needed while it is read: look for them first.
    fn generic_module(&mut self) -> Parsed<()> {
        self.bump();
        self.expect(b'(')?;
        self.expect(b')')?;
        if self.eat(b'<') {
            for prop in self.dict()? {
                match (&*prop.name, &prop.tree) {
                    ("sym_name", Tree::Str(name)) => self.module.name = (**name).into(),
                    ("sym_name", _) => return Err(self.bad_prop(&prop, "a string")),
                    (name, _) => {
                        let message = format!("a module has no property `{}`", clip(name));
                        let help = "remove it, or write it among the attributes after the body";
                        return Err(self.fail_help(codes::UNKNOWN_ATTRIBUTE, prop.at, message, help));
                    }
                }
            }
            self.expect(b'>')?;
        }
        self.expect(b'(')?;
        self.module_attrs_behind();
        self.module_body()?;
        self.expect(b')')?;
        if self.at_mark(b'{') {
            let props = self.dict()?;
            self.module_attrs(props)?;
        }
        self.empty_signature()?;
        self.opt_loc().map(drop)
    }

    /// The last `}) {..} : () -> ()` of the text.
    fn module_attrs_behind(&mut self) {
        let Some(at) = self.text.rfind("}) {") else { return };
        let known = self.diagnostics.len();
        let read = self.elsewhere(at + 3, |p| {
            let props = p.dict()?;
            p.empty_signature()?;
            p.opt_loc()?;
            // Behind a function's dictionary the module goes on.
            let is_last = matches!(p.peek().kind, Kind::End | Kind::Hash | Kind::Mark(b'{'));
            if is_last { p.module_attrs(props) } else { Ok(()) }
        });
        if read.is_err() {
            self.diagnostics.truncate(known);
        }
    }

    /// `: () -> ()`.
    fn empty_signature(&mut self) -> Parsed<()> {
        self.expect(b':')?;
        self.shape_list()?;
        self.expect_arrow()?;
        self.result_shapes().map(drop)
    }

    fn module_attrs(&mut self, props: Vec<Prop<'a>>) -> Parsed<()> {
        for prop in annotate::sorted(props) {
            match (&*prop.name, prop.tree.as_int()) {
                ("mhlo.num_partitions", Some(count)) => self.module.num_partitions = Some(count),
                ("mhlo.num_replicas", Some(count)) => self.module.num_replicas = Some(count),
                _ => {
                    let attr = attr_of(self, &prop)?;
                    self.module.attrs.set(&prop.name, attr);
                }
            }
        }
        Ok(())
    }

    /// A function or mesh; on failure go on with the next one.
    fn symbol_op_or_skip(&mut self) -> Parsed<()> {
        let start = self.peek();
        if self.symbol_op().is_ok() {
            return Ok(());
        }
        if self.is_hopeless() || self.peek().kind == Kind::End {
            return Err(Failed);
        }
        self.next_symbol_op(start.end)
    }

    /// To the next function, if there is one.
    fn next_symbol_op(&mut self, after: usize) -> Parsed<()> {
        let from = self.peek().start.max(after);
        let rest = self.text.get(from..).unwrap_or("");
        let next = ["\n  func.func ", "\nfunc.func ", "\n  \"func.func\"("];
        let Some(at) = next.iter().filter_map(|start| rest.find(start)).min() else { return Err(Failed) };
        self.jump(from + at + 1);
        Ok(())
    }

    fn symbol_op(&mut self) -> Parsed<()> {
        let token = self.peek();
        let name = self.str(token);
        match name {
            "func.func" | "func" => self.function(),
            "sdy.mesh" => self.mesh(),
            "\"func.func\"" => self.generic_function(),
            "\"sdy.mesh\"" => self.generic_mesh(),
            "module" | "builtin.module" | "\"builtin.module\"" => Err(self.fail_help(
                codes::UNSUPPORTED,
                token.span(),
                "modules inside of modules are not supported",
                "move its functions into the module around it",
            )),
            _ if matches!(token.kind, Kind::Word | Kind::Str) => {
                let word = name.trim_matches('"');
                let message = format!("unknown op `{}` in a module", clip(word));
                let help = nearest::suggest(word, ["func.func", "sdy.mesh", "module"].into_iter());
                let help = help.unwrap_or_else(|| "a module holds func.func and sdy.mesh".to_string());
                Err(self.fail_help(codes::UNKNOWN_OP, token.span(), message, help))
            }
            _ => Err(self.expected("a function, a mesh, or the end of the module")),
        }
    }

    /// `sdy.mesh @mesh = <["x"=4]> {..}`. Attributes repeat the axes for other dialects and are not kept.
    fn mesh(&mut self) -> Parsed<()> {
        self.bump();
        let token = self.expect_kind(Kind::Symbol, "a mesh name as `@mesh`")?;
        let name = self.symbol_name(token.start, token.end);
        self.expect(b'=')?;
        let at = self.peek().start;
        let end = self.declare_mesh(name, at, token.span())?;
        self.jump(end);
        if self.at_mark(b'{') {
            self.dict()?;
        }
        self.opt_loc().map(drop)
    }

    fn declare_mesh(&mut self, name: Text<'a>, at: usize, name_at: Span) -> Parsed<usize> {
        if self.symbols.meshes.contains_key(&name) {
            let message = format!("mesh `@{name}` is declared twice");
            return Err(self.fail_help(codes::DEFINED_TWICE, name_at, message, "rename one of them"));
        }
        let read = annotate::sdy(self, at, |reader, _| reader.mesh(&name));
        let Ok((mesh, end)) = read else {
            self.symbols.broken_meshes.push(name);
            return Err(Failed);
        };
        let id = self.module.meshes.push(mesh);
        self.symbols.meshes.insert(name, id);
        Ok(end)
    }

    fn generic_mesh(&mut self) -> Parsed<()> {
        let mut draft = Draft::new("sdy.mesh", self.func.root(), self.bump().span());
        self.generic(&mut draft)?;
        let Some(name) = self.opt_string(&mut draft, "sym_name")? else {
            return Err(self.missing(&draft, "sym_name"));
        };
        let prop = self.need(&mut draft, "mesh")?;
        match prop.tree {
            Tree::Dialect { name: "sdy.mesh", body } if body > 0 => {
                self.declare_mesh(name, body - 1, draft.at)?;
            }
            _ => return Err(self.bad_prop(&prop, "#sdy.mesh<..>")),
        }
        self.opt_loc().map(drop)
    }

    /// Begin a function; the one before is in the module.
    fn start_function(&mut self, name: &str, is_public: bool) {
        self.func = Function::new(name, is_public);
        self.func_spans = IdMap::new();
        self.scope = Scope::default();
        self.symbols.rng_shapes.clear();
    }

    fn define_function(&mut self, name: Text<'a>, at: Span) -> Parsed<()> {
        let id = FuncId::from_index(self.module.funcs.len());
        let earlier = self.symbols.defined.get(&name).map(|(_, earlier)| *earlier);
        if let Some(earlier) = earlier {
            let diagnostic =
                Diagnostic::error(codes::DEFINED_TWICE, format!("function `@{name}` is defined twice"))
                    .at(at)
                    .label(Some(Place::Span(earlier)), "first here")
                    .help("rename one of them");
            return Err(self.report(diagnostic));
        }
        self.symbols.defined.insert(name, (id, at));
        Ok(())
    }

    /// `func.func public @f(%a: T {..}) -> (U {..}) attributes {..} { .. }`.
    fn function(&mut self) -> Parsed<()> {
        self.bump();
        let is_public = !matches!(self.word(), "private" | "nested");
        if matches!(self.word(), "private" | "nested" | "public") {
            self.bump();
        }
        let token = self.expect_kind(Kind::Symbol, "a function name as `@f`")?;
        let name = self.symbol_name(token.start, token.end);
        self.define_function(name.clone(), token.span())?;
        self.start_function(&name, is_public);
        let (params, header) = self.header()?;
        if self.eat_word("attributes") {
            let props = self.dict()?;
            self.func.attrs = annotate::attrs_of(self, &props)?;
        }
        self.opt_loc_before_body()?;
        if !self.at_mark(b'{') {
            let message = format!("function `@{name}` has no body");
            return Err(self.fail_help(
                codes::UNSUPPORTED,
                token.span(),
                message,
                "give it one, or call it by custom_call",
            ));
        }
        let root = self.func.root();
        self.region_into(root, params)?;
        self.opt_loc()?;
        self.finish_function(header, token.span())
    }

    fn opt_loc_before_body(&mut self) -> Parsed<()> {
        self.opt_loc().map(drop)
    }

    fn header(&mut self) -> Parsed<(Vec<Param<'a>>, Header)> {
        let mut params = Vec::new();
        let mut header = Header { results: Vec::new(), params: Vec::new(), shardings: Vec::new() };
        self.list(b'(', b')', |p| {
            if p.peek().kind != Kind::Value {
                return Err(p.expected("a parameter as `%arg0: tensor<f32>`"));
            }
            let token = p.bump();
            p.expect(b':')?;
            let ty = p.ty()?;
            let info = p.opt_value_info(ty.rank())?;
            let source = p.opt_loc()?;
            p.note_param(header.params.len(), source);
            params.push(Param { name: p.str(token), at: token.span(), ty });
            header.params.push(info.info);
            header.shardings.push(info.sharding);
            Ok(())
        })?;
        if self.peek().kind == Kind::Arrow {
            self.bump();
            self.header_results(&mut header)?;
        }
        Ok((params, header))
    }

    fn opt_value_info(&mut self, rank: usize) -> Parsed<annotate::ValueInfo> {
        let props = if self.at_mark(b'{') { self.dict()? } else { Vec::new() };
        value_info(self, props, rank)
    }

    fn header_results(&mut self, header: &mut Header) -> Parsed<()> {
        if !self.at_mark(b'(') {
            let ty = self.ty()?;
            header.results.push(ResultInfo { ty, sharding: None, attrs: Attrs::default() });
            return Ok(());
        }
        self.list(b'(', b')', |p| {
            let ty = p.ty()?;
            let info = p.opt_value_info(ty.rank())?;
            p.opt_loc()?;
            header.results.push(ResultInfo { ty, sharding: info.sharding, attrs: info.info.attrs });
            Ok(())
        })
    }

    /// `"func.func"() <{arg_attrs = .., res_attrs = .., sym_name = ..}> ({ .. }) {..} : () -> ()`.
    fn generic_function(&mut self) -> Parsed<()> {
        let token = self.bump();
        self.expect(b'(')?;
        self.expect(b')')?;
        let mut draft = Draft::new("func.func", self.func.root(), token.span());
        self.expect(b'<')?;
        draft.props = self.dict()?;
        self.expect(b'>')?;
        let Some(name) = self.opt_string(&mut draft, "sym_name")? else {
            return Err(self.missing(&draft, "sym_name"));
        };
        let is_public = self.opt_string(&mut draft, "sym_visibility")?.is_none_or(|text| text == "public");
        self.define_function(name.clone(), token.span())?;
        self.start_function(&name, is_public);
        self.expect(b'(')?;
        let root = self.func.root();
        let known = self.diagnostics.len();
        self.region_into(root, Vec::new())?;
        let is_whole = self.diagnostics.len() == known;
        if let (Some(declared), true) = (draft.take("function_type"), is_whole) {
            self.check_function_type(&name, &declared)?;
        }
        let ranks = |values: &[ValueId]| values.iter().map(|value| self.func.dims(*value).len()).collect();
        let (params, results): (Vec<_>, Vec<_>) =
            (ranks(self.func.param_values()), ranks(self.func.result_values()));
        let params = self.value_infos(&mut draft, "arg_attrs", (&params, is_whole))?;
        let results = self.value_infos(&mut draft, "res_attrs", (&results, is_whole))?;
        self.no_more_fields(&draft)?;
        self.expect(b')')?;
        let props = if self.at_mark(b'{') { self.dict()? } else { Vec::new() };
        self.func.attrs = annotate::attrs_of(self, &props)?;
        self.functional_type(&mut draft)?;
        self.opt_loc()?;
        let header = self.generic_header(params, results);
        self.finish_function(header, token.span())
    }

    /// Checks that the type a function declares is that of its body.
    fn check_function_type(&mut self, name: &str, declared: &Prop<'a>) -> Parsed<()> {
        let (params, results) = self.elsewhere(declared.at.start as usize, |p| {
            let params = leaves(p.shape_list()?);
            p.expect_arrow()?;
            Ok((params, leaves(p.result_shapes()?)))
        })?;
        let types = |values: &[ValueId]| -> Vec<Type> {
            values.iter().map(|value| self.func.ty(*value).clone()).collect()
        };
        let body = (types(self.func.param_values()), types(self.func.result_values()));
        if body.0 == params && body.1 == results {
            return Ok(());
        }
        let describe = |params: &[Type], results: &[Type]| {
            format!("({}) -> ({})", join_types(params), join_types(results))
        };
        let (declared_type, body) = (describe(&params, &results), describe(&body.0, &body.1));
        let message = format!("function `@{name}` is declared as {declared_type}, but its body is {body}");
        Err(self.fail(codes::WRONG_TYPE, declared.at, message))
    }

    /// The attributes of parameters or results; a body that did not read as a whole may have fewer of these.
    fn value_infos(
        &mut self,
        draft: &mut Draft<'a>,
        name: &str,
        (ranks, is_whole): (&[usize], bool),
    ) -> Parsed<Vec<annotate::ValueInfo>> {
        let Some(prop) = draft.take(name) else { return Ok(Vec::new()) };
        let Some(lists) = dictionaries(&prop.tree) else {
            return Err(self.bad_prop(&prop, "a list of dictionaries"));
        };
        if is_whole && lists.len() != ranks.len() {
            let message =
                format!("`{name}` has {} dictionaries, but the function has {}", lists.len(), ranks.len());
            return Err(self.fail(codes::BAD_ATTRIBUTE, prop.at, message));
        }
        lists.into_iter().zip(ranks).map(|(props, rank)| value_info(self, props, *rank)).collect()
    }

    /// Types come from the body; the text may leave out lists of attributes that are all empty.
    fn generic_header(&self, params: Vec<annotate::ValueInfo>, results: Vec<annotate::ValueInfo>) -> Header {
        let mut results = results.into_iter();
        let types: Vec<Type> =
            self.func.result_values().iter().map(|value| self.func.ty(*value).clone()).collect();
        let mut result = |ty| match results.next() {
            Some(info) => ResultInfo { ty, sharding: info.sharding, attrs: info.info.attrs },
            None => ResultInfo { ty, sharding: None, attrs: Attrs::default() },
        };
        let results = types.into_iter().map(&mut result).collect();
        let (params, shardings) = params.into_iter().map(|info| (info.info, info.sharding)).unzip();
        Header { results, params, shardings }
    }

    fn finish_function(&mut self, header: Header, at: Span) -> Parsed<()> {
        let values: Vec<ValueId> = self.func.param_values().to_vec();
        let returned: Vec<Type> =
            self.func.result_values().iter().map(|value| self.func.ty(*value).clone()).collect();
        let declared: Vec<Type> = header.results.iter().map(|result| result.ty.clone()).collect();
        if self.diagnostics.is_empty() && returned != declared {
            let message = format!(
                "this function returns ({}), but is declared to return ({})",
                join_types(&returned),
                join_types(&declared)
            );
            let help = "change the types behind `->`, or what is returned";
            return Err(self.fail_help(codes::WRONG_TYPE, at, message, help));
        }
        let mut editor = Editor::new(&mut self.func);
        for ((value, sharding), (slot, info)) in
            values.iter().zip(header.shardings).zip((0usize..).zip(header.params))
        {
            editor.set_sharding(*value, sharding);
            if let Some(place) = editor.param_info_mut().get_mut(slot) {
                *place = info;
            }
        }
        if returned.len() == declared.len() {
            *editor.result_info_mut() = header.results;
        }
        self.drop_rng_shapes();
        let func = std::mem::replace(&mut self.func, Function::new("", true));
        self.module.funcs.push(func);
        self.spans.push(std::mem::take(&mut self.func_spans));
        Ok(())
    }

    /// Constants that only told `rng` its shape are not part of the program.
    fn drop_rng_shapes(&mut self) {
        let shapes = std::mem::take(&mut self.symbols.rng_shapes);
        if shapes.is_empty() {
            return;
        }
        let func = &self.func;
        let mut used: BTreeSet<ValueId> = BTreeSet::new();
        for inst in func.insts_in_order() {
            used.extend(&func.inst(inst).operands);
        }
        for block in func.blocks_in_order() {
            used.extend(&func.block(block).results);
        }
        for value in shapes.into_iter().collect::<BTreeSet<_>>() {
            let constant =
                self.func.def_inst(value).filter(|inst| matches!(self.func.inst(*inst).op, Op::Constant(_)));
            if let (Some(inst), false) = (constant, used.contains(&value)) {
                Editor::new(&mut self.func).unlink(inst);
            }
        }
    }

    /// Replace mentions of functions by the functions.
    fn finish_symbols(&mut self) {
        let mut callees = Vec::new();
        for (name, at) in std::mem::take(&mut self.symbols.names) {
            match self.symbols.defined.get(&name) {
                Some((id, _)) => callees.push(*id),
                None => {
                    let known: Vec<Text<'a>> = self.symbols.defined.keys().cloned().collect();
                    let help = nearest::suggest(&name, known.iter().map(|name| &**name))
                        .unwrap_or_else(|| "define it in this module".to_string());
                    let message = format!("no function `@{}` is defined in this module", clip(&name));
                    self.fail_help(codes::UNDEFINED, at, message, help);
                }
            }
        }
        if !self.diagnostics.is_empty() {
            return;
        }
        let resolve = |mention: FuncId| callees.get(mention.index()).copied().unwrap_or(mention);
        for (func, inst) in std::mem::take(&mut self.symbols.users) {
            resolve_callees(&mut self.module.funcs[func], inst, resolve);
        }
    }

    /// `main`, else the first public function, else the first.
    fn finish_entry(&mut self) {
        let funcs = &self.module.funcs;
        let main = funcs.iter().find(|(_, func)| &*func.name == "main");
        let entry =
            main.or_else(|| funcs.iter().find(|(_, func)| func.is_public)).or_else(|| funcs.iter().next());
        match entry.map(|(id, _)| id) {
            Some(id) => self.module.entry = id,
            None => {
                let span = lex(self.text, 0).span();
                self.fail_help(codes::SYNTAX, span, "the module has no function", "add a func.func @main");
            }
        }
    }

    /// `tuple` and `get_tuple_element` make no instruction; they only name values.
    pub fn place_tuple(
        &mut self,
        names: &[super::block::ResultName<'a>],
        mut draft: Draft<'a>,
    ) -> Parsed<()> {
        let ([name], 1) = (names, names.iter().map(|name| name.count).sum::<usize>()) else {
            return Err(self.fail(codes::SYNTAX, draft.at, format!("{} has one result to name", draft.name)));
        };
        let (mut leaves, mut shape) = (draft.operands.clone(), draft.shape.clone());
        if draft.name == "stablehlo.get_tuple_element" {
            let index = self.int(&mut draft, "index")?;
            let part = draft.operand_shape.as_ref().and_then(|whole| whole.part(index));
            let Some((first, part)) = part else {
                let message = format!("the operand is not a tuple with an element {index}");
                return Err(self.fail(codes::BAD_ATTRIBUTE, draft.at, message));
            };
            leaves = leaves.into_iter().skip(first).take(part.count()).collect();
            shape = Some(part.clone());
        }
        let given: Vec<Type> = leaves.iter().map(|value| self.func.ty(*value).clone()).collect();
        if given != draft.types {
            let message = format!(
                "{} gives ({}), but is declared to give ({})",
                draft.name,
                join_types(&given),
                join_types(&draft.types)
            );
            return Err(self.fail(codes::WRONG_TYPE, draft.at, message));
        }
        let entry = match (shape, &leaves[..]) {
            (Some(super::types::TypeTree::Leaf(_)), [only]) => Entry::Value(*only),
            (Some(shape), _) => Entry::Tuple { leaves, shape },
            (None, _) => {
                let message = "the result of stablehlo.tuple is a tuple, as `tuple<tensor<f32>>`";
                return Err(self.fail(codes::WRONG_TYPE, draft.at, message));
            }
        };
        self.define(name.name, entry, name.at)
    }
}

/// Types as messages list them.
fn join_types(types: &[Type]) -> String {
    types.iter().map(Type::to_string).collect::<Vec<_>>().join(", ")
}

/// The items of a list of dictionaries.
fn dictionaries<'a>(tree: &Tree<'a>) -> Option<Vec<Vec<Prop<'a>>>> {
    let Tree::Array(items) = tree else { return None };
    let props = |item: &Tree<'a>| match item {
        Tree::Dict(props) => Some(props.clone()),
        _ => None,
    };
    items.iter().map(props).collect()
}

fn resolve_callees(func: &mut Function, inst: InstId, resolve: impl Fn(FuncId) -> FuncId) {
    let mut op = func.inst(inst).op.clone();
    match &mut op {
        Op::Call(call) => call.callee = resolve(call.callee),
        Op::Foreign(Foreign::Composite(composite)) => {
            composite.decomposition = resolve(composite.decomposition)
        }
        Op::Foreign(Foreign::CustomCall(call)) => {
            call.callees.iter_mut().for_each(|callee| *callee = resolve(*callee));
        }
        _ => {}
    }
    Editor::new(func).set_op(inst, op);
}

/// Whether an op holds mentions of functions.
pub fn mentions_functions(op: &Op) -> bool {
    match op {
        Op::Call(_) | Op::Foreign(Foreign::Composite(_)) => true,
        Op::Foreign(Foreign::CustomCall(call)) => !call.callees.is_empty(),
        _ => false,
    }
}

/// The module that was read, if nothing was wrong.
pub fn finish(parser: Parser<'_>) -> Result<(Module, crate::Spans), Vec<Diagnostic>> {
    if parser.diagnostics.is_empty() { Ok((parser.module, parser.spans)) } else { Err(parser.diagnostics) }
}
