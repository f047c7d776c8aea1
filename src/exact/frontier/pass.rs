//! The sums of an elimination. They can be interrupted at any block of entries and resumed.

use super::messages::{Message, Messages};
use super::{Frontier, FrontierExact, Step};
use crate::math::{exp, ln};

/// Number of bits of an index within a block: entries of a table that are computed together.
const BLOCK_BITS: usize = 10;

/// Minimum cost of a step against a budget, in entries.
const MIN_COST: usize = 64;

/// The state of an elimination.
#[derive(Debug, Clone, Default)]
pub struct Pass {
    messages: Messages,
    open: Option<Open>,
}

/// An unfinished step.
#[derive(Debug, Clone, Default)]
struct Open {
    message: Message,
    /// p(x_v = 1 | x_S); empty if it is not kept.
    chances: Vec<f64>,
    num_done: usize,
    /// For each incoming function, its index as a function of the low bits of x_S.
    low_index: Vec<Vec<usize>>,
    /// Σ 2 J_vj x_j over the low bits.
    low_field: Vec<f64>,
}

/// For a block of x_S: Σ of the incoming functions, for x_v = 0 and x_v = 1, and p(x_v = 1 | x_S).
#[derive(Default)]
struct Sums {
    log: [Vec<f64>; 2],
    energy: [Vec<f64>; 2],
    chances: Vec<f64>,
}

impl Pass {
    /// A pass that keeps p(x_v = 1 | x_S).
    pub(super) fn keeping_chances() -> Self {
        Self { messages: Messages::keeping_chances(), open: None }
    }

    /// Continues until about `budget` entries are done; returns whether all are. Where it is
    /// interrupted does not change a bit.
    ///
    /// # Panics
    /// If it is called with another frontier than before, it may panic.
    pub fn advance(&mut self, frontier: &Frontier, budget: usize) -> bool {
        let mut left = budget.max(1);
        let mut sums = Sums::default();
        let keeps_chances = self.messages.keeps_chances();
        while let Some(step) = frontier.steps.get(self.messages.next_step()) {
            let open = self.open.get_or_insert_with(|| Open::new(step, keeps_chances));
            while open.num_done < 1 << step.scope.len() {
                if left == 0 {
                    return false;
                }
                let num_before = open.num_done;
                open.work_block(step, self.messages.left(), &mut sums);
                left = left.saturating_sub((open.num_done - num_before).max(MIN_COST));
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

    /// p(x_v = 1 | x_S) for each step, once all is done.
    pub(super) fn into_chances(self) -> Vec<Vec<f64>> {
        self.messages.into_chances()
    }
}

impl Open {
    fn new(step: &Step, keeps_chances: bool) -> Self {
        let num_bits = step.scope.len();
        let low = 1 << num_bits.min(BLOCK_BITS);
        let index = |mask: usize| (0..low).map(|bits| compress(bits, mask)).collect();
        let field = |bits: usize| sum_over_bits(bits, &step.couplings);
        let table = || vec![0.0; 1 << num_bits];
        Self {
            message: Message { log: table(), energy: table() },
            chances: if keeps_chances { table() } else { Vec::new() },
            num_done: 0,
            low_index: step.incoming.iter().map(|incoming| index(incoming.mask)).collect(),
            low_field: (0..low).map(field).collect(),
        }
    }

    fn work_block(&mut self, step: &Step, messages: &[Message], sums: &mut Sums) {
        let (first, len) = (self.num_done, self.low_field.len());
        sums.clear(len);
        for (incoming, low_index) in step.incoming.iter().zip(&self.low_index) {
            sums.add(&messages[incoming.step], compress(first, incoming.mask), low_index);
        }
        let high_field = step.bias + sum_over_bits(first, &step.couplings);
        let block = first..first + len;
        let log = &mut self.message.log[block.clone()];
        let energy = &mut self.message.energy[block.clone()];
        let Sums { log: [log_0, log_1], energy: [energy_0, energy_1], chances } = sums;
        let (log_0, log_1) = (&log_0[..len], &log_1[..len]);
        let (energy_0, energy_1) = (&energy_0[..len], &energy_1[..len]);
        let (chances, low_field) = (&mut chances[..len], &self.low_field[..len]);
        for at in 0..len {
            let field = high_field + low_field[at];
            let (unset, set) = (log_0[at], log_1[at] - field);
            // ln(e^a + e^b) = max + ln(1 + e^−|a − b|).
            let is_set_more = set > unset;
            let odds = exp(-(set - unset).abs());
            let both = 1.0 + odds;
            let chance = if is_set_more { 1.0 } else { odds } / both;
            let energy_set = energy_1[at] + field;
            log[at] = if is_set_more { set } else { unset } + ln(both);
            energy[at] = energy_0[at] + chance * (energy_set - energy_0[at]);
            chances[at] = chance;
        }
        if !self.chances.is_empty() {
            self.chances[block].copy_from_slice(chances);
        }
        self.num_done += len;
    }
}

impl Sums {
    fn clear(&mut self, len: usize) {
        for sums in self.log.iter_mut().chain(&mut self.energy) {
            sums.clear();
            sums.resize(len, 0.0);
        }
        self.chances.resize(len, 0.0);
    }

    /// Adds a message at the indices `base + low_index`, its first site's bit being the highest.
    fn add(&mut self, message: &Message, base: usize, low_index: &[usize]) {
        for (sums, table) in [(&mut self.log, &message.log), (&mut self.energy, &message.energy)] {
            let (unset, set) = table.split_at(table.len() / 2);
            for (sums, table) in sums.iter_mut().zip([unset, set]) {
                for (sum, &index) in sums.iter_mut().zip(low_index) {
                    *sum += table[base + index];
                }
            }
        }
    }
}

/// The bits of `bits` where `mask` has ones, moved together.
fn compress(bits: usize, mut mask: usize) -> usize {
    let (mut compressed, mut at) = (0, 0);
    while mask != 0 {
        let place = mask.trailing_zeros();
        compressed |= (bits >> place & 1) << at;
        at += 1;
        mask &= mask - 1;
    }
    compressed
}

/// Σ of the values whose bit is set, the first value's bit being the highest.
fn sum_over_bits(bits: usize, values: &[f64]) -> f64 {
    let num_bits = values.len();
    let is_set = |at: usize| bits >> (num_bits - 1 - at) & 1 == 1;
    (0..num_bits).filter(|&at| is_set(at)).fold(0.0, |sum, at| sum + values[at])
}
