//! Enumeration of all states of a Potts model, numbered as those of [`States`]. Once the values of the last sites
//! are fixed, their couplings act on the others as fields do: going down from the last site to the
//! first, an energy costs one addition, and is a sum in the order of the sites. The weights e^{−E}
//! of a shard are then folded, one site after another, which gives the moments of all pairs of
//! values in a few operations per state.
//!
//! A shard fixes the values of the last sites and varies the others, at most [`SHARD_STATES`] states
//! unless one site has more values; shards depend on the numbers of values alone.

use super::Potts;
use crate::Result;
use crate::energy::Parametric;
use crate::energy::enumeration::Exact;
use crate::math::exp;
use crate::site_values::{States, Value};

/// Maximum number of states.
pub const MAX_STATES: usize = 1 << 25;

/// Number of states of a shard.
const SHARD_STATES: usize = 1 << 14;

/// Enumeration of a model's states, in shards.
#[derive(Debug, Clone)]
pub struct ValueEnumeration {
    model: Potts,
    /// Number of sites that vary within a shard.
    num_low: usize,
    shard_states: usize,
    num_shards: usize,
    /// For each site, the sites coupled to it that come before it, with the place of J(0, 0).
    lower: Vec<Vec<(usize, usize)>>,
}

impl ValueEnumeration {
    /// The enumeration of a model's states at its present parameters.
    ///
    /// # Errors
    /// [`crate::Error::TooLarge`] if there are over [`MAX_STATES`].
    pub fn new(model: &Potts) -> Result<Self> {
        let num_states = States::new(&model.sites, MAX_STATES)?.count();
        let (mut num_low, mut shard_states) = (1, model.sites.num_values(0));
        while num_low < model.sites.count()
            && shard_states * model.sites.num_values(num_low) <= SHARD_STATES
        {
            shard_states *= model.sites.num_values(num_low);
            num_low += 1;
        }
        let mut lower = vec![Vec::new(); model.sites.count()];
        for pair in &model.pairs {
            lower[pair.sites[1]].push((pair.sites[0], pair.start));
        }
        let num_shards = num_states / shard_states;
        Ok(Self { model: model.clone(), num_low, shard_states, num_shards, lower })
    }

    /// The model.
    pub(super) fn model(&self) -> &Potts {
        &self.model
    }

    /// Sets the model's parameters.
    ///
    /// # Panics
    /// If there are more or fewer.
    pub(super) fn set_params(&mut self, params: &[f64]) {
        self.model.set_params(params);
    }

    /// Number of shards.
    pub fn num_shards(&self) -> usize {
        self.num_shards
    }

    /// Length of a shard's part.
    pub fn part_len(&self) -> usize {
        let dim = self.model.sites.dim();
        3 + dim * (dim + 1) / 2
    }

    /// Energies of a shard's states, in order.
    pub(super) fn energies(&self, shard: usize) -> (Vec<Value>, Vec<f64>) {
        assert!(shard < self.num_shards);
        let sites = &self.model.sites;
        let mut fields = self.model.params()[..sites.dim()].to_vec();
        let mut high = Vec::new();
        let mut rest = shard;
        for site in self.num_low..sites.count() {
            high.push((rest % sites.num_values(site)) as Value);
            rest /= sites.num_values(site);
        }
        let mut energy = 0.0;
        for site in (self.num_low..sites.count()).rev() {
            let value = usize::from(high[site - self.num_low]);
            energy -= fields[sites.first(site) + value];
            self.fix(site, value, &mut fields);
        }
        let mut energies = Vec::with_capacity(self.shard_states);
        // From the last site on, each with the fields that the later ones leave.
        self.visit(self.num_low - 1, energy, &fields, &mut energies);
        (high, energies)
    }

    /// Adds the couplings of a site's value to the fields of the sites before it.
    fn fix(&self, site: usize, value: usize, fields: &mut [f64]) {
        let sites = &self.model.sites;
        let cols = sites.num_values(site);
        for (other, start) in &self.lower[site] {
            let fields = &mut fields[sites.first(*other)..][..sites.num_values(*other)];
            for (a, field) in fields.iter_mut().enumerate() {
                *field += self.model.params()[start + a * cols + value];
            }
        }
    }

    /// Appends the energies of all values of this site and of those before it.
    fn visit(&self, site: usize, energy: f64, fields: &[f64], energies: &mut Vec<f64>) {
        let own = &fields[self.model.sites.first(site)..];
        let own = &own[..self.model.sites.num_values(site)];
        if site == 0 {
            energies.extend(own.iter().map(|field| energy - field));
            return;
        }
        for (value, field) in own.iter().enumerate() {
            let mut fields = fields[..self.model.sites.first(site)].to_vec();
            self.fix(site, value, &mut fields);
            self.visit(site - 1, energy - field, &fields, energies);
        }
    }

    /// Works one shard: `[E_min, Σw, ΣwE, Σ w x_a x_b for bits a ≤ b]` with w = exp(E_min − E).
    ///
    /// # Panics
    /// If there is no such shard.
    pub fn part(&self, shard: usize) -> Vec<f64> {
        let dim = self.model.sites.dim();
        let (high, energies) = self.energies(shard);
        let min = energies.iter().copied().fold(f64::INFINITY, f64::min);
        let weights: Vec<f64> = energies.iter().map(|energy| exp(min - energy)).collect();
        let weighted = energies.iter().zip(&weights).map(|(energy, weight)| energy * weight);
        let mean = weighted.sum();
        let mut moments = vec![0.0; dim * dim];
        let total = self.fold_moments(weights, &mut moments);
        self.add_high(&high, total, &mut moments);
        let mut part = vec![min, total, mean];
        (0..dim).for_each(|a| part.extend_from_slice(&moments[a * dim + a..(a + 1) * dim]));
        part
    }

    /// Writes Σ w x_a x_b for the bits of the sites that vary into the upper triangle, and returns
    /// Σ w. The moments of the last site's values are sums over parts of the table; then these parts
    /// are added, and the site before is the last.
    fn fold_moments(&self, mut weights: Vec<f64>, moments: &mut [f64]) -> f64 {
        let sites = &self.model.sites;
        let dim = sites.dim();
        for last in (0..self.num_low).rev() {
            let len = weights.len() / sites.num_values(last);
            for (value, of_value) in weights.chunks_exact(len).enumerate() {
                let top = sites.first(last) + value;
                let mut set = of_value.to_vec();
                for site in (0..last).rev() {
                    let len = set.len() / sites.num_values(site);
                    for (value, part) in set.chunks_exact(len).enumerate() {
                        moments[(sites.first(site) + value) * dim + top] = part.iter().sum();
                    }
                    fold(&mut set, len);
                }
                moments[top * dim + top] = set[0];
            }
            fold(&mut weights, len);
        }
        weights[0]
    }

    /// The moments of the bits that are on in all states of a shard.
    fn add_high(&self, high: &[Value], total: f64, moments: &mut [f64]) {
        let sites = &self.model.sites;
        let dim = sites.dim();
        let bit = |at: usize| sites.first(self.num_low + at) + usize::from(high[at]);
        for at in 0..high.len() {
            let on = bit(at);
            for low in 0..sites.first(self.num_low) {
                moments[low * dim + on] = moments[low * dim + low];
            }
            (0..=at).for_each(|before| moments[bit(before) * dim + on] = total);
        }
    }

    /// Combines the parts of all shards, in order.
    ///
    /// # Panics
    /// If a part is missing or has the wrong length.
    pub fn combine(&self, parts: &[Vec<f64>]) -> Exact {
        assert_eq!(parts.len(), self.num_shards);
        crate::energy::enumeration::combine_parts(self.model.sites.dim(), parts)
    }
}

/// Adds the parts of a table, each of this length, to the first, which alone is kept.
fn fold(table: &mut Vec<f64>, len: usize) {
    let (first, others) = table.split_at_mut(len);
    for other in others.chunks_exact(len) {
        first.iter_mut().zip(other).for_each(|(sum, weight)| *sum += weight);
    }
    table.truncate(len);
}
