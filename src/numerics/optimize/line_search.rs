//! Line search for the strong Wolfe conditions, one evaluation at a time.
//!
//! Along a direction of descent, with φ(t) the objective at step t, it looks for
//!   φ(t) ≤ φ(0) + c₁ t φ′(0)   and   |φ′(t)| ≤ c₂ |φ′(0)|
//! by bracketing and then zooming with cubic interpolation (Nocedal and Wright,
//! Numerical Optimization, 2nd ed., algorithms 3.5 and 3.6, equation 3.59).
//! Differences of φ below its rounding error are ignored, so that close to the
//! optimum the slopes decide (after Hager and Zhang 2005, section 3). A value
//! or slope that is not finite counts as a step too far.

use serde::{Deserialize, Serialize};

/// c₁: fraction of the predicted decrease that is required.
const DECREASE: f64 = 1e-4;
/// c₂: fraction of the first slope that may remain, as usual for quasi-Newton directions.
const CURVATURE: f64 = 0.9;
/// Rounding error of an objective, relative to its size.
const ROUNDING: f64 = 1e-14;
/// Maximum number of evaluations per search.
const MAX_TRIALS: u32 = 40;

/// The objective at one step along the direction.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Trial {
    /// Step length t.
    pub step: f64,
    /// The value φ(t).
    pub value: f64,
    /// φ′(t), the inner product of gradient and direction.
    pub slope: f64,
}

impl Trial {
    fn is_finite(&self) -> bool {
        self.value.is_finite() && self.slope.is_finite()
    }
}

/// What to do after an evaluation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// Evaluate at [`LineSearch::step`] next.
    Continue,
    /// Accept the step just evaluated.
    Accept,
    /// No step lowers the objective, as far as double precision can tell.
    Stuck,
}

#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
enum Stage {
    /// Steps grow from the last one, at which the objective was still falling.
    Bracket { last: Trial },
    /// The step lies between the best so far and the other end.
    Zoom { best: Trial, other: Trial },
    /// Only returning to the best step found is left.
    Settle,
}

/// The state of a search; plain data between two evaluations.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LineSearch {
    start: Trial,
    step: f64,
    num_trials: u32,
    stage: Stage,
}

impl LineSearch {
    /// A search from a point where the objective is `value` and its slope along the direction is
    /// `slope` < 0, trying `step` first.
    pub fn new(value: f64, slope: f64, step: f64) -> Self {
        let start = Trial { step: 0.0, value, slope };
        Self { start, step, num_trials: 0, stage: Stage::Bracket { last: start } }
    }

    /// Whether a search read from outside can be a running one: steps go forward.
    pub fn is_valid(&self) -> bool {
        let is_forward = |trial: &Trial| trial.step >= 0.0;
        let is_stage_valid = match &self.stage {
            Stage::Bracket { last } => is_forward(last),
            Stage::Zoom { best, other } => is_forward(best) && is_forward(other),
            Stage::Settle => true,
        };
        self.start.step == 0.0
            && self.step >= 0.0
            && self.num_trials <= MAX_TRIALS
            && is_stage_valid
    }

    /// The step to evaluate next.
    pub fn step(&self) -> f64 {
        self.step
    }

    /// Takes the value and slope at [`LineSearch::step`].
    pub fn tell(&mut self, value: f64, slope: f64) -> Verdict {
        let trial = Trial { step: self.step, value, slope };
        self.num_trials += 1;
        if self.stage == Stage::Settle || self.is_good(&trial) {
            return Verdict::Accept;
        }
        let goes_down = self.goes_down(&trial);
        let (best, other) = match self.stage {
            Stage::Bracket { last }
                if !goes_down || last.step > 0.0 && !self.is_below(&trial, &last) =>
            {
                (last, trial)
            }
            Stage::Bracket { last } if trial.slope >= 0.0 => (trial, last),
            Stage::Bracket { last } => {
                self.stage = Stage::Bracket { last: trial };
                return match self.num_trials < MAX_TRIALS {
                    true => self.go(further(&last, &trial)),
                    // The objective falls without bound: this step is as good as any.
                    false => Verdict::Accept,
                };
            }
            Stage::Zoom { best, .. } if !goes_down || !self.is_below(&trial, &best) => {
                (best, trial)
            }
            Stage::Zoom { best, other } if trial.slope * (other.step - best.step) >= 0.0 => {
                (trial, best)
            }
            Stage::Zoom { other, .. } => (trial, other),
            Stage::Settle => return Verdict::Accept,
        };
        self.zoom(best, other)
    }

    fn zoom(&mut self, best: Trial, other: Trial) -> Verdict {
        let width = (other.step - best.step).abs();
        if self.num_trials >= MAX_TRIALS || width <= 1e-12 * best.step.max(other.step) {
            if !(best.value < self.start.value) {
                return Verdict::Stuck;
            }
            self.stage = Stage::Settle;
            return self.go(best.step);
        }
        self.stage = Stage::Zoom { best, other };
        self.go(between(&best, &other, self.num_trials.is_multiple_of(3)))
    }

    fn go(&mut self, step: f64) -> Verdict {
        self.step = step;
        Verdict::Continue
    }

    fn noise(&self) -> f64 {
        ROUNDING * self.start.value.abs()
    }

    fn goes_down(&self, trial: &Trial) -> bool {
        trial.is_finite()
            && trial.value
                <= self.start.value + DECREASE * trial.step * self.start.slope + self.noise()
    }

    fn is_below(&self, trial: &Trial, best: &Trial) -> bool {
        trial.value < best.value + self.noise()
    }

    fn is_good(&self, trial: &Trial) -> bool {
        self.goes_down(trial) && trial.slope.abs() <= -CURVATURE * self.start.slope
    }
}

/// A longer step: the minimum extrapolated from the last two, between 2 and 10 times the last.
fn further(last: &Trial, trial: &Trial) -> f64 {
    let guess = cubic_minimum(last, trial);
    if guess > trial.step {
        guess.clamp(2.0 * trial.step, 10.0 * trial.step)
    } else {
        2.0 * trial.step
    }
}

/// A step between two: the cubic's minimum, kept a tenth of the width away from the ends.
fn between(best: &Trial, other: &Trial, halve: bool) -> f64 {
    let width = other.step - best.step;
    if !other.is_finite() {
        return best.step + 0.2 * width;
    }
    let part = (cubic_minimum(best, other) - best.step) / width;
    if halve || !part.is_finite() {
        return best.step + 0.5 * width;
    }
    best.step + part.clamp(0.1, 0.9) * width
}

/// Minimum of the cubic through values and slopes at two steps (Nocedal and
/// Wright 3.59); NaN if it has none.
fn cubic_minimum(a: &Trial, b: &Trial) -> f64 {
    let d1 = a.slope + b.slope - 3.0 * (a.value - b.value) / (a.step - b.step);
    let d2 = (d1 * d1 - a.slope * b.slope).sqrt().copysign(b.step - a.step);
    b.step - (b.step - a.step) * (b.slope + d2 - d1) / (b.slope - a.slope + 2.0 * d2)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs a search on f with derivative g from 0; returns verdict, accepted step and number of
    /// trials.
    fn search(f: impl Fn(f64) -> f64, g: impl Fn(f64) -> f64, first: f64) -> (Verdict, f64, u32) {
        let mut search = LineSearch::new(f(0.0), g(0.0), first);
        loop {
            let step = search.step();
            match search.tell(f(step), g(step)) {
                Verdict::Continue => assert!(search.num_trials <= MAX_TRIALS + 1),
                verdict => return (verdict, step, search.num_trials),
            }
        }
    }

    #[test]
    fn searches_that_go_backward_are_none() {
        let sound = LineSearch::new(1.0, -1.0, 0.5);
        assert!(sound.is_valid());
        let back = Trial { step: -1e-217, value: 0.5, slope: -1.0 };
        for wrong in [
            LineSearch { step: -0.5, ..sound.clone() },
            LineSearch { step: f64::NAN, ..sound.clone() },
            LineSearch { num_trials: u32::MAX, ..sound.clone() },
            LineSearch { start: back, ..sound.clone() },
            LineSearch { stage: Stage::Bracket { last: back }, ..sound.clone() },
            LineSearch { stage: Stage::Zoom { best: sound.start, other: back }, ..sound.clone() },
        ] {
            assert!(!wrong.is_valid(), "{wrong:?}");
        }
    }

    fn assert_wolfe(f: impl Fn(f64) -> f64, g: impl Fn(f64) -> f64, step: f64) {
        assert!(f(step) <= f(0.0) + DECREASE * step * g(0.0), "too little decrease at {step}");
        assert!(g(step).abs() <= -CURVATURE * g(0.0), "too steep at {step}");
    }

    #[test]
    fn finds_wolfe_steps_from_first_steps_of_any_size() {
        // Moré and Thuente 1994, functions 1 and 2.
        let f1 = |t: f64| -t / (t * t + 2.0);
        let g1 = |t: f64| (t * t - 2.0) / ((t * t + 2.0) * (t * t + 2.0));
        let f2 =
            |t: f64| (t + 0.004) * (t + 0.004) * (t + 0.004) * (t + 0.004) * ((t + 0.004) - 2.0);
        let g2 = |t: f64| (t + 0.004) * (t + 0.004) * (t + 0.004) * (5.0 * (t + 0.004) - 8.0);
        for first in [1e-3, 1e-1, 1.0, 1e1, 1e3] {
            let (verdict, step, trials) = search(f1, g1, first);
            assert_eq!(verdict, Verdict::Accept);
            assert_wolfe(f1, g1, step);
            assert!(trials <= 12, "{trials} trials");
            let (verdict, step, trials) = search(f2, g2, first);
            assert_eq!(verdict, Verdict::Accept);
            assert_wolfe(f2, g2, step);
            // Narrow: the slope at 0 is 10⁻⁷ of that around the minimum.
            assert!(trials <= 25, "{trials} trials");
        }
    }

    #[test]
    fn steps_into_infinity_are_too_far() {
        let f = |t: f64| if t > 0.01 { f64::INFINITY } else { (t - 0.005) * (t - 0.005) };
        let g = |t: f64| if t > 0.01 { f64::NAN } else { 2.0 * (t - 0.005) };
        let (verdict, step, _) = search(f, g, 1.0);
        assert_eq!(verdict, Verdict::Accept);
        assert_wolfe(f, g, step);
    }

    #[test]
    fn says_so_where_nothing_goes_down() {
        // A wrong negative slope of a rising function.
        let (verdict, _, trials) = search(|t| 1.0 + t, |_| -1.0, 1.0);
        assert_eq!(verdict, Verdict::Stuck);
        assert!(trials <= MAX_TRIALS);
    }

    #[test]
    fn slopes_decide_below_the_rounding_error() {
        // Between 0 and the minimum at 1 the value falls by less than its rounding error.
        let f = |t: f64| 1.0 + 1e-18 * (t - 1.0) * (t - 1.0);
        let g = |t: f64| 2e-18 * (t - 1.0);
        let (verdict, step, _) = search(f, g, 1000.0);
        assert_eq!(verdict, Verdict::Accept);
        assert!(g(step).abs() <= -CURVATURE * g(0.0));
    }

    #[test]
    fn a_bottomless_objective_ends() {
        let (verdict, step, _) = search(|t| -t, |_| -1.0, 1.0);
        assert_eq!(verdict, Verdict::Accept);
        assert!(step > 1e6);
    }
}
