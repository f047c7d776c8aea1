//! A formula as a list of nodes, each made from earlier ones. Repeated expressions share a node,
//! and constants are computed once.

use super::functions::{Binary, Unary, integer_power};
use std::collections::BTreeMap;

/// The index of a node in the list.
pub(super) type Id = usize;

/// One value in the computation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Node {
    /// A constant, by its bits.
    Constant(u64),
    /// A variable, by its index among the names.
    Variable(usize),
    Unary(Unary, Id),
    Binary(Binary, Id, Id),
    /// A power of 2 or more, by multiplication.
    IntegerPower(Id, u32),
}

impl Node {
    /// Estimated cost of value and slope for one state, in nanoseconds.
    pub fn cost(&self) -> usize {
        match self {
            Self::Unary(function, _) => function.cost(),
            Self::Binary(Binary::Power, ..) => 100,
            _ => 2,
        }
    }

    /// The value, given those of all nodes before it and of the variables.
    #[inline(always)]
    pub fn value(&self, values: &[f64], variable: impl Fn(usize) -> f64) -> f64 {
        match *self {
            Self::Constant(bits) => f64::from_bits(bits),
            Self::Variable(index) => variable(index),
            Self::Unary(function, x) => function.value(values[x]),
            Self::Binary(function, a, b) => function.value(values[a], values[b]),
            Self::IntegerPower(x, n) => integer_power(values[x], n),
        }
    }

    /// The node with other operands: those that `moved` has at the places of these.
    pub fn with_operands(self, moved: impl Fn(Id) -> Id) -> Self {
        match self {
            Self::Unary(function, x) => Self::Unary(function, moved(x)),
            Self::Binary(function, a, b) => Self::Binary(function, moved(a), moved(b)),
            Self::IntegerPower(x, n) => Self::IntegerPower(moved(x), n),
            leaf @ (Self::Constant(_) | Self::Variable(_)) => leaf,
        }
    }
}

/// Largest power that is computed by multiplication.
const MAX_INTEGER_POWER: f64 = 64.0;

/// The nodes and their indices.
#[derive(Debug, Default)]
pub(super) struct Graph {
    nodes: Vec<Node>,
    places: BTreeMap<Node, Id>,
}

impl Graph {
    /// The number of a constant node.
    pub fn constant_value(&self, id: Id) -> Option<f64> {
        match self.nodes[id] {
            Node::Constant(bits) => Some(f64::from_bits(bits)),
            _ => None,
        }
    }

    pub fn constant(&mut self, value: f64) -> Id {
        self.place(Node::Constant(value.to_bits()))
    }

    pub fn variable(&mut self, index: usize) -> Id {
        self.place(Node::Variable(index))
    }

    pub fn unary(&mut self, function: Unary, x: Id) -> Id {
        match (function, self.constant_value(x), self.nodes[x]) {
            (_, Some(x), _) => self.constant(function.value(x)),
            (Unary::Negate, None, Node::Unary(Unary::Negate, inner)) => inner,
            _ => self.place(Node::Unary(function, x)),
        }
    }

    pub fn binary(&mut self, function: Binary, a: Id, b: Id) -> Id {
        match (function, self.constant_value(a), self.constant_value(b)) {
            (Binary::Power, _, Some(power)) => self.constant_power(a, b, power),
            (_, Some(a), Some(b)) => self.constant(function.value(a, b)),
            (Binary::Multiply, Some(1.0), None) => b,
            (Binary::Multiply | Binary::Divide, None, Some(1.0)) => a,
            // Both orders give the same bits, so they are the same node.
            (Binary::Add | Binary::Multiply, ..) => {
                self.place(Node::Binary(function, a.min(b), a.max(b)))
            }
            _ => self.place(Node::Binary(function, a, b)),
        }
    }

    fn constant_power(&mut self, a: Id, b: Id, power: f64) -> Id {
        let is_whole = power.trunc() == power && power.abs() <= MAX_INTEGER_POWER;
        match self.constant_value(a) {
            _ if power == 0.0 => self.constant(1.0),
            _ if power == 1.0 => a,
            _ if power == 0.5 => self.unary(Unary::Sqrt, a),
            _ if is_whole && power < 0.0 => {
                let one = self.constant(1.0);
                let positive = self.constant(-power);
                let denominator = self.constant_power(a, positive, -power);
                self.binary(Binary::Divide, one, denominator)
            }
            Some(a) if is_whole => self.constant(integer_power(a, power as u32)),
            None if is_whole => self.place(Node::IntegerPower(a, power as u32)),
            Some(a) => self.constant(Binary::Power.value(a, power)),
            None => self.place(Node::Binary(Binary::Power, a, b)),
        }
    }

    /// All nodes so far.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// The index of a node, which is added if it is new.
    pub fn place(&mut self, node: Node) -> Id {
        *self.places.entry(node).or_insert_with(|| {
            self.nodes.push(node);
            self.nodes.len() - 1
        })
    }

    /// The nodes that `roots` depend on, in their order, so that a single root is the last; also the
    /// new index of each node that is kept. `order` has the new index of each variable.
    pub fn pick(&self, roots: &[Id], order: &[usize]) -> (Vec<Node>, Vec<Id>) {
        let mut is_used = vec![false; self.nodes.len()];
        roots.iter().for_each(|root| is_used[*root] = true);
        for id in (0..self.nodes.len()).rev() {
            if is_used[id] {
                operands(self.nodes[id]).for_each(|operand| is_used[operand] = true);
            }
        }
        let mut moved = vec![0; self.nodes.len()];
        let mut nodes = Vec::new();
        for id in (0..self.nodes.len()).filter(|&id| is_used[id]) {
            moved[id] = nodes.len();
            nodes.push(match self.nodes[id] {
                Node::Variable(index) => Node::Variable(order[index]),
                node => node.with_operands(|operand| moved[operand]),
            });
        }
        (nodes, moved)
    }
}

/// The nodes that a node is computed from.
pub(super) fn operands(node: Node) -> impl Iterator<Item = Id> {
    let (a, b) = match node {
        Node::Constant(_) | Node::Variable(_) => (None, None),
        Node::Unary(_, x) | Node::IntegerPower(x, _) => (Some(x), None),
        Node::Binary(_, a, b) => (Some(a), Some(b)),
    };
    a.into_iter().chain(b)
}
