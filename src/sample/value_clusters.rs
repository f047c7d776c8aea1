//! Cluster moves of Potts models with any couplings and fields.
//!
//! A step pairs the values of the sites at random: site i may then change from x_i to its partner τ(x_i)
//! and to nothing else. Among these states the model is one of Ising, with a spin for each site that has a
//! partner, and is moved as one (Wang, Swendsen and Kotecký 1989): with every spin at +1 now,
//!
//! `w_ij = ¼ [J(x_i, x_j) + J(τx_i, τx_j) − J(x_i, τx_j) − J(τx_i, x_j)]`,
//! `b_i = ½ [h_i(x_i) − h_i(τx_i)] + ¼ Σ_j [J(x_i, x_j) + J(x_i, τx_j) − J(τx_i, x_j) − J(τx_i, τx_j)]`,
//!
//! where τx_j = x_j for a site without a partner. A bond is activated with probability `1 − exp(−2w)` if
//! w > 0, a field as a bond to the ghost with `1 − exp(−2b)` if b > 0, and each cluster without the ghost
//! goes to its partners with probability ½ ([`super::swendsen_wang`]). The pairing does not depend on the
//! state, so the step leaves p(x) unchanged and is reversible. Without fields and with couplings
//! that favour equal values, a bond joins equal values with the probability `1 − exp(−J)` of Swendsen and
//! Wang (1987).
//!
//! Sites with the same number of values have the same pairing; of an odd number one value has no partner.
//! Pairings are drawn first, by ascending number of values, then bonds in the order of the pairs, fields in
//! that of the sites, and one coin per cluster.

use super::Transition;
use super::bonds::{Activation, Clusters, ClustersInfo};
use crate::energy::Parametric;
use crate::models::potts::{Pair, Potts};
use crate::models::site_values::Value;
use crate::rng::{ChainRng, shuffle};

/// Cluster moves of a Potts model.
#[derive(Debug, Clone)]
pub struct ValueClusters {
    model: Potts,
    /// The numbers of values that sites have, in ascending order.
    counts: Vec<usize>,
}

impl ValueClusters {
    /// A transition that samples this model.
    pub fn new(model: &Potts) -> Self {
        let sites = model.sites();
        let mut counts: Vec<_> = (0..sites.count()).map(|site| sites.num_values(site)).collect();
        counts.sort_unstable();
        counts.dedup();
        Self { model: model.clone(), counts }
    }

    /// Estimated cost of a step, in nanoseconds: measured, a random number and an exponential for about
    /// half of the pairs and sites.
    pub fn step_cost(model: &Potts) -> usize {
        40 * (model.pairs().len() + model.sites().count())
    }

    /// Draws the partner of each site's value.
    fn partners(&self, values: &[Value], rng: &mut ChainRng) -> Vec<Value> {
        let sites = self.model.sites();
        let mut partners = values.to_vec();
        for &count in &self.counts {
            let mut order: Vec<_> = (0..count as Value).collect();
            shuffle(&mut order, rng);
            let mut partner_of: Vec<_> = (0..count as Value).collect();
            for pair in order.chunks_exact(2) {
                partner_of[usize::from(pair[0])] = pair[1];
                partner_of[usize::from(pair[1])] = pair[0];
            }
            for site in (0..values.len()).filter(|site| sites.num_values(*site) == count) {
                partners[site] = partner_of[usize::from(values[site])];
            }
        }
        partners
    }
}

impl Transition for ValueClusters {
    type Info = ClustersInfo;

    /// # Panics
    /// If the row stands for no state.
    fn step(&self, row: &mut [u64], rng: &mut ChainRng) -> ClustersInfo {
        let (model, sites) = (&self.model, self.model.sites());
        let mut values = sites.values(row);
        let partners = self.partners(&values, rng);
        let params = model.params();
        let field = |site: usize, value: Value| params[sites.first(site) + usize::from(value)];
        let mut fields: Vec<f64> = (0..values.len())
            .map(|site| 0.5 * (field(site, values[site]) - field(site, partners[site])))
            .collect();
        // The ghost comes after all sites.
        let ghost = values.len();
        let mut clusters = Clusters::new(ghost + 1);
        for &Pair { sites: [i, j], start } in model.pairs() {
            let coupling = |a: Value, b: Value| {
                params[start + usize::from(a) * sites.num_values(j) + usize::from(b)]
            };
            let [same, second, first, both] = [
                coupling(values[i], values[j]),
                coupling(values[i], partners[j]),
                coupling(partners[i], values[j]),
                coupling(partners[i], partners[j]),
            ];
            // Each is 0 for a site without a partner.
            fields[i] += 0.25 * (same + second - first - both);
            fields[j] += 0.25 * (same + first - second - both);
            if is_activated(0.25 * (same + both - second - first), rng) {
                clusters.join(i as u32, j as u32);
            }
        }
        for (site, field) in fields.into_iter().enumerate() {
            if is_activated(field, rng) {
                clusters.join(site as u32, ghost as u32);
            }
        }
        let mut num_changes = 0;
        let info = clusters.flip_at_random(rng, |site, flips| {
            if flips {
                // A site without a partner stays what it is.
                num_changes += usize::from(values[site] != partners[site]);
                values[site] = partners[site];
            }
        });
        sites.write(&values, row);
        ClustersInfo { num_flips: num_changes, ..info }
    }
}

/// Whether a bond is activated between spins that are both +1.
fn is_activated(coupling: f64, rng: &mut ChainRng) -> bool {
    coupling > 0.0 && Activation::new(coupling).draw(true, rng)
}
