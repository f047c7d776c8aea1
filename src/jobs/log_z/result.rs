//! What the runs come to.
