//! The lowest state of an attractive Ising model by a minimum cut (Greig, Porteous and Seheult 1989).
//!
//! With no positive coupling and `2 x_i x_j = x_i + x_j − [x_i ≠ x_j]`,
//!
//! `E(x) = Σ_i c_i x_i + Σ_{i<j} |J_ij| [x_i ≠ x_j]`, `c_i = J_ii + Σ_{j ≠ i} J_ij`.
//!
//! In a network where site i is tied to the source with capacity `max(−c_i, 0)`, to the sink with
//! `max(c_i, 0)`, and to its neighbours with `|J_ij|`, a cut whose source's side are the sites with
//! x_i = 1 costs E(x) plus a constant. Capacities are integers, so that the flow is exact.

use crate::bits::{flip, words_per_row};
use crate::energy::{Energy, Parametric};
use crate::models::ising::Ising;
use petgraph::algo::maximum_flow::dinics;
use petgraph::graph::{DiGraph, NodeIndex};
use petgraph::visit::EdgeRef;

/// The sum of all capacities is below 2 to this.
const BITS: i32 = 62;

/// Whether no coupling is positive.
pub fn is_attractive(model: &Ising) -> bool {
    model.params()[model.dim()..].iter().all(|coupling| *coupling <= 0.0)
}

/// The lowest state; of several that with the fewest ones.
///
/// # Panics
/// If a coupling is positive.
pub fn lowest(model: &Ising) -> Vec<u64> {
    assert!(is_attractive(model));
    let dim = model.dim();
    let (biases, couplings) = model.params().split_at(dim);
    let dense = || (0..dim).flat_map(|i| (i + 1..dim).map(move |j| [i, j])).collect::<Vec<_>>();
    let pairs = model.pairs().map_or_else(dense, <[_]>::to_vec);
    let mut fields = biases.to_vec();
    for (&[i, j], coupling) in pairs.iter().zip(couplings) {
        fields[i] += coupling;
        fields[j] += coupling;
    }
    let total: f64 = fields.iter().map(|field| field.abs()).sum::<f64>()
        + couplings.iter().map(|coupling| 2.0 * coupling.abs()).sum::<f64>();
    let capacity = quantizer(total, fields.len() + 2 * couplings.len());
    let mut network = DiGraph::<(), u64, u32>::with_capacity(dim + 2, dim + 2 * pairs.len());
    let sites: Vec<NodeIndex> = (0..dim).map(|_| network.add_node(())).collect();
    let [source, sink] = [(); 2].map(|()| network.add_node(()));
    for (&site, &field) in sites.iter().zip(&fields) {
        let (from, to) = if field < 0.0 { (source, site) } else { (site, sink) };
        network.add_edge(from, to, capacity(field.abs()));
    }
    for (&[i, j], &coupling) in pairs.iter().zip(couplings) {
        network.add_edge(sites[i], sites[j], capacity(-coupling));
        network.add_edge(sites[j], sites[i], capacity(-coupling));
    }
    let (_, flows) = dinics(&network, source, sink);
    let mut row = vec![0; words_per_row(dim)];
    for node in reachable(&network, &flows, source) {
        if node.index() < dim {
            flip(&mut row, node.index());
        }
    }
    row
}

/// Capacities as integers: multiples of a power of two such that their sum has [`BITS`] bits at most.
fn quantizer(total: f64, count: usize) -> impl Fn(f64) -> u64 {
    // Rounding adds half of one at most to each.
    let most = ((1_u64 << BITS) - count as u64) as f64;
    let mut scale = 1.0;
    while total * scale * 2.0 < most && scale < 1e300 {
        scale *= 2.0;
    }
    while total * scale > most {
        scale *= 0.5;
    }
    move |capacity: f64| (capacity * scale).round() as u64
}

/// The nodes that the source reaches through what is left of the capacities.
fn reachable(network: &DiGraph<(), u64>, flows: &[u64], source: NodeIndex) -> Vec<NodeIndex> {
    let mut is_reached = vec![false; network.node_count()];
    is_reached[source.index()] = true;
    let mut reached = vec![source];
    let mut at = 0;
    while let Some(&node) = reached.get(at) {
        at += 1;
        let onward = network
            .edges(node)
            .filter(|edge| flows[edge.id().index()] < *edge.weight())
            .map(|edge| edge.target());
        let back = network
            .edges_directed(node, petgraph::Direction::Incoming)
            .filter(|edge| flows[edge.id().index()] > 0)
            .map(|edge| edge.source());
        for next in onward.chain(back) {
            if !std::mem::replace(&mut is_reached[next.index()], true) {
                reached.push(next);
            }
        }
    }
    reached
}
