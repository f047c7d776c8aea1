//! Energies made of others, of the same x ∈ ℝᴰ or x ∈ {0,1}ᴰ. A sum multiplies densities,
//!
//! `E(x) = Σ_i w_i E_i(x)`,
//!
//! AND (Du, Li and Mordatch 2020): x is probable where it is so for every part. A negative weight is NOT, and
//! a weight 1/T sets a part's temperature. `either` mixes the normalized densities, OR:
//!
//! `E(x) = −ln Σ_i π_i exp(−E_i(x) − log Z_i)`, `π_i = w_i/Σ_k w_k`.
//!
//! A constant added to a part changes nothing in a sum. In `either` it moves mass from one part to the
//! others, so that log Z of each must be known; with those the combination is normalized, log Z = 0.
//!
//! θ of a sum are the weights w, in which it is an exponential family: `∂E/∂w_i = E_i`. The parameters of
//! the parts stay as they are. At w = 0 all states are equally probable, where annealing of bits starts.

mod reals;
mod spec;
#[cfg(test)]
mod tests;

pub use spec::{Combination, CombinedPart, CombinedSpec, MAX_DEPTH, MAX_PARTS};

use super::{Model, ModelSpec};
use crate::bits::BitBatch;
use crate::energy::{
    BetweenKnots, Differentiable, Energy, FlipMemory, HalfSpace, Parametric, Reference,
    ScoreGradient, SiteFlips,
};
use crate::linalg::{Batch, dot};
use crate::math::{ln, log_sum_exp};

/// A model made of others; see the module documentation.
pub struct Combined {
    how: Combination,
    parts: Vec<Part>,
    /// The weights w.
    weights: Vec<f64>,
    /// Of `either`: ln π_i − log Z_i.
    offsets: Vec<f64>,
    constraints: Vec<HalfSpace>,
    is_binary: bool,
    /// log Z, where all parts have a closed form and it follows from them.
    reference_log_z: Option<f64>,
}

/// One of the energies.
struct Part {
    model: Box<dyn Model>,
    /// What `either` takes for its log Z, in nats.
    log_z: f64,
}

impl Clone for Combined {
    fn clone(&self) -> Self {
        let parts = self
            .parts
            .iter()
            .map(|Part { model, log_z }| Part { model: model.boxed_clone(), log_z: *log_z });
        Self::new(self.how, parts.collect(), self.weights.clone(), self.constraints.clone())
    }
}

impl Combined {
    fn new(
        how: Combination,
        parts: Vec<Part>,
        weights: Vec<f64>,
        constraints: Vec<HalfSpace>,
    ) -> Self {
        let total: f64 = weights.iter().sum();
        let offsets: Vec<f64> = match how {
            Combination::Sum => Vec::new(),
            Combination::Either => (parts.iter().zip(&weights))
                .map(|(part, weight)| ln(weight / total) - part.log_z)
                .collect(),
        };
        let log_masses = (parts.iter().zip(&offsets))
            .map(|(part, offset)| Some(offset + part.model.as_reference()?.log_z()));
        let reference_log_z = match how {
            Combination::Sum => None,
            Combination::Either => {
                log_masses.collect::<Option<Vec<f64>>>().map(|masses| log_sum_exp(&masses))
            }
        };
        let is_binary = parts[0].model.as_site_flips().is_some();
        Self { how, parts, weights, offsets, constraints, is_binary, reference_log_z }
    }

    /// A model on ℝᴰ with its energy multiplied by `weight`.
    ///
    /// # Panics
    /// If it is not one on ℝᴰ.
    pub fn scaled(model: &dyn Model, weight: f64) -> Self {
        let constraints = model.as_differentiable().expect("on the reals").constraints().to_vec();
        let part = Part { model: model.boxed_clone(), log_z: 0.0 };
        Self::new(Combination::Sum, vec![part], vec![weight], constraints)
    }

    /// The energy of a state from those of the parts.
    fn combine(&self, energies: &[f64]) -> f64 {
        match self.how {
            Combination::Sum => weighted_sum(&self.weights, energies),
            Combination::Either => {
                let logs: Vec<f64> = self
                    .offsets
                    .iter()
                    .zip(energies)
                    .map(|(offset, energy)| offset - energy)
                    .collect();
                // Outside of all supports.
                if logs.iter().all(|log| *log == f64::NEG_INFINITY) {
                    f64::INFINITY
                } else {
                    -log_sum_exp(&logs)
                }
            }
        }
    }

    /// The change of the energy, from the parts' energies and the changes of these.
    fn combine_deltas(&self, energies: &[f64], deltas: &[f64]) -> f64 {
        match self.how {
            Combination::Sum => weighted_sum(&self.weights, deltas),
            Combination::Either => {
                let after: Vec<f64> =
                    energies.iter().zip(deltas).map(|(energy, delta)| energy + delta).collect();
                self.combine(&after) - self.combine(energies)
            }
        }
    }

    /// Energies of the parts, `[parts, states]`.
    fn energies_of_parts(&self, x: Batch<'_>) -> Vec<f64> {
        let mut energies = vec![0.0; self.parts.len() * x.len()];
        if !x.is_empty() {
            for (part, energies) in self.parts.iter().zip(energies.chunks_exact_mut(x.len())) {
                part.model.energy(x, energies);
            }
        }
        energies
    }

    /// Energies of the parts of rows of bits, if they are asked for by how they are combined.
    fn energies_of_rows(&self, rows: BitBatch<'_>) -> Vec<f64> {
        match self.how {
            Combination::Sum => vec![0.0; self.parts.len() * rows.len()],
            Combination::Either => {
                self.energies_of_parts(Batch::new(self.dim(), &rows.to_values()))
            }
        }
    }

    fn flips_of(part: &Part) -> &dyn SiteFlips {
        part.model.as_site_flips().expect("checked when it was built")
    }
}

/// `Σ_i w_i E_i`. A part without weight does not count, even where its energy is infinite.
fn weighted_sum(weights: &[f64], energies: &[f64]) -> f64 {
    let terms = weights.iter().zip(energies).filter(|(weight, _)| **weight != 0.0);
    terms.map(|(weight, energy)| weight * energy).sum()
}

/// Column `at` of a row-major matrix.
fn column(matrix: &[f64], num_columns: usize, at: usize, out: &mut [f64]) {
    out.iter_mut()
        .zip(matrix[at..].iter().step_by(num_columns))
        .for_each(|(out, value)| *out = *value);
}

impl Energy for Combined {
    fn dim(&self) -> usize {
        self.parts[0].model.dim()
    }

    fn energy(&self, x: Batch<'_>, out: &mut [f64]) {
        assert!(x.dim() == self.dim() && x.len() == out.len());
        let energies = self.energies_of_parts(x);
        let mut of_state = vec![0.0; self.parts.len()];
        for (at, out) in out.iter_mut().enumerate() {
            column(&energies, x.len(), at, &mut of_state);
            *out = self.combine(&of_state);
        }
    }
}

impl SiteFlips for Combined {
    fn flip_delta(&self, row: &[u64], site: usize) -> f64 {
        let energies = self.energies_of_rows(BitBatch::new(self.dim(), row));
        let deltas: Vec<f64> =
            self.parts.iter().map(|part| Self::flips_of(part).flip_delta(row, site)).collect();
        self.combine_deltas(&energies, &deltas)
    }

    fn flip_deltas(&self, x: BitBatch<'_>, out: &mut [f64]) {
        assert_eq!(out.len(), x.len() * self.dim());
        let energies = self.energies_of_rows(x);
        let mut deltas = vec![0.0; self.parts.len() * out.len()];
        for (part, deltas) in self.parts.iter().zip(deltas.chunks_exact_mut(out.len().max(1))) {
            Self::flips_of(part).flip_deltas(x, deltas);
        }
        let [mut of_state, mut of_flip] = [(); 2].map(|()| vec![0.0; self.parts.len()]);
        let num_flips = out.len();
        for (at, out) in out.iter_mut().enumerate() {
            column(&energies, x.len(), at / self.dim(), &mut of_state);
            column(&deltas, num_flips, at, &mut of_flip);
            *out = self.combine_deltas(&of_state, &of_flip);
        }
    }

    fn memory<'a>(&'a self, row: &[u64]) -> Box<dyn FlipMemory + 'a> {
        let memory_of = |part: &'a Part| Self::flips_of(part).memory(row);
        Box::new(Memory {
            model: self,
            of_parts: self.parts.iter().map(memory_of).collect(),
            energies: self.energies_of_rows(BitBatch::new(self.dim(), row)),
        })
    }
}

/// What the parts remember of the present state, and their energies where they are needed.
struct Memory<'a> {
    model: &'a Combined,
    of_parts: Vec<Box<dyn FlipMemory + 'a>>,
    energies: Vec<f64>,
}

impl Memory<'_> {
    fn deltas(&self, row: &[u64], site: usize) -> Vec<f64> {
        self.of_parts.iter().map(|part| part.delta(row, site)).collect()
    }
}

impl FlipMemory for Memory<'_> {
    fn delta(&self, row: &[u64], site: usize) -> f64 {
        self.model.combine_deltas(&self.energies, &self.deltas(row, site))
    }

    fn flipped(&mut self, row: &[u64], site: usize) {
        self.of_parts.iter_mut().for_each(|part| part.flipped(row, site));
        if self.model.how == Combination::Either {
            // What going back would cost.
            let deltas = self.deltas(row, site);
            self.energies.iter_mut().zip(deltas).for_each(|(energy, delta)| *energy -= delta);
        }
    }
}

impl Parametric for Combined {
    fn params(&self) -> &[f64] {
        &self.weights
    }

    fn set_params(&mut self, params: &[f64]) {
        self.weights.copy_from_slice(params);
    }

    fn is_bias(&self, _param: usize) -> bool {
        false
    }

    fn accumulate_param_grad(&self, x: Batch<'_>, weights: &[f64], grad: &mut [f64]) {
        assert!(weights.len() == x.len() && grad.len() == self.parts.len());
        if x.is_empty() {
            return;
        }
        let energies = self.energies_of_parts(x);
        for (grad, energies) in grad.iter_mut().zip(energies.chunks_exact(x.len())) {
            *grad += dot(energies, weights);
        }
    }
}

/// Energies of a sum of bits between knots: they are linear in the weights.
struct WeightsBetweenKnots {
    model: Combined,
    /// The weights at each knot.
    knots: Vec<Vec<f64>>,
}

impl BetweenKnots for WeightsBetweenKnots {
    fn num_read(&self) -> usize {
        self.model.parts.len()
    }

    fn read(&self, _segment: usize, rows: BitBatch<'_>, out: &mut [f64]) {
        let energies =
            self.model.energies_of_parts(Batch::new(self.model.dim(), &rows.to_values()));
        for (at, out) in out.chunks_exact_mut(self.num_read()).enumerate() {
            column(&energies, rows.len(), at, out);
        }
    }

    fn energy(&self, segment: usize, read: &[f64], t: f64) -> f64 {
        let ends = self.knots[segment].iter().zip(&self.knots[segment + 1]);
        ends.zip(read).map(|((from, to), energy)| ((1.0 - t) * from + t * to) * energy).sum()
    }
}

impl Model for Combined {
    fn kind(&self) -> &'static str {
        "combined"
    }

    fn spec(&self) -> ModelSpec {
        let parts = self.parts.iter().zip(&self.weights).map(|(part, weight)| CombinedPart {
            model: part.model.spec(),
            weight: *weight,
            log_z: (self.how == Combination::Either).then_some(part.log_z),
        });
        ModelSpec::Combined(CombinedSpec { how: self.how, parts: parts.collect() })
    }

    fn boxed_clone(&self) -> Box<dyn Model> {
        Box::new(self.clone())
    }

    fn num_terms(&self) -> usize {
        self.parts.iter().map(|part| part.model.num_terms()).sum()
    }

    fn provide_site_flips(&self) -> Option<&dyn SiteFlips> {
        self.is_binary.then_some(self)
    }

    fn provide_differentiable(&self) -> Option<&dyn Differentiable> {
        (!self.is_binary).then_some(self)
    }

    fn provide_parametric(&self) -> Option<&dyn Parametric> {
        (self.how == Combination::Sum).then_some(self)
    }

    fn provide_parametric_mut(&mut self) -> Option<&mut dyn Parametric> {
        if self.how == Combination::Sum { Some(self) } else { None }
    }

    fn provide_score_gradient(&self) -> Option<&dyn ScoreGradient> {
        (self.how == Combination::Sum && !self.is_binary).then_some(self)
    }

    fn provide_reference(&self) -> Option<&dyn Reference> {
        self.reference_log_z.is_some().then_some(self)
    }

    /// All weights 0, which has the sites at even odds.
    fn independent_params(&self, log_odds: &[f64]) -> Option<Vec<f64>> {
        let is_possible = self.is_binary
            && self.how == Combination::Sum
            && log_odds.iter().all(|odds| *odds == 0.0);
        is_possible.then(|| vec![0.0; self.parts.len()])
    }

    fn between_knots(&self, knots: &[&[f64]]) -> Option<Box<dyn BetweenKnots>> {
        if !self.is_binary || self.how != Combination::Sum {
            return None;
        }
        let knots = knots.iter().map(|knot| knot.to_vec()).collect();
        Some(Box::new(WeightsBetweenKnots { model: self.clone(), knots }))
    }
}
