//! Estimates gradients from bits: of sums over the rows, and by contrastive divergence, persistent
//! or not.

use super::{Estimator, Part, Piece, add_parts};
use crate::bits::{BitBatch, BitMatrix, WeightedRows, are_rows, words_per_row};
use crate::bytes::{to_f64s, to_words};
use crate::energy::{Objective, OuterGradient, Parametric};
#[cfg(feature = "full")]
use crate::fit::job::hidden_sites::{self, HiddenSites};
use crate::fit::job::objective::only_reals;
use crate::fit::job::spec::{FitSpec, ObjectiveSpec};
use crate::fit::{check_binary, contrastive_divergence as contrastive, mpf, pseudolikelihood};
#[cfg(feature = "full")]
use crate::linalg::Batch;
use crate::linalg::axpy;
use crate::models::Model;
use crate::rng::ChainRng;
#[cfg(feature = "full")]
use crate::rng::{Purpose, stream};
use crate::{Error, Result};

const CHECKED: &str = "checked when the estimator was made";

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
    /// The sites that rows do not show.
    #[cfg(feature = "full")]
    hidden: Option<HiddenSites>,
}

/// Checks that the rows are those of the model, or of its sites that are not hidden.
fn check_rows(spec: &FitSpec, model: &dyn Model, data: &BitMatrix) -> Result<()> {
    const NEEDED_BY: &str = "learning by minibatches";
    #[cfg(feature = "full")]
    if spec.num_hidden > 0 {
        return hidden_sites::check(spec, model, data, NEEDED_BY);
    }
    let _ = spec;
    check_binary(model, &WeightedRows::from_data(data.as_batch()), NEEDED_BY)
}

impl BitEstimator {
    /// Checks that the model has the objective and matches the data.
    ///
    /// # Errors
    /// See [`super::create`].
    pub fn new(spec: &FitSpec, data: &BitMatrix) -> Result<Self> {
        let model = spec.model.build()?;
        check_rows(spec, &*model, data)?;
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
            #[cfg(feature = "full")]
            hidden: HiddenSites::of(spec, data.dim(), num_steps),
        })
    }

    fn params(&self) -> &[f64] {
        self.model.as_parametric().map_or(&[], Parametric::params)
    }

    /// `part += weight [objective | gradient]` of a sum over some rows.
    fn add_sum(&self, rows: &BitMatrix, weight: f64, part: &mut Part) {
        let part = &mut part.numbers;
        part.resize(self.num_sums(), 0.0);
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

    /// The model if parts have the factors of its gradients.
    fn outer(&self) -> Option<&dyn OuterGradient> {
        self.model.as_outer_gradient().filter(|_| self.num_steps > 0)
    }

    /// `part += weight Σ_x [E(x) | ∂E(x)]`, the gradients as factors where the model has them: then a
    /// part is `[objective | factors of its rows]` and these rows.
    fn add_energies(&self, rows: &BitMatrix, weight: f64, part: &mut Part) {
        let numbers = &mut part.numbers;
        let Some(model) = self.outer() else {
            numbers.resize(self.num_sums(), 0.0);
            let sums = &mut numbers[..1 + self.params().len()];
            return contrastive::accumulate(&*self.model, rows.as_batch(), weight, sums);
        };
        let start = numbers.len().max(1);
        numbers.resize(start + rows.num_rows() * model.num_factors(), 0.0);
        let (value, factors) = numbers.split_at_mut(start);
        value[0] += weight * model.write_factors(rows.as_batch(), weight, factors);
        part.rows.extend_from_slice(rows.words());
    }

    /// The rows of the data with these indices. Hidden sites are drawn given the others.
    fn rows(&self, piece: &Piece<'_>) -> BitMatrix {
        let mut rows = BitMatrix::zeros(self.model.dim(), piece.rows.len());
        for (row, index) in rows.rows_mut().zip(piece.rows) {
            let shown = self.data.row(*index);
            row[..shown.len()].copy_from_slice(shown);
        }
        #[cfg(feature = "full")]
        if let Some(hidden) = self.hidden.filter(|hidden| !hidden.is_mean_field()) {
            let flips = self.model.as_site_flips().expect(CHECKED);
            for (row, index) in rows.rows_mut().zip(piece.rows) {
                hidden.draw(flips, row, &mut self.hidden_stream(piece, *index));
            }
        }
        rows
    }

    /// The random stream of a row's hidden sites in an update.
    #[cfg(feature = "full")]
    fn hidden_stream(&self, piece: &Piece<'_>, row: usize) -> ChainRng {
        stream(self.seed, Purpose::HiddenSites, piece.update << 32 | row as u64)
    }

    /// `part += weight Σ_x [E(x) | ∂E(x)]` over the rows of the data. Where means stand in for their hidden
    /// sites, these are drawn afterwards, independently: chains may start there.
    fn add_data(&self, rows: &mut BitMatrix, piece: &Piece<'_>, part: &mut Part) {
        let weight = 1.0 / piece.batch_size as f64;
        #[cfg(feature = "full")]
        if let Some(hidden) = self.hidden.filter(|hidden| hidden.is_mean_field()) {
            let model = self.model.as_ising().expect(CHECKED);
            let dim = self.model.dim();
            let mut states = rows.as_batch().to_values();
            states.chunks_exact_mut(dim).for_each(|state| hidden.set_means(model, state));
            part.numbers.resize(self.num_sums(), 0.0);
            let sums = &mut part.numbers[..1 + self.params().len()];
            contrastive::accumulate_states(&*self.model, Batch::new(dim, &states), weight, sums);
            for ((row, state), index) in
                rows.rows_mut().zip(states.chunks_exact(dim)).zip(piece.rows)
            {
                hidden.draw_by_means(state, row, &mut self.hidden_stream(piece, *index));
            }
            return;
        }
        self.add_energies(rows, weight, part);
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
        #[cfg(not(feature = "full"))]
        let for_hidden = 0;
        #[cfg(feature = "full")]
        let for_hidden = self.hidden.map_or(0, |hidden| {
            let num_sites = (self.model.dim() - self.data.dim()) as u64;
            hidden.num_sweeps() as u64 * 25 * num_sites
        });
        self.num_steps as u64 * (25 * num_units + num_params) + 8 * num_params + for_hidden
    }

    fn num_chains(&self) -> usize {
        self.num_chains
    }

    fn words_per_chain(&self) -> usize {
        words_per_row(self.model.dim())
    }

    /// Chain c starts at row c of the data, modulo the number of rows; hidden sites at fair coin tosses.
    fn first_chains(&self) -> Vec<u64> {
        let row_of = |chain: usize| self.data.row(chain % self.data.num_rows()).to_vec();
        #[cfg(feature = "full")]
        if let Some(hidden) = self.hidden {
            let dim = self.model.dim();
            let chains = (0..self.num_chains).flat_map(|chain| {
                let mut row = row_of(chain);
                row.resize(words_per_row(dim), 0);
                let mut rng = stream(self.seed, Purpose::HiddenStart, chain as u64);
                hidden.toss(&mut row, dim, &mut rng);
                row
            });
            return chains.collect();
        }
        (0..self.num_chains).flat_map(row_of).collect()
    }

    fn are_chains(&self, words: &[u64]) -> bool {
        let dim = self.model.dim();
        words.len() == self.num_chains * words_per_row(dim) && are_rows(dim, words)
    }

    fn accumulate(&self, piece: &Piece<'_>, part: &mut Part) -> Vec<u64> {
        let weight = 1.0 / piece.batch_size as f64;
        let dim = self.model.dim();
        let mut rows = self.rows(piece);
        let stream = |index| contrastive::chain_stream(self.seed, piece.update, index);
        match self.objective {
            ObjectiveSpec::ContrastiveDivergence { .. } => {
                self.add_data(&mut rows, piece, part);
                self.run(&mut rows, |at| stream(piece.rows[at]));
                self.add_energies(&rows, -weight, part);
                Vec::new()
            }
            ObjectiveSpec::PersistentContrastiveDivergence { .. } => {
                self.add_data(&mut rows, piece, part);
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

    fn add_parts(&self, parts: &[&[u8]], sums: &mut [f64]) {
        let Some(model) = self.outer() else { return add_parts(parts, sums) };
        let dim = self.model.dim();
        let (num_factors, width) = (model.num_factors(), words_per_row(dim));
        let read = |part: &&[u8]| {
            let num_rows = (part.len() / 8 - 1) / (num_factors + width);
            let (numbers, rows) = part.split_at(8 * (1 + num_rows * num_factors));
            let numbers = to_f64s(numbers).expect("whole numbers");
            (numbers, to_words(rows).collect::<Vec<_>>())
        };
        let parts: Vec<_> = parts.iter().map(read).collect();
        let groups: Vec<_> =
            parts.iter().map(|(numbers, rows)| (BitBatch::new(dim, rows), &numbers[1..])).collect();
        let (value, rest) = sums.split_at_mut(1);
        parts.iter().for_each(|(numbers, _)| value[0] += numbers[0]);
        model.add_products(&groups, &mut rest[..self.params().len()]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bits::fill_random;
    use crate::models::ModelSpec;
    use crate::models::rbm::RbmSpec;
    use serde_json::json;

    const DIM: usize = 70;
    const NUM_ROWS: usize = 24;

    fn rows(index: u64, num_rows: usize) -> BitMatrix {
        let mut rng = stream(3, Purpose::Example, index);
        let mut rows = BitMatrix::zeros(DIM, num_rows);
        rows.rows_mut().for_each(|row| fill_random(row, DIM, &mut rng));
        rows
    }

    fn part_of(rows: &BitMatrix, range: std::ops::Range<usize>) -> BitMatrix {
        let mut part = BitMatrix::zeros(DIM, range.len());
        part.rows_mut().zip(range).for_each(|(to, row)| to.copy_from_slice(rows.row(row)));
        part
    }

    /// Parts that have factors, of three shards of two pieces each, against sums of whole gradients.
    #[test]
    fn factors_add_up_as_gradients() {
        let (data, chains) = (rows(0, NUM_ROWS), rows(1, NUM_ROWS));
        let model = RbmSpec::random(DIM, 9, 0.7, 3);
        for kind in ["contrastiveDivergence", "persistentContrastiveDivergence"] {
            let is_persistent = kind == "persistentContrastiveDivergence";
            let mut objective = json!({ "kind": kind, "numSteps": 2 });
            if is_persistent {
                objective["numChains"] = json!(NUM_ROWS);
            }
            let spec = json!({ "model": { "kind": "rbm", "numVisible": DIM, "numHidden": 9 },
                "objective": objective, "optimizer": { "kind": "sgd" }, "seed": 3 });
            let mut spec: FitSpec = serde_json::from_value(spec).unwrap();
            spec.model = ModelSpec::Rbm(model.clone());
            let estimator = BitEstimator::new(&spec, &data).unwrap();
            let weight = 1.0 / NUM_ROWS as f64;
            let (mut parts, mut expected) = (Vec::new(), vec![0.0; estimator.num_sums()]);
            for shard in 0..3 {
                let (mut part, mut whole) = (Part::default(), vec![0.0; estimator.num_sums()]);
                for piece in [2 * shard, 2 * shard + 1] {
                    let range = 4 * piece..4 * piece + 4;
                    let indices: Vec<_> = range.clone().collect();
                    let (own, before) =
                        (part_of(&data, range.clone()), part_of(&chains, range.clone()));
                    let moved = estimator.accumulate(
                        &Piece {
                            update: 5,
                            rows: &indices,
                            batch_size: NUM_ROWS,
                            chains: range.clone(),
                            words: before.words(),
                            is_first: piece == 0,
                        },
                        &mut part,
                    );
                    let mut after = if is_persistent { before } else { own.clone() };
                    estimator
                        .run(&mut after, |at| contrastive::chain_stream(3, 5, range.start + at));
                    assert_eq!(moved, if is_persistent { after.words() } else { &[] });
                    let sums = whole.len() - 1;
                    for (rows, weight) in [(own, weight), (after, -weight)] {
                        let rows = rows.as_batch();
                        contrastive::accumulate(
                            &*estimator.model,
                            rows,
                            weight,
                            &mut whole[..sums],
                        );
                    }
                }
                parts.push(part.to_bytes());
                axpy(1.0, &whole, &mut expected);
            }
            let mut sums = vec![0.0; estimator.num_sums()];
            let parts: Vec<_> = parts.iter().map(Vec::as_slice).collect();
            estimator.add_parts(&parts, &mut sums);
            assert_eq!(sums, expected, "{kind}");
        }
    }
}
