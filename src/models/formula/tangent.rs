//! Derivatives of a formula as formulas: the rules of differentiation, node by node. What the parts of a
//! derivative have in common is one node, as everywhere in a [`Graph`].

use super::functions::{Binary, Unary};
use super::graph::{Graph, Id, Node, operands};

impl Graph {
    /// The derivative of `root` along a direction; `slope_of` has the slope of each variable, none if it
    /// is 0. None if the derivative is 0 everywhere.
    pub fn tangent(
        &mut self,
        root: Id,
        slope_of: impl Fn(&mut Self, usize) -> Option<Id>,
    ) -> Option<Id> {
        let mut is_used = vec![false; root + 1];
        is_used[root] = true;
        for id in (0..=root).rev() {
            if is_used[id] {
                operands(self.nodes()[id]).for_each(|operand| is_used[operand] = true);
            }
        }
        let mut slopes: Vec<Option<Id>> = vec![None; root + 1];
        for id in 0..=root {
            if is_used[id] {
                slopes[id] = self.slope(id, &slopes, &slope_of);
            }
        }
        slopes[root]
    }

    /// The slope of a node, given those of all before it.
    fn slope(
        &mut self,
        id: Id,
        slopes: &[Option<Id>],
        slope_of: impl Fn(&mut Self, usize) -> Option<Id>,
    ) -> Option<Id> {
        match self.nodes()[id] {
            Node::Constant(_) => None,
            Node::Variable(index) => slope_of(self, index),
            Node::Unary(function, x) => {
                let dx = slopes[x]?;
                self.unary_slope(function, x, id, dx)
            }
            Node::IntegerPower(x, n) => {
                let dx = slopes[x]?;
                let count = self.constant(f64::from(n));
                let less = self.constant(f64::from(n - 1));
                let power = self.binary(Binary::Power, x, less);
                let factor = self.binary(Binary::Multiply, count, power);
                Some(self.binary(Binary::Multiply, factor, dx))
            }
            Node::Binary(function, a, b) => {
                let first = slopes[a].and_then(|da| self.first_slope(function, a, b, da));
                let second = slopes[b].and_then(|db| self.second_slope(function, a, b, id, db));
                self.sum(first, second)
            }
        }
    }

    /// The sum, where a missing term is 0.
    pub fn sum(&mut self, a: Option<Id>, b: Option<Id>) -> Option<Id> {
        match (a, b) {
            (Some(a), Some(b)) => Some(self.binary(Binary::Add, a, b)),
            (one, None) | (None, one) => one,
        }
    }

    /// f′(x) dx, for y = f(x).
    fn unary_slope(&mut self, function: Unary, x: Id, y: Id, dx: Id) -> Option<Id> {
        let one = self.constant(1.0);
        let factor = match function {
            Unary::Negate => return Some(self.unary(Unary::Negate, dx)),
            Unary::Ln => return Some(self.binary(Binary::Divide, dx, x)),
            Unary::Sqrt => {
                let twice = self.binary(Binary::Add, y, y);
                return Some(self.binary(Binary::Divide, dx, twice));
            }
            Unary::Sign => return None,
            Unary::Exp => y,
            Unary::Abs => self.unary(Unary::Sign, x),
            Unary::Sin => self.unary(Unary::Cos, x),
            Unary::Cos => {
                let sine = self.unary(Unary::Sin, x);
                self.unary(Unary::Negate, sine)
            }
            Unary::Tanh => {
                let square = self.binary(Binary::Multiply, y, y);
                self.binary(Binary::Subtract, one, square)
            }
            Unary::Sigmoid => {
                let rest = self.binary(Binary::Subtract, one, y);
                self.binary(Binary::Multiply, y, rest)
            }
            Unary::Softplus => self.unary(Unary::Sigmoid, x),
        };
        Some(self.binary(Binary::Multiply, factor, dx))
    }

    /// ∂f/∂a da.
    fn first_slope(&mut self, function: Binary, a: Id, b: Id, da: Id) -> Option<Id> {
        let factor = match function {
            Binary::Add | Binary::Subtract => return Some(da),
            Binary::Divide => return Some(self.binary(Binary::Divide, da, b)),
            Binary::AtMost | Binary::Equal => return None,
            Binary::Multiply => b,
            Binary::Power => {
                let one = self.constant(1.0);
                let less = self.binary(Binary::Subtract, b, one);
                let power = self.binary(Binary::Power, a, less);
                self.binary(Binary::Multiply, b, power)
            }
            Binary::Min => self.binary(Binary::AtMost, a, b),
            Binary::Max => self.binary(Binary::AtMost, b, a),
        };
        Some(self.binary(Binary::Multiply, factor, da))
    }

    /// ∂f/∂b db, for y = f(a, b).
    fn second_slope(&mut self, function: Binary, a: Id, b: Id, y: Id, db: Id) -> Option<Id> {
        let factor = match function {
            Binary::Add => return Some(db),
            Binary::Subtract => return Some(self.unary(Unary::Negate, db)),
            Binary::Divide => {
                let product = self.binary(Binary::Multiply, y, db);
                let quotient = self.binary(Binary::Divide, product, b);
                return Some(self.unary(Unary::Negate, quotient));
            }
            Binary::AtMost | Binary::Equal => return None,
            Binary::Multiply => a,
            Binary::Power => {
                let log = self.unary(Unary::Ln, a);
                self.binary(Binary::Multiply, y, log)
            }
            Binary::Min | Binary::Max => {
                let (low, high) = if function == Binary::Min { (a, b) } else { (b, a) };
                let one = self.constant(1.0);
                let is_first = self.binary(Binary::AtMost, low, high);
                self.binary(Binary::Subtract, one, is_first)
            }
        };
        Some(self.binary(Binary::Multiply, factor, db))
    }
}
