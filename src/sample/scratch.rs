//! Memory of a block of chains that steps reuse.

use super::annealed::Ends;
use super::chains::Chains;
use std::any::Any;
use std::mem::swap;

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

impl Snapshot {
    /// Copies the present state of all chains.
    pub fn save(&mut self, chains: &Chains) {
        self.position.clone_from(&chains.position);
        self.momentum.clone_from(&chains.momentum);
        self.energy.clone_from(&chains.energy);
        self.grad.clone_from(&chains.grad);
        self.ends.clone_from(&chains.ends);
    }

    /// Takes the present state of all chains, and leaves them the old arrays of this snapshot, in
    /// their shape and at their β.
    pub fn exchange(&mut self, chains: &mut Chains) {
        let fields = [
            (&mut self.position, &mut chains.position),
            (&mut self.momentum, &mut chains.momentum),
            (&mut self.energy, &mut chains.energy),
            (&mut self.grad, &mut chains.grad),
        ];
        for (before, now) in fields {
            before.resize(now.len(), 0.0);
            swap(before, now);
        }
        if let (Some(before), Some(now)) = (&mut self.ends, &mut chains.ends) {
            before.exchange(now);
        } else {
            self.ends.clone_from(&chains.ends);
        }
    }

    /// Copies the snapshot to `chains`.
    pub fn restore(&self, chains: &mut Chains) {
        chains.position.clone_from(&self.position);
        chains.momentum.clone_from(&self.momentum);
        chains.energy.clone_from(&self.energy);
        chains.grad.clone_from(&self.grad);
        chains.ends.clone_from(&self.ends);
    }
}
