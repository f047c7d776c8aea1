//! The fit of a kernel's parameters: −ln p is minimized by L-BFGS, one evaluation after another. A fit that is far from
//! its target and hardly comes closer is abandoned: most of a search are.

use crate::expression::Kernel;
use crate::marginal_likelihood::evaluate;
use crate::optimize::lbfgs::{Lbfgs, Limits};
use crate::params::{pack, unpack};
use crate::series::Series;
use serde::{Deserialize, Serialize};

/// When a fit ends: differences of BIC below a hundredth decide nothing.
const LIMITS: Limits = Limits { memory: 10, max_iterations: 100, tolerance: 1e-5 };

/// Maximum number of evaluations.
const MAX_EVALUATIONS: usize = 300;

/// A fit is abandoned if what it lacks to its target is more than this many times what its last evaluations gained. With
/// 100, no search of two series and five functions of table 5.1 ended at a higher BIC than without, with less than half
/// of the evaluations; with 40 one did, with 4 two.
const MAX_LACK: f64 = 100.0;

/// Number of these evaluations.
const RECENT: usize = 10;

/// A kernel whose parameters are fitted.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Fitted {
    /// The kernel, normalized.
    pub kernel: Kernel,
    /// ln of the noise's variance above its least.
    pub ln_noise: f64,
    /// −ln p of the scaled values; infinite if there was no evaluation that is finite.
    pub negative: f64,
    /// Number of evaluations.
    pub num_evaluations: usize,
    /// Whether the fit was abandoned: −ln p could be lower, but hardly as low as the target.
    pub abandoned: bool,
}

/// A fit on the way.
#[derive(Debug)]
pub struct Fit {
    kernel: Kernel,
    search: Lbfgs,
    /// −ln p that is wanted.
    target: f64,
    /// −ln p after each evaluation.
    values: Vec<f64>,
}

impl Fit {
    /// A fit from a normalized kernel, of use if −ln p comes below a target; infinity if it is of use anyway.
    pub fn new(series: &Series, kernel: Kernel, ln_noise: f64, target: f64) -> Self {
        let mut point = pack(&kernel, series);
        point.push(ln_noise);
        Self { kernel, search: Lbfgs::new(point, LIMITS), target, values: Vec::new() }
    }

    fn is_hopeless(&self) -> bool {
        let Some(before) = self.values.iter().rev().nth(RECENT) else { return false };
        let value = self.search.value();
        value - self.target > MAX_LACK * (before - value)
    }

    /// One evaluation. Returns the fitted kernel at the end.
    pub fn advance(&mut self, series: &Series) -> Option<Fitted> {
        if self.search.stop().is_none() {
            let (value, gradient) = evaluate(series, &self.kernel, &self.search.ask());
            self.search.tell(value, &gradient);
            self.values.push(self.search.value());
        }
        let num_evaluations = self.search.num_evaluations();
        let abandoned = self.search.stop().is_none() && self.is_hopeless();
        if self.search.stop().is_none() && num_evaluations < MAX_EVALUATIONS && !abandoned {
            return None;
        }
        let value = self.search.value();
        let (noise, own) = self.search.point().split_last().expect("the noise");
        let kernel = unpack(&self.kernel, series, own);
        Some(Fitted {
            negative: if value.is_finite() && kernel.is_some() { value } else { f64::INFINITY },
            kernel: kernel.unwrap_or_else(|| self.kernel.clone()),
            ln_noise: *noise,
            num_evaluations,
            abandoned,
        })
    }

    /// All of it.
    pub fn run(mut self, series: &Series) -> Fitted {
        loop {
            if let Some(fitted) = self.advance(series) {
                return fitted;
            }
        }
    }
}
