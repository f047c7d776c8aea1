//! Synthetic fingerprints, binary and seeded, for memories of realistic size without anyone's real
//! fingerprints.
//!
//! As in Cappelli et al. 2000 (SFinGe), ridges are grown on a field of orientations by repeatedly
//! filtering noise with it. The field is that of zeros and poles (Sherlock and Monro 1993): with
//! the loops' cores c and deltas
//! d as complex numbers, the ridge at z runs at the angle φ with
//!
//! `e^{2iφ} = Π_c (z − c)/|z − c| · Π_d |z − d|/(z − d)`,
//!
//! and in arches, which have neither, `tan φ` is an arc's slope. The filter is a Gabor function
//! across the ridge, with a period chosen for each print; after each pass values are clipped at ±1.
//! Where the ridges' phases cannot match, a ridge ends or forks: these are the minutiae.

use crate::bits::BitMatrix;
use crate::math::{cos, exp, sin};
use crate::rng::{ChainRng, Purpose, stream, uniform};
use std::f64::consts::PI;

/// Pixels per side.
pub const SIDE: usize = 64;

/// Pixels grown on each side in addition, so that the picture has no edge effects.
const BORDER: usize = 6;
const GROWN: usize = SIDE + 2 * BORDER;

/// Number of orientations for which filters are made.
const NUM_ANGLES: usize = 48;

/// Half the side of a filter, in pixels.
const REACH: usize = 6;
const WIDTH: usize = 2 * REACH + 1;

const NUM_PASSES: usize = 10;

/// Fingerprints of 64 × 64 pixels, one per row, `[count, 4096]`: a set bit is a ridge, pixels in
/// reading order. Fingerprint i does not depend on `count`.
///
/// # Panics
/// If `count` is 0.
pub fn fingerprints(count: usize, seed: u64) -> BitMatrix {
    assert!(count > 0);
    let mut prints = BitMatrix::zeros(SIDE * SIDE, count);
    for (index, row) in prints.rows_mut().enumerate() {
        fingerprint(seed, index as u64, row);
    }
    prints
}

/// Writes one fingerprint into a row of zeros.
fn fingerprint(seed: u64, index: u64, row: &mut [u64]) {
    let mut rng = stream(seed, Purpose::Fingerprint, index);
    let field = Field::random(&mut rng);
    let period = 5.2 + 1.8 * uniform(&mut rng);
    let filters: Vec<Vec<f64>> = (0..NUM_ANGLES).map(|at| filter(angle(at), period)).collect();
    let which: Vec<usize> = (0..GROWN * GROWN)
        .map(|pixel| {
            let place = |at: usize| (at as f64 - 0.5 * (GROWN as f64 - 1.0)) / (0.5 * SIDE as f64);
            nearest_angle(field.at(place(pixel % GROWN), place(pixel / GROWN)))
        })
        .collect();
    let mut picture: Vec<f64> = (0..GROWN * GROWN).map(|_| 2.0 * uniform(&mut rng) - 1.0).collect();
    for _ in 0..NUM_PASSES {
        picture = pass(&picture, &filters, &which);
    }
    for y in 0..SIDE {
        for x in 0..SIDE {
            let ridge = picture[(y + BORDER) * GROWN + x + BORDER] > 0.0;
            let pixel = y * SIDE + x;
            row[pixel / 64] |= u64::from(ridge) << (pixel % 64);
        }
    }
}

/// One pass of the filters, with zeros beyond the edges.
fn pass(picture: &[f64], filters: &[Vec<f64>], which: &[usize]) -> Vec<f64> {
    let padded_side = GROWN + 2 * REACH;
    let mut padded = vec![0.0; padded_side * padded_side];
    for (y, line) in picture.chunks_exact(GROWN).enumerate() {
        padded[(y + REACH) * padded_side + REACH..][..GROWN].copy_from_slice(line);
    }
    let filtered = |pixel: usize| {
        let (x, y) = (pixel % GROWN, pixel / GROWN);
        let mut sums = [0.0; WIDTH];
        for (dy, taps) in filters[which[pixel]].chunks_exact(WIDTH).enumerate() {
            let line = &padded[(y + dy) * padded_side + x..][..WIDTH];
            for (sum, (tap, value)) in sums.iter_mut().zip(taps.iter().zip(line)) {
                *sum += tap * value;
            }
        }
        sums.iter().sum::<f64>().clamp(-1.0, 1.0)
    };
    (0..GROWN * GROWN).map(filtered).collect()
}

fn angle(at: usize) -> f64 {
    PI * at as f64 / NUM_ANGLES as f64
}

/// Index of the filter angle nearest to a doubled direction (cos 2φ, sin 2φ).
fn nearest_angle(doubled: (f64, f64)) -> usize {
    let along = |at: usize| {
        let twice = 2.0 * angle(at);
        cos(twice) * doubled.0 + sin(twice) * doubled.1
    };
    let mut best = (f64::NEG_INFINITY, 0);
    for at in 0..NUM_ANGLES {
        let found = along(at);
        if found > best.0 {
            best = (found, at);
        }
    }
    best.1
}

/// A Gabor function with ridges at an angle; its sum is 0 and its gain for its own wave 2.
fn filter(angle: f64, period: f64) -> Vec<f64> {
    let (s, c) = (sin(angle), cos(angle));
    let sigma = 0.42 * period;
    let mut taps = Vec::with_capacity(WIDTH * WIDTH);
    let mut waves = Vec::with_capacity(WIDTH * WIDTH);
    let mut bells = Vec::with_capacity(WIDTH * WIDTH);
    for dy in 0..WIDTH {
        for dx in 0..WIDTH {
            let (x, y) = (dx as f64 - REACH as f64, dy as f64 - REACH as f64);
            let across = -s * x + c * y;
            let wave = cos(2.0 * PI * across / period);
            let bell = exp(-(x * x + y * y) / (2.0 * sigma * sigma));
            waves.push(wave);
            bells.push(bell);
            taps.push(wave * bell);
        }
    }
    let mean = taps.iter().sum::<f64>() / bells.iter().sum::<f64>();
    taps.iter_mut().zip(&bells).for_each(|(tap, bell)| *tap -= mean * bell);
    let gain: f64 = taps.iter().zip(&waves).map(|(tap, wave)| tap * wave).sum();
    taps.iter_mut().for_each(|tap| *tap *= 2.0 / gain);
    taps
}

/// A field of ridge directions on the square [−1, 1]², y downwards.
struct Field {
    cores: Vec<(f64, f64)>,
    deltas: Vec<(f64, f64)>,
    /// Height of an arch, used if there are no cores.
    arch: f64,
    /// Cosine and sine of an angle; ridges are rotated by half this angle against the field, so
    /// that whorls become spirals.
    twist: (f64, f64),
    /// Cosine and sine of the angle at which the finger is held.
    tilt: (f64, f64),
}

impl Field {
    /// A field of a random class: a third whorls, half loops to either side, the rest arches.
    fn random(rng: &mut ChainRng) -> Self {
        let class = uniform(rng);
        let mut off = |spread: f64| spread * (2.0 * uniform(rng) - 1.0);
        let (twist, tilt) = (off(0.5), off(0.45));
        let mut around = |x: f64, y: f64, spread: f64| (x + off(spread), y + off(spread));
        let (cores, deltas) = if class < 0.35 {
            let (x, y) = around(0.0, -0.1, 0.3);
            let (dx, dy) = around(0.0, 0.2, 0.12);
            let deltas = vec![around(-0.95, 0.75, 0.25), around(0.95, 0.75, 0.25)];
            (vec![(x - dx, y - dy), (x + dx, y + dy)], deltas)
        } else if class < 0.6 {
            (vec![around(0.1, -0.15, 0.3)], vec![around(-0.7, 0.7, 0.3)])
        } else if class < 0.85 {
            (vec![around(-0.1, -0.15, 0.3)], vec![around(0.7, 0.7, 0.3)])
        } else {
            (vec![], vec![])
        };
        let arch = 1.1 + off(0.5);
        Self { cores, deltas, arch, twist: (cos(twist), sin(twist)), tilt: (cos(tilt), sin(tilt)) }
    }

    /// (cos 2φ, sin 2φ) of the ridge's angle φ at a place.
    fn at(&self, x: f64, y: f64) -> (f64, f64) {
        let (x, y) = times((x, y), (self.tilt.0, -self.tilt.1));
        let mut doubled = times(self.tilt, self.tilt);
        if self.cores.is_empty() {
            // Arcs whose slope decreases towards the bottom.
            let slope = self.arch * (0.7 - 0.6 * y).max(0.0) * sin(1.6 * x);
            return times(doubled, unit(1.0 - slope * slope, 2.0 * slope));
        }
        doubled = times(doubled, self.twist);
        for (a, b) in &self.cores {
            doubled = times(doubled, unit(x - a, y - b));
        }
        for (a, b) in &self.deltas {
            let (c, s) = unit(x - a, y - b);
            doubled = times(doubled, (c, -s));
        }
        doubled
    }
}

/// The product of complex numbers.
fn times((a, b): (f64, f64), (c, d): (f64, f64)) -> (f64, f64) {
    (a * c - b * d, a * d + b * c)
}

/// The direction of a vector; that of the x-axis for the zero vector.
fn unit(x: f64, y: f64) -> (f64, f64) {
    let length = (x * x + y * y).sqrt();
    if length > 0.0 { (x / length, y / length) } else { (1.0, 0.0) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Half of a print is ridges, and no two prints agree in more than three quarters of their
    /// pixels, nor in less than a quarter.
    #[test]
    fn prints_are_distinct() {
        let prints = fingerprints(12, 1);
        let rows: Vec<&[u64]> = prints.as_batch().rows().collect();
        for (at, row) in rows.iter().enumerate() {
            let ridges: u32 = row.iter().map(|word| word.count_ones()).sum();
            assert!((1700..2400).contains(&ridges), "{ridges} ridge pixels");
            for other in &rows[..at] {
                let differing: u32 =
                    row.iter().zip(*other).map(|(a, b)| (a ^ b).count_ones()).sum();
                assert!((1024..3072).contains(&differing), "{differing} pixels differ");
            }
        }
    }

    /// Across its ridges a print changes once in about half a period, and much less along them.
    #[test]
    fn an_arch_has_ridges_of_its_period() {
        let field =
            Field { cores: vec![], deltas: vec![], arch: 0.0, twist: (1.0, 0.0), tilt: (1.0, 0.0) };
        assert_eq!(field.at(0.3, -0.2), (1.0, 0.0));
        let taps = filter(0.0, 6.0);
        assert!(taps.iter().sum::<f64>().abs() < 1e-12);
        // Ridges along x: the centre and half a period above it have opposite signs.
        let tap = |x: usize, y: usize| taps[(REACH + y) * WIDTH + REACH + x];
        assert!(tap(0, 0) > 0.0 && tap(2, 0) > 0.0 && tap(0, 3) < 0.0);
    }

    #[test]
    fn a_print_depends_on_its_seed_and_number_alone() {
        let prints = fingerprints(3, 7);
        assert_eq!(fingerprints(2, 7).to_bytes(), prints.to_bytes()[..2 * SIDE * SIDE / 8]);
        assert_ne!(fingerprints(1, 8).row(0), prints.row(0));
    }
}
