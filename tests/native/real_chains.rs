//! Chains on ℝᴰ in a fit: alone and in company, in one piece and in many; where they start
//! anew; and the step size they share.

use serde_json::{Value, json};
use unnorm::energy::{Differentiable, Energy, HalfSpace};
use unnorm::fit::real_chains::{Moves, Noise, Rows, Run};
use unnorm::fit::step_size::StepSize;
use unnorm::linalg::{Batch, Block};
use unnorm::math::{exp, ln};
use unnorm::models::Model;
use unnorm::models::double_well::DoubleWellSpec;
use unnorm::models::linear_generative::LinearGenerativeSpec;
use unnorm::rng::{ChainRng, Purpose, normal, stream};
use unnorm::sample::langevin::Mala;
use unnorm::sample::posteriors::Posteriors;
use unnorm::sample::spec::TransitionSpec;
use unnorm::sample::target::Target;

/// All transitions a fit may have, with momenta that are kept, too.
fn transitions() -> [Value; 7] {
    [
        json!({"kind": "hmc", "numLeapfrogSteps": 3, "stepSize": 0.4}),
        json!({"kind": "hmc", "momentumRefresh": 0.3, "momentumFlips": "reduced", "stepSize": 0.3}),
        json!({"kind": "nuts", "maxTreeDepth": 3, "stepSize": 0.5}),
        json!({"kind": "langevin", "stepSize": 0.8}),
        json!({"kind": "langevin", "adjusted": false}),
        json!({"kind": "metropolis", "stepSize": 0.7}),
        json!({"kind": "slice", "maxStepsOut": 5, "stepSize": 0.9}),
    ]
}

fn moves(transition: &Value, num_steps: usize) -> unnorm::Result<(Moves, StepSize)> {
    let spec: TransitionSpec = serde_json::from_value(transition.clone()).unwrap();
    Moves::new(&spec, num_steps, 2)
}

fn noise(dim: usize, count: usize) -> Vec<f64> {
    let mut rng = stream(3, Purpose::Example, 0);
    (0..dim * count).map(|_| normal(&mut rng)).collect()
}

fn rng(chain: usize) -> ChainRng {
    stream(4, Purpose::Chain, chain as u64)
}

/// The cost of a gradient is a claim that cuts blocks and pieces, and nothing else.
struct Costly<'a>(&'a dyn Differentiable, usize);

impl Energy for Costly<'_> {
    fn dim(&self) -> usize {
        self.0.dim()
    }
    fn energy(&self, x: Batch<'_>, out: &mut [f64]) {
        self.0.energy(x, out);
    }
}

impl Differentiable for Costly<'_> {
    fn energy_grad(&self, x: Block<'_>, energy: &mut [f64], grad: &mut [f64]) {
        self.0.energy_grad(x, energy, grad);
    }
    fn gradient_cost(&self) -> usize {
        self.1
    }
}

#[test]
fn a_chain_does_not_depend_on_its_company_nor_on_pieces() {
    let model = DoubleWellSpec::examples()[0].build().unwrap();
    let states = noise(model.dim(), 70);
    for transition in transitions() {
        let (moves, step_size) = moves(&transition, 7).unwrap();
        let moves = moves.with_restarts(0.2, Noise::standard(model.dim()));
        let whole =
            Run::new(states.clone()).all(&moves, Target::Model(&model), None, &step_size, &rng);
        let num_still =
            whole.0.iter().zip(&states).filter(|(after, before)| after == before).count();
        assert!(num_still < states.len() / 2, "{transition}: {num_still} of {}", states.len());
        // Blocks of a few chains, and pieces of one step.
        for cost in [100_000, 3_000_000] {
            let costly = Costly(&model, cost);
            let mut run = Run::new(states.clone());
            let mut num_pieces = 1;
            while !run.piece(&moves, Target::Model(&costly), None, &step_size, &rng) {
                num_pieces += 1;
            }
            assert!(num_pieces > 1);
            let (moved, acceptance) = run.finish();
            assert_eq!(moved, whole.0, "{transition}");
            assert!((acceptance - whole.1).abs() < 1e-9);
        }
        let dim = model.dim();
        for chain in [0, 33, 69] {
            let alone = Run::new(states[chain * dim..][..dim].to_vec());
            let (alone, _) =
                alone.all(&moves, Target::Model(&model), None, &step_size, &|_| rng(chain));
            assert_eq!(alone, whole.0[chain * dim..][..dim], "{transition}");
        }
    }
}

/// The x of a chain goes with it to the blocks of rejected ones and of single ones.
#[test]
fn each_chain_of_a_generative_model_keeps_its_own_x() {
    for spec in LinearGenerativeSpec::examples() {
        let model = spec.build().unwrap();
        let target = Posteriors::of(&model, "a test").unwrap();
        let (dim, num_observed) = (target.dim(), target.num_observed());
        let values = noise(num_observed, 12);
        let rows = Rows { dim: num_observed, values: &values, num_chains: 3 };
        let states = noise(dim, 36);
        for transition in transitions() {
            let (moves, step_size) = moves(&transition, 5).unwrap();
            let run = Run::new(states.clone());
            let (moved, _) =
                run.all(&moves, Target::Posteriors(&target), Some(rows), &step_size, &rng);
            for chain in 0..36 {
                let state = states[chain * dim..][..dim].to_vec();
                let own = rows.of(chain);
                let given = model.given(own);
                let plain = given.provide_differentiable().unwrap();
                let alone = Run::new(state.clone());
                let (alone, _) =
                    alone.all(&moves, Target::Model(plain), None, &step_size, &|_| rng(chain));
                let company = &moved[chain * dim..][..dim];
                // The sums are others: last digits may differ.
                let is_near = |(a, b): (&f64, &f64)| (a - b).abs() < 1e-9 * (1.0 + b.abs());
                assert!(company.iter().zip(&alone).all(is_near), "{transition} {chain}");
                let one = Rows { dim: num_observed, values: own, num_chains: 1 };
                let alone = Run::new(state);
                let (alone, _) =
                    alone.all(&moves, Target::Posteriors(&target), Some(one), &step_size, &|_| {
                        rng(chain)
                    });
                assert_eq!(company, alone, "{transition} {chain}");
            }
        }
    }
}

/// The part that starts anew, and where: within six standard errors.
#[test]
fn restarts_are_noise_like_the_data() {
    let model = DoubleWellSpec::examples()[0].build().unwrap();
    let dim = model.dim();
    let rows: Vec<f64> = noise(dim, 500).iter().map(|x| 3.0 + 2.0 * x).collect();
    let like = Noise::like(Batch::new(dim, &rows));
    let (moves, _) = moves(&json!({"kind": "metropolis"}), 1).unwrap();
    let moves = moves.with_restarts(0.25, like.clone());
    let count = 4000;
    let run = Run::new(vec![-50.0; count * dim]);
    let (moved, _) = run.all(&moves, Target::Model(&model), None, &StepSize::fixed(1e-9), &rng);
    let fresh: Vec<&[f64]> = moved.chunks_exact(dim).filter(|x| x[0] > -40.0).collect();
    let expected = 0.25 * count as f64;
    assert!((fresh.len() as f64 - expected).abs() < 6.0 * (0.75 * expected).sqrt());
    for d in 0..dim {
        let num = fresh.len() as f64;
        let mean = fresh.iter().map(|x| x[d]).sum::<f64>() / num;
        let square =
            fresh.iter().map(|x| x[d] - like.mean()[d]).map(|off| off * off).sum::<f64>() / num;
        let variance = like.scale()[d] * like.scale()[d];
        assert!((mean - like.mean()[d]).abs() < 6.0 * (variance / num).sqrt());
        assert!((square / variance - 1.0).abs() < 6.0 * (2.0 / num).sqrt());
        assert!((like.mean()[d] - 3.0).abs() < 6.0 * 2.0 / 500_f64.sqrt());
    }
}

/// Within half-spaces, where the draw must be a mirror image.
#[test]
fn noise_stays_within_half_spaces() {
    struct Quadrant(Vec<HalfSpace>);
    impl Energy for Quadrant {
        fn dim(&self) -> usize {
            2
        }
        fn energy(&self, _x: Batch<'_>, out: &mut [f64]) {
            out.fill(0.0);
        }
    }
    impl Differentiable for Quadrant {
        fn energy_grad(&self, _x: Block<'_>, energy: &mut [f64], grad: &mut [f64]) {
            energy.fill(0.0);
            grad.fill(0.0);
        }
        fn constraints(&self) -> &[HalfSpace] {
            &self.0
        }
    }
    let constraint = |normal: [f64; 2], offset| HalfSpace { normal: normal.into(), offset };
    let target = Quadrant(vec![constraint([2.0, 0.0], 0.0), constraint([0.0, 0.5], 1.0)]);
    let mut free = [0.0; 2];
    let mut out = [0.0; 2];
    for index in 0..200 {
        let stream = || stream(5, Purpose::Example, index);
        Noise::standard(2).draw(&target, &mut stream(), &mut out);
        assert!(out[0] >= 0.0 && out[1] >= 2.0);
        let mut rng = stream();
        free.iter_mut().for_each(|x| *x = normal(&mut rng));
        assert!((out[0] - free[0].abs()).abs() < 1e-15);
        assert!((out[1] - 2.0 - (free[1] - 2.0).abs()).abs() < 1e-14);
    }
}

#[test]
fn what_does_not_move_single_chains_is_refused() {
    for (transition, field) in [
        (json!({"kind": "gibbs"}), "objective.transition"),
        (
            json!({"kind": "parallelTempering", "transition": {"kind": "hmc"}}),
            "objective.transition",
        ),
        (
            json!({"kind": "hmc", "adaptation": {"scale": "dense"}}),
            "objective.transition.adaptation.scale",
        ),
    ] {
        let Err(error) = moves(&transition, 1) else { panic!("{transition} is no move of a fit") };
        assert_eq!(error.field(), Some(field));
    }
}

fn adapted(target: f64) -> StepSize {
    let spec = serde_json::json!({"kind": "langevin", "adaptation": {"targetAcceptance": target}});
    StepSize::new(&serde_json::from_value(spec).unwrap(), &Mala)
}

/// Against a made-up chain that accepts with e^{−ε/s}, the scale s jumping once: ε
/// follows, within the noise.
#[test]
fn the_step_size_follows_a_model_that_changes() {
    let mut rng = stream(1, Purpose::Example, 0);
    let mut step = adapted(0.8);
    for scale in [300.0, 0.002] {
        for _ in 0..60 {
            step.learn((exp(-step.size() / scale) + 0.01 * normal(&mut rng)).clamp(0.0, 1.0));
        }
        let expected = -ln(0.8) * scale;
        assert!((step.size() / expected - 1.0).abs() < 0.3, "{} {expected}", step.size());
    }
}

#[test]
fn a_step_size_that_is_given_stays() {
    let spec = serde_json::json!({"kind": "hmc", "stepSize": 0.3});
    let mut step = StepSize::new(&serde_json::from_value(spec).unwrap(), &Mala);
    let fresh = step;
    step.learn(0.0);
    assert!(step == fresh && step.continues(&fresh));
    assert_eq!(step.of_chain(&mut stream(1, Purpose::Example, 0)), 0.3);
    // One that is given with adaptation is where that begins.
    let spec = serde_json::json!({"kind": "hmc", "stepSize": 0.3, "adaptation": {}});
    let mut step = StepSize::new(&serde_json::from_value(spec).unwrap(), &Mala);
    step.learn(0.0);
    step.learn(f64::NAN);
    assert_eq!(step.size(), 0.15);
}

#[test]
fn step_sizes_stay_finite_whatever_is_accepted() {
    for acceptance in [0.0, 1.0] {
        let mut step = adapted(0.5);
        let fresh = step;
        (0..10_000).for_each(|_| step.learn(acceptance));
        assert!(step.size() >= 1e-10 && step.size() <= 1e10 && step.continues(&fresh));
    }
}
