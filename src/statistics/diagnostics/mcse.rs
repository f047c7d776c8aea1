//! Monte Carlo standard errors: the error of an estimate from the draws relative to its value under
//! their distribution, in units of the quantity. VGSCB, sections 3.2 and 4.4. Their values for
//! constant, infinite or too few draws are in the table of [`super`].

use super::beta_quantile::beta_quantile;
use super::draws::Draws;
use super::ess::{ess_mean, ess_quantile, ess_sd};
use super::moments::{mean, mean_square, variance};
use crate::sorting::sorted;

/// Standard error of the mean: sd / √ESS.
pub fn mcse_mean(draws: Draws<'_>) -> f64 {
    (variance(draws.values()) / ess_mean(draws)).sqrt()
}

/// Standard error of the standard deviation, from that of the variance by the
/// delta method: √(Var[(x − mean)²] / ESS) / (2 sd).
pub fn mcse_sd(draws: Draws<'_>) -> f64 {
    let mean = mean(draws.values());
    let squares = draws.map(|x| (x - mean) * (x - mean));
    let of_variance = mean_square(&squares.values) / ess_sd(draws);
    (of_variance / mean_square(draws.values())).sqrt() / 2.0
}

/// The probabilities of being below −1 and +1 standard deviations for a normal number, with the
/// digits ArviZ has.
const ONE_SD: [f64; 2] = [0.1586553, 0.8413447];

/// Standard error of the `probability` quantile: half the distance of the order statistics between
/// which it lies with probability 68 %. Their ranks come from a beta distribution with the
/// quantile's ESS as the number of draws. NaN for a probability outside [0, 1].
pub fn mcse_quantile(draws: Draws<'_>, probability: f64) -> f64 {
    let ess = ess_quantile(draws, probability);
    if ess.is_nan() {
        return f64::NAN;
    }
    let (a, b) = (ess * probability + 1.0, ess * (1.0 - probability) + 1.0);
    let ascending = sorted(draws.values());
    let size = ascending.len() as f64;
    let [low, high] = ONE_SD.map(|p| beta_quantile(p, a, b) * size - 1.0);
    let below = ascending[low.max(0.0).floor() as usize];
    let above = ascending[high.min(size - 1.0).ceil() as usize];
    (above - below) / 2.0
}
