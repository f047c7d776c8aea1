//! Numbers as the bytes that travel between coordinator and workers:
//! little-endian, nothing else.

/// Numbers to bytes.
pub fn from_f64s(values: &[f64]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_le_bytes()).collect()
}

/// The inverse of [`from_f64s`]; None if the length is not a multiple of 8.
pub fn to_f64s(bytes: &[u8]) -> Option<Vec<f64>> {
    let (chunks, rest) = bytes.as_chunks::<8>();
    rest.is_empty().then(|| chunks.iter().map(|chunk| f64::from_le_bytes(*chunk)).collect())
}
