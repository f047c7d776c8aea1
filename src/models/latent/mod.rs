//! Models of a table Y with hidden variables: p(θ, z) p(Y | θ, z), where z has a part for each row.
//! As an energy, `E(θ, z) = −ln p(θ, z, Y)`; its log Z is the evidence ln p(Y).
//!
//! The path from the prior to the posterior raises the likelihood to the power β, and only then
//! integrates out what is integrated out in closed form:
//!
//! `f_β(x) = ∫ p(θ, z) p(Y | θ, z)^β`,
//!
//! with x what is left (Grosse, PhD thesis 2014, eq. 2.19). At β = 1 it is p(x, Y).

mod binary_attributes;
mod clustered_low_rank;
mod clustering;
mod collapsed;
pub mod exact;
mod gaussian;
mod low_rank;
mod spec;
mod variances;

#[cfg(test)]
mod tests;

pub use binary_attributes::BinaryAttributes;
pub use clustered_low_rank::{ClusteredLowRank, split_variance};
pub use clustering::{Clustering, responsibilities};
pub use gaussian::{Precision, gram, log_normal, square};
pub use low_rank::LowRank;
pub use spec::{
    BinaryAttributesSpec, ClusteredLowRankSpec, ClusteringSpec, LowRankSpec, MAX_ROWS, TableModel,
    check_rows, check_size,
};
pub use variances::{Variances, VariancesSpec};

use crate::linalg::dot;
use crate::math::exp;
use crate::rng::{ChainRng, uniform};
use std::sync::Arc;

/// Maximum number of rows of which every two are compared.
pub const MAX_PAIRED_ROWS: usize = 1 << 10;

/// What to say where [`Table::means_matter`].
pub const MEANS_MATTER: &str = "the means of the columns are most of the table's squares, and the models are about 0: \
     subtract the means if they say nothing";

/// A table of numbers, row-major.
#[derive(Debug, Clone, PartialEq)]
pub struct Table {
    /// D, the number of columns.
    pub num_cols: usize,
    /// The numbers, `[numRows, numCols]`.
    pub values: Vec<f64>,
    /// |y_i|² of each row.
    squares: Vec<f64>,
}

impl Table {
    /// A table of these rows, one after another.
    pub fn new(num_cols: usize, values: Vec<f64>) -> Self {
        let squares = values.chunks_exact(num_cols).map(|row| dot(row, row)).collect();
        Self { num_cols, values, squares }
    }

    /// N, the number of rows.
    pub fn num_rows(&self) -> usize {
        self.squares.len()
    }

    /// |Y|².
    pub fn square(&self) -> f64 {
        self.values.iter().map(|y| y * y).sum()
    }

    /// Whether the means of the columns have more than half of the sum of squares.
    pub fn means_matter(&self) -> bool {
        let num_rows = self.num_rows() as f64;
        let mut sums = vec![0.0; self.num_cols];
        let mut squares = 0.0;
        for row in 0..self.num_rows() {
            for (sum, y) in sums.iter_mut().zip(self.row(row)) {
                *sum += y;
                squares += y * y;
            }
        }
        num_rows > 1.0 && sums.iter().map(|sum| sum * sum / num_rows).sum::<f64>() > 0.5 * squares
    }

    /// One row.
    pub fn row(&self, at: usize) -> &[f64] {
        &self.values[at * self.num_cols..][..self.num_cols]
    }
}

/// The order of a sweep's steps. Each is the time reversal of the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scan {
    /// Rows from the first to the last, then the variances.
    Forward,
    /// The variances, then rows from the last to the first.
    Backward,
}

impl Scan {
    /// The places from 0 to `count` − 1 in this order.
    fn places(self, count: usize) -> impl Iterator<Item = usize> {
        (0..count).map(move |step| match self {
            Self::Forward => step,
            Self::Backward => count - 1 - step,
        })
    }
}

/// How a scan chooses hidden variables.
enum Choice<'a, T> {
    /// At random.
    Draw(&'a mut ChainRng),
    /// It goes to these, and adds up the logs of their probabilities.
    Follow(&'a [T]),
}

/// What a state of nested sampling must exceed: a likelihood and, where the likelihoods are equal, a
/// label. Partitions that differ in the names of the clusters alone have equal likelihoods.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
pub struct Floor {
    /// ln p(Y | x), rounded.
    pub log_likelihood: f64,
    /// Uniform in [0, 1).
    pub label: f64,
}

impl Floor {
    /// With the log likelihood rounded to 2⁻²⁴ nats, far above the errors of its sums, so that equal
    /// likelihoods compare as equal.
    pub fn new(log_likelihood: f64, label: f64) -> Self {
        const UNIT: f64 = (1_u64 << 24) as f64;
        Self { log_likelihood: (log_likelihood * UNIT).round() / UNIT, label }
    }

    /// Whether a state with this log likelihood and label is above the floor.
    pub fn admits(self, log_likelihood: f64, label: f64) -> bool {
        Self::new(log_likelihood, label) > self
    }
}

/// A distribution with exact draws and a likelihood on it: all that likelihood weighting and nested
/// sampling ask for.
pub trait PriorChain: Send {
    /// Goes to a draw of the prior.
    fn draw(&mut self, rng: &mut ChainRng);

    /// The log likelihood of the state.
    fn log_likelihood(&self) -> f64;

    /// One sweep that leaves the prior invariant where it is restricted to states above the floor,
    /// from a state with this label. The state is above the floor before and after.
    fn sweep_above(&mut self, floor: Floor, label: f64, rng: &mut ChainRng);

    /// The state.
    fn state(&self) -> Vec<f64>;

    /// Goes to a state from [`PriorChain::state`].
    fn set_state(&mut self, state: &[f64]);
}

/// The prior of a model of a table, and the likelihood of all of its rows.
pub struct TablePrior(pub Box<dyn LatentChain>);

impl PriorChain for TablePrior {
    fn draw(&mut self, rng: &mut ChainRng) {
        let num_rows = self.0.table().num_rows();
        self.0.draw_prior(num_rows, rng);
    }

    fn log_likelihood(&self) -> f64 {
        self.0.log_likelihood(1.0)
    }

    fn sweep_above(&mut self, floor: Floor, label: f64, rng: &mut ChainRng) {
        self.0.sweep_above(floor, label, rng);
    }

    fn state(&self) -> Vec<f64> {
        self.0.state()
    }

    fn set_state(&mut self, state: &[f64]) {
        self.0.set_state(state);
    }
}

/// A Markov chain over the variables x of a model, given the first rows of a table.
///
/// The rows given are those that x has hidden variables for: `num_rows` of them.
pub trait LatentChain: Send {
    /// The table.
    fn table(&self) -> &Arc<Table>;

    /// Replaces the table by another with as many columns, and at least as many rows as are given.
    fn set_table(&mut self, table: Arc<Table>);

    /// Number of rows given.
    fn num_rows(&self) -> usize;

    /// Draws x from the prior, with hidden variables for this many rows.
    fn draw_prior(&mut self, num_rows: usize, rng: &mut ChainRng);

    /// The means of the rows given x and what is kept of the rest, `[numRows, numCols]`: z·features.
    fn means(&self) -> Vec<f64>;

    /// Draws the rows given x, `[numRows, numCols]`. What is integrated out is drawn from its prior and
    /// kept as a part of the state.
    fn draw_rows(&mut self, rng: &mut ChainRng) -> Vec<f64>;

    /// ln p(x).
    fn log_prior(&self) -> f64;

    /// ln f_β(x) − ln p(x).
    fn log_likelihood(&self, beta: f64) -> f64;

    /// The derivative of [`LatentChain::log_likelihood`] with respect to β.
    fn log_likelihood_slope(&self, beta: f64) -> f64;

    /// One sweep of Gibbs sampling that leaves f_β invariant.
    fn sweep(&mut self, beta: f64, scan: Scan, rng: &mut ChainRng);

    /// ln p(y | x, the rows given) of the next row y, its own hidden variables summed out.
    fn log_predictive(&self) -> f64;

    /// Takes in the next row, its hidden variables drawn given it, x and the rows before.
    fn push_row(&mut self, rng: &mut ChainRng);

    /// Takes out the last of the rows given.
    fn pop_row(&mut self);

    /// As [`PriorChain::sweep_above`].
    fn sweep_above(&mut self, floor: Floor, label: f64, rng: &mut ChainRng);

    /// ln p(x, Y) of all that [`LatentChain::chib_step`] keeps.
    fn log_joint(&self) -> f64;

    /// ln p(x, features, Y): nothing but the shares of clusters or attributes is integrated out.
    fn log_complete_joint(&self) -> f64 {
        self.log_joint()
    }

    /// One step of the chain of Chib's estimator, or of its time reversal. Unlike a sweep it keeps
    /// all that it draws, so that the density of a step to a given state is known.
    fn chib_step(&mut self, scan: Scan, rng: &mut ChainRng);

    /// The log density of a forward step from here to that state.
    fn log_chib_density(&self, to: &[f64]) -> f64;

    /// x, and what a step of Chib's estimator keeps besides.
    fn state(&self) -> Vec<f64>;

    /// Goes to a state from [`LatentChain::state`] of a chain with as many rows.
    fn set_state(&mut self, state: &[f64]);

    /// ln p(Y | θ) at parameters θ near the state, each row's own hidden variables summed out; for models
    /// whose greatest likelihood is sought among the draws of a chain.
    fn log_likelihood_of_params(&self) -> f64 {
        f64::NEG_INFINITY
    }

    /// Draws what is integrated out from its posterior given x, and keeps it.
    fn complete(&mut self, _rng: &mut ChainRng) {}

    /// How many clusters have a row, or attributes are those of one; factors are no such things.
    fn num_in_use(&self) -> Option<usize> {
        None
    }

    /// The parts of the state that people look at.
    fn parts(&self) -> Parts;
}

/// A chain whose hidden variables are discrete, with the same number of values at each place.
pub trait Enumerated: LatentChain + Sync {
    /// A copy.
    fn boxed_clone(&self) -> Box<dyn Enumerated>;

    /// Number of values of a hidden variable.
    fn num_choices(&self) -> usize;

    /// Gives all rows these hidden variables, as in [`Parts::hidden`].
    fn set_hidden(&mut self, hidden: &[f64]);

    /// Takes these variances.
    fn set_variances(&mut self, variances: Variances);

    /// `ln p(z)`.
    fn log_prior_of_hidden(&self) -> f64;

    /// Means and variances of z·features given z, the variances and the table, `[numRows, numCols]`.
    fn reconstruction(&self, means: &mut [f64], variances: &mut [f64]);
}

/// What a state of a chain says about the table.
#[derive(Debug, Clone, PartialEq)]
pub struct Parts {
    /// The hidden variables of each row, `[numRows, width]`: the cluster, the factors, or the
    /// attributes as zeros and ones.
    pub hidden: Vec<f64>,
    /// Centres of the clusters, or what a factor or an attribute adds, `[K, numCols]`.
    pub features: Vec<f64>,
    /// The variances.
    pub variances: Variances,
    /// The cluster of each column, `[numCols]`, where columns have clusters.
    pub column_clusters: Option<Vec<f64>>,
}

/// Draws an index with probabilities ∝ exp(log weight), and turns the log weights into weights.
///
/// # Panics
/// If no log weight is above −∞.
pub fn draw_index(log_weights: &mut [f64], rng: &mut ChainRng) -> usize {
    let total = to_weights(log_weights);
    let mut left = uniform(rng) * total;
    for (at, weight) in log_weights.iter().enumerate() {
        left -= weight;
        if left < 0.0 {
            return at;
        }
    }
    // The sum of all weights can be smaller by rounding.
    log_weights.iter().rposition(|weight| *weight > 0.0).expect("a weight above 0")
}

/// Turns log weights into weights, the greatest of them 1, and returns their sum.
fn to_weights(log_weights: &mut [f64]) -> f64 {
    let greatest = log_weights.iter().fold(f64::NEG_INFINITY, |a, b| a.max(*b));
    let mut total = 0.0;
    for weight in log_weights.iter_mut() {
        *weight = exp(*weight - greatest);
        total += *weight;
    }
    total
}
