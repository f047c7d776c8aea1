//! Combined energies on ℝᴰ.

use super::{Combination, Combined, Part};
use crate::energy::{Differentiable, HalfSpace, Reference, ScoreGradient};
use crate::linalg::{Batch, Block, axpy, transpose, with_scratch};
use crate::math::{exp, exp_slice, ln_slice};
use crate::rng::{ChainRng, uniform};

fn differentiable(part: &Part) -> &dyn Differentiable {
    part.model.as_differentiable().expect("checked when it was built")
}

impl Combined {
    fn sum_grad(&self, x: Block<'_>, energy: &mut [f64], grad: &mut [f64]) {
        energy.fill(0.0);
        grad.fill(0.0);
        with_scratch([energy.len(), grad.len()], |[of_part, slopes]| {
            let parts = self.parts.iter().zip(&self.weights);
            for (part, weight) in parts.filter(|(_, weight)| **weight != 0.0) {
                differentiable(part).energy_grad(x, of_part, slopes);
                axpy(*weight, of_part, energy);
                axpy(*weight, slopes, grad);
            }
        });
    }

    /// `∂E/∂x = Σ_i r_i ∂E_i/∂x`, with the responsibilities `r_i ∝ π_i exp(−E_i)/Z_i`.
    fn either_grad(&self, x: Block<'_>, energy: &mut [f64], grad: &mut [f64]) {
        let (width, num_parts) = (x.width(), self.parts.len());
        let lens = [num_parts * width, num_parts * grad.len(), width, width];
        with_scratch(lens, |[logs, slopes, most, sums]| {
            most.fill(f64::NEG_INFINITY);
            let of_parts = logs.chunks_exact_mut(width).zip(slopes.chunks_exact_mut(grad.len()));
            for ((part, offset), (logs, slopes)) in
                self.parts.iter().zip(&self.offsets).zip(of_parts)
            {
                differentiable(part).energy_grad(x, logs, slopes);
                for (log, most) in logs.iter_mut().zip(&mut *most) {
                    *log = offset - *log;
                    // A NaN stays.
                    if *log > *most || log.is_nan() {
                        *most = *log;
                    }
                }
            }
            // Outside of all supports every term is 0.
            most.iter_mut().filter(|most| **most == f64::NEG_INFINITY).for_each(|most| *most = 0.0);
            sums.fill(0.0);
            for logs in logs.chunks_exact_mut(width) {
                logs.iter_mut().zip(&*most).for_each(|(log, most)| *log -= most);
                exp_slice(logs);
                sums.iter_mut().zip(&*logs).for_each(|(sum, term)| *sum += term);
            }
            grad.fill(0.0);
            let of_parts = logs.chunks_exact(width).zip(slopes.chunks_exact(grad.len()));
            for (terms, slopes) in of_parts {
                let rows = grad.chunks_exact_mut(width).zip(slopes.chunks_exact(width));
                for (grad, slopes) in rows {
                    for c in 0..width {
                        // A part has no slope outside of its support.
                        if terms[c] != 0.0 {
                            grad[c] += terms[c] / sums[c] * slopes[c];
                        }
                    }
                }
            }
            energy.copy_from_slice(sums);
            ln_slice(energy);
            energy.iter_mut().zip(most).for_each(|(energy, most)| *energy = -(*energy + *most));
        });
    }

    /// The gradients `∂E_i/∂x` of a part, `[states, dim]`.
    fn slopes_of(part: &Part, x: Batch<'_>) -> Vec<f64> {
        let (dim, width) = (x.dim(), x.len());
        let mut states = vec![0.0; dim * width];
        transpose(dim, width, x.data(), &mut states);
        let [mut grad, mut rows] = [(); 2].map(|()| vec![0.0; dim * width]);
        differentiable(part).energy_grad(
            Block::new(dim, &states),
            &mut vec![0.0; width],
            &mut grad,
        );
        transpose(width, dim, &grad, &mut rows);
        rows
    }
}

impl Differentiable for Combined {
    fn energy_grad(&self, x: Block<'_>, energy: &mut [f64], grad: &mut [f64]) {
        assert!(x.data().len() == grad.len() && energy.len() == x.width());
        match self.how {
            Combination::Sum => self.sum_grad(x, energy, grad),
            Combination::Either => self.either_grad(x, energy, grad),
        }
    }

    fn gradient_cost(&self) -> usize {
        let own = 10 + 3 * self.parts[0].model.dim();
        self.parts.iter().map(|part| differentiable(part).gradient_cost() + own).sum()
    }

    fn constraints(&self) -> &[HalfSpace] {
        &self.constraints
    }

    /// Where densities are multiplied the joint exponents add up, each D − 1 more than that of a marginal;
    /// where they are mixed the slowest tail is left.
    fn tail_exponent(&self) -> Option<f64> {
        let of_parts = self.parts.iter().map(|part| differentiable(part).tail_exponent());
        let mut exponents = self.weights.iter().zip(of_parts);
        match self.how {
            Combination::Either => exponents.filter_map(|(_, exponent)| exponent).reduce(f64::min),
            Combination::Sum => {
                let others = self.parts[0].model.dim() as f64 - 1.0;
                let joint = exponents.try_fold(0.0, |sum, (weight, exponent)| match exponent {
                    Some(exponent) => Some(sum + weight * (exponent + others)),
                    None if *weight > 0.0 => None,
                    None => Some(sum),
                });
                joint.map(|joint| joint - others)
            }
        }
    }
}

impl ScoreGradient for Combined {
    /// `∂/∂w_i (d · ∂E/∂x) = d · ∂E_i/∂x`.
    fn accumulate_score_grad(
        &self,
        x: Batch<'_>,
        directions: Batch<'_>,
        weights: &[f64],
        grad: &mut [f64],
    ) {
        for (part, grad) in self.parts.iter().zip(grad) {
            let slopes = Self::slopes_of(part, x);
            let of_states = slopes.chunks_exact(x.dim()).zip(directions.states()).zip(weights);
            for ((slopes, direction), weight) in of_states {
                *grad += weight * crate::linalg::dot(slopes, direction);
            }
        }
    }

    /// `∇²E = Σ_i w_i ∇²E_i`, if all parts have it.
    fn accumulate_laplacian(&self, x: Batch<'_>, weights: &[f64], part: &mut [f64]) -> bool {
        let mut sums = Vec::with_capacity(self.parts.len());
        for of_part in &self.parts {
            let Some(score) = of_part.model.as_score_gradient() else { return false };
            let num_params = of_part.model.as_parametric().map_or(0, |model| model.params().len());
            let mut found = vec![0.0; 1 + num_params];
            if !score.accumulate_laplacian(x, weights, &mut found) {
                return false;
            }
            sums.push(found[0]);
        }
        if let Some((value, grad)) = part.split_first_mut() {
            *value += super::weighted_sum(&self.weights, &sums);
            axpy(1.0, &sums, grad);
        }
        true
    }
}

impl Reference for Combined {
    fn log_z(&self) -> f64 {
        self.reference_log_z.expect("known, or it is no reference")
    }

    /// Draws a part by its mass, and then from it.
    fn draw(&self, rng: &mut ChainRng, out: &mut [f64]) {
        let mut left = uniform(rng);
        let references = self.parts.iter().filter_map(|part| part.model.as_reference());
        let mut chosen = None;
        for (reference, offset) in references.zip(&self.offsets) {
            chosen = Some(reference);
            left -= exp(offset + reference.log_z() - self.log_z());
            if left < 0.0 {
                break;
            }
        }
        chosen.expect("there is a part").draw(rng, out);
    }
}
