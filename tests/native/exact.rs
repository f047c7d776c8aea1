//! Enumeration against closed forms, and its limits.

use unnorm::energy::{Energy, SiteFlips};
use unnorm::exact::{self, Exact};
use unnorm::linalg::Batch;
use unnorm::math::{exp, ln, sigmoid, softplus};
use unnorm::models::ising::{Ising, IsingSpec, Pattern};

fn ising(dim: usize, couplings: Vec<f64>) -> Ising {
    IsingSpec { dim, couplings: Some(couplings), ..IsingSpec::default() }.build().unwrap()
}

#[track_caller]
fn assert_close(left: f64, right: f64, tolerance: f64) {
    assert!((left - right).abs() <= tolerance * (1.0 + right.abs()), "{left} and {right}");
}

/// A diagonal J: independent sites, p(x_i = 1) = σ(−J_ii). 17 sites take
/// several shards, in which some sites vary and some do not.
#[test]
fn independent_sites() {
    for dim in [1, 3, 14, 15, 17] {
        let mut couplings = vec![0.0; dim * dim];
        let bias = |site: usize| (site as f64 - 7.3) * 0.4;
        (0..dim).for_each(|site| couplings[site * dim + site] = bias(site));
        let model = ising(dim, couplings);
        let exact = exact::enumerate(&model).unwrap();
        let sites = || (0..dim).map(bias);
        assert_close(exact.log_z, sites().map(|bias| softplus(-bias)).sum(), 1e-14);
        assert_close(exact.mean_energy, sites().map(|bias| bias * sigmoid(-bias)).sum(), 1e-13);
        assert_close(exact.entropy, exact.log_z + exact.mean_energy, 1e-15);
        for i in 0..dim {
            for j in 0..dim {
                let expected = sigmoid(-bias(i)) * if i == j { 1.0 } else { sigmoid(-bias(j)) };
                assert_close(exact.moments[i * dim + j], expected, 1e-13);
            }
        }
    }
}

/// Z = 1 + e^{−a} + e^{−b} + e^{−(a + b + 2c)}, by hand.
#[test]
fn two_sites() {
    let (a, b, c) = (0.3, -1.2, 0.7);
    let exact = exact::enumerate(&ising(2, vec![a, c, c, b])).unwrap();
    let weights = [1.0, exp(-a), exp(-b), exp(-(a + b + 2.0 * c))];
    let z: f64 = weights.iter().sum();
    assert_close(exact.log_z, ln(z), 1e-15);
    assert_close(exact.moments[0], (weights[1] + weights[3]) / z, 1e-15);
    assert_close(exact.moments[3], (weights[2] + weights[3]) / z, 1e-15);
    assert_close(exact.moments[1], weights[3] / z, 1e-15);
    assert_eq!(exact.moments[1], exact.moments[2]);
    let mean_energy = (weights[1] * a + weights[2] * b + weights[3] * (a + b + 2.0 * c)) / z;
    assert_close(exact.mean_energy, mean_energy, 1e-14);
}

/// A ring of 18 spins without fields: Z = (2 cosh w)^n + (2 sinh w)^n, and
/// E[s_i s_j] = (t^r + t^{n−r}) / (1 + t^n), t = tanh w, at distance r.
#[test]
fn ring_of_spins() {
    let (dim, w) = (18, 0.6);
    let mut weights = vec![0.0; dim * dim];
    for site in 0..dim {
        let next = (site + 1) % dim;
        weights[site * dim + next] = w;
        weights[next * dim + site] = w;
    }
    let spins = unnorm::models::ising::Spins { weights, fields: vec![0.0; dim], constant: 0.0 };
    let model = Ising::from_spins(&spins).unwrap();
    let exact = exact::enumerate(&model).unwrap();
    let (cosh, sinh) = (exp(w) + exp(-w), exp(w) - exp(-w));
    let power = |x: f64, n: usize| (0..n).fold(1.0, |product, _| product * x);
    let log_z = ln(power(cosh, dim) + power(sinh, dim));
    assert_close(exact.log_z, log_z - model.to_spins().constant, 1e-13);
    let t = sinh / cosh;
    for i in 0..dim {
        assert_close(exact.moments[i * dim + i], 0.5, 1e-13);
        for j in 0..dim {
            let distance = i.abs_diff(j);
            let expected = (power(t, distance) + power(t, dim - distance)) / (1.0 + power(t, dim));
            // E[x_i x_j] = (1 + E[s_i s_j]) / 4 where means vanish.
            assert_close(4.0 * exact.moments[i * dim + j] - 1.0, expected, 1e-12);
        }
    }
}

/// Energies far from 0 neither overflow nor swamp: only differences matter.
#[test]
fn large_energies() {
    for shift in [-900.0, 900.0] {
        let exact = exact::enumerate(&ising(2, vec![shift, 0.0, 0.0, 0.5])).unwrap();
        assert_close(exact.log_z, softplus(-shift) + softplus(-0.5), 1e-13);
        assert_close(exact.moments[0], if shift < 0.0 { 1.0 } else { 0.0 }, 1e-13);
    }
}

/// The parts are the work of shards, whoever calls them and in whatever order.
#[test]
fn shards_may_be_worked_in_any_order() {
    let model = IsingSpec::random(16, Pattern::Dense {}, 0.4, 1).build().unwrap();
    assert_eq!(exact::num_shards(16), Ok(4));
    let mut parts = vec![Vec::new(); 4];
    for shard in [2, 0, 3, 1] {
        parts[shard] = exact::part(&model, shard);
    }
    assert_eq!(exact::combine(16, &parts), exact::enumerate(&model).unwrap());
}

/// A walk through 2^20 states stays as good as its fresh energies: against a
/// model of which only energies are known.
#[test]
fn twenty_sites_against_energies_alone() {
    struct EnergiesAlone(Ising);
    impl Energy for EnergiesAlone {
        fn dim(&self) -> usize {
            self.0.dim()
        }
        fn energy(&self, x: Batch<'_>, out: &mut [f64]) {
            self.0.energy(x, out);
        }
    }
    impl SiteFlips for EnergiesAlone {
        fn flip_delta(&self, row: &[u64], site: usize) -> f64 {
            self.0.flip_delta(row, site)
        }
    }
    let model = IsingSpec::random(20, Pattern::Dense {}, 0.6, 2).build().unwrap();
    let Exact { log_z, mean_energy, moments, .. } = exact::enumerate(&model).unwrap();
    let plain = exact::enumerate(&EnergiesAlone(model)).unwrap();
    assert_close(log_z, plain.log_z, 1e-14);
    assert_close(mean_energy, plain.mean_energy, 1e-13);
    for (fast, plain) in moments.iter().zip(&plain.moments) {
        assert_close(*fast, *plain, 1e-13);
    }
}

#[test]
fn over_twenty_sites_are_refused() {
    let model = IsingSpec { dim: 21, ..IsingSpec::default() }.build().unwrap();
    let error = exact::enumerate(&model).unwrap_err();
    assert_eq!((error.code(), error.field()), ("too-large", Some("model.dim")));
    assert!(exact::num_shards(20).is_ok());
}
