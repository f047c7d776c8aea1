//! The sum of a formula over the rows of a table, `Σ_n f(θ, y_n)`, and its gradient in θ.
//!
//! What depends on θ alone is computed once for each state, for all states side by side as any
//! formula ([`Tape`]); what depends on the columns alone is computed once, when the sum is made. The rest is run
//! over the rows of each state, chunk by chunk. Sums, and products with what depends on θ alone,
//! are taken out of the sum over rows first: `Σ (−r²/2s² − ln s) = −(1/2s²) Σ r² − N ln s`.

use super::functions::{Binary, Unary, integer_powers, pull_back_integer_power};
use super::graph::{Graph, Id, Node, operands};
use super::parse::parse;
use super::spec::MAX_LENGTH;
use super::tape::{CHUNK, Tape};
use crate::checks::check_count;
use crate::linalg::{Block, with_scratch};
use crate::{Error, Result};
use std::collections::BTreeMap;

/// Maximum number of values that are kept of parts which depend on the columns alone.
const MAX_KEPT: usize = 1 << 24;

/// What a node of the formula depends on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reach {
    /// On the parameters alone, or on nothing.
    Parameters,
    /// On the columns alone.
    Columns,
    /// On both.
    Both,
}

/// Where a node that depends on both takes a value from.
#[derive(Debug, Clone, Copy)]
enum Operand {
    /// One of the values that a state has for itself: first those that are the same in all rows, then
    /// those of the nodes that depend on both.
    Slot(usize),
    /// What depends on the columns alone, by its index.
    Column(usize),
}

/// A node that depends on both.
#[derive(Debug, Clone, Copy)]
enum RowNode {
    Unary(Unary, usize),
    Binary(Binary, Operand, Operand),
    IntegerPower(usize, u32),
}

/// `c Σ_n g(θ, y_n)`.
#[derive(Debug, Clone, Copy)]
struct Term {
    /// The index of c among the nodes that depend on θ alone.
    coefficient: Id,
    /// The slot of g.
    slot: usize,
}

/// The sum; see the module documentation.
#[derive(Debug, Clone)]
pub(crate) struct RowSum {
    /// All that depends on θ alone.
    outer: Tape,
    /// The node there to which the terms are added.
    total: Id,
    terms: Vec<Term>,
    /// The nodes there that rows use, in the order of their slots.
    shared: Vec<Id>,
    rows: Vec<RowNode>,
    num_rows: usize,
    /// What depends on the columns alone, `[number of such, num_rows]`.
    columns: Vec<f64>,
    /// Estimated cost of a row, in nanoseconds.
    row_cost: usize,
}

/// The formula taken apart.
struct Parts {
    nodes: Vec<Node>,
    reach: Vec<Reach>,
    /// What depends on θ alone, with the coefficients of the terms.
    outer: Graph,
    /// For each node that depends on θ alone, its index in `outer`.
    in_outer: Vec<Id>,
    /// For each node, the factor with which its sum over rows counts, if it does.
    coefficients: Vec<Option<Id>>,
}

impl RowSum {
    /// Parses a formula of these parameters and of columns of equal length. With no columns there is
    /// one row.
    ///
    /// # Errors
    /// [`Error::InvalidSpec`] or [`Error::TooLarge`], naming the field.
    pub fn new(
        field: &str,
        expression: &str,
        parameters: &[&str],
        columns: &[(&str, &[f64])],
    ) -> Result<Self> {
        check_count(field, expression.len(), 1, MAX_LENGTH, "characters")?;
        let names = parameters.iter().copied().chain(columns.iter().map(|(name, _)| *name));
        let names: Vec<String> = names.map(String::from).collect();
        let remedy = "give it a prior, or a column in data";
        let parsed = parse(expression, &names, &BTreeMap::new(), Some(remedy));
        let parsed = parsed.map_err(|mistake| mistake.in_field(field, expression))?;
        let num_rows = columns.first().map_or(1, |(_, values)| values.len());
        let parts = Parts::new(&parsed.graph, parsed.root, parameters.len());
        parts.assemble(field, parameters.len(), columns, num_rows)
    }

    /// Estimated cost of value and gradient for one state, in nanoseconds.
    pub fn cost(&self) -> usize {
        self.outer.cost() + self.num_rows.saturating_mul(self.row_cost)
    }

    /// The sums at all states and, if asked for, their gradients. A state's numbers do not depend on
    /// the other states.
    pub fn evaluate(&self, x: Block<'_>, value: &mut [f64], mut grad: Option<&mut [f64]>) {
        let width = x.width();
        let stride = width.min(CHUNK);
        let outer_len = self.outer.num_nodes() * stride;
        let lanes = self.num_rows.min(CHUNK);
        let slots_len = (self.shared.len() + self.rows.len()) * lanes;
        let lens = [outer_len, outer_len, slots_len, slots_len, self.terms.len() * lanes];
        with_scratch(lens, |[values, slopes, row_values, row_slopes, sums]| {
            self.outer.fill_constants(stride, values);
            if let Some(grad) = grad.as_deref_mut() {
                grad.fill(0.0);
            }
            for start in (0..width).step_by(stride) {
                let len = stride.min(width - start);
                self.outer.forward(x, |_| true, start, len, stride, values);
                slopes.fill(0.0);
                slopes[self.total * stride..][..len].fill(1.0);
                for state in 0..len {
                    let mut sum = values[self.total * stride + state];
                    if !self.terms.is_empty() {
                        let at = |id: Id| id * stride + state;
                        for (slot, id) in self.shared.iter().enumerate() {
                            row_values[slot * lanes..][..lanes].fill(values[at(*id)]);
                        }
                        let of_terms = |term: &Term| values[at(term.coefficient)];
                        let needs_grad = grad.is_some();
                        self.run_rows(lanes, of_terms, row_values, row_slopes, sums, needs_grad);
                        for (term, lane_sums) in self.terms.iter().zip(sums.chunks_exact(lanes)) {
                            let of_rows: f64 = lane_sums.iter().sum();
                            sum += of_terms(term) * of_rows;
                            slopes[at(term.coefficient)] += of_rows;
                        }
                        if needs_grad {
                            for (slot, id) in self.shared.iter().enumerate() {
                                let of_rows: f64 = row_slopes[slot * lanes..][..lanes].iter().sum();
                                slopes[at(*id)] += of_rows;
                            }
                        }
                    }
                    value[start + state] = sum;
                }
                if let Some(grad) = grad.as_deref_mut() {
                    self.outer.backward(|_| true, len, stride, values, slopes);
                    self.outer.copy_grad(start, len, stride, slopes, width, grad);
                }
            }
        });
    }

    /// Runs all rows of a state: `sums`, `[terms, lanes]`, has the sum of each term, and the slopes of
    /// the first slots those of the total, in parts to be added up.
    fn run_rows(
        &self,
        lanes: usize,
        coefficient: impl Fn(&Term) -> f64,
        values: &mut [f64],
        slopes: &mut [f64],
        sums: &mut [f64],
        needs_grad: bool,
    ) {
        sums.fill(0.0);
        let first = self.shared.len() * lanes;
        slopes[..first].fill(0.0);
        for start in (0..self.num_rows).step_by(lanes) {
            let len = lanes.min(self.num_rows - start);
            self.forward(start, len, lanes, values);
            for (term, sums) in self.terms.iter().zip(sums.chunks_exact_mut(lanes)) {
                let row = &values[term.slot * lanes..][..len];
                sums.iter_mut().zip(row).for_each(|(sum, value)| *sum += value);
            }
            if needs_grad {
                slopes[first..].fill(0.0);
                for term in &self.terms {
                    let slope = coefficient(term);
                    slopes[term.slot * lanes..][..len].iter_mut().for_each(|s| *s += slope);
                }
                self.backward(start, len, lanes, values, slopes);
            }
        }
    }

    /// What depends on the columns alone, in rows `start..start + len`.
    fn column(&self, column: usize, start: usize, len: usize) -> &[f64] {
        &self.columns[column * self.num_rows + start..][..len]
    }

    fn forward(&self, start: usize, len: usize, lanes: usize, values: &mut [f64]) {
        for (index, node) in self.rows.iter().enumerate() {
            let (before, rest) = values.split_at_mut((self.shared.len() + index) * lanes);
            let slot = |slot: usize| &before[slot * lanes..][..len];
            let out = &mut rest[..len];
            let value = |operand| match operand {
                Operand::Slot(at) => slot(at),
                Operand::Column(column) => self.column(column, start, len),
            };
            match *node {
                RowNode::Unary(function, x) => function.values(slot(x), out),
                RowNode::Binary(function, a, b) => function.values(value(a), value(b), out),
                RowNode::IntegerPower(x, n) => integer_powers(n, slot(x), out),
            }
        }
    }

    fn backward(&self, start: usize, len: usize, lanes: usize, values: &[f64], slopes: &mut [f64]) {
        let slot = |slot: usize| &values[slot * lanes..][..len];
        let value = |operand| match operand {
            Operand::Slot(at) => slot(at),
            Operand::Column(column) => self.column(column, start, len),
        };
        for (index, node) in self.rows.iter().enumerate().rev() {
            let own = self.shared.len() + index;
            let (before, rest) = slopes.split_at_mut(own * lanes);
            let at = |slot: usize| slot * lanes..slot * lanes + len;
            let out = &rest[..len];
            match *node {
                RowNode::Unary(function, x) => {
                    function.pull_back(slot(x), slot(own), out, &mut before[at(x)])
                }
                RowNode::Binary(function, a, b) => {
                    if let Operand::Slot(x) = a {
                        function.pull_back_first(value(a), value(b), out, &mut before[at(x)]);
                    }
                    if let Operand::Slot(x) = b {
                        function.pull_back_second(value(a), value(b), out, &mut before[at(x)]);
                    }
                }
                RowNode::IntegerPower(x, n) => {
                    pull_back_integer_power(n, slot(x), out, &mut before[at(x)])
                }
            }
        }
    }
}

impl Parts {
    /// Finds what each node depends on; the first names are those of the parameters.
    fn new(graph: &Graph, root: Id, num_parameters: usize) -> Self {
        let nodes = graph.nodes().to_vec();
        let (mut reach, mut in_outer) = (Vec::new(), Vec::new());
        let mut outer = Graph::default();
        for node in &nodes {
            let own = match *node {
                Node::Variable(index) if index >= num_parameters => Reach::Columns,
                Node::Variable(_) | Node::Constant(_) => Reach::Parameters,
                _ => {
                    let is_constant = |id: &Id| matches!(nodes[*id], Node::Constant(_));
                    let mut of_operands =
                        operands(*node).filter(|id| !is_constant(id)).map(|id| reach[id]);
                    let first = of_operands.next().expect("constants are folded");
                    if of_operands.all(|other| other == first) { first } else { Reach::Both }
                }
            };
            reach.push(own);
            let is_outer = own == Reach::Parameters;
            in_outer.push(if is_outer {
                outer.place(node.with_operands(|id| in_outer[id]))
            } else {
                Id::MAX
            });
        }
        let mut coefficients = vec![None; nodes.len()];
        coefficients[root] = Some(outer.constant(1.0));
        Self { nodes, reach, outer, in_outer, coefficients }
    }

    /// Adds a factor to the coefficient of a node.
    fn add_coefficient(&mut self, id: Id, factor: Id) {
        self.coefficients[id] = Some(match self.coefficients[id] {
            Some(known) => self.outer.binary(Binary::Add, known, factor),
            None => factor,
        });
    }

    /// Passes the coefficient of a node that depends on both on to its operands, if it is linear in
    /// them; returns whether it is.
    fn pass_on(&mut self, id: Id, coefficient: Id) -> bool {
        let is_outer = |id: Id| self.reach[id] == Reach::Parameters;
        match self.nodes[id] {
            Node::Unary(Unary::Negate, x) => {
                let negative = self.outer.unary(Unary::Negate, coefficient);
                self.add_coefficient(x, negative);
            }
            Node::Binary(Binary::Add, a, b) => {
                self.add_coefficient(a, coefficient);
                self.add_coefficient(b, coefficient);
            }
            Node::Binary(Binary::Subtract, a, b) => {
                let negative = self.outer.unary(Unary::Negate, coefficient);
                self.add_coefficient(a, coefficient);
                self.add_coefficient(b, negative);
            }
            Node::Binary(Binary::Multiply, a, b) if is_outer(a) || is_outer(b) => {
                let (factor, other) = if is_outer(a) { (a, b) } else { (b, a) };
                let factor = self.in_outer[factor];
                let product = self.outer.binary(Binary::Multiply, coefficient, factor);
                self.add_coefficient(other, product);
            }
            Node::Binary(Binary::Divide, a, b) if is_outer(b) => {
                let divisor = self.in_outer[b];
                let quotient = self.outer.binary(Binary::Divide, coefficient, divisor);
                self.add_coefficient(a, quotient);
            }
            _ => return false,
        }
        true
    }

    fn assemble(
        mut self,
        field: &str,
        num_parameters: usize,
        columns: &[(&str, &[f64])],
        num_rows: usize,
    ) -> Result<RowSum> {
        // What is summed over rows for itself: nodes, with their coefficients.
        let mut of_rows = Vec::new();
        let mut of_columns = Vec::new();
        let mut total = self.outer.constant(0.0);
        for id in (0..self.nodes.len()).rev() {
            let Some(coefficient) = self.coefficients[id] else { continue };
            match self.reach[id] {
                Reach::Parameters => {
                    let count = self.outer.constant(num_rows as f64);
                    let factor = self.outer.binary(Binary::Multiply, coefficient, count);
                    let own = self.in_outer[id];
                    let term = self.outer.binary(Binary::Multiply, factor, own);
                    total = self.outer.binary(Binary::Add, total, term);
                }
                Reach::Columns => of_columns.push((id, coefficient)),
                Reach::Both => {
                    if !self.pass_on(id, coefficient) {
                        of_rows.push((id, coefficient));
                    }
                }
            }
        }
        let mut is_run = vec![false; self.nodes.len()];
        let mut kept: Vec<Id> = of_columns.iter().map(|(id, _)| *id).collect();
        let mut shared = Vec::new();
        of_rows.iter().for_each(|(id, _)| is_run[*id] = true);
        for id in (0..self.nodes.len()).rev() {
            if !is_run[id] {
                continue;
            }
            for operand in operands(self.nodes[id]) {
                match self.reach[operand] {
                    Reach::Both => is_run[operand] = true,
                    Reach::Columns => kept.push(operand),
                    Reach::Parameters => shared.push(operand),
                }
            }
        }
        for ids in [&mut kept, &mut shared] {
            ids.sort_unstable();
            ids.dedup();
        }
        let columns = self.keep_columns(field, num_parameters, columns, num_rows, &kept)?;
        for (id, coefficient) in of_columns {
            let index = kept.binary_search(&id).expect("it is kept");
            let sum: f64 = columns[index * num_rows..][..num_rows].iter().sum();
            if !sum.is_finite() {
                let problem = format!(
                    "has a part without parameters whose sum over the rows is {sum}; check the \
                     columns it takes, or leave it out"
                );
                return Err(Error::spec(field, problem));
            }
            let sum = self.outer.constant(sum);
            let term = self.outer.binary(Binary::Multiply, coefficient, sum);
            total = self.outer.binary(Binary::Add, total, term);
        }

        let run: Vec<Id> = (0..self.nodes.len()).filter(|id| is_run[*id]).collect();
        let slot = |id: Id| match shared.binary_search(&id) {
            Ok(index) => index,
            Err(_) => shared.len() + run.binary_search(&id).expect("it is run"),
        };
        let operand = |id: Id| match kept.binary_search(&id) {
            Ok(index) if self.reach[id] == Reach::Columns => Operand::Column(index),
            _ => Operand::Slot(slot(id)),
        };
        let row_node = |id: &Id| match self.nodes[*id] {
            Node::Unary(function, x) => RowNode::Unary(function, slot(x)),
            Node::Binary(function, a, b) => RowNode::Binary(function, operand(a), operand(b)),
            Node::IntegerPower(x, n) => RowNode::IntegerPower(slot(x), n),
            Node::Constant(_) | Node::Variable(_) => unreachable!("it depends on both"),
        };
        let rows = run.iter().map(row_node).collect();
        let row_cost = run.iter().map(|id| self.nodes[*id].cost()).sum();
        let mut roots = vec![total];
        roots.extend(of_rows.iter().map(|(_, coefficient)| *coefficient));
        roots.extend(shared.iter().map(|id| self.in_outer[*id]));
        let terms: Vec<_> = of_rows.iter().map(|(id, c)| (*c, slot(*id))).collect();
        let order: Vec<usize> = (0..num_parameters).collect();
        let (outer, moved) = self.outer.pick(&roots, &order);
        Ok(RowSum {
            outer: Tape::new(outer),
            total: moved[total],
            terms: terms
                .into_iter()
                .map(|(coefficient, slot)| Term { coefficient: moved[coefficient], slot })
                .collect(),
            shared: shared.iter().map(|id| moved[self.in_outer[*id]]).collect(),
            rows,
            num_rows,
            columns,
            row_cost,
        })
    }

    /// The values of these nodes, which depend on the columns alone, in all rows.
    fn keep_columns(
        &self,
        field: &str,
        num_parameters: usize,
        columns: &[(&str, &[f64])],
        num_rows: usize,
        kept: &[Id],
    ) -> Result<Vec<f64>> {
        if kept.len().saturating_mul(num_rows) > MAX_KEPT {
            return Err(Error::TooLarge {
                field: field.into(),
                problem: format!(
                    "has {} parts that depend on the columns alone, and {num_rows} values of each are \
                     more than {MAX_KEPT} numbers; compute them yourself as fewer columns, or use fewer rows",
                    kept.len()
                ),
            });
        }
        if kept.is_empty() {
            return Ok(Vec::new());
        }
        let mut graph = Graph::default();
        let mut moved = vec![Id::MAX; self.nodes.len()];
        for (id, node) in self.nodes.iter().enumerate() {
            if self.reach[id] == Reach::Columns || matches!(node, Node::Constant(_)) {
                moved[id] = graph.place(match *node {
                    Node::Variable(index) => Node::Variable(index - num_parameters),
                    node => node.with_operands(|operand| moved[operand]),
                });
            }
        }
        let roots: Vec<Id> = kept.iter().map(|id| moved[*id]).collect();
        let order: Vec<usize> = (0..columns.len()).collect();
        let (nodes, moved) = graph.pick(&roots, &order);
        let tape = Tape::new(nodes);
        let data: Vec<f64> = columns.iter().flat_map(|(_, values)| *values).copied().collect();
        let x = Block::new(columns.len(), &data);
        let mut out = vec![0.0; kept.len() * num_rows];
        let stride = num_rows.min(CHUNK);
        with_scratch([tape.num_nodes() * stride], |[values]| {
            tape.fill_constants(stride, values);
            for start in (0..num_rows).step_by(stride) {
                let len = stride.min(num_rows - start);
                tape.forward(x, |_| true, start, len, stride, values);
                for (index, root) in roots.iter().enumerate() {
                    let row = &values[moved[*root] * stride..][..len];
                    out[index * num_rows + start..][..len].copy_from_slice(row);
                }
            }
        });
        Ok(out)
    }
}
