//! Taking named attributes out of a draft as plain values.
//!
//! Every reader of an attribute goes through here, so kinds are checked and complained about in one way. `dims` are
//! numbers that name tensor dims: never negative.

use super::op::Draft;
use super::parser::{Failed, Parsed, Parser};
use super::tree::{Prop, Text, Tree};
use crate::codes;
use meshwright_base::Span;
use meshwright_ir::{TensorType, Type, ValueId};

impl<'a> Draft<'a> {
    pub fn take(&mut self, name: &str) -> Option<Prop<'a>> {
        let at = self.props.iter().position(|prop| prop.name == name)?;
        Some(self.props.remove(at))
    }

    pub fn has(&self, name: &str) -> bool {
        self.props.iter().any(|prop| prop.name == name)
    }

    pub fn put(&mut self, name: &'static str, tree: Tree<'a>, at: Span) {
        self.props.push(Prop { name: name.into(), tree, at });
    }
}

impl<'a> Parser<'a> {
    pub fn bad_prop(&mut self, prop: &Prop<'a>, what: &str) -> Failed {
        let message = format!("attribute `{}` must be {what}", prop.name);
        self.fail(codes::BAD_ATTRIBUTE, prop.at, message)
    }

    pub fn missing(&mut self, draft: &Draft<'a>, name: &str) -> Failed {
        let message = format!("{} needs the attribute `{name}`", draft.name);
        self.fail_help(
            codes::BAD_ATTRIBUTE,
            draft.at,
            message,
            format!("write `{name} = ..` among its attributes"),
        )
    }

    pub fn need(&mut self, draft: &mut Draft<'a>, name: &str) -> Parsed<Prop<'a>> {
        draft.take(name).ok_or_else(|| self.missing(draft, name))
    }

    pub fn opt_ints(&mut self, draft: &mut Draft<'a>, name: &str) -> Parsed<Option<Vec<i64>>> {
        let Some(prop) = draft.take(name) else { return Ok(None) };
        match prop.tree.as_ints() {
            Some(ints) => Ok(Some(ints)),
            None => Err(self.bad_prop(&prop, "a list of numbers")),
        }
    }

    pub fn ints(&mut self, draft: &mut Draft<'a>, name: &str) -> Parsed<Vec<i64>> {
        self.opt_ints(draft, name)?.ok_or_else(|| self.missing(draft, name))
    }

    pub fn dims(&mut self, draft: &mut Draft<'a>, name: &str) -> Parsed<Vec<usize>> {
        let prop = self.need(draft, name)?;
        self.dims_of(&prop)
    }

    pub fn dims_of(&mut self, prop: &Prop<'a>) -> Parsed<Vec<usize>> {
        let dims = prop
            .tree
            .as_ints()
            .and_then(|ints| ints.into_iter().map(|dim| usize::try_from(dim).ok()).collect());
        dims.ok_or_else(|| self.bad_prop(prop, "a list of dims"))
    }

    pub fn opt_int(&mut self, draft: &mut Draft<'a>, name: &str) -> Parsed<Option<i64>> {
        let Some(prop) = draft.take(name) else { return Ok(None) };
        match prop.tree.as_int() {
            Some(value) => Ok(Some(value)),
            None => Err(self.bad_prop(&prop, "a number")),
        }
    }

    pub fn int(&mut self, draft: &mut Draft<'a>, name: &str) -> Parsed<i64> {
        self.opt_int(draft, name)?.ok_or_else(|| self.missing(draft, name))
    }

    pub fn dim(&mut self, draft: &mut Draft<'a>, name: &str) -> Parsed<usize> {
        let prop = self.need(draft, name)?;
        let dim = prop.tree.as_int().and_then(|dim| usize::try_from(dim).ok());
        dim.ok_or_else(|| self.bad_prop(&prop, "a dim"))
    }

    /// A boolean or unit attribute; absent means `false`.
    pub fn flag(&mut self, draft: &mut Draft<'a>, name: &str) -> Parsed<bool> {
        let Some(prop) = draft.take(name) else { return Ok(false) };
        prop.tree.as_bool().ok_or_else(|| self.bad_prop(&prop, "true or false"))
    }

    pub fn opt_string(&mut self, draft: &mut Draft<'a>, name: &str) -> Parsed<Option<Text<'a>>> {
        let Some(prop) = draft.take(name) else { return Ok(None) };
        match prop.tree {
            Tree::Str(text) => Ok(Some(text)),
            _ => Err(self.bad_prop(&prop, "a string")),
        }
    }

    /// The case of `#stablehlo<kind CASE>`, looked up in a table of known ones.
    pub fn opt_case<T: Copy>(
        &mut self,
        draft: &mut Draft<'a>,
        name: &str,
        cases: &[(&'static str, T)],
    ) -> Parsed<Option<T>> {
        let Some(prop) = draft.take(name) else { return Ok(None) };
        self.case_of(&prop, cases).map(Some)
    }

    pub fn case<T: Copy>(
        &mut self,
        draft: &mut Draft<'a>,
        name: &str,
        cases: &[(&'static str, T)],
    ) -> Parsed<T> {
        self.opt_case(draft, name, cases)?.ok_or_else(|| self.missing(draft, name))
    }

    pub fn case_of<T: Copy>(&mut self, prop: &Prop<'a>, cases: &[(&'static str, T)]) -> Parsed<T> {
        let word = match &prop.tree {
            Tree::Enum(_, case) | Tree::Raw(case) | Tree::Str(case) => &**case,
            _ => "",
        };
        let found = cases.iter().find(|(known, _)| *known == word).map(|(_, value)| *value);
        found.ok_or_else(|| {
            let known: Vec<_> = cases.iter().map(|(known, _)| *known).collect();
            self.bad_prop(prop, &format!("one of {}", known.join(", ")))
        })
    }

    /// The fields of a dialect's attribute, as a draft to take from.
    pub fn struct_fields(&mut self, draft: &mut Draft<'a>, name: &str, kind: &str) -> Parsed<Draft<'a>> {
        let prop = self.need(draft, name)?;
        self.fields_of(draft, &prop, kind)
    }

    pub fn fields_of(&mut self, draft: &Draft<'a>, prop: &Prop<'a>, kind: &str) -> Parsed<Draft<'a>> {
        let body = match prop.tree {
            Tree::Dialect { name, body } if name == kind => body,
            _ => return Err(self.bad_prop(prop, &format!("#{kind}<..>"))),
        };
        let mut fields = Draft::new(draft.name, draft.block, prop.at);
        fields.props = self.fields(body)?;
        Ok(fields)
    }

    /// Refuses fields that no reader took.
    pub fn no_more_fields(&mut self, fields: &Draft<'a>) -> Parsed<()> {
        match fields.props.first() {
            None => Ok(()),
            Some(prop) => {
                let message = format!("{} has no field `{}`", fields.name, prop.name);
                Err(self.fail(codes::UNKNOWN_ATTRIBUTE, prop.at, message))
            }
        }
    }

    /// Dims in a field that may be absent.
    pub fn opt_dims(&mut self, draft: &mut Draft<'a>, name: &str) -> Parsed<Vec<usize>> {
        match draft.take(name) {
            Some(prop) => self.dims_of(&prop),
            None => Ok(Vec::new()),
        }
    }

    /// Type of a result that must be a tensor.
    pub fn result(&mut self, draft: &Draft<'a>, index: usize) -> Parsed<TensorType> {
        match draft.types.get(index) {
            Some(Type::Tensor(ty)) => Ok(ty.clone()),
            _ => {
                let message = format!("{} must have a tensor as result {index}", draft.name);
                Err(self.fail(codes::WRONG_TYPE, draft.at, message))
            }
        }
    }

    /// Dims of an operand; none if it is not there.
    pub fn operand_dims(&self, draft: &Draft<'a>, index: usize) -> Vec<i64> {
        draft.operands.get(index).map(|value| self.func.dims(*value).to_vec()).unwrap_or_default()
    }

    /// The op has exactly this many operands.
    pub fn operand_count(&mut self, draft: &Draft<'a>, count: usize) -> Parsed<()> {
        if draft.operands.len() == count {
            return Ok(());
        }
        Err(self.wrong_operand_count(draft, count))
    }

    /// The operands of an op that has exactly `N` of them.
    pub fn operands_of<const N: usize>(&mut self, draft: &Draft<'a>) -> Parsed<[ValueId; N]> {
        <[ValueId; N]>::try_from(&draft.operands[..]).map_err(|_| self.wrong_operand_count(draft, N))
    }

    fn wrong_operand_count(&mut self, draft: &Draft<'a>, count: usize) -> Failed {
        let message =
            format!("{} takes {count} operands, but {} are given", draft.name, draft.operands.len());
        self.fail(codes::WRONG_TYPE, draft.at, message)
    }

    /// The op has exactly this many results.
    pub fn result_count(&mut self, draft: &Draft<'a>, count: usize) -> Parsed<()> {
        if draft.types.len() == count {
            return Ok(());
        }
        let message =
            format!("{} has {count} results, but {} types are given", draft.name, draft.types.len());
        Err(self.fail(codes::WRONG_TYPE, draft.at, message))
    }

    pub fn region_count(&mut self, draft: &Draft<'a>, count: usize) -> Parsed<()> {
        if draft.regions.len() == count {
            return Ok(());
        }
        let message = format!("{} has {count} regions, but {} are given", draft.name, draft.regions.len());
        Err(self.fail(codes::SYNTAX, draft.at, message))
    }
}
