//! Fits of models on ℝᴰ: objectives against their definitions and differences, against what is
//! known of their minima, and jobs.

mod formulas;
mod jobs;
mod laws;
mod truths;

use unnorm::energy::Objective;
use unnorm::fit::reals::ball::BallFlow;
use unnorm::fit::reals::denoising::{DenoisingScoreMatching, Noise};
use unnorm::fit::reals::maximum_likelihood::MaximumLikelihood;
use unnorm::fit::reals::score_matching::ScoreMatching;
use unnorm::fit::reals::sliced::SlicedScoreMatching;
use unnorm::fit::reals::{RowLoss, RowSum};
use unnorm::linalg::Batch;
use unnorm::models::product_of_experts::{Expert, ProductOfExpertsSpec};
use unnorm::models::{Model, ModelSpec};
use unnorm::rng::{Purpose, normal, stream};

/// So many normal numbers of an example.
fn normals(count: usize, index: u64) -> Vec<f64> {
    let mut rng = stream(11, Purpose::Example, index);
    (0..count).map(|_| normal(&mut rng)).collect()
}

/// Exact draws of a model, one after another.
fn draws(model: &dyn Model, count: usize, index: u64) -> Vec<f64> {
    let reference = model.as_reference().expect("a reference");
    let mut rng = stream(11, Purpose::Example, index);
    let mut states = vec![0.0; count * model.dim()];
    states.chunks_exact_mut(model.dim()).for_each(|state| reference.draw(&mut rng, state));
    states
}

/// Every loss that the model has, by name, and whether it takes differences in x.
fn losses(model: &dyn Model, rows: Batch<'_>) -> Vec<(&'static str, Box<dyn RowLoss>)> {
    let mut all: Vec<(_, Box<dyn RowLoss>)> = vec![("mpf", Box::new(BallFlow::new(0.5, 6, 2)))];
    if let Ok(loss) = MaximumLikelihood::new(model) {
        all.push(("maximumLikelihood", Box::new(loss)));
    }
    if let Ok(loss) = ScoreMatching::new(model) {
        all.push(("scoreMatching", Box::new(loss)));
    }
    if let Ok(loss) = SlicedScoreMatching::new(model, rows, 3, 2) {
        all.push(("sliced", Box::new(loss)));
    }
    for (name, noise) in [
        ("denoisingScoreMatching", Noise::One(0.3)),
        ("denoising at several noises", Noise::Each(vec![0.8, 0.3, 0.1])),
    ] {
        if let Ok(loss) = DenoisingScoreMatching::new(model, noise, 4, 2) {
            all.push((name, Box::new(loss)));
        }
    }
    all
}

/// The objective of a loss and its gradient, at the model's own parameters.
fn value_and_grad(
    model: &dyn Model,
    rows: &[f64],
    loss: impl RowLoss + 'static,
) -> (f64, Vec<f64>) {
    let params = model.as_parametric().expect("parameters").params();
    let objective = RowSum::new(model, Batch::new(model.dim(), rows), Box::new(loss));
    let mut grad = vec![0.0; params.len()];
    let value = objective.expect("a sound objective").evaluate_here(&mut grad);
    (value, grad)
}

/// Three Student's t experts in the plane.
fn student_t() -> Box<dyn Model> {
    let spec = ProductOfExpertsSpec {
        dim: 2,
        expert: Expert::StudentT,
        num_experts: Some(3),
        filters: Some(vec![1.0, 0.5, -0.5, 1.5, 0.25, -2.0]),
        lambda: Some(vec![1.0, 2.0, 1.5]),
    };
    ModelSpec::ProductOfExperts(spec).build().expect("a sound model")
}

/// Mean, and the standard error of the mean of independent numbers.
fn mean_and_error(numbers: &[f64]) -> (f64, f64) {
    let count = numbers.len() as f64;
    let mean = numbers.iter().sum::<f64>() / count;
    let squares: f64 = numbers.iter().map(|number| (number - mean) * (number - mean)).sum();
    (mean, (squares / (count - 1.0) / count).sqrt())
}
