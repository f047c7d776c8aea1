//! Sums of outer products of factors with rows of bits, `G_in += Σ_r f_ri x_rn`. Tile by tile of
//! factors, each entry of G is read and written once, however many rows there are.

use super::tiles::{TILE, add_up, padded, tiles};
use crate::bits::{BitBatch, set_bits};

/// Rows of bits with their factors, `[rows, num_factors]`.
pub(super) type Group<'a> = (BitBatch<'a>, &'a [f64]);

/// For each site, the rows in which it is set, group by group; and, as one more site, all rows.
struct RowsBySite {
    num_groups: usize,
    /// The rows of all sites, one site after another.
    rows: Vec<u32>,
    /// `[sites, 1 + num_groups]`: where a site's rows begin, and where those of each group end.
    bounds: Vec<usize>,
}

impl RowsBySite {
    fn new(dim: usize, groups: &[Group<'_>]) -> Self {
        let num_groups = groups.len();
        let sites = |row| set_bits(row).chain([dim]);
        // Where the next row of each site goes: behind all rows of the sites before.
        let mut counts = vec![0; dim + 1];
        for (rows, _) in groups {
            rows.rows().flat_map(sites).for_each(|site| counts[site] += 1);
        }
        let mut next = Vec::with_capacity(dim + 1);
        let mut total = 0;
        for count in counts {
            next.push(total);
            total += count;
        }
        let mut rows = vec![0; total];
        let mut bounds = vec![0; (dim + 1) * (1 + num_groups)];
        let mut index = 0;
        for at in 0..=num_groups {
            let own = bounds.chunks_exact_mut(1 + num_groups).map(|bounds| &mut bounds[at]);
            own.zip(&next).for_each(|(bound, next)| *bound = *next);
            let Some((batch, _)) = groups.get(at) else { break };
            for row in batch.rows() {
                for site in sites(row) {
                    rows[next[site]] = index;
                    next[site] += 1;
                }
                index += 1;
            }
        }
        Self { num_groups, rows, bounds }
    }

    /// The rows in which a site is set, group by group.
    fn groups(&self, site: usize) -> impl Iterator<Item = &[u32]> {
        let bounds = &self.bounds[site * (1 + self.num_groups)..][..1 + self.num_groups];
        bounds.windows(2).map(|bounds| &self.rows[bounds[0]..bounds[1]])
    }
}

/// `sums += Σ factors` of the rows of some groups: one by one those of the first group, and of each
/// other group their sum.
fn add_groups<'a>(
    mut groups: impl Iterator<Item = &'a [u32]>,
    factors: &[[f64; TILE]],
    sums: &mut [f64; TILE],
) {
    add_up(factors, groups.next().unwrap_or_default(), sums);
    for rows in groups.filter(|rows| !rows.is_empty()) {
        let mut own = [0.0; TILE];
        add_up(factors, rows, &mut own);
        sums.iter_mut().zip(own).for_each(|(sum, own)| *sum += own);
    }
}

/// `matrix += Σ_r f_r x_rᵀ`, `[num_factors, dim]`, and `sums += Σ_r f_r` for as many factors as there
/// are sums. The rows of the first group are added one by one, and of each other group their sum.
///
/// # Panics
/// If the shapes do not match.
pub(super) fn add_outer(
    num_factors: usize,
    groups: &[Group<'_>],
    matrix: &mut [f64],
    sums: &mut [f64],
) {
    let dim = matrix.len() / num_factors;
    assert!(matrix.len() == num_factors * dim && sums.len() <= num_factors);
    for (rows, factors) in groups {
        assert!(rows.dim() == dim && factors.len() == rows.len() * num_factors);
    }
    let num_sums = sums.len();
    let by_site = RowsBySite::new(dim, groups);
    let mut tile = Vec::new();
    for cols in tiles(num_factors) {
        tile.clear();
        for (_, factors) in groups {
            tile.extend(factors.chunks_exact(num_factors).map(|line| padded(&line[cols.clone()])));
        }
        let lines = &mut matrix[cols.start * dim..cols.end * dim];
        for site in 0..dim {
            let mut own = [0.0; TILE];
            for (at, own) in own[..cols.len()].iter_mut().enumerate() {
                *own = lines[at * dim + site];
            }
            add_groups(by_site.groups(site), &tile, &mut own);
            for (at, own) in own[..cols.len()].iter().enumerate() {
                lines[at * dim + site] = *own;
            }
        }
        let sums = &mut sums[cols.start.min(num_sums)..cols.end.min(num_sums)];
        let mut own = padded(sums);
        add_groups(by_site.groups(dim), &tile, &mut own);
        sums.copy_from_slice(&own[..sums.len()]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bits::{BitMatrix, bit};
    use crate::rng::{Purpose, normal, stream};

    #[test]
    fn products_add_up_group_by_group() {
        for (dim, num_factors, lens) in
            [(1, 1, &[3][..]), (70, 17, &[5, 0, 3]), (20, 40, &[0, 4, 4, 1])]
        {
            let mut rng = stream(4, Purpose::Example, dim as u64);
            let groups: Vec<_> = lens
                .iter()
                .map(|&len| {
                    let mut rows = BitMatrix::zeros(dim, len);
                    rows.rows_mut().for_each(|row| crate::bits::fill_random(row, dim, &mut rng));
                    let factors: Vec<_> =
                        (0..len * num_factors).map(|_| normal(&mut rng)).collect();
                    (rows, factors)
                })
                .collect();
            let mut matrix: Vec<_> = (0..num_factors * dim).map(|_| normal(&mut rng)).collect();
            let mut sums: Vec<_> = (1..num_factors).map(|_| normal(&mut rng)).collect();
            let (mut plain, mut plain_sums) = (matrix.clone(), sums.clone());
            for (index, (rows, factors)) in groups.iter().enumerate() {
                let add = |sum: &mut f64, factor: usize, site: Option<usize>| {
                    let mut own = if index == 0 { *sum } else { 0.0 };
                    for (row, factors) in
                        rows.as_batch().rows().zip(factors.chunks_exact(num_factors))
                    {
                        if site.is_none_or(|site| bit(row, site)) {
                            own += factors[factor];
                        }
                    }
                    *sum = if index == 0 { own } else { *sum + own };
                };
                for (at, entry) in plain.iter_mut().enumerate() {
                    add(entry, at / dim, Some(at % dim));
                }
                plain_sums.iter_mut().enumerate().for_each(|(at, sum)| add(sum, at, None));
            }
            let groups: Vec<_> =
                groups.iter().map(|(rows, factors)| (rows.as_batch(), &factors[..])).collect();
            add_outer(num_factors, &groups, &mut matrix, &mut sums);
            assert_eq!((matrix, sums), (plain, plain_sums), "{num_factors} × {dim}");
        }
    }
}
