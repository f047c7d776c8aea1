//! Specs that are refused, and what is said of them.

use crate::common::{fitted, job_of, with};
use serde_json::{Value, json};

fn spec(fields: &Value) -> Value {
    let states: Vec<f64> = super::normals(60, 80);
    let spec = json!({
        "verb": "fit", "model": {"kind": "gaussian", "dim": 2}, "states": states, "seed": 3,
        "objective": {"kind": "maximumLikelihood"},
    });
    with(spec, fields)
}

fn refused(spec: &Value) -> (String, String, String) {
    let error = job_of(spec, None).err().unwrap_or_else(|| panic!("accepted: {spec}"));
    (error.code().to_owned(), error.field().unwrap_or("").to_owned(), error.to_string())
}

#[test]
fn what_does_not_suit_is_refused_by_name() {
    let bits = json!({"kind": "values", "dim": 2, "values": [0, 1, 1, 1]});
    let ica = json!({"kind": "ica", "dim": 2});
    let t = json!({"kind": "productOfExperts", "dim": 2, "expert": "studentT"});
    let generative =
        json!({"kind": "linearGenerative", "numObserved": 2, "numLatent": 2, "prior": "gaussian"});
    for (fields, code, field, word) in [
        (json!({"states": null}), "invalid-spec", "states", "is missing"),
        (json!({"data": bits}), "invalid-spec", "data", "as states"),
        (json!({"states": [1, 2, 3]}), "invalid-spec", "states", "a row of the model's data has 2"),
        (json!({"states": []}), "invalid-spec", "states", "one row"),
        (
            json!({"objective": {"kind": "pseudolikelihood"}}),
            "invalid-spec",
            "objective.kind",
            "binary",
        ),
        (json!({"objective": {"kind": "meanField"}}), "invalid-spec", "objective.kind", "binary"),
        (json!({"objective": {"kind": "mpf"}}), "invalid-spec", "objective.connectivity", "ball"),
        (
            json!({"objective": {"kind": "mpf", "connectivity": {"kind": "ball", "radius": 0, "numSamples": 2}}}),
            "invalid-spec",
            "objective.connectivity.radius",
            "greater than 0",
        ),
        (
            json!({"objective": {"kind": "mpf", "connectivity": {"kind": "ball", "radius": 1, "numSamples": 3}}}),
            "invalid-spec",
            "objective.connectivity.numSamples",
            "even",
        ),
        (
            json!({"objective": {"kind": "mpf", "excludeData": true, "connectivity": {"kind": "ball", "radius": 1, "numSamples": 2}}}),
            "invalid-spec",
            "objective.excludeData",
            "leave it out",
        ),
        (
            json!({"objective": {"kind": "scoreMatching", "numSlices": 0}}),
            "invalid-spec",
            "objective.numSlices",
            "from 1",
        ),
        (
            json!({"objective": {"kind": "denoisingScoreMatching", "noise": 0}}),
            "invalid-spec",
            "objective.noise",
            "greater",
        ),
        (
            json!({"objective": {"kind": "denoisingScoreMatching"}}),
            "invalid-spec",
            "objective.noise",
            "give it, or several",
        ),
        (
            json!({"objective": {"kind": "denoisingScoreMatching", "noise": 1, "noises": [1]}}),
            "invalid-spec",
            "objective.noise",
            "not both",
        ),
        (
            json!({"objective": {"kind": "denoisingScoreMatching", "noises": [0.1, 1]}}),
            "invalid-spec",
            "objective.noises[1]",
            "from the largest to the smallest",
        ),
        (json!({"init": {"kind": "dataMeans", "scale": 0}}), "invalid-spec", "init.kind", "normal"),
        (
            json!({"optimizer": {"kind": "lbfgs", "coordinates": {"kind": "relative"}}}),
            "invalid-spec",
            "optimizer.coordinates.kind",
            "params",
        ),
        (
            json!({"model": ica, "objective": {"kind": "scoreMatching"}}),
            "invalid-spec",
            "objective.kind",
            "second derivatives",
        ),
        (
            json!({"model": ica, "objective": {"kind": "denoisingScoreMatching", "noise": 1}}),
            "invalid-spec",
            "objective.kind",
            "Laplace",
        ),
        (json!({"model": {"kind": "ring"}}), "missing-capability", "model.kind", "Parametric"),
        (json!({"model": generative}), "invalid-spec", "objective.kind", "expectationMaximization"),
        (
            with(
                json!({"model": t}),
                &json!({"model": {"kind": "productOfExperts", "dim": 2, "expert": "studentT", "numExperts": 3,
            "filters": [1, 0, 0, 1, 1, 1]}}),
            ),
            "missing-capability",
            "model.kind",
            "LogZGradient",
        ),
    ] {
        let (found_code, found_field, message) = refused(&spec(&fields));
        assert_eq!((&found_code[..], &found_field[..]), (code, field), "{message}");
        assert!(message.contains(word), "{message}");
    }
    let mut infinite = spec(&json!({}));
    infinite["states"][7] = Value::Null;
    assert_eq!(refused(&infinite).1, "states[7]");
}

/// The other way round: bits, and what is for the reals.
#[test]
fn binary_models_refuse_what_is_for_the_reals() {
    let binary = json!({
        "verb": "fit", "model": {"kind": "ising", "dim": 2}, "seed": 3,
        "data": {"kind": "values", "dim": 2, "values": [0, 1, 1, 1]},
    });
    let hmc = json!({"kind": "hmc"});
    for (fields, field) in [
        (json!({"states": [0, 1]}), "states"),
        (json!({"objective": {"kind": "scoreMatching"}}), "objective.kind"),
        (json!({"objective": {"kind": "denoisingScoreMatching", "noise": 1}}), "objective.kind"),
        (json!({"objective": {"kind": "expectationMaximization"}}), "objective.kind"),
        (
            json!({"objective": {"kind": "scoreMatching"}, "optimizer": {"kind": "adam"}}),
            "objective.kind",
        ),
        (
            json!({"objective": {"kind": "mpf", "connectivity": {"kind": "ball", "radius": 1, "numSamples": 2}}}),
            "objective.connectivity.kind",
        ),
        (
            json!({"objective": {"kind": "contrastiveDivergence", "numSteps": 1, "transition": hmc}}),
            "objective.transition",
        ),
        (
            json!({"objective": {"kind": "persistentContrastiveDivergence", "numSteps": 1, "numChains": 2,
            "restartProbability": 0.1}}),
            "objective.restartProbability",
        ),
        (
            json!({"objective": {"kind": "persistentContrastiveDivergence", "numChains": 2, "numMoved": 1}}),
            "objective.numMoved",
        ),
        (
            json!({"objective": {"kind": "persistentContrastiveDivergence", "energyPenalty": 1}}),
            "objective.energyPenalty",
        ),
        (
            json!({"objective": {"kind": "maximumLikelihood"}, "optimizer": {"kind": "sgd"}}),
            "optimizer",
        ),
    ] {
        let (code, found, message) = refused(&with(binary.clone(), &fields));
        assert_eq!((&code[..], &found[..]), ("invalid-spec", field), "{message}");
    }
    let dbn = with(
        binary,
        &json!({"model": {"kind": "dbn", "sizes": [2, 2]}, "data": null, "states": [0, 1]}),
    );
    assert_eq!(refused(&dbn).1, "states");
}

/// Minibatches find what the whole does, nearly.
#[test]
fn minibatches_lower_every_objective() {
    for objective in [
        json!({"kind": "maximumLikelihood"}),
        json!({"kind": "scoreMatching"}),
        json!({"kind": "scoreMatching", "numSlices": 2}),
        json!({"kind": "denoisingScoreMatching", "noise": 0.5}),
        json!({"kind": "mpf", "connectivity": {"kind": "ball", "radius": 0.5, "numSamples": 4}}),
    ] {
        let of = |optimizer: Value| {
            let precision = [4.0, 1.0, 1.0, 3.0];
            let model =
                json!({"kind": "gaussian", "dim": 2, "mean": [1, -1], "precision": precision});
            let spec =
                spec(&json!({"model": model, "objective": objective, "optimizer": optimizer}));
            fitted(job_of(&spec, None).expect("a sound job")).objective
        };
        let start = of(json!({"kind": "lbfgs", "maxIterations": 0}));
        let best = of(json!({"kind": "lbfgs"}));
        let found = of(json!({"kind": "adam", "batchSize": 10, "numEpochs": 200,
            "learningRate": {"start": 0.1, "end": 0.01}}));
        println!("{objective}: {start} at the start, {best} at best, {found} by minibatches");
        // Of the epoch's fresh draws, and as the parameters still moved.
        assert!(found - best < 0.25 * (start - best), "{objective}: {start} {best} {found}");
    }
}
