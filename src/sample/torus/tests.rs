//! Compares with a sweep site by site, and with frequencies.

use super::*;
use crate::bits::fill_random;
use crate::bits::{bit, flip};
use crate::models::ising::{IsingSpec, UniformSpins};
use crate::rng::{Purpose, stream};

fn torus(num_rows: usize, num_cols: usize, coupling: f64, field: f64) -> Torus {
    let uniform = Some(UniformSpins { coupling, field });
    let pattern = Pattern::Lattice { num_rows, num_cols, periodic: true };
    let spec = IsingSpec { dim: num_rows * num_cols, pattern, uniform, ..IsingSpec::default() };
    Torus::new(&spec.build().unwrap()).expect("a uniform torus")
}

const SIZES: [(usize, usize); 6] = [(4, 4), (4, 6), (6, 64), (4, 130), (4, 200), (8, 256)];

#[test]
fn colours_are_packed_and_unpacked() {
    for (num_rows, num_cols) in SIZES {
        let torus = torus(num_rows, num_cols, 0.3, 0.0);
        let dim = num_rows * num_cols;
        let mut row = vec![0; words_per_row(dim)];
        fill_random(&mut row, dim, &mut stream(1, Purpose::Example, dim as u64));
        let colours = torus.unpack(&row);
        for site in 0..dim {
            let (line, col) = (site / num_cols, site % num_cols);
            let own = &colours.words[(line + col) % 2][line * torus.width()..];
            assert_eq!(bit(own, col / 2), bit(&row, site), "site {site}");
        }
        let mut again = vec![u64::MAX; row.len()];
        torus.pack(&colours, &mut again);
        assert_eq!(again, row);
    }
}

/// Compares digit by digit and site by site, on the same random words.
#[test]
fn a_sweep_is_the_heat_bath() {
    for (num_rows, num_cols) in SIZES {
        let dim = num_rows * num_cols;
        let torus = torus(num_rows, num_cols, 0.35, -0.1);
        let probabilities: [u64; CLASSES] = std::array::from_fn(|class| {
            torus.digits.iter().fold(0, |p, digit| p << 1 | digit[class] & 1)
        });
        let mut row = vec![0; words_per_row(dim)];
        fill_random(&mut row, dim, &mut stream(2, Purpose::InitialState, dim as u64));
        let mut slow = row.clone();
        let [mut fast_rng, mut slow_rng] = [(); 2].map(|()| stream(2, Purpose::Chain, 0));
        for step in 0..20 {
            let order = [[0, 1], [1, 0]][step % 2];
            let before = row.clone();
            let info = torus.step(&mut row, order, &mut fast_rng);
            sweep(&mut slow, num_rows, num_cols, order, &probabilities, &mut slow_rng);
            assert_eq!(row, slow);
            let changed = before.iter().zip(&row).map(|(a, b)| (a ^ b).count_ones() as usize);
            assert_eq!(info.num_flips, changed.sum::<usize>());
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
    for colour in order {
        for line in 0..num_rows {
            let cols: Vec<usize> = (0..num_cols).filter(|col| (line + col) % 2 == colour).collect();
            for cols in cols.chunks(64) {
                // Draw random words until every site's number differs from its probability.
                let mut numbers = vec![0_u64; cols.len()];
                let wanted: Vec<u64> = cols
                    .iter()
                    .map(|&col| {
                        let at = |line: usize, col: usize| {
                            let site = line % num_rows * num_cols + col % num_cols;
                            usize::from(bit(row, site))
                        };
                        probabilities[at(line + 1, col)
                            + at(line + num_rows - 1, col)
                            + at(line, col + 1)
                            + at(line, col + num_cols - 1)]
                    })
                    .collect();
                for place in (0..64).rev() {
                    let random = rng.next_u64();
                    for (k, number) in numbers.iter_mut().enumerate() {
                        *number |= (random >> k & 1) << place;
                    }
                    let differ = |(number, wanted): (&u64, &u64)| (number ^ wanted) >> place != 0;
                    if numbers.iter().zip(&wanted).all(differ) {
                        break;
                    }
                }
                for ((&col, number), wanted) in cols.iter().zip(numbers).zip(wanted) {
                    let site = line * num_cols + col;
                    if bit(row, site) != (number < wanted) {
                        flip(row, site);
                    }
                }
            }
        }
    }
}

/// Compares the frequency of ones by count, within 5.5 standard errors: a false alarm has
/// probability 5 · 4·10⁻⁸.
#[test]
fn the_probabilities_are_those_of_the_model() {
    let torus = torus(4, 4, 0.44, 0.1);
    let mut rng = stream(3, Purpose::Example, 0);
    for count in 0..CLASSES {
        let mut masks = [0; CLASSES];
        masks[count] = u64::MAX;
        let num_words = 20_000;
        let ones: u32 =
            (0..num_words).map(|_| torus.draw(masks, u64::MAX, &mut rng).count_ones()).sum();
        let num_draws = 64.0 * f64::from(num_words);
        // In spins: the field and 0.44 times the sum of the neighbours.
        let p = sigmoid(2.0 * (0.1 + 0.44 * (2.0 * count as f64 - 4.0)));
        let error = (p * (1.0 - p) / num_draws).sqrt();
        assert!((f64::from(ones) / num_draws - p).abs() < 5.5 * error, "{count}");
    }
}
