//! `#[derive(Tree)]`: a struct of tensors as a structure that closures take and return.
//!
//! The macro is here because macros need a crate of their own. It writes the two functions of the trait `Tree` of
//! `meshwright-tensor` and knows nothing else of tensors; it is documented where users find it, beside that trait.
//!
//! Two entries, one expansion: what they write names the crate that the user has, the front end or the facade.

#![forbid(unsafe_code)]

mod attribute;
mod tree;

use proc_macro::TokenStream;
use syn::{DeriveInput, Path, parse_macro_input, parse_quote};

#[doc = include_str!("attributes.md")]
#[proc_macro_derive(Tree, attributes(tree))]
pub fn tree_of_front_end(input: TokenStream) -> TokenStream {
    expanded(&parse_macro_input!(input as DeriveInput), parse_quote!(::meshwright_tensor))
}

#[doc = include_str!("attributes.md")]
#[proc_macro_derive(FacadeTree, attributes(tree))]
pub fn tree_of_facade(input: TokenStream) -> TokenStream {
    expanded(&parse_macro_input!(input as DeriveInput), parse_quote!(::meshwright))
}

fn expanded(input: &DeriveInput, home: Path) -> TokenStream {
    tree::expand(input, home).unwrap_or_else(syn::Error::into_compile_error).into()
}
