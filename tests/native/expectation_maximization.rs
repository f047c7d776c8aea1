//! Expectation maximization of generative models: the E step against the posterior, each
//! step against its definition, and where it ends against the maximum of the likelihood.

use crate::common::chains::{SEED, assert_near, fit, hmc, moves};
use nalgebra::{DMatrix, DVector, SymmetricEigen};
use serde_json::{Value, json};
use unnorm::fit::contrastive_divergence::chain_stream;
use unnorm::fit::real_chains::{Rows, Run};
use unnorm::linalg::Batch;
use unnorm::models::Model;
use unnorm::models::linear_generative::LinearGenerativeSpec;
use unnorm::rng::{Purpose, normal, stream};
use unnorm::sample::posteriors::Posteriors;
use unnorm::sample::target::Target;

fn noise(count: usize) -> Vec<f64> {
    let mut rng = stream(2, Purpose::Example, 0);
    (0..count).map(|_| normal(&mut rng)).collect()
}

fn generative(num_latent: usize, basis: &[f64]) -> LinearGenerativeSpec {
    let value = json!({
        "numObserved": basis.len() / num_latent, "numLatent": num_latent, "prior": "gaussian",
        "basis": basis, "noise": 0.5,
    });
    serde_json::from_value(value).unwrap()
}

/// Φ of four dimensions and two coefficients.
const BASIS: [f64; 8] = [1.5, 0.2, -0.4, 1.0, 0.8, 0.8, 0.0, -0.6];

/// Rows drawn from the linear generative model with this basis.
fn generated(count: usize) -> Vec<f64> {
    let numbers = noise(count * 6);
    numbers
        .chunks_exact(6)
        .flat_map(|n| {
            (0..4).map(|m| BASIS[2 * m] * n[0] + BASIS[2 * m + 1] * n[1] + 0.5 * n[2 + m])
        })
        .collect()
}

/// −1/N Σ ln p(x), in closed form.
fn negative_log_likelihood(model: &dyn Model, rows: &[f64]) -> f64 {
    let generative = model.as_generative().unwrap();
    let rows = rows.chunks_exact(generative.num_observed());
    let count = rows.len() as f64;
    rows.map(|row| -model.given(row).unwrap().as_reference().unwrap().log_z()).sum::<f64>() / count
}

/// One refresh: the mean joint energy where the search ends, from its samples.
#[test]
fn expectation_maximization_is_by_its_definition() {
    let rows = generated(60);
    let model = generative(2, &[1.0, 0.0, 0.0, 1.0, 0.5, 0.0, 0.0, 0.5]).build().unwrap();
    let target = Posteriors::of(&model, "a test").unwrap();
    let (moves, step_size) = moves(&hmc(), 3);
    let mut states = vec![0.0; 120 * 2];
    for (chain, state) in states.chunks_exact_mut(2).enumerate() {
        let mut rng = stream(SEED, Purpose::InitialState, chain as u64);
        state.iter_mut().for_each(|a| *a = normal(&mut rng));
    }
    let at = Rows { dim: 4, values: &rows, num_chains: 2 };
    let rng = |chain| chain_stream(SEED, 0, chain);
    let (samples, _) =
        Run::new(states).all(&moves, Target::Posteriors(&target), Some(at), &step_size, &rng);
    let objective = json!({
        "kind": "expectationMaximization", "numChainsPerRow": 2, "numSteps": 3, "numRefreshes": 1,
        "transition": hmc(),
    });
    let optimizer = json!({"kind": "lbfgs", "maxIterations": 4});
    let spec = serde_json::to_value(model.spec()).unwrap();
    let result = fit(&spec, &rows, &json!({"objective": objective, "optimizer": optimizer}));
    let end = result.model.build().unwrap();
    let mut sum = 0.0;
    for (chain, state) in samples.chunks_exact(2).enumerate() {
        let mut energy = [0.0];
        end.given(at.of(chain)).unwrap().energy(Batch::new(2, state), &mut energy);
        sum += energy[0];
    }
    assert_near(&[result.objective], &[sum / 120.0]);
    let before = negative_log_likelihood(&model, &rows);
    assert!(before - negative_log_likelihood(&*result.model.build().unwrap(), &rows) > 0.5);
}

/// Against the closed form of the maximum at a known noise (Tipping and Bishop 1999):
/// Φ = U (Λ − σ²)^½ of the largest eigenvalues Λ of the second moments. The basis has 7
/// free parameters, the samples four chains a row: above 110, twice the 50 that χ² exceeds with probability 1e-8,
/// would be too much.
#[test]
fn expectation_maximization_ends_at_the_maximum_of_the_likelihood() {
    let num_rows = 800;
    let rows = generated(num_rows);
    let x = DMatrix::from_column_slice(4, num_rows, &rows);
    let eigen = SymmetricEigen::new(&x * x.transpose() / num_rows as f64);
    let mut order: Vec<usize> = (0..4).collect();
    order.sort_by(|&a, &b| eigen.eigenvalues[b].total_cmp(&eigen.eigenvalues[a]));
    let mut basis = vec![0.0; 8];
    for (l, &from) in order[..2].iter().enumerate() {
        let size = (eigen.eigenvalues[from] - 0.25).sqrt();
        (0..4).for_each(|m| basis[2 * m + l] = size * eigen.eigenvectors[(m, from)]);
    }
    let least = negative_log_likelihood(&generative(2, &basis).build().unwrap(), &rows);
    let start = generative(2, &[0.3, 0.0, 0.0, 0.3, 0.1, 0.0, 0.0, 0.1]).build().unwrap();
    let spec = serde_json::to_value(start.spec()).unwrap();
    let after = |num_refreshes: usize, transition: Value| {
        let objective = json!({
            "kind": "expectationMaximization", "numChainsPerRow": 4, "numSteps": 3,
            "numRefreshes": num_refreshes, "transition": transition,
        });
        let result = fit(&spec, &rows, &json!({"objective": objective}));
        negative_log_likelihood(&*result.model.build().unwrap(), &rows)
    };
    let begun = negative_log_likelihood(&start, &rows);
    for (transition, num_refreshes) in
        [(json!({"kind": "hmc"}), 25), (json!({"kind": "nuts", "maxTreeDepth": 5}), 12)]
    {
        let few = after(4, transition.clone());
        let reached = after(num_refreshes, transition);
        let deficit = 2.0 * num_rows as f64 * (reached - least);
        println!("from {begun} by {few} to {reached}, least {least}: {deficit}");
        assert!(few < begun - 0.5 && reached < few);
        assert!((0.0..110.0).contains(&deficit), "{deficit}");
    }
}

/// Chains that begin with exact draws from the posteriors of their rows stay there: means
/// and squares of whitened coefficients within six standard errors, 20 numbers.
#[test]
fn chains_at_rows_keep_to_the_posteriors() {
    let num_rows = 4000;
    let rows = generated(num_rows);
    let model = generative(2, &BASIS).build().unwrap();
    let target = Posteriors::of(&model, "a test").unwrap();
    let phi = DMatrix::from_row_slice(4, 2, &BASIS);
    let precision = phi.transpose() * &phi / 0.25 + DMatrix::identity(2, 2);
    let factor = precision.clone().cholesky().unwrap();
    let mut states = vec![0.0; num_rows * 2];
    for (index, (state, row)) in states.chunks_exact_mut(2).zip(rows.chunks_exact(4)).enumerate() {
        let given = model.given(row);
        given
            .provide_reference()
            .unwrap()
            .draw(&mut stream(5, Purpose::Example, index as u64), state);
    }
    let at = Rows { dim: 4, values: &rows, num_chains: 1 };
    for transition in [
        json!({"kind": "hmc", "stepSize": 0.35}),
        json!({"kind": "hmc", "momentumRefresh": 0.3, "momentumFlips": "reduced", "stepSize": 0.45}),
        json!({"kind": "nuts", "stepSize": 0.3}),
        json!({"kind": "langevin", "stepSize": 0.4}),
        json!({"kind": "metropolis", "stepSize": 0.5}),
    ] {
        let (moves, step_size) = moves(&transition, 4);
        let rng = |chain| chain_stream(SEED, 0, chain);
        let run = Run::new(states.clone());
        let (moved, acceptance) =
            run.all(&moves, Target::Posteriors(&target), Some(at), &step_size, &rng);
        let rate = acceptance / (4 * num_rows) as f64;
        assert!((0.2..0.999).contains(&rate), "{transition}: {rate}");
        let [mut means, mut squares] = [[0.0; 2]; 2];
        for (state, row) in moved.chunks_exact(2).zip(rows.chunks_exact(4)) {
            let mean = factor.solve(&(phi.transpose() * DVector::from_row_slice(row) / 0.25));
            let white = factor.l().transpose() * (DVector::from_row_slice(state) - mean);
            for d in 0..2 {
                means[d] += white[d] / num_rows as f64;
                squares[d] += white[d] * white[d] / num_rows as f64;
            }
        }
        let error = 1.0 / (num_rows as f64).sqrt();
        for d in 0..2 {
            assert!(means[d].abs() < 6.0 * error, "{transition}: {}", means[d]);
            let off = squares[d] - 1.0;
            assert!(off.abs() < 6.0 * 2_f64.sqrt() * error, "{transition}: {off}");
        }
    }
}
