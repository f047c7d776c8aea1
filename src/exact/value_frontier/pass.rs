//! The sums of an elimination of sites of several values. They can be interrupted at any entry and resumed.

use super::{Step, ValueFrontier};
use crate::exact::frontier::FrontierExact;
use crate::exact::frontier::messages::{Message, Messages};
use crate::linalg::axpy;
use crate::math::{exp_slice, log_sum_exp};

/// The state of an elimination.
#[derive(Debug, Clone, Default)]
pub struct ValuePass {
    messages: Messages,
    open: Option<Open>,
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
        Self { messages: Messages::keeping_chances(), open: None }
    }

    /// Continues until about `budget` terms are added; returns whether all are. Where it is interrupted
    /// does not change a bit.
    ///
    /// # Panics
    /// If it is called with another frontier than before, it may panic.
    pub fn advance(&mut self, frontier: &ValueFrontier, budget: usize) -> bool {
        let mut left = budget.max(1);
        let [mut logs, mut energies] = [Vec::new(), Vec::new()];
        while let Some(step) = frontier.steps.get(self.messages.next_step()) {
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
                open.work_entry(step, self.messages.left(), &mut logs, &mut energies);
                if self.messages.keeps_chances() {
                    open.chances.extend_from_slice(&logs);
                }
                left = left.saturating_sub(step.fields.len());
            }
            let Open { message, chances, .. } = self.open.take().expect("a step under way");
            let used = step.incoming.iter().map(|incoming| incoming.step);
            self.messages.close(message, chances, used);
        }
        true
    }

    /// The results, once all is done.
    pub fn exact(&self) -> FrontierExact {
        self.messages.exact()
    }

    /// p(x_v | x_S) for each step, once all is done.
    pub(super) fn into_chances(self) -> Vec<Vec<f64>> {
        self.messages.into_chances()
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
