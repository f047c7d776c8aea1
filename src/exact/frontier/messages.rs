//! The functions that the steps of an elimination leave, and the sums of what is taken from them.

use super::FrontierExact;

/// A function left by a step, indexed by x_S.
#[derive(Debug, Clone, Default)]
pub(in crate::exact) struct Message {
    /// m_v minus its first entry, in nats.
    pub log: Vec<f64>,
    /// The mean energy of all that is summed out in it, minus its first entry, in nats.
    pub energy: Vec<f64>,
}

/// The functions left so far, and what was subtracted from them.
#[derive(Debug, Clone, Default)]
pub(in crate::exact) struct Messages {
    /// By step; empty once they have been used.
    left: Vec<Message>,
    /// Sums of what was subtracted from the tables; the next field is that of the energies.
    log_z: Sum,
    mean_energy: Sum,
    /// p(x_v | x_S) for all steps, if they are kept.
    chances: Option<Vec<Vec<f64>>>,
}

/// A sum of many numbers that compensates for rounding (Neumaier 1974), which would otherwise lose
/// the last digits for 30,000 sites.
#[derive(Debug, Clone, Default)]
struct Sum {
    sum: f64,
    lost: f64,
}

impl Sum {
    fn add(&mut self, term: f64) {
        let sum = self.sum + term;
        let (large, small) =
            if self.sum.abs() >= term.abs() { (self.sum, term) } else { (term, self.sum) };
        self.lost += (large - sum) + small;
        self.sum = sum;
    }

    fn value(&self) -> f64 {
        self.sum + self.lost
    }
}

impl Messages {
    /// Such as keep p(x_v | x_S).
    pub fn keeping_chances() -> Self {
        Self { chances: Some(Vec::new()), ..Self::default() }
    }

    /// Whether p(x_v | x_S) is kept.
    pub fn keeps_chances(&self) -> bool {
        self.chances.is_some()
    }

    /// The step that is next.
    pub fn next_step(&self) -> usize {
        self.left.len()
    }

    /// The functions, by the step that left them.
    pub fn left(&self) -> &[Message] {
        &self.left
    }

    /// Ends a step, which used the functions of these steps and leaves this one.
    pub fn close(
        &mut self,
        mut message: Message,
        chances: Vec<f64>,
        used: impl Iterator<Item = usize>,
    ) {
        used.for_each(|step| self.left[step] = Message::default());
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
        self.left.push(message);
    }

    /// The results, once all is done.
    pub fn exact(&self) -> FrontierExact {
        FrontierExact { log_z: self.log_z.value(), mean_energy: self.mean_energy.value() }
    }

    /// p(x_v | x_S) for each step, once all is done.
    ///
    /// # Panics
    /// If they are not kept.
    pub fn into_chances(self) -> Vec<Vec<f64>> {
        self.chances.expect("they are kept")
    }
}
