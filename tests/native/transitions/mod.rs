//! Every binary transition, by name.

use unnorm::Error;
use unnorm::models::Model;
use unnorm::rng::ChainRng;
use unnorm::sample::Transition;
use unnorm::sample::block_gibbs::BlockGibbs;
use unnorm::sample::checkerboard::Checkerboard;
use unnorm::sample::gibbs::{Gibbs, Scan};
use unnorm::sample::ising_gibbs::IsingGibbs;
use unnorm::sample::swendsen_wang::SwendsenWang;
use unnorm::sample::value_gibbs::ValueGibbs;
use unnorm::sample::wolff::Wolff;

/// One step of a transition, whatever its Info.
pub type Step<'a> = Box<dyn Fn(&mut [u64], &mut ChainRng) + 'a>;

/// A transition by name, and how it is made for a model: nothing if the model
/// has not the capability it needs.
pub type Entry = (&'static str, for<'a> fn(&'a dyn Model) -> Option<Step<'a>>);

pub const TRANSITIONS: [Entry; 12] = [
    ("systematic Gibbs", |model| Some(erase(Gibbs::new(model.as_site_flips()?)))),
    ("random-scan Gibbs", |model| Some(erase(Gibbs::random_scan(model.as_site_flips()?)))),
    ("block Gibbs", |model| Some(erase(BlockGibbs::new(model.as_hidden_units()?)))),
    ("checkerboard", |model| match Checkerboard::new(model.as_ising()?) {
        Ok(transition) => Some(erase(transition)),
        Err(Error::InvalidSpec { .. }) => None,
        Err(error) => panic!("{error}"),
    }),
    ("reversed systematic Gibbs", |model| {
        Some(erase(Gibbs::by(model.as_site_flips()?, Scan::Reversed)))
    }),
    ("reversed checkerboard", |model| {
        Some(erase(Checkerboard::new(model.as_ising()?).ok()?.reversed()))
    }),
    ("Gibbs by integers", |model| {
        Some(erase(IsingGibbs::new(model.as_ising()?, Scan::Systematic)))
    }),
    ("Gibbs of values", |model| Some(erase(ValueGibbs::by(model.as_potts()?, Scan::Systematic)))),
    ("random-scan values", |model| Some(erase(ValueGibbs::by(model.as_potts()?, Scan::Random)))),
    ("reversed values", |model| Some(erase(ValueGibbs::by(model.as_potts()?, Scan::Reversed)))),
    ("Swendsen–Wang", |model| Some(erase(SwendsenWang::new(model.as_ising()?)))),
    ("Wolff", |model| Some(erase(Wolff::new(model.as_ising()?)))),
];

/// A transition's step, without its Info.
pub fn erase<'a>(transition: impl Transition + 'a) -> Step<'a> {
    Box::new(move |row, rng| {
        transition.step(row, rng);
    })
}
