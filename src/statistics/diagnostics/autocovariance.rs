//! Autocovariance of chains at all lags at once, from the power spectrum.
//!
//! For draws xᵢ of one chain with mean m, c(t) = Σ (xᵢ − m)(xᵢ₊ₜ − m) / n over the n − t pairs;
//! dividing by n rather than by the number of pairs keeps far lags small and the sequence positive
//! definite (Geyer 1992, section 3.1).
//!
//! Summing products lag by lag is faster for a chain that decorrelates at once, but Geyer's
//! sequence for chains that disagree does not end before the last lag, and the square of 50,000
//! draws takes seconds. By the spectrum every case costs the same: two chains are the real and
//! imaginary part of one transform, the spectra of all are added, and one transform leads back.

use super::draws::Draws;
use super::fourier::Fourier;
use super::moments::mean;

/// Autocovariance of one chain at lags 0 to n − 1, `[num_draws]`, as in ArviZ's `autocov`; the
/// absolute error is some 10⁻¹⁵ of the variance. All NaN if any draw is not finite.
pub fn autocovariance(chain: &[f64]) -> Vec<f64> {
    match Draws::new(1, chain) {
        Ok(draws) => mean_autocovariance(draws),
        Err(_) => Vec::new(),
    }
}

/// The mean of the chains' autocovariances, each about its own mean, at lags 0
/// to n − 1, `[num_draws]`.
pub fn mean_autocovariance(draws: Draws<'_>) -> Vec<f64> {
    let num_draws = draws.num_draws();
    // Enough padding that no chain wraps around onto its beginning.
    let len = (2 * num_draws).next_power_of_two();
    let fourier = Fourier::new(len);
    let mut power = vec![0.0; len];
    let (mut re, mut im) = (vec![0.0; len], vec![0.0; len]);
    let mut chains = draws.chains();
    while let Some(chain) = chains.next() {
        fill_centred(&mut re, chain);
        // For x + iy the even part of |·|² is the sum of both spectra; the odd part goes into the
        // imaginary part of the result, which is dropped.
        match chains.next() {
            Some(chain) => fill_centred(&mut im, chain),
            None => im.fill(0.0),
        }
        fourier.forward(&mut re, &mut im);
        for (power, (re, im)) in power.iter_mut().zip(re.iter().zip(&im)) {
            *power += re * re + im * im;
        }
    }
    im.fill(0.0);
    fourier.back(&mut power, &mut im);
    let scale = len as f64 * num_draws as f64 * draws.num_chains() as f64;
    power.truncate(num_draws);
    for covariance in &mut power {
        *covariance /= scale;
    }
    power
}

/// The chain minus its mean, then zeros.
fn fill_centred(out: &mut [f64], chain: &[f64]) {
    let mean = mean(chain);
    let (head, rest) = out.split_at_mut(chain.len());
    for (out, x) in head.iter_mut().zip(chain) {
        *out = x - mean;
    }
    rest.fill(0.0);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::{Purpose, normal, stream};

    #[test]
    fn by_the_definition() {
        let mut rng = stream(1, Purpose::Example, 0);
        for (num_chains, num_draws) in [(1, 1), (1, 2), (2, 3), (3, 64), (4, 100), (5, 33)] {
            let values: Vec<f64> =
                (0..num_chains * num_draws).map(|_| 3.0 + normal(&mut rng)).collect();
            let draws = Draws::new(num_chains, &values).unwrap();
            let covariances = mean_autocovariance(draws);
            assert_eq!(covariances.len(), num_draws);
            for (lag, covariance) in covariances.iter().enumerate() {
                let mut sum = 0.0;
                for chain in draws.chains() {
                    let mean = mean(chain);
                    for at in lag..num_draws {
                        sum += (chain[at] - mean) * (chain[at - lag] - mean);
                    }
                }
                let expected = sum / (num_draws * num_chains) as f64;
                assert!((covariance - expected).abs() < 1e-14, "{covariance} {expected}");
            }
        }
    }

    #[test]
    fn at_the_edges() {
        assert!(autocovariance(&[]).is_empty());
        assert_eq!(autocovariance(&[2.5; 5]), [0.0; 5]);
        for bad in [f64::NAN, f64::INFINITY] {
            assert!(autocovariance(&[1.0, bad, 2.0]).iter().all(|c| c.is_nan()));
        }
    }
}
