//! Bilinear generative model of x ∈ ℝᴹ: `x = Φa + n`, n ~ N(0, σ² I), whose
//! coefficients are products of two kinds of factors,
//!
//! `a = (Θc) ⊙ (Ψd)`, `p(c) = 2^{−K_c} exp(−|c|₁)`, `p(d) = exp(−Σ d)` where d ≥ 0,
//!
//! a ∈ ℝᴸ, c ∈ ℝ^{K_c}, d ∈ ℝ₊^{K_d} (Sohl-Dickstein 2012, eq. 5.17 to 5.19, where the
//! normalizer of p(c) is misprinted as 2; Culpepper et al. 2011).
//!
//! As an energy it is a model of the factors `[c, d]` at a given x,
//!
//! `E(c, d) = |x − Φa|² / 2σ² + (M/2) ln 2πσ² + |c|₁ + K_c ln 2 + Σ d`
//!
//! under the constraints d ≥ 0, so that `log Z = ln p(x)`. It is known for Φ = 0: `−|x|² / 2σ² −
//! (M/2) ln 2πσ²` (5.25).
//!
//! Parameters: Φ, row-major `[M, L]`; Θ, `[L, K_c]`; Ψ, `[L, K_d]`. σ is fixed.

mod joint;
#[cfg(test)]
mod tests;

use super::filters::sign;
use super::observed::Observed;
use super::{Model, ModelSpec, capabilities};
use crate::Result;
use crate::checks::check_numbers;
use crate::checks::check_positive;
use crate::checks::{append, check_count};
use crate::energy::{Differentiable, Energy, Generative, HalfSpace};
use crate::linalg::{Batch, Block, product, transpose, with_scratch};
use crate::math::ln;
use std::f64::consts::{LN_2, PI};
use std::sync::Arc;
use unnorm_wire::spec;

/// Maximum of M, L, K_c and K_d.
pub const MAX_DIM: usize = 1024;

/// The spec of the bilinear generative model.
#[spec]
pub struct BilinearGenerativeSpec {
    /// M, the number of observed dimensions.
    pub num_observed: usize,
    /// L, the number of coefficients.
    pub num_coefficients: usize,
    /// K_c, the number of factors with a Laplace prior: the first entries of a state.
    pub num_signed: usize,
    /// K_d, the number of nonnegative factors, with an exponential prior: the other entries of a
    /// state.
    pub num_positive: usize,
    /// Φ, row-major `[numObserved, numCoefficients]`, one basis function per column; all zero if
    /// absent. A fit that starts from zeros must add noise to them, by `init: { kind: 'normal' }`.
    pub basis: Option<Vec<f64>>,
    /// Θ, row-major `[numCoefficients, numSigned]`; all zero if absent.
    pub theta: Option<Vec<f64>>,
    /// Ψ, row-major `[numCoefficients, numPositive]`; all zero if absent.
    pub psi: Option<Vec<f64>>,
    /// σ, the standard deviation of the noise; 0.1 if absent.
    #[serde(default = "tenth")]
    pub noise: f64,
    /// The observed x, `[numObserved]`; zero if absent.
    pub observed: Option<Vec<f64>>,
}

fn tenth() -> f64 {
    0.1
}

/// The dimensions of the model.
#[derive(Debug, Clone, Copy)]
struct Shape {
    /// The number of observed dimensions, M.
    observed: usize,
    /// The number of coefficients, L.
    coefficients: usize,
    /// The number of factors with a Laplace prior, K_c.
    signed: usize,
    /// The number of nonnegative factors, K_d.
    positive: usize,
}

impl Shape {
    /// Splits numbers in the order of the parameters into Φ, Θ and Ψ.
    fn split<'a>(&self, params: &'a [f64]) -> [&'a [f64]; 3] {
        let (basis, rest) = params.split_at(self.observed * self.coefficients);
        let (theta, psi) = rest.split_at(self.coefficients * self.signed);
        [basis, theta, psi]
    }

    fn split_mut<'a>(&self, params: &'a mut [f64]) -> [&'a mut [f64]; 3] {
        let (basis, rest) = params.split_at_mut(self.observed * self.coefficients);
        let (theta, psi) = rest.split_at_mut(self.coefficients * self.signed);
        [basis, theta, psi]
    }
}

/// The parts of the model that do not depend on x.
#[derive(Debug, Clone)]
struct Mixing {
    shape: Shape,
    noise: f64,
    params: Vec<f64>,
    /// The transposes Φᵀ, Θᵀ and Ψᵀ.
    transposed: [Vec<f64>; 3],
    /// The constraints d ≥ 0.
    constraints: Vec<HalfSpace>,
}

/// The bilinear generative model at one x; see the module documentation.
#[derive(Debug, Clone)]
pub struct BilinearGenerative {
    mixing: Arc<Mixing>,
    observed: Vec<f64>,
}

impl BilinearGenerativeSpec {
    /// Checks the spec and builds the model.
    ///
    /// # Errors
    /// [`crate::Error::InvalidSpec`] or [`crate::Error::TooLarge`], naming the field.
    pub fn build(&self) -> Result<BilinearGenerative> {
        let Self { num_observed: m, num_coefficients: l, .. } = *self;
        let (signed, positive) = (self.num_signed, self.num_positive);
        check_count("model.numObserved", m, 1, MAX_DIM, "observed dimensions")?;
        check_count("model.numCoefficients", l, 1, MAX_DIM, "coefficients")?;
        check_count("model.numSigned", signed, 1, MAX_DIM, "factors")?;
        check_count("model.numPositive", positive, 1, MAX_DIM, "factors")?;
        check_positive("model.noise", self.noise)?;
        let mut params = Vec::new();
        append("model.basis", &self.basis, m * l, 0.0, &mut params)?;
        append("model.theta", &self.theta, l * signed, 0.0, &mut params)?;
        append("model.psi", &self.psi, l * positive, 0.0, &mut params)?;
        let observed = self.observed.clone().unwrap_or_else(|| vec![0.0; m]);
        check_numbers("model.observed", &observed, m)?;
        let constraint = |factor: usize| {
            let mut normal = vec![0.0; signed + positive];
            normal[signed + factor] = 1.0;
            HalfSpace { normal, offset: 0.0 }
        };
        let mut mixing = Mixing {
            shape: Shape { observed: m, coefficients: l, signed, positive },
            noise: self.noise,
            params,
            transposed: [m * l, l * signed, l * positive].map(|len| vec![0.0; len]),
            constraints: (0..positive).map(constraint).collect(),
        };
        mixing.transpose();
        Ok(BilinearGenerative { mixing: Arc::new(mixing), observed })
    }

    /// Small models for the laws.
    pub fn examples() -> Vec<Self> {
        let small = Self {
            num_observed: 1,
            num_coefficients: 1,
            num_signed: 1,
            num_positive: 1,
            basis: Some(vec![1.5]),
            theta: Some(vec![0.7]),
            psi: Some(vec![1.2]),
            noise: 0.5,
            observed: Some(vec![0.4]),
        };
        let large = Self {
            num_observed: 2,
            num_coefficients: 3,
            num_signed: 2,
            num_positive: 3,
            basis: Some(vec![1.0, 0.5, -0.5, 0.2, -1.0, 0.8]),
            theta: Some(vec![0.5, -0.3, 0.2, 1.0, -0.7, 0.4]),
            psi: Some(vec![0.6, 0.1, -0.2, 0.3, 0.9, 0.2, -0.1, 0.4, 0.7]),
            noise: 0.8,
            observed: Some(vec![0.7, -1.0]),
        };
        vec![small.clone(), large, Self { basis: None, theta: None, ..small }]
    }
}

impl Mixing {
    /// Updates the transposed matrices.
    fn transpose(&mut self) {
        let Shape { observed, coefficients, signed, positive } = self.shape;
        let sizes = [(observed, coefficients), (coefficients, signed), (coefficients, positive)];
        let matrices = self.shape.split(&self.params).into_iter().zip(&mut self.transposed);
        for ((num_rows, num_columns), (from, to)) in sizes.into_iter().zip(matrices) {
            transpose(num_columns, num_rows, from, to);
        }
    }

    /// Φa at factors c and d: the means of x, `[M]`.
    fn means(&self, c: &[f64], d: &[f64]) -> Vec<f64> {
        let [basis, theta, psi] = self.shape.split(&self.params);
        let dot = |row: &[f64], x: &[f64]| row.iter().zip(x).map(|(a, b)| a * b).sum::<f64>();
        let lines = theta.chunks_exact(c.len()).zip(psi.chunks_exact(d.len()));
        let a: Vec<f64> = lines.map(|(theta, psi)| dot(theta, c) * dot(psi, d)).collect();
        basis.chunks_exact(a.len()).map(|row| dot(row, &a)).collect()
    }

    /// The normalizers of noise and priors, in nats.
    fn normalizer(&self) -> f64 {
        0.5 * self.shape.observed as f64 * ln(2.0 * PI * self.noise * self.noise)
            + self.shape.signed as f64 * LN_2
    }
}

/// Intermediate values for a block of states: `[L, width]` each, except r.
struct Forward<'a> {
    /// The product Θc.
    signed: &'a mut [f64],
    /// The product Ψd.
    positive: &'a mut [f64],
    /// The coefficients a.
    coefficients: &'a mut [f64],
    /// ∂E/∂a = Φᵀr/σ².
    slopes: &'a mut [f64],
    /// r/σ², r = Φa − x, `[M, width]`.
    rest: &'a mut [f64],
}

impl Mixing {
    /// Number of temporary values per state that [`Mixing::forward`] needs.
    fn num_forward(&self) -> usize {
        4 * self.shape.coefficients + self.shape.observed
    }

    /// Energies of states, and the intermediate values for their gradients.
    fn forward<'a>(
        &self,
        observed: Observed<'_>,
        states: Block<'_>,
        room: &'a mut [f64],
        energy: &mut [f64],
    ) -> Forward<'a> {
        let Shape { observed: m, coefficients: l, signed: k, positive: num_positive } = self.shape;
        let width = states.width();
        let (c, d) = states.data().split_at(k * width);
        let [basis, theta, psi] = self.shape.split(&self.params);
        let (signed, room) = room.split_at_mut(l * width);
        let (positive, room) = room.split_at_mut(l * width);
        let (coefficients, room) = room.split_at_mut(l * width);
        let (slopes, room) = room.split_at_mut(l * width);
        let rest = &mut room[..m * width];
        product(l, k, theta, c, signed);
        product(l, num_positive, psi, d, positive);
        for ((a, signed), positive) in coefficients.iter_mut().zip(&*signed).zip(&*positive) {
            *a = signed * positive;
        }
        product(m, l, basis, coefficients, rest);
        observed.subtract(rest);
        energy.fill(self.normalizer());
        let precision = 1.0 / (self.noise * self.noise);
        for rest in rest.chunks_exact_mut(width) {
            for (rest, energy) in rest.iter_mut().zip(&mut *energy) {
                *energy += 0.5 * precision * *rest * *rest;
                *rest *= precision;
            }
        }
        for c in c.chunks_exact(width) {
            energy.iter_mut().zip(c).for_each(|(energy, c)| *energy += c.abs());
        }
        for d in d.chunks_exact(width) {
            energy.iter_mut().zip(d).for_each(|(energy, d)| *energy += d);
        }
        product(l, m, &self.transposed[0], rest, slopes);
        Forward { signed, positive, coefficients, slopes, rest }
    }

    /// Energies and gradients: `∂E/∂c = Θᵀ(s ⊙ Ψd) + sign c`, `∂E/∂d = Ψᵀ(s ⊙ Θc) + 1`,
    /// s = ∂E/∂a.
    fn energy_grad(
        &self,
        observed: Observed<'_>,
        states: Block<'_>,
        energy: &mut [f64],
        grad: &mut [f64],
    ) {
        let (shape, width) = (self.shape, states.width());
        assert!(states.dim() == shape.signed + shape.positive && energy.len() == width);
        assert_eq!(grad.len(), states.data().len());
        let (c_grad, d_grad) = grad.split_at_mut(shape.signed * width);
        with_scratch([self.num_forward() * width], |[room]| {
            let forward = self.forward(observed, states, room, energy);
            let [_, theta, psi] = &self.transposed;
            scale(forward.slopes, forward.positive);
            product(shape.signed, shape.coefficients, theta, forward.positive, c_grad);
            scale(forward.slopes, forward.signed);
            product(shape.positive, shape.coefficients, psi, forward.signed, d_grad);
        });
        c_grad.iter_mut().zip(states.data()).for_each(|(grad, c)| *grad += sign(*c));
        d_grad.iter_mut().for_each(|grad| *grad += 1.0);
    }
}

/// `to ← by ⊙ to`.
fn scale(by: &[f64], to: &mut [f64]) {
    to.iter_mut().zip(by).for_each(|(to, by)| *to *= by);
}

impl Energy for BilinearGenerative {
    fn dim(&self) -> usize {
        self.mixing.shape.signed + self.mixing.shape.positive
    }

    fn energy(&self, x: Batch<'_>, out: &mut [f64]) {
        assert!(x.dim() == self.dim() && x.len() == out.len());
        let precision = 1.0 / (self.mixing.noise * self.mixing.noise);
        for (state, out) in x.states().zip(out) {
            let (c, d) = state.split_at(self.mixing.shape.signed);
            let means = self.mixing.means(c, d).into_iter().zip(&self.observed);
            let square: f64 = means.map(|(mean, x)| (x - mean) * (x - mean)).sum();
            let of_priors = c.iter().map(|c| c.abs()).sum::<f64>() + d.iter().sum::<f64>();
            *out = 0.5 * precision * square + of_priors + self.mixing.normalizer();
        }
    }
}

impl Differentiable for BilinearGenerative {
    fn energy_grad(&self, x: Block<'_>, energy: &mut [f64], grad: &mut [f64]) {
        self.mixing.energy_grad(Observed::Same(&self.observed), x, energy, grad);
    }

    fn gradient_cost(&self) -> usize {
        let shape = self.mixing.shape;
        shape.coefficients * ((shape.observed + self.dim()) / 3 + 5)
    }

    fn constraints(&self) -> &[HalfSpace] {
        &self.mixing.constraints
    }
}

impl Model for BilinearGenerative {
    fn kind(&self) -> &'static str {
        "bilinearGenerative"
    }

    fn spec(&self) -> ModelSpec {
        let mixing = &self.mixing;
        let [basis, theta, psi] =
            mixing.shape.split(&mixing.params).map(|matrix| Some(matrix.to_vec()));
        ModelSpec::BilinearGenerative(BilinearGenerativeSpec {
            num_observed: mixing.shape.observed,
            num_coefficients: mixing.shape.coefficients,
            num_signed: mixing.shape.signed,
            num_positive: mixing.shape.positive,
            basis,
            theta,
            psi,
            noise: mixing.noise,
            observed: Some(self.observed.clone()),
        })
    }

    fn boxed_clone(&self) -> Box<dyn Model> {
        Box::new(self.clone())
    }

    fn provide_generative(&self) -> Option<&dyn Generative> {
        Some(self)
    }

    capabilities!(Differentiable, Parametric);

    fn given(&self, observed: &[f64]) -> Option<Box<dyn Model>> {
        Some(Box::new(self.given(observed)))
    }
}
