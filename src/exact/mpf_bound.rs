//! A lower bound on the log likelihood by the rates of minimum probability flow
//! (Sohl-Dickstein 2012, appendix C), for models small enough that the matrix
//! of all rates can be decomposed.
//!
//! With the rates `Γ_ij = g_ij exp(½[E_j − E_i])`, columns adding up to zero,
//! and λ₂ < 0 the greatest eigenvalue of Γ except the 0 that belongs to the model itself, each
//! state has
//!
//! `p_i ≥ max(0, 1 − Γ_ii / λ₂)`
//!
//! (eq. C.17). Γ_ii, minus the total flow out of state i, replaces ṗ_i / p_i here. So data states
//! need not be unconnected to each other, as eq. C.12 supposes, since C.13 to C.17 hold for the
//! diagonal of Γ itself. If a state's outgoing flow exceeds |λ₂|, which is the rule with many
//! states, the bound is 0 and says nothing.
//!
//! `B = V⁻¹ΓV` with `V = diag exp(−½E)` has the eigenvalues of Γ and is symmetric (eq. C.2): off
//! the diagonal it is g. The computed eigenvalues have errors of a small multiple of n ε ‖B‖, so
//! the bound uses a λ₂ increased by that much ([`MARGIN`]), and remains a bound.

use crate::bits::{BitMatrix, WeightedRows};
use crate::energy::SiteFlips;
use crate::energy::connectivity::{Connectivity, ConnectivitySpec};
use crate::energy::enumeration;
use crate::math::{exp, ln_1p};
use crate::{Error, Result};
use nalgebra::DMatrix;
use serde::Deserialize;
use unnorm_wire::report;

/// Maximum dimension D: the decomposition takes 2^3D operations and cannot be interrupted. At 8 it
/// takes some 25 ms in WebAssembly, at 9 ten times as long.
pub const MAX_DIM: usize = 8;

/// Allowance for the rounding error of the eigenvalues, in units of n ε ‖B‖, with the Frobenius
/// norm. Householder reduction and the QR steps stay well below it.
const MARGIN: f64 = 8.0;

/// The bound and the eigenvalue it is computed from.
#[report]
#[derive(Copy, Deserialize)]
pub struct MpfBound {
    /// λ₂, the rate at which the slowest deviation from the model decays; negative, or 0 to
    /// rounding if the connectivity leaves states disconnected. NaN if rates overflow.
    pub lambda2: f64,
    /// Lower bound on the data's log likelihood, in nats per row; −∞ if it says nothing about some
    /// row.
    pub log_likelihood: f64,
    /// Number of rows about which it says nothing.
    pub num_vacuous: f64,
}

/// The rates between all states of a model, as the symmetric matrix B.
#[derive(Debug, Clone)]
pub struct Rates {
    matrix: DMatrix<f64>,
}

/// Refuses models that are too large.
///
/// # Errors
/// [`Error::TooLarge`] if there are over [`MAX_DIM`] sites.
pub fn check(dim: usize) -> Result<()> {
    if dim <= MAX_DIM {
        return Ok(());
    }
    Err(Error::TooLarge {
        field: "model.dim".into(),
        problem: format!(
            "is {dim}, and the bound needs an eigenvalue of a matrix of 2^dim rows: the limit is \
             {MAX_DIM}; leave out the connectivity"
        ),
    })
}

impl Rates {
    /// The rates between all states of a model.
    ///
    /// # Errors
    /// Those of [`check`]; [`Error::InvalidSpec`] if the connectivity samples its neighbours or
    /// does not match the model, naming the field as in an objective.
    pub fn new(model: &dyn SiteFlips, connectivity: &ConnectivitySpec) -> Result<Self> {
        let dim = model.dim();
        check(dim)?;
        let states = every_state(dim);
        let connectivity = build(connectivity, &states)?;
        let (_, energies) = enumeration::energies(model, 0);
        let mut matrix = DMatrix::zeros(energies.len(), energies.len());
        for (j, row) in states.rows().rows().enumerate() {
            let neighbours = connectivity.neighbours(j, row);
            for (neighbour, factor) in neighbours.rows.as_batch().rows().zip(&neighbours.factors) {
                let i = neighbour[0] as usize;
                matrix[(i, j)] += factor;
                matrix[(j, j)] -= factor * exp(0.5 * (energies[j] - energies[i]));
            }
        }
        Ok(Self { matrix })
    }

    /// λ₂; NaN where rates are not finite.
    pub fn lambda2(&self) -> f64 {
        if self.matrix.iter().any(|rate| !rate.is_finite()) {
            return f64::NAN;
        }
        let mut largest = [f64::NEG_INFINITY; 2];
        for &value in self.matrix.symmetric_eigenvalues().iter() {
            if value > largest[0] {
                largest = [value, largest[0]];
            } else if value > largest[1] {
                largest[1] = value;
            }
        }
        largest[1]
    }

    /// The bound for data, from [`Rates::lambda2`].
    pub fn bound(&self, data: &WeightedRows, lambda2: f64) -> MpfBound {
        let error = MARGIN * self.matrix.nrows() as f64 * f64::EPSILON * self.matrix.norm();
        let safe = lambda2 + error;
        let (mut sum, mut num_vacuous) = (0.0, 0.0);
        for (row, weight) in data.rows().rows().zip(data.weights()) {
            let state = row[0] as usize;
            let part = self.matrix[(state, state)] / safe;
            // It also says nothing if λ₂ is 0 or NaN.
            if safe < 0.0 && part < 1.0 {
                sum += weight * ln_1p(-part);
            } else {
                num_vacuous += weight;
            }
        }
        let log_likelihood = if num_vacuous > 0.0 { f64::NEG_INFINITY } else { sum / data.total() };
        MpfBound { lambda2, log_likelihood, num_vacuous }
    }
}

/// All states, once each, state i at row i.
fn every_state(dim: usize) -> WeightedRows {
    let mut rows = BitMatrix::zeros(dim, 1 << dim);
    rows.rows_mut().enumerate().for_each(|(state, row)| row[0] = state as u64);
    WeightedRows::weighted(rows, vec![1.0; 1 << dim])
}

fn build(spec: &ConnectivitySpec, states: &WeightedRows) -> Result<Connectivity> {
    if let ConnectivitySpec::Sampled { .. } = spec {
        return Err(Error::spec(
            "objective.connectivity.kind",
            "is sampled, but the bound needs the same rates both ways; choose flips that are fixed",
        ));
    }
    spec.build(states, false, 0)
}
