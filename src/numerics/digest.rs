//! SHA-256 over labelled numbers: identifies a result, a spec or a data set to the last bit. Two
//! results have the same digest exactly if all their numbers have the same bits.
//!
//! Layout hashed, for each part: length of the label (u64), the label, a byte for the type
//! (`b`ytes, `u`64, `f`64), number of items (u64), the items; all little-endian. Lengths are
//! included, so parts cannot run into each other.

use sha2::{Digest as _, Sha256};

/// Builder of a digest; the order of the parts matters.
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
        // In blocks, as adding number by number takes twice as long.
        let mut bytes = [0; 4096];
        for values in values.chunks(bytes.len() / 8) {
            for (to, value) in bytes.as_chunks_mut::<8>().0.iter_mut().zip(values) {
                *to = value.to_le_bytes();
            }
            self.0.update(&bytes[..8 * values.len()]);
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

/// A 256-bit checksum: it guards against mistakes, not against malice, and is twenty times as fast
/// as SHA-256. Each of four lanes takes every fourth word of eight bytes by a step that is
/// one-to-one in the word and in the lane's state. So bytes that differ in one word of a lane never
/// have the same fingerprint.
pub fn fingerprint(bytes: &[u8]) -> [u8; 32] {
    // The constant of the golden ratio, and a similar one: odd, with half of the bits set.
    const MIX: [u64; 2] = [0x9e37_79b9_7f4a_7c15, 0xc2b2_ae3d_27d4_eb4f];
    let step = |lane: &mut u64, word: [u8; 8]| {
        let mixed = *lane ^ u64::from_le_bytes(word).wrapping_mul(MIX[1]);
        *lane = mixed.rotate_left(29).wrapping_mul(MIX[0]).wrapping_add(MIX[1]);
    };
    let mut lanes = [1, 2, 3, bytes.len() as u64];
    let (chunks, rest) = bytes.as_chunks::<32>();
    for chunk in chunks {
        lanes.iter_mut().zip(chunk.as_chunks().0).for_each(|(lane, word)| step(lane, *word));
    }
    for (lane, rest) in lanes.iter_mut().zip(rest.chunks(8)) {
        let mut word = [0; 8];
        word[..rest.len()].copy_from_slice(rest);
        step(lane, word);
    }
    let mut fingerprint = [0; 32];
    for (to, lane) in fingerprint.as_chunks_mut::<8>().0.iter_mut().zip(lanes) {
        *to = lane.to_le_bytes();
    }
    fingerprint
}

/// Converts bytes to lower-case hexadecimal digits.
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
    fn fingerprints_tell_every_bit_its_place_and_the_length() {
        let bytes: Vec<u8> = (0..91_u8).map(|at| at.wrapping_mul(37) | 1).collect();
        let mut seen: Vec<_> = (0..=bytes.len()).map(|len| fingerprint(&bytes[..len])).collect();
        for at in 0..bytes.len() {
            for bit in 0..8 {
                let mut other = bytes.clone();
                other[at] ^= 1 << bit;
                seen.push(fingerprint(&other));
            }
            // Swaps with the next word of the lane, or around the end with the first.
            let mut swapped = bytes.clone();
            swapped.swap(at, (at + 32) % bytes.len());
            seen.push(fingerprint(&swapped));
        }
        seen.extend((1..70).map(|len| fingerprint(&vec![0; len])));
        let count = seen.len();
        seen.sort_unstable();
        seen.dedup();
        assert_eq!(seen.len(), count);
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
