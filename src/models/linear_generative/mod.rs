//! Linear generative model of x ∈ ℝᴹ: `x = Φa + n`, n ~ N(0, σ² I), with
//! independent coefficients a ∈ ℝᴸ, `p(a) ∝ exp(−½ aᵀa)` (Gaussian prior) or
//! `exp(−|a|₁)` (Laplace) (Sohl-Dickstein 2012, eq. 5.14 to 5.16).
//!
//! As an energy it is a model of the coefficients at a given x,
//!
//! `E(a) = −ln p(x, a) = |x − Φa|² / 2σ² + (M/2) ln 2πσ² + E_prior(a)`,
//!
//! E_prior includes its normalizer, (L/2) ln 2π or L ln 2, so that `log Z = ln p(x)`: sampling
//! gives the posterior, normalizing the likelihood (5.10). With a Gaussian prior both are known,
//! p(x) = N(0, ΦΦᵀ + σ² I).
//!
//! It is computed from G = ΦᵀΦ/σ² and h = Φᵀx/σ²: `∂E/∂a = Ga − h + ∂E_prior`.
//!
//! Parameters: Φ, row-major `[M, L]`. σ is fixed.

mod joint;
#[cfg(test)]
mod tests;

use crate::checks::check_count;
use crate::checks::check_numbers;
use crate::checks::check_positive;
use crate::energy::{Differentiable, Energy, Generative, Reference};
use crate::filters::sign;
use crate::gaussian::{Gaussian, GaussianSpec};
use crate::linalg::{Batch, Block, LeftFactor, dot, product, transpose};
use crate::math::ln;
use crate::rng::ChainRng;
use crate::{Error, Result};
use crate::{Model, ModelSpec, capabilities};
use std::f64::consts::{LN_2, PI};
use std::sync::{Arc, OnceLock};
use unnorm_wire::spec;

/// Maximum of M and L: computing G cannot be interrupted.
pub const MAX_DIM: usize = 1024;

/// The distribution of the coefficients.
#[spec]
#[derive(Copy, Eq)]
pub enum Prior {
    /// The normal distribution `N(0, I)`.
    Gaussian,
    /// The Laplace distribution `2⁻ᴸ exp(−|a|₁)`.
    Laplace,
}

/// The spec of the linear generative model.
#[spec]
pub struct LinearGenerativeSpec {
    /// M, the number of observed dimensions.
    pub num_observed: usize,
    /// L, the number of coefficients.
    pub num_latent: usize,
    /// The distribution of the coefficients.
    pub prior: Prior,
    /// Φ, row-major `[numObserved, numLatent]`, one basis function per column; the identity if
    /// absent, for M = L.
    pub basis: Option<Vec<f64>>,
    /// σ, the standard deviation of the noise; 0.1 if absent.
    #[serde(default = "tenth")]
    pub noise: f64,
    /// The observed x, `[numObserved]`; zero if absent.
    pub observed: Option<Vec<f64>>,
}

fn tenth() -> f64 {
    0.1
}

/// The parts of the model that do not depend on x.
#[derive(Debug, Clone)]
struct Basis {
    num_observed: usize,
    num_latent: usize,
    prior: Prior,
    noise: f64,
    /// Φ, row-major `[M, L]`.
    rows: Vec<f64>,
    /// Φᵀ, row-major `[L, M]`.
    transposed: Vec<f64>,
    /// Φ as a left factor; the next field is Φᵀ.
    forward: LeftFactor,
    backward: LeftFactor,
    /// G, `[L, L]`, row-major and as a left factor; computed on first use.
    gram: OnceLock<(Vec<f64>, LeftFactor)>,
}

/// The linear generative model at one x; see the module documentation.
#[derive(Debug, Clone)]
pub struct LinearGenerative {
    basis: Arc<Basis>,
    observed: Vec<f64>,
    /// The vector h, `[L]`.
    pull: Vec<f64>,
    /// `|x|² / 2σ²` plus the normalizers of noise and prior, in nats.
    offset: f64,
    /// The posterior p(a|x), computed on first use, for a Gaussian prior.
    posterior: OnceLock<Gaussian>,
}

impl LinearGenerativeSpec {
    /// Checks the spec and builds the model.
    ///
    /// # Errors
    /// [`Error::InvalidSpec`] or [`Error::TooLarge`], naming the field.
    pub fn build(&self) -> Result<LinearGenerative> {
        let (num_observed, num_latent) = (self.num_observed, self.num_latent);
        check_count("model.numObserved", num_observed, 1, MAX_DIM, "observed dimensions")?;
        check_count("model.numLatent", num_latent, 1, MAX_DIM, "coefficients")?;
        let rows = match &self.basis {
            Some(rows) => rows.clone(),
            None if num_observed == num_latent => crate::filters::identity(num_latent),
            None => {
                return Err(Error::spec(
                    "model.basis",
                    format!("is missing; give {num_observed} rows of {num_latent} entries each"),
                ));
            }
        };
        check_numbers("model.basis", &rows, num_observed * num_latent)?;
        check_positive("model.noise", self.noise)?;
        let observed = self.observed.clone().unwrap_or_else(|| vec![0.0; num_observed]);
        check_numbers("model.observed", &observed, num_observed)?;
        let mut basis = Basis {
            num_observed,
            num_latent,
            prior: self.prior,
            noise: self.noise,
            rows: Vec::new(),
            transposed: Vec::new(),
            forward: LeftFactor::default(),
            backward: LeftFactor::default(),
            gram: OnceLock::new(),
        };
        basis.set(rows);
        Ok(LinearGenerative::at(Arc::new(basis), observed))
    }

    /// Small models for the laws: both priors, under- and overcomplete.
    pub fn examples() -> Vec<Self> {
        let make = |prior, num_latent, basis: &[f64], observed: &[f64]| Self {
            num_observed: observed.len(),
            num_latent,
            prior,
            basis: Some(basis.to_vec()),
            noise: 0.5,
            observed: Some(observed.to_vec()),
        };
        vec![
            make(Prior::Gaussian, 1, &[1.5], &[0.7]),
            make(Prior::Gaussian, 3, &[1.0, 0.5, -0.5, 0.2, -1.0, 2.0], &[0.7, -1.0]),
            make(Prior::Laplace, 1, &[1.5], &[0.7]),
            make(Prior::Laplace, 2, &[1.0, 0.5, -0.5, 0.2, -1.0, 2.0], &[0.7, -1.0, 0.4]),
        ]
    }
}

impl Basis {
    /// Sets Φ.
    fn set(&mut self, rows: Vec<f64>) {
        self.rows = rows;
        self.transposed.resize(self.rows.len(), 0.0);
        let (m, l) = (self.num_observed, self.num_latent);
        transpose(l, m, &self.rows, &mut self.transposed);
        self.forward = LeftFactor::new(m, l, &self.rows);
        self.backward = LeftFactor::new(l, m, &self.transposed);
        self.gram = OnceLock::new();
    }

    fn gram(&self) -> &(Vec<f64>, LeftFactor) {
        self.gram.get_or_init(|| {
            let l = self.num_latent;
            let mut gram = vec![0.0; l * l];
            self.backward.product(&self.rows, &mut gram);
            let scale = 1.0 / (self.noise * self.noise);
            gram.iter_mut().for_each(|entry| *entry *= scale);
            let left = LeftFactor::new(l, l, &gram);
            (gram, left)
        })
    }

    /// The normalizers of noise and prior, in nats.
    fn normalizers(&self) -> [f64; 2] {
        let precision = 1.0 / (self.noise * self.noise);
        let noise = 0.5 * self.num_observed as f64 * (ln(2.0 * PI) - ln(precision));
        let prior = match self.prior {
            Prior::Gaussian => 0.5 * self.num_latent as f64 * ln(2.0 * PI),
            Prior::Laplace => self.num_latent as f64 * LN_2,
        };
        [noise, prior]
    }
}

impl LinearGenerative {
    fn at(basis: Arc<Basis>, observed: Vec<f64>) -> Self {
        let precision = 1.0 / (basis.noise * basis.noise);
        let lines = basis.transposed.chunks_exact(basis.num_observed);
        let pull = lines.map(|line| precision * dot(line, &observed)).collect();
        let [noise, prior] = basis.normalizers();
        let offset = 0.5 * precision * dot(&observed, &observed) + noise + prior;
        Self { basis, observed, pull, offset, posterior: OnceLock::new() }
    }

    /// The posterior p(a|x) with a Gaussian prior: precision G + I, mean (G + I)⁻¹ h.
    fn posterior(&self) -> &Gaussian {
        self.posterior.get_or_init(|| {
            let dim = self.basis.num_latent;
            let mut precision = self.basis.gram().0.clone();
            precision.iter_mut().step_by(dim + 1).for_each(|entry| *entry += 1.0);
            // Sums in different orders may make the two triangles differ in their last bit.
            for i in 0..dim {
                for j in 0..i {
                    precision[i * dim + j] = precision[j * dim + i];
                }
            }
            let spec =
                GaussianSpec { dim, mean: None, precision: Some(precision), covariance: None };
            let centred = spec.build().expect("G + I is positive definite");
            let mut mean = vec![0.0; dim];
            product(dim, dim, &centred.covariance(), &self.pull, &mut mean);
            GaussianSpec { mean: Some(mean), ..spec }.build().expect("as above")
        })
    }
}

impl Energy for LinearGenerative {
    fn dim(&self) -> usize {
        self.basis.num_latent
    }

    fn energy(&self, x: Batch<'_>, out: &mut [f64]) {
        assert!(x.dim() == self.dim() && x.len() == out.len());
        for (a, out) in x.states().zip(out) {
            let lines = self.basis.gram().0.chunks_exact(a.len());
            let of_noise: f64 = lines
                .zip(a)
                .zip(&self.pull)
                .map(|((line, a_l), pull)| a_l * (0.5 * dot(line, a) - pull))
                .sum();
            let of_prior = match self.basis.prior {
                Prior::Gaussian => 0.5 * dot(a, a),
                Prior::Laplace => a.iter().map(|a| a.abs()).sum(),
            };
            *out = of_noise + of_prior + self.offset;
        }
    }
}

impl Differentiable for LinearGenerative {
    fn energy_grad(&self, x: Block<'_>, energy: &mut [f64], grad: &mut [f64]) {
        let (width, dim) = (x.width(), self.dim());
        assert!(x.dim() == dim && energy.len() == width && grad.len() == x.data().len());
        self.basis.gram().1.product(x.data(), grad);
        energy.fill(self.offset);
        for (l, (grad, pull)) in grad.chunks_exact_mut(width).zip(&self.pull).enumerate() {
            let entries = grad.iter_mut().zip(x.entry(l)).zip(energy.iter_mut());
            match self.basis.prior {
                Prior::Gaussian => {
                    for ((grad, a), energy) in entries {
                        *energy += a * (0.5 * (*grad + a) - pull);
                        *grad += a - pull;
                    }
                }
                Prior::Laplace => {
                    for ((grad, a), energy) in entries {
                        *energy += a * (0.5 * *grad - pull) + a.abs();
                        *grad += sign(*a) - pull;
                    }
                }
            }
        }
    }

    fn gradient_cost(&self) -> usize {
        self.dim() * (self.dim() / 2 + 5)
    }
}

impl Reference for LinearGenerative {
    /// ln p(x), at the posterior's mean μ: `p(x) = p(x, μ) / p(μ|x)`.
    fn log_z(&self) -> f64 {
        let posterior = self.posterior();
        let mut energy = [0.0];
        self.energy(Batch::new(self.dim(), posterior.mean()), &mut energy);
        posterior.log_z() - energy[0]
    }

    fn draw(&self, rng: &mut ChainRng, out: &mut [f64]) {
        self.posterior().draw(rng, out);
    }
}

impl Model for LinearGenerative {
    fn kind(&self) -> &'static str {
        "linearGenerative"
    }

    fn spec(&self) -> ModelSpec {
        ModelSpec::LinearGenerative(LinearGenerativeSpec {
            num_observed: self.basis.num_observed,
            num_latent: self.basis.num_latent,
            prior: self.basis.prior,
            basis: Some(self.basis.rows.clone()),
            noise: self.basis.noise,
            observed: Some(self.observed.clone()),
        })
    }

    fn boxed_clone(&self) -> Box<dyn Model> {
        Box::new(self.clone())
    }

    /// With a Gaussian prior.
    fn provide_reference(&self) -> Option<&dyn Reference> {
        (self.basis.prior == Prior::Gaussian).then_some(self as &dyn Reference)
    }

    fn provide_generative(&self) -> Option<&dyn Generative> {
        Some(self)
    }

    capabilities!(Differentiable, Parametric);

    fn given(&self, observed: &[f64]) -> Option<Box<dyn Model>> {
        Some(Box::new(self.given(observed)))
    }
}
