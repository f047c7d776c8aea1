//! The attributes of the types that cross the boundary to JavaScript and Python: [`macro@spec`] of what comes in,
//! [`macro@report`] of what goes out. Each stands in place of the derives, the names in camelCase and the TypeScript
//! types, which follow from the Rust types:
//!
//! | Rust                                        | in a spec                  | in a report    |
//! | ------------------------------------------- | -------------------------- | -------------- |
//! | `Option<T>`                                 | may be absent              | may be absent  |
//! | `Vec<f64>`                                  | `Float64Array \| number[]` | `Float64Array` |
//! | `Vec<u8>`                                   | as ts-rs has it            | `Uint8Array`   |
//! | a field with a default, by `serde(default)` | may be absent              |                |
//! | a field with `serde(deserialize_with = …)`  | `number`                   |                |
//! | an enum whose variants have fields          | an object with a `kind`    | the same       |
//!
//! Fields that are typed arrays in TypeScript are found by `unnorm_numerics::arrays`, however deep: they cross the boundary by themselves.
//!
//! `#[serde(…)]` on a field says what differs, and `#[ts(…)]` which other TypeScript type it has. `#[full]` on a field or a
//! variant: only full builds have it. `Copy`, `Eq`, `Default` and other traits are derived beside, by `#[derive(…)]` below.

mod expand;
mod fields;
mod typed_arrays;

use proc_macro::TokenStream;

/// A spec, or a part of one: plain data that are read, in which every field that is not known is refused.
///
/// `#[spec(default)]`: what is absent is as in the type's `Default`. `#[spec(name = "…")]`: its name in TypeScript.
#[proc_macro_attribute]
pub fn spec(arguments: TokenStream, item: TokenStream) -> TokenStream {
    expand::expand(fields::Direction::In, arguments.into(), item.into()).into()
}

/// Progress or a result, or a part of one: plain data that are written.
#[proc_macro_attribute]
pub fn report(arguments: TokenStream, item: TokenStream) -> TokenStream {
    expand::expand(fields::Direction::Out, arguments.into(), item.into()).into()
}
