//! Low rank: `u_ik ~ N(0, 1)`, `v_kj ~ N(0, s²)`, rows `y_i ~ N(u_i V, σ²I)`; `GG + G` in Grosse's
//! notation (PhD thesis 2014, section 2.2.1), factor analysis with noise of one variance.
//!
//! Nothing is integrated out: `ln f_β = ln p(U) p(V) + β ln N(Y; UV, σ²I)`. Given V the rows of U are
//! independent Gaussians with the precision `I + (β/σ²) VVᵀ`, and given U the columns of V with
//! `I/s² + (β/σ²) UᵀU`.

use super::gaussian::{Precision, difference, gram, log_normal, square};
use super::variances::Squares;
use super::{Floor, LatentChain, Parts, Scan, Table, Variances, VariancesSpec};
use crate::linalg::{axpy, dot, transpose};
use crate::math::ln;
use crate::rng::{ChainRng, normal, uniform};
use std::f64::consts::TAU;
use std::sync::Arc;

/// The chain over both factors and the variances.
#[derive(Clone)]
pub struct LowRank {
    num_factors: usize,
    prior: VariancesSpec,
    table: Arc<Table>,
    /// U, `[N, K]`.
    pub(super) factors: Vec<f64>,
    /// Vᵀ, `[D, K]`.
    pub(super) loadings: Vec<f64>,
    pub(super) variances: Variances,
}

/// What the columns of V are about a priori: N(centre, variance · I), each with its own centre.
#[derive(Clone, Copy)]
pub(super) struct Loadings<'a> {
    /// The centres, `[D, K]`; 0 if absent.
    pub centres: Option<&'a [f64]>,
    /// The variance.
    pub variance: f64,
}

impl LowRank {
    /// The chain of a table, with no row given.
    pub fn new(num_factors: usize, prior: VariancesSpec, table: Arc<Table>) -> Self {
        Self {
            num_factors,
            prior,
            factors: Vec::new(),
            loadings: vec![0.0; num_factors * table.num_cols],
            variances: Variances { signal: 1.0, noise: 1.0 },
            table,
        }
    }

    /// The rows given.
    fn rows(&self) -> impl Iterator<Item = &[f64]> {
        self.table.values.chunks_exact(self.table.num_cols).take(self.num_rows())
    }

    /// y − uV of one row.
    fn residual(&self, row: usize) -> Vec<f64> {
        let factors = &self.factors[row * self.num_factors..][..self.num_factors];
        let loadings = self.loadings.chunks_exact(self.num_factors);
        self.table.row(row).iter().zip(loadings).map(|(y, v)| y - dot(factors, v)).collect()
    }

    /// |Y − UV|².
    fn square_error(&self) -> f64 {
        (0..self.num_rows()).map(|row| square(&self.residual(row))).sum()
    }

    /// The precision of a row of U given V, and the means of these rows.
    pub(super) fn factors_given(&self, beta: f64, rows: &[&[f64]]) -> (Precision, Vec<f64>) {
        let order = self.num_factors;
        let scale = beta / self.variances.noise;
        let precision = Precision::new(1.0, scale, &gram(&self.loadings, order), order);
        let mut products = vec![0.0; rows.len() * order];
        for (row, product) in rows.iter().zip(products.chunks_exact_mut(order)) {
            for (y, v) in row.iter().zip(self.loadings.chunks_exact(order)) {
                axpy(scale * y, v, product);
            }
        }
        let means = precision.solve(products);
        (precision, means)
    }

    /// What the loadings are about a priori.
    pub(super) fn prior_of_loadings(&self) -> Loadings<'static> {
        Loadings { centres: None, variance: self.variances.signal }
    }

    /// The precision of a column of V given U, and the means of these columns.
    pub(super) fn loadings_given(&self, beta: f64, prior: Loadings<'_>) -> (Precision, Vec<f64>) {
        let order = self.num_factors;
        let scale = beta / self.variances.noise;
        let diagonal = 1.0 / prior.variance;
        let precision = Precision::new(diagonal, scale, &gram(&self.factors, order), order);
        let mut products = vec![0.0; self.loadings.len()];
        if let Some(centres) = prior.centres {
            axpy(diagonal, centres, &mut products);
        }
        for (row, u) in self.rows().zip(self.factors.chunks_exact(order)) {
            for (y, product) in row.iter().zip(products.chunks_exact_mut(order)) {
                axpy(scale * y, u, product);
            }
        }
        let means = precision.solve(products);
        (precision, means)
    }

    pub(super) fn draw_factors(&mut self, beta: f64, rng: &mut ChainRng) {
        let rows: Vec<&[f64]> = self.rows().collect();
        let (precision, mut drawn) = self.factors_given(beta, &rows);
        precision.add_noise(&mut drawn, rng);
        self.factors = drawn;
    }

    pub(super) fn draw_loadings(&mut self, beta: f64, prior: Loadings<'_>, rng: &mut ChainRng) {
        let (precision, mut drawn) = self.loadings_given(beta, prior);
        precision.add_noise(&mut drawn, rng);
        self.loadings = drawn;
    }

    /// What the variance of the noise has to explain.
    pub(super) fn squares_of_noise(&self, beta: f64) -> Squares {
        let count = (self.num_rows() * self.table.num_cols) as f64;
        Squares { count: beta * count, sum: beta * self.square_error() }
    }

    fn squares_of_loadings(&self) -> Squares {
        Squares { count: self.loadings.len() as f64, sum: square(&self.loadings) }
    }

    fn squares(&self, beta: f64) -> (Squares, Squares) {
        (self.squares_of_loadings(), self.squares_of_noise(beta))
    }

    fn draw_variances(&mut self, beta: f64, rng: &mut ChainRng) {
        if self.prior.are_sampled() {
            let (signal, noise) = self.squares(beta);
            self.prior.draw(&mut self.variances, &signal, &noise, rng);
        }
    }

    /// What the next row adds: the precision and mean of its factors.
    fn next_row(&self) -> (Precision, Vec<f64>) {
        self.factors_given(1.0, &[self.table.row(self.num_rows())])
    }

    /// The greatest |Y − UV|² above a floor.
    fn greatest_error(&self, floor: Floor) -> f64 {
        const UNIT: f64 = 1.0 / (1_u64 << 24) as f64;
        let count = (self.num_rows() * self.table.num_cols) as f64;
        let noise = self.variances.noise;
        let at_zero = -0.5 * count * ln(TAU * noise);
        2.0 * noise * (at_zero - floor.log_likelihood - UNIT)
    }

    /// Moves every entry of U and V above a floor of the likelihood, which is a bound on |Y − UV|², a
    /// parabola in each entry.
    pub(super) fn slice_entries(&mut self, floor: Floor, prior: Loadings<'_>, rng: &mut ChainRng) {
        let order = self.num_factors;
        let dim = self.table.num_cols;
        let mut slack = self.greatest_error(floor) - self.square_error();
        let mut residuals: Vec<f64> =
            (0..self.num_rows()).flat_map(|row| self.residual(row)).collect();
        for (u, residual) in
            self.factors.chunks_exact_mut(order).zip(residuals.chunks_exact_mut(dim))
        {
            for (k, u) in u.iter_mut().enumerate() {
                let weights = self.loadings.iter().skip(k).step_by(order);
                let [mut product, mut weight] = [0.0; 2];
                for (r, v) in residual.iter().zip(weights.clone()) {
                    product += r * v;
                    weight += v * v;
                }
                let step = slice_step(*u, 1.0, [product, weight], slack, rng);
                *u += step;
                slack -= step * (step * weight - 2.0 * product);
                residual.iter_mut().zip(weights).for_each(|(r, v)| *r -= step * v);
            }
        }
        for (j, v) in self.loadings.chunks_exact_mut(order).enumerate() {
            for (k, v) in v.iter_mut().enumerate() {
                let centre = prior.centres.map_or(0.0, |centres| centres[j * order + k]);
                let weights = self.factors.iter().skip(k).step_by(order);
                let [mut product, mut weight] = [0.0; 2];
                for (r, u) in residuals.iter().skip(j).step_by(dim).zip(weights.clone()) {
                    product += r * u;
                    weight += u * u;
                }
                let step = slice_step(*v - centre, prior.variance, [product, weight], slack, rng);
                *v += step;
                slack -= step * (step * weight - 2.0 * product);
                let column = residuals.iter_mut().skip(j).step_by(dim);
                column.zip(weights).for_each(|(r, u)| *r -= step * u);
            }
        }
    }

    /// Moves the variance of the noise above a floor.
    pub(super) fn slice_noise(&mut self, floor: Floor, label: f64, rng: &mut ChainRng) {
        let (error, count) = (self.square_error(), self.num_rows() * self.table.num_cols);
        self.prior.slice_noise(&mut self.variances, rng, |moved| {
            floor.admits(log_normal(error, moved.noise, count), label)
        });
    }
}

/// A move of one entry t ~ N(0, variance), where |r − (t − t₀) w|² may grow by `slack`: a step of
/// slice sampling, whose slice is an interval. Returns the change of t.
fn slice_step(
    from: f64,
    variance: f64,
    [product, weight]: [f64; 2],
    slack: f64,
    rng: &mut ChainRng,
) -> f64 {
    let height = from * from - 2.0 * variance * ln(1.0 - uniform(rng));
    let reach = height.sqrt();
    let (mut low, mut high) = (-reach - from, reach - from);
    if weight > 0.0 {
        let root = (product * product + slack * weight).sqrt();
        low = low.max((product - root) / weight);
        high = high.min((product + root) / weight);
    }
    let step = low + (high - low) * uniform(rng);
    if slack >= 0.0 && low < high { step } else { 0.0 }
}

impl LatentChain for LowRank {
    fn table(&self) -> &Arc<Table> {
        &self.table
    }

    fn set_table(&mut self, table: Arc<Table>) {
        self.table = table;
    }

    fn num_rows(&self) -> usize {
        self.factors.len() / self.num_factors
    }

    fn draw_prior(&mut self, num_rows: usize, rng: &mut ChainRng) {
        self.variances = self.prior.draw_prior(rng);
        self.factors = (0..num_rows * self.num_factors).map(|_| normal(rng)).collect();
        let deviation = self.variances.signal.sqrt();
        self.loadings.fill_with(|| deviation * normal(rng));
    }

    fn means(&self) -> Vec<f64> {
        let order = self.num_factors;
        let of_row = |u| self.loadings.chunks_exact(order).map(move |v| dot(u, v));
        self.factors.chunks_exact(order).flat_map(of_row).collect()
    }

    fn draw_rows(&mut self, rng: &mut ChainRng) -> Vec<f64> {
        let deviation = self.variances.noise.sqrt();
        self.means().into_iter().map(|mean| mean + deviation * normal(rng)).collect()
    }

    fn log_prior(&self) -> f64 {
        log_normal(square(&self.factors), 1.0, self.factors.len())
            + log_normal(square(&self.loadings), self.variances.signal, self.loadings.len())
            + self.prior.log_prior(self.variances)
    }

    fn log_likelihood(&self, beta: f64) -> f64 {
        beta * self.log_likelihood_slope(beta)
    }

    fn log_likelihood_slope(&self, _beta: f64) -> f64 {
        let count = self.num_rows() * self.table.num_cols;
        log_normal(self.square_error(), self.variances.noise, count)
    }

    fn sweep(&mut self, beta: f64, scan: Scan, rng: &mut ChainRng) {
        match scan {
            Scan::Forward => {
                self.draw_factors(beta, rng);
                self.draw_loadings(beta, self.prior_of_loadings(), rng);
                self.draw_variances(beta, rng);
            }
            Scan::Backward => {
                self.draw_variances(beta, rng);
                self.draw_loadings(beta, self.prior_of_loadings(), rng);
                self.draw_factors(beta, rng);
            }
        }
    }

    /// The row is N(0, VᵀV + σ²I), whose determinant and inverse are those of a K × K matrix.
    fn log_predictive(&self) -> f64 {
        let row = self.num_rows();
        let noise = self.variances.noise;
        let (precision, mean) = self.next_row();
        let loadings = self.loadings.chunks_exact(self.num_factors);
        let explained: f64 =
            self.table.row(row).iter().zip(loadings).map(|(y, v)| y * dot(v, &mean)).sum();
        let square = self.table.squares[row] - explained;
        log_normal(square, noise, self.table.num_cols) - 0.5 * precision.log_det()
    }

    fn push_row(&mut self, rng: &mut ChainRng) {
        let (precision, mut drawn) = self.next_row();
        precision.add_noise(&mut drawn, rng);
        self.factors.extend(drawn);
    }

    fn pop_row(&mut self) {
        self.factors.truncate(self.factors.len() - self.num_factors);
    }

    fn sweep_above(&mut self, floor: Floor, label: f64, rng: &mut ChainRng) {
        self.slice_entries(floor, self.prior_of_loadings(), rng);
        if self.prior.are_sampled() {
            let squares = self.squares_of_loadings();
            self.prior.draw_signal(&mut self.variances, &squares, rng);
        }
        self.slice_noise(floor, label, rng);
    }

    fn log_joint(&self) -> f64 {
        self.log_prior() + self.log_likelihood(1.0)
    }

    fn chib_step(&mut self, scan: Scan, rng: &mut ChainRng) {
        self.sweep(1.0, scan, rng);
    }

    fn log_chib_density(&self, to: &[f64]) -> f64 {
        let mut target = self.clone();
        target.set_state(to);
        let rows: Vec<&[f64]> = self.rows().collect();
        let (precision, means) = self.factors_given(1.0, &rows);
        let of_factors = precision.log_density(&difference(&target.factors, &means));
        let halfway = Self { variances: self.variances, ..target.clone() };
        let (precision, means) = halfway.loadings_given(1.0, halfway.prior_of_loadings());
        let of_loadings = precision.log_density(&difference(&target.loadings, &means));
        let (signal, noise) = target.squares(1.0);
        of_factors + of_loadings + self.prior.log_density(target.variances, &signal, &noise)
    }

    fn state(&self) -> Vec<f64> {
        let Variances { signal, noise } = self.variances;
        [&self.factors[..], &self.loadings, &[signal, noise]].concat()
    }

    fn set_state(&mut self, state: &[f64]) {
        let (state, variances) = state.split_at(state.len() - 2);
        let (factors, loadings) = state.split_at(state.len() - self.loadings.len());
        self.factors = factors.to_vec();
        self.loadings = loadings.to_vec();
        self.variances = Variances { signal: variances[0], noise: variances[1] };
    }

    fn parts(&self) -> Parts {
        let dim = self.table.num_cols;
        let mut features = vec![0.0; self.loadings.len()];
        transpose(self.num_factors, dim, &self.loadings, &mut features);
        Parts {
            hidden: self.factors.clone(),
            features,
            variances: self.variances,
            column_clusters: None,
        }
    }
}
