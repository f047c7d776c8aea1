//! Normalizing models: what log weights are worth, and schedules of β.

pub mod schedule;
pub mod weights;
