//! What every way to memorize begins with: a spec and its patterns, checked.

use super::training::Training;
use crate::bits::BitMatrix;
use crate::memory::Network;
use crate::memory::network::num_pairs;
use crate::memory::spec::{FlowOptimizerSpec, MemorizeSpec, RuleSpec, ising_of};
use crate::models::ising::Pattern;
use crate::{Error, Result};

/// Most patterns: to look at one tile of units of so many takes some 30 ms.
const MAX_PATTERNS: usize = 16_384;

/// Most memory, 512 MiB: half of what the threads build has.
const MAX_BYTES: usize = 1 << 29;

/// A spec and its patterns, checked.
#[derive(Clone)]
pub struct Setup {
    pub spec: MemorizeSpec,
    pub training: Training,
    /// The network to start from.
    pub start: Network,
    pub margin: f64,
    pub seed: u64,
    /// Estimated memory.
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

    /// Whether the patterns are stored as asked.
    pub fn is_met(&self, storage: &crate::memory::storage::Storage) -> bool {
        if self.margin > 0.0 {
            storage.has_margin(self.margin)
        } else {
            storage.num_stored() == storage.num_wrong.len()
        }
    }
}

/// The bytes that learning takes at most, patterns and pictures of them aside;
/// refused where they are too many.
fn check_memory(dim: usize, rule: &RuleSpec) -> Result<usize> {
    let pairs = num_pairs(dim) as u64 + dim as u64;
    let bytes = match rule {
        // Points and gradients, differences of both in the crate, and a dozen vectors; the matrix
        // of the model that the flow is of, twice, and the one-sided gradient.
        RuleSpec::Mpf { optimizer: FlowOptimizerSpec::Lbfgs { memory, .. } } => {
            8 * (pairs * (4 * (*memory as u64 + 1) + 12) + 6 * pairs)
        }
        // Single: the network, on its way and in the worker, and the one-sided gradient as it is
        // made and as it comes. Double, at the end: the network, on its way and in the worker.
        RuleSpec::Mpf { optimizer: FlowOptimizerSpec::Sgd { .. } } => {
            4 * pairs + (8 * pairs + 16 * pairs).max(8 * 3 * pairs)
        }
        // The network where it starts and is, on its way, and in the worker.
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
