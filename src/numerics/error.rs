//! The one error type of the library: what was wrong with which field, and what to do about it,
//! under a code that stays the same between releases.

use std::fmt;

/// Result of anything that can refuse its input.
pub type Result<T> = std::result::Result<T, Error>;

/// Why a job was refused. `Display` gives one sentence for people;
/// [`Error::code`] is for programs.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
    /// A field of a spec cannot be used.
    InvalidSpec {
        /// Path of the field, e.g. `model.couplings`.
        field: String,
        /// What was wrong, and what to do.
        problem: String,
    },
    /// The data cannot be used: wrong values, shapes or file contents.
    InvalidData {
        /// Path of the field, e.g. `data.rows[3]`.
        field: String,
        /// What was wrong, and what to do.
        problem: String,
    },
    /// An algorithm asked a model for something it does not have.
    MissingCapability {
        /// The model's kind.
        model: String,
        /// The capability's trait, e.g. `SiteFlips`.
        capability: &'static str,
        /// The algorithm that needs it.
        needed_by: &'static str,
    },
    /// A custom model's function cannot be used: it is not loaded, fails, or returns invalid
    /// energies.
    InvalidModel {
        /// Path of the field, e.g. `model.url`.
        field: String,
        /// What was wrong, and what to do.
        problem: String,
    },
    /// The work would need more memory or time than is allowed.
    TooLarge {
        /// Path of the field that makes it too large.
        field: String,
        /// The size asked for, the limit, and what to do.
        problem: String,
    },
    /// A checkpoint is damaged, or from another format version.
    BadCheckpoint {
        /// What was wrong, and what to do.
        problem: String,
    },
    /// A valid checkpoint, but of another spec or other data.
    CheckpointMismatch {
        /// What differs, as a sentence.
        problem: String,
    },
}

impl Error {
    /// An [`Error::InvalidSpec`] from anything printable.
    pub fn spec(field: impl Into<String>, problem: impl Into<String>) -> Self {
        Self::InvalidSpec { field: field.into(), problem: problem.into() }
    }

    /// An [`Error::InvalidData`] from anything printable.
    pub fn data(field: impl Into<String>, problem: impl Into<String>) -> Self {
        Self::InvalidData { field: field.into(), problem: problem.into() }
    }

    /// An [`Error::MissingCapability`] of a model of this kind.
    pub fn missing(
        model: impl Into<String>,
        capability: &'static str,
        needed_by: &'static str,
    ) -> Self {
        Self::MissingCapability { model: model.into(), capability, needed_by }
    }

    /// The same of a spec within another: its field begins with that of the outer one.
    pub fn within(self, outer: &str) -> Self {
        let inner = |field: String| format!("{outer}.{field}");
        match self {
            Self::InvalidSpec { field, problem } => {
                Self::InvalidSpec { field: inner(field), problem }
            }
            Self::InvalidModel { field, problem } => {
                Self::InvalidModel { field: inner(field), problem }
            }
            Self::TooLarge { field, problem } => Self::TooLarge { field: inner(field), problem },
            other => other,
        }
    }

    /// Stable code, in kebab case.
    pub fn code(&self) -> &'static str {
        match self {
            Self::InvalidSpec { .. } => "invalid-spec",
            Self::InvalidData { .. } => "invalid-data",
            Self::MissingCapability { .. } => "missing-capability",
            Self::InvalidModel { .. } => "invalid-model",
            Self::TooLarge { .. } => "too-large",
            Self::BadCheckpoint { .. } => "bad-checkpoint",
            Self::CheckpointMismatch { .. } => "checkpoint-mismatch",
        }
    }

    /// Path of the invalid field, if there is one.
    pub fn field(&self) -> Option<&str> {
        match self {
            Self::InvalidSpec { field, .. }
            | Self::InvalidData { field, .. }
            | Self::InvalidModel { field, .. }
            | Self::TooLarge { field, .. } => Some(field),
            Self::MissingCapability { .. } => Some("model.kind"),
            Self::BadCheckpoint { .. } | Self::CheckpointMismatch { .. } => None,
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::InvalidSpec { field, problem }
            | Self::InvalidData { field, problem }
            | Self::InvalidModel { field, problem }
            | Self::TooLarge { field, problem } => write!(f, "{field}: {problem}"),
            Self::MissingCapability { model, capability, needed_by } => write!(
                f,
                "model.kind: {needed_by} needs a model with {capability}, which `{model}` does \
                 not have; choose another model or another algorithm"
            ),
            Self::BadCheckpoint { problem } => write!(f, "checkpoint: {problem}"),
            Self::CheckpointMismatch { problem } => write!(f, "checkpoint: {problem}"),
        }
    }
}

impl std::error::Error for Error {}
