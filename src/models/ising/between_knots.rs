//! Energies between knots of a path: E = xᵀJx is linear in J, so between two knots `E(x; θ(t)) =
//! xᵀJ_from x + t xᵀ(J_to − J_from)x`. The second term is read; the first is a constant of the
//! state and the segment.

use super::{Bonds, Ising};
use crate::bits::{BitBatch, bit, set_bits};
use crate::energy::BetweenKnots;

/// Energies of an Ising model between knots.
pub(crate) struct IsingBetweenKnots {
    dim: usize,
    differences: Vec<Difference>,
}

/// J_to − J_from of a segment.
enum Difference {
    /// Every pair: the differences of the parameters.
    Dense(Vec<f64>),
    /// Only some pairs.
    Sparse {
        biases: Vec<f64>,
        /// By the distance of the two sites: the differences of the pairs' couplings, indexed by
        /// their first site, times two, as a pair counts twice.
        distances: Vec<(usize, Vec<f64>)>,
        /// Pairs at rare distances.
        others: Vec<([usize; 2], f64)>,
    },
}

/// A distance has its own list if at least one in this many sites is the first of a pair at that
/// distance.
const MIN_SHARE: usize = 8;

impl IsingBetweenKnots {
    /// The energies of a model like this one, between knots of its parameters.
    ///
    /// # Panics
    /// If a knot and the model differ in the number of parameters.
    pub(crate) fn new(model: &Ising, knots: &[&[f64]]) -> Self {
        assert!(knots.iter().all(|knot| knot.len() == model.params.len()));
        let dim = model.dim;
        let difference = |ends: &[&[f64]]| {
            let params: Vec<f64> =
                ends[0].iter().zip(ends[1]).map(|(from, to)| to - from).collect();
            let Bonds::Sparse { pairs, .. } = &model.bonds else {
                return Difference::Dense(params);
            };
            let mut counts = vec![0; dim];
            pairs.iter().for_each(|[i, j]| counts[j - i] += 1);
            let is_common = |distance: usize| counts[distance] * MIN_SHARE >= dim;
            let mut distances: Vec<(usize, Vec<f64>)> = (1..dim)
                .filter(|&distance| is_common(distance))
                .map(|distance| (distance, vec![0.0; dim]))
                .collect();
            let mut others = Vec::new();
            for (&[i, j], coupling) in pairs.iter().zip(&params[dim..]) {
                match distances.iter_mut().find(|(distance, _)| *distance == j - i) {
                    Some((_, couplings)) => couplings[i] = 2.0 * coupling,
                    None => others.push(([i, j], 2.0 * coupling)),
                }
            }
            Difference::Sparse { biases: params[..dim].to_vec(), distances, others }
        };
        Self { dim, differences: knots.windows(2).map(difference).collect() }
    }
}

impl Difference {
    /// xᵀ(J_to − J_from)x.
    fn energy(&self, row: &[u64], dim: usize) -> f64 {
        match self {
            Self::Dense(params) => {
                let (biases, couplings) = params.split_at(dim);
                let (mut own, mut coupled) = (0.0, 0.0);
                let mut sites = set_bits(row);
                while let Some(site) = sites.next() {
                    // The pairs (i, j), j > i, come after those of all previous sites.
                    let line = &couplings[site * (2 * dim - site - 1) / 2..];
                    own += biases[site];
                    coupled += sites.clone().map(|other| line[other - site - 1]).sum::<f64>();
                }
                own + 2.0 * coupled
            }
            Self::Sparse { biases, distances, others } => {
                let mut sum = set_bits(row).map(|site| biases[site]).sum();
                for (distance, couplings) in distances {
                    for (at, word) in row.iter().enumerate() {
                        // The sites of this word that are set and whose partners are set.
                        let mut both = word & word_after(row, 64 * at + distance);
                        while both != 0 {
                            sum += couplings[64 * at + both.trailing_zeros() as usize];
                            both &= both - 1;
                        }
                    }
                }
                for &([i, j], coupling) in others {
                    // A mask instead of a branch, which could not be predicted.
                    let are_set = u64::from(bit(row, i) && bit(row, j)).wrapping_neg();
                    sum += f64::from_bits(coupling.to_bits() & are_set);
                }
                sum
            }
        }
    }
}

/// The 64 bits that begin at bit `first`.
fn word_after(row: &[u64], first: usize) -> u64 {
    let word = |at: usize| row.get(at).copied().unwrap_or(0);
    let (at, shift) = (first / 64, first % 64);
    // In two steps, as a shift by 64 is not allowed.
    word(at) >> shift | word(at + 1) << 1 << (63 - shift)
}

impl BetweenKnots for IsingBetweenKnots {
    fn num_read(&self) -> usize {
        1
    }

    fn read(&self, segment: usize, rows: BitBatch<'_>, out: &mut [f64]) {
        assert!(rows.dim() == self.dim && out.len() == rows.len());
        for (row, out) in rows.rows().zip(out) {
            *out = self.differences[segment].energy(row, self.dim);
        }
    }

    fn energy(&self, _segment: usize, read: &[f64], t: f64) -> f64 {
        t * read[0]
    }
}
