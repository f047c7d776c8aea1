//! A spec as it comes from a language without types: a tree from which any spec type can be
//! deserialized, with errors that name the field.
//!
//! JavaScript objects go through this tree rather than straight into the spec types, because
//! `serde_wasm_bindgen` asks an object only for the fields it knows, so misspelt ones would go
//! unnoticed. Going through one type also means that the wasm file has serde's code once.

use serde::de::{
    Deserialize, DeserializeSeed, Deserializer, Expected, IntoDeserializer, MapAccess, SeqAccess,
    Unexpected, Visitor,
};
use serde::forward_to_deserialize_any;
use std::fmt;

mod tagged;

pub use tagged::{Tagged, read_tagged};

/// A value in the tree.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// `null`.
    Null,
    /// A truth value.
    Bool(bool),
    /// A number.
    Number(f64),
    /// Text.
    Text(String),
    /// An array of arbitrary values.
    List(Vec<Value>),
    /// An array of numbers.
    Numbers(Vec<f64>),
    /// An array of whole numbers from 0 to 255.
    Bytes(Vec<u8>),
    /// An object.
    Fields(Vec<(String, Value)>),
}

/// Minimum length of arrays that bypass serde, which would take numbers one by one.
const LARGE: usize = 1024;

impl Value {
    /// Takes the large arrays of numbers out, with the paths of their fields, and leaves empty
    /// arrays.
    pub fn take_large(&mut self) -> Vec<(Vec<String>, Vec<f64>)> {
        let mut found = Vec::new();
        self.collect_large(&mut Vec::new(), &mut found);
        found
    }

    fn collect_large(&mut self, path: &mut Vec<String>, found: &mut Vec<(Vec<String>, Vec<f64>)>) {
        let mut visit = |name: String, value: &mut Self| {
            path.push(name);
            value.collect_large(path, found);
            path.pop();
        };
        match self {
            Self::Fields(fields) => {
                fields.iter_mut().for_each(|(name, value)| visit(name.clone(), value));
            }
            Self::List(values) => {
                let values = values.iter_mut().enumerate();
                values.for_each(|(index, value)| visit(index.to_string(), value));
            }
            Self::Numbers(values) if values.len() >= LARGE => {
                found.push((path.clone(), std::mem::take(values)));
            }
            _ => {}
        }
    }

    /// Puts arrays back that [`Value::take_large`] took out.
    pub fn put_back(&mut self, arrays: Vec<(Vec<String>, Vec<f64>)>) {
        for (path, values) in arrays {
            let mut place = Some(&mut *self);
            for name in &path {
                place = match place {
                    Some(Self::Fields(fields)) => {
                        fields.iter_mut().find(|(field, _)| field == name).map(|(_, value)| value)
                    }
                    Some(Self::List(list)) => {
                        name.parse::<usize>().ok().and_then(|index| list.get_mut(index))
                    }
                    _ => None,
                };
            }
            if let Some(place) = place {
                *place = Self::Numbers(values);
            }
        }
    }
}

/// A problem and its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ValueError {
    /// Path of the field; empty for the whole value.
    pub field: String,
    /// What was wrong with it.
    pub problem: String,
}

impl ValueError {
    #[cold]
    #[inline(never)]
    fn within(mut self, outer: &str) -> Self {
        let dot = if self.field.is_empty() || self.field.starts_with('[') { "" } else { "." };
        self.field = format!("{outer}{dot}{}", self.field);
        self
    }
}

impl fmt::Display for ValueError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.field, self.problem)
    }
}

impl std::error::Error for ValueError {}

impl serde::de::Error for ValueError {
    fn custom<T: fmt::Display>(problem: T) -> Self {
        Self { field: String::new(), problem: problem.to_string() }
    }

    #[cold]
    #[inline(never)]
    fn unknown_field(field: &str, expected: &'static [&'static str]) -> Self {
        match expected {
            [] => Self::custom(format!("unknown field `{field}`, expected only `{}`", tagged::TAG)),
            _ => Self::custom(serde::de::value::Error::unknown_field(field, expected)),
        }
    }
}

impl Value {
    /// The value as serde names it in errors.
    fn unexpected(&self) -> Unexpected<'_> {
        match self {
            Self::Null => Unexpected::Unit,
            Self::Bool(value) => Unexpected::Bool(*value),
            Self::Number(value) => match whole(*value) {
                None => Unexpected::Float(*value),
                Some(value) if value < 0 => Unexpected::Signed(value),
                Some(value) => Unexpected::Unsigned(value as u64),
            },
            Self::Text(value) => Unexpected::Str(value),
            Self::List(_) | Self::Numbers(_) | Self::Bytes(_) => Unexpected::Seq,
            Self::Fields(_) => Unexpected::Map,
        }
    }

    #[cold]
    #[inline(never)]
    fn refused(&self, expected: &dyn Expected) -> ValueError {
        serde::de::Error::invalid_type(self.unexpected(), expected)
    }

    /// The elements, if it is an array.
    fn elements(self) -> Result<Elements, Self> {
        let rest = match self {
            Self::List(values) => Rest::List(values.into_iter()),
            Self::Numbers(values) => Rest::Numbers(values.into_iter()),
            Self::Bytes(values) => Rest::Bytes(values.into_iter()),
            other => return Err(other),
        };
        Ok(Elements { rest, index: 0 })
    }
}

/// Only the form that a type takes is tried, and each is one function for each type, which keeps the wasm file small.
macro_rules! take {
    ($($kind:ident)* => $method:ident) => {
        $(fn $kind<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ValueError> {
            self.$method(visitor)
        })*
    };
}

impl Value {
    #[inline(never)]
    fn number<'de, V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ValueError> {
        match self {
            Self::Number(value) => visit_number(value, visitor),
            other => Err(other.refused(&visitor)),
        }
    }

    #[inline(never)]
    fn text<'de, V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ValueError> {
        match self {
            Self::Text(value) => visitor.visit_string(value),
            other => Err(other.refused(&visitor)),
        }
    }

    #[inline(never)]
    fn list<'de, V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ValueError> {
        match self.elements() {
            Ok(elements) => visitor.visit_seq(elements),
            Err(other) => Err(other.refused(&visitor)),
        }
    }

    #[inline(never)]
    fn object<'de, V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ValueError> {
        match self {
            Self::Fields(fields) => {
                visitor.visit_map(Entries { rest: fields.into_iter(), next: None })
            }
            other => Err(other.refused(&visitor)),
        }
    }
}

impl<'de> Deserializer<'de> for Value {
    type Error = ValueError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ValueError> {
        match self {
            Self::Null => visitor.visit_unit(),
            Self::Bool(value) => visitor.visit_bool(value),
            Self::Number(_) => self.number(visitor),
            Self::Text(value) => visitor.visit_string(value),
            Self::List(_) | Self::Numbers(_) | Self::Bytes(_) => self.list(visitor),
            Self::Fields(_) => self.object(visitor),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ValueError> {
        match self {
            Self::Null => visitor.visit_none(),
            value => visitor.visit_some(value),
        }
    }

    fn deserialize_byte_buf<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ValueError> {
        match self {
            Self::Bytes(bytes) => visitor.visit_byte_buf(bytes),
            value => value.deserialize_any(visitor),
        }
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ValueError> {
        match self {
            Self::Bool(value) => visitor.visit_bool(value),
            other => Err(other.refused(&visitor)),
        }
    }

    /// Of names alone; enums with fields are tagged and read as objects.
    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, ValueError> {
        match self {
            Self::Text(name) => visitor.visit_enum(name.into_deserializer()),
            other => Err(other.refused(&visitor)),
        }
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, ValueError> {
        self.object(visitor)
    }

    fn deserialize_tuple<V: Visitor<'de>>(
        self,
        _len: usize,
        visitor: V,
    ) -> Result<V::Value, ValueError> {
        self.list(visitor)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, ValueError> {
        match self {
            Self::Fields(fields) if name == tagged::NAME => tagged::visit(fields, visitor),
            other if name == tagged::NAME => Err(other.refused(&visitor)),
            other => visitor.visit_newtype_struct(other),
        }
    }

    take! {
        deserialize_i8 deserialize_i16 deserialize_i32 deserialize_i64 deserialize_u8 deserialize_u16
        deserialize_u32 deserialize_u64 deserialize_f32 deserialize_f64 => number
    }
    take! { deserialize_str deserialize_string deserialize_identifier => text }
    take! { deserialize_seq => list }
    take! { deserialize_map => object }

    forward_to_deserialize_any! {
        i128 u128 char bytes unit unit_struct tuple_struct ignored_any
    }
}

/// The integer that a double holds exactly; none for −0.
fn whole(value: f64) -> Option<i64> {
    let is_whole = value.trunc() == value && value.abs() < 9_007_199_254_740_992.0;
    let is_minus_0 = value == 0.0 && value.is_sign_negative();
    (is_whole && !is_minus_0).then_some(value as i64)
}

fn visit_number<'de, V: Visitor<'de>>(value: f64, visitor: V) -> Result<V::Value, ValueError> {
    match whole(value) {
        None => visitor.visit_f64(value),
        Some(value) if value < 0 => visitor.visit_i64(value),
        Some(value) => visitor.visit_u64(value as u64),
    }
}

/// Reads an array, element by element.
struct Elements {
    rest: Rest,
    index: usize,
}

enum Rest {
    List(std::vec::IntoIter<Value>),
    Numbers(std::vec::IntoIter<f64>),
    Bytes(std::vec::IntoIter<u8>),
}

impl Elements {
    fn next(&mut self) -> Option<Value> {
        self.index += 1;
        match &mut self.rest {
            Rest::List(values) => values.next(),
            Rest::Numbers(values) => values.next().map(Value::Number),
            Rest::Bytes(values) => values.next().map(|value| Value::Number(value.into())),
        }
    }

    /// The error for the element read last.
    #[cold]
    #[inline(never)]
    fn refused(&self, error: ValueError) -> ValueError {
        error.within(&format!("[{}]", self.index - 1))
    }
}

impl<'de> SeqAccess<'de> for Elements {
    type Error = ValueError;

    #[inline(never)]
    fn next_element_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, ValueError> {
        match self.next() {
            None => Ok(None),
            Some(value) => seed.deserialize(value).map(Some).map_err(|error| self.refused(error)),
        }
    }

    fn size_hint(&self) -> Option<usize> {
        Some(match &self.rest {
            Rest::List(values) => values.len(),
            Rest::Numbers(values) => values.len(),
            Rest::Bytes(values) => values.len(),
        })
    }
}

/// Reads an object, field by field.
struct Entries {
    rest: std::vec::IntoIter<(String, Value)>,
    next: Option<(String, Value)>,
}

impl<'de> MapAccess<'de> for Entries {
    type Error = ValueError;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, ValueError> {
        self.next = self.rest.next();
        let Some((name, _)) = &self.next else { return Ok(None) };
        let key: serde::de::value::StrDeserializer<'_, ValueError> =
            name.as_str().into_deserializer();
        seed.deserialize(key).map(Some).map_err(|error| error.within(name))
    }

    #[inline(never)]
    fn next_value_seed<V: DeserializeSeed<'de>>(
        &mut self,
        seed: V,
    ) -> Result<V::Value, ValueError> {
        let (name, value) = self.next.take().expect("serde asks for a key first");
        seed.deserialize(value).map_err(|error| error.within(&name))
    }
}

impl<'de> Deserialize<'de> for Value {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Tree;
        impl<'de> Visitor<'de> for Tree {
            type Value = Value;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("plain data")
            }
            fn visit_unit<E>(self) -> Result<Value, E> {
                Ok(Value::Null)
            }
            fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
                Ok(Value::Bool(value))
            }
            fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
                Ok(Value::Number(value as f64))
            }
            fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
                Ok(Value::Number(value as f64))
            }
            fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
                Ok(Value::Number(value))
            }
            fn visit_str<E>(self, value: &str) -> Result<Value, E> {
                Ok(Value::Text(value.into()))
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Value, A::Error> {
                let mut values = Vec::new();
                while let Some(value) = list.next_element()? {
                    values.push(value);
                }
                Ok(Value::List(values))
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Value, A::Error> {
                let mut fields = Vec::new();
                while let Some(field) = map.next_entry()? {
                    fields.push(field);
                }
                Ok(Value::Fields(fields))
            }
        }
        deserializer.deserialize_any(Tree)
    }
}
