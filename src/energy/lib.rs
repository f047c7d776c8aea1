//! The noun of the library, and what an algorithm may ask of it.
//!
//! Capabilities, not one large trait: an algorithm names what it needs, and a
//! model that lacks it is refused by name ([`unnorm_numerics::Error::MissingCapability`]).
//! Every model has the plain form on continuous batches, which is short and
//! obviously right; the fast forms on packed bits are tested against it.

#![forbid(unsafe_code)]

pub mod connectivity;
pub mod coordinates;
pub mod enumeration;
mod flip_loss;
pub mod neighbours;
mod objective;
pub mod proposal;
pub mod schedule;
pub mod shards;
mod statistics;

pub use flip_loss::FlipLoss;
pub use objective::Objective;
pub use statistics::{Mismatch, Statistic, Statistics};

use bits::{BitBatch, WeightedRows};
use enumeration::Enumeration;
use linalg::{Batch, Block};
use rng::ChainRng;
use serde::{Deserialize, Serialize};
use std::ops::Range;
use unnorm_numerics::{Error, Result, bits, linalg, math, rng};

/// `p(x) ∝ exp(−E(x))`.
pub trait Energy: Send + Sync {
    /// Entries a state.
    fn dim(&self) -> usize;

    /// `out[b] = E(x_b)`, in nats. Binary models take zeros and ones here.
    ///
    /// # Panics
    /// If the shapes do not match.
    fn energy(&self, x: Batch<'_>, out: &mut [f64]);
}

/// Models on ℝᴰ, or a part of it bounded by half-spaces, with a gradient.
pub trait Differentiable: Energy {
    /// `energy[c] = E(x_c)` in nats, and `∂E/∂x` at each state in `grad`,
    /// dimension-major as `x`. Outside the support the energy is infinite or NaN;
    /// samplers count that as a divergence.
    /// A state's numbers do not depend on the other states of the block.
    ///
    /// # Panics
    /// If the shapes do not match.
    fn energy_grad(&self, x: Block<'_>, energy: &mut [f64], grad: &mut [f64]);

    /// Estimated nanoseconds of the energy and gradient of one state, by which
    /// work is cut into pieces that can be interrupted.
    fn gradient_cost(&self) -> usize {
        50 * self.dim()
    }

    /// Where the model lives: in the intersection of these; ℝᴰ by default.
    fn constraints(&self) -> &[HalfSpace] {
        &[]
    }

    /// The least a of marginal densities along some line that fall like `|x|^−a`; none
    /// where all fall faster than that. Up to 3 the variance is infinite.
    fn tail_exponent(&self) -> Option<f64> {
        None
    }
}

/// All x with `normal·x ≥ offset`. Trajectories are reflected at its boundary
/// (Sohl-Dickstein 2012, 5.2.1).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct HalfSpace {
    /// The inward normal, `[dim]`; of any length but 0.
    pub normal: Vec<f64>,
    /// The least `normal·x`.
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

    /// Takes x to its mirror image at the boundary, if it lies outside.
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

/// Models on ℝᴰ whose log Z is known and that can be drawn from exactly: where
/// annealing may start, and the oracle of tests.
pub trait Reference: Energy {
    /// log Z, in nats.
    fn log_z(&self) -> f64;

    /// Draws one state exactly.
    ///
    /// # Panics
    /// If `out` has not the model's dimension.
    fn draw(&self, rng: &mut ChainRng, out: &mut [f64]);
}

/// Independent draws from a binary model, exactly but for rounding, and its
/// log Z.
pub trait ExactDraws: Send + Sync {
    /// log Z, in nats.
    fn log_z(&self) -> f64;

    /// Draws one state into a row of packed bits.
    ///
    /// # Panics
    /// If the row has not the words the model's needs.
    fn draw(&self, rng: &mut ChainRng, row: &mut [u64]);
}

/// Models of what is observed, x, by way of what is not, a: at a given x the
/// energy `E(a) = −ln p(x, a)`, so that log Z is ln p(x).
pub trait Generative: Parametric {
    /// Entries of x.
    fn num_observed(&self) -> usize;

    /// Energies `−ln p(x_c, a_c)` in nats of states a, each at an x of its own, and
    /// their gradients in a; all dimension-major.
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

    /// `part += Σ_b weights[b] [−ln p(x_b, a_b) | its gradient in θ]`; `part` is
    /// `[1 + number of parameters]`. What maximization after expectation takes.
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

/// Binary models, `x ∈ {0,1}^D`, that can tell what a flip costs.
pub trait SiteFlips: Energy {
    /// `E(x with bit `site` flipped) − E(x)` for one row.
    fn flip_delta(&self, row: &[u64], site: usize) -> f64;

    /// All of them: `out[b·D + n]` for row `b` and site `n`.
    ///
    /// # Panics
    /// If the shapes do not match.
    fn flip_deltas(&self, x: BitBatch<'_>, out: &mut [f64]) {
        assert_eq!(out.len(), x.len() * self.dim());
        for (row, out) in x.rows().zip(out.chunks_exact_mut(self.dim())) {
            for (site, out) in out.iter_mut().enumerate() {
                *out = self.flip_delta(row, site);
            }
        }
    }

    /// Starts a walk over states by single flips. Models that can bring their
    /// deltas up to date more cheaply than compute them afresh say so here.
    fn walk<'a>(&'a self, row: &'a mut [u64]) -> Box<dyn FlipWalk + 'a> {
        Box::new(FreshDeltas { model: self, row })
    }
}

/// A state that changes by single flips. What it remembers between flips is
/// rounded a little differently from what a new walk would compute, so begin
/// anew at fixed places, never "when convenient".
pub trait FlipWalk {
    /// `E(x with bit `site` flipped) − E(x)` at the present state.
    fn delta(&self, site: usize) -> f64;

    /// Flips a bit.
    fn flip(&mut self, site: usize);
}

/// The walk that remembers nothing.
struct FreshDeltas<'a, M: ?Sized> {
    model: &'a M,
    row: &'a mut [u64],
}

impl<M: SiteFlips + ?Sized> FlipWalk for FreshDeltas<'_, M> {
    fn delta(&self, site: usize) -> f64 {
        self.model.flip_delta(self.row, site)
    }

    fn flip(&mut self, site: usize) {
        bits::flip(self.row, site);
    }
}

/// Models with parameters `θ`, laid out as the model's own file says.
pub trait Parametric: Energy {
    /// The parameters.
    fn params(&self) -> &[f64];

    /// Sets the parameters.
    ///
    /// # Panics
    /// If the length is not that of [`Parametric::params`].
    fn set_params(&mut self, params: &[f64]);

    /// Whether a parameter is a bias: it multiplies one unit, and regularizers
    /// leave it alone.
    fn is_bias(&self, param: usize) -> bool;

    /// `grad += Σ_b weights[b] ∂E(x_b)/∂θ`: contrastive divergence, maximum
    /// likelihood and, by way of neighbours, minimum probability flow need
    /// only this.
    ///
    /// # Panics
    /// If the shapes do not match.
    fn accumulate_param_grad(&self, x: Batch<'_>, weights: &[f64], grad: &mut [f64]);

    /// The same with weights that depend on the energies: `weigh` is given states, as a
    /// range of the batch, with their energies, and puts their weights in place of
    /// these; range by range, in order. Models whose gradient begins as their energy
    /// does take both in one pass, with the bits that [`Energy::energy`] and
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

    /// `part += weight Σ_x [E(x) | ∂E(x)/∂θ]` over packed rows. Models that can
    /// exploit bits say so here, with the same bits in the result.
    ///
    /// # Panics
    /// If the shapes do not match.
    fn accumulate_rows(&self, rows: BitBatch<'_>, weight: f64, part: &mut [f64]) {
        self.accumulate_states(Batch::new(self.dim(), &rows.to_values()), weight, part);
    }
}

/// Models on ℝᴰ that can tell how their gradients in x change with θ: what
/// matching scores takes.
pub trait ScoreGradient: Differentiable + Parametric {
    /// `grad += Σ_b weights[b] ∂/∂θ (directions_b · ∂E(x_b)/∂x)`, the directions
    /// held fast.
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

    /// `∇²E = Σ_d ∂²E/∂x_d²` and its gradient, if they are cheap: `part` is
    /// `[1 + number of parameters]`, and
    /// `part += Σ_b weights[b] [∇²E(x_b) | ∂∇²E(x_b)/∂θ]`. Returns whether they are;
    /// if not, nothing is added, to `part` of any length.
    ///
    /// # Panics
    /// If the shapes do not match.
    fn accumulate_laplacian(&self, _x: Batch<'_>, _weights: &[f64], _part: &mut [f64]) -> bool {
        false
    }
}

/// Models whose log Z is known at all parameters, with its gradient: what exact
/// maximum likelihood takes on ℝᴰ.
pub trait LogZGradient: Reference + Parametric {
    /// `grad += weight ∂ log Z/∂θ`; no number where Z is not finite.
    ///
    /// # Panics
    /// If the length is not that of the parameters.
    fn accumulate_log_z_grad(&self, weight: f64, grad: &mut [f64]);
}

/// Binary models whose energy, with the hidden units in it, is linear in the
/// parameters: exponential families of the visible and hidden units together.
/// What each parameter multiplies, its statistic, is a unit or a product of two.
/// The statistic's mean given a visible state is then `∂E(v)/∂θ` of the energy
/// with the hidden units summed out, so [`Parametric::accumulate_param_grad`] is
/// all it takes to average statistics over states.
pub trait ExponentialFamily: Parametric {
    /// What each parameter multiplies, in their order.
    fn statistics(&self) -> Statistics;

    /// All states, at the present parameters.
    ///
    /// # Errors
    /// [`crate::Error::TooLarge`] if there are too many.
    fn enumeration(&self) -> Result<Box<dyn Enumeration>>;
}

/// Models that compute sums over single bit flips of data,
/// `1/N Σ_x Σ_n φ(E(x) − E(xⁿ))`, faster than by their definition: minimum
/// probability flow and pseudolikelihood, by φ.
pub trait FlipFlow: SiteFlips + Parametric {
    /// The objective on these data, at the present parameters.
    ///
    /// # Panics
    /// If the data have another dimension.
    fn flip_flow(&self, data: &WeightedRows, loss: FlipLoss) -> Box<dyn Objective>;

    /// Minimum probability flow to the one neighbour that differs in all
    /// bits, if the model knows a faster way than its definition.
    ///
    /// # Panics
    /// If the data have another dimension.
    fn all_flipped_flow(&self, _data: &WeightedRows) -> Option<Box<dyn Objective>> {
        None
    }
}

/// Binary models with hidden units that are independent of one another given
/// the visible ones, and the other way round. The energy of a visible state
/// has the hidden units summed out.
pub trait HiddenUnits: Energy {
    /// Number of hidden units.
    fn num_hidden(&self) -> usize;

    /// Draws the hidden units given the visible ones, one uniform number each.
    ///
    /// # Panics
    /// If a row has not the words its side needs.
    fn sample_hidden(&self, visible: &[u64], rng: &mut ChainRng, hidden: &mut [u64]);

    /// Draws the visible units given the hidden ones, one uniform number each.
    ///
    /// # Panics
    /// If a row has not the words its side needs.
    fn sample_visible(&self, hidden: &[u64], rng: &mut ChainRng, visible: &mut [u64]);
}

/// Energies of a binary model between knots of a path through its parameters:
/// in segment j, `θ(t) = (1 − t) θ_j + t θ_{j+1}`, t from 0 to 1. With hidden units
/// that is the geometric average of the models of both kinds of units together,
/// whose visible side has a simple energy again (Salakhutdinov and Murray 2008).
///
/// What is to be known of a state is read once, and gives its energy at any t of
/// the segment: annealing asks at three for each state. No more than one set of
/// parameters a knot is kept, and none is ever set.
pub trait BetweenKnots: Send + Sync {
    /// Numbers that are read of a state.
    fn num_read(&self) -> usize;

    /// Reads states, in one segment: `[rows, num_read]`. What is read of a state
    /// does not depend on the others.
    ///
    /// # Panics
    /// If the shapes do not match.
    fn read(&self, segment: usize, rows: BitBatch<'_>, out: &mut [f64]);

    /// E(x; θ(t)) of a state as it was read, but for a constant that depends on
    /// the state and the segment.
    fn energy(&self, segment: usize, read: &[f64], t: f64) -> f64;

    /// The two sides, if hidden and visible units are independent given each other.
    fn as_sides(&self) -> Option<&dyn SidesBetweenKnots> {
        None
    }
}

/// Block Gibbs sampling between knots: log odds of all units of one side, given
/// the other.
pub trait SidesBetweenKnots: BetweenKnots {
    /// Number of hidden units.
    fn num_hidden(&self) -> usize;

    /// Log odds of the hidden units at t, `[num_hidden]`, of a state as it was read.
    ///
    /// # Panics
    /// If the shapes do not match.
    fn hidden_log_odds(&self, segment: usize, read: &[f64], t: f64, out: &mut [f64]);

    /// Log odds of the visible units at t, `[rows, dim]`, given rows of hidden units.
    ///
    /// # Panics
    /// If the shapes do not match.
    fn visible_log_odds(&self, segment: usize, hidden: BitBatch<'_>, t: f64, out: &mut [f64]);
}
