//! Mixture of K Gaussians, x ∈ ℝᴰ, with weights w that sum to 1:
//!
//! `E(x) = −ln Σ_k w_k N(x; μ_k, C_k)`, `log Z = 0`.
//!
//! With the responsibilities `r_k = w_k N(x; μ_k, C_k) / p(x)`, `∂E/∂x = Σ_k r_k C_k⁻¹ (x − μ_k)`.
//! Sums over components are accumulated relative to the largest term so far, so nothing overflows
//! and no component's vectors need to be stored.

mod spec;

pub use spec::{CovarianceKind, MAX_COMPONENTS, MAX_DIM, MAX_ENTRIES, MixtureSpec};

use super::{Model, ModelSpec, capabilities};
use crate::energy::{Differentiable, Energy, Reference};
use crate::linalg::{Batch, Block, LeftFactor, dot, with_scratch};
use crate::math::{exp_slice, ln, ln_slice, log_sum_exp};
use crate::rng::{ChainRng, normal, uniform};
use std::sync::Arc;

/// The mixture of Gaussians; see the module documentation.
#[derive(Debug, Clone)]
pub struct Mixture {
    /// The spec with all defaults filled in.
    spec: MixtureSpec,
    components: Vec<Component>,
}

/// One Gaussian of the mixture.
#[derive(Debug, Clone)]
struct Component {
    weight: f64,
    mean: Vec<f64>,
    /// The precision C⁻¹, which components may share.
    precision: Arc<Precision>,
    /// The product C⁻¹μ.
    pull: Vec<f64>,
    /// ln(w N(μ; μ, C)), in nats.
    log_peak: f64,
}

/// The inverse C⁻¹ of a covariance.
#[derive(Debug, Clone)]
enum Precision {
    /// The diagonal of a diagonal precision.
    Diagonal(Vec<f64>),
    /// The row-major matrix, the same as a left factor, and the lower triangular R of `C = RRᵀ`.
    Full { matrix: Vec<f64>, left: LeftFactor, root: Vec<f64> },
}

impl Precision {
    /// ½ ln det C⁻¹.
    fn half_log_det(&self, dim: usize) -> f64 {
        match self {
            Self::Diagonal(diagonal) => {
                0.5 * diagonal.iter().map(|&precision| ln(precision)).sum::<f64>()
            }
            Self::Full { root, .. } => -root.iter().step_by(dim + 1).map(|&r| ln(r)).sum::<f64>(),
        }
    }

    /// The product C⁻¹v.
    fn times(&self, v: &[f64]) -> Vec<f64> {
        match self {
            Self::Diagonal(diagonal) => diagonal.iter().zip(v).map(|(p, v)| p * v).collect(),
            Self::Full { matrix, .. } => {
                matrix.chunks_exact(v.len()).map(|row| dot(row, v)).collect()
            }
        }
    }
}

impl Component {
    /// Writes `C⁻¹(x − μ)` to `force`, and `ln(w N(x; μ, C))` to `log`, for all states.
    fn evaluate(&self, x: Block<'_>, force: &mut [f64], log: &mut [f64]) {
        let width = x.width();
        if let Precision::Full { left, .. } = &*self.precision {
            left.product(x.data(), force);
        }
        log.fill(self.log_peak);
        for (d, force) in force.chunks_exact_mut(width).enumerate() {
            let mean = self.mean[d];
            let entries = force.iter_mut().zip(x.entry(d)).zip(log.iter_mut());
            match &*self.precision {
                Precision::Diagonal(diagonal) => {
                    for ((force, x), log) in entries {
                        *force = diagonal[d] * (x - mean);
                        *log -= 0.5 * (x - mean) * *force;
                    }
                }
                Precision::Full { .. } => {
                    for ((force, x), log) in entries {
                        *force -= self.pull[d];
                        *log -= 0.5 * (x - mean) * *force;
                    }
                }
            }
        }
    }
}

impl Energy for Mixture {
    fn dim(&self) -> usize {
        self.spec.dim
    }

    fn energy(&self, x: Batch<'_>, out: &mut [f64]) {
        assert!(x.dim() == self.spec.dim && x.len() == out.len());
        let mut logs = vec![0.0; self.components.len()];
        for (state, out) in x.states().zip(out) {
            for (component, log) in self.components.iter().zip(&mut logs) {
                let off: Vec<f64> = state.iter().zip(&component.mean).map(|(x, m)| x - m).collect();
                *log = component.log_peak - 0.5 * dot(&off, &component.precision.times(&off));
            }
            *out = -log_sum_exp(&logs);
        }
    }
}

impl Differentiable for Mixture {
    fn energy_grad(&self, x: Block<'_>, energy: &mut [f64], grad: &mut [f64]) {
        let width = x.width();
        assert!(x.dim() == self.spec.dim && energy.len() == width);
        assert_eq!(grad.len(), x.data().len());
        let lens = [width, width, width, width, grad.len()];
        with_scratch(lens, |[log, sum, keep, take, force]| {
            // The largest logarithm so far; sum and gradient are relative to it.
            let max = energy;
            for (k, component) in self.components.iter().enumerate() {
                if k == 0 {
                    component.evaluate(x, grad, max);
                    sum.fill(1.0);
                    continue;
                }
                component.evaluate(x, force, log);
                for c in 0..width {
                    let larger = if log[c] > max[c] { log[c] } else { max[c] };
                    keep[c] = max[c] - larger;
                    take[c] = log[c] - larger;
                    max[c] = larger;
                }
                exp_slice(keep);
                exp_slice(take);
                for c in 0..width {
                    sum[c] = sum[c] * keep[c] + take[c];
                }
                for (grad, force) in grad.chunks_exact_mut(width).zip(force.chunks_exact(width)) {
                    for c in 0..width {
                        grad[c] = grad[c] * keep[c] + force[c] * take[c];
                    }
                }
            }
            for grad in grad.chunks_exact_mut(width) {
                grad.iter_mut().zip(&*sum).for_each(|(grad, sum)| *grad /= sum);
            }
            ln_slice(sum);
            max.iter_mut().zip(&*sum).for_each(|(max, sum)| *max = -(*max + sum));
        });
    }

    fn gradient_cost(&self) -> usize {
        let dim = self.spec.dim;
        let products = match self.spec.covariance_kind {
            CovarianceKind::Isotropic | CovarianceKind::Diagonal => 1,
            CovarianceKind::Full => dim,
        };
        self.components.len() * (10 + dim * (products / 2 + 3))
    }
}

impl Reference for Mixture {
    fn log_z(&self) -> f64 {
        0.0
    }

    /// Draws a component by its weight, then `x = μ + Rr`, r ~ N(0, I).
    fn draw(&self, rng: &mut ChainRng, out: &mut [f64]) {
        let dim = self.spec.dim;
        assert_eq!(out.len(), dim);
        let mut left = uniform(rng);
        let mut chosen = &self.components[self.components.len() - 1];
        for component in &self.components {
            left -= component.weight;
            if left < 0.0 {
                chosen = component;
                break;
            }
        }
        out.iter_mut().for_each(|x| *x = normal(rng));
        match &*chosen.precision {
            Precision::Diagonal(diagonal) => {
                out.iter_mut().zip(diagonal).for_each(|(x, precision)| *x /= precision.sqrt());
            }
            Precision::Full { root, .. } => {
                // From the last row up, so that entries still needed are not overwritten.
                for d in (0..dim).rev() {
                    out[d] = dot(&root[d * dim..][..=d], &out[..=d]);
                }
            }
        }
        out.iter_mut().zip(&chosen.mean).for_each(|(x, mean)| *x += mean);
    }
}

impl Model for Mixture {
    fn kind(&self) -> &'static str {
        "mixture"
    }

    fn spec(&self) -> ModelSpec {
        ModelSpec::Mixture(self.spec.clone())
    }

    fn boxed_clone(&self) -> Box<dyn Model> {
        Box::new(self.clone())
    }

    capabilities!(Differentiable, Reference);
}
