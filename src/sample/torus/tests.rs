//! Compares with a sweep site by site, with frequencies, and with exact averages.

use super::*;
use crate::bits::fill_random;
use crate::bits::{bit, flip};

use crate::energy::{Energy, SiteFlips};
use crate::models::ising::{Ising, IsingSpec, Pattern, UniformSpins};
use crate::rng::{Purpose, stream};
use crate::sample::checkerboard::Checkerboard;

fn square(num_rows: usize, num_cols: usize) -> Pattern {
    Pattern::Lattice { num_rows, num_cols, periodic: true }
}

fn triangular(num_rows: usize, num_cols: usize) -> Pattern {
    Pattern::Triangular { num_rows, num_cols, periodic: true }
}

fn cubic(num_layers: usize, num_rows: usize, num_cols: usize) -> Pattern {
    Pattern::Cubic { num_layers, num_rows, num_cols, periodic: true }
}

fn model(pattern: Pattern, coupling: f64, field: f64) -> Ising {
    let uniform = Some(UniformSpins { coupling, field });
    let dim = pattern.lattice().and_then(|lattice| lattice.num_sites()).expect("a small lattice");
    IsingSpec { dim, pattern, uniform, ..IsingSpec::default() }.build().unwrap()
}

fn sweeps(model: &Ising) -> Torus {
    Torus::new(&EvenTorus::of_model(model).expect("a uniform torus"))
}

pub(super) fn torus(num_rows: usize, num_cols: usize, coupling: f64, field: f64) -> Torus {
    sweeps(&model(square(num_rows, num_cols), coupling, field))
}

/// Square and triangular lattices of all sizes, and cubic ones of several numbers of layers.
fn patterns() -> Vec<Pattern> {
    let cubes = [4, 6, 4, 8, 6, 4, 4, 6, 4, 4, 4, 4].into_iter().zip(SIZES);
    let cubes = cubes.map(|(layers, (rows, cols))| cubic(layers, rows, cols));
    let flat =
        SIZES.into_iter().flat_map(|(rows, cols)| [square(rows, cols), triangular(rows, cols)]);
    flat.chain(cubes).collect()
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
    for pattern in patterns() {
        let model = model(pattern, 0.3, 0.0);
        let torus = sweeps(&model);
        let row = random_row(model.dim());
        let colours = torus.unpack(&row);
        for site in 0..model.dim() {
            let Place { layer, line, col } = place(&torus, site);
            let plane = &colours.planes[(line + col) % 2][line % 2];
            let word = plane[torus.column(layer, col / 64).start + line / 2 + 1];
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
    for pattern in patterns() {
        for field in [0.0, -0.1] {
            let model = model(pattern.clone(), 0.35, field);
            let torus = sweeps(&model);
            let reversed = torus.clone().reversed();
            let kinds = kinds(&torus, &model);
            let mut row = random_row(model.dim());
            let mut slow = row.clone();
            let [mut fast_rng, mut slow_rng] = [(); 2].map(|()| stream(2, Purpose::Chain, 0));
            for step in 0..6 {
                let before = row.clone();
                let torus = if step % 2 == 0 { &torus } else { &reversed };
                let num_flips = torus.step(&mut row, &mut fast_rng).num_flips;
                let key = key(&mut slow_rng);
                let mut order: Vec<_> = kinds.iter().collect();
                if step % 2 == 1 {
                    order.reverse();
                }
                order.iter().for_each(|sites| update(&mut slow, sites, torus, &model, key));
                assert_eq!(row, slow, "{pattern:?}");
                let changed = before.iter().zip(&row).map(|(a, b)| (a ^ b).count_ones() as usize);
                assert_eq!(num_flips, changed.sum::<usize>());
            }
        }
    }
}

struct Place {
    layer: usize,
    line: usize,
    col: usize,
}

fn place(torus: &Torus, site: usize) -> Place {
    let Lattice { num_rows, num_cols, .. } = torus.lattice;
    let (line, col) = (site / num_cols, site % num_cols);
    Place { layer: line / num_rows, line: line % num_rows, col }
}

/// The sites in the order of a sweep: kinds that are updated at once, none of which has neighbours of
/// its own kind.
fn kinds(torus: &Torus, model: &Ising) -> Vec<Vec<usize>> {
    let mut kinds = vec![Vec::new(); 4];
    let mut kind_of = Vec::new();
    for site in 0..model.dim() {
        let Place { layer, line, col } = place(torus, site);
        let colour = (layer + line + col) % 2;
        kind_of.push(match torus.lattice.grid {
            Grid::Triangular => 2 * colour + line % 2,
            Grid::Square | Grid::Cubic => colour,
        });
        kinds[kind_of[site]].push(site);
    }
    let pairs = model.pattern().sparse_pairs(model.dim()).unwrap().unwrap();
    assert!(pairs.iter().all(|[i, j]| kind_of[*i] != kind_of[*j]));
    kinds
}

fn update(row: &mut [u64], sites: &[usize], torus: &Torus, model: &Ising, key: [u32; 4]) {
    let Lattice { num_layers, num_rows, num_cols, .. } = torus.lattice;
    let before = row.to_vec();
    for &site in sites {
        let Place { layer, line, col } = place(torus, site);
        let rows = ((line + col) % 2 * num_layers + layer) * num_rows + line;
        let index = rows * num_cols.div_ceil(64) + col / 64;
        let mut generator = seeds(index as u32, key);
        let heads = (1..=64).find(|_| next(&mut generator) >> (col / 2 % 32) & 1 == 1);
        // In the energy's own terms: what being 1 costs.
        let delta = model.flip_delta(&before, site);
        let cost = if bit(&before, site) { -delta } else { delta };
        let p = torus.probabilities[count_of(torus, cost)];
        let is_one = p >> (64 - heads.expect("heads in 64 tosses")) & 1 == 1;
        if bit(row, site) != is_one {
            flip(row, site);
        }
    }
}

/// The number of neighbours that are 1, given what it costs to be 1.
fn count_of(torus: &Torus, cost: f64) -> usize {
    let counts = 0..torus.probabilities.len();
    let distance = |count: &usize| {
        let p = torus.probabilities[*count] as f64 / (1_u128 << 64) as f64;
        (sigmoid(-cost) - p).abs()
    };
    counts.min_by(|a, b| distance(a).total_cmp(&distance(b))).expect("several probabilities")
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
    for (pattern, field) in [(square(4, 4), 0.0), (square(4, 4), 0.1), (cubic(4, 4, 4), 0.05)] {
        let torus = sweeps(&model(pattern, 0.44, field));
        let num_neighbours = torus.lattice.grid.num_neighbours();
        let mut rng = stream(3, Purpose::Example, 0);
        for count in 0..=num_neighbours {
            // All sites have this class: as many others as can be, and else both beside.
            let num_others = num_neighbours - 2;
            let num_beside = if count > num_others { 2 } else { 0 };
            let all = |is_one: bool| if is_one { [u32::MAX; LANES] } else { [0; LANES] };
            let [above, below, e, f] = [0, 1, 2, 3].map(|at| all(at < count - num_beside));
            let beside = &all(num_beside > 0);
            let neighbours = Neighbours { beside, edge: beside, above: &above, below: &below };
            let mut classes = Classes::default();
            match num_neighbours {
                4 => classes.set_of_four::<true>(&neighbours, 31),
                _ => classes.set_of_six::<true>(&neighbours, 31, &e, &f),
            }
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
            let p = sigmoid(2.0 * (field + 0.44 * (2.0 * count as f64 - num_neighbours as f64)));
            let error = (p * (1.0 - p) / num_draws).sqrt();
            let frequency = num_ones as f64 / num_draws;
            assert!((frequency - p).abs() < 5.5 * error, "{count}: {frequency} for {p}");
        }
    }
}

/// Many steps in one call are the same steps one after another.
#[test]
fn steps_do_not_depend_on_their_grouping() {
    let checkerboard = Checkerboard::new(&model(square(6, 70), 0.4, 0.02));
    let [mut together, mut apart] = [(); 2].map(|()| random_row(420));
    let [mut first, mut second] = [(); 2].map(|()| stream(5, Purpose::Chain, 0));
    let mut infos = Vec::new();
    checkerboard.steps(&mut together, &mut first, 7, |info| infos.push(info));
    let one_by_one: Vec<_> = (0..7).map(|_| checkerboard.step(&mut apart, &mut second)).collect();
    assert_eq!(together, apart);
    assert_eq!(infos, one_by_one);
    assert_eq!(first.next_u64(), second.next_u64());
}
