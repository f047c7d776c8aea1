//! The base kernels, each of one input, and their parameters.
//!
//! In the units of a [`crate::Series`], with r = x − x′ and a scale v that all have:
//!
//! | family | kernel                                    | shape                              |
//! |--------|-------------------------------------------|------------------------------------|
//! | SE     | v exp(−r²/2ℓ²)                            | ln ℓ                               |
//! | RQ     | v (1 + r²/2αℓ²)^−α                        | ln ℓ, ln α                         |
//! | PER    | v exp(−2 sin²(πr/p)/ℓ²)                   | ln ℓ, ln p                         |
//! | LIN    | v (b + (1 − b)(x − c)(x′ − c))            | the logit of b, the location c     |
//!
//! LIN has the σ_b² = v b and σ_v² = v (1 − b) of the thesis, whose sum is a scale that a product can share.

use crate::math::{exp, ln_1p, sigmoid, sin_cos};
use serde::{Deserialize, Serialize};
use std::f64::consts::PI;
use std::fmt;
use unnorm_wire::spec;

/// A family of base kernels, in the order in which they are printed.
#[spec(name = "BaseKernel")]
#[derive(Copy, Eq, PartialOrd, Ord)]
#[ts(rename_all = "UPPERCASE")]
#[serde(try_from = "String", into = "String")]
pub enum Family {
    /// Squared exponential: smooth functions.
    Se,
    /// Rational quadratic: functions smooth at many scales.
    Rq,
    /// Periodic: functions that repeat.
    Per,
    /// Linear: straight lines.
    Lin,
}

impl Family {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Se, Self::Per, Self::Lin, Self::Rq];

    /// Its name in the thesis.
    pub fn name(self) -> &'static str {
        match self {
            Self::Se => "SE",
            Self::Rq => "RQ",
            Self::Per => "PER",
            Self::Lin => "LIN",
        }
    }

    /// Number of parameters beside the scale.
    pub fn num_shape(self) -> usize {
        if self == Self::Se { 1 } else { 2 }
    }
}

impl TryFrom<String> for Family {
    type Error = String;

    fn try_from(name: String) -> Result<Self, String> {
        let found = Self::ALL.into_iter().find(|family| family.name() == name);
        found.ok_or_else(|| format!("is {name}; known are SE, PER, LIN and RQ"))
    }
}

impl From<Family> for String {
    fn from(family: Family) -> Self {
        family.name().into()
    }
}

/// A base kernel without its parameters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Base {
    /// Its family.
    pub family: Family,
    /// The input it reads, counted from 0.
    pub input: usize,
}

impl Base {
    /// A base kernel of a family and an input.
    pub fn new(family: Family, input: usize) -> Self {
        Self { family, input }
    }
}

/// With the input as a subscript, counted from 1; `{:#}` leaves it out.
impl fmt::Display for Base {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.family.name())?;
        if f.alternate() {
            return Ok(());
        }
        for digit in (self.input + 1).to_string().bytes() {
            write!(f, "{}", SUBSCRIPTS[usize::from(digit - b'0')])?;
        }
        Ok(())
    }
}

/// The digits as subscripts.
pub const SUBSCRIPTS: [char; 10] = ['₀', '₁', '₂', '₃', '₄', '₅', '₆', '₇', '₈', '₉'];

/// A base kernel with its parameters.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Leaf {
    /// Family and input.
    pub base: Base,
    /// ln v.
    pub ln_scale: f64,
    /// The shape; of SE the second is not used, and 0.
    pub shape: [f64; 2],
}

/// A kernel of scale 1 and its derivatives by its shape.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Unit {
    /// The kernel.
    pub value: f64,
    /// ∂ by the shape's two entries; PER's by ln p.
    pub slopes: [f64; 2],
}

/// A kernel of scale 1 and its derivatives by its shape at several distances.
#[derive(Debug, Clone)]
pub struct Units {
    /// The kernel.
    pub values: Vec<f64>,
    /// ∂ by the shape's two entries.
    pub slopes: [Vec<f64>; 2],
}

impl Units {
    #[inline(always)]
    fn new(distances: &[f64], unit: impl Fn(f64) -> Unit) -> Self {
        let zeros = || vec![0.0; distances.len()];
        let (mut values, mut slopes) = (zeros(), [zeros(), zeros()]);
        let [first, second] = &mut slopes;
        for (((r, value), first), second) in
            distances.iter().zip(&mut values).zip(first).zip(second)
        {
            let unit = unit(*r);
            *value = unit.value;
            [*first, *second] = unit.slopes;
        }
        Self { values, slopes }
    }
}

impl Leaf {
    /// A leaf of scale v.
    pub fn new(base: Base, scale: f64, shape: [f64; 2]) -> Self {
        Self { base, ln_scale: crate::math::ln(scale), shape }
    }

    /// Whether the kernel depends on x − x′ alone.
    pub fn is_stationary(&self) -> bool {
        self.base.family != Family::Lin
    }

    /// A stationary kernel of scale 1 at distances r ≥ 0.
    ///
    /// # Panics
    /// If the kernel is LIN.
    pub fn at_distances(&self, distances: &[f64]) -> Units {
        match self.base.family {
            Family::Se => Units::new(distances, self.se()),
            Family::Rq => Units::new(distances, self.rq()),
            Family::Per => Units::new(distances, self.per()),
            Family::Lin => panic!("LIN depends on the place"),
        }
    }

    /// SE by the distance. Here and below, what does not depend on the distance is computed once.
    fn se(&self) -> impl Fn(f64) -> Unit {
        let inverse = exp(-2.0 * self.shape[0]);
        move |r| {
            let square = r * r * inverse;
            let value = exp(-0.5 * square);
            Unit { value, slopes: [value * square, 0.0] }
        }
    }

    fn rq(&self) -> impl Fn(f64) -> Unit {
        let inverse = exp(-2.0 * self.shape[0]);
        let alpha = exp(self.shape[1]);
        move |r| {
            let part = 0.5 * r * r * inverse / alpha;
            let log = ln_1p(part);
            let value = exp(-alpha * log);
            let share = part / (1.0 + part);
            Unit { value, slopes: [2.0 * alpha * value * share, alpha * value * (share - log)] }
        }
    }

    fn per(&self) -> impl Fn(f64) -> Unit {
        let inverse = exp(-2.0 * self.shape[0]);
        let frequency = exp(-self.shape[1]);
        move |r| {
            let angle = PI * r * frequency;
            let (sin, cos) = sin_cos(angle);
            let part = 2.0 * sin * sin * inverse;
            let value = exp(-part);
            Unit { value, slopes: [2.0 * value * part, 4.0 * value * sin * cos * angle * inverse] }
        }
    }

    /// LIN of scale 1 by two places.
    pub fn lin(&self) -> impl Fn(f64, f64) -> Unit {
        let constant = sigmoid(self.shape[0]);
        let slope = sigmoid(-self.shape[0]);
        let at = self.shape[1];
        move |x, y| {
            let (a, b) = (x - at, y - at);
            Unit {
                value: constant + slope * a * b,
                slopes: [constant * slope * (1.0 - a * b), -slope * (a + b)],
            }
        }
    }

    /// The kernel at two inputs.
    pub fn value(&self, x: &[f64], y: &[f64]) -> f64 {
        let (x, y) = (x[self.base.input], y[self.base.input]);
        let r = (x - y).abs();
        let unit = match self.base.family {
            Family::Se => self.se()(r),
            Family::Rq => self.rq()(r),
            Family::Per => self.per()(r),
            Family::Lin => self.lin()(x, y),
        };
        exp(self.ln_scale) * unit.value
    }
}
