//! The worker of an exact computation, and the combination of all shards' parts.

use super::spec::ExactSpec;
use crate::bits::{BitMatrix, WeightedRows};
use crate::bytes::{from_f64s, to_f64s};
use crate::data::check_dim;
use crate::energy::connectivity::ConnectivitySpec;
use crate::energy::enumeration::combine_parts;
use crate::energy::shards;
use crate::exact::frontier::Pass;
use crate::exact::mpf_bound;
use crate::exact::mpf_bound::{MpfBound, Rates};
use crate::exact::value_frontier::ValuePass;
use crate::exact::{Exact, Method, combine, num_shards, part};
use crate::linalg::Batch;
use crate::math::log_sum_exp;
use crate::models::Model;
use crate::run::{PartialSums, ShardWorker, Unfinished, pack, unpack, work_by_pieces};
use crate::{Error, FULL, Result, not_in_core};
use std::ops::Range;

/// Maximum number of the method's shards in a round: enumeration of 20 sites has as many, a machine
/// with 25 units on its smaller side 32 times as many.
pub const SHARDS_PER_ROUND: usize = 64;

/// Number of multiplications in a piece of a shard: some milliseconds.
const PIECE_COST: usize = 1 << 22;

/// Number of entries of a frontier's tables in a piece: some milliseconds of exponentials and
/// logarithms.
const PIECE_ENTRIES: usize = 1 << 18;

/// Works shards of the rows, of the bound and of the method.
pub struct ExactWorker {
    model: Box<dyn Model>,
    data: Option<WeightedRows>,
    connectivity: Option<ConnectivitySpec>,
    method: Method,
    num_row_shards: usize,
    /// The index of the round's first shard, among all.
    first: usize,
}

/// The kind of a shard, by its place among all.
enum Shard {
    Rows(usize),
    Bound,
    Method(usize),
}

/// The quantities from all shards.
pub struct ExactQuantities {
    pub log_z: f64,
    pub mean_energy: Option<f64>,
    pub entropy: Option<f64>,
    pub moments: Option<Vec<f64>>,
    pub log_likelihood: Option<f64>,
    pub bound: Option<MpfBound>,
}

impl ExactWorker {
    /// Checks that the model has an exact method and matches the data.
    ///
    /// # Errors
    /// Any error of the model's spec or of [`Method::of`]; [`Error::InvalidSpec`] if model and data
    /// differ in dimension, there are data for a model that is not binary, or the connectivity
    /// cannot be used.
    pub fn new(spec: &ExactSpec, data: Option<&BitMatrix>) -> Result<Self> {
        let model = spec.model.build()?;
        if let (Some(sites), Some(data)) = (model.as_sites(), data) {
            sites.check_rows(data)?;
        }
        let data = data.map(|data| WeightedRows::from_data(data.as_batch()));
        if let Some(data) = &data {
            if model.as_site_flips().is_none() && model.as_sites().is_none() {
                return Err(Error::spec(
                    "data",
                    format!(
                        "are rows of zeros and ones, but the states of `{}` are not binary; leave them out",
                        model.kind()
                    ),
                ));
            }
            check_dim(&*model, data)?;
        }
        if !FULL && spec.connectivity.is_some() {
            return Err(not_in_core("connectivity"));
        }
        if let Some(connectivity) = &spec.connectivity {
            if data.is_none() {
                return Err(Error::spec(
                    "connectivity",
                    "is given without data; it is for a bound on the likelihood of data, so give both",
                ));
            }
            mpf_bound::check(model.dim())?;
            let Some(flips) = model.as_site_flips() else {
                return Err(Error::missing(model.kind(), "SiteFlips", "the bound"));
            };
            Rates::new(flips, connectivity).map_err(without_objective_prefix)?;
        }
        let num_row_shards =
            data.as_ref().map_or(0, |data| shards::num_shards(data.num_distinct()));
        Ok(Self {
            method: Method::of(&*model)?,
            data,
            connectivity: spec.connectivity.clone(),
            num_row_shards,
            model,
            first: 0,
        })
    }

    /// The name of the method that computes log Z.
    pub fn method_name(&self) -> &'static str {
        self.method.name()
    }

    /// Total number of shards of all rounds.
    pub fn num_all_shards(&self) -> usize {
        self.num_before_method() + self.num_method_shards()
    }

    /// Number of shards before the method's.
    fn num_before_method(&self) -> usize {
        self.num_row_shards + usize::from(self.connectivity.is_some())
    }

    fn num_method_shards(&self) -> usize {
        match &self.method {
            Method::Enumeration => num_shards(self.model.dim()).expect("checked by the method"),
            Method::Values(states) => states.num_shards(),
            Method::States(states) => states.num_shards(),
            Method::HiddenStates(sums, _) => sums.num_shards(1),
            Method::SmallerSide(side) => side.num_shards(),
            Method::ClosedForm
            | Method::Kaufman(_)
            | Method::Frontier(_)
            | Method::ValueFrontier(_) => 1,
        }
    }

    /// The shards of the round that begins with `first`.
    fn round(&self, first: usize) -> Range<usize> {
        let start = first.max(self.num_before_method());
        first..self.num_all_shards().min(start + SHARDS_PER_ROUND)
    }

    /// Whether a round begins with this shard, or all rounds are over.
    pub fn begins_round(&self, shard: usize) -> bool {
        let mut first = 0;
        while first < shard.min(self.num_all_shards()) {
            first = self.round(first).end;
        }
        first == shard
    }

    /// Goes to the round that begins with this shard.
    pub fn set_first(&mut self, shard: usize) {
        self.first = shard;
    }

    fn shard(&self, index: usize) -> Shard {
        match index.checked_sub(self.num_before_method()) {
            Some(shard) => Shard::Method(shard),
            None if index < self.num_row_shards => Shard::Rows(index),
            None => Shard::Bound,
        }
    }

    /// Whether these bytes can be a shard's part.
    pub fn is_part(&self, index: usize, part: &[u8]) -> bool {
        let dim = self.model.dim();
        let num_numbers = match (self.shard(index), &self.method) {
            (Shard::Bound, _) => return unpack::<MpfBound>(part).is_ok(),
            (Shard::Rows(_), _) => 1,
            (Shard::Method(_), Method::Enumeration) => 3 + dim * (dim + 1) / 2,
            (Shard::Method(_), Method::Values(states)) => states.part_len(),
            (Shard::Method(_), Method::States(states)) => states.part_len(),
            (
                Shard::Method(_),
                Method::ClosedForm | Method::HiddenStates(..) | Method::SmallerSide(_),
            ) => 1,
            (
                Shard::Method(_),
                Method::Kaufman(_) | Method::Frontier(_) | Method::ValueFrontier(_),
            ) => 2,
        };
        part.len() == 8 * num_numbers
    }

    /// The quantities from all parts; None if some parts are missing.
    pub fn quantities(&self, parts: &[Vec<u8>]) -> Option<ExactQuantities> {
        if parts.len() < self.num_all_shards() {
            return None;
        }
        let numbers = |part: &Vec<u8>| to_f64s(part).expect("a part is numbers");
        let (before, of_method) = parts.split_at(self.num_before_method());
        let (rows, bound) = before.split_at(self.num_row_shards);
        let of_method: Vec<Vec<f64>> = of_method.iter().map(numbers).collect();
        let (log_z, mean_energy, moments) = match self.method {
            Method::Enumeration => {
                let Exact { log_z, mean_energy, moments, .. } =
                    combine(self.model.dim(), &of_method);
                (log_z, Some(mean_energy), Some(moments))
            }
            Method::Values(_) | Method::States(_) => {
                let Exact { log_z, mean_energy, moments, .. } =
                    combine_parts(self.model.dim(), &of_method);
                (log_z, Some(mean_energy), Some(moments))
            }
            Method::Kaufman(_) | Method::Frontier(_) | Method::ValueFrontier(_) => {
                (of_method[0][0], Some(of_method[0][1]), None)
            }
            Method::HiddenStates(..) | Method::SmallerSide(_) => {
                (log_sum_exp(&of_method.concat()), None, None)
            }
            Method::ClosedForm => (of_method[0][0], None, None),
        };
        let log_likelihood = self.data.as_ref().map(|data| {
            let energy: f64 = rows.iter().map(|part| numbers(part)[0]).sum();
            -energy / data.total() - log_z
        });
        let bound = bound.first().map(|part| unpack(part).expect("a part is a bound"));
        let entropy = mean_energy.map(|mean_energy| log_z + mean_energy);
        Some(ExactQuantities { log_z, mean_energy, entropy, moments, log_likelihood, bound })
    }

    /// Adds a piece to the weighted Σ E over the rows of a shard; returns whether it was the last.
    fn add_rows(&self, shard: usize, sums: &mut PartialSums) -> bool {
        let data = self.data.as_ref().expect("without data there are no such shards");
        let rows = shards::rows(data.num_distinct(), shard);
        let dim = self.model.dim();
        let cost = self.model.as_parametric().map_or(0, |model| model.params().len()).max(dim);
        let rows_per_piece = (PIECE_COST / cost).max(1);
        let start = rows.start + sums.num_pieces * rows_per_piece;
        let range = start..rows.end.min(start + rows_per_piece);
        let states = data.rows().slice(range.clone()).to_values();
        let mut energies = vec![0.0; range.len()];
        self.model.energy(Batch::new(dim, &states), &mut energies);
        sums.part.resize(1, 0.0);
        for (energy, weight) in energies.iter().zip(&data.weights()[range.clone()]) {
            sums.part[0] += energy * weight;
        }
        sums.num_pieces += 1;
        range.end == rows.end
    }

    /// Works a piece of one of the method's shards; returns the shard's numbers if it was the last.
    fn method_piece(&self, shard: usize, unfinished: &mut Unfinished) -> Option<Vec<f64>> {
        match &self.method {
            Method::Enumeration => {
                let flips = self.model.as_site_flips().expect("checked by the method");
                Some(part(flips, shard))
            }
            _ if !FULL => unreachable!("the core enumerates"),
            Method::Values(states) => Some(states.part(shard)),
            Method::States(states) => Some(states.part(shard)),
            Method::ClosedForm => {
                let reference = self.model.as_reference().expect("checked by the method");
                Some(vec![reference.log_z()])
            }
            Method::Kaufman(exact) => Some(vec![exact.log_z, exact.mean_energy]),
            Method::HiddenStates(sums, row) => Some(sums.shard(shard, std::slice::from_ref(row))),
            Method::SmallerSide(side) => {
                let runs_per_piece = (PIECE_COST / side.run_cost()).max(1);
                let logs = unfinished.get_or_insert_with(Vec::new);
                let start = logs.len();
                let runs = start..side.num_runs().min(start + runs_per_piece);
                logs.extend(runs.map(|run| side.run(shard, run)));
                let is_last = logs.len() == side.num_runs();
                is_last.then(|| vec![log_sum_exp(logs)])
            }
            Method::Frontier(frontier) => {
                let pass = unfinished.get_or_insert_with(Pass::default);
                pass.advance(frontier, PIECE_ENTRIES).then(|| {
                    let exact = pass.exact();
                    vec![exact.log_z, exact.mean_energy]
                })
            }
            Method::ValueFrontier(frontier) => {
                let pass = unfinished.get_or_insert_with(ValuePass::default);
                pass.advance(frontier, PIECE_ENTRIES).then(|| {
                    let exact = pass.exact();
                    vec![exact.log_z, exact.mean_energy]
                })
            }
        }
    }
}

/// Renames an error's field, which the connectivity's check names as part of an objective.
fn without_objective_prefix(error: Error) -> Error {
    match error {
        Error::InvalidSpec { field, problem } => {
            Error::spec(field.trim_start_matches("objective."), problem)
        }
        other => other,
    }
}

impl ShardWorker for ExactWorker {
    fn num_shards(&self) -> usize {
        self.round(self.first).len()
    }

    fn prepare(&mut self, broadcast: &[u8]) {
        let first: u64 = unpack(broadcast).expect("a round's first shard");
        self.first = first as usize;
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
        assert!(shard < self.num_shards());
        let part = match self.shard(self.first + shard) {
            Shard::Rows(shard) => {
                let sums = unfinished.sums();
                self.add_rows(shard, sums).then(|| from_f64s(&sums.part))
            }
            Shard::Bound if !FULL => unreachable!("refused"),
            Shard::Bound => {
                let connectivity = self.connectivity.as_ref().expect("asked for");
                let flips = self.model.as_site_flips().expect("checked with the data");
                let rates = Rates::new(flips, connectivity).expect("checked with the data");
                let data = self.data.as_ref().expect("checked with the connectivity");
                Some(pack(&rates.bound(data, rates.lambda2())))
            }
            Shard::Method(shard) => {
                self.method_piece(shard, unfinished).map(|numbers| from_f64s(&numbers))
            }
        };
        if part.is_some() {
            unfinished.clear();
        }
        part
    }
}
