//! The checked spec and patterns that every kind of memorizing starts from.

use super::training::Training;
use crate::bits::BitMatrix;
use crate::memory::Network;
use crate::memory::network::num_pairs;
use crate::memory::spec::{FlowOptimizerSpec, MemorizeSpec, RuleSpec, ising_of};
use crate::models::ising::Pattern;
use crate::{Error, Result};

/// Maximum number of patterns: checking one tile of units for all of them takes some 30 ms.
const MAX_PATTERNS: usize = 16_384;

/// Maximum memory, 512 MiB: half of what the threads build has.
const MAX_BYTES: usize = 1 << 29;

/// A checked spec and its patterns.
#[derive(Clone)]
pub struct Setup {
    pub spec: MemorizeSpec,
    pub training: Training,
    /// The network to start from.
    pub start: Network,
    pub margin: f64,
    pub seed: u64,
    /// Estimated memory, in bytes.
    pub num_bytes: usize,
}

impl Setup {
    pub fn new(spec: &MemorizeSpec, patterns: &BitMatrix) -> Result<Self> {
        let ising = ising_of(&spec.model)?;
        if ising.pattern != (Pattern::Dense {}) {
            return Err(Error::spec(
                "model.pattern",
                "leaves pairs out, but patterns are stored in all of them; use a dense pattern",
            ));
        }
        let (dim, count) = (patterns.dim(), patterns.num_rows());
        if ising.dim != dim {
            let problem = format!(
                "is {}, but the patterns have {dim} bits a row; make them equal",
                ising.dim
            );
            return Err(Error::spec("model.dim", problem));
        }
        if count > MAX_PATTERNS {
            return Err(Error::TooLarge {
                field: "patterns".into(),
                problem: format!("are {count}, and the limit is {MAX_PATTERNS}; store fewer"),
            });
        }
        let num_bytes = check_memory(dim, &spec.rule)?;
        let start = Network::from_ising(ising)?;
        let seed = spec.seed.unwrap_or(0);
        let training = Training::new(patterns.clone(), spec.noise, seed)?;
        let margin = spec.wanted_margin();
        Ok(Self { spec: spec.clone(), training, start, margin, seed, num_bytes })
    }

    pub fn dim(&self) -> usize {
        self.training.patterns().dim()
    }

    pub fn has_noise(&self) -> bool {
        self.spec.noise.is_some()
    }

    /// Whether the patterns are stored with the required margin.
    pub fn is_met(&self, storage: &crate::memory::storage::Storage) -> bool {
        if self.margin > 0.0 {
            storage.has_margin(self.margin)
        } else {
            storage.num_stored() == storage.num_wrong.len()
        }
    }
}

/// Maximum number of bytes that learning takes, except for the patterns and their copies; refuses
/// too many.
fn check_memory(dim: usize, rule: &RuleSpec) -> Result<usize> {
    let pairs = num_pairs(dim) as u64 + dim as u64;
    let bytes = match rule {
        // Points and gradients, their differences in the optimizer crate, and a dozen vectors; the
        // matrix of the model that the flow is of, twice, and the one-sided gradient.
        RuleSpec::Mpf { optimizer: FlowOptimizerSpec::Lbfgs { memory, .. } } => {
            8 * (pairs * (4 * (*memory as u64 + 1) + 12) + 6 * pairs)
        }
        // In single precision: the network, in transit and in the worker, and the one-sided
        // gradient, as it is made and as it arrives. In double precision, at the end: the network,
        // in transit and in the worker.
        RuleSpec::Mpf { optimizer: FlowOptimizerSpec::Sgd { .. } } => {
            4 * pairs + (8 * pairs + 16 * pairs).max(8 * 3 * pairs)
        }
        // The starting and the present network, and copies in transit and in the worker.
        _ => 8 * 4 * pairs,
    };
    if bytes > MAX_BYTES as u64 {
        return Err(Error::TooLarge {
            field: "rule.optimizer".into(),
            problem: format!(
                "would take {} MiB of at most {} for {dim} units; use a smaller memory, or gradient \
                 descent on minibatches, {{ kind: 'sgd' }}",
                bytes >> 20,
                MAX_BYTES >> 20
            ),
        });
    }
    Ok(bytes as usize)
}
