//! The conditional distribution of a site given all others,
//!
//! `p(x_i = a | x_∖i) ∝ exp(h_i(a) + Σ_j J_ij(a, x_j))`.
//!
//! Couplings stand in a table for each site, in which those with one value of a neighbour, for all
//! values of the site, lie side by side: the exponents are a sum of such lines. Each coupling is in
//! two tables, that of either of its sites. Lines are padded to whole lanes.

use super::{Pair, Potts};
use crate::energy::{LogWeights, Parametric};
use crate::rng::ChainRng;
use crate::site_values::{Scan, Sites, Value, ValueConditionals, draw_value, sweep};

/// Lines are padded to a multiple of these.
const LANES: usize = 4;

/// Number of columns that are summed together.
const COLS: usize = 8;

/// Tables of all sites.
#[derive(Debug, Clone)]
pub struct Conditionals {
    sites: Sites,
    tables: Vec<Table>,
}

/// The table of a site.
#[derive(Debug, Clone)]
pub(super) struct Table {
    /// h_i, padded.
    pub fields: Vec<f64>,
    /// The coupled sites j, and the first line of each.
    pub neighbours: Vec<(usize, usize)>,
    /// The lines, one after another.
    pub couplings: Vec<f64>,
}

impl Conditionals {
    /// The tables of a model at its present parameters.
    pub fn new(model: &Potts) -> Self {
        let sites = model.sites.clone();
        let mut tables: Vec<_> = (0..sites.count())
            .map(|site| Table {
                fields: vec![0.0; padded(sites.num_values(site))],
                neighbours: Vec::new(),
                couplings: Vec::new(),
            })
            .collect();
        for Pair { sites: [i, j], .. } in &model.pairs {
            for (site, other) in [(*i, *j), (*j, *i)] {
                let table = &mut tables[site];
                let width = table.fields.len();
                table.neighbours.push((other, table.couplings.len() / width));
                let len = table.couplings.len() + sites.num_values(other) * width;
                table.couplings.resize(len, 0.0);
            }
        }
        let mut conditionals = Self { sites, tables };
        conditionals.set_params(&model.pairs, model.params());
        conditionals
    }

    /// Sets other parameters of the same model.
    pub(super) fn set_params(&mut self, pairs: &[Pair], params: &[f64]) {
        for (site, table) in self.tables.iter_mut().enumerate() {
            let (first, count) = (self.sites.first(site), self.sites.num_values(site));
            table.fields[..count].copy_from_slice(&params[first..first + count]);
        }
        let mut seen = vec![0; self.sites.count()];
        for Pair { sites: [i, j], start } in pairs {
            let (rows, cols) = (self.sites.num_values(*i), self.sites.num_values(*j));
            let block = &params[*start..start + rows * cols];
            let table = &mut self.tables[*i];
            let (width, line) = (table.fields.len(), table.neighbours[seen[*i]].1);
            for (b, line) in
                table.couplings[line * width..].chunks_exact_mut(width).take(cols).enumerate()
            {
                for (a, entry) in line[..rows].iter_mut().enumerate() {
                    *entry = block[a * cols + b];
                }
            }
            let table = &mut self.tables[*j];
            let (width, line) = (table.fields.len(), table.neighbours[seen[*j]].1);
            let lines = table.couplings[line * width..].chunks_exact_mut(width);
            for (line, row) in lines.zip(block.chunks_exact(cols)) {
                line[..cols].copy_from_slice(row);
            }
            seen[*i] += 1;
            seen[*j] += 1;
        }
    }

    pub(super) fn table(&self, site: usize) -> &Table {
        &self.tables[site]
    }

    /// `h_i(a) + Σ_j J_ij(a, x_j)` for all values a of a site.
    ///
    /// # Panics
    /// If there are values of fewer sites.
    pub fn log_weights_of<'a>(
        &self,
        site: usize,
        values: &[Value],
        scratch: &'a mut Scratch,
    ) -> &'a mut [f64] {
        let table = &self.tables[site];
        let width = table.fields.len();
        scratch.lines.clear();
        scratch.lines.extend(
            table
                .neighbours
                .iter()
                .map(|(other, line)| (line + usize::from(values[*other])) * width),
        );
        scratch.weights.resize(width, 0.0);
        let (wide, rest) = tiles(width);
        wide.for_each(|col| table.sum::<COLS>(col, scratch));
        rest.for_each(|col| table.sum::<LANES>(col, scratch));
        &mut scratch.weights[..self.sites.num_values(site)]
    }
}

impl ValueConditionals for Conditionals {
    fn sites(&self) -> &Sites {
        &self.sites
    }

    fn log_weights(&self) -> LogWeights<'_> {
        let mut scratch = Scratch::default();
        Box::new(move |site, values, out| {
            let count = self.log_weights_of(site, values, &mut scratch).len();
            std::mem::swap(&mut scratch.weights, out);
            out.truncate(count);
        })
    }

    /// The same draws, with nothing between the tables and them.
    fn sweep(&self, scan: Scan, row: &mut [u64], rng: &mut ChainRng) -> usize {
        let mut scratch = Scratch::default();
        sweep(&self.sites, scan, row, rng, |site, values, rng| {
            draw_value(self.log_weights_of(site, values, &mut scratch), rng)
        })
    }
}

/// What [`Conditionals::log_weights_of`] works in.
#[derive(Debug, Clone, Default)]
pub struct Scratch {
    /// The first place of each neighbour's line.
    lines: Vec<usize>,
    /// The log weights, padded.
    pub(super) weights: Vec<f64>,
}

/// A number of values, padded to whole lanes.
pub(super) fn padded(count: usize) -> usize {
    count.next_multiple_of(LANES)
}

/// The first columns of wide tiles, and of narrow ones for the rest.
fn tiles(width: usize) -> (impl Iterator<Item = usize>, impl Iterator<Item = usize>) {
    let wide = width - width % COLS;
    ((0..wide).step_by(COLS), (wide..width).step_by(LANES))
}

impl Table {
    /// Adds the fields and the lines of the neighbours' values.
    #[inline(always)]
    fn sum<const COLS: usize>(&self, col: usize, scratch: &mut Scratch) {
        let mut sums: [f64; COLS] = *self.fields[col..].first_chunk().expect("padded");
        for line in &scratch.lines {
            let line: &[f64; COLS] = self.couplings[line + col..].first_chunk().expect("padded");
            sums.iter_mut().zip(line).for_each(|(sum, coupling)| *sum += coupling);
        }
        scratch.weights[col..col + COLS].copy_from_slice(&sums);
    }

    /// Adds what stands in place of the log weights to the lines that were summed last; `sums` are
    /// laid out as the couplings.
    pub(super) fn add_to_lines(&self, scratch: &Scratch, sums: &mut [f64]) {
        let (wide, rest) = tiles(self.fields.len());
        wide.for_each(|col| add_columns::<COLS>(col, scratch, sums));
        rest.for_each(|col| add_columns::<LANES>(col, scratch, sums));
    }
}

#[inline(always)]
fn add_columns<const COLS: usize>(col: usize, scratch: &Scratch, sums: &mut [f64]) {
    let terms: &[f64; COLS] = scratch.weights[col..].first_chunk().expect("padded");
    for line in &scratch.lines {
        let line: &mut [f64; COLS] = sums[line + col..].first_chunk_mut().expect("padded");
        line.iter_mut().zip(terms).for_each(|(sum, term)| *sum += term);
    }
}
