//! The job that computes the energies of given states, and what else is known of each: gradients,
//! the parameters that states of a typed model's posterior stand for, conditional probabilities,
//! hidden units, and ln p where log Z depends on the state.
//! Pictures of densities are drawn from them, and users check their own models with them. It takes
//! one round.

mod quantities;
pub mod report;
#[cfg(feature = "full")]
mod row_normalizers;
pub mod spec;

use crate::Result;
use crate::bits::BitMatrix;
use crate::bytes::{from_f64s, to_f64s};
use crate::digest::Digest;
use crate::run::{
    Bits, BoxedCoordinator, Coordinator, ShardWorker, SharedFields, Verb, inconsistent, pack,
    unpack,
};
use quantities::{Quantities, Quantity};
pub use report::{EnergiesProgress, EnergiesResult};
#[cfg(feature = "full")]
use row_normalizers::RowNormalizers;
pub use spec::EnergiesSpec;
use std::ops::Range;

/// States per shard: some milliseconds of work for the most expensive models.
const STATES_PER_SHARD: usize = 1024;

/// Works shards of the states, and then of the sums that their log Z takes.
pub struct EnergiesWorker {
    quantities: Quantities,
    #[cfg(feature = "full")]
    normalizers: Option<RowNormalizers>,
}

impl EnergiesWorker {
    /// Checks the model and the states.
    ///
    /// # Errors
    /// Any error of the model's spec; [`crate::Error::InvalidSpec`] or [`crate::Error::TooLarge`] if
    /// `states` are not states of the model; [`crate::Error::MissingCapability`] if something is
    /// asked for that the model has not.
    pub fn new(spec: &EnergiesSpec) -> Result<Self> {
        let quantities = Quantities::new(spec)?;
        #[cfg(feature = "full")]
        let normalizers = match spec.log_probabilities {
            true => Some(RowNormalizers::new(quantities.model(), quantities.all_states())?),
            false => None,
        };
        Ok(Self {
            quantities,
            #[cfg(feature = "full")]
            normalizers,
        })
    }

    fn states_of(&self, shard: usize) -> Range<usize> {
        let start = shard * STATES_PER_SHARD;
        start..self.quantities.num_states().min(start + STATES_PER_SHARD)
    }

    fn num_state_shards(&self) -> usize {
        self.quantities.num_states().div_ceil(STATES_PER_SHARD)
    }

    /// Number of shards of the sums of log Z.
    fn num_sum_shards(&self) -> usize {
        #[cfg(feature = "full")]
        if let Some(normalizers) = &self.normalizers {
            return normalizers.num_shards();
        }
        0
    }

    /// The numbers of a shard of sums.
    #[cfg(feature = "full")]
    fn sums(&self, shard: usize) -> Vec<f64> {
        self.normalizers.as_ref().expect("there are sums").shard(shard)
    }

    /// Adds ln p of all states to their numbers, from the parts of all shards of sums.
    #[cfg(feature = "full")]
    fn add_log_probabilities(&self, sums: &[Vec<f64>], numbers: &mut Vec<Vec<f64>>) {
        let Some(normalizers) = &self.normalizers else { return };
        let log_z = normalizers.log_z(sums);
        let energies = &numbers[Quantity::Energy as usize];
        numbers.push(energies.iter().zip(log_z).map(|(energy, log_z)| -energy - log_z).collect());
    }
}

impl ShardWorker for EnergiesWorker {
    fn num_shards(&self) -> usize {
        self.num_state_shards() + self.num_sum_shards()
    }

    fn prepare(&mut self, _broadcast: &[u8]) {}

    /// Each quantity of the shard's states, one after another; or sums.
    fn work(&self, shard: usize, _scattered: &[u8]) -> Vec<u8> {
        #[cfg(feature = "full")]
        if let Some(shard) = shard.checked_sub(self.num_state_shards()) {
            return from_f64s(&self.sums(shard));
        }
        from_f64s(&self.quantities.compute(self.states_of(shard)).concat())
    }
}

/// Coordinates the computation of the energies.
pub struct EnergiesCoordinator {
    worker: EnergiesWorker,
    /// Each quantity of all states, and ln p if it is asked for; none before the round.
    numbers: Option<Vec<Vec<f64>>>,
}

impl EnergiesCoordinator {
    /// The coordinator before its round.
    pub fn new(worker: EnergiesWorker) -> Self {
        Self { worker, numbers: None }
    }

    /// The coordinator from a snapshot.
    ///
    /// # Errors
    /// [`crate::Error::BadCheckpoint`] if the snapshot is not one of this job.
    pub fn resume(worker: EnergiesWorker, snapshot: &[u8]) -> Result<Self> {
        let numbers: Option<Vec<Vec<f64>>> = unpack(snapshot)?;
        let num_states = worker.quantities.num_states();
        let mut widths = worker.quantities.widths().to_vec();
        if worker.num_sum_shards() > 0 {
            widths.push(1);
        }
        if numbers.as_ref().is_some_and(|numbers| {
            !numbers.iter().map(Vec::len).eq(widths.iter().map(|width| width * num_states))
        }) {
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
        let widths = self.worker.quantities.widths();
        let mut numbers = vec![Vec::new(); widths.len()];
        let mut parts = parts.iter().map(|part| to_f64s(part).expect("numbers"));
        for shard in 0..self.worker.num_state_shards() {
            let part = parts.next().expect("one a shard");
            let mut rest = &part[..];
            for (numbers, width) in numbers.iter_mut().zip(widths) {
                let (own, others) = rest.split_at(width * self.worker.states_of(shard).len());
                numbers.extend_from_slice(own);
                rest = others;
            }
        }
        #[cfg(feature = "full")]
        self.worker.add_log_probabilities(&parts.collect::<Vec<_>>(), &mut numbers);
        self.numbers = Some(numbers);
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
        let numbers = self.numbers.as_ref()?;
        // The bits of a NaN are not specified.
        let plain = |values: &Vec<f64>| -> Vec<f64> {
            values.iter().map(|value| if value.is_nan() { f64::NAN } else { *value }).collect()
        };
        let of = |quantity: Quantity| numbers.get(quantity as usize).map_or(Vec::new(), plain);
        let (energies, gradients) = (of(Quantity::Energy), of(Quantity::Gradient));
        let parameters = of(Quantity::Parameters);
        let mut digest = Digest::new().f64s("energies", &energies).f64s("gradients", &gradients);
        if !parameters.is_empty() {
            digest = digest.f64s("parameters", &parameters);
        }
        #[cfg(feature = "full")]
        let others = {
            let others = [Quantity::Conditionals, Quantity::Hidden, Quantity::LogProbability];
            others.map(of)
        };
        #[cfg(feature = "full")]
        for (name, values) in
            ["conditionals", "hidden", "logProbabilities"].into_iter().zip(&others)
        {
            if !values.is_empty() {
                digest = digest.f64s(name, values);
            }
        }
        #[cfg(feature = "full")]
        let [conditionals, hidden, log_probabilities] = others;
        Some(EnergiesResult {
            energies,
            gradients,
            parameters,
            #[cfg(feature = "full")]
            conditionals,
            #[cfg(feature = "full")]
            hidden,
            #[cfg(feature = "full")]
            log_probabilities,
            digest: digest.hex(),
        })
    }
}

impl Verb for EnergiesSpec {
    const NAME: &'static str = "energies";
    type Progress = EnergiesProgress;
    type Output = EnergiesResult;

    fn shared_fields(&mut self) -> SharedFields<'_> {
        SharedFields { model: Some(&mut self.model), ..SharedFields::default() }
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
