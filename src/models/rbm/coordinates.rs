//! Coordinates in which a restricted Boltzmann machine is fitted: **centred**, with its units
//! measured from offsets μ and λ,
//!
//! `E(v, h) = −(v − μ)ᵀβ − (h − λ)ᵀγ − (h − λ)ᵀW(v − μ)`
//!
//! (Melchior, Fischer and Wiskott 2016), which gives the same machines up to a constant: `c = β −
//! Wᵀλ`, `b = γ − Wμ`. A weight then no longer affects the biases of its two units. μ are the
//! data's means and λ = ½, so the map is linear and known before the fit.
//!
//! Layout: `[W | β | γ]`, like that of the parameters.

use super::Rbm;
use crate::bits::{WeightedRows, set_bits};
use crate::energy::coordinates::Coordinates;
use crate::linalg::{axpy, dot};

/// The offset λ of the hidden units.
const HIDDEN_OFFSET: f64 = 0.5;

/// Centred coordinates.
pub(super) struct CentredCoordinates {
    num_hidden: usize,
    /// The offsets μ of the visible units.
    means: Vec<f64>,
}

impl CentredCoordinates {
    pub(super) fn new(model: &Rbm, data: &WeightedRows) -> Self {
        assert_eq!(model.num_visible, data.dim());
        let mut means = vec![0.0; data.dim()];
        for (row, weight) in data.rows().rows().zip(data.weights()) {
            set_bits(row).for_each(|site| means[site] += weight);
        }
        means.iter_mut().for_each(|mean| *mean /= data.total());
        Self { num_hidden: model.num_hidden, means }
    }
}

impl Coordinates for CentredCoordinates {
    fn num_coordinates(&self) -> usize {
        (self.means.len() + 1) * self.num_hidden + self.means.len()
    }

    fn add_to_params(&self, coordinates: &[f64], params: &mut [f64]) {
        axpy(1.0, coordinates, params);
        let dim = self.means.len();
        let (_, biases) = params.split_at_mut(self.num_hidden * dim);
        let (visible, hidden) = biases.split_at_mut(dim);
        for (line, bias) in coordinates.chunks_exact(dim).zip(hidden) {
            axpy(-HIDDEN_OFFSET, line, visible);
            *bias -= dot(line, &self.means);
        }
    }

    fn pull_back(&self, param_grad: &[f64], grad: &mut [f64]) {
        grad.copy_from_slice(param_grad);
        let dim = self.means.len();
        let (weights, biases) = grad.split_at_mut(self.num_hidden * dim);
        let (visible, hidden) = biases.split_at(dim);
        for (line, bias) in weights.chunks_exact_mut(dim).zip(hidden) {
            axpy(-HIDDEN_OFFSET, visible, line);
            axpy(-bias, &self.means, line);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bits::BitMatrix;
    use crate::energy::{Energy, Parametric};
    use crate::linalg::Batch;
    use crate::rbm::RbmSpec;
    use crate::rng::{Purpose, normal, stream};

    fn data(dim: usize) -> WeightedRows {
        let mut rng = stream(12, Purpose::Example, 0);
        let mut rows = BitMatrix::zeros(dim, 40);
        rows.rows_mut().for_each(|row| crate::bits::fill_random(row, dim, &mut rng));
        WeightedRows::from_data(rows.as_batch())
    }

    fn random(count: usize, index: u64) -> Vec<f64> {
        let mut rng = stream(13, Purpose::Example, index);
        (0..count).map(|_| normal(&mut rng)).collect()
    }

    /// ⟨g, Tφ⟩ = ⟨Tᵀg, φ⟩ for random g and φ.
    #[test]
    fn pull_back_is_the_transpose() {
        let model = RbmSpec::random(6, 4, 1.0, 1).build().unwrap();
        let coordinates = CentredCoordinates::new(&model, &data(6));
        let count = coordinates.num_coordinates();
        assert_eq!(count, model.params().len());
        let (phi, gradient) = (random(count, 0), random(count, 1));
        let (mut params, mut pulled) = (vec![0.0; count], vec![0.0; count]);
        coordinates.add_to_params(&phi, &mut params);
        coordinates.pull_back(&gradient, &mut pulled);
        let (left, right) = (dot(&gradient, &params), dot(&pulled, &phi));
        assert!((left - right).abs() < 1e-12 * left.abs().max(1.0), "{left} {right}");
    }

    /// The energy of a visible state, with the units measured from their offsets and the hidden
    /// ones summed out, equals the model's up to a constant.
    #[test]
    fn the_machine_is_the_centred_one() {
        let (dim, num_hidden) = (5, 3);
        let mut model = RbmSpec::random(dim, num_hidden, 1.0, 1).build().unwrap();
        let coordinates = CentredCoordinates::new(&model, &data(dim));
        let phi = random(model.params().len(), 2);
        let mut params = vec![0.0; phi.len()];
        coordinates.add_to_params(&phi, &mut params);
        model.set_params(&params);
        let centred = |state: &[f64]| {
            let v: Vec<f64> = state.iter().zip(&coordinates.means).map(|(v, mu)| v - mu).collect();
            let energies = (0..1 << num_hidden).map(|hidden: usize| {
                let mut energy = -dot(&phi[dim * num_hidden..][..dim], &v);
                for unit in 0..num_hidden {
                    let h = (hidden >> unit & 1) as f64 - HIDDEN_OFFSET;
                    energy -= h * phi[dim * num_hidden + dim + unit];
                    energy -= h * dot(&phi[unit * dim..][..dim], &v);
                }
                -energy
            });
            -crate::math::log_sum_exp(&energies.collect::<Vec<_>>())
        };
        let difference = |state: u32| {
            let state: Vec<f64> = (0..dim).map(|site| f64::from(state >> site & 1)).collect();
            let mut energy = [0.0];
            model.energy(Batch::new(dim, &state), &mut energy);
            energy[0] - centred(&state)
        };
        let constant = difference(0);
        for state in 1..1 << dim {
            assert!((difference(state) - constant).abs() < 1e-12);
        }
    }
}
