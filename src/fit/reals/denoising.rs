//! Denoising score matching, for models on ℝᴰ:
//!
//! `1/N Σ_x E_n [½ |σ∇E(x + σn) − n|²]`, n normal
//!
//! (Vincent 2011; with the weight σ² of Song and Ermon 2019). Up to a constant this is σ² times the
//! score matching objective of the density of x + σn: its minimizer is the distribution of the data
//! *with* the noise. No second derivative in x is taken. The gradient is `σ (σ∇E − n)·∂∇E`, ∂ in θ.

use super::{RowLoss, energies_and_gradients};
use crate::Result;
use crate::linalg::{Batch, axpy, dot};
use crate::models::Model;
use crate::rng::{Purpose, normal, stream};

/// ℓ(x, n) = ½ |σ∇E(x + σn) − n|².
#[derive(Debug, Clone, Copy)]
pub struct DenoisingScoreMatching {
    noise: f64,
    num_samples: usize,
    seed: u64,
}

impl DenoisingScoreMatching {
    /// The loss with noise of standard deviation `noise`, drawn `num_samples` times per row.
    ///
    /// # Errors
    /// [`crate::Error::MissingCapability`] if the model cannot compute how its gradients change
    /// with θ.
    pub fn new(model: &dyn Model, noise: f64, num_samples: usize, seed: u64) -> Result<Self> {
        super::score_gradient(model, "denoising score matching")?;
        Ok(Self { noise, num_samples, seed })
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
        for (noise, index) in noise.chunks_exact_mut(dim).zip(streams) {
            let mut rng = stream(self.seed, Purpose::Noise, *index);
            noise.iter_mut().for_each(|entry| *entry = normal(&mut rng));
        }
        let mut noisy = x.data().to_vec();
        axpy(self.noise, &noise, &mut noisy);
        let noisy = Batch::new(dim, &noisy);
        let (_, mut residuals) = energies_and_gradients(model, noisy);
        for (residual, noise) in residuals.iter_mut().zip(&noise) {
            *residual = self.noise * *residual - noise;
        }
        part[0] += 0.5 * weight * dot(&residuals, &residuals);
        let model = model.as_score_gradient().expect("checked when the loss was made");
        let weights = vec![weight * self.noise; x.len()];
        model.accumulate_score_grad(noisy, Batch::new(dim, &residuals), &weights, &mut part[1..]);
    }
}
