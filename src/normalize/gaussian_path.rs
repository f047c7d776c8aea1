//! Gaussians on the way between two Gaussians (Grosse, Maddison and
//! Salakhutdinov 2013): by geometric averages, linear in the natural parameters
//! Λ and Λμ (their eq. 7), or by averages of the moments (eq. 9 and 10),
//!
//! `μ(β) = (1−β) μ_0 + β μ_1`,
//! `Σ(β) = (1−β) Σ_0 + β Σ_1 + β(1−β) (μ_1−μ_0)(μ_1−μ_0)ᵀ`.
//!
//! All are Gaussians with a known log Z, so exact draws, Gibbs sampling and the cost of a path are
//! available. `f_β = exp(−½ (x−μ)ᵀΛ(x−μ))`, which for the geometric path differs from `f_0^{1−β}
//! f_1^β` by a constant; constants at intermediate β cancel in the weights.

use crate::energy::Energy;
use crate::linalg::dot;
use crate::models::gaussian::{Gaussian, GaussianSpec};
use crate::{Error, Result};
use nalgebra::{Cholesky, DMatrix, DVector};

/// The quantities that are averaged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GaussianPathKind {
    /// Log densities are averaged.
    Geometric,
    /// Means and second moments are averaged.
    Moments,
}

/// A path of Gaussians between two Gaussians.
#[derive(Debug, Clone)]
pub struct GaussianPath {
    reference: Gaussian,
    target: Gaussian,
    kind: GaussianPathKind,
    /// Σ at both ends, for the moments path.
    covariances: [Vec<f64>; 2],
}

impl GaussianPath {
    /// The path from the reference, at β = 0, to the target, at β = 1.
    ///
    /// # Errors
    /// [`Error::InvalidSpec`] if their dimensions differ.
    pub fn new(reference: Gaussian, target: Gaussian, kind: GaussianPathKind) -> Result<Self> {
        if reference.dim() != target.dim() {
            let problem = format!(
                "has {} dimensions, and the model has {}; give it as many",
                reference.dim(),
                target.dim()
            );
            return Err(Error::spec("reference.model.dim", problem));
        }
        let covariances = match kind {
            GaussianPathKind::Geometric => Default::default(),
            GaussianPathKind::Moments => [reference.covariance(), target.covariance()],
        };
        Ok(Self { reference, target, kind, covariances })
    }

    /// The Gaussian at β = 0.
    pub fn reference(&self) -> &Gaussian {
        &self.reference
    }

    /// The Gaussian at β = 1.
    pub fn target(&self) -> &Gaussian {
        &self.target
    }

    /// The Gaussian at β; takes some D³ operations.
    ///
    /// # Panics
    /// If β is not between 0 and 1.
    pub fn at(&self, beta: f64) -> Gaussian {
        assert!((0.0..=1.0).contains(&beta), "beta is {beta}");
        if beta == 0.0 {
            return self.reference.clone();
        }
        if beta == 1.0 {
            return self.target.clone();
        }
        let dim = self.reference.dim();
        let mix = |from: &[f64], to: &[f64]| -> Vec<f64> {
            from.iter().zip(to).map(|(from, to)| (1.0 - beta) * from + beta * to).collect()
        };
        let [from, to] = [&self.reference, &self.target];
        let none = GaussianSpec { dim, mean: None, precision: None, covariance: None };
        let spec = match self.kind {
            GaussianPathKind::Geometric => {
                let precision = mix(from.precision(), to.precision());
                let pull = mix(&pull(from), &pull(to));
                let factor = Cholesky::new(DMatrix::from_row_slice(dim, dim, &precision));
                let factor = factor.expect("a mean of positive definite matrices");
                let mean = factor.solve(&DVector::from_vec(pull)).as_slice().to_vec();
                GaussianSpec { mean: Some(mean), precision: Some(precision), ..none }
            }
            GaussianPathKind::Moments => {
                let mean = mix(from.mean(), to.mean());
                let [at_reference, at_target] = &self.covariances;
                let mut covariance = mix(at_reference, at_target);
                let between: Vec<f64> =
                    to.mean().iter().zip(from.mean()).map(|(to, from)| to - from).collect();
                for (line, a) in covariance.chunks_exact_mut(dim).zip(&between) {
                    for (entry, b) in line.iter_mut().zip(&between) {
                        *entry += beta * (1.0 - beta) * (a * b);
                    }
                }
                GaussianSpec { mean: Some(mean), covariance: Some(covariance), ..none }
            }
        };
        spec.build().expect("positive definite, as both ends are")
    }

    /// The symmetrized Kullback–Leibler divergence of the Gaussians at two β, in nats: `(η_to −
    /// η_from)ᵀ (s_to − s_from)`, natural parameters η and moments s (their eq. 17 to 20). With
    /// perfect transitions and K evenly spaced steps, the mean log weight between the two is below
    /// the truth by half of it divided by K, for large K.
    ///
    /// # Panics
    /// If a β is not between 0 and 1.
    pub fn cost(&self, from: f64, to: f64) -> f64 {
        let [from, to] = [self.at(from), self.at(to)];
        let dim = from.dim();
        let [from_covariance, to_covariance] = [from.covariance(), to.covariance()];
        let off: Vec<f64> = to.mean().iter().zip(from.mean()).map(|(to, from)| to - from).collect();
        // ½ tr[(Λ_to − Λ_from)(Σ_from − Σ_to)] + ½ offᵀ(Λ_to + Λ_from) off, line by line.
        (0..dim)
            .map(|d| {
                let line = |matrix: &[f64]| matrix[d * dim..(d + 1) * dim].to_vec();
                let [precision, from_precision] = [line(to.precision()), line(from.precision())];
                let [covariance, to_covariance] = [line(&from_covariance), line(&to_covariance)];
                let minus = |a: &[f64], b: &[f64]| -> Vec<f64> {
                    a.iter().zip(b).map(|(a, b)| a - b).collect()
                };
                let spread =
                    dot(&minus(&precision, &from_precision), &minus(&covariance, &to_covariance));
                0.5 * (spread + off[d] * (dot(&precision, &off) + dot(&from_precision, &off)))
            })
            .sum()
    }
}

/// The product Λμ.
pub(super) fn pull(gaussian: &Gaussian) -> Vec<f64> {
    let lines = gaussian.precision().chunks_exact(gaussian.dim());
    lines.map(|line| dot(line, gaussian.mean())).collect()
}
