//! Numbers as the bytes that travel between coordinator and workers: little-endian, without any
//! header.

/// Converts numbers to bytes.
pub fn from_f64s(values: &[f64]) -> Vec<u8> {
    let mut bytes = Vec::new();
    push_f64s(&mut bytes, values);
    bytes
}

/// Appends numbers to bytes.
pub fn push_f64s(bytes: &mut Vec<u8>, values: &[f64]) {
    let start = bytes.len();
    bytes.resize(start + 8 * values.len(), 0);
    for (chunk, value) in bytes[start..].as_chunks_mut::<8>().0.iter_mut().zip(values) {
        *chunk = value.to_le_bytes();
    }
}

/// The inverse of [`from_f64s`]; None if the length is not a multiple of 8.
pub fn to_f64s(bytes: &[u8]) -> Option<Vec<f64>> {
    let (chunks, rest) = bytes.as_chunks::<8>();
    rest.is_empty().then(|| chunks.iter().map(|chunk| f64::from_le_bytes(*chunk)).collect())
}

/// Converts words to bytes.
pub fn from_words(words: &[u64]) -> Vec<u8> {
    let mut bytes = vec![0; 8 * words.len()];
    for (chunk, word) in bytes.as_chunks_mut::<8>().0.iter_mut().zip(words) {
        *chunk = word.to_le_bytes();
    }
    bytes
}

/// The inverse of [`from_words`]; trailing bytes that do not fill a word are ignored.
pub fn to_words(bytes: &[u8]) -> impl Iterator<Item = u64> {
    bytes.as_chunks::<8>().0.iter().map(|chunk| u64::from_le_bytes(*chunk))
}

/// Appends single-precision numbers to bytes.
pub fn push_f32s(bytes: &mut Vec<u8>, values: &[f32]) {
    let start = bytes.len();
    bytes.resize(start + 4 * values.len(), 0);
    for (chunk, value) in bytes[start..].as_chunks_mut::<4>().0.iter_mut().zip(values) {
        *chunk = value.to_le_bytes();
    }
}

/// The inverse of [`push_f32s`]; None if the length is not a multiple of 4.
pub fn to_f32s(bytes: &[u8]) -> Option<Vec<f32>> {
    let (chunks, rest) = bytes.as_chunks::<4>();
    rest.is_empty().then(|| chunks.iter().map(|chunk| f32::from_le_bytes(*chunk)).collect())
}

/// How serde writes and reads many numbers at once, as bytes: `#[serde(with =
/// "crate::bytes::numbers")]`. One by one, states that travel each round would take a hundredth of
/// a job's time.
pub mod numbers {
    use super::{from_f64s, to_f64s};
    use serde::de::{Error, Visitor};
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    /// A type that is written as bytes.
    pub trait Numbers: Sized {
        /// As bytes.
        fn write<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error>;
        /// From bytes.
        ///
        /// # Errors
        /// Of the deserializer, and where the bytes are no such numbers.
        fn read<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error>;
    }

    /// For serde.
    ///
    /// # Errors
    /// Of the serializer.
    pub fn serialize<S: Serializer>(
        values: &impl Numbers,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        values.write(serializer)
    }

    /// For serde.
    ///
    /// # Errors
    /// Of the deserializer, and where the bytes are no such numbers.
    pub fn deserialize<'de, D: Deserializer<'de>, N: Numbers>(
        deserializer: D,
    ) -> Result<N, D::Error> {
        N::read(deserializer)
    }

    struct Bytes<T>(T);

    impl Serialize for Bytes<&[f64]> {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            serializer.serialize_bytes(&from_f64s(self.0))
        }
    }

    impl<'de> Deserialize<'de> for Bytes<Vec<f64>> {
        fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
            struct Whole;
            impl Visitor<'_> for Whole {
                type Value = Bytes<Vec<f64>>;

                fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                    formatter.write_str("bytes of whole numbers")
                }

                fn visit_bytes<E: Error>(self, bytes: &[u8]) -> Result<Self::Value, E> {
                    to_f64s(bytes).map(Bytes).ok_or_else(|| E::invalid_length(bytes.len(), &self))
                }
            }
            deserializer.deserialize_bytes(Whole)
        }
    }

    impl Numbers for Vec<f64> {
        /// As bytes.
        fn write<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            Bytes(&self[..]).serialize(serializer)
        }

        fn read<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
            Bytes::deserialize(deserializer).map(|Bytes(values)| values)
        }
    }

    impl Numbers for [Vec<f64>; 2] {
        /// As bytes.
        fn write<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            [Bytes(&self[0][..]), Bytes(&self[1][..])].serialize(serializer)
        }

        fn read<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
            <[_; 2]>::deserialize(deserializer).map(|both| both.map(|Bytes(values)| values))
        }
    }
}
