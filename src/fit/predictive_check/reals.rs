//! The predictive check of a fitted model on ℝᴰ. Score matching, persistent flow and contrastive
//! divergence compare the model with the rows where the rows are, or where chains started there
//! end. They do not see probability far from all rows. Chains annealed from normal distributions
//! can. The check asks two questions:
//!
//! - Are the rows at least as likely as under independent normal distributions of their means and variances? Where log
//!   Z is not known, the chains' weights bound it from below ([`crate::weights::bounds::lower_by_ranks`]), and with it
//!   the rows' log likelihood from above ([`Marginals::shortfall`]).
//! - Are the model's states as far from the rows' mean as the rows are? Half of the rows are nearer
//!   than their median distance; of the annealed states, by weight, about half should be ([`Marginals::differs`]).

use super::{MIN_ERRORS, MIN_WEIGHT_ESS, mean_and_error, weighted_mean};
use crate::diagnostics::weight_ess;
use crate::energy::Energy;
use crate::linalg::Batch;
use crate::math::ln;
use crate::models::gaussian::GaussianSpec;
use crate::sorting::sort;
use std::f64::consts::PI;

/// Smallest shortfall that is reported, in nats per row.
const MIN_NATS: f64 = 0.1;

/// Smallest reported difference from a half of the share of states nearer than the median row.
const MIN_SHARE: f64 = 0.35;

/// Maximum number of rows whose energies are used.
const MAX_COMPARED: usize = 2048;

/// Independent normal distributions of the coordinates, and rows to compare them on.
#[derive(Debug, Clone)]
pub struct Marginals {
    /// Means, `[dim]`.
    means: Vec<f64>,
    /// Standard deviations, `[dim]`, above 0.
    deviations: Vec<f64>,
    num_rows: usize,
    /// The median of the rows' distances from their mean.
    median_distance: f64,
    /// Rows spread over the data, one after another.
    compared: Vec<f64>,
}

impl Marginals {
    /// The distributions of these rows; none if a coordinate is constant.
    pub fn of(rows: Batch<'_>) -> Option<Self> {
        let (dim, num_rows) = (rows.dim(), rows.len());
        let by_coordinate = |d: usize| rows.data().iter().skip(d).step_by(dim);
        let mean = |d: usize| by_coordinate(d).sum::<f64>() / num_rows as f64;
        let means: Vec<f64> = (0..dim).map(mean).collect();
        let variance = |d: usize| {
            by_coordinate(d).map(|x| (x - means[d]) * (x - means[d])).sum::<f64>() / num_rows as f64
        };
        let deviations: Vec<f64> = (0..dim).map(|d| variance(d).sqrt()).collect();
        if !deviations.iter().all(|deviation| *deviation > 0.0 && deviation.is_finite()) {
            return None;
        }
        let num_compared = num_rows.min(MAX_COMPARED);
        let compared = (0..num_compared).map(|at| at * num_rows / num_compared);
        let compared =
            compared.flat_map(|row| rows.data()[row * dim..][..dim].iter().copied()).collect();
        let mut marginals = Self { means, deviations, num_rows, median_distance: 0.0, compared };
        let mut distances: Vec<f64> =
            rows.data().chunks_exact(dim).map(|row| marginals.distance(row)).collect();
        sort(&mut distances);
        marginals.median_distance = distances[num_rows / 2];
        Some(marginals)
    }

    /// The root mean square distance of a state's coordinates from the rows' means, in the rows' standard deviations.
    ///
    /// # Panics
    /// If the state has another dimension.
    pub fn distance(&self, x: &[f64]) -> f64 {
        let squares =
            x.iter().zip(&self.means).zip(&self.deviations).map(|((x, mean), deviation)| {
                let off = (x - mean) / deviation;
                off * off
            });
        (squares.sum::<f64>() / self.means.len() as f64).sqrt()
    }

    /// The share of a model's states that are nearer to the rows' mean than the median row, if it
    /// certainly differs from a half, and by much. The annealed states are given by their distances
    /// and log weights.
    pub fn differs(&self, distances: &[f64], log_weights: &[f64]) -> Option<f64> {
        let is_near = |distance: &f64| f64::from(u8::from(*distance < self.median_distance));
        let near: Vec<f64> = distances.iter().map(is_near).collect();
        let ess = weight_ess(log_weights);
        let share = weighted_mean(&near, log_weights);
        let error = 0.5 * (1.0 / ess + 1.0 / self.num_rows as f64).sqrt();
        let off = (share - 0.5).abs();
        // A weight that is not a number makes the comparison fail, and nothing is reported.
        (ess >= MIN_WEIGHT_ESS && off > MIN_SHARE && off > MIN_ERRORS * error).then_some(share)
    }

    /// The distribution as a model, with the deviations multiplied by `width`.
    pub fn gaussian(&self, width: f64) -> GaussianSpec {
        let dim = self.means.len();
        let mut covariance = vec![0.0; dim * dim];
        for (d, deviation) in self.deviations.iter().enumerate() {
            covariance[d * dim + d] = (width * deviation) * (width * deviation);
        }
        GaussianSpec {
            dim,
            mean: Some(self.means.clone()),
            precision: None,
            covariance: Some(covariance),
        }
    }

    /// Standard deviations, `[dim]`.
    pub fn deviations(&self) -> &[f64] {
        &self.deviations
    }

    /// By how many nats per row, at least, the data are less likely under a model than under these
    /// distributions, if that is certain and large enough to report; log Z is at least
    /// `least_log_z`.
    ///
    /// # Panics
    /// If the model has another dimension.
    pub fn shortfall(&self, model: &dyn Energy, least_log_z: f64) -> Option<f64> {
        let dim = self.means.len();
        let rows = Batch::new(dim, &self.compared);
        let mut energies = vec![0.0; rows.len()];
        model.energy(rows, &mut energies);
        let room = energies.iter().zip(self.compared.chunks_exact(dim));
        let room: Vec<f64> = room.map(|(energy, x)| -energy - self.log_density(x)).collect();
        let (mean, error) = mean_and_error(&room);
        // On the rows it was fitted to, the distribution does better than on others: by a nat in
        // total for each parameter (Akaike 1974).
        let optimism = 2.0 * dim as f64 / self.num_rows as f64;
        let nats = least_log_z - mean - MIN_ERRORS * error - optimism;
        (nats > MIN_NATS && nats.is_finite()).then_some(nats)
    }

    fn log_density(&self, x: &[f64]) -> f64 {
        let terms =
            x.iter().zip(&self.means).zip(&self.deviations).map(|((x, mean), deviation)| {
                let off = (x - mean) / deviation;
                -0.5 * (off * off + ln(2.0 * PI)) - ln(*deviation)
            });
        terms.sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::energy::Reference;
    use crate::rng::{Purpose, normal, stream};

    fn rows() -> Vec<f64> {
        let mut rng = stream(1, Purpose::Example, 0);
        (0..3000).flat_map(|_| [3.0 + 2.0 * normal(&mut rng), 0.1 * normal(&mut rng)]).collect()
    }

    #[test]
    fn the_distribution_has_the_rows_moments() {
        let data = [1.0, 5.0, 3.0, 5.0, 5.0, 8.0];
        let marginals = Marginals::of(Batch::new(2, &data)).unwrap();
        assert_eq!(marginals.means, [3.0, 6.0]);
        assert_eq!(marginals.deviations, [(8.0_f64 / 3.0).sqrt(), 2.0_f64.sqrt()]);
        let gaussian = marginals.gaussian(1.0).build().unwrap();
        let mut energy = [0.0];
        gaussian.energy(Batch::new(2, &data[..2]), &mut energy);
        let log_density = -energy[0] - gaussian.log_z();
        assert!((marginals.log_density(&data[..2]) - log_density).abs() < 1e-12);
        assert!(Marginals::of(Batch::new(2, &[1.0, 5.0, 2.0, 5.0])).is_none());
    }

    #[test]
    fn states_are_as_far_from_the_mean_as_rows_are_or_it_is_told() {
        let data = rows();
        let marginals = Marginals::of(Batch::new(2, &data)).unwrap();
        // The median of a Rayleigh distribution, divided by √2.
        let median = ln(2.0).sqrt();
        assert!((marginals.median_distance - median).abs() < 0.05);
        assert!((marginals.distance(&[3.0, 0.2]) - 2.0_f64.sqrt()).abs() < 0.1);
        let mut near: Vec<f64> =
            (0..64).map(|n| median + if n % 2 == 0 { 0.1 } else { -0.1 }).collect();
        assert_eq!(marginals.differs(&near, &[3.0; 64]), None);
        assert_eq!(marginals.differs(&[2.0; 64], &[3.0; 64]), Some(0.0));
        assert_eq!(marginals.differs(&[0.1; 64], &[3.0; 64]), Some(1.0));
        // States with almost no weight do not count, and few or no weights give no result.
        near.extend([2.0; 640]);
        let mut log_weights = vec![3.0; 64];
        log_weights.extend([-40.0; 640]);
        assert_eq!(marginals.differs(&near, &log_weights), None);
        assert_eq!(marginals.differs(&[2.0; 8], &[3.0; 8]), None);
        assert_eq!(marginals.differs(&[2.0; 64], &[f64::NAN; 64]), None);
    }

    /// A Gaussian that is far too wide loses `ln s − ½ (1 − s^−2)` nats per coordinate; one with
    /// the rows' own deviations loses nothing.
    #[test]
    fn the_shortfall_is_that_of_the_definition() {
        let data = rows();
        let marginals = Marginals::of(Batch::new(2, &data)).unwrap();
        let own = marginals.gaussian(1.0).build().unwrap();
        assert_eq!(marginals.shortfall(&own, own.log_z()), None);
        let wide = marginals.gaussian(10.0).build().unwrap();
        let nats = marginals.shortfall(&wide, wide.log_z()).unwrap();
        let truth = 2.0 * (ln(10.0) - 0.5 * (1.0 - 0.01));
        // It is less by five standard errors of the mean of 2,048 rows, some 5 · 0.022 nats.
        assert!(nats < truth && nats > truth - 0.2, "{nats}, {truth}");
        assert_eq!(marginals.shortfall(&wide, f64::NAN), None);
    }
}
