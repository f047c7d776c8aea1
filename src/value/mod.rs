//! A spec as it comes from a language without types: a tree that any spec type
//! can be deserialized from, with errors that name the field.
//!
//! JavaScript objects go through this tree and not straight into the spec
//! types, because `serde_wasm_bindgen` asks an object only for the fields it
//! knows: misspelt ones would pass unseen. Going through one type also means
//! that serde's code is in the wasm file once. The path in an error ends at the
//! first enum with a tag, which serde reads whole before it looks inside.

use serde::de::{
    Deserialize, DeserializeSeed, Deserializer, IntoDeserializer, MapAccess, SeqAccess, Visitor,
};
use serde::forward_to_deserialize_any;
use std::fmt;

/// The tree.
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
    /// An array of anything.
    List(Vec<Value>),
    /// An array of numbers.
    Numbers(Vec<f64>),
    /// An array of whole numbers from 0 to 255.
    Bytes(Vec<u8>),
    /// An object.
    Fields(Vec<(String, Value)>),
}

/// An array of at least so many numbers is led past serde, which would take them one by one
/// and, inside an enum with a tag, keep each in 32 bytes.
const LARGE: usize = 1024;

impl Value {
    /// Takes the large arrays of numbers out, with the paths of the fields they belong in; an
    /// empty array stays behind.
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

/// What was wrong, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ValueError {
    /// Path of the field, empty for the whole.
    pub field: String,
    /// What was wrong with it.
    pub problem: String,
}

impl ValueError {
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
}

impl<'de> Deserializer<'de> for Value {
    type Error = ValueError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ValueError> {
        match self {
            Self::Null => visitor.visit_unit(),
            Self::Bool(value) => visitor.visit_bool(value),
            Self::Number(value) => visit_number(value, visitor),
            Self::Text(value) => visitor.visit_string(value),
            Self::List(values) => {
                visitor.visit_seq(Elements { rest: values.into_iter(), index: 0 })
            }
            Self::Numbers(values) => {
                visitor.visit_seq(Elements { rest: values.into_iter().map(Self::Number), index: 0 })
            }
            Self::Bytes(values) => {
                let numbers = values.into_iter().map(|value| Self::Number(value.into()));
                visitor.visit_seq(Elements { rest: numbers, index: 0 })
            }
            Self::Fields(fields) => {
                visitor.visit_map(Entries { rest: fields.into_iter(), next: None })
            }
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

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes unit
        unit_struct newtype_struct seq tuple tuple_struct map struct enum identifier ignored_any
    }
}

/// Whole numbers that a double holds exactly are integers; −0 stays a double.
fn visit_number<'de, V: Visitor<'de>>(value: f64, visitor: V) -> Result<V::Value, ValueError> {
    let is_whole = value.trunc() == value && value.abs() < 9_007_199_254_740_992.0;
    if !is_whole || value == 0.0 && value.is_sign_negative() {
        visitor.visit_f64(value)
    } else if value < 0.0 {
        visitor.visit_i64(value as i64)
    } else {
        visitor.visit_u64(value as u64)
    }
}

/// An array, element by element.
struct Elements<I> {
    rest: I,
    index: usize,
}

impl<'de, I: ExactSizeIterator<Item = Value>> SeqAccess<'de> for Elements<I> {
    type Error = ValueError;

    fn next_element_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, ValueError> {
        let Some(value) = self.rest.next() else { return Ok(None) };
        self.index += 1;
        seed.deserialize(value)
            .map(Some)
            .map_err(|error| error.within(&format!("[{}]", self.index - 1)))
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.rest.len())
    }
}

/// An object, field by field.
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

#[cfg(test)]
mod tests;
