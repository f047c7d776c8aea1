//! Energies between knots of a path: those of both parts, one after the other.

use super::SemiRestricted;
use crate::bits::BitBatch;
use crate::energy::BetweenKnots;
use crate::ising::IsingBetweenKnots;
use crate::rbm::RbmBetweenKnots;

/// Energies of a semi-restricted machine between knots.
pub(super) struct SemiRestrictedBetweenKnots {
    visible: IsingBetweenKnots,
    hidden: RbmBetweenKnots,
}

impl SemiRestrictedBetweenKnots {
    /// The energies of a model like this one, between knots of its parameters.
    ///
    /// # Panics
    /// If a knot and the model differ in the number of parameters.
    pub(super) fn new(model: &SemiRestricted, knots: &[&[f64]]) -> Self {
        let (couplings, rest): (Vec<_>, Vec<_>) =
            knots.iter().map(|knot| knot.split_at(model.num_couplings())).unzip();
        let rest: Vec<_> = rest.into_iter().map(|params| model.with_visible_bias(params)).collect();
        let rest: Vec<_> = rest.iter().map(Vec::as_slice).collect();
        Self {
            visible: IsingBetweenKnots::new(&model.visible, &couplings),
            hidden: RbmBetweenKnots::new(&model.hidden, &rest),
        }
    }
}

impl BetweenKnots for SemiRestrictedBetweenKnots {
    fn num_read(&self) -> usize {
        1 + self.hidden.num_read()
    }

    fn read(&self, segment: usize, rows: BitBatch<'_>, out: &mut [f64]) {
        assert_eq!(out.len(), rows.len() * self.num_read());
        for (index, out) in out.chunks_exact_mut(self.num_read()).enumerate() {
            let row = rows.slice(index..index + 1);
            let (visible, hidden) = out.split_at_mut(1);
            self.visible.read(segment, row, visible);
            self.hidden.read(segment, row, hidden);
        }
    }

    fn energy(&self, segment: usize, read: &[f64], t: f64) -> f64 {
        let (visible, hidden) = read.split_at(1);
        self.visible.energy(segment, visible, t) + self.hidden.energy(segment, hidden, t)
    }
}
