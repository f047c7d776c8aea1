//! What is refused before any work, by the name of the field at fault.

use super::*;

#[track_caller]
fn assert_refused(spec: Value, field: &str, words: &str) {
    let error = job(&spec).err().unwrap_or_else(|| panic!("accepted: {spec:.300}"));
    assert_eq!(error.field(), Some(field), "{error}");
    assert!(error.to_string().contains(words), "{error}");
}

fn normal(dim: usize) -> Value {
    json!({ "kind": "gaussian", "dim": dim })
}

fn on_the_reals() -> Value {
    json!({ "model": { "kind": "ring" }, "numChains": 10, "numDistributions": 20 })
}

fn of_bits() -> Value {
    json!({ "model": { "kind": "ising", "dim": 3 }, "numChains": 10, "numDistributions": 20 })
}

#[test]
fn references() {
    for (spec, kind) in [
        (on_the_reals(), json!({ "kind": "uniform" })),
        (on_the_reals(), json!({ "kind": "independent", "logOdds": [0.0, 0.0] })),
        (of_bits(), json!({ "kind": "model", "model": normal(3) })),
    ] {
        assert_refused(with(&spec, json!({ "reference": kind })), "reference.kind", "models");
    }
    let reference = |model: Value| json!({ "reference": { "kind": "model", "model": model } });
    let spec = with(&on_the_reals(), reference(normal(3)));
    assert_refused(spec, "reference.model.dim", "3 dimensions");
    let unsound = json!({ "kind": "gaussian", "dim": 2, "mean": [1.0] });
    assert_refused(with(&on_the_reals(), reference(unsound)), "reference.model.mean", "entries");
    let unknown = json!({ "kind": "banana" });
    if job(&with(&on_the_reals(), reference(unknown.clone()))).is_err() {
        assert_refused(with(&on_the_reals(), reference(unknown)), "model.kind", "exact draws");
    }
    let binary = reference(json!({ "kind": "ising", "dim": 2 }));
    assert_refused(with(&on_the_reals(), binary), "model.kind", "annealing on the reals");
    for log_odds in [json!([0.0, 1.0]), json!([0.0, 1.0, 2.0, 3.0])] {
        let independent = json!({ "reference": { "kind": "independent", "logOdds": log_odds } });
        assert_refused(with(&of_bits(), independent), "reference.logOdds", "give 3");
    }
}

#[test]
fn paths() {
    let path = |path: Value| json!({ "path": path });
    let moments = path(json!({ "kind": "momentAverages" }));
    for spec in [on_the_reals(), of_bits()] {
        assert_refused(with(&spec, moments.clone()), "path.kind", "two Gaussians");
    }
    let knots = |betas: &[f64], num_params: usize| {
        path(json!({ "kind": "knots", "betas": betas, "params": vec![0.0; num_params] }))
    };
    assert_refused(with(&on_the_reals(), knots(&[], 0)), "path.kind", "binary");
    for (betas, num_params, field, words) in [
        (&[0.5][..], 5, "path.params", "give 6"),
        (&[0.0], 6, "path.betas[0]", "between 0 and 1"),
        (&[1.0], 6, "path.betas[0]", "between 0 and 1"),
        (&[0.6, 0.4], 12, "path.betas[1]", "ascend"),
        (&[0.6, 0.6], 12, "path.betas[1]", "ascend"),
    ] {
        assert_refused(with(&of_bits(), knots(betas, num_params)), field, words);
    }
    assert!(job(&with(&of_bits(), knots(&[0.4, 0.6], 12))).is_ok());
    let binned = |costs: &[f64], num_bins: usize| {
        let mut spec = with(&of_bits(), knots(&[0.4, 0.6], 12));
        spec["path"]["costs"] = costs.into();
        with(&spec, json!({ "schedule": { "kind": "optimalBinned", "numBins": num_bins } }))
    };
    assert_refused(binned(&[1.0, 2.0], 3), "path.costs", "give 3");
    assert_refused(binned(&[1.0, 2.0, 3.0], 10), "schedule.numBins", "give 3");
    assert!(job(&binned(&[1.0, 2.0, 3.0], 3)).is_ok());
}

#[test]
fn schedules() {
    let schedule = |schedule: Value| with(&of_bits(), json!({ "schedule": schedule }));
    let given = |betas: &[f64]| {
        let spec = schedule(json!({ "kind": "given", "betas": betas }));
        with(&spec, json!({ "numDistributions": 3 }))
    };
    assert!(job(&given(&[0.0, 0.2, 0.7, 1.0])).is_ok());
    assert_refused(given(&[0.0, 0.2, 1.0]), "schedule.betas", "3 entries");
    for betas in [
        [0.0, 0.7, 0.2, 1.0],
        [0.0, 0.5, 0.5, 1.0],
        [0.1, 0.2, 0.7, 1.0],
        [0.0, 0.2, 0.7, 0.9],
        [0.0, 0.2, 1.7, 1.0],
    ] {
        assert_refused(given(&betas), "schedule.betas", "ascend");
    }
    for (kind, field) in [
        (json!({ "kind": "sigmoidal", "delta": 0 }), "schedule.delta"),
        (json!({ "kind": "sigmoidal", "delta": 31 }), "schedule.delta"),
        (json!({ "kind": "geometric", "first": 1 }), "schedule.first"),
        (json!({ "kind": "geometric", "first": 0 }), "schedule.first"),
        (json!({ "kind": "optimalBinned", "numBins": 0 }), "schedule.numBins"),
        (json!({ "kind": "optimalBinned", "numBins": 21 }), "schedule.numBins"),
    ] {
        assert_refused(schedule(kind), field, "");
    }
}

#[test]
fn numbers() {
    for (fields, field) in [
        (json!({ "numChains": 1 }), "numChains"),
        (json!({ "numChains": 1 << 21 }), "numChains"),
        (json!({ "numDistributions": 0 }), "numDistributions"),
        (json!({ "numDistributions": 200_000_000 }), "numDistributions"),
        (json!({ "numStepsPerDistribution": 0 }), "numStepsPerDistribution"),
        (json!({ "numStepsPerDistribution": 10_000_000 }), "numStepsPerDistribution"),
        (json!({ "confidence": 0 }), "confidence"),
        (json!({ "confidence": 1 }), "confidence"),
        (json!({ "resampling": { "threshold": 1.5 } }), "resampling.threshold"),
        (json!({ "resampling": { "numStages": 0 } }), "resampling.numStages"),
        (json!({ "pilot": { "numChains": 15 } }), "pilot.numChains"),
        (json!({ "pilot": { "numDistributions": 49 } }), "pilot.numDistributions"),
        (json!({ "pilot": { "numRuns": 0 } }), "pilot.numRuns"),
    ] {
        for spec in [of_bits(), on_the_reals()] {
            assert_refused(with(&spec, fields.clone()), field, "");
        }
    }
    // A million chains of bits have room, of a thousand numbers each not.
    let many =
        json!({ "numChains": 1 << 20, "numDistributions": 1, "transition": { "kind": "gibbs" } });
    assert!(job(&with(&of_bits(), many)).is_ok());
    let spec = json!({ "model": normal(1000), "numChains": 1 << 20, "numDistributions": 20 });
    assert_refused(spec, "numChains", "there is room for 16644 chains");
    let spec = json!({
        "model": { "kind": "linearGenerative", "numObserved": 1, "numLatent": 8, "prior": "laplace",
            "basis": [1, 1, 1, 1, 1, 1, 1, 1] },
        "states": vec![0.0; 5000], "numChains": 1000, "numDistributions": 20,
    });
    assert_refused(spec, "numChains", "there is room for 209 of each");
}

#[test]
fn transitions() {
    let transition = |spec: Value, kind: Value| with(&spec, json!({ "transition": kind }));
    for (kind, field) in [
        (json!({ "kind": "langevin", "adjusted": false, "stepSize": 0.1 }), "transition.adjusted"),
        (
            json!({ "kind": "parallelTempering", "transition": { "kind": "hmc" } }),
            "transition.kind",
        ),
        (
            json!({ "kind": "simulatedTempering", "transition": { "kind": "hmc" } }),
            "transition.kind",
        ),
        (json!({ "kind": "hmc", "momentumRefresh": 0 }), "transition.momentumRefresh"),
        (json!({ "kind": "hmc", "stepSize": -1 }), "transition.stepSize"),
        (json!({ "kind": "gibbs" }), "transition.kind"),
        (json!({ "kind": "perfect" }), "transition.kind"),
        (json!({ "kind": "wolff" }), "transition.kind"),
    ] {
        assert_refused(transition(on_the_reals(), kind), field, "");
    }
    assert_refused(transition(of_bits(), json!({ "kind": "hmc" })), "transition.kind", "reals");
    let block = transition(of_bits(), json!({ "kind": "blockGibbs" }));
    assert_refused(block, "model.kind", "block Gibbs");
    let large = with(&of_bits(), json!({ "model": { "kind": "ising", "dim": 13 } }));
    assert_refused(transition(large, json!({ "kind": "perfect" })), "transition.kind", "12 sites");
    let machine = json!({ "kind": "rbm", "numVisible": 16, "numHidden": 15 });
    let machine =
        transition(with(&of_bits(), json!({ "model": machine })), json!({ "kind": "perfect" }));
    assert_refused(machine, "transition.kind", "14 units on the smaller side");
    // And nothing else has perfect draws on the way.
    let sample = json!({
        "verb": "sample", "model": normal(2), "transition": { "kind": "perfect" }, "numChains": 2, "numWarmup": 1, "numDraws": 2,
    });
    let sample = JobSpec::from_value(serde_json::from_value(sample).unwrap());
    let error = sample.and_then(|spec| Job::new(spec, None, None)).err().expect("refused");
    assert_eq!(error.field(), Some("transition.kind"));
    assert!(error.to_string().contains("logZ"), "{error}");
}

#[test]
fn exact_starts_without_exact_draws() {
    let reverse = json!({ "reverse": { "start": { "kind": "exact" } } });
    for model in [
        json!({ "kind": "productOfExperts", "dim": 2, "numExperts": 3, "expert": "laplace",
            "filters": [1, 0, 0, 1, 1, 1] }),
        json!({ "kind": "linearGenerative", "numObserved": 2, "numLatent": 2, "prior": "laplace" }),
        model("ising", ising(60, 0.1, 1)),
    ] {
        let spec = json!({ "model": model, "numChains": 10, "numDistributions": 20 });
        assert!(job(&spec).is_ok());
        let spec = with(&spec, reverse.clone());
        assert_refused(spec, "model.kind", "start them from the forward runs");
    }
}

#[test]
fn models_and_rows() {
    let dbn = json!({ "kind": "dbn", "sizes": [3, 2, 2] });
    assert_refused(with(&of_bits(), json!({ "model": dbn })), "model.kind", "");
    let unsound = json!({ "model": { "kind": "ising", "dim": 0 } });
    assert_refused(with(&of_bits(), unsound), "model.dim", "");

    let data = |dim: usize| json!({ "kind": "values", "dim": dim, "values": vec![1; 2 * dim] });
    let rows = |dim: usize| json!({ "data": data(dim) });
    let states = |count: usize| json!({ "states": vec![0.5; count] });
    assert!(job(&with(&of_bits(), rows(3))).is_ok());
    assert!(job(&with(&on_the_reals(), states(4))).is_ok());
    assert_refused(with(&on_the_reals(), rows(2)), "data", "states");
    assert_refused(with(&of_bits(), states(3)), "states", "data");
    assert!(job(&with(&of_bits(), rows(4))).is_err());
    for count in [0, 3] {
        assert_refused(with(&on_the_reals(), states(count)), "states", "a row has 2");
    }
    let both = with(&with(&of_bits(), rows(3)), states(3));
    assert_refused(both, "states", "beside data");
}

#[test]
fn simulated_rows() {
    let generative = json!({
        "model": { "kind": "linearGenerative", "numObserved": 2, "numLatent": 2, "prior": "laplace" },
        "simulate": { "numRows": 3 }, "numChains": 5, "numDistributions": 40,
    });
    let simulated = json!({ "reverse": { "start": { "kind": "simulated" } } });
    assert!(job(&with(&generative, simulated.clone())).is_ok());
    let given = with(&generative, json!({ "states": [0.5, 1.0] }));
    assert_refused(given.clone(), "simulate", "leave one of them out");
    let given = with(&with(&given, json!({ "simulate": null })), simulated);
    assert_refused(given, "reverse.start.kind", "give simulate: { numRows }");
    let simulate = json!({ "simulate": { "numRows": 3 } });
    assert_refused(with(&on_the_reals(), simulate.clone()), "model.kind", "a generative model");
    assert_refused(with(&of_bits(), simulate), "model.kind", "a generative model");
    for num_rows in [0, 100_000] {
        let simulate = json!({ "simulate": { "numRows": num_rows } });
        assert_refused(with(&generative, simulate), "simulate.numRows", "");
    }
    let large = json!({
        "model": { "kind": "linearGenerative", "numObserved": 1000, "numLatent": 1000, "prior": "laplace" },
        "simulate": { "numRows": 5000 },
    });
    assert_refused(with(&generative, large), "simulate.numRows", "at most 4194 rows");
}

#[test]
fn second_paths() {
    let second = |path: Value| with(&of_bits(), json!({ "secondPath": path }));
    assert!(job(&second(json!({ "schedule": { "kind": "linear" } }))).is_ok());
    assert_refused(second(json!({})), "secondPath", "give another reference");
    let odds = json!({ "reference": { "kind": "independent", "logOdds": [1] } });
    assert_refused(second(odds), "secondPath.reference.logOdds", "");
    let schedule = json!({ "schedule": { "kind": "sigmoidal", "delta": -1 } });
    assert_refused(second(schedule), "secondPath.schedule.delta", "");
    let transition = json!({ "transition": { "kind": "hmc" } });
    assert_refused(second(transition), "secondPath.transition.kind", "reals");
    let kept =
        with(&second(json!({ "schedule": { "kind": "linear" } })), json!({ "keepStates": true }));
    assert_refused(kept, "keepStates", "two paths");
}

#[test]
fn states_that_cannot_be_kept() {
    let keep = json!({ "keepStates": true });
    let generative = json!({
        "model": { "kind": "linearGenerative", "numObserved": 2, "numLatent": 2, "prior": "gaussian" },
        "states": [0.5, 1.0], "numChains": 5, "numDistributions": 40,
    });
    assert_refused(with(&generative, keep.clone()), "keepStates", "each row");
    let many = json!({ "model": { "kind": "ising", "dim": 2000, "pattern": { "kind": "pairs", "pairs": [] } },
        "numChains": 10_000, "numDistributions": 20 });
    assert_refused(with(&many, keep), "keepStates", "fewer chains");
}
