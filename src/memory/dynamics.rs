//! The dynamics of a Hopfield network: units are set, one after another, to `x_i = H(J_i x − θ_i)`
//! (Sohl-Dickstein 2012, eq. 3.7). One **update** visits all units once, from first to last or in a
//! new random order. No step raises the energy, so the state converges to a fixed point.
//!
//! The fields are updated with each flip. If units are visited in their natural order, the fields
//! of units already visited are updated only at the end of the update. That the state is a fixed
//! point is checked with recomputed fields.

use super::Network;
use super::network::{gap, heaviside};
use crate::bits::{bit, flip};
use crate::rng::{ChainRng, shuffle};
use unnorm_wire::spec;

/// The order in which an update visits the units.
#[spec]
#[derive(Copy, Eq)]
pub enum UpdateOrder {
    /// From first to last.
    InOrder {},
    /// In a random order, drawn for each update.
    Random {},
}

/// A flip during recall.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Flip {
    /// Index of the flipped unit.
    pub site: usize,
    /// The update it belongs to, from 0.
    pub update: usize,
    /// The energy after it, in nats.
    pub energy: f64,
}

/// The state of a recall.
#[derive(Debug, Clone)]
pub struct Recall {
    row: Vec<u64>,
    fields: Vec<f64>,
    energy: f64,
    /// The order of the present update; empty for the natural order.
    order: Vec<u32>,
    rng: Option<ChainRng>,
    /// Flips not yet applied to the fields of the units before them.
    deferred: Vec<(usize, f64)>,
    /// Place in the present update.
    position: usize,
    num_updates: usize,
    num_flips: usize,
    has_flipped: bool,
    is_at_rest: bool,
}

impl Recall {
    /// The recall of a cue; with a random stream, in random orders drawn from it.
    ///
    /// # Panics
    /// If the cue does not have the network's dimension.
    pub fn new(network: &Network, cue: &[u64], rng: Option<ChainRng>) -> Self {
        let mut fields = vec![0.0; network.dim()];
        network.fields(cue, &mut fields);
        let mut recall = Self {
            energy: network.energy_of(cue, &fields),
            row: cue.to_vec(),
            fields,
            order: Vec::new(),
            rng,
            deferred: Vec::new(),
            position: 0,
            num_updates: 0,
            num_flips: 0,
            has_flipped: false,
            is_at_rest: false,
        };
        recall.begin_update();
        recall
    }

    fn begin_update(&mut self) {
        self.position = 0;
        self.has_flipped = false;
        let Some(rng) = &mut self.rng else { return };
        self.order = (0..self.fields.len() as u32).collect();
        shuffle(&mut self.order, rng);
    }

    /// Continues until the state is a fixed point, `max_updates` updates have been made since the
    /// cue, or `max_flips` flips in this call. Calls `watch` for each flip. Returns whether the
    /// recall is over.
    ///
    /// # Panics
    /// If the network has another dimension.
    pub fn advance(
        &mut self,
        network: &Network,
        max_updates: usize,
        max_flips: usize,
        mut watch: impl FnMut(Flip),
    ) -> bool {
        let dim = network.dim();
        assert_eq!(self.fields.len(), dim);
        let mut flips_left = max_flips;
        while !self.is_at_rest && self.num_updates < max_updates {
            while self.position < dim {
                if flips_left == 0 {
                    return false;
                }
                let at = self.position;
                let site = self.order.get(at).map_or(at, |site| *site as usize);
                self.position += 1;
                let is_set = bit(&self.row, site);
                if heaviside(self.fields[site]) == is_set {
                    continue;
                }
                // Never positive, or the bit would not be flipped.
                self.energy += gap(self.fields[site], is_set);
                let change = if is_set { -1.0 } else { 1.0 };
                if self.rng.is_some() {
                    network.add_row(site, change, &mut self.fields);
                } else {
                    network.add_row_after(site, change, &mut self.fields);
                    self.deferred.push((site, change));
                }
                flip(&mut self.row, site);
                self.has_flipped = true;
                self.num_flips += 1;
                flips_left -= 1;
                watch(Flip { site, update: self.num_updates, energy: self.energy });
            }
            if self.has_flipped {
                self.num_updates += 1;
                network.add_rows_before(&self.deferred, &mut self.fields);
                self.deferred.clear();
            } else {
                network.fields(&self.row, &mut self.fields);
                self.energy = network.energy_of(&self.row, &self.fields);
                let mut units = self.fields.iter().enumerate();
                self.is_at_rest =
                    units.all(|(site, field)| heaviside(*field) == bit(&self.row, site));
                // Otherwise rounding had hidden a flip; this update then counts as one.
                self.num_updates += usize::from(!self.is_at_rest);
            }
            self.begin_update();
        }
        true
    }

    /// The present state.
    pub fn state(&self) -> &[u64] {
        &self.row
    }

    /// Its energy, in nats.
    pub fn energy(&self) -> f64 {
        self.energy
    }

    /// Number of updates that changed the state.
    pub fn num_updates(&self) -> usize {
        self.num_updates
    }

    /// Number of bits flipped.
    pub fn num_flips(&self) -> usize {
        self.num_flips
    }

    /// Whether the state is known to be a fixed point.
    pub fn is_at_rest(&self) -> bool {
        self.is_at_rest
    }
}

/// A final state of recall, and how many cues end in it: its share of the cues measures its basin
/// of attraction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attractor {
    /// The final state, packed.
    pub state: Vec<u64>,
    /// How many of the given states are this one.
    pub num_cues: usize,
}

/// The distinct states among the given final states, most frequent first, and for each given state
/// the index of its attractor. Equally frequent ones are in order of first occurrence.
pub fn attractors<'a>(states: impl Iterator<Item = &'a [u64]>) -> (Vec<Attractor>, Vec<usize>) {
    let states: Vec<&[u64]> = states.collect();
    let mut order: Vec<usize> = (0..states.len()).collect();
    order.sort_unstable_by_key(|at| (states[*at], *at));
    let mut groups: Vec<&[usize]> = order.chunk_by(|a, b| states[*a] == states[*b]).collect();
    groups.sort_unstable_by_key(|group| (std::cmp::Reverse(group.len()), group[0]));
    let mut which = vec![0; states.len()];
    for (number, group) in groups.iter().enumerate() {
        group.iter().for_each(|at| which[*at] = number);
    }
    let attractor =
        |group: &&[usize]| Attractor { state: states[group[0]].to_vec(), num_cues: group.len() };
    (groups.iter().map(attractor).collect(), which)
}

#[cfg(test)]
mod tests;
