//! Fits of models of bits some of whose sites no row shows: general Boltzmann machines, in which hidden
//! units may be coupled to one another (Ackley, Hinton and Sejnowski 1985).
//!
//! The rows have the first sites; the last `numHidden` are hidden. The gradient of the likelihood is
//!
//! `E[∂E(v, h) | v in the data] − E_model[∂E(v, h)]`.
//!
//! For the first mean the hidden sites of each row are drawn anew at every update: from fair coin tosses,
//! by as many sweeps of Gibbs sampling as the chains of the second make.

use super::spec::{CoordinatesSpec, FitSpec, InitSpec, ObjectiveSpec, OptimizerSpec};
use crate::bits::{BitMatrix, WeightedRows, fill_random, flip, words_per_row};
use crate::energy::SiteFlips;
use crate::fit::check_binary;
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
    if spec.num_hidden == 0 {
        return Ok(());
    }
    let refuse = |field: &str, problem: String| Err(Error::spec(field, problem));
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
                     contrastiveDivergence; choose one of them",
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

/// Sets the sites from `first` on by fair coin tosses.
pub fn toss(row: &mut [u64], first: usize, dim: usize, rng: &mut ChainRng) {
    let mut coins = vec![0; words_per_row(dim)];
    fill_random(&mut coins, dim, rng);
    for (at, (word, coins)) in row.iter_mut().zip(coins).enumerate() {
        let shown = first.saturating_sub(64 * at).min(64);
        let mask = if shown == 64 { 0 } else { u64::MAX << shown };
        *word = *word & !mask | coins & mask;
    }
}

/// Draws the sites from `first` on given the others: by Gibbs sampling, `num_sweeps` times over them,
/// from fair coin tosses.
pub fn draw(
    flips: &dyn SiteFlips,
    row: &mut [u64],
    first: usize,
    num_sweeps: usize,
    rng: &mut ChainRng,
) {
    let dim = flips.dim();
    toss(row, first, dim, rng);
    let mut walk = flips.walk(row);
    for _ in 0..num_sweeps {
        for site in first..dim {
            if uniform(rng) < flip_probability(walk.delta(site)) {
                walk.flip(site);
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
                draw(&model, &mut row, 3, 30, &mut rng);
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

    #[test]
    fn coins_leave_the_shown_sites_alone() {
        for (first, dim) in [(3, 5), (60, 70), (64, 130), (100, 101), (1, 200)] {
            let mut row = vec![0; words_per_row(dim)];
            (0..first).step_by(2).for_each(|site| flip(&mut row, site));
            let before = row.clone();
            let mut rng = stream(3, Purpose::Example, dim as u64);
            let mut seen = vec![0; row.len()];
            for _ in 0..60 {
                toss(&mut row, first, dim, &mut rng);
                assert!((0..first).all(|site| bit(&row, site) == bit(&before, site)));
                seen.iter_mut().zip(&row).for_each(|(seen, word)| *seen |= word);
            }
            // Every hidden site has been on, and nothing beyond the last.
            assert!((first..dim).all(|site| bit(&seen, site)) && are_rows(dim, &seen));
        }
    }
}
