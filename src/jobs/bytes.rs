//! Numbers as the bytes that travel between coordinator and workers:
//! little-endian, nothing else.

/// Numbers to bytes.
pub fn from_f64s(values: &[f64]) -> Vec<u8> {
    let mut bytes = vec![0; 8 * values.len()];
    for (chunk, value) in bytes.as_chunks_mut::<8>().0.iter_mut().zip(values) {
        *chunk = value.to_le_bytes();
    }
    bytes
}

/// The inverse of [`from_f64s`]; None if the length is not a multiple of 8.
pub fn to_f64s(bytes: &[u8]) -> Option<Vec<f64>> {
    let (chunks, rest) = bytes.as_chunks::<8>();
    rest.is_empty().then(|| chunks.iter().map(|chunk| f64::from_le_bytes(*chunk)).collect())
}

/// Words to bytes.
pub fn from_words(words: &[u64]) -> Vec<u8> {
    let mut bytes = vec![0; 8 * words.len()];
    for (chunk, word) in bytes.as_chunks_mut::<8>().0.iter_mut().zip(words) {
        *chunk = word.to_le_bytes();
    }
    bytes
}

/// The inverse of [`from_words`]; bytes that are no whole word are left out.
pub fn to_words(bytes: &[u8]) -> impl Iterator<Item = u64> {
    bytes.as_chunks::<8>().0.iter().map(|chunk| u64::from_le_bytes(*chunk))
}

/// Numbers of single precision, added to bytes.
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
