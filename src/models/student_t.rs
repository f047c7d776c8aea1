//! Student's t distribution, x ∈ ℝᴰ, with ν degrees of freedom (Kotz and Nadarajah 2004, chapter 1): with
//! `q = (x − μ)ᵀ Λ (x − μ)`,
//!
//! `E(x) = ½ (ν + D) ln(1 + q/ν)`,
//! `log Z = ln Γ(ν/2) − ln Γ((ν + D)/2) + (D/2) ln νπ − ½ ln det Λ`.
//!
//! x is `μ + z √(ν/w)`, with z normal with precision Λ and w from a χ² distribution with ν degrees
//! of freedom. Along any line it has a t distribution with the same ν: its variance is infinite for
//! ν ≤ 2, and it has no mean for ν ≤ 1. For large ν it approaches the Gaussian with that precision.
//!
//! Parameters: those of the Gaussian ([`super::gaussian`]), then ln ν. In a fit of μ and Λ each row
//! has the weight `(ν + D)/(ν + q)`, so rows far out have little influence.

use super::gaussian::{Gaussian, GaussianSpec};
use super::{Model, ModelSpec, capabilities};
use crate::checks::check_positive;
use crate::energy::{Differentiable, Energy, LogZGradient, Parametric, Reference, ScoreGradient};
use crate::linalg::{Batch, Block, transpose};
use crate::math::{digamma, exp, ln, ln_1p, ln_gamma};
use crate::rng::{ChainRng, gamma};
use crate::{Error, Result};
use unnorm_wire::spec;

/// The spec of Student's t distribution.
#[spec]
pub struct StudentTSpec {
    /// Number of dimensions D.
    pub dim: usize,
    /// ν, greater than 0; 5 if absent.
    #[serde(default = "five")]
    pub degrees_of_freedom: f64,
    /// μ, `[dim]`; zero if absent.
    pub mean: Option<Vec<f64>>,
    /// Λ, row-major `[dim, dim]`, symmetric and positive definite; the identity if absent, unless the scale is given.
    pub precision: Option<Vec<f64>>,
    /// Λ⁻¹, instead of Λ. For ν > 2 the covariance is ν/(ν − 2) times as large.
    pub scale: Option<Vec<f64>>,
}

fn five() -> f64 {
    5.0
}

/// Student's t distribution; see the module documentation.
#[derive(Debug, Clone)]
pub struct StudentT {
    /// The Gaussian with the same μ and Λ: its energy is q/2.
    gaussian: Gaussian,
    /// The degrees of freedom ν.
    degrees: f64,
    params: Vec<f64>,
}

impl StudentTSpec {
    /// Checks the spec and builds the model.
    ///
    /// # Errors
    /// [`Error::InvalidSpec`] or [`Error::TooLarge`], naming the field.
    pub fn build(&self) -> Result<StudentT> {
        check_positive("model.degreesOfFreedom", self.degrees_of_freedom)?;
        let Self { dim, mean, precision, scale, .. } = self.clone();
        let gaussian = GaussianSpec { dim, mean, precision, covariance: scale };
        let gaussian = gaussian.build().map_err(|error| match error {
            Error::InvalidSpec { field, problem } => {
                Error::spec(field.replace("model.covariance", "model.scale"), problem)
            }
            other => other,
        })?;
        let degrees = self.degrees_of_freedom;
        let mut params = gaussian.params().to_vec();
        params.push(ln(degrees));
        Ok(StudentT { gaussian, degrees, params })
    }

    /// Small models for the laws.
    pub fn examples() -> Vec<Self> {
        let plain =
            Self { dim: 1, degrees_of_freedom: 7.0, mean: None, precision: None, scale: None };
        vec![
            plain.clone(),
            Self {
                dim: 3,
                degrees_of_freedom: 9.5,
                mean: Some(vec![1.0, -2.0, 0.5]),
                precision: Some(vec![2.0, 0.5, -0.3, 0.5, 1.0, 0.2, -0.3, 0.2, 4.0]),
                ..plain.clone()
            },
            Self { dim: 2, scale: Some(vec![1.0, 0.9, 0.9, 1.0]), ..plain },
        ]
    }
}

impl StudentT {
    /// The dimension D.
    fn size(&self) -> f64 {
        self.gaussian.dim() as f64
    }

    /// (ν + D)/(ν + q) for a Gaussian energy q/2: the factor of the Gaussian's gradient.
    fn slope(&self, gaussian_energy: f64) -> f64 {
        (self.degrees + self.size()) / (self.degrees + 2.0 * gaussian_energy)
    }

    /// The energy E for a Gaussian energy q/2.
    fn energy_of(&self, gaussian_energy: f64) -> f64 {
        0.5 * (self.degrees + self.size()) * ln_1p(2.0 * gaussian_energy / self.degrees)
    }
}

impl Energy for StudentT {
    fn dim(&self) -> usize {
        self.gaussian.dim()
    }

    fn energy(&self, x: Batch<'_>, out: &mut [f64]) {
        self.gaussian.energy(x, out);
        out.iter_mut().for_each(|energy| *energy = self.energy_of(*energy));
    }
}

impl Differentiable for StudentT {
    /// `∂E/∂x = (ν + D)/(ν + q) Λ (x − μ)`.
    fn energy_grad(&self, x: Block<'_>, energy: &mut [f64], grad: &mut [f64]) {
        self.gaussian.energy_grad(x, energy, grad);
        let width = x.width();
        for grad in grad.chunks_exact_mut(width) {
            for (grad, energy) in grad.iter_mut().zip(&*energy) {
                *grad *= self.slope(*energy);
            }
        }
        energy.iter_mut().for_each(|energy| *energy = self.energy_of(*energy));
    }

    fn gradient_cost(&self) -> usize {
        self.gaussian.gradient_cost() + 3 * self.dim() + 20
    }

    fn tail_exponent(&self) -> Option<f64> {
        Some(self.degrees + 1.0)
    }
}

impl Reference for StudentT {
    fn log_z(&self) -> f64 {
        let half = 0.5 * self.size();
        self.gaussian.log_z() - scaled_ln_gamma_ratio(0.5 * self.degrees, half)
    }

    fn draw(&self, rng: &mut ChainRng, out: &mut [f64]) {
        self.gaussian.draw(rng, out);
        let stretch = (0.5 * self.degrees / gamma(rng, 0.5 * self.degrees)).sqrt();
        for (x, mean) in out.iter_mut().zip(self.gaussian.mean()) {
            *x = mean + stretch * (*x - mean);
        }
    }
}

impl Parametric for StudentT {
    fn params(&self) -> &[f64] {
        &self.params
    }

    fn set_params(&mut self, params: &[f64]) {
        assert_eq!(params.len(), self.params.len());
        let (last, gaussian) = params.split_last().expect("ln ν at least");
        self.params.copy_from_slice(params);
        self.gaussian.set_params(gaussian);
        self.degrees = exp(*last).clamp(f64::MIN_POSITIVE, f64::MAX);
    }

    /// The biases of the Gaussian, and ln ν, as shrinking it would draw ν to 1.
    fn is_bias(&self, param: usize) -> bool {
        param + 1 == self.params.len() || self.gaussian.is_bias(param)
    }

    /// `∂E/∂ln ν = ½ ν ln(1 + q/ν) − ½ (ν + D) q/(ν + q)`.
    fn accumulate_param_grad(&self, x: Batch<'_>, weights: &[f64], grad: &mut [f64]) {
        assert!(x.len() == weights.len() && grad.len() == self.params.len());
        let mut energies = vec![0.0; x.len()];
        self.gaussian.energy(x, &mut energies);
        let (of_degrees, grad) = grad.split_last_mut().expect("ln ν at least");
        for (energy, weight) in energies.iter_mut().zip(weights) {
            let slope = self.slope(*energy);
            let log = 0.5 * self.degrees * ln_1p(2.0 * *energy / self.degrees);
            *of_degrees += weight * (log - slope * *energy);
            *energy = weight * slope;
        }
        self.gaussian.accumulate_param_grad(x, &energies, grad);
    }
}

impl ScoreGradient for StudentT {
    /// With s = (ν + D)/(ν + q) and g the Gaussian's gradient, `v·∂E/∂x = s v·g`, `∂s/∂q = −s/(ν + q)` and
    /// `∂s/∂ln ν = ν (q − D)/(ν + q)²`.
    fn accumulate_score_grad(
        &self,
        x: Batch<'_>,
        directions: Batch<'_>,
        weights: &[f64],
        grad: &mut [f64],
    ) {
        let (dim, width) = (x.dim(), x.len());
        assert!(width == weights.len() && grad.len() == self.params.len());
        let (mut block, mut slopes) = (vec![0.0; dim * width], vec![0.0; dim * width]);
        let mut energies = vec![0.0; width];
        transpose(dim, width, x.data(), &mut block);
        self.gaussian.energy_grad(Block::new(dim, &block), &mut energies, &mut slopes);
        let (of_degrees, grad) = grad.split_last_mut().expect("ln ν at least");
        let (mut of_scores, mut of_energies) = (vec![0.0; width], vec![0.0; width]);
        for (at, (v, weight)) in directions.states().zip(weights).enumerate() {
            let along: f64 = v.iter().enumerate().map(|(d, v)| v * slopes[d * width + at]).sum();
            let q = 2.0 * energies[at];
            let (slope, sum) = (self.slope(energies[at]), self.degrees + q);
            of_scores[at] = weight * slope;
            of_energies[at] = -2.0 * weight * along * slope / sum;
            *of_degrees += weight * along * (self.degrees / sum) * ((q - self.size()) / sum);
        }
        self.gaussian.accumulate_score_grad(x, directions, &of_scores, grad);
        self.gaussian.accumulate_param_grad(x, &of_energies, grad);
    }
}

impl LogZGradient for StudentT {
    fn accumulate_log_z_grad(&self, weight: f64, grad: &mut [f64]) {
        assert_eq!(grad.len(), self.params.len());
        let (of_degrees, grad) = grad.split_last_mut().expect("ln ν at least");
        self.gaussian.accumulate_log_z_grad(weight, grad);
        let half = 0.5 * self.size();
        let difference = digamma_difference(0.5 * self.degrees, half);
        *of_degrees += weight * (half - 0.5 * self.degrees * difference);
    }
}

impl Model for StudentT {
    fn kind(&self) -> &'static str {
        "studentT"
    }

    fn spec(&self) -> ModelSpec {
        ModelSpec::StudentT(StudentTSpec {
            dim: self.dim(),
            degrees_of_freedom: self.degrees,
            mean: Some(self.gaussian.mean().to_vec()),
            precision: Some(self.gaussian.precision().to_vec()),
            scale: None,
        })
    }

    fn boxed_clone(&self) -> Box<dyn Model> {
        Box::new(self.clone())
    }

    fn provide_reference(&self) -> Option<&dyn Reference> {
        self.gaussian.provide_reference().map(|_| self as &dyn Reference)
    }

    fn provide_log_z_gradient(&self) -> Option<&dyn LogZGradient> {
        self.gaussian.provide_log_z_gradient().map(|_| self as &dyn LogZGradient)
    }

    capabilities!(Differentiable, Parametric, ScoreGradient);
}

/// From here on differences of ln Γ and ψ are computed term by term from their asymptotic series
/// (Abramowitz and Stegun 1964, 6.1.41 and 6.3.18), as nearly equal numbers would cancel otherwise.
/// The first omitted terms are below 10⁻¹⁸ h.
const LARGE: f64 = 1e4;

/// ln(Γ(a + h) / Γ(a)) − h ln a, for a > 0 and h ≥ 0.
fn scaled_ln_gamma_ratio(a: f64, h: f64) -> f64 {
    if a < LARGE {
        return ln_gamma(a + h) - ln_gamma(a) - h * ln(a);
    }
    let correction = 1.0 / (12.0 * (a + h)) - 1.0 / (12.0 * a);
    (a + h - 0.5) * ln_1p(h / a) - h + correction
}

/// ψ(a + h) − ψ(a), for a > 0 and h ≥ 0.
fn digamma_difference(a: f64, h: f64) -> f64 {
    if a < LARGE {
        return digamma(a + h) - digamma(a);
    }
    let b = a + h;
    ln_1p(h / a) + 0.5 * h / (a * b) + (h / (a * b)) * (a + b) / (12.0 * a * b)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::{Purpose, stream};
    use std::f64::consts::PI;

    fn standard(dim: usize, degrees_of_freedom: f64) -> StudentT {
        let spec =
            StudentTSpec { dim, degrees_of_freedom, mean: None, precision: None, scale: None };
        spec.build().expect("sound")
    }

    /// ν = 1: the Cauchy distribution, `p(x) = 1/(π (1 + x²))`; ν = 2 in the plane, `p(x) = 1/(2π
    /// (1 + q/2)²)`; ν = 3, with Z = √3 π/2.
    #[test]
    fn log_z_is_the_known_one() {
        assert!((standard(1, 1.0).log_z() - ln(PI)).abs() < 1e-14);
        assert!((standard(2, 2.0).log_z() - ln(2.0 * PI)).abs() < 1e-14);
        assert!((standard(1, 3.0).log_z() - ln(3.0_f64.sqrt() * PI / 2.0)).abs() < 1e-14);
    }

    /// There is no jump where the asymptotic series takes over, and beyond it everything approaches
    /// the Gaussian.
    #[test]
    fn large_degrees_of_freedom_lose_no_digits() {
        for h in [0.5, 3.0, 40.0] {
            let [below, above] = [LARGE * (1.0 - 1e-12), LARGE];
            let jump = scaled_ln_gamma_ratio(above, h) - scaled_ln_gamma_ratio(below, h);
            assert!(jump.abs() < 1e-10, "{h}: {jump}");
            let jump = digamma_difference(above, h) - digamma_difference(below, h);
            assert!(jump.abs() < 1e-14, "{h}: {jump}");
        }
        let gaussian = standard(3, 1.0).gaussian;
        for (degrees, error) in [(1e6, 1e-5), (1e12, 1e-11), (1e300, 1e-13)] {
            let model = standard(3, degrees);
            assert!((model.log_z() - gaussian.log_z()).abs() < error, "{degrees}");
            let (mut energy, mut expected) = ([0.0], [0.0]);
            let x = [1.0, -2.0, 0.5];
            model.energy(Batch::new(3, &x), &mut energy);
            gaussian.energy(Batch::new(3, &x), &mut expected);
            assert!((energy[0] - expected[0]).abs() < 10.0 * error, "{degrees}");
            let mut grad = vec![0.0; model.params().len()];
            model.accumulate_log_z_grad(1.0, &mut grad);
            assert!(grad.last().expect("ln ν").abs() < 10.0 * error, "{degrees}: {grad:?}");
        }
    }

    /// The fraction of draws within |x| < 1 of a Cauchy distribution is ½, within seven standard
    /// errors: false alarms have a probability below 3e-12. With a scale, within that scale.
    #[test]
    fn draws_of_a_cauchy_distribution_have_its_quartiles() {
        let spec = StudentTSpec {
            dim: 1,
            degrees_of_freedom: 1.0,
            mean: Some(vec![3.0]),
            precision: None,
            scale: Some(vec![4.0]),
        };
        let model = spec.build().expect("sound");
        let mut rng = stream(1, Purpose::InitialState, 0);
        let count = 40_000;
        let mut num_near = 0;
        for _ in 0..count {
            let mut x = [0.0];
            model.draw(&mut rng, &mut x);
            num_near += usize::from((x[0] - 3.0).abs() < 2.0);
        }
        let share = num_near as f64 / count as f64;
        assert!((share - 0.5).abs() < 7.0 * 0.5 / (count as f64).sqrt(), "{share}");
    }

    #[test]
    fn messages_name_the_field() {
        let refused = |change: fn(&mut StudentTSpec)| {
            let mut spec = standard(2, 3.0).spec();
            let ModelSpec::StudentT(spec) = &mut spec else { panic!("another kind") };
            spec.precision = None;
            change(spec);
            spec.build().expect_err("refused").field().map(str::to_owned)
        };
        let field = |name: &str| Some(format!("model.{name}"));
        assert_eq!(refused(|spec| spec.dim = 0), field("dim"));
        assert_eq!(refused(|spec| spec.degrees_of_freedom = 0.0), field("degreesOfFreedom"));
        assert_eq!(refused(|spec| spec.mean = Some(vec![0.0])), field("mean"));
        assert_eq!(refused(|spec| spec.scale = Some(vec![1.0])), field("scale"));
        assert_eq!(refused(|spec| spec.scale = Some(vec![1.0, 2.0, 2.0, 1.0])), field("scale"));
        let asymmetric = refused(|spec| spec.scale = Some(vec![1.0, 0.5, 0.0, 1.0]));
        assert_eq!(asymmetric, field("scale[1, 0]"));
    }
}
