//! Pseudolikelihood and flow of a Potts model ([`crate::site_values::SingleSites`] has the formulas; the
//! first is plmDCA, Ekeberg et al. 2013, there with both J_ij and J_ji in one asymmetric matrix too; here
//! each coupling is one parameter). Both gradients are sums of residuals: `Σ r_i(a)` for h_i(a), and for
//! J_ij(a, b) `Σ_{x: x_j = b} r_i(a) + Σ_{x: x_i = a} r_j(b)`.
//!
//! A shard is some of the sites, with all rows: a site touches its own table alone
//! ([`Conditionals`]), so shards return no sums that others return too. A piece is one site with some
//! of the rows.

use super::{Conditionals, Potts, Scratch};
use crate::bits::WeightedRows;
use crate::energy::{FlipLoss, Objective, Parametric};
use crate::site_values::{Value, flow, surprise};
use std::ops::Range;

/// Maximum number of shards.
const MAX_SHARDS: usize = 64;

/// Number of additions in a piece: some milliseconds.
const PIECE_COST: usize = 1 << 22;

/// An objective of the module documentation. The part of a shard is, for each of its sites,
/// `[value | fields, padded | table of couplings]`, not yet divided by N.
pub struct PottsSingleSites {
    model: Potts,
    loss: FlipLoss,
    conditionals: Conditionals,
    /// The values of the sites in each row, `[rows, sites]`.
    values: Vec<Value>,
    weights: Vec<f64>,
    total: f64,
}

impl PottsSingleSites {
    /// The objective on these data, at the model's present parameters.
    ///
    /// # Panics
    /// If a row stands for no state of the model.
    pub fn new(model: &Potts, data: &WeightedRows, loss: FlipLoss) -> Self {
        let values = data.rows().rows().flat_map(|row| model.sites.values(row)).collect();
        Self {
            model: model.clone(),
            loss,
            conditionals: Conditionals::new(model),
            values,
            weights: data.weights().to_vec(),
            total: data.total(),
        }
    }

    /// The sites of a shard.
    fn sites(&self, shard: usize) -> Range<usize> {
        let (count, num_shards) = (self.model.sites.count(), self.num_shards());
        assert!(shard < num_shards);
        count * shard / num_shards..count * (shard + 1) / num_shards
    }

    /// Length of a site's numbers.
    fn part_len(&self, site: usize) -> usize {
        let table = self.conditionals.table(site);
        1 + table.fields.len() + table.couplings.len()
    }

    /// Pieces of a site, and rows of a piece.
    fn pieces(&self, site: usize) -> (usize, usize) {
        let table = self.conditionals.table(site);
        let row_cost = 2 * table.fields.len() * (8 + table.neighbours.len());
        let num_rows = (PIECE_COST / row_cost).max(1);
        (self.weights.len().div_ceil(num_rows).max(1), num_rows)
    }

    /// Adds rows to a site's numbers.
    fn add_rows(&self, site: usize, rows: Range<usize>, part: &mut [f64]) {
        let table = self.conditionals.table(site);
        let (value, sums) = part.split_at_mut(1);
        let (fields, couplings) = sums.split_at_mut(table.fields.len());
        let mut scratch = Scratch::default();
        let width = self.model.sites.count();
        for row in rows {
            let values = &self.values[row * width..(row + 1) * width];
            let own = usize::from(values[site]);
            let weight = self.weights[row];
            let residuals = self.conditionals.log_weights_of(site, values, &mut scratch);
            value[0] += match self.loss {
                FlipLoss::Pseudolikelihood => surprise(residuals, own, weight),
                FlipLoss::Flow => flow(residuals, own, weight),
            };
            fields.iter_mut().zip(&*residuals).for_each(|(sum, residual)| *sum += residual);
            table.add_to_lines(&scratch, couplings);
        }
    }
}

impl Objective for PottsSingleSites {
    fn num_params(&self) -> usize {
        self.model.params.len()
    }

    fn set_params(&mut self, params: &[f64]) {
        self.model.set_params(params);
        self.conditionals.set_params(&self.model.pairs, params);
    }

    fn num_shards(&self) -> usize {
        self.model.sites.count().min(MAX_SHARDS)
    }

    fn part(&self, shard: usize) -> Vec<f64> {
        let mut part = Vec::new();
        (0..self.num_pieces(shard)).for_each(|piece| self.add_piece(shard, piece, &mut part));
        part
    }

    fn num_pieces(&self, shard: usize) -> usize {
        self.sites(shard).map(|site| self.pieces(site).0).sum()
    }

    fn add_piece(&self, shard: usize, piece: usize, part: &mut Vec<f64>) {
        let (mut start, mut piece) = (0, piece);
        for site in self.sites(shard) {
            let (num_pieces, num_rows) = self.pieces(site);
            let len = self.part_len(site);
            if piece < num_pieces {
                part.resize(start + len, 0.0);
                let first = piece * num_rows;
                let rows = first..self.weights.len().min(first + num_rows);
                return self.add_rows(site, rows, &mut part[start..]);
            }
            piece -= num_pieces;
            start += len;
        }
        panic!("there is no such piece");
    }

    fn combine(&self, parts: &[Vec<f64>], grad: &mut [f64]) -> f64 {
        assert!(parts.len() == self.num_shards() && grad.len() == self.num_params());
        let scale = 1.0 / self.total;
        let sites = &self.model.sites;
        let mut value = 0.0;
        // The couplings' sums of each site, and how many of its neighbours have been added.
        let mut tables: Vec<&[f64]> = Vec::new();
        for (shard, part) in parts.iter().enumerate() {
            let mut rest = &part[..];
            for site in self.sites(shard) {
                let (own, others) = rest.split_at(self.part_len(site));
                let (fields, couplings) =
                    own[1..].split_at(self.conditionals.table(site).fields.len());
                value += own[0];
                let grad = &mut grad[sites.first(site)..][..sites.num_values(site)];
                grad.iter_mut().zip(fields).for_each(|(grad, sum)| *grad = scale * sum);
                tables.push(couplings);
                rest = others;
            }
        }
        let mut seen = vec![0; sites.count()];
        for pair in &self.model.pairs {
            let [of_i, of_j] = pair.sites.map(|site| {
                let table = self.conditionals.table(site);
                let (width, line) = (table.fields.len(), table.neighbours[seen[site]].1);
                seen[site] += 1;
                (width, &tables[site][line * width..])
            });
            let (rows, cols) = (sites.num_values(pair.sites[0]), sites.num_values(pair.sites[1]));
            let block = &mut grad[pair.start..pair.start + rows * cols];
            for (a, row) in block.chunks_exact_mut(cols).enumerate() {
                for (b, grad) in row.iter_mut().enumerate() {
                    *grad = scale * (of_i.1[b * of_i.0 + a] + of_j.1[a * of_j.0 + b]);
                }
            }
        }
        scale * value
    }
}
