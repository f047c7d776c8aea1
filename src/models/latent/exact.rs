//! The evidence of small tables without error, and the moments of their posterior: enumeration of
//! clusters or attributes, and of a table of one column or one row under the low-rank model an integral
//! over |v|² or |u|². Variances that are not fixed are integrated over by the trapezoidal rule in their
//! logarithms.

use super::{Enumerated, MAX_PAIRED_ROWS, Table, TableModel, Variances, VariancesSpec};
use crate::math::{exp, ln, ln_gamma, log_sum_exp};
use std::f64::consts::{LN_2, TAU};
use std::ops::Range;
use std::sync::Arc;

/// Maximum number of hidden states that are enumerated.
pub const MAX_STATES: usize = 1 << 20;

/// Maximum number of hidden states times pairs of variances.
const MAX_EVALUATIONS: usize = 1 << 23;

/// Maximum number of hidden states where variances are sampled.
pub const MAX_SAMPLED_STATES: usize = MAX_EVALUATIONS / (NUM_POINTS * NUM_POINTS);

/// Points of the trapezoidal rule for each log variance, and their range. To the left the density of
/// an inverse gamma falls as exp(−e^(−t)), to the right as e^(−at).
const NUM_POINTS: usize = 121;
const LOG_VARIANCES: [f64; 2] = [-6.0, 12.0];

/// Number of evaluations in a block of states.
const BLOCK_EVALUATIONS: usize = 1 << 12;

/// Points of the integral over ln r², and its range.
const NUM_STEPS: usize = 1000;
const LOG_SQUARES: [f64; 2] = [-90.0, 10.0];
const LOG_SQUARE_STEP: f64 = (LOG_SQUARES[1] - LOG_SQUARES[0]) / NUM_STEPS as f64;

/// s², σ² and the number in use.
const NUM_SCALARS: usize = 3;

/// Points of a posterior with a smaller share of it add nothing to its moments.
const LEAST_SHARE: f64 = 1e-18;

/// Why there is no exact method.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NotExact {
    /// A table of several rows and columns under the low-rank model.
    NoMethod,
    /// There are too many hidden states, at most [`MAX_STATES`], or [`MAX_SAMPLED_STATES`].
    TooManyStates,
}

enum Method {
    /// Each of `num_places` hidden variables has one of a few values.
    Enumeration { chain: Box<dyn Enumerated>, num_places: usize },
    /// |v|² or |u|² is s² times the sum of `num_factors` squares, and is integrated over.
    Radius { num_factors: usize },
}

/// The posterior of a small table as a sum over hidden states.
pub struct TableSum {
    table: Arc<Table>,
    prior: VariancesSpec,
    method: Method,
    num_states: usize,
    /// Whether the moments tell which rows share a cluster.
    has_pairs: bool,
}

/// A state's terms over the variances.
struct Terms {
    at: Vec<Variances>,
    logs: Vec<f64>,
    log_sum: f64,
}

/// The log of a sum of weights, and means under these weights.
#[derive(Debug, Clone)]
pub struct WeightedMoments {
    log_sum: f64,
    /// `[signal, noise, number in use | E[m − y] | E[(m − y)²] | E[same cluster]]`, with m the means
    /// of the rows given z and the features.
    means: Vec<f64>,
}

/// Moments of a posterior.
#[derive(Debug, Clone, PartialEq)]
pub struct TableMoments {
    /// ln p(Y), in nats.
    pub log_evidence: f64,
    /// The mean of s².
    pub signal: f64,
    /// The mean of σ².
    pub noise: f64,
    /// The expected number of clusters or attributes in use.
    pub num_in_use: f64,
    /// Means of z·features, `[N, D]`.
    pub mean: Vec<f64>,
    /// Their standard deviations, `[N, D]`.
    pub sd: Vec<f64>,
    /// The probability that two rows share a cluster, `[N, N]`; empty without clusters, or with more
    /// than [`MAX_PAIRED_ROWS`] rows.
    pub same: Vec<f64>,
}

impl TableSum {
    /// The sum for a table, if it is small enough.
    ///
    /// # Errors
    /// Why it is not.
    pub fn new(model: &dyn TableModel, table: Arc<Table>) -> Result<Self, NotExact> {
        let prior = *model.variances();
        let num_rows = table.num_rows();
        let method = match model.enumerated(table.clone()) {
            Some(chain) => {
                Method::Enumeration { chain, num_places: num_rows * model.hidden_width() }
            }
            None if table.num_cols == 1 || (num_rows == 1 && model.has_independent_columns()) => {
                Method::Radius { num_factors: model.order() }
            }
            None => return Err(NotExact::NoMethod),
        };
        let num_states = method.num_states();
        let most = if prior.are_sampled() { MAX_SAMPLED_STATES } else { MAX_STATES };
        if num_states > most {
            return Err(NotExact::TooManyStates);
        }
        let has_pairs = model.has_clusters() && num_rows <= MAX_PAIRED_ROWS;
        Ok(Self { table, prior, method, num_states, has_pairs })
    }

    /// Number of hidden states.
    pub fn num_states(&self) -> usize {
        self.num_states
    }

    /// Number of states that take some milliseconds.
    pub fn states_per_block(&self) -> usize {
        let cost = if self.prior.are_sampled() { NUM_POINTS * NUM_POINTS } else { 1 };
        (BLOCK_EVALUATIONS / cost).max(1)
    }

    /// ln of the share of p(Y) that these states have.
    pub fn log_share(&self, states: Range<usize>) -> f64 {
        let logs: Vec<f64> = match &self.method {
            Method::Radius { num_factors } => {
                vec![self.terms(|at| self.log_radial(&self.radial(*num_factors, at))).log_sum]
            }
            Method::Enumeration { chain, num_places } => {
                let mut chain = chain.boxed_clone();
                states.map(|state| self.state(&mut *chain, state, *num_places).log_sum).collect()
            }
        };
        log_sum_exp(&logs)
    }

    /// Goes to a hidden state; its terms.
    fn state(&self, chain: &mut dyn Enumerated, state: usize, num_places: usize) -> Terms {
        let hidden: Vec<f64> = digits(state, chain.num_choices(), num_places).collect();
        chain.set_hidden(&hidden);
        let log_prior = chain.log_prior_of_hidden();
        let mut terms = self.terms(|at| {
            chain.set_variances(at);
            chain.log_likelihood(1.0)
        });
        terms.log_sum += log_prior;
        terms
    }

    /// A function of the variances times their prior; the function at the fixed ones.
    fn terms(&self, mut log_f: impl FnMut(Variances) -> f64) -> Terms {
        match self.prior {
            VariancesSpec::Fixed { signal, noise } => {
                let at = Variances { signal, noise };
                let log_sum = log_f(at);
                Terms { at: vec![at], logs: vec![0.0], log_sum }
            }
            VariancesSpec::Sampled { .. } => {
                let [low, high] = LOG_VARIANCES;
                let step = (high - low) / (NUM_POINTS - 1) as f64;
                let t = |at: usize| low + step * at as f64;
                let pairs =
                    (0..NUM_POINTS * NUM_POINTS).map(|at| [t(at % NUM_POINTS), t(at / NUM_POINTS)]);
                let (at, logs): (Vec<_>, Vec<f64>) = pairs
                    .map(|[s, n]| {
                        let at = Variances { signal: exp(s), noise: exp(n) };
                        (at, log_f(at) + self.prior.log_prior(at) + s + n)
                    })
                    .unzip();
                let total = log_sum_exp(&logs);
                let logs = logs.iter().map(|log| log - total).collect();
                Terms { at, logs, log_sum: total + 2.0 * ln(step) }
            }
        }
    }

    /// Terms of `ln ∫ N(y; 0, (r² + σ²) I) p(r²) dr²` at the steps of ln(r²/s²), where r²/s² is a
    /// chi-square number: given v, a table of one column is Gaussian with the variance |v|² + σ², and
    /// so is one of one row given u.
    fn radial(&self, num_factors: usize, at: Variances) -> Vec<f64> {
        let count = self.table.values.len() as f64;
        let square = self.table.square();
        let half = 0.5 * num_factors as f64;
        log_squares()
            .map(|t| {
                let chi_square = half * t - 0.5 * exp(t) - half * LN_2 - ln_gamma(half);
                let variance = at.signal * exp(t) + at.noise;
                chi_square - 0.5 * count * ln(TAU * variance) - 0.5 * square / variance
            })
            .collect()
    }

    /// The integral of these terms.
    fn log_radial(&self, terms: &[f64]) -> f64 {
        log_sum_exp(terms) + ln(LOG_SQUARE_STEP)
    }

    /// The log share of these states in p(Y), and means over them.
    pub fn moments(&self, states: Range<usize>) -> WeightedMoments {
        let mut sum = self.no_moments();
        match &self.method {
            Method::Radius { num_factors } => {
                let terms = self.terms(|at| self.log_radial(&self.radial(*num_factors, at)));
                sum.absorb(&self.radial_moments(*num_factors, &terms));
            }
            Method::Enumeration { chain, num_places } => {
                let mut chain = chain.boxed_clone();
                for state in states {
                    let terms = self.state(&mut *chain, state, *num_places);
                    sum.absorb(&self.moments_of_state(&mut *chain, &terms));
                }
            }
        }
        sum
    }

    fn no_moments(&self) -> WeightedMoments {
        let num_rows = self.table.num_rows();
        let num_pairs = if self.has_pairs { num_rows * num_rows } else { 0 };
        let len = NUM_SCALARS + 2 * self.table.values.len() + num_pairs;
        WeightedMoments { log_sum: f64::NEG_INFINITY, means: vec![0.0; len] }
    }

    /// Moments given the hidden state that the chain is in.
    fn moments_of_state(&self, chain: &mut dyn Enumerated, terms: &Terms) -> WeightedMoments {
        let mut sum = WeightedMoments { log_sum: terms.log_sum, ..self.no_moments() };
        let count = self.table.values.len();
        let (mut mean, mut variance) = (vec![0.0; count], vec![0.0; count]);
        for (at, share) in terms.shares() {
            chain.set_variances(at);
            chain.reconstruction(&mut mean, &mut variance);
            sum.add_variances(share, at);
            for (d, y) in self.table.values.iter().enumerate() {
                sum.add_entry(share, d, count, mean[d] - y, variance[d]);
            }
        }
        sum.means[2] = chain.num_in_use().map_or(0.0, |count| count as f64);
        if self.has_pairs {
            let hidden = chain.parts().hidden;
            let same = hidden.iter().flat_map(|a| hidden.iter().map(move |b| f64::from(a == b)));
            let pairs = &mut sum.means[NUM_SCALARS + 2 * count..];
            pairs.iter_mut().zip(same).for_each(|(pair, same)| *pair = same);
        }
        sum
    }

    /// Moments over r² and the variances: given them `u·v ~ N(cy, cσ²)` with c = r²/(r² + σ²).
    fn radial_moments(&self, num_factors: usize, terms: &Terms) -> WeightedMoments {
        let mut sum = WeightedMoments { log_sum: terms.log_sum, ..self.no_moments() };
        let count = self.table.values.len();
        for (at, share) in terms.shares() {
            sum.add_variances(share, at);
            let radial = self.radial(num_factors, at);
            let total = log_sum_exp(&radial);
            for (log, t) in radial.iter().zip(log_squares()) {
                let share = share * exp(log - total);
                if share < LEAST_SHARE {
                    continue;
                }
                let square = at.signal * exp(t);
                let left = at.noise / (square + at.noise);
                for (d, y) in self.table.values.iter().enumerate() {
                    sum.add_entry(share, d, count, -left * y, square * left);
                }
            }
        }
        sum
    }

    /// Moments over all of several groups of states.
    pub fn joined(&self, groups: &[WeightedMoments]) -> WeightedMoments {
        let mut sum = self.no_moments();
        groups.iter().for_each(|group| sum.absorb(group));
        sum
    }

    /// The numbers of a part of a sum over all states: as many for each.
    pub fn num_numbers(&self) -> usize {
        1 + self.no_moments().means.len()
    }

    /// The moments from those of all states, in parts of [`WeightedMoments::into_numbers`].
    pub fn combine(&self, parts: &[Vec<f64>]) -> TableMoments {
        let parts: Vec<WeightedMoments> = parts
            .iter()
            .map(|part| WeightedMoments { log_sum: part[0], means: part[1..].to_vec() })
            .collect();
        let sum = self.joined(&parts);
        let (scalars, rest) = sum.means.split_at(NUM_SCALARS);
        let (errors, rest) = rest.split_at(self.table.values.len());
        let (squares, same) = rest.split_at(self.table.values.len());
        let spread = |(error, square): (&f64, &f64)| (square - error * error).max(0.0).sqrt();
        TableMoments {
            log_evidence: sum.log_sum,
            signal: scalars[0],
            noise: scalars[1],
            num_in_use: scalars[2],
            mean: self.table.values.iter().zip(errors).map(|(y, error)| y + error).collect(),
            sd: errors.iter().zip(squares).map(spread).collect(),
            same: same.to_vec(),
        }
    }
}

impl Terms {
    /// The variances with their shares, but for those that add nothing.
    fn shares(&self) -> impl Iterator<Item = (Variances, f64)> {
        let all = self.at.iter().zip(&self.logs).map(|(at, log)| (*at, exp(*log)));
        all.filter(|(_, share)| *share >= LEAST_SHARE)
    }
}

impl WeightedMoments {
    fn add_variances(&mut self, share: f64, at: Variances) {
        self.means[0] += share * at.signal;
        self.means[1] += share * at.noise;
    }

    /// Adds an entry's distance from the table, given its mean and variance.
    fn add_entry(&mut self, share: f64, entry: usize, count: usize, error: f64, variance: f64) {
        self.means[NUM_SCALARS + entry] += share * error;
        self.means[NUM_SCALARS + count + entry] += share * (error * error + variance);
    }

    /// Adds those of other states.
    fn absorb(&mut self, other: &Self) {
        let total = log_sum_exp(&[self.log_sum, other.log_sum]);
        if total == f64::NEG_INFINITY {
            return;
        }
        let (own, others) = (exp(self.log_sum - total), exp(other.log_sum - total));
        for (mean, other) in self.means.iter_mut().zip(&other.means) {
            *mean = own * *mean + others * other;
        }
        self.log_sum = total;
    }

    /// The log share and the means as numbers.
    pub fn into_numbers(self) -> Vec<f64> {
        [vec![self.log_sum], self.means].concat()
    }
}

impl Method {
    /// Number of hidden states, at most one more than are enumerated.
    fn num_states(&self) -> usize {
        match self {
            Self::Radius { .. } => 1,
            Self::Enumeration { chain, num_places } => {
                let mut count = 1_usize;
                for _ in 0..*num_places {
                    count = count.saturating_mul(chain.num_choices());
                    if count > MAX_STATES {
                        return MAX_STATES + 1;
                    }
                }
                count
            }
        }
    }
}

/// The steps of ln(r²/s²).
fn log_squares() -> impl Iterator<Item = f64> {
    (0..=NUM_STEPS).map(|step| LOG_SQUARES[0] + LOG_SQUARE_STEP * step as f64)
}

/// The digits of a number in a base.
fn digits(number: usize, base: usize, count: usize) -> impl Iterator<Item = f64> {
    let mut left = number;
    (0..count).map(move |_| {
        let digit = left % base;
        left /= base;
        digit as f64
    })
}
