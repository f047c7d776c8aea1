// @ts-check
/**
 * The log of the mean of what these are logs of.
 * @param {ArrayLike<number>} logs
 */
export function logMeanExp(logs) {
  let most = Number.NEGATIVE_INFINITY;
  for (let n = 0; n < logs.length; n++) most = Math.max(most, Number(logs[n]));
  let sum = 0;
  for (let n = 0; n < logs.length; n++) sum += Math.exp(Number(logs[n]) - most);
  return most + Math.log(sum / logs.length);
}
