//! Associative memory: patterns are stored as minima of an energy, and recalled by descending it
//! (Sohl-Dickstein 2012, section 3.4).
//!
//! A [`Network`] holds the memory, [`recall`] is its dynamics. A learning rule makes the network
//! from the patterns:
//!
//! | rule | what it does | finds a network wherever there is one |
//! |---|---|---|
//! | [`outer_product`] | sums the patterns' outer products (Hopfield 1982) | no |
//! | [`storkey`] | the same, minus what the network already predicts (Storkey 1997) | no |
//! | [`perceptron`] | corrects bits that are wrong | yes, after very many steps |
//! | [`mpf`] | minimizes the flow out of the patterns (eq. 3.10) | yes (theorem 1) |
//!
//! Rules that take one pattern after another are [`rule::LocalRule`]s. The flow is minimized over
//! all patterns at once, over [`minibatch`]es for large networks, or by such a rule (eq. 3.12 and
//! 3.13).

pub mod bit_product;
pub mod dynamics;
pub mod fingerprints;
pub mod memorize;
pub mod minibatch;
pub mod mpf;
pub mod network;
pub mod noise;
pub mod outer_product;
pub mod perceptron;
pub mod recall;
pub mod report;
pub mod rule;
pub mod spec;
pub mod storage;
pub mod storkey;
pub mod tiles;

pub use report::{
    Attractors, MemorizeProgress, MemorizeResult, RecallPaths, RecallProgress, RecallResult,
};
pub use spec::{FlowOptimizerSpec, MemorizeSpec, RecallSpec, RuleSpec};

pub use network::Network;
