//! Deep belief networks: draws against the exact distribution of small stacks.

use serde_json::json;
use unnorm::bits::BitBatch;
use unnorm::energy::Energy;
use unnorm::jobs::Job;
use unnorm::jobs::report::{JobResult, SampleResult};
use unnorm::jobs::spec::JobSpec;
use unnorm::linalg::{Batch, dot};
use unnorm::math::{exp, log_sum_exp, sigmoid};
use unnorm::models::ModelSpec;
use unnorm::models::dbn::{Dbn, DbnSpec};
use unnorm::models::rbm::Rbm;

fn job(json: serde_json::Value) -> unnorm::Result<Job> {
    let value = serde_json::from_value(json).expect("a tree");
    Job::new(JobSpec::from_value(value)?, None, None)
}

fn sampled(json: serde_json::Value) -> SampleResult {
    let mut job = job(json).expect("a sound job");
    job.advance(usize::MAX);
    let Some(JobResult::Sample(result)) = job.result() else { panic!("not of sampling") };
    result
}

fn states(dim: usize) -> Vec<Vec<f64>> {
    let words: Vec<u64> = (0..1 << dim).collect();
    BitBatch::new(dim, &words).to_values().chunks_exact(dim).map(<[f64]>::to_vec).collect()
}

/// p(h) of a machine's visible side.
fn marginal(machine: &Rbm) -> Vec<f64> {
    let states = states(machine.dim()).concat();
    let mut energies = vec![0.0; 1 << machine.dim()];
    machine.energy(Batch::new(machine.dim(), &states), &mut energies);
    let log_z = log_sum_exp(&energies.iter().map(|energy| -energy).collect::<Vec<_>>());
    energies.iter().map(|energy| exp(-energy - log_z)).collect()
}

/// p(v) = Σ_h p(v | h) p(h), from p over a machine's hidden side.
fn one_down(machine: &Rbm, above: &[f64]) -> Vec<f64> {
    let (dim, hidden) = (machine.dim(), states(above.len().trailing_zeros() as usize));
    let mut below = vec![0.0; 1 << dim];
    for (h, p) in hidden.iter().zip(above) {
        let on: Vec<f64> = (0..dim)
            .map(|site| {
                let column: Vec<f64> =
                    machine.weights().iter().skip(site).step_by(dim).copied().collect();
                sigmoid(machine.visible_bias()[site] + dot(&column, h))
            })
            .collect();
        for (v, below) in states(dim).iter().zip(&mut below) {
            let factors = v.iter().zip(&on).map(|(v, on)| if *v == 1.0 { *on } else { 1.0 - on });
            *below += p * factors.product::<f64>();
        }
    }
    below
}

fn distribution(model: &Dbn) -> Vec<f64> {
    let (top, below) = model.layers().split_last().expect("a machine");
    below.iter().rev().fold(marginal(top), |above, machine| one_down(machine, &above))
}

fn sample_spec(dbn: &DbnSpec, num_chains: usize) -> serde_json::Value {
    json!({
        "verb": "sample", "model": ModelSpec::Dbn(dbn.clone()), "transition": {"kind": "blockGibbs"},
        "numChains": num_chains, "numWarmup": 40, "numDraws": 1, "seed": 6,
    })
}

/// χ² of the draws of 40,000 independent chains against the exact
/// distribution. The false-alarm rate of a bound of df + 5.2 √(2 df) + 20 is
/// below 10⁻⁷ for each of the 7, 15 and 15 degrees of freedom here.
#[test]
fn draws_come_from_the_stack() {
    for sizes in [&[3, 4][..], &[4, 5, 3], &[4, 3, 6, 2]] {
        let dbn = DbnSpec::random(sizes, 1.1, 5);
        let expected = distribution(&dbn.build().unwrap());
        let total: f64 = expected.iter().sum();
        assert!((total - 1.0).abs() < 1e-12);
        let num_chains = 40_000;
        let draws = sampled(sample_spec(&dbn, num_chains)).draws.bits;
        let chi_square = |expected: &[f64]| -> f64 {
            expected
                .iter()
                .enumerate()
                .map(|(state, p)| {
                    let mean = p * num_chains as f64;
                    assert!(mean > 5.0, "too rare for χ²: {mean}");
                    let count = draws.iter().filter(|&&draw| usize::from(draw) == state).count();
                    (count as f64 - mean) * (count as f64 - mean) / mean
                })
                .sum()
        };
        let freedom = (expected.len() - 1) as f64;
        let limit = freedom + 5.2 * (2.0 * freedom).sqrt() + 20.0;
        assert!(chi_square(&expected) < limit, "{sizes:?}: {}", chi_square(&expected));
        // The yardstick tells the stack from its bottom machine alone.
        if sizes.len() > 2 {
            let bottom = marginal(&dbn.build().unwrap().layers()[0]);
            assert!(chi_square(&bottom) > 3.0 * limit, "{}", chi_square(&bottom));
        }
    }
}

/// With one machine a stack is that machine, to the last bit.
#[test]
fn a_stack_of_one_is_a_machine() {
    let dbn = DbnSpec::random(&[9, 5], 0.7, 2);
    let machine = dbn.build().unwrap().layers()[0].to_spec();
    let mut alone = sample_spec(&dbn, 12);
    alone["model"] = json!(ModelSpec::Rbm(machine));
    assert_eq!(sampled(alone).digest, sampled(sample_spec(&dbn, 12)).digest);
}

/// Chains start from what the stack makes of the rows: with couplings this
/// strong each layer repeats the one below, so nothing is left to chance.
#[test]
fn chains_start_from_the_rows_of_the_data_sent_up() {
    let copies = |size: usize| {
        let weights = (0..size * size).map(|at| if at % (size + 1) == 0 { 400.0 } else { 0.0 });
        json!({
            "weights": weights.collect::<Vec<_>>(),
            "visibleBias": vec![-200.0; size], "hiddenBias": vec![-200.0; size],
        })
    };
    let mut spec = sample_spec(&DbnSpec { sizes: vec![3, 3, 3], layers: None }, 4);
    spec["model"]["layers"] = json!([copies(3), copies(3)]);
    spec["start"] = json!({"kind": "data", "data": {"kind": "rows", "rows": [[0, 1, 1], [1, 0, 0], [1, 1, 1]]}});
    assert_eq!(sampled(spec).draws.bits, [0b110, 0b001, 0b111, 0b110]);
}

#[test]
fn what_needs_an_energy_is_refused() {
    let model = json!(ModelSpec::Dbn(DbnSpec { sizes: vec![3, 2, 2], layers: None }));
    let refused = |json: serde_json::Value, words: &str| {
        let error = job(json).err().expect("refused");
        assert_eq!(error.code(), "missing-capability");
        assert!(error.to_string().contains(words), "{error}");
    };
    let mut gibbs = sample_spec(&DbnSpec { sizes: vec![3, 2], layers: None }, 1);
    gibbs["transition"] = json!({"kind": "gibbs"});
    refused(gibbs, "SiteFlips");
    refused(json!({"verb": "exact", "model": model}), "Energy");
}
