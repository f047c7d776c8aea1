//! Evaluates a formula for many states at once, and its gradient by reverse-mode automatic
//! differentiation: each node is one loop over the states of a chunk, which is small enough for all
//! nodes to stay in the nearest cache. Few states are evaluated one
//! after another by [`Runs`]; a single state of a formula without rows that are alike, node by node.

use super::functions::{integer_power_slope, integer_powers, pull_back_integer_power};
use super::graph::{Id, Node};
use super::runs::{MAX_STATES, Runs};
use crate::linalg::{Block, with_scratch};
use std::sync::OnceLock;

/// Maximum number of states in a chunk.
pub(super) const CHUNK: usize = 64;

/// The nodes in the order of evaluation; the last is the formula's value.
#[derive(Debug, Clone)]
pub(super) struct Tape {
    nodes: Vec<Node>,
    /// For single states; made when there is the first of them.
    runs: OnceLock<Runs>,
}

impl Tape {
    pub fn new(nodes: Vec<Node>) -> Self {
        Self { nodes, runs: OnceLock::new() }
    }

    /// Estimated cost of value and gradient for one state, in nanoseconds.
    pub fn cost(&self) -> usize {
        self.nodes.iter().map(Node::cost).sum()
    }

    /// The nodes.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// Number of nodes.
    pub fn num_nodes(&self) -> usize {
        self.nodes.len()
    }

    /// The value at one state, by direct evaluation. `values` is temporary memory for all nodes.
    pub fn value(&self, x: &[f64], values: &mut Vec<f64>) -> f64 {
        values.clear();
        for node in &self.nodes {
            values.push(node.value(values, |d| x[d]));
        }
        values.last().copied().unwrap_or(f64::NAN)
    }

    /// Values and gradients of all states.
    pub fn value_grad(&self, x: Block<'_>, value: &mut [f64], grad: &mut [f64]) {
        let width = x.width();
        if width <= MAX_STATES {
            let runs = self.runs.get_or_init(|| Runs::new(&self.nodes));
            if width <= runs.max_states() {
                for (at, value) in value.iter_mut().enumerate() {
                    *value = runs.value_grad(x, at, grad);
                }
                return;
            }
            if width == 1 {
                value[0] = self.value_grad_of_one(x.data(), grad);
                return;
            }
        }
        let stride = width.min(CHUNK);
        let len = self.nodes.len() * stride;
        with_scratch([len, len], |[values, slopes]| {
            self.fill_constants(stride, values);
            grad.fill(0.0);
            for start in (0..width).step_by(stride) {
                let at = start..width.min(start + stride);
                let len = at.len();
                self.forward(x, |_| true, start, len, stride, values);
                value[at].copy_from_slice(&values[(self.nodes.len() - 1) * stride..][..len]);
                slopes.fill(0.0);
                slopes[(self.nodes.len() - 1) * stride..].fill(1.0);
                self.backward(|_| true, len, stride, values, slopes);
                self.copy_grad(start, len, stride, slopes, width, grad);
            }
        });
    }

    /// The value at one state and its gradient, node by node.
    pub fn value_grad_of_one(&self, x: &[f64], grad: &mut [f64]) -> f64 {
        let len = self.nodes.len();
        with_scratch([len, len], |[values, slopes]| {
            for (id, node) in self.nodes.iter().enumerate() {
                values[id] = node.value(values, |d| x[d]);
            }
            grad.fill(0.0);
            slopes.fill(0.0);
            slopes[len - 1] = 1.0;
            for (id, node) in self.nodes.iter().enumerate().rev() {
                let slope = slopes[id];
                match *node {
                    Node::Constant(_) => {}
                    Node::Variable(d) => grad[d] = slope,
                    Node::Unary(function, x) => {
                        function.pull_back_one(values[x], values[id], slope, &mut slopes[x]);
                    }
                    Node::Binary(function, a, b) => {
                        let (at_a, at_b) = (values[a], values[b]);
                        if !self.is_constant(a) {
                            function.pull_back_first_one(at_a, at_b, slope, &mut slopes[a]);
                        }
                        if !self.is_constant(b) {
                            function.pull_back_second_one(at_a, at_b, slope, &mut slopes[b]);
                        }
                    }
                    Node::IntegerPower(x, n) => {
                        slopes[x] += integer_power_slope(n, values[x]) * slope;
                    }
                }
            }
            values[len - 1]
        })
    }

    /// Writes the constants, once for all chunks.
    pub fn fill_constants(&self, stride: usize, values: &mut [f64]) {
        for (node, row) in self.nodes.iter().zip(values.chunks_exact_mut(stride)) {
            if let Node::Constant(bits) = node {
                row.fill(f64::from_bits(*bits));
            }
        }
    }

    /// Copies the slopes of the variables at states `start..start + len` of `width` to the gradient.
    pub fn copy_grad(
        &self,
        start: usize,
        len: usize,
        stride: usize,
        slopes: &[f64],
        width: usize,
        grad: &mut [f64],
    ) {
        for (node, row) in self.nodes.iter().zip(slopes.chunks_exact(stride)) {
            if let Node::Variable(d) = node {
                grad[d * width + start..][..len].copy_from_slice(&row[..len]);
            }
        }
    }

    /// The values at states `start..start + len` of the nodes that run; those of constants, and of other
    /// nodes that they use, are there.
    pub fn forward(
        &self,
        x: Block<'_>,
        runs: impl Fn(Id) -> bool,
        start: usize,
        len: usize,
        stride: usize,
        values: &mut [f64],
    ) {
        for (id, node) in self.nodes.iter().enumerate().filter(|(id, _)| runs(*id)) {
            let (before, rest) = values.split_at_mut(id * stride);
            let row = |id: usize| &before[id * stride..][..len];
            let out = &mut rest[..len];
            match *node {
                Node::Constant(_) => {}
                Node::Variable(d) => out.copy_from_slice(&x.entry(d)[start..][..len]),
                Node::Unary(function, x) => function.values(row(x), out),
                Node::Binary(function, a, b) => function.values(row(a), row(b), out),
                Node::IntegerPower(x, n) => integer_powers(n, row(x), out),
            }
        }
    }

    /// Adds to each node's slopes what comes from the nodes that run and are computed from it.
    pub fn backward(
        &self,
        runs: impl Fn(Id) -> bool,
        len: usize,
        stride: usize,
        values: &[f64],
        slopes: &mut [f64],
    ) {
        let value = |id: usize| &values[id * stride..][..len];
        for (id, node) in self.nodes.iter().enumerate().rev().filter(|(id, _)| runs(*id)) {
            let (before, rest) = slopes.split_at_mut(id * stride);
            let at = |id: usize| id * stride..id * stride + len;
            let out = &rest[..len];
            match *node {
                Node::Constant(_) | Node::Variable(_) => {}
                Node::Unary(function, x) => {
                    function.pull_back(value(x), value(id), out, &mut before[at(x)])
                }
                Node::Binary(function, a, b) => {
                    if !self.is_constant(a) {
                        function.pull_back_first(value(a), value(b), out, &mut before[at(a)]);
                    }
                    if !self.is_constant(b) {
                        function.pull_back_second(value(a), value(b), out, &mut before[at(b)]);
                    }
                }
                Node::IntegerPower(x, n) => {
                    pull_back_integer_power(n, value(x), out, &mut before[at(x)])
                }
            }
        }
    }

    fn is_constant(&self, id: usize) -> bool {
        matches!(self.nodes[id], Node::Constant(_))
    }
}
