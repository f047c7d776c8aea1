//! The energy trait, the central noun of the library, and the capabilities that algorithms ask of
//! it.
//!
//! There are several capabilities rather than one large trait: an algorithm names what it needs,
//! and a model without it is refused by name ([`crate::Error::MissingCapability`]). Every model has
//! the plain form on continuous batches, which is short and easy to verify; the fast forms on
//! packed bits are tested against it.

#![forbid(unsafe_code)]

mod between_knots;
pub mod connectivity;
pub mod coordinates;
pub mod enumeration;
mod flip_loss;
mod flips;
pub mod neighbours;
mod objective;
pub mod proposal;
pub mod schedule;
pub mod shards;
mod statistics;

pub use between_knots::{BetweenKnots, LogWeights, SidesBetweenKnots, ValuesBetweenKnots};
pub use flip_loss::FlipLoss;
pub use flips::{FlipMemory, FlipWalk, SiteFlips, Walk};
pub use objective::Objective;
#[cfg(feature = "full")]
pub use objective::OwnParameter;
pub use statistics::{Mismatch, Statistic, Statistics};

use bits::{BitBatch, WeightedRows};
use enumeration::Enumeration;
use linalg::{Batch, Block};
use rng::ChainRng;
use std::ops::Range;
use unnorm_numerics::{Error, Result, bits, linalg, math, rng, sorting};
use unnorm_wire::spec;

/// An unnormalized density, `p(x) ∝ exp(−E(x))`.
pub trait Energy: Send + Sync {
    /// Entries per state.
    fn dim(&self) -> usize;

    /// `out[b] = E(x_b)`, in nats. Binary models take zeros and ones here.
    ///
    /// # Panics
    /// If the shapes do not match.
    fn energy(&self, x: Batch<'_>, out: &mut [f64]);
}

/// Models on ℝᴰ, or on a part of it bounded by constraints, with a gradient.
pub trait Differentiable: Energy {
    /// `energy[c] = E(x_c)` in nats, and `∂E/∂x` at each state in `grad`, dimension-major like `x`.
    /// Outside the support the energy is infinite or NaN, which samplers count as a divergence. The
    /// results for a state do not depend on the other states of the block.
    ///
    /// # Panics
    /// If the shapes do not match.
    fn energy_grad(&self, x: Block<'_>, energy: &mut [f64], grad: &mut [f64]);

    /// Estimated cost of the energy and gradient of one state, in nanoseconds. Work is cut by it
    /// into pieces that can be interrupted.
    fn gradient_cost(&self) -> usize {
        50 * self.dim()
    }

    /// The support: the intersection of these half-spaces; ℝᴰ by default.
    fn constraints(&self) -> &[HalfSpace] {
        &[]
    }

    /// [`BlockDraws`], if the model has it.
    fn as_block_draws(&self) -> Option<&dyn BlockDraws> {
        None
    }

    /// The smallest exponent a for which a marginal density along some line falls like `|x|^−a`;
    /// none if all fall faster. Up to 3 the variance is infinite.
    fn tail_exponent(&self) -> Option<f64> {
        None
    }
}

/// All x with `normal·x ≥ offset`. Trajectories are reflected at its boundary
/// (Sohl-Dickstein 2012, 5.2.1).
#[spec]
pub struct HalfSpace {
    /// The inward normal, `[dim]`, of any nonzero length.
    #[ts(type = "Array<number>")]
    pub normal: Vec<f64>,
    /// The smallest allowed `normal·x`.
    pub offset: f64,
}

impl HalfSpace {
    /// Whether x lies in it or on its boundary.
    ///
    /// # Panics
    /// If the dimensions differ.
    #[inline]
    pub fn contains(&self, x: &[f64]) -> bool {
        crate::linalg::dot(&self.normal, x) >= self.offset
    }

    /// Reflects x at the boundary if it lies outside.
    ///
    /// # Panics
    /// If the dimensions differ.
    #[inline]
    pub fn reflect(&self, x: &mut [f64]) {
        let depth = self.offset - crate::linalg::dot(&self.normal, x);
        if depth > 0.0 {
            let square = crate::linalg::dot(&self.normal, &self.normal);
            crate::linalg::axpy(2.0 * depth / square, &self.normal, x);
        }
    }
}

/// Models on ℝᴰ with a known log Z and exact draws: starting points of annealing, and references in
/// tests.
pub trait Reference: Energy {
    /// log Z, in nats.
    fn log_z(&self) -> f64;

    /// Draws one state exactly.
    ///
    /// # Panics
    /// If `out` does not have the model's dimension.
    fn draw(&self, rng: &mut ChainRng, out: &mut [f64]);
}

/// Independent draws from a binary model, exact up to rounding, with its log Z.
pub trait ExactDraws: Send + Sync {
    /// log Z, in nats.
    fn log_z(&self) -> f64;

    /// Draws one state into a row of packed bits.
    ///
    /// # Panics
    /// If the row does not have the number of words the model needs.
    fn draw(&self, rng: &mut ChainRng, row: &mut [u64]);
}

/// Generative models of the observed x with latent variables a: at a given x the energy is `E(a) =
/// −ln p(x, a)`, so that log Z is ln p(x).
pub trait Generative: Parametric {
    /// Number of entries of x.
    fn num_observed(&self) -> usize;

    /// Draws a state a from the prior, and x given a.
    ///
    /// # Panics
    /// If the lengths do not match.
    fn simulate(&self, rng: &mut ChainRng, observed: &mut [f64], state: &mut [f64]);

    /// Energies `−ln p(x_c, a_c)` in nats of states a, each with its own x, and their gradients in
    /// a; all dimension-major.
    ///
    /// # Panics
    /// If the shapes do not match.
    fn joint_energy_grad(
        &self,
        observed: Block<'_>,
        states: Block<'_>,
        energy: &mut [f64],
        grad: &mut [f64],
    );

    /// `part += Σ_b weights[b] [−ln p(x_b, a_b) | its gradient in θ]`; `part` is `[1 + number of
    /// parameters]`. The M step of expectation maximization needs it.
    ///
    /// # Panics
    /// If the shapes do not match.
    fn accumulate_joint(
        &self,
        observed: Batch<'_>,
        states: Batch<'_>,
        weights: &[f64],
        part: &mut [f64],
    );
}

/// Models with parameters `θ`, whose layout the model's own file documents.
pub trait Parametric: Energy {
    /// The parameters.
    fn params(&self) -> &[f64];

    /// Sets the parameters.
    ///
    /// # Panics
    /// If the length is not that of [`Parametric::params`].
    fn set_params(&mut self, params: &[f64]);

    /// Whether a parameter is a bias: it multiplies a single unit, and regularizers ignore it by
    /// default.
    fn is_bias(&self, param: usize) -> bool;

    /// `grad += Σ_b weights[b] ∂E(x_b)/∂θ`. Contrastive divergence, maximum likelihood and, through
    /// neighbours, minimum probability flow need only this.
    ///
    /// # Panics
    /// If the shapes do not match.
    fn accumulate_param_grad(&self, x: Batch<'_>, weights: &[f64], grad: &mut [f64]);

    /// [`Parametric::accumulate_param_grad`] with weights that depend on the energies: `weigh` is
    /// called with states, as a range of the batch, and their energies, and replaces these by the
    /// weights; range by range, in order. Models whose gradient shares work with their energy
    /// compute both in one pass, with the bits that [`Energy::energy`] and
    /// [`Parametric::accumulate_param_grad`] give.
    ///
    /// # Panics
    /// If the shapes do not match.
    fn accumulate_weighted_by(
        &self,
        x: Batch<'_>,
        weigh: &mut dyn FnMut(Range<usize>, &mut [f64]),
        grad: &mut [f64],
    ) {
        let mut weights = vec![0.0; x.len()];
        self.energy(x, &mut weights);
        weigh(0..x.len(), &mut weights);
        self.accumulate_param_grad(x, &weights, grad);
    }

    /// The group of each parameter, `[P]`, numbered from 0: those of a group act together, as the weights and
    /// the bias of one unit do. None if the model has no such groups.
    #[cfg(feature = "full")]
    fn groups(&self) -> Option<Vec<usize>> {
        None
    }

    /// D, if the first D² parameters are a square matrix W of filters, row-major, and ln p(x) depends on W through
    /// W x and ln |det W| alone.
    #[cfg(feature = "full")]
    fn square_filters(&self) -> Option<usize> {
        None
    }

    /// `part += weight Σ_x [E(x) | ∂E(x)/∂θ]`.
    ///
    /// # Panics
    /// If the shapes do not match.
    fn accumulate_states(&self, x: Batch<'_>, weight: f64, part: &mut [f64]) {
        let (value, grad) = part.split_at_mut(1);
        let mut sum = 0.0;
        let mut weigh = |_, energies: &mut [f64]| {
            for energy in energies {
                sum += *energy;
                *energy = weight;
            }
        };
        self.accumulate_weighted_by(x, &mut weigh, grad);
        value[0] += weight * sum;
    }

    /// `part += weight Σ_x [E(x) | ∂E(x)/∂θ]` over packed rows. Models that can exploit packed bits
    /// override this, with the same bits in the result.
    ///
    /// # Panics
    /// If the shapes do not match.
    fn accumulate_rows(&self, rows: BitBatch<'_>, weight: f64, part: &mut [f64]) {
        self.accumulate_states(Batch::new(self.dim(), &rows.to_values()), weight, part);
    }
}

/// Models on ℝᴰ that can compute how their gradients in x change with θ, as score matching needs.
pub trait ScoreGradient: Differentiable + Parametric {
    /// `grad += Σ_b weights[b] ∂/∂θ (directions_b · ∂E(x_b)/∂x)`, with the directions constant.
    ///
    /// # Panics
    /// If the shapes do not match.
    fn accumulate_score_grad(
        &self,
        x: Batch<'_>,
        directions: Batch<'_>,
        weights: &[f64],
        grad: &mut [f64],
    );

    /// `∇²E = Σ_d ∂²E/∂x_d²` and its gradient, if they are cheap: `part` is `[1 + number of
    /// parameters]`, and `part += Σ_b weights[b] [∇²E(x_b) | ∂∇²E(x_b)/∂θ]`. Returns whether they
    /// are cheap; if not, nothing is added, and `part` may have any length.
    ///
    /// # Panics
    /// If the shapes do not match.
    fn accumulate_laplacian(&self, _x: Batch<'_>, _weights: &[f64], _part: &mut [f64]) -> bool {
        false
    }

    /// `part += weight Σ_b [ℓ(x_b) | ∂ℓ(x_b)/∂θ]`, `ℓ = ½ |∇E|² − ∇²E`, if the model can do better than
    /// by what is above. Returns whether it can; if not, nothing is added.
    ///
    /// # Panics
    /// If the shapes do not match.
    fn accumulate_score_matching(&self, _x: Batch<'_>, _weight: f64, _part: &mut [f64]) -> bool {
        false
    }
}

/// Models whose log Z is known at all parameters, with its gradient, as exact maximum likelihood on
/// ℝᴰ needs.
pub trait LogZGradient: Reference + Parametric {
    /// `grad += weight ∂ log Z/∂θ`; NaN where Z is not finite.
    ///
    /// # Panics
    /// If the length is not that of the parameters.
    fn accumulate_log_z_grad(&self, weight: f64, grad: &mut [f64]);
}

/// Binary models whose energy, including the hidden units, is linear in the parameters: exponential
/// families of the visible and hidden units together. The statistic that each parameter multiplies
/// is a unit or a product of two. The statistic's mean given a visible state is then `∂E(v)/∂θ`,
/// for the energy with the hidden units summed out, so [`Parametric::accumulate_param_grad`]
/// suffices to average statistics over states.
pub trait ExponentialFamily: Parametric {
    /// The statistic that each parameter multiplies, in the order of the parameters.
    fn statistics(&self) -> Statistics;

    /// An enumeration of all states, at the present parameters.
    ///
    /// # Errors
    /// [`crate::Error::TooLarge`] if there are too many.
    fn enumeration(&self) -> Result<Box<dyn Enumeration>>;
}

/// Models that compute sums over single bit flips of data, `1/N Σ_x Σ_n φ(E(x) − E(xⁿ))`, faster
/// than by their definition: minimum probability flow or pseudolikelihood, depending on φ.
pub trait FlipFlow: SiteFlips + Parametric {
    /// The objective on these data, at the present parameters.
    ///
    /// # Panics
    /// If the data have another dimension.
    fn flip_flow(&self, data: &WeightedRows, loss: FlipLoss) -> Box<dyn Objective>;

    /// Minimum probability flow to the one neighbour that differs in all bits, if the model has a
    /// faster form than its definition.
    ///
    /// # Panics
    /// If the data have another dimension.
    fn all_flipped_flow(&self, _data: &WeightedRows) -> Option<Box<dyn Objective>> {
        None
    }
}

/// Binary models with hidden units that are independent of each other given the visible ones, and
/// vice versa. The energy of a visible state has the hidden units summed out.
pub trait HiddenUnits: Energy {
    /// Number of hidden units.
    fn num_hidden(&self) -> usize;

    /// Draws the hidden units given rows of visible ones, one uniform number each from the stream of
    /// the row.
    ///
    /// # Panics
    /// If there is not a stream for each row, or the words are not as many rows.
    fn sample_hidden_rows(&self, visible: BitBatch<'_>, rngs: &mut [ChainRng], hidden: &mut [u64]);

    /// Draws the visible units given rows of hidden ones, one uniform number each from the stream of
    /// the row, into rows of visible ones: sites that had no value before get none.
    ///
    /// # Panics
    /// If there is not a stream for each row, or the words are not as many rows.
    fn sample_visible_rows(&self, hidden: BitBatch<'_>, rngs: &mut [ChainRng], visible: &mut [u64]);

    /// [`HiddenUnits::sample_hidden_rows`] of one row.
    ///
    /// # Panics
    /// If a row does not have the number of words of its layer.
    fn sample_hidden(&self, visible: &[u64], rng: &mut ChainRng, hidden: &mut [u64]) {
        let rngs = std::slice::from_mut(rng);
        self.sample_hidden_rows(BitBatch::new(self.dim(), visible), rngs, hidden);
    }

    /// [`HiddenUnits::sample_visible_rows`] of one row.
    ///
    /// # Panics
    /// If a row does not have the number of words of its layer.
    fn sample_visible(&self, hidden: &[u64], rng: &mut ChainRng, visible: &mut [u64]) {
        let rngs = std::slice::from_mut(rng);
        self.sample_visible_rows(BitBatch::new(self.num_hidden(), hidden), rngs, visible);
    }
}

/// Models whose gradient at a row of bits is an outer product of a few numbers, the row's *factors*,
/// and the row itself. So sums over rows travel as these, and each entry of the gradient is written
/// once for all of them.
pub trait OuterGradient: Parametric {
    /// Number of factors per row.
    fn num_factors(&self) -> usize;

    /// Writes `weight` times the factors of rows, `[rows, num_factors]`, and returns the sum of their
    /// energies, with the bits of [`Energy::energy`].
    ///
    /// # Panics
    /// If the shapes do not match.
    fn write_factors(&self, rows: BitBatch<'_>, weight: f64, factors: &mut [f64]) -> f64;

    /// Adds the products of groups of rows and their factors to a gradient: the rows of the first
    /// group one by one, with the bits of [`Parametric::accumulate_param_grad`], and of each other
    /// group the sum of its rows. The parameters are not read.
    ///
    /// # Panics
    /// If the shapes do not match.
    fn add_products(&self, groups: &[(BitBatch<'_>, &[f64])], grad: &mut [f64]);
}

/// Models whose hidden units have known means given a state.
pub trait HiddenMeans: Energy {
    /// The probabilities that the hidden units are on given states, `[states, hidden]`.
    ///
    /// # Panics
    /// If the dimensions differ.
    fn hidden_means(&self, x: Batch<'_>) -> Vec<f64>;
}

/// Models of bits that know the conditional distribution of each site given all others.
pub trait SiteConditionals: Energy {
    /// For each bit of each state the probability that it is on given the other sites,
    /// `[states, dim]`: where sites have several values, those of a site's bits add up to 1.
    ///
    /// # Panics
    /// If the shapes do not match.
    fn conditionals(&self, x: Batch<'_>, out: &mut [f64]);
}

/// Models with hidden units whose state can be drawn anew as a whole, given hidden units that are drawn
/// given it: block Gibbs sampling. States may be numbers of any kind, such as counts.
pub trait BlockDraws: Differentiable {
    /// Draws the hidden units given the state, and then the state given these.
    ///
    /// # Panics
    /// If the state has another dimension.
    fn resample(&self, state: &mut [f64], rng: &mut ChainRng);
}
