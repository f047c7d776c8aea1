//! Step sizes adapted to a mean acceptance by dual averaging (Hoffman and Gelman 2014, 3.2, with
//! their constants, which Stan uses too). After step t, with acceptance a and target δ:
//!
//! `s ← (1 − η) s + η (δ − a)`, η = 1/(t + t₀);
//! `ln ε = μ − s √t/γ`; `x̄ ← (1 − w) x̄ + w ln ε`, w = t^−κ,
//!
//! with γ = 0.05, t₀ = 10, κ = ¾ and μ = ln 10ε₀. After warm-up ε = exp(x̄).

use crate::math::{exp, ln};
use serde::{Deserialize, Serialize};

const GAMMA: f64 = 0.05;
const T_0: f64 = 10.0;

/// The state of one step size's adaptation.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct DualAveraging {
    /// The centre μ.
    center: f64,
    /// The number of steps, t.
    num_steps: u64,
    /// The averaged shortfall of acceptance, s.
    shortfall: f64,
    /// The present ln ε.
    log_step: f64,
    /// The averaged ln ε, x̄.
    mean_log: f64,
}

impl DualAveraging {
    /// The adaptation that starts at step size ε₀.
    pub fn new(step_size: f64) -> Self {
        let log_step = ln(step_size);
        Self {
            center: ln(10.0 * step_size),
            num_steps: 0,
            shortfall: 0.0,
            log_step,
            mean_log: log_step,
        }
    }

    /// Updates the adaptation with the acceptance of a step.
    pub fn update(&mut self, acceptance: f64, target_acceptance: f64) {
        self.num_steps += 1;
        let t = self.num_steps as f64;
        let acceptance = if acceptance > 1.0 { 1.0 } else { acceptance };
        let eta = 1.0 / (t + T_0);
        self.shortfall = (1.0 - eta) * self.shortfall + eta * (target_acceptance - acceptance);
        self.log_step = self.center - self.shortfall * t.sqrt() / GAMMA;
        let weight = 1.0 / (t.sqrt() * t.sqrt().sqrt());
        self.mean_log = (1.0 - weight) * self.mean_log + weight * self.log_step;
    }

    /// The step size ε for the next step of warm-up.
    pub fn step_size(&self) -> f64 {
        exp(self.log_step)
    }

    /// The step size to use after warm-up.
    pub fn result(&self) -> f64 {
        exp(self.mean_log)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::{Purpose, normal, stream};

    /// A simulated chain accepts with probability exp(−ε), plus noise; the adaptation must find ε =
    /// −ln δ.
    #[test]
    fn finds_the_step_size_of_an_acceptance() {
        for start in [1e-3, 1.0, 1e3] {
            let mut rng = stream(1, Purpose::Example, 0);
            let mut averaging = DualAveraging::new(start);
            for _ in 0..2000 {
                let noisy = exp(-averaging.step_size()) + 0.1 * normal(&mut rng);
                averaging.update(noisy.clamp(0.0, 1.0), 0.8);
            }
            assert!((averaging.result() / -ln(0.8) - 1.0).abs() < 0.05, "{}", averaging.result());
        }
    }
}
