//! Noise for rows of bits: independent sites that are on as often as in the rows, with half a row of
//! each value added, so that every state has a probability.

use super::Noise;
use crate::bits::{WeightedRows, set_bits};
use crate::math::ln;
use crate::rng::{ChainRng, uniform};

/// `q(y) = Π_i p_i^{y_i} (1 − p_i)^{1 − y_i}`.
pub struct SiteNoise {
    /// p.
    on: Vec<f64>,
    /// `[ln(1 − p), ln p]` of each site.
    logs: Vec<[f64; 2]>,
}

impl SiteNoise {
    /// The noise for these rows.
    pub fn of(data: &WeightedRows) -> Self {
        let mut counts = vec![0.5; data.dim()];
        for (row, weight) in data.rows().rows().zip(data.weights()) {
            set_bits(row).for_each(|site| counts[site] += weight);
        }
        let total = data.total() + 1.0;
        Self {
            on: counts.iter().map(|count| count / total).collect(),
            logs: counts
                .iter()
                .map(|on| [total - on, *on].map(|count| ln(count / total)))
                .collect(),
        }
    }
}

impl Noise for SiteNoise {
    fn draw(&self, rng: &mut ChainRng, state: &mut [f64]) -> f64 {
        for (entry, on) in state.iter_mut().zip(&self.on) {
            *entry = f64::from(u8::from(uniform(rng) < *on));
        }
        self.log_density(state)
    }

    fn log_density(&self, state: &[f64]) -> f64 {
        state.iter().zip(&self.logs).map(|(entry, logs)| logs[usize::from(*entry > 0.5)]).sum()
    }

    fn cost(&self) -> usize {
        10 * self.on.len()
    }
}
