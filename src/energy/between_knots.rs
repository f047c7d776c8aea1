//! What chains along a path through a model's parameters ask of the model.

use crate::bits::BitBatch;

/// Energies of a binary model between knots of a path through its parameters: in segment j, `θ(t) =
/// (1 − t) θ_j + t θ_{j+1}`, t from 0 to 1. With hidden units that is the geometric average of the
/// joint models of both layers, whose visible marginal again has a simple energy (Salakhutdinov and
/// Murray 2008).
///
/// Some numbers are read once for each state, and give its energy at any t of the segment:
/// annealing needs it at three t for each state. Only one set of parameters per knot is stored, and
/// none is ever set.
pub trait BetweenKnots: Send + Sync {
    /// Number of values that are read for a state.
    fn num_read(&self) -> usize;

    /// Reads states, in one segment: `[rows, num_read]`. What is read for a state does not depend
    /// on the others.
    ///
    /// # Panics
    /// If the shapes do not match.
    fn read(&self, segment: usize, rows: BitBatch<'_>, out: &mut [f64]);

    /// E(x; θ(t)) for a state that has been read, up to a constant that depends on the state and
    /// the segment.
    fn energy(&self, segment: usize, read: &[f64], t: f64) -> f64;

    /// The two layers, if hidden and visible units are independent given each other.
    fn as_sides(&self) -> Option<&dyn SidesBetweenKnots> {
        None
    }

    /// The conditional distributions of sites of several values, if there are such sites and no hidden units.
    fn as_values(&self) -> Option<&dyn ValuesBetweenKnots> {
        None
    }
}

/// Block Gibbs sampling between knots: log odds of all units of one layer, given the other.
pub trait SidesBetweenKnots: BetweenKnots {
    /// Number of hidden units.
    fn num_hidden(&self) -> usize;

    /// Log odds of the hidden units at t, `[num_hidden]`, for a state that has been read.
    ///
    /// # Panics
    /// If the shapes do not match.
    fn hidden_log_odds(&self, segment: usize, read: &[f64], t: f64, out: &mut [f64]);

    /// Log odds of the visible units at t, `[rows, dim]`, given rows of hidden units; of sites of several
    /// values the logarithms of their values' probabilities, up to a constant of the site.
    ///
    /// # Panics
    /// If the shapes do not match.
    fn visible_log_odds(&self, segment: usize, hidden: BitBatch<'_>, t: f64, out: &mut [f64]);
}

/// Gibbs sampling of sites of several values between knots.
pub trait ValuesBetweenKnots: BetweenKnots {
    /// The conditional distributions at t: called with a site, the values of all sites and memory, it
    /// writes there the logarithms of the probabilities of the site's values, up to a constant.
    ///
    /// # Panics
    /// If there is no such segment; when called, if there is no such site.
    fn log_weights(&self, segment: usize, t: f64) -> LogWeights<'_>;
}

/// Log weights of a site's values given those of all sites; see [`ValuesBetweenKnots::log_weights`].
pub type LogWeights<'a> = Box<dyn FnMut(usize, &[u16], &mut Vec<f64>) + 'a>;
