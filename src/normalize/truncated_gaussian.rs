//! A Gaussian truncated by half-spaces, if it has exact draws and a known log Z: if the normals of
//! different constraints are orthogonal in the metric of the covariance, or parallel.
//!
//! With u = n / √(nᵀΣn) for such a normal n, the coordinates z = u·(x − μ) are independent standard
//! normal numbers, and the constraints confine each to an interval. Hence `log Z = log Z_free + Σ
//! ln P(low ≤ z ≤ high)`. A draw is one of the free Gaussian whose z are redrawn if they lie
//! outside: `x ← x + (z′ − z) Σu`, which leaves the other z unchanged.

use crate::energy::{Energy, HalfSpace, Reference};
use crate::linalg::{axpy, dot, product};
use crate::math::{erfc, exp, ln};
use crate::models::gaussian::Gaussian;
use crate::rng::{ChainRng, normal, uniform};
use std::f64::consts::FRAC_1_SQRT_2;

/// A Gaussian truncated by orthogonal constraints.
#[derive(Debug, Clone)]
pub(super) struct TruncatedGaussian {
    gaussian: Gaussian,
    confined: Vec<Confined>,
    log_probability: f64,
}

/// A direction with constraints.
#[derive(Debug, Clone)]
struct Confined {
    /// The scaled normal u.
    unit: Vec<f64>,
    /// The vector Σu.
    direction: Vec<f64>,
    interval: Interval,
}

/// The interval to which a standard normal number is confined.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Interval {
    low: f64,
    high: f64,
}

/// Normals are parallel, or orthogonal, if the cosine of their angle is within this distance of ±1,
/// or of 0.
const TOLERANCE: f64 = 1e-12;

impl TruncatedGaussian {
    /// The Gaussian inside these constraints; none if they are neither orthogonal nor parallel, or
    /// if they leave no probability.
    pub fn new(gaussian: &Gaussian, constraints: &[HalfSpace]) -> Option<Self> {
        let dim = gaussian.dim();
        let covariance = gaussian.covariance();
        let mut confined: Vec<Confined> = Vec::new();
        for constraint in constraints {
            let mut direction = vec![0.0; dim];
            product(dim, dim, &covariance, &constraint.normal, &mut direction);
            let length = dot(&constraint.normal, &direction).sqrt();
            direction.iter_mut().for_each(|entry| *entry /= length);
            let unit: Vec<f64> = constraint.normal.iter().map(|entry| entry / length).collect();
            let place = (constraint.offset - dot(&constraint.normal, gaussian.mean())) / length;
            let mut is_new = true;
            for known in &mut confined {
                let cosine = dot(&known.unit, &direction);
                let Interval { low, high } = &mut known.interval;
                if (cosine - 1.0).abs() < TOLERANCE {
                    *low = low.max(place);
                    is_new = false;
                } else if (cosine + 1.0).abs() < TOLERANCE {
                    *high = high.min(-place);
                    is_new = false;
                } else if cosine.abs() >= TOLERANCE {
                    return None;
                }
            }
            if is_new {
                let interval = Interval { low: place, high: f64::INFINITY };
                confined.push(Confined { unit, direction, interval });
            }
        }
        let log_probability = confined.iter().map(|confined| ln(confined.interval.probability()));
        let log_probability: f64 = log_probability.sum();
        log_probability.is_finite().then(|| Self {
            gaussian: gaussian.clone(),
            confined,
            log_probability,
        })
    }

    /// log Z inside the constraints, in nats.
    pub fn log_z(&self) -> f64 {
        self.gaussian.log_z() + self.log_probability
    }

    /// Draws one state exactly.
    pub fn draw(&self, rng: &mut ChainRng, out: &mut [f64]) {
        self.gaussian.draw(rng, out);
        for Confined { unit, direction, interval } in &self.confined {
            let z = dot(unit, out) - dot(unit, self.gaussian.mean());
            if !interval.contains(z) {
                axpy(interval.draw(rng) - z, direction, out);
            }
        }
    }
}

impl Interval {
    fn contains(&self, z: f64) -> bool {
        self.low <= z && z <= self.high
    }

    fn probability(&self) -> f64 {
        if self.low > self.high {
            return 0.0;
        }
        // On the side without cancellation.
        let Self { low, high } = self.to_the_right().0;
        0.5 * (erfc(low * FRAC_1_SQRT_2) - erfc(high * FRAC_1_SQRT_2))
    }

    /// The interval, mirrored if it lies to the left of 0, and whether it was mirrored.
    fn to_the_right(self) -> (Self, bool) {
        if self.high < 0.0 {
            (Self { low: -self.high, high: -self.low }, true)
        } else {
            (self, false)
        }
    }

    /// A standard normal number given that it lies within the interval: by rejection, with a
    /// proposal that is likely to be accepted (Robert 1995).
    fn draw(self, rng: &mut ChainRng) -> f64 {
        let (Self { low, high }, is_mirrored) = self.to_the_right();
        // Exponential proposals to the right of low: the best rate, and the acceptance rate.
        let rate = 0.5 * (low + (low * low + 4.0).sqrt());
        let z = if self.probability() > 0.25 {
            loop {
                let z = normal(rng);
                if low <= z && z <= high {
                    break z;
                }
            }
        } else if low > 0.0 && rate * (high - low) > 1.0 {
            loop {
                let z = low - ln(1.0 - uniform(rng)) / rate;
                if z <= high && uniform(rng) < exp(-0.5 * (z - rate) * (z - rate)) {
                    break z;
                }
            }
        } else {
            // Where the density is highest.
            let peak = if low > 0.0 { low } else { 0.0 };
            loop {
                let z = low + (high - low) * uniform(rng);
                if uniform(rng) < exp(0.5 * (peak - z) * (peak + z)) {
                    break z;
                }
            }
        };
        if is_mirrored { -z } else { z }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::models::gaussian::GaussianSpec;
    use crate::rng::{Purpose, stream};
    use std::f64::consts::PI;

    /// Compares means and variances of draws from intervals of all kinds with those by quadrature,
    /// within six standard errors: a false alarm has probability 10⁻⁷.
    #[test]
    fn truncated_normals_have_their_moments() {
        let mut rng = stream(1, Purpose::Example, 0);
        for (low, high) in [
            (-1.0, 2.0),
            (-0.1, 0.2),
            (0.5, 0.6),
            (3.0, f64::INFINITY),
            (3.0, 3.05),
            (f64::NEG_INFINITY, -6.0),
            (-2.5, -1.9),
            (-8.0, 0.1),
        ] {
            let interval = Interval { low, high };
            // The density beyond 40, and beyond low + 10, is negligible.
            let (start, end) = (f64::max(low, -40.0), f64::min(high, f64::max(low, -40.0) + 50.0));
            let num_cells = 200_000;
            let width = (end - start) / f64::from(num_cells);
            let mut sums = [0.0; 5];
            for cell in 0..num_cells {
                let z = start + (f64::from(cell) + 0.5) * width;
                let mut term = exp(-0.5 * z * z) * width / (2.0 * PI).sqrt();
                for sum in &mut sums {
                    *sum += term;
                    term *= z;
                }
            }
            let moments = sums.map(|sum| sum / sums[0]);
            let p = interval.probability();
            assert!((p - sums[0]).abs() < 1e-6 * sums[0], "{low} {high}: {p} {}", sums[0]);
            let count = 40_000;
            let draws: Vec<f64> = (0..count).map(|_| interval.draw(&mut rng)).collect();
            assert!(draws.iter().all(|z| interval.contains(*z)));
            for power in [1, 2] {
                let values = draws.iter().map(|z| if power == 1 { *z } else { z * z });
                let mean = values.sum::<f64>() / f64::from(count);
                let variance = moments[2 * power] - moments[power] * moments[power];
                let error = (variance / f64::from(count)).sqrt();
                assert!((mean - moments[power]).abs() < 6.0 * error, "{low} {high} {power}");
            }
        }
    }

    fn constraint(normal: &[f64], offset: f64) -> HalfSpace {
        HalfSpace { normal: normal.to_vec(), offset }
    }

    #[test]
    fn constraints_at_other_angles_are_not_known() {
        let standard = GaussianSpec { dim: 2, mean: None, precision: None, covariance: None };
        let covariance = Some(vec![2.0, 1.0, 1.0, 2.0]);
        let skew = GaussianSpec { covariance, ..standard.clone() }.build().unwrap();
        let standard = standard.build().unwrap();
        let quadrant = [constraint(&[2.0, 0.0], 0.0), constraint(&[0.0, 1.0], 0.0)];
        let known = TruncatedGaussian::new(&standard, &quadrant).unwrap();
        assert!((known.log_z() - standard.log_z() - ln(0.25)).abs() < 1e-14);
        assert!(TruncatedGaussian::new(&skew, &quadrant).is_none());
        // Orthogonal in the metric of the covariance.
        let diamond = [
            constraint(&[1.0, 1.0], 0.0),
            constraint(&[-1.0, 1.0], 0.0),
            constraint(&[2.0, 2.0], -9.0),
        ];
        let known = TruncatedGaussian::new(&skew, &diamond).unwrap();
        assert!((known.log_z() - skew.log_z() - ln(0.25)).abs() < 1e-14);
        // Two constraints that exclude all states.
        let shut = [constraint(&[1.0, 0.0], 1.0), constraint(&[-1.0, 0.0], 0.5)];
        assert!(TruncatedGaussian::new(&standard, &shut).is_none());
    }

    /// Compares draws inside skew constraints with draws of the free Gaussian that happen to lie
    /// there: means within six standard errors, a false alarm has probability 10⁻⁷.
    #[test]
    fn draws_are_those_of_the_free_gaussian_that_lie_between() {
        let spec = GaussianSpec {
            dim: 3,
            mean: Some(vec![0.3, -0.2, 0.1]),
            precision: None,
            covariance: Some(vec![2.0, 1.0, 0.5, 1.0, 2.0, 0.0, 0.5, 0.0, 1.0]),
        };
        let gaussian = spec.build().unwrap();
        // Σ(1, 1, 0) = (3, 3, 0.5), to which (1, −1, 0) is orthogonal.
        let constraints = [
            constraint(&[1.0, 1.0, 0.0], 0.5),
            constraint(&[1.0, -1.0, 0.0], 0.0),
            constraint(&[-1.0, 1.0, 0.0], -1.5),
        ];
        let truncated = TruncatedGaussian::new(&gaussian, &constraints).unwrap();
        let mut rng = stream(2, Purpose::Example, 0);
        let mut x = [0.0; 3];
        let count = 100_000;
        let (mut inside, mut free, mut direct) = (0.0, [[0.0; 2]; 4], [[0.0; 2]; 4]);
        let add = |x: &[f64; 3], sums: &mut [[f64; 2]; 4]| {
            for (value, sums) in [x[0], x[1], x[2], x[0] * x[2]].into_iter().zip(sums) {
                sums[0] += value;
                sums[1] += value * value;
            }
        };
        for _ in 0..count {
            gaussian.draw(&mut rng, &mut x);
            if constraints.iter().all(|constraint| constraint.contains(&x)) {
                inside += 1.0;
                add(&x, &mut free);
            }
            truncated.draw(&mut rng, &mut x);
            assert!(
                constraints
                    .iter()
                    .all(|constraint| dot(&constraint.normal, &x) >= constraint.offset - 1e-12)
            );
            add(&x, &mut direct);
        }
        let n = f64::from(count);
        let p = exp(truncated.log_probability);
        assert!((inside / n - p).abs() < 6.0 * (p * (1.0 - p) / n).sqrt(), "{} {p}", inside / n);
        for (free, direct) in free.into_iter().zip(direct) {
            let moments = |sums: [f64; 2], n: f64| {
                let mean = sums[0] / n;
                (mean, (sums[1] / n - mean * mean) / n)
            };
            let ((a, a_variance), (b, b_variance)) = (moments(free, inside), moments(direct, n));
            assert!((a - b).abs() < 6.0 * (a_variance + b_variance).sqrt(), "{a} {b}");
        }
    }
}
