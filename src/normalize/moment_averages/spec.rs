//! The spec of the moment averages spline, and its checks.
//!
//! ```json
//! {}
//! { "knots": [0.25, 0.5, 0.75], "moments": { "kind": "exact" } }
//! { "moments": { "kind": "chains", "numChains": 100, "numWarmup": 500, "numDraws": 500 } }
//! { "moments": { "kind": "data" },
//!   "matching": { "kind": "persistent", "numUpdates": 1000, "numParticles": 100 } }
//! { "matching": { "kind": "exact", "tolerance": 0.001, "maxEvaluations": 300 } }
//! ```

use crate::checks::{check_positive, in_range};
use crate::{Error, Result};
use unnorm_wire::spec;

/// Maximum number of knots.
const MAX_KNOTS: usize = 1000;

/// Maximum number of chains, and of particles of a knot.
const MAX_CHAINS: usize = 1 << 16;

/// Maximum number of steps of a chain, and of updates of a knot.
const MAX_STEPS: usize = 100_000_000;

/// The moment averages spline: which knots, and how they are found.
#[spec(default)]
pub struct MomentAveragesSpec {
    /// β of each knot, between 0 and 1, ascending; 0.1, 0.2, … 0.9 if absent. The two ends are
    /// always knots.
    pub knots: Vec<f64>,
    /// Source of the target's moments. If absent: enumeration if that takes seconds, else the data
    /// if there are any, else chains.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub moments: Option<MomentsSpec>,
    /// How the knots' parameters are found. If absent: by exact gradients if an enumeration takes a
    /// tenth of a second or less, else by persistent chains.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub matching: Option<MatchingSpec>,
}

impl Default for MomentAveragesSpec {
    fn default() -> Self {
        let knots = (1..10).map(|tenths| f64::from(tenths) / 10.0).collect();
        Self { knots, moments: None, matching: None }
    }
}

/// Source of the target's moments.
#[spec]
pub enum MomentsSpec {
    /// All states: up to 20 sites, or 25 units on the smaller side of a
    /// restricted Boltzmann machine.
    Exact {},
    /// Independent Gibbs chains of the target, started at the reference. Each draw has the hidden
    /// units' probabilities in place of their states.
    Chains {
        /// Number of chains, 2 to 65,536; 100 if absent.
        #[serde(default = "hundred")]
        num_chains: usize,
        /// Number of steps of each chain before its first draw; 500 if absent.
        #[serde(default = "five_hundred")]
        num_warmup: usize,
        /// Number of draws from each chain, a step apart, 1 or more; 500 if absent.
        #[serde(default = "five_hundred")]
        num_draws: usize,
    },
    /// The rows of data, with the hidden units' probabilities given each row: cheap, but they
    /// deviate as much as the target deviates from the data.
    Data {},
}

/// How parameters with the averaged moments are found.
#[spec]
pub enum MatchingSpec {
    /// By L-BFGS with the exact gradient, which takes an enumeration each time.
    Exact {
        /// The largest difference of a moment that is accepted, a difference of probabilities,
        /// greater than 0; 0.001 if absent.
        #[serde(default = "thousandth")]
        tolerance: f64,
        /// Maximum number of gradients computed, 1 or more; 200 if absent.
        #[serde(default = "two_hundred")]
        max_evaluations: usize,
    },
    /// By persistent contrastive divergence.
    Persistent {
        /// Number of updates of the parameters, 10 or more; 1,000 if absent.
        #[serde(default = "thousand")]
        num_updates: usize,
        /// Number of chains that continue from update to update, 2 to 65,536; 100 if absent.
        #[serde(default = "hundred")]
        num_particles: usize,
        /// The first learning rate, greater than 0, in coordinates in which units are measured in
        /// standard deviations from their means; the last rate is a thousandth of it. If absent, 20
        /// times the number of particles divided by that of parameters, and at most 0.05.
        learning_rate: Option<f64>,
    },
}

fn hundred() -> usize {
    100
}

fn two_hundred() -> usize {
    200
}

fn five_hundred() -> usize {
    500
}

fn thousand() -> usize {
    1000
}

fn thousandth() -> f64 {
    0.001
}

impl MomentsSpec {
    /// The source `Chains` with default numbers.
    pub fn chains() -> Self {
        let half = five_hundred();
        Self::Chains { num_chains: hundred(), num_warmup: half, num_draws: half }
    }
}

impl MatchingSpec {
    /// Exact gradients with the default tolerance.
    pub fn exact() -> Self {
        Self::Exact { tolerance: thousandth(), max_evaluations: two_hundred() }
    }

    /// Persistent chains with default numbers.
    pub fn persistent() -> Self {
        Self::Persistent { num_updates: thousand(), num_particles: hundred(), learning_rate: None }
    }
}

impl MomentAveragesSpec {
    /// Checks everything that does not require a model. Errors name fields by `path`, where the
    /// spec stands.
    ///
    /// # Errors
    /// [`Error::InvalidSpec`], naming the field.
    pub fn check(&self, path: &str) -> Result<()> {
        let count = |field: &str, value: usize, min: usize, max: usize| {
            in_range(&format!("{path}.{field}"), value, min, max)
        };
        let positive = |field: &str, value: f64| check_positive(&format!("{path}.{field}"), value);
        count("knots.length", self.knots.len(), 1, MAX_KNOTS)?;
        let mut last = 0.0;
        for (index, knot) in self.knots.iter().enumerate() {
            if !(last < *knot && *knot < 1.0) {
                return Err(Error::spec(
                    format!("{path}.knots[{index}]"),
                    format!("is {knot}; knots must rise and lie between 0 and 1"),
                ));
            }
            last = *knot;
        }
        if let Some(MomentsSpec::Chains { num_chains, num_warmup, num_draws }) = &self.moments {
            count("moments.numChains", *num_chains, 2, MAX_CHAINS)?;
            count("moments.numWarmup", *num_warmup, 0, MAX_STEPS)?;
            count("moments.numDraws", *num_draws, 1, MAX_STEPS)?;
        }
        match &self.matching {
            None => Ok(()),
            Some(MatchingSpec::Exact { tolerance, max_evaluations }) => {
                positive("matching.tolerance", *tolerance)?;
                count("matching.maxEvaluations", *max_evaluations, 1, MAX_STEPS)
            }
            Some(MatchingSpec::Persistent { num_updates, num_particles, learning_rate }) => {
                count("matching.numUpdates", *num_updates, 10, MAX_STEPS)?;
                count("matching.numParticles", *num_particles, 2, MAX_CHAINS)?;
                learning_rate.map_or(Ok(()), |rate| positive("matching.learningRate", rate))
            }
        }
    }
}
