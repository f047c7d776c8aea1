//! The evidence of small tables without error: enumeration of clusters or attributes, and of a table of
//! one column or one row under the low-rank model an integral over |v|² or |u|². Variances that are not
//! fixed are integrated over by the trapezoidal rule in their logarithms.

use super::{Outcome, Trial};
use crate::evidence::latent::{
    BinaryAttributes, Clustering, LatentChain, Table, Variances, VariancesSpec,
};
use crate::evidence::spec::LatentModelSpec;
use crate::math::{exp, ln, ln_gamma, log_sum_exp};
use crate::{Error, Result};
use std::f64::consts::{LN_2, TAU};
use std::sync::Arc;

/// Maximum number of hidden states that are enumerated.
const MAX_STATES: usize = 1 << 20;

/// Maximum number of hidden states times pairs of variances.
const MAX_EVALUATIONS: usize = 1 << 23;

/// Points of the trapezoidal rule for each log variance, and their range. To the left the density of
/// an inverse gamma falls as exp(−e^(−t)), to the right as e^(−at).
const NUM_POINTS: usize = 121;
const LOG_VARIANCES: [f64; 2] = [-6.0, 12.0];

/// Number of states in a piece of work.
const STATES_PER_PIECE: usize = 1 << 12;

/// The hidden states of a model on a table, if there is an exact method.
enum Method {
    /// Each of `num_places` hidden variables has one of `num_choices` values.
    Enumeration { num_choices: usize, num_places: usize },
    /// |v|² or |u|² is the sum of `num_factors` squares, and is integrated over.
    Radius { num_factors: usize },
}

fn method(model: &LatentModelSpec, table: &Table) -> Option<Method> {
    match model {
        LatentModelSpec::Clustering { num_clusters, .. } => {
            Some(Method::Enumeration { num_choices: *num_clusters, num_places: table.num_rows() })
        }
        LatentModelSpec::BinaryAttributes { num_attributes, .. } => Some(Method::Enumeration {
            num_choices: 2,
            num_places: table.num_rows() * num_attributes,
        }),
        LatentModelSpec::LowRank { num_factors, .. } => {
            let is_line = table.num_rows() == 1 || table.num_cols == 1;
            is_line.then_some(Method::Radius { num_factors: *num_factors })
        }
        LatentModelSpec::Density { .. } => None,
    }
}

impl Method {
    /// Number of hidden states, at most one more than are enumerated.
    fn num_states(&self) -> usize {
        match self {
            Self::Radius { .. } => 1,
            Self::Enumeration { num_choices, num_places } => {
                let mut count = 1_usize;
                for _ in 0..*num_places {
                    count = count.saturating_mul(*num_choices);
                    if count > MAX_STATES {
                        return MAX_STATES + 1;
                    }
                }
                count
            }
        }
    }
}

/// Checks that there is an exact method for this table.
///
/// # Errors
/// [`Error::InvalidSpec`] or [`Error::TooLarge`] for `estimator`.
pub fn check_exact(model: &LatentModelSpec, table: &Table) -> Result<()> {
    let Some(method) = method(model, table) else {
        let problem = "of `lowRank` is there for tables of one row or one column; \
                       take { kind: 'annealing' }";
        return Err(Error::spec("estimator", problem));
    };
    let num_variances = if model.variances().are_sampled() { NUM_POINTS * NUM_POINTS } else { 1 };
    let num_states = method.num_states();
    if num_states > MAX_STATES || num_states * num_variances > MAX_EVALUATIONS {
        return Err(Error::TooLarge {
            field: "estimator".into(),
            problem: format!(
                "enumerates the hidden states, at most {MAX_STATES}, and {} with sampled variances; \
                 take fewer rows or {{ kind: 'annealing' }}",
                MAX_EVALUATIONS / (NUM_POINTS * NUM_POINTS)
            ),
        });
    }
    Ok(())
}

/// The computation, by pieces.
pub struct Exact {
    model: LatentModelSpec,
    table: Arc<Table>,
    method: Method,
    /// The next hidden state.
    next: usize,
    num_states: usize,
    log_terms: Vec<f64>,
}

impl Exact {
    /// The computation of a checked spec.
    ///
    /// # Panics
    /// If there is no exact method.
    pub fn new(model: LatentModelSpec, table: Arc<Table>) -> Self {
        let method = method(&model, &table).expect("checked");
        let num_states = method.num_states();
        Self { model, table, method, next: 0, num_states, log_terms: Vec::new() }
    }

    /// ln of the sum of a function of the variances over their prior; the function at the fixed ones.
    fn over_variances(&self, log_f: impl Fn(Variances) -> f64) -> f64 {
        let prior = self.model.variances();
        match *prior {
            VariancesSpec::Fixed { signal, noise } => log_f(Variances { signal, noise }),
            VariancesSpec::Sampled { .. } => {
                let [low, high] = LOG_VARIANCES;
                let step = (high - low) / (NUM_POINTS - 1) as f64;
                let mut terms = Vec::with_capacity(NUM_POINTS * NUM_POINTS);
                for at in 0..NUM_POINTS * NUM_POINTS {
                    let t = |at: usize| low + step * at as f64;
                    let [s, n] = [t(at % NUM_POINTS), t(at / NUM_POINTS)];
                    let variances = Variances { signal: exp(s), noise: exp(n) };
                    terms.push(log_f(variances) + prior.log_prior(variances) + s + n);
                }
                log_sum_exp(&terms) + 2.0 * ln(step)
            }
        }
    }

    /// The log of a hidden state's share of p(Y).
    fn log_term(&self, state: usize) -> f64 {
        match (&self.model, &self.method) {
            (
                LatentModelSpec::Clustering { num_clusters, concentration, variances, .. },
                Method::Enumeration { num_choices, num_places },
            ) => {
                let mut chain =
                    Clustering::new(*num_clusters, *concentration, *variances, self.table.clone());
                chain.set_clusters(digits(state, *num_choices, *num_places).collect());
                let log_prior = chain.log_prior_of_clusters();
                log_prior
                    + self.over_variances(|at| {
                        let mut chain = chain.clone();
                        chain.set_variances(at);
                        chain.log_likelihood(1.0)
                    })
            }
            (
                LatentModelSpec::BinaryAttributes {
                    num_attributes,
                    prior_on,
                    prior_off,
                    variances,
                    ..
                },
                Method::Enumeration { num_choices, num_places },
            ) => {
                let mut chain = BinaryAttributes::new(
                    *num_attributes,
                    [*prior_on, *prior_off],
                    *variances,
                    self.table.clone(),
                );
                let attributes = digits(state, *num_choices, *num_places).map(|bit| bit as f64);
                chain.set_attributes(attributes.collect());
                let log_prior = chain.log_prior_of_attributes();
                log_prior
                    + self.over_variances(|at| {
                        let mut chain = chain.clone();
                        chain.set_variances(at);
                        chain.log_likelihood(1.0)
                    })
            }
            (_, Method::Radius { num_factors }) => {
                self.over_variances(|at| self.log_radial(*num_factors, at))
            }
            _ => unreachable!("a low-rank model has no states to enumerate"),
        }
    }

    /// `ln ∫ N(y; 0, (r² + σ²) I) p(r²) dr²`, where r² is s² times a chi-square number: given v, a table of one
    /// column is Gaussian with the variance |v|² + σ², and so is one of one row given u.
    fn log_radial(&self, num_factors: usize, at: Variances) -> f64 {
        const NUM_STEPS: usize = 1000;
        const LOG_SQUARES: [f64; 2] = [-90.0, 10.0];
        let count = self.table.values.len() as f64;
        let square = self.table.square();
        let half = 0.5 * num_factors as f64;
        let step = (LOG_SQUARES[1] - LOG_SQUARES[0]) / NUM_STEPS as f64;
        let terms: Vec<f64> = (0..=NUM_STEPS)
            .map(|at_step| {
                let t = LOG_SQUARES[0] + step * at_step as f64;
                let chi_square = half * t - 0.5 * exp(t) - half * LN_2 - ln_gamma(half);
                let variance = at.signal * exp(t) + at.noise;
                chi_square - 0.5 * count * ln(TAU * variance) - 0.5 * square / variance
            })
            .collect();
        log_sum_exp(&terms) + ln(step)
    }
}

/// The digits of a number in a base.
fn digits(number: usize, base: usize, count: usize) -> impl Iterator<Item = usize> {
    let mut left = number;
    (0..count).map(move |_| {
        let digit = left % base;
        left /= base;
        digit
    })
}

impl Trial for Exact {
    fn advance(&mut self) -> Option<Outcome> {
        let cost = if self.model.variances().are_sampled() { NUM_POINTS * NUM_POINTS } else { 1 };
        let until = self.num_states.min(self.next + (STATES_PER_PIECE / cost).max(1));
        let terms: Vec<f64> = (self.next..until).map(|state| self.log_term(state)).collect();
        self.log_terms.push(log_sum_exp(&terms));
        self.next = until;
        (self.next == self.num_states).then(|| Outcome::of(log_sum_exp(&self.log_terms)))
    }
}
