//! Where the arrays of a type are: the implementation of `unnorm_numerics::arrays::Arrays`.

use crate::fields::{Direction, Elements, has, inside, is, serde_words};
use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::punctuated::Punctuated;
use syn::{Attribute, Expr, Field, Fields, ItemEnum, ItemStruct, Lit, Meta, Token, Type};

/// Types that no array is in.
const PLAIN: [&str; 13] = [
    "bool", "char", "f64", "i8", "i64", "isize", "str", "String", "u8", "u32", "u64", "usize",
    "BTreeMap",
];

/// The implementation for a struct.
pub fn of_struct(item: &ItemStruct, direction: Direction) -> TokenStream {
    let name = &item.ident;
    let fields = item.fields.iter().map(|field| {
        let ident = &field.ident;
        let cfg = conditions(&field.attrs);
        let found = of_field(field, direction, &quote!(&mut self.#ident));
        quote!(#(#cfg)* { #found })
    });
    implement(name, &quote!(#(#fields)*))
}

/// The implementation for an enum. The fields of a variant are fields of the whole.
pub fn of_enum(item: &ItemEnum, direction: Direction) -> TokenStream {
    let name = &item.ident;
    let arms = item.variants.iter().map(|variant| {
        let ident = &variant.ident;
        let cfg = conditions(&variant.attrs);
        if serde_words(&variant.attrs).iter().any(|word| word == "skip") {
            return quote!(#(#cfg)* Self::#ident { .. } => {});
        }
        match &variant.fields {
            Fields::Unit => quote!(#(#cfg)* Self::#ident => {}),
            Fields::Unnamed(fields) => {
                let plain = fields.unnamed.first().is_none_or(|field| is_plain(&field.ty));
                let found = (!plain).then(|| {
                    quote!(::unnorm_numerics::arrays::Arrays::add_arrays(data, path, found))
                });
                let pattern = if plain { quote!(_) } else { quote!(data) };
                quote!(#(#cfg)* Self::#ident(#pattern) => { #found })
            }
            Fields::Named(fields) => {
                let kept: Vec<&Field> =
                    fields.named.iter().filter(|field| may_have_arrays(field, direction)).collect();
                let pattern = kept.iter().map(|field| {
                    let cfg = conditions(&field.attrs);
                    let ident = &field.ident;
                    quote!(#(#cfg)* #ident)
                });
                let found = kept.iter().map(|field| {
                    let cfg = conditions(&field.attrs);
                    let ident = &field.ident;
                    let found = of_field(field, direction, &ident.to_token_stream());
                    quote!(#(#cfg)* { #found })
                });
                quote!(#(#cfg)* Self::#ident { #(#pattern,)* .. } => { #(#found)* })
            }
        }
    });
    implement(name, &quote!(match self { #(#arms)* }))
}

/// The attributes `cfg`.
fn conditions(attributes: &[Attribute]) -> impl Iterator<Item = &Attribute> {
    attributes.iter().filter(|each| is(each, "cfg"))
}

fn implement(name: &syn::Ident, body: &TokenStream) -> TokenStream {
    quote! {
        impl ::unnorm_numerics::arrays::Arrays for #name {
            #[allow(unused_variables)]
            fn add_arrays<'a>(
                &'a mut self,
                path: &::unnorm_numerics::arrays::Path,
                found: &mut ::std::vec::Vec<(
                    ::unnorm_numerics::arrays::Path,
                    ::unnorm_numerics::arrays::ArrayMut<'a>,
                )>,
            ) {
                #body
            }
        }
    }
}

/// What finds the arrays of a field.
fn of_field(field: &Field, direction: Direction, place: &TokenStream) -> TokenStream {
    if !may_have_arrays(field, direction) {
        return quote!();
    }
    let name = name_of(field);
    let path = quote!(::unnorm_numerics::arrays::within(path, #name));
    let kind = match Elements::of(field, direction) {
        Some(Elements::F64) => quote!(F64),
        Some(Elements::U8) => quote!(U8),
        None => {
            return quote!(::unnorm_numerics::arrays::Arrays::add_arrays(#place, &#path, found););
        }
    };
    let add = quote!(found.push((#path, ::unnorm_numerics::arrays::ArrayMut::#kind(values))));
    match inside("Option", &field.ty) {
        Some(_) => quote!(if let Some(values) = #place { #add }),
        None => quote!(let values = #place; #add),
    }
}

/// Whether a field is an array or may have arrays within.
fn may_have_arrays(field: &Field, direction: Direction) -> bool {
    let has_own_type = has(&field.attrs, "ts");
    Elements::of(field, direction).is_some() || !(has_own_type || is_plain(&field.ty))
}

/// Whether no array is in a type that is not one.
fn is_plain(ty: &Type) -> bool {
    match ty {
        Type::Group(group) => is_plain(&group.elem),
        Type::Reference(reference) => is_plain(&reference.elem),
        Type::Path(path) => {
            let Some(last) = path.path.segments.last() else { return true };
            let within = ["Option", "Vec", "Box"].into_iter().find_map(|outer| inside(outer, ty));
            within.map_or_else(|| PLAIN.iter().any(|plain| last.ident == plain), is_plain)
        }
        _ => true,
    }
}

/// The name of a field in JSON.
fn name_of(field: &Field) -> String {
    let renamed = field.attrs.iter().find_map(renamed);
    renamed.unwrap_or_else(|| {
        let ident = field.ident.as_ref().map(ToString::to_string).unwrap_or_default();
        let mut words = ident.split('_');
        let first = words.next().unwrap_or_default().to_string();
        words.fold(first, |name, word| {
            let (head, tail) = word.split_at(1.min(word.len()));
            name + &head.to_uppercase() + tail
        })
    })
}

/// The name that serde is told.
fn renamed(attribute: &Attribute) -> Option<String> {
    if !is(attribute, "serde") {
        return None;
    }
    let lists = Punctuated::<Meta, Token![,]>::parse_terminated;
    attribute.parse_args_with(lists).ok()?.into_iter().find_map(|meta| {
        let Meta::NameValue(pair) = meta else { return None };
        let Expr::Lit(literal) = &pair.value else { return None };
        match (&literal.lit, pair.path.is_ident("rename")) {
            (Lit::Str(name), true) => Some(name.value()),
            _ => None,
        }
    })
}
