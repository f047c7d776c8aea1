//! What is read off a field: its attributes, and the type it has.

use quote::ToTokens;
use syn::punctuated::Punctuated;
use syn::{Attribute, Field, GenericArgument, Meta, PathArguments, Token, Type};

/// Whether data of a type come in or go out.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    In,
    Out,
}

/// The elements of a typed array.
#[derive(Clone, Copy)]
pub enum Elements {
    F64,
    U8,
}

impl Elements {
    /// Those of a field that crosses the boundary as a typed array. One with another type in TypeScript is none.
    pub fn of(field: &Field, direction: Direction) -> Option<Self> {
        let is_array = inside("Option", &field.ty).unwrap_or(&field.ty);
        let of_vec = inside("Vec", is_array)?.to_token_stream().to_string();
        match of_vec.as_str() {
            _ if has(&field.attrs, "ts") => None,
            "f64" => Some(Self::F64),
            "u8" if direction == Direction::Out => Some(Self::U8),
            _ => None,
        }
    }
}

/// Whether there is an attribute of this name.
pub fn has(attributes: &[Attribute], name: &str) -> bool {
    attributes.iter().any(|attribute| is(attribute, name))
}

/// Whether an attribute has this name.
pub fn is(attribute: &Attribute, name: &str) -> bool {
    attribute.path().is_ident(name)
}

/// The names of what serde is told of a field.
pub fn serde_words(attributes: &[Attribute]) -> Vec<String> {
    let lists = Punctuated::<Meta, Token![,]>::parse_terminated;
    let mut words = Vec::new();
    for attribute in attributes {
        let Ok(outer) = attribute.parse_args_with(lists) else { continue };
        let is_serde = is(attribute, "serde");
        let is_conditional = is(attribute, "cfg_attr");
        for meta in outer {
            if is_serde {
                words.extend(meta.path().get_ident().map(ToString::to_string));
            }
            if is_conditional
                && meta.path().is_ident("serde")
                && let Meta::List(list) = &meta
                && let Ok(inner) = list.parse_args_with(lists)
            {
                let named = inner.iter().filter_map(|meta| meta.path().get_ident());
                words.extend(named.map(ToString::to_string));
            }
        }
    }
    words
}

/// The type in the brackets of a generic type of this name, such as `Option`.
pub fn inside<'a>(name: &str, ty: &'a Type) -> Option<&'a Type> {
    let ty = match ty {
        Type::Group(group) => &group.elem,
        other => other,
    };
    let Type::Path(path) = ty else { return None };
    let last = path.path.segments.last().filter(|last| last.ident == name)?;
    let PathArguments::AngleBracketed(arguments) = &last.arguments else { return None };
    arguments.args.iter().find_map(|argument| match argument {
        GenericArgument::Type(ty) => Some(ty),
        _ => None,
    })
}
