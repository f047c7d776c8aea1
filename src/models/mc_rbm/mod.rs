//! Boltzmann machine of means and covariances, mcRBM, x ∈ ℝᴹ, with its binary hidden units summed
//! out:
//!
//! `E(x) = −Σ_k softplus(½ Σ_l P_lk y_l + b^c_k) − Σ_j softplus(W_j x + b^m_j)
//!         + |x|² / 2σ² − x·b^v`, `y_l = (C_l x)² / (|x|² + ½)`
//!
//! (Sohl-Dickstein 2012, eq. 5.24, where b^v is misprinted with K entries; Ranzato and Hinton
//! 2010). Covariance units k pool the squared responses of factors l to the direction of x; mean
//! units j depend on x itself.
//!
//! As y_l is at most |C_l|², and softplus grows no faster than its argument, the quadratic term
//! dominates for large |x|: Z is finite for all parameters, including all signs of P. (Ranzato and
//! Hinton keep P ≤ 0, so that a filter's response switches its unit off; here it is free, as no
//! penalty was needed in 5.4.) No closed form of log Z is known.
//!
//! Parameters, all of them learned: P, row-major `[L, K]`; C, `[L, M]`; W, `[J, M]`; b^c `[K]`; b^m
//! `[J]`; b^v `[M]`; ln σ, which keeps σ positive.

mod gradients;

use super::filters::Filters;
use super::softplus::sum_units;
use super::{Model, ModelSpec, capabilities};
use crate::Result;
use crate::checks::check_positive;
use crate::checks::{append, check_count};
use crate::energy::{Differentiable, Energy};
use crate::linalg::{Batch, Block, dot, transpose, with_scratch};
use crate::math::{exp, ln, softplus};
use unnorm_wire::spec;

/// Maximum dimension M.
pub const MAX_DIM: usize = 1024;

/// Maximum number of factors, and of units of each kind.
pub const MAX_UNITS: usize = 4096;

/// The spec of the mcRBM.
#[spec]
pub struct McRbmSpec {
    /// Number of dimensions M.
    pub dim: usize,
    /// L, the number of factors.
    pub num_factors: usize,
    /// K, the number of covariance units.
    pub num_covariance_units: usize,
    /// J, the number of mean units; may be 0.
    pub num_mean_units: usize,
    /// P, row-major `[numFactors, numCovarianceUnits]`; if absent, −1 where l and k are equal
    /// modulo K, else 0: minus the identity for L = K.
    pub pooling: Option<Vec<f64>>,
    /// C, row-major `[numFactors, dim]`, one filter per row; all zero if absent. A fit that starts
    /// from zeros must add noise to them, by `init: { kind: 'normal' }`.
    pub filters: Option<Vec<f64>>,
    /// W, row-major `[numMeanUnits, dim]`; all zero if absent.
    pub weights: Option<Vec<f64>>,
    /// b^c, `[numCovarianceUnits]`; all zero if absent.
    pub covariance_bias: Option<Vec<f64>>,
    /// b^m, `[numMeanUnits]`; all zero if absent.
    pub mean_bias: Option<Vec<f64>>,
    /// b^v, `[dim]`; all zero if absent.
    pub visible_bias: Option<Vec<f64>>,
    /// σ, greater than 0; 1 if absent.
    #[serde(default = "one")]
    pub sigma: f64,
}

fn one() -> f64 {
    1.0
}

/// The mcRBM; see the module documentation.
#[derive(Debug, Clone)]
pub struct McRbm {
    params: Vec<f64>,
    /// The transposed pooling matrix Pᵀ, `[K, L]`.
    pooling: Filters,
    /// The filters C.
    filters: Filters,
    /// The weights W.
    weights: Filters,
    sigma: f64,
}

impl McRbmSpec {
    /// Checks the spec and builds the model.
    ///
    /// # Errors
    /// [`crate::Error::InvalidSpec`] or [`crate::Error::TooLarge`], naming the field.
    pub fn build(&self) -> Result<McRbm> {
        let Self { dim, num_factors: l, num_covariance_units: k, num_mean_units: j, .. } = *self;
        check_count("model.dim", dim, 1, MAX_DIM, "dimensions")?;
        check_count("model.numFactors", l, 1, MAX_UNITS, "factors")?;
        check_count("model.numCovarianceUnits", k, 1, MAX_UNITS, "covariance units")?;
        check_count("model.numMeanUnits", j, 0, MAX_UNITS, "mean units")?;
        check_positive("model.sigma", self.sigma)?;
        let mut params = Vec::new();
        append("model.pooling", &self.pooling, l * k, 0.0, &mut params)?;
        if self.pooling.is_none() {
            (0..l.max(k)).for_each(|at| params[at % l * k + at % k] = -1.0);
        }
        append("model.filters", &self.filters, l * dim, 0.0, &mut params)?;
        append("model.weights", &self.weights, j * dim, 0.0, &mut params)?;
        append("model.covarianceBias", &self.covariance_bias, k, 0.0, &mut params)?;
        append("model.meanBias", &self.mean_bias, j, 0.0, &mut params)?;
        append("model.visibleBias", &self.visible_bias, dim, 0.0, &mut params)?;
        params.push(ln(self.sigma));
        let zeros = |count: usize| vec![0.0; count];
        let mut model = McRbm {
            params,
            pooling: Filters::new(l, &zeros(l * k)),
            filters: Filters::new(dim, &zeros(l * dim)),
            weights: Filters::new(dim, &zeros(j * dim)),
            sigma: self.sigma,
        };
        model.derive();
        Ok(model)
    }

    /// Small models for the laws, with and without mean units.
    pub fn examples() -> Vec<Self> {
        let numbers = |count: usize, factor: usize| {
            Some((0..count).map(|at| ((at + 1) * factor % 13) as f64 / 5.0 - 1.2).collect())
        };
        let large = Self {
            dim: 3,
            num_factors: 4,
            num_covariance_units: 2,
            num_mean_units: 3,
            pooling: numbers(8, 5),
            filters: numbers(12, 7),
            weights: numbers(9, 4),
            covariance_bias: Some(vec![0.5, -0.8]),
            mean_bias: Some(vec![0.2, -0.4, 1.0]),
            visible_bias: Some(vec![0.3, -0.5, 0.1]),
            sigma: 0.7,
        };
        let small = Self {
            dim: 1,
            num_factors: 2,
            num_covariance_units: 3,
            num_mean_units: 0,
            pooling: None,
            filters: Some(vec![2.0, -1.0]),
            weights: None,
            mean_bias: None,
            covariance_bias: Some(vec![1.0, 0.0, -1.0]),
            visible_bias: None,
            sigma: 1.0,
        };
        vec![small, large]
    }
}

/// The parts of the parameters, or of a gradient in them.
struct Parts<T> {
    pooling: T,
    filters: T,
    weights: T,
    covariance_bias: T,
    mean_bias: T,
    visible_bias: T,
}

impl McRbm {
    fn parts(&self) -> Parts<&[f64]> {
        let (pooling, rest) = self.params.split_at(self.pooling.rows().len());
        let (filters, rest) = rest.split_at(self.filters.rows().len());
        let (weights, rest) = rest.split_at(self.weights.rows().len());
        let (covariance_bias, rest) = rest.split_at(self.pooling.len());
        let (mean_bias, rest) = rest.split_at(self.weights.len());
        let visible_bias = &rest[..self.filters.dim()];
        Parts { pooling, filters, weights, covariance_bias, mean_bias, visible_bias }
    }

    /// Computes what follows from the parameters other than σ.
    fn derive(&mut self) {
        let Parts { pooling, filters, weights, .. } = self.parts();
        let (num_factors, num_units) = (self.pooling.dim(), self.pooling.len());
        let mut turned = vec![0.0; pooling.len()];
        transpose(num_units, num_factors, pooling, &mut turned);
        let (filters, weights) = (filters.to_vec(), weights.to_vec());
        self.pooling.set(&turned);
        self.filters.set(&filters);
        self.weights.set(&weights);
    }

    /// `n = |x|² + ½` for states side by side.
    fn norms(x: Block<'_>, norms: &mut [f64]) {
        norms.fill(0.5);
        for d in 0..x.dim() {
            norms.iter_mut().zip(x.entry(d)).for_each(|(norm, x)| *norm += x * x);
        }
    }

    /// Computes f = Cx, y, and the inputs of the covariance units.
    fn pool(&self, x: Block<'_>, norms: &[f64], f: &mut [f64], y: &mut [f64], units: &mut [f64]) {
        let width = x.width();
        self.filters.respond_all(x, f);
        for (f, y) in f.chunks_exact(width).zip(y.chunks_exact_mut(width)) {
            for ((f, y), norm) in f.iter().zip(y).zip(norms) {
                *y = f * f / norm;
            }
        }
        self.pooling.respond_all(Block::new(self.pooling.dim(), y), units);
        let bias = self.parts().covariance_bias;
        for (units, bias) in units.chunks_exact_mut(width).zip(bias) {
            units.iter_mut().for_each(|unit| *unit = 0.5 * *unit + bias);
        }
    }

    /// Computes the inputs of the mean units.
    fn respond(&self, x: Block<'_>, units: &mut [f64]) {
        self.weights.respond_all(x, units);
        for (units, bias) in units.chunks_exact_mut(x.width()).zip(self.parts().mean_bias) {
            units.iter_mut().for_each(|unit| *unit += bias);
        }
    }
}

impl Energy for McRbm {
    fn dim(&self) -> usize {
        self.filters.dim()
    }

    fn energy(&self, x: Batch<'_>, out: &mut [f64]) {
        assert!(x.dim() == self.dim() && x.len() == out.len());
        let parts = self.parts();
        for (state, out) in x.states().zip(out) {
            let norm = dot(state, state) + 0.5;
            let y: Vec<f64> = self.filters.respond(state).map(|f| f * f / norm).collect();
            let pooled = self.pooling.respond(&y).zip(parts.covariance_bias);
            let of_covariances: f64 = pooled.map(|(t, bias)| softplus(0.5 * t + bias)).sum();
            let seen = self.weights.respond(state).zip(parts.mean_bias);
            let of_means: f64 = seen.map(|(u, bias)| softplus(u + bias)).sum();
            let square = dot(state, state) / (2.0 * self.sigma * self.sigma);
            *out = square - dot(state, parts.visible_bias) - of_covariances - of_means;
        }
    }
}

impl Differentiable for McRbm {
    /// With h and g the means of the units, z = −½ Ph: `∂E/∂x = Cᵀ(2 z f/n) −
    /// (2/n) (Σ_l z_l y_l) x − Wᵀg + x/σ² − b^v`.
    fn energy_grad(&self, x: Block<'_>, energy: &mut [f64], grad: &mut [f64]) {
        let (width, dim, num_factors) = (x.width(), self.dim(), self.pooling.dim());
        assert!(x.dim() == dim && energy.len() == width && grad.len() == x.data().len());
        let (num_pooling, num_means) = (self.pooling.len(), self.weights.len());
        let lens = [num_factors, num_factors, num_factors, num_pooling, num_means, dim, 1, 1, 1];
        let work = |[f, y, z, units, means, back, norms, inner, factors]: [&mut [f64]; 9]| {
            Self::norms(x, norms);
            self.pool(x, norms, f, y, units);
            self.respond(x, means);
            energy.fill(0.0);
            sum_units(units, factors, energy);
            sum_units(means, factors, energy);
            energy.iter_mut().for_each(|energy| *energy = -*energy);
            self.pooling.pull_back(units, z);
            self.weights.pull_back(means, back);
            // Replaces f by 2zf/n; `inner` becomes Σ zy.
            inner.fill(0.0);
            let lines = f.chunks_exact_mut(width).zip(y.chunks_exact(width));
            for ((f, y), z) in lines.zip(z.chunks_exact(width)) {
                for c in 0..width {
                    inner[c] -= 0.5 * z[c] * y[c];
                    f[c] *= -z[c] / norms[c];
                }
            }
            self.filters.pull_back(f, grad);
            let precision = 1.0 / (self.sigma * self.sigma);
            // As a factor of x; the norms are no longer needed.
            for (norm, inner) in norms.iter_mut().zip(inner) {
                *norm = precision - 2.0 * *inner / *norm;
            }
            let lines = grad.chunks_exact_mut(width).zip(back.chunks_exact(width));
            for (d, (grad, back)) in lines.enumerate() {
                let (x, bias) = (x.entry(d), self.parts().visible_bias[d]);
                for c in 0..width {
                    energy[c] += x[c] * (0.5 * precision * x[c] - bias);
                    grad[c] += norms[c] * x[c] - back[c] - bias;
                }
            }
        };
        with_scratch(lens.map(|len| len * width), work);
    }

    fn gradient_cost(&self) -> usize {
        let (num_pooling, num_means) = (self.pooling.len(), self.weights.len());
        self.pooling.dim() * ((self.dim() + num_pooling) / 3 + 4)
            + num_means * (self.dim() / 3 + 8)
            + 8 * num_pooling
    }
}

impl Model for McRbm {
    fn kind(&self) -> &'static str {
        "mcRbm"
    }

    fn spec(&self) -> ModelSpec {
        let parts = self.parts();
        ModelSpec::McRbm(McRbmSpec {
            dim: self.dim(),
            num_factors: self.pooling.dim(),
            num_covariance_units: self.pooling.len(),
            num_mean_units: self.weights.len(),
            pooling: Some(parts.pooling.to_vec()),
            filters: Some(parts.filters.to_vec()),
            weights: Some(parts.weights.to_vec()),
            covariance_bias: Some(parts.covariance_bias.to_vec()),
            mean_bias: Some(parts.mean_bias.to_vec()),
            visible_bias: Some(parts.visible_bias.to_vec()),
            sigma: self.sigma,
        })
    }

    fn boxed_clone(&self) -> Box<dyn Model> {
        Box::new(self.clone())
    }

    capabilities!(Differentiable, Parametric, ScoreGradient);
}

/// σ from its logarithm, neither 0 nor infinite, so that the spec can always be read again.
fn sigma_of(log: f64) -> f64 {
    exp(log).clamp(f64::MIN_POSITIVE, f64::MAX)
}
