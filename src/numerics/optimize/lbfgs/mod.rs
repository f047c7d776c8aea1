//! L-BFGS with an ask and tell interface: it says where to evaluate the objective and is told value
//! and gradient there. Between any two evaluations it is plain data, so a fit can stop, move to
//! another process and continue with the same bits.
//!
//! The crate `lbfgs` computes the direction (Nocedal and Wright, algorithm 7.4); the line search is
//! [`super::line_search`]. The crate `argmin` was the first candidate: its executor owns the loop
//! and calls the objective, so it can be interrupted only between iterations, not between two
//! evaluations that shards and workers share; and it adds 119 kB to the wasm file, this 3 kB.
//!
//! `lbfgs::Lbfgs` keeps differences of accepted points and cannot be serialized. So one accepted
//! point and gradient more than its memory are kept here, and passed to a new one after a restart:
//! the same differences of the same numbers. Its sums run over slices in order, so its bits are fixed
//! too.

use super::line_search::{LineSearch, Verdict};
use crate::linalg::{axpy, dot, norm};
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// When to stop, and how much history to keep.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Limits {
    /// Number of pairs of differences from which the direction is made.
    pub memory: usize,
    /// Maximum number of accepted steps.
    pub max_iterations: usize,
    /// The search ends when the Euclidean norm of the gradient is at most this times max(1,
    /// |objective|).
    pub tolerance: f64,
}

/// Why the search ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Stop {
    /// The gradient is below the tolerance.
    Converged,
    /// The maximum number of steps is reached.
    MaxIterations,
    /// No step lowers objective or gradient, as far as double precision can tell.
    NoDescent,
    /// The objective is not finite where the search starts.
    NotFinite,
}

/// Steps without a lower objective or gradient after which the search ends.
const MAX_IDLE: u32 = 20;

/// The state of a minimization.
#[derive(Debug, Serialize, Deserialize)]
pub struct Lbfgs {
    limits: Limits,
    /// The last accepted point; the next fields are its objective and gradient.
    point: Vec<f64>,
    value: f64,
    gradient: Vec<f64>,
    direction: Vec<f64>,
    /// None before the first evaluation and at the end.
    search: Option<LineSearch>,
    /// The points and gradients that `memory` received, oldest first.
    history: VecDeque<(Vec<f64>, Vec<f64>)>,
    num_iterations: usize,
    num_evaluations: usize,
    /// Lowest objective and gradient norm so far; the next field is the number of steps since
    /// either fell.
    lowest: (f64, f64),
    num_idle: u32,
    stop: Option<Stop>,
    #[serde(skip)]
    memory: Option<lbfgs::Lbfgs<f64>>,
}

impl Lbfgs {
    /// A minimization from `point`.
    ///
    /// # Panics
    /// If `point` or the memory is empty.
    pub fn new(point: Vec<f64>, limits: Limits) -> Self {
        assert!(!point.is_empty() && limits.memory > 0);
        Self {
            limits,
            value: f64::NAN,
            gradient: Vec::new(),
            direction: Vec::new(),
            point,
            search: None,
            history: VecDeque::new(),
            num_iterations: 0,
            num_evaluations: 0,
            lowest: (f64::INFINITY, f64::INFINITY),
            num_idle: 0,
            stop: None,
            memory: None,
        }
    }

    /// The point to evaluate next.
    pub fn ask(&self) -> Vec<f64> {
        let mut point = self.point.clone();
        if let Some(search) = &self.search {
            axpy(search.step(), &self.direction, &mut point);
        }
        point
    }

    /// Takes the value and gradient at [`Lbfgs::ask`].
    ///
    /// # Panics
    /// If the gradient and the point differ in length, or the search has ended.
    pub fn tell(&mut self, value: f64, gradient: &[f64]) {
        assert!(gradient.len() == self.point.len() && self.stop.is_none());
        self.num_evaluations += 1;
        let Some(search) = &mut self.search else {
            if !value.is_finite() || !norm(gradient).is_finite() {
                self.gradient = gradient.to_vec();
                self.value = value;
                self.stop = Some(Stop::NotFinite);
                return;
            }
            return self.accept(self.point.clone(), value, gradient);
        };
        // A gradient that is not finite makes the slope not finite, or it is harmless along this
        // direction but not later; its norm detects it.
        let slope =
            if norm(gradient).is_finite() { dot(gradient, &self.direction) } else { f64::NAN };
        match search.tell(value, slope) {
            Verdict::Continue => {}
            Verdict::Accept => {
                self.num_iterations += 1;
                self.accept(self.ask(), value, gradient);
            }
            Verdict::Stuck => self.start_over(),
        }
    }

    /// Goes on at the origin of other coordinates, where the objective has to be evaluated again: nothing of the
    /// curvature is known there. The counts go on.
    #[cfg(feature = "full")]
    pub fn begin_anew(&mut self, num_coordinates: usize) {
        let fresh = Self::new(vec![0.0; num_coordinates], self.limits);
        *self = Self {
            num_iterations: self.num_iterations,
            num_evaluations: self.num_evaluations,
            value: self.value,
            gradient: self.gradient.clone(),
            ..fresh
        };
    }

    /// Moves to a point and starts the search from there.
    fn accept(&mut self, point: Vec<f64>, value: f64, gradient: &[f64]) {
        self.point = point;
        self.value = value;
        self.gradient = gradient.to_vec();
        self.search = None;
        let length = norm(gradient);
        let falls = value < self.lowest.0 || length < self.lowest.1;
        self.lowest = (value.min(self.lowest.0), length.min(self.lowest.1));
        self.num_idle = if falls { 0 } else { self.num_idle + 1 };
        if length <= self.limits.tolerance * value.abs().max(1.0) {
            self.stop = Some(Stop::Converged);
        } else if self.num_idle >= MAX_IDLE {
            self.stop = Some(Stop::NoDescent);
        } else if self.num_iterations >= self.limits.max_iterations {
            self.stop = Some(Stop::MaxIterations);
        } else {
            self.remember();
            self.aim();
        }
    }

    /// Passes the present point to the memory.
    fn remember(&mut self) {
        let memory = Self::recall(&mut self.memory, &self.history, &self.limits, self.point.len());
        // Refused if the curvature along the step is not positive, or the step is zero.
        if memory.update_hessian(&self.gradient, &self.point) == lbfgs::UpdateStatus::UpdateOk {
            self.history.push_back((self.point.clone(), self.gradient.clone()));
            if self.history.len() > self.limits.memory + 1 {
                self.history.pop_front();
            }
        }
    }

    /// The memory; if it is new, it is given its history again.
    fn recall<'a>(
        memory: &'a mut Option<lbfgs::Lbfgs<f64>>,
        history: &VecDeque<(Vec<f64>, Vec<f64>)>,
        limits: &Limits,
        dim: usize,
    ) -> &'a mut lbfgs::Lbfgs<f64> {
        memory.get_or_insert_with(|| {
            // Any positive curvature is accepted: the Wolfe conditions control its size, and an
            // absolute bound would depend on the units of the objective.
            let mut memory =
                lbfgs::Lbfgs::new(dim, limits.memory).with_sy_epsilon(f64::MIN_POSITIVE);
            for (point, gradient) in history {
                memory.update_hessian(gradient, point);
            }
            memory
        })
    }

    /// Chooses a direction and starts a search along it.
    fn aim(&mut self) {
        let memory = Self::recall(&mut self.memory, &self.history, &self.limits, self.point.len());
        self.direction = self.gradient.iter().map(|g| -g).collect();
        memory.apply_hessian(&mut self.direction);
        let slope = dot(&self.gradient, &self.direction);
        let is_steepest = self.history.len() == 1;
        if slope < 0.0 {
            // Without curvature the gradient's length says nothing about the step's length.
            let step = if is_steepest { (1.0 / norm(&self.gradient)).min(1.0) } else { 1.0 };
            self.search = Some(LineSearch::new(self.value, slope, step));
        } else {
            self.start_over();
        }
    }

    /// Forgets the curvature and descends along the gradient, unless that just failed.
    fn start_over(&mut self) {
        self.search = None;
        if self.history.len() == 1 {
            self.stop = Some(Stop::NoDescent);
            return;
        }
        self.history.clear();
        self.memory = None;
        self.remember();
        self.aim();
    }

    /// Whether this can be `fresh` some evaluations later, with the same limits and lengths. For
    /// checking states read from outside.
    pub fn continues(&self, fresh: &Self) -> bool {
        let dim = fresh.point.len();
        let is_whole = |vector: &Vec<f64>| vector.len() == dim;
        let has_begun = self.num_evaluations > 0;
        // Counts that no search reaches would overflow.
        let counts_are_valid =
            self.num_iterations <= self.num_evaluations && self.num_evaluations < usize::MAX / 2;
        self.limits == fresh.limits
            && counts_are_valid
            && is_whole(&self.point)
            && (is_whole(&self.gradient) || !has_begun && self.gradient.is_empty())
            && (is_whole(&self.direction) || self.search.is_none() && self.direction.is_empty())
            && self.history.iter().all(|(point, gradient)| is_whole(point) && is_whole(gradient))
            && self.history.len() <= self.limits.memory + 1
            && (!self.history.is_empty() || self.search.is_none())
            && (self.search.is_some() || self.stop.is_some() || !has_begun || self.has_begun_anew())
            && self.search.as_ref().is_none_or(LineSearch::is_valid)
    }

    /// Whether the next evaluation is that of [`Lbfgs::begin_anew`].
    fn has_begun_anew(&self) -> bool {
        cfg!(feature = "full")
            && self.history.is_empty()
            && self.point.iter().all(|entry| *entry == 0.0)
    }

    /// The last accepted point.
    pub fn point(&self) -> &[f64] {
        &self.point
    }

    /// The objective there; NaN before the first evaluation.
    pub fn value(&self) -> f64 {
        self.value
    }

    /// Euclidean norm of the gradient there; NaN before the first evaluation.
    pub fn gradient_norm(&self) -> f64 {
        if self.gradient.is_empty() { f64::NAN } else { norm(&self.gradient) }
    }

    /// Number of accepted steps.
    pub fn num_iterations(&self) -> usize {
        self.num_iterations
    }

    /// Number of evaluations told.
    pub fn num_evaluations(&self) -> usize {
        self.num_evaluations
    }

    /// Why the search ended; none while it runs.
    pub fn stop(&self) -> Option<Stop> {
        self.stop
    }
}

#[cfg(test)]
mod tests;
