//! Learning rules and recall as jobs: what they store, when they stop, and how
//! they say so.

use crate::memory_jobs::{
    bits_of, coupled, finished, job, memorize, noisy, patterns, recall, rows_of,
};
use proptest::prelude::*;
use serde_json::json;
use unnorm::bits::flip;
use unnorm::math::ln;
use unnorm::memory::{MemorizeResult, RecallResult};
use unnorm::memory::{Network, mpf};
use unnorm::models::ModelSpec;
use unnorm::models::ising::{IsingSpec, Pattern};
use unnorm::{JobResult, Progress};

fn memorized(spec: serde_json::Value) -> MemorizeResult {
    match finished(job(&spec).expect("a sound job")) {
        JobResult::Memorize(result) => result,
        other => panic!("{other:?}"),
    }
}

fn recalled(spec: serde_json::Value) -> RecallResult {
    match finished(job(&spec).expect("a sound job")) {
        JobResult::Recall(result) => result,
        other => panic!("{other:?}"),
    }
}

fn network_of(result: &MemorizeResult) -> Network {
    match &result.model {
        ModelSpec::Ising(spec) => Network::from_ising(spec).expect("a sound model"),
        other => panic!("{other:?}"),
    }
}

/// The strict local minima of a random network, by trying all states.
fn minima(dim: usize, seed: u64) -> Vec<u64> {
    let spec = IsingSpec::random(dim, Pattern::Dense {}, 1.0, seed);
    let network = Network::from_ising(&spec).expect("a sound spec");
    (0..1 << dim).filter(|state| network.is_strict_minimum(&[*state])).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..Default::default() })]

    /// Theorem 1: patterns that some network stores are stored by minimizing flow, to any margin;
    /// and flow below 1 says so.
    #[test]
    fn storable_patterns_are_stored(dim in 2_usize..11, seed in 0_u64..10_000) {
        let storable = rows_of(dim, &minima(dim, seed));
        let margin = 0.1 + 2.0 * ln((storable.num_rows() * dim) as f64);
        let mut spec = memorize(&storable, json!({"kind": "mpf"}));
        spec["margin"] = margin.into();
        let result = memorized(spec);
        prop_assert!(result.converged, "{}", result.stop_reason);
        prop_assert!(result.margins.iter().all(|found| *found >= margin));
        let network = network_of(&result);
        for row in storable.as_batch().rows() {
            prop_assert!(network.is_strict_minimum(row) && network.is_fixed_point(row));
        }
        prop_assert!(mpf::flow(&network, &storable) < 1.0);
    }

    /// Patterns one bit apart cannot both be strict local minima: the flow has a minimum, at which
    /// not all are, and the search says so.
    #[test]
    fn patterns_that_cannot_be_stored_are_not(dim in 1_usize..9, state in any::<u64>(), site in 0_usize..9) {
        let state = state & ((1 << dim) - 1);
        let both = rows_of(dim, &[state, state ^ 1 << (site % dim)]);
        let result = memorized(memorize(&both, json!({"kind": "mpf"})));
        prop_assert!(!result.converged);
        prop_assert!(result.stop_reason.contains("minimum"), "{}", result.stop_reason);
        prop_assert!(mpf::flow(&network_of(&result), &both) >= 2.0 - 1e-6);
    }
}

/// 64 random patterns in 64 units: flow and corrections store all, outer products next to none.
#[test]
fn rules_store_what_they_can() {
    let many = patterns(64, 64, 1);
    let flow = memorized(memorize(&many, json!({"kind": "mpf"})));
    assert!(flow.converged && flow.num_stored == 64, "{}", flow.stop_reason);
    assert!(flow.margins.iter().all(|margin| *margin >= 1.0));
    assert!(flow.num_epochs < 30, "{} evaluations", flow.num_epochs);

    let corrected = memorized(memorize(&many, json!({"kind": "perceptron"})));
    assert!(corrected.converged && corrected.num_stored == 64, "{}", corrected.stop_reason);
    assert!(corrected.num_wrong.iter().all(|count| *count == 0.0));

    let products = memorized(memorize(&many, json!({"kind": "outerProduct"})));
    assert!(!products.converged && products.num_stored < 4, "{}", products.num_stored);
    assert_eq!((products.num_epochs, products.num_updates), (1, 64));

    // Three patterns are few enough for every rule.
    let few = patterns(64, 3, 2);
    for rule in [
        json!({"kind": "outerProduct"}),
        json!({"kind": "storkey"}),
        json!({"kind": "perceptron", "learningRate": 0.5}),
        json!({"kind": "mpf"}),
        json!({"kind": "mpf", "optimizer": {"kind": "online"}}),
        json!({"kind": "mpf", "optimizer": {"kind": "sgd", "numEpochs": 400}}),
    ] {
        let result = memorized(memorize(&few, rule.clone()));
        assert!(result.converged, "{rule}: {}", result.stop_reason);
        let network = network_of(&result);
        for (row, margin) in few.as_batch().rows().zip(&result.margins) {
            assert!((network.margin(row) - margin).abs() < 1e-9 * (1.0 + margin), "{rule}");
        }
    }
}

/// Two patterns a unit: past the capacity no rule pretends.
#[test]
fn a_rule_that_cannot_go_on_says_so() {
    let many = patterns(20, 40, 3);
    for (rule, words) in [
        (json!({"kind": "perceptron", "maxEpochs": 20}), "all 20 epochs are used up"),
        (json!({"kind": "mpf"}), "minimum"),
        (
            json!({"kind": "mpf", "optimizer": {"kind": "lbfgs", "maxIterations": 2}}),
            "maxIterations",
        ),
        (
            json!({"kind": "mpf", "optimizer": {"kind": "online", "maxEpochs": 5}}),
            "all 5 epochs are used up",
        ),
        (
            json!({"kind": "mpf", "optimizer": {"kind": "online", "learningRate": 50}}),
            "smaller rule.optimizer.learningRate",
        ),
        (
            json!({"kind": "mpf", "optimizer": {"kind": "sgd", "numEpochs": 3}}),
            "all 3 epochs are done",
        ),
        (
            json!({"kind": "mpf", "optimizer": {"kind": "sgd", "learningRate": {"start": 900, "end": 900}}}),
            "smaller rule.optimizer.learningRate",
        ),
    ] {
        let result = memorized(memorize(&many, rule.clone()));
        assert!(
            !result.converged && result.stop_reason.contains(words),
            "{rule}: {}",
            result.stop_reason
        );
        let (network, stored) = (network_of(&result), result.stored);
        for (row, stored) in many.as_batch().rows().zip(stored) {
            assert_eq!(network.is_fixed_point(row), stored == 1, "{rule}");
        }
    }
}

/// A perceptron with a margin, and a margin asked of the online rule, are kept.
#[test]
fn margins_asked_for_are_kept() {
    let few = patterns(40, 12, 4);
    for rule in [
        json!({"kind": "perceptron"}),
        json!({"kind": "mpf", "optimizer": {"kind": "online"}}),
        json!({"kind": "mpf", "optimizer": {"kind": "sgd", "learningRate": {"start": 1, "end": 1}}}),
    ] {
        let mut spec = memorize(&few, rule.clone());
        spec["margin"] = json!(2.5);
        let result = memorized(spec);
        assert!(result.converged, "{rule}: {}", result.stop_reason);
        assert!(result.margins.iter().all(|margin| *margin >= 2.5), "{rule}");
    }
}

/// Learning goes on from a model that knows something.
#[test]
fn one_more_pattern_can_be_added() {
    let all = patterns(30, 6, 5);
    let first = rows_of(30, &all.as_batch().rows().take(5).map(|row| row[0]).collect::<Vec<_>>());
    let last = rows_of(30, &[all.row(5)[0]]);
    let five = memorized(memorize(&first, json!({"kind": "outerProduct"})));
    let mut spec = memorize(&last, json!({"kind": "outerProduct"}));
    spec["model"] = serde_json::to_value(&five.model).expect("plain data");
    let six = memorized(spec);
    let at_once = memorized(memorize(&all, json!({"kind": "outerProduct"})));
    assert_eq!(network_of(&six), network_of(&at_once));
}

/// From copies with 3 of 10 bits flipped, and nothing else, the patterns themselves are learned.
#[test]
fn patterns_are_learned_from_noise() {
    let few = patterns(100, 5, 6);
    for optimizer in [
        json!({"kind": "lbfgs"}),
        json!({"kind": "sgd", "batchSize": 500, "numEpochs": 30}),
        json!({"kind": "online", "learningRate": 0.001, "maxEpochs": 2}),
    ] {
        let num_copies = if optimizer["kind"] == "sgd" { 100 } else { 500 };
        let spec =
            noisy(memorize(&few, json!({"kind": "mpf", "optimizer": optimizer})), 30, num_copies);
        let result = memorized(spec);
        assert_eq!(result.num_stored, 5, "{optimizer}: {}", result.stop_reason);
        let mut spec = recall(&result.model, &few);
        spec["noise"] = json!({"numFlips": 20, "numCopies": 4});
        let back = recalled(spec);
        assert!(back.num_recovered >= 19, "{optimizer}: {} of 20", back.num_recovered);
    }
}

#[test]
fn recall_tells_the_whole_way() {
    let (dim, count) = (70, 6);
    let model = coupled(dim, 8);
    let network = Network::from_ising(&model).expect("a sound model");
    let cues = patterns(dim, count, 9);
    for order in ["inOrder", "random"] {
        let mut spec = recall(&ModelSpec::Ising(model.clone()), &cues);
        spec["noise"] = json!({"numFlips": 5, "numCopies": 3});
        spec["order"] = json!({"kind": order});
        spec["paths"] = true.into();
        let result = recalled(spec);
        let paths = result.paths.as_ref().expect("asked for");
        let (starts, states) = (bits_of(&result.starts), bits_of(&result.states));
        let mut at = 0;
        for row in 0..count * 3 {
            let differing = |a: &[u64], b: &[u64]| -> u32 {
                a.iter().zip(b).map(|(a, b)| (a ^ b).count_ones()).sum()
            };
            let mut state = starts.row(row).to_vec();
            assert_eq!(differing(&state, cues.row(row / 3)), 5);
            let mut energy = network.energy(&state);
            let mut updates = Vec::new();
            for step in at..at + paths.lengths[row] as usize {
                flip(&mut state, paths.sites[step] as usize);
                assert!(paths.energies[step] <= energy);
                energy = paths.energies[step];
                assert!((energy - network.energy(&state)).abs() < 1e-9);
                updates.push(paths.updates[step]);
            }
            at += paths.lengths[row] as usize;
            updates.dedup();
            assert_eq!(updates.len() as f64, result.num_updates[row], "{order}");
            assert_eq!(paths.lengths[row], result.num_flips[row]);
            assert_eq!(state, states.row(row));
            assert!(network.is_fixed_point(&state) && result.at_rest[row] == 1);
            assert!((result.energies[row] - energy).abs() < 1e-9);
            assert_eq!(f64::from(differing(&state, cues.row(row / 3))), result.distances[row]);
            let attractor = bits_of(&result.attractors.states);
            assert_eq!(attractor.row(result.attractors.which[row] as usize), state);
        }
        assert_eq!(at, paths.sites.len());
        assert_eq!(result.attractors.counts.iter().sum::<f64>(), (count * 3) as f64);
        assert!(result.attractors.counts.is_sorted_by(|a, b| a >= b));
    }
}

/// A lattice recalls too, and after one update the rest may still be to come.
#[test]
fn updates_can_be_limited() {
    let lattice = json!({
        "kind": "ising", "dim": 36, "uniform": {"coupling": 1},
        "pattern": {"kind": "lattice", "numRows": 6, "numCols": 6},
    });
    let cues = patterns(36, 30, 10);
    let model: ModelSpec = serde_json::from_value(lattice).expect("a model");
    let whole = recalled(recall(&model, &cues));
    assert!(whole.at_rest.iter().all(|at_rest| *at_rest == 1));
    assert!(whole.num_updates.iter().any(|count| *count > 1.0));
    let mut spec = recall(&model, &cues);
    spec["maxUpdates"] = 1.into();
    let once = recalled(spec);
    for row in 0..30 {
        assert_eq!(once.num_updates[row], whole.num_updates[row].min(1.0));
        assert_eq!(once.at_rest[row] == 1, whole.num_updates[row] == 0.0);
        assert!(once.energies[row] >= whole.energies[row]);
    }
}

#[test]
fn progress_never_falls_and_ends_at_one() {
    let few = patterns(64, 20, 11);
    let model = ModelSpec::Ising(coupled(64, 3));
    let mut many_rows = recall(&model, &few);
    many_rows["noise"] = json!({"numFlips": 9, "numCopies": 2000});
    for spec in [
        memorize(&few, json!({"kind": "perceptron"})),
        memorize(&few, json!({"kind": "mpf"})),
        memorize(&few, json!({"kind": "mpf", "optimizer": {"kind": "sgd"}})),
        noisy(
            memorize(
                &few,
                json!({"kind": "mpf", "optimizer": {"kind": "online", "maxEpochs": 20}}),
            ),
            9,
            9,
        ),
        many_rows,
    ] {
        let mut job = job(&spec).expect("a sound job");
        let (mut last, mut rounds) = (0.0, 0);
        loop {
            let (fraction, done) = match job.progress() {
                Progress::Memorize(progress) => (progress.fraction, progress.done),
                Progress::Recall(progress) => (progress.fraction, progress.done),
                other => panic!("{other:?}"),
            };
            assert!((last..=1.0).contains(&fraction), "{fraction} after {last}");
            assert_eq!(
                (fraction == 1.0, job.is_done(), job.result().is_some()),
                (done, done, done)
            );
            if done {
                break;
            }
            last = fraction;
            job.advance(1);
            rounds += 1;
        }
        assert!(rounds > 1, "{spec}");
    }
}

/// Random cues come to rest in the patterns and in spurious minima: the complement of a pattern
/// that outer products store is always one.
#[test]
fn spurious_minima_are_found_among_the_attractors() {
    let few = patterns(24, 2, 14);
    let stored = memorized(memorize(&few, json!({"kind": "outerProduct"})));
    let result = recalled(recall(&stored.model, &patterns(24, 200, 15)));
    let attractors = bits_of(&result.attractors.states);
    let complement: Vec<u64> = few.row(0).iter().map(|word| !word & ((1 << 24) - 1)).collect();
    let found: Vec<&[u64]> = attractors.as_batch().rows().collect();
    for state in [few.row(0), few.row(1), &complement] {
        assert!(found.contains(&state));
    }
}
