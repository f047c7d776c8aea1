//! The moment averages spline (Grosse, Maddison and Salakhutdinov 2013, sections 4 and 5.2): a path
//! from independent units to a binary model with pairs of units. The moments at its knots, of
//! visible and hidden units together, are the averages of those of the two ends,
//!
//! `s(β_j) = (1 − β_j) s(0) + β_j s(1)` (eq. 8, 12–14),
//!
//! while between two knots the natural parameters follow a straight line.
//!
//! The work has two phases, each in shards that are independent of one another, and plain data
//! between any two pieces:
//! 1. the moments s(1) of the target: [`MomentAverages::moment_work`] for each
//!    shard, [`MomentAverages::moments`] puts them together;
//! 2. for each knot, the parameters with the averaged moments:
//!    [`MomentAverages::problem`] and [`Matching`].
//!
//! The quality of the spline does not bias what is estimated along it: any knots make a valid path.
//! Better ones make better estimates.

mod chains;
mod coordinates;
mod exact_matching;
mod matching;
mod moments;
mod persistent_matching;
mod problem;
mod spec;

pub use coordinates::Standardized;
pub use matching::Matching;
pub use moments::{MomentWork, Moments};
pub use problem::{MatchingReport, Problem};
pub use spec::{MatchingSpec, MomentAveragesSpec, MomentsSpec};

use crate::bits::{BitBatch, BitMatrix, words_per_row};
use crate::energy::enumeration::Enumeration;
use crate::energy::{ExponentialFamily, Statistics};
use crate::math::sigmoid;
use crate::models::Model;
use crate::{Error, Result};

/// Enumerations that take longer than this, in estimated nanoseconds, are not chosen for the
/// moments by default.
const MAX_MOMENTS_COST: u64 = 4_000_000_000;

/// The same limit for each gradient of the matching.
const MAX_GRADIENT_COST: u64 = 200_000_000;

/// Means of hidden units of the reference.
const HIDDEN_MEAN: f64 = 0.5;

/// A spline to be found: its ends, its knots, and the method.
pub struct MomentAverages {
    model: Box<dyn Model>,
    statistics: Statistics,
    /// Parameters of the reference; the next fields are its unit means and its moments.
    reference: Vec<f64>,
    reference_means: Vec<f64>,
    reference_moments: Vec<f64>,
    knots: Vec<f64>,
    moments: MomentsSpec,
    matching: MatchingSpec,
    /// The target's states, if its moments are computed from them.
    states: Option<Box<dyn Enumeration>>,
    data: Option<BitMatrix>,
    seed: u64,
}

impl MomentAverages {
    /// The spline from independent sites with these log odds (hidden units have even odds) to
    /// `model`. Errors name fields by `path`, where the spec stands; `data` are rows the model was
    /// fitted to, for moments of data.
    ///
    /// # Errors
    /// [`Error::MissingCapability`] if the model is not an exponential family of binary units,
    /// [`Error::InvalidSpec`], or [`Error::TooLarge`] if an enumeration is asked for that cannot be
    /// done.
    ///
    /// # Panics
    /// If the number of log odds is not that of sites.
    pub fn new(
        model: &dyn Model,
        log_odds: &[f64],
        spec: &MomentAveragesSpec,
        path: &str,
        data: Option<BitBatch<'_>>,
        seed: u64,
    ) -> Result<Self> {
        spec.check(path)?;
        let family = model.as_exponential_family();
        let Some((family, reference)) = family.zip(model.independent_params(log_odds)) else {
            return Err(Error::missing(
                model.kind(),
                "ExponentialFamily",
                "the moment averages path",
            ));
        };
        assert_eq!(log_odds.len(), model.dim());
        if let Some(at) = log_odds.iter().position(|odds| !odds.is_finite()) {
            return Err(Error::spec(
                format!("reference.logOdds[{at}]"),
                format!("is {}; every entry must be a finite number", log_odds[at]),
            ));
        }
        if let Some(data) = &data
            && data.dim() != model.dim()
        {
            return Err(Error::spec(
                "model",
                format!(
                    "has {} sites, but the data have {} bits a row; make them equal",
                    model.dim(),
                    data.dim()
                ),
            ));
        }
        let data = data.filter(|data| !data.is_empty());
        if matches!(spec.moments, Some(MomentsSpec::Data {})) && data.is_none() {
            return Err(Error::spec(
                format!("{path}.moments.kind"),
                "is data, and there are none; give the data the model was fitted to, or take the \
                 moments of chains",
            ));
        }
        let (moments, matching) = choose(family, spec, data.is_some());
        let needs_states = matches!(moments, MomentsSpec::Exact {})
            || matches!(matching, MatchingSpec::Exact { .. });
        let states = if needs_states { Some(family.enumeration()?) } else { None };
        let statistics = family.statistics();
        let mut reference_means: Vec<f64> = log_odds.iter().map(|odds| sigmoid(*odds)).collect();
        reference_means.resize(statistics.num_units(), HIDDEN_MEAN);
        Ok(Self {
            reference_moments: statistics.independent(&reference_means),
            model: model.boxed_clone(),
            statistics,
            reference,
            reference_means,
            knots: spec.knots.clone(),
            moments,
            matching,
            states,
            data: data.map(to_matrix),
            seed,
        })
    }

    /// β of each knot between the two ends.
    pub fn knots(&self) -> &[f64] {
        &self.knots
    }

    /// The source of the moments, with defaults filled in.
    pub fn moments_spec(&self) -> &MomentsSpec {
        &self.moments
    }

    /// The method of matching, with defaults filled in.
    pub fn matching_spec(&self) -> &MatchingSpec {
        &self.matching
    }

    /// Number of visible sites.
    pub fn dim(&self) -> usize {
        self.model.dim()
    }

    /// Parameters of the reference, β = 0.
    pub fn reference_params(&self) -> &[f64] {
        &self.reference
    }

    /// Parameters of the target, β = 1.
    pub fn target_params(&self) -> &[f64] {
        self.model.as_parametric().expect("a family has parameters").params()
    }

    /// The statistic that each parameter multiplies.
    pub fn statistics(&self) -> &Statistics {
        &self.statistics
    }

    /// The averaged moments s(β).
    pub fn averaged(&self, moments: &Moments, beta: f64) -> Vec<f64> {
        let ends = self.reference_moments.iter().zip(&moments.values);
        ends.map(|(reference, target)| (1.0 - beta) * reference + beta * target).collect()
    }

    /// `½ (η_{j+1} − η_j)ᵀ(s_{j+1} − s_j)` of each segment, including those at the ends: the
    /// optimal binned schedule distributes its distributions by the roots of these costs (eq. 20).
    /// `params` are those of the knots.
    ///
    /// # Panics
    /// If the number of parameter vectors is not that of knots.
    pub fn segment_costs(&self, moments: &Moments, params: &[Vec<f64>]) -> Vec<f64> {
        assert_eq!(params.len(), self.knots.len());
        let betas = [&[0.0], &self.knots[..], &[1.0]].concat();
        let ends = std::iter::once(&self.reference[..])
            .chain(params.iter().map(Vec::as_slice))
            .chain([self.target_params()]);
        let ends: Vec<_> = ends
            .zip(&betas)
            .map(|(params, beta)| (params, self.averaged(moments, *beta)))
            .collect();
        ends.windows(2)
            .map(|pair| {
                let [(from, s_from), (to, s_to)] = pair else { unreachable!("windows of two") };
                self.statistics.cost([from, to], [s_from, s_to])
            })
            .collect()
    }

    fn target_states(&self) -> &dyn Enumeration {
        self.states.as_deref().expect("made where states are asked for")
    }

    fn num_rows(&self) -> usize {
        self.data.as_ref().map_or(0, BitMatrix::num_rows)
    }
}

/// Fills in the source of the moments and the method, by what is feasible.
fn choose(
    family: &dyn ExponentialFamily,
    spec: &MomentAveragesSpec,
    has_data: bool,
) -> (MomentsSpec, MatchingSpec) {
    // 64 bits on every machine, so that all machines choose the same.
    let cost = family
        .enumeration()
        .map_or(u64::MAX, |states| states.num_pieces() as u64 * states.piece_cost() as u64);
    let moments = spec.moments.clone().unwrap_or_else(|| match cost {
        cost if cost <= MAX_MOMENTS_COST => MomentsSpec::Exact {},
        _ if has_data => MomentsSpec::Data {},
        _ => MomentsSpec::chains(),
    });
    let matching = spec.matching.clone().unwrap_or_else(|| match cost {
        cost if cost <= MAX_GRADIENT_COST => MatchingSpec::exact(),
        _ => MatchingSpec::persistent(),
    });
    (moments, matching)
}

fn to_matrix(rows: BitBatch<'_>) -> BitMatrix {
    let mut matrix = BitMatrix::zeros(rows.dim(), rows.len());
    matrix.rows_mut().zip(rows.rows()).for_each(|(to, from)| {
        to.copy_from_slice(&from[..words_per_row(rows.dim())]);
    });
    matrix
}
