//! Conversions of the same distribution to other conventions. The common mistake in such
//! conversions is whether a pair counts once or twice:
//!
//! | | states | energy | a pair counts |
//! |---|---|---|---|
//! | here | {0,1} | xᵀJx | twice |
//! | Hopfield (`memory::Network`, which converts) | {0,1} | −½xᵀWx + θᵀx, W with zero diagonal | once (½ · twice) |
//! | spins, s = 2x − 1 | {−1,1} | −Σ_{i<j} w_ij s_i s_j − Σ_i b_i s_i | once |

use super::Ising;
use crate::Result;
use crate::energy::Energy;

/// Spins: `E = −Σ_{i<j} w_ij s_i s_j − Σ_i b_i s_i` on {−1,1}^D, s = 2x − 1.
/// The Ising energy of x is this **plus `constant`**, so the Ising log Z is
/// the spins' log Z **minus `constant`**.
#[derive(Debug, Clone, PartialEq)]
pub struct Spins {
    /// w, row-major `[dim, dim]`, symmetric, zero diagonal; each pair counts
    /// **once**: w_ij = −½J_ij.
    pub weights: Vec<f64>,
    /// b, `[dim]`: b_i = −½ Σ_j J_ij, the diagonal included.
    pub fields: Vec<f64>,
    /// ½ Σ_i J_ii + ½ Σ_{i<j} J_ij, in nats.
    pub constant: f64,
}

/// J with its diagonal removed and every entry scaled.
fn scaled_off_diagonal(matrix: &[f64], dim: usize, scale: f64) -> Vec<f64> {
    let mut scaled: Vec<f64> = matrix.iter().map(|entry| scale * entry).collect();
    for site in 0..dim {
        scaled[site * dim + site] = 0.0;
    }
    scaled
}

impl Ising {
    /// This model in spins.
    pub fn to_spins(&self) -> Spins {
        let dim = self.dim();
        let matrix = self.couplings();
        let line_sum = |site: usize| matrix[site * dim..(site + 1) * dim].iter().sum::<f64>();
        let mut constant = 0.0;
        for i in 0..dim {
            constant += 0.5 * matrix[i * dim..=i * dim + i].iter().sum::<f64>();
        }
        Spins {
            fields: (0..dim).map(|site| -0.5 * line_sum(site)).collect(),
            weights: scaled_off_diagonal(&matrix, dim, -0.5),
            constant,
        }
    }

    /// The dense model of spins; `constant` and the diagonal of the weights are ignored. J_ij =
    /// −2w_ij, J_ii = −2b_i + 2 Σ_j w_ij.
    ///
    /// # Errors
    /// [`crate::Error::InvalidSpec`] if the sizes do not match, an entry is
    /// not finite or the weights are not symmetric.
    pub fn from_spins(spins: &Spins) -> Result<Self> {
        let dim = spins.fields.len();
        let mut matrix = spins.weights.clone();
        if matrix.len() == dim * dim {
            matrix = scaled_off_diagonal(&matrix, dim, -2.0);
            for site in 0..dim {
                let coupled: f64 = matrix[site * dim..(site + 1) * dim].iter().sum();
                matrix[site * dim + site] = -2.0 * spins.fields[site] - coupled;
            }
        }
        super::IsingSpec { dim, couplings: Some(matrix), ..Default::default() }.build()
    }
}
