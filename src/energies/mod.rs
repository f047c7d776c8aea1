//! The job that computes the energies of given states, their gradients if the model has them, and the
//! parameters that states of a typed model's posterior stand for.
//! Pictures of densities are drawn from them, and users check their own models with them. It takes
//! one round.

pub mod report;
pub mod spec;

use crate::bits::BitMatrix;
use crate::bytes::{from_f64s, to_f64s};
use crate::digest::Digest;
use crate::linalg::{Batch, Block, transpose};
use crate::models::conditional::Entries;
use crate::models::posterior::Posterior;
use crate::models::{Model, ModelSpec};
use crate::run::{
    Bits, BoxedCoordinator, Coordinator, ShardWorker, SharedFields, Verb, inconsistent, pack,
    unpack,
};
use crate::{Error, FULL, Result};
pub use report::{EnergiesProgress, EnergiesResult};
pub use spec::EnergiesSpec;
use std::ops::Range;

/// States per shard: some milliseconds of work for the most expensive models.
const STATES_PER_SHARD: usize = 1024;

/// Maximum number of entries of all states together.
const MAX_NUMBERS: usize = 1 << 24;

/// Works shards of the states.
pub struct EnergiesWorker {
    model: Box<dyn Model>,
    states: Vec<f64>,
    /// Which entries stay, if any.
    observed: Option<Entries>,
    gradients: bool,
    /// The model again, if its parameters are asked for.
    posterior: Option<Posterior>,
}

impl EnergiesWorker {
    /// Checks the model and the states.
    ///
    /// # Errors
    /// Any error of the model's spec; [`Error::InvalidSpec`] or [`Error::TooLarge`] if `states` are
    /// not states of the model; [`Error::MissingCapability`] if gradients or parameters are asked for
    /// and the model has none.
    pub fn new(spec: &EnergiesSpec) -> Result<Self> {
        let model = spec.model.build()?;
        let (dim, count) = (model.dim(), spec.states.len());
        if count == 0 || !count.is_multiple_of(dim) {
            let problem = format!(
                "has {count} numbers, but a state has {dim}; give one state or more, one after another"
            );
            return Err(Error::spec("states", problem));
        }
        if count > MAX_NUMBERS {
            return Err(Error::TooLarge {
                field: "states".into(),
                problem: format!("has {count} numbers; at most {MAX_NUMBERS} are taken at a time"),
            });
        }
        if let Some(at) = spec.states.iter().position(|value| !value.is_finite()) {
            let problem = format!("is {}; every entry must be a finite number", spec.states[at]);
            return Err(Error::spec(format!("states[{at}]"), problem));
        }
        if spec.gradients && model.as_differentiable().is_none() {
            return Err(Error::missing(model.kind(), "Differentiable", "a gradient"));
        }
        let observed = spec.observed.as_ref().filter(|_| FULL);
        let observed = observed.map(|observed| spec.model.entries(observed, dim)).transpose()?;
        let mut states = spec.states.clone();
        if let Some(observed) = &observed {
            observed.overwrite(&mut states);
        }
        let posterior = match &spec.model {
            ModelSpec::Posterior(posterior) if spec.parameters => Some(posterior.build()?),
            _ => None,
        };
        if spec.parameters && posterior.is_none() {
            let problem = format!(
                "is true, and a `{}` has no parameters with priors; leave it out",
                model.kind()
            );
            return Err(Error::spec("parameters", problem));
        }
        Ok(Self { model, states, observed, gradients: spec.gradients, posterior })
    }

    fn num_states(&self) -> usize {
        self.states.len() / self.model.dim()
    }

    /// Numbers that are computed for a state: its energy, gradient and parameters.
    fn width(&self) -> usize {
        let dim = self.model.dim();
        1 + [self.gradients, self.posterior.is_some()].iter().filter(|asked| **asked).count() * dim
    }

    /// Number of entries of the gradients at `num_states` states.
    fn gradients_len(&self, num_states: usize) -> usize {
        if self.gradients { num_states * self.model.dim() } else { 0 }
    }

    fn states_of(&self, shard: usize) -> Range<usize> {
        let start = shard * STATES_PER_SHARD;
        start..self.num_states().min(start + STATES_PER_SHARD)
    }
}

impl ShardWorker for EnergiesWorker {
    fn num_shards(&self) -> usize {
        self.num_states().div_ceil(STATES_PER_SHARD)
    }

    fn prepare(&mut self, _broadcast: &[u8]) {}

    /// The energies of the shard's states, followed by their gradients and parameters.
    fn work(&self, shard: usize, _scattered: &[u8]) -> Vec<u8> {
        let dim = self.model.dim();
        let range = self.states_of(shard);
        let width = range.len();
        let states = &self.states[range.start * dim..range.end * dim];
        let mut numbers = vec![0.0; width * self.width()];
        let (energies, rest) = numbers.split_at_mut(width);
        let (gradients, parameters) = rest.split_at_mut(self.gradients_len(width));
        match self.model.as_differentiable() {
            Some(model) if self.gradients => {
                let mut block = vec![0.0; states.len()];
                let mut grad = vec![0.0; states.len()];
                transpose(dim, width, states, &mut block);
                model.energy_grad(Block::new(dim, &block), energies, &mut grad);
                if let Some(observed) = &self.observed {
                    observed
                        .observed()
                        .for_each(|(d, _)| grad[d * width..(d + 1) * width].fill(0.0));
                }
                transpose(width, dim, &grad, gradients);
            }
            _ => self.model.energy(Batch::new(dim, states), energies),
        }
        if let Some(posterior) = &self.posterior {
            posterior.parameters(Batch::new(dim, states), parameters);
        }
        from_f64s(&numbers)
    }
}

/// Coordinates the computation of the energies.
pub struct EnergiesCoordinator {
    worker: EnergiesWorker,
    /// All energies, followed by all gradients and all parameters; none before the round.
    numbers: Option<Vec<f64>>,
}

impl EnergiesCoordinator {
    /// The coordinator before its round.
    pub fn new(worker: EnergiesWorker) -> Self {
        Self { worker, numbers: None }
    }

    /// The coordinator from a snapshot.
    ///
    /// # Errors
    /// [`Error::BadCheckpoint`] if the snapshot is not one of this job.
    pub fn resume(worker: EnergiesWorker, snapshot: &[u8]) -> Result<Self> {
        let numbers: Option<Vec<f64>> = unpack(snapshot)?;
        let count = worker.num_states() * worker.width();
        if numbers.as_ref().is_some_and(|numbers| numbers.len() != count) {
            return Err(inconsistent());
        }
        Ok(Self { worker, numbers })
    }
}

impl Coordinator for EnergiesCoordinator {
    type Progress = EnergiesProgress;
    type Output = EnergiesResult;

    fn worker(&self) -> &dyn ShardWorker {
        &self.worker
    }

    fn worker_mut(&mut self) -> &mut dyn ShardWorker {
        &mut self.worker
    }

    fn broadcast(&self) -> Vec<u8> {
        Vec::new()
    }

    fn gather(&mut self, parts: &[Vec<u8>]) {
        assert!(!self.is_done(), "the job is done");
        assert_eq!(parts.len(), self.worker.num_shards());
        let [mut energies, mut gradients, mut parameters] = [(); 3].map(|()| Vec::new());
        for (shard, part) in parts.iter().enumerate() {
            let part = to_f64s(part).expect("numbers");
            let num_states = self.worker.states_of(shard).len();
            let (of_energy, rest) = part.split_at(num_states);
            let (of_gradient, of_parameters) = rest.split_at(self.worker.gradients_len(num_states));
            energies.extend_from_slice(of_energy);
            gradients.extend_from_slice(of_gradient);
            parameters.extend_from_slice(of_parameters);
        }
        self.numbers = Some([energies, gradients, parameters].concat());
    }

    fn is_done(&self) -> bool {
        self.numbers.is_some()
    }

    fn snapshot(&self) -> Vec<u8> {
        pack(&self.numbers)
    }

    fn progress(&self) -> EnergiesProgress {
        let done = self.is_done();
        EnergiesProgress { verb: "energies", fraction: f64::from(done), done }
    }

    fn result(&self) -> Option<EnergiesResult> {
        let num_states = self.worker.num_states();
        let (energies, rest) = self.numbers.as_ref()?.split_at(num_states);
        let (gradients, parameters) = rest.split_at(self.worker.gradients_len(num_states));
        // The bits of a NaN are not specified.
        let plain = |values: &[f64]| -> Vec<f64> {
            values.iter().map(|value| if value.is_nan() { f64::NAN } else { *value }).collect()
        };
        let [energies, gradients, parameters] = [energies, gradients, parameters].map(plain);
        let digest = Digest::new().f64s("energies", &energies).f64s("gradients", &gradients);
        let digest =
            if parameters.is_empty() { digest } else { digest.f64s("parameters", &parameters) };
        Some(EnergiesResult { energies, gradients, parameters, digest: digest.hex() })
    }
}

impl Verb for EnergiesSpec {
    const NAME: &'static str = "energies";
    type Progress = EnergiesProgress;
    type Output = EnergiesResult;

    fn shared_fields(&mut self) -> SharedFields<'_> {
        SharedFields {
            model: Some(&mut self.model),
            states: Some(&mut self.states),
            ..SharedFields::default()
        }
    }

    fn bits(&self, _is_given: bool) -> Result<Bits> {
        Ok(Bits::Unused)
    }

    fn coordinator(
        &self,
        _data: Option<&BitMatrix>,
        snapshot: Option<&[u8]>,
    ) -> Result<BoxedCoordinator<Self>> {
        let worker = EnergiesWorker::new(self)?;
        Ok(Box::new(match snapshot {
            None => EnergiesCoordinator::new(worker),
            Some(snapshot) => EnergiesCoordinator::resume(worker, snapshot)?,
        }))
    }

    fn worker(&self, _data: Option<&BitMatrix>) -> Result<Box<dyn ShardWorker>> {
        Ok(Box::new(EnergiesWorker::new(self)?))
    }
}
