//! Inputs and values in the units in which kernels are fitted: each input from 0 to 1, values with mean 0 and
//! variance 1.

use crate::inputs::Inputs;
use crate::math::{exp, ln};
use crate::sorting::sort;

/// Noise has at least this share of the values' variance, so that covariances are positive definite.
pub const LEAST_NOISE: f64 = 1e-8;

/// A linear map to the units given.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scaling {
    /// What 0 is.
    pub shift: f64,
    /// What 1 is more than 0.
    pub scale: f64,
}

impl Scaling {
    /// A number in the units given.
    pub fn outward(&self, value: f64) -> f64 {
        self.shift + self.scale * value
    }

    /// A number given.
    pub fn inward(&self, value: f64) -> f64 {
        (value - self.shift) / self.scale
    }
}

/// The periods that a kernel of one input may have.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Periods {
    /// ln of the least: three times the mean distance of neighbouring distinct inputs, or kernels could
    /// follow any values by periods close to that distance.
    pub ln_least: f64,
    /// ln of the greatest: half of the range, so that two periods are seen.
    pub ln_greatest: f64,
}

/// N values and their inputs.
#[derive(Debug, Clone)]
pub struct Series {
    /// The inputs, scaled.
    pub inputs: Inputs,
    /// The values, scaled.
    pub values: Vec<f64>,
    /// The units of each input.
    pub input_scaling: Vec<Scaling>,
    /// The units of the values.
    pub value_scaling: Scaling,
    /// The periods of each input.
    pub periods: Vec<Periods>,
}

impl Series {
    /// Scales inputs `[N, numInputs]` and N values.
    ///
    /// # Panics
    /// If the lengths do not fit, or all values are the same.
    pub fn new(num_inputs: usize, inputs: &[f64], values: &[f64]) -> Self {
        let count = values.len();
        assert!(count > 0 && inputs.len() == count * num_inputs);
        let mut rows = inputs.to_vec();
        let (mut input_scaling, mut periods) = (Vec::new(), Vec::new());
        for d in 0..num_inputs {
            let mut column: Vec<f64> = inputs.iter().skip(d).step_by(num_inputs).copied().collect();
            sort(&mut column);
            column.dedup();
            let range = column[column.len() - 1] - column[0];
            let scaling =
                Scaling { shift: column[0], scale: if range > 0.0 { range } else { 1.0 } };
            rows.iter_mut().skip(d).step_by(num_inputs).for_each(|x| *x = scaling.inward(*x));
            input_scaling.push(scaling);
            let least = (3.0 / (column.len().max(2) - 1) as f64).min(0.4);
            periods.push(Periods { ln_least: ln(least), ln_greatest: ln(0.5) });
        }
        let mean = values.iter().sum::<f64>() / count as f64;
        let variance = values.iter().map(|y| (y - mean) * (y - mean)).sum::<f64>() / count as f64;
        assert!(variance > 0.0, "the values are all the same");
        let value_scaling = Scaling { shift: mean, scale: variance.sqrt() };
        let values = values.iter().map(|y| value_scaling.inward(*y)).collect();
        let inputs = Inputs::new(num_inputs, rows);
        Self { inputs, values, input_scaling, value_scaling, periods }
    }

    /// Rows of inputs given, `[M, numInputs]`, in the units of the fit.
    pub fn scaled_rows(&self, rows: &[f64]) -> Vec<f64> {
        let scalings = self.input_scaling.iter().cycle();
        rows.iter().zip(scalings).map(|(x, scaling)| scaling.inward(*x)).collect()
    }

    /// ln p of the values given, from −ln p of the scaled ones.
    pub fn log_evidence(&self, negative: f64) -> f64 {
        -negative - self.values.len() as f64 * ln(self.value_scaling.scale)
    }

    /// −ln p of the scaled values, from ln p of those given.
    pub fn negative(&self, log_evidence: f64) -> f64 {
        -log_evidence - self.values.len() as f64 * ln(self.value_scaling.scale)
    }

    /// A variance in the units given.
    pub fn variance(&self, scaled: f64) -> f64 {
        self.value_scaling.scale * self.value_scaling.scale * scaled
    }
}

/// The noise's variance of its parameter.
pub fn noise_variance(parameter: f64) -> f64 {
    LEAST_NOISE + exp(parameter)
}
