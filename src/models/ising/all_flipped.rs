//! Minimum probability flow of an Ising model to the state with all bits
//! flipped (Sohl-Dickstein 2012, eq. E.16–E.18).
//!
//! Flipping all spins s = 2x − 1 leaves the products of pairs unchanged, so only the fields matter:
//! with r = J·1, the diagonal included, `½[E(x) − E(1 − x)] = ½ Σ_i r_i s_i` and `K_all = 1/N Σ_x
//! exp(½ rᵀs)`. The gradient in r is `½ Σ_x exp(·) s`; a bias is in one r_i, a coupling in two. A
//! row costs D additions and one exponential instead of D² operations.

use super::{Bonds, Ising};
use crate::bits::{WeightedRows, bit, set_bits};
use crate::energy::Parametric;
use crate::energy::{Objective, shards};
use crate::math::exp;

/// Flow to the state with all bits flipped. A part is `[K | ∂K/∂r (D)]` of the shard's rows, not
/// yet divided by N.
pub(super) struct AllFlipped {
    model: Ising,
    data: WeightedRows,
    /// The row sums r = J·1.
    line_sums: Vec<f64>,
}

impl AllFlipped {
    /// # Panics
    /// If the data have another dimension.
    pub(super) fn new(model: &Ising, data: &WeightedRows) -> Self {
        assert_eq!(model.dim, data.dim());
        let mut objective = Self { model: model.clone(), data: data.clone(), line_sums: vec![] };
        objective.set_params(&model.params);
        objective
    }

    /// The pairs, in the order of their parameters.
    fn for_each_pair(&self, mut each: impl FnMut(usize, usize, usize)) {
        let dim = self.model.dim;
        match &self.model.bonds {
            Bonds::Dense { .. } => {
                let pairs = (0..dim).flat_map(|i| (i + 1..dim).map(move |j| (i, j)));
                pairs.enumerate().for_each(|(index, (i, j))| each(dim + index, i, j));
            }
            Bonds::Sparse { pairs, .. } => {
                pairs.iter().enumerate().for_each(|(index, &[i, j])| each(dim + index, i, j));
            }
        }
    }
}

impl Objective for AllFlipped {
    fn num_params(&self) -> usize {
        self.model.params.len()
    }

    fn set_params(&mut self, params: &[f64]) {
        self.model.set_params(params);
        let mut sums = params[..self.model.dim].to_vec();
        self.for_each_pair(|param, i, j| {
            sums[i] += params[param];
            sums[j] += params[param];
        });
        self.line_sums = sums;
    }

    fn num_shards(&self) -> usize {
        shards::num_shards(self.data.num_distinct())
    }

    fn part(&self, shard: usize) -> Vec<f64> {
        let dim = self.model.dim;
        let mut part = vec![0.0; 1 + dim];
        let all: f64 = self.line_sums.iter().sum();
        for index in shards::rows(self.data.num_distinct(), shard) {
            let row = self.data.rows().row(index);
            let on: f64 = set_bits(row).map(|site| self.line_sums[site]).sum();
            // ½ Σ r s = Σ over set bits of r − ½ Σ r.
            let flow = self.data.weights()[index] * exp(on - 0.5 * all);
            part[0] += flow;
            for (site, grad) in part[1..].iter_mut().enumerate() {
                *grad += if bit(row, site) { 0.5 * flow } else { -0.5 * flow };
            }
        }
        part
    }

    fn combine(&self, parts: &[Vec<f64>], grad: &mut [f64]) -> f64 {
        assert!(parts.len() == self.num_shards() && grad.len() == self.num_params());
        let (biases, couplings) = grad.split_at_mut(self.model.dim);
        let value = shards::combine(parts, 1.0 / self.data.total(), biases);
        self.for_each_pair(|param, i, j| couplings[param - biases.len()] = biases[i] + biases[j]);
        value
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bits::BitMatrix;
    use crate::definition::Definition;
    use crate::energy::FlipLoss;
    use crate::energy::connectivity::ConnectivitySpec;
    use crate::ising::IsingSpec;
    use crate::rng::{Purpose, stream};

    #[test]
    fn equals_its_definition() {
        for spec in IsingSpec::examples() {
            let model = spec.build().unwrap();
            let dim = model.dim;
            let mut rng = stream(1, Purpose::Example, 3);
            let mut rows = BitMatrix::zeros(dim, 400);
            rows.rows_mut().for_each(|row| crate::bits::fill_random(row, dim, &mut rng));
            let data = WeightedRows::from_data(rows.as_batch());
            let sets = vec![(0..dim).collect()];
            let connectivity = ConnectivitySpec::FlipSets { sets }.build(&data, false, 0).unwrap();
            let mut fast = AllFlipped::new(&model, &data);
            let mut slow = Definition::new(&model, data, connectivity, FlipLoss::Flow);
            let mut grads = [vec![0.0; model.params.len()], vec![0.0; model.params.len()]];
            let value = fast.evaluate(&model.params, &mut grads[0]);
            let expected = slow.evaluate(&model.params, &mut grads[1]);
            assert!((value - expected).abs() < 1e-12 * expected, "{value} {expected}");
            for (value, expected_grad) in grads[0].iter().zip(&grads[1]) {
                assert!((value - expected_grad).abs() < 1e-12 * expected);
            }
        }
    }
}
