//! Sparse networks: an Ising model of rows of bits in which most pairs have no coupling, by an L1 penalty
//! (van Borkulo et al. 2014 fit one regression a site; here each pair has one coupling, as in the joint
//! pseudolikelihood of Höfling and Tibshirani 2009). The verb `network`.
//!
//! Networks are fitted at a decreasing list of penalties, each from the one before, to all rows and, for
//! cross-validation and stability selection, to sets of them: a shard is a set of rows at some penalties. Once one
//! is chosen, fits at it follow: that to all rows, whose couplings are also estimated without the pull of the
//! penalty, with errors, and those to resampled rows, a shard each.

pub mod choice;
pub mod debias;
pub mod report;
mod resample;
pub mod rows;
pub mod solver;
pub mod spec;
mod summary;
mod worker;

use crate::bits::{BitMatrix, bit};
use crate::run::{
    Bits, BoxedCoordinator, Coordinator, ShardWorker, SharedFields, Verb, inconsistent, needed,
    pack, unpack,
};
use crate::{Error, Result};
use choice::{Chosen, Found};
use report::{NetworkProgress, NetworkResult};
use rows::{Network, num_pairs};
use serde::{Deserialize, Serialize};
use spec::{ChoiceSpec, NetworkSpec};
use worker::{FitPart, NetworkWorker, PENALTIES_PER_ROUND, PathPart, Stage, Start};

/// Numbers of columns.
const MIN_DIM: usize = 2;
const MAX_DIM: usize = 256;

/// Least number of rows.
const MIN_ROWS: usize = 10;

/// Maximum number of entries of the rows: some 300 MB while they are fitted.
const MAX_ENTRIES: usize = 1 << 23;

/// Maximum number of couplings that are kept, over all penalties, or over all fits to resampled rows.
const MAX_KEPT: usize = 1 << 24;

/// The networks of a set of rows so far.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
struct SetState {
    /// The last network.
    last: Option<Network>,
    /// Log pseudolikelihoods, as in [`PathPart`].
    scores: Vec<f64>,
    /// For each pair the place of the first penalty at which it is an edge; `u16::MAX` before there is one.
    entries: Vec<u16>,
}

/// All that the rounds so far have found.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
struct State {
    /// J_ij at each penalty.
    couplings: Vec<Vec<f64>>,
    /// J_ii at each penalty.
    biases: Vec<Vec<f64>>,
    /// Log pseudolikelihoods of the networks fitted without a penalty, as in [`PathPart`].
    refitted: Vec<f64>,
    /// All rows, and then the sets of the choice.
    sets: Vec<SetState>,
    fits: Vec<FitPart>,
    num_unconverged: usize,
}

/// Coordinates the rounds.
pub struct NetworkCoordinator {
    worker: NetworkWorker,
    state: State,
    /// Once all penalties are done.
    chosen: Option<Chosen>,
}

/// Checks the rows.
fn check_rows(spec: &NetworkSpec, data: &BitMatrix) -> Result<()> {
    let (dim, num_rows) = (data.dim(), data.num_rows());
    let too_large =
        |field: &str, problem: String| Err(Error::TooLarge { field: field.into(), problem });
    if !(MIN_DIM..=MAX_DIM).contains(&dim) {
        let problem = format!("has {dim} columns; a network takes {MIN_DIM} to {MAX_DIM}");
        return Err(Error::data("data", problem));
    }
    if num_rows < MIN_ROWS {
        let problem = format!("has {num_rows} rows; a network needs {MIN_ROWS} or more");
        return Err(Error::data("data", problem));
    }
    if num_rows * dim > MAX_ENTRIES {
        let problem =
            format!("has {num_rows} rows of {dim}; at most {MAX_ENTRIES} entries are taken");
        return too_large("data", problem);
    }
    let first = data.row(0);
    let is_constant =
        |site: &usize| (1..num_rows).all(|row| bit(data.row(row), *site) == bit(first, *site));
    if let Some(site) = (0..dim).find(is_constant) {
        let problem = format!(
            "has the same value in all rows of column {site}, counted from 0; leave that column out"
        );
        return Err(Error::data("data", problem));
    }
    if let ChoiceSpec::CrossValidation { num_folds, .. } = spec.choice
        && num_folds > num_rows
    {
        let problem = format!("is {num_folds}, more parts than there are rows, {num_rows}");
        return Err(Error::spec("choice.numFolds", problem));
    }
    let kept = num_pairs(dim);
    if kept * spec.bootstrap > MAX_KEPT {
        let problem = format!(
            "is {}; with {dim} columns at most {} fits are kept",
            spec.bootstrap,
            MAX_KEPT / kept
        );
        return too_large("bootstrap", problem);
    }
    if kept * spec.penalties.count() > MAX_KEPT {
        let problem = format!(
            "are {}; with {dim} columns at most {} are kept",
            spec.penalties.count(),
            MAX_KEPT / kept
        );
        return too_large("penalties", problem);
    }
    Ok(())
}

impl NetworkCoordinator {
    /// The coordinator before its first round, or from a snapshot.
    ///
    /// # Errors
    /// [`Error::BadCheckpoint`] if the snapshot is not one of this job.
    fn new(worker: NetworkWorker, snapshot: Option<&[u8]>) -> Result<Self> {
        let num_sets = 1 + worker.spec.choice.num_sets();
        let state: State = match snapshot {
            Some(snapshot) => unpack(snapshot)?,
            None => State { sets: vec![SetState::default(); num_sets], ..State::default() },
        };
        let mut coordinator = Self { worker, state, chosen: None };
        if !coordinator.is_sound(num_sets) {
            return Err(inconsistent());
        }
        coordinator.go_on();
        Ok(coordinator)
    }

    /// Whether a state is one of this job.
    fn is_sound(&self, num_sets: usize) -> bool {
        let (state, dim) = (&self.state, self.worker.data.dim());
        let (num_pairs, num_done) = (num_pairs(dim), state.couplings.len());
        let num_penalties = self.worker.penalties.len();
        let is_network = |network: &Network| {
            network.centres.len() == dim && network.couplings.len() == num_pairs
        };
        let is_set = |set: &SetState| {
            set.scores.len() == num_done
                && set.last.is_some() == (num_done > 0)
                && set.last.iter().all(is_network)
                && set.entries.len() == if num_done > 0 { num_pairs } else { 0 }
        };
        let is_fit = |(at, fit): (usize, &FitPart)| {
            fit.biases.len() == dim
                && fit.couplings.len() == num_pairs
                && fit.estimates.len() == num_pairs
                && fit.standard_errors.len() == if at == 0 { num_pairs } else { 0 }
        };
        let begins_round = num_done.is_multiple_of(PENALTIES_PER_ROUND);
        num_done <= num_penalties
            && (begins_round || num_done == num_penalties)
            && state.biases.len() == num_done
            && state.refitted.len() == num_done
            && state.biases.iter().all(|biases| biases.len() == dim)
            && state.couplings.iter().all(|couplings| couplings.len() == num_pairs)
            && state.sets.len() == num_sets
            && state.sets.iter().all(is_set)
            && state.fits.len() <= self.worker.num_fits()
            && (num_done == num_penalties || state.fits.is_empty())
            && state.fits.iter().enumerate().all(is_fit)
    }

    fn found<'a>(&self, held_out: &'a [Vec<f64>], entries: &'a [Vec<u16>]) -> Found<'a> {
        let num_edges = |couplings: &Vec<f64>| couplings.iter().filter(|j| **j != 0.0).count();
        Found {
            dim: self.worker.data.dim(),
            num_rows: self.worker.data.num_rows(),
            num_edges: self.state.couplings.iter().map(num_edges).collect(),
            scores: self.state.sets[0].scores.clone(),
            refitted: self.state.refitted.clone(),
            held_out,
            entries,
        }
    }

    /// The scores of the rows held out and the entries of the pairs, of the sets of the choice.
    fn of_sets(&self) -> (Vec<Vec<f64>>, Vec<Vec<u16>>) {
        self.state.sets[1..].iter().map(|set| (set.scores.clone(), set.entries.clone())).unzip()
    }

    /// Goes over to the next stage, and tells the worker.
    fn go_on(&mut self) {
        let num_done = self.state.couplings.len();
        if num_done < self.worker.penalties.len() {
            self.worker.stage = Stage::Path { first: num_done };
            return;
        }
        let chosen = self.chosen.take().unwrap_or_else(|| {
            let (held_out, entries) = self.of_sets();
            self.found(&held_out, &entries).choose(&self.worker.spec.choice)
        });
        self.worker.stage = Stage::Fits {
            penalty: chosen.at,
            weaker: chosen.weaker,
            num_done: self.state.fits.len(),
            start: Start {
                biases: self.state.biases[chosen.at].clone(),
                couplings: self.state.couplings[chosen.at].clone(),
                allowed: chosen.allowed.clone(),
            },
        };
        self.chosen = Some(chosen);
    }

    fn gather_path(&mut self, parts: &[Vec<u8>]) {
        let first = self.state.couplings.len();
        for (at, part) in parts.iter().enumerate() {
            let part: PathPart = unpack(part).expect("networks");
            let set = &mut self.state.sets[at];
            set.entries.resize(num_pairs(self.worker.data.dim()), u16::MAX);
            for (place, edges) in (first..).zip(&part.edges) {
                for pair in edges {
                    let entry = &mut set.entries[*pair as usize];
                    *entry = (*entry).min(place as u16);
                }
            }
            set.scores.extend(&part.scores);
            set.last = part.networks.last().cloned();
            self.state.num_unconverged += part.num_unconverged;
            if at == 0 {
                let couplings = part.networks.into_iter().map(|network| network.couplings);
                self.state.couplings.extend(couplings);
                self.state.biases.extend(part.biases);
                self.state.refitted.extend(part.refitted);
            }
        }
    }
}

impl Coordinator for NetworkCoordinator {
    type Progress = NetworkProgress;
    type Output = NetworkResult;

    fn worker(&self) -> &dyn ShardWorker {
        &self.worker
    }

    fn worker_mut(&mut self) -> &mut dyn ShardWorker {
        &mut self.worker
    }

    fn broadcast(&self) -> Vec<u8> {
        pack(&self.worker.stage)
    }

    fn scatter(&self, shard: usize) -> Vec<u8> {
        match self.chosen {
            None => pack(&self.state.sets[shard].last),
            Some(_) => Vec::new(),
        }
    }

    fn gather(&mut self, parts: &[Vec<u8>]) {
        assert!(!self.is_done(), "the job is done");
        assert_eq!(parts.len(), self.worker.num_shards());
        match self.chosen {
            None => self.gather_path(parts),
            Some(_) => {
                for part in parts {
                    let part: FitPart = unpack(part).expect("a fit");
                    self.state.num_unconverged += part.num_unconverged;
                    self.state.fits.push(part);
                }
            }
        }
        self.go_on();
    }

    fn is_done(&self) -> bool {
        self.state.fits.len() == self.worker.num_fits()
    }

    fn snapshot(&self) -> Vec<u8> {
        pack(&self.state)
    }

    fn progress(&self) -> NetworkProgress {
        let num_done = self.state.couplings.len();
        let num_rounds = |penalties: usize, fits: usize| {
            penalties.div_ceil(PENALTIES_PER_ROUND) + fits.div_ceil(worker::FITS_PER_ROUND)
        };
        let all = num_rounds(self.worker.penalties.len(), self.worker.num_fits());
        NetworkProgress {
            verb: "network",
            stage: if self.chosen.is_some() { "bootstrap" } else { "path" },
            penalties: self.worker.penalties[..num_done].to_vec(),
            num_edges: self.found(&[], &[]).num_edges,
            fraction: num_rounds(num_done, self.state.fits.len()) as f64 / all as f64,
            done: self.is_done(),
        }
    }

    fn result(&self) -> Option<NetworkResult> {
        self.is_done().then(|| summary::result(self))
    }
}

impl Verb for NetworkSpec {
    const NAME: &'static str = "network";
    type Progress = NetworkProgress;
    type Output = NetworkResult;

    fn shared_fields(&mut self) -> SharedFields<'_> {
        SharedFields {
            data: Some(&mut self.data),
            seed: Some(&mut self.seed),
            ..SharedFields::default()
        }
    }

    fn check(&self) -> Result<()> {
        NetworkSpec::check(self)
    }

    fn bits(&self, _is_given: bool) -> Result<Bits> {
        Ok(Bits::Required)
    }

    fn coordinator(
        &self,
        data: Option<&BitMatrix>,
        snapshot: Option<&[u8]>,
    ) -> Result<BoxedCoordinator<Self>> {
        let data = needed(data)?;
        check_rows(self, data)?;
        Ok(Box::new(NetworkCoordinator::new(NetworkWorker::new(self, data), snapshot)?))
    }

    fn worker(&self, data: Option<&BitMatrix>) -> Result<Box<dyn ShardWorker>> {
        let data = needed(data)?;
        check_rows(self, data)?;
        Ok(Box::new(NetworkWorker::new(self, data)))
    }
}
