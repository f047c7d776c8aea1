//! Fits of models of bits some of whose sites no row shows: general Boltzmann machines, in which hidden
//! units may be coupled to one another (Ackley, Hinton and Sejnowski 1985).
//!
//! The rows have the first sites; the last `numHidden` are hidden. The gradient of the likelihood is
//!
//! `E[∂E(v, h) | v in the data] − E_model[∂E(v, h)]`.
//!
//! For the first mean the hidden sites of each row are drawn anew at every update, by Gibbs sampling from
//! fair coin tosses, or their means in naive mean field take their place (Salakhutdinov and Hinton 2009).

use super::spec::{
    CoordinatesSpec, FitSpec, HiddenStatesSpec, InitSpec, MAX_SWEEPS, ObjectiveSpec, OptimizerSpec,
};
use crate::bits::{BitMatrix, WeightedRows, fill_random, flip, words_per_row};
use crate::checks::in_range;
use crate::energy::{Energy, SiteFlips};
use crate::fit::check_binary;
use crate::models::ising::Ising;
use crate::models::{Model, ModelSpec};
use crate::rng::{ChainRng, uniform};
use crate::sample::gibbs::flip_probability;
use crate::{Error, Result};

/// Checks that a model can have hidden sites, and that the rows have all others.
///
/// # Errors
/// [`Error::InvalidSpec`] or [`Error::MissingCapability`].
pub fn check(
    spec: &FitSpec,
    model: &dyn Model,
    data: &BitMatrix,
    needed_by: &'static str,
) -> Result<()> {
    // Of the model alone: the rows are checked below.
    let none = BitMatrix::zeros(model.dim(), 1);
    check_binary(model, &WeightedRows::from_data(none.as_batch()), needed_by)?;
    let num_hidden = spec.num_hidden;
    if model.as_site_flips().is_none() || model.as_hidden_units().is_some() {
        let problem = format!(
            "is {num_hidden}, and the sites of a model of kind {} cannot be hidden; use an Ising model with \
             couplings between all that should see each other",
            model.kind()
        );
        return Err(Error::spec("numHidden", problem));
    }
    let is_mean_field = matches!(spec.hidden_states, Some(HiddenStatesSpec::MeanField { .. }));
    if is_mean_field && model.as_ising().is_none() {
        return Err(Error::missing(model.kind(), "pairwise energies", "mean field"));
    }
    if data.dim() + num_hidden != model.dim() {
        let problem = format!(
            "is {num_hidden}, and with the {} columns of the data that makes {} sites where the model has {}; \
             make them equal",
            data.dim(),
            data.dim() + num_hidden,
            model.dim()
        );
        return Err(Error::spec("numHidden", problem));
    }
    Ok(())
}

/// Refuses what fits with hidden sites do not have.
///
/// # Errors
/// [`Error::InvalidSpec`], naming the field.
pub fn check_spec(spec: &FitSpec) -> Result<()> {
    let refuse = |field: &str, problem: String| Err(Error::spec(field, problem));
    if spec.num_hidden == 0 {
        return match spec.hidden_states {
            None => Ok(()),
            Some(_) => refuse(
                "hiddenStates",
                "are given, and there are no hidden sites; give numHidden, or leave them out"
                    .into(),
            ),
        };
    }
    if let Some(num_sweeps) = spec.hidden_states.and_then(HiddenStatesSpec::num_sweeps) {
        in_range("hiddenStates.numSweeps", num_sweeps, 1, MAX_SWEEPS)?;
    }
    if !spec.model.is_binary() || matches!(spec.model, ModelSpec::Dbn(_)) {
        let problem = "is for models of bits, such as Ising models; machines on the reals and stacks have \
                       their hidden units in the model: leave it out";
        return refuse("numHidden", problem.into());
    }
    match spec.objective {
        ObjectiveSpec::ContrastiveDivergence { .. }
        | ObjectiveSpec::PersistentContrastiveDivergence { .. } => {}
        _ => {
            return refuse(
                "objective.kind",
                format!(
                    "is {}, and models with hidden sites are fitted by persistentContrastiveDivergence or \
                     contrastiveDivergence; choose one of them, or sum a few hidden sites out by a model of \
                     kind marginal",
                    spec.objective.kind()
                ),
            );
        }
    }
    if !spec.errors.is_none() {
        return refuse("errors", "are not known of fits with hidden sites; leave them out".into());
    }
    let coordinates = match &spec.optimizer {
        Some(OptimizerSpec::Sgd(sgd)) => Some(&sgd.coordinates),
        Some(OptimizerSpec::Adam(adam)) => Some(&adam.coordinates),
        _ => None,
    };
    let is_metric = |coordinates: &CoordinatesSpec| {
        !matches!(coordinates, CoordinatesSpec::Model {} | CoordinatesSpec::Params {})
    };
    if coordinates.is_some_and(is_metric) {
        return refuse(
            "optimizer.coordinates",
            "are found from rows of all sites, and some are hidden; leave them out".into(),
        );
    }
    let InitSpec::Model {} = spec.init else { return Ok(()) };
    let model = spec.model.build()?;
    let first = model.dim().saturating_sub(spec.num_hidden);
    let flips = model.as_site_flips().filter(|_| first > 0);
    // Without a coupling to any other site, flipping the others changes no cost.
    let none = vec![0; words_per_row(model.dim())];
    let mut all = none.clone();
    (0..model.dim()).for_each(|site| flip(&mut all, site));
    let is_apart = |flips: &dyn SiteFlips| {
        (first..model.dim()).all(|site| {
            let mut others = all.clone();
            flip(&mut others, site);
            flips.flip_delta(&none, site) == flips.flip_delta(&others, site)
        })
    };
    if flips.is_some_and(is_apart) {
        return refuse(
            "init",
            "is the model, whose hidden sites are coupled to nothing, all alike; start from noise, e.g. \
             { kind: 'dataMeans', scale: 0.1 }"
                .into(),
        );
    }
    Ok(())
}

/// The hidden sites of a fit, and what stands in for them given a row.
#[derive(Debug, Clone, Copy)]
pub struct HiddenSites {
    /// The first of them.
    first: usize,
    num_sweeps: usize,
    is_mean_field: bool,
}

/// Sweeps over hidden sites where nothing says how many.
const USUAL_SWEEPS: usize = 10;

impl HiddenSites {
    /// Those of a fit to rows that show `first` sites, whose objective makes `num_steps` steps of chains;
    /// none if the rows show all.
    pub fn of(spec: &FitSpec, first: usize, num_steps: usize) -> Option<Self> {
        let states = spec.hidden_states.unwrap_or_default();
        let is_mean_field = matches!(states, HiddenStatesSpec::MeanField { .. });
        let has_steps = num_steps > 0 && !is_mean_field;
        let usual = if has_steps { num_steps } else { USUAL_SWEEPS };
        let num_sweeps = states.num_sweeps().unwrap_or(usual);
        (spec.num_hidden > 0).then_some(Self { first, num_sweeps, is_mean_field })
    }

    /// Whether means take the place of draws.
    pub fn is_mean_field(self) -> bool {
        self.is_mean_field
    }

    /// Number of sweeps over the hidden sites of a row.
    pub fn num_sweeps(self) -> usize {
        self.num_sweeps
    }

    /// Sets the hidden sites by fair coin tosses.
    pub fn toss(self, row: &mut [u64], dim: usize, rng: &mut ChainRng) {
        let mut coins = vec![0; words_per_row(dim)];
        fill_random(&mut coins, dim, rng);
        for (at, (word, coins)) in row.iter_mut().zip(coins).enumerate() {
            let shown = self.first.saturating_sub(64 * at).min(64);
            let mask = if shown == 64 { 0 } else { u64::MAX << shown };
            *word = *word & !mask | coins & mask;
        }
    }

    /// Draws the hidden sites given the others: by sweeps of Gibbs sampling over them, from fair coin
    /// tosses.
    pub fn draw(self, flips: &dyn SiteFlips, row: &mut [u64], rng: &mut ChainRng) {
        let dim = flips.dim();
        self.toss(row, dim, rng);
        let mut walk = flips.walk(row);
        for _ in 0..self.num_sweeps {
            for site in self.first..dim {
                if uniform(rng) < flip_probability(walk.delta(site)) {
                    walk.flip(site);
                }
            }
        }
    }

    /// Draws the hidden sites of a row in which they are off, independently with these means.
    pub fn draw_by_means(self, state: &[f64], row: &mut [u64], rng: &mut ChainRng) {
        for (site, mean) in state.iter().enumerate().skip(self.first) {
            if uniform(rng) < *mean {
                flip(row, site);
            }
        }
    }

    /// Replaces the hidden entries of a state by their means in naive mean field given the others, from ½
    /// each.
    pub fn set_means(self, model: &Ising, state: &mut [f64]) {
        state[self.first..].fill(0.5);
        for _ in 0..self.num_sweeps {
            for site in self.first..model.dim() {
                state[site] = flip_probability(model.cost_at_means(site, state));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bits::{are_rows, bit};
    use crate::math::exp;
    use crate::models::ising::{IsingSpec, Pattern};
    use crate::rng::{Purpose, stream};

    /// Hidden sites given shown ones against all states, by χ² with three degrees of freedom, which is above
    /// 35 once in 10⁷; the shown ones stay.
    #[test]
    fn hidden_sites_are_drawn_given_the_others() {
        let model = IsingSpec::random(5, Pattern::Dense {}, 0.7, 4).build().unwrap();
        for shown in 0..8u64 {
            let cost_of = |hidden: u64| {
                // From the state with both hidden sites off, one flip after another.
                let (mut row, mut cost) = ([shown], 0.0);
                for site in (3..5).filter(|site| hidden >> (site - 3) & 1 == 1) {
                    cost += model.flip_delta(&row, site);
                    flip(&mut row, site);
                }
                cost
            };
            let weights: Vec<f64> = (0..4).map(|hidden| exp(-cost_of(hidden))).collect();
            let total: f64 = weights.iter().sum();
            let num_draws = 20_000;
            let mut counts = [0.0; 4];
            let mut rng = stream(shown, Purpose::Example, 1);
            for _ in 0..num_draws {
                let mut row = [shown];
                sites(3, 30).draw(&model, &mut row, &mut rng);
                assert_eq!(row[0] & 7, shown);
                counts[(row[0] >> 3) as usize] += 1.0;
            }
            let terms = counts.iter().zip(&weights).map(|(count, weight)| {
                let expected = f64::from(num_draws) * weight / total;
                (count - expected) * (count - expected) / expected
            });
            let deviance: f64 = terms.sum();
            assert!(deviance < 35.0, "{shown}: {deviance}");
        }
    }

    fn sites(first: usize, num_sweeps: usize) -> HiddenSites {
        HiddenSites { first, num_sweeps, is_mean_field: false }
    }

    /// Hidden sites that are not coupled to one another are independent given the others: their means are
    /// exact after a sweep.
    #[test]
    fn means_of_independent_sites_are_exact() {
        let pairs = (0..3).flat_map(|shown| [[shown, 3], [shown, 4]]).collect();
        let model = IsingSpec::random(5, Pattern::Pairs { pairs }, 0.9, 2).build().unwrap();
        for shown in 0..8_u64 {
            let mut state: Vec<f64> = (0..5).map(|site| (shown >> site & 1) as f64).collect();
            sites(3, 1).set_means(&model, &mut state);
            for site in [3, 4] {
                let expected = flip_probability(model.flip_delta(&[shown], site));
                assert!((state[site] - expected).abs() < 1e-15);
            }
            assert!((0..3).all(|site| state[site] == (shown >> site & 1) as f64));
        }
    }

    /// Each sweep lowers the divergence from the distribution of the hidden sites, and at its end each mean
    /// answers those of the others.
    #[test]
    fn means_come_nearer_with_every_sweep() {
        let model = IsingSpec::random(6, Pattern::Dense {}, 0.8, 4).build().unwrap();
        let xlnx = |p: f64| if p > 0.0 { p * crate::math::ln(p) } else { 0.0 };
        let free_energy = |state: &[f64]| {
            let mut energy = [0.0];
            model.energy(crate::linalg::Batch::new(6, state), &mut energy);
            energy[0] + state.iter().map(|mean| xlnx(*mean) + xlnx(1.0 - mean)).sum::<f64>()
        };
        for shown in 0..8_u64 {
            let start: Vec<f64> = (0..6).map(|site| (shown >> site & 1) as f64).collect();
            let after = |num_sweeps| {
                let mut state = start.clone();
                sites(3, num_sweeps).set_means(&model, &mut state);
                state
            };
            let values: Vec<f64> = (0..20).map(|sweeps| free_energy(&after(sweeps))).collect();
            assert!(values.windows(2).all(|two| two[1] <= two[0] + 1e-14), "{values:?}");
            assert!(values[1] < values[0]);
            let end = after(1000);
            for site in 3..6 {
                let expected = flip_probability(model.cost_at_means(site, &end));
                assert!((end[site] - expected).abs() < 1e-14);
            }
        }
    }

    #[test]
    fn coins_leave_the_shown_sites_alone() {
        for (first, dim) in [(3, 5), (60, 70), (64, 130), (100, 101), (1, 200)] {
            let mut row = vec![0; words_per_row(dim)];
            (0..first).step_by(2).for_each(|site| flip(&mut row, site));
            let before = row.clone();
            let mut rng = stream(3, Purpose::Example, dim as u64);
            let mut seen = vec![0; row.len()];
            for _ in 0..60 {
                sites(first, 1).toss(&mut row, dim, &mut rng);
                assert!((0..first).all(|site| bit(&row, site) == bit(&before, site)));
                seen.iter_mut().zip(&row).for_each(|(seen, word)| *seen |= word);
            }
            // Every hidden site has been on, and nothing beyond the last.
            assert!((first..dim).all(|site| bit(&seen, site)) && are_rows(dim, &seen));
        }
    }
}
