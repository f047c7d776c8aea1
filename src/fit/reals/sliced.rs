//! Sliced score matching, for models on ℝᴰ whose Laplacian is expensive: averaged over random
//! directions v at each row,
//!
//! `1/N Σ_x E_v [½ (v·∇E(x))² − vᵀ∇²E(x) v]`
//!
//! (Song, Garg, Shi and Ermon 2019). The entries of v are −1 or 1 with equal probability, so that
//! `E[vvᵀ] = I`: the mean over v is the objective of score matching, and only the off-diagonal
//! entries of ∇²E make vᵀ∇²E v noisy.
//!
//! Both terms are taken from the slopes `a± = v·∇E(x ± hv)`, as `½ m² − (a₊ − a₋)/2h`,
//! m = ½ (a₊ + a₋), and the gradient in θ is that of this very expression, so that a line
//! search finds slopes and values in agreement. Both are off by O(h²). With h =
//! 2⁻¹⁷ times the spread of the data, near the cube root of the rounding unit, the
//! error of truncation and that of rounding are both some 10⁻¹¹ of the terms' size where
//! E varies over lengths like the data's spread; rounding grows with the distance of
//! the data from 0, relative to their spread.

use super::{RowLoss, energies_and_gradients};
use crate::Result;
use crate::linalg::{Batch, axpy, dot};
use crate::models::Model;
use crate::rng::{Purpose, stream};
use rand::Rng;

/// ℓ(x, v) = ½ m² − (a₊ − a₋)/2h.
#[derive(Debug, Clone, Copy)]
pub struct SlicedScoreMatching {
    num_slices: usize,
    step: f64,
    seed: u64,
}

impl SlicedScoreMatching {
    /// The loss with `num_slices` directions per row, for these rows.
    ///
    /// # Errors
    /// [`crate::Error::MissingCapability`] if the model cannot compute how its gradients change
    /// with θ.
    pub fn new(model: &dyn Model, rows: Batch<'_>, num_slices: usize, seed: u64) -> Result<Self> {
        super::score_gradient(model, "sliced score matching")?;
        Ok(Self { num_slices, step: spread(rows) / f64::from(1 << 17), seed })
    }

    /// Draws v, with entries of −1 and 1.
    fn draw(&self, index: u64, direction: &mut [f64]) {
        let mut rng = stream(self.seed, Purpose::Slice, index);
        for entries in direction.chunks_mut(64) {
            let bits = rng.next_u64();
            for (at, entry) in entries.iter_mut().enumerate() {
                *entry = if bits >> at & 1 == 0 { -1.0 } else { 1.0 };
            }
        }
    }
}

/// The root mean square distance of entries from their mean; 1 if all rows are equal.
fn spread(rows: Batch<'_>) -> f64 {
    let mut mean = vec![0.0; rows.dim()];
    rows.states().for_each(|row| axpy(1.0 / rows.len() as f64, row, &mut mean));
    let mut sum = 0.0;
    for row in rows.states() {
        sum += row.iter().zip(&mean).map(|(x, mean)| (x - mean) * (x - mean)).sum::<f64>();
    }
    let spread = (sum / rows.data().len() as f64).sqrt();
    if spread > 0.0 && spread.is_finite() { spread } else { 1.0 }
}

impl RowLoss for SlicedScoreMatching {
    fn num_draws(&self) -> usize {
        self.num_slices
    }

    fn unit_cost(&self, model: &dyn Model) -> u64 {
        2 * super::gradient_cost(model) + 2 * super::param_cost(model)
    }

    fn accumulate(
        &self,
        model: &dyn Model,
        x: Batch<'_>,
        streams: &[u64],
        weight: f64,
        part: &mut [f64],
    ) {
        let (dim, step) = (x.dim(), self.step);
        let mut v = vec![0.0; x.data().len()];
        for (v, index) in v.chunks_exact_mut(dim).zip(streams) {
            self.draw(*index, v);
        }
        let [upper, lower] = [step, -step].map(|step| {
            let mut end = x.data().to_vec();
            axpy(step, &v, &mut end);
            end
        });
        let ends = [&upper, &lower].map(|end| Batch::new(dim, end));
        let grads = ends.map(|end| energies_and_gradients(model, end).1);
        let mut weights = [(); 2].map(|()| Vec::with_capacity(x.len()));
        for (at, v) in v.chunks_exact(dim).enumerate() {
            let [upper, lower] = [0, 1].map(|end| dot(v, &grads[end][at * dim..][..dim]));
            let mean = 0.5 * (upper + lower);
            part[0] += weight * (0.5 * mean * mean - (upper - lower) / (2.0 * step));
            weights[0].push(weight * (0.5 * mean - 0.5 / step));
            weights[1].push(weight * (0.5 * mean + 0.5 / step));
        }
        let model = model.as_score_gradient().expect("checked when the loss was made");
        for (end, weights) in ends.into_iter().zip(&weights) {
            model.accumulate_score_grad(end, Batch::new(dim, &v), weights, &mut part[1..]);
        }
    }
}
