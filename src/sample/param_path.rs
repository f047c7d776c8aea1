//! A path through the parameters of a model of bits, along straight lines between
//! knots, the first of which has independent sites.
//!
//! Along a straight line the distributions are geometric averages of those at its
//! ends; with hidden units, of the joint distributions of both kinds of units
//! (Salakhutdinov and Murray 2008). With knots whose moments are averages it is
//! the moment averages spline (Grosse, Maddison and Salakhutdinov 2013, sec. 4).
//!
//! log Z of independent units needs no formula of the model. With log odds o_i of the sites,
//! computed from the energies of single flips, `log p(0) = −Σ softplus(o_i)`, and `log Z = −E(0) −
//! log p(0)`. Of sites of several values the conditional probabilities say the same of the most
//! probable state.

use crate::bits::{flip, words_per_row};
use crate::energy::enumeration::Categorical;
use crate::energy::{BetweenKnots, Parametric};
use crate::linalg::Batch;
use crate::math::{ln, sigmoid, softplus};
use crate::models::Model;
use crate::models::site_values::Sites;
use crate::rng::{ChainRng, uniform};
use crate::{Error, Result};
use serde::{Deserialize, Serialize};

/// A point of the path.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Knot {
    /// β, between 0 and 1.
    pub beta: f64,
    /// The parameters, as the model lays them out.
    pub params: Vec<f64>,
}

/// A path through the parameters of a model of bits.
pub struct ParamPath {
    model: Box<dyn Model>,
    knots: Vec<Knot>,
    energies: Box<dyn BetweenKnots>,
    reference_log_z: f64,
    reference: Independent,
}

/// Independent sites at β = 0.
enum Independent {
    /// Each with this probability of being on.
    Bits(Vec<f64>),
    /// Each with these probabilities of its values.
    Values(Vec<Categorical>),
}

/// A part of the path within one segment, between two values of t.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Leg {
    /// The segment, from the knot of this index to the next.
    pub segment: usize,
    /// t at its start, 0 to 1.
    pub from: f64,
    /// t at its end, 0 to 1.
    pub to: f64,
}

const CHECKED: &str = "checked when the path was made";

impl ParamPath {
    /// The path through these knots: the first at β = 0, without any coupling, the last at β = 1,
    /// with the model's own parameters.
    ///
    /// # Errors
    /// [`Error::MissingCapability`] if the model is not one of bits with parameters;
    /// [`Error::InvalidSpec`], naming the knot, if a knot cannot be used.
    pub fn new(model: Box<dyn Model>, knots: Vec<Knot>) -> Result<Self> {
        let missing =
            |capability| Error::missing(model.kind(), capability, "a path through parameters");
        if model.as_site_flips().is_none() && model.as_sites().is_none() {
            return Err(missing("SiteFlips"));
        }
        let own = model.as_parametric().ok_or_else(|| missing("Parametric"))?;
        check(&knots, own)?;
        let params: Vec<&[f64]> = knots.iter().map(|knot| &knot.params[..]).collect();
        let energies = model.between_knots(&params).ok_or_else(|| missing("BetweenKnots"))?;

        let mut reference = model.boxed_clone();
        reference.as_parametric_mut().expect(CHECKED).set_params(&knots[0].params);
        let (reference, reference_log_z) = match reference.as_sites() {
            Some(sites) => independent_values(&*reference, sites),
            _ => independent_bits(&*reference),
        };
        Ok(Self { model, knots, energies, reference_log_z, reference })
    }

    /// The path from independent units with these log odds, `[dim]`, straight to the model.
    ///
    /// # Errors
    /// [`Error::MissingCapability`] if the model cannot have independent units; also those of
    /// [`ParamPath::new`].
    pub fn from_log_odds(model: Box<dyn Model>, log_odds: &[f64]) -> Result<Self> {
        if log_odds.len() != model.dim() {
            let problem =
                format!("has {} entries; give {}, one a site", log_odds.len(), model.dim());
            return Err(Error::spec("reference.logOdds", problem));
        }
        Self::through(model, log_odds, Vec::new())
    }

    /// [`ParamPath::from_log_odds`] by way of these knots.
    pub(crate) fn through(
        model: Box<dyn Model>,
        log_odds: &[f64],
        between: Vec<Knot>,
    ) -> Result<Self> {
        let independent = model.independent_params(log_odds);
        let (Some(from), Some(to)) = (independent, model.as_parametric()) else {
            return Err(no_independent_sites(&*model));
        };
        let mut knots = vec![Knot { beta: 0.0, params: from }];
        let to = Knot { beta: 1.0, params: to.params().to_vec() };
        knots.extend(between);
        knots.push(to);
        Self::new(model, knots)
    }

    /// The model at β = 1.
    pub fn model(&self) -> &dyn Model {
        &*self.model
    }

    /// Number of sites: of bits, unless sites have several values.
    pub fn num_sites(&self) -> usize {
        self.model.as_sites().map_or(self.model.dim(), Sites::count)
    }

    /// The knots, β ascending.
    pub fn knots(&self) -> &[Knot] {
        &self.knots
    }

    /// log Z of the independent units at β = 0, in nats.
    pub fn reference_log_z(&self) -> f64 {
        self.reference_log_z
    }

    /// The parameters at β.
    ///
    /// # Panics
    /// If β is not between 0 and 1, or `out` does not have the number of parameters.
    pub fn params_at(&self, beta: f64, out: &mut [f64]) {
        assert!((0.0..=1.0).contains(&beta), "beta is {beta}");
        let Leg { segment, to: t, .. } = self.place_of(beta);
        let [from, to] = [&self.knots[segment].params, &self.knots[segment + 1].params];
        assert_eq!(out.len(), from.len());
        for ((out, from), to) in out.iter_mut().zip(from).zip(to) {
            *out = (1.0 - t) * from + t * to;
        }
    }

    /// Draws a state at β = 0, using one uniform number per site.
    ///
    /// # Panics
    /// If the row is too short.
    pub fn draw_reference(&self, rng: &mut ChainRng, row: &mut [u64]) {
        row.fill(0);
        match &self.reference {
            Independent::Bits(means) => {
                for (site, mean) in means.iter().enumerate() {
                    row[site / 64] |= u64::from(uniform(rng) < *mean) << (site % 64);
                }
            }
            Independent::Values(values) => {
                let sites = self.model.as_sites().expect(CHECKED);
                for (site, values) in values.iter().enumerate() {
                    flip(row, sites.first(site) + values.draw(rng));
                }
            }
        }
    }

    /// Evaluates energies between the knots.
    pub(crate) fn energies(&self) -> &dyn BetweenKnots {
        &*self.energies
    }

    /// Where β is: a part of no length.
    pub(crate) fn place_of(&self, beta: f64) -> Leg {
        let segment = self.segment_after(beta).min(self.knots.len() - 2);
        let t = self.place(segment, beta);
        Leg { segment, from: t, to: t }
    }

    /// The parts of the path from one β to another, up or down, segment by segment.
    pub(crate) fn legs(&self, from: f64, to: f64) -> impl Iterator<Item = Leg> + '_ {
        let (low, high) = if from < to { (from, to) } else { (to, from) };
        let first = self.segment_after(low).min(self.knots.len() - 2);
        let last = self.knots.partition_point(|knot| knot.beta < high).saturating_sub(1);
        let count = last.max(first) + 1 - first;
        (0..count).map(move |at| {
            let segment = if from < to { first + at } else { last - at };
            let [start, end] = [self.knots[segment].beta, self.knots[segment + 1].beta];
            let within = |beta: f64| self.place(segment, beta.clamp(start, end));
            Leg { segment, from: within(from), to: within(to) }
        })
    }

    /// The last segment that begins at or before β.
    fn segment_after(&self, beta: f64) -> usize {
        self.knots.partition_point(|knot| knot.beta <= beta).saturating_sub(1)
    }

    /// The position t of a β within a segment.
    fn place(&self, segment: usize, beta: f64) -> f64 {
        let [start, end] = [self.knots[segment].beta, self.knots[segment + 1].beta];
        // Exactly 1 at the end.
        (beta - start) / (end - start)
    }
}

/// The model has no parameters at which its sites are independent.
pub(crate) fn no_independent_sites(model: &dyn Model) -> Error {
    let needed_by = "a path from independent units";
    Error::missing(model.kind(), "independent parameters", needed_by)
}

/// Independent bits, and their log Z.
fn independent_bits(model: &dyn Model) -> (Independent, f64) {
    let dim = model.dim();
    let flips = model.as_site_flips().expect(CHECKED);
    let row = vec![0; words_per_row(dim)];
    let log_odds: Vec<f64> = (0..dim).map(|site| -flips.flip_delta(&row, site)).collect();
    let mut energy = [0.0];
    model.energy(Batch::new(dim, &vec![0.0; dim]), &mut energy);
    let log_z = log_odds.iter().map(|odds| softplus(*odds)).sum::<f64>() - energy[0];
    (Independent::Bits(log_odds.into_iter().map(sigmoid).collect()), log_z)
}

/// Independent sites of several values, and their log Z.
fn independent_values(model: &dyn Model, sites: &Sites) -> (Independent, f64) {
    let dim = model.dim();
    let bits = |site: usize| sites.first(site)..sites.first(site + 1);
    // What a site is does not depend on the others, so any state will do to ask for it.
    let mut state = vec![0.0; dim];
    (0..sites.count()).for_each(|site| state[sites.first(site)] = 1.0);
    let mut probabilities = vec![0.0; dim];
    let conditionals = model.as_site_conditionals().expect(CHECKED);
    conditionals.conditionals(Batch::new(dim, &state), &mut probabilities);
    let mut log_probability = 0.0;
    state.fill(0.0);
    let of_site = |site: usize| {
        let most = bits(site).max_by(|a, b| probabilities[*a].total_cmp(&probabilities[*b]));
        let most = most.expect("sites have values");
        state[most] = 1.0;
        log_probability += ln(probabilities[most]);
        Categorical::from_log_weights(probabilities[bits(site)].iter().copied().map(ln).collect())
    };
    let values = (0..sites.count()).map(of_site).collect();
    let mut energy = [0.0];
    model.energy(Batch::new(dim, &state), &mut energy);
    (Independent::Values(values), -energy[0] - log_probability)
}

fn check(knots: &[Knot], own: &dyn Parametric) -> Result<()> {
    let betas = || knots.iter().map(|knot| knot.beta);
    let ascend = knots.windows(2).all(|two| two[0].beta < two[1].beta);
    if knots.len() < 2 || !ascend || betas().next() != Some(0.0) || betas().next_back() != Some(1.0)
    {
        return Err(Error::spec(
            "path.knots",
            format!(
                "have beta {:?}; give two or more whose beta ascends from 0 to 1",
                betas().collect::<Vec<_>>()
            ),
        ));
    }
    for (index, knot) in knots.iter().enumerate() {
        let field = || format!("path.knots[{index}].params");
        if knot.params.len() != own.params().len() {
            let problem = format!("has {} entries; give {}", knot.params.len(), own.params().len());
            return Err(Error::spec(field(), problem));
        }
        if let Some(at) = knot.params.iter().position(|param| !param.is_finite()) {
            let problem = format!("has the entry {}; all must be finite", knot.params[at]);
            return Err(Error::spec(field(), problem));
        }
    }
    let couplings = knots[0].params.iter().enumerate().filter(|(at, _)| !own.is_bias(*at));
    if let Some((at, coupling)) = couplings.into_iter().find(|(_, coupling)| **coupling != 0.0) {
        return Err(Error::spec(
            format!("path.knots[0].params[{at}]"),
            format!("is {coupling}; at beta 0 the units are independent: set couplings to 0"),
        ));
    }
    if knots[knots.len() - 1].params != own.params() {
        return Err(Error::spec(
            format!("path.knots[{}].params", knots.len() - 1),
            "are not the model's; at beta 1 the path ends there",
        ));
    }
    Ok(())
}
