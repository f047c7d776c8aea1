//! Binary data from common forms: arrays, packed bits, CSV and NumPy files. Either every entry is
//! exactly 0 or 1, or every entry is exactly −1 or 1: spins, of which −1 becomes 0. All rows must
//! have the same length, and there must be at least one. Anything else is refused with its
//! position, including a 0 among spins. Data that are all 1 mean the same in either encoding. Sizes
//! are checked before memory is allocated.

mod csv;
mod npy;
mod packer;
mod parsed;

pub use parsed::{Entries, MAX_DIM, MAX_PACKED_BYTES, MAX_ROWS, ParsedData};
use parsed::{check_size, no_rows};

use crate::bits::{BitMatrix, WeightedRows};
use crate::models::Model;
use crate::{Error, Result};
use unnorm_wire::spec;

/// Rows of 0 and 1, or of −1 and 1, as plain data.
#[spec]
pub enum DataSpec {
    /// One array per row.
    Rows {
        /// The rows, all of the same length.
        rows: Vec<Vec<f64>>,
    },
    /// One flat array.
    Values {
        /// Entries per row.
        dim: usize,
        /// The entries, `[numRows, dim]` row-major.
        #[ts(type = "Uint8Array | Int8Array | Float64Array | number[]")]
        values: Vec<f64>,
    },
    /// Rows of packed bits.
    Bits {
        /// Bits per row.
        dim: usize,
        /// Number of rows.
        num_rows: usize,
        /// The rows, each padded with zeros to whole bytes, least significant
        /// bit first.
        #[ts(type = "Uint8Array")]
        bits: Vec<u8>,
        /// What the entries were before they were packed, as `readData` returns it; it has no
        /// effect.
        entries: Option<Entries>,
    },
    /// A CSV file: one row per line, separated by commas, semicolons, tabs or spaces; a first line
    /// of names is skipped.
    Csv {
        /// The bytes of the file.
        #[ts(type = "Uint8Array")]
        bytes: Vec<u8>,
    },
    /// A NumPy `.npy` file of a two-dimensional array `[numRows, dim]` of
    /// booleans, integers or floats.
    Npy {
        /// The bytes of the file.
        #[ts(type = "Uint8Array")]
        bytes: Vec<u8>,
    },
}

impl DataSpec {
    /// Reads and checks the rows.
    ///
    /// # Errors
    /// [`Error::InvalidData`] or [`Error::TooLarge`], naming the place.
    pub fn read(&self) -> Result<BitMatrix> {
        match self {
            Self::Rows { rows } => from_rows(rows.iter().map(Vec::as_slice)),
            Self::Values { dim, values } => from_values(*dim, values),
            Self::Bits { dim, num_rows, bits, .. } => from_bits(*dim, *num_rows, bits),
            Self::Csv { bytes } => from_csv(bytes),
            Self::Npy { bytes } => from_npy(bytes),
        }
    }
}

pub use self::csv::read_csv;
pub use self::npy::read_npy;
use packer::Packer;

/// The rows of a CSV file; see [`read_csv`].
///
/// # Errors
/// [`Error::InvalidData`] or [`Error::TooLarge`], naming line and column.
pub fn from_csv(bytes: &[u8]) -> Result<BitMatrix> {
    read_csv(bytes).map(|reading| reading.rows)
}

/// The rows of a NumPy file; see [`read_npy`].
///
/// # Errors
/// [`Error::InvalidData`] or [`Error::TooLarge`], naming the place.
pub fn from_npy(bytes: &[u8]) -> Result<BitMatrix> {
    read_npy(bytes).map(|reading| reading.rows)
}

/// The rows of packed bits; see [`BitMatrix::from_bytes`].
///
/// # Errors
/// [`Error::InvalidData`] or [`Error::TooLarge`], naming the place.
pub fn from_bits(dim: usize, num_rows: usize, bits: &[u8]) -> Result<BitMatrix> {
    if dim > 0 && num_rows > 0 {
        check_size(dim, num_rows)?;
    }
    BitMatrix::from_bytes(dim, num_rows, bits)
}

/// The rows of a flat array; see [`read_values`].
///
/// # Errors
/// [`Error::InvalidData`] or [`Error::TooLarge`], naming the place.
pub fn from_values(dim: usize, values: &[f64]) -> Result<BitMatrix> {
    read_values(dim, values).map(|reading| reading.rows)
}

/// Reads a flat array, `[num_rows, dim]` row-major.
///
/// # Errors
/// [`Error::InvalidData`] or [`Error::TooLarge`], naming the place.
pub fn read_values(dim: usize, values: &[f64]) -> Result<ParsedData> {
    if dim == 0 {
        return Err(Error::data("data.dim", "is 0; a state needs at least one bit"));
    }
    if !values.len().is_multiple_of(dim) {
        return Err(Error::data(
            "data.values",
            format!("has {} entries, which is no multiple of dim, {dim}", values.len()),
        ));
    }
    let mut packer = Packer::new(dim)?;
    for (row, values) in values.chunks_exact(dim).enumerate() {
        packer.push_row(values, |column| {
            let index = row * dim + column;
            (format!("data.values[{index}]"), format!("row {row}, column {column}"))
        })?;
    }
    packer.finish("data.values")
}

/// The rows of one slice each; see [`read_rows`].
///
/// # Errors
/// [`Error::InvalidData`] or [`Error::TooLarge`], naming the place.
pub fn from_rows<'a>(rows: impl IntoIterator<Item = &'a [f64]>) -> Result<BitMatrix> {
    read_rows(rows).map(|reading| reading.rows)
}

/// Reads rows from one slice each.
///
/// # Errors
/// [`Error::InvalidData`] or [`Error::TooLarge`], naming the place.
pub fn read_rows<'a>(rows: impl IntoIterator<Item = &'a [f64]>) -> Result<ParsedData> {
    let mut packer: Option<Packer> = None;
    for (index, row) in rows.into_iter().enumerate() {
        let field = || format!("data.rows[{index}]");
        if row.is_empty() {
            return Err(Error::data(field(), "is empty; a state needs at least one bit"));
        }
        let packer = match &mut packer {
            Some(packer) => packer,
            empty => empty.insert(Packer::new(row.len())?),
        };
        if row.len() != packer.dim {
            return Err(Error::data(
                field(),
                format!(
                    "has {} entries where row 0 has {}; all rows must be equally long",
                    row.len(),
                    packer.dim
                ),
            ));
        }
        packer.push_row(row, |column| {
            (format!("data.rows[{index}][{column}]"), "the entry".into())
        })?;
    }
    packer.ok_or_else(|| no_rows("data.rows"))?.finish("data.rows")
}

/// Refuses a model whose dimension is not that of the data.
pub(crate) fn check_dim(model: &dyn Model, data: &WeightedRows) -> Result<()> {
    if model.dim() != data.dim() {
        return Err(Error::spec(
            "model.dim",
            format!(
                "is {}, but the data have {} bits a row; make them equal",
                model.dim(),
                data.dim()
            ),
        ));
    }
    Ok(())
}
