//! Enums tagged with a `kind`, read from the tree so that errors name the field in which they are.

use super::{Value, ValueError};
use serde::de::value::StrDeserializer;
use serde::de::{
    Deserialize, DeserializeSeed, Deserializer, EnumAccess, Error, IntoDeserializer, VariantAccess,
    Visitor,
};
use std::fmt;
use std::marker::PhantomData;

/// The name by which a tree knows that a tagged enum is asked for.
pub(super) const NAME: &str = "a tagged enum";

/// The field that says which variant it is.
pub(super) const TAG: &str = "kind";

/// An enum tagged with a `kind` (the attribute `spec` of the crate `unnorm-wire`).
pub trait Tagged<'de>: Sized {
    /// Reads the variant whose kind was found.
    ///
    /// # Errors
    /// Those of its fields.
    fn of_kind<A: EnumAccess<'de>>(kind: A) -> Result<Self, A::Error>;
}

/// Reads a tagged enum: from a [`Value`] directly, from anything else by way of one.
///
/// # Errors
/// If it is none, or has a kind or field that is not known.
pub fn read_tagged<'de, T: Tagged<'de>, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<T, D::Error> {
    deserializer.deserialize_newtype_struct(NAME, Reader(PhantomData))
}

struct Reader<T>(PhantomData<T>);

impl<'de, T: Tagged<'de>> Visitor<'de> for Reader<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object with a kind")
    }

    fn visit_enum<A: EnumAccess<'de>>(self, kind: A) -> Result<T, A::Error> {
        T::of_kind(kind)
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, deserializer: D) -> Result<T, D::Error> {
        let value = Value::deserialize(deserializer)?;
        value.deserialize_newtype_struct(NAME, self).map_err(D::Error::custom)
    }
}

/// Has an enum read from the fields of an object, among them its kind.
pub(super) fn visit<'de, V: Visitor<'de>>(
    mut fields: Vec<(String, Value)>,
    visitor: V,
) -> Result<V::Value, ValueError> {
    let at = fields.iter().position(|(name, _)| name == TAG);
    let kind = match at.map(|at| fields.remove(at).1) {
        None => return Err(ValueError::missing_field(TAG)),
        Some(Value::Text(kind)) => kind,
        Some(other) => return Err(other.refused(&"the name of a kind").within(TAG)),
    };
    visitor.visit_enum(Kind { kind, fields })
}

/// The kind of an enum, and its fields.
struct Kind {
    kind: String,
    fields: Vec<(String, Value)>,
}

impl<'de> EnumAccess<'de> for Kind {
    type Error = ValueError;
    type Variant = Variant;

    fn variant_seed<V: DeserializeSeed<'de>>(
        self,
        seed: V,
    ) -> Result<(V::Value, Variant), ValueError> {
        let kind: StrDeserializer<'_, ValueError> = self.kind.as_str().into_deserializer();
        let variant = seed.deserialize(kind).map_err(|error| error.within(TAG))?;
        Ok((variant, Variant(self.fields)))
    }
}

/// The fields of the variant.
struct Variant(Vec<(String, Value)>);

impl<'de> VariantAccess<'de> for Variant {
    type Error = ValueError;

    fn unit_variant(self) -> Result<(), ValueError> {
        match self.0.first() {
            None => Ok(()),
            Some((name, _)) => Err(ValueError::unknown_field(name, &[])),
        }
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(
        self,
        seed: T,
    ) -> Result<T::Value, ValueError> {
        seed.deserialize(Value::Fields(self.0))
    }

    fn tuple_variant<V: Visitor<'de>>(
        self,
        _len: usize,
        visitor: V,
    ) -> Result<V::Value, ValueError> {
        Err(Value::Fields(self.0).refused(&visitor))
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        _fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, ValueError> {
        Value::Fields(self.0).object(visitor)
    }
}
