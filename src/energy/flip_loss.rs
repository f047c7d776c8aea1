//! Objectives that use data through single bit flips only: sums, over the rows and their sites, of
//! a function φ of the energy gained by a flip, `m = −ΔE`.
//!
//! | | φ(m) | φ′(m) |
//! |---|---|---|
//! | minimum probability flow | e^{m/2} | ½ e^{m/2} |
//! | pseudolikelihood | softplus(m) | σ(m) |
//!
//! The gradient is the same sum of `φ′(m) ∂m/∂θ`, so a model that computes one of them fast
//! computes the other with the same code.

use crate::math::{exp, exp_slice, ln_1p};

/// The function φ of the module documentation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FlipLoss {
    /// Minimum probability flow (Sohl-Dickstein 2012, eq. E.4).
    Flow,
    /// Negative log pseudolikelihood, −ln p(x_n | x_∖n) (eq. 1.13, with the opposite sign so that
    /// it is minimized).
    Pseudolikelihood,
}

impl FlipLoss {
    /// φ(m) and φ′(m), with one exponential.
    #[inline]
    pub fn at(self, gain: f64) -> (f64, f64) {
        match self {
            Self::Flow => {
                let flow = exp(0.5 * gain);
                (flow, 0.5 * flow)
            }
            Self::Pseudolikelihood => softplus(gain, exp(-gain.abs())),
        }
    }

    /// [`FlipLoss::at`] for many gains, with the same bits: the exponentials are vectorized. φ
    /// replaces the gains.
    ///
    /// # Panics
    /// If the lengths differ.
    pub fn at_all(self, gains: &mut [f64], slopes: &mut [f64]) {
        assert_eq!(gains.len(), slopes.len());
        match self {
            Self::Flow => {
                gains.iter_mut().for_each(|gain| *gain *= 0.5);
                exp_slice(gains);
                slopes.iter_mut().zip(gains).for_each(|(slope, flow)| *slope = 0.5 * *flow);
            }
            Self::Pseudolikelihood => {
                slopes.iter_mut().zip(&*gains).for_each(|(small, gain)| *small = -gain.abs());
                exp_slice(slopes);
                let entries = gains.iter_mut().zip(slopes);
                entries.for_each(|(gain, small)| (*gain, *small) = softplus(*gain, *small));
            }
        }
    }
}

/// softplus and its slope σ, given `e^{−|gain|}`.
#[inline(always)]
fn softplus(gain: f64, small: f64) -> (f64, f64) {
    let likely = 1.0 / (1.0 + small);
    let slope = if gain >= 0.0 { likely } else { small * likely };
    (gain.max(0.0) + ln_1p(small), slope)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slopes_are_derivatives() {
        for loss in [FlipLoss::Flow, FlipLoss::Pseudolikelihood] {
            for gain in [-30.0, -2.0, -0.1, 0.0, 0.7, 3.0, 12.0] {
                let step = 1e-5;
                let (upper, lower) = (loss.at(gain + step).0, loss.at(gain - step).0);
                let slope = loss.at(gain).1;
                let numeric = (upper - lower) / (2.0 * step);
                assert!((numeric - slope).abs() < 1e-9 * (1.0 + slope), "{loss:?} {gain}");
            }
        }
    }

    #[test]
    fn many_gains_have_the_bits_of_one() {
        let bits = |(loss, slope): (f64, f64)| [loss.to_bits(), slope.to_bits()];
        let special = [0.0, -0.0, f64::INFINITY, f64::NEG_INFINITY, f64::NAN, -2000.0, 2000.0];
        let gains: Vec<f64> =
            special.into_iter().chain((0..41).map(|at| 1.7 * at as f64 - 30.0)).collect();
        for loss in [FlipLoss::Flow, FlipLoss::Pseudolikelihood] {
            let (mut losses, mut slopes) = (gains.clone(), vec![f64::NAN; gains.len()]);
            loss.at_all(&mut losses, &mut slopes);
            for (gain, all) in gains.iter().zip(losses.into_iter().zip(slopes)) {
                assert_eq!(bits(all), bits(loss.at(*gain)), "{loss:?} {gain}");
            }
        }
    }

    #[test]
    fn extreme_gains() {
        assert_eq!(FlipLoss::Pseudolikelihood.at(1000.0), (1000.0, 1.0));
        assert_eq!(FlipLoss::Pseudolikelihood.at(-1000.0), (0.0, 0.0));
        assert_eq!(FlipLoss::Flow.at(-2000.0), (0.0, 0.0));
        assert!(FlipLoss::Flow.at(2000.0).0.is_infinite());
        for loss in [FlipLoss::Flow, FlipLoss::Pseudolikelihood] {
            assert!(loss.at(f64::NAN).0.is_nan() && loss.at(f64::NAN).1.is_nan());
        }
    }
}
