//! Bit-packed binary states: rows of `dim` bits, 64 to a word, least
//! significant bit first; the bits past `dim` in a row's last word are zero.

mod columns;
mod groups;
mod weighted;

pub use columns::BitColumns;
pub use groups::ColumnGroups;
pub use weighted::WeightedRows;

use crate::{Error, Result};

/// Number of 64-bit words of a row of `dim` bits.
#[inline]
pub const fn words_per_row(dim: usize) -> usize {
    dim.div_ceil(64)
}

/// Whether these are complete rows of `dim` sites, with no bit set past the last site. For checking
/// states read from outside.
#[inline]
pub fn are_rows(dim: usize, words: &[u64]) -> bool {
    let unused = if dim.is_multiple_of(64) { 0 } else { u64::MAX << (dim % 64) };
    let rows = words.chunks_exact(words_per_row(dim));
    rows.remainder().is_empty()
        && rows.into_iter().all(|row| row.last().is_some_and(|word| word & unused == 0))
}

/// Bit `site` of a row.
#[inline]
pub fn bit(row: &[u64], site: usize) -> bool {
    row[site / 64] >> (site % 64) & 1 == 1
}

/// The `count` bits of a row from bit `first` on, 1 to 64 of them.
#[inline]
pub fn bits_from(row: &[u64], first: usize, count: usize) -> u64 {
    let shift = first % 64;
    let low = row[first / 64] >> shift;
    let high = if shift + count > 64 { row[first / 64 + 1] << (64 - shift) } else { 0 };
    (low | high) & u64::MAX >> (64 - count)
}

/// Flips bit `site` of a row.
#[inline]
pub fn flip(row: &mut [u64], site: usize) {
    row[site / 64] ^= 1 << (site % 64);
}

/// Borrowed binary states.
#[derive(Debug, Clone, Copy)]
pub struct BitBatch<'a> {
    dim: usize,
    words: &'a [u64],
}

impl<'a> BitBatch<'a> {
    /// Views `words` as rows of `dim` bits.
    ///
    /// # Panics
    /// If `dim` is 0 or the words are not complete rows.
    #[inline]
    pub fn new(dim: usize, words: &'a [u64]) -> Self {
        assert!(dim > 0 && words.len().is_multiple_of(words_per_row(dim)));
        Self { dim, words }
    }

    /// Bits per row.
    #[inline]
    pub fn dim(&self) -> usize {
        self.dim
    }

    /// Number of rows.
    #[inline]
    pub fn len(&self) -> usize {
        self.words.len() / words_per_row(self.dim)
    }

    /// Whether there are no rows.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// The rows, in order.
    #[inline]
    pub fn rows(&self) -> impl ExactSizeIterator<Item = &'a [u64]> + use<'a> {
        self.words.chunks_exact(words_per_row(self.dim))
    }

    /// Row `index`.
    #[inline]
    pub fn row(&self, index: usize) -> &'a [u64] {
        let width = words_per_row(self.dim);
        &self.words[index * width..(index + 1) * width]
    }

    /// The rows in `range` as a batch.
    #[inline]
    pub fn slice(&self, range: std::ops::Range<usize>) -> BitBatch<'a> {
        let width = words_per_row(self.dim);
        BitBatch { dim: self.dim, words: &self.words[range.start * width..range.end * width] }
    }

    /// The states as zeros and ones, `[rows, dim]` row-major: the slow form that tests use as a
    /// reference.
    #[inline]
    pub fn to_values(&self) -> Vec<f64> {
        let mut values = vec![0.0; self.len() * self.dim];
        for (row, values) in self.rows().zip(values.chunks_exact_mut(self.dim)) {
            write_values(row, values);
        }
        values
    }
}

/// The sites whose bits are set, in ascending order.
#[inline]
pub fn set_bits(row: &[u64]) -> impl Iterator<Item = usize> + Clone {
    row.iter().enumerate().flat_map(|(at, &word)| {
        std::iter::successors((word != 0).then_some(word), |left| {
            let rest = left & (left - 1);
            (rest != 0).then_some(rest)
        })
        .map(move |left| at * 64 + left.trailing_zeros() as usize)
    })
}

/// Writes a row as zeros and ones.
///
/// # Panics
/// If the row is shorter than `values`.
#[inline]
pub fn write_values(row: &[u64], values: &mut [f64]) {
    for (site, value) in values.iter_mut().enumerate() {
        *value = f64::from(u8::from(bit(row, site)));
    }
}

/// Reads a row from numbers: the bits of those that are not 0 are set.
///
/// # Panics
/// If the row is shorter than `values`.
#[inline]
pub fn read_values(values: &[f64], row: &mut [u64]) {
    row.fill(0);
    let on = values.iter().enumerate().filter(|(_, value)| **value != 0.0);
    on.for_each(|(site, _)| flip(row, site));
}

/// Owned binary states.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BitMatrix {
    dim: usize,
    words: Vec<u64>,
}

impl BitMatrix {
    /// `num_rows` rows of zeros.
    ///
    /// # Panics
    /// If `dim` is 0.
    #[inline]
    pub fn zeros(dim: usize, num_rows: usize) -> Self {
        assert!(dim > 0);
        Self { dim, words: vec![0; num_rows * words_per_row(dim)] }
    }

    /// The matrix of rows padded to whole bytes, least significant bit first (NumPy's
    /// `packbits(..., bitorder="little")` along the last axis).
    ///
    /// # Errors
    /// [`Error::InvalidData`] if `dim` or `num_rows` is 0, the length does not
    /// match, or a padding bit is set.
    pub fn from_bytes(dim: usize, num_rows: usize, bytes: &[u8]) -> Result<Self> {
        let width = dim.div_ceil(8);
        if dim == 0 {
            return Err(Error::data("data.dim", "is 0; a state needs at least one bit"));
        }
        if num_rows == 0 {
            return Err(Error::data("data.numRows", "is 0; give at least one row"));
        }
        if width.checked_mul(num_rows) != Some(bytes.len()) {
            return Err(Error::data(
                "data.bits",
                format!(
                    "has {} bytes, but {num_rows} rows of {dim} bits padded to whole bytes need \
                     {num_rows} × {width}; check dim and numRows",
                    bytes.len()
                ),
            ));
        }
        let mut matrix = Self::zeros(dim, num_rows);
        for (index, (row, source)) in matrix.rows_mut().zip(bytes.chunks_exact(width)).enumerate() {
            let (whole, rest) = source.as_chunks();
            row.iter_mut().zip(whole).for_each(|(word, bytes)| *word = u64::from_le_bytes(*bytes));
            if !rest.is_empty() {
                // Copying a few bytes would make a function call in WebAssembly.
                let shift = |word, byte: &u8| word << 8 | u64::from(*byte);
                row[whole.len()] = rest.iter().rev().fold(0, shift);
            }
            if !dim.is_multiple_of(64) && row[row.len() - 1] >> (dim % 64) != 0 {
                return Err(Error::data(
                    format!("data.bits[row {index}]"),
                    format!(
                        "has a bit set past bit {dim}; padding must be zero, least significant bit first"
                    ),
                ));
            }
        }
        Ok(matrix)
    }

    /// The inverse of [`BitMatrix::from_bytes`].
    #[inline]
    pub fn to_bytes(&self) -> Vec<u8> {
        let width = self.dim.div_ceil(8);
        let mut bytes = Vec::with_capacity(width * self.num_rows());
        for row in self.as_batch().rows() {
            let (last, whole) = row.split_last().expect("a row has a bit");
            whole.iter().for_each(|word| bytes.extend_from_slice(&word.to_le_bytes()));
            bytes.extend_from_slice(&last.to_le_bytes()[..width - 8 * whole.len()]);
        }
        bytes
    }

    /// Bits per row.
    #[inline]
    pub fn dim(&self) -> usize {
        self.dim
    }

    /// Number of rows.
    #[inline]
    pub fn num_rows(&self) -> usize {
        self.words.len() / words_per_row(self.dim)
    }

    /// All rows.
    #[inline]
    pub fn as_batch(&self) -> BitBatch<'_> {
        BitBatch { dim: self.dim, words: &self.words }
    }

    /// The rows, mutable. Keep the padding zero.
    #[inline]
    pub fn rows_mut(&mut self) -> impl ExactSizeIterator<Item = &mut [u64]> {
        self.words.chunks_exact_mut(words_per_row(self.dim))
    }

    /// The rows at these places, in their order; a place may come more than once.
    pub fn rows_at(&self, places: &[usize]) -> Self {
        let mut rows = Self::zeros(self.dim, places.len());
        rows.rows_mut().zip(places).for_each(|(row, place)| row.copy_from_slice(self.row(*place)));
        rows
    }

    /// The words of all rows, one row after another.
    #[inline]
    pub fn words(&self) -> &[u64] {
        &self.words
    }

    /// The packed words, row by row, mutable. Bits past the last site must stay 0.
    #[inline]
    pub fn words_mut(&mut self) -> &mut [u64] {
        &mut self.words
    }

    /// Row `index`.
    #[inline]
    pub fn row(&self, index: usize) -> &[u64] {
        let width = words_per_row(self.dim);
        &self.words[index * width..(index + 1) * width]
    }
}

/// Fills a row with fair coin tosses: a start far from no state.
///
/// # Panics
/// If the row is too short for `dim`.
#[inline]
pub fn fill_random(row: &mut [u64], dim: usize, rng: &mut impl rand::Rng) {
    for (at, word) in row[..words_per_row(dim)].iter_mut().enumerate() {
        let bits = (dim - at * 64).min(64);
        *word = rng.next_u64() >> (64 - bits);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..Default::default() })]
        #[test]
        fn bytes_round_trip(
            dim in prop::sample::select(vec![1_usize, 7, 8, 9, 63, 64, 65, 100, 130]),
            noise in prop::collection::vec(any::<u8>(), 85),
        ) {
            let width = dim.div_ceil(8);
            let mut bytes = noise[..5 * width].to_vec();
            for row in bytes.chunks_exact_mut(width) {
                row[width - 1] &= (0xff_u16 >> (width * 8 - dim)) as u8;
            }
            let rows = BitMatrix::from_bytes(dim, 5, &bytes).unwrap();
            prop_assert_eq!(rows.to_bytes(), bytes);
            let values = rows.as_batch().to_values();
            for (index, row) in rows.as_batch().rows().enumerate() {
                let set: Vec<_> = set_bits(row).collect();
                let expected: Vec<_> =
                    (0..dim).filter(|site| values[index * dim + site] == 1.0).collect();
                prop_assert_eq!(&set, &expected);
                prop_assert_eq!(row, rows.row(index));
                for site in 0..dim {
                    prop_assert_eq!(bit(row, site), set.contains(&site));
                    let mut flipped = row.to_vec();
                    flip(&mut flipped, site);
                    prop_assert_eq!(bit(&flipped, site), !bit(row, site));
                    flip(&mut flipped, site);
                    prop_assert_eq!(&flipped[..], row);
                }
            }
        }
    }

    #[test]
    fn bad_bytes_are_refused_by_field() {
        let field = |dim, num_rows, bytes: &[u8]| {
            BitMatrix::from_bytes(dim, num_rows, bytes)
                .unwrap_err()
                .field()
                .map(str::to_owned)
                .unwrap()
        };
        assert_eq!(field(0, 1, &[]), "data.dim");
        assert_eq!(field(3, 0, &[]), "data.numRows");
        assert_eq!(field(9, 2, &[0; 3]), "data.bits");
        assert_eq!(field(9, usize::MAX, &[0; 3]), "data.bits");
        assert_eq!(field(3, 2, &[0b111, 0b1000]), "data.bits[row 1]");
        assert_eq!(field(66, 1, &[0, 0, 0, 0, 0, 0, 0, 0, 0b100]), "data.bits[row 0]");
    }
}
