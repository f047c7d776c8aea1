//! Potts models through the verbs: what they compute, and what they refuse.

use crate::common::{finished, fitted, job_of, sampled, with};
use serde_json::{Value, json};
use unnorm::JobResult;
use unnorm::bits::BitMatrix;
use unnorm::energy::{ExactDraws, FlipLoss, Objective};
use unnorm::exact::ExactResult;
use unnorm::models::Model;
use unnorm::models::ising::Pattern;
use unnorm::models::potts::{Potts, PottsSingleSites, PottsSpec};
use unnorm::models::site_values::{NumValues, SiteValues};
use unnorm::rng::{Purpose, stream};

const SITES: usize = 6;
const VALUES: usize = 4;

/// Six sites of four values on a ring.
fn ring() -> Potts {
    let pairs = (0..SITES - 1).map(|site| [site, site + 1]).chain([[0, SITES - 1]]).collect();
    let pattern = Pattern::Pairs { pairs };
    PottsSpec::random(SITES, NumValues::All(VALUES), pattern, 0.7, 1).build().unwrap()
}

fn json_of(model: &Potts) -> Value {
    serde_json::to_value(model.spec()).unwrap()
}

fn exact(spec: &Value) -> ExactResult {
    match finished(job_of(spec, None).unwrap()) {
        JobResult::Exact(result) => result,
        _ => panic!("not exact"),
    }
}

/// Exact draws, as data.
fn draws(model: &Potts, num_rows: usize) -> (BitMatrix, Value) {
    let draws = model.draws().unwrap();
    let dim = model.sites().dim();
    let mut rows = BitMatrix::zeros(dim, num_rows);
    let mut rng = stream(4, Purpose::Example, 0);
    rows.rows_mut().for_each(|row| draws.draw(&mut rng, row));
    let data = json!({"kind": "bits", "dim": dim, "numRows": num_rows, "bits": rows.to_bytes()});
    (rows, data)
}

/// Shares of values and of pairs of values in chains from random states, by either scan and by clusters,
/// within six of their own standard errors plus what 64 chains' estimates of these leave (a false alarm
/// below 10⁻⁶ in some 600 comparisons each).
#[test]
fn chains_have_the_exact_moments_and_rows_are_states() {
    let model = ring();
    let expected = exact(&json!({"verb": "exact", "model": json_of(&model)})).moments.unwrap();
    for transition in [
        json!({"kind": "gibbs", "scan": "systematic"}),
        json!({"kind": "gibbs", "scan": "random"}),
        json!({"kind": "swendsenWang"}),
    ] {
        let spec = json!({
            "verb": "sample", "model": json_of(&model), "seed": 2, "energies": true,
            "transition": transition,
            "numChains": 64, "numWarmup": 50, "numDraws": 500,
        });
        let result = sampled(job_of(&spec, None).unwrap());
        let bytes = result.draws.bits.chunks_exact(3);
        for row in bytes {
            let word = u64::from_le_bytes([row[0], row[1], row[2], 0, 0, 0, 0, 0]);
            assert!(model.sites().is_state(&[word]));
        }
        assert!(result.energies.iter().all(|energy| energy.is_finite()));
        let pairs = result.moments.iter().zip(&result.moment_errors).zip(&expected);
        for ((found, error), expected) in pairs {
            assert!((found - expected).abs() <= 8.0 * error + 1e-4, "{found} {expected} {error}");
        }
    }
}

/// Three values on a torus whose couplings are so strong that most sites have the same value. With clusters
/// every chain has each of the three values as this one at some time; with single sites it keeps one.
#[test]
fn clusters_cross_between_phases() {
    const SIDE: usize = 16;
    let pattern = json!({"kind": "lattice", "numRows": SIDE, "numCols": SIDE, "periodic": true});
    let equal = [1.2, 0.0, 0.0, 0.0, 1.2, 0.0, 0.0, 0.0, 1.2];
    let couplings: Vec<f64> = (0..2 * SIDE * SIDE).flat_map(|_| equal).collect();
    let model = json!({"kind": "potts", "numSites": SIDE * SIDE, "numValues": 3, "pattern": pattern,
        "couplings": couplings});
    let num_chains = 8;
    // By chain, whether each value has held more than half of the sites.
    let phases = |kind: &str| {
        let spec = json!({
            "verb": "sample", "model": model, "seed": 3, "energies": true,
            "transition": {"kind": kind}, "numChains": num_chains, "numWarmup": 300, "numDraws": 200,
        });
        let result = sampled(job_of(&spec, None).unwrap());
        let mut seen = vec![[false; 3]; num_chains];
        let rows = result.draws.bits.chunks_exact(3 * SIDE * SIDE / 8);
        for (index, row) in rows.enumerate() {
            let mut counts = [0; 3];
            for bit in (0..3 * SIDE * SIDE).filter(|bit| row[bit / 8] >> (bit % 8) & 1 == 1) {
                counts[bit % 3] += 1;
            }
            let majority = counts.map(|count| 2 * count > SIDE * SIDE);
            let chain = &mut seen[index % num_chains];
            chain.iter_mut().zip(majority).for_each(|(seen, now)| *seen |= now);
        }
        (seen, result.energy_summary.expect("of the energies"))
    };
    let [(sites, at_sites), (clusters, at_clusters)] = ["gibbs", "swendsenWang"].map(phases);
    assert!(clusters.iter().all(|seen| *seen == [true; 3]), "{clusters:?}");
    let count = |seen: &[bool; 3]| seen.iter().filter(|seen| **seen).count();
    assert!(sites.iter().all(|seen| count(seen) <= 1), "{sites:?}");
    // Energies do not tell the phases apart; single sites may be between two of them.
    assert!(at_clusters.rhat < 1.05 && at_clusters.mean <= at_sites.mean + 5.0);
}

#[test]
fn chains_start_where_they_are_told() {
    let model = ring();
    let (rows, data) = draws(&model, 5);
    let spec = json!({
        "verb": "sample", "model": json_of(&model), "seed": 2,
        "transition": {"kind": "gibbs"}, "numChains": 5, "numWarmup": 0, "numDraws": 1,
    });
    for start in [json!({"kind": "random"}), json!({"kind": "exact"})] {
        sampled(job_of(&with(spec.clone(), &json!({"start": start})), None).unwrap());
    }
    let from = |data: &Value| {
        let start = json!({"start": {"kind": "data", "data": data}});
        job_of(&with(spec.clone(), &start), None)
    };
    sampled(from(&data).unwrap());
    let mut bits = rows.to_bytes();
    bits[3] = 0;
    let error = from(&with(data, &json!({"bits": bits}))).err().unwrap();
    assert!(error.to_string().contains("no bit on for site 0 in row 1"), "{error}");
}

/// The mean log likelihood of data, and what is refused.
#[test]
fn likelihoods_are_those_of_the_energies() {
    let model = ring();
    let (rows, data) = draws(&model, 30);
    let result = exact(&json!({"verb": "exact", "model": json_of(&model), "data": data}));
    let energies = crate::common::energies(&model, &rows);
    let expected = -energies.iter().sum::<f64>() / 30.0 - result.log_z;
    assert!((result.log_likelihood.unwrap() - expected).abs() < 1e-12);
    assert_eq!(result.method, "enumeration");
    let other = json!({"kind": "values", "dim": 24, "values": vec![1; 24]});
    let refused = |fields: &Value| {
        let spec = json!({"verb": "exact", "model": json_of(&model)});
        job_of(&with(spec, fields), None).err().unwrap().to_string()
    };
    let message = refused(&json!({"data": other}));
    assert!(message.contains("several bits on for site 0 in row 0"), "{message}");
    let short = json!({"kind": "values", "dim": 4, "values": [1, 0, 0, 0]});
    let message = refused(&json!({"data": short}));
    assert!(message.contains("adds up to 24 bits a row"), "{message}");
    let message = refused(&json!({"data": data, "connectivity": {"kind": "singleFlips"}}));
    assert!(message.contains("24") || message.contains("SiteFlips"), "{message}");
}

/// A fit to draws is where the gradient of the penalized objective, by its definition, vanishes,
/// and predicts the couplings that the draws came from.
#[test]
fn fits_by_pseudolikelihood_find_the_minimum() {
    let truth = ring();
    let (rows, data) = draws(&truth, 20_000);
    let pattern = json_of(&truth)["pattern"].clone();
    let model =
        json!({"kind": "potts", "numSites": SITES, "numValues": VALUES, "pattern": pattern});
    let spec = json!({
        "verb": "fit", "model": model, "data": data, "seed": 1,
        "objective": {"kind": "pseudolikelihood"},
        "regularizer": {"kind": "l2", "strength": 1e-4, "includeBiases": true},
    });
    let result = fitted(job_of(&spec, None).unwrap());
    assert!(result.converged && result.warnings.is_empty(), "{}", result.stop_reason);
    let found = result.model.build().unwrap();
    let params = found.as_parametric().unwrap().params().to_vec();
    let weighted = unnorm::bits::WeightedRows::from_data(rows.as_batch());
    let mut grad = vec![0.0; params.len()];
    PottsSingleSites::new(found.as_potts().unwrap(), &weighted, FlipLoss::Pseudolikelihood)
        .evaluate(&params, &mut grad);
    for (grad, param) in grad.iter().zip(&params) {
        assert!((grad + 1e-4 * param).abs() < 1e-4, "{grad} {param}");
    }
    // Its moments are those of the truth, up to sampling: standard errors are at most 0.0036.
    let moments = |model: Value| exact(&json!({"verb": "exact", "model": model})).moments.unwrap();
    let of_found = moments(serde_json::to_value(found.spec()).unwrap());
    for (found, expected) in of_found.iter().zip(moments(json_of(&truth))) {
        assert!((found - expected).abs() < 0.025, "{found} {expected}");
    }
}

/// Flow and maximum likelihood find the model, too: moments are those of the truth, up to sampling, as above.
#[test]
fn fits_by_flow_and_by_likelihood_find_the_model() {
    let truth = ring();
    let (_, data) = draws(&truth, 20_000);
    let pattern = json_of(&truth)["pattern"].clone();
    let model =
        json!({"kind": "potts", "numSites": SITES, "numValues": VALUES, "pattern": pattern});
    let moments = |model: Value| exact(&json!({"verb": "exact", "model": model})).moments.unwrap();
    for kind in ["mpf", "maximumLikelihood"] {
        let spec = json!({
            "verb": "fit", "model": model, "data": data, "seed": 1, "objective": {"kind": kind},
            "regularizer": {"kind": "l2", "strength": 1e-5, "includeBiases": true},
        });
        let result = fitted(job_of(&spec, None).unwrap());
        assert!(result.converged && result.warnings.is_empty(), "{:?}", result.warnings);
        let found = moments(serde_json::to_value(&result.model).unwrap());
        for (found, expected) in found.iter().zip(moments(json_of(&truth))) {
            assert!((found - expected).abs() < 0.025, "{kind}: {found} {expected}");
        }
    }
}

/// Minibatches come as close to the minimum as their noise lets them.
#[test]
fn minibatches_lower_the_pseudolikelihood() {
    let truth = ring();
    let (_, data) = draws(&truth, 4_000);
    let pattern = json_of(&truth)["pattern"].clone();
    let model =
        json!({"kind": "potts", "numSites": SITES, "numValues": VALUES, "pattern": pattern});
    let spec = json!({
        "verb": "fit", "model": model, "data": data, "seed": 1,
        "objective": {"kind": "pseudolikelihood"},
    });
    let objective = |model: Value| {
        let at = json!({"model": model, "optimizer": {"kind": "lbfgs", "maxIterations": 0}});
        fitted(job_of(&with(spec.clone(), &at), None).unwrap()).objective
    };
    let minimum = fitted(job_of(&spec, None).unwrap()).objective;
    let adam = json!({"optimizer": {
        "kind": "adam", "numEpochs": 10, "batchSize": 100, "learningRate": 0.01,
    }});
    let found = fitted(job_of(&with(spec.clone(), &adam), None).unwrap());
    let (start, found) = (objective(model), objective(serde_json::to_value(&found.model).unwrap()));
    assert!(found - minimum < 0.01 && start - minimum > 0.1, "{start} {found} {minimum}");
}

/// What Potts models cannot do is refused by name, and so are rows that are no states.
#[test]
fn what_potts_models_lack_is_refused() {
    let model = ring();
    let (rows, data) = draws(&model, 10);
    let fit = json!({"verb": "fit", "model": json_of(&model), "data": data, "seed": 1});
    let message =
        |fields: Value| job_of(&with(fit.clone(), &fields), None).err().unwrap().to_string();
    for kind in ["contrastiveDivergence", "meanField", "scoreMatching"] {
        let message = message(json!({"objective": {"kind": kind}}));
        assert!(
            message.contains("several values are fitted by pseudolikelihood, mpf"),
            "{message}"
        );
    }
    let flips = json!({"kind": "mpf", "connectivity": {"kind": "singleAndAllFlips"}});
    let text = message(json!({"objective": flips}));
    assert!(text.contains("objective.connectivity.kind") && text.contains("singleFlips"), "{text}");
    let without = json!({"kind": "mpf", "excludeData": true});
    assert!(message(json!({"objective": without})).contains("objective.excludeData"));
    let minibatches = json!({
        "objective": {"kind": "pseudolikelihood"},
        "optimizer": {"kind": "adam", "numEpochs": 3, "batchSize": 50, "learningRate": 0.01},
    });
    job_of(&with(fit.clone(), &minibatches), None).unwrap();
    let mut bits = rows.to_bytes();
    bits[0] |= 0x0f;
    let bad = with(data, &json!({"bits": bits}));
    let message = message(json!({"objective": {"kind": "pseudolikelihood"}, "data": bad}));
    assert!(message.contains("several bits on for site 0 in row 0"), "{message}");
    for transition in ["blockGibbs", "wolff", "checkerboard", "nuts"] {
        let spec = json!({
            "verb": "sample", "model": json_of(&model), "transition": {"kind": transition},
            "numChains": 1, "numWarmup": 5, "numDraws": 1, "seed": 1,
        });
        assert!(job_of(&spec, None).is_err(), "{transition}");
    }
    let of_flips =
        json!({"verb": "chain", "model": json_of(&model), "transition": {"kind": "wolff"}});
    assert!(job_of(&of_flips, None).is_err());
    let log_z = json!({
        "verb": "logZ", "model": json_of(&model), "numChains": 10, "numDistributions": 10, "seed": 1,
    });
    for transition in ["blockGibbs", "wolff", "checkerboard"] {
        let by = with(log_z.clone(), &json!({"transition": {"kind": transition}}));
        let error = job_of(&by, None).err().unwrap();
        assert!(matches!(error, unnorm::Error::MissingCapability { .. }), "{error}");
    }
    let large = json!({"kind": "potts", "numSites": 13, "numValues": 2});
    let perfect = with(log_z, &json!({"model": large, "transition": {"kind": "perfect"}}));
    let message = job_of(&perfect, None).err().unwrap().to_string();
    assert!(message.contains("the limit is 4096 states"), "{message}");
}
