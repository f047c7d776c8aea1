//! Denoising score matching, for models on ℝᴰ (Vincent 2011; with the weight σ² of Song and Ermon
//! 2019), n normal:
//!
//! `1/N Σ_x E_n [½ |σ∇E(x + σn) − n|²]`
//!
//! Up to a constant this is σ² times the score matching objective of the density of x + σn: its
//! minimizer is the distribution of the data *with* the noise. No second derivative in x is taken.
//! The gradient is `σ (σ∇E − n)·∂∇E`, ∂ in θ.
//!
//! One energy for several noises (Song and Ermon 2020, technique 3): the data with noise σ have the
//! energy E(x)/σ, so that the same loss is `½ |∇E(x + σn) − n|²`, averaged over the σ. Its minimizer
//! has ∇E(x) = E[n | x], the mean over all noises that may have led to x. In many dimensions x tells
//! how large its noise is; in few it does not, and E is a compromise.

use super::{RowLoss, energies_and_gradients};
use crate::Result;
use crate::linalg::{Batch, axpy, dot};
use crate::models::Model;
use crate::rng::{Purpose, below, normal, stream};

/// The standard deviation σ of the noise.
#[derive(Debug, Clone, PartialEq)]
pub enum Noise {
    /// Always the same: the energy of x + σn is E.
    One(f64),
    /// One of these, drawn with each n: the energy of x + σn is E/σ.
    Each(Vec<f64>),
}

/// `ℓ(x, n) = ½ |σ∇E(x + σn) − n|²`, with E/σ for E where there are several σ.
#[derive(Debug, Clone)]
pub struct DenoisingScoreMatching {
    noise: Noise,
    num_samples: usize,
    seed: u64,
}

impl DenoisingScoreMatching {
    /// The loss with noise that is drawn `num_samples` times per row.
    ///
    /// # Errors
    /// [`crate::Error::MissingCapability`] if the model cannot compute how its gradients change
    /// with θ.
    pub fn new(model: &dyn Model, noise: Noise, num_samples: usize, seed: u64) -> Result<Self> {
        super::score_gradient(model, "denoising score matching")?;
        Ok(Self { noise, num_samples, seed })
    }

    /// Draws `n` from this stream, and σ before it if there are several.
    fn draw(&self, index: u64, n: &mut [f64]) -> f64 {
        let mut rng = stream(self.seed, Purpose::Noise, index);
        let sigma = match &self.noise {
            Noise::One(sigma) => *sigma,
            Noise::Each(sigmas) => sigmas[below(sigmas.len(), &mut rng)],
        };
        n.iter_mut().for_each(|entry| *entry = normal(&mut rng));
        sigma
    }
}

impl RowLoss for DenoisingScoreMatching {
    fn num_draws(&self) -> usize {
        self.num_samples
    }

    fn unit_cost(&self, model: &dyn Model) -> u64 {
        super::gradient_cost(model) + super::param_cost(model) + 10 * model.dim() as u64
    }

    fn accumulate(
        &self,
        model: &dyn Model,
        x: Batch<'_>,
        streams: &[u64],
        weight: f64,
        part: &mut [f64],
    ) {
        let dim = x.dim();
        let mut noise = vec![0.0; x.data().len()];
        let mut noisy = x.data().to_vec();
        let rows = noise.chunks_exact_mut(dim).zip(noisy.chunks_exact_mut(dim));
        for ((n, x), index) in rows.zip(streams) {
            let sigma = self.draw(*index, n);
            axpy(sigma, n, x);
        }
        // σ times the gradient of the energy at σ is this factor times that of E.
        let factor = match self.noise {
            Noise::One(sigma) => sigma,
            Noise::Each(_) => 1.0,
        };
        let noisy = Batch::new(dim, &noisy);
        let (_, mut residuals) = energies_and_gradients(model, noisy);
        for (residual, n) in residuals.iter_mut().zip(&noise) {
            *residual = factor * *residual - n;
        }
        part[0] += 0.5 * weight * dot(&residuals, &residuals);
        let model = model.as_score_gradient().expect("checked when the loss was made");
        let weights = vec![weight * factor; x.len()];
        model.accumulate_score_grad(noisy, Batch::new(dim, &residuals), &weights, &mut part[1..]);
    }
}
