//! What a job reports of ladders of binary chains.

use crate::digest::Digest;
use unnorm_wire::report;

/// How the ladders of a binary model moved after warm-up.
#[report]
pub struct TemperingReport {
    /// β of the rungs, 0 to 1, `[numRungs]`.
    pub betas: Vec<f64>,
    /// Mean rejection of the swaps of each pair of neighbours, 0 to 1, `[numRungs − 1]`.
    pub rejections: Vec<f64>,
    /// Their sum: the communication barrier Λ, which hardly depends on the number of rungs. With
    /// 2 Λ + 1 rungs and more, round trips are as frequent as they can be for the work (Syed et al.
    /// 2022).
    pub barrier: f64,
    /// Number of round trips over each ladder: how often a replica came from the lowest rung to the
    /// highest and back, `[numChains]`.
    pub num_round_trips: Vec<f64>,
    /// log Z of the model, in nats, by stepping stones (Xie et al. 2011) with geometric bridges (Meng
    /// and Wong 1996) between all neighbouring rungs.
    pub log_z: f64,
    /// Its standard error from the variance between chains; NaN with one chain.
    pub log_z_error: f64,
    /// The replica at each rung of chain 0 after each step, `[numSteps, numRungs]`; absent unless
    /// the spec records the path.
    pub replicas: Option<Vec<u8>>,
    /// Warnings about the ladders, as sentences; empty if there are none.
    pub warnings: Vec<String>,
}

impl TemperingReport {
    /// Adds the numbers to a digest, but for errors with one chain, as the bits of a NaN are not
    /// specified.
    pub(super) fn add_to(&self, digest: Digest) -> Digest {
        let error = Some(self.log_z_error).filter(|error| !error.is_nan());
        digest
            .f64s("betas", &self.betas)
            .f64s("rejections", &self.rejections)
            .f64s("numRoundTrips", &self.num_round_trips)
            .f64s("logZ", &[self.log_z])
            .f64s("logZError", error.as_slice())
            .bytes("replicas", self.replicas.as_deref().unwrap_or(&[]))
    }
}
