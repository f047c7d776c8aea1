//! The sums of an elimination of sites of several values. They can be interrupted at any entry and resumed.

use super::{Step, ValueFrontier};
use crate::exact::frontier::{FrontierExact, Sum};
use crate::linalg::axpy;
use crate::math::{exp_slice, log_sum_exp};

/// A function left by a step, indexed by x_S.
#[derive(Debug, Clone, Default)]
struct Message {
    /// m_v minus its first entry, in nats.
    log: Vec<f64>,
    /// The mean energy of all that is summed out in it, minus its first entry, in nats.
    energy: Vec<f64>,
}

/// The state of an elimination.
#[derive(Debug, Clone, Default)]
pub struct ValuePass {
    /// The functions not yet used, by step.
    messages: Vec<Message>,
    next_step: usize,
    open: Option<Open>,
    /// Sums of what was subtracted from the tables; the next field is that of the energies.
    log_z: Sum,
    mean_energy: Sum,
    /// p(x_v | x_S), `[entries, q_v]`, for all steps, if they are kept.
    chances: Option<Vec<Vec<f64>>>,
}

/// An unfinished step.
#[derive(Debug, Clone)]
struct Open {
    message: Message,
    /// p(x_v | x_S) so far; empty if it is not kept.
    chances: Vec<f64>,
    /// The values of the sites of S at the next entry.
    values: Vec<usize>,
}

impl ValuePass {
    /// A pass that keeps p(x_v | x_S).
    pub(super) fn keeping_chances() -> Self {
        Self { chances: Some(Vec::new()), ..Self::default() }
    }

    /// Continues until about `budget` terms are added; returns whether all are. Where it is interrupted
    /// does not change a bit.
    ///
    /// # Panics
    /// If it is called with another frontier than before, it may panic.
    pub fn advance(&mut self, frontier: &ValueFrontier, budget: usize) -> bool {
        let mut left = budget.max(1);
        let [mut logs, mut energies] = [Vec::new(), Vec::new()];
        self.messages.resize(frontier.steps.len(), Message::default());
        while let Some(step) = frontier.steps.get(self.next_step) {
            let open = self.open.get_or_insert_with(|| Open {
                message: Message::default(),
                chances: Vec::new(),
                values: vec![0; step.scope.len()],
            });
            let num_entries = step.num_entries();
            while open.message.log.len() < num_entries {
                if left == 0 {
                    return false;
                }
                open.work_entry(step, &self.messages, &mut logs, &mut energies);
                if self.chances.is_some() {
                    open.chances.extend_from_slice(&logs);
                }
                left = left.saturating_sub(step.fields.len());
            }
            self.close(step);
        }
        true
    }

    /// The results, once all is done.
    pub fn exact(&self) -> FrontierExact {
        FrontierExact { log_z: self.log_z.value(), mean_energy: self.mean_energy.value() }
    }

    /// p(x_v | x_S) for each step, once all is done.
    pub(super) fn into_chances(self) -> Vec<Vec<f64>> {
        self.chances.expect("a pass that keeps them")
    }

    fn close(&mut self, step: &Step) {
        let Open { mut message, chances, .. } = self.open.take().expect("a step under way");
        for incoming in &step.incoming {
            self.messages[incoming.step] = Message::default();
        }
        if let Some(kept) = &mut self.chances {
            kept.push(chances);
        }
        let shift = |table: &mut Vec<f64>| {
            let first = table[0];
            table.iter_mut().for_each(|entry| *entry -= first);
            first
        };
        self.log_z.add(shift(&mut message.log));
        self.mean_energy.add(shift(&mut message.energy));
        self.messages[self.next_step] = message;
        self.next_step += 1;
    }
}

impl Open {
    /// Works the next entry. The probabilities of the site's values are left in `logs`.
    fn work_entry(
        &mut self,
        step: &Step,
        messages: &[Message],
        logs: &mut Vec<f64>,
        energies: &mut Vec<f64>,
    ) {
        let width = step.fields.len();
        logs.clear();
        logs.extend_from_slice(&step.fields);
        for (couplings, value) in step.couplings.iter().zip(&self.values) {
            if !couplings.is_empty() {
                axpy(1.0, &couplings[value * width..(value + 1) * width], logs);
            }
        }
        energies.clear();
        energies.extend(logs.iter().map(|gain| -gain));
        for incoming in &step.incoming {
            let places = self.values.iter().zip(&incoming.strides);
            let first: usize = places.map(|(value, stride)| value * stride).sum();
            let message = &messages[incoming.step];
            axpy(1.0, &message.log[first..first + width], logs);
            axpy(1.0, &message.energy[first..first + width], energies);
        }
        let total = log_sum_exp(logs);
        logs.iter_mut().for_each(|log| *log -= total);
        exp_slice(logs);
        self.message.log.push(total);
        self.message.energy.push(logs.iter().zip(&*energies).map(|(p, energy)| p * energy).sum());
        for (value, count) in self.values.iter_mut().zip(&step.counts) {
            *value += 1;
            if *value < *count {
                break;
            }
            *value = 0;
        }
    }
}
