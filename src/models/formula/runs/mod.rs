//! A formula's value and gradient at one state.
//!
//! A chain that grows a tree asks for one state at a time, so no states lie side by side. But a formula of data repeats the same operations
//! for every row. Nodes of one kind that do not depend on one another are a run, which is one loop; a long sum is a loop, too. Every
//! node has a place, and the nodes of a run have places in a row. So mostly do their operands.
//!
//! The gradient is that of reverse mode. Each use of a node contributes to the node's slope. All contributions are kept apart, and
//! are added in the order in which [`Tape`](super::tape::Tape) adds them, so that the bits are the same.

mod plan;

use super::functions::{Unary, contribute_integer_power, integer_power_slope, integer_powers};
use super::graph::Node;
use crate::linalg::{Block, with_scratch};
use crate::math::softplus_and_slope;
use plan::{Layout, Operation, Part, Use};
use std::cmp::Reverse;

/// Maximum number of states that are evaluated one after another.
pub(super) const MAX_STATES: usize = 4;

/// The nodes of a formula in runs.
#[derive(Debug, Clone)]
pub(super) struct Runs {
    /// The constants, which have the first places.
    constants: Vec<f64>,
    /// The indices of the variables, which have the next places.
    variables: Vec<usize>,
    steps: Vec<Step>,
    /// The place of the formula's value.
    root: usize,
    num_places: usize,
    /// The contributions to the slope at each place after the constants, one place after another, and where those of each
    /// begin; last, where all end.
    to_add: Vec<usize>,
    begins: Vec<usize>,
    /// Number of operands that are copied.
    num_copies: usize,
    /// Number of slopes that are kept.
    num_kept: usize,
    /// Number of nodes of the longest run.
    longest: usize,
}

#[derive(Debug, Clone)]
enum Step {
    Run(Run),
    Single(Single),
}

/// A node that is computed without a loop.
#[derive(Debug, Clone)]
struct Single {
    /// The node, with the places of its operands in place of their indices.
    node: Node,
    place: usize,
    /// Where the contributions to the slopes of the operands are written.
    contributions: [Option<usize>; 2],
}

/// Nodes of one kind, none of which depends on another.
#[derive(Debug, Clone)]
struct Run {
    operation: Operation,
    /// The place of the first node.
    first: usize,
    /// Number of nodes.
    len: usize,
    /// For each argument, the operands of all nodes.
    operands: [Option<Operands>; 2],
    /// Of a sum, the sign of each term, 1 or −1.
    signs: Vec<f64>,
    /// Of softplus, the first of the places where its slopes are kept: it has the exponential for both.
    kept: Option<usize>,
    /// The first of the contributions to the slopes, if each node has one user, and they are in a row.
    slopes: Option<usize>,
}

#[derive(Debug, Clone)]
struct Operands {
    len: usize,
    /// Where their values are. Those that are not in a row are copied to one that begins at `copies`.
    places: Places,
    copies: usize,
    /// The first of the contributions to their slopes, which are in a row; none to constants and where all slopes are 0.
    contributions: Option<usize>,
}

#[derive(Debug, Clone)]
enum Places {
    /// In a row that begins here.
    Row(usize),
    Each(Vec<usize>),
}

/// The memory that steps need, while they are made.
#[derive(Default)]
struct Room {
    num_copies: usize,
    num_kept: usize,
    /// Each use of a node whose slope it contributes to, with the place of the contribution.
    uses: Vec<(Use, usize)>,
}

impl Room {
    fn step(&mut self, part: &Part) -> Step {
        let contributions = [0, 1].map(|argument| self.contributions(part, argument));
        if let Some(node) = part.single() {
            return Step::Single(Single { node, place: part.place, contributions });
        }
        let operation = part.kind.0;
        let len = part.nodes.len();
        let signs = match operation {
            Operation::Sum => part.arguments[0].iter().map(|each| each.sign).collect(),
            _ => Vec::new(),
        };
        let kept = (operation == Operation::Unary(Unary::Softplus)).then_some(self.num_kept);
        self.num_kept += kept.map_or(0, |_| len);
        let operands = [0, 1].map(|argument| {
            let uses = &part.arguments[argument];
            (!uses.is_empty()).then(|| self.operands(uses, contributions[argument]))
        });
        Step::Run(Run { operation, first: part.place, len, operands, signs, kept, slopes: None })
    }

    /// The first of the places of contributions to the slopes of operands, if they have slopes.
    fn contributions(&mut self, part: &Part, argument: usize) -> Option<usize> {
        let of_part = &part.arguments[argument];
        let (operation, are_constant) = part.kind;
        if of_part.is_empty() || are_constant[argument] || operation.is_flat() {
            return None;
        }
        let first = self.uses.len();
        self.uses.extend(of_part.iter().copied().zip(first..));
        Some(first)
    }

    fn operands(&mut self, uses: &[Use], contributions: Option<usize>) -> Operands {
        let all: Vec<usize> = uses.iter().map(|each| each.place).collect();
        let copies = self.num_copies;
        let places = if is_row(&all) {
            Places::Row(all[0])
        } else {
            self.num_copies += all.len();
            Places::Each(all)
        };
        Operands { len: uses.len(), places, copies, contributions }
    }
}

impl Runs {
    /// Up to how many states are evaluated sooner one after another than side by side, by trial; none if the formula has no rows that are
    /// alike.
    pub fn max_states(&self) -> usize {
        let num_computed = self.num_places - self.constants.len() - self.variables.len();
        match num_computed as f64 / self.steps.len().max(1) as f64 {
            mean if mean < 1.5 => 0,
            mean if mean < 5.0 => 3,
            _ => MAX_STATES,
        }
    }

    /// The runs of these nodes, the last of which is the formula's value.
    pub fn new(nodes: &[Node]) -> Self {
        let Layout { constants, variables, parts, num_places, root } = Layout::new(nodes);
        let mut room = Room::default();
        let mut steps: Vec<Step> = parts.iter().map(|part| room.step(part)).collect();
        // Contributions are added from that of the last user to that of the first.
        room.uses.sort_by_key(|(each, _)| (each.place, Reverse(each.user)));
        let begins: Vec<usize> = (constants.len()..=num_places)
            .map(|place| room.uses.partition_point(|(each, _)| each.place < place))
            .collect();
        let to_add: Vec<usize> = room.uses.iter().map(|(_, contribution)| *contribution).collect();
        for step in &mut steps {
            let Step::Run(run) = step else { continue };
            let begins = &begins[run.first - constants.len()..][..=run.len];
            let of_run = &to_add[begins[0]..begins[run.len]];
            run.slopes = (is_row(begins) && is_row(of_run)).then(|| of_run[0]);
        }
        Self {
            constants,
            variables,
            steps,
            root,
            num_places,
            to_add,
            begins,
            num_copies: room.num_copies,
            num_kept: room.num_kept,
            longest: parts.iter().map(|part| part.nodes.len()).max().unwrap_or(0),
        }
    }

    /// The value at state `at` of `x`; its gradient is written to that state's column of `grad`.
    pub fn value_grad(&self, x: Block<'_>, at: usize, grad: &mut [f64]) -> f64 {
        let num_contributions = self.to_add.len();
        let lens =
            [self.num_places, self.num_copies, self.num_kept, num_contributions, self.longest];
        with_scratch(lens, |[values, copies, kept, contributions, slopes]| {
            let first = self.constants.len();
            values[..first].copy_from_slice(&self.constants);
            for (value, variable) in values[first..].iter_mut().zip(&self.variables) {
                *value = x.entry(*variable)[at];
            }
            for step in &self.steps {
                match step {
                    Step::Run(run) => run.evaluate(values, copies, kept),
                    Step::Single(single) => {
                        values[single.place] = single.node.value(values, |_| f64::NAN);
                    }
                }
            }
            for step in self.steps.iter().rev() {
                match step {
                    Step::Run(run) => {
                        let slopes = &mut slopes[..run.len];
                        self.slopes_of_run(run, contributions, slopes);
                        run.contribute(values, copies, kept, slopes, contributions);
                    }
                    Step::Single(single) => {
                        let slope = self.slope(single.place, contributions);
                        single.contribute(values, slope, contributions);
                    }
                }
            }
            grad.iter_mut().skip(at).step_by(x.width()).for_each(|slope| *slope = 0.0);
            for (place, variable) in (first..).zip(&self.variables) {
                grad[variable * x.width() + at] = self.slope(place, contributions);
            }
            values[self.root]
        })
    }

    /// The slope of the value in the node at a place, all users of which have contributed.
    #[inline]
    fn slope(&self, place: usize, contributions: &[f64]) -> f64 {
        let at = place - self.constants.len();
        let to_add = &self.to_add[self.begins[at]..self.begins[at + 1]];
        let begun = if place == self.root { 1.0 } else { 0.0 };
        to_add.iter().fold(begun, |sum, at| sum + contributions[*at])
    }

    /// The slopes of the value in the nodes of a run.
    fn slopes_of_run(&self, run: &Run, contributions: &[f64], slopes: &mut [f64]) {
        if let Some(first) = run.slopes {
            let row = &contributions[first..];
            slopes.iter_mut().zip(row).for_each(|(slope, part)| *slope = 0.0 + part);
            return;
        }
        let begun = if run.first == self.root { 1.0 } else { 0.0 };
        let begins = self.begins[run.first - self.constants.len()..].windows(2);
        for (slope, pair) in slopes.iter_mut().zip(begins) {
            let to_add = &self.to_add[pair[0]..pair[1]];
            *slope = to_add.iter().fold(begun, |sum, at| sum + contributions[*at]);
        }
    }
}

/// Whether numbers count up one by one.
fn is_row(numbers: &[usize]) -> bool {
    numbers.windows(2).all(|pair| pair[1] == pair[0] + 1)
}

impl Single {
    /// What the node contributes to the slopes of its operands, given its own.
    #[inline]
    fn contribute(&self, values: &[f64], slope: f64, contributions: &mut [f64]) {
        let [first, second] = self.contributions;
        let own = values[self.place];
        let mut part = 0.0;
        match self.node {
            Node::Constant(_) | Node::Variable(_) => {}
            Node::Unary(function, x) => function.pull_back_one(values[x], own, slope, &mut part),
            Node::Binary(function, a, b) => {
                let (a, b) = (values[a], values[b]);
                if let Some(second) = second {
                    let mut part = 0.0;
                    function.pull_back_second_one(a, b, slope, &mut part);
                    contributions[second] = part;
                }
                if first.is_some() {
                    function.pull_back_first_one(a, b, slope, &mut part);
                }
            }
            Node::IntegerPower(x, n) => part = integer_power_slope(n, values[x]) * slope,
        }
        if let Some(first) = first {
            contributions[first] = part;
        }
    }
}

impl Operands {
    /// Copies the values to a row, if they are not in one.
    fn copy(&self, values: &[f64], copies: &mut [f64]) {
        if let Places::Each(places) = &self.places {
            for (copy, place) in copies[self.copies..].iter_mut().zip(places) {
                *copy = values[*place];
            }
        }
    }

    /// The values, where they are or copied.
    fn values<'a>(&self, values: &'a [f64], copies: &'a [f64]) -> &'a [f64] {
        match self.places {
            Places::Row(first) => &values[first..][..self.len],
            Places::Each(_) => &copies[self.copies..][..self.len],
        }
    }
}

impl Run {
    /// The values of the nodes.
    fn evaluate(&self, values: &mut [f64], copies: &mut [f64], kept: &mut [f64]) {
        let (before, rest) = values.split_at_mut(self.first);
        self.operands.iter().flatten().for_each(|each| each.copy(before, copies));
        let [a, b] = self.arguments(before, copies);
        let out = &mut rest[..self.len];
        match self.operation {
            _ if let Some(first) = self.kept => softplus_and_slopes(a, out, &mut kept[first..]),
            Operation::Unary(function) => function.values(a, out),
            Operation::Binary(function) => function.values(a, b, out),
            Operation::IntegerPower(n) => integer_powers(n, a, out),
            Operation::Sum => {
                let terms = a.iter().zip(&self.signs).skip(1);
                out[0] = terms.fold(a[0], |sum, (term, sign)| sum + sign * term);
            }
        }
    }

    /// The values of the operands, by argument.
    fn arguments<'a>(&self, values: &'a [f64], copies: &'a [f64]) -> [&'a [f64]; 2] {
        let of = |each: &Option<Operands>| match each {
            Some(operands) => operands.values(values, copies),
            None => &[],
        };
        [of(&self.operands[0]), of(&self.operands[1])]
    }

    /// What the nodes contribute to the slopes of their operands, given their own.
    fn contribute(
        &self,
        values: &[f64],
        copies: &[f64],
        kept: &[f64],
        slopes: &[f64],
        contributions: &mut [f64],
    ) {
        let [a, b] = self.arguments(values, copies);
        for (argument, operands) in self.operands.iter().flatten().enumerate() {
            let Some(first) = operands.contributions else { continue };
            let out = &mut contributions[first..][..operands.len];
            if let Some(first) = self.kept {
                let own = kept[first..].iter().zip(slopes);
                out.iter_mut().zip(own).for_each(|(out, (own, slope))| *out = own * slope);
                continue;
            }
            match (self.operation, argument) {
                (Operation::Unary(function), _) => {
                    function.contribute(a, &values[self.first..][..self.len], slopes, out);
                }
                (Operation::Binary(function), 0) => function.contribute_first(a, b, slopes, out),
                (Operation::Binary(function), _) => function.contribute_second(a, b, slopes, out),
                (Operation::IntegerPower(n), _) => contribute_integer_power(n, a, slopes, out),
                (Operation::Sum, _) => {
                    out.iter_mut().zip(&self.signs).for_each(|(out, sign)| *out = sign * slopes[0]);
                }
            }
        }
    }
}

/// `y = softplus(x)` and its slopes, entry by entry.
fn softplus_and_slopes(x: &[f64], y: &mut [f64], slopes: &mut [f64]) {
    for ((x, y), slope) in x.iter().zip(y).zip(slopes) {
        (*y, *slope) = softplus_and_slope(*x);
    }
}
