//! The kernel of a Gaussian process found by search over sums and products of base kernels: Grosse, PhD thesis
//! (2014), chapter 5. The verb `kernels`.
//!
//! A level fits all families next to the best of the level before, each from some starts: a shard is one start.
//! A round has some families, so that a job can be stopped within a level. The search ends when a level has no lower
//! BIC. Then the function is taken apart: a shard is a component.

pub mod report;
pub mod spec;
mod summary;
mod worker;

use crate::Result;
use crate::bits::BitMatrix;
use crate::run::{
    Bits, BoxedCoordinator, Coordinator, ShardWorker, SharedFields, Verb, inconsistent, pack,
    unpack,
};
use crate::sorting::ascending_order;
use report::{KernelsProgress, KernelsResult};
use serde::{Deserialize, Serialize};
use spec::KernelsSpec;
use std::collections::BTreeSet;
use unnorm_gaussian_process::fitting::Fitted;
use unnorm_gaussian_process::marginal_likelihood::bic;
use unnorm_gaussian_process::moves::{all_moves, bases, distinct, first};
use unnorm_gaussian_process::posterior::Marginals;
use unnorm_gaussian_process::{Base, Leaf};
use worker::{Candidate, Found, KernelsWorker, Part, Stage};

/// What a level has found so far.
#[derive(Debug, Clone, Default, PartialEq)]
struct Level {
    /// The best fit of each candidate, in their order.
    fits: Vec<Fitted>,
    /// What the best kernel predicts, once all are fitted.
    prediction: Option<Marginals>,
}

/// All that the rounds so far have found.
#[derive(Debug, Clone, Default, PartialEq)]
struct State {
    levels: Vec<Level>,
    /// The function and its components, at the end.
    parts: Vec<Part>,
}

/// A fit in a snapshot: its expression is that of the candidate.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct SavedFit {
    leaves: Vec<Leaf>,
    ln_noise: f64,
    negative: f64,
    num_evaluations: usize,
    abandoned: bool,
}

/// A [`Level`] in a snapshot.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct SavedLevel {
    fits: Vec<SavedFit>,
    prediction: Option<Marginals>,
}

/// A [`State`] in a snapshot.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
struct SavedState {
    levels: Vec<SavedLevel>,
    parts: Vec<Part>,
}

impl SavedFit {
    fn new(fit: &Fitted) -> Self {
        let leaves = fit.kernel.leaves().into_iter().copied().collect();
        let Fitted { ln_noise, negative, num_evaluations, abandoned, .. } = *fit;
        Self { leaves, ln_noise, negative, num_evaluations, abandoned }
    }

    /// The fit of a candidate; none if it is of another family.
    fn restore(self, candidate: &Candidate) -> Option<Fitted> {
        let Self { leaves, ln_noise, negative, num_evaluations, abandoned } = self;
        let shape = candidate.neighbour.shape();
        if !shape.leaves().into_iter().eq(leaves.iter().map(|leaf| &leaf.base)) {
            return None;
        }
        let mut leaves = leaves.into_iter();
        let kernel = shape.map(&mut |_: &Base| leaves.next().expect("one for each leaf"));
        Some(Fitted { kernel, ln_noise, negative, num_evaluations, abandoned })
    }
}

/// Coordinates the rounds.
pub struct KernelsCoordinator {
    worker: KernelsWorker,
    state: State,
    bases: Vec<Base>,
    /// The families that were tried before the level.
    known: BTreeSet<String>,
    /// Those of the level.
    candidates: Vec<Candidate>,
    /// The kernels that they are next to.
    parents: Vec<Found>,
}

impl KernelsCoordinator {
    /// The coordinator before its first round, or from a snapshot.
    ///
    /// # Errors
    /// [`crate::Error::BadCheckpoint`] if the snapshot is not one of this job.
    fn new(worker: KernelsWorker, snapshot: Option<&[u8]>) -> Result<Self> {
        let state: SavedState = snapshot.map_or(Ok(SavedState::default()), unpack)?;
        let bases = bases(&worker.spec.base_kernels, worker.spec.num_inputs);
        let mut coordinator = Self {
            worker,
            state: State::default(),
            bases,
            known: BTreeSet::new(),
            candidates: Vec::new(),
            parents: Vec::new(),
        };
        coordinator.begin_level();
        let num_levels = state.levels.len();
        if snapshot.is_some() && num_levels == 0 {
            return Err(inconsistent());
        }
        for (at, level) in state.levels.into_iter().enumerate() {
            if at > 0 {
                if coordinator.is_over() {
                    return Err(inconsistent());
                }
                coordinator.begin_level();
            }
            if level.fits.len() > coordinator.candidates.len() {
                return Err(inconsistent());
            }
            let fits = level.fits.into_iter().zip(&coordinator.candidates);
            let fits: Option<Vec<_>> =
                fits.map(|(fit, candidate)| fit.restore(candidate)).collect();
            let Some(fits) = fits else { return Err(inconsistent()) };
            let level = Level { fits, prediction: level.prediction };
            if !coordinator.is_level(&level, at + 1 < num_levels) {
                return Err(inconsistent());
            }
            *coordinator.level_mut() = level;
        }
        coordinator.state.parts = state.parts;
        if !coordinator.are_parts() {
            return Err(inconsistent());
        }
        if coordinator.is_level_complete() && !coordinator.is_over() {
            return Err(inconsistent());
        }
        coordinator.go_on();
        Ok(coordinator)
    }

    /// Whether a level read from outside is one of this search, with all of it done.
    fn is_level(&self, level: &Level, is_complete: bool) -> bool {
        let (num_fits, num_candidates) = (level.fits.len(), self.candidates.len());
        let is_leaf = |leaf: &&Leaf| {
            leaf.ln_scale.abs() < 1e6 && leaf.shape.iter().all(|entry| entry.abs() < 1e6)
        };
        let is_fit = |fit: &Fitted| {
            fit.kernel.leaves().iter().all(is_leaf)
                && fit.ln_noise.abs() < 1e6
                && !fit.negative.is_nan()
                && fit.negative > f64::NEG_INFINITY
        };
        let num_predicted = self.num_predictions();
        let is_prediction = |marginals: &Marginals| {
            num_fits == num_candidates
                && num_predicted > 0
                && marginals.means.len() == num_predicted
                && marginals.variances.len() == num_predicted
        };
        num_fits <= num_candidates
            && (num_fits.is_multiple_of(self.worker.candidates_per_round())
                || num_fits == num_candidates)
            && level.fits.iter().all(is_fit)
            && (self.state.levels.len() > 1
                || num_fits < num_candidates
                || level.fits.iter().any(|fit| fit.negative.is_finite()))
            && level.prediction.iter().all(is_prediction)
            && (!is_complete
                || num_fits == num_candidates && level.prediction.is_some() == (num_predicted > 0))
    }

    /// Whether the parts are those of the kernel chosen.
    fn are_parts(&self) -> bool {
        let parts = &self.state.parts;
        if parts.is_empty() {
            return true;
        }
        let num_values = self.worker.series.values.len();
        let has = |marginals: &Marginals, count: usize| {
            marginals.means.len() == count && marginals.variances.len() == count
        };
        let is_part = |(at, part): (usize, &Part)| {
            has(&part.fitted, num_values)
                && has(&part.predicted, if at == 0 { 0 } else { self.num_predictions() })
                && part.noise.len() == if at == 0 { num_values } else { 0 }
        };
        self.is_over()
            && parts.len() == 1 + self.chosen().kernel.components().len()
            && parts.iter().enumerate().all(is_part)
    }

    fn num_predictions(&self) -> usize {
        self.worker.spec.predict.as_ref().map_or(0, |rows| rows.len() / self.worker.spec.num_inputs)
    }

    fn level(&self) -> &Level {
        self.state.levels.last().expect("a level")
    }

    fn level_mut(&mut self) -> &mut Level {
        self.state.levels.last_mut().expect("a level")
    }

    /// BIC of a fit.
    fn bic(&self, fit: &Fitted) -> f64 {
        let series = &self.worker.series;
        bic(&fit.kernel.shape(), series.values.len(), series.log_evidence(fit.negative))
    }

    /// The fits of a level, the best first; those that failed are last.
    fn ranked<'a>(&self, level: &'a Level) -> Vec<(f64, &'a Fitted)> {
        let bics: Vec<f64> = level.fits.iter().map(|fit| self.bic(fit)).collect();
        ascending_order(&bics).into_iter().map(|at| (bics[at], &level.fits[at])).collect()
    }

    /// The best fit of a level.
    fn best<'a>(&self, level: &'a Level) -> (f64, &'a Fitted) {
        self.ranked(level).swap_remove(0)
    }

    /// The best fit of all complete levels; the earlier one of equals.
    fn chosen(&self) -> &Fitted {
        let bests = self.state.levels.iter().map(|level| self.best(level));
        bests.reduce(|a, b| if b.0 < a.0 { b } else { a }).expect("a level").1
    }

    /// The BIC below which a family of the level must come to be expanded: that of the last one kept so far, and, if a
    /// single one is kept, that of the levels before, without an improvement on which the search ends.
    fn target(&self) -> f64 {
        let keep = self.worker.spec.keep;
        let (level, before) = self.state.levels.split_last().expect("a level");
        let last_kept = self.ranked(level).get(keep - 1).map_or(f64::INFINITY, |(bic, _)| *bic);
        let bests = before.iter().filter(|_| keep == 1).map(|level| self.best(level).0);
        bests.fold(last_kept, f64::min)
    }

    /// Begins the next level.
    fn begin_level(&mut self) {
        let (mut candidates, mut parents) = (Vec::new(), Vec::new());
        if self.state.levels.is_empty() {
            let all = distinct(first(&self.bases), &mut self.known);
            candidates
                .extend(all.into_iter().map(|neighbour| Candidate { neighbour, parent: None }));
        } else {
            let mut ranked = self.ranked(self.level());
            ranked.truncate(self.worker.spec.keep);
            ranked.retain(|(bic, _)| bic.is_finite());
            parents.extend(ranked.iter().map(|(_, fit)| (fit.kernel.clone(), fit.ln_noise)));
            for (at, (kernel, _)) in parents.iter().enumerate() {
                let all = distinct(all_moves(kernel, &self.bases), &mut self.known);
                candidates.extend(
                    all.into_iter().map(|neighbour| Candidate { neighbour, parent: Some(at) }),
                );
            }
        }
        (self.candidates, self.parents) = (candidates, parents);
        self.state.levels.push(Level::default());
    }

    fn is_level_complete(&self) -> bool {
        let level = self.level();
        level.fits.len() == self.candidates.len()
            && level.prediction.is_some() == (self.num_predictions() > 0)
    }

    /// Whether the last level has no lower BIC than those before.
    fn has_stalled(&self) -> bool {
        let (last, before) = self.state.levels.split_last().expect("a level");
        let best = |level: &Level| self.best(level).0;
        before.iter().any(|level| best(level) <= best(last))
    }

    /// Whether the search is over.
    fn is_over(&self) -> bool {
        self.is_level_complete()
            && (self.state.levels.len() == self.worker.spec.max_depth || self.has_stalled())
    }

    /// Goes over to the next stage, and tells the worker.
    fn go_on(&mut self) {
        if self.is_level_complete() && !self.is_over() {
            self.begin_level();
        }
        let found = |fit: &Fitted| (fit.kernel.clone(), fit.ln_noise);
        let num_done = self.level().fits.len();
        let stage = if self.is_over() {
            Stage::Components(found(self.chosen()))
        } else if num_done == self.candidates.len() {
            Stage::Predict(found(self.best(self.level()).1))
        } else {
            let count = self.worker.candidates_per_round();
            Stage::Fits {
                level: self.state.levels.len() - 1,
                first: num_done,
                candidates: self.candidates.iter().skip(num_done).take(count).cloned().collect(),
                parents: self.parents.clone(),
                target: self.target(),
            }
        };
        self.worker.stage = stage;
    }

    fn gather_fits(&mut self, parts: &[Vec<u8>]) {
        for starts in self.worker.starts_of(parts) {
            let fits = starts.iter().map(|part| unpack::<Fitted>(part).expect("a fit"));
            let best = fits.reduce(|a, b| if b.negative < a.negative { b } else { a });
            let level = self.state.levels.last_mut().expect("a level");
            level.fits.push(best.expect("a start"));
        }
    }
}

impl Coordinator for KernelsCoordinator {
    type Progress = KernelsProgress;
    type Output = KernelsResult;

    fn worker(&self) -> &dyn ShardWorker {
        &self.worker
    }

    fn worker_mut(&mut self) -> &mut dyn ShardWorker {
        &mut self.worker
    }

    fn broadcast(&self) -> Vec<u8> {
        pack(&self.worker.stage)
    }

    fn gather(&mut self, parts: &[Vec<u8>]) {
        assert!(!self.is_done(), "the job is done");
        assert_eq!(parts.len(), self.worker.num_shards());
        let part = |part: &Vec<u8>| unpack::<Part>(part).expect("a part");
        match self.worker.stage {
            Stage::Fits { .. } => self.gather_fits(parts),
            Stage::Predict(_) => self.level_mut().prediction = Some(part(&parts[0]).predicted),
            Stage::Components(_) => {
                self.state.parts = parts.iter().map(part).collect();
                return;
            }
        }
        self.go_on();
    }

    fn is_done(&self) -> bool {
        !self.state.parts.is_empty()
    }

    fn snapshot(&self) -> Vec<u8> {
        let level = |level: &Level| SavedLevel {
            fits: level.fits.iter().map(SavedFit::new).collect(),
            prediction: level.prediction.clone(),
        };
        let levels = self.state.levels.iter().map(level).collect();
        pack(&SavedState { levels, parts: self.state.parts.clone() })
    }

    fn progress(&self) -> KernelsProgress {
        summary::progress(self)
    }

    fn result(&self) -> Option<KernelsResult> {
        self.is_done().then(|| summary::result(self))
    }
}

impl Verb for KernelsSpec {
    const NAME: &'static str = "kernels";
    type Progress = KernelsProgress;
    type Output = KernelsResult;

    fn shared_fields(&mut self) -> SharedFields<'_> {
        SharedFields { seed: Some(&mut self.seed), ..SharedFields::default() }
    }

    fn check(&self) -> Result<()> {
        KernelsSpec::check(self)
    }

    fn bits(&self, _is_given: bool) -> Result<Bits> {
        Ok(Bits::Unused)
    }

    fn coordinator(
        &self,
        _data: Option<&BitMatrix>,
        snapshot: Option<&[u8]>,
    ) -> Result<BoxedCoordinator<Self>> {
        KernelsSpec::check(self)?;
        Ok(Box::new(KernelsCoordinator::new(KernelsWorker::new(self), snapshot)?))
    }

    fn worker(&self, _data: Option<&BitMatrix>) -> Result<Box<dyn ShardWorker>> {
        KernelsSpec::check(self)?;
        Ok(Box::new(KernelsWorker::new(self)))
    }
}
