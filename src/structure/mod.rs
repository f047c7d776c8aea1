//! The structure of a table found by search over a grammar of matrix decompositions: Grosse, PhD thesis (2014),
//! chapter 4. The verb `structure`.
//!
//! Level i has the structures of i productions. A structure's score is the mean of ln p of rows and columns that were held out
//! (4.3); the best of a level are expanded in the next (section 4.3). A shard is a structure on one fold; it goes on
//! from the draws of the structure that it is made of. At the end the best structure's matrices are drawn for the whole table.

pub mod report;
pub mod spec;
mod summary;
mod worker;

use crate::Result;
use crate::bits::BitMatrix;
use crate::math::{ln, log_sum_exp};
use crate::run::{
    Bits, BoxedCoordinator, Coordinator, ShardWorker, SharedFields, Verb, inconsistent, pack,
    unpack,
};
use crate::sorting::descending_order;
use report::{StructureProgress, StructureResult};
use serde::{Deserialize, Serialize};
use spec::StructureSpec;
use std::collections::BTreeSet;
use unnorm_matrix_decomposition::moves::{all_moves, moved};
use unnorm_matrix_decomposition::{Expression, Move, Node};
use worker::{Candidate, Drawn, Scored, Stage, StructureWorker};

/// Entries of the tables, one a fold and candidate, of a round: there is a checkpoint between two rounds.
const ROUND_ENTRIES: usize = 1 << 17;

/// Greatest number of candidates of a round.
const MAX_CANDIDATES: usize = 8;

/// Share of a prediction that is the parent's, so that one row that a structure takes for impossible does not decide. The thesis does
/// not have it.
const PARENT_SHARE: f64 = 0.01;

/// A candidate that is kept, with its draws of each fold.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Kept {
    place: usize,
    /// By fold, packed.
    draws: Vec<Vec<u8>>,
}

/// What a level has found so far.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
struct Level {
    /// Of each candidate that has been scored, ln p of all rows and columns.
    logs: Vec<Vec<f64>>,
    /// The best so far, the best first. Empty once the next level is complete.
    kept: Vec<Kept>,
}

/// All that the rounds so far have found.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
struct State {
    levels: Vec<Level>,
    /// The chosen structure's matrices, stripped.
    found: Option<Node>,
}

/// Coordinates the rounds.
pub struct StructureCoordinator {
    worker: StructureWorker,
    state: State,
    /// Of each level.
    candidates: Vec<Vec<Candidate>>,
    /// The structures that have been tried.
    known: BTreeSet<Expression>,
}

fn total(logs: &[f64]) -> f64 {
    logs.iter().sum()
}

/// The sum of the differences of paired numbers, and its standard error.
fn gain(new: &[f64], old: &[f64]) -> (f64, f64) {
    let count = new.len() as f64;
    let differences = || new.iter().zip(old).map(|(new, old)| new - old);
    let mean = differences().sum::<f64>() / count;
    let squares: f64 = differences().map(|d| (d - mean) * (d - mean)).sum();
    (mean, (squares / (count - 1.0) / count).sqrt())
}

impl StructureCoordinator {
    /// The coordinator before its first round, or from a snapshot.
    ///
    /// # Errors
    /// [`crate::Error::BadCheckpoint`] if the snapshot is not one of this job.
    fn new(worker: StructureWorker, snapshot: Option<&[u8]>) -> Result<Self> {
        let saved: State = snapshot.map_or(Ok(State::default()), unpack)?;
        let mut coordinator = Self {
            worker,
            state: State::default(),
            candidates: Vec::new(),
            known: BTreeSet::new(),
        };
        coordinator.begin_level();
        if snapshot.is_some() && saved.levels.is_empty() {
            return Err(inconsistent());
        }
        let num_levels = saved.levels.len();
        for (at, level) in saved.levels.into_iter().enumerate() {
            if at > 0 {
                if coordinator.is_over() {
                    return Err(inconsistent());
                }
                coordinator.begin_level();
            }
            *coordinator.level_mut() = level;
            if !coordinator.has_logs(at + 1 < num_levels) {
                return Err(inconsistent());
            }
        }
        if !coordinator.has_draws() {
            return Err(inconsistent());
        }
        if coordinator.is_level_complete() && !coordinator.is_over() {
            return Err(inconsistent());
        }
        coordinator.state.found = saved.found;
        if !coordinator.is_found() {
            return Err(inconsistent());
        }
        coordinator.go_on();
        Ok(coordinator)
    }

    /// Whether the scores of the last level, read from outside, are some of this search's.
    fn has_logs(&self, is_complete: bool) -> bool {
        let (logs, num_candidates) = (&self.level().logs, self.candidates().len());
        let data = &self.worker.table.data;
        let is_one = |each: &Vec<f64>| {
            each.len() == data.num_rows() + data.num_cols()
                && each.iter().all(|log| log.is_finite())
        };
        let is_whole = logs.len() == num_candidates;
        logs.len() <= num_candidates
            && (is_whole || !is_complete && logs.len().is_multiple_of(self.candidates_per_round()))
            && logs.iter().all(is_one)
    }

    /// Whether the draws are those of the levels that keep theirs: the last, and the one before until the last is complete.
    fn has_draws(&self) -> bool {
        let last = self.state.levels.len() - 1;
        self.state.levels.iter().enumerate().all(|(at, level)| {
            if at == last || at + 1 == last && !self.is_level_complete() {
                let best = self.best(level);
                level.kept.len() == best.len()
                    && level.kept.iter().zip(best).all(|(kept, place)| {
                        kept.place == place && self.is_kept(kept, &self.candidates[at][place])
                    })
            } else {
                level.kept.is_empty()
            }
        })
    }

    fn is_kept(&self, kept: &Kept, candidate: &Candidate) -> bool {
        let StructureSpec { num_folds, num_samples, .. } = self.worker.spec;
        let are_draws = |(fold, draws): (usize, &Vec<u8>)| {
            let (num_rows, num_cols) = self.worker.table.kept(fold);
            unpack::<Vec<Node>>(draws).is_ok_and(|draws| {
                let is_draw =
                    |draw: &Node| draw.is_stripped(&candidate.structure, num_rows, num_cols);
                draws.len() == num_samples && draws.iter().all(is_draw)
            })
        };
        kept.draws.len() == num_folds && kept.draws.iter().enumerate().all(are_draws)
    }

    /// Whether the matrices, if there are any, are those of the structure chosen.
    fn is_found(&self) -> bool {
        let data = &self.worker.table.data;
        self.state.found.as_ref().is_none_or(|found| {
            self.is_over()
                && found.is_stripped(&self.chosen().1.structure, data.num_rows(), data.num_cols())
        })
    }

    fn level(&self) -> &Level {
        self.state.levels.last().expect("a level")
    }

    fn level_mut(&mut self) -> &mut Level {
        self.state.levels.last_mut().expect("a level")
    }

    /// Those of the last level.
    fn candidates(&self) -> &[Candidate] {
        self.candidates.last().expect("a level")
    }

    /// Number of candidates of a round.
    fn candidates_per_round(&self) -> usize {
        let entries = self.worker.table.data.entries().len() * self.worker.spec.num_folds;
        (ROUND_ENTRIES / entries).clamp(1, MAX_CANDIDATES)
    }

    /// The places of a level's best candidates so far, the best first; the earlier of equals.
    fn best(&self, level: &Level) -> Vec<usize> {
        let totals: Vec<f64> = level.logs.iter().map(|logs| total(logs)).collect();
        let mut places = descending_order(&totals);
        places.truncate(self.worker.spec.keep);
        places
    }

    /// What the best of a level has gained on that of the level before, in nats a row and column, with its standard error.
    fn gain(&self, at: usize) -> (f64, f64) {
        let best = |level: &Level| self.best(level).first().copied();
        let (Some(before), levels) = (at.checked_sub(1), &self.state.levels) else {
            return (0.0, 0.0);
        };
        match (best(&levels[at]), best(&levels[before])) {
            (Some(new), Some(old)) => gain(&levels[at].logs[new], &levels[before].logs[old]),
            _ => (0.0, 0.0),
        }
    }

    /// Whether the best of a level is better than that of the level before by what is asked for.
    fn is_better(&self, at: usize) -> bool {
        at == 0 || self.gain(at).0 > self.worker.spec.min_gain
    }

    /// The level and the candidate chosen, once all is scored.
    fn chosen(&self) -> (usize, &Candidate) {
        let last = self.state.levels.len() - 1;
        let level = if self.is_better(last) { last } else { last - 1 };
        let place = self.best(&self.state.levels[level])[0];
        (level, &self.candidates[level][place])
    }

    /// The moves from G to a candidate.
    fn path(&self, level: usize, candidate: &Candidate) -> Vec<Move> {
        let Some((parent, step)) = &candidate.origin else { return Vec::new() };
        let mut path = self.path(level - 1, &self.candidates[level - 1][*parent]);
        path.push(step.clone());
        path
    }

    /// Begins the next level.
    fn begin_level(&mut self) {
        let mut candidates = Vec::new();
        if self.state.levels.is_empty() {
            candidates.push(Candidate { structure: Expression::Gaussian, origin: None });
            self.known.insert(Expression::Gaussian);
        } else {
            for place in self.best(self.level()) {
                let parent = self.candidates()[place].structure.clone();
                for step in all_moves(&parent, self.worker.spec.expand_discrete) {
                    let structure = moved(&parent, &step);
                    if self.known.insert(structure.canonical()) {
                        candidates.push(Candidate { structure, origin: Some((place, step)) });
                    }
                }
            }
        }
        self.candidates.push(candidates);
        self.state.levels.push(Level::default());
    }

    fn is_level_complete(&self) -> bool {
        self.level().logs.len() == self.candidates().len()
    }

    /// Whether the search is over.
    fn is_over(&self) -> bool {
        let last = self.state.levels.len() - 1;
        self.is_level_complete() && (last == self.worker.spec.max_depth || !self.is_better(last))
    }

    /// Goes over to the next stage, and tells the worker.
    fn go_on(&mut self) {
        if self.is_level_complete() && !self.is_over() {
            self.begin_level();
        }
        self.worker.stage = if self.is_over() {
            let (level, candidate) = self.chosen();
            Stage::Draw { path: self.path(level, candidate) }
        } else {
            let (first, count) = (self.level().logs.len(), self.candidates_per_round());
            let candidates = self.candidates().iter().skip(first).take(count);
            Stage::Score {
                level: self.state.levels.len() - 1,
                first,
                candidates: candidates.cloned().collect(),
            }
        };
    }

    fn gather_scores(&mut self, parts: &[Vec<u8>]) {
        let last = self.state.levels.len() - 1;
        for folds in parts.chunks_exact(self.worker.spec.num_folds) {
            let place = self.level().logs.len();
            let parent = self.candidates()[place].origin.as_ref().map(|(parent, _)| *parent);
            let (mut logs, mut draws) = (Vec::new(), Vec::new());
            for part in folds {
                let part: Scored = unpack(part).expect("a part");
                // Where rounding leaves no density, the structure counts as one that does not allow the row.
                let is_lost = |log: &f64| log.is_nan() || *log == f64::INFINITY;
                logs.extend(
                    part.logs.iter().map(|log| if is_lost(log) { f64::NEG_INFINITY } else { *log }),
                );
                draws.push(pack(&part.draws));
            }
            if let Some(parent) = parent {
                let (own, other) = (ln(1.0 - PARENT_SHARE), ln(PARENT_SHARE));
                for (log, parent) in logs.iter_mut().zip(&self.state.levels[last - 1].logs[parent])
                {
                    *log = log_sum_exp(&[own + *log, other + parent]);
                }
            }
            self.level_mut().logs.push(logs);
            let best = self.best(self.level());
            let level = self.level_mut();
            level.kept.push(Kept { place, draws });
            level.kept.retain(|kept| best.contains(&kept.place));
            level.kept.sort_by_key(|kept| best.iter().position(|place| *place == kept.place));
        }
        if self.is_level_complete() && last > 0 {
            self.state.levels[last - 1].kept.clear();
        }
    }
}

impl Coordinator for StructureCoordinator {
    type Progress = StructureProgress;
    type Output = StructureResult;

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
        let Stage::Score { level, candidates, .. } = &self.worker.stage else { return Vec::new() };
        let num_folds = self.worker.spec.num_folds;
        let Some((parent, _)) = &candidates[shard / num_folds].origin else { return Vec::new() };
        let kept = &self.state.levels[level - 1].kept;
        let parent = kept.iter().find(|kept| kept.place == *parent).expect("a parent is kept");
        parent.draws[shard % num_folds].clone()
    }

    fn gather(&mut self, parts: &[Vec<u8>]) {
        assert!(!self.is_done(), "the job is done");
        assert_eq!(parts.len(), self.worker.num_shards());
        if let Stage::Score { .. } = self.worker.stage {
            self.gather_scores(parts);
            self.go_on();
        } else {
            let draws = parts.iter().map(|part| unpack::<Drawn>(part).expect("a draw"));
            let best = draws.reduce(|a, b| if b.unexplained < a.unexplained { b } else { a });
            self.state.found = Some(best.expect("a draw").draw);
        }
    }

    fn is_done(&self) -> bool {
        self.state.found.is_some()
    }

    fn snapshot(&self) -> Vec<u8> {
        pack(&self.state)
    }

    fn progress(&self) -> StructureProgress {
        summary::progress(self)
    }

    fn result(&self) -> Option<StructureResult> {
        self.state.found.as_ref().map(|found| summary::result(self, found))
    }
}

impl Verb for StructureSpec {
    const NAME: &'static str = "structure";
    type Progress = StructureProgress;
    type Output = StructureResult;

    fn shared_fields(&mut self) -> SharedFields<'_> {
        SharedFields { seed: Some(&mut self.seed), ..SharedFields::default() }
    }

    fn check(&self) -> Result<()> {
        StructureSpec::check(self)
    }

    fn bits(&self, _is_given: bool) -> Result<Bits> {
        Ok(Bits::Unused)
    }

    fn coordinator(
        &self,
        _data: Option<&BitMatrix>,
        snapshot: Option<&[u8]>,
    ) -> Result<BoxedCoordinator<Self>> {
        StructureSpec::check(self)?;
        Ok(Box::new(StructureCoordinator::new(StructureWorker::new(self), snapshot)?))
    }

    fn worker(&self, _data: Option<&BitMatrix>) -> Result<Box<dyn ShardWorker>> {
        StructureSpec::check(self)?;
        Ok(Box::new(StructureWorker::new(self)))
    }
}
