//! Standard normal variates by the ziggurat of Marsaglia and Tsang (2000), with 256 layers of equal
//! area under exp(−x²/2), x ≥ 0. The tables are computed at first use from two constants by the
//! same elementary functions on every machine, so the variates have the same bits everywhere.
//! `rand_distr` is not used: it takes its logarithms from `num-traits`, which takes them from the
//! platform as soon as any crate in the build asks for its `std`.

use super::{ChainRng, uniform};
use crate::math::{exp, ln};
use rand::Rng;
use std::sync::OnceLock;

const NUM_LAYERS: usize = 256;
/// Where the tail begins: the right edge of the lowest layer's rectangle.
const TAIL: f64 = 3.654_152_885_361_009;
/// The area of each layer.
const AREA: f64 = 0.004_928_673_233_974_658;

/// Layer i is the rectangle [0, edge[i]] × [height[i], height[i + 1]]. Layer 0 also has the tail,
/// and an edge as wide as its area requires.
struct Ziggurat {
    height: [f64; NUM_LAYERS + 1],
    layers: [Layer; NUM_LAYERS],
}

/// The data of a layer that nearly every draw needs.
#[derive(Clone, Copy)]
struct Layer {
    /// The layer's edge divided by 2⁵².
    unit: f64,
    /// Exactly the places n with |n| below this have `|n unit| < edge[i + 1]`.
    inside: u64,
}

fn density(x: f64) -> f64 {
    exp(-0.5 * x * x)
}

fn ziggurat() -> &'static Ziggurat {
    static TABLES: OnceLock<Ziggurat> = OnceLock::new();
    TABLES.get_or_init(|| {
        let edge = edges();
        let layers = std::array::from_fn(|i| {
            let unit = edge[i] * (1.0 / (1u64 << 52) as f64);
            let is_inside = |n: u64| n as f64 * unit < edge[i + 1];
            // The quotient has only a rounding error.
            let near = (edge[i + 1] / unit) as u64;
            let inside = (near.saturating_sub(4)..).find(|&n| !is_inside(n));
            Layer { unit, inside: inside.expect("edges are finite") }
        });
        Ziggurat { height: edge.map(density), layers }
    })
}

fn edges() -> [f64; NUM_LAYERS + 1] {
    let mut edge = [0.0; NUM_LAYERS + 1];
    edge[0] = AREA / density(TAIL);
    edge[1] = TAIL;
    for i in 2..NUM_LAYERS {
        edge[i] = (-2.0 * ln(density(edge[i - 1]) + AREA / edge[i - 1])).sqrt();
    }
    edge
}

/// Draws a normal number with mean 0 and variance 1. Nothing is kept between draws, so the stream
/// is all that is needed to resume.
#[inline]
pub fn normal(rng: &mut ChainRng) -> f64 {
    let tables = ziggurat();
    loop {
        let place = Place::next(tables, rng);
        if place.is_inside(tables) {
            return place.x;
        }
        if let Some(x) = beyond(tables, place, rng) {
            return x;
        }
    }
}

/// Replaces each v of `values[first], values[first + stride], ...` by `f(v, r)`, with the r drawn
/// one after another as by [`normal`]. It is the faster way to draw many, as the stream stays in
/// registers.
///
/// # Panics
/// If the stride is 0.
#[inline]
pub fn with_normals(
    rng: &mut ChainRng,
    values: &mut [f64],
    first: usize,
    stride: usize,
    f: impl Fn(f64, f64) -> f64 + Copy,
) {
    assert!(stride > 0);
    let tables = ziggurat();
    let mut at = first;
    while let Some((outside, place)) = while_inside(tables, rng, values, at, stride, f) {
        let r = beyond(tables, place, rng).unwrap_or_else(|| normal(rng));
        values[outside] = f(values[outside], r);
        at = outside + stride;
    }
}

/// [`with_normals`] up to the first place outside its layer's rectangle. It is a separate function,
/// so that handling such a place uses no registers here.
#[inline(never)]
fn while_inside(
    tables: &Ziggurat,
    rng: &mut ChainRng,
    values: &mut [f64],
    first: usize,
    stride: usize,
    f: impl Fn(f64, f64) -> f64,
) -> Option<(usize, Place)> {
    let mut own = rng.clone();
    let mut outside = None;
    let mut at = first;
    while at < values.len() {
        let place = Place::next(tables, &mut own);
        if !place.is_inside(tables) {
            outside = Some((at, place));
            break;
        }
        values[at] = f(values[at], place.x);
        at += stride;
    }
    *rng = own;
    outside
}

/// A horizontal place in a layer.
#[derive(Clone, Copy)]
struct Place {
    layer: usize,
    /// The place n, from −2⁵² to 2⁵² − 1.
    n: i64,
    x: f64,
}

impl Place {
    /// Makes a place from one draw: its low 8 bits choose the layer, its high 53 the place.
    #[inline(always)]
    fn next(tables: &Ziggurat, rng: &mut ChainRng) -> Self {
        let bits = rng.next_u64();
        let (layer, n) = ((bits & 0xff) as usize, (bits as i64) >> 11);
        Self { layer, n, x: n as f64 * tables.layers[layer].unit }
    }

    #[inline(always)]
    fn is_inside(&self, tables: &Ziggurat) -> bool {
        self.n.unsigned_abs() < tables.layers[self.layer].inside
    }
}

/// Handles a place outside its layer's rectangle, 1 in 100, separately from the common case.
#[cold]
fn beyond(tables: &Ziggurat, place: Place, rng: &mut ChainRng) -> Option<f64> {
    let Place { layer: i, x, .. } = place;
    let height = &tables.height;
    if i == 0 {
        return Some(tail(rng).copysign(x));
    }
    (height[i] + uniform(rng) * (height[i + 1] - height[i]) < density(x)).then_some(x)
}

/// Draws a normal number given that it exceeds TAIL (Marsaglia 1964).
fn tail(rng: &mut ChainRng) -> f64 {
    loop {
        let x = -ln(1.0 - uniform(rng)) / TAIL;
        let y = -ln(1.0 - uniform(rng));
        if 2.0 * y > x * x {
            return TAIL + x;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng;

    /// The top layer must end at the density's peak, or the areas are not equal.
    #[test]
    fn the_layers_cover_the_density() {
        let (edge, height) = (edges(), ziggurat().height);
        assert!(edge.windows(2).all(|pair| pair[0] > pair[1]));
        let last = NUM_LAYERS - 1;
        assert!((height[last] + AREA / edge[last] - 1.0).abs() < 1e-12);
    }

    /// At each threshold, places are classified as by their layers' edges.
    #[test]
    fn places_are_inside_where_their_numbers_are() {
        let (tables, edge) = (ziggurat(), edges());
        for (layer, &Layer { unit, inside }) in tables.layers.iter().enumerate() {
            for n in inside.saturating_sub(3)..=inside + 3 {
                for n in [n as i64, -(n as i64)] {
                    let place = Place { layer, n, x: n as f64 * unit };
                    assert_eq!(
                        place.is_inside(tables),
                        place.x.abs() < edge[layer + 1],
                        "{layer} {n}"
                    );
                }
            }
        }
    }

    /// Enough draws to include the tail and the edges of layers.
    #[test]
    fn many_are_those_drawn_one_by_one() {
        let mut one_by_one = ChainRng::seed_from_u64(2);
        let mut together = one_by_one.clone();
        let mut numbers = vec![0.0; 100_000];
        with_normals(&mut together, &mut numbers, 0, 1, |_, x| x);
        assert!(numbers.iter().all(|x| *x == normal(&mut one_by_one)));
        assert!(together == one_by_one && numbers.iter().any(|x| x.abs() > TAIL));
    }

    /// Compares moments 1 to 6 of a million draws with the exact ones, within six standard errors.
    #[test]
    fn has_the_moments_of_a_standard_normal() {
        let mut rng = ChainRng::seed_from_u64(1);
        let num_draws = 1_000_000;
        let mut sums = [0.0; 6];
        for _ in 0..num_draws {
            let x = normal(&mut rng);
            let mut power = 1.0;
            for sum in &mut sums {
                power *= x;
                *sum += power;
            }
        }
        let moments = [0.0, 1.0, 0.0, 3.0, 0.0, 15.0];
        let variances = [1.0, 2.0, 15.0, 96.0, 945.0, 10_170.0_f64];
        for ((sum, moment), variance) in sums.into_iter().zip(moments).zip(variances) {
            let error = (variance / num_draws as f64).sqrt();
            assert!((sum / num_draws as f64 - moment).abs() < 6.0 * error);
        }
    }
}
