//! Binary attributes: `z_ik ~ Bernoulli(π_k)`, `π_k ~ Beta(a, b)`, features `a_kj ~ N(0, σ_f²)`, rows
//! `y_i ~ N(z_i A, σ²I)`; `BG + G` in Grosse's notation (PhD thesis 2014, sections 2.1.3 and 2.2.2).
//! With a = α/K, b = 1 and K → ∞ it is the Indian buffet process.
//!
//! π and A are integrated out. With C = ZᵀY and Λ = I/σ_f² + (β/σ²) ZᵀZ,
//!
//! `ln p_β(Y | Z) = −(βND/2) ln 2πσ² − (D/2)(ln |Λ| + K ln σ_f²) − β|Y|²/2σ² + (β²/2σ⁴) tr CᵀΛ⁻¹C`.

use super::collapsed::Collapsed;
use super::gaussian::{Precision, log_normal, square};
use super::variances::Squares;
use super::{
    Choice, Enumerated, Floor, LatentChain, Parts, Scan, Table, Variances, VariancesSpec,
    draw_index,
};
use crate::linalg::{axpy, dot, transpose};
use crate::math::{ln, ln_gamma, log_sum_exp, sigmoid, softplus};
use crate::rng::{ChainRng, normal, uniform};
use std::f64::consts::TAU;
use std::sync::Arc;

/// The chain over the attributes of the rows and the variances.
#[derive(Clone)]
pub struct BinaryAttributes {
    num_attributes: usize,
    /// a and b of the Beta distribution.
    prior_counts: [f64; 2],
    prior: VariancesSpec,
    table: Arc<Table>,
    /// Z as zeros and ones, `[N, K]`.
    attributes: Vec<f64>,
    variances: Variances,
    /// A, `[K, D]`, where the variances are drawn given it.
    features: Vec<f64>,
}

/// What the rows but one say about the features: ZᵀZ, `[K, K]`, and ZᵀY, `[K, D]`.
#[derive(Clone)]
struct Others {
    gram: Vec<f64>,
    products: Vec<f64>,
}

impl Others {
    fn add(&mut self, z: &[f64], y: &[f64], sign: f64) {
        for (k, on) in z.iter().enumerate().filter(|(_, on)| **on > 0.0) {
            axpy(sign * on, z, &mut self.gram[k * z.len()..][..z.len()]);
            axpy(sign, y, &mut self.products[k * y.len()..][..y.len()]);
        }
    }
}

/// A row given the others: `y ~ N(zH, (zᵀMz + σ²/β) I)`, for one z after another.
struct RowGiven {
    /// M = Λ⁻¹, `[K, K]`.
    covariance: Vec<f64>,
    /// H, `[K, D]`.
    means: Vec<f64>,
    /// |H_k|².
    mean_squares: Vec<f64>,
    /// σ²/β.
    noise: f64,
    num_cols: usize,
    z: Vec<f64>,
    /// y − zH.
    residual: Vec<f64>,
    /// |y − zH|².
    square: f64,
    /// Mz.
    product: Vec<f64>,
    /// zᵀMz.
    variance: f64,
}

impl RowGiven {
    fn new(others: &Others, beta: f64, variances: Variances, z: &[f64], y: &[f64]) -> Self {
        let (order, num_cols) = (z.len(), y.len());
        let scale = beta / variances.noise;
        let precision = Precision::new(1.0 / variances.signal, scale, &others.gram, order);
        let covariance = precision.inverse();
        let mut means = vec![0.0; order * num_cols];
        for (row, mean) in covariance.chunks_exact(order).zip(means.chunks_exact_mut(num_cols)) {
            for (entry, product) in row.iter().zip(others.products.chunks_exact(num_cols)) {
                axpy(scale * entry, product, mean);
            }
        }
        let mean_squares = means.chunks_exact(num_cols).map(square).collect();
        let mut given = Self {
            covariance,
            means,
            mean_squares,
            noise: variances.noise / beta,
            num_cols,
            z: vec![0.0; order],
            residual: y.to_vec(),
            square: square(y),
            product: vec![0.0; order],
            variance: 0.0,
        };
        z.iter().enumerate().filter(|(_, on)| **on > 0.0).for_each(|(k, _)| given.flip(k));
        given
    }

    fn mean(&self, k: usize) -> &[f64] {
        &self.means[k * self.num_cols..][..self.num_cols]
    }

    /// |y − zH|² and zᵀMz with attribute k flipped.
    fn flipped(&self, k: usize) -> [f64; 2] {
        let sign = 1.0 - 2.0 * self.z[k];
        let product = dot(&self.residual, self.mean(k));
        let own = self.covariance[k * self.z.len() + k];
        [
            self.square - 2.0 * sign * product + self.mean_squares[k],
            self.variance + 2.0 * sign * self.product[k] + own,
        ]
    }

    fn flip(&mut self, k: usize) {
        [_, self.variance] = self.flipped(k);
        let order = self.z.len();
        let sign = 1.0 - 2.0 * self.z[k];
        self.z[k] += sign;
        axpy(-sign, &self.means[k * self.num_cols..][..self.num_cols], &mut self.residual);
        self.square = square(&self.residual);
        axpy(sign, &self.covariance[k * order..][..order], &mut self.product);
    }

    /// ln p(y | z) of the present z.
    fn log_density(&self) -> f64 {
        log_normal(self.square, self.variance + self.noise, self.num_cols)
    }

    /// ln p(y | z) with attribute k flipped.
    fn log_density_flipped(&self, k: usize) -> f64 {
        let [square, variance] = self.flipped(k);
        log_normal(square, variance + self.noise, self.num_cols)
    }
}

impl BinaryAttributes {
    /// The chain of a table, with no row given.
    pub fn new(
        num_attributes: usize,
        prior_counts: [f64; 2],
        prior: VariancesSpec,
        table: Arc<Table>,
    ) -> Self {
        Self {
            num_attributes,
            prior_counts,
            prior,
            attributes: Vec::new(),
            variances: Variances { signal: 1.0, noise: 1.0 },
            features: vec![0.0; num_attributes * table.num_cols],
            table,
        }
    }

    /// Gives the rows these attributes.
    pub fn set_attributes(&mut self, attributes: Vec<f64>) {
        self.attributes = attributes;
    }

    fn rows(&self) -> impl Iterator<Item = (&[f64], &[f64])> {
        let rows = self.table.values.chunks_exact(self.table.num_cols);
        self.attributes.chunks_exact(self.num_attributes).zip(rows)
    }

    /// ZᵀZ and ZᵀY of all rows given.
    fn sums(&self) -> Others {
        let order = self.num_attributes;
        let mut sums = Others {
            gram: vec![0.0; order * order],
            products: vec![0.0; order * self.table.num_cols],
        };
        self.rows().for_each(|(z, y)| sums.add(z, y, 1.0));
        sums
    }

    /// Number of rows with each attribute.
    fn counts(&self) -> Vec<f64> {
        let mut counts = vec![0.0; self.num_attributes];
        self.attributes.chunks_exact(self.num_attributes).for_each(|z| axpy(1.0, z, &mut counts));
        counts
    }

    fn precision(&self, beta: f64, sums: &Others) -> Precision {
        let Variances { signal, noise } = self.variances;
        Precision::new(1.0 / signal, beta / noise, &sums.gram, self.num_attributes)
    }

    /// `ZᵀY` as columns of K numbers, one after another.
    fn columns(&self, products: &[f64]) -> Vec<f64> {
        let mut columns = vec![0.0; products.len()];
        let dim = self.table.num_cols;
        transpose(dim, self.num_attributes, products, &mut columns);
        columns
    }

    fn square_of_rows(&self) -> f64 {
        self.table.squares[..self.num_rows()].iter().sum()
    }

    /// Chooses each attribute of each row anew; returns the log probability of the choices followed.
    pub(super) fn scan(&mut self, beta: f64, scan: Scan, mut choice: Choice<'_, f64>) -> f64 {
        let order = self.num_attributes;
        let num_rows = self.num_rows();
        let table = self.table.clone();
        let mut sums = self.sums();
        let mut counts = self.counts();
        let mut log_probability = 0.0;
        for row in scan.places(num_rows) {
            let mut z = self.attributes[row * order..][..order].to_vec();
            sums.add(&z, table.row(row), -1.0);
            axpy(-1.0, &z, &mut counts);
            let mut given = (beta > 0.0)
                .then(|| RowGiven::new(&sums, beta, self.variances, &z, table.row(row)));
            for k in scan.places(order) {
                let gain = given.as_ref().map_or(0.0, |given| {
                    (given.log_density_flipped(k) - given.log_density()) * (1.0 - 2.0 * z[k])
                });
                let log_odds = self.log_prior_odds(counts[k], num_rows - 1) + gain;
                let is_on = match &mut choice {
                    Choice::Draw(rng) => uniform(rng) < sigmoid(log_odds),
                    Choice::Follow(to) => {
                        let is_on = to[row * order + k] > 0.0;
                        log_probability -= softplus(if is_on { -log_odds } else { log_odds });
                        is_on
                    }
                };
                if is_on != (z[k] > 0.0) {
                    z[k] = 1.0 - z[k];
                    given.iter_mut().for_each(|given| given.flip(k));
                }
            }
            sums.add(&z, table.row(row), 1.0);
            axpy(1.0, &z, &mut counts);
            self.attributes[row * order..][..order].copy_from_slice(&z);
        }
        log_probability
    }

    /// The log odds of an attribute that `count` of `num_others` other rows have.
    fn log_prior_odds(&self, count: f64, num_others: usize) -> f64 {
        let [a, b] = self.prior_counts;
        ln((a + count) / (b + num_others as f64 - count))
    }

    /// ln [p(z) p(y | z)] of a row for all 2^K values of z, by their bits. `log_density` is that of y: at z = 0 at
    /// first, and then with one attribute after another flipped, by a Gray code.
    fn log_weights(
        &self,
        odds: &[f64],
        mut log_density: impl FnMut(Option<usize>) -> f64,
    ) -> Vec<f64> {
        let none: f64 = odds.iter().map(|odds| -softplus(*odds)).sum();
        let mut log_weights = vec![0.0; 1 << odds.len()];
        let mut bits = 0_usize;
        for step in 0..log_weights.len() {
            let flipped = (step > 0).then(|| step.trailing_zeros() as usize);
            bits ^= flipped.map_or(0, |k| 1 << k);
            let is_on = |k: &usize| bits >> k & 1 == 1;
            let of_prior: f64 = (0..odds.len()).filter(is_on).map(|k| odds[k]).sum();
            log_weights[bits] = none + of_prior + log_density(flipped);
        }
        log_weights
    }

    /// The log odds of each attribute in a row beside those given.
    fn odds(&self) -> Vec<f64> {
        let num_rows = self.num_rows();
        self.counts().iter().map(|count| self.log_prior_odds(*count, num_rows)).collect()
    }

    /// ln p(z, y | the rows given) of the next row for all 2^K values of z, by their bits.
    fn next_row(&self) -> Vec<f64> {
        let none = vec![0.0; self.num_attributes];
        let row = self.table.row(self.num_rows());
        let mut given = RowGiven::new(&self.sums(), 1.0, self.variances, &none, row);
        self.log_weights(&self.odds(), |flipped| {
            flipped.into_iter().for_each(|k| given.flip(k));
            given.log_density()
        })
    }

    /// The precision of a column of A given Z, and the means of these columns.
    fn features_given(&self, beta: f64) -> (Precision, Vec<f64>) {
        let sums = self.sums();
        let precision = self.precision(beta, &sums);
        let mut columns = self.columns(&sums.products);
        columns.iter_mut().for_each(|entry| *entry *= beta / self.variances.noise);
        let means = precision.solve(columns);
        (precision, means)
    }

    /// What the variances have to explain, given the features.
    fn squares(&self, beta: f64) -> (Squares, Squares) {
        let dim = self.table.num_cols;
        let error: f64 = self
            .rows()
            .map(|(z, y)| {
                let mut residual = y.to_vec();
                for (on, feature) in z.iter().zip(self.features.chunks_exact(dim)) {
                    axpy(-on, feature, &mut residual);
                }
                square(&residual)
            })
            .sum();
        let count = (self.num_rows() * dim) as f64;
        (
            Squares { count: self.features.len() as f64, sum: square(&self.features) },
            Squares { count: beta * count, sum: beta * error },
        )
    }
}

impl Collapsed for BinaryAttributes {
    fn samples_variances(&self) -> bool {
        self.prior.are_sampled()
    }

    fn scan_rows(&mut self, beta: f64, scan: Scan, rng: &mut ChainRng) {
        self.scan(beta, scan, Choice::Draw(rng));
    }

    fn draw_features(&mut self, beta: f64, rng: &mut ChainRng) {
        let (precision, mut drawn) = self.features_given(beta);
        precision.add_noise(&mut drawn, rng);
        let dim = self.table.num_cols;
        transpose(self.num_attributes, dim, &drawn, &mut self.features);
    }

    fn draw_variances(&mut self, beta: f64, rng: &mut ChainRng) {
        let (signal, noise) = self.squares(beta);
        self.prior.draw(&mut self.variances, &signal, &noise, rng);
    }
}

impl LatentChain for BinaryAttributes {
    fn table(&self) -> &Arc<Table> {
        &self.table
    }

    fn set_table(&mut self, table: Arc<Table>) {
        self.table = table;
    }

    fn num_rows(&self) -> usize {
        self.attributes.len() / self.num_attributes
    }

    fn draw_prior(&mut self, num_rows: usize, rng: &mut ChainRng) {
        self.variances = self.prior.draw_prior(rng);
        let deviation = self.variances.signal.sqrt();
        self.features.fill_with(|| deviation * normal(rng));
        self.attributes.clear();
        let mut counts = vec![0.0; self.num_attributes];
        for row in 0..num_rows {
            for count in &mut counts {
                let is_on = uniform(rng) < sigmoid(self.log_prior_odds(*count, row));
                *count += f64::from(is_on);
                self.attributes.push(f64::from(is_on));
            }
        }
    }

    fn means(&self) -> Vec<f64> {
        let dim = self.table.num_cols;
        let mut means = vec![0.0; self.num_rows() * dim];
        let rows = self.attributes.chunks_exact(self.num_attributes);
        for (z, mean) in rows.zip(means.chunks_exact_mut(dim)) {
            for (on, feature) in z.iter().zip(self.features.chunks_exact(dim)) {
                axpy(*on, feature, mean);
            }
        }
        means
    }

    fn draw_rows(&mut self, rng: &mut ChainRng) -> Vec<f64> {
        if !self.prior.are_sampled() {
            let deviation = self.variances.signal.sqrt();
            self.features.fill_with(|| deviation * normal(rng));
        }
        let deviation = self.variances.noise.sqrt();
        self.means().into_iter().map(|mean| mean + deviation * normal(rng)).collect()
    }

    fn log_prior(&self) -> f64 {
        self.log_prior_of_hidden() + self.prior.log_prior(self.variances)
    }

    fn log_likelihood(&self, beta: f64) -> f64 {
        let Variances { signal, noise } = self.variances;
        let (order, dim) = (self.num_attributes as f64, self.table.num_cols as f64);
        let sums = self.sums();
        let precision = self.precision(beta, &sums);
        let columns = self.columns(&sums.products);
        let explained = dot(&columns, &precision.solve(columns.clone()));
        let count = self.num_rows() as f64 * dim;
        -0.5 * beta * (count * ln(TAU * noise) + self.square_of_rows() / noise)
            - 0.5 * dim * (precision.log_det() + order * ln(signal))
            + 0.5 * beta * beta / (noise * noise) * explained
    }

    fn log_likelihood_slope(&self, beta: f64) -> f64 {
        let noise = self.variances.noise;
        let dim = self.table.num_cols as f64;
        let order = self.num_attributes;
        let sums = self.sums();
        let precision = self.precision(beta, &sums);
        let columns = self.columns(&sums.products);
        let solved = precision.solve(columns.clone());
        let trace = dot(&precision.inverse(), &sums.gram);
        let mut spread = 0.0;
        for column in solved.chunks_exact(order) {
            for (entry, row) in column.iter().zip(sums.gram.chunks_exact(order)) {
                spread += entry * dot(row, column);
            }
        }
        let count = self.num_rows() as f64 * dim;
        -0.5 * (count * ln(TAU * noise) + self.square_of_rows() / noise) - 0.5 * dim * trace / noise
            + beta / (noise * noise) * dot(&columns, &solved)
            - 0.5 * beta * beta / (noise * noise * noise) * spread
    }

    fn sweep(&mut self, beta: f64, scan: Scan, rng: &mut ChainRng) {
        self.sweep_collapsed(beta, scan, rng);
    }

    fn log_predictive(&self) -> f64 {
        log_sum_exp(&self.next_row())
    }

    fn push_row(&mut self, rng: &mut ChainRng) {
        let mut log_weights = self.next_row();
        let bits = draw_index(&mut log_weights, rng);
        let z = (0..self.num_attributes).map(|k| (bits >> k & 1) as f64);
        self.attributes.extend(z);
    }

    fn pop_row(&mut self) {
        self.attributes.truncate(self.attributes.len() - self.num_attributes);
    }

    fn sweep_above(&mut self, floor: Floor, label: f64, rng: &mut ChainRng) {
        let order = self.num_attributes;
        let num_rows = self.num_rows();
        let table = self.table.clone();
        let mut sums = self.sums();
        let mut counts = self.counts();
        let mut log_likelihood = self.log_likelihood(1.0);
        for row in 0..num_rows {
            let mut z = self.attributes[row * order..][..order].to_vec();
            sums.add(&z, table.row(row), -1.0);
            axpy(-1.0, &z, &mut counts);
            let mut given = RowGiven::new(&sums, 1.0, self.variances, &z, table.row(row));
            for k in 0..order {
                let log_odds = self.log_prior_odds(counts[k], num_rows - 1);
                let is_on = uniform(rng) < sigmoid(log_odds);
                if is_on == (z[k] > 0.0) {
                    continue;
                }
                let gain = given.log_density_flipped(k) - given.log_density();
                if floor.admits(log_likelihood + gain, label) {
                    log_likelihood += gain;
                    z[k] = 1.0 - z[k];
                    given.flip(k);
                }
            }
            sums.add(&z, table.row(row), 1.0);
            axpy(1.0, &z, &mut counts);
            self.attributes[row * order..][..order].copy_from_slice(&z);
        }
        let prior = self.prior;
        let mut variances = self.variances;
        let is_allowed = |variances| {
            let moved = Self { variances, ..self.clone() };
            floor.admits(moved.log_likelihood(1.0), label)
        };
        prior.slice_signal(&mut variances, rng, is_allowed);
        prior.slice_noise(&mut variances, rng, is_allowed);
        self.variances = variances;
    }

    fn log_joint(&self) -> f64 {
        if self.prior.are_sampled() {
            self.log_complete_joint()
        } else {
            self.log_prior() + self.log_likelihood(1.0)
        }
    }

    fn log_complete_joint(&self) -> f64 {
        let Variances { signal, noise } = self.variances;
        let (of_features, of_rows) = self.squares(1.0);
        self.log_prior()
            + log_normal(of_features.sum, signal, self.features.len())
            + log_normal(of_rows.sum, noise, self.num_rows() * self.table.num_cols)
    }

    fn chib_step(&mut self, scan: Scan, rng: &mut ChainRng) {
        self.chib_step_collapsed(scan, rng);
    }

    fn log_chib_density(&self, to: &[f64]) -> f64 {
        let mut from = self.clone();
        let mut target = self.clone();
        target.set_state(to);
        let mut log_density = from.scan(1.0, Scan::Forward, Choice::Follow(&target.attributes));
        if self.prior.are_sampled() {
            let (precision, means) = from.features_given(1.0);
            let mut deviations = target.columns(&target.features);
            deviations.iter_mut().zip(&means).for_each(|(entry, mean)| *entry -= mean);
            log_density += precision.log_density(&deviations);
            let (signal, noise) = target.squares(1.0);
            log_density += self.prior.log_density(target.variances, &signal, &noise);
        }
        log_density
    }

    fn state(&self) -> Vec<f64> {
        let Variances { signal, noise } = self.variances;
        [&self.attributes[..], &self.features, &[signal, noise]].concat()
    }

    fn set_state(&mut self, state: &[f64]) {
        let (state, variances) = state.split_at(state.len() - 2);
        let (attributes, features) = state.split_at(state.len() - self.features.len());
        self.attributes = attributes.to_vec();
        self.features = features.to_vec();
        self.variances = Variances { signal: variances[0], noise: variances[1] };
    }

    /// At the means of A and π given the attributes; each row summed over its 2^K attributes.
    fn log_likelihood_of_params(&self) -> f64 {
        let (order, dim) = (self.num_attributes, self.table.num_cols);
        let (_, columns) = self.features_given(1.0);
        let mut features = vec![0.0; columns.len()];
        transpose(order, dim, &columns, &mut features);
        let odds = self.odds();
        let of_row = |y: &[f64]| {
            let mut residual = y.to_vec();
            let mut z = vec![false; order];
            let log_weights = self.log_weights(&odds, |flipped| {
                if let Some(k) = flipped {
                    z[k] = !z[k];
                    let sign = if z[k] { -1.0 } else { 1.0 };
                    axpy(sign, &features[k * dim..][..dim], &mut residual);
                }
                log_normal(square(&residual), self.variances.noise, dim)
            });
            log_sum_exp(&log_weights)
        };
        self.rows().map(|(_, y)| of_row(y)).sum()
    }

    fn complete(&mut self, rng: &mut ChainRng) {
        self.draw_features(1.0, rng);
    }

    fn num_in_use(&self) -> Option<usize> {
        Some(self.counts().iter().filter(|count| **count > 0.0).count())
    }

    fn parts(&self) -> Parts {
        Parts {
            hidden: self.attributes.clone(),
            features: self.features.clone(),
            variances: self.variances,
            column_clusters: None,
        }
    }
}

impl Enumerated for BinaryAttributes {
    fn boxed_clone(&self) -> Box<dyn Enumerated> {
        Box::new(self.clone())
    }

    fn num_choices(&self) -> usize {
        2
    }

    fn set_hidden(&mut self, hidden: &[f64]) {
        self.set_attributes(hidden.to_vec());
    }

    fn set_variances(&mut self, variances: Variances) {
        self.variances = variances;
    }

    fn log_prior_of_hidden(&self) -> f64 {
        let [a, b] = self.prior_counts;
        let num_rows = self.num_rows() as f64;
        let log_beta = |a: f64, b: f64| ln_gamma(a) + ln_gamma(b) - ln_gamma(a + b);
        let of = |count: &f64| log_beta(a + count, b + num_rows - count) - log_beta(a, b);
        self.counts().iter().map(of).sum()
    }

    /// The columns of A have the covariance Λ⁻¹, so that an entry of zA has the variance zᵀΛ⁻¹z.
    fn reconstruction(&self, means: &mut [f64], variances: &mut [f64]) {
        let (order, dim) = (self.num_attributes, self.table.num_cols);
        let (precision, columns) = self.features_given(1.0);
        let covariance = precision.inverse();
        let rows = means.chunks_exact_mut(dim).zip(variances.chunks_exact_mut(dim));
        for (z, (means, variances)) in self.attributes.chunks_exact(order).zip(rows) {
            for (mean, column) in means.iter_mut().zip(columns.chunks_exact(order)) {
                *mean = dot(z, column);
            }
            let products = z.iter().zip(covariance.chunks_exact(order));
            variances.fill(products.map(|(on, row)| on * dot(z, row)).sum());
        }
    }
}
