// @ts-check
/**
 * The integrated autocorrelation time of a series, τ = 1 + 2 Σ ρ_t, in draws: how many draws are worth one independent
 * one. Summed over t up to the first window W ≥ 5τ(W) (Madras & Sokal 1988, appendix C). At least 1; 1 for a constant
 * series. A series much shorter than some 50 τ gives too small a value: it has not seen the slow changes.
 *
 * Plain JavaScript, so that Node's tests run it as it is.
 * @param {ArrayLike<number>} values
 */
export function integratedTime(values) {
  const { length } = values;
  const mean = meanOf(values);
  const variance = covariance(values, mean, 0);
  if (!(variance > 0)) return 1;
  let time = 1;
  for (let lag = 1; lag < length; lag++) {
    time += (2 * covariance(values, mean, lag)) / variance;
    if (lag >= 5 * time) break;
  }
  return Math.max(1, time);
}

/**
 * The mean of a correlated series and its standard error, √(variance · τ / length).
 * @param {ArrayLike<number>} values
 */
export function meanAndError(values) {
  const mean = meanOf(values);
  const variance = covariance(values, mean, 0);
  return { mean, error: Math.sqrt((variance * integratedTime(values)) / (values.length - 1)) };
}

/** @param {ArrayLike<number>} values */
function meanOf(values) {
  let sum = 0;
  for (let n = 0; n < values.length; n++) sum += Number(values[n]);
  return sum / values.length;
}

/**
 * @param {ArrayLike<number>} values
 * @param {number} mean
 * @param {number} lag
 */
function covariance(values, mean, lag) {
  let sum = 0;
  for (let n = lag; n < values.length; n++)
    sum += (Number(values[n]) - mean) * (Number(values[n - lag]) - mean);
  return sum / values.length;
}
