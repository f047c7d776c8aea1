//! The lower bound on the likelihood by the rates of minimum probability flow:
//! eigenvalues by hand and by power iteration, and that it is a bound.

use crate::common::{finished, job_of};
use serde_json::{Value, json};
use unnorm::JobResult;
use unnorm::bits::{BitMatrix, WeightedRows};
use unnorm::energy::connectivity::ConnectivitySpec;
use unnorm::exact;
use unnorm::exact::ExactResult;
use unnorm::exact::mpf_bound::{MAX_DIM, MpfBound, Rates};
use unnorm::fit::maximum_likelihood;
use unnorm::linalg::Batch;
use unnorm::math::{exp, ln};
use unnorm::models::ising::{Ising, IsingSpec, Pattern};
use unnorm::models::rbm::RbmSpec;
use unnorm::models::{Model, ModelSpec};

fn ising(dim: usize, couplings: Vec<f64>) -> Ising {
    IsingSpec {
        dim,
        pattern: Pattern::Dense {},
        couplings: Some(couplings),
        ..IsingSpec::default()
    }
    .build()
    .unwrap()
}

/// Independent sites, E = Σ biases_n x_n.
fn independent(biases: &[f64]) -> Ising {
    let dim = biases.len();
    let mut couplings = vec![0.0; dim * dim];
    biases.iter().enumerate().for_each(|(site, bias)| couplings[site * dim + site] = *bias);
    ising(dim, couplings)
}

fn flip_sets(sets: &[&[usize]]) -> ConnectivitySpec {
    ConnectivitySpec::FlipSets { sets: sets.iter().map(|set| set.to_vec()).collect() }
}

fn rows(dim: usize, states: &[usize], weights: Vec<f64>) -> WeightedRows {
    let mut rows = BitMatrix::zeros(dim, states.len());
    rows.rows_mut().zip(states).for_each(|(row, state)| row[0] = *state as u64);
    WeightedRows::weighted(rows, weights)
}

fn lambda2(model: &dyn Model, connectivity: &ConnectivitySpec) -> f64 {
    Rates::new(model.as_site_flips().unwrap(), connectivity).unwrap().lambda2()
}

fn bound(model: &dyn Model, connectivity: &ConnectivitySpec, data: &WeightedRows) -> MpfBound {
    let rates = Rates::new(model.as_site_flips().unwrap(), connectivity).unwrap();
    rates.bound(data, rates.lambda2())
}

/// −ln p of every state.
fn surprises(model: &dyn Model) -> Vec<f64> {
    let dim = model.dim();
    let mut states = BitMatrix::zeros(dim, 1 << dim);
    states.rows_mut().enumerate().for_each(|(state, row)| row[0] = state as u64);
    let mut energies = vec![0.0; 1 << dim];
    model.energy(Batch::new(dim, &states.as_batch().to_values()), &mut energies);
    let log_z = exact::enumerate(model.as_site_flips().unwrap()).unwrap().log_z;
    energies.iter().map(|energy| energy + log_z).collect()
}

#[track_caller]
fn assert_close(left: f64, right: f64, tolerance: f64) {
    assert!((left - right).abs() <= tolerance * (1.0 + right.abs()), "{left} and {right}");
}

/// Two states at energies 0 and b: rates e^{−b/2} and e^{b/2}, one mode, which
/// dies out with their sum; and the bound is the likelihood itself.
#[test]
fn two_states_by_hand() {
    for bias in [-3.0, -0.4, 0.0, 1.7] {
        let model = independent(&[bias]);
        let single = ConnectivitySpec::SingleFlips {};
        assert_close(lambda2(&model, &single), -(exp(0.5 * bias) + exp(-0.5 * bias)), 1e-13);
        let off = 1.0 / (1.0 + exp(-bias));
        let found = bound(&model, &single, &rows(1, &[0, 1], vec![3.0, 1.0]));
        assert_close(found.log_likelihood, 0.75 * ln(off) + 0.25 * ln(1.0 - off), 1e-11);
        assert_eq!(found.num_vacuous, 0.0);
    }
}

/// Independent sites flip independently: the slowest one tells.
#[test]
fn independent_sites_by_hand() {
    let biases = [1.1, -0.9, 2.0, 0.8, -3.0, 1.4, 0.85, -1.2];
    for dim in 2..=biases.len() {
        let slowest = biases[..dim].iter().map(|bias| exp(0.5 * bias) + exp(-0.5 * bias));
        let expected = -slowest.fold(f64::INFINITY, f64::min);
        let found = lambda2(&independent(&biases[..dim]), &ConnectivitySpec::SingleFlips {});
        assert_close(found, expected, 1e-12);
    }
}

/// All n states alike and each connected to each: Γ_ii = 1 − n, λ₂ = −n, and
/// the bound is p = 1/n.
#[test]
fn states_all_alike_by_hand() {
    let model = independent(&[0.0, 0.0]);
    let all = flip_sets(&[&[0], &[1], &[0, 1]]);
    assert_close(lambda2(&model, &all), -4.0, 1e-14);
    let found = bound(&model, &all, &rows(2, &[2], vec![1.0]));
    assert_close(found.log_likelihood, -ln(4.0), 1e-12);
}

fn random_models() -> Vec<Box<dyn Model>> {
    let mut models: Vec<Box<dyn Model>> = Vec::new();
    for seed in 0..60 {
        let dim = 1 + seed as usize % 5;
        let scale = [0.2, 1.0, 3.0, 8.0][seed as usize / 5 % 4];
        models.push(Box::new(
            IsingSpec::random(dim, Pattern::Dense {}, scale, seed).build().unwrap(),
        ));
        models.push(Box::new(RbmSpec::random(dim, 3, scale, seed).build().unwrap()));
    }
    for seed in [1, 2] {
        let spec = IsingSpec::random(MAX_DIM, Pattern::Dense {}, 1.0, seed);
        models.push(Box::new(spec.build().unwrap()));
    }
    models
}

fn connectivities(dim: usize) -> Vec<ConnectivitySpec> {
    let mut all = vec![ConnectivitySpec::SingleFlips {}, ConnectivitySpec::SingleAndAllFlips {}];
    if dim == 3 {
        all.push(flip_sets(&[&[0], &[1], &[2], &[0, 1], &[0, 2], &[1, 2], &[0, 1, 2]]));
        all.push(flip_sets(&[&[0, 1], &[1, 2], &[0, 1, 2]]));
    }
    all
}

/// No state of any model is less likely than the bound says, and for many it
/// says something.
#[test]
fn it_is_a_lower_bound() {
    let (mut num_telling, mut num_tight) = (0, 0);
    for model in random_models() {
        let dim = model.dim();
        let surprises = surprises(&*model);
        for connectivity in connectivities(dim) {
            let rates = Rates::new(model.as_site_flips().unwrap(), &connectivity).unwrap();
            let lambda2 = rates.lambda2();
            for (state, surprise) in surprises.iter().enumerate() {
                let found = rates.bound(&rows(dim, &[state], vec![1.0]), lambda2);
                assert!(
                    found.log_likelihood <= -surprise + 1e-12 * (1.0 + surprise.abs()),
                    "{} of {dim}, state {state}: {found:?} {}",
                    model.kind(),
                    -surprise
                );
                num_telling += usize::from(found.log_likelihood.is_finite());
                num_tight += usize::from(dim > 1 && found.log_likelihood > -surprise - 0.1);
                assert_eq!(
                    found.num_vacuous,
                    f64::from(u8::from(found.log_likelihood.is_infinite()))
                );
            }
            // Of several rows, the mean.
            let states: Vec<usize> = (0..1 << dim).collect();
            let weights = states.iter().map(|state| (1 + state % 3) as f64).collect();
            let data = rows(dim, &states, weights);
            let likelihood =
                -data.weights().iter().zip(&surprises).map(|(w, s)| w * s).sum::<f64>();
            let found = rates.bound(&data, lambda2);
            assert!(found.log_likelihood <= likelihood / data.total() + 1e-12);
        }
    }
    assert!(num_telling > 200 && num_tight > 50, "{num_telling} {num_tight}");
}

/// λ₂ by the dynamics of eq. 2.2 itself: what is left of a deviation from the
/// model, long after, dies out with λ₂.
#[test]
fn eigenvalues_are_those_of_the_dynamics() {
    for model in random_models().iter().filter(|model| model.dim() > 1 && model.dim() < 5) {
        for connectivity in connectivities(model.dim()) {
            let num_states = 1 << model.dim();
            let surprises = surprises(&**model);
            let states: Vec<usize> = (0..num_states).collect();
            let built = connectivity
                .build(&rows(model.dim(), &states, vec![1.0; num_states]), false, 0)
                .unwrap();
            // Γ by eq. 2.6, with columns that add up to zero.
            let mut gamma = vec![vec![0.0; num_states]; num_states];
            for j in 0..num_states {
                for to in built.neighbours(j, &[j as u64]).rows.as_batch().rows() {
                    let i = to[0] as usize;
                    let rate = exp(0.5 * (surprises[j] - surprises[i]));
                    gamma[i][j] += rate;
                    gamma[j][j] -= rate;
                }
            }
            let fastest = (0..num_states).fold(0.0_f64, |max, i| max.max(-gamma[i][i]));
            let mut change: Vec<f64> = (0..num_states).map(|i| ((i * 5 + 2) % 7) as f64).collect();
            let found = lambda2(&**model, &connectivity);
            if found.abs() < 1e-3 * fastest {
                // Too slow to follow.
                continue;
            }
            let mut rate = f64::NAN;
            for _ in 0..60_000 {
                // No probability in all.
                let mean = change.iter().sum::<f64>() / num_states as f64;
                change.iter_mut().for_each(|change| *change -= mean);
                let flow: Vec<f64> = gamma
                    .iter()
                    .map(|line| line.iter().zip(&change).map(|(rate, change)| rate * change).sum())
                    .collect();
                let weighed = |other: &[f64]| -> f64 {
                    let both = change.iter().zip(other).zip(&surprises);
                    both.map(|((change, other), surprise)| change * other * exp(*surprise)).sum()
                };
                let size = weighed(&change);
                rate = weighed(&flow) / size;
                for (change, flow) in change.iter_mut().zip(&flow) {
                    *change = (*change + flow / (2.0 * fastest)) / size.sqrt();
                }
            }
            assert!((found - rate).abs() < 1e-7 * fastest, "{found} {rate} {fastest}");
        }
    }
}

/// States that are apart, and rates that overflow: nothing is claimed.
#[test]
fn what_cannot_be_told_is_not() {
    let apart = bound(&independent(&[0.3, 1.0]), &flip_sets(&[&[0]]), &rows(2, &[0], vec![1.0]));
    assert!(apart.lambda2.abs() < 1e-14 && apart.log_likelihood == f64::NEG_INFINITY);
    let steep = bound(
        &independent(&[1e4, 1.0]),
        &ConnectivitySpec::SingleFlips {},
        &rows(2, &[0, 1], vec![1.0, 2.0]),
    );
    assert!(steep.lambda2.is_nan() && steep.log_likelihood == f64::NEG_INFINITY);
    assert_eq!(steep.num_vacuous, 3.0);
    // Fast and slow so far apart that rounding hides the slow.
    let mut couplings = vec![40.0, -40.0, -40.0, 40.0];
    couplings[0] += 1e-3;
    let wells =
        bound(&ising(2, couplings), &ConnectivitySpec::SingleFlips {}, &rows(2, &[0], vec![1.0]));
    assert_eq!(wells.log_likelihood, f64::NEG_INFINITY);
}

fn exact_job(spec: Value) -> unnorm::Result<ExactResult> {
    let JobResult::Exact(result) = finished(job_of(&spec, None)?) else { panic!("not exact") };
    Ok(result)
}

#[test]
fn the_job_tells_likelihood_and_bound() {
    let model = ModelSpec::Ising(IsingSpec::random(3, Pattern::Dense {}, 1.0, 8));
    let values = [0, 1, 1, 1, 1, 1, 0, 1, 1, 0, 0, 1];
    let data = json!({"kind": "values", "dim": 3, "values": values});
    let alone = exact_job(json!({"verb": "exact", "model": model})).unwrap();
    assert_eq!((alone.log_likelihood, alone.mpf_bound), (None, None));

    let with_data = exact_job(json!({"verb": "exact", "model": model, "data": data})).unwrap();
    let built = model.build().unwrap();
    let counted = rows(3, &[4, 6, 7], vec![1.0, 2.0, 1.0]);
    let params = built.as_parametric().unwrap().params().to_vec();
    let loss = maximum_likelihood::objective(&*built, &counted)
        .unwrap()
        .evaluate(&params, &mut vec![0.0; params.len()]);
    assert_close(with_data.log_likelihood.unwrap(), -loss, 1e-14);
    assert_eq!((with_data.mpf_bound, with_data.log_z), (None, alone.log_z));
    assert_ne!(with_data.digest, alone.digest);

    let spec = json!({"verb": "exact", "model": model, "data": data, "connectivity": {"kind": "singleFlips"}});
    let with_bound = exact_job(spec).unwrap();
    assert_eq!(with_bound.log_likelihood, with_data.log_likelihood);
    let expected = bound(&*built, &ConnectivitySpec::SingleFlips {}, &counted);
    assert_eq!(with_bound.mpf_bound, Some(expected));
    assert_ne!(with_bound.digest, with_data.digest);
}

#[test]
fn bad_specs_are_refused_by_field() {
    let single = json!({"kind": "singleFlips"});
    let ising = |dim: usize| json!({"kind": "ising", "dim": dim});
    let rows = |dim: usize| json!({"kind": "values", "dim": dim, "values": vec![1; dim]});
    for (spec, field, words) in [
        (json!({"model": ising(3), "connectivity": single}), "connectivity", "without data"),
        (json!({"model": ising(3), "data": rows(4)}), "model.dim", "4 bits a row"),
        (
            json!({"model": ising(9), "data": rows(9), "connectivity": single}),
            "model.dim",
            "the limit is 8; leave out the connectivity",
        ),
        (
            json!({"model": ising(2), "data": rows(2), "connectivity": {"kind": "flipSets", "sets": [[2]]}}),
            "connectivity.sets[0]",
            "names site 2",
        ),
        (
            json!({"model": ising(2), "data": rows(2), "connectivity":
                {"kind": "sampled", "proposal": {"kind": "independent"}, "numSamples": 3}}),
            "connectivity.kind",
            "choose flips that are fixed",
        ),
    ] {
        let mut spec = spec;
        spec["verb"] = "exact".into();
        let error = exact_job(spec).unwrap_err();
        assert_eq!(error.field(), Some(field), "{error}");
        assert!(error.to_string().contains(words), "{error}");
    }
}
