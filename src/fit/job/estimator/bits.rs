//! Estimates gradients from bits: of sums over the rows, and by contrastive divergence, persistent
//! or not.

use super::{Estimator, Piece};
use crate::bits::{BitMatrix, WeightedRows, are_rows, words_per_row};
use crate::energy::Objective;
use crate::energy::Parametric;
use crate::fit::job::objective::only_reals;
use crate::fit::job::spec::{FitSpec, ObjectiveSpec};
use crate::fit::{check_binary, contrastive_divergence as contrastive, mpf, pseudolikelihood};
use crate::linalg::axpy;
use crate::models::Model;
use crate::rng::ChainRng;
use crate::{Error, Result};

/// Maximum size of the persistent chains, 128 MiB.
const MAX_CHAIN_BYTES: usize = 1 << 27;

/// Estimates gradients from bits.
pub struct BitEstimator {
    model: Box<dyn Model>,
    data: BitMatrix,
    objective: ObjectiveSpec,
    seed: u64,
    num_steps: usize,
    num_chains: usize,
}

impl BitEstimator {
    /// Checks that the model has the objective and matches the data.
    ///
    /// # Errors
    /// See [`super::create`].
    pub fn new(spec: &FitSpec, data: &BitMatrix) -> Result<Self> {
        let model = spec.model.build()?;
        check_binary(
            &*model,
            &WeightedRows::from_data(data.as_batch()),
            "learning by minibatches",
        )?;
        let (num_steps, num_chains) = match &spec.objective {
            ObjectiveSpec::ContrastiveDivergence { num_steps, .. } => (*num_steps, 0),
            ObjectiveSpec::PersistentContrastiveDivergence { num_chains, num_steps, .. } => {
                (*num_steps, num_chains.unwrap_or(0))
            }
            ObjectiveSpec::Mpf { connectivity: Some(connectivity), .. } => {
                // A spec that does not match is refused now rather than during the fit.
                let first = WeightedRows::from_data(data.as_batch().slice(0..1));
                mpf::objective(&*model, &first, connectivity, false, 0)?;
                (0, 0)
            }
            ObjectiveSpec::Pseudolikelihood {} => (0, 0),
            other => return Err(only_reals(other)),
        };
        if num_steps > 0 {
            contrastive::check(&*model)?;
        }
        let dim = model.dim();
        if num_chains * words_per_row(dim) * 8 > MAX_CHAIN_BYTES {
            return Err(Error::TooLarge {
                field: "objective.numChains".into(),
                problem: format!(
                    "is {num_chains}, and chains of {dim} bits would take more than {} MiB; use fewer",
                    MAX_CHAIN_BYTES >> 20
                ),
            });
        }
        Ok(Self {
            model,
            data: data.clone(),
            objective: spec.objective.clone(),
            seed: spec.seed.unwrap_or(0),
            num_steps,
            num_chains,
        })
    }

    fn params(&self) -> &[f64] {
        self.model.as_parametric().map_or(&[], Parametric::params)
    }

    /// `part += weight [objective | gradient]` of a sum over some rows.
    fn add_sum(&self, rows: &BitMatrix, weight: f64, part: &mut Vec<f64>) {
        part.resize(self.part_len(), 0.0);
        if rows.num_rows() == 0 {
            return;
        }
        let data = WeightedRows::from_data(rows.as_batch());
        let objective: Box<dyn Objective> = match &self.objective {
            ObjectiveSpec::Mpf { connectivity: Some(connectivity), .. } => {
                mpf::objective(&*self.model, &data, connectivity, false, self.seed)
            }
            _ => pseudolikelihood::objective(&*self.model, &data),
        }
        .expect("checked when the estimator was made");
        // The objective is built from the model at its present parameters, which need not be set
        // again. It is a mean over these rows.
        let mut grad = vec![0.0; self.params().len()];
        let value = objective.evaluate_here(&mut grad);
        let factor = weight * rows.num_rows() as f64;
        part[0] += factor * value;
        axpy(factor, &grad, &mut part[1..1 + grad.len()]);
    }

    /// `part += weight Σ_x [E(x) | ∂E(x)]`.
    fn add_energies(&self, rows: &BitMatrix, weight: f64, part: &mut Vec<f64>) {
        part.resize(self.part_len(), 0.0);
        let sums = 1 + self.params().len();
        contrastive::accumulate(&*self.model, rows.as_batch(), weight, &mut part[..sums]);
    }

    fn run(&self, chains: &mut BitMatrix, rng: impl Fn(usize) -> ChainRng) {
        contrastive::run_chains(&*self.model, chains, self.num_steps, rng);
    }
}

impl Estimator for BitEstimator {
    fn model(&self) -> &dyn Model {
        &*self.model
    }

    fn model_mut(&mut self) -> &mut dyn Model {
        &mut *self.model
    }

    fn num_rows(&self) -> usize {
        self.data.num_rows()
    }

    /// A sweep takes a random number per unit and an addition per parameter; energies and gradients
    /// of row and chain take some more.
    fn row_cost(&self) -> u64 {
        let num_params = self.params().len() as u64;
        let num_hidden = self.model.as_hidden_units().map_or(0, |model| model.num_hidden());
        let num_units = (self.model.dim() + num_hidden) as u64;
        self.num_steps as u64 * (25 * num_units + num_params) + 8 * num_params
    }

    fn num_chains(&self) -> usize {
        self.num_chains
    }

    fn words_per_chain(&self) -> usize {
        words_per_row(self.model.dim())
    }

    /// Chain c starts at row c of the data, modulo the number of rows.
    fn first_chains(&self) -> Vec<u64> {
        let rows = (0..self.num_chains).map(|chain| chain % self.data.num_rows());
        rows.flat_map(|row| self.data.row(row).to_vec()).collect()
    }

    fn are_chains(&self, words: &[u64]) -> bool {
        let dim = self.model.dim();
        words.len() == self.num_chains * words_per_row(dim) && are_rows(dim, words)
    }

    fn accumulate(&self, piece: &Piece<'_>, part: &mut Vec<f64>) -> Vec<u64> {
        let weight = 1.0 / piece.batch_size as f64;
        let dim = self.data.dim();
        let mut rows = BitMatrix::zeros(dim, piece.rows.len());
        for (row, index) in rows.rows_mut().zip(piece.rows) {
            row.copy_from_slice(self.data.row(*index));
        }
        let stream = |index| contrastive::chain_stream(self.seed, piece.update, index);
        match self.objective {
            ObjectiveSpec::ContrastiveDivergence { .. } => {
                self.add_energies(&rows, weight, part);
                self.run(&mut rows, |at| stream(piece.rows[at]));
                self.add_energies(&rows, -weight, part);
                Vec::new()
            }
            ObjectiveSpec::PersistentContrastiveDivergence { .. } => {
                self.add_energies(&rows, weight, part);
                let width = words_per_row(dim);
                let mut chains = BitMatrix::zeros(dim, piece.chains.len());
                for (chain, words) in chains.rows_mut().zip(piece.words.chunks_exact(width)) {
                    chain.copy_from_slice(words);
                }
                self.run(&mut chains, |at| stream(piece.chains.start + at));
                self.add_energies(&chains, -1.0 / self.num_chains as f64, part);
                chains.as_batch().rows().flatten().copied().collect()
            }
            _ => {
                self.add_sum(&rows, weight, part);
                Vec::new()
            }
        }
    }
}
