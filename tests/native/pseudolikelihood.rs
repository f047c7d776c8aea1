//! Pseudolikelihood on the 10×10 spin glass, 20,000 rows, all 5,050
//! parameters: the optimum that SciPy's L-BFGS-B found in 5,246 evaluations,
//! in the coordinates that were made for minimum probability flow.

use unnorm::bits::{BitMatrix, WeightedRows};
use unnorm::energy::Parametric;
use unnorm::fit::pseudolikelihood;
use unnorm::models::Model;
use unnorm::models::ising::IsingSpec;
use unnorm::optimize::lbfgs::{Lbfgs, Limits};

/// The optimum of the objective. The problem is convex: there is one.
const OPTIMUM: f64 = 25.746_815_848_1;

#[test]
fn the_fit_reaches_the_optimum_and_the_errors_known_for_it() {
    let bits = std::fs::read("www/data/spin-glass-10x10.bits").expect("the data set");
    let rows = BitMatrix::from_bytes(100, 20_000, &bits).expect("sound data");
    let data = WeightedRows::from_data(rows.as_batch());
    let file = std::fs::read("www/data/spin-glass-10x10.couplings.npy").expect("the couplings");
    let truth: Vec<f64> =
        npyz::NpyFile::new(&file[..]).and_then(npyz::NpyFile::into_vec).expect("numbers");

    let spec = IsingSpec { dim: 100, ..IsingSpec::default() };
    let mut model = spec.build().expect("a sound spec");
    let mut objective = pseudolikelihood::objective(&model, &data).expect("it has the capability");
    let coordinates = model.coordinates(&data);
    let mut params = vec![0.0; objective.num_params()];
    let mut grad = vec![0.0; params.len()];
    let mut pulled = vec![0.0; coordinates.num_coordinates()];
    let limits = Limits { memory: 10, max_iterations: 100, tolerance: 1e-12 };
    let mut search = Lbfgs::new(vec![0.0; pulled.len()], limits);
    let mut num_evaluations = 0;
    let mut value = f64::INFINITY;
    while value > OPTIMUM * (1.0 + 1e-9) {
        params.fill(0.0);
        coordinates.add_to_params(&search.ask(), &mut params);
        value = objective.evaluate(&params, &mut grad);
        coordinates.pull_back(&grad, &mut pulled);
        search.tell(value, &pulled);
        num_evaluations += 1;
        assert!(num_evaluations < 100, "{value} after {num_evaluations} evaluations");
    }
    assert!(value > OPTIMUM * (1.0 - 1e-9), "{value} is below the optimum");

    model.set_params(&params);
    let errors: Vec<f64> =
        model.couplings().iter().zip(&truth).map(|(fitted, truth)| fitted - truth).collect();
    let mean_square = |errors: Vec<&f64>| {
        errors.iter().map(|error| *error * *error).sum::<f64>() / errors.len() as f64
    };
    let all = mean_square(errors.iter().collect());
    let off_diagonal = mean_square(
        errors.iter().enumerate().filter(|(at, _)| at % 101 != 0).map(|(_, e)| e).collect(),
    );
    println!("{num_evaluations} evaluations, mse {all:.6}, off the diagonal {off_diagonal:.6}");
    assert!((all - 0.011062).abs() < 0.0001, "mean square error {all}");
    assert!((off_diagonal - 0.006091).abs() < 0.00005, "off the diagonal {off_diagonal}");
}
