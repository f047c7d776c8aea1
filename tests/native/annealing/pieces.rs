//! Neither pieces nor neighbours change a bit.

use super::*;
use unnorm::models::ModelSpec;
use unnorm::models::gaussian::GaussianSpec;
use unnorm::models::ising::{IsingSpec, Pattern};
use unnorm::models::rbm::RbmSpec;
use unnorm::models::ring::RingSpec;
use unnorm::normalize::gaussian_path::{GaussianPath, GaussianPathKind};
use unnorm::normalize::geometric_path::GeometricPath;
use unnorm::sample::param_path::{Knot, ParamPath};

/// Courses of all kinds, and states of their targets for so many chains.
fn plans(count: usize) -> Vec<(AnnealingPlan, States)> {
    let plain = GaussianSpec { dim: 2, mean: None, precision: None, covariance: None };
    let shifted = GaussianSpec { mean: Some(vec![1.0, -0.5]), ..plain.clone() };
    let [plain, shifted] = [plain, shifted].map(|spec| spec.build().unwrap());
    let mut plans = Vec::new();
    let mut moves = continuous_moves();
    moves.extend([("perfect", Moves::Perfect), ("Gibbs", gibbs(Scan::Systematic))]);
    moves.push(("random scan", gibbs(Scan::Random)));
    let make = |path: Path, moves: &Moves| {
        let sizes = StepSizes::new(vec![0.0, 1.0], vec![0.5, 0.1]).unwrap();
        AnnealingPlan::new(path, moves.clone(), linear(7), 2, sizes).unwrap()
    };
    for (_, moves) in &moves {
        for kind in [GaussianPathKind::Geometric, GaussianPathKind::Moments] {
            let path = GaussianPath::new(plain.clone(), shifted.clone(), kind).unwrap();
            plans.push((make(Path::Gaussians(path), moves), draws(&shifted, count)));
        }
    }
    let ring = RingSpec::default().build().unwrap();
    for (_, moves) in &continuous_moves() {
        let path = GeometricPath::new(Box::new(plain.clone()), Box::new(ring)).unwrap();
        plans.push((make(Path::Geometric(path), moves), draws(&ring, count)));
    }
    let glass = Pattern::Lattice { num_rows: 4, num_cols: 18, periodic: true };
    let models = [
        ModelSpec::Rbm(RbmSpec::random(70, 11, 0.5, 1)),
        ModelSpec::Ising(IsingSpec::random(72, glass, 0.5, 1)),
        ModelSpec::Ising(IsingSpec::random(5, Pattern::Dense {}, 0.5, 1)),
    ];
    let moves = [
        vec![TransitionSpec::BlockGibbs {}, TransitionSpec::Gibbs { scan: Scan::Systematic }],
        vec![
            TransitionSpec::Gibbs { scan: Scan::Random },
            TransitionSpec::Checkerboard {},
            TransitionSpec::SwendsenWang {},
            TransitionSpec::Wolff {},
        ],
        vec![],
    ];
    for (model, specs) in models.into_iter().zip(moves) {
        let model = model.build().unwrap();
        let target = model.as_parametric().unwrap().params().to_vec();
        let half = target.iter().map(|param| 0.6 * param).collect();
        let knots = vec![
            Knot { beta: 0.0, params: model.independent_params(&vec![0.1; model.dim()]).unwrap() },
            Knot { beta: 0.55, params: half },
            Knot { beta: 1.0, params: target },
        ];
        let mut moves: Vec<_> = specs.into_iter().map(Moves::By).collect();
        if moves.is_empty() {
            moves.push(Moves::Perfect);
        }
        for moves in moves {
            let path = ParamPath::new(model.boxed_clone(), knots.clone()).unwrap();
            let states = vec![row(model.dim(), 0b10110); count];
            plans.push((make(Path::Params(path), &moves), States::Rows(states)));
        }
    }
    plans
}

/// A population as bytes: all of it that lasts.
fn bytes(population: &Population) -> Vec<u8> {
    postcard::to_allocvec(population).unwrap()
}

fn slice(states: &States, chains: std::ops::Range<usize>) -> States {
    match states {
        States::Rows(rows) => States::Rows(rows[chains].to_vec()),
        States::Values { dim, values, .. } => States::Values {
            dim: *dim,
            values: values[chains.start * dim..chains.end * dim].to_vec(),
            momenta: Vec::new(),
        },
    }
}

#[test]
fn pieces_and_checkpoints_change_nothing() {
    for (plan, exact) in plans(9) {
        for start in [None, Some(&exact)] {
            let (whole, whole_profile) = run(&plan, start, 9);
            let direction = if start.is_some() { Direction::Reverse } else { Direction::Forward };
            let mut parts = match start {
                None => Population::forward(&plan, 0..9, 5),
                Some(states) => Population::reverse(&plan, 0..9, states, 5),
            };
            let sound = parts.clone();
            let mut profile = Profile::default();
            for (index, steps) in [0..1, 1..1, 1..4, 4..6, 6..7].into_iter().enumerate() {
                parts.advance(&plan, direction, steps, &mut profile);
                assert!(parts.has_shape_of(&sound));
                if index % 2 == 0 {
                    parts = postcard::from_bytes(&bytes(&parts)).unwrap();
                }
            }
            assert_eq!(bytes(&parts), bytes(&whole), "{:?}", plan.moves());
            assert_eq!(profile, whole_profile);
        }
    }
}

#[test]
fn neighbours_change_nothing() {
    for (plan, exact) in plans(9) {
        for start in [None, Some(&exact)] {
            let (whole, _) = run(&plan, start, 9);
            let direction = if start.is_some() { Direction::Reverse } else { Direction::Forward };
            let (mut log_weights, mut integrals) = (Vec::new(), Vec::new());
            let mut states = Vec::new();
            for chains in [0..1, 1..4, 4..9] {
                let mut part = match start {
                    None => Population::forward(&plan, chains, 5),
                    Some(states) => {
                        let own = slice(states, chains.clone());
                        Population::reverse(&plan, chains, &own, 5)
                    }
                };
                part.advance(&plan, direction, 0..7, &mut Profile::default());
                log_weights.extend_from_slice(&part.log_weights);
                integrals.extend_from_slice(&part.integrals);
                states.push(part.states());
            }
            assert_eq!(log_weights, whole.log_weights, "{:?}", plan.moves());
            assert_eq!(integrals, whole.integrals);
            for (at, chains) in [0..1, 1..4, 4..9].into_iter().enumerate() {
                match (&states[at], &whole.states()) {
                    (States::Rows(part), States::Rows(rows)) => assert_eq!(part[..], rows[chains]),
                    (part, whole) => {
                        let States::Values { dim, momenta, .. } = whole else { panic!() };
                        let range = chains.start * dim..chains.end * dim;
                        assert_eq!(values(part), &values(whole)[range.clone()]);
                        let States::Values { momenta: part, .. } = part else { panic!() };
                        assert_eq!(part[..], momenta[range]);
                    }
                }
            }
        }
    }
}

/// Chains set to the states of others go on as those would with their streams.
#[test]
fn resampled_chains_go_on_from_where_they_are_put() {
    for (plan, _) in plans(4) {
        let mut profile = Profile::default();
        let mut chains = Population::forward(&plan, 0..4, 5);
        chains.advance(&plan, Direction::Forward, 0..3, &mut profile);
        // Nothing changes where everybody stays.
        let mut same = chains.clone();
        same.set_states(&plan, 3, &chains.states());
        assert_eq!(bytes(&same), bytes(&chains), "{:?}", plan.moves());
        // Chains 1 to 3 become chain 0, momentum and all, so that their next terms are equal.
        let first = slice_with_momenta(&chains.states());
        let before = chains.log_weights.clone();
        chains.set_states(&plan, 3, &first);
        assert_eq!(chains.states(), first);
        assert_eq!(chains.log_weights, before);
        chains.advance(&plan, Direction::Forward, 3..4, &mut profile);
        let terms: Vec<f64> =
            chains.log_weights.iter().zip(before).map(|(after, before)| after - before).collect();
        assert!(terms.iter().all(|term| (term - terms[0]).abs() < 1e-12 * (1.0 + term.abs())));
    }
}

/// The first state for everybody.
fn slice_with_momenta(states: &States) -> States {
    match states {
        States::Rows(rows) => States::Rows(vec![rows[0].clone(); rows.len()]),
        States::Values { dim, values, momenta } => States::Values {
            dim: *dim,
            values: values[..*dim].repeat(values.len() / dim),
            momenta: momenta[..*dim].repeat(values.len() / dim),
        },
    }
}

/// A population that was tampered with is no longer like a sound one.
#[test]
fn damage_is_seen() {
    for (plan, _) in plans(4) {
        let sound = Population::forward(&plan, 0..4, 5);
        let other = Population::forward(&plan, 0..3, 5);
        assert!(
            sound.has_shape_of(&sound)
                && !other.has_shape_of(&sound)
                && !sound.has_shape_of(&other)
        );
        let mut short = sound.clone();
        short.log_weights.pop();
        assert!(!short.has_shape_of(&sound));
        let mut short = sound.clone();
        short.integrals.pop();
        assert!(!short.has_shape_of(&sound));
    }
}
