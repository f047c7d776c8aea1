//! Exact log Z of sparsely coupled Ising models, such as spin glasses on lattices, by summing out
//! one site after another: variable elimination, which for the sites of a lattice strip in order is
//! the transfer matrix.
//!
//! Summing out site v leaves a function of the sites that v is then tied to, by
//! couplings or by functions left earlier: its **frontier** S, those of the
//! sites not yet summed out. In logarithms, with x_S the bits of S,
//!
//! `m_v(x_S) = ln Σ_{x_v} exp(−x_v (J_vv + 2 Σ_{j∈S} J_vj x_j) + Σ_c m_c(x_v, x_S))`
//!
//! over the functions m_c of those c whose frontier has v as its first site. What is left at the
//! end is log Z. Elimination also computes the mean energy of what is summed out, given x_S, and
//! p(x_v = 1 | x_S); drawing the sites in reverse order from the latter gives exact draws.
//!
//! A table has 2^|S| entries, so the cost depends on the order: see `order.rs`. A strip of width w
//! takes 2^w entries per site; a torus, where the first line is kept until the end, 2^{2w}. Within
//! the limits below are open lattices of up to 21 × 21 sites and strips of width 12 and any length
//! up to [`MAX_SITES`], and tori of up to 11 × 11, 10 × 28 or 9 × 100 sites.
//!
//! Logarithms of sums of probabilities cannot overflow; each table is stored minus its first entry,
//! so that rounding does not grow with log Z.

mod draws;
pub(in crate::exact) mod messages;
pub(in crate::exact) mod order;
mod pass;

pub use draws::FrontierDraws;
pub use pass::Pass;

use crate::energy::{Energy, Parametric};
use crate::models::ising::Ising;
use crate::{Error, Result};
use order::Elimination;

/// Maximum number of sites in a frontier: the largest table has 2^22 entries.
pub const MAX_WIDTH: usize = 22;

/// Maximum number of entries in all tables, which determines the time: some seconds.
pub const MAX_ENTRIES: usize = 1 << 28;

/// Maximum number of entries in the tables needed at one time, 16 bytes each: 256 MiB.
pub const MAX_LIVE_ENTRIES: usize = 1 << 24;

/// Maximum number of sites, so that the order is found in less than a second.
pub const MAX_SITES: usize = 1 << 16;

/// The elimination order of an Ising model's sites, with the frontier of each.
#[derive(Debug, Clone)]
pub struct Frontier {
    steps: Vec<Step>,
    num_entries: usize,
    width: usize,
}

/// The elimination of one site.
#[derive(Debug, Clone)]
struct Step {
    site: usize,
    /// The bias J_vv.
    bias: f64,
    /// The frontier S, in elimination order. The first site is the highest bit of a table's index.
    scope: Vec<usize>,
    /// 2 J_vj for each site of S; 0 for sites tied by functions only.
    couplings: Vec<f64>,
    incoming: Vec<Incoming>,
}

/// A function whose first site is that of the step.
#[derive(Debug, Clone)]
struct Incoming {
    /// The step that left the function.
    step: usize,
    /// Which bits of x_S its other sites are.
    mask: usize,
}

/// The results of elimination.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FrontierExact {
    /// log Z, in nats.
    pub log_z: f64,
    /// The mean energy E[E(x)], in nats.
    pub mean_energy: f64,
}

impl Frontier {
    /// Finds an order. Sites are tied by nonzero couplings alone, also where the pattern has more pairs.
    ///
    /// # Errors
    /// [`Error::TooLarge`] if there are too many sites, or no order within the limits is found.
    pub fn new(model: &Ising) -> Result<Self> {
        let dim = model.dim();
        if dim > MAX_SITES {
            return Err(too_large(dim, &format!("at most {MAX_SITES} sites are")));
        }
        let mut num_bonds = 0;
        model.for_each_bond(|_, _, _| num_bonds += 1);
        // Each of the remaining sites has at most as many ties as a frontier has sites.
        let elimination = if num_bonds > MAX_WIDTH * dim {
            None
        } else {
            let mut ties = vec![Vec::new(); dim];
            model.for_each_bond(|i, j, coupling| {
                // From the spins' w_ij = −½ J_ij.
                ties[i].push((j, -4.0 * coupling));
                ties[j].push((i, -4.0 * coupling));
            });
            let lattice = model.pattern().lattice().map(|lattice| lattice.lines());
            let neighbours: Vec<Vec<usize>> =
                ties.iter().map(|ties| ties.iter().map(|(site, _)| *site).collect()).collect();
            order::least(&neighbours, lattice, &vec![2; dim]).map(|elimination| (elimination, ties))
        };
        let Some((elimination, ties)) = elimination else {
            return Err(too_large(
                dim,
                &format!(
                    "no order is found with tables of at most 2^{MAX_WIDTH} entries, and \
                     {MAX_ENTRIES} in all, which are what can be"
                ),
            ));
        };
        Ok(Self::from_elimination(model, elimination, &ties))
    }

    fn from_elimination(
        model: &Ising,
        elimination: Elimination,
        ties: &[Vec<(usize, f64)>],
    ) -> Self {
        let Elimination { order, scopes, num_entries } = elimination;
        let width = scopes.iter().map(Vec::len).max().unwrap_or(0);
        let mut step_of = vec![0; order.len()];
        order.iter().enumerate().for_each(|(step, &site)| step_of[site] = step);
        let mut incoming: Vec<Vec<Incoming>> = vec![Vec::new(); order.len()];
        for (step, scope) in scopes.iter().enumerate() {
            if let Some((&first, others)) = scope.split_first() {
                let into = step_of[first];
                let mask = scopes[into]
                    .iter()
                    .fold(0, |mask, site| mask << 1 | usize::from(others.contains(site)));
                incoming[into].push(Incoming { step, mask });
            }
        }
        let coupling = |site: usize, other: usize| {
            ties[site]
                .iter()
                .find(|(tied, _)| *tied == other)
                .map_or(0.0, |(_, coupling)| *coupling)
        };
        let steps = order.iter().zip(scopes).zip(incoming).map(|((&site, scope), incoming)| Step {
            site,
            bias: model.params()[site],
            couplings: scope.iter().map(|&other| coupling(site, other)).collect(),
            scope,
            incoming,
        });
        Self { steps: steps.collect(), num_entries, width }
    }

    /// Number of sites in the largest frontier.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Number of entries in all tables.
    pub fn num_entries(&self) -> usize {
        self.num_entries
    }

    /// Eliminates all sites in one call.
    pub fn exact(&self) -> FrontierExact {
        let mut pass = Pass::default();
        while !pass.advance(self, usize::MAX) {}
        pass.exact()
    }
}

fn too_large(dim: usize, limit: &str) -> Error {
    Error::TooLarge {
        field: "model.dim".into(),
        problem: format!(
            "is {dim}: enumeration visits 2^dim states, up to {} sites, and of summing out one site \
             after another {limit} dealt with; estimate log Z instead, or couple fewer pairs",
            super::MAX_DIM
        ),
    }
}
