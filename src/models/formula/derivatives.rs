//! Formulas of a state x and parameters θ: the formula of x alone at some θ, and sums over states of
//! derivatives in θ. What depends on θ alone is computed once, not once for each state.
//!
//! The gradient in θ comes from the same reverse sweep as that in x. How the gradient in x changes with
//! θ, and the Laplacian, are derivatives of formulas that are themselves derivatives ([`super::tangent`]):
//! `v·∂E/∂x` is a formula of x, v and θ.

use super::functions::{Binary, Unary};
use super::graph::{Graph, Id, Node, operands};
use super::tape::{CHUNK, Tape};
use crate::linalg::{Block, with_scratch};

/// Largest dimension whose Laplacian counts as cheap, and most nodes that it may have.
const MAX_LAPLACIAN: (usize, usize) = (16, 2000);

/// A formula of inputs, the variables `0..num_inputs`, and of the parameters, the variables after these.
#[derive(Debug, Clone)]
pub(super) struct Parameterized {
    tape: Tape,
    num_inputs: usize,
    num_params: usize,
    /// Whether a node depends on the inputs.
    of_inputs: Vec<bool>,
}

impl Parameterized {
    /// The formula of these nodes, the last of which is its value.
    pub fn new(nodes: Vec<Node>, num_inputs: usize, num_params: usize) -> Self {
        let mut of_inputs = Vec::with_capacity(nodes.len());
        for node in &nodes {
            let is_input = matches!(node, Node::Variable(index) if *index < num_inputs);
            of_inputs.push(is_input || operands(*node).any(|operand| of_inputs[operand]));
        }
        Self { tape: Tape::new(nodes), num_inputs, num_params, of_inputs }
    }

    /// The parameters that occur.
    pub fn params(&self) -> impl Iterator<Item = usize> {
        let nodes = self.tape.nodes().iter();
        nodes.filter_map(|node| match node {
            Node::Variable(index) => index.checked_sub(self.num_inputs),
            _ => None,
        })
    }

    /// The values of the nodes that depend on θ alone; 0 at the others.
    fn constants(&self, params: &[f64]) -> Vec<f64> {
        assert_eq!(params.len(), self.num_params);
        let mut values = vec![0.0; self.tape.num_nodes()];
        for (id, node) in self.tape.nodes().iter().enumerate() {
            if !self.of_inputs[id] {
                values[id] = node.value(&values, |index| params[index - self.num_inputs]);
            }
        }
        values
    }

    /// The formula of the inputs alone at these parameters: it has the bits of this one.
    ///
    /// # Panics
    /// If the number of parameters is another one.
    pub fn at(&self, params: &[f64]) -> Tape {
        let constants = self.constants(params);
        let nodes = self.tape.nodes();
        let last = nodes.len() - 1;
        let mut is_used = vec![false; nodes.len()];
        is_used[last] = true;
        for (id, node) in nodes.iter().enumerate() {
            if self.of_inputs[id] {
                is_used[id] = true;
                operands(*node).for_each(|operand| is_used[operand] = true);
            }
        }
        let mut moved = vec![0; nodes.len()];
        let mut kept = Vec::new();
        for id in (0..nodes.len()).filter(|&id| is_used[id]) {
            moved[id] = kept.len();
            kept.push(if self.of_inputs[id] {
                nodes[id].with_operands(|operand| moved[operand])
            } else {
                Node::Constant(constants[id].to_bits())
            });
        }
        Tape::new(kept)
    }

    /// `grad += Σ_c weights[c] ∂f(x_c, θ)/∂θ` over columns of inputs. Returns `Σ_c weights[c] f(x_c, θ)`.
    ///
    /// # Panics
    /// If the shapes do not match.
    pub fn accumulate(
        &self,
        inputs: Block<'_>,
        params: &[f64],
        weights: &[f64],
        grad: &mut [f64],
    ) -> f64 {
        let width = inputs.width();
        assert!(inputs.dim() == self.num_inputs && weights.len() == width);
        assert_eq!(grad.len(), self.num_params);
        let count = self.tape.num_nodes();
        let stride = width.clamp(1, CHUNK);
        let constants = self.constants(params);
        let mut sum = 0.0;
        with_scratch([count * stride, count * stride, count], |[values, slopes, totals]| {
            for (row, value) in values.chunks_exact_mut(stride).zip(&constants) {
                row.fill(*value);
            }
            totals.fill(0.0);
            let runs = |id: Id| self.of_inputs[id];
            let root = (count - 1) * stride;
            for start in (0..width).step_by(stride) {
                let len = stride.min(width - start);
                let weights = &weights[start..start + len];
                self.tape.forward(inputs, runs, start, len, stride, values);
                sum += weights.iter().zip(&values[root..]).map(|(w, f)| w * f).sum::<f64>();
                slopes.fill(0.0);
                slopes[root..root + len].copy_from_slice(weights);
                self.tape.backward(runs, len, stride, values, slopes);
                for (id, row) in slopes.chunks_exact(stride).enumerate() {
                    if !runs(id) {
                        totals[id] += row[..len].iter().sum::<f64>();
                    }
                }
            }
            // One sweep more for what all states have in common.
            self.tape.backward(|id| !runs(id), 1, 1, &constants, totals);
            for (node, total) in self.tape.nodes().iter().zip(&*totals) {
                if let Node::Variable(index) = node
                    && let Some(param) = index.checked_sub(self.num_inputs)
                {
                    grad[param] += total;
                }
            }
        });
        sum
    }

    /// `v·∂f/∂x`, the inputs being x and then v.
    pub fn along(&self) -> Self {
        let dim = self.num_inputs;
        let (mut graph, root) = self.graph(2 * dim);
        let slope =
            graph.tangent(root, |graph, index| (index < dim).then(|| graph.variable(dim + index)));
        self.derivative(&mut graph, slope, 2 * dim)
    }

    /// The Laplacian `∇²f` in x, and what score matching makes of it, `½ |∇f|² − ∇²f`, if they are cheap.
    pub fn second_order(&self) -> Option<[Self; 2]> {
        let (max_dim, max_nodes) = MAX_LAPLACIAN;
        if self.num_inputs > max_dim {
            return None;
        }
        let (mut graph, root) = self.graph(self.num_inputs);
        let (mut laplacian, mut squares) = (None, None);
        for d in 0..self.num_inputs {
            let along = |graph: &mut Graph, index| (index == d).then(|| graph.constant(1.0));
            let Some(first) = graph.tangent(root, along) else { continue };
            let second = graph.tangent(first, along);
            laplacian = graph.sum(laplacian, second);
            let square = graph.binary(Binary::Multiply, first, first);
            squares = graph.sum(squares, Some(square));
            if graph.nodes().len() > 4 * max_nodes {
                return None;
            }
        }
        let half = graph.constant(0.5);
        let half_squares = squares.map(|squares| graph.binary(Binary::Multiply, half, squares));
        let less = laplacian.map(|laplacian| graph.unary(Unary::Negate, laplacian));
        let loss = graph.sum(half_squares, less);
        let both = [laplacian, loss].map(|root| self.derivative(&mut graph, root, self.num_inputs));
        both.iter().all(|one| one.tape.num_nodes() <= max_nodes).then_some(both)
    }

    /// The formula as a graph, with its last node, where there are `num_inputs` inputs.
    fn graph(&self, num_inputs: usize) -> (Graph, Id) {
        let mut graph = Graph::default();
        for node in self.tape.nodes() {
            graph.place(match *node {
                Node::Variable(index) if index >= self.num_inputs => {
                    Node::Variable(index - self.num_inputs + num_inputs)
                }
                node => node,
            });
        }
        let root = graph.nodes().len() - 1;
        (graph, root)
    }

    /// The formula of a node, or 0.
    fn derivative(&self, graph: &mut Graph, root: Option<Id>, num_inputs: usize) -> Self {
        let root = root.unwrap_or_else(|| graph.constant(0.0));
        let order: Vec<usize> = (0..num_inputs + self.num_params).collect();
        let (nodes, _) = graph.pick(&[root], &order);
        Self::new(nodes, num_inputs, self.num_params)
    }
}
