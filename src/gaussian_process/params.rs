//! The parameters of a kernel as one vector without bounds.
//!
//! A product has one scale: its first factor carries it, and those of the others are 1. Of a sum within such a
//! factor the first term's scale is. So the vector has no direction along which no covariance changes, and its
//! length is the number of effective parameters.

use crate::base::{Family, Leaf};
use crate::expression::{Expression, Kernel};
use crate::math::{ln, sigmoid};
use crate::series::{Periods, Series};

/// Parameters beyond this, all of them logarithms or relative to the inputs' range, are not tried.
const GREATEST: f64 = 30.0;

/// Moves the scales of a product to its first factor.
pub fn normalize(kernel: &mut Kernel) {
    match kernel {
        Expression::Base(_) => {}
        Expression::Sum(terms) => terms.iter_mut().for_each(normalize),
        Expression::Product(factors) => {
            factors.iter_mut().for_each(normalize);
            let (first, others) = factors.split_first_mut().expect("a product of two or more");
            let scale = others.iter_mut().map(take_scale).sum();
            multiply(first, scale);
        }
    }
}

/// Multiplies by e^`ln_scale`.
pub fn multiply(kernel: &mut Kernel, ln_scale: f64) {
    match kernel {
        Expression::Base(leaf) => leaf.ln_scale += ln_scale,
        Expression::Sum(terms) => terms.iter_mut().for_each(|term| multiply(term, ln_scale)),
        Expression::Product(factors) => multiply(&mut factors[0], ln_scale),
    }
}

/// Makes the scale of a kernel 1, and returns its logarithm. Of a sum it is that of its first term.
fn take_scale(kernel: &mut Kernel) -> f64 {
    let scale = ln_scale(kernel);
    multiply(kernel, -scale);
    scale
}

/// ln of the scale of a normalized kernel.
pub fn ln_scale(kernel: &Kernel) -> f64 {
    match kernel {
        Expression::Base(leaf) => leaf.ln_scale,
        Expression::Sum(parts) | Expression::Product(parts) => ln_scale(&parts[0]),
    }
}

/// Whether the scale of each leaf is a parameter.
pub fn carriers<T>(kernel: &Expression<T>) -> Vec<bool> {
    fn visit<T>(kernel: &Expression<T>, is_free: bool, all: &mut Vec<bool>) {
        match kernel {
            Expression::Base(_) => all.push(is_free),
            Expression::Sum(terms) => {
                for (at, term) in terms.iter().enumerate() {
                    visit(term, is_free || at > 0, all);
                }
            }
            Expression::Product(factors) => {
                for (at, factor) in factors.iter().enumerate() {
                    visit(factor, is_free && at == 0, all);
                }
            }
        }
    }
    let mut all = Vec::new();
    visit(kernel, true, &mut all);
    all
}

/// ln p of a parameter without bounds, and its derivative.
fn period(parameter: f64, periods: &Periods) -> (f64, f64) {
    let width = periods.ln_greatest - periods.ln_least;
    let share = sigmoid(parameter);
    (periods.ln_least + width * share, width * share * sigmoid(-parameter))
}

/// The parameters of a normalized kernel, leaf by leaf: the scale's logarithm where it is one, then the shape.
pub fn pack(kernel: &Kernel, series: &Series) -> Vec<f64> {
    let mut params = Vec::new();
    for (leaf, is_free) in kernel.leaves().into_iter().zip(carriers(kernel)) {
        if is_free {
            params.push(leaf.ln_scale);
        }
        params.push(leaf.shape[0]);
        match leaf.base.family {
            Family::Se => {}
            Family::Per => {
                let Periods { ln_least, ln_greatest } = series.periods[leaf.base.input];
                let share = (leaf.shape[1] - ln_least) / (ln_greatest - ln_least);
                let share = share.clamp(1e-6, 1.0 - 1e-6);
                params.push(ln(share / (1.0 - share)));
            }
            Family::Lin | Family::Rq => params.push(leaf.shape[1]),
        }
    }
    params
}

/// The kernel with these parameters; none where one is out of reach.
///
/// # Panics
/// If there are too few parameters.
pub fn unpack(kernel: &Kernel, series: &Series, params: &[f64]) -> Option<Kernel> {
    if !params.iter().all(|value| value.abs() <= GREATEST) {
        return None;
    }
    let mut is_free = carriers(kernel).into_iter();
    let mut params = params.iter().copied();
    let mut next = move || params.next().expect("a parameter");
    Some(kernel.map(&mut |leaf: &Leaf| {
        let is_free = is_free.next().expect("one for each leaf");
        let ln_scale = if is_free { next() } else { leaf.ln_scale };
        let first = next();
        let second = match leaf.base.family {
            Family::Se => 0.0,
            Family::Per => period(next(), &series.periods[leaf.base.input]).0,
            Family::Lin | Family::Rq => next(),
        };
        Leaf { ln_scale, shape: [first, second], ..*leaf }
    }))
}

/// The gradient by the parameters, from those by each leaf's ln v and shape.
pub fn chain(kernel: &Kernel, series: &Series, params: &[f64], leaves: &[[f64; 3]]) -> Vec<f64> {
    let mut gradient = Vec::new();
    for ((leaf, is_free), slopes) in kernel.leaves().into_iter().zip(carriers(kernel)).zip(leaves) {
        if is_free {
            gradient.push(slopes[0]);
        }
        gradient.push(slopes[1]);
        match leaf.base.family {
            Family::Se => {}
            Family::Per => {
                let by = period(params[gradient.len()], &series.periods[leaf.base.input]).1;
                gradient.push(slopes[2] * by);
            }
            Family::Lin | Family::Rq => gradient.push(slopes[2]),
        }
    }
    gradient
}

/// Number of effective parameters of a family.
pub fn num_params(shape: &crate::Shape) -> usize {
    let own = shape.leaves().into_iter().map(|base| base.family.num_shape()).sum::<usize>();
    own + carriers(shape).into_iter().filter(|is_free| *is_free).count()
}
