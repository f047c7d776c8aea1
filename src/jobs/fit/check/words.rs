//! What the check found, in words.

use crate::exact;
use crate::fit::connectivity::ConnectivitySpec;
use crate::fit::predictive_check::{Misfit, UnseenPairs};
use crate::jobs::spec::ObjectiveSpec;

/// That the model's states are unlike the data.
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

/// That couplings rest on nothing.
pub fn unseen(unseen: &UnseenPairs) -> String {
    let UnseenPairs { count, nats } = unseen;
    format!(
        "{count} coupled pairs of sites never occur together in their rarer values, so that the data set no bound \
         to their couplings; rows in which they do will cost some {nats:.2} nats a row. Use a regularizer, or more rows"
    )
}
