/** Bins of a histogram of two clouds of numbers, over all of both. */
export const NUM_BINS = 48;

/** Edges for all of them, evenly, zero among what is covered; none where there is nothing to count. */
export function edgesFor(clouds: readonly Float64Array[]): number[] {
  let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const cloud of clouds) {
    for (const value of cloud) {
      if (value < low) low = value;
      if (value > high) high = value;
    }
  }
  if (!(high >= low)) return [];
  const room = 0.02 * Math.max(1e-9, Math.max(high, 0) - Math.min(low, 0));
  const [from, to] = [Math.min(low, 0) - room, Math.max(high, 0) + room];
  return Array.from({ length: NUM_BINS + 1 }, (_, n) => from + (n / NUM_BINS) * (to - from));
}

/** How many lie in each bin, in parts of all, with a zero at the end, where the last bin ends. */
export function sharesOf(values: Float64Array, edges: readonly number[]): number[] {
  const [low = 0, next = 1] = edges;
  const width = next - low;
  const shares: number[] = new Array(edges.length).fill(0);
  for (const value of values) {
    const bin = Math.floor((value - low) / width);
    shares[bin] = (shares[bin] ?? 0) + 1 / values.length;
  }
  return shares;
}
