//! What holds of all chains, on random ones.

use super::{
    distance, least_conductance, of_matrix, product, random_matrix, random_reversible, run,
};
use serde_json::json;
use unnorm::rng::{Purpose, stream};

#[test]
fn the_stationary_distribution_is_stationary() {
    let mut rng = stream(1, Purpose::Example, 0);
    for n in [2, 3, 7, 20, 60] {
        for sparsity in [0.0, 0.5, 0.9] {
            let matrix = random_matrix(n, sparsity, &mut rng);
            let chain = run(json!({"transitions": matrix, "distances": false}));
            assert!((chain.stationary.iter().sum::<f64>() - 1.0).abs() < 1e-14);
            for (state, probability) in chain.stationary.iter().enumerate() {
                let terms = (0..n).map(|from| chain.stationary[from] * matrix[from * n + state]);
                let next: f64 = terms.sum();
                assert!((next - probability).abs() < 1e-14 * probability.max(0.01));
            }
        }
    }
}

/// Both bounds of Cheeger's inequality, on the conductance over all subsets and on that of a sweep, and
/// the conductance against its definition.
#[test]
fn cheegers_inequality() {
    let mut rng = stream(2, Purpose::Example, 0);
    let (mut near_lower, mut near_upper) = (f64::INFINITY, f64::INFINITY);
    for index in 0..300 {
        let n = 2 + index % 9;
        let matrix = random_reversible(n, &mut rng);
        let chain = run(json!({"transitions": matrix, "distances": false}));
        let cut = chain.conductance.unwrap();
        let expected = least_conductance(&matrix, &chain.stationary);
        assert!((cut.value / expected - 1.0).abs() < 1e-11, "{} {expected}", cut.value);
        let gap = chain.gap.unwrap();
        let [lower, upper] = cut.gap_bounds;
        assert!(chain.reversible, "{}", chain.imbalance);
        assert!(lower <= gap && gap <= upper * (1.0 + 1e-9), "{gap}: {lower} to {upper}");
        near_lower = near_lower.min(gap / lower);
        near_upper = near_upper.min(upper / gap);
    }
    // Some chains come close to the upper bound.
    assert!(near_upper < 1.2 && near_lower > 1.0, "{near_lower} {near_upper}");
}

#[test]
fn sweep_cuts_are_between_the_least_and_cheegers_bound() {
    let mut rng = stream(3, Purpose::Example, 0);
    for n in [17, 18, 30, 80] {
        for _ in 0..5 {
            let matrix = random_reversible(n, &mut rng);
            let chain = run(json!({"transitions": matrix, "distances": false}));
            let cut = chain.conductance.unwrap();
            let gap = chain.gap.unwrap();
            assert!(!cut.is_exact && cut.probability <= 0.5);
            assert!(cut.gap_bounds[0] <= gap && gap <= cut.gap_bounds[1]);
            let inside: Vec<usize> = cut.set.iter().map(|state| *state as usize).collect();
            let probability: f64 = inside.iter().map(|&state| chain.stationary[state]).sum();
            let mut flow = 0.0;
            for &i in &inside {
                let leaves = (0..n).filter(|j| !inside.contains(j));
                flow += leaves.map(|j| chain.stationary[i] * matrix[i * n + j]).sum::<f64>();
            }
            assert!((cut.flow / flow - 1.0).abs() < 1e-12);
            assert!((cut.probability / probability - 1.0).abs() < 1e-12);
        }
    }
}

/// Chains that are not reversible too: the bounds are on the gap of (T + T*)/2.
#[test]
fn conductance_of_chains_that_are_not_reversible() {
    let mut rng = stream(4, Purpose::Example, 0);
    for index in 0..100 {
        let n = 3 + index % 8;
        let matrix = random_matrix(n, 0.6, &mut rng);
        let chain = of_matrix(&matrix);
        let cut = chain.conductance.as_ref().unwrap();
        let expected = least_conductance(&matrix, &chain.stationary);
        assert!((cut.value / expected - 1.0).abs() < 1e-11);
        let gap = chain.gap.unwrap();
        assert!(cut.gap_bounds[0] <= gap && gap <= cut.gap_bounds[1] * (1.0 + 1e-9));
        let reversibilized: Vec<f64> = (0..n * n)
            .map(|at| {
                let (i, j) = (at / n, at % n);
                let back = chain.stationary[j] * matrix[j * n + i] / chain.stationary[i];
                0.5 * (matrix[at] + back)
            })
            .collect();
        let other = of_matrix(&reversibilized);
        assert!((other.gap.unwrap() - gap).abs() < 1e-12);
    }
}

#[test]
fn distances_and_the_mixing_time_are_those_of_powers() {
    let mut rng = stream(5, Purpose::Example, 0);
    for index in 0..40 {
        let n = 2 + index % 6;
        let matrix = random_reversible(n, &mut rng);
        let chain = of_matrix(&matrix);
        for (num_steps, known) in chain.steps.iter().zip(&chain.distances) {
            if *num_steps <= 300.0 {
                let expected = distance(&matrix, &chain.stationary, *num_steps as usize);
                assert!((known - expected).abs() < 1e-12, "{num_steps}: {known} {expected}");
            }
        }
        assert!(chain.steps.is_sorted() && chain.distances.is_sorted_by(|a, b| a >= b));
        assert!(*chain.distances.last().unwrap() <= 1e-3);
        let mixing_time = chain.mixing_time.unwrap() as usize;
        if (1..=300).contains(&mixing_time) {
            assert!(distance(&matrix, &chain.stationary, mixing_time) <= 0.25);
            let rarest = chain.stationary.iter().copied().fold(1.0, f64::min);
            let before = match mixing_time {
                1 => 1.0 - rarest,
                _ => distance(&matrix, &chain.stationary, mixing_time - 1),
            };
            assert!(before > 0.25, "{mixing_time}: {before}");
        }
    }
}

#[test]
fn another_epsilon_is_another_mixing_time() {
    let mut rng = stream(6, Purpose::Example, 0);
    let matrix = random_reversible(8, &mut rng);
    let times = [0.9, 0.25, 0.01, 1e-6].map(|epsilon| {
        let chain = run(json!({"transitions": matrix, "epsilon": epsilon}));
        assert!(*chain.distances.last().unwrap() <= epsilon);
        chain.mixing_time.unwrap()
    });
    assert!(times.is_sorted() && times[3] > times[2], "{times:?}");
}

/// The gap is that of the matrix: 1 less the growth of what is left of a vector without its mean.
#[test]
fn the_gap_is_the_rate_of_convergence() {
    let mut rng = stream(7, Purpose::Example, 0);
    for n in [4, 12, 40] {
        let matrix = random_reversible(n, &mut rng);
        let chain = run(json!({"transitions": matrix, "distances": false}));
        // Of (1 + T)/2, whose eigenvalues are not negative, so that the second is the next in modulus.
        let mut lazy: Vec<f64> = matrix.iter().map(|entry| 0.5 * entry).collect();
        (0..n).for_each(|state| lazy[state * n + state] += 0.5);
        let squared = (0..20).fold(lazy, |power, _| {
            let mut power = product(&power, &power, n);
            // Without the limit; scaled, so that it does not vanish.
            for row in power.chunks_exact_mut(n) {
                let mean: f64 = row.iter().sum();
                row.iter_mut().zip(&chain.stationary).for_each(|(entry, p)| *entry -= mean * p);
            }
            let greatest = power.iter().fold(0.0_f64, |greatest, entry| greatest.max(entry.abs()));
            power.iter_mut().for_each(|entry| *entry /= greatest);
            power
        });
        // Each column is an eigenvector by now.
        let column: Vec<f64> = (0..n).map(|state| squared[state * n]).collect();
        let at = (0..n).fold(0, |at, i| if column[i].abs() > column[at].abs() { i } else { at });
        let next: f64 = (0..n).map(|j| matrix[at * n + j] * column[j]).sum();
        let second = next / column[at];
        assert!((1.0 - second - chain.gap.unwrap()).abs() < 1e-9, "{n}: {second} {:?}", chain.gap);
    }
}
