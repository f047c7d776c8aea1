//! The rows whose likelihood is asked for.

use super::{Target, is_binary};
use crate::bits::{BitMatrix, WeightedRows};
use crate::bytes::from_f64s;
use crate::checks::check_numbers;
use crate::energy::Generative;
use crate::energy::shards;
use crate::linalg::Batch;
use crate::models::Model;
use crate::normalize::log_z::spec::LogZSpec;
use crate::rng::{Purpose, stream};
use crate::run::SimulateSpec;
use crate::{Error, Result};

/// Number of states whose energies a shard sums.
const ROWS_PER_SHARD: usize = 4096;

/// Maximum number of values of simulated rows.
const MAX_NUMBERS: usize = 1 << 22;

/// Rows whose likelihood is asked for.
pub(super) enum Rows {
    None,
    Bits(WeightedRows),
    Values(Vec<f64>),
    /// Rows of a generative model: each is a target.
    Observed {
        states: Vec<f64>,
        /// What simulated rows were made of, one after another; empty for given rows.
        latent: Vec<f64>,
    },
}

impl Rows {
    /// Checks that rows match the model.
    ///
    /// # Errors
    /// [`Error::InvalidSpec`] if dimensions or kinds differ.
    pub(super) fn new(
        model: &dyn Model,
        spec: &LogZSpec,
        data: Option<&BitMatrix>,
    ) -> Result<Self> {
        if let Some(simulate) = &spec.simulate {
            return Self::simulated(model, simulate, spec.seed.unwrap_or(0));
        }
        Ok(match (data, &spec.states) {
            (None, None) => Self::None,
            (Some(data), _) => {
                if !is_binary(model) {
                    let problem =
                        "are rows of zeros and ones, and the model is one on ℝᴰ; give `states`";
                    return Err(Error::spec("data", problem));
                }
                let rows = WeightedRows::from_data(data.as_batch());
                crate::data::check_dim(model, &rows)?;
                if let Some(sites) = model.as_sites() {
                    sites.check_rows(data)?;
                }
                Self::Bits(rows)
            }
            (None, Some(states)) => {
                if is_binary(model) {
                    let problem = "are states on ℝᴰ, and the model is binary; give rows of zeros and ones as `data`";
                    return Err(Error::spec("states", problem));
                }
                let observed = model.as_generative().map(Generative::num_observed);
                check_states(states, observed.unwrap_or(model.dim()))?;
                match observed {
                    Some(_) => Self::Observed { states: states.clone(), latent: Vec::new() },
                    None => Self::Values(states.clone()),
                }
            }
        })
    }

    /// Rows drawn from a generative model.
    fn simulated(model: &dyn Model, simulate: &SimulateSpec, seed: u64) -> Result<Self> {
        let Some(generative) = model.as_generative() else {
            return Err(Error::missing(
                model.kind(),
                "draws of its latent variables",
                "simulated rows (take a generative model, or give rows)",
            ));
        };
        let (width, dim, num_rows) = (generative.num_observed(), model.dim(), simulate.num_rows);
        if num_rows.saturating_mul(width.max(dim)) > MAX_NUMBERS {
            return Err(Error::TooLarge {
                field: "simulate.numRows".into(),
                problem: format!(
                    "is {num_rows}; at most {} rows of this model are drawn",
                    MAX_NUMBERS / width.max(dim)
                ),
            });
        }
        let (mut states, mut latent) = (vec![0.0; num_rows * width], vec![0.0; num_rows * dim]);
        let rows = states.chunks_exact_mut(width).zip(latent.chunks_exact_mut(dim));
        for (index, (observed, state)) in rows.enumerate() {
            let seed = simulate.seed.unwrap_or(seed);
            let rng = &mut stream(seed, Purpose::SimulatedTable, index as u64);
            generative.simulate(rng, observed, state);
        }
        Ok(Self::Observed { states, latent })
    }
}

impl Target {
    /// Whether each row is a distribution to normalize.
    pub fn is_generative(&self) -> bool {
        matches!(self.rows, Rows::Observed { .. })
    }

    /// Number of shards of the rows; 0 if there are none.
    pub fn num_row_shards(&self) -> usize {
        match &self.rows {
            Rows::None | Rows::Observed { .. } => 0,
            Rows::Bits(rows) => shards::num_shards(rows.num_distinct()),
            Rows::Values(states) => (states.len() / self.model.dim()).div_ceil(ROWS_PER_SHARD),
        }
    }

    /// `[Σ w E, Σ w E²]` over the rows of a shard, as bytes.
    pub fn row_part(&self, shard: usize) -> Vec<u8> {
        let dim = self.model.dim();
        let (states, weights) = match &self.rows {
            Rows::None | Rows::Observed { .. } => return from_f64s(&[0.0, 0.0]),
            Rows::Bits(rows) => {
                let range = shards::rows(rows.num_distinct(), shard);
                let weights = rows.weights()[range.clone()].to_vec();
                (rows.rows().slice(range).to_values(), weights)
            }
            Rows::Values(states) => {
                let chunk = states.chunks(ROWS_PER_SHARD * dim).nth(shard).unwrap_or(&[]);
                (chunk.to_vec(), vec![1.0; chunk.len() / dim])
            }
        };
        let mut energies = vec![0.0; weights.len()];
        self.model.energy(Batch::new(dim, &states), &mut energies);
        let mut sums = [0.0; 2];
        for (energy, weight) in energies.iter().zip(&weights) {
            sums[0] += weight * energy;
            sums[1] += weight * energy * energy;
        }
        from_f64s(&sums)
    }

    /// The rows that were drawn, if they were.
    pub fn simulated(&self) -> Option<&[f64]> {
        match &self.rows {
            Rows::Observed { states, latent } if !latent.is_empty() => Some(states),
            _ => None,
        }
    }

    /// What a simulated row was made of.
    pub fn latent(&self, target: usize) -> &[f64] {
        let Rows::Observed { latent, .. } = &self.rows else { panic!("no row is simulated") };
        latent.chunks_exact(self.model.dim()).nth(target).expect("a row")
    }

    /// Total weight of the rows.
    pub fn num_rows(&self) -> f64 {
        match &self.rows {
            Rows::None => 0.0,
            Rows::Bits(rows) => rows.total(),
            Rows::Values(states) => (states.len() / self.model.dim()) as f64,
            Rows::Observed { .. } => self.count() as f64,
        }
    }
}

fn check_states(states: &[f64], width: usize) -> Result<()> {
    if states.is_empty() || !states.len().is_multiple_of(width) {
        let problem = format!(
            "has {} numbers, but a row has {width}; give one row or more, one after another",
            states.len()
        );
        return Err(Error::spec("states", problem));
    }
    check_numbers("states", states, states.len())
}
