//! The worker of the check: shards are states to enumerate, or groups of chains.

use super::chains::Chains;
use super::{Data, scaled};
use crate::Result;
use crate::bytes::{from_f64s, to_f64s};
use crate::exact;
use crate::fit::job::spec::FitSpec;
use crate::fit::predictive_check::exact_part;
use crate::models::Model;
use crate::run::{ShardWorker, Unfinished, to_numbers, work_by_pieces};

/// Works shards of the check.
pub struct Checker {
    model: Box<dyn Model>,
    /// See [`crate::fit::job::spec::ObjectiveSpec::energy_factor`].
    energy_factor: f64,
    /// None where states are enumerated.
    chains: Option<Chains>,
}

/// What the shards found.
pub enum Found {
    /// By enumeration: the parts of [`exact_part`].
    States(Vec<Vec<f64>>),
    Chains {
        /// For each annealed chain, the number of sites on (on ℝᴰ the distance from the rows' mean)
        /// and the log weight.
        annealed: Vec<(f64, f64)>,
        /// The number of sites on for each chain from rows.
        from_rows: Vec<f64>,
    },
}

const CHECKED: &str = "models with parameters are fitted here";

impl Checker {
    /// The checker of the fit's model, whose parameters follow in a broadcast.
    ///
    /// # Errors
    /// Any error of the model's spec.
    pub fn new(spec: &FitSpec, data: &Data) -> Result<Self> {
        let model = spec.model.build()?;
        let seed = spec.seed.unwrap_or(0);
        let chains = match data {
            Data::Bits(_) if model.dim() <= exact::MAX_DIM => None,
            Data::Bits(rows) => Some(Chains::of_bits(rows, seed)),
            Data::Reals(marginals) => Some(Chains::of_reals(marginals, seed)),
        };
        Ok(Self { model, energy_factor: spec.objective.energy_factor(), chains })
    }

    /// Collects the parts of all shards.
    pub fn found(&self, parts: &[Vec<u8>]) -> Found {
        let parts = to_numbers(parts);
        let Some(chains) = &self.chains else { return Found::States(parts) };
        let (annealed, from_rows) = parts.split_at(chains.num_annealed_groups());
        let pairs = |parts: &[Vec<f64>]| -> Vec<(f64, f64)> {
            let pairs = parts.iter().flat_map(|part| part.as_chunks::<2>().0);
            pairs.map(|&[on, log]| (on, log)).collect()
        };
        Found::Chains {
            annealed: pairs(annealed),
            from_rows: pairs(from_rows).into_iter().map(|(on, _)| on).collect(),
        }
    }
}

impl ShardWorker for Checker {
    fn num_shards(&self) -> usize {
        match &self.chains {
            Some(chains) => chains.num_groups(),
            None => exact::num_shards(self.model.dim()).unwrap_or(1),
        }
    }

    /// Sets the model's parameters from the broadcast.
    fn prepare(&mut self, broadcast: &[u8]) {
        let params = to_f64s(broadcast).expect("parameters are numbers");
        self.model.as_parametric_mut().expect(CHECKED).set_params(&params);
        if let Some(chains) = &mut self.chains {
            let scaled = scaled(&*self.model, self.energy_factor);
            chains.prepare(scaled.as_deref().unwrap_or(&*self.model));
        }
    }

    fn work(&self, shard: usize, scattered: &[u8]) -> Vec<u8> {
        work_by_pieces(self, shard, scattered)
    }

    fn work_piece(
        &self,
        shard: usize,
        _scattered: &[u8],
        unfinished: &mut Unfinished,
    ) -> Option<Vec<u8>> {
        let Some(chains) = &self.chains else {
            return Some(from_f64s(&exact_part(self.model.as_site_flips().expect(CHECKED), shard)));
        };
        let (moved, num_pieces) = unfinished.get_or_insert_with(|| (chains.begin(shard), 0));
        let part = chains.go_on(shard, moved, *num_pieces);
        *num_pieces += 1;
        if part.is_some() {
            unfinished.clear();
        }
        part.map(|part| from_f64s(&part))
    }
}
