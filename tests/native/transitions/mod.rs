//! Every binary transition, by name.

use rand::Rng;
use std::cell::RefCell;
use unnorm::bits::words_per_row;
use unnorm::models::Model;
use unnorm::rng::{ChainRng, Purpose, stream};
use unnorm::sample::Transition;
use unnorm::sample::block_gibbs::BlockGibbs;
use unnorm::sample::checkerboard::Checkerboard;
use unnorm::sample::discrete_langevin::DiscreteLangevin;
use unnorm::sample::flip_metropolis::FlipMetropolis;
use unnorm::sample::gibbs::{Gibbs, Scan};
use unnorm::sample::ising_gibbs::IsingGibbs;
use unnorm::sample::ladder::Ladder;
use unnorm::sample::locally_informed::LocallyInformed;
use unnorm::sample::param_path::ParamPath;
use unnorm::sample::path_moves::Moves;
use unnorm::sample::spec::{self, TransitionSpec};
use unnorm::sample::swendsen_wang::SwendsenWang;
use unnorm::sample::tempered_bits::{BitReplicas, MovingReplicas};
use unnorm::sample::value_clusters::ValueClusters;
use unnorm::sample::value_gibbs::ValueGibbs;
use unnorm::sample::wolff::Wolff;

/// One step of a transition, whatever its Info.
pub type Step<'a> = Box<dyn Fn(&mut [u64], &mut ChainRng) + 'a>;

/// A transition by name, and how it is made for a model: nothing if the model
/// has not the capability it needs.
pub type Entry = (&'static str, for<'a> fn(&'a dyn Model) -> Option<Step<'a>>);

pub const TRANSITIONS: [Entry; 21] = [
    ("systematic Gibbs", |model| Some(erase(Gibbs::new(model.as_site_flips()?)))),
    ("random-scan Gibbs", |model| Some(erase(Gibbs::random_scan(model.as_site_flips()?)))),
    ("systematic Metropolis", |model| {
        Some(erase(FlipMetropolis::by(model.as_site_flips()?, Scan::Systematic)))
    }),
    ("random-scan Metropolis", |model| {
        Some(erase(FlipMetropolis::by(model.as_site_flips()?, Scan::Random)))
    }),
    ("locally informed", |model| Some(erase(LocallyInformed::new(model.as_site_flips()?)))),
    ("discrete Langevin", |model| Some(erase(DiscreteLangevin::new(model.as_site_flips()?, 1.5)))),
    ("short discrete Langevin", |model| {
        Some(erase(DiscreteLangevin::new(model.as_site_flips()?, 0.3)))
    }),
    ("block Gibbs", |model| Some(erase(BlockGibbs::new(model.as_hidden_units()?)))),
    ("checkerboard", |model| Some(erase(Checkerboard::new(model.as_ising()?)))),
    ("reversed systematic Gibbs", |model| {
        Some(erase(Gibbs::by(model.as_site_flips()?, Scan::Reversed)))
    }),
    ("reversed checkerboard", |model| Some(erase(Checkerboard::new(model.as_ising()?).reversed()))),
    ("Gibbs by integers", |model| {
        Some(erase(IsingGibbs::new(model.as_ising()?, Scan::Systematic)))
    }),
    ("Gibbs of values", |model| {
        Some(erase(ValueGibbs::by(model.as_site_values()?, Scan::Systematic)))
    }),
    ("random-scan values", |model| {
        Some(erase(ValueGibbs::by(model.as_site_values()?, Scan::Random)))
    }),
    ("reversed values", |model| {
        Some(erase(ValueGibbs::by(model.as_site_values()?, Scan::Reversed)))
    }),
    ("Swendsen–Wang", |model| Some(erase(SwendsenWang::new(model.as_ising()?)))),
    ("clusters of values", |model| Some(erase(ValueClusters::new(model.as_potts()?)))),
    ("Wolff", |model| Some(erase(Wolff::new(model.as_ising()?)))),
    ("tempered Gibbs", |model| tempered(model, TransitionSpec::Gibbs { scan: spec::Scan::Random })),
    ("tempered locally informed", |model| tempered(model, TransitionSpec::LocallyInformed {})),
    ("tempered block Gibbs", |model| tempered(model, TransitionSpec::BlockGibbs {})),
];

/// A ladder of two rungs, the lower of which is drawn exactly at every step.
fn tempered(model: &dyn Model, spec: TransitionSpec) -> Option<Step<'static>> {
    let log_odds: Vec<f64> = (0..model.dim()).map(|site| 0.4 - 0.2 * site as f64).collect();
    let path = ParamPath::from_log_odds(model.boxed_clone(), &log_odds).ok()?;
    match spec {
        TransitionSpec::BlockGibbs {} => drop(model.as_hidden_units()?),
        TransitionSpec::Gibbs { .. } if model.as_potts().is_some() => {}
        _ => drop(model.as_site_flips()?),
    }
    // For ever, since the chains that move borrow them.
    let (path, moves): (&'static ParamPath, &'static Moves) =
        (Box::leak(Box::new(path)), Box::leak(Box::new(Moves::By(spec))));
    let width = words_per_row(model.dim());
    let zeros = vec![vec![0; width]; 2];
    let rngs = [0, 1].map(|rung| stream(0, Purpose::Chain, rung)).to_vec();
    let all = vec![BitReplicas::new(Ladder::even(2), zeros, rngs)];
    let moving = RefCell::new((MovingReplicas::new(path, moves, &all), all));
    Some(Box::new(move |row, rng| {
        let (moving, all) = &mut *moving.borrow_mut();
        all[0].ladder = Ladder::even(2);
        all[0].rows[1].copy_from_slice(row);
        all[0].rngs = vec![stream(rng.next_u64() >> 11, Purpose::Chain, 0), rng.clone()];
        moving.set(all);
        moving.step(all);
        moving.write_back(all);
        row.copy_from_slice(&all[0].rows[1]);
        rng.clone_from(&all[0].rngs[1]);
    }))
}

/// A transition's step, without its Info.
pub fn erase<'a>(transition: impl Transition + 'a) -> Step<'a> {
    Box::new(move |row, rng| {
        transition.step(row, rng);
    })
}
