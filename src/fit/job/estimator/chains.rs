//! Contrastive divergence on ℝᴰ, persistent or not: chains move by the transitions of
//! sampling there ([`crate::fit::real_chains`]).

use super::{Estimator, Part, Piece};
use crate::energy::Differentiable;
use crate::fit::contrastive_divergence::{accumulate_states, chain_stream};
use crate::fit::job::alternating::check_bytes;
use crate::fit::job::objective::refuse_generative;
use crate::fit::job::spec::{FitSpec, ObjectiveSpec};
use crate::fit::real_chains::{Moves, Noise, Run, default_transition};
use crate::fit::step_size::StepSize;
use crate::linalg::Batch;
use crate::models::Model;
use crate::rng::ChainRng;
use crate::sample::spec::TransitionSpec;
use crate::sample::target::Target;
use crate::{Error, Result};

/// Estimates gradients from rows and chains.
pub struct ChainEstimator {
    model: Box<dyn Model>,
    /// The rows, one after another.
    data: Vec<f64>,
    seed: u64,
    /// Persistent chains; 0 if chains start from rows.
    num_chains: usize,
    num_steps: usize,
    /// How chains move.
    transition: TransitionSpec,
    moves: Moves,
    step_size: StepSize,
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
        check_bytes("objective.numChains", num_chains, model.dim())?;
        let given = spec.objective.transition().cloned();
        let transition = given.unwrap_or_else(|| default_transition(&*model));
        let (moves, step_size) = Moves::new(&transition, num_steps, model.dim())?;
        transition.target_of(&*model).map_err(|error| match error {
            Error::MissingCapability { capability, .. } => missing(capability),
            other => other,
        })?;
        let moves = moves.with_restarts(restart_probability, Noise::like(rows));
        Ok(Self {
            model,
            data: rows.data().to_vec(),
            seed: spec.seed.unwrap_or(0),
            num_chains,
            num_steps,
            transition,
            moves,
            step_size,
        })
    }

    fn target(&self) -> &dyn Differentiable {
        let target = self.transition.target_of(&*self.model);
        target.expect("checked when the estimator was made")
    }

    /// `part += weight Σ [−E | −∂E | acceptance]` over chains after they have moved from these
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
        accumulate_states(&*self.model, Batch::new(self.model.dim(), &moved), -weight, sums);
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
        accumulate_states(&*self.model, Batch::new(dim, &rows), weight, &mut part[..sums]);
        let stream = |index| chain_stream(self.seed, piece.update, index);
        if self.num_chains == 0 {
            self.move_and_add(rows, weight, &|chain| stream(piece.rows[chain]), part);
            return Vec::new();
        }
        let states = piece.words.iter().map(|word| f64::from_bits(*word)).collect();
        let rng = |chain| stream(piece.chains.start + chain);
        let moved = self.move_and_add(states, 1.0 / self.num_chains as f64, &rng, part);
        moved.into_iter().map(f64::to_bits).collect()
    }
}
