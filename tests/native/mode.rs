//! The most probable state: cuts against enumeration, and never above what descent finds.

use crate::common::{energies, every_state, finished, job_of, random_rows};
use serde_json::{Value, json};
use unnorm::JobResult;
use unnorm::bits::BitMatrix;
use unnorm::mode::ModeResult;
use unnorm::models::ModelSpec;
use unnorm::models::ising::{IsingSpec, Pattern};
use unnorm::models::rbm::RbmSpec;
use unnorm::rng::{Purpose, normal, stream};

fn mode(spec: &Value) -> ModeResult {
    match finished(job_of(spec, None).expect("a sound spec")) {
        JobResult::Mode(result) => result,
        _ => panic!("not of mode"),
    }
}

/// An Ising model with normal fields, and couplings of this sign and of normal size.
fn ising(dim: usize, pattern: &Pattern, sign: f64, seed: u64) -> ModelSpec {
    let num_pairs =
        pattern.sparse_pairs(dim).unwrap().map_or(dim * (dim - 1) / 2, |pairs| pairs.len());
    let rng = &mut stream(seed, Purpose::Example, 7);
    let couplings: Vec<f64> = (0..num_pairs).map(|_| sign * 0.5 * normal(rng).abs()).collect();
    let pairs = pattern
        .sparse_pairs(dim)
        .unwrap()
        .unwrap_or_else(|| (0..dim).flat_map(|i| (i + 1..dim).map(move |j| [i, j])).collect());
    // Fields of spins are even, so that neither all ones nor all zeros win.
    let mut biases: Vec<f64> = (0..dim).map(|_| 1.5 * normal(rng)).collect();
    for (&[i, j], coupling) in pairs.iter().zip(&couplings) {
        biases[i] -= coupling;
        biases[j] -= coupling;
    }
    let params = Some([biases, couplings].concat());
    ModelSpec::Ising(IsingSpec { dim, pattern: pattern.clone(), params, ..IsingSpec::default() })
}

fn lattice(num_rows: usize, num_cols: usize, periodic: bool) -> Pattern {
    Pattern::Lattice { num_rows, num_cols, periodic }
}

/// The lowest of all states, and its energy.
fn by_hand(spec: &ModelSpec) -> (u64, f64) {
    let model = spec.build().unwrap();
    let all = energies(&*model, &every_state(model.dim()));
    let (state, energy) = all.iter().enumerate().min_by(|a, b| a.1.total_cmp(b.1)).unwrap();
    (state as u64, *energy)
}

fn state(result: &ModeResult) -> u64 {
    let rows = BitMatrix::from_bytes(result.state.dim, 1, &result.state.bits).unwrap();
    rows.row(0)[0]
}

#[test]
fn cuts_are_the_lowest_of_all_states() {
    let (mut num_trivial, mut num_tried) = (0, 0);
    for seed in 0..40 {
        for (dim, pattern) in [
            (16, lattice(4, 4, false)),
            (16, lattice(4, 4, true)),
            (10, Pattern::Dense {}),
            (6, Pattern::Pairs { pairs: vec![[0, 5], [1, 2], [2, 4]] }),
        ] {
            let spec = ising(dim, &pattern, -1.0, seed);
            let result = mode(&json!({"verb": "mode", "model": spec}));
            let (lowest, energy) = by_hand(&spec);
            assert_eq!(result.method, "minimumCut");
            assert_eq!(state(&result), lowest, "{dim} sites, seed {seed}");
            assert!((result.energy - energy).abs() < 1e-12 * (1.0 + energy.abs()));
            num_trivial += usize::from(lowest == 0 || lowest == (1 << dim) - 1);
            num_tried += 1;
        }
    }
    assert!(2 * num_trivial < num_tried, "{num_trivial} of {num_tried} are all alike");
}

#[test]
fn small_models_of_any_kind_are_enumerated() {
    let mut specs: Vec<ModelSpec> =
        (0..5).map(|seed| ising(15, &lattice(3, 5, false), 1.0, seed)).collect();
    specs.push(ModelSpec::Rbm(RbmSpec::random(16, 3, 1.0, 2)));
    for spec in specs {
        let result = mode(&json!({"verb": "mode", "model": spec}));
        let (lowest, energy) = by_hand(&spec);
        assert_eq!((result.method, state(&result)), ("enumeration", lowest));
        assert!((result.energy - energy).abs() < 1e-12 * (1.0 + energy.abs()));
    }
}

#[test]
fn what_is_observed_stays() {
    for sign in [-1.0, 1.0] {
        let spec = ising(12, &lattice(3, 4, false), sign, 3);
        let sites = [11, 2, 5];
        let model = spec.build().unwrap();
        let all = energies(&*model, &every_state(12));
        for values in 0..8_u64 {
            let value = |at: usize| values >> at & 1;
            let has_values = |state: &usize| {
                sites.iter().enumerate().all(|(at, site)| *state as u64 >> site & 1 == value(at))
            };
            let kept = (0..all.len()).filter(has_values);
            let lowest = kept.min_by(|a, b| all[*a].total_cmp(&all[*b])).unwrap();
            let observed = json!({"sites": sites, "values": [value(0), value(1), value(2)]});
            let result = mode(&json!({"verb": "mode", "model": spec, "observed": observed}));
            assert_eq!(state(&result), lowest as u64);
            assert!((result.energy - all[lowest]).abs() < 1e-12 * (1.0 + all[lowest].abs()));
        }
    }
}

#[test]
fn no_descent_goes_lower_on_64_by_64_sites() {
    for seed in 0..3 {
        let spec = ising(4096, &lattice(64, 64, false), -1.0, seed);
        let result = mode(&json!({"verb": "mode", "model": spec}));
        let cues = random_rows(4096, 8, &mut stream(seed, Purpose::Example, 1));
        let recall = json!({"verb": "recall", "model": spec, "seed": 1});
        let JobResult::Recall(recalled) = finished(crate::common::job_with(&recall, cues).unwrap())
        else {
            panic!("not of recall")
        };
        assert!(recalled.at_rest.iter().all(|is_at_rest| *is_at_rest == 1));
        for energy in &recalled.energies {
            assert!(result.energy < *energy, "{} and {energy}", result.energy);
        }
        // It is at rest itself.
        let state = BitMatrix::from_bytes(4096, 1, &result.state.bits).unwrap();
        let model = spec.build().unwrap();
        let flips = model.as_site_flips().unwrap();
        assert!((0..4096).all(|site| flips.flip_delta(state.row(0), site) >= -1e-9));
        assert!((result.energy - energies(&*model, &state)[0]).abs() < 1e-9);
    }
}

#[test]
fn of_several_a_cut_has_the_fewest_ones() {
    let model = json!({"kind": "ising", "dim": 9, "uniform": {"coupling": 0.25}});
    let result = mode(&json!({"verb": "mode", "model": model}));
    assert_eq!((result.method, state(&result), result.energy), ("minimumCut", 0, 0.0));
    // Numbers whose sum is far from 1.
    for scale in [1e-200, 1e200] {
        let couplings = [-scale, -scale, -scale, 3.0 * scale];
        let model = json!({"kind": "ising", "dim": 2, "couplings": couplings});
        let result = mode(&json!({"verb": "mode", "model": model}));
        assert_eq!((result.method, state(&result), result.energy), ("minimumCut", 1, -scale));
    }
}

#[test]
fn models_without_a_method_are_refused() {
    let refused = |model: Value| {
        let error = job_of(&json!({"verb": "mode", "model": model}), None).err().expect("refused");
        error.field().map_or_else(|| error.to_string(), str::to_owned)
    };
    let frustrated = serde_json::to_value(ising(21, &Pattern::Dense {}, 1.0, 1)).unwrap();
    assert_eq!(refused(frustrated), "model.dim");
    assert_eq!(refused(json!({"kind": "rbm", "numVisible": 21, "numHidden": 1})), "model.dim");
    let pattern = json!({"kind": "pairs", "pairs": []});
    assert_eq!(refused(json!({"kind": "ising", "dim": 16_385, "pattern": pattern})), "model.dim");
    let spec = json!({"verb": "mode", "model": {"kind": "gaussian", "dim": 2}});
    let error = job_of(&spec, None).err().expect("refused");
    assert!(matches!(error, unnorm::Error::MissingCapability { .. }), "{error}");
}
