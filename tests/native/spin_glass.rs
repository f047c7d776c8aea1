//! The true test of the fit: the 10×10 spin glass, 20,000 rows, all 5,050
//! parameters, to the optimum that SciPy's L-BFGS-B found in 4,344 evaluations.

use unnorm::models::ModelSpec;

/// The optimum of the objective. The problem is convex: there is one.
const OPTIMUM: f64 = 46.466_679_195_8;

fn couplings_of(model: ModelSpec) -> Vec<f64> {
    let ModelSpec::Ising(model) = model else { panic!("not an Ising model") };
    model.couplings.expect("a fitted model has couplings")
}

fn mean_square(errors: impl Iterator<Item = f64>) -> f64 {
    let squares: Vec<f64> = errors.map(|error| error * error).collect();
    squares.iter().sum::<f64>() / squares.len() as f64
}

#[test]
fn the_fit_reaches_the_optimum_and_the_errors_known_for_it() {
    let bits = std::fs::read("www/data/spin-glass-10x10.bits").expect("the data set");
    let data = unnorm::data::from_bits(100, 20_000, &bits).expect("sound data");
    let file = std::fs::read("www/data/spin-glass-10x10.couplings.npy").expect("the couplings");
    let truth: Vec<f64> =
        npyz::NpyFile::new(&file[..]).and_then(npyz::NpyFile::into_vec).expect("numbers");

    let spec =
        serde_json::json!({"verb": "fit", "model": {"kind": "ising", "dim": 100}, "seed": 1});
    let result = crate::common::fitted(crate::common::job_with(&spec, data).expect("a sound job"));

    let excess = (result.objective - OPTIMUM) / OPTIMUM;
    let fitted = couplings_of(result.model);
    let errors = || fitted.iter().zip(&truth).map(|(fitted, truth)| fitted - truth);
    let all = mean_square(errors());
    let off_diagonal =
        mean_square(errors().enumerate().filter(|(at, _)| at % 101 != 0).map(|(_, error)| error));
    println!(
        "{} evaluations, {} iterations, excess {excess:.2e}, mse {all:.5}, off the diagonal {off_diagonal:.5}: {}",
        result.num_evaluations, result.num_iterations, result.stop_reason
    );
    assert!(result.converged, "{}", result.stop_reason);
    assert!(excess.abs() < 1e-6, "objective {} is off by {excess:.2e}", result.objective);
    assert!((all - 0.01775).abs() < 0.0003, "mean square error {all}");
    assert!(
        (off_diagonal - 0.00912).abs() < 0.0002,
        "mean square error off the diagonal {off_diagonal}"
    );
    // The point of the coordinates: L-BFGS in the parameters themselves takes thousands.
    assert!(result.num_evaluations < 100, "{} evaluations", result.num_evaluations);
}
