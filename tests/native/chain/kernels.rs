//! Matrices of the library's transitions: they are stochastic, have the model's distribution, and are
//! those of the transitions as they are run.

use super::{product, run};
use serde_json::{Value, json};
use unnorm::bits::BitMatrix;
use unnorm::markov::rows::ModelChain;
use unnorm::models::{Model, ModelSpec};
use unnorm::rng::{Purpose, stream};
use unnorm::sample::Transition;
use unnorm::sample::block_gibbs::BlockGibbs;
use unnorm::sample::checkerboard::Checkerboard;
use unnorm::sample::discrete_langevin::DiscreteLangevin;
use unnorm::sample::gibbs::Gibbs;
use unnorm::sample::locally_informed::LocallyInformed;
use unnorm::sample::swendsen_wang::SwendsenWang;
use unnorm::sample::wolff::Wolff;

/// Couplings of either sign, and fields.
fn frustrated(dim: usize) -> Value {
    let mut couplings = vec![0.0; dim * dim];
    for i in 0..dim {
        for j in 0..=i {
            let value = f64::from(((7 * i + 13 * j + 5) % 11) as u32) / 8.0 - 0.6;
            couplings[i * dim + j] = value;
            couplings[j * dim + i] = value;
        }
    }
    json!({"kind": "ising", "dim": dim, "couplings": couplings})
}

/// Without fields, on a ring of four sites.
fn ring() -> Value {
    json!({
        "kind": "ising", "dim": 4, "uniform": {"coupling": 0.4},
        "pattern": {"kind": "pairs", "pairs": [[0, 1], [0, 3], [1, 2], [2, 3]]},
    })
}

fn machine() -> Value {
    json!({
        "kind": "rbm", "numVisible": 4, "numHidden": 3, "visibleBias": [0.3, -0.5, 0.1, 0.8],
        "hiddenBias": [-0.2, 0.6, 0.0],
        "weights": [1.0, -0.8, 0.5, 0.2, -1.2, 0.4, 0.9, -0.3, 0.7, 0.7, -1.1, 0.6],
    })
}

/// Transitions with models that they can move, and whether they are reversible.
fn cases() -> Vec<(Value, Value, bool)> {
    let single = |rule: &str| json!({"kind": "singleSite", "rule": rule});
    let kind = |kind: &str| json!({ "kind": kind });
    vec![
        (frustrated(4), single("gibbs"), true),
        (machine(), single("metropolis"), true),
        (frustrated(4), kind("gibbs"), false),
        (machine(), json!({"kind": "gibbs", "scan": "random"}), true),
        (frustrated(4), kind("locallyInformed"), true),
        (machine(), kind("locallyInformed"), true),
        (frustrated(4), json!({"kind": "discreteLangevin", "stepSize": 0.8}), true),
        (machine(), kind("discreteLangevin"), true),
        (ring(), kind("checkerboard"), false),
        (frustrated(4), kind("swendsenWang"), true),
        (ring(), kind("swendsenWang"), true),
        (frustrated(4), kind("wolff"), true),
        (ring(), kind("wolff"), true),
        (machine(), kind("blockGibbs"), true),
        (frustrated(7), kind("swendsenWang"), true),
        (frustrated(7), kind("wolff"), true),
    ]
}

#[test]
fn they_have_the_distribution_of_their_model() {
    for (model, transition, is_reversible) in cases() {
        let chain = run(json!({"model": model, "transition": transition, "distances": false}));
        let matrix = chain.transitions.as_ref().unwrap();
        for row in matrix.chunks_exact(chain.num_states) {
            assert!((row.iter().sum::<f64>() - 1.0).abs() < 1e-12);
            assert!(row.iter().all(|entry| *entry >= 0.0));
        }
        let error = chain.target_error.unwrap();
        assert!(error < 1e-12, "{transition}: {error}");
        assert_eq!(chain.reversible, is_reversible, "{transition}: {}", chain.imbalance);
        assert!(chain.irreducible);
    }
}

/// Rows add up to 1 before they are divided by their sums: nothing is left out, nothing is counted twice.
#[test]
fn rows_add_up_to_one_by_themselves() {
    for (model, transition, _) in cases() {
        let model: ModelSpec = serde_json::from_value(model).unwrap();
        let chain = ModelChain::new(&model, serde_json::from_value(transition).unwrap()).unwrap();
        for state in 0..chain.num_states() {
            let total: f64 = chain.row(state).iter().sum();
            assert!((total - 1.0).abs() < 1e-13, "{total}");
        }
    }
}

#[test]
fn a_random_scan_is_as_many_updates_as_sites() {
    let of = |transition: Value| {
        let spec = json!({"model": frustrated(3), "transition": transition, "distances": false});
        run(spec).transitions.unwrap()
    };
    let one = of(json!({"kind": "singleSite", "rule": "gibbs"}));
    let three = product(&product(&one, &one, 8), &one, 8);
    for (entry, expected) in of(json!({"kind": "gibbs", "scan": "random"})).iter().zip(three) {
        assert!((entry - expected).abs() < 1e-15);
    }
}

/// Moves a chain many times from each state, and compares how often it ends in each other.
fn check_frequencies<T: Transition>(transition: &T, matrix: &[f64], num_states: usize, name: &str) {
    const NUM_STEPS: usize = 40_000;
    let mut rng = stream(11, Purpose::Chain, 0);
    let (mut deviance, mut freedom) = (0.0, 0.0);
    for (from, expected) in matrix.chunks_exact(num_states).enumerate() {
        let mut counts = vec![0.0; num_states];
        for _ in 0..NUM_STEPS {
            let mut row = [from as u64];
            transition.step(&mut row, &mut rng);
            counts[row[0] as usize] += 1.0;
        }
        // Rare ends are counted together.
        let (mut rare, mut rare_expected) = (0.0, 0.0);
        let mut add = |count: f64, expected: f64| {
            deviance += (count - expected) * (count - expected) / expected;
            freedom += 1.0;
        };
        for (count, probability) in counts.iter().zip(expected) {
            let expected = NUM_STEPS as f64 * probability;
            assert!(*probability > 0.0 || *count == 0.0, "{name}: an impossible end from {from}");
            if expected >= 20.0 {
                add(*count, expected);
            } else {
                rare += count;
                rare_expected += expected;
            }
        }
        if rare_expected >= 20.0 {
            add(rare, rare_expected);
        }
        freedom -= 1.0;
    }
    // Wilson and Hilferty: the cube root is nearly normal, and beyond 5.2 deviations with probability
    // 1e-7.
    let spread = 2.0 / (9.0 * freedom);
    let deviation = (unnorm::math::cbrt(deviance / freedom) - (1.0 - spread)) / spread.sqrt();
    assert!(deviation.abs() < 5.2, "{name}: {deviation} ({deviance} of {freedom})");
}

fn matrix_of(model: &Value, transition: Value) -> Vec<f64> {
    let spec = json!({"model": model, "transition": transition, "distances": false});
    run(spec).transitions.unwrap()
}

fn built(model: &Value) -> Box<dyn Model> {
    serde_json::from_value::<ModelSpec>(model.clone()).unwrap().build().unwrap()
}

/// Two-sided, with a false alarm below 1e-6 for all fourteen together.
#[test]
fn they_are_those_of_the_transitions_as_they_are_run() {
    for model in [frustrated(4), machine()] {
        let built = built(&model);
        let flips = built.as_site_flips().unwrap();
        let systematic = matrix_of(&model, json!({"kind": "gibbs"}));
        check_frequencies(&Gibbs::new(flips), &systematic, 16, "systematic");
        let random = matrix_of(&model, json!({"kind": "gibbs", "scan": "random"}));
        check_frequencies(&Gibbs::random_scan(flips), &random, 16, "random scan");
        let informed = matrix_of(&model, json!({"kind": "locallyInformed"}));
        // A step of the transition is as many proposals as there are sites.
        let two = product(&informed, &informed, 16);
        let four = product(&two, &two, 16);
        check_frequencies(&LocallyInformed::new(flips), &four, 16, "locally informed");
        let langevin = matrix_of(&model, json!({"kind": "discreteLangevin", "stepSize": 0.8}));
        let moves = DiscreteLangevin::new(flips, 0.8);
        check_frequencies(&moves, &langevin, 16, "discrete Langevin");
    }
    let hidden = built(&machine());
    let layers = matrix_of(&machine(), json!({"kind": "blockGibbs"}));
    let blocks = BlockGibbs::new(hidden.as_hidden_units().unwrap());
    check_frequencies(&blocks, &layers, 16, "block Gibbs");
    for model in [frustrated(4), ring()] {
        let built = built(&model);
        let ising = built.as_ising().unwrap();
        let clusters = matrix_of(&model, json!({"kind": "swendsenWang"}));
        check_frequencies(&SwendsenWang::new(ising), &clusters, 16, "Swendsen–Wang");
        let cluster = matrix_of(&model, json!({"kind": "wolff"}));
        check_frequencies(&Wolff::new(ising), &cluster, 16, "Wolff");
    }
    let colours = matrix_of(&ring(), json!({"kind": "checkerboard"}));
    let checkerboard = Checkerboard::new(built(&ring()).as_ising().unwrap());
    check_frequencies(&checkerboard, &colours, 16, "checkerboard");
}

#[test]
fn states_are_numbered_by_their_bits() {
    // Site 0 is on nearly always.
    let model = json!({"kind": "ising", "dim": 2, "couplings": [-5, 0, 0, 0]});
    let chain = run(json!({"model": model, "transition": {"kind": "gibbs"}}));
    let mut rows = BitMatrix::zeros(2, 4);
    rows.rows_mut().enumerate().for_each(|(state, row)| row[0] = state as u64);
    let energies = crate::common::energies(&*built(&model), &rows);
    for (state, probability) in chain.stationary.iter().enumerate() {
        let weight = unnorm::math::exp(-energies[state]);
        let total: f64 = energies.iter().map(|energy| unnorm::math::exp(-energy)).sum();
        assert!((probability - weight / total).abs() < 1e-14);
    }
    assert!(chain.stationary[1] > 0.49 && chain.stationary[2] < 0.01);
}
