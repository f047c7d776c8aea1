//! Energies and gradients of packed rows, as contrastive divergence sums them: with as many
//! additions as there are ones in the rows, and no multiplications by zeros.
//!
//! Each sum runs in the order of the plain form, so both give the same bits: a product with a state
//! is summed in the eight lanes of [`dot`](crate::linalg::dot), which zeros do not change.

use super::Rbm;
use crate::bits::{BitBatch, set_bits};
use crate::linalg::{Lanes, axpy};
use crate::math::{sigmoid_lanes, softplus};

/// Number of lanes of `dot`.
const NUM_LANES: usize = 8;

/// Wv by unit, one array for each lane of `dot`.
struct LaneSums {
    lanes: [Vec<f64>; NUM_LANES],
}

impl LaneSums {
    fn new(width: usize) -> Self {
        Self { lanes: std::array::from_fn(|_| vec![0.0; width]) }
    }

    /// The product Wv, padded.
    fn product(&mut self, model: &Rbm, row: &[u64], out: &mut [f64]) {
        self.lanes.iter_mut().for_each(|lane| lane.fill(0.0));
        for site in set_bits(row) {
            axpy(1.0, model.column(site), &mut self.lanes[site % NUM_LANES]);
        }
        for (unit, out) in out.iter_mut().enumerate() {
            let [a, b, c, d, e, f, g, h] =
                [0, 1, 2, 3, 4, 5, 6, 7].map(|lane| self.lanes[lane][unit]);
            *out = ((a + b) + (c + d)) + ((e + f) + (g + h));
        }
    }
}

impl Rbm {
    /// The visible field cᵀv.
    fn visible_field(&self, row: &[u64]) -> f64 {
        let mut lanes = [0.0; NUM_LANES];
        for site in set_bits(row) {
            lanes[site % NUM_LANES] += self.visible_bias()[site];
        }
        ((lanes[0] + lanes[1]) + (lanes[2] + lanes[3]))
            + ((lanes[4] + lanes[5]) + (lanes[6] + lanes[7]))
    }

    /// `part += weight Σ_x [E(x) | ∂E(x)/∂θ]`; see the module documentation.
    ///
    /// # Panics
    /// If the shapes do not match.
    pub(super) fn accumulate_packed(&self, rows: BitBatch<'_>, weight: f64, part: &mut [f64]) {
        assert!(rows.dim() == self.num_visible && part.len() == 1 + self.params.len());
        let (dim, width) = (self.num_visible, self.width);
        let (value, grad) = part.split_at_mut(1);
        let (weight_grad, bias_grad) = grad.split_at_mut(self.num_hidden * dim);
        let (visible_grad, hidden_grad) = bias_grad.split_at_mut(dim);
        // By columns, in the order of the ones in a row.
        let mut columns = vec![0.0; dim * width];
        for (unit, line) in weight_grad.chunks_exact(dim).enumerate() {
            line.iter().enumerate().for_each(|(site, grad)| columns[site * width + unit] = *grad);
        }
        let mut sums = LaneSums::new(width);
        let mut activations = vec![0.0; width];
        let mut on = vec![0.0; width];
        let mut energies = Vec::with_capacity(rows.len());
        for row in rows.rows() {
            sums.product(self, row, &mut activations);
            for (activation, bias) in activations.iter_mut().zip(&self.padded_bias) {
                *activation += bias;
            }
            let free: f64 = activations[..self.num_hidden].iter().map(|a| softplus(*a)).sum();
            energies.push(-self.visible_field(row) - free);
            for (on, activations) in on.as_chunks_mut().0.iter_mut().zip(activations.as_chunks().0)
            {
                *on = sigmoid_lanes(&Lanes(*activations)).0.map(|on| -weight * on);
            }
            axpy(1.0, &on[..self.num_hidden], hidden_grad);
            for site in set_bits(row) {
                visible_grad[site] -= weight;
                axpy(1.0, &on, &mut columns[site * width..(site + 1) * width]);
            }
        }
        value[0] += weight * energies.iter().sum::<f64>();
        for (unit, line) in weight_grad.chunks_exact_mut(dim).enumerate() {
            line.iter_mut()
                .enumerate()
                .for_each(|(site, grad)| *grad = columns[site * width + unit]);
        }
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
                model.accumulate_packed(rows.as_batch(), weight, &mut fast);
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
