//! The kernels next to a kernel: S → S + B and S → S × B for every subexpression S, B → B′ for every base kernel.
//! And where their fits begin: all parameters that were there keep their values, new ones get some.

use crate::base::{Base, Family, Leaf};
use crate::expression::{AsBase, Expression, Kernel};
use crate::math::ln;
use crate::params::{ln_scale, normalize};
use crate::periodogram::peaks;
use crate::posterior::Posterior;
use crate::rng::{ChainRng, normal, uniform};
use crate::series::{Series, noise_variance};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// The noise's share of the values' variance where there is no kernel yet.
pub const FIRST_NOISE: f64 = 0.1;

/// A base kernel of a neighbour.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub enum Slot {
    /// One that was there, with its parameters.
    Old(Leaf),
    /// One that is new.
    New(Base, Role),
}

/// What a new base kernel is.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub enum Role {
    /// All of the kernel.
    Whole,
    /// A term of the outermost sum.
    Term,
    /// A term beside one of this ln v within a product.
    InnerTerm(f64),
    /// A factor.
    Factor,
    /// In the place of another.
    Instead(Leaf),
}

/// A kernel with what is new in it.
pub type Neighbour = Expression<Slot>;

impl AsBase for Slot {
    fn base(&self) -> Base {
        match self {
            Self::Old(leaf) => leaf.base,
            Self::New(base, _) => *base,
        }
    }
}

/// The base kernels of all families and inputs.
pub fn bases(families: &[Family], num_inputs: usize) -> Vec<Base> {
    families
        .iter()
        .flat_map(|family| (0..num_inputs).map(|input| Base::new(*family, input)))
        .collect()
}

/// The kernels of the first level: each base kernel alone.
pub fn first(bases: &[Base]) -> Vec<Neighbour> {
    bases.iter().map(|base| Expression::Base(Slot::New(*base, Role::Whole))).collect()
}

/// All results of one move on a normalized kernel, in canonical form; some are equal.
pub fn all_moves(kernel: &Kernel, bases: &[Base]) -> Vec<Neighbour> {
    moves(kernel, bases, true).iter().map(Expression::canonical).collect()
}

fn moves(kernel: &Kernel, bases: &[Base], is_outermost: bool) -> Vec<Neighbour> {
    let old = |kernel: &Kernel| kernel.map(&mut |leaf: &Leaf| Slot::Old(*leaf));
    let new = |base: &Base, role| Expression::Base(Slot::New(*base, role));
    let term = if is_outermost { Role::Term } else { Role::InnerTerm(ln_scale(kernel)) };
    let mut all = Vec::new();
    for base in bases {
        all.push(Expression::Sum(vec![old(kernel), new(base, term)]));
    }
    for base in bases {
        all.push(Expression::Product(vec![old(kernel), new(base, Role::Factor)]));
    }
    let (is_sum, parts) = match kernel {
        Expression::Base(leaf) => {
            let others = bases.iter().filter(|base| **base != leaf.base);
            all.extend(others.map(|base| new(base, Role::Instead(*leaf))));
            return all;
        }
        Expression::Sum(parts) => (true, parts),
        Expression::Product(parts) => (false, parts),
    };
    for (at, part) in parts.iter().enumerate() {
        for other in moves(part, bases, is_outermost && is_sum) {
            let mut changed: Vec<Neighbour> = parts.iter().map(old).collect();
            changed[at] = other;
            all.push(if is_sum { Expression::Sum(changed) } else { Expression::Product(changed) });
        }
    }
    all
}

/// Keeps the first neighbour of each family that is not among those known, and adds these. Families that differ by
/// SE × SE in the place of an SE count as one.
pub fn distinct(all: Vec<Neighbour>, known: &mut BTreeSet<String>) -> Vec<Neighbour> {
    let is_new = |neighbour: &Neighbour| known.insert(neighbour.shape().reduced().to_string());
    all.into_iter().filter(is_new).collect()
}

/// The kernel at which a fit begins, and the logarithm of the noise's variance there. Start 0 is the same for any
/// random numbers.
pub fn start(
    series: &Series,
    neighbour: &Neighbour,
    before: Option<&(Kernel, f64)>,
    start: usize,
    rng: &mut ChainRng,
) -> (Kernel, f64) {
    let ln_noise = before.map_or(ln(FIRST_NOISE), |(_, noise)| *noise);
    let mut kernel = neighbour.map(&mut |slot: &Slot| match slot {
        Slot::Old(leaf) => *leaf,
        Slot::New(base, role) => begin(series, *base, *role, before, start, rng),
    });
    normalize(&mut kernel);
    (kernel, ln_noise)
}

fn begin(
    series: &Series,
    base: Base,
    role: Role,
    before: Option<&(Kernel, f64)>,
    start: usize,
    rng: &mut ChainRng,
) -> Leaf {
    let is_random = start > 0;
    let count = series.values.len() as f64;
    let ln_scale = match role {
        Role::Whole | Role::Factor => 0.0,
        Role::Term => before.map_or(0.0, |(_, noise)| ln(noise_variance(*noise).max(0.05))),
        Role::InnerTerm(beside) => beside,
        Role::Instead(leaf) => leaf.ln_scale,
    };
    let moved = if is_random && role != Role::Factor { normal(rng) } else { 0.0 };
    let mut ln_length = ln(if role == Role::Factor { 0.5 } else { 0.2 });
    if let Role::Instead(leaf) = role
        && leaf.base.family != Family::Lin
    {
        ln_length = leaf.shape[0];
    }
    if is_random {
        ln_length = -ln(count) + uniform(rng) * (ln(count) + ln(2.0));
    }
    let shape = match base.family {
        Family::Se => [ln_length, 0.0],
        Family::Rq => [ln_length, if is_random { normal(rng) } else { 0.0 }],
        Family::Per => {
            let ln_roughness = if is_random { normal(rng) } else { 0.0 };
            [ln_roughness, ln_period(series, base.input, before, start, rng)]
        }
        Family::Lin if is_random => [2.0 * normal(rng), 3.0 * uniform(rng) - 1.0],
        Family::Lin => [-2.0, 0.0],
    };
    Leaf { base, ln_scale: ln_scale + moved, shape }
}

/// A period to begin with: peaks of the periodograms of the values and of what the kernel before leaves of them, the
/// strongest first, in turns; where they end, any.
fn ln_period(
    series: &Series,
    input: usize,
    before: Option<&(Kernel, f64)>,
    start: usize,
    rng: &mut ChainRng,
) -> f64 {
    let periods = &series.periods[input];
    let x = series.inputs.column(input);
    let of_values = peaks(x, &series.values, periods);
    let posterior =
        before.and_then(|(kernel, noise)| Posterior::new(series, kernel, noise_variance(*noise)));
    let found = match posterior {
        None => of_values.get(start).copied(),
        Some(posterior) if start % 2 == 1 => {
            peaks(x, &posterior.noise(), periods).get(start / 2).copied()
        }
        Some(_) => of_values.get(start / 2).copied(),
    };
    let width = periods.ln_greatest - periods.ln_least;
    found.unwrap_or_else(|| periods.ln_least + width * uniform(rng))
}
