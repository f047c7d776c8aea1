//! Energies between knots of a path: E = xᵀJx is linear in J, so that between
//! two knots `E(x; θ(t)) = xᵀJ_from x + t xᵀ(J_to − J_from)x`, of which the second
//! term is read.

use super::neighbours::Neighbours;
use super::{Bonds, Ising};
use crate::bits::{BitBatch, bit, set_bits};
use crate::energy::BetweenKnots;
use std::sync::Arc;

/// See the head of this file.
pub(crate) struct IsingBetweenKnots {
    dim: usize,
    /// Who is coupled to whom, if not every pair is.
    neighbours: Option<Arc<Neighbours>>,
    /// θ_to − θ_from of each segment.
    differences: Vec<Vec<f64>>,
}

impl IsingBetweenKnots {
    /// Of a model like this one, between knots of its parameters.
    ///
    /// # Panics
    /// If a knot has not as many parameters as the model.
    pub(crate) fn new(model: &Ising, knots: &[&[f64]]) -> Self {
        assert!(knots.iter().all(|knot| knot.len() == model.params.len()));
        let neighbours = match &model.bonds {
            Bonds::Dense { .. } => None,
            Bonds::Sparse { neighbours, .. } => Some(neighbours.clone()),
        };
        let difference =
            |ends: &[&[f64]]| ends[0].iter().zip(ends[1]).map(|(from, to)| to - from).collect();
        Self { dim: model.dim, neighbours, differences: knots.windows(2).map(difference).collect() }
    }

    /// xᵀ(J_to − J_from)x.
    fn difference(&self, segment: usize, row: &[u64]) -> f64 {
        let params = &self.differences[segment];
        let site_terms = |site: usize| {
            let coupled: f64 = match &self.neighbours {
                // A mask in place of a branch, which could not be predicted. Each pair is met
                // from both of its sites, and counts twice.
                Some(neighbours) => neighbours[site].iter().fold(0.0, |sum, other| {
                    let is_set = u64::from(bit(row, other.site)).wrapping_neg();
                    sum + f64::from_bits(params[other.param].to_bits() & is_set)
                }),
                None => {
                    // The pairs (i, j), j > i, come after those of all sites before i.
                    let start = self.dim + site * (2 * self.dim - site - 1) / 2;
                    let line = &params[start..start + self.dim - site - 1];
                    2.0 * set_bits_after(row, site).map(|other| line[other - site - 1]).sum::<f64>()
                }
            };
            params[site] + coupled
        };
        set_bits(row).map(site_terms).sum()
    }
}

/// The sites after `site` whose bit is set, ascending.
fn set_bits_after(row: &[u64], site: usize) -> impl Iterator<Item = usize> {
    let first = (site + 1) / 64;
    let rest = row.get(first).map_or(0, |word| word >> ((site + 1) % 64) << ((site + 1) % 64));
    let words = std::iter::once(rest).chain(row.iter().skip(first + 1).copied());
    words.enumerate().flat_map(move |(at, word)| {
        std::iter::successors((word != 0).then_some(word), |left| {
            let rest = left & (left - 1);
            (rest != 0).then_some(rest)
        })
        .map(move |left| (first + at) * 64 + left.trailing_zeros() as usize)
    })
}

impl BetweenKnots for IsingBetweenKnots {
    fn num_read(&self) -> usize {
        1
    }

    fn read(&self, segment: usize, rows: BitBatch<'_>, out: &mut [f64]) {
        assert!(rows.dim() == self.dim && out.len() == rows.len());
        for (row, out) in rows.rows().zip(out) {
            *out = self.difference(segment, row);
        }
    }

    fn energy(&self, _segment: usize, read: &[f64], t: f64) -> f64 {
        t * read[0]
    }
}
