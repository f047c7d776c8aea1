//! The envelope of a checkpoint: enough to refuse what is damaged, foreign or
//! of another job before anything is read from it.
//!
//! ```text
//! "UNNORM\0\x1a"   8 bytes   magic
//! version          u32       of this format and of all payloads
//! verb             u8        its place in `VERBS`
//! seed             u64       0 where nothing is random
//! stamp            32 bytes  digest of the resolved spec and the data
//! length           u64       of the payload
//! payload                    the coordinator's state (postcard)
//! checksum         32 bytes  fingerprint of everything before
//! ```
//!
//! All little-endian. The version goes up whenever any payload's layout does.

use super::spec::JobSpec;
use crate::bits::BitMatrix;
use crate::bytes::{from_f64s, from_words};
use crate::digest::{Digest, fingerprint};
use crate::{Error, Result};

const MAGIC: &[u8; 8] = b"UNNORM\0\x1a";
const VERSION: u32 = 11;
const HEAD: usize = 8 + 4 + 1 + 8 + 32 + 8;
const CHECKSUM: usize = 32;
const VERBS: [&str; 9] =
    ["fit", "sample", "exact", "energies", "logZ", "spline", "memorize", "recall", "patches"];

/// A checkpoint, opened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Checkpoint {
    /// The job's verb.
    pub verb: &'static str,
    /// The job's seed.
    pub seed: u64,
    /// What the job is: see [`stamp`].
    pub stamp: [u8; 32],
    /// The coordinator's state.
    pub payload: Vec<u8>,
}

/// Digest of a resolved spec and its data: a checkpoint continues exactly one. The spec is as it
/// was afterwards; its large arrays go in by their [`fingerprint`]s, and so do the data.
///
/// # Panics
/// If the spec is not resolved.
pub fn stamp(spec: &mut JobSpec, data: Option<&BitMatrix>) -> [u8; 32] {
    let arrays = spec.take_arrays();
    // A resolved spec has no field left out but arrays, so its postcard bytes and the names of
    // the arrays that are there tell it from any other.
    let rest = postcard::to_allocvec(spec).expect("specs are plain data");
    let mut digest = Digest::new().bytes("spec", &rest);
    for (path, values) in &arrays {
        let label = path.join(".");
        digest =
            digest.u64(&label, values.len() as u64).bytes(&label, &fingerprint(&from_f64s(values)));
    }
    spec.put_arrays(arrays);
    match data {
        None => digest,
        Some(data) => digest
            .u64("dim", data.dim() as u64)
            .bytes("data", &fingerprint(&from_words(data.words()))),
    }
    .finish()
}

impl Checkpoint {
    /// As bytes.
    pub fn encode(&self) -> Vec<u8> {
        let verb = VERBS.iter().position(|&verb| verb == self.verb).unwrap_or(VERBS.len());
        let mut bytes = Vec::with_capacity(HEAD + self.payload.len() + CHECKSUM);
        bytes.extend_from_slice(MAGIC);
        bytes.extend_from_slice(&VERSION.to_le_bytes());
        bytes.push(verb as u8);
        bytes.extend_from_slice(&self.seed.to_le_bytes());
        bytes.extend_from_slice(&self.stamp);
        bytes.extend_from_slice(&(self.payload.len() as u64).to_le_bytes());
        bytes.extend_from_slice(&self.payload);
        let checksum = fingerprint(&bytes);
        bytes.extend_from_slice(&checksum);
        bytes
    }

    /// Opens an envelope.
    ///
    /// # Errors
    /// [`Error::BadCheckpoint`] if it is no checkpoint, of another version, cut
    /// off or changed.
    pub fn decode(bytes: &[u8]) -> Result<Self> {
        let mut rest = bytes
            .strip_prefix(MAGIC)
            .ok_or_else(|| bad("these bytes are not an unnorm checkpoint"))?;
        let version = u32::from_le_bytes(take(&mut rest)?);
        if version != VERSION {
            return Err(bad(format!(
                "has format {version}, and this version of unnorm reads format {VERSION}; \
                 resume it with the version that wrote it"
            )));
        }
        let [verb] = take(&mut rest)?;
        let seed = u64::from_le_bytes(take(&mut rest)?);
        let stamp = take(&mut rest)?;
        let len = u64::from_le_bytes(take(&mut rest)?);
        let cut_off = (rest.len() as u64).checked_sub(CHECKSUM as u64) != Some(len);
        if cut_off {
            return Err(bad(
                "is cut off, or has something after its end; save and load all of its bytes",
            ));
        }
        let (payload, checksum) = rest.split_at(rest.len() - CHECKSUM);
        if fingerprint(&bytes[..bytes.len() - CHECKSUM]) != *checksum {
            return Err(bad(
                "is damaged: its checksum does not match; start again or use an older checkpoint",
            ));
        }
        let verb =
            VERBS.get(usize::from(verb)).ok_or_else(|| bad("is of an unknown kind of job"))?;
        Ok(Self { verb, seed, stamp, payload: payload.to_vec() })
    }

    /// Refuses a checkpoint of another job.
    ///
    /// # Errors
    /// [`Error::CheckpointMismatch`] saying what differs.
    pub fn check(&self, spec: &JobSpec, stamp: &[u8; 32]) -> Result<()> {
        let mismatch = |problem: String| Err(Error::CheckpointMismatch { problem });
        if self.verb != spec.verb() {
            return mismatch(format!("is of a job to {}, not to {}", self.verb, spec.verb()));
        }
        if spec.seed() != Some(self.seed) {
            return mismatch(format!(
                "is of a job with seed {}; give that seed or none",
                self.seed
            ));
        }
        if self.stamp != *stamp {
            return mismatch(
                "is of another spec or other data; give exactly those it was made with".into(),
            );
        }
        Ok(())
    }
}

fn take<const N: usize>(rest: &mut &[u8]) -> Result<[u8; N]> {
    let (head, tail) = rest.split_first_chunk().ok_or_else(|| bad("is cut off"))?;
    *rest = tail;
    Ok(*head)
}

fn bad(problem: impl Into<String>) -> Error {
    Error::BadCheckpoint { problem: problem.into() }
}
