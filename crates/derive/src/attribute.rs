//! `#[tree(..)]` as users write it: what is said of a field, and of the whole struct.

use syn::{Attribute, Error, Field, LitStr, Path, Result};

/// What a field's tensors are called.
pub enum Naming {
    /// By the field's own name.
    Field,
    /// By this name.
    Other(String),
    /// By no name: places inside stand for themselves.
    Flat,
}

/// What is said of a field.
pub struct FieldSays {
    pub naming: Naming,
    pub is_skipped: bool,
}

/// What is said of a field.
pub fn of_field(field: &Field) -> Result<FieldSays> {
    let mut says = FieldSays { naming: Naming::Field, is_skipped: false };
    let mut seen: Option<&'static str> = None;
    for attribute in ours(&field.attrs) {
        attribute.parse_nested_meta(|meta| {
            let word = if meta.path.is_ident("name") {
                says.naming = Naming::Other(name(&meta.value()?.parse::<LitStr>()?)?);
                "name"
            } else if meta.path.is_ident("flatten") {
                says.naming = Naming::Flat;
                "flatten"
            } else if meta.path.is_ident("skip") {
                says.is_skipped = true;
                "skip"
            } else {
                return Err(meta.error("a field can say `name = \"..\"`, `flatten` or `skip`"));
            };
            match seen.replace(word) {
                None => Ok(()),
                Some(first) => {
                    Err(meta.error(format!("`{word}` beside `{first}`: a field says one of them")))
                }
            }
        })?;
    }
    Ok(says)
}

/// Where the trait is, if the struct says so.
pub fn home(attributes: &[Attribute]) -> Result<Option<Path>> {
    let mut home = None;
    for attribute in ours(attributes) {
        attribute.parse_nested_meta(|meta| {
            if !meta.path.is_ident("crate") {
                return Err(meta.error("a struct can say `crate = path`; names are given on fields"));
            }
            home = Some(meta.value()?.parse::<Path>()?);
            Ok(())
        })?;
    }
    Ok(home)
}

fn ours(attributes: &[Attribute]) -> impl Iterator<Item = &Attribute> {
    attributes.iter().filter(|attribute| attribute.path().is_ident("tree"))
}

fn name(literal: &LitStr) -> Result<String> {
    let name = literal.value();
    if name.is_empty() {
        return Err(Error::new(literal.span(), "the name is empty: write `flatten` for no name"));
    }
    Ok(name)
}
