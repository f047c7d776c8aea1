//! The memory that sampling may take.

use crate::{Error, Result};

/// Maximum size of the draws, or of the chains, 256 MiB.
pub const MAX_BYTES: u64 = 1 << 28;

/// The memory that a sampling job needs.
pub struct MemoryEstimate {
    /// Number of chains.
    pub num_chains: usize,
    /// Number of draws from each chain.
    pub num_draws: usize,
    /// Bytes of a draw.
    pub draw_bytes: u64,
    /// Bytes of a chain between two steps.
    pub chain_bytes: u64,
    /// A description of a state for messages: its number of bits or numbers.
    pub state: String,
}

impl MemoryEstimate {
    /// Refuses the job if draws or chains would take more than [`MAX_BYTES`].
    ///
    /// # Errors
    /// [`Error::TooLarge`].
    pub fn check(&self) -> Result<()> {
        let num_chains = self.num_chains as u64;
        for (field, count, each, what) in [
            (
                "numDraws",
                num_chains * self.num_draws as u64,
                self.draw_bytes,
                "draws from all chains",
            ),
            ("numChains", num_chains, self.chain_bytes, "chains"),
        ] {
            let most = MAX_BYTES / each;
            if count > most {
                let problem =
                    format!("asks for {count} {what}; at most {most} of {} are kept", self.state);
                return Err(Error::TooLarge { field: field.into(), problem });
            }
        }
        Ok(())
    }
}
