//! The expansion: one `visit` and one `map`, field by field.
//!
//! Each call stands at its field's type, so that rustc says there what is not a tree. A type parameter must be a tree
//! if a field with tensors names it, and `Clone` if a skipped one does.

use crate::attribute::{self, FieldSays, Naming};
use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote, quote_spanned};
use std::collections::BTreeMap;
use syn::spanned::Spanned;
use syn::{Data, DeriveInput, Error, Fields, Generics, Index, Member, Path, Result, Type, parse_quote};

/// A field and what is said of it.
struct MarkedField<'a> {
    member: Member,
    ty: &'a Type,
    says: FieldSays,
}

/// The implementation of `Tree`.
pub fn expand(input: &DeriveInput, home: Path) -> Result<TokenStream> {
    let home = attribute::home(&input.attrs)?.unwrap_or(home);
    let parts = parts(fields(input)?)?;
    distinct(&parts)?;
    let visits = parts.iter().filter(|part| !part.says.is_skipped).map(|part| part.visit(&home));
    let maps = parts.iter().map(|part| part.map(&home));
    let name = &input.ident;
    let generics = bounded(&input.generics, &parts, &home);
    let (params, arguments, bounds) = generics.split_for_impl();
    Ok(quote! {
        #[automatically_derived]
        impl #params #home::Tree for #name #arguments #bounds {
            fn visit(&self, path: &str, visit: &mut dyn FnMut(&str, #home::Tensor)) {
                let _ = (path, &visit);
                #(#visits)*
            }

            fn map(&self, next: &mut dyn FnMut(#home::Tensor) -> #home::Tensor) -> Self {
                let _ = &next;
                Self { #(#maps),* }
            }
        }
    })
}

fn fields(input: &DeriveInput) -> Result<&Fields> {
    let refused = |at: &dyn ToTokens, what: &str| {
        let message =
            format!("`Tree` can be derived for structs, not for {what}: a program has one structure");
        Err(Error::new_spanned(at.to_token_stream(), message))
    };
    match &input.data {
        Data::Struct(data) => Ok(&data.fields),
        Data::Enum(data) => refused(&data.enum_token, "enums"),
        Data::Union(data) => refused(&data.union_token, "unions"),
    }
}

fn parts(fields: &Fields) -> Result<Vec<MarkedField<'_>>> {
    let member = |at: usize, name: &Option<Ident>| match name {
        Some(name) => Member::Named(name.clone()),
        None => Member::Unnamed(Index::from(at)),
    };
    let part = |(at, field)| {
        let says = attribute::of_field(field)?;
        Ok(MarkedField { member: member(at, &field.ident), ty: &field.ty, says })
    };
    fields.iter().enumerate().map(part).collect()
}

/// Two places must not have one name: they could not be told apart where they are fed.
fn distinct(parts: &[MarkedField<'_>]) -> Result<()> {
    let mut known: BTreeMap<String, &MarkedField<'_>> = BTreeMap::new();
    for part in parts.iter().filter(|part| !part.says.is_skipped) {
        let Some(name) = part.name() else { continue };
        if let Some(first) = known.insert(name.clone(), part) {
            let message = format!("two fields are called `{name}`");
            let mut error = Error::new(part.member.span(), message);
            error.combine(Error::new(first.member.span(), format!("the first `{name}`")));
            return Err(error);
        }
    }
    Ok(())
}

impl MarkedField<'_> {
    /// The name of its place.
    fn name(&self) -> Option<String> {
        match (&self.says.naming, &self.member) {
            (Naming::Flat, _) => None,
            (Naming::Other(name), _) => Some(name.clone()),
            (Naming::Field, Member::Named(name)) => {
                Some(name.to_string().trim_start_matches("r#").to_string())
            }
            (Naming::Field, Member::Unnamed(index)) => Some(index.index.to_string()),
        }
    }

    /// The place of its type, with the names that the expansion knows.
    fn at(&self) -> Span {
        self.ty.span().resolved_at(Span::call_site())
    }

    fn visit(&self, home: &Path) -> TokenStream {
        let (member, ty, at) = (&self.member, self.ty, self.at());
        match self.name() {
            Some(name) => quote_spanned! {at=>
                <#ty as #home::Tree>::visit(&self.#member, &#home::tree_inside(path, #name), visit);
            },
            None => quote_spanned! {at=> <#ty as #home::Tree>::visit(&self.#member, path, visit); },
        }
    }

    fn map(&self, home: &Path) -> TokenStream {
        let (member, ty, at) = (&self.member, self.ty, self.at());
        if self.says.is_skipped {
            quote_spanned! {at=> #member: ::core::clone::Clone::clone(&self.#member) }
        } else {
            quote_spanned! {at=> #member: <#ty as #home::Tree>::map(&self.#member, next) }
        }
    }

    fn names(&self, param: &Ident) -> bool {
        names(self.ty.to_token_stream(), param)
    }
}

/// Whether a type names a type parameter. Types nest as deep as the source, which the compiler has read already.
fn names(tokens: TokenStream, param: &Ident) -> bool {
    tokens.into_iter().any(|token| match token {
        TokenTree::Ident(ident) => ident == *param,
        TokenTree::Group(group) => names(group.stream(), param),
        TokenTree::Punct(_) | TokenTree::Literal(_) => false,
    })
}

fn bounded(generics: &Generics, parts: &[MarkedField<'_>], home: &Path) -> Generics {
    let mut out = generics.clone();
    for param in out.type_params_mut() {
        let ident = param.ident.clone();
        let is_used =
            |skipped| parts.iter().any(|part| part.says.is_skipped == skipped && part.names(&ident));
        if is_used(false) {
            param.bounds.push(parse_quote!(#home::Tree));
        }
        if is_used(true) {
            param.bounds.push(parse_quote!(::core::clone::Clone));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is said of a struct that cannot be derived.
    fn refused(input: DeriveInput) -> String {
        let error = expand(&input, parse_quote!(::home)).expect_err("it should be refused");
        error.into_iter().map(|one| one.to_string()).collect::<Vec<_>>().join("; ")
    }

    fn written(input: DeriveInput) -> String {
        expand(&input, parse_quote!(::home)).expect("it is a struct").to_string()
    }

    #[test]
    fn what_is_no_struct_is_refused() {
        let text = refused(parse_quote!(
            enum A {
                B(Tensor),
            }
        ));
        assert_eq!(text, "`Tree` can be derived for structs, not for enums: a program has one structure");
        assert!(refused(parse_quote!(union A { b: Tensor })).contains("not for unions"));
    }

    #[test]
    fn attributes_say_one_known_thing() {
        let text = refused(parse_quote!(
            struct A {
                #[tree(rename = "b")]
                a: Tensor,
            }
        ));
        assert_eq!(text, "a field can say `name = \"..\"`, `flatten` or `skip`");
        let text = refused(parse_quote!(
            struct A {
                #[tree(skip, name = "b")]
                a: Tensor,
            }
        ));
        assert_eq!(text, "`name` beside `skip`: a field says one of them");
        let text = refused(parse_quote!(
            struct A {
                #[tree(name = "")]
                a: Tensor,
            }
        ));
        assert_eq!(text, "the name is empty: write `flatten` for no name");
        let text = refused(parse_quote!(
            #[tree(name = "b")]
            struct A {
                a: Tensor,
            }
        ));
        assert_eq!(text, "a struct can say `crate = path`; names are given on fields");
        assert!(
            refused(parse_quote!(
                struct A {
                    #[tree(name)]
                    a: Tensor,
                }
            ))
            .contains("expected `=`")
        );
    }

    #[test]
    fn two_fields_of_one_name_are_both_shown() {
        let text = refused(parse_quote!(
            struct A {
                a: Tensor,
                #[tree(name = "a")]
                b: Tensor,
            }
        ));
        assert_eq!(text, "two fields are called `a`; the first `a`");
        let skipped = written(parse_quote!(
            struct A {
                a: Tensor,
                #[tree(skip)]
                b: i64,
            }
        ));
        assert!(skipped.contains("clone (& self . b)"), "{skipped}");
    }

    #[test]
    fn type_parameters_are_bounded_by_what_they_are_used_for() {
        let text = written(parse_quote!(
            struct A<T, S, N>(Vec<T>, #[tree(skip)] S);
        ));
        assert!(text.contains("impl < T : :: home :: Tree , S : :: core :: clone :: Clone , N >"), "{text}");
    }

    #[test]
    fn the_home_of_the_trait_can_be_told() {
        let text = written(parse_quote!(
            #[tree(crate = crate::front)]
            struct A {
                a: Tensor,
            }
        ));
        assert!(text.contains("impl crate :: front :: Tree for A") && !text.contains(":: home"), "{text}");
    }
}
