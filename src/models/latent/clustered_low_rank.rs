//! Low rank with clustered loadings: `u_ik ~ N(0, 1)`, the columns of V a mixture, rows `y_i ~ N(u_i V, σ²I)`;
//! `G(GMᵀ + G) + G` in Grosse's notation (PhD thesis 2014, section 6.2.1).
//!
//! Column j of V has a cluster `z_j ~` Dirichlet–multinomial, and `v_j ~ N(μ_{z_j}, (1 − ρ) s² I)` about centres
//! `μ_k ~ N(0, ρ s² I)`. A single entry of V is then N(0, s²), as under low rank: the two models differ only in
//! which columns are alike. (The thesis has any covariance in the place of s²I, r for ρ/(1 − ρ), and γ for
//! 1/(1 − ρ).)
//!
//! The centres are integrated out: `ln f_β = ln p(U) p(V | z) p(z) + β ln N(Y; UV, σ²I)` plus the prior of the
//! variances. Given V the columns are a table of clusters. Each sweep ends with a draw of the centres, given which the next
//! one draws V as under low rank.

use super::collapsed::Collapsed;
use super::gaussian::{difference, log_normal, square, square_distance};
use super::low_rank::Loadings;
use super::variances::Squares;
use super::{
    Choice, Clustering, Enumerated, Floor, LatentChain, LowRank, Parts, Scan, Table, Variances,
    VariancesSpec,
};
use crate::rng::ChainRng;
use std::sync::Arc;

/// The chain over both factors, the clusters of the columns and the variances.
#[derive(Clone)]
pub struct ClusteredLowRank {
    low_rank: LowRank,
    /// The clusters of the rows of Vᵀ, `[D, K]`.
    columns: Clustering,
    /// ρ.
    between: f64,
    prior: VariancesSpec,
}

/// ρs² and (1 − ρ)s², the variances of the centres and about them.
pub fn split_variance(signal: f64, between: f64) -> Variances {
    Variances { signal: between * signal, noise: (1.0 - between) * signal }
}

impl ClusteredLowRank {
    /// The chain of a table, with no row given.
    pub fn new(
        num_factors: usize,
        [num_clusters, num_cols]: [usize; 2],
        concentration: f64,
        between: f64,
        prior: VariancesSpec,
        table: Arc<Table>,
    ) -> Self {
        let fixed = VariancesSpec::Fixed { signal: 1.0, noise: 1.0 };
        let loadings = Arc::new(Table::new(num_factors, vec![0.0; num_factors * num_cols]));
        Self {
            low_rank: LowRank::new(num_factors, prior, table),
            columns: Clustering::new(num_clusters, concentration, fixed, loadings),
            between,
            prior,
        }
    }

    fn split(&self) -> Variances {
        split_variance(self.low_rank.variances.signal, self.between)
    }

    /// Tells the clusters of V and its variances, which have changed.
    fn tell_columns(&mut self) {
        let num_factors = self.columns.table().num_cols;
        let loadings = Table::new(num_factors, self.low_rank.loadings.clone());
        self.columns.set_variances(self.split());
        self.columns.set_table(Arc::new(loadings));
    }

    /// The centre of each column's cluster, `[D, K]`.
    fn centres(&self) -> Vec<f64> {
        self.columns.means()
    }

    /// What V is about a priori, given these centres of all columns.
    fn loadings_about<'a>(&self, centres: &'a [f64]) -> Loadings<'a> {
        Loadings { centres: Some(centres), variance: self.split().noise }
    }

    /// The clusters of the columns, as numbers.
    fn clusters(&self) -> Vec<f64> {
        self.columns.clusters.iter().map(|k| *k as f64).collect()
    }

    /// Draws V given U, the clusters and their centres.
    fn draw_loadings(&mut self, beta: f64, rng: &mut ChainRng) {
        let centres = self.centres();
        let prior = self.loadings_about(&centres);
        self.low_rank.draw_loadings(beta, prior, rng);
        self.tell_columns();
    }

    /// What s² has to explain, with the centres integrated out: `Σ_k v_kᵀ (ρZZᵀ + (1 − ρ)I)⁻¹ v_k` over
    /// the rows v_k of V.
    fn squares(&self) -> Squares {
        let [between, within] = [self.between, 1.0 - self.between];
        let loadings = &self.low_rank.loadings;
        let explained = |(count, sum_square): (&usize, &f64)| {
            between * sum_square / (within + *count as f64 * between)
        };
        let sums = self.columns.counts.iter().zip(&self.columns.sum_squares);
        let left = square(loadings) - sums.map(explained).sum::<f64>();
        Squares { count: loadings.len() as f64, sum: left / within }
    }

    /// The squares of all centres, and of V about its own.
    fn square_sums(&self) -> [f64; 2] {
        let about = square_distance(&self.low_rank.loadings, &self.centres());
        [square(&self.columns.centres), about]
    }

    fn draw_variances(&mut self, beta: f64, rng: &mut ChainRng) {
        let [signal, noise] = [self.squares(), self.low_rank.squares_of_noise(beta)];
        self.prior.draw(&mut self.low_rank.variances, &signal, &noise, rng);
        self.columns.set_variances(self.split());
    }
}

impl LatentChain for ClusteredLowRank {
    fn table(&self) -> &Arc<Table> {
        self.low_rank.table()
    }

    fn set_table(&mut self, table: Arc<Table>) {
        self.low_rank.set_table(table);
    }

    fn num_rows(&self) -> usize {
        self.low_rank.num_rows()
    }

    fn draw_prior(&mut self, num_rows: usize, rng: &mut ChainRng) {
        self.low_rank.draw_prior(num_rows, rng);
        let num_cols = self.columns.table().num_rows();
        self.columns.draw_prior(num_cols, rng);
        self.columns.set_variances(self.split());
        self.low_rank.loadings = self.columns.draw_rows(rng);
        self.tell_columns();
    }

    fn means(&self) -> Vec<f64> {
        self.low_rank.means()
    }

    fn draw_rows(&mut self, rng: &mut ChainRng) -> Vec<f64> {
        self.low_rank.draw_rows(rng)
    }

    fn log_prior(&self) -> f64 {
        let factors = &self.low_rank.factors;
        log_normal(square(factors), 1.0, factors.len())
            + self.columns.log_prior_of_hidden()
            + self.columns.log_likelihood(1.0)
            + self.prior.log_prior(self.low_rank.variances)
    }

    fn log_likelihood(&self, beta: f64) -> f64 {
        self.low_rank.log_likelihood(beta)
    }

    fn log_likelihood_slope(&self, beta: f64) -> f64 {
        self.low_rank.log_likelihood_slope(beta)
    }

    fn sweep(&mut self, beta: f64, scan: Scan, rng: &mut ChainRng) {
        if scan == Scan::Forward {
            self.low_rank.draw_factors(beta, rng);
            self.draw_loadings(beta, rng);
            self.columns.scan_rows(1.0, scan, rng);
        }
        self.draw_variances(beta, rng);
        if scan == Scan::Backward {
            self.columns.scan_rows(1.0, scan, rng);
        }
        self.columns.draw_features(1.0, rng);
        if scan == Scan::Backward {
            self.draw_loadings(beta, rng);
            self.low_rank.draw_factors(beta, rng);
        }
    }

    fn log_predictive(&self) -> f64 {
        self.low_rank.log_predictive()
    }

    fn push_row(&mut self, rng: &mut ChainRng) {
        self.low_rank.push_row(rng);
    }

    fn pop_row(&mut self) {
        self.low_rank.pop_row();
    }

    fn sweep_above(&mut self, floor: Floor, label: f64, rng: &mut ChainRng) {
        let centres = self.centres();
        let prior = self.loadings_about(&centres);
        self.low_rank.slice_entries(floor, prior, rng);
        self.tell_columns();
        // The clusters and s² do not change the likelihood.
        self.columns.scan_rows(1.0, Scan::Forward, rng);
        let squares = self.squares();
        self.prior.draw_signal(&mut self.low_rank.variances, &squares, rng);
        self.low_rank.slice_noise(floor, label, rng);
        self.columns.set_variances(self.split());
        self.columns.draw_features(1.0, rng);
    }

    fn log_joint(&self) -> f64 {
        let factors = &self.low_rank.factors;
        let [of_centres, of_columns] = self.square_sums();
        let Variances { signal: between, noise: within } = self.split();
        log_normal(square(factors), 1.0, factors.len())
            + self.columns.log_prior_of_hidden()
            + log_normal(of_centres, between, self.columns.centres.len())
            + log_normal(of_columns, within, self.low_rank.loadings.len())
            + self.prior.log_prior(self.low_rank.variances)
            + self.log_likelihood(1.0)
    }

    fn chib_step(&mut self, scan: Scan, rng: &mut ChainRng) {
        self.sweep(1.0, scan, rng);
    }

    fn log_chib_density(&self, to: &[f64]) -> f64 {
        let mut from = self.clone();
        let mut target = self.clone();
        target.set_state(to);
        let num_factors = self.columns.table().num_cols;

        let rows: Vec<&[f64]> = (0..self.num_rows()).map(|row| self.table().row(row)).collect();
        let (precision, means) = self.low_rank.factors_given(1.0, &rows);
        let mut log_density = precision.log_density(&difference(&target.low_rank.factors, &means));

        from.low_rank.factors = target.low_rank.factors.clone();
        let centres = self.centres();
        let prior = self.loadings_about(&centres);
        let (precision, means) = from.low_rank.loadings_given(1.0, prior);
        log_density += precision.log_density(&difference(&target.low_rank.loadings, &means));

        from.low_rank.loadings = target.low_rank.loadings.clone();
        from.tell_columns();
        let follow = Choice::Follow(&target.columns.clusters);
        log_density += from.columns.scan(1.0, Scan::Forward, follow);
        let [signal, noise] = [target.squares(), target.low_rank.squares_of_noise(1.0)];
        log_density += self.prior.log_density(target.low_rank.variances, &signal, &noise);
        for (k, centre) in target.columns.centres.chunks_exact(num_factors).enumerate() {
            let (mean, variance) = target.columns.centre(1.0, k);
            log_density += log_normal(square_distance(centre, &mean), variance, num_factors);
        }
        log_density
    }

    /// U, Vᵀ, the clusters of the columns, their centres and the variances.
    fn state(&self) -> Vec<f64> {
        let Variances { signal, noise } = self.low_rank.variances;
        [
            &self.low_rank.factors[..],
            &self.low_rank.loadings,
            &self.clusters(),
            &self.columns.centres,
            &[signal, noise],
        ]
        .concat()
    }

    fn set_state(&mut self, state: &[f64]) {
        let (state, variances) = state.split_at(state.len() - 2);
        let (state, centres) = state.split_at(state.len() - self.columns.centres.len());
        let num_cols = self.columns.table().num_rows();
        let (factors, clusters) = state.split_at(state.len() - num_cols);
        self.low_rank.set_state(&[factors, variances].concat());
        self.columns.clusters = clusters.iter().map(|k| *k as usize).collect();
        self.columns.centres.copy_from_slice(centres);
        self.tell_columns();
    }

    fn complete(&mut self, rng: &mut ChainRng) {
        self.columns.draw_features(1.0, rng);
    }

    fn num_in_use(&self) -> Option<usize> {
        self.columns.num_in_use()
    }

    fn parts(&self) -> Parts {
        Parts { column_clusters: Some(self.clusters()), ..self.low_rank.parts() }
    }
}
