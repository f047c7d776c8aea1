//! Compares with a sweep site by site, with frequencies, and with exact averages.

use super::*;
use crate::bits::fill_random;
use crate::bits::{bit, flip};

use crate::energy::{Energy, Parametric};
use crate::models::ising::{Ising, IsingSpec, Pattern, UniformSpins};
use crate::rng::{Purpose, stream};
use crate::sample::checkerboard::Checkerboard;

fn model(num_rows: usize, num_cols: usize, coupling: f64, field: f64) -> Ising {
    let uniform = Some(UniformSpins { coupling, field });
    let pattern = Pattern::Lattice { num_rows, num_cols, periodic: true };
    let spec = IsingSpec { dim: num_rows * num_cols, pattern, uniform, ..IsingSpec::default() };
    spec.build().unwrap()
}

pub(super) fn torus(num_rows: usize, num_cols: usize, coupling: f64, field: f64) -> Torus {
    let model = model(num_rows, num_cols, coupling, field);
    Torus::new(&EvenTorus::of_model(&model).expect("a uniform torus"))
}

pub(super) fn random_row(dim: usize) -> Vec<u64> {
    let mut row = vec![0; words_per_row(dim)];
    fill_random(&mut row, dim, &mut stream(2, Purpose::InitialState, dim as u64));
    row
}

/// Rows of less than a word, of one, and of parts of words; pairs of rows that do not fill the lanes,
/// fill them, and take more.
pub(super) const SIZES: [(usize, usize); 12] = [
    (4, 4),
    (4, 6),
    (6, 4),
    (6, 62),
    (30, 64),
    (32, 66),
    (34, 126),
    (4, 130),
    (38, 128),
    (70, 20),
    (4, 200),
    (8, 256),
];

#[test]
fn colours_are_packed_and_unpacked() {
    for (num_rows, num_cols) in SIZES {
        let torus = torus(num_rows, num_cols, 0.3, 0.0);
        let row = random_row(num_rows * num_cols);
        let colours = torus.unpack(&row);
        for site in 0..num_rows * num_cols {
            let (line, col) = (site / num_cols, site % num_cols);
            let plane = &colours.planes[(line + col) % 2][line % 2];
            let word = plane[col / 64 * torus.height() + line / 2 + 1];
            assert_eq!(word >> (col / 2 % 32) & 1 == 1, bit(&row, site), "site {site}");
        }
        let mut again = vec![u64::MAX; row.len()];
        torus.pack(&colours, &mut again);
        assert_eq!(again, row);
    }
}

/// Tosses until heads for each site on its own, on the same random words, without and with a field.
#[test]
fn a_sweep_is_the_heat_bath() {
    for (num_rows, num_cols) in SIZES {
        for field in [0.0, -0.1] {
            let torus = torus(num_rows, num_cols, 0.35, field);
            let reversed = torus.clone().reversed();
            let model = model(num_rows, num_cols, 0.35, field);
            let (biases, couplings) = model.params().split_at(model.dim());
            let probabilities = probabilities(biases[0], couplings[0]);
            let mut row = random_row(num_rows * num_cols);
            let mut slow = row.clone();
            let [mut fast_rng, mut slow_rng] = [(); 2].map(|()| stream(2, Purpose::Chain, 0));
            for step in 0..6 {
                let order = [[0, 1], [1, 0]][step % 2];
                let before = row.clone();
                let torus = if step % 2 == 0 { &torus } else { &reversed };
                let num_flips = torus.step(&mut row, &mut fast_rng).num_flips;
                sweep(&mut slow, num_rows, num_cols, order, &probabilities, &mut slow_rng);
                assert_eq!(row, slow, "{num_rows} × {num_cols}");
                let changed = before.iter().zip(&row).map(|(a, b)| (a ^ b).count_ones() as usize);
                assert_eq!(num_flips, changed.sum::<usize>());
            }
        }
    }
}

fn sweep(
    row: &mut [u64],
    num_rows: usize,
    num_cols: usize,
    order: [usize; 2],
    probabilities: &[u64; CLASSES],
    rng: &mut ChainRng,
) {
    let key = key(rng);
    let width = num_cols.div_ceil(64);
    for colour in order {
        for site in 0..num_rows * num_cols {
            let (line, col) = (site / num_cols, site % num_cols);
            if (line + col) % 2 != colour {
                continue;
            }
            let index = (colour * num_rows + line) * width + col / 64;
            let mut generator = seeds(index as u32, key);
            let heads = (1..=64).find(|_| next(&mut generator) >> (col / 2 % 32) & 1 == 1);
            let at = |line: usize, col: usize| {
                usize::from(bit(row, line % num_rows * num_cols + col % num_cols))
            };
            let p = probabilities[at(line + 1, col)
                + at(line + num_rows - 1, col)
                + at(line, col + 1)
                + at(line, col + num_cols - 1)];
            let is_one = p >> (64 - heads.expect("heads in 64 tosses")) & 1 == 1;
            if bit(row, site) != is_one {
                flip(row, site);
            }
        }
    }
}

/// Words that a published form of the generator gives, begun with the published mixing function.
#[test]
fn words_are_those_of_the_published_generators() {
    fn lowbias32(mut x: u32) -> u32 {
        x ^= x >> 16;
        x = x.wrapping_mul(0x7feb_352d);
        x ^= x >> 15;
        x = x.wrapping_mul(0x846c_a68b);
        x ^ x >> 16
    }
    assert_eq!(seeds(5, [0, 1, 2, 3])[0], lowbias32(5));
    let [a, b, c, d] = seeds(5, [7, 1, 2, 3]);
    assert_eq!(a, lowbias32(12));
    let product = (a ^ 1).wrapping_mul(0x7feb_352d);
    assert_eq!(b, product ^ product >> 15);
    let product = (b ^ 2).wrapping_mul(0x846c_a68b);
    assert_eq!([c, d], [product ^ product >> 16, 3]);
    // As in the source.
    let [mut a, mut b, mut c, mut d] = [0xf1ea_5eed_u32, 9, 9, 9];
    let mut generator = [a, b, c, d];
    for _ in 0..40 {
        let e = a.wrapping_sub(b.rotate_left(27));
        a = b ^ c.rotate_left(17);
        b = c.wrapping_add(d);
        c = d.wrapping_add(e);
        d = e.wrapping_add(a);
        assert_eq!(next(&mut generator), d);
    }
}

/// Counts equal bits of the tosses of neighbouring words, of words across a column, of the same
/// word in the next sweep, of the same word with the colours exchanged, and of one toss and the
/// next ones. Each has N bits, and is within 6 standard errors of N/2: a false alarm has
/// probability 2·10⁻⁹ per comparison, of which there are 100.
#[test]
fn tosses_are_independent() {
    const NUM_TOSSES: usize = 10;
    let (num_words, width) = (1 << 15, 8);
    let mut rng = stream(7, Purpose::Example, 0);
    let mut draw = || -> Vec<[u32; NUM_TOSSES]> {
        let [low, high] = [(); 2].map(|()| rng.next_u64());
        let key = [low as u32, (low >> 32) as u32, high as u32, (high >> 32) as u32];
        let words = (0..num_words).map(|index| {
            let mut generator = seeds(index as u32, key);
            std::array::from_fn(|_| next(&mut generator))
        });
        words.collect()
    };
    let mut before = draw();
    let mut equal = [[0_u64; 2 * NUM_TOSSES]; 5];
    let mut counted = equal;
    for _ in 0..20 {
        let now = draw();
        let mut count = |kind: usize, toss: usize, a: u32, b: u32| {
            equal[kind][toss] += u64::from((!(a ^ b)).count_ones());
            counted[kind][toss] += 32;
        };
        for index in 0..num_words {
            for toss in 0..NUM_TOSSES {
                let word = now[index][toss];
                for (kind, step) in [1, 2 * width, num_words / 2].into_iter().enumerate() {
                    count(kind, toss, word, now[(index + step) % num_words][toss]);
                }
                count(3, toss, word, before[index][toss]);
                for later in toss + 1..NUM_TOSSES {
                    count(4, later - toss, word, now[index][later]);
                }
                // The bit itself is heads in half of the words.
                count(4, NUM_TOSSES + toss, word, 0);
            }
        }
        before = now;
    }
    for (equal, counted) in equal.as_flattened().iter().zip(counted.as_flattened()) {
        let (equal, counted) = (*equal as f64, *counted as f64);
        assert!((equal - counted / 2.0).abs() <= 6.0 * (counted / 4.0).sqrt());
    }
}

/// Compares the frequency of ones by class, within 5.5 standard errors: a false alarm has
/// probability 4·10⁻⁸ per class.
#[test]
fn the_probabilities_are_those_of_the_model() {
    for field in [0.0, 0.1] {
        let torus = torus(4, 4, 0.44, field);
        let mut rng = stream(3, Purpose::Example, 0);
        for count in 0..CLASSES {
            // All sites have this class.
            let words = |index: usize, members: &[&[usize]]| {
                let is_in = |(bit, counts): (usize, &&[usize])| {
                    index >> bit & 1 == 1 && counts.contains(&count)
                };
                [if members.iter().enumerate().any(is_in) { u32::MAX } else { 0 }; LANES]
            };
            let classes = Classes {
                even: std::array::from_fn(|index| words(index, &[&[1, 3], &[0, 4]])),
                rest: std::array::from_fn(|index| words(index, &[&[2], &[3], &[4]])),
            };
            let mut state = State::default();
            let num_rounds = 4000;
            let mut num_ones = 0;
            for _ in 0..num_rounds {
                let key = [(); 4].map(|()| rng.next_u64() as u32);
                state.seed(&std::array::from_fn(|lane| lane as u32), 0, key);
                state.set_sites(u32::MAX, LANES);
                torus.draw(&classes, &mut state);
                num_ones += state.ones.iter().map(|ones| u64::from(ones.count_ones())).sum::<u64>();
            }
            let num_draws = (32 * LANES * num_rounds) as f64;
            // In spins: the field and 0.44 times the sum of the neighbours.
            let p = sigmoid(2.0 * (field + 0.44 * (2.0 * count as f64 - 4.0)));
            let error = (p * (1.0 - p) / num_draws).sqrt();
            let frequency = num_ones as f64 / num_draws;
            assert!((frequency - p).abs() < 5.5 * error, "{count}: {frequency} for {p}");
        }
    }
}

/// Many steps in one call are the same steps one after another.
#[test]
fn steps_do_not_depend_on_their_grouping() {
    let checkerboard = Checkerboard::new(&model(6, 70, 0.4, 0.02)).unwrap();
    let [mut together, mut apart] = [(); 2].map(|()| random_row(420));
    let [mut first, mut second] = [(); 2].map(|()| stream(5, Purpose::Chain, 0));
    let mut infos = Vec::new();
    checkerboard.steps(&mut together, &mut first, 7, |info| infos.push(info));
    let one_by_one: Vec<_> = (0..7).map(|_| checkerboard.step(&mut apart, &mut second)).collect();
    assert_eq!(together, apart);
    assert_eq!(infos, one_by_one);
    assert_eq!(first.next_u64(), second.next_u64());
}
