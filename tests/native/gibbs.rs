//! Gibbs sampling leaves a model's distribution as it is, and reaches it.

use unnorm::bits::fill_random;
use unnorm::bits::{BitMatrix, bit};
use unnorm::energy::{Energy, SiteFlips};
use unnorm::exact;
use unnorm::linalg::Batch;
use unnorm::math::exp;
use unnorm::models::ising::{Ising, IsingSpec, Pattern};
use unnorm::models::{Model, ModelSpec};
use unnorm::rng::{Purpose, stream, uniform};
use unnorm::sample::Transition;
use unnorm::sample::gibbs::{Gibbs, flip_probability};

const DIM: usize = 4;
const STATES: usize = 1 << DIM;

/// χ² with 15 degrees of freedom exceeds this with probability 2.5·10⁻⁷; two
/// tests use it, at fixed seeds.
const CHI_SQUARE_LIMIT: f64 = 60.0;

fn four_sites() -> Ising {
    IsingSpec::random(DIM, Pattern::Dense {}, 0.6, 7).build().unwrap()
}

fn distribution(model: &dyn Model) -> Vec<f64> {
    let dim = model.dim();
    let states: Vec<f64> = (0..1 << dim)
        .flat_map(|state| (0..dim).map(move |site| f64::from(state >> site & 1)))
        .collect();
    let mut energies = vec![0.0; 1 << dim];
    model.energy(Batch::new(dim, &states), &mut energies);
    let log_z = exact::enumerate(model.as_site_flips().unwrap()).unwrap().log_z;
    energies.iter().map(|energy| exp(-energy - log_z)).collect()
}

/// One sweep, exactly: site by site, with the conditional probabilities.
fn sweep(model: &dyn SiteFlips, mut p: Vec<f64>) -> Vec<f64> {
    for site in 0..model.dim() {
        let mut next = vec![0.0; p.len()];
        for (state, p) in p.iter().enumerate() {
            let flip = flip_probability(model.flip_delta(&[state as u64], site));
            next[state ^ 1 << site] += p * flip;
            next[state] += p * (1.0 - flip);
        }
        p = next;
    }
    p
}

#[test]
fn a_sweep_leaves_the_distribution_unchanged() {
    let mut models: Vec<_> =
        ModelSpec::examples().into_iter().map(|spec| spec.build().unwrap()).collect();
    models.push(Box::new(four_sites()));
    for model in models.iter().filter(|model| model.dim() <= 9) {
        let Some(flips) = model.as_site_flips() else { continue };
        let before = distribution(&**model);
        for (before, after) in before.iter().zip(sweep(flips, before.clone())) {
            assert!((before - after).abs() < 1e-14, "{before} {after}");
        }
    }
}

/// χ² of what `draw` gives for chains 0 to 39,999 against `expected`.
fn chi_square(expected: &[f64], mut draw: impl FnMut(u64) -> u64) -> f64 {
    let num_chains = 40_000;
    let mut counts = [0.0; STATES];
    (0..num_chains).for_each(|chain| counts[draw(chain) as usize] += 1.0);
    counts
        .iter()
        .zip(expected)
        .map(|(count, p)| {
            let mean = p * num_chains as f64;
            assert!(mean > 5.0, "too rare for χ²: {mean}");
            (count - mean) * (count - mean) / mean
        })
        .sum()
}

/// One sweep from one state lands where the product of conditionals says.
#[test]
fn a_step_is_a_sweep() {
    let model = four_sites();
    let mut start = vec![0.0; STATES];
    start[0b0110] = 1.0;
    let expected = sweep(&model, start);
    let found = chi_square(&expected, |chain| {
        let mut row = [0b0110];
        Gibbs::new(&model).step(&mut row, &mut stream(1, Purpose::Chain, chain));
        row[0]
    });
    assert!(found < CHI_SQUARE_LIMIT, "{found}");
    // The yardstick tells a wrong distribution from the right one.
    let stationary = distribution(&model);
    let off = chi_square(&stationary, |chain| {
        let mut row = [0b0110];
        Gibbs::new(&model).step(&mut row, &mut stream(1, Purpose::Chain, chain));
        row[0]
    });
    assert!(off > 2.0 * CHI_SQUARE_LIMIT, "{off}");
}

#[test]
fn chains_reach_the_distribution() {
    let model = four_sites();
    let found = chi_square(&distribution(&model), |chain| {
        let mut rng = stream(2, Purpose::Chain, chain);
        let mut row = [0];
        fill_random(&mut row, DIM, &mut rng);
        for _ in 0..30 {
            Gibbs::new(&model).step(&mut row, &mut rng);
        }
        row[0]
    });
    assert!(found < CHI_SQUARE_LIMIT, "{found}");
}

/// Moments of a torus of 16 spins from the chain against enumeration, within
/// six standard errors of independent chains.
#[test]
fn moments_of_a_torus() {
    let pattern = Pattern::Lattice { num_rows: 4, num_cols: 4, periodic: true };
    let model = IsingSpec::random(16, pattern, 0.4, 3).build().unwrap();
    let exact = exact::enumerate(&model).unwrap();
    let num_chains = 4000;
    let mut sums = vec![0.0; 256];
    for chain in 0..num_chains {
        let mut rng = stream(3, Purpose::Chain, chain);
        let mut row = [0];
        fill_random(&mut row, 16, &mut rng);
        for _ in 0..40 {
            Gibbs::new(&model).step(&mut row, &mut rng);
        }
        for (at, sum) in sums.iter_mut().enumerate() {
            *sum += f64::from(u8::from(bit(&row, at / 16) && bit(&row, at % 16)));
        }
    }
    for (sum, p) in sums.iter().zip(&exact.moments) {
        let error = (p * (1.0 - p) / num_chains as f64).sqrt();
        assert!((sum / num_chains as f64 - p).abs() < 6.0 * error, "{sum} {p}");
    }
}

#[test]
fn steps_count_their_flips_and_can_be_resumed() {
    for spec in IsingSpec::examples() {
        let model = spec.build().unwrap();
        let mut rows = BitMatrix::zeros(model.dim(), 1);
        let row = rows.rows_mut().next().unwrap();
        let mut rng = stream(4, Purpose::Chain, 0);
        let mut history = Vec::new();
        for _ in 0..20 {
            let before = row.to_vec();
            let (saved_row, saved_rng) = (before.clone(), rng.clone());
            let info = Gibbs::new(&model).step(row, &mut rng);
            // Every site is visited once, so each flip shows.
            let changed: u32 = before.iter().zip(&*row).map(|(a, b)| (a ^ b).count_ones()).sum();
            assert_eq!(info.num_flips, changed as usize);
            history.push((saved_row, saved_rng, row.to_vec()));
        }
        for (mut row, mut rng, after) in history {
            Gibbs::new(&model).step(&mut row, &mut rng);
            assert_eq!(row, after);
        }
    }
}

/// A model that keeps its deltas up to date takes the same steps as one that
/// computes each afresh.
#[test]
fn remembered_deltas_take_the_same_steps() {
    struct Afresh<'a>(&'a Ising);
    impl Energy for Afresh<'_> {
        fn dim(&self) -> usize {
            self.0.dim()
        }
        fn energy(&self, x: Batch<'_>, out: &mut [f64]) {
            self.0.energy(x, out);
        }
    }
    impl SiteFlips for Afresh<'_> {
        fn flip_delta(&self, row: &[u64], site: usize) -> f64 {
            self.0.flip_delta(row, site)
        }
    }
    let lattice = Pattern::Lattice { num_rows: 10, num_cols: 13, periodic: true };
    for pattern in [Pattern::Dense {}, lattice] {
        let model = IsingSpec::random(130, pattern, 0.2, 5).build().unwrap();
        let afresh = Afresh(&model);
        let [mut fast, mut slow] = [[0; 3]; 2];
        let [mut fast_rng, mut slow_rng] = [(); 2].map(|()| stream(5, Purpose::Chain, 0));
        for _ in 0..50 {
            Gibbs::new(&model).step(&mut fast, &mut fast_rng);
            Gibbs::new(&afresh).step(&mut slow, &mut slow_rng);
            assert_eq!(fast, slow);
        }
        assert_eq!(uniform(&mut fast_rng), uniform(&mut slow_rng));
        assert!(fast[2] >> 2 == 0, "padding stays zero");
    }
}

#[test]
fn random_starts_fill_the_row_and_no_more() {
    for dim in [1, 63, 64, 65, 130] {
        let mut rng = stream(6, Purpose::InitialState, 0);
        let mut ever = [0; 3];
        for _ in 0..60 {
            let mut row = [0; 3];
            fill_random(&mut row, dim, &mut rng);
            ever.iter_mut().zip(row).for_each(|(ever, word)| *ever |= word);
        }
        let filled: u32 = ever.iter().map(|word: &u64| word.count_ones()).sum();
        assert_eq!(filled as usize, dim);
        assert!((0..dim).all(|site| bit(&ever, site)));
    }
}
