//! Fits of Ising models with hidden sites, coupled to one another: what they learn, and what is refused.

use crate::common::{finished, fitted, job_of, with};
use serde_json::{Value, json};
use unnorm::bits::BitMatrix;
use unnorm::math::{exp, ln};
use unnorm::models::{Model, ModelSpec};
use unnorm::rng::{Purpose, stream, uniform};

const SHOWN: usize = 5;
const HIDDEN: usize = 3;

/// p(v) of all states of the shown sites.
fn marginal(model: &dyn Model) -> Vec<f64> {
    let dim = model.dim();
    let states = crate::common::every_state(dim);
    let energies = crate::common::energies(model, &states);
    let mut sums = vec![0.0; 1 << SHOWN];
    for (state, energy) in energies.iter().enumerate() {
        sums[state % (1 << SHOWN)] += exp(-energy);
    }
    let total: f64 = sums.iter().sum();
    sums.into_iter().map(|sum| sum / total).collect()
}

fn divergence(p: &[f64], q: &[f64]) -> f64 {
    p.iter().zip(q).map(|(p, q)| p * ln(p / q)).sum()
}

/// How often the third site says whether the first two are alike, and each of the last two is on.
const PARITY: f64 = 0.9;
const ON: f64 = 0.3;

/// p(v) of a state: of the first three sites any two are independent.
fn probability(state: u64) -> f64 {
    let is_even = (state & 7).count_ones().is_multiple_of(2);
    let others = [3, 4].map(|site| if state >> site & 1 == 1 { ON } else { 1.0 - ON });
    0.25 * if is_even { PARITY } else { 1.0 - PARITY } * others[0] * others[1]
}

/// The probabilities of all states, and rows.
fn truth() -> (Vec<f64>, Value) {
    let mut rng = stream(9, Purpose::Example, 0);
    let mut rows = BitMatrix::zeros(SHOWN, 20_000);
    for row in rows.rows_mut() {
        let mut coin = |chance: f64| u64::from(uniform(&mut rng) < chance);
        let [first, second] = [coin(0.5), coin(0.5)];
        let third = first ^ second ^ coin(1.0 - PARITY);
        row[0] = first | second << 1 | third << 2 | coin(ON) << 3 | coin(ON) << 4;
    }
    let data = json!({"kind": "bits", "dim": SHOWN, "numRows": 20_000, "bits": rows.to_bytes()});
    ((0..1 << SHOWN).map(probability).collect(), data)
}

fn fit(data: &Value) -> Value {
    json!({
        "verb": "fit", "data": data, "seed": 3, "numHidden": HIDDEN,
        "model": {"kind": "ising", "dim": SHOWN + HIDDEN},
        "objective": {"kind": "persistentContrastiveDivergence", "numChains": 500, "numSteps": 5},
        "init": {"kind": "dataMeans", "scale": 0.5},
        "optimizer": {"kind": "adam", "batchSize": 500, "numEpochs": 60,
            "learningRate": {"start": 0.1, "end": 0.01}},
    })
}

/// The same machine with its hidden sites summed out.
fn fit_marginal(data: &Value, objective: &str) -> Value {
    json!({
        "verb": "fit", "data": data, "seed": 3, "objective": {"kind": objective},
        "model": {"kind": "marginal", "numHidden": HIDDEN,
            "model": {"kind": "ising", "dim": SHOWN + HIDDEN}},
        "init": {"kind": "normal", "scale": 0.5}, "regularizer": {"kind": "l2", "strength": 1e-5},
    })
}

/// The rows' distribution is found, which no Ising model of the shown sites alone has: by contrastive
/// divergence with draws or means for the hidden sites, and with these summed out by flow,
/// pseudolikelihood and likelihood.
#[test]
fn hidden_sites_learn_what_pairs_cannot() {
    let (expected, data) = truth();
    let alone = json!({"verb": "fit", "data": data, "seed": 3, "objective": {"kind": "maximumLikelihood"},
        "model": {"kind": "ising", "dim": SHOWN}});
    let alone = fitted(job_of(&alone, None).unwrap()).model.build().unwrap();
    let without = divergence(&expected, &marginal(&*alone));
    // Without hidden sites the parity is lost: ln 2 minus the entropy of its error.
    let lost = ln(2.0) + PARITY * ln(PARITY) + (1.0 - PARITY) * ln(1.0 - PARITY);
    assert!((without - lost).abs() < 0.02, "{without} {lost}");
    for spec in [
        fit(&data),
        with(fit(&data), &json!({"hiddenStates": {"kind": "meanField"}})),
        fit_marginal(&data, "mpf"),
        fit_marginal(&data, "pseudolikelihood"),
        fit_marginal(&data, "maximumLikelihood"),
    ] {
        let result = fitted(job_of(&spec, None).unwrap());
        assert_eq!(result.warnings, Vec::<String>::new());
        let found = divergence(&expected, &marginal(&*result.model.build().unwrap()));
        let how = (&spec["model"]["kind"], &spec["objective"], &spec["hiddenStates"]);
        eprintln!("{how:?} {found} {}", result.stop_reason);
        assert!(found < 0.02, "{how:?}: {found}");
    }
}

#[test]
fn a_fit_with_hidden_sites_goes_on_where_it_was_stopped() {
    let (_, data) = truth();
    let contrastive = |kind: &str| json!({"objective": {"kind": kind, "numSteps": 2}});
    let means = json!({"hiddenStates": {"kind": "meanField", "numSweeps": 3}});
    for objective in [
        contrastive("contrastiveDivergence"),
        contrastive("persistentContrastiveDivergence"),
        with(contrastive("contrastiveDivergence"), &means),
    ] {
        let short = json!({"optimizer": {"kind": "adam", "batchSize": 5000, "numEpochs": 2,
            "learningRate": 0.05}});
        let spec = with(with(fit(&data), &short), &objective);
        let whole = fitted(job_of(&spec, None).unwrap());
        let mut stopped = job_of(&spec, None).unwrap();
        stopped.advance(3);
        let resumed = job_of(&spec, Some(&stopped.snapshot())).unwrap();
        assert_eq!(finished(resumed).digest(), whole.digest, "{objective}");
    }
}

#[test]
fn what_hidden_sites_are_not_for_is_refused() {
    let data = json!({"kind": "values", "dim": 2, "values": [0, 1, 1, 1]});
    let spec = json!({
        "verb": "fit", "data": data, "seed": 1, "numHidden": 1, "model": {"kind": "ising", "dim": 3},
        "objective": {"kind": "persistentContrastiveDivergence"},
        "init": {"kind": "dataMeans", "scale": 0.1},
    });
    assert!(job_of(&spec, None).is_ok());
    for (fields, field, words) in [
        (json!({"objective": {"kind": "mpf"}}), "objective.kind", "a model of kind marginal"),
        (json!({"hiddenStates": {"kind": "gibbs", "numSweeps": 0}}), "hiddenStates.numSweeps", "1"),
        (
            json!({"numHidden": 0, "hiddenStates": {"kind": "gibbs"}}),
            "hiddenStates",
            "give numHidden",
        ),
        (json!({"numHidden": 2}), "numHidden", "makes 4 sites where the model has 3"),
        (json!({"model": {"kind": "rbm", "numVisible": 3, "numHidden": 1}}), "numHidden", "Ising"),
        (json!({"model": {"kind": "dbn", "sizes": [2, 1]}}), "numHidden", "stacks"),
        (json!({"init": {"kind": "model"}}), "init", "start from noise"),
        (json!({"errors": {"bootstrap": 20}}), "errors", "leave them out"),
    ] {
        let error = job_of(&with(spec.clone(), &fields), None).err().expect("refused");
        assert_eq!(error.field(), Some(field), "{error}");
        assert!(error.to_string().contains(words), "{error}");
    }
    // Hidden sites that are coupled may start as they are.
    let mut couplings = vec![0.0; 9];
    couplings[2] = 0.5;
    couplings[6] = 0.5;
    let model = json!({"kind": "ising", "dim": 3, "couplings": couplings});
    let coupled = with(spec, &json!({"model": model, "init": {"kind": "model"}}));
    assert!(job_of(&coupled, None).is_ok());
    let _: ModelSpec = serde_json::from_value(coupled["model"].clone()).unwrap();
}
