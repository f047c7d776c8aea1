//! Fits of deep belief networks, machine by machine from the bottom (Hinton,
//! Osindero and Teh 2006; Sohl-Dickstein 2012, section 3.2).
//!
//! A machine is fitted as it would be by itself, by the coordinators of the other files here. Then
//! its hidden units are drawn once for each row of its data, and the draws are the data of the next
//! machine. Draws rather than probabilities, so that the data stay bits.
//!
//! The bottom machine is fitted with the seed of the whole job, and so gets the same parameters as
//! in a separate fit. Those above have seeds derived from it.

mod layer;
mod worker;

pub use worker::StackWorker;

use super::{Rows, create_coordinator, with_digest};
use crate::Result;
use crate::bits::{BitMatrix, are_rows, words_per_row};
use crate::bytes::{from_words, to_words};
use crate::energy::{Energy, HiddenUnits, Parametric};
use crate::fit::job::report::{FitProgress, FitResult, LayerFit};
use crate::fit::job::spec::FitSpec;
use crate::models::ModelSpec;
use crate::models::dbn::{Dbn, DbnSpec};
use crate::run::{BoxedCoordinator, Coordinator, ShardWorker, inconsistent, pack, unpack};
use layer::{Fitted, layer_spec, of_layer, params_of};
use serde::{Deserialize, Serialize};
use worker::{Stage, fit_broadcast, pass_broadcast};

/// What changes from round to round, besides the current fit.
#[derive(Serialize, Deserialize)]
struct State {
    /// The fitted machines, from the bottom up.
    fitted: Vec<Fitted>,
    /// The data of the current or next machine, as words; empty for the bottom one, which has those
    /// of the job.
    data: Vec<u64>,
    /// The rows drawn so far for the next machine, while they are being drawn.
    drawn: Option<Vec<u64>>,
}

/// Coordinates a fit of a deep belief network.
pub struct StackFit {
    spec: FitSpec,
    worker: StackWorker,
    /// The current parameters: fitted, being fitted, or those to start from.
    model: Dbn,
    state: State,
    /// The current fit; none while data are drawn and at the end.
    fit: Option<BoxedCoordinator<FitSpec>>,
}

impl StackFit {
    /// The coordinator before the first round, or from a snapshot.
    ///
    /// # Errors
    /// The errors of fitting any of the machines, found before work starts;
    /// [`crate::Error::BadCheckpoint`] if the snapshot is not one of this job.
    pub fn new(
        spec: &FitSpec,
        dbn: &DbnSpec,
        data: &BitMatrix,
        snapshot: Option<&[u8]>,
    ) -> Result<Self> {
        let model = dbn.build()?;
        // A fit needs only the shape of its data here, and the shape is known.
        for layer in 1..model.layers().len() {
            let shape = BitMatrix::zeros(model.layers()[layer].dim(), data.num_rows());
            create_coordinator(&layer_spec(spec, &model, layer), Rows::Bits(&shape), None)
                .map_err(|error| of_layer(error, layer))?;
        }
        let worker = StackWorker::new(spec, dbn, data)?;
        let (state, inner) = match snapshot {
            None => (State { fitted: Vec::new(), data: Vec::new(), drawn: None }, None),
            Some(snapshot) => unpack::<(State, Option<Vec<u8>>)>(snapshot)?,
        };
        let mut fit = Self { spec: spec.clone(), worker, model, state, fit: None };
        if snapshot.is_some() && !fit.is_valid(inner.is_some()) {
            return Err(inconsistent());
        }
        for (machine, fitted) in fit.model.layers_mut().iter_mut().zip(&fit.state.fitted) {
            machine.set_params(&fitted.params);
        }
        if fit.state.drawn.is_some() {
            fit.worker.enter(Stage::Pass { layer: fit.state.fitted.len() - 1 });
        } else if !fit.is_done() {
            fit.begin(inner.as_deref())?;
        }
        Ok(fit)
    }

    /// Whether a state read from a snapshot can be one of this job.
    fn is_valid(&self, has_fit: bool) -> bool {
        let State { fitted, data, drawn } = &self.state;
        let (layers, num_rows) = (self.model.layers(), self.worker.num_rows());
        let is_done = fitted.len() == layers.len();
        if fitted.len() > layers.len() || has_fit == (is_done || drawn.is_some()) {
            return false;
        }
        // While data are drawn, the data of the machine they are drawn from are kept.
        let current = if drawn.is_some() || is_done {
            fitted.len().checked_sub(1)
        } else {
            Some(fitted.len())
        };
        let Some(current) = current else { return false };
        let has_rows = |words: &[u64], dim: usize, most: bool| {
            let width = words_per_row(dim);
            (words.len() == num_rows * width || (most && words.len() < num_rows * width))
                && are_rows(dim, words)
        };
        let data_fit = if current == 0 || is_done {
            data.is_empty()
        } else {
            has_rows(data, layers[current].dim(), false)
        };
        data_fit
            && fitted
                .iter()
                .zip(layers)
                .all(|(fitted, machine)| fitted.params.len() == machine.params().len())
            && drawn
                .as_ref()
                .is_none_or(|drawn| !is_done && has_rows(drawn, layers[current].num_hidden(), true))
    }

    /// Begins or resumes the fit of the next machine.
    fn begin(&mut self, snapshot: Option<&[u8]>) -> Result<()> {
        let layer = self.state.fitted.len();
        let data = self.worker.data_of(layer, &self.state.data);
        let spec = layer_spec(&self.spec, &self.model, layer);
        let rows = Rows::Bits(&data);
        let fit = create_coordinator(&spec, rows, snapshot)?;
        self.worker.enter(Stage::Fit { layer, worker: super::create_worker(&spec, rows)? });
        self.fit = Some(fit);
        self.follow();
        Ok(())
    }

    /// Prepares the local worker for a round with other shards than the last: the check of a
    /// machine.
    fn follow(&mut self) {
        let Some(fit) = &self.fit else { return };
        if fit.worker().num_shards() != self.worker.num_shards() {
            let broadcast = Coordinator::broadcast(self);
            self.worker.prepare(&broadcast);
        }
    }

    /// Records a finished fit.
    fn end(&mut self) {
        let Some(result) = self.fit.take().and_then(|fit| fit.result()) else {
            unreachable!("the fit of a machine is done");
        };
        let layer = self.state.fitted.len();
        let params = params_of(&result.model);
        self.model.layers_mut()[layer].set_params(&params);
        let report = LayerFit {
            objective: result.objective,
            grad_norm: result.grad_norm,
            num_iterations: result.num_iterations,
            num_evaluations: result.num_evaluations,
            converged: result.converged,
            stop_reason: result.stop_reason,
        };
        self.state.fitted.push(Fitted { params, report, warnings: result.warnings });
        if self.is_done() {
            self.state.data = Vec::new();
        } else {
            self.state.drawn = Some(Vec::new());
            self.worker.enter(Stage::Pass { layer });
        }
    }

    /// Number of rows drawn so far for the next machine.
    fn num_drawn(&self, drawn: &[u64]) -> usize {
        let layer = self.state.fitted.len() - 1;
        drawn.len() / words_per_row(self.model.layers()[layer].num_hidden())
    }

    fn is_done(&self) -> bool {
        self.state.fitted.len() == self.model.layers().len()
    }
}

impl Coordinator for StackFit {
    type Progress = FitProgress;
    type Output = FitResult;

    fn worker(&self) -> &dyn ShardWorker {
        &self.worker
    }

    fn worker_mut(&mut self) -> &mut dyn ShardWorker {
        &mut self.worker
    }

    fn broadcast(&self) -> Vec<u8> {
        let layer = self.state.fitted.len();
        match (&self.fit, &self.state.drawn) {
            (Some(fit), _) => fit_broadcast(layer, &self.state.data, &fit.broadcast()),
            (None, Some(drawn)) => pass_broadcast(
                layer - 1,
                self.num_drawn(drawn),
                &self.state.fitted[layer - 1].params,
            ),
            (None, None) => Vec::new(),
        }
    }

    fn scatter(&self, shard: usize) -> Vec<u8> {
        match (&self.fit, &self.state.drawn) {
            (Some(fit), _) => fit.scatter(shard),
            (None, Some(drawn)) => {
                let layer = self.state.fitted.len() - 1;
                let rows = self.worker.pass_rows(self.num_drawn(drawn), shard);
                let width = words_per_row(self.model.layers()[layer].dim());
                match layer {
                    0 => Vec::new(),
                    _ => from_words(&self.state.data[rows.start * width..rows.end * width]),
                }
            }
            (None, None) => Vec::new(),
        }
    }

    fn gather(&mut self, parts: &[Vec<u8>]) {
        assert!(!self.is_done(), "the job is done");
        if let Some(fit) = &mut self.fit {
            fit.gather(parts);
            if fit.is_done() {
                self.end();
            }
            self.follow();
            return;
        }
        let mut drawn = self.state.drawn.take().expect("data are drawn or a machine is fitted");
        parts.iter().for_each(|part| drawn.extend(to_words(part)));
        if self.num_drawn(&drawn) < self.worker.num_rows() {
            self.state.drawn = Some(drawn);
            return;
        }
        self.state.data = drawn;
        self.begin(None).expect("every machine was checked before work started");
    }

    fn is_done(&self) -> bool {
        Self::is_done(self)
    }

    fn snapshot(&self) -> Vec<u8> {
        pack(&(&self.state, self.fit.as_ref().map(|fit| fit.snapshot())))
    }

    fn progress(&self) -> FitProgress {
        let under_way = self.fit.as_ref().map(|fit| fit.progress());
        let fitted = &self.state.fitted;
        let mut model = self.model.clone();
        let num_params = |layer: usize| model.layers()[layer].params().len() as f64;
        // An evaluation takes time in proportion to the machine's number of weights.
        let total: f64 = (0..model.layers().len()).map(num_params).sum();
        let mut done: f64 = (0..fitted.len()).map(num_params).sum();
        let mut iteration: usize = fitted.iter().map(|layer| layer.report.num_iterations).sum();
        let mut num_evaluations: usize =
            fitted.iter().map(|layer| layer.report.num_evaluations).sum();
        let (objective, grad_norm) = match (&under_way, fitted.last()) {
            (Some(progress), _) => (progress.objective, progress.grad_norm),
            (None, Some(last)) => (last.report.objective, last.report.grad_norm),
            (None, None) => (f64::NAN, f64::NAN),
        };
        if let Some(progress) = under_way {
            done += num_params(fitted.len()) * progress.fraction;
            iteration += progress.iteration;
            num_evaluations += progress.num_evaluations;
            model.layers_mut()[fitted.len()].set_params(&params_of(&progress.model));
        }
        let is_done = Self::is_done(self);
        FitProgress {
            verb: "fit",
            iteration,
            num_evaluations,
            objective,
            grad_norm,
            fraction: if is_done { 1.0 } else { (done / total).min(0.999) },
            done: is_done,
            layer: Some(fitted.len().min(model.layers().len() - 1)),
            model: ModelSpec::Dbn(model.to_spec()),
        }
    }

    fn result(&self) -> Option<FitResult> {
        if !Self::is_done(self) {
            return None;
        }
        let layers: Vec<LayerFit> =
            self.state.fitted.iter().map(|layer| layer.report.clone()).collect();
        let top = layers.last()?;
        let reasons = layers
            .iter()
            .enumerate()
            .map(|(index, layer)| format!("layer {index}: {}", layer.stop_reason));
        let warnings = self.state.fitted.iter().enumerate().flat_map(|(index, layer)| {
            layer.warnings.iter().map(move |warning| format!("layer {index}: {warning}"))
        });
        let warnings = warnings.collect();
        let result = FitResult {
            model: ModelSpec::Dbn(self.model.to_spec()),
            objective: top.objective,
            grad_norm: top.grad_norm,
            num_iterations: layers.iter().map(|layer| layer.num_iterations).sum(),
            num_evaluations: layers.iter().map(|layer| layer.num_evaluations).sum(),
            converged: layers.iter().all(|layer| layer.converged),
            stop_reason: reasons.collect::<Vec<_>>().join("; "),
            warnings,
            connectivity: None,
            #[cfg(feature = "full")]
            errors: None,
            seed: self.spec.seed.unwrap_or(0),
            digest: String::new(),
            layers: Some(layers),
        };
        Some(with_digest(result, &self.model.params()))
    }
}
