//! Memory of a block of chains that steps reuse.

use super::annealed::Ends;
use std::any::Any;

/// The state of chains, except their streams: what a rejection restores.
#[derive(Debug, Clone, Default)]
pub(crate) struct Snapshot {
    pub position: Vec<f64>,
    pub momentum: Vec<f64>,
    pub energy: Vec<f64>,
    pub grad: Vec<f64>,
    pub ends: Option<Ends>,
}

/// See [`Chains::scratch`].
#[derive(Debug, Clone, Default)]
pub(crate) struct Scratch {
    /// The state at the start of the step.
    pub before: Snapshot,
    /// Total energies at the start; the next field has the present ones, and the change once it is
    /// decided.
    pub total_before: Vec<f64>,
    pub total: Vec<f64>,
    /// Acceptance probability of each proposal.
    pub acceptance: Vec<f64>,
    /// Temporary row for the dense maps of a tuning.
    pub line: Vec<f64>,
    /// A chain that moves within constraints.
    pub ball: Ball,
    /// Chains whose trajectory was given up.
    pub is_lost: Vec<bool>,
    /// The transition's own memory.
    pub memory: Memory,
}

/// One chain that moves within constraints, with its entries contiguous.
#[derive(Debug, Clone, Default)]
pub(crate) struct Ball {
    pub x: Vec<f64>,
    pub v: Vec<f64>,
    /// The velocity A v.
    pub velocity: Vec<f64>,
    /// Aᵀn for the constraint that is hit.
    pub normal: Vec<f64>,
}

/// Memory of one transition, of a type that only it knows. Other transitions find it empty, and so
/// do copies of the chains.
#[derive(Default)]
pub(crate) struct Memory(Option<Box<dyn Any + Send + Sync>>);

impl Memory {
    /// Takes the memory kept last if it has this type, else a default one.
    pub fn take<T: Any + Send + Sync + Default>(&mut self) -> Box<T> {
        self.0.take().and_then(|kept| kept.downcast().ok()).unwrap_or_default()
    }

    /// Keeps the memory for the next step.
    pub fn keep<T: Any + Send + Sync>(&mut self, memory: Box<T>) {
        self.0 = Some(memory);
    }
}

impl Clone for Memory {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl std::fmt::Debug for Memory {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Memory")
    }
}
