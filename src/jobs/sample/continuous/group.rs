//! A shard's chains and how they move.

use super::super::super::report::Paths;
use super::super::super::spec::{SampleSpec, TransitionSpec};
use super::plan::Plan;
use crate::energy::{Differentiable, Reference};
use crate::linalg::Batch;
use crate::models::gaussian::Gaussian;
use crate::rng::{ChainRng, Purpose, stream};
use crate::sample::annealed::Annealed;
use crate::sample::chains::{ChainTransition, Chains, Path, StepInfo};
use crate::sample::ladder::Ladder;
use crate::sample::parallel_tempering::Replicas;
use crate::sample::simulated_tempering::SimulatedTempering;
use crate::sample::tuning::Tuning;
use crate::sample::warmup::{ScaleKind, Warmup, WarmupSettings};
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// Chains between two steps, with all that their next steps need.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Group {
    movers: Movers,
    /// A chain's, after warm-up.
    pub counts: Vec<Counts>,
}

/// Chains, or what each chain is made of.
#[derive(Debug, Clone, Serialize, Deserialize)]
enum Movers {
    Plain(Box<Plain>),
    Parallel(Vec<Ensemble>),
    /// Each with its last state at the target, and the energy there.
    Simulated(Vec<(SimulatedTempering, Vec<f64>, f64)>),
}

/// What one chain under parallel tempering is made of.
type Ensemble = (Replicas, Warmup);

/// Chains without a ladder.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Plain {
    chains: Chains,
    tuning: Tuning,
    warmup: Warmup,
    /// Where a step began, and what it did: memory that every step uses again.
    #[serde(skip)]
    begins: Vec<f64>,
    #[serde(skip)]
    info: Vec<StepInfo>,
}

/// What became of one chain's proposals after warm-up.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Counts {
    /// Proposals, and Σ of the chances to accept them.
    pub num_proposals: u64,
    pub acceptance: f64,
    /// Momenta turned round.
    pub num_flipped: u64,
    /// Proposals that diverged.
    pub num_divergent: u64,
    /// Gradients, those of the warm-up too.
    pub num_gradients: u64,
    /// Draws given twice, as the chain did not come back to the target in time.
    pub num_absent: u64,
    /// Where the first divergent trajectories began, a few at most.
    pub divergences: Vec<f64>,
}

/// Divergences kept a chain.
const MAX_DIVERGENCES: usize = 10;

/// Steps a chain under simulated tempering may be away from the target before
/// its last draw is given again; the result warns of it.
const MAX_ABSENCE: usize = 1_000;

/// What a shard makes of its chains in a round of steps.
#[derive(Default, Serialize, Deserialize)]
pub struct Moved {
    /// The chains after it.
    pub group: Option<Group>,
    /// Their draws, all chains of the first draw and so on.
    pub draws: Vec<f64>,
    /// The draws' energies.
    pub energies: Vec<f64>,
    /// Gradients of single chains that it took.
    pub num_gradients: u64,
    /// How the first chain moved, if that is recorded.
    pub paths: Paths,
}

/// What chains move on and how; the same for all groups.
pub struct Course<'a> {
    target: &'a dyn Differentiable,
    transition: &'a dyn ChainTransition,
    plan: &'a Plan,
    /// The lowest rung of the ladder, if there is one, and the way from it to the target.
    reference: Option<&'a Gaussian>,
    annealed: Option<Annealed<'a>>,
}

impl<'a> Course<'a> {
    /// The way of a spec's transition; a reference if that has a ladder.
    pub fn new(
        target: &'a dyn Differentiable,
        transition: &'a dyn ChainTransition,
        plan: &'a Plan,
        reference: Option<&'a Gaussian>,
    ) -> Self {
        let annealed = reference.map(|reference| Annealed::new(reference, target, 1.0));
        Self { target, transition, plan, reference, annealed }
    }

    fn annealed(&self) -> &Annealed<'a> {
        self.annealed.as_ref().expect("a ladder has a reference")
    }
}

impl Group {
    /// Before the first step of these chains, at these states.
    pub fn new(
        spec: &SampleSpec,
        course: &Course<'_>,
        chains: Range<usize>,
        states: &[f64],
        seed: u64,
    ) -> Self {
        let width = chains.len();
        let dim = course.plan.dim;
        let step_size = spec.transition.step_size().unwrap_or(0.1);
        let adaptation = spec.transition.adaptation();
        let settings = WarmupSettings {
            num_steps: if adaptation.is_some() { course.plan.num_warmup } else { 0 },
            target_acceptance: adaptation
                .as_ref()
                .and_then(|adaptation| adaptation.target_acceptance)
                .unwrap_or(course.transition.target_acceptance()),
            scale: adaptation.map_or(ScaleKind::Unit, |adaptation| adaptation.scale),
        };
        // A ladder's rungs have streams of their own.
        let rng = |chain: usize, rung: usize| {
            stream(seed, Purpose::Chain, chain as u64 + ((rung as u64) << 32))
        };
        let begin = |target: &dyn Differentiable, chains: &mut Chains, tuning: &mut Tuning| {
            Warmup::new(settings, target, course.transition, chains, tuning)
        };
        let movers = match &spec.transition {
            TransitionSpec::ParallelTempering(ladder) => {
                let num_rungs = ladder.num_rungs;
                let annealed = course.annealed();
                let of_chain = |(chain, state): (usize, &[f64])| {
                    let rngs: Vec<ChainRng> = (0..num_rungs).map(|rung| rng(chain, rung)).collect();
                    let tuning = Tuning::uniform(num_rungs, step_size);
                    let rungs = Ladder::even(num_rungs);
                    let states = state.repeat(num_rungs);
                    let mut replicas = Replicas::new(annealed, rungs, &states, tuning, rngs);
                    let warmup = begin(annealed, &mut replicas.chains, &mut replicas.tuning);
                    (replicas, warmup)
                };
                Movers::Parallel(chains.zip(states.chunks_exact(dim)).map(of_chain).collect())
            }
            TransitionSpec::SimulatedTempering(ladder) => {
                let annealed = course.annealed();
                let betas = Ladder::even(ladder.num_rungs).betas().to_vec();
                let weights = vec![0.0; ladder.num_rungs];
                let of_chain = |(chain, state): (usize, &[f64])| {
                    let simulated = SimulatedTempering::new(
                        annealed,
                        betas.clone(),
                        &weights,
                        state,
                        Tuning::uniform(1, step_size),
                        course.plan.num_warmup,
                        vec![rng(chain, 0)],
                    );
                    let mut energy = [0.0];
                    course.target.energy(Batch::new(dim, state), &mut energy);
                    (simulated, state.to_vec(), energy[0])
                };
                Movers::Simulated(chains.zip(states.chunks_exact(dim)).map(of_chain).collect())
            }
            _ => {
                let rngs = chains.map(|chain| rng(chain, 0)).collect();
                let mut chains = Chains::new(course.target, states, rngs);
                let mut tuning = Tuning::uniform(width, step_size);
                let warmup = begin(course.target, &mut chains, &mut tuning);
                Movers::Plain(Box::new(Plain {
                    chains,
                    tuning,
                    warmup,
                    begins: Vec::new(),
                    info: Vec::new(),
                }))
            }
        };
        Self { movers, counts: vec![Counts::default(); width] }
    }

    /// Whether the lengths are those of a group that is known to be sound, of
    /// states of `dim` entries.
    pub fn is_like(&self, sound: &Self, dim: usize) -> bool {
        let width = sound.counts.len();
        let are_sound = match (&self.movers, &sound.movers) {
            (Movers::Plain(plain), Movers::Plain(sound)) => {
                plain.chains.is_sound(dim, width)
                    && plain.tuning.is_sound(dim, width)
                    && plain.warmup.is_sound(sound.warmup.settings(), dim, width)
            }
            (Movers::Parallel(ensembles), Movers::Parallel(sound)) => {
                let is_sound = |((replicas, warmup), (like, fresh)): (&Ensemble, &Ensemble)| {
                    let num_rungs = like.ladder.betas().len();
                    replicas.is_sound(dim, num_rungs)
                        && warmup.is_sound(fresh.settings(), dim, num_rungs)
                };
                ensembles.len() == width && ensembles.iter().zip(sound).all(is_sound)
            }
            (Movers::Simulated(chains), Movers::Simulated(sound)) => {
                chains.len() == width
                    && chains.iter().zip(sound).all(|((chain, state, _), (like, ..))| {
                        chain.is_sound(dim, 1, like.betas().len()) && state.len() == dim
                    })
            }
            _ => false,
        };
        are_sound && self.counts.len() == width
    }

    /// The step size of each chain, at the target if there is a ladder.
    pub fn step_sizes(&self) -> Vec<f64> {
        match &self.movers {
            Movers::Plain(plain) => plain.tuning.step_size.clone(),
            Movers::Parallel(ensembles) => {
                let of_target = |(replicas, _): &(Replicas, _)| {
                    replicas.tuning.step_size[replicas.target_rung()]
                };
                ensembles.iter().map(of_target).collect()
            }
            Movers::Simulated(chains) => {
                chains.iter().map(|(chain, ..)| chain.target_step_size()).collect()
            }
        }
    }

    /// Round trips of each chain's replicas up and down the ladder; none
    /// without parallel tempering.
    pub fn round_trips(&self) -> Vec<f64> {
        match &self.movers {
            Movers::Parallel(ensembles) => {
                ensembles.iter().map(|(all, _)| all.ladder.num_round_trips() as f64).collect()
            }
            _ => Vec::new(),
        }
    }

    /// β of the first chain's rungs, as warm-up left them.
    pub fn ladder(&self) -> Vec<f64> {
        match &self.movers {
            Movers::Plain(_) => Vec::new(),
            Movers::Parallel(ensembles) => {
                ensembles.first().map_or(Vec::new(), |(all, _)| all.ladder.betas().to_vec())
            }
            Movers::Simulated(chains) => {
                chains.first().map_or(Vec::new(), |(chain, ..)| chain.betas().to_vec())
            }
        }
    }

    /// Step number `step` of all chains; adds the draw, if it is one.
    pub fn step(&mut self, course: &Course<'_>, step: u64, records: bool, moved: &mut Moved) {
        let is_warmup = step < course.plan.num_warmup;
        let is_draw = course.plan.is_draw(step);
        match &mut self.movers {
            Movers::Plain(plain) => {
                let Plain { chains, tuning, warmup, begins, info } = &mut **plain;
                let width = chains.width();
                if records && !is_warmup {
                    chains.path = Some(Path::default());
                }
                begins.clone_from(&chains.position);
                info.clear();
                info.resize(width, StepInfo::default());
                course.transition.step(course.target, tuning, chains, info);
                for (chain, (info, counts)) in info.iter().zip(&mut self.counts).enumerate() {
                    let begin = begins.iter().skip(chain).step_by(width);
                    counts.add(info, is_warmup, begin);
                    moved.num_gradients += info.num_gradients as u64;
                }
                if let Some(path) = chains.path.take() {
                    moved.add_path(&info[0], path, course.plan.dim);
                }
                warmup.after_step(course.target, course.transition, chains, info, tuning);
                if is_draw {
                    (0..width).for_each(|chain| moved.add_draw(chains, chain));
                }
            }
            Movers::Parallel(ensembles) => {
                let path = course.annealed();
                let exact = course.reference.map(|reference| reference as &dyn Reference);
                for ((replicas, warmup), counts) in ensembles.iter_mut().zip(&mut self.counts) {
                    if is_warmup {
                        let is_last = step + 1 == course.plan.num_warmup;
                        replicas.warm_up(path, exact, course.transition, warmup, is_last);
                    } else {
                        replicas.step(path, exact, course.transition);
                    }
                    let rung = replicas.target_rung();
                    for info in &replicas.info()[..rung] {
                        counts.num_gradients += info.num_gradients as u64;
                    }
                    counts.add(&replicas.info()[rung], is_warmup, [].iter());
                    let all = replicas.info().iter().map(|info| info.num_gradients as u64);
                    moved.num_gradients += all.sum::<u64>();
                    if is_draw {
                        moved.add_draw(&replicas.chains, rung);
                    }
                }
            }
            Movers::Simulated(chains) => {
                let path = course.annealed();
                for ((chain, state, energy), counts) in chains.iter_mut().zip(&mut self.counts) {
                    for _ in 0..MAX_ABSENCE {
                        chain.step(path, course.transition);
                        let info = chain.info()[0];
                        counts.add(&info, is_warmup, [].iter());
                        moved.num_gradients += info.num_gradients as u64;
                        if is_warmup || chain.is_draw(0) {
                            break;
                        }
                    }
                    if chain.is_draw(0) {
                        chain.chains.state(0, state);
                        *energy = chain.chains.energy[0];
                    } else if is_draw {
                        counts.num_absent += 1;
                    }
                    if is_draw {
                        moved.draws.extend_from_slice(state);
                        moved.energies.push(*energy);
                    }
                }
            }
        }
    }
}

impl Counts {
    fn add<'a>(&mut self, info: &StepInfo, is_warmup: bool, begin: impl Iterator<Item = &'a f64>) {
        self.num_gradients += info.num_gradients as u64;
        if is_warmup {
            return;
        }
        self.num_proposals += 1;
        self.acceptance += info.acceptance;
        self.num_flipped += u64::from(info.is_flipped);
        if info.is_divergent {
            self.num_divergent += 1;
            if self.num_divergent <= MAX_DIVERGENCES as u64 {
                self.divergences.extend(begin);
            }
        }
    }
}

impl Moved {
    fn add_draw(&mut self, chains: &Chains, chain: usize) {
        let at = self.draws.len();
        self.draws.resize(at + chains.dim(), 0.0);
        chains.state(chain, &mut self.draws[at..]);
        self.energies.push(chains.energy[chain]);
    }

    fn add_path(&mut self, info: &StepInfo, path: Path, dim: usize) {
        self.paths.lengths.push((path.points.len() / dim) as f64);
        self.paths.points.extend(path.points);
        self.paths.outcomes.push(
            u8::from(info.is_accepted)
                + 2 * u8::from(info.is_flipped)
                + 4 * u8::from(info.is_divergent),
        );
        self.paths.energy_errors.push(info.energy_error);
    }
}
