//! SHA-256 over labelled numbers: what a result, a spec or a data set *is*, to
//! the last bit. Two results have the same digest exactly if all their numbers
//! have the same bits.
//!
//! Layout hashed, for each part: length of the label (u64), the label, a byte
//! for the type (`b`ytes, `u`64, `f`64), number of items (u64), the items; all
//! little-endian. Lengths go in, so parts cannot run into one another.

use sha2::{Digest as _, Sha256};

/// Builder of a digest; parts count in the order they are added.
#[derive(Clone, Default)]
pub struct Digest(Sha256);

impl Digest {
    /// An empty digest.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds bytes.
    pub fn bytes(mut self, label: &str, bytes: &[u8]) -> Self {
        self.head(label, b'b', bytes.len());
        self.0.update(bytes);
        self
    }

    /// Adds one integer.
    pub fn u64(mut self, label: &str, value: u64) -> Self {
        self.head(label, b'u', 1);
        self.0.update(value.to_le_bytes());
        self
    }

    /// Adds numbers. −0 and 0 differ, as their bits do.
    pub fn f64s(mut self, label: &str, values: &[f64]) -> Self {
        self.head(label, b'f', values.len());
        for value in values {
            self.0.update(value.to_le_bytes());
        }
        self
    }

    /// The digest.
    pub fn finish(self) -> [u8; 32] {
        self.0.finalize().into()
    }

    /// The digest as 64 lower-case hexadecimal digits.
    pub fn hex(self) -> String {
        to_hex(&self.finish())
    }

    fn head(&mut self, label: &str, kind: u8, len: usize) {
        self.0.update((label.len() as u64).to_le_bytes());
        self.0.update(label.as_bytes());
        self.0.update([kind]);
        self.0.update((len as u64).to_le_bytes());
    }
}

/// Lower-case hexadecimal digits.
pub fn to_hex(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let mut hex = String::with_capacity(2 * bytes.len());
    for byte in bytes {
        hex.push(char::from(DIGITS[usize::from(byte >> 4)]));
        hex.push(char::from(DIGITS[usize::from(byte & 15)]));
    }
    hex
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hex_of_the_empty_digest_is_that_of_sha_256() {
        let expected = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
        assert_eq!(Digest::new().hex(), expected);
    }

    #[test]
    fn labels_types_and_boundaries_count() {
        let digests = [
            Digest::new().f64s("a", &[1.0, 2.0]).hex(),
            Digest::new().f64s("b", &[1.0, 2.0]).hex(),
            Digest::new().f64s("a", &[2.0, 1.0]).hex(),
            Digest::new().f64s("a", &[1.0]).f64s("", &[2.0]).hex(),
            Digest::new().f64s("a", &[0.0]).hex(),
            Digest::new().f64s("a", &[-0.0]).hex(),
            Digest::new().u64("a", 0).hex(),
            Digest::new().bytes("a", &[0; 8]).hex(),
        ];
        for (index, digest) in digests.iter().enumerate() {
            assert!(!digests[..index].contains(digest), "digest {index} is not new");
        }
    }
}
