//! Sums over single flips for the Ising model, for any pattern. Minimum probability flow is `K =
//! Σ_rows Σ_n exp(s_n z_n)` with `z_n = ½J_nn + Σ_{i≠n} J_in x_i` and `s_n = 2x_n − 1`
//! (Sohl-Dickstein 2012, eq. E.10), and its gradient `∂K/∂J_nn = ½ Σ_rows s_n K_n`, `∂K/∂J_in =
//! Σ_rows x_i s_n K_n + x_n s_i K_i` (eq. E.12, where a coupling is one parameter).
//! Pseudolikelihood differs in two functions of e^{s_n z_n} (`dense_terms`): the one that is
//! summed, and the one that replaces K_n in the gradient.
//!
//! One shard is a **tile** of eight sites n (times a block of rows, if there are very many rows, or
//! if a tile is left over when two workers share the tiles). A row is one word per group of columns
//! ([`ColumnGroups`]), and the tables hold exponentials: e^{z_n} is the product of one entry per
//! group, e^{−z_n} its reciprocal, so an evaluation takes D² exponentials instead of D times the
//! number of rows. Only if Σ_i |J_in| is so large that a product might overflow do the tables hold
//! exponents, and every row takes its own exponential. The gradient is the transpose: s_n K_n is
//! added to the same entries of a second table, which is then folded to columns.
//!
//! Cost: for 20,000 rows of a 10 × 10 spin glass (11 groups, 13 tiles) an evaluation takes 2.9
//! million lookups and multiplications of 64 bytes, as many additions of 64 bytes to memory, and
//! two million divisions; the tables, 1 MB, stay in the second-level cache. Measured on one thread:
//! 7 ms natively (SSE2) and 10 ms in Node 20. Of the latter the additions take 5 (left out, 5 ms
//! remain), one 16-byte store per cycle, and the lookups 3. Fewer and larger groups, or more and
//! smaller ones, change nothing in WebAssembly: what they save at the rows they cost at the tables.
//! Also tried, and no faster: blocks of rows that stay in the first-level cache, two rows at a
//! time, and lists of rows for each entry, which replace stores by more loads. Tables of many
//! sites, which no nearer cache holds, are processed a block of groups at a time
//! ([`run_by_blocks`]).

use super::dense_terms::{Exponents, Flows, Form, Logs, Mask, Products, TILE, Terms, negate_clear};
use super::{Bonds, Ising};
use crate::FULL;
use crate::bits::{ColumnGroups, WeightedRows};
use crate::energy::FlipLoss;
use crate::energy::Objective;
use crate::energy::Parametric;
use crate::linalg::Lanes;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

/// Maximum number of lookups per shard, as a rule: a few milliseconds.
const SHARD_LOOKUPS: usize = 1 << 20;

/// Minimum number of lookups in a block per table entry, if blocks are only made for sharing:
/// filling and folding an entry takes as long as some four lookups.
const MIN_LOOKUPS: usize = 4;

/// Minimum number of table entries for which groups are taken in blocks: with its sums such a table
/// is larger than most second-level caches.
const MANY_ENTRIES: usize = 6000;

/// Approximate number of entries of the groups of a block: 64 kB.
const BLOCK_ENTRIES: usize = 1024;

/// Minimum number of groups per block: the joined factors go to memory and back between blocks,
/// which with one or two lookups in each takes as long again as the lookups.
const MIN_GROUPS: usize = 8;

/// Number of rows that go through the blocks together.
const BLOCK_ROWS: usize = 512;

/// Largest |z| for which products are used: e^z and its square stay far from overflow.
const MAX_PRODUCT_EXPONENT: f64 = 300.0;

pub(super) struct DenseFlow {
    model: Ising,
    loss: FlipLoss,
    /// The couplings J, `[dim, dim]`.
    couplings: Vec<f64>,
    num_rows: usize,
    groups: ColumnGroups,
    weights: Vec<f64>,
    total_weight: f64,
    shards: Vec<Shard>,
    /// The bits of each tile's own sites, `[tiles, rows]`.
    own_bits: Vec<u8>,
    /// For each byte, lanes of all ones where its bit is set.
    masks: Box<[Mask; 256]>,
    spare: Mutex<Vec<Scratch>>,
}

/// A tile and a block of rows.
struct Shard {
    tile: usize,
    rows: Range<usize>,
}

/// The tables of one shard, kept for the next shard.
#[derive(Default)]
struct Scratch {
    columns: Vec<Lanes>,
    table: Vec<Lanes>,
    sums: Vec<Lanes>,
    /// For some rows: the joined factors, then the terms to be added.
    joined: Vec<Lanes>,
}

impl DenseFlow {
    pub(super) fn new(model: Ising, data: &WeightedRows, loss: FlipLoss) -> Self {
        let num_rows = data.num_distinct();
        let num_tiles = model.dim.div_ceil(TILE);
        let mut own_bits = Vec::with_capacity(num_tiles * num_rows);
        for tile in 0..num_tiles {
            own_bits.extend(data.rows().rows().map(|row| (row[tile / 8] >> (tile % 8 * 8)) as u8));
        }
        let mask = |byte: usize| {
            Mask(std::array::from_fn(|lane| if byte >> lane & 1 == 1 { u64::MAX } else { 0 }))
        };
        let groups = ColumnGroups::suited(data.rows());
        Self {
            couplings: model.couplings(),
            num_rows,
            shards: shards(num_tiles, num_rows, &groups),
            groups,
            weights: data.weights().to_vec(),
            total_weight: data.total(),
            own_bits,
            masks: Box::new(std::array::from_fn(mask)),
            spare: Mutex::default(),
            model,
            loss,
        }
    }

    /// The sites of a tile; fewer than eight in the last.
    fn sites(&self, tile: usize) -> Range<usize> {
        tile * TILE..((tile + 1) * TILE).min(self.model.dim)
    }

    /// The tile's part of J: `columns[i]` is J_in for its sites n, with 0 for i = n. Returns ½J_nn.
    fn tile_couplings(&self, tile: usize, columns: &mut Vec<Lanes>) -> Lanes {
        let dim = self.model.dim;
        let sites = self.sites(tile);
        let mut offset = Lanes::ZERO;
        columns.clear();
        columns.extend(self.couplings.chunks_exact(dim).enumerate().map(|(column, line)| {
            let mut lanes = Lanes::ZERO;
            lanes.0[..sites.len()].copy_from_slice(&line[sites.clone()]);
            if sites.contains(&column) {
                let lane = column - sites.start;
                offset.0[lane] = 0.5 * lanes.0[lane];
                lanes.0[lane] = 0.0;
            }
            lanes
        }));
        offset
    }

    /// Processes the rows of a block: adds s_n K_n, or what replaces it, to the sums of their words
    /// and returns the sums of the terms.
    fn sweep<F: Form, T: Terms>(
        &self,
        tile: usize,
        rows: Range<usize>,
        offset: Lanes,
        at: &mut Scratch,
    ) -> Lanes {
        let Scratch { columns, table, sums, joined } = at;
        for column in &mut *columns {
            *column = F::start(column);
        }
        self.groups.fill(columns, F::NOTHING, F::join, table);
        sums.clear();
        sums.resize(table.len(), Lanes::ZERO);
        let own_bits = &self.own_bits[tile * self.num_rows..(tile + 1) * self.num_rows];
        let own = own_bits[rows.clone()].iter().map(|own| &self.masks[usize::from(*own)]);
        let by_row = self.groups.codes(rows.clone()).zip(own.zip(&self.weights[rows]));
        let start = F::start(&offset);
        let groups_a_block = self.groups.num_groups() * BLOCK_ENTRIES / table.len();
        // To be small, the core takes the simple way, with the same bits.
        if FULL && table.len() >= MANY_ENTRIES && groups_a_block >= MIN_GROUPS {
            run_by_blocks::<F, T>(by_row, start, table, sums, joined, groups_a_block)
        } else {
            run::<F, T>(by_row, start, table, sums)
        }
    }
}

/// Tiles in order, each with its blocks of rows: one block, unless that has too many lookups. If
/// the number of tiles is odd the last tile has two, so that two workers have equal work.
fn shards(num_tiles: usize, num_rows: usize, groups: &ColumnGroups) -> Vec<Shard> {
    let num_lookups = num_rows * groups.num_groups();
    let num_blocks = num_lookups.div_ceil(SHARD_LOOKUPS).max(1);
    let halves = num_lookups / 2 >= MIN_LOOKUPS * groups.num_entries();
    let blocks_of = |tile| match num_blocks {
        1 if tile + 1 == num_tiles && num_tiles % 2 == 1 && halves => 2,
        _ => num_blocks,
    };
    let of_tile = |tile| {
        let count = blocks_of(tile);
        let row = move |block| num_rows * block / count;
        (0..count).map(move |block| Shard { tile, rows: row(block)..row(block + 1) })
    };
    (0..num_tiles).flat_map(of_tile).collect()
}

/// The inner loop, which takes most of the time. It is a separate function to have all registers:
/// in WebAssembly that saves a fifth. Each row is given by its words, the mask of its own bits and
/// its weight; `sums` are those of `table`'s entries.
#[inline(never)]
fn run<'a, F: Form, T: Terms>(
    rows: impl Iterator<Item = (&'a [u32], (&'a Mask, &'a f64))>,
    start: Lanes,
    table: &[Lanes],
    sums: &mut [Lanes],
) -> Lanes {
    let mut terms = T::NONE;
    for (words, (mask, weight)) in rows {
        let mut joined = start;
        for &word in words {
            let entry = &table[word as usize];
            for lane in 0..TILE {
                joined.0[lane] = F::join(joined.0[lane], entry.0[lane]);
            }
        }
        let mut signed = F::add(&mut terms, &joined, mask, *weight);
        for lane in 0..TILE {
            signed.0[lane] = negate_clear(signed.0[lane], mask.0[lane]);
        }
        for &word in words {
            sums[word as usize].add(&signed);
        }
    }
    terms.total()
}

/// [`run`] for large tables, with the same bits: a block of groups at a time. For each entry,
/// factors are joined and sums added in the same order.
#[inline(never)]
fn run_by_blocks<'a, F: Form, T: Terms>(
    mut rows: impl Iterator<Item = (&'a [u32], (&'a Mask, &'a f64))> + Clone,
    start: Lanes,
    table: &[Lanes],
    sums: &mut [Lanes],
    joined: &mut Vec<Lanes>,
    width: usize,
) -> Lanes {
    let mut terms = T::NONE;
    let num_groups = rows.clone().next().map_or(0, |(words, _)| words.len());
    let blocks = || (0..num_groups).step_by(width).map(|at| at..num_groups.min(at + width));
    loop {
        let some = rows.clone().take(BLOCK_ROWS);
        joined.clear();
        joined.extend(some.clone().map(|_| start));
        if joined.is_empty() {
            return terms.total();
        }
        for block in blocks() {
            for ((words, _), joined) in some.clone().zip(&mut *joined) {
                for &word in &words[block.clone()] {
                    let entry = &table[word as usize];
                    for lane in 0..TILE {
                        joined.0[lane] = F::join(joined.0[lane], entry.0[lane]);
                    }
                }
            }
        }
        for ((_, (mask, weight)), joined) in some.clone().zip(&mut *joined) {
            let mut signed = F::add(&mut terms, joined, mask, *weight);
            for lane in 0..TILE {
                signed.0[lane] = negate_clear(signed.0[lane], mask.0[lane]);
            }
            *joined = signed;
        }
        for block in blocks() {
            for ((words, _), signed) in some.clone().zip(&*joined) {
                for &word in &words[block.clone()] {
                    sums[word as usize].add(signed);
                }
            }
        }
        if rows.nth(BLOCK_ROWS - 1).is_none() {
            return terms.total();
        }
    }
}

impl Objective for DenseFlow {
    fn num_params(&self) -> usize {
        self.model.num_params()
    }

    fn set_params(&mut self, params: &[f64]) {
        self.model.set_params(params);
        self.couplings = self.model.couplings();
    }

    fn num_shards(&self) -> usize {
        self.shards.len()
    }

    /// `[ΣK | ½ Σ sK for each site | Σ x_i sK for i in 0..dim, for each site]`.
    fn part(&self, shard: usize) -> Vec<f64> {
        let Shard { tile, rows } = &self.shards[shard];
        let (tile, rows) = (*tile, rows.clone());
        let num_sites = self.sites(tile).len();

        let lock = || self.spare.lock().unwrap_or_else(PoisonError::into_inner);
        let mut scratch = lock().pop().unwrap_or_default();
        let offset = self.tile_couplings(tile, &mut scratch.columns);
        let mut bound = offset.0.map(f64::abs);
        for column in &scratch.columns {
            for (bound, coupling) in bound.iter_mut().zip(column.0) {
                *bound += coupling.abs();
            }
        }
        let is_tame = bound.iter().all(|bound| *bound <= MAX_PRODUCT_EXPONENT);
        let sweep = match (is_tame, self.loss) {
            (true, FlipLoss::Flow) => Self::sweep::<Products, Flows>,
            (true, FlipLoss::Pseudolikelihood) => Self::sweep::<Products, Logs>,
            (false, FlipLoss::Flow) => Self::sweep::<Exponents, Flows>,
            (false, FlipLoss::Pseudolikelihood) => Self::sweep::<Exponents, Logs>,
        };
        let total = sweep(self, tile, rows, offset, &mut scratch);
        self.groups.fold(&mut scratch.sums);

        let mut part = Vec::with_capacity(1 + num_sites * (1 + self.model.dim));
        part.push(total.0[..num_sites].iter().sum());
        let [clear, set] = [scratch.sums[0], scratch.sums[1]];
        part.extend((0..num_sites).map(|lane| 0.5 * (clear.0[lane] + set.0[lane])));
        for column in scratch.sums[..2 * self.model.dim].chunks_exact(2) {
            part.extend_from_slice(&column[1].0[..num_sites]);
        }
        lock().push(scratch);
        part
    }

    fn combine(&self, parts: &[Vec<f64>], grad: &mut [f64]) -> f64 {
        assert!(parts.len() == self.num_shards() && grad.len() == self.num_params());
        let dim = self.model.dim;
        let scale = 1.0 / self.total_weight;
        let mut value = 0.0;
        // ∂K/∂J as if J_in and J_ni were separate parameters, [i, n].
        let mut one_sided = vec![0.0; dim * dim];
        grad.fill(0.0);
        for (shard, part) in self.shards.iter().zip(parts) {
            let sites = self.sites(shard.tile);
            assert_eq!(part.len(), 1 + sites.len() * (1 + dim));
            value += part[0] * scale;
            let (biases, columns) = part[1..].split_at(sites.len());
            for (grad, bias) in grad[sites.clone()].iter_mut().zip(biases) {
                *grad += bias * scale;
            }
            for (line, column) in
                one_sided.chunks_exact_mut(dim).zip(columns.chunks_exact(sites.len()))
            {
                for (sum, part) in line[sites.clone()].iter_mut().zip(column) {
                    *sum += part;
                }
            }
        }
        let couple = |i: usize, j: usize| (one_sided[i * dim + j] + one_sided[j * dim + i]) * scale;
        let (_, couplings) = grad.split_at_mut(dim);
        match &self.model.bonds {
            Bonds::Dense { .. } => {
                let mut rest = couplings;
                for i in 0..dim {
                    let (line, after) = rest.split_at_mut(dim - i - 1);
                    for (j, grad) in (i + 1..dim).zip(line) {
                        *grad = couple(i, j);
                    }
                    rest = after;
                }
            }
            Bonds::Sparse { pairs, .. } => {
                for (grad, &[i, j]) in couplings.iter_mut().zip(pairs.iter()) {
                    *grad = couple(i, j);
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
    use crate::rng::{Purpose, stream, uniform};

    /// Every tile once, with the last one in two halves if the number is odd.
    #[test]
    fn two_can_share() {
        for (dim, num_rows, last) in [(24, 4000, 2), (16, 4000, 1), (24, 40, 1), (3, 1, 1)] {
            let mut rows = BitMatrix::zeros(dim, num_rows);
            for (row, at) in rows.rows_mut().zip(0_u64..) {
                row[0] = at.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - dim);
            }
            let num_tiles = dim.div_ceil(TILE);
            let shards = shards(num_tiles, num_rows, &ColumnGroups::suited(rows.as_batch()));
            for tile in 0..num_tiles {
                let own: Vec<_> = shards.iter().filter(|shard| shard.tile == tile).collect();
                assert_eq!(own.len(), if tile + 1 == num_tiles { last } else { 1 }, "{dim} {tile}");
                assert_eq!((own[0].rows.start, own[own.len() - 1].rows.end), (0, num_rows));
                assert!(own.windows(2).all(|pair| pair[0].rows.end == pair[1].rows.start));
            }
            assert!(shards.is_sorted_by_key(|shard| (shard.tile, shard.rows.start)));
        }
    }

    /// More rows than go through the blocks together, and more groups than a block has.
    #[test]
    fn blocks_change_no_bit() {
        let (dim, num_rows) = (900, 2 * BLOCK_ROWS + 7);
        let mut rng = stream(1, Purpose::Example, 0);
        let mut rows = BitMatrix::zeros(dim, num_rows);
        for row in rows.rows_mut() {
            for site in 0..dim {
                row[site / 64] |= u64::from(uniform(&mut rng) < 0.4) << (site % 64);
            }
        }
        let groups = ColumnGroups::suited(rows.as_batch());
        assert!(groups.num_groups() > 2 * 9, "{}", groups.num_groups());
        let mask = |lane| if lane % 3 == 0 { u64::MAX } else { 0 };
        let masks: Vec<Mask> =
            (0..3).map(|at| Mask(std::array::from_fn(|lane| mask(lane + at)))).collect();
        let weights: Vec<f64> = (0..num_rows).map(|_| 0.5 + uniform(&mut rng)).collect();
        let columns: Vec<Lanes> = (0..dim)
            .map(|_| Lanes(std::array::from_fn(|_| 0.1 * (uniform(&mut rng) - 0.5))))
            .collect();
        let by_row =
            || groups.codes(0..num_rows).zip(masks.iter().cycle().zip(&weights)).take(num_rows);
        let mut table = Vec::new();
        let start = Lanes::splat(1.25);

        let mut check = |plain: &dyn Fn(&[Lanes], &mut [Lanes]) -> Lanes,
                         blocked: &dyn Fn(&[Lanes], &mut [Lanes]) -> Lanes,
                         nothing: f64,
                         join: fn(f64, f64) -> f64| {
            let near: Vec<Lanes> =
                columns.iter().map(|column| Lanes(column.0.map(|x| nothing + x))).collect();
            groups.fill(&near, nothing, join, &mut table);
            let mut sums = [vec![Lanes::ZERO; table.len()], vec![Lanes::ZERO; table.len()]];
            let [expected, found] = &mut sums;
            assert_eq!(plain(&table, expected), blocked(&table, found));
            assert_eq!(expected, found);
            assert!(expected.iter().any(|sum| *sum != Lanes::ZERO));
            assert!(expected.iter().all(|sum| sum.0.iter().all(|value| value.is_finite())));
        };
        check(
            &|table, sums| run::<Products, Flows>(by_row(), start, table, sums),
            &|table, sums| {
                run_by_blocks::<Products, Flows>(by_row(), start, table, sums, &mut Vec::new(), 9)
            },
            Products::NOTHING,
            Products::join,
        );
        check(
            &|table, sums| run::<Exponents, Logs>(by_row(), start, table, sums),
            &|table, sums| {
                run_by_blocks::<Exponents, Logs>(by_row(), start, table, sums, &mut Vec::new(), 9)
            },
            Exponents::NOTHING,
            Exponents::join,
        );
    }
}
