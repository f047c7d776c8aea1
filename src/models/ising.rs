//! The Ising model (spin glass, fully visible Boltzmann machine).
//!
//! `E(x) = xᵀJx`, x ∈ {0,1}^D, J symmetric with the biases on its diagonal
//! (Sohl-Dickstein 2012, eq. 3.1 and E.2), so that
//! `E = Σ_i J_ii x_i + 2 Σ_{i<j} J_ij x_i x_j`: **each pair counts twice**.
//!
//! Parameters: `[J_00 … J_{D−1,D−1} | J_ij of the pattern's pairs]`, the D
//! biases and then the P couplings in the order of [`Pattern::pairs`]
//! (lexicographic, i < j). A coupling is one parameter though it stands in J
//! twice. Dense: P = D(D−1)/2.

use super::{Model, ModelSpec};
use crate::bits::bit;
use crate::energy::{Energy, FlipFlow, Parametric, SiteFlips};
use crate::linalg::Batch;
use crate::{Error, Result};
use serde::{Deserialize, Serialize};

/// Largest D. J takes 8 D² bytes.
pub const MAX_DIM: usize = 8192;

/// Which pairs are coupled.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS), ts(export))]
#[serde(tag = "kind", rename_all = "camelCase", deny_unknown_fields)]
pub enum Pattern {
    /// Every pair.
    #[default]
    Dense,
    /// Nearest neighbours on a lattice; site (r, c) is number r · numCols + c.
    #[serde(rename_all = "camelCase")]
    Lattice {
        /// Rows of the lattice.
        num_rows: usize,
        /// Columns of the lattice.
        num_cols: usize,
        /// Whether it closes to a torus; then both sides are at least 3.
        #[serde(default)]
        periodic: bool,
    },
    /// The pairs given, each [i, j] with i < j, none twice.
    Pairs {
        /// The pairs.
        pairs: Vec<[usize; 2]>,
    },
}

/// The Ising model as plain data.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS), ts(export, optional_fields))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct IsingSpec {
    /// Number of sites D.
    pub dim: usize,
    /// Which pairs are coupled; dense if absent.
    #[serde(default)]
    #[cfg_attr(feature = "types", ts(as = "Option<Pattern>"))]
    pub pattern: Pattern,
    /// J, row-major `[dim, dim]`, symmetric, biases on the diagonal, zero off
    /// the pattern; all zero if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "types", ts(type = "Float64Array | number[]"))]
    pub couplings: Option<Vec<f64>>,
}

impl IsingSpec {
    /// Checks the spec and builds the model.
    ///
    /// # Errors
    /// [`Error::InvalidSpec`] or [`Error::TooLarge`], naming the field.
    pub fn build(&self) -> Result<Ising> {
        todo!()
    }

    /// Small models for the laws: dense, lattice, torus and given pairs.
    pub fn examples() -> Vec<Self> {
        todo!()
    }
}

/// The Ising model; see the head of this file.
#[derive(Debug, Clone)]
pub struct Ising {
    dim: usize,
    pattern: Pattern,
    pairs: Vec<[u32; 2]>,
    params: Vec<f64>,
    /// J, `[dim, dim]`.
    couplings: Vec<f64>,
}
