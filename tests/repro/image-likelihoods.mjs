// Log likelihoods of states under the models of image-fits.mjs: by Hamiltonian annealed importance
// sampling, and in closed form where there is one.

/**
 * By annealing: one log Z of an analysis model, one for each row of a generative one.
 *
 * @param {object} task
 * @param {object} task.budget of `logZ`'s fields numChains, numDistributions and pilot, and, where the default
 *   will not do, transition and schedule
 * @returns the mean over the rows, in nats, with the error that annealing leaves (`logZError`) and that
 *   of so many rows among others (`rowError`); of the log weights of a log Z the standard deviation and
 *   the effective sample size, the median and the worst over the log Zs; and the job's warnings
 */
export async function annealed({ engine, model, states, budget, seed, onProgress }) {
  const { likelihood, forward, exactLogZ, warnings, digest } = await engine.logZ(
    { model, states, ...budget, seed },
    { progressInterval: 20_000, onProgress },
  );
  const spreads = [];
  const sizes = [];
  for (let at = 0; at < forward.logWeights.length; at += budget.numChains) {
    const { deviation, ess } = weighed(forward.logWeights.subarray(at, at + budget.numChains));
    spreads.push(deviation);
    sizes.push(ess);
  }
  return {
    mean: likelihood.mean.value,
    logZError: likelihood.mean.standardError,
    rowError: likelihood.rowError,
    rows: likelihood.rows,
    logWeightSd: median(spreads),
    worstLogWeightSd: Math.max(...spreads),
    weightEss: median(sizes),
    worstWeightEss: Math.min(...sizes),
    logZ: forward.logZ.value,
    exactLogZ,
    warnings,
    digest,
  };
}

/** Standard deviation and effective sample size of log weights. */
function weighed(logWeights) {
  const count = logWeights.length;
  const most = Math.max(...logWeights);
  let [sum, squares, total, totalOfSquares] = [0, 0, 0, 0];
  for (const logWeight of logWeights) {
    const weight = Math.exp(logWeight - most);
    total += weight;
    totalOfSquares += weight * weight;
    sum += logWeight - most;
    squares += (logWeight - most) ** 2;
  }
  const variance = (squares - sum ** 2 / count) / (count - 1);
  return { deviation: Math.sqrt(Math.max(variance, 0)), ess: total ** 2 / totalOfSquares };
}

export function median(values) {
  const sorted = Float64Array.from(values).sort();
  return (sorted[(sorted.length - 1) >> 1] + sorted[sorted.length >> 1]) / 2;
}
