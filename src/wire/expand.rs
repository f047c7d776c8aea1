//! What the attributes stand for.

use crate::fields::{Direction, Elements, has, inside, is, serde_words};
use crate::typed_arrays;
use proc_macro2::TokenStream;
use quote::quote;
use syn::parse::Parser;
use syn::{Attribute, Error, Field, Fields, Item, ItemEnum, ItemStruct, LitStr, parse_quote};

/// What stands in the parentheses of the attribute.
#[derive(Default)]
struct Arguments {
    /// Whether absent fields are as in the type's `Default`.
    has_default: bool,
    /// The name in TypeScript, if another.
    name: Option<LitStr>,
}

impl Arguments {
    fn read(tokens: TokenStream) -> syn::Result<Self> {
        let mut arguments = Self::default();
        let parser = syn::meta::parser(|meta| {
            if meta.path.is_ident("default") {
                arguments.has_default = true;
            } else if meta.path.is_ident("name") {
                arguments.name = Some(meta.value()?.parse()?);
            } else {
                return Err(meta.error("known are `default` and `name`"));
            }
            Ok(())
        });
        parser.parse2(tokens)?;
        Ok(arguments)
    }
}

/// The item with its derives and attributes, or the error for what cannot be one.
pub fn expand(direction: Direction, arguments: TokenStream, item: TokenStream) -> TokenStream {
    let expanded = Arguments::read(arguments).and_then(|arguments| match syn::parse2(item)? {
        Item::Struct(item) => Ok(expand_struct(direction, &arguments, item)),
        Item::Enum(item) => Ok(expand_enum(direction, &arguments, item)),
        other => Err(Error::new_spanned(other, "only a struct or an enum crosses the boundary")),
    });
    expanded.unwrap_or_else(Error::into_compile_error)
}

fn expand_struct(direction: Direction, arguments: &Arguments, mut item: ItemStruct) -> TokenStream {
    let is_read = direction == Direction::In;
    let arrays = typed_arrays::of_struct(&item, direction);
    for field in &mut item.fields {
        add_serde(field, direction);
        add_types(field, direction, arguments.has_default);
    }
    let strict = is_read.then(|| quote!(, deny_unknown_fields));
    let default = arguments.has_default.then(|| quote!(, default));
    let form = quote!(rename_all = "camelCase" #strict #default);
    add_to_item(&mut item.attrs, arguments, is_read, &form);
    quote!(#item #arrays)
}

/// An enum of names alone, or one that is tagged with a `kind`.
///
/// Serde would read a tagged enum whole before it looks inside, and errors would not say where in it they are. So an enum
/// that is read has a twin without a tag, `Twin`, which reads it from a tree whose kind was found already.
fn expand_enum(direction: Direction, arguments: &Arguments, mut item: ItemEnum) -> TokenStream {
    let is_read = direction == Direction::In;
    let arrays = typed_arrays::of_enum(&item, direction);
    let has_own_form = has(&item.attrs, "serde");
    let has_fields = item.variants.iter().any(|variant| !matches!(variant.fields, Fields::Unit));
    let is_tagged = has_fields && !has_own_form;
    for variant in &mut item.variants {
        replace_full(&mut variant.attrs, &quote!());
        variant.fields.iter_mut().for_each(|field| add_serde(field, direction));
    }
    let mut twin = item.clone();
    for variant in &mut item.variants {
        replace_ts(&mut variant.attrs);
        variant.fields.iter_mut().for_each(|field| add_types(field, direction, false));
    }
    let strict = is_read.then(|| quote!(, deny_unknown_fields));
    let fields = quote!(rename_all = "camelCase", rename_all_fields = "camelCase" #strict);
    let form = match is_tagged {
        true => quote!(tag = "kind", #fields),
        false => quote!(rename_all = "camelCase"),
    };
    let has_twin = is_read && is_tagged;
    add_to_item(&mut item.attrs, arguments, is_read && !has_twin, &form);
    if !has_twin {
        return quote!(#item #arrays);
    }

    let name = &item.ident;
    let name_text = name.to_string();
    let keep = |attributes: &mut Vec<Attribute>| {
        let kept = ["serde", "cfg", "cfg_attr"];
        attributes.retain(|each| kept.iter().any(|kept| is(each, kept)));
    };
    for variant in &mut twin.variants {
        keep(&mut variant.attrs);
        variant.fields.iter_mut().for_each(|field| keep(&mut field.attrs));
    }
    let variants = &twin.variants;
    quote! {
        #item

        #arrays

        const _: () = {
            #[derive(::serde::Deserialize)]
            #[serde(remote = #name_text, #fields)]
            #[allow(dead_code, clippy::all)]
            enum Twin { #variants }

            impl<'de> ::unnorm_numerics::value::Tagged<'de> for #name {
                fn of_kind<A: ::serde::de::EnumAccess<'de>>(
                    kind: A,
                ) -> ::core::result::Result<Self, A::Error> {
                    Twin::deserialize(::serde::de::value::EnumAccessDeserializer::new(kind))
                }
            }

            impl<'de> ::serde::Deserialize<'de> for #name {
                fn deserialize<D: ::serde::Deserializer<'de>>(
                    deserializer: D,
                ) -> ::core::result::Result<Self, D::Error> {
                    ::unnorm_numerics::value::read_tagged(deserializer)
                }
            }
        };
    }
}

/// Adds derives and serde's form to an item, unless it has its own form.
fn add_to_item(
    attributes: &mut Vec<Attribute>,
    arguments: &Arguments,
    derives_deserialize: bool,
    form: &TokenStream,
) {
    let deserialize = derives_deserialize.then(|| quote!(, ::serde::Deserialize));
    let rename = arguments.name.as_ref().map(|name| quote!(, rename = #name));
    let has_own_form = has(attributes, "serde");
    let has_own_types = replace_ts(attributes);
    let optional = (!has_own_types).then(|| quote!(, optional_fields));
    let derives: [Attribute; 2] = [
        parse_quote!(#[derive(Debug, Clone, PartialEq, ::serde::Serialize #deserialize)]),
        parse_quote!(#[cfg_attr(feature = "types", derive(::ts_rs::TS), ts(export #optional #rename))]),
    ];
    attributes.splice(0..0, derives);
    if !has_own_form && !has_own_types {
        attributes.push(parse_quote!(#[serde(#form)]));
    }
}

/// Says that an optional field may be absent, unless the field says it itself.
fn add_serde(field: &mut Field, direction: Direction) {
    let absent = match direction {
        Direction::In => quote!(default, skip_serializing_if = "Option::is_none"),
        Direction::Out => quote!(skip_serializing_if = "Option::is_none"),
    };
    let is_optional = inside("Option", &field.ty).is_some();
    let words = serde_words(&field.attrs);
    let says_so = ["default", "skip", "skip_serializing_if"];
    let is_said = words.iter().any(|word| says_so.contains(&word.as_str()));
    let of_full = match direction {
        _ if is_optional => absent.clone(),
        Direction::In => quote!(default),
        Direction::Out => quote!(),
    };
    if !replace_full(&mut field.attrs, &of_full) && is_optional && !is_said {
        field.attrs.push(parse_quote!(#[serde(#absent)]));
    }
}

/// Gives a field its type in TypeScript, where that differs from what ts-rs makes of it.
fn add_types(field: &mut Field, direction: Direction, has_default: bool) {
    if replace_ts(&mut field.attrs) {
        return;
    }
    let words = serde_words(&field.attrs);
    let element = inside("Option", &field.ty);
    let may_be_absent = has_default || words.iter().any(|word| word == "default");
    let is_read = direction == Direction::In;
    let optional = element.map(|_| quote!(, optional));
    let types: TokenStream = match (element, Elements::of(field, direction)) {
        (None, _) if is_read && may_be_absent => {
            let ty = &field.ty;
            let optional = quote!(Option<#ty>).to_string();
            quote!(as = #optional)
        }
        (_, Some(Elements::F64)) if is_read => quote!(type = "Float64Array | number[]" #optional),
        (_, Some(Elements::F64)) => quote!(type = "Float64Array" #optional),
        (_, Some(Elements::U8)) => quote!(type = "Uint8Array" #optional),
        // ts-rs cannot know what another function reads.
        _ if words.iter().any(|word| word == "deserialize_with") => {
            quote!(type = "number" #optional)
        }
        _ => return,
    };
    field.attrs.push(parse_quote!(#[cfg_attr(feature = "types", ts(#types))]));
}

/// Replaces `#[full]`, if it is there, by what only full builds have.
fn replace_full(attributes: &mut Vec<Attribute>, serde: &TokenStream) -> bool {
    let Some(at) = attributes.iter().position(|each| is(each, "full")) else {
        return false;
    };
    attributes[at] = parse_quote!(#[cfg_attr(not(feature = "full"), serde(skip))]);
    if !serde.is_empty() {
        attributes.push(parse_quote!(#[cfg_attr(feature = "full", serde(#serde))]));
    }
    true
}

/// Has `#[ts(…)]` apply where types are written; whether there was one.
fn replace_ts(attributes: &mut [Attribute]) -> bool {
    let Some(own) = attributes.iter_mut().find(|each| is(each, "ts")) else {
        return false;
    };
    let meta = &own.meta;
    *own = parse_quote!(#[cfg_attr(feature = "types", #meta)]);
    true
}
