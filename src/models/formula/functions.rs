//! The functions that a formula may use, and their derivatives.

use crate::filters::sign;
use crate::math;

/// A function of one number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Unary {
    Negate,
    Exp,
    Ln,
    Sqrt,
    Abs,
    Sin,
    Cos,
    Tanh,
    Sigmoid,
    Softplus,
    /// −1, 0 or 1: the slope of the absolute value. It has no name.
    Sign,
}

/// A function of two numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Binary {
    Add,
    Subtract,
    Multiply,
    Divide,
    Power,
    Min,
    Max,
    /// 1 if a ≤ b, else 0: the slope of the minimum in a. It has no name.
    AtMost,
    /// 1 if a = b, else 0: Kronecker's delta.
    Equal,
}

/// The unary functions, by name.
pub(super) const UNARY_NAMES: [(&str, Unary); 10] = [
    ("abs", Unary::Abs),
    ("cos", Unary::Cos),
    ("exp", Unary::Exp),
    ("ln", Unary::Ln),
    ("log", Unary::Ln),
    ("sigmoid", Unary::Sigmoid),
    ("sin", Unary::Sin),
    ("softplus", Unary::Softplus),
    ("sqrt", Unary::Sqrt),
    ("tanh", Unary::Tanh),
];

/// The functions of two or more arguments, by name.
pub(super) const BINARY_NAMES: [(&str, Binary); 3] =
    [("equal", Binary::Equal), ("max", Binary::Max), ("min", Binary::Min)];

/// Whether a name is that of a function.
pub(super) fn is_function(name: &str) -> bool {
    UNARY_NAMES.iter().any(|(known, _)| *known == name)
        || BINARY_NAMES.iter().any(|(known, _)| *known == name)
}

impl Unary {
    /// The value f(x).
    pub fn value(self, x: f64) -> f64 {
        match self {
            Self::Negate => -x,
            Self::Exp => math::exp(x),
            Self::Ln => math::ln(x),
            Self::Sqrt => x.sqrt(),
            Self::Abs => x.abs(),
            Self::Sin => math::sin(x),
            Self::Cos => math::cos(x),
            Self::Tanh => math::tanh(x),
            Self::Sigmoid => math::sigmoid(x),
            Self::Softplus => math::softplus(x),
            Self::Sign => sign(x),
        }
    }

    /// `y = f(x)` entry by entry, with the bits of [`Unary::value`].
    pub fn values(self, x: &[f64], y: &mut [f64]) {
        match self {
            Self::Exp => {
                y.copy_from_slice(x);
                math::exp_slice(y);
            }
            Self::Ln => {
                y.copy_from_slice(x);
                math::ln_slice(y);
            }
            // One loop for each function, so that the compiler can vectorize it.
            Self::Negate => map(x, y, |x| -x),
            Self::Sqrt => map(x, y, f64::sqrt),
            Self::Abs => map(x, y, f64::abs),
            Self::Sin => map(x, y, math::sin),
            Self::Cos => map(x, y, math::cos),
            Self::Tanh => map(x, y, math::tanh),
            Self::Sigmoid => map(x, y, math::sigmoid),
            Self::Softplus => map(x, y, math::softplus),
            Self::Sign => map(x, y, sign),
        }
    }

    /// `dx += f′(x) dy`, entry by entry; `y = f(x)`.
    pub fn pull_back(self, x: &[f64], y: &[f64], dy: &[f64], dx: &mut [f64]) {
        self.pull_back_to(Entries { a: x, b: y, dy, dx });
    }

    /// `part = f′(x) dy`, entry by entry; `y = f(x)`.
    pub fn contribute(self, x: &[f64], y: &[f64], dy: &[f64], part: &mut [f64]) {
        self.pull_back_to(Parts { a: x, b: y, dy, part });
    }

    /// `dx += f′(x) dy`, of one entry.
    #[inline(always)]
    pub fn pull_back_one(self, x: f64, y: f64, dy: f64, dx: &mut f64) {
        self.pull_back_to(One { a: x, b: y, dy, dx });
    }

    /// Gives f′ as a function of x and y = f(x).
    #[inline(always)]
    fn pull_back_to(self, slopes: impl Slopes) {
        match self {
            Self::Negate => slopes.each(|_, _| -1.0),
            Self::Exp => slopes.each(|_, y| y),
            Self::Ln => slopes.each(|x, _| 1.0 / x),
            Self::Sqrt => slopes.each(|_, y| 0.5 / y),
            Self::Abs => slopes.each(|x, _| sign(x)),
            Self::Sin => slopes.each(|x, _| math::cos(x)),
            Self::Cos => slopes.each(|x, _| -math::sin(x)),
            Self::Tanh => slopes.each(|_, y| 1.0 - y * y),
            Self::Sigmoid => slopes.each(|_, y| y * (1.0 - y)),
            Self::Softplus => slopes.each(|x, _| math::sigmoid(x)),
            Self::Sign => {}
        }
    }

    /// Estimated cost of value and slope, in nanoseconds: functions that the compiler does not
    /// vectorize cost most.
    pub fn cost(self) -> usize {
        match self {
            Self::Negate | Self::Abs => 2,
            Self::Sign => 2,
            Self::Exp | Self::Ln | Self::Sqrt => 5,
            Self::Sin | Self::Cos | Self::Tanh | Self::Sigmoid | Self::Softplus => 30,
        }
    }
}

impl Binary {
    /// The value f(a, b). The minimum or maximum of a number and NaN is NaN.
    pub fn value(self, a: f64, b: f64) -> f64 {
        match self {
            Self::Add => a + b,
            Self::Subtract => a - b,
            Self::Multiply => a * b,
            Self::Divide => a / b,
            Self::Power => math::pow(a, b),
            Self::Min => min(a, b),
            Self::Max => max(a, b),
            Self::AtMost => at_most(a, b),
            Self::Equal => equal(a, b),
        }
    }

    /// `y = f(a, b)` entry by entry.
    pub fn values(self, a: &[f64], b: &[f64], y: &mut [f64]) {
        match self {
            Self::Add => map_2(a, b, y, |a, b| a + b),
            Self::Subtract => map_2(a, b, y, |a, b| a - b),
            Self::Multiply => map_2(a, b, y, |a, b| a * b),
            Self::Divide => map_2(a, b, y, |a, b| a / b),
            Self::Power => map_2(a, b, y, math::pow),
            Self::Min => map_2(a, b, y, min),
            Self::Max => map_2(a, b, y, max),
            Self::AtMost => map_2(a, b, y, at_most),
            Self::Equal => map_2(a, b, y, equal),
        }
    }

    /// `da += ∂f/∂a dy`, entry by entry. If min or max has equal arguments, the whole slope goes to
    /// the first.
    pub fn pull_back_first(self, a: &[f64], b: &[f64], dy: &[f64], da: &mut [f64]) {
        self.pull_back_first_to(Entries { a, b, dy, dx: da });
    }

    /// `part = ∂f/∂a dy`, entry by entry.
    pub fn contribute_first(self, a: &[f64], b: &[f64], dy: &[f64], part: &mut [f64]) {
        self.pull_back_first_to(Parts { a, b, dy, part });
    }

    /// `da += ∂f/∂a dy`, of one entry.
    #[inline(always)]
    pub fn pull_back_first_one(self, a: f64, b: f64, dy: f64, da: &mut f64) {
        self.pull_back_first_to(One { a, b, dy, dx: da });
    }

    /// `db += ∂f/∂b dy`, entry by entry.
    pub fn pull_back_second(self, a: &[f64], b: &[f64], dy: &[f64], db: &mut [f64]) {
        self.pull_back_second_to(Entries { a, b, dy, dx: db });
    }

    /// `part = ∂f/∂b dy`, entry by entry.
    pub fn contribute_second(self, a: &[f64], b: &[f64], dy: &[f64], part: &mut [f64]) {
        self.pull_back_second_to(Parts { a, b, dy, part });
    }

    /// `db += ∂f/∂b dy`, of one entry.
    #[inline(always)]
    pub fn pull_back_second_one(self, a: f64, b: f64, dy: f64, db: &mut f64) {
        self.pull_back_second_to(One { a, b, dy, dx: db });
    }

    /// Gives ∂f/∂a as a function of a and b.
    #[inline(always)]
    fn pull_back_first_to(self, slopes: impl Slopes) {
        match self {
            Self::Add | Self::Subtract => slopes.each(|_, _| 1.0),
            Self::Multiply => slopes.each(|_, b| b),
            Self::Divide => slopes.each(|_, b| 1.0 / b),
            Self::Power => slopes.each(|a, b| b * math::pow(a, b - 1.0)),
            Self::Min => slopes.each(at_most),
            Self::Max => slopes.each(|a, b| if a >= b { 1.0 } else { 0.0 }),
            Self::AtMost | Self::Equal => {}
        }
    }

    /// Gives ∂f/∂b as a function of a and b.
    #[inline(always)]
    fn pull_back_second_to(self, slopes: impl Slopes) {
        match self {
            Self::Add => slopes.each(|_, _| 1.0),
            Self::Subtract => slopes.each(|_, _| -1.0),
            Self::Multiply => slopes.each(|a, _| a),
            Self::Divide => slopes.each(|a, b| -(a / b) / b),
            Self::Power => slopes.each(|a, b| {
                let y = math::pow(a, b);
                // The limit, as the logarithm is infinite.
                if y == 0.0 { 0.0 } else { y * math::ln(a) }
            }),
            Self::Min => slopes.each(|a, b| if a <= b { 0.0 } else { 1.0 }),
            Self::Max => slopes.each(|a, b| if a >= b { 0.0 } else { 1.0 }),
            Self::AtMost | Self::Equal => {}
        }
    }
}

/// xⁿ by multiplication, n ≥ 1.
#[inline(always)]
pub(super) fn integer_power(x: f64, n: u32) -> f64 {
    let mut square = x;
    let mut left = n - 1;
    let mut power = x;
    while left > 0 {
        if left & 1 == 1 {
            power *= square;
        }
        square *= square;
        left >>= 1;
    }
    power
}

/// `y = xⁿ` entry by entry.
pub(super) fn integer_powers(n: u32, x: &[f64], y: &mut [f64]) {
    match n {
        2 => map(x, y, |x| x * x),
        _ => map(x, y, |x| integer_power(x, n)),
    }
}

/// `dx += n xⁿ⁻¹ dy`, entry by entry; n ≥ 2.
pub(super) fn pull_back_integer_power(n: u32, x: &[f64], dy: &[f64], dx: &mut [f64]) {
    pull_back_integer_power_to(n, Entries { a: x, b: x, dy, dx });
}

/// `part = n xⁿ⁻¹ dy`, entry by entry; n ≥ 2.
pub(super) fn contribute_integer_power(n: u32, x: &[f64], dy: &[f64], part: &mut [f64]) {
    pull_back_integer_power_to(n, Parts { a: x, b: x, dy, part });
}

/// Gives n xⁿ⁻¹ as a function of x. Squares, the most frequent, have a loop of their own.
#[inline(always)]
fn pull_back_integer_power_to(n: u32, slopes: impl Slopes) {
    match n {
        2 => slopes.each(|x, _| integer_power_slope(2, x)),
        _ => slopes.each(|x, _| integer_power_slope(n, x)),
    }
}

/// n xⁿ⁻¹, n ≥ 2.
#[inline(always)]
pub(super) fn integer_power_slope(n: u32, x: f64) -> f64 {
    match n {
        2 => 2.0 * x,
        _ => f64::from(n) * integer_power(x, n - 1),
    }
}

fn min(a: f64, b: f64) -> f64 {
    if a <= b || a.is_nan() { a } else { b }
}

fn max(a: f64, b: f64) -> f64 {
    if a >= b || a.is_nan() { a } else { b }
}

/// 1 if a ≤ b, else 0.
fn at_most(a: f64, b: f64) -> f64 {
    if a <= b { 1.0 } else { 0.0 }
}

/// 1 if a = b, else 0.
fn equal(a: f64, b: f64) -> f64 {
    if a == b { 1.0 } else { 0.0 }
}

#[inline(always)]
fn map(x: &[f64], y: &mut [f64], f: impl Fn(f64) -> f64) {
    y.iter_mut().zip(x).for_each(|(y, x)| *y = f(*x));
}

#[inline(always)]
fn map_2(a: &[f64], b: &[f64], y: &mut [f64], f: impl Fn(f64, f64) -> f64) {
    y.iter_mut().zip(a).zip(b).for_each(|((y, a), b)| *y = f(*a, *b));
}

/// What becomes of `slope(a, b) dy`.
trait Slopes {
    fn each(self, slope: impl Fn(f64, f64) -> f64);
}

/// It is added to dx.
struct Entries<'a> {
    a: &'a [f64],
    b: &'a [f64],
    dy: &'a [f64],
    dx: &'a mut [f64],
}

/// It is written to `part`.
struct Parts<'a> {
    a: &'a [f64],
    b: &'a [f64],
    dy: &'a [f64],
    part: &'a mut [f64],
}

/// It is added to dx, of one entry.
struct One<'a> {
    a: f64,
    b: f64,
    dy: f64,
    dx: &'a mut f64,
}

impl Slopes for Entries<'_> {
    #[inline(always)]
    fn each(self, slope: impl Fn(f64, f64) -> f64) {
        for (((dx, a), b), dy) in self.dx.iter_mut().zip(self.a).zip(self.b).zip(self.dy) {
            *dx += slope(*a, *b) * dy;
        }
    }
}

impl Slopes for Parts<'_> {
    #[inline(always)]
    fn each(self, slope: impl Fn(f64, f64) -> f64) {
        for (((part, a), b), dy) in self.part.iter_mut().zip(self.a).zip(self.b).zip(self.dy) {
            *part = slope(*a, *b) * dy;
        }
    }
}

impl Slopes for One<'_> {
    #[inline(always)]
    fn each(self, slope: impl Fn(f64, f64) -> f64) {
        *self.dx += slope(self.a, self.b) * self.dy;
    }
}
