//! Rows of the transition matrices of the library's transitions on small binary models, from their
//! definitions. State x has the number whose bit i is x_i.

use super::clusters::ClusterMoves;
use super::spec::{FlipRule, KernelSpec, MAX_SITES};
use crate::checks::check_positive;
use crate::energy::enumeration;
use crate::math::{exp, log_sum_exp, sigmoid, softplus};
use crate::models::rbm::Rbm;
use crate::models::{Model, ModelSpec};
use crate::sample::checkerboard::colours;
use crate::sample::gibbs::flip_probability;
use crate::sample::spec::Scan;
use crate::{Error, Result};

/// The chain of a binary model under one of the library's transitions.
pub struct ModelChain {
    dim: usize,
    /// The energies of all states.
    energies: Vec<f64>,
    moves: Moves,
}

enum Moves {
    /// One site, drawn uniformly.
    SingleSite(FlipRule),
    /// As many of these as there are sites.
    RandomScan,
    /// A site drawn by the cost of its flip.
    LocallyInformed,
    /// All sites at once, with this step size.
    DiscreteLangevin(f64),
    /// Gibbs updates of these sites, one after another.
    Sweep(Vec<u32>),
    SwendsenWang(ClusterMoves),
    Wolff(ClusterMoves),
    BlockGibbs(Layers),
}

impl ModelChain {
    /// Builds the model and computes the energies of its states.
    ///
    /// # Errors
    /// Any error of the model's spec; [`Error::TooLarge`] if it has too many units;
    /// [`Error::MissingCapability`] if it has no such transition; [`Error::InvalidSpec`] if states
    /// have infinite energies.
    pub fn new(spec: &ModelSpec, kernel: KernelSpec) -> Result<Self> {
        let model = spec.build()?;
        let flips = model
            .as_site_flips()
            .ok_or_else(|| Error::missing(model.kind(), "SiteFlips", "the chain of a model"))?;
        let dim = model.dim();
        check_units("model.dim", dim, "sites")?;
        let num_shards = enumeration::num_shards(dim)?;
        let energies: Vec<f64> =
            (0..num_shards).flat_map(|shard| enumeration::energies(flips, shard).1).collect();
        if let Some(state) = energies.iter().position(|energy| !energy.is_finite()) {
            let problem = format!("gives state {state} the energy {}", energies[state]);
            return Err(Error::spec("model", format!("{problem}; every energy must be finite")));
        }
        Ok(Self { dim, energies, moves: Moves::of(&*model, kernel)? })
    }

    /// Number of states.
    pub fn num_states(&self) -> usize {
        self.energies.len()
    }

    /// The Boltzmann distribution of the model, `[2^dim]`.
    pub fn boltzmann(&self) -> Vec<f64> {
        let least = self.energies.iter().copied().fold(f64::INFINITY, f64::min);
        let weights: Vec<f64> = self.energies.iter().map(|energy| exp(least - energy)).collect();
        let total: f64 = weights.iter().sum();
        weights.into_iter().map(|weight| weight / total).collect()
    }

    /// A row of the transition matrix, `[2^dim]`.
    ///
    /// # Panics
    /// If there is no such state.
    pub fn row(&self, state: usize) -> Vec<f64> {
        let mut start = vec![0.0; self.num_states()];
        start[state] = 1.0;
        match &self.moves {
            Moves::SingleSite(rule) => self.after_a_site(&start, *rule),
            Moves::RandomScan => {
                (0..self.dim).fold(start, |before, _| self.after_a_site(&before, FlipRule::Gibbs))
            }
            Moves::LocallyInformed => self.after_an_informed_flip(state),
            Moves::DiscreteLangevin(step_size) => self.after_a_langevin_step(state, *step_size),
            Moves::Sweep(order) => {
                order.iter().for_each(|&site| self.update(&mut start, site as usize));
                start
            }
            Moves::SwendsenWang(clusters) => clusters.swendsen_wang(state),
            Moves::Wolff(clusters) => clusters.wolff(state),
            Moves::BlockGibbs(layers) => layers.row(state),
        }
    }

    /// ΔE of the flip of a site.
    fn delta(&self, state: usize, site: usize) -> f64 {
        self.energies[state ^ 1 << site] - self.energies[state]
    }

    /// The distribution after the update of a site drawn uniformly.
    fn after_a_site(&self, before: &[f64], rule: FlipRule) -> Vec<f64> {
        let mut after = vec![0.0; before.len()];
        for (state, probability) in before.iter().enumerate().filter(|(_, p)| **p > 0.0) {
            let mut stays = 0.0;
            for site in 0..self.dim {
                let delta = self.delta(state, site);
                // Each of the two probabilities is computed without cancellation.
                let (flips, keeps) = match rule {
                    FlipRule::Gibbs => (flip_probability(delta), flip_probability(-delta)),
                    FlipRule::Metropolis if delta <= 0.0 => (1.0, 0.0),
                    FlipRule::Metropolis => (exp(-delta), 1.0 - exp(-delta)),
                };
                after[state ^ 1 << site] += probability * flips / self.dim as f64;
                stays += keeps / self.dim as f64;
            }
            after[state] += probability * stays;
        }
        after
    }

    /// The distribution after a locally informed proposal.
    fn after_an_informed_flip(&self, state: usize) -> Vec<f64> {
        let log_weights = |state: usize| -> Vec<f64> {
            (0..self.dim).map(|site| -0.5 * self.delta(state, site)).collect()
        };
        let here = log_weights(state);
        let log_total = log_sum_exp(&here);
        let mut after = vec![0.0; self.num_states()];
        let mut leaves = 0.0;
        for (site, log_weight) in here.iter().enumerate() {
            let next = state ^ 1 << site;
            let acceptance = exp((log_total - log_sum_exp(&log_weights(next))).min(0.0));
            after[next] = exp(log_weight - log_total) * acceptance;
            leaves += after[next];
        }
        after[state] = (1.0 - leaves).max(0.0);
        after
    }

    /// The distribution after a step of Langevin dynamics of bits.
    fn after_a_langevin_step(&self, state: usize, step_size: f64) -> Vec<f64> {
        let log_odds = |state: usize, site: usize| -0.5 * self.delta(state, site) - 0.5 / step_size;
        let log_proposal = |from: usize, to: usize| -> f64 {
            let sites = 0..self.dim;
            let signed = sites.map(|site| {
                let odds = log_odds(from, site);
                if (from ^ to) >> site & 1 == 1 { -odds } else { odds }
            });
            -signed.map(softplus).sum::<f64>()
        };
        let mut after = vec![0.0; self.num_states()];
        let mut leaves = 0.0;
        for next in (0..self.num_states()).filter(|next| *next != state) {
            let there = log_proposal(state, next);
            let cost = self.energies[next] - self.energies[state];
            let acceptance = exp((log_proposal(next, state) - there - cost).min(0.0));
            after[next] = exp(there) * acceptance;
            leaves += after[next];
        }
        after[state] = (1.0 - leaves).max(0.0);
        after
    }

    /// Draws a site from its conditional distribution.
    fn update(&self, distribution: &mut [f64], site: usize) {
        for state in (0..distribution.len()).filter(|state| state >> site & 1 == 0) {
            let total = distribution[state] + distribution[state | 1 << site];
            let delta = self.delta(state, site);
            distribution[state] = total * flip_probability(-delta);
            distribution[state | 1 << site] = total * flip_probability(delta);
        }
    }
}

impl Moves {
    fn of(model: &dyn Model, kernel: KernelSpec) -> Result<Self> {
        let ising =
            || model.as_ising().ok_or_else(|| Error::missing(model.kind(), "Ising", "this chain"));
        let dim = model.dim() as u32;
        Ok(match kernel {
            KernelSpec::SingleSite { rule } => Self::SingleSite(rule),
            KernelSpec::LocallyInformed {} => Self::LocallyInformed,
            KernelSpec::DiscreteLangevin { step_size } => {
                check_positive("transition.stepSize", step_size)?;
                Self::DiscreteLangevin(step_size)
            }
            KernelSpec::Gibbs { scan: Scan::Random } => Self::RandomScan,
            KernelSpec::Gibbs { scan: Scan::Systematic } => Self::Sweep((0..dim).collect()),
            KernelSpec::Checkerboard {} => Self::Sweep(colours(ising()?).concat()),
            KernelSpec::SwendsenWang {} => Self::SwendsenWang(ClusterMoves::new(ising()?)),
            KernelSpec::Wolff {} => Self::Wolff(ClusterMoves::new(ising()?)),
            KernelSpec::BlockGibbs {} => {
                let machine = model.as_rbm();
                let missing =
                    || Error::missing(model.kind(), "Rbm", "block Gibbs sampling's chain");
                Self::BlockGibbs(Layers::new(machine.ok_or_else(missing)?)?)
            }
        })
    }
}

fn check_units(field: &str, count: usize, what: &str) -> Result<()> {
    if count <= MAX_SITES {
        return Ok(());
    }
    Err(Error::TooLarge {
        field: field.into(),
        problem: format!(
            "is {count}, and the chain has a state for each of their values: the limit is {MAX_SITES}; \
             use fewer {what}"
        ),
    })
}

/// The two layers of a restricted Boltzmann machine, each given the other.
struct Layers {
    /// The probabilities of the hidden units given a visible state, `[2^dim, 2^num_hidden]`.
    hidden: Vec<f64>,
    /// The probabilities of the visible units given a hidden state, `[2^num_hidden, 2^dim]`.
    visible: Vec<f64>,
    dim: usize,
    num_hidden: usize,
}

impl Layers {
    fn new(machine: &Rbm) -> Result<Self> {
        let num_hidden = machine.hidden_bias().len();
        check_units("model.numHidden", num_hidden, "hidden units")?;
        let exchanged = machine.exchanged();
        Ok(Self {
            hidden: conditionals(machine),
            visible: conditionals(&exchanged),
            dim: machine.visible_bias().len(),
            num_hidden,
        })
    }

    fn row(&self, state: usize) -> Vec<f64> {
        let mut row = vec![0.0; 1 << self.dim];
        let hidden = &self.hidden[state << self.num_hidden..][..1 << self.num_hidden];
        for (probability, visible) in hidden.iter().zip(self.visible.chunks_exact(row.len())) {
            crate::linalg::axpy(*probability, visible, &mut row);
        }
        row
    }
}

/// The probabilities of all hidden states given each visible one.
fn conditionals(machine: &Rbm) -> Vec<f64> {
    let dim = machine.visible_bias().len();
    let units = || machine.weights().chunks_exact(dim).zip(machine.hidden_bias());
    (0..1_usize << dim)
        .flat_map(|state| {
            units().fold(vec![1.0], |products, (weights, bias)| {
                let on = weights.iter().enumerate().filter(|(site, _)| state >> site & 1 == 1);
                let log_odds = bias + on.map(|(_, weight)| weight).sum::<f64>();
                let values = [sigmoid(-log_odds), sigmoid(log_odds)];
                values.iter().flat_map(|value| products.iter().map(move |p| value * p)).collect()
            })
        })
        .collect()
}
