//! Exact draws of binary models: their frequencies against enumeration, and on
//! models beyond it against exact moments.
//!
//! Some 6,000 numbers are compared here, each within 7 standard errors, and 40
//! χ² tests made at 6 standard deviations: a false alarm at 1 in 10⁷ seeds.

use unnorm::bits::{bit, words_per_row};
use unnorm::energy::SiteFlips;
use unnorm::exact::{
    EnumeratedDraws, ExactDraws, Frontier, FrontierDraws, enumerate, exact_draws, num_shards,
};
use unnorm::linalg::Batch;
use unnorm::math::{exp, pow, sigmoid};
use unnorm::models::Model;
use unnorm::models::gaussian::GaussianSpec;
use unnorm::models::ising::{Ising, IsingSpec, Pattern};
use unnorm::models::rbm::{Rbm, RbmSpec, SmallerSideDraws};
use unnorm::models::semi_restricted::SemiRestrictedSpec;
use unnorm::rng::{Purpose, stream};

fn lattice(num_rows: usize, num_cols: usize, periodic: bool) -> Pattern {
    Pattern::Lattice { num_rows, num_cols, periodic }
}

fn glass(dim: usize, pattern: Pattern) -> Ising {
    IsingSpec::random(dim, pattern, 0.8, dim as u64).build().unwrap()
}

fn machine(num_visible: usize, num_hidden: usize) -> Rbm {
    RbmSpec::random(num_visible, num_hidden, 0.9, 4).build().unwrap()
}

/// p of every state.
fn probabilities(model: &dyn SiteFlips) -> Vec<f64> {
    let dim = model.dim();
    assert!(num_shards(dim).is_ok());
    let states: Vec<f64> = (0..1usize << dim)
        .flat_map(|state| (0..dim).map(move |site| f64::from(u8::from(state >> site & 1 == 1))))
        .collect();
    let mut energies = vec![0.0; 1 << dim];
    model.energy(Batch::new(dim, &states), &mut energies);
    let log_z = enumerate(model).unwrap().log_z;
    energies.iter().map(|energy| exp(-energy - log_z)).collect()
}

/// χ² of the states drawn, those of less than five expected taken together, and
/// its excess over the mean in standard deviations: normal to the third order
/// (Wilson and Hilferty 1931).
fn assert_frequencies(name: &str, model: &dyn SiteFlips, draws: &dyn ExactDraws) {
    let p = probabilities(model);
    let count = 200_000;
    let mut rng = stream(9, Purpose::Example, model.dim() as u64);
    let mut counts = vec![0u32; p.len()];
    for _ in 0..count {
        // What was in the row does not matter.
        let mut row = [u64::MAX >> (64 - model.dim())];
        draws.draw(&mut rng, &mut row);
        counts[row[0] as usize] += 1;
    }
    let (mut chi2, mut cells) = (0.0, 0.0);
    let mut add = |found: f64, expected: f64| {
        chi2 += (found - expected) * (found - expected) / expected;
        cells += 1.0;
    };
    let (mut rare, mut rare_expected) = (0.0, 0.0);
    for (found, p) in counts.iter().zip(&p) {
        let expected = p * f64::from(count);
        if expected < 5.0 {
            rare += f64::from(*found);
            rare_expected += expected;
        } else {
            add(f64::from(*found), expected);
        }
    }
    if rare_expected >= 5.0 {
        add(rare, rare_expected);
    } else {
        assert!(rare < 40.0, "{name}: {rare} draws of states that are never drawn");
    }
    let free: f64 = cells - 1.0;
    let excess =
        (pow(chi2 / free, 1.0 / 3.0) - (1.0 - 2.0 / (9.0 * free))) / (2.0 / (9.0 * free)).sqrt();
    assert!(cells > 3.0 && excess.abs() < 6.0, "{name}: χ² of {chi2} in {cells} cells");
}

/// Σ x_i x_j / count over draws, `[dim, dim]`.
fn moments(dim: usize, draws: &dyn ExactDraws, count: usize) -> Vec<f64> {
    let mut rng = stream(10, Purpose::Example, dim as u64);
    let mut row = vec![0; words_per_row(dim)];
    let mut sums = vec![0.0; dim * dim];
    for _ in 0..count {
        draws.draw(&mut rng, &mut row);
        for i in (0..dim).filter(|&i| bit(&row, i)) {
            (0..dim).filter(|&j| bit(&row, j)).for_each(|j| sums[i * dim + j] += 1.0);
        }
    }
    sums.iter().map(|sum| sum / count as f64).collect()
}

#[track_caller]
fn assert_moments(dim: usize, draws: &dyn ExactDraws, count: usize, expected: &[f64]) {
    for (at, (found, p)) in moments(dim, draws, count).iter().zip(expected).enumerate() {
        // A draw more or less for the rarest.
        let error = (p * (1.0 - p) / count as f64).sqrt() + 1.0 / count as f64;
        assert!((found - p).abs() < 7.0 * error, "moment {at}: {found}, exactly {p} ± {error}");
    }
}

fn numbers(file: &str) -> Vec<f64> {
    let file = std::fs::read(format!("www/data/{file}.npy")).expect("the file");
    npyz::NpyFile::new(&file[..]).and_then(npyz::NpyFile::into_vec).expect("numbers")
}

#[test]
fn every_state_as_often_as_it_should_by_a_frontier() {
    let pairs = |pairs: &[[usize; 2]]| Pattern::Pairs { pairs: pairs.to_vec() };
    for (dim, pattern) in [
        (3, Pattern::Dense {}),
        (8, Pattern::Dense {}),
        (9, lattice(3, 3, true)),
        (8, lattice(2, 4, false)),
        (7, pairs(&[[0, 6], [1, 6], [2, 6], [3, 5], [3, 4], [4, 5]])),
        (5, pairs(&[])),
    ] {
        let model = glass(dim, pattern);
        let draws = FrontierDraws::new(&model).unwrap();
        assert_frequencies("a frontier", &model, &draws);
        assert!((draws.log_z() - enumerate(&model).unwrap().log_z).abs() < 1e-12);
    }
}

#[test]
fn every_state_as_often_as_it_should_by_enumeration() {
    let semi = SemiRestrictedSpec::random(6, 9, 0.5, 2).build().unwrap();
    let models: [&dyn SiteFlips; 3] = [&glass(9, Pattern::Dense {}), &machine(7, 4), &semi];
    for model in models {
        let draws = EnumeratedDraws::new(model).unwrap();
        assert_frequencies("enumeration", model, &draws);
        assert!((draws.log_z() - enumerate(model).unwrap().log_z).abs() < 1e-12);
    }
    // Several shards.
    let model = glass(16, lattice(4, 4, false));
    let draws = EnumeratedDraws::new(&model).unwrap();
    assert_moments(16, &draws, 100_000, &enumerate(&model).unwrap().moments);
}

/// The smaller side being either, in less than a block, in one and in several
/// shards.
#[test]
fn every_state_as_often_as_it_should_by_the_smaller_side() {
    for (num_visible, num_hidden) in [(8, 3), (3, 8), (8, 8), (9, 7), (7, 16)] {
        let model = machine(num_visible, num_hidden);
        let draws = SmallerSideDraws::new(&model).unwrap();
        assert_frequencies("the smaller side", &model, &draws);
        assert!((draws.log_z() - model.log_z().unwrap()).abs() < 1e-12);
    }
    for (num_visible, num_hidden) in [(18, 15), (15, 18)] {
        let model = machine(num_visible, num_hidden);
        let draws = SmallerSideDraws::new(&model).unwrap();
        assert_moments(num_visible, &draws, 20_000, &enumerate(&model).unwrap().moments);
    }
}

#[test]
fn a_small_glass_and_a_torus_by_their_frontiers() {
    for periodic in [false, true] {
        let model = glass(16, lattice(4, 4, periodic));
        let draws = FrontierDraws::new(&model).unwrap();
        let expected = enumerate(&model).unwrap();
        assert_moments(16, &draws, 200_000, &expected.moments);
        assert!((draws.exact().mean_energy - expected.mean_energy).abs() < 1e-11);
    }
}

/// The glass of the data: all 5,050 moments, known exactly from another program.
#[test]
fn the_known_glass() {
    let couplings = Some(numbers("spin-glass-10x10.couplings"));
    let pattern = lattice(10, 10, false);
    let spec = IsingSpec { dim: 100, pattern, couplings, ..IsingSpec::default() };
    let draws = exact_draws(&spec.build().unwrap()).expect("a frontier serves");
    assert_moments(100, &*draws, 20_000, &numbers("spin-glass-10x10.moments"));
}

/// 100 visible units by 12 hidden ones: E[v_i] = Σ_h p(h) σ(c_i + Σ_j h_j W_ji), h
/// by h.
#[test]
fn a_machine_beyond_enumeration_of_its_visible_units() {
    let model = RbmSpec::random(100, 12, 0.4, 8).build().unwrap();
    let (log_z, width) = (model.log_z().unwrap(), model.weights().len() / 12);
    let mut means = vec![0.0; 100];
    for hidden in 0..1usize << 12 {
        let on = |j: &usize| hidden >> j & 1 == 1;
        let mut fields = model.visible_bias().to_vec();
        for j in (0..12).filter(on) {
            let line = &model.weights()[j * width..(j + 1) * width];
            fields.iter_mut().zip(line).for_each(|(field, weight)| *field += weight);
        }
        let bias: f64 = (0..12).filter(on).map(|j| model.hidden_bias()[j]).sum();
        let free: f64 = fields.iter().map(|field| unnorm::math::softplus(*field)).sum();
        let p = exp(bias + free - log_z);
        means.iter_mut().zip(&fields).for_each(|(mean, field)| *mean += p * sigmoid(*field));
    }
    let draws = exact_draws(&model).expect("the smaller side serves");
    assert!((draws.log_z() - log_z).abs() < 1e-11);
    let found = moments(100, &*draws, 20_000);
    for (site, p) in means.iter().enumerate() {
        let z = (found[site * 101] - p) / (p * (1.0 - p) / 20_000.0).sqrt();
        assert!(z.abs() < 7.0, "unit {site} is {z} standard errors off");
    }
}

#[test]
fn who_has_exact_draws() {
    let large_tree = Pattern::Pairs { pairs: (1..5000).map(|at| [at / 2, at]).collect() };
    let models: [(&dyn Model, bool); 8] = [
        (&glass(20, Pattern::Dense {}), true),
        (&glass(24, Pattern::Dense {}), false),
        (&glass(5000, large_tree), true),
        (&machine(70, 3), true),
        (&machine(21, 22), false),
        (&SemiRestrictedSpec::random(9, 30, 0.5, 2).build().unwrap(), true),
        (&SemiRestrictedSpec::random(21, 3, 0.5, 2).build().unwrap(), false),
        (
            &GaussianSpec { dim: 1, mean: None, precision: None, covariance: None }
                .build()
                .unwrap(),
            false,
        ),
    ];
    for (model, has) in models {
        assert_eq!(exact_draws(model).is_some(), has, "{} of {}", model.kind(), model.dim());
    }
    // Its log Z can be had, but its tables are too large to keep.
    let wide = glass(361, lattice(19, 19, false));
    assert!(Frontier::new(&wide).is_ok());
    assert_eq!(FrontierDraws::new(&wide).unwrap_err().code(), "too-large");
}
