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
