//! Boltzmann machine with Gaussian visible and binary hidden units, x ∈ ℝᴰ:
//!
//! `E(x) = Σ_i (x_i − c_i)² / 2σ_i² − Σ_j softplus(b_j + Σ_i W_ji x_i / σ_i)`,
//!
//! with the hidden units summed out of `E(x, h) = Σ_i (x_i − c_i)² / 2σ_i² − Σ_ij W_ji h_j x_i /
//! σ_i − Σ_j b_j h_j` (Risteski 2021, "RBMs for image data", with the sign of the quadratic term
//! and the mean of x given h corrected; Welling et al. 2004). Given h, x is normal with mean `c_i +
//! σ_i Σ_j W_ji h_j`, so this is a mixture of 2ᴴ Gaussians with one covariance,
//!
//! `log Z = Σ_i ln(σ_i √2π) + ln Σ_h exp(bᵀh + Σ_i (Wᵀh)_i c_i / σ_i + ½ |Wᵀh|²)`,
//!
//! finite for all parameters. Up to 16 hidden units are enumerated, which gives log Z and exact
//! draws.
//!
//! Parameters: W, row-major `[H, D]`; c `[D]`; b `[H]`; ln σ `[D]`, which keeps σ positive.

mod enumeration;
mod gradients;

use super::filters::Filters;
use super::softplus::sum_units;
use super::{Model, ModelSpec, capabilities};
use crate::Result;
use crate::checks::{append, check_count, check_num_weights, check_positive};
use crate::energy::{BlockDraws, Differentiable, Energy, HiddenMeans, LogZGradient, Reference};
use crate::linalg::{Batch, Block, dot, transpose, with_scratch};
use crate::math::{exp, ln, sigmoid, softplus};
use crate::rng::{ChainRng, Purpose, normal, stream, uniform};
use enumeration::Enumeration;
use std::sync::OnceLock;
use unnorm_wire::spec;

/// Maximum number of units of either kind.
pub const MAX_UNITS: usize = 1 << 14;

/// Maximum number of weights.
pub const MAX_WEIGHTS: usize = 1 << 22;

/// Maximum number of hidden units whose states are enumerated.
pub const MAX_ENUMERATED: usize = 16;

/// The spec of the Gaussian–binary Boltzmann machine.
#[spec]
pub struct GaussianRbmSpec {
    /// Number of visible units D: the dimensions.
    pub num_visible: usize,
    /// Number of hidden units H.
    pub num_hidden: usize,
    /// W, row-major `[hidden, visible]`; all zero if absent. A fit that starts from
    /// zeros must add noise to them, by `init: { kind: 'normal' }`.
    pub weights: Option<Vec<f64>>,
    /// c, `[visible]`: the mean when all hidden units are 0; all zero if absent.
    pub visible_bias: Option<Vec<f64>>,
    /// b, `[hidden]`; all zero if absent.
    pub hidden_bias: Option<Vec<f64>>,
    /// σ, `[visible]`, each greater than 0: the standard deviations of the visible
    /// units given the hidden ones; ones if absent.
    pub sigma: Option<Vec<f64>>,
}

/// The Gaussian–binary Boltzmann machine; see the module documentation.
#[derive(Debug, Clone)]
pub struct GaussianRbm {
    params: Vec<f64>,
    sigma: Vec<f64>,
    /// The scaled weights V, `V_ji = W_ji / σ_i`.
    scaled: Filters,
    /// Results of enumerating the hidden units' states; computed on first use.
    enumeration: OnceLock<Enumeration>,
}

impl GaussianRbmSpec {
    /// Checks the spec and builds the model.
    ///
    /// # Errors
    /// [`crate::Error::InvalidSpec`] or [`crate::Error::TooLarge`], naming the field.
    pub fn build(&self) -> Result<GaussianRbm> {
        let (dim, num_hidden) = (self.num_visible, self.num_hidden);
        check_count("model.numVisible", dim, 1, MAX_UNITS, "units")?;
        check_count("model.numHidden", num_hidden, 1, MAX_UNITS, "units")?;
        check_num_weights(num_hidden, dim, MAX_WEIGHTS)?;
        let mut params = Vec::new();
        append("model.weights", &self.weights, dim * num_hidden, 0.0, &mut params)?;
        append("model.visibleBias", &self.visible_bias, dim, 0.0, &mut params)?;
        append("model.hiddenBias", &self.hidden_bias, num_hidden, 0.0, &mut params)?;
        let mut sigma = Vec::new();
        append("model.sigma", &self.sigma, dim, 1.0, &mut sigma)?;
        for (i, &sigma) in sigma.iter().enumerate() {
            check_positive(&format!("model.sigma[{i}]"), sigma)?;
        }
        params.extend(sigma.iter().map(|&sigma| ln(sigma)));
        let scaled = Filters::new(dim, &params[..dim * num_hidden]);
        let mut model = GaussianRbm { params, sigma, scaled, enumeration: OnceLock::new() };
        model.derive();
        Ok(model)
    }

    /// A model whose weights and biases are normal with mean 0 and standard deviation `scale`: for
    /// examples and tests.
    pub fn random(num_visible: usize, num_hidden: usize, scale: f64, seed: u64) -> Self {
        let mut rng = stream(seed, Purpose::Example, num_visible as u64);
        let mut draw = |count| Some((0..count).map(|_| scale * normal(&mut rng)).collect());
        Self {
            num_visible,
            num_hidden,
            weights: draw(num_visible * num_hidden),
            visible_bias: draw(num_visible),
            hidden_bias: draw(num_hidden),
            sigma: None,
        }
    }

    /// Small models for the laws: with one, some and too many hidden units to enumerate.
    pub fn examples() -> Vec<Self> {
        let plain = Self {
            num_visible: 1,
            num_hidden: 1,
            weights: Some(vec![2.0]),
            visible_bias: None,
            hidden_bias: Some(vec![-1.0]),
            sigma: None,
        };
        let some = Self {
            num_visible: 2,
            num_hidden: 3,
            weights: Some(vec![1.5, -0.5, 0.3, 2.0, -1.0, -0.7]),
            visible_bias: Some(vec![0.5, -0.3]),
            hidden_bias: Some(vec![-1.0, 0.2, 0.4]),
            sigma: Some(vec![0.5, 1.5]),
        };
        let num_hidden = MAX_ENUMERATED + 1;
        let many = Self {
            num_visible: 3,
            num_hidden,
            weights: Some(
                (0..3 * num_hidden).map(|at| (at * 7 % 11) as f64 / 11.0 - 0.5).collect(),
            ),
            ..plain.clone()
        };
        let many = Self { hidden_bias: None, ..many };
        vec![plain, some, many]
    }
}

impl GaussianRbm {
    fn num_hidden(&self) -> usize {
        self.scaled.len()
    }

    fn num_weights(&self) -> usize {
        self.scaled.rows().len()
    }

    /// The visible bias c.
    fn visible_bias(&self) -> &[f64] {
        &self.params[self.num_weights()..][..self.dim()]
    }

    /// The hidden bias b.
    fn hidden_bias(&self) -> &[f64] {
        &self.params[self.num_weights() + self.dim()..][..self.num_hidden()]
    }

    /// Computes what follows from W and σ.
    fn derive(&mut self) {
        let weights = &self.params[..self.num_weights()];
        let mut scaled = weights.to_vec();
        for row in scaled.chunks_exact_mut(self.sigma.len()) {
            row.iter_mut().zip(&self.sigma).for_each(|(weight, sigma)| *weight /= sigma);
        }
        self.scaled.set(&scaled);
        self.enumeration = OnceLock::new();
    }

    /// `b + Vx` for states side by side.
    fn respond(&self, x: Block<'_>, u: &mut [f64]) {
        self.scaled.respond_all(x, u);
        for (u, bias) in u.chunks_exact_mut(x.width()).zip(self.hidden_bias()) {
            u.iter_mut().for_each(|u| *u += bias);
        }
    }

    fn can_be_enumerated(&self) -> bool {
        self.num_hidden() <= MAX_ENUMERATED && self.enumeration().log_z.is_finite()
    }
}

impl Energy for GaussianRbm {
    fn dim(&self) -> usize {
        self.sigma.len()
    }

    fn energy(&self, x: Batch<'_>, out: &mut [f64]) {
        assert!(x.dim() == self.dim() && x.len() == out.len());
        for (state, out) in x.states().zip(out) {
            let off = state.iter().zip(self.visible_bias()).zip(&self.sigma);
            let square: f64 = off.map(|((x, c), sigma)| (x - c) / sigma * ((x - c) / sigma)).sum();
            let units = self.scaled.respond(state).zip(self.hidden_bias());
            *out = 0.5 * square - units.map(|(u, bias)| softplus(u + bias)).sum::<f64>();
        }
    }
}

impl Differentiable for GaussianRbm {
    /// `∂E/∂x = (x − c)/σ² − Vᵀ sigmoid(b + Vx)`.
    fn energy_grad(&self, x: Block<'_>, energy: &mut [f64], grad: &mut [f64]) {
        let (width, dim) = (x.width(), self.dim());
        assert!(x.dim() == dim && energy.len() == width && grad.len() == x.data().len());
        with_scratch([self.num_hidden() * width, width], |[units, room]| {
            self.respond(x, units);
            energy.fill(0.0);
            sum_units(units, room, energy);
            energy.iter_mut().for_each(|energy| *energy = -*energy);
            self.scaled.pull_back(units, grad);
        });
        for (d, grad) in grad.chunks_exact_mut(width).enumerate() {
            let (centre, sigma) = (self.visible_bias()[d], self.sigma[d]);
            let precision = 1.0 / (sigma * sigma);
            for ((grad, x), energy) in grad.iter_mut().zip(x.entry(d)).zip(&mut *energy) {
                let off = x - centre;
                *energy += 0.5 * precision * off * off;
                *grad = precision * off - *grad;
            }
        }
    }

    fn gradient_cost(&self) -> usize {
        self.num_hidden() * (self.dim() / 3 + 8) + 3 * self.dim()
    }

    fn as_block_draws(&self) -> Option<&dyn BlockDraws> {
        Some(self)
    }
}

impl BlockDraws for GaussianRbm {
    /// `h_j ~ σ(b_j + Σ_i W_ji x_i/σ_i)`, then `x_i ~ N(c_i + σ_i Σ_j W_ji h_j, σ_i²)`.
    fn resample(&self, x: &mut [f64], rng: &mut ChainRng) {
        let dim = self.dim();
        assert_eq!(x.len(), dim);
        with_scratch([dim], |[scaled]| {
            let entries = scaled.iter_mut().zip(&*x).zip(&self.sigma);
            entries.for_each(|((scaled, x), sigma)| *scaled = x / sigma);
            x.copy_from_slice(self.visible_bias());
            for (line, bias) in self.params.chunks_exact(dim).zip(self.hidden_bias()) {
                if uniform(rng) < sigmoid(bias + dot(line, scaled)) {
                    let mean = x.iter_mut().zip(line).zip(&self.sigma);
                    mean.for_each(|((x, weight), sigma)| *x += sigma * weight);
                }
            }
        });
        for (x, sigma) in x.iter_mut().zip(&self.sigma) {
            *x += sigma * normal(rng);
        }
    }
}

impl HiddenMeans for GaussianRbm {
    fn hidden_means(&self, x: Batch<'_>) -> Vec<f64> {
        let (width, dim) = (x.len(), self.dim());
        let mut block = vec![0.0; x.data().len()];
        transpose(dim, width, x.data(), &mut block);
        let mut units = vec![0.0; self.num_hidden() * width];
        self.respond(Block::new(dim, &block), &mut units);
        let mut means = vec![0.0; units.len()];
        transpose(width, self.num_hidden(), &units, &mut means);
        means.iter_mut().for_each(|activation| *activation = sigmoid(*activation));
        means
    }
}

impl Model for GaussianRbm {
    fn kind(&self) -> &'static str {
        "gaussianRbm"
    }

    fn spec(&self) -> ModelSpec {
        ModelSpec::GaussianRbm(GaussianRbmSpec {
            num_visible: self.dim(),
            num_hidden: self.num_hidden(),
            weights: Some(self.params[..self.num_weights()].to_vec()),
            visible_bias: Some(self.visible_bias().to_vec()),
            hidden_bias: Some(self.hidden_bias().to_vec()),
            sigma: Some(self.sigma.clone()),
        })
    }

    fn boxed_clone(&self) -> Box<dyn Model> {
        Box::new(self.clone())
    }

    /// With few enough hidden units to enumerate.
    fn provide_reference(&self) -> Option<&dyn Reference> {
        self.can_be_enumerated().then_some(self as &dyn Reference)
    }

    /// With few enough hidden units to enumerate.
    fn provide_log_z_gradient(&self) -> Option<&dyn LogZGradient> {
        self.can_be_enumerated().then_some(self as &dyn LogZGradient)
    }

    capabilities!(Differentiable, Parametric, ScoreGradient, HiddenMeans, BlockDraws);
}

/// σ from its logarithm, neither 0 nor infinite, so that the spec can always be read again.
fn sigma_of(log: f64) -> f64 {
    exp(log).clamp(f64::MIN_POSITIVE, f64::MAX)
}
