//! A spec as it comes from a language without types: a tree that any spec type
//! can be deserialized from.
//!
//! JavaScript objects go through this tree and not straight into the spec
//! types, because `serde_wasm_bindgen` asks an object only for the fields it
//! knows: misspelt ones would pass unseen. It also takes `undefined` for a
//! field left out, and typed arrays for arrays.

use serde::de::value::{Error, MapDeserializer, SeqDeserializer};
use serde::de::{Deserializer, IntoDeserializer, Visitor};
use serde::forward_to_deserialize_any;

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
    /// An object.
    Fields(Vec<(String, Value)>),
}

impl<'de> IntoDeserializer<'de, Error> for Value {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

impl<'de> Deserializer<'de> for Value {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self {
            Self::Null => visitor.visit_unit(),
            Self::Bool(value) => visitor.visit_bool(value),
            Self::Number(value) => visit_number(value, visitor),
            Self::Text(value) => visitor.visit_string(value),
            Self::List(values) => SeqDeserializer::new(values.into_iter()).deserialize_any(visitor),
            Self::Numbers(values) => {
                SeqDeserializer::new(values.into_iter().map(Self::Number)).deserialize_any(visitor)
            }
            Self::Fields(fields) => {
                MapDeserializer::new(fields.into_iter()).deserialize_any(visitor)
            }
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self {
            Self::Null => visitor.visit_none(),
            value => visitor.visit_some(value),
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Error> {
        visitor.visit_newtype_struct(self)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit
        unit_struct seq tuple tuple_struct map struct enum identifier ignored_any
    }
}

/// Whole numbers that a double holds exactly are integers; −0 stays a double.
fn visit_number<'de, V: Visitor<'de>>(value: f64, visitor: V) -> Result<V::Value, Error> {
    let is_whole = value.trunc() == value && value.abs() < 9_007_199_254_740_992.0;
    if !is_whole || value == 0.0 && value.is_sign_negative() {
        visitor.visit_f64(value)
    } else if value < 0.0 {
        visitor.visit_i64(value as i64)
    } else {
        visitor.visit_u64(value as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::jobs::spec::JobSpec;

    fn fields(fields: &[(&str, Value)]) -> Value {
        Value::Fields(fields.iter().map(|(name, value)| ((*name).into(), value.clone())).collect())
    }

    fn ising() -> Value {
        fields(&[
            ("kind", Value::Text("ising".into())),
            ("dim", Value::Number(2.0)),
            ("couplings", Value::Numbers(vec![0.5, 1.0, 1.0, -0.0])),
        ])
    }

    fn error_of(verb: &str, spec: Value) -> String {
        JobSpec::deserialize(verb, spec).expect_err("refused").to_string()
    }

    #[test]
    fn reads_what_serde_json_reads() {
        let spec = fields(&[
            ("model", ising()),
            ("seed", Value::Number(3.0)),
            ("objective", fields(&[("kind", Value::Text("mpf".into()))])),
        ]);
        let json = r#"{"model": {"kind": "ising", "dim": 2, "couplings": [0.5, 1, 1, -0.0]}, "seed": 3,
                       "objective": {"kind": "mpf"}}"#;
        let from_json = JobSpec::deserialize("fit", &mut serde_json::Deserializer::from_str(json));
        assert_eq!(JobSpec::deserialize("fit", spec), from_json);
        assert!(from_json.is_ok());
    }

    #[test]
    fn unknown_fields_are_refused_wherever_they_stand() {
        let odd = ("odd", Value::Bool(true));
        let kind = |kind: &str| ("kind", Value::Text(kind.into()));
        let error = error_of("fit", fields(&[("model", ising()), odd.clone()]));
        assert!(error.contains("`odd`"), "{error}");
        for (field, kind) in [
            ("model", kind("ising")),
            ("objective", kind("mpf")),
            ("optimizer", kind("lbfgs")),
            ("init", kind("model")),
            ("data", kind("rows")),
        ] {
            let inner = fields(&[kind, odd.clone()]);
            let others = fields(&[("model", ising())]);
            let Value::Fields(mut spec) = others else { unreachable!() };
            spec.retain(|(name, _)| name != field);
            spec.push((field.into(), inner));
            let error = error_of("fit", Value::Fields(spec));
            assert!(error.starts_with(field) && error.contains("`odd`"), "{error}");
        }
    }

    #[test]
    fn errors_name_the_field() {
        let with = |name: &str, value: Value| fields(&[("model", ising()), (name, value)]);
        for (spec, expected) in [
            (
                with("seed", Value::Number(1.5)),
                "seed: invalid type: floating point `1.5`, expected an integer from 0",
            ),
            (
                with("seed", Value::Number(-1.0)),
                "seed: invalid value: integer `-1`, expected an integer from 0",
            ),
            (
                with("seed", Value::Number(9_007_199_254_740_992.0)),
                "seed: invalid type: floating point",
            ),
            (
                with("seed", Value::Text("1".into())),
                "seed: invalid type: string \"1\", expected an integer",
            ),
            (fields(&[]), "spec: missing field `model`"),
            (Value::Numbers(vec![]), "spec: invalid"),
        ] {
            let error = error_of("fit", spec);
            assert!(error.starts_with(expected), "{error}");
        }
        assert!(JobSpec::deserialize("fit", with("seed", Value::Null)).is_ok());
    }
}
