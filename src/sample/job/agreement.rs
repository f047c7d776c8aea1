//! Whether chains agree, in words.

/// Above this the chains do not agree (Vehtari et al. 2021).
const MAX_RHAT: f64 = 1.01;

/// Below this number of effective draws per chain, neither they nor R̂ are reliable.
const MIN_ESS_PER_CHAIN: f64 = 100.0;

/// What the words are about.
pub struct Agreement<'a> {
    /// What the quantities are together, such as "entries".
    pub quantities: &'a str,
    /// The name of one of them.
    pub name: &'a dyn Fn(usize) -> String,
    /// What to do where chains do not agree.
    pub remedy: &'a str,
    /// Number of chains.
    pub num_chains: usize,
}

impl Agreement<'_> {
    /// Warnings about the R̂ and the bulk's effective draws of each quantity, as sentences.
    pub fn warnings(&self, rhat: &[f64], ess: &[f64]) -> Vec<String> {
        let Self { quantities, name, remedy, num_chains } = self;
        let mut warnings = Vec::new();
        let bad = |values: &[f64], is_bad: &dyn Fn(f64) -> bool| {
            let bad: Vec<usize> = (0..values.len()).filter(|&at| is_bad(values[at])).collect();
            (!bad.is_empty()).then(|| (bad.len(), bad[0]))
        };
        if let Some((count, first)) = bad(rhat, &|rhat| rhat > MAX_RHAT) {
            warnings.push(format!(
                "the chains do not agree on {count} of {} {quantities} (R-hat of {} is {:.3}, and \
                 should be below {MAX_RHAT}); {remedy}",
                rhat.len(),
                name(first),
                rhat[first]
            ));
        }
        let least = MIN_ESS_PER_CHAIN * *num_chains as f64;
        if let Some((count, first)) = bad(ess, &|ess| ess < least) {
            warnings.push(format!(
                "{count} of {} {quantities} have fewer than {least} effective draws ({}: {:.0}): \
                 errors and R-hat are not to be relied on; draw longer",
                ess.len(),
                name(first),
                ess[first]
            ));
        }
        warnings
    }
}
