//! Product of experts, x ∈ ℝᴹ: each of L experts takes one filter's response,
//!
//! `E(x) = Σ_l E_l(Φ_l x)`, with `E_l(u) = λ_l |u|` (Laplace) or
//! `E_l(u) = λ_l ln(1 + u²)` (Student's t with 2λ_l − 1 degrees of freedom)
//!
//! (Sohl-Dickstein 2012, eq. 5.20 to 5.22; Hinton 2002). Φ_l are the rows of Φ. In a complete
//! product, L = M, the responses are independent, so log Z is known,
//!
//! Laplace: `log Z = Σ ln(2/λ_l) − ln |det Φ|`,
//! Student's t: `log Z = Σ [½ ln π + ln Γ(λ_l − ½) − ln Γ(λ_l)] − ln |det Φ|`,
//! λ_l > ½,
//!
//! and there are exact draws. An overcomplete product, L > M, has neither.
//!
//! Parameters: Φ, row-major `[L, M]`; then, for Student's t, ln λ `[L]`, which keeps λ positive.
//! Laplace experts keep λ fixed: the length of Φ_l has the same effect.

mod gradients;
mod logs;

use crate::checks::check_count;
use crate::checks::check_numbers;
use crate::checks::check_positive;
use crate::chunks::{self, chunks, side_by_side};
use crate::energy::{Differentiable, Energy, LogZGradient, Reference, ScoreGradient};
use crate::filters::{Filters, check_invertible, identity, sign};
use crate::linalg::{Batch, Block, dot, update_columns, with_scratch};
use crate::math::{ln, ln_gamma};
use crate::rng::{ChainRng, gamma, laplace, normal};
use crate::sorting::sorted;
use crate::{Error, Result};
use crate::{Model, ModelSpec, capabilities};
use std::f64::consts::PI;
use unnorm_wire::spec;

/// Maximum dimension M: the inverse of Φ cannot be interrupted.
pub const MAX_DIM: usize = 1024;

/// Maximum number of experts L.
pub const MAX_EXPERTS: usize = 16_384;

/// The form of the experts.
#[spec]
#[derive(Copy, Eq)]
pub enum Expert {
    /// The Laplace expert, `λ |u|`.
    Laplace,
    /// The Student's t expert, `λ ln(1 + u²)`.
    StudentT,
}

/// The spec of the product of experts.
#[spec]
pub struct ProductOfExpertsSpec {
    /// Number of dimensions M.
    pub dim: usize,
    /// The form of all experts.
    pub expert: Expert,
    /// L, at least M; M if absent.
    pub num_experts: Option<usize>,
    /// Φ, row-major `[numExperts, dim]`, one filter per row; the identity if absent, for L = M.
    pub filters: Option<Vec<f64>>,
    /// λ, `[numExperts]`, each greater than 0; ones if absent. In a complete
    /// product of Student's t experts each must exceed ½ for Z to be finite.
    pub lambda: Option<Vec<f64>>,
}

/// The product of experts; see the module documentation.
#[derive(Debug, Clone)]
pub struct ProductOfExperts {
    expert: Expert,
    filters: Filters,
    lambda: Vec<f64>,
    params: Vec<f64>,
}

impl ProductOfExpertsSpec {
    /// Checks the spec and builds the model.
    ///
    /// # Errors
    /// [`Error::InvalidSpec`] or [`Error::TooLarge`], naming the field.
    pub fn build(&self) -> Result<ProductOfExperts> {
        let dim = self.dim;
        check_count("model.dim", dim, 1, MAX_DIM, "dimensions")?;
        let num_experts = self.num_experts.unwrap_or(dim);
        // With fewer experts, some direction is unconstrained, and Z is infinite.
        check_count("model.numExperts", num_experts, dim, MAX_EXPERTS, "experts")?;
        let rows = match &self.filters {
            Some(rows) => rows.clone(),
            None if num_experts == dim => identity(dim),
            None => {
                return Err(Error::spec(
                    "model.filters",
                    format!("is missing; give {num_experts} filters of {dim} entries each"),
                ));
            }
        };
        check_numbers("model.filters", &rows, num_experts * dim)?;
        let filters = Filters::new(dim, &rows);
        if num_experts == dim {
            check_invertible("model.filters", &filters)?;
        }
        let lambda = self.lambda.clone().unwrap_or_else(|| vec![1.0; num_experts]);
        check_numbers("model.lambda", &lambda, num_experts)?;
        for (l, &lambda) in lambda.iter().enumerate() {
            check_positive(&format!("model.lambda[{l}]"), lambda)?;
        }
        let mut params = rows;
        if self.expert == Expert::StudentT {
            params.extend(lambda.iter().map(|&lambda| ln(lambda)));
        }
        Ok(ProductOfExperts { expert: self.expert, filters, lambda, params })
    }

    /// Small models for the laws: both experts, complete and overcomplete.
    pub fn examples() -> Vec<Self> {
        let complete = Some(vec![2.0, 1.0, 0.0, -1.0, 0.5, 3.0, 0.25, 0.0, 1.0]);
        let overcomplete = Some(vec![1.0, 0.5, -0.5, 1.5, 0.25, -2.0]);
        let make = |expert, dim, filters: &Option<Vec<f64>>, lambda: &[f64]| Self {
            dim,
            expert,
            num_experts: Some(lambda.len()),
            filters: filters.clone(),
            lambda: Some(lambda.to_vec()),
        };
        vec![
            make(Expert::Laplace, 1, &None, &[0.5]),
            make(Expert::Laplace, 3, &complete, &[1.0, 0.5, 2.0]),
            make(Expert::Laplace, 2, &overcomplete, &[1.0, 0.5, 2.0]),
            make(Expert::StudentT, 1, &None, &[6.0]),
            make(Expert::StudentT, 2, &Some(vec![1.0, 0.5, -2.0, 1.5]), &[7.0, 6.0]),
            make(Expert::StudentT, 3, &complete, &[3.0, 4.0, 5.5]),
            make(Expert::StudentT, 2, &overcomplete, &[1.0, 2.0, 1.5]),
        ]
    }
}

impl ProductOfExperts {
    /// Whether the product is complete and normalizable.
    fn has_log_z(&self) -> bool {
        let is_normalizable =
            self.expert == Expert::Laplace || self.lambda.iter().all(|&lambda| lambda > 0.5);
        is_normalizable && self.filters.inverse().is_some()
    }

    /// Energies from responses `[L, width]`; with `PSI`, the responses are replaced by ψ.
    fn judge<const PSI: bool>(&self, responses: &mut [f64], energy: &mut [f64]) {
        let width = energy.len();
        energy.fill(0.0);
        match self.expert {
            Expert::Laplace => update_columns(responses, energy, |l, u| {
                let lambda = self.lambda[l];
                (if PSI { lambda * sign(u) } else { u }, lambda * u.abs())
            }),
            Expert::StudentT => {
                let mut rest = responses;
                for alike in self.lambda.chunk_by(|a, b| a == b) {
                    let (u, others) = rest.split_at_mut(alike.len() * width);
                    logs::add::<PSI>(alike[0], u, energy);
                    rest = others;
                }
            }
        }
    }
}

impl Energy for ProductOfExperts {
    fn dim(&self) -> usize {
        self.filters.dim()
    }

    fn energy(&self, x: Batch<'_>, out: &mut [f64]) {
        let (dim, len) = (self.dim(), self.filters.len());
        assert!(x.dim() == dim && x.len() == out.len());
        let (mut states, mut responses) = (chunks::room(dim, x.len()), chunks::room(len, x.len()));
        for range in chunks(x.len()) {
            let (rows, energy) = (x.rows(range.clone()), &mut out[range]);
            let responses = &mut responses[..len * energy.len()];
            self.filters.respond_all(side_by_side(dim, rows, &mut states), responses);
            self.judge::<false>(responses, energy);
        }
    }
}

impl Differentiable for ProductOfExperts {
    /// `∂E/∂x = Φᵀψ(Φx)`.
    fn energy_grad(&self, x: Block<'_>, energy: &mut [f64], grad: &mut [f64]) {
        let width = x.width();
        assert!(x.dim() == self.dim() && energy.len() == width && grad.len() == x.data().len());
        with_scratch([self.filters.len() * width], |[responses]| {
            self.filters.respond_all(x, responses);
            self.judge::<true>(responses, energy);
            self.filters.pull_back(responses, grad);
        });
    }

    fn gradient_cost(&self) -> usize {
        let own = match self.expert {
            Expert::Laplace => 3,
            Expert::StudentT => 10,
        };
        self.filters.len() * (self.dim() / 3 + own)
    }

    /// For Student's t: a line in general position that is orthogonal to M − 1 filters is seen by
    /// the L − M + 1 others. The density falls most slowly where these have the smallest λ: `a = 2
    /// Σ λ_l` over them.
    fn tail_exponent(&self) -> Option<f64> {
        if self.expert != Expert::StudentT {
            return None;
        }
        let lambda = sorted(&self.lambda);
        let num_seeing = self.filters.len() - self.dim() + 1;
        Some(2.0 * lambda[..num_seeing].iter().sum::<f64>())
    }
}

impl Reference for ProductOfExperts {
    fn log_z(&self) -> f64 {
        let inverse = self.filters.inverse().expect("a reference is complete");
        let log_z = |&lambda: &f64| match self.expert {
            Expert::Laplace => ln(2.0 / lambda),
            Expert::StudentT => 0.5 * ln(PI) + ln_gamma(lambda - 0.5) - ln_gamma(lambda),
        };
        self.lambda.iter().map(log_z).sum::<f64>() - inverse.log_det
    }

    /// `x = Φ⁻¹u`, with u_l a Laplace number divided by λ_l, or a normal number divided by the root
    /// of an independent χ² number with 2λ_l − 1 degrees of freedom.
    fn draw(&self, rng: &mut ChainRng, out: &mut [f64]) {
        assert_eq!(out.len(), self.dim());
        let inverse = self.filters.inverse().expect("a reference is complete");
        let draw = |&lambda: &f64| match self.expert {
            Expert::Laplace => laplace(rng) / lambda,
            Expert::StudentT => normal(rng) / (2.0 * gamma(rng, lambda - 0.5)).sqrt(),
        };
        let u: Vec<f64> = self.lambda.iter().map(draw).collect();
        for (out, row) in out.iter_mut().zip(inverse.rows.chunks_exact(u.len())) {
            *out = dot(row, &u);
        }
    }
}

impl Model for ProductOfExperts {
    fn kind(&self) -> &'static str {
        "productOfExperts"
    }

    fn spec(&self) -> ModelSpec {
        ModelSpec::ProductOfExperts(ProductOfExpertsSpec {
            dim: self.dim(),
            expert: self.expert,
            num_experts: Some(self.filters.len()),
            filters: Some(self.filters.rows().to_vec()),
            lambda: Some(self.lambda.clone()),
        })
    }

    fn boxed_clone(&self) -> Box<dyn Model> {
        Box::new(self.clone())
    }

    /// For complete, normalizable products.
    fn provide_reference(&self) -> Option<&dyn Reference> {
        self.has_log_z().then_some(self as &dyn Reference)
    }

    /// For complete, normalizable products.
    fn provide_log_z_gradient(&self) -> Option<&dyn LogZGradient> {
        self.has_log_z().then_some(self as &dyn LogZGradient)
    }

    /// For Student's t only: the slope of |u| jumps at 0, so its second derivative is not a
    /// function.
    fn provide_score_gradient(&self) -> Option<&dyn ScoreGradient> {
        (self.expert == Expert::StudentT).then_some(self as &dyn ScoreGradient)
    }

    capabilities!(Differentiable, Parametric);
}
