//! Chains with known answers.

use super::{of_matrix, run};
use serde_json::json;
use unnorm::markov::ChainResult;
use unnorm::math::{exp, pow};

#[track_caller]
fn near(value: f64, expected: f64, error: f64) {
    assert!((value - expected).abs() <= error * expected.abs(), "{value:e}, expected {expected:e}");
}

#[test]
fn two_states() {
    for (a, b) in [(0.3, 0.2), (0.9, 0.8), (0.01, 0.004), (0.5, 0.5)] {
        let chain = of_matrix(&[1.0 - a, a, b, 1.0 - b]);
        let second: f64 = 1.0 - a - b;
        let greatest = a.max(b) / (a + b);
        near(chain.stationary[0], b / (a + b), 1e-15);
        near(chain.gap.unwrap(), a + b, 1e-13);
        near(chain.absolute_gap.unwrap(), 1.0 - second.abs(), 1e-13);
        for (num_steps, distance) in chain.steps.iter().zip(&chain.distances) {
            let expected = pow(second.abs(), *num_steps) * greatest;
            assert!((distance - expected).abs() < 1e-13, "{num_steps}: {distance} {expected}");
        }
        // The first t with |1 − a − b|^t max(π) at most ¼.
        let is_mixed = |t: &u64| pow(second.abs(), *t as f64) * greatest <= 0.25;
        assert_eq!(chain.mixing_time, (0..).find(is_mixed).map(|t| t as f64));
        let conductance = chain.conductance.unwrap();
        near(conductance.value, a.max(b), 1e-14);
        if a != b {
            assert_eq!(conductance.set, [if a > b { 0.0 } else { 1.0 }]);
        }
    }
}

/// The example of Risteski's lecture, whose slide has (0.22, 0.41, 0.37).
#[test]
fn the_three_states_of_the_lecture() {
    let chain = of_matrix(&[0.0, 1.0, 0.0, 0.0, 0.1, 0.9, 0.6, 0.4, 0.0]);
    for (probability, expected) in chain.stationary.iter().zip([27.0, 50.0, 45.0]) {
        near(*probability, expected / 122.0, 1e-15);
    }
    assert!(chain.irreducible && chain.aperiodic && !chain.reversible);
    // π_0 T_01 = 27/122, and nothing flows back.
    near(chain.imbalance, 27.0 / 122.0, 1e-15);
    assert_eq!((chain.absolute_gap, chain.relaxation_time), (None, None));
    assert!(chain.warnings[0].contains("not reversible"), "{:?}", chain.warnings);
}

/// Without energy, an update of a random site of a cube draws one coordinate anew: the eigenvalues are
/// 1 − k/D, and a sweep draws all of them.
#[test]
fn the_cube() {
    for dim in 1..8 {
        let model = json!({"kind": "ising", "dim": dim});
        let one = run(json!({
            "model": model, "transition": {"kind": "singleSite", "rule": "gibbs"},
        }));
        near(one.gap.unwrap(), 1.0 / f64::from(dim), 1e-12);
        let sweep = run(json!({"model": model, "transition": {"kind": "gibbs"}}));
        near(sweep.gap.unwrap(), 1.0, 1e-12);
        assert!(sweep.distances[0] < 1e-14 && sweep.mixing_time == Some(1.0));
        // A random scan makes D such updates.
        let scan = run(json!({"model": model, "transition": {"kind": "gibbs", "scan": "random"}}));
        let kept = pow(1.0 - 1.0 / f64::from(dim), f64::from(dim));
        near(scan.gap.unwrap(), 1.0 - kept, 1e-12);
    }
}

fn curie_weiss(num_spins: usize, beta: f64, rule: &str) -> ChainResult {
    run(
        json!({"curieWeiss": {"numSpins": num_spins, "beta": beta}, "transition": {"kind": "singleSite", "rule": rule}}),
    )
}

/// Values of an independent program, for Gibbs updates.
#[test]
fn curie_weiss_by_gibbs_updates() {
    let high = curie_weiss(200, 0.5, "gibbs");
    near(high.gap.unwrap(), 2.518e-3, 2e-4);
    for (num_spins, gap, conductance) in
        [(50, 5.019e-4, 4.444e-3), (100, 6.551e-5, 9.340e-4), (200, 2.964e-6, 6.180e-5)]
    {
        let chain = curie_weiss(num_spins, 1.2, "gibbs");
        near(chain.gap.unwrap(), gap, 2e-4);
        let cut = chain.conductance.as_ref().unwrap();
        near(cut.value, conductance, 2e-4);
        assert!(cut.is_exact && cut.probability <= 0.5);
        // The bottleneck is between the phases.
        assert!(cut.set.len().abs_diff(num_spins / 2) <= 1);
        let expected = 1.0 / chain.gap.unwrap();
        near(chain.relaxation_time.unwrap(), expected, 1e-12);
        // (t_rel − 1) ln 2 ≤ t_mix(¼) ≤ t_rel ln(4 / min π) (Levin, Peres and Wilmer 2017, 12.4).
        let rarest = chain.stationary.iter().copied().fold(1.0, f64::min);
        let mixing_time = chain.mixing_time.unwrap();
        assert!(mixing_time >= (expected - 1.0) * std::f64::consts::LN_2);
        assert!(mixing_time <= expected * unnorm::math::ln(4.0 / rarest) + 1.0);
    }
}

/// Below the critical temperature's inverse, n times the gap tends to 1 − β.
#[test]
fn curie_weiss_at_high_temperature() {
    for beta in [0.2, 0.5, 0.8] {
        let errors = [100, 1000, 10_000].map(|num_spins| {
            let gap = curie_weiss(num_spins, beta, "gibbs").gap.unwrap();
            (num_spins as f64 * gap - (1.0 - beta)).abs()
        });
        assert!(errors[1] < 0.2 * errors[0] && errors[2] < 0.2 * errors[1], "{errors:?}");
        assert!(errors[2] < 1e-3);
    }
}

/// The distribution is that of the number of up spins, with either rule.
#[test]
fn curie_weiss_is_stationary_at_its_distribution() {
    let [num_spins, beta] = [30.0, 1.1];
    let mut expected = vec![1.0];
    for count in 0..30 {
        let count = f64::from(count);
        let magnetization = 2.0 * count - num_spins;
        // Of β M² / 2n from one count to the next.
        let gain = beta * (4.0 * magnetization + 4.0) / (2.0 * num_spins);
        expected.push(expected.last().unwrap() * (num_spins - count) / (count + 1.0) * exp(gain));
    }
    super::normalize(&mut expected);
    for rule in ["gibbs", "metropolis"] {
        let chain = curie_weiss(30, beta, rule);
        for (probability, expected) in chain.stationary.iter().zip(&expected) {
            near(*probability, *expected, 1e-12);
        }
        assert!(chain.reversible && chain.imbalance < 1e-15);
    }
}

/// A barrier of two rare states between two likely ones, whose gap is far below rounding errors of 1.
#[test]
fn tiny_gaps_on_a_line_are_accurate() {
    // p goes up from either end to the other; the middle is left at once.
    let [rare, far] = [1e-30, 1e-30];
    let up = [rare, 0.5, 0.0];
    let down = [0.0, 0.5, far];
    let chain = run(json!({"birthDeath": {"up": up, "down": down}}));
    // T = 1 − r, r, 0 / ½, 0, ½ / 0, r, 1 − r: the antisymmetric vector has the eigenvalue 1 − r.
    near(chain.gap.unwrap(), 1e-30, 1e-14);
    // From an end to the middle flows π_0 r, and π_0 is ½ but for rounding.
    near(chain.conductance.unwrap().value, 1e-30, 1e-14);
}

#[test]
fn weights_and_a_proposal_make_the_chain_of_metropolis_and_hastings() {
    let weights = [1.0, 3.0, 2.0, 10.0];
    let proposal =
        [0.1, 0.4, 0.3, 0.2, 0.2, 0.2, 0.2, 0.4, 0.5, 0.1, 0.0, 0.4, 0.25, 0.25, 0.25, 0.25];
    let chain = run(json!({"weights": weights, "proposal": proposal}));
    let transitions = chain.transitions.as_ref().unwrap();
    // α(0, 1) = min(1, 3 · 0.2 / 0.4) = 1, α(1, 0) = 0.4 / (3 · 0.2) = ⅔.
    near(transitions[1], 0.4, 1e-15);
    near(transitions[4], 0.2 * 2.0 / 3.0, 1e-15);
    for (probability, weight) in chain.stationary.iter().zip(weights) {
        near(*probability, weight / 16.0, 1e-14);
    }
    assert!(chain.target_error.unwrap() < 1e-15 && chain.reversible);
}

/// A line given by its matrix and by its moves has the same answers; and 17 states are too many for all
/// subsets, but a sweep along the second eigenvector finds the cut.
#[test]
fn a_line_and_its_matrix() {
    for num_states in [10, 17, 40] {
        let at = |state: usize| state as f64 / num_states as f64;
        let up: Vec<f64> = (0..num_states)
            .map(|state| if state + 1 == num_states { 0.0 } else { 0.1 + 0.3 * at(state) })
            .collect();
        let down: Vec<f64> = (0..num_states)
            .map(|state| if state == 0 { 0.0 } else { 0.2 + 0.2 * at(state) * at(state) })
            .collect();
        let mut matrix = vec![0.0; num_states * num_states];
        for state in 0..num_states {
            let row = &mut matrix[state * num_states..][..num_states];
            row[state] = 1.0 - up[state] - down[state];
            if state + 1 < num_states {
                row[state + 1] = up[state];
            }
            if state > 0 {
                row[state - 1] = down[state];
            }
        }
        let dense = of_matrix(&matrix);
        let line = run(json!({"birthDeath": {"up": up, "down": down}}));
        near(dense.gap.unwrap(), line.gap.unwrap(), 1e-11);
        near(dense.absolute_gap.unwrap(), line.absolute_gap.unwrap(), 1e-11);
        assert_eq!(dense.mixing_time, line.mixing_time);
        let [of_dense, of_line] = [&dense, &line].map(|chain| chain.conductance.as_ref().unwrap());
        near(of_dense.value, of_line.value, 1e-12);
        assert_eq!(of_dense.set, of_line.set);
        assert_eq!((of_dense.is_exact, of_line.is_exact), (num_states <= 16, true));
        for (a, b) in dense.stationary.iter().zip(&line.stationary) {
            near(*a, *b, 1e-12);
        }
    }
}

/// The walk round a ring has the eigenvalues ½ + ½ cos(2πk/n) if it stays with probability ½, each but
/// two of them twice.
#[test]
fn the_lazy_walk_on_a_ring() {
    for n in [5, 16, 60, 300] {
        let mut matrix = vec![0.0; n * n];
        for state in 0..n {
            matrix[state * n + state] = 0.5;
            matrix[state * n + (state + 1) % n] = 0.25;
            matrix[state * n + (state + n - 1) % n] = 0.25;
        }
        let chain = run(json!({"transitions": matrix, "distances": n < 100}));
        let turn = 2.0 * std::f64::consts::PI / n as f64;
        assert!((chain.gap.unwrap() - 0.5 * (1.0 - unnorm::math::cos(turn))).abs() < 1e-13);
        // Half of the ring, cut at two places.
        let half = (n / 2) as f64;
        let cut = chain.conductance.unwrap();
        assert!(cut.value >= 0.5 / half - 1e-12, "{}", cut.value);
        assert!(cut.value <= 1.3 * 0.5 / half, "{}", cut.value);
    }
}
