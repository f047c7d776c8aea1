//! The envelope of a checkpoint: enough to refuse a damaged or foreign file, or that of another
//! job, before the payload is read.
//!
//! ```text
//! "UNNORM\0\x1a"   8 bytes   magic
//! version          u32       of this format and of all payloads
//! verb             u8        its place among the verbs
//! seed             u64       0 where nothing is random
//! stamp            32 bytes  digest of the resolved spec and the data
//! length           u64       of the payload
//! payload                    the coordinator's state (postcard)
//! checksum         32 bytes  fingerprint of everything before
//! ```
//!
//! All little-endian. The version goes up whenever the layout of a payload changes, or how work is cut into rounds,
//! which payloads count, or what the stamp is made of.

use crate::arrays::{Array, Path};
use crate::bits::BitMatrix;
use crate::bytes::{from_f64s, from_words};
use crate::digest::{Digest, fingerprint};
use crate::{Error, Result};
use serde::Serialize;

const MAGIC: &[u8; 8] = b"UNNORM\0\x1a";
const VERSION: u32 = 13;
const HEAD: usize = 8 + 4 + 1 + 8 + 32 + 8;
const CHECKSUM: usize = 32;

/// A decoded checkpoint.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Checkpoint {
    /// The index of the job's verb in the registry.
    pub verb: u8,
    /// The job's seed.
    pub seed: u64,
    /// Which job the checkpoint belongs to: see [`stamp`].
    pub stamp: [u8; 32],
    /// The coordinator's state.
    pub payload: Vec<u8>,
}

/// Digest of a resolved spec and its data: a checkpoint continues exactly one such pair. The spec's
/// large arrays, which it does not contain, enter by their [`fingerprint`]s, and so do the data.
pub fn stamp(
    spec: &impl Serialize,
    arrays: &[(Path, Array)],
    data: Option<&BitMatrix>,
) -> [u8; 32] {
    // A resolved spec leaves out no field but arrays. Its postcard bytes and the names of the
    // arrays present therefore tell it from any other.
    let rest = postcard::to_allocvec(spec).expect("specs are plain data");
    let mut digest = Digest::new().bytes("spec", &rest);
    for (path, array) in arrays {
        let label = path.join(".");
        let (length, print) = match array {
            Array::F64(values) => (values.len(), fingerprint(&from_f64s(values))),
            Array::U8(values) => (values.len(), fingerprint(values)),
        };
        digest = digest.u64(&label, length as u64).bytes(&label, &print);
    }
    match data {
        None => digest,
        Some(data) => digest
            .u64("dim", data.dim() as u64)
            .bytes("data", &fingerprint(&from_words(data.words()))),
    }
    .finish()
}

impl Checkpoint {
    /// The checkpoint as bytes.
    pub fn encode(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(HEAD + self.payload.len() + CHECKSUM);
        bytes.extend_from_slice(MAGIC);
        bytes.extend_from_slice(&VERSION.to_le_bytes());
        bytes.push(self.verb);
        bytes.extend_from_slice(&self.seed.to_le_bytes());
        bytes.extend_from_slice(&self.stamp);
        bytes.extend_from_slice(&(self.payload.len() as u64).to_le_bytes());
        bytes.extend_from_slice(&self.payload);
        let checksum = fingerprint(&bytes);
        bytes.extend_from_slice(&checksum);
        bytes
    }

    /// Decodes an envelope.
    ///
    /// # Errors
    /// [`Error::BadCheckpoint`] if the bytes are not a checkpoint, have another version, or are
    /// truncated or changed.
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
        Ok(Self { verb, seed, stamp, payload: payload.to_vec() })
    }

    /// Refuses a checkpoint that the same verb wrote for another job.
    ///
    /// # Errors
    /// [`Error::CheckpointMismatch`], saying what differs.
    pub fn check(&self, seed: u64, stamp: &[u8; 32]) -> Result<()> {
        if seed != self.seed {
            let problem = format!("is of a job with seed {}; give that seed or none", self.seed);
            return Err(mismatch(problem));
        }
        if self.stamp != *stamp {
            return Err(mismatch(
                "is of another spec or other data; give exactly those it was made with",
            ));
        }
        Ok(())
    }
}

fn take<const N: usize>(rest: &mut &[u8]) -> Result<[u8; N]> {
    let (head, tail) = rest.split_first_chunk().ok_or_else(|| bad("is cut off"))?;
    *rest = tail;
    Ok(*head)
}

/// The error for bytes that are not a checkpoint, or no longer one.
pub(crate) fn bad(problem: impl Into<String>) -> Error {
    Error::BadCheckpoint { problem: problem.into() }
}

/// The error for a checkpoint of another job.
pub(crate) fn mismatch(problem: impl Into<String>) -> Error {
    Error::CheckpointMismatch { problem: problem.into() }
}
