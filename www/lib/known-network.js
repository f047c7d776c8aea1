/**
 * Couplings J, row-major `[dim, dim]`, of E(x) = xᵀJx on bits with these log odds ratios ω: J_ij = −ω_ij / 2. Where half of
 * each neighbour is on, a node's own log odds are its leaning. Plain JavaScript: the tests run it in Node, and the lab
 * shows it as it is.
 * @param {readonly string[]} names Of the nodes.
 * @param {readonly (readonly [from: string, to: string, logOdds: number])[]} edges
 * @param {readonly number[]} leanings
 */
export function knownCouplings(names, edges, leanings) {
  const dim = names.length;
  const couplings = new Float64Array(dim * dim);
  for (let n = 0; n < dim; n++) couplings[n * (dim + 1)] = -leanings[n];
  for (const [from, to, logOdds] of edges) {
    const [i, j] = [names.indexOf(from), names.indexOf(to)];
    couplings[i * dim + j] = -logOdds / 2;
    couplings[j * dim + i] = -logOdds / 2;
    couplings[i * (dim + 1)] += logOdds / 2;
    couplings[j * (dim + 1)] += logOdds / 2;
  }
  return couplings;
}
