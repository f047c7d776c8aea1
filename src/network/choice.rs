//! Which of the penalties is taken, and which edges.

use super::spec::ChoiceSpec;
use crate::math::ln;

/// What is known of the networks at all penalties.
pub struct Found<'a> {
    /// D.
    pub dim: usize,
    /// N.
    pub num_rows: usize,
    /// Number of edges at each penalty.
    pub num_edges: Vec<usize>,
    /// Log pseudolikelihood of all rows, in nats a row, at each penalty.
    pub scores: Vec<f64>,
    /// The same of the networks with the same edges that are fitted without a penalty.
    pub refitted: Vec<f64>,
    /// Log pseudolikelihood of each fold's rows, in nats a row, by the network of the others: folds, then penalties.
    pub held_out: &'a [Vec<f64>],
    /// For each subsample the place of the first penalty at which each pair is an edge, or the number of penalties.
    pub entries: &'a [Vec<u16>],
}

/// The choice.
#[derive(Debug, Clone, PartialEq)]
pub struct Chosen {
    /// The place of the penalty.
    pub at: usize,
    /// The place of the penalty from which estimates without one are made: that at which the penalized networks have the
    /// least extended criterion, where it is a smaller penalty. A step away from a strong pull would fall short.
    pub weaker: usize,
    /// The pairs that may be edges; all if `None`.
    pub allowed: Option<Vec<bool>>,
}

impl Found<'_> {
    /// The extended Bayesian information criterion at each penalty, the sum of those of the sites' regressions, in
    /// each of which an edge counts: of the networks that are fitted without a penalty (Foygel and Drton 2010).
    pub fn ebic(&self, gamma: f64) -> Vec<f64> {
        self.criterion(&self.refitted, gamma)
    }

    /// The criterion with these log pseudolikelihoods.
    fn criterion(&self, scores: &[f64], gamma: f64) -> Vec<f64> {
        let num_rows = self.num_rows as f64;
        let of_edge = ln(num_rows) + 2.0 * gamma * ln((self.dim - 1) as f64);
        let both = scores.iter().zip(&self.num_edges);
        both.map(|(score, edges)| -2.0 * num_rows * score + 2.0 * *edges as f64 * of_edge).collect()
    }

    /// The mean over the folds of the score at each penalty, and its standard error.
    pub fn held_out(&self) -> (Vec<f64>, Vec<f64>) {
        let count = self.held_out.len() as f64;
        (0..self.scores.len())
            .map(|at| {
                let scores = || self.held_out.iter().map(|fold| fold[at]);
                let mean = scores().sum::<f64>() / count;
                let squares: f64 = scores().map(|score| (score - mean) * (score - mean)).sum();
                (mean, (squares / (count * (count - 1.0))).sqrt())
            })
            .unzip()
    }

    /// The share of subsamples that have each pair as an edge at each penalty or a greater one: penalties, then
    /// pairs.
    pub fn stability(&self) -> Vec<Vec<f64>> {
        let num_pairs = self.entries.first().map_or(0, Vec::len);
        let mut counts = vec![vec![0.0; num_pairs]; self.scores.len()];
        for entries in self.entries {
            for (pair, entry) in entries.iter().enumerate() {
                if let Some(counts) = counts.get_mut(usize::from(*entry)) {
                    counts[pair] += 1.0;
                }
            }
        }
        let mut so_far = vec![0.0; num_pairs];
        let num_sets = self.entries.len() as f64;
        let share = |counts: Vec<f64>| {
            so_far.iter_mut().zip(counts).for_each(|(sum, count)| *sum += count);
            so_far.iter().map(|sum| sum / num_sets).collect()
        };
        counts.into_iter().map(share).collect()
    }

    /// The choice.
    pub fn choose(&self, choice: &ChoiceSpec) -> Chosen {
        let of_shrunk = self.criterion(&self.scores, choice.gamma());
        let least = first_least(of_shrunk.into_iter());
        match choice {
            ChoiceSpec::Ebic { gamma } => {
                let at = first_least(self.ebic(*gamma).into_iter());
                Chosen { at, weaker: at.max(least), allowed: None }
            }
            ChoiceSpec::CrossValidation { one_standard_error, .. } => {
                let (scores, errors) = self.held_out();
                let best = first_least(scores.iter().map(|score| -score));
                let is_near = |score: &f64| *score >= scores[best] - errors[best];
                let near = scores.iter().position(is_near).unwrap_or(best);
                let at = if *one_standard_error { near } else { best };
                Chosen { at, weaker: at.max(least), allowed: None }
            }
            ChoiceSpec::Stability { threshold, false_edges, .. } => {
                // Meinshausen and Bühlmann 2010, theorem 1: with q edges in a subsample, of p pairs, at most
                // q² / ((2π − 1) p) are expected to be false and yet found in a share π of the subsamples.
                let stability = self.stability();
                let is_strict = |at: &usize| {
                    let num_found: f64 = stability[*at].iter().sum();
                    let num_pairs = stability[*at].len() as f64;
                    num_found * num_found <= (2.0 * threshold - 1.0) * num_pairs * false_edges
                };
                let at = (0..stability.len()).take_while(is_strict).last().unwrap_or(0);
                let allowed = stability[at].iter().map(|share| share >= threshold).collect();
                Chosen { at, weaker: at.max(least), allowed: Some(allowed) }
            }
        }
    }
}

/// The place of the least number, the first of several.
fn first_least(numbers: impl Iterator<Item = f64>) -> usize {
    let least = numbers.enumerate().min_by(|a, b| a.1.total_cmp(&b.1));
    least.map_or(0, |(at, _)| at)
}
