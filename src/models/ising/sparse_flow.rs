//! Sums over single flips (minimum probability flow, pseudolikelihood) for an Ising model whose
//! sites have few neighbours, such as a lattice.
//!
//! The term of site n (see `dense_flow`) depends on x_n and its neighbours only. So the data are
//! reduced, once, to the counts of the 2^{k+1} patterns of a site and its k neighbours. From then
//! on an evaluation costs the number of patterns that occur, at most D 2^{k+1}, for any number of
//! rows.

use super::{Bonds, Ising};
use crate::bits::{BitColumns, WeightedRows};
use crate::energy::FlipLoss;
use crate::energy::Objective;
use crate::energy::Parametric;

/// Maximum number of neighbours of a site: beyond it, tables of patterns do not pay off.
pub(super) const MAX_NEIGHBOURS: usize = 10;

/// Maximum number of sections of the sites: the losses of each section are summed separately; a
/// shard has one or several sections.
const MAX_SECTIONS: usize = 16;

/// Approximate number of patterns per shard: some forty microseconds.
const SHARD_PATTERNS: usize = 1 << 12;

pub(super) struct SparseFlow {
    model: Ising,
    loss: FlipLoss,
    total_weight: f64,
    sites: Vec<Site>,
    num_shards: usize,
}

/// The data reduced to one site.
struct Site {
    /// Indices of the parameters: the bias, then the couplings.
    params: Vec<usize>,
    /// The patterns that occur (bit 0 is the site's own, then its neighbours') and the weight of
    /// the rows that have them.
    patterns: Vec<(u16, f64)>,
}

/// 1 if the site itself is set in the pattern, else −1.
fn sign(pattern: u16) -> f64 {
    if pattern & 1 == 1 { 1.0 } else { -1.0 }
}

impl Site {
    /// `½J_nn + Σ x_i J_in` for all patterns x of the neighbours, which are added in order.
    fn exponents(&self, params: &[f64], out: &mut Vec<f64>) {
        out.clear();
        out.push(0.5 * params[self.params[0]]);
        for param in &self.params[1..] {
            let param = params[*param];
            out.extend_from_within(..);
            let half = out.len() / 2;
            out[half..].iter_mut().for_each(|exponent| *exponent += param);
        }
    }
}

/// All values of four bits, each bit as a word of all ones or zeros.
const MASKS: [[u64; 4]; 16] = {
    let mut masks = [[0; 4]; 16];
    let mut at = 0;
    while at < 64 {
        masks[at / 4][at % 4] = ((at as u64 / 4) >> (at % 4) & 1).wrapping_neg();
        at += 1;
    }
    masks
};

/// Adds the site's Σ φ to `loss` and returns its part of the gradient: for the bias, and for the
/// couplings to at most 4 Q neighbours. There is no branch, as it cannot be predicted which bits
/// are set.
fn add_up<const Q: usize>(
    site: &Site,
    losses: &[f64],
    slopes: &[f64],
    loss: &mut f64,
) -> (f64, [[f64; 4]; Q]) {
    let (mut sum, mut own, mut others) = (*loss, 0.0, [[0.0; 4]; Q]);
    for (&(pattern, weight), (each, slope)) in site.patterns.iter().zip(losses.iter().zip(slopes)) {
        sum += weight * each;
        let signed = sign(pattern) * (2.0 * weight * slope);
        own += 0.5 * signed;
        for (quad, others) in others.iter_mut().enumerate() {
            let masks = &MASKS[usize::from(pattern >> (4 * quad + 1) & 15)];
            for (other, mask) in others.iter_mut().zip(masks) {
                *other += f64::from_bits(signed.to_bits() & mask);
            }
        }
    }
    *loss = sum;
    (own, others)
}

impl SparseFlow {
    /// # Panics
    /// If the pattern is dense or a site has over [`MAX_NEIGHBOURS`].
    pub(super) fn new(model: Ising, data: &WeightedRows, loss: FlipLoss) -> Self {
        let Bonds::Sparse { neighbours, .. } = &model.bonds else {
            panic!("the pattern is sparse");
        };
        let rows = BitColumns::new(data);
        let sites: Vec<Site> = neighbours
            .iter()
            .enumerate()
            .map(|(site, others)| {
                assert!(others.len() <= MAX_NEIGHBOURS);
                let columns: Vec<_> =
                    std::iter::once(site).chain(others.iter().map(|other| other.site)).collect();
                let weights = rows.marginal(&columns).into_iter().enumerate();
                Site {
                    params: std::iter::once(site)
                        .chain(others.iter().map(|other| other.param))
                        .collect(),
                    patterns: weights
                        .filter(|(_, weight)| *weight != 0.0)
                        .map(|(pattern, weight)| (pattern as u16, weight))
                        .collect(),
                }
            })
            .collect();
        let num_patterns: usize = sites.iter().map(|site| site.patterns.len()).sum();
        let most = sites.len().min(MAX_SECTIONS);
        let num_shards = num_patterns.div_ceil(SHARD_PATTERNS).clamp(1, most);
        Self { model, loss, total_weight: data.total(), sites, num_shards }
    }

    fn num_sections(&self) -> usize {
        self.sites.len().min(MAX_SECTIONS)
    }

    /// The sites of each section of a shard.
    fn sections(&self, shard: usize) -> impl Iterator<Item = &[Site]> {
        let first = |shard| self.num_sections() * shard / self.num_shards;
        let site = |section| self.sites.len() * section / self.num_sections();
        (first(shard)..first(shard + 1))
            .map(move |section| &self.sites[site(section)..site(section + 1)])
    }
}

impl Objective for SparseFlow {
    fn num_params(&self) -> usize {
        self.model.num_params()
    }

    fn set_params(&mut self, params: &[f64]) {
        self.model.set_params(params);
    }

    fn num_shards(&self) -> usize {
        self.num_shards
    }

    /// For each section `[Σ φ | for each site, ½ Σ sK and Σ x_i sK for its neighbours i]`, where K
    /// = 2φ′, which is φ itself for minimum probability flow.
    fn part(&self, shard: usize) -> Vec<f64> {
        assert!(shard < self.num_shards());
        let mut part = Vec::new();
        let mut exponents = Vec::with_capacity(1 << MAX_NEIGHBOURS);
        let (mut losses, mut slopes) = (Vec::new(), Vec::new());
        for sites in self.sections(shard) {
            let start = part.len();
            part.push(0.0);
            let mut loss = 0.0;
            for site in sites {
                site.exponents(self.model.params(), &mut exponents);
                losses.clear();
                losses.extend(site.patterns.iter().map(|&(pattern, _)| {
                    2.0 * sign(pattern) * exponents[usize::from(pattern >> 1)]
                }));
                slopes.resize(losses.len(), 0.0);
                self.loss.at_all(&mut losses, &mut slopes);
                let num_others = site.params.len() - 1;
                let mut write = |own: f64, others: &[f64]| {
                    part.push(own);
                    part.extend_from_slice(&others[..num_others]);
                };
                if num_others <= 4 {
                    let (own, others) = add_up::<1>(site, &losses, &slopes, &mut loss);
                    write(own, others.as_flattened());
                } else {
                    let (own, others) = add_up::<3>(site, &losses, &slopes, &mut loss);
                    write(own, others.as_flattened());
                }
            }
            part[start] = loss;
        }
        part
    }

    fn combine(&self, parts: &[Vec<f64>], grad: &mut [f64]) -> f64 {
        assert_eq!(parts.len(), self.num_shards());
        let scale = 1.0 / self.total_weight;
        let mut value = 0.0;
        grad.fill(0.0);
        for (shard, part) in parts.iter().enumerate() {
            let mut numbers = part.iter();
            for sites in self.sections(shard) {
                value += numbers.next().expect("a section's loss") * scale;
                for site in sites {
                    for (param, part) in site.params.iter().zip(&mut numbers) {
                        grad[*param] += part * scale;
                    }
                }
            }
        }
        value
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bits::BitMatrix;
    use crate::ising::{IsingSpec, Pattern};
    use crate::rng::{Purpose, normal, stream};

    /// A lattice of 35 sites, which no number of sections divides.
    fn flow(num_rows: usize) -> SparseFlow {
        let (dim, mut rng) = (35, stream(7, Purpose::Example, num_rows as u64));
        let pattern = Pattern::Lattice { num_rows: 5, num_cols: 7, periodic: true };
        let spec = IsingSpec { dim, pattern, couplings: None, params: None, uniform: None };
        let mut model = spec.build().expect("a lattice");
        let params: Vec<f64> = (0..model.num_params()).map(|_| 0.3 * normal(&mut rng)).collect();
        model.set_params(&params);
        let mut rows = BitMatrix::zeros(dim, num_rows);
        for row in rows.rows_mut() {
            (0..dim).for_each(|site| row[0] |= u64::from(normal(&mut rng) > 0.2) << site);
        }
        SparseFlow::new(model, &WeightedRows::from_data(rows.as_batch()), FlipLoss::Flow)
    }

    #[test]
    fn shards_change_no_bit() {
        let mut flow = flow(200);
        assert_eq!(flow.num_shards(), 1);
        let mut all = Vec::new();
        for num_shards in [1, 2, 7, 16] {
            flow.num_shards = num_shards;
            let parts: Vec<_> = (0..num_shards).map(|shard| flow.part(shard)).collect();
            let mut grad = vec![f64::NAN; flow.num_params()];
            let value = flow.combine(&parts, &mut grad);
            assert!(value.is_finite() && grad.iter().all(|entry| entry.is_finite()));
            all.push((value, grad));
        }
        assert!(all.windows(2).all(|pair| pair[0] == pair[1]));
    }
}
