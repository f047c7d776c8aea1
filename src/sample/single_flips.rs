//! Transitions that flip sites of any binary model.

use super::Transition;
use super::discrete_langevin::DiscreteLangevin;
use super::flip_metropolis::FlipMetropolis;
use super::gibbs::{Gibbs, GibbsInfo, Scan};
use super::locally_informed::{LocallyInformed, MAX_SITES};
use super::spec::TransitionSpec;
use crate::checks::check_positive;
use crate::energy::SiteFlips;
use crate::rng::ChainRng;
use crate::{Error, Result};

/// How single sites are flipped.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum FlipMoves {
    /// Gibbs sampling.
    Gibbs(Scan),
    /// Metropolis sampling.
    Metropolis(Scan),
    /// Locally informed proposals.
    LocallyInformed,
    /// Langevin dynamics with this step size.
    DiscreteLangevin(f64),
}

impl FlipMoves {
    /// The moves of a spec, if it has such moves.
    pub fn of(spec: &TransitionSpec) -> Option<Self> {
        match *spec {
            TransitionSpec::Gibbs { scan } => Some(Self::Gibbs(scan.into())),
            #[cfg(feature = "full")]
            TransitionSpec::FlipMetropolis { scan } => Some(Self::Metropolis(scan.into())),
            #[cfg(feature = "full")]
            TransitionSpec::LocallyInformed {} => Some(Self::LocallyInformed),
            #[cfg(feature = "full")]
            TransitionSpec::DiscreteLangevin { step_size } => {
                Some(Self::DiscreteLangevin(step_size))
            }
            _ => None,
        }
    }

    /// Refuses step sizes that are none, and models with too many sites for a step of these moves, which
    /// cannot be interrupted.
    ///
    /// # Errors
    /// [`Error::InvalidSpec`] or [`Error::TooLarge`], naming the field.
    pub fn check(self, dim: usize) -> Result<()> {
        if let Self::DiscreteLangevin(step_size) = self {
            return check_positive("transition.stepSize", step_size);
        }
        if self != Self::LocallyInformed || dim <= MAX_SITES {
            return Ok(());
        }
        Err(Error::TooLarge {
            field: "transition.kind".into(),
            problem: format!(
                "is locallyInformed, a step of which takes the square of the number of sites in \
                 differences of energies; {dim} sites are over the limit of {MAX_SITES}: use flipMetropolis"
            ),
        })
    }

    /// Number of differences of energies that a step takes of a model of `dim` sites.
    pub fn differences_per_step(self, dim: usize) -> u64 {
        let dim = dim as u64;
        match self {
            Self::Gibbs(_) | Self::Metropolis(_) => dim,
            // All at the state where the step begins, and at each that is proposed.
            Self::LocallyInformed => dim * (dim + 1),
            // All at both states.
            Self::DiscreteLangevin(_) => 2 * dim,
        }
    }

    /// The moves of the reversal.
    pub fn reversed(self) -> Self {
        match self {
            Self::Gibbs(scan) => Self::Gibbs(scan.reversed()),
            Self::Metropolis(scan) => Self::Metropolis(scan.reversed()),
            Self::LocallyInformed | Self::DiscreteLangevin(_) => self,
        }
    }
}

/// A model whose single sites are flipped.
#[derive(Clone, Copy)]
pub struct SingleFlips<'a> {
    model: &'a dyn SiteFlips,
    moves: FlipMoves,
}

impl<'a> SingleFlips<'a> {
    /// A transition that samples this model by these moves.
    pub fn new(model: &'a dyn SiteFlips, moves: FlipMoves) -> Self {
        Self { model, moves }
    }
}

impl Transition for SingleFlips<'_> {
    type Info = GibbsInfo;

    fn step(&self, row: &mut [u64], rng: &mut ChainRng) -> GibbsInfo {
        match self.moves {
            FlipMoves::Metropolis(scan) => FlipMetropolis::by(self.model, scan).step(row, rng),
            FlipMoves::LocallyInformed => LocallyInformed::new(self.model).step(row, rng),
            FlipMoves::DiscreteLangevin(step_size) => {
                DiscreteLangevin::new(self.model, step_size).step(row, rng)
            }
            FlipMoves::Gibbs(scan) => Gibbs::by(self.model, scan).step(row, rng),
        }
    }
}
