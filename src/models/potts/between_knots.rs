//! Energies and conditional distributions between knots of a path. Both are linear in the parameters:
//! `E(x; θ(t)) = E_from(x) + t (E_to − E_from)(x)`, of which the difference is read, and the log weights
//! of a site's values at t are the mixture of those at the two ends.
//!
//! A knot without couplings, like the first one of most paths, has no tables to look them up in.

use super::{Conditionals, Potts, Scratch};
use crate::bits::BitBatch;
use crate::energy::{BetweenKnots, LogWeights, ValuesBetweenKnots};

/// Energies of a Potts model between knots.
pub(super) struct PottsBetweenKnots {
    /// The model at each knot.
    knots: Vec<(Potts, Conditionals)>,
}

impl PottsBetweenKnots {
    /// The energies of a model like this one, between knots of its parameters.
    ///
    /// # Panics
    /// If a knot and the model differ in the number of parameters.
    pub(super) fn new(model: &Potts, knots: &[&[f64]]) -> Self {
        let knot = |params: &&[f64]| {
            assert_eq!(params.len(), model.params.len());
            let (fields, couplings) = params.split_at(model.sites.dim());
            let (pairs, params) = match couplings.iter().all(|coupling| *coupling == 0.0) {
                true => (Vec::new(), fields.to_vec()),
                false => (model.pairs.clone(), params.to_vec()),
            };
            let model = Potts { pairs, params, ..model.clone() };
            let conditionals = Conditionals::new(&model);
            (model, conditionals)
        };
        Self { knots: knots.iter().map(knot).collect() }
    }
}

impl BetweenKnots for PottsBetweenKnots {
    fn num_read(&self) -> usize {
        1
    }

    fn read(&self, segment: usize, rows: BitBatch<'_>, out: &mut [f64]) {
        assert_eq!(out.len(), rows.len());
        let ends = &self.knots[segment..segment + 2];
        for (row, out) in rows.rows().zip(out) {
            let values = ends[0].0.sites.values(row);
            let [from, to] = [0, 1].map(|end| ends[end].0.energy_of(&values));
            *out = to - from;
        }
    }

    fn energy(&self, _segment: usize, read: &[f64], t: f64) -> f64 {
        t * read[0]
    }

    fn as_values(&self) -> Option<&dyn ValuesBetweenKnots> {
        Some(self)
    }
}

impl ValuesBetweenKnots for PottsBetweenKnots {
    fn log_weights(&self, segment: usize, t: f64) -> LogWeights<'_> {
        let [from, to] = [0, 1].map(|end| &self.knots[segment + end].1);
        let mut scratch = Scratch::default();
        Box::new(move |site, values, out| {
            let at_from = from.log_weights_of(site, values, &mut scratch);
            out.clear();
            out.extend(at_from.iter().map(|from| (1.0 - t) * from));
            let at_to = to.log_weights_of(site, values, &mut scratch);
            out.iter_mut().zip(at_to).for_each(|(out, to)| *out += t * *to);
        })
    }
}
