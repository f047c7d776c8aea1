// Log likelihoods of states under the models of image-fits.mjs: by Hamiltonian annealed importance
// sampling, and in closed form where there is one.

/**
 * By annealing: one log Z of an analysis model, one for each row of a generative one.
 *
 * @returns the mean over the rows, in nats, with the error that annealing leaves (`logZError`) and that
 *   of so many rows among others (`rowError`); of the log weights of a log Z the standard deviation and
 *   the effective sample size, the median and the worst over the log Zs; and the job's warnings
 */
export async function annealed({ engine, model, states, budget, seed, onProgress }) {
  const { likelihood, forward, exactLogZ, warnings, digest } = await engine.logZ(
    {
      model,
      states,
      numChains: budget.numChains,
      numDistributions: budget.numDistributions,
      pilot: budget.pilot,
      seed,
    },
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

export const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;

/** Mean and its standard error. */
export function meanAndError(values) {
  const middle = mean(values);
  const variance = values.reduce((sum, value) => sum + (value - middle) ** 2, 0);
  return { mean: middle, error: Math.sqrt(variance / (values.length - 1) / values.length) };
}

/** ln N(x; 0, ΦΦᵀ + σ² I) of each row: the linear generative model with a Gaussian prior (5.14, 5.15). */
export function gaussianLogLikelihoods({ basis, noise = 0.1 }, dim, states) {
  const numLatent = basis.length / dim;
  // Cholesky's factor L, row-major, of the covariance.
  const factor = new Float64Array(dim * dim);
  for (let i = 0; i < dim; i++) {
    for (let j = 0; j <= i; j++) {
      let sum = i === j ? noise ** 2 : 0;
      for (let k = 0; k < numLatent; k++)
        sum += basis[i * numLatent + k] * basis[j * numLatent + k];
      for (let k = 0; k < j; k++) sum -= factor[i * dim + k] * factor[j * dim + k];
      factor[i * dim + j] = i === j ? Math.sqrt(sum) : sum / factor[j * dim + j];
    }
  }
  let constant = -0.5 * dim * Math.log(2 * Math.PI);
  for (let i = 0; i < dim; i++) constant -= Math.log(factor[i * dim + i]);
  return rowsOf(states, dim, (row) => {
    let squares = 0;
    const solved = new Float64Array(dim);
    for (let i = 0; i < dim; i++) {
      let value = row[i];
      for (let j = 0; j < i; j++) value -= factor[i * dim + j] * solved[j];
      solved[i] = value / factor[i * dim + i];
      squares += solved[i] ** 2;
    }
    return constant - 0.5 * squares;
  });
}

/** ln N(x; 0, σ² I) of each row: any of the generative models with Φ = 0 (5.25). */
export function noiseLogLikelihoods(noise, dim, states) {
  return rowsOf(states, dim, (row) => {
    const squares = row.reduce((sum, value) => sum + value ** 2, 0);
    return -squares / (2 * noise ** 2) - 0.5 * dim * Math.log(2 * Math.PI * noise ** 2);
  });
}

function rowsOf(states, dim, each) {
  return Array.from({ length: states.length / dim }, (_, row) =>
    each(states.subarray(row * dim, (row + 1) * dim)),
  );
}
