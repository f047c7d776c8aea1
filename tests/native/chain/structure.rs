//! Reducible and periodic chains.

use super::{of_matrix, run};
use serde_json::json;

#[test]
fn the_identity_has_as_many_classes_as_states() {
    let chain = of_matrix(&[1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0]);
    assert_eq!((chain.num_closed_classes, chain.irreducible, chain.aperiodic), (3, false, true));
    assert_eq!(chain.closed_class, [0.0, 1.0, 2.0]);
    assert_eq!(
        (chain.gap, chain.absolute_gap, chain.relaxation_time),
        (Some(0.0), Some(0.0), None)
    );
    assert!(chain.steps.is_empty() && chain.mixing_time.is_none() && chain.conductance.is_none());
    assert!(chain.warnings[0].contains("3 closed classes"), "{:?}", chain.warnings);
}

#[test]
fn two_pieces_and_a_state_that_is_left() {
    // 0 and 3 are a class, 1 and 4 another; 2 leads to both.
    #[rustfmt::skip]
    let chain = of_matrix(&[
        0.5, 0.0, 0.0, 0.5, 0.0,
        0.0, 0.2, 0.0, 0.0, 0.8,
        0.3, 0.3, 0.4, 0.0, 0.0,
        1.0, 0.0, 0.0, 0.0, 0.0,
        0.0, 0.4, 0.0, 0.0, 0.6,
    ]);
    assert_eq!(chain.closed_class, [0.0, 1.0, -1.0, 0.0, 1.0]);
    let expected = [1.0 / 3.0, 1.0 / 6.0, 0.0, 1.0 / 6.0, 1.0 / 3.0];
    for (probability, expected) in chain.stationary.iter().zip(expected) {
        assert!((probability - expected).abs() < 1e-15);
    }
}

#[test]
fn a_state_that_is_left_changes_no_limit() {
    let chain = of_matrix(&[0.5, 0.5, 0.0, 0.0, 0.5, 0.5, 0.0, 0.25, 0.75]);
    assert_eq!((chain.num_closed_classes, chain.irreducible), (1, false));
    assert_eq!(chain.closed_class, [-1.0, 0.0, 0.0]);
    assert!((chain.stationary[2] - 2.0 / 3.0).abs() < 1e-15);
    assert!((chain.gap.unwrap() - 0.75).abs() < 1e-14, "of the closed class");
    assert_eq!(chain.conductance.as_ref().unwrap().set, [1.0]);
    // The slowest start is the state that is left: d(2) = 5/12, d(3) = 11/48.
    assert_eq!(chain.mixing_time, Some(3.0));
    assert!(
        (chain.distances[chain.steps.iter().position(|t| *t == 2.0).unwrap()] - 5.0 / 12.0).abs()
            < 1e-15
    );
    assert!(chain.warnings[0].contains("1 of the states"), "{:?}", chain.warnings);
}

#[test]
fn rings_are_periodic() {
    for n in [2, 3, 6] {
        let mut matrix = vec![0.0; n * n];
        (0..n).for_each(|state| matrix[state * n + (state + 1) % n] = 1.0);
        let chain = of_matrix(&matrix);
        assert_eq!((chain.irreducible, chain.aperiodic), (true, false));
        assert_eq!(chain.periods, [n as f64]);
        assert_eq!((chain.absolute_gap, chain.relaxation_time), (Some(0.0), None));
        assert!(chain.steps.is_empty());
        assert!(chain.warnings[0].contains(&format!("period {n}")), "{:?}", chain.warnings);
        assert_eq!(chain.reversible, n == 2);
    }
}

#[test]
fn metropolis_updates_of_a_flat_model_are_periodic() {
    let model = json!({"kind": "ising", "dim": 4});
    let chain =
        run(json!({"model": model, "transition": {"kind": "singleSite", "rule": "metropolis"}}));
    assert_eq!(chain.periods, [2.0]);
    assert!(chain.target_error.unwrap() < 1e-16);
    let line = run(
        json!({"curieWeiss": {"numSpins": 4, "beta": 0}, "transition": {"kind": "singleSite", "rule": "metropolis"}}),
    );
    assert_eq!(line.periods, [2.0]);
}

#[test]
fn one_state_and_one_that_absorbs() {
    let one = of_matrix(&[1.0]);
    assert_eq!((one.stationary, one.mixing_time, one.gap), (vec![1.0], Some(0.0), None));
    let absorbed = of_matrix(&[0.5, 0.5, 0.0, 1.0]);
    assert_eq!((absorbed.stationary, absorbed.gap), (vec![0.0, 1.0], None));
    assert_eq!(absorbed.mixing_time, Some(2.0));
}

#[test]
fn long_chains_have_no_distances() {
    let long = run(
        json!({"curieWeiss": {"numSpins": 1000, "beta": 1.5}, "transition": {"kind": "singleSite", "rule": "metropolis"}}),
    );
    assert!(long.gap.unwrap() > 0.0 && long.gap.unwrap() < 1e-30, "{:?}", long.gap);
    assert!(long.steps.is_empty() && long.warnings[0].contains("up to 512 states"));
    let unwanted = run(json!({
        "curieWeiss": {"numSpins": 1000, "beta": 1.5}, "transition": {"kind": "singleSite", "rule": "metropolis"}, "distances": false,
    }));
    assert!(unwanted.warnings.is_empty(), "{:?}", unwanted.warnings);
}
