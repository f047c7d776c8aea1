//! Laws and exact truths.

mod expressions;
mod fits;
mod laws;

use crate::base::{Base, Family, Leaf};
use crate::expression::{Expression, Kernel};
use crate::parse::parse;
use crate::rng::{ChainRng, Purpose, normal, stream, uniform};
use crate::series::Series;

fn generator(index: u64) -> ChainRng {
    stream(1, Purpose::Example, index)
}

/// A kernel of a family, with parameters at random.
fn kernel(text: &str, rng: &mut ChainRng) -> Kernel {
    let shape = parse(text).expect("a family").canonical();
    let mut kernel = shape.map(&mut |base: &Base| {
        let second = match base.family {
            Family::Se => 0.0,
            Family::Per => -1.5 + 0.5 * uniform(rng),
            Family::Rq | Family::Lin => normal(rng),
        };
        Leaf { base: *base, ln_scale: 0.5 * normal(rng), shape: [0.5 * normal(rng) - 1.0, second] }
    });
    crate::params::normalize(&mut kernel);
    kernel
}

/// A series with inputs at random, or on a grid, of which two are equal.
fn series(num_inputs: usize, count: usize, is_grid: bool, rng: &mut ChainRng) -> Series {
    let at = |row: usize, rng: &mut ChainRng| match is_grid {
        true => 1949.0 + (row % (count - 1)) as f64 / 12.0,
        false => 10.0 * uniform(rng),
    };
    let inputs: Vec<f64> =
        (0..count * num_inputs).map(|entry| at(entry / num_inputs, rng)).collect();
    let values: Vec<f64> = (0..count).map(|_| 100.0 + 20.0 * normal(rng)).collect();
    Series::new(num_inputs, &inputs, &values)
}

/// Kernels of all kinds, and their number of inputs.
const EXAMPLES: [(&str, usize); 9] = [
    ("SE", 1),
    ("PER", 1),
    ("LIN", 1),
    ("RQ", 1),
    ("SE × PER + LIN", 1),
    ("(SE + LIN) × (RQ + PER) + SE", 1),
    ("SE_1 × SE_2 + RQ_3", 3),
    ("(SE_1 + SE_2) × (SE_3 + LIN_1)", 3),
    ("LIN × LIN × PER", 1),
];

fn leaf(family: Family, scale: f64, shape: [f64; 2]) -> Kernel {
    Expression::Base(Leaf::new(Base::new(family, 0), scale, shape))
}
