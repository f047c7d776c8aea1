//! Energies and gradients of packed rows, with as many additions as there are ones in the rows, and
//! no multiplications by zeros.
//!
//! The gradient at a row v is an outer product of −q, q_j = σ(a_j), and v: `∂E/∂W = −q vᵀ`,
//! `∂E/∂c = −v`, `∂E/∂b = −q`. As c follows W among the parameters, its gradient is one more line
//! of the matrix, that of a unit which is always on.
//!
//! Each sum runs in the order of the plain form, so both give the same bits: a product with a state
//! is summed in the eight lanes of [`dot`](crate::linalg::dot), which zeros do not change.

use super::outer::add_outer;
use super::{LANES, Rbm};
use crate::bits::{BitBatch, set_bits};
use crate::energy::OuterGradient;
use crate::linalg::Lanes;
use crate::math::softplus_lanes;

impl Rbm {
    /// The visible field cᵀv, in the lanes of `dot`.
    fn visible_field(&self, row: &[u64]) -> f64 {
        let mut lanes = [0.0; LANES];
        for site in set_bits(row) {
            lanes[site % LANES] += self.visible_bias()[site];
        }
        ((lanes[0] + lanes[1]) + (lanes[2] + lanes[3]))
            + ((lanes[4] + lanes[5]) + (lanes[6] + lanes[7]))
    }
}

impl OuterGradient for Rbm {
    /// The hidden units, and the one that is always on.
    fn num_factors(&self) -> usize {
        self.num_hidden + 1
    }

    fn write_factors(&self, rows: BitBatch<'_>, weight: f64, factors: &mut [f64]) -> f64 {
        let num_factors = self.num_factors();
        assert!(rows.dim() == self.num_visible && factors.len() == rows.len() * num_factors);
        // Σ_j softplus(a_j) of each row.
        let mut free = vec![0.0; rows.len()];
        self.layer_tiles().by_visible.sum_in_lanes(rows, |row, units, products| {
            let biases = self.hidden_bias()[units.clone()].chunks(LANES);
            let factors = factors[row * num_factors..][units].chunks_mut(LANES);
            for ((products, biases), factors) in products.chunks(LANES).zip(biases).zip(factors) {
                let mut activations = Lanes::ZERO;
                for (at, (product, bias)) in products.iter().zip(biases).enumerate() {
                    activations.0[at] = product + bias;
                }
                let (energies, on) = softplus_lanes(&activations);
                energies.0[..products.len()].iter().for_each(|energy| free[row] += energy);
                factors.iter_mut().zip(on.0).for_each(|(factor, on)| *factor = -weight * on);
            }
        });
        factors.chunks_exact_mut(num_factors).for_each(|line| line[self.num_hidden] = -weight);
        rows.rows().zip(free).map(|(row, free)| -self.visible_field(row) - free).sum()
    }

    fn add_products(&self, groups: &[(BitBatch<'_>, &[f64])], grad: &mut [f64]) {
        let (matrix, hidden) = grad.split_at_mut((self.num_hidden + 1) * self.num_visible);
        assert_eq!(hidden.len(), self.num_hidden);
        add_outer(self.num_factors(), groups, matrix, hidden);
    }
}

#[cfg(test)]
mod tests {
    use crate::bits::BitMatrix;
    use crate::energy::{Energy, Parametric};
    use crate::linalg::Batch;
    use crate::rbm::RbmSpec;
    use crate::rng::{Purpose, stream};

    /// Equal to the last bit, also when added to a part that is not zero.
    #[test]
    fn rows_add_up_as_in_the_plain_form() {
        for (visible, hidden) in [(1, 1), (9, 8), (67, 13), (130, 5)] {
            let model = RbmSpec::random(visible, hidden, 0.7, 3).build().unwrap();
            let mut rng = stream(4, Purpose::Example, visible as u64);
            let mut rows = BitMatrix::zeros(visible, 21);
            rows.rows_mut().for_each(|row| crate::bits::fill_random(row, visible, &mut rng));
            let mut fast: Vec<f64> =
                (0..1 + model.params().len()).map(|at| (at % 7) as f64 / 3.0).collect();
            let mut plain = fast.clone();
            let states = rows.as_batch().to_values();
            for weight in [0.3, -0.7] {
                model.accumulate_rows(rows.as_batch(), weight, &mut fast);
                let mut energies = vec![0.0; 21];
                model.energy(Batch::new(visible, &states), &mut energies);
                plain[0] += weight * energies.iter().sum::<f64>();
                let batch = Batch::new(visible, &states);
                model.accumulate_param_grad(batch, &[weight; 21], &mut plain[1..]);
            }
            assert_eq!(fast, plain, "{visible} × {hidden}");
        }
    }
}
