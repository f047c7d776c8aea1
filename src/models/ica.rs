//! Independent component analysis with a Laplace prior, x ∈ ℝᴰ:
//!
//! `E(x) = Σ_k |J_k x| + D ln 2 − ln |det J|`, with `log Z = 0`
//!
//! (Sohl-Dickstein 2012, eq. 3.6; Bell and Sejnowski 1995). J_k are the rows of J, the filters; the
//! responses J_k x are independent Laplace numbers. As the energy is normalized, its mean over data
//! is their negative log likelihood, and its gradient that of maximum likelihood.
//!
//! Parameters: J, row-major `[D, D]`. If J has no inverse the energy is infinite.

use super::chunks::{self, add_product, chunks, side_by_side};
use super::filters::{Filters, check_invertible, identity, sign};
use super::{Model, ModelSpec, capabilities};
use crate::Result;
use crate::checks::check_count;
use crate::checks::check_numbers;
use crate::energy::{Differentiable, Energy, LogZGradient, Parametric, Reference};
use crate::linalg::{Batch, Block, dot, with_scratch};
use crate::rng::{ChainRng, laplace};
use std::f64::consts::LN_2;
use std::ops::Range;
use unnorm_wire::spec;

/// Maximum dimension D: the inverse of J cannot be interrupted.
pub const MAX_DIM: usize = 1024;

/// The spec of independent component analysis.
#[spec]
pub struct IcaSpec {
    /// Number of dimensions D, and of filters.
    pub dim: usize,
    /// J, row-major `[dim, dim]`, one filter per row, linearly independent; the identity if absent.
    pub filters: Option<Vec<f64>>,
}

/// Independent component analysis; see the module documentation.
#[derive(Debug, Clone)]
pub struct Ica {
    filters: Filters,
    /// The offset D ln 2 − ln |det J|, in nats.
    offset: f64,
}

impl IcaSpec {
    /// Checks the spec and builds the model.
    ///
    /// # Errors
    /// [`crate::Error::InvalidSpec`] or [`crate::Error::TooLarge`], naming the field.
    pub fn build(&self) -> Result<Ica> {
        check_count("model.dim", self.dim, 1, MAX_DIM, "dimensions")?;
        let rows = self.filters.clone().unwrap_or_else(|| identity(self.dim));
        check_numbers("model.filters", &rows, self.dim * self.dim)?;
        let filters = Filters::new(self.dim, &rows);
        check_invertible("model.filters", &filters)?;
        Ok(Ica { offset: offset(&filters), filters })
    }

    /// Small models for the laws.
    pub fn examples() -> Vec<Self> {
        let filters = vec![2.0, 1.0, 0.0, -1.0, 0.5, 3.0, 0.25, 0.0, 1.0];
        vec![
            Self { dim: 1, filters: None },
            Self { dim: 2, filters: Some(vec![1.0, 0.5, -2.0, 1.5]) },
            Self { dim: 3, filters: Some(filters) },
        ]
    }
}

fn offset(filters: &Filters) -> f64 {
    let log_det = filters.inverse().map_or(f64::NEG_INFINITY, |inverse| inverse.log_det);
    filters.dim() as f64 * LN_2 - log_det
}

impl Ica {
    /// Energies from responses, `[D, width]`.
    fn sum_up(&self, responses: &[f64], energy: &mut [f64]) {
        energy.fill(self.offset);
        for u in responses.chunks_exact(energy.len()) {
            u.iter().zip(&mut *energy).for_each(|(u, energy)| *energy += u.abs());
        }
    }
}

impl Energy for Ica {
    fn dim(&self) -> usize {
        self.filters.dim()
    }

    fn energy(&self, x: Batch<'_>, out: &mut [f64]) {
        let dim = self.dim();
        assert!(x.dim() == dim && x.len() == out.len());
        let (mut states, mut responses) = (chunks::room(dim, x.len()), chunks::room(dim, x.len()));
        for range in chunks(x.len()) {
            let (rows, energy) = (x.rows(range.clone()), &mut out[range]);
            let responses = &mut responses[..rows.len()];
            self.filters.respond_all(side_by_side(dim, rows, &mut states), responses);
            self.sum_up(responses, energy);
        }
    }
}

impl Differentiable for Ica {
    /// `∂E/∂x = Jᵀ sign(Jx)`.
    fn energy_grad(&self, x: Block<'_>, energy: &mut [f64], grad: &mut [f64]) {
        let width = x.width();
        assert!(x.dim() == self.dim() && energy.len() == width && grad.len() == x.data().len());
        with_scratch([self.dim() * width], |[u]| {
            self.filters.respond_all(x, u);
            self.sum_up(u, energy);
            u.iter_mut().for_each(|u| *u = sign(*u));
            self.filters.pull_back(u, grad);
        });
    }

    fn gradient_cost(&self) -> usize {
        self.dim() * (self.dim() / 3 + 3)
    }
}

impl Parametric for Ica {
    fn params(&self) -> &[f64] {
        self.filters.rows()
    }

    fn set_params(&mut self, params: &[f64]) {
        self.filters.set(params);
        self.offset = offset(&self.filters);
    }

    fn is_bias(&self, _param: usize) -> bool {
        false
    }

    /// One a filter.
    #[cfg(feature = "full")]
    fn groups(&self) -> Option<Vec<usize>> {
        let dim = self.dim();
        Some((0..self.params().len()).map(|param| param / dim).collect())
    }

    #[cfg(feature = "full")]
    fn square_filters(&self) -> Option<usize> {
        Some(self.dim())
    }

    fn accumulate_param_grad(&self, x: Batch<'_>, weights: &[f64], grad: &mut [f64]) {
        assert_eq!(x.len(), weights.len());
        self.accumulate_weighted_by(
            x,
            &mut |range, out| out.copy_from_slice(&weights[range]),
            grad,
        );
    }

    /// `∂E/∂J = sign(Jx) xᵀ − J⁻ᵀ`; NaN if J has no inverse.
    fn accumulate_weighted_by(
        &self,
        x: Batch<'_>,
        weigh: &mut dyn FnMut(Range<usize>, &mut [f64]),
        grad: &mut [f64],
    ) {
        let dim = self.dim();
        assert!(x.dim() == dim && grad.len() == dim * dim);
        let (mut states, mut slopes) = (chunks::room(dim, x.len()), chunks::room(dim, x.len()));
        let (mut weights, mut sum) = (chunks::room(1, x.len()), vec![0.0; dim * dim]);
        let mut total = 0.0;
        for range in chunks(x.len()) {
            let (rows, weights) = (x.rows(range.clone()), &mut weights[..range.len()]);
            let slopes = &mut slopes[..rows.len()];
            self.filters.respond_all(side_by_side(dim, rows, &mut states), slopes);
            self.sum_up(slopes, weights);
            weigh(range, weights);
            for slopes in slopes.chunks_exact_mut(weights.len()) {
                slopes.iter_mut().zip(&*weights).for_each(|(u, weight)| *u = weight * sign(*u));
            }
            add_product(weights.len(), slopes, rows, &mut sum, grad);
            weights.iter().for_each(|weight| total += weight);
        }
        self.filters.accumulate_log_det_grad(-total, grad);
    }
}

impl LogZGradient for Ica {
    /// log Z is 0 at all parameters.
    fn accumulate_log_z_grad(&self, _weight: f64, grad: &mut [f64]) {
        assert_eq!(grad.len(), self.filters.rows().len());
    }
}

impl Reference for Ica {
    fn log_z(&self) -> f64 {
        0.0
    }

    /// `x = J⁻¹u`, u independent Laplace numbers.
    fn draw(&self, rng: &mut ChainRng, out: &mut [f64]) {
        let dim = self.dim();
        assert_eq!(out.len(), dim);
        let inverse = self.filters.inverse().expect("a reference has an inverse");
        let u: Vec<f64> = (0..dim).map(|_| laplace(rng)).collect();
        for (out, row) in out.iter_mut().zip(inverse.rows.chunks_exact(dim)) {
            *out = dot(row, &u);
        }
    }
}

impl Model for Ica {
    fn kind(&self) -> &'static str {
        "ica"
    }

    fn spec(&self) -> ModelSpec {
        let filters = Some(self.filters.rows().to_vec());
        ModelSpec::Ica(IcaSpec { dim: self.dim(), filters })
    }

    fn boxed_clone(&self) -> Box<dyn Model> {
        Box::new(self.clone())
    }

    fn provide_reference(&self) -> Option<&dyn Reference> {
        self.filters.inverse().is_some().then_some(self as &dyn Reference)
    }

    fn provide_log_z_gradient(&self) -> Option<&dyn LogZGradient> {
        self.filters.inverse().is_some().then_some(self as &dyn LogZGradient)
    }

    capabilities!(Differentiable, Parametric);
}
