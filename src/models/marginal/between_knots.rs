//! Energies between knots of a path: those of the joint states are linear in the parameters, so
//! `E(v; θ(t)) = −ln Σ_h exp(−(1 − t) E(v, h; θ_from) − t E(v, h; θ_to))`. Both are read, for each h.

use super::Marginal;
use crate::bits::BitBatch;
use crate::energy::{BetweenKnots, Energy, Parametric};
use crate::linalg::Batch;
use crate::math::log_sum_exp;

/// Energies of a model with sites summed out, between knots.
pub(super) struct MarginalBetweenKnots {
    /// The model at each knot.
    knots: Vec<Marginal>,
}

impl MarginalBetweenKnots {
    /// # Panics
    /// If a knot and the model differ in the number of parameters.
    pub(super) fn new(model: &Marginal, knots: &[&[f64]]) -> Self {
        let at = |knot: &&[f64]| {
            let mut model = model.clone();
            model.set_params(knot);
            model
        };
        Self { knots: knots.iter().map(at).collect() }
    }
}

impl BetweenKnots for MarginalBetweenKnots {
    fn num_read(&self) -> usize {
        2 << self.knots[0].num_hidden
    }

    fn read(&self, segment: usize, rows: BitBatch<'_>, out: &mut [f64]) {
        assert_eq!(out.len(), rows.len() * self.num_read());
        let num_states = self.num_read() / 2;
        for (row, out) in rows.rows().zip(out.chunks_exact_mut(self.num_read())) {
            let ends = self.knots[segment..segment + 2].iter();
            for (model, out) in ends.zip(out.chunks_exact_mut(num_states)) {
                let joint = model.joint_row(row);
                let dim = model.joint.dim();
                let mut energy = [0.0];
                let values = BitBatch::new(dim, &joint).to_values();
                model.joint.energy(Batch::new(dim, &values), &mut energy);
                let logs = model.log_weights(&joint);
                out.iter_mut().zip(logs).for_each(|(out, log)| *out = energy[0] - log);
            }
        }
    }

    fn energy(&self, _segment: usize, read: &[f64], t: f64) -> f64 {
        let (from, to) = read.split_at(read.len() / 2);
        let logs: Vec<f64> =
            from.iter().zip(to).map(|(from, to)| -((1.0 - t) * from + t * to)).collect();
        -log_sum_exp(&logs)
    }
}
