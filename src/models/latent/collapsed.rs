//! Sweeps of models whose centres or features are integrated out and drawn only so that the variances can be
//! drawn given them.

use super::Scan;
use crate::rng::ChainRng;

/// The steps of a sweep.
pub trait Collapsed {
    /// Whether the variances are part of the state.
    fn samples_variances(&self) -> bool;
    /// Chooses the hidden variables of each row anew.
    fn scan_rows(&mut self, beta: f64, scan: Scan, rng: &mut ChainRng);
    /// Draws the centres or features given the rest.
    fn draw_features(&mut self, beta: f64, rng: &mut ChainRng);
    /// Draws the variances given the centres or features.
    fn draw_variances(&mut self, beta: f64, rng: &mut ChainRng);

    /// [`super::LatentChain::sweep`]: centres or features are forgotten.
    fn sweep_collapsed(&mut self, beta: f64, scan: Scan, rng: &mut ChainRng) {
        if scan == Scan::Forward {
            self.scan_rows(beta, scan, rng);
        }
        if self.samples_variances() {
            self.draw_features(beta, rng);
            self.draw_variances(beta, rng);
        }
        if scan == Scan::Backward {
            self.scan_rows(beta, scan, rng);
        }
    }

    /// [`super::LatentChain::chib_step`]: centres or features are kept, so that the reversed step begins with
    /// the variances given them.
    fn chib_step_collapsed(&mut self, scan: Scan, rng: &mut ChainRng) {
        if scan == Scan::Forward {
            return self.sweep_collapsed(1.0, scan, rng);
        }
        if self.samples_variances() {
            self.draw_variances(1.0, rng);
        }
        self.scan_rows(1.0, scan, rng);
        if self.samples_variances() {
            self.draw_features(1.0, rng);
        }
    }
}
