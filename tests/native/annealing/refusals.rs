//! What cannot be annealed is refused by name before any work.

use super::*;
use unnorm::Error;
use unnorm::energy::Energy;
use unnorm::models::Model;
use unnorm::models::gaussian::{Gaussian, GaussianSpec};
use unnorm::models::ising::{IsingSpec, Pattern};
use unnorm::models::product_of_experts::{Expert, ProductOfExpertsSpec};
use unnorm::models::rbm::RbmSpec;
use unnorm::models::ring::RingSpec;
use unnorm::normalize::gaussian_path::{GaussianPath, GaussianPathKind};
use unnorm::normalize::geometric_path::GeometricPath;
use unnorm::sample::param_path::{Knot, ParamPath};

fn standard(dim: usize) -> Gaussian {
    GaussianSpec { dim, mean: None, precision: None, covariance: None }.build().unwrap()
}

fn ising(dim: usize) -> Box<dyn Model> {
    Box::new(IsingSpec::random(dim, Pattern::Dense {}, 1.0, 1).build().unwrap())
}

fn rbm(num_visible: usize) -> Box<dyn Model> {
    Box::new(RbmSpec::random(num_visible, 2, 1.0, 1).build().unwrap())
}

fn straight(model: Box<dyn Model>) -> Path {
    let log_odds = vec![0.0; model.dim()];
    Path::Params(ParamPath::from_log_odds(model, &log_odds).unwrap())
}

fn real() -> Path {
    let ring = RingSpec::default().build().unwrap();
    Path::Geometric(GeometricPath::new(Box::new(standard(2)), Box::new(ring)).unwrap())
}

fn gaussians() -> Path {
    let path = GaussianPath::new(standard(2), standard(2), GaussianPathKind::Moments);
    Path::Gaussians(path.unwrap())
}

fn try_plan(path: Path, moves: Moves, schedule: Vec<f64>, num_steps: usize) -> Option<Error> {
    let sizes = StepSizes::constant(0.1).unwrap();
    AnnealingPlan::new(path, moves, schedule, num_steps, sizes).err()
}

fn field(error: Option<Error>) -> String {
    error.expect("refused").field().expect("of a field").to_owned()
}

#[test]
fn schedules_lead_from_0_to_1() {
    let try_schedule = |betas: &[f64]| try_plan(gaussians(), Moves::Perfect, betas.to_vec(), 1);
    assert!(try_schedule(&[0.0, 1.0]).is_none());
    for betas in [&[][..], &[0.0], &[1.0], &[0.1, 1.0], &[0.0, 0.9], &[0.0, f64::NAN]] {
        assert_eq!(field(try_schedule(betas)), "schedule.betas", "{betas:?}");
    }
    assert_eq!(field(try_schedule(&[0.0, 0.5, 0.5, 1.0])), "schedule.betas[2]");
    assert_eq!(field(try_schedule(&[0.0, 0.7, 0.5, 1.0])), "schedule.betas[2]");
    assert_eq!(field(try_schedule(&[0.0, f64::NAN, 1.0])), "schedule.betas[1]");
    let error = try_plan(gaussians(), Moves::Perfect, vec![0.0, 1.0], 0);
    assert_eq!(field(error), "numStepsPerDistribution");
}

#[test]
fn moves_must_do_for_the_path() {
    let refused = |path: Path, moves: Moves| try_plan(path, moves, vec![0.0, 1.0], 1);
    let by = |spec: TransitionSpec| Moves::By(spec);
    let ladder =
        serde_json::json!({ "kind": "parallelTempering", "transition": { "kind": "nuts" } });
    let ladder: TransitionSpec = serde_json::from_value(ladder).unwrap();
    let unadjusted = LangevinSpec { adjusted: false, ..LangevinSpec::default() };
    let nuts = || by(TransitionSpec::Nuts(NutsSpec::default()));
    for (path, moves) in [
        (real(), Moves::Perfect),
        (straight(ising(13)), Moves::Perfect),
        (real(), by(ladder)),
        (real(), gibbs(Scan::Systematic)),
        (gaussians(), by(TransitionSpec::Wolff {})),
        (straight(ising(3)), nuts()),
        // Not by bits of another kind.
        (straight(rbm(3)), by(TransitionSpec::Wolff {})),
        (straight(rbm(3)), by(TransitionSpec::SwendsenWang {})),
        (straight(rbm(3)), by(TransitionSpec::Checkerboard {})),
        (straight(ising(3)), by(TransitionSpec::BlockGibbs {})),
    ] {
        let name = format!("{moves:?}");
        let error = refused(path, moves).expect(&name);
        let is_capability = matches!(error, Error::MissingCapability { .. });
        let expected = if is_capability { "model.kind" } else { "transition.kind" };
        assert_eq!(error.field(), Some(expected), "{name}");
    }
    let annealed = serde_json::json!({ "kind": "annealedLangevin", "noises": [1, 0.1] });
    let annealed: TransitionSpec = serde_json::from_value(annealed).unwrap();
    for (moves, expected) in [
        (by(annealed), "transition.kind"),
        (by(TransitionSpec::Langevin(unadjusted)), "transition.adjusted"),
        (hmc(0, 1.0, MomentumFlips::Standard), "transition.numLeapfrogSteps"),
        (hmc(1, 0.0, MomentumFlips::Standard), "transition.momentumRefresh"),
    ] {
        assert_eq!(field(refused(real(), moves)), expected);
    }
    for (path, moves) in [
        (real(), nuts()),
        (gaussians(), nuts()),
        (gaussians(), gibbs(Scan::Random)),
        (straight(rbm(12)), Moves::Perfect),
    ] {
        assert!(refused(path, moves).is_none());
    }
}

#[test]
fn knots_must_make_a_path() {
    let model = ising(3);
    let target = model.as_parametric().unwrap().params().to_vec();
    let free = model.independent_params(&[0.5; 3]).unwrap();
    let knot = |beta: f64, params: &[f64]| Knot { beta, params: params.to_vec() };
    let try_knots = |knots: Vec<Knot>| ParamPath::new(ising(3), knots).err();
    assert!(try_knots(vec![knot(0.0, &free), knot(1.0, &target)]).is_none());
    let nan = [f64::NAN; 6];
    for (knots, expected) in [
        (vec![], "path.knots"),
        (vec![knot(0.0, &free)], "path.knots"),
        (vec![knot(0.1, &free), knot(1.0, &target)], "path.knots"),
        (vec![knot(0.0, &free), knot(0.9, &target)], "path.knots"),
        (
            vec![knot(0.0, &free), knot(0.5, &free), knot(0.5, &free), knot(1.0, &target)],
            "path.knots",
        ),
        (vec![knot(0.0, &free[1..]), knot(1.0, &target)], "path.knots[0].params"),
        (vec![knot(0.0, &free), knot(0.5, &nan), knot(1.0, &target)], "path.knots[1].params"),
        (vec![knot(0.0, &target), knot(1.0, &target)], "path.knots[0].params[3]"),
        (vec![knot(0.0, &free), knot(1.0, &free)], "path.knots[1].params"),
    ] {
        assert_eq!(field(try_knots(knots)), expected);
    }
    let error = ParamPath::from_log_odds(ising(3), &[0.0; 2]).err();
    assert_eq!(field(error), "reference.logOdds");
    let error = ParamPath::from_log_odds(Box::new(standard(2)), &[0.0; 2]).err();
    assert_eq!(error.unwrap().code(), "missing-capability");
    let error = ParamPath::new(Box::new(standard(2)), vec![]).err();
    assert_eq!(error.unwrap().code(), "missing-capability");
}

#[test]
fn both_ends_must_do_for_each_other() {
    let overcomplete = ProductOfExpertsSpec {
        dim: 1,
        expert: Expert::Laplace,
        num_experts: Some(2),
        filters: Some(vec![1.0, 2.0]),
        lambda: None,
    };
    let overcomplete = || Box::new(overcomplete.build().unwrap()) as Box<dyn Model>;
    let real = |dim: usize| Box::new(standard(dim)) as Box<dyn Model>;
    let error = |reference, target| GeometricPath::new(reference, target).err();
    assert!(error(real(1), overcomplete()).is_none());
    assert_eq!(field(error(real(2), overcomplete())), "reference.model.dim");
    for (reference, target) in [(overcomplete(), real(1)), (real(3), ising(3)), (ising(3), real(3))]
    {
        assert_eq!(error(reference, target).unwrap().code(), "missing-capability");
    }
    let error = GaussianPath::new(standard(1), standard(2), GaussianPathKind::Geometric).err();
    assert_eq!(field(error), "reference.model.dim");
    assert_eq!(standard(2).dim(), 2);
}
