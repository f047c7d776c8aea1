//! Exact draws of sparsely coupled Ising models: the sites are drawn in the reverse of their
//! elimination order, each given the sites of its frontier.

use super::{Frontier, FrontierExact, Pass};
use crate::bits::bit;
use crate::exact::ExactDraws;
use crate::models::ising::Ising;
use crate::rng::{ChainRng, uniform};
use crate::{Error, Result};

/// Exact draws from the tables of an elimination.
#[derive(Debug, Clone)]
pub struct FrontierDraws {
    exact: FrontierExact,
    /// The sites, last eliminated first.
    sites: Vec<Site>,
}

#[derive(Debug, Clone)]
struct Site {
    site: usize,
    /// The frontier S; the first site is the highest bit of the index.
    scope: Vec<usize>,
    /// p(x_v = 1 | x_S).
    chances: Vec<f64>,
}

impl FrontierDraws {
    /// Maximum number of entries in all tables. These are kept, 8 bytes each: 128 MiB, and up to
    /// twice as much in addition while they are made. Open lattices of 17 × 17 or 12 × 340 sites
    /// are within the limit, and tori of 10 × 10.
    pub const MAX_ENTRIES: usize = 1 << 24;

    /// Sums out the sites and keeps the tables.
    ///
    /// # Errors
    /// Those of [`Frontier::new`]; [`Error::TooLarge`] if the tables exceed [`Self::MAX_ENTRIES`].
    pub fn new(model: &Ising) -> Result<Self> {
        let frontier = Frontier::new(model)?;
        if frontier.num_entries() > Self::MAX_ENTRIES {
            return Err(Error::TooLarge {
                field: "model".into(),
                problem: format!(
                    "is coupled so that exact draws need tables of {} entries: the limit is {}; use a \
                     narrower lattice",
                    frontier.num_entries(),
                    Self::MAX_ENTRIES
                ),
            });
        }
        let mut pass = Pass::keeping_chances();
        while !pass.advance(&frontier, usize::MAX) {}
        let exact = pass.exact();
        let steps = frontier.steps.into_iter().zip(pass.into_chances()).rev();
        let sites = steps
            .map(|(step, chances)| Site { site: step.site, scope: step.scope, chances })
            .collect();
        Ok(Self { exact, sites })
    }

    /// log Z and the mean energy.
    pub fn exact(&self) -> FrontierExact {
        self.exact
    }
}

impl ExactDraws for FrontierDraws {
    fn log_z(&self) -> f64 {
        self.exact.log_z
    }

    fn draw(&self, rng: &mut ChainRng, row: &mut [u64]) {
        row.fill(0);
        for Site { site, scope, chances } in &self.sites {
            let index =
                scope.iter().fold(0, |index, &other| index << 1 | usize::from(bit(row, other)));
            row[site / 64] |= u64::from(uniform(rng) < chances[index]) << (site % 64);
        }
    }
}
