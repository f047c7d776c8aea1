/**
 * The middle of sorted numbers, or the part `q` of the way through them.
 *
 * @param {readonly number[]} sorted
 * @param {number} q
 */
export function quantile(sorted, q) {
  const at = q * (sorted.length - 1);
  const low = Math.floor(at);
  const high = Math.ceil(at);
  return sorted[low] + (sorted[high] - sorted[low]) * (at - low);
}

/**
 * The effective number of draws for the bulk of one quantity: chains split in halves, ranks made normal, and
 * autocorrelations summed to Geyer's initial monotone sequence (Vehtari and others 2021).
 *
 * @param {ArrayLike<number>} values draw by draw, that of each chain in turn
 * @param {number} numChains
 */
export function bulkEss(values, numChains) {
  const numDraws = values.length / numChains;
  const half = Math.floor(numDraws / 2);
  const halves = [];
  for (let chain = 0; chain < numChains; chain++) {
    for (const first of [0, numDraws - half]) {
      for (let at = 0; at < half; at++) halves.push(values[(first + at) * numChains + chain]);
    }
  }
  const scores = normalScores(halves);
  const chains = Array.from({ length: 2 * numChains }, (_, at) =>
    scores.slice(at * half, (at + 1) * half),
  );
  const means = chains.map(meanOf);
  for (const [at, chain] of chains.entries()) {
    for (let t = 0; t < half; t++) chain[t] -= means[at];
  }
  const covariance = (lag) =>
    meanOf(
      chains.map((chain) => {
        let sum = 0;
        for (let t = lag; t < half; t++) sum += chain[t - lag] * chain[t];
        return sum / half;
      }),
    );
  const within = (covariance(0) * half) / (half - 1);
  const middle = meanOf(means);
  const between = means.reduce((sum, mean) => sum + (mean - middle) ** 2, 0) / (chains.length - 1);
  const total = covariance(0) + between;
  const correlation = (lag) => 1 - (within - covariance(lag)) / total;
  let [even, odd] = [1, correlation(1)];
  let [time, pair] = [-1, even + odd];
  let least = pair;
  for (let lag = 2; pair > 0 && lag < half - 2; lag += 2) {
    time += 2 * least;
    [even, odd] = [correlation(lag), correlation(lag + 1)];
    pair = even + odd;
    least = Math.min(least, pair);
  }
  // Of what is left over, the positive even term.
  time += Math.max(0, even);
  const count = chains.length * half;
  return count / Math.max(time, 1 / Math.log10(count));
}

/**
 * Of states `[numDraws, numChains, dim]` the least effective number of draws of an entry.
 *
 * @param {Float64Array} values
 * @param {{ numChains: number, dim: number }} shape
 */
export function leastBulkEss(values, { numChains, dim }) {
  const of = (entry) => values.filter((_, at) => at % dim === entry);
  return Math.min(...Array.from({ length: dim }, (_, entry) => bulkEss(of(entry), numChains)));
}

/** @param {ArrayLike<number>} values */
function meanOf(values) {
  let sum = 0;
  for (let at = 0; at < values.length; at++) sum += values[at];
  return sum / values.length;
}

/** Normal quantiles of the ranks; equal values have their mean rank. */
function normalScores(values) {
  const order = Uint32Array.from({ length: values.length }, (_, at) => at).sort(
    (a, b) => values[a] - values[b],
  );
  const scores = new Float64Array(values.length);
  for (let first = 0; first < order.length; ) {
    let last = first;
    while (last + 1 < order.length && values[order[last + 1]] === values[order[first]]) last++;
    const rank = (first + last) / 2 + 1;
    const score = normalQuantile((rank - 0.375) / (values.length + 0.25));
    for (; first <= last; first++) scores[order[first]] = score;
  }
  return scores;
}

/** The normal quantile, by Newton's steps from Tukey's; not for tails beyond five standard deviations. */
function normalQuantile(p) {
  let z = (p ** 0.135 - (1 - p) ** 0.135) / 0.1975;
  for (let step = 0; step < 4; step++) {
    const density = Math.exp(-0.5 * z * z) / Math.sqrt(2 * Math.PI);
    // Of the distribution function less a half, over the density: z + z³/3 + z⁵/15 + ….
    let [sum, term] = [z, z];
    for (let n = 3; Math.abs(term) > 1e-17 * Math.abs(sum); n += 2) {
      term *= (z * z) / n;
      sum += term;
    }
    z += (p - 0.5) / density - sum;
  }
  return z;
}
