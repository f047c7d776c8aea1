//! Exact log Z and draws of sparsely coupled Potts models, by summing out one site after another. As
//! [`super::frontier`], with sites of several values:
//!
//! `m_v(x_S) = ln Σ_a exp(h_v(a) + Σ_{j∈S} J_vj(a, x_j) + Σ_c m_c(a, x_S))`
//!
//! over the functions m_c whose frontier has v as its first site. A table has ∏_{j∈S} q_j entries, each a
//! sum of q_v terms: a chain takes q, a lattice strip of width w takes q^w per site.

mod draws;
mod pass;

pub use draws::ValueFrontierDraws;
pub use pass::ValuePass;

use super::frontier::FrontierExact;
use super::frontier::order::{Elimination, least};
use crate::energy::Parametric;
use crate::models::potts::Potts;
use crate::{Error, Result};

/// Maximum number of terms of all tables, which determines the time: some seconds.
pub const MAX_TERMS: usize = 1 << 27;

/// The elimination order of a Potts model's sites, with the frontier of each.
#[derive(Debug, Clone)]
pub struct ValueFrontier {
    steps: Vec<Step>,
    num_terms: usize,
}

/// The elimination of one site.
#[derive(Debug, Clone)]
struct Step {
    site: usize,
    /// h_v, `[q_v]`.
    fields: Vec<f64>,
    /// The frontier S, in elimination order. Of a table's index the first site runs fastest.
    scope: Vec<usize>,
    /// The number of values of each site of S.
    counts: Vec<usize>,
    /// For each site of S, `J(x_v, x_j)` as `[q_j, q_v]`; empty for sites tied by functions only.
    couplings: Vec<Vec<f64>>,
    incoming: Vec<Incoming>,
}

impl Step {
    fn num_entries(&self) -> usize {
        self.counts.iter().product()
    }
}

/// A function whose first site is that of the step.
#[derive(Debug, Clone)]
struct Incoming {
    /// The step that left the function.
    step: usize,
    /// By how much its index grows with the value of each site of S.
    strides: Vec<usize>,
}

impl ValueFrontier {
    /// Finds an order. Sites are tied by couplings that are not all 0, also where the pattern has more pairs.
    ///
    /// # Errors
    /// [`Error::TooLarge`] if no order within the limits is found.
    pub fn new(model: &Potts) -> Result<Self> {
        let sites = model.sites();
        let counts: Vec<usize> = (0..sites.count()).map(|site| sites.num_values(site)).collect();
        // For each site those it is coupled to, with J as [values of the other, own values].
        let mut ties: Vec<Vec<(usize, Vec<f64>)>> = vec![Vec::new(); counts.len()];
        for pair in model.pairs() {
            let [i, j] = pair.sites;
            let block = &model.params()[pair.start..pair.start + counts[i] * counts[j]];
            if block.iter().all(|coupling| *coupling == 0.0) {
                continue;
            }
            let transposed =
                (0..counts[j]).flat_map(|b| block[b..].iter().step_by(counts[j]).copied());
            ties[i].push((j, transposed.collect()));
            ties[j].push((i, block.to_vec()));
        }
        let neighbours: Vec<Vec<usize>> =
            ties.iter().map(|ties| ties.iter().map(|(site, _)| *site).collect()).collect();
        let lattice = model.pattern().lattice().map(|lattice| lattice.lines());
        let most_values = counts.iter().copied().max().unwrap_or(1);
        least(&neighbours, lattice, &counts)
            .filter(|found| found.num_entries.saturating_mul(most_values) <= MAX_TERMS)
            .map(|found| Self::from_elimination(model, found, ties))
            .ok_or_else(|| Error::TooLarge {
                field: "model.numSites".into(),
                problem: format!(
                    "is {}: there are over 2^25 states to enumerate, and no order is found of summing out \
                     one site after another in at most 2^27 terms; estimate log Z instead, or couple fewer \
                     pairs",
                    counts.len()
                ),
            })
    }

    fn from_elimination(
        model: &Potts,
        elimination: Elimination,
        mut ties: Vec<Vec<(usize, Vec<f64>)>>,
    ) -> Self {
        let Elimination { order, scopes, .. } = elimination;
        let sites = model.sites();
        let mut step_of = vec![0; order.len()];
        order.iter().enumerate().for_each(|(step, &site)| step_of[site] = step);
        let mut incoming: Vec<Vec<Incoming>> = vec![Vec::new(); order.len()];
        for (step, scope) in scopes.iter().enumerate() {
            if let Some((&first, others)) = scope.split_first() {
                let into = step_of[first];
                let mut strides = vec![0; scopes[into].len()];
                let mut stride = sites.num_values(first);
                for other in others {
                    let place = scopes[into].iter().position(|site| site == other);
                    strides[place.expect("its other sites are in the frontier")] = stride;
                    stride *= sites.num_values(*other);
                }
                incoming[into].push(Incoming { step, strides });
            }
        }
        let steps = order.iter().zip(scopes).zip(incoming).map(|((&site, scope), incoming)| {
            let own = std::mem::take(&mut ties[site]);
            let coupling = |other: &usize| {
                let tie = own.iter().find(|(tied, _)| tied == other);
                tie.map_or(Vec::new(), |(_, coupling)| coupling.clone())
            };
            Step {
                site,
                fields: model.params()[sites.first(site)..sites.first(site + 1)].to_vec(),
                counts: scope.iter().map(|&other| sites.num_values(other)).collect(),
                couplings: scope.iter().map(coupling).collect(),
                scope,
                incoming,
            }
        });
        let steps: Vec<Step> = steps.collect();
        let num_terms = steps.iter().map(|step| step.num_entries() * step.fields.len()).sum();
        Self { steps, num_terms }
    }

    /// Number of terms of all tables.
    pub fn num_terms(&self) -> usize {
        self.num_terms
    }

    /// Eliminates all sites in one call.
    pub fn exact(&self) -> FrontierExact {
        let mut pass = ValuePass::default();
        while !pass.advance(self, usize::MAX) {}
        pass.exact()
    }
}
