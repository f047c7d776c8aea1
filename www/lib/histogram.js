/**
 * Histograms over common bins. Plain JavaScript, so that the tests run it in Node.
 */

/**
 * Densities of several sets of numbers over the same bins, each with area 1. Numbers that are not finite count in the
 * area and have no bin.
 * @param {readonly ArrayLike<number>[]} sets
 * @param {number} numBins
 * @returns {{ edges: Float64Array, densities: Float64Array[] }} `numBins + 1` edges from the least to the greatest number;
 *   no edges and no densities where there is no finite number.
 */
export function histogramsOf(sets, numBins) {
  let low = Number.POSITIVE_INFINITY;
  let high = Number.NEGATIVE_INFINITY;
  for (const set of sets) {
    for (let n = 0; n < set.length; n++) {
      const value = /** @type {number} */ (set[n]);
      if (!Number.isFinite(value)) continue;
      low = Math.min(low, value);
      high = Math.max(high, value);
    }
  }
  if (low > high) return { edges: new Float64Array(), densities: [] };
  if (low === high) {
    // All alike: one bin about it.
    const room = Math.max(1e-6, 1e-6 * Math.abs(low));
    low -= room;
    high += room;
  }
  const width = (high - low) / numBins;
  const edges = Float64Array.from({ length: numBins + 1 }, (_, n) =>
    n === numBins ? high : low + n * width,
  );
  const densities = sets.map((set) => {
    const counts = new Float64Array(numBins);
    for (let n = 0; n < set.length; n++) {
      const value = /** @type {number} */ (set[n]);
      if (!Number.isFinite(value)) continue;
      const bin = Math.min(numBins - 1, Math.floor((value - low) / width));
      counts[bin] = /** @type {number} */ (counts[bin]) + 1;
    }
    return counts.map((count) => count / Math.max(1, set.length) / width);
  });
  return { edges, densities };
}
