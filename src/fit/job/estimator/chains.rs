//! Contrastive divergence on ℝᴰ, persistent or not: chains move by the transitions of
//! sampling there ([`crate::fit::real_chains`]).

use super::{Estimator, Part, Piece};
use crate::energy::Differentiable;
use crate::fit::contrastive_divergence::{accumulate_states, chain_stream};
use crate::fit::job::alternating::check_bytes;
use crate::fit::job::objective::refuse_generative;
#[cfg(feature = "full")]
use crate::fit::job::spec::RestartNoise;
use crate::fit::job::spec::{FitSpec, ObjectiveSpec};
use crate::fit::real_chains::{Moves, Noise, Run, default_transition};
use crate::fit::step_size::StepSize;
use crate::linalg::Batch;
use crate::models::Model;
use crate::rng::ChainRng;
use crate::sample::spec::TransitionSpec;
use crate::sample::target::Target;
use crate::{Error, Result};

const CHECKED: &str = "checked when the estimator was made";

/// Estimates gradients from rows and chains.
pub struct ChainEstimator {
    model: Box<dyn Model>,
    /// The rows, one after another.
    data: Vec<f64>,
    seed: u64,
    /// Persistent chains; 0 if chains start from rows.
    num_chains: usize,
    /// Chains take this many turns: chain c moves in updates u with u ≡ c modulo that.
    num_turns: usize,
    /// α of the penalty on energies.
    energy_penalty: f64,
    num_steps: usize,
    /// How chains move.
    transition: TransitionSpec,
    moves: Moves,
    step_size: StepSize,
}

/// How many turns chains take, the penalty on energies, and the noise that chains restart from.
fn buffer(objective: &ObjectiveSpec, num_chains: usize, rows: Batch<'_>) -> (usize, f64, Noise) {
    #[cfg(feature = "full")]
    if let ObjectiveSpec::PersistentContrastiveDivergence {
        restart_noise,
        num_moved,
        energy_penalty,
        ..
    } = *objective
    {
        let noise = match restart_noise {
            RestartNoise::Normal => Noise::like(rows),
            RestartNoise::Uniform => Noise::uniform_like(rows),
        };
        return (num_moved.map_or(1, |num_moved| num_chains / num_moved), energy_penalty, noise);
    }
    let _ = (objective, num_chains);
    (1, 0.0, Noise::like(rows))
}

impl ChainEstimator {
    /// Checks that contrastive divergence can fit the model.
    ///
    /// # Errors
    /// See [`super::create`].
    pub fn new(spec: &FitSpec, rows: Batch<'_>) -> Result<Self> {
        let model = spec.model.build()?;
        refuse_generative(spec, &*model)?;
        let missing =
            |capability| Error::missing(model.kind(), capability, "contrastive divergence");
        model.as_parametric().ok_or_else(|| missing("Parametric"))?;
        let (num_chains, num_steps, restart_probability) = match spec.objective {
            ObjectiveSpec::PersistentContrastiveDivergence {
                num_chains,
                num_steps,
                restart_probability,
                ..
            } => (num_chains.unwrap_or(0), num_steps, restart_probability),
            ObjectiveSpec::ContrastiveDivergence { num_steps, .. } => (0, num_steps, 0.0),
            _ => unreachable!("{} has no chains", spec.objective.kind()),
        };
        let (num_turns, energy_penalty, noise) = buffer(&spec.objective, num_chains, rows);
        check_bytes("objective.numChains", num_chains, model.dim())?;
        let given = spec.objective.transition().cloned();
        let transition = given.unwrap_or_else(|| default_transition(&*model));
        let (moves, step_size) = Moves::new(&transition, num_steps, model.dim())?;
        transition.target_of(&*model).map_err(|error| match error {
            Error::MissingCapability { capability, .. } => missing(capability),
            other => other,
        })?;
        let moves = moves.with_restarts(restart_probability, noise);
        Ok(Self {
            model,
            data: rows.data().to_vec(),
            seed: spec.seed.unwrap_or(0),
            num_chains,
            num_turns,
            energy_penalty,
            num_steps,
            transition,
            moves,
            step_size,
        })
    }

    fn target(&self) -> &dyn Differentiable {
        let target = self.transition.target_of(&*self.model);
        target.expect(CHECKED)
    }

    /// `part += weight Σ_x [E(x) | ∂(E(x) + α |weight| / weight E(x)²)]`: the contribution of rows, or
    /// with a negative weight of chains, to the contrast and to the gradient with its penalty.
    fn add_energies(&self, states: &[f64], weight: f64, part: &mut [f64]) {
        let x = Batch::new(self.model.dim(), states);
        if self.energy_penalty == 0.0 {
            return accumulate_states(&*self.model, x, weight, part);
        }
        let (value, grad) = part.split_at_mut(1);
        let slope = 2.0 * self.energy_penalty * weight.abs();
        let mut sum = 0.0;
        let mut weigh = |_, energies: &mut [f64]| {
            for energy in energies {
                sum += *energy;
                *energy = weight + slope * *energy;
            }
        };
        let parametric = self.model.as_parametric().expect(CHECKED);
        parametric.accumulate_weighted_by(x, &mut weigh, grad);
        value[0] += weight * sum;
    }

    /// `part += weight Σ [−E | −∂E | acceptance]`, with the penalty's gradient, over chains after they have moved from these
    /// states. Returns the moved states.
    fn move_and_add(
        &self,
        states: Vec<f64>,
        weight: f64,
        rng: &dyn Fn(usize) -> ChainRng,
        part: &mut [f64],
    ) -> Vec<f64> {
        let (sums, acceptances) = part.split_at_mut(part.len() - 1);
        let (moved, acceptance) = Run::new(states).all(
            &self.moves,
            Target::Model(self.target()),
            None,
            &self.step_size,
            rng,
        );
        acceptances[0] += weight * acceptance / self.num_steps as f64;
        self.add_energies(&moved, -weight, sums);
        moved
    }
}

impl Estimator for ChainEstimator {
    fn model(&self) -> &dyn Model {
        &*self.model
    }

    fn model_mut(&mut self) -> &mut dyn Model {
        &mut *self.model
    }

    fn num_rows(&self) -> usize {
        self.data.len() / self.model.dim()
    }

    /// The cost of a chain's steps, and of energies and gradients of it and of a row.
    fn row_cost(&self) -> u64 {
        let num_params = self.model.as_parametric().map_or(0, |model| model.params().len()) as u64;
        let energies = 2 * self.target().gradient_cost() as u64;
        self.moves.chain_cost(self.target()).saturating_add(energies + 4 * num_params)
    }

    fn num_chains(&self) -> usize {
        self.num_chains
    }

    fn words_per_chain(&self) -> usize {
        self.model.dim()
    }

    /// Chain c starts at row c of the data, modulo the number of rows.
    fn first_chains(&self) -> Vec<u64> {
        let numbers = self.data.iter().map(|x| x.to_bits()).cycle();
        numbers.take(self.num_chains * self.model.dim()).collect()
    }

    fn are_chains(&self, words: &[u64]) -> bool {
        words.len() == self.num_chains * self.model.dim()
            && words.iter().all(|word| f64::from_bits(*word).is_finite())
    }

    fn step_size(&self) -> StepSize {
        self.step_size
    }

    fn set_step_size(&mut self, step_size: StepSize) {
        self.step_size = step_size;
    }

    fn accumulate(&self, piece: &Piece<'_>, part: &mut Part) -> Vec<u64> {
        let part = &mut part.numbers;
        part.resize(self.num_sums(), 0.0);
        let dim = self.model.dim();
        let weight = 1.0 / piece.batch_size as f64;
        let rows: Vec<f64> =
            piece.rows.iter().flat_map(|row| &self.data[row * dim..][..dim]).copied().collect();
        let sums = part.len() - 1;
        self.add_energies(&rows, weight, &mut part[..sums]);
        let stream = |index| chain_stream(self.seed, piece.update, index);
        if self.num_chains == 0 {
            self.move_and_add(rows, weight, &|chain| stream(piece.rows[chain]), part);
            return Vec::new();
        }
        let mut states: Vec<f64> = piece.words.iter().map(|word| f64::from_bits(*word)).collect();
        let turn = (piece.update % self.num_turns as u64) as usize;
        let is_moving = |chain: &usize| chain % self.num_turns == turn;
        let moving: Vec<usize> = piece.chains.clone().filter(is_moving).collect();
        let place = |chain: usize| (chain - piece.chains.start) * dim;
        let chosen = moving.iter().flat_map(|chain| &states[place(*chain)..][..dim]);
        let weight = self.num_turns as f64 / self.num_chains as f64;
        let rng = |index: usize| stream(moving[index]);
        let moved = self.move_and_add(chosen.copied().collect(), weight, &rng, part);
        for (chain, state) in moving.iter().zip(moved.chunks_exact(dim)) {
            states[place(*chain)..][..dim].copy_from_slice(state);
        }
        states.into_iter().map(f64::to_bits).collect()
    }
}
