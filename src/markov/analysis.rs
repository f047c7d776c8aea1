//! What follows from a chain's matrix without its powers, piece by piece.

use super::birth_death::BirthDeath;
use super::classes::Classes;
use super::conductance::{Cut, MAX_SUBSETS, flows, least_cut, sweep_cut};
use super::spectrum::{Reduction, Spectrum, symmetrized};
use super::stationary::Elimination;
use serde::{Deserialize, Serialize};

/// Violations of detailed balance up to this part of the greatest flow are rounding errors.
const REVERSIBLE: f64 = 1e-12;

/// Recurrent states of lower probability have no accurate square root beside 1, nor a reciprocal.
const LEAST_PROBABILITY: f64 = 1e-290;

/// Classes, stationary distribution, balance, spectrum and conductance.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Analysis {
    pub(super) classes: Classes,
    /// The stationary distribution; with several closed classes that which gives each the same
    /// probability.
    pub(super) stationary: Vec<f64>,
    /// `max |π_i T_ij − π_j T_ji|`.
    pub(super) violation: f64,
    pub(super) is_reversible: bool,
    /// Of the only closed class; none if there are several, if it has one state, or if probabilities
    /// are too small.
    pub(super) spectrum: Option<Spectrum>,
    pub(super) cut: Option<Cut>,
}

/// An analysis between two of its pieces.
#[derive(Debug)]
pub(super) struct AnalysisUnderWay {
    classes: Classes,
    /// For each closed class its states and their probabilities within the class.
    distributions: Vec<(Vec<usize>, Vec<f64>)>,
    step: Step,
}

#[derive(Debug)]
enum Step {
    /// The stationary distribution of the next class.
    Stationary(Elimination),
    /// The tridiagonal form of the only class.
    Spectrum(Reduction),
}

impl AnalysisUnderWay {
    pub(super) fn new(matrix: &[f64], num_states: usize) -> Self {
        let classes = Classes::of(matrix, num_states);
        let elimination = eliminate(matrix, &classes, 0);
        Self { classes, distributions: Vec::new(), step: Step::Stationary(elimination) }
    }

    /// Does a piece of some `budget` multiplications; returns the analysis with the last one.
    pub(super) fn advance(&mut self, matrix: &[f64], budget: usize) -> Option<Analysis> {
        match &mut self.step {
            Step::Stationary(elimination) => {
                if !elimination.advance(budget) {
                    return None;
                }
                let members = self.classes.members(self.distributions.len());
                self.distributions.push((members, elimination.distribution()));
                if self.distributions.len() < self.classes.num_closed() {
                    let next = self.distributions.len();
                    self.step = Step::Stationary(eliminate(matrix, &self.classes, next));
                    return None;
                }
                match self.reduction(matrix) {
                    Some(reduction) => {
                        self.step = Step::Spectrum(reduction);
                        None
                    }
                    None => Some(self.analysis(matrix, None)),
                }
            }
            Step::Spectrum(reduction) => {
                if !reduction.advance(budget) {
                    return None;
                }
                let vector = reduction.second_vector();
                let spectrum = reduction.spectrum();
                Some(self.analysis(matrix, Some((spectrum, vector))))
            }
        }
    }

    /// The reduction of the only closed class, if it has a spectrum to speak of.
    fn reduction(&self, matrix: &[f64]) -> Option<Reduction> {
        let [(members, probabilities)] = &self.distributions[..] else { return None };
        let is_small = probabilities.iter().any(|probability| *probability < LEAST_PROBABILITY);
        if members.len() < 2 || is_small {
            return None;
        }
        let within = restricted(matrix, self.classes.of_state.len(), members);
        Some(Reduction::new(symmetrized(&within, probabilities), members.len()))
    }

    fn analysis(&self, matrix: &[f64], spectral: Option<(Spectrum, Vec<f64>)>) -> Analysis {
        let n = self.classes.of_state.len();
        let share = 1.0 / self.distributions.len() as f64;
        let mut stationary = vec![0.0; n];
        for (members, probabilities) in &self.distributions {
            for (&state, probability) in members.iter().zip(probabilities) {
                stationary[state] = share * probability;
            }
        }
        let (violation, is_reversible) = balance(&flows(matrix, &stationary), n);
        let cut = spectral.as_ref().map(|(_, vector)| {
            let (members, probabilities) = &self.distributions[0];
            let flows = flows(&restricted(matrix, n, members), probabilities);
            let mut cut = if members.len() <= MAX_SUBSETS {
                least_cut(&flows, probabilities)
            } else {
                sweep_cut(&flows, probabilities, vector)
            };
            cut.states.iter_mut().for_each(|state| *state = members[*state]);
            cut
        });
        Analysis {
            classes: self.classes.clone(),
            stationary,
            violation,
            is_reversible,
            spectrum: spectral.map(|(spectrum, _)| spectrum),
            cut,
        }
    }
}

/// The elimination within a closed class, before its first step.
fn eliminate(matrix: &[f64], classes: &Classes, class: usize) -> Elimination {
    let members = classes.members(class);
    let within = restricted(matrix, classes.of_state.len(), &members);
    Elimination::new(within, members.len())
}

/// The rows and columns of some states.
fn restricted(matrix: &[f64], num_states: usize, members: &[usize]) -> Vec<f64> {
    let rows = members.iter().map(|&state| &matrix[state * num_states..][..num_states]);
    rows.flat_map(|row| members.iter().map(|&state| row[state])).collect()
}

/// The greatest violation of detailed balance, and whether it is a rounding error.
fn balance(flows: &[f64], num_states: usize) -> (f64, bool) {
    let (mut violation, mut greatest) = (0.0_f64, 0.0_f64);
    for i in 0..num_states {
        for j in 0..i {
            let [there, back] = [flows[i * num_states + j], flows[j * num_states + i]];
            violation = violation.max((there - back).abs());
            greatest = greatest.max(there.max(back));
        }
    }
    (violation, violation <= REVERSIBLE * greatest)
}

/// The analysis of a chain that moves by one state at a time.
pub(super) fn of_line(chain: &BirthDeath) -> Analysis {
    let stationary = chain.stationary();
    let n = chain.num_states();
    Analysis {
        classes: Classes { of_state: vec![Some(0); n], periods: vec![chain.period()] },
        violation: chain.violation(&stationary),
        is_reversible: true,
        spectrum: Some(chain.spectrum()),
        cut: Some(chain.least_cut(&stationary)),
        stationary,
    }
}
