//! Coordinates in which moments are matched: units are measured in standard deviations from their
//! means, `z_a = (x_a − μ_a) / σ_a`,
//!
//! `E = Σ_a φ_a z_a + Σ_{ab} φ_ab z_a z_b`,
//!
//! which gives the same models up to a constant, with μ the means to be matched and `σ_a² = μ_a (1
//! − μ_a)`. If the units were independent, the statistics z_a and z_a z_b would have unit variances
//! and no covariances, and the Fisher information would be the identity.
//!
//! The layout is that of the parameters.

use crate::energy::Statistics;
use crate::energy::coordinates::Coordinates;

/// Lower limit on variances: samples say little about units that are hardly ever on, or off.
const VARIANCE_FLOOR: f64 = 0.01;

/// Standardized coordinates of a model's parameters.
#[derive(Debug, Clone)]
pub struct Standardized {
    statistics: Statistics,
    /// The mean μ of each unit; the next field is 1/σ.
    means: Vec<f64>,
    precisions: Vec<f64>,
    /// Index of each unit's bias.
    biases: Vec<usize>,
}

impl Standardized {
    /// Coordinates for models with these means, visible units first.
    ///
    /// # Panics
    /// If the number of means is not that of units.
    pub fn new(statistics: Statistics, means: Vec<f64>) -> Self {
        assert_eq!(means.len(), statistics.num_units());
        let precision = |mean: &f64| 1.0 / (mean * (1.0 - mean)).max(VARIANCE_FLOOR).sqrt();
        let precisions = means.iter().map(precision).collect();
        let mut biases = vec![0; means.len()];
        for (param, term) in statistics.terms.iter().enumerate() {
            if term.is_unit() {
                biases[term.at()[0]] = param;
            }
        }
        Self { statistics, means, precisions, biases }
    }
}

impl Coordinates for Standardized {
    fn num_coordinates(&self) -> usize {
        self.statistics.terms.len()
    }

    fn add_to_params(&self, coordinates: &[f64], params: &mut [f64]) {
        assert!(coordinates.len() == params.len() && params.len() == self.num_coordinates());
        // The contribution of the pairs to the natural parameter of each unit.
        let mut fields = vec![0.0; self.means.len()];
        for ((term, phi), param) in self.statistics.terms.iter().zip(coordinates).zip(&mut *params)
        {
            let [a, b] = term.at();
            if a == b {
                *param += phi * self.precisions[a] / term.scale;
            } else {
                let change = phi * self.precisions[a] * self.precisions[b];
                *param += change / term.scale;
                fields[a] -= change * self.means[b];
                fields[b] -= change * self.means[a];
            }
        }
        for (bias, field) in self.biases.iter().zip(fields) {
            params[*bias] += field / self.statistics.terms[*bias].scale;
        }
    }

    fn pull_back(&self, param_grad: &[f64], grad: &mut [f64]) {
        assert!(param_grad.len() == grad.len() && grad.len() == self.num_coordinates());
        let of_unit = |unit: usize| {
            let bias = self.biases[unit];
            param_grad[bias] / self.statistics.terms[bias].scale
        };
        let units: Vec<f64> = (0..self.means.len()).map(of_unit).collect();
        for ((term, param_grad), grad) in self.statistics.terms.iter().zip(param_grad).zip(grad) {
            let [a, b] = term.at();
            *grad = if a == b {
                units[a] * self.precisions[a]
            } else {
                let centred =
                    param_grad / term.scale - self.means[b] * units[a] - self.means[a] * units[b];
                centred * self.precisions[a] * self.precisions[b]
            };
        }
    }
}
