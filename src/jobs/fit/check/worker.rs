//! What works shards of the check: states by enumeration, or groups of chains.

use super::chains::Chains;
use crate::Result;
use crate::bits::BitMatrix;
use crate::bytes::{from_f64s, to_f64s};
use crate::exact;
use crate::fit::predictive_check::{
    Misfit, NumOn, exact_part, judge_chains, judge_exact, room_for_log_z,
};
use crate::jobs::spec::FitSpec;
use crate::jobs::{ShardWorker, Unfinished, pack, unpack, work_by_pieces};
use crate::models::Model;

/// See the head of this file.
pub struct Checker {
    model: Box<dyn Model>,
    /// None where states are enumerated.
    chains: Option<Chains>,
}

const CHECKED: &str = "models of bits with parameters are fitted here";

impl Checker {
    /// Of the fit's model, at parameters to come.
    ///
    /// # Errors
    /// Of the model's spec.
    pub fn new(spec: &FitSpec, data: &BitMatrix) -> Result<Self> {
        let model = spec.model.build()?;
        let is_small = model.dim() <= exact::MAX_DIM;
        let chains = (!is_small).then(|| Chains::new(data, spec.seed.unwrap_or(0)));
        Ok(Self { model, chains })
    }

    /// What all shards' parts tell of the fitted model.
    pub fn judge(&self, model: &dyn Model, data: &BitMatrix, parts: &[Vec<u8>]) -> Option<Misfit> {
        let on = NumOn::of(data);
        let parts: Vec<Vec<f64>> =
            parts.iter().map(|part| to_f64s(part).expect("a part is numbers")).collect();
        match &self.chains {
            None => judge_exact(&on, &parts),
            Some(chains) => {
                let (annealed, from_rows) = parts.split_at(chains.num_annealed_groups());
                let pairs = annealed.iter().flat_map(|part| part.as_chunks::<2>().0);
                let annealed: Vec<(f64, f64)> = pairs.map(|&[on, log]| (on, log)).collect();
                let from_rows = from_rows.iter().flat_map(|part| part.as_chunks::<2>().0);
                let from_rows: Vec<f64> = from_rows.map(|&[on, _]| on).collect();
                judge_chains(&on, &from_rows, &annealed, &room_for_log_z(model, data))
            }
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

    /// Takes the model's parameters.
    fn prepare(&mut self, broadcast: &[u8]) {
        let params = to_f64s(broadcast).expect("parameters are numbers");
        self.model.as_parametric_mut().expect(CHECKED).set_params(&params);
        if let Some(chains) = &mut self.chains {
            chains.prepare(&*self.model);
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
        let mut moved = match unfinished.num_pieces {
            0 => chains.begin(shard),
            _ => unpack(&unfinished.chains).expect("moved chains"),
        };
        let part = chains.go_on(shard, &mut moved, unfinished.num_pieces);
        *unfinished = match &part {
            Some(_) => Unfinished::default(),
            None => Unfinished {
                num_pieces: unfinished.num_pieces + 1,
                chains: pack(&moved),
                ..Unfinished::default()
            },
        };
        part.map(|part| from_f64s(&part))
    }
}
