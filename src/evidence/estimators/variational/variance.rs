//! The factor of a variance: an inverse gamma distribution, or a point if it is fixed.

use crate::math::{digamma, ln, ln_gamma};
use crate::models::latent::VariancesSpec;

/// q(v).
#[derive(Clone)]
pub struct VarianceFactor {
    /// a and b of the prior, if it is not fixed.
    prior: Option<[f64; 2]>,
    shape: f64,
    scale: f64,
    fixed: f64,
}

/// Of the signal and of the noise.
pub fn variance_factors(spec: &VariancesSpec) -> [VarianceFactor; 2] {
    let of = |prior: Option<[f64; 2]>, fixed: f64| {
        let [shape, scale] = prior.unwrap_or([1.0; 2]);
        VarianceFactor { prior, shape, scale, fixed }
    };
    match *spec {
        VariancesSpec::Fixed { signal, noise } => [of(None, signal), of(None, noise)],
        VariancesSpec::Sampled { shape, scale } => [(); 2].map(|()| of(Some([shape, scale]), 1.0)),
    }
}

impl VarianceFactor {
    /// Goes back to the prior.
    pub fn restart(&mut self) {
        [self.shape, self.scale] = self.prior.unwrap_or([1.0; 2]);
    }

    /// The best factor, given how many squares the variance explains and their expected sum.
    pub fn update(&mut self, count: f64, sum: f64) {
        if let Some([shape, scale]) = self.prior {
            self.shape = shape + 0.5 * count;
            self.scale = scale + 0.5 * sum;
        }
    }

    /// E[1/v].
    pub fn mean_inverse(&self) -> f64 {
        if self.prior.is_some() { self.shape / self.scale } else { 1.0 / self.fixed }
    }

    /// E[ln v].
    pub fn mean_log(&self) -> f64 {
        if self.prior.is_some() { ln(self.scale) - digamma(self.shape) } else { ln(self.fixed) }
    }

    /// KL(q ‖ prior).
    pub fn divergence(&self) -> f64 {
        let Some([a, b]) = self.prior else { return 0.0 };
        (self.shape - a) * digamma(self.shape) - ln_gamma(self.shape)
            + ln_gamma(a)
            + a * (ln(self.scale) - ln(b))
            + self.shape * (b - self.scale) / self.scale
    }
}
