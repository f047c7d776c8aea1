//! Combinations with a closed form, and what is refused.

use super::{Combination, CombinedPart, CombinedSpec, MAX_DEPTH};
use crate::energy::enumeration;
use crate::energy::{Differentiable, Energy, Reference, SiteFlips};
use crate::formula::FormulaSpec;
use crate::gaussian::GaussianSpec;
use crate::ising::{IsingSpec, Pattern};
use crate::linalg::{Batch, Block};
use crate::math::{exp, ln, log_sum_exp};
use crate::mixture::MixtureSpec;
use crate::rng::{Purpose, normal, stream};
use crate::{Model, ModelSpec};

const FIRST: [f64; 4] = [2.0, 0.5, 0.5, 1.0];
const SECOND: [f64; 4] = [0.5, -0.2, -0.2, 0.4];
const MEANS: [[f64; 2]; 2] = [[0.5, -1.0], [1.0, 2.0]];

fn part(model: ModelSpec, weight: f64, log_z: Option<f64>) -> CombinedPart {
    CombinedPart { model, weight, log_z }
}

fn sum(parts: Vec<CombinedPart>) -> CombinedSpec {
    CombinedSpec { how: Combination::Sum, parts }
}

fn either(parts: Vec<CombinedPart>) -> CombinedSpec {
    CombinedSpec { how: Combination::Either, parts }
}

fn gaussian(precision: &[f64], mean: &[f64]) -> GaussianSpec {
    GaussianSpec {
        dim: mean.len(),
        mean: Some(mean.to_vec()),
        precision: Some(precision.to_vec()),
        covariance: None,
    }
}

fn formula(expression: &str) -> FormulaSpec {
    FormulaSpec { expression: expression.into(), ..FormulaSpec::examples().swap_remove(0) }
}

fn ising(dim: usize, seed: u64) -> IsingSpec {
    IsingSpec::random(dim, Pattern::Dense {}, 0.5, seed)
}

/// States of two entries, dimension-major, and the energies and gradients there.
fn evaluate(model: &dyn Model, x: &[f64]) -> (Vec<f64>, Vec<f64>) {
    let [mut energy, mut grad] = [vec![0.0; x.len() / 2], vec![0.0; x.len()]];
    let model = model.as_differentiable().unwrap();
    model.energy_grad(Block::new(2, x), &mut energy, &mut grad);
    (energy, grad)
}

fn states() -> Vec<f64> {
    let mut rng = stream(3, Purpose::Example, 0);
    (0..40).map(|_| 2.0 * normal(&mut rng)).collect()
}

fn assert_close(found: &[f64], expected: &[f64]) {
    for (found, expected) in found.iter().zip(expected) {
        assert!((found - expected).abs() < 1e-12 * (1.0 + expected.abs()), "{found} {expected}");
    }
}

/// `Λ = Σ w_i Λ_i` and `Λμ = Σ w_i Λ_i μ_i`, with a weight below 0 as long as Λ is positive definite.
#[test]
fn a_sum_of_gaussians_is_a_gaussian() {
    for weights in [[1.0, 1.0], [0.5, 2.0], [1.5, -0.6]] {
        let models = [gaussian(&FIRST, &MEANS[0]), gaussian(&SECOND, &MEANS[1])];
        let parts = models.iter().zip(weights);
        let parts = parts.map(|(model, w)| part(ModelSpec::Gaussian(model.clone()), w, None));
        let combined = sum(parts.collect()).build().unwrap();
        let precision: Vec<f64> =
            (0..4).map(|at| weights[0] * FIRST[at] + weights[1] * SECOND[at]).collect();
        let pull: Vec<f64> = (0..2)
            .map(|row| {
                let of = |matrix: &[f64; 4], mean: &[f64; 2]| {
                    matrix[2 * row] * mean[0] + matrix[2 * row + 1] * mean[1]
                };
                weights[0] * of(&FIRST, &MEANS[0]) + weights[1] * of(&SECOND, &MEANS[1])
            })
            .collect();
        let det = precision[0] * precision[3] - precision[1] * precision[2];
        let mean = [
            (precision[3] * pull[0] - precision[1] * pull[1]) / det,
            (precision[0] * pull[1] - precision[2] * pull[0]) / det,
        ];
        let one = gaussian(&precision, &mean).build().unwrap();
        let x = states();
        let ((energies, grads), (expected, slopes)) = (evaluate(&combined, &x), evaluate(&one, &x));
        let constant = energies[0] - expected[0];
        let expected: Vec<f64> = expected.iter().map(|energy| energy + constant).collect();
        assert_close(&energies, &expected);
        assert_close(&grads, &slopes);
        assert!(combined.provide_reference().is_none() && combined.tail_exponent().is_none());
    }
}

/// Either of two Gaussians is their mixture: same energies and gradients, log Z = 0, and shares of draws.
#[test]
fn either_of_gaussians_is_a_mixture() {
    let covariance = |precision: &[f64; 4]| {
        let det = precision[0] * precision[3] - precision[1] * precision[2];
        [precision[3] / det, -precision[1] / det, -precision[2] / det, precision[0] / det]
    };
    let mixture = MixtureSpec {
        dim: 2,
        weights: Some(vec![1.0, 3.0]),
        means: MEANS.concat(),
        covariance_kind: crate::mixture::CovarianceKind::Full,
        covariances: Some([covariance(&FIRST), covariance(&SECOND)].concat()),
    };
    let part_of = |precision: &[f64; 4], mean: &[f64; 2], weight| {
        part(ModelSpec::Gaussian(gaussian(precision, mean)), weight, None)
    };
    let spec = either(vec![part_of(&FIRST, &MEANS[0], 1.0), part_of(&SECOND, &MEANS[1], 3.0)]);
    let (combined, mixture) = (spec.build().unwrap(), mixture.build().unwrap());
    let x = states();
    let ((energies, grads), (expected, slopes)) = (evaluate(&combined, &x), evaluate(&mixture, &x));
    assert_close(&energies, &expected);
    assert_close(&grads, &slopes);
    assert!(combined.log_z().abs() < 1e-14);
    assert!(combined.provide_parametric().is_none() && combined.provide_score_gradient().is_none());

    // Far from both, where every density underflows.
    let far = [300.0, -200.0];
    assert_close(&evaluate(&combined, &far).0, &evaluate(&mixture, &far).0);

    // With a log Z that is off by ln 2 the first part has half its mass.
    let mut off = spec.clone();
    off.parts[0].log_z = Some(mixture_part_log_z(&spec) + ln(2.0));
    let off = off.build().unwrap();
    assert!((off.log_z() - ln(0.125 + 0.75)).abs() < 1e-14);
    let mut rng = stream(4, Purpose::Example, 0);
    let mut state = [0.0; 2];
    let num_draws = 20_000;
    let mut sum = 0.0;
    for _ in 0..num_draws {
        off.draw(&mut rng, &mut state);
        sum += state[1];
    }
    // The mean of x₂ is 11/7; its variance is below 7: five standard errors are 0.094.
    assert!((sum / f64::from(num_draws) - (-0.125 + 0.75 * 2.0) / 0.875).abs() < 0.1, "{sum}");
}

fn mixture_part_log_z(spec: &CombinedSpec) -> f64 {
    spec.parts[0].model.build().unwrap().as_reference().unwrap().log_z()
}

/// With the exact log Z of each part, half of the mass is in either, and the whole is normalized.
#[test]
fn either_of_bits_is_normalized() {
    let models = [ising(6, 1), ising(6, 2)];
    let log_z = |model: &dyn SiteFlips| {
        let energies: Vec<f64> = (0..enumeration::num_shards(6).unwrap())
            .flat_map(|shard| enumeration::energies(model, shard).1)
            .collect();
        log_sum_exp(&energies.iter().map(|energy| -energy).collect::<Vec<_>>())
    };
    let parts = models
        .iter()
        .map(|spec| part(ModelSpec::Ising(spec.clone()), 1.0, Some(log_z(&spec.build().unwrap()))));
    let spec = either(parts.collect());
    let combined = spec.build().unwrap();
    assert!(log_z(&combined).abs() < 1e-13);
    let state = [1.0, 0.0, 0.0, 1.0, 1.0, 0.0];
    let energy = |model: &dyn Energy| {
        let mut energy = [0.0];
        model.energy(Batch::new(6, &state), &mut energy);
        energy[0]
    };
    let densities = spec
        .parts
        .iter()
        .map(|part| exp(-energy(&*part.model.build().unwrap()) - part.log_z.unwrap()));
    let expected = -ln(densities.sum::<f64>() / 2.0);
    assert!((energy(&combined) - expected).abs() < 1e-13);
    // Its log Z depends on numbers that were given: there is no closed form to rely on.
    assert!(combined.provide_reference().is_none());
}

#[test]
fn where_a_part_is_impossible_the_others_decide() {
    // ln x has no value below 0.
    let models =
        || [formula("x - ln(x) + y^2/2"), formula("(x^2 + y^2)/2")].map(ModelSpec::Formula);
    let parts = || models().map(|model| part(model, 1.0, Some(0.0))).to_vec();
    let combined = either(parts()).build().unwrap();
    let first = FormulaSpec { constraints: above(), ..formula("(x^2 + y^2)/2") };
    let refused = either(vec![part(ModelSpec::Formula(first), 1.0, Some(0.0)), parts().remove(0)]);
    assert_eq!(refused.build().err().unwrap().field(), Some("model.parts[1]"));
    let (energy, grad) = evaluate(&combined, &[0.0, 0.5]);
    // E of the first is infinite at x = 0.
    assert!((energy[0] - (0.125 + ln(2.0))).abs() < 1e-14, "{energy:?}");
    assert_eq!(grad, [0.0, 0.5]);
    // Without any weight it does not count in a sum either.
    let mut without = sum(parts());
    without.parts.iter_mut().for_each(|part| part.log_z = None);
    without.parts[0].weight = 0.0;
    let (energy, grad) = evaluate(&without.build().unwrap(), &[0.0, 0.5]);
    assert_eq!((energy[0], grad), (0.125, vec![0.0, 0.5]));
}

fn above() -> Vec<crate::energy::HalfSpace> {
    vec![crate::energy::HalfSpace { normal: vec![1.0, 0.0], offset: 0.0 }]
}

#[test]
fn constraints_of_a_sum_are_those_of_all_parts() {
    let confined = FormulaSpec { constraints: above(), ..formula("(x^2 + y^2)/2") };
    let parts = |weight| {
        vec![
            part(ModelSpec::Formula(formula("x^4 + y^4")), 1.0, None),
            part(ModelSpec::Formula(confined.clone()), weight, None),
        ]
    };
    assert_eq!(sum(parts(0.5)).build().unwrap().constraints(), above());
    let refused = sum(parts(-0.5)).build().err().unwrap();
    assert_eq!(refused.field(), Some("model.parts[1]"));
}

#[test]
fn bad_specs_are_refused() {
    let gaussian = |dim: usize| {
        ModelSpec::Gaussian(GaussianSpec { dim, mean: None, precision: None, covariance: None })
    };
    let bits = || ModelSpec::Ising(ising(3, 1));
    let nested = |depth: usize| {
        (0..depth)
            .fold(gaussian(2), |model, _| ModelSpec::Combined(sum(vec![part(model, 1.0, None)])))
    };
    let bad_part = ModelSpec::Gaussian(GaussianSpec {
        dim: 2,
        mean: Some(vec![1.0]),
        precision: None,
        covariance: None,
    });
    let example = |kind: &str| {
        let mut all = ModelSpec::examples().into_iter();
        all.find(|spec| spec.build().unwrap().kind() == kind).unwrap()
    };
    let cases = [
        (sum(vec![]), "model.parts", "there must be 1 parts"),
        (sum(vec![part(gaussian(2), 1.0, None); 17]), "model.parts", "the limit is 16"),
        (
            sum(vec![part(gaussian(2), 1.0, None), part(bad_part, 1.0, None)]),
            "model.parts[1].model.mean",
            "give 2",
        ),
        (
            sum(vec![part(gaussian(2), 1.0, None), part(gaussian(3), 1.0, None)]),
            "model.parts[1].model",
            "states of 3 entries",
        ),
        (
            sum(vec![part(gaussian(3), 1.0, None), part(bits(), 1.0, None)]),
            "model.parts[1].model",
            "states are bits",
        ),
        (sum(vec![part(gaussian(2), f64::NAN, None)]), "model.parts[0].weight", "a finite number"),
        (either(vec![part(gaussian(2), -1.0, None)]), "model.parts[0].weight", "greater than 0"),
        (sum(vec![part(gaussian(2), 1.0, Some(0.0))]), "model.parts[0].logZ", "leave it out"),
        (either(vec![part(bits(), 1.0, None)]), "model.parts[0].logZ", "has no closed form"),
        (
            either(vec![part(bits(), 1.0, Some(f64::INFINITY))]),
            "model.parts[0].logZ",
            "a finite number",
        ),
        (sum(vec![part(nested(MAX_DEPTH), 1.0, None)]), "model.parts", "more than 4 deep"),
        (sum(vec![part(example("potts"), 1.0, None)]), "model.parts[0].model", "several values"),
        (
            sum(vec![part(example("replicatedSoftmax"), 1.0, None)]),
            "model.parts[0].model",
            "of counts",
        ),
    ];
    for (spec, field, words) in cases {
        let error = spec.build().err().unwrap();
        assert_eq!(error.field(), Some(field), "{error}");
        assert!(error.to_string().contains(words), "{error}");
    }
    assert!(nested(MAX_DEPTH).build().is_ok());
}
