//! Enumeration of all states of a few hidden units. Their probabilities are those of an Ising
//! model, `ln p(h) = bᵀh + Σ_i (Wᵀh)_i c_i / σ_i + ½ |Wᵀh|² − const`, for any dimension.

use super::GaussianRbm;
use crate::energy::{Energy, LogZGradient, Reference};
use crate::linalg::{axpy, dot};
use crate::math::{exp, ln, log_sum_exp};
use crate::rng::{ChainRng, normal, uniform};
use std::f64::consts::PI;

/// Results of enumerating the hidden units' states.
#[derive(Debug, Clone)]
pub(super) struct Enumeration {
    /// log Z of the model, in nats.
    pub log_z: f64,
    /// Cumulative Σ p(h') over the states, in the order of h as a binary number.
    cumulative: Vec<f64>,
    /// `E[h_j h_k]`, `[H, H]`.
    moments: Vec<f64>,
}

impl GaussianRbm {
    pub(super) fn enumeration(&self) -> &Enumeration {
        self.enumeration.get_or_init(|| self.enumerate())
    }

    /// The rows of W.
    fn weight_rows(&self) -> std::slice::ChunksExact<'_, f64> {
        self.params[..self.num_weights()].chunks_exact(self.dim())
    }

    fn enumerate(&self) -> Enumeration {
        let num_hidden = self.num_hidden();
        let shift: Vec<f64> =
            self.visible_bias().iter().zip(&self.sigma).map(|(c, sigma)| c / sigma).collect();
        let rows: Vec<&[f64]> = self.weight_rows().collect();
        let mut log_weights = vec![0.0];
        for (j, (row, bias)) in rows.iter().zip(self.hidden_bias()).enumerate() {
            let alone = bias + dot(row, &shift) + 0.5 * dot(row, row);
            let with: Vec<f64> = rows[..j].iter().map(|other| dot(row, other)).collect();
            for state in 0..1_usize << j {
                let set = with.iter().enumerate().filter(|(k, _)| state >> k & 1 == 1);
                let together: f64 = set.map(|(_, product)| product).sum();
                log_weights.push(log_weights[state] + (alone + together));
            }
        }
        let log_sum = log_sum_exp(&log_weights);
        let mut moments = vec![0.0; num_hidden * num_hidden];
        let mut total = 0.0;
        let mut cumulative = log_weights;
        for (state, entry) in cumulative.iter_mut().enumerate() {
            let p = exp(*entry - log_sum);
            total += p;
            *entry = total;
            for j in (0..num_hidden).filter(|j| state >> j & 1 == 1) {
                for k in (0..=j).filter(|k| state >> k & 1 == 1) {
                    moments[j * num_hidden + k] += p;
                }
            }
        }
        for j in 0..num_hidden {
            for k in 0..j {
                moments[k * num_hidden + j] = moments[j * num_hidden + k];
            }
        }
        let widths: f64 = self.sigma.iter().map(|&sigma| ln(sigma)).sum();
        let log_z = widths + 0.5 * self.dim() as f64 * ln(2.0 * PI) + log_sum;
        Enumeration { log_z, cumulative, moments }
    }
}

impl Reference for GaussianRbm {
    fn log_z(&self) -> f64 {
        self.enumeration().log_z
    }

    /// Draws h by its probability, and x given h.
    fn draw(&self, rng: &mut ChainRng, out: &mut [f64]) {
        assert_eq!(out.len(), self.dim());
        let cumulative = &self.enumeration().cumulative;
        let total = cumulative[cumulative.len() - 1];
        let place = uniform(rng) * total;
        let state = cumulative.partition_point(|&sum| sum <= place).min(cumulative.len() - 1);
        out.iter_mut().for_each(|x| *x = normal(rng));
        for (j, row) in self.weight_rows().enumerate() {
            if state >> j & 1 == 1 {
                axpy(1.0, row, out);
            }
        }
        for ((x, c), sigma) in out.iter_mut().zip(self.visible_bias()).zip(&self.sigma) {
            *x = c + sigma * *x;
        }
    }
}

impl LogZGradient for GaussianRbm {
    /// With η = `E[h]` and m = Wᵀη: `∂/∂W_ji = η_j c_i/σ_i + Σ_k E[h_j h_k] W_ki`,
    /// `∂/∂c_i = m_i/σ_i`, `∂/∂b = η`, `∂/∂ln σ_i = 1 − m_i c_i/σ_i`.
    fn accumulate_log_z_grad(&self, weight: f64, grad: &mut [f64]) {
        assert_eq!(grad.len(), self.params.len());
        let (dim, num_hidden) = (self.dim(), self.num_hidden());
        let moments = &self.enumeration().moments;
        let mean = |j: usize| moments[j * num_hidden + j];
        let shift: Vec<f64> =
            self.visible_bias().iter().zip(&self.sigma).map(|(c, sigma)| c / sigma).collect();
        let (weight_grad, rest) = grad.split_at_mut(self.num_weights());
        let (visible_grad, rest) = rest.split_at_mut(dim);
        let (hidden_grad, sigma_grad) = rest.split_at_mut(num_hidden);
        let mut pull = vec![0.0; dim];
        for (j, grad) in weight_grad.chunks_exact_mut(dim).enumerate() {
            axpy(weight * mean(j), &shift, grad);
            for (k, row) in self.weight_rows().enumerate() {
                axpy(weight * moments[j * num_hidden + k], row, grad);
            }
            hidden_grad[j] += weight * mean(j);
        }
        for (j, row) in self.weight_rows().enumerate() {
            axpy(weight * mean(j), row, &mut pull);
        }
        for i in 0..dim {
            visible_grad[i] += pull[i] / self.sigma[i];
            sigma_grad[i] += weight - pull[i] * shift[i];
        }
    }
}
