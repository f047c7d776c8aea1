//! Which nodes of a formula are evaluated in one run, and in which order the runs are.

use super::super::functions::{Binary, Unary};
use super::super::graph::{Id, Node, operands};
use std::cmp::Reverse;
use std::collections::BTreeMap;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Operation {
    Unary(Unary),
    Binary(Binary),
    IntegerPower(u32),
    /// One node: the sum of all operands, or differences.
    Sum,
}

/// Fewer nodes of a kind are computed one by one.
const MIN_NODES: usize = 4;

/// The operation of a run, and which arguments are constants.
pub type Kind = (Operation, [bool; 2]);

/// A node's use of an operand.
#[derive(Debug, Clone, Copy)]
pub struct Use {
    pub operand: Id,
    pub user: Id,
    /// The place of the operand, once it has one.
    pub place: usize,
    /// −1 if it is subtracted in a sum.
    pub sign: f64,
}

/// A run, or one node of it: its nodes, and their operands by argument.
#[derive(Debug, Clone)]
pub struct Part {
    pub kind: Kind,
    pub nodes: Vec<Id>,
    /// The place of the first node, once it has one.
    pub place: usize,
    pub arguments: [Vec<Use>; 2],
}

impl Operation {
    /// Runs of these wait until nothing else can be done, and become longer by it.
    fn is_slow(self) -> bool {
        matches!(self, Self::Unary(function) if function.cost() > 2)
    }

    /// Whether the slope is 0 wherever there is one.
    pub fn is_flat(self) -> bool {
        matches!(self, Self::Unary(Unary::Sign) | Self::Binary(Binary::AtMost | Binary::Equal))
    }
}

impl Part {
    /// The node with the places of its operands, if it is one node and no sum.
    pub fn single(&self) -> Option<Node> {
        let place = |argument: usize| self.arguments[argument][0].place;
        match self.kind.0 {
            _ if self.nodes.len() > 1 => None,
            Operation::Unary(function) => Some(Node::Unary(function, place(0))),
            Operation::Binary(function) => Some(Node::Binary(function, place(0), place(1))),
            Operation::IntegerPower(n) => Some(Node::IntegerPower(place(0), n)),
            Operation::Sum => None,
        }
    }
}

/// All nodes but constants, variables, and those that a long sum has taken in.
fn parts(nodes: &[Node]) -> BTreeMap<Id, Part> {
    let is_constant = |id: Id| matches!(nodes[id], Node::Constant(_));
    let mut num_users = vec![0; nodes.len()];
    nodes.iter().for_each(|node| operands(*node).for_each(|id| num_users[id] += 1));
    let mut parts = BTreeMap::new();
    let mut sums: BTreeMap<Id, Vec<Use>> = BTreeMap::new();
    for (user, node) in nodes.iter().enumerate() {
        let one = |operand| vec![Use { operand, user, place: 0, sign: 1.0 }];
        let (operation, arguments) = match *node {
            Node::Constant(_) | Node::Variable(_) => continue,
            Node::Unary(function, x) => (Operation::Unary(function), [one(x), vec![]]),
            Node::IntegerPower(x, n) => (Operation::IntegerPower(n), [one(x), vec![]]),
            // Both orders have the same bits, and this one makes fewer kinds.
            Node::Binary(function @ (Binary::Add | Binary::Multiply), a, b) if is_constant(a) => {
                (Operation::Binary(function), [one(b), one(a)])
            }
            Node::Binary(function, a, b) => (Operation::Binary(function), [one(a), one(b)]),
        };
        if let Node::Binary(function @ (Binary::Add | Binary::Subtract), a, b) = *node {
            let mut terms_of = |id| if num_users[id] == 1 { sums.remove(&id) } else { None };
            let (mut terms, other) = match terms_of(a) {
                Some(terms) => (terms, b),
                None if function == Binary::Add => (terms_of(b).unwrap_or_else(|| one(b)), a),
                None => (one(a), b),
            };
            let sign = if function == Binary::Add { 1.0 } else { -1.0 };
            terms.extend(one(other).into_iter().map(|term| Use { sign, ..term }));
            sums.insert(user, terms);
        }
        let constants =
            arguments.each_ref().map(|uses| uses.iter().any(|each| is_constant(each.operand)));
        parts.insert(
            user,
            Part { kind: (operation, constants), nodes: vec![user], place: 0, arguments },
        );
    }
    // Short sums of which there are many are runs of additions.
    let mut num_alike = BTreeMap::new();
    sums.values().for_each(|terms| *num_alike.entry(terms.len()).or_insert(0) += 1);
    for (id, terms) in sums {
        if terms.len() > MIN_NODES.max(num_alike[&terms.len()] + 1) {
            terms.iter().for_each(|term| drop(parts.remove(&term.user)));
            let kind = (Operation::Sum, [false; 2]);
            parts.insert(id, Part { kind, nodes: vec![id], place: 0, arguments: [terms, vec![]] });
        }
    }
    parts
}

/// The runs, and single nodes, in the order of evaluation.
fn runs(nodes: &[Node]) -> Vec<Part> {
    let (parts, num_nodes) = (parts(nodes), nodes.len());
    let mut users: Vec<Vec<Id>> = vec![Vec::new(); num_nodes];
    let mut num_missing = vec![0; num_nodes];
    let mut ready: BTreeMap<Kind, Vec<Id>> = BTreeMap::new();
    for (id, part) in &parts {
        for each in part.arguments.iter().flatten() {
            if parts.contains_key(&each.operand) {
                users[each.operand].push(*id);
                num_missing[*id] += 1;
            }
        }
        if num_missing[*id] == 0 {
            ready.entry(part.kind).or_default().push(*id);
        }
    }
    let mut runs = Vec::new();
    loop {
        let urgency = |(kind, nodes): &(&Kind, &Vec<Id>)| (!kind.0.is_slow(), nodes.len());
        let Some(kind) = ready.iter().max_by_key(urgency).map(|(kind, _)| *kind) else {
            return runs;
        };
        let mut nodes = ready.remove(&kind).expect("it is ready");
        if kind.0 == Operation::Sum && nodes.len() > 1 {
            ready.insert(kind, nodes.split_off(1));
        }
        // Contributions to the slope of an operand of all of them are added in this order.
        nodes.sort_unstable_by_key(|id| Reverse(*id));
        for user in nodes.iter().flat_map(|id| &users[*id]) {
            num_missing[*user] -= 1;
            if num_missing[*user] == 0 {
                ready.entry(parts[user].kind).or_default().push(*user);
            }
        }
        let steps =
            if nodes.len() < MIN_NODES { nodes.chunks(1) } else { nodes.chunks(nodes.len()) };
        for nodes in steps {
            let of_all =
                |at: usize| nodes.iter().flat_map(|id| &parts[id].arguments[at]).copied().collect();
            runs.push(Part {
                kind,
                arguments: [of_all(0), of_all(1)],
                place: 0,
                nodes: nodes.to_vec(),
            });
        }
    }
}

/// Where the value of each node is.
pub struct Layout {
    /// The constants, which have the first places. One has a place for each of its uses, so that those of a run are in a row.
    pub constants: Vec<f64>,
    /// The indices of the variables, which have the next places.
    pub variables: Vec<usize>,
    /// The runs and single nodes in the order of evaluation, and of their places.
    pub parts: Vec<Part>,
    pub num_places: usize,
    /// The place of the last node.
    pub root: usize,
}

impl Layout {
    pub fn new(nodes: &[Node]) -> Self {
        let mut parts = runs(nodes);
        let (mut constants, mut variables) = (Vec::new(), Vec::new());
        let root = nodes.len() - 1;
        if let Node::Constant(bits) = nodes[root] {
            constants.push(f64::from_bits(bits));
        }
        for each in parts.iter_mut().flat_map(|part| part.arguments.iter_mut().flatten()) {
            if let Node::Constant(bits) = nodes[each.operand] {
                each.place = constants.len();
                constants.push(f64::from_bits(bits));
            }
        }
        let mut places = vec![0; nodes.len()];
        for (id, node) in nodes.iter().enumerate() {
            if let Node::Variable(index) = node {
                places[id] = constants.len() + variables.len();
                variables.push(*index);
            }
        }
        let mut num_places = constants.len() + variables.len();
        for part in &mut parts {
            part.place = num_places;
            part.nodes.iter().zip(num_places..).for_each(|(id, place)| places[*id] = place);
            num_places += part.nodes.len();
        }
        for each in parts.iter_mut().flat_map(|part| part.arguments.iter_mut().flatten()) {
            if !matches!(nodes[each.operand], Node::Constant(_)) {
                each.place = places[each.operand];
            }
        }
        Self { root: places[root], constants, variables, parts, num_places }
    }
}
