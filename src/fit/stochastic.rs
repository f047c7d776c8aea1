//! Optimizers that take one step for each gradient they are given, which may be noisy, as with
//! minibatches and chains.
//!
//! - Stochastic gradient descent with momentum: `v ← μv − εg`, `θ ← θ + v`
//!   (Polyak 1964).
//! - Adam: `m ← β₁m + (1−β₁)g`, `s ← β₂s + (1−β₂)g²`,
//!   `θ ← θ − ε m̂ / (√ŝ + δ)`, where m̂ and ŝ are divided by 1 − βᵗ (Kingma and
//!   Ba 2015, algorithm 1).
//!
//! The rate ε falls or rises linearly over the updates (Sohl-Dickstein 2012,
//! section 3.1). Between two updates the state is plain data.

use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserializer, MapAccess, Visitor};
use serde::{Deserialize, Serialize};
use std::fmt;
use unnorm_wire::report;

/// A learning rate that changes linearly from one value to another. In specs it may also be a
/// number, for a constant rate.
#[report(name = "LearningRate")]
#[derive(Copy)]
#[ts(type = "number | { start: number; end: number }")]
pub struct Rate {
    /// The rate at the first update; greater than 0.
    pub start: f64,
    /// The rate at the last update; greater than 0.
    pub end: f64,
}

impl<'de> Deserialize<'de> for Rate {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Ends {
            start: f64,
            end: f64,
        }

        struct NumberOrEnds;

        impl<'de> Visitor<'de> for NumberOrEnds {
            type Value = Rate;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a number, or an object with start and end")
            }

            fn visit_f64<E>(self, rate: f64) -> Result<Rate, E> {
                Ok(Rate::constant(rate))
            }

            fn visit_u64<E>(self, rate: u64) -> Result<Rate, E> {
                Ok(Rate::constant(rate as f64))
            }

            fn visit_i64<E>(self, rate: i64) -> Result<Rate, E> {
                Ok(Rate::constant(rate as f64))
            }

            fn visit_map<A: MapAccess<'de>>(self, fields: A) -> Result<Rate, A::Error> {
                let Ends { start, end } = Ends::deserialize(MapAccessDeserializer::new(fields))?;
                Ok(Rate { start, end })
            }
        }

        deserializer.deserialize_any(NumberOrEnds)
    }
}

impl Rate {
    /// A constant rate.
    pub fn constant(rate: f64) -> Self {
        Self { start: rate, end: rate }
    }

    /// The rate at update `update` of `num_updates`, counted from 0.
    pub fn at(self, update: u64, num_updates: u64) -> f64 {
        if num_updates <= 1 {
            return self.start;
        }
        let part = update as f64 / (num_updates - 1) as f64;
        self.start + (self.end - self.start) * part
    }
}

/// The rule that makes steps from gradients.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Rule {
    /// Gradient descent with momentum μ.
    Sgd {
        /// μ, in [0, 1).
        momentum: f64,
    },
    /// Adam.
    Adam {
        /// β₁, in [0, 1).
        beta1: f64,
        /// β₂, in [0, 1).
        beta2: f64,
        /// δ > 0.
        epsilon: f64,
    },
}

/// A descent: its point and what the rule remembers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Descent {
    point: Vec<f64>,
    /// The velocity v, or Adam's m.
    first: Vec<f64>,
    /// Adam's s; empty for other rules.
    second: Vec<f64>,
    /// β₁ᵗ and β₂ᵗ.
    powers: (f64, f64),
    num_updates: u64,
}

impl Descent {
    /// A descent from `point`.
    pub fn new(point: Vec<f64>, rule: Rule) -> Self {
        let dim = point.len();
        let second = if matches!(rule, Rule::Adam { .. }) { vec![0.0; dim] } else { Vec::new() };
        Self { point, first: vec![0.0; dim], second, powers: (1.0, 1.0), num_updates: 0 }
    }

    /// Takes a step.
    ///
    /// # Panics
    /// If the gradient's length is not the point's.
    pub fn step(&mut self, rule: Rule, rate: f64, gradient: &[f64]) {
        assert_eq!(gradient.len(), self.point.len());
        let moved = self.point.iter_mut().zip(&mut self.first).zip(gradient);
        match rule {
            Rule::Sgd { momentum } => {
                for ((point, velocity), grad) in moved {
                    *velocity = momentum * *velocity - rate * grad;
                    *point += *velocity;
                }
            }
            Rule::Adam { beta1, beta2, epsilon } => {
                self.powers = (self.powers.0 * beta1, self.powers.1 * beta2);
                let (first_scale, second_scale) =
                    (1.0 / (1.0 - self.powers.0), 1.0 / (1.0 - self.powers.1));
                for (((point, mean), grad), square) in moved.zip(&mut self.second) {
                    *mean = beta1 * *mean + (1.0 - beta1) * grad;
                    *square = beta2 * *square + (1.0 - beta2) * grad * grad;
                    let size = (*square * second_scale).sqrt() + epsilon;
                    *point -= rate * *mean * first_scale / size;
                }
            }
        }
        self.num_updates += 1;
    }

    /// Goes on at the origin of other coordinates, without velocity.
    #[cfg(feature = "full")]
    pub fn begin_anew(&mut self, rule: Rule, num_coordinates: usize) {
        let num_updates = self.num_updates;
        *self = Self { num_updates, ..Self::new(vec![0.0; num_coordinates], rule) };
    }

    /// The point reached.
    pub fn point(&self) -> &[f64] {
        &self.point
    }

    /// Number of steps taken.
    pub fn num_updates(&self) -> u64 {
        self.num_updates
    }

    /// Whether this can be `fresh` some steps later. For checking states read from outside.
    pub fn continues(&self, fresh: &Self) -> bool {
        self.point.len() == fresh.point.len()
            && self.first.len() == fresh.first.len()
            && self.second.len() == fresh.second.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_are_linear_and_end_where_they_should() {
        let rate = Rate { start: 3.0, end: 1.0 };
        assert_eq!([0, 1, 2, 3, 4].map(|update| rate.at(update, 5)), [3.0, 2.5, 2.0, 1.5, 1.0]);
        assert_eq!(rate.at(0, 1), 3.0);
    }

    #[test]
    fn momentum_adds_up() {
        let rule = Rule::Sgd { momentum: 0.5 };
        let mut descent = Descent::new(vec![1.0, 0.0], rule);
        descent.step(rule, 0.1, &[1.0, -2.0]);
        assert_eq!(descent.point(), [0.9, 0.2]);
        descent.step(rule, 0.1, &[0.0, 0.0]);
        let expected = [0.85, 0.3];
        assert!(descent.point().iter().zip(expected).all(|(x, y)| (x - y).abs() < 1e-15));
        assert_eq!(descent.num_updates(), 2);
    }

    /// Two steps computed by hand: the length of the first is ε for any gradient.
    #[test]
    fn adam_scales_by_the_root_of_the_mean_square() {
        let rule = Rule::Adam { beta1: 0.5, beta2: 0.75, epsilon: 1e-12 };
        let mut descent = Descent::new(vec![0.0, 0.0], rule);
        descent.step(rule, 0.1, &[4.0, -0.01]);
        assert!((descent.point()[0] + 0.1).abs() < 1e-9);
        assert!((descent.point()[1] - 0.1).abs() < 1e-9);
        descent.step(rule, 0.1, &[2.0, 0.0]);
        // m = 2, 1 − β₁² = 3/4; s = 3 + 1 = 4, 1 − β₂² = 7/16.
        let expected = -0.1 - 0.1 * (2.0 / 0.75) / (4.0_f64 / 0.4375).sqrt();
        assert!((descent.point()[0] - expected).abs() < 1e-9, "{}", descent.point()[0]);
    }
}
