/**
 * Which pairs of sites go together, pair by pair: mutual information of their values. Plain JavaScript: the tests run it in Node.
 */

/**
 * Mutual information of all pairs of sites, in nats, the greatest first.
 * @param {ArrayLike<number>} values [numRows, numSites], from 0
 * @param {number} numSites
 * @param {number} numValues
 * @returns {{ i: number, j: number, strength: number }[]}
 */
export function mutualInformation(values, numSites, numValues) {
  const numRows = values.length / numSites;
  const valueAt = (/** @type {number} */ row, /** @type {number} */ site) =>
    values[row * numSites + site] ?? 0;
  const ofSite = Array.from({ length: numSites }, (_, site) => {
    const counts = new Float64Array(numValues);
    for (let row = 0; row < numRows; row++) counts[valueAt(row, site)] += 1;
    return counts;
  });
  const pairs = [];
  const counts = new Float64Array(numValues ** 2);
  for (let i = 0; i < numSites; i++) {
    for (let j = i + 1; j < numSites; j++) {
      counts.fill(0);
      for (let row = 0; row < numRows; row++)
        counts[valueAt(row, i) * numValues + valueAt(row, j)] += 1;
      let sum = 0;
      counts.forEach((count, at) => {
        const [a, b] = [Math.floor(at / numValues), at % numValues];
        const alone = (ofSite[i]?.[a] ?? 0) * (ofSite[j]?.[b] ?? 0);
        if (count > 0) sum += (count / numRows) * Math.log((count * numRows) / alone);
      });
      pairs.push({ i, j, strength: sum });
    }
  }
  return pairs.sort((a, b) => b.strength - a.strength);
}

/**
 * The same pairs without what their sites have in common with all others, F_i F_j / F (average product correction), the
 * greatest first.
 * @param {{ i: number, j: number, strength: number }[]} pairs all pairs of sites
 * @param {number} numSites
 */
export function corrected(pairs, numSites) {
  const sums = new Float64Array(numSites);
  for (const { i, j, strength } of pairs) {
    sums[i] += strength;
    sums[j] += strength;
  }
  const mean = sums.reduce((sum, value) => sum + value, 0) / (numSites * (numSites - 1));
  const others = numSites - 1;
  return pairs
    .map(({ i, j, strength }) => {
      const product = ((sums[i] ?? 0) / others) * ((sums[j] ?? 0) / others);
      return { i, j, strength: mean > 0 ? strength - product / mean : strength };
    })
    .sort((a, b) => b.strength - a.strength);
}
