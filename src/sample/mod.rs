//! Sampling: Markov chain transitions that leave a model's distribution as it is.
