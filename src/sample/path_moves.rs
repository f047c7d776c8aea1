//! How chains move at the distributions of a path.

use super::param_path::ParamPath;
#[cfg(feature = "full")]
use super::single_flips::FlipMoves;
use super::spec::{Scan, TransitionSpec};
use super::state_table;
use crate::energy::{ExactDraws, HiddenUnits};
use crate::models::Model;
use crate::models::categorical_rbm::HiddenDraws;
use crate::models::rbm::Rbm;
use crate::models::site_values::Sites;
use crate::{Error, Result};

/// Maximum number of sites of a binary model for perfect moves by enumerating all states.
pub const MAX_PERFECT_SITES: usize = state_table::MAX_SITES;

/// Maximum number of units on the smaller side of a larger restricted Boltzmann machine, for
/// perfect moves by enumerating that side. With hundreds of units on the other side, that takes
/// milliseconds at each distribution.
pub const MAX_PERFECT_UNITS: usize = 14;

/// How chains move at each β.
#[derive(Debug, Clone, PartialEq)]
pub enum Moves {
    /// To an exact draw from p_β, independent of the present state: theory is tested with these.
    /// For Gaussians, binary models of up to [`MAX_PERFECT_SITES`] sites, and restricted Boltzmann
    /// machines with a side of up to [`MAX_PERFECT_UNITS`] units.
    Perfect,
    /// By a transition that leaves p_β unchanged. Its step size and adaptation settings are
    /// ignored: those of the annealing plan apply instead.
    By(TransitionSpec),
}

/// The machine if its perfect moves enumerate its smaller side alone: if it has too many sites for
/// a table of all states.
pub(crate) fn by_smaller_side(model: &dyn Model) -> Option<&Rbm> {
    model.as_rbm().filter(|_| model.dim() > MAX_PERFECT_SITES)
}

/// Checks that the states of a binary model, or those of the smaller side of a machine, are few
/// enough.
pub(crate) fn check_perfect(model: &dyn Model) -> Result<()> {
    let dim = model.dim();
    if let Some(sites) = model.as_sites() {
        return check_perfect_values(model, sites);
    }
    let (count, limit, what) = match by_smaller_side(model) {
        Some(rbm) => (dim.min(rbm.num_hidden()), MAX_PERFECT_UNITS, "units on the smaller side"),
        None => (dim, MAX_PERFECT_SITES, "sites"),
    };
    if count <= limit {
        return Ok(());
    }
    let problem = format!(
        "is perfect, which enumerates 2^{count} states at each distribution; the limit is {limit} {what}: use \
         another transition"
    );
    Err(Error::TooLarge { field: "transition.kind".into(), problem })
}

/// [`check_perfect`] of sites of several values.
fn check_perfect_values(model: &dyn Model, sites: &Sites) -> Result<()> {
    let (count, limit, what) = match model.as_categorical_rbm() {
        Some(machine) => (Some(machine.num_hidden()), MAX_PERFECT_UNITS, "hidden units"),
        None => {
            let mut all = (0..sites.count()).map(|site| sites.num_values(site));
            let most = 1 << MAX_PERFECT_SITES;
            let count = all.try_fold(1, |count: usize, values| count.checked_mul(values));
            (count, most, "states")
        }
    };
    if count.is_some_and(|count| count <= limit) {
        return Ok(());
    }
    let problem = format!(
        "is perfect, which enumerates all states at each distribution; the limit is {limit} {what}: use \
         another transition"
    );
    Err(Error::TooLarge { field: "transition.kind".into(), problem })
}

/// Estimated cost of the enumeration that perfect moves of sites of several values take at each
/// distribution, in nanoseconds: an exponential for each bit and state.
pub(crate) fn enumeration_cost(model: &dyn Model, sites: &Sites) -> u64 {
    let num_states = match model.as_categorical_rbm() {
        Some(machine) => 1 << machine.num_hidden().min(MAX_PERFECT_UNITS),
        None => 1 << MAX_PERFECT_SITES,
    };
    10 * num_states * sites.dim() as u64
}

/// Exact draws of sites of several values.
pub(crate) fn perfect_values(model: &dyn Model) -> Option<Box<dyn ExactDraws>> {
    if let Some(machine) = model.as_categorical_rbm() {
        return Some(Box::new(HiddenDraws::new(machine).ok()?));
    }
    Some(Box::new(model.as_site_values()?.draws().ok()?))
}

/// Checks that the states of a path can move this way.
pub(crate) fn check_binary(path: &ParamPath, spec: &TransitionSpec) -> Result<()> {
    let model = path.model();
    let missing = |capability, needed_by| Err(Error::missing(model.kind(), capability, needed_by));
    match spec {
        // Making the path has already checked that bits have flips.
        TransitionSpec::Gibbs { scan: Scan::Systematic | Scan::Random } => {
            match model.as_sites().is_some() && path.energies().as_values().is_none() {
                true => missing("conditional probabilities along the path", "Gibbs sampling"),
                false => Ok(()),
            }
        }
        #[cfg(feature = "full")]
        TransitionSpec::FlipMetropolis { .. }
        | TransitionSpec::LocallyInformed {}
        | TransitionSpec::DiscreteLangevin { .. } => {
            match (model.as_site_flips(), FlipMoves::of(spec)) {
                (Some(_), Some(moves)) => moves.check(model.dim()),
                _ => missing("SiteFlips", "flips of single sites"),
            }
        }
        TransitionSpec::BlockGibbs {} if path.energies().as_sides().is_some() => Ok(()),
        TransitionSpec::BlockGibbs {} => missing("HiddenUnits", "block Gibbs sampling"),
        TransitionSpec::Checkerboard {} => match model.as_ising() {
            Some(_) => Ok(()),
            None => missing("pairwise energies", "the checkerboard"),
        },
        TransitionSpec::SwendsenWang {} if model.as_potts().is_some() => Ok(()),
        TransitionSpec::SwendsenWang {} | TransitionSpec::Wolff {} => match model.as_ising() {
            Some(_) => Ok(()),
            None => missing("pairwise energies", "cluster moves"),
        },
        _ => Err(Error::spec(
            "transition.kind",
            "moves chains on the reals; use gibbs, flipMetropolis, locallyInformed, discreteLangevin, blockGibbs, checkerboard, \
             swendsenWang or wolff for a model of bits",
        )),
    }
}
