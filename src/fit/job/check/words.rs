//! Warnings that state what the check found.

use crate::energy::connectivity::ConnectivitySpec;
use crate::exact;
use crate::fit::job::spec::ObjectiveSpec;
use crate::fit::predictive_check::{Misfit, UnseenPairs};

/// Nats per row beyond which the energy is likely to have no lower bound.
const MAX_TOLD: f64 = 1e4;

/// Warns that the model's states differ from the data.
pub fn misfit(misfit: &Misfit, objective: &ObjectiveSpec, dim: usize) -> String {
    let Misfit { model_on, data_on, nats, below_independent } = misfit;
    let by = match (nats, below_independent) {
        (Some(nats), _) => {
            format!("; by that alone the data are {nats:.2} nats a row from the model")
        }
        (None, Some(nats)) => {
            format!(
                " (by chains of the check), which are at least {nats:.1} nats a row less likely than under independent sites"
            )
        }
        (None, None) => " (by chains of the check)".into(),
    };
    let from_neighbours = match objective {
        ObjectiveSpec::Mpf {
            connectivity: Some(ConnectivitySpec::SingleAndAllFlips {}), ..
        } => ", or more rows",
        ObjectiveSpec::Mpf { .. } => {
            ", objective.connectivity singleAndAllFlips if rows are sparse, or more rows"
        }
        ObjectiveSpec::Pseudolikelihood {} => {
            ", mpf with connectivity singleAndAllFlips if rows are sparse, or more rows"
        }
        _ => ", or more chains and steps",
    };
    let exactly = match dim <= exact::MAX_DIM {
        true => "maximumLikelihood",
        false => "persistentContrastiveDivergence",
    };
    format!(
        "the model finds states likely that the data do not show: it has {model_on:.3} of {dim} sites on in \
         the mean, the data {data_on:.3}{by}. The objective does not see states far from the rows. Use objective \
         {exactly}, a regularizer{from_neighbours}"
    )
}

/// Warns of couplings that no row supports.
pub fn unseen(unseen: &UnseenPairs) -> String {
    let UnseenPairs { count, nats } = unseen;
    format!(
        "{count} coupled pairs of sites never occur together in their rarer values, so that the data set no bound \
         to their couplings; rows in which they do will cost some {nats:.2} nats a row. Use a regularizer, or more rows"
    )
}

/// What to do about a doubtful fit on ℝᴰ.
pub fn remedy_on_reals(objective: &ObjectiveSpec, knows_log_z: bool) -> &'static str {
    match objective {
        _ if knows_log_z => "objective maximumLikelihood",
        ObjectiveSpec::ContrastiveDivergence { .. }
        | ObjectiveSpec::PersistentContrastiveDivergence { .. } => {
            "more chains and steps, or a lower learning rate"
        }
        _ => "objective persistentContrastiveDivergence with a low learning rate",
    }
}

/// Warns that rows are less likely under a model on ℝᴰ than under independent normal distributions.
pub fn shortfall(nats: f64, remedy: &str) -> String {
    let shortfall = match nats < MAX_TOLD {
        true => format!("at least {nats:.1} nats a row less likely"),
        false => "next to impossible".into(),
    };
    format!(
        "the rows are {shortfall} under the fitted model, compared with independent normal distributions of their means \
         and variances: most of its probability is where there are no rows, or the model does not suit them. The \
         objective does not see states far from the rows. Use {remedy}, or another model"
    )
}

/// Warns that states of a model on ℝᴰ are not where the rows are; `share` of them are nearer to the
/// mean than the median row.
pub fn far_or_near(share: f64, remedy: &str) -> String {
    let (percent, place) = match share < 0.5 {
        true => (100.0 * (1.0 - share), "farther from"),
        false => (100.0 * share, "nearer to"),
    };
    format!(
        "the model finds states likely that the rows do not show: {percent:.0} % of those that annealed chains find are \
         {place} the rows' mean than the median row is. The objective does not see it where chains from the rows do not \
         come. Use {remedy}, or another model"
    )
}
