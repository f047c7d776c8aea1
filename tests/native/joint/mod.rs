//! Two simulators of the joint distribution of parameters and states; see
//! `tests/geweke.rs`.

use crate::transitions::Step;
use unnorm::bits::BitBatch;
use unnorm::exact;
use unnorm::linalg::{Batch, dot, transpose};
use unnorm::math::{exp, ln};
use unnorm::models::{Model, ModelSpec};
use unnorm::rng::{ChainRng, Purpose, normal, stream, uniform};
use unnorm::sample::chains::{ChainTransition, Chains, StepInfo};
use unnorm::sample::target::Target;
use unnorm::sample::tuning::Tuning;

/// Draws of the first simulator, and runs of the second.
const NUM_DRAWS: usize = 12_000;
const NUM_RUNS: u64 = 2_500;

/// Turns of a run; its statistics are averaged over them.
const NUM_TURNS: usize = 10;

/// States that share their parameters.
const NUM_STATES: usize = 2;

/// Standard deviations of the prior a step of θ takes.
const PARAM_STEP: f64 = 0.5;

/// The model at given parameters.
type Build = Box<dyn Fn(&[f64]) -> Box<dyn Model>>;

/// One step of all states.
type Move<'a> = Box<dyn Fn(&dyn Model, &mut States) + 'a>;

/// Parameters `θ = θ₀ + s z` with z ~ N(0, I), and the model at each.
pub struct Family {
    pub name: &'static str,
    pub centre: Vec<f64>,
    pub spread: f64,
    pub build: Build,
}

impl Family {
    /// Around a model's own parameters.
    pub fn around(name: &'static str, spec: ModelSpec, spread: f64) -> Self {
        let model = spec.build().unwrap();
        let centre = model.as_parametric().unwrap().params().to_vec();
        let build = Box::new(move |params: &[f64]| model.spec_at(params).build().unwrap());
        Self { name, centre, spread, build }
    }

    pub fn model(&self, z: &[f64]) -> Box<dyn Model> {
        let params = self.centre.iter().zip(z).map(|(centre, z)| centre + self.spread * z);
        (self.build)(&params.collect::<Vec<_>>())
    }

    fn prior(&self, rng: &mut ChainRng) -> Vec<f64> {
        self.centre.iter().map(|_| normal(rng)).collect()
    }
}

/// States of one model, with what their next step draws from.
pub enum States {
    Rows(Vec<u64>, ChainRng),
    Reals(Box<Chains>),
}

impl States {
    /// Exact draws.
    fn exact(model: &dyn Model, rng: &mut ChainRng, index: u64) -> Self {
        let dim = model.dim();
        if model.as_site_flips().is_some() || model.as_sites().is_some() {
            let log_z = log_z(model);
            let all: Vec<u64> = (0..1 << dim).collect();
            let energies = energies(model, &BitBatch::new(dim, &all).to_values());
            let mut draw = || {
                let mut left = uniform(rng);
                let found = energies.iter().position(|energy| {
                    left -= exp(-energy - log_z);
                    left < 0.0
                });
                found.unwrap_or(energies.len() - 1) as u64
            };
            let rows = (0..NUM_STATES).map(|_| draw()).collect();
            return Self::Rows(rows, stream(2, Purpose::Chain, index));
        }
        let mut states = vec![0.0; NUM_STATES * dim];
        for state in states.chunks_exact_mut(dim) {
            model.as_reference().unwrap().draw(rng, state);
        }
        let of_state = |state: usize| (NUM_STATES as u64 * index) + state as u64;
        let rngs = (0..NUM_STATES).map(|state| stream(2, Purpose::Chain, of_state(state)));
        let target = model.as_differentiable().unwrap();
        let mut chains = Chains::new(Target::Model(target), &states, rngs.collect());
        chains.refresh_momentum(1.0);
        Self::Reals(Box::new(chains))
    }

    /// The states, one after another.
    fn values(&self, dim: usize) -> Vec<f64> {
        match self {
            Self::Rows(rows, _) => BitBatch::new(dim, rows).to_values(),
            Self::Reals(chains) => {
                let mut values = vec![0.0; NUM_STATES * dim];
                transpose(NUM_STATES, dim, &chains.position, &mut values);
                values
            }
        }
    }
}

fn energies(model: &dyn Model, states: &[f64]) -> Vec<f64> {
    let mut energies = vec![0.0; states.len() / model.dim()];
    model.energy(Batch::new(model.dim(), states), &mut energies);
    energies
}

fn log_z(model: &dyn Model) -> f64 {
    match (model.as_site_flips(), model.as_sites()) {
        (Some(flips), _) => exact::enumerate(flips).unwrap().log_z,
        (None, Some(_)) => exact::exact_draws(model).unwrap().log_z(),
        (None, None) => model.as_reference().unwrap().log_z(),
    }
}

/// How the second simulator goes on.
pub struct Simulator<'a> {
    /// Moves the states.
    pub step: Move<'a>,
    /// What it takes for log Z.
    pub log_z: fn(&dyn Model) -> f64,
}

pub fn by_rows<'a>(make: impl Fn(&dyn Model) -> Option<Step<'_>> + 'a) -> Simulator<'a> {
    let step = move |model: &dyn Model, states: &mut States| {
        let States::Rows(rows, rng) = states else { panic!("not binary") };
        let step = make(model).expect("chosen for the model");
        rows.iter_mut().for_each(|row| step(std::slice::from_mut(row), rng));
    };
    Simulator { step: Box::new(step), log_z }
}

pub fn by_chains(transition: &dyn ChainTransition, step_size: f64) -> Simulator<'_> {
    let tuning = Tuning::uniform(NUM_STATES, step_size);
    let step = move |model: &dyn Model, states: &mut States| {
        let States::Reals(chains) = states else { panic!("not on the reals") };
        let mut info = [StepInfo::default(); NUM_STATES];
        transition.step(
            Target::Model(model.as_differentiable().unwrap()),
            &tuning,
            chains,
            &mut info,
        );
    };
    Simulator { step: Box::new(step), log_z }
}

/// θ, θ², the states, their energy, and θ times the last two. The states are
/// squashed to x / (1 + |x|): their tails may be heavy where θ is unlucky.
fn statistics(model: &dyn Model, z: &[f64], states: &States) -> Vec<f64> {
    let values = states.values(model.dim());
    let mut of_states = vec![0.0; model.dim() + 1];
    for (state, energy) in values.chunks_exact(model.dim()).zip(energies(model, &values)) {
        let squashed = state.iter().map(|x| x / (1.0 + x.abs())).chain([energy]);
        of_states.iter_mut().zip(squashed).for_each(|(sum, x)| *sum += x / NUM_STATES as f64);
    }
    let products = z.iter().flat_map(|z| of_states.iter().map(move |x| z * x));
    z.iter()
        .copied()
        .chain(z.iter().map(|z| z * z))
        .chain(products)
        .chain(of_states.iter().copied())
        .collect()
}

/// Means of statistics and the squares of their errors.
fn means(samples: &[Vec<f64>]) -> Vec<(f64, f64)> {
    let count = samples.len() as f64;
    let mean_of = |at: usize| {
        let mean = samples.iter().map(|sample| sample[at]).sum::<f64>() / count;
        let square = |sample: &Vec<f64>| (sample[at] - mean) * (sample[at] - mean);
        (mean, samples.iter().map(square).sum::<f64>() / (count * (count - 1.0)))
    };
    (0..samples[0].len()).map(mean_of).collect()
}

/// The first simulator.
pub fn independent(family: &Family) -> Vec<(f64, f64)> {
    let draw = |index: usize| {
        let mut rng = stream(1, Purpose::Example, index as u64);
        let z = family.prior(&mut rng);
        let model = family.model(&z);
        statistics(&*model, &z, &States::exact(&*model, &mut rng, index as u64))
    };
    means(&(0..NUM_DRAWS).map(draw).collect::<Vec<_>>())
}

/// The second simulator.
pub fn by_turns(family: &Family, simulator: &Simulator<'_>) -> Vec<(f64, f64)> {
    let run = |index: u64| {
        let mut rng = stream(3, Purpose::Example, index);
        let mut z = family.prior(&mut rng);
        let mut model = family.model(&z);
        let mut states = States::exact(&*model, &mut rng, index);
        let mut sums = Vec::new();
        for _ in 0..NUM_TURNS {
            (simulator.step)(&*model, &mut states);
            let values = states.values(model.dim());
            let log_p = |z: &[f64], model: &dyn Model| {
                let log_z = NUM_STATES as f64 * (simulator.log_z)(model);
                -0.5 * dot(z, z) - energies(model, &values).iter().sum::<f64>() - log_z
            };
            let proposal: Vec<f64> = z.iter().map(|z| z + PARAM_STEP * normal(&mut rng)).collect();
            let proposed = family.model(&proposal);
            if ln(uniform(&mut rng)) < log_p(&proposal, &*proposed) - log_p(&z, &*model) {
                (z, model) = (proposal, proposed);
                if let States::Reals(chains) = &mut states {
                    chains.evaluate(Target::Model(model.as_differentiable().unwrap()));
                }
            }
            let statistics = statistics(&*model, &z, &states);
            sums.resize(statistics.len(), 0.0);
            sums.iter_mut().zip(statistics).for_each(|(sum, x)| *sum += x / NUM_TURNS as f64);
        }
        sums
    };
    means(&(0..NUM_RUNS).map(run).collect::<Vec<_>>())
}

/// The largest difference of two means, in its standard errors.
pub fn distance(a: &[(f64, f64)], b: &[(f64, f64)]) -> f64 {
    let pairs = a.iter().zip(b);
    pairs.map(|((a, e), (b, f))| (a - b).abs() / (e + f).sqrt()).fold(0.0, |most, z| {
        assert!(!z.is_nan(), "a statistic never changes");
        if z > most { z } else { most }
    })
}
