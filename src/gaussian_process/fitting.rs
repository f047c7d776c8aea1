//! The fit of a kernel's parameters: −ln p is minimized by L-BFGS, one evaluation after another.

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
}

/// A fit on the way.
#[derive(Debug)]
pub struct Fit {
    kernel: Kernel,
    search: Lbfgs,
}

impl Fit {
    /// A fit from a normalized kernel.
    pub fn new(series: &Series, kernel: Kernel, ln_noise: f64) -> Self {
        let mut point = pack(&kernel, series);
        point.push(ln_noise);
        Self { kernel, search: Lbfgs::new(point, LIMITS) }
    }

    /// One evaluation. Returns the fitted kernel at the end.
    pub fn advance(&mut self, series: &Series) -> Option<Fitted> {
        if self.search.stop().is_none() {
            let (value, gradient) = evaluate(series, &self.kernel, &self.search.ask());
            self.search.tell(value, &gradient);
        }
        let num_evaluations = self.search.num_evaluations();
        if self.search.stop().is_none() && num_evaluations < MAX_EVALUATIONS {
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
