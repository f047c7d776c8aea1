//! Persistent minimum probability flow (Sohl-Dickstein 2012, section 2.9): the
//! states that probability may flow to are samples of the model itself, drawn
//! by chains that go on as the model is learned.
//!
//! If the connectivity depends on the destination alone, the objective is a product of two sums.
//! With destinations drawn from the model at θⁿ⁻¹, and the rows x of the data and the samples s at
//! learning step n,
//!
//! `Kⁿ(θ) = [1/N Σ_x e^{½Δ(x)}] · [1/S Σ_s e^{−½Δ(s)}]`, `Δ(x) = E(x; θ) − E(x; θⁿ⁻¹)`
//!
//! (eq. 2.25), with the gradient (eq. 2.26)
//!
//! `½ [1/N Σ_x e^{½Δ(x)} ∂E(x)] · [1/S Σ_s e^{−½Δ(s)}]
//!  − ½ [1/N Σ_x e^{½Δ(x)}] · [1/S Σ_s e^{−½Δ(s)} ∂E(s)]`.
//!
//! Kⁿ(θⁿ⁻¹) = 1, and the gradient there is half that of the likelihood as
//! persistent contrastive divergence estimates it; but Kⁿ is a function, which
//! a line search can lower and which accounts for θ leaving θⁿ⁻¹. Nothing here knows
//! whether states are binary or in ℝᴰ.

use crate::linalg::Batch;
use crate::math::exp;
use crate::models::Model;
use std::ops::Range;

/// Which of the two sums a row belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// Rows of the data, with `e^{½Δ}`.
    Data,
    /// Samples of the model, with `e^{−½Δ}`.
    Samples,
}

/// `sum += Σ_b weights[b] e^{±½Δ(x_b)} [1 | ∂E(x_b; θ)]`, the sign by the side;
/// θ is that of `model`, and `before` has the energies at θⁿ⁻¹.
///
/// # Panics
/// If the model has no parameters, or the shapes do not match.
pub fn accumulate(
    model: &dyn Model,
    before: &[f64],
    rows: Batch<'_>,
    weights: &[f64],
    side: Side,
    sum: &mut [f64],
) {
    let parametric = model.as_parametric().expect("the model has parameters");
    assert!(rows.len() == weights.len() && rows.len() == before.len());
    let half = if side == Side::Data { 0.5 } else { -0.5 };
    let (value, grad) = sum.split_at_mut(1);
    let mut total = 0.0;
    let mut weigh = |range: Range<usize>, now: &mut [f64]| {
        for ((now, then), weight) in now.iter_mut().zip(&before[range.clone()]).zip(&weights[range])
        {
            *now = weight * exp(half * (*now - then));
            total += *now;
        }
    };
    parametric.accumulate_weighted_by(rows, &mut weigh, grad);
    value[0] += total;
}

/// Kⁿ from the sums of both sides over all their rows, of total weights N and
/// S; writes the gradient to `grad`.
///
/// # Panics
/// If the lengths do not match.
pub fn combine(data: &[f64], samples: &[f64], totals: (f64, f64), grad: &mut [f64]) -> f64 {
    assert!(data.len() == samples.len() && data.len() == 1 + grad.len());
    let (rise, fall) = (data[0] / totals.0, samples[0] / totals.1);
    for ((grad, data), samples) in grad.iter_mut().zip(&data[1..]).zip(&samples[1..]) {
        *grad = 0.5 * (data / totals.0 * fall - rise * (samples / totals.1));
    }
    rise * fall
}
