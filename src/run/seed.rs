//! Reading the seed of a spec.

use crate::rng::MAX_SEED;
use serde::de::{Deserializer, Unexpected, Visitor};

/// Reads a seed; the error says what a valid seed is.
pub(crate) fn seed<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> std::result::Result<Option<u64>, D::Error> {
    struct Seed;
    impl<'de> Visitor<'de> for Seed {
        type Value = Option<u64>;
        fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            write!(f, "an integer from 0 to {MAX_SEED}, 2^53 − 1")
        }
        fn visit_none<E>(self) -> std::result::Result<Self::Value, E> {
            Ok(None)
        }
        fn visit_unit<E>(self) -> std::result::Result<Self::Value, E> {
            Ok(None)
        }
        fn visit_some<D: Deserializer<'de>>(
            self,
            inner: D,
        ) -> std::result::Result<Self::Value, D::Error> {
            inner.deserialize_any(self)
        }
        fn visit_u64<E: serde::de::Error>(self, value: u64) -> std::result::Result<Self::Value, E> {
            if value <= MAX_SEED {
                Ok(Some(value))
            } else {
                Err(E::invalid_value(Unexpected::Unsigned(value), &self))
            }
        }
        fn visit_i64<E: serde::de::Error>(self, value: i64) -> std::result::Result<Self::Value, E> {
            match u64::try_from(value) {
                Ok(value) => self.visit_u64(value),
                Err(_) => Err(E::invalid_value(Unexpected::Signed(value), &self)),
            }
        }
    }
    deserializer.deserialize_option(Seed)
}
