//! Energy by a neural network, x ∈ ℝᴰ, plus a quadratic term that keeps Z finite:
//!
//! `E(x) = |x|² / 2s² + w·a_n`, `a_l = softplus(W_l a_{l−1} + b_l)`, `a_0 = x`
//!
//! (Risteski 2021, "continuous-space energy-based models"). As softplus grows no faster than its
//! argument, the quadratic term dominates for large |x|: Z is finite for all parameters. No closed
//! form of log Z is known. Softplus gives the energy all derivatives.
//!
//! Parameters: layer after layer W_l, row-major `[H_l, H_{l−1}]`, and b_l `[H_l]`; then w `[H_n]`;
//! then ln s, which keeps s positive.

mod gradients;

use super::filters::Filters;
use super::softplus::softplus_line;
use super::{Model, ModelSpec, capabilities};
use crate::checks::check_positive;
use crate::checks::{append, check_count};
use crate::energy::{Differentiable, Energy};
use crate::linalg::{Batch, Block, dot, with_scratch};
use crate::math::{exp, ln, softplus};
use crate::{Error, Result};
use unnorm_wire::spec;

/// Maximum dimension D, and maximum number of units per layer.
pub const MAX_UNITS: usize = 4096;

/// Maximum number of layers.
pub const MAX_LAYERS: usize = 4;

/// Maximum number of weights of all layers together.
pub const MAX_WEIGHTS: usize = 1 << 22;

/// The spec of the neural energy.
#[spec]
pub struct NeuralSpec {
    /// Number of dimensions D.
    pub dim: usize,
    /// Number of units of each layer, starting with the one that takes x: one to four layers.
    pub num_hidden: Vec<usize>,
    /// All W, layer after layer, each row-major `[its units, units below]`; all zero if absent. A
    /// fit that starts from zeros must add noise to them, by `init: { kind: 'normal' }`.
    pub weights: Option<Vec<f64>>,
    /// All b, layer after layer; all zero if absent.
    pub biases: Option<Vec<f64>>,
    /// w, one entry per unit of the last layer; all zero if absent.
    pub output: Option<Vec<f64>>,
    /// s, the scale of the quadratic term, greater than 0; 1 if absent.
    #[serde(default = "one")]
    pub scale: f64,
}

fn one() -> f64 {
    1.0
}

/// A layer of units.
#[derive(Debug, Clone)]
struct Layer {
    weights: Filters,
    bias: Vec<f64>,
}

/// The neural energy; see the module documentation.
#[derive(Debug, Clone)]
pub struct Neural {
    params: Vec<f64>,
    layers: Vec<Layer>,
    scale: f64,
}

impl NeuralSpec {
    /// Checks the spec and builds the model.
    ///
    /// # Errors
    /// [`Error::InvalidSpec`] or [`Error::TooLarge`], naming the field.
    pub fn build(&self) -> Result<Neural> {
        check_count("model.dim", self.dim, 1, MAX_UNITS, "dimensions")?;
        check_count("model.numHidden", self.num_hidden.len(), 1, MAX_LAYERS, "layers")?;
        for (l, &count) in self.num_hidden.iter().enumerate() {
            check_count(&format!("model.numHidden[{l}]"), count, 1, MAX_UNITS, "units")?;
        }
        check_positive("model.scale", self.scale)?;
        let below = || std::iter::once(&self.dim).chain(&self.num_hidden);
        let sizes: Vec<(usize, usize)> =
            self.num_hidden.iter().copied().zip(below().copied()).collect();
        let num_weights: usize = sizes.iter().map(|(units, below)| units * below).sum();
        if num_weights > MAX_WEIGHTS {
            let problem = format!(
                "make {num_weights} weights, and the limit is {MAX_WEIGHTS}; use fewer units"
            );
            return Err(Error::TooLarge { field: "model.numHidden".into(), problem });
        }
        let [mut weights, mut biases, mut output] = [(); 3].map(|()| Vec::new());
        let last = sizes[sizes.len() - 1].0;
        append("model.weights", &self.weights, num_weights, 0.0, &mut weights)?;
        let num_units = self.num_hidden.iter().sum();
        append("model.biases", &self.biases, num_units, 0.0, &mut biases)?;
        append("model.output", &self.output, last, 0.0, &mut output)?;
        let mut params = Vec::with_capacity(num_weights + num_units + last + 1);
        let mut layers = Vec::new();
        let (mut weights, mut biases) = (&weights[..], &biases[..]);
        for (units, below) in sizes {
            let (rows, more) = weights.split_at(units * below);
            let (bias, others) = biases.split_at(units);
            (weights, biases) = (more, others);
            params.extend_from_slice(rows);
            params.extend_from_slice(bias);
            layers.push(Layer { weights: Filters::new(below, rows), bias: bias.to_vec() });
        }
        params.extend(output);
        params.push(ln(self.scale));
        Ok(Neural { params, layers, scale: self.scale })
    }

    /// Small models for the laws, of one, two and three layers.
    pub fn examples() -> Vec<Self> {
        let numbers = |count: usize, factor: usize| {
            Some((0..count).map(|at| ((at + 1) * factor % 13) as f64 / 6.0 - 1.0).collect())
        };
        let make = |dim, num_hidden: &[usize], num_weights, num_units, scale| Self {
            dim,
            num_hidden: num_hidden.to_vec(),
            weights: numbers(num_weights, 5),
            biases: numbers(num_units, 7),
            output: numbers(num_hidden[num_hidden.len() - 1], 4),
            scale,
        };
        vec![
            make(1, &[3], 3, 3, 1.0),
            make(2, &[4], 8, 4, 1.5),
            make(3, &[4, 2], 20, 6, 0.8),
            make(2, &[2, 3, 2], 16, 7, 2.0),
        ]
    }
}

impl Neural {
    /// Number of units of all layers.
    fn num_units(&self) -> usize {
        self.layers.iter().map(|layer| layer.bias.len()).sum()
    }

    /// The output weights w.
    fn output(&self) -> &[f64] {
        let last = self.layers[self.layers.len() - 1].bias.len();
        &self.params[self.params.len() - 1 - last..self.params.len() - 1]
    }

    /// The units' activities a and slopes, layer after layer, `[units, width]`.
    fn forward(&self, x: Block<'_>, room: &mut [f64], values: &mut [f64], slopes: &mut [f64]) {
        let width = x.width();
        let mut start = 0;
        for layer in &self.layers {
            let below = layer.weights.dim();
            let (before, values) = values.split_at_mut(start);
            let input = if start == 0 { x.data() } else { &before[start - below * width..] };
            let len = layer.bias.len() * width;
            let slopes = &mut slopes[start..start + len];
            layer.weights.respond_all(Block::new(below, input), slopes);
            let lines = slopes.chunks_exact_mut(width).zip(values.chunks_exact_mut(width));
            for ((u, a), bias) in lines.zip(&layer.bias) {
                u.iter_mut().for_each(|u| *u += bias);
                softplus_line(u, room, a);
            }
            start += len;
        }
    }

    /// Replaces slopes by the derivatives of w·a_n in the units' inputs, from the top layer down.
    fn backward(&self, width: usize, room: &mut [f64], slopes: &mut [f64]) {
        let mut start = slopes.len();
        let mut above: Option<&Layer> = None;
        for layer in self.layers.iter().rev() {
            let len = layer.bias.len() * width;
            let (before, after) = slopes.split_at_mut(start);
            let own = &mut before[start - len..];
            match above {
                None => {
                    for (line, w) in own.chunks_exact_mut(width).zip(self.output()) {
                        line.iter_mut().for_each(|slope| *slope *= w);
                    }
                }
                Some(above) => {
                    let back = &mut room[..len];
                    above.weights.pull_back(&after[..above.bias.len() * width], back);
                    own.iter_mut().zip(back).for_each(|(slope, back)| *slope *= *back);
                }
            }
            start -= len;
            above = Some(layer);
        }
    }

    /// Number of units of the largest layer.
    fn largest_layer(&self) -> usize {
        self.layers.iter().map(|layer| layer.bias.len()).max().expect("there is a layer")
    }
}

impl Energy for Neural {
    fn dim(&self) -> usize {
        self.layers[0].weights.dim()
    }

    fn energy(&self, x: Batch<'_>, out: &mut [f64]) {
        assert!(x.dim() == self.dim() && x.len() == out.len());
        for (state, out) in x.states().zip(out) {
            let mut values = state.to_vec();
            for layer in &self.layers {
                let arguments = layer.weights.respond(&values).zip(&layer.bias);
                values = arguments.map(|(u, bias)| softplus(u + bias)).collect();
            }
            let square = dot(state, state) / (2.0 * self.scale * self.scale);
            *out = square + dot(&values, self.output());
        }
    }
}

impl Differentiable for Neural {
    fn energy_grad(&self, x: Block<'_>, energy: &mut [f64], grad: &mut [f64]) {
        let (width, dim) = (x.width(), self.dim());
        assert!(x.dim() == dim && energy.len() == width && grad.len() == x.data().len());
        let num_units = self.num_units();
        let lens = [num_units, num_units, self.largest_layer()].map(|len| len * width);
        with_scratch(lens, |[values, slopes, room]| {
            self.forward(x, room, values, slopes);
            energy.fill(0.0);
            let last = &values[values.len() - self.output().len() * width..];
            for (a, w) in last.chunks_exact(width).zip(self.output()) {
                energy.iter_mut().zip(a).for_each(|(energy, a)| *energy += w * a);
            }
            self.backward(width, room, slopes);
            let first = &self.layers[0];
            first.weights.pull_back(&slopes[..first.bias.len() * width], grad);
        });
        let precision = 1.0 / (self.scale * self.scale);
        for (d, grad) in grad.chunks_exact_mut(width).enumerate() {
            for ((grad, x), energy) in grad.iter_mut().zip(x.entry(d)).zip(&mut *energy) {
                *energy += 0.5 * precision * x * x;
                *grad += precision * x;
            }
        }
    }

    fn gradient_cost(&self) -> usize {
        let cost = |layer: &Layer| layer.bias.len() * (layer.weights.dim() / 3 + 15);
        3 * self.dim() + self.layers.iter().map(cost).sum::<usize>()
    }
}

impl Model for Neural {
    fn kind(&self) -> &'static str {
        "neural"
    }

    fn spec(&self) -> ModelSpec {
        let weights = self.layers.iter().flat_map(|layer| layer.weights.rows()).copied();
        ModelSpec::Neural(NeuralSpec {
            dim: self.dim(),
            num_hidden: self.layers.iter().map(|layer| layer.bias.len()).collect(),
            weights: Some(weights.collect()),
            biases: Some(self.layers.iter().flat_map(|layer| &layer.bias).copied().collect()),
            output: Some(self.output().to_vec()),
            scale: self.scale,
        })
    }

    fn boxed_clone(&self) -> Box<dyn Model> {
        Box::new(self.clone())
    }

    capabilities!(Differentiable, Parametric, ScoreGradient);
}

/// s from its logarithm, neither 0 nor infinite, so that the spec can always be read again.
fn scale_of(log: f64) -> f64 {
    exp(log).clamp(f64::MIN_POSITIVE, f64::MAX)
}
