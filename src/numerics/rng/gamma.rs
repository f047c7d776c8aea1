//! Gamma variates by the method of Marsaglia and Tsang (2000): with d = a − 1/3 and c = 1/√(9d), `d
//! (1 + c x)³` for a normal x is almost Gamma(a), and a rarely needed rejection makes it exact. For
//! a < 1, `Gamma(a) = Gamma(a + 1) U^{1/a}`. `rand_distr` is not used, for the reason given in
//! `normal.rs`.

use super::{ChainRng, normal, uniform};
use crate::math::{exp, ln};

/// Draws a gamma number with this shape and scale 1.
///
/// # Panics
/// If the shape is not above 0.
pub fn gamma(rng: &mut ChainRng, shape: f64) -> f64 {
    assert!(shape > 0.0);
    if shape < 1.0 {
        // 1 − U, so that the logarithm is finite.
        let power = exp(ln(1.0 - uniform(rng)) / shape);
        return gamma(rng, shape + 1.0) * power;
    }
    let d = shape - 1.0 / 3.0;
    let c = 1.0 / (9.0 * d).sqrt();
    loop {
        let x = normal(rng);
        let root = 1.0 + c * x;
        if root <= 0.0 {
            continue;
        }
        let cube = root * root * root;
        if ln(1.0 - uniform(rng)) < 0.5 * x * x + d * (1.0 - cube + ln(cube)) {
            return d * cube;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::ln_gamma;
    use rand::SeedableRng;

    /// Compares E[xᵏ] = Γ(a + k)/Γ(a) for k = 1, 2 and −a/2, within six standard errors: false
    /// alarms have a probability below 1e-7.
    #[test]
    fn has_the_moments_of_a_gamma_variate() {
        let num_draws = 200_000;
        for (index, shape) in [0.3, 0.9, 1.0, 4.5, 200.0].into_iter().enumerate() {
            let mut rng = ChainRng::seed_from_u64(index as u64);
            let draws: Vec<f64> = (0..num_draws).map(|_| gamma(&mut rng, shape)).collect();
            for k in [1.0, 2.0, -0.25 * shape.min(1.0)] {
                let moment = |k: f64| exp(ln_gamma(shape + k) - ln_gamma(shape));
                let mean: f64 =
                    draws.iter().map(|x| exp(k * ln(*x))).sum::<f64>() / f64::from(num_draws);
                let error =
                    ((moment(2.0 * k) - moment(k) * moment(k)) / f64::from(num_draws)).sqrt();
                assert!((mean - moment(k)).abs() < 6.0 * error, "{shape} {k}: {mean}");
            }
        }
    }
}
