//! Parsed data, and limits on their size.

use crate::bits::{BitMatrix, words_per_row};
use crate::{Error, Result};
use unnorm_wire::spec;

/// Maximum number of bits per row: a lattice of 4096 by 4096, whose chains may start from data.
pub const MAX_DIM: usize = 1 << 24;

/// Maximum number of rows.
pub const MAX_ROWS: usize = 1 << 27;

/// Maximum size of the packed rows in memory, 256 MiB.
pub const MAX_PACKED_BYTES: usize = 1 << 28;

/// The encoding of the entries as they were given.
#[spec]
#[derive(Copy, Eq)]
pub enum Entries {
    /// 0 and 1.
    Bits,
    /// −1 and 1, which have become 0 and 1.
    Spins,
}

impl Entries {
    /// The name used in specs.
    pub fn name(self) -> &'static str {
        match self {
            Self::Bits => "bits",
            Self::Spins => "spins",
        }
    }
}

/// Rows as read.
#[derive(Debug, Clone, PartialEq)]
pub struct ParsedData {
    /// The rows as bits.
    pub rows: BitMatrix,
    /// The encoding of the entries; bits if they are all 1.
    pub entries: Entries,
}

/// Refuses sizes beyond the limits of this module.
pub(super) fn check_size(dim: usize, num_rows: usize) -> Result<()> {
    if dim > MAX_DIM {
        return Err(Error::TooLarge {
            field: "data".into(),
            problem: format!("has {dim} columns; at most {MAX_DIM} are allowed"),
        });
    }
    let packed = words_per_row(dim).saturating_mul(8).saturating_mul(num_rows);
    if num_rows > MAX_ROWS || packed > MAX_PACKED_BYTES {
        let limit = MAX_ROWS.min(MAX_PACKED_BYTES / (8 * words_per_row(dim)));
        return Err(Error::TooLarge {
            field: "data".into(),
            problem: format!(
                "has {num_rows} rows of {dim}; at most {limit} such rows are allowed, so give fewer"
            ),
        });
    }
    Ok(())
}

pub(super) fn no_rows(field: &str) -> Error {
    Error::data(field, "has no rows; give at least one")
}
