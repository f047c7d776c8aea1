//! Machines with softmax units as jobs: ratings with gaps, and documents. Fits come near the machine that
//! made the data, `energies` says what is known of each row, and what makes no sense is refused.

use crate::common::{finished, fitted, job_of, sampled, with};
use serde_json::{Value, json};
use unnorm::bits::{BitMatrix, flip};
use unnorm::energies::EnergiesResult;
use unnorm::linalg::Batch;
use unnorm::math::{exp, ln, log_sum_exp};
use unnorm::models::ModelSpec;
use unnorm::models::categorical_rbm::CategoricalRbmSpec;
use unnorm::models::replicated_softmax::ReplicatedSoftmaxSpec;
use unnorm::models::site_values::NumValues;
use unnorm::rng::{Purpose, stream, uniform};
use unnorm::sample::job::output::SampleOutput;
use unnorm::verbs::JobResult;

const SITES: usize = 8;
const VALUES: usize = 3;

fn energies(json: &Value) -> EnergiesResult {
    match finished(job_of(json, None).expect("a sound job")) {
        JobResult::Energies(result) => result,
        _ => panic!("not of energies"),
    }
}

fn refused(json: &Value) -> String {
    job_of(json, None).err().expect("refused").to_string()
}

/// Biases with which each of three hidden units is about as often on as off, as its weights multiply the
/// normalizers of the sites.
fn balanced(weights: &[f64], num_values: usize) -> Vec<f64> {
    let of_site = |site: &[f64]| ln(num_values as f64) - log_sum_exp(site);
    let lines = weights.chunks_exact(weights.len() / 3);
    lines.map(|line| line.chunks_exact(num_values).map(of_site).sum()).collect()
}

fn raters() -> CategoricalRbmSpec {
    let mut spec = CategoricalRbmSpec::random(SITES, NumValues::All(VALUES), 3, 0.5, 6);
    spec.weights.iter_mut().flatten().for_each(|weight| *weight *= 4.0);
    spec.hidden_bias = Some(balanced(spec.weights.as_deref().unwrap(), VALUES));
    spec
}

/// Complete rows of a machine.
fn rows_of(model: &CategoricalRbmSpec, num_rows: usize, seed: u64) -> BitMatrix {
    let spec = json!({
        "verb": "sample", "model": ModelSpec::CategoricalRbm(model.clone()), "seed": seed,
        "transition": {"kind": "blockGibbs"}, "start": {"kind": "exact"},
        "numChains": num_rows, "numWarmup": 0, "numDraws": 1, "moments": false,
    });
    let result = sampled(job_of(&spec, None).unwrap());
    BitMatrix::from_bytes(SITES * VALUES, num_rows, &result.draws.bits).unwrap()
}

/// Takes the values of some sites away.
fn with_gaps(rows: &BitMatrix, probability: f64) -> BitMatrix {
    let mut rows = rows.clone();
    let mut rng = stream(5, Purpose::Example, 0);
    for row in rows.rows_mut() {
        for site in 0..SITES {
            if uniform(&mut rng) < probability {
                (site * VALUES..(site + 1) * VALUES)
                    .filter(|bit| unnorm::bits::bit(row, *bit))
                    .collect::<Vec<_>>()
                    .into_iter()
                    .for_each(|bit| flip(row, bit));
            }
        }
    }
    rows
}

fn data(rows: &BitMatrix) -> Value {
    let values: Vec<u8> = rows.as_batch().to_values().iter().map(|value| *value as u8).collect();
    json!({"kind": "values", "dim": rows.dim(), "values": values})
}

/// Nats that the value of a site costs, given the others, over rows and sites.
fn cost(model: &ModelSpec, rows: &BitMatrix) -> f64 {
    let states = rows.as_batch().to_values();
    let result = energies(
        &json!({"verb": "energies", "model": model, "states": states, "conditionals": true}),
    );
    let logs = states.iter().zip(&result.conditionals).filter(|(on, _)| **on == 1.0);
    let logs: Vec<f64> = logs.map(|(_, p)| -ln(*p)).collect();
    logs.iter().sum::<f64>() / logs.len() as f64
}

fn fit(rows: &BitMatrix, objective: &str) -> ModelSpec {
    let model = json!({
        "kind": "categoricalRbm", "numSites": SITES, "numValues": VALUES, "numHidden": 3,
    });
    let spec = json!({
        "verb": "fit", "model": model, "data": data(rows), "seed": 4,
        "objective": {"kind": objective}, "init": {"kind": "dataMeans", "scale": 0.1},
        "optimizer": {"kind": "adam", "numEpochs": 60, "batchSize": 50, "learningRate": 0.01},
    });
    let result = fitted(job_of(&spec, None).unwrap());
    assert!(result.warnings.is_empty(), "{:?}", result.warnings);
    result.model
}

/// On rows it has not seen a fit predicts a value from the others nearly as well as the truth does, with
/// and without gaps in what it learned from; the values' frequencies alone do not.
#[test]
fn ratings_are_predicted_as_by_their_machine() {
    let truth = raters();
    let (train, test) = (rows_of(&truth, 2_000, 1), rows_of(&truth, 2_000, 2));
    let alone = ModelSpec::CategoricalRbm({
        let columns = train.as_batch().to_values();
        let count = |bit: usize| columns.iter().skip(bit).step_by(train.dim()).sum::<f64>();
        CategoricalRbmSpec {
            weights: None,
            hidden_bias: None,
            visible_bias: Some((0..train.dim()).map(|bit| ln(count(bit).max(0.5))).collect()),
            ..truth.clone()
        }
    });
    let best = cost(&ModelSpec::CategoricalRbm(truth), &test);
    let alone = cost(&alone, &test);
    assert!(alone - best > 0.1, "{alone} {best}");
    let fits = [
        ("complete", fit(&train, "contrastiveDivergence")),
        ("persistent", fit(&train, "persistentContrastiveDivergence")),
        ("with gaps", fit(&with_gaps(&train, 0.4), "contrastiveDivergence")),
    ];
    for (name, model) in fits {
        let found = cost(&model, &test);
        println!("{name}: {found}, {best} to {alone}");
        assert!(found - best < 0.25 * (alone - best), "{name}: {found}, {best} to {alone}");
    }
}

/// ln p of rows with gaps adds up to one over the values of the sites that have one.
#[test]
fn log_probabilities_are_of_the_sites_that_have_values() {
    let spec = CategoricalRbmSpec::random(3, NumValues::Each(vec![2, 3, 2]), 4, 1.0, 2);
    let model = ModelSpec::CategoricalRbm(spec);
    let sites = [0..2, 2..5, 5..7];
    for mask in 0..8_usize {
        let mut rows = vec![vec![0.0; 7]];
        for (_, bits) in sites.iter().enumerate().filter(|(site, _)| mask >> site & 1 == 1) {
            let with = |row: &Vec<f64>, bit: usize| {
                let mut row = row.clone();
                row[bit] = 1.0;
                row
            };
            rows =
                rows.iter().flat_map(|row| bits.clone().map(move |bit| with(row, bit))).collect();
        }
        let result = energies(&json!({
            "verb": "energies", "model": model, "states": rows.concat(), "logProbabilities": true,
            "hidden": true,
        }));
        let total: f64 = result.log_probabilities.iter().map(|log| exp(*log)).sum();
        assert!((total - 1.0).abs() < 1e-12, "{mask}: {total}");
        assert!(result.energies.iter().all(|energy| energy.is_finite()));
        assert_eq!(result.hidden.len(), 4 * rows.len());
        if mask == 7 {
            let spec = json!({"verb": "exact", "model": model});
            let JobResult::Exact(exact) = finished(job_of(&spec, None).unwrap()) else { panic!() };
            assert_eq!(exact.method, "hiddenStates");
            let log_z = -result.energies[0] - result.log_probabilities[0];
            assert!((exact.log_z - log_z).abs() < 1e-12);
        }
    }
}

/// Conditional probabilities and hidden units of every kind of model of bits, from energies.
#[test]
fn conditionals_follow_from_energies() {
    for spec in ModelSpec::examples() {
        let model = spec.build().unwrap();
        let dim = model.dim();
        let rows: Vec<f64> = match (model.as_sites(), model.as_site_flips()) {
            (Some(sites), _) => {
                let mut row = vec![0.0; dim];
                (0..sites.count()).for_each(|site| row[sites.first(site) + site % 2] = 1.0);
                row
            }
            (None, Some(_)) => (0..2 * dim).map(|at| f64::from(at % 3 == 1)).collect(),
            (None, None) => continue,
        };
        let energy = |row: &[f64]| {
            let mut energy = [0.0];
            model.energy(Batch::new(dim, row), &mut energy);
            energy[0]
        };
        let result = energies(
            &json!({"verb": "energies", "model": spec, "states": rows, "conditionals": true}),
        );
        for (row, found) in rows.chunks_exact(dim).zip(result.conditionals.chunks_exact(dim)) {
            for (bit, found) in found.iter().enumerate() {
                let others = match model.as_sites() {
                    Some(sites) => {
                        sites.first(sites.site_of(bit))..sites.first(sites.site_of(bit) + 1)
                    }
                    None => bit..bit + 1,
                };
                let at = |on: Option<usize>| {
                    let mut row = row.to_vec();
                    row[others.clone()].fill(0.0);
                    on.into_iter().for_each(|on| row[on] = 1.0);
                    -energy(&row)
                };
                let logs: Vec<f64> = match model.as_sites() {
                    Some(_) => others.clone().map(|on| at(Some(on))).collect(),
                    None => vec![at(None), at(Some(bit))],
                };
                let truth = exp(at(Some(bit)) - log_sum_exp(&logs));
                assert!((found - truth).abs() < 1e-12, "{} {bit}: {found} {truth}", model.kind());
            }
        }
    }
}

/// The means of hidden units are minus the derivatives of the energy by their biases; of sites that are
/// summed out, with the signs of an Ising model, the derivatives themselves.
#[test]
fn hidden_means_are_derivatives_by_the_biases() {
    let mut num_tried = 0;
    for spec in ModelSpec::examples() {
        let model = spec.build().unwrap();
        let Some(means) = model.as_hidden_means() else { continue };
        let mut row = vec![0.0; model.dim()];
        match model.as_sites() {
            Some(sites) => (0..sites.count()).for_each(|site| row[sites.first(site)] = 1.0),
            None => row.iter_mut().step_by(2).for_each(|x| *x = 1.0),
        }
        let x = Batch::new(model.dim(), &row);
        let found = means.hidden_means(x);
        let parametric = model.as_parametric().unwrap();
        let mut grad = vec![0.0; parametric.params().len()];
        parametric.accumulate_param_grad(x, &[1.0], &mut grad);
        // Hidden biases are the last parameters, but for the widths of a Gaussian machine's units.
        let last = match model.kind() {
            "gaussianRbm" => grad.len() - model.dim(),
            "marginal" => model.dim() + found.len(),
            _ => grad.len(),
        };
        // Those of a document count once for each word.
        let weight = match model.kind() {
            "replicatedSoftmax" => row.iter().sum(),
            "marginal" => -1.0,
            _ => 1.0,
        };
        for (mean, derivative) in found.iter().zip(&grad[last - found.len()..last]) {
            let error = (weight * mean + derivative).abs();
            assert!(error < 1e-12, "{}: {mean} {derivative}", model.kind());
            num_tried += 1;
        }
    }
    assert!(num_tried > 60, "{num_tried}");
}

fn writers() -> ReplicatedSoftmaxSpec {
    let mut spec = ReplicatedSoftmaxSpec::random(12, 3, 0.5, 8);
    spec.weights.iter_mut().flatten().for_each(|weight| *weight *= 3.0);
    spec.hidden_bias = Some(balanced(spec.weights.as_deref().unwrap(), 12));
    spec
}

/// Documents of 6 to 15 words, by long chains.
fn documents(model: &ReplicatedSoftmaxSpec, num_documents: usize, seed: u64) -> Vec<f64> {
    let mut start = vec![0.0; num_documents * 12];
    for (index, counts) in start.chunks_exact_mut(12).enumerate() {
        (0..6 + index % 10).for_each(|word| counts[(index + 5 * word) % 12] += 1.0);
    }
    let spec = json!({
        "verb": "sample", "model": ModelSpec::ReplicatedSoftmax(model.clone()), "seed": seed,
        "transition": {"kind": "blockGibbs"}, "start": {"kind": "states", "states": start},
        "numChains": num_documents, "numWarmup": 200, "numDraws": 1,
    });
    match finished(job_of(&spec, None).unwrap()) {
        JobResult::Sample(SampleOutput::Reals(result)) => {
            for (draw, start) in result.draws.values.chunks_exact(12).zip(start.chunks_exact(12)) {
                assert_eq!(draw.iter().sum::<f64>(), start.iter().sum::<f64>());
            }
            result.draws.values
        }
        _ => panic!("not of counts"),
    }
}

/// Nats a word.
fn nats(model: &ModelSpec, documents: &[f64]) -> f64 {
    let result = energies(&json!({
        "verb": "energies", "model": model, "states": documents, "logProbabilities": true,
    }));
    -result.log_probabilities.iter().sum::<f64>() / documents.iter().sum::<f64>()
}

/// A fit to documents finds words of documents it has not seen nearly as probable as the truth does, and
/// frequencies of words alone do not.
#[test]
fn topics_are_learned_from_documents() {
    let truth = writers();
    let (train, test) = (documents(&truth, 1_500, 1), documents(&truth, 1_500, 2));
    let frequency = |word: usize| train.iter().skip(word).step_by(12).sum::<f64>();
    let word_bias: Vec<f64> = (0..12).map(|word| ln(frequency(word).max(0.5))).collect();
    let alone = ReplicatedSoftmaxSpec {
        weights: None,
        hidden_bias: None,
        word_bias: Some(word_bias.clone()),
        ..truth.clone()
    };
    let best = nats(&ModelSpec::ReplicatedSoftmax(truth), &test);
    let alone = nats(&ModelSpec::ReplicatedSoftmax(alone), &test);
    assert!(alone - best > 0.1, "{alone} {best}");
    let objectives = [
        (json!({"kind": "contrastiveDivergence"}), 4),
        // From other seeds two hidden units may stay alike for long.
        (json!({"kind": "persistentContrastiveDivergence", "numChains": 500}), 6),
    ];
    for (objective, seed) in objectives {
        let spec = json!({
            "verb": "fit", "states": train, "seed": seed,
            "model": {
                "kind": "replicatedSoftmax", "numWords": 12, "numHidden": 3, "wordBias": word_bias,
            },
            "objective": objective,
            "init": {"kind": "normal", "scale": 0.1},
            "optimizer": {"kind": "adam", "numEpochs": 60, "batchSize": 50, "learningRate": 0.01},
        });
        let result = fitted(job_of(&spec, None).unwrap());
        let found = nats(&result.model, &test);
        println!("{objective}: {found}, {best} to {alone}");
        assert!(found - best < 0.1 * (alone - best), "{objective}: {found}, {best} to {alone}");
    }
}

#[test]
fn what_makes_no_sense_is_refused() {
    let machine = json!({"kind": "categoricalRbm", "numSites": 2, "numValues": 2, "numHidden": 2});
    let topics = json!({"kind": "replicatedSoftmax", "numWords": 3, "numHidden": 2});
    let rows = |rows: Value| json!({"kind": "rows", "rows": rows});
    let fit = json!({
        "verb": "fit", "model": machine, "seed": 1, "data": rows(json!([[1, 0, 0, 1]])),
        "objective": {"kind": "contrastiveDivergence"},
    });
    assert!(job_of(&fit, None).is_ok());
    assert!(
        job_of(&with(fit.clone(), &json!({"data": rows(json!([[1, 0, 0, 0]]))})), None).is_ok()
    );
    let message = refused(&with(fit.clone(), &json!({"data": rows(json!([[1, 1, 0, 1]]))})));
    assert!(message.contains("several bits on for site 0 in row 0"), "{message}");
    let persistent = json!({
        "objective": {"kind": "persistentContrastiveDivergence"}, "data": rows(json!([[1, 0, 0, 0]])),
    });
    let message = refused(&with(fit.clone(), &persistent));
    assert!(message.contains("no bit on for site 1 in row 0"), "{message}");
    assert!(message.contains("contrastiveDivergence, which takes rows with gaps"), "{message}");
    for kind in ["mpf", "pseudolikelihood", "maximumLikelihood", "meanField", "scoreMatching"] {
        let message = refused(&with(fit.clone(), &json!({"objective": {"kind": kind}})));
        assert!(message.contains("models with softmax units are fitted by"), "{message}");
    }
    let of_topics = json!({
        "verb": "fit", "model": topics, "seed": 1, "states": [1, 0, 2],
        "objective": {"kind": "contrastiveDivergence"},
    });
    assert!(job_of(&of_topics, None).is_ok());
    for (fields, part) in [
        (json!({"states": [1, 0.5, 0]}), "states[1]: is 0.5; counts of words are"),
        (json!({"states": [1, -1, 0]}), "states[1]: is -1; counts of words are"),
        (
            json!({"objective": {"kind": "scoreMatching"}}),
            "models with softmax units are fitted by",
        ),
        (
            json!({"objective": {"kind": "contrastiveDivergence", "transition": {"kind": "hmc"}}}),
            "chains of documents go by Gibbs sampling",
        ),
        (
            json!({"objective": {
                "kind": "persistentContrastiveDivergence", "restartProbability": 0.1,
            }}),
            "which chains of documents do not have",
        ),
    ] {
        let message = refused(&with(of_topics.clone(), &fields));
        assert!(message.contains(part), "{message}");
    }
    let sample = json!({
        "verb": "sample", "model": topics, "seed": 1, "numChains": 2, "numWarmup": 5, "numDraws": 2,
    });
    for transition in ["hmc", "metropolis", "gibbs"] {
        let transition = json!({"transition": {"kind": transition}});
        assert!(job_of(&with(sample.clone(), &transition), None).is_err());
    }
    let blocks = json!({"transition": {"kind": "blockGibbs"}});
    let message = refused(&with(sample, &blocks));
    assert!(message.contains("give states to start from"), "{message}");
    let on_gaussian = json!({
        "verb": "sample", "model": {"kind": "gaussian", "dim": 2}, "seed": 1, "numChains": 2,
        "numWarmup": 5, "numDraws": 2, "transition": {"kind": "blockGibbs"},
    });
    assert!(refused(&on_gaussian).contains("HiddenUnits"));
    for (model, fields, part) in [
        (&topics, json!({"states": [1, 0.5, 0]}), "row 0, which is none of this model"),
        (&machine, json!({"states": [1, 1, 0, 1]}), "row 0, which is none of this model"),
        (&json!({"kind": "ising", "dim": 2}), json!({"states": [1, 1]}), "a log Z of each state"),
        (
            &json!({"kind": "replicatedSoftmax", "numWords": 2, "numHidden": 21}),
            json!({"states": [1, 1]}),
            "the limit is 20",
        ),
    ] {
        let energies = json!({"verb": "energies", "model": model, "logProbabilities": true});
        let message = refused(&with(energies, &fields));
        assert!(message.contains(part), "{message}");
    }
    let message = refused(&json!({"verb": "exact", "model": topics}));
    assert!(message.contains("logProbabilities"), "{message}");
    let log_z = |model: &Value| json!({"verb": "logZ", "model": model, "seed": 1, "numChains": 2, "numDistributions": 3});
    assert!(refused(&log_z(&topics)).contains("`energies` has log Z of each row"));
    let site_by_site = with(log_z(&machine), &json!({"transition": {"kind": "gibbs"}}));
    assert!(refused(&site_by_site).contains("conditional probabilities along the path"));
    let gaps = with(log_z(&machine), &json!({"data": {"kind": "rows", "rows": [[0, 0, 1, 0]]}}));
    assert!(refused(&gaps).contains("no bit on for site 0 in row 0"));
}
