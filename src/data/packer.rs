//! Packs rows of numbers into bits as they arrive.

use super::parsed::{Entries, ParsedData, check_size, no_rows};
use crate::bits::BitMatrix;
use crate::{Error, Result};

/// Whether a number may be an entry: −1, 0 or 1.
pub(super) fn is_entry(value: f64) -> bool {
    value == 0.0 || value == 1.0 || value == -1.0
}

/// Packs rows as they arrive.
pub(super) struct Packer {
    pub(super) dim: usize,
    num_rows: usize,
    bytes: Vec<u8>,
    /// The first entry that tells bits from spins, 0 or −1, and its position.
    first_low: Option<(f64, String)>,
}

impl Packer {
    pub(super) fn new(dim: usize) -> Result<Self> {
        check_size(dim, 1)?;
        Ok(Self { dim, num_rows: 0, bytes: Vec::new(), first_low: None })
    }

    /// Adds a row; `place` gives the field and the words for a column.
    pub(super) fn push_row(
        &mut self,
        row: &[f64],
        place: impl Fn(usize) -> (String, String),
    ) -> Result<()> {
        self.num_rows += 1;
        check_size(self.dim, self.num_rows)?;
        for (at, chunk) in row.chunks(8).enumerate() {
            let mut byte = 0;
            for (bit, &value) in chunk.iter().enumerate() {
                if value == 1.0 {
                    byte |= 1 << bit;
                } else if !self.first_low.as_ref().is_some_and(|(low, _)| *low == value) {
                    self.take_low(value, || place(8 * at + bit))?;
                }
            }
            self.bytes.push(byte);
        }
        Ok(())
    }

    /// Handles an entry other than 1 that is not the low value known so far.
    fn take_low(&mut self, value: f64, place: impl Fn() -> (String, String)) -> Result<()> {
        let (field, words) = place();
        if !is_entry(value) {
            return Err(Error::data(
                field,
                format!(
                    "{words} is {value}; every entry must be exactly 0 or 1, or of spins −1 or 1"
                ),
            ));
        }
        if let Some((low, there)) = &self.first_low {
            return Err(Error::data(
                field,
                format!(
                    "{words} is {value}, but {there} is {low}; entries are 0 and 1 or, of spins, −1 and 1, \
                     and not both"
                ),
            ));
        }
        // An entry of an array is named by its field, one of a file by its position.
        let there = if field.ends_with(']') { field } else { words };
        self.first_low = Some((value, there));
        Ok(())
    }

    pub(super) fn finish(self, field: &str) -> Result<ParsedData> {
        if self.num_rows == 0 {
            return Err(no_rows(field));
        }
        let entries = match self.first_low {
            Some((low, _)) if low < 0.0 => Entries::Spins,
            _ => Entries::Bits,
        };
        Ok(ParsedData {
            rows: BitMatrix::from_bytes(self.dim, self.num_rows, &self.bytes)?,
            entries,
        })
    }
}
